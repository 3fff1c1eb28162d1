#include "soundness/fcl_oracle.hpp"

#include <limits>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>

namespace catena::oracle {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> shape_of(const ShapeSpec& shape) {
  const auto vector = [](const std::array<double, 3>& a) {
    return fcl::Vector3d(a[0], a[1], a[2]);
  };
  const double a = shape.size[0], b = shape.size[1];
  switch (shape.kind) {
    case ShapeSpec::Kind::kSphere:
      return std::make_shared<fcl::Sphered>(a);
    case ShapeSpec::Kind::kCapsule:
      return std::make_shared<fcl::Capsuled>(a, b);
    case ShapeSpec::Kind::kBox:
      return std::make_shared<fcl::Boxd>(vector(shape.size));
    case ShapeSpec::Kind::kCylinder:
      return std::make_shared<fcl::Cylinderd>(a, b);
    case ShapeSpec::Kind::kCone:
      return std::make_shared<fcl::Coned>(a, b);
    case ShapeSpec::Kind::kHalfSpace:
      return std::make_shared<fcl::Halfspaced>(vector(shape.size), shape.offset);
    case ShapeSpec::Kind::kMesh:
      break;
  }
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (const auto& v : shape.vertices) vertices.push_back(vector(v));
  for (const auto& t : shape.triangles)
    triangles.emplace_back(size_t(t[0]), size_t(t[1]), size_t(t[2]));
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

fcl::Transform3d transform_of(const Pose3& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  const Vec3* columns[] = {&X.R.ex, &X.R.ey, &X.R.ez};
  for (int k = 0; k < 3; ++k)
    T.linear().col(k) << double(columns[k]->x), double(columns[k]->y), double(columns[k]->z);
  T.translation() << double(X.p.x), double(X.p.y), double(X.p.z);
  return T;
}

}  // namespace

struct FclOracle::Impl {
  struct Object {
    std::unique_ptr<fcl::CollisionObjectd> object;
    Pose3 X_LG;
    int link;
  };
  std::vector<Object> objects;  // in the order of the oracle's geometries
  std::vector<EdgeOracle::Pair> pairs;

  void add(const std::vector<PlacedSpec>& placed, int link) {
    for (const PlacedSpec& p : placed) {
      const Pose3 X{rotation_rpy<Real>(p.pose.rpy), vec<Real>(p.pose.xyz)};
      auto object = std::make_unique<fcl::CollisionObjectd>(shape_of(p.shape), transform_of(X));
      object->computeAABB();
      objects.push_back({std::move(object), X, link});
    }
  }
};

FclOracle::FclOracle(const RobotSpec& robot, const SceneSpec& scene, const EdgeOracle& oracle)
    : impl_(std::make_unique<Impl>()) {
  for (size_t i = 0; i < robot.links.size(); ++i)
    impl_->add(robot.links[i].collision, static_cast<int>(i));
  for (const auto& a : scene.attached)
    impl_->add(a.object.geometries, oracle.kinematics().link(a.link));
  for (const auto& object : scene.objects) impl_->add(object.geometries, -1);
  impl_->pairs = oracle.pairs();
}
FclOracle::~FclOracle() = default;

int FclOracle::colliding_pair(const std::vector<Pose3>& X_WL) {
  for (Impl::Object& o : impl_->objects) {
    if (o.link < 0) continue;
    o.object->setTransform(transform_of(X_WL[size_t(o.link)] * o.X_LG));
    o.object->computeAABB();
  }
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  for (size_t k = 0; k < impl_->pairs.size(); ++k) {
    fcl::CollisionObjectd& a = *impl_->objects[size_t(impl_->pairs[k].a)].object;
    fcl::CollisionObjectd& b = *impl_->objects[size_t(impl_->pairs[k].b)].object;
    if (!a.getAABB().overlap(b.getAABB())) continue;
    result.clear();
    if (fcl::collide(&a, &b, request, result) > 0) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace catena::oracle
