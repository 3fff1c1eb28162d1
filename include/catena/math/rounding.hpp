#pragma once

#include <cfenv>
#include <cmath>
#include <limits>

#ifdef __FAST_MATH__
#error "Catena proves its answers with IEEE arithmetic: build it without -ffast-math"
#endif

namespace catena {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Unit roundoff of double: |fl(x) - x| <= kUnitRoundoff |x| in round-to-nearest.
inline constexpr double kUnitRoundoff = 0x1p-53;

// Widen by one ulp: round-to-nearest is off by at most half an ulp, so this is a bound, and it
// needs no rounding-mode switch, which threads and inlined callers would have to agree on.
inline double round_up(double x) noexcept { return std::nextafter(x, kInfinity); }
inline double round_down(double x) noexcept { return std::nextafter(x, -kInfinity); }

/// An upper bound of a value that was computed from non-negative terms with at most `operations`
/// additions, multiplications and square roots in round-to-nearest.
///
/// Each operation is off by a factor of at most 1 + u; the last summand covers underflow, also
/// under a square root (docs/rigor.md, R1).
inline double bound_above(double computed, int operations) noexcept {
  return computed * (1.0 + 2.0 * operations * kUnitRoundoff) + 1e-150;
}

/// A float that is not below x >= 0: the conversion and the two sums are off by 2^-24 of it each,
/// together less than 2.5e-7, or by the least denormal, far less than 1e-37. Infinite beyond a
/// float's range; no number stays none.
inline float float_above(double x) noexcept {
  const auto near = static_cast<float>(x);
  return near + std::abs(near) * 2.5e-7F + 1e-37F;
}

/// Makes round-to-nearest without flush-to-zero hold within a scope, and restores what the host
/// had. Every public query opens one: the bounds of this library are proven for that mode only.
///
/// Threads   acts on the calling thread alone.
class RoundingScope {
 public:
  RoundingScope() noexcept;
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int saved_mode_;
  unsigned saved_control_;
  bool changed_;
};

}  // namespace catena
