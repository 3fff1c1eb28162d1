#include "point_in_solid.hpp"

#include <array>
#include <cmath>

namespace catena::internal {
namespace {

constexpr int kMaxDepth = 512;

// Fixed, unrelated directions: axis-aligned ones meet edges of most real meshes.
const std::array<Vector3d, 8>& directions() {
  static const std::array<Vector3d, 8> d{Vector3d(0.5773, 0.6211, 0.5301).normalized(),
                                         Vector3d(-0.8123, 0.3127, 0.4923).normalized(),
                                         Vector3d(0.1297, -0.9173, 0.3761).normalized(),
                                         Vector3d(0.2713, 0.1931, -0.9429).normalized(),
                                         Vector3d(-0.4127, -0.5519, -0.7247).normalized(),
                                         Vector3d(0.9311, -0.2203, -0.2909).normalized(),
                                         Vector3d(-0.3019, 0.8837, -0.3571).normalized(),
                                         Vector3d(0.0719, 0.3391, 0.9379).normalized()};
  return d;
}

enum class Crossing : std::int8_t { kNone = 0, kOut = 1, kIn = -1, kDoubtful = 2 };

// How the ray p + s d, s >= 0, meets a triangle whose corners, like p, are known to within `error`.
Crossing cross(const Vector3d& p, const Vector3d& d, const std::array<Vector3d, 3>& corners,
               double error) noexcept {
  std::array<Vector3d, 3> c;
  std::array<double, 3> length;
  bool all_behind = true;
  double size = p.norm();
  for (size_t i = 0; i < 3; ++i) size = std::max(size, corners[i].norm());
  // Each difference is off by the corners' and the point's errors and by its own rounding.
  const double e = 2.0 * error + 4 * kUnitRoundoff * size;
  for (size_t i = 0; i < 3; ++i) {
    c[i] = corners[i] - p;
    length[i] = c[i].norm() + e;
    all_behind = all_behind && c[i].dot(d) < -2.0 * (e + 8 * kUnitRoundoff * length[i]);
  }
  if (all_behind) return Crossing::kNone;
  std::array<double, 3> sign;
  bool positive = false, negative = false, doubtful = false;
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3;
    sign[i] = d.dot(c[i].cross(c[j]));
    const double doubt =
        2.0 * (e * (length[i] + length[j] + e) + 16 * kUnitRoundoff * length[i] * length[j]);
    if (sign[i] > doubt) {
      positive = true;
    } else if (sign[i] < -doubt) {
      negative = true;
    } else {
      doubtful = true;
    }
  }
  if (positive && negative) return Crossing::kNone;  // the line passes the triangle
  if (doubtful) return Crossing::kDoubtful;
  // The line crosses the triangle's inside; in front of p or behind? The volume of the corners seen
  // from p over the signs' sum is the parameter of the crossing.
  const double volume = c[0].dot(c[1].cross(c[2]));
  const double doubt =
      4.0 * (e * (length[0] * length[1] + length[1] * length[2] + length[2] * length[0] +
                  e * (length[0] + length[1] + length[2] + e)) +
             16 * kUnitRoundoff * length[0] * length[1] * length[2]);
  if (std::abs(volume) <= doubt) return Crossing::kDoubtful;
  const bool in_front = (volume > 0.0) == positive;
  if (!in_front) return Crossing::kNone;
  return positive ? Crossing::kOut : Crossing::kIn;
}

// Might the ray meet the box, thickened by `error`?
bool may_meet(const Vector3d& p, const Vector3d& d, const Obb& box, double error) noexcept {
  const Vector3d o = box.axes.transpose() * (p - box.center);
  const Vector3d v = box.axes.transpose() * d;
  const double slack = error + 1e-13 * (o.norm() + box.half.sum()) +
                       16 * kUnitRoundoff * (p.norm() + box.center.norm());
  double enter = 0.0, leave = kInfinity;
  for (int i = 0; i < 3; ++i) {
    const double h = box.half[i] + 2.0 * slack;
    if (std::abs(v[i]) < 1e-12) {
      // Nearly parallel: over the box's and the offset's extent the ray drifts by less than a
      // slack.
      if (std::abs(o[i]) > h + 1e-11 * (o.norm() + box.half.sum())) return false;
      continue;
    }
    const double s0 = (-h - o[i]) / v[i], s1 = (h - o[i]) / v[i];
    enter = std::max(enter, std::min(s0, s1) * (1.0 - 1e-12));
    leave = std::min(leave, std::max(s0, s1) * (1.0 + 1e-12));
  }
  return !(enter > leave * (1.0 + 1e-9) + 1e-9 * slack);
}

}  // namespace

Side point_in_solid(const Geometry& solid, const Vector3d& p_G, double error) noexcept {
  const auto nodes = solid.tree().nodes();
  {
    // Outside of the root box is outside of the solid.
    const Obb& root = nodes.front().box;
    const Vector3d o = root.axes.transpose() * (p_G - root.center);
    const double slack = error + 1e-13 * (o.norm() + root.half.sum()) +
                         16 * kUnitRoundoff * (p_G.norm() + root.center.norm());
    if (((o.cwiseAbs() - root.half).array() > 2.0 * slack).any()) return Side::kOutside;
  }
  const double mesh_error = solid.mesh().vertex_error;
  std::array<int, kMaxDepth> stack;
  for (const Vector3d& d : directions()) {
    int winding = 0;
    bool doubtful = false;
    int size = 0;
    stack[static_cast<size_t>(size++)] = 0;
    while (size > 0 && !doubtful) {
      const ObbTree::Node& node = nodes[static_cast<size_t>(stack[static_cast<size_t>(--size)])];
      if (!may_meet(p_G, d, node.box, error + mesh_error)) continue;
      if (node.left >= 0) {
        if (size + 2 > kMaxDepth) {
          doubtful = true;
          break;
        }
        stack[static_cast<size_t>(size++)] = node.left;
        stack[static_cast<size_t>(size++)] = node.right();
        continue;
      }
      const Crossing crossing =
          cross(p_G, d, solid.element(node.element).corners, error + mesh_error);
      if (crossing == Crossing::kDoubtful) {
        doubtful = true;
      } else {
        winding += static_cast<int>(crossing);
      }
    }
    if (!doubtful) return winding == 0 ? Side::kOutside : Side::kInside;
  }
  return Side::kUnknown;
}

}  // namespace catena::internal
