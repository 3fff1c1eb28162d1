#include "catena/geometry/pair_distance.hpp"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "catena/geometry/geometry.hpp"
#include "soundness/convex_gap.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using oracle::Gap;
using oracle::PlacedSpec;
using oracle::Pose3;
using oracle::Real;
using oracle::ShapeSpec;
using oracle::Solid;
using oracle::Vec3;

constexpr double kPi = 3.141592653589793;

using test::uniform;

Vec3 random_direction(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Vec3 d;
  do {
    d = {normal(rng), normal(rng), normal(rng)};
  } while (norm(d) < 0.1L);
  return (1 / norm(d)) * d;
}

ShapeSpec triangle(std::array<double, 3> a, std::array<double, 3> b, std::array<double, 3> c) {
  ShapeSpec s;
  s.kind = ShapeSpec::Kind::kMesh;
  s.vertices = {a, b, c};
  s.triangles = {{0, 1, 2}};
  return s;
}

// A shape of unit size or so, times scale; the last ones are degenerate.
constexpr int kNumShapes = 17;
ShapeSpec make_shape(int i, double scale, std::mt19937_64& rng) {
  const auto u = [&](double lo, double hi) { return scale * uniform(rng, lo, hi); };
  const auto point = [&] { return std::array<double, 3>{u(-1, 1), u(-1, 1), u(-1, 1)}; };
  switch (i) {
    case 0:
      return oracle::sphere(u(0.1, 1)).shape;
    case 1:
      return oracle::capsule(u(0.05, 0.4), u(0.3, 2)).shape;
    case 2:
      return oracle::box({u(0.2, 2), u(0.2, 2), u(0.2, 2)}).shape;
    case 3:
      return oracle::cylinder(u(0.2, 1), u(0.2, 2)).shape;
    case 4:
      return oracle::cone(u(0.2, 1), u(0.2, 2)).shape;
    case 5:
      return triangle(point(), point(), point());
    case 6:  // a disc and a needle
      return oracle::cylinder(u(0.5, 1), u(1e-6, 1e-3)).shape;
    case 7:
      return oracle::cylinder(u(1e-6, 1e-3), u(0.5, 2)).shape;
    case 8:
      return oracle::box({u(1, 2), u(1e-6, 1e-3), u(0.5, 1)}).shape;
    case 9: {  // a needle triangle
      const auto a = point(), b = point();
      const double t = uniform(rng, 0, 1);
      std::array<double, 3> c{};
      for (size_t k = 0; k < 3; ++k) c[k] = a[k] + t * (b[k] - a[k]) + u(-1e-6, 1e-6);
      return triangle(a, b, c);
    }
    case 10:
      return oracle::sphere(0.0).shape;
    case 11:
      return oracle::capsule(u(0.1, 0.5), 0.0).shape;
    case 12:
      return oracle::capsule(0.0, u(0.5, 2)).shape;
    case 13:
      return oracle::box({u(0.5, 1), 0.0, u(0.5, 1)}).shape;
    case 14:
      return oracle::box({0.0, 0.0, 0.0}).shape;
    case 15: {  // a triangle that is a segment or a point
      const auto a = point(), b = point();
      return uniform(rng, 0, 1) < 0.5 ? triangle(a, b, a) : triangle(a, a, a);
    }
    default:
      return oracle::cone(u(0.3, 1), 0.0).shape;
  }
}

struct Placed {
  ConvexShape a, b;
  Solid solid_a, solid_b;  // b in its own frame
  Eigen::Vector4d xyzw;
  Vector3d p;

  RigidEnclosure X() const { return RigidEnclosure::from_quaternion(p, xyzw); }
  Pose3 exact() const {
    const oracle::Quaternion<Real> q{xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    return {q.normalised().matrix(), {p.x(), p.y(), p.z()}};
  }
  Gap truth() const { return gap(solid_a, moved(exact(), solid_b)); }
};

Placed place(const ShapeSpec& a, const ShapeSpec& b, std::mt19937_64& rng, double distance) {
  Placed s;
  s.a = oracle::make_geometry(a)->element(0);
  s.b = oracle::make_geometry(b)->element(0);
  s.solid_a = oracle::pieces(a)[0];
  s.solid_b = oracle::pieces(b)[0];
  std::normal_distribution<double> normal;
  const int tilt = static_cast<int>(rng() % 4);
  if (tilt == 0) {
    s.xyzw = {0, 0, 0, 1};  // parallel features
  } else if (tilt == 1) {
    s.xyzw = {std::sin(kPi / 8), 0, 0, std::cos(kPi / 8)};
  } else {
    for (int k = 0; k < 4; ++k) s.xyzw[k] = normal(rng);
    s.xyzw.normalize();
    if (tilt == 2) s.xyzw = (Eigen::Vector4d(0, 0, 0, 1) + 1e-7 * s.xyzw).normalized();
  }
  const Vec3 d = random_direction(rng);
  s.p = distance * Vector3d(double(d.x), double(d.y), double(d.z));
  return s;
}

// Moves b along the line between the nearest points until the gap is about `target`: along that
// line the gap of convex solids shrinks by just as much.
void approach(Placed& s, double target) {
  for (int i = 0; i < 3; ++i) {
    const Gap g = s.truth();
    if (!(g.hi > 0)) return;
    const Vec3 ab = g.b - g.a;
    const Real length = norm(ab);
    if (!(length > 0)) return;
    const Vec3 shift = ((Real(target) - g.hi) / length) * ab;
    s.p += Vector3d(double(shift.x), double(shift.y), double(shift.z));
  }
}

std::string show(const PairDistance& r, const Gap& g) {
  std::ostringstream s;
  s.precision(19);
  s << "engine [" << r.distance.lo << ", " << r.distance.hi << "] overlap " << r.overlap
    << " oracle [" << g.lo << ", " << g.hi << "]";
  return s.str();
}

// Property: the bracket contains the distance that the oracle brackets, whatever the shapes, the
// scale and the gap; it is narrow; overlap is never claimed of shapes that are apart, and apart
// never of shapes that share a point; it is claimed where a ball of 1e-7 fits into both.
TEST(PairDistanceProperty, BracketsAgreeWithTheOracleForAllPairsOfShapes) {
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 rng(kSeed);
  int tight = 0, total = 0;
  for (const double scale : {1e-3, 1.0, 1e3}) {
    for (int i = 0; i < kNumShapes; ++i) {
      for (int j = 0; j < kNumShapes; ++j) {
        for (int trial = 0; trial < 8; ++trial) {
          const ShapeSpec shape_a = make_shape(i, scale, rng), shape_b = make_shape(j, scale, rng);
          Placed s = place(shape_a, shape_b, rng, 4 * scale);
          const double targets[] = {1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0, -1e-3};
          approach(s, targets[trial] * scale);
          const Gap g = s.truth();
          const PairDistance r = pair_distance(s.a, s.b, s.X(), true);
          const std::string where = "seed 11 scale " + std::to_string(scale) + " shapes " +
                                    std::to_string(i) + ", " + std::to_string(j) + " trial " +
                                    std::to_string(trial) + ": " + show(r, g);
          const Real eps = 1e-16L * scale;
          ASSERT_LE(r.distance.lo, g.hi + eps) << where;
          ASSERT_LE(r.distance.lo, r.distance.hi) << where;
          if (std::isfinite(double(g.lo))) {
            ASSERT_GE(r.distance.hi, g.lo - eps) << where;
          }
          if (r.overlap) {
            ASSERT_LE(g.lo, eps) << where;
          }
          if (g.lo > 0.99e-6L * scale) {
            ++total;
            const double width = r.distance.hi - r.distance.lo;
            if (width <= 1e-9 * scale) ++tight;
            ASSERT_LE(width, 1e-8 * scale) << where;
            // The direction proves the lower bound.
            const Vec3 d{r.direction.x(), r.direction.y(), r.direction.z()};
            const Solid b = moved(s.exact(), s.solid_b);
            const Real along = -support(b, -d) - support(s.solid_a, d);
            ASSERT_GE(along, r.distance.lo - eps - 1e-14L * scale) << where;
          }
        }
      }
    }
  }
  EXPECT_GE(tight, total - total / 1000) << "of " << total;
}

// Property: gaps and half-spaces, against support values.
TEST(PairDistanceProperty, HalfSpacesAgreeWithSupportValues) {
  constexpr std::uint64_t kSeed = 12;
  std::mt19937_64 rng(kSeed);
  for (const double scale : {1e-3, 1.0, 1e3}) {
    for (int i = 0; i < kNumShapes; ++i) {
      for (int trial = 0; trial < 20; ++trial) {
        const Vec3 n = random_direction(rng);
        const double length = std::exp(uniform(rng, -3, 3));
        const PlacedSpec half =
            oracle::half_space({length * double(n.x), length * double(n.y), length * double(n.z)},
                               length * scale * uniform(rng, -2, 2));
        const ShapeSpec shape = make_shape(i, scale, rng);
        for (const bool half_first : {true, false}) {
          Placed s = half_first ? place(half.shape, shape, rng, scale)
                                : place(shape, half.shape, rng, scale);
          const Gap g = s.truth();
          const PairDistance r = pair_distance(s.a, s.b, s.X(), true);
          const Real eps = 1e-17L * scale;
          ASSERT_LE(r.distance.lo, g.hi + eps) << "seed 12 " << i << ": " << show(r, g);
          ASSERT_GE(r.distance.hi, g.lo - eps) << "seed 12 " << i << ": " << show(r, g);
          ASSERT_LE(r.distance.hi - r.distance.lo, 1e-12 * scale) << show(r, g);
          if (std::abs(g.lo) > 1e-12L * scale) {
            ASSERT_EQ(r.overlap, g.lo < 0) << show(r, g);
          }
        }
      }
    }
  }
}

// A point of the solid with a ball of at least `share` of the solid's inner radius round it, that
// is still inside.
Vec3 interior_point(const Solid& s, Real share, std::mt19937_64& rng) {
  const Vec3 far = s.center + (10 * (s.bound + s.radius) + 1e-9L) * random_direction(rng);
  const Vec3 surface = project(s, far);
  Vec3 middle = s.center;
  if (s.kind == Solid::Kind::kCone) middle = s.X * Vec3{0, 0, -s.half_length / 2};
  return surface + share * (middle - surface);
}

Real inner_radius(const ShapeSpec& shape) {
  const Real a = shape.size[0], b = shape.size[1], c = shape.size[2];
  switch (shape.kind) {
    case ShapeSpec::Kind::kBox:
      return std::min({a, b, c}) / 2;
    case ShapeSpec::Kind::kCylinder:
      return std::min(a, b / 2);
    case ShapeSpec::Kind::kCone:  // of a ball about the point a quarter up
      return std::min(b / 4, (a * b * Real(0.75)) / std::sqrt(a * a + b * b));
    default:
      return a;
  }
}

// Property: two solids are proven to overlap where a ball of 1e-7 of their size in one has its
// centre in the other, and the depth that is found is not less than the ball's radius.
TEST(PairDistanceProperty, OverlapIsProvenWhereABallFitsIntoBoth) {
  constexpr std::uint64_t kSeed = 13;
  std::mt19937_64 rng(kSeed);
  int proven = 0, total = 0;
  for (const double scale : {1e-3, 1.0, 1e3}) {
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < kNumShapes; ++j) {
        for (const double ball : {0.3e-1, 1e-3, 1e-5, 1e-6, 1e-7}) {
          for (int trial = 0; trial < 6; ++trial) {
            const ShapeSpec shape_a = make_shape(i, scale, rng),
                            shape_b = make_shape(j, scale, rng);
            Placed s = place(shape_a, shape_b, rng, 0.0);
            const Real inner = inner_radius(shape_a);
            const Vec3 in_a =
                interior_point(s.solid_a, std::min(Real(1), ball * scale / inner), rng);
            const Solid b = moved(s.exact(), s.solid_b);
            const Vec3 in_b = project(b, b.center + (4 * scale) * random_direction(rng));
            s.p = {double(in_a.x - in_b.x), double(in_a.y - in_b.y), double(in_a.z - in_b.z)};
            const PairDistance r = pair_distance(s.a, s.b, s.X(), false);
            const std::string where = "seed 13 scale " + std::to_string(scale) + " shapes " +
                                      std::to_string(i) + ", " + std::to_string(j) + " ball " +
                                      std::to_string(ball * 1e7) + "e-7: " + show(r, s.truth());
            ++total;
            if (r.overlap) ++proven;
            ASSERT_LE(r.distance.lo, 0.0) << where;
            EXPECT_TRUE(r.overlap) << where;
            const PairDistance deep = pair_distance(s.a, s.b, s.X(), true);
            ASSERT_LE(deep.distance.lo, deep.distance.hi) << where << show(deep, s.truth());
            // The depth is at least the ball's radius.
            ASSERT_LE(deep.distance.lo, -std::min(ball * scale, double(inner)) * (1 - 1e-9))
                << where << show(deep, s.truth());
          }
        }
      }
    }
  }
  EXPECT_EQ(proven, total);
}

// Closed forms of depth: two balls, and two boxes along an axis.
TEST(PairDistance, DepthHasTheClosedFormOfBallsAndBoxes) {
  for (const double scale : {1e-3, 1.0, 1e3}) {
    const auto ball = Geometry::make(Sphere{0.5 * scale})->element(0);
    const auto r =
        pair_distance(ball, ball, RigidEnclosure::translation({0.75 * scale, 0, 0}), true);
    EXPECT_TRUE(r.overlap);
    EXPECT_NEAR(r.distance.lo, -0.25 * scale, 1e-9 * scale);
    EXPECT_NEAR(r.distance.hi, -0.25 * scale, 1e-9 * scale);
    const auto box = Geometry::make(Box{Vector3d(2, 4, 6) * scale})->element(0);
    const auto d = pair_distance(
        box, box, RigidEnclosure::translation(Vector3d(1.75, 0.5, 0.3) * scale), true);
    EXPECT_TRUE(d.overlap);
    EXPECT_LE(d.distance.lo, -0.25 * scale);
    EXPECT_GE(d.distance.hi, -0.25 * scale * (1 + 1e-9));
    EXPECT_NEAR(d.distance.lo, -0.25 * scale, 1e-8 * scale);
  }
  // Concentric: the depth of two equal balls is the sum of their radii.
  const auto ball = Geometry::make(Sphere{0.5})->element(0);
  const auto r = pair_distance(ball, ball, RigidEnclosure::identity(), true);
  EXPECT_TRUE(r.overlap);
  EXPECT_LE(r.distance.lo, -1.0);
  EXPECT_LE(r.distance.hi, 0.0);
}

// Shapes that share a point by construction, in numbers that doubles hold exactly: the rotation of
// the quaternion (1, 2, 2, 4) has entries of twenty-fifths, so corners that are multiples of 25 go
// to integers. They must never be called apart.
TEST(PairDistanceProperty, ShapesThatTouchExactlyAreNeverApart) {
  constexpr std::uint64_t kSeed = 14;
  std::mt19937_64 rng(kSeed);
  const auto integer = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(rng);
  };
  // 25 R, from R = ((w^2 - v.v) I + 2 v v^T + 2 w [v]) / 25, v = (1, 2, 2), w = 4.
  const long R[3][3] = {
      {16 - 9 + 2, 4 - 16, 4 + 16}, {4 + 16, 16 - 9 + 8, 8 - 8}, {4 - 16, 8 + 8, 16 - 9 + 8}};
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::ldexp(1.0, integer(-12, 10));
    // b: a box or triangle with corners at multiples of 25; one corner is the touching point.
    std::array<long, 3> corner{};
    ShapeSpec b;
    if (integer(0, 1) == 0) {
      std::array<double, 3> size{};
      for (size_t k = 0; k < 3; ++k) {
        const int half = integer(0, 4);
        size[k] = 50.0 * half * scale;
        corner[k] = (integer(0, 1) == 0 ? -half : half);
      }
      b = oracle::box(size).shape;
    } else {
      std::array<std::array<double, 3>, 3> v{};
      for (auto& c : v)
        for (double& x : c) x = 25.0 * integer(-4, 4);
      for (size_t k = 0; k < 3; ++k) corner[k] = std::lround(v[0][k] / 25.0);
      for (auto& c : v)
        for (double& x : c) x *= scale;
      b = triangle(v[0], v[1], v[2]);
    }
    long turned[3];
    for (int k = 0; k < 3; ++k)
      turned[k] = R[k][0] * corner[0] + R[k][1] * corner[1] + R[k][2] * corner[2];
    // a: something with a known integer point on its surface.
    ShapeSpec a;
    std::array<long, 3> on_a{};
    switch (integer(0, 4)) {
      case 0: {  // (2, 3, 6) has length 7
        const long m = integer(1, 20);
        a = oracle::sphere(7.0 * double(m) * scale).shape;
        on_a = {2 * m, -3 * m, 6 * m};
        break;
      }
      case 1: {
        std::array<double, 3> size{};
        for (size_t k = 0; k < 3; ++k) {
          const long half = integer(1, 60);
          size[k] = 2.0 * double(half) * scale;
          on_a[k] = k == 0 ? half : integer(-static_cast<int>(half), static_cast<int>(half));
        }
        a = oracle::box(size).shape;
        break;
      }
      case 2: {  // (3, 4) has length 5
        const long m = integer(1, 20), half = integer(1, 50);
        a = oracle::cylinder(5.0 * double(m) * scale, 2.0 * double(half) * scale).shape;
        on_a = {
            3 * m, 4 * m,
            integer(0, 1) == 0 ? half : integer(-static_cast<int>(half), static_cast<int>(half))};
        break;
      }
      case 3: {
        const long m = integer(1, 20), half = integer(1, 50);
        a = oracle::cone(10.0 * double(m) * scale, 2.0 * double(half) * scale).shape;
        // The apex, a rim point, or the slant's middle.
        const int where = integer(0, 2);
        on_a = where == 0   ? std::array<long, 3>{0, 0, half}
               : where == 1 ? std::array<long, 3>{-6 * m, 8 * m, -half}
                            : std::array<long, 3>{3 * m, -4 * m, 0};
        break;
      }
      default: {
        const long m = integer(1, 20), half = integer(0, 50);
        a = oracle::capsule(7.0 * double(m) * scale, 2.0 * double(half) * scale).shape;
        on_a = {3 * m, 2 * m, half + 6 * m};
      }
    }
    Placed s;
    s.a = oracle::make_geometry(a)->element(0);
    s.b = oracle::make_geometry(b)->element(0);
    s.solid_a = oracle::pieces(a)[0];
    s.solid_b = oracle::pieces(b)[0];
    s.xyzw = {1, 2, 2, 4};
    for (int k = 0; k < 3; ++k) s.p[k] = double(on_a[size_t(k)] - turned[k]) * scale;
    const PairDistance r = pair_distance(s.a, s.b, s.X(), trial % 2 == 0);
    ASSERT_LE(r.distance.lo, 0.0) << "seed 14 trial " << trial << ": " << show(r, s.truth());
    ASSERT_GE(r.distance.hi, r.distance.lo);
    const PairDistance mirrored = pair_distance(s.b, s.a, s.X().inverse(), false);
    ASSERT_LE(mirrored.distance.lo, 0.0) << "seed 14 trial " << trial;
  }
}

// Property: far from the origin the bracket still holds; it widens by what double has left there.
TEST(PairDistanceProperty, HoldsFarFromTheOrigin) {
  constexpr std::uint64_t kSeed = 15;
  std::mt19937_64 rng(kSeed);
  for (const double far : {1e3, 1e5, 1e8}) {
    for (int trial = 0; trial < 1500; ++trial) {
      ShapeSpec shape_a = make_shape(5, 1.0, rng), shape_b = make_shape(trial % 6, 1.0, rng);
      const Vec3 d = random_direction(rng);
      for (auto& v : shape_a.vertices) {
        v[0] += far * double(d.x);
        v[1] += far * double(d.y);
        v[2] += far * double(d.z);
      }
      Placed s = place(shape_a, shape_b, rng, 2.0);
      s.p += far * Vector3d(double(d.x), double(d.y), double(d.z));
      const double targets[] = {1.0, 1e-2, 1e-4, 1e-6, -1e-4};
      approach(s, targets[trial % 5]);
      const Gap g = s.truth();
      const PairDistance r = pair_distance(s.a, s.b, s.X(), true);
      const Real eps = 1e-17L * far;
      ASSERT_LE(r.distance.lo, g.hi + eps) << "seed 15 " << far << ' ' << trial << show(r, g);
      ASSERT_GE(r.distance.hi, g.lo - eps) << "seed 15 " << far << ' ' << trial << show(r, g);
      if (r.overlap) {
        ASSERT_LE(g.lo, eps) << show(r, g);
      }
      if (g.lo > 1e-6L) {
        ASSERT_LE(r.distance.hi - r.distance.lo, 1e-8 + 1e-13 * far) << show(r, g);
      }
    }
  }
}

// Property: an answer that stops early, once the gap is known to be enough, is a bound all the
// same.
TEST(PairDistanceProperty, StoppingEarlyKeepsTheBound) {
  constexpr std::uint64_t kSeed = 16;
  std::mt19937_64 rng(kSeed);
  for (int trial = 0; trial < 5000; ++trial) {
    const int i = static_cast<int>(rng() % kNumShapes), j = static_cast<int>(rng() % kNumShapes);
    const ShapeSpec shape_a = make_shape(i, 1.0, rng), shape_b = make_shape(j, 1.0, rng);
    Placed s = place(shape_a, shape_b, rng, 3.0);
    const Gap g = s.truth();
    const double enough = uniform(rng, 0, 2);
    const PairDistance r = pair_distance(s.a, s.b, s.X(), false, enough);
    ASSERT_LE(r.distance.lo, g.hi + 1e-17L)
        << "seed 16 shapes " << i << ", " << j << " trial " << trial << ' ' << show(r, g);
    ASSERT_GE(r.distance.hi, g.lo - 1e-17L)
        << "seed 16 shapes " << i << ", " << j << " trial " << trial << ' ' << show(r, g);
    if (g.lo > enough + 1e-6) {
      ASSERT_GT(r.distance.lo, enough) << show(r, g);
    }
  }
}

}  // namespace
}  // namespace catena
