#include "catena/model/allowed_collisions.hpp"

namespace catena {
namespace {

std::pair<std::string, std::string> ordered(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

}  // namespace

void AllowedCollisions::allow(std::string a, std::string b) {
  pairs_.insert(ordered(std::move(a), std::move(b)));
}

void AllowedCollisions::require(std::string a, std::string b) {
  required_.insert(ordered(std::move(a), std::move(b)));
}

bool AllowedCollisions::allows(std::string_view a, std::string_view b) const {
  if (empty()) return false;
  if (!pairs_.empty() || !required_.empty()) {
    const auto pair = ordered(std::string(a), std::string(b));
    if (pairs_.count(pair) != 0) return true;
    if (required_.count(pair) != 0) return false;
  }
  return always_.find(a) != always_.end() || always_.find(b) != always_.end();
}

void AllowedCollisions::add(const AllowedCollisions& other) {
  pairs_.insert(other.pairs_.begin(), other.pairs_.end());
  required_.insert(other.required_.begin(), other.required_.end());
  always_.insert(other.always_.begin(), other.always_.end());
}

}  // namespace catena
