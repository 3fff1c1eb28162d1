#pragma once

#include <stdexcept>
#include <string>

namespace catena::certificate {

/// Why something is not proven, or cannot be read: one line of words.
class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& why) : std::runtime_error(why) {}
};

}  // namespace catena::certificate
