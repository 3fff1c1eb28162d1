#pragma once

#include "catena/query/chain_state.hpp"

namespace catena::internal {

/// What tests see of a ChainState.
struct ChainStateProbe {
  /// X_LaLb of the links that carry geometries a and b of the robot, as numbered by
  /// CollisionWorld::geometries: by the shortcuts that a check uses, which follow the values first.
  /// O(log n). Undefined for a geometry of the scene.
  static RigidEnclosure pose_between(ChainState& state, int a, int b);
};

}  // namespace catena::internal
