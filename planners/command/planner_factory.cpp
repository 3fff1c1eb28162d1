#include "planner_factory.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include <ompl/base/goals/GoalState.h>
#include <ompl/config.h>
#include <ompl/geometric/planners/AnytimePathShortening.h>
#include <ompl/geometric/planners/cforest/CForest.h>
#include <ompl/geometric/planners/est/BiEST.h>
#include <ompl/geometric/planners/est/EST.h>
#include <ompl/geometric/planners/est/ProjEST.h>
#include <ompl/geometric/planners/fmt/BFMT.h>
#include <ompl/geometric/planners/fmt/FMT.h>
#include <ompl/geometric/planners/informedtrees/ABITstar.h>
#include <ompl/geometric/planners/informedtrees/AITstar.h>
#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/kpiece/BKPIECE1.h>
#include <ompl/geometric/planners/kpiece/KPIECE1.h>
#include <ompl/geometric/planners/kpiece/LBKPIECE1.h>
#include <ompl/geometric/planners/pdst/PDST.h>
#include <ompl/geometric/planners/prm/LazyPRM.h>
#include <ompl/geometric/planners/prm/LazyPRMstar.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/prm/PRMstar.h>
#include <ompl/geometric/planners/prm/SPARS.h>
#include <ompl/geometric/planners/prm/SPARStwo.h>
#include <ompl/geometric/planners/rlrt/BiRLRT.h>
#include <ompl/geometric/planners/rlrt/RLRT.h>
#include <ompl/geometric/planners/rrt/BiTRRT.h>
#include <ompl/geometric/planners/rrt/InformedRRTstar.h>
#include <ompl/geometric/planners/rrt/LBTRRT.h>
#include <ompl/geometric/planners/rrt/LazyLBTRRT.h>
#include <ompl/geometric/planners/rrt/LazyRRT.h>
#include <ompl/geometric/planners/rrt/RRT.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/geometric/planners/rrt/RRTXstatic.h>
#include <ompl/geometric/planners/rrt/RRTsharp.h>
#include <ompl/geometric/planners/rrt/RRTstar.h>
#include <ompl/geometric/planners/rrt/SORRTstar.h>
#include <ompl/geometric/planners/rrt/TRRT.h>
#include <ompl/geometric/planners/sbl/SBL.h>
#include <ompl/geometric/planners/sst/SST.h>
#include <ompl/geometric/planners/stride/STRIDE.h>
// Some releases of OMPL have these and some do not.
#if __has_include(<ompl/geometric/planners/rrt/pRRT.h>)
#include <ompl/geometric/planners/rrt/pRRT.h>
#define CATENA_HAS_PRRT 1
#endif
#if __has_include(<ompl/geometric/planners/sbl/pSBL.h>)
#include <ompl/geometric/planners/sbl/pSBL.h>
#define CATENA_HAS_PSBL 1
#endif
#if __has_include(<ompl/geometric/planners/informedtrees/EITstar.h>)
#include <ompl/geometric/planners/informedtrees/EITstar.h>
#define CATENA_HAS_EITSTAR 1
#endif

#include <yaml-cpp/yaml.h>

#include "catena/io/input_error.hpp"
#include "options.hpp"

namespace catena::command {
namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

using Maker = std::function<ob::PlannerPtr(const ob::SpaceInformationPtr&)>;

template <class Planner>
ob::PlannerPtr make(const ob::SpaceInformationPtr& si) {
  return std::make_shared<Planner>(si);
}

// Planners that need more than a space (a decomposition, a vector field, an experience database)
// are left out: a name cannot give them that.
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> map = {
      {"ABITstar", make<og::ABITstar>},
      {"AITstar", make<og::AITstar>},
      {"AnytimePathShortening", make<og::AnytimePathShortening>},
      {"BFMT", make<og::BFMT>},
      {"BITstar", make<og::BITstar>},
      {"BKPIECE1", make<og::BKPIECE1>},
      {"BiEST", make<og::BiEST>},
      {"BiRLRT", make<og::BiRLRT>},
      {"BiTRRT", make<og::BiTRRT>},
      {"CForest", make<og::CForest>},
      {"EST", make<og::EST>},
      {"FMT", make<og::FMT>},
      {"InformedRRTstar", make<og::InformedRRTstar>},
      {"KPIECE1", make<og::KPIECE1>},
      {"LBKPIECE1", make<og::LBKPIECE1>},
      {"LBTRRT", make<og::LBTRRT>},
      {"LazyLBTRRT", make<og::LazyLBTRRT>},
      {"LazyPRM", make<og::LazyPRM>},
      {"LazyPRMstar", make<og::LazyPRMstar>},
      {"LazyRRT", make<og::LazyRRT>},
      {"PDST", make<og::PDST>},
      {"PRM", make<og::PRM>},
      {"PRMstar", make<og::PRMstar>},
      {"ProjEST", make<og::ProjEST>},
      {"RLRT", make<og::RLRT>},
      {"RRT", make<og::RRT>},
      {"RRTConnect", make<og::RRTConnect>},
      {"RRTXstatic", make<og::RRTXstatic>},
      {"RRTsharp", make<og::RRTsharp>},
      {"RRTstar", make<og::RRTstar>},
      {"SBL", make<og::SBL>},
      {"SORRTstar", make<og::SORRTstar>},
      {"SPARS", make<og::SPARS>},
      {"SPARStwo", make<og::SPARStwo>},
      {"SST", make<og::SST>},
      {"STRIDE", make<og::STRIDE>},
      {"TRRT", make<og::TRRT>},
#ifdef CATENA_HAS_PRRT
      {"pRRT", make<og::pRRT>},
#endif
#ifdef CATENA_HAS_PSBL
      {"pSBL", make<og::pSBL>},
#endif
#ifdef CATENA_HAS_EITSTAR
      {"EITstar", make<og::EITstar>},
#endif
  };
  return map;
}

std::string known_planners() {
  std::string list;
  for (const auto& [name, unused] : makers()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

PlannerSettings read_settings(const YAML::Node& root, const std::string& path) {
  PlannerSettings settings;
  settings.path = path;
  if (root.IsNull()) return settings;
  const auto line = [](const YAML::Node& node) { return node.Mark().line + 1; };
  const auto not_a_map = [&](const YAML::Node& node, const std::string& element) {
    return io::InputError(path, line(node), element, "it is no map",
                          "write `PLANNER:` and below it `parameter: value`");
  };
  if (!root.IsMap()) throw not_a_map(root, "planner settings");
  for (const auto& planner : root) {
    const std::string name = planner.first.Scalar();
    if (!makers().contains(name))
      throw io::InputError(path, line(planner.first), name, "there is no planner of this name",
                           "use one of " + known_planners());
    if (settings.planners.contains(name))
      throw io::InputError(path, line(planner.first), name, "the planner is there twice",
                           "put its parameters together");
    auto& values = settings.planners[name];
    if (planner.second.IsNull()) continue;
    if (!planner.second.IsMap()) throw not_a_map(planner.second, name);
    for (const auto& value : planner.second) {
      const std::string parameter = value.first.Scalar();
      if (!value.second.IsScalar())
        throw io::InputError(path, line(value.second), name + "." + parameter,
                             "it is no single value", "write a number, a word or true/false");
      if (!values
               .emplace(parameter,
                        PlannerSettings::Value{value.second.Scalar(), line(value.second)})
               .second)
        throw io::InputError(path, line(value.first), name + "." + parameter,
                             "the parameter is there twice", "keep one of them");
    }
  }
  return settings;
}

constexpr const char* kBuiltInSettings =
#include "planners_yaml.inc"
    ;

}  // namespace

PlannerSettings load_planner_settings(const std::string& path) {
  const std::string name = path.empty() ? "config/planners.yaml" : path;
  try {
    return read_settings(path.empty() ? YAML::Load(kBuiltInSettings) : YAML::LoadFile(path), name);
  } catch (const YAML::BadFile&) {
    throw io::InputError(name, 0, "", "the file cannot be read", "check its name and permissions");
  } catch (const YAML::Exception& error) {
    throw io::InputError(name, error.mark.line + 1, "YAML", error.msg, "correct the file");
  }
}

std::vector<std::string> planner_names() {
  std::vector<std::string> names;
  for (const auto& [name, unused] : makers()) names.push_back(name);
  return names;
}

ob::PlannerPtr make_planner(const std::string& command, const std::string& name,
                            const ob::SpaceInformationPtr& si, const PlannerSettings& settings) {
  const auto maker = makers().find(name);
  if (maker == makers().end())
    usage_error(command, "--planner", "there is no planner \"" + name + "\"",
                "use one of " + known_planners());
  ob::PlannerPtr planner = maker->second(si);
  const auto mine = settings.planners.find(name);
  if (mine == settings.planners.end()) return planner;
  for (const auto& [parameter, value] : mine->second) {
    if (!planner->params().hasParam(parameter)) {
      std::vector<std::string> names;
      planner->params().getParamNames(names);
      std::sort(names.begin(), names.end());
      std::string list;
      for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
      throw io::InputError(settings.path, value.line, name + "." + parameter,
                           "the planner has no such parameter",
                           list.empty() ? "it has none; leave it out" : "it has " + list);
    }
    bool accepted = false;
    try {
      accepted = planner->params().setParam(parameter, value.text);
    } catch (const std::exception&) {  // some setters throw for values out of range
    }
    if (!accepted)
      throw io::InputError(settings.path, value.line, name + "." + parameter,
                           "the planner refuses the value " + value.text,
                           "see OMPL's page of " + name + " for its range");
  }
  return planner;
}

}  // namespace catena::command
