#include "workloads/meshes.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include <Eigen/Geometry>

namespace catena::bench {

using std::numbers::pi;

Mesh sphere(int level, double radius) {
  Mesh mesh;
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  for (const double s : {1.0, -1.0}) {
    for (const double t : {g, -g}) {
      mesh.vertices.insert(mesh.vertices.end(), {{0, s, t}, {s, t, 0}, {t, 0, s}});
    }
  }
  // The faces of the icosahedron are its triples of corners at distance 2.
  const auto near = [&](int i, int j) {
    return (mesh.vertices[static_cast<size_t>(i)] - mesh.vertices[static_cast<size_t>(j)]).norm() <
           2.1;
  };
  for (int i = 0; i < 12; ++i) {
    for (int j = i + 1; j < 12; ++j) {
      for (int k = j + 1; k < 12; ++k) {
        if (near(i, j) && near(j, k) && near(i, k)) mesh.triangles.push_back({i, j, k});
      }
    }
  }
  for (int l = 0; l < level; ++l) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int i, int j) {
      const auto [at, fresh] =
          middles.emplace(std::minmax(i, j), static_cast<int>(mesh.vertices.size()));
      if (fresh) {
        mesh.vertices.push_back(
            0.5 * (mesh.vertices[static_cast<size_t>(i)] + mesh.vertices[static_cast<size_t>(j)]));
      }
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [i, j, k] : mesh.triangles) {
      const int a = middle(i, j), b = middle(j, k), c = middle(k, i);
      for (const auto& t : {std::array{i, a, c}, {a, j, b}, {c, b, k}, {a, b, c}}) {
        finer.push_back(t);
      }
    }
    mesh.triangles = std::move(finer);
    for (Vector3d& v : mesh.vertices) v.normalize();
  }
  for (Vector3d& v : mesh.vertices) v = radius * v.normalized();
  return mesh;
}

namespace {

// A closed grid of m x n points; wraps both ways, or one way only.
template <class F>
void add_grid(Mesh& mesh, int m, int n, bool wrap, const F& point) {
  const int base = static_cast<int>(mesh.vertices.size());
  const int rows = wrap ? m : m + 1;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) mesh.vertices.push_back(point(i, j));
  }
  const auto at = [&](int i, int j) { return base + (i % rows) * n + j % n; };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      mesh.triangles.push_back({at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)});
    }
  }
}

}  // namespace

Mesh torus(int m, int n, double R, double r, double wrinkle) {
  Mesh mesh;
  add_grid(mesh, m, n, true, [&](int i, int j) {
    const double u = 2 * pi * i / m, v = 2 * pi * j / n;
    const double tube = r * (1.0 + wrinkle * std::sin(23 * u) * std::sin(7 * v));
    return Vector3d((R + tube * std::cos(v)) * std::cos(u), (R + tube * std::cos(v)) * std::sin(u),
                    tube * std::sin(v));
  });
  return mesh;
}

Mesh pipes(unsigned seed) {
  Mesh mesh;
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int p = 0; p < 350; ++p) {
    const int axis = static_cast<int>(rng() % 3);
    const double radius = 0.004 + 0.008 * uniform(rng), length = 0.15 + 0.35 * uniform(rng);
    const Vector3d at(uniform(rng), uniform(rng), uniform(rng));
    add_grid(mesh, 10, 20, false, [&](int i, int j) {
      Vector3d x;
      x[axis] = length * (0.1 * i - 0.5);
      x[(axis + 1) % 3] = radius * std::cos(2 * pi * j / 20);
      x[(axis + 2) % 3] = radius * std::sin(2 * pi * j / 20);
      return Vector3d(at + x);
    });
  }
  return mesh;
}

RigidEnclosure pose(const Vector3d& p, const Vector3d& axis, double angle) {
  const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
  return RigidEnclosure::from_quaternion(p, q.coeffs());
}

}  // namespace catena::bench
