#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/math/rigid_transform.hpp"

namespace catena::bench {

/// A serial chain of equal spheres. Joint k is a torsion about the bond from sphere k to k + 1: it
/// turns spheres k + 2 and beyond. Two spheres collide if more than `unchecked` bonds part them and
/// their centres are closer than the diameter; nor do others count for distances.
struct SphereChain {
  std::vector<Vector3d> centres;
  double radius = 1.0;
  int unchecked = 1;

  int size() const { return static_cast<int>(centres.size()); }
};

/// Rows back and forth through the cubic lattice of spacing 4 that n spheres of radius 1 fill. An
/// easy case for boxes: rows and layers are straight and flat.
SphereChain cube_chain(int n);

/// Protein-like: bonds of about 1.5 at 111 degrees, radius 0.5, along such rows 4.8 apart.
SphereChain backbone_chain(int n);

/// A random Hamiltonian path through the lattice of side^3 sites, spacing 4, radius 1: as dense as
/// the cube, and tangled. Made of rows by backbite moves.
SphereChain globule_chain(int side, std::uint64_t seed);

/// Three straight legs of length spheres each, side by side, spacing 4, radius 1. Torsions
/// length - 1 and 2 length - 1, about the bonds between them, open them to one line by half turns;
/// neighbours in space then are up to 2 length apart.
SphereChain folded_chain(int length);

/// Pieces that each reach all through one cube, along x, y and z in turn, so that no box around one
/// is thin and all of them overlap. About 3/4 side^3 / stride spheres of radius 1; side is even.
///
/// Piece (a, b), 0 <= a, b < side / 2, runs through the lattice sites (0, a, b), (side - a, a, b),
/// (side - a, 2 side - b, b) and (side - a, 2 side - b, side), spacing 2.2, with a sphere at every
/// stride-th; every other one is gone through backwards, so that one piece ends beside the
/// beginning of the next.
SphereChain corner_chain(int side, int stride);

/// Forward kinematics: torsions are relative to the chain given to the constructor.
///
/// Frames  B_i sits at sphere i with its x axis along bond i and i's torsion not yet applied:
///         X_(B_i)(B_i+1) = Rx(torsion i) * (bend(i), length(i) x).
class TorsionKinematics {
 public:
  explicit TorsionKinematics(std::span<const Vector3d> centres);

  int num_joints() const { return static_cast<int>(lengths_.size()); }
  double length(int joint) const { return lengths_[joint]; }
  const Matrix3d& bend(int joint) const { return bends_[joint]; }

  /// @pre torsions.size() == num_joints() == centres.size() - 1; the last has no effect.
  void place(std::span<const double> torsions, std::span<Vector3d> centres) const;

 private:
  Vector3d p_WB0_;
  Matrix3d R_WB0_;
  std::vector<Matrix3d> bends_;
  std::vector<double> lengths_;
};

/// The motion of the spheres beyond joint's bond when it turns by angle.
RigidTransform bond_rotation(std::span<const Vector3d> centres, int joint, double angle);

}  // namespace catena::bench
