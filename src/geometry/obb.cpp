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
  // A half size counts only where the axis sees it, so that an infinite one spoils no other axis.
  const double sizes_a = ha.sum(), sizes_b = hb.sum();
  const auto slack_of = [&](double sizes) {
    return bound_above(t_slack + (c_slack + kAxesSlack) * sizes, 20);
  };

  Separation best;
  const Matrix3d absC = C.cwiseAbs();

  // The direction between the centres first: it separates nearly everything that is far apart.
  const double distance = t.norm();
  if (distance > 0.0) {
    const Vector3d n = t / distance;
    const double reach = ha.dot(n.cwiseAbs()) + hb.dot((C.transpose() * n).cwiseAbs());
    const double gap = distance - reach - 2.0 * slack_of(sizes_a + sizes_b);
    if (gap > best.gap) {  // no number proves nothing
      best.gap = gap;
      best.direction = a_F.axes * n;
    }
    if (best.gap > enough) return best;
  }

  int best_axis = -1;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::abs(t[i]) - ha[i] - hb.dot(absC.row(i)) - slack_of(ha[i] + sizes_b);
    if (gap > best.gap) {
      best.gap = gap;
      best_axis = i;
    }
  }
  const Vector3d t_in_b = C.transpose() * t;
  for (int j = 0; j < 3; ++j) {
    const double gap = std::abs(t_in_b[j]) - hb[j] - ha.dot(absC.col(j)) -
                       (slack_of(sizes_a + hb[j]) + c_slack * distance);
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
      const double sizes = ha[i1] + ha[i2] + hb[j1] + hb[j2];
      const double edge_slack = slack_of(sizes) + 2.0 * c_slack * (distance + sizes);
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

bool may_overlap(const Obb& a_F, const Obb& b_G, const RigidEnclosure& X_FG,
                 double clearance) noexcept {
  const Vector3d& ha = a_F.half;
  const Vector3d& hb = b_G.half;
  const Vector3d p_FB = X_FG.X * b_G.center;
  const Vector3d t = a_F.axes.transpose() * (p_FB - a_F.center);
  const Matrix3d C = a_F.axes.transpose() * (X_FG.X.R * b_G.axes);
  const Matrix3d absC = C.cwiseAbs();

  // The slacks of `separate`, with sums of absolute values in place of norms, which they bound.
  const double size_t_F = t.lpNorm<1>();
  const double center_b = b_G.center.lpNorm<1>();
  const double c_slack = X_FG.rotation_error + kAxesSlack;
  const double t_slack =
      X_FG.position_error + X_FG.rotation_error * center_b +
      32 * kUnitRoundoff * (X_FG.X.p.lpNorm<1>() + center_b + a_F.center.lpNorm<1>()) +
      2.0 * c_slack * size_t_F;
  const double base = bound_above(t_slack, 40) + clearance * (1.0 + 1e-12);
  const double per_size = 4.0 * c_slack;

  // Written so that no number (an infinite size times zero) separates nothing.
  const double sizes_a = ha.sum(), sizes_b = hb.sum();
  const double face = base + per_size * sizes_b;
  for (int i = 0; i < 3; ++i) {
    const double reach = ha[i] + hb[0] * absC(i, 0) + hb[1] * absC(i, 1) + hb[2] * absC(i, 2);
    if (std::abs(t[i]) > reach + (face + per_size * ha[i])) return false;
  }
  const double face_b = base + per_size * sizes_a;
  for (int j = 0; j < 3; ++j) {
    const double along = t[0] * C(0, j) + t[1] * C(1, j) + t[2] * C(2, j);
    const double reach = hb[j] + ha[0] * absC(0, j) + ha[1] * absC(1, j) + ha[2] * absC(2, j);
    if (std::abs(along) > reach + (face_b + per_size * hb[j])) return false;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      // The axis e_i x C_j is at most a rounding longer than 1, so it is not normalised: that would
      // only help where it is so short that a face axis separates as well.
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double along = t[i2] * C(i1, j) - t[i1] * C(i2, j);
      const double reach =
          ha[i1] * absC(i2, j) + ha[i2] * absC(i1, j) + hb[j1] * absC(i, j2) + hb[j2] * absC(i, j1);
      const double slack = base + per_size * (ha[i1] + ha[i2] + hb[j1] + hb[j2]);
      if (std::abs(along) > reach + slack) return false;
    }
  }
  return true;
}

}  // namespace catena
