// Kinematics in 50 digits, beside which roundings of doubles can be measured.
#pragma once

#include <algorithm>

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "math/rigid_taylor.hpp"
#include "soundness/linear.hpp"

namespace catena::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;
using Vec50 = oracle::Vec<Digits50>;
using Mat50 = oracle::Mat<Digits50>;
using Pose50 = oracle::Pose<Digits50>;

inline Vec50 vec50(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

inline Mat50 mat50(const Matrix3d& m) {
  return {vec50(m.col(0)), vec50(m.col(1)), vec50(m.col(2))};
}

/// The largest stretch of a - b, by power iteration: a lower bound of the 2-norm that is all but
/// exact. Only the difference takes 50 digits.
inline double rotation_distance(const Mat50& a, const Mat50& b) {
  const auto rounded = [](const Vec50& v) {
    return Vector3d(static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z));
  };
  Matrix3d d;
  d << rounded(a.ex - b.ex), rounded(a.ey - b.ey), rounded(a.ez - b.ez);
  double best = 0.0;
  for (Vector3d v : {Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1), Vector3d(1, 1, 1)}) {
    for (int i = 0; i < 12; ++i) {
      const double n = v.norm();
      if (n == 0.0) break;
      const Vector3d w = d * (v / n);
      best = std::max(best, w.norm());
      v = d.transpose() * w;
    }
  }
  return best;
}

/// What a model's polynomials say at u of its span.
template <int Order>
Pose50 value(const internal::RigidTaylor<Order>& X, const Digits50& u) {
  Pose50 at{Mat50{Vec50{}, Vec50{}, Vec50{}}, Vec50{}};
  Digits50 power = 1;
  for (int k = 0; k <= (X.moves ? Order : 0); ++k) {
    const auto column = [&](const double* c) { return power * Vec50{c[0], c[1], c[2]}; };
    at.R.ex = at.R.ex + column(X.R[k][0]);
    at.R.ey = at.R.ey + column(X.R[k][1]);
    at.R.ez = at.R.ez + column(X.R[k][2]);
    at.p = at.p + column(X.p[k]);
    power *= u;
  }
  return at;
}

}  // namespace catena::test
