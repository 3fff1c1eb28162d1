#include "soundness/convex_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::oracle {
namespace {

constexpr Real kInf = std::numeric_limits<Real>::infinity();

Real clamp01(Real s) { return std::clamp(s, Real(0), Real(1)); }

Vec3 core_support_point(const Solid& solid, const Vec3& d) {
  if (solid.kind == Solid::Kind::kPolytope) {
    const auto best =
        std::max_element(solid.corners.begin(), solid.corners.end(),
                         [&](const Vec3& p, const Vec3& q) { return dot(d, p) < dot(d, q); });
    return *best;
  }
  const Vec3 e = solid.X.R.transposed_times(d);
  const Real rho = std::sqrt(e.x * e.x + e.y * e.y);
  const Vec3 rim = rho > 0 ? Vec3{solid.round * e.x / rho, solid.round * e.y / rho, 0} : Vec3{};
  if (solid.kind == Solid::Kind::kCylinder)
    return solid.X * Vec3{rim.x, rim.y, e.z > 0 ? solid.half_length : -solid.half_length};
  const Vec3 apex{0, 0, solid.half_length}, base{rim.x, rim.y, -solid.half_length};
  return solid.X * (dot(e, apex) > dot(e, base) ? apex : base);
}

Real core_support(const Solid& solid, const Vec3& d) {
  return dot(d, core_support_point(solid, d));
}

Real separation_along(const Solid& a, const Solid& b, const Vec3& d) {
  return -core_support(b, -d) - core_support(a, d);
}

Vec3 nearest_on_segment(const Vec3& a, const Vec3& b, const Vec3& p) {
  const Vec3 ab = b - a;
  const Real len2 = dot(ab, ab);
  if (len2 == 0) return a;
  return a + clamp01(dot(p - a, ab) / len2) * ab;
}

// Projection onto a cylinder or cone: a plane problem in (distance from the axis, height).
Vec3 project_round(const Solid& solid, const Vec3& p) {
  const Vec3 q = solid.X.R.transposed_times(p - solid.X.p);
  const Real rho = std::sqrt(q.x * q.x + q.y * q.y), r = solid.round, h = solid.half_length;
  Real rho2, z2;
  if (solid.kind == Solid::Kind::kCylinder) {
    if (rho <= r && std::abs(q.z) <= h) return p;
    rho2 = std::min(rho, r);
    z2 = std::clamp(q.z, -h, h);
  } else {
    if (q.z >= -h && q.z <= h && rho <= r && (rho - r) * 2 * h + r * (q.z + h) <= 0) return p;
    const Vec3 in_plane{rho, q.z, 0}, base_rim{r, -h, 0};
    const Vec3 on_base = nearest_on_segment({0, -h, 0}, base_rim, in_plane);
    const Vec3 on_side = nearest_on_segment(base_rim, {0, h, 0}, in_plane);
    const Vec3 best = norm(in_plane - on_base) < norm(in_plane - on_side) ? on_base : on_side;
    rho2 = best.x;
    z2 = best.y;
  }
  const Vec3 out = rho > 0 ? Vec3{rho2 * q.x / rho, rho2 * q.y / rho, z2} : Vec3{rho2, 0, z2};
  return solid.X * out;
}

// Twice the vector area of a face; its direction is the face's normal.
Vec3 area_vector(const Solid& s, const std::vector<int>& face) {
  Vec3 sum{};
  for (size_t k = 1; k + 1 < face.size(); ++k)
    sum = sum + cross(s.corners[size_t(face[k])] - s.corners[size_t(face[0])],
                      s.corners[size_t(face[k + 1])] - s.corners[size_t(face[0])]);
  return sum;
}

// Is p, which lies in the plane of the face, inside its outline (closed)?
bool in_outline(const Solid& s, const std::vector<int>& face, const Vec3& n, const Vec3& p) {
  for (size_t k = 0; k < face.size(); ++k) {
    const Vec3& a = s.corners[size_t(face[k])];
    const Vec3& b = s.corners[size_t(face[(k + 1) % face.size()])];
    if (dot(cross(b - a, p - a), n) < 0) return false;
  }
  return true;
}

bool inside_full(const Solid& s, const Vec3& p) {
  if (!s.full) return false;
  for (size_t i = 0; i < s.faces.size(); ++i) {
    if (dot(s.normals[i], p - s.corners[size_t(s.faces[i][0])]) > 0) return false;
  }
  return true;
}

struct Pairing {
  Real distance = kInf;
  Vec3 a, b;
  void offer(const Vec3& p, const Vec3& q) {
    const Real d = norm(p - q);
    if (d < distance) *this = {d, p, q};
  }
};

Vec3 project_polytope(const Solid& s, const Vec3& p) {
  if (inside_full(s, p)) return p;
  Pairing best;
  for (const Vec3& c : s.corners) best.offer(c, p);
  for (const auto& e : s.edges)
    best.offer(nearest_on_segment(s.corners[size_t(e[0])], s.corners[size_t(e[1])], p), p);
  for (size_t i = 0; i < s.faces.size(); ++i) {
    const Vec3& n = s.normals[i];
    const Real len2 = dot(n, n);
    if (len2 == 0) continue;
    const Real height = dot(n, p - s.corners[size_t(s.faces[i][0])]);
    if (height * height >= best.distance * best.distance * len2) continue;
    const Vec3 foot = p - (height / len2) * n;
    if (in_outline(s, s.faces[i], n, foot)) best.offer(foot, p);
  }
  return best.a;
}

Vec3 project_core(const Solid& s, const Vec3& p) {
  return s.kind == Solid::Kind::kPolytope ? project_polytope(s, p) : project_round(s, p);
}

void offer_segments(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, Pairing& best) {
  // The four ends against the other segment, and the common perpendicular where it meets both.
  best.offer(a0, nearest_on_segment(b0, b1, a0));
  best.offer(a1, nearest_on_segment(b0, b1, a1));
  best.offer(nearest_on_segment(a0, a1, b0), b0);
  best.offer(nearest_on_segment(a0, a1, b1), b1);
  const Vec3 u = a1 - a0, v = b1 - b0, w = b0 - a0;
  const Vec3 n = cross(u, v);
  const Real n2 = dot(n, n);
  if (n2 == 0) return;
  const Real s = dot(cross(w, v), n) / n2, t = dot(cross(w, u), n) / n2;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best.offer(a0 + s * u, b0 + t * v);
}

// Does the segment p q pass through the face? Then a common point.
bool crosses(const Solid& s, size_t index, const Vec3& p, const Vec3& q, Vec3& at) {
  const std::vector<int>& face = s.faces[index];
  const Vec3& n = s.normals[index];
  const Real hp = dot(n, p - s.corners[size_t(face[0])]),
             hq = dot(n, q - s.corners[size_t(face[0])]);
  if (hp == hq || (hp > 0) == (hq > 0)) return false;
  at = p + (hp / (hp - hq)) * (q - p);
  return in_outline(s, face, n, at);
}

void offer_crossings(const Solid& a, const Solid& b, Pairing& best) {
  Vec3 at;
  for (const auto& e : a.edges)
    for (size_t i = 0; i < b.faces.size(); ++i)
      if (crosses(b, i, a.corners[size_t(e[0])], a.corners[size_t(e[1])], at)) {
        best = {0, at, at};
        return;
      }
}

Pairing polytopes(const Solid& a, const Solid& b) {
  Pairing best;
  for (const Vec3& p : a.corners)
    if (norm(p - b.center) - b.bound <= best.distance) best.offer(p, project_polytope(b, p));
  for (const Vec3& q : b.corners)
    if (norm(q - a.center) - a.bound <= best.distance) best.offer(project_polytope(a, q), q);
  if (best.distance == 0) return best;
  for (const auto& e : a.edges) {
    const Vec3 &a0 = a.corners[size_t(e[0])], &a1 = a.corners[size_t(e[1])];
    const Vec3 mid_a = Real(0.5) * (a0 + a1);
    const Real half_a = Real(0.5) * norm(a1 - a0);
    if (norm(mid_a - b.center) - half_a - b.bound > best.distance) continue;
    for (const auto& f : b.edges) {
      const Vec3 &b0 = b.corners[size_t(f[0])], &b1 = b.corners[size_t(f[1])];
      const Real far = norm(mid_a - Real(0.5) * (b0 + b1)) - half_a - Real(0.5) * norm(b1 - b0);
      if (far <= best.distance) offer_segments(a0, a1, b0, b1, best);
    }
  }
  // With a plane between them nothing crosses.
  if (best.distance > 0 &&
      separation_along(a, b, (1 / best.distance) * (best.b - best.a)) > Real(0.5) * best.distance)
    return best;
  offer_crossings(a, b, best);
  if (best.distance > 0) {
    Pairing swapped;
    offer_crossings(b, a, swapped);
    if (swapped.distance == 0) best = swapped;
  }
  return best;
}

// The distance to a convex set is convex along a segment: bisect the sign of its slope.
void offer_segment_round(const Vec3& p, const Vec3& q, const Solid& round, Pairing& best) {
  const Vec3 u = q - p;
  const Vec3 mid = p + Real(0.5) * u;
  if (norm(mid - project_round(round, mid)) - Real(0.5) * norm(u) > best.distance) return;
  Real lo = 0, hi = 1;
  for (int i = 0; i < 70; ++i) {
    const Real s = Real(0.5) * (lo + hi);
    const Vec3 x = p + s * u;
    const Vec3 y = project_round(round, x);
    best.offer(x, y);
    const Real slope = dot(x - y, u);
    if (slope == 0) break;
    // A convex function lies above its tangent: does the rest of the segment lie farther off?
    const Real here = norm(x - y);
    if (here > 0 && here - std::abs(slope) / here * (slope > 0 ? s - lo : hi - s) > best.distance)
      return;
    (slope > 0 ? hi : lo) = s;
  }
}

Pairing polytope_round(const Solid& a, const Solid& b) {
  Pairing best;
  for (const Vec3& p : a.corners) best.offer(p, project_round(b, p));
  if (inside_full(a, b.X.p)) best.offer(b.X.p, b.X.p);
  for (size_t i = 0; i < a.faces.size(); ++i) {
    if (best.distance == 0) return best;
    const std::vector<int>& face = a.faces[i];
    Vec3 n = a.normals[i];
    const Real len = norm(n);
    if (len == 0) continue;
    n = (1 / len) * n;
    const Vec3& origin = a.corners[size_t(face[0])];
    const Vec3 low = core_support_point(b, -n), high = core_support_point(b, n);
    const Real h_low = dot(n, low - origin), h_high = dot(n, high - origin);
    if (h_low <= 0 && h_high >= 0) {
      // The chord from the lowest to the highest point of b crosses the plane inside b.
      const Real s = h_high > h_low ? -h_low / (h_high - h_low) : Real(0);
      const Vec3 at = low + s * (high - low);
      if (in_outline(a, face, n, at)) best.offer(at, project_round(b, at));
    } else {
      const Vec3& near = h_low > 0 ? low : high;
      const Vec3 foot = near - dot(n, near - origin) * n;
      if (in_outline(a, face, n, foot)) best.offer(foot, near);
    }
  }
  for (const auto& e : a.edges) {
    if (best.distance == 0) return best;
    offer_segment_round(a.corners[size_t(e[0])], a.corners[size_t(e[1])], b, best);
  }
  return best;
}

// Weights, adding up to one, of the point of the points' affine hull that is nearest to the origin;
// false if they are dependent.
bool affine_minimum(const std::vector<Vec3>& w, std::vector<Real>& weights) {
  const size_t n = w.size() + 1;
  std::vector<std::vector<Real>> m(n, std::vector<Real>(n + 1, 0));
  Real scale = 0;
  for (const Vec3& v : w) scale = std::max(scale, dot(v, v));
  if (scale == 0) return false;
  for (size_t i = 0; i + 1 < n; ++i) {
    for (size_t j = 0; j + 1 < n; ++j) m[i][j] = dot(w[i], w[j]) / scale;
    m[i][n - 1] = m[n - 1][i] = 1;
  }
  m[n - 1][n] = 1;
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = c;
    for (size_t r = c; r < n; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    if (std::abs(m[pivot][c]) < Real(1e-30)) return false;
    std::swap(m[c], m[pivot]);
    for (size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const Real f = m[r][c] / m[c][c];
      for (size_t k = c; k <= n; ++k) m[r][k] -= f * m[c][k];
    }
  }
  weights.resize(w.size());
  for (size_t i = 0; i < w.size(); ++i) weights[i] = m[i][n] / m[i][i];
  return true;
}

// Wolfe's nearest point of a polytope (1976), of points of the difference that supports give one by
// one: for what projections leave unfinished.
void wolfe(const Solid& a, const Solid& b, Real scale, Pairing& best, Real& bound) {
  std::vector<Vec3> pa{best.a}, pb{best.b}, w{best.b - best.a};
  std::vector<Real> lambda{1};
  for (int i = 0; i < 200 && best.distance > 0; ++i) {
    const Vec3 d = (1 / best.distance) * (best.b - best.a);
    pa.push_back(core_support_point(a, d));
    pb.push_back(core_support_point(b, -d));
    w.push_back(pb.back() - pa.back());
    lambda.push_back(0);
    bound = std::max(bound, dot(d, w.back()));
    if (best.distance - bound < Real(1e-18) * scale) return;
    std::vector<Real> mu;
    bool moved = false;
    for (int k = 0; k < 8; ++k) {
      if (!affine_minimum(w, mu)) break;
      Real step = 1;
      for (size_t j = 0; j < w.size(); ++j)
        if (mu[j] < 0) step = std::min(step, lambda[j] / (lambda[j] - mu[j]));
      for (size_t j = 0; j < w.size(); ++j) lambda[j] += step * (mu[j] - lambda[j]);
      moved = true;
      if (step == 1) break;
      for (size_t j = w.size(); j-- > 0;) {
        if (lambda[j] > Real(1e-25) || w.size() == 1) continue;
        pa.erase(pa.begin() + long(j));
        pb.erase(pb.begin() + long(j));
        w.erase(w.begin() + long(j));
        lambda.erase(lambda.begin() + long(j));
      }
    }
    if (!moved) return;
    Real sum = 0;
    for (Real& l : lambda) sum += (l = std::max(l, Real(0)));
    Vec3 xa{}, xb{};
    for (size_t j = 0; j < w.size(); ++j) {
      lambda[j] /= sum;
      xa = xa + lambda[j] * pa[j];
      xb = xb + lambda[j] * pb[j];
    }
    const Real before = best.distance;
    best.offer(xa, xb);
    if (best.distance < Real(1e-18) * scale) best.distance = 0;  // the rounding of all this
    if (best.distance == before) return;
  }
}

Pairing rounds(const Solid& a, const Solid& b) {
  // Averaged projections with momentum, restarted when the distance grows.
  Vec3 pa = a.center, pb = b.center, last_a = pa, last_b = pb;
  Pairing best;
  Real momentum = 1, previous = kInf, bound = -kInf;
  const Real scale = norm(a.center - b.center) + a.bound + b.bound;
  for (int i = 0; i < 48; ++i) {
    const Real next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const Real beta = (momentum - 1) / next;
    const Vec3 ya = pa + beta * (pa - last_a), yb = pb + beta * (pb - last_b);
    const Vec3 mid = Real(0.5) * (ya + yb);
    last_a = pa;
    last_b = pb;
    pa = project_round(a, mid);
    pb = project_round(b, mid);
    // Whatever the momentum did, alternate once: both points are in their sets.
    best.offer(pa, pb);
    best.offer(project_round(a, pb), pb);
    const Real d = norm(pa - pb);
    momentum = d > previous ? 1 : next;
    previous = d;
    if (best.distance == 0) return best;
    if (i % 8 == 7) {
      bound = std::max(bound, separation_along(a, b, (1 / best.distance) * (best.b - best.a)));
      if (best.distance - bound < Real(1e-17) * scale) return best;
    }
  }
  wolfe(a, b, scale, best, bound);
  return best;
}

// The best proven separation over the directions that matter for two polytopes; for overlapping
// ones with an inside it is minus the penetration depth.
Real polytope_axes(const Solid& a, const Solid& b) {
  Real best = -kInf;
  const auto test = [&](const Vec3& n) {
    const Real len = norm(n);
    if (len == 0) return;
    const Vec3 d = (1 / len) * n;
    best = std::max({best, separation_along(a, b, d), separation_along(a, b, -d)});
  };
  for (const Solid* s : {&a, &b})
    for (const Vec3& n : s->normals) test(n);
  for (const auto& e : a.edges)
    for (const auto& f : b.edges)
      test(cross(a.corners[size_t(e[1])] - a.corners[size_t(e[0])],
                 b.corners[size_t(f[1])] - b.corners[size_t(f[0])]));
  return best;
}

Gap half_space_gap(const Solid& half, const Solid& other) {
  const Vec3 p = core_support_point(other, -half.normal);
  const Real h = dot(half.normal, p) - half.offset;
  Gap g;
  g.lo = g.hi = h - half.radius - other.radius;
  g.a = p - h * half.normal;
  g.b = p;
  return g;
}

}  // namespace

Gap gap(const Solid& a, const Solid& b) {
  if (a.kind == Solid::Kind::kHalfSpace) return half_space_gap(a, b);
  if (b.kind == Solid::Kind::kHalfSpace) {
    Gap g = half_space_gap(b, a);
    std::swap(g.a, g.b);
    return g;
  }
  const bool polytope_a = a.kind == Solid::Kind::kPolytope;
  const bool polytope_b = b.kind == Solid::Kind::kPolytope;
  Pairing best;
  if (polytope_a && polytope_b) {
    best = polytopes(a, b);
  } else if (polytope_a) {
    best = polytope_round(a, b);
  } else if (polytope_b) {
    best = polytope_round(b, a);
    std::swap(best.a, best.b);
  } else {
    best = rounds(a, b);
  }
  Real lo = -kInf;
  if (best.distance > 0) lo = separation_along(a, b, (1 / best.distance) * (best.b - best.a));
  if (polytope_a && polytope_b && best.distance < Real(1e-6))
    lo = std::max(lo, polytope_axes(a, b));
  if (lo < 0 && a.corners.size() == 1 && b.corners.size() == 1) lo = 0;  // two points
  const Real radii = a.radius + b.radius;
  return {lo - radii, best.distance - radii, best.a, best.b};
}

Real support(const Solid& solid, const Vec3& d) { return core_support(solid, d) + solid.radius; }

Vec3 project(const Solid& solid, const Vec3& p) {
  if (solid.kind == Solid::Kind::kHalfSpace) {
    const Real h = dot(solid.normal, p) - solid.offset - solid.radius;
    return h > 0 ? p - h * solid.normal : p;
  }
  const Vec3 core = project_core(solid, p);
  const Real d = norm(p - core);
  return d <= solid.radius ? p : core + (solid.radius / d) * (p - core);
}

std::vector<Solid> pieces(const ShapeSpec& shape) {
  std::vector<Solid> out;
  Solid s;
  switch (shape.kind) {
    case ShapeSpec::Kind::kSphere:
      s.radius = shape.size[0];
      s.corners = {Vec3{}};
      break;
    case ShapeSpec::Kind::kCapsule: {
      s.radius = shape.size[0];
      const Real h = Real(shape.size[1]) / 2;
      s.corners = {{0, 0, -h}, {0, 0, h}};
      s.edges = {{0, 1}};
      s.bound = h;
      break;
    }
    case ShapeSpec::Kind::kBox: {
      const Vec3 h = Real(0.5) * vec<Real>(shape.size);
      for (int k = 0; k < 8; ++k)
        s.corners.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
      for (int k = 0; k < 8; ++k)
        for (const int bit : {1, 2, 4})
          if (!(k & bit)) s.edges.push_back({k, k | bit});
      s.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
      for (const auto& face : s.faces) s.normals.push_back(area_vector(s, face));
      s.full = h.x > 0 && h.y > 0 && h.z > 0;
      s.bound = norm(h);
      break;
    }
    case ShapeSpec::Kind::kCylinder:
    case ShapeSpec::Kind::kCone:
      s.kind = shape.kind == ShapeSpec::Kind::kCone ? Solid::Kind::kCone : Solid::Kind::kCylinder;
      s.round = shape.size[0];
      s.half_length = Real(shape.size[1]) / 2;
      s.bound = std::sqrt(s.round * s.round + s.half_length * s.half_length);
      break;
    case ShapeSpec::Kind::kHalfSpace: {
      s.kind = Solid::Kind::kHalfSpace;
      const Vec3 n = vec<Real>(shape.size);
      s.normal = (1 / norm(n)) * n;
      s.offset = Real(shape.offset) / norm(n);
      s.bound = kInf;
      break;
    }
    case ShapeSpec::Kind::kMesh:
      for (const auto& t : shape.triangles) {
        Solid triangle;
        for (const int v : t) triangle.corners.push_back(vec<Real>(shape.vertices[size_t(v)]));
        triangle.edges = {{0, 1}, {1, 2}, {2, 0}};
        triangle.faces = {{0, 1, 2}};
        triangle.normals = {area_vector(triangle, triangle.faces[0])};
        triangle.center =
            (Real(1) / 3) * (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]);
        for (const Vec3& c : triangle.corners)
          triangle.bound = std::max(triangle.bound, norm(c - triangle.center));
        out.push_back(std::move(triangle));
      }
      return out;
  }
  out.push_back(std::move(s));
  return out;
}

Solid moved(const Pose3& X, const Solid& solid) {
  Solid out = solid;
  move_into(X, solid, out);
  return out;
}

void move_into(const Pose3& X, const Solid& solid, Solid& out) {
  for (size_t i = 0; i < solid.corners.size(); ++i) out.corners[i] = X * solid.corners[i];
  for (size_t i = 0; i < solid.normals.size(); ++i) out.normals[i] = X.R * solid.normals[i];
  out.X = X * solid.X;
  out.center = X * solid.center;
  if (solid.kind == Solid::Kind::kHalfSpace) {
    out.normal = X.R * solid.normal;
    out.offset = solid.offset + dot(out.normal, X.p);
  }
}

}  // namespace catena::oracle
