#pragma once

// Triangles in rational arithmetic, degenerate ones included: an oracle that never rounds.

#include <array>

#include <Eigen/Core>
#include <boost/multiprecision/cpp_int.hpp>

namespace catena::exact {

using Number = boost::multiprecision::cpp_rational;

struct Vec {
  Number x, y, z;
};

inline Vec make(const Eigen::Vector3d& v) { return {Number(v.x()), Number(v.y()), Number(v.z())}; }
inline Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(const Number& s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Number dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline bool is_zero(const Vec& a) { return a.x == 0 && a.y == 0 && a.z == 0; }

using Triangle = std::array<Vec, 3>;

/// The exact motion of a quaternion (x, y, z, w) of any length, and a translation.
struct Motion {
  std::array<Vec, 3> rows;
  Vec p;

  Motion(const Eigen::Vector3d& translation, const Eigen::Vector4d& xyzw) : p(make(translation)) {
    const Number x(xyzw[0]), y(xyzw[1]), z(xyzw[2]), w(xyzw[3]);
    const Number n = x * x + y * y + z * z + w * w;
    rows = {Vec{1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n},
            Vec{2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n},
            Vec{2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n}};
  }
  Vec turn(const Vec& v) const { return {dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)}; }
  Vec operator()(const Vec& v) const { return turn(v) + p; }
  Triangle operator()(const Triangle& t) const {
    return {(*this)(t[0]), (*this)(t[1]), (*this)(t[2])};
  }
};

inline Number point_segment2(const Vec& q, const Vec& s, const Vec& t) {
  const Vec u = t - s;
  Vec d = q - s;
  const Number length2 = dot(u, u);
  if (length2 != 0) {
    Number k = dot(d, u) / length2;
    if (k < 0) k = 0;
    if (k > 1) k = 1;
    d = d - k * u;
  }
  return dot(d, d);
}

inline Number least(const Number& a, const Number& b) { return a < b ? a : b; }

/// Squared distance of two segments, points among them.
inline Number segment_segment2(const Vec& a, const Vec& b, const Vec& c, const Vec& d) {
  Number best = least(least(point_segment2(a, c, d), point_segment2(b, c, d)),
                      least(point_segment2(c, a, b), point_segment2(d, a, b)));
  const Vec u = b - a, v = d - c, w = c - a;
  const Vec n = cross(u, v);
  const Number n2 = dot(n, n);
  if (n2 == 0) return best;
  const Number s = dot(cross(w, v), n) / n2, t = dot(cross(w, u), n) / n2;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  const Number h = dot(w, n);
  return least(best, h * h / n2);
}

/// Squared distance of a point from a triangle.
inline Number point_triangle2(const Vec& q, const Triangle& t) {
  Number best = least(point_segment2(q, t[0], t[1]),
                      least(point_segment2(q, t[1], t[2]), point_segment2(q, t[2], t[0])));
  const Vec n = cross(t[1] - t[0], t[2] - t[0]);
  const Number n2 = dot(n, n);
  if (n2 == 0) return best;
  for (size_t k = 0; k < 3; ++k) {
    if (dot(n, cross(t[(k + 1) % 3] - t[k], q - t[k])) < 0) return best;
  }
  const Number h = dot(n, q - t[0]);
  return least(best, h * h / n2);
}

/// Does a segment that crosses the triangle's plane go through the triangle?
inline bool pierces(const Vec& s, const Vec& t, const Triangle& tri) {
  const Vec n = cross(tri[1] - tri[0], tri[2] - tri[0]);
  const Number from = dot(n, s - tri[0]), to = dot(n, t - tri[0]);
  if (is_zero(n) || from * to >= 0) return false;
  return point_triangle2(s + (from / (from - to)) * (t - s), tri) == 0;
}

/// Squared distance of two triangles; 0 where they meet.
inline Number triangle_triangle2(const Triangle& a, const Triangle& b) {
  for (size_t k = 0; k < 3; ++k) {
    if (pierces(a[k], a[(k + 1) % 3], b) || pierces(b[k], b[(k + 1) % 3], a)) return 0;
  }
  Number best = point_triangle2(a[0], b);
  for (size_t i = 0; i < 3 && best != 0; ++i) {
    best = least(best, least(point_triangle2(a[i], b), point_triangle2(b[i], a)));
    for (size_t j = 0; j < 3 && best != 0; ++j) {
      best = least(best, segment_segment2(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    }
  }
  return best;
}

}  // namespace catena::exact
