// Property: numbers that overflow, or are none, never make a pair count as apart.
#include <limits>

#include <gtest/gtest.h>

#include "catena/model/robot_builder.hpp"
#include "catena/query/continuous.hpp"

namespace catena {
namespace {

std::shared_ptr<const Robot> make_slider(std::vector<PlacedGeometry> geometries) {
  RobotDescription d;
  d.name = "slider";
  d.links.push_back({"base", {}});
  d.links.push_back({"body", std::move(geometries)});
  JointDescription j;
  j.name = "slide";
  j.type = JointType::kPrismatic;
  j.parent = "base";
  j.child = "body";
  j.lower = -1.0;
  j.upper = 1.0;
  d.joints.push_back(j);
  return RobotBuilder::build(d);
}

Verdict verdict_at_zero(const std::shared_ptr<const Robot>& robot, const Scene& scene) {
  const CollisionWorld world(robot, std::make_shared<const Scene>(scene));
  Workspace workspace(world);
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), there = Eigen::VectorXd::Constant(1, 0.1);
  QueryOptions measured;
  measured.distances = true;
  for (const QueryOptions& options : {QueryOptions{}, measured}) {
    EXPECT_NE(check_state(world, q, options, workspace).verdict, Verdict::kFree);
    EXPECT_NE(check_motion(world, Motion(*robot, q, there), options, workspace).verdict,
              Verdict::kFree);
  }
  return check_state(world, q, {}, workspace).verdict;
}

// A triangle through the origin that reaches ever farther, beside one that is far away.
TEST(Overflow, HugeTrianglesAreNeverLostOnTheWay) {
  const auto robot =
      make_slider({{Geometry::make(Box{Vector3d::Ones()}), RigidEnclosure::identity()}});
  for (const double size : {1e3, 1e20, 1e50, 1e60, 1e100, 1e154, 1e155, 1e200, 1e300}) {
    TriangleMesh mesh;
    mesh.vertices = {{-1, -1, 0}, {size, 0, 0}, {-1, 1, 0}, {5, 5, 5}, {6, 5, 5}, {5, 6, 5}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    if (size > kMaxLength) {
      EXPECT_THROW(Geometry::make_mesh(mesh), std::invalid_argument) << size;
      continue;
    }
    Scene scene;
    scene.objects.push_back({"mesh", {{Geometry::make_mesh(mesh), RigidEnclosure::identity()}}});
    const Verdict verdict = verdict_at_zero(robot, scene);
    EXPECT_NE(verdict, Verdict::kFree) << size;
    if (size <= 1e3) {
      EXPECT_EQ(verdict, Verdict::kCollision);
    }
  }
}

TEST(Overflow, PosesThatAreNoNumbersAreRefused) {
  const auto robot = make_slider({{Geometry::make(Sphere{0.1}), RigidEnclosure::identity()}});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, 1e60}) {
    Scene scene;
    scene.objects.push_back(
        {"floor", {{Geometry::make(HalfSpace{}), RigidEnclosure::translation({0, 0, bad})}}});
    EXPECT_THROW(CollisionWorld(robot, std::make_shared<const Scene>(scene)),
                 std::invalid_argument);
  }
}

// Padding and scale reach every kind of geometry, not primitives alone.
TEST(Padding, KeepsBallsAndBoxesWhereTheyAre) {
  using AxisAlignedBox = Geometry::AxisAlignedBox;
  const std::vector<std::shared_ptr<const Geometry>> kinds{
      Geometry::make_spheres({{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}}, 0.1),
      Geometry::make_boxes({AxisAlignedBox{{0, 0, 0}, {0.1, 0.1, 0.1}},
                            AxisAlignedBox{{1, 0, 0}, {0.1, 0.1, 0.1}}})};
  for (const auto& geometry : kinds) {
    const auto robot = make_slider({{geometry, RigidEnclosure::identity()}});
    Scene scene;
    scene.objects.push_back(
        {"post", {{Geometry::make(Sphere{0.1}), RigidEnclosure::translation({1, 0, 0.15})}}});
    scene.link_padding["body"] = 0.01;
    EXPECT_EQ(verdict_at_zero(robot, scene), Verdict::kCollision);
    scene.link_padding.clear();
    scene.link_scale["body"] = 1.01;
    EXPECT_EQ(verdict_at_zero(robot, scene), Verdict::kCollision);
  }
}

}  // namespace
}  // namespace catena
