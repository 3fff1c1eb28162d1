#pragma once

#include <span>

#include "catena/hierarchy/chain_tree.hpp"

namespace catena::internal {

/// The box of a chain tree's node, in a frame O of its own: centre at the origin, axes along it.
struct NodeVolume {
  Vector3d half = Vector3d::Zero();
  double radius = 0.0;         ///< of a ball about the origin that contains the node as well
  RigidEnclosure left, right;  ///< X_OO' of the children's boxes
  RigidEnclosure X_AO;         ///< in the node's anchor's frame
  bool empty = true;
};

/// The box of a leaf.
NodeVolume leaf_volume(const ChainTree::Part& part) noexcept;

/// The boxes of all nodes at given link poses, each fitted to the parts below it along their
/// principal axes. O(n log n).
/// Source    [Gottschalk1996], section 4.
void fit_volumes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
                 std::span<NodeVolume> volumes);

/// A box around two others, a and b, whose anchors P knows. Along the axes that `before`, the same
/// node's last box, has relative to a, so long as that is no larger; else along those of one of the
/// two, or along the line of their centres.
NodeVolume merged_volume(const NodeVolume& a, const RigidEnclosure& X_PA, const NodeVolume& b,
                         const RigidEnclosure& X_PB, const NodeVolume& before) noexcept;

/// Proven: the boxes are farther apart than `clearance`, b's frame given in a's.
/// Source    [Gottschalk1996], section 5; the slack is docs/rigor.md, R3.
bool proven_apart(const NodeVolume& a, const NodeVolume& b, const RigidEnclosure& X_ab,
                  double clearance) noexcept;

}  // namespace catena::internal
