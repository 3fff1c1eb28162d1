// The checker's arithmetic against exact and 100-digit numbers of Boost.

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "certificate/real.hpp"
#include "certificate/rigid.hpp"

namespace catena::certificate {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_100;

bool encloses(const Real& x, const Exact& value) {
  return abs(value - (Exact(x.hi) + Exact(x.lo))) <= Exact(x.radius);
}

/// A number with digits in both halves, and one that it encloses.
struct Sample {
  Real real;
  Exact exact;
};

Sample random_sample(std::mt19937_64& rng, double scale) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double hi = scale * unit(rng), lo = hi * 0x1p-55 * unit(rng);
  const double radius = rng() % 2 == 0 ? 0.0 : std::abs(hi) * 1e-20;
  return {{hi, lo, radius}, Exact(hi) + Exact(lo) + Exact(radius) * Exact(0.99 * unit(rng))};
}

// Property: every operation encloses the result for all that its operands enclose, to some 30
// digits.
TEST(CertificateReal, OperationsEncloseTheExactResult) {
  std::mt19937_64 rng(7);
  for (const double scale : {1e-6, 1.0, 1e9}) {
    for (int trial = 0; trial < 3000; ++trial) {
      const Sample a = random_sample(rng, scale), b = random_sample(rng, 1.0);
      ASSERT_TRUE(encloses(a.real + b.real, a.exact + b.exact)) << trial;
      ASSERT_TRUE(encloses(a.real - b.real, a.exact - b.exact)) << trial;
      ASSERT_TRUE(encloses(a.real * b.real, a.exact * b.exact)) << trial;
      ASSERT_TRUE(encloses(a.real / b.real, a.exact / b.exact)) << trial;
      ASSERT_TRUE(encloses(abs(a.real), abs(a.exact))) << trial;
      ASSERT_TRUE(encloses(max(a.real, b.real), a.exact > b.exact ? a.exact : b.exact)) << trial;
      ASSERT_TRUE(encloses(sqrt(abs(a.real)), sqrt(abs(a.exact)))) << trial;
      ASSERT_GE(Exact(a.real.upper()), a.exact);
      ASSERT_LE(Exact(a.real.lower()), a.exact);
      ASSERT_GE(Exact(a.real.magnitude()), abs(a.exact));
      const Real exact_product = Real(a.real.hi) * Real(b.real.hi);
      ASSERT_LE(exact_product.radius, 1e-30 * std::abs(exact_product.hi) + 1e-279);
    }
  }
}

TEST(CertificateReal, SinesAndAnglesEncloseTheExactOnes) {
  std::mt19937_64 rng(8);
  for (const double scale : {1e-9, 1.0, 10.0, 1e6}) {
    for (int trial = 0; trial < 500; ++trial) {
      const Sample a = random_sample(rng, scale);
      const auto [sine, cosine] = sine_cosine(a.real);
      ASSERT_TRUE(encloses(sine, sin(a.exact))) << a.real.hi;
      ASSERT_TRUE(encloses(cosine, cos(a.exact))) << a.real.hi;
      if (a.real.radius == 0.0 && scale <= 10.0) {
        ASSERT_LE(sine.radius, 1e-28);
      }
      if (std::abs(a.real.hi) < 3.0) {
        ASSERT_TRUE(encloses(angle_of(sine, cosine), a.exact)) << a.real.hi;
      }
    }
  }
  EXPECT_TRUE(encloses(pi(), boost::math::constants::pi<Exact>()));
}

// What is no number proves nothing.
TEST(CertificateReal, NothingIsProvenOfWhatIsNoNumber) {
  const double inf = std::numeric_limits<double>::infinity();
  const Real nothing[] = {std::nan(""),           Real(1.0) / Real(0.0),
                          Real(inf) - Real(inf),  Real(1e300) * 1e300,
                          sqrt(std::nan("")),     Real(1.0, 0.0, inf),
                          sine_cosine(1e9).sine,  max(std::nan(""), 1.0),
                          max(1.0, std::nan("")), Real(1.0) / Real(1.0, 0.0, 2.0)};
  for (const Real& x : nothing) {
    EXPECT_FALSE(is_negative(x)) << x.hi;
    EXPECT_FALSE(is_negative(x - Real(1.0)) && is_positive(x - Real(1.0)));
    EXPECT_FALSE(is_negative(-x) && is_negative(x));
  }
}

using ExactVec = std::array<Exact, 3>;

/// Turned about an axis of the frame's own, by Rodrigues' formula.
ExactVec turned(const ExactVec& x, int axis, const Exact& angle) {
  const auto i = static_cast<std::size_t>(axis + 1) % 3, k = static_cast<std::size_t>(axis + 2) % 3;
  const Exact s = sin(angle), c = cos(angle);
  ExactVec y = x;
  y[i] = c * x[i] - s * x[k];
  y[k] = s * x[i] + c * x[k];
  return y;
}

// Property: the pose at the end of a long chain encloses the exact one, and is still known to some
// 20 digits, though what is known of its joints has errors. Of a crooked chain, where errors are
// random, and of a straight one, where they add up.
TEST(CertificateRigid, PosesOfLongChainsEncloseTheExactOnes) {
  constexpr int kLinks = 1000;
  std::mt19937_64 rng(10);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const bool straight : {false, true}) {
    for (const double error : {0.0, 1e-26}) {
      ChainPose chain;
      std::vector<Exact> angles;
      std::vector<ExactVec> steps;
      const auto axis_of = [&](int i) { return straight ? 2 : i % 3; };
      for (int i = 0; i < kLinks; ++i) {
        const double angle = straight ? 0.0 : 3.0 * unit(rng);
        std::array<double, 3> step{1.0, 0.0, 0.0};
        if (!straight) step = {unit(rng), unit(rng), unit(rng)};
        const double step_error = straight ? 0.0 : error;
        Vec axis{0.0, 0.0, 0.0};
        (axis_of(i) == 0 ? axis.x : axis_of(i) == 1 ? axis.y : axis.z) = 1.0;
        chain.follow({turn(axis, widened(Real(angle), error)),
                      widened(Vec{step[0], step[1], step[2]}, step_error)});
        const auto off = [&](double most) {
          return Exact(most) * Exact(straight ? 0.99 : 0.99 * unit(rng));
        };
        angles.push_back(Exact(angle) + off(error));
        steps.push_back({Exact(step[0]) + off(step_error), Exact(step[1]) + off(step_error),
                         Exact(step[2]) + off(step_error)});
      }
      const Pose end = chain.pose();
      const ExactVec x{Exact(0.3), Exact(-0.7), Exact(0.2)};
      ExactVec y = x, direction = x;
      for (int i = kLinks - 1; i >= 0; --i) {
        const auto n = static_cast<std::size_t>(i);
        y = turned(y, axis_of(i), angles[n]);
        direction = turned(direction, axis_of(i), angles[n]);
        for (std::size_t k = 0; k < 3; ++k) y[k] += steps[n][k];
      }
      const Vec point{0.3, -0.7, 0.2};
      const Vec p = end * point, d = end.R * point;
      const std::string where =
          (straight ? "straight, " : "crooked, ") + std::to_string(error > 0.0);
      ASSERT_TRUE(encloses(p.x, y[0]) && encloses(p.y, y[1]) && encloses(p.z, y[2])) << where;
      ASSERT_TRUE(encloses(d.x, direction[0]) && encloses(d.y, direction[1]) &&
                  encloses(d.z, direction[2]))
          << where;
      EXPECT_LT(p.x.radius, 1e-19) << where;
      EXPECT_LT(d.x.radius, 1e-21) << where;
    }
  }
}

}  // namespace
}  // namespace catena::certificate
