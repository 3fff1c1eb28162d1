#pragma once

#include <cstddef>
#include <string>

namespace catena::io {

// Checks of mesh files before the mesh library sees them. The library drops faces that it cannot
// read, moves indices, or reads on for ever, all without an error; and a lost triangle would be a
// hole in an obstacle. Each check throws InputError.

/// How many faces a file announces, and where: what the library returns is held against it.
struct FacePromise {
  std::size_t faces = 0;
  int line = 0;
};

FacePromise check_stl(const std::string& path, const std::string& bytes);
FacePromise check_obj(const std::string& path, const std::string& text);
FacePromise check_off(const std::string& path, const std::string& text);

/// Returns the unit in metres. The library narrows it to single precision, which would move a part
/// of a metre by some nanometres.
double check_collada(const std::string& path, const std::string& text);

}  // namespace catena::io
