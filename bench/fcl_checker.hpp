#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fcl/narrowphase/collision_object.h>

#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"

namespace catena::bench {

/// The discrete rival: FCL on the same bodies and pairs, one object a geometry, its bounding boxes
/// tested before the narrow phase. One per thread.
class FclChecker {
 public:
  explicit FclChecker(std::shared_ptr<const CollisionWorld> world);

  /// No pair collides at the whole position vector q.
  bool is_free(const Eigen::Ref<const Eigen::VectorXd>& q);
  /// The same, of the links' poses.
  bool is_free(std::span<const RigidEnclosure> X_WL);

 private:
  std::shared_ptr<const CollisionWorld> world_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  std::vector<std::pair<size_t, size_t>> pairs_;  // of geometries that are checked
  std::vector<RigidEnclosure> X_WL_;
};

}  // namespace catena::bench
