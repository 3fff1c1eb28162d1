#pragma once

#include "catena/math/rigid_transform.hpp"
#include "catena/math/rounding.hpp"

namespace catena {

/// A rigid transform with ball remainders: what is known of X_AB after rounding.
///
/// Denotes   every exact rigid motion (R, p) with ||R - X.R||_2 <= rotation_error and
///           |p - X.p| <= position_error. X.R itself need not be exactly orthogonal.
/// Rigor     every operation bounds its own rounding and adds it (docs/rigor.md, R2).
/// Cost      a product is one 3x4 product and some ten flops for the bounds.
struct RigidEnclosure {
  RigidTransform X;
  double rotation_error = 0.0;
  double position_error = 0.0;

  RigidEnclosure operator*(const RigidEnclosure& X_BC) const noexcept;
  RigidEnclosure inverse() const noexcept;
  /// X_BC of this X_AB and X_AC: inverse() * X_AC, in one product.
  RigidEnclosure inverse_times(const RigidEnclosure& X_AC) const noexcept;

  /// How far X * p_BQ may be from the exact point, for any |p_BQ| <= reach.
  double point_error(double reach) const noexcept;

  static RigidEnclosure identity() noexcept { return {}; }

  /// A pure translation; exact.
  static RigidEnclosure translation(const Vector3d& p) noexcept;

  /// URDF's origin: fixed-axis roll, pitch, yaw, that is Rz(yaw) Ry(pitch) Rx(roll).
  static RigidEnclosure from_rpy(const Vector3d& xyz, const Vector3d& rpy) noexcept;

  /// Quaternion (x, y, z, w), of any length but zero; the exact motion is that of the normalised
  /// one.
  static RigidEnclosure from_quaternion(const Vector3d& xyz, const Eigen::Vector4d& xyzw) noexcept;

  /// Rotation by an angle known to `angle_error` about a unit axis known to `axis_error`.
  static RigidEnclosure rotation(const Vector3d& axis, double axis_error, double angle,
                                 double angle_error) noexcept;

 private:
  // docs/rigor.md, R2, derives both.
  static constexpr double kProductRotation = 10 * kUnitRoundoff;
  static constexpr double kProductPosition = 8 * kUnitRoundoff;

  // The sum of the coordinates' sizes is no smaller than the norm, and takes no root.
  static double norm_above(const Vector3d& v) noexcept { return bound_above(v.lpNorm<1>(), 2); }

  static double product_rotation_error(double eA, double eB) noexcept {
    return bound_above(eB + eA * (1.0 + eB) + kProductRotation * (1.0 + eA) * (1.0 + eB), 10);
  }
};

inline RigidEnclosure RigidEnclosure::operator*(const RigidEnclosure& X_BC) const noexcept {
  const double eA = rotation_error;
  const double reach = norm_above(X_BC.X.p);
  RigidEnclosure X_AC;
  X_AC.X.R.noalias() = X.R.lazyProduct(X_BC.X.R);
  X_AC.X.p = X * X_BC.X.p;
  X_AC.rotation_error = product_rotation_error(eA, X_BC.rotation_error);
  X_AC.position_error = bound_above(position_error + X_BC.position_error + eA * reach +
                                        kProductPosition * (1.0 + eA) * (reach + norm_above(X.p)),
                                    10);
  return X_AC;
}

inline RigidEnclosure RigidEnclosure::inverse_times(const RigidEnclosure& X_AC) const noexcept {
  const double eA = rotation_error;
  const Vector3d between = X_AC.X.p - X.p;
  // The difference is off by a roundoff of itself; the product bounds cover that too.
  const double reach = norm_above(between);
  RigidEnclosure X_BC;
  X_BC.X.R.noalias() = X.R.transpose().lazyProduct(X_AC.X.R);
  X_BC.X.p.noalias() = X.R.transpose().lazyProduct(between);
  X_BC.rotation_error = product_rotation_error(eA, X_AC.rotation_error);
  X_BC.position_error = bound_above(
      position_error + X_AC.position_error + eA * reach + kProductPosition * (1.0 + eA) * reach,
      10);
  return X_BC;
}

inline RigidEnclosure RigidEnclosure::inverse() const noexcept {
  const double reach = norm_above(X.p);
  RigidEnclosure X_BA;
  X_BA.X = X.inverse();
  X_BA.rotation_error = rotation_error;
  X_BA.position_error = bound_above(
      position_error + rotation_error * reach + kProductPosition * (1.0 + rotation_error) * reach,
      10);
  return X_BA;
}

inline double RigidEnclosure::point_error(double reach) const noexcept {
  return bound_above(position_error + rotation_error * reach +
                         kProductPosition * (1.0 + rotation_error) * (reach + norm_above(X.p)),
                     10);
}

}  // namespace catena
