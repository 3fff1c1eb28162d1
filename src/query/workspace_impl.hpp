#pragma once

#include <vector>

#include "catena/model/motion.hpp"
#include "catena/query/discrete.hpp"
#include "catena/query/workspace.hpp"
#include "pair_traversal.hpp"

namespace catena {

/// What the queries keep between calls: one that is no larger than those before allocates nothing.
struct Workspace::Impl {
  explicit Impl(const CollisionWorld& world);

  /// A pair of geometries that is not yet proven apart on the interval at hand.
  struct Task {
    int pair;
    internal::Leaf hint;
  };

  /// One link's joint at mid-time, in W.
  struct JointVelocity {
    Vector3d axis = Vector3d::Zero(), origin = Vector3d::Zero(), velocity = Vector3d::Zero();
  };

  Motion still;                      ///< of a state query
  std::vector<RigidEnclosure> X_WL;  ///< of every link, at the time at hand
  std::vector<RigidEnclosure> X_WG;  ///< of every geometry
  std::vector<Vector3d> centers;     ///< of every geometry's bounding ball, in W
  std::vector<double> center_errors;
  std::vector<JointVelocity> velocities;
  std::vector<int> moving_above;  ///< joints that move, on the way from the root to each link
  std::vector<Task> tasks;
  std::vector<std::pair<double, int>> order;  ///< pairs by a lower bound of their distance
  internal::Scratch scratch;
  int last_contact = -1;  ///< the pair that touched last: likely to touch again
};

namespace internal {

/// Throws std::invalid_argument if the workspace was made for a world of another size.
void validate_workspace(const CollisionWorld& world, const Workspace::Impl& ws);

/// Poses of all links and geometries at time t of the motion.
void set_poses(const CollisionWorld& world, const Motion& motion, double t, Workspace::Impl& ws,
               QueryStats& stats);

/// X_GaGb at the poses at hand.
RigidEnclosure relative_pose(const CollisionWorld::GeometryPair& pair, const Workspace::Impl& ws);

/// A proven lower bound of the distance of a pair, from the bounding balls.
double ball_gap(const CollisionWorld& world, const CollisionWorld::GeometryPair& pair,
                const Workspace::Impl& ws);

Witness make_witness(const CollisionWorld& world, int pair, const PairDistance& d,
                     const Workspace::Impl& ws);

/// The verdict at the poses at hand. `contact_only`: a proven contact or nothing (kUndecided), for
/// which no pair is measured.
StateResult check_poses(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
                        Workspace::Impl& ws);

}  // namespace internal
}  // namespace catena
