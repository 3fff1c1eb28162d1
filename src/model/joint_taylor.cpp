#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/joint_taylor.cpp"
#include "math/dispatch.hpp"

#include "joint_taylor.hpp"
#include "math/quad-inl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#ifndef CATENA_JOINT_TAYLOR
#define CATENA_JOINT_TAYLOR
namespace catena::internal {

/// A joint that turns from `angle` in the middle by `travel` on both sides, known to `error`.
struct JointTurn {
  int link;
  double angle, travel, error;
};

/// What Taylor's sum of e^ix leaves out, and what its terms after the first add up to.
template <int Order>
struct TurnSizes {
  double cut, growth;
  explicit TurnSizes(double travel) noexcept {
    const double x = std::abs(travel);
    double term = x;
    growth = x;
    for (int k = 2; k <= Order; ++k) {
      term = term * x / k;
      growth += term;
    }
    cut = term * x / (Order + 1) * (1.0 + 1e-13);
  }
};

}  // namespace catena::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

// Columns of R_PL and of its derivatives by the angle, times travel^k / k!. Of a joint about an
// axis of its frame, two columns turn into each other; of others, sine B + cosine C does.
template <int K>
CATENA_INLINE void turn_columns(const TurningJoint& joint, const ObliqueTurn* oblique, double sine,
                                double cosine, double travel, double (*R)[3][4]) noexcept {
  double factor[K + 1];
  factor[0] = 1.0;
  for (int k = 1; k <= K; ++k) factor[k] = factor[k - 1] * travel / k;
  // Derivative k of (cosine, sine) is one of these, or its opposite.
  const auto derive = [&](int k, int column, Quad value, Quad next) {
    const Quad of = k % 2 == 0 ? value : next;
    store(of * (k % 4 < 2 ? factor[k] : -factor[k]), R[k][column]);
  };
  if (joint.axis == TurningJoint::Axis::kOblique) {
    const ObliqueTurn& t = oblique[joint.oblique];
    for (int j = 0; j < 3; ++j) {
      // The padding of the last column is beyond the array; none of it is used.
      double still[4], by_sine[4], by_cosine[4];
      for (int i = 0; i < 4; ++i) {
        const auto at = static_cast<size_t>(3 * j + i);
        still[i] = i < 3 ? t.still[at] : 0.0;
        by_sine[i] = i < 3 ? t.sine[at] : 0.0;
        by_cosine[i] = i < 3 ? t.cosine[at] : 0.0;
      }
      const Quad value = load(by_sine) * sine + load(by_cosine) * cosine;
      const Quad next = load(by_sine) * cosine - load(by_cosine) * sine;
      store(load(still) + value, R[0][j]);
      for (int k = 1; k <= K; ++k) derive(k, j, value, next);
    }
    return;
  }
  const int fixed = static_cast<int>(joint.axis), a = (fixed + 1) % 3, b = (fixed + 2) % 3;
  double column[3][4];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) column[j][i] = joint.frame[static_cast<size_t>(3 * j + i)];
    column[j][3] = 0.0;
  }
  const Quad first = load(column[a]) * cosine + load(column[b]) * sine;
  const Quad second = load(column[b]) * cosine - load(column[a]) * sine;
  store(load(column[fixed]), R[0][fixed]);
  for (int k = 0; k <= K; ++k) {
    derive(k, a, first, second);
    derive(k, b, second, Quad{} - first);
    if (k > 0) store(Quad{}, R[k][fixed]);
  }
}

template <int K>
CATENA_INLINE void model_turns(const Robot& robot, const JointTurn* turns, int count,
                               RigidTaylor<K>* X_PL) noexcept {
  constexpr int kWidest = 8;
  double angle[kWidest] = {}, sine[kWidest], cosine[kWidest];
  for (int i = 0; i < count; ++i) angle[i] = turns[i].angle;
  for (int i = 0; i < count; i += kAngles) {
    sines_and_cosines(angle + i, sine + i, cosine + i);
  }
  const TurningJoint* const joints = robot.turning_joints().data();
  const ObliqueTurn* const oblique = robot.oblique_turns().data();
  for (int i = 0; i < count; ++i) {
    const TurningJoint& joint = joints[turns[i].link];
    const double x = turns[i].travel;
    RigidTaylor<K>& X = X_PL[turns[i].link];
    turn_columns<K>(joint, oblique, sine[i] * joint.sign, cosine[i], x * joint.sign, X.R);
    const TurnSizes<K> sizes(x);
    X.mid_rotation_error = bound_above(static_cast<double>(joint.turned_error) + turns[i].error, 2);
    X.rotation_error =
        bound_above(X.mid_rotation_error + sizes.cut + 72 * kUnitRoundoff * sizes.growth, 20);
    X.position_error = X.mid_position_error = static_cast<double>(joint.position_error);
    X.moves = x != 0.0;
    X.turn[0] = bound_above(1.7320508075688774 * (1.0 + X.mid_rotation_error), 4);
    double term = 1.4142135623730951 * (1.0 + 1e-12);
    for (int k = 1; k <= K; ++k) {
      term = term * std::abs(x) / k;
      X.turn[k] = bound_above(term, 4 * k);
      store(Quad{}, X.p[k]);
      X.shift[k] = 0.0;
    }
    for (int j = 0; j < 3; ++j) X.p[0][j] = joint.frame[static_cast<size_t>(9 + j)];
    X.p[0][3] = 0.0;
    X.shift[0] = static_cast<double>(joint.reach);
  }
}

void model_turns_1(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<1>* X_PL) {
  model_turns<1>(robot, turns, count, X_PL);
}
void model_turns_2(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<2>* X_PL) {
  model_turns<2>(robot, turns, count, X_PL);
}
void model_turns_3(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<3>* X_PL) {
  model_turns<3>(robot, turns, count, X_PL);
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {
namespace {

HWY_EXPORT(model_turns_1);
HWY_EXPORT(model_turns_2);
HWY_EXPORT(model_turns_3);

void model_turns(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<1>* X_PL) {
  HWY_DYNAMIC_DISPATCH(model_turns_1)(robot, turns, count, X_PL);
}
void model_turns(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<2>* X_PL) {
  HWY_DYNAMIC_DISPATCH(model_turns_2)(robot, turns, count, X_PL);
}
void model_turns(const Robot& robot, const JointTurn* turns, int count, RigidTaylor<3>* X_PL) {
  HWY_DYNAMIC_DISPATCH(model_turns_3)(robot, turns, count, X_PL);
}

// Of angle0 + t rate in real arithmetic, and of half the travel, rounded once.
double angle_error(const Motion::JointMotion& m, double travel) {
  if (m.rate == 0.0 || !m.moves) return m.angle_error;
  return bound_above(m.angle_error + 4.0 * kUnitRoundoff * (std::abs(m.angle0) + std::abs(m.rate)) +
                         2.0 * kUnitRoundoff * std::abs(travel),
                     6);
}

// Does it turn straight on, by an angle that sines_and_cosines takes?
bool turns_plainly(const Robot& robot, int link, const Motion::JointMotion& m) {
  return m.curve < 0 &&
         robot.turning_joints()[static_cast<size_t>(link)].axis != TurningJoint::Axis::kNone &&
         std::abs(m.angle0) + std::abs(m.rate) <= 0.999e6;
}

// c0 + c1 t + ... + c5 t^5 as powers of u, t = middle + half u: in place. Each of the new ones is
// off by less than 64 u of what the old ones add up to, all together (docs/rigor.md, R12).
template <class T>
void move_to_interval(double middle, double half, std::array<T, 6>& c) {
  for (size_t k = 0; k < 5; ++k) {
    for (size_t j = 5; j-- > k;) c[j] = c[j] + middle * c[j + 1];
  }
  double power = half;
  for (size_t k = 1; k < 6; ++k, power *= half) c[k] = power * c[k];
}

// The powers of a polynomial P of u without its constant, up to u^Order, over factorials, and what
// is left out where e^i(angle + P + r) is summed up so.
template <int Order>
struct TurnPowers {
  double at[Order + 1][Order + 1] = {};  // P^j / j! at u^k
  double cut = 0.0;
  double growth = 0.0;  // sum of the magnitudes of all coefficients
  TurnPowers(const std::array<double, 6>& x, double rest) noexcept {
    // A power of P has terms up to u^(Order * Order).
    constexpr int kTerms = Order * Order + 1;
    double power[kTerms] = {1.0}, sizes[kTerms] = {1.0};
    double all = rest;
    for (int k = 1; k <= Order; ++k) all += std::abs(x[static_cast<size_t>(k)]);
    double term = 1.0, slope = 0.0;  // all^j / j!, and what r is multiplied with at most
    for (int j = 1; j <= Order; ++j) {
      double next[kTerms] = {}, next_sizes[kTerms] = {};
      for (int a = 0; a < kTerms; ++a) {
        for (int k = 1; k <= Order && a + k < kTerms; ++k) {
          const double c = x[static_cast<size_t>(k)];
          next[a + k] += power[a] * c / j;
          next_sizes[a + k] += sizes[a] * std::abs(c) / j;
        }
      }
      for (int a = 0; a < kTerms; ++a) {
        power[a] = next[a];
        sizes[a] = next_sizes[a];
        if (a <= Order) {
          at[j][a] = power[a];
          growth += sizes[a];
        } else {
          cut += sizes[a];
        }
      }
      slope += term;
      term = term * all / j;
    }
    cut += rest * slope + term * all / (Order + 1);
    cut *= 1.0 + 1e-13;
  }
};

JointTurn turn_of(int link, const Motion::JointMotion& m, double middle, double half) {
  const double travel = m.moves ? half * m.rate : 0.0;
  return {link, m.angle0 + middle * m.rate, travel, angle_error(m, travel)};
}

template <int Order>
void model_any(const Joint& joint, const Motion::JointMotion& m, const Motion::Curve* curve,
               double middle, double half, RigidTaylor<Order>& X_PL) {
  RigidEnclosure X_PJ = joint.X_PJ;
  const double frame_error = X_PJ.rotation_error;
  const Matrix3d R_PJ = X_PJ.X.R;
  if (m.R0_error > 0.0 || !m.R0.isIdentity(0.0)) {
    X_PJ = X_PJ * RigidEnclosure{{m.R0, Vector3d::Zero()}, m.R0_error, 0.0};
  }
  // The angle and the translation as powers of u.
  std::array<double, 6> x{m.angle0, m.moves ? m.rate : 0.0};
  std::array<Vector3d, 6> p;
  p.fill(Vector3d::Zero());
  p[0] = m.p0;
  if (m.moves) p[1] = m.v;
  double known_to = angle_error(m, half * x[1]), reach = m.p0.norm() + p[1].norm();
  if (curve != nullptr) {
    for (size_t k = 0; k < 4; ++k) {
      x[k + 2] = curve->angle[k];
      p[k + 2] = curve->p.col(static_cast<int>(k));
      reach += p[k + 2].norm();
    }
    known_to = bound_above(m.angle_error + 64.0 * kUnitRoundoff * curve->reach, 4);
  }
  move_to_interval(middle, half, x);
  move_to_interval(middle, half, p);
  double rest = 0.0, shift_rest = 0.0;
  for (size_t k = Order + 1; k < 6; ++k) {
    rest += std::abs(x[k]);
    shift_rest += p[k].norm();
  }
  rest = bound_above(rest, 6);
  const double s = std::sin(x[0]), c = std::cos(x[0]);
  const Vector3d& a = m.axis;
  Matrix3d cross;
  cross << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  const Matrix3d square = cross * cross;
  const Matrix3d slope[2] = {c * cross + s * square, c * square - s * cross};
  const RigidEnclosure turn = RigidEnclosure::rotation(a, m.axis_error, x[0], known_to);
  const auto set = [](const Matrix3d& from, double(*to)[4]) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) to[j][i] = from(i, j);
      to[j][3] = 0.0;
    }
  };
  const bool moves = m.moves && (curve != nullptr || x[1] != 0.0 || !p[1].isZero(0.0));
  set(X_PJ.X.R * turn.X.R, X_PL.R[0]);
  const TurnPowers<Order> powers(x, rest);
  for (int k = 1; k <= Order; ++k) {
    // Derivatives of the first two kinds, or their opposites.
    double factor[2] = {}, size = 0.0;
    for (int j = 1; j <= k; ++j) {
      const double sign = j % 4 == 3 || j % 4 == 0 ? -1.0 : 1.0;
      factor[(j + 1) % 2] += sign * powers.at[j][k];
      size += std::abs(powers.at[j][k]);
    }
    set(X_PJ.X.R * (factor[0] * slope[0] + factor[1] * slope[1]), X_PL.R[k]);
    X_PL.turn[k] =
        bound_above(1.4142135623730951 * (1.0 + 1e-12) * size * (1.0 + X_PJ.rotation_error), 16);
    if (size == 0.0) X_PL.turn[k] = 0.0;
  }
  const double g = X_PJ.rotation_error;
  X_PL.mid_rotation_error =
      bound_above(g + turn.rotation_error * (1.0 + g) +
                      10 * kUnitRoundoff * (1.0 + g) * (1.0 + turn.rotation_error),
                  12);
  X_PL.rotation_error = bound_above(
      X_PL.mid_rotation_error + (1.0 + g) * (powers.cut + 96 * kUnitRoundoff * powers.growth), 24);
  X_PL.turn[0] = bound_above(1.7320508075688774 * (1.0 + X_PL.mid_rotation_error), 4);

  for (int k = 0; k <= Order; ++k) {
    Vector3d at = R_PJ * p[static_cast<size_t>(k)];
    if (k == 0) at += joint.X_PJ.X.p;
    for (int j = 0; j < 3; ++j) X_PL.p[k][j] = at[j];
    X_PL.p[k][3] = 0.0;
    X_PL.shift[k] = at.isZero(0.0) ? 0.0 : bound_above(at.norm(), 6);
  }
  X_PL.mid_position_error = bound_above(joint.X_PJ.position_error +
                                            m.p_error * (1.0 + frame_error) + frame_error * reach +
                                            (1.0 + frame_error) * (curve == nullptr ? 32 : 96) *
                                                kUnitRoundoff * (reach + joint.X_PJ.X.p.norm()),
                                        30);
  X_PL.position_error =
      shift_rest == 0.0
          ? X_PL.mid_position_error
          : bound_above(X_PL.mid_position_error + (1.0 + frame_error) * shift_rest, 10);
  X_PL.moves = moves;
}

}  // namespace

template <int Order>
void model_joint(const Robot& robot, const Motion& motion, LinkIndex i, double middle, double half,
                 RigidTaylor<Order>& X_PL) noexcept {
  model_any(robot.joint(i), motion.joint(i), motion.curve(i), middle, half, X_PL);
}

template <int Order>
void model_joints(const Robot& robot, const Motion& motion, int first, int last, int wanted,
                  double middle, double half, RigidTaylor<Order>* X_PL) noexcept {
  JointTurn turns[kJointBlock];
  int count = 0;
  for (int i = first; i < last; ++i) {
    const Motion::JointMotion& m = motion.joint(LinkIndex(i));
    if (!m.moves && i != wanted) continue;
    if (turns_plainly(robot, i, m)) {
      turns[count++] = turn_of(i, m, middle, half);
    } else {
      model_any(robot.joint(LinkIndex(i)), m, motion.curve(LinkIndex(i)), middle, half, X_PL[i]);
    }
  }
  if (count > 0) model_turns(robot, turns, count, X_PL);
}

template void model_joint(const Robot&, const Motion&, LinkIndex, double, double,
                          RigidTaylor<1>&) noexcept;
template void model_joint(const Robot&, const Motion&, LinkIndex, double, double,
                          RigidTaylor<2>&) noexcept;
template void model_joint(const Robot&, const Motion&, LinkIndex, double, double,
                          RigidTaylor<3>&) noexcept;
template void model_joints(const Robot&, const Motion&, int, int, int, double, double,
                           RigidTaylor<1>*) noexcept;
template void model_joints(const Robot&, const Motion&, int, int, int, double, double,
                           RigidTaylor<2>*) noexcept;
template void model_joints(const Robot&, const Motion&, int, int, int, double, double,
                           RigidTaylor<3>*) noexcept;

}  // namespace catena::internal
#endif
