#pragma once

#include <memory>

#include "catena/query/collision_world.hpp"

namespace catena {

/// Every mutable byte of the queries on the world it was made for. One per thread; sized when made,
/// but for what the first batch and the first tangled chain add.
/// One that was moved from may only be destroyed or assigned to.
class Workspace {
 public:
  explicit Workspace(const CollisionWorld& world);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
