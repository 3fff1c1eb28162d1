#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catena/math/rigid_enclosure.hpp"
#include "catena/model/indices.hpp"

namespace catena {

enum class JointType : std::uint8_t {
  kFixed,       ///< only in descriptions: fixed joints are merged when the model is built
  kRevolute,    ///< 1 value: angle
  kContinuous,  ///< 1 value: angle, the shorter way round
  kPrismatic,   ///< 1 value: travel along the axis
  /// 3 values: x, y in the plane normal to the axis, angle about the axis. Its x and y are J's,
  /// turned by the shortest rotation from z to the axis; for -z by half a turn about J's x.
  kPlanar,
  kFloating,  ///< 7 values: x y z qx qy qz qw
  kBall,      ///< 4 values: qx qy qz qw
};

/// Number of position values of a joint of this type: 0, 1, 3, 4 or 7.
int num_values(JointType type) noexcept;
const char* name_of(JointType type) noexcept;

/// value = multiplier * (value of the source) + offset, in real arithmetic; known to the errors.
struct Mimic {
  LinkIndex source;  ///< an active joint, never a mimic itself
  double multiplier = 1.0;
  double offset = 0.0;
  double multiplier_error = 0.0;
  double offset_error = 0.0;
};

/// The joint that moves one link in its parent's frame P: X_PL(q) = X_PJ * M(q).
struct Joint {
  std::string name;
  JointType type = JointType::kRevolute;
  LinkIndex parent;
  RigidEnclosure X_PJ;
  Vector3d axis = Vector3d::UnitX();  ///< unit, in J; each component to 4 roundoffs, relatively
  double axis_error = 0.0;            ///< |exact unit axis - axis|
  double lower = -kInfinity;          ///< infinite where unlimited; planar, floating, ball: unused
  double upper = kInfinity;
  int q_index = -1;  ///< first of its values in a robot's position vector; -1 for a mimic joint
  bool passive = false;
  std::optional<Mimic> mimic;
};

}  // namespace catena
