#include "snake.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Geometry>

#include "random.hpp"

namespace catena::bench {
namespace {

constexpr double kPi = std::numbers::pi;

/// Two triangles over the corners a, b of one row and their followers c, d in the next.
void add_quad(int a, int b, int c, int d, Triangles& mesh) {
  mesh.indices.push_back({a, b, c});
  mesh.indices.push_back({b, d, c});
}

void add_terrain(Triangles& mesh) {
  constexpr int kQuads = 160;
  for (int i = 0; i <= kQuads; ++i) {
    for (int j = 0; j <= kQuads; ++j) {
      const double x = -4 + 8.0 * i / kQuads, y = -4 + 8.0 * j / kQuads;
      mesh.vertices.emplace_back(
          x, y, -1 + 0.08 * std::sin(2.1 * x) * std::cos(1.7 * y) + 0.04 * std::sin(7 * x + 5 * y));
    }
  }
  for (int i = 0; i < kQuads; ++i) {
    for (int j = 0; j < kQuads; ++j) {
      const int a = i * (kQuads + 1) + j, b = a + kQuads + 1;
      add_quad(a, b, a + 1, b + 1, mesh);
    }
  }
}

void add_pipe(const Vector3d& from, const Vector3d& to, double radius, Triangles& mesh) {
  constexpr int kAround = 32, kAlong = 19;
  const Vector3d x = (to - from).normalized();
  const Vector3d helper = std::abs(x.z()) < 0.9 ? Vector3d::UnitZ() : Vector3d::UnitX();
  const Vector3d y = helper.cross(x).normalized(), z = x.cross(y);
  const int base = static_cast<int>(mesh.vertices.size());
  for (int i = 0; i <= kAlong; ++i) {
    const Vector3d centre = from + static_cast<double>(i) / kAlong * (to - from);
    for (int k = 0; k < kAround; ++k) {
      const double w = 2 * kPi * k / kAround;
      mesh.vertices.push_back(centre + radius * std::cos(w) * y + radius * std::sin(w) * z);
    }
  }
  for (int i = 0; i < kAlong; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const int a = base + i * kAround + k, b = base + i * kAround + (k + 1) % kAround;
      add_quad(a, b, a + kAround, b + kAround, mesh);
    }
  }
}

/// Farther than 0.5 from three points above the middle, where another workload has its robot's
/// base.
bool leaves_room(const Vector3d& centre, const Vector3d& axis, double length) {
  for (const double height : {-0.6, -0.4, -0.2}) {
    const Vector3d e = Vector3d(0, 0, height) - centre;
    const double t = std::clamp(e.dot(axis), -length / 2, length / 2);
    if ((e - t * axis).norm() <= 0.5) return false;
  }
  return true;
}

}  // namespace

Triangles pipe_scene() {
  Triangles mesh;
  add_terrain(mesh);
  SplitMix64 random(42);
  for (int pipes = 0; pipes < 40;) {
    const double x = random.uniform(-3, 3), y = random.uniform(-3, 3);
    const Vector3d centre(x, y, random.uniform(-0.8, 2));
    const double z = random.uniform(-1, 1), w = random.uniform(0, 2 * kPi);
    const double length = random.uniform(2, 4), radius = random.uniform(0.02, 0.15);
    const double s = std::sqrt(1 - z * z);
    const Vector3d axis(s * std::cos(w), s * std::sin(w), z);
    if (!leaves_room(centre, axis, length)) continue;
    add_pipe(centre - length / 2 * axis, centre + length / 2 * axis, radius, mesh);
    ++pipes;
  }
  return mesh;
}

void Snake::place(const SnakeConfiguration& c, std::vector<RigidTransform>& X_WL) const {
  X_WL.resize(links);
  Matrix3d R = c.X_WB.R;
  Vector3d p = c.X_WB.p;
  for (int i = 0; i < links; ++i) {
    const int side = i % 2 == 0 ? 1 : 2;  // the axis that x turns towards, or away from
    const double cosine = std::cos(c.q[i]);
    const double sine = i % 2 == 0 ? std::sin(c.q[i]) : -std::sin(c.q[i]);
    const Vector3d x = cosine * R.col(0) + sine * R.col(side);
    R.col(side) = cosine * R.col(side) - sine * R.col(0);
    R.col(0) = x;
    X_WL[i] = {R, p};
    p += length * x;
  }
}

Snake make_snake(int links) {
  const double length = links <= 64 ? 0.1 : links <= 256 ? 0.05 : 0.025;
  return {links, length, 0.3 * length};
}

Triangles link_mesh(const Snake& snake) {
  constexpr int kAround = 16;
  const double r = snake.radius;
  std::vector<std::pair<double, double>> rings;  // (x, radius)
  for (const int i : {2, 1, 0}) {
    rings.emplace_back(-r * std::sin(i * kPi / 6), r * std::cos(i * kPi / 6));
  }
  for (const int i : {0, 1, 2}) {
    rings.emplace_back(snake.length + r * std::sin(i * kPi / 6), r * std::cos(i * kPi / 6));
  }
  Triangles mesh;
  for (const auto& [x, radius] : rings) {
    for (int k = 0; k < kAround; ++k) {
      const double w = 2 * kPi * k / kAround;
      mesh.vertices.emplace_back(x, radius * std::cos(w), radius * std::sin(w));
    }
  }
  const int start = static_cast<int>(mesh.vertices.size()), end = start + 1;
  mesh.vertices.emplace_back(-r, 0, 0);
  mesh.vertices.emplace_back(snake.length + r, 0, 0);
  const int last = (static_cast<int>(rings.size()) - 1) * kAround;
  for (int k = 0; k < kAround; ++k) {
    const int next = (k + 1) % kAround;
    for (int ring = 0; ring < last; ring += kAround) {
      add_quad(ring + k, ring + next, ring + kAround + k, ring + kAround + next, mesh);
    }
    mesh.indices.push_back({start, next, k});
    mesh.indices.push_back({end, last + k, last + next});
  }
  return mesh;
}

}  // namespace catena::bench
