#pragma once

#include <cstdint>
#include <vector>

#include "capsule_reference.hpp"
#include "catena/model/verdict.hpp"

namespace catena::bench {

/// A straight way in the space of a snake's joints, all of which turn at constant rates.
struct SnakeEdge {
  std::vector<double> q0, q1;

  void at(double t, std::vector<double>& q) const {
    q.resize(q0.size());
    for (size_t i = 0; i < q.size(); ++i) q[i] = q0[i] + t * (q1[i] - q0[i]);
  }
};

/// Whether a snake on a base that stands is free on a whole edge, by distances: the oracle of
/// edges, and the rival that proves as well.
///
/// A pair is free over an interval if its distances at both ends add up to more than the path that
/// the two can go in between, relative to each other; if not, its halves are looked at. A joint
/// moves what comes after it by at most its turn times the farthest point, or what comes before it.
///
/// Rigor     exact but for the rounding of doubles.
/// Threads   one object each, and one CapsuleReference each.
/// Source    [Schwarzer2005].
class PairBisection {
 public:
  /// Undecided where a pair that can move by less than `width`, metres, is not proven free. The
  /// reference stays alive as long as this.
  PairBisection(const CapsuleReference& reference, const Snake& snake, const RigidTransform& X_WB,
                double width)
      : reference_(reference), snake_(snake), width_(width) {
    configuration_.X_WB = X_WB;
  }

  struct Result {
    Verdict verdict;
    double contact;  // where a configuration collides; -1: none is known
  };
  Result check(const SnakeEdge& edge);

  /// Told so far.
  std::int64_t distances() const { return distances_; }

 private:
  struct Pair {
    int i, j;               // i < j; -1: the scene
    double at_from, at_to;  // distances at the ends of an interval
  };
  struct Interval {
    double from, to;
    std::vector<Pair> pairs;  // that may meet in it
  };

  void place(const SnakeEdge& edge, double t);
  double distance(const Pair& pair, double limit);
  /// How far the pair can move on the whole edge.
  double motion(const Pair& pair) const;

  const CapsuleReference& reference_;
  Snake snake_;
  double width_;
  SnakeConfiguration configuration_;
  std::vector<RigidTransform> X_WL_;
  std::vector<CapsuleReference::Segment> axes_;
  // Over the joints before k: sums of |turn|, and of their numbers times |turn|.
  std::vector<double> turn_, weighted_turn_;
  std::int64_t distances_ = 0;
};

}  // namespace catena::bench
