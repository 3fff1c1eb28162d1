#pragma once

#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "chain_method.hpp"

namespace catena::bench {

/// By how much a step of W1 turns a joint at most [rad].
constexpr double kWide = std::numbers::pi, kSmall = 2 * std::numbers::pi / 180;

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
  /// Where the distance is asked for (D1, D2): what the chain leaves unchecked. Else 0.
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

struct ChainMove {
  int joint;
  double angle;  // [rad]
};
/// Those of a case in which one joint turns, by an equal seed for equal n.
std::vector<ChainMove> one_joint_moves(int n, int steps, double amplitude);

/// The hash of a run's decisions, once another step was found free or not; of none: 0.
std::uint64_t with_decision(std::uint64_t decisions, bool free);

/// Plays moves of one joint that are given.
ChainRun run(std::span<const ChainMove> moves, const SphereChain& chain, ChainMethod& method);

/// A benchmark of so many steps, each of whose runs must take the reference's decisions and, if it
/// has any, measure its distances within 1e-8.
void measure(benchmark::State& state, int steps, const ChainRun& reference,
             const std::function<ChainRun()>& run);
/// The counters of measure, in the order of a table's columns.
std::vector<std::string> chain_columns();

}  // namespace catena::bench
