#include "catena/query/collision_world.hpp"

#include <algorithm>
#include <atomic>
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

// The box of a whole geometry, in the frame that it is placed in; nothing for a half-space.
Obb placed_box(const Geometry& geometry, const RigidEnclosure& X_FG) {
  Obb box;
  if (geometry.tree().empty()) return box;
  const Obb& root = geometry.tree().nodes().front().box;
  const double reach = root.center.norm() + root.half.norm();
  box.axes = X_FG.X.R * root.axes;
  box.center = X_FG.X * root.center;
  // The axes are off by their own rounding as well.
  // Along axes that may be shorter than 1 by the rotation's error.
  const double error =
      bound_above((X_FG.point_error(reach) + (X_FG.rotation_error + 1e-13) * root.half.norm()) *
                      (1.0 + 2.0 * X_FG.rotation_error),
                  12);
  box.half = root.half + Vector3d::Constant(error);
  return box;
}

// Spheres and capsules are segments with a radius; the box of the part has its axes.
void add_line(const Geometry& geometry, ChainTree::Part& part) {
  if (geometry.kind() != Geometry::Kind::kPrimitive) return;
  const bool sphere = std::holds_alternative<Sphere>(geometry.primitive());
  if (!sphere && !std::holds_alternative<Capsule>(geometry.primitive())) return;
  // Inside the box, but for its errors, which this radius has.
  part.line_radius = sphere ? part.box.half.maxCoeff() : part.box.half.minCoeff();
  int longest = 0;
  const double length = part.box.half.maxCoeff(&longest);
  if (!sphere) part.half_line = part.box.axes.col(longest) * (length - part.line_radius);
  part.line_radius = bound_above(part.line_radius * (1.0 + 1e-13), 4);
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
  static std::atomic<std::uint64_t> worlds{0};
  id_ = ++worlds;
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
  num_moving_ = static_cast<int>(bodies_.size());
  first_scene_geometry_ = static_cast<int>(geometries_.size());

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

  find_unchecked_pairs();

  std::vector<ChainTree::Part> parts;
  std::vector<int> body_of_part;
  for (int i = 0; i < first_scene_geometry_; ++i) {
    const WorldGeometry& g = geometries_[static_cast<size_t>(i)];
    ChainTree::Part part{g.link, g.center, g.radius, placed_box(*g.geometry, g.X_LG)};
    add_line(*g.geometry, part);
    parts.push_back(part);
    body_of_part.push_back(g.body.value);
  }
  chain_tree_ = ChainTree(*robot_, std::move(parts));
  unchecked_nodes_ = UncheckedNodes(chain_tree_, {body_of_part, unchecked_, first_unchecked_});
  std::vector<PlacedGeometry> obstacles;
  for (size_t i = static_cast<size_t>(first_scene_geometry_); i < geometries_.size(); ++i) {
    obstacles.push_back({geometries_[i].geometry, geometries_[i].X_LG});
  }
  scene_tree_ = SceneTree(obstacles);
}

// All that excepts a pair from being checked, as pairs of bodies; what is left is only counted.
void CollisionWorld::find_unchecked_pairs() {
  const auto has_shape = [&](int i) { return bodies_[static_cast<size_t>(i)].num_geometries > 0; };
  std::vector<std::pair<int, int>> excepted;
  const auto except = [&](int a, int b) {
    if (a == b || std::min(a, b) >= num_moving_ || !has_shape(a) || !has_shape(b)) return;
    excepted.push_back(std::minmax(a, b));
  };

  for (const UncheckedPair& pair : robot_->unchecked_pairs()) except(pair.a.value, pair.b.value);

  // The plain names, by which pairs are allowed: a link and a scene object may share one.
  const int num_robot = static_cast<int>(robot_->bodies().size());
  std::multimap<std::string, int, std::less<>> by_name;
  const auto plain_name = [&](int i) -> const std::string& {
    return i < num_moving_ ? bodies_[static_cast<size_t>(i)].name
                           : scene_->objects[static_cast<size_t>(i - num_moving_)].name;
  };
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) by_name.emplace(plain_name(i), i);
  const auto for_each_named = [&](const std::string& name, const auto& use) {
    const auto [first, last] = by_name.equal_range(name);
    for (auto it = first; it != last; ++it) use(it->second);
  };

  // What one rigid piece carries never meets, and what an object may touch need not be told apart.
  for (int k = num_robot; k < num_moving_; ++k) {
    const AttachedObject& attached = scene_->attached[static_cast<size_t>(k - num_robot)];
    const auto carrier_robot = [&](int i) {
      const BodyIndex body =
          i < num_robot
              ? BodyIndex(i)
              : robot_->find_body(scene_->attached[static_cast<size_t>(i - num_robot)].link);
      return robot_->body(body).robot;
    };
    for (int i = 0; i < k; ++i) {
      if (bodies_[static_cast<size_t>(i)].link == bodies_[static_cast<size_t>(k)].link &&
          carrier_robot(i) == carrier_robot(k)) {
        except(i, k);
      }
    }
    for (const std::string& name : attached.touch_links) {
      for_each_named(name, [&](int i) {
        if (i < num_moving_) except(i, k);
      });
    }
  }

  const AllowedCollisions& allowed = scene_->allowed;
  for (const auto& [a, b] : allowed.pairs()) {
    for_each_named(a, [&](int i) { for_each_named(b, [&](int k) { except(i, k); }); });
  }
  std::vector<char> with_everything(bodies_.size());
  for (const std::string& name : allowed.with_everything()) {
    for_each_named(name, [&](int i) { with_everything[static_cast<size_t>(i)] = 1; });
  }
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
    if (with_everything[static_cast<size_t>(i)] == 0) continue;
    for (int k = 0; k < static_cast<int>(bodies_.size()); ++k) {
      if (k < i && with_everything[static_cast<size_t>(k)] != 0) continue;  // seen from there
      if (allowed.allows(plain_name(i), plain_name(k))) except(i, k);
    }
  }
  std::sort(excepted.begin(), excepted.end());
  excepted.erase(std::unique(excepted.begin(), excepted.end()), excepted.end());

  std::vector<std::vector<int>> of(bodies_.size());
  const auto geometries_of = [&](int i) {
    return static_cast<std::int64_t>(bodies_[static_cast<size_t>(i)].num_geometries);
  };
  std::int64_t moving = 0, moving_shapes = 0, fixed = 0, fixed_shapes = 0, own_pairs = 0;
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
    if (!has_shape(i)) continue;
    (i < num_moving_ ? moving : fixed) += 1;
    (i < num_moving_ ? moving_shapes : fixed_shapes) += geometries_of(i);
    if (i < num_moving_) own_pairs += geometries_of(i) * geometries_of(i);
  }
  num_body_pairs_ = moving * (moving - 1) / 2 + moving * fixed;
  num_geometry_pairs_ =
      (moving_shapes * moving_shapes - own_pairs) / 2 + moving_shapes * fixed_shapes;
  for (const auto& [a, b] : excepted) {
    of[static_cast<size_t>(a)].push_back(b);
    of[static_cast<size_t>(b)].push_back(a);
    --num_body_pairs_;
    num_geometry_pairs_ -= geometries_of(a) * geometries_of(b);
  }
  for (auto& partners : of) {
    std::sort(partners.begin(), partners.end());
    first_unchecked_.push_back(static_cast<int>(unchecked_.size()));
    unchecked_.insert(unchecked_.end(), partners.begin(), partners.end());
  }
  first_unchecked_.push_back(static_cast<int>(unchecked_.size()));
}

bool CollisionWorld::checks(BodyIndex a, BodyIndex b) const noexcept {
  if (a == b || std::min(a.value, b.value) >= num_moving_) return false;
  if (body(a).num_geometries == 0 || body(b).num_geometries == 0) return false;
  const auto first = unchecked_.begin() + first_unchecked_[static_cast<size_t>(a.value)];
  const auto last = unchecked_.begin() + first_unchecked_[static_cast<size_t>(a.value) + 1];
  return !std::binary_search(first, last, b.value);
}

BodyIndex CollisionWorld::find_body(std::string_view name) const noexcept {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return BodyIndex(static_cast<int>(i));
  }
  return {};
}

}  // namespace catena
