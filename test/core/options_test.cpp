// Property: options under which `free` would mean less than it says are refused by name.
#include <limits>

#include <gtest/gtest.h>

#include "catena/model/robot_builder.hpp"
#include "catena/query/continuous.hpp"

namespace catena {
namespace {

TEST(QueryOptions, RefuseWhatMakesNoSense) {
  RobotDescription d;
  d.name = "ball";
  d.links.push_back({"ball", {{Geometry::make(Sphere{0.1}), RigidEnclosure::identity()}}});
  const auto robot = RobotBuilder::build(d);
  const CollisionWorld world(robot, nullptr);
  Workspace workspace(world);
  const Eigen::VectorXd q(0);
  const Motion motion(*robot, q);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_refusal = [&](double QueryOptions::*member, const char* name, double value) {
    QueryOptions options;
    options.*member = value;
    for (const bool edge : {false, true}) {
      try {
        if (edge) {
          check_motion(world, motion, options, workspace);
        } else {
          check_state(world, q, options, workspace);
        }
        ADD_FAILURE() << name << " = " << value << " was taken";
      } catch (const std::invalid_argument& e) {
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
      }
    }
  };
  for (const double bad : {-1e-9, nan, kInfinity}) {
    expect_refusal(&QueryOptions::clearance, "clearance", bad);
    expect_refusal(&QueryOptions::tolerance, "tolerance", bad);
    expect_refusal(&QueryOptions::distance_width, "distance_width", bad);
  }
  expect_refusal(&QueryOptions::distance_width, "distance_width", 0.0);
  EXPECT_EQ(check_state(world, q, {}, workspace).verdict, Verdict::kFree);
}

}  // namespace
}  // namespace catena
