#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace catena::view {

/// Writes a file as a whole or not at all: beside its place first, then renamed into it.
///
/// A symbolic link stays one; what is no regular file (a pipe, /dev/stdout) is written directly.
/// Errors    std::runtime_error, with the remedy, if it cannot be written, as on a full disk. Then
///           what stood there before stands there still. `what` names the content: "the page".
void replace_file(const std::string& path, const std::string& what,
                  const std::function<void(std::ostream&)>& write);

}  // namespace catena::view
