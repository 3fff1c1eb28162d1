#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rigid_taylor.cpp"
#include "math/dispatch.hpp"

#include "math/quad-inl.hpp"
#include "math/rigid_taylor.hpp"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

// docs/rigor.md, R12: what evaluating sums of at most twelve products, and one more term, may be
// off, as a share of the sizes; and R2's numbers for the middle.
constexpr double kTurnRounding = 13 * kUnitRoundoff;
constexpr double kShiftRounding = 14 * kUnitRoundoff;
constexpr double kMidTurnRounding = 10 * kUnitRoundoff;
constexpr double kMidShiftRounding = 8 * kUnitRoundoff;
constexpr double kRoot3 = 1.7320508075688774;

template <int K>
using Turns = double[K + 1][3][4];
template <int K>
using Shifts = double[K + 1][4];

CATENA_INLINE double length_above(const double* v) noexcept {
  return bound_above(std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 6);
}

template <int N>
CATENA_INLINE double sum(const double* terms) noexcept {
  double s = terms[0];
  for (int k = 1; k < N; ++k) s += terms[k];
  return s;
}

// Columns as three Quads.
struct Columns {
  Quad x, y, z;
  CATENA_INLINE explicit Columns(const double (*columns)[4]) noexcept
      : x(load(columns[0])), y(load(columns[1])), z(load(columns[2])) {}
  CATENA_INLINE Quad operator*(const double* v) const noexcept {
    return x * v[0] + y * v[1] + z * v[2];
  }
};

template <int K>
CATENA_INLINE void transpose(const Turns<K>& from, bool moves, Turns<K>& to) noexcept {
  for (int k = 0; k <= (moves ? K : 0); ++k) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) to[k][i][j] = from[k][j][i];
      to[k][i][3] = 0.0;
    }
  }
}

// The coefficients up to the order of a product of two polynomials.
template <int K>
CATENA_INLINE void multiply_turns(const Turns<K>& a, bool a_moves, const Turns<K>& b, bool b_moves,
                                  Turns<K>& out) noexcept {
  const Columns first(a[0]);
  for (int k = 0; k <= (b_moves ? K : 0); ++k) {
    for (int j = 0; j < 3; ++j) store(first * b[k][j], out[k][j]);
  }
  if (!a_moves) return;
  for (int i = 1; i <= K; ++i) {
    const Columns left(a[i]);
    for (int j = 0; j < 3; ++j) {
      const Quad term = left * b[0][j];
      store(b_moves ? load(out[i][j]) + term : term, out[i][j]);
    }
    if (!b_moves) continue;
    for (int k = i + 1; k <= K; ++k) {
      for (int j = 0; j < 3; ++j) {
        store(load(out[k][j]) + left * b[k - i][j], out[k][j]);
      }
    }
  }
}

// Likewise of a turn and a vector; returns a bound of what is cut off.
template <int K>
CATENA_INLINE double turn_shifts(const Turns<K>& a, bool a_moves, const Shifts<K>& b, bool b_moves,
                                 Shifts<K>& out) noexcept {
  const Columns first(a[0]);
  for (int k = 0; k <= (b_moves ? K : 0); ++k) store(first * b[k], out[k]);
  if (!a_moves) return 0.0;
  double beyond[K + 1][4] = {};
  for (int i = 1; i <= K; ++i) {
    const Columns left(a[i]);
    const Quad term = left * b[0];
    store(b_moves ? load(out[i]) + term : term, out[i]);
    if (!b_moves) continue;
    for (int k = i + 1; k <= K; ++k) store(load(out[k]) + left * b[k - i], out[k]);
    // Of order K + 1 + k, for i + j = K + 1 + k.
    for (int k = 0; k < i; ++k) {
      const Quad more = left * b[K + 1 + k - i];
      store(k == i - 1 ? more : load(beyond[k]) + more, beyond[k]);
    }
  }
  if (!b_moves) return 0.0;
  double cut = 0.0;
  for (int k = 0; k < K; ++k) cut += length_above(beyond[k]);
  return cut;
}

// The errors of a product of rotations, and the sizes of its coefficients.
template <int K>
CATENA_INLINE void bound_turns(const RigidTaylor<K>& a, const RigidTaylor<K>& b,
                               RigidTaylor<K>& out) noexcept {
  out.moves = a.moves || b.moves;
  const double mid_a = a.mid_rotation_error, mid_b = b.mid_rotation_error;
  out.mid_rotation_error = bound_above(
      mid_b + mid_a * (1.0 + mid_b) + kMidTurnRounding * (1.0 + mid_a) * (1.0 + mid_b), 10);
  out.turn[0] = bound_above(kRoot3 + kRoot3 * out.mid_rotation_error, 4);
  const double eA = a.rotation_error, eB = b.rotation_error;
  if (!out.moves) {
    out.rotation_error =
        bound_above(eB + eA * (1.0 + eB) + kMidTurnRounding * (1.0 + eA) * (1.0 + eB), 10);
    return;
  }
  double cut = 0.0;
  if (a.moves && b.moves) {
    for (int i = 1; i <= K; ++i) {
      for (int j = K + 1 - i; j <= K; ++j) cut += a.turn[i] * b.turn[j];
    }
  }
  const double size_a = a.moves ? sum<K + 1>(a.turn) : a.turn[0];
  const double size_b = b.moves ? sum<K + 1>(b.turn) : b.turn[0];
  out.rotation_error =
      bound_above(eB + eA * (1.0 + eB) + cut + kTurnRounding * size_a * size_b, 40);
  for (int k = 1; k <= K; ++k) {
    double squares = 0.0;
    for (int j = 0; j < 3; ++j) {
      const double* const c = out.R[k][j];
      squares += c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    }
    out.turn[k] = bound_above(std::sqrt(squares), 12);
  }
}

// The lengths of the coefficients of a shift; those above the first are 0 where nothing moves.
template <int K>
CATENA_INLINE void bound_shifts(RigidTaylor<K>& out) noexcept {
  out.shift[0] = length_above(out.p[0]);
  for (int k = 1; k <= K; ++k) out.shift[k] = out.moves ? length_above(out.p[k]) : 0.0;
}

template <int K>
CATENA_INLINE double size_of_shift(const RigidTaylor<K>& X) noexcept {
  return X.moves ? sum<K + 1>(X.shift) : X.shift[0];
}
template <int K>
CATENA_INLINE double size_of_turn(const RigidTaylor<K>& X) noexcept {
  return X.moves ? sum<K + 1>(X.turn) : X.turn[0];
}

template <int K>
CATENA_INLINE void multiply(const RigidTaylor<K>& a, const RigidTaylor<K>& b,
                            RigidTaylor<K>& out) noexcept {
  multiply_turns<K>(a.R, a.moves, b.R, b.moves, out.R);
  const double cut = turn_shifts<K>(a.R, a.moves, b.p, b.moves, out.p);
  bound_turns<K>(a, b, out);
  store(load(out.p[0]) + load(a.p[0]), out.p[0]);
  if (a.moves) {
    for (int k = 1; k <= K; ++k) store(load(out.p[k]) + load(a.p[k]), out.p[k]);
  }
  bound_shifts<K>(out);
  const double reach = size_of_shift<K>(b);
  out.position_error =
      bound_above(a.position_error + b.position_error + a.rotation_error * reach + cut +
                      kShiftRounding * (size_of_turn<K>(a) * reach + size_of_shift<K>(a)),
                  40);
  const double mid = a.mid_rotation_error;
  out.mid_position_error =
      bound_above(a.mid_position_error + b.mid_position_error + mid * b.shift[0] +
                      kMidShiftRounding * (1.0 + mid) * (b.shift[0] + a.shift[0]),
                  10);
}

// R^T s of a rotation, given transposed, and a shift of sizes `reach` and `mid_reach`; the errors
// added are those of the turn alone.
template <int K>
CATENA_INLINE void shift_back(const RigidTaylor<K>& a, const Turns<K>& back, const Shifts<K>& s,
                              bool s_moves, double reach, double mid_reach, double error,
                              double mid_error, RigidTaylor<K>& out) noexcept {
  const double cut = turn_shifts<K>(back, a.moves, s, s_moves, out.p);
  bound_shifts<K>(out);
  out.position_error = bound_above(
      error + a.rotation_error * reach + cut + kShiftRounding * size_of_turn<K>(a) * reach, 40);
  const double mid = a.mid_rotation_error;
  out.mid_position_error =
      bound_above(mid_error + mid * mid_reach + kMidShiftRounding * (1.0 + mid) * mid_reach, 12);
}

template <int K>
CATENA_INLINE void inverse_times(const RigidTaylor<K>& a, const RigidTaylor<K>& c,
                                 RigidTaylor<K>& out) noexcept {
  Turns<K> back;
  transpose<K>(a.R, a.moves, back);
  multiply_turns<K>(back, a.moves, c.R, c.moves, out.R);
  bound_turns<K>(a, c, out);
  // A difference is off by a roundoff of itself, which the bounds of the products cover.
  Shifts<K> between;
  double reach = 0.0, mid_reach = 0.0;
  for (int k = 0; k <= (out.moves ? K : 0); ++k) {
    const Quad first = k == 0 || a.moves ? load(a.p[k]) : Quad{};
    const Quad second = k == 0 || c.moves ? load(c.p[k]) : Quad{};
    store(second - first, between[k]);
    const double length = length_above(between[k]);
    reach += length;
    if (k == 0) mid_reach = length;
  }
  shift_back<K>(a, back, between, out.moves, reach, mid_reach,
                a.position_error + c.position_error + kUnitRoundoff * reach,
                a.mid_position_error + c.mid_position_error + kUnitRoundoff * mid_reach, out);
}

template <int K>
CATENA_INLINE void invert(const RigidTaylor<K>& a, RigidTaylor<K>& out) noexcept {
  transpose<K>(a.R, a.moves, out.R);
  out.moves = a.moves;
  out.rotation_error = a.rotation_error;
  out.mid_rotation_error = a.mid_rotation_error;
  for (int k = 0; k <= K; ++k) out.turn[k] = a.turn[k];
  Shifts<K> minus;
  for (int k = 0; k <= (a.moves ? K : 0); ++k) store(Quad{} - load(a.p[k]), minus[k]);
  shift_back<K>(a, out.R, minus, a.moves, size_of_shift<K>(a), a.shift[0], a.position_error,
                a.mid_position_error, out);
}

template <int K>
CATENA_INLINE void times_inverse(const RigidTaylor<K>& c, const RigidTaylor<K>& b,
                                 RigidTaylor<K>& out) noexcept {
  Turns<K> back;
  transpose<K>(b.R, b.moves, back);
  multiply_turns<K>(c.R, c.moves, back, b.moves, out.R);
  bound_turns<K>(c, b, out);
  Shifts<K> turned;
  const double cut = turn_shifts<K>(out.R, out.moves, b.p, b.moves, turned);
  for (int k = 0; k <= (out.moves ? K : 0); ++k) {
    const Quad from = k == 0 || c.moves ? load(c.p[k]) : Quad{};
    store(from - load(turned[k]), out.p[k]);
  }
  bound_shifts<K>(out);
  const double reach = size_of_shift<K>(b);
  out.position_error =
      bound_above(c.position_error + b.position_error + out.rotation_error * reach + cut +
                      kShiftRounding * (size_of_turn<K>(out) * reach + size_of_shift<K>(c)),
                  40);
  const double mid = out.mid_rotation_error;
  out.mid_position_error =
      bound_above(c.mid_position_error + b.mid_position_error + mid * b.shift[0] +
                      kMidShiftRounding * (1.0 + mid) * (b.shift[0] + c.shift[0]),
                  10);
}

template <int K>
CATENA_INLINE void move_point(const RigidTaylor<K>& X, const double* x,
                              PointTaylor<K>& out) noexcept {
  const double point[4] = {x[0], x[1], x[2], 0.0};
  const double reach = length_above(point);
  for (int k = 0; k <= (X.moves ? K : 0); ++k) {
    store(Columns(X.R[k]) * point + load(X.p[k]), out.q[k]);
  }
  for (int k = 1; k <= (X.moves ? 0 : K); ++k) store(Quad{}, out.q[k]);
  const double turned = size_of_turn<K>(X) * reach, shifted = size_of_shift<K>(X);
  out.size = bound_above(turned + shifted, 8);
  out.error = bound_above(
      X.position_error + X.rotation_error * reach + kShiftRounding * (turned + shifted), 12);
}

void multiply_1(const RigidTaylor<1>& a, const RigidTaylor<1>& b, RigidTaylor<1>& out) {
  HWY_NAMESPACE::multiply<1>(a, b, out);
}
void multiply_2(const RigidTaylor<2>& a, const RigidTaylor<2>& b, RigidTaylor<2>& out) {
  HWY_NAMESPACE::multiply<2>(a, b, out);
}
void multiply_3(const RigidTaylor<3>& a, const RigidTaylor<3>& b, RigidTaylor<3>& out) {
  HWY_NAMESPACE::multiply<3>(a, b, out);
}
void inverse_times_1(const RigidTaylor<1>& a, const RigidTaylor<1>& b, RigidTaylor<1>& out) {
  HWY_NAMESPACE::inverse_times<1>(a, b, out);
}
void inverse_times_2(const RigidTaylor<2>& a, const RigidTaylor<2>& b, RigidTaylor<2>& out) {
  HWY_NAMESPACE::inverse_times<2>(a, b, out);
}
void inverse_times_3(const RigidTaylor<3>& a, const RigidTaylor<3>& b, RigidTaylor<3>& out) {
  HWY_NAMESPACE::inverse_times<3>(a, b, out);
}
void times_inverse_1(const RigidTaylor<1>& a, const RigidTaylor<1>& b, RigidTaylor<1>& out) {
  HWY_NAMESPACE::times_inverse<1>(a, b, out);
}
void times_inverse_2(const RigidTaylor<2>& a, const RigidTaylor<2>& b, RigidTaylor<2>& out) {
  HWY_NAMESPACE::times_inverse<2>(a, b, out);
}
void times_inverse_3(const RigidTaylor<3>& a, const RigidTaylor<3>& b, RigidTaylor<3>& out) {
  HWY_NAMESPACE::times_inverse<3>(a, b, out);
}
void invert_1(const RigidTaylor<1>& a, RigidTaylor<1>& out) { HWY_NAMESPACE::invert<1>(a, out); }
void invert_2(const RigidTaylor<2>& a, RigidTaylor<2>& out) { HWY_NAMESPACE::invert<2>(a, out); }
void invert_3(const RigidTaylor<3>& a, RigidTaylor<3>& out) { HWY_NAMESPACE::invert<3>(a, out); }
void move_point_1(const RigidTaylor<1>& a, const double* x, PointTaylor<1>& out) {
  HWY_NAMESPACE::move_point<1>(a, x, out);
}
void move_point_2(const RigidTaylor<2>& a, const double* x, PointTaylor<2>& out) {
  HWY_NAMESPACE::move_point<2>(a, x, out);
}
void move_point_3(const RigidTaylor<3>& a, const double* x, PointTaylor<3>& out) {
  HWY_NAMESPACE::move_point<3>(a, x, out);
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {

template <int Order>
RigidTaylor<Order> RigidTaylor<Order>::still(const RigidEnclosure& X) noexcept {
  RigidTaylor T;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) T.R[0][j][i] = X.X.R(i, j);
    T.p[0][j] = X.X.p[j];
  }
  T.rotation_error = T.mid_rotation_error = X.rotation_error;
  T.position_error = T.mid_position_error = X.position_error;
  T.turn[0] = bound_above(1.7320508075688774 * (1.0 + X.rotation_error), 4);
  T.shift[0] = bound_above(X.X.p.norm(), 6);
  return T;
}

template <int Order>
RigidEnclosure RigidTaylor<Order>::middle() const noexcept {
  RigidEnclosure X;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) X.X.R(i, j) = R[0][j][i];
    X.X.p[j] = p[0][j];
  }
  X.rotation_error = mid_rotation_error;
  X.position_error = mid_position_error;
  return X;
}

template struct RigidTaylor<1>;
template struct RigidTaylor<2>;
template struct RigidTaylor<3>;

HWY_EXPORT(multiply_1);
template <>
void multiply<1>(const RigidTaylor<1>& a, const RigidTaylor<1>& b, RigidTaylor<1>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(multiply_1)(a, b, out);
}
HWY_EXPORT(multiply_2);
template <>
void multiply<2>(const RigidTaylor<2>& a, const RigidTaylor<2>& b, RigidTaylor<2>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(multiply_2)(a, b, out);
}
HWY_EXPORT(multiply_3);
template <>
void multiply<3>(const RigidTaylor<3>& a, const RigidTaylor<3>& b, RigidTaylor<3>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(multiply_3)(a, b, out);
}
HWY_EXPORT(inverse_times_1);
template <>
void inverse_times<1>(const RigidTaylor<1>& a, const RigidTaylor<1>& b,
                      RigidTaylor<1>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(inverse_times_1)(a, b, out);
}
HWY_EXPORT(inverse_times_2);
template <>
void inverse_times<2>(const RigidTaylor<2>& a, const RigidTaylor<2>& b,
                      RigidTaylor<2>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(inverse_times_2)(a, b, out);
}
HWY_EXPORT(inverse_times_3);
template <>
void inverse_times<3>(const RigidTaylor<3>& a, const RigidTaylor<3>& b,
                      RigidTaylor<3>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(inverse_times_3)(a, b, out);
}
HWY_EXPORT(times_inverse_1);
template <>
void times_inverse<1>(const RigidTaylor<1>& a, const RigidTaylor<1>& b,
                      RigidTaylor<1>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(times_inverse_1)(a, b, out);
}
HWY_EXPORT(times_inverse_2);
template <>
void times_inverse<2>(const RigidTaylor<2>& a, const RigidTaylor<2>& b,
                      RigidTaylor<2>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(times_inverse_2)(a, b, out);
}
HWY_EXPORT(times_inverse_3);
template <>
void times_inverse<3>(const RigidTaylor<3>& a, const RigidTaylor<3>& b,
                      RigidTaylor<3>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(times_inverse_3)(a, b, out);
}
HWY_EXPORT(invert_1);
template <>
void invert<1>(const RigidTaylor<1>& a, RigidTaylor<1>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(invert_1)(a, out);
}
HWY_EXPORT(invert_2);
template <>
void invert<2>(const RigidTaylor<2>& a, RigidTaylor<2>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(invert_2)(a, out);
}
HWY_EXPORT(invert_3);
template <>
void invert<3>(const RigidTaylor<3>& a, RigidTaylor<3>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(invert_3)(a, out);
}
HWY_EXPORT(move_point_1);
template <>
void move_point<1>(const RigidTaylor<1>& a, const double* x, PointTaylor<1>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(move_point_1)(a, x, out);
}
HWY_EXPORT(move_point_2);
template <>
void move_point<2>(const RigidTaylor<2>& a, const double* x, PointTaylor<2>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(move_point_2)(a, x, out);
}
HWY_EXPORT(move_point_3);
template <>
void move_point<3>(const RigidTaylor<3>& a, const double* x, PointTaylor<3>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(move_point_3)(a, x, out);
}

}  // namespace catena::internal
#endif
