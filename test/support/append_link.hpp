#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/model/robot_builder.hpp"

namespace catena::test {

/// Appends a link to a description, and the joint that moves it in the link that was the last one,
/// called `LINK_joint`. Returns the joint, which the next call may move in memory: its frame is the
/// parent's, its axis x, and it has no limits, so long as nobody says otherwise.
inline JointDescription& append_link(RobotDescription& d, const std::string& link,
                                     std::vector<PlacedGeometry> collision, JointType type) {
  JointDescription joint;
  joint.name = link + "_joint";
  joint.type = type;
  joint.parent = d.links.back().name;
  joint.child = link;
  d.links.push_back({link, std::move(collision)});
  return d.joints.emplace_back(std::move(joint));
}

}  // namespace catena::test
