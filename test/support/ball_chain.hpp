#pragma once

#include <memory>
#include <span>
#include <string>

#include "catena/model/robot_builder.hpp"

namespace catena::test {

/// A chain along x of links of 0.5 m, a ball of the given radius (metres) in the middle of each;
/// the joints turn about z and y by turns, without limits.
inline std::shared_ptr<const Robot> ball_chain(std::span<const double> radii) {
  RobotDescription d;
  d.name = "chain";
  for (std::size_t i = 0; i < radii.size(); ++i) {
    LinkDescription link{"link_" + std::to_string(i), {}};
    link.collision.push_back(
        {Geometry::make(Sphere{radii[i]}), RigidEnclosure::translation({0.25, 0, 0})});
    d.links.push_back(link);
    if (i == 0) continue;
    JointDescription joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = JointType::kContinuous;
    joint.parent = "link_" + std::to_string(i - 1);
    joint.child = link.name;
    joint.origin = RigidEnclosure::translation({0.5, 0, 0});
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
    d.joints.push_back(joint);
  }
  return RobotBuilder::build(d);
}

}  // namespace catena::test
