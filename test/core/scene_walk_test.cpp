// A robot against a scene along an edge: what the walk over its chain tree drops stays apart, and
// the answers are those of a look at every pair.
#include "query/scene_walk.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "catena/model/robot_builder.hpp"
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

// Property: at every time of an interval a node's swept box holds the surfaces of its parts, and
// all that is within the margin. Oracle: kinematics in 80 bits.
TEST_P(OnEachTarget, SweptBoxesHoldTheirPartsAllTheTime) {
  Rng rng(61);
  std::size_t held = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const MotionCase c =
        random_motion_case(rng, "seed 61 trial " + std::to_string(trial), 2 + int(rng() % 12));
    const ChainTree& tree = c.world->chain_tree();
    EdgeWalk walk(*c.world);
    QueryStats stats;
    walk.start(*c.world, c.motion, {});
    oracle::Kinematics<Real> truth(c.spec);
    c.tell(truth);
    const double lo = trial % 2 == 0 ? 0.0 : uniform(rng, 0, 1);
    const double hi = trial % 2 == 0 ? 1.0 : std::min(1.0, lo + uniform(rng, 0, 0.3));
    const double margin = trial % 3 == 0 ? 0.0 : uniform(rng, 0, 0.1);
    walk.set_interval(lo, hi);
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
      std::vector<oracle::Pose3> X;
      truth.poses(Real(lo) + Real(share) * (Real(hi) - Real(lo)), X);
      for (size_t leaf = 0; leaf < tree.nodes().size(); ++leaf) {
        if (tree.nodes()[leaf].part < 0) continue;
        const auto& g = c.world->geometries()[size_t(tree.nodes()[leaf].part)];
        const Body& body = c.world->robot().body(g.body);
        const RigidTransform X_BG = body.X_LB.inverse().X * g.X_LG.X;
        for (const Vector3d& p : oracle::surface_points(*g.geometry, X_BG, 4, rng)) {
          const oracle::Vec3 at =
              X[size_t(truth.link(body.name))] * oracle::Vec3{p.x(), p.y(), p.z()};
          const Vector3d p_W(double(at.x), double(at.y), double(at.z));
          for (int n = int(leaf); n >= 0; n = tree.nodes()[size_t(n)].parent) {
            const EdgeWalk::Swept swept = walk.swept(n, margin, stats);
            const double room = std::min((p_W - swept.box.lower()).minCoeff(),
                                         (swept.box.upper() - p_W).minCoeff());
            ASSERT_GE(room, margin - 1e-12 * (1.0 + p_W.norm()))
                << c.where << " node " << n << " [" << lo << ", " << hi << "] share " << share;
            ++held;
          }
        }
      }
    }
  }
  EXPECT_GT(held, 50'000U);
}

// Property: a part's pose in the middle is that of its link, and seen from there what stands still
// goes as the motion says, to first order and in all.
TEST_P(OnEachTarget, MoversMoveAsTheirLinksDo) {
  Rng rng(62);
  int checked = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const MotionCase c =
        random_motion_case(rng, "seed 62 trial " + std::to_string(trial), 2 + int(rng() % 20));
    EdgeWalk walk(*c.world);
    QueryStats stats;
    walk.start(*c.world, c.motion, {});
    const double lo = uniform(rng, 0, 0.9), hi = lo + 0.1 * std::pow(10.0, uniform(rng, -5, 0));
    const double middle = 0.5 * (lo + hi);
    walk.set_interval(lo, hi);
    std::vector<RigidEnclosure> X_WL(size_t(c.world->robot().num_links())), Y_WL = X_WL;
    c.motion.poses(c.world->robot(), middle, X_WL);
    const auto nodes = c.world->chain_tree().nodes();
    for (int leaf = 0; leaf < int(nodes.size()); ++leaf) {
      if (nodes[size_t(leaf)].part < 0) continue;
      const EdgeWalk::Mover mover = walk.mover(leaf, stats);
      const auto& a = c.world->geometries()[size_t(nodes[size_t(leaf)].part)];
      const RigidEnclosure at = X_WL[size_t(a.link.value)] * a.X_LG;
      ASSERT_LE((at.X.R - mover.X_WG.X.R).norm(),
                2.0 * (at.rotation_error + mover.X_WG.rotation_error))
          << c.where;
      ASSERT_LE((at.X.p - mover.X_WG.X.p).norm(), at.position_error + mover.X_WG.position_error)
          << c.where;
      const double size = 1.0 + at.X.p.norm();
      for (const double u : {-1.0, -0.5, 0.7, 1.0}) {
        c.motion.poses(c.world->robot(), std::clamp(middle + u * (middle - lo), lo, hi), Y_WL);
        const RigidEnclosure then = Y_WL[size_t(a.link.value)] * a.X_LG;
        for (int k = 0; k < 6; ++k) {
          Vector3d d = Vector3d::Zero();
          d[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
          const Vector3d about = a.geometry->bound_radius() * d;
          const Vector3d x = a.geometry->bound_center() + about;
          // In a's frame of the middle, which stands still.
          const Vector3d moved = at.X.R.transpose() * (then.X * x - at.X * x);
          ASSERT_LE(moved.norm(), mover.motion.displacement + 1e-12 * size) << c.where;
          const Vector3d linear = u * (mover.motion.spin_a.cross(about) - mover.motion.velocity);
          ASSERT_LE((moved - linear).norm(),
                    mover.motion.velocity_error + mover.motion.acceleration + 1e-12 * size)
              << c.where << " u " << u;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 10'000);
}

// Property: answers agree with those of a look at every pair, distances too, and neither is wrong
// at any of many times, by states that are judged one by one.
TEST_P(OnEachTarget, AnswersBesideASceneAreThoseOfEveryPair) {
  Rng rng(63);
  test::MotionAnswers answers;
  for (int trial = 0; trial < 400; ++trial) {
    const MotionCase c =
        random_motion_case(rng, "seed 63 trial " + std::to_string(trial),
                           2 + int(rng() % (trial % 10 == 0 ? 60 : 10)), /*with_scene=*/true);
    QueryOptions options;
    options.budget = 500'000;
    if (trial % 3 == 1) options.clearance = uniform(rng, 0, 0.05);
    options.distances = trial % 4 == 0;
    answers.compare(c, options);
    if (HasFatalFailure()) return;
  }
  answers.print();
  EXPECT_LE(answers.late, 8);
  EXPECT_GT(answers.free, 40);
  EXPECT_GT(answers.collisions, 40);
  EXPECT_GT(answers.measured, 5);
}

INSTANTIATE_TEST_SUITE_P(SceneWalk, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

// A part that is small beside an element is decided by that element's distance, whatever its own
// size: it once waited for intervals in which it moves by no more than that.
TEST(SceneWalk, SmallPartsBesideLargeElementsTakeFewIntervals) {
  for (const double radius : {0.0, 1e-9, 1e-6, 1e-3, 0.01}) {
    for (const bool box : {false, true}) {
      RobotDescription description;
      description.name = "glider";
      const RigidEnclosure here = RigidEnclosure::identity();
      description.links = {{"base", {}}, {"tip", {{Geometry::make(Sphere{radius}), here}}}};
      JointDescription joint;
      joint.name = "slide";
      joint.type = JointType::kPrismatic;
      joint.parent = "base";
      joint.child = "tip";
      joint.axis = Vector3d(1.0, 1.0, 0.0);
      joint.lower = -10.0;
      joint.upper = 10.0;
      description.joints.push_back(joint);
      auto scene = std::make_shared<Scene>();
      // 0.28 m beside the whole way, and aslant.
      PlacedGeometry wall{nullptr, RigidEnclosure::from_rpy({0.0, 0.4, 0.0}, {0.0, 0.0, 0.785398})};
      if (box) {
        wall.geometry = Geometry::make(Box{{6.0, 0.1, 0.1}});
      } else {
        TriangleMesh mesh;
        mesh.vertices = {{-3.0, 0.0, -1.0}, {3.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
        mesh.triangles = {{0, 1, 2}};
        wall.geometry = Geometry::make_mesh(std::move(mesh));
      }
      scene->objects.push_back({"wall", {wall}});
      const CollisionWorld world(RobotBuilder::build(description), scene);
      Workspace workspace(world);
      const Motion motion(world.robot(), Eigen::VectorXd::Constant(1, -1.0),
                          Eigen::VectorXd::Constant(1, 1.0));
      const MotionResult r = check_motion(world, motion, {}, workspace);
      EXPECT_EQ(r.verdict, Verdict::kFree) << radius;
      EXPECT_LE(r.stats.intervals, 3U) << radius << (box ? " box" : " triangle");
    }
  }
}

// A budget that ends leaves the edge undecided; never free.
TEST(SceneWalk, ABudgetThatEndsIsNeverFree) {
  Rng rng(64);
  int ended = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const MotionCase c = random_motion_case(rng, "seed 64 trial " + std::to_string(trial),
                                            4 + int(rng() % 20), /*with_scene=*/true);
    Workspace workspace(*c.world);
    QueryOptions options;
    const MotionResult whole = test::check(c, workspace, false, options);
    for (const std::uint64_t budget : {1ULL, 10ULL, 100ULL, 1000ULL}) {
      options.budget = budget;
      const MotionResult r = test::check(c, workspace, false, options);
      ended += r.verdict != whole.verdict ? 1 : 0;
      if (r.verdict == Verdict::kUndecided) continue;
      EXPECT_EQ(r.verdict, whole.verdict) << c.where << " budget " << budget;
    }
  }
  EXPECT_GT(ended, 20);
}

}  // namespace
}  // namespace catena
