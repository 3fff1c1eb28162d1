#include "scene_walk.hpp"

#include "near_pairs.hpp"

namespace catena::internal {
namespace {

// What moves farther than this share of its size waits for a shorter interval; and parts that are
// near to many elements, since to try these costs more than to look at the part once more, sooner.
// None of these is a bound.
constexpr double kNodeShare = 2.0, kPartShare = 0.5, kManyShare = 0.2;
constexpr std::size_t kMany = 16;

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

SceneWalk::Fate SceneWalk::look_at(Task& task, double clearance, bool narrow, QueryStats& stats) {
  const ChainTree::Node& node = world_->chain_tree().nodes()[static_cast<std::size_t>(task.node)];
  if (node.num_parts == 0 || !walk_->moves(task.node)) return Fate::kApart;
  const EdgeWalk::Swept swept = walk_->swept(task.node, clearance, stats);
  const bool is_part = node.left < 0;
  const bool waits = !narrow && !(swept.motion <= (is_part ? kPartShare : kNodeShare) * swept.size);
  const std::size_t first = near.size();
  for (std::size_t i = task.first; i < task.last; ++i) {
    if (near[i] >= 0) {
      refine(world_->scene_tree().elements(), swept.box, is_part && !waits, near, i, i + 1, stats);
    } else {
      ++stats.box_tests;
      const int listed = near[i];
      if (meets_unbounded(swept.box, -1 - listed)) near.push_back(listed);
    }
  }
  task.first = first;
  task.last = near.size();
  if (task.first == task.last) return Fate::kApart;
  if (waits) return Fate::kWait;
  if (!is_part) return Fate::kDivide;
  if (!narrow && task.last - task.first > kMany && !(swept.motion <= kManyShare * swept.size)) {
    return Fate::kWait;
  }
  return Fate::kPart;
}

SceneTree::Node SceneWalk::leaf(int listed) const {
  const SceneTree& scene = world_->scene_tree();
  if (listed >= 0) return scene.elements().nodes[static_cast<std::size_t>(listed)];
  return {-1, scene.unbounded()[static_cast<std::size_t>(-1 - listed)], 0};
}

SceneTree::Node SceneWalk::any_leaf(int listed) const {
  return listed < 0 ? leaf(listed) : first_leaf(world_->scene_tree().elements(), listed);
}

}  // namespace catena::internal
