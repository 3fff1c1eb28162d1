// Planners that ask all kinds of questions, on a small problem: what they return is proven free.

#include <gtest/gtest.h>
#include <ompl/base/objectives/PathLengthOptimizationObjective.h>
#include <ompl/geometric/planners/est/EST.h>
#include <ompl/geometric/planners/est/ProjEST.h>
#include <ompl/geometric/planners/fmt/FMT.h>
#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/kpiece/KPIECE1.h>
#include <ompl/geometric/planners/kpiece/LBKPIECE1.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/rrt/InformedRRTstar.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/geometric/planners/sbl/SBL.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/ompl/setup.hpp"
#include "ompl/small_robots.hpp"

namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

template <class Planner>
class PlansSafely : public ::testing::Test {};

using Planners = ::testing::Types<og::RRTConnect, og::PRM, og::KPIECE1, og::LBKPIECE1, og::EST,
                                  og::ProjEST, og::SBL>;
TYPED_TEST_SUITE(PlansSafely, Planners);

TYPED_TEST(PlansSafely, WithEveryEdgeProven) {
  ::ompl::msg::setLogLevel(::ompl::msg::LOG_WARN);
  catena::ompl::Setup setup(catena::test::planar_snake(4), catena::test::some_posts(), {});
  setup.setStartAndGoalStates({1.2, 0.3, 0.3, 0.3}, {-1.2, -0.3, -0.3, -0.3});
  setup.setPlanner(std::make_shared<TypeParam>(setup.getSpaceInformation()));
  // Long enough for a sanitizer build; the problem takes well under a second otherwise.
  ASSERT_EQ(setup.solve(120.0), ob::PlannerStatus::EXACT_SOLUTION);
  setup.simplifySolution(1.0);
  const auto results = setup.certify(setup.getSolutionPath());
  ASSERT_GE(results.size(), 1U);
  for (const catena::MotionResult& result : results) {
    EXPECT_EQ(result.verdict, catena::Verdict::kFree);
    EXPECT_EQ(result.free_until, 1.0);
  }
  EXPECT_GT(setup.statistics().motions, 0U);
}

// OMPL's own sampler of the region where a path could be shorter throws for a robot's space.
template <class Planner>
class PlansInformed : public ::testing::Test {};
using InformedPlanners = ::testing::Types<og::BITstar, og::InformedRRTstar>;
TYPED_TEST_SUITE(PlansInformed, InformedPlanners);

TYPED_TEST(PlansInformed, AndThenWithoutAnObjectiveAgain) {
  ::ompl::msg::setLogLevel(::ompl::msg::LOG_ERROR);
  catena::ompl::Setup setup(catena::test::planar_snake(4), catena::test::some_posts(), {});
  setup.setStartAndGoalStates({1.2, 0.3, 0.3, 0.3}, {-1.2, -0.3, -0.3, -0.3});
  // FMT leaves an objective of its own in the problem.
  setup.setPlanner(std::make_shared<og::FMT>(setup.getSpaceInformation()));
  setup.setup();
  setup.setPlanner(std::make_shared<TypeParam>(setup.getSpaceInformation()));
  // These planners go on as long as there is time; the first path will do.
  bool one = false;
  setup.getProblemDefinition()->setIntermediateSolutionCallback(
      [&](const ob::Planner*, const std::vector<const ob::State*>&, const ob::Cost) {
        one = true;
      });
  const ob::PlannerTerminationCondition found([&] { return one; });
  const auto patience = ob::timedPlannerTerminationCondition(300.0);
  ASSERT_EQ(setup.solve(ob::plannerOrTerminationCondition(found, patience)),
            ob::PlannerStatus::EXACT_SOLUTION);
  for (const catena::MotionResult& result : setup.certify(setup.getSolutionPath()))
    EXPECT_EQ(result.verdict, catena::Verdict::kFree);
  // A planner that stops at the first path must not be told to look for the shortest.
  setup.clear();
  setup.setPlanner(std::make_shared<og::PRM>(setup.getSpaceInformation()));
  EXPECT_EQ(setup.solve(patience), ob::PlannerStatus::EXACT_SOLUTION);
  EXPECT_FALSE(patience.eval());
  // An objective of the caller's stays.
  const auto mine =
      std::make_shared<ob::PathLengthOptimizationObjective>(setup.getSpaceInformation());
  setup.setOptimizationObjective(mine);
  setup.choose_objective("BITstar");
  EXPECT_EQ(setup.getProblemDefinition()->getOptimizationObjective(), mine);
}

TEST(Certify, ReplacesTheCheckersOfAProgramsOwnSetup) {
  auto space = std::make_shared<ob::RealVectorStateSpace>(1);
  space->setBounds(-3.0, 3.0);
  og::SimpleSetup setup(space);
  catena::ompl::certify(setup, catena::test::swinging_arm(), catena::test::two_posts());
  setup.getSpaceInformation()->setup();
  ob::ScopedState<> a(space), b(space);
  a[0] = -1.2;
  b[0] = 1.2;
  EXPECT_FALSE(setup.getSpaceInformation()->checkMotion(a.get(), b.get()));
  EXPECT_TRUE(setup.getSpaceInformation()->isValid(a.get()));
  a[0] = -0.3;
  b[0] = 0.4;
  EXPECT_TRUE(setup.getSpaceInformation()->checkMotion(a.get(), b.get()));
}

TEST(Certify, AFloatingRobotPlansAroundABall) {
  ::ompl::msg::setLogLevel(::ompl::msg::LOG_WARN);
  catena::RobotDescription d;
  d.name = "drone";
  d.links = {catena::test::link("world"),
             catena::test::link("body", {catena::test::placed(catena::Box{{0.4, 0.1, 0.1}})})};
  d.joints = {catena::test::joint("fly", catena::JointType::kFloating, "world", "body")};
  catena::ompl::SetupOptions options;
  options.bounds["fly"] = {{-4.0, -1.0, -1.0}, {4.0, 1.0, 1.0}};
  auto scene = std::make_shared<catena::Scene>();
  scene->objects.push_back({"ball", {catena::test::placed(catena::Sphere{0.5})}});
  catena::ompl::Setup setup(catena::RobotBuilder::build(d), scene, options);
  setup.setStartAndGoalStates({-2, 0, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 0});
  setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
  ASSERT_EQ(setup.solve(120.0), ob::PlannerStatus::EXACT_SOLUTION);
  for (const catena::MotionResult& result : setup.certify(setup.getSolutionPath())) {
    EXPECT_EQ(result.verdict, catena::Verdict::kFree);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::ompl::RNG::setSeed(1);  // before the first sampler exists
  return RUN_ALL_TESTS();
}
