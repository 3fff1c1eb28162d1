#pragma once

#include "catena/math/rigid_enclosure.hpp"

namespace catena::internal {

/// A rigid motion X_AB over a span of time, to a given order, with ball remainders.
///
/// With u in [-1, 1] the time from the middle of the span in units of its half, P(u) = R[0] + R[1]
/// u
/// + ... and s(u) = p[0] + p[1] u + ...
///
/// Denotes   every exact motion (R*, p*) with ||R*(u) - P(u)||_2 <= rotation_error and
///           |p*(u) - s(u)| <= position_error for all u, and in the middle, u = 0, within the two
///           errors that are named so.
/// Rigor     every operation bounds what it cuts off and its own rounding, and adds both; a number
///           that is none comes out as none, so that nothing is proven by it (docs/rigor.md, R12).
/// Cost      a product is (Order + 1)(Order + 2) / 2 products of matrices; one where nothing moves.
///           The same numbers on every instruction set.
/// Source    [Zhang2007] for models along a chain; the ball remainders are our own.
template <int Order>
struct RigidTaylor {
  static_assert(1 <= Order && Order <= 3);
  /// R[k][j]: column j of the coefficient of u^k. Fourth lanes are no coordinates.
  double R[Order + 1][3][4] = {};
  double p[Order + 1][4] = {};
  double rotation_error = 0.0, position_error = 0.0;
  double mid_rotation_error = 0.0, mid_position_error = 0.0;
  /// At least the Frobenius norm of R[k], and the length of p[k].
  double turn[Order + 1] = {}, shift[Order + 1] = {};
  bool moves = false;  ///< false: the coefficients above the first are 0

  /// What stands still.
  static RigidTaylor still(const RigidEnclosure& X) noexcept;
  static RigidTaylor identity() noexcept { return still(RigidEnclosure::identity()); }

  /// The motion in the middle.
  RigidEnclosure middle() const noexcept;
};

/// Where the origin of a frame, or any other point, goes: q[0] + q[1] u + ..., within `error`.
template <int Order>
struct PointTaylor {
  double q[Order + 1][4] = {};
  double error = 0.0;
  double size = 0.0;  ///< at least the sum of the coefficients' lengths
};

// out may be none of the operands.

/// X_AC = X_AB * X_BC.
template <int Order>
void multiply(const RigidTaylor<Order>& X_AB, const RigidTaylor<Order>& X_BC,
              RigidTaylor<Order>& X_AC) noexcept;
/// X_BC of X_AB and X_AC.
template <int Order>
void inverse_times(const RigidTaylor<Order>& X_AB, const RigidTaylor<Order>& X_AC,
                   RigidTaylor<Order>& X_BC) noexcept;
/// X_AB of X_AC and X_BC.
template <int Order>
void times_inverse(const RigidTaylor<Order>& X_AC, const RigidTaylor<Order>& X_BC,
                   RigidTaylor<Order>& X_AB) noexcept;
/// X_BA of X_AB.
template <int Order>
void invert(const RigidTaylor<Order>& X_AB, RigidTaylor<Order>& X_BA) noexcept;
/// The point x_B, in A.
template <int Order>
void move_point(const RigidTaylor<Order>& X_AB, const double* x_B,
                PointTaylor<Order>& q_A) noexcept;

}  // namespace catena::internal
