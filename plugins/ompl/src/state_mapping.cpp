#include "catena/ompl/state_mapping.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <typeinfo>

#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>

#include "catena/model/motion.hpp"
#include "catena/ompl/joint_spaces.hpp"
#include "catena/ompl/state_space.hpp"

namespace catena::ompl {

namespace ob = ::ompl::base;

namespace {

enum class Need : std::uint8_t { kReal, kAngle, kRotation };

/// What a joint's value number k has to be in a space.
Need need_of(JointType type, int k) noexcept {
  switch (type) {
    case JointType::kContinuous:
      return Need::kAngle;
    case JointType::kPlanar:
      return k < 2 ? Need::kReal : Need::kAngle;
    case JointType::kFloating:
      return k < 3 ? Need::kReal : Need::kRotation;
    case JointType::kBall:
      return Need::kRotation;
    default:
      return Need::kReal;
  }
}

const char* words_for(Need need) noexcept {
  switch (need) {
    case Need::kAngle:
      return "a catena::ompl::AngleStateSpace or SO2StateSpace";
    case Need::kRotation:
      return "a catena::ompl::RotationStateSpace";
    default:
      return "a dimension of a RealVectorStateSpace";
  }
}

bool has_type(const ob::StateSpace& space, std::initializer_list<const std::type_info*> types) {
  const std::type_info& type = typeid(space);
  return std::any_of(types.begin(), types.end(), [&](const auto* t) { return type == *t; });
}

bool is_limited(JointType type) noexcept {
  return type == JointType::kRevolute || type == JointType::kPrismatic;
}

}  // namespace

StateMapping::StateMapping(std::shared_ptr<const Robot> robot, JointGroup group,
                           const ob::StateSpace& space, Eigen::VectorXd resting)
    : robot_(std::move(robot)), group_(std::move(group)), resting_(std::move(resting)) {
  validate_positions(*robot_, resting_);
  for (const LinkIndex j : group_.joints) {
    const Joint& joint = robot_->joint(j);
    for (int k = 0; k < catena::num_values(joint.type); ++k) q_index_.push_back(joint.q_index + k);
  }
  std::vector<unsigned int> chain;
  collect(space, chain);
  const int taken = leaves_.empty() ? 0 : leaves_.back().first + leaves_.back().count;
  if (taken != num_values()) {
    throw std::invalid_argument(
        "state space \"" + space.getName() + "\": holds " + std::to_string(taken) +
        " joint values, but group \"" + group_.name + "\" of robot \"" + robot_->name() +
        "\" has " + std::to_string(num_values()) + "; use a catena::ompl::StateSpace of the group");
  }
}

void StateMapping::collect(const ob::StateSpace& space, std::vector<unsigned int>& chain) {
  if (has_type(space,
               {&typeid(ob::CompoundStateSpace), &typeid(ob::SE2StateSpace), &typeid(StateSpace),
                &typeid(PlanarStateSpace), &typeid(FloatingStateSpace)})) {
    const auto& compound = static_cast<const ob::CompoundStateSpace&>(space);
    for (unsigned int i = 0; i < compound.getSubspaceCount(); ++i) {
      chain.push_back(i);
      collect(*compound.getSubspace(i), chain);
      chain.pop_back();
    }
    return;
  }

  Need given = Need::kReal;
  int count = 0;
  if (has_type(space, {&typeid(ob::RealVectorStateSpace), &typeid(BoxStateSpace)})) {
    count = static_cast<int>(space.getDimension());
  } else if (has_type(space, {&typeid(ob::SO2StateSpace), &typeid(AngleStateSpace)})) {
    given = Need::kAngle;
    count = 1;
  } else if (has_type(space, {&typeid(RotationStateSpace)})) {
    given = Need::kRotation;
    count = 4;
  } else if (has_type(space, {&typeid(ob::SO3StateSpace), &typeid(ob::SE3StateSpace)})) {
    throw std::invalid_argument(
        "state space \"" + space.getName() +
        "\": OMPL's SO(3) does not move at small angles, so its motion is not the one that is "
        "certified; use catena::ompl::RotationStateSpace or FloatingStateSpace");
  } else {
    throw std::invalid_argument("state space \"" + space.getName() +
                                "\": how it interpolates is not known; use a "
                                "catena::ompl::StateSpace, or RealVector and SO(2) spaces");
  }
  if (count == 0) return;

  const int first = leaves_.empty() ? 0 : leaves_.back().first + leaves_.back().count;
  leaves_.push_back({given == Need::kReal    ? LeafKind::kReals
                     : given == Need::kAngle ? LeafKind::kAngle
                                             : LeafKind::kRotation,
                     chain, first, count});
  // Every value that the leaf holds must be one that its joint moves in the same way.
  int value = 0;
  for (const LinkIndex j : group_.joints) {
    const Joint& joint = robot_->joint(j);
    for (int k = 0; k < catena::num_values(joint.type); ++k, ++value) {
      if (value < first || value >= first + count) continue;
      const Need need = need_of(joint.type, k);
      if (need == given) continue;
      throw std::invalid_argument("state space \"" + space.getName() + "\": value " +
                                  std::to_string(value) + " would move " + name_of(joint.type) +
                                  " joint \"" + joint.name + "\" otherwise than it does; give it " +
                                  words_for(need));
    }
  }
}

double* StateMapping::values_of(const Leaf& leaf, ob::State* state) noexcept {
  for (const unsigned int i : leaf.chain) state = state->as<ob::CompoundState>()->components[i];
  switch (leaf.kind) {
    case LeafKind::kReals:
      return state->as<ob::RealVectorStateSpace::StateType>()->values;
    case LeafKind::kAngle:
      return &state->as<ob::SO2StateSpace::StateType>()->value;
    default:
      return &state->as<ob::SO3StateSpace::StateType>()->x;  // x, y, z, w, as OMPL reads it
  }
}

const double* StateMapping::values_of(const Leaf& leaf, const ob::State* state) noexcept {
  return values_of(leaf, const_cast<ob::State*>(state));  // only to find the address
}

void StateMapping::to_positions(const ob::State* state,
                                Eigen::Ref<Eigen::VectorXd> q) const noexcept {
  assert(q.size() == resting_.size());
  q = resting_;
  for (const Leaf& leaf : leaves_) {
    const double* values = values_of(leaf, state);
    for (int k = 0; k < leaf.count; ++k) q[q_index(leaf.first + k)] = values[k];
  }
}

void StateMapping::to_values(const ob::State* state,
                             Eigen::Ref<Eigen::VectorXd> values) const noexcept {
  assert(values.size() == num_values());
  for (const Leaf& leaf : leaves_) {
    const double* from = values_of(leaf, state);
    std::copy(from, from + leaf.count, values.data() + leaf.first);
  }
}

void StateMapping::from_values(const Eigen::Ref<const Eigen::VectorXd>& values,
                               ob::State* state) const {
  if (values.size() != num_values()) {
    throw std::invalid_argument("state of group \"" + group_.name +
                                "\": " + std::to_string(values.size()) + " values for " +
                                std::to_string(num_values()) + "; give one for each joint value");
  }
  Eigen::VectorXd q = resting_;
  for (int i = 0; i < num_values(); ++i) q[q_index(i)] = values[i];
  validate_positions(*robot_, q);
  for (const LinkIndex j : group_.joints) {
    const Joint& joint = robot_->joint(j);
    if (!is_limited(joint.type)) continue;
    q[joint.q_index] = std::clamp(q[joint.q_index], joint.lower, joint.upper);
  }
  for (const Leaf& leaf : leaves_) {
    double* to = values_of(leaf, state);
    double squared_norm = 0.0;
    for (int k = 0; k < leaf.count; ++k) {
      to[k] = q[q_index(leaf.first + k)];
      squared_norm += to[k] * to[k];
    }
    if (leaf.kind == LeafKind::kAngle && std::abs(to[0]) > std::numbers::pi) {
      to[0] = std::remainder(to[0], 2.0 * std::numbers::pi);
    }
    if (leaf.kind == LeafKind::kRotation) {
      for (int k = 0; k < 4; ++k) to[k] /= std::sqrt(squared_norm);
    }
  }
}

Eigen::VectorXd resting_positions(const Robot& robot, const Scene* scene,
                                  const std::map<std::string, std::vector<double>>& others) {
  Eigen::VectorXd q = robot.zero_positions();
  const auto place = [&](const Joint& joint, const std::vector<double>& values, bool clamp) {
    for (size_t k = 0; k < values.size(); ++k) {
      const bool limited = clamp && is_limited(joint.type) && std::isfinite(values[k]);
      q[joint.q_index + static_cast<int>(k)] =
          limited ? std::clamp(values[k], joint.lower, joint.upper) : values[k];
    }
  };
  const auto fits = [](const Joint& joint, const std::vector<double>& values) {
    return values.size() == static_cast<size_t>(num_values(joint.type));
  };

  if (scene != nullptr) {
    for (const auto& [name, values] : scene->robot_state) {
      const LinkIndex i = robot.find_joint(name);
      // A robot state also lists mimic and fixed joints; those have no values of their own.
      if (i.valid() && fits(robot.joint(i), values)) place(robot.joint(i), values, true);
    }
  }
  for (const auto& [name, values] : others) {
    const LinkIndex i = robot.find_joint(name);
    if (!i.valid()) {
      throw std::invalid_argument(
          "others: joint \"" + name + "\": robot \"" + robot.name() +
          "\" has no joint of that name that moves by itself; leave it out");
    }
    const Joint& joint = robot.joint(i);
    if (!fits(joint, values)) {
      throw std::invalid_argument("others: joint \"" + name +
                                  "\": " + std::to_string(values.size()) + " values, but a " +
                                  name_of(joint.type) + " joint has " +
                                  std::to_string(num_values(joint.type)) + "; give that many");
    }
    place(joint, values, false);
  }
  validate_positions(robot, q);
  return q;
}

std::shared_ptr<const StateMapping> mapping_of(const ob::StateSpacePtr& space,
                                               const std::shared_ptr<const Robot>& robot,
                                               const Scene* scene) {
  if (const auto* own = dynamic_cast<const StateSpace*>(space.get())) {
    if (own->mapping()->robot_ptr() != robot) {
      throw std::invalid_argument("state space \"" + space->getName() +
                                  "\": made for another robot object than the world's; make both "
                                  "from the same shared pointer");
    }
    return own->mapping();
  }
  return std::make_shared<const StateMapping>(robot, robot->group_or_all(""), *space,
                                              resting_positions(*robot, scene));
}

}  // namespace catena::ompl
