#pragma once

#include <cstdint>
#include <span>

#include "catena/query/chain_state.hpp"
#include "hierarchy/chain_volumes.hpp"

namespace catena::internal {

/// What tests and measurements see of a ChainState.
struct ChainStateProbe {
  /// X_LaLb of the links that carry geometries a and b of the robot, as numbered by
  /// CollisionWorld::geometries: by the shortcuts that a check uses, which follow the values first.
  /// O(log n). Undefined for a geometry of the scene.
  static RigidEnclosure pose_between(ChainState& state, int a, int b);
  /// From now on a check of what few joints have moved turns neither to the grid nor to the whole
  /// state.
  static void use_only_tree(ChainState& state);
  /// From now on checks turn to the grid where one joint has moved and where the whole state is
  /// asked about, if it serves.
  static void use_only_grid(ChainState& state);
  /// How many checks the grid has answered.
  static std::uint64_t grid_answers(const ChainState& state);

  struct Boxes {
    std::span<const NodeBox> boxes;
    std::span<const NodeView> views;
  };
  /// Of all nodes of the world's chain tree, which follow the values first; until the next call.
  static Boxes boxes(ChainState& state);
};

}  // namespace catena::internal
