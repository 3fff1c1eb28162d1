#include "soundness/engine_bridge.hpp"

#include <stdexcept>

namespace catena::oracle {
namespace {

Vector3d vector(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

RigidEnclosure enclosure(const PoseSpec& pose) {
  return RigidEnclosure::from_rpy(vector(pose.xyz), vector(pose.rpy));
}

JointType type_of(JointKind kind) {
  switch (kind) {
    case JointKind::kFixed:
      return JointType::kFixed;
    case JointKind::kRevolute:
      return JointType::kRevolute;
    case JointKind::kContinuous:
      return JointType::kContinuous;
    case JointKind::kPrismatic:
      return JointType::kPrismatic;
    case JointKind::kPlanar:
      return JointType::kPlanar;
    case JointKind::kFloating:
      return JointType::kFloating;
    case JointKind::kBall:
      return JointType::kBall;
  }
  throw std::logic_error("unknown joint kind");
}

}  // namespace

std::shared_ptr<const Geometry> make_geometry(const ShapeSpec& shape) {
  const double a = shape.size[0], b = shape.size[1];
  switch (shape.kind) {
    case ShapeSpec::Kind::kSphere:
      return Geometry::make(Sphere{a});
    case ShapeSpec::Kind::kCapsule:
      return Geometry::make(Capsule{a, b});
    case ShapeSpec::Kind::kBox:
      return Geometry::make(Box{vector(shape.size)});
    case ShapeSpec::Kind::kCylinder:
      return Geometry::make(Cylinder{a, b});
    case ShapeSpec::Kind::kCone:
      return Geometry::make(Cone{a, b});
    case ShapeSpec::Kind::kHalfSpace:
      return Geometry::make(HalfSpace{vector(shape.size), shape.offset});
    case ShapeSpec::Kind::kMesh: {
      TriangleMesh mesh;
      for (const auto& v : shape.vertices) mesh.vertices.push_back(vector(v));
      mesh.triangles = shape.triangles;
      auto geometry = Geometry::make_mesh(std::move(mesh));
      if (geometry->is_solid() != shape.solid)
        throw std::logic_error("a mesh is not judged closed or open as its description says");
      return geometry;
    }
  }
  throw std::logic_error("unknown shape kind");
}

PlacedGeometry make_placed(const PlacedSpec& placed) {
  return {make_geometry(placed.shape), enclosure(placed.pose)};
}

RobotDescription describe(const RobotSpec& robot) {
  RobotDescription d;
  d.name = robot.name;
  for (const LinkSpec& link : robot.links) {
    LinkDescription l;
    l.name = link.name;
    for (const PlacedSpec& p : link.collision) l.collision.push_back(make_placed(p));
    d.links.push_back(std::move(l));
  }
  for (const JointSpec& joint : robot.joints) {
    JointDescription j;
    j.name = joint.name;
    j.type = type_of(joint.kind);
    j.parent = joint.parent;
    j.child = joint.child;
    j.origin = enclosure(joint.origin);
    j.axis = vector(joint.axis);
    j.lower = joint.lower;
    j.upper = joint.upper;
    if (!joint.mimic.empty())
      j.mimic = MimicDescription{joint.mimic, joint.multiplier, joint.offset};
    d.joints.push_back(std::move(j));
  }
  for (const auto& [a, b] : robot.disabled) d.disabled_pairs.push_back({a, b, "Never"});
  return d;
}

std::shared_ptr<const Robot> make_robot(const RobotSpec& robot) {
  return RobotBuilder::build(describe(robot));
}

std::shared_ptr<const Scene> make_scene(const SceneSpec& scene) {
  auto out = std::make_shared<Scene>();
  const auto make_object = [](const SceneSpec::Object& object) {
    SceneObject o;
    o.name = object.name;
    for (const PlacedSpec& p : object.geometries) o.geometries.push_back(make_placed(p));
    return o;
  };
  for (const auto& object : scene.objects) out->objects.push_back(make_object(object));
  for (const auto& a : scene.attached) out->attached.push_back({make_object(a.object), a.link, {}});
  for (const auto& [a, b] : scene.allowed) out->allowed.allow(a, b);
  return out;
}

Eigen::VectorXd positions(const Robot& robot, const RobotSpec& spec,
                          const std::vector<double>& values) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(robot.num_positions());
  size_t next = 0;
  for (const JointSpec& joint : spec.joints) {
    if (!joint.mimic.empty() || joint.kind == JointKind::kFixed) continue;
    const LinkIndex link = robot.find_joint(joint.name);
    if (!link.valid()) throw std::logic_error("the robot has no joint " + joint.name);
    const int n = num_values(joint.kind);
    for (int k = 0; k < n; ++k) q[robot.joint(link).q_index + k] = values[next++];
  }
  return q;
}

Motion make_motion(const Robot& robot, const RobotSpec& spec, const SplineSpec& spline) {
  const auto some = [&](const std::vector<double>& values) {
    return values.empty() ? Eigen::VectorXd() : positions(robot, spec, values);
  };
  return Motion(robot, {some(spline.q0), some(spline.v0), some(spline.a0)},
                {some(spline.q1), some(spline.v1), some(spline.a1)}, spline.duration);
}

std::vector<double> values(const Robot& robot, const RobotSpec& spec, const Eigen::VectorXd& q) {
  std::vector<double> out;
  for (const JointSpec& joint : spec.joints) {
    if (!joint.mimic.empty() || joint.kind == JointKind::kFixed) continue;
    const int first = robot.joint(robot.find_joint(joint.name)).q_index;
    for (int k = 0; k < num_values(joint.kind); ++k) out.push_back(q[first + k]);
  }
  return out;
}

}  // namespace catena::oracle
