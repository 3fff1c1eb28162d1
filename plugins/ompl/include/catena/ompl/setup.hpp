#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ompl/geometric/SimpleSetup.h>

#include "catena/ompl/motion_validator.hpp"
#include "catena/ompl/state_space.hpp"
#include "catena/ompl/state_validity_checker.hpp"

namespace catena::ompl {

struct JointBounds {
  std::vector<double> low, high;  ///< one number for all coordinates of a joint, or one for each
};

struct SetupOptions {
  std::string group;                  ///< empty: all active joints
  double clearance = 0.0;             ///< metres
  double tolerance = 1e-7;            ///< metres: the most that the undecided band measures
  std::uint64_t budget = 10'000'000;  ///< visited pairs before undecided; 0: none
  std::map<std::string, std::vector<double>> others{};  ///< joints outside the group: their values
  std::map<std::string, JointBounds> bounds{};          ///< see StateSpace::set_bounds

  QueryOptions query() const;
};

/// A SimpleSetup for a group of a robot in a scene, with state space, validity checker and motion
/// validator in place: what is left to give is a start, a goal and perhaps a planner.
///
/// Errors    std::invalid_argument: no such group, joint or state; values that are no
///           configuration; an attached object or a padded link that the robot lacks.
class Setup : public ::ompl::geometric::SimpleSetup {
 public:
  Setup(std::shared_ptr<const Robot> robot, std::shared_ptr<const Scene> scene,
        const SetupOptions& options = {});

  const StateSpace& space() const noexcept { return *space_; }
  /// For set_bounds, before the first solve.
  StateSpace& space() noexcept { return *space_; }
  const CollisionWorld& world() const noexcept { return context_->world(); }
  const std::shared_ptr<const CheckContext>& context() const noexcept { return context_; }

  using SimpleSetup::setStartAndGoalStates;
  /// From the group's values, joint by joint.
  void setStartAndGoalStates(const std::vector<double>& start, const std::vector<double>& goal);
  /// From names of the group's SRDF states.
  void setStartAndGoalByName(const std::string& start, const std::string& goal);

  /// The group's values in a group state of the robot; joints that it leaves out stand at rest.
  std::vector<double> named_state(const std::string& name) const;

  /// The engine's answer for each edge of a path, in order: the proof of what is handed on, since
  /// simplifying and interpolating round the states of a path that was checked before.
  std::vector<MotionResult> certify(const ::ompl::geometric::PathGeometric& path) const;

  /// Gives the problem the objective that a planner of this OMPL name needs, unless it has one of
  /// the caller's: those that sample only where a path could become shorter get a PathLength, since
  /// OMPL's own throws for a robot's space; the others none, so that those which stop at the first
  /// path do. Start and goal must be set.
  void choose_objective(const std::string& planner);

  /// Before a solve, which calls it: chooses the objective for the planner at hand as well.
  void setup() override;

  /// Work of the validity checker and the motion validator so far.
  CheckStatistics statistics() const noexcept { return context_->statistics(); }

 private:
  Setup(std::shared_ptr<StateSpace> space, std::shared_ptr<const CollisionWorld> world,
        const SetupOptions& options);

  std::shared_ptr<StateSpace> space_;
  std::shared_ptr<const CheckContext> context_;
  ::ompl::base::OptimizationObjectivePtr chosen_;  // by choose_objective, not by the caller
};

/// Replaces the checkers of a program's own SimpleSetup by certified ones. The states of its space
/// must stand for the robot's active joints in their order (see StateMapping).
void certify(::ompl::geometric::SimpleSetup& setup, const std::shared_ptr<const Robot>& robot,
             const std::shared_ptr<const Scene>& scene, const QueryOptions& options = {});

}  // namespace catena::ompl
