// Property: after the first call, a query allocates nothing.
#include <algorithm>

#include <gtest/gtest.h>

#include "catena/query/batch.hpp"
#include "catena/query/chain_state.hpp"
#include "catena/query/continuous.hpp"
#include "catena/query/geometry_pairs.hpp"
#include "query/chain_state_probe.hpp"
#include "support/append_link.hpp"
#include "support/counted_memory.hpp"

namespace catena {
namespace {

using test::allocations;

// A planar arm of capsules, its joints at the links' ends, over a floor of boxes and a mesh.
std::shared_ptr<const Robot> make_arm(int links) {
  RobotDescription d;
  d.name = "arm";
  d.links.push_back({"base", {}});
  const PlacedGeometry capsule{
      Geometry::make(Capsule{0.05, 0.2}),
      RigidEnclosure::from_rpy({0.15, 0.0, 0.0}, {0.0, 1.5707963267948966, 0.0})};
  for (int i = 0; i < links; ++i) {
    JointDescription& joint =
        test::append_link(d, "link_" + std::to_string(i), {capsule}, JointType::kRevolute);
    joint.origin = RigidEnclosure::translation({i == 0 ? 0.0 : 0.3, 0.0, 0.0});
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
    joint.lower = -3.0;
    joint.upper = 3.0;
  }
  return RobotBuilder::build(d);
}

TEST(Allocation, QueriesAllocateNothingAfterTheFirstCall) {
  const auto robot = make_arm(8);
  Scene scene;
  TriangleMesh tetrahedron;
  tetrahedron.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedron.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  scene.objects.push_back(
      {"mesh", {{Geometry::make_mesh(tetrahedron), RigidEnclosure::translation({0.4, 0.9, 0.2})}}});
  scene.objects.push_back(
      {"post", {{Geometry::make(Cylinder{0.1, 1.0}), RigidEnclosure::translation({-1, 1, 0})}}});
  const CollisionWorld world(robot, std::make_shared<const Scene>(scene));
  Workspace workspace(world);

  Eigen::VectorXd q0 = Eigen::VectorXd::Zero(8), q1 = Eigen::VectorXd::Constant(8, 0.35);
  QueryOptions measured;
  measured.distances = true;
  NearPairs near;
  const auto run = [&] {
    long worst = 0;
    for (const double side : {1.0, -1.0}) {
      const Eigen::VectorXd goal = side * q1;
      const Motion motion(*robot, q0, goal);
      const long before = allocations;
      for (const QueryOptions& options : {QueryOptions{}, measured}) {
        check_state(world, goal, options, workspace);
        check_motion(world, motion, options, workspace);
      }
      for (const double cutoff : {0.0, 0.3, 5.0}) {
        find_near_pairs(world, goal, cutoff, {}, workspace, near);
      }
      worst = std::max<long>(worst, allocations - before);
    }
    return worst;
  };
  EXPECT_GT(run(), 0) << "the first call sizes the workspace: does the guard count at all?";
  EXPECT_EQ(run(), 0) << "a query allocated in its second round";
}

// Free and colliding states, turning joints and one that floats.
TEST(Allocation, BatchesReuseTheirMemory) {
  Scene scene;
  scene.objects.push_back(
      {"post", {{Geometry::make(Cylinder{0.1, 1.0}), RigidEnclosure::translation({1, 1, 0})}}});
  scene.objects.push_back(
      {"floor", {{Geometry::make(HalfSpace{Vector3d::UnitZ(), -1.0}), RigidEnclosure()}}});
  RobotDescription floating;
  floating.name = "body";
  floating.links = {{"world", {}}};
  test::append_link(floating, "body", {{Geometry::make(Box{{1, 1, 1}}), {}}}, JointType::kFloating);
  for (const auto& robot : {make_arm(20), RobotBuilder::build(floating)}) {
    const CollisionWorld world(robot, std::make_shared<const Scene>(scene));
    Workspace workspace(world);
    Eigen::MatrixXd q = robot->zero_positions().replicate(1, 50);
    const bool floats = robot->num_positions() == 7;
    const int moved = floats ? 3 : 20;  // not the quaternion
    for (int k = 0; k < 50; ++k) q.col(k).head(moved).setConstant((floats ? 0.05 : 0.01) * k);
    std::vector<Verdict> verdicts(50);
    const auto run = [&] {
      const long before = allocations;
      check_states(world, q, {}, workspace, verdicts);
      return allocations - before;
    };
    EXPECT_GT(run(), 0);
    EXPECT_EQ(run(), 0);
    for (const Verdict verdict : {Verdict::kFree, Verdict::kCollision}) {
      EXPECT_GT(std::count(verdicts.begin(), verdicts.end(), verdict), 2);
    }
  }
}

// Steps as a planner's and a simulation's, kept, taken back, and never committed.
TEST(Allocation, AChainStateReusesItsMemory) {
  Scene scene;
  scene.objects.push_back(
      {"post", {{Geometry::make(Cylinder{0.1, 1.0}), RigidEnclosure::translation({-1, 1, 0})}}});
  const auto world =
      std::make_shared<const CollisionWorld>(make_arm(40), std::make_shared<const Scene>(scene));
  ChainState tree(world), grid(world);
  internal::ChainStateProbe::use_only_grid(grid);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(40), bent = Eigen::VectorXd::Constant(40, 0.1);
  const auto run = [&](ChainState& state) {
    const long before = allocations;
    for (int step = 0; step < 300; ++step) {
      state.set(LinkIndex(1 + step % 40), 0.01 * (step % 7));
      state.check();
      if (step % 5 == 0) state.commit();
      if (step % 7 == 0) state.rollback();
      if (step % 60 == 0) state.set(step % 120 == 0 ? bent : zero);
    }
    for (int step = 0; step < 2000; ++step) {
      state.set(LinkIndex(3), 0.001 * (step % 9));
      state.check();
    }
    state.set(zero);
    state.check();
    state.commit();
    return allocations - before;
  };
  for (ChainState* const state : {&tree, &grid}) {
    run(*state);
    EXPECT_EQ(run(*state), 0);
  }
  EXPECT_GT(internal::ChainStateProbe::grid_answers(grid), 1000U);
}

// Distances and lists on the way, whole configurations and contacts among them.
TEST(Allocation, AChainStateMeasuresInTheSameMemory) {
  Scene scene;
  scene.objects.push_back(
      {"post", {{Geometry::make(Cylinder{0.1, 1.0}), RigidEnclosure::translation({-1, 1, 0})}}});
  scene.objects.push_back(
      {"floor", {{Geometry::make(HalfSpace{Vector3d::UnitZ(), -3.0}), RigidEnclosure()}}});
  const auto world =
      std::make_shared<const CollisionWorld>(make_arm(40), std::make_shared<const Scene>(scene));
  ChainState state(world);
  NearPairs near;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(40), bent = Eigen::VectorXd::Constant(40, 0.1);
  const auto run = [&] {
    const long before = allocations;
    for (int step = 0; step < 300; ++step) {
      state.set(LinkIndex(1 + step % 40), 0.01 * (step % 7) - (step % 50 == 49 ? 2.8 : 0.0));
      state.distance();
      if (step % 4 == 0) state.find_near_pairs(0.5, {}, near);
      if (step % 5 == 0) state.commit();
      if (step % 7 == 0) state.rollback();
      if (step % 60 == 0) state.set(step % 120 == 0 ? bent : zero);
    }
    state.set(zero);
    state.distance();
    state.commit();
    return allocations - before;
  };
  EXPECT_GT(run(), 0);
  EXPECT_EQ(run(), 0);
  EXPECT_GT(near.pairs.size(), 40u);
}

// Two crossing fans of triangles: contacts, undecided pairs (they share the origin) and distances.
TEST(Allocation, ElementPairsReuseTheirMemory) {
  const auto fan = [](int axis) {
    TriangleMesh mesh;
    mesh.vertices.push_back(Vector3d::Zero());
    for (int i = 0; i <= 60; ++i) {
      Vector3d x = Vector3d::Zero();
      x[axis] = std::cos(0.1 * i);
      x[(axis + 1) % 3] = std::sin(0.1 * i);
      mesh.vertices.push_back(x);
    }
    for (int i = 1; i <= 60; ++i) mesh.triangles.push_back({0, i, i + 1});
    return Geometry::make_mesh(mesh);
  };
  const auto a = fan(0), b = fan(1);
  const RigidEnclosure X = RigidEnclosure::translation({0.0, 0.01, 0.0});
  const RigidEnclosure away = RigidEnclosure::translation({0.0, 0.0, 5.0});
  PairWorkspace workspace;
  ContactResult r;
  const auto run = [&] {
    const long before = allocations;
    find_contacts(*a, *b, X, {}, workspace, r);
    find_contacts(*a, *b, RigidEnclosure::identity(), {}, workspace, r);
    find_distance(*a, *b, away, {}, workspace);
    return allocations - before;
  };
  EXPECT_GT(run(), 0);
  EXPECT_EQ(run(), 0);
  EXPECT_GT(r.undecided.size(), 100u);
}

}  // namespace
}  // namespace catena
