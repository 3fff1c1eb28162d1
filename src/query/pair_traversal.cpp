#include "pair_traversal.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/point_in_solid.hpp"

namespace catena::internal {
namespace {

bool is_half_space(const Geometry& g) noexcept { return g.tree().empty(); }

struct Traversal {
  const Geometry& a;
  const Geometry& b;
  const RigidEnclosure& X;
  const PairMotion* motion;
  Goal& goal;
  QueryStats& stats;
  Examination result;

  const ObbTree::Node& node_a(int i) const { return a.tree().nodes()[static_cast<size_t>(i)]; }
  const ObbTree::Node& node_b(int i) const { return b.tree().nodes()[static_cast<size_t>(i)]; }

  double enough() const {
    return goal.clearance + (motion != nullptr ? motion->displacement : 0.0);
  }

  // How much of a gap along n the motion may close. `extent_a(d)` is how far a's part reaches along
  // d from the point that moves with centre + offset_a, `extent_b(d)` how far b's does along -d.
  // The gap of the linearly moving parts is concave in tau, so its ends tau = +-h decide.
  template <class ExtentA, class ExtentB>
  double closing(const Vector3d& n, const Vector3d& offset_a, const Vector3d& offset_b,
                 const ExtentA& extent_a, const ExtentB& extent_b) const {
    const Vector3d turn_a = n.cross(motion->spin_a), turn_b = n.cross(motion->spin_b);
    const double still_a = extent_a(n), still_b = extent_b(n);
    const double rate = n.dot(motion->velocity) + turn_b.dot(offset_b) - turn_a.dot(offset_a);
    double most = 0.0, size = std::abs(still_a) + std::abs(still_b);
    for (const double tau : {motion->half_step, -motion->half_step}) {
      const double moved_a = extent_a(n + tau * turn_a), moved_b = extent_b(n + tau * turn_b);
      const double closed = (moved_a - still_a) + (moved_b - still_b) - tau * rate;
      if (!(closed <= most)) most = closed;  // also if it is no number, which then stays
      if (std::isnan(most)) return motion->displacement;
      size += std::abs(moved_a) + std::abs(moved_b);
    }
    size += motion->half_step * (motion->velocity.norm() + turn_a.norm() * offset_a.norm() +
                                 turn_b.norm() * offset_b.norm());
    const double bound = most + motion->half_step * motion->velocity_error + motion->acceleration +
                         64 * kUnitRoundoff * size;
    return std::min(motion->displacement, bound_above(bound, 40));
  }

  // The same for what lies in the two boxes.
  double motion_along(const Vector3d& n, int na, int nb) const {
    const auto reach_of = [](const Obb& box, const Vector3d& d) {
      return box.half.dot((box.axes.transpose() * d).cwiseAbs()) * (1.0 + 1e-13);
    };
    const Vector3d offset_a =
        na < 0 ? Vector3d::Zero() : Vector3d(node_a(na).box.center - a.bound_center());
    const Vector3d offset_b =
        nb < 0 ? Vector3d::Zero() : Vector3d(X.X.R * (node_b(nb).box.center - b.bound_center()));
    // A half-space stands still: its extent does not change.
    return closing(
        n, offset_a, offset_b,
        [&](const Vector3d& d) { return na < 0 ? 0.0 : reach_of(node_a(na).box, d); },
        [&](const Vector3d& d) {
          return nb < 0 ? 0.0 : reach_of(node_b(nb).box, X.X.R.transpose() * d);
        });
  }

  // And for two elements.
  double motion_along(const Vector3d& n, const ConvexShape& ea, const ConvexShape& eb) const {
    const auto extent = [](const ConvexShape& e, const Vector3d& from, const Vector3d& d) {
      if (e.core == ConvexShape::Core::kHalfSpace) return 0.0;
      return d.dot(e.support(d) - from) + (e.radius + e.core_error) * d.norm();
    };
    // Which support point is chosen rounds with the elements' distance from their frames' origins.
    const auto reach = [](const ConvexShape& e) {
      return e.core == ConvexShape::Core::kHalfSpace ? 0.0
                                                     : e.core_center().norm() + e.core_radius();
    };
    const double choice =
        64 * kUnitRoundoff *
        (reach(ea) + reach(eb) + a.bound_center().norm() + b.bound_center().norm());
    return choice + closing(
                        n, Vector3d::Zero(), Vector3d::Zero(),
                        [&](const Vector3d& d) { return extent(ea, a.bound_center(), d); },
                        [&](const Vector3d& d) {
                          return extent(eb, b.bound_center(), -(X.X.R.transpose() * d));
                        });
  }

  // How much the boxes' gap exceeds what the motion can close; more than the clearance: apart.
  double slack(int na, int nb) {
    ++stats.box_tests;
    Separation s;
    if (na < 0) {
      s = half_space_gap(a.element(0), node_b(nb).box, X);
    } else if (nb < 0) {
      s = half_space_gap(b.element(0), node_a(na).box, X.inverse());
      s.direction = -(X.X.R * s.direction);
    } else {
      s = separate(node_a(na).box, node_b(nb).box, X, enough());
    }
    if (motion == nullptr || !(s.gap > goal.clearance)) return s.gap;
    return s.gap - motion_along(s.direction, na, nb);
  }

  int element_of(const Geometry& g, int n) const {
    return n < 0 ? 0 : g.tree().nodes()[static_cast<size_t>(n)].element;
  }

  // What lies beyond `bound` is not looked at any more; no number bounds nothing.
  void drop(double bound) noexcept {
    result.gap = bound > -kInfinity ? std::min(result.gap, bound) : -kInfinity;
  }

  // Are the convex hulls apart, and with them everything inside?
  bool hulls_apart() {
    ++stats.element_tests;
    const ConvexShape ha = a.hull(), hb = b.hull();
    const PairDistance d = pair_distance(ha, hb, X, false, enough());
    if (!(d.distance.lo > goal.clearance)) return false;
    drop(d.distance.lo);
    return motion == nullptr || d.distance.lo - motion_along(d.direction, ha, hb) > goal.clearance;
  }

  // True if the search may stop: a contact is proven.
  bool test_leaf(int na, int nb) {
    return test_elements(a.element(element_of(a, na)), b.element(element_of(b, nb)), {na, nb});
  }
  bool test_elements(const ConvexShape& ea, const ConvexShape& eb, Leaf leaf) {
    ++stats.element_tests;
    const PairDistance d = pair_distance(ea, eb, X, false, goal.measuring ? goal.most : enough());
    drop(d.distance.lo);
    if (goal.measuring && d.distance.hi < goal.greatest) {
      goal.found(d.distance.hi);
      result.closer = true;
      result.closest = d;
    }
    // A depth that is told is one of this pair alone: a contact, before it is a measured distance.
    const bool touches = d.overlap || (!goal.measuring && d.distance.hi <= goal.clearance);
    if (!touches && d.distance.lo > goal.clearance &&
        (motion == nullptr || d.distance.lo - motion_along(d.direction, ea, eb) > goal.clearance)) {
      return false;
    }
    if (touches) {
      result.state = PairState::kTouching;
      result.leaf = leaf;
      result.distance = d;
      return true;
    }
    result.doubtful = result.doubtful || d.distance.lo <= goal.clearance;
    if (goal.measuring && motion == nullptr) {
      goal.lower(d.distance.lo);
      // Still a measured pair; whether it is free, the bracket will tell.
      return false;
    }
    if (result.state == PairState::kApart) {
      result.state = PairState::kOpen;
      result.leaf = leaf;
      result.distance = d;
    } else {
      result.distance.distance.lo = std::min(result.distance.distance.lo, d.distance.lo);
      result.distance.distance.hi = std::min(result.distance.distance.hi, d.distance.hi);
    }
    return false;
  }
};

}  // namespace

Separation half_space_gap(const ConvexShape& h_F, const Obb& box_G,
                          const RigidEnclosure& X_FG) noexcept {
  const Vector3d& n = h_F.center;
  const Vector3d center = X_FG.X * box_G.center;
  const Matrix3d axes = X_FG.X.R * box_G.axes;
  const double reach = box_G.half.dot((axes.transpose() * n).cwiseAbs());
  const double sizes = box_G.half.sum();
  const double error =
      bound_above(X_FG.point_error(box_G.center.norm()) + (X_FG.rotation_error + 1e-13) * sizes +
                      32 * kUnitRoundoff * (center.norm() + std::abs(h_F.half.x()) + sizes),
                  20);
  return {n, n.dot(center) - reach - h_F.half.x() - error};
}

void Goal::lower(double bound) noexcept {
  // No number bounds nothing.
  least = bound > -kInfinity ? std::min(least, bound) : -kInfinity;
}

void Goal::found(double distance_hi) noexcept {
  greatest = std::min(greatest, distance_hi);
  if (greatest == kInfinity) return;
  // Narrow enough to tell which side of the floor the distance is on.
  clearance = std::min(most, greatest - std::min(width, 0.1 * std::abs(greatest - floor)));
  // A bound of boxes that overlap is 0, and tells of no depth: a contact is still to be found.
  if (greatest >= 0.0) clearance = std::max(clearance, 0.0);
}

Examination examine(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                    const PairMotion* motion, Goal& goal, Leaf hint, std::uint64_t budget,
                    Scratch& scratch, QueryStats& stats) {
  Traversal t{a, b, X_FG, motion, goal, stats, {}};
  const int root_a = is_half_space(a) ? -1 : 0;
  const int root_b = is_half_space(b) ? -1 : 0;
  const auto is_leaf_a = [&](int n) { return n < 0 || t.node_a(n).left < 0; };
  const auto is_leaf_b = [&](int n) { return n < 0 || t.node_b(n).left < 0; };

  const bool hinted = hint.a != -1 || hint.b != -1;
  if (hinted) {
    if (t.test_leaf(hint.a, hint.b)) return t.result;
    // Left open there, the whole pair is left open; only a contact would say more, and the
    // next smaller interval will look for it.
    if (t.result.state == PairState::kOpen) return t.result;
  }

  auto& stack = scratch.stack;
  stack.clear();
  if (is_leaf_a(root_a) && is_leaf_b(root_b)) {
    if (!hinted) t.test_leaf(root_a, root_b);
    return t.result;
  }
  stack.push_back({root_a, root_b, t.slack(root_a, root_b)});
  if (stack.back().slack > goal.clearance) {
    t.drop(stack.back().slack);
    return t.result;
  }
  if (a.has_hull() && b.has_hull() && t.hulls_apart()) {
    t.result.hulls_apart = true;
    return t.result;
  }
  while (!stack.empty()) {
    const Scratch::Entry e = stack.back();
    stack.pop_back();
    if (e.slack > goal.clearance) {
      t.drop(e.slack);
      continue;
    }
    if (budget != 0 && stats.visited() > budget) {
      t.result.state = PairState::kOpen;
      t.drop(-kInfinity);
      goal.lower(-kInfinity);
      return t.result;
    }
    if (is_leaf_a(e.a) && is_leaf_b(e.b)) {
      if (t.test_leaf(e.a, e.b)) return t.result;
      // From the first open leaf on only a contact at mid-time matters: stop allowing for motion.
      if (t.result.state == PairState::kOpen) t.motion = nullptr;
      continue;
    }
    const bool split_a =
        !is_leaf_a(e.a) && (is_leaf_b(e.b) || t.node_a(e.a).box.half.squaredNorm() >=
                                                  t.node_b(e.b).box.half.squaredNorm());
    Scratch::Entry first, second;
    if (split_a) {
      first = {t.node_a(e.a).left, e.b, 0.0};
      second = {t.node_a(e.a).right(), e.b, 0.0};
    } else {
      first = {e.a, t.node_b(e.b).left, 0.0};
      second = {e.a, t.node_b(e.b).right(), 0.0};
    }
    first.slack = t.slack(first.a, first.b);
    second.slack = t.slack(second.a, second.b);
    // The nearer child is popped first: it is likelier to touch, and lowers a measured distance.
    if (first.slack < second.slack) std::swap(first, second);
    // Only a proven gap drops a child; no number (overflow) is none.
    for (const Scratch::Entry& child : {first, second}) {
      if (child.slack > goal.clearance) {
        t.drop(child.slack);
      } else {
        stack.push_back(child);
      }
    }
  }
  return t.result;
}

Examination examine_elements(const Geometry& a, int element_a, const Geometry& b, int element_b,
                             const RigidEnclosure& X_FG, const PairMotion& motion, Goal& goal,
                             QueryStats& stats) {
  Traversal t{a, b, X_FG, &motion, goal, stats, {}};
  t.test_elements(a.element(element_a), b.element(element_b), {});
  return t.result;
}

PairState insides_meet(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                       Scratch& scratch, QueryStats& stats) {
  // Enough for a pair of coarse meshes; on fine ones some triangles cross properly.
  constexpr int kMostTests = 256;
  bool found = false;
  const auto search = [&](const Geometry& solid, const Geometry& other, const RigidEnclosure& X) {
    if (!solid.is_solid() || is_half_space(other)) return;
    for (const Vector3d& p : other.interior_points()) {
      if (found) break;
      ++stats.element_tests;
      found = point_in_solid(solid, X.X * p, X.point_error(p.norm())) == Side::kInside;
    }
    const Obb& root = solid.tree().nodes().front().box;
    int tests = 0;
    auto& stack = scratch.stack;
    stack.clear();
    stack.push_back({0, 0, 0.0});
    while (!stack.empty() && !found && tests < kMostTests) {
      const ObbTree::Node& node = other.tree().nodes()[static_cast<size_t>(stack.back().a)];
      stack.pop_back();
      ++stats.box_tests;
      if (separate(root, node.box, X, 0.0).gap > 0.0) continue;
      if (node.left >= 0) {
        stack.push_back({node.left, 0, 0.0});
        stack.push_back({node.right(), 0, 0.0});
        continue;
      }
      const ConvexShape element = other.element(node.element);
      const Vector3d p = element.core_center();
      ++tests;
      ++stats.element_tests;
      // The centre of a triangle is off it by a few roundoffs.
      const double error = X.point_error(p.norm()) + element.core_error +
                           8 * kUnitRoundoff * (p.norm() + element.core_radius());
      found = point_in_solid(solid, X.X * p, error) == Side::kInside;
    }
  };
  search(a, b, X_FG);
  if (!found) search(b, a, X_FG.inverse());
  return found ? PairState::kTouching : PairState::kOpen;
}

PairState contained(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                    Scratch& scratch, QueryStats& stats) {
  PairState state = PairState::kApart;
  // Is a point of each component of `inner` inside `solid`? X maps inner's frame to solid's.
  const auto check = [&](const Geometry& solid, const Geometry& inner, const RigidEnclosure& X) {
    if (!solid.is_solid() || is_half_space(inner)) return;
    const Obb& root = solid.tree().nodes().front().box;
    const auto point_side = [&](const ConvexShape& element) {
      const Vector3d p =
          element.core == ConvexShape::Core::kTriangle ? element.corners[0] : element.core_center();
      ++stats.element_tests;
      return point_in_solid(solid, X.X * p, X.point_error(p.norm()) + element.core_error);
    };
    const auto note = [&](Side side) {
      if (side == Side::kInside) state = PairState::kTouching;
      if (side == Side::kUnknown && state == PairState::kApart) state = PairState::kOpen;
    };
    if (inner.kind() == Geometry::Kind::kPrimitive) {
      note(point_side(inner.element(0)));
      return;
    }
    if (inner.kind() == Geometry::Kind::kMesh) {
      for (const int i : inner.component_elements()) {
        if (state != PairState::kTouching) note(point_side(inner.element(i)));
      }
      return;
    }
    // Every ball or box is a component; those whose node misses the solid's box are outside.
    auto& stack = scratch.stack;
    stack.clear();
    stack.push_back({0, 0, 0.0});
    while (!stack.empty() && state != PairState::kTouching) {
      const ObbTree::Node& node = inner.tree().nodes()[static_cast<size_t>(stack.back().a)];
      stack.pop_back();
      ++stats.box_tests;
      if (separate(root, node.box, X, 0.0).gap > 0.0) continue;
      if (node.left < 0) {
        note(point_side(inner.element(node.element)));
      } else {
        stack.push_back({node.left, 0, 0.0});
        stack.push_back({node.right(), 0, 0.0});
      }
    }
  };
  check(a, b, X_FG);
  if (state != PairState::kTouching) check(b, a, X_FG.inverse());
  return state;
}

StillPair examine_still(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                        Goal& goal, std::uint64_t budget, Scratch& scratch, QueryStats& stats) {
  StillPair pair;
  pair.surfaces = examine(a, b, X_FG, nullptr, goal, {}, budget, scratch, stats);
  if (pair.surfaces.state == PairState::kTouching) return pair;
  const bool solids = a.is_solid() || b.is_solid();
  if (solids && !pair.surfaces.hulls_apart) pair.inside = contained(a, b, X_FG, scratch, stats);
  if (pair.surfaces.doubtful && pair.inside != PairState::kTouching && solids &&
      insides_meet(a, b, X_FG, scratch, stats) == PairState::kTouching) {
    pair.inside = PairState::kTouching;
  }
  return pair;
}

Interval bracket_distance(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                          double most, double width, std::uint64_t budget, Scratch& scratch,
                          QueryStats& stats) {
  if (a.num_elements() == 1 && b.num_elements() == 1) {
    ++stats.element_tests;
    const Interval d = pair_distance(a.element(0), b.element(0), X_FG, true, most).distance;
    return {d.lo > -kInfinity ? d.lo : -kInfinity, d.hi < kInfinity ? d.hi : kInfinity};
  }
  Goal goal;
  goal.measuring = true;
  goal.clearance = goal.most = goal.floor = most;
  goal.width = width;
  const StillPair pair = examine_still(a, b, X_FG, goal, budget, scratch, stats);
  if (pair.surfaces.state == PairState::kTouching || pair.inside == PairState::kTouching) {
    return {-kInfinity, 0.0};
  }
  return {pair.inside == PairState::kOpen ? -kInfinity : pair.surfaces.gap, goal.greatest};
}

}  // namespace catena::internal
