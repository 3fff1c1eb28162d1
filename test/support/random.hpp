#pragma once

#include <random>

namespace catena::test {

/// What tests draw from, with a seed that they print.
using Rng = std::mt19937_64;

inline double uniform(Rng& rng, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(rng);
}

}  // namespace catena::test
