#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chain_method.hpp"

namespace catena::bench {

/// A chain and a list of moves. One joint a step, by up to amplitude (W1), or all of them (W2).
/// Is the chain free? Or how far is it from itself (D1 and D2, with the same moves)?
struct ChainCase {
  enum class Shape { kCube, kBackbone, kGlobule };

  std::string name;  // "W1/cube/wide/N:1000"
  bool every_joint;
  Shape shape;
  int n;
  int steps;
  double amplitude;  // [rad]
  /// Of the decisions that every exact method takes.
  std::uint64_t decisions;
  /// Where the distance is asked for (D1, D2): of the chain. Else 0.
  int window = 0;
};

std::vector<ChainCase> chain_cases();

SphereChain make_chain(const ChainCase& c);

struct ChainRun {
  double seconds = 0;  // CPU time of all steps, without init and without drawing the moves
  int accepted = 0;
  std::uint64_t decisions = 0;    // hash: equal if and (but for chance) only if each step was
  std::vector<double> distances;  // of each step, if asked for; a collision is one of zero
  PairTests tests;
};

/// Lets the method play the case's moves, from the start.
ChainRun run(const ChainCase& c, const SphereChain& chain, ChainMethod& method);

}  // namespace catena::bench
