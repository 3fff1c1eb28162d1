#pragma once

#include <stdexcept>
#include <string>

namespace catena::io {

/// Input that cannot be used: `FILE:LINE: ELEMENT: PROBLEM; REMEDY` (line 0: left out).
class InputError : public std::runtime_error {
 public:
  InputError(std::string file, int line, std::string element, std::string problem,
             std::string remedy);

  const std::string& file() const noexcept { return file_; }
  int line() const noexcept { return line_; }
  const std::string& element() const noexcept { return element_; }

 private:
  std::string file_;
  int line_ = 0;
  std::string element_;
};

}  // namespace catena::io
