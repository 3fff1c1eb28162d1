#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <Eigen/Geometry>

#include "workloads/random.hpp"

namespace catena::bench {

/// Six in three variables leave up to 11 in two, and these up to 14 in one.
constexpr size_t kMostHalfSpaces = 14;

/// The points x with normal . x <= offset.
template <int D>
struct HalfSpace {
  Eigen::Matrix<double, D, 1> normal;
  double offset;
};

/// The point farthest along `objective` that all half-spaces share with the box |x_k| <= bound_k;
/// false if there is none. The half-spaces are taken one by one: one that has the best point so far
/// needs no work, else the new best is on its plane, which is the same problem in a dimension less.
/// Expected O(size) if they come in random order.
/// Source [Seidel1991].
template <int D>
bool maximise(const Eigen::Matrix<double, D, 1>& objective, std::span<const HalfSpace<D>> all,
              const Eigen::Matrix<double, D, 1>& bound, Eigen::Matrix<double, D, 1>& x) {
  using Vector = Eigen::Matrix<double, D, 1>;
  constexpr double kTiny = 1e-12;
  if constexpr (D == 1) {
    double low = -bound[0], high = bound[0];
    for (const HalfSpace<1>& h : all) {
      const double n = h.normal[0];
      if (std::abs(n) < kTiny) {
        if (h.offset < -kTiny) return false;
      } else if (n > 0) {
        high = std::min(high, h.offset / n);
      } else {
        low = std::max(low, h.offset / n);
      }
    }
    if (low > high + kTiny) return false;
    x[0] = objective[0] > 0 ? high : low;
    return true;
  } else {
    for (int k = 0; k < D; ++k) x[k] = std::copysign(bound[k], objective[k]);
    for (size_t i = 0; i < all.size(); ++i) {
      const HalfSpace<D>& h = all[i];
      if (h.normal.dot(x) <= h.offset + kTiny) continue;
      const double length = h.normal.norm();
      if (length < kTiny) return false;
      const Vector n = h.normal / length, on = n * (h.offset / length);
      Eigen::Matrix<double, D, D - 1> plane;  // orthonormal columns
      plane.col(0) = n.unitOrthogonal();
      if constexpr (D == 3) plane.col(1) = n.cross(plane.col(0));
      // The box's faces and the half-spaces so far, cut with the plane.
      std::array<HalfSpace<D - 1>, kMostHalfSpaces> cuts;
      size_t size = 0;
      for (int k = 0; k < D; ++k) {
        const Eigen::Matrix<double, D - 1, 1> row = plane.row(k).transpose();
        cuts[size++] = {row, bound[k] - on[k]};
        cuts[size++] = {-row, bound[k] + on[k]};
      }
      for (const HalfSpace<D>& before : all.first(i)) {
        cuts[size++] = {plane.transpose() * before.normal, before.offset - before.normal.dot(on)};
      }
      Eigen::Matrix<double, D - 1, 1> y, all_of_it;
      all_of_it.setConstant(bound.norm());
      if (!maximise<D - 1>(plane.transpose() * objective, {cuts.data(), size}, all_of_it, y)) {
        return false;
      }
      x = on + plane * y;
    }
    return true;
  }
}

/// Do two boxes of half sizes a and b share no point? The axes of b are the columns of R, its
/// centre is at d, all in the frame of a.
inline bool boxes_share_no_point(const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                 const Eigen::Matrix3d& R, const Eigen::Vector3d& d,
                                 SplitMix64& random) {
  std::array<HalfSpace<3>, 6> faces;
  for (int k = 0; k < 3; ++k) {
    const double along = R.col(k).dot(d);
    faces[static_cast<size_t>(2 * k)] = {R.col(k), b[k] + along};
    faces[static_cast<size_t>(2 * k + 1)] = {-R.col(k), b[k] - along};
  }
  for (int i = 5; i > 0; --i) {
    std::swap(faces[static_cast<size_t>(i)], faces[static_cast<size_t>(random.below(i + 1))]);
  }
  Eigen::Vector3d x;
  return !maximise<3>(d, faces, a, x);
}

}  // namespace catena::bench
