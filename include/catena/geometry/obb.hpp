#pragma once

#include <Eigen/Core>

#include "catena/math/rigid_enclosure.hpp"

namespace catena {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// An oriented box in some frame F.
///
/// A half size may be zero (a plate, a stick, a point) or infinite (a slab, a beam).
struct Obb {
  Matrix3d axes = Matrix3d::Identity();  ///< R_FO: columns are the box's axes, orthonormal to 1e-14
  Vector3d center = Vector3d::Zero();
  Vector3d half = Vector3d::Zero();
};

/// A direction and how far it separates two sets at least.
struct Separation {
  Vector3d direction = Vector3d::Zero();  ///< from a to b, in a's frame; unit but for rounding
  double gap = -kInfinity;                ///< proven lower bound along it; negative: overlap
};

/// The best of the 15 separating axes, and the line of centres, of two boxes, each in a frame of
/// its own. A gap above `enough` ends the search.
///
/// Rigor     gap holds for every exact motion that X_FG encloses; a nearly vanishing cross product
///           of edges is skipped, so its direction is never trusted (docs/rigor.md, R3).
///           Infinite half sizes count only along the axes that see them; where one does, and where
///           a number is none, nothing is proven along that axis.
/// Source    [Gottschalk1996], section 5, with a slack of our own.
Separation separate(const Obb& a_F, const Obb& b_G, const RigidEnclosure& X_FG,
                    double enough = kInfinity) noexcept;

/// False only if the boxes, each in a frame of its own, are proven farther apart than `clearance`
/// >= 0; true means "not proven", not "touching". The same fifteen axes, without square roots,
/// until one of them separates.
///
/// Rigor     as `separate`; the slack scales with coordinates and sizes (docs/rigor.md, R7).
bool may_overlap(const Obb& a_F, const Obb& b_G, const RigidEnclosure& X_FG,
                 double clearance = 0.0) noexcept;

}  // namespace catena
