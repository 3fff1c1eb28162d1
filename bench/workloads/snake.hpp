#pragma once

#include <array>
#include <vector>

#include "catena/math/rigid_transform.hpp"

namespace catena::bench {

struct Triangles {
  std::vector<Vector3d> vertices;
  std::vector<std::array<int, 3>> indices;
};

/// 99,840 triangles: terrain over 8 m x 8 m near z = -1, and 40 open pipes above it.
Triangles pipe_scene();

struct SnakeConfiguration {
  RigidTransform X_WB;
  std::vector<double> q;
  bool collides = false;  // what the reference says
};

/// A serial robot of equal capsules. Joint i turns about its own z (even i) or y (odd i); link i's
/// capsule lies along its x axis, from 0 to length. Neighbours are never tested with each other.
struct Snake {
  int links;
  double length, radius;

  /// X_WL of all links.
  void place(const SnakeConfiguration& c, std::vector<RigidTransform>& X_WL) const;
  Vector3d tip(const RigidTransform& X_WL) const { return X_WL.p + length * X_WL.R.col(0); }
};

/// The snake of the workload: links of 0.1 m up to 64 of them, 0.05 m up to 256, then 0.025 m.
Snake make_snake(int links);

/// 192 triangles with their corners on the capsule, in the link's frame: up to 3.4 % of the radius
/// inside it.
Triangles link_mesh(const Snake& snake);

}  // namespace catena::bench
