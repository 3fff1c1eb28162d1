#pragma once

#include <cstdlib>
#include <optional>
#include <vector>

#include "workloads/chain_method.hpp"

namespace catena::bench {

/// What the methods share that keep the centres and look at all of them after each move: they turn
/// the tail, and put it back after a collision.
class CentreMethod : public ChainMethod {
 public:
  void init(const SphereChain& chain) final;
  bool step(int joint, double angle) final;
  bool all_joints(std::span<const double> torsions) final;

 protected:
  /// Makes the structure for the centres as they are.
  virtual void build() = 0;
  /// Centres first .. size - 1 have moved.
  virtual void moved(int first) = 0;
  virtual bool is_free() = 0;

  bool far_apart(int i, int j) {
    ++tests_.spheres;
    return (centres_[i] - centres_[j]).squaredNorm() >= 4 * radius_ * radius_;
  }

  bool are_checked(int i, int j) const { return std::abs(i - j) > unchecked_; }

  std::vector<Vector3d> centres_;
  double radius_ = 0;
  int unchecked_ = 1;

 private:
  bool keep_if_free(int first);

  std::vector<Vector3d> old_;  // the centres that the last move moved
  std::optional<TorsionKinematics> kinematics_;
};

}  // namespace catena::bench
