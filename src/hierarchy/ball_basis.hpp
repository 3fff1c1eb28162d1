#pragma once

#include <span>
#include <string>

#include "catena/hierarchy/enclosing_ball.hpp"
#include "catena/math/rounding.hpp"

namespace catena::internal {

/// What a ball of a list may not be: empty if nothing is wrong with it, else the problem and what
/// to do about it.
std::string problem_of(const Vector3d& center, double radius);

/// The smallest ball about a few balls of a list, up to rounding: nothing is proven of it.
struct BasisBall {
  Ball ball;
  BallBasis basis;
  bool found = false;
};
/// About those of a basis; which may turn out to have been more than are needed. Always found.
/// @pre basis.size >= 1
BasisBall ball_about(std::span<const Ball> balls, const BallBasis& basis) noexcept;
/// About those of a basis, and another that the ball about them does not hold.
BasisBall ball_about(std::span<const Ball> balls, const BallBasis& basis, int other) noexcept;

/// A ball about those of its basis, with what its centre and radius may be off by added to it.
inline Ball padded(const Ball& ball) noexcept {
  return {ball.center,
          bound_above(ball.radius + 4.0 * kUnitRoundoff * ball.center.lpNorm<1>(), 64)};
}

/// No less than how far a ball reaches from a point.
inline double reach_from(const Vector3d& point, const Ball& ball) noexcept {
  return bound_above((ball.center - point).norm() + ball.radius, 32);
}

/// Makes `result`, whose basis is where to start, the smallest ball about what is searched.
/// `search` has two functions: outside(Ball) is the number of a ball that the one given is not
/// proven to hold, best of the one that reaches farthest, or -1 if it is proven to hold all;
/// reach(Vector3d) is no less than how far any of them reaches from the point.
template <class Search>
void enclose(std::span<const Ball> balls, Search& search, EnclosingBall& result) noexcept {
  constexpr int kMostChanges = 1000;  // far more than were ever seen
  BasisBall now = ball_about(balls, result.basis);
  for (int i = 0;; ++i) {
    result.basis = now.basis;
    result.ball = padded(now.ball);
    const int other = search.outside(result.ball);
    if (other < 0) return;
    if (i == kMostChanges || now.basis.contains(other)) break;
    const BasisBall next = ball_about(balls, now.basis, other);
    // In real numbers it always grows: rounding has the last word.
    if (!next.found || !(next.ball.radius > now.ball.radius)) break;
    now = next;
    ++result.changes;
  }
  result.ball.radius = search.reach(result.ball.center);
}

/// All balls of a range, one after the other.
class BallRange {
 public:
  BallRange(std::span<const Ball> balls, int first, int last)
      : balls_(balls), first_(first), last_(last) {}

  int outside(const Ball& ball) noexcept {
    int farthest = -1;
    double most = 0.0;
    for (int i = first_; i < last_; ++i) {
      const Ball& other = balls_[static_cast<size_t>(i)];
      if (holds(ball, other)) continue;
      const double reach = (other.center - ball.center).norm() + other.radius;
      if (reach <= most) continue;
      most = reach;
      farthest = i;
    }
    tests_ += last_ - first_;
    return farthest;
  }
  double reach(const Vector3d& point) noexcept {
    double most = 0.0;
    for (int i = first_; i < last_; ++i) {
      const double reach = reach_from(point, balls_[static_cast<size_t>(i)]);
      if (!(reach <= most)) most = reach;
    }
    tests_ += last_ - first_;
    return most;
  }
  int tests() const noexcept { return tests_; }

 private:
  std::span<const Ball> balls_;
  int first_, last_;
  int tests_ = 0;
};

}  // namespace catena::internal
