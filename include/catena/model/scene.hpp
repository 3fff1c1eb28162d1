#pragma once

#include <map>
#include <string>
#include <vector>

#include "catena/model/allowed_collisions.hpp"
#include "catena/model/robot.hpp"

namespace catena {

/// A fixed obstacle; its geometries are placed in the world frame W.
struct SceneObject {
  std::string name;
  std::vector<PlacedGeometry> geometries;
};

/// An object that a robot link carries; its geometries are placed in that original link's frame.
struct AttachedObject {
  SceneObject object;
  std::string link;                      ///< original name of the carrying link
  std::vector<std::string> touch_links;  ///< bodies that it may touch (the carrying link always)
};

/// Everything around a robot. Plain data; names that concern a robot are checked when a
/// CollisionWorld joins the two.
struct Scene {
  std::string name;
  std::vector<SceneObject> objects;
  std::vector<AttachedObject> attached;
  AllowedCollisions allowed;
  std::map<std::string, double> link_padding;  ///< metres, by original link name
  std::map<std::string, double> link_scale;
  std::map<std::string, std::vector<double>> robot_state;  ///< joint name -> values
  std::vector<std::string> warnings;
  /// Where the file uses a frame that it does not define, so that it is taken as the world frame ->
  /// its name. Right for the robot's root, which a scene does not know; wrong for other links.
  std::map<std::string, std::string> assumed_frames;

  /// Scenes add up; throws std::invalid_argument and changes nothing where the two contradict.
  void add(const Scene& other);
};

}  // namespace catena
