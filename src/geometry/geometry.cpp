#include "catena/geometry/geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include "point_in_solid.hpp"

namespace catena {
namespace {

// Above this, looking at every vertex for each support costs more than opening the trees.
constexpr size_t kMostHullPoints = 400;

void require_size(double value, const char* what) {
  if (!(value >= 0.0 && value <= kMaxLength)) {
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) +
                                "; give a number from 0 to 1e50");
  }
}

bool is_position(const Vector3d& x) {
  return x.cwiseAbs().maxCoeff() <= kMaxLength && x.allFinite();
}

// A half-space with a unit normal; pair_distance counts the rounding of both, which grows with the
// distance of the point at hand.
HalfSpace normalized(const HalfSpace& h) {
  // Scaled by a power of two, which is exact, so that a tiny normal keeps its digits.
  const double largest = h.normal.cwiseAbs().maxCoeff();
  const int exponent = largest > 0.0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
  const Vector3d scaled(std::ldexp(h.normal.x(), exponent), std::ldexp(h.normal.y(), exponent),
                        std::ldexp(h.normal.z(), exponent));
  const double length = scaled.norm();
  if (!h.normal.allFinite() || !std::isfinite(h.offset) || !(length > 0.0) ||
      !std::isfinite(length)) {
    throw std::invalid_argument("half-space: the normal must be finite and not zero");
  }
  return {scaled / length, std::ldexp(h.offset, exponent) / length};
}

ConvexShape element_of(const Primitive& primitive) {
  ConvexShape e;
  if (const auto* s = std::get_if<Sphere>(&primitive)) {
    e.core = ConvexShape::Core::kPoint;
    e.radius = s->radius;
  } else if (const auto* c = std::get_if<Capsule>(&primitive)) {
    e.core = ConvexShape::Core::kSegment;
    e.half.z() = 0.5 * c->length;
    e.radius = c->radius;
  } else if (const auto* b = std::get_if<Box>(&primitive)) {
    e.core = ConvexShape::Core::kBox;
    e.half = 0.5 * b->size;
  } else if (const auto* y = std::get_if<Cylinder>(&primitive)) {
    e.core = ConvexShape::Core::kCylinder;
    e.half = {y->radius, 0.0, 0.5 * y->length};
  } else if (const auto* k = std::get_if<Cone>(&primitive)) {
    e.core = ConvexShape::Core::kCone;
    e.half = {k->radius, 0.0, 0.5 * k->length};
  } else {
    const auto& h = std::get<HalfSpace>(primitive);
    e.core = ConvexShape::Core::kHalfSpace;
    e.center = h.normal;
    e.half.x() = h.offset;
  }
  return e;
}

}  // namespace

std::shared_ptr<const Geometry> Geometry::make(const Primitive& primitive) {
  auto g = std::shared_ptr<Geometry>(new Geometry);
  g->kind_ = Kind::kPrimitive;
  g->primitive_ = primitive;
  if (const auto* s = std::get_if<Sphere>(&primitive)) {
    require_size(s->radius, "sphere radius");
  } else if (const auto* c = std::get_if<Capsule>(&primitive)) {
    require_size(c->radius, "capsule radius");
    require_size(c->length, "capsule length");
  } else if (const auto* b = std::get_if<Box>(&primitive)) {
    for (int i = 0; i < 3; ++i) require_size(b->size[i], "box size");
  } else if (const auto* y = std::get_if<Cylinder>(&primitive)) {
    require_size(y->radius, "cylinder radius");
    require_size(y->length, "cylinder length");
  } else if (const auto* k = std::get_if<Cone>(&primitive)) {
    require_size(k->radius, "cone radius");
    require_size(k->length, "cone length");
  } else if (const auto* h = std::get_if<HalfSpace>(&primitive)) {
    g->primitive_ = normalized(*h);
  }
  g->num_elements_ = 1;
  g->finish();
  return g;
}

std::shared_ptr<const Geometry> Geometry::make_mesh(TriangleMesh mesh, MeshFilling filling,
                                                    double padding, const ObbTreeOptions& options) {
  if (mesh.triangles.empty()) throw std::invalid_argument("mesh: it has no triangles");
  require_size(padding, "mesh padding");
  require_size(mesh.vertex_error, "mesh vertex_error");
  const int n = static_cast<int>(mesh.vertices.size());
  for (const auto& t : mesh.triangles) {
    for (const int v : t) {
      if (v < 0 || v >= n) throw std::invalid_argument("mesh: a triangle names a vertex it lacks");
      if (!is_position(mesh.vertices[static_cast<size_t>(v)])) {
        throw std::invalid_argument("mesh: vertex " + std::to_string(v) +
                                    " is not a number, or beyond 1e50");
      }
    }
  }
  auto g = std::shared_ptr<Geometry>(new Geometry);
  g->kind_ = Kind::kMesh;
  const bool closed = filling != MeshFilling::kSurface && is_closed(mesh);
  if (filling == MeshFilling::kSolid && !closed) {
    throw std::invalid_argument("mesh: declared solid but its surface is not closed");
  }
  g->solid_ = closed;
  g->radius_ = padding;
  const std::vector<int> component = connected_components(mesh);
  std::vector<bool> seen(component.size(), false);
  for (size_t i = 0; i < component.size(); ++i) {
    if (seen[static_cast<size_t>(component[i])]) continue;
    seen[static_cast<size_t>(component[i])] = true;
    g->component_elements_.push_back(static_cast<int>(i));
  }
  g->num_elements_ = static_cast<int>(mesh.triangles.size());
  g->mesh_ = std::move(mesh);
  g->finish(options);
  return g;
}

std::shared_ptr<const Geometry> Geometry::make_boxes(std::vector<AxisAlignedBox> boxes) {
  if (boxes.empty()) throw std::invalid_argument("boxes: there is none");
  for (const AxisAlignedBox& b : boxes) {
    if (!is_position(b.center))
      throw std::invalid_argument("boxes: a centre is not a number, or beyond 1e50");
    for (int i = 0; i < 3; ++i) require_size(b.half[i], "boxes: a half size");
  }
  auto g = std::shared_ptr<Geometry>(new Geometry);
  g->kind_ = Kind::kBoxes;
  g->num_elements_ = static_cast<int>(boxes.size());
  g->boxes_ = std::move(boxes);
  g->finish();
  return g;
}

std::shared_ptr<const Geometry> Geometry::make_spheres(std::vector<Vector3d> centers,
                                                       double radius) {
  if (centers.empty()) throw std::invalid_argument("spheres: there is none");
  require_size(radius, "spheres: the radius");
  for (const Vector3d& c : centers) {
    if (!is_position(c))
      throw std::invalid_argument("spheres: a centre is not a number, or beyond 1e50");
  }
  auto g = std::shared_ptr<Geometry>(new Geometry);
  g->kind_ = Kind::kSpheres;
  g->num_elements_ = static_cast<int>(centers.size());
  g->centers_ = std::move(centers);
  g->radius_ = radius;
  g->finish();
  return g;
}

ConvexShape Geometry::element(int i) const noexcept {
  const auto k = static_cast<size_t>(i);
  ConvexShape e;
  switch (kind_) {
    case Kind::kPrimitive:
      return element_of(primitive_);
    case Kind::kMesh:
      e.core = ConvexShape::Core::kTriangle;
      for (size_t j = 0; j < 3; ++j) {
        e.corners[j] = mesh_.vertices[static_cast<size_t>(mesh_.triangles[k][j])];
      }
      e.radius = radius_;
      e.core_error = mesh_.vertex_error;
      break;
    case Kind::kBoxes:
      e.core = ConvexShape::Core::kBox;
      e.center = boxes_[k].center;
      e.half = boxes_[k].half;
      break;
    case Kind::kSpheres:
      e.core = ConvexShape::Core::kPoint;
      e.center = centers_[k];
      e.radius = radius_;
      break;
  }
  return e;
}

ConvexShape Geometry::hull() const noexcept {
  if (hull_points_.empty()) return element(0);
  ConvexShape h;
  h.core = ConvexShape::Core::kHull;
  h.points = hull_points_;
  h.center = bound_center_;
  h.half.x() = bound_radius_;
  h.radius = radius_;
  h.core_error = mesh_.vertex_error;
  return h;
}

void Geometry::finish(const ObbTreeOptions& options) {
  const RoundingScope rounding;
  if (kind_ == Kind::kPrimitive && std::holds_alternative<HalfSpace>(primitive_)) {
    bound_radius_ = kInfinity;
    reach_ = kInfinity;
    return;
  }
  tree_ = kind_ == Kind::kMesh
              ? ObbTree(mesh_.vertices, mesh_.triangles, radius_ + mesh_.vertex_error, options)
              : ObbTree(
                    num_elements_, [this](int i) { return element(i); }, options);
  const Obb& root = tree_.nodes().front().box;
  bound_center_ = root.center;
  if (num_elements_ == 1) {
    const ConvexShape e = element(0);
    bound_center_ = e.core_center();
    bound_radius_ = bound_above(e.core_radius() + e.radius, 2);
  } else {
    // The corner of the root box, or the farthest element: whichever is the smaller ball.
    const double corner = root.half.norm() * (1.0 + 1e-13);
    double farthest = 0.0;
    for (int i = 0; i < num_elements_; ++i) {
      const ConvexShape e = element(i);
      if (e.core == ConvexShape::Core::kTriangle) {
        for (const Vector3d& x : e.corners) {
          farthest = std::max(farthest, (x - bound_center_).norm() + e.radius + e.core_error);
        }
      } else {
        farthest =
            std::max(farthest, (e.center - bound_center_).norm() + e.core_radius() + e.radius);
      }
    }
    const double slack = 16 * kUnitRoundoff * (bound_center_.norm() + farthest);
    bound_radius_ = std::min(bound_above(corner, 8), bound_above(farthest + slack, 8));
  }
  reach_ = bound_above(bound_center_.norm() + bound_radius_, 8);

  if (solid_) find_interior_points();

  has_hull_ = num_elements_ == 1;
  if (kind_ != Kind::kMesh || num_elements_ == 1) return;
  std::vector<bool> used(mesh_.vertices.size(), false);
  for (const auto& t : mesh_.triangles) {
    for (const int v : t) used[static_cast<size_t>(v)] = true;
  }
  std::set<std::array<double, 3>> points;  // welded: files repeat a vertex for each of its faces
  for (size_t i = 0; i < used.size() && points.size() <= kMostHullPoints; ++i) {
    const Vector3d& x = mesh_.vertices[i];
    if (used[i]) points.insert({x.x(), x.y(), x.z()});
  }
  if (points.size() > kMostHullPoints) return;
  for (const auto& x : points) hull_points_.emplace_back(x[0], x[1], x[2]);
  has_hull_ = true;
}

// From the middles of triangles all over the surface, straight inwards: half the solid's size
// first, then half of that, until a point is proven inside.
void Geometry::find_interior_points() {
  constexpr size_t kMostPoints = 6;
  constexpr int kMostTriangles = 24, kMostSteps = 10;
  const auto try_point = [this](const Vector3d& p) {
    if (internal::point_in_solid(*this, p, 0.0) != internal::Side::kInside) return false;
    interior_points_.push_back(p);
    return true;
  };
  try_point(bound_center_);
  const double size = tree_.nodes().front().box.half.maxCoeff();
  const int stride = std::max(1, num_elements_ / kMostTriangles);
  for (int i = 0; i < num_elements_ && interior_points_.size() < kMostPoints; i += stride) {
    const ConvexShape e = element(i);
    const Vector3d across =
        (e.corners[1] - e.corners[0]).cross(e.corners[2] - e.corners[0]).normalized();
    if (!(across.norm() > 0.5)) continue;  // a degenerate triangle has no inward side
    bool found = false;
    double depth = size;
    for (int step = 0; step < kMostSteps && !found; ++step, depth *= 0.5) {
      // Outwards by the corners' order in most files, but not in all.
      found = try_point(e.core_center() - depth * across) ||
              try_point(e.core_center() + depth * across);
    }
  }
}

}  // namespace catena
