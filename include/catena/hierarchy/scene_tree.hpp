#pragma once

#include <span>
#include <vector>

#include "catena/hierarchy/float_box.hpp"
#include "catena/model/robot.hpp"

namespace catena {

/// Binary tree of boxes along the axes of W over what does not move: the convex elements of all
/// geometries of a scene in one tree, and the geometries themselves in another.
///
/// Cost      build O(n log n); about 80 bytes an element.
/// Threads   immutable after construction: share it.
/// Source    splits by the surface area heuristic, [Wald2007].
class SceneTree {
 public:
  struct Node {
    int left = -1;  ///< children `left` and `left + 1`; -1 for a leaf
    int geometry =
        -1;            ///< that all below is of: its number in the list that the tree was made from
    int element = -1;  ///< of a leaf, among the geometry's elements
  };

  /// Boxes apart from the rest, because tests read little else.
  struct Tree {
    std::vector<FloatBox> boxes;
    std::vector<Node> nodes;  ///< node 0 is the root; empty if nothing is bounded
  };

  SceneTree() = default;
  /// X_FG of the geometries is X_WG.
  explicit SceneTree(std::span<const PlacedGeometry> geometries);

  const Tree& elements() const noexcept { return elements_; }
  /// One leaf a geometry; `element` is -1.
  const Tree& geometries() const noexcept { return geometries_; }
  /// As `geometries`, only those that are solid meshes: others are told apart by their elements.
  const Tree& solids() const noexcept { return solids_; }
  /// Half-spaces, which no box bounds.
  std::span<const int> unbounded() const noexcept { return unbounded_; }

 private:
  Tree elements_, geometries_, solids_;
  std::vector<int> unbounded_;
};

}  // namespace catena
