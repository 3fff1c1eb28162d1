#include "catena/query/chain_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "hierarchy/chain_volumes.hpp"
#include "state_query.hpp"

namespace catena {

using internal::FloatPose;
using internal::NodeBox;
using internal::NodeView;

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
    boxes.resize(tree.nodes().size());
    views.resize(tree.nodes().size());
    leaf_of.resize(tree.parts().size());
    for (size_t n = 0; n < tree.nodes().size(); ++n) {
      if (tree.nodes()[n].part >= 0) leaf_of[at(tree.nodes()[n].part)] = static_cast<int>(n);
    }
    slot_stamps.resize(slots.size());
    node_stamps.resize(boxes.size());
    marks.assign(boxes.size(), 0);
    unproven_at.assign(static_cast<size_t>(robot.num_links()), 0);
    behind_at.assign(static_cast<size_t>(robot.num_links()), 0);
    value_saved.assign(static_cast<size_t>(q.size()), 0);
    committed_q = q;
    // Each joint is in these at most once; nothing may fail between a value's change and its entry.
    for (auto* list : {&proof.unproven, &committed.unproven, &behind, &committed_behind}) {
      list->reserve(static_cast<size_t>(robot.num_links()));
    }
    piece.resize(static_cast<size_t>(robot.num_links()));
    for (int i = 1; i < robot.num_links(); ++i) {
      slots[static_cast<size_t>(i)] = joint_pose(robot, LinkIndex(i), q);
    }
    for (size_t k = 0; k < tree.shortcuts().size(); ++k) {
      compute_shortcut(robot.num_links() + static_cast<int>(k));
    }
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
    link_poses(robot, q, X_WL);
    internal::fit_boxes(tree, X_WL, boxes, views);
  }

  struct SavedNode {
    int node;
    NodeBox box;
    NodeView view;
  };

  static size_t at(int i) { return static_cast<size_t>(i); }
  static size_t at(LinkIndex i) { return static_cast<size_t>(i.value); }
  const ChainTree::Node& node(int n) const { return tree.nodes()[at(n)]; }

  // ---- what moves

  void compute_shortcut(int i) {
    const ChainTree::Shortcut& s = tree.shortcuts()[at(i - robot.num_links())];
    slots[at(i)] = slots[at(s.first)] * slots[at(s.second)];
  }

  void compute_boxes(std::span<const int> nodes) {
    internal::merge_boxes(tree, nodes, slots.data(), boxes.data(), views.data());
  }

  // Each is kept once a commit, as it was then; and stamped only when it is kept.
  void save_value(int k, double before) {
    if (all_saved || value_saved[at(k)] == commits) return;
    old_values.emplace_back(k, before);
    value_saved[at(k)] = commits;
  }
  void save_slot(int i) {
    if (slot_stamps[at(i)].saved == commits) return;
    old_slots.emplace_back(i, slots[at(i)]);
    slot_stamps[at(i)].saved = commits;
  }
  void save_box(int n) {
    if (node_stamps[at(n)].saved == commits) return;
    old_boxes.push_back({n, boxes[at(n)], views[at(n)]});
    node_stamps[at(n)].saved = commits;
  }

  void set(std::span<const Change> changes) {
    const RoundingScope rounding;
    change_all([&] {
      for (const Change& change : changes) {
        require_one_value(change.joint);
        take_values(change.joint, &change.value, /*checked=*/false);
      }
    });
  }

  void set(const Eigen::Ref<const Eigen::VectorXd>& to) {
    const RoundingScope rounding;
    validate_positions(robot, to);
    size_t changes = 0;
    for (Eigen::Index k = 0; k < q.size(); ++k) changes += q[k] != to[k] ? 1 : 0;
    if (changes > most_unproven()) {
      set_all(to);
      return;
    }
    change_all([&] {
      for (const LinkIndex i : robot.active_joints()) {
        take_values(i, to.data() + robot.joint(i).q_index, /*checked=*/true);
      }
    });
  }

  // So much has changed that the next check is of the whole: nothing is kept joint by joint.
  void set_all(const Eigen::Ref<const Eigen::VectorXd>& to) {
    if (!all_saved) {
      committed_q = q;
      for (size_t k = old_values.size(); k-- > 0;) {
        committed_q[old_values[k].first] = old_values[k].second;
      }
      all_saved = true;
    }
    q = to;
    begin_proof();
    proof.none = true;
    all_behind = true;
  }

  // All or nothing: values first, then what they make unproven.
  template <class Take>
  void change_all(const Take& take) {
    moved.clear();
    set_values.clear();
    try {
      take();
      // What rollback needs, before anything depends on the new values.
      for (const auto& [k, before] : set_values) save_value(k, before);
    } catch (...) {
      for (size_t i = set_values.size(); i-- > 0;) q[set_values[i].first] = set_values[i].second;
      throw;
    }
    for (const LinkIndex i : moved) {
      if (unproven_at[at(i)] != proofs) {
        unproven_at[at(i)] = proofs;
        proof.unproven.push_back(i);
      }
      fall_behind(i);
    }
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
  void take_values(LinkIndex i, const double* values, bool checked) {
    const int first = robot.joint(i).q_index;
    bool moves = false;
    for (int k = 0; k < num_values(robot.joint(i).type); ++k) {
      if (q[first + k] == values[k]) continue;
      set_values.emplace_back(first + k, q[first + k]);
      q[first + k] = values[k];
      moves = true;
    }
    if (!moves) return;
    for (const LinkIndex follower : followers[at(i)]) {
      if (!checked) joint_pose(robot, follower, q);  // throws if the value is none
      moved.push_back(follower);
    }
  }

  // ---- the tree follows when it is asked: a whole configuration that is set is mostly checked as
  // one, without it

  void fall_behind(LinkIndex i) {
    if (all_behind || behind_at[at(i)] == syncs) return;
    behind_at[at(i)] = syncs;
    behind.push_back(i);
  }

  void catch_up() {
    if (all_behind) {
      // What is committed has no tree either, or else it is kept.
      const bool keep = !committed_all_behind;
      for (int i = 1; i < tree.num_slots(); ++i) {
        if (keep) save_slot(i);
        if (i < robot.num_links()) {
          slots[at(i)] = joint_pose(robot, LinkIndex(i), q);
        } else {
          compute_shortcut(i);
        }
      }
      boxes_above.clear();
      for (const ChainTree::Merge& merge : tree.merges()) {
        if (keep) save_box(merge.node);
        boxes_above.push_back(merge.node);
      }
      compute_boxes(boxes_above);
      all_behind = false;
    } else {
      if (behind.empty()) return;
      for (const LinkIndex i : behind) {
        save_slot(i.value);
        slots[at(i)] = joint_pose(robot, i, q);
      }
      update();
    }
    behind.clear();
    ++syncs;
  }

  // Asks for what is needed soon. A long chain's tree is larger than the near caches, and the way
  // up is known well before the numbers on it are used.
  template <class T>
  static void fetch(const T& what) {
    const char* address = reinterpret_cast<const char*>(&what);
    for (size_t line = 0; line < sizeof(T); line += 64) __builtin_prefetch(address + line);
  }

  // Shortcuts and boxes above the joints in `behind`.
  void update() {
    ++updates;
    shortcuts_above.clear();
    boxes_above.clear();
    for (const LinkIndex i : behind) {
      for (int s = tree.user_of_joint(i); s != 0 && slot_stamps[at(s)].touched != updates;
           s = tree.shortcuts()[at(s - robot.num_links())].user) {
        slot_stamps[at(s)].touched = updates;
        shortcuts_above.push_back(s);
        const ChainTree::Shortcut& operands = tree.shortcuts()[at(s - robot.num_links())];
        fetch(slots[at(s)]);
        fetch(slots[at(operands.first)]);
        fetch(slots[at(operands.second)]);
      }
      for (int n = tree.node_of_joint(i); n >= 0 && node_stamps[at(n)].touched != updates;
           n = node(n).parent) {
        node_stamps[at(n)].touched = updates;
        boxes_above.push_back(n);
        for (const int k : {n, n + 1, node(n).right}) {
          fetch(boxes[at(k)]);
          fetch(views[at(k)]);
        }
      }
    }
    if (behind.size() > 1) {  // operands come first, and children after their parents
      std::sort(shortcuts_above.begin(), shortcuts_above.end());
      std::sort(boxes_above.begin(), boxes_above.end(), std::greater<>());
    }
    for (const int s : shortcuts_above) {
      save_slot(s);
      compute_shortcut(s);
    }
    for (const int n : boxes_above) save_box(n);
    compute_boxes(boxes_above);
  }

  // ---- what is known

  // More joints than that, and a check of the whole is cheaper.
  size_t most_unproven() const {
    return std::max<size_t>(8, at(robot.num_links()) / kMostUnproven);
  }

  void begin_proof() {
    ++proofs;
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
    old_boxes.clear();
    old_values.clear();
    all_saved = false;
    committed_all_behind = all_behind;
    committed_behind.assign(behind.begin(), behind.end());
    committed.none = proof.none;
    committed.clearance = proof.clearance;
    committed.unproven.assign(proof.unproven.begin(), proof.unproven.end());
  }

  void rollback() {
    if (all_saved) {
      q = committed_q;
    } else {
      for (size_t k = old_values.size(); k-- > 0;) q[old_values[k].first] = old_values[k].second;
    }
    for (const auto& [i, X] : old_slots) slots[at(i)] = X;
    for (const SavedNode& saved : old_boxes) {
      boxes[at(saved.node)] = saved.box;
      views[at(saved.node)] = saved.view;
    }
    ++commits;
    old_slots.clear();
    old_boxes.clear();
    old_values.clear();
    all_saved = false;
    begin_proof();
    proof.none = committed.none;
    proof.clearance = committed.clearance;
    for (const LinkIndex i : committed.unproven) {
      unproven_at[at(i)] = proofs;
      proof.unproven.push_back(i);
    }
    ++syncs;
    behind.clear();
    all_behind = committed_all_behind;
    for (const LinkIndex i : committed_behind) fall_behind(i);
  }

  // ---- the question

  Result check(const QueryOptions& asked) {
    validate_options(asked);
    const RoundingScope rounding;
    QueryOptions options = asked;
    options.distances = false;
    const bool whole = proof.none || options.clearance > proof.clearance ||
                       proof.unproven.size() > most_unproven();
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
    catch_up();
    mark_changes();
    find_pieces();
    struct Context {
      Impl* impl;
      internal::StateQuery* query;
    } context{this, &query};
    internal::PairWalk walk{views.data(),
                            marks.data(),
                            marking,
                            numbered ? piece.data() : nullptr,
                            ranges,
                            float_above(options.clearance),
                            kMostVisited * at(robot.num_links()) + 1000,
                            [](void* c, int i, int k) {
                              const auto& [impl, asked] = *static_cast<Context*>(c);
                              return impl->meet_parts(*asked, i, k);
                            },
                            &context};
    stop = internal::walk_pairs(walk, marked);
    query.result().stats.box_tests += walk.visited;
    if (walk.gave_up) {
      result.stats += query.result().stats;
      return false;
    }
    if (!stop) meet_scene(query, options);
    result.stats += query.result().stats;
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

  // Nodes in which an unproven joint moves one part against another.
  void mark_changes() {
    if (++marking == 0) {  // the count has come back
      marking = 1;
      std::fill(marks.begin(), marks.end(), 0);
    }
    marked.clear();
    for (const LinkIndex i : proof.unproven) {
      for (int n = tree.node_of_joint(i); n >= 0 && !is_marked(n); n = node(n).parent) {
        marks[at(n)] = marking;
        marked.push_back(n);
      }
    }
  }

  // Which links share a piece that no unproven joint divides: by a number for each place in a walk
  // of the links, or with few such joints by asking each of them.
  void find_pieces() {
    ranges.clear();
    numbered = proof.unproven.size() > 4;
    if (!numbered) {
      for (const LinkIndex i : proof.unproven) ranges.emplace_back(tree.enter(i), tree.leave(i));
      return;
    }
    piece[0] = 0;
    int pieces = 0;
    for (int i = 1; i < robot.num_links(); ++i) {
      piece[at(tree.enter(LinkIndex(i)))] = unproven_at[at(i)] == proofs
                                                ? ++pieces
                                                : piece[at(tree.enter(robot.parent(LinkIndex(i))))];
    }
  }

  // Of two links, by where the walk enters them.
  bool same_piece(int a, int b) const {
    if (numbered) return piece[at(a)] == piece[at(b)];
    for (const auto& [enter, leave] : ranges) {
      if ((enter <= a && a < leave) != (enter <= b && b < leave)) return false;
    }
    return true;
  }

  bool is_marked(int n) const { return marks[at(n)] == marking; }

  // True where the search may end.
  bool meet_parts(internal::StateQuery& query, int i, int k) {
    const auto geometries = world->geometries();
    if (!world->checks(geometries[at(i)].body, geometries[at(k)].body)) return false;
    const RigidEnclosure X_LL = between_links(leaf_of[at(i)], leaf_of[at(k)]);
    const RigidEnclosure X = geometries[at(i)].X_LG.inverse_times(X_LL * geometries[at(k)].X_LG);
    return i < k ? query.meets_part({i, k}, X) : query.meets_part({k, i}, X.inverse());
  }

  // X_ab of the links that carry two leaves: up to the node that holds both, and down again.
  RigidEnclosure between_links(int i, int k) const {
    RigidEnclosure X_Ai, X_Bk;  // in the anchors of the nodes reached from i and from k
    const auto climb = [&](int& n, RigidEnclosure& X) {
      const ChainTree::Node& above = node(node(n).parent);
      const int s = above.left == n ? above.left_slot : above.right_slot;
      if (s != 0) X = slots[at(s)] * X;
      n = node(n).parent;
    };
    while (i != k) {
      if (i > k) {  // parents come first
        climb(i, X_Ai);
      } else {
        climb(k, X_Bk);
      }
    }
    return X_Ai.inverse_times(X_Bk);
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
      descend(query, options, obstacles, solids, 0, RigidEnclosure::identity(), 0, 1);
    };
    if (!scene.unbounded().empty()) meet_unbounded(query, 0, RigidEnclosure::identity());
    walk(scene.elements(), false);
    walk(scene.solids(), true);
  }

  bool stands(int n) const { return !is_marked(n) && same_piece(views[at(n)].enter, 0); }

  // X_WA of a child's anchor.
  RigidEnclosure child_pose(const RigidEnclosure& X_WA, int child_slot) const {
    return child_slot == 0 ? X_WA : X_WA * slots[at(child_slot)];
  }

  void place(int part, const RigidEnclosure& X_WL) {
    Workspace::Impl::Placement& place = workspace.impl().placements[at(part)];
    place.X_WG = X_WL * world->geometries()[at(part)].X_LG;
    place.moved = workspace.impl().moved;
  }

  void meet_unbounded(internal::StateQuery& query, int n, const RigidEnclosure& X_WA) {
    if (stop || views[at(n)].empty() || stands(n)) return;
    const ChainTree::Node& a = node(n);
    if (a.left < 0) {
      place(a.part, X_WA);
      stop = query.meets_unbounded(a.part);
      return;
    }
    meet_unbounded(query, a.left, child_pose(X_WA, a.left_slot));
    meet_unbounded(query, a.right, child_pose(X_WA, a.right_slot));
  }

  // As internal::NearScene, with boxes that follow from those of the tree.
  void descend(internal::StateQuery& query, const QueryOptions& options,
               const SceneTree::Tree& obstacles, bool solids, int n, const RigidEnclosure& X_WA,
               size_t first, size_t last) {
    const NodeView& v = views[at(n)];
    if (stop || v.empty() || stands(n)) return;
    const ChainTree::Node& a = node(n);
    const NodeBox& at_n = boxes[at(n)];
    const Vector3d half(v.half[0], v.half[1], v.half[2]);
    Matrix3d axes;
    for (int i = 0; i < 3; ++i) axes.row(i) << at_n.x[i], at_n.y[i], at_n.z[i];
    const Vector3d c(at_n.c[0], at_n.c[1], at_n.c[2]), center = X_WA.X * c;
    const double size = half.sum() + c.lpNorm<1>();
    const double more = bound_above(options.clearance + 2.0 * X_WA.point_error(size) +
                                        static_cast<double>(at_n.turn_error) * half.sum(),
                                    8);
    const Vector3d reach =
        ((X_WA.X.R * axes).cwiseAbs() * half).cwiseMin(static_cast<double>(v.radius)) +
        Vector3d::Constant(more);
    const FloatBox box = FloatBox::around(center - reach, center + reach);
    auto& list = workspace.impl().scene_nodes;
    const size_t kept = list.size();
    internal::refine(obstacles, box, a.left < 0, list, first, last, query.result().stats);
    const size_t end = list.size();
    if (end > kept) {
      if (a.left < 0) {
        place(a.part, X_WA);
        for (size_t k = kept; k < end && !stop; ++k) {
          const SceneTree::Node& obstacle = obstacles.nodes[at(list[k])];
          stop =
              solids ? query.meets_inside(a.part, obstacle) : query.meets_element(a.part, obstacle);
        }
      } else {
        descend(query, options, obstacles, solids, a.left, child_pose(X_WA, a.left_slot), kept,
                end);
        descend(query, options, obstacles, solids, a.right, child_pose(X_WA, a.right_slot), kept,
                end);
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

  std::vector<RigidEnclosure> slots;  // joint transforms, then shortcuts
  std::vector<NodeBox> boxes;         // of every node
  std::vector<NodeView> views;        // of every node
  std::vector<int> leaf_of;           // of every part, its node

  // What has changed since the last commit.
  std::uint64_t commits = 1;
  // By the counts of commits and of updates: saved and touched in the present one.
  struct Stamps {
    std::uint64_t saved = 0, touched = 0;
  };
  std::vector<Stamps> slot_stamps, node_stamps;
  std::vector<std::uint32_t> marks;  // of nodes, by checks
  std::uint32_t marking = 0;
  std::vector<std::pair<int, RigidEnclosure>> old_slots;
  std::vector<SavedNode> old_boxes;
  std::vector<std::pair<int, double>> old_values;
  std::vector<std::uint64_t> value_saved;
  std::vector<std::pair<int, double>> set_values;  // by one set: what was before

  std::vector<LinkIndex> moved;  // by one set

  // Joints whose slots are not what the values say yet, and of what is committed.
  std::vector<LinkIndex> behind, committed_behind;
  std::uint64_t syncs = 1;
  std::vector<std::uint64_t> behind_at;
  // Every joint is, whether in `behind` or not; and so was what is committed.
  bool all_behind = false, committed_all_behind = false;
  // The committed values are committed_q, not old_values.
  bool all_saved = false;
  Eigen::VectorXd committed_q;

  // Of one update.
  std::uint64_t updates = 0;
  std::vector<int> shortcuts_above, boxes_above;

  // What is proven, and of what is committed.
  Proof proof, committed;
  std::uint64_t proofs = 1;
  std::vector<std::uint64_t> unproven_at;  // joints
  std::vector<int> marked;
  std::vector<int> piece;                   // of every place in the walk of the links
  std::vector<std::pair<int, int>> ranges;  // of that walk, below each unproven joint
  bool numbered = false;

  // Of one check.
  bool stop = false;
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

RigidEnclosure internal::pose_between(ChainState& state, int part_a, int part_b) {
  const RoundingScope rounding;
  ChainState::Impl& impl = *state.impl_;
  impl.catch_up();
  return impl.between_links(impl.leaf_of[ChainState::Impl::at(part_a)],
                            impl.leaf_of[ChainState::Impl::at(part_b)]);
}

void ChainState::commit() { impl_->commit(); }
void ChainState::rollback() { impl_->rollback(); }

}  // namespace catena
