#include "chain_state_impl.hpp"

#include <limits>

#include "chain_state_probe.hpp"

namespace catena {

ChainState::Result ChainState::Impl::check(const QueryOptions& asked) {
  validate_options(asked);
  const RoundingScope rounding;
  QueryOptions options = asked;
  options.distances = false;
  Result result;
  if (!unproven.all() && options.clearance <= proven_clearance) {
    if (check_changes(options, result)) return result;
    // Too many pairs: nothing was found out but how many.
  }
  const QueryStats spent = result.stats;
  const StateResult state = check_state(*world, q, options, workspace);
  result = {state.verdict, {}, {}, {-kInfinity, kInfinity}, state.stats};
  result.stats += spent;
  if (state.verdict == Verdict::kFree) {
    prove(options.clearance);
  } else {
    result.a = state.witness.a;
    result.b = state.witness.b;
    result.gap = state.witness.gap;
  }
  return result;
}

bool ChainState::Impl::check_changes(const QueryOptions& options, Result& result) {
  internal::StateQuery query(*world, options, false, /*with_points=*/false, workspace.impl());
  QueryStats& stats = query.result().stats;
  catch_up(stats);
  mark_changes(unproven);
  take_all = false;
  if (!meet_parts(options, query)) {
    result.stats += stats;
    return false;
  }
  if (!stop) meet_scene(query, options);
  result.stats += stats;
  const StateResult& found = query.result();
  if (found.verdict == Verdict::kCollision || query.open()) {
    result.verdict = found.verdict;
    result.a = found.witness.a;
    result.b = found.witness.b;
    result.gap = found.witness.gap;
    return true;
  }
  result.verdict = Verdict::kFree;
  prove(options.clearance);
  return true;
}

template <class Meet>
bool ChainState::Impl::meet_turned(LinkIndex joint, double clearance, QueryStats& stats,
                                   Meet meet) {
  if (!follow_in_grid(joint, clearance, stats)) return false;
  const internal::MethodCost before(stats);
  internal::PartGrid& grid = *workspace.impl().grid;
  const internal::PartGrid::Side side = grid.smaller_side(tree, joint);
  const GridTurn turn = turn_in_grid(joint, side.carried);
  const bool done =
      grid.ask_turned(side, turn.X_GG, clearance, stats.box_tests, stop, [&](int a, int b) {
        return meet(GeometryPair{std::min(a, b), std::max(a, b)});
      });
  if (!done) {
    stand->joints.insert_all();
    return false;
  }
  method.grid_took(side.size, before.since(stats));
  if (!stop) {
    const auto [first, count] = values_of(joint);
    stand->q.segment(first, count) = q.segment(first, count);
    stand->X_GR = turn.X_GR;
    stand->joints.clear();
  }
  return true;
}

// By the tree, or where one joint has moved by the grid. False if neither does.
bool ChainState::Impl::meet_parts(const QueryOptions& options, internal::StateQuery& query) {
  QueryStats& stats = query.result().stats;
  const auto geometries = world->geometries();
  const auto meet = [&](GeometryPair pair) {
    return world->checks(geometries[at(pair.a)].body, geometries[at(pair.b)].body) &&
           query.meets_part(pair, between_parts(pair));
  };
  const std::uint64_t most_visited = method.only_tree()
                                         ? std::numeric_limits<std::uint64_t>::max()
                                         : kMostVisited * at(robot.num_links()) + 1000;
  const auto walk = [&](std::uint64_t most) {
    return !walk_marked(options.clearance, most, stats, meet);
  };
  const internal::PartGrid* const grid = workspace.impl().grid.get();
  if (unproven.joints().size() != 1 || method.only_tree() ||
      (grid != nullptr && !grid->suits(options.clearance))) {
    return walk(most_visited);
  }
  const LinkIndex joint = unproven.joints().front();
  const int carried = tree.leave(joint) - tree.enter(joint);
  const int size = std::min(carried, robot.num_links() - carried);
  if (!method.prefers_grid(size)) {
    const internal::MethodCost before(stats);
    const bool done = walk(std::min(most_visited, method.most_visited(size)));
    method.tree_took(size, before.since(stats));
    if (done) return true;
  }
  return meet_turned(joint, options.clearance, stats, meet) || walk(most_visited);
}

void ChainState::Impl::meet_scene(internal::StateQuery& query, const QueryOptions& options) {
  if (tree.nodes().empty()) return;
  const SceneTree& scene = world->scene_tree();
  QueryStats& stats = query.result().stats;
  place_base();
  visit_half_spaces(options.clearance, stats,
                    [&](int part, int geometry) { return query.meets_half_space(part, geometry); });
  visit_scene(scene.elements(), options.clearance, stats,
              [&](int part, const SceneTree::Node& obstacle) {
                return query.meets_element(part, obstacle);
              });
  visit_scene(scene.solids(), options.clearance, stats,
              [&](int part, const SceneTree::Node& obstacle) {
                return query.meets_inside(part, obstacle);
              });
}

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

StateResult ChainState::distance(const QueryOptions& options) { return impl_->distance(options); }

void ChainState::find_near_pairs(double cutoff, const QueryOptions& options, NearPairs& result) {
  impl_->find_near_pairs(cutoff, options, result);
}

RigidEnclosure internal::ChainStateProbe::pose_between(ChainState& state, int a, int b) {
  const RoundingScope rounding;
  ChainState::Impl& impl = *state.impl_;
  QueryStats remade;
  impl.catch_up(remade);
  return impl.between_links(impl.leaf_of[ChainState::Impl::at(a)],
                            impl.leaf_of[ChainState::Impl::at(b)]);
}

void internal::ChainStateProbe::use_only_tree(ChainState& state) {
  state.impl_->method.use_only_tree();
}
void internal::ChainStateProbe::use_only_grid(ChainState& state) {
  state.impl_->method.use_only_grid();
  state.impl_->workspace.impl().method.use_only_grid();
}
std::uint64_t internal::ChainStateProbe::grid_answers(const ChainState& state) {
  return state.impl_->method.grid_answers() + state.impl_->workspace.impl().method.grid_answers();
}

internal::ChainStateProbe::Boxes internal::ChainStateProbe::boxes(ChainState& state) {
  const RoundingScope rounding;
  QueryStats remade;
  state.impl_->catch_up(remade);
  return {state.impl_->boxes, state.impl_->views};
}

void ChainState::commit() { impl_->commit(); }
void ChainState::rollback() { impl_->rollback(); }

}  // namespace catena
