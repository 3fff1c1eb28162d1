#include "catena/model/motion.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "soundness/engine_bridge.hpp"
#include "soundness/kinematics.hpp"
#include "soundness/robots.hpp"
#include "support/digits50.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using oracle::JointKind;
using oracle::JointSpec;
using oracle::PoseSpec;
using oracle::RobotSpec;
using test::OnEachTarget;

using test::Digits50;
using test::mat50;
using test::Mat50;
using test::Pose50;
using test::rotation_distance;
using test::uniform;
using test::vec50;
using test::Vec50;

constexpr double kPi = 3.141592653589793;

/// Asserts that the enclosure holds the exact pose; returns how much of its errors was needed.
double expect_inside(const RigidEnclosure& X, const Pose50& exact, const std::string& where) {
  const double turn = rotation_distance(mat50(X.X.R), exact.R);
  const double shift = static_cast<double>(norm(vec50(X.X.p) - exact.p));
  EXPECT_LE(turn, X.rotation_error) << where;
  EXPECT_LE(shift, X.position_error) << where;
  return std::max(X.rotation_error > 0 ? turn / X.rotation_error : 0.0,
                  X.position_error > 0 ? shift / X.position_error : 0.0);
}

Vector3d random_vector(std::mt19937_64& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

/// An enclosure and one exact pose that it holds, by one of the constructions.
struct Known {
  RigidEnclosure X;
  Pose50 exact;
};

Known random_known(std::mt19937_64& rng) {
  const double size = std::exp(uniform(rng, std::log(1e-6), std::log(1e6)));
  const Vector3d p = random_vector(rng, size);
  Known k;
  switch (rng() % 5) {
    case 0: {
      const Vector3d rpy = random_vector(rng, rng() % 2 == 0 ? 4.0 : 1e-9);
      k.X = RigidEnclosure::from_rpy(p, rpy);
      k.exact = {oracle::rotation_rpy<Digits50>({rpy.x(), rpy.y(), rpy.z()}), vec50(p)};
      break;
    }
    case 1: {
      Eigen::Vector4d q;
      const double length = std::exp(uniform(rng, -20, 20));
      for (int i = 0; i < 4; ++i)
        q[i] = length * uniform(rng, -1, 1) * std::pow(10.0, -8.0 * double(rng() % 2));
      k.X = RigidEnclosure::from_quaternion(p, q);
      k.exact = {oracle::Quaternion<Digits50>{q[3], q[0], q[1], q[2]}.normalised().matrix(),
                 vec50(p)};
      break;
    }
    case 2: {
      const Vector3d raw = random_vector(rng, 1.0) + Vector3d(0, 0, 1e-3);
      const Vector3d axis = raw.normalized();
      const double angle = uniform(rng, -1, 1) * std::pow(10.0, uniform(rng, -9, 6));
      const Vec50 exact_axis = vec50(raw);
      const double axis_error =
          1.01 *
          static_cast<double>(norm(vec50(axis) - Digits50(1) / norm(exact_axis) * exact_axis));
      const double angle_error = uniform(rng, 0, 1e-9);
      k.X = RigidEnclosure::rotation(axis, axis_error, angle, angle_error);
      k.exact.R = oracle::rotation(
          exact_axis, Digits50(Digits50(angle) + Digits50(angle_error) * uniform(rng, -1, 1)));
      break;
    }
    case 3:
      k.X = RigidEnclosure::translation(p);
      k.exact.p = vec50(p);
      break;
    default: {
      // Errors of its own, used in full.
      k.X = RigidEnclosure::from_rpy(p, random_vector(rng, 3.0));
      k.exact = {mat50(k.X.X.R), vec50(p)};
      const double tilt = std::pow(10.0, uniform(rng, -14, -3));
      const Vector3d axis = random_vector(rng, 1.0) + Vector3d(0, 0, 1e-3);
      // Made orthogonal first; what that moves is measured.
      Mat50& R = k.exact.R;
      R.ex = Digits50(1) / norm(R.ex) * R.ex;
      R.ey = R.ey - dot(R.ex, R.ey) * R.ex;
      R.ey = Digits50(1) / norm(R.ey) * R.ey;
      R.ez = cross(R.ex, R.ey);
      R = oracle::rotation(vec50(axis), Digits50(tilt)) * R;
      k.X.rotation_error = 1.01 * rotation_distance(R, mat50(k.X.X.R)) + 1e-18;
      const Vector3d shift = random_vector(rng, size * 1e-7);
      k.exact.p = k.exact.p + vec50(shift);
      k.X.position_error = shift.norm() * (1 + 1e-15);
    }
  }
  return k;
}

// Property: products, inverses and points hold what exact arithmetic gives, for poses near and far.
TEST(RigidEnclosureProperty, OperationsHoldTheExactMotion) {
  constexpr std::uint64_t kSeed = 21;
  std::mt19937_64 rng(kSeed);
  double worst = 0.0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Known a = random_known(rng), b = random_known(rng);
    const std::string where = "seed 21 trial " + std::to_string(trial);
    worst = std::max(worst, expect_inside(a.X, a.exact, where + " itself"));
    const RigidEnclosure ab = a.X * b.X;
    worst = std::max(worst, expect_inside(ab, a.exact * b.exact, where + " product"));
    const Pose50 inverse{{{a.exact.R.ex.x, a.exact.R.ey.x, a.exact.R.ez.x},
                          {a.exact.R.ex.y, a.exact.R.ey.y, a.exact.R.ez.y},
                          {a.exact.R.ex.z, a.exact.R.ey.z, a.exact.R.ez.z}},
                         -(a.exact.R.transposed_times(a.exact.p))};
    worst = std::max(worst, expect_inside(a.X.inverse(), inverse, where + " inverse"));
    const Vector3d q = random_vector(rng, std::exp(uniform(rng, -10, 10)));
    const double off = static_cast<double>(norm(vec50(a.X.X * q) - a.exact * vec50(q)));
    ASSERT_LE(off, a.X.point_error(q.norm() * (1 + 1e-15))) << where;
    if (HasFailure()) return;
  }
  std::printf("largest share of a bound that was needed: %.3f\n", worst);
}

// Property: a chain of a thousand products still holds the exact motion, and its bound stays small.
TEST(RigidEnclosureProperty, LongProductsHoldTheExactMotion) {
  constexpr std::uint64_t kSeed = 22;
  std::mt19937_64 rng(kSeed);
  RigidEnclosure X = RigidEnclosure::identity();
  Pose50 exact;
  for (int i = 0; i < 1000; ++i) {
    const Vector3d p = random_vector(rng, 1.0), rpy = random_vector(rng, 3.0);
    X = X * RigidEnclosure::from_rpy(p, rpy);
    exact = exact * Pose50{oracle::rotation_rpy<Digits50>({rpy.x(), rpy.y(), rpy.z()}), vec50(p)};
    expect_inside(X, exact, "seed 22 factor " + std::to_string(i));
    if (HasFailure()) return;
  }
  EXPECT_LT(X.position_error, 1e-8);
}

void expect_motion(const RobotSpec& spec, const std::vector<double>& q0,
                   const std::vector<double>& q1, const std::string& where, double& worst) {
  const auto robot = oracle::make_robot(spec);
  const Eigen::VectorXd e0 = oracle::positions(*robot, spec, q0);
  const Eigen::VectorXd e1 = oracle::positions(*robot, spec, q1);
  const Motion motion(*robot, e0, e1);
  oracle::Kinematics<Digits50> truth(spec);
  truth.set_motion(q0, q1);
  std::vector<RigidEnclosure> X(static_cast<size_t>(robot->num_links()));
  std::vector<Pose50> exact;
  for (const double t : {0.0, 0.1, 0.37, 0.5, 0.77, 1.0}) {
    motion.poses(*robot, t, X);
    // The poses of one configuration have a way of their own.
    if (t == 0.0) link_poses(*robot, e0, X);
    if (t == 1.0) link_poses(*robot, e1, X);
    truth.poses(Digits50(t), exact);
    for (size_t i = 0; i < spec.links.size(); ++i) {
      const Body& body = robot->body(robot->find_body(spec.links[i].name));
      const RigidEnclosure X_WB = X[static_cast<size_t>(body.link.value)] * body.X_LB;
      worst = std::max(
          worst, expect_inside(X_WB, exact[i],
                               where + " link " + spec.links[i].name + " t " + std::to_string(t)));
      // The bound must be useful too.
      EXPECT_LT(X_WB.position_error, 1e-9) << where;
    }
    // The state that interpolate gives stands where the motion is, but for rounding; a mimic of a
    // continuous joint excepted, which does not know about turns.
    bool wraps = false;
    for (const JointSpec& j : spec.joints) wraps = wraps || !j.mimic.empty();
    if (wraps) continue;
    Eigen::VectorXd q(robot->num_positions());
    interpolate(*robot, e0, e1, t, q);
    const Motion still(*robot, q);
    std::vector<RigidEnclosure> Y(X.size());
    still.poses(*robot, 0.0, Y);
    for (size_t i = 0; i < X.size(); ++i) {
      EXPECT_LT((X[i].X.R - Y[i].X.R).norm(), 1e-11) << where << " t " << t;
      EXPECT_LT((X[i].X.p - Y[i].X.p).norm(), 1e-11) << where << " t " << t;
    }
    for (const LinkIndex i : robot->active_joints()) {
      const Joint& joint = robot->joint(i);
      if (joint.type == JointType::kContinuous) {
        EXPECT_LE(std::abs(q[joint.q_index]), kPi);
      }
      if (joint.type == JointType::kBall) {
        EXPECT_NEAR(q.segment<4>(joint.q_index).norm(), 1.0, 1e-15);
      }
    }
  }
}

// Property: every link's pose along the motion lies in the ball that is claimed, for robots with
// all joint types, mimics, fixed joints and offsets.
TEST_P(OnEachTarget, PosesHoldFiftyDigitKinematics) {
  constexpr std::uint64_t kSeed = 23;
  std::mt19937_64 rng(kSeed);
  double worst = 0.0;
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    for (int trial = 0; trial < 6; ++trial) {
      const auto q0 = oracle::random_configuration(spec, rng);
      const auto q1 =
          trial % 3 == 0 ? oracle::random_configuration(spec, rng)
                         : oracle::nearby_configuration(spec, q0, trial % 3 == 1 ? 1e-7 : 0.3, rng);
      expect_motion(spec, q0, q1, "seed 23 " + name + " trial " + std::to_string(trial), worst);
      if (HasFailure()) return;
    }
  }
  std::printf("largest share of a bound that was needed: %.3f\n", worst);
}

// Property: the same of long chains whose joints turn about the axes, against them and across them,
// at any angle up to 1e6, none and multiples of a right angle among them, with the doubles beside.
TEST_P(OnEachTarget, PosesOfTurningChainsHoldFiftyDigitKinematics) {
  std::mt19937_64 rng(29);
  double worst = 0.0;
  for (int trial = 0; trial < 3; ++trial) {
    RobotSpec spec;
    spec.name = "turns";
    spec.links = {{"l0", {}}};
    std::vector<double> q;
    for (int i = 1; i < 150; ++i) {
      JointSpec j;
      j.name = "j" + std::to_string(i);
      j.kind = i % 2 == 0 ? JointKind::kRevolute : JointKind::kContinuous;
      j.parent = "l" + std::to_string(i % 10 == 9 ? i / 2 : i - 1);
      j.child = "l" + std::to_string(i);
      spec.links.push_back({j.child, {}});
      j.axis = {0, 0, 0};
      if (i % 4 == 0) {
        j.axis = {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, 0.1, 1)};
      } else {
        j.axis[size_t(i % 3)] = i % 5 == 0 ? -1 : 1;
      }
      j.origin = {{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)},
                  {uniform(rng, -3, 3), i % 3 == 0 ? 0.0 : uniform(rng, -1, 1), 0.0}};
      j.lower = -1e6;
      j.upper = 1e6;
      spec.joints.push_back(j);
      const double size = j.kind == JointKind::kRevolute ? std::pow(10.0, uniform(rng, -3, 6)) : 3;
      double angle = i % 7 == 0 ? 0.0 : uniform(rng, -size, size);
      if (i % 7 == 3) angle = 0.5 * kPi * std::round(angle / (0.5 * kPi));
      if (i % 14 == 3) angle = std::nextafter(angle, i % 28 == 3 ? -1e6 : 1e6);
      if (i == 71) angle = trial % 2 == 0 ? 1e6 : -1e6;
      q.push_back(angle);
    }
    expect_motion(spec, q, q, "seed 29 trial " + std::to_string(trial), worst);
    if (HasFailure()) return;
  }
  std::printf("largest share of a bound that was needed: %.3f\n", worst);
}

INSTANTIATE_TEST_SUITE_P(Motion, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

RobotSpec one_joint(JointKind kind, std::array<double, 3> axis = {0, 0, 1}) {
  RobotSpec spec;
  spec.name = "one";
  spec.links = {{"base", {}}, {"body", {oracle::sphere(0.1)}}};
  JointSpec j;
  j.name = "joint";
  j.kind = kind;
  j.parent = "base";
  j.child = "body";
  j.axis = axis;
  j.origin = {{0.3, -0.2, 0.1}, {0.2, 0.1, -0.4}};
  spec.joints = {j};
  return spec;
}

// Slerp from tiny turns to half turns, q and -q, unnormalised within reason.
TEST(MotionProperty, SlerpHoldsForTinyAndForHalfTurns) {
  constexpr std::uint64_t kSeed = 24;
  std::mt19937_64 rng(kSeed);
  double worst = 0.0;
  for (const JointKind kind : {JointKind::kBall, JointKind::kFloating}) {
    const RobotSpec spec = one_joint(kind);
    for (const double angle :
         {0.0, 1e-300, 1e-17, 1e-15, 1e-12, 1e-9, 1e-8, 1e-4, 1.0, 3.0, kPi - 1e-3, kPi - 1e-6,
          kPi - 1e-9, kPi - 1e-12, kPi + 1e-9, 4.0, 2 * kPi - 1e-9}) {
      for (int trial = 0; trial < 8; ++trial) {
        const auto first = oracle::random_configuration(one_joint(JointKind::kBall), rng);
        const auto turn_axis = random_vector(rng, 1.0).normalized();
        const oracle::Quaternion<double> a{first[3], first[0], first[1], first[2]};
        const double s = std::sin(angle / 2);
        const oracle::Quaternion<double> b =
            a * oracle::Quaternion<double>{std::cos(angle / 2), s * turn_axis.x(),
                                           s * turn_axis.y(), s * turn_axis.z()};
        const double sign = trial % 2 == 0 ? 1.0 : -1.0, scale = trial % 4 < 2 ? 1.0 : 1.0005;
        std::vector<double> q0, q1;
        if (kind == JointKind::kFloating) {
          for (int k = 0; k < 3; ++k) {
            q0.push_back(uniform(rng, -100, 100));
            q1.push_back(uniform(rng, -100, 100));
          }
        }
        for (const double x : {a.x, a.y, a.z, a.w}) q0.push_back(x);
        for (const double x : {b.x, b.y, b.z, b.w}) q1.push_back(sign * scale * x);
        expect_motion(spec, q0, q1,
                      "seed 24 angle " + std::to_string(angle) + " trial " + std::to_string(trial),
                      worst);
        if (HasFailure()) return;
      }
    }
  }
}

// Angles far beyond a turn, across the seam both ways, at exactly half a turn.
TEST(MotionProperty, ContinuousJointsGoTheShorterWayFromAnyTurn) {
  constexpr std::uint64_t kSeed = 25;
  std::mt19937_64 rng(kSeed);
  double worst = 0.0;
  const RobotSpec spec = one_joint(JointKind::kContinuous, {0.3, -0.2, 1.0});
  const std::vector<std::pair<double, double>> cases{{3.0, -3.0},          {-3.0, 3.0},
                                                     {kPi, -kPi},          {kPi, 0.0},
                                                     {0.0, kPi},           {-kPi, 0.0},
                                                     {kPi / 2, -kPi / 2},  {1e6, -1e6},
                                                     {999999.0, 2.0},      {-1e6, 1e6 - 3.0},
                                                     {0.0, 0.0},           {1e-300, -1e-300},
                                                     {3.0, 3.0 + 2 * kPi}, {-3.1415926, 3.1415926}};
  for (const auto& [a, b] : cases)
    expect_motion(spec, {a}, {b}, std::to_string(a) + " to " + std::to_string(b), worst);
  for (int trial = 0; trial < 100; ++trial) {
    const double a = uniform(rng, -1e6, 1e6), b = uniform(rng, -1e6, 1e6);
    expect_motion(spec, {a}, {b}, "seed 25 " + std::to_string(a) + " to " + std::to_string(b),
                  worst);
    if (HasFailure()) return;
  }
}

// The plane's axes are those of the shortest rotation from z to the normal, whatever the normal.
TEST(MotionProperty, PlanarJointsMoveInTheAxesOfTheShortestRotation) {
  constexpr std::uint64_t kSeed = 26;
  std::mt19937_64 rng(kSeed);
  double worst = 0.0;
  std::vector<std::array<double, 3>> axes{{0, 0, 1},     {1, 0, 0},    {0, 1, 0},
                                          {0, -3, 0},    {1, 1, 1},    {0.1, 0.2, -1},
                                          {1e-3, 0, -1}, {1e-9, 0, 1}, {0, 0, 7}};
  for (int i = 0; i < 20; ++i) {
    const Vector3d v = random_vector(rng, 1.0);
    axes.push_back({v.x(), v.y(), v.z()});
  }
  for (const auto& axis : axes) {
    const RobotSpec spec = one_joint(JointKind::kPlanar, axis);
    for (int trial = 0; trial < 5; ++trial) {
      const std::vector<double> q0{uniform(rng, -9, 9), uniform(rng, -9, 9), uniform(rng, -4, 4)};
      const std::vector<double> q1{uniform(rng, -9, 9), uniform(rng, -9, 9), uniform(rng, -4, 4)};
      expect_motion(spec, q0, q1,
                    "seed 26 axis " + std::to_string(axis[0]) + " " + std::to_string(axis[1]) +
                        " " + std::to_string(axis[2]),
                    worst);
      if (HasFailure()) return;
    }
  }
}

// Joint motion bounds: the pose's change over any part of the motion is within speed and rate.
TEST(MotionProperty, SpeedAndRateBoundTheMotion) {
  constexpr std::uint64_t kSeed = 27;
  std::mt19937_64 rng(kSeed);
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    const auto robot = oracle::make_robot(spec);
    for (int trial = 0; trial < 10; ++trial) {
      const auto q0 = oracle::random_configuration(spec, rng);
      const auto q1 = oracle::nearby_configuration(spec, q0, trial % 2 == 0 ? 1.0 : 1e-6, rng);
      const Motion motion(*robot, oracle::positions(*robot, spec, q0),
                          oracle::positions(*robot, spec, q1));
      oracle::Kinematics<Digits50> truth(spec);
      truth.set_motion(q0, q1);
      for (size_t j = 0; j < spec.joints.size(); ++j) {
        if (spec.joints[j].kind == JointKind::kFixed) continue;
        const LinkIndex link = robot->body(robot->find_body(spec.joints[j].child)).link;
        const auto& m = motion.joint(link);
        const auto& path = truth.path(static_cast<int>(j));
        EXPECT_LE(norm(path.v), Digits50(m.speed_bound)) << spec.joints[j].name;
        EXPECT_LE(abs(path.rate), Digits50(m.rate_bound)) << spec.joints[j].name;
        if (!m.moves) {
          EXPECT_TRUE(norm(path.v) == 0 && path.rate == 0) << spec.joints[j].name;
        }
      }
    }
  }
}

// Property: every link's pose along a spline lies in the ball that is claimed, and rates and
// velocities, and their changes, are what differences of the oracle's curves say.
TEST(MotionProperty, SplinesHoldFiftyDigitKinematics) {
  std::mt19937_64 rng(28);
  double worst = 0.0;
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    const auto robot = oracle::make_robot(spec);
    for (int trial = 0; trial < 12; ++trial) {
      const auto q0 = oracle::random_configuration(spec, rng);
      const auto q1 = oracle::nearby_configuration(spec, q0, trial % 2 == 0 ? 0.5 : 1e-6, rng);
      const oracle::SplineSpec spline = oracle::random_spline(spec, q0, q1, rng);
      const std::string where = "seed 28 " + name + " trial " + std::to_string(trial);
      const Motion motion = oracle::make_motion(*robot, spec, spline);
      oracle::Kinematics<Digits50> truth(spec);
      truth.set_spline(spline);
      std::vector<RigidEnclosure> X(static_cast<size_t>(robot->num_links()));
      std::vector<Pose50> exact;
      for (const double t : {0.0, 0.1, 0.37, 0.5, 0.77, 1.0}) {
        motion.poses(*robot, t, X);
        truth.poses(Digits50(t), exact);
        for (size_t i = 0; i < spec.links.size(); ++i) {
          const Body& body = robot->body(robot->find_body(spec.links[i].name));
          const RigidEnclosure X_WB = X[static_cast<size_t>(body.link.value)] * body.X_LB;
          worst = std::max(worst, expect_inside(X_WB, exact[i], where + " " + spec.links[i].name));
          EXPECT_LT(X_WB.position_error, 1e-8) << where;
        }
        for (size_t j = 0; j < spec.joints.size(); ++j) {
          if (spec.joints[j].kind == JointKind::kFixed) continue;
          const LinkIndex link = robot->body(robot->find_body(spec.joints[j].child)).link;
          const auto& m = motion.joint(link);
          const auto& path = truth.path(static_cast<int>(j));
          if (!m.moves) {
            // The oracle's slerp of a quaternion to itself is off in the last digits.
            EXPECT_LT(path.greatest_speed() + path.greatest_rate(), Digits50(1e-40)) << where;
            continue;
          }
          const Motion::Curve& curve = *motion.curve(link);
          const Digits50 h("1e-18"), s(t);
          const Digits50 rate = (path.angle_at(s + h) - path.angle_at(s - h)) / (2 * h);
          const auto velocity = (Digits50(1) / (2 * h)) * (path.p_at(s + h) - path.p_at(s - h));
          const Digits50 rate_change =
              (path.angle_at(s + h) - 2 * path.angle_at(s) + path.angle_at(s - h)) / (h * h);
          const auto acceleration =
              (Digits50(1) / (h * h)) *
              (path.p_at(s + h) - Digits50(2) * path.p_at(s) + path.p_at(s - h));
          const Vector3d v = motion.velocity(link, t);
          const auto v_error = velocity - oracle::Vec<Digits50>{v.x(), v.y(), v.z()};
          // The differences are off by 1e-25 or so.
          const Digits50 rough(1e-20);
          EXPECT_LE(abs(rate - motion.rate(link, t)), curve.rate_error + rough) << where;
          EXPECT_LE(norm(v_error), curve.speed_error + rough) << where;
          EXPECT_LE(abs(rate), m.rate_bound + rough) << where;
          EXPECT_LE(norm(velocity), m.speed_bound + rough) << where;
          EXPECT_LE(abs(rate_change), curve.angular_acceleration_bound + Digits50(1e-10)) << where;
          EXPECT_LE(norm(acceleration), curve.acceleration_bound + Digits50(1e-10)) << where;
        }
        if (HasFailure()) return;
      }
    }
  }
  std::printf("largest share of a bound that was needed: %.3f\n", worst);
}

// A cubic and a quintic whose values are known in closed form: half-way between two knots at rest
// both are half-way, at 3 or 2 and at 15/8 times the mean velocity.
TEST(Motion, SplinesBetweenKnotsAtRestAreTheKnownOnes) {
  const RobotSpec spec = one_joint(JointKind::kContinuous);
  const auto robot = oracle::make_robot(spec);
  const auto one = [](double x) { return Eigen::VectorXd::Constant(1, x); };
  const Motion line(*robot, {one(1.0), {}, {}}, {one(9.0), {}, {}}, 4.0);
  const Motion cubic(*robot, {one(1.0), one(0.0), {}}, {one(9.0), one(0.0), {}}, 4.0);
  const Motion quintic(*robot, {one(1.0), one(0.0), one(0.0)}, {one(9.0), one(0.0), one(0.0)}, 4.0);
  // By the path parameter, not by time.
  EXPECT_NEAR(line.rate(LinkIndex(1), 0.5), 8.0, 1e-12);
  EXPECT_NEAR(cubic.rate(LinkIndex(1), 0.5), 1.5 * 8.0, 1e-12);
  EXPECT_NEAR(quintic.rate(LinkIndex(1), 0.5), 15.0 / 8.0 * 8.0, 1e-12);
  // 9 rad is a whole turn further on than the state, and is reached all the way.
  for (const Motion* motion : {&line, &cubic, &quintic}) {
    const Matrix3d half = robot->turned(LinkIndex(1), 5.0, 0.0).X.R;
    std::vector<RigidEnclosure> X(2);
    motion->poses(*robot, 0.5, X);
    EXPECT_LT((X[1].X.R - half).norm(), 1e-14);
  }
}

TEST(Motion, RefusesWhatIsNoSpline) {
  RobotSpec spec = one_joint(JointKind::kRevolute);
  spec.joints[0].lower = -1;
  spec.joints[0].upper = 1;
  const auto robot = oracle::make_robot(spec);
  const auto expect_refused = [](const Robot& of, const Knot& from, const Knot& to, double duration,
                                 const std::string& part) {
    try {
      const Motion motion(of, from, to, duration);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const auto one = [](double x) { return Eigen::VectorXd::Constant(1, x); };
  const Knot still{one(0), one(0), {}};
  expect_refused(*robot, still, still, 0.0, "time above 0");
  expect_refused(*robot, still, still, std::nan(""), "time above 0");
  expect_refused(*robot, still, {one(2), one(0), {}}, 1.0, "limits");
  expect_refused(*robot, still, {one(0), one(kInfinity), {}}, 1.0, "not a finite number");
  expect_refused(*robot, still, {one(0), {}, {}}, 1.0, "the other has not");
  expect_refused(*robot, {one(0), {}, one(0)}, {one(0), {}, one(0)}, 1.0, "no velocities");
  expect_refused(*robot, still, {one(0), Eigen::VectorXd::Zero(2), {}}, 1.0, "2 velocities");
  expect_refused(*robot, still, {one(0), one(1e7), {}}, 1.0, "1e6 rad");
  expect_refused(*robot, still, {one(0), one(1e300), {}}, 1e300, "joint");
  // Between its knots it may leave the limits.
  EXPECT_NO_THROW(Motion(*robot, still, {one(1), one(9), {}}, 1.0));
  const auto ball = oracle::make_robot(one_joint(JointKind::kBall));
  const Eigen::Vector4d upright(0, 0, 0, 1), turned(0, 0, 0.6, 0.8), rest = Eigen::Vector4d::Zero();
  expect_refused(*ball, {upright, rest, {}}, {turned, rest, {}}, 1.0, "stand still");
  expect_refused(*ball, {upright, rest, {}}, {upright, upright, {}}, 1.0, "stand still");
  EXPECT_NO_THROW(Motion(*ball, {turned, rest, {}}, {turned, rest, {}}, 1.0));
}

// Bad input throws and names the joint.
TEST(Motion, RefusesWhatIsNoConfiguration) {
  const auto expect_refused = [](const RobotSpec& spec, const std::vector<double>& q,
                                 const std::string& part) {
    const auto robot = oracle::make_robot(spec);
    const Eigen::VectorXd e = oracle::positions(*robot, spec, q);
    try {
      validate_positions(*robot, e);
      ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const double nan = std::nan("");
  expect_refused(one_joint(JointKind::kContinuous), {nan}, "joint");
  expect_refused(one_joint(JointKind::kContinuous), {kInfinity}, "joint");
  expect_refused(one_joint(JointKind::kContinuous), {1.0001e6}, "1e6");
  expect_refused(one_joint(JointKind::kRevolute), {-kInfinity}, "joint");
  expect_refused(one_joint(JointKind::kPlanar), {0, nan, 0}, "joint");
  expect_refused(one_joint(JointKind::kBall), {0, 0, 0, 0}, "quaternion");
  expect_refused(one_joint(JointKind::kFloating), {0, 0, kInfinity, 0, 0, 0, 1}, "joint");
  RobotSpec limited = one_joint(JointKind::kRevolute);
  limited.joints[0].lower = -1;
  limited.joints[0].upper = 1;
  expect_refused(limited, {1 + 1e-8}, "limits");
  const auto robot = oracle::make_robot(limited);
  EXPECT_NO_THROW(validate_positions(*robot, Eigen::VectorXd::Constant(1, 1 + 0.9e-9)));
  EXPECT_THROW(validate_positions(*robot, Eigen::VectorXd::Zero(2)), std::invalid_argument);
}

// A mimic that the seam would tear is refused: its end would not be where its end state says.
TEST(Motion, RefusesAMimicThatTheSeamTears) {
  RobotSpec spec = one_joint(JointKind::kContinuous);
  spec.links.push_back({"follower", {}});
  JointSpec j = spec.joints[0];
  j.name = "mimic";
  j.parent = "body";
  j.child = "follower";
  j.mimic = "joint";
  j.multiplier = 0.5;
  spec.joints.push_back(j);
  const auto robot = oracle::make_robot(spec);
  const auto q = [&](double x) { return oracle::positions(*robot, spec, {x}); };
  EXPECT_NO_THROW(Motion(*robot, q(1.0), q(-1.0)));
  EXPECT_THROW(Motion(*robot, q(3.0), q(-3.0)), std::invalid_argument);
  spec.joints[1].multiplier = -2.0;
  const auto whole = oracle::make_robot(spec);
  EXPECT_NO_THROW(Motion(*whole, q(3.0), q(-3.0)));
}

}  // namespace
}  // namespace catena
