#pragma once

#include <span>
#include <vector>

#include "catena/geometry/obb.hpp"
#include "catena/model/robot.hpp"

namespace catena {

/// Balanced binary tree over the geometries that a robot's links carry, along its kinematic tree.
///
/// A serial chain gets the ChainTree of the paper: every node holds a run of links. A tree is cut
/// into heavy paths; each path is such a chain, and the paths that hang from a link are leaves of
/// their own below that link. Node 0 is the root; the left child of node n is n + 1, the right one
/// comes after all that is below the left.
///
/// Frames    a node lives in the frame of its `anchor`, the link of it that is nearest the root.
///           Slot i (1 <= i < num_links) is the transform of joint i, X_PiLi; the slots after them
///           are shortcuts, products of two slots each, operands first.
/// Cost      build O(n log n) for n links and parts; depth O(log n).
/// Threads   immutable after construction: share it.
/// Source    [Lotan2002], section 3, for chains; heavy paths are ours.
class ChainTree {
 public:
  /// The bounds of one geometry, in the frame of the link that carries it.
  struct Part {
    LinkIndex link;
    Vector3d center = Vector3d::Zero();  ///< a ball that contains it
    double radius = 0.0;
    Obb box;  ///< contains it as well
    /// A third volume, for shapes such as capsules that it fits better: every point within
    /// line_radius of the segment box.center +- half_line. Infinite radius: none.
    Vector3d half_line = Vector3d::Zero();
    double line_radius = kInfinity;
    /// At least the size of every coordinate above, and of their sum; set by the tree.
    double reach = 0.0;
  };

  struct Node {
    int left = -1, right = -1;  ///< children; -1 for a leaf
    int parent = -1;
    int part = -1;      ///< of a leaf; -1 where a link carries nothing
    int num_parts = 0;  ///< in and below it
    LinkIndex anchor;
    int left_slot = 0, right_slot = 0;  ///< X_(anchor)(child's anchor); 0: the same frame
    bool rigid = true;                  ///< all of it on one link
  };

  /// Leaf::box of a part without one: its half_line is 0, or is not.
  static constexpr int kBall = -2, kLine = -1;
  /// A part as it is read when it is placed in W, 64 bytes, in its link's frame L, metres. box < 0:
  /// all of it is within `radius` of the segment center +- half_line. box >= 0: all of it is within
  /// `radius`, which is then rounding alone, of both the box and the ball of leaf_boxes()[box].
  struct Leaf {
    double center[3];
    float half_line[3], radius;
    float reach;  ///< at least Part::reach
    int link, node, part, box;
  };
  /// Half the edges of a box about the leaf's center, as columns, and a ball with its center
  /// as seen from there.
  struct LeafBox {
    float edges[9], ball_center[3], ball_radius;
  };
  /// An inner node, its right child (the left one is node + 1), and whether something in one of the
  /// two moves against something in the other.
  struct Merge {
    int node, right;
    bool moves;
  };

  /// A product of two slots: X_AC = X_AB * X_BC.
  struct Shortcut {
    int first, second;
    int user = 0;  ///< the shortcut that has this one as an operand; 0: none
  };

  ChainTree() = default;
  ChainTree(const Robot& robot, std::vector<Part> parts);

  std::span<const Node> nodes() const noexcept { return nodes_; }
  std::span<const Part> parts() const noexcept { return parts_; }
  int num_links() const noexcept { return static_cast<int>(links_.size()); }
  int num_slots() const noexcept { return num_links() + static_cast<int>(shortcuts_.size()); }
  /// Those of the slots from num_links on.
  std::span<const Shortcut> shortcuts() const noexcept { return shortcuts_; }
  int depth() const noexcept { return depth_; }

  /// Of every part, by links.
  std::span<const Leaf> leaves() const noexcept { return leaves_; }
  std::span<const LeafBox> leaf_boxes() const noexcept { return leaf_boxes_; }
  /// Of every inner node, children before their parents.
  std::span<const Merge> merges() const noexcept { return merges_; }

  /// The shortcut that joint i's transform is an operand of; 0: none.
  int user_of_joint(LinkIndex i) const noexcept { return link(i).user; }
  /// The lowest node in which joint i moves one part against another; every node above it contains
  /// it as well. -1: none.
  int node_of_joint(LinkIndex i) const noexcept { return link(i).joint_node; }

  /// Is `below` in the subtree of joint i, itself included? O(1).
  bool moves(LinkIndex i, LinkIndex below) const noexcept {
    return link(i).enter <= link(below).enter && link(below).enter < link(i).leave;
  }
  /// A walk of the tree enters link i's subtree at enter(i), and leaves it before leave(i).
  int enter(LinkIndex i) const noexcept { return link(i).enter; }
  int leave(LinkIndex i) const noexcept { return link(i).leave; }
  /// The last link that the ways from the root to a and to b share. O(log n).
  LinkIndex common_ancestor(LinkIndex a, LinkIndex b) const noexcept;

 private:
  struct Link {
    int enter = 0, leave = 0;  // of a walk that visits the subtree between them
    LinkIndex parent, head;    // head: the first link of its heavy path
    int user = 0, joint_node = -1;
  };
  void pack();
  const Link& link(LinkIndex i) const noexcept { return links_[static_cast<size_t>(i.value)]; }
  friend struct ChainTreeBuilder;

  std::vector<Part> parts_;
  std::vector<Node> nodes_;
  std::vector<Shortcut> shortcuts_;
  std::vector<Link> links_;
  std::vector<Leaf> leaves_;
  std::vector<LeafBox> leaf_boxes_;
  std::vector<Merge> merges_;
  int depth_ = 0;
};

}  // namespace catena
