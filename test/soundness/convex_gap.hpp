#pragma once

#include <vector>

#include "soundness/linear.hpp"
#include "soundness/spec.hpp"

namespace catena::oracle {

using Real = long double;
using Vec3 = Vec<Real>;
using Mat3 = Mat<Real>;
using Pose3 = Pose<Real>;

/// A convex solid placed in the world: a polytope, a cylinder, a cone or a half-space, thickened by
/// a ball.
struct Solid {
  enum class Kind { kPolytope, kCylinder, kCone, kHalfSpace };

  Kind kind = Kind::kPolytope;
  Real radius = 0;  ///< of the ball

  // A polytope: its corners, the edges between them, its faces (corner indices in order round).
  std::vector<Vec3> corners;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::vector<int>> faces;
  std::vector<Vec3> normals;  ///< of the faces: twice their vector areas
  bool full = false;          ///< has an inside: the faces bound it

  // A cylinder or cone, axis X.R.ez, centre X.p; base at -half_length, the cone's apex at +.
  Pose3 X;
  Real round = 0, half_length = 0;

  // A half-space: normal . x <= offset, unit normal.
  Vec3 normal;
  Real offset = 0;

  /// A ball that holds the solid without its own ball; infinite for a half-space.
  Vec3 center;
  Real bound = 0;
};

/// One convex piece of a shape, in the frame of the shape (a mesh has one for each triangle).
std::vector<Solid> pieces(const ShapeSpec& shape);

/// The same solid, moved.
Solid moved(const Pose3& X, const Solid& solid);
/// Moves the solid into `out`, which is a copy of it, placed anywhere.
void move_into(const Pose3& X, const Solid& solid, Solid& out);

/// What is known of the distance of two solids: lo <= distance <= hi, hi by two points and lo by a
/// plane between; hi <= 0 says that they share a point. For overlapping polytopes and balls lo is
/// minus the depth, otherwise -infinity.
struct Gap {
  Real lo = -1, hi = 0;
  Vec3 a, b;  ///< the two points
};

/// Closed forms over features (corners, edges, faces), and averaged projections with momentum for
/// two round solids. Nothing here descends on a Minkowski difference.
Gap gap(const Solid& a, const Solid& b);

/// Largest d . x over the solid, |d| = 1, not a half-space.
Real support(const Solid& solid, const Vec3& d);

/// The nearest point of the solid (ball included) to p; p itself if it is inside.
Vec3 project(const Solid& solid, const Vec3& p);

}  // namespace catena::oracle
