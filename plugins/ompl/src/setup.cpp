#include "catena/ompl/setup.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <ompl/base/goals/GoalState.h>

#include "catena/ompl/path_length.hpp"

namespace catena::ompl {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

namespace {

std::shared_ptr<StateSpace> make_space(const std::shared_ptr<const Robot>& robot,
                                       const Scene* scene, const SetupOptions& options) {
  auto space = std::make_shared<StateSpace>(robot, options.group,
                                            resting_positions(*robot, scene, options.others));
  for (const auto& [joint, bounds] : options.bounds) {
    space->set_bounds(joint, bounds.low, bounds.high);
  }
  return space;
}

std::shared_ptr<const Scene> scene_or_empty(std::shared_ptr<const Scene> scene) {
  return scene ? std::move(scene) : std::make_shared<const Scene>();
}

}  // namespace

QueryOptions SetupOptions::query() const {
  QueryOptions result;
  result.clearance = clearance;
  result.tolerance = tolerance;
  result.budget = budget;
  return result;
}

Setup::Setup(std::shared_ptr<const Robot> robot, std::shared_ptr<const Scene> scene,
             const SetupOptions& options)
    : Setup(make_space(robot, scene.get(), options),
            std::make_shared<const CollisionWorld>(robot, scene_or_empty(scene)), options) {}

Setup::Setup(std::shared_ptr<StateSpace> space, std::shared_ptr<const CollisionWorld> world,
             const SetupOptions& options)
    : SimpleSetup(ob::StateSpacePtr(space)), space_(std::move(space)) {
  context_ = std::make_shared<const CheckContext>(si_.get(), std::move(world), options.query());
  setStateValidityChecker(std::make_shared<StateValidityChecker>(si_, context_));
  si_->setMotionValidator(std::make_shared<MotionValidator>(si_, context_));
}

void Setup::setStartAndGoalStates(const std::vector<double>& start,
                                  const std::vector<double>& goal) {
  const ob::StateSpacePtr space = getStateSpace();
  ob::ScopedState<> from(space), to(space);
  const auto size = [](const std::vector<double>& v) {
    return static_cast<Eigen::Index>(v.size());
  };
  space_->set_values(from.get(), Eigen::Map<const Eigen::VectorXd>(start.data(), size(start)));
  space_->set_values(to.get(), Eigen::Map<const Eigen::VectorXd>(goal.data(), size(goal)));
  SimpleSetup::setStartAndGoalStates(from, to);
}

void Setup::setStartAndGoalByName(const std::string& start, const std::string& goal) {
  setStartAndGoalStates(named_state(start), named_state(goal));
}

std::vector<double> Setup::named_state(const std::string& name) const {
  const Robot& robot = space_->robot();
  const auto found = robot.group_states().find({space_->group().name, name});
  if (found == robot.group_states().end()) {
    std::string known;
    for (const auto& [key, state] : robot.group_states()) {
      if (key.first == space_->group().name) known += (known.empty() ? "" : ", ") + key.second;
    }
    throw std::invalid_argument("group \"" + space_->group().name + "\": no state \"" + name +
                                "\"; " + (known.empty() ? "it has none" : "it has " + known));
  }
  std::vector<double> values;
  for (const LinkIndex j : space_->group().joints) {
    const Joint& joint = robot.joint(j);
    const auto given = found->second.find(joint.name);
    const auto count = static_cast<size_t>(num_values(joint.type));
    if (given == found->second.end()) {
      const double* rest = space_->mapping()->resting().data() + joint.q_index;
      values.insert(values.end(), rest, rest + count);
    } else if (given->second.size() == count) {
      values.insert(values.end(), given->second.begin(), given->second.end());
    } else {
      throw std::invalid_argument("group state \"" + name + "\": joint \"" + joint.name +
                                  "\" has " + std::to_string(given->second.size()) +
                                  " values; give " + std::to_string(count));
    }
  }
  return values;
}

void Setup::choose_objective(const std::string& planner) {
  static const std::set<std::string> informed = {
      "ABITstar",        "AITstar",    "BITstar",  "CForest", "EITstar",
      "InformedRRTstar", "RRTXstatic", "RRTsharp", "RRTstar", "SORRTstar"};
  const ob::ProblemDefinitionPtr& problem = getProblemDefinition();
  if (problem->hasOptimizationObjective() && problem->getOptimizationObjective() != chosen_) return;
  chosen_.reset();
  const auto* goal = dynamic_cast<const ob::GoalState*>(problem->getGoal().get());
  // Some names come with a k for k-nearest before them.
  const bool nearest = !planner.empty() && planner.front() == 'k';
  if (informed.contains(nearest ? planner.substr(1) : planner)) {
    const double straight = goal != nullptr && problem->getStartStateCount() > 0
                                ? si_->distance(problem->getStartState(0), goal->getState())
                                : 0.0;
    chosen_ = std::make_shared<PathLength>(si_, straight);
  }
  setOptimizationObjective(chosen_);
}

void Setup::setup() {
  if (getPlanner()) choose_objective(getPlanner()->getName());
  const ob::ProblemDefinitionPtr& problem = getProblemDefinition();
  const bool ours =
      !problem->hasOptimizationObjective() || problem->getOptimizationObjective() == chosen_;
  SimpleSetup::setup();
  // Some planners (FMT) leave an objective of their own, which is not the caller's either.
  if (ours) chosen_ = problem->getOptimizationObjective();
}

std::vector<MotionResult> Setup::certify(const og::PathGeometric& path) const {
  std::vector<MotionResult> results;
  for (size_t i = 1; i < path.getStateCount(); ++i) {
    const auto at = [&](size_t k) { return path.getState(static_cast<unsigned int>(k)); };
    results.push_back(context_->check(at(i - 1), at(i)));
  }
  return results;
}

void certify(og::SimpleSetup& setup, const std::shared_ptr<const Robot>& robot,
             const std::shared_ptr<const Scene>& scene, const QueryOptions& options) {
  const ob::SpaceInformationPtr& si = setup.getSpaceInformation();
  const auto world = std::make_shared<const CollisionWorld>(robot, scene_or_empty(scene));
  const auto context = std::make_shared<const CheckContext>(si.get(), world, options);
  setup.setStateValidityChecker(std::make_shared<StateValidityChecker>(si, context));
  si->setMotionValidator(std::make_shared<MotionValidator>(si, context));
}

}  // namespace catena::ompl
