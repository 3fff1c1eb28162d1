// The rivals of [Lotan2002] that keep no tree along the chain: one tree of oriented boxes over all
// spheres where they are (1-OBBTree), and one for each rigid piece, in the piece's own frame
// (K-OBBTree; two pieces when one joint turns). Trees are made anew for each step, since each step
// has other pieces, but a node is split only once a query gets there.
#include <algorithm>
#include <cstdlib>

#include <Eigen/Eigenvalues>

#include "centre_method.hpp"
#include "chain_methods.hpp"
#include "oriented_box.hpp"

namespace catena::bench {
namespace {

class LazyObbTree {
 public:
  explicit LazyObbTree(int leaf_size) : leaf_size_(leaf_size) {}

  struct Item {
    Vector3d p;
    int sphere;
  };
  struct Node {
    int first, last;  // items [first, last)
    int left;         // the right child follows it; -1: not split, or a leaf
    bool is_leaf;
    Matrix3d R;
    Vector3d centre, half;

    double size() const { return half.squaredNorm(); }
  };

  /// Over the spheres first .. last - 1.
  void reset(const std::vector<Vector3d>& centres, int first, int last, double radius) {
    radius_ = radius;
    items_.clear();
    for (int i = first; i < last; ++i) items_.push_back({centres[i], i});
    nodes_.clear();
    nodes_.reserve(2 * items_.size());
    add(0, last - first);
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int node) const { return nodes_[node]; }
  std::span<const Item> items(const Node& leaf) const {
    return std::span(items_).subspan(leaf.first, leaf.last - leaf.first);
  }

  /// The left child of a node that is no leaf.
  int split(int id) {
    if (nodes_[id].left >= 0) return nodes_[id].left;
    const Node node = nodes_[id];
    const auto begin = items_.begin() + node.first, end = items_.begin() + node.last;
    int axis = 0;
    node.half.maxCoeff(&axis);
    const Vector3d n = node.R.col(axis);
    // Between the extremes, which is cheaper than at the median and makes tighter boxes; spheres on
    // one spot are cut in halves.
    const double cut = n.dot(node.centre);
    auto middle = std::partition(begin, end, [&](const Item& x) { return n.dot(x.p) < cut; });
    if (middle == begin || middle == end) middle = begin + (end - begin) / 2;
    const int m = static_cast<int>(middle - items_.begin());
    const int left = static_cast<int>(nodes_.size());
    nodes_[id].left = left;
    add(node.first, m);
    add(m, node.last);
    return left;
  }

 private:
  void add(int first, int last) {
    Node node{first, last, -1, last - first <= leaf_size_, {}, {}, {}};
    const std::span<const Item> points = items(node);
    if (points.size() == 1) {
      node.R.setIdentity();
    } else {
      Vector3d sum = Vector3d::Zero();
      for (const Item& x : points) sum += x.p;
      const Vector3d mean = sum / static_cast<double>(points.size());
      double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
      for (const Item& x : points) {
        const Vector3d d = x.p - mean;
        xx += d.x() * d.x(), xy += d.x() * d.y(), xz += d.x() * d.z();
        yy += d.y() * d.y(), yz += d.y() * d.z(), zz += d.z() * d.z();
      }
      Matrix3d covariance;
      covariance << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      node.R = Eigen::SelfAdjointEigenSolver<Matrix3d>().computeDirect(covariance).eigenvectors();
    }
    Vector3d low = node.R.transpose() * points[0].p, high = low;
    for (const Item& x : points.subspan(1)) {
      const Vector3d p = node.R.transpose() * x.p;
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    node.centre = node.R * (0.5 * (low + high));
    node.half = (0.5 * (high - low)).array() + radius_;
    nodes_.push_back(node);
  }

  int leaf_size_;
  double radius_ = 0;
  std::vector<Item> items_;
  std::vector<Node> nodes_;
};

/// Whether spheres of two trees collide, the second one moved by X; or of one tree among
/// themselves.
class ObbTraversal {
 public:
  ObbTraversal(LazyObbTree& a, LazyObbTree& b, const RigidTransform& X, double radius,
               int unchecked, PairTests& tests)
      : a_(a), b_(b), X_(X), limit_(4 * radius * radius), unchecked_(unchecked), tests_(tests) {}

  bool pair_is_free(int i, int j) {
    const LazyObbTree::Node &a = a_[i], &b = b_[j];
    ++tests_.boxes;
    const Matrix3d Rt = a.R.transpose();
    if (boxes_separated(a.half, b.half, Rt * X_.R * b.R, Rt * (X_ * b.centre - a.centre))) {
      return true;
    }
    if (a.is_leaf && b.is_leaf) return leaves_are_free(a, b);
    if (b.is_leaf || (!a.is_leaf && a.size() >= b.size())) {
      const int left = a_.split(i);
      return pair_is_free(left, j) && pair_is_free(left + 1, j);
    }
    const int left = b_.split(j);
    return pair_is_free(i, left) && pair_is_free(i, left + 1);
  }

  /// @pre both trees are the same, and X is the identity
  bool is_free(int i) {
    if (a_[i].is_leaf) return leaves_are_free(a_[i], a_[i]);
    const int left = a_.split(i);
    return pair_is_free(left, left + 1) && is_free(left) && is_free(left + 1);
  }

 private:
  bool leaves_are_free(const LazyObbTree::Node& a, const LazyObbTree::Node& b) {
    for (const LazyObbTree::Item& y : b_.items(b)) {
      const Vector3d p = X_ * y.p;
      for (const LazyObbTree::Item& x : a_.items(a)) {
        if (std::abs(x.sphere - y.sphere) <= unchecked_) continue;
        ++tests_.spheres;
        if ((x.p - p).squaredNorm() < limit_) return false;
      }
    }
    return true;
  }

  LazyObbTree &a_, &b_;
  RigidTransform X_;
  double limit_;
  int unchecked_;
  PairTests& tests_;
};

class OneObbTree : public CentreMethod {
  void build() override {}
  void moved(int) override {}
  bool is_free() override {
    tree_.reset(centres_, 0, static_cast<int>(centres_.size()), radius_);
    const bool free = ObbTraversal(tree_, tree_, {}, radius_, unchecked_, tests_).is_free(0);
    tests_.updates += tree_.size();
    return free;
  }

  LazyObbTree tree_{16};  // the fastest of 1, 2, 4, 8 and 16
};

/// Where all joints move there are as many pieces as spheres, and every pair of them to look at: no
/// method for that.
class PieceObbTrees : public ChainMethod {
 public:
  void init(const SphereChain& chain) override {
    centres_ = chain.centres;
    radius_ = chain.radius;
    unchecked_ = chain.unchecked;
  }
  bool step(int joint, double angle) override {
    const int n = static_cast<int>(centres_.size());
    head_.reset(centres_, 0, joint + 2, radius_);
    tail_.reset(centres_, joint + 2, n, radius_);
    const RigidTransform X = bond_rotation(centres_, joint, angle);
    const bool free = ObbTraversal(head_, tail_, X, radius_, unchecked_, tests_).pair_is_free(0, 0);
    tests_.updates += head_.size() + tail_.size();
    if (!free) return false;
    for (int i = joint + 2; i < n; ++i) centres_[i] = X * centres_[i];
    return true;
  }

 private:
  double radius_ = 0;
  int unchecked_ = 1;
  std::vector<Vector3d> centres_;
  LazyObbTree head_{8}, tail_{8};  // within 15 % of the fastest of 1, 2, 4, 8 and 16
};

}  // namespace

ChainMethods obb_tree_methods() {
  return {{"one_obb_tree", [] { return std::make_unique<OneObbTree>(); }},
          {"piece_obb_trees", [] { return std::make_unique<PieceObbTrees>(); }, false}};
}

}  // namespace catena::bench
