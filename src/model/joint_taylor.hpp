#pragma once

#include "catena/model/motion.hpp"
#include "math/rigid_taylor.hpp"

namespace catena::internal {

/// X_PL of joint i over the part [middle - half, middle + half] of a motion, which lies in [0, 1]
/// but for rounding. Joints of every kind (docs/rigor.md, R12).
template <int Order>
void model_joint(const Robot& robot, const Motion& motion, LinkIndex i, double middle, double half,
                 RigidTaylor<Order>& X_PL) noexcept;

/// The same of links [first, last), at most kJointBlock, to X_PL[first] up to X_PL[last - 1]: in
/// less time, if they turn. What stands still is left out unless it is `wanted`.
inline constexpr int kJointBlock = 4;
template <int Order>
void model_joints(const Robot& robot, const Motion& motion, int first, int last, int wanted,
                  double middle, double half, RigidTaylor<Order>* X_PL) noexcept;

}  // namespace catena::internal
