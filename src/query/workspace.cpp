#include "catena/query/workspace.hpp"

#include <limits>

#include "scene_walk.hpp"
#include "workspace_impl.hpp"

namespace catena {

Workspace::Impl::Impl(const CollisionWorld& collision_world) : world(collision_world.id()) {
  const auto links = static_cast<size_t>(collision_world.robot().num_links());
  X_WL.resize(links);
  velocities.resize(links);
  moving_above.resize(links);
  boxes.resize(collision_world.chain_tree().nodes().size());
  open.resize(collision_world.chain_tree().merges().size());
  margins.resize(collision_world.chain_tree().parts().size());
  placements.resize(collision_world.geometries().size());
  for (size_t i = static_cast<size_t>(collision_world.first_scene_geometry());
       i < placements.size(); ++i) {
    const CollisionWorld::WorldGeometry& g = collision_world.geometries()[i];
    placements[i] = {g.X_LG, g.center, 0.0, std::numeric_limits<std::uint64_t>::max()};
  }
  scratch.stack.reserve(256);
}

Workspace::Impl::~Impl() = default;

Workspace::Workspace(const CollisionWorld& world) : impl_(std::make_unique<Impl>(world)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

}  // namespace catena
