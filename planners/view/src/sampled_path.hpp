#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "catena/view/animation.hpp"

namespace catena::view {

/// The poses of every link at enough instants of a path that straight lines and slerps between
/// neighbours cannot be told from the motion.
///
/// Frames    everything is relative to `origin` in W: the world's own origin, unless what there is
///           to see is so far away that single precision would shake.
struct SampledPath {
  struct Pose {
    Vector3d p = Vector3d::Zero();
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  ///< unit; no sign jump over time
  };

  int num_links = 0;
  Vector3d origin = Vector3d::Zero();
  std::vector<double> edge_times;  ///< of each frame: index of the edge + t
  std::vector<double> seconds;     ///< of each frame, not decreasing, from 0
  std::vector<Pose> poses;         ///< frame by frame, link by link

  std::vector<double> state_seconds;  ///< of each state
  double contact_seconds = 0.0;
  Eigen::AlignedBox3d robot_bounds;  ///< of all that moves, over all frames
  Eigen::AlignedBox3d fit_bounds;    ///< the same and the scene objects that are not much larger

  const Pose& pose(std::size_t frame, LinkIndex link) const noexcept {
    return poses[frame * static_cast<std::size_t>(num_links) +
                 static_cast<std::size_t>(link.value)];
  }
  std::size_t num_frames() const noexcept { return seconds.size(); }
};

/// Errors    std::invalid_argument as write_html.
SampledPath sample_path(const Animation& animation);

}  // namespace catena::view
