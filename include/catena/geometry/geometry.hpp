#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/geometry/convex.hpp"
#include "catena/geometry/obb_tree.hpp"
#include "catena/geometry/shapes.hpp"
#include "catena/geometry/triangle_mesh.hpp"

namespace catena {

/// One collision geometry in its own frame G: a primitive, a triangle mesh, or many boxes or balls.
///
/// All of them are lists of convex elements (one element for a primitive) under an OBB tree, so
/// that every query treats them alike. A closed mesh is a solid as well (see `is_solid`).
///
/// Units     metres.
/// Cost      build O(n log n) for n elements; memory about 300 bytes an element.
/// Threads   immutable after construction: share it.
/// Errors    the make functions throw std::invalid_argument, naming the size that is wrong.
class Geometry {
 public:
  enum class Kind : std::uint8_t { kPrimitive, kMesh, kBoxes, kSpheres };

  struct AxisAlignedBox {
    Vector3d center, half;
  };

  static std::shared_ptr<const Geometry> make(const Primitive& primitive);

  /// `padding` >= 0 thickens every triangle by a ball of that radius.
  static std::shared_ptr<const Geometry> make_mesh(TriangleMesh mesh,
                                                   MeshFilling filling = MeshFilling::kDetect,
                                                   double padding = 0.0,
                                                   const ObbTreeOptions& options = {});
  static std::shared_ptr<const Geometry> make_boxes(std::vector<AxisAlignedBox> boxes);
  static std::shared_ptr<const Geometry> make_spheres(std::vector<Vector3d> centers, double radius);

  Kind kind() const noexcept { return kind_; }
  const Primitive& primitive() const noexcept { return primitive_; }  ///< if kind() is kPrimitive
  const TriangleMesh& mesh() const noexcept { return mesh_; }         ///< empty unless kMesh
  std::span<const AxisAlignedBox> boxes() const noexcept { return boxes_; }
  std::span<const Vector3d> centers() const noexcept { return centers_; }
  double radius() const noexcept { return radius_; }  ///< of the balls, or the mesh's padding

  int num_elements() const noexcept { return num_elements_; }
  ConvexShape element(int i) const noexcept;
  const ObbTree& tree() const noexcept { return tree_; }

  /// A convex solid that contains the geometry, cheap to measure: the primitive itself, or the hull
  /// of a mesh of at most 400 vertices. It separates most pairs before any tree is opened.
  bool has_hull() const noexcept { return has_hull_; }
  ConvexShape hull() const noexcept;

  /// The mesh is closed and counts as a solid.
  bool is_solid() const noexcept { return solid_; }

  /// A few points proven to lie inside a solid mesh, off its surface where the mesh has the room;
  /// empty for other geometries, and possibly for a very thin solid.
  std::span<const Vector3d> interior_points() const noexcept { return interior_points_; }

  /// A bounding ball: every point of the geometry lies within bound_radius() of bound_center().
  /// Infinite for a half-space.
  const Vector3d& bound_center() const noexcept { return bound_center_; }
  double bound_radius() const noexcept { return bound_radius_; }

  /// Largest distance of a point of the geometry from the origin of G; infinite for a half-space.
  double reach() const noexcept { return reach_; }

  /// One element for each connected component of the surface (kMesh), so that a point of it can be
  /// tested against a solid; empty for other kinds, whose elements are components themselves.
  std::span<const int> component_elements() const noexcept { return component_elements_; }

 private:
  Geometry() = default;
  void finish(const ObbTreeOptions& options = {});
  void find_interior_points();

  Kind kind_ = Kind::kPrimitive;
  Primitive primitive_;
  TriangleMesh mesh_;
  std::vector<AxisAlignedBox> boxes_;
  std::vector<Vector3d> centers_;
  double radius_ = 0.0;
  int num_elements_ = 0;
  bool solid_ = false;
  ObbTree tree_;
  Vector3d bound_center_ = Vector3d::Zero();
  double bound_radius_ = 0.0;
  double reach_ = 0.0;
  std::vector<int> component_elements_;
  std::vector<Vector3d> interior_points_;
  bool has_hull_ = false;
  std::vector<Vector3d> hull_points_;
};

}  // namespace catena
