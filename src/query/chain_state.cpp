#include "chain_state_impl.hpp"
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
  catch_up(query.result().stats);
  mark_changes(unproven);
  take_all = false;
  const auto geometries = world->geometries();
  const bool gave_up = walk_marked(options.clearance, kMostVisited * at(robot.num_links()) + 1000,
                                   query.result().stats, [&](GeometryPair pair) {
                                     return world->checks(geometries[at(pair.a)].body,
                                                          geometries[at(pair.b)].body) &&
                                            query.meets_part(pair, between_parts(pair));
                                   });
  if (gave_up) {
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
  prove(options.clearance);
  return true;
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

void ChainState::commit() { impl_->commit(); }
void ChainState::rollback() { impl_->rollback(); }

}  // namespace catena
