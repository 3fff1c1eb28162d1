#include "catena/io/urdf.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "catena/io/input_error.hpp"
#include "catena/io/mesh_file.hpp"
#include "catena/io/srdf.hpp"
#include "io/document.hpp"
#include "io/mesh_shells.hpp"
#include "io/package_paths.hpp"
#include "io/xacro.hpp"
#include "io/xml_check.hpp"

namespace catena::io {
namespace {

using Node = XmlFile::Node;

/// Every reader rule of URDF 1.0 and 1.1, element by element.
class UrdfReader {
 public:
  /// @param shown  what messages call the file
  UrdfReader(std::string text, const std::string& path, const std::string& shown,
             const UrdfOptions& options)
      : xml_(std::move(text), shown, "robot"), options_(options), finder_(path, options.packages) {}

  RobotDescription read() {
    const Node& root = xml_.root();
    check_version(root);
    result_.name = root.Attribute("name") != nullptr ? root.Attribute("name") : "";
    if (result_.name.empty()) {
      xml_.warn(root, "has no name; it is called \"robot\"");
      result_.name = "robot";
    }
    remember("<robot name=\"" + result_.name + "\">", root);
    for (const Node* node = root.FirstChildElement(); node; node = node->NextSiblingElement()) {
      const std::string_view kind = node->Name();
      if (kind == "link")
        read_link(*node);
      else if (kind == "joint")
        read_joint(*node);
      else if (kind == "loop_joint")
        xml_.warn(*node, "closes a loop; it is ignored, so nothing keeps the loop closed");
    }
    warn_unknown_parts(root);
    for (const auto& [link, filling] : options_.mesh_filling)
      if (result_.sources.count("<link name=\"" + link + "\">") == 0)
        throw InputError(xml_.path(), 0, "<link name=\"" + link + "\">",
                         "a mesh filling is given for it, but there is no such link",
                         "name a link of this robot");
    const std::vector<std::string>& warnings = xml_.warnings();
    result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
    return std::move(result_);
  }

 private:
  void remember(const std::string& element, const Node& node) {
    result_.sources[element] = {xml_.path(), node.GetLineNum()};
  }

  void check_version(const Node& root) {
    const char* version = root.Attribute("version");
    if (version == nullptr) return;
    const std::string_view text = version;
    if (text != "1" && text != "1.0" && text != "1.1" && text != "1.2")
      xml_.fail(root, "version \"" + std::string(text) + "\" of the format is not known",
                "write version=\"1.0\" or \"1.1\"");
  }

  void warn_unknown_parts(const Node& root) {
    xml_.warn_unknown(root, {"link",
                             "joint",
                             "loop_joint",
                             "material",
                             "gazebo",
                             "transmission",
                             "sensor",
                             "ros2_control",
                             "mujoco",
                             "static",
                             "plugin",
                             "frame",
                             "drake:joint",
                             "drake:collision_filter_group",
                             "author",
                             "description",
                             "sdf",
                             "verbose",
                             "safety_controller",
                             "compiler",
                             "group",
                             "parameter"});
  }

  // ---- links

  void read_link(const Node& node) {
    LinkDescription link;
    link.name = xml_.required(node, "name");
    remember("<link name=\"" + link.name + "\">", node);
    for (const Node* shape = node.FirstChildElement("collision"); shape;
         shape = shape->NextSiblingElement("collision"))
      link.collision.push_back(read_collision(*shape, link.name));
    xml_.warn_unknown(node, {"inertial", "visual", "collision", "contact", "sensor", "gazebo",
                             "self_collision_checking", "collision_checking", "velocity_decay",
                             "material", "verbose", "kinematic", "audio_source", "origin"});
    result_.links.push_back(std::move(link));
  }

  PlacedGeometry read_collision(const Node& node, const std::string& link) {
    const Node* geometry = xml_.child(node, "geometry");
    if (geometry == nullptr) xml_.fail(node, "has no <geometry>", "add one, or remove the element");
    xml_.warn_unknown(node, {"origin", "geometry", "verbose", "material", "contact_coefficients",
                             "max_contacts", "surface", "drake:proximity_properties"});
    const Node* shape = geometry->FirstChildElement();
    if (shape == nullptr)
      xml_.fail(*geometry, "is empty", "put a shape in it, or remove the collision element");
    if (const Node* second = shape->NextSiblingElement())
      xml_.fail(*second, "a second shape in one <geometry>",
                "give every shape a <collision> element of its own");
    PlacedGeometry placed;
    placed.X_FG = read_origin(node);
    placed.geometry = read_shape(*shape, link);
    return placed;
  }

  RigidEnclosure read_origin(const Node& owner) {
    const Node* node = xml_.child(owner, "origin");
    if (node == nullptr) return RigidEnclosure::identity();
    const auto xyz = xml_.numbers(*node, "xyz", 3);
    const auto rpy = xml_.numbers(*node, "rpy", 3);
    const auto quaternion = xml_.numbers(*node, "quat_xyzw", 4);
    const Vector3d p = xyz ? vector(*xyz) : Vector3d::Zero();
    if (!quaternion) {
      const Vector3d angles = rpy ? vector(*rpy) : Vector3d::Zero();
      // Larger angles mean nothing to a sine in double precision.
      if (!(angles.cwiseAbs().maxCoeff() <= 1e6))
        xml_.fail(*node, "rpy holds an angle above 1e6 rad", "give angles in radians");
      return angles.isZero(0.0) ? RigidEnclosure::translation(p)
                                : RigidEnclosure::from_rpy(p, angles);
    }
    if (rpy) xml_.fail(*node, "has both rpy and quat_xyzw", "keep one of them");
    const Eigen::Vector4d xyzw(Eigen::Map<const Eigen::Vector4d>(quaternion->data()));
    const double length = xyzw.stableNorm();
    if (!(length > 1e-6 && length < 1e6))
      xml_.fail(*node, "quat_xyzw has length " + show(length), "give a unit quaternion, x y z w");
    if (std::abs(length - 1.0) > 1e-3)
      xml_.warn(*node, "quat_xyzw has length " + show(length) + "; it is normalised");
    return RigidEnclosure::from_quaternion(p, xyzw);
  }

  std::shared_ptr<const Geometry> read_shape(const Node& node, const std::string& link) {
    const std::string_view kind = node.Name();
    if (kind == "mesh") return read_mesh(node, link);
    Primitive primitive;
    if (kind == "sphere") {
      primitive = Sphere{size(node, "radius")};
    } else if (kind == "box") {
      const auto edges = xml_.numbers(node, "size", 3);
      if (!edges) xml_.fail(node, "attribute size is missing", "write size=\"x y z\"");
      for (const double edge : *edges) check_size(node, "size", edge);
      primitive = Box{vector(*edges)};
    } else if (kind == "cylinder") {
      primitive = Cylinder{size(node, "radius"), size(node, "length")};
    } else if (kind == "capsule") {
      primitive = Capsule{size(node, "radius"), size(node, "length")};
    } else if (kind == "cone") {
      primitive = Cone{size(node, "radius"), size(node, "length")};
    } else {
      xml_.fail(node, "shape \"" + std::string(kind) + "\" is not known",
                "use box, cylinder, capsule, cone, sphere or mesh");
    }
    try {
      return Geometry::make(primitive);
    } catch (const std::invalid_argument& error) {
      xml_.fail(node, error.what(), "correct the size");
    }
  }

  double size(const Node& node, const char* attribute) {
    const auto value = xml_.number(node, attribute);
    if (!value)
      xml_.fail(node, std::string("attribute ") + attribute + " is missing",
                std::string("write ") + attribute + "=\"...\" in metres");
    check_size(node, attribute, *value);
    return *value;
  }

  void check_size(const Node& node, const char* attribute, double value) {
    if (value < 0.0)
      xml_.fail(node, std::string(attribute) + ": " + show(value) + " is negative",
                std::string("give a ") + attribute + " >= 0");
  }

  std::shared_ptr<const Geometry> read_mesh(const Node& node, const std::string& link) {
    const std::string uri = xml_.required(node, "filename");
    Vector3d scale = Vector3d::Ones();
    if (const auto factors = xml_.numbers(node, "scale", 3)) scale = vector(*factors);
    if (!((scale.array() != 0.0).all()))
      xml_.fail(node, "a factor of scale is zero", "give factors that are not zero");
    const ResourceFinder::Result found = finder_.find(uri);
    if (found.path.empty()) xml_.fail(node, found.problem, found.remedy);

    const auto choice = options_.mesh_filling.find(link);
    const MeshFilling filling =
        choice == options_.mesh_filling.end() ? MeshFilling::kDetect : choice->second;
    const auto key = std::tuple(found.path, scale.x(), scale.y(), scale.z(), filling);
    std::shared_ptr<const Geometry>& shared = meshes_[key];
    if (shared != nullptr) return shared;
    try {
      shared = Geometry::make_mesh(load_mesh(found.path, scale), filling);
      const std::string doubt = doubtful_shells(*shared);
      if (!doubt.empty()) xml_.warn(node, doubt);
      return shared;
    } catch (const InputError& error) {
      xml_.fail(node, std::string("the mesh cannot be used: ") + error.what(),
                "repair the mesh file, or name another one");
    } catch (const std::invalid_argument& error) {
      xml_.fail(node, found.path + ": " + error.what(),
                "repair the mesh file, or name another one");
    }
  }

  // ---- joints

  void read_joint(const Node& node) {
    JointDescription joint;
    joint.name = xml_.required(node, "name");
    const std::string element = "<joint name=\"" + joint.name + "\">";
    remember(element, node);
    joint.type = read_type(node);
    joint.parent = read_link_name(node, "parent");
    joint.child = read_link_name(node, "child");
    joint.origin = read_origin(node);
    xml_.warn_unknown(
        node, {"origin", "parent", "child", "axis", "limit", "mimic", "calibration", "dynamics",
               "safety_controller", "actuator", "hardwareInterface", "disable_collision", "gazebo",
               "sensor", "simulation", "motor", "property", "physics"});
    if (num_values(joint.type) == 1 || joint.type == JointType::kPlanar) read_axis(node, joint);
    if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic)
      read_limit(node, joint);
    read_mimic(node, joint);
    result_.joints.push_back(std::move(joint));
  }

  JointType read_type(const Node& node) {
    const std::string type = xml_.required(node, "type");
    if (type == "fixed") return JointType::kFixed;
    if (type == "revolute") return JointType::kRevolute;
    if (type == "continuous") return JointType::kContinuous;
    if (type == "prismatic") return JointType::kPrismatic;
    if (type == "planar") return JointType::kPlanar;
    if (type == "floating") return JointType::kFloating;
    if (type == "spherical" || type == "ball") {
      xml_.warn(node, "type " + type + " is not standard URDF; it is read as a ball joint");
      return JointType::kBall;
    }
    xml_.fail(node, "type \"" + type + "\" is not known",
              "use fixed, revolute, continuous, prismatic, planar, floating or spherical");
  }

  std::string read_link_name(const Node& joint, const char* role) {
    const Node* node = xml_.child(joint, role);
    if (node == nullptr)
      xml_.fail(joint, std::string("has no <") + role + ">",
                std::string("write <") + role + " link=\"...\"/>");
    return xml_.required(*node, "link");
  }

  void read_axis(const Node& node, JointDescription& joint) {
    const Node* axis = xml_.child(node, "axis");
    if (axis == nullptr) return;  // the format's default is x
    const auto xyz = xml_.numbers(*axis, "xyz", 3);
    if (!xyz) xml_.fail(*axis, "attribute xyz is missing", "write xyz=\"x y z\"");
    joint.axis = vector(*xyz);
    if (joint.axis.isZero(0.0))
      xml_.fail(*axis, "the axis is zero", "give a direction, or make the joint fixed");
  }

  void read_limit(const Node& node, JointDescription& joint) {
    const Node* limit = xml_.child(node, "limit");
    const bool revolute = joint.type == JointType::kRevolute;
    if (limit == nullptr)
      xml_.fail(node, std::string("is ") + name_of(joint.type) + " but has no <limit>",
                revolute ? "write <limit lower=\"...\" upper=\"...\" effort=\"...\" "
                           "velocity=\"...\"/>, or make it continuous"
                         : "write <limit lower=\"...\" upper=\"...\" effort=\"...\" "
                           "velocity=\"...\"/>");
    const auto lower = xml_.number(*limit, "lower");
    const auto upper = xml_.number(*limit, "upper");
    joint.lower = lower.value_or(0.0);
    joint.upper = upper.value_or(0.0);
    if (joint.lower > joint.upper)
      xml_.fail(node,
                "lower limit " + show(joint.lower) + " is above upper limit " + show(joint.upper),
                !lower || !upper ? "give both: the one that is missing counts as 0"
                : revolute       ? "swap the two values, or make it continuous if it has no limits"
                                 : "swap the two values");
    if (!lower && !upper)
      xml_.warn(node,
                "its <limit> gives neither lower nor upper; both count as 0, so it cannot "
                "move");
    else if (joint.lower == joint.upper)
      xml_.warn(node, "its limits are both " + show(joint.lower) + ", so it cannot move");
  }

  void read_mimic(const Node& node, JointDescription& joint) {
    const Node* mimic = xml_.child(node, "mimic");
    if (mimic == nullptr) return;
    MimicDescription by;
    by.joint = xml_.required(*mimic, "joint");
    by.multiplier = xml_.number(*mimic, "multiplier").value_or(1.0);
    by.offset = xml_.number(*mimic, "offset").value_or(0.0);
    joint.mimic = std::move(by);
  }

  static Vector3d vector(const std::vector<double>& values) {
    return {values[0], values[1], values[2]};
  }

  XmlFile xml_;
  const UrdfOptions& options_;
  ResourceFinder finder_;
  RobotDescription result_;
  // The same file at the same scale is one geometry, however often it is named.
  std::map<std::tuple<std::string, double, double, double, MeshFilling>,
           std::shared_ptr<const Geometry>>
      meshes_;
};

RobotDescription describe(std::string text, const std::string& path, const std::string& shown,
                          const UrdfOptions& options) {
  RobotDescription result = UrdfReader(std::move(text), path, shown, options).read();
  if (!options.srdf.empty()) {
    const RobotText srdf = read_robot_text(options.srdf, options.packages);
    add_srdf_text(srdf.text, srdf.shown, result);
  }
  return result;
}

std::shared_ptr<const Robot> build(const RobotDescription& description, const std::string& path) {
  try {
    return RobotBuilder::build(description);
  } catch (const ModelError& error) {
    throw_at_source(error, description, path);
  }
}

}  // namespace

RobotDescription describe_urdf(const std::string& path, const UrdfOptions& options) {
  RobotText file = read_robot_text(path, options.packages);
  RobotDescription result = describe(std::move(file.text), path, file.shown, options);
  if (file.expanded && result.links.empty())
    throw InputError(file.shown, 0, "<robot name=\"" + result.name + "\">", "has no link",
                     "if this is a file of macros, name the file that uses them");
  return result;
}

std::shared_ptr<const Robot> load_urdf(const std::string& path, const UrdfOptions& options) {
  return build(describe_urdf(path, options), path);
}

std::shared_ptr<const Robot> parse_urdf(const std::string& text, const std::string& path,
                                        const UrdfOptions& options) {
  if (is_xacro(text, ""))
    throw InputError(path, 0, "<robot>", "this text is xacro, not URDF",
                     "expand it first, or load it from its file");
  return build(describe(text, path, path, options), path);
}

}  // namespace catena::io
