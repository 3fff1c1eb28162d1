#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace catena {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A rigid motion, X_AB: it maps coordinates of frame B to coordinates of frame A.
struct RigidTransform {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();

  RigidTransform operator*(const RigidTransform& X_BC) const noexcept {
    return {R * X_BC.R, R * X_BC.p + p};
  }
  Vector3d operator*(const Vector3d& p_BQ) const noexcept { return R * p_BQ + p; }
  RigidTransform inverse() const noexcept { return {R.transpose(), -(R.transpose() * p)}; }
};

}  // namespace catena
