#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/robot.hpp"
#include "catena/model/scene.hpp"

namespace catena {

/// A robot and what surrounds it, joined: the bodies and the pairs of geometries that are checked.
///
/// Bodies are the robot's (same indices), then attached objects, then scene objects.
///
/// Frames    W is the world frame, L a moving link's.
/// Threads   immutable after construction: share it, and give each thread its own Workspace.
/// Errors    std::invalid_argument: no robot; an attached object's or a padded link that the robot
///           lacks; a name used twice; a padding or scale that is none; a half-space carried.
class CollisionWorld {
 public:
  CollisionWorld(std::shared_ptr<const Robot> robot, std::shared_ptr<const Scene> scene);

  const Robot& robot() const noexcept { return *robot_; }
  const std::shared_ptr<const Robot>& robot_ptr() const noexcept { return robot_; }
  const Scene& scene() const noexcept { return *scene_; }

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
  struct GeometryPair {
    int a, b;            ///< indices of geometries(); a is always a robot's (or attached)
    LinkIndex ancestor;  ///< lowest common ancestor of the two links
  };

  std::span<const WorldBody> bodies() const noexcept { return bodies_; }
  const WorldBody& body(BodyIndex i) const noexcept {
    return bodies_[static_cast<size_t>(i.value)];
  }
  BodyIndex find_body(std::string_view name) const noexcept;
  std::span<const WorldGeometry> geometries() const noexcept { return geometries_; }
  std::span<const GeometryPair> pairs() const noexcept { return pairs_; }

  /// Pairs of bodies that are checked, robot's own, attached and scene.
  int num_body_pairs() const noexcept { return num_body_pairs_; }

 private:
  std::shared_ptr<const Robot> robot_;
  std::shared_ptr<const Scene> scene_;
  std::vector<WorldBody> bodies_;
  std::vector<WorldGeometry> geometries_;
  std::vector<GeometryPair> pairs_;
  int num_body_pairs_ = 0;
};

}  // namespace catena
