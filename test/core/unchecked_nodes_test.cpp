// Pairs of nodes that are dropped because nothing between them is checked: exactly those, and no
// answer changes by it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "catena/query/chain_state.hpp"
#include "catena/query/continuous.hpp"
#include "query/collision_world_probe.hpp"
#include "soundness/chain_bridge.hpp"
#include "soundness/chain_worlds.hpp"
#include "soundness/robots.hpp"
#include "support/counted_memory.hpp"
#include "support/overlapping_links.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using internal::CollisionWorldProbe;
using test::Rng;
using test::uniform;

int below(Rng& rng, int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }

// Chains, trees and several robots, of which pairs of links are allowed at random: single ones,
// blocks, near ones by their numbers, all of one link.
struct Subject {
  explicit Subject(Rng& rng) : given(oracle::random_chain_world(rng)), spec(given.merged()) {
    const auto robot = oracle::make_robots(given);
    auto scene = std::make_shared<Scene>(*oracle::make_scene(given.scene));
    const int n = static_cast<int>(robot->bodies().size());
    const auto name = [&](int i) { return robot->body(BodyIndex(i)).name; };
    const auto allow_block = [&](int a, int b, int size_a, int size_b) {
      for (int i = a; i < std::min(n, a + size_a); ++i) {
        for (int k = b; k < std::min(n, b + size_b); ++k) {
          if (i != k) scene->allowed.allow(name(i), name(k));
        }
      }
    };
    for (int some = below(rng, 4); some-- > 0;) {
      const int size = 1 + below(rng, n), a = below(rng, n), b = below(rng, n);
      switch (below(rng, 5)) {
        case 0:
          for (int pair = below(rng, 3 * n); pair-- > 0;) {
            allow_block(below(rng, n), below(rng, n), 1, 1);
          }
          break;
        case 1:
          allow_block(a, a, size, size);
          break;
        case 2:
          allow_block(a, b, size, 1 + below(rng, n));
          break;
        case 3:
          for (int i = 0; i < n; ++i) allow_block(i, i, 1, 1 + size % 7);
          break;
        default:
          scene->allowed.allow_with_everything(name(a));
      }
    }
    world = std::make_shared<const CollisionWorld>(robot, scene);
  }

  oracle::ChainWorld given;
  oracle::RobotSpec spec;
  std::shared_ptr<const CollisionWorld> world;
};

// Property: of any two nodes without a common part, with two parts below one of them, those are
// told that have no checked pair, and no others. Oracle: all pairs of the parts below.
TEST(UncheckedNodes, AreExactlyThoseWithoutACheckedPair) {
  Rng rng(95);
  int told = 0, not_told = 0, large = 0, across_robots = 0, without = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Subject subject(rng);
    const CollisionWorld& world = *subject.world;
    const ChainTree& tree = world.chain_tree();
    const int n = static_cast<int>(tree.nodes().size());
    std::vector<std::vector<BodyIndex>> bodies(tree.nodes().size());  // of the parts below
    for (int i = 0; i < n; ++i) {
      const int part = tree.nodes()[size_t(i)].part;
      for (int above = i; part >= 0 && above >= 0; above = tree.nodes()[size_t(above)].parent) {
        bodies[size_t(above)].push_back(world.geometries()[size_t(part)].body);
      }
    }
    const auto is_above = [&](int i, int k) {
      while (k > i) k = tree.nodes()[size_t(k)].parent;
      return k == i;
    };
    const auto robot_of = [&](BodyIndex i) {
      return world.robot().bodies().size() > size_t(i.value) ? world.robot().body(i).robot : 0;
    };
    without += world.unchecked_nodes() == nullptr;
    for (int i = 0; i < n; ++i) {
      for (int k = i + 1; k < n; ++k) {
        const auto &a = bodies[size_t(i)], &b = bodies[size_t(k)];
        if (is_above(i, k) || a.empty() || b.empty() || a.size() + b.size() < 3) continue;
        const bool checked = std::any_of(a.begin(), a.end(), [&](BodyIndex x) {
          return std::any_of(b.begin(), b.end(), [&](BodyIndex y) { return world.checks(x, y); });
        });
        const UncheckedNodes* const nodes = world.unchecked_nodes();
        const bool dropped = nodes != nullptr && nodes->contains(i, k);
        ASSERT_EQ(dropped, !checked) << "seed 95 trial " << trial << " nodes " << i << ", " << k;
        ASSERT_EQ(dropped, nodes != nullptr && nodes->contains(k, i));
        ++(dropped ? told : not_told);
        large += dropped && a.size() > 3 && b.size() > 3;
        across_robots += dropped && robot_of(a[0]) != robot_of(b[0]);
      }
    }
    // Two parts are never dropped if they are checked.
    for (int i = 0; i < n && world.unchecked_nodes() != nullptr; ++i) {
      for (int k = i + 1; k < n; ++k) {
        if (bodies[size_t(i)].size() != 1 || bodies[size_t(k)].size() != 1 || is_above(i, k)) {
          continue;
        }
        ASSERT_FALSE(world.unchecked_nodes()->contains(i, k) &&
                     world.checks(bodies[size_t(i)][0], bodies[size_t(k)][0]));
      }
    }
  }
  std::printf("told %d, not told %d, large %d, across robots %d, worlds without %d\n", told,
              not_told, large, across_robots, without);
  EXPECT_GT(told, 10000);
  EXPECT_GT(not_told, 10000);
  EXPECT_GT(large, 1000);
  EXPECT_GT(across_robots, 100);
  EXPECT_GT(without, 10);
}

void expect_same(const NearPairs& x, const NearPairs& y) {
  ASSERT_EQ(x.pairs.size(), y.pairs.size());
  for (size_t i = 0; i < x.pairs.size(); ++i) {
    EXPECT_EQ(x.pairs[i].geometry_a, y.pairs[i].geometry_a);
    EXPECT_EQ(x.pairs[i].geometry_b, y.pairs[i].geometry_b);
    EXPECT_EQ(x.pairs[i].distance.lo, y.pairs[i].distance.lo);
    EXPECT_EQ(x.pairs[i].distance.hi, y.pairs[i].distance.hi);
  }
}

void expect_same(const StateResult& x, const StateResult& y) {
  EXPECT_EQ(x.verdict, y.verdict);
  ASSERT_EQ(x.distance.has_value(), y.distance.has_value());
  if (!x.distance) return;
  EXPECT_LE(x.distance->lo, y.distance->hi);
  EXPECT_LE(y.distance->lo, x.distance->hi);
  if (x.verdict == Verdict::kFree) {
    EXPECT_LE(std::max(x.distance->width(), y.distance->width()), 1.1e-5);
  }
}

// Property: a world answers as its copy does in which every pair of parts is looked at, after any
// changes, and never looks at more. Of the copy the other tests hold the answers against oracles.
TEST(UncheckedNodes, ChangeNoAnswer) {
  Rng rng(96);
  std::uint64_t visited = 0, visited_all = 0;
  int free = 0, collisions = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const Subject subject(rng);
    const auto all = CollisionWorldProbe::without_unchecked_nodes(*subject.world);
    if (subject.world->unchecked_nodes() == nullptr) continue;
    ChainState state(subject.world), state_all(all);
    Workspace workspace(*subject.world), workspace_all(*all);
    const Robot& robot = subject.world->robot();
    Eigen::VectorXd q = state.positions();
    QueryOptions measured;
    measured.distances = true;
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE("seed 96 trial " + std::to_string(trial) + " step " + std::to_string(step));
      const Eigen::VectorXd before = q;
      if (step % 4 == 3) {
        q = oracle::positions(robot, subject.spec, oracle::random_configuration(subject.spec, rng));
      } else {
        for (const LinkIndex i : robot.active_joints()) {
          const Joint& joint = robot.joint(i);
          if (num_values(joint.type) != 1 || uniform(rng, 0, 1) < 0.9) continue;
          q[joint.q_index] = std::clamp(q[joint.q_index] + uniform(rng, -0.1, 0.1),
                                        std::max(joint.lower, -3.0), std::min(joint.upper, 3.0));
        }
      }
      state.set(q);
      state_all.set(q);
      const ChainState::Result checked = state.check(), checked_all = state_all.check();
      EXPECT_EQ(checked.verdict, checked_all.verdict);
      free += checked.verdict == Verdict::kFree;
      collisions += checked.verdict == Verdict::kCollision;
      visited += checked.stats.visited();
      visited_all += checked_all.stats.visited();
      const StateResult whole = check_state(*subject.world, q, {}, workspace);
      const StateResult whole_all = check_state(*all, q, {}, workspace_all);
      EXPECT_EQ(whole.verdict, whole_all.verdict);
      EXPECT_EQ(whole.verdict, checked.verdict);
      if (whole.verdict == Verdict::kFree) {
        EXPECT_LE(whole.stats.visited(), whole_all.stats.visited());
      }

      expect_same(state.distance(), state_all.distance());
      expect_same(check_state(*subject.world, q, measured, workspace),
                  check_state(*all, q, measured, workspace_all));
      NearPairs list, list_all;
      const double cutoff = uniform(rng, 0, 0.3);
      state.find_near_pairs(cutoff, {}, list);
      state_all.find_near_pairs(cutoff, {}, list_all);
      expect_same(list, list_all);
      EXPECT_LE(list.stats.visited(), list_all.stats.visited());
      find_near_pairs(*subject.world, q, cutoff, {}, workspace, list);
      find_near_pairs(*all, q, cutoff, {}, workspace_all, list_all);
      expect_same(list, list_all);
      EXPECT_LE(list.stats.visited(), list_all.stats.visited());
      if (step % 4 != 0) continue;
      const Motion motion(robot, before, q);
      const MotionResult moved = check_motion(*subject.world, motion, {}, workspace);
      const MotionResult moved_all = check_motion(*all, motion, {}, workspace_all);
      EXPECT_EQ(moved.verdict, moved_all.verdict);
      EXPECT_EQ(moved.free_until, moved_all.free_until);
      if (checked.verdict == Verdict::kFree) {
        state.commit();
        state_all.commit();
      } else {
        state.rollback();
        state_all.rollback();
        q = state.positions();
      }
    }
  }
  std::printf("free %d, collisions %d; visited %.0f instead of %.0f\n", free, collisions,
              double(visited), double(visited_all));
  EXPECT_GT(free, 200);
  EXPECT_GT(collisions, 100);
  EXPECT_LT(visited, visited_all);
}

// Property: of a chain of which only neighbours are excepted nothing is kept; where w neighbours on
// each side are, at most a range of nodes for each such pair, and one entry a node.
TEST(UncheckedNodes, TakeLittleMemory) {
  for (const int n : {100, 1000, 10000}) {
    for (const int w : {1, 2, 3, 4, 8, 20}) {
      RobotDescription d;
      d.name = "chain";
      d.links.push_back({"base", {}});
      test::add_balls(d, "l", n, 0.1, 0.5);
      double pairs = 0;
      for (int i = 1; i <= n; ++i) {
        for (int k = std::max(1, i - w); k < i; ++k, ++pairs) {
          d.disabled_pairs.push_back({d.links[size_t(k)].name, d.links[size_t(i)].name, "Near"});
        }
      }
      const CollisionWorld world(RobotBuilder::build(d), nullptr);
      ASSERT_EQ(world.unchecked_nodes() == nullptr, w == 1) << n << " links, w = " << w;
      if (w == 1) continue;
      const long before = test::bytes_in_use;
      const UncheckedNodes copy = *world.unchecked_nodes();
      const double bytes = double(test::bytes_in_use - before);
      std::printf("%d links, w = %d: %.1f bytes a link, %.2f a pair\n", n, w, bytes / n,
                  bytes / pairs);
      EXPECT_FALSE(copy.empty());
      EXPECT_LE(bytes, 8.0 * (pairs + double(world.chain_tree().nodes().size()) + 8.0));
    }
  }
}

// Property: m x m allowed pairs of links that overlap in every state cost a query about one joint
// some pairs of nodes for each level of the tree, and one about a whole state some for each link.
TEST(UncheckedNodes, ABlockOfAllowedPairsCostsItsLevels) {
  for (const auto& make : {&test::knot, &test::glove}) {
    for (const int m : {32, 1024}) {
      const auto [world, joint] = make(m);
      ASSERT_TRUE(joint.valid());
      const double levels = std::log2(world->chain_tree().nodes().size());
      ChainState state(world);
      NearPairs list;
      ASSERT_EQ(state.check().verdict, Verdict::kFree);
      ASSERT_EQ(state.distance().verdict, Verdict::kFree);
      state.find_near_pairs(0.01, {}, list);
      state.set(joint, 1e-4);
      const ChainState::Result checked = state.check();
      EXPECT_EQ(checked.verdict, Verdict::kFree);
      const StateResult measured = state.distance();
      EXPECT_EQ(measured.verdict, Verdict::kFree);
      state.find_near_pairs(0.01, {}, list);
      Workspace workspace(*world);
      const StateResult whole = check_state(*world, state.positions(), {}, workspace);
      EXPECT_EQ(whole.verdict, Verdict::kFree);
      std::printf("%s of %d: check %.0f, distance %.0f, list %.0f, whole %.0f; levels %.0f\n",
                  world->robot().name().c_str(), m, double(checked.stats.visited()),
                  double(measured.stats.visited()), double(list.stats.visited()),
                  double(whole.stats.visited()), levels);
      EXPECT_LE(double(checked.stats.visited()), 6.0 * levels);
      EXPECT_LE(double(list.stats.visited()), 6.0 * levels);
      EXPECT_LE(double(measured.stats.visited()), 10.0 * levels);
      EXPECT_LE(double(whole.stats.visited()), 6.0 * m);
    }
  }
}

}  // namespace
}  // namespace catena
