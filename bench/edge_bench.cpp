// Edges of a chain against itself, all of them free: what it costs to prove so by Taylor models
// along the chain tree, and pair by pair.
//
//   edge_bench [EDGES] [SEED]
//
// Prints a Markdown table, means over the edges: CPU time of check_motion, the least of three runs,
// and in it that of the walk alone; the counters do not depend on the machine. A snake of capsules
// turns all of its joints, or one, by up to so many radians; its shape is a random coil. Pair by
// pair only where that takes no minutes. Without rivals.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "catena/query/continuous.hpp"
#include "catena_methods.hpp"
#include "query/workspace_impl.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/random.hpp"
#include "workloads/snake.hpp"

namespace catena::bench {
namespace {

struct Case {
  int links;
  double turn;  // rad, at most
  bool one_joint;
  bool has_pairwise;
};

struct Edge {
  Eigen::VectorXd q0, q1;
};

/// A coil that keeps its direction over some twenty links, and where it goes from there.
Edge random_edge(const CollisionWorld& world, const Case& c, SplitMix64& random) {
  Edge edge;
  edge.q0 = world.robot().zero_positions();
  for (double& q : edge.q0) q = random.uniform(-0.5, 0.5);
  edge.q1 = edge.q0;
  if (c.one_joint) {
    edge.q1[random.below(c.links)] += random.uniform(-c.turn, c.turn);
  } else {
    for (double& q : edge.q1) q += random.uniform(-c.turn, c.turn);
  }
  return edge;
}

struct Cost {
  double seconds = kInfinity;  // of one query
  QueryStats stats;            // of all
  int undecided = 0, free = 0;
};

Cost measure(const CollisionWorld& world, const std::vector<Motion>& motions, Workspace& workspace,
             int runs) {
  Cost cost;
  for (int run = 0; run < runs; ++run) {
    Cost now;
    const double start = cpu_seconds();
    for (const Motion& motion : motions) {
      const MotionResult r = check_motion(world, motion, {}, workspace);
      now.stats += r.stats;
      now.free += r.verdict == Verdict::kFree ? 1 : 0;
      now.undecided += r.verdict == Verdict::kUndecided ? 1 : 0;
    }
    now.seconds = std::min(cost.seconds, (cpu_seconds() - start) / double(motions.size()));
    cost = now;
  }
  return cost;
}

void measure_case(const Case& c, int edges, std::uint64_t seed) {
  const Snake snake{c.links, 1.0, 0.1};
  const auto world = std::make_shared<const CollisionWorld>(
      snake_robot(snake, snake_capsule(snake), /*floating=*/false), nullptr);
  Workspace workspace(*world);
  SplitMix64 random(seed);
  std::vector<Motion> motions;
  std::vector<Eigen::VectorXd> starts;
  int tried = 0;
  while (static_cast<int>(motions.size()) < edges && tried < 100 * edges) {
    ++tried;
    const Edge edge = random_edge(*world, c, random);
    Motion motion(world->robot(), edge.q0, edge.q1);
    if (check_motion(*world, motion, {}, workspace).verdict == Verdict::kFree) {
      motions.push_back(std::move(motion));
      starts.push_back(edge.q0);
    }
  }
  const auto count = [&](std::uint64_t n) { return double(n) / double(motions.size()); };
  const Cost walk = measure(*world, motions, workspace, 3);
  // The start, which every query looks at first.
  Cost state;
  for (int run = 0; run < 3; ++run) {
    state.stats = {};
    const double start = cpu_seconds();
    for (const Eigen::VectorXd& q : starts) {
      state.stats += check_state(*world, q, {}, workspace).stats;
    }
    state.seconds = std::min(state.seconds, (cpu_seconds() - start) / double(motions.size()));
  }
  std::printf(
      "| %d | %s | %.1f | %zu of %d | %.1f | %.1f | %.1f | %.0f | %.0f | %.0f | %.0f | %d |",
      c.links, c.one_joint ? "one" : "all", c.turn, motions.size(), tried, 1e6 * walk.seconds,
      1e6 * state.seconds, count(walk.stats.intervals),
      count(walk.stats.box_tests - state.stats.box_tests), count(walk.stats.boxes_remade),
      count(walk.stats.compositions), count(walk.stats.element_tests), walk.undecided);
  if (!c.has_pairwise) {
    std::printf(" | | |\n");
    return;
  }
  workspace.impl().pairwise = true;
  motions.resize(std::min(motions.size(), c.links > 64 ? size_t{2} : motions.size()));
  const Cost pairwise = measure(*world, motions, workspace, c.links > 64 ? 1 : 3);
  std::printf(" %.1f | %.1f | %.0f |\n", 1e6 * pairwise.seconds, count(pairwise.stats.intervals),
              count(pairwise.stats.pair_tests));
  std::fflush(stdout);
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  using catena::bench::Case;
  const int edges = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  const auto seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  std::printf(
      "| links | joints | rad | free | us | start, us | intervals | pairs of nodes | balls | "
      "compositions"
      " | exact tests | undecided | pair by pair, us | intervals | pairs |\n");
  std::printf(
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  for (const Case& c :
       {Case{7, 0.5, false, true}, Case{16, 0.5, false, true}, Case{64, 0.5, false, true},
        Case{256, 0.5, false, true}, Case{1024, 0.1, false, false}, Case{256, 0.5, true, true},
        Case{1024, 0.5, true, false}}) {
    catena::bench::measure_case(c, edges, seed);
  }
}
