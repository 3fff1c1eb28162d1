#pragma once

#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "catena/math/rounding.hpp"

namespace catena::internal {

using Eigen::Vector3d;

/// Up to four vertices, points `w` of a difference set, and the barycentric coordinates of their
/// point nearest to the origin. What iterations share ([Gilbert1988]): it proposes, no more.
template <class Vertex>
struct Simplex {
  std::array<Vertex, 4> v;
  std::array<double, 4> lambda{};
  int size = 0;

  Vector3d point() const noexcept {
    Vector3d p = Vector3d::Zero();
    for (int i = 0; i < size; ++i)
      p += lambda[static_cast<size_t>(i)] * v[static_cast<size_t>(i)].w;
    return p;
  }
};

// The direction from the origin to the simplex: normal to its face or edge. Its nearest point v is
// the same in exact arithmetic, but where v is short, rounding turns it, and a lower bound along it
// would lose that turn times the size of the shapes.
template <class Vertex>
Vector3d direction_to(const Simplex<Vertex>& s, const Vector3d& v) noexcept {
  Vector3d d = v;
  if (s.size == 3) {
    d = (s.v[1].w - s.v[0].w).cross(s.v[2].w - s.v[0].w);
    if (d.dot(v) < 0.0) d = -d;
  } else if (s.size == 2) {
    const Vector3d e = (s.v[1].w - s.v[0].w).normalized();
    const Vector3d& a = s.v[s.lambda[0] > s.lambda[1] ? 0 : 1].w;
    d = a - e * e.dot(a);
    d -= e * e.dot(d);
  }
  const double length = d.norm();
  // Below this the squares in the norm underflow and d / length would not be a unit vector.
  constexpr double kLeastLength = 1e-140;
  return length > kLeastLength && std::isfinite(length) ? Vector3d(d / length)
                                                        : Vector3d(v / v.norm());
}

// Nearest point of a sub-simplex to the origin, as indices into the parent and weights.
struct Nearest {
  std::array<int, 4> index{};
  std::array<double, 4> lambda{};
  int size = 0;
  double distance2 = kInfinity;
};

template <class Vertex>
Nearest nearest_on_segment(const Simplex<Vertex>& s, int i, int j) noexcept {
  const Vector3d& p = s.v[static_cast<size_t>(i)].w;
  const Vector3d d = s.v[static_cast<size_t>(j)].w - p;
  const double length2 = d.squaredNorm();
  const double t = length2 > 0.0 ? -p.dot(d) / length2 : 0.0;
  Nearest n;
  if (t <= 0.0) {
    n = {{i}, {1.0}, 1, p.squaredNorm()};
  } else if (t >= 1.0) {
    n = {{j}, {1.0}, 1, s.v[static_cast<size_t>(j)].w.squaredNorm()};
  } else {
    n = {{i, j}, {1.0 - t, t}, 2, (p + t * d).squaredNorm()};
  }
  return n;
}

// Every face is a candidate and the nearest wins: the sign tests that would pick one are the first
// thing that rounding spoils on slivers, and curved shapes make slivers.
template <class Vertex>
Nearest nearest_on_triangle(const Simplex<Vertex>& s, int i, int j, int k) noexcept {
  const Vector3d& a = s.v[static_cast<size_t>(i)].w;
  const Vector3d& b = s.v[static_cast<size_t>(j)].w;
  const Vector3d& c = s.v[static_cast<size_t>(k)].w;
  Nearest best = nearest_on_segment(s, i, j);
  for (const Nearest& r : {nearest_on_segment(s, i, k), nearest_on_segment(s, j, k)}) {
    if (r.distance2 < best.distance2) best = r;
  }
  const Vector3d n = (b - a).cross(c - a);
  const double la = n.dot(b.cross(c)), lb = n.dot(c.cross(a)), lc = n.dot(a.cross(b));
  if (la > 0.0 && lb > 0.0 && lc > 0.0) {
    const double sum = la + lb + lc;
    Nearest r{{i, j, k}, {la / sum, lb / sum, lc / sum}, 3, 0.0};
    r.distance2 = (r.lambda[0] * a + r.lambda[1] * b + r.lambda[2] * c).squaredNorm();
    if (r.distance2 < best.distance2) best = r;
  }
  return best;
}

// Reduces the simplex to the face nearest to the origin; false if a full tetrahedron holds it, at
// least `margin` inside every face.
template <class Vertex>
bool reduce(Simplex<Vertex>& s, double margin) noexcept {
  Nearest best;
  if (s.size == 1) {
    best = {{0}, {1.0}, 1, 0.0};
  } else if (s.size == 2) {
    best = nearest_on_segment(s, 0, 1);
  } else if (s.size == 3) {
    best = nearest_on_triangle(s, 0, 1, 2);
  } else {
    constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool outside = false;
    std::array<double, 4> inner{};  // barycentric coordinates of the origin, if it is inside
    for (const auto& f : kFaces) {
      const Vector3d& a = s.v[static_cast<size_t>(f[0])].w;
      const Vector3d e1 = s.v[static_cast<size_t>(f[1])].w - a;
      const Vector3d e2 = s.v[static_cast<size_t>(f[2])].w - a;
      const Vector3d e3 = s.v[static_cast<size_t>(f[3])].w - a;
      const Vector3d n = e1.cross(e2);
      const double opposite = n.dot(e3);
      const double origin = -n.dot(a);
      inner[static_cast<size_t>(f[3])] = origin / opposite;
      // A tetrahedron so flat that rounding decides its sides holds nothing.
      const double noise = 16 * kUnitRoundoff * e1.norm() * e2.norm();
      const double thin = margin * n.norm();
      outside = outside || !(opposite * origin > 0.0) ||
                std::abs(origin) <= thin + noise * a.norm() ||
                std::abs(opposite) <= thin + noise * e3.norm();
      const Nearest r = nearest_on_triangle(s, f[0], f[1], f[2]);
      if (r.distance2 < best.distance2) best = r;
    }
    if (!outside) {
      const double sum = inner[0] + inner[1] + inner[2] + inner[3];
      for (size_t i = 0; i < 4; ++i) s.lambda[i] = inner[i] / sum;
      return false;
    }
  }
  Simplex<Vertex> reduced;
  reduced.size = best.size;
  for (size_t i = 0; i < static_cast<size_t>(best.size); ++i) {
    reduced.v[i] = s.v[static_cast<size_t>(best.index[i])];
    reduced.lambda[i] = best.lambda[i];
  }
  s = reduced;
  return true;
}

}  // namespace catena::internal
