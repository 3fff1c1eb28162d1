#include "chain_state_impl.hpp"

namespace catena {

StateResult ChainState::Impl::distance(const QueryOptions& asked) {
  validate_options(asked);
  const RoundingScope rounding;
  QueryOptions options = asked;
  options.distances = true;
  StateResult result;
  if (world->num_geometry_pairs() == 0 || moved.all()) {
    measured.none = true;
    moved.clear();
  } else if (measure(options, result)) {
    return result;
  }
  const QueryStats spent = result.stats;
  result = check_state(*world, q, options, workspace);
  result.stats += spent;
  return result;
}

bool ChainState::Impl::measure(const QueryOptions& options, StateResult& result) {
  internal::StateQuery query(*world, options, false, /*with_points=*/false, workspace.impl());
  catch_up(query.result().stats);
  prepare_gaps();
  place_base();
  // What was closest bounds what can be.
  seed = measured.closest;
  seed_gap = kInfinity;
  bool ended = false;
  if (seed.a >= 0) {
    place_link(seed.a);
    ended = query.measures(seed,
                           seed.b < world->first_scene_geometry()
                               ? between_parts(seed)
                               : internal::relative_pose(*world, seed, workspace.impl()),
                           seed_gap);
  }
  if (ended) {
    scene_gap = -kInfinity;  // nothing was looked at, so nothing is known
  } else {
    search(query);
  }
  conclude_gaps(query);
  result = query.result();
  if (result.verdict == Verdict::kCollision) return false;
  query.conclude();
  result = query.result();
  if (const auto& [pair, d] = query.reported(); pair.a >= 0) {
    place_link(pair.a);
    const Witness placed = internal::make_witness(*world, pair, d, workspace.impl());
    result.witness.point_a = placed.point_a;
    result.witness.point_b = placed.point_b;
  }
  return true;
}

void ChainState::Impl::save_gap(int n) {
  if (committed_measured.none || gaps[at(n)].saved == commits) return;
  old_gaps.emplace_back(n, gaps[at(n)]);
  gaps[at(n)].saved = commits;
}

void ChainState::Impl::prepare_gaps() {
  const bool none = measured.none;
  measured.none = true;  // should this end by an exception
  scene_before = none ? -kInfinity : measured.scene;
  scene_gap = kInfinity;
  expanded.clear();
  nearest.clear();
  gaps.resize(boxes.size());
  for (int n = 0; none && n < static_cast<int>(gaps.size()); ++n) {
    save_gap(n);
    NodeGap& gap = gaps[at(n)];
    gap.below = gap.between = holds_pairs(n) ? -kInfinity : kInfinity;
    gap.before = -kInfinity;
  }
  mark_changes(moved);
  for (const int n : marked) {
    if (!holds_pairs(n)) continue;
    save_gap(n);
    NodeGap& gap = gaps[at(n)];
    gap.before = gap.between;
    gap.below = gap.between = -kInfinity;
  }
}

void ChainState::Impl::note_bound(const GapEntry& entry) {
  if (entry.kind == GapEntry::Kind::kParts) {
    NodeGap& gap = gaps[at(entry.owner)];
    gap.between = std::min(gap.between, entry.bound);
  } else if (entry.kind == GapEntry::Kind::kScene || entry.kind == GapEntry::Kind::kUnbounded) {
    scene_gap = std::min(scene_gap, entry.bound);
  }
}

void ChainState::Impl::conclude_gaps(const internal::StateQuery& query) {
  for (const GapEntry& entry : nearest) note_bound(entry);
  for (size_t k = expanded.size(); k-- > 0;) {  // children come after their parents
    const int n = expanded[k];
    save_gap(n);
    gaps[at(n)].below = std::min(
        {gaps[at(n)].between, gaps[at(node(n).left)].below, gaps[at(node(n).right)].below});
  }
  measured.scene = scene_gap;
  measured.closest = query.reported().pair;
  measured.none = false;
  moved.clear();
}

void ChainState::Impl::search(internal::StateQuery& query) {
  if (tree.nodes().empty()) return;
  push_below(query, 0);
  push_scene(query, 0, 0);
  for (const int i : world->scene_tree().unbounded()) {
    push_unbounded(query, 0, world->first_scene_geometry() + i);
  }
  while (!nearest.empty() && !beyond(nearest.front().bound, query)) {
    std::pop_heap(nearest.begin(), nearest.end());
    GapEntry entry = nearest.back();
    nearest.pop_back();
    if (expand(query, entry)) {
      entry.bound = -kInfinity;
      note_bound(entry);
      return;
    }
  }
}

bool ChainState::Impl::beyond(double bound, const internal::StateQuery& query) noexcept {
  return bound > query.limit() || bound == kInfinity;
}

void ChainState::Impl::push(const internal::StateQuery& query, const GapEntry& entry) {
  if (beyond(entry.bound, query)) {
    note_bound(entry);
    return;
  }
  nearest.push_back(entry);
  std::push_heap(nearest.begin(), nearest.end());
}

void ChainState::Impl::push_below(const internal::StateQuery& query, int n) {
  if (holds_pairs(n)) push(query, {gaps[at(n)].below, GapEntry::Kind::kBelow, n, 0, 0, {}});
}

void ChainState::Impl::push_parts(internal::StateQuery& query, int owner, int i, int k,
                                  const FloatPose& X_ab) {
  if (views[at(i)].empty() || views[at(k)].empty()) return;
  const UncheckedNodes* const unchecked = world->unchecked_nodes();
  if (unchecked != nullptr && unchecked->contains(i, k)) return;
  ++query.result().stats.box_tests;
  double bound = internal::gap_below(views[at(i)], views[at(k)], X_ab);
  const double before = gaps[at(owner)].before;
  if (before > bound && !is_marked(i) && !is_marked(k) &&
      pieces.together(views[at(i)].enter, views[at(k)].enter)) {
    bound = before;
  }
  push(query, {bound, GapEntry::Kind::kParts, i, k, owner, X_ab});
}

void ChainState::Impl::push_scene(internal::StateQuery& query, int n, int obstacle) {
  const SceneTree::Tree& obstacles = world->scene_tree().geometries();
  if (views[at(n)].empty() || obstacles.nodes.empty()) return;
  const FloatBox& other = obstacles.boxes[at(obstacle)];
  if (other.is_empty()) return;
  ++query.result().stats.box_tests;
  const double bound = distance_below(world_box(n), other);
  push(query, {stands(n) ? std::max(bound, scene_before) : bound,
               GapEntry::Kind::kScene,
               n,
               obstacle,
               0,
               {}});
}

void ChainState::Impl::push_unbounded(internal::StateQuery& query, int n, int geometry) {
  if (views[at(n)].empty()) return;
  ++query.result().stats.box_tests;
  const double bound = gap_to_half_space(n, geometry);
  push(query, {stands(n) ? std::max(bound, scene_before) : bound,
               GapEntry::Kind::kUnbounded,
               n,
               geometry,
               0,
               {}});
}

bool ChainState::Impl::expand(internal::StateQuery& query, GapEntry& entry) {
  const int n = entry.a;
  const NodeView& a = views[at(n)];
  switch (entry.kind) {
    case GapEntry::Kind::kBelow: {
      expanded.push_back(n);
      push_below(query, n + 1);
      push_below(query, a.child);
      const bool two = !views[at(n + 1)].empty() && !views[at(a.child)].empty();
      if (!two) gaps[at(n)].between = kInfinity;
      if (two) push(query, {gaps[at(n)].between, GapEntry::Kind::kBetween, n, 0, 0, {}});
      return false;
    }
    case GapEntry::Kind::kBetween: {
      save_gap(n);
      NodeGap& gap = gaps[at(n)];
      if (!is_marked(n)) gap.before = gap.between;
      gap.between = kInfinity;
      push_parts(query, n, n + 1, a.child, internal::between_children(a));
      return false;
    }
    case GapEntry::Kind::kParts: {
      const int k = entry.b;
      const NodeView& b = views[at(k)];
      if (a.is_leaf() && b.is_leaf()) {
        return measure_pair(query, {std::min(a.part(), b.part()), std::max(a.part(), b.part())},
                            entry);
      }
      if (internal::divides_first(a, b)) {
        push_parts(query, entry.owner, a.child, k, internal::to_right_of_a(a, entry.X_ab));
        push_parts(query, entry.owner, n + 1, k, internal::to_left_of_a(a, entry.X_ab));
      } else {
        push_parts(query, entry.owner, n, k + 1, internal::to_left_of_b(entry.X_ab, b));
        push_parts(query, entry.owner, n, b.child, internal::to_right_of_b(entry.X_ab, b));
      }
      return false;
    }
    case GapEntry::Kind::kScene: {
      const SceneTree::Tree& obstacles = world->scene_tree().geometries();
      const SceneTree::Node& obstacle = obstacles.nodes[at(entry.b)];
      if (a.is_leaf() && obstacle.left < 0) {
        return measure_pair(query, {a.part(), world->first_scene_geometry() + obstacle.geometry},
                            entry);
      }
      if (obstacle.left < 0 ||
          (!a.is_leaf() && world_box(n).size() >= obstacles.boxes[at(entry.b)].size())) {
        place_children(n);
        push_scene(query, n + 1, entry.b);
        push_scene(query, a.child, entry.b);
      } else {
        push_scene(query, n, obstacle.left);
        push_scene(query, n, obstacle.left + 1);
      }
      return false;
    }
    case GapEntry::Kind::kUnbounded:
      if (a.is_leaf()) return measure_pair(query, {a.part(), entry.b}, entry);
      place_children(n);
      push_unbounded(query, n + 1, entry.b);
      push_unbounded(query, a.child, entry.b);
      return false;
  }
  return false;
}

bool ChainState::Impl::measure_pair(internal::StateQuery& query, GeometryPair pair,
                                    GapEntry& entry) {
  bool ended = false;
  entry.bound = seed_gap;
  if (pair.a != seed.a || pair.b != seed.b) {
    ended = query.measures(pair,
                           entry.kind == GapEntry::Kind::kParts
                               ? between_parts(pair)
                               : internal::relative_pose(*world, pair, workspace.impl()),
                           entry.bound);
  }
  note_bound(entry);
  return ended;
}

}  // namespace catena
