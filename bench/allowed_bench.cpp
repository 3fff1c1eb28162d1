// Links that overlap in every state, and may: what queries cost when a search goes down to each
// pair of them, and when it drops pairs of nodes of which nothing is checked.
//
//   allowed_bench [STEPS]
//
// Prints a Markdown table: pairs of nodes and CPU time a query, before and after, the least of
// three runs. One joint among the links turns a little each step; `whole` is check_state.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "catena/query/chain_state.hpp"
#include "query/collision_world_probe.hpp"
#include "support/overlapping_links.hpp"
#include "workloads/cpu_clock.hpp"

namespace catena::bench {
namespace {

struct Cost {
  double visited = 0.0, seconds = kInfinity;
};

/// Of one query in the mean of so many.
template <class Query>
Cost measure(int steps, const Query& query) {
  Cost cost;
  for (int run = 0; run < 3; ++run) {
    double visited = 0.0;
    const double start = cpu_seconds();
    for (int step = 0; step < steps; ++step) visited += static_cast<double>(query(step).visited());
    cost.seconds = std::min(cost.seconds, (cpu_seconds() - start) / steps);
    cost.visited = visited / steps;
  }
  return cost;
}

struct Costs {
  Cost check, distance, list, whole;
};

Costs measure_all(const std::shared_ptr<const CollisionWorld>& world, LinkIndex joint, int steps) {
  ChainState state(world);
  Workspace workspace(*world);
  NearPairs list;
  const auto move = [&](int step) { state.set(joint, step % 2 == 0 ? 1e-4 : 0.0); };
  const auto settle = [&] {
    if (state.check().verdict == Verdict::kFree) return;
    std::fprintf(stderr, "allowed_bench: a state is not free\n");
    std::exit(1);
  };
  settle();
  state.distance();
  state.find_near_pairs(0.01, {}, list);
  Costs costs;
  costs.check = measure(steps, [&](int step) {
    move(step);
    const QueryStats stats = state.check().stats;
    state.commit();
    return stats;
  });
  settle();
  costs.distance = measure(steps, [&](int step) {
    move(step);
    return state.distance().stats;
  });
  costs.list = measure(steps, [&](int step) {
    move(step);
    state.find_near_pairs(0.01, {}, list);
    return list.stats;
  });
  costs.whole = measure(
      steps, [&](int) { return check_state(*world, state.positions(), {}, workspace).stats; });
  return costs;
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  using namespace catena;
  const int steps = argc > 1 ? std::max(2, std::atoi(argv[1])) : 100;
  std::printf("| robot | m | query | pairs, to each | pairs | us, to each | us |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& make : {&test::knot, &test::glove}) {
    for (const int m : {16, 64, 256, 1024}) {
      const auto [world, joint] = make(m);
      const auto before =
          bench::measure_all(internal::CollisionWorldProbe::without_unchecked_nodes(*world), joint,
                             m > 256 ? std::max(2, steps / 50) : steps);
      const auto after = bench::measure_all(world, joint, steps);
      const auto row = [&](const char* query, const bench::Cost& a, const bench::Cost& b) {
        std::printf("| %s | %d | %s | %.0f | %.0f | %.1f | %.1f |\n", world->robot().name().c_str(),
                    m, query, a.visited, b.visited, 1e6 * a.seconds, 1e6 * b.seconds);
      };
      row("check", before.check, after.check);
      row("distance", before.distance, after.distance);
      row("list", before.list, after.list);
      row("whole", before.whole, after.whole);
    }
  }
}
