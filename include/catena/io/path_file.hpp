#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/math/interval.hpp"
#include "catena/model/verdict.hpp"

namespace catena::io {

/// `catena-path/1`: states and, once certified, a verdict for each edge; or a trajectory: states in
/// times, with velocities and accelerations (docs/formats.md).
struct PathFile {
  struct Edge {
    Verdict verdict = Verdict::kUndecided;
    std::optional<Interval> distance;
  };

  std::string robot;
  std::string group;
  std::vector<std::string> joint_order;
  std::string order_key = "joint_order";  ///< what the file calls them
  std::vector<std::vector<double>> states;
  std::optional<std::vector<double>> times;
  /// Of a trajectory, each as many as states; an element has as many values as a state, or none.
  /// Its times increase, and what moves between two states is a spline.
  struct Slopes {
    std::vector<std::vector<double>> velocities, accelerations;
  };
  std::optional<Slopes> slopes;
  std::vector<Edge> edges;  ///< empty, or one fewer than states
  std::string stats_json;   ///< free-form object; empty: none
};

/// Reads the JSON form, with or without edges; a trajectory as ROS messages hold it
/// (trajectory_msgs/JointTrajectory, moveit_msgs/RobotTrajectory; JSON or YAML); or OMPL's plain
/// matrix (one state a line, values by blanks; joint_order then stays empty). Errors: InputError.
PathFile load_path(const std::string& path);

/// As many digits (at most 17) as make reading give the same doubles; never leaves half a file.
/// Errors    std::invalid_argument: sizes that disagree, no numbers. InputError: cannot be written.
void save_path(const PathFile& path_file, const std::string& path);

}  // namespace catena::io
