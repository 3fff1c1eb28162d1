#pragma once

#include <cmath>
#include <span>

namespace catena::bench {

/// Of the line that fits the points (log x, log y) best: y grows like this power of x.
/// @pre x.size() == y.size() >= 2, all positive
inline double log_log_slope(std::span<const double> x, std::span<const double> y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double u = std::log(x[i]), v = std::log(y[i]);
    sx += u;
    sy += v;
    sxx += u * u;
    sxy += u * v;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace catena::bench
