#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/motion.hpp"
#include "soundness/bulk_oracle.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"

namespace catena::oracle {

/// A robot of the campaigns, and what is made of it once for all its edges.
struct CampaignRobot {
  explicit CampaignRobot(const std::string& name);

  RobotSpec spec;
  double reach;
  int num_links;
  std::shared_ptr<const Robot> model;
  BulkOracle oracle;  ///< of all pairs
  BulkOracle beside;  ///< of pairs with the scene only
};

/// Made when they are asked for.
class CampaignRobots {
 public:
  CampaignRobot& at(const std::string& name);

 private:
  std::map<std::string, std::unique_ptr<CampaignRobot>> robots_;
};

struct Edge {
  std::string robot_name, kind;
  SceneSpec scene;
  std::vector<double> q0, q1;
  std::optional<SplineSpec> spline;  ///< its motion, if it is not straight
  double clearance = 0.0;
  std::string note;  ///< how it was made

  template <class Oracle>
  void tell(Oracle& oracle) const {
    if (spline) {
      oracle.set_spline(*spline);
    } else {
      oracle.set_motion(q0, q1);
    }
  }
  Motion motion(const CampaignRobot& robot) const;
};

/// The same edge, run from its other end.
Motion reversed(const Edge& edge, const CampaignRobot& robot);

/// Edge number k of a run, a function of these alone: random, a near miss by a known margin, an
/// obstacle planted in what is swept, or one that is cut short where it first touches. An empty
/// `robot` is each of the campaign's in turn.
Edge make_edge(CampaignRobots& robots, const std::string& robot, std::uint64_t seed,
               std::uint64_t k, bool splines);

}  // namespace catena::oracle
