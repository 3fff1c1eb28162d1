#pragma once

#include <map>
#include <memory>
#include <string>

#include "catena/geometry/triangle_mesh.hpp"
#include "catena/model/robot.hpp"
#include "catena/model/robot_builder.hpp"

namespace catena::io {

struct UrdfOptions {
  std::string srdf;                                   ///< path; empty: none
  std::map<std::string, std::string> packages{};      ///< package://NAME/ -> folder
  std::map<std::string, MeshFilling> mesh_filling{};  ///< by original link name; else detected
};

/// A robot from a URDF (1.0, 1.1) or xacro file, and its SRDF if one is named.
///
/// Reads the XML itself: the stock reader, urdfdom, silently drops what it does not understand. It
/// serves the tests as an oracle for what it reads faithfully.
/// Errors    InputError with file, line, element, problem, remedy.
std::shared_ptr<const Robot> load_urdf(const std::string& path, const UrdfOptions& options = {});

/// The same from text; `path` names it in messages and anchors relative mesh paths.
std::shared_ptr<const Robot> parse_urdf(const std::string& text, const std::string& path,
                                        const UrdfOptions& options = {});

/// The description before it is built, for those who want to change it first.
RobotDescription describe_urdf(const std::string& path, const UrdfOptions& options = {});

}  // namespace catena::io
