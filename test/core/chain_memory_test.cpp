// The memory that chain_state.hpp and collision_world.hpp state, for chains of up to 100,000 links.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "catena/query/chain_state.hpp"
#include "query/chain_state_probe.hpp"
#include "support/append_link.hpp"
#include "support/counted_memory.hpp"

namespace catena {
namespace {

using test::bytes_in_use;

std::shared_ptr<const Robot> make_chain(int n) {
  RobotDescription d;
  d.name = "chain";
  const PlacedGeometry capsule{Geometry::make(Capsule{0.05, 0.2}),
                               RigidEnclosure::from_rpy({0.15, 0, 0}, {0, 1.5707963267948966, 0})};
  d.links = {{"link_0", {capsule}}};
  for (int i = 1; i < n; ++i) {
    JointDescription& joint =
        test::append_link(d, "link_" + std::to_string(i), {capsule}, JointType::kContinuous);
    joint.origin = RigidEnclosure::translation({0.4, 0, 0});
    joint.axis = Vector3d::UnitZ();
  }
  return RobotBuilder::build(d);
}

// Property: bytes a link are bounded by what is stated, for every length alike; and the answers at
// these lengths are those of the construction: straight, a spiral, a square that closes.
TEST(ChainMemory, GrowsWithTheLinksAsStated) {
  for (const int n : {1000, 10000, 100000}) {
    const auto a_link = [n](long before) { return static_cast<double>(bytes_in_use - before) / n; };
    const auto robot = make_chain(n);
    const long before_world = bytes_in_use;
    const auto world = std::make_shared<const CollisionWorld>(robot, nullptr);
    const double of_world = a_link(before_world);

    const long before_state = bytes_in_use;
    ChainState state(world);
    const double at_first = a_link(before_state);
    EXPECT_EQ(state.check().verdict, Verdict::kFree);
    state.commit();
    // One joint at a time: the wave of their turns never comes back to itself.
    for (int i = 1; i < n; i += n / 100) {
      state.set(LinkIndex(i), 0.001);
      const ChainState::Result result = state.check();
      EXPECT_EQ(result.verdict, Verdict::kFree) << n << " joint " << i;
      EXPECT_EQ(result.stats.compositions, 0u) << "not by what has changed alone";
      state.rollback();
    }
    for (const int i : {n / 2, n / 2 + 1, n / 2 + 2, n / 2 + 3}) {
      state.set(LinkIndex(i), 0.5 * std::acos(-1.0));
    }
    EXPECT_EQ(state.check().verdict, Verdict::kCollision) << n;
    state.rollback();
    // All joints at once, which is checked as a whole; then one, whose check needs the tree, so
    // that all of it is computed anew and kept as it was for rollback: the most that checks keep.
    Eigen::VectorXd arc = Eigen::VectorXd::Constant(robot->num_positions(), 5.0 / n);
    state.set(arc);
    EXPECT_EQ(state.check().verdict, Verdict::kFree);
    state.set(LinkIndex(1), 0.1);
    EXPECT_EQ(state.check().verdict, Verdict::kFree);
    const double at_most = a_link(before_state);
    std::printf("%d links: world %.0f bytes a link; state %.0f, at most %.0f\n", n, of_world,
                at_first, at_most);
    EXPECT_LE(of_world, 1000.0);
    EXPECT_LE(at_first, 1300.0);
    EXPECT_LE(at_most, 3000.0);
  }
}

// Property: so is what the grid adds.
TEST(ChainMemory, TheGridAddsAsStated) {
  for (const int n : {1000, 10000, 100000}) {
    const auto world = std::make_shared<const CollisionWorld>(make_chain(n), nullptr);
    const auto walk = [&](ChainState& state) {
      const long before = bytes_in_use;
      EXPECT_EQ(state.check().verdict, Verdict::kFree);
      state.commit();
      state.set(LinkIndex(n / 2), 0.1);
      EXPECT_EQ(state.check().verdict, Verdict::kFree);
      return bytes_in_use - before;
    };
    ChainState with(world), without(world);
    internal::ChainStateProbe::use_only_grid(with);
    const double of_grid = static_cast<double>(walk(with) - walk(without)) / n;
    EXPECT_EQ(internal::ChainStateProbe::grid_answers(with), 2U);
    std::printf("%d links: grid %.0f bytes a link\n", n, of_grid);
    EXPECT_LE(of_grid, 300.0);
  }
}

// Property: so is what distance() and find_near_pairs() add, by links and by listed pairs.
TEST(ChainMemory, DistancesAndListsAddAsStated) {
  for (const int n : {1000, 10000, 100000}) {
    const auto world = std::make_shared<const CollisionWorld>(make_chain(n), nullptr);
    const Eigen::VectorXd zero = world->robot().zero_positions();
    // An arc, and rows of 40 links to and fro, which lie as near to each other all along.
    const Eigen::VectorXd arc = Eigen::VectorXd::Constant(zero.size(), 5.0 / n);
    Eigen::VectorXd rows = zero;
    for (Eigen::Index i = 39; i + 1 < rows.size(); i += 40) {
      rows.segment<2>(i).setConstant((i / 40 % 2 == 0 ? 0.5 : -0.5) * std::acos(-1.0));
    }
    const auto walk = [&](ChainState& state, bool measures) {
      const long before = bytes_in_use;
      const auto ask = [&] {
        EXPECT_EQ(state.check().verdict, Verdict::kFree);
        if (measures) {
          EXPECT_EQ(state.distance().verdict, Verdict::kFree);
        }
      };
      for (const Eigen::VectorXd& q : {zero, arc, rows}) {
        state.set(q);
        ask();
        state.commit();
        ask();
        const int middle = 40 * (n / 80) + 20;  // of a row
        state.set(LinkIndex(middle), q[middle - 1] + 0.001);
        ask();
        state.rollback();
      }
      return bytes_in_use - before;
    };
    ChainState state(world), checked(world);
    const long with = walk(state, true), without = walk(checked, false);
    const double of_distance = static_cast<double>(with - without) / n;

    const long before_list = bytes_in_use;
    std::size_t pairs = 0;
    for (int k = 0; k < 3; ++k) {
      NearPairs near;
      state.set(LinkIndex(n / 2), 0.001 * k);
      state.find_near_pairs(1.0, {}, near);
      EXPECT_TRUE(near.complete);
      pairs = std::max(pairs, near.pairs.size());
    }
    const double a_pair =
        static_cast<double>(bytes_in_use - before_list) / static_cast<double>(pairs);
    std::printf("%d links: distance %.0f bytes a link; list %.0f bytes a pair, of %zu\n", n,
                of_distance, a_pair, pairs);
    EXPECT_GT(pairs, static_cast<std::size_t>(n));
    EXPECT_LE(of_distance, 700.0);
    EXPECT_LE(a_pair, 4.0 * sizeof(NearPair));
  }
}

}  // namespace
}  // namespace catena
