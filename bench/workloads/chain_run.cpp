#include "chain_run.hpp"

#include <numbers>
#include <stdexcept>

#include "cpu_clock.hpp"
#include "random.hpp"

namespace catena::bench {
namespace {

using Shape = ChainCase::Shape;

void record(bool free, ChainRun& result) {
  result.accepted += free;
  result.decisions = result.decisions * 1099511628211u + static_cast<std::uint64_t>(free) + 7;
}

ChainRun run_one_joint(const ChainCase& c, ChainMethod& method) {
  struct Move {
    int joint;
    double angle;
  };
  SplitMix64 random(1000 + static_cast<std::uint64_t>(c.n));
  std::vector<Move> moves;
  for (int i = 0; i < c.steps; ++i) {
    const int joint = random.below(c.n - 2);
    moves.push_back({joint, random.uniform(-c.amplitude, c.amplitude)});
  }
  ChainRun result;
  const double start = cpu_seconds();
  for (const Move& m : moves) record(method.step(m.joint, m.angle), result);
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
    const bool free = method.all_joints(next);
    result.seconds += cpu_seconds() - start;
    if (free) torsions.swap(next);
    record(free, result);
  }
  return result;
}

}  // namespace

std::vector<ChainCase> chain_cases() {
  constexpr double kWide = std::numbers::pi, kSmall = 2 * std::numbers::pi / 180;
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
  };
}

bool ChainMethod::all_joints(std::span<const double>) {
  throw std::logic_error("this method moves one joint at a time; say so in its entry");
}

SphereChain make_chain(const ChainCase& c) {
  switch (c.shape) {
    case Shape::kCube:
      return cube_chain(c.n);
    case Shape::kBackbone:
      return backbone_chain(c.n);
    case Shape::kGlobule:
      break;
  }
  int side = 1;
  while (side * side * side < c.n) ++side;
  return globule_chain(side, 4000 + static_cast<std::uint64_t>(c.n));
}

ChainRun run(const ChainCase& c, const SphereChain& chain, ChainMethod& method) {
  method.init(chain);
  const PairTests before = method.tests();
  ChainRun result = c.every_joint ? run_every_joint(c, method) : run_one_joint(c, method);
  result.tests.boxes = method.tests().boxes - before.boxes;
  result.tests.spheres = method.tests().spheres - before.spheres;
  result.tests.updates = method.tests().updates - before.updates;
  return result;
}

}  // namespace catena::bench
