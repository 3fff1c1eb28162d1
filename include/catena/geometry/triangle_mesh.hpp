#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace catena {

using Eigen::Vector3d;

/// How a mesh's inside is judged.
enum class MeshFilling : std::uint8_t {
  kDetect,   ///< solid if closed and consistently oriented, else a surface
  kSolid,    ///< declared solid; refused if the mesh is not closed
  kSurface,  ///< only its triangles are occupied
};

/// Triangles in a frame G, metres, as read from a file and scaled.
///
/// Denotes   the triangles whose corners lie within `vertex_error` of the stored vertices.
/// A zero-area triangle is the segment or point that it spans. Vertices that no triangle uses
/// mean nothing.
struct TriangleMesh {
  std::vector<Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
  double vertex_error = 0.0;
};

/// True if every edge is used as often in one direction as in the other, vertices welded where
/// bit-equal, either over all triangles or over those with an area: the surface bounds a solid.
/// O(n log n).
bool is_closed(const TriangleMesh& mesh);

/// A component number for every triangle; triangles are connected through welded vertices.
std::vector<int> connected_components(const TriangleMesh& mesh);

}  // namespace catena
