// A tree over where the spheres are when it is made, and afterwards only refitted: what FCL and
// Bullet (merged upwards by hand) do, with its tests counted.
#include <algorithm>
#include <numeric>

#include "centre_method.hpp"
#include "chain_methods.hpp"

namespace catena::bench {
namespace {

class RefittedAabbTree : public CentreMethod {
  struct Node {
    Vector3d low, high;
    int right;   // the left child follows the node itself
    int sphere;  // of a leaf, else -1
  };

  void build() override {
    std::vector<int> order(centres_.size());
    std::iota(order.begin(), order.end(), 0);
    nodes_.clear();
    nodes_.reserve(2 * order.size());
    add(order);
    refit();
  }
  void moved(int) override { refit(); }
  bool is_free() override { return is_free(0); }

  /// Cut at the median of the longest axis.
  void add(std::span<int> spheres) {
    const size_t id = nodes_.size();
    nodes_.push_back(
        {Vector3d::Zero(), Vector3d::Zero(), -1, spheres.size() == 1 ? spheres[0] : -1});
    if (spheres.size() == 1) return;
    Vector3d low = centres_[spheres[0]], high = low;
    for (const int i : spheres) {
      low = low.cwiseMin(centres_[i]);
      high = high.cwiseMax(centres_[i]);
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const size_t half = spheres.size() / 2;
    std::nth_element(spheres.begin(), spheres.begin() + half, spheres.end(),
                     [&](int i, int j) { return centres_[i][axis] < centres_[j][axis]; });
    add(spheres.first(half));
    nodes_[id].right = static_cast<int>(nodes_.size());
    add(spheres.subspan(half));
  }

  void refit() {
    tests_.updates += static_cast<std::int64_t>(nodes_.size());
    for (size_t id = nodes_.size(); id-- > 0;) {
      Node& node = nodes_[id];
      if (node.sphere >= 0) {
        node.low = centres_[node.sphere].array() - radius_;
        node.high = centres_[node.sphere].array() + radius_;
      } else {
        node.low = nodes_[id + 1].low.cwiseMin(nodes_[node.right].low);
        node.high = nodes_[id + 1].high.cwiseMax(nodes_[node.right].high);
      }
    }
  }

  bool pair_is_free(int i, int j) {
    const Node &a = nodes_[i], &b = nodes_[j];
    ++tests_.boxes;
    if ((a.low.array() > b.high.array()).any() || (b.low.array() > a.high.array()).any()) {
      return true;
    }
    if (a.sphere >= 0 && b.sphere >= 0) {
      return !are_checked(a.sphere, b.sphere) || far_apart(a.sphere, b.sphere);
    }
    const bool split_a =
        a.sphere < 0 && (b.sphere >= 0 || (a.high - a.low).sum() >= (b.high - b.low).sum());
    if (split_a) return pair_is_free(i + 1, j) && pair_is_free(a.right, j);
    return pair_is_free(i, j + 1) && pair_is_free(i, b.right);
  }
  bool is_free(int i) {
    const Node& a = nodes_[i];
    if (a.sphere >= 0) return true;
    return pair_is_free(i + 1, a.right) && is_free(i + 1) && is_free(a.right);
  }

  std::vector<Node> nodes_;
};

}  // namespace

ChainMethods refitted_aabb_tree() {
  return {{"aabb_tree_refit", [] { return std::make_unique<RefittedAabbTree>(); }}};
}

}  // namespace catena::bench
