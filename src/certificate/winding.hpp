#pragma once

#include <array>
#include <optional>

#include "model.hpp"

namespace catena::certificate {

/// How often a mesh's surface winds around a point off it (in the mesh's frame), by the signed
/// crossings of a ray; nothing where a face is met too near its border to tell. 0: outside.
std::optional<int> winding(const Mesh& mesh, const Vec& point, const std::array<double, 3>& ray);

}  // namespace catena::certificate
