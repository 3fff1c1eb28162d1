#pragma once

#include "catena/geometry/triangle_mesh.hpp"
#include "catena/math/rigid_enclosure.hpp"

namespace catena::bench {

using Mesh = TriangleMesh;

/// An icosahedron, each triangle cut into four `level` times: 20 4^level triangles.
Mesh sphere(int level, double radius);

/// A torus with wrinkles; 2 m n triangles.
Mesh torus(int m, int n, double R, double r, double wrinkle);

/// Pipes along the axes through a unit cube: 350 of 10 rings by 20 sides, 140,000 triangles.
Mesh pipes(unsigned seed);

RigidEnclosure pose(const Vector3d& p, const Vector3d& axis, double angle);

}  // namespace catena::bench
