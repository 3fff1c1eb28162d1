#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace catena {

/// Pairs of names that may touch: an allowed-collision matrix in sparse form.
class AllowedCollisions {
 public:
  void allow(std::string a, std::string b);
  void allow_with_everything(std::string name) { always_.insert(std::move(name)); }
  /// An explicit "checked" entry wins over `allow_with_everything`, as in MoveIt.
  void require(std::string a, std::string b);

  bool allows(std::string_view a, std::string_view b) const;
  /// Pairs that are allowed by both names; and names that are allowed with (nearly) everything.
  const std::set<std::pair<std::string, std::string>>& pairs() const noexcept { return pairs_; }
  const std::set<std::string, std::less<>>& with_everything() const noexcept { return always_; }
  bool empty() const noexcept { return pairs_.empty() && always_.empty(); }
  void add(const AllowedCollisions& other);

 private:
  std::set<std::pair<std::string, std::string>> pairs_;  // ordered within each pair
  std::set<std::pair<std::string, std::string>> required_;
  std::set<std::string, std::less<>> always_;
};

}  // namespace catena
