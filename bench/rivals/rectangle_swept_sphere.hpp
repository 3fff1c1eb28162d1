#pragma once

#include <fcl/math/bv/RSS.h>

#include "node_volumes.hpp"

namespace catena::bench {

/// What is within radius of a rectangle (RSS): centre +- half.x * axes.col(0) +- half.y *
/// axes.col(1). The distance of two rectangles is FCL's, which has that of [Larsen2000]'s authors.
struct RectangleSweptSphere {
  Matrix3d axes;
  Vector3d centre;
  Eigen::Vector2d half;
  double radius;

  static RectangleSweptSphere of_sphere(double radius) {
    return {Matrix3d::Identity(), Vector3d::Zero(), Eigen::Vector2d::Zero(), radius};
  }
  static RectangleSweptSphere merged(const RectangleSweptSphere& a, const RectangleSweptSphere& b_B,
                                     const RigidTransform& X_AB) {
    return least_fit(a, {X_AB.R * b_B.axes, X_AB * b_B.centre, b_B.half, b_B.radius});
  }
  static double gap(const RectangleSweptSphere& a, const RectangleSweptSphere& b_B,
                    const RigidTransform& X_AB, double) {
    const Matrix3d R = a.axes.transpose() * (X_AB.R * b_B.axes);
    Vector3d d = a.axes.transpose() * (X_AB * b_B.centre - a.centre);  // then between corners
    d += R.leftCols<2>() * -b_B.half;
    d.head<2>() += a.half;
    const double sides_a[2] = {2 * a.half.x(), 2 * a.half.y()};
    const double sides_b[2] = {2 * b_B.half.x(), 2 * b_B.half.y()};
    return fcl::rectDistance<double>(R, d, sides_a, sides_b) - a.radius - b_B.radius;
  }
  static bool apart(const RectangleSweptSphere& a, const RectangleSweptSphere& b_B,
                    const RigidTransform& X_AB) {
    return gap(a, b_B, X_AB, INFINITY) > kMargin;
  }

  Matrix3d spread() const {
    return axes * Vector3d(half.x() + radius, half.y() + radius, radius).asDiagonal();
  }
  double volume() const {
    const double pi = 3.14159265358979323846;
    return radius *
           (8.0 * half.prod() + radius * (2.0 * pi * half.sum() + 4.0 / 3.0 * pi * radius));
  }
  static RectangleSweptSphere fit(const Matrix3d& axes, const RectangleSweptSphere& a,
                                  const RectangleSweptSphere& b) {
    std::array<Vector3d, 8> corners;
    std::array<double, 8> radii, slack;
    size_t n = 0;
    for (const RectangleSweptSphere* part : {&a, &b}) {
      const Vector3d c = axes.transpose() * part->centre;
      const Vector3d x = axes.transpose() * (part->half.x() * part->axes.col(0));
      const Vector3d y = axes.transpose() * (part->half.y() * part->axes.col(1));
      for (const Vector3d& corner :
           {Vector3d(c - x - y), Vector3d(c - x + y), Vector3d(c + x - y), Vector3d(c + x + y)}) {
        corners[n] = corner;
        radii[n++] = part->radius;
      }
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 8; ++i) {
      low = std::min(low, corners[i].z() - radii[i]);
      high = std::max(high, corners[i].z() + radii[i]);
    }
    const double middle = 0.5 * (low + high), radius = 0.5 * (high - low);
    CoreInterval x, y;
    for (size_t i = 0; i < 8; ++i) {
      const double room = radius - radii[i], off = corners[i].z() - middle;
      slack[i] = std::sqrt(std::max(0.0, room * room - off * off));
      x.cover(corners[i].x(), slack[i]);
      y.cover(corners[i].y(), slack[i]);
    }
    x.close();
    y.close();
    // A corner that is near enough in x and in y may be too far in both: pull the core's towards
    // it.
    for (size_t i = 0; i < 8; ++i) {
      const double ex = corners[i].x() - std::clamp(corners[i].x(), x.low, x.high);
      const double ey = corners[i].y() - std::clamp(corners[i].y(), y.low, y.high);
      const double far = std::sqrt(ex * ex + ey * ey);
      if (far <= slack[i]) continue;
      const double pull = 1.0 - slack[i] / far;
      (ex < 0 ? x.low : x.high) += pull * ex;
      (ey < 0 ? y.low : y.high) += pull * ey;
    }
    return {axes,
            axes * Vector3d(0.5 * (x.low + x.high), 0.5 * (y.low + y.high), middle),
            {0.5 * (x.high - x.low), 0.5 * (y.high - y.low)},
            radius};
  }
};

}  // namespace catena::bench
