#include "catena/query/workspace.hpp"

#include <limits>

#include "workspace_impl.hpp"

namespace catena {

Workspace::Impl::Impl(const CollisionWorld& world) {
  const auto links = static_cast<size_t>(world.robot().num_links());
  X_WL.resize(links);
  velocities.resize(links);
  moving_above.resize(links);
  boxes.resize(world.chain_tree().nodes().size());
  placements.resize(world.geometries().size());
  for (size_t i = static_cast<size_t>(world.first_scene_geometry()); i < placements.size(); ++i) {
    const CollisionWorld::WorldGeometry& g = world.geometries()[i];
    placements[i] = {g.X_LG, g.center, 0.0, std::numeric_limits<std::uint64_t>::max()};
  }
  scratch.stack.reserve(256);
}

Workspace::Workspace(const CollisionWorld& world) : impl_(std::make_unique<Impl>(world)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

}  // namespace catena
