#pragma once

#include <map>
#include <string>
#include <vector>

#include <ompl/base/Planner.h>
#include <ompl/geometric/SimpleSetup.h>

namespace catena::command {

/// Parameters of planners by name, as config/planners.yaml gives them.
struct PlannerSettings {
  struct Value {
    std::string text;
    int line = 0;
  };
  std::string path;
  std::map<std::string, std::map<std::string, Value>> planners;
};

/// Reads a settings file; "" gives the defaults that were built in (config/planners.yaml).
/// Throws io::InputError: no map of maps, an unknown planner, a name given twice.
PlannerSettings load_planner_settings(const std::string& path);

/// Every planner that make_planner knows, by OMPL's own class name.
std::vector<std::string> planner_names();

/// A geometric OMPL planner with its settings applied. Throws io::InputError: an unknown name (all
/// known ones are listed), a parameter that the planner lacks or whose value it refuses.
::ompl::base::PlannerPtr make_planner(const std::string& command, const std::string& name,
                                      const ::ompl::base::SpaceInformationPtr& si,
                                      const PlannerSettings& settings);

}  // namespace catena::command
