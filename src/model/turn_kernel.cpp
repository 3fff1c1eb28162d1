#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/turn_kernel.cpp"
#include "math/dispatch.hpp"

#include "math/quad-inl.hpp"
#include "turn_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

static_assert(sizeof(RigidEnclosure) == 14 * sizeof(double));

// What a product adds to a position (docs/rigor.md, R2), and factors that cover the rounding of the
// bounds themselves. Each joint's numbers are so much larger that a link's bounds take few
// operations, and wait for two on those of its parent.
constexpr double kPosition = 8.01 * kUnitRoundoff;
constexpr double kWiden = 1.0 + 8 * kUnitRoundoff;
constexpr double kRotationWiden = 1.0 + 2e-9;  // every joint's own error is below 1e-9

// R_PL's columns, to local[0..8]; local has room for four doubles from each column on.
CATENA_INLINE void turn(const TurningJoint& joint, const ObliqueTurn* oblique, double sine,
                        double cosine, double* local) noexcept {
  if (joint.axis == TurningJoint::Axis::kOblique) {
    const ObliqueTurn& t = oblique[joint.oblique];
    for (const int k : {0, 3, 6}) {
      store(load(&t.still[k]) + load(&t.sine[k]) * sine + load(&t.cosine[k]) * cosine, local + k);
    }
    return;
  }
  const Quad x = load(&joint.frame[0]), y = load(&joint.frame[3]), z = load(&joint.frame[6]);
  switch (joint.axis) {
    case TurningJoint::Axis::kX:
      store(x, local);
      store(y * cosine + z * sine, local + 3);
      store(z * cosine - y * sine, local + 6);
      break;
    case TurningJoint::Axis::kY:
      store(x * cosine - z * sine, local);
      store(y, local + 3);
      store(z * cosine + x * sine, local + 6);
      break;
    default:
      store(x * cosine + y * sine, local);
      store(y * cosine - x * sine, local + 3);
      store(z, local + 6);
  }
}

int turn_links(const TurningJoint* joints, const ObliqueTurn* oblique, const double* q, int first,
               int last, RigidEnclosure* X_WL) {
  constexpr int kBlock = 64;
  double angle[kBlock], sine[kBlock], cosine[kBlock];
  // Of the link before, which is the parent of most.
  Quad x{}, y{}, z{}, p{};
  double rotation_error = 0.0, position_error = 0.0;
  int at_hand = -1;
  char* const poses = reinterpret_cast<char*>(X_WL);
  for (int start = first; start < last; start += kBlock) {
    int count = 0;
    for (const int most = std::min(kBlock, last - start); count < most; ++count) {
      const TurningJoint& joint = joints[start + count];
      if (joint.q_index < 0) break;
      const double value = q[joint.q_index];
      if (!(value >= joint.lower && value <= joint.upper)) break;
      angle[count] = value;
    }
    int filled = count;
    while (filled % kAngles != 0) angle[filled++] = 0.0;
    for (int i = 0; i < filled; i += kAngles) {
      sines_and_cosines(angle + i, sine + i, cosine + i);
    }
    for (int i = 0; i < count; ++i) {
      const TurningJoint& joint = joints[start + i];
      double local[10];
      turn(joint, oblique, sine[i] * joint.sign, cosine[i], local);
      if (joint.parent != at_hand) {
        double parent[14];
        std::memcpy(parent, poses + sizeof(RigidEnclosure) * static_cast<size_t>(joint.parent),
                    sizeof parent);
        x = load(parent);
        y = load(parent + 3);
        z = load(parent + 6);
        p = load(parent + 9);
        rotation_error = parent[12];
        position_error = parent[13];
      }
      at_hand = start + i;
      const Quad size = quad_abs(p);
      const double reach = static_cast<double>(joint.reach);
      const double own =
          static_cast<double>(angle[i] == 0.0 ? joint.still_error : joint.turned_error);
      position_error =
          position_error * kWiden +
          (static_cast<double>(joint.position_error) + rotation_error * reach +
           (kPosition + kPosition * rotation_error) * (reach + (size[0] + size[1] + size[2])));
      rotation_error = rotation_error * kRotationWiden + own;
      const double* const o = &joint.frame[9];
      p = x * o[0] + y * o[1] + z * o[2] + p;
      const Quad X = x * local[0] + y * local[1] + z * local[2];
      const Quad Y = x * local[3] + y * local[4] + z * local[5];
      z = x * local[6] + y * local[7] + z * local[8];
      x = X;
      y = Y;
      char* const pose = poses + sizeof(RigidEnclosure) * static_cast<size_t>(at_hand);
      constexpr size_t kColumn = 3 * sizeof(double);
      store(x, pose);
      store(y, pose + kColumn);
      store(z, pose + 2 * kColumn);
      store(p, pose + 3 * kColumn);
      const double errors[] = {rotation_error, position_error};
      std::memcpy(pose + 4 * kColumn, errors, sizeof errors);
    }
    if (count < std::min(kBlock, last - start)) return start + count;
  }
  return last;
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {

HWY_EXPORT(turn_links);

int turn_links(const TurningJoint* joints, const ObliqueTurn* oblique, const double* q, int first,
               int last, RigidEnclosure* X_WL) noexcept {
  return HWY_DYNAMIC_DISPATCH(turn_links)(joints, oblique, q, first, last, X_WL);
}

}  // namespace catena::internal
#endif
