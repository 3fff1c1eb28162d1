#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "catena/math/interval.hpp"
#include "catena/model/indices.hpp"
#include "catena/model/verdict.hpp"

namespace catena {

using Eigen::Vector3d;

/// Work done, independent of the machine.
struct QueryStats {
  std::uint64_t pair_tests = 0;        ///< pairs of geometries looked at
  std::uint64_t box_tests = 0;         ///< pairs of tree nodes looked at
  std::uint64_t element_tests = 0;     ///< exact tests of convex elements
  std::uint64_t intervals = 0;         ///< time intervals examined
  std::uint64_t compositions = 0;      ///< link poses computed
  std::uint64_t boxes_remade = 0;      ///< boxes of the chain tree that ChainState computed anew
  std::uint64_t shortcuts_remade = 0;  ///< shortcuts likewise, joints' own transforms not counted

  QueryStats& operator+=(const QueryStats& other) noexcept;
  std::uint64_t visited() const noexcept { return pair_tests + box_tests + element_tests; }
};

/// Two bodies (indices of the CollisionWorld), a point of each in W, and what is known of the gap.
struct Witness {
  BodyIndex a, b;  ///< invalid where there is no pair
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();
  Interval gap{-kInfinity, kInfinity};
};

struct StateResult {
  Verdict verdict = Verdict::kUndecided;
  /// Smallest distance over all checked pairs (bracket; only if it was asked for). For a collision
  /// the bracket of minus the penetration depth where it is known; none if nothing is checked.
  std::optional<Interval> distance;
  /// The closest, the colliding or the undecided pair; none where a budget ended before one was
  /// met.
  Witness witness;
  QueryStats stats;
};

/// Two geometries of the CollisionWorld that are near each other, and the bodies that have them.
struct NearPair {
  BodyIndex a, b;                        ///< a < b
  int geometry_a = -1, geometry_b = -1;  ///< of CollisionWorld::geometries()
  /// Certified. Touching solids: of minus their penetration depth where each is one convex element,
  /// otherwise [-infinity, 0]. From -infinity to a positive number: the surfaces are apart, but
  /// whether one lies inside the other is not known; or the budget ran out.
  Interval distance;
  bool straddles = false;  ///< lo <= cut-off < hi: near enough, or not
};

/// All checked pairs of geometries that are not proven farther apart than a cut-off.
struct NearPairs {
  /// By (a, b, geometry_a, geometry_b): the pairs of two bodies come one after another.
  std::vector<NearPair> pairs;
  bool complete = true;  ///< false: the budget ran out, and pairs may be missing
  QueryStats stats;
};

struct MotionResult {
  Verdict verdict = Verdict::kUndecided;
  /// [0, free_until] is proven free (for 0: nothing is, or the single instant 0). Exactly 1 if
  /// free.
  double free_until = 0.0;
  std::optional<double> contact;     ///< a time at which the witness bodies provably touch
  std::optional<Interval> distance;  ///< over the whole motion, if asked for and free
  Witness witness;
  QueryStats stats;
};

}  // namespace catena
