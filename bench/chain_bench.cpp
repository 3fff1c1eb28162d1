// Chains of spheres that must stay free of themselves: one joint turns a step (W1), or all do (W2).
// Each method replays the same moves, and must take the same decisions (a hash of which is shown).
// D1 and D2 ask instead how far the chain is from itself; there the distances must be those of a
// look at every pair.
//
//   chain_bench [--markdown] [--benchmark_filter=W1/cube/.*N:1000/.*] ...
//
// Times are CPU times a step: the move, the answer and the undoing of a move that collides. The
// moves are those of an equal seed everywhere, but what a step costs depends on whether it is
// accepted, so only equal lists compare.
#include <cmath>
#include <cstdio>
#include <map>

#include <benchmark/benchmark.h>

#include "catena_methods.hpp"
#include "rivals/chain_methods.hpp"
#include "workloads/chain_run.hpp"
#include "workloads/report.hpp"

namespace catena::bench {
namespace {

/// Every method takes part that is in this list. Catena's own comes from a file catena_methods.cpp
/// beside this one: declare its list in catena_methods.hpp, name both here and in CMakeLists.txt.
ChainMethods chain_methods() {
  ChainMethods all;
  const auto add = [&](ChainMethods some) { all.insert(all.end(), some.begin(), some.end()); };
  add(catena_chain_methods());
  add(grid_methods());
  add(obb_tree_methods());
  add(chain_tree_methods());
#ifdef CATENA_BENCH_FCL
  add(fcl_chain_methods());
#endif
#ifdef CATENA_BENCH_BULLET
  add(bullet_chain_methods());
#endif
  return all;
}

void measure(benchmark::State& state, const ChainCase& c, const ChainMethodEntry& entry) {
  static std::map<std::string, SphereChain> chains;
  SphereChain& chain = chains[c.name];
  if (chain.centres.empty()) chain = make_chain(c);

  ChainRun last;
  double seconds = 0;
  for (auto _ : state) {
    last = run(c, chain, *entry.make());
    seconds += last.seconds;
    state.SetIterationTime(last.seconds);
  }
  char decisions[20];
  std::snprintf(decisions, sizeof decisions, "%016llx",
                static_cast<unsigned long long>(last.decisions));
  state.SetLabel(decisions);
  if (c.window > 0) {
    static std::map<std::string, ChainRun> references;
    ChainRun& reference = references[c.name];
    if (reference.distances.empty()) reference = run(c, chain, *all_pairs_method().make());
    for (size_t i = 0; i < last.distances.size(); ++i) {
      const double error = std::abs(last.distances[i] - reference.distances[i]);
      if (error < 1e-8) continue;
      state.SkipWithError(
          ("step " + std::to_string(i) + ": distance off by " + std::to_string(error)).c_str());
      break;
    }
  } else if (last.decisions != c.decisions) {
    state.SkipWithError((std::string("decides otherwise: ") + decisions).c_str());
  }
  const double steps = c.steps;
  state.counters["us_per_step"] = 1e6 * seconds / (steps * static_cast<double>(state.iterations()));
  state.counters["accepted"] = last.accepted;
  state.counters["steps"] = steps;
  if (last.tests.boxes > 0) {
    state.counters["box_tests"] = static_cast<double>(last.tests.boxes) / steps;
  }
  state.counters["sphere_tests"] = static_cast<double>(last.tests.spheres) / steps;
  if (last.tests.updates > 0) {
    state.counters["updates"] = static_cast<double>(last.tests.updates) / steps;
  }
}

void register_all() {
  for (const ChainCase& c : chain_cases()) {
    for (const ChainMethodEntry& m : chain_methods()) {
      const bool takes_part = c.window == 0   ? !c.every_joint || m.has_all_joints
                              : c.every_joint ? m.has_all_joints_distances
                                              : m.has_step_distances;
      if (!takes_part) continue;
      benchmark::RegisterBenchmark((c.name + '/' + m.name).c_str(), measure, c, m)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  catena::bench::register_all();
  return catena::bench::run_benchmarks(
      argc, argv, {"us_per_step", "accepted", "steps", "box_tests", "sphere_tests", "updates"});
}
