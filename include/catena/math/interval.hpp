#pragma once

#include "catena/math/rounding.hpp"

namespace catena {

/// A bracket of one real number.
///
/// Denotes   every real x with lo <= x <= hi.
struct Interval {
  double lo = 0.0;
  double hi = 0.0;

  double width() const noexcept { return hi - lo; }
  bool contains(double x) const noexcept { return lo <= x && x <= hi; }
};

}  // namespace catena
