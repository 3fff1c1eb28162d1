// Bullet's dynamic tree of boxes, btDbvt, without the pipeline around it, which is slower.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include "centre_method.hpp"
#include "chain_methods.hpp"

namespace catena::bench {
namespace {

class BulletTree : public CentreMethod, private btDbvt::ICollide {
 public:
  /// Bullet moves a leaf by taking it out and putting it in. Where many leaves move a little, it is
  /// cheaper to leave the tree as it is and to merge the boxes upwards, which Bullet has no call
  /// for; a tree left so degrades when they move far.
  explicit BulletTree(bool refit) : refit_(refit) {}

 private:
  struct Hit {};

  btDbvtVolume volume(size_t i) const {
    const Vector3d& c = centres_[i];
    return btDbvtVolume::FromCR(
        btVector3(static_cast<btScalar>(c.x()), static_cast<btScalar>(c.y()),
                  static_cast<btScalar>(c.z())),
        static_cast<btScalar>(radius_ * 1.000001));  // its scalars are floats
  }
  void build() override {
    for (size_t i = 0; i < centres_.size(); ++i) {
      leaves_.push_back(tree_.insert(volume(i), &centres_[i]));
    }
    tree_.optimizeTopDown();
  }
  void moved(int first) override {
    if (refit_) {
      for (size_t i = first; i < centres_.size(); ++i) leaves_[i]->volume = volume(i);
      refit(tree_.m_root);
      return;
    }
    for (size_t i = first; i < centres_.size(); ++i) {
      btDbvtVolume v = volume(i);
      tree_.update(leaves_[i], v);
    }
    tree_.optimizeIncremental(1 + static_cast<int>(centres_.size()) / 100);
  }
  static void refit(btDbvtNode* node) {
    if (node->isleaf()) return;
    refit(node->childs[0]);
    refit(node->childs[1]);
    Merge(node->childs[0]->volume, node->childs[1]->volume, node->volume);
  }
  bool is_free() override {
    try {
      tree_.collideTT(tree_.m_root, tree_.m_root, *this);
    } catch (const Hit&) {  // the only way to end it early
      return false;
    }
    return true;
  }
  void Process(const btDbvtNode* a, const btDbvtNode* b) override {
    const int i = sphere_of(a), j = sphere_of(b);
    if (are_checked(i, j) && !far_apart(i, j)) throw Hit{};
  }
  int sphere_of(const btDbvtNode* leaf) const {
    return static_cast<int>(static_cast<const Vector3d*>(leaf->data) - centres_.data());
  }

  bool refit_;
  btDbvt tree_;
  std::vector<btDbvtNode*> leaves_;
};

}  // namespace

ChainMethods bullet_chain_methods() {
  return {{"bullet_dbvt", [] { return std::make_unique<BulletTree>(false); }},
          {"bullet_dbvt_refit", [] { return std::make_unique<BulletTree>(true); }}};
}

}  // namespace catena::bench
