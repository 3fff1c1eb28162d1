// Edges whose answer is known in closed form, and edges made to expose known mistakes.

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>
#include <set>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <gtest/gtest.h>

#include "catena/query/continuous.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"

namespace catena {
namespace {

using oracle::JointKind;
using oracle::JointSpec;
using oracle::PlacedSpec;
using oracle::PoseSpec;
using oracle::Real;
using oracle::RobotSpec;
using oracle::SceneSpec;

constexpr double kPi = 3.141592653589793;
constexpr double kDegree = kPi / 180.0;

/// The segment from the link's origin to `length` along x, thickened.
PlacedSpec bar(double radius, double length = 1.0) {
  return oracle::capsule(radius, length, {length / 2, 0, 0}, {0, kPi / 2, 0});
}

class RobotMaker {
 public:
  explicit RobotMaker(std::vector<PlacedSpec> root = {}) {
    spec_.name = "robot";
    spec_.links.push_back({"base", std::move(root)});
  }
  /// A link on the last one (or on `parent`).
  RobotMaker& add(JointKind kind, PoseSpec origin, std::array<double, 3> axis,
                  std::vector<PlacedSpec> shapes, std::string parent = "") {
    JointSpec j;
    j.kind = kind;
    j.origin = origin;
    j.axis = axis;
    j.parent = parent.empty() ? spec_.links.back().name : parent;
    j.child = "link" + std::to_string(spec_.links.size());
    j.name = "joint" + std::to_string(spec_.links.size());
    spec_.links.push_back({j.child, std::move(shapes)});
    spec_.joints.push_back(j);
    return *this;
  }
  RobotSpec& spec() { return spec_; }

 private:
  RobotSpec spec_;
};

/// n revolute joints about z, links of unit length along x.
RobotSpec planar_arm(int n, double radius, std::vector<PlacedSpec> root = {}) {
  RobotMaker maker(std::move(root));
  for (int i = 0; i < n; ++i)
    maker.add(JointKind::kRevolute, {{i == 0 ? 0.0 : 1.0, 0, 0}, {}}, {0, 0, 1},
              radius < 0 ? std::vector<PlacedSpec>{} : std::vector<PlacedSpec>{bar(radius)});
  return maker.spec();
}

RobotSpec slider(PlacedSpec shape, std::array<double, 3> axis = {1, 0, 0}, PoseSpec origin = {}) {
  RobotMaker maker;
  maker.add(JointKind::kPrismatic, origin, axis, {std::move(shape)});
  return maker.spec();
}

SceneSpec scene_of(std::vector<PlacedSpec> shapes) {
  SceneSpec scene;
  for (size_t i = 0; i < shapes.size(); ++i)
    scene.objects.push_back({"object" + std::to_string(i), {shapes[i]}});
  return scene;
}

PlacedSpec ball_at(double radius, double x, double y, double z = 0.0) {
  return oracle::sphere(radius, {x, y, z});
}

MotionResult check(const RobotSpec& spec, const SceneSpec& scene, const std::vector<double>& q0,
                   const std::vector<double>& q1, const QueryOptions& options = {}) {
  const auto robot = oracle::make_robot(spec);
  const CollisionWorld world(robot, oracle::make_scene(scene));
  Workspace workspace(world);
  const Motion motion(*robot, oracle::positions(*robot, spec, q0),
                      oracle::positions(*robot, spec, q1));
  return check_motion(world, motion, options, workspace);
}

void expect_contact(const MotionResult& r, double t, double rounding = 1e-9) {
  EXPECT_EQ(r.verdict, Verdict::kCollision) << name_of(r.verdict) << " to " << r.free_until;
  ASSERT_TRUE(r.contact.has_value()) << name_of(r.verdict) << " to " << r.free_until;
  EXPECT_LE(r.free_until, t + rounding);
  EXPECT_GE(r.free_until, t - 1e-6);
  EXPECT_GE(*r.contact, t - rounding);
  EXPECT_LE(*r.contact, t + 1e-6);
  EXPECT_TRUE(r.witness.a.valid());
  EXPECT_TRUE(r.witness.b.valid());
}

void expect_free(const MotionResult& r) {
  EXPECT_EQ(r.verdict, Verdict::kFree) << "free until " << r.free_until;
  EXPECT_EQ(r.free_until, 1.0);
  EXPECT_FALSE(r.contact.has_value());
}

/// The answer must not contradict the oracle's.
void expect_agreement(const RobotSpec& spec, const SceneSpec& scene, const std::vector<double>& q0,
                      const std::vector<double>& q1, const std::string& where) {
  const MotionResult r = check(spec, scene, q0, q1);
  oracle::EdgeOracle oracle(spec, scene);
  oracle.set_motion(q0, q1);
  const oracle::Truth truth = oracle.judge(200000);
  if (truth.kind == oracle::Truth::Kind::kFree) {
    EXPECT_EQ(r.verdict, Verdict::kFree) << where << " free until " << r.free_until;
  }
  if (truth.kind == oracle::Truth::Kind::kContact) {
    EXPECT_EQ(r.verdict, Verdict::kCollision) << where << " t_hit " << double(truth.t_hit);
    EXPECT_LE(Real(r.free_until), truth.t_hit) << where;
    if (r.contact) {
      EXPECT_GE(Real(*r.contact), truth.t_free) << where;
      EXPECT_LE(Real(*r.contact), truth.t_hit + 2e-6L) << where;
    }
  }
}

// Cases in closed form.

TEST(ClosedForm, ArcLeavesTheHullOfItsEnds) {
  const double a = 45 * kDegree;
  expect_contact(check(planar_arm(1, 0.0), scene_of({ball_at(0.005, 0.99, 0)}), {-a}, {a}),
                 0.4967847350);
}

TEST(ClosedForm, FirstLinkMeetsThirdLink) {
  const double a = 130 * kDegree;
  expect_contact(check(planar_arm(3, 0.05), {}, {0, 0, 0}, {0, a, a}), 0.8980283381);
}

TEST(ClosedForm, RingCloses) {
  const std::pair<int, double> cases[] = {
      {16, 0.9406929688}, {64, 0.9494151666}, {256, 0.9516375035}, {1024, 0.9521949771}};
  for (const auto& [n, t] : cases) {
    RobotSpec spec = planar_arm(n, -1, {oracle::sphere(0.1)});
    spec.links.back().collision = {ball_at(0.1, 1, 0)};
    // The first joint turns the whole ring; the base's ball is its centre.
    const std::vector<double> q1(static_cast<size_t>(n), 1.05 * 2 * kPi / n);
    SCOPED_TRACE(n);
    expect_contact(check(spec, {}, std::vector<double>(static_cast<size_t>(n), 0.0), q1), t);
  }
}

TEST(ClosedForm, LongStraightArmMeetsAFarBall) {
  std::vector<double> q0(100, 0.0), q1(100, 0.0);
  q1[0] = 90 * kDegree;
  const double polar = 60 * kDegree;
  expect_contact(
      check(planar_arm(100, 0.1),
            scene_of({ball_at(0.1, 90 * std::cos(polar), 90 * std::sin(polar))}), q0, q1),
      0.6652519549);
}

TEST(ClosedForm, ArmGrazesAWallByAMicrometre) {
  const auto wall = [](double x) { return scene_of({oracle::half_space({-1, 0, 0}, -x)}); };
  const MotionResult hit = check(planar_arm(1, 0.1), wall(1.1 - 1e-6), {-0.5}, {0.5});
  expect_contact(hit, 0.5 - 0.0014142137, 1e-9);
  expect_free(check(planar_arm(1, 0.1), wall(1.1 + 1e-6), {-0.5}, {0.5}));
}

TEST(ClosedForm, BallMeetsAThinPlate) {
  expect_contact(
      check(slider(oracle::sphere(0.1)), scene_of({oracle::box({0.01, 3, 3})}), {-5}, {5}), 0.4895);
}

TEST(ClosedForm, LinkTurnsAboutItsOwnJoint) {
  expect_contact(
      check(planar_arm(2, 0.0), scene_of({ball_at(0.05, 1, 0.9)}), {0, 0}, {0, 90 * kDegree}),
      0.9646140163);
}

TEST(ClosedForm, FastSecondJoint) {
  // Rates 1 and pi: the tip is as fast as 5.14 where its path's length suggests 4.20.
  for (const double at : {0.02, 0.04, 0.06, 0.1, 0.5, 0.9}) {
    const double x = std::cos(at) + std::cos((1 + kPi) * at);
    const double y = std::sin(at) + std::sin((1 + kPi) * at);
    for (const double r : {1e-3, 1e-2}) {
      expect_agreement(planar_arm(2, 0.0), scene_of({ball_at(r, x, y)}), {0, 0}, {1, kPi},
                       "at " + std::to_string(at));
      const MotionResult m =
          check(planar_arm(2, 0.0), scene_of({ball_at(r, x, y)}), {0, 0}, {1, kPi});
      EXPECT_EQ(m.verdict, Verdict::kCollision);
      EXPECT_LE(m.free_until, at);
    }
  }
}

TEST(ClosedForm, SeamIsCrossedByContinuousJointsOnly) {
  RobotSpec round = planar_arm(1, 0.0);
  round.joints[0].kind = JointKind::kContinuous;
  const RobotSpec limited = planar_arm(1, 0.0);
  const SceneSpec at_pi = scene_of({ball_at(0.01, -0.9, 0)}),
                  at_zero = scene_of({ball_at(0.01, 0.9, 0)});
  expect_contact(check(round, at_pi, {3.0}, {-3.0}), 0.4607630076);
  expect_contact(check(limited, at_zero, {3.0}, {-3.0}), 0.4981481100);
  expect_free(check(round, at_zero, {3.0}, {-3.0}));
  expect_free(check(limited, at_pi, {3.0}, {-3.0}));
}

TEST(ClosedForm, ChainsOfAThousandJointsEndWhereTheyShould) {
  const std::tuple<int, double, double> cases[] = {{1000, -4.990595430, 1.628846564},
                                                   {10000, 8.480714056, 3.959122018}};
  for (const auto& [n, x, y] : cases) {
    RobotDescription d;
    d.links.push_back({"l0", {}});
    for (int i = 1; i <= n; ++i) {
      d.links.push_back({"l" + std::to_string(i), {}});
      JointDescription j;
      j.name = "j" + std::to_string(i);
      j.type = JointType::kContinuous;
      j.parent = "l" + std::to_string(i - 1);
      j.child = "l" + std::to_string(i);
      j.axis = Vector3d::UnitZ();
      if (i > 1) j.origin = RigidEnclosure::translation(Vector3d::UnitX());
      d.joints.push_back(j);
    }
    const auto robot = RobotBuilder::build(d);
    Eigen::VectorXd q = Eigen::VectorXd::Constant(n, 0.1);
    q[robot->joint(robot->find_joint("j1")).q_index] = 0.0;
    const Motion motion(*robot, q);
    std::vector<RigidEnclosure> X(static_cast<size_t>(robot->num_links()));
    motion.poses(*robot, 0.0, X);
    const LinkIndex last = robot->find_joint("j" + std::to_string(n));
    const RigidEnclosure& X_WL = X[static_cast<size_t>(last.value)];
    const Vector3d tip = X_WL.X * Vector3d(1, 0, 0);
    EXPECT_NEAR(tip.x(), x, 1e-8);
    EXPECT_NEAR(tip.y(), y, 1e-8);
    EXPECT_LT(X_WL.point_error(1.0), 1e-6);
  }
}

TEST(ClosedForm, BallsPassEachOther) {
  const RobotSpec spec = slider(oracle::sphere(0.5));
  const MotionResult touching = check(spec, scene_of({ball_at(0.5, 0, 1)}), {-5}, {5});
  EXPECT_NE(touching.verdict, Verdict::kFree);
  EXPECT_LE(touching.free_until, 0.5);
  expect_free(check(spec, scene_of({ball_at(0.5, 0, 1 + 1e-6)}), {-5}, {5}));
  expect_free(check(spec, scene_of({ball_at(0.5, 0, 1 + 1e-3)}), {-5}, {5}));
  // A micrometre of overlap is found as well.
  const MotionResult deep = check(spec, scene_of({ball_at(0.5, 0, 1 - 1e-6)}), {-5}, {5});
  EXPECT_EQ(deep.verdict, Verdict::kCollision);
  const double half = std::sqrt(1.0 - (1 - 1e-6) * (1 - 1e-6));
  EXPECT_LE(deep.free_until, (5 - half) / 10);
  EXPECT_GE(*deep.contact, (5 - half) / 10 - 1e-12);
}

// Known mistakes of other checkers.

TEST(Traps, OffsetsOfJointAndGeometryCount) {
  // A ball 5 from its joint, which is 3 from the joint before.
  RobotMaker maker;
  maker.add(JointKind::kRevolute, {{0.5, 0, 0}, {}}, {0, 0, 1}, {});
  maker.add(JointKind::kRevolute, {{3, 0, 0}, {}}, {0, 0, 1}, {ball_at(0.05, 5, 0)});
  const double delta = 2 * std::asin(0.1 / 2 / 8);
  expect_contact(
      check(maker.spec(), scene_of({ball_at(0.05, 0.5 + 8 * std::cos(0.6), 8 * std::sin(0.6))}),
            {0, 0}, {1, 0}),
      0.6 - delta);
  const double delta2 = 2 * std::asin(0.1 / 2 / 5);
  expect_contact(
      check(maker.spec(), scene_of({ball_at(0.05, 3.5 + 5 * std::cos(0.6), 5 * std::sin(0.6))}),
            {0, 0}, {0, 1}),
      0.6 - delta2);
}

TEST(Traps, CubesMeetHeadOn) {
  const PlacedSpec cube = oracle::mesh(oracle::box_mesh({1, 1, 1}));
  expect_contact(check(slider(cube), scene_of({cube}), {-5}, {5}), 0.4);
  // Surfaces that meet in coplanar faces alone touch by no more than a rounding: never free.
  const PlacedSpec open = oracle::mesh(oracle::open_box_mesh({1, 1, 1}));
  const MotionResult surfaces = check(slider(open), scene_of({open}), {-5}, {5});
  EXPECT_NE(surfaces.verdict, Verdict::kFree);
  EXPECT_NEAR(surfaces.free_until, 0.4, 1e-6);
  // All the way through, both ends far away, along a slanted axis.
  expect_contact(check(slider(cube, {3, 0, 0}), scene_of({cube}), {-50}, {50}), 0.49);
}

TEST(Traps, LinksDoNotFollowTheirOwnEndPoses) {
  const MotionResult r =
      check(planar_arm(2, 0.0), scene_of({ball_at(0.05, 1, 1)}), {0, 0}, {kPi, -kPi});
  expect_contact(r, std::asin(0.95) / kPi);
}

TEST(Traps, TurnsAboutDifferentAxesDoNotAddUp) {
  RobotMaker maker;
  maker.add(JointKind::kRevolute, {}, {0, 0, 1}, {});
  maker.add(JointKind::kRevolute, {}, {0, 1, 0}, {ball_at(0.01, 1, 0)});
  for (const double t : {0.1, 0.37, 0.5, 0.8}) {
    const double a = t * kPi / 2;
    const SceneSpec scene = scene_of(
        {ball_at(0.01, std::cos(a) * std::cos(a), std::sin(a) * std::cos(a), -std::sin(a))});
    const MotionResult r = check(maker.spec(), scene, {0, 0}, {kPi / 2, kPi / 2});
    EXPECT_EQ(r.verdict, Verdict::kCollision);
    EXPECT_LE(r.free_until, t);
    expect_agreement(maker.spec(), scene, {0, 0}, {kPi / 2, kPi / 2}, std::to_string(t));
  }
}

TEST(Traps, AdjacencyIsThatOfTheJointsBeforeFixedOnesMerge) {
  // base - revolute - link1 - fixed - link2 - revolute - link3, and a sibling of link3.
  RobotMaker maker({oracle::sphere(0.1)});
  maker.add(JointKind::kRevolute, {{1, 0, 0}, {}}, {0, 0, 1}, {oracle::sphere(0.1)});
  maker.add(JointKind::kFixed, {{1, 0, 0}, {}}, {0, 0, 1}, {oracle::sphere(0.1)});
  maker.add(JointKind::kRevolute, {{1, 0, 0}, {}}, {0, 0, 1}, {ball_at(0.1, 1, 0)});
  maker.add(JointKind::kRevolute, {{1, 0, 0}, {}}, {0, 0, 1}, {ball_at(0.1, 1, 0)}, "link2");
  const auto robot = oracle::make_robot(maker.spec());
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& [a, b] : robot->list_checked_pairs())
    pairs.insert(std::minmax(robot->body(a).name, robot->body(b).name));
  const std::set<std::pair<std::string, std::string>> expected{
      {"base", "link2"},  {"base", "link3"},  {"base", "link4"},
      {"link1", "link3"}, {"link1", "link4"}, {"link3", "link4"}};
  EXPECT_EQ(pairs, expected);
  // Siblings meet: at the angle where the two balls, a unit out, are 0.2 apart.
  expect_contact(check(maker.spec(), {}, {0, 0, 1.0}, {0, 1.0, 1.0}), 1 - 2 * std::asin(0.1));
}

TEST(Traps, HalfAToleranceDeepIsNotFree) {
  const RobotSpec spec = slider(oracle::sphere(0.5));
  for (const double depth : {5e-8, 1e-8, 1e-10, 1e-12, 1e-14, 0.0}) {
    const MotionResult r = check(spec, scene_of({ball_at(0.5, 0, 1 - depth)}), {-5}, {5});
    EXPECT_NE(r.verdict, Verdict::kFree) << depth;
    EXPECT_LE(r.free_until, 0.5) << depth;
  }
}

TEST(Traps, InsideOfASolidIsOccupiedAlongAnEdge) {
  const PlacedSpec solid = oracle::mesh(oracle::box_mesh({1, 1, 1}));
  const PlacedSpec bin = oracle::mesh(oracle::open_box_mesh({1, 1, 1}));
  const RobotSpec spec = slider(oracle::sphere(0.05));
  const MotionResult stays = check(spec, scene_of({solid}), {-0.2}, {0.2});
  EXPECT_EQ(stays.verdict, Verdict::kCollision);
  EXPECT_EQ(stays.free_until, 0.0);
  EXPECT_EQ(stays.contact.value_or(-1), 0.0);
  expect_free(check(spec, scene_of({bin}), {-0.2}, {0.2}));
  expect_contact(check(spec, scene_of({solid}), {-2}, {0}), (2 - 0.55) / 2);
  expect_contact(check(spec, scene_of({bin}), {0}, {2}), 0.45 / 2);
}

// The host's rounding mode and flush-to-zero are neither used nor changed.
TEST(Traps, HostRoundingModeDoesNotMatter) {
  const RobotSpec spec = oracle::make_robot_spec("serial");
  std::mt19937_64 rng(51);
  const SceneSpec scene = oracle::random_scene(1.4, rng);
  const auto robot = oracle::make_robot(spec);
  const CollisionWorld world(robot, oracle::make_scene(scene));
  Workspace workspace(world);
  for (int trial = 0; trial < 20; ++trial) {
    const auto q0 = oracle::random_configuration(spec, rng);
    const auto q1 = oracle::nearby_configuration(spec, q0, 0.3, rng);
    const Eigen::VectorXd e0 = oracle::positions(*robot, spec, q0),
                          e1 = oracle::positions(*robot, spec, q1);
    const Motion motion(*robot, e0, e1);
    const MotionResult usual = check_motion(world, motion, {}, workspace);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const MotionResult r = check_motion(world, motion, {}, workspace);
      const StateResult s = check_state(world, e0, {}, workspace);
      const int after = std::fegetround();
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(after, mode);
      EXPECT_EQ(r.verdict, usual.verdict);
      EXPECT_EQ(r.free_until, usual.free_until);
      EXPECT_EQ(r.contact, usual.contact);
      EXPECT_EQ(s.verdict, check_state(world, e0, {}, workspace).verdict);
    }
#if defined(__SSE2__)
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040);
    const MotionResult r = check_motion(world, motion, {}, workspace);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(control);
    EXPECT_EQ(after & 0x8040u, 0x8040u);
    EXPECT_EQ(r.verdict, usual.verdict);
    EXPECT_EQ(r.free_until, usual.free_until);
#endif
  }
  // A Motion that is made under another mode encloses the same motion.
  RobotSpec touch = slider(oracle::sphere(0.5));
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(mode);
    const MotionResult r = check(touch, scene_of({ball_at(0.5, 0, 1)}), {-5}, {5});
    std::fesetround(FE_TONEAREST);
    EXPECT_NE(r.verdict, Verdict::kFree);
  }
}

TEST(Traps, DenormalGapsAreNotFree) {
  for (const double gap : {4.9e-324, 1e-310, 1e-300, 1e-160}) {
    const MotionResult r = check(slider(oracle::sphere(1e-300)), scene_of({ball_at(0.0, 0, gap)}),
                                 {-1e-299}, {1e-299});
    if (gap <= 1e-300) {
      EXPECT_NE(r.verdict, Verdict::kFree) << gap;
    }
  }
}

TEST(Traps, TelescopeHitsAtTheEndOfItsStroke) {
  RobotMaker maker;
  maker.add(JointKind::kRevolute, {}, {0, 0, 1}, {});
  for (int i = 0; i < 4; ++i) maker.add(JointKind::kPrismatic, {}, {1, 0, 0}, {});
  maker.spec().links.back().collision = {oracle::sphere(0.05)};
  // Out to 40 while turning by a radian: the last bit of the arc is forty units out.
  const std::vector<double> q0{0, 0, 0, 0, 0}, q1{1, 10, 10, 10, 10};
  expect_agreement(maker.spec(),
                   scene_of({ball_at(0.05, 39.9 * std::cos(0.9975), 39.9 * std::sin(0.9975))}), q0,
                   q1, "spiral");
  const MotionResult r = check(
      maker.spec(), scene_of({ball_at(0.05, 40 * std::cos(1.0), 40 * std::sin(1.0))}), q0, q1);
  EXPECT_EQ(r.verdict, Verdict::kCollision);
  // On the way there the ball closes in at the speed of the spiral's end.
  EXPECT_NEAR(*r.contact, 1 - 0.1 / std::hypot(40, 40), 1e-4);
  expect_contact(check(maker.spec(), scene_of({oracle::box({0.1, 9, 9}, {40.05, 0, 0})}),
                       {0, 0, 0, 0, 0}, {0, 10, 10, 10, 10}),
                 39.95 / 40);
}

// What turns while it moves outwards is pushed sideways by twice the product of the two rates: tiny
// balls on a spiral, where no thickness hides a bound that leaves it out.
TEST(Traps, TurningAndExtendingAddUp) {
  RobotMaker maker;
  maker.add(JointKind::kRevolute, {}, {0, 0, 1}, {});
  maker.add(JointKind::kPrismatic, {}, {1, 0, 0}, {oracle::sphere(1e-5)});
  for (const auto& [turn, travel] : {std::pair{1.0, 40.0}, {5.0, 1.0}, {0.3, 100.0}}) {
    for (double t = 0.011; t < 1; t += 0.0173) {
      const double r = travel * t, a = turn * t;
      const SceneSpec scene = scene_of({ball_at(1e-5, r * std::cos(a), r * std::sin(a))});
      const MotionResult m = check(maker.spec(), scene, {0, 0}, {turn, travel});
      EXPECT_EQ(m.verdict, Verdict::kCollision) << turn << ' ' << travel << " t " << t;
      EXPECT_LE(m.free_until, t) << turn << ' ' << travel << " t " << t;
    }
  }
}

// Through the middle of the turntable the point is pushed towards a wall that it runs along: at the
// middle of the motion nothing but that push closes in on the wall.
TEST(Traps, ASlideAcrossATurntableIsPushedSideways) {
  RobotMaker maker;
  maker.add(JointKind::kRevolute, {}, {0, 0, 1}, {});
  maker.add(JointKind::kPrismatic, {}, {1, 0, 0}, {oracle::sphere(0.0)});
  for (const double turn : {0.02, 0.1, 0.2, 0.5}) {
    for (const double share : {0.3, 0.5, 0.7, 0.95}) {
      const double wall = share * std::sin(turn);
      // The point is at r (cos, sin)(turn r), r from -1 to 1: it meets y = wall where r sin(turn r)
      // is that, first at the negative r.
      double lo = 0, hi = 1;
      for (int i = 0; i < 60; ++i) {
        const double r = 0.5 * (lo + hi);
        (r * std::sin(turn * r) < wall ? lo : hi) = r;
      }
      const SceneSpec scene = scene_of({oracle::half_space({0, -1, 0}, -wall)});
      // From inside the wall outwards and back: cut so that both ends are free.
      const double cut = 0.999 * lo;
      expect_free(check(maker.spec(), scene, {-turn * cut, -cut}, {turn * cut, cut}));
      const double out = 1.001 * lo;
      const MotionResult m = check(maker.spec(), scene, {0, 0}, {turn * out, out});
      expect_contact(m, lo / out);
      const MotionResult across =
          check(maker.spec(), scene, {-turn * cut, -cut}, {turn * out, out});
      expect_contact(across, (lo + cut) / (out + cut));
    }
  }
}

// A glide at a gap that the tolerance need not decide: no work without end, and no wrong answer.
TEST(Traps, AGlideAtAGapOfRoundingsSizeEnds) {
  for (const double gap : {1e-6, 1e-8, 1e-10, 1e-12, 1e-13}) {
    RobotMaker maker;
    maker.add(JointKind::kRevolute, {{0, 0, 0.1}, {}}, {0, 0, 1}, {bar(0.1)});
    maker.add(JointKind::kRevolute, {{1, 0, 0}, {}}, {0, 0, 1}, {bar(0.1)});
    PlacedSpec mesh = oracle::mesh(oracle::box_mesh({8, 8, 1}));
    mesh.pose.xyz = {0, 0, -0.5 - gap};
    for (const PlacedSpec& plate : {oracle::box({8, 8, 1}, {0, 0, -0.5 - gap}), mesh}) {
      const MotionResult r = check(maker.spec(), scene_of({plate}), {-1, -1}, {1, 2});
      EXPECT_NE(r.verdict, Verdict::kCollision) << gap;
      if (gap >= 1e-6) expect_free(r);
      EXPECT_LE(r.stats.intervals, 100000u) << gap;
      if (r.verdict != Verdict::kUndecided) continue;
      EXPECT_LE(r.witness.gap.lo, gap);
      EXPECT_GE(r.witness.gap.hi, gap * (1 - 1e-3));
      EXPECT_LE(r.witness.gap.width(), 1e-6) << gap;
    }
  }
}

// More ideas of an adversary.

TEST(Adversary, BudgetOfOneIsNeverFreeUnlessProven) {
  std::mt19937_64 rng(52);
  QueryOptions options;
  for (const std::uint64_t budget : {1u, 2u, 5u, 20u, 100u}) {
    options.budget = budget;
    for (const std::string& name : oracle::robot_names()) {
      const RobotSpec spec = oracle::make_robot_spec(name);
      const SceneSpec scene = oracle::random_scene(1.4, rng);
      for (int trial = 0; trial < 4; ++trial) {
        const auto q0 = oracle::random_configuration(spec, rng);
        const auto q1 = oracle::nearby_configuration(spec, q0, 0.5, rng);
        const MotionResult r = check(spec, scene, q0, q1, options);
        oracle::EdgeOracle oracle(spec, scene);
        oracle.set_motion(q0, q1);
        for (int i = 0; i <= 20; ++i) {
          const Real t = Real(i) / 20;
          if (t > r.free_until || (t == 0 && r.free_until == 0)) break;
          EXPECT_GT(oracle.smallest_gap_at(t).hi, 0) << "seed 52 " << name << " budget " << budget;
        }
        if (r.verdict == Verdict::kCollision) {
          EXPECT_LE(oracle.smallest_gap_at(Real(*r.contact)).lo, 1e-15L);
        }
      }
    }
  }
}

// Neighbours of a chain, whose boxes overlap, are not checked against each other.
TEST(Adversary, ABudgetThatEndsNamesNoPairThatIsNotChecked) {
  const RobotSpec spec = oracle::make_robot_spec("snake");
  const auto robot = oracle::make_robot(spec);
  const CollisionWorld world(robot, oracle::make_scene({}));
  Workspace workspace(world);
  const Eigen::VectorXd q = robot->zero_positions();
  int undecided = 0;
  for (std::uint64_t budget = 1; budget < 200; ++budget) {
    QueryOptions options;
    options.budget = budget;
    const auto expect_checked = [&](Verdict verdict, const Witness& witness) {
      if (verdict != Verdict::kUndecided) return;
      ++undecided;
      ASSERT_EQ(witness.a.valid(), witness.b.valid());
      if (witness.a.valid()) {
        EXPECT_TRUE(world.checks(witness.a, witness.b)) << "budget " << budget;
      }
    };
    Eigen::VectorXd to = q;
    for (Eigen::Index k = 0; k < to.size(); ++k) to[k] += 0.8;
    const StateResult state = check_state(world, q, options, workspace);
    const MotionResult edge = check_motion(world, Motion(*robot, q, to), options, workspace);
    expect_checked(state.verdict, state.witness);
    expect_checked(edge.verdict, edge.witness);
  }
  EXPECT_GT(undecided, 40);
}

TEST(Adversary, ClearanceIsComparedWithTheTrueGap) {
  const RobotSpec spec = slider(oracle::sphere(0.5));
  QueryOptions options;
  options.clearance = 0.25;
  // The gap's least value is 0.25 exactly: not free. A micrometre more: free; less: collision.
  const MotionResult exact = check(spec, scene_of({ball_at(0.5, 0, 1.25)}), {-5}, {5}, options);
  EXPECT_NE(exact.verdict, Verdict::kFree);
  expect_free(check(spec, scene_of({ball_at(0.5, 0, 1.25 + 1e-6)}), {-5}, {5}, options));
  EXPECT_EQ(check(spec, scene_of({ball_at(0.5, 0, 1.25 - 1e-6)}), {-5}, {5}, options).verdict,
            Verdict::kCollision);
  // Head on, the time at which the gap is the clearance.
  expect_contact(check(spec, scene_of({ball_at(0.5, 0, 0)}), {-5}, {5}, options), (5 - 1.25) / 10);
}

TEST(Adversary, AnEdgeFromAStateToItselfIsJudgedLikeTheState) {
  std::mt19937_64 rng(53);
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    const auto robot = oracle::make_robot(spec);
    const SceneSpec scene = oracle::random_scene(1.4, rng);
    const CollisionWorld world(robot, oracle::make_scene(scene));
    Workspace workspace(world);
    for (int trial = 0; trial < 20; ++trial) {
      const Eigen::VectorXd q =
          oracle::positions(*robot, spec, oracle::random_configuration(spec, rng));
      const StateResult state = check_state(world, q, {}, workspace);
      const MotionResult edge = check_motion(world, Motion(*robot, q, q), {}, workspace);
      EXPECT_EQ(edge.verdict, state.verdict);
      EXPECT_EQ(edge.free_until, state.verdict == Verdict::kFree ? 1.0 : 0.0);
      if (edge.verdict == Verdict::kCollision) {
        EXPECT_EQ(*edge.contact, 0.0);
      }
    }
  }
}

// Metamorphic: the reversed edge, and the scene and robot moved together, give no contrary verdict.
TEST(Adversary, ReversedAndMovedEdgesDoNotContradict) {
  std::mt19937_64 rng(54);
  for (const char* name : {"serial", "ball", "telescope", "humanoid"}) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    for (int trial = 0; trial < 12; ++trial) {
      SceneSpec scene = oracle::random_scene(1.4, rng);
      scene.objects.erase(std::remove_if(scene.objects.begin(), scene.objects.end(),
                                         [](const auto& o) { return o.name == "wall"; }),
                          scene.objects.end());
      const auto q0 = oracle::random_configuration(spec, rng);
      const auto q1 = oracle::nearby_configuration(spec, q0, 0.4, rng);
      const MotionResult forth = check(spec, scene, q0, q1), back = check(spec, scene, q1, q0);
      const auto contrary = [](Verdict a, Verdict b) {
        return (a == Verdict::kFree && b == Verdict::kCollision) ||
               (a == Verdict::kCollision && b == Verdict::kFree);
      };
      EXPECT_FALSE(contrary(forth.verdict, back.verdict)) << "seed 54 " << name << ' ' << trial;
      // Everything a quarter turn about z and far away.
      RobotSpec far = spec;
      far.links.insert(far.links.begin(), {"floor", {}});
      JointSpec mount;
      mount.name = "mount";
      mount.kind = JointKind::kFixed;
      mount.parent = "floor";
      mount.child = spec.links.front().name;
      mount.origin = {{1000, -2000, 500}, {0, 0, kPi / 2}};
      far.joints.insert(far.joints.begin(), mount);
      SceneSpec moved = scene;
      for (auto& o : moved.objects)
        for (auto& p : o.geometries) {
          const auto [x, y, z] = p.pose.xyz;
          p.pose.xyz = {1000 - y, -2000 + x, 500 + z};
          p.pose.rpy[2] += kPi / 2;
        }
      const MotionResult there = check(far, moved, q0, q1);
      EXPECT_FALSE(contrary(forth.verdict, there.verdict)) << "seed 54 " << name << ' ' << trial;
      if (forth.contact && there.contact) {
        EXPECT_NEAR(*forth.contact, *there.contact, 1e-3) << "seed 54 " << name << ' ' << trial;
      }
    }
  }
}

// Metamorphic: links split in two by fixed joints (the new pairs disabled) answer the same.
TEST(Adversary, LinksSplitByFixedJointsAnswerTheSame) {
  std::mt19937_64 rng(55);
  RobotMaker whole, split;
  std::string last = "base";
  for (int i = 0; i < 6; ++i) {
    whole.add(JointKind::kRevolute, {{i == 0 ? 0.0 : 1.0, 0, 0.1}, {0.3, 0, 0}}, {0, 0.3, 1},
              {bar(0.05, 0.4), oracle::capsule(0.05, 0.4, {0.75, 0, 0}, {0, kPi / 2, 0})});
    split.add(JointKind::kRevolute, {{i == 0 ? 0.0 : 0.5, 0, 0.1}, {0.3, 0, 0}}, {0, 0.3, 1},
              {bar(0.05, 0.4)});
    split.add(JointKind::kFixed, {{0.5, 0, 0}, {}}, {0, 0, 1},
              {oracle::capsule(0.05, 0.4, {0.25, 0, 0}, {0, kPi / 2, 0})});
  }
  auto& s = split.spec();
  // Pieces of neighbouring wholes are not checked.
  for (size_t i = 1; i < s.links.size(); ++i)
    for (size_t j = i + 1; j < s.links.size(); ++j)
      if ((j - 1) / 2 <= (i - 1) / 2 + 1) s.disabled.push_back({s.links[i].name, s.links[j].name});
  for (size_t j = 1; j <= 2; ++j) s.disabled.push_back({"base", s.links[j].name});
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> q0, q1;
    for (int i = 0; i < 6; ++i) {
      q0.push_back(std::uniform_real_distribution<double>(-2, 2)(rng));
      q1.push_back(std::uniform_real_distribution<double>(-2, 2)(rng));
    }
    const SceneSpec scene = oracle::random_scene(4.0, rng);
    const MotionResult a = check(whole.spec(), scene, q0, q1), b = check(s, scene, q0, q1);
    EXPECT_EQ(a.verdict, b.verdict) << "seed 55 trial " << trial;
    if (a.contact && b.contact) {
      EXPECT_NEAR(*a.contact, *b.contact, 2e-6) << "seed 55 trial " << trial;
    }
  }
}

TEST(Adversary, ScalesAndFarPlaces) {
  // The same small scene from a micrometre to a thousand kilometres, and far from the origin.
  for (const double scale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    RobotSpec spec = slider(oracle::sphere(0.1 * scale));
    QueryOptions options;
    options.tolerance = 1e-7 * scale;
    expect_contact(check(spec, scene_of({ball_at(0.1 * scale, 0, 0)}), {-scale}, {scale}, options),
                   0.4);
    expect_free(check(spec, scene_of({ball_at(0.1 * scale, 0, 0.2002 * scale)}), {-scale}, {scale},
                      options));
  }
  for (const double far : {1e3, 1e5, 1e7}) {
    const RobotSpec spec = slider(oracle::box({0.2, 0.2, 0.2}), {1, 0, 0}, {{far, 2 * far, 0}, {}});
    const PlacedSpec near = oracle::box({0.2, 0.2, 0.2}, {far, 2 * far + 0.201, 0});
    expect_free(check(spec, scene_of({near}), {-1}, {1}));
    const PlacedSpec hit = oracle::box({0.2, 0.2, 0.2}, {far, 2 * far + 0.199, 0});
    expect_contact(check(spec, scene_of({hit}), {-1}, {1}), 0.4, 1e-15 * far + 1e-9);
  }
}

TEST(Adversary, ManyTurns) {
  // A limited joint that turns a hundred thousand times still meets what is in its way at first.
  RobotSpec spec = planar_arm(1, 0.0);
  for (const double end : {1e2, 1e4, 1e6}) {
    const MotionResult r = check(spec, scene_of({ball_at(0.1, 0, 0.5)}), {0}, {end});
    EXPECT_EQ(r.verdict, Verdict::kCollision) << end;
    EXPECT_LE(r.free_until * end, kPi / 2 - std::asin(0.2) + 1e-6);
    EXPECT_GE(*r.contact * end, kPi / 2 - std::asin(0.2) - 1e-6);
    const MotionResult free = check(spec, scene_of({ball_at(0.1, 0, 1.5)}), {0}, {end});
    EXPECT_NE(free.verdict, Verdict::kCollision);
  }
}

TEST(Adversary, LinksWithoutLengthAndStacksOfJoints) {
  // Three hundred joints in one place, axes every way, and a ball at the end.
  RobotMaker maker;
  for (int i = 0; i < 300; ++i)
    maker.add(JointKind::kRevolute, {},
              {i % 3 == 0 ? 1.0 : 0.0, i % 3 == 1 ? 1.0 : 0.0, i % 3 == 2 ? 1.0 : 0.2}, {});
  maker.spec().links.back().collision = {ball_at(0.1, 1, 0)};
  std::mt19937_64 rng(56);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<double> q0, q1;
    for (int i = 0; i < 300; ++i) {
      q0.push_back(std::uniform_real_distribution<double>(-3, 3)(rng));
      q1.push_back(q0.back() + std::uniform_real_distribution<double>(-0.02, 0.02)(rng));
    }
    oracle::EdgeOracle path(maker.spec(), scene_of({ball_at(0.1, 9, 9)}));
    path.set_motion(q0, q1);
    const auto p = path.point_of(0, 0.7L, {1, 0, 0});
    const SceneSpec scene = scene_of({ball_at(0.05, double(p.x), double(p.y), double(p.z))});
    const MotionResult r = check(maker.spec(), scene, q0, q1);
    EXPECT_EQ(r.verdict, Verdict::kCollision) << "seed 56 trial " << trial;
    EXPECT_LE(r.free_until, 0.7);
    expect_agreement(maker.spec(), scene, q0, q1, "seed 56 trial " + std::to_string(trial));
  }
}

TEST(Adversary, NeedlesAndDuplicateTriangles) {
  oracle::ShapeSpec soup;
  soup.kind = oracle::ShapeSpec::Kind::kMesh;
  soup.vertices = {{0, -1, 0}, {0, 1, 0}, {0, 0, 1e-9}, {0, 0, 1e-15}, {0, 1, 0}, {0, 0.5, 0}};
  soup.triangles = {{0, 1, 2}, {0, 1, 2}, {2, 1, 0}, {0, 1, 3}, {0, 4, 5}, {1, 1, 1}, {0, 1, 0}};
  for (const double radius : {0.1, 1e-3, 1e-6}) {
    expect_contact(
        check(slider(oracle::sphere(radius)), scene_of({oracle::mesh(soup, {0, 0, 0})}), {-1}, {1}),
        (1 - radius) / 2);
    expect_free(check(slider(oracle::sphere(radius)),
                      scene_of({oracle::mesh(soup, {0, 0, radius + 1e-6})}), {-1}, {1}));
  }
}

TEST(Adversary, StartsAndEndsInContact) {
  const RobotSpec spec = slider(oracle::sphere(0.5));
  // Leaves a contact.
  const MotionResult out = check(spec, scene_of({ball_at(0.5, 0, 0)}), {0.9}, {5});
  EXPECT_EQ(out.verdict, Verdict::kCollision);
  EXPECT_EQ(out.free_until, 0.0);
  EXPECT_EQ(out.contact.value_or(-1), 0.0);
  // Touches at the very end only, or at the very start only.
  const MotionResult end = check(spec, scene_of({ball_at(0.5, 0, 0)}), {3}, {1});
  EXPECT_NE(end.verdict, Verdict::kFree);
  EXPECT_LT(end.free_until, 1.0);
  EXPECT_GT(end.free_until, 1 - 1e-6);
  const MotionResult start = check(spec, scene_of({ball_at(0.5, 0, 0)}), {1}, {3});
  EXPECT_NE(start.verdict, Verdict::kFree);
  EXPECT_EQ(start.free_until, 0.0);
  // A contact that is over before the first half.
  expect_contact(check(spec, scene_of({ball_at(1e-4, 1.5, 0.49)}), {0.5}, {1000.5}),
                 (1.5 - std::sqrt(0.5001 * 0.5001 - 0.49 * 0.49) - 0.5) / 1000, 1e-9);
}

// The same thing said in two ways must be answered in the same way.

void expect_same(const MotionResult& a, const MotionResult& b, const std::string& where) {
  EXPECT_EQ(a.verdict, b.verdict) << where;
  EXPECT_NEAR(a.free_until, b.free_until, 2e-6) << where;
  ASSERT_EQ(a.contact.has_value(), b.contact.has_value()) << where;
  if (a.contact) {
    EXPECT_NEAR(*a.contact, *b.contact, 2e-6) << where;
  }
}

TEST(Equivalence, AnAttachedObjectIsALinkOnAFixedJoint) {
  std::mt19937_64 rng(57);
  const RobotSpec spec = oracle::make_robot_spec("serial");
  const PlacedSpec cargo = oracle::box({0.1, 0.05, 0.3}, {0.02, 0.01, 0.3}, {0.2, 0.1, 0});
  RobotSpec longer = spec;
  longer.links.push_back({"cargo", {cargo}});
  JointSpec j;
  j.name = "grasp";
  j.parent = "link6";
  j.child = "cargo";
  longer.joints.push_back(j);
  longer.disabled.push_back({"cargo", "link5"});
  const auto robot = oracle::make_robot(spec), with_link = oracle::make_robot(longer);
  for (int trial = 0; trial < 30; ++trial) {
    const SceneSpec scene = oracle::random_scene(1.4, rng);
    auto holding = std::make_shared<Scene>(*oracle::make_scene(scene));
    holding->attached.push_back({{"cargo", {oracle::make_placed(cargo)}}, "link6", {"link5"}});
    const CollisionWorld a(robot, holding), b(with_link, oracle::make_scene(scene));
    ASSERT_EQ(a.num_geometry_pairs(), b.num_geometry_pairs());
    Workspace wa(a), wb(b);
    const auto q0 = oracle::random_configuration(spec, rng);
    const auto q1 = oracle::nearby_configuration(spec, q0, 0.4, rng);
    const auto motion = [&](const Robot& r, const RobotSpec& s) {
      return Motion(r, oracle::positions(r, s, q0), oracle::positions(r, s, q1));
    };
    expect_same(check_motion(a, motion(*robot, spec), {}, wa),
                check_motion(b, motion(*with_link, longer), {}, wb),
                "seed 57 trial " + std::to_string(trial));
  }
}

TEST(Equivalence, TwoRobotsTogetherAreOneTree) {
  std::mt19937_64 rng(58);
  const RobotSpec first = oracle::make_robot_spec("serial"),
                  second = oracle::make_robot_spec("telescope");
  const auto pair = RobotBuilder::combine(
      *oracle::make_robot(first),
      {{oracle::make_robot(second), "other", RigidEnclosure::from_rpy({0.9, 0.3, 0}, {0, 0, 2})}});
  RobotSpec tree;
  tree.name = "both";
  tree.links.push_back({"floor", {}});
  const auto add = [&](const RobotSpec& spec, const std::string& prefix, PoseSpec pose) {
    for (auto link : spec.links) {
      link.name = prefix + link.name;
      tree.links.push_back(link);
    }
    JointSpec mount;
    mount.name = prefix + "mount";
    mount.parent = "floor";
    mount.child = prefix + spec.links.front().name;
    mount.origin = pose;
    tree.joints.push_back(mount);
    for (auto joint : spec.joints) {
      joint.name = prefix + joint.name;
      joint.parent = prefix + joint.parent;
      joint.child = prefix + joint.child;
      tree.joints.push_back(joint);
    }
    for (const auto& [a, b] : spec.disabled) tree.disabled.push_back({prefix + a, prefix + b});
  };
  add(first, "", {});
  add(second, "other/", {{0.9, 0.3, 0}, {0, 0, 2}});
  const auto one = oracle::make_robot(tree);
  // Roots that stand still in the same world are one rigid piece of the tree.
  for (int trial = 0; trial < 30; ++trial) {
    const auto scene = oracle::make_scene(oracle::random_scene(1.4, rng));
    const CollisionWorld a(pair, scene), b(one, scene);
    Workspace wa(a), wb(b);
    auto q0 = oracle::random_configuration(tree, rng);
    const auto q1 = oracle::nearby_configuration(tree, q0, 0.4, rng);
    const auto motion = [&](const Robot& r) {
      return Motion(r, oracle::positions(r, tree, q0), oracle::positions(r, tree, q1));
    };
    expect_same(check_motion(a, motion(*pair), {}, wa), check_motion(b, motion(*one), {}, wb),
                "seed 58 trial " + std::to_string(trial));
  }
}

TEST(Equivalence, ManyBoxesOrBallsInOneGeometryAreManyObjects) {
  std::mt19937_64 rng(59);
  const RobotSpec spec = oracle::make_robot_spec("humanoid");
  const auto robot = oracle::make_robot(spec);
  const auto random = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(rng);
  };
  for (int trial = 0; trial < 16; ++trial) {
    auto together = std::make_shared<Scene>(), apart = std::make_shared<Scene>();
    std::vector<Geometry::AxisAlignedBox> boxes;
    std::vector<Vector3d> centers;
    for (int i = 0; i < 40; ++i) {
      const Vector3d c(random(-1.2, 1.2), random(-1.2, 1.2), random(-1.2, 1.2));
      const Vector3d half(random(0.01, 0.1), random(0.01, 0.1), random(0.01, 0.1));
      if (c.norm() < 0.7) continue;
      boxes.push_back({c, half});
      centers.push_back(-c);
      apart->objects.push_back({"box" + std::to_string(i),
                                {{Geometry::make(Box{2 * half}), RigidEnclosure::translation(c)}}});
      apart->objects.push_back({"ball" + std::to_string(i),
                                {{Geometry::make(Sphere{0.03}), RigidEnclosure::translation(-c)}}});
    }
    if (boxes.empty()) continue;
    together->objects.push_back(
        {"boxes", {{Geometry::make_boxes(boxes), RigidEnclosure::identity()}}});
    together->objects.push_back(
        {"balls", {{Geometry::make_spheres(centers, 0.03), RigidEnclosure::identity()}}});
    const CollisionWorld a(robot, together), b(robot, apart);
    Workspace wa(a), wb(b);
    const auto q0 = oracle::random_configuration(spec, rng);
    const auto q1 = oracle::nearby_configuration(spec, q0, 0.3, rng);
    const Eigen::VectorXd e0 = oracle::positions(*robot, spec, q0),
                          e1 = oracle::positions(*robot, spec, q1);
    const std::string where = "seed 59 trial " + std::to_string(trial);
    expect_same(check_motion(a, Motion(*robot, e0, e1), {}, wa),
                check_motion(b, Motion(*robot, e0, e1), {}, wb), where);
    QueryOptions options;
    options.distances = true;
    const StateResult sa = check_state(a, e0, options, wa), sb = check_state(b, e0, options, wb);
    EXPECT_EQ(sa.verdict, sb.verdict) << where;
    if (sa.distance && sb.distance && sa.verdict == Verdict::kFree) {
      EXPECT_LE(sa.distance->lo, sb.distance->hi) << where;
      EXPECT_GE(sa.distance->hi, sb.distance->lo) << where;
    }
  }
}

TEST(Equivalence, PaddingIsARollingBall) {
  // A padded mesh keeps the distance that its triangles had, less the padding.
  const RobotSpec spec = slider(oracle::sphere(0.1));
  const auto robot = oracle::make_robot(spec);
  TriangleMesh mesh;
  const oracle::ShapeSpec shape = oracle::tetrahedron_mesh(0.3);
  for (const auto& v : shape.vertices) mesh.vertices.emplace_back(v[0], v[1], v[2]);
  mesh.triangles = shape.triangles;
  const auto scene = std::make_shared<Scene>();
  scene->objects.push_back(
      {"padded",
       {{Geometry::make_mesh(mesh, MeshFilling::kDetect, 0.05), RigidEnclosure::identity()}}});
  const CollisionWorld padded(robot, scene),
      plain(robot, oracle::make_scene(scene_of({oracle::mesh(shape)})));
  Workspace wa(padded), wb(plain);
  QueryOptions options;
  options.clearance = 0.05;
  for (const double to : {0.1, 0.3, 0.35, 2.0}) {
    const Motion motion(*robot, Eigen::VectorXd::Constant(1, 2.0),
                        Eigen::VectorXd::Constant(1, to));
    expect_same(check_motion(padded, motion, {}, wa), check_motion(plain, motion, options, wb),
                std::to_string(to));
  }
}

// Options that mean nothing are refused: a negative clearance would call an overlap free.
TEST(Options, ThatMeanNothingAreRefused) {
  const RobotSpec spec = slider(oracle::sphere(0.5));
  const SceneSpec scene = scene_of({ball_at(0.5, 0, 0.95)});
  QueryOptions good;
  EXPECT_EQ(check(spec, scene, {-5}, {5}, good).verdict, Verdict::kCollision);
  for (const double bad : {-0.1, std::nan(""), -kInfinity}) {
    QueryOptions options;
    options.clearance = bad;
    EXPECT_THROW(check(spec, scene, {-5}, {5}, options), std::invalid_argument) << bad;
    options = {};
    options.tolerance = bad;
    EXPECT_THROW(check(spec, scene, {-5}, {5}, options), std::invalid_argument) << bad;
    options = {};
    options.distances = true;
    options.distance_width = bad;
    EXPECT_THROW(check(spec, scene, {-5}, {5}, options), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace catena
