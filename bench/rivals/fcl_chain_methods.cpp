// FCL's dynamic AABB tree, one object a sphere.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision_object.h>

#include "centre_method.hpp"
#include "chain_methods.hpp"

namespace catena::bench {
namespace {

/// All boxes are refitted by update(): update(list), which moves the changed leaves in the tree, is
/// slower even where half the chain moves. The spheres are tested here, cheaper than by
/// fcl::collide.
class FclTree : public CentreMethod {
  using Object = fcl::CollisionObjectd;

  void build() override {
    const auto sphere = std::make_shared<fcl::Sphered>(radius_);
    std::vector<Object*> list;
    for (size_t i = 0; i < centres_.size(); ++i) {
      objects_.push_back(std::make_unique<Object>(sphere));
      objects_[i]->setUserData(&centres_[i]);
      list.push_back(objects_[i].get());
    }
    moved_from(0);
    manager_.registerObjects(list);
    manager_.setup();
  }
  void moved(int first) override {
    moved_from(first);
    manager_.update();
  }
  void moved_from(size_t first) {
    for (size_t i = first; i < centres_.size(); ++i) {
      objects_[i]->setTranslation(centres_[i]);
      objects_[i]->computeAABB();
    }
  }
  bool is_free() override {
    hit_ = false;
    manager_.collide(this, &FclTree::visit);
    return !hit_;
  }
  static bool visit(Object* a, Object* b, void* self) {
    return static_cast<FclTree*>(self)->visit(a, b);
  }
  bool visit(const Object* a, const Object* b) {
    const int i = sphere_of(a), j = sphere_of(b);
    hit_ = hit_ || (are_checked(i, j) && !far_apart(i, j));
    return hit_;
  }
  int sphere_of(const Object* o) const {
    return static_cast<int>(static_cast<const Vector3d*>(o->getUserData()) - centres_.data());
  }

  std::vector<std::unique_ptr<Object>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  bool hit_ = false;
};

}  // namespace

ChainMethods fcl_chain_methods() {
  return {{"fcl_dynamic_aabb_tree", [] { return std::make_unique<FclTree>(); }}};
}

}  // namespace catena::bench
