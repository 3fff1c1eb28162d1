#pragma once

#include <cstdint>
#include <vector>

#include "catena/geometry/geometry.hpp"
#include "catena/geometry/pair_distance.hpp"
#include "catena/query/result.hpp"

namespace catena::internal {

/// How two geometries move relative to each other within h of a mid-time, to first order, with
/// bounds of what that leaves out. In the axes of geometry a's frame at mid-time.
///
/// A point x of a moves by tau (velocity of a's centre + spin_a x (x - centre)), |tau| <= h, up to
/// `acceleration` and h `velocity_error`; likewise for b. docs/rigor.md, R4.
struct PairMotion {
  double half_step = 0.0;     ///< h
  double displacement = 0.0;  ///< of any two points, in any direction, over the half-step
  Vector3d velocity = Vector3d::Zero();  ///< of b's bound centre relative to a's
  Vector3d spin_a = Vector3d::Zero(), spin_b = Vector3d::Zero();
  double velocity_error = 0.0;  ///< everything rounded above, spins times radii included
  double acceleration = 0.0;    ///< bound of both, times h^2 / 2
};

/// What is to be proven of a pair: a gap above the clearance or, measuring, the distance.
struct Goal {
  double clearance = 0.0;  ///< apart means: gap > clearance + motion
  /// Measuring: the clearance follows the smallest distance found, so that in the end `least` and
  /// `greatest` bracket the smallest of all. It is not below 0 so long as no contact is proven.
  bool measuring = false;
  double width = 0.0;
  double floor = 0.0;       ///< the clearance that the verdict is about
  double most = kInfinity;  ///< distances beyond it need not be told
  double greatest = kInfinity;
  double least = kInfinity;

  void found(double distance_hi) noexcept;  ///< an upper bound of the smallest distance
  void lower(double bound) noexcept;        ///< all that is known of some pair
};

/// A pair of elements, as leaves of the two trees.
struct Leaf {
  int a = -1, b = -1;
};

enum class PairState : std::uint8_t { kApart, kTouching, kOpen };

struct Examination {
  PairState state = PairState::kApart;
  Leaf leaf;  ///< that touches or is open
  /// Of that leaf, in a's frame. Of a pair that stands still and is left open: the bracket is the
  /// whole pair's, as far as it lies below the clearance.
  PairDistance distance;
  /// Standing still: a lower bound of the distance of all leaves, unless they touch.
  double gap = kInfinity;
  bool hulls_apart = false;  ///< so that neither can be inside the other either
  bool doubtful = false;     ///< some leaf is not even told apart at mid-time
  bool closer = false;       ///< measuring: this pair lowered goal.greatest
  PairDistance closest;      ///< where it did
};

/// Reused memory of the traversal: pairs of nodes still to be looked at.
struct Scratch {
  struct Entry {
    int a, b;
    double slack;  ///< proven gap beyond the motion
  };
  std::vector<Entry> stack;
};

/// Are the geometries a and b (X_FG: a's frame <- b's) apart by more than the goal asks, over the
/// whole of `motion` (nullptr: standing still)? kTouching: they provably come within
/// goal.clearance (measuring: they touch) at mid-time. `hint` is tried first.
///
/// Surfaces only: a body wholly inside a closed mesh is found by `contained`.
/// More than `budget` visited pairs in `stats`: kOpen. 0: no budget.
Examination examine(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                    const PairMotion* motion, Goal& goal, Leaf hint, std::uint64_t budget,
                    Scratch& scratch, QueryStats& stats);

/// The same of one element of each, over a motion.
Examination examine_elements(const Geometry& a, int element_a, const Geometry& b, int element_b,
                             const RigidEnclosure& X_FG, const PairMotion& motion, Goal& goal,
                             QueryStats& stats);

/// kTouching if an interior point of one, or the middle of one of its elements, lies inside the
/// other, a closed mesh. For pairs left doubtful: surfaces that coincide cross nowhere, though
/// their insides may overlap.
PairState insides_meet(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                       Scratch& scratch, QueryStats& stats);

/// Does one of the two lie inside the other, a closed mesh, so far as one point of every connected
/// component tells? kApart: proven that none does; kTouching: proven that one does.
PairState contained(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                    Scratch& scratch, QueryStats& stats);

/// Two geometries that stand still: their surfaces, and what lies inside closed meshes (not looked
/// at where the surfaces are proven to touch).
struct StillPair {
  Examination surfaces;
  PairState inside = PairState::kApart;
};
StillPair examine_still(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                        Goal& goal, std::uint64_t budget, Scratch& scratch, QueryStats& stats);

/// Their distance. Beyond `most` a lower bound beyond it is enough, and the bracket may end in
/// infinity; below it the bracket is at most `width` wide, rounding and a budget that runs out
/// (0: none) apart. Where they touch: minus the depth of two convex elements, otherwise at most 0.
Interval bracket_distance(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                          double most, double width, std::uint64_t budget, Scratch& scratch,
                          QueryStats& stats);

/// A lower bound of the gap between a half-space with unit normal, in frame F, and a box
/// (docs/rigor.md, R3): 32 roundoffs of the coordinates cover the computed centre and offset, and
/// 1e-13 of the half sizes the axes, orthonormal to 1e-14, as in `separate`.
Separation half_space_gap(const ConvexShape& h_F, const Obb& box_G,
                          const RigidEnclosure& X_FG) noexcept;

}  // namespace catena::internal
