#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace catena {

using Eigen::Vector3d;

/// A box along the axes of some frame, in floats rounded outward: 32 bytes, two compares a test.
///
/// Denotes   every point that lies between lo and hi in all three coordinates. Beyond the range of
///           a float a side is infinite. The fourth lane
///           tells the empty box, where it is 1 in lo and -1 in hi, from all others, infinite ones
///           among them: at most 0 in lo, and at least 0 in hi.
struct alignas(32) FloatBox {
  using Lanes [[gnu::vector_size(16)]] = float;

  Lanes lo = {kFar, kFar, kFar, 1.0F};
  Lanes hi = {-kFar, -kFar, -kFar, -1.0F};

  /// Contains nothing, and is disjoint from everything.
  FloatBox() = default;
  /// Contains everything.
  static FloatBox all() noexcept {
    return {Lanes{-kFar, -kFar, -kFar, 0.0F}, Lanes{kFar, kFar, kFar, 0.0F}};
  }
  FloatBox(Lanes low, Lanes high) noexcept : lo(low), hi(high) {}
  /// Contains the box [low, high]. A coordinate that is no number makes it contain everything along
  /// that axis.
  static FloatBox around(const Vector3d& low, const Vector3d& high) noexcept {
    return {down(low), -down(-high)};
  }

  FloatBox merged(const FloatBox& other) const noexcept {
    return {lo < other.lo ? lo : other.lo, hi > other.hi ? hi : other.hi};
  }

  Vector3d lower() const noexcept { return {lo[0], lo[1], lo[2]}; }
  Vector3d upper() const noexcept { return {hi[0], hi[1], hi[2]}; }
  bool is_empty() const noexcept { return hi[0] < lo[0]; }

  /// Sum of the edges: how large it is. 0 if empty.
  float size() const noexcept {
    const Lanes d = hi - lo;
    const float sum = d[0] + d[1] + d[2];
    return sum > 0.0F ? sum : 0.0F;
  }

 private:
  static constexpr float kFar = std::numeric_limits<float>::infinity();

  // Floats not above x. Conversion and the difference are off by at most 2^-24 each, relatively, or
  // by the least denormal. Beyond the range of a float the difference is no number, or infinite.
  static Lanes down(const Vector3d& x) noexcept {
    const Lanes near = {static_cast<float>(x[0]), static_cast<float>(x[1]),
                        static_cast<float>(x[2]), 0.0F};
    const Lanes size = near < 0.0F ? -near : near;
    const Lanes below = near - size * 2.5e-7F - 1e-37F;
    return below == below ? below : Lanes{} - kFar;
  }
};

/// Proven: no point is in both.
inline bool disjoint(const FloatBox& a, const FloatBox& b) noexcept {
  using Halves [[gnu::vector_size(16)]] = long long;
  const auto apart = reinterpret_cast<Halves>((a.lo > b.hi) | (b.lo > a.hi));
  return (apart[0] | apart[1]) != 0;
}

/// A lower bound of the distance of a point of a and a point of b.
inline double distance_below(const FloatBox& a, const FloatBox& b) noexcept {
  double squared = 0.0;
  for (int i = 0; i < 3; ++i) {
    // Differences of floats; the double's rounding is taken off below.
    const double gap = std::max({0.0, static_cast<double>(b.lo[i]) - static_cast<double>(a.hi[i]),
                                 static_cast<double>(a.lo[i]) - static_cast<double>(b.hi[i])});
    squared += gap * gap;
  }
  return squared > 0.0 ? std::sqrt(squared) * (1.0 - 1e-14) : 0.0;
}

}  // namespace catena
