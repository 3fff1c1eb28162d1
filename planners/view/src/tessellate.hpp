#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "catena/geometry/geometry.hpp"

namespace catena::view {

/// Triangles for a display: single precision, a normal at each vertex.
///
/// Frames    vertices are relative to `center` in the geometry's frame G, so that single precision
///           serves shapes that lie far from their own origin.
struct DisplayMesh {
  Vector3d center = Vector3d::Zero();
  std::vector<float> positions;  ///< x y z
  std::vector<float> normals;    ///< x y z, unit
  std::vector<std::uint32_t> indices;
};

/// Normals are smooth over edges flatter than 40 degrees; triangles without area are left out.
DisplayMesh display_mesh(const TriangleMesh& mesh);

/// Not for a half-space, which has no end.
DisplayMesh display_mesh(const Primitive& primitive);

/// Which boxes or balls of a geometry to draw: all, or the `limit` ones nearest to a point of G.
std::vector<std::size_t> nearest_elements(const Geometry& geometry, std::size_t limit,
                                          const Vector3d& point);

/// Those boxes or balls as one mesh around the geometry's bound_center.
DisplayMesh display_elements(const Geometry& geometry, const std::vector<std::size_t>& elements);

/// A ball of few triangles around the origin.
TriangleMesh ball_mesh(double radius, int segments, int rings);

}  // namespace catena::view
