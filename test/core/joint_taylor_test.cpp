// Taylor models of joints, and of links by products along a robot, hold the exact motion, in
// 50-digit kinematics.
#include "model/joint_taylor.hpp"

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "soundness/engine_bridge.hpp"
#include "soundness/kinematics.hpp"
#include "soundness/robots.hpp"
#include "support/digits50.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using internal::RigidTaylor;
using oracle::JointKind;
using oracle::JointSpec;
using oracle::RobotSpec;
using test::Digits50;
using test::OnEachTarget;
using test::Pose50;
using test::rotation_distance;
using test::uniform;
using test::value;

/// The largest shares of what is claimed that were needed.
struct Worst {
  double turn = 0.0, shift = 0.0;
};

/// From one configuration to another, or a spline.
struct Moves {
  std::vector<double> q0, q1;
  std::optional<oracle::SplineSpec> spline = {};
};

/// Every link's model over [lo, hi], each by a product with its parent's, against the oracle at
/// many times. Both ways to make a joint's model must hold.
template <int Order>
void expect_links(const RobotSpec& spec, const Moves& moves, double lo, double hi, bool in_blocks,
                  const std::string& where, Worst& worst) {
  const auto robot = oracle::make_robot(spec);
  const Motion motion = moves.spline ? oracle::make_motion(*robot, spec, *moves.spline)
                                     : Motion(*robot, oracle::positions(*robot, spec, moves.q0),
                                              oracle::positions(*robot, spec, moves.q1));
  const double middle = 0.5 * (lo + hi), half = round_up(std::max(hi - middle, middle - lo));
  const int n = robot->num_links();
  std::vector<RigidTaylor<Order>> X_PL(static_cast<size_t>(n)), X_WL(static_cast<size_t>(n));
  X_WL[0] = RigidTaylor<Order>::identity();
  for (int i = 1; i < n; ++i) {
    const auto k = static_cast<size_t>(i);
    if (in_blocks) {
      const int first = std::max(1, i / internal::kJointBlock * internal::kJointBlock);
      const int last = std::min(
          n, first / internal::kJointBlock * internal::kJointBlock + internal::kJointBlock);
      model_joints(*robot, motion, first, last, i, middle, half, X_PL.data());
    } else {
      model_joint(*robot, motion, LinkIndex(i), middle, half, X_PL[k]);
    }
    multiply(X_WL[static_cast<size_t>(robot->parent(LinkIndex(i)).value)], X_PL[k], X_WL[k]);
  }
  oracle::Kinematics<Digits50> truth(spec);
  if (moves.spline) {
    truth.set_spline(*moves.spline);
  } else {
    truth.set_motion(moves.q0, moves.q1);
  }
  std::vector<Pose50> exact;
  for (const double share : {0.0, 0.3, 0.5, 1.0}) {
    const double t = std::clamp(lo + share * (hi - lo), lo, hi);
    const Digits50 u = (Digits50(t) - middle) / half;
    truth.poses(Digits50(t), exact);
    for (size_t i = 0; i < spec.links.size(); ++i) {
      const Body& body = robot->body(robot->find_body(spec.links[i].name));
      RigidTaylor<Order> X_WB;
      multiply(X_WL[static_cast<size_t>(body.link.value)], RigidTaylor<Order>::still(body.X_LB),
               X_WB);
      const Pose50 at = value(X_WB, u);
      const double turn = rotation_distance(at.R, exact[i].R);
      const double shift = static_cast<double>(norm(at.p - exact[i].p));
      const std::string here = where + " order " + std::to_string(Order) + " link " +
                               spec.links[i].name + " t " + std::to_string(t);
      ASSERT_LE(turn, X_WB.rotation_error) << here;
      ASSERT_LE(shift, X_WB.position_error) << here;
      if (turn > 0) worst.turn = std::max(worst.turn, turn / X_WB.rotation_error);
      if (shift > 0) worst.shift = std::max(worst.shift, shift / X_WB.position_error);
      if (t == middle) {
        ASSERT_LE(turn, X_WB.mid_rotation_error) << here;
        ASSERT_LE(shift, X_WB.mid_position_error) << here;
        // The bound must be useful too.
        ASSERT_LT(X_WB.mid_position_error, 1e-8) << here;
      }
    }
  }
}

void expect_all_orders(const RobotSpec& spec, const Moves& moves, std::mt19937_64& rng,
                       bool in_blocks, const std::string& where, Worst* worst) {
  // All of it, a part, and one so short that rounding is what counts.
  const double lo = uniform(rng, 0.0, 1.0);
  const double hi = std::min(1.0, lo + std::pow(10.0, uniform(rng, -8.0, 0.0)));
  for (const auto& [from, to] : {std::pair(0.0, 1.0), std::pair(lo, hi)}) {
    const std::string here = where + " [" + std::to_string(from) + ", " + std::to_string(to) + "]";
    expect_links<1>(spec, moves, from, to, in_blocks, here, worst[1]);
    expect_links<2>(spec, moves, from, to, in_blocks, here, worst[2]);
    expect_links<3>(spec, moves, from, to, in_blocks, here, worst[3]);
  }
}

void print(const Worst* worst) {
  for (int order = 1; order <= 3; ++order) {
    std::printf("order %d: largest share of a bound that was needed: turn %.3f, shift %.3f\n",
                order, worst[order].turn, worst[order].shift);
  }
}

// Property: along any part of any motion every link's pose lies in the ball that is claimed, for
// robots with all joint types, mimics, fixed joints and offsets.
TEST_P(OnEachTarget, ModelsHoldFiftyDigitKinematics) {
  std::mt19937_64 rng(41);
  Worst worst[4];
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    for (int trial = 0; trial < 3; ++trial) {
      const auto q0 = oracle::random_configuration(spec, rng);
      const double share = trial == 1 ? 1e-7 : 0.1;
      const auto q1 = trial == 0 ? oracle::random_configuration(spec, rng)
                                 : oracle::nearby_configuration(spec, q0, share, rng);
      expect_all_orders(spec, {q0, q1}, rng, trial % 2 == 0,
                        "seed 41 " + name + " trial " + std::to_string(trial), worst);
      if (HasFatalFailure()) return;
    }
  }
  print(worst);
}

// Property: the same of splines of all degrees, which overshoot.
TEST_P(OnEachTarget, ModelsOfSplinesHoldFiftyDigitKinematics) {
  std::mt19937_64 rng(43);
  Worst worst[4];
  for (const std::string& name : oracle::robot_names()) {
    const RobotSpec spec = oracle::make_robot_spec(name);
    for (int trial = 0; trial < 4; ++trial) {
      const auto q0 = oracle::random_configuration(spec, rng);
      const auto q1 = oracle::nearby_configuration(spec, q0, trial % 2 == 0 ? 0.3 : 1e-6, rng);
      const oracle::SplineSpec spline = oracle::random_spline(spec, q0, q1, rng);
      expect_all_orders(spec, {q0, q1, spline}, rng, trial % 2 == 0,
                        "seed 43 " + name + " trial " + std::to_string(trial), worst);
      if (HasFatalFailure()) return;
    }
  }
  print(worst);
}

// Property: the same of joints of each kind about any axis, along one, against one; at rest,
// slowly, fast, far from zero and across the seam.
TEST_P(OnEachTarget, ModelsOfOneJointHoldFiftyDigitKinematics) {
  std::mt19937_64 rng(42);
  Worst worst[4];
  const std::vector<std::array<double, 3>> axes{{1, 0, 0},  {0, 1, 0},    {0, 0, 1},
                                                {-1, 0, 0}, {0, -1, 0},   {0, 0, -1},
                                                {1, 2, 3},  {1e-6, 0, 1}, {-0.3, 0.2, -0.1}};
  for (const JointKind kind : {JointKind::kRevolute, JointKind::kContinuous, JointKind::kPrismatic,
                               JointKind::kPlanar, JointKind::kFloating, JointKind::kBall}) {
    for (int trial = 0; trial < 15; ++trial) {
      RobotSpec spec;
      spec.name = "one";
      spec.links = {{"base", {}}, {"body", {}}, {"follower", {}}};
      JointSpec j;
      j.name = "joint";
      j.kind = kind;
      j.parent = "base";
      j.child = "body";
      j.axis = axes[rng() % axes.size()];
      j.origin = {{uniform(rng, -3, 3), 0.2, uniform(rng, -1, 1)},
                  {uniform(rng, -3, 3), rng() % 2 == 0 ? 0.0 : 0.7, 0.0}};
      const bool follows = kind == JointKind::kRevolute || kind == JointKind::kPrismatic;
      if (follows) {
        j.lower = -1e6;
        j.upper = 1e6;
      }
      spec.joints = {j};
      JointSpec mimic = j;
      mimic.name = "mimic";
      mimic.parent = "body";
      mimic.child = "follower";
      if (follows) {
        mimic.mimic = "joint";
        mimic.multiplier = uniform(rng, -3, 3);
        mimic.offset = uniform(rng, -3, 3);
      } else {
        mimic.kind = JointKind::kFixed;
      }
      spec.joints.push_back(mimic);
      auto q0 = oracle::random_configuration(spec, rng),
           q1 = oracle::random_configuration(spec, rng);
      if (follows) {
        const double size = std::pow(10.0, uniform(rng, -3, 5));
        q0[0] = uniform(rng, -size, size);
        q1[0] = q0[0] + uniform(rng, -1, 1) * std::pow(10.0, uniform(rng, -12, 0));
        if (trial % 5 == 0) q1[0] = q0[0];
      }
      if (kind == JointKind::kContinuous && trial % 2 == 0) {
        q0[0] = 3.0;
        q1[0] = -3.0;
      }
      Moves moves{q0, q1};
      if (trial % 3 == 2) {
        // By whole turns and more, where that is allowed.
        if (kind == JointKind::kContinuous) q1[0] = q0[0] + uniform(rng, -40, 40);
        moves.spline = oracle::random_spline(spec, q0, q1, rng);
      }
      expect_all_orders(
          spec, moves, rng, trial % 2 == 0,
          "seed 42 kind " + std::to_string(int(kind)) + " trial " + std::to_string(trial), worst);
      if (HasFatalFailure()) return;
    }
  }
  print(worst);
}

INSTANTIATE_TEST_SUITE_P(JointTaylor, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

// Composed along a tree, the tip of a long chain that turns all its joints is known to less than a
// link; matrices of intervals, link after link, lose it by 10^7 links and more.
TEST(JointTaylor, RemaindersOfLongChainsStayBelowALink) {
  std::mt19937_64 rng(44);
  for (const auto& [links, turn, half] :
       {std::tuple(256, 0.5, 1.0 / 32), std::tuple(1024, 0.1, 1.0 / 16)}) {
    RobotSpec spec;
    spec.name = "chain";
    spec.links = {{"l0", {}}};
    std::vector<double> q0, q1;
    for (int i = 1; i <= links; ++i) {
      JointSpec j;
      j.name = "j" + std::to_string(i);
      j.kind = JointKind::kContinuous;
      j.parent = "l" + std::to_string(i - 1);
      j.child = "l" + std::to_string(i);
      j.axis = {0, i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0};
      j.origin = {{1, 0, 0}, {0, 0, 0}};
      spec.links.push_back({j.child, {}});
      spec.joints.push_back(j);
      q0.push_back(uniform(rng, -0.5, 0.5));
      q1.push_back(q0.back() + uniform(rng, -turn, turn));
    }
    const auto robot = oracle::make_robot(spec);
    const Motion motion(*robot, oracle::positions(*robot, spec, q0),
                        oracle::positions(*robot, spec, q1));
    std::vector<RigidTaylor<2>> models;
    for (int i = 1; i <= links; ++i) {
      model_joint(*robot, motion, LinkIndex(i), 0.5, half, models.emplace_back());
    }
    while (models.size() > 1) {
      for (size_t i = 0; i < models.size() / 2; ++i) {
        RigidTaylor<2> product;
        multiply(models[2 * i], models[2 * i + 1], product);
        models[i] = product;
      }
      models.resize(models.size() / 2);
    }
    EXPECT_LT(models[0].position_error, 1.0) << "seed 44, " << links << " links";
    EXPECT_GT(models[0].position_error, 1e-3);
  }
}

// Models of half the length are off by an eighth, at order 2: what is cut off is of order 3.
TEST(JointTaylor, ErrorsFallWithTheOrder) {
  const RobotSpec spec = oracle::make_robot_spec(oracle::robot_names().front());
  std::mt19937_64 rng(43);
  const auto robot = oracle::make_robot(spec);
  const auto q0 = oracle::random_configuration(spec, rng);
  const auto q1 = oracle::nearby_configuration(spec, q0, 0.2, rng);
  const Motion motion(*robot, oracle::positions(*robot, spec, q0),
                      oracle::positions(*robot, spec, q1));
  for (int i = 1; i < robot->num_links(); ++i) {
    RigidTaylor<2> whole, part;
    model_joint(*robot, motion, LinkIndex(i), 0.5, 0.5, whole);
    model_joint(*robot, motion, LinkIndex(i), 0.5, 0.25, part);
    if (whole.rotation_error < 1e-9) continue;
    EXPECT_NEAR(part.rotation_error / whole.rotation_error, 0.125, 1e-3);
  }
}

}  // namespace
}  // namespace catena
