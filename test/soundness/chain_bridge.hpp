#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/model/robot_builder.hpp"
#include "soundness/chain_worlds.hpp"
#include "soundness/engine_bridge.hpp"

namespace catena::oracle {

/// The engine's model of all robots of a world, the others named `rK/...`.
inline std::shared_ptr<const Robot> make_robots(const ChainWorld& world) {
  std::shared_ptr<const Robot> robot = make_robot(world.robots[0]);
  std::vector<RobotBuilder::Attachment> others;
  for (size_t k = 1; k < world.robots.size(); ++k) {
    const PoseSpec& place = world.places[k - 1];
    others.push_back({make_robot(world.robots[k]), "r" + std::to_string(k),
                      RigidEnclosure::from_rpy({place.xyz[0], place.xyz[1], place.xyz[2]},
                                               {place.rpy[0], place.rpy[1], place.rpy[2]})});
  }
  return others.empty() ? robot : RobotBuilder::combine(*robot, others);
}

}  // namespace catena::oracle
