#include "catena/geometry/hull_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include <Eigen/Geometry>

#include "box_axes.hpp"
#include "catena/geometry/pair_distance.hpp"
#include "catena/geometry/shapes.hpp"
#include "simplex.hpp"
#include "weld.hpp"

namespace catena {
namespace {

using Node = HullTree::Node;

constexpr int kBlock = 16;
// Up to here looking at every point costs no more than climbing, and up to there than boxes.
constexpr int kFewPoints = 12;
constexpr int kMostWithoutBlocks = 2 * kBlock;
constexpr size_t kMostInPatch = 2048;
// Of the mesh's size: files hold floats, and a plane cut into triangles is one patch nevertheless.
constexpr double kFlatness = 1e-6;
constexpr int kMostIterations = 100;

size_t at(int i) { return static_cast<size_t>(i); }

void require(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw std::invalid_argument("mesh: it has no triangles");
  if (!(mesh.vertex_error >= 0.0 && mesh.vertex_error <= kMaxLength)) {
    throw std::invalid_argument("mesh: vertex_error is " + std::to_string(mesh.vertex_error) +
                                "; give a number from 0 to 1e50");
  }
  const int n = static_cast<int>(mesh.vertices.size());
  for (size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const int v : mesh.triangles[i]) {
      if (v < 0 || v >= n) {
        throw std::invalid_argument("mesh: triangle " + std::to_string(i) + " names vertex " +
                                    std::to_string(v) + " of " + std::to_string(n) +
                                    "; give one that it has");
      }
      const Vector3d& x = mesh.vertices[at(v)];
      if (!x.allFinite() || !(x.cwiseAbs().maxCoeff() <= kMaxLength)) {
        throw std::invalid_argument("mesh: vertex " + std::to_string(v) +
                                    " is not a number, or beyond 1e50; give a position in metres");
      }
    }
  }
}

// ---- Patches

// Grows patches triangle by triangle, over edges, in plain arithmetic: a patch is a proposal, and
// its hull holds it whatever its shape.
class PatchGrower {
 public:
  PatchGrower(const std::vector<Vector3d>& vertices,
              const std::vector<std::array<int, 3>>& triangles)
      : vertices_(vertices), triangles_(triangles), mark_(vertices.size(), -1) {
    find_neighbours();
    Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
    for (const auto& t : triangles) {
      for (const int v : t) {
        lo = lo.cwiseMin(vertices[at(v)]);
        hi = hi.cwiseMax(vertices[at(v)]);
      }
      planes_.push_back(plane_of(t));
    }
    const double size = (hi - lo).norm();
    tolerance_ = kFlatness * size;
  }

  /// The patch of each triangle.
  std::vector<int> run(int& num_patches) {
    std::vector<int> patch(triangles_.size(), -1);
    num_patches = 0;
    std::vector<int> queue;
    for (int seed = 0; seed < static_cast<int>(triangles_.size()); ++seed) {
      if (patch[at(seed)] >= 0) continue;
      const int number = num_patches++;
      members_.clear();
      corners_.clear();
      queue.assign(1, seed);
      for (size_t k = 0; k < queue.size() && members_.size() < kMostInPatch; ++k) {
        const int t = queue[k];
        if (patch[at(t)] >= 0 || !take_in(t, number)) continue;
        patch[at(t)] = number;
        if (!has_plane(t)) break;
        for (int j = neighbour_starts_[at(t)]; j < neighbour_starts_[at(t) + 1]; ++j) {
          if (patch[at(neighbours_[at(j)])] < 0) queue.push_back(neighbours_[at(j)]);
        }
      }
    }
    return patch;
  }

 private:
  struct Plane {
    Vector3d normal = Vector3d::Zero();  // zero: none
    double offset = 0.0;
  };
  struct Member {
    int triangle;
    int side;  // of the plane on which the patch lies; 0: it lies in the plane
  };

  bool has_plane(int t) const { return !planes_[at(t)].normal.isZero(0.0); }

  Plane plane_of(const std::array<int, 3>& t) const {
    const Vector3d& p = vertices_[at(t[0])];
    const Vector3d u = vertices_[at(t[1])] - p, v = vertices_[at(t[2])] - p;
    const Vector3d n = u.cross(v);
    const double longest2 = std::max({u.squaredNorm(), v.squaredNorm(), (v - u).squaredNorm()});
    // Thinner than this, rounding turns the normal.
    if (!(n.norm() > 1e-7 * longest2)) return {};
    Plane plane;
    plane.normal = n.normalized();
    plane.offset = plane.normal.dot(p);
    return plane;
  }

  // Triangles that share an edge: each with the next one of those around the edge.
  void find_neighbours() {
    struct Edge {
      int low, high, triangle;
    };
    std::vector<Edge> edges;
    for (int i = 0; i < static_cast<int>(triangles_.size()); ++i) {
      const auto& t = triangles_[at(i)];
      for (size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
        if (low != high) edges.push_back({low, high, i});
      }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    const auto each = [&](const auto& f) {
      for (size_t k = 1; k < edges.size(); ++k) {
        const Edge &a = edges[k - 1], &b = edges[k];
        if (a.low != b.low || a.high != b.high || a.triangle == b.triangle) continue;
        f(a.triangle, b.triangle);
        f(b.triangle, a.triangle);
      }
    };
    neighbour_starts_.assign(triangles_.size() + 1, 0);
    each([&](int from, int) { ++neighbour_starts_[at(from) + 1]; });
    std::partial_sum(neighbour_starts_.begin(), neighbour_starts_.end(), neighbour_starts_.begin());
    neighbours_.resize(at(neighbour_starts_.back()));
    std::vector<int> next(neighbour_starts_.begin(), neighbour_starts_.end() - 1);
    each([&](int from, int to) { neighbours_[at(next[at(from)]++)] = to; });
  }

  // -1, 0 or 1: on which side of the plane x lies.
  int side_of(const Plane& plane, const Vector3d& x) const {
    const double h = plane.normal.dot(x) - plane.offset;
    return h > tolerance_ ? 1 : h < -tolerance_ ? -1 : 0;
  }

  // Adds t if the patch stays convex with it: all of it on one side of every triangle's plane.
  bool take_in(int t, int number) {
    if (!has_plane(t) && !members_.empty()) return false;
    Member member{t, 0};
    for (const int v : corners_) {
      const int side = side_of(planes_[at(t)], vertices_[at(v)]);
      if (side * member.side < 0) return false;
      if (side != 0) member.side = side;
    }
    sides_.clear();
    for (const Member& m : members_) {
      int side = m.side;
      for (const int v : triangles_[at(t)]) {
        if (mark_[at(v)] == number) continue;
        const int s = side_of(planes_[at(m.triangle)], vertices_[at(v)]);
        if (s * side < 0) return false;
        if (s != 0) side = s;
      }
      sides_.push_back(side);
    }
    for (size_t k = 0; k < members_.size(); ++k) members_[k].side = sides_[k];
    members_.push_back(member);
    for (const int v : triangles_[at(t)]) {
      if (mark_[at(v)] == number) continue;
      mark_[at(v)] = number;
      corners_.push_back(v);
    }
    return true;
  }

  const std::vector<Vector3d>& vertices_;
  const std::vector<std::array<int, 3>>& triangles_;
  std::vector<int> mark_;  // of each vertex, the last patch that it came into
  std::vector<Plane> planes_;
  std::vector<int> neighbour_starts_, neighbours_;
  std::vector<Member> members_;
  std::vector<int> corners_;
  std::vector<int> sides_;
  double tolerance_ = 0.0;
};

// ---- Hulls

// Halves the range along the longest axis of the items' centres.
template <class Center>
size_t halve(std::span<int> items, const Center& center) {
  Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
  for (const int i : items) {
    lo = lo.cwiseMin(center(i));
    hi = hi.cwiseMax(center(i));
  }
  int axis = 0;
  (hi - lo).maxCoeff(&axis);
  const size_t middle = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(middle), items.end(),
                   [&](int i, int j) {
                     const double x = center(i)[axis], y = center(j)[axis];
                     return x < y || (x == y && i < j);
                   });
  return middle;
}

// The hull of points that quickhull calls flat, in order round it; the two ends of points on a
// line. Empty if they are not flat after all.
std::vector<int> flat_hull(std::span<const Vector3d> points) {
  const Vector3d& origin = points.front();
  const auto farthest_by = [&](const auto& measure) {
    int best = 0;
    for (int i = 1; i < static_cast<int>(points.size()); ++i) {
      if (measure(points[at(i)]) > measure(points[at(best)])) best = i;
    }
    return best;
  };
  const Vector3d far =
      points[at(farthest_by([&](const Vector3d& x) { return (x - origin).squaredNorm(); }))] -
      origin;
  const double length = far.norm();
  if (!(length > 0.0)) return {0};
  const Vector3d u = far / length;
  const auto off = [&](const Vector3d& x) -> Vector3d {
    return x - origin - u * u.dot(x - origin);
  };
  const Vector3d wide =
      off(points[at(farthest_by([&](const Vector3d& x) { return off(x).squaredNorm(); }))]);
  if (!(wide.norm() > 1e-11 * length)) {
    return {farthest_by([&](const Vector3d& x) { return -u.dot(x); }),
            farthest_by([&](const Vector3d& x) { return u.dot(x); })};
  }
  const Vector3d v = (wide - u * u.dot(wide)).normalized(), n = u.cross(v);
  std::vector<Eigen::Vector2d> flat;
  for (const Vector3d& x : points) {
    if (!(std::abs(n.dot(x - origin)) <= 1e-9 * length)) return {};
    flat.emplace_back(u.dot(x - origin), v.dot(x - origin));
  }
  std::vector<int> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(), [&](int i, int j) {
    const auto &a = flat[at(i)], &b = flat[at(j)];
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  std::vector<int> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const size_t base = hull.size();
    for (const int i : sorted) {
      const auto turns_left = [&] {
        const Eigen::Vector2d a = flat[at(hull.back())] - flat[at(hull[hull.size() - 2])];
        const Eigen::Vector2d b = flat[at(i)] - flat[at(hull.back())];
        return a.x() * b.y() - a.y() * b.x() > 0.0;
      };
      while (hull.size() >= base + 2 && !turns_left()) hull.pop_back();
      hull.push_back(i);
    }
    hull.pop_back();
    std::reverse(sorted.begin(), sorted.end());
  }
  return hull;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

HullTree::HullTree(const TriangleMesh& mesh) : id_(next_id()) {
  require(mesh);
  const RoundingScope rounding;
  vertices_ = mesh.vertices;
  vertex_error_ = mesh.vertex_error;
  triangles_ = mesh.triangles;
  const std::vector<int> welded = internal::weld(mesh);
  use_starts_.assign(vertices_.size() + 1, 0);
  for (auto& t : triangles_) {
    for (int& v : t) {
      v = welded[at(v)];
      ++use_starts_[at(v) + 1];
    }
  }
  std::partial_sum(use_starts_.begin(), use_starts_.end(), use_starts_.begin());
  uses_.resize(at(use_starts_.back()));
  std::vector<int> next(use_starts_.begin(), use_starts_.end() - 1);
  for (int i = 0; i < static_cast<int>(triangles_.size()); ++i) {
    for (const int v : triangles_[at(i)]) uses_[at(next[at(v)]++)] = i;
  }
  patches_ = PatchGrower(vertices_, triangles_).run(num_patches_);
  build_nodes();
}

ConvexShape HullTree::triangle(int i) const noexcept {
  ConvexShape e;
  e.core = ConvexShape::Core::kTriangle;
  for (size_t k = 0; k < 3; ++k) e.corners[k] = vertices_[at(triangles_[at(i)][k])];
  e.core_error = vertex_error_;
  return e;
}

void HullTree::build_nodes() {
  std::vector<std::vector<int>> members(at(num_patches_));
  for (int i = 0; i < static_cast<int>(patches_.size()); ++i) {
    members[at(patches_[at(i)])].push_back(i);
  }
  std::vector<Vector3d> centers;
  for (const auto& triangles : members) {
    Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
    for (const int t : triangles) {
      for (const int v : triangles_[at(t)]) {
        lo = lo.cwiseMin(vertices_[at(v)]);
        hi = hi.cwiseMax(vertices_[at(v)]);
      }
    }
    centers.push_back(0.5 * (lo + hi));
  }
  std::vector<int> all(at(num_patches_));
  std::iota(all.begin(), all.end(), 0);
  nodes_.reserve(2 * triangles_.size() - 1);
  order_.reserve(triangles_.size());
  nodes_.emplace_back();
  split_patches(0, all, members, centers);
  // Children come after their parent.
  link_starts_.push_back(0);
  for (size_t i = nodes_.size(); i-- > 0;) build_hull(nodes_[i]);
}

void HullTree::add_children(int node) {
  nodes_[at(node)].left = static_cast<int>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
}

void HullTree::split_patches(int node, std::span<int> patches,
                             const std::vector<std::vector<int>>& members,
                             const std::vector<Vector3d>& centers) {
  if (patches.size() == 1) {
    std::vector<int> triangles = members[at(patches.front())];
    split_triangles(node, triangles);
    return;
  }
  const size_t middle = halve(patches, [&](int i) -> const Vector3d& { return centers[at(i)]; });
  add_children(node);
  const int left = nodes_[at(node)].left;
  nodes_[at(node)].first_triangle = static_cast<int>(order_.size());
  split_patches(left, patches.first(middle), members, centers);
  split_patches(left + 1, patches.subspan(middle), members, centers);
  nodes_[at(node)].num_triangles =
      static_cast<int>(order_.size()) - nodes_[at(node)].first_triangle;
}

void HullTree::split_triangles(int node, std::span<int> triangles) {
  nodes_[at(node)].first_triangle = static_cast<int>(order_.size());
  nodes_[at(node)].num_triangles = static_cast<int>(triangles.size());
  if (triangles.size() == 1) {
    order_.push_back(triangles.front());
    return;
  }
  const size_t middle = halve(triangles, [&](int i) -> Vector3d {
    const auto& t = triangles_[at(i)];
    return (vertices_[at(t[0])] + vertices_[at(t[1])] + vertices_[at(t[2])]) / 3.0;
  });
  add_children(node);
  const int left = nodes_[at(node)].left;
  split_triangles(left, triangles.first(middle));
  split_triangles(left + 1, triangles.subspan(middle));
}

// From the hulls of the children: what lies within the slack of theirs, whose points lie within d
// of this one, lies within slack + d of it.
void HullTree::build_hull(Node& node) {
  std::vector<int> candidates;
  if (node.left < 0) {
    const auto& t = triangles_[at(order_[at(node.first_triangle)])];
    candidates.assign(t.begin(), t.end());
  } else {
    for (const int child : {node.left, node.right()}) {
      const Node& c = nodes_[at(child)];
      node.slack = std::max(node.slack, c.slack);
      const auto from = point_vertices_.begin() + c.first_point;
      candidates.insert(candidates.end(), from, from + c.num_points);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());

  std::vector<Vector3d> points;
  for (const int v : candidates) points.push_back(vertices_[at(v)]);
  std::vector<std::pair<int, int>> edges;  // both ways
  std::vector<int> kept;
  const auto keep_all = [&] {
    kept.resize(points.size());
    std::iota(kept.begin(), kept.end(), 0);
  };
  if (points.size() <= 3) {
    keep_all();
  } else if (const auto faces = internal::convex_hull(points); !faces.empty()) {
    for (const auto& f : faces) {
      for (size_t k = 0; k < 3; ++k) {
        kept.push_back(f[k]);
        edges.emplace_back(f[k], f[(k + 1) % 3]);
        edges.emplace_back(f[(k + 1) % 3], f[k]);
      }
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  } else {
    kept = flat_hull(points);
    for (size_t k = 0; k < kept.size(); ++k) {
      edges.emplace_back(kept[k], kept[(k + 1) % kept.size()]);
      edges.emplace_back(kept[(k + 1) % kept.size()], kept[k]);
    }
    if (kept.empty()) keep_all();
  }

  store_points(node, candidates, points, kept, edges);
  double scale = 0.0, out = 0.0;
  for (const Vector3d& x : points) scale = std::max(scale, x.norm());
  std::vector<bool> inside(points.size(), true);
  for (const int i : kept) inside[at(i)] = false;
  const size_t found = kept.size();
  for (size_t i = 0; i < points.size(); ++i) {
    const double d = inside[i] ? distance_above(node, points[i]) : 0.0;
    // What quickhull lost, as it may where many points lie in one plane, is put back, unlinked.
    if (d > 4e-12 * scale) {
      kept.push_back(static_cast<int>(i));
    } else {
      out = std::max(out, d);
    }
  }
  if (kept.size() > found) {
    points_.resize(at(node.first_point));
    point_vertices_.resize(at(node.first_point));
    link_starts_.resize(at(node.first_point) + 1);
    links_.resize(at(link_starts_.back()));
    if (node.first_block >= 0) blocks_.resize(at(node.first_block));
    store_points(node, candidates, points, kept, edges);
  }
  if (out > 0.0) node.slack = bound_above(node.slack + out, 2);
  const auto own = this->points(node);
  node.center = box_around(own).center;
  double radius = 0.0;
  for (const Vector3d& x : own) radius = std::max(radius, (x - node.center).norm());
  node.radius = bound_above(
      radius + 8 * kUnitRoundoff * (node.center.norm() + radius) + node.slack + vertex_error_, 10);
}

HullTree::Block HullTree::box_around(std::span<const Vector3d> inside) noexcept {
  Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
  for (const Vector3d& x : inside) {
    lo = lo.cwiseMin(x);
    hi = hi.cwiseMax(x);
  }
  // Halved first: beyond 1e50 nothing comes here, so nothing overflows; rounded outwards.
  Block b{0.5 * lo + 0.5 * hi, Vector3d::Zero()};
  for (int axis = 0; axis < 3; ++axis) {
    b.half[axis] = bound_above(std::max(hi[axis] - b.center[axis], b.center[axis] - lo[axis]), 2);
  }
  return b;
}

// Appends the kept points with the edges between them, as numbers in `points`, to the arrays.
void HullTree::store_points(Node& node, std::span<const int> candidates,
                            std::span<const Vector3d> points, std::vector<int>& kept,
                            std::vector<std::pair<int, int>> edges) {
  const bool in_blocks = kept.size() > static_cast<size_t>(kMostWithoutBlocks);
  if (in_blocks) {
    // Blocks of neighbours, by halves.
    std::vector<std::span<int>> ranges{kept};
    while (!ranges.empty()) {
      const std::span<int> range = ranges.back();
      ranges.pop_back();
      if (range.size() <= static_cast<size_t>(kBlock)) continue;
      // The left part is a whole number of blocks.
      const size_t left = (range.size() / kBlock + 1) / 2 * kBlock;
      Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
      for (const int i : range) {
        lo = lo.cwiseMin(points[at(i)]);
        hi = hi.cwiseMax(points[at(i)]);
      }
      int axis = 0;
      (hi - lo).maxCoeff(&axis);
      std::nth_element(range.begin(), range.begin() + static_cast<std::ptrdiff_t>(left),
                       range.end(), [&](int i, int j) {
                         const double x = points[at(i)][axis], y = points[at(j)][axis];
                         return x < y || (x == y && i < j);
                       });
      ranges.push_back(range.first(left));
      ranges.push_back(range.subspan(left));
    }
  }
  node.first_point = static_cast<int>(points_.size());
  node.num_points = static_cast<int>(kept.size());
  std::vector<int> number(points.size(), -1);
  for (size_t k = 0; k < kept.size(); ++k) {
    number[at(kept[k])] = static_cast<int>(k);
    points_.push_back(points[at(kept[k])]);
    point_vertices_.push_back(candidates[at(kept[k])]);
  }
  if (node.num_points > kFewPoints) {
    for (auto& [from, to] : edges) {
      from = number[at(from)];
      to = number[at(to)];
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  } else {
    edges.clear();
  }
  size_t next = 0;
  for (int k = 0; k < node.num_points; ++k) {
    for (; next < edges.size() && edges[next].first == k; ++next) {
      links_.push_back(edges[next].second);
    }
    link_starts_.push_back(static_cast<int>(links_.size()));
  }
  const auto own = this->points(node);
  if (in_blocks) {
    node.first_block = static_cast<int>(blocks_.size());
    for (size_t k = 0; k < own.size(); k += at(kBlock)) {
      blocks_.push_back(box_around(own.subspan(k, std::min(own.size() - k, at(kBlock)))));
    }
  }
}

// The iteration of `Search::seek` for a hull and a point, from which an upper bound is wanted: a
// combination of the hull's points is one of its own.
double HullTree::distance_above(const Node& node, const Vector3d& x) const noexcept {
  struct Corner {
    Vector3d w;
  };
  const auto hull = points(node);
  double size = x.norm();
  for (const Vector3d& p : {hull.front(), hull.back()}) size = std::max(size, (p - x).norm());
  internal::Simplex<Corner> simplex;
  simplex.v[0].w = hull.front() - x;
  simplex.lambda[0] = 1.0;
  simplex.size = 1;
  int from = 0;
  std::uint64_t steps = 0;
  double least = simplex.point().norm();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const Vector3d v = simplex.point();
    if (!(v.norm() > 16 * kUnitRoundoff * size)) break;
    const Vector3d n = internal::direction_to(simplex, v);
    from = climb(node, -n, from, steps);
    const Vector3d w = hull[at(from)] - x;
    size = std::max(size, w.norm());
    bool known = !(v.norm() - n.dot(w) > 4 * kUnitRoundoff * size);
    for (int i = 0; i < simplex.size; ++i) known = known || simplex.v[at(i)].w == w;
    if (known) break;
    simplex.v[at(simplex.size++)].w = w;
    const bool reduced = internal::reduce(simplex, 16 * kUnitRoundoff * size);
    const double next = simplex.point().norm();
    const bool nearer = next < least;
    least = std::min(least, next);
    if (!reduced || !nearer) break;
  }
  // Differences are off by a roundoff of themselves, weights by a few, and so is their sum.
  return bound_above(least + 32 * kUnitRoundoff * size, 20);
}

int HullTree::farthest(const Node& node, const Vector3d& d, int guess) const noexcept {
  const auto x = points(node);
  int best = std::max(guess, 0);
  double value = d.dot(x[at(best)]);
  const auto look_at = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const double along = d.dot(x[at(i)]);
      if (along > value) {
        value = along;
        best = i;
      }
    }
  };
  if (node.first_block < 0) {
    look_at(0, node.num_points);
    return best;
  }
  const int blocks = (node.num_points + kBlock - 1) / kBlock;
  const Vector3d size = d.cwiseAbs();
  const Block* block = &blocks_[at(node.first_block)];
  const auto look_into = [&](int k) {
    look_at(k * kBlock, std::min(node.num_points, (k + 1) * kBlock));
  };
  if (guess < 0) {
    int nearest = 0;
    for (int k = 1; k < blocks; ++k) {
      if (d.dot(block[k].center) > d.dot(block[nearest].center)) nearest = k;
    }
    look_into(nearest);
  }
  for (int k = 0; k < blocks; ++k) {
    // No number passes over nothing.
    if (!(d.dot(block[k].center) + size.dot(block[k].half) <= value)) look_into(k);
  }
  return best;
}

int HullTree::climb(const Node& node, const Vector3d& d, int from,
                    std::uint64_t& steps) const noexcept {
  if (node.num_points <= kFewPoints) return farthest(node, d, from);
  const auto x = points(node);
  const int* starts = &link_starts_[at(node.first_point)];
  if (starts[from] == starts[from + 1]) return farthest(node, d, from);
  int best = from;
  double value = d.dot(x[at(best)]);
  for (;;) {
    const int here = best;
    for (int k = starts[here]; k < starts[here + 1]; ++k) {
      const int to = links_[at(k)];
      const double along = d.dot(x[at(to)]);
      if (along > value) {
        value = along;
        best = to;
      }
    }
    if (best == here) return best;
    ++steps;
  }
}

int HullTree::triangle_with(const Node& node, std::span<const int> points) const noexcept {
  const auto vertex = [&](int i) { return point_vertices_[at(node.first_point + i)]; };
  const auto v = at(vertex(points.front()));
  for (int k = use_starts_[v]; k < use_starts_[v + 1]; ++k) {
    const auto& t = triangles_[at(uses_[at(k)])];
    const bool all = std::all_of(points.begin(), points.end(), [&](int i) {
      return std::find(t.begin(), t.end(), vertex(i)) != t.end();
    });
    if (all) return uses_[at(k)];
  }
  return -1;
}

size_t HullTree::memory() const noexcept {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(vertices_) + bytes(triangles_) + bytes(patches_) + bytes(nodes_) + bytes(order_) +
         bytes(points_) + bytes(point_vertices_) + bytes(link_starts_) + bytes(links_) +
         bytes(blocks_) + bytes(use_starts_) + bytes(uses_);
}

// ---- Distance

namespace {

using Entry = HullCache::Entry;

// A point of the difference set { b - a } of two hulls, and the hulls' points it comes from.
struct Corner {
  Vector3d w;
  int a, b;
};
using Simplex = internal::Simplex<Corner>;

class Search {
 public:
  Search(const HullTree& a, const HullTree& b, const RigidEnclosure& X_FG,
         const HullDistanceOptions& options) noexcept
      : a_(a), b_(b), X_(X_FG), width_(options.width), enough_(options.bound) {}

  double enough() const noexcept { return enough_; }
  double greatest() const noexcept { return greatest_; }
  HullDistance& result() noexcept { return result_; }
  bool touching() const noexcept { return result_.touching; }
  /// From 0 on, which bounds every distance, the bracket is narrow enough.
  bool narrow() const noexcept { return greatest_ <= width_; }
  bool is_told_apart(const Entry& e) const noexcept { return e.lower > enough_; }
  bool is_leaf(const Entry& e) const noexcept {
    return a_.node(e.a).left < 0 && b_.node(e.b).left < 0;
  }

  // A lower bound of the pair's distance: along the direction that e brings and, where that is not
  // enough, along better ones.
  void test(Entry& e) noexcept {
    ++result_.stats.hull_pairs;
    const Node &na = a_.node(e.a), &nb = b_.node(e.b);
    e.lower = -kInfinity;
    const double error = error_of(na, nb);
    int ia = e.near_a[0], ib = e.near_b[0];
    certify(e, na, nb, e.direction, error, ia, ib);
    if (e.num_features == 0) note_features(e, {{{Vector3d::Zero(), ia, ib}}, {1.0}, 1});
    if (is_told_apart(e) || is_leaf(e)) return;
    seek(e, na, nb, error, ia, ib);
  }

  // The children of the larger hull, the nearer first.
  std::array<Entry, 2> open(const Entry& e) noexcept {
    const Node &na = a_.node(e.a), &nb = b_.node(e.b);
    const bool opens_a = na.left >= 0 && (nb.left < 0 || na.radius >= nb.radius);
    Entry first = e;
    // Of the hull that stays, its features are where to begin.
    first.num_features = 0;
    if (opens_a) {
      first.near_a[0] = -1;
    } else {
      first.near_b[0] = -1;
    }
    Entry second = first;
    first.a = opens_a ? na.left : e.a;
    first.b = opens_a ? e.b : nb.left;
    second.a = opens_a ? na.right() : e.a;
    second.b = opens_a ? e.b : nb.right();
    test(first);
    test(second);
    if (second.lower > first.lower) return {first, second};
    return {second, first};
  }

  // Measures the two triangles of a leaf pair.
  void measure_leaf(Entry& e) noexcept {
    const int i = a_.triangles(a_.node(e.a)).front(), j = b_.triangles(b_.node(e.b)).front();
    const double lower = measure(i, j);
    if (lower > e.lower) e.lower = lower;
  }

  // Measures two triangles; a lower bound of their distance.
  double measure(int i, int j) noexcept {
    if (i == result_.triangle_a && j == result_.triangle_b) return closest_lower_;
    ++result_.stats.triangle_pairs;
    const PairDistance d =
        pair_distance(a_.triangle(i), b_.triangle(j), X_, false, std::max(0.0, enough_));
    if (d.distance.hi < greatest_) {
      greatest_ = d.distance.hi;
      closest_lower_ = d.distance.lo;
      result_.triangle_a = i;
      result_.triangle_b = j;
      result_.point_a = d.point_a;
      result_.point_b = d.point_b;
      enough_ = std::min(enough_, std::max(0.0, greatest_ - width_));
    }
    result_.touching = result_.touching || d.overlap || d.distance.hi <= 0.0;
    return d.distance.lo;
  }

 private:
  // What is to be subtracted from n . (difference of two support points): docs/rigor.md, R3.
  double error_of(const Node& na, const Node& nb) const noexcept {
    const double reach_b = nb.center.norm() + nb.radius;
    const double size = na.center.norm() + na.radius + reach_b + X_.X.p.norm();
    return bound_above(64 * kUnitRoundoff * size + X_.position_error + X_.rotation_error * reach_b +
                           na.slack + nb.slack + a_.vertex_error() + b_.vertex_error(),
                       20);
  }

  // A proven bound along the unit vector n, from the points farthest against and along it.
  double certify(Entry& e, const Node& na, const Node& nb, const Vector3d& n, double error, int& ia,
                 int& ib) noexcept {
    const Vector3d n_G = X_.X.R.transpose() * n;
    ia = a_.farthest(na, n, ia);
    ib = b_.farthest(nb, -n_G, ib);
    const double lower =
        n_G.dot(b_.points(nb)[at(ib)]) + n.dot(X_.X.p) - n.dot(a_.points(na)[at(ia)]) - error;
    if (lower > e.lower) {
      e.lower = lower;
      e.direction = n;
    }
    return lower;
  }

  Corner corner(const Node& na, const Node& nb, int ia, int ib) const noexcept {
    return {X_.X * b_.points(nb)[at(ib)] - a_.points(na)[at(ia)], ia, ib};
  }

  static void note_features(Entry& e, const Simplex& s) noexcept {
    e.num_features = std::min(s.size, 3);
    for (size_t i = 0; i < at(e.num_features); ++i) {
      e.near_a[i] = s.v[i].a;
      e.near_b[i] = s.v[i].b;
    }
  }

  // Distance of the two hulls, from the features of last time, else from the points at hand
  // ([Gilbert1988], with supports by climbing); ends where enough is proven.
  void seek(Entry& e, const Node& na, const Node& nb, double error, int ia, int ib) noexcept {
    ++result_.stats.searches;
    Simplex simplex;
    const auto add = [&](int i, int j) { simplex.v[at(simplex.size++)] = corner(na, nb, i, j); };
    for (int k = 0; k < e.num_features; ++k) add(e.near_a[at(k)], e.near_b[at(k)]);
    simplex.lambda[0] = 1.0;
    internal::reduce(simplex, error);
    const double rounding =
        64 * kUnitRoundoff *
        (na.center.norm() + na.radius + nb.center.norm() + nb.radius + X_.X.p.norm());
    Vector3d v = simplex.point();
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const double length = v.norm();
      if (!(length > rounding)) return note_features(e, simplex);
      const Vector3d n = internal::direction_to(simplex, v);
      ia = a_.climb(na, n, ia, result_.stats.support_steps);
      ib = b_.climb(nb, -(X_.X.R.transpose() * n), ib, result_.stats.support_steps);
      Corner w = corner(na, nb, ia, ib);
      double along = n.dot(w.w);
      bool converged = length - along <= 2 * rounding + 1e-12 * length || knows(simplex, w);
      if (converged || along - error > enough_) {
        certify(e, na, nb, n, error, ia, ib);
        if (is_told_apart(e)) return note_features(e, simplex);
        // Where the climb had ended early, the point found now leads on.
        w = corner(na, nb, ia, ib);
        along = n.dot(w.w);
        converged = length - along <= 2 * rounding + 1e-12 * length || knows(simplex, w);
      }
      if (converged) break;
      const Simplex before = simplex;
      simplex.v[at(simplex.size++)] = w;
      if (!internal::reduce(simplex, rounding)) return note_features(e, before);
      const Vector3d next = simplex.point();
      if (!(next.squaredNorm() < v.squaredNorm())) {
        simplex = before;
        certify(e, na, nb, n, error, ia, ib);
        break;
      }
      v = next;
    }
    note_features(e, simplex);
    if (v.norm() < greatest_) measure_features(na, nb, simplex);
  }

  static bool knows(const Simplex& s, const Corner& c) noexcept {
    for (int i = 0; i < s.size; ++i) {
      if (s.v[at(i)].a == c.a && s.v[at(i)].b == c.b) return true;
    }
    return false;
  }

  // Where the closest features of the hulls are those of triangles, these are as near.
  void measure_features(const Node& na, const Node& nb, const Simplex& s) noexcept {
    std::array<int, 4> ids_a{}, ids_b{};
    for (size_t i = 0; i < at(s.size); ++i) {
      ids_a[i] = s.v[i].a;
      ids_b[i] = s.v[i].b;
    }
    const int i = a_.triangle_with(na, std::span(ids_a).first(at(s.size)));
    const int j = i < 0 ? -1 : b_.triangle_with(nb, std::span(ids_b).first(at(s.size)));
    if (j >= 0) measure(i, j);
  }

  const HullTree& a_;
  const HullTree& b_;
  const RigidEnclosure& X_;
  const double width_;
  double enough_;
  double greatest_ = kInfinity;
  double closest_lower_ = -kInfinity;
  HullDistance result_;
};

void require_length(double value, const char* what) {
  if (!(value >= 0.0)) {
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) +
                                "; give a number >= 0");
  }
}

// Every so many calls the front is found anew: it only ever grows finer, and bodies part.
constexpr int kMostCalls = 32;

}  // namespace

HullDistance hull_distance(const HullTree& a, const HullTree& b, const RigidEnclosure& X_FG,
                           const HullDistanceOptions& options, HullCache& cache) {
  require_length(options.bound, "bound");
  require_length(options.width, "width");
  const RoundingScope rounding;
  Search search(a, b, X_FG, options);
  auto &front = cache.front_, &before = cache.before_, &todo = cache.todo_;
  const bool same = cache.a_ == a.id() && cache.b_ == b.id();
  // No pair of trees' until the front covers all pairs again: adding to it may throw. No id is 0.
  cache.a_ = cache.b_ = 0;
  if (!same) {
    front.clear();
    cache.triangle_a_ = cache.triangle_b_ = -1;
  }
  if (cache.triangle_a_ >= 0) search.measure(cache.triangle_a_, cache.triangle_b_);

  // The front always holds pairs of nodes that cover all pairs of triangles; so do front, what is
  // left of the one before, and todo together.
  before.swap(front);
  front.clear();
  todo.clear();
  const bool from_roots = before.empty() || cache.calls_ >= kMostCalls ||
                          cache.pairs_last_ > 2 * cache.pairs_from_roots_;
  if (from_roots) {
    const Vector3d between = X_FG.X * b.node(0).center - a.node(0).center;
    const double length = between.norm();
    Entry root{0, 0, -kInfinity, Vector3d::UnitX(), 0, {-1, -1, -1}, {-1, -1, -1}};
    if (length > 1e-140 && std::isfinite(length)) root.direction = between / length;
    before.assign(1, root);
  }
  for (size_t k = 0; k < before.size(); ++k) {
    if (!search.touching()) search.test(before[k]);
    (search.is_told_apart(before[k]) ? front : todo).push_back(before[k]);
  }
  while (!todo.empty() && !search.touching() && !search.narrow()) {
    Entry e = todo.back();
    todo.pop_back();
    if (search.is_told_apart(e)) {
      front.push_back(e);
    } else if (search.is_leaf(e)) {
      search.measure_leaf(e);
      front.push_back(e);
    } else {
      // The nearer one is opened first: it is likelier to hold the nearest pair.
      for (const auto children = search.open(e); const Entry& child : {children[1], children[0]}) {
        todo.push_back(child);
      }
    }
  }
  front.insert(front.end(), todo.begin(), todo.end());
  cache.a_ = a.id();
  cache.b_ = b.id();

  HullDistance result = search.result();
  cache.triangle_a_ = result.triangle_a;
  cache.triangle_b_ = result.triangle_b;
  cache.calls_ = from_roots ? 0 : cache.calls_ + 1;
  cache.pairs_last_ = result.stats.hull_pairs;
  if (from_roots) cache.pairs_from_roots_ = result.stats.hull_pairs;
  if (result.touching) {
    result.distance = {0.0, 0.0};
    return result;
  }
  double least = kInfinity;
  // No number bounds nothing.
  for (const Entry& e : front) least = e.lower > -kInfinity ? std::min(least, e.lower) : -kInfinity;
  if (least > options.bound) {
    result.distance = {options.bound, kInfinity};
    result.triangle_a = result.triangle_b = -1;
  } else {
    result.distance = {std::max(0.0, least), std::max(0.0, search.greatest())};
  }
  return result;
}

}  // namespace catena
