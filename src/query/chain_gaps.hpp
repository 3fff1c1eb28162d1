#pragma once

#include <vector>

#include "hierarchy/chain_volumes.hpp"
#include "workspace_impl.hpp"

namespace catena::internal {

/// What is known of the distances below a node of the chain tree: lower bounds at the values for
/// which a ChainState measured last.
struct NodeGap {
  double between = -kInfinity;  ///< of a part below the left child and one below the right
  double below = -kInfinity;    ///< of any two parts
  double before = -kInfinity;   ///< `between` of the measurement before
  std::uint64_t saved = 0;      ///< the count of commits for which it was kept
};

/// Something that may hold the closest pair, by a lower bound of its distance.
struct GapEntry {
  enum class Kind : std::uint8_t { kBelow, kBetween, kParts, kScene, kUnbounded };

  double bound;
  Kind kind;
  int a;      ///< a node of the chain tree
  int b;      ///< kParts: another; kScene: one of the scene's; kUnbounded: a geometry
  int owner;  ///< kParts: the node whose two children a and b are below
  FloatPose X_ab;
  bool operator<(const GapEntry& other) const noexcept { return bound > other.bound; }
};

}  // namespace catena::internal
