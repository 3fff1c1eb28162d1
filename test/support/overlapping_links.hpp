#pragma once

#include <memory>
#include <string>

#include "catena/query/collision_world.hpp"
#include "support/append_link.hpp"

namespace catena::test {

/// A robot and links of it that overlap in every state, and may; and a joint among them, which may
/// turn by small angles.
struct OverlappingLinks {
  std::shared_ptr<const CollisionWorld> world;
  LinkIndex joint;
};

/// Appends `n` links to a robot's last one, `step` metres from each other and the first of them
/// half a metre from that one, with a ball each; the joints turn about z and y by turns.
inline void add_balls(RobotDescription& d, const std::string& name, int n, double radius,
                      double step) {
  for (int i = 0; i < n; ++i) {
    JointDescription& joint =
        append_link(d, name + std::to_string(i), {{Geometry::make(Sphere{radius}), {}}},
                    JointType::kContinuous);
    joint.origin = RigidEnclosure::translation({i == 0 ? 0.5 : step, 0, 0});
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
  }
}

/// A chain whose middle is m links within a tenth of a metre, all m x m pairs of them allowed; 12
/// links before them and 12 after.
inline OverlappingLinks knot(int m) {
  RobotDescription d;
  d.name = "knot";
  d.links.push_back({"base", {}});
  add_balls(d, "before", 12, 0.1, 0.5);
  add_balls(d, "knot", m, 0.2, 0.1 / m);
  add_balls(d, "after", 12, 0.1, 0.5);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) {
      d.disabled_pairs.push_back({"knot" + std::to_string(k), "knot" + std::to_string(i), "User"});
    }
  }
  const auto robot = RobotBuilder::build(d);
  return {std::make_shared<const CollisionWorld>(robot, nullptr),
          robot->find_joint("knot" + std::to_string(m / 2) + "_joint")};
}

/// A finger of m links in a glove of m rings, which is another robot; all m x m pairs of a link and
/// a ring are allowed, by the scene.
inline OverlappingLinks glove(int m) {
  RobotDescription finger, glove;
  finger.name = "glove";  // so both are called together
  finger.links.push_back({"palm", {}});
  add_balls(finger, "finger", m, 0.1, 0.5);
  glove.name = "glove";
  glove.links.push_back({"cuff", {}});
  add_balls(glove, "ring", m, 0.15, 0.5);
  const auto robot = RobotBuilder::combine(*RobotBuilder::build(finger),
                                           {{RobotBuilder::build(glove), "glove", {}}});
  Scene scene;
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < m; ++k) {
      scene.allowed.allow("finger" + std::to_string(i), "glove/ring" + std::to_string(k));
    }
  }
  return {std::make_shared<const CollisionWorld>(robot, std::make_shared<const Scene>(scene)),
          robot->find_joint("glove/ring" + std::to_string(m / 2) + "_joint")};
}

}  // namespace catena::test
