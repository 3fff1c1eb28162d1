#include "centre_method.hpp"

#include <algorithm>

namespace catena::bench {

void CentreMethod::init(const SphereChain& chain) {
  centres_ = chain.centres;
  radius_ = chain.radius;
  unchecked_ = chain.unchecked;
  kinematics_.emplace(centres_);
  build();
}

bool CentreMethod::step(int joint, double angle) {
  const RigidTransform X = bond_rotation(centres_, joint, angle);
  old_.assign(centres_.begin() + joint + 2, centres_.end());
  for (size_t i = joint + 2; i < centres_.size(); ++i) centres_[i] = X * centres_[i];
  return keep_if_free(joint + 2);
}

bool CentreMethod::all_joints(std::span<const double> torsions) {
  old_.assign(centres_.begin() + 1, centres_.end());
  kinematics_->place(torsions, centres_);
  return keep_if_free(1);
}

bool CentreMethod::keep_if_free(int first) {
  moved(first);
  if (is_free()) return true;
  std::copy(old_.begin(), old_.end(), centres_.begin() + first);
  moved(first);
  return false;
}

}  // namespace catena::bench
