#pragma once

#include <vector>

#include "catena/geometry/triangle_mesh.hpp"

namespace catena::internal {

/// Every vertex's number after welding those that are bit-equal (0 and -0 are the same point).
std::vector<int> weld(const TriangleMesh& mesh);

}  // namespace catena::internal
