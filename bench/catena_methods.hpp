#pragma once

#include <memory>

#include "catena/model/robot_builder.hpp"
#include "catena/query/collision_world.hpp"
#include "workloads/chain_method.hpp"
#include "workloads/scene_method.hpp"

namespace catena::bench {

/// Link i carries sphere i; torsion k turns link k + 1.
std::shared_ptr<const Robot> chain_robot(const SphereChain& chain);

/// The snake, of capsules or of meshes, in the scene, which is one surface.
std::shared_ptr<const CollisionWorld> snake_world(const Triangles& scene, const Snake& snake,
                                                  bool mesh);
/// The positions of that world's robot. @pre q has room for them
void set_positions(const SnakeConfiguration& c, Eigen::VectorXd& q);

/// The library's public queries: ChainState where joints move one by one, check_state elsewhere.
/// With a robot that is made elsewhere: joints[k] is what the chain's joint k turns, one at a time.
ChainMethods catena_chain_methods(std::shared_ptr<const Robot> robot = nullptr,
                                  std::vector<LinkIndex> joints = {});
SceneMethods catena_scene_methods();

/// A link's capsule, and a robot of links that carry the same: each is one. With a base that floats
/// its pose comes first, and the snake starts there.
PlacedGeometry snake_capsule(const Snake& snake);
std::shared_ptr<const Robot> snake_robot(const Snake& snake, const PlacedGeometry& link,
                                         bool floating);

}  // namespace catena::bench
