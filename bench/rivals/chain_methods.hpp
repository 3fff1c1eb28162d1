#pragma once

#include "workloads/chain_method.hpp"

// The rivals of the chain workloads, a list for each file. FCL's and Bullet's exist where CMake
// finds the library.
namespace catena::bench {

ChainMethods grid_methods();
ChainMethods obb_tree_methods();
ChainMethods chain_tree_methods();
ChainMethods refitted_aabb_tree();
ChainMethods fcl_chain_methods();
ChainMethods bullet_chain_methods();

}  // namespace catena::bench
