#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "catena/hierarchy/chain_tree.hpp"

namespace catena {

/// Pairs of a chain tree's nodes of which nothing is checked: no part below the one against any
/// below the other. A search drops such a pair as a whole, so that what is excepted, but overlaps
/// in every state, costs no descent to each pair of parts.
///
/// Only pairs with two parts below one of the nodes are told; a search asks about two parts anyway.
///
/// Denotes   of the pairs of nodes without a part in common, exactly those (docs/rigor.md, R8).
///           Poses do not enter.
/// Cost      memory and build O((E + n) log n) for n parts and E pairs of parts that are not
///           checked; nothing is kept of a chain of which only neighbours are excepted. A question
///           is one comparison where the first node is in no pair that reaches the second, else
///           O(log E).
/// Threads   immutable after construction: share it.
class UncheckedNodes {
 public:
  /// Which parts are not checked against each other, by groups (the bodies of a CollisionWorld):
  /// those of one group, and those of group g and of each of unchecked[first[g]] to
  /// unchecked[first[g + 1] - 1], which name g as well. A group may be without parts.
  struct Groups {
    std::span<const int> of_part;    ///< the group of every part of the tree
    std::span<const int> unchecked;  ///< the groups that each one names, one after the other
    std::span<const int> first;      ///< one more than there are groups
  };

  /// Empty.
  UncheckedNodes() = default;
  /// @pre of_part has an entry for every part of the tree, and first is as Groups says
  UncheckedNodes(const ChainTree& tree, const Groups& groups);

  /// There is no such pair, and `contains` must not be asked.
  bool empty() const noexcept { return ranges_.empty(); }

  /// Of two nodes without a part in common, in any order: true only if nothing below the one is
  /// checked against anything below the other. False for such a pair only if there are fewer than
  /// two parts below each.
  /// @pre not empty()
  bool contains(int i, int k) const noexcept {
    const Node& node = nodes_[static_cast<size_t>(std::min(i, k))];
    k = std::max(i, k);
    if (k >= node.reach) return false;
    const auto first = ranges_.begin() + node.first_range;
    const auto last = ranges_.begin() + (&node + 1)->first_range;
    const auto after = std::upper_bound(
        first, last, k, [](int other, const Range& range) { return other < range.first; });
    return after != first && k < (after - 1)->last;
  }

 private:
  friend class UncheckedNodesBuilder;
  struct Range {
    int first, last;  // a node and what is below it, [first, last)
  };
  // The highest nodes after a node that it is in a pair with, in order: ranges_ from first_range up
  // to the next node's; all of them end before `reach`, which is 0 where there are none.
  struct Node {
    int first_range = 0, reach = 0;
  };
  std::vector<Node> nodes_;  // one more than the tree has
  std::vector<Range> ranges_;
};

}  // namespace catena
