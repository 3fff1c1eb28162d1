#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/hierarchy/unchecked_nodes.hpp"

namespace catena::internal {

// Boxes of a chain tree's nodes, in floats: they tell apart what is clearly apart, and everything
// else is decided by transforms in doubles. Every number below is rounded outward, or comes with a
// bound of what its rounding may be (docs/rigor.md, R2 and R3, with the roundoff of floats).

/// Three coordinates; the fourth lane means nothing.
using FloatLanes [[gnu::vector_size(16)]] = float;

/// The frame O of a node's box, in the node's anchor's frame A: origin at the box's centre.
///
/// Denotes   the exact orthogonal matrix that lies within turn_error of (x, y, z), and exactly the
///           origin c.
struct NodeBox {
  FloatLanes x{}, y{}, z{}, c{};
  float turn_error = 0.0F;
  float fitted = 0.0F;  ///< half the box's surface when these axes were chosen
};

/// What a traversal reads of a node: the box, and where the children's boxes are in its frame.
/// 128 bytes, two lines of the cache.
struct alignas(64) NodeView {
  float half[3] = {0.0F, 0.0F, 0.0F};
  float radius = -1.0F;  ///< of a ball about the origin that contains it too; negative: empty
  float left[12] = {};   ///< rows of R_OO', then p
  float right[12] = {};
  float rotation_error = 0.0F, position_error = 0.0F;  ///< of both
  /// What never changes: the right child (the left one comes next after the node itself), or minus
  /// one minus the part of a leaf; and where a walk of the links enters the anchor.
  int child = -1, enter = 0;

  bool empty() const noexcept { return radius < 0.0F; }
  bool is_leaf() const noexcept { return child < 0; }
  int part() const noexcept { return -1 - child; }
};

/// A rigid enclosure in floats.
struct FloatPose {
  FloatLanes x{}, y{}, z{}, p{};  ///< columns of R, and p
  float rotation_error = 0.0F, position_error = 0.0F;
};

/// X_ab of the boxes' frames of a node's two children.
FloatPose between_children(const NodeView& node) noexcept;
/// From X_ab of two nodes to that of a child of a, or of b, and the other.
FloatPose to_left_of_a(const NodeView& a, const FloatPose& X_ab) noexcept;
FloatPose to_right_of_a(const NodeView& a, const FloatPose& X_ab) noexcept;
FloatPose to_left_of_b(const FloatPose& X_ab, const NodeView& b) noexcept;
FloatPose to_right_of_b(const FloatPose& X_ab, const NodeView& b) noexcept;

/// The boxes of all nodes at given link poses, each fitted to the parts below it: along their
/// principal axes, the anchor's or a child's, whichever box is smallest. O(n log n).
/// Source    [Gottschalk1996], section 4.
void fit_boxes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
               std::span<NodeBox> boxes, std::span<NodeView> views);

/// Makes the boxes of `nodes`, children before their parents; slots as ChainTree numbers them. What
/// is below a node must be up to date or named before it. A box keeps the axes that it has in the
/// anchor's frame, and is made around the children's boxes, so long as it is not much larger than
/// when the axes were chosen; else it holds what the children's boxes and the children's children's
/// have in common along each axis; and if that is much larger too, it gets new axes: these, a
/// child's, or along the line of the two centres.
void merge_boxes(const ChainTree& tree, std::span<const int> nodes, const RigidEnclosure* slots,
                 NodeBox* boxes, NodeView* views);

/// Which links share a piece that none of some joints divides: a number for each place in a walk of
/// the links, or else (nullptr) the range of that walk below each of the joints.
struct Pieces {
  const int* numbers = nullptr;
  std::span<const std::pair<int, int>> ranges;

  /// Of two links, by where the walk enters them.
  bool together(int a, int b) const noexcept {
    if (numbers != nullptr) return numbers[a] == numbers[b];
    for (const auto& [enter, leave] : ranges) {
      if ((enter <= a && a < leave) != (enter <= b && b < leave)) return false;
    }
    return true;
  }
};

/// What walk_pairs reads, and what it finds.
struct PairWalk {
  const NodeView* views;
  /// Of nodes: `marking` where a part moves against another of them. nullptr: everywhere, so that
  /// all pairs are looked at.
  const std::uint32_t* marks;
  std::uint32_t marking;
  Pieces pieces;  ///< that nothing moves within
  float clearance;
  std::uint64_t most_visited;
  /// Two parts that are not proven apart; true: the walk ends.
  bool (*meet_parts)(void* context, int i, int k);
  void* context;
  const UncheckedNodes* unchecked = nullptr;  ///< pairs that are left out; nullptr: none

  std::uint64_t visited = 0;  ///< pairs of nodes
  bool gave_up = false;       ///< more than most_visited
};

/// Is it the first of two nodes that are not apart that a traversal divides, or the second?
inline bool divides_first(const NodeView& a, const NodeView& b) noexcept {
  return b.is_leaf() || (!a.is_leaf() && a.radius >= b.radius);
}

/// Takes, of each of the nodes, its two children against each other, down to the parts; of two
/// parts that one joint moves those next to it come first. True if it ended early.
bool walk_pairs(PairWalk& walk, std::span<const int> nodes);

/// Proven: the boxes are farther apart than `clearance`.
/// Source    [Gottschalk1996], section 5; the slack is docs/rigor.md, R3.
bool proven_apart(const NodeView& a, const NodeView& b, const FloatPose& X_ab,
                  float clearance) noexcept;

/// A lower bound of the boxes' distance, from their balls and their own axes; negative: none.
/// Source    docs/rigor.md, R8: the gaps along three perpendicular axes add up as squares.
double gap_below(const NodeView& a, const NodeView& b, const FloatPose& X_ab) noexcept;

}  // namespace catena::internal
