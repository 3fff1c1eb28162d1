#pragma once

#include "catena/math/rigid_enclosure.hpp"
#include "catena/model/turning_joint.hpp"

namespace catena::internal {

/// X_WL of links [first, last), whose joints all turn, at angles within their bounds; the first one
/// of which that does not hold ends it, and is returned (else `last`). `joints` and X_WL are of all
/// links, the poses before `first` set already.
int turn_links(const TurningJoint* joints, const ObliqueTurn* oblique, const double* q, int first,
               int last, RigidEnclosure* X_WL) noexcept;

}  // namespace catena::internal
