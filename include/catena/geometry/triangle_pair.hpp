#pragma once

#include <array>
#include <cstdint>

#include <Eigen/Core>

namespace catena {

using Eigen::Vector3d;

/// What is proven about two solids: that they share no point, that they share one, or nothing.
enum class Meeting : std::uint8_t { kApart, kMeet, kUnknown };

/// Do two triangles, in one frame, meet? Every exact corner lies within `corner_error` of the one
/// given; the claim holds for all of them. Touching triangles, those in one plane and those without
/// area are left unknown, unless they are clearly apart.
///
/// Rigor     from signs of 6 + 9 determinants that are beyond their errors (docs/rigor.md, R7).
/// Cost      some 100 flops where a plane separates, at most 400. No allocation.
Meeting triangles_meet(const std::array<Vector3d, 3>& a, const std::array<Vector3d, 3>& b,
                       double corner_error) noexcept;

}  // namespace catena
