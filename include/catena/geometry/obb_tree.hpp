#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "catena/geometry/convex.hpp"
#include "catena/geometry/obb.hpp"

namespace catena {

/// How a tree is built. Every choice gives proven enclosures; they differ in tightness and time.
struct ObbTreeOptions {
  /// Whose covariance gives the axes of a box. Groups in a plane or on a line are fitted in it.
  enum class Fit : std::uint8_t {
    kVertices,      ///< the elements' points; dense spots pull the axes towards them
    kHullVertices,  ///< the vertices of the points' convex hull: blind to what lies inside
    kHullSurface,   ///< the hull's surface, in closed form: blind to how it is tessellated, too
  };
  /// Where a group is cut, along the longest axis of its box; else along the next ones.
  enum class Split : std::uint8_t { kMean, kMedian };

  Fit fit = Fit::kVertices;
  Split split = Split::kMean;
};

/// Binary tree of oriented boxes over a list of convex elements.
///
/// Node 0 is the root. The two children of a node are neighbours and come after it; a leaf holds
/// one element. Where no axis divides a group, as in one of equal elements, their numbers do.
/// Denotes   each box contains the elements below it, their radius and errors included.
/// Cost      build O(n log n) (with hulls, O(n log^2 n) for most inputs), depth O(log n). 2n - 1
///           nodes of two cache lines: 256 bytes an element. A build by vertices takes 4 bytes an
///           element and 64 kB more while it runs, and 40 for each point of those that lie in one
///           plane (a triangle has three); one by hulls about 1 kB an element.
/// Source    [Gottschalk1996], section 4, with a limit on uneven cuts of our own.
class ObbTree {
 public:
  struct alignas(64) Node {
    Obb box;
    std::int32_t left = -1;     ///< children: left and right() = left + 1; -1 for a leaf
    std::int32_t element = -1;  ///< of a leaf
    std::int32_t right() const noexcept { return left + 1; }
  };

  ObbTree() = default;
  /// `element(i)` for 0 <= i < n; no half-spaces. n >= 1.
  ObbTree(int n, const std::function<ConvexShape(int)>& element,
          const ObbTreeOptions& options = {});
  /// Triangles thickened by `thickness`, their errors included. At least one; indices in range.
  ObbTree(std::span<const Vector3d> vertices, std::span<const std::array<int, 3>> triangles,
          double thickness, const ObbTreeOptions& options = {});

  std::span<const Node> nodes() const noexcept { return nodes_; }
  bool empty() const noexcept { return nodes_.empty(); }
  int depth() const noexcept { return depth_; }

 private:
  template <class Source>
  void build(int n, const Source& source, const ObbTreeOptions& options);

  std::vector<Node> nodes_;
  int depth_ = 0;
};

}  // namespace catena
