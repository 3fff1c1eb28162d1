#include "catena/ompl/state_space.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/spaces/DubinsStateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>

#include "catena/model/motion.hpp"
#include "catena/ompl/joint_spaces.hpp"
#include "catena/ompl/projections.hpp"
#include "ompl/small_robots.hpp"

namespace {

namespace ob = ::ompl::base;
using catena::Motion;
using catena::RigidEnclosure;
using catena::Robot;
using catena::ompl::StateSpace;
using Eigen::VectorXd;

constexpr double kPi = std::numbers::pi;

std::shared_ptr<StateSpace> zoo_space() {
  auto space = std::make_shared<StateSpace>(catena::test::joint_zoo(), "all");
  space->set_bounds("fly", {-1.0, -2.0, -3.0}, {1.0, 2.0, 3.0});
  space->set_bounds("drive", -5.0, 5.0);
  return space;
}

VectorXd random_values(const ob::StateSpacePtr& space) {
  ob::ScopedState<> state(space);
  state.random();
  return std::static_pointer_cast<StateSpace>(space)->values(state.get());
}

/// Largest difference of any link's pose.
double pose_difference(const Robot& robot, const Motion& a, double t, const Motion& b, double u) {
  std::vector<RigidEnclosure> X_a(static_cast<size_t>(robot.num_links()));
  std::vector<RigidEnclosure> X_b(X_a.size());
  a.poses(robot, t, X_a);
  b.poses(robot, u, X_b);
  double worst = 0.0;
  for (size_t i = 0; i < X_a.size(); ++i) {
    worst = std::max({worst, (X_a[i].X.R - X_b[i].X.R).cwiseAbs().maxCoeff(),
                      (X_a[i].X.p - X_b[i].X.p).cwiseAbs().maxCoeff()});
  }
  return worst;
}

template <class Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(StateSpace, HasOneSubspaceForEachKindOfMotionInTheOrderOfTheJoints) {
  const auto space = zoo_space();
  EXPECT_EQ(space->joint_names(),
            (std::vector<std::string>{"fly", "drive", "pan", "lift", "bend", "roll"}));
  EXPECT_EQ(space->num_values(), 7 + 3 + 1 + 1 + 1 + 4);  // no value for the mimic joint
  ASSERT_EQ(space->getSubspaceCount(), 5U);
  EXPECT_EQ(space->getSubspace(0)->getName(), "fly");
  EXPECT_EQ(space->getSubspace(3)->getName(), "lift...bend");  // a run of straight joints
  EXPECT_EQ(space->getDimension(), 6U + 3U + 1U + 2U + 3U);
  EXPECT_EQ(space->getSubspace(2)->getType(), ob::STATE_SPACE_SO2);
}

TEST(StateSpace, PassesTheSanityChecksOfOmpl) {
  const auto space = zoo_space();
  space->setup();
  EXPECT_NO_THROW(space->sanityChecks());
  const auto snake = std::make_shared<StateSpace>(catena::test::planar_snake(12));
  snake->setup();
  EXPECT_NO_THROW(snake->sanityChecks());
}

TEST(StateSpaceProperty, ValuesAndPositionsRoundTripThroughAState) {
  const auto space = zoo_space();
  space->setup();
  ob::ScopedState<> state(space), copy(space);
  for (int trial = 0; trial < 200; ++trial) {
    state.random();
    const VectorXd values = space->values(state.get());
    space->set_values(copy.get(), values);
    ASSERT_TRUE(space->equalStates(state.get(), copy.get())) << values.transpose();
    // OMPL's own list of values is the same, joint by joint.
    const std::vector<double> reals = state.reals();
    ASSERT_EQ(static_cast<int>(reals.size()), values.size());
    for (int i = 0; i < values.size(); ++i) ASSERT_EQ(reals[static_cast<size_t>(i)], values[i]);
    // Position vectors hold them where the robot's joints are, and the rest elsewhere.
    const VectorXd q = space->positions(state.get());
    const Robot& robot = space->robot();
    ASSERT_EQ(q[robot.joint(robot.find_joint("lift")).q_index], values[11]);
    ASSERT_EQ(q[robot.joint(robot.find_joint("grip")).q_index], 0.0);
  }
}

TEST(StateSpaceProperty, InterpolatesExactlyAsTheMotionThatIsCertified) {
  const auto space = zoo_space();
  space->setup();
  const Robot& robot = space->robot();
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ob::ScopedState<> a(space), b(space), c(space);
  for (int trial = 0; trial < 300; ++trial) {
    const VectorXd start = random_values(space);
    VectorXd goal = random_values(space);
    if (trial % 3 == 1) goal = start + 1e-7 * (goal - start);  // tiny motions, tiny turns
    if (trial % 3 == 2) {                                      // nearly half a turn
      goal.segment<4>(3) << start[6], -start[5], start[4], -start[3];
      goal[10] = start[10] + (start[10] > 0.0 ? -kPi : kPi) * (1.0 + 1e-13 * (unit(rng) - 0.5));
    }
    space->set_values(a.get(), start);
    space->set_values(b.get(), goal);
    const Motion motion(robot, space->positions(a.get()), space->positions(b.get()));
    for (const double t : {0.0, unit(rng), 0.5, unit(rng), 1.0}) {
      space->interpolate(a.get(), b.get(), t, c.get());
      const Motion stays(robot, space->positions(c.get()));
      ASSERT_LT(pose_difference(robot, motion, t, stays, 0.0), 1e-13)
          << "trial " << trial << " t " << t << "\nfrom " << start.transpose() << "\nto "
          << goal.transpose();
    }
  }
}

TEST(StateSpace, InterpolatesIntoEitherOfItsEnds) {
  const auto space = zoo_space();
  space->setup();
  ob::ScopedState<> a(space), b(space), c(space);
  for (int trial = 0; trial < 20; ++trial) {
    a.random();
    b.random();
    space->interpolate(a.get(), b.get(), 0.3, c.get());
    ob::ScopedState<> a_copy(a), b_copy(b);
    space->interpolate(a_copy.get(), b.get(), 0.3, a_copy.get());
    space->interpolate(a.get(), b_copy.get(), 0.3, b_copy.get());
    ASSERT_EQ(a_copy.reals(), c.reals());
    ASSERT_EQ(b_copy.reals(), c.reals());
  }
}

TEST(RotationStateSpace, MovesAlsoAtAnglesWhereOmplStandsStill) {
  catena::ompl::RotationStateSpace space;
  ob::SO3StateSpace ompls;
  using Quaternion = ob::SO3StateSpace::StateType;
  Quaternion a, b, c;
  for (const double angle : {1e-12, 1e-9, 1e-6, 5e-5, 1e-3}) {
    a.setAxisAngle(1.0, 2.0, 3.0, 0.4);
    b.setAxisAngle(1.0, 2.0, 3.0, 0.4 + angle);
    space.interpolate(&a, &b, 0.25, &c);
    // Distance is half the angle between the rotations, as in OMPL.
    EXPECT_NEAR(space.distance(&a, &c), 0.125 * angle, 1e-15 + 1e-6 * angle) << angle;
    EXPECT_NEAR(space.distance(&a, &b), 0.5 * angle, 1e-15 + 1e-6 * angle) << angle;
    if (angle < 5e-5) {
      ompls.interpolate(&a, &b, 0.25, &c);
      EXPECT_EQ(ompls.distance(&a, &c), 0.0) << "OMPL no longer stands still: is the class needed?";
    }
  }
}

TEST(AngleStateSpace, AcceptsPiWhichInterpolationCanGive) {
  catena::ompl::AngleStateSpace space;
  ob::SO2StateSpace::StateType a;
  a.value = kPi;
  EXPECT_TRUE(space.satisfiesBounds(&a));
  a.value = std::nan("");
  EXPECT_FALSE(space.satisfiesBounds(&a));
  a.value = 4.0;
  EXPECT_FALSE(space.satisfiesBounds(&a));
  space.enforceBounds(&a);
  EXPECT_NEAR(a.value, 4.0 - 2.0 * kPi, 1e-15);
}

TEST(StateSpace, ReducesAnglesAndClampsWhatRoundingPutOutsideTheLimits) {
  const auto space = zoo_space();
  ob::ScopedState<> state(space);
  VectorXd values = VectorXd::Zero(space->num_values());
  values[6] = values[16] = 1.0;
  values[10] = 7.0;
  values[11] = 0.7 + 5e-10;
  space->set_values(state.get(), values);
  const VectorXd read = space->values(state.get());
  EXPECT_NEAR(read[10], 7.0 - 2.0 * kPi, 1e-15);
  EXPECT_EQ(read[11], 0.7);
  values[11] = 0.7 + 1e-6;
  EXPECT_NE(error_of([&] { space->set_values(state.get(), values); }).find("\"lift\""),
            std::string::npos);
  values[11] = std::nan("");
  EXPECT_NE(error_of([&] { space->set_values(state.get(), values); }).find("\"lift\""),
            std::string::npos);
  EXPECT_NE(error_of([&] { space->set_values(state.get(), VectorXd::Zero(3)); }), "(no error)");
}

TEST(StateSpace, AsksForBoundsWhereAJointHasNone) {
  const auto space = std::make_shared<StateSpace>(catena::test::joint_zoo(), "all");
  const std::string expected =
      "state space \"all\": joint \"fly\" has no bounds to sample in; call set_bounds(\"fly\", "
      "low, "
      "high)";
  EXPECT_EQ(error_of([&] { space->setup(); }), expected);
  EXPECT_EQ(error_of([&] { space->allocStateSampler(); }), expected);
  EXPECT_NE(error_of([&] { space->set_bounds("pan", -1.0, 1.0); }).find("all the way round"),
            std::string::npos);
  EXPECT_NE(error_of([&] { space->set_bounds("lift", -1.0, 1.0); }).find("own limits"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              space->set_bounds("drive", {0.0, 0.0, 0.0}, {1.0});
            }).find("3 numbers"),
            std::string::npos);
  EXPECT_NE(error_of([&] { space->set_bounds("drive", 2.0, 1.0); }).find("no range"),
            std::string::npos);
  EXPECT_NE(error_of([&] { space->set_bounds("grip", 0.0, 0.01); }).find("no such joint"),
            std::string::npos);
}

TEST(StateSpace, AllowsLimitsThatCoincide) {
  catena::RobotDescription d;
  d.name = "stuck";
  d.links = {catena::test::link("a"), catena::test::link("b")};
  d.joints = {catena::test::joint("locked", catena::JointType::kRevolute, "a", "b",
                                  Eigen::Vector3d::UnitZ(), 0.5, 0.5)};
  const auto space = std::make_shared<StateSpace>(catena::RobotBuilder::build(d));
  EXPECT_NO_THROW(space->setup());
  EXPECT_EQ(random_values(space)[0], 0.5);
}

TEST(StateSpace, JointsOutsideTheGroupStandWhereTheyAreSaidTo) {
  const auto robot = catena::test::joint_zoo();
  const int grip = robot->joint(robot->find_joint("grip")).q_index;
  catena::Scene scene;
  scene.robot_state["grip"] = {0.5};   // beyond its limit of 0.04
  scene.robot_state["echo"] = {-3.0};  // a mimic joint has no value of its own
  EXPECT_EQ(catena::ompl::resting_positions(*robot, &scene)[grip], 0.04);
  EXPECT_EQ(catena::ompl::resting_positions(*robot, &scene, {{"grip", {0.02}}})[grip], 0.02);
  EXPECT_NE(error_of([&] {
              catena::ompl::resting_positions(*robot, nullptr, {{"grap", {0.0}}});
            }),
            "(no error)");
  EXPECT_NE(error_of([&] {
              catena::ompl::resting_positions(*robot, nullptr, {{"grip", {1.0}}});
            }),
            "(no error)");
  const StateSpace space(robot, "all", catena::ompl::resting_positions(*robot, &scene));
  ob::State* state = space.allocState();
  VectorXd values = VectorXd::Zero(space.num_values());
  values[6] = values[16] = 1.0;
  space.set_values(state, values);
  EXPECT_EQ(space.positions(state)[grip], 0.04);
  space.freeState(state);
}

// Property: the "tip" projection is where the engine says that the tip's point is.
TEST(ProjectionProperty, TipIsWhereTheMotionPutsIt) {
  for (const bool zoo : {true, false}) {
    const auto space =
        zoo ? zoo_space() : std::make_shared<StateSpace>(catena::test::planar_snake(5));
    space->setup();
    for (const char* name : {"tip", "joints", "linear"}) EXPECT_TRUE(space->hasProjection(name));
    const auto tip =
        std::dynamic_pointer_cast<catena::ompl::TipProjection>(space->getDefaultProjection());
    ASSERT_TRUE(tip);
    ob::ScopedState<> state(space);
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(space->robot().num_links()));
    for (int trial = 0; trial < 50; ++trial) {
      state.random();
      Eigen::VectorXd projected(3);
      tip->project(state.get(), projected);
      Motion(space->robot(), space->positions(state.get())).poses(space->robot(), 0.0, X_WL);
      const auto& X_WT = X_WL[static_cast<size_t>(tip->tip().value)].X;
      ASSERT_LT((projected - X_WT * tip->point_L()).norm(), 1e-12);
    }
  }
}

TEST(StateMapping, AcceptsAnotherSpaceOnlyIfItMovesEveryJointAsTheRobotDoes) {
  const auto snake = catena::test::planar_snake(3);
  const auto map = [](const ob::StateSpacePtr& space, const std::shared_ptr<const Robot>& robot) {
    return error_of([&] { catena::ompl::mapping_of(space, robot); });
  };
  EXPECT_EQ(map(std::make_shared<ob::RealVectorStateSpace>(3), snake), "(no error)");
  EXPECT_NE(map(std::make_shared<ob::RealVectorStateSpace>(2), snake).find("holds 2"),
            std::string::npos);
  EXPECT_NE(map(std::make_shared<ob::RealVectorStateSpace>(4), snake).find("holds 4"),
            std::string::npos);
  const auto angles = std::make_shared<ob::CompoundStateSpace>();
  for (int i = 0; i < 3; ++i) angles->addSubspace(std::make_shared<ob::SO2StateSpace>(), 1.0);
  EXPECT_NE(map(angles, snake).find("joint \"joint_1\""), std::string::npos);
  EXPECT_NE(map(std::make_shared<ob::SE3StateSpace>(), snake).find("RotationStateSpace"),
            std::string::npos);
  EXPECT_NE(map(std::make_shared<ob::DubinsStateSpace>(), snake).find("is not known"),
            std::string::npos);
  // A space of ours belongs to its robot.
  const auto own = std::make_shared<StateSpace>(snake);
  EXPECT_EQ(map(own, snake), "(no error)");
  EXPECT_NE(map(own, catena::test::planar_snake(3)).find("another robot"), std::string::npos);
}

}  // namespace
