#pragma once

#include <cmath>
#include <limits>

#ifdef __FAST_MATH__
#error "A certificate is checked with IEEE arithmetic: build it without -ffast-math"
#endif

namespace catena::certificate {

/// A real number known to about 30 digits: a sum of two doubles and a radius.
///
/// Denotes   every x with |x - (hi + lo)| <= radius; where any part is no number, nothing is known.
/// Rigor     the sum and product of double-doubles are off by less than 16 u^2 of the result
///           [Joldes2017]; that, what underflow may lose and the operands' radii go to the radius,
///           which is rounded up. Holds in round-to-nearest, with fused operations or without.
struct Real {
  double hi = 0.0, lo = 0.0, radius = 0.0;

  constexpr Real() = default;
  constexpr Real(double x) : hi(x) {}  // NOLINT: a double is a real number
  constexpr Real(double high, double low, double error) : hi(high), lo(low), radius(error) {}

  /// At least |x| for every x denoted; not below it for infinities either. A NaN stays one.
  double magnitude() const noexcept;
  double upper() const noexcept;
  double lower() const noexcept;
  Real operator-() const noexcept { return {-hi, -lo, radius}; }
};

namespace detail {

inline constexpr double kRelative = 0x1p-102;  // 16 u^2
inline constexpr double kUnderflow = 1e-280;   // more than all that underflow can lose
inline constexpr double kGrow = 1.0 + 0x1p-48;

inline double up(double nonnegative) noexcept { return nonnegative * kGrow; }

// |a| >= |b|, or a == 0.
inline void fast_two_sum(double a, double b, double& sum, double& error) noexcept {
  sum = a + b;
  error = b - (sum - a);
}

inline void two_sum(double a, double b, double& sum, double& error) noexcept {
  sum = a + b;
  const double b_part = sum - a;
  error = (a - (sum - b_part)) + (b - b_part);
}

}  // namespace detail

inline double Real::magnitude() const noexcept {
  return detail::up(std::abs(hi) + std::abs(lo) + radius);
}

// The sum of three doubles is off by less than 4 u of their sizes.
inline double Real::upper() const noexcept {
  return (hi + (lo + radius)) +
         (4 * 0x1p-53 * (std::abs(hi) + std::abs(lo) + radius) + detail::kUnderflow);
}
inline double Real::lower() const noexcept { return -(-*this).upper(); }

inline Real operator+(const Real& a, const Real& b) noexcept {
  double s, e, t, f, hi, lo;
  detail::two_sum(a.hi, b.hi, s, e);
  detail::two_sum(a.lo, b.lo, t, f);
  detail::fast_two_sum(s, e + t, hi, lo);
  detail::fast_two_sum(hi, f + lo, hi, lo);
  return {hi, lo,
          detail::up(a.radius + b.radius + std::abs(hi) * detail::kRelative + detail::kUnderflow)};
}

inline Real operator-(const Real& a, const Real& b) noexcept { return a + -b; }

inline Real operator*(const Real& a, const Real& b) noexcept {
  const double p = a.hi * b.hi;
  const double e = std::fma(a.hi, b.hi, -p);
  const double cross = a.hi * b.lo + a.lo * b.hi;
  double hi, lo;
  detail::fast_two_sum(p, e + cross, hi, lo);
  const double size_a = std::abs(a.hi) + std::abs(a.lo), size_b = std::abs(b.hi) + std::abs(b.lo);
  return {hi, lo,
          detail::up(size_a * b.radius + size_b * a.radius + a.radius * b.radius +
                     std::abs(hi) * detail::kRelative + detail::kUnderflow)};
}

inline Real& operator+=(Real& a, const Real& b) noexcept { return a = a + b; }
inline Real& operator-=(Real& a, const Real& b) noexcept { return a = a - b; }
inline Real& operator*=(Real& a, const Real& b) noexcept { return a = a * b; }

/// The same number with a larger radius.
inline Real widened(const Real& x, double by) noexcept {
  return {x.hi, x.lo, detail::up(x.radius + by)};
}

/// Proven only: what is no number is neither positive nor negative.
inline bool is_positive(const Real& x) noexcept { return x.lower() > 0.0; }
inline bool is_negative(const Real& x) noexcept { return x.upper() < 0.0; }

/// |x|, and the larger of two: of every pair of numbers denoted.
Real abs(const Real& x) noexcept;
Real max(const Real& a, const Real& b) noexcept;

/// No number where the divisor may be 0.
Real operator/(const Real& a, const Real& b) noexcept;
/// Of what is not negative; a number that may be negative counts as 0 there.
Real sqrt(const Real& x) noexcept;

struct SineCosine {
  Real sine, cosine;
};
/// For |x| up to some 1e7; larger ones give nothing known.
SineCosine sine_cosine(const Real& x) noexcept;

/// The angle in [-pi, pi] of a point (c, s) that lies on the unit circle, off the seam at pi.
Real angle_of(const Real& s, const Real& c) noexcept;

Real pi() noexcept;

}  // namespace catena::certificate
