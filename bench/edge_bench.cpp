// Edges of a chain against itself, all of them free: what it costs to prove so by Taylor models
// along the chain tree, pair by pair, and by the ways of the literature.
//
//   edge_bench [EDGES] [SEED]
//
// Prints two Markdown tables, means over the edges: CPU time of check_motion, the least of three
// runs, and in it that of the walk alone; the counters do not depend on the machine. A snake of
// capsules turns all of its joints, or one, by up to so many radians; its shape is a random coil.
// Pair by pair only where that takes no minutes; the others give up after so many intervals that an
// edge takes a second or so, and their column says how many edges they proved.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "catena/query/continuous.hpp"
#include "catena_methods.hpp"
#include "query/workspace_impl.hpp"
#include "workloads/box_bisection.hpp"
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

  SnakeEdge for_rivals() const { return {{q0.begin(), q0.end()}, {q1.begin(), q1.end()}}; }
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

void print_rivals(const Case& c, const Snake& snake, const std::vector<Edge>& edges) {
  std::printf("| %d | %s | %.1f |", c.links, c.one_joint ? "one" : "all", c.turn);
  const std::int64_t most = 2'000'000 / c.links;
  for (const Sweep sweep : {Sweep::kTaylor, Sweep::kIntervals, Sweep::kBounds}) {
    BoxBisection bisection(snake, sweep);
    double intervals = 0.0, tests = 0.0;
    int proven = 0;
    const double start = cpu_seconds();
    for (const Edge& edge : edges) {
      const BoxBisection::Result r = bisection.check(edge.for_rivals(), most);
      if (r.verdict == Verdict::kCollision) std::printf(" WRONG: a collision");
      proven += r.verdict == Verdict::kFree ? 1 : 0;
      intervals += static_cast<double>(r.intervals);
      tests += static_cast<double>(r.pair_tests);
    }
    const double n = static_cast<double>(edges.size());
    std::printf(" %d of %zu | %.0f | %.0f | %.0f |", proven, edges.size(),
                1e6 * (cpu_seconds() - start) / n, intervals / n, tests / n);
    std::fflush(stdout);
  }
  std::printf("\n");
}

std::vector<Edge> measure_case(const Case& c, const Snake& snake, int edges, std::uint64_t seed) {
  const auto world = std::make_shared<const CollisionWorld>(
      snake_robot(snake, snake_capsule(snake), /*floating=*/false), nullptr);
  Workspace workspace(*world);
  SplitMix64 random(seed);
  std::vector<Motion> motions;
  std::vector<Edge> free_edges;
  int tried = 0;
  while (static_cast<int>(motions.size()) < edges && tried < 100 * edges) {
    ++tried;
    const Edge edge = random_edge(*world, c, random);
    Motion motion(world->robot(), edge.q0, edge.q1);
    if (check_motion(*world, motion, {}, workspace).verdict == Verdict::kFree) {
      motions.push_back(std::move(motion));
      free_edges.push_back(edge);
    }
  }
  const auto count = [&](std::uint64_t n) { return double(n) / double(motions.size()); };
  const Cost walk = measure(*world, motions, workspace, 3);
  // The start, which every query looks at first.
  Cost state;
  for (int run = 0; run < 3; ++run) {
    state.stats = {};
    const double start = cpu_seconds();
    for (const Edge& edge : free_edges) {
      state.stats += check_state(*world, edge.q0, {}, workspace).stats;
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
    return free_edges;
  }
  workspace.impl().pairwise = true;
  motions.resize(std::min(motions.size(), c.links > 64 ? size_t{2} : motions.size()));
  const Cost pairwise = measure(*world, motions, workspace, c.links > 64 ? 1 : 3);
  std::printf(" %.1f | %.1f | %.0f |\n", 1e6 * pairwise.seconds, count(pairwise.stats.intervals),
              count(pairwise.stats.pair_tests));
  std::fflush(stdout);
  return free_edges;
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
  const Case cases[] = {{7, 0.5, false, true},   {16, 0.5, false, true},    {64, 0.5, false, true},
                        {256, 0.5, false, true}, {1024, 0.1, false, false}, {256, 0.5, true, true},
                        {1024, 0.5, true, false}};
  const auto snake_of = [](const Case& c) { return catena::bench::Snake{c.links, 1.0, 0.1}; };
  std::vector<std::vector<catena::bench::Edge>> free_edges;
  for (const Case& c : cases) {
    free_edges.push_back(catena::bench::measure_case(c, snake_of(c), edges, seed));
  }
  std::printf(
      "\n| links | joints | rad | Taylor models link by link: proven | us | intervals | pairs | "
      "intervals link by link: proven | us | intervals | pairs | summed bounds: proven | us | "
      "intervals | pairs |\n");
  std::printf(
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- |\n");
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    catena::bench::print_rivals(cases[i], snake_of(cases[i]), free_edges[i]);
  }
}
