#include "catena/hierarchy/unchecked_nodes.hpp"

namespace catena {

/// From the leaves up: what is unchecked against both children of a node is so against the node.
///
/// A set of parts is kept as its cover: the highest nodes below which are only parts of the set
/// (and nodes without parts), in order. A part counts as unchecked against itself meanwhile.
class UncheckedNodesBuilder {
 public:
  UncheckedNodesBuilder(const ChainTree& tree, const UncheckedNodes::Groups& groups,
                        UncheckedNodes& result)
      : nodes_(tree.nodes()), groups_(groups), result_(result), end_(nodes_.size()) {}

  void run() {
    for (size_t n = nodes_.size(); n-- > 0;) {
      end_[n] = nodes_[n].left < 0 ? static_cast<int>(n) + 1 : end_[at(nodes_[n].right)];
    }
    cover_groups();
    covers_.resize(nodes_.size());
    for (size_t n = nodes_.size(); n-- > 0;) {  // children come after their parents
      if (nodes_[n].num_parts > 0) covers_[n] = cover_of(nodes_[n]);
    }
    result_.nodes_.resize(nodes_.size() + 1);
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].num_parts > 0) add_pairs(static_cast<int>(n));
      result_.nodes_[n + 1].first_range = static_cast<int>(result_.ranges_.size());
    }
    if (result_.empty()) result_ = {};
    result_.ranges_.shrink_to_fit();
  }

 private:
  // Of store_.
  struct Cover {
    size_t first = 0, last = 0;
  };

  static size_t at(int i) { return static_cast<size_t>(i); }
  int num_parts(int n) const { return nodes_[at(n)].num_parts; }

  // Of each group, all that its parts are not checked against.
  void cover_groups() {
    const size_t count = groups_.first.size() - 1;
    std::vector<std::vector<int>> leaves(count);
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const int part = nodes_[n].part;
      if (part >= 0) leaves[at(groups_.of_part[at(part)])].push_back(static_cast<int>(n));
    }
    cover_of_group_.resize(count);
    std::vector<int> of_one;
    for (size_t g = 0; g < count; ++g) {
      if (leaves[g].empty()) continue;
      of_one = leaves[g];
      for (int k = groups_.first[g]; k < groups_.first[g + 1]; ++k) {
        const std::vector<int>& others = leaves[at(groups_.unchecked[at(k)])];
        of_one.insert(of_one.end(), others.begin(), others.end());
      }
      std::sort(of_one.begin(), of_one.end());
      cover_of_group_[g].first = store_.size();
      for (const int leaf : of_one) add_leaf(leaf, cover_of_group_[g].first);
      cover_of_group_[g].last = store_.size();
    }
  }

  // A leaf after all those in the cover at the end of the store.
  void add_leaf(int n, size_t first) {
    for (int parent = nodes_[at(n)].parent; parent >= 0; parent = nodes_[at(n)].parent) {
      const ChainTree::Node& above = nodes_[at(parent)];
      const int other = above.left == n ? above.right : above.left;
      if (num_parts(other) > 0) {
        if (store_.size() == first || store_.back() != other) break;
        store_.pop_back();
      }
      n = parent;
    }
    store_.push_back(n);
  }

  // What no part below a node is checked against, by the covers of its children.
  Cover cover_of(const ChainTree::Node& node) {
    if (node.left < 0) return cover_of_group_[at(groups_.of_part[at(node.part)])];
    if (num_parts(node.left) == 0) return covers_[at(node.right)];
    if (num_parts(node.right) == 0) return covers_[at(node.left)];
    return common(covers_[at(node.left)], covers_[at(node.right)]);
  }

  // What is in both. Of two nodes of which one is below the other, that is the lower.
  Cover common(Cover a, Cover b) {
    if (a.first == b.first && a.last == b.last) return a;
    const size_t first = store_.size();
    while (a.first < a.last && b.first < b.last) {
      const int i = store_[a.first], k = store_[b.first];
      const int end_i = end_[at(i)], end_k = end_[at(k)];
      if (end_i > k && end_k > i) store_.push_back(std::max(i, k));
      if (end_i <= end_k) ++a.first;
      if (end_k <= end_i) ++b.first;
    }
    return {first, store_.size()};
  }

  void add_pairs(int n) {
    const Cover cover = covers_[at(n)];
    for (size_t k = cover.first; k < cover.last; ++k) {
      const int other = store_[k];
      if (end_[at(other)] <= n || end_[at(n)] <= other) {
        add_pair(n, other);
        continue;
      }
      // One of them is below the other. Of a node above n count those that are beside the way to
      // it.
      for (int i = n; i > other; i = nodes_[at(i)].parent) {
        const ChainTree::Node& above = nodes_[at(nodes_[at(i)].parent)];
        const int beside = above.left == i ? above.right : above.left;
        if (num_parts(beside) > 0) add_pair(n, beside);
      }
    }
  }

  void add_pair(int n, int other) {
    if (other < n || (num_parts(n) == 1 && num_parts(other) == 1)) return;
    result_.ranges_.push_back({other, end_[at(other)]});
    result_.nodes_[at(n)].reach = end_[at(other)];
  }

  std::span<const ChainTree::Node> nodes_;
  const UncheckedNodes::Groups& groups_;
  UncheckedNodes& result_;
  std::vector<int> end_;                        // of every node: what is below it is [n, end)
  std::vector<int> store_;                      // covers, one after the other
  std::vector<Cover> cover_of_group_, covers_;  // of every group, of every node
};

UncheckedNodes::UncheckedNodes(const ChainTree& tree, const Groups& groups) {
  if (!tree.nodes().empty()) UncheckedNodesBuilder(tree, groups, *this).run();
}

}  // namespace catena
