#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <Eigen/Core>

#include "catena/math/rigid_enclosure.hpp"

namespace catena {

using Eigen::Vector3d;

/// A convex solid as the queries see it: a core with a support function, thickened by a ball.
///
/// Sphere: a point core; capsule: a segment core; others: themselves, radius 0 (a mesh's: padding).
/// Denotes   { x + y : x in core, |y| <= radius }, in one frame, metres; core to core_error.
struct ConvexShape {
  enum class Core : std::uint8_t {
    kPoint,      ///< center
    kSegment,    ///< center +- half[2] z
    kTriangle,   ///< corners
    kBox,        ///< center +- half
    kCylinder,   ///< axis z through center, radius half[0], half height half[2]
    kCone,       ///< as kCylinder, apex at +half[2]
    kHull,       ///< convex hull of `points`, within half[0] of center
    kHalfSpace,  ///< normal . x <= offset, normal in `center`, offset in half[0]
  };

  Core core = Core::kPoint;
  Vector3d center = Vector3d::Zero();
  Vector3d half = Vector3d::Zero();
  std::array<Vector3d, 3> corners{};
  double radius = 0.0;
  double core_error = 0.0;
  std::span<const Vector3d> points{};  ///< of a hull; the geometry that made it owns them

  /// Where the core reaches farthest in the direction d (not a half-space). O(1); a hull:
  /// O(points).
  Vector3d support(const Vector3d& d) const noexcept;

  /// A ball that contains the core: its centre, and an upper bound of its radius.
  Vector3d core_center() const noexcept;
  double core_radius() const noexcept;
};

}  // namespace catena
