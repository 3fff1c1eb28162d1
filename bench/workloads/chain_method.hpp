#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sphere_chain.hpp"

namespace catena::bench {

/// How many pairs a method looked at, and what it remade before. Zero boxes: it has none, or its
/// library does not count them.
struct PairTests {
  std::int64_t boxes = 0;
  std::int64_t spheres = 0;
  std::int64_t updates = 0;  // boxes made anew, or spheres put in a grid, by those who count them
  std::int64_t shortcuts_remade = 0;  // transforms that Catena keeps beside its boxes
};

/// One way to decide whether a chain of spheres still is free after a move. A move that collides is
/// undone, so the chain always is free between calls (the chain given to init is).
///
/// After init a run calls one of the four questions only.
class ChainMethod {
 public:
  virtual ~ChainMethod() = default;

  virtual void init(const SphereChain& chain) = 0;
  /// Turns joint (0 .. size - 3) by angle on top of what it is; returns whether the chain is free.
  virtual bool step(int joint, double angle) = 0;
  /// Sets every torsion, relative to the chain of init, as TorsionKinematics has them; returns
  /// whether the chain is free.
  virtual bool all_joints(std::span<const double> torsions);
  /// As step and all_joints, but tells how far the chain is from itself: the smallest distance of
  /// two spheres more than chain.unchecked bonds from each other, zero if they collide. Of one
  /// joint: of spheres 0 .. joint from those beyond.
  virtual double step_distance(int joint, double angle);
  virtual double all_joints_distance(std::span<const double> torsions);

  const PairTests& tests() const { return tests_; }

 protected:
  PairTests tests_;
};

struct ChainMethodEntry {
  std::string name;
  std::function<std::unique_ptr<ChainMethod>()> make;
  bool has_all_joints = true;       // else it takes part where one joint moves only
  bool has_step_distances = false;  // else it takes no part where the distance is asked for
  bool has_all_joints_distances = false;
};

using ChainMethods = std::vector<ChainMethodEntry>;

}  // namespace catena::bench
