#include "path_others.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "catena/io/input_error.hpp"

namespace catena::command {

OtherValues read_others(const io::PathFile& file, const std::string& path) {
  if (file.stats_json.empty()) return {};
  try {
    const auto stats = nlohmann::json::parse(file.stats_json);
    if (!stats.is_object() || !stats.contains("others")) return {};
    return stats.at("others").get<OtherValues>();
  } catch (const nlohmann::json::exception&) {
    throw io::InputError(path, 0, "stats.others",
                         "it is no map from joint names to lists of numbers",
                         "write {\"joint\": [value]} or leave it out");
  }
}

OtherValues others_of(const Robot& robot, const JointGroup& group, const Eigen::VectorXd& q) {
  OtherValues others;
  for (const LinkIndex index : robot.active_joints()) {
    if (std::find(group.joints.begin(), group.joints.end(), index) != group.joints.end()) continue;
    const Joint& joint = robot.joint(index);
    const int count = num_values(joint.type);
    const auto mine = q.segment(joint.q_index, count);
    others[joint.name] = std::vector<double>(mine.data(), mine.data() + count);
  }
  return others;
}

OtherValues add_scene_state(const CollisionWorld& world, const JointGroup& group,
                            OtherValues others) {
  for (const auto& [name, values] : world.scene().robot_state) {
    const LinkIndex index = world.robot().find_joint(name);
    if (!index.valid()) continue;
    if (std::find(group.joints.begin(), group.joints.end(), index) == group.joints.end())
      others.emplace(name, values);
  }
  return others;
}

}  // namespace catena::command
