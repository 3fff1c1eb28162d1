#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sphere_chain.hpp"

namespace catena::bench {

/// How many pairs a method looked at. Zero boxes: it has none, or its library does not count them.
struct PairTests {
  std::int64_t boxes = 0;
  std::int64_t spheres = 0;
  std::int64_t updates = 0;  // boxes and transforms made, or spheres put in a grid; where counted
};

/// One way to decide whether a chain of spheres still is free after a move. A move that collides is
/// undone, so the chain always is free between calls (the chain given to init is).
///
/// After init a run calls either step or all_joints, never both.
class ChainMethod {
 public:
  virtual ~ChainMethod() = default;

  virtual void init(const SphereChain& chain) = 0;
  /// Turns joint (0 .. size - 3) by angle on top of what it is; returns whether the chain is free.
  virtual bool step(int joint, double angle) = 0;
  /// Sets every torsion, relative to the chain of init, as TorsionKinematics has them; returns
  /// whether the chain is free.
  virtual bool all_joints(std::span<const double> torsions);

  const PairTests& tests() const { return tests_; }

 protected:
  PairTests tests_;
};

struct ChainMethodEntry {
  std::string name;
  std::function<std::unique_ptr<ChainMethod>()> make;
  bool has_all_joints = true;  // else it takes part where one joint moves only
};

using ChainMethods = std::vector<ChainMethodEntry>;

}  // namespace catena::bench
