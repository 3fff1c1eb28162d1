#pragma once

#include <compare>

namespace catena {

/// An integer that only indexes one kind of thing, so that a link number cannot pass for a body's.
template <class Tag>
struct Index {
  int value = -1;

  constexpr Index() = default;
  constexpr explicit Index(int v) noexcept : value(v) {}
  constexpr bool valid() const noexcept { return value >= 0; }
  friend constexpr auto operator<=>(Index, Index) = default;
};

using LinkIndex = Index<struct LinkTag>;  ///< a moving rigid piece; joint i moves link i
using BodyIndex = Index<struct BodyTag>;  ///< an original link, an attached or a scene object

}  // namespace catena
