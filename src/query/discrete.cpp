#include "catena/query/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "workspace_impl.hpp"

namespace catena {
namespace internal {

void validate_workspace(const CollisionWorld& world, const Workspace::Impl& ws) {
  if (ws.X_WL.size() == static_cast<size_t>(world.robot().num_links()) &&
      ws.X_WG.size() == world.geometries().size() &&
      ws.last_contact < static_cast<int>(world.pairs().size())) {
    return;
  }
  throw std::invalid_argument("the workspace was made for another world; make one for this world");
}

void set_poses(const CollisionWorld& world, const Motion& motion, double t, Workspace::Impl& ws,
               QueryStats& stats) {
  motion.poses(world.robot(), t, ws.X_WL);
  stats.compositions += ws.X_WL.size();
  const auto geometries = world.geometries();
  for (size_t i = 0; i < geometries.size(); ++i) {
    const RigidEnclosure& X_WL = ws.X_WL[static_cast<size_t>(geometries[i].link.value)];
    ws.X_WG[i] = X_WL * geometries[i].X_LG;
    ws.centers[i] = X_WL.X * geometries[i].center;
    ws.center_errors[i] = X_WL.point_error(geometries[i].center.norm());
  }
}

RigidEnclosure relative_pose(const CollisionWorld::GeometryPair& pair, const Workspace::Impl& ws) {
  return ws.X_WG[static_cast<size_t>(pair.a)].inverse() * ws.X_WG[static_cast<size_t>(pair.b)];
}

double ball_gap(const CollisionWorld& world, const CollisionWorld::GeometryPair& pair,
                const Workspace::Impl& ws) {
  const auto a = static_cast<size_t>(pair.a), b = static_cast<size_t>(pair.b);
  const double radii = world.geometries()[a].radius + world.geometries()[b].radius;
  const double distance = (ws.centers[a] - ws.centers[b]).norm();
  const double error = ws.center_errors[a] + ws.center_errors[b];
  const double gap = distance * (1.0 - 1e-14) - bound_above(radii + error, 8);
  return gap > -kInfinity ? gap : -kInfinity;  // no number (overflow) separates nothing
}

Witness make_witness(const CollisionWorld& world, int pair, const PairDistance& d,
                     const Workspace::Impl& ws) {
  const auto& p = world.pairs()[static_cast<size_t>(pair)];
  const RigidTransform& X_WG = ws.X_WG[static_cast<size_t>(p.a)].X;
  Witness w;
  w.a = world.geometries()[static_cast<size_t>(p.a)].body;
  w.b = world.geometries()[static_cast<size_t>(p.b)].body;
  w.point_a = X_WG * d.point_a;
  w.point_b = X_WG * d.point_b;
  w.gap = d.distance;
  return w;
}

namespace {

// Brackets minus the penetration depth over all touching pairs; nothing unless all are convex and
// the bracket is as narrow as asked.
std::optional<Interval> depth_of_all(const CollisionWorld& world, double distance_width,
                                     Workspace::Impl& ws, QueryStats& stats, Witness& witness) {
  Interval deepest{kInfinity, kInfinity};
  for (size_t i = 0; i < world.pairs().size(); ++i) {
    const auto& pair = world.pairs()[i];
    if (ball_gap(world, pair, ws) > 0.0) continue;
    const Geometry& a = *world.geometries()[static_cast<size_t>(pair.a)].geometry;
    const Geometry& b = *world.geometries()[static_cast<size_t>(pair.b)].geometry;
    const RigidEnclosure X = relative_pose(pair, ws);
    ++stats.pair_tests;
    if (a.num_elements() > 1 || b.num_elements() > 1) {
      Goal goal;
      if (examine(a, b, X, nullptr, goal, {}, 0, ws.scratch, stats).state != PairState::kApart ||
          contained(a, b, X, ws.scratch, stats) != PairState::kApart) {
        return std::nullopt;
      }
      continue;
    }
    ++stats.element_tests;
    const PairDistance d = pair_distance(a.element(0), b.element(0), X, true);
    if (d.distance.hi < deepest.hi) {
      deepest.hi = d.distance.hi;
      witness = make_witness(world, static_cast<int>(i), d, ws);
    }
    deepest.lo = std::min(deepest.lo, d.distance.lo);
  }
  if (!(deepest.hi <= 0.0) || !(deepest.width() <= distance_width)) return std::nullopt;
  return deepest;
}

}  // namespace

StateResult check_poses(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
                        Workspace::Impl& ws) {
  StateResult result;
  const auto pairs = world.pairs();
  const bool measuring = options.distances && !contact_only;
  bool open = false;
  Goal goal;
  goal.clearance = measuring ? kInfinity : options.clearance;
  goal.measuring = measuring;
  goal.width = options.distance_width;
  goal.floor = options.clearance;

  const auto report = [&](size_t i, const PairDistance& d, Verdict verdict) {
    result.verdict = verdict;
    result.witness = make_witness(world, static_cast<int>(i), d, ws);
  };
  // True if pair i is proven to touch.
  const auto visit = [&](size_t i) {
    const auto& pair = pairs[i];
    const Geometry& a = *world.geometries()[static_cast<size_t>(pair.a)].geometry;
    const Geometry& b = *world.geometries()[static_cast<size_t>(pair.b)].geometry;
    const RigidEnclosure X = relative_pose(pair, ws);
    ++result.stats.pair_tests;
    const Examination e =
        examine(a, b, X, nullptr, goal, {}, options.budget, ws.scratch, result.stats);
    if (e.closer) result.witness = make_witness(world, static_cast<int>(i), e.closest, ws);
    if (e.state == PairState::kTouching) {
      report(i, e.distance, Verdict::kCollision);
      ws.last_contact = static_cast<int>(i);
      return true;
    }
    PairState inside = PairState::kApart;
    if ((a.is_solid() || b.is_solid()) && !e.hulls_apart) {
      inside = contained(a, b, X, ws.scratch, result.stats);
    }
    if (e.doubtful && inside != PairState::kTouching && (a.is_solid() || b.is_solid()) &&
        insides_meet(a, b, X, ws.scratch, result.stats) == PairState::kTouching) {
      inside = PairState::kTouching;
    }
    if (inside == PairState::kTouching) {
      PairDistance d;
      d.distance = {-kInfinity, 0.0};
      d.point_a = a.bound_center();
      d.point_b = a.bound_center();
      report(i, d, Verdict::kCollision);
      ws.last_contact = static_cast<int>(i);
      return true;
    }
    if (e.state == PairState::kOpen || inside == PairState::kOpen) {
      PairDistance d = e.distance;
      if (inside == PairState::kOpen) d.distance.lo = -kInfinity;  // one may be in the other
      if (!open && !contact_only) report(i, d, Verdict::kUndecided);
      open = true;
      if (inside == PairState::kOpen) goal.lower(-kInfinity);
    }
    return false;
  };
  const auto finish_collision = [&] {
    if (measuring) {
      Witness witness = result.witness;
      result.distance = depth_of_all(world, options.distance_width, ws, result.stats, witness);
      if (result.distance) result.witness = witness;
    }
  };

  if (!measuring) {
    const int likely = ws.last_contact;
    if (likely >= 0 && visit(static_cast<size_t>(likely))) return result;
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (static_cast<int>(i) == likely) continue;
      if (ball_gap(world, pairs[i], ws) > options.clearance) continue;
      if (visit(i)) return result;
    }
    if (contact_only) return result;
    result.verdict = open ? Verdict::kUndecided : Verdict::kFree;
    return result;
  }

  // Nearest balls first, so that the smallest distance is met early and most pairs are never
  // opened.
  ws.order.clear();
  for (size_t i = 0; i < pairs.size(); ++i) {
    ws.order.emplace_back(ball_gap(world, pairs[i], ws), static_cast<int>(i));
  }
  std::sort(ws.order.begin(), ws.order.end());
  for (const auto& [gap, i] : ws.order) {
    if (gap > goal.clearance) break;
    if (visit(static_cast<size_t>(i))) {
      finish_collision();
      return result;
    }
  }
  if (pairs.empty()) {
    result.verdict = Verdict::kFree;
    return result;
  }
  result.distance = Interval{std::min(goal.least, goal.clearance), goal.greatest};
  if (result.distance->lo > options.clearance && !open) {
    result.verdict = Verdict::kFree;
  } else if (result.distance->hi <= options.clearance) {
    result.verdict = Verdict::kCollision;
  } else {
    result.verdict = Verdict::kUndecided;
  }
  if (!open) result.witness.gap = *result.distance;
  if (!std::isfinite(result.distance->lo) || !std::isfinite(result.distance->hi)) {
    result.distance.reset();
  }
  return result;
}

}  // namespace internal

void validate_options(const QueryOptions& options) {
  const auto require = [](bool holds, const char* name, double value, const char* remedy) {
    if (holds) return;
    throw std::invalid_argument(std::string("options.") + name + " is " + std::to_string(value) +
                                "; give " + remedy);
  };
  // A negative clearance would call overlapping solids free.
  require(std::isfinite(options.clearance) && options.clearance >= 0.0, "clearance",
          options.clearance, "metres >= 0");
  require(std::isfinite(options.tolerance) && options.tolerance >= 0.0, "tolerance",
          options.tolerance, "metres >= 0");
  require(std::isfinite(options.distance_width) && options.distance_width > 0.0, "distance_width",
          options.distance_width, "metres > 0");
}

StateResult check_state(const CollisionWorld& world, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const QueryOptions& options, Workspace& workspace) {
  validate_options(options);
  const RoundingScope rounding;
  Workspace::Impl& ws = workspace.impl();
  internal::validate_workspace(world, ws);
  ws.still.reset(world.robot(), q, q);
  QueryStats stats;
  internal::set_poses(world, ws.still, 0.0, ws, stats);
  StateResult result = internal::check_poses(world, options, false, ws);
  result.stats += stats;
  return result;
}

}  // namespace catena
