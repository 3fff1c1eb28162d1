#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "catena/query/result.hpp"

namespace catena::internal {

/// What a method has cost, in pairs of boxes looked at.
class MethodCost {
 public:
  explicit MethodCost(const QueryStats& stats) noexcept : before_(of(stats)) {}
  double since(const QueryStats& stats) const noexcept { return of(stats) - before_; }

 private:
  // Two geometries cost as much as so many boxes, roughly.
  static constexpr double kPair = 20.0;
  static double of(const QueryStats& stats) noexcept {
    return static_cast<double>(stats.box_tests) + kPair * static_cast<double>(stats.pair_tests);
  }

  double before_;
};

/// Tree or grid? The one that has been cheaper for questions of about the same size: the tree
/// first, and again now and then, should the chain have come loose. No number tells a tangled chain
/// beforehand, as one that a tree divides well can be as densely packed.
class MethodChoice {
 public:
  /// What the grid costs a ball, so long as it has not been asked; and how many pairs of boxes each
  /// thing that it looks at is worth.
  MethodChoice(double grid_cost, double grid_unit) noexcept : unit_(grid_unit) {
    for (Record& r : records_) r.grid.mean = grid_cost;
  }

  /// From now on always the one, however much it takes: for what tests or measures it.
  void use_only_tree() noexcept { only_ = Only::kTree; }
  void use_only_grid() noexcept { only_ = Only::kGrid; }
  bool only_tree() const noexcept { return only_ == Only::kTree; }
  std::uint64_t grid_answers() const noexcept { return grid_answers_; }

  /// `size`: how many balls the grid would look up.
  bool prefers_grid(int size) noexcept {
    if (only_ != Only::kNone) return only_ == Only::kGrid;
    Record& r = record(size);
    return size >= kFewest && r.tree.mean > r.grid.mean && ++r.asked % kProbe != 0;
  }
  /// So much may the tree visit before it is left for the grid: twice what that has cost.
  std::uint64_t most_visited(int size) noexcept {
    return 1000 +
           static_cast<std::uint64_t>(2.0 * record(size).grid.mean * std::max(size, kFewest));
  }
  void tree_took(int size, double cost) noexcept { record(size).tree.add(cost / (size + 1)); }
  void grid_took(int size, double cost) noexcept {
    record(size).grid.add(unit_ * cost / (size + 1));
    ++grid_answers_;
  }

 private:
  enum class Only : std::uint8_t { kNone, kTree, kGrid };

  static constexpr int kFewest = 128;          // below, a tree's few boxes are always cheaper
  static constexpr std::uint32_t kProbe = 64;  // of so many questions one is the tree's anyway

  /// Of the last costs a ball.
  struct Mean {
    double mean = 0.0;
    int count = 0;

    void add(double x) noexcept {
      count = std::min(count + 1, 16);
      mean += (x - mean) / count;
    }
  };
  struct Record {
    Mean tree, grid;
    std::uint32_t asked = 0;
  };
  Record& record(int size) noexcept {
    return records_[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size)))];
  }

  double unit_;
  Only only_ = Only::kNone;
  std::uint64_t grid_answers_ = 0;
  std::array<Record, 33> records_;
};

}  // namespace catena::internal
