#include <tinyxml2.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "model.hpp"
#include "refusal.hpp"

namespace catena::certificate {
namespace {

namespace fs = std::filesystem;
using Element = tinyxml2::XMLElement;

/// An XML file whose outermost element is <robot>.
class Xml {
 public:
  explicit Xml(const std::string& path) : path_(path) {
    std::string text = read_file(path);
    if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
      if (text.find_first_not_of(std::string(" \t\r\n\f\v") + '\0', nul) != std::string::npos)
        throw Refusal(path + ": a NUL byte stands inside the file");
      text.resize(nul);
    }
    if (text.find("<xacro:") != std::string::npos || text.find("${") != std::string::npos)
      throw Refusal(path + ": the checker does not expand xacro; give it the expanded URDF");
    document_.Parse(text.data(), text.size());
    if (document_.Error())
      throw Refusal(path + ":" + std::to_string(document_.ErrorLineNum()) +
                    ": the XML is not well-formed");
    root_ = document_.RootElement();
    if (root_ == nullptr || std::strcmp(root_->Name(), "robot") != 0)
      throw Refusal(path + ": the outermost element is not <robot>");
  }

  const Element& root() const { return *root_; }

  [[noreturn]] void fail(const Element& node, const std::string& why) const {
    throw Refusal(path_ + ":" + std::to_string(node.GetLineNum()) + ": <" + node.Name() +
                  ">: " + why);
  }

  std::string required(const Element& node, const char* attribute) const {
    const char* text = node.Attribute(attribute);
    if (text == nullptr || *text == '\0') fail(node, std::string("has no ") + attribute);
    return text;
  }

  const Element* child(const Element& node, const char* name) const {
    const Element* only = node.FirstChildElement(name);
    if (only != nullptr && only->NextSiblingElement(name) != nullptr)
      fail(node, std::string("has two <") + name + ">");
    return only;
  }

  double number(const Element& node, const char* attribute, double otherwise) const {
    const char* text = node.Attribute(attribute);
    if (text == nullptr) return otherwise;
    return parse_double(text, path_ + ":" + std::to_string(node.GetLineNum()));
  }

  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const Element& node, const char* attribute) const {
    const char* text = node.Attribute(attribute);
    if (text == nullptr) return std::nullopt;
    std::array<double, N> values{};
    std::string_view rest = text;
    std::size_t count = 0;
    for (;;) {
      const std::size_t begin = rest.find_first_not_of(" \t\r\n");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
      rest.remove_prefix(word.size());
      if (count == N) fail(node, std::string(attribute) + " has too many numbers");
      values[count++] = parse_double(word, path_ + ":" + std::to_string(node.GetLineNum()));
    }
    if (count != N) fail(node, std::string(attribute) + " has too few numbers");
    return values;
  }

  Pose origin(const Element& owner) const {
    const Element* node = child(owner, "origin");
    Pose X;
    if (node == nullptr) return X;
    const auto xyz = numbers<3>(*node, "xyz").value_or(std::array<double, 3>{});
    for (const double x : xyz)
      if (!(std::abs(x) <= 1e50)) fail(*node, "is beyond 1e50 m");
    X.p = {xyz[0], xyz[1], xyz[2]};
    const auto rpy = numbers<3>(*node, "rpy");
    const auto quaternion = numbers<4>(*node, "quat_xyzw");
    if (rpy && quaternion) fail(*node, "has both rpy and quat_xyzw");
    if (quaternion) return pose_of_quaternion(xyz, *quaternion, path_);
    if (rpy && *rpy != std::array<double, 3>{}) {
      for (const double a : *rpy)
        if (!(std::abs(a) <= 1e6)) fail(*node, "rpy holds an angle above 1e6 rad");
      X.R = roll_pitch_yaw((*rpy)[0], (*rpy)[1], (*rpy)[2]);
    }
    return X;
  }

 private:
  std::string path_;
  tinyxml2::XMLDocument document_;
  const Element* root_ = nullptr;
};

/// One robot on its way into the model.
class RobotReader {
 public:
  RobotReader(const std::string& path, const std::string& srdf, const std::string& prefix,
              const Pose& X_WR, const Inputs& inputs, Model& model)
      : path_(path),
        srdf_(srdf),
        prefix_(prefix),
        X_WR_(X_WR),
        inputs_(inputs),
        model_(model),
        xml_(path) {}

  void read() {
    for (const Element* node = xml_.root().FirstChildElement(); node != nullptr;
         node = node->NextSiblingElement()) {
      if (std::strcmp(node->Name(), "link") == 0) read_link(*node);
      if (std::strcmp(node->Name(), "joint") == 0) read_joint(*node);
    }
    if (!srdf_.empty()) read_srdf();
    place();
    except_pairs();
  }

 private:
  struct OwnLink {
    std::string name;
    std::vector<Shape> shapes;
    int joint = -1;   // above it
    int number = -1;  // in the model
    int piece = -1;
  };
  struct OwnJoint {
    Link link;  // all but the numbers
    std::string parent, child;
  };

  void read_link(const Element& node) {
    OwnLink link;
    link.name = xml_.required(node, "name");
    if (!link_number_.emplace(link.name, static_cast<int>(links_.size())).second)
      xml_.fail(node, "another link has this name");
    const std::string full = prefix_ + link.name;
    for (const Element* shape = node.FirstChildElement("collision"); shape != nullptr;
         shape = shape->NextSiblingElement("collision")) {
      const Element* geometry = xml_.child(*shape, "geometry");
      const Element* kind = geometry == nullptr ? nullptr : geometry->FirstChildElement();
      if (kind == nullptr || kind->NextSiblingElement() != nullptr)
        xml_.fail(*shape, "has no geometry of one shape");
      Shape s = read_shape(*kind, full);
      s.X_LG = xml_.origin(*shape);
      s.number = static_cast<int>(link.shapes.size());
      link.shapes.push_back(std::move(s));
    }
    links_.push_back(std::move(link));
  }

  Shape read_shape(const Element& node, const std::string& link) {
    Shape shape;
    const std::string kind = node.Name();
    const auto size = [&](const char* attribute) {
      xml_.required(node, attribute);
      return check_size(xml_.number(node, attribute, 0.0), path_);
    };
    if (kind == "sphere") {
      shape.kind = Shape::Kind::kSphere;
      shape.size[0] = size("radius");
    } else if (kind == "box") {
      shape.kind = Shape::Kind::kBox;
      const auto edges = xml_.numbers<3>(node, "size");
      if (!edges) xml_.fail(node, "has no size");
      for (std::size_t i = 0; i < 3; ++i) shape.size[i] = check_size((*edges)[i], path_);
    } else if (kind == "cylinder" || kind == "capsule" || kind == "cone") {
      shape.kind = kind == "cylinder"  ? Shape::Kind::kCylinder
                   : kind == "capsule" ? Shape::Kind::kCapsule
                                       : Shape::Kind::kCone;
      shape.size = {size("radius"), size("length"), 0.0};
    } else if (kind == "mesh") {
      shape.kind = Shape::Kind::kMesh;
      const auto scale =
          xml_.numbers<3>(node, "scale").value_or(std::array<double, 3>{1.0, 1.0, 1.0});
      const std::string file = find_mesh(xml_.required(node, "filename"), path_, inputs_);
      const auto named = inputs_.fillings.find(link);
      const Filling filling = named == inputs_.fillings.end() ? Filling::kDetect : named->second;
      auto& shared = meshes_[{file, scale, filling}];
      if (shared == nullptr) shared = read_mesh(file, scale, filling);
      shape.mesh = shared;
    } else {
      xml_.fail(node, "is no shape that is known");
    }
    return shape;
  }

  void read_joint(const Element& node) {
    OwnJoint joint;
    Link& link = joint.link;
    link.joint = xml_.required(node, "name");
    if (!joint_number_.emplace(link.joint, static_cast<int>(joints_.size())).second)
      xml_.fail(node, "another joint has this name");
    const std::string type = xml_.required(node, "type");
    if (type == "fixed") {
      link.kind = JointKind::kFixed;
    } else if (type == "revolute") {
      link.kind = JointKind::kRevolute;
    } else if (type == "continuous") {
      link.kind = JointKind::kContinuous;
    } else if (type == "prismatic") {
      link.kind = JointKind::kPrismatic;
    } else if (type == "planar") {
      link.kind = JointKind::kPlanar;
    } else if (type == "floating") {
      link.kind = JointKind::kFloating;
    } else if (type == "spherical" || type == "ball") {
      link.kind = JointKind::kBall;
    } else {
      xml_.fail(node, "type \"" + type + "\" is not known");
    }
    const Element* parent = xml_.child(node, "parent");
    const Element* child = xml_.child(node, "child");
    if (parent == nullptr || child == nullptr) xml_.fail(node, "joins no two links");
    joint.parent = xml_.required(*parent, "link");
    joint.child = xml_.required(*child, "link");
    link.X_PJ = xml_.origin(node);
    if (num_values(link.kind) == 1 || link.kind == JointKind::kPlanar) {
      if (const Element* axis = xml_.child(node, "axis")) {
        const auto xyz = xml_.numbers<3>(*axis, "xyz");
        if (!xyz || *xyz == std::array<double, 3>{}) xml_.fail(*axis, "is no direction");
        link.axis = *xyz;
      }
    }
    if (link.kind == JointKind::kRevolute || link.kind == JointKind::kPrismatic) {
      const Element* limit = xml_.child(node, "limit");
      if (limit == nullptr) xml_.fail(node, "has no <limit>");
      link.lower = xml_.number(*limit, "lower", 0.0);
      link.upper = xml_.number(*limit, "upper", 0.0);
      if (!(link.lower <= link.upper)) xml_.fail(node, "its limits are crossed");
    }
    if (const Element* mimic = xml_.child(node, "mimic");
        mimic != nullptr && link.kind != JointKind::kFixed) {
      if (num_values(link.kind) != 1) xml_.fail(node, "a joint of several values cannot mimic");
      link.mimic =
          Link::Mimic{prefix_ + xml_.required(*mimic, "joint"),
                      xml_.number(*mimic, "multiplier", 1.0), xml_.number(*mimic, "offset", 0.0)};
    }
    joints_.push_back(std::move(joint));
  }

  // ---- SRDF

  bool is_link(const std::string& name) const { return link_number_.count(name) != 0; }

  void read_srdf() {
    const Xml srdf(srdf_);
    const auto each = [&](const char* kind, const auto& use) {
      for (const Element* node = srdf.root().FirstChildElement(kind); node != nullptr;
           node = node->NextSiblingElement(kind))
        use(*node);
    };
    each("virtual_joint", [&](const Element& node) {
      const std::string type = srdf.required(node, "type");
      if (type == "fixed") return;
      if (type != "planar" && type != "floating") srdf.fail(node, "its type is not known");
      OwnJoint joint;
      joint.link.joint = srdf.required(node, "name");
      joint.link.kind = type == "planar" ? JointKind::kPlanar : JointKind::kFloating;
      joint.link.axis = {0.0, 0.0, 1.0};
      joint.child = srdf.required(node, "child_link");
      joint.parent = srdf.required(node, "parent_frame");
      if (!is_link(joint.child)) srdf.fail(node, "its child_link does not exist");
      while (is_link(joint.parent)) joint.parent += "_frame";
      if (!joint_number_.emplace(joint.link.joint, static_cast<int>(joints_.size())).second)
        srdf.fail(node, "another joint has this name");
      link_number_.emplace(joint.parent, static_cast<int>(links_.size()));
      OwnLink frame;
      frame.name = joint.parent;
      links_.push_back(std::move(frame));
      joints_.push_back(std::move(joint));
    });
    const auto pair = [&](const Element& node) {
      const std::string a = srdf.required(node, "link1"), b = srdf.required(node, "link2");
      std::optional<std::pair<int, int>> numbers;
      if (is_link(a) && is_link(b)) numbers = std::minmax(link_number_.at(a), link_number_.at(b));
      return numbers;
    };
    each("enable_collisions", [&](const Element& node) {
      if (const auto p = pair(node)) enabled_.insert(*p);
    });
    each("disable_collisions", [&](const Element& node) {
      if (const auto p = pair(node)) disabled_.insert(*p);
    });
    each("disable_default_collisions", [&](const Element& node) {
      const std::string name = srdf.required(node, "link");
      if (!is_link(name)) return;
      const int a = link_number_.at(name);
      for (int b = 0; b < static_cast<int>(links_.size()); ++b) {
        const std::pair<int, int> p = std::minmax(a, b);
        if (a != b && enabled_.count(p) == 0) disabled_.insert(p);
      }
    });
  }

  // ---- the tree

  void place() {
    std::vector<std::vector<int>> below(links_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const OwnJoint& joint = joints_[j];
      if (!is_link(joint.parent) || !is_link(joint.child) || joint.parent == joint.child)
        throw Refusal(path_ + ": joint \"" + joint.link.joint + "\" joins no two links");
      int& above = links_[static_cast<std::size_t>(link_number_.at(joint.child))].joint;
      if (above >= 0) throw Refusal(path_ + ": link \"" + joint.child + "\" has two parents");
      above = static_cast<int>(j);
      below[static_cast<std::size_t>(link_number_.at(joint.parent))].push_back(
          link_number_.at(joint.child));
    }
    std::vector<int> open;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (links_[i].joint < 0) open.push_back(static_cast<int>(i));
    if (open.size() != 1) throw Refusal(path_ + ": the robot has not one root");
    std::size_t placed = 0;
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      ++placed;
      add_link(links_[static_cast<std::size_t>(at)]);
      for (const int next : below[static_cast<std::size_t>(at)]) open.push_back(next);
    }
    if (placed != links_.size()) throw Refusal(path_ + ": joints form a cycle");
  }

  void add_link(OwnLink& own) {
    own.number = static_cast<int>(model_.links.size());
    Link link;
    int parent = 0;
    if (own.joint >= 0) {
      const OwnJoint& joint = joints_[static_cast<std::size_t>(own.joint)];
      link = joint.link;
      link.joint = prefix_ + link.joint;
      const OwnLink& above = links_[static_cast<std::size_t>(link_number_.at(joint.parent))];
      parent = above.number;
      own.piece = link.kind == JointKind::kFixed ? above.piece : own.number;
    } else {
      link.X_PJ = X_WR_;
      own.piece = own.number;
    }
    link.name = prefix_ + own.name;
    link.parent = parent;
    link.depth = model_.links[static_cast<std::size_t>(parent)].depth + 1;
    model_.links.push_back(link);
    Body body;
    body.name = link.name;
    body.link = own.number;
    body.piece = own.piece;
    const int number = static_cast<int>(model_.bodies.size());
    body_of_[&own - links_.data()] = number;
    model_.bodies.push_back(body);
    for (Shape& shape : own.shapes) {
      shape.body = number;
      model_.shapes.push_back(std::move(shape));
    }
  }

  // All that is not checked: the two links of a joint unless enabled, and what is disabled. One
  // rigid piece never is (Model::checks).
  void except_pairs() {
    std::set<std::pair<int, int>> excepted;
    for (const OwnJoint& joint : joints_) {
      const std::pair<int, int> p =
          std::minmax(link_number_.at(joint.parent), link_number_.at(joint.child));
      if (enabled_.count(p) == 0) excepted.insert(p);
    }
    excepted.insert(disabled_.begin(), disabled_.end());
    for (const auto& [a, b] : excepted) {
      const auto [low, high] = std::minmax(body_of_.at(a), body_of_.at(b));
      model_.unchecked.insert(static_cast<std::uint64_t>(low) << 32 |
                              static_cast<std::uint64_t>(high));
    }
  }

  const std::string& path_;
  const std::string& srdf_;
  const std::string& prefix_;
  const Pose& X_WR_;
  const Inputs& inputs_;
  Model& model_;
  Xml xml_;
  std::vector<OwnLink> links_;
  std::vector<OwnJoint> joints_;
  std::map<std::string, int> link_number_, joint_number_;
  std::set<std::pair<int, int>> enabled_, disabled_;
  std::map<std::ptrdiff_t, int> body_of_;
  std::map<std::tuple<std::string, std::array<double, 3>, Filling>, std::shared_ptr<const Mesh>>
      meshes_;
};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string manifest_name(const fs::path& folder) {
  if (!is_file(folder / "package.xml")) return "";
  const std::string text = read_file((folder / "package.xml").string());
  const std::size_t begin = text.find("<name>"), end = text.find("</name>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string name = text.substr(begin + 6, end - begin - 6);
  std::erase_if(name, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  return name;
}

}  // namespace

void read_robot(const std::string& path, const std::string& srdf, const std::string& prefix,
                const Pose& X_WR, const Inputs& inputs, Model& model) {
  RobotReader(path, srdf, prefix, X_WR, inputs, model).read();
}

std::string find_mesh(const std::string& name, const std::string& file, const Inputs& inputs) {
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  std::string text = name;
  std::replace(text.begin(), text.end(), '\\', '/');
  const auto found = [](const fs::path& path) { return path.lexically_normal().string(); };
  for (const char* scheme : {"package://", "model://"}) {
    if (!text.starts_with(scheme)) continue;
    std::string rest = text.substr(std::strlen(scheme));
    rest.erase(0, std::min(rest.find_first_not_of('/'), rest.size()));
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) break;
    const std::string package = rest.substr(0, slash), inside = rest.substr(slash + 1);
    if (const auto mapped = inputs.packages.find(package); mapped != inputs.packages.end())
      return found(fs::path(mapped->second) / inside);
    if (const char* prefixes = std::getenv("AMENT_PREFIX_PATH")) {
      std::string_view list = prefixes;
      while (!list.empty()) {
        const std::size_t end = std::min(list.find(':'), list.size());
        const fs::path at = fs::path(list.substr(0, end)) / "share" / package / inside;
        if (end > 0 && is_file(at)) return found(at);
        list.remove_prefix(std::min(end + 1, list.size()));
      }
    }
    for (fs::path at = folder;; at = at.parent_path()) {
      if ((at.filename() == package || manifest_name(at) == package) && is_file(at / inside))
        return found(at / inside);
      if (is_file(at / package / inside)) return found(at / package / inside);
      if (at == at.root_path() || at.empty()) break;
    }
    break;
  }
  if (text.starts_with("file://")) text.erase(0, 7);
  if (text.find("://") == std::string::npos && is_file(folder / text)) return found(folder / text);
  throw Refusal(file + ": the mesh \"" + name +
                "\" is not found (the checker looks where --package says, in AMENT_PREFIX_PATH and "
                "in the folders above the file)");
}

}  // namespace catena::certificate
