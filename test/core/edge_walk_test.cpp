// A robot against itself along an edge: what the walk over its chain tree drops stays apart, and
// the answers are those of a look at every pair.
#include "query/edge_walk.hpp"

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "motion_answers.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/motion_case.hpp"
#include "support/each_target.hpp"

namespace catena {
namespace {

using internal::EdgeWalk;
using oracle::MotionCase;
using oracle::random_motion_case;
using oracle::Real;
using test::OnEachTarget;
using test::Rng;
using test::uniform;

/// The start, as a check of it leaves it behind.
EdgeWalk::State looked_at(const MotionCase& c, Workspace& workspace) {
  Workspace::Impl& ws = workspace.impl();
  QueryStats stats;
  internal::set_poses(*c.world, c.motion, 0.0, ws, stats);
  internal::check_poses(*c.world, {}, false, ws);
  return {ws.X_WL.data(), ws.boxes.data(), &ws.moved};
}

// Property: over any interval, two parts that no pair of leaves is left for are not checked, do not
// move against each other, or are apart at every time. Oracle: positions of their balls in 80 bits.
TEST_P(OnEachTarget, WhatIsDroppedStaysApart) {
  Rng rng(51);
  std::size_t dropped = 0, left = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const MotionCase c = random_motion_case(rng, "seed 51 trial " + std::to_string(trial),
                                            2 + int(rng() % (trial % 3 == 0 ? 50 : 12)));
    const auto parts = c.world->chain_tree().parts();
    EdgeWalk walk(*c.world);
    QueryStats stats;
    Workspace workspace(*c.world);
    walk.start(*c.world, c.motion, trial % 2 == 0 ? EdgeWalk::State{} : looked_at(c, workspace));
    const auto roots = walk.pairs;
    for (int k = 0; k < 4; ++k) {
      const double lo = k == 0 ? 0.0 : uniform(rng, 0, 1);
      const double hi = k == 0 ? 1.0 : std::min(1.0, lo + std::pow(10.0, uniform(rng, -4, 0)));
      const double clearance = k % 2 == 0 ? 0.0 : uniform(rng, 0, 0.1);
      walk.set_interval(lo, hi);
      walk.pairs = roots;
      if (rng() % 2 == 0) {
        internal::set_poses(*c.world, c.motion, 0.5 * (lo + hi), workspace.impl(), stats);
        walk.sum_bounds(workspace.impl().X_WL, clearance, stats);
      }
      std::set<std::pair<int, int>> open;
      walk.stack = walk.pairs;
      while (!walk.stack.empty()) {
        const EdgeWalk::Pair pair = walk.stack.back();
        walk.stack.pop_back();
        const auto fate = walk.look_at(pair, clearance, /*narrow=*/true, stats);
        if (fate == EdgeWalk::Fate::kDivide) {
          walk.divide(pair, [&](const EdgeWalk::Pair& half) { walk.stack.push_back(half); });
        } else if (fate == EdgeWalk::Fate::kLeaves) {
          open.insert(walk.any_parts(pair));
        }
      }
      left += open.size();
      // The balls' places by the oracle's kinematics.
      oracle::Kinematics<Real> truth(c.spec);
      c.tell(truth);
      std::vector<std::vector<oracle::Vec3>> centers;
      std::vector<oracle::Pose3> X;
      for (const double share : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        truth.poses(Real(lo) + Real(share) * (Real(hi) - Real(lo)), X);
        centers.emplace_back();
        for (const auto& g : c.world->geometries()) {
          // In its body's frame, exactly; the part's ball is about the same point but for rounding.
          const Body& body = c.world->robot().body(g.body);
          const Vector3d p = body.X_LB.inverse().X * g.center;
          centers.back().push_back(X[size_t(truth.link(body.name))] *
                                   oracle::Vec3{p.x(), p.y(), p.z()});
        }
      }
      for (int a = 0; a < int(parts.size()); ++a) {
        for (int b = a + 1; b < int(parts.size()); ++b) {
          const auto& ga = c.world->geometries()[size_t(a)];
          const auto& gb = c.world->geometries()[size_t(b)];
          if (!c.world->checks(ga.body, gb.body) || open.count({a, b}) != 0) continue;
          bool moves = false;
          const LinkIndex above = c.world->chain_tree().common_ancestor(ga.link, gb.link);
          for (LinkIndex i : {ga.link, gb.link}) {
            for (; i != above; i = c.world->robot().parent(i)) {
              moves = moves || c.motion.joint(i).moves;
            }
          }
          if (!moves) continue;
          ++dropped;
          for (const auto& at : centers) {
            const Real gap = norm(at[size_t(a)] - at[size_t(b)]) - parts[size_t(a)].radius -
                             parts[size_t(b)].radius;
            ASSERT_GT(gap, Real(clearance) - 1e-12L)
                << c.where << " parts " << a << " " << b << " [" << lo << ", " << hi << "]";
          }
        }
      }
    }
  }
  EXPECT_GT(dropped, 1000U);
  EXPECT_GT(left, 200U);
}

// Property: at every time of an interval a node's ball holds the balls of its parts; one that is
// read off a state, their surfaces. Oracle: kinematics in 80 bits.
TEST_P(OnEachTarget, BallsHoldTheirPartsAllTheTime) {
  Rng rng(54);
  std::size_t held = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const MotionCase c = random_motion_case(rng, "seed 54 trial " + std::to_string(trial),
                                            2 + int(rng() % (trial % 4 == 0 ? 60 : 12)));
    const ChainTree& tree = c.world->chain_tree();
    const Robot& robot = c.world->robot();
    const auto body_of = [&](LinkIndex link) -> const Body* {
      for (const Body& body : robot.bodies()) {
        if (body.link == link) return &body;
      }
      return nullptr;
    };
    EdgeWalk walk(*c.world);
    QueryStats stats;
    Workspace workspace(*c.world);
    const bool by_state = rng() % 2 == 0;
    walk.start(*c.world, c.motion, by_state ? looked_at(c, workspace) : EdgeWalk::State{});
    oracle::Kinematics<Real> truth(c.spec);
    c.tell(truth);
    const double lo = trial % 2 == 0 ? 0.0 : uniform(rng, 0, 1);
    const double hi = trial % 2 == 0 ? 1.0 : std::min(1.0, lo + uniform(rng, 0, 0.3));
    walk.set_interval(lo, hi);
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
      std::vector<oracle::Pose3> X;
      truth.poses(Real(lo) + Real(share) * (Real(hi) - Real(lo)), X);
      // A point of a moving link, where it is given in its frame, and back.
      const auto to_world = [&](const Body& body, const Vector3d& p_L) {
        const Vector3d p = body.X_LB.inverse().X * p_L;
        return X[size_t(truth.link(body.name))] * oracle::Vec3{p.x(), p.y(), p.z()};
      };
      const auto from_world = [&](const Body& body, const oracle::Vec3& p_W) {
        const oracle::Pose3& X_WB = X[size_t(truth.link(body.name))];
        const oracle::Vec3 p = X_WB.R.transposed_times(p_W - X_WB.p);
        return Vector3d(body.X_LB.X * Vector3d(double(p.x), double(p.y), double(p.z)));
      };
      for (size_t leaf = 0; leaf < tree.nodes().size(); ++leaf) {
        if (tree.nodes()[leaf].part < 0) continue;
        const ChainTree::Part& part = tree.parts()[size_t(tree.nodes()[leaf].part)];
        const Body* const carrier = body_of(part.link);
        ASSERT_NE(carrier, nullptr);
        std::vector<Vector3d> points{part.center};
        const auto& g = c.world->geometries()[size_t(tree.nodes()[leaf].part)];
        if (by_state) points = oracle::surface_points(*g.geometry, g.X_LG.X, 4, rng);
        const double radius = by_state ? 0.0 : part.radius;
        for (int n = int(leaf); n >= 0; n = tree.nodes()[size_t(n)].parent) {
          const Body* const anchor = body_of(tree.nodes()[size_t(n)].anchor);
          if (anchor == nullptr) continue;
          const EdgeWalk::Ball& ball = walk.ball(n, stats);
          const Vector3d center(ball.center[0], ball.center[1], ball.center[2]);
          for (const Vector3d& point : points) {
            const Vector3d at = from_world(*anchor, to_world(*carrier, point));
            ASSERT_LE((at - center).norm() + radius, ball.radius + 1e-12)
                << c.where << " node " << n << " [" << lo << ", " << hi << "] share " << share;
          }
          ++held;
        }
      }
    }
  }
  EXPECT_GT(held, 10'000U);
}

// Property: the relative pose of two leaves in the middle is that of the links' poses, and no point
// of one moves by more than the bound of the displacement.
TEST_P(OnEachTarget, PartsMoveAsTheirLinksDo) {
  Rng rng(52);
  int checked = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const MotionCase c =
        random_motion_case(rng, "seed 52 trial " + std::to_string(trial), 2 + int(rng() % 20));
    EdgeWalk walk(*c.world);
    QueryStats stats;
    walk.start(*c.world, c.motion, {});
    const double lo = uniform(rng, 0, 0.9), hi = lo + 0.1 * std::pow(10.0, uniform(rng, -5, 0));
    const double middle = 0.5 * (lo + hi);
    walk.set_interval(lo, hi);
    walk.stack = walk.pairs;
    std::vector<RigidEnclosure> X_WL(size_t(c.world->robot().num_links())), Y_WL = X_WL;
    c.motion.poses(c.world->robot(), middle, X_WL);
    while (!walk.stack.empty()) {
      const EdgeWalk::Pair pair = walk.stack.back();
      walk.stack.pop_back();
      const auto fate = walk.look_at(pair, 0.1, /*narrow=*/true, stats);
      if (fate == EdgeWalk::Fate::kDivide) {
        walk.divide(pair, [&](const EdgeWalk::Pair& half) { walk.stack.push_back(half); });
      }
      if (fate != EdgeWalk::Fate::kLeaves) continue;
      const EdgeWalk::Parts parts = walk.parts_of(pair, stats);
      const auto& a = c.world->geometries()[size_t(parts.a)];
      const auto& b = c.world->geometries()[size_t(parts.b)];
      const auto relative = [&](const std::vector<RigidEnclosure>& X) {
        return (X[size_t(a.link.value)] * a.X_LG).inverse_times(X[size_t(b.link.value)] * b.X_LG);
      };
      const RigidEnclosure at = relative(X_WL);
      const double size = 1.0 + at.X.p.norm() + X_WL.back().X.p.norm();
      ASSERT_LE((at.X.R - parts.X_GaGb.X.R).norm(),
                2.0 * (at.rotation_error + parts.X_GaGb.rotation_error))
          << c.where;
      ASSERT_LE((at.X.p - parts.X_GaGb.X.p).norm(), at.position_error + parts.X_GaGb.position_error)
          << c.where;
      for (const double u : {-1.0, -0.5, 0.7, 1.0}) {
        c.motion.poses(c.world->robot(), std::clamp(middle + u * (middle - lo), lo, hi), Y_WL);
        const RigidEnclosure then = relative(Y_WL);
        for (int k = 0; k < 6; ++k) {
          Vector3d d = Vector3d::Zero();
          d[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
          const Vector3d x = b.geometry->bound_center() + b.geometry->bound_radius() * d;
          const Vector3d moved = then.X * x - at.X * x;
          ASSERT_LE(moved.norm(), parts.motion.displacement + 1e-12 * size) << c.where;
          // To first order, too.
          const Vector3d about = at.X.R * (x - b.geometry->bound_center());
          const Vector3d linear = u * (parts.motion.velocity + parts.motion.spin_b.cross(about));
          ASSERT_LE((moved - linear).norm(),
                    parts.motion.velocity_error + parts.motion.acceleration + 1e-12 * size)
              << c.where << " u " << u;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

// Property: answers agree with those of a look at every pair, and neither is wrong at any of many
// times, by states that are judged one by one.
TEST_P(OnEachTarget, AnswersAreThoseOfEveryPair) {
  Rng rng(53);
  test::MotionAnswers answers;
  for (int trial = 0; trial < 150; ++trial) {
    const MotionCase c = random_motion_case(rng, "seed 53 trial " + std::to_string(trial),
                                            2 + int(rng() % (trial % 10 == 0 ? 100 : 15)));
    QueryOptions options;
    options.budget = 500'000;
    if (trial % 3 == 1) options.clearance = uniform(rng, 0, 0.05);
    answers.compare(c, options);
    if (HasFatalFailure()) return;
  }
  answers.print();
  EXPECT_LE(answers.late, 3);
  EXPECT_GT(answers.free, 15);
  EXPECT_GT(answers.collisions, 15);
}

INSTANTIATE_TEST_SUITE_P(EdgeWalk, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

// A budget that ends leaves the edge undecided, with a pair; never free.
TEST(EdgeWalk, ABudgetThatEndsIsNeverFree) {
  Rng rng(54);
  for (int trial = 0; trial < 40; ++trial) {
    const MotionCase c =
        random_motion_case(rng, "seed 54 trial " + std::to_string(trial), 8 + int(rng() % 30));
    Workspace workspace(*c.world);
    QueryOptions options;
    const MotionResult whole = test::check(c, workspace, false, options);
    for (const std::uint64_t budget : {1ULL, 10ULL, 100ULL, 1000ULL}) {
      options.budget = budget;
      const MotionResult r = test::check(c, workspace, false, options);
      if (r.verdict == Verdict::kUndecided) continue;
      EXPECT_EQ(r.verdict, whole.verdict) << c.where << " budget " << budget;
    }
  }
}

}  // namespace
}  // namespace catena
