#pragma once

#include <array>
#include <vector>

#include "snake.hpp"

namespace catena::bench {

/// Capsules against triangles and each other by closed forms in double precision, below a tree of
/// axis-aligned boxes: labels the configurations and edges, and is the hand-written rival.
///
/// Cost      build O(n log n) for n triangles.
/// Threads   is_free is const but for its workspace: one object for each thread.
class CapsuleReference {
 public:
  /// The axis of a capsule.
  struct Segment {
    Vector3d a, b;
  };

  explicit CapsuleReference(const Triangles& scene);

  /// No link touches the scene, no two links i and j with |i - j| >= 2 touch each other.
  bool is_free(const Snake& snake, const std::vector<RigidTransform>& X_WL);

  /// Distance between a capsule and the scene: infinite where it is no less than `limit`, negative
  /// where they overlap.
  double clearance(const Segment& axis, double radius, double limit) const;
  /// Distance between two capsules of that radius, negative where they overlap.
  static double clearance(const Segment& s, const Segment& t, double radius);

 private:
  using Triangle = std::array<Vector3d, 3>;
  struct Box {
    Vector3d low, high;
  };
  struct Node {
    Box box;
    int left;  // the right child follows it; -1: a leaf
    int first, count;
  };

  static double squared_distance(const Segment& s, const Segment& t);
  static double squared_distance(const Segment& s, const Triangle& t);

  void build(int node, int first, int count);
  /// Between the node's box and that from low to high.
  double squared_gap(int node, const Vector3d& low, const Vector3d& high) const;
  bool hits_scene(const Segment& axis, double radius) const;
  bool hits_itself(double radius, double length);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
  std::vector<Segment> axes_;     // of the links
  std::vector<int> head_, next_;  // hash grid over the links' middles
};

}  // namespace catena::bench
