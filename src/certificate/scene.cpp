#include <yaml-cpp/yaml.h>

#include <set>

#include "model.hpp"
#include "refusal.hpp"

namespace catena::certificate {
namespace {

/// One scene of the small form; YAML's grammar takes JSON as well.
class SceneReader {
 public:
  SceneReader(const std::string& path, const Inputs& inputs, Model& model)
      : path_(path), inputs_(inputs), model_(model) {}

  void read() {
    YAML::Node root;
    try {
      root = YAML::Load(read_file(path_));
    } catch (const YAML::Exception& error) {
      fail(std::string("it is neither YAML nor JSON (") + error.what() + ")");
    }
    try {
      read_objects(root);
    } catch (const YAML::Exception& error) {
      fail(error.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Refusal(path_ + ": " + why); }

  void allow_only(const YAML::Node& map, const std::set<std::string>& known) const {
    std::set<std::string> seen;
    for (const auto& item : map) {
      const std::string key = item.first.as<std::string>();
      if (!known.empty() && known.count(key) == 0) fail("key \"" + key + "\" is not known");
      if (!seen.insert(key).second) fail("key \"" + key + "\" is given twice");
    }
  }

  double number(const YAML::Node& node, const char* what) const {
    if (!node || !node.IsScalar()) fail(std::string(what) + " is no number");
    return parse_double(node.Scalar(), path_ + ": " + what);
  }

  template <std::size_t N>
  std::array<double, N> numbers(const YAML::Node& node, const char* what) const {
    if (!node || !node.IsSequence() || node.size() != N)
      fail(std::string(what) + " is no list of " + std::to_string(N) + " numbers");
    std::array<double, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = number(node[i], what);
    return values;
  }

  void read_objects(const YAML::Node& root) {
    if (!root.IsMap() || !root["objects"] || !root["objects"].IsSequence())
      fail("the checker reads the small form alone: a map with a list of objects");
    allow_only(root, {});
    for (const char* other : {"world", "robot_state", "fixed_frame_transforms"})
      if (root[other]) fail("the checker reads the small form of scenes alone");
    if (root["frame"] && root["frame"].as<std::string>() != "world") fail("frame is not world");
    if (const YAML::Node units = root["units"]; units && units.IsMap()) {
      if (units["length"] && units["length"].as<std::string>() != "m") fail("units are not metres");
      if (units["angle"] && units["angle"].as<std::string>() != "rad")
        fail("units are not radians");
    }
    for (const YAML::Node& object : root["objects"]) {
      if (!object.IsMap() || !object["id"] || !object["shape"])
        fail("an object has no id or shape");
      Body body;
      body.name = object["id"].as<std::string>();
      body.of_scene = true;
      Shape shape = read_shape(object, body.name);
      shape.X_LG = read_pose(object);
      shape.body = static_cast<int>(model_.bodies.size());
      model_.bodies.push_back(body);
      model_.shapes.push_back(std::move(shape));
    }
  }

  Pose read_pose(const YAML::Node& object) const {
    Pose X;
    const YAML::Node pose = object["pose"];
    if (!pose) return X;
    if (!pose.IsMap()) fail("a pose is no map");
    allow_only(pose, {"xyz", "quat_xyzw", "rpy"});
    const auto xyz = pose["xyz"] ? numbers<3>(pose["xyz"], "xyz") : std::array<double, 3>{};
    for (const double x : xyz)
      if (!(std::abs(x) <= 1e50)) fail("a pose is beyond 1e50 m");
    if (pose["rpy"] && pose["quat_xyzw"]) fail("a pose has both rpy and quat_xyzw");
    if (pose["quat_xyzw"])
      return pose_of_quaternion(xyz, numbers<4>(pose["quat_xyzw"], "quat_xyzw"), path_);
    X.p = {xyz[0], xyz[1], xyz[2]};
    if (pose["rpy"]) {
      const auto rpy = numbers<3>(pose["rpy"], "rpy");
      for (const double a : rpy)
        if (!(std::abs(a) <= 1e6)) fail("an angle is above 1e6 rad");
      if (rpy != std::array<double, 3>{}) X.R = roll_pitch_yaw(rpy[0], rpy[1], rpy[2]);
    }
    return X;
  }

  Shape read_shape(const YAML::Node& object, const std::string& name) const {
    Shape shape;
    const std::string kind = object["shape"].as<std::string>();
    std::set<std::string> keys = {"id",      "shape", "pose",   "note",
                                  "comment", "color", "colour", "name"};
    const auto size = [&](const char* key) {
      keys.insert(key);
      return check_size(number(object[key], key), path_);
    };
    if (kind == "box") {
      shape.kind = Shape::Kind::kBox;
      keys.insert("size");
      shape.size = numbers<3>(object["size"], "size");
      for (const double edge : shape.size) check_size(edge, path_);
    } else if (kind == "sphere") {
      shape.kind = Shape::Kind::kSphere;
      shape.size[0] = size("radius");
    } else if (kind == "cylinder" || kind == "capsule" || kind == "cone") {
      shape.kind = kind == "cylinder"  ? Shape::Kind::kCylinder
                   : kind == "capsule" ? Shape::Kind::kCapsule
                                       : Shape::Kind::kCone;
      shape.size[0] = size("radius");
      shape.size[1] = size("length");
    } else if (kind == "plane") {
      shape.kind = Shape::Kind::kHalfSpace;
      keys.insert({"normal", "offset"});
      shape.size = numbers<3>(object["normal"], "normal");
      if (shape.size == std::array<double, 3>{}) fail("a normal is zero");
      shape.offset = object["offset"] ? number(object["offset"], "offset") : 0.0;
      if (!(std::abs(shape.offset) <= 1e50)) fail("a plane is beyond 1e50 m");
    } else if (kind == "mesh") {
      shape.kind = Shape::Kind::kMesh;
      keys.insert({"file", "scale", "solid"});
      std::array<double, 3> scale{1.0, 1.0, 1.0};
      if (const YAML::Node given = object["scale"]) {
        if (given.IsScalar())
          scale.fill(number(given, "scale"));
        else
          scale = numbers<3>(given, "scale");
      }
      Filling filling = Filling::kDetect;
      if (object["solid"])
        filling = object["solid"].as<bool>() ? Filling::kSolid : Filling::kSurface;
      for (const std::string& called : {name, "scene::" + name})
        if (const auto named = inputs_.fillings.find(called); named != inputs_.fillings.end())
          filling = named->second;
      if (!object["file"]) fail("a mesh names no file");
      shape.mesh =
          read_mesh(find_mesh(object["file"].as<std::string>(), path_, inputs_), scale, filling);
    } else {
      fail("shape \"" + kind + "\" is not known");
    }
    allow_only(object, keys);
    return shape;
  }

  const std::string& path_;
  const Inputs& inputs_;
  Model& model_;
};

}  // namespace

void read_scene(const std::string& path, const Inputs& inputs, Model& model) {
  SceneReader(path, inputs, model).read();
}

}  // namespace catena::certificate
