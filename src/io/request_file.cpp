#include "catena/io/request_file.hpp"

#include "catena/io/input_error.hpp"
#include "io/document.hpp"
#include "io/scene_forms.hpp"

namespace catena::io {

RequestFile load_request(const std::string& path) {
  const Value document = parse_yaml(read_text_file(path), path);
  const Element root(document, path, "");
  root.require_object();
  RequestFile request;
  request.path = path;
  request.group_name = root.at("group_name").string();

  const auto refuse = [](const Element& parent, const char* key) {
    const std::optional<Element> constraints = parent.find(key);
    if (!constraints) return;
    bool empty = constraints->size() == 0;
    if (constraints->is(Value::Kind::kObject)) {
      // A message prints its empty lists and names; only what holds something constrains.
      empty = true;
      for (std::size_t i = 0; i < constraints->size(); ++i) {
        const Element member = (*constraints)[i];
        empty &= !member.is(Value::Kind::kArray) || member.size() == 0;
      }
    }
    if (!empty) {
      constraints->fail("only joint constraints of a goal are supported",
                        "give the goal as joint values and remove this");
    }
  };
  refuse(root, "path_constraints");
  refuse(root, "trajectory_constraints");

  if (const auto state = root.find("start_state")) {
    read_robot_state(*state, request.start);
    refuse(*state, "attached_collision_objects");
  }

  const Element goals = root.at("goal_constraints").require_array();
  if (goals.size() == 0) goals.fail("no goal", "give joint_constraints");
  if (goals.size() > 1) {
    request.warnings.push_back(goals.note("only the first of " + std::to_string(goals.size()) +
                                          " alternative goals is used"));
  }
  const Element goal = goals[0].require_object();
  refuse(goal, "position_constraints");
  refuse(goal, "orientation_constraints");
  refuse(goal, "visibility_constraints");
  const Element joints = goal.at("joint_constraints").require_array();
  if (joints.size() == 0)
    joints.fail("no joint goal", "give joint_name and position of each joint");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const std::string& joint = joints[i].at("joint_name").string();
    if (!request.goal.emplace(joint, joints[i].at("position").number()).second) {
      joints[i].fail("joint \"" + joint + "\" is given twice", "keep one of them");
    }
  }
  return request;
}

}  // namespace catena::io
