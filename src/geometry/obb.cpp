#include "catena/geometry/obb.hpp"

#include <cmath>

namespace catena {
namespace {

// A box's stored axes are orthonormal to 1e-14, so lengths along them are known to this factor.
constexpr double kAxesSlack = 1e-13;
// Below this sine squared, two edges count as parallel: their cross product is mostly rounding,
// and the face axes separate such boxes as well.
constexpr double kParallel = 1e-6;

}  // namespace

Separation separate(const Obb& a_F, const Obb& b_G, const RigidEnclosure& X_FG,
                    double enough) noexcept {
  const Matrix3d R_FB = X_FG.X.R * b_G.axes;
  const Matrix3d C = a_F.axes.transpose() * R_FB;  // axes of b in the axes of a
  const Vector3d p_FB = X_FG.X * b_G.center;
  const Vector3d t = a_F.axes.transpose() * (p_FB - a_F.center);
  const Vector3d& ha = a_F.half;
  const Vector3d& hb = b_G.half;

  // Slacks (docs/rigor.md, R3): of the centre distance, and of an entry of C.
  const double center_b = b_G.center.norm();
  const double t_slack = X_FG.position_error + X_FG.rotation_error * center_b +
                         32 * kUnitRoundoff * (X_FG.X.p.norm() + center_b + a_F.center.norm()) +
                         kAxesSlack * t.norm();
  const double c_slack = X_FG.rotation_error + kAxesSlack;
  const double sizes = ha.sum() + hb.sum();
  const double slack = bound_above(t_slack + (c_slack + kAxesSlack) * sizes, 20);

  Separation best;
  const Matrix3d absC = C.cwiseAbs();

  // The direction between the centres first: it separates nearly everything that is far apart.
  const double distance = t.norm();
  if (distance > 0.0) {
    const Vector3d n = t / distance;
    const double reach = ha.dot(n.cwiseAbs()) + hb.dot((C.transpose() * n).cwiseAbs());
    best.gap = distance - reach - 2.0 * slack;
    best.direction = a_F.axes * n;
    if (best.gap > enough) return best;
  }

  int best_axis = -1;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::abs(t[i]) - ha[i] - hb.dot(absC.row(i)) - slack;
    if (gap > best.gap) {
      best.gap = gap;
      best_axis = i;
    }
  }
  const Vector3d t_in_b = C.transpose() * t;
  const double b_slack = slack + c_slack * distance;
  for (int j = 0; j < 3; ++j) {
    const double gap = std::abs(t_in_b[j]) - hb[j] - ha.dot(absC.col(j)) - b_slack;
    if (gap > best.gap) {
      best.gap = gap;
      best_axis = 3 + j;
    }
  }
  if (best_axis >= 3) {
    const int j = best_axis - 3;
    best.direction = t_in_b[j] < 0.0 ? Vector3d(-R_FB.col(j)) : Vector3d(R_FB.col(j));
  } else if (best_axis >= 0) {
    best.direction =
        t[best_axis] < 0.0 ? Vector3d(-a_F.axes.col(best_axis)) : Vector3d(a_F.axes.col(best_axis));
  }
  if (best.gap > enough) return best;

  const double edge_slack = slack + 2.0 * c_slack * (distance + sizes);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      // e_i x C_j in the axes of a.
      const double n1 = -C(i2, j), n2 = C(i1, j);
      const double length2 = n1 * n1 + n2 * n2;
      if (length2 < kParallel) continue;
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double along = t[i1] * n1 + t[i2] * n2;
      const double reach = ha[i1] * std::abs(n1) + ha[i2] * std::abs(n2) + hb[j1] * absC(i, j2) +
                           hb[j2] * absC(i, j1);
      const double length = std::sqrt(length2);
      const double gap = (std::abs(along) - reach - edge_slack) / length;
      if (gap > best.gap) {
        best.gap = gap;
        Vector3d n = Vector3d::Zero();
        n[i1] = along < 0.0 ? -n1 / length : n1 / length;
        n[i2] = along < 0.0 ? -n2 / length : n2 / length;
        best.direction = a_F.axes * n;
      }
    }
  }
  return best;
}

}  // namespace catena
