#pragma once

#include <cstdint>
#include <vector>

#include "capsule_reference.hpp"
#include "catena/model/verdict.hpp"
#include "pair_bisection.hpp"

namespace catena::bench {

/// What a snake's links may do over a part of an edge, by the ways of the literature that a tree of
/// transforms is measured against.
enum class Sweep : std::uint8_t {
  kTaylor,  ///< Taylor models of order 3 with intervals as remainders, from the base link by link
  kIntervals,  ///< matrices of intervals, from the base link by link
  kBounds      ///< where they are in the middle, and a bound of how far they go: the sum over the
               ///< joints before of the turn times the chain's length from there
};

/// A snake on a base that stands against itself, on whole edges: boxes along the world's axes
/// around what each capsule sweeps, a hierarchy of them that is refitted for each interval, and for
/// pairs whose boxes meet the distance in the middle less how far both go. What is left open is
/// looked at in both halves.
///
/// Rigor     exact but for the rounding of doubles.
/// Threads   one object each.
/// Source    [Zhang2007]: dynamic hierarchy, Taylor models link by link, motion bounds.
class BoxBisection {
 public:
  BoxBisection(const Snake& snake, Sweep sweep) : snake_(snake), sweep_(sweep) {}

  struct Result {
    Verdict verdict = Verdict::kFree;  ///< undecided where the intervals ran out
    std::int64_t intervals = 0, pair_tests = 0;
  };
  Result check(const SnakeEdge& edge, std::int64_t most_intervals);

 private:
  struct Box {
    Vector3d low, high;
    bool meets(const Box& other) const {
      return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
    }
  };
  struct Pair {
    int i, j;
  };

  template <class T>
  void sweep_links(const SnakeEdge& edge, double middle, double half);
  void bound_links(const SnakeEdge& edge, double middle, double half);
  void refit(int node, int first, int last);
  void collect(int a, int a_first, int a_last, int b, int b_first, int b_last,
               std::vector<Pair>& pairs) const;
  void prove(const SnakeEdge& edge, double from, double to, const std::vector<Pair>* open,
             std::int64_t most_intervals, Result& result);

  Snake snake_;
  Sweep sweep_;
  // Of the links in the interval at hand: their axes in the middle, boxes, and how far they go.
  std::vector<CapsuleReference::Segment> axes_;
  std::vector<Box> boxes_;
  std::vector<double> motion_;
  std::vector<Box>
      nodes_;  // of a binary tree over the links, in their order; children 2 n + 1, 2 n + 2
};

}  // namespace catena::bench
