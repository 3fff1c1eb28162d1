#pragma once

#include <array>
#include <span>

#include <Eigen/Core>

namespace catena {

using Eigen::Vector3d;

/// A closed ball: all points within `radius` of `center`. Metres.
struct Ball {
  Vector3d center = Vector3d::Zero();
  double radius = 0.0;
};

/// Of the three questions below only `true` is proven, in real numbers (docs/rigor.md, R13), and no
/// number that is none or infinite makes one true. Call them within a RoundingScope.
///
/// All of `inner` is in `outer`.
inline bool holds(const Ball& outer, const Ball& inner) noexcept {
  const double dx = inner.center.x() - outer.center.x(), dy = inner.center.y() - outer.center.y(),
               dz = inner.center.z() - outer.center.z();
  const double spare = outer.radius - inner.radius;
  return spare >= 0.0 &&
         (dx * dx + dy * dy + dz * dz) * (1.0 + 0x1p-48) + 1e-302 <= spare * spare && spare < 1e150;
}
/// They have no point in common.
inline bool are_disjoint(const Ball& a, const Ball& b) noexcept {
  const double dx = a.center.x() - b.center.x(), dy = a.center.y() - b.center.y(),
               dz = a.center.z() - b.center.z();
  const double square = dx * dx + dy * dy + dz * dz;
  const double reach = a.radius + b.radius;
  return square > reach * reach * (1.0 + 0x1p-48) + 1e-302 && square < 1e300;
}
/// They have one, though it may be one only.
inline bool have_contact(const Ball& a, const Ball& b) noexcept {
  const double dx = a.center.x() - b.center.x(), dy = a.center.y() - b.center.y(),
               dz = a.center.z() - b.center.z();
  const double reach = a.radius + b.radius;
  return (dx * dx + dy * dy + dz * dz) * (1.0 + 0x1p-48) + 1e-302 <= reach * reach && reach < 1e150;
}

/// At most four of a list of balls, by their numbers: those that decide the smallest ball about
/// all.
struct BallBasis {
  std::array<int, 4> at{-1, -1, -1, -1};
  int size = 0;

  bool contains(int i) const noexcept {
    for (int k = 0; k < size; ++k) {
      if (at[static_cast<size_t>(k)] == i) return true;
    }
    return false;
  }
};

struct EnclosingBall {
  Ball ball;        ///< proven to hold all balls of the list
  BallBasis basis;  ///< the smallest ball about these is, up to rounding, the smallest about all
  int changes = 0;  ///< how often another ball had to enter the basis
};

/// The smallest ball that holds all balls of a list.
///
/// Starts at a basis, by default one of the balls, and takes in the ball that reaches farthest out
/// of the ball about the basis until none does: each step is the smallest ball about at most five.
/// [Fischer2004] shows why the ball that is left out decides it, and why the well-known way from
/// point to point fails for balls.
///
/// Rigor     `ball` holds all balls as they are given, whatever was rounded on the way: it is held
///           against each of them at the end. That it is the smallest is not proven; tests find it
///           so to 1e-9 of its radius.
/// Cost      O(n) for each change; four or so for n balls in any order, none from the basis of a
///           list that has moved a little. Allocates nothing.
/// Errors    std::invalid_argument where there is no ball, where one is not made of finite numbers
///           up to 1e50 with a radius of at least 0, or where `start` names one that is not there.
EnclosingBall enclosing_ball(std::span<const Ball> balls, const BallBasis& start = {});

}  // namespace catena
