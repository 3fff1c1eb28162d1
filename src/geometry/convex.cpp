#include "catena/geometry/convex.hpp"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

double signed_like(double magnitude, double sign) noexcept {
  return sign < 0.0 ? -magnitude : magnitude;
}

}  // namespace

Vector3d ConvexShape::support(const Vector3d& d) const noexcept {
  switch (core) {
    case Core::kPoint:
      return center;
    case Core::kSegment:
      return {center.x(), center.y(), center.z() + signed_like(half.z(), d.z())};
    case Core::kTriangle: {
      const double d0 = d.dot(corners[0]), d1 = d.dot(corners[1]), d2 = d.dot(corners[2]);
      if (d0 >= d1) return d0 >= d2 ? corners[0] : corners[2];
      return d1 >= d2 ? corners[1] : corners[2];
    }
    case Core::kBox:
      return {center.x() + signed_like(half.x(), d.x()), center.y() + signed_like(half.y(), d.y()),
              center.z() + signed_like(half.z(), d.z())};
    case Core::kCylinder:
    case Core::kCone: {
      const double radial = std::hypot(d.x(), d.y());
      Vector3d base(center.x(), center.y(), center.z());
      if (radial > 0.0) {
        base.x() += half.x() * (d.x() / radial);
        base.y() += half.x() * (d.y() / radial);
      }
      if (core == Core::kCylinder) {
        base.z() += signed_like(half.z(), d.z());
        return base;
      }
      if (half.z() * d.z() >= half.x() * radial - half.z() * d.z()) {
        return {center.x(), center.y(), center.z() + half.z()};
      }
      base.z() -= half.z();
      return base;
    }
    case Core::kHull: {
      size_t best = 0;
      double farthest = -kInfinity;
      for (size_t i = 0; i < points.size(); ++i) {
        const double along = points[i].x() * d.x() + points[i].y() * d.y() + points[i].z() * d.z();
        if (along > farthest) {
          farthest = along;
          best = i;
        }
      }
      return points[best];
    }
    case Core::kHalfSpace:
      break;
  }
  return center;
}

Vector3d ConvexShape::core_center() const noexcept {
  if (core == Core::kTriangle) return (corners[0] + corners[1] + corners[2]) / 3.0;
  return center;
}

double ConvexShape::core_radius() const noexcept {
  switch (core) {
    case Core::kPoint:
      return core_error;
    case Core::kTriangle: {
      const Vector3d c = core_center();
      double farthest = 0.0, size = 0.0;
      for (const Vector3d& corner : corners) {
        farthest = std::max(farthest, (corner - c).norm());
        size = std::max(size, corner.norm());
      }
      return bound_above(farthest + 8 * kUnitRoundoff * size + core_error, 10);
    }
    case Core::kHalfSpace:
      return kInfinity;
    case Core::kHull:
      return bound_above(half.x() + core_error, 2);
    case Core::kSegment:
      return bound_above(half.z() + core_error, 2);
    case Core::kBox:
      return bound_above(half.norm() + core_error, 8);
    case Core::kCylinder:
    case Core::kCone:
      return bound_above(std::hypot(half.x(), half.z()) + core_error, 8);
  }
  return kInfinity;
}

}  // namespace catena
