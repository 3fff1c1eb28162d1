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
  ChainMethods all = catena_chain_methods();
  for (ChainMethodEntry& rival : chain_rivals()) all.push_back(std::move(rival));
  return all;
}

void measure_case(benchmark::State& state, const ChainCase& c, const ChainMethodEntry& entry) {
  static std::map<std::string, SphereChain> chains;
  SphereChain& chain = chains[c.name];
  if (chain.centres.empty()) chain = make_chain(c);

  static std::map<std::string, ChainRun> references;
  const auto [at, is_new] = references.try_emplace(c.name);
  ChainRun& reference = at->second;
  if (is_new && c.window > 0) reference = run(c, chain, *all_pairs_method().make());
  if (c.window == 0) reference.decisions = c.decisions;
  measure(state, c.steps, reference, [&] { return run(c, chain, *entry.make()); });
}

void register_all() {
  for (const ChainCase& c : chain_cases()) {
    for (const ChainMethodEntry& m : chain_methods()) {
      const bool takes_part = c.window == 0   ? !c.every_joint || m.has_all_joints
                              : c.every_joint ? m.has_all_joints_distances
                                              : m.has_step_distances;
      if (!takes_part) continue;
      benchmark::RegisterBenchmark((c.name + '/' + m.name).c_str(), measure_case, c, m)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  catena::bench::register_all();
  return catena::bench::run_benchmarks(argc, argv, catena::bench::chain_columns());
}
