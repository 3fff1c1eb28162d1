#include "catena/geometry/triangle_pair.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "catena/math/rounding.hpp"

namespace catena {
namespace {

// The sign of a determinant where it is beyond `doubt`, else 0. No number has none.
int sign_of(double determinant, double doubt) noexcept {
  return determinant > doubt ? 1 : determinant < -doubt ? -1 : 0;
}

}  // namespace

Meeting triangles_meet(const std::array<Vector3d, 3>& a, const std::array<Vector3d, 3>& b,
                       double corner_error) noexcept {
  // Columns of every determinant are differences of corners, at most `size` long, each off by
  // `error`; so the determinant is off by less than (size + error)^3 - size^3, and its own rounding
  // is below 16 u size^3.
  double radius2 = 0.0;
  for (size_t i = 0; i < 3; ++i) {
    radius2 = std::max({radius2, (a[i] - a[0]).squaredNorm(), (b[i] - a[0]).squaredNorm()});
  }
  const double size = bound_above(2.0 * std::sqrt(radius2), 10);
  const double error = 2.0 * corner_error + 2 * kUnitRoundoff * size;
  const double doubt = bound_above(
      3.0 * error * (size + error) * (size + error) + 16 * kUnitRoundoff * size * size * size, 20);

  std::array<int, 3> side_b, side_a;  // of b's corners from a's plane, and the other way round
  const Vector3d normal_a = (a[1] - a[0]).cross(a[2] - a[0]);
  for (size_t j = 0; j < 3; ++j) side_b[j] = sign_of(normal_a.dot(b[j] - a[0]), doubt);
  if (side_b[0] != 0 && side_b[0] == side_b[1] && side_b[1] == side_b[2]) return Meeting::kApart;
  const Vector3d normal_b = (b[1] - b[0]).cross(b[2] - b[0]);
  for (size_t i = 0; i < 3; ++i) side_a[i] = sign_of(normal_b.dot(a[i] - b[0]), doubt);
  if (side_a[0] != 0 && side_a[0] == side_a[1] && side_a[1] == side_a[2]) return Meeting::kApart;

  // On which side edge i of a passes edge j of b. A line passes a triangle where two of its edges
  // lie on different sides, and goes through it where all lie on the same.
  std::array<std::array<int, 3>, 3> passes;
  for (size_t i = 0; i < 3; ++i) {
    const Vector3d& from = a[i];
    const Vector3d along = a[(i + 1) % 3] - from;
    std::array<Vector3d, 3> to;
    for (size_t j = 0; j < 3; ++j) to[j] = b[j] - from;
    for (size_t j = 0; j < 3; ++j) {
      passes[i][j] = sign_of(along.dot(to[j].cross(to[(j + 1) % 3])), doubt);
    }
  }
  bool all_miss = true;
  const auto look = [&](const std::array<int, 3>& side, size_t i, const std::array<int, 3>& pass) {
    const int from = side[i], to = side[(i + 1) % 3];
    if (from * to > 0) return false;  // the edge stays on one side of the plane
    const bool left = pass[0] > 0 || pass[1] > 0 || pass[2] > 0;
    const bool right = pass[0] < 0 || pass[1] < 0 || pass[2] < 0;
    if (from * to < 0) {
      if (left && right) return false;
      if (pass[0] != 0 && pass[0] == pass[1] && pass[1] == pass[2]) return true;
    }
    all_miss = false;
    return false;
  };
  for (size_t i = 0; i < 3; ++i) {
    if (look(side_a, i, passes[i])) return Meeting::kMeet;
    if (look(side_b, i, {passes[0][i], passes[1][i], passes[2][i]})) return Meeting::kMeet;
  }
  // Triangles that meet do so on an edge of one of them.
  return all_miss ? Meeting::kApart : Meeting::kUnknown;
}

}  // namespace catena
