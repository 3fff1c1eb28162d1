#include "view_model.hpp"

#include <algorithm>
#include <map>

namespace catena::view {
namespace {

Vector3d any_orthogonal(const Vector3d& n) {
  const Vector3d axis = std::abs(n.x()) < 0.6 ? Vector3d::UnitX() : Vector3d::UnitY();
  return n.cross(axis).normalized();
}

/// The part of a half-space's surface that lies around what else there is to see, in W.
DisplayMesh plane_patch(const HalfSpace& half_space, const RigidTransform& X_WG,
                        const SampledPath& path, Vector3d& center) {
  const Vector3d n_G = half_space.normal.normalized();
  const Vector3d n = X_WG.R * n_G;
  const Vector3d on_plane = X_WG * Vector3d(n_G * (half_space.offset / half_space.normal.norm()));
  const Vector3d middle = path.fit_bounds.center() + path.origin;
  center = middle - n * n.dot(middle - on_plane);
  const double size = 0.75 * path.fit_bounds.diagonal().norm();
  const Vector3d u = any_orthogonal(n), v = n.cross(u);
  TriangleMesh patch;
  patch.vertices = {size * (-u - v), size * (u - v), size * (u + v), size * (v - u)};
  patch.triangles = {{0, 1, 2}, {0, 2, 3}};
  return display_mesh(patch);
}

}  // namespace

ViewModel make_view_model(const Animation& animation) {
  ViewModel model;
  model.path = sample_path(animation);
  const CollisionWorld& world = *animation.world;
  const auto num_robot_bodies = world.robot().bodies().size();
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    model.body_kinds.push_back(i < num_robot_bodies             ? ViewModel::BodyKind::kRobot
                               : world.bodies()[i].link.valid() ? ViewModel::BodyKind::kAttached
                                                                : ViewModel::BodyKind::kScene);
  }

  std::map<const Geometry*, int> shape_of;
  for (const auto& g : world.geometries()) {
    ViewModel::Part part;
    part.body = g.body;
    part.link = world.body(g.body).link;
    const Geometry& geometry = *g.geometry;
    RigidTransform X = g.X_LG.X;
    const bool is_plane = geometry.kind() == Geometry::Kind::kPrimitive &&
                          std::holds_alternative<HalfSpace>(geometry.primitive());
    if (is_plane) {
      // A patch of its own for each: it depends on where the plane is.
      if (part.link.valid()) continue;  // a half-space on a link has no useful picture
      Vector3d center;
      part.shape = static_cast<int>(model.shapes.size());
      model.shapes.push_back({&geometry, plane_patch(std::get<HalfSpace>(geometry.primitive()), X,
                                                     model.path, center)});
      X = RigidTransform{Matrix3d::Identity(), center};
    } else {
      const auto [at, is_new] = shape_of.try_emplace(&geometry, int(model.shapes.size()));
      part.shape = at->second;
      if (is_new) {
        ViewModel::Shape shape{&geometry, {}};
        shape.robot = X.inverse() * (model.path.robot_bounds.center() + model.path.origin);
        if (geometry.kind() == Geometry::Kind::kMesh) shape.mesh = display_mesh(geometry.mesh());
        if (geometry.kind() == Geometry::Kind::kPrimitive) {
          shape.mesh = display_mesh(geometry.primitive());
        }
        if (geometry.kind() == Geometry::Kind::kBoxes ||
            geometry.kind() == Geometry::Kind::kSpheres) {
          shape.mesh.center = geometry.bound_center();
        }
        model.shapes.push_back(std::move(shape));
      }
      const Vector3d& center = model.shapes[static_cast<std::size_t>(part.shape)].mesh.center;
      X.p = X * center;
    }
    if (!part.link.valid()) X.p -= model.path.origin;
    part.pose = {X.p, Eigen::Quaterniond(X.R).normalized()};
    model.parts.push_back(part);
  }
  if (animation.contact) {
    model.contact_a = world.find_body(animation.contact->body_a);
    model.contact_b = world.find_body(animation.contact->body_b);
  }
  return model;
}

}  // namespace catena::view
