// FCL: the scene as one tree of oriented boxes, the links in a dynamic AABB tree.
#include <cstdlib>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/collision.h>

#include "scene_methods.hpp"

namespace catena::bench {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> bvh_of(const Triangles& mesh) {
  std::vector<fcl::Triangle> indices;
  for (const auto& [i, j, k] : mesh.indices) {
    indices.emplace_back(static_cast<size_t>(i), static_cast<size_t>(j), static_cast<size_t>(k));
  }
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel(static_cast<int>(indices.size()), static_cast<int>(mesh.vertices.size()));
  model->addSubModel(mesh.vertices, indices);
  model->endModel();
  return model;
}

class FclScene : public SceneMethod {
  using Object = fcl::CollisionObjectd;

 public:
  /// Links are capsules, or meshes inside these.
  explicit FclScene(bool mesh_links) : mesh_links_(mesh_links) {}

  void init(const Triangles& scene, const Snake& snake) override {
    snake_ = &snake;
    scene_ = std::make_unique<Object>(bvh_of(scene));
    scene_->computeAABB();
    std::shared_ptr<fcl::CollisionGeometryd> link;
    if (mesh_links_) {
      link = bvh_of(link_mesh(snake));
    } else {
      link = std::make_shared<fcl::Capsuled>(snake.radius, snake.length);
    }
    X_WL_.resize(snake.links);
    std::vector<Object*> list;
    for (int i = 0; i < snake.links; ++i) {
      links_.push_back(std::make_unique<Object>(link));
      links_[i]->setUserData(&X_WL_[i]);
      list.push_back(links_[i].get());
    }
    manager_.registerObjects(list);
    manager_.setup();
  }

  bool is_free(const SnakeConfiguration& c) override {
    snake_->place(c, X_WL_);
    for (int i = 0; i < snake_->links; ++i) {
      links_[i]->setTransform(transform_of(X_WL_[i]));
      links_[i]->computeAABB();
    }
    manager_.update();
    hit_ = false;
    manager_.collide(scene_.get(), this, &FclScene::visit);
    if (!hit_) manager_.collide(this, &FclScene::visit_links);
    return !hit_;
  }

 private:
  fcl::Transform3d transform_of(const RigidTransform& X_WL) const {
    fcl::Transform3d T = fcl::Transform3d::Identity();
    if (mesh_links_) {
      T.linear() = X_WL.R;
      T.translation() = X_WL.p;
    } else {  // its capsule lies along z, centred
      T.linear() << X_WL.R.col(1), X_WL.R.col(2), X_WL.R.col(0);
      T.translation() = 0.5 * (X_WL.p + snake_->tip(X_WL));
    }
    return T;
  }
  static bool visit(Object* a, Object* b, void* data) {
    auto* self = static_cast<FclScene*>(data);
    if (self->hit_) return true;
    self->result_.clear();
    fcl::collide(a, b, fcl::CollisionRequestd(), self->result_);
    return self->hit_ = self->result_.isCollision();
  }
  static bool visit_links(Object* a, Object* b, void* data) {
    const auto* i = static_cast<const RigidTransform*>(a->getUserData());
    const auto* j = static_cast<const RigidTransform*>(b->getUserData());
    return std::abs(i - j) >= 2 && visit(a, b, data);
  }

  bool mesh_links_;
  const Snake* snake_ = nullptr;
  std::unique_ptr<Object> scene_;
  std::vector<std::unique_ptr<Object>> links_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  std::vector<RigidTransform> X_WL_;
  fcl::CollisionResultd result_;
  bool hit_ = false;
};

}  // namespace

SceneMethods fcl_scene_methods() {
  return {{"fcl_capsule", [] { return std::make_unique<FclScene>(false); }},
          {"fcl_mesh", [] { return std::make_unique<FclScene>(true); }}};
}

}  // namespace catena::bench
