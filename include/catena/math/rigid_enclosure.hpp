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
};

}  // namespace catena
