#include "catena/ompl/state_space.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "catena/ompl/joint_spaces.hpp"
#include "catena/ompl/projections.hpp"

namespace catena::ompl {

namespace ob = ::ompl::base;

namespace {

bool is_straight(JointType type) noexcept {
  return type == JointType::kRevolute || type == JointType::kPrismatic;
}

/// The shortest text of the same number: std::to_string takes 300 digits for 1e300.
std::string show(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void name_parts(ob::CompoundStateSpace& space, const std::string& joint, unsigned int dimension) {
  static constexpr const char* kAxes[] = {"/x", "/y", "/z"};
  space.setName(joint);
  auto* box = space.as<ob::RealVectorStateSpace>(0);
  box->setName(joint + "/position");
  space.getSubspace(1)->setName(joint + "/rotation");
  ob::RealVectorBounds bounds(dimension);
  bounds.setLow(-kInfinity);
  bounds.setHigh(kInfinity);
  box->setBounds(bounds);
  for (unsigned int k = 0; k < dimension; ++k) box->setDimensionName(k, joint + kAxes[k]);
}

}  // namespace

StateSpace::StateSpace(std::shared_ptr<const Robot> robot, const std::string& group,
                       Eigen::VectorXd resting) {
  const JointGroup joints = robot->group_or_all(group);
  if (joints.joints.empty()) {
    throw std::invalid_argument("robot \"" + robot->name() + "\": group \"" + joints.name +
                                "\" has no joint that moves; choose another group");
  }
  if (resting.size() == 0) resting = robot->zero_positions();
  setName(joints.name.empty() ? robot->name() : joints.name);

  const auto joint_at = [&](size_t i) -> const Joint& { return robot->joint(joints.joints[i]); };
  for (size_t i = 0; i < joints.joints.size();) {
    const Joint& joint = joint_at(i);
    if (is_straight(joint.type)) {
      size_t end = i;
      while (end < joints.joints.size() && is_straight(joint_at(end).type)) ++end;
      const auto count = static_cast<unsigned int>(end - i);
      auto box = std::make_shared<BoxStateSpace>(count);
      box->setName(count == 1 ? joint.name : joint.name + "..." + joint_at(end - 1).name);
      ob::RealVectorBounds bounds(count);
      for (unsigned int k = 0; k < count; ++k, ++i) {
        bounds.low[k] = joint_at(i).lower;
        bounds.high[k] = joint_at(i).upper;
        box->setDimensionName(k, joint_at(i).name);
        places_.push_back({box.get(), k, 1});
      }
      box->setBounds(bounds);
      addSubspace(box, 1.0);
      continue;
    }
    if (joint.type == JointType::kPlanar || joint.type == JointType::kFloating) {
      const bool planar = joint.type == JointType::kPlanar;
      std::shared_ptr<ob::CompoundStateSpace> space;
      if (planar) {
        space = std::make_shared<PlanarStateSpace>();
      } else {
        space = std::make_shared<FloatingStateSpace>();
      }
      const unsigned int dimension = planar ? 2 : 3;
      name_parts(*space, joint.name, dimension);
      addSubspace(space, 1.0);
      places_.push_back({space->as<ob::RealVectorStateSpace>(0), 0, dimension});
    } else {
      ob::StateSpacePtr space;
      if (joint.type == JointType::kContinuous) {
        space = std::make_shared<AngleStateSpace>();
      } else {
        space = std::make_shared<RotationStateSpace>();
      }
      space->setName(joint.name);
      addSubspace(space, 1.0);
      places_.push_back({});
    }
    ++i;
  }
  lock();
  mapping_ =
      std::make_shared<const StateMapping>(std::move(robot), joints, *this, std::move(resting));
}

std::vector<std::string> StateSpace::joint_names() const {
  std::vector<std::string> names;
  for (const LinkIndex j : group().joints) names.push_back(robot().joint(j).name);
  return names;
}

void StateSpace::set_bounds(const std::string& joint, const std::vector<double>& low,
                            const std::vector<double>& high) {
  const std::string where = "bounds of joint \"" + joint + "\": ";
  const std::vector<LinkIndex>& joints = group().joints;
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](LinkIndex j) { return robot().joint(j).name == joint; });
  if (found == joints.end()) {
    throw std::invalid_argument(where + "group \"" + group().name +
                                "\" has no such joint; name one of its joints");
  }
  const Place& place = places_[static_cast<size_t>(found - joints.begin())];
  if (place.box == nullptr) {
    throw std::invalid_argument(where + "it only turns, all the way round; leave the bounds out");
  }
  const auto at = [&](const std::vector<double>& values, unsigned int k) {
    return values.size() == 1 ? values[0] : values[k];
  };
  for (const auto* values : {&low, &high}) {
    if (values->size() != 1 && values->size() != place.count) {
      throw std::invalid_argument(where + std::to_string(values->size()) + " numbers for " +
                                  std::to_string(place.count) +
                                  " coordinates; give one, or one each");
    }
  }
  ob::RealVectorBounds bounds = place.box->getBounds();
  const Joint& limits = robot().joint(*found);
  for (unsigned int k = 0; k < place.count; ++k) {
    const double lower = at(low, k), upper = at(high, k);
    if (!std::isfinite(lower) || !std::isfinite(upper) || lower > upper) {
      throw std::invalid_argument(where + "[" + show(lower) + ", " + show(upper) +
                                  "] is no range; give finite numbers, "
                                  "the lower one first");
    }
    const bool wider = is_straight(limits.type) && (lower < limits.lower || upper > limits.upper);
    if (wider) {
      throw std::invalid_argument(where + "wider than the robot's own limits [" +
                                  show(limits.lower) + ", " + show(limits.upper) +
                                  "]; stay within them");
    }
    bounds.low[place.first + k] = lower;
    bounds.high[place.first + k] = upper;
  }
  place.box->setBounds(bounds);
}

Eigen::VectorXd StateSpace::values(const ob::State* state) const {
  Eigen::VectorXd result(num_values());
  mapping_->to_values(state, result);
  return result;
}

void StateSpace::set_values(ob::State* state,
                            const Eigen::Ref<const Eigen::VectorXd>& values) const {
  mapping_->from_values(values, state);
}

Eigen::VectorXd StateSpace::positions(const ob::State* state) const {
  Eigen::VectorXd result(robot().num_positions());
  mapping_->to_positions(state, result);
  return result;
}

void StateSpace::require_bounds() const {
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    for (unsigned int k = place.first; place.box != nullptr && k < place.first + place.count; ++k) {
      const ob::RealVectorBounds& bounds = place.box->getBounds();
      if (std::isfinite(bounds.low[k]) && std::isfinite(bounds.high[k])) continue;
      const std::string& joint = robot().joint(group().joints[i]).name;
      throw std::invalid_argument("state space \"" + getName() + "\": joint \"" + joint +
                                  "\" has no bounds to sample in; call set_bounds(\"" + joint +
                                  "\", low, high)");
    }
  }
}

void StateSpace::setup() {
  require_bounds();
  CompoundStateSpace::setup();
}

void StateSpace::registerProjections() {
  const int n = num_values();
  registerDefaultProjection(std::make_shared<TipProjection>(this, mapping_));
  registerProjection("tip", std::make_shared<TipProjection>(this, mapping_));
  registerProjection("joints",
                     std::make_shared<LinearProjection>(
                         this, mapping_, LinearProjection::first_values(std::min(n, 3), n)));
  registerProjection("linear",
                     std::make_shared<LinearProjection>(
                         this, mapping_, LinearProjection::random_rows(std::min(n, 3), n)));
}

ob::StateSamplerPtr StateSpace::allocDefaultStateSampler() const {
  require_bounds();
  return CompoundStateSpace::allocDefaultStateSampler();
}

}  // namespace catena::ompl
