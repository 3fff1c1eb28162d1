#include "catena/geometry/pair_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "simplex.hpp"

namespace catena {
namespace {

constexpr int kMaxIterations = 100;
constexpr int kMaxPolytopeVertices = 96;
constexpr int kMaxPolytopeFaces = 2 * kMaxPolytopeVertices;

// The difference set { b - a }: a point of it, and the points of the two cores it came from.
struct Vertex {
  Vector3d w, a, b;
};

// Support mapping of the difference of two cores in frame F, and its rounding bound.
class Difference {
 public:
  Difference(const ConvexShape& a_F, const ConvexShape& b_G, const RigidEnclosure& X_FG) noexcept
      : a_(a_F), b_(b_G), X_(X_FG.X) {
    const double reach_a = a_F.core_center().norm() + a_F.core_radius();
    const double reach_b = b_G.core_center().norm() + b_G.core_radius();
    size_ = reach_a + reach_b + X_FG.X.p.norm();
    // How far a computed difference point may be from an exact one (docs/rigor.md, R3): rounding of
    // the support and of the transform, what is not known of X_FG, and of the cores.
    error_ = bound_above(32 * kUnitRoundoff * size_ + X_FG.position_error +
                             X_FG.rotation_error * reach_b + a_F.core_error + b_G.core_error,
                         20);
  }

  double size() const noexcept { return size_; }
  double error() const noexcept { return error_; }
  Vector3d center() const noexcept { return X_ * b_.core_center() - a_.core_center(); }

  // The vertex farthest along d.
  Vertex support(const Vector3d& d) const noexcept {
    Vertex v;
    v.b = X_ * b_.support(X_.R.transpose() * d);
    v.a = a_.support(-d);
    v.w = v.b - v.a;
    return v;
  }

 private:
  const ConvexShape& a_;
  const ConvexShape& b_;
  const RigidTransform& X_;
  double size_;
  double error_;
};

using Simplex = internal::Simplex<Vertex>;

// A convex polytope around the origin inside the difference set, grown towards its surface.
class Polytope {
 public:
  // Starts from what the distance iteration left; false if the difference set looks flat.
  bool start(const Difference& difference, const Simplex& simplex) noexcept {
    for (int i = 0; i < simplex.size; ++i)
      add_if_new(simplex.v[static_cast<size_t>(i)], difference);
    constexpr double kSigns[2] = {1.0, -1.0};
    const double flat = 64 * difference.error();
    for (int axis = 0; axis < 3 && size_ < 2; ++axis) {
      for (const double sign : kSigns) {
        if (size_ < 2) add_if_new(difference.support(sign * Vector3d::Unit(axis)), difference);
      }
    }
    if (size_ < 2) return false;
    for (int axis = 0; axis < 3 && size_ < 3; ++axis) {
      const Vector3d d = (vertex(1) - vertex(0)).cross(Vector3d::Unit(axis));
      for (const double sign : kSigns) {
        if (size_ >= 3 || d.norm() <= 0.3 * (vertex(1) - vertex(0)).norm()) continue;
        const Vertex v = difference.support(sign * d.normalized());
        const Vector3d e = (vertex(1) - vertex(0)).normalized();
        const Vector3d r = v.w - vertex(0);
        if ((r - e * e.dot(r)).norm() > flat) push(v);
      }
    }
    if (size_ < 3) return false;
    if (size_ == 3) {
      const Vector3d n = (vertex(1) - vertex(0)).cross(vertex(2) - vertex(0));
      if (!(n.norm() > 0.0)) return false;
      const Vector3d unit = n.normalized();
      const Vertex up = difference.support(unit), down = difference.support(-unit);
      const double above = unit.dot(up.w - vertex(0)), below = -unit.dot(down.w - vertex(0));
      if (std::max(above, below) <= flat) return false;
      push(above > below ? up : down);
    }
    const double volume =
        (vertex(1) - vertex(0)).cross(vertex(2) - vertex(0)).dot(vertex(3) - vertex(0));
    if (!(std::abs(volume) > 0.0)) return false;
    const bool positive = volume > 0.0;
    constexpr int kOutward[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    for (const auto& f : kOutward) {
      closed_ = closed_ && (positive ? add_face(f[0], f[1], f[2]) : add_face(f[0], f[2], f[1]));
    }
    return closed_;
  }

  // Index of the live face whose plane is nearest to the origin.
  int nearest_face() const noexcept {
    int best = -1;
    for (int f = 0; f < num_faces_; ++f) {
      if (faces_[static_cast<size_t>(f)].live &&
          (best < 0 ||
           faces_[static_cast<size_t>(f)].offset < faces_[static_cast<size_t>(best)].offset)) {
        best = f;
      }
    }
    return best;
  }

  const Vector3d& normal(int f) const noexcept { return faces_[static_cast<size_t>(f)].normal; }
  double offset(int f) const noexcept { return faces_[static_cast<size_t>(f)].offset; }

  // The point of the plane of f nearest to the origin, as weights on the face's vertices.
  void witness(int f, Vector3d& point_a, Vector3d& point_b) const noexcept {
    const Face& face = faces_[static_cast<size_t>(f)];
    const Vertex& u = vertices_[static_cast<size_t>(face.v[0])];
    const Vertex& v = vertices_[static_cast<size_t>(face.v[1])];
    const Vertex& w = vertices_[static_cast<size_t>(face.v[2])];
    const Vector3d p = face.offset * face.normal;
    const Vector3d n = (v.w - u.w).cross(w.w - u.w);
    const double area2 = n.squaredNorm();
    const double lv = n.dot((p - u.w).cross(w.w - u.w)) / area2;
    const double lw = n.dot((v.w - u.w).cross(p - u.w)) / area2;
    const double mu = std::clamp(1.0 - lv - lw, 0.0, 1.0), mv = std::clamp(lv, 0.0, 1.0),
                 mw = std::clamp(lw, 0.0, 1.0), sum = mu + mv + mw;
    point_a = (mu * u.a + mv * v.a + mw * w.a) / sum;
    point_b = (mu * u.b + mv * v.b + mw * w.b) / sum;
  }

  // Takes in v beyond face f; false when nothing can be gained or there is no room.
  bool expand(const Vertex& v) noexcept {
    if (size_ == kMaxPolytopeVertices) return false;
    std::array<std::pair<int, int>, 3 * kMaxPolytopeFaces> horizon;
    int num_edges = 0;
    bool any = false;
    for (int f = 0; f < num_faces_; ++f) {
      Face& face = faces_[static_cast<size_t>(f)];
      if (!face.live || face.normal.dot(v.w) <= face.offset) continue;
      face.live = false;
      any = true;
      for (size_t k = 0; k < 3; ++k) {
        const std::pair<int, int> edge{face.v[k], face.v[(k + 1) % 3]};
        // An edge met in both directions is inside the hole.
        int twin = -1;
        for (int e = 0; e < num_edges; ++e) {
          if (horizon[static_cast<size_t>(e)] == std::pair<int, int>{edge.second, edge.first})
            twin = e;
        }
        if (twin >= 0) {
          horizon[static_cast<size_t>(twin)] = horizon[static_cast<size_t>(--num_edges)];
        } else {
          horizon[static_cast<size_t>(num_edges++)] = edge;
        }
      }
    }
    if (!any) return false;
    push(v);
    compact();
    // Without a horizon every face saw the point: rounding has made a mess of it.
    closed_ = num_edges >= 3 && num_faces_ + num_edges <= kMaxPolytopeFaces;
    for (int e = 0; e < num_edges && closed_; ++e) {
      closed_ = add_face(horizon[static_cast<size_t>(e)].first,
                         horizon[static_cast<size_t>(e)].second, size_ - 1);
    }
    return closed_;
  }

  // A proven lower bound of the distance from the origin to every face, and thereby, where it is
  // positive, the proof that the origin lies inside: all faces of a closed surface see it on
  // their inner side, so the winding number is not zero (docs/rigor.md, R3).
  double inner_radius() const noexcept {
    if (!closed_ || num_faces_ < 4) return -kInfinity;
    double radius = kInfinity;
    for (int f = 0; f < num_faces_; ++f) {
      const Face& face = faces_[static_cast<size_t>(f)];
      if (!face.live) continue;
      const Vector3d& a = vertex(face.v[0]);
      const Vector3d& b = vertex(face.v[1]);
      const Vector3d& c = vertex(face.v[2]);
      const Vector3d n = (b - a).cross(c - a);
      const double det = n.dot(a);
      const double edges = (b - a).norm() * (c - a).norm();
      const double det_error = 16 * kUnitRoundoff * edges * a.norm();
      const double n_above = n.norm() + 16 * kUnitRoundoff * edges;
      const double distance = (det - 1.01 * det_error) / n_above * (1.0 - 1e-14);
      if (!(distance > 0.0)) return -kInfinity;  // no number proves nothing either
      radius = std::min(radius, distance);
    }
    return radius;
  }

 private:
  struct Face {
    std::array<int, 3> v;
    Vector3d normal;
    double offset;
    bool live;
  };

  const Vector3d& vertex(int i) const noexcept { return vertices_[static_cast<size_t>(i)].w; }
  void push(const Vertex& v) noexcept { vertices_[static_cast<size_t>(size_++)] = v; }

  void add_if_new(const Vertex& v, const Difference& difference) noexcept {
    for (int i = 0; i < size_; ++i) {
      if ((vertex(i) - v.w).norm() <= 64 * difference.error()) return;
    }
    push(v);
  }

  bool add_face(int i, int j, int k) noexcept {
    const Vector3d n = (vertex(j) - vertex(i)).cross(vertex(k) - vertex(i));
    const double length = n.norm();
    if (!(length > 1e-140)) return false;  // below, the squares in the norm underflow
    const Vector3d unit = n / length;
    faces_[static_cast<size_t>(num_faces_++)] = {{i, j, k}, unit, unit.dot(vertex(i)), true};
    return true;
  }

  void compact() noexcept {
    int kept = 0;
    for (int f = 0; f < num_faces_; ++f) {
      if (faces_[static_cast<size_t>(f)].live)
        faces_[static_cast<size_t>(kept++)] = faces_[static_cast<size_t>(f)];
    }
    num_faces_ = kept;
  }

  std::array<Vertex, kMaxPolytopeVertices> vertices_;
  std::array<Face, kMaxPolytopeFaces> faces_;
  int size_ = 0;
  int num_faces_ = 0;
  bool closed_ = true;  // a face that could not be added leaves a hole, and then nothing is proven
};

// Distance of a half-space h_F with unit normal to a shape; exact but for rounding.
PairDistance half_space_distance(const ConvexShape& h_F, const ConvexShape& b_G,
                                 const RigidEnclosure& X_FG) noexcept {
  PairDistance r;
  const Vector3d& n = h_F.center;
  const Vector3d deepest_G = b_G.support(-(X_FG.X.R.transpose() * n));
  const Vector3d deepest = X_FG.X * deepest_G;
  const double reach_b = b_G.core_center().norm() + b_G.core_radius();
  const double size = reach_b + X_FG.X.p.norm() + std::abs(h_F.half.x());
  const double error = bound_above(48 * kUnitRoundoff * size + X_FG.position_error +
                                       X_FG.rotation_error * reach_b + b_G.core_error,
                                   20);
  const double gap = n.dot(deepest) - h_F.half.x() - b_G.radius;
  r.distance = {gap - error, gap + error};
  r.direction = n;
  r.point_b = deepest - b_G.radius * n;
  r.point_a = r.point_b - gap * n;
  r.overlap = r.distance.hi <= 0.0;
  return r;
}

PairDistance mirrored(PairDistance r, const RigidTransform& X_FG) noexcept {
  std::swap(r.point_a, r.point_b);
  r.point_a = X_FG * r.point_a;
  r.point_b = X_FG * r.point_b;
  r.direction = -(X_FG.R * r.direction);
  return r;
}

}  // namespace

PairDistance pair_distance(const ConvexShape& a_F, const ConvexShape& b_G,
                           const RigidEnclosure& X_FG, bool want_depth, double enough) noexcept {
  const bool a_half = a_F.core == ConvexShape::Core::kHalfSpace;
  const bool b_half = b_G.core == ConvexShape::Core::kHalfSpace;
  if (a_half && b_half) return {};  // two unbounded solids: nothing is claimed
  if (a_half) return half_space_distance(a_F, b_G, X_FG);
  if (b_half) return mirrored(half_space_distance(b_G, a_F, X_FG.inverse()), X_FG.X);

  const Difference difference(a_F, b_G, X_FG);
  const double radius = a_F.radius + b_G.radius;
  // All of it is subtracted from lower bounds and added to upper ones.
  const double error = bound_above(difference.error() + 8 * kUnitRoundoff * radius, 4);
  // The iteration cannot improve on this, and nobody needs it to.
  const double precision = 2 * error;

  PairDistance r;
  double core_lo = -kInfinity;
  Vector3d core_direction = Vector3d::UnitX();
  Simplex simplex;
  Vector3d d = difference.center();
  if (!(d.squaredNorm() > 0.0)) d = Vector3d::UnitX();
  simplex.v[0] = difference.support(-d);
  simplex.lambda[0] = 1.0;
  simplex.size = 1;
  Vector3d v = simplex.v[0].w;
  bool inside = false, stalled = false;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double length = v.norm();
    if (!(length > error)) {
      inside = true;
      break;
    }
    const Vector3d n = stalled ? Vector3d(v / length) : direction_to(simplex, v);
    const Vertex w = difference.support(-n);
    const double lower = n.dot(w.w);
    if (lower > core_lo) {
      core_lo = lower;
      core_direction = n;
    }
    if (length - core_lo <= precision + 1e-12 * length) break;
    if (core_lo - error - radius > enough) break;
    bool known = false;
    for (int i = 0; i < simplex.size; ++i) known |= simplex.v[static_cast<size_t>(i)].w == w.w;
    const Simplex before = simplex;
    if (!known) {
      simplex.v[static_cast<size_t>(simplex.size++)] = w;
      if (!reduce(simplex, error)) {
        inside = true;
        break;
      }
    }
    const Vector3d next = simplex.point();
    if (known || !(next.squaredNorm() < v.squaredNorm())) {
      // Rounding has stopped the descent along this direction; the other may still gain.
      simplex = before;
      if (stalled) break;
      stalled = true;
      continue;
    }
    stalled = false;
    v = next;
  }

  // Where the iteration stalled without separating the cores, the polytope decides.
  if (!inside && core_lo <= error && v.norm() + error >= radius) inside = true;
  if (!inside) {
    const double length = v.norm();
    r.distance = {core_lo - error - radius, length + error - radius};
    r.direction = core_direction;
    for (int i = 0; i < simplex.size; ++i) {
      r.point_a += simplex.lambda[static_cast<size_t>(i)] * simplex.v[static_cast<size_t>(i)].a;
      r.point_b += simplex.lambda[static_cast<size_t>(i)] * simplex.v[static_cast<size_t>(i)].b;
    }
    r.point_a += a_F.radius * core_direction;
    r.point_b -= b_G.radius * core_direction;
    r.overlap = r.distance.hi <= 0.0;
    return r;
  }

  // The cores overlap or nearly touch. For thick cores that is already a proof.
  Vector3d mid_a = Vector3d::Zero(), mid_b = Vector3d::Zero();
  for (int i = 0; i < simplex.size; ++i) {
    mid_a += simplex.lambda[static_cast<size_t>(i)] * simplex.v[static_cast<size_t>(i)].a;
    mid_b += simplex.lambda[static_cast<size_t>(i)] * simplex.v[static_cast<size_t>(i)].b;
  }
  r.point_a = mid_a;
  r.point_b = mid_b;
  r.distance = {-kInfinity, kInfinity};
  // Points of the two cores: however the iteration went, they are that far apart at most.
  r.distance.hi = simplex.point().norm() + error - radius;
  if (r.distance.hi < 0.0) r.overlap = true;
  if (r.overlap && !want_depth) return r;

  // From the simplex that the iteration left and, should that be too flat to grow, from scratch.
  double inner = -kInfinity, depth_hi = kInfinity;
  Vector3d depth_direction = Vector3d::UnitX();
  for (const Simplex& seed : {simplex, Simplex{}}) {
    Polytope polytope;
    if (!polytope.start(difference, seed)) continue;
    inner = std::max(inner, polytope.inner_radius());
    for (int iteration = 0; iteration < kMaxPolytopeVertices; ++iteration) {
      const int face = polytope.nearest_face();
      const Vector3d n = polytope.normal(face);
      const Vertex w = difference.support(n);
      const double support = n.dot(w.w);
      if (support < depth_hi) {
        depth_hi = support;
        depth_direction = n;
      }
      if (support + error + radius < 0.0) break;  // apart after all
      if (!want_depth && inner > error) break;
      if (support - polytope.offset(face) <= precision + 1e-9 * support) break;
      if (want_depth) polytope.witness(face, r.point_a, r.point_b);
      if (!polytope.expand(w)) break;
      inner = std::max(inner, polytope.inner_radius());
    }
    if (inner > error || depth_hi + error + radius < 0.0) break;
  }
  if (inner > error) {
    r.overlap = true;
    r.distance.hi = std::min(r.distance.hi, -(inner - error) - radius);
  }
  // The difference set does not reach farther along depth_direction than this: moving b by it
  // separates the two, and where it is negative they are apart.
  r.distance.lo = -(depth_hi + error + radius);
  r.direction = -depth_direction;
  if (r.overlap && !want_depth) r.distance.lo = -kInfinity;
  return r;
}

}  // namespace catena
