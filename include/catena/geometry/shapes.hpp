#pragma once

#include <variant>

#include <Eigen/Core>

namespace catena {

using Eigen::Vector3d;

// The solids of URDF and of scenes, each in its own frame G, metres. All are closed sets.

struct Sphere {
  double radius = 0.0;
};

/// Every point within `radius` of the segment on the z axis from -length/2 to length/2.
struct Capsule {
  double radius = 0.0;
  double length = 0.0;
};

/// Centred; `size` holds the full edges.
struct Box {
  Vector3d size = Vector3d::Zero();
};

/// Centred, axis z.
struct Cylinder {
  double radius = 0.0;
  double length = 0.0;
};

/// Base of the given radius at z = -length/2, apex at z = +length/2.
struct Cone {
  double radius = 0.0;
  double length = 0.0;
};

/// Every x with normal . x <= offset: the normal points out of the solid. It need not be unit.
struct HalfSpace {
  Vector3d normal = Vector3d::UnitZ();
  double offset = 0.0;
};

/// Metres: no size or coordinate may be larger, so that their products stay far from overflow.
inline constexpr double kMaxLength = 1e50;

using Primitive = std::variant<Sphere, Capsule, Box, Cylinder, Cone, HalfSpace>;

}  // namespace catena
