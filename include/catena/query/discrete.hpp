#pragma once

#include <Eigen/Core>

#include "catena/query/collision_world.hpp"
#include "catena/query/result.hpp"
#include "catena/query/workspace.hpp"

namespace catena {

struct QueryOptions {
  double clearance = 0.0;        ///< metres: free means farther apart than this
  double tolerance = 1e-7;       ///< metres: the most that a motion's undecided band measures
  double distance_width = 1e-5;  ///< metres: width of a distance bracket that is asked for
  bool distances = false;        ///< also bracket the smallest distance
  /// Motions: false ends the query at any proven contact, for callers who only ask whether the
  /// motion is free; then free_until and contact are proven but may be far apart.
  bool first_contact = true;
  std::uint64_t budget = 10'000'000;  ///< visited pairs before undecided; 0: none
};

/// Throws std::invalid_argument, naming the option, unless clearance and tolerance are finite and
/// not negative and distance_width is finite and positive. Every query begins with it.
void validate_options(const QueryOptions& options);

/// Is the configuration free? q is a whole position vector of the robot (Robot::num_positions).
///
/// With options.distances every pair is measured and `distance` brackets the smallest; without, the
/// first proven collision ends the query.
/// Threads   reads `world`, writes only `workspace`.
/// Errors    std::invalid_argument for a q that is no configuration (validate_positions), and for
///           options that make no sense (validate_options).
StateResult check_state(const CollisionWorld& world, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const QueryOptions& options, Workspace& workspace);

/// All checked pairs of geometries whose distance is at most `cutoff`, metres, each with its
/// bracket, options.distance_width wide at most but for rounding. A pair that is not listed is
/// proven farther apart; one that is, and does not straddle, is proven to be that near.
///
/// Of the options distance_width and budget count. The memory of `result` is reused.
/// Cost      boxes O(n) for n links, then as many exact distances as there are pairs of geometries
///           whose boxes are near.
/// Threads   reads `world`, writes only `workspace` and `result`.
/// Errors    as check_state; std::invalid_argument for a cut-off that is negative or not finite.
void find_near_pairs(const CollisionWorld& world, const Eigen::Ref<const Eigen::VectorXd>& q,
                     double cutoff, const QueryOptions& options, Workspace& workspace,
                     NearPairs& result);

}  // namespace catena
