// MotionBenchMaker problems with RRTConnect: checked by Catena, and by FCL at OMPL's default 1 %
// resolution; then the sampled paths are put to Catena. One line a problem, a summary a robot.
//
//   motion_bench_maker DATA [SECONDS] [panda|fetch|ur5] [SEED]
//
// DATA is the folder that holds data/. FCL serves as a discrete rival only.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>

#include <ompl/base/goals/GoalState.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/io/request_file.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/ompl/setup.hpp"
#include "fcl_checker.hpp"

namespace fs = std::filesystem;
namespace og = ompl::geometric;
using catena::ompl::Setup;

namespace {

struct RobotFiles {
  std::string urdf, srdf;
  // Pairs that the spheres of a model make touch in every state, which its SRDF does not know.
  std::vector<std::pair<std::string, std::string>> allowed;
};

// MotionBenchMaker's robots. The UR5's two gripper meshes are absent, so its sphere model stands
// in.
const std::map<std::string, RobotFiles> kRobots{
    {"panda", {"panda_vamp/panda.urdf", "panda_vamp/panda.srdf", {}}},
    {"fetch", {"fetch_vamp/fetch.urdf", "fetch_vamp/fetch.srdf", {}}},
    {"ur5",
     {"ur5_vamp/ur5_spherized.urdf", "ur5_vamp/ur5.srdf", {{"wrist_2_link", "fts_robotside"}}}}};

struct Run {
  bool solved = false;
  double seconds = 0.0;
  int edges = 0, colliding = 0, undecided = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Plans, simplifies, and puts every edge of the result to the engine.
Run solve(og::SimpleSetup& planning, const Setup& judge, double seconds) {
  Run run;
  const auto start = std::chrono::steady_clock::now();
  run.solved = planning.solve(seconds) == ompl::base::PlannerStatus::EXACT_SOLUTION;
  run.seconds = seconds_since(start);
  if (!run.solved) return run;
  const og::PathGeometric found = planning.getSolutionPath();
  planning.simplifySolution(1.0);
  const auto count = [&](const og::PathGeometric& path) {
    run.edges = run.colliding = run.undecided = 0;
    for (const catena::MotionResult& r : judge.certify(path)) {
      ++run.edges;
      run.colliding += r.verdict == catena::Verdict::kCollision ? 1 : 0;
      run.undecided += r.verdict == catena::Verdict::kUndecided ? 1 : 0;
    }
  };
  count(planning.getSolutionPath());
  return run;
}

struct Summary {
  int problems = 0, skipped = 0, ours = 0, certified = 0, theirs = 0, theirs_colliding = 0;
  std::vector<double> our_seconds, their_seconds;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void problem(const fs::path& data, const std::string& name, const fs::path& scene_path,
             double seconds, Summary& summary) {
  const RobotFiles& files = kRobots.at(name);
  ++summary.problems;
  std::string request_name = scene_path.filename().string();
  request_name.replace(0, 5, "request");
  catena::io::UrdfOptions options;
  options.srdf = (data / "robots" / files.srdf).string();
  const auto robot = catena::io::load_urdf((data / "robots" / files.urdf).string(), options);
  auto scene = std::make_shared<catena::Scene>(*catena::io::load_scene(scene_path.string()));
  for (const auto& [a, b] : files.allowed) scene->allowed.allow(a, b);
  const auto request = catena::io::load_request((scene_path.parent_path() / request_name).string());

  catena::ompl::SetupOptions setup_options;
  setup_options.group = request.group_name;
  const catena::JointGroup group = robot->group_or_all(request.group_name);
  std::vector<double> from, to;
  for (const catena::LinkIndex i : group.joints) {
    const std::string& joint = robot->joint(i).name;
    from.push_back(request.start.at(joint).at(0));
    to.push_back(request.goal.at(joint));
  }
  for (const auto& [joint, values] : request.start) {
    const catena::LinkIndex i = robot->find_joint(joint);
    if (!i.valid() || std::count(group.joints.begin(), group.joints.end(), i) != 0) continue;
    if (static_cast<int>(values.size()) == catena::num_values(robot->joint(i).type)) {
      setup_options.others[joint] = values;
    }
  }
  const std::string label =
      scene_path.parent_path().filename().string() + " " + scene_path.stem().string().substr(5);
  std::cout << std::left << std::setw(32) << label << std::flush;

  Setup ours(robot, scene, setup_options);
  ours.setStartAndGoalStates(from, to);
  const std::pair<const char*, const ompl::base::State*> ends[] = {
      {"start", ours.getProblemDefinition()->getStartState(0)},
      {"goal", ours.getGoal()->as<ompl::base::GoalState>()->getState()}};
  for (const auto& [what, state] : ends) {
    const catena::StateResult r = ours.context()->check(state, true);
    if (r.verdict == catena::Verdict::kFree) continue;
    std::cout << what << " is not free: " << name_of(r.verdict);
    if (r.witness.a.valid()) {
      std::cout << " of " << ours.world().body(r.witness.a).name << " and "
                << ours.world().body(r.witness.b).name;
    }
    std::cout << std::endl;
    ++summary.skipped;
    return;
  }
  ours.setPlanner(std::make_shared<og::RRTConnect>(ours.getSpaceInformation()));
  const Run mine = solve(ours, ours, seconds);

  auto checker = std::make_shared<catena::bench::FclChecker>(ours.context()->world_ptr());
  auto space = std::make_shared<catena::ompl::StateSpace>(robot, request.group_name,
                                                          ours.space().mapping()->resting());
  og::SimpleSetup theirs(space);
  theirs.setStateValidityChecker([&](const ompl::base::State* state) {
    return theirs.getSpaceInformation()->satisfiesBounds(state) &&
           checker->is_free(space->positions(state));
  });
  ompl::base::ScopedState<> start(space), goal(space);
  space->set_values(start.get(),
                    Eigen::Map<const Eigen::VectorXd>(from.data(), static_cast<long>(from.size())));
  space->set_values(goal.get(),
                    Eigen::Map<const Eigen::VectorXd>(to.data(), static_cast<long>(to.size())));
  theirs.setStartAndGoalStates(start, goal);
  theirs.setPlanner(std::make_shared<og::RRTConnect>(theirs.getSpaceInformation()));
  const Run rival = solve(theirs, ours, seconds);

  const auto show = [](const Run& run) {
    if (!run.solved) {
      std::cout << "not solved in " << std::setprecision(3) << run.seconds << " s";
    } else {
      std::cout << std::setprecision(3) << run.seconds << " s, " << run.edges << " edges, "
                << run.colliding << " colliding, " << run.undecided << " undecided";
    }
  };
  std::cout << "Catena: ";
  show(mine);
  std::cout << " | FCL 1 %: ";
  show(rival);
  std::cout << std::endl;
  if (mine.solved) {
    ++summary.ours;
    summary.our_seconds.push_back(mine.seconds);
    summary.certified += mine.colliding + mine.undecided == 0 ? 1 : 0;
  }
  if (rival.solved) {
    ++summary.theirs;
    summary.their_seconds.push_back(rival.seconds);
    summary.theirs_colliding += rival.colliding > 0 ? 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: motion_bench_maker DATA [SECONDS] [panda|fetch|ur5] [SEED]\n";
    return 2;
  }
  const fs::path data = fs::path(argv[1]) / "data";
  if (!fs::is_directory(data / "scenes" / "mbm")) {
    std::cerr << "motion_bench_maker: there is no folder " << data / "scenes" / "mbm"
              << "; give the one in which the problems' robots and scenes lie under data/\n";
    return 2;
  }
  const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 10.0;
  const std::string only = argc > 3 ? argv[3] : "";
  const auto seed =
      static_cast<std::uint_fast32_t>(argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1);
  ompl::RNG::setSeed(seed);
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  std::cout << "seed " << seed << ", " << seconds << " s each\n";
  for (const auto& [name, files] : kRobots) {
    if (!only.empty() && only != name) continue;
    Summary summary;
    std::vector<fs::path> scenes;
    for (const auto& entry : fs::recursive_directory_iterator(data / "scenes" / "mbm" / name)) {
      if (entry.path().filename().string().starts_with("scene")) scenes.push_back(entry.path());
    }
    std::sort(scenes.begin(), scenes.end());
    for (const fs::path& scene : scenes) {
      try {
        problem(data, name, scene, seconds, summary);
      } catch (const std::exception& e) {
        std::cout << "error: " << e.what() << std::endl;
        ++summary.skipped;
      }
    }
    std::cout << name << ": " << summary.problems << " problems, " << summary.skipped
              << " with an end that is not free or an input error; Catena solved " << summary.ours
              << " (median " << median(summary.our_seconds) << " s), every edge certified in "
              << summary.certified << "; FCL 1 % solved " << summary.theirs << " (median "
              << median(summary.their_seconds) << " s), a collision in " << summary.theirs_colliding
              << std::endl;
  }
  return 0;
}
