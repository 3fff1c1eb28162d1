#pragma once

#include <map>
#include <memory>
#include <string>

#include "catena/model/scene.hpp"

namespace catena::io {

struct SceneOptions {
  std::map<std::string, std::string> packages;  ///< package://NAME/ -> folder
  double cloud_radius = 0.01;                   ///< metres: each point of a cloud is a ball of it
};

/// A scene from any of the forms of docs/formats.md: the small JSON, moveit_msgs/PlanningScene
/// YAML, MoveIt `.scene` text (both forms), a bare mesh, a static URDF, an octomap `.bt`, a point
/// cloud `.ply` or `.pcd`. The form is found from the content and the ending.
/// Errors    InputError with file, line where there is one, element, problem, remedy.
std::shared_ptr<const Scene> load_scene(const std::string& path, const SceneOptions& options = {});

}  // namespace catena::io
