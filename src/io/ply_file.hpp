#pragma once

#include <cstdint>
#include <string>

namespace catena::io {

/// Number of faces that the header of a PLY file announces. Holds the file against its header, as
/// the mesh library reads on for ever where there is no end of it.
/// Errors    InputError: a header that is not understood, fewer entries than announced.
std::uint64_t count_ply_faces(const std::string& bytes, const std::string& path);

}  // namespace catena::io
