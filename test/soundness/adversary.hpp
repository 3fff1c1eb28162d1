#pragma once

#include <cstdint>
#include <memory>

#include "soundness/edge_judge.hpp"

namespace catena::oracle {

/// Looks for a wrong `free` where one would be: at the border of what the engine calls free.
///
/// From a free edge the ends (of a spline its velocities and accelerations, too) are moved along a
/// random direction until the engine says otherwise; bisection leaves a band of 1e-10 of the values
/// between a free edge and one that is not. Every edge on the way is judged by BulkOracle. The free
/// side is then squeezed: moves of 1e-8 and less that keep it free and lessen its gap, found by
/// descent in time in 80 bits. The next direction starts from there, so that later ones run along
/// the border.
class Adversary {
 public:
  Adversary(CampaignRobots& robots, Counters& counters, std::uint64_t seed)
      : robots_(robots), counters_(counters), judge_(robots, counters, true, false), seed_(seed) {}

  /// Start number k: a function of the seed and k alone.
  void start(const std::string& robot, std::uint64_t k);

 private:
  struct Answer;
  void enter(const Edge& edge);
  Answer ask(const Edge& edge);
  Real gap_of(const Edge& edge, int& pair, double& near);

  CampaignRobots& robots_;
  Counters& counters_;
  EdgeJudge judge_;
  std::uint64_t seed_;
  // Of the start at hand: its edges differ in their motions only.
  std::unique_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace catena::oracle
