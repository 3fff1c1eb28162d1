#pragma once

#include "catena/geometry/convex.hpp"
#include "catena/geometry/obb.hpp"
#include "catena/math/interval.hpp"
#include "catena/math/rigid_enclosure.hpp"

namespace catena {

/// What is proven about two convex shapes, a in frame F and b in frame G.
struct PairDistance {
  /// Bracket of the distance; for shapes that provably overlap, of minus the penetration depth
  /// (lo = -infinity if the depth was not asked for).
  Interval distance{-kInfinity, kInfinity};
  /// A direction in F, unit but for rounding, along which b lies beyond a by at least distance.lo
  /// (meaningful when distance.lo > 0).
  Vector3d direction = Vector3d::Zero();
  Vector3d point_a = Vector3d::Zero();  ///< in F; realises distance.hi (nearly, when apart)
  Vector3d point_b = Vector3d::Zero();  ///< in F
  bool overlap = false;                 ///< proven: the shapes share a point
};

/// Certified distance, or a lower bound of it where that exceeds `enough`: the iteration ends
/// there.
///
/// Rigor     the iteration only proposes a direction, points and a simplex; the bracket is derived
///           from support values with their rounding bounds, whatever it did (docs/rigor.md, R3).
/// Cost      typically 4 to 10 support evaluations for polytopes, up to 100 for curved shapes, and
///           the polytope's where the cores overlap. No allocation.
/// Source    [Gilbert1988] for the iteration, [vandenBergen2001] for the depth.
PairDistance pair_distance(const ConvexShape& a_F, const ConvexShape& b_G,
                           const RigidEnclosure& X_FG, bool want_depth,
                           double enough = kInfinity) noexcept;

}  // namespace catena
