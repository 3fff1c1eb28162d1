#pragma once

#include <memory>
#include <vector>

#include "catena/hierarchy/float_box.hpp"
#include "catena/model/motion.hpp"
#include "catena/query/discrete.hpp"
#include "catena/query/workspace.hpp"
#include "hierarchy/part_grid.hpp"
#include "lanes.hpp"
#include "method_choice.hpp"
#include "pair_traversal.hpp"

namespace catena {

namespace internal {
class EdgeWalk;
class SceneWalk;
}  // namespace internal

/// What the queries keep between calls: one that is no larger than those before allocates nothing.
struct Workspace::Impl {
  explicit Impl(const CollisionWorld& collision_world);
  ~Impl();

  /// Two geometries of the world, a < b; a is one that the robot carries.
  struct Pair {
    int a = -1, b = -1;
  };

  /// A pair of geometries that is not yet proven apart on the interval at hand.
  struct Task {
    Pair pair;
    LinkIndex ancestor;  ///< the lowest common one of the two links
    internal::Leaf hint;
  };

  /// One link's joint at mid-time, in W.
  struct JointVelocity {
    Vector3d axis = Vector3d::Zero(), origin = Vector3d::Zero(), velocity = Vector3d::Zero();
    double rate = 0.0;
  };

  /// Where a geometry is, computed when it is first asked for after the links have moved.
  struct Placement {
    RigidEnclosure X_WG;
    Vector3d center = Vector3d::Zero();  ///< of its bounding ball
    double center_error = 0.0;
    std::uint64_t moved = 0;  ///< the count of set_poses that it belongs to; fixed: for ever
  };

  /// Two tree nodes by a lower bound of their distance; b < 0: a's parts among themselves.
  struct NodePair {
    double distance;
    int a, b;
    bool scene;  ///< b is a node of the scene's tree
    bool operator<(const NodePair& other) const noexcept { return distance > other.distance; }
  };

  std::uint64_t world;               ///< its id
  std::vector<RigidEnclosure> X_WL;  ///< of every link, at the time at hand
  std::uint64_t moved = 1;           ///< how often X_WL was set
  std::vector<Placement> placements;
  std::vector<FloatBox> boxes;  ///< of every node of the chain tree, in W
  std::uint64_t boxes_of = 0;   ///< the count `moved` that they belong to
  /// Siblings of that tree whose boxes are not proven disjoint: the first num_open.
  std::vector<std::pair<int, int>> open;
  int num_open = 0;
  std::vector<double> margins;  ///< of every part, how much farther its box reaches; metres
  std::vector<JointVelocity> velocities;
  std::vector<int> moving_above;  ///< joints that move, on the way from the root to each link
  std::vector<Task> tasks;
  std::vector<std::pair<int, int>> node_stack;
  std::vector<int> scene_nodes;
  std::vector<int> seen;  ///< scene geometries that the part at hand has been held against
  std::vector<NodePair> queue;
  std::unique_ptr<internal::PartGrid> grid;  ///< made when it is first filled
  std::uint64_t grid_fills = 0;
  /// Of whole states; what the grid looks at counts as two tests of boxes along the axes.
  internal::MethodChoice method{8.0, 2.0};
  internal::Scratch scratch;
  internal::Lanes lanes;
  /// The convex elements that touched last: likely to touch again.
  struct Contact {
    Pair pair;
    int element_a = 0, element_b = 0;
  } last_contact;
  std::unique_ptr<internal::EdgeWalk> walk;         ///< made by the first motion
  std::unique_ptr<internal::SceneWalk> scene_walk;  ///< with it
  /// For tests and benchmarks: no walks, every pair is a task.
  bool pairwise = false;
};

namespace internal {

using GeometryPair = Workspace::Impl::Pair;

/// Throws std::invalid_argument if the workspace was made for another world.
void validate_workspace(const CollisionWorld& world, const Workspace::Impl& ws);

/// Poses of all links at time t of the motion; those of the geometries follow when asked for.
void set_poses(const CollisionWorld& world, const Motion& motion, double t, Workspace::Impl& ws,
               QueryStats& stats);

const Workspace::Impl::Placement& placement(const CollisionWorld& world, int geometry,
                                            Workspace::Impl& ws);

/// X_GaGb at the poses at hand.
RigidEnclosure relative_pose(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws);

/// A proven lower bound of the distance of a pair, from the bounding balls.
double ball_gap(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws);

Witness make_witness(const CollisionWorld& world, GeometryPair pair, const PairDistance& d,
                     Workspace::Impl& ws);

/// The grid, which is to be filled; nullptr if it does not suit this robot and clearance.
PartGrid* grid_to_fill(const CollisionWorld& world, double clearance, Workspace::Impl& ws);

/// The verdict at the poses at hand. `contact_only`: a proven contact or nothing (kUndecided), for
/// which no pair is measured.
StateResult check_poses(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
                        Workspace::Impl& ws);

}  // namespace internal
}  // namespace catena
