#include "catena/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <unordered_map>

#include "weld.hpp"

namespace catena {
namespace {

struct VertexKey {
  std::array<std::uint64_t, 3> bits;
  bool operator==(const VertexKey&) const = default;
};

struct VertexHash {
  size_t operator()(const VertexKey& key) const noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (const std::uint64_t b : key.bits) {
      h ^= b + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
      h *= 0xff51afd7ed558ccdu;
    }
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

// ad - bc without cancellation error: zero exactly if it is zero in exact arithmetic (barring
// underflow), by the error-free product of a fused multiply-add.
double determinant(double a, double b, double c, double d) {
  const double bc = b * c;
  const double error = std::fma(-b, c, bc);
  return std::fma(a, d, -bc) + error;
}

bool has_area(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d u = b - a, v = c - a;
  return determinant(u.x(), u.y(), v.x(), v.y()) != 0.0 ||
         determinant(u.y(), u.z(), v.y(), v.z()) != 0.0 ||
         determinant(u.z(), u.x(), v.z(), v.x()) != 0.0;
}

bool edges_balance(const TriangleMesh& mesh, const std::vector<int>& welded, bool with_area_only) {
  std::vector<std::pair<std::uint64_t, int>> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    if (with_area_only && !has_area(mesh.vertices[static_cast<size_t>(t[0])],
                                    mesh.vertices[static_cast<size_t>(t[1])],
                                    mesh.vertices[static_cast<size_t>(t[2])])) {
      continue;
    }
    for (size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::uint64_t>(welded[static_cast<size_t>(t[k])]);
      const auto j = static_cast<std::uint64_t>(welded[static_cast<size_t>(t[(k + 1) % 3])]);
      if (i == j) continue;  // an edge without length is its own opposite
      edges.emplace_back(i < j ? (i << 32 | j) : (j << 32 | i), i < j ? 1 : -1);
    }
  }
  if (edges.empty()) return false;
  std::sort(edges.begin(), edges.end());
  for (size_t k = 0; k < edges.size();) {
    int balance = 0;
    const std::uint64_t edge = edges[k].first;
    for (; k < edges.size() && edges[k].first == edge; ++k) balance += edges[k].second;
    if (balance != 0) return false;
  }
  return true;
}

}  // namespace

std::vector<int> internal::weld(const TriangleMesh& mesh) {
  std::unordered_map<VertexKey, int, VertexHash> seen;
  seen.reserve(mesh.vertices.size());
  std::vector<int> welded(mesh.vertices.size());
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    VertexKey key{};
    for (int k = 0; k < 3; ++k) {
      const double x = mesh.vertices[i][k] + 0.0;
      std::memcpy(&key.bits[static_cast<size_t>(k)], &x, sizeof x);
    }
    welded[i] = seen.emplace(key, static_cast<int>(i)).first->second;
  }
  return welded;
}

bool is_closed(const TriangleMesh& mesh) {
  const std::vector<int> welded = internal::weld(mesh);
  const bool any_area =
      std::any_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const auto& t) {
        return has_area(mesh.vertices[static_cast<size_t>(t[0])],
                        mesh.vertices[static_cast<size_t>(t[1])],
                        mesh.vertices[static_cast<size_t>(t[2])]);
      });
  return any_area && (edges_balance(mesh, welded, false) || edges_balance(mesh, welded, true));
}

std::vector<int> connected_components(const TriangleMesh& mesh) {
  const std::vector<int> welded = internal::weld(mesh);
  std::vector<int> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<size_t>(i)] != i) {
      root[static_cast<size_t>(i)] = root[static_cast<size_t>(root[static_cast<size_t>(i)])];
      i = root[static_cast<size_t>(i)];
    }
    return i;
  };
  for (const auto& t : mesh.triangles) {
    const int a = find(welded[static_cast<size_t>(t[0])]);
    for (size_t k = 1; k < 3; ++k) {
      root[static_cast<size_t>(find(welded[static_cast<size_t>(t[k])]))] = a;
    }
  }
  std::map<int, int> number;
  std::vector<int> component(mesh.triangles.size());
  for (size_t i = 0; i < mesh.triangles.size(); ++i) {
    const int r = find(welded[static_cast<size_t>(mesh.triangles[i][0])]);
    component[i] = number.emplace(r, static_cast<int>(number.size())).first->second;
  }
  return component;
}

}  // namespace catena
