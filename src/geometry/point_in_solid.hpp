#pragma once

#include <cstdint>

#include "catena/geometry/geometry.hpp"

namespace catena::internal {

enum class Side : std::uint8_t { kOutside, kInside, kUnknown };

/// Is every point within `error` of p_G inside the closed mesh `solid` (non-zero winding number),
/// outside of it, or can this not be told (close to the surface, say)?
///
/// Counts signed crossings of a ray; only rays that provably pass every edge are believed.
/// Cost      O(crossed nodes) for each of at most eight rays.
Side point_in_solid(const Geometry& solid, const Vector3d& p_G, double error) noexcept;

}  // namespace catena::internal
