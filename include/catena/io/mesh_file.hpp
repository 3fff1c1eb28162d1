#pragma once

#include <string>

#include "catena/geometry/triangle_mesh.hpp"

namespace catena::io {

/// The triangles of a mesh file (STL, OBJ, DAE, PLY or OFF, through assimp), in metres.
///
/// Node transforms and COLLADA's unit are applied, its up-axis is not; then `scale` (may mirror).
/// The rounding of all that is counted in the mesh's vertex_error.
/// Errors    InputError: another format, unreadable, no triangles, a used vertex that is not
///           finite, zero scale.
TriangleMesh load_mesh(const std::string& path,
                       const Eigen::Vector3d& scale = Eigen::Vector3d::Ones());

}  // namespace catena::io
