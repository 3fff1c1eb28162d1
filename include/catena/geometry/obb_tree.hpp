#pragma once

#include <functional>
#include <span>
#include <vector>

#include "catena/geometry/convex.hpp"
#include "catena/geometry/obb.hpp"

namespace catena {

/// Binary tree of oriented boxes over a list of convex elements.
///
/// Node 0 is the root. Children come after their parent; a leaf holds one element.
/// Denotes   each box contains the elements below it, their radius and errors included.
/// Cost      build O(n log n); 2n - 1 nodes of 136 bytes.
/// Source    [Gottschalk1996], section 4: boxes along the principal axes of the elements' points,
///           split at the mean along the longest axis.
class ObbTree {
 public:
  struct Node {
    Obb box;
    int left = -1;  ///< children, left and right; -1 for a leaf
    int right = -1;
    int element = -1;  ///< of a leaf
  };

  ObbTree() = default;
  /// `element(i)` for 0 <= i < n; no half-spaces. n >= 1.
  ObbTree(int n, const std::function<ConvexShape(int)>& element);

  std::span<const Node> nodes() const noexcept { return nodes_; }
  bool empty() const noexcept { return nodes_.empty(); }
  int depth() const noexcept { return depth_; }

 private:
  std::vector<Node> nodes_;
  int depth_ = 0;
};

}  // namespace catena
