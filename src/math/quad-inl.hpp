// Four doubles, angles in wider groups, and what vectors of any type share. Included once for each
// target, after dispatch.hpp.
#include <cstdint>
#include <cstring>

#if defined(CATENA_QUAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CATENA_QUAD_INL
#undef CATENA_QUAD_INL
#else
#define CATENA_QUAD_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

#if HWY_CAP_GE256
using Quad [[gnu::vector_size(32)]] = double;
CATENA_INLINE Quad quad_abs(Quad v) noexcept {
  using Bits [[gnu::vector_size(32)]] = std::int64_t;
  return reinterpret_cast<Quad>(reinterpret_cast<Bits>(v) & INT64_MAX);
}
#else
// Compilers take a vector that the target lacks apart through memory.
struct Quad {
  using Pair [[gnu::vector_size(16)]] = double;
  Pair low, high;

  CATENA_INLINE double operator[](int i) const noexcept { return i < 2 ? low[i] : high[i - 2]; }
};
CATENA_INLINE Quad operator+(Quad a, Quad b) noexcept { return {a.low + b.low, a.high + b.high}; }
CATENA_INLINE Quad operator-(Quad a, Quad b) noexcept { return {a.low - b.low, a.high - b.high}; }
CATENA_INLINE Quad operator*(Quad a, double b) noexcept { return {a.low * b, a.high * b}; }
CATENA_INLINE Quad operator+(Quad a, double b) noexcept { return {a.low + b, a.high + b}; }
CATENA_INLINE Quad operator-(Quad a, double b) noexcept { return {a.low - b, a.high - b}; }
CATENA_INLINE Quad quad_abs(Quad v) noexcept {
  using Pair = Quad::Pair;
  using Bits [[gnu::vector_size(16)]] = std::int64_t;
  return {reinterpret_cast<Pair>(reinterpret_cast<Bits>(v.low) & INT64_MAX),
          reinterpret_cast<Pair>(reinterpret_cast<Bits>(v.high) & INT64_MAX)};
}
#endif

CATENA_INLINE Quad broadcast(double x) noexcept { return Quad{} + x; }
CATENA_INLINE Quad load(const void* from) noexcept {
  Quad v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
CATENA_INLINE void store(Quad v, void* to) noexcept { std::memcpy(to, &v, sizeof v); }

/// Its first three rounded to floats; 0 in the fourth lane.
using Floats [[gnu::vector_size(16)]] = float;
CATENA_INLINE Floats to_floats(Quad v) noexcept {
#if HWY_CAP_GE256
  const Floats all = __builtin_convertvector(v, Floats);
#else
  const Floats all = {static_cast<float>(v.low[0]), static_cast<float>(v.low[1]),
                      static_cast<float>(v.high[0]), 0.0F};
#endif
  using Bits [[gnu::vector_size(16)]] = std::int32_t;
  return reinterpret_cast<Floats>(reinterpret_cast<Bits>(all) & Bits{-1, -1, -1, 0});
}

CATENA_INLINE Floats floats_abs(Floats v) noexcept {
  using Bits [[gnu::vector_size(16)]] = std::int32_t;
  return reinterpret_cast<Floats>(reinterpret_cast<Bits>(v) & INT32_MAX);
}

/// Lane by lane; b where either is no number.
template <class V>
CATENA_INLINE V min(V a, V b) noexcept {
  return a < b ? a : b;
}
template <class V>
CATENA_INLINE V max(V a, V b) noexcept {
  return a > b ? a : b;
}

/// Angles taken together by sines_and_cosines.
inline constexpr int kAngles = HWY_CAP_GE512 ? 8 : HWY_CAP_GE256 ? 4 : 2;

/// sin and cos of kAngles angles of at most 1e6 in size; each within 6 roundoffs of 1 of the exact
/// value (docs/rigor.md, R2).
CATENA_INLINE void sines_and_cosines(const double* angle, double* sine, double* cosine) noexcept {
  using Reals [[gnu::vector_size(sizeof(double) * kAngles)]] = double;
  using Integers [[gnu::vector_size(sizeof(double) * kAngles)]] = std::int64_t;
  Reals x;
  std::memcpy(&x, angle, sizeof x);
  // The nearest quarter turn: adding 1.5 * 2^52 rounds to an integer, and leaves it in the last
  // bits.
  constexpr double kRounder = 0x1.8p52;
  const Reals shifted = x * 0x1.45f306dc9c883p-1 + kRounder;
  Integers quarter;
  std::memcpy(&quarter, &shifted, sizeof quarter);
  const Reals k = shifted - kRounder;
  // pi / 2 in three parts; k times the first two is exact.
  Reals r = x - k * 0x1.921fb544p0;
  r = r - k * 0x1.0b4611a6p-34;
  r = r - k * 0x1.3198a2e037073p-69;
  const Reals s = r * r;
  // Taylor's sums: what is left out is below 1e-16.
  Reals odd = s * (-1.0 / 1307674368000.0) + 1.0 / 6227020800.0;
  odd = odd * s - 1.0 / 39916800.0;
  odd = odd * s + 1.0 / 362880.0;
  odd = odd * s - 1.0 / 5040.0;
  odd = odd * s + 1.0 / 120.0;
  odd = odd * s - 1.0 / 6.0;
  odd = r + r * (s * odd);
  Reals even = s * (1.0 / 20922789888000.0) - 1.0 / 87178291200.0;
  even = even * s + 1.0 / 479001600.0;
  even = even * s - 1.0 / 3628800.0;
  even = even * s + 1.0 / 40320.0;
  even = even * s - 1.0 / 720.0;
  even = even * s + 1.0 / 24.0;
  even = even * s - 0.5;
  even = even * s + 1.0;
  const Integers swapped = (quarter & 1) != 0;
  const Reals sines = swapped ? even : odd, cosines = swapped ? odd : even;
  Integers sine_bits, cosine_bits;
  std::memcpy(&sine_bits, &sines, sizeof sines);
  std::memcpy(&cosine_bits, &cosines, sizeof cosines);
  sine_bits ^= (quarter & 2) << 62;
  cosine_bits ^= ((quarter + 1) & 2) << 62;
  std::memcpy(sine, &sine_bits, sizeof sine_bits);
  std::memcpy(cosine, &cosine_bits, sizeof cosine_bits);
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
