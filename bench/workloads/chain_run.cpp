#include "chain_run.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <stdexcept>

#include "cpu_clock.hpp"
#include "random.hpp"

namespace catena::bench {
namespace {

using Shape = ChainCase::Shape;

void record(double distance, bool keep_distance, ChainRun& result) {
  const bool free = distance > 0;
  if (keep_distance) result.distances.push_back(distance);
  result.accepted += free;
  result.decisions = with_decision(result.decisions, free);
}

ChainRun play(std::span<const ChainMove> moves, bool distances, ChainMethod& method) {
  ChainRun result;
  if (distances) result.distances.reserve(moves.size());
  const double start = cpu_seconds();
  for (const ChainMove& m : moves) {
    record(distances ? method.step_distance(m.joint, m.angle) : method.step(m.joint, m.angle),
           distances, result);
  }
  result.seconds = cpu_seconds() - start;
  return result;
}

ChainRun run_every_joint(const ChainCase& c, ChainMethod& method) {
  SplitMix64 random(2000 + static_cast<std::uint64_t>(c.n));
  std::vector<double> torsions(c.n - 1, 0.0), next(torsions);
  ChainRun result;
  for (int i = 0; i < c.steps; ++i) {
    for (size_t j = 0; j < torsions.size(); ++j) {
      next[j] = torsions[j] + random.uniform(-c.amplitude, c.amplitude);
    }
    const double start = cpu_seconds();
    const double distance =
        c.window > 0 ? method.all_joints_distance(next) : method.all_joints(next);
    result.seconds += cpu_seconds() - start;
    if (distance > 0) torsions.swap(next);
    record(distance, c.window > 0, result);
  }
  return result;
}

}  // namespace

std::uint64_t with_decision(std::uint64_t decisions, bool free) {
  constexpr std::uint64_t kPrime = 1099511628211u;  // of the hash FNV-1a
  return decisions * kPrime + static_cast<std::uint64_t>(free) + 7;
}

std::vector<ChainMove> one_joint_moves(int n, int steps, double amplitude) {
  SplitMix64 random(1000 + static_cast<std::uint64_t>(n));
  std::vector<ChainMove> moves;
  for (int i = 0; i < steps; ++i) {
    const int joint = random.below(n - 2);
    moves.push_back({joint, random.uniform(-amplitude, amplitude)});
  }
  return moves;
}

std::vector<ChainCase> chain_cases() {
  constexpr int kWindow = 4;  // nearer along the chain: their bonds decide, whatever it does
  return {
      {"W1/cube/wide/N:1000", false, Shape::kCube, 1000, 400, kWide, 0x6132aac08f416eff},
      {"W1/cube/small/N:1000", false, Shape::kCube, 1000, 400, kSmall, 0x90ebbc5010c8e8d6},
      {"W1/cube/wide/N:2500", false, Shape::kCube, 2500, 400, kWide, 0x7fc7c6d4ff7bf768},
      {"W1/cube/small/N:2500", false, Shape::kCube, 2500, 400, kSmall, 0x2a196bd93ced9fd7},
      {"W1/cube/wide/N:5000", false, Shape::kCube, 5000, 200, kWide, 0x03ad7354e791abeb},
      {"W1/cube/small/N:5000", false, Shape::kCube, 5000, 200, kSmall, 0xa4be11bb81f00a0b},
      {"W1/cube/wide/N:10000", false, Shape::kCube, 10000, 200, kWide, 0xc9de1dac129db615},
      {"W1/cube/small/N:10000", false, Shape::kCube, 10000, 200, kSmall, 0xb4b610ea1bf205fd},
      {"W1/backbone/wide/N:1000", false, Shape::kBackbone, 1000, 400, kWide, 0x1e234725a5e775ab},
      {"W1/backbone/small/N:1000", false, Shape::kBackbone, 1000, 400, kSmall, 0xe5ecd8eb6000a100},
      {"W1/backbone/wide/N:10000", false, Shape::kBackbone, 10000, 200, kWide, 0xa7998c8360f4084f},
      {"W1/backbone/small/N:10000", false, Shape::kBackbone, 10000, 200, kSmall,
       0x3efa8a91fcd6336e},
      {"W1/globule/wide/N:1000", false, Shape::kGlobule, 1000, 400, kWide, 0xcedde26195adf439},
      {"W1/globule/small/N:1000", false, Shape::kGlobule, 1000, 400, kSmall, 0x140cb399b0654c97},
      {"W1/globule/wide/N:8000", false, Shape::kGlobule, 8000, 200, kWide, 0x1d64ff4a567648dd},
      {"W1/globule/small/N:8000", false, Shape::kGlobule, 8000, 200, kSmall, 0xbef84bae39fd2163},
      {"W2/cube/free/N:1000", true, Shape::kCube, 1000, 100, 1e-4, 0x6f00d54ff69bf240},
      {"W2/cube/coll/N:1000", true, Shape::kCube, 1000, 100, 1e-2, 0xe5d2652b6d4b9381},
      {"W2/cube/free/N:2500", true, Shape::kCube, 2500, 100, 1e-4, 0x6f00d54ff69bf240},
      {"W2/cube/coll/N:2500", true, Shape::kCube, 2500, 100, 1e-2, 0x4120baa5f7c873f8},
      {"W2/cube/free/N:5000", true, Shape::kCube, 5000, 50, 1e-4, 0xa1bd060f9a2c60a0},
      {"W2/cube/coll/N:5000", true, Shape::kCube, 5000, 50, 1e-2, 0x8d85654da6e6d48c},
      {"W2/cube/free/N:10000", true, Shape::kCube, 10000, 50, 1e-4, 0xa1bd060f9a2c60a0},
      {"W2/cube/coll/N:10000", true, Shape::kCube, 10000, 50, 1e-2, 0x8d85654da6e6d48c},
      {"D1/cube/wide/N:1000", false, Shape::kCube, 1000, 400, kWide, 0, kWindow},
      {"D1/cube/small/N:1000", false, Shape::kCube, 1000, 400, kSmall, 0, kWindow},
      {"D1/cube/wide/N:10000", false, Shape::kCube, 10000, 100, kWide, 0, kWindow},
      {"D1/cube/small/N:10000", false, Shape::kCube, 10000, 100, kSmall, 0, kWindow},
      {"D1/backbone/wide/N:1000", false, Shape::kBackbone, 1000, 400, kWide, 0, kWindow},
      {"D1/backbone/small/N:1000", false, Shape::kBackbone, 1000, 400, kSmall, 0, kWindow},
      {"D1/backbone/wide/N:10000", false, Shape::kBackbone, 10000, 100, kWide, 0, kWindow},
      {"D1/backbone/small/N:10000", false, Shape::kBackbone, 10000, 100, kSmall, 0, kWindow},
      {"D1/globule/wide/N:1000", false, Shape::kGlobule, 1000, 400, kWide, 0, kWindow},
      {"D1/globule/small/N:1000", false, Shape::kGlobule, 1000, 400, kSmall, 0, kWindow},
      {"D1/globule/wide/N:8000", false, Shape::kGlobule, 8000, 100, kWide, 0, kWindow},
      {"D1/globule/small/N:8000", false, Shape::kGlobule, 8000, 100, kSmall, 0, kWindow},
      {"D2/cube/free/N:1000", true, Shape::kCube, 1000, 50, 1e-4, 0, kWindow},
      {"D2/backbone/free/N:1000", true, Shape::kBackbone, 1000, 50, 1e-4, 0, kWindow},
      {"D2/cube/free/N:10000", true, Shape::kCube, 10000, 10, 1e-4, 0, kWindow},
      {"D2/backbone/free/N:10000", true, Shape::kBackbone, 10000, 10, 1e-4, 0, kWindow},
  };
}

bool ChainMethod::all_joints(std::span<const double>) {
  throw std::logic_error("this method moves one joint at a time; say so in its entry");
}
double ChainMethod::step_distance(int, double) {
  throw std::logic_error("this method measures no distance; say so in its entry");
}
double ChainMethod::all_joints_distance(std::span<const double>) {
  throw std::logic_error("this method measures no distance; say so in its entry");
}

SphereChain make_chain(const ChainCase& c) {
  SphereChain chain;
  switch (c.shape) {
    case Shape::kCube:
      chain = cube_chain(c.n);
      break;
    case Shape::kBackbone:
      chain = backbone_chain(c.n);
      break;
    case Shape::kGlobule:
      int side = 1;
      while (side * side * side < c.n) ++side;
      chain = globule_chain(side, 4000 + static_cast<std::uint64_t>(c.n));
      break;
  }
  if (c.window > 0) chain.unchecked = c.window;
  return chain;
}

namespace {

template <class Play>
ChainRun run_counted(const SphereChain& chain, ChainMethod& method, const Play& play_all) {
  method.init(chain);
  const PairTests before = method.tests();
  ChainRun result = play_all();
  result.tests.boxes = method.tests().boxes - before.boxes;
  result.tests.spheres = method.tests().spheres - before.spheres;
  result.tests.updates = method.tests().updates - before.updates;
  result.tests.shortcuts_remade = method.tests().shortcuts_remade - before.shortcuts_remade;
  return result;
}

}  // namespace

ChainRun run(const ChainCase& c, const SphereChain& chain, ChainMethod& method) {
  return run_counted(chain, method, [&] {
    return c.every_joint ? run_every_joint(c, method)
                         : play(one_joint_moves(c.n, c.steps, c.amplitude), c.window > 0, method);
  });
}

ChainRun run(std::span<const ChainMove> moves, const SphereChain& chain, ChainMethod& method) {
  return run_counted(chain, method, [&] { return play(moves, false, method); });
}

void measure(benchmark::State& state, int steps, const ChainRun& reference,
             const std::function<ChainRun()>& run) {
  ChainRun last;
  double seconds = 0;
  for (auto _ : state) {
    last = run();
    seconds += last.seconds;
    state.SetIterationTime(last.seconds);
  }
  char shown[20];
  std::snprintf(shown, sizeof shown, "%016llx", static_cast<unsigned long long>(last.decisions));
  state.SetLabel(shown);
  if (last.decisions != reference.decisions) {
    state.SkipWithError((std::string("decides otherwise: ") + shown).c_str());
  }
  for (size_t i = 0; i < reference.distances.size(); ++i) {
    const double error = std::abs(last.distances[i] - reference.distances[i]);
    if (error < 1e-8) continue;
    state.SkipWithError(
        ("step " + std::to_string(i) + ": distance off by " + std::to_string(error)).c_str());
    break;
  }
  const double n = steps;
  state.counters["us_per_step"] = 1e6 * seconds / (n * static_cast<double>(state.iterations()));
  state.counters["accepted"] = last.accepted;
  state.counters["steps"] = n;
  if (last.tests.boxes > 0) {
    state.counters["box_tests"] = static_cast<double>(last.tests.boxes) / n;
  }
  state.counters["sphere_tests"] = static_cast<double>(last.tests.spheres) / n;
  if (last.tests.updates > 0) {
    state.counters["updates"] = static_cast<double>(last.tests.updates) / n;
  }
  if (last.tests.shortcuts_remade > 0) {
    state.counters["shortcuts_remade"] = static_cast<double>(last.tests.shortcuts_remade) / n;
  }
}

std::vector<std::string> chain_columns() {
  return {"us_per_step",  "accepted", "steps",           "box_tests",
          "sphere_tests", "updates",  "shortcuts_remade"};
}

}  // namespace catena::bench
