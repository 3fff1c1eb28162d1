// RRT-Connect on a robot in a scene, with every edge of the answer proven free.
//
// usage: demo_rrt_connect ROBOT.urdf ROBOT.srdf SCENE GROUP START GOAL [SECONDS]
// START and GOAL are states of GROUP in the SRDF. Prints one configuration a line, joint by joint.

#include <cstdlib>
#include <iostream>

#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/ompl/setup.hpp"

namespace og = ompl::geometric;

int main(int argc, char** argv) try {
  if (argc != 7 && argc != 8) {
    std::cerr << "usage: demo_rrt_connect ROBOT.urdf ROBOT.srdf SCENE GROUP START GOAL [SECONDS]\n";
    return 2;
  }
  ompl::RNG::setSeed(1);  // before anything samples: the same run every time

  const auto robot = catena::io::load_urdf(argv[1], {.srdf = argv[2]});
  const auto scene = catena::io::load_scene(argv[3]);
  catena::ompl::Setup setup(robot, scene, {.group = argv[4]});
  setup.setStartAndGoalByName(argv[5], argv[6]);
  setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));

  if (setup.solve(argc == 8 ? std::atof(argv[7]) : 30.0) !=
      ompl::base::PlannerStatus::EXACT_SOLUTION) {
    std::cerr << "not solved in time\n";
    return 1;
  }
  setup.simplifySolution();

  // Simplifying made new edges; what is handed on is proven as it stands.
  int proven = 0;
  const auto results = setup.certify(setup.getSolutionPath());
  for (const catena::MotionResult& result : results) {
    if (result.verdict == catena::Verdict::kFree) ++proven;
  }
  const catena::ompl::CheckStatistics statistics = setup.statistics();
  std::cerr << proven << " of " << results.size() << " edges proven free; " << statistics.motions
            << " edges and " << statistics.states << " states checked in " << statistics.seconds
            << " s\n";
  setup.getSolutionPath().printAsMatrix(std::cout);
  return proven == static_cast<int>(results.size()) ? 0 : 3;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
