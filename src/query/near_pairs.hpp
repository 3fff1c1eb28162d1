#pragma once

#include "workspace_impl.hpp"

namespace catena::internal {

/// Boxes of the chain tree's nodes at the poses at hand. `margin(part)`: how much farther than it
/// is a part is to reach, in metres.
template <class Margin>
void set_boxes(const CollisionWorld& world, Workspace::Impl& ws, const Margin& margin) {
  const ChainTree& tree = world.chain_tree();
  const auto nodes = tree.nodes();
  for (size_t n = nodes.size(); n-- > 0;) {
    const ChainTree::Node& node = nodes[n];
    if (node.left >= 0) {
      ws.boxes[n] = ws.boxes[static_cast<size_t>(node.left)].merged(
          ws.boxes[static_cast<size_t>(node.right)]);
      continue;
    }
    if (node.part < 0) continue;  // stays empty
    const ChainTree::Part& part = tree.parts()[static_cast<size_t>(node.part)];
    if (!std::isfinite(part.radius)) {
      ws.boxes[n] = FloatBox::all();
      continue;
    }
    const RigidEnclosure& X = ws.X_WL[static_cast<size_t>(part.link.value)];
    const Vector3d ball = X.X * part.center, box = X.X * part.box.center;
    const Vector3d half = (X.X.R * part.box.axes).cwiseAbs() * part.box.half;
    // The rounding of the lines above is far below the last term.
    const double size = part.center.cwiseAbs().sum() + part.box.center.cwiseAbs().sum() +
                        part.box.half.sum() + part.radius;
    const double more = bound_above(
        margin(node.part) + 2.0 * X.point_error(size) + (X.rotation_error + 1e-13) * size, 10);
    const Vector3d reach = Vector3d::Constant(part.radius);
    ws.boxes[n] = FloatBox::around((ball - reach).cwiseMax(box - half) - Vector3d::Constant(more),
                                   (ball + reach).cwiseMin(box + half) + Vector3d::Constant(more));
  }
}

/// Calls visit(a, b), a < b, for every two parts whose boxes are not proven disjoint, but for those
/// of one rigid piece, until it returns true; then so does this.
template <class Visit>
bool visit_near_parts(const CollisionWorld& world, Workspace::Impl& ws, QueryStats& stats,
                      const Visit& visit) {
  const auto nodes = world.chain_tree().nodes();
  auto& stack = ws.node_stack;
  stack.clear();
  for (const ChainTree::Node& top : nodes) {
    // The root may carry several robots, and so one thing that meets another.
    if (top.left < 0 || (top.rigid && top.anchor.value != 0)) continue;
    stack.emplace_back(top.left, top.right);
    while (!stack.empty()) {
      const auto [i, k] = stack.back();
      stack.pop_back();
      ++stats.box_tests;
      if (disjoint(ws.boxes[static_cast<size_t>(i)], ws.boxes[static_cast<size_t>(k)])) continue;
      const ChainTree::Node& a = nodes[static_cast<size_t>(i)];
      const ChainTree::Node& b = nodes[static_cast<size_t>(k)];
      if (a.left < 0 && b.left < 0) {
        if (visit(std::min(a.part, b.part), std::max(a.part, b.part))) return true;
      } else if (b.left < 0 || (a.left >= 0 && a.num_parts >= b.num_parts)) {
        stack.emplace_back(a.right, k);
        stack.emplace_back(a.left, k);
      } else {
        stack.emplace_back(i, b.right);
        stack.emplace_back(i, b.left);
      }
    }
  }
  return false;
}

/// The same for a part and a leaf of a tree over the scene: visit(part, leaf).
///
/// A node hands the scene's nodes that it may meet, no larger than itself, down to its children.
template <class Visit>
class NearScene {
 public:
  NearScene(const CollisionWorld& world, const SceneTree::Tree& scene, Workspace::Impl& ws,
            QueryStats& stats, const Visit& visit)
      : nodes_(world.chain_tree().nodes()), scene_(scene), ws_(ws), stats_(stats), visit_(visit) {}

  bool run() {
    if (nodes_.empty() || scene_.nodes.empty()) return false;
    ws_.scene_nodes.clear();
    ws_.scene_nodes.push_back(0);
    return descend(0, 0, 1);
  }

 private:
  bool descend(int n, size_t first, size_t last) {
    const ChainTree::Node& node = nodes_[static_cast<size_t>(n)];
    const FloatBox& box = ws_.boxes[static_cast<size_t>(n)];
    const bool leaf = node.left < 0;
    const float size = box.size();
    auto& list = ws_.scene_nodes;
    const size_t kept = list.size();
    // Refined in place: what is kept moves to the front of the new list, what is left is a stack.
    for (size_t i = first; i < last; ++i) {
      size_t end = list.size();
      const size_t base = end;
      list.push_back(list[i]);
      end = base;  // [kept, end): kept; [end, size): still to be looked at
      while (list.size() > end) {
        const int s = list.back();
        list.pop_back();
        ++stats_.box_tests;
        const FloatBox& other = scene_.boxes[static_cast<size_t>(s)];
        if (disjoint(box, other)) continue;
        const SceneTree::Node& obstacle = scene_.nodes[static_cast<size_t>(s)];
        if (obstacle.left < 0 || (!leaf && other.size() <= size)) {
          list.push_back(s);
          std::swap(list[end], list.back());
          ++end;
          continue;
        }
        list.push_back(obstacle.left + 1);
        list.push_back(obstacle.left);
      }
    }
    const size_t stop = list.size();
    bool found = false;
    if (leaf) {
      for (size_t i = kept; i < stop && !found; ++i) {
        found = visit_(node.part, scene_.nodes[static_cast<size_t>(list[i])]);
      }
    } else if (stop > kept) {
      found = descend(node.left, kept, stop) || descend(node.right, kept, stop);
    }
    list.resize(kept);
    return found;
  }

  std::span<const ChainTree::Node> nodes_;
  const SceneTree::Tree& scene_;
  Workspace::Impl& ws_;
  QueryStats& stats_;
  const Visit& visit_;
};

template <class Visit>
bool visit_near_scene(const CollisionWorld& world, const SceneTree::Tree& scene,
                      Workspace::Impl& ws, QueryStats& stats, const Visit& visit) {
  return NearScene<Visit>(world, scene, ws, stats, visit).run();
}

}  // namespace catena::internal
