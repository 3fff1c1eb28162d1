#include <iterator>

#include "chain_state_impl.hpp"

namespace catena {

void ChainState::Impl::find_near_pairs(double cutoff, const QueryOptions& options,
                                       NearPairs& result) {
  validate_options(options);
  internal::validate_cutoff(cutoff);
  const RoundingScope rounding;
  QueryStats remade;
  catch_up(remade);
  place_base();
  const bool anew =
      unlisted.all() || cutoff != listed.cutoff || options.distance_width != listed.width;
  if (anew) listed.pairs.clear();
  mark_changes(unlisted);
  unlisted.insert_all();  // should this end by an exception, or by the budget

  internal::NearList list(*world, cutoff, options, workspace.impl().scratch, newly_listed);
  list_near(list, cutoff, anew);
  list.finish();
  // What has not moved since the last list stays on it.
  result.pairs.clear();
  std::copy_if(listed.pairs.begin(), listed.pairs.end(), std::back_inserter(result.pairs),
               [&](const NearPair& pair) {
                 return pieces.together(walk_of(pair.geometry_a), walk_of(pair.geometry_b));
               });
  listed.pairs.clear();
  std::merge(result.pairs.begin(), result.pairs.end(), newly_listed.pairs.begin(),
             newly_listed.pairs.end(), std::back_inserter(listed.pairs), internal::comes_before);
  result.pairs.assign(listed.pairs.begin(), listed.pairs.end());
  result.stats = newly_listed.stats;
  result.stats += remade;
  result.complete = newly_listed.complete;
  listed.cutoff = cutoff;
  listed.width = options.distance_width;
  if (newly_listed.complete) unlisted.clear();
}

void ChainState::Impl::list_near(internal::NearList& list, double cutoff, bool all) {
  if (tree.nodes().empty()) return;
  take_all = all;
  list_parts(list, cutoff);
  const auto add = [&](int part, int geometry) {
    const GeometryPair pair{part, geometry};
    return list.checks(pair) &&
           list.add(pair, internal::relative_pose(*world, pair, workspace.impl()));
  };
  visit_half_spaces(cutoff, list.stats(), add);
  visit_scene(world->scene_tree().geometries(), cutoff, list.stats(),
              [&](int part, const SceneTree::Node& obstacle) {
                return add(part, world->first_scene_geometry() + obstacle.geometry);
              });
}

void ChainState::Impl::list_parts(internal::NearList& list, double cutoff) {
  if (take_all) {
    marked.clear();
    for (int n = 0; n < static_cast<int>(views.size()); ++n) {
      if (holds_pairs(n)) marked.push_back(n);
    }
  }
  const bool gave_up = walk_marked(
      cutoff, list.rest_of_budget(), list.stats(),
      [&](GeometryPair pair) { return list.checks(pair) && list.add(pair, between_parts(pair)); });
  if (gave_up) list.give_up();
}

}  // namespace catena
