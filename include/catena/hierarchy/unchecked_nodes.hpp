#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "catena/hierarchy/chain_tree.hpp"

namespace catena {

/// Pairs of a chain tree's nodes of which nothing is checked: no part below the one against any
/// below the other. A search drops such a pair as a whole, so that what is excepted, but overlaps
/// in every state, costs no descent to each pair of parts.
///
/// Only pairs with two parts below one of the nodes are told; a search asks about two parts anyway.
///
/// Cost      memory and build O((E + n) log n) for n parts and E pairs of parts that are not
///           checked; nothing is kept of a chain of which only neighbours are excepted. A question
///           takes two bytes, or O(log E) where both nodes are in such a pair.
/// Threads   immutable after construction: share it.
class UncheckedNodes {
 public:
  /// Which parts are not checked against each other, by groups: those of one, and those of group g
  /// and of each of unchecked[first[g]] up to unchecked[first[g + 1]], in both directions. Groups
  /// without a part may be named as well.
  struct Groups {
    std::span<const int> of_part;  ///< of every part of the tree
    std::span<const int> unchecked, first;
  };

  UncheckedNodes() = default;
  UncheckedNodes(const ChainTree& tree, const Groups& groups);

  bool empty() const noexcept { return ranges_.empty(); }

  /// Of two nodes without a part in common, in any order: true only if nothing below the one is
  /// checked against anything below the other. False for such a pair only if there are fewer than
  /// two parts below each.
  bool contains(int i, int k) const noexcept {
    if (!in_a_pair_[static_cast<size_t>(i)] || !in_a_pair_[static_cast<size_t>(k)]) return false;
    if (i > k) std::swap(i, k);
    const auto first = ranges_.begin() + first_range_[static_cast<size_t>(i)];
    const auto last = ranges_.begin() + first_range_[static_cast<size_t>(i) + 1];
    const auto after = std::upper_bound(
        first, last, k, [](int node, const Range& range) { return node < range.first; });
    return after != first && k < (after - 1)->last;
  }

 private:
  friend class UncheckedNodesBuilder;
  struct Range {
    int first, last;  // a node and what is below it, [first, last)
  };
  std::vector<std::uint8_t> in_a_pair_;  // of every node
  // Of node i, the highest nodes after it that it is in a pair with, in order: ranges_ from
  // first_range_[i] up to first_range_[i + 1].
  std::vector<int> first_range_;
  std::vector<Range> ranges_;
};

}  // namespace catena
