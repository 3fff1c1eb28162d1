#pragma once

#include <memory>

#include "catena/model/robot_builder.hpp"
#include "catena/query/collision_world.hpp"
#include "workloads/chain_method.hpp"
#include "workloads/scene_method.hpp"

namespace catena::bench {

/// Link i carries sphere i; torsion k turns link k + 1.
std::shared_ptr<const Robot> chain_robot(const SphereChain& chain);

/// The capsule of a snake's link, in the link's frame.
PlacedGeometry snake_capsule(const Snake& snake);
/// A robot whose links all carry `link`. With a base that floats the snake starts on it, and its
/// pose comes first in the positions. The description is for robots that differ in something.
RobotDescription snake_description(const Snake& snake, const PlacedGeometry& link, bool floating);
std::shared_ptr<const Robot> snake_robot(const Snake& snake, const PlacedGeometry& link,
                                         bool floating);
/// The triangles as one surface.
std::shared_ptr<const Scene> surface_scene(const Triangles& triangles);
/// The snake, of capsules or of meshes, on a base that floats in the scene.
std::shared_ptr<const CollisionWorld> snake_world(const Triangles& scene, const Snake& snake,
                                                  bool mesh);
/// Positions of a snake_robot. @pre q has as many as that
void set_positions(const SnakeConfiguration& c, Eigen::Ref<Eigen::VectorXd> q);

/// The library's public queries: ChainState where joints move one by one, check_state elsewhere.
/// With a robot that is made elsewhere: joints[k] is what the chain's joint k turns, one at a time.
ChainMethods catena_chain_methods(std::shared_ptr<const Robot> robot = nullptr,
                                  std::vector<LinkIndex> joints = {});
SceneMethods catena_scene_methods();

}  // namespace catena::bench
