#include "catena/hierarchy/chain_tree.hpp"

#include <algorithm>
#include <cmath>

#include "catena/model/motion.hpp"

namespace catena {

namespace {

// Sums over the centres of parts: how many, where, and how they spread.
struct Moments {
  double count = 0.0;
  Vector3d sum = Vector3d::Zero();
  Matrix3d squares = Matrix3d::Zero();
  double radii = 0.0;

  Moments& operator+=(const Moments& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    radii += other.radii;
    return *this;
  }
  Moments operator-(const Moments& other) const {
    return {count - other.count, sum - other.sum, squares - other.squares, radii - other.radii};
  }

  // Half the surface of a box with the same spread along its axes as uniformly spread parts have.
  double surface() const {
    if (count < 0.5) return 0.0;
    const Vector3d mean = sum / count;
    const Matrix3d spread = squares / count - mean * mean.transpose();
    // The eigenvalues of a symmetric matrix in closed form; rounding may make them negative.
    const double q = spread.trace() / 3.0;
    const Matrix3d rest = spread - q * Matrix3d::Identity();
    const double p = std::sqrt(std::max(0.0, rest.squaredNorm() / 6.0));
    Vector3d lambda(q, q, q);
    if (p > 0.0) {
      const double half = std::clamp((rest / p).determinant() / 2.0, -1.0, 1.0);
      const double phi = std::acos(half) / 3.0;
      constexpr double kThird = 2.0943951023931953;  // of a turn
      lambda = {q + 2.0 * p * std::cos(phi), q + 2.0 * p * std::cos(phi + kThird), 0.0};
      lambda[2] = 3.0 * q - lambda[0] - lambda[1];
    }
    const Vector3d h = (3.0 * lambda.cwiseMax(0.0)).cwiseSqrt() + Vector3d::Constant(radii / count);
    return h.x() * h.y() + h.y() * h.z() + h.z() * h.x();
  }
};

}  // namespace

struct ChainTreeBuilder {
  ChainTree& tree;
  const Robot& robot;
  std::vector<std::vector<int>> parts_of;     // of every link
  std::vector<std::vector<int>> children_of;  // of every link, the heaviest first
  std::vector<int> weight;                    // of every link's subtree
  std::vector<Moments> moments;               // of every link's subtree, at the zero positions

  void run() {
    const int n = robot.num_links();
    tree.links_.resize(static_cast<size_t>(n));
    parts_of.resize(static_cast<size_t>(n));
    children_of.resize(static_cast<size_t>(n));
    weight.assign(static_cast<size_t>(n), 1);
    for (size_t i = 0; i < tree.parts_.size(); ++i) {
      parts_of[index(tree.parts_[i].link)].push_back(static_cast<int>(i));
      ++weight[index(tree.parts_[i].link)];
    }
    for (int i = n - 1; i > 0; --i) {
      const LinkIndex parent = robot.parent(LinkIndex(i));
      weight[index(parent)] += weight[static_cast<size_t>(i)];
      children_of[index(parent)].push_back(i);
    }
    for (auto& children : children_of) {
      std::sort(children.begin(), children.end(), [&](int a, int b) {
        const int wa = weight[static_cast<size_t>(a)], wb = weight[static_cast<size_t>(b)];
        return wa != wb ? wa > wb : a > b;
      });
    }
    walk();
    sum_moments();
    if (!tree.parts_.empty()) build_chain(0, -1, 1);
  }

  static size_t index(LinkIndex i) { return static_cast<size_t>(i.value); }
  ChainTree::Link& link(int i) { return tree.links_[static_cast<size_t>(i)]; }
  ChainTree::Node& node(int i) { return tree.nodes_[static_cast<size_t>(i)]; }

  // Numbers the links so that every subtree is a range, and finds the heavy paths.
  void walk() {
    std::vector<int> stack{0};
    int count = 0;
    link(0).head = LinkIndex(0);
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      ChainTree::Link& l = link(i);
      l.parent = robot.parent(LinkIndex(i));
      l.enter = count++;
      const auto& children = children_of[static_cast<size_t>(i)];
      for (size_t k = children.size(); k-- > 0;) {
        link(children[k]).head = k == 0 ? l.head : LinkIndex(children[k]);
        stack.push_back(children[k]);
      }
    }
    for (auto& l : tree.links_) l.leave = l.enter + 1;
    for (int i = robot.num_links() - 1; i > 0; --i) {
      ChainTree::Link& parent = link(robot.parent(LinkIndex(i)).value);
      parent.leave = std::max(parent.leave, link(i).leave);
    }
  }

  void sum_moments() {
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
    link_poses(robot, robot.zero_positions(), X_WL);
    moments.resize(X_WL.size());
    for (const ChainTree::Part& part : tree.parts_) {
      const Vector3d center = X_WL[index(part.link)].X * part.center;
      moments[index(part.link)] += Moments{1.0, center, center * center.transpose(), part.radius};
    }
    for (int i = robot.num_links() - 1; i > 0; --i) {
      moments[index(robot.parent(LinkIndex(i)))] += moments[static_cast<size_t>(i)];
    }
  }

  int add_node(int parent, LinkIndex anchor, int depth) {
    tree.nodes_.emplace_back();
    tree.nodes_.back().parent = parent;
    tree.nodes_.back().anchor = anchor;
    tree.depth_ = std::max(tree.depth_, depth);
    return static_cast<int>(tree.nodes_.size()) - 1;
  }

  void adopt(int parent, int left, int left_slot, int right, int right_slot) {
    ChainTree::Node& p = node(parent);
    p.left = left;
    p.right = right;
    p.left_slot = left_slot;
    p.right_slot = right_slot;
    p.num_parts = node(left).num_parts + node(right).num_parts;
    p.rigid = node(left).rigid && node(right).rigid && left_slot == 0 && right_slot == 0;
  }

  // The heavy path from `top` down, with all that hangs from it.
  int build_chain(int top, int parent, int depth) {
    std::vector<int> links;
    for (int i = top;;) {
      links.push_back(i);
      const auto& children = children_of[static_cast<size_t>(i)];
      if (children.empty()) break;
      i = children.front();
    }
    Chain chain{std::move(links), {0}, {{}}};
    for (size_t k = 0; k < chain.links.size(); ++k) {
      const auto here = static_cast<size_t>(chain.links[k]);
      int own = weight[here];
      Moments spread = moments[here];
      if (k + 1 < chain.links.size()) {
        own -= weight[static_cast<size_t>(chain.links[k + 1])];
        spread = spread - moments[static_cast<size_t>(chain.links[k + 1])];
      }
      chain.weights.push_back(chain.weights.back() + own);
      chain.moments.push_back(chain.moments.back());
      chain.moments.back() += spread;
    }
    return build_run(chain, 0, chain.links.size(), parent, depth).first;
  }

  // A heavy path; weights[k] and moments[k] are those of its links before k with all that hangs
  // from them.
  struct Chain {
    std::vector<int> links;
    std::vector<int> weights;
    std::vector<Moments> moments;
  };

  // Where the two halves take the smallest boxes, each weighted by its parts, at the zero
  // positions: at the turns of a folded chain, say. Neither gets less than a quarter of the weight,
  // so that the depth stays logarithmic.
  static size_t best_split(const Chain& chain, size_t first, size_t last) {
    const auto weight_at = [&](size_t k) {
      return static_cast<double>(chain.weights[k] - chain.weights[first]);
    };
    const double all = weight_at(last);
    size_t best = 0;
    double best_cost = kInfinity;
    for (size_t k = first + 1; k < last; ++k) {
      const double share = weight_at(k) / all;
      if (share < 0.25 || share > 0.75) continue;
      const Moments left = chain.moments[k] - chain.moments[first];
      const Moments right = chain.moments[last] - chain.moments[k];
      const double cost = (left.surface() * left.count + right.surface() * right.count) *
                          (1.0 + 0.2 * (share - 0.5) * (share - 0.5));
      if (cost < best_cost) {
        best_cost = cost;
        best = k;
      }
    }
    if (best != 0) return best;
    const auto begin = chain.weights.begin();
    const int half = (chain.weights[first] + chain.weights[last]) / 2;
    const auto middle = std::lower_bound(begin + static_cast<std::ptrdiff_t>(first) + 1,
                                         begin + static_cast<std::ptrdiff_t>(last) - 1, half);
    return static_cast<size_t>(middle - begin);
  }

  // Links [first, last) of a chain; the node, and the slot of X_(first)(last).
  std::pair<int, int> build_run(const Chain& chain, size_t first, size_t last, int parent,
                                int depth) {
    const auto& links = chain.links;
    if (last - first == 1) {
      const int slot = last < links.size() ? links[last] : 0;
      return {build_link(links[first], parent, depth), slot};
    }
    const size_t middle = best_split(chain, first, last);
    const int self = add_node(parent, LinkIndex(links[first]), depth);
    const auto [left, left_shortcut] = build_run(chain, first, middle, self, depth + 1);
    const auto [right, right_shortcut] = build_run(chain, middle, last, self, depth + 1);
    adopt(self, left, 0, right, left_shortcut);
    link(links[middle]).joint_node = self;
    if (last == links.size()) return {self, 0};
    return {self, add_shortcut(left_shortcut, right_shortcut)};
  }

  int add_shortcut(int first, int second) {
    const int slot = tree.num_slots();
    tree.shortcuts_.push_back({first, second, 0});
    for (const int operand : {first, second}) {
      if (operand < tree.num_links()) {
        link(operand).user = slot;
      } else {
        tree.shortcuts_[static_cast<size_t>(operand - tree.num_links())].user = slot;
      }
    }
    return slot;
  }

  // What a link carries, and the chains that hang from it but for the one that goes on.
  int build_link(int i, int parent, int depth) {
    const auto& children = children_of[static_cast<size_t>(i)];
    const bool alone = children.size() <= 1;
    auto& parts = parts_of[static_cast<size_t>(i)];
    if (alone) return build_parts(i, parts, 0, parts.size(), parent, depth);
    // Item -1: what it carries; else: the chain from that child.
    std::vector<int> items(children.begin() + 1, children.end());
    items.insert(items.begin(), -1);
    return build_items(i, items, 0, items.size(), parent, depth);
  }

  int weight_of(int i, int item) const {
    return item < 0 ? static_cast<int>(parts_of[static_cast<size_t>(i)].size()) + 1
                    : weight[static_cast<size_t>(item)];
  }

  int build_items(int i, const std::vector<int>& items, size_t first, size_t last, int parent,
                  int depth) {
    if (last - first == 1) {
      const int item = items[first];
      if (item >= 0) return build_chain(item, parent, depth);
      const auto& parts = parts_of[static_cast<size_t>(i)];
      return build_parts(i, parts, 0, parts.size(), parent, depth);
    }
    int total = 0;
    for (size_t k = first; k < last; ++k) total += weight_of(i, items[k]);
    size_t middle = first + 1;
    for (int sum = weight_of(i, items[first]);
         middle + 1 < last && 2 * sum + weight_of(i, items[middle]) < total; ++middle) {
      sum += weight_of(i, items[middle]);
    }
    const int self = add_node(parent, LinkIndex(i), depth);
    const int left = build_items(i, items, first, middle, self, depth + 1);
    const int right = build_items(i, items, middle, last, self, depth + 1);
    const auto slot = [&](size_t from, size_t to) {
      if (to - from > 1 || items[from] < 0) return 0;
      link(items[from]).joint_node = self;
      return items[from];
    };
    const int left_slot = slot(first, middle), right_slot = slot(middle, last);
    adopt(self, left, left_slot, right, right_slot);
    return self;
  }

  int build_parts(int i, const std::vector<int>& parts, size_t first, size_t last, int parent,
                  int depth) {
    const int self = add_node(parent, LinkIndex(i), depth);
    if (last - first <= 1) {
      if (last > first) {
        node(self).part = parts[first];
        node(self).num_parts = 1;
      }
      return self;
    }
    std::vector<int> order(parts.begin() + static_cast<std::ptrdiff_t>(first),
                           parts.begin() + static_cast<std::ptrdiff_t>(last));
    const auto center = [&](int k) -> const Vector3d& {
      return tree.parts_[static_cast<size_t>(k)].center;
    };
    Vector3d lo = center(order[0]), hi = lo;
    for (const int k : order) {
      lo = lo.cwiseMin(center(k));
      hi = hi.cwiseMax(center(k));
    }
    int axis = 0;
    (hi - lo).maxCoeff(&axis);
    const size_t middle = order.size() / 2;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle),
                     order.end(), [&](int a, int b) {
                       return center(a)[axis] < center(b)[axis] ||
                              (center(a)[axis] == center(b)[axis] && a < b);
                     });
    const int left = build_parts(i, order, 0, middle, self, depth + 1);
    const int right = build_parts(i, order, middle, order.size(), self, depth + 1);
    adopt(self, left, 0, right, 0);
    return self;
  }
};

ChainTree::ChainTree(const Robot& robot, std::vector<Part> parts) : parts_(std::move(parts)) {
  for (Part& part : parts_) {
    part.reach =
        part.center.lpNorm<1>() + part.box.center.lpNorm<1>() + part.box.half.sum() + part.radius;
  }
  ChainTreeBuilder{*this, robot, {}, {}, {}, {}}.run();
  pack();
}

static_assert(sizeof(ChainTree::Leaf) == 64);

void ChainTree::pack() {
  for (size_t n = nodes_.size(); n-- > 0;) {
    const Node& node = nodes_[n];
    if (node.left >= 0) {
      // On the root's link two robots may stand, whose parts are checked against each other though
      // nothing moves them.
      merges_.push_back({static_cast<int>(n), node.right, !node.rigid || node.anchor.value == 0});
      continue;
    }
    if (node.part < 0) continue;
    const Part& part = parts_[static_cast<size_t>(node.part)];
    Leaf leaf{};
    leaf.link = part.link.value;
    leaf.node = static_cast<int>(n);
    leaf.part = node.part;
    leaf.box = part.half_line.isZero(0.0) ? kBall : kLine;
    leaf.reach = float_above(part.reach);
    Vector3d::Map(leaf.center) = part.box.center;
    // Rounding of the floats to the nearest, on all three axes; the least ones are off by less than
    // kRounding times 1e-30.
    constexpr double kRounding = 3.0 * 0x1p-24;
    if (part.line_radius < kInfinity) {
      for (int i = 0; i < 3; ++i) leaf.half_line[i] = static_cast<float>(part.half_line[i]);
      leaf.radius =
          float_above(part.line_radius + kRounding * (part.half_line.lpNorm<1>() + 1e-30));
    } else {
      leaf.box = static_cast<int>(leaf_boxes_.size());
      const Matrix3d edges = part.box.axes * part.box.half.asDiagonal();
      const Vector3d ball = part.center - part.box.center;
      LeafBox& box = leaf_boxes_.emplace_back();
      for (int i = 0; i < 9; ++i) box.edges[i] = static_cast<float>(edges.data()[i]);
      for (int i = 0; i < 3; ++i) box.ball_center[i] = static_cast<float>(ball[i]);
      // The edges and the ball's centre were rounded as doubles before, each number once: on all
      // three axes by less than 1e-15 of the reach.
      leaf.radius = float_above(kRounding * (edges.cwiseAbs().sum() + ball.lpNorm<1>() + 1e-30) +
                                1e-15 * part.reach);
      box.ball_radius = float_above(part.radius);
    }
    leaves_.push_back(leaf);
  }
  std::sort(leaves_.begin(), leaves_.end(), [](const Leaf& a, const Leaf& b) {
    return a.link != b.link ? a.link < b.link : a.node < b.node;
  });
}

LinkIndex ChainTree::common_ancestor(LinkIndex a, LinkIndex b) const noexcept {
  while (link(a).head != link(b).head) {
    // Leave the path whose head lies deeper.
    LinkIndex& lower = link(link(a).head).enter > link(link(b).head).enter ? a : b;
    lower = link(link(lower).head).parent;
  }
  return link(a).enter < link(b).enter ? a : b;
}

}  // namespace catena
