#include "catena/model/robot.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace catena {

LinkIndex Robot::find_joint(std::string_view name) const noexcept {
  const auto place = joint_by_name_.find(name);
  return place == joint_by_name_.end() ? LinkIndex() : LinkIndex(place->second);
}

BodyIndex Robot::find_body(std::string_view name) const noexcept {
  const auto place = body_by_name_.find(name);
  return place == body_by_name_.end() ? BodyIndex() : BodyIndex(place->second);
}

bool Robot::checks(BodyIndex a, BodyIndex b) const noexcept {
  if (a == b || body(a).geometries.empty() || body(b).geometries.empty()) return false;
  const std::pair<BodyIndex, BodyIndex> pair = std::minmax(a, b);
  const auto found = std::lower_bound(
      unchecked_pairs_.begin(), unchecked_pairs_.end(), pair,
      [](const UncheckedPair& x, const auto& key) { return std::pair(x.a, x.b) < key; });
  return found == unchecked_pairs_.end() || std::pair(found->a, found->b) != pair;
}

std::int64_t Robot::num_checked_pairs() const noexcept {
  const auto shaped = std::count_if(bodies_.begin(), bodies_.end(),
                                    [](const Body& b) { return !b.geometries.empty(); });
  return shaped * (shaped - 1) / 2 - static_cast<std::int64_t>(unchecked_pairs_.size());
}

std::vector<std::pair<BodyIndex, BodyIndex>> Robot::list_checked_pairs() const {
  std::vector<std::pair<BodyIndex, BodyIndex>> pairs;
  for (int a = 0; a < static_cast<int>(bodies_.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(bodies_.size()); ++b) {
      if (checks(BodyIndex(a), BodyIndex(b))) pairs.emplace_back(BodyIndex(a), BodyIndex(b));
    }
  }
  return pairs;
}

void Robot::prepare_turns() {
  turns_.assign(joints_.size(), {});
  for (size_t i = 1; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    const Vector3d& a = joint.axis;
    const Matrix3d& R_PJ = joint.X_PJ.X.R;
    Matrix3d cross;
    cross << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
    Turn& turn = turns_[i];
    turn.still = R_PJ * (a * a.transpose());
    turn.sine = R_PJ * cross;
    turn.cosine = R_PJ - turn.still;
    turn.error =
        bound_above(joint.X_PJ.rotation_error + (5.0 * joint.axis_error + 72 * kUnitRoundoff) *
                                                    (1.0 + joint.X_PJ.rotation_error),
                    8);
  }
}

RigidEnclosure Robot::turned(LinkIndex i, double angle, double angle_error) const noexcept {
  const Joint& moved = joint(i);
  RigidEnclosure X_PL = moved.X_PJ;
  if (angle == 0.0) {  // exactly the joint's own frame
    X_PL.rotation_error = bound_above(X_PL.rotation_error + angle_error, 1);
    return X_PL;
  }
  const Turn& turn = turns_[static_cast<size_t>(i.value)];
  X_PL.X.R = turn.still + std::sin(angle) * turn.sine + std::cos(angle) * turn.cosine;
  X_PL.rotation_error = bound_above(turn.error + angle_error, 1);
  return X_PL;
}

const JointGroup* Robot::find_group(std::string_view name) const noexcept {
  for (const JointGroup& group : groups_)
    if (group.name == name) return &group;
  return nullptr;
}

JointGroup Robot::group_or_all(const std::string& name) const {
  if (name.empty()) {
    JointGroup all;
    for (const LinkIndex i : active_joints_)
      if (!joint(i).passive) all.joints.push_back(i);
    return all;
  }
  if (const JointGroup* group = find_group(name)) return *group;
  std::string known;
  for (const JointGroup& group : groups_) known += (known.empty() ? "" : ", ") + group.name;
  throw std::invalid_argument(
      "group \"" + name + "\": robot \"" + name_ + "\" has no such group; " +
      (known.empty() ? "it has no groups at all: name an SRDF, or leave the group out"
                     : "choose one of: " + known));
}

Eigen::VectorXd Robot::zero_positions() const {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(num_positions_);
  for (const LinkIndex i : active_joints_) {
    const Joint& moved = joint(i);
    switch (moved.type) {
      case JointType::kRevolute:
      case JointType::kPrismatic:
        q[moved.q_index] = std::clamp(0.0, moved.lower, moved.upper);
        break;
      case JointType::kFloating:
      case JointType::kBall:
        q[moved.q_index + num_values(moved.type) - 1] = 1.0;  // w of the quaternion
        break;
      case JointType::kFixed:
      case JointType::kContinuous:
      case JointType::kPlanar:
        break;
    }
  }
  return q;
}

}  // namespace catena
