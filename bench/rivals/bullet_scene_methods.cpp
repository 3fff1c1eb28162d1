// Bullet: the scene as a static triangle mesh, one contact test a link, ended by the first contact.
#include <btBulletCollisionCommon.h>

#include "scene_methods.hpp"

namespace catena::bench {
namespace {

btVector3 vector_of(const Vector3d& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

btTransform transform_of(const Matrix3d& R, const Vector3d& p) {
  btMatrix3x3 basis;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      basis[row][column] = static_cast<btScalar>(R(row, column));
    }
  }
  return btTransform(basis, vector_of(p));
}

class BulletScene : public SceneMethod {
 public:
  /// Links are capsules, or convex hulls inside these.
  explicit BulletScene(bool hull_links) : hull_links_(hull_links) {}

  ~BulletScene() override {
    for (const auto& link : links_) world_.removeCollisionObject(link.get());
    world_.removeCollisionObject(&scene_);
  }

  void init(const Triangles& scene, const Snake& snake) override {
    snake_ = &snake;
    for (const auto& [i, j, k] : scene.indices) {
      mesh_.addTriangle(vector_of(scene.vertices[i]), vector_of(scene.vertices[j]),
                        vector_of(scene.vertices[k]));
    }
    scene_shape_ = std::make_unique<btBvhTriangleMeshShape>(&mesh_, true);
    scene_shape_->setMargin(0);
    scene_.setCollisionShape(scene_shape_.get());
    scene_.setUserIndex(kScene);
    world_.addCollisionObject(&scene_);
    if (hull_links_) {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const Vector3d& v : link_mesh(snake).vertices) hull->addPoint(vector_of(v), false);
      hull->recalcLocalAabb();
      hull->setMargin(0);
      link_shape_ = std::move(hull);
    } else {
      link_shape_ = std::make_unique<btCapsuleShapeX>(static_cast<btScalar>(snake.radius),
                                                      static_cast<btScalar>(snake.length));
    }
    world_.setForceUpdateAllAabbs(false);
    for (int i = 0; i < snake.links; ++i) {
      links_.push_back(std::make_unique<btCollisionObject>());
      links_[i]->setCollisionShape(link_shape_.get());
      links_[i]->setUserIndex(i);
      world_.addCollisionObject(links_[i].get());
    }
  }

  bool is_free(const SnakeConfiguration& c) override {
    snake_->place(c, X_WL_);
    for (int i = 0; i < snake_->links; ++i) {
      const RigidTransform& X = X_WL_[i];
      // Its capsule is centred.
      const Vector3d origin = hull_links_ ? X.p : Vector3d(0.5 * (X.p + snake_->tip(X)));
      links_[i]->setWorldTransform(transform_of(X.R, origin));
      world_.updateSingleAabb(links_[i].get());
    }
    for (int i = 0; i < snake_->links; ++i) {
      FirstContact contact(i);
      world_.contactTest(links_[i].get(), contact);
      if (contact.found) return false;
    }
    return true;
  }

 private:
  static constexpr int kScene = -100;

  struct FirstContact : btCollisionWorld::ContactResultCallback {
    explicit FirstContact(int link) : me(link) {}

    bool needsCollision(btBroadphaseProxy* proxy) const override {
      if (found) return false;
      const int other = static_cast<btCollisionObject*>(proxy->m_clientObject)->getUserIndex();
      return other == kScene || other < me - 1;
    }
    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override {
      found = found || point.getDistance() < 0;
      return 0;
    }

    int me;
    bool found = false;
  };

  bool hull_links_;
  const Snake* snake_ = nullptr;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btCollisionWorld world_{&dispatcher_, &broadphase_, &configuration_};
  btTriangleMesh mesh_{true, false};
  std::unique_ptr<btBvhTriangleMeshShape> scene_shape_;
  std::unique_ptr<btCollisionShape> link_shape_;
  btCollisionObject scene_;
  std::vector<std::unique_ptr<btCollisionObject>> links_;
  std::vector<RigidTransform> X_WL_;
};

}  // namespace

SceneMethods bullet_scene_methods() {
  return {{"bullet_capsule", [] { return std::make_unique<BulletScene>(false); }},
          {"bullet_hull", [] { return std::make_unique<BulletScene>(true); }}};
}

}  // namespace catena::bench
