#pragma once

#include <cstdint>
#include <string>

#include "catena/query/continuous.hpp"
#include "soundness/campaign.hpp"
#include "soundness/campaign_edges.hpp"

namespace catena::oracle {

/// Holds what the engine says of edges against the oracles, and counts.
class EdgeJudge {
 public:
  /// With `bulk` most edges are judged by BulkOracle alone; EdgeOracle is asked about each that it
  /// leaves open or the engine does, and now and then to see that both say the same.
  EdgeJudge(CampaignRobots& robots, Counters& counters, bool bulk, bool verbose)
      : robots_(robots), counters_(counters), bulk_(bulk), verbose_(verbose) {}

  void judge(const Edge& edge, std::uint64_t k);

  /// Counts a wrong verdict and says all that is needed to repeat it.
  void fail(const std::string& what, const Edge& edge, const std::string& details);
  /// The number by which the edge (or what it came from) is named.
  std::uint64_t k = 0;

 private:
  Truth truth_of(const Edge& edge, const MotionResult& result, CampaignRobot& robot);
  void state(const CollisionWorld& world, const Eigen::VectorXd& q, Workspace& workspace,
             const Edge& edge, EdgeOracle& oracle, Real t);
  void distances(const CollisionWorld& world, const Motion& motion, const Edge& edge,
                 const Truth& truth, EdgeOracle& oracle, Workspace& workspace);
  void compare(const Edge& edge, const MotionResult& result, const Truth& truth,
               CampaignRobot& robot, const CollisionWorld& world);
  void free_edge(const Edge& edge, const Truth& truth, CampaignRobot& robot,
                 const std::string& details);
  void collision(const Edge& edge, const MotionResult& result, const Truth& truth,
                 CampaignRobot& robot, const std::string& details);
  void undecided(const Edge& edge, const Truth& truth, CampaignRobot& robot,
                 const std::string& details);

  CampaignRobots& robots_;
  Counters& counters_;
  bool bulk_, verbose_;
};

/// How deep the pair overlaps at most, at sampled times in [t, end], metres; the bound is mostly
/// near.
Real deepest_after(EdgeOracle& oracle, int pair, Real t, Real end);

/// The values of an edge and the objects of its scene, exactly.
std::string all_of(const Edge& edge);

}  // namespace catena::oracle
