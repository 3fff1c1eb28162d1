#pragma once

#include <optional>
#include <vector>

#include "catena/model/waypoints.hpp"
#include "catena/query/continuous.hpp"
#include "problem.hpp"
#include "report.hpp"

namespace catena::command {

/// A path and what is proven of each of its edges.
struct CertifiedPath {
  Waypoints waypoints;
  std::vector<MotionResult> edges;  ///< a path of one state has one edge, which stands still
  Tally tally;
  QueryStats stats;
  std::uint64_t budget = 0;                             ///< with which each edge was asked; 0: none
  double seconds = 0.0;                                 ///< spent in checks, wall clock
  std::optional<int> first_collision, first_undecided;  ///< indices of edges
  std::optional<Interval> distance;  ///< smallest over the path, if every edge has one
};

/// Checks every edge between successive states. Throws std::invalid_argument for no motion.
CertifiedPath certify(const CollisionWorld& world, Waypoints waypoints, const QueryOptions& options,
                      int threads);

Json path_edges_json(const CollisionWorld& world, const CertifiedPath& path);

/// Writes the page and the animation of a path, where files are named for them.
void write_pictures(const std::shared_ptr<const CollisionWorld>& world, const CertifiedPath& path,
                    const std::string& title, const std::string& html, const std::string& gltf);

}  // namespace catena::command
