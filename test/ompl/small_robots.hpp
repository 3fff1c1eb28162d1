#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/model/robot_builder.hpp"
#include "catena/model/scene.hpp"

// Robots and scenes small enough for closed answers, made in code.
namespace catena::test {

inline PlacedGeometry placed(const Primitive& shape, const Vector3d& p = Vector3d::Zero()) {
  return {Geometry::make(shape), RigidEnclosure::translation(p)};
}

inline LinkDescription link(std::string name, std::vector<PlacedGeometry> collision = {}) {
  return {std::move(name), std::move(collision)};
}

inline JointDescription joint(std::string name, JointType type, std::string parent,
                              std::string child, const Vector3d& axis = Vector3d::UnitZ(),
                              double lower = -kInfinity, double upper = kInfinity,
                              const Vector3d& origin = Vector3d::Zero()) {
  JointDescription result;
  result.name = std::move(name);
  result.type = type;
  result.parent = std::move(parent);
  result.child = std::move(child);
  result.origin = RigidEnclosure::translation(origin);
  result.axis = axis;
  result.lower = lower;
  result.upper = upper;
  return result;
}

/// One arm of 1 m that swings about z in [-3, 3]: case c04.
inline std::shared_ptr<const Robot> swinging_arm() {
  RobotDescription d;
  d.name = "arm1";
  d.links = {link("base"), link("arm", {placed(Box{{1.0, 0.04, 0.04}}, {0.5, 0.0, 0.0})})};
  d.joints = {joint("swing", JointType::kRevolute, "base", "arm", Vector3d::UnitZ(), -3.0, 3.0)};
  d.groups = {{"arm", {"swing"}, {}, {}, {}}};
  d.group_states[{"arm", "low"}] = {{"swing", {-1.2}}};
  d.group_states[{"arm", "high"}] = {{"swing", {1.2}}};
  return RobotBuilder::build(d);
}

/// Balls of radius 0.05 at 0.8 m from the axis, at angles -0.5 and 0.6: case c04.
inline std::shared_ptr<const Scene> two_posts() {
  auto scene = std::make_shared<Scene>();
  for (const double angle : {-0.5, 0.6}) {
    const Vector3d p(0.8 * std::cos(angle), 0.8 * std::sin(angle), 0.0);
    scene->objects.push_back({angle < 0.0 ? "post_a" : "post_b", {placed(Sphere{0.05}, p)}});
  }
  return scene;
}

/// A ball of radius 0.1 that slides along x in [-10, 10].
inline std::shared_ptr<const Robot> sliding_ball() {
  RobotDescription d;
  d.name = "slider";
  d.links = {link("rail"), link("ball", {placed(Sphere{0.1})})};
  d.joints = {joint("slide", JointType::kPrismatic, "rail", "ball", Vector3d::UnitX(), -10, 10)};
  return RobotBuilder::build(d);
}

/// A ball of radius 0.25 at x = 3.
inline std::shared_ptr<const Scene> one_ball() {
  auto scene = std::make_shared<Scene>();
  scene->objects.push_back({"ball_3", {placed(Sphere{0.25}, {3.0, 0.0, 0.0})}});
  return scene;
}

/// A planar chain of n links of 0.3 m, each turning in [-2, 2], capsules of radius 0.03.
inline std::shared_ptr<const Robot> planar_snake(int n) {
  RobotDescription d;
  d.name = "snake";
  d.links = {link("base")};
  for (int i = 1; i <= n; ++i) {
    const std::string name = "link_" + std::to_string(i);
    // A box, as a capsule along x would need a turned frame.
    d.links.push_back(link(name, {placed(Box{{0.26, 0.05, 0.05}}, {0.15, 0.0, 0.0})}));
    d.joints.push_back(joint("joint_" + std::to_string(i), JointType::kRevolute,
                             i == 1 ? "base" : "link_" + std::to_string(i - 1), name,
                             Vector3d::UnitZ(), -2.0, 2.0,
                             i == 1 ? Vector3d::Zero() : Vector3d(0.3, 0.0, 0.0)));
  }
  return RobotBuilder::build(d);
}

/// Balls of radius 0.05 that a snake at the origin must go around.
inline std::shared_ptr<const Scene> some_posts() {
  auto scene = std::make_shared<Scene>();
  int number = 0;
  for (const Vector3d& p :
       {Vector3d(0.5, 0.35, 0.0), Vector3d(0.75, -0.3, 0.0), Vector3d(0.9, 0.15, 0.0)}) {
    scene->objects.push_back({"post_" + std::to_string(number++), {placed(Sphere{0.05}, p)}});
  }
  return scene;
}

/// Every joint type in one tree, without geometry: limited, continuous, prismatic, planar, floating
/// and ball joints, a mimic of the first, and a gripper outside the group "all".
inline std::shared_ptr<const Robot> joint_zoo() {
  RobotDescription d;
  d.name = "zoo";
  d.links = {link("root"),  link("drone"), link("cart"),   link("turret"), link("slide"),
             link("elbow"), link("wrist"), link("follow"), link("finger")};
  d.joints = {
      joint("fly", JointType::kFloating, "root", "drone"),
      joint("drive", JointType::kPlanar, "drone", "cart", Vector3d(0.0, 1.0, 2.0)),
      joint("pan", JointType::kContinuous, "cart", "turret", Vector3d(1.0, 0.0, 1.0)),
      joint("lift", JointType::kPrismatic, "turret", "slide", Vector3d::UnitY(), -0.5, 0.7),
      joint("bend", JointType::kRevolute, "slide", "elbow", Vector3d::UnitX(), -1.0, 2.0),
      joint("roll", JointType::kBall, "elbow", "wrist"),
      joint("echo", JointType::kRevolute, "slide", "follow", Vector3d::UnitX(), -9.0, 9.0),
      joint("grip", JointType::kPrismatic, "wrist", "finger", Vector3d::UnitX(), 0.0, 0.04)};
  d.joints[6].mimic = MimicDescription{"bend", -0.5, 0.1};
  d.groups = {{"all", {"fly", "drive", "pan", "lift", "bend", "roll"}, {}, {}, {}}};
  return RobotBuilder::build(d);
}

}  // namespace catena::test
