#include "catena/model/robot.hpp"

#include <algorithm>
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
