#pragma once

#include <memory>

#include "catena/model/robot.hpp"
#include "workloads/chain_method.hpp"
#include "workloads/scene_method.hpp"

namespace catena::bench {

/// Link i carries sphere i; joint k + 1 turns link k + 1, and all beyond, about bond k.
std::shared_ptr<const Robot> make_chain_robot(const SphereChain& chain);

/// The library's public queries: ChainState where joints move one by one, check_state elsewhere.
ChainMethods catena_chain_methods();
SceneMethods catena_scene_methods();

}  // namespace catena::bench
