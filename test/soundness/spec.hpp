#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace catena::oracle {

// What a robot and a scene are made of, in plain numbers that the engine's model and the oracle are
// both built from, each by code of its own. Metres, radians.

struct ShapeSpec {
  enum class Kind { kSphere, kCapsule, kBox, kCylinder, kCone, kHalfSpace, kMesh };

  Kind kind = Kind::kSphere;
  /// Sphere: radius; capsule, cylinder, cone: radius, length; box: edges; half-space: normal.
  std::array<double, 3> size{};
  double offset = 0.0;  ///< of a half-space
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  bool solid = false;  ///< of a mesh: closed, so that its inside is occupied
};

struct PoseSpec {
  std::array<double, 3> xyz{};
  std::array<double, 3> rpy{};
};

struct PlacedSpec {
  ShapeSpec shape;
  PoseSpec pose;
};

struct LinkSpec {
  std::string name;
  std::vector<PlacedSpec> collision;
  int robot = 0;  ///< of several that share the world: across them every pair is checked
};

enum class JointKind {
  kFixed,
  kRevolute,
  kContinuous,
  kPrismatic,
  kPlanar,    ///< x, y, angle
  kFloating,  ///< x y z qx qy qz qw
  kBall       ///< qx qy qz qw
};

inline int num_values(JointKind kind) {
  switch (kind) {
    case JointKind::kFixed:
      return 0;
    case JointKind::kPlanar:
      return 3;
    case JointKind::kFloating:
      return 7;
    case JointKind::kBall:
      return 4;
    default:
      return 1;
  }
}

struct JointSpec {
  std::string name;
  JointKind kind = JointKind::kFixed;
  std::string parent, child;
  PoseSpec origin;
  std::array<double, 3> axis{1.0, 0.0, 0.0};
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::string mimic;  ///< name of the joint that is followed, or ""
  double multiplier = 1.0, offset = 0.0;
};

/// Joints are listed parents first. A configuration holds the values of the joints that are neither
/// fixed nor mimic, in the order of this list.
struct RobotSpec {
  std::string name;
  std::vector<LinkSpec> links;
  std::vector<JointSpec> joints;
  std::vector<std::pair<std::string, std::string>> disabled;
};

struct SceneSpec {
  struct Object {
    std::string name;
    std::vector<PlacedSpec> geometries;
  };
  std::vector<Object> objects;
  struct Attached {
    Object object;
    std::string link;  ///< in whose frame it is placed
  };
  std::vector<Attached> attached;
  std::vector<std::pair<std::string, std::string>> allowed;
};

/// The spline between two points of a trajectory, value by value. No accelerations: cubic; no
/// velocities: straight.
struct SplineSpec {
  std::vector<double> q0, q1, v0, v1, a0, a1;
  double duration = 1.0;
};

}  // namespace catena::oracle
