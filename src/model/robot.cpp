#include "catena/model/robot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

namespace {

// Of R_PL at an angle that is known exactly (docs/rigor.md, R2).
double turned_error(const Joint& joint) {
  return bound_above(joint.X_PJ.rotation_error + (5.0 * joint.axis_error + 72 * kUnitRoundoff) *
                                                     (1.0 + joint.X_PJ.rotation_error),
                     8);
}

void set_columns(const Matrix3d& R, std::array<double, 10>& columns) {
  Matrix3d::Map(columns.data()) = R;
}

}  // namespace

void Robot::prepare_turns() {
  turning_joints_.assign(joints_.size(), {});
  oblique_turns_.clear();
  for (size_t i = 1; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    const bool continuous = joint.type == JointType::kContinuous;
    if (!continuous && joint.type != JointType::kRevolute) continue;
    const Vector3d& a = joint.axis;
    const Matrix3d& R_PJ = joint.X_PJ.X.R;
    TurningJoint& t = turning_joints_[i];
    Matrix3d::Map(t.frame.data()) = R_PJ;
    Vector3d::Map(&t.frame[9]) = joint.X_PJ.X.p;
    // Beyond these an angle is reduced, clamped or refused.
    t.lower = continuous ? -std::numbers::pi : std::max(joint.lower, -1e6);
    t.upper = continuous ? std::numbers::pi : std::min(joint.upper, 1e6);
    // A product of enclosures adds 10 u (1 + e_A)(1 + e_B); what exceeds that covers rounding.
    const auto with_product = [](double error) {
      return float_above(bound_above(error + 11 * kUnitRoundoff * (1.0 + error), 8));
    };
    const double turned = turned_error(joint);
    t.still_error = with_product(joint.X_PJ.rotation_error);
    t.turned_error = with_product(turned);
    t.position_error = float_above(joint.X_PJ.position_error * (1.0 + 1e-6) + 1e-37);
    t.reach = float_above(joint.X_PJ.X.p.lpNorm<1>() * (1.0 + 1e-6) + 1e-37);
    t.parent = joint.parent.value;
    // Frames that are known worse than that take the general way.
    t.q_index = joint.mimic || !(turned < 1e-9) ? -1 : joint.q_index;
    t.axis = TurningJoint::Axis::kOblique;
    for (int k = 0; k < 3; ++k) {
      if (std::abs(a[k]) != 1.0 || a.cwiseAbs().sum() != 1.0) continue;
      t.axis = static_cast<TurningJoint::Axis>(k);
      t.sign = a[k] > 0.0 ? 1 : -1;
    }
    if (t.axis != TurningJoint::Axis::kOblique) continue;
    Matrix3d cross;
    cross << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
    const Matrix3d still = R_PJ * (a * a.transpose());
    t.oblique = static_cast<std::int32_t>(oblique_turns_.size());
    ObliqueTurn& turn = oblique_turns_.emplace_back();
    set_columns(still, turn.still);
    set_columns(R_PJ * cross, turn.sine);
    set_columns(R_PJ - still, turn.cosine);
    t.still_error = t.turned_error;  // the three matrices do not add up to R_PJ exactly
  }
}

RigidEnclosure Robot::turned(LinkIndex i, double angle, double angle_error) const noexcept {
  const TurningJoint& t = turning_joints_[static_cast<size_t>(i.value)];
  RigidEnclosure X_PL;
  X_PL.X.p = Vector3d::Map(&t.frame[9]);
  X_PL.position_error = joint(i).X_PJ.position_error;
  X_PL.X.R = Matrix3d::Map(t.frame.data());
  if (angle == 0.0) {  // exactly the joint's own frame
    X_PL.rotation_error = bound_above(joint(i).X_PJ.rotation_error + angle_error, 1);
    return X_PL;
  }
  const double sine = std::sin(angle) * t.sign, cosine = std::cos(angle);
  if (t.axis == TurningJoint::Axis::kOblique) {
    const ObliqueTurn& turn = oblique_turns_[static_cast<size_t>(t.oblique)];
    X_PL.X.R = Matrix3d::Map(turn.still.data()) + sine * Matrix3d::Map(turn.sine.data()) +
               cosine * Matrix3d::Map(turn.cosine.data());
  } else {
    const int k = static_cast<int>(t.axis), a = (k + 1) % 3, b = (k + 2) % 3;
    const Vector3d first = X_PL.X.R.col(a), second = X_PL.X.R.col(b);
    X_PL.X.R.col(a) = cosine * first + sine * second;
    X_PL.X.R.col(b) = cosine * second - sine * first;
  }
  X_PL.rotation_error = bound_above(static_cast<double>(t.turned_error) + angle_error, 1);
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
