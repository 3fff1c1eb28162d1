#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace catena::io {

// Checks of mesh files before the mesh library sees them. The library drops faces that it cannot
// read, moves indices, reads past the ends of lines, leaks what it refuses, or reads on for ever,
// all without an error; and a lost triangle would be a hole in an obstacle. Each check throws
// InputError.

/// What the mesh library is given in place of a file, and what it must make of it.
struct CheckedMesh {
  std::size_t faces = 0;  ///< as announced or counted in the file
  int line = 0;           ///< where they are announced
  /// The same mesh in the same format, cut down to its vertices and faces: nothing but what is
  /// checked here reaches the library's reader, whatever the file holds.
  std::string bytes;
  /// Metres in the file's unit of length, still to be applied. The library would narrow it to
  /// single precision, which moves a part of a metre by some nanometres.
  double unit = 1.0;
};

CheckedMesh check_stl(const std::string& path, const std::string& bytes);
CheckedMesh check_obj(const std::string& path, const std::string& text);
CheckedMesh check_off(const std::string& path, const std::string& text);
CheckedMesh check_ply(const std::string& path, const std::string& bytes);

CheckedMesh check_collada(const std::string& path, const std::string& text);

/// A coordinate as the library will read it rightly, "nan" for what is none; nothing if it is not
/// understood. The library reads an integer part of twenty digits as 0, and cuts long lines off.
std::optional<std::string> plain_number(std::string_view word);

}  // namespace catena::io
