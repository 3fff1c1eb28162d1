// An OMPL user's own program for an arm of two links, whose elbow turns all the way round. The
// lines marked "added" are all that it takes to have every edge of its plan proven free, not
// sampled.
//
// usage: example_five_lines ROBOT.urdf SCENE, as config/examples/two_link.urdf and post.json there

#include <iostream>

#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/io/scene_file.hpp"  // added
#include "catena/io/urdf.hpp"        // added
#include "catena/ompl/setup.hpp"     // added

namespace ob = ompl::base;
namespace og = ompl::geometric;

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: example_five_lines ROBOT.urdf SCENE\n";
    return 2;
  }
  ompl::RNG::setSeed(1);

  auto shoulder = std::make_shared<ob::RealVectorStateSpace>(1);
  shoulder->setBounds(-3.0, 3.0);
  const ob::StateSpacePtr space = shoulder + std::make_shared<ob::SO2StateSpace>();

  og::SimpleSetup setup(space);
  setup.setStateValidityChecker([](const ob::State*) { return true; });  // the user's own, sampled
  const auto robot = catena::io::load_urdf(argv[1]);                     // added
  catena::ompl::certify(setup, robot, catena::io::load_scene(argv[2]));  // added

  ob::ScopedState<> start(space), goal(space);
  start[0] = -1.0, start[1] = 0.0;
  goal[0] = 1.0, goal[1] = 0.0;
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));

  if (setup.solve(10.0) != ob::PlannerStatus::EXACT_SOLUTION) return 1;
  setup.getSolutionPath().printAsMatrix(std::cout);
  return setup.getSolutionPath().check() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
