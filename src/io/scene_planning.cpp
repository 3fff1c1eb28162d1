#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "io/scene_forms.hpp"

namespace catena::io {

namespace {

// Poses come as a message prints them (position: {x: ..}) or as lists (position: [..]); a
// transform calls the same parts translation and rotation.
RigidEnclosure read_pose(const Element& pose, std::vector<std::string>& warnings) {
  pose.allow_only({"position", "orientation", "translation", "rotation"});
  const std::optional<Element> position =
      pose.has("position") ? pose.find("position") : pose.find("translation");
  const std::optional<Element> orientation =
      pose.has("orientation") ? pose.find("orientation") : pose.find("rotation");
  const Eigen::Vector3d p = position ? position->vector3() : Eigen::Vector3d(0, 0, 0);
  if (!orientation) return RigidEnclosure::translation(p);
  const Eigen::Vector4d q = orientation->vector4();
  if (q.isZero(0.0)) {
    // What a message holds that nobody filled in; MoveIt takes it for the identity too.
    warnings.push_back(orientation->note("an empty quaternion is taken as no rotation"));
    return RigidEnclosure::translation(p);
  }
  return pose_of(*orientation, p, q, warnings);
}

std::string frame_of(const Element& message) {
  const std::optional<Element> header = message.find("header");
  const std::optional<Element> frame = header ? header->find("frame_id") : std::nullopt;
  if (!frame) return "";
  std::string name = frame->string();
  if (name.starts_with('/')) name.erase(0, 1);
  return name;
}

Eigen::Vector3d sizes_3(const std::vector<double>& d) { return {d[0], d[1], d[2]}; }

std::shared_ptr<const Geometry> read_primitive(const Element& primitive,
                                               std::vector<std::string>& warnings) {
  primitive.allow_only({"type", "dimensions", "polygon"});
  const Element type = primitive.at("type");
  std::string name;
  if (type.is(Value::Kind::kNumber)) {
    constexpr const char* kNames[] = {"", "box", "sphere", "cylinder", "cone"};
    const int number = type.integer();
    if (number >= 1 && number <= 4) name = kNames[number];
  } else {
    name = type.string();
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::size_t count = name == "box"                          ? 3
                            : name == "sphere"                     ? 1
                            : name == "cylinder" || name == "cone" ? 2
                                                                   : 0;
  if (count == 0) {
    type.fail("unknown primitive type " +
                  (type.value().text.empty() ? show(type.number()) : type.value().text),
              "known are box (1), sphere (2), cylinder (3), cone (4)");
  }
  const Element dimensions = primitive.at("dimensions");
  const std::vector<double> d = dimensions.numbers();
  if (d.size() != count) {
    dimensions.fail(
        std::to_string(d.size()) + " sizes, but a " + name + " has " + std::to_string(count),
        name == "box"      ? "give x, y, z"
        : name == "sphere" ? "give the radius"
                           : "give height, radius");
  }
  for (std::size_t i = 0; i < count; ++i) size_of(dimensions[i], warnings);
  if (name == "box") return make_geometry(primitive, Box{sizes_3(d)});
  if (name == "sphere") return make_geometry(primitive, Sphere{d[0]});
  if (name == "cylinder") return make_geometry(primitive, Cylinder{d[1], d[0]});
  return make_geometry(primitive, Cone{d[1], d[0]});
}

std::shared_ptr<const Geometry> read_mesh(const Element& mesh, SceneReader& reader) {
  mesh.allow_only({"resource", "dimensions", "scale", "vertices", "triangles"});
  if (const auto resource = mesh.find("resource")) {
    const std::optional<Element> factors =
        mesh.has("dimensions") ? mesh.find("dimensions") : mesh.find("scale");
    const Eigen::Vector3d scale = factors ? factors->vector3() : Eigen::Vector3d(1, 1, 1);
    if ((scale.array() == 0.0).any()) factors->fail("a factor of 0", "give factors other than 0");
    return reader.mesh(*resource, resource->string(), scale, MeshFilling::kDetect);
  }
  TriangleMesh made;
  const Element vertices = mesh.at("vertices").require_array();
  made.vertices.reserve(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    made.vertices.push_back(vertices[i].vector3() + Eigen::Vector3d::Zero());
  }
  const Element triangles = mesh.at("triangles").require_array();
  if (triangles.size() == 0) triangles.fail("no triangles", "give a mesh with faces");
  made.triangles.reserve(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Element entry = triangles[i];
    const Element corners = entry.is(Value::Kind::kObject) ? entry.at("vertex_indices") : entry;
    if (corners.require_array().size() != 3) {
      corners.fail(std::to_string(corners.size()) + " corners", "give three vertex numbers");
    }
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const int corner = corners[k].integer();
      if (corner < 0 || static_cast<std::size_t>(corner) >= vertices.size()) {
        corners[k].fail(std::to_string(corner) + " is not the number of a vertex",
                        "give 0 to " + std::to_string(vertices.size()) + " - 1");
      }
      triangle[k] = corner;
    }
    made.triangles.push_back(triangle);
  }
  return make_mesh_geometry(mesh, std::move(made), MeshFilling::kDetect, reader.scene.warnings);
}

// a x + b y + c z + d = 0; the side where the left is negative counts as solid.
std::shared_ptr<const Geometry> read_plane(const Element& plane) {
  plane.allow_only({"coef"});
  const Element coefficients = plane.at("coef");
  const Eigen::Vector4d c = coefficients.vector4();
  const Eigen::Vector3d normal = c.head<3>();
  if (normal.isZero(0.0)) coefficients.fail("a zero normal", "give a plane a, b, c, d");
  return make_geometry(plane, HalfSpace{normal, -c[3]});
}

// The geometries of a CollisionObject, placed in the frame of its header.
std::vector<PlacedGeometry> read_shapes(const Element& object, SceneReader& reader) {
  std::vector<std::string>& warnings = reader.scene.warnings;
  object.allow_only({"header", "pose", "id", "type", "primitives", "primitive_poses", "meshes",
                     "mesh_poses", "planes", "plane_poses", "subframe_names", "subframe_poses",
                     "operation"});
  RigidEnclosure X_FO;
  if (const auto pose = object.find("pose")) X_FO = read_pose(*pose, warnings);

  std::vector<PlacedGeometry> placed;
  const auto read = [&](const char* shapes_key, const char* poses_key, auto read_one) {
    const std::optional<Element> shapes = object.find(shapes_key);
    const std::optional<Element> poses = object.find(poses_key);
    const std::size_t shape_count = shapes ? shapes->require_array().size() : 0;
    const std::size_t pose_count = poses ? poses->require_array().size() : 0;
    if (pose_count > shape_count) {
      poses->fail(
          std::to_string(pose_count) + " poses for " + std::to_string(shape_count) + " shapes",
          "give one pose for each shape");
    }
    if (pose_count < shape_count && (pose_count > 0 || !object.has("pose"))) {
      warnings.push_back(shapes->note(std::to_string(shape_count - pose_count) +
                                      " shapes have no pose and stand at the origin"));
    }
    for (std::size_t i = 0; i < shape_count; ++i) {
      RigidEnclosure X_OG;
      if (i < pose_count) X_OG = read_pose((*poses)[i], warnings);
      placed.push_back({read_one((*shapes)[i]), compose(X_FO, X_OG)});
    }
  };
  read("primitives", "primitive_poses",
       [&](const Element& e) { return read_primitive(e, warnings); });
  read("meshes", "mesh_poses", [&](const Element& e) { return read_mesh(e, reader); });
  read("planes", "plane_poses", [](const Element& e) { return read_plane(e); });
  return placed;
}

enum class Operation { kAdd, kRemove, kAppend, kMove };

Operation read_operation(const Element& object) {
  const std::optional<Element> operation = object.find("operation");
  if (!operation) return Operation::kAdd;
  std::string name = operation->is(Value::Kind::kNumber) ? "" : operation->string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const int number = operation->is(Value::Kind::kNumber) ? operation->integer() : -1;
  if (name == "add" || number == 0) return Operation::kAdd;
  if (name == "remove" || number == 1) return Operation::kRemove;
  if (name == "append" || number == 2) return Operation::kAppend;
  if (name == "move" || number == 3) return Operation::kMove;
  operation->fail("unknown operation", "known are add (0), remove (1), append (2), move (3)");
}

class PlanningScene {
 public:
  PlanningScene(const Element& root, SceneReader& reader)
      : root_(root), reader_(reader), scene_(reader.scene) {}

  void read() {
    if (const auto name = root_.find("name")) scene_.name = name->string();
    read_fixed_frames();
    if (const auto world = root_.find("world")) read_world(*world);
    if (const auto state = root_.find("robot_state")) read_state(*state);
    if (const auto matrix = root_.find("allowed_collision_matrix")) read_matrix(*matrix);
    read_margins("link_padding", "padding", scene_.link_padding);
    read_margins("link_scale", "scale", scene_.link_scale);
  }

 private:
  // A transform maps its header's frame to its child's, which must be the planning frame; so does
  // MoveIt read them, whatever the names suggest.
  void read_fixed_frames() {
    const std::optional<Element> frames = root_.find("fixed_frame_transforms");
    if (!frames) return;
    frames->require_array();
    std::string planning;
    for (std::size_t i = 0; i < frames->size(); ++i) {
      const Element frame = (*frames)[i];
      const Element child = frame.at("child_frame_id");
      if (planning.empty()) planning = child.string();
      if (child.string() != planning) {
        child.fail("frame \"" + child.string() + "\" besides \"" + planning + '"',
                   "give all transforms to the one planning frame");
      }
      RigidEnclosure X_WF;
      if (const auto transform = frame.find("transform")) {
        X_WF = read_pose(*transform, scene_.warnings);
      }
      const std::string from = frame_of(frame);
      const bool same = from.empty() || from == planning;
      if (same && !(X_WF.X.p.isZero(0.0) && X_WF.X.R.isIdentity(0.0))) {
        frame.fail("the planning frame is moved against itself", "give the header's frame_id");
      }
      if (!same) frames_[from] = X_WF;
    }
    if (!planning.empty()) frames_[planning] = RigidEnclosure::identity();
  }

  // Where the frame of a message stands in the world.
  RigidEnclosure frame_in_world(const Element& message) {
    const std::string frame = frame_of(message);
    if (frame.empty() || frame == "world") return RigidEnclosure::identity();
    const auto found = frames_.find(frame);
    if (found != frames_.end()) return found->second;
    frames_[frame] = RigidEnclosure::identity();  // say it once
    scene_.assumed_frames[message.place()] = frame;
    scene_.warnings.push_back(message.note("frame \"" + frame +
                                           "\" is taken as the world frame; it must be the "
                                           "robot's root"));
    return RigidEnclosure::identity();
  }

  SceneObject* find_object(const std::string& id) {
    for (SceneObject& object : scene_.objects) {
      if (object.name == id) return &object;
    }
    return nullptr;
  }

  void read_world(const Element& world) {
    world.allow_only({"collision_objects", "octomap"});
    if (const auto objects = world.find("collision_objects")) {
      objects->require_array();
      for (std::size_t i = 0; i < objects->size(); ++i) read_world_object((*objects)[i]);
    }
    if (const auto octomap = world.find("octomap")) read_octomap(*octomap);
  }

  void read_world_object(const Element& message) {
    const Element id = message.at("id");
    const std::string& name = id.string();
    if (name.empty()) id.fail("an empty name", "give each object a name");
    const Operation operation = read_operation(message);
    if (operation == Operation::kMove) {
      message.at("operation").fail("moving an object is not supported", "write its final pose");
    }
    SceneObject* known = find_object(name);
    if (operation == Operation::kRemove) {
      if (known == nullptr) {
        scene_.warnings.push_back(message.note("there is no object \"" + name + "\" to remove"));
      }
      std::erase_if(scene_.objects, [&](const SceneObject& o) { return o.name == name; });
      return;
    }
    if (known != nullptr && operation == Operation::kAdd) {
      id.fail("object \"" + name + "\" is given twice", "give each object its own id");
    }
    const RigidEnclosure X_WF = frame_in_world(message);
    std::vector<PlacedGeometry> placed = read_shapes(message, reader_);
    for (PlacedGeometry& p : placed) p.X_FG = compose(X_WF, p.X_FG);
    if (placed.empty()) {
      scene_.warnings.push_back(message.note("object \"" + name + "\" has no shapes"));
    }
    if (known != nullptr) {
      known->geometries.insert(known->geometries.end(), placed.begin(), placed.end());
    } else {
      scene_.objects.push_back({name, std::move(placed)});
    }
  }

  void read_octomap(const Element& message) {
    const std::optional<Element> map = message.find("octomap");
    const std::optional<Element> data = map ? map->find("data") : std::nullopt;
    if (!data || data->require_array().size() == 0) return;
    RigidEnclosure X_WO = frame_in_world(message);
    if (const auto origin = message.find("origin")) {
      X_WO = compose(X_WO, read_pose(*origin, scene_.warnings));
    }
    std::string bytes(data->size(), '\0');
    for (std::size_t i = 0; i < data->size(); ++i) {
      const double byte = data->value().items[i].number;
      if (data->value().items[i].kind != Value::Kind::kNumber || byte < -128 || byte > 255 ||
          byte != static_cast<int>(byte)) {
        (*data)[i].fail("not a byte", "give integers from -128 to 127");
      }
      bytes[i] = static_cast<char>(static_cast<int>(byte));
    }
    const std::optional<Element> binary = map->find("binary");
    const auto geometry =
        read_octomap_data(bytes, map->at("resolution").positive(), binary && binary->boolean(),
                          map->has("id") ? map->at("id").string() : "OcTree", *data);
    if (geometry == nullptr) {
      scene_.warnings.push_back(data->note("the octomap has no occupied cell"));
      return;
    }
    scene_.objects.push_back({"<octomap>", {{geometry, X_WO}}});  // MoveIt's name for it
  }

  void read_state(const Element& state) {
    read_robot_state(state, scene_.robot_state);
    const std::optional<Element> attached = state.find("attached_collision_objects");
    if (!attached) return;
    attached->require_array();
    for (std::size_t i = 0; i < attached->size(); ++i) read_attached((*attached)[i]);
  }

  void read_attached(const Element& message) {
    message.allow_only({"link_name", "object", "touch_links", "detach_posture", "weight"});
    const Element object = message.at("object");
    AttachedObject made;
    made.link = message.at("link_name").string();
    if (made.link.empty()) message.fail("no link", "give link_name");
    made.object.name = object.at("id").string();
    if (made.object.name.empty()) object.at("id").fail("an empty name", "give it a name");
    const Operation operation = read_operation(object);
    if (operation != Operation::kAdd && operation != Operation::kAppend) {
      object.at("operation").fail("an attached object can only be added", "remove the entry");
    }
    for (const AttachedObject& other : scene_.attached) {
      if (other.object.name == made.object.name) {
        object.at("id").fail("attached object \"" + made.object.name + "\" is given twice",
                             "give each object its own id");
      }
    }
    if (find_object(made.object.name) != nullptr) {
      object.at("id").fail("object \"" + made.object.name + "\" is in the world as well",
                           "keep one of them");
    }
    const std::string frame = frame_of(object);
    if (frame.empty()) {
      scene_.warnings.push_back(
          object.note("no frame is given; the poses are taken in link \"" + made.link + '"'));
    } else if (frame != made.link) {
      object.fail("poses in frame \"" + frame + "\" of an object attached to \"" + made.link + '"',
                  "give its poses in the frame of the link that carries it");
    }
    made.object.geometries = read_shapes(object, reader_);
    if (made.object.geometries.empty()) {
      object.fail("an attached object without shapes",
                  "give its shapes; taking up an object of the world is not supported");
    }
    if (const auto touch = message.find("touch_links")) made.touch_links = touch->strings();
    scene_.attached.push_back(std::move(made));
  }

  void read_matrix(const Element& matrix) {
    matrix.allow_only(
        {"entry_names", "entry_values", "default_entry_names", "default_entry_values"});
    std::vector<std::string> names;
    if (const auto given = matrix.find("entry_names")) names = given->strings();
    std::vector<std::vector<bool>> allowed;
    if (const auto rows = matrix.find("entry_values")) {
      rows->require_array();
      if (rows->size() != names.size()) {
        rows->fail(
            std::to_string(rows->size()) + " rows for " + std::to_string(names.size()) + " names",
            "give one row for each name");
      }
      for (std::size_t i = 0; i < rows->size(); ++i) {
        const Element entry = (*rows)[i];
        const Element row = entry.is(Value::Kind::kObject) ? entry.at("enabled") : entry;
        if (row.require_array().size() != names.size()) {
          row.fail(
              std::to_string(row.size()) + " values for " + std::to_string(names.size()) + " names",
              "give one value for each name");
        }
        allowed.emplace_back();
        for (std::size_t j = 0; j < row.size(); ++j) allowed[i].push_back(row[j].boolean());
      }
    } else if (!names.empty()) {
      matrix.fail("\"entry_values\" is missing", "add it");
    }

    std::vector<std::string> by_default;
    std::vector<bool> default_allowed;
    if (const auto given = matrix.find("default_entry_names")) by_default = given->strings();
    if (const auto values = matrix.find("default_entry_values")) {
      values->require_array();
      for (std::size_t i = 0; i < values->size(); ++i) {
        default_allowed.push_back((*values)[i].boolean());
      }
    }
    if (by_default.size() != default_allowed.size()) {
      matrix.fail(std::to_string(default_allowed.size()) + " default values for " +
                      std::to_string(by_default.size()) + " names",
                  "give one value for each name");
    }
    std::set<std::string> always, never;
    for (std::size_t i = 0; i < by_default.size(); ++i) {
      (default_allowed[i] ? always : never).insert(by_default[i]);
    }
    for (const std::string& name : always) {
      scene_.allowed.allow_with_everything(name);
      // Where two defaults disagree, MoveIt checks.
      for (const std::string& other : never) scene_.allowed.require(name, other);
    }

    bool symmetric = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = i + 1; j < names.size(); ++j) {
        symmetric &= allowed[i][j] == allowed[j][i];
        if (allowed[i][j] && allowed[j][i]) {
          scene_.allowed.allow(names[i], names[j]);
        } else if (always.count(names[i]) > 0 || always.count(names[j]) > 0) {
          scene_.allowed.require(names[i], names[j]);
        }
      }
    }
    if (!symmetric) {
      scene_.warnings.push_back(
          matrix.note("the matrix is not symmetric; a pair that only one side allows is checked"));
    }
  }

  void read_margins(const char* list, const char* key, std::map<std::string, double>& margins) {
    const std::optional<Element> entries = root_.find(list);
    if (!entries) return;
    entries->require_array();
    const bool scale = std::string(key) == "scale";
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const Element entry = (*entries)[i];
      entry.allow_only({"link_name", key});
      const std::string& link = entry.at("link_name").string();
      const Element value = entry.at(key);
      const double x = scale ? value.positive() : value.number();
      if (x < 0.0) value.fail(show(x) + " is negative", "give a padding >= 0");
      if (!margins.emplace(link, x).second) {
        entry.fail("link \"" + link + "\" is given twice", "keep one of them");
      }
    }
    // Nothing to do is nothing to say.
    std::erase_if(margins, [&](const auto& m) { return m.second == (scale ? 1.0 : 0.0); });
  }

  const Element& root_;
  SceneReader& reader_;
  Scene& scene_;
  std::map<std::string, RigidEnclosure> frames_;  // X_WF of each frame that is known
};

}  // namespace

void read_robot_state(const Element& state, std::map<std::string, std::vector<double>>& values) {
  state.require_object();
  const auto add = [&](const Element& where, const std::string& joint, std::vector<double> q) {
    if (!values.emplace(joint, std::move(q)).second) {
      where.fail("joint \"" + joint + "\" is given twice", "keep one of them");
    }
  };
  if (const auto joints = state.find("joint_state")) {
    const std::optional<Element> name = joints->find("name");
    const std::optional<Element> position = joints->find("position");
    const std::vector<std::string> names = name ? name->strings() : std::vector<std::string>();
    const std::vector<double> q = position ? position->numbers() : std::vector<double>();
    if (names.size() != q.size()) {
      joints->fail(
          std::to_string(q.size()) + " positions for " + std::to_string(names.size()) + " names",
          "give one for each name");
    }
    for (std::size_t i = 0; i < q.size(); ++i) add((*name)[i], names[i], {q[i]});
  }
  if (const auto joints = state.find("multi_dof_joint_state")) {
    const std::optional<Element> name = joints->find("joint_names");
    const std::optional<Element> transforms = joints->find("transforms");
    const std::vector<std::string> names = name ? name->strings() : std::vector<std::string>();
    const std::size_t count = transforms ? transforms->require_array().size() : 0;
    if (names.size() != count) {
      joints->fail(
          std::to_string(count) + " transforms for " + std::to_string(names.size()) + " names",
          "give one for each name");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Element transform = (*transforms)[i];
      const Eigen::Vector3d p = transform.at("translation").vector3();
      const Eigen::Vector4d q = transform.at("rotation").vector4();
      if (q.isZero(0.0)) transform.fail("a zero quaternion", "give x, y, z, w");
      add(transform, names[i], {p[0], p[1], p[2], q[0], q[1], q[2], q[3]});
    }
  }
}

void read_planning_scene(const Element& root, SceneReader& reader) {
  PlanningScene(root, reader).read();
}

}  // namespace catena::io
