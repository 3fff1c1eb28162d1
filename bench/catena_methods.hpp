#pragma once

#include <memory>

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/model/robot_builder.hpp"
#include "workloads/chain_method.hpp"
#include "workloads/scene_method.hpp"

namespace catena::bench {

/// Link i carries sphere i; torsion k turns link k + 1. With them so many links that carry nothing,
/// of a branch of their own: they lift ChainState's budget of pairs, which goes by links.
std::shared_ptr<const Robot> chain_robot(const SphereChain& chain, int empty_links = 0);

/// Boxes and transforms of the chain tree that depend on a joint of these, each counted once.
class NodesAbove {
 public:
  explicit NodesAbove(const ChainTree& tree)
      : tree_(tree), seen_(tree.nodes().size() + static_cast<size_t>(tree.num_slots()), 0) {}
  int count(std::span<const LinkIndex> joints);

 private:
  bool is_new(size_t i);

  const ChainTree& tree_;
  std::vector<int> seen_;  // by nodes, then slots: the number of the last count
  int counts_ = 0;
};

/// The library's public queries: ChainState where joints move one by one, check_state elsewhere.
ChainMethods catena_chain_methods();
SceneMethods catena_scene_methods();

}  // namespace catena::bench
