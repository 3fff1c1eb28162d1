#include "catena/query/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "near_list.hpp"
#include "state_query.hpp"

namespace catena {
namespace internal {

void validate_workspace(const CollisionWorld& world, const Workspace::Impl& ws) {
  if (ws.world == world.id()) return;
  throw std::invalid_argument("the workspace was made for another world; make one for this world");
}

void set_poses(const CollisionWorld& world, const Motion& motion, double t, Workspace::Impl& ws,
               QueryStats& stats) {
  motion.poses(world.robot(), t, ws.X_WL);
  stats.compositions += ws.X_WL.size();
  ++ws.moved;
}

const Workspace::Impl::Placement& placement(const CollisionWorld& world, int geometry,
                                            Workspace::Impl& ws) {
  Workspace::Impl::Placement& place = ws.placements[static_cast<size_t>(geometry)];
  if (place.moved < ws.moved) {
    const CollisionWorld::WorldGeometry& g = world.geometries()[static_cast<size_t>(geometry)];
    const RigidEnclosure& X_WL = ws.X_WL[static_cast<size_t>(g.link.value)];
    place.X_WG = X_WL * g.X_LG;
    place.center = X_WL.X * g.center;
    place.center_error = X_WL.point_error(g.center.norm());
    place.moved = ws.moved;
  }
  return place;
}

RigidEnclosure relative_pose(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws) {
  const RigidEnclosure& X_WA = placement(world, pair.a, ws).X_WG;
  return X_WA.inverse_times(placement(world, pair.b, ws).X_WG);
}

double ball_gap(const CollisionWorld& world, GeometryPair pair, Workspace::Impl& ws) {
  const Workspace::Impl::Placement& a = placement(world, pair.a, ws);
  const Workspace::Impl::Placement& b = placement(world, pair.b, ws);
  const double radii = world.geometries()[static_cast<size_t>(pair.a)].radius +
                       world.geometries()[static_cast<size_t>(pair.b)].radius;
  const double distance = (a.center - b.center).norm();
  const double error = a.center_error + b.center_error;
  const double gap = distance * (1.0 - 1e-14) - bound_above(radii + error, 8);
  return gap > -kInfinity ? gap : -kInfinity;  // no number (overflow) separates nothing
}

PartGrid* grid_to_fill(const CollisionWorld& world, double clearance, Workspace::Impl& ws) {
  if (ws.grid == nullptr) ws.grid = std::make_unique<PartGrid>(world.chain_tree());
  ++ws.grid_fills;
  return ws.grid->suits(clearance) ? ws.grid.get() : nullptr;
}

Witness make_witness(const CollisionWorld& world, GeometryPair pair, const PairDistance& d,
                     Workspace::Impl& ws) {
  const RigidTransform& X_WG = placement(world, pair.a, ws).X_WG.X;
  Witness w;
  w.a = world.geometries()[static_cast<size_t>(pair.a)].body;
  w.b = world.geometries()[static_cast<size_t>(pair.b)].body;
  w.point_a = X_WG * d.point_a;
  w.point_b = X_WG * d.point_b;
  w.gap = d.distance;
  return w;
}

StateResult check_poses(const CollisionWorld& world, const QueryOptions& options, bool contact_only,
                        Workspace::Impl& ws) {
  return StateQuery(world, options, contact_only, /*with_points=*/true, ws).run();
}

}  // namespace internal

void validate_options(const QueryOptions& options) {
  const auto require = [](bool holds, const char* name, double value, const char* remedy) {
    if (holds) return;
    throw std::invalid_argument(std::string("options.") + name + " is " + std::to_string(value) +
                                "; give " + remedy);
  };
  // A negative clearance would call overlapping solids free.
  require(std::isfinite(options.clearance) && options.clearance >= 0.0, "clearance",
          options.clearance, "metres >= 0");
  require(std::isfinite(options.tolerance) && options.tolerance >= 0.0, "tolerance",
          options.tolerance, "metres >= 0");
  require(std::isfinite(options.distance_width) && options.distance_width > 0.0, "distance_width",
          options.distance_width, "metres > 0");
}

StateResult check_state(const CollisionWorld& world, const Eigen::Ref<const Eigen::VectorXd>& q,
                        const QueryOptions& options, Workspace& workspace) {
  validate_options(options);
  const RoundingScope rounding;
  Workspace::Impl& ws = workspace.impl();
  internal::validate_workspace(world, ws);
  link_poses(world.robot(), q, ws.X_WL);
  ++ws.moved;
  StateResult result = internal::check_poses(world, options, false, ws);
  result.stats.compositions += ws.X_WL.size();
  return result;
}

void find_near_pairs(const CollisionWorld& world, const Eigen::Ref<const Eigen::VectorXd>& q,
                     double cutoff, const QueryOptions& options, Workspace& workspace,
                     NearPairs& result) {
  validate_options(options);
  internal::validate_cutoff(cutoff);
  const RoundingScope rounding;
  Workspace::Impl& ws = workspace.impl();
  internal::validate_workspace(world, ws);
  link_poses(world.robot(), q, ws.X_WL);
  ++ws.moved;
  internal::NearList list(world, cutoff, options, ws.scratch, result);
  list.stats().compositions += ws.X_WL.size();

  const SceneTree& scene = world.scene_tree();
  const auto add = [&](int a, int b) {
    const internal::GeometryPair pair{a, b};
    if (!list.checks(pair) || internal::ball_gap(world, pair, ws) > cutoff) return false;
    return list.add(pair, internal::relative_pose(world, pair, ws));
  };
  const auto add_scene = [&](int part, int obstacle) {
    return add(part, world.first_scene_geometry() + obstacle);
  };
  const auto over = [&](const auto&...) { list.give_up(); };
  const auto search = [&] {
    for (const int i : scene.unbounded()) {
      for (int part = 0; part < world.first_scene_geometry(); ++part) {
        if (add_scene(part, i)) return;
      }
    }
    // Two boxes that are apart when each has grown by half of it are farther apart than that; what
    // stands in the scene does not grow.
    internal::set_boxes(world, ws, 0.5 * cutoff, list.stats());
    if (internal::visit_near_parts(world, ws, list.stats(), options.budget, add, over)) return;
    internal::set_boxes(world, ws, cutoff, list.stats());
    internal::visit_near_scene(
        world, scene.geometries(), ws, list.stats(), options.budget,
        [&](int part, const SceneTree::Node& obstacle) {
          return add_scene(part, obstacle.geometry);
        },
        over);
  };
  search();
  list.finish();
}

}  // namespace catena
