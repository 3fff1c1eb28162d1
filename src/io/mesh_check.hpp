#pragma once

#include <cstddef>
#include <string>

namespace catena::io {

// Checks of mesh files before the mesh library sees them. The library drops faces that it cannot
// read, moves indices, reads past the ends of lines, leaks what it refuses, or reads on for ever,
// all without an error; and a lost triangle would be a hole in an obstacle. Each check throws
// InputError.

/// What the mesh library is given in place of a file, and what it must make of it.
struct CheckedMesh {
  std::size_t faces = 0;  ///< as announced or counted in the file
  int line = 0;           ///< where they are announced
  /// The same mesh in the same format, cut down to its vertices and faces, with the numbers as the
  /// file writes them. Nothing in it is new to the library's reader, whatever the file holds.
  std::string bytes;
};

CheckedMesh check_stl(const std::string& path, const std::string& bytes);
CheckedMesh check_obj(const std::string& path, const std::string& text);
CheckedMesh check_off(const std::string& path, const std::string& text);
CheckedMesh check_ply(const std::string& path, const std::string& bytes);

/// Returns the unit in metres. The library narrows it to single precision, which would move a part
/// of a metre by some nanometres.
double check_collada(const std::string& path, const std::string& text);

}  // namespace catena::io
