#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include "near_pairs.hpp"

namespace catena::internal {

/// Throws std::invalid_argument, as options do.
inline void validate_cutoff(double cutoff) {
  if (std::isfinite(cutoff) && cutoff >= 0.0) return;
  throw std::invalid_argument("cutoff is " + std::to_string(cutoff) + "; give finite metres >= 0");
}

/// The order of a list. Geometries are numbered body by body.
inline bool comes_before(const NearPair& x, const NearPair& y) noexcept {
  return std::tie(x.a, x.b, x.geometry_a, x.geometry_b) <
         std::tie(y.a, y.b, y.geometry_a, y.geometry_b);
}

/// Pairs within a cut-off, as they are found one by one, each of them once.
class NearList {
 public:
  NearList(const CollisionWorld& world, double cutoff, const QueryOptions& options,
           Scratch& scratch, NearPairs& result)
      : world_(world), cutoff_(cutoff), options_(options), scratch_(scratch), result_(result) {
    result_.pairs.clear();
    result_.complete = true;
    result_.stats = {};
  }

  bool checks(GeometryPair pair) const { return world_.checks(body(pair.a), body(pair.b)); }

  /// A checked pair at X_GaGb, a < b. True where the search may end: the budget has run out.
  bool add(GeometryPair pair, const RigidEnclosure& X) {
    ++result_.stats.pair_tests;
    const Interval distance =
        bracket_distance(geometry(pair.a), geometry(pair.b), X, cutoff_, options_.distance_width,
                         options_.budget, scratch_, result_.stats);
    if (!(distance.lo > cutoff_)) {
      result_.pairs.push_back(
          {body(pair.a), body(pair.b), pair.a, pair.b, distance, !(distance.hi <= cutoff_)});
    }
    result_.complete = options_.budget == 0 || result_.stats.visited() <= options_.budget;
    return !result_.complete;
  }

  QueryStats& stats() noexcept { return result_.stats; }

  /// How much more may be visited.
  std::uint64_t rest_of_budget() const noexcept {
    if (options_.budget == 0) return std::numeric_limits<std::uint64_t>::max();
    return options_.budget - std::min(options_.budget, result_.stats.visited());
  }
  /// Pairs are left out.
  void give_up() noexcept { result_.complete = false; }

  void finish() { std::sort(result_.pairs.begin(), result_.pairs.end(), comes_before); }

 private:
  const Geometry& geometry(int i) const {
    return *world_.geometries()[static_cast<size_t>(i)].geometry;
  }
  BodyIndex body(int i) const { return world_.geometries()[static_cast<size_t>(i)].body; }

  const CollisionWorld& world_;
  const double cutoff_;
  const QueryOptions& options_;
  Scratch& scratch_;
  NearPairs& result_;
};

}  // namespace catena::internal
