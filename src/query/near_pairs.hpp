#pragma once

#include "hierarchy/world_boxes.hpp"
#include "workspace_impl.hpp"

namespace catena::internal {

/// Boxes of the chain tree's nodes at the poses at hand, every part reaching farther than it is: by
/// margins[part] or, where there are none (nullptr), by `margin`; in metres.
inline void set_boxes(const CollisionWorld& world, Workspace::Impl& ws, const double* margins,
                      double margin, QueryStats& stats) {
  const ChainTree& tree = world.chain_tree();
  place_leaves(tree, ws.X_WL.data(), margins, margin, ws.boxes.data());
  ws.num_open = merge_leaves(tree, ws.boxes.data(), ws.open.data());
  ws.boxes_of = ws.moved;
  stats.box_tests += tree.merges().size();
}
inline void set_boxes(const CollisionWorld& world, Workspace::Impl& ws, double margin,
                      QueryStats& stats) {
  set_boxes(world, ws, nullptr, margin, stats);
}
inline void set_boxes_with_margins(const CollisionWorld& world, Workspace::Impl& ws,
                                   QueryStats& stats) {
  set_boxes(world, ws, ws.margins.data(), 0.0, stats);
}

/// A part below a node, and a leaf below a node of a tree over the scene.
inline int first_part(const ChainTree& tree, int n) {
  while (tree.nodes()[static_cast<size_t>(n)].left >= 0) {
    const ChainTree::Node& node = tree.nodes()[static_cast<size_t>(n)];
    const bool left = tree.nodes()[static_cast<size_t>(node.left)].num_parts > 0;
    n = left ? node.left : node.right;
  }
  return tree.nodes()[static_cast<size_t>(n)].part;
}
inline const SceneTree::Node& first_leaf(const SceneTree::Tree& tree, int n) {
  while (tree.nodes[static_cast<size_t>(n)].left >= 0) {
    n = tree.nodes[static_cast<size_t>(n)].left;
  }
  return tree.nodes[static_cast<size_t>(n)];
}

/// Calls visit(a, b), a < b, for every two parts whose boxes are not proven disjoint, until it
/// returns true; then so does this. Left out are those of one rigid piece, and some of the pairs
/// that are not checked. With more than `budget` visited pairs (0: no budget) the last call is
/// over(a, b), of two parts that are left open.
template <class Visit, class Over>
bool visit_near_parts(const CollisionWorld& world, Workspace::Impl& ws, QueryStats& stats,
                      std::uint64_t budget, const Visit& visit, const Over& over) {
  const auto nodes = world.chain_tree().nodes();
  const UncheckedNodes* const unchecked = world.unchecked_nodes();
  auto& stack = ws.node_stack;
  const auto push = [&](int i, int k) {
    if (unchecked != nullptr && unchecked->contains(i, k)) return;
    ++stats.box_tests;
    if (!disjoint(ws.boxes[static_cast<size_t>(i)], ws.boxes[static_cast<size_t>(k)])) {
      stack.emplace_back(i, k);
    }
  };
  for (int n = ws.num_open; n-- > 0;) {
    const auto [left, right] = ws.open[static_cast<size_t>(n)];
    if (unchecked != nullptr && unchecked->contains(left, right)) continue;
    stack.assign(1, {left, right});
    while (!stack.empty()) {
      const auto [i, k] = stack.back();
      stack.pop_back();
      if (budget != 0 && stats.visited() > budget) {
        const int a = first_part(world.chain_tree(), i), b = first_part(world.chain_tree(), k);
        over(std::min(a, b), std::max(a, b));
        return true;
      }
      const ChainTree::Node& a = nodes[static_cast<size_t>(i)];
      const ChainTree::Node& b = nodes[static_cast<size_t>(k)];
      if (a.left < 0 && b.left < 0) {
        if (visit(std::min(a.part, b.part), std::max(a.part, b.part))) return true;
      } else if (b.left < 0 || (a.left >= 0 && a.num_parts >= b.num_parts)) {
        push(a.right, k);
        push(a.left, k);
      } else {
        push(i, b.right);
        push(i, b.left);
      }
    }
  }
  return false;
}

/// Appends the nodes of a tree over the scene that `box` may meet, down to those that are
/// enough(node, sum of its box's edges), or leaves, out of those at [first, last) of the list.
template <class Enough>
void refine(const SceneTree::Tree& scene, const FloatBox& box, std::vector<int>& list, size_t first,
            size_t last, QueryStats& stats, const Enough& enough) {
  for (size_t i = first; i < last; ++i) {
    // What is kept moves to the front, what is still to be looked at is a stack behind it.
    size_t end = list.size();
    list.push_back(list[i]);
    while (list.size() > end) {
      const int s = list.back();
      list.pop_back();
      ++stats.box_tests;
      const FloatBox& other = scene.boxes[static_cast<size_t>(s)];
      if (disjoint(box, other)) continue;
      const SceneTree::Node& obstacle = scene.nodes[static_cast<size_t>(s)];
      if (obstacle.left < 0 || enough(obstacle, other.size())) {
        list.push_back(s);
        std::swap(list[end], list.back());
        ++end;
      } else {
        list.push_back(obstacle.left + 1);
        list.push_back(obstacle.left);
      }
    }
  }
}

/// Down to those no larger than it; for a leaf: to the tree's leaves.
inline void refine(const SceneTree::Tree& scene, const FloatBox& box, bool leaf,
                   std::vector<int>& list, size_t first, size_t last, QueryStats& stats) {
  const float size = leaf ? -1.0F : box.size();
  refine(scene, box, list, first, last, stats,
         [size](const SceneTree::Node&, float other) { return other <= size; });
}

/// The same for a part and a leaf of a tree over the scene: visit(part, leaf).
///
/// A node hands the scene's nodes that it may meet, no larger than itself, down to its children.
template <class Visit, class Over>
class NearScene {
 public:
  NearScene(const CollisionWorld& world, const SceneTree::Tree& scene, Workspace::Impl& ws,
            QueryStats& stats, std::uint64_t budget, const Visit& visit, const Over& over)
      : tree_(world.chain_tree()),
        nodes_(tree_.nodes()),
        scene_(scene),
        ws_(ws),
        stats_(stats),
        budget_(budget),
        visit_(visit),
        over_(over) {}

  bool run() {
    if (nodes_.empty() || scene_.nodes.empty()) return false;
    ws_.scene_nodes.clear();
    ws_.scene_nodes.push_back(0);
    return descend(0, 0, 1);
  }

 private:
  bool descend(int n, size_t first, size_t last) {
    const ChainTree::Node& node = nodes_[static_cast<size_t>(n)];
    const bool leaf = node.left < 0;
    auto& list = ws_.scene_nodes;
    const size_t kept = list.size();
    refine(scene_, ws_.boxes[static_cast<size_t>(n)], leaf, list, first, last, stats_);
    const size_t stop = list.size();
    bool found = false;
    if (stop > kept && budget_ != 0 && stats_.visited() > budget_) {
      over_(first_part(tree_, n), first_leaf(scene_, list[kept]));
      found = true;
    } else if (leaf) {
      for (size_t i = kept; i < stop && !found; ++i) {
        found = visit_(node.part, scene_.nodes[static_cast<size_t>(list[i])]);
      }
    } else if (stop > kept) {
      found = descend(node.left, kept, stop) || descend(node.right, kept, stop);
    }
    list.resize(kept);
    return found;
  }

  const ChainTree& tree_;
  std::span<const ChainTree::Node> nodes_;
  const SceneTree::Tree& scene_;
  Workspace::Impl& ws_;
  QueryStats& stats_;
  std::uint64_t budget_;
  const Visit& visit_;
  const Over& over_;
};

template <class Visit, class Over>
bool visit_near_scene(const CollisionWorld& world, const SceneTree::Tree& scene,
                      Workspace::Impl& ws, QueryStats& stats, std::uint64_t budget,
                      const Visit& visit, const Over& over) {
  return NearScene<Visit, Over>(world, scene, ws, stats, budget, visit, over).run();
}

}  // namespace catena::internal
