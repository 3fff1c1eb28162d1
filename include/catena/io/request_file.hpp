#pragma once

#include <map>
#include <string>
#include <vector>

namespace catena::io {

/// A MoveIt motion plan request (YAML or JSON of moveit_msgs/MotionPlanRequest) with a joint goal.
struct RequestFile {
  std::string path;
  std::string group_name;
  /// Joint -> values; multi-DOF: x y z qx qy qz qw.
  std::map<std::string, std::vector<double>> start;
  std::map<std::string, double> goal;  ///< joint -> value, tolerances left aside
  std::vector<std::string> warnings;
};

/// Errors    InputError: no group, no joint goal, or other constraints than joint goals, which
///           would be lost: position, orientation, visibility, path and trajectory constraints.
RequestFile load_request(const std::string& path);

}  // namespace catena::io
