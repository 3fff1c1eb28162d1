// The checker's arithmetic against exact and 100-digit numbers of Boost.

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "certificate/real.hpp"

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

}  // namespace
}  // namespace catena::certificate
