// A host that finds Catena's OMPL plugin by name at run time and links nothing of it.
//
// usage: example_host LIBRARY SETTINGS.yaml, LIBRARY as dlopen takes it (libcatena_ompl_plugin.so).
// Plans with RRT-Connect from all joints at -1 to all at 1, or as near as the bounds allow.

#include <dlfcn.h>

#include <algorithm>
#include <iostream>

#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/ompl/plugin.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

ob::ScopedState<> all_at(const ob::StateSpacePtr& space, double value) {
  ob::ScopedState<> state(space);
  for (size_t i = 0; i < state.reals().size(); ++i) state[static_cast<unsigned int>(i)] = value;
  state.enforceBounds();
  return state;
}

int plan(const catena::ompl::PluginParts& parts) {
  og::SimpleSetup setup(parts.information);
  setup.setStartAndGoalStates(all_at(parts.space, -1.0), all_at(parts.space, 1.0));
  setup.setPlanner(std::make_shared<og::RRTConnect>(parts.information));
  if (setup.solve(10.0) != ob::PlannerStatus::EXACT_SOLUTION) {
    std::cerr << "not solved\n";
    return 1;
  }
  setup.getSolutionPath().printAsMatrix(std::cout);
  return setup.getSolutionPath().check() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_host LIBRARY SETTINGS.yaml\n";
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::cerr << dlerror() << '\n';
    return 2;
  }
  const auto make =
      reinterpret_cast<decltype(&catena_ompl_make)>(dlsym(library, "catena_ompl_make"));
  const auto parts_of =
      reinterpret_cast<decltype(&catena_ompl_parts)>(dlsym(library, "catena_ompl_parts"));
  const auto release =
      reinterpret_cast<decltype(&catena_ompl_free)>(dlsym(library, "catena_ompl_free"));
  if (make == nullptr || parts_of == nullptr || release == nullptr) {
    std::cerr << argv[1] << ": not Catena's OMPL plugin\n";
    return 2;
  }

  ompl::RNG::setSeed(1);
  char error[1024];
  catena_ompl_planning* planning = make(argv[2], error, sizeof error);
  if (planning == nullptr) {
    std::cerr << error << '\n';
    return 2;
  }
  const int status = plan(*static_cast<const catena::ompl::PluginParts*>(parts_of(planning)));
  release(planning);  // the library stays loaded: OMPL may still hold what it made
  return status;
}
