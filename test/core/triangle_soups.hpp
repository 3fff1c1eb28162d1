#pragma once

// Random triangles and soups of them, degenerate ones included, at poses known exactly.

#include <array>
#include <random>

#include "catena/geometry/triangle_mesh.hpp"
#include "catena/math/rigid_enclosure.hpp"
#include "core/exact_triangles.hpp"
#include "support/random.hpp"

namespace catena::test {

using Corners = std::array<Vector3d, 3>;

inline Vector3d random_vector(std::mt19937_64& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

inline exact::Triangle exactly(const Corners& t) {
  return {exact::make(t[0]), exact::make(t[1]), exact::make(t[2])};
}

// Small whole numbers make touching, coplanar, collinear and pointlike triangles common.
inline Corners random_triangle(std::mt19937_64& rng, int kind, double size) {
  Corners t;
  for (Vector3d& x : t) {
    x = random_vector(rng, size);
    if (kind == 1) {
      for (int k = 0; k < 3; ++k) x[k] = size / 4 * (static_cast<int>(rng() % 5) - 2);
    }
  }
  if (kind == 2) t[2] = 0.5 * (t[0] + t[1]) + 1e-15 * random_vector(rng, size);  // a sliver
  if (kind == 3) t[static_cast<size_t>(rng() % 3)] = t[0];
  return t;
}

struct Pose {
  Vector3d p = Vector3d::Zero();
  Eigen::Vector4d xyzw{0, 0, 0, 1};
  RigidEnclosure enclosure() const { return RigidEnclosure::from_quaternion(p, xyzw); }
  exact::Motion motion() const { return {p, xyzw}; }
};

// A soup with duplicates, slivers, segments and points, or whole-numbered corners that touch.
inline TriangleMesh random_soup(std::mt19937_64& rng, int n, double size, bool whole) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    const Corners t = random_triangle(rng, whole ? 1 : i % 5 == 4 ? 2 + i % 2 : 0, 0.4 * size);
    const Vector3d at = whole ? Vector3d(size / 10 * static_cast<int>(rng() % 9), 0.0,
                                         size / 10 * static_cast<int>(rng() % 9))
                              : random_vector(rng, size);
    const int first = static_cast<int>(mesh.vertices.size());
    for (const Vector3d& x : t) mesh.vertices.push_back(at + x);
    mesh.triangles.push_back({first, first + 1, first + 2});
    if (i % 7 == 6) mesh.triangles.push_back({first + 1, first, first + 2});  // once more
  }
  return mesh;
}

}  // namespace catena::test
