#include "catena/query/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "near_pairs.hpp"

namespace catena {
namespace internal {

void validate_workspace(const CollisionWorld& world, const Workspace::Impl& ws) {
  if (ws.X_WL.size() == static_cast<size_t>(world.robot().num_links()) &&
      ws.placements.size() == world.geometries().size() &&
      ws.boxes.size() == world.chain_tree().nodes().size()) {
    return;
  }
  throw std::invalid_argument("the workspace was made for another world; make one for this world");
}

void set_poses(const CollisionWorld& world, const Motion& motion, double t, Workspace::Impl& ws,
               QueryStats& stats) {
  motion.poses(world.robot(), t, ws.X_WL);
  stats.compositions += ws.X_WL.size();
  ++ws.moved;
}

const Workspace::Impl::Placement& placement(const CollisionWorld& world, int geometry,
                                            Workspace::Impl& ws) {
  Workspace::Impl::Placement& place = ws.placements[static_cast<size_t>(geometry)];
  if (place.moved < ws.moved) {
    const CollisionWorld::WorldGeometry& g = world.geometries()[static_cast<size_t>(geometry)];
    const RigidEnclosure& X_WL = ws.X_WL[static_cast<size_t>(g.link.value)];
    place.X_WG = X_WL * g.X_LG;
    place.center = X_WL.X * g.center;
    place.center_error = X_WL.point_error(g.center.norm());
    place.moved = ws.moved;
  }
  return place;
}

RigidEnclosure relative_pose(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws) {
  return placement(world, pair.a, ws).X_WG.inverse() * placement(world, pair.b, ws).X_WG;
}

double ball_gap(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws) {
  const Workspace::Impl::Placement& a = placement(world, pair.a, ws);
  const Workspace::Impl::Placement& b = placement(world, pair.b, ws);
  const double radii = world.geometries()[static_cast<size_t>(pair.a)].radius +
                       world.geometries()[static_cast<size_t>(pair.b)].radius;
  const double distance = (a.center - b.center).norm();
  const double error = a.center_error + b.center_error;
  const double gap = distance * (1.0 - 1e-14) - bound_above(radii + error, 8);
  return gap > -kInfinity ? gap : -kInfinity;  // no number (overflow) separates nothing
}

Witness make_witness(const CollisionWorld& world, GeometryPair pair, const PairDistance& d,
                     Workspace::Impl& ws) {
  const RigidTransform& X_WG = placement(world, pair.a, ws).X_WG.X;
  Witness w;
  w.a = world.geometries()[static_cast<size_t>(pair.a)].body;
  w.b = world.geometries()[static_cast<size_t>(pair.b)].body;
  w.point_a = X_WG * d.point_a;
  w.point_b = X_WG * d.point_b;
  w.gap = d.distance;
  return w;
}

namespace {

/// One question about the poses at hand.
class StateQuery {
 public:
  StateQuery(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
             Workspace::Impl& ws)
      : world_(world),
        options_(options),
        contact_only_(contact_only),
        measuring_(options.distances && !contact_only),
        ws_(ws) {
    goal_.clearance = measuring_ ? kInfinity : options.clearance;
    goal_.measuring = measuring_;
    goal_.width = options.distance_width;
    goal_.floor = options.clearance;
  }

  StateResult run() {
    if (measuring_) {
      set_boxes(world_, ws_, [](int) { return 0.0; });
      measure();
    } else if (!touches_again() && !any_contact() && !contact_only_) {
      result_.verdict = open_ ? Verdict::kUndecided : Verdict::kFree;
    }
    return result_;
  }

 private:
  const Geometry& geometry(int i) const {
    return *world_.geometries()[static_cast<size_t>(i)].geometry;
  }
  bool checks(GeometryPair pair) const {
    return world_.checks(world_.geometries()[static_cast<size_t>(pair.a)].body,
                         world_.geometries()[static_cast<size_t>(pair.b)].body);
  }
  int scene_geometry(int i) const { return world_.first_scene_geometry() + i; }

  void report(GeometryPair pair, const PairDistance& d, Verdict verdict) {
    result_.verdict = verdict;
    result_.witness = make_witness(world_, pair, d, ws_);
  }

  // Both of these say true, that a contact is proven, for visits to end with.
  bool touch(GeometryPair pair, const PairDistance& d) {
    report(pair, d, Verdict::kCollision);
    ws_.last_contact = pair;
    return true;
  }
  bool touch_inside(GeometryPair pair) {
    PairDistance d;
    d.distance = {-kInfinity, 0.0};
    d.point_a = geometry(pair.a).bound_center();
    d.point_b = d.point_a;
    return touch(pair, d);
  }

  void leave_open(GeometryPair pair, PairDistance d, bool perhaps_inside) {
    if (perhaps_inside) d.distance.lo = -kInfinity;
    if (!open_ && !contact_only_) report(pair, d, Verdict::kUndecided);
    open_ = true;
    if (perhaps_inside) goal_.lower(-kInfinity);
  }

  // The budget ends in a pair that is left open.
  bool out_of_budget(GeometryPair pair) {
    if (options_.budget == 0 || result_.stats.visited() <= options_.budget) return false;
    leave_open(pair, {}, true);
    return true;
  }

  // True if the pair is proven to touch.
  bool visit(GeometryPair pair) {
    const Geometry& a = geometry(pair.a);
    const Geometry& b = geometry(pair.b);
    const RigidEnclosure X = relative_pose(world_, pair, ws_);
    ++result_.stats.pair_tests;
    const Examination e =
        examine(a, b, X, nullptr, goal_, {}, options_.budget, ws_.scratch, result_.stats);
    if (e.closer) result_.witness = make_witness(world_, pair, e.closest, ws_);
    if (e.state == PairState::kTouching) return touch(pair, e.distance);
    const bool solids = a.is_solid() || b.is_solid();
    PairState inside = PairState::kApart;
    if (solids && !e.hulls_apart) inside = contained(a, b, X, ws_.scratch, result_.stats);
    if (e.doubtful && inside != PairState::kTouching && solids &&
        insides_meet(a, b, X, ws_.scratch, result_.stats) == PairState::kTouching) {
      inside = PairState::kTouching;
    }
    if (inside == PairState::kTouching) return touch_inside(pair);
    if (e.state == PairState::kOpen || inside == PairState::kOpen) {
      leave_open(pair, e.distance, inside == PairState::kOpen);
    }
    return false;
  }

  bool touches_again() {
    const GeometryPair likely = ws_.last_contact;
    return likely.a >= 0 && visit(likely);
  }

  bool any_contact() {
    const double margin = options_.clearance;
    set_boxes(world_, ws_, [margin](int) { return margin; });
    const bool found = meets_scene() || meets_itself();
    return found && result_.verdict == Verdict::kCollision;
  }

  bool meets_itself() {
    return visit_near_parts(world_, ws_, result_.stats, [&](int a, int b) {
      const GeometryPair pair{a, b};
      if (!checks(pair)) return false;
      if (out_of_budget(pair)) return true;
      if (ball_gap(world_, pair, ws_) > options_.clearance) return false;
      return visit(pair);
    });
  }

  bool meets_scene() {
    const SceneTree& scene = world_.scene_tree();
    for (const int i : scene.unbounded()) {
      for (int part = 0; part < world_.first_scene_geometry(); ++part) {
        const GeometryPair pair{part, scene_geometry(i)};
        if (!checks(pair)) continue;
        if (out_of_budget(pair) || visit(pair)) return true;
      }
    }
    int at_hand = -1, with = -1;
    bool checked = false, whole = false;
    RigidEnclosure X;
    const auto turn_to = [&](GeometryPair pair) {
      if (pair.a != at_hand) ws_.seen.clear();
      if (pair.a == at_hand && pair.b == with) return;
      at_hand = pair.a;
      with = pair.b;
      checked = checks(pair);
      whole = geometry(pair.a).num_elements() > 1;
      if (checked) X = relative_pose(world_, pair, ws_);
    };
    const bool found = visit_near_scene(
        world_, scene.elements(), ws_, result_.stats,
        [&](int part, const SceneTree::Node& obstacle) {
          const GeometryPair pair{part, scene_geometry(obstacle.geometry)};
          turn_to(pair);
          if (!checked) return false;
          if (out_of_budget(pair)) return true;
          if (!whole) {
            ++result_.stats.element_tests;
            const PairDistance d =
                pair_distance(geometry(part).element(0), geometry(pair.b).element(obstacle.element),
                              X, false, options_.clearance);
            if (d.distance.lo > options_.clearance) return false;
            if (d.overlap || d.distance.hi <= options_.clearance) return touch(pair, d);
          }
          // Several elements, or a doubtful one: the whole pair, once.
          if (std::find(ws_.seen.begin(), ws_.seen.end(), pair.b) != ws_.seen.end()) return false;
          ws_.seen.push_back(pair.b);
          return visit(pair);
        });
    if (found) return true;
    // A part may be inside of a closed mesh, off its triangles. (Where a closed mesh of the robot
    // holds something of the scene, their boxes met above.)
    return visit_near_scene(
        world_, scene.solids(), ws_, result_.stats, [&](int part, const SceneTree::Node& obstacle) {
          const GeometryPair pair{part, scene_geometry(obstacle.geometry)};
          if (!checks(pair)) return false;
          if (out_of_budget(pair)) return true;
          ++result_.stats.pair_tests;
          const PairState inside =
              contained(geometry(pair.a), geometry(pair.b), relative_pose(world_, pair, ws_),
                        ws_.scratch, result_.stats);
          if (inside == PairState::kTouching) return touch_inside(pair);
          if (inside == PairState::kOpen) leave_open(pair, {}, true);
          return false;
        });
  }

  // Nearest boxes first, so that the smallest distance is met early and most pairs are never
  // opened.
  void measure() {
    if (world_.num_geometry_pairs() == 0) {
      result_.verdict = Verdict::kFree;
      return;
    }
    if (meets_nearest()) {
      Witness witness = result_.witness;
      result_.distance = depth_of_all(witness);
      if (result_.distance) result_.witness = witness;
      return;
    }
    result_.distance = Interval{std::min(goal_.least, goal_.clearance), goal_.greatest};
    if (result_.distance->lo > options_.clearance && !open_) {
      result_.verdict = Verdict::kFree;
    } else if (result_.distance->hi <= options_.clearance) {
      result_.verdict = Verdict::kCollision;
    } else {
      result_.verdict = Verdict::kUndecided;
    }
    if (!open_) result_.witness.gap = *result_.distance;
    if (!std::isfinite(result_.distance->lo) || !std::isfinite(result_.distance->hi)) {
      result_.distance.reset();
    }
  }

  // True if a contact is proven.
  bool meets_nearest() {
    const SceneTree& scene = world_.scene_tree();
    for (const int i : scene.unbounded()) {
      for (int part = 0; part < world_.first_scene_geometry(); ++part) {
        const GeometryPair pair{part, scene_geometry(i)};
        if (!checks(pair)) continue;
        if (out_of_budget(pair)) return false;
        if (visit(pair)) return true;
      }
    }
    const auto nodes = world_.chain_tree().nodes();
    const SceneTree::Tree& obstacles = scene.geometries();
    auto& queue = ws_.queue;
    queue.clear();
    const auto push = [&](int a, int b, bool of_scene) {
      double distance = 0.0;
      if (b >= 0) {
        ++result_.stats.box_tests;
        const FloatBox& other =
            of_scene ? obstacles.boxes[static_cast<size_t>(b)] : ws_.boxes[static_cast<size_t>(b)];
        if (ws_.boxes[static_cast<size_t>(a)].is_empty() || other.is_empty()) return;
        distance = distance_below(ws_.boxes[static_cast<size_t>(a)], other);
        if (distance > goal_.clearance) return;
      }
      queue.push_back({distance, a, b, of_scene});
      std::push_heap(queue.begin(), queue.end());
    };
    if (!nodes.empty()) push(0, -1, false);
    if (!nodes.empty() && !obstacles.nodes.empty()) push(0, 0, true);
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end());
      const Workspace::Impl::NodePair at = queue.back();
      queue.pop_back();
      if (at.distance > goal_.clearance) break;
      const ChainTree::Node& a = nodes[static_cast<size_t>(at.a)];
      if (at.b < 0) {
        if (a.left < 0 || (a.rigid && a.anchor.value != 0)) continue;
        push(a.left, a.right, false);
        push(a.left, -1, false);
        push(a.right, -1, false);
        continue;
      }
      const int left = at.scene ? obstacles.nodes[static_cast<size_t>(at.b)].left
                                : nodes[static_cast<size_t>(at.b)].left;
      if (a.left < 0 && left < 0) {
        const int b = at.scene ? scene_geometry(obstacles.nodes[static_cast<size_t>(at.b)].geometry)
                               : nodes[static_cast<size_t>(at.b)].part;
        const GeometryPair pair{std::min(a.part, b), std::max(a.part, b)};
        if (!checks(pair)) continue;
        if (out_of_budget(pair)) return false;
        if (ball_gap(world_, pair, ws_) > goal_.clearance) continue;
        if (visit(pair)) return true;
        continue;
      }
      const FloatBox& box_a = ws_.boxes[static_cast<size_t>(at.a)];
      const FloatBox& box_b = at.scene ? obstacles.boxes[static_cast<size_t>(at.b)]
                                       : ws_.boxes[static_cast<size_t>(at.b)];
      if (left < 0 || (a.left >= 0 && box_a.size() >= box_b.size())) {
        push(a.left, at.b, at.scene);
        push(a.right, at.b, at.scene);
      } else {
        push(at.a, left, at.scene);
        push(at.a, at.scene ? left + 1 : nodes[static_cast<size_t>(at.b)].right, at.scene);
      }
    }
    return false;
  }

  // Brackets minus the penetration depth over all touching pairs; nothing unless all are convex and
  // the bracket is as narrow as asked.
  std::optional<Interval> depth_of_all(Witness& witness) {
    Interval deepest{kInfinity, kInfinity};
    // True where nothing can be said of the depth.
    const auto unknown = [&](GeometryPair pair) {
      if (!checks(pair) || ball_gap(world_, pair, ws_) > 0.0) return false;
      const Geometry& a = geometry(pair.a);
      const Geometry& b = geometry(pair.b);
      const RigidEnclosure X = relative_pose(world_, pair, ws_);
      ++result_.stats.pair_tests;
      if (a.num_elements() > 1 || b.num_elements() > 1) {
        Goal goal;
        return examine(a, b, X, nullptr, goal, {}, 0, ws_.scratch, result_.stats).state !=
                   PairState::kApart ||
               contained(a, b, X, ws_.scratch, result_.stats) != PairState::kApart;
      }
      ++result_.stats.element_tests;
      const PairDistance d = pair_distance(a.element(0), b.element(0), X, true);
      if (d.distance.hi < deepest.hi) {
        deepest.hi = d.distance.hi;
        witness = make_witness(world_, pair, d, ws_);
      }
      deepest.lo = std::min(deepest.lo, d.distance.lo);
      return false;
    };
    for (const int i : world_.scene_tree().unbounded()) {
      for (int part = 0; part < world_.first_scene_geometry(); ++part) {
        if (unknown({part, scene_geometry(i)})) return std::nullopt;
      }
    }
    if (visit_near_parts(world_, ws_, result_.stats,
                         [&](int a, int b) {
                           return unknown({a, b});
                         }) ||
        visit_near_scene(world_, world_.scene_tree().geometries(), ws_, result_.stats,
                         [&](int part, const SceneTree::Node& obstacle) {
                           return unknown({part, scene_geometry(obstacle.geometry)});
                         })) {
      return std::nullopt;
    }
    if (!(deepest.hi <= 0.0) || !(deepest.width() <= options_.distance_width)) return std::nullopt;
    return deepest;
  }

  const CollisionWorld& world_;
  const QueryOptions& options_;
  const bool contact_only_;
  const bool measuring_;
  Workspace::Impl& ws_;
  Goal goal_;
  StateResult result_;
  bool open_ = false;
};

}  // namespace

StateResult check_poses(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
                        Workspace::Impl& ws) {
  return StateQuery(world, options, contact_only, ws).run();
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
