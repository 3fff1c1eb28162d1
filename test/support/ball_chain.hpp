#pragma once

#include <memory>
#include <span>
#include <string>

#include "support/append_link.hpp"

namespace catena::test {

/// A chain along x of links of 0.5 m, a ball of the given radius (metres) in the middle of each;
/// the joints turn about z and y by turns, without limits.
inline std::shared_ptr<const Robot> ball_chain(std::span<const double> radii) {
  RobotDescription d;
  d.name = "chain";
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const std::string name = "link_" + std::to_string(i);
    const PlacedGeometry ball{Geometry::make(Sphere{radii[i]}),
                              RigidEnclosure::translation({0.25, 0, 0})};
    if (i == 0) {
      d.links.push_back({name, {ball}});
      continue;
    }
    JointDescription& joint = append_link(d, name, {ball}, JointType::kContinuous);
    joint.origin = RigidEnclosure::translation({0.5, 0, 0});
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
  }
  return RobotBuilder::build(d);
}

}  // namespace catena::test
