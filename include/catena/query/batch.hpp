#pragma once

#include <span>

#include <Eigen/Core>

#include "catena/query/discrete.hpp"

namespace catena {

/// Which of many configurations are free? Every column of q is a whole position vector of the robot
/// (Robot::num_positions); verdicts[k] becomes that of column k, and the work done is returned.
///
/// A verdict is that of check_state, unless that is kUndecided: then it may be a proven one. Ask
/// check_state about a column for its witness; options.distances is not looked at here.
/// Frames    as check_state: the robot's root stands in W, the world frame.
/// Units     metres, radians.
/// Rigor     kFree (docs/rigor.md, R10) and kCollision (R6) are proofs.
/// Cost      among the robot's own links mostly a half to a quarter of check_state's for a column,
///           and as much where a long chain is nearly straight; from half of it to all of it in a
///           scene, where exact tests decide. Eight columns go through kinematics and boxes
///           together, whatever joints there are; the pairs that boxes leave open go through the
///           exact tests one by one.
/// Threads   reads `world`, writes only `workspace` and `verdicts`.
/// Errors    as check_state, naming the column, before any verdict is written;
///           std::invalid_argument unless there is one verdict for each column.
QueryStats check_states(const CollisionWorld& world, const Eigen::Ref<const Eigen::MatrixXd>& q,
                        const QueryOptions& options, Workspace& workspace,
                        std::span<Verdict> verdicts);

}  // namespace catena
