#pragma once

#include <cstdint>
#include <vector>

#include "catena/query/collision_world.hpp"
#include "catena/query/result.hpp"

namespace catena::internal {

/// Configurations that are looked at together, one a lane. A set of lanes is a mask of bits.
inline constexpr int kLanes = 8;
inline constexpr unsigned kAllLanes = (1U << kLanes) - 1;

/// One number of each lane.
struct alignas(64) LaneReal {
  double lane[kLanes];
};
struct alignas(32) LaneFloat {
  float lane[kLanes];
};

/// A rotation's columns, then a position.
struct LanePose {
  LaneReal number[12];
};

/// The box of a node in W, of each lane. An empty one has lo = infinity, hi = -infinity.
struct LaneBox {
  LaneFloat lo[3], hi[3];
};

/// All that a batch keeps between calls: the world as the lanes read it, and what they hold.
struct Lanes {
  struct Link {
    int parent = 0;
    /// The joint turns, in every lane by an angle that is taken as it is; otherwise X_PL is in
    /// joint_poses[joint_pose].
    bool turns = false;
    bool straight = false;  ///< R_PJ is the identity
    int joint_pose = 0;
    // What is not known of the pose in any lane, as in RigidEnclosure, and at least the sum of the
    // sizes of its position's coordinates.
    double rotation_error = 0.0, position_error = 0.0, size = 0.0;
  };
  /// Of ChainTree::leaves(), in that order.
  struct Leaf {
    int shape = 0;  ///< where in `shapes` its centre is, and after it the half edges; in W
    int num_edges = 0;
    /// A part is within `reach` of what those span; the rounding of the edges to floats is counted
    /// where they are used. A box adds `radius` to what they span: the same and the clearance, but
    /// without the rounding of the centre, which it counts by itself.
    float radius = 0.0F, reach = 0.0F;
    float ball_radius = 0.0F;  ///< of LeafBox's ball, with all that `radius` holds
  };
  /// Of joint_poses, as in RigidEnclosure, and the sum of the sizes of the position's coordinates.
  struct JointError {
    double rotation = 0.0, position = 0.0, reach = 0.0;
  };
  struct NodePair {
    int a, b;
    unsigned lanes;
  };
  struct SceneNode {
    int node;
    unsigned lanes;
  };
  struct SceneGeometry {
    int geometry;
    unsigned lanes;
  };

  std::vector<Link> links;
  std::vector<Leaf> leaves;
  std::vector<int> leaf_of_node;
  std::vector<LaneReal> angles, sines, cosines;  ///< of every link
  std::vector<LanePose> joint_poses;
  std::vector<JointError> joint_errors;  ///< the largest of all lanes
  std::vector<LanePose> X_WL;            ///< of every link
  std::vector<LaneFloat> shapes;
  std::vector<LaneBox> boxes;  ///< of every node of the chain tree
  std::vector<NodePair> open, stack;
  std::vector<SceneNode> scene_nodes;
  std::vector<SceneGeometry> seen;  ///< those that the part at hand has been held against
  /// The clearance for which all errors are those of turning joints only; negative: there is none.
  double errors_at = -1.0;
};

/// Decides by exact tests what boxes leave open. The functions return the lanes, out of those that
/// they are asked about, in which nothing more need be looked at.
class LaneVisitor {
 public:
  virtual unsigned meets_part(int a, int b, unsigned lanes) = 0;
  /// `leaf` is the part's, of Lanes::leaves.
  virtual unsigned meets_element(int part, int leaf, const SceneTree::Node& obstacle,
                                 unsigned lanes) = 0;
  virtual unsigned meets_inside(int part, const SceneTree::Node& obstacle, unsigned lanes) = 0;
  /// Too many pairs were near: the lanes are left open.
  virtual void give_up(unsigned lanes) = 0;

 protected:
  ~LaneVisitor() = default;
};

/// Sines and cosines of all angles, and which joints turn by them.
void turn_lanes(const CollisionWorld& world, Lanes& lanes);

/// Poses, shapes and boxes of all lanes, from sines and cosines, joint_poses and what `links` and
/// `leaves` say of errors; `open` becomes the siblings of the tree that are near in some lane.
void place_lanes(const CollisionWorld& world, Lanes& lanes);

/// Visits the pairs of parts that boxes, and then shapes, leave nearer than the clearance in some
/// of the lanes `alive`; returns those of them that no visit has settled. Gives up with more than
/// `most` pairs of boxes looked at.
unsigned visit_lane_parts(const CollisionWorld& world, float clearance, std::uint64_t most,
                          Lanes& lanes, unsigned alive, LaneVisitor& visitor, QueryStats& stats);

/// What lies between lo and hi along a direction in W of at most unit length.
struct Slab {
  float direction[3];
  float lo, hi;
};
/// The lanes in which a leaf's part is not proven to be farther from a slab than the clearance.
unsigned near_slab(const Lanes& lanes, int leaf, const Slab& slab, float clearance);

/// As visit_lane_parts, for parts and what boxes bound in the scene.
unsigned visit_lane_scene(const CollisionWorld& world, std::uint64_t most, Lanes& lanes,
                          unsigned alive, LaneVisitor& visitor, QueryStats& stats);

}  // namespace catena::internal
