#pragma once

#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "catena/geometry/obb_tree.hpp"

namespace catena::internal {

using Eigen::Matrix3d;

/// First and second moments of points, or of a surface, about `origin`.
struct Moments {
  Vector3d origin = Vector3d::Zero();
  double weight = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();

  void add_point(const Vector3d& x) noexcept;
  /// The triangle's surface in closed form: [Gottschalk1996], section 4.
  void add_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r) noexcept;
  Matrix3d covariance() const noexcept;
};

/// Columns orthonormal to 5e-15 along the principal axes; the identity where there are none.
/// `flat` is set where the points may lie in a plane or on a line, as far as rounding tells.
Matrix3d principal_axes(const Moments& moments, bool& flat);

/// Triangles of the convex hull of points, as indices of them, outward; none if the points lie in
/// a plane, or if rounding made a mess of it. In plain arithmetic: it proposes axes, no more.
///
/// Cost      O(n log n) for most inputs.
/// Source    [Barber1996], quickhull.
std::vector<std::array<int, 3>> convex_hull(std::span<const Vector3d> points);

/// The axes of the fit for a group's points. Points in a plane, or on a line, up to rounding: the
/// plane's normal is an axis, or the line's direction.
Matrix3d fitted_axes(std::span<const Vector3d> points, ObbTreeOptions::Fit fit);

/// The tightest box of a triangle has a side along its longest edge.
Matrix3d triangle_axes(const Vector3d& a, const Vector3d& b, const Vector3d& c);

}  // namespace catena::internal
