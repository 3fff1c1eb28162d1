#include "tessellate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include <Eigen/Geometry>

namespace catena::view {
namespace {

constexpr double kCreaseCosine = 0.766;  // cos 40 degrees
constexpr int kSegments = 32;            // around a round shape
// A fan of thousands of triangles around one vertex would cost its square; flat normals do there.
constexpr std::size_t kMaxFan = 64;

struct PointHash {
  std::size_t operator()(const std::array<double, 3>& p) const noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (const double x : p) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      h = (h ^ bits) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return h;
  }
};

/// Adds a surface of revolution about z; `profile` holds (radius, z) from the lower pole upwards.
void add_revolution(const std::vector<std::pair<double, double>>& profile, int segments,
                    TriangleMesh& mesh) {
  const int base = static_cast<int>(mesh.vertices.size());
  for (const auto& [r, z] : profile) {
    for (int k = 0; k < segments; ++k) {
      const double a = 2 * std::numbers::pi * k / segments;
      mesh.vertices.emplace_back(r * std::cos(a), r * std::sin(a), z);
    }
  }
  for (int ring = 0; ring + 1 < static_cast<int>(profile.size()); ++ring) {
    for (int k = 0; k < segments; ++k) {
      const int a = base + ring * segments + k;
      const int b = base + ring * segments + (k + 1) % segments;
      mesh.triangles.push_back({a, b, b + segments});
      mesh.triangles.push_back({a, b + segments, a + segments});
    }
  }
}

TriangleMesh box_mesh(const Vector3d& center, const Vector3d& half) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    const Vector3d sign((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
    mesh.vertices.push_back(center + sign.cwiseProduct(half));
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

struct Tessellator {
  TriangleMesh operator()(const Sphere& s) const { return ball_mesh(s.radius, kSegments, 20); }
  TriangleMesh operator()(const Capsule& c) const {
    std::vector<std::pair<double, double>> profile;
    constexpr int kRings = 10;
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i <= kRings; ++i) {
        const double a = std::numbers::pi / 2 * (half == 0 ? i - kRings : i) / kRings;
        profile.emplace_back(c.radius * std::cos(a),
                             c.radius * std::sin(a) + (half == 0 ? -0.5 : 0.5) * c.length);
      }
    }
    TriangleMesh mesh;
    add_revolution(profile, kSegments, mesh);
    return mesh;
  }
  TriangleMesh operator()(const Box& b) const { return box_mesh(Vector3d::Zero(), b.size / 2); }
  TriangleMesh operator()(const Cylinder& c) const {
    TriangleMesh mesh;
    const double h = c.length / 2;
    add_revolution({{0, -h}, {c.radius, -h}, {c.radius, h}, {0, h}}, kSegments, mesh);
    return mesh;
  }
  TriangleMesh operator()(const Cone& c) const {
    TriangleMesh mesh;
    const double h = c.length / 2;
    add_revolution({{0, -h}, {c.radius, -h}, {0, h}}, kSegments, mesh);
    return mesh;
  }
  TriangleMesh operator()(const HalfSpace&) const { return {}; }
};

void append(const DisplayMesh& from, const Vector3d& at, DisplayMesh& to) {
  const auto base = static_cast<std::uint32_t>(to.positions.size() / 3);
  for (std::size_t i = 0; i < from.positions.size(); ++i) {
    to.positions.push_back(static_cast<float>(from.positions[i] + at[static_cast<int>(i % 3)]));
  }
  to.normals.insert(to.normals.end(), from.normals.begin(), from.normals.end());
  for (const std::uint32_t i : from.indices) to.indices.push_back(base + i);
}

}  // namespace

TriangleMesh ball_mesh(double radius, int segments, int rings) {
  std::vector<std::pair<double, double>> profile;
  for (int i = 0; i <= rings; ++i) {
    const double a = std::numbers::pi * (static_cast<double>(i) / rings - 0.5);
    // Exactly 0 at the poles, so that the ring there is one point.
    const double r = i == 0 || i == rings ? 0.0 : radius * std::cos(a);
    profile.emplace_back(r, radius * std::sin(a));
  }
  TriangleMesh mesh;
  add_revolution(profile, segments, mesh);
  return mesh;
}

DisplayMesh display_mesh(const TriangleMesh& mesh) {
  // Weld by position, so that smoothness does not depend on how a file shares its vertices.
  std::unordered_map<std::array<double, 3>, int, PointHash> welded;
  const auto weld = [&](int vertex) {
    const Vector3d& v = mesh.vertices[static_cast<std::size_t>(vertex)];
    // Adding 0 turns -0 into 0.
    return welded
        .try_emplace({v.x() + 0.0, v.y() + 0.0, v.z() + 0.0}, static_cast<int>(welded.size()))
        .first->second;
  };

  struct Face {
    std::array<int, 3> vertex, point;
    Vector3d weighted, unit;
  };
  std::vector<Face> faces;
  faces.reserve(mesh.triangles.size());
  Eigen::AlignedBox3d bounds;
  for (const auto& t : mesh.triangles) {
    const Vector3d& a = mesh.vertices[static_cast<std::size_t>(t[0])];
    const Vector3d& b = mesh.vertices[static_cast<std::size_t>(t[1])];
    const Vector3d& c = mesh.vertices[static_cast<std::size_t>(t[2])];
    const Vector3d weighted = (b - a).cross(c - a);
    const double length = weighted.stableNorm();
    if (!(length > 0.0)) continue;
    faces.push_back({t, {weld(t[0]), weld(t[1]), weld(t[2])}, weighted, weighted / length});
    bounds.extend(a).extend(b).extend(c);
  }

  DisplayMesh out;
  if (faces.empty()) return out;
  out.center = bounds.center();

  std::vector<std::vector<int>> fans(welded.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (const int p : faces[f].point) fans[static_cast<std::size_t>(p)].push_back(int(f));
  }

  // One display vertex for each welded point and normal.
  std::vector<std::vector<std::uint32_t>> made(welded.size());
  for (const Face& face : faces) {
    for (int k = 0; k < 3; ++k) {
      const auto point = static_cast<std::size_t>(face.point[static_cast<std::size_t>(k)]);
      Vector3d sum = face.unit;
      if (fans[point].size() <= kMaxFan) {
        sum.setZero();
        for (const int f : fans[point]) {
          const Face& other = faces[static_cast<std::size_t>(f)];
          if (other.unit.dot(face.unit) >= kCreaseCosine) sum += other.weighted;
        }
      }
      const double length = sum.stableNorm();
      const Eigen::Vector3f n = (length > 0 ? Vector3d(sum / length) : face.unit).cast<float>();
      std::uint32_t index = UINT32_MAX;
      for (const std::uint32_t i : made[point]) {
        const float* m = &out.normals[3 * std::size_t{i}];
        if (m[0] * n.x() + m[1] * n.y() + m[2] * n.z() > 0.9999f) index = i;
      }
      if (index == UINT32_MAX) {
        index = static_cast<std::uint32_t>(out.positions.size() / 3);
        made[point].push_back(index);
        const Vector3d p =
            mesh.vertices[static_cast<std::size_t>(face.vertex[static_cast<std::size_t>(k)])] -
            out.center;
        for (int i = 0; i < 3; ++i) {
          out.positions.push_back(static_cast<float>(p[i]));
          out.normals.push_back(n[i]);
        }
      }
      out.indices.push_back(index);
    }
  }
  return out;
}

DisplayMesh display_mesh(const Primitive& primitive) {
  return display_mesh(std::visit(Tessellator{}, primitive));
}

std::vector<std::size_t> nearest_elements(const Geometry& geometry, std::size_t limit,
                                          const Vector3d& point) {
  const auto boxes = geometry.boxes();
  const auto centers = geometry.centers();
  std::vector<std::size_t> elements(std::max(boxes.size(), centers.size()));
  std::iota(elements.begin(), elements.end(), std::size_t{0});
  if (elements.size() <= limit) return elements;
  const auto distance = [&](std::size_t i) {
    return ((boxes.empty() ? centers[i] : boxes[i].center) - point).squaredNorm();
  };
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(limit);
  std::nth_element(elements.begin(), end, elements.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(distance(a), a) < std::pair(distance(b), b);
  });
  elements.erase(end, elements.end());
  return elements;
}

DisplayMesh display_elements(const Geometry& geometry, const std::vector<std::size_t>& elements) {
  const auto boxes = geometry.boxes();
  const Vector3d& origin = geometry.bound_center();
  DisplayMesh out;
  const DisplayMesh ball = display_mesh(ball_mesh(geometry.radius(), 8, 4));
  for (const std::size_t i : elements) {
    if (boxes.empty()) {
      append(ball, geometry.centers()[i] - origin, out);
    } else {
      append(display_mesh(box_mesh(Vector3d::Zero(), boxes[i].half)), boxes[i].center - origin,
             out);
    }
  }
  out.center = origin;
  return out;
}

}  // namespace catena::view
