#pragma once

#include <string>

#include "catena/geometry/geometry.hpp"

namespace catena::io {

/// What is doubtful about the shells of a solid mesh, or "". A shell turned inside out is a cavity
/// where a shell that faces outward encloses it; where the two only cross, their winding numbers
/// cancel, and what both occupy counts as empty. Enclosing is judged by bounding boxes.
std::string doubtful_shells(const Geometry& geometry);

}  // namespace catena::io
