#include "edge_walk.hpp"

#include <algorithm>
#include <cmath>

#include "model/joint_taylor.hpp"
#include "near_pairs.hpp"

namespace catena::internal {
namespace {

// Pairs wait for a shorter interval, rather than be divided, if their motion is so large beside
// their size; two parts, whose exact test costs more, sooner. None of these is a bound: they only
// say where work is done. To wait costs what is below both nodes once more, so little waits.
constexpr double kNodeShare = 1.0, kLeafShare = 0.5;
// Two nodes wait, without a look, if their joints together turn more than that by half an interval
// at random signs, radians.
constexpr double kMostTurn = 1.0;
// A ball around a box is up to 1.7 times too large, so nodes of fewer parts get one of balls.
constexpr int kFewParts = 8;
// Bounds are summed for nodes of at most so many parts, or fewer where the whole robot turns far;
// where they leave more than so many pairs a part open, to go down from the nodes costs less.
constexpr int kMostSummed = 32, kMostSummedFar = 8, kMostOpen = 4;

using Vector = Eigen::Map<const Vector3d>;

double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const double* a) { return std::sqrt(dot(a, a)); }

// No number if one of them is none.
double larger(double a, double b) { return a >= b ? a : b > a ? b : a + b; }

}  // namespace

EdgeWalk::EdgeWalk(const CollisionWorld& world)
    : marks_(world.chain_tree().nodes().size()),
      turns_(marks_.size()),
      moving_(at(world.chain_tree().num_links())),
      pieces_(moving_.size()),
      slots_(at(world.chain_tree().num_slots())),
      slot_stamps_(slots_.size()),
      balls_(marks_.size()),
      ball_stamps_(marks_.size()),
      seen_(marks_.size()),
      poses_(marks_.size()),
      bounds_(world) {}

void EdgeWalk::start(const CollisionWorld& world, const Motion& motion, const State& state) {
  pairs.clear();
  world_ = &world;
  nodes_ = tree().nodes();
  shortcuts_ = tree().shortcuts();
  motion_ = &motion;
  state_ = state;
  state_count_ = state.count != nullptr ? *state.count : 0;
  motion_serial_ = ++counter_;
  interval_ = motion_serial_;
  top_ = kNowhere;
  for (const LinkIndex link : motion.moving()) {
    moving_[at(link.value)] = motion_serial_;
    const double rate = motion.joint(link).rate_bound;
    for (int n = tree().node_of_joint(link); n >= 0; n = nodes_[at(n)].parent) {
      turns_[at(n)] = rate * rate + (moves_within(n) ? turns_[at(n)] : 0.0);
      if (moves_within(n)) continue;
      marks_[at(n)] = motion_serial_;
      if (nodes_[at(nodes_[at(n)].left)].num_parts == 0) continue;
      if (nodes_[at(nodes_[at(n)].right)].num_parts == 0) continue;
      pairs.push_back({n, nodes_[at(n)].left, nodes_[at(n)].right, {}});
    }
  }
  for (int i = 1; i < tree().num_links(); ++i) {
    pieces_[at(i)] = moving_[at(i)] == motion_serial_ ? i : pieces_[at(bounds_.from(i))];
  }
}

bool EdgeWalk::turns_far(double squares, double half) {
  return squares * half * half > kMostTurn * kMostTurn;
}

bool EdgeWalk::turns_far(double length) const {
  return !nodes_.empty() && moves_within(0) && turns_far(turns_[0], 0.5 * length);
}

void EdgeWalk::set_interval(double lo, double hi) {
  middle_ = 0.5 * (lo + hi);
  half_ = round_up(std::max(hi - middle_, middle_ - lo));
  interval_ = ++counter_;
  top_ = kNowhere;
}

void EdgeWalk::sum_bounds(const std::vector<RigidEnclosure>& X_WL, double clearance,
                          QueryStats& stats) {
  bounds_.set(*world_, *motion_, half_, X_WL);
  const int most = turns_far(2.0 * half_) ? kMostSummedFar : kMostSummed;
  stack.swap(pairs);
  pairs.clear();
  for (const Pair& pair : stack) {
    const int parts_a = nodes_[at(pair.a)].num_parts, parts_b = nodes_[at(pair.b)].num_parts;
    open_.clear();
    const bool few = std::max(parts_a, parts_b) <= most;
    if (few) {
      bounds_.find_open(pair.top, clearance, open_);
      stats.box_tests += at(parts_a * parts_b);
    }
    if (!few || open_.size() > at(kMostOpen * (parts_a + parts_b))) {
      pairs.push_back(pair);
      continue;
    }
    for (const auto& [a, b] : open_) {
      if (checks(nodes_[at(a)].part, nodes_[at(b)].part)) pairs.push_back({pair.top, a, b, {}});
    }
  }
}

const EdgeWalk::Model& EdgeWalk::slot(int i, QueryStats& stats) {
  std::uint64_t& stamp = slot_stamps_[at(i)];
  if (stamp == interval_ || stamp == motion_serial_) return slots_[at(i)];
  const int n = tree().num_links();
  if (i < n) {
    const int first = std::max(1, i / kJointBlock * kJointBlock);
    const int last = std::min(n, i / kJointBlock * kJointBlock + kJointBlock);
    model_joints(world_->robot(), *motion_, first, last, i, middle_, half_, slots_.data());
    for (int k = first; k < last; ++k) {
      if (motion_->joint(LinkIndex(k)).moves) slot_stamps_[at(k)] = interval_;
    }
    if (!motion_->joint(LinkIndex(i)).moves) stamp = motion_serial_;
    return slots_[at(i)];
  }
  const int from = bounds_.from(i), to = bounds_.to(i);
  if (has_state() && pieces_[at(from)] == pieces_[at(to)]) {
    ++stats.compositions;
    slots_[at(i)] = Model::still(state_.X_WL[from].inverse_times(state_.X_WL[to]));
    stamp = motion_serial_;
    return slots_[at(i)];
  }
  const ChainTree::Shortcut& s = shortcuts_[at(i - n)];
  const Model& first = slot(s.first, stats);
  const Model& second = slot(s.second, stats);
  ++stats.compositions;
  multiply(first, second, slots_[at(i)]);
  stamp = slots_[at(i)].moves ? interval_ : motion_serial_;
  return slots_[at(i)];
}

EdgeWalk::Ball EdgeWalk::moved(const Ball& ball, int slot_index, QueryStats& stats) {
  if (slot_index == 0 || ball.radius < 0.0) return ball;
  const Model& X = slot(slot_index, stats);
  PointTaylor<kOrder> q;
  move_point(X, ball.center, q);
  Ball out = ball;
  // u^2 is within a half of a half.
  double still[3];
  for (int i = 0; i < 3; ++i) out.center[i] = still[i] = q.q[0][i];
  double swept = q.error + 4.0 * kUnitRoundoff * q.size;
  if (X.moves) {
    swept += length(q.q[1]);
    for (int i = 0; i < 3; ++i) out.center[i] = still[i] + 0.5 * q.q[2][i];
    swept += 0.5 * length(q.q[2]);
  }
  out.radius = bound_above(ball.radius + swept, 30);
  out.growth = ball.growth + swept;
  return out;
}

const EdgeWalk::Ball& EdgeWalk::ball(int n, QueryStats& stats) {
  Ball& out = balls_[at(n)];
  std::uint64_t& stamp = ball_stamps_[at(n)];
  if (stamp == interval_ || stamp == motion_serial_) return out;
  const ChainTree::Node& node = nodes_[at(n)];
  out = {};
  if (node.left < 0) {
    stamp = motion_serial_;
    if (node.part < 0) return out;
    const ChainTree::Part& part = tree().parts()[at(node.part)];
    for (int i = 0; i < 3; ++i) out.center[i] = part.center[i];
    out.radius = part.radius;
    return out;
  }
  if (!moves_within(n) && node.num_parts >= kFewParts && has_state()) {
    stamp = motion_serial_;
    ++stats.boxes_remade;
    out = still_ball(n);
    return out;
  }
  const Ball a = moved(ball(node.left, stats), node.left_slot, stats);
  const Ball b = moved(ball(node.right, stats), node.right_slot, stats);
  stamp = moves_within(n) ? interval_ : motion_serial_;
  ++stats.boxes_remade;
  if (a.radius < 0.0 || b.radius < 0.0) {
    out = a.radius < 0.0 ? b : a;
    return out;
  }
  // Any centre will do; this one is best.
  const double between[3] = {b.center[0] - a.center[0], b.center[1] - a.center[1],
                             b.center[2] - a.center[2]};
  const double distance = length(between);
  double share = distance > 0.0 ? 0.5 * (1.0 + (b.radius - a.radius) / distance) : 0.0;
  share = std::clamp(share, 0.0, 1.0);
  double from_a[3], from_b[3], size = 0.0;
  for (int i = 0; i < 3; ++i) {
    out.center[i] = a.center[i] + share * between[i];
    from_a[i] = out.center[i] - a.center[i];
    from_b[i] = out.center[i] - b.center[i];
    size += std::abs(out.center[i]);
  }
  const double radius = larger(length(from_a) + a.radius, length(from_b) + b.radius);
  out.radius = bound_above(radius + 2.0 * kUnitRoundoff * size, 12);
  out.growth = std::max(a.growth, b.growth);
  return out;
}

// The ball around the node's box, in the frame of its anchor.
EdgeWalk::Ball EdgeWalk::still_ball(int n) const {
  const FloatBox& box = state_.boxes[n];
  const RigidEnclosure X_AW = state_.X_WL[nodes_[at(n)].anchor.value].inverse();
  const Vector3d half = 0.5 * (box.upper() - box.lower());
  const Vector3d center_W = box.lower() + half;
  const Vector3d center = X_AW.X * center_W;
  Ball out;
  for (int i = 0; i < 3; ++i) out.center[i] = center[i];
  out.radius = bound_above(half.norm() + X_AW.point_error(center_W.norm()) +
                               8.0 * kUnitRoundoff * (center_W.norm() + half.norm()),
                           16);
  return out;
}

// The left child of `top` is a run of links that ends where the right one begins: seen from there,
// its links are inverse products of what lies ahead of them. Everything else is seen from the frame
// of `top`, by products of what lies behind.
void EdgeWalk::turn_to(int top, QueryStats& stats) {
  if (top == top_) return;
  top_ = top;
  group_ = ++counter_;
  const ChainTree::Node& node = nodes_[at(top)];
  Seen& left = seen_[at(node.left)];
  Seen& right = seen_[at(node.right)];
  left.group = right.group = group_;
  left.pose = node.left;
  right.pose = node.right;
  left.run = right.run = 0;
  left.end = right.end = -1;
  poses_[at(node.right)] = Model::identity();
  if (node.left_slot == 0) {
    if (node.right_slot == 0) {
      poses_[at(node.left)] = Model::identity();
    } else {
      ++stats.compositions;
      invert(slot(node.right_slot, stats), poses_[at(node.left)]);
      left.run = node.right_slot;
    }
  } else {
    poses_[at(node.left)] = slot(node.left_slot, stats);
    if (node.right_slot != 0) poses_[at(node.right)] = slot(node.right_slot, stats);
  }
}

const EdgeWalk::Model& EdgeWalk::pose(int n, QueryStats& stats) {
  Seen& mine = seen_[at(n)];
  if (mine.group == group_) return poses_[at(mine.pose)];
  const int p = nodes_[at(n)].parent;
  const Model& above = pose(p, stats);
  const ChainTree::Node& parent = nodes_[at(p)];
  const Seen& up = seen_[at(p)];
  mine.group = group_;
  mine.run = 0;
  mine.end = -1;
  mine.pose = n;
  const bool is_left = n == parent.left;
  const int slot_index = is_left ? parent.left_slot : parent.right_slot;
  if (up.run >= tree().num_links()) {
    const ChainTree::Shortcut& s = shortcuts_[at(up.run - tree().num_links())];
    if (is_left) {
      mine.pose = up.pose;
      mine.run = s.first;
      mine.end = parent.right;
    } else {
      mine.run = s.second;
      mine.end = up.end;
      ++stats.compositions;
      if (up.end < 0) {
        invert(slot(s.second, stats), poses_[at(n)]);
      } else {
        times_inverse(pose(up.end, stats), slot(s.second, stats), poses_[at(n)]);
      }
    }
  } else if (slot_index == 0) {
    mine.pose = up.pose;
  } else {
    ++stats.compositions;
    multiply(above, slot(slot_index, stats), poses_[at(n)]);
  }
  return poses_[at(mine.pose)];
}

const EdgeWalk::Seen& EdgeWalk::seen(int n, QueryStats& stats) {
  Seen& mine = seen_[at(n)];
  if (mine.ball_group == group_) return mine;
  mine.ball_group = group_;
  move_point(pose(n, stats), ball(n, stats).center, mine.center);
  return mine;
}

EdgeWalk::Fate EdgeWalk::look_at(const Pair& pair, double clearance, bool narrow,
                                 QueryStats& stats) {
  const ChainTree::Node& na = nodes_[at(pair.a)];
  const ChainTree::Node& nb = nodes_[at(pair.b)];
  if (na.num_parts == 0 || nb.num_parts == 0) return Fate::kApart;
  if (!moves_within(pair.a) && !moves_within(pair.b) &&
      pieces_[at(na.anchor.value)] == pieces_[at(nb.anchor.value)]) {
    return Fate::kApart;
  }
  const UncheckedNodes* const unchecked = world_->unchecked_nodes();
  if (unchecked != nullptr && unchecked->contains(pair.a, pair.b)) return Fate::kApart;
  ++stats.box_tests;
  const bool leaves = na.left < 0 && nb.left < 0;
  if (leaves && !checks(na.part, nb.part)) return Fate::kApart;
  if (!narrow && !leaves) {
    const double turns = (moves_within(pair.a) ? turns_[at(pair.a)] : 0.0) +
                         (moves_within(pair.b) ? turns_[at(pair.b)] : 0.0);
    if (turns_far(turns, half_)) return Fate::kWait;
  }
  turn_to(pair.top, stats);
  const Ball& ball_a = ball(pair.a, stats);
  const Ball& ball_b = ball(pair.b, stats);
  const PointTaylor<kOrder>& a = seen(pair.a, stats).center;
  const PointTaylor<kOrder>& b = seen(pair.b, stats).center;
  double d[kOrder + 1][3];
  for (int k = 0; k <= kOrder; ++k) {
    for (int i = 0; i < 3; ++i) d[k][i] = b.q[k][i] - a.q[k][i];
  }
  // Along the line of centres in the middle of the interval.
  const double distance = length(d[0]);
  const double inverse = 1.0 / distance;
  const double linear = std::abs(dot(d[0], d[1])) * inverse;
  const double square = dot(d[0], d[2]) * inverse;
  const double radii = ball_a.radius + ball_b.radius;
  const double unknown = a.error + b.error + 32.0 * kUnitRoundoff * (a.size + b.size);
  const double closing = linear + (square >= 0.0 ? 0.0 : -square);
  if (distance - bound_above(closing + radii + unknown, 12) > clearance) return Fate::kApart;
  if (!narrow) {
    const double growth = ball_a.growth + ball_b.growth;
    const double share = leaves ? kLeafShare : kNodeShare;
    if (closing + growth + unknown > share * (radii - growth)) return Fate::kWait;
  }
  return leaves ? Fate::kLeaves : Fate::kDivide;
}

// Everything of the root, link 0, is seen from its own frame, which is W.
void EdgeWalk::turn_to_world() {
  if (top_ == kWorld) return;
  top_ = kWorld;
  group_ = ++counter_;
  Seen& root = seen_[0];
  root.group = group_;
  root.pose = root.run = 0;
  root.end = -1;
  poses_[0] = Model::identity();
}

EdgeWalk::Swept EdgeWalk::swept(int n, double margin, QueryStats& stats) {
  turn_to_world();
  const ChainTree::Node& node = nodes_[at(n)];
  Vector3d lo, hi;  // in the middle of the interval
  double sweep, turn = 0.0;
  Swept out;
  PointTaylor<kOrder> leaf_center;
  const PointTaylor<kOrder>* center = &leaf_center;
  if (node.left >= 0) {
    const Ball& b = ball(n, stats);
    center = &seen(n, stats).center;
    lo = hi = Vector(center->q[0]);
    sweep = bound_above(b.radius + center->error + 16.0 * kUnitRoundoff * center->size, 8);
    turn = b.growth;
    out.size = b.radius - b.growth;
  } else {
    const ChainTree::Part& part = tree().parts()[at(node.part)];
    const Model& X = pose(n, stats);
    move_point(X, part.center.data(), leaf_center);
    const Vector3d ball_center = Vector(leaf_center.q[0]);
    Matrix3d R;
    for (int j = 0; j < 3; ++j) R.col(j) = Vector(X.R[0][j]);
    // What lies in the box, in the ball and about the line lies in what these have in common.
    const Vector3d box_center = R * part.box.center + Vector(X.p[0]);
    Vector3d reach = (R * part.box.axes).cwiseAbs() * part.box.half;
    const Vector3d along = (R * part.half_line).cwiseAbs();
    reach = reach.cwiseMin(Vector3d(along.array() + part.line_radius));
    lo = (box_center - reach).cwiseMax(Vector3d(ball_center.array() - part.radius));
    hi = (box_center + reach).cwiseMin(Vector3d(ball_center.array() + part.radius));
    if (X.moves) turn = (X.turn[1] + X.turn[2]) * part.radius;
    sweep = bound_above(turn + leaf_center.error + X.rotation_error * part.radius +
                            1e-13 * (part.radius + part.reach) +
                            64.0 * kUnitRoundoff * (leaf_center.size + X.shift[0] + part.reach),
                        20);
    out.size = part.radius;
  }
  const Vector3d linear = Vector(center->q[1]).cwiseAbs();
  const Vector3d square = Vector(center->q[2]);  // times u^2, at most 1
  const Vector3d sides = linear.array() + (sweep + margin) * (1.0 + 8.0 * kUnitRoundoff);
  out.box = FloatBox::around(lo + square.cwiseMin(0.0) - sides, hi + square.cwiseMax(0.0) + sides);
  out.motion = linear.norm() + square.norm() + turn;
  return out;
}

// The middle of b moves by velocity, and what lies about it turns by `spin`; what is left of the
// coefficients counts as error.
EdgeWalk::Drift EdgeWalk::drift_of(const Model& X_AB,
                                   const CollisionWorld::WorldGeometry& b) const {
  Drift d;
  if (!X_AB.moves) {
    d.rest = bound_above((X_AB.rotation_error + X_AB.mid_rotation_error) *
                                 (b.X_LG.X.p.norm() + b.geometry->bound_center().norm() +
                                  b.geometry->bound_radius()) *
                                 (1.0 + 1e-12) +
                             X_AB.position_error + X_AB.mid_position_error,
                         12);
    return d;
  }
  const Vector3d center = b.X_LG.X * b.geometry->bound_center();
  const double center_error = b.X_LG.point_error(b.geometry->bound_center().norm());
  const double radius = bound_above(b.geometry->bound_radius() + center_error, 2);
  const double reach = center.norm() * (1.0 + 1e-14) + radius;
  const auto matrix = [&](int k) {
    Matrix3d R;
    for (int j = 0; j < 3; ++j) R.col(j) = Vector(X_AB.R[k][j]);
    return R;
  };
  const Matrix3d R0 = matrix(0), R1 = matrix(1);
  const Matrix3d W = R1 * R0.transpose();
  d.spin = 0.5 * Vector3d(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  Matrix3d cross;
  cross << 0.0, -d.spin.z(), d.spin.y(), d.spin.z(), 0.0, -d.spin.x(), -d.spin.y(), d.spin.x(), 0.0;
  const double turn = X_AB.turn[1], rate = d.spin.norm();
  const double no_turn = (R1 - cross * R0).norm() + 16 * kUnitRoundoff * (turn + 3.0 * rate);
  d.velocity = Vector(X_AB.p[1]) + R1 * center;
  d.speed = X_AB.shift[1] + turn * reach;
  d.turned = rate * radius;
  d.error = no_turn * radius + turn * center_error;
  double rest = (X_AB.rotation_error + X_AB.mid_rotation_error) * reach + X_AB.position_error +
                X_AB.mid_position_error;
  for (int k = 2; k <= kOrder; ++k) {
    rest += (Vector(X_AB.p[k]) + matrix(k) * center).norm() +
            X_AB.turn[k] * (radius + center_error) +
            16 * kUnitRoundoff * (X_AB.shift[k] + X_AB.turn[k] * reach);
  }
  d.rest = bound_above(rest, 60);
  d.displacement = d.velocity.norm() + turn * radius + 32 * kUnitRoundoff * d.speed;
  return d;
}

// The drift in the axes of a geometry that are turned by `back`, known within `turn_error`.
void EdgeWalk::fill(const Drift& d, double turn_error, PairMotion& m) {
  m.half_step = 1.0;
  m.velocity_error =
      bound_above(d.error + (turn_error + 64 * kUnitRoundoff) * (d.speed + 3.0 * d.turned), 60);
  m.acceleration = d.rest;
  m.displacement = bound_above(d.displacement + m.velocity_error + m.acceleration, 40);
}

EdgeWalk::Parts EdgeWalk::parts_of(const Pair& pair, QueryStats& stats) {
  turn_to(pair.top, stats);
  Parts parts;
  parts.a = nodes_[at(pair.a)].part;
  parts.b = nodes_[at(pair.b)].part;
  int first = pair.a, second = pair.b;
  if (parts.a > parts.b) {
    std::swap(parts.a, parts.b);
    std::swap(first, second);
  }
  ++stats.compositions;
  pose(first, stats);
  pose(second, stats);
  inverse_times(pose(first, stats), pose(second, stats), relative_);

  const CollisionWorld::WorldGeometry& a = world_->geometries()[at(parts.a)];
  const CollisionWorld::WorldGeometry& b = world_->geometries()[at(parts.b)];
  parts.X_GaGb = a.X_LG.inverse_times(relative_.middle() * b.X_LG);
  // In the axes of a's link first.
  const Drift d = drift_of(relative_, b);
  const Matrix3d back = a.X_LG.X.R.transpose();
  parts.motion.velocity = back * d.velocity;
  parts.motion.spin_b = back * d.spin;
  fill(d, a.X_LG.rotation_error + parts.X_GaGb.rotation_error, parts.motion);
  return parts;
}

EdgeWalk::Mover EdgeWalk::mover(int leaf, QueryStats& stats) {
  turn_to_world();
  const int index = nodes_[at(leaf)].part;
  const CollisionWorld::WorldGeometry& a = world_->geometries()[at(index)];
  const ChainTree::Part& part = tree().parts()[at(index)];
  const Model& X_WL = pose(leaf, stats);
  const RigidEnclosure X = X_WL.middle();
  Mover out{X * a.X_LG, {}, PartLine(part, X)};
  // Seen from a, everything else goes the other way; what a itself turns by is its own.
  const Drift d = drift_of(X_WL, a);
  const Matrix3d back = out.X_WG.X.R.transpose();
  out.motion.velocity = -(back * d.velocity);
  out.motion.spin_a = back * d.spin;
  fill(d, out.X_WG.rotation_error, out.motion);

  const Vector3d center_L = PartLine::has_line(part) ? part.box.center : part.center;
  const Vector3d arm = X.X.R * (center_L - a.X_LG.X * a.geometry->bound_center());
  const double reach = arm.norm() + out.line.half.norm(), rate = d.spin.norm();
  out.line.velocity = d.velocity + d.spin.cross(arm);
  out.line.half_velocity = d.spin.cross(out.line.half);
  // The motion's bounds are of points in the geometry's ball: of the line's only if it lies there.
  // Else a point of the part turns about the line's by the spin as well.
  const bool in_ball = reach <= a.geometry->bound_radius() * (1.0 - 1e-12);
  const double center_error = a.X_LG.point_error(a.geometry->bound_center().norm());
  out.line.slack = bound_above(
      out.motion.velocity_error + out.motion.acceleration +
          (in_ball ? 0.0 : rate * out.line.radius) +
          2.0 * rate * ((X.rotation_error + 32.0 * kUnitRoundoff) * reach + center_error) +
          16.0 * kUnitRoundoff * (out.line.velocity.norm() + out.line.half_velocity.norm()),
      20);
  return out;
}

std::pair<int, int> EdgeWalk::any_parts(const Pair& pair) const {
  const int a = first_part(tree(), pair.a), b = first_part(tree(), pair.b);
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace catena::internal
