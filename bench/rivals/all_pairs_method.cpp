// Every pair of spheres, one after another: what the distances of the others are held against.
#include <algorithm>
#include <limits>
#include <optional>

#include "chain_methods.hpp"

namespace catena::bench {
namespace {

class AllPairs : public ChainMethod {
 public:
  void init(const SphereChain& chain) override {
    chain_ = chain;
    kinematics_.emplace(chain_.centres);
  }
  bool step(int joint, double angle) override { return step_distance(joint, angle) > 0; }

  double step_distance(int joint, double angle) override {
    const RigidTransform X = bond_rotation(chain_.centres, joint, angle);
    moved_ = chain_.centres;
    for (int i = joint + 2; i < chain_.size(); ++i) moved_[i] = X * moved_[i];
    return keep(joint + 1, joint + 1);
  }
  double all_joints_distance(std::span<const double> torsions) override {
    moved_.resize(chain_.centres.size());
    kinematics_->place(torsions, moved_);
    return keep(chain_.size(), 0);
  }

 private:
  /// Of pairs i < j with i < heads and j >= tails.
  double keep(int heads, int tails) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < heads; ++i) {
      for (int j = std::max(tails, i + chain_.unchecked + 1); j < chain_.size(); ++j) {
        ++tests_.spheres;
        least = std::min(least, (moved_[i] - moved_[j]).squaredNorm());
      }
    }
    const double distance = std::max(0.0, std::sqrt(least) - 2 * chain_.radius);
    if (distance > 0) chain_.centres.swap(moved_);
    return distance;
  }

  SphereChain chain_;
  std::vector<Vector3d> moved_;
  std::optional<TorsionKinematics> kinematics_;
};

}  // namespace

ChainMethodEntry all_pairs_method() {
  return {"all_pairs", [] { return std::make_unique<AllPairs>(); }, false, true, true};
}

}  // namespace catena::bench
