#include "catena/math/rigid_enclosure.hpp"

#include <cmath>

namespace catena {
namespace {

// docs/rigor.md, R2; u is the unit roundoff.
constexpr double kElementaryRotation = 64 * kUnitRoundoff;

}  // namespace

RigidEnclosure RigidEnclosure::translation(const Vector3d& p) noexcept {
  return {{Matrix3d::Identity(), p}, 0.0, 0.0};
}

RigidEnclosure RigidEnclosure::from_rpy(const Vector3d& xyz, const Vector3d& rpy) noexcept {
  if (rpy.isZero(0.0)) return translation(xyz);
  const double cr = std::cos(rpy.x()), sr = std::sin(rpy.x());
  const double cp = std::cos(rpy.y()), sp = std::sin(rpy.y());
  const double cy = std::cos(rpy.z()), sy = std::sin(rpy.z());
  RigidEnclosure X;
  X.X.R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,       //
      -sp, cp * sr, cp * cr;
  X.X.p = xyz;
  X.rotation_error = kElementaryRotation;
  return X;
}

RigidEnclosure RigidEnclosure::from_quaternion(const Vector3d& xyz,
                                               const Eigen::Vector4d& xyzw) noexcept {
  // Scaled by a power of two, which is exact, so that the squares neither overflow nor vanish.
  const double largest = xyzw.cwiseAbs().maxCoeff();
  const Eigen::Vector4d q = xyzw * std::ldexp(1.0, -std::ilogb(largest));
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  if (x == 0.0 && y == 0.0 && z == 0.0) return translation(xyz);
  const double s = 2.0 / q.squaredNorm();
  RigidEnclosure X;
  X.X.R << 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w),  //
      s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w),       //
      s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y);
  X.X.p = xyz;
  X.rotation_error = kElementaryRotation;
  return X;
}

RigidEnclosure RigidEnclosure::rotation(const Vector3d& axis, double axis_error, double angle,
                                        double angle_error) noexcept {
  RigidEnclosure X;
  if (angle == 0.0) {
    X.rotation_error = angle_error;
    return X;
  }
  const double c = std::cos(angle), s = std::sin(angle);
  const Vector3d sa = s * axis;
  const Vector3d ca = (1.0 - c) * axis;
  X.X.R << c + ca.x() * axis.x(), ca.x() * axis.y() - sa.z(), ca.x() * axis.z() + sa.y(),  //
      ca.y() * axis.x() + sa.z(), c + ca.y() * axis.y(), ca.y() * axis.z() - sa.x(),       //
      ca.z() * axis.x() - sa.y(), ca.z() * axis.y() + sa.x(), c + ca.z() * axis.z();
  X.rotation_error = bound_above(5.0 * axis_error + angle_error + kElementaryRotation, 4);
  return X;
}

}  // namespace catena
