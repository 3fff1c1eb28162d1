// The grid over the balls about a robot's parts: it leaves out no two that are near each other,
// wherever its sides have been turned, and hands out few that are not.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"
#include "hierarchy/part_grid.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/ball_chain.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using internal::PartGrid;
using test::Rng;
using test::uniform;

using Pairs = std::set<std::pair<int, int>>;

// A point in extended precision, so that a thousand turns add less than the grid's own bounds say.
struct Point {
  long double x, y, z;
};

Point times(const RigidTransform& X, const Point& p) {
  const auto row = [&](int i) {
    return static_cast<long double>(X.R(i, 0)) * p.x + static_cast<long double>(X.R(i, 1)) * p.y +
           static_cast<long double>(X.R(i, 2)) * p.z + static_cast<long double>(X.p[i]);
  };
  return {row(0), row(1), row(2)};
}

long double distance(const Point& a, const Point& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

// What the grid should hold, ball by ball.
struct Balls {
  const ChainTree& tree;
  std::vector<Point> centers;

  Balls(const ChainTree& of, const std::vector<RigidEnclosure>& X_WL) : tree(of) {
    for (const ChainTree::Part& part : tree.parts()) {
      const Vector3d& c = part.center;
      centers.push_back(times(X_WL[static_cast<size_t>(part.link.value)].X, {c.x(), c.y(), c.z()}));
    }
  }

  bool is_carried(LinkIndex joint, int part) const {
    return tree.moves(joint, tree.parts()[static_cast<size_t>(part)].link);
  }
  long double gap(int a, int b) const {
    const auto i = static_cast<size_t>(a), k = static_cast<size_t>(b);
    return distance(centers[i], centers[k]) - static_cast<long double>(tree.parts()[i].radius) -
           static_cast<long double>(tree.parts()[k].radius);
  }
};

// Pairs of parts, of which `asked` tells which are of interest, against the distances of their
// balls.
template <class Asked>
void expect_near(const Balls& balls, const Pairs& found, double clearance, double reach,
                 const Asked& asked, const char* where) {
  const int n = static_cast<int>(balls.centers.size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      const bool is_found = found.contains({a, b});
      if (!asked(a, b)) {
        EXPECT_FALSE(is_found) << where << ": " << a << ' ' << b << " were not asked about";
        continue;
      }
      const auto gap = static_cast<double>(balls.gap(a, b));
      if (gap <= clearance) {
        EXPECT_TRUE(is_found) << where << ": " << a << ' ' << b << " at " << gap;
      } else if (gap > clearance + 1e-4 * reach) {
        EXPECT_FALSE(is_found) << where << ": " << a << ' ' << b << " at " << gap;
      }
    }
  }
}

auto note_in(Pairs& found) {
  return [&found](int a, int b) {
    found.emplace(std::min(a, b), std::max(a, b));
    return false;
  };
}

struct Standing {
  std::shared_ptr<const CollisionWorld> world;
  std::vector<RigidEnclosure> X_WL;
};

Standing random_robot(int trial, Rng& rng) {
  std::shared_ptr<const Robot> robot;
  Eigen::VectorXd q;
  const auto names = oracle::robot_names();
  const size_t k = static_cast<size_t>(trial) % (names.size() + 2);
  if (k < names.size()) {
    const oracle::RobotSpec spec = oracle::make_robot_spec(names[k]);
    robot = oracle::make_robot(spec);
    q = oracle::positions(*robot, spec, oracle::random_configuration(spec, rng));
  } else {
    // Balls of like size, a few far larger.
    std::vector<double> radii;
    for (int i = 0; i < 120; ++i) {
      radii.push_back(k == names.size() && i % 40 == 7 ? 3.0 : uniform(rng, 0.02, 0.1));
    }
    robot = test::ball_chain(radii);
    q = robot->zero_positions();
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = uniform(rng, -2.0, 2.0);
  }
  Standing s{std::make_shared<const CollisionWorld>(robot, nullptr), {}};
  s.X_WL.resize(static_cast<size_t>(robot->num_links()));
  link_poses(*robot, q, s.X_WL);
  return s;
}

// Property: all pairs of balls within the clearance are handed out, and none that is clearly
// farther apart; after turns of random sides as well, of which each one's question is about the
// pairs that it turns against each other. Oracle: all pairs, in extended precision.
TEST(PartGrid, LeavesOutNoBallsThatAreNear) {
  Rng rng(91);
  int asked = 0, turns = 0;
  for (int trial = 0; trial < 66; ++trial) {
    const Standing s = random_robot(trial, rng);
    const ChainTree& tree = s.world->chain_tree();
    const Robot& robot = s.world->robot();
    PartGrid grid(tree);
    Balls balls(tree, s.X_WL);
    double size = 1e30, reach = 0.0;
    for (const ChainTree::Part& part : tree.parts()) size = std::min(size, part.radius);
    for (const Point& c : balls.centers) {
      reach = std::max(reach, static_cast<double>(distance(c, {0, 0, 0})));
    }
    const double clearance = trial % 3 == 0 ? 0.0 : uniform(rng, 0.0, 1.0) * size;
    if (!grid.suits(clearance)) continue;
    ++asked;
    Pairs found;
    std::uint64_t looked = 0;
    bool ended = true;
    ASSERT_TRUE(grid.fill_and_ask(s.X_WL, clearance, looked, ended, note_in(found)));
    EXPECT_FALSE(ended);
    expect_near(
        balls, found, clearance, reach, [](int, int) { return true; }, "all");
    if (robot.num_links() < 2) continue;
    for (int step = 0; step < 20; ++step) {
      const LinkIndex joint(1 + static_cast<int>(rng() % (robot.num_links() - 1)));
      const PartGrid::Side side = grid.smaller_side(tree, joint);
      const double angle = step % 2 == 0 ? 0.05 : 3.0;
      RigidEnclosure X_GG = RigidEnclosure::from_rpy(
          0.1 * size * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)),
          angle * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)));
      found.clear();
      const bool silent = step % 5 == 4;
      ASSERT_TRUE(silent ? grid.turn(side, X_GG)
                         : grid.ask_turned(side, X_GG, clearance, looked, ended, note_in(found)));
      ++turns;
      for (size_t i = 0; i < balls.centers.size(); ++i) {
        if (balls.is_carried(joint, static_cast<int>(i)) == side.carried) {
          balls.centers[i] = times(X_GG.X, balls.centers[i]);
          reach = std::max(reach, static_cast<double>(distance(balls.centers[i], {0, 0, 0})));
        }
      }
      if (silent) continue;
      EXPECT_FALSE(ended);
      const auto turned = [&](int a, int b) {
        return balls.is_carried(joint, a) != balls.is_carried(joint, b);
      };
      expect_near(
          balls, found, clearance, reach, turned,
          ("seed 91 trial " + std::to_string(trial) + " step " + std::to_string(step)).c_str());
    }
  }
  EXPECT_GT(asked, 30);
  EXPECT_GT(turns, 500);
}

// Property: a question that ends early leaves everything where it was.
TEST(PartGrid, AnEndedQuestionMovesNothing) {
  const auto robot = test::ball_chain(std::vector<double>(60, 0.1));
  const CollisionWorld world(robot, nullptr);
  std::vector<RigidEnclosure> X_WL(60);
  link_poses(*robot, robot->zero_positions(), X_WL);
  PartGrid grid(world.chain_tree());
  ASSERT_TRUE(grid.fill(X_WL));
  const PartGrid::Side side = grid.smaller_side(world.chain_tree(), LinkIndex(40));
  EXPECT_TRUE(side.carried);
  EXPECT_EQ(side.size, 20);
  // Half a turn about an axis across the joint folds the end back onto the rest.
  const RigidEnclosure fold = RigidEnclosure::translation({20, 0, 0}) *
                              RigidEnclosure::from_rpy({0, 0, 0}, {0, 0, 3.14159265358979}) *
                              RigidEnclosure::translation({-20, 0, 0});
  std::uint64_t looked = 0;
  bool ended = false;
  const auto count_all = [&] {
    int near = 0;
    EXPECT_TRUE(
        grid.ask_turned(side, RigidEnclosure::identity(), 0.31, looked, ended, [&](int, int) {
          ++near;
          return false;
        }));
    return near;
  };
  // Only the two next to the joint are within 0.31 m of each other.
  EXPECT_EQ(count_all(), 1);
  ASSERT_TRUE(grid.ask_turned(side, fold, 0.0, looked, ended, [](int, int) { return true; }));
  EXPECT_TRUE(ended);
  EXPECT_EQ(count_all(), 1);
}

// Property: numbers too large or none are told, not answered.
TEST(PartGrid, TellsNumbersThatItCannotHold) {
  const auto robot = test::ball_chain(std::vector<double>(10, 0.1));
  const CollisionWorld world(robot, nullptr);
  std::vector<RigidEnclosure> X_WL(10);
  link_poses(*robot, robot->zero_positions(), X_WL);
  PartGrid grid(world.chain_tree());
  ASSERT_TRUE(grid.fill(X_WL));
  const PartGrid::Side side = grid.smaller_side(world.chain_tree(), LinkIndex(5));
  const double nan = std::nan("");
  for (const double far : {1e8, 1e300, kInfinity, nan}) {
    EXPECT_FALSE(grid.turn(side, RigidEnclosure::translation({far, 0, 0}))) << far;
    std::vector<RigidEnclosure> there = X_WL;
    there[3].X.p.y() = far;
    EXPECT_FALSE(grid.fill(there)) << far;
    ASSERT_TRUE(grid.fill(X_WL));
    RigidEnclosure vague;
    vague.position_error = far;
    EXPECT_FALSE(grid.turn(side, vague)) << far;
    ASSERT_TRUE(grid.fill(X_WL));
    there = X_WL;
    there[3].rotation_error = far;
    EXPECT_FALSE(grid.fill(there)) << far;
    ASSERT_TRUE(grid.fill(X_WL));
  }
  RigidEnclosure none;
  none.X.R(1, 1) = nan;
  EXPECT_FALSE(grid.turn(side, none));
  std::vector<RigidEnclosure> there = X_WL;
  there[7].X.R(1, 0) = nan;
  EXPECT_FALSE(grid.fill(there));
  EXPECT_FALSE(grid.suits(10.0));
  EXPECT_FALSE(grid.suits(nan));
}

}  // namespace
}  // namespace catena
