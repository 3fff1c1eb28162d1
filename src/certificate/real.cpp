#include "real.hpp"

#include <array>

namespace catena::certificate {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// pi / 2 to 107 bits; what is left out is below 1.5e-33.
constexpr Real kHalfPi{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, 1.5e-33};

constexpr int kTerms = 15;

// 1 / n! for n up to 2 kTerms.
const std::array<Real, 2 * kTerms + 1>& inverse_factorials() {
  static const std::array<Real, 2 * kTerms + 1> table = [] {
    std::array<Real, 2 * kTerms + 1> t;
    t[0] = 1.0;
    for (std::size_t n = 1; n < t.size(); ++n) t[n] = t[n - 1] / Real(static_cast<double>(n));
    return t;
  }();
  return table;
}

}  // namespace

Real pi() noexcept { return Real(2.0) * kHalfPi; }

Real abs(const Real& x) noexcept {
  return x.hi < 0.0 || (x.hi == 0.0 && x.lo < 0.0) ? -x : x;  // ||x| - |m|| <= |x - m|
}

Real max(const Real& a, const Real& b) noexcept {
  if (!(a.hi == a.hi) || !(b.hi == b.hi)) return kNaN;
  // |max(x, y) - max(m, n)| <= max(|x - m|, |y - n|).
  const bool a_larger = a.hi > b.hi || (a.hi == b.hi && a.lo > b.lo);
  Real m = a_larger ? a : b;
  m.radius = std::fmax(a.radius, b.radius);
  if (!(a.radius == a.radius) || !(b.radius == b.radius)) m.radius = kNaN;
  return m;
}

Real operator/(const Real& a, const Real& b) noexcept {
  const double least = std::abs(b.hi) * (1.0 - 0x1p-48) - std::abs(b.lo) - b.radius;
  if (!(least > 0.0)) return kNaN;
  // Any quotient will do as a midpoint: a / b - q = (a - q b) / b.
  const double first = a.hi / b.hi;
  const Real rest = a - Real(first) * b;
  double hi, lo;
  detail::fast_two_sum(first, rest.hi / b.hi, hi, lo);
  const Real q{hi, lo, 0.0};
  const Real remains = a - q * b;
  return widened(q, detail::up(remains.magnitude() / least) + detail::kUnderflow);
}

Real sqrt(const Real& x) noexcept {
  const double most = x.upper();
  if (!(most >= 0.0)) return most < 0.0 ? Real(0.0) : Real(kNaN);
  const double least = x.lower();
  if (!(least > 0.0) || least < 1e-200) {
    const double root = detail::up(std::sqrt(most)) + 1e-140;
    return {0.0, 0.0, root};
  }
  const double first = std::sqrt(x.hi);
  const Real rest = Real(x.hi, x.lo, 0.0) - Real(first) * Real(first);
  double hi, lo;
  detail::fast_two_sum(first, rest.hi / (2.0 * first), hi, lo);
  const Real s{hi, lo, 0.0};
  // sqrt(x) - s = (x - s^2) / (sqrt(x) + s), and the divisor is no less than s.
  const Real remains = x - s * s;
  return widened(s, detail::up(remains.magnitude() / (hi * (1.0 - 0x1p-48))));
}

SineCosine sine_cosine(const Real& x) noexcept {
  const double turns = std::nearbyint(x.hi / kHalfPi.hi);
  if (!(std::abs(turns) <= 1e7)) return {kNaN, kNaN};
  Real r = x - Real(turns) * kHalfPi;
  const double unknown = r.radius;  // sine and cosine change no faster than the angle
  r.radius = 0.0;
  if (!(std::abs(r.hi) <= 0.79)) return {kNaN, kNaN};
  const Real r2 = r * r;
  const auto& c = inverse_factorials();
  Real sine = c[2 * kTerms - 1], cosine = c[2 * kTerms];
  for (int k = kTerms - 1; k >= 1; --k) {
    sine = c[static_cast<std::size_t>(2 * k - 1)] - r2 * sine;
    cosine = c[static_cast<std::size_t>(2 * k)] - r2 * cosine;
  }
  sine *= r;
  cosine = Real(1.0) - r2 * cosine;
  // What the series leave out: at most 0.79^31 / 31! and 0.79^32 / 32!.
  sine = widened(sine, unknown + 1e-36);
  cosine = widened(cosine, unknown + 1e-36);
  const auto quarter = static_cast<long>(turns) & 3L;
  switch (quarter) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

Real angle_of(const Real& s, const Real& c) noexcept {
  const double near = std::atan2(s.hi, c.hi);
  const auto [sine, cosine] = sine_cosine(near);
  // Sine and cosine of what is missing, an angle of rounding's size.
  const Real missing = s * cosine - c * sine;
  const Real along = c * cosine + s * sine;
  const double most = missing.magnitude();
  if (!(most <= 1e-8) || !(along.lower() > 0.9)) return kNaN;
  return widened(Real(near) + missing, most * most * most);  // asin(y) - y < y^3 for small y
}

}  // namespace catena::certificate
