#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/ompl/setup.hpp"
#include "problem.hpp"

namespace CLI {
class App;
}

namespace catena::command {

/// What `plan` and `benchmark` are asked to plan between.
struct EndOptions {
  std::string start, goal;          ///< values, a group state, or FILE.json:state
  std::string request;              ///< MoveIt request file with start and joint goal
  std::vector<std::string> others;  ///< JOINT=VALUE for joints outside the group
  std::vector<std::string> bounds;  ///< JOINT=LOW,HIGH where the robot has no limits
};

void add_end_options(CLI::App& app, EndOptions& options);

/// The files that the ends are read from, as far as they are named.
std::vector<NamedFile> input_files(const EndOptions& options);

/// A planning problem with everything looked up. Positions are whole position vectors.
struct PlanningProblem {
  std::shared_ptr<const CollisionWorld> world;
  JointGroup group;
  Eigen::VectorXd start, goal;
  OtherValues others;  ///< every joint outside the group
  std::map<std::string, ompl::JointBounds> bounds;

  JointOrder order() const { return {world->robot(), group}; }
};

/// Loads robot, scenes and ends. The joints outside the group stand where, in this order, --other,
/// the file of the start, the request or the scene's robot state puts them, else at 0. Without a
/// start, the scene's robot state is it. Throws io::InputError.
PlanningProblem load_problem(CommonOptions& common, const EndOptions& ends);

/// A setup of the problem, its start and goal set.
std::unique_ptr<ompl::Setup> make_setup(const PlanningProblem& problem,
                                        const CommonOptions& common);

/// What the engine says of both ends, with their distances.
struct EndVerdicts {
  StateResult start, goal;
  bool free() const { return start.verdict == Verdict::kFree && goal.verdict == Verdict::kFree; }
  int exit_status() const;
};
EndVerdicts check_ends(const PlanningProblem& problem, const CommonOptions& common);
/// For people: a line for each end that is not free.
std::string not_free_text(const PlanningProblem& problem, const CommonOptions& common,
                          const EndVerdicts& verdicts);

}  // namespace catena::command
