#include "catena/query/workspace.hpp"

#include "workspace_impl.hpp"

namespace catena {

Workspace::Impl::Impl(const CollisionWorld& world) {
  const auto links = static_cast<size_t>(world.robot().num_links());
  X_WL.resize(links);
  velocities.resize(links);
  moving_above.resize(links);
  X_WG.resize(world.geometries().size());
  centers.resize(world.geometries().size());
  center_errors.resize(world.geometries().size());
  order.reserve(world.pairs().size());
  tasks.reserve(2 * world.pairs().size());
  scratch.stack.reserve(256);
}

Workspace::Workspace(const CollisionWorld& world) : impl_(std::make_unique<Impl>(world)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

}  // namespace catena
