#include "fcl_checker.hpp"

#include <stdexcept>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

namespace catena::bench {
namespace {

using Shape = std::shared_ptr<fcl::CollisionGeometryd>;

Shape shape_of(const Geometry& g) {
  if (g.kind() == Geometry::Kind::kMesh) {
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Triangle> triangles;
    for (const auto& t : g.mesh().triangles) {
      triangles.emplace_back(static_cast<size_t>(t[0]), static_cast<size_t>(t[1]),
                             static_cast<size_t>(t[2]));
    }
    model->beginModel();
    model->addSubModel(g.mesh().vertices, triangles);
    model->endModel();
    return model;
  }
  if (g.kind() != Geometry::Kind::kPrimitive) {
    throw std::invalid_argument("the FCL rival knows primitives and meshes only");
  }
  const Primitive& p = g.primitive();
  if (const auto* s = std::get_if<Sphere>(&p)) return std::make_shared<fcl::Sphered>(s->radius);
  if (const auto* b = std::get_if<Box>(&p)) return std::make_shared<fcl::Boxd>(b->size);
  if (const auto* c = std::get_if<Capsule>(&p)) {
    return std::make_shared<fcl::Capsuled>(c->radius, c->length);
  }
  if (const auto* y = std::get_if<Cylinder>(&p)) {
    return std::make_shared<fcl::Cylinderd>(y->radius, y->length);
  }
  if (const auto* k = std::get_if<Cone>(&p)) {
    return std::make_shared<fcl::Coned>(k->radius, k->length);
  }
  const auto& h = std::get<HalfSpace>(p);
  return std::make_shared<fcl::Halfspaced>(h.normal, h.offset);
}

fcl::Transform3d transform_of(const RigidTransform& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  return T;
}

}  // namespace

FclChecker::FclChecker(std::shared_ptr<const CollisionWorld> world) : world_(std::move(world)) {
  for (const auto& g : world_->geometries()) {
    objects_.push_back(
        std::make_unique<fcl::CollisionObjectd>(shape_of(*g.geometry), transform_of(g.X_LG.X)));
    objects_.back()->computeAABB();
  }
  const auto geometries = world_->geometries();
  for (size_t i = 0; i < geometries.size(); ++i) {
    for (size_t k = i + 1; k < geometries.size(); ++k) {
      if (world_->checks(geometries[i].body, geometries[k].body)) pairs_.emplace_back(i, k);
    }
  }
  X_WL_.resize(static_cast<size_t>(world_->robot().num_links()));
}

bool FclChecker::is_free(const Eigen::Ref<const Eigen::VectorXd>& q) {
  link_poses(world_->robot(), q, X_WL_);
  return is_free(X_WL_);
}

bool FclChecker::is_free(std::span<const RigidEnclosure> X_WL) {
  const auto geometries = world_->geometries();
  for (size_t i = 0; i < geometries.size(); ++i) {
    if (world_->body(geometries[i].body).link.value <= 0) continue;
    const RigidTransform& X = X_WL[static_cast<size_t>(geometries[i].link.value)].X;
    objects_[i]->setTransform(transform_of(X * geometries[i].X_LG.X));
    objects_[i]->computeAABB();
  }
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  for (const auto& [i, k] : pairs_) {
    fcl::CollisionObjectd& a = *objects_[i];
    fcl::CollisionObjectd& b = *objects_[k];
    if (!a.getAABB().overlap(b.getAABB())) continue;
    result.clear();
    if (fcl::collide(&a, &b, request, result) > 0) return false;
  }
  return true;
}

}  // namespace catena::bench
