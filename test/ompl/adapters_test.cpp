// The validity checker and the motion validator against the letter of OMPL's contract, on robots
// whose answers are closed formulas.

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>

#include "catena/ompl/setup.hpp"
#include "ompl/small_robots.hpp"

namespace {

namespace ob = ::ompl::base;
using catena::ompl::Setup;
using catena::ompl::SetupOptions;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A Setup and how to make its states.
struct Fixture {
  Fixture(std::shared_ptr<const catena::Robot> robot, std::shared_ptr<const catena::Scene> scene,
          const SetupOptions& options = {})
      : setup(std::move(robot), std::move(scene), options) {
    setup.getSpaceInformation()->setup();
  }
  /// Values as they are, whether they make sense or not.
  ob::ScopedState<> state(const std::vector<double>& values) const {
    ob::ScopedState<> result(setup.getStateSpace());
    result = values;
    return result;
  }
  const ob::MotionValidator& validator() const {
    return *setup.getSpaceInformation()->getMotionValidator();
  }
  const catena::ompl::StateValidityChecker& checker() const {
    return static_cast<const catena::ompl::StateValidityChecker&>(
        *setup.getSpaceInformation()->getStateValidityChecker());
  }
  Setup setup;
};

Fixture arm(const SetupOptions& options = {}) {
  return {catena::test::swinging_arm(), catena::test::two_posts(), options};
}

TEST(StateValidityChecker, ClearanceIsACertifiedLowerBoundOfTheDistance) {
  const Fixture f(catena::test::sliding_ball(), catena::test::one_ball());
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> anywhere(-10.0, 10.0);
  for (int trial = 0; trial < 200; ++trial) {
    const double x = anywhere(rng);
    // Exact to 1e-18, so that not even a rounding error of the bound would pass.
    const long double exact = std::abs(static_cast<long double>(x) - 3.0L) -
                              static_cast<long double>(0.1) - static_cast<long double>(0.25);
    const double gap = static_cast<double>(exact);
    auto state = f.state({x});
    ASSERT_EQ(f.checker().isValid(state.get()), gap > 0.0) << x;
    double distance = 99.0;
    ASSERT_EQ(f.checker().isValid(state.get(), distance), gap > 0.0) << x;
    ASSERT_EQ(distance, f.checker().clearance(state.get()));
    ASSERT_LE(static_cast<long double>(distance), exact) << x;
    if (gap > 0.0) {
      ASSERT_GE(distance, gap - 1.1e-5) << x;
    } else {
      ASSERT_LE(distance, 0.0) << x;
    }
  }
}

TEST(StateValidityChecker, SaysHonestlyWhatItCanDo) {
  const Fixture f(catena::test::sliding_ball(), catena::test::one_ball());
  EXPECT_EQ(f.checker().getSpecs().clearanceComputationType,
            ob::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE);
  EXPECT_FALSE(f.checker().getSpecs().hasValidDirectionComputation);
  bool available = true;
  auto state = f.state({1.0}), other = f.state({7.0});
  double distance = 0.0;
  EXPECT_TRUE(f.checker().isValid(state.get(), distance, other.get(), available));
  EXPECT_FALSE(available);
  EXPECT_EQ(other[0], 7.0);
  catena::Witness witness;
  EXPECT_NEAR(f.checker().clearance(state.get(), witness), 1.65, 2e-5);
  EXPECT_EQ(f.setup.world().body(witness.a).name, "ball");
  EXPECT_EQ(f.setup.world().body(witness.b).name, "ball_3");
}

TEST(StateValidityChecker, RefusesWhatIsNoConfigurationWithoutThrowing) {
  const Fixture f(catena::test::sliding_ball(), catena::test::one_ball());
  for (const double x : {kNan, double(INFINITY), -double(INFINITY), 1e300, 10.001, -11.0}) {
    auto state = f.state({x});
    EXPECT_FALSE(f.checker().isValid(state.get())) << x;
    double distance = 5.0;
    EXPECT_FALSE(f.checker().isValid(state.get(), distance)) << x;
    EXPECT_EQ(distance, 0.0) << x;
    EXPECT_EQ(f.checker().clearance(state.get()), 0.0) << x;
  }
  EXPECT_TRUE(f.checker().isValid(f.state({10.0}).get()));
  EXPECT_TRUE(f.checker().isValid(f.state({10.0 + 5e-10}).get()));  // clamped, as documented
}

TEST(StateValidityChecker, WithNothingAroundEverythingIsInfinitelyFar) {
  const Fixture f(catena::test::sliding_ball(), nullptr);
  EXPECT_TRUE(f.checker().isValid(f.state({3.0}).get()));
  EXPECT_EQ(f.checker().clearance(f.state({3.0}).get()), catena::kInfinity);
}

// A long robot's clearance follows from what has moved since the state before.
TEST(StateValidityChecker, MeasuresALongRobotAsAWholeWouldBe) {
  const auto robot = catena::test::planar_snake(80);
  const auto scene = catena::test::some_posts();
  const Fixture f(robot, scene);
  const catena::CollisionWorld world(robot, scene);
  catena::Workspace workspace(world);
  catena::QueryOptions measured;
  measured.distances = true;
  std::mt19937 rng(12);
  std::uniform_real_distribution<double> turn(-0.3, 0.3);
  std::vector<double> q(80, 0.0);
  int free = 0;
  for (int step = 0; step < 300; ++step) {
    const std::vector<double> before = q;
    q[rng() % 80] += turn(rng);
    const catena::StateResult whole =
        check_state(world, Eigen::Map<const Eigen::VectorXd>(q.data(), 80), measured, workspace);
    ASSERT_TRUE(whole.distance);
    catena::Witness witness;
    const double clearance = f.checker().clearance(f.state(q).get(), witness);
    EXPECT_LE(clearance, whole.distance->hi) << step;
    EXPECT_GE(clearance, whole.distance->lo - 1.1e-5) << step;
    if (whole.verdict == catena::Verdict::kFree) {
      EXPECT_NEAR((witness.point_a - witness.point_b).norm(), clearance, 2e-5) << step;
      ++free;
    } else {
      q = before;
    }
  }
  EXPECT_GT(free, 100);
}

TEST(StateValidityChecker, KeepsTheClearanceThatIsAskedFor) {
  SetupOptions options;
  options.clearance = 0.01;
  const Fixture f(catena::test::sliding_ball(), catena::test::one_ball(), options);
  EXPECT_FALSE(f.checker().isValid(f.state({3.0 - 0.359}).get()));
  EXPECT_TRUE(f.checker().isValid(f.state({3.0 - 0.361}).get()));
  // The distance stays that of the solids.
  EXPECT_NEAR(f.checker().clearance(f.state({3.0 - 0.361}).get()), 0.011, 1.1e-5);
}

struct ArmCase {
  double from, to;
  bool valid;
  double contact;  // first contact as a fraction; case c04's closed answers
};

// contact where 0.8 sin(d) = 0.05 + 0.02: d = asin(0.0875) before a ball.
const ArmCase kArmCases[] = {{-1.2, 1.2, false, (-0.5 - 0.08761211 + 1.2) / 2.4},
                             {1.2, -1.2, false, (1.2 - 0.6 - 0.08761211) / 2.4},
                             {-0.3, 0.4, true, 1.0}};

TEST(MotionValidator, LastValidIsTheContractOfOmplToTheLetter) {
  const Fixture f = arm();
  const auto& space = *f.setup.getStateSpace();
  for (const ArmCase& c : kArmCases) {
    auto from = f.state({c.from}), to = f.state({c.to}), expected = f.state({0.0});
    auto last = f.state({0.123});
    std::pair<ob::State*, double> last_valid(last.get(), -7.0);
    EXPECT_EQ(f.validator().checkMotion(from.get(), to.get()), c.valid);
    ASSERT_EQ(f.validator().checkMotion(from.get(), to.get(), last_valid), c.valid);
    if (c.valid) {  // untouched
      EXPECT_EQ(last_valid.first, last.get());
      EXPECT_EQ(last_valid.second, -7.0);
      EXPECT_EQ(last[0], 0.123);
      continue;
    }
    EXPECT_LE(last_valid.second, c.contact);
    EXPECT_GE(last_valid.second, c.contact - 1e-5);  // c04 asks for 0.01
    space.interpolate(from.get(), to.get(), last_valid.second, expected.get());
    EXPECT_EQ(last[0], expected[0]);
    EXPECT_TRUE(f.checker().isValid(last.get()));
  }
}

TEST(MotionValidator, LastValidMayBeNullOrOneOfTheEnds) {
  const Fixture f = arm();
  auto from = f.state({-1.2}), to = f.state({1.2}), last = f.state({0.0});
  std::pair<ob::State*, double> apart(last.get(), -7.0), none(nullptr, -7.0);
  ASSERT_FALSE(f.validator().checkMotion(from.get(), to.get(), apart));
  ASSERT_FALSE(f.validator().checkMotion(from.get(), to.get(), none));
  EXPECT_EQ(none.first, nullptr);
  EXPECT_EQ(none.second, apart.second);

  auto start = f.state({-1.2}), goal = f.state({1.2});
  std::pair<ob::State*, double> at_start(start.get(), -7.0), at_goal(goal.get(), -7.0);
  ASSERT_FALSE(f.validator().checkMotion(start.get(), to.get(), at_start));
  ASSERT_FALSE(f.validator().checkMotion(from.get(), goal.get(), at_goal));
  EXPECT_EQ(start[0], last[0]);
  EXPECT_EQ(goal[0], last[0]);
  EXPECT_EQ(at_start.second, apart.second);
  EXPECT_EQ(at_goal.second, apart.second);
}

TEST(MotionValidator, ChecksTheFirstStateTooAndThenGivesItBack) {
  const Fixture f = arm();
  const double inside = 0.6;  // within post_b
  for (const double goal : {0.0, -1.2, 0.61, 0.6}) {
    auto from = f.state({inside}), to = f.state({goal}), last = f.state({0.123});
    std::pair<ob::State*, double> last_valid(last.get(), -7.0);
    EXPECT_FALSE(f.validator().checkMotion(from.get(), to.get()));
    EXPECT_FALSE(f.validator().checkMotion(from.get(), to.get(), last_valid));
    EXPECT_EQ(last_valid.second, 0.0);
    EXPECT_EQ(last[0], inside);
    std::pair<ob::State*, double> aliased(to.get(), -7.0);
    EXPECT_FALSE(f.validator().checkMotion(from.get(), to.get(), aliased));
    EXPECT_EQ(to[0], inside);
  }
}

TEST(MotionValidator, RefusesEndsThatAreNoConfigurationWithoutThrowing) {
  const Fixture f = arm();
  for (const double bad : {kNan, double(INFINITY), -double(INFINITY), 3.1}) {
    auto good = f.state({-1.2}), wrong = f.state({bad}), last = f.state({0.123});
    std::pair<ob::State*, double> last_valid(last.get(), -7.0);
    EXPECT_FALSE(f.validator().checkMotion(good.get(), wrong.get()));
    EXPECT_FALSE(f.validator().checkMotion(wrong.get(), good.get()));
    EXPECT_FALSE(f.validator().checkMotion(good.get(), wrong.get(), last_valid));
    EXPECT_EQ(last_valid.second, 0.0);
    EXPECT_EQ(last[0], -1.2);
  }
}

TEST(MotionValidator, CountsEveryMotionOnce) {
  const Fixture f = arm();
  auto& validator = *f.setup.getSpaceInformation()->getMotionValidator();
  auto low = f.state({-1.2}), high = f.state({1.2}), a = f.state({-0.3}), b = f.state({0.4});
  std::pair<ob::State*, double> none(nullptr, 0.0);
  for (int i = 0; i < 3; ++i) validator.checkMotion(low.get(), high.get());
  for (int i = 0; i < 4; ++i) validator.checkMotion(low.get(), high.get(), none);
  for (int i = 0; i < 2; ++i) validator.checkMotion(a.get(), b.get());
  for (int i = 0; i < 5; ++i) validator.checkMotion(a.get(), b.get(), none);
  EXPECT_EQ(validator.getValidMotionCount(), 7U);
  EXPECT_EQ(validator.getInvalidMotionCount(), 7U);
  EXPECT_EQ(validator.getCheckedMotionCount(), 14U);
  EXPECT_EQ(validator.getValidMotionFraction(), 0.5);
  validator.resetMotionCounter();
  EXPECT_EQ(validator.getCheckedMotionCount(), 0U);
  EXPECT_EQ(f.setup.statistics().motions, 14U);
  EXPECT_GE(f.setup.statistics().intervals, 14U);
  EXPECT_GE(f.setup.statistics().compositions, 14U);
  EXPECT_EQ(f.setup.statistics().undecided_motions, 0U);
  EXPECT_GT(f.setup.statistics().seconds, 0.0);
}

TEST(MotionValidator, UndecidedIsNotFree) {
  // Rows of balls 0.02 beside the arm on either side, aslant, so that boxes do not tell them apart:
  // too many for a budget of one pair.
  const Eigen::Rotation2Dd aslant(0.3);
  std::vector<Eigen::Vector3d> rows;
  for (int i = 2; i <= 19; ++i) {
    const Eigen::Vector2d xy = aslant * Eigen::Vector2d(0.05 * i, i % 2 == 0 ? 0.06 : -0.06);
    rows.emplace_back(xy[0], xy[1], 0.0);
  }
  auto scene = std::make_shared<catena::Scene>();
  scene->objects.push_back({"rows", {{catena::Geometry::make_spheres(rows, 0.02), {}}}});
  SetupOptions options;
  for (const std::uint64_t budget : {1, 1000}) {
    options.budget = budget;
    const Fixture f(catena::test::swinging_arm(), scene, options);
    auto from = f.state({0.3}), to = f.state({0.301}), last = f.state({0.123});
    std::pair<ob::State*, double> last_valid(last.get(), -7.0);
    const bool enough = budget > 1;
    EXPECT_EQ(f.checker().isValid(from.get()), enough);
    EXPECT_EQ(f.validator().checkMotion(from.get(), to.get()), enough);
    EXPECT_EQ(f.validator().checkMotion(from.get(), to.get(), last_valid), enough);
    EXPECT_EQ(f.setup.statistics().undecided_motions, enough ? 0U : 2U);
    EXPECT_EQ(f.setup.statistics().undecided_states, enough ? 0U : 1U);
    if (!enough) {
      EXPECT_EQ(last_valid.second, 0.0);
      EXPECT_EQ(last[0], 0.3);
    }
  }
}

// Property: a long robot's states, one after another, few or all joints changed, are judged as each
// would be on its own. Oracle: a check of the whole state in a workspace that is new every time.
TEST(StateValidityChecker, RemembersNothingThatIsNotTrue) {
  const Fixture f(catena::test::planar_snake(100), catena::test::some_posts());
  const catena::CollisionWorld& world = f.setup.world();
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> small(-0.002, 0.002), some(-0.2, 0.2);
  std::vector<double> q(100, 0.0);
  int free = 0, not_free = 0;
  for (int step = 0; step < 1500; ++step) {
    const int changed = step % 50 == 49 ? 100 : step % 3;
    for (int k = 0; k < changed; ++k) {
      double& value = changed == 100 ? q[static_cast<size_t>(k)] : q[rng() % 100];
      value = changed == 100 ? small(rng) : value + some(rng);
    }
    auto state = f.state(q);
    catena::Workspace workspace(world);
    Eigen::VectorXd positions(world.robot().num_positions());
    f.setup.space().mapping()->to_positions(state.get(), positions);
    const bool expected =
        catena::check_state(world, positions, {}, workspace).verdict == catena::Verdict::kFree;
    ASSERT_EQ(f.checker().isValid(state.get()), expected) << "seed 5 step " << step;
    ++(expected ? free : not_free);
  }
  EXPECT_GT(free, 100);
  EXPECT_GT(not_free, 100);
}

// Property: whatever the motion, what OMPL is told to be the last valid state is valid, lies where
// the fraction says, and no later than what the engine proved.
TEST(MotionValidatorProperty, LastValidStateIsValid) {
  const Fixture f(catena::test::planar_snake(4), catena::test::some_posts());
  const auto& space = *f.setup.getStateSpace();
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> angle(-2.0, 2.0);
  int refused = 0, accepted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> a(4), b(4);
    for (int i = 0; i < 4; ++i) a[i] = angle(rng), b[i] = angle(rng);
    auto from = f.state(a), to = f.state(b), last = f.state(b), expected = f.state(b);
    std::pair<ob::State*, double> last_valid(last.get(), -7.0);
    if (f.validator().checkMotion(from.get(), to.get(), last_valid)) {
      ++accepted;
      ASSERT_EQ(last_valid.second, -7.0);
      ASSERT_TRUE(f.checker().isValid(from.get()) && f.checker().isValid(to.get()));
      continue;
    }
    ++refused;
    const catena::MotionResult engine = f.setup.context()->check(from.get(), to.get());
    ASSERT_GE(last_valid.second, 0.0) << "trial " << trial;
    ASSERT_LE(last_valid.second, engine.free_until) << "trial " << trial;
    if (!f.checker().isValid(from.get())) {
      ASSERT_EQ(last_valid.second, 0.0) << "trial " << trial;
      ASSERT_EQ(last.reals(), a);
      continue;
    }
    ASSERT_GE(last_valid.second, engine.free_until - 1e-5) << "trial " << trial;
    ASSERT_TRUE(f.checker().isValid(last.get())) << "trial " << trial;
    space.interpolate(from.get(), to.get(), last_valid.second, expected.get());
    ASSERT_EQ(last.reals(), expected.reals()) << "trial " << trial;
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(accepted, 10);
}

TEST(Setup, NamesWhatIsWrong) {
  const auto error_of = [](const auto& function) -> std::string {
    try {
      function();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "(no error)";
  };
  SetupOptions options;
  options.group = "leg";
  EXPECT_NE(error_of([&] { arm(options); }).find("leg"), std::string::npos);
  options.group = "arm";
  Fixture f = arm(options);
  EXPECT_EQ(error_of([&] { f.setup.setStartAndGoalByName("low", "up"); }),
            "group \"arm\": no state \"up\"; it has high, low");
  EXPECT_NE(error_of([&] { f.setup.setStartAndGoalStates({0.0}, {4.0}); }).find("swing"),
            std::string::npos);
  EXPECT_EQ(f.setup.named_state("high"), std::vector<double>{1.2});
}

}  // namespace
