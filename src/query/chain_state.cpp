#include "catena/query/chain_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "hierarchy/chain_volumes.hpp"
#include "state_query.hpp"

namespace catena {

using internal::GeometryPair;
using internal::NodeVolume;

struct ChainState::Impl {
  // So many visited pairs of nodes a link, and the whole state is checked instead: a tangled chain
  // has more pairs of boxes that overlap than links.
  static constexpr std::uint64_t kMostVisited = 4;
  // With more unproven joints than a sixteenth of all, the same.
  static constexpr size_t kMostUnproven = 16;

  /// What rollback returns to, beside the values: what was proven.
  struct Proof {
    bool none = true;  ///< not even a part of it
    double clearance = 0.0;
    std::vector<LinkIndex> unproven;  ///< joints that have moved since
  };

  explicit Impl(std::shared_ptr<const CollisionWorld> collision_world)
      : world(std::move(collision_world)),
        tree(world->chain_tree()),
        robot(world->robot()),
        workspace(*world) {
    const RoundingScope rounding;
    q = robot.zero_positions();
    followers.resize(static_cast<size_t>(robot.num_links()));
    for (int i = 1; i < robot.num_links(); ++i) {
      const Joint& joint = robot.joint(LinkIndex(i));
      const LinkIndex source = joint.mimic ? joint.mimic->source : LinkIndex(i);
      followers[static_cast<size_t>(source.value)].push_back(LinkIndex(i));
    }
    slots.resize(static_cast<size_t>(tree.num_slots()));
    volumes.resize(tree.nodes().size());
    slot_saved.assign(slots.size(), 0);
    slot_touched.assign(slots.size(), 0);
    volume_saved.assign(volumes.size(), 0);
    volume_touched.assign(volumes.size(), 0);
    marked_at.assign(volumes.size(), 0);
    unproven_at.assign(static_cast<size_t>(robot.num_links()), 0);
    piece.resize(static_cast<size_t>(robot.num_links()));
    for (int i = 1; i < robot.num_links(); ++i) {
      slots[static_cast<size_t>(i)] = joint_pose(robot, LinkIndex(i), q);
    }
    for (size_t k = 0; k < tree.shortcuts().size(); ++k) {
      compute_shortcut(robot.num_links() + static_cast<int>(k));
    }
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
    link_poses(robot, q, X_WL);
    internal::fit_volumes(tree, X_WL, volumes);
    for (size_t i = 0; i < tree.parts().size(); ++i) {
      const CollisionWorld::WorldGeometry& g = world->geometries()[i];
      const ChainTree::Part& part = tree.parts()[i];
      NodeVolume leaf = internal::leaf_volume(part);
      Leaf l;
      l.X_OG = leaf.X_AO.inverse_times(g.X_LG);
      l.body = g.body;
      if (const auto* sphere = g.geometry->kind() == Geometry::Kind::kPrimitive
                                   ? std::get_if<Sphere>(&g.geometry->primitive())
                                   : nullptr) {
        l.ball = sphere->radius;
        l.ball_error = bound_above(part.line_radius - sphere->radius, 1);
      }
      leaves.push_back(l);
    }
  }

  /// A part, in the frame O of its leaf.
  struct Leaf {
    RigidEnclosure X_OG;
    BodyIndex body;
    double ball = -1.0;  ///< radius of a sphere, which has its centre in O's origin; else negative
    double ball_error = 0.0;
  };

  static size_t at(int i) { return static_cast<size_t>(i); }
  static size_t at(LinkIndex i) { return static_cast<size_t>(i.value); }
  const ChainTree::Node& node(int n) const { return tree.nodes()[at(n)]; }

  // ---- what moves

  const RigidEnclosure& slot(int i) const {
    static const RigidEnclosure kIdentity;
    return i == 0 ? kIdentity : slots[at(i)];
  }

  void compute_shortcut(int i) {
    const ChainTree::Shortcut& s = tree.shortcuts()[at(i - robot.num_links())];
    slots[at(i)] = slots[at(s.first)] * slots[at(s.second)];
  }

  void compute_volume(int n) {
    const ChainTree::Node& at_n = node(n);
    NodeVolume& v = volumes[at(n)];
    v = internal::merged_volume(volumes[at(at_n.left)], slot(at_n.left_slot),
                                volumes[at(at_n.right)], slot(at_n.right_slot), v);
  }

  void save_slot(int i) {
    if (slot_saved[at(i)] == commits) return;
    slot_saved[at(i)] = commits;
    old_slots.emplace_back(i, slots[at(i)]);
  }
  void save_volume(int n) {
    if (volume_saved[at(n)] == commits) return;
    volume_saved[at(n)] = commits;
    old_volumes.emplace_back(n, volumes[at(n)]);
  }

  void set(std::span<const Change> changes) {
    const RoundingScope rounding;
    change_all([&] {
      for (const Change& change : changes) {
        require_one_value(change.joint);
        take_values(change.joint, &change.value);
      }
    });
  }

  void set(const Eigen::Ref<const Eigen::VectorXd>& to) {
    const RoundingScope rounding;
    validate_positions(robot, to);
    change_all([&] {
      for (const LinkIndex i : robot.active_joints())
        take_values(i, to.data() + robot.joint(i).q_index);
    });
  }

  template <class Take>
  void change_all(const Take& take) {
    ++sets;
    moved.clear();
    moved_from.clear();
    const size_t known = old_values.size();
    try {
      take();
    } catch (...) {
      // Nothing but values and joint transforms has changed yet.
      for (size_t k = old_values.size(); k-- > known;)
        q[old_values[k].first] = old_values[k].second;
      old_values.resize(known);
      for (size_t k = moved_from.size(); k-- > 0;) slots[at(moved[k])] = moved_from[k];
      throw;
    }
    update();
  }

  void require_one_value(LinkIndex i) const {
    const bool there = i.value > 0 && i.value < robot.num_links();
    if (there && !robot.joint(i).mimic && num_values(robot.joint(i).type) == 1) return;
    throw std::invalid_argument(
        "ChainState::set: " +
        (there ? "joint \"" + robot.joint(i).name + "\" is no active joint of one value"
               : "there is no joint " + std::to_string(i.value)) +
        "; set such joints with a whole configuration");
  }

  // The values of an active joint: as many as it has.
  void take_values(LinkIndex i, const double* values) {
    const int first = robot.joint(i).q_index;
    bool moves = false;
    for (int k = 0; k < num_values(robot.joint(i).type); ++k) {
      if (q[first + k] == values[k]) continue;
      old_values.emplace_back(first + k, q[first + k]);
      q[first + k] = values[k];
      moves = true;
    }
    if (moves) move_followers(i);
  }

  void move_followers(LinkIndex source) {
    for (const LinkIndex i : followers[at(source)]) {
      const RigidEnclosure X_PL = joint_pose(robot, i, q);
      save_slot(i.value);
      moved_from.push_back(slots[at(i)]);
      moved.push_back(i);
      slots[at(i)] = X_PL;
    }
  }

  // Shortcuts and boxes above the joints in `moved`.
  void update() {
    shortcuts_above.clear();
    volumes_above.clear();
    for (const LinkIndex i : moved) {
      if (unproven_at[at(i)] != proofs) {
        unproven_at[at(i)] = proofs;
        proof.unproven.push_back(i);
      }
      for (int s = tree.user_of_joint(i); s != 0 && slot_touched[at(s)] != sets;
           s = tree.shortcuts()[at(s - robot.num_links())].user) {
        slot_touched[at(s)] = sets;
        shortcuts_above.push_back(s);
      }
      for (int n = tree.node_of_joint(i); n >= 0 && volume_touched[at(n)] != sets;
           n = node(n).parent) {
        volume_touched[at(n)] = sets;
        volumes_above.push_back(n);
      }
    }
    if (moved.size() > 1) {  // operands come first, and children after their parents
      std::sort(shortcuts_above.begin(), shortcuts_above.end());
      std::sort(volumes_above.begin(), volumes_above.end(), std::greater<>());
    }
    for (const int s : shortcuts_above) {
      save_slot(s);
      compute_shortcut(s);
    }
    for (const int n : volumes_above) {
      save_volume(n);
      compute_volume(n);
      mark(n);
    }
  }

  void mark(int n) {
    if (marked_at[at(n)] == proofs) return;
    marked_at[at(n)] = proofs;
    marked.push_back(n);
  }

  // ---- what is known

  void begin_proof() {
    ++proofs;
    marked.clear();
    proof.unproven.clear();
  }

  void proven(double clearance) {
    begin_proof();
    proof.none = false;
    proof.clearance = clearance;
  }

  void commit() {
    ++commits;
    old_slots.clear();
    old_volumes.clear();
    old_values.clear();
    committed.none = proof.none;
    committed.clearance = proof.clearance;
    committed.unproven.assign(proof.unproven.begin(), proof.unproven.end());
  }

  void rollback() {
    for (size_t k = old_values.size(); k-- > 0;) q[old_values[k].first] = old_values[k].second;
    for (const auto& [i, X] : old_slots) slots[at(i)] = X;
    for (const auto& [n, volume] : old_volumes) volumes[at(n)] = volume;
    ++commits;
    old_slots.clear();
    old_volumes.clear();
    old_values.clear();
    begin_proof();
    proof.none = committed.none;
    proof.clearance = committed.clearance;
    for (const LinkIndex i : committed.unproven) {
      unproven_at[at(i)] = proofs;
      proof.unproven.push_back(i);
      for (int n = tree.node_of_joint(i); n >= 0 && marked_at[at(n)] != proofs;
           n = node(n).parent) {
        mark(n);
      }
    }
  }

  // ---- the question

  Result check(const QueryOptions& asked) {
    validate_options(asked);
    const RoundingScope rounding;
    QueryOptions options = asked;
    options.distances = false;
    const size_t most = std::max<size_t>(8, at(robot.num_links()) / kMostUnproven);
    const bool whole =
        proof.none || options.clearance > proof.clearance || proof.unproven.size() > most;
    Result result;
    if (!whole) {
      if (check_changes(options, result)) return result;
      // Too many pairs: nothing was found out but how many.
    }
    const QueryStats spent = result.stats;
    const StateResult state = check_state(*world, q, options, workspace);
    result = {state.verdict, {}, {}, {-kInfinity, kInfinity}, state.stats};
    result.stats += spent;
    if (state.verdict == Verdict::kFree) {
      proven(options.clearance);
    } else {
      result.a = state.witness.a;
      result.b = state.witness.b;
      result.gap = state.witness.gap;
    }
    return result;
  }

  // False if it gave up.
  bool check_changes(const QueryOptions& options, Result& result) {
    internal::StateQuery query(*world, options, false, /*with_points=*/false, workspace.impl());
    find_pieces();
    most_visited = query.result().stats.box_tests + kMostVisited * at(robot.num_links()) + 1000;
    gave_up = false;
    stop = false;
    for (size_t k = 0; k < marked.size() && !stop; ++k) {
      const ChainTree::Node& n = node(marked[k]);
      const NodeVolume& v = volumes[at(marked[k])];
      if (n.left < 0 || v.empty || volumes[at(n.left)].empty || volumes[at(n.right)].empty)
        continue;
      meet(query, options, n.left, n.right, v.left.inverse_times(v.right));
    }
    if (!stop) meet_scene(query, options);
    result.stats += query.result().stats;
    if (gave_up) return false;
    const StateResult& found = query.result();
    if (found.verdict == Verdict::kCollision || query.open()) {
      result.verdict = found.verdict;
      result.a = found.witness.a;
      result.b = found.witness.b;
      result.gap = found.witness.gap;
      return true;
    }
    result.verdict = Verdict::kFree;
    proven(options.clearance);
    return true;
  }

  // With few unproven joints they are asked one by one which side of them a link is on.
  void find_pieces() {
    numbered = proof.unproven.size() > 4;
    if (!numbered) return;
    piece[0] = 0;
    int pieces = 0;
    for (int i = 1; i < robot.num_links(); ++i) {
      piece[at(i)] =
          unproven_at[at(i)] == proofs ? ++pieces : piece[at(robot.parent(LinkIndex(i)))];
    }
  }

  bool same_piece(LinkIndex a, LinkIndex b) const {
    if (numbered) return piece[at(a)] == piece[at(b)];
    return std::none_of(proof.unproven.begin(), proof.unproven.end(),
                        [&](LinkIndex i) { return tree.moves(i, a) != tree.moves(i, b); });
  }

  bool is_marked(int n) const { return marked_at[at(n)] == proofs; }

  // Nodes i and k that hold no part in common, X_ab of their boxes' frames.
  void meet(internal::StateQuery& query, const QueryOptions& options, int i, int k,
            const RigidEnclosure& X_ab) {
    const ChainTree::Node& a = node(i);
    const ChainTree::Node& b = node(k);
    if (!is_marked(i) && !is_marked(k) && same_piece(a.anchor, b.anchor)) return;
    const NodeVolume& va = volumes[at(i)];
    const NodeVolume& vb = volumes[at(k)];
    QueryStats& stats = query.result().stats;
    if (++stats.box_tests > most_visited) {
      gave_up = stop = true;
      return;
    }
    if (internal::proven_apart(va, vb, X_ab, options.clearance)) return;
    if (a.left < 0 && b.left < 0) {
      stop = meet_parts(query, options, a.part, b.part, X_ab);
      return;
    }
    if (b.left < 0 || (a.left >= 0 && va.radius >= vb.radius)) {
      if (!volumes[at(a.right)].empty) {
        meet(query, options, a.right, k, va.right.inverse_times(X_ab));
      }
      if (!stop && !volumes[at(a.left)].empty) {
        meet(query, options, a.left, k, va.left.inverse_times(X_ab));
      }
    } else {
      if (!volumes[at(b.left)].empty) meet(query, options, i, b.left, X_ab * vb.left);
      if (!stop && !volumes[at(b.right)].empty) {
        meet(query, options, i, b.right, X_ab * vb.right);
      }
    }
  }

  // True where the search may end.
  bool meet_parts(internal::StateQuery& query, const QueryOptions& options, int i, int k,
                  const RigidEnclosure& X_ab) {
    const Leaf& a = leaves[at(i)];
    const Leaf& b = leaves[at(k)];
    if (a.ball >= 0.0 && b.ball >= 0.0) {
      const double error =
          bound_above(X_ab.position_error + a.ball_error + b.ball_error +
                          4 * kUnitRoundoff * (X_ab.X.p.lpNorm<1>() + a.ball + b.ball),
                      8);
      if (X_ab.X.p.norm() - (a.ball + b.ball) - error > options.clearance) return false;
    }
    if (!world->checks(a.body, b.body)) return false;
    const RigidEnclosure X = a.X_OG.inverse_times(X_ab * b.X_OG);
    return i < k ? query.meets_part({i, k}, X) : query.meets_part({k, i}, X.inverse());
  }

  // ---- the scene

  void meet_scene(internal::StateQuery& query, const QueryOptions& options) {
    const SceneTree& scene = world->scene_tree();
    if (tree.nodes().empty()) return;
    ++workspace.impl().moved;
    const auto walk = [&](const SceneTree::Tree& obstacles, bool solids) {
      if (obstacles.nodes.empty() || stop) return;
      auto& list = workspace.impl().scene_nodes;
      list.assign(1, 0);
      descend(query, options, obstacles, solids, 0, volumes[0].X_AO, 0, 1);
    };
    if (!scene.unbounded().empty()) meet_unbounded(query, 0, volumes[0].X_AO);
    walk(scene.elements(), false);
    walk(scene.solids(), true);
  }

  bool stands(int n) const { return !is_marked(n) && same_piece(node(n).anchor, LinkIndex(0)); }

  void place(int part, const RigidEnclosure& X_WO) {
    Workspace::Impl::Placement& place = workspace.impl().placements[at(part)];
    place.X_WG = X_WO * leaves[at(part)].X_OG;
    place.moved = workspace.impl().moved;
  }

  void meet_unbounded(internal::StateQuery& query, int n, const RigidEnclosure& X_WO) {
    if (stop || volumes[at(n)].empty || stands(n)) return;
    const ChainTree::Node& a = node(n);
    if (a.left < 0) {
      place(a.part, X_WO);
      stop = query.meets_unbounded(a.part);
      return;
    }
    meet_unbounded(query, a.left, X_WO * volumes[at(n)].left);
    meet_unbounded(query, a.right, X_WO * volumes[at(n)].right);
  }

  // As internal::NearScene, with boxes that follow from those of the tree.
  void descend(internal::StateQuery& query, const QueryOptions& options,
               const SceneTree::Tree& obstacles, bool solids, int n, const RigidEnclosure& X_WO,
               size_t first, size_t last) {
    const NodeVolume& v = volumes[at(n)];
    if (stop || v.empty || stands(n)) return;
    const ChainTree::Node& a = node(n);
    const double size = v.half.sum() + v.radius;
    const Vector3d reach =
        (X_WO.X.R.cwiseAbs() * v.half).cwiseMin(v.radius) +
        Vector3d::Constant(bound_above(options.clearance + 2.0 * X_WO.point_error(size), 8));
    const FloatBox box = FloatBox::around(X_WO.X.p - reach, X_WO.X.p + reach);
    auto& list = workspace.impl().scene_nodes;
    const size_t kept = list.size();
    internal::refine(obstacles, box, a.left < 0, list, first, last, query.result().stats);
    const size_t end = list.size();
    if (end > kept) {
      if (a.left < 0) {
        place(a.part, X_WO);
        for (size_t k = kept; k < end && !stop; ++k) {
          const SceneTree::Node& obstacle = obstacles.nodes[at(list[k])];
          stop =
              solids ? query.meets_inside(a.part, obstacle) : query.meets_element(a.part, obstacle);
        }
      } else {
        descend(query, options, obstacles, solids, a.left, X_WO * v.left, kept, end);
        descend(query, options, obstacles, solids, a.right, X_WO * v.right, kept, end);
      }
    }
    list.resize(kept);
  }

  std::shared_ptr<const CollisionWorld> world;
  const ChainTree& tree;
  const Robot& robot;
  Workspace workspace;
  Eigen::VectorXd q;
  std::vector<std::vector<LinkIndex>> followers;  // of every joint: itself and its mimics
  std::vector<Leaf> leaves;                       // of every part

  std::vector<RigidEnclosure> slots;  // joint transforms, then shortcuts
  std::vector<NodeVolume> volumes;    // of every node

  // What has changed since the last commit.
  std::uint64_t commits = 1;
  std::vector<std::uint64_t> slot_saved, volume_saved;  // the count of commits they were saved at
  std::vector<std::pair<int, RigidEnclosure>> old_slots;
  std::vector<std::pair<int, NodeVolume>> old_volumes;
  std::vector<std::pair<int, double>> old_values;

  // Of one set.
  std::uint64_t sets = 0;
  std::vector<std::uint64_t> slot_touched, volume_touched;
  std::vector<LinkIndex> moved;
  std::vector<RigidEnclosure> moved_from;
  std::vector<int> shortcuts_above, volumes_above;

  // What is proven, and of what is committed.
  Proof proof, committed;
  std::uint64_t proofs = 1;
  std::vector<std::uint64_t> marked_at;    // nodes in which an unproven joint moves something
  std::vector<std::uint64_t> unproven_at;  // joints
  std::vector<int> marked;
  std::vector<int>
      piece;  // of every link, a number that links without unproven joints between share
  bool numbered = false;

  // Of one check.
  std::uint64_t most_visited = 0;
  bool gave_up = false, stop = false;
};

ChainState::ChainState(std::shared_ptr<const CollisionWorld> world) {
  if (!world) throw std::invalid_argument("ChainState: the world is null");
  impl_ = std::make_unique<Impl>(std::move(world));
}
ChainState::~ChainState() = default;
ChainState::ChainState(ChainState&&) noexcept = default;
ChainState& ChainState::operator=(ChainState&&) noexcept = default;

const CollisionWorld& ChainState::world() const noexcept { return *impl_->world; }
const Eigen::VectorXd& ChainState::positions() const noexcept { return impl_->q; }

void ChainState::set(LinkIndex joint, double value) {
  const Change change{joint, value};
  impl_->set({&change, 1});
}
void ChainState::set(std::span<const Change> changes) { impl_->set(changes); }

void ChainState::set(const Eigen::Ref<const Eigen::VectorXd>& q) { impl_->set(q); }

ChainState::Result ChainState::check(const QueryOptions& options) { return impl_->check(options); }

StateResult ChainState::distance(const QueryOptions& options) {
  QueryOptions asked = options;
  asked.distances = true;
  return check_state(*impl_->world, impl_->q, asked, impl_->workspace);
}

void ChainState::commit() { impl_->commit(); }
void ChainState::rollback() { impl_->rollback(); }

}  // namespace catena
