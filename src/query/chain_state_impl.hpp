#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/query/chain_state.hpp"
#include "chain_gaps.hpp"
#include "joint_set.hpp"
#include "near_list.hpp"
#include "state_query.hpp"

namespace catena {

/// What a ChainState holds and how it follows its values; what it is asked is in chain_state.cpp,
/// chain_distance.cpp and chain_near_pairs.cpp.
struct ChainState::Impl {
  using FloatPose = internal::FloatPose;
  using GapEntry = internal::GapEntry;
  using GeometryPair = internal::GeometryPair;
  using JointSet = internal::JointSet;
  using NodeBox = internal::NodeBox;
  using NodeGap = internal::NodeGap;
  using NodeView = internal::NodeView;

  // So many visited pairs of nodes a link, and the whole state is checked instead: a tangled chain
  // has more pairs of boxes that overlap than links.
  static constexpr std::uint64_t kMostVisited = 4;
  // With more unproven joints than one in so many, the same; measured where both take as long.
  static constexpr int kUnprovenShare = 512;
  // What was measured or listed is worth more than that: so many joints that have moved are told
  // apart.
  static constexpr int kTrackedShare = 16;

  /// What was measured.
  struct Measurement {
    bool none = true;           ///< the nodes' gaps say nothing
    double scene = -kInfinity;  ///< a lower bound of every part's distance from the scene
    GeometryPair closest;       ///< likely to be so still; a < 0: not known
  };

  /// The pairs of the last list.
  struct Listing {
    double cutoff = 0.0, width = 0.0;
    std::vector<NearPair> pairs;
  };

  explicit Impl(std::shared_ptr<const CollisionWorld> collision_world)
      : world(std::move(collision_world)),
        tree(world->chain_tree()),
        robot(world->robot()),
        workspace(*world),
        unproven(robot.num_links(), share(6, kUnprovenShare)),
        behind(robot.num_links(), at(robot.num_links())),
        moved(robot.num_links(), share(8, kTrackedShare)),
        unlisted(robot.num_links(), share(8, kTrackedShare)),
        changed(robot.num_links(), share(8, kTrackedShare)) {
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
    value_saved.assign(static_cast<size_t>(q.size()), 0);
    committed_q = q;
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
    behind.clear();
    moved.clear();
    changed.clear();
    commit();
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
    if (changes.size() > share(8, kTrackedShare)) {
      wanted = q;
      for (const Change& change : changes) {
        require_one_value(change.joint);
        wanted[robot.joint(change.joint).q_index] = change.value;
        // A value that is none is refused even where a later one follows.
        for (const LinkIndex follower : followers[at(change.joint)]) {
          joint_pose(robot, follower, wanted);
        }
      }
      set(wanted);
      return;
    }
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
    if (changes > share(8, kTrackedShare)) {
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
    unproven.insert_all();
    behind.insert_all();
    measured.none = true;
    moved.insert_all();
    unlisted.insert_all();
    if (stand) stand->joints.insert_all();
  }

  // All or nothing: values first, then what they make unproven.
  template <class Take>
  void change_all(const Take& take) {
    moving.clear();
    set_values.clear();
    try {
      take();
      // What rollback needs, before anything depends on the new values.
      for (const auto& [k, before] : set_values) save_value(k, before);
    } catch (...) {
      for (size_t i = set_values.size(); i-- > 0;) q[set_values[i].first] = set_values[i].second;
      throw;
    }
    for (const LinkIndex i : moving) {
      unproven.insert(i);
      behind.insert(i);
      moved.insert(i);
      unlisted.insert(i);
      changed.insert(i);
      if (stand) stand->joints.insert(i);
    }
  }

  void require_one_value(LinkIndex i) const {
    const bool there = i.value > 0 && i.value < robot.num_links();
    if (there && !robot.joint(i).mimic && num_values(robot.joint(i).type) == 1) return;
    throw std::invalid_argument(
        "ChainState::set: " +
        (there ? "joint \"" + robot.joint(i).name +
                     "\" is no active joint of one value; set it with a whole configuration"
               : "there is no joint " + std::to_string(i.value) +
                     (i.value == -1 ? " (Robot::find_joint found none of that name)" : "") +
                     "; give one that Robot::find_joint finds"));
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
      moving.push_back(follower);
    }
  }

  // ---- the tree follows when it is asked: a whole configuration that is set is mostly checked as
  // one, without it

  void catch_up(QueryStats& stats) {
    if (behind.all()) {
      // What is committed has no tree either, or else it is kept.
      const bool keep = !committed_behind.all();
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
      stats.boxes_remade += tree.merges().size();
      stats.shortcuts_remade += tree.shortcuts().size();
    } else {
      if (behind.joints().empty()) return;
      for (const LinkIndex i : behind.joints()) {
        save_slot(i.value);
        slots[at(i)] = joint_pose(robot, i, q);
      }
      update();
      stats.boxes_remade += boxes_above.size();
      stats.shortcuts_remade += shortcuts_above.size();
    }
    behind.clear();
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
    for (const LinkIndex i : behind.joints()) {
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
    if (behind.joints().size() > 1) {  // operands come first, and children after their parents
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

  // One joint in so many, at least `least`. More than that, and the whole is checked, measured or
  // listed in less time.
  size_t share(size_t least, int one_in) const {
    return std::max(least, at(robot.num_links() / one_in));
  }

  void prove(double clearance) {
    unproven.clear();
    proven_clearance = clearance;
  }

  void commit() {
    ++commits;
    old_slots.clear();
    old_boxes.clear();
    old_values.clear();
    all_saved = false;
    behind.save(committed_behind);
    unproven.save(committed_unproven);
    committed_clearance = proven_clearance;
    old_gaps.clear();
    moved.save(committed_moved);
    committed_measured = measured;
    changed.clear();
  }

  void rollback() {
    if (all_saved) {
      q = committed_q;
      unlisted.insert_all();
      if (stand) stand->joints.insert_all();
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
    unproven.restore(committed_unproven);
    proven_clearance = committed_clearance;
    behind.restore(committed_behind);
    for (const auto& [n, gap] : old_gaps) gaps[at(n)] = gap;
    old_gaps.clear();
    moved.restore(committed_moved);
    measured = committed_measured;
    // They move back.
    if (changed.all()) {
      unlisted.insert_all();
      if (stand) stand->joints.insert_all();
    }
    for (const LinkIndex i : changed.joints()) {
      unlisted.insert(i);
      if (stand) stand->joints.insert(i);
    }
    changed.clear();
  }

  // ---- the question

  Result check(const QueryOptions& asked);

  // False if it gave up.
  bool check_changes(const QueryOptions& options, Result& result);

  // Nodes in which one of the joints moves one part against another, and what the joints divide.
  void mark_changes(const JointSet& set) {
    if (++marking == 0) {  // the count has come back
      marking = 1;
      std::fill(marks.begin(), marks.end(), 0);
    }
    marked.clear();
    for (const LinkIndex i : set.joints()) {
      for (int n = tree.node_of_joint(i); n >= 0 && !is_marked(n); n = node(n).parent) {
        marks[at(n)] = marking;
        marked.push_back(n);
      }
    }
    find_pieces(set);
  }

  void find_pieces(const JointSet& set) {
    const auto joints = set.joints();
    // Numbers cost a step a link; asking costs one a joint for every pair looked at, of which there
    // are more with more joints.
    const bool numbered =
        joints.size() > 4 && 16 * joints.size() * joints.size() > at(robot.num_links());
    ranges.clear();
    if (!numbered) {
      for (const LinkIndex i : joints) ranges.emplace_back(tree.enter(i), tree.leave(i));
      pieces = {nullptr, ranges};
      return;
    }
    piece[0] = 0;
    int count = 0;
    for (int i = 1; i < robot.num_links(); ++i) {
      piece[at(tree.enter(LinkIndex(i)))] =
          set.contains(LinkIndex(i)) ? ++count : piece[at(tree.enter(robot.parent(LinkIndex(i))))];
    }
    pieces = {piece.data(), {}};
  }

  bool is_marked(int n) const { return marks[at(n)] == marking; }

  // Two parts below the marked nodes that are not proven farther apart than `clearance`, or of
  // those that nothing moves against each other as well if `take_all`: meet(pair), until it returns
  // true, which is what `stop` then is. True if there are more pairs of nodes than `most_visited`.
  template <class Meet>
  bool walk_marked(double clearance, std::uint64_t most_visited, QueryStats& stats, Meet meet) {
    internal::PairWalk walk{views.data(),
                            take_all ? nullptr : marks.data(),
                            marking,
                            pieces,
                            float_above(clearance),
                            most_visited,
                            [](void* context, int i, int k) {
                              const GeometryPair pair{std::min(i, k), std::max(i, k)};
                              return (*static_cast<Meet*>(context))(pair);
                            },
                            &meet,
                            world->unchecked_nodes()};
    stop = internal::walk_pairs(walk, marked);
    stats.box_tests += walk.visited;
    return walk.gave_up;
  }

  // X_GaGb of two parts.
  RigidEnclosure between_parts(GeometryPair pair) const {
    const auto geometries = world->geometries();
    const RigidEnclosure X_LL = between_links(leaf_of[at(pair.a)], leaf_of[at(pair.b)]);
    return geometries[at(pair.a)].X_LG.inverse_times(X_LL * geometries[at(pair.b)].X_LG);
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

  // ---- parts against parts by the grid, where one joint has moved

  /// How things stand in the workspace's grid.
  struct GridStand {
    JointSet joints;                ///< those that may stand otherwise there
    std::uint64_t fills = 0;        ///< as the workspace counts them
    Eigen::VectorXd q;              ///< the values there
    RigidEnclosure X_GR;            ///< the root link's pose there
    std::vector<int> node_of;       ///< of every link, a node that has its frame
    std::vector<LinkIndex> behind;  ///< of one question: joints that are to be turned
  };

  /// A joint's one side goes where it is now, by X_GG.
  struct GridTurn {
    RigidEnclosure X_GG;
    RigidEnclosure X_GR;  ///< the root link's pose then
  };

  bool meet_parts(const QueryOptions& options, internal::StateQuery& query);

  // Two parts that the joint, the only unproven one, moves against each other and that are not
  // proven farther apart than `clearance`: meet(pair), until it returns true, which is what `stop`
  // then is. False, and nothing is known, if the grid does not serve.
  template <class Meet>
  bool meet_turned(LinkIndex joint, double clearance, QueryStats& stats, Meet meet);

  // In the grid all joints stand as they are now, the last one perhaps not. False as above.
  bool follow_in_grid(LinkIndex last, double clearance, QueryStats& stats);

  bool fill_grid(double clearance, QueryStats& stats);

  GridTurn turn_in_grid(LinkIndex joint, bool carried) const;

  // The values on which a joint's pose depends: where they are, and how many.
  std::pair<int, int> values_of(LinkIndex i) const {
    const Joint& own = robot.joint(i);
    const Joint& joint = own.mimic ? robot.joint(own.mimic->source) : own;
    return {joint.q_index, num_values(joint.type)};
  }

  // ---- the scene

  void meet_scene(internal::StateQuery& query, const QueryOptions& options);

  bool stands(int n) const { return !is_marked(n) && pieces.together(views[at(n)].enter, 0); }

  // A node's box along the axes of W, X_WA of its anchor, grown by a margin.
  FloatBox box_in_world(int n, const RigidEnclosure& X_WA, double margin) const {
    const NodeView& v = views[at(n)];
    const NodeBox& at_n = boxes[at(n)];
    const Vector3d half(v.half[0], v.half[1], v.half[2]);
    Matrix3d axes;
    for (int i = 0; i < 3; ++i) axes.row(i) << at_n.x[i], at_n.y[i], at_n.z[i];
    const Vector3d c(at_n.c[0], at_n.c[1], at_n.c[2]), center = X_WA.X * c;
    const double size = half.sum() + c.lpNorm<1>();
    const double more = bound_above(
        margin + 2.0 * X_WA.point_error(size) + static_cast<double>(at_n.turn_error) * half.sum(),
        8);
    const Vector3d reach =
        ((X_WA.X.R * axes).cwiseAbs() * half).cwiseMin(static_cast<double>(v.radius)) +
        Vector3d::Constant(more);
    return FloatBox::around(center - reach, center + reach);
  }

  // Parts that are to be looked at, and leaves of a tree over the scene that they may come within
  // `margin` of: visit(part, leaf), until it returns true, which is what `stop` then is. As
  // internal::NearScene, with boxes that follow from those of the tree.
  template <class Visit>
  void visit_scene(const SceneTree::Tree& obstacles, double margin, QueryStats& stats,
                   const Visit& visit) {
    if (stop || obstacles.nodes.empty()) return;
    workspace.impl().scene_nodes.assign(1, 0);
    visit_scene_below(obstacles, margin, stats, visit, 0, 0, 1);
  }
  // @pre n is placed
  template <class Visit>
  void visit_scene_below(const SceneTree::Tree& obstacles, double margin, QueryStats& stats,
                         const Visit& visit, int n, size_t first, size_t last) {
    if (stop || views[at(n)].empty() || (!take_all && stands(n))) return;
    const NodeView& v = views[at(n)];
    auto& near = workspace.impl().scene_nodes;
    const size_t kept = near.size();
    const FloatBox box = box_in_world(n, workspace.impl().X_WL[at(node(n).anchor)], margin);
    internal::refine(obstacles, box, v.is_leaf(), near, first, last, stats);
    const size_t end = near.size();
    if (v.is_leaf()) {
      for (size_t k = kept; k < end && !stop; ++k) {
        stop = visit(v.part(), obstacles.nodes[at(near[k])]);
      }
    } else if (end > kept) {
      place_children(n);
      visit_scene_below(obstacles, margin, stats, visit, n + 1, kept, end);
      visit_scene_below(obstacles, margin, stats, visit, v.child, kept, end);
    }
    near.resize(kept);
  }

  // The same for half-spaces: visit(part, geometry).
  template <class Visit>
  void visit_half_spaces(double margin, QueryStats& stats, const Visit& visit) {
    for (const int i : world->scene_tree().unbounded()) {
      visit_half_space_below(world->first_scene_geometry() + i, margin, stats, visit, 0);
    }
  }
  // @pre n is placed
  template <class Visit>
  void visit_half_space_below(int geometry, double margin, QueryStats& stats, const Visit& visit,
                              int n) {
    if (stop || views[at(n)].empty() || (!take_all && stands(n))) return;
    ++stats.box_tests;
    if (gap_to_half_space(n, geometry) > margin) return;
    const NodeView& v = views[at(n)];
    if (v.is_leaf()) {
      stop = visit(v.part(), geometry);
      return;
    }
    place_children(n);
    visit_half_space_below(geometry, margin, stats, visit, n + 1);
    visit_half_space_below(geometry, margin, stats, visit, v.child);
  }

  // ---- how far apart

  StateResult distance(const QueryOptions& asked);

  // False for a contact, whose depth the whole state has to tell.
  bool measure(const QueryOptions& options, StateResult& result);

  bool holds_pairs(int n) const {
    return node(n).num_parts > 1 && !(node(n).rigid && node(n).anchor.value != 0);
  }

  void save_gap(int n);

  // Forgets what may have changed; until it is found out, nothing is known of it.
  void prepare_gaps();

  // Nothing is dropped before it has told a bound of its distance.
  void note_bound(const GapEntry& entry);

  void conclude_gaps(const internal::StateQuery& query);

  // Nearest bounds first.
  void search(internal::StateQuery& query);

  // So far, and it need not be looked at. As the limit is not below 0 until a contact ends the
  // search, a bound of 0, which boxes that overlap have, drops nothing.
  static bool beyond(double bound, const internal::StateQuery& query) noexcept;

  void push(const internal::StateQuery& query, const GapEntry& entry);

  void push_below(const internal::StateQuery& query, int n);

  void push_parts(internal::StateQuery& query, int owner, int i, int k, const FloatPose& X_ab);

  void push_scene(internal::StateQuery& query, int n, int obstacle);

  void push_unbounded(internal::StateQuery& query, int n, int geometry);

  // What is in it, nearer by one level; of two geometries, their distance. True where the search
  // ends: a contact is proven, or the budget has run out.
  bool expand(internal::StateQuery& query, GapEntry& entry);

  bool measure_pair(internal::StateQuery& query, GeometryPair pair, GapEntry& entry);

  // ---- poses in the world, where they are asked for, until the next place_base

  void place_base() {
    link_placed.resize(static_cast<size_t>(robot.num_links()));
    box_placed.resize(boxes.size());
    ++placings;
    ++workspace.impl().moved;
    if (tree.nodes().empty()) return;
    set_pose(node(0).anchor, RigidEnclosure::identity());
  }

  void set_pose(LinkIndex link, const RigidEnclosure& X_WL) {
    workspace.impl().X_WL[at(link)] = X_WL;
    link_placed[at(link)] = placings;
  }

  // @pre n is placed
  void place_children(int n) {
    const ChainTree::Node& above = node(n);
    for (const auto& [child, s] :
         {std::pair(above.left, above.left_slot), std::pair(above.right, above.right_slot)}) {
      const LinkIndex link = node(child).anchor;
      if (link_placed[at(link)] == placings) continue;
      set_pose(link, workspace.impl().X_WL[at(above.anchor)] * slots[at(s)]);
    }
  }

  // Of the link that carries a part.
  void place_link(int part) {
    const int leaf = leaf_of[at(part)];
    const LinkIndex link = node(leaf).anchor;
    if (link_placed[at(link)] != placings) set_pose(link, between_links(0, leaf));
  }

  // @pre n is placed
  const FloatBox& world_box(int n) {
    FloatBox& box = workspace.impl().boxes[at(n)];
    if (box_placed[at(n)] != placings) {
      box = box_in_world(n, workspace.impl().X_WL[at(node(n).anchor)], 0.0);
      box_placed[at(n)] = placings;
    }
    return box;
  }

  // @pre n is placed
  double gap_to_half_space(int n, int geometry) {
    const FloatBox& bounds = world_box(n);
    Obb box_W;
    box_W.axes = Matrix3d::Identity();
    box_W.center = 0.5 * (bounds.lower() + bounds.upper());
    box_W.half = 0.5 * (bounds.upper() - bounds.lower());
    const CollisionWorld::WorldGeometry& g = world->geometries()[at(geometry)];
    const double gap =
        internal::half_space_gap(g.geometry->element(0), box_W, g.X_LG.inverse()).gap;
    return gap > -kInfinity ? gap : -kInfinity;  // no number (overflow) separates nothing
  }

  // ---- all that is near

  void find_near_pairs(double cutoff, const QueryOptions& options, NearPairs& result);

  // Where the walk of the links enters the one that carries a geometry.
  int walk_of(int geometry) const { return tree.enter(world->geometries()[at(geometry)].link); }

  // All pairs, or those between which something has moved.
  void list_near(internal::NearList& list, double cutoff, bool all);

  void list_parts(internal::NearList& list, double cutoff);

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

  std::vector<LinkIndex> moving;  // by one set
  Eigen::VectorXd wanted;         // by a set of many

  // The committed values are committed_q, not old_values.
  bool all_saved = false;
  Eigen::VectorXd committed_q;

  // Of one update.
  std::uint64_t updates = 0;
  std::vector<int> shortcuts_above, boxes_above;

  // Joints that have moved: since the proof that the configuration keeps a clearance, since the
  // slots were what the values say, since the nodes' gaps were measured, since the last list, and
  // since the last commit. Then what rollback returns to.
  JointSet unproven, behind, moved, unlisted, changed;
  JointSet::Copy committed_unproven{unproven}, committed_behind{behind}, committed_moved{moved};
  double proven_clearance = 0.0, committed_clearance = 0.0;

  // Of one search.
  std::vector<int> marked;
  std::vector<int> piece;                   // of every place in the walk of the links
  std::vector<std::pair<int, int>> ranges;  // of that walk, below each unproven joint
  internal::Pieces pieces;

  Measurement measured, committed_measured;
  std::vector<NodeGap> gaps;  // of every node, from the first measurement on
  std::vector<std::pair<int, NodeGap>> old_gaps;

  // Of one measurement.
  std::vector<GapEntry> nearest;  // a heap
  std::vector<int> expanded;      // nodes of which `below` is to be found anew
  double scene_before = 0.0, scene_gap = 0.0;
  GeometryPair seed;
  double seed_gap = 0.0;

  // The last list.
  Listing listed;
  NearPairs newly_listed;
  bool take_all = false;

  std::uint64_t placings = 0;
  std::vector<std::uint64_t> link_placed, box_placed;  // poses and boxes in the workspace

  // Questions about one joint that turn to the grid; what that looks at counts as half a test of
  // two oriented boxes.
  std::unique_ptr<GridStand> stand;
  internal::MethodChoice method{2.0, 0.5};

  // Of one check.
  bool stop = false;
};

}  // namespace catena
