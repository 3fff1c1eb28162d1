#pragma once

#include <memory>

#include "catena/query/collision_world.hpp"

namespace catena::internal {

/// What tests and benchmarks change about a CollisionWorld.
struct CollisionWorldProbe {
  /// The same, in which searches go down to every pair of parts that is not checked.
  static std::shared_ptr<const CollisionWorld> without_unchecked_nodes(
      const CollisionWorld& world) {
    auto copy = std::make_shared<CollisionWorld>(world);
    copy->unchecked_nodes_ = {};
    return copy;
  }
};

}  // namespace catena::internal
