#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/hierarchy/scene_tree.hpp"
#include "catena/hierarchy/unchecked_nodes.hpp"
#include "catena/model/robot.hpp"
#include "catena/model/scene.hpp"

namespace catena {

namespace internal {
struct CollisionWorldProbe;
}  // namespace internal

/// A robot and what surrounds it, joined: the bodies and the pairs of geometries that are checked.
///
/// Bodies are the robot's (same indices), then attached objects, then scene objects.
///
/// Frames    W is the world frame, L a moving link's.
/// Cost      build O(n log n) for n geometries; memory at most 1 kB a geometry that the robot
///           carries, its shape aside, and O(log n) for two that are not checked.
/// Threads   immutable after construction: share it, and give each thread its own Workspace.
/// Errors    std::invalid_argument: no robot; an attached object's or a padded link that the robot
///           lacks; a name used twice; a padding or scale that is none; a half-space carried.
class CollisionWorld {
 public:
  CollisionWorld(std::shared_ptr<const Robot> robot, std::shared_ptr<const Scene> scene);

  const Robot& robot() const noexcept { return *robot_; }
  const std::shared_ptr<const Robot>& robot_ptr() const noexcept { return robot_; }
  const Scene& scene() const noexcept { return *scene_; }
  /// Tells this world, and its copies, from every other of the process.
  std::uint64_t id() const noexcept { return id_; }

  struct WorldBody {
    std::string name;  ///< as reported: a scene object that shares a link's name is `scene::NAME`
    LinkIndex link;    ///< the link that carries it; invalid for a fixed scene object
    int first_geometry = 0, num_geometries = 0;
  };
  struct WorldGeometry {
    std::shared_ptr<const Geometry> geometry;
    RigidEnclosure X_LG;  ///< in the carrying link's frame
    BodyIndex body;
    LinkIndex link;                      ///< link 0, whose frame is W, for scene objects
    Vector3d center = Vector3d::Zero();  ///< of a ball that contains it, in L (or W)
    double radius = 0.0;                 ///< of that ball; infinite for a half-space
  };
  std::span<const WorldBody> bodies() const noexcept { return bodies_; }
  const WorldBody& body(BodyIndex i) const noexcept {
    return bodies_[static_cast<size_t>(i.value)];
  }
  BodyIndex find_body(std::string_view name) const noexcept;
  std::span<const WorldGeometry> geometries() const noexcept { return geometries_; }

  /// Is the pair checked? The robot's own pairs as its model says, those with and among attached
  /// objects, and those with the scene, but for the allowed ones. O(log n).
  bool checks(BodyIndex a, BodyIndex b) const noexcept;
  /// Pairs of bodies, and of geometries, that are checked.
  std::int64_t num_body_pairs() const noexcept { return num_body_pairs_; }
  std::int64_t num_geometry_pairs() const noexcept { return num_geometry_pairs_; }

  /// Over the geometries that the robot carries: part i is geometry i.
  const ChainTree& chain_tree() const noexcept { return chain_tree_; }
  const SceneTree& scene_tree() const noexcept { return scene_tree_; }
  /// Pairs of the chain tree's nodes of which nothing is checked; nullptr: none.
  const UncheckedNodes* unchecked_nodes() const noexcept {
    return unchecked_nodes_.empty() ? nullptr : &unchecked_nodes_;
  }
  /// Geometries from this one on are the scene's.
  int first_scene_geometry() const noexcept { return first_scene_geometry_; }

 private:
  friend struct internal::CollisionWorldProbe;
  void find_unchecked_pairs();

  std::shared_ptr<const Robot> robot_;
  std::shared_ptr<const Scene> scene_;
  std::vector<WorldBody> bodies_;
  std::vector<WorldGeometry> geometries_;
  std::uint64_t id_ = 0;
  int num_moving_ = 0;  // bodies: the robot's and the attached
  int first_scene_geometry_ = 0;
  // Bodies that body i is not checked against, though both have geometry and one moves, in order:
  // unchecked_[first_unchecked_[i]] up to unchecked_[first_unchecked_[i + 1]].
  std::vector<int> unchecked_, first_unchecked_;
  std::int64_t num_body_pairs_ = 0, num_geometry_pairs_ = 0;
  ChainTree chain_tree_;
  UncheckedNodes unchecked_nodes_;
  SceneTree scene_tree_;
};

}  // namespace catena
