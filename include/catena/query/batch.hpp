#pragma once

#include <span>

#include <Eigen/Core>

#include "catena/query/discrete.hpp"

namespace catena {

/// Which of many configurations are free? Every column of q is a whole position vector of the
/// robot; verdicts[k] becomes that of column k, and the work done is returned.
///
/// A verdict is that of check_state, unless that is kUndecided: then it may be a proven one. Ask
/// check_state about a column for its witness; options.distances is not looked at here.
/// Cost      about that of check_state for a column that is in collision early, a fifth to a third
///           of it for free ones: eight columns go through kinematics and boxes together, those
///           that pairs of boxes leave open through the exact tests one by one.
/// Threads   reads `world`, writes only `workspace` and `verdicts`.
/// Errors    as check_state, naming the column, before any verdict is written;
///           std::invalid_argument unless there is one verdict for each column.
QueryStats check_states(const CollisionWorld& world, const Eigen::Ref<const Eigen::MatrixXd>& q,
                        const QueryOptions& options, Workspace& workspace,
                        std::span<Verdict> verdicts);

}  // namespace catena
