#pragma once

#include <cstdint>
#include <vector>

#include "edge_walk.hpp"

namespace catena::internal {

/// A robot against what stands still in the scene, along a motion: goes down the robot's chain tree
/// over one interval of time after another, and hands to each node what of the scene its parent
/// may meet.
///
/// Rigor     what is left out is farther from every part of the node than asked for over the whole
///           interval, by boxes along the axes of W (docs/rigor.md, R12), or nothing of the node
///           moves in W.
/// Cost      only what is visited; lists take 4 bytes for each node of the scene that is near.
/// Threads   one per thread.
class SceneWalk {
 public:
  /// A node of the chain tree, and what it may meet: `near` from first to last.
  struct Task {
    int node;
    std::size_t first, last;
    Leaf hint;  ///< of a part of many elements: what is to be tried first
  };

  /// Those that are left of one interval after another; for the caller.
  std::vector<Task> tasks;
  /// Nodes of the scene's tree over elements; -1 - i: what is unbounded and has number i there.
  std::vector<int> near;

  /// Turns to the motion of the walk; `tasks` becomes all of the robot beside all of the scene. The
  /// world and the walk must stay where they are.
  void start(const CollisionWorld& world, EdgeWalk& walk);

  /// What comes of a task over the walk's interval.
  enum class Fate : std::uint8_t {
    kApart,      ///< or without motion
    kDivide,     ///< the node's children are to be looked at
    kWait,       ///< over this interval it moves too far: it is to be looked at over a half
    kElements,   ///< a part that is not apart from some elements: what is listed are leaves
    kGeometries  ///< one that is to be held against the geometries that what is listed is of
  };
  /// Appends to `near` what is left of the task's list, to which it turns. `narrow`: none waits.
  Fate look_at(Task& task, double clearance, bool narrow, QueryStats& stats);

  /// What is listed: of a geometry of the scene, as that numbers them, and if it is a leaf which of
  /// its elements.
  SceneTree::Node listed(int entry) const;
  /// Its box. @pre it is bounded
  const FloatBox& box(int entry) const {
    return world_->scene_tree().elements().boxes[static_cast<std::size_t>(entry)];
  }
  /// Any leaf of it.
  SceneTree::Node any_leaf(int entry) const;

 private:
  bool meets_unbounded(const FloatBox& box, int number) const;
  double mean_edge(const Task& task) const;

  const CollisionWorld* world_ = nullptr;
  EdgeWalk* walk_ = nullptr;
};

}  // namespace catena::internal
