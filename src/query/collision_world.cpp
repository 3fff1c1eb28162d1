#include "catena/query/collision_world.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace catena {
namespace {

// MoveIt's scaleAndPadd: sizes grow by the factor, then by the padding on every side. A mesh grows
// about the mean of its vertices, and its padding is a ball rolled over it.
std::shared_ptr<const Geometry> scaled_and_padded(const Geometry& geometry, double scale,
                                                  double padding) {
  if (geometry.kind() == Geometry::Kind::kMesh) {
    TriangleMesh mesh = geometry.mesh();
    Vector3d mean = Vector3d::Zero();
    double size = 0.0;
    for (const Vector3d& v : mesh.vertices) {
      mean += v / static_cast<double>(mesh.vertices.size());
      size = std::max(size, v.norm());
    }
    if (scale != 1.0) {
      for (Vector3d& v : mesh.vertices) v = mean + scale * (v - mean);
      mesh.vertex_error =
          bound_above(scale * mesh.vertex_error + 16 * kUnitRoundoff * (1.0 + scale) * size, 4);
    }
    return Geometry::make_mesh(std::move(mesh),
                               geometry.is_solid() ? MeshFilling::kSolid : MeshFilling::kSurface,
                               geometry.radius() + padding);
  }
  if (geometry.kind() == Geometry::Kind::kSpheres) {
    std::vector<Vector3d> centers(geometry.centers().begin(), geometry.centers().end());
    for (Vector3d& c : centers) c *= scale;
    return Geometry::make_spheres(std::move(centers), geometry.radius() * scale + padding);
  }
  if (geometry.kind() == Geometry::Kind::kBoxes) {
    std::vector<Geometry::AxisAlignedBox> boxes(geometry.boxes().begin(), geometry.boxes().end());
    for (Geometry::AxisAlignedBox& b : boxes) {
      b.center *= scale;
      b.half = (b.half * scale).array() + padding;
    }
    return Geometry::make_boxes(std::move(boxes));
  }
  Primitive p = geometry.primitive();
  if (auto* sphere = std::get_if<Sphere>(&p)) {
    sphere->radius = sphere->radius * scale + padding;
  } else if (auto* capsule = std::get_if<Capsule>(&p)) {
    capsule->radius = capsule->radius * scale + padding;
    capsule->length *= scale;
  } else if (auto* box = std::get_if<Box>(&p)) {
    box->size = (box->size * scale).array() + 2.0 * padding;
  } else if (auto* cylinder = std::get_if<Cylinder>(&p)) {
    cylinder->radius = cylinder->radius * scale + padding;
    cylinder->length = cylinder->length * scale + 2.0 * padding;
  } else if (auto* cone = std::get_if<Cone>(&p)) {
    cone->radius = cone->radius * scale + padding;
    cone->length = cone->length * scale + 2.0 * padding;
  }
  return Geometry::make(p);
}

double value_or(const std::map<std::string, double>& values, const std::string& name,
                double fallback) {
  const auto found = values.find(name);
  return found == values.end() ? fallback : found->second;
}

void require_bodies(const Robot& robot, const std::map<std::string, double>& values,
                    const char* what, bool zero_allowed) {
  for (const auto& [name, value] : values) {
    if (!robot.find_body(name).valid()) {
      throw std::invalid_argument(std::string(what) + "[\"" + name + "\"]: robot \"" +
                                  robot.name() + "\" has no such link; remove the entry");
    }
    if (!std::isfinite(value) || value < 0.0 || (!zero_allowed && value == 0.0)) {
      throw std::invalid_argument(std::string(what) + "[\"" + name + "\"] is " +
                                  std::to_string(value) + "; give a number above zero");
    }
  }
}

}  // namespace

CollisionWorld::CollisionWorld(std::shared_ptr<const Robot> robot,
                               std::shared_ptr<const Scene> scene)
    : robot_(std::move(robot)), scene_(std::move(scene)) {
  const RoundingScope rounding;
  if (!robot_) throw std::invalid_argument("CollisionWorld: the robot is null");
  if (!scene_) scene_ = std::make_shared<const Scene>();
  require_bodies(*robot_, scene_->link_padding, "link_padding", true);
  require_bodies(*robot_, scene_->link_scale, "link_scale", false);

  const auto add_body = [&](const std::string& name, LinkIndex link) {
    bodies_.push_back({name, link, static_cast<int>(geometries_.size()), 0});
  };
  const auto add_geometry = [&](std::shared_ptr<const Geometry> geometry,
                                const RigidEnclosure& X_LG, LinkIndex link) {
    if (!geometry) {
      throw std::invalid_argument("body \"" + bodies_.back().name + "\": a geometry is null");
    }
    if (!X_LG.X.R.allFinite() || !X_LG.X.p.allFinite() || !(X_LG.X.p.norm() <= kMaxLength) ||
        !std::isfinite(X_LG.rotation_error) || !std::isfinite(X_LG.position_error)) {
      throw std::invalid_argument("body \"" + bodies_.back().name +
                                  "\": a pose is not a number or beyond 1e50 m; give a finite one");
    }
    WorldGeometry g;
    g.geometry = std::move(geometry);
    g.X_LG = X_LG;
    g.body = BodyIndex(static_cast<int>(bodies_.size()) - 1);
    g.link = link;
    g.center = X_LG.X * g.geometry->bound_center();
    // A half-space has no bounding ball; zero times its infinite radius would be no number.
    const double radius = g.geometry->bound_radius();
    g.radius = std::isfinite(radius)
                   ? bound_above(radius * (1.0 + X_LG.rotation_error) +
                                     X_LG.point_error(g.geometry->bound_center().norm()),
                                 8)
                   : kInfinity;
    geometries_.push_back(std::move(g));
    ++bodies_.back().num_geometries;
  };

  std::set<std::string, std::less<>> names;
  for (const Body& body : robot_->bodies()) {
    add_body(body.name, body.link);
    names.insert(body.name);
    const double padding = value_or(scene_->link_padding, body.name, 0.0);
    const double scale = value_or(scene_->link_scale, body.name, 1.0);
    for (const PlacedGeometry& placed : body.geometries) {
      const bool changed = padding != 0.0 || scale != 1.0;
      add_geometry(changed ? scaled_and_padded(*placed.geometry, scale, padding) : placed.geometry,
                   placed.X_FG, body.link);
    }
  }
  const auto num_robot = bodies_.size();

  for (const AttachedObject& attached : scene_->attached) {
    const BodyIndex carrier = robot_->find_body(attached.link);
    if (!carrier.valid()) {
      throw std::invalid_argument("attached object \"" + attached.object.name + "\": robot \"" +
                                  robot_->name() + "\" has no link \"" + attached.link +
                                  "\"; name an existing link");
    }
    if (!names.insert(attached.object.name).second) {
      throw std::invalid_argument("attached object \"" + attached.object.name +
                                  "\": a link or object of that name exists; rename it");
    }
    const Body& body = robot_->body(carrier);
    add_body(attached.object.name, body.link);
    for (const PlacedGeometry& placed : attached.object.geometries) {
      if (placed.geometry && !std::isfinite(placed.geometry->bound_radius())) {
        throw std::invalid_argument("attached object \"" + attached.object.name +
                                    "\": a half-space cannot be carried; use a box");
      }
      add_geometry(placed.geometry, body.X_LB * placed.X_FG, body.link);
    }
  }
  const auto num_moving = bodies_.size();

  std::set<std::string, std::less<>> scene_names;
  for (const SceneObject& object : scene_->objects) {
    if (!scene_names.insert(object.name).second) {
      throw std::invalid_argument("scene object \"" + object.name +
                                  "\" is there twice; rename one");
    }
    add_body(names.count(object.name) != 0 ? "scene::" + object.name : object.name, LinkIndex());
    for (const PlacedGeometry& placed : object.geometries) {
      add_geometry(placed.geometry, placed.X_FG, LinkIndex(0));
    }
  }

  // The plain names, by which allowed pairs are looked up.
  const auto plain_name = [&](size_t i) -> const std::string& {
    return i < num_moving ? bodies_[i].name : scene_->objects[i - num_moving].name;
  };
  const auto ancestor = [&](LinkIndex a, LinkIndex b) {
    while (a != b) {
      if (a > b) {
        a = robot_->parent(a);
      } else {
        b = robot_->parent(b);
      }
    }
    return a;
  };
  const auto add_pair = [&](size_t i, size_t j) {
    const WorldBody& a = bodies_[i];
    const WorldBody& b = bodies_[j];
    if (a.num_geometries == 0 || b.num_geometries == 0) return;
    if (scene_->allowed.allows(plain_name(i), plain_name(j))) return;
    ++num_body_pairs_;
    for (int ga = a.first_geometry; ga < a.first_geometry + a.num_geometries; ++ga) {
      for (int gb = b.first_geometry; gb < b.first_geometry + b.num_geometries; ++gb) {
        pairs_.push_back({ga, gb,
                          ancestor(geometries_[static_cast<size_t>(ga)].link,
                                   geometries_[static_cast<size_t>(gb)].link)});
      }
    }
  };

  for (const auto& [a, b] : robot_->checked_pairs()) {
    add_pair(static_cast<size_t>(a.value), static_cast<size_t>(b.value));
  }
  for (size_t k = num_robot; k < num_moving; ++k) {
    const AttachedObject& attached = scene_->attached[k - num_robot];
    for (size_t i = 0; i < k; ++i) {
      // What one rigid piece carries never meets.
      if (bodies_[i].link == bodies_[k].link) continue;
      const auto touches = [&](const AttachedObject& object, const std::string& name) {
        return std::find(object.touch_links.begin(), object.touch_links.end(), name) !=
               object.touch_links.end();
      };
      if (touches(attached, bodies_[i].name)) continue;
      if (i >= num_robot && touches(scene_->attached[i - num_robot], bodies_[k].name)) continue;
      add_pair(i, k);
    }
  }
  for (size_t i = 0; i < num_moving; ++i) {
    for (size_t j = num_moving; j < bodies_.size(); ++j) add_pair(i, j);
  }
}

BodyIndex CollisionWorld::find_body(std::string_view name) const noexcept {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return BodyIndex(static_cast<int>(i));
  }
  return {};
}

}  // namespace catena
