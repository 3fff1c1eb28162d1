#pragma once

#include <span>

#include "catena/hierarchy/chain_tree.hpp"

namespace catena::internal {

/// The box of a chain tree's node, in a frame O of its own: centre at the origin, axes along it.
struct NodeVolume {
  Vector3d half = Vector3d::Zero();
  double radius = 0.0;  ///< of a ball about the origin that contains the node as well
  RigidEnclosure X_AO;  ///< in the node's anchor's frame
  /// The axes that it keeps while it changes: R_Oa, a's those of the left child's box, and how far
  /// these numbers may be from a rotation.
  Matrix3d R_Oa = Matrix3d::Identity();
  double turn_error = 0.0;
  bool empty = true;
};

/// What a traversal reads of a node, in floats: the box, rounded up, and where the children's boxes
/// are in its frame, with what the rounding of that may be.
///
/// Floats serve for telling apart what is clearly apart; 128 bytes, two lines of the cache.
struct alignas(64) NodeView {
  float half[3] = {0.0F, 0.0F, 0.0F};
  float radius = -1.0F;  ///< negative: the node is empty
  float left[12] = {};   ///< columns of R, then p
  float right[12] = {};
  float rotation_error = 0.0F;  ///< of both
  float left_error = 0.0F, right_error = 0.0F;
  float unused = 0.0F;

  bool empty() const noexcept { return radius < 0.0F; }
};

/// A rigid enclosure in floats (docs/rigor.md, R2, with their roundoff).
struct FloatPose {
  using Lanes [[gnu::vector_size(16)]] = float;
  Lanes x{}, y{}, z{}, p{};  ///< columns of R, and p; the fourth lanes mean nothing
  float rotation_error = 0.0F, position_error = 0.0F;
};

/// X_ab of the boxes' frames of a node's two children.
FloatPose between_children(const NodeView& node) noexcept;
/// From X_ab of two nodes to that of a child of a, or of b, and the other.
FloatPose to_left_of_a(const NodeView& a, const FloatPose& X_ab) noexcept;
FloatPose to_right_of_a(const NodeView& a, const FloatPose& X_ab) noexcept;
FloatPose to_left_of_b(const FloatPose& X_ab, const NodeView& b) noexcept;
FloatPose to_right_of_b(const FloatPose& X_ab, const NodeView& b) noexcept;

/// The box of a leaf.
NodeVolume leaf_volume(const ChainTree::Part& part) noexcept;
NodeView leaf_view(const NodeVolume& volume) noexcept;

/// The boxes of all nodes at given link poses, each fitted to the parts below it along their
/// principal axes. O(n log n).
/// Source    [Gottschalk1996], section 4.
void fit_volumes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
                 std::span<NodeVolume> volumes, std::span<NodeView> views);

/// Makes `node` and `view` a box around two others, a and b, whose anchors P knows. Along the axes
/// that the node has had relative to a, so long as it gets no larger; else along those of one of
/// the two, or along the line of their centres. nullptr: P is the anchor itself.
void merge_volumes(const NodeVolume& a, const RigidEnclosure* X_PA, const NodeVolume& b,
                   const RigidEnclosure* X_PB, NodeVolume& node, NodeView& view) noexcept;

/// Proven: the boxes are farther apart than `clearance`.
/// Source    [Gottschalk1996], section 5; the slack is docs/rigor.md, R3.
bool proven_apart(const NodeView& a, const NodeView& b, const FloatPose& X_ab,
                  float clearance) noexcept;

/// A float that is not below x.
float float_above(double x) noexcept;

}  // namespace catena::internal
