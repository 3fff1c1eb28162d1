#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>

#include "catena/math/rounding.hpp"

namespace catena::internal {

/// Of t ... t^5: the coefficients of what a value of a spline moves by, t in [0, 1].
struct SplineTravel {
  std::array<double, 5> c{};
  double size = 0.0;   ///< sum of their magnitudes
  double error = 0.0;  ///< sum of their errors
  bool moves = false;  ///< false only if all of them are 0
};

/// The spline that travels `step` (known to `step_error`) in `duration` from the velocity v0 and
/// the acceleration a0 to v1 and a1: the quintic, the cubic without accelerations (degree 3), or
/// straight (degree 1). Each coefficient is a sum of at most five terms; the magnitudes of all of
/// these add up to `terms`, and each is rounded less than eight times.
inline SplineTravel spline_travel(double step, double step_error, double v0, double v1, double a0,
                                  double a1, double duration, int degree) {
  SplineTravel s;
  if (degree == 1) v0 = v1 = 0.0;
  if (degree < 5) a0 = a1 = 0.0;
  s.moves = step != 0.0 || step_error != 0.0 || v0 != 0.0 || v1 != 0.0 || a0 != 0.0 || a1 != 0.0;
  const double V0 = v0 * duration, V1 = v1 * duration;
  const double A0 = a0 * duration * duration, A1 = a1 * duration * duration;
  if (degree == 1) {
    s.c = {step, 0.0, 0.0, 0.0, 0.0};
  } else if (degree == 3) {
    s.c = {V0, 3.0 * step - 2.0 * V0 - V1, V0 + V1 - 2.0 * step, 0.0, 0.0};
  } else {
    s.c = {V0, 0.5 * A0, 10.0 * step - 6.0 * V0 - 4.0 * V1 - 1.5 * A0 + 0.5 * A1,
           -15.0 * step + 8.0 * V0 + 7.0 * V1 + 1.5 * A0 - A1,
           6.0 * step - 3.0 * V0 - 3.0 * V1 - 0.5 * A0 + 0.5 * A1};
  }
  for (const double c : s.c) s.size += std::abs(c);
  s.size = bound_above(s.size, 5);
  const double terms = 31.0 * std::abs(step) + 18.0 * std::abs(V0) + 14.0 * std::abs(V1) +
                       4.0 * std::abs(A0) + 2.0 * std::abs(A1);
  if (s.moves) {
    s.error =
        bound_above(31.0 * step_error + (degree == 1 ? 0.0 : 8.0 * kUnitRoundoff * terms), 12);
  }
  return s;
}

/// Bounds over [0, 1] of the first and the second derivative of c0 t + ... + c4 t^5, of numbers or
/// of vectors with their magnitude, by the coefficients of Bernstein's form; c known to `error` in
/// sum. Where one of them is no number, neither bound is.
template <class T, class Magnitude>
void bound_derivatives(const std::array<T, 5>& c, double error, const Magnitude& magnitude,
                       double& first, double& second) {
  // Binomial coefficients of j over those of the degree.
  constexpr double kQuartic[5][5] = {{1.0, 0.0, 0.0, 0.0, 0.0},
                                     {1.0, 1.0 / 4.0, 0.0, 0.0, 0.0},
                                     {1.0, 2.0 / 4.0, 1.0 / 6.0, 0.0, 0.0},
                                     {1.0, 3.0 / 4.0, 3.0 / 6.0, 1.0 / 4.0, 0.0},
                                     {1.0, 1.0, 1.0, 1.0, 1.0}};
  constexpr double kCubic[4][4] = {{1.0, 0.0, 0.0, 0.0},
                                   {1.0, 1.0 / 3.0, 0.0, 0.0},
                                   {1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0},
                                   {1.0, 1.0, 1.0, 1.0}};
  double size = 0.0;
  for (size_t k = 0; k < 5; ++k) size += magnitude(c[k]);
  first = second = 0.0;
  for (const auto& row : kQuartic) {
    T sum = row[0] * c[0];
    for (size_t k = 1; k < 5; ++k) sum += row[k] * (static_cast<double>(k + 1) * c[k]);
    first = std::max(first, magnitude(sum));
  }
  for (const auto& row : kCubic) {
    T sum = row[0] * (2.0 * c[1]);
    for (size_t k = 1; k < 4; ++k)
      sum += row[k] * (static_cast<double>((k + 1) * (k + 2)) * c[k + 1]);
    second = std::max(second, magnitude(sum));
  }
  first = bound_above(first + 5.0 * error + 5.0 * 24.0 * kUnitRoundoff * size, 8);
  second = bound_above(second + 20.0 * error + 20.0 * 24.0 * kUnitRoundoff * size, 8);
}

}  // namespace catena::internal
