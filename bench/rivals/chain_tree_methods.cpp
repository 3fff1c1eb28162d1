// A plain chain tree after [Lotan2002]: a balanced binary tree over the chain; a node holds the
// transform across its piece and a box in the frame of the piece's first sphere. A torsion changes
// the nodes on one path. Two ways to drop what has not moved: the paper's, which does not ask an
// unchanged node about itself, and to skip every pair of nodes between which nothing moved.
#include <algorithm>
#include <cmath>
#include <optional>

#include "chain_methods.hpp"
#include "oriented_box.hpp"

namespace catena::bench {
namespace {

struct Box {
  Vector3d centre, half;
};

bool separated(const Box& a_A, const Box& b_B, const RigidTransform& X_AB) {
  return boxes_separated(a_A.half, b_B.half, X_AB.R, X_AB * b_B.centre - a_A.centre);
}

/// Frames  F_i is TorsionKinematics' B_i before torsion i; node [b, e) has its box in F_b and the
///         transform X_FbFe.
class PlainChainTree : public ChainMethod {
 public:
  enum class Culling { kNodes, kPairs };
  explicit PlainChainTree(Culling culling) : culling_(culling) {}

  void init(const SphereChain& chain) override {
    radius_ = chain.radius;
    kinematics_.emplace(chain.centres);
    torsions_.assign(chain.size(), 0.0);
    nodes_.clear();
    nodes_.reserve(2 * chain.size());
    build(0, chain.size());
    poses_.assign(nodes_.size(), {{}, {Vector3d::Zero(), Vector3d::Constant(radius_)}});
    old_poses_ = poses_;
    refresh_all();
  }

  bool step(int joint, double angle) override {
    moved_ = joint;
    const double old = torsions_[joint];
    torsions_[joint] += angle;
    refresh_path();
    if (is_free(0)) return true;
    torsions_[joint] = old;
    refresh_path();
    return false;
  }

  bool all_joints(std::span<const double> torsions) override {
    moved_ = kAll;
    std::copy(torsions.begin(), torsions.end(), torsions_.begin());
    poses_.swap(old_poses_);
    refresh_all();
    if (is_free(0)) return true;
    poses_.swap(old_poses_);  // torsions_ stay wrong, and nobody reads them before they are set
    return false;
  }

 private:
  static constexpr int kAll = -1;
  struct Node {
    int first, last;  // spheres [first, last)
    int left, right;  // children, or -1; both come after this node
  };
  struct Pose {
    RigidTransform X;
    Box box;
  };

  int build(int first, int last) {
    const int id = static_cast<int>(nodes_.size());
    nodes_.push_back({first, last, -1, -1});
    if (last - first == 1) return id;
    const int middle = (first + last) / 2;
    const int left = build(first, middle), right = build(middle, last);
    nodes_[id].left = left;
    nodes_[id].right = right;
    return id;
  }

  void refresh_all() {
    for (int id = static_cast<int>(nodes_.size()); id-- > 0;) refresh(id);
  }

  void refresh(int id) {
    ++tests_.updates;
    const Node& node = nodes_[id];
    RigidTransform& X = poses_[id].X;
    if (node.left < 0) {
      const int i = node.first;
      if (i == kinematics_->num_joints()) return;  // nothing lies beyond the last sphere
      const double c = std::cos(torsions_[i]), s = std::sin(torsions_[i]);
      const Matrix3d& bend = kinematics_->bend(i);
      X.R << bend.row(0), c * bend.row(1) - s * bend.row(2), s * bend.row(1) + c * bend.row(2);
      X.p = {kinematics_->length(i), 0, 0};
      return;
    }
    const Pose &left = poses_[node.left], &right = poses_[node.right];
    X = left.X * right.X;
    const Vector3d centre = left.X * right.box.centre;
    const Vector3d half = left.X.R.cwiseAbs() * right.box.half;
    const Vector3d low = (left.box.centre - left.box.half).cwiseMin(centre - half);
    const Vector3d high = (left.box.centre + left.box.half).cwiseMax(centre + half);
    poses_[id].box = {0.5 * (low + high), 0.5 * (high - low)};
  }

  void refresh_path() {
    int path[64], depth = 0;
    for (int id = 0; id >= 0;) {
      path[depth++] = id;
      const Node& node = nodes_[id];
      id = node.left < 0 || moved_ < nodes_[node.right].first ? node.left : node.right;
    }
    while (depth > 0) refresh(path[--depth]);
  }

  /// No pose changes relative to another within spheres [first, last).
  bool rigid(int first, int last) const {
    return last - first < 3 || (moved_ != kAll && (moved_ < first || moved_ > last - 2));
  }

  bool pair_is_free(int i, int j, const RigidTransform& X_FiFj) {
    const Node &a = nodes_[i], &b = nodes_[j];
    const bool skip = culling_ == Culling::kPairs ? rigid(a.first, b.last) : b.last - a.first < 3;
    if (skip) return true;
    if (a.left < 0 && b.left < 0) {
      ++tests_.spheres;
      return X_FiFj.p.squaredNorm() >= 4 * radius_ * radius_;
    }
    ++tests_.boxes;
    if (separated(poses_[i].box, poses_[j].box, X_FiFj)) return true;
    if (b.left < 0 || (a.left >= 0 && a.last - a.first >= b.last - b.first)) {
      return pair_is_free(a.right, j, poses_[a.left].X.inverse() * X_FiFj) &&
             pair_is_free(a.left, j, X_FiFj);
    }
    return pair_is_free(i, b.left, X_FiFj) && pair_is_free(i, b.right, X_FiFj * poses_[b.left].X);
  }

  bool is_free(int id) {
    const Node& node = nodes_[id];
    if (node.left < 0 || rigid(node.first, node.last)) return true;
    return pair_is_free(node.left, node.right, poses_[node.left].X) && is_free(node.left) &&
           is_free(node.right);
  }

  const Culling culling_;
  double radius_ = 0;
  std::optional<TorsionKinematics> kinematics_;
  std::vector<double> torsions_;
  std::vector<Node> nodes_;
  std::vector<Pose> poses_, old_poses_;
  int moved_ = kAll;
};

}  // namespace

ChainMethods chain_tree_methods() {
  using Culling = PlainChainTree::Culling;
  return {{"chain_tree", [] { return std::make_unique<PlainChainTree>(Culling::kPairs); }},
          {"chain_tree_paper", [] { return std::make_unique<PlainChainTree>(Culling::kNodes); },
           false}};
}

}  // namespace catena::bench
