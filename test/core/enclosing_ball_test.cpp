// The smallest ball about balls, beside a search of all bases in 50 digits.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "catena/hierarchy/enclosing_ball.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::Rng;
using test::uniform;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

constexpr int kSeed = 20041;

struct ExactBall {
  Real center[3];
  Real radius;
};

Real reach(const ExactBall& ball, const Ball& other) {
  Real square = 0;
  for (int k = 0; k < 3; ++k) {
    const Real d = Real(other.center[k]) - ball.center[k];
    square += d * d;
  }
  return sqrt(square) + Real(other.radius);
}

// Gauss with full pivoting; empty if the system has none or many solutions.
std::optional<std::vector<Real>> solve(std::vector<std::vector<Real>> a, std::vector<Real> b) {
  const size_t n = b.size();
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  for (size_t k = 0; k < n; ++k) {
    size_t row = k, column = k;
    for (size_t i = k; i < n; ++i) {
      for (size_t j = k; j < n; ++j) {
        if (abs(a[i][j]) > abs(a[row][column])) row = i, column = j;
      }
    }
    if (abs(a[row][column]) < Real("1e-35")) return std::nullopt;
    std::swap(a[k], a[row]);
    std::swap(b[k], b[row]);
    for (auto& r : a) std::swap(r[k], r[column]);
    std::swap(order[k], order[column]);
    for (size_t i = k + 1; i < n; ++i) {
      const Real factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  std::vector<Real> x(n);
  for (size_t k = n; k-- > 0;) {
    Real sum = b[k];
    for (size_t j = k + 1; j < n; ++j) sum -= a[k][j] * x[order[j]];
    x[order[k]] = sum / a[k][k];
  }
  return x;
}

// All balls with a centre in the affine hull of those of the subset that these touch from within:
// the centre is c_0 + sum of x_j d_j, and twice d_i . (centre - c_0) is
// |d_i|^2 + s^2 - (s - g_i)^2, where s is the radius less r_0.
std::vector<ExactBall> touching(const std::vector<Ball>& balls, const std::vector<size_t>& subset) {
  const Ball& first = balls[subset[0]];
  const size_t m = subset.size() - 1;
  const auto made = [&](const std::vector<Real>& x, const Real& s) {
    ExactBall ball;
    for (int k = 0; k < 3; ++k) {
      ball.center[k] = first.center[k];
      for (size_t j = 0; j < m; ++j) {
        ball.center[k] += x[j] * (Real(balls[subset[j + 1]].center[k]) - Real(first.center[k]));
      }
    }
    ball.radius = Real(first.radius) + s;
    return ball;
  };
  if (m == 0) return {made({}, 0)};
  std::vector<std::vector<Real>> gram(m, std::vector<Real>(m));
  std::vector<Real> constant(m), slope(m);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < m; ++j) {
      for (int k = 0; k < 3; ++k) {
        gram[i][j] += (Real(balls[subset[i + 1]].center[k]) - Real(first.center[k])) *
                      (Real(balls[subset[j + 1]].center[k]) - Real(first.center[k]));
      }
    }
    const Real g = Real(balls[subset[i + 1]].radius) - Real(first.radius);
    constant[i] = (gram[i][i] - g * g) / 2;
    slope[i] = g;
  }
  const auto p = solve(gram, constant), q = solve(gram, slope);
  if (!p || !q) return {};
  const auto product = [&](const std::vector<Real>& x, const std::vector<Real>& y) {
    Real sum = 0;
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j < m; ++j) sum += x[i] * gram[i][j] * y[j];
    }
    return sum;
  };
  const Real a = product(*q, *q) - 1, b = product(*p, *q), c = product(*p, *p);
  std::vector<Real> solutions;
  if (abs(a) < Real("1e-30")) {
    if (b != 0) solutions.push_back(-c / (2 * b));
  } else if (b * b - a * c >= 0) {
    const Real root = sqrt(b * b - a * c);
    solutions = {(-b + root) / a, (-b - root) / a};
  }
  std::vector<ExactBall> result;
  for (const Real& s : solutions) {
    if (s < 0) continue;
    std::vector<Real> x(m);
    for (size_t i = 0; i < m; ++i) x[i] = (*p)[i] + s * (*q)[i];
    result.push_back(made(x, s));
  }
  return result;
}

// The least of all that hold every ball.
Real least_radius(const std::vector<Ball>& balls) {
  std::optional<Real> least;
  const size_t n = balls.size();
  std::vector<size_t> subset;
  const auto visit = [&](const auto& self, size_t from) -> void {
    if (!subset.empty()) {
      for (const ExactBall& ball : touching(balls, subset)) {
        const Real most = ball.radius * (1 + Real("1e-25"));
        const bool holds_all = std::all_of(balls.begin(), balls.end(),
                                           [&](const Ball& b) { return reach(ball, b) <= most; });
        if (holds_all && (!least || ball.radius < *least)) least = ball.radius;
      }
    }
    if (subset.size() == 4) return;
    for (size_t i = from; i < n; ++i) {
      subset.push_back(i);
      self(self, i + 1);
      subset.pop_back();
    }
  };
  visit(visit, 0);
  return least.value();
}

ExactBall exact(const Ball& ball) {
  return {{ball.center.x(), ball.center.y(), ball.center.z()}, ball.radius};
}

std::vector<Ball> members(const std::vector<Ball>& balls, const BallBasis& basis) {
  std::vector<Ball> result;
  for (int k = 0; k < basis.size; ++k) {
    result.push_back(balls[static_cast<size_t>(basis.at[static_cast<size_t>(k)])]);
  }
  return result;
}

// Holds all, without any rounding; and is as small as `least` is, but for what the doubles of its
// centre may be off.
void expect_smallest(const std::vector<Ball>& balls, const EnclosingBall& found, const Real& least,
                     const std::string& which) {
  const ExactBall ball = exact(found.ball);
  for (size_t i = 0; i < balls.size(); ++i) {
    ASSERT_LE(reach(ball, balls[i]), ball.radius) << which << " ball " << i;
  }
  const double spare = 1e-9 * found.ball.radius + 1e-14 * found.ball.center.norm() + 1e-149;
  ASSERT_LE(static_cast<double>(ball.radius - least), spare)
      << which << " radius " << found.ball.radius << " least " << static_cast<double>(least);
  ASSERT_GE(found.basis.size, 1) << which;
}

std::vector<Ball> random_balls(Rng& rng, int n, int kind, double scale, double offset) {
  std::vector<Ball> balls;
  const auto draw = [&] { return uniform(rng, -1.0, 1.0); };
  const Vector3d away(offset * draw(), offset * draw(), offset * draw());
  const Vector3d line(draw(), draw(), draw()), other(draw(), draw(), draw());
  for (int i = 0; i < n; ++i) {
    Ball ball;
    ball.center = Vector3d(draw(), draw(), draw());
    ball.radius = uniform(rng, 0.0, 0.5);
    if (kind == 1) ball.radius = 0.3;
    if (kind == 2) ball.radius = 0.0;
    if (kind == 3) ball.radius = uniform(rng, 0.0, 3.0);  // many within others
    if (kind == 4) ball.center = draw() * line;           // on a line
    if (kind == 5) ball.center = draw() * line + draw() * other;
    if (kind == 6) ball = {Vector3d((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2 & 1) - 0.5), 0.25};
    if (kind == 7 && i > 0 && i % 2 == 0) ball.center = balls.back().center;
    if (kind == 8) ball.center.normalize(), ball.radius = 0.1;  // about one point
    ball.center = scale * (ball.center + away);
    ball.radius *= scale;
    balls.push_back(ball);
  }
  return balls;
}

// Property: of up to eight balls, in general position and not, at every scale and wherever they
// are, the ball holds them exactly and is the smallest.
TEST(EnclosingBall, IsTheSmallestOverAllBases) {
  Rng rng(kSeed);
  int sizes[5] = {};
  for (int trial = 0; trial < 360; ++trial) {
    const int n = trial < 40 ? trial % 4 + 1 : static_cast<int>(uniform(rng, 1.0, 8.999));
    const int kind = trial % 9;
    const double scale = std::pow(10.0, trial % 7 - 3), offset = trial % 5 == 0 ? 1e4 : 1.0;
    const std::vector<Ball> balls = random_balls(rng, n, kind, scale, offset);
    const std::string which = "seed " + std::to_string(kSeed) + " trial " + std::to_string(trial);
    const EnclosingBall found = enclosing_ball(balls);
    ++sizes[found.basis.size];
    expect_smallest(balls, found, least_radius(balls), which);
  }
  for (int size = 1; size <= 4; ++size) EXPECT_GT(sizes[size], 3) << "bases of " << size;
}

// Property: of many balls, the ball holds them exactly and is no larger than the smallest ball
// about its basis alone; so too from the basis of the same balls before they moved, or from any.
TEST(EnclosingBall, IsTheSmallestAboutItsBasisFromWhereverItStarts) {
  Rng rng(kSeed + 1);
  for (int trial = 0; trial < 90; ++trial) {
    std::vector<Ball> balls = random_balls(rng, trial % 3 == 0 ? 2000 : 60, trial % 9, 1.0, 2.0);
    const std::string which =
        "seed " + std::to_string(kSeed + 1) + " trial " + std::to_string(trial);
    const EnclosingBall before = enclosing_ball(balls);
    expect_smallest(balls, before, least_radius(members(balls, before.basis)), which);
    const EnclosingBall again = enclosing_ball(balls, before.basis);
    EXPECT_EQ(again.changes, 0) << which;
    EXPECT_LE(again.ball.radius, before.ball.radius * (1 + 1e-9)) << which;
    for (Ball& ball : balls) {
      ball.center += 0.05 * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
    }
    for (const BallBasis& start : {before.basis, BallBasis{{1, 1, 0, 2}, 4}, BallBasis{}}) {
      const EnclosingBall after = enclosing_ball(balls, start);
      expect_smallest(balls, after, least_radius(members(balls, after.basis)), which);
    }
  }
}

// Property: balls that reach out of the one about two others by little more than rounding, where no
// basis is any better, are held all the same.
TEST(EnclosingBall, HoldsWhatRoundingLeavesOut) {
  Rng rng(kSeed + 3);
  for (int trial = 0; trial < 3000; ++trial) {
    const double size = std::pow(10.0, trial % 5 - 2);
    const auto direction = [&] {
      return Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)).normalized();
    };
    const Vector3d center = size * uniform(rng, 0.0, 1.0) * direction(), axis = direction();
    std::vector<Ball> balls = {{center + size * axis, 0}, {center - size * axis, 0}};
    for (int i = 0; i < trial % 7 + 1; ++i) {
      const double out = std::pow(10.0, uniform(rng, -14.5, -12.5));
      const double radius = i % 2 == 0 ? 0.0 : size * uniform(rng, 0.0, 0.5);
      balls.push_back({center + (size * (1 + out) - radius) * direction(), radius});
    }
    const EnclosingBall found = enclosing_ball(balls, {{0, 1, -1, -1}, 2});
    const std::string which =
        "seed " + std::to_string(kSeed + 3) + " trial " + std::to_string(trial);
    expect_smallest(balls, found, size, which);
  }
}

// Property: what is said of two balls is so in 50 digits, down to gaps of rounding's size; touching
// ones are neither apart nor within each other.
TEST(EnclosingBall, PairsAreToldApartOnlyWithProof) {
  Rng rng(kSeed + 2);
  int counts[4] = {};
  for (int trial = 0; trial < 40000; ++trial) {
    Ball a, b;
    const double scale = std::pow(10.0, trial % 7 - 3);
    for (int k = 0; k < 3; ++k) a.center[k] = scale * uniform(rng, -1, 1);
    a.radius = scale * uniform(rng, 0, 1);
    b.radius = trial % 4 == 0 ? 0.0 : scale * uniform(rng, 0, 1);
    const double off = std::pow(10.0, uniform(rng, -18.0, -12.0)) * (trial % 2 == 0 ? 1 : -1);
    const double apart = trial % 3 == 0 ? std::abs(a.radius - b.radius) : a.radius + b.radius;
    const Vector3d direction =
        Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)).normalized();
    b.center = a.center + apart * (1 + off) * direction;
    Real square = 0;
    for (int k = 0; k < 3; ++k) {
      square += (Real(a.center[k]) - Real(b.center[k])) * (Real(a.center[k]) - Real(b.center[k]));
    }
    const Real distance = sqrt(square);
    if (are_disjoint(a, b)) {
      ++counts[0];
      ASSERT_GT(distance, Real(a.radius) + Real(b.radius)) << "trial " << trial;
    }
    if (have_contact(a, b)) {
      ++counts[1];
      ASSERT_LE(distance, Real(a.radius) + Real(b.radius)) << "trial " << trial;
    }
    if (holds(a, b)) {
      ++counts[2];
      ASSERT_LE(distance + Real(b.radius), Real(a.radius)) << "trial " << trial;
    }
    if (holds(b, a)) {
      ++counts[3];
      ASSERT_LE(distance + Real(a.radius), Real(b.radius)) << "trial " << trial;
    }
  }
  for (const int count : counts) EXPECT_GT(count, 400);
  const Ball unit{Vector3d::Zero(), 0.5};
  EXPECT_FALSE(are_disjoint(unit, {Vector3d(1, 0, 0), 0.5}));
  for (const double x : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300}) {
    for (const Ball& bad : {Ball{Vector3d(x, 0, 0), 0.5}, Ball{Vector3d(1, 0, 0), x}}) {
      EXPECT_FALSE(are_disjoint(unit, bad)) << x;
      EXPECT_FALSE(holds(bad, unit)) << x;
      EXPECT_FALSE(holds(unit, bad)) << x;
    }
  }
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(EnclosingBall, RefusesWhatIsNoBall) {
  std::vector<Ball> balls(3);
  EXPECT_EQ(error_of([&] { enclosing_ball({}); }),
            "enclosing_ball: there is no ball; give at least one");
  balls[2].radius = -1;
  EXPECT_EQ(error_of([&] { enclosing_ball(balls); }),
            "enclosing_ball: ball 2: the radius -1 is negative; give one of at least 0");
  balls[2].radius = 0;
  for (const double x : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e51}) {
    balls[1].center.y() = x;
    EXPECT_NE(error_of([&] { enclosing_ball(balls); }).find("ball 1: a coordinate"),
              std::string::npos);
    balls[1].center.y() = 0;
    balls[1].radius = x;
    EXPECT_NE(error_of([&] { enclosing_ball(balls); }).find("ball 1: the radius"),
              std::string::npos);
    balls[1].radius = 0;
  }
  EXPECT_NE(error_of([&] {
              enclosing_ball(balls, {{0, 3, -1, -1}, 2});
            }).find("basis"),
            std::string::npos);
  // All at one point, of no size.
  const EnclosingBall none = enclosing_ball(balls);
  EXPECT_LE(none.ball.radius, 1e-149);
}

}  // namespace
}  // namespace catena
