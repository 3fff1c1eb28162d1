#include "catena/query/geometry_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "catena/geometry/pair_distance.hpp"
#include "catena/geometry/triangle_pair.hpp"

namespace catena {
namespace {

void require_elements(const Geometry& g, const char* which) {
  if (g.tree().empty()) {
    throw std::invalid_argument(std::string("geometry ") + which +
                                " is a half-space and has no elements to pair; put it into a scene "
                                "and use check_state");
  }
}

void require_length(double value, const char* what) {
  if (!(value >= 0.0)) {
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) +
                                "; give a number >= 0");
  }
}

// The two trees, and the rule by which a pair of nodes is opened: the larger box first.
struct Trees {
  std::span<const ObbTree::Node> a, b;

  const ObbTree::Node& node_a(int i) const noexcept { return a[static_cast<size_t>(i)]; }
  const ObbTree::Node& node_b(int i) const noexcept { return b[static_cast<size_t>(i)]; }
  bool opens_a(const ObbTree::Node& na, const ObbTree::Node& nb) const noexcept {
    return na.left >= 0 && (nb.left < 0 || na.box.half.squaredNorm() >= nb.box.half.squaredNorm());
  }
};

// Element tests for contact, with everything that depends on the pose alone worked out once.
class ElementContact {
 public:
  ElementContact(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                 double clearance) noexcept
      : a_(a), b_(b), X_(X_FG), clearance_(clearance) {
    signs_ = a.kind() == Geometry::Kind::kMesh && b.kind() == Geometry::Kind::kMesh &&
             a.radius() == 0.0 && b.radius() == 0.0 && clearance == 0.0;
    corner_error_ = std::max(a.mesh().vertex_error,
                             bound_above(X_FG.point_error(b.reach()) + b.mesh().vertex_error, 2));
  }

  Meeting operator()(int i, int j) const noexcept {
    if (signs_) {
      std::array<Vector3d, 3> a, b;
      for (size_t k = 0; k < 3; ++k) {
        a[k] = corner(a_.mesh(), i, k);
        b[k] = X_.X * corner(b_.mesh(), j, k);
      }
      const Meeting meeting = triangles_meet(a, b, corner_error_);
      if (meeting != Meeting::kUnknown) return meeting;
    }
    const PairDistance d = pair_distance(a_.element(i), b_.element(j), X_, false, clearance_);
    if (d.distance.lo > clearance_) return Meeting::kApart;
    return d.overlap || d.distance.hi <= clearance_ ? Meeting::kMeet : Meeting::kUnknown;
  }

 private:
  static const Vector3d& corner(const TriangleMesh& mesh, int i, size_t k) noexcept {
    return mesh.vertices[static_cast<size_t>(mesh.triangles[static_cast<size_t>(i)][k])];
  }

  const Geometry& a_;
  const Geometry& b_;
  const RigidEnclosure& X_;
  double clearance_;
  double corner_error_ = 0.0;
  bool signs_ = false;
};

}  // namespace

Verdict ContactResult::verdict() const noexcept {
  if (!contacts.empty()) return Verdict::kCollision;
  return complete && undecided.empty() ? Verdict::kFree : Verdict::kUndecided;
}

void find_contacts(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                   const ContactOptions& options, PairWorkspace& workspace, ContactResult& result) {
  require_elements(a, "a");
  require_elements(b, "b");
  require_length(options.clearance, "clearance");
  const RoundingScope rounding;
  result.contacts.clear();
  result.undecided.clear();
  result.complete = false;
  result.stats = {};
  result.stats.pair_tests = 1;
  if (options.most == 0) return;

  const Trees trees{a.tree().nodes(), b.tree().nodes()};
  const ElementContact meet(a, b, X_FG, options.clearance);
  auto& stack = workspace.stack;
  stack.clear();
  const auto push = [&](int na, int nb) {
    ++result.stats.box_tests;
    if (may_overlap(trees.node_a(na).box, trees.node_b(nb).box, X_FG, options.clearance)) {
      stack.push_back({na, nb, 0.0});
    }
  };
  push(0, 0);
  while (!stack.empty()) {
    const PairWorkspace::Entry e = stack.back();
    stack.pop_back();
    const ObbTree::Node& na = trees.node_a(e.a);
    const ObbTree::Node& nb = trees.node_b(e.b);
    if (na.left < 0 && nb.left < 0) {
      ++result.stats.element_tests;
      const Meeting meeting = meet(na.element, nb.element);
      if (meeting == Meeting::kApart) continue;
      (meeting == Meeting::kMeet ? result.contacts : result.undecided)
          .push_back({na.element, nb.element});
      if (result.contacts.size() == options.most) return;
    } else if (trees.opens_a(na, nb)) {
      push(na.left, e.b);
      push(na.right(), e.b);
    } else {
      push(e.a, nb.left);
      push(e.a, nb.right());
    }
  }
  result.complete = true;
}

DistanceResult find_distance(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                             const DistanceOptions& options, PairWorkspace& workspace) {
  require_elements(a, "a");
  require_elements(b, "b");
  require_length(options.bound, "bound");
  require_length(options.width, "width");
  const RoundingScope rounding;
  DistanceResult result;
  result.stats.pair_tests = 1;

  const Trees trees{a.tree().nodes(), b.tree().nodes()};
  // What is proven farther than `enough` is not opened; it sinks as nearer elements are found. So
  // what was dropped lies beyond the last `enough`, and what was measured beyond `least`.
  double enough = options.bound, least = kInfinity, greatest = kInfinity;
  auto& stack = workspace.stack;
  stack.clear();
  const auto gap = [&](int na, int nb) {
    ++result.stats.box_tests;
    return separate(trees.node_a(na).box, trees.node_b(nb).box, X_FG, enough).gap;
  };
  stack.push_back({0, 0, gap(0, 0)});
  while (!stack.empty()) {
    const PairWorkspace::Entry e = stack.back();
    stack.pop_back();
    if (e.gap > enough) continue;
    const ObbTree::Node& na = trees.node_a(e.a);
    const ObbTree::Node& nb = trees.node_b(e.b);
    if (na.left < 0 && nb.left < 0) {
      ++result.stats.element_tests;
      const PairDistance d =
          pair_distance(a.element(na.element), b.element(nb.element), X_FG, false, enough);
      if (d.distance.lo > enough) continue;
      least = d.distance.lo > -kInfinity ? std::min(least, d.distance.lo) : -kInfinity;
      if (d.distance.hi < greatest) {
        greatest = d.distance.hi;
        result.pair = {na.element, nb.element};
        result.point_a = d.point_a;
        result.point_b = d.point_b;
        enough = std::min(enough, std::max(0.0, greatest - options.width));
      }
      result.touching = d.overlap || d.distance.hi <= 0.0;
      if (result.touching) break;
      continue;
    }
    PairWorkspace::Entry first, second;
    if (trees.opens_a(na, nb)) {
      first = {na.left, e.b, gap(na.left, e.b)};
      second = {na.right(), e.b, gap(na.right(), e.b)};
    } else {
      first = {e.a, nb.left, gap(e.a, nb.left)};
      second = {e.a, nb.right(), gap(e.a, nb.right())};
    }
    // The nearer child is opened first: it is likelier to hold the nearest pair.
    if (first.gap < second.gap) std::swap(first, second);
    if (!(first.gap > enough)) stack.push_back(first);
    if (!(second.gap > enough)) stack.push_back(second);
  }
  if (result.touching) {
    result.distance = {0.0, 0.0};
  } else if (greatest > options.bound && !(least <= options.bound)) {
    result.distance = {options.bound, kInfinity};
    result.pair = {};
  } else {
    result.distance = {std::max(0.0, std::min(least, enough)), std::max(0.0, greatest)};
  }
  return result;
}

}  // namespace catena
