#include "scene_walk.hpp"

#include "near_pairs.hpp"

namespace catena::internal {
namespace {

// What moves farther than such a share of its size waits for a shorter interval, as long as that is
// long: nodes of more than a few parts; and parts that are near to more than a few of the scene's
// nodes that are no larger than where they go. So do parts that are near to many elements, since to
// try these costs more than to look at the part once more, as long as these are small, so that
// there will be fewer. None of these is a bound.
constexpr double kNodeShare = 2.0, kPartShare = 0.5, kManyShare = 0.2, kLong = 1.0 / 64.0;
constexpr int kFewParts = 2;
constexpr std::size_t kMany = 16;

// Neither its ball nor its line fits the part well.
bool is_flat(const ChainTree::Part& part) {
  return !PartLine::has_line(part) && part.box.half.minCoeff() < 0.5 * part.radius;
}

}  // namespace

void SceneWalk::start(const CollisionWorld& world, EdgeWalk& walk) {
  world_ = &world;
  walk_ = &walk;
  tasks.clear();
  near.clear();
  const SceneTree& scene = world.scene_tree();
  if (!scene.elements().nodes.empty()) near.push_back(0);
  for (std::size_t i = 0; i < scene.unbounded().size(); ++i) {
    near.push_back(-1 - static_cast<int>(i));
  }
  if (!near.empty() && !world.chain_tree().nodes().empty()) {
    tasks.push_back({0, 0, near.size(), {}});
  }
}

bool SceneWalk::meets_unbounded(const FloatBox& box, int number) const {
  const int i = world_->scene_tree().unbounded()[static_cast<std::size_t>(number)];
  const CollisionWorld::WorldGeometry& g =
      world_->geometries()[static_cast<std::size_t>(world_->first_scene_geometry() + i)];
  Obb obb;
  obb.center = 0.5 * (box.lower() + box.upper());
  obb.half = (box.upper() - obb.center) * (1.0 + 1e-14);
  return !(half_space_gap(g.geometry->element(0), obb, g.X_LG.inverse()).gap > 0.0);
}

double SceneWalk::mean_edge(const Task& task) const {
  double sum = 0.0;
  for (std::size_t i = task.first; i < task.last; ++i) {
    if (near[i] >= 0) sum += static_cast<double>(box(near[i]).size());
  }
  return sum / (3.0 * static_cast<double>(task.last - task.first));
}

SceneWalk::Fate SceneWalk::look_at(Task& task, double clearance, bool narrow, QueryStats& stats) {
  const ChainTree& tree = world_->chain_tree();
  const ChainTree::Node& node = tree.nodes()[static_cast<std::size_t>(task.node)];
  if (node.num_parts == 0 || !walk_->moves(task.node)) return Fate::kApart;
  const EdgeWalk::Swept swept = walk_->swept(task.node, clearance, stats);
  const bool is_part = node.left < 0;
  const auto part = static_cast<std::size_t>(node.part);
  const bool by_geometry = is_part && world_->geometries()[part].geometry->num_elements() > 1;
  const bool is_long = !narrow && walk_->half() > 0.5 * kLong;
  const bool is_far =
      is_long && !(swept.motion <= (is_part ? kPartShare : kNodeShare) * swept.size);
  const float size = swept.box.size();
  const bool to_leaves = is_part && !is_far;
  const std::size_t first = near.size();
  for (std::size_t i = task.first; i < task.last; ++i) {
    const int entry = near[i];
    if (entry >= 0) {
      refine(world_->scene_tree().elements(), swept.box, near, i, i + 1, stats,
             [&](const SceneTree::Node& obstacle, float other) {
               return other <= size && (!to_leaves || (by_geometry && obstacle.geometry >= 0));
             });
    } else {
      ++stats.box_tests;
      if (meets_unbounded(swept.box, -1 - entry)) near.push_back(entry);
    }
  }
  task.first = first;
  task.last = near.size();
  if (task.first == task.last) return Fate::kApart;
  if (!is_part) return is_far && node.num_parts > kFewParts ? Fate::kWait : Fate::kDivide;
  if (is_far) {
    // Unless these are leaves already: to look again would find no fewer.
    for (std::size_t i = task.first; i < task.last; ++i) {
      if (near[i] >= 0 && listed(near[i]).left >= 0) return Fate::kWait;
    }
  }
  const bool many = task.last - task.first > kMany;
  if (many && !narrow && swept.motion > kManyShare * (swept.size + mean_edge(task))) {
    return Fate::kWait;
  }
  return by_geometry || (many && is_flat(tree.parts()[part])) ? Fate::kGeometries : Fate::kElements;
}

SceneTree::Node SceneWalk::listed(int entry) const {
  const SceneTree& scene = world_->scene_tree();
  if (entry >= 0) return scene.elements().nodes[static_cast<std::size_t>(entry)];
  return {-1, scene.unbounded()[static_cast<std::size_t>(-1 - entry)], 0};
}

SceneTree::Node SceneWalk::any_leaf(int entry) const {
  return entry < 0 ? listed(entry) : first_leaf(world_->scene_tree().elements(), entry);
}

}  // namespace catena::internal
