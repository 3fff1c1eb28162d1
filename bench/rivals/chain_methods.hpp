#pragma once

#include "workloads/chain_method.hpp"

// The rivals of the chain workloads, a list for each file. FCL's and Bullet's exist where CMake
// finds the library.
namespace catena::bench {

ChainMethods grid_methods();
ChainMethods obb_tree_methods();
ChainMethods chain_tree_methods();
ChainMethodEntry all_pairs_method();
ChainMethods refitted_aabb_tree();
ChainMethods fcl_chain_methods();
ChainMethods bullet_chain_methods();

/// All of them that this program was built with.
inline ChainMethods chain_rivals() {
  ChainMethods all;
  const auto add = [&](ChainMethods some) { all.insert(all.end(), some.begin(), some.end()); };
  add(grid_methods());
  add(obb_tree_methods());
  add(chain_tree_methods());
#ifdef CATENA_BENCH_FCL
  add(fcl_chain_methods());
#endif
#ifdef CATENA_BENCH_BULLET
  add(bullet_chain_methods());
#endif
  return all;
}

}  // namespace catena::bench
