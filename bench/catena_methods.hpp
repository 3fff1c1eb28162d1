#pragma once

#include "workloads/chain_method.hpp"
#include "workloads/scene_method.hpp"

namespace catena::bench {

/// The library's public queries: ChainState where joints move one by one, check_state elsewhere.
ChainMethods catena_chain_methods();
SceneMethods catena_scene_methods();

}  // namespace catena::bench
