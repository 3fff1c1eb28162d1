#include "capsule_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <Eigen/Geometry>

namespace catena::bench {

CapsuleReference::CapsuleReference(const Triangles& scene) {
  for (const auto& [i, j, k] : scene.indices) {
    triangles_.push_back({scene.vertices[i], scene.vertices[j], scene.vertices[k]});
  }
  nodes_.resize(1);
  build(0, 0, static_cast<int>(triangles_.size()));
}

void CapsuleReference::build(int node, int first, int count) {
  const auto begin = triangles_.begin() + first, end = begin + count;
  Box box{(*begin)[0], (*begin)[0]};
  for (auto t = begin; t != end; ++t) {
    for (const Vector3d& p : *t) {
      box.low = box.low.cwiseMin(p);
      box.high = box.high.cwiseMax(p);
    }
  }
  nodes_[node] = {box, -1, first, count};
  if (count <= 4) return;
  int axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  const auto key = [axis](const Triangle& t) { return t[0][axis] + t[1][axis] + t[2][axis]; };
  std::nth_element(begin, begin + count / 2, end,
                   [&](const Triangle& s, const Triangle& t) { return key(s) < key(t); });
  const int left = static_cast<int>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node].left = left;
  build(left, first, count / 2);
  build(left + 1, first + count / 2, count - count / 2);
}

double CapsuleReference::squared_distance(const Segment& s, const Segment& t) {
  const Vector3d d1 = s.b - s.a, d2 = t.b - t.a, r = s.a - t.a;
  const double a = d1.squaredNorm(), e = d2.squaredNorm(), f = d2.dot(r);
  const auto clamp = [](double x) { return std::clamp(x, 0.0, 1.0); };
  double on_s = 0, on_t = 0;
  if (a <= 1e-30) {
    on_t = e > 1e-30 ? clamp(f / e) : 0;
  } else if (e <= 1e-30) {
    on_s = clamp(-d1.dot(r) / a);
  } else {
    const double b = d1.dot(d2), c = d1.dot(r), denominator = a * e - b * b;
    on_s = denominator > 1e-12 * a * e ? clamp((b * f - c * e) / denominator) : 0;
    on_t = (b * on_s + f) / e;
    if (on_t < 0) {
      on_t = 0;
      on_s = clamp(-c / a);
    } else if (on_t > 1) {
      on_t = 1;
      on_s = clamp((b - c) / a);
    }
  }
  return ((s.a + on_s * d1) - (t.a + on_t * d2)).squaredNorm();
}

double CapsuleReference::squared_distance(const Segment& s, const Triangle& t) {
  const Vector3d &a = t[0], &b = t[1], &c = t[2];
  double best = std::min({squared_distance(s, Segment{a, b}), squared_distance(s, Segment{b, c}),
                          squared_distance(s, Segment{c, a})});
  const Vector3d n = (b - a).cross(c - a);
  const double nn = n.squaredNorm();
  if (nn <= 1e-30) return best;  // its edges are all of it
  const Vector3d in_ab = n.cross(b - a), in_bc = n.cross(c - b), in_ca = n.cross(a - c);
  const auto above = [&](const Vector3d& p) {  // within the prism over the triangle
    return in_ab.dot(p - a) >= 0 && in_bc.dot(p - b) >= 0 && in_ca.dot(p - c) >= 0;
  };
  const double from = n.dot(s.a - a), to = n.dot(s.b - a);
  if (from * to <= 0 && from != to && above(s.a + from / (from - to) * (s.b - s.a))) return 0;
  if (above(s.a)) best = std::min(best, from * from / nn);
  if (above(s.b)) best = std::min(best, to * to / nn);
  return best;
}

bool CapsuleReference::is_free(const Snake& snake, const std::vector<RigidTransform>& X_WL) {
  axes_.clear();
  for (const RigidTransform& X : X_WL) axes_.push_back({X.p, snake.tip(X)});
  for (const Segment& axis : axes_) {
    if (hits_scene(axis, snake.radius)) return false;
  }
  return !hits_itself(snake.radius, snake.length);
}

double CapsuleReference::clearance(const Segment& axis, double radius, double limit) const {
  const Vector3d low = axis.a.cwiseMin(axis.b), high = axis.a.cwiseMax(axis.b);
  const double most = (limit + radius) * (limit + radius);
  double best = most;
  struct Entry {
    int node;
    double gap;
  };
  Entry stack[64];
  int depth = 0;
  stack[depth++] = {0, squared_gap(0, low, high)};
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.gap >= best) continue;
    const Node& node = nodes_[entry.node];
    if (node.left < 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        best = std::min(best, squared_distance(axis, triangles_[i]));
      }
      continue;
    }
    Entry near{node.left, squared_gap(node.left, low, high)};
    Entry far{node.left + 1, squared_gap(node.left + 1, low, high)};
    if (far.gap < near.gap) std::swap(near, far);
    stack[depth++] = far;
    stack[depth++] = near;
  }
  return best < most ? std::sqrt(best) - radius : std::numeric_limits<double>::infinity();
}

double CapsuleReference::clearance(const Segment& s, const Segment& t, double radius) {
  return std::sqrt(squared_distance(s, t)) - 2 * radius;
}

double CapsuleReference::squared_gap(int node, const Vector3d& low, const Vector3d& high) const {
  const Box& box = nodes_[node].box;
  return (low - box.high).cwiseMax(box.low - high).cwiseMax(0.0).squaredNorm();
}

bool CapsuleReference::hits_scene(const Segment& axis, double radius) const {
  const Vector3d low = axis.a.cwiseMin(axis.b), high = axis.a.cwiseMax(axis.b);
  const double limit = radius * radius;
  int stack[64], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int here = stack[--depth];
    if (squared_gap(here, low, high) >= limit) continue;
    const Node& node = nodes_[here];
    if (node.left >= 0) {
      stack[depth++] = node.left;
      stack[depth++] = node.left + 1;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      if (squared_distance(axis, triangles_[i]) < limit) return true;
    }
  }
  return false;
}

bool CapsuleReference::hits_itself(double radius, double length) {
  const int n = static_cast<int>(axes_.size());
  const double limit = 4 * radius * radius;
  if (n <= 32) {
    for (int i = 0; i < n; ++i) {
      for (int j = i + 2; j < n; ++j) {
        if (squared_distance(axes_[i], axes_[j]) < limit) return true;
      }
    }
    return false;
  }
  // A cell is as long as the middles of two links that touch can be apart.
  const double inverse_cell = 1 / (length + 2 * radius);
  std::uint32_t slots = 1;
  while (slots < 4 * static_cast<std::uint32_t>(n)) slots *= 2;
  head_.assign(slots, -1);
  next_.assign(n, -1);
  const auto slot = [slots](int x, int y, int z) {
    return (static_cast<std::uint32_t>(x) * 73856093u ^ static_cast<std::uint32_t>(y) * 19349663u ^
            static_cast<std::uint32_t>(z) * 83492791u) &
           (slots - 1);
  };
  for (int i = 0; i < n; ++i) {
    const Vector3d middle = 0.5 * inverse_cell * (axes_[i].a + axes_[i].b);
    const int x = static_cast<int>(std::floor(middle.x()));
    const int y = static_cast<int>(std::floor(middle.y()));
    const int z = static_cast<int>(std::floor(middle.z()));
    for (int cell = 0; cell < 27; ++cell) {
      int j = head_[slot(x + cell % 3 - 1, y + cell / 3 % 3 - 1, z + cell / 9 - 1)];
      for (; j >= 0; j = next_[j]) {
        if (i - j >= 2 && squared_distance(axes_[i], axes_[j]) < limit) return true;
      }
    }
    const std::uint32_t here = slot(x, y, z);
    next_[i] = head_[here];
    head_[here] = i;
  }
  return false;
}

}  // namespace catena::bench
