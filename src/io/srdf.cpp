#include "catena/io/srdf.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "io/xacro.hpp"
#include "io/xml_check.hpp"

namespace catena::io {
namespace {

using Node = XmlFile::Node;

/// Adds what an SRDF says to a robot's description, one kind of element after the other.
class SrdfReader {
 public:
  SrdfReader(const std::string& text, const std::string& path, RobotDescription& description)
      : xml_(text, path, "robot"), description_(description) {
    for (const LinkDescription& link : description.links) links_.insert(link.name);
    for (const JointDescription& joint : description.joints) joints_.insert(joint.name);
  }

  void read() {
    const Node& root = xml_.root();
    if (const char* name = root.Attribute("name"); name != nullptr && name != description_.name)
      xml_.warn(root, "it is written for robot \"" + std::string(name) + "\", not for \"" +
                          description_.name + "\"");
    each("link", [&](const Node& node) {
      xml_.fail(node, "a URDF describes links; this file is to be an SRDF",
                "name the SRDF that goes with the robot");
    });
    each("virtual_joint", [&](const Node& node) { read_virtual_joint(node); });
    each("group", [&](const Node& node) { group_names_.insert(xml_.required(node, "name")); });
    each("group", [&](const Node& node) { read_group(node); });
    each("group_state", [&](const Node& node) { read_group_state(node); });
    each("passive_joint", [&](const Node& node) { read_passive_joint(node); });
    read_disabled_pairs();
    xml_.warn_unknown(
        root, {"virtual_joint", "group", "group_state", "passive_joint", "end_effector",
               "disable_collisions", "enable_collisions", "disable_default_collisions",
               "link_sphere_approximation", "joint_property", "rotor_params", "specified_contacts",
               "gripper", "chain"});
    const std::vector<std::string>& warnings = xml_.warnings();
    description_.warnings.insert(description_.warnings.end(), warnings.begin(), warnings.end());
  }

 private:
  template <class Action>
  void each(const char* kind, Action action) {
    for (const Node* node = xml_.root().FirstChildElement(kind); node;
         node = node->NextSiblingElement(kind))
      action(*node);
  }

  void remember(const Node& node) {
    description_.sources[XmlFile::element(node)] = {xml_.path(), node.GetLineNum()};
  }

  bool is_link(const std::string& name) const { return links_.count(name) != 0; }

  // ---- virtual joints

  void read_virtual_joint(const Node& node) {
    JointDescription joint;
    joint.name = xml_.required(node, "name");
    const std::string type = xml_.required(node, "type");
    const std::string frame = xml_.required(node, "parent_frame");
    joint.child = xml_.required(node, "child_link");
    description_.world_frames.insert({frame, joint.child});
    if (type == "fixed") {
      fixed_virtual_joints_.insert(joint.name);
      return;
    }
    if (type == "planar")
      joint.type = JointType::kPlanar;
    else if (type == "floating")
      joint.type = JointType::kFloating;
    else
      xml_.fail(node, "type \"" + type + "\" is not known", "use fixed, planar or floating");
    if (!is_link(joint.child))
      xml_.fail(node, "child_link \"" + joint.child + "\" does not exist",
                "name the root link of the robot");
    for (const JointDescription& other : description_.joints)
      if (other.child == joint.child)
        xml_.fail(node,
                  "child_link \"" + joint.child + "\" already is the child of joint \"" +
                      other.name + "\"",
                  "only the root link can have a virtual joint: name it");
    if (!joints_.insert(joint.name).second)
      xml_.fail(node, "another joint has this name", "rename it");
    joint.axis = Vector3d::UnitZ();
    // The frame is not a link of the robot; if a link has its name, the frame takes another one.
    joint.parent = frame;
    while (is_link(joint.parent)) joint.parent += "_frame";
    if (joint.parent != frame)
      xml_.warn(node, "parent_frame \"" + frame + "\" is also a link; the frame is called \"" +
                          joint.parent + "\"");
    remember(node);
    description_.sources["<joint name=\"" + joint.name + "\">"] = {xml_.path(), node.GetLineNum()};
    links_.insert(joint.parent);
    LinkDescription world;
    world.name = joint.parent;
    description_.links.push_back(std::move(world));
    description_.joints.push_back(std::move(joint));
  }

  // ---- groups

  void read_group(const Node& node) {
    GroupDescription group;
    group.name = xml_.required(node, "name");
    for (const GroupDescription& other : description_.groups)
      if (other.name == group.name)
        xml_.fail(node, "another group has this name", "rename one of the two");
    remember(node);
    for (const Node* part = node.FirstChildElement(); part; part = part->NextSiblingElement()) {
      const std::string_view kind = part->Name();
      if (kind == "joint") {
        const std::string name = xml_.required(*part, "name");
        if (fixed_virtual_joints_.count(name) != 0) continue;  // it has no value to plan for
        if (joints_.count(name) == 0)
          xml_.fail(*part, "the robot has no such joint",
                    "correct the name, or remove it from the group");
        group.joints.push_back(name);
      } else if (kind == "link") {
        const std::string name = xml_.required(*part, "name");
        if (is_link(name))
          group.links.push_back(name);
        else  // no joint is lost: what does not exist has none
          xml_.warn(*part, "the robot has no such link; the group is read without it");
      } else if (kind == "chain") {
        const std::string base = xml_.required(*part, "base_link");
        const std::string tip = xml_.required(*part, "tip_link");
        for (const std::string& name : {base, tip})
          if (!is_link(name))
            xml_.fail(*part, "the robot has no link \"" + name + "\"",
                      "name two links of the robot");
        group.chains.emplace_back(base, tip);
      } else if (kind == "group") {
        const std::string name = xml_.required(*part, "name");
        if (group_names_.count(name) == 0)
          xml_.fail(*part, "there is no such group", "name a group of this file");
        group.subgroups.push_back(name);
      } else if (kind == "passive_joint") {  // out of place, but people write it here
        read_passive_joint(*part);
      } else {
        xml_.warn(*part, "is not known in a group and is ignored");
      }
    }
    description_.groups.push_back(std::move(group));
  }

  void read_group_state(const Node& node) {
    const std::string name = xml_.required(node, "name");
    const std::string group = xml_.required(node, "group");
    remember(node);
    Robot::NamedState state;
    for (const Node* part = node.FirstChildElement("joint"); part;
         part = part->NextSiblingElement("joint")) {
      const std::string joint = xml_.required(*part, "name");
      const std::vector<double> values =
          xml_.parse_numbers(*part, "value", xml_.required(*part, "value"));
      if (fixed_virtual_joints_.count(joint) != 0) continue;
      if (joints_.count(joint) == 0) {
        xml_.warn(*part, "the robot has no such joint; its value is ignored");
        continue;
      }
      if (!state.emplace(joint, values).second)
        xml_.fail(*part, "joint \"" + joint + "\" has two values", "keep one of them");
    }
    if (group_names_.count(group) == 0) {
      xml_.warn(node, "there is no group \"" + group + "\"; the state is left out");
      return;
    }
    if (!description_.group_states.emplace(std::pair(group, name), std::move(state)).second)
      xml_.fail(node, "group \"" + group + "\" already has a state of this name",
                "rename one of the two");
  }

  void read_passive_joint(const Node& node) {
    const std::string name = xml_.required(node, "name");
    if (fixed_virtual_joints_.count(name) != 0) return;
    if (joints_.count(name) == 0)
      xml_.warn(node, "the robot has no such joint");
    else
      description_.passive_joints.push_back(name);
  }

  // ---- pairs

  /// Both link names of a pair, or nothing (and one warning for each name) if one is unknown.
  std::optional<std::pair<std::string, std::string>> read_pair(const Node& node) {
    std::string a = xml_.required(node, "link1"), b = xml_.required(node, "link2");
    bool known = true;
    for (const std::string& name : {a, b})
      if (!is_link(name)) {
        known = false;
        if (warned_links_.insert(name).second)
          xml_.warn(node, "the robot has no link \"" + name + "\"; pairs with it are ignored");
      }
    if (!known) return std::nullopt;
    if (b < a) std::swap(a, b);
    return std::pair(std::move(a), std::move(b));
  }

  void read_disabled_pairs() {
    each("disable_collisions", [&](const Node& node) {
      const auto pair = read_pair(node);
      if (!pair) return;
      const char* reason = node.Attribute("reason");
      description_.disabled_pairs.push_back(
          {pair->first, pair->second, reason != nullptr ? reason : ""});
    });

    std::set<std::pair<std::string, std::string>> enabled;
    each("enable_collisions", [&](const Node& node) {
      if (auto pair = read_pair(node)) enabled.insert(std::move(*pair));
    });
    // By SRDF it takes back a default; to leave out the links of one joint is a default as well.
    description_.enabled_pairs.insert(description_.enabled_pairs.end(), enabled.begin(),
                                      enabled.end());
    each("disable_default_collisions", [&](const Node& node) {
      const std::string name = xml_.required(node, "link");
      if (!is_link(name)) {
        xml_.warn(node, "the robot has no link \"" + name + "\"");
        return;
      }
      for (const LinkDescription& other : description_.links) {
        const std::pair<std::string, std::string> pair = std::minmax(name, other.name);
        if (other.name != name && enabled.count(pair) == 0)
          description_.disabled_pairs.push_back({pair.first, pair.second, "Default"});
      }
    });
  }

  XmlFile xml_;
  RobotDescription& description_;
  std::set<std::string> links_, joints_, group_names_, fixed_virtual_joints_, warned_links_;
};

}  // namespace

void add_srdf_text(const std::string& text, const std::string& path,
                   RobotDescription& description) {
  SrdfReader(text, path, description).read();
}

void add_srdf(const std::string& path, RobotDescription& description) {
  const RobotText file = read_robot_text(path, {});
  add_srdf_text(file.text, file.shown, description);
}

}  // namespace catena::io
