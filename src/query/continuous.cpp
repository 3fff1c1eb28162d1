#include "catena/query/continuous.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "edge_walk.hpp"
#include "near_pairs.hpp"
#include "scene_walk.hpp"

namespace catena {
namespace {

using internal::Examination;
using internal::GeometryPair;
using internal::Goal;
using internal::Leaf;
using internal::PairMotion;
using internal::PairState;
using Impl = Workspace::Impl;

// Both sides of the first contact are looked for down to this much time, so that the bracket is
// narrower than the 1e-6 that is promised.
constexpr double kTimeWidth = 2.5e-7;
// No interval is split below this, however fast the motion.
constexpr double kLeastWidth = 1e-13;
// So many intervals of the least widths may look closer than the tolerance asks.
constexpr int kMostNarrow = 4096;
// So many intervals may find a pair closer than the tolerance, yet apart, before it counts as
// undecided: to prove a glide at a gap g free takes about 1 / sqrt(g) of them, millions for a gap
// of rounding's size.
constexpr int kMostGrazing = 1 << 14;
// Where velocities tell the first contact's time, a short interval around it is looked at by
// itself: from one such share of the interval before that time to two after it, so that the contact
// is not in its middle, where next to no gap is left to prove anything by.
constexpr double kMarginShare = 1.0 / 64.0;
// With more pairs open than this, velocities of one of them say little about the first contact.
constexpr size_t kFewLeft = 16;
// Summed bounds look at all pairs of parts of small nodes; where fewer than one joint in so many
// moves, the walk skips most of these anyway.
constexpr size_t kSparse = 4;

// Half-open range [first, last) of a list.
struct Range {
  size_t first, last;
  bool empty() const { return first == last; }
  size_t size() const { return last - first; }
};

// What is to be proven apart over an interval, in the lists of the workspace.
struct Work {
  Range tasks, pairs, scene;
  bool empty() const { return tasks.empty() && pairs.empty() && scene.empty(); }
  size_t size() const { return tasks.size() + pairs.size() + scene.size(); }
};

class Query {
 public:
  Query(const CollisionWorld& world, const Motion& motion, const QueryOptions& options, Impl& ws)
      : world_(world), motion_(motion), options_(options), ws_(ws) {}

  MotionResult run() {
    // The start, with every pair and with what lies inside what: a surface that never touches
    // another one from there on stays on its side.
    set_poses(0.0);
    QueryOptions at_start = options_;
    at_start.distances = false;
    const StateResult start = internal::check_poses(world_, at_start, false, ws_);
    result_.stats += start.stats;
    if (start.verdict == Verdict::kCollision) {
      result_.verdict = Verdict::kCollision;
      result_.contact = 0.0;
      result_.witness = start.witness;
      return result_;
    }
    if (start.verdict == Verdict::kUndecided) {
      blocked_ = true;
      result_.witness = start.witness;
    }
    if (!motion_.moves()) {
      result_.verdict = start.verdict;
      if (start.verdict == Verdict::kFree) {
        result_.free_until = 1.0;
        if (options_.distances) measure();
      }
      return result_;
    }

    if (!blocked_) prove();
    const bool answered = contact_ <= 1.0 && !options_.first_contact;
    if (blocked_ && !answered && !out_of_budget()) search_beyond_block();

    if (contact_ <= 1.0) {
      result_.verdict = Verdict::kCollision;
      result_.contact = contact_;
      result_.witness = contact_witness_;
    } else if (blocked_) {
      result_.verdict = Verdict::kUndecided;
    } else {
      result_.verdict = Verdict::kFree;
      result_.free_until = 1.0;
      if (options_.distances) measure();
    }
    return result_;
  }

 private:
  // Free, or up to the first contact, or until it is blocked.
  void prove() {
    goal_ = Goal{};
    goal_.clearance = options_.clearance;
    if (!collect_tasks()) return;
    // A short edge is often free at once, which takes not much longer than a state.
    if (ws_.pairwise || ws_.walk->turns_far(1.0)) look_for_contacts();
    if (!done_ && !ws_.pairwise && kSparse * motion_.moving().size() >= ws_.X_WL.size()) {
      set_poses(0.5);
      ws_.walk->set_interval(0.0, 1.0);
      ws_.walk->sum_bounds(ws_.X_WL, goal_.clearance, result_.stats);
    }
    process(0.0, std::min(contact_, 1.0), all_work());
  }

  // Most edges that a planner tries collide, and far from grazing: nearly all of them at one of
  // these times.
  void look_for_contacts() {
    looked_ = true;
    for (const double t : {1.0, 0.5, 0.75, 0.25}) {
      if (t < contact_ && look_for_contact(t) && !options_.first_contact) done_ = true;
      if (done_) return;
    }
  }

  void set_poses(double t) { internal::set_poses(world_, motion_, t, ws_, result_.stats); }

  bool out_of_budget() const {
    return options_.budget != 0 && result_.stats.visited() > options_.budget;
  }

  void count_moving_joints() {
    for (int i = 1; i < world_.robot().num_links(); ++i) {
      const auto k = static_cast<size_t>(i);
      ws_.moving_above[k] =
          ws_.moving_above[static_cast<size_t>(world_.robot().parent(LinkIndex(i)).value)] +
          (motion_.joint(LinkIndex(i)).moves ? 1 : 0);
    }
  }

  bool checks(GeometryPair pair) const {
    return world_.checks(world_.geometries()[static_cast<size_t>(pair.a)].body,
                         world_.geometries()[static_cast<size_t>(pair.b)].body);
  }

  // No joint between the two moves: the start has decided them.
  bool stands_still(GeometryPair pair, LinkIndex ancestor) const {
    const auto moving = [&](LinkIndex i) { return ws_.moving_above[static_cast<size_t>(i.value)]; };
    const int above = moving(ancestor);
    const auto geometries = world_.geometries();
    return moving(geometries[static_cast<size_t>(pair.a)].link) == above &&
           moving(geometries[static_cast<size_t>(pair.b)].link) == above;
  }

  // All that may come within goal_.clearance: found by the walks or, pair by pair, as tasks: boxes
  // at mid-time, thickened by how far each part moves, are not apart. False if the budget ends
  // before.
  bool collect_tasks() {
    ws_.tasks.clear();
    if (ws_.walk == nullptr) {
      ws_.walk = std::make_unique<internal::EdgeWalk>(world_);
      ws_.scene_walk = std::make_unique<internal::SceneWalk>();
    }
    ws_.walk->pairs.clear();
    ws_.scene_walk->tasks.clear();
    ws_.scene_walk->near.clear();
    if (!ws_.pairwise) {
      internal::EdgeWalk::State state;
      if (ws_.boxes_of == ws_.moved) state = {ws_.X_WL.data(), ws_.boxes.data(), &ws_.moved};
      ws_.walk->start(world_, motion_, state);
      ws_.scene_walk->start(world_, *ws_.walk);
      return true;
    }
    count_moving_joints();
    const double half = 0.5;
    set_poses(half);
    set_velocities(half);
    for (size_t i = 0; i < ws_.margins.size(); ++i) {
      ws_.margins[i] = bound_above(
          goal_.clearance + half * side(static_cast<int>(i), LinkIndex(0), half).speed, 4);
    }
    internal::set_boxes_with_margins(world_, ws_, result_.stats);
    // True if the budget has ended.
    const auto add = [&](GeometryPair pair) {
      if (!checks(pair)) return false;
      const auto& a = world_.geometries()[static_cast<size_t>(pair.a)];
      const auto& b = world_.geometries()[static_cast<size_t>(pair.b)];
      const LinkIndex ancestor = world_.chain_tree().common_ancestor(a.link, b.link);
      if (stands_still(pair, ancestor)) return false;
      if (out_of_budget()) {
        block(0.0, internal::make_witness(world_, pair, {}, ws_));
        return true;
      }
      ws_.tasks.push_back({pair, ancestor, {}});
      return false;
    };
    const SceneTree& scene = world_.scene_tree();
    const int first = world_.first_scene_geometry();
    for (const int i : scene.unbounded()) {
      for (int part = 0; part < first; ++part) {
        if (add({part, first + i})) return false;
      }
    }
    const auto over = [&](GeometryPair pair) {
      block(0.0, checks(pair) ? internal::make_witness(world_, pair, {}, ws_) : Witness{});
    };
    return !internal::visit_near_scene(
               world_, scene.geometries(), ws_, result_.stats, options_.budget,
               [&](int part, const SceneTree::Node& obstacle) {
                 return add({part, first + obstacle.geometry});
               },
               [&](int part, const SceneTree::Node& obstacle) {
                 over({part, first + obstacle.geometry});
               }) &&
           !internal::visit_near_parts(
               world_, ws_, result_.stats, options_.budget,
               [&](int a, int b) {
                 return add({a, b});
               },
               [&](int a, int b) {
                 over({a, b});
               });
  }

  // Notes a contact at t, if one is proven there.
  bool look_for_contact(double t) {
    set_poses(t);
    QueryOptions options = options_;
    options.distances = false;
    const StateResult r = internal::check_poses(world_, options, true, ws_);
    result_.stats += r.stats;
    if (r.verdict != Verdict::kCollision) return false;
    contact_ = t;
    contact_witness_ = r.witness;
    return true;
  }

  // After an interval that could not be decided: looks for a contact beyond it, in steps of growing
  // size, and then halves the way back to the earliest that is proven.
  void search_beyond_block() {
    double clear = blocked_at_;
    const double end = std::min(contact_, 1.0);
    for (double step = kTimeWidth; clear + step < end; step *= 2.0) {
      const double t = clear + step;
      if (look_for_contact(t)) break;
      clear = t;
      if (out_of_budget()) return;
    }
    if (contact_ > 1.0) return;
    while (contact_ - clear > kTimeWidth && !out_of_budget()) {
      const double t = 0.5 * (clear + contact_);
      if (!look_for_contact(t)) clear = t;
    }
  }

  // At t, where the links are posed.
  void set_velocities(double t) {
    const Robot& robot = world_.robot();
    for (int i = 1; i < robot.num_links(); ++i) {
      const Motion::JointMotion& m = motion_.joint(LinkIndex(i));
      if (!m.moves) continue;
      const auto k = static_cast<size_t>(i);
      Impl::JointVelocity& v = ws_.velocities[k];
      v.axis = ws_.X_WL[k].X.R * m.axis;
      v.origin = ws_.X_WL[k].X.p;
      const Joint& joint = robot.joint(LinkIndex(i));
      v.velocity = ws_.X_WL[static_cast<size_t>(joint.parent.value)].X.R *
                   (joint.X_PJ.X.R * motion_.velocity(LinkIndex(i), t));
      v.rate = motion_.rate(LinkIndex(i), t);
    }
  }

  // What one side of a pair contributes: bounds of its points' motion relative to the common
  // ancestor, and its velocity at mid-time. From the body towards the root, for each joint i:
  // speed and acceleration are bounds for the points seen from link i, `radius` of the distance
  // to the joint's axis (docs/rigor.md, R4).
  struct Side {
    Vector3d velocity = Vector3d::Zero(), spin = Vector3d::Zero();
    double speed = 0.0, acceleration = 0.0;
    double error = 0.0;  // of velocity, and of spin times the geometry's radius
    int joints = 0;
  };

  Side side(int geometry, LinkIndex ancestor, double half_step) const {
    Side s;
    const Robot& robot = world_.robot();
    const CollisionWorld::WorldGeometry& g = world_.geometries()[static_cast<size_t>(geometry)];
    if (g.link == ancestor) return s;
    const Impl::Placement& place = internal::placement(world_, geometry, ws_);
    const Vector3d& c = place.center;
    const RigidEnclosure& X_WL = ws_.X_WL[static_cast<size_t>(g.link.value)];
    // Errors grow along the chain, so those of the last link bound all of them.
    const double position_error = place.center_error + X_WL.position_error;
    const double turn_error = 2.0 * X_WL.rotation_error + 1e-14;
    double reach = g.center.norm() + g.radius;
    double arms = 0.0, turns = 0.0, unknown_arms = 0.0, unknown_turns = 0.0;
    for (LinkIndex i = g.link; i != ancestor; i = robot.parent(i)) {
      const Motion::JointMotion& m = motion_.joint(i);
      const Joint& joint = robot.joint(i);
      if (m.moves) {
        const Impl::JointVelocity& v = ws_.velocities[static_cast<size_t>(i.value)];
        const Vector3d arm = c - v.origin;
        const Vector3d across = v.axis.cross(arm);
        const double arm_length = arm.norm();
        const double near = across.norm() + g.radius + 2.0 * position_error +
                            (turn_error + m.axis_error) * arm_length + half_step * s.speed;
        const double radius = std::min(near, reach);
        s.velocity += v.rate * across + v.velocity;
        s.spin += v.rate * v.axis;
        s.acceleration += m.rate_bound * (2.0 * s.speed + m.rate_bound * radius);
        double rate_error = m.rate_bound - std::abs(m.rate);
        double speed_error = m.speed_bound - m.v.norm() * (1.0 - 1e-15);
        if (const Motion::Curve* const curve = motion_.curve(i)) {
          s.acceleration += curve->angular_acceleration_bound * radius + curve->acceleration_bound;
          rate_error = curve->rate_error;
          speed_error = curve->speed_error;
        }
        s.speed += m.rate_bound * radius + m.speed_bound;
        arms +=
            (turn_error + m.axis_error) * (m.rate_bound * (arm_length + g.radius) + m.speed_bound);
        turns += m.rate_bound;
        unknown_turns += rate_error;
        unknown_arms += rate_error * (arm_length + g.radius) + speed_error;
      }
      ++s.joints;
      reach += joint.X_PJ.X.p.norm() + joint.X_PJ.position_error + m.p0.norm() + m.speed_bound +
               m.p_error;
    }
    s.error = bound_above(
        arms + 2.0 * turns * position_error + unknown_arms + unknown_turns * position_error, 40);
    const int operations = 24 * s.joints + 24;
    s.speed = bound_above(s.speed, operations);
    s.acceleration = bound_above(s.acceleration, operations);
    return s;
  }

  PairMotion pair_motion(const Impl::Task& task, double half_step) const {
    const Side a = side(task.pair.a, task.ancestor, half_step);
    const Side b = side(task.pair.b, task.ancestor, half_step);
    const RigidEnclosure& X_WG = internal::placement(world_, task.pair.a, ws_).X_WG;
    const Matrix3d R_GW = X_WG.X.R.transpose();
    PairMotion m;
    m.half_step = half_step;
    m.displacement = bound_above(half_step * (a.speed + b.speed), 4);
    m.velocity = R_GW * (b.velocity - a.velocity);
    m.spin_a = R_GW * a.spin;
    m.spin_b = R_GW * b.spin;
    // The direction itself is known to the turning error of a's frame.
    m.velocity_error =
        a.error + b.error + (2.0 * X_WG.rotation_error + 1e-13) * (a.speed + b.speed);
    m.acceleration =
        bound_above(0.5 * half_step * half_step * (a.acceleration + b.acceleration), 4);
    return m;
  }

  // What is left open in an interval.
  struct Rest {
    double motion = 0.0, gap = kInfinity;
    bool touched = false, doubtful = false;
    GeometryPair pair;
    double half = 0.0;           // of the interval
    double contact = kInfinity;  // where velocities in the middle lead to one; no bound
  };

  Work all_work() const {
    return {{0, ws_.tasks.size()}, {0, ws_.walk->pairs.size()}, {0, ws_.scene_walk->tasks.size()}};
  }

  // Proves the work's pairs apart over [lo, hi], or halves the interval for those that are left.
  // Earlier halves first, so that the proven prefix and the first contact close in on each other.
  // With `advance`, it is divided around the time to which velocities lead instead, if that is
  // known.
  void process(double lo, double hi, const Work& work, bool advance = true) {
    if (done_) return;
    ++result_.stats.intervals;
    const Work all = all_work();
    const size_t near = ws_.scene_walk->near.size();
    const double mid = 0.5 * (lo + hi);
    const bool narrow = hi - lo <= (goal_.measuring ? 1e-9 : kTimeWidth);
    Rest rest;
    rest.half = 0.5 * (hi - lo);
    posed_ = false;
    if (!work.tasks.empty()) examine_tasks(lo, hi, work.tasks, rest);
    if (!done_ && !(work.pairs.empty() && work.scene.empty())) ws_.walk->set_interval(lo, hi);
    if (!done_ && !work.scene.empty()) examine_scene(lo, mid, work.scene, narrow, rest);
    if (!done_ && !work.pairs.empty()) examine_pairs(lo, mid, work.pairs, narrow, rest);

    if (!done_) {
      const Work now = all_work();
      const Work left{{all.tasks.last, now.tasks.last},
                      {all.pairs.last, now.pairs.last},
                      {all.scene.last, now.scene.last}};
      if (narrow && !goal_.measuring) ++narrow_intervals_;
      const bool grazing = !rest.touched && rest.gap <= options_.clearance + options_.tolerance;
      if (grazing) ++grazing_intervals_;
      if (left.empty()) {
        if (!goal_.measuring) result_.free_until = hi;
      } else if (goal_.measuring ? narrow : narrow && hi >= contact_) {
        if (goal_.measuring) {
          goal_.lower(options_.clearance);  // all that the verdict has proven of these pairs
        } else {
          done_ = true;  // [lo, contact] brackets the first contact
        }
      } else if (hi - lo <= kLeastWidth || (narrow && rest.motion <= least_motion(rest.doubtful)) ||
                 (grazing && !goal_.measuring && grazing_intervals_ > kMostGrazing)) {
        pose_at(mid);
        block(lo, measured(rest.pair));
        blocked_at_ = hi;
        done_ = true;
      } else {
        if (!looked_ && !goal_.measuring) look_for_contacts();
        divide(lo, hi, left, rest, advance && !narrow);
      }
    }
    ws_.tasks.resize(all.tasks.last);
    ws_.walk->pairs.resize(all.pairs.last);
    ws_.scene_walk->tasks.resize(all.scene.last);
    ws_.scene_walk->near.resize(near);
  }

  void divide(double lo, double hi, const Work& left, const Rest& rest, bool advance) {
    const double mid = 0.5 * (lo + hi);
    double margin = kMarginShare * (hi - lo);
    if (margin < kTimeWidth) margin = 0.25 * kTimeWidth;
    double before = rest.contact - margin, after = rest.contact + 2.0 * margin;
    if (!(before - lo > margin)) before = lo;
    if (!(hi - after > margin)) after = hi;
    const bool brackets = options_.first_contact && contact_ <= 1.0 && left.size() <= kFewLeft;
    if (advance && brackets && before < after && (lo < before || after < hi)) {
      // What lies beside is halved next, if it is not decided: so lengths fall in any case.
      if (lo < before) process(lo, before, left, false);
      if (!done_ && before < contact_) process(before, std::min(after, contact_), left);
      if (!done_ && after < std::min(hi, contact_)) {
        process(after, std::min(hi, contact_), left, false);
      }
      return;
    }
    process(lo, mid, left);
    if (!done_ && (goal_.measuring || mid < contact_)) process(mid, hi, left);
  }

  // The links where they are at t, unless they are there already in this interval.
  void pose_at(double t) {
    if (posed_) return;
    set_poses(t);
    posed_ = true;
  }

  // Those that are not proven apart become tasks again.
  void examine_tasks(double lo, double hi, Range range, Rest& rest) {
    const double mid = 0.5 * (lo + hi);
    const double half_step = round_up(std::max(hi - mid, mid - lo));
    pose_at(mid);
    set_velocities(mid);
    for (size_t k = range.first; k < range.last; ++k) {
      const Impl::Task task = ws_.tasks[k];
      const GeometryPair pair = task.pair;
      const double gap = internal::ball_gap(world_, pair, ws_);
      ++result_.stats.pair_tests;
      const PairMotion motion = pair_motion(task, half_step);
      if (gap > goal_.clearance && gap - motion.displacement > goal_.clearance) continue;
      if (out_of_budget()) {
        block(lo, internal::make_witness(world_, pair, {}, ws_));
        done_ = true;
      }
      if (done_) return;
      // Once a contact is known at mid-time, the rest waits for the half before it.
      if (rest.touched) {
        ws_.tasks.push_back(task);
        continue;
      }
      Leaf leaf = task.hint;
      if (is_left_open(pair, internal::relative_pose(world_, pair, ws_), motion, leaf, mid, rest)) {
        ws_.tasks.push_back({pair, task.ancestor, leaf});
      }
    }
  }

  // Likewise pairs of the chain tree's nodes, and those below them.
  void examine_pairs(double lo, double mid, Range range, bool narrow, Rest& rest) {
    using Fate = internal::EdgeWalk::Fate;
    using NodePair = internal::EdgeWalk::Pair;
    internal::EdgeWalk& walk = *ws_.walk;
    auto& stack = walk.stack;
    for (size_t k = range.first; k < range.last; ++k) {
      if (rest.touched) {
        walk.pairs.push_back(NodePair(walk.pairs[k]));
        continue;
      }
      stack.assign(1, walk.pairs[k]);
      while (!stack.empty()) {
        NodePair pair = stack.back();
        stack.pop_back();
        if (rest.touched) {
          walk.pairs.push_back(pair);
          continue;
        }
        const Fate fate = walk.look_at(pair, goal_.clearance, narrow, result_.stats);
        if (fate == Fate::kApart) continue;
        if (out_of_budget()) {
          const auto [a, b] = walk.any_parts(pair);
          pose_at(mid);
          block(lo, checks({a, b}) ? internal::make_witness(world_, {a, b}, {}, ws_) : Witness{});
          done_ = true;
          return;
        }
        if (fate == Fate::kWait) {
          walk.pairs.push_back(pair);
          rest.motion = kInfinity;  // an interval in which some wait is not the last
        } else if (fate == Fate::kDivide) {
          walk.divide(pair, [&](const NodePair& half) { stack.push_back(half); });
        } else {
          const auto [a, b] = walk.any_parts(pair);
          ++result_.stats.pair_tests;
          const internal::EdgeWalk::Parts parts = walk.parts_of(pair, result_.stats);
          Leaf leaf = pair.hint;
          if (is_left_open({a, b}, parts.X_GaGb, parts.motion, leaf, mid, rest)) {
            pair.hint = leaf;
            walk.pairs.push_back(pair);
          }
          if (done_) return;
        }
      }
    }
  }

  // Likewise nodes of the chain tree beside the scene, and those below them.
  void examine_scene(double lo, double mid, Range range, bool narrow, Rest& rest) {
    auto& tasks = ws_.scene_walk->tasks;
    for (size_t k = range.first; k < range.last && !done_; ++k) {
      descend(internal::SceneWalk::Task(tasks[k]), lo, mid, narrow, rest);
    }
  }

  void descend(internal::SceneWalk::Task task, double lo, double mid, bool narrow, Rest& rest) {
    using Fate = internal::SceneWalk::Fate;
    internal::SceneWalk& walk = *ws_.scene_walk;
    if (rest.touched) {
      walk.tasks.push_back(task);
      return;
    }
    const Fate fate = walk.look_at(task, goal_.clearance, narrow, result_.stats);
    if (fate == Fate::kApart) return;
    const ChainTree::Node& node = world_.chain_tree().nodes()[static_cast<size_t>(task.node)];
    if (out_of_budget()) {
      const GeometryPair pair{internal::first_part(world_.chain_tree(), task.node),
                              scene_geometry(walk.any_leaf(walk.near[task.first]))};
      pose_at(mid);
      block(lo, checks(pair) ? internal::make_witness(world_, pair, {}, ws_) : Witness{});
      done_ = true;
    } else if (fate == Fate::kWait) {
      walk.tasks.push_back(task);
      rest.motion = kInfinity;  // an interval in which some wait is not the last
    } else if (fate == Fate::kDivide) {
      descend({node.left, task.first, task.last, {}}, lo, mid, narrow, rest);
      if (!done_) descend({node.right, task.first, task.last, {}}, lo, mid, narrow, rest);
    } else if (fate == Fate::kElements) {
      examine_elements(task, node.part, lo, mid, rest);
    } else {
      examine_part(task, node.part, mid, rest);
    }
  }

  // A part of one element beside elements of the scene; those left open become a task again.
  void examine_elements(internal::SceneWalk::Task task, int part, double lo, double mid,
                        Rest& rest) {
    internal::SceneWalk& walk = *ws_.scene_walk;
    const internal::EdgeWalk::Mover mover = ws_.walk->mover(task.node, result_.stats);
    GeometryPair pair;
    bool checked = false;
    RigidEnclosure X;
    size_t open = task.first;
    for (size_t i = task.first; i < task.last && !done_; ++i) {
      const SceneTree::Node leaf = walk.listed(walk.near[i]);
      if (pair.b != scene_geometry(leaf)) {
        pair = {part, scene_geometry(leaf)};
        checked = checks(pair);
        if (checked) X = mover.X_WG.inverse_times(internal::placement(world_, pair.b, ws_).X_WG);
      }
      if (!checked) continue;
      if (walk.near[i] >= 0) {
        ++result_.stats.box_tests;
        if (!mover.line.may_meet(walk.box(walk.near[i]), goal_.clearance)) continue;
      }
      if (out_of_budget()) {
        pose_at(mid);
        block(lo, internal::make_witness(world_, pair, {}, ws_));
        done_ = true;
        return;
      }
      // Once a contact is known at mid-time, the rest waits for the half before it.
      if (!rest.touched) {
        const Examination e =
            internal::examine_elements(geometry(part), 0, geometry(pair.b), leaf.element, X,
                                       mover.motion, goal_, result_.stats);
        if (!is_left_open(pair, X, e, mover.motion, mid, rest)) continue;
      }
      walk.near[open++] = walk.near[i];
    }
    if (open > task.first) walk.tasks.push_back({task.node, task.first, open, {}});
  }

  // A part beside the geometries that what is listed is of; those left open become a task each.
  void examine_part(const internal::SceneWalk::Task& task, int part, double mid, Rest& rest) {
    internal::SceneWalk& walk = *ws_.scene_walk;
    const internal::EdgeWalk::Mover mover = ws_.walk->mover(task.node, result_.stats);
    auto& near = walk.near;
    for (size_t first = task.first; first < task.last && !done_;) {
      // All of one geometry to the front.
      const GeometryPair pair{part, scene_geometry(walk.listed(near[first]))};
      size_t end = first;
      for (size_t i = first; i < task.last; ++i) {
        if (scene_geometry(walk.listed(near[i])) == pair.b) std::swap(near[i], near[end++]);
      }
      const Range listed{first, end};
      first = end;
      if (!checks(pair)) continue;
      Leaf leaf = task.hint;
      if (!rest.touched) {
        ++result_.stats.pair_tests;
        const RigidEnclosure X =
            mover.X_WG.inverse_times(internal::placement(world_, pair.b, ws_).X_WG);
        const Examination e = internal::examine(
            geometry(part), geometry(pair.b), X, &mover.motion, goal_,
            task.last == listed.last && task.first == listed.first ? leaf : Leaf{}, options_.budget,
            ws_.scratch, result_.stats);
        if (!is_left_open(pair, X, e, mover.motion, mid, rest)) continue;
        leaf = e.leaf;
      }
      walk.tasks.push_back({task.node, listed.first, listed.last, leaf});
    }
  }

  const Geometry& geometry(int i) const {
    return *world_.geometries()[static_cast<size_t>(i)].geometry;
  }
  int scene_geometry(const SceneTree::Node& leaf) const {
    return world_.first_scene_geometry() + leaf.geometry;
  }

  // The exact test of a pair of geometries over an interval; `leaf`: what is tried first, and what
  // is open.
  bool is_left_open(GeometryPair pair, const RigidEnclosure& X, const PairMotion& motion,
                    Leaf& leaf, double mid, Rest& rest) {
    const Examination e = internal::examine(geometry(pair.a), geometry(pair.b), X, &motion, goal_,
                                            leaf, options_.budget, ws_.scratch, result_.stats);
    if (!is_left_open(pair, X, e, motion, mid, rest)) return false;
    leaf = e.leaf;
    return true;
  }

  // Takes in what an exact test has found.
  bool is_left_open(GeometryPair pair, const RigidEnclosure& X, const Examination& e,
                    const PairMotion& motion, double mid, Rest& rest) {
    if (e.closer) {
      pose_at(mid);
      closest_ = internal::make_witness(world_, pair, e.closest, ws_);
    }
    if (e.state == PairState::kApart) return false;
    if (e.state == PairState::kTouching && mid < contact_ && !goal_.measuring) {
      pose_at(mid);
      contact_ = mid;
      contact_witness_ = internal::make_witness(world_, pair, e.distance, ws_);
      rest.touched = true;
      done_ = !options_.first_contact;
    }
    if (rest.pair.a < 0) rest.pair = pair;
    rest.motion = std::max(rest.motion, motion.displacement);
    rest.gap = std::min(rest.gap, e.distance.distance.hi);
    rest.doubtful = rest.doubtful || e.doubtful;
    const double contact = mid + rest.half / motion.half_step * time_to_contact(pair, X, e, motion);
    if (contact < rest.contact) rest.contact = contact;
    return true;
  }

  // At the velocities of the two nearest points, in the motion's units; infinite, or no number, if
  // they do not close.
  double time_to_contact(GeometryPair pair, const RigidEnclosure& X, const Examination& e,
                         const PairMotion& motion) const {
    const Vector3d between = e.distance.point_b - e.distance.point_a;
    const Vector3d arm_a = e.distance.point_a - geometry(pair.a).bound_center();
    const Vector3d arm_b = e.distance.point_b - X.X * geometry(pair.b).bound_center();
    const double gap = between.norm();
    const double closing =
        between.dot(motion.spin_a.cross(arm_a) - motion.spin_b.cross(arm_b) - motion.velocity);
    return closing > 0.0 ? (gap - goal_.clearance) * gap / closing : kInfinity;
  }

  // The motion over an interval below which an open pair stays open. Half the band of the
  // tolerance, and some reserve; where the pair is apart at mid-time, smaller steps still lengthen
  // the proven prefix, and a slow approach to the first contact needs them to close in to 1e-6 in
  // time.
  // Only so often: a body that glides at a gap far below the tolerance would need them all the way.
  double least_motion(bool doubtful) const {
    const bool fine = !doubtful && options_.first_contact && narrow_intervals_ < kMostNarrow;
    return (fine ? 0.01 : 0.25) * options_.tolerance;
  }

  // The pair with the bracket of its whole distance at the poses at hand: an examination ends at
  // the first leaf that is open.
  Witness measured(GeometryPair pair) {
    Goal goal;
    goal.clearance = kInfinity;
    goal.measuring = true;
    goal.width = options_.tolerance;
    goal.floor = options_.clearance;
    const Examination e = internal::examine(geometry(pair.a), geometry(pair.b),
                                            internal::relative_pose(world_, pair, ws_), nullptr,
                                            goal, {}, options_.budget, ws_.scratch, result_.stats);
    const bool touching = e.state == PairState::kTouching;
    Witness w = internal::make_witness(world_, pair, touching ? e.distance : e.closest, ws_);
    if (!touching) w.gap = {std::min(goal.least, goal.clearance), goal.greatest};
    return w;
  }

  void block(double at, const Witness& witness) {
    if (blocked_ || goal_.measuring) return;
    blocked_ = true;
    blocked_at_ = at;
    result_.witness = witness;
  }

  // Brackets the smallest distance of a motion that is proven free: the whole motion is proven to
  // keep a clearance that follows the smallest distance met from just below.
  void measure() {
    QueryOptions options = options_;
    options.distances = true;
    Goal goal;
    for (const double t : {0.0, 0.5, 1.0}) {
      set_poses(t);
      const StateResult r = internal::check_poses(world_, options, false, ws_);
      result_.stats += r.stats;
      if (!r.distance) return;
      if (r.distance->hi < goal.greatest) {
        goal.greatest = r.distance->hi;
        goal.least = r.distance->lo;
        closest_ = r.witness;
      }
      if (!motion_.moves()) break;
    }
    if (goal.greatest == kInfinity) return;
    if (motion_.moves()) {
      const double start_least = goal.least;
      goal.measuring = true;
      goal.width = options_.distance_width;
      goal.floor = options_.clearance;
      goal.least = kInfinity;
      goal.found(goal.greatest);
      goal_ = goal;
      done_ = false;
      if (!collect_tasks()) return;
      process(0.0, 1.0, all_work());
      goal_.least =
          std::min({goal_.least, goal_.clearance, std::max(start_least, options_.clearance)});
      goal = goal_;
      if (done_) return;  // the budget ran out: no bracket rather than half of one
    }
    // The verdict has already proven more than the clearance.
    result_.distance = Interval{std::max(goal.least, options_.clearance), goal.greatest};
    result_.witness = closest_;
    result_.witness.gap = *result_.distance;
  }

  const CollisionWorld& world_;
  const Motion& motion_;
  const QueryOptions& options_;
  Impl& ws_;
  MotionResult result_;
  Goal goal_;
  Witness closest_;
  double contact_ = 2.0;  // beyond the motion: none known
  Witness contact_witness_;
  bool blocked_ = false;  // the proven prefix can grow no more
  double blocked_at_ = 0.0;
  bool done_ = false;
  bool looked_ = false;
  bool posed_ = false;  // the links are where they are in the middle of the interval
  int narrow_intervals_ = 0, grazing_intervals_ = 0;
};

}  // namespace

MotionResult check_motion(const CollisionWorld& world, const Motion& motion,
                          const QueryOptions& options, Workspace& workspace) {
  validate_options(options);
  internal::validate_workspace(world, workspace.impl());
  if (motion.num_links() != world.robot().num_links()) {
    throw std::invalid_argument(
        "check_motion: the motion has " + std::to_string(motion.num_links()) +
        " links but robot \"" + world.robot().name() + "\" has " +
        std::to_string(world.robot().num_links()) + "; make it from the world's robot");
  }
  const RoundingScope rounding;
  return Query(world, motion, options, workspace.impl()).run();
}

}  // namespace catena
