#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace catena::bench {

using Eigen::Vector3d;

/// Cubic cells in a hash table of linked lists; cells that share a slot are not told apart.
class HashGrid {
 public:
  void reset(int n, double cell) {
    inverse_cell_ = 1 / cell;
    std::uint32_t slots = 1;
    while (slots < 2 * static_cast<std::uint32_t>(n)) slots *= 2;
    mask_ = slots - 1;
    head_.assign(slots, -1);
    next_.assign(n, -1);
  }
  void clear() { std::fill(head_.begin(), head_.end(), -1); }

  std::uint32_t slot(const Vector3d& p) const {
    return slot(floor(p.x() * inverse_cell_), floor(p.y() * inverse_cell_),
                floor(p.z() * inverse_cell_));
  }
  void insert(int i, std::uint32_t slot) {
    next_[i] = head_[slot];
    head_[slot] = i;
  }
  void remove(int i, std::uint32_t slot) {
    int* link = &head_[slot];
    while (*link != i) link = &next_[*link];
    *link = next_[i];
  }

  /// Calls f(j) for all entries of the cells that a ball can touch, until f returns true.
  template <class F>
  bool any(const Vector3d& p, double reach, F&& f) const {
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
      low[k] = floor((p[k] - reach) * inverse_cell_);
      high[k] = floor((p[k] + reach) * inverse_cell_);
    }
    for (int x = low[0]; x <= high[0]; ++x) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int z = low[2]; z <= high[2]; ++z) {
          for (int j = head_[slot(x, y, z)]; j >= 0; j = next_[j]) {
            if (f(j)) return true;
          }
        }
      }
    }
    return false;
  }

 private:
  std::uint32_t slot(int x, int y, int z) const {
    return (static_cast<std::uint32_t>(x) * 73856093u ^ static_cast<std::uint32_t>(y) * 19349663u ^
            static_cast<std::uint32_t>(z) * 83492791u) &
           mask_;
  }
  static int floor(double v) {  // std::floor is a call without SSE4
    const int i = static_cast<int>(v);
    return i - (v < i);
  }

  double inverse_cell_ = 1;
  std::uint32_t mask_ = 0;
  std::vector<int> head_, next_;
};

}  // namespace catena::bench
