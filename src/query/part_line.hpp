#pragma once

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/hierarchy/float_box.hpp"

namespace catena::internal {

/// A part, in W, as all that is within `radius` of a segment, which may move: a cheap look before
/// an exact test. Where no segment fits it better, that is its ball's centre.
///
/// Rigor     the part is where the pose's enclosure says; rounding is counted (docs/rigor.md, R12).
/// Cost      O(1).
struct PartLine {
  Vector3d center = Vector3d::Zero(), half = Vector3d::Zero();  ///< center +- half, of one moment
  Vector3d velocity = Vector3d::Zero(), half_velocity = Vector3d::Zero();  ///< in units of its time
  double radius = 0.0;
  double slack = 0.0;  ///< what a velocity times |time| <= 1 leaves out

  PartLine() = default;
  /// Standing still.
  PartLine(const ChainTree::Part& part, const RigidEnclosure& X_WL) noexcept;

  /// Is there a segment at all?
  static bool has_line(const ChainTree::Part& part) noexcept {
    return part.line_radius < part.radius;
  }

  /// False only if the part is proven to stay farther than `clearance` from the box.
  bool may_meet(const FloatBox& box, double clearance) const noexcept;
};

}  // namespace catena::internal
