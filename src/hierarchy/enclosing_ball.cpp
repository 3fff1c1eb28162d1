#include "catena/hierarchy/enclosing_ball.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include <Eigen/Geometry>

#include "hierarchy/ball_basis.hpp"

namespace catena {
namespace internal {
namespace {

// How far a ball may reach out of one that is taken to hold it, as a share of the radius, and how
// far a centre out of the hull of the centres that it should lie in: more than rounding does where
// centres are not nearly on one line or in one plane, less than anyone would see.
constexpr double kOutside = 0x1p-43, kOutOfHull = 1e-9;
// Centres are on one line or in one plane if the sine of the angle between them is less.
constexpr double kFlat = 1e-9;

/// Balls seen from the first of them, in the terms of [Fischer2004]: a ball that all of them touch
/// from within has its centre z at |z - d_i| = s - g_i with s its radius less the first one's.
class Balls {
 public:
  void add(const Ball& ball, int number) noexcept {
    if (count_ == 0) first_ = ball;
    d_[count_] = ball.center - first_.center;
    g_[count_] = ball.radius - first_.radius;
    numbers_[count_++] = number;
  }
  int count() const noexcept { return static_cast<int>(count_); }

  // The ball that those of the mask touch from within, if its centre is in the hull of theirs: then
  // it is the smallest ball about them. The mask has the first ball, and at most four.
  bool touch(unsigned mask) noexcept {
    size_t at[3], m = 0;
    for (size_t i = 1; i < count_; ++i) {
      if ((mask & 1U << i) != 0) at[m++] = i;
    }
    if (m == 0) {
      z_ = Vector3d::Zero();
      s_ = 0.0;
      return true;
    }
    const Vector3d& d1 = d_[at[0]];
    const double dd1 = d1.squaredNorm();
    if (m == 1) {
      const double distance = std::sqrt(dd1), g = g_[at[0]];
      if (!(distance > std::abs(g))) return false;  // one holds the other
      s_ = 0.5 * (distance + g);
      z_ = d1 * (s_ / distance);
      return true;
    }
    // Duals w_i of the d_i: z = sum of (d_i . z) w_i, and w_i . z is the i-th weight in the hull.
    Vector3d w[3];
    const Vector3d& d2 = d_[at[1]];
    const double dd2 = d2.squaredNorm();
    const Vector3d normal = d1.cross(d2);
    if (m == 2) {
      const double square = normal.squaredNorm();
      if (!(square > kFlat * kFlat * dd1 * dd2)) return false;
      w[0] = d2.cross(normal) / square;
      w[1] = normal.cross(d1) / square;
    } else {
      const Vector3d& d3 = d_[at[2]];
      const double volume = normal.dot(d3);
      if (!(volume * volume > kFlat * kFlat * dd1 * dd2 * d3.squaredNorm())) return false;
      w[0] = d2.cross(d3) / volume;
      w[1] = d3.cross(d1) / volume;
      w[2] = normal / volume;
    }
    // d_i . z = e_i + s g_i, so z = u + s v; and |z| = s.
    Vector3d u = Vector3d::Zero(), v = Vector3d::Zero();
    for (size_t i = 0; i < m; ++i) {
      const double g = g_[at[i]];
      u += 0.5 * (d_[at[i]].squaredNorm() - g * g) * w[i];
      v += g * w[i];
    }
    const double a = v.squaredNorm() - 1.0, b = u.dot(v), c = u.squaredNorm();
    const double square = b * b - a * c;
    if (!(square >= 0.0)) return false;
    const double root = std::sqrt(square);
    // Both solutions of a s^2 + 2 b s + c = 0, each without cancellation.
    const double high = b > 0.0 ? -(b + root) : root - b;
    for (const double s : {c / high, high / a}) {
      if (!(s >= 0.0) || !std::isfinite(s)) continue;
      z_ = u + s * v;
      s_ = s;
      double sum = 0.0, least = 1.0;
      for (size_t i = 0; i < m; ++i) {
        const double weight = w[i].dot(z_);
        sum += weight;
        least = std::min(least, weight);
        if (s < g_[at[i]]) least = -1.0;
      }
      if (std::min(least, 1.0 - sum) >= -kOutOfHull) return true;
    }
    return false;
  }

  // Does the ball found last hold all but those of the mask?
  bool holds_others(unsigned mask) const noexcept {
    const double spare = kOutside * (s_ + first_.radius);
    for (size_t i = 0; i < count_; ++i) {
      if ((mask & 1U << i) != 0) continue;
      const double reach = s_ - g_[i] + spare;
      if (!(reach >= 0.0 && (z_ - d_[i]).squaredNorm() <= reach * reach)) return false;
    }
    return true;
  }

  BasisBall found(unsigned mask) const noexcept {
    BasisBall result;
    result.ball = {first_.center + z_, first_.radius + s_};
    for (size_t i = 0; i < count_; ++i) {
      if ((mask & 1U << i) == 0) continue;
      result.basis.at[static_cast<size_t>(result.basis.size++)] = numbers_[i];
    }
    result.found = true;
    return result;
  }

 private:
  Ball first_;
  size_t count_ = 0;
  Vector3d d_[5];
  double g_[5]{};
  int numbers_[5]{};
  Vector3d z_;
  double s_ = 0.0;
};

}  // namespace

BasisBall ball_about(std::span<const Ball> balls, const BallBasis& basis, int other) noexcept {
  // Subsets of the four by size: the first whose ball holds the rest is the basis.
  static constexpr unsigned kSubsets[] = {0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14};
  Balls few;
  few.add(balls[static_cast<size_t>(other)], other);
  for (int k = 0; k < basis.size; ++k) {
    const int i = basis.at[static_cast<size_t>(k)];
    few.add(balls[static_cast<size_t>(i)], i);
  }
  for (const unsigned subset : kSubsets) {
    if (subset >> basis.size != 0) continue;
    const unsigned mask = subset << 1U | 1U;
    if (few.touch(mask) && few.holds_others(mask)) return few.found(mask);
  }
  return {};
}

BasisBall ball_about(std::span<const Ball> balls, const BallBasis& basis) noexcept {
  Balls few;
  int largest = basis.at[0];
  for (int k = 0; k < basis.size; ++k) {
    const int i = basis.at[static_cast<size_t>(k)];
    few.add(balls[static_cast<size_t>(i)], i);
    if (balls[static_cast<size_t>(i)].radius > balls[static_cast<size_t>(largest)].radius) {
      largest = i;
    }
  }
  const unsigned all = (1U << basis.size) - 1U;
  if (few.touch(all)) return few.found(all);
  // They are no longer a basis: anew, from the largest of them.
  BasisBall now;
  now.ball = balls[static_cast<size_t>(largest)];
  now.basis.at[0] = largest;
  now.basis.size = 1;
  now.found = true;
  for (int round = 0; round < 16; ++round) {
    int farthest = -1;
    double most = now.ball.radius * (1.0 + kOutside);
    for (int k = 0; k < basis.size; ++k) {
      const int i = basis.at[static_cast<size_t>(k)];
      const Ball& ball = balls[static_cast<size_t>(i)];
      const double reach = (ball.center - now.ball.center).norm() + ball.radius;
      if (reach <= most || now.basis.contains(i)) continue;
      most = reach;
      farthest = i;
    }
    if (farthest < 0) break;
    const BasisBall next = ball_about(balls, now.basis, farthest);
    if (!next.found || !(next.ball.radius > now.ball.radius)) break;
    now = next;
  }
  return now;
}

std::string problem_of(const Vector3d& center, double radius) {
  constexpr double kMost = 1e50;  // as of geometries: no square of it overflows
  const auto is_fit = [](double x) { return std::abs(x) <= kMost; };  // no number is none
  std::ostringstream text;
  for (const double x : center) {
    if (is_fit(x)) continue;
    text << "a coordinate of the centre is " << x << "; give finite ones up to 1e50";
    return text.str();
  }
  if (!is_fit(radius)) {
    text << "the radius is " << radius << "; give a finite one up to 1e50";
  } else if (radius < 0.0) {
    text << "the radius " << radius << " is negative; give one of at least 0";
  }
  return text.str();
}

}  // namespace internal

EnclosingBall enclosing_ball(std::span<const Ball> balls, const BallBasis& start) {
  if (balls.empty()) {
    throw std::invalid_argument("enclosing_ball: there is no ball; give at least one");
  }
  for (size_t i = 0; i < balls.size(); ++i) {
    const std::string problem = internal::problem_of(balls[i].center, balls[i].radius);
    if (problem.empty()) continue;
    throw std::invalid_argument("enclosing_ball: ball " + std::to_string(i) + ": " + problem);
  }
  const int n = static_cast<int>(balls.size());
  EnclosingBall result;
  result.basis = start;
  bool is_basis = start.size >= 0 && start.size <= 4;
  for (int k = 0; is_basis && k < start.size; ++k) {
    const int i = start.at[static_cast<size_t>(k)];
    is_basis = i >= 0 && i < n;
  }
  if (!is_basis) {
    throw std::invalid_argument(
        "enclosing_ball: the basis to start from names balls that are not "
        "among the " +
        std::to_string(n) + "; give that of a list of as many");
  }
  const RoundingScope scope;
  if (result.basis.size == 0) {
    result.basis.at[0] = 0;
    result.basis.size = 1;
  }
  internal::BallRange all(balls, 0, n);
  internal::enclose(balls, all, result);
  return result;
}

}  // namespace catena
