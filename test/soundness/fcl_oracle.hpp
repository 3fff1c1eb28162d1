#pragma once

#include <memory>
#include <vector>

#include "soundness/edge_oracle.hpp"

namespace catena::oracle {

/// FCL's discrete verdict on the oracle's pairs, at link poses that are given. Its narrow phase is
/// iterative in doubles, and knows no inside of a mesh: a second opinion, not a judge.
class FclOracle {
 public:
  FclOracle(const RobotSpec& robot, const SceneSpec& scene, const EdgeOracle& oracle);
  ~FclOracle();

  /// A pair that collides, or -1. X_WL of the links in the order of the robot's list.
  int colliding_pair(const std::vector<Pose3>& X_WL);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::oracle
