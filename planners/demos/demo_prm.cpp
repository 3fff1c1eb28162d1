// A probabilistic roadmap [Kavraki1996], built once and asked twice: there and back again.
//
// usage: demo_prm ROBOT.urdf ROBOT.srdf SCENE GROUP START GOAL [SECONDS]
// START and GOAL are states of GROUP in the SRDF. The roadmap's edges are proven free when they are
// made, so the second question costs a search, and hardly a check.

#include <cstdlib>
#include <iostream>

#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/ompl/setup.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

/// Solves on the roadmap that is there, and reports what it took; the number of edges not proven.
int ask(catena::ompl::Setup& setup, const std::string& from, const std::string& to, double time) {
  setup.getPlanner()->clearQuery();
  setup.getProblemDefinition()->clearSolutionPaths();
  setup.setStartAndGoalByName(from, to);
  const auto before = setup.statistics().motions;
  if (setup.solve(time) != ob::PlannerStatus::EXACT_SOLUTION) {
    std::cerr << from << " to " << to << ": not solved in time\n";
    return 1;
  }
  const auto checked = setup.statistics().motions - before;
  int unproven = 0;
  for (const catena::MotionResult& result : setup.certify(setup.getSolutionPath())) {
    if (result.verdict != catena::Verdict::kFree) ++unproven;
  }
  std::cerr << from << " to " << to << ": " << setup.getSolutionPath().getStateCount()
            << " states, " << unproven << " edges not proven, " << checked << " edges checked\n";
  return unproven;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 7 && argc != 8) {
    std::cerr << "usage: demo_prm ROBOT.urdf ROBOT.srdf SCENE GROUP START GOAL [SECONDS]\n";
    return 2;
  }
  ompl::RNG::setSeed(1);
  const auto robot = catena::io::load_urdf(argv[1], {.srdf = argv[2]});
  catena::ompl::Setup setup(robot, catena::io::load_scene(argv[3]), {.group = argv[4]});
  setup.setPlanner(std::make_shared<og::PRM>(setup.getSpaceInformation()));

  const double time = argc == 8 ? std::atof(argv[7]) : 30.0;
  const int there = ask(setup, argv[5], argv[6], time);
  if (there == 0) setup.getSolutionPath().printAsMatrix(std::cout);
  return there + ask(setup, argv[6], argv[5], time) == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
