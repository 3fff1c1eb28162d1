#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "catena/geometry/convex.hpp"
#include "catena/geometry/triangle_mesh.hpp"
#include "catena/math/interval.hpp"
#include "catena/math/rigid_enclosure.hpp"

namespace catena {

/// Binary tree of convex hulls over the triangles of a mesh, cut into convex patches.
///
/// A patch is a connected piece of the surface all of whose triangles lie on the boundary of their
/// common hull, up to 1e-6 of the mesh's diagonal, at most 2,048 of them; a triangle without an
/// area is one of its own. Above the patches the tree joins them, below it halves them, down to
/// single triangles.
///
/// Denotes   each node denotes the hull of its points, in the mesh's frame, metres.
/// Rigor     every triangle below a node lies within `slack` of that hull, rounding included;
///           `vertex_error` comes on top (docs/rigor.md, R3).
/// Cost      build O(n log^2 n) for most inputs, for patches O(n) times the triangles of a patch;
///           depth O(log n).
/// Threads   immutable after construction: share it.
/// Errors    std::invalid_argument for a mesh without triangles, with indices out of range, or with
///           coordinates that are no numbers or beyond 1e50.
/// Source    [Ehmann2001], whose distances [Zhang2007] uses; the cuts above and below are our own.
class HullTree {
 public:
  struct Node {
    Vector3d center = Vector3d::Zero();  ///< of a ball around all that lies below, errors included
    double radius = 0.0;
    double slack = 0.0;  ///< metres
    std::int32_t first_point = 0, num_points = 0;
    std::int32_t first_block = -1;
    std::int32_t first_triangle = 0, num_triangles = 0;
    std::int32_t left = -1;  ///< children: left and right() = left + 1; -1 for a triangle
    std::int32_t right() const noexcept { return left + 1; }
  };

  explicit HullTree(const TriangleMesh& mesh);

  std::span<const Node> nodes() const noexcept { return nodes_; }
  const Node& node(int i) const noexcept { return nodes_[static_cast<size_t>(i)]; }
  /// Vertices of the node's hull.
  std::span<const Vector3d> points(const Node& node) const noexcept {
    return std::span(points_).subspan(static_cast<size_t>(node.first_point),
                                      static_cast<size_t>(node.num_points));
  }
  /// The mesh's numbers of the triangles below the node.
  std::span<const int> triangles(const Node& node) const noexcept {
    return std::span(order_).subspan(static_cast<size_t>(node.first_triangle),
                                     static_cast<size_t>(node.num_triangles));
  }
  /// The patch of every triangle of the mesh.
  std::span<const int> patches() const noexcept { return patches_; }
  int num_patches() const noexcept { return num_patches_; }

  ConvexShape triangle(int i) const noexcept;
  double vertex_error() const noexcept { return vertex_error_; }

  /// The number, in points(node), of one that lies no nearer along d than any other, up to
  /// rounding. `guess` >= 0 is where to begin. Looks at all that could be farther.
  int farthest(const Node& node, const Vector3d& d, int guess) const noexcept;
  /// The same along the hull's edges, from `from`: a proposal, as rounding may end the climb early.
  int climb(const Node& node, const Vector3d& d, int from, std::uint64_t& steps) const noexcept;

  /// A triangle that has all of these points of the node for corners, or -1.
  int triangle_with(const Node& node, std::span<const int> points) const noexcept;

  /// Bytes of the tree, the mesh included.
  size_t memory() const noexcept;
  /// Differs from that of every other tree made by this process; copies share it.
  std::uint64_t id() const noexcept { return id_; }

 private:
  struct Block {  // a box around up to kBlock points of a large hull
    Vector3d center, half;
  };
  void build_nodes();
  void split_patches(int node, std::span<int> patches, const std::vector<std::vector<int>>& members,
                     const std::vector<Vector3d>& centers);
  void split_triangles(int node, std::span<int> triangles);
  void add_children(int node);
  void build_hull(Node& node);
  static Block box_around(std::span<const Vector3d> inside) noexcept;
  void store_points(Node& node, std::span<const int> candidates, std::span<const Vector3d> points,
                    std::vector<int>& kept, std::vector<std::pair<int, int>> edges);
  double distance_above(const Node& node, const Vector3d& x) const noexcept;

  std::vector<Vector3d> vertices_;
  std::vector<std::array<int, 3>> triangles_;  // of welded vertices
  double vertex_error_ = 0.0;
  std::vector<int> patches_;
  int num_patches_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<Vector3d> points_;
  std::vector<int> point_vertices_;  // of each point, the mesh's welded vertex
  std::vector<int> link_starts_;     // of each point, into links_, and the end of the last one's
  std::vector<int> links_;           // neighbours on the hull, as numbers in the node's points
  std::vector<Block> blocks_;
  std::vector<int> use_starts_, uses_;  // of each vertex, the triangles that use it
  std::uint64_t id_ = 0;
};

struct HullDistanceOptions {
  double bound = kInfinity;  ///< metres: beyond it, "farther than this" is answer enough
  double width = 1e-9;       ///< metres, >= 0: a bracket this narrow is narrow enough
};

/// Work done, independent of the machine.
struct HullStats {
  std::uint64_t hull_pairs = 0;      ///< pairs of nodes looked at, each along a known direction
  std::uint64_t searches = 0;        ///< of which a new direction was sought for
  std::uint64_t support_steps = 0;   ///< steps along edges of hulls
  std::uint64_t triangle_pairs = 0;  ///< measured
};

struct HullDistance {
  /// Of the distance of the two surfaces, metres; zero where they touch. Where it is proven to
  /// exceed the bound: [bound, infinity], and there is no witness.
  Interval distance{0.0, kInfinity};
  int triangle_a = -1, triangle_b = -1;  ///< of the witness
  Vector3d point_a = Vector3d::Zero();   ///< in F; a point of each
  /// In F; unless they touch, the points' distance is distance.hi, up to rounding.
  Vector3d point_b = Vector3d::Zero();
  bool touching = false;  ///< proven
  HullStats stats;
};

/// What one distance of two trees leaves for the next: the pairs of nodes at which it ended, with a
/// direction that told them apart and their closest features, and the closest triangles.
///
/// For one pair of bodies that moves a little between calls, and one thread. Of other trees than
/// before it forgets all, and after std::bad_alloc everything. It grows with the pairs looked at; a
/// call that needs no more of it than an earlier one allocates nothing.
class HullCache {
 public:
  struct Entry {
    std::int32_t a, b;  // nodes
    double lower;       // proven between them, at the pose at hand
    Vector3d direction;
    std::int32_t num_features;
    std::array<std::int32_t, 3> near_a, near_b;  // points of the closest features
  };

  void clear() noexcept { *this = {}; }

 private:
  friend HullDistance hull_distance(const HullTree&, const HullTree&, const RigidEnclosure&,
                                    const HullDistanceOptions&, HullCache&);
  std::uint64_t a_ = 0, b_ = 0;  // ids
  std::vector<Entry> front_, before_, todo_;
  int triangle_a_ = -1, triangle_b_ = -1;
  int calls_ = 0;  // since the last from the roots
  std::uint64_t pairs_from_roots_ = 0, pairs_last_ = 0;
};

/// Distance of two meshes with a witness, X_FG: a's frame F <- b's frame G.
///
/// Surfaces: what lies wholly inside a closed mesh touches none of its triangles.
/// Rigor     docs/rigor.md, R3: holds for every motion that X_FG encloses, whatever `cache` holds.
/// Cost      down pairs of hulls, nearest first; from a cache only where those of the last call no
///           longer tell the bodies far enough apart.
/// Threads   reads the trees, writes only `cache`.
/// Errors    std::invalid_argument for options that make no sense.
/// Source    [Ehmann2001], with proven bounds.
HullDistance hull_distance(const HullTree& a, const HullTree& b, const RigidEnclosure& X_FG,
                           const HullDistanceOptions& options, HullCache& cache);

}  // namespace catena
