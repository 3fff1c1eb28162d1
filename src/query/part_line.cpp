#include "part_line.hpp"

#include <algorithm>
#include <cmath>

namespace catena::internal {

PartLine::PartLine(const ChainTree::Part& part, const RigidEnclosure& X_WL) noexcept {
  const Vector3d& center_L = has_line(part) ? part.box.center : part.center;
  const Vector3d half_L = has_line(part) ? part.half_line : Vector3d(Vector3d::Zero());
  center = X_WL.X * center_L;
  half = X_WL.X.R * half_L;
  radius = bound_above((has_line(part) ? part.line_radius : part.radius) +
                           2.0 * X_WL.point_error(center_L.norm() + half_L.norm()),
                       8);
}

// Along the way from the line's nearest point to the box's centre, the gap of a point of the line,
// less what it may go, is concave between the ends: these have the least.
bool PartLine::may_meet(const FloatBox& box, double clearance) const noexcept {
  const Vector3d half_box = 0.5 * (box.upper() - box.lower());
  const Vector3d to = box.lower() + half_box - center;
  const double squared = half.squaredNorm();
  const double share = squared > 0.0 ? std::clamp(to.dot(half) / squared, -1.0, 1.0) : 0.0;
  const Vector3d nearest = to - share * half;
  // Shorter, its square may have vanished, and a direction with it.
  const double distance = nearest.norm();
  if (!(distance > 1e-140)) return true;
  const Vector3d n = nearest / distance;
  const double middle = n.dot(to), along = n.dot(half);
  const double speed = n.dot(velocity), half_speed = n.dot(half_velocity);
  const double unknown =
      64.0 * kUnitRoundoff * (to.norm() + half.norm() + center.norm() + half_box.norm());
  const double reach = bound_above(half_box.norm() + radius + slack + clearance + unknown, 16);
  // No number at either end drops nothing.
  return !(middle - along - std::abs(speed + half_speed) > reach &&
           middle + along - std::abs(speed - half_speed) > reach);
}

}  // namespace catena::internal
