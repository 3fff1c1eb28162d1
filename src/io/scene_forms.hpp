#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/geometry/geometry.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/math/rigid_enclosure.hpp"
#include "catena/model/scene.hpp"
#include "io/document.hpp"
#include "io/package_paths.hpp"

namespace catena::io {

/// What the readers of one scene file share.
class SceneReader {
 public:
  SceneReader(const std::string& file, const SceneOptions& given)
      : path(file), options(given), finder_(file, given.packages) {}

  /// A mesh that an element names; the same file at the same scale is read once.
  std::shared_ptr<const Geometry> mesh(const Element& where, const std::string& uri,
                                       const Eigen::Vector3d& scale, MeshFilling filling);

  const std::string& path;
  const SceneOptions& options;
  Scene scene;

 private:
  using Key = std::pair<std::string, std::array<double, 4>>;

  ResourceFinder finder_;
  std::map<Key, std::shared_ptr<const Geometry>> meshes_;
};

/// Geometry::make, with its complaints told at the element's place.
std::shared_ptr<const Geometry> make_geometry(const Element& where, const Primitive& primitive);
std::shared_ptr<const Geometry> make_mesh_geometry(const Element& where, TriangleMesh mesh,
                                                   MeshFilling filling,
                                                   std::vector<std::string>& warnings);

/// A pose from a position and a quaternion x y z w. One that is not of unit length is normalised,
/// with a warning from 1e-3 on; length zero is an error.
RigidEnclosure pose_of(const Element& where, const Eigen::Vector3d& position,
                       const Eigen::Vector4d& quaternion, std::vector<std::string>& warnings);

/// a * b; one that is exactly the identity costs no rounding.
RigidEnclosure compose(const RigidEnclosure& a, const RigidEnclosure& b);

/// A length of a shape. 0 is one, as in a URDF, with a warning: the shape is flat, a line or a
/// point.
double size_of(const Element& where, std::vector<std::string>& warnings);
/// The same of a number that has been read.
double size_of(double size, const Element& where, std::vector<std::string>& warnings);

void read_small_scene(const Element& root, SceneReader& reader);
void read_planning_scene(const Element& root, SceneReader& reader);
void read_scene_text(const std::string& text, SceneReader& reader);

/// moveit_msgs/RobotState: joint -> value, multi-DOF joint -> x y z qx qy qz qw.
void read_robot_state(const Element& state, std::map<std::string, std::vector<double>>& values);

/// The occupied leaves of an octree as boxes; nullptr if there are none. Unknown space is free.
std::shared_ptr<const Geometry> read_octomap_file(const std::string& path);
/// The same from the bytes after the header. @param binary  two bits a child, no probabilities
std::shared_ptr<const Geometry> read_octomap_data(const std::string& bytes, double resolution,
                                                  bool binary, const std::string& type,
                                                  const Element& where);

/// A point cloud `.pcd` or `.ply`; points that are not finite are left out, with a warning.
std::shared_ptr<const Geometry> read_pcd(const std::string& path, double radius,
                                         std::vector<std::string>& warnings);
std::shared_ptr<const Geometry> read_ply_cloud(const std::string& path, double radius,
                                               std::vector<std::string>& warnings);
}  // namespace catena::io
