#pragma once

#include <array>
#include <cstdint>

namespace catena {

/// A revolute or continuous joint as forward kinematics reads it: all that it needs in 144 bytes,
/// one after another in the order of the links. Metres, radians; docs/rigor.md, R2.
struct TurningJoint {
  /// What it turns about: an axis of J, or any other (see Robot); kNone for joints of other kinds,
  /// of which nothing else here but q_index has a meaning.
  enum class Axis : std::int16_t { kX, kY, kZ, kOblique, kNone };

  std::array<double, 12> frame{};  ///< R_PJ by columns, then p_PJ
  /// Angles that are taken as they are: within the limits and +-1e6, or for a continuous joint
  /// +-pi; others are reduced, clamped or refused.
  double lower = 0.0, upper = 0.0;
  /// What this joint adds to the error of its link's rotation, at the angle 0 and at any other, and
  /// of its position, rounding included.
  float still_error = 0.0F, turned_error = 0.0F, position_error = 0.0F;
  float reach = 0.0F;  ///< more than the sum of the sizes of p_PJ's coordinates
  std::int32_t parent = 0;
  /// -1: takes the general way (a mimic, or a frame known worse than 1e-9).
  std::int32_t q_index = -1;
  Axis axis = Axis::kNone;
  std::int16_t sign = 1;     ///< -1: it turns about minus that axis
  std::int32_t oblique = 0;  ///< of kOblique: index into Robot::oblique_turns()
};

/// R_PL = still + sin(angle) sine + cos(angle) cosine, each by columns and one number of padding
/// (docs/rigor.md, R2).
struct ObliqueTurn {
  std::array<double, 10> still{}, sine{}, cosine{};
};

}  // namespace catena
