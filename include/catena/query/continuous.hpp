#pragma once

#include "catena/model/motion.hpp"
#include "catena/query/discrete.hpp"

namespace catena {

/// Is the whole motion free? Otherwise: the largest proven-free prefix, and the first contact.
///
/// Adaptive subdivision of time; on each interval every pair left is separated by a bound of the
/// motion of only those joints that lie between the two bodies (docs/rigor.md, R4). The robot
/// against itself goes down pairs of its tree's nodes, by Taylor models of the transforms between
/// them (R12): far below quadratic cost in the number of links.
///
/// With t* the exact first contact, result.free_until <= t* <= result.contact; both are within
/// 1e-6 of it unless the contact grazes.
/// Threads   reads `world` and `motion`, writes only `workspace`.
/// Errors    std::invalid_argument for options that make no sense (validate_options).
/// Source    [Schwarzer2005] for the subdivision; the bounds are our own.
MotionResult check_motion(const CollisionWorld& world, const Motion& motion,
                          const QueryOptions& options, Workspace& workspace);

}  // namespace catena
