#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "near_pairs.hpp"
#include "part_line.hpp"

namespace catena::internal {

/// One question about the poses at hand: goes through the pairs that are near, and keeps what is
/// found out.
class StateQuery {
 public:
  /// `contact_only`: a proven contact or nothing. `with_points`: witnesses get their points, for
  /// which all placements must be those at hand.
  StateQuery(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
             bool with_points, Workspace::Impl& ws)
      : world_(world),
        options_(options),
        contact_only_(contact_only),
        measuring_(options.distances && !contact_only),
        with_points_(with_points),
        ws_(ws) {
    goal_.clearance = measuring_ ? kInfinity : options.clearance;
    goal_.measuring = measuring_;
    goal_.width = options.distance_width;
    goal_.floor = options.clearance;
  }

  StateResult run() {
    if (measuring_) {
      set_boxes(world_, ws_, 0.0, result_.stats);
      measure();
    } else if (!touches_again() && !any_contact() && !contact_only_) {
      result_.verdict = open_ ? Verdict::kUndecided : Verdict::kFree;
    }
    return result_;
  }

  // For callers that find the near pairs by themselves. All say true where the search may end: a
  // contact is proven, or the budget has run out.

  /// Two parts at X_GaGb.
  bool meets_part(GeometryPair pair, const RigidEnclosure& X) {
    if (!checks(pair)) return false;
    return out_of_budget(pair) || visit(pair, X);
  }

  /// A part and an element of the scene. @pre the element is one of the scene's tree of them
  bool meets_element(int part, const SceneTree::Node& obstacle) {
    const GeometryPair pair{part, scene_geometry(obstacle.geometry)};
    turn_to(pair);
    if (!at_hand_checked_) return false;
    if (out_of_budget(pair)) return true;
    if (geometry(part).num_elements() == 1) {
      const SceneTree::Tree& elements = world_.scene_tree().elements();
      const auto leaf = static_cast<size_t>(&obstacle - elements.nodes.data());
      ++result_.stats.box_tests;
      if (!line_at_hand_.may_meet(elements.boxes[leaf], options_.clearance)) return false;
      ++result_.stats.element_tests;
      const PairDistance d =
          pair_distance(geometry(part).element(0), geometry(pair.b).element(obstacle.element),
                        at_hand_pose_, false, options_.clearance);
      if (d.distance.lo > options_.clearance) return false;
      if (d.overlap || d.distance.hi <= options_.clearance) {
        return touch(pair, 0, obstacle.element, d);
      }
    }
    // Several elements, or a doubtful one: the whole pair, once.
    if (std::find(ws_.seen.begin(), ws_.seen.end(), pair.b) != ws_.seen.end()) return false;
    ws_.seen.push_back(pair.b);
    return visit(pair, at_hand_pose_);
  }

  /// A part may be inside of a closed mesh of the scene, off its triangles. (Where a closed mesh of
  /// the robot holds something of the scene, their boxes meet.)
  bool meets_inside(int part, const SceneTree::Node& obstacle) {
    const GeometryPair pair{part, scene_geometry(obstacle.geometry)};
    if (!checks(pair)) return false;
    if (out_of_budget(pair)) return true;
    ++result_.stats.pair_tests;
    const PairState inside =
        contained(geometry(pair.a), geometry(pair.b), relative_pose(world_, pair, ws_), ws_.scratch,
                  result_.stats);
    if (inside == PairState::kTouching) return touch_inside(pair);
    if (inside == PairState::kOpen) leave_open(pair, {}, true);
    return false;
  }

  /// A part and one half-space of the scene, or all of them.
  bool meets_half_space(int part, int geometry) {
    const GeometryPair pair{part, geometry};
    if (!checks(pair)) return false;
    return out_of_budget(pair) || visit(pair, relative_pose(world_, pair, ws_));
  }
  bool meets_unbounded(int part) {
    for (const int i : world_.scene_tree().unbounded()) {
      if (meets_half_space(part, scene_geometry(i))) return true;
    }
    return false;
  }

  /// Measuring, two geometries at X_GaGb. `gap` becomes a lower bound of their distance; nothing
  /// beyond limit() needs to be looked at.
  bool measures(GeometryPair pair, const RigidEnclosure& X, double& gap) {
    gap = kInfinity;
    if (!checks(pair)) return false;
    gap = -kInfinity;
    if (out_of_budget(pair) || visit(pair, X)) return true;
    gap = visited_gap_;
    return false;
  }
  double limit() const noexcept { return goal_.clearance; }

  /// Measuring: the answer, from all that was found out. Not for a contact.
  void conclude() {
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

  StateResult& result() noexcept { return result_; }
  bool open() const noexcept { return open_; }
  /// Of the witness: which geometries, and where, in the first one's frame.
  struct Reported {
    GeometryPair pair;
    PairDistance distance;
  };
  const Reported& reported() const noexcept { return reported_; }

 private:
  const Geometry& geometry(int i) const {
    return *world_.geometries()[static_cast<size_t>(i)].geometry;
  }
  bool checks(GeometryPair pair) const {
    return world_.checks(world_.geometries()[static_cast<size_t>(pair.a)].body,
                         world_.geometries()[static_cast<size_t>(pair.b)].body);
  }
  static int element_of(const Geometry& g, int node) {
    return node < 0 ? 0 : g.tree().nodes()[static_cast<size_t>(node)].element;
  }
  int scene_geometry(int i) const { return world_.first_scene_geometry() + i; }

  void report(GeometryPair pair, const PairDistance& d, Verdict verdict) {
    result_.verdict = verdict;
    result_.witness = witness(pair, d);
  }
  Witness witness(GeometryPair pair, const PairDistance& d) {
    reported_ = {pair, d};
    if (with_points_) return make_witness(world_, pair, d, ws_);
    Witness w;
    w.a = world_.geometries()[static_cast<size_t>(pair.a)].body;
    w.b = world_.geometries()[static_cast<size_t>(pair.b)].body;
    w.gap = d.distance;
    return w;
  }

  void turn_to(GeometryPair pair) {
    if (pair.a != at_hand_.a) ws_.seen.clear();
    if (pair.a == at_hand_.a && pair.b == at_hand_.b) return;
    at_hand_ = pair;
    at_hand_checked_ = checks(pair);
    if (!at_hand_checked_) return;
    at_hand_pose_ = relative_pose(world_, pair, ws_);
    const ChainTree::Part& part = world_.chain_tree().parts()[static_cast<size_t>(pair.a)];
    line_at_hand_ = PartLine(part, ws_.X_WL[static_cast<size_t>(part.link.value)]);
  }

  // Both of these say true, that a contact is proven, for visits to end with.
  bool touch(GeometryPair pair, int element_a, int element_b, const PairDistance& d) {
    report(pair, d, Verdict::kCollision);
    ws_.last_contact = {pair, element_a, element_b};
    return true;
  }
  bool touch_inside(GeometryPair pair) {
    PairDistance d;
    d.distance = {-kInfinity, 0.0};
    d.point_a = geometry(pair.a).bound_center();
    d.point_b = d.point_a;
    report(pair, d, Verdict::kCollision);
    return true;
  }

  void leave_open(GeometryPair pair, PairDistance d, bool perhaps_inside) {
    if (perhaps_inside) d.distance.lo = -kInfinity;
    if (!open_ && !contact_only_) {
      result_.verdict = Verdict::kUndecided;
      // A budget may end in boxes of geometries whose pair is not checked.
      if (checks(pair)) report(pair, d, Verdict::kUndecided);
    }
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
  bool visit(GeometryPair pair, const RigidEnclosure& X) {
    const Geometry& a = geometry(pair.a);
    const Geometry& b = geometry(pair.b);
    ++result_.stats.pair_tests;
    const auto [e, inside] =
        examine_still(a, b, X, goal_, options_.budget, ws_.scratch, result_.stats);
    visited_gap_ = inside == PairState::kOpen ? -kInfinity : e.gap;
    if (e.closer) result_.witness = witness(pair, e.closest);
    if (e.state == PairState::kTouching) {
      return touch(pair, element_of(a, e.leaf.a), element_of(b, e.leaf.b), e.distance);
    }
    if (inside == PairState::kTouching) return touch_inside(pair);
    if (e.state == PairState::kOpen || inside == PairState::kOpen) {
      leave_open(pair, e.distance, inside == PairState::kOpen);
    }
    return false;
  }

  bool touches_again() {
    const auto [pair, element_a, element_b] = ws_.last_contact;
    if (pair.a < 0) return false;
    ++result_.stats.element_tests;
    const PairDistance d =
        pair_distance(geometry(pair.a).element(element_a), geometry(pair.b).element(element_b),
                      relative_pose(world_, pair, ws_), false, options_.clearance);
    if (!d.overlap && !(d.distance.hi <= options_.clearance)) return false;
    report(pair, d, Verdict::kCollision);
    return true;
  }

  bool any_contact() {
    set_boxes(world_, ws_, options_.clearance, result_.stats);
    const bool found = meets_scene() || meets_itself();
    return found && result_.verdict == Verdict::kCollision;
  }

  bool meets_itself() {
    const int size = world_.first_scene_geometry();
    QueryStats& stats = result_.stats;
    const auto meet = [&](int a, int b) {
      const GeometryPair pair{a, b};
      if (!checks(pair) || ball_gap(world_, pair, ws_) > options_.clearance) return false;
      return visit(pair, relative_pose(world_, pair, ws_));
    };
    const auto over = [&](int a, int b) { leave_open({a, b}, {}, true); };
    if (!ws_.method.prefers_grid(size)) {
      const MethodCost before(stats);
      const std::uint64_t most = stats.visited() + ws_.method.most_visited(size);
      if (options_.budget != 0 && options_.budget <= most) {
        return visit_near_parts(world_, ws_, stats, options_.budget, meet, over);
      }
      bool gave_up = false;
      const bool ended =
          visit_near_parts(world_, ws_, stats, most, meet, [&](int, int) { gave_up = true; });
      ws_.method.tree_took(size, before.since(stats));
      if (!gave_up) return ended;
    }
    const MethodCost before(stats);
    bool ended = false;
    PartGrid* const grid = grid_to_fill(world_, options_.clearance, ws_);
    const bool served =
        grid != nullptr &&
        grid->fill_and_ask(ws_.X_WL, options_.clearance, stats.box_tests, ended, [&](int a, int b) {
          const GeometryPair pair{std::min(a, b), std::max(a, b)};
          return out_of_budget(pair) || meet(pair.a, pair.b);
        });
    if (!served) return visit_near_parts(world_, ws_, stats, options_.budget, meet, over);
    ws_.method.grid_took(size, before.since(stats));
    return ended;
  }

  bool meets_scene() {
    const SceneTree& scene = world_.scene_tree();
    const int parts = scene.unbounded().empty() ? 0 : world_.first_scene_geometry();
    for (int part = 0; part < parts; ++part) {
      if (meets_unbounded(part)) return true;
    }
    const auto over = [&](int part, const SceneTree::Node& obstacle) {
      leave_open({part, scene_geometry(obstacle.geometry)}, {}, true);
    };
    return visit_near_scene(
               world_, scene.elements(), ws_, result_.stats, options_.budget,
               [&](int part, const SceneTree::Node& obstacle) {
                 return meets_element(part, obstacle);
               },
               over) ||
           visit_near_scene(
               world_, scene.solids(), ws_, result_.stats, options_.budget,
               [&](int part, const SceneTree::Node& obstacle) {
                 return meets_inside(part, obstacle);
               },
               over);
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
    conclude();
  }

  // True if a contact is proven.
  bool meets_nearest() {
    for (int part = 0; part < world_.first_scene_geometry(); ++part) {
      if (meets_unbounded(part)) return result_.verdict == Verdict::kCollision;
    }
    const SceneTree& scene = world_.scene_tree();
    const auto nodes = world_.chain_tree().nodes();
    const SceneTree::Tree& obstacles = scene.geometries();
    const UncheckedNodes* const unchecked = world_.unchecked_nodes();
    auto& queue = ws_.queue;
    queue.clear();
    const auto push = [&](int a, int b, bool of_scene) {
      double distance = 0.0;
      if (b >= 0) {
        if (!of_scene && unchecked != nullptr && unchecked->contains(a, b)) return;
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
        if (visit(pair, relative_pose(world_, pair, ws_))) return true;
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
    const auto nothing = [](const auto&...) {};
    if (visit_near_parts(
            world_, ws_, result_.stats, 0,
            [&](int a, int b) {
              return unknown({a, b});
            },
            nothing) ||
        visit_near_scene(
            world_, world_.scene_tree().geometries(), ws_, result_.stats, 0,
            [&](int part, const SceneTree::Node& obstacle) {
              return unknown({part, scene_geometry(obstacle.geometry)});
            },
            nothing)) {
      return std::nullopt;
    }
    if (!(deepest.hi <= 0.0) || !(deepest.width() <= options_.distance_width)) return std::nullopt;
    return deepest;
  }

  const CollisionWorld& world_;
  const QueryOptions& options_;
  const bool contact_only_;
  const bool measuring_;
  const bool with_points_;
  Workspace::Impl& ws_;
  GeometryPair at_hand_;  // of meets_element
  bool at_hand_checked_ = false;
  RigidEnclosure at_hand_pose_;
  PartLine line_at_hand_;
  Goal goal_;
  double visited_gap_ = kInfinity;
  StateResult result_;
  Reported reported_;
  bool open_ = false;
};

}  // namespace catena::internal
