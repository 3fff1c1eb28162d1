#include "catena/io/scene_file.hpp"

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/input_error.hpp"
#include "catena/io/mesh_file.hpp"
#include "catena/io/urdf.hpp"
#include "io/mesh_shells.hpp"
#include "io/ply_file.hpp"
#include "io/scene_forms.hpp"

namespace catena::io {

std::shared_ptr<const Geometry> make_geometry(const Element& where, const Primitive& primitive) {
  try {
    return Geometry::make(primitive);
  } catch (const std::invalid_argument& error) {
    where.fail(error.what(), "correct its size");
  }
}

std::shared_ptr<const Geometry> make_mesh_geometry(const Element& where, TriangleMesh mesh,
                                                   MeshFilling filling,
                                                   std::vector<std::string>& warnings) {
  std::shared_ptr<const Geometry> geometry;
  try {
    geometry = Geometry::make_mesh(std::move(mesh), filling);
  } catch (const std::invalid_argument& error) {
    where.fail(error.what(), "correct the mesh");
  }
  const std::string doubt = doubtful_shells(*geometry);
  if (!doubt.empty()) warnings.push_back(where.note(doubt));
  return geometry;
}

std::shared_ptr<const Geometry> SceneReader::mesh(const Element& where, const std::string& uri,
                                                  const Eigen::Vector3d& scale,
                                                  MeshFilling filling) {
  const ResourceFinder::Result found = finder_.find(uri);
  if (found.path.empty()) where.fail(found.problem, found.remedy);
  const Key key{found.path, {scale.x(), scale.y(), scale.z(), static_cast<double>(filling)}};
  std::shared_ptr<const Geometry>& known = meshes_[key];
  if (known == nullptr) {
    known = make_mesh_geometry(where, load_mesh(found.path, scale), filling, scene.warnings);
  }
  return known;
}

RigidEnclosure pose_of(const Element& where, const Eigen::Vector3d& position,
                       const Eigen::Vector4d& quaternion, std::vector<std::string>& warnings) {
  const double length = quaternion.stableNorm();
  // Outside this range its square leaves what a double can hold.
  if (!(length > 1e-100 && length < 1e100)) {
    where.fail("a quaternion of length " + show(length) + " is no rotation",
               "give x, y, z, w of a unit quaternion");
  }
  if (std::fabs(length - 1.0) > 1e-3) {
    warnings.push_back(
        where.note("the quaternion has length " + show(length) + " and is normalised"));
  }
  return RigidEnclosure::from_quaternion(position, quaternion);
}

double size_of(const Element& where, std::vector<std::string>& warnings) {
  return size_of(where.number(), where, warnings);
}

double size_of(double size, const Element& where, std::vector<std::string>& warnings) {
  if (size < 0.0) where.fail(show(size) + " is negative", "give a size >= 0");
  if (size == 0.0) warnings.push_back(where.note("a size of 0; is the shape meant to be flat?"));
  return size;
}

RigidEnclosure compose(const RigidEnclosure& a, const RigidEnclosure& b) {
  const auto identity = [](const RigidEnclosure& X) {
    return X.rotation_error == 0.0 && X.position_error == 0.0 && X.X.p.isZero(0.0) &&
           X.X.R.isIdentity(0.0);
  };
  if (identity(a)) return b;
  return identity(b) ? a : a * b;
}

namespace {

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

void add_object(Scene& scene, std::string name, std::shared_ptr<const Geometry> geometry) {
  scene.objects.push_back({std::move(name), {{std::move(geometry), RigidEnclosure::identity()}}});
}

void read_document(const Value& document, SceneReader& reader) {
  const Element root(document, reader.path, "");
  if (root.is_null()) root.fail("the file is empty", "give a scene");
  root.require_object();
  const bool small = root.has("objects");
  bool planning = false;
  for (const char* key : {"world", "robot_state", "allowed_collision_matrix", "link_padding",
                          "link_scale", "robot_model_name", "fixed_frame_transforms"}) {
    planning |= root.has(key);
  }
  if (small && planning) root.fail("both \"objects\" and a planning scene", "keep one form");
  if (small) return read_small_scene(root, reader);
  if (planning) return read_planning_scene(root, reader);
  root.fail("neither \"objects\" nor \"world\" is there",
            "give a scene in one of the forms of docs/formats.md");
}

// The angle or travel of a joint when all joints stand at zero, and how far it may be off.
std::pair<double, double> value_of(const Robot& robot, const Joint& joint,
                                   const Eigen::VectorXd& zero) {
  if (!joint.mimic) return {zero[joint.q_index], 0.0};
  const double source = zero[robot.joint(joint.mimic->source).q_index];
  const double product = joint.mimic->multiplier * source;
  const double value = product + joint.mimic->offset;
  const double error = std::fabs(source) * joint.mimic->multiplier_error +
                       joint.mimic->offset_error +
                       2.0 * kUnitRoundoff * (std::fabs(product) + std::fabs(value));
  return {value, error == 0.0 ? 0.0 : bound_above(error, 8)};
}

RigidEnclosure motion_of(const Robot& robot, const Joint& joint, const Eigen::VectorXd& zero) {
  switch (joint.type) {
    case JointType::kRevolute:
    case JointType::kContinuous: {
      const auto [angle, error] = value_of(robot, joint, zero);
      if (angle == 0.0 && error == 0.0) return RigidEnclosure::identity();
      return RigidEnclosure::rotation(joint.axis, joint.axis_error, angle, error);
    }
    case JointType::kPrismatic: {
      const auto [travel, error] = value_of(robot, joint, zero);
      if (travel == 0.0 && error == 0.0) return RigidEnclosure::identity();
      RigidEnclosure X = RigidEnclosure::translation(travel * joint.axis);
      X.position_error += bound_above(
          std::fabs(travel) * (joint.axis_error + 2.0 * kUnitRoundoff) + error * 1.0000001, 8);
      return X;
    }
    default:
      return RigidEnclosure::identity();  // planar, floating and ball joints stand at the identity
  }
}

void read_static_urdf(SceneReader& reader) {
  UrdfOptions options;
  options.packages = reader.options.packages;
  const std::shared_ptr<const Robot> robot = load_urdf(reader.path, options);
  Scene& scene = reader.scene;
  scene.name = robot->name();
  const Eigen::VectorXd zero = robot->zero_positions();
  std::vector<RigidEnclosure> X_WL(static_cast<std::size_t>(robot->num_links()));
  for (int i = 1; i < robot->num_links(); ++i) {
    const Joint& joint = robot->joint(LinkIndex(i));
    X_WL[static_cast<std::size_t>(i)] =
        compose(compose(X_WL[static_cast<std::size_t>(joint.parent.value)], joint.X_PJ),
                motion_of(*robot, joint, zero));
  }
  for (const Body& body : robot->bodies()) {
    if (body.geometries.empty()) continue;
    SceneObject object{body.name, {}};
    for (const PlacedGeometry& placed : body.geometries) {
      object.geometries.push_back(
          {placed.geometry, compose(X_WL[static_cast<std::size_t>(body.link.value)], placed.X_FG)});
    }
    scene.objects.push_back(std::move(object));
  }
  scene.warnings.assign(robot->warnings().begin(), robot->warnings().end());
  if (!robot->active_joints().empty()) {
    scene.warnings.push_back(reader.path + ": the movable joints of this URDF stand at 0");
  }
}

void read_ply(SceneReader& reader) {
  if (count_ply_faces(read_binary_file(reader.path), reader.path) > 0) {
    const Value place;
    const Element where(place, reader.path, "");
    add_object(reader.scene, stem_of(reader.path),
               make_mesh_geometry(where, load_mesh(reader.path), MeshFilling::kDetect,
                                  reader.scene.warnings));
    return;
  }
  add_object(reader.scene, stem_of(reader.path),
             read_ply_cloud(reader.path, reader.options.cloud_radius, reader.scene.warnings));
}

void read_octomap(SceneReader& reader) {
  const std::shared_ptr<const Geometry> geometry = read_octomap_file(reader.path);
  if (geometry != nullptr) {
    add_object(reader.scene, stem_of(reader.path), geometry);
  } else {
    reader.scene.warnings.push_back(reader.path + ": the octomap has no occupied cell");
  }
}

void read_mesh(SceneReader& reader) {
  const Value place;
  const Element where(place, reader.path, "");
  add_object(reader.scene, stem_of(reader.path),
             make_mesh_geometry(where, load_mesh(reader.path), MeshFilling::kDetect,
                                reader.scene.warnings));
}

bool is_mesh_ending(const std::string& ending) {
  return !ending.empty() && Assimp::Importer().IsExtensionSupported("." + ending);
}

// The first words of a file whose ending says nothing.
void read_by_content(SceneReader& reader) {
  const std::string text = read_text_file(reader.path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) {
    throw InputError(reader.path, 0, "", "the file is empty", "give a scene");
  }
  if (text.starts_with("# Octomap ")) return read_octomap(reader);
  if (text.starts_with("# .PCD") || text.starts_with("VERSION ")) {
    add_object(reader.scene, stem_of(reader.path),
               read_pcd(reader.path, reader.options.cloud_radius, reader.scene.warnings));
    return;
  }
  if (text.starts_with("ply\n") || text.starts_with("ply\r")) return read_ply(reader);
  if (text[first] == '<') return read_static_urdf(reader);
  if (text[first] == '{') return read_document(parse_json(text, reader.path), reader);
  const std::size_t second = text.find_first_not_of(" \t\r\n", text.find('\n', first));
  if (second != std::string::npos && text[second] == '*') return read_scene_text(text, reader);
  read_document(parse_yaml(text, reader.path), reader);
}

void read_by_ending(SceneReader& reader) {
  const std::string ending = ending_of(reader.path);
  if (ending == "json")
    return read_document(parse_json(read_text_file(reader.path), reader.path), reader);
  if (ending == "yaml" || ending == "yml") {
    return read_document(parse_yaml(read_text_file(reader.path), reader.path), reader);
  }
  if (ending == "scene") return read_scene_text(read_text_file(reader.path), reader);
  if (ending == "urdf" || ending == "xacro") return read_static_urdf(reader);
  if (ending == "bt" || ending == "ot") return read_octomap(reader);
  if (ending == "ply") return read_ply(reader);
  if (ending == "pcd") {
    add_object(reader.scene, stem_of(reader.path),
               read_pcd(reader.path, reader.options.cloud_radius, reader.scene.warnings));
    return;
  }
  if (ending != "xml" && is_mesh_ending(ending)) return read_mesh(reader);
  read_by_content(reader);
}

}  // namespace

std::shared_ptr<const Scene> load_scene(const std::string& path, const SceneOptions& options) {
  if (!(options.cloud_radius > 0.0) || !std::isfinite(options.cloud_radius)) {
    throw InputError(path, 0, "cloud radius", show(options.cloud_radius) + " is not a size",
                     "give a number > 0");
  }
  SceneReader reader(path, options);
  try {
    read_by_ending(reader);
  } catch (const std::bad_alloc&) {
    throw InputError(path, 0, "", "not enough memory for this scene", "give a smaller one");
  }
  return std::make_shared<const Scene>(std::move(reader.scene));
}

}  // namespace catena::io
