#include <optional>

#include "scene_methods.hpp"
#include "workloads/capsule_reference.hpp"

namespace catena::bench {
namespace {

class ReferenceMethod : public SceneMethod {
 public:
  void init(const Triangles& scene, const Snake& snake) override {
    reference_.emplace(scene);
    snake_ = &snake;
  }
  bool is_free(const SnakeConfiguration& c) override {
    snake_->place(c, X_WL_);
    return reference_->is_free(*snake_, X_WL_);
  }

 private:
  std::optional<CapsuleReference> reference_;
  const Snake* snake_ = nullptr;
  std::vector<RigidTransform> X_WL_;
};

}  // namespace

SceneMethods capsule_reference_methods() {
  return {{"own_capsule", [] { return std::make_unique<ReferenceMethod>(); }}};
}

}  // namespace catena::bench
