#pragma once

#include <algorithm>
#include <cmath>

#include "catena/math/rigid_transform.hpp"

namespace catena::bench {

/// The separating axis test of [Gottschalk1996] on two boxes of half sizes a and b, the centre of b
/// at d, its axes the columns of R, all in the frame of a. True: they are separated.
inline bool boxes_separated(const Vector3d& a, const Vector3d& b, const Matrix3d& R,
                            const Vector3d& d) {
  // The margin keeps an edge pair that is parallel but for rounding from separating what touches.
  const Matrix3d Q = R.cwiseAbs().array() + 1e-12;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(d[i]) > a[i] + Q(i, 0) * b[0] + Q(i, 1) * b[1] + Q(i, 2) * b[2]) return true;
  }
  for (int j = 0; j < 3; ++j) {
    const double along = d[0] * R(0, j) + d[1] * R(1, j) + d[2] * R(2, j);
    if (std::abs(along) > b[j] + Q(0, j) * a[0] + Q(1, j) * a[1] + Q(2, j) * a[2]) return true;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      if (std::abs(d[i2] * R(i1, j) - d[i1] * R(i2, j)) >
          a[i1] * Q(i2, j) + a[i2] * Q(i1, j) + b[j1] * Q(i, j2) + b[j2] * Q(i, j1)) {
        return true;
      }
    }
  }
  return false;
}

/// The widest gap that those axes, or the line of centres, show; at most the distance of the boxes.
/// The search ends with a gap of `enough`.
inline double boxes_gap(const Vector3d& a, const Vector3d& b, const Matrix3d& R, const Vector3d& d,
                        double enough) {
  const Matrix3d Q = R.cwiseAbs();
  double gap = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    gap = std::max(gap, std::abs(d[i]) - a[i] - Q.row(i).dot(b));
    gap = std::max(gap, std::abs(R.col(i).dot(d)) - b[i] - Q.col(i).dot(a));
  }
  if (gap >= enough) return gap;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double square = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (square < 1e-6) continue;  // parallel: a face's normal tells as much
      const double along = std::abs(d[i2] * R(i1, j) - d[i1] * R(i2, j));
      const double reach =
          a[i1] * Q(i2, j) + a[i2] * Q(i1, j) + b[j1] * Q(i, j2) + b[j2] * Q(i, j1);
      // Most axes show less than the best so far, and need no root.
      if (along - reach > gap * std::sqrt(square)) gap = (along - reach) / std::sqrt(square);
    }
  }
  const double far = d.norm();
  if (far > 0) {
    const Vector3d n = d / far;
    gap = std::max(gap, far - n.cwiseAbs().dot(a) - (R.transpose() * n).cwiseAbs().dot(b));
  }
  return gap;
}

}  // namespace catena::bench
