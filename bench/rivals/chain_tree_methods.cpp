// A plain chain tree after [Lotan2002]: a balanced binary tree over the chain; a node holds the
// transform across its piece and a volume in the frame of the piece's first sphere, which bounds
// its children's. A torsion changes the nodes on one path. Two ways to drop what has not moved: the
// paper's, which does not ask an unchanged node about itself, and to skip every pair of nodes
// between which nothing moved. Six kinds of volumes take part, all in the same tree.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chain_methods.hpp"
#include "node_volumes.hpp"
#ifdef CATENA_BENCH_FCL
#include "rectangle_swept_sphere.hpp"
#endif

namespace catena::bench {
namespace {

enum class Culling { kNodes, kPairs };

/// Frames  F_i is TorsionKinematics' B_i before torsion i; node [b, e) has its volume in F_b and
///         the transform X_FbFe.
template <class Volume, Culling culling>
class PlainChainTree : public ChainMethod {
 public:
  void init(const SphereChain& chain) override {
    radius_ = chain.radius;
    unchecked_ = chain.unchecked;
    kinematics_.emplace(chain.centres);
    torsions_.assign(chain.size(), 0.0);
    nodes_.clear();
    nodes_.reserve(2 * chain.size());
    build(0, chain.size());
    poses_.assign(nodes_.size(), {{}, Volume::of_sphere(radius_)});
    old_poses_ = poses_;
    refresh_all();
  }

  bool step(int joint, double angle) override {
    return turn(joint, angle, [this] { return is_free(0); });
  }

  bool all_joints(std::span<const double> torsions) override {
    return set(torsions, [this] { return is_free(0); });
  }

  double step_distance(int joint, double angle) override {
    turn(joint, angle, [this] { return measure() > 0; });
    return nearest_;
  }

  double all_joints_distance(std::span<const double> torsions) override {
    set(torsions, [this] { return measure() > 0; });
    return nearest_;
  }

 private:
  static constexpr int kAll = -1;
  struct Node {
    int first, last;  // spheres [first, last)
    int left, right;  // children, or -1; both come after this node
  };
  struct Pose {
    RigidTransform X;
    Volume volume;
  };

  template <class Question>
  bool turn(int joint, double angle, const Question& keep) {
    moved_ = joint;
    const double old = torsions_[joint];
    torsions_[joint] += angle;
    refresh_path();
    if (keep()) return true;
    torsions_[joint] = old;
    refresh_path();
    return false;
  }

  template <class Question>
  bool set(std::span<const double> torsions, const Question& keep) {
    moved_ = kAll;
    std::copy(torsions.begin(), torsions.end(), torsions_.begin());
    poses_.swap(old_poses_);
    refresh_all();
    if (keep()) return true;
    poses_.swap(old_poses_);  // torsions_ stay wrong, and nobody reads them before they are set
    return false;
  }

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

  // (Flat, as they would be by themselves: this file's many trees use up what the compiler
  // inlines.)
  [[gnu::flatten]] void refresh(int id) {
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
    poses_[id].volume = Volume::merged(left.volume, right.volume, left.X);
    ++tests_.updates;
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

  /// Too few bonds part spheres first .. last - 1.
  bool unchecked(int first, int last) const { return last - first < unchecked_ + 2; }

  /// Nothing to check within spheres [first, last): no pose changes relative to another, or too few
  /// bonds part them.
  bool rigid(int first, int last) const {
    return unchecked(first, last) || (moved_ != kAll && (moved_ < first || moved_ > last - 2));
  }

  [[gnu::flatten]] bool pair_is_free(int i, int j, const RigidTransform& X_FiFj) {
    const Node &a = nodes_[i], &b = nodes_[j];
    const bool skip =
        culling == Culling::kPairs ? rigid(a.first, b.last) : unchecked(a.first, b.last);
    if (skip) return true;
    if (a.left < 0 && b.left < 0) {
      ++tests_.spheres;
      return X_FiFj.p.squaredNorm() >= 4 * radius_ * radius_;
    }
    ++tests_.boxes;
    if (Volume::apart(poses_[i].volume, poses_[j].volume, X_FiFj)) return true;
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

  // ---- Distances, by branch and bound.

  double measure() {
    nearest_ = std::numeric_limits<double>::infinity();
    measure_within(0);
    return nearest_ = std::max(nearest_, 0.0);
  }

  void measure_within(int id) {
    const Node& node = nodes_[id];
    if (node.left < 0 || rigid(node.first, node.last)) return;
    // What is near along the chain is near: with that for a bound, the rest is soon done.
    measure_within(node.left);
    measure_within(node.right);
    const RigidTransform& X = poses_[node.left].X;
    measure_pair(node.left, node.right, X, least_gap(node.left, node.right, X));
  }

  /// At most the distance of the spheres of two nodes that count.
  double least_gap(int i, int j, const RigidTransform& X_FiFj) {
    const Node &a = nodes_[i], &b = nodes_[j];
    if (rigid(a.first, b.last)) return std::numeric_limits<double>::infinity();
    if (a.left < 0 && b.left < 0) {
      ++tests_.spheres;
      return X_FiFj.p.norm() - 2 * radius_;
    }
    ++tests_.boxes;
    return Volume::gap(poses_[i].volume, poses_[j].volume, X_FiFj, nearest_);
  }

  void measure_pair(int i, int j, const RigidTransform& X_FiFj, double gap) {
    if (gap >= nearest_ || nearest_ <= 0) return;
    const Node &a = nodes_[i], &b = nodes_[j];
    if (a.left < 0 && b.left < 0) {
      nearest_ = gap;
    } else if (b.left < 0 || (a.left >= 0 && a.last - a.first >= b.last - b.first)) {
      const RigidTransform X = poses_[a.left].X.inverse() * X_FiFj;
      const double left = least_gap(a.left, j, X_FiFj), right = least_gap(a.right, j, X);
      if (left < right) measure_pair(a.left, j, X_FiFj, left);
      measure_pair(a.right, j, X, right);
      if (!(left < right)) measure_pair(a.left, j, X_FiFj, left);
    } else {
      const RigidTransform X = X_FiFj * poses_[b.left].X;
      const double left = least_gap(i, b.left, X_FiFj), right = least_gap(i, b.right, X);
      if (left < right) measure_pair(i, b.left, X_FiFj, left);
      measure_pair(i, b.right, X, right);
      if (!(left < right)) measure_pair(i, b.left, X_FiFj, left);
    }
  }

  double radius_ = 0;
  int unchecked_ = 1;
  double nearest_ = 0;
  std::optional<TorsionKinematics> kinematics_;
  std::vector<double> torsions_;
  std::vector<Node> nodes_;
  std::vector<Pose> poses_, old_poses_;
  int moved_ = kAll;
};

}  // namespace

ChainMethods chain_tree_methods() {
  const auto entry = []<class Volume>(const char* name, Volume) {
    return ChainMethodEntry{
        name, [] { return std::make_unique<PlainChainTree<Volume, Culling::kPairs>>(); }, true,
        true, true};
  };
  return {entry("chain_tree", FrameBox{}),
          {"chain_tree_paper",
           [] { return std::make_unique<PlainChainTree<FrameBox, Culling::kNodes>>(); }, false},
          entry("tree_obb", OrientedBox{}),
#ifdef CATENA_BENCH_FCL
          entry("tree_rss", RectangleSweptSphere{}),
#endif
          entry("tree_lss", LineSweptSphere{}),
          entry("tree_sphere", Ball{}),
          entry("tree_sphere_obb", BallAndBox{})};
}

}  // namespace catena::bench
