#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "oriented_box.hpp"

// What a node of a chain tree may be bounded by. Each volume here has the same four functions:
//
//   of_sphere(r)          a ball about the origin;
//   merged(a, b, X)       contains both, in the frame of a; X maps b's frame to it. O(1): what the
//                         children hold is not looked at, only their volumes;
//   gap(a, b, X, enough)  at most the distance of the two; negative where they overlap. One
//                         that is at least enough need not be the best;
//   apart(a, b, X)        gap > 0, found sooner where that can be.
//
// Doubles, not proofs; but apart keeps a margin far above the rounding of the workloads.
namespace catena::bench {

constexpr double kMargin = 1e-9;

/// Orthonormal columns, from the widest spread to the least.
inline Matrix3d principal_axes(const Matrix3d& covariance) {
  const Matrix3d V =
      Eigen::SelfAdjointEigenSolver<Matrix3d>().computeDirect(covariance).eigenvectors();
  // The direct method's vectors are inexact where eigenvalues meet.
  const Vector3d x = V.col(2).normalized();
  Vector3d y = V.col(1) - x.dot(V.col(1)) * x;
  y = y.squaredNorm() > 0.1 ? y.normalized() : x.unitOrthogonal();
  Matrix3d R;
  R << x, y, x.cross(y);
  return R;
}

/// The best of the fits along the principal axes of both, and along the axes that each has.
template <class Volume>
Volume least_fit(const Volume& a, const Volume& b) {
  const Vector3d d = b.centre - a.centre;
  const Matrix3d Ha = a.spread(), Hb = b.spread();
  Volume best = Volume::fit(
      principal_axes(Ha * Ha.transpose() + Hb * Hb.transpose() + 0.5 * d * d.transpose()), a, b);
  for (const Matrix3d& axes : {a.axes, b.axes}) {
    const Volume other = Volume::fit(axes, a, b);
    if (other.volume() < best.volume()) best = other;
  }
  return best;
}

struct Ball {
  Vector3d centre;
  double radius;

  static Ball of_sphere(double radius) { return {Vector3d::Zero(), radius}; }
  static Ball merged(const Ball& a, const Ball& b_B, const RigidTransform& X_AB) {
    const Vector3d d = X_AB * b_B.centre - a.centre;
    const double far = d.norm();
    if (far + b_B.radius <= a.radius) return a;
    if (far + a.radius <= b_B.radius) return {a.centre + d, b_B.radius};
    const double radius = 0.5 * (far + a.radius + b_B.radius);
    return {a.centre + ((radius - a.radius) / far) * d, radius};
  }
  static double gap(const Ball& a, const Ball& b_B, const RigidTransform& X_AB, double) {
    return (X_AB * b_B.centre - a.centre).norm() - a.radius - b_B.radius;
  }
  static bool apart(const Ball& a, const Ball& b_B, const RigidTransform& X_AB) {
    const double reach = a.radius + b_B.radius + kMargin;
    return (X_AB * b_B.centre - a.centre).squaredNorm() > reach * reach;
  }
};

/// A box along the axes of the frame it is in.
struct FrameBox {
  Vector3d centre, half;

  static FrameBox of_sphere(double radius) {
    return {Vector3d::Zero(), Vector3d::Constant(radius)};
  }
  static FrameBox merged(const FrameBox& a, const FrameBox& b_B, const RigidTransform& X_AB) {
    const Vector3d centre = X_AB * b_B.centre;
    const Vector3d half = X_AB.R.cwiseAbs() * b_B.half;
    const Vector3d low = (a.centre - a.half).cwiseMin(centre - half);
    const Vector3d high = (a.centre + a.half).cwiseMax(centre + half);
    return {0.5 * (low + high), 0.5 * (high - low)};
  }
  static double gap(const FrameBox& a, const FrameBox& b_B, const RigidTransform& X_AB,
                    double enough) {
    return boxes_gap(a.half, b_B.half, X_AB.R, X_AB * b_B.centre - a.centre, enough);
  }
  static bool apart(const FrameBox& a, const FrameBox& b_B, const RigidTransform& X_AB) {
    return boxes_separated(a.half, b_B.half, X_AB.R, X_AB * b_B.centre - a.centre);
  }
};

/// A box with axes of its own (OBB). Made of balls of one radius, it holds their centres that much
/// inside its faces; so that turning a child's box into other axes does not turn cubes about balls.
struct OrientedBox {
  Matrix3d axes;
  Vector3d centre, half;
  double radius;

  static OrientedBox of_sphere(double radius) {
    return {Matrix3d::Identity(), Vector3d::Zero(), Vector3d::Constant(radius), radius};
  }
  static OrientedBox merged(const OrientedBox& a, const OrientedBox& b_B,
                            const RigidTransform& X_AB) {
    return least_fit(a, {X_AB.R * b_B.axes, X_AB * b_B.centre, b_B.half, b_B.radius});
  }
  static double gap(const OrientedBox& a, const OrientedBox& b_B, const RigidTransform& X_AB,
                    double enough) {
    return boxes_gap(a.half, b_B.half, a.axes.transpose() * (X_AB.R * b_B.axes),
                     a.axes.transpose() * (X_AB * b_B.centre - a.centre), enough);
  }
  static bool apart(const OrientedBox& a, const OrientedBox& b_B, const RigidTransform& X_AB) {
    return boxes_separated(a.half, b_B.half, a.axes.transpose() * (X_AB.R * b_B.axes),
                           a.axes.transpose() * (X_AB * b_B.centre - a.centre));
  }

  Matrix3d spread() const { return axes * half.asDiagonal(); }
  double volume() const { return half.prod(); }
  static OrientedBox fit(const Matrix3d& axes, const OrientedBox& a, const OrientedBox& b) {
    Vector3d low = Vector3d::Constant(INFINITY), high = -low;
    for (const OrientedBox* part : {&a, &b}) {
      const Vector3d centre = axes.transpose() * part->centre;
      const Vector3d core = (part->half.array() - part->radius).matrix();
      const Vector3d half = (axes.transpose() * part->axes).cwiseAbs() * core;
      low = low.cwiseMin(centre - half);
      high = high.cwiseMax(centre + half);
    }
    return {axes, axes * (0.5 * (low + high)), (0.5 * (high - low)).array() + a.radius, a.radius};
  }
};

/// A ball, and a box that is looked at where the balls overlap.
struct BallAndBox {
  Ball ball;
  OrientedBox box;

  static BallAndBox of_sphere(double radius) {
    return {Ball::of_sphere(radius), OrientedBox::of_sphere(radius)};
  }
  static BallAndBox merged(const BallAndBox& a, const BallAndBox& b_B, const RigidTransform& X_AB) {
    return {Ball::merged(a.ball, b_B.ball, X_AB), OrientedBox::merged(a.box, b_B.box, X_AB)};
  }
  static double gap(const BallAndBox& a, const BallAndBox& b_B, const RigidTransform& X_AB,
                    double enough) {
    const double balls = Ball::gap(a.ball, b_B.ball, X_AB, enough);
    if (balls >= enough) return balls;
    return std::max(balls, OrientedBox::gap(a.box, b_B.box, X_AB, enough));
  }
  static bool apart(const BallAndBox& a, const BallAndBox& b_B, const RigidTransform& X_AB) {
    return Ball::apart(a.ball, b_B.ball, X_AB) || OrientedBox::apart(a.box, b_B.box, X_AB);
  }
};

/// The shortest interval that comes within slack of t, for each (t, slack) covered.
struct CoreInterval {
  double low = INFINITY, high = -INFINITY;

  void cover(double t, double slack) {
    low = std::min(low, t + slack);
    high = std::max(high, t - slack);
  }
  /// After the last; one point may do for all.
  void close() {
    if (low > high) low = high = 0.5 * (low + high);
  }
};

/// What is within radius of a segment (LSS): centre +- half * axes.col(0). A capsule.
struct LineSweptSphere {
  Matrix3d axes;
  Vector3d centre;
  double half, radius;

  static LineSweptSphere of_sphere(double radius) {
    return {Matrix3d::Identity(), Vector3d::Zero(), 0.0, radius};
  }
  static LineSweptSphere merged(const LineSweptSphere& a, const LineSweptSphere& b_B,
                                const RigidTransform& X_AB) {
    return least_fit(a, {X_AB.R * b_B.axes, X_AB * b_B.centre, b_B.half, b_B.radius});
  }
  static double gap(const LineSweptSphere& a, const LineSweptSphere& b_B,
                    const RigidTransform& X_AB, double) {
    return std::sqrt(cores_squared_distance(a, b_B, X_AB)) - a.radius - b_B.radius;
  }
  static bool apart(const LineSweptSphere& a, const LineSweptSphere& b_B,
                    const RigidTransform& X_AB) {
    const double reach = a.radius + b_B.radius + kMargin;
    return cores_squared_distance(a, b_B, X_AB) > reach * reach;
  }

  Matrix3d spread() const {
    Matrix3d H = radius * axes;
    H.col(0) += half * axes.col(0);
    return H;
  }
  double volume() const { return radius * radius * (2.0 * half + 4.0 / 3.0 * radius); }
  static LineSweptSphere fit(const Matrix3d& axes, const LineSweptSphere& a,
                             const LineSweptSphere& b) {
    std::array<Vector3d, 4> ends;
    std::array<double, 4> radii{a.radius, a.radius, b.radius, b.radius};
    const Vector3d ca = axes.transpose() * a.centre, cb = axes.transpose() * b.centre;
    const Vector3d ha = axes.transpose() * (a.half * a.axes.col(0));
    const Vector3d hb = axes.transpose() * (b.half * b.axes.col(0));
    ends = {ca - ha, ca + ha, cb - hb, cb + hb};
    Vector3d low = Vector3d::Constant(INFINITY), high = -low;
    for (size_t i = 0; i < 4; ++i) {
      low = low.cwiseMin((ends[i].array() - radii[i]).matrix());
      high = high.cwiseMax((ends[i].array() + radii[i]).matrix());
    }
    const Vector3d middle = 0.5 * (low + high);
    LineSweptSphere all{axes, {}, 0.0, 0.0};
    std::array<double, 4> aside;  // squared
    for (size_t i = 0; i < 4; ++i) {
      aside[i] = (ends[i] - middle).tail<2>().squaredNorm();
      all.radius = std::max(all.radius, std::sqrt(aside[i]) + radii[i]);
    }
    CoreInterval core;
    for (size_t i = 0; i < 4; ++i) {
      const double room = all.radius - radii[i];
      core.cover(ends[i].x(), std::sqrt(std::max(0.0, room * room - aside[i])));
    }
    core.close();
    all.half = 0.5 * (core.high - core.low);
    all.centre = axes * Vector3d(0.5 * (core.low + core.high), middle.y(), middle.z());
    return all;
  }

 private:
  static double cores_squared_distance(const LineSweptSphere& a, const LineSweptSphere& b_B,
                                       const RigidTransform& X_AB) {
    const Vector3d d = X_AB * b_B.centre - a.centre;
    const Vector3d u = a.axes.col(0), v = X_AB.R * b_B.axes.col(0);
    const auto on_a = [&](double s) { return std::clamp(s, -a.half, a.half); };
    const double along_u = u.dot(d), along_v = v.dot(d), cosine = u.dot(v);
    // The nearest points of the lines; of parallel ones (or of points) any will do to begin with.
    const Vector3d n = u.cross(v);
    const double nn = n.squaredNorm();
    double s = on_a(nn > 1e-28 ? d.cross(v).dot(n) / nn : 0.0);
    double t = cosine * s - along_v;
    if (std::abs(t) > b_B.half) {
      t = std::copysign(b_B.half, t);
      s = on_a(along_u + cosine * t);
    }
    return (d + t * v - s * u).squaredNorm();
  }
};

}  // namespace catena::bench
