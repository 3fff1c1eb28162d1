#include "summed_bounds.hpp"

#include <cmath>

namespace catena::internal {
namespace {

// Every bound is a sum of products of numbers that are not negative, through at most some ten
// roundings a level of the tree, whose depth is far below a hundred thousand: together less than
// this share, and so is what a distance is off by (docs/rigor.md, R12).
constexpr double kRounding = 1e-9;
// More than what underflow may hide.
constexpr double kUnderflow = 1e-140;

}  // namespace

SummedBounds::SummedBounds(const CollisionWorld& world)
    : world_(&world),
      steps_(at(tree().num_slots())),
      first_(tree().nodes().size()),
      last_(first_.size()),
      seen_(first_.size()) {
  const int n = tree().num_links();
  for (int i = 0; i < n; ++i) {
    from_.push_back(i == 0 ? 0 : world.robot().parent(LinkIndex(i)).value);
    to_.push_back(i);
  }
  for (const ChainTree::Shortcut& s : tree().shortcuts()) {
    from_.push_back(from_[at(s.first)]);
    to_.push_back(to_[at(s.second)]);
  }
  const auto nodes = tree().nodes();
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    first_[at(i)] = static_cast<int>(balls_.size());
    if (nodes[at(i)].part < 0) continue;
    Ball ball;
    ball.node = i;
    ball.part = nodes[at(i)].part;
    const ChainTree::Part& part = tree().parts()[at(ball.part)];
    ball.reach = part.center.norm() + part.radius;
    balls_.push_back(ball);
  }
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i) {
    const ChainTree::Node& node = nodes[at(i)];
    last_[at(i)] = node.right < 0 ? first_[at(i)] + (node.part < 0 ? 0 : 1) : last_[at(node.right)];
  }
}

void SummedBounds::set(const CollisionWorld& world, const Motion& motion, double half,
                       const std::vector<RigidEnclosure>& X_WL) {
  world_ = &world;
  const auto span = [&](int slot) {
    const RigidEnclosure& a = X_WL[at(from_[at(slot)])];
    const RigidEnclosure& b = X_WL[at(to_[at(slot)])];
    return (a.X.p - b.X.p).norm() + a.position_error + b.position_error;
  };
  const int n = tree().num_links();
  for (int i = 1; i < n; ++i) {
    Step& step = steps_[at(i)];
    const Motion::JointMotion& m = motion.joint(LinkIndex(i));
    step.span = span(i);
    step.turn = half * m.rate_bound;
    step.out = half * m.speed_bound;
    step.back = step.turn * step.span + step.out;
  }
  for (const ChainTree::Shortcut& s : tree().shortcuts()) {
    const int slot = n + static_cast<int>(&s - tree().shortcuts().data());
    const Step& a = steps_[at(s.first)];
    const Step& b = steps_[at(s.second)];
    Step& step = steps_[at(slot)];
    step.span = span(slot);
    step.turn = a.turn + b.turn;
    step.out = a.out + a.turn * b.span + b.out;
    step.back = b.back + b.turn * a.span + a.back;
  }
  for (Ball& ball : balls_) {
    const ChainTree::Part& part = tree().parts()[at(ball.part)];
    const RigidEnclosure& X = X_WL[at(part.link.value)];
    const Vector3d center = X.X * part.center;
    for (int i = 0; i < 3; ++i) ball.center[i] = center[i];
    ball.radius = part.radius + X.point_error(ball.reach);
  }
}

// The frame of `top` is where its right child begins if a run of links leads there, as EdgeWalk has
// it.
void SummedBounds::turn_to(int top) {
  ++group_;
  const ChainTree::Node& node = tree().nodes()[at(top)];
  Seen& left = seen_[at(node.left)];
  Seen& right = seen_[at(node.right)];
  left = right = Seen{group_, 0.0, 0.0, 0, -1};
  const Step& to_right = steps_[at(node.right_slot)];  // that of slot 0 is 0
  if (node.left_slot == 0) {
    left.turn = to_right.turn;
    left.shift = to_right.back;
    left.run = node.right_slot;
  } else {
    const Step& to_left = steps_[at(node.left_slot)];
    left.turn = to_left.turn;
    left.shift = to_left.out;
    right.turn = to_right.turn;
    right.shift = to_right.out;
  }
}

// The same way as EdgeWalk::pose goes, with sums for products.
const SummedBounds::Seen& SummedBounds::seen(int n) {
  Seen& mine = seen_[at(n)];
  if (mine.group == group_) return mine;
  const int p = tree().nodes()[at(n)].parent;
  const Seen& up = seen(p);
  const ChainTree::Node& parent = tree().nodes()[at(p)];
  const bool is_left = n == parent.left;
  if (up.run >= tree().num_links()) {
    const ChainTree::Shortcut& s = tree().shortcuts()[at(up.run - tree().num_links())];
    if (is_left) {
      mine = {group_, up.turn, up.shift, s.first, parent.right};
      return mine;
    }
    const Seen end = up.end < 0 ? Seen{} : seen(up.end);
    const Step& run = steps_[at(s.second)];
    mine = {group_, end.turn + run.turn, end.shift + end.turn * run.span + run.back, s.second,
            up.end};
    return mine;
  }
  const Step& step = steps_[at(is_left ? parent.left_slot : parent.right_slot)];
  mine = {group_, up.turn + step.turn, up.shift + up.turn * step.span + step.out, 0, -1};
  return mine;
}

void SummedBounds::measure(int i) {
  Ball& ball = balls_[at(i)];
  const Seen& s = seen(ball.node);
  ball.swept = ball.radius + s.shift + s.turn * ball.reach;
}

void SummedBounds::find_open(int top, double clearance, std::vector<std::pair<int, int>>& open) {
  turn_to(top);
  const int left = tree().nodes()[at(top)].left, right = tree().nodes()[at(top)].right;
  const int begin = first_[at(right)], end = last_[at(right)];
  for (int i = begin; i < end; ++i) measure(i);
  for (int i = first_[at(left)]; i < last_[at(left)]; ++i) {
    measure(i);
    const Ball& a = balls_[at(i)];
    const double least = a.swept + clearance + kUnderflow;
    for (int k = begin; k < end; ++k) {
      const Ball& b = balls_[at(k)];
      const double x = b.center[0] - a.center[0];
      const double y = b.center[1] - a.center[1];
      const double z = b.center[2] - a.center[2];
      const double used = least + b.swept;
      // By squares: where they overflow, a finite `used` is far from it.
      if (x * x + y * y + z * z > used * used * (1.0 + 4.0 * kRounding)) continue;
      open.emplace_back(a.node, b.node);
    }
  }
}

}  // namespace catena::internal
