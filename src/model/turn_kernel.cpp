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

// Columns of a rotation.
struct Columns {
  Quad x, y, z;
};

// R times the matrix whose columns' numbers follow each other.
CATENA_INLINE Columns times(const Columns& R, const double* m) noexcept {
  return {R.x * m[0] + R.y * m[1] + R.z * m[2], R.x * m[3] + R.y * m[4] + R.z * m[5],
          R.x * m[6] + R.y * m[7] + R.z * m[8]};
}

// R_WL of the parent's R_WP.
CATENA_INLINE Columns turned(const Columns& R_WP, const TurningJoint& joint,
                             const ObliqueTurn* oblique, double sine, double cosine) noexcept {
  if (joint.axis == TurningJoint::Axis::kOblique) {
    const ObliqueTurn& t = oblique[joint.oblique];
    double local[10];  // room for four doubles from each column on
    for (const int k : {0, 3, 6}) {
      store(load(&t.still[k]) + load(&t.sine[k]) * sine + load(&t.cosine[k]) * cosine, local + k);
    }
    return times(R_WP, local);
  }
  const Columns R = times(R_WP, joint.frame.data());
  switch (joint.axis) {
    case TurningJoint::Axis::kX:
      return {R.x, R.y * cosine + R.z * sine, R.z * cosine - R.y * sine};
    case TurningJoint::Axis::kY:
      return {R.x * cosine - R.z * sine, R.y, R.z * cosine + R.x * sine};
    default:
      return {R.x * cosine + R.y * sine, R.y * cosine - R.x * sine, R.z};
  }
}

int turn_links(const TurningJoint* joints, const ObliqueTurn* oblique, const double* q, int first,
               int last, RigidEnclosure* X_WL) {
  constexpr int kBlock = 64;
  // |p| is measured at every eighth link; between them it grows by no more than the links' reach.
  constexpr int kMeasured = 8;
  double angle[kBlock], sine[kBlock], cosine[kBlock];
  // Of the link before, which is the parent of most.
  Columns R{};
  Quad p{};
  double rotation_error = 0.0, position_error = 0.0;
  double size = 0.0;  // no less than |p|
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
      const bool follows = joint.parent == at_hand;
      if (!follows) {
        double parent[14];
        std::memcpy(parent, poses + sizeof(RigidEnclosure) * static_cast<size_t>(joint.parent),
                    sizeof parent);
        R = {load(parent), load(parent + 3), load(parent + 6)};
        p = load(parent + 9);
        rotation_error = parent[12];
        position_error = parent[13];
      }
      at_hand = start + i;
      const double reach = static_cast<double>(joint.reach), moved = rotation_error * reach;
      if (!follows || i % kMeasured == 0) {
        const Quad sizes = quad_abs(p);
        size = sizes[0] + sizes[1] + sizes[2];
      }
      const double own =
          static_cast<double>(angle[i] == 0.0 ? joint.still_error : joint.turned_error);
      position_error =
          position_error * kWiden + (static_cast<double>(joint.position_error) + moved +
                                     (kPosition + kPosition * rotation_error) * (reach + size));
      size += reach + moved;
      rotation_error = rotation_error * kRotationWiden + own;
      const double* const o = &joint.frame[9];
      p = R.x * o[0] + R.y * o[1] + R.z * o[2] + p;
      R = turned(R, joint, oblique, sine[i] * joint.sign, cosine[i]);
      char* const pose = poses + sizeof(RigidEnclosure) * static_cast<size_t>(at_hand);
      constexpr size_t kColumn = 3 * sizeof(double);
      store(R.x, pose);
      store(R.y, pose + kColumn);
      store(R.z, pose + 2 * kColumn);
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
