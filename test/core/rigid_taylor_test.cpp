// Taylor models of rigid motions hold the exact motions, in 50-digit arithmetic.
#include "math/rigid_taylor.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/digits50.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using internal::PointTaylor;
using internal::RigidTaylor;
using test::Digits50;
using test::Mat50;
using test::mat50;
using test::Pose50;
using test::rotation_distance;
using test::uniform;
using test::value;
using test::Vec50;
using test::vec50;
using OnEachTargetTaylor = test::OnEachTarget;

// The middle, the ends, and what lies between them.
const std::vector<double>& times() {
  static const std::vector<double> all{0.0, -1.0, 1.0, -0.5, 0.5, -0.9, 0.97, 0.123, -1e-9};
  return all;
}

/// A model, and for each of times() one exact motion that it claims to hold, as tightly as may be.
template <int Order>
struct Known {
  RigidTaylor<Order> X;
  std::vector<Pose50> exact;
};

Vector3d random_vector(std::mt19937_64& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

Digits50 frobenius(const double (&R)[3][4]) {
  Digits50 squares = 0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) squares += Digits50(R[j][i]) * R[j][i];
  }
  return sqrt(squares);
}

/// How far the exact motions are from the model, as shares of what it claims, the largest.
struct Worst {
  double turn = 0.0, shift = 0.0, mid = 0.0;
};

template <int Order>
void expect_inside(const RigidTaylor<Order>& X, const std::vector<Pose50>& exact,
                   const std::string& where, Worst& worst) {
  for (size_t i = 0; i < times().size(); ++i) {
    const Pose50 at = value(X, times()[i]);
    const double turn = rotation_distance(at.R, exact[i].R);
    const double shift = static_cast<double>(norm(at.p - exact[i].p));
    EXPECT_LE(turn, X.rotation_error) << where << " u " << times()[i];
    EXPECT_LE(shift, X.position_error) << where << " u " << times()[i];
    if (X.rotation_error > 0) worst.turn = std::max(worst.turn, turn / X.rotation_error);
    if (X.position_error > 0) worst.shift = std::max(worst.shift, shift / X.position_error);
    if (times()[i] != 0.0) continue;
    EXPECT_LE(turn, X.mid_rotation_error) << where;
    EXPECT_LE(shift, X.mid_position_error) << where;
    if (turn > 0) worst.mid = std::max(worst.mid, turn / X.mid_rotation_error);
    if (shift > 0) worst.mid = std::max(worst.mid, shift / X.mid_position_error);
  }
  for (int k = 0; k <= Order; ++k) {
    if (k > 0 && !X.moves) break;
    EXPECT_LE(frobenius(X.R[k]), Digits50(X.turn[k])) << where << " order " << k;
    EXPECT_LE(norm(Vec50{X.p[k][0], X.p[k][1], X.p[k][2]}), Digits50(X.shift[k])) << where;
  }
}

/// A turn at a constant rate about a fixed axis while the origin follows a polynomial, both a
/// little off; what the model claims is what is true at times(), used in full.
template <int Order>
Known<Order> random_known(std::mt19937_64& rng) {
  Known<Order> k;
  const bool moves = rng() % 4 != 0;
  const double size = std::exp(uniform(rng, std::log(1e-6), std::log(1e6)));
  const double x = moves ? std::pow(10.0, uniform(rng, -9, 0)) : 0.0;
  const double tilt = std::pow(10.0, uniform(rng, -17, -4));
  const Vec50 axis = vec50(random_vector(rng, 1.0) + Vector3d(0, 0, 1e-3));
  const Vec50 off_axis = vec50(random_vector(rng, 1.0) + Vector3d(0, 0, 1e-3));
  const Mat50 start =
      oracle::rotation_rpy<Digits50>({uniform(rng, -3, 3), uniform(rng, -1, 1), 0.3});
  const Vec50 unit = Digits50(1) / norm(axis) * axis;
  std::vector<Vec50> p;
  for (int i = 0; i <= (moves ? Order + 1 : 0); ++i) {
    p.push_back(vec50(random_vector(rng, size * std::pow(moves ? x : 1.0, i))));
  }
  // exp(x u [axis]) start, term by term.
  Mat50 term = start;
  for (int i = 0; i <= (moves ? Order : 0); ++i) {
    const Vec50* const columns[] = {&term.ex, &term.ey, &term.ez};
    for (int j = 0; j < 3; ++j) {
      const Vec50& c = *columns[j];
      const Digits50 entries[] = {c.x, c.y, c.z};
      for (int r = 0; r < 3; ++r) k.X.R[i][j][r] = static_cast<double>(entries[r]);
    }
    k.X.p[i][0] = static_cast<double>(p[size_t(i)].x);
    k.X.p[i][1] = static_cast<double>(p[size_t(i)].y);
    k.X.p[i][2] = static_cast<double>(p[size_t(i)].z);
    const Digits50 factor = Digits50(x) / (i + 1);
    term = {factor * cross(unit, term.ex), factor * cross(unit, term.ey),
            factor * cross(unit, term.ez)};
    k.X.turn[i] = static_cast<double>(frobenius(k.X.R[i])) * (1 + 1e-15);
    k.X.shift[i] =
        static_cast<double>(norm(Vec50{k.X.p[i][0], k.X.p[i][1], k.X.p[i][2]})) * (1 + 1e-15);
  }
  k.X.moves = moves;
  for (const double u : times()) {
    Pose50 at;
    at.R = oracle::rotation(off_axis, Digits50(Digits50(tilt) * uniform(rng, moves ? -1 : 1, 1))) *
           (oracle::rotation(axis, Digits50(Digits50(x) * u)) * start);
    Digits50 power = 1;
    for (const Vec50& c : p) {
      at.p = at.p + power * c;
      power *= u;
    }
    at.p = at.p + vec50(random_vector(rng, size * tilt));
    if (!moves && !k.exact.empty()) at = k.exact[0];
    k.exact.push_back(at);
    const Pose50 claimed = value(k.X, u);
    const double turn = rotation_distance(claimed.R, at.R) * 1.01;
    const double shift = static_cast<double>(norm(claimed.p - at.p)) * (1 + 1e-15);
    k.X.rotation_error = std::max(k.X.rotation_error, turn);
    k.X.position_error = std::max(k.X.position_error, shift);
    if (u == 0.0) k.X.mid_rotation_error = turn;
    if (u == 0.0) k.X.mid_position_error = shift;
  }
  return k;
}

Pose50 inverse(const Pose50& X) {
  const Mat50 back{{X.R.ex.x, X.R.ey.x, X.R.ez.x},
                   {X.R.ex.y, X.R.ey.y, X.R.ez.y},
                   {X.R.ex.z, X.R.ey.z, X.R.ez.z}};
  return {back, -(back * X.p)};
}

template <class Exact>
std::vector<Pose50> at_all_times(const Exact& exact) {
  std::vector<Pose50> all;
  for (size_t i = 0; i < times().size(); ++i) all.push_back(exact(i));
  return all;
}

template <int Order>
void expect_operations_to_hold(std::uint64_t seed, int trials) {
  std::mt19937_64 rng(seed);
  Worst given, product, back, after, inverted;
  double worst_point = 0.0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto a = random_known<Order>(rng), b = random_known<Order>(rng);
    const std::string where = "seed " + std::to_string(seed) + " order " + std::to_string(Order) +
                              " trial " + std::to_string(trial);
    expect_inside(a.X, a.exact, where + " itself", given);
    RigidTaylor<Order> out;
    multiply(a.X, b.X, out);
    expect_inside(out, at_all_times([&](size_t i) { return a.exact[i] * b.exact[i]; }),
                  where + " product", product);
    RigidTaylor<Order> other;
    inverse_times(a.X, b.X, other);
    expect_inside(other, at_all_times([&](size_t i) { return inverse(a.exact[i]) * b.exact[i]; }),
                  where + " inverse times", back);
    RigidTaylor<Order> third;
    times_inverse(a.X, b.X, third);
    expect_inside(third, at_all_times([&](size_t i) { return a.exact[i] * inverse(b.exact[i]); }),
                  where + " times inverse", after);
    RigidTaylor<Order> fourth;
    invert(a.X, fourth);
    expect_inside(fourth, at_all_times([&](size_t i) { return inverse(a.exact[i]); }),
                  where + " inverse", inverted);
    const Vector3d x = random_vector(rng, std::exp(uniform(rng, -10, 10)));
    PointTaylor<Order> q;
    move_point(a.X, x.data(), q);
    for (size_t i = 0; i < times().size(); ++i) {
      Vec50 at;
      Digits50 power = 1;
      double sizes = 0.0;
      for (const auto& c : q.q) {
        at = at + power * Vec50{c[0], c[1], c[2]};
        sizes += std::hypot(c[0], c[1], c[2]);
        power *= times()[i];
      }
      const double off = static_cast<double>(norm(at - a.exact[i] * vec50(x)));
      ASSERT_LE(off, q.error) << where << " point u " << times()[i];
      ASSERT_LE(sizes, q.size * (1 + 1e-14)) << where;
      if (off > 0) worst_point = std::max(worst_point, off / q.error);
    }
    if (testing::Test::HasFailure()) return;
  }
  std::printf(
      "order %d, largest shares of turn, shift and middle: product %.3f %.3f %.3f, "
      "inverse times %.3f %.3f %.3f, times inverse %.3f %.3f %.3f, inverse %.3f %.3f %.3f, "
      "point %.3f\n",
      Order, product.turn, product.shift, product.mid, back.turn, back.shift, back.mid, after.turn,
      after.shift, after.mid, inverted.turn, inverted.shift, inverted.mid, worst_point);
}

// Property: products, inverses and points hold what exact arithmetic gives at every time, of
// motions that use the operands' errors in full; near and far, fast, slow and still.
TEST_P(OnEachTargetTaylor, OperationsHoldTheExactMotion) {
  expect_operations_to_hold<1>(31, 100);
  expect_operations_to_hold<2>(32, 100);
  expect_operations_to_hold<3>(33, 100);
}

INSTANTIATE_TEST_SUITE_P(RigidTaylor, OnEachTargetTaylor,
                         testing::ValuesIn(OnEachTargetTaylor::all()));

// A number that is none, or an overflow, is never a small error.
TEST(RigidTaylor, WhatIsNoNumberProvesNothing) {
  for (const double bad : {std::nan(""), kInfinity, 1e200}) {
    RigidTaylor<2> a = RigidTaylor<2>::still(RigidEnclosure::translation({1.0, bad, 0.0}));
    RigidTaylor<2> b = RigidTaylor<2>::still(RigidEnclosure::translation({bad, bad, bad}));
    RigidTaylor<2> out;
    multiply(a, b, out);
    EXPECT_FALSE(out.position_error < 1e100);
    inverse_times(a, b, out);
    EXPECT_FALSE(out.position_error < 1e100);
    times_inverse(a, b, out);
    EXPECT_FALSE(out.position_error < 1e100);
    invert(a, out);
    EXPECT_FALSE(out.position_error < 1e100);
  }
}

}  // namespace
}  // namespace catena
