#include "catena/geometry/obb.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "catena/geometry/geometry.hpp"
#include "core/exact_triangles.hpp"
#include "soundness/convex_gap.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using oracle::Real;
using oracle::ShapeSpec;
using oracle::Vec3;
using Exact = boost::multiprecision::cpp_rational;

using test::uniform;

Vector3d random_vector(std::mt19937_64& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

Eigen::Vector4d random_quaternion(std::mt19937_64& rng) {
  Eigen::Vector4d q;
  std::normal_distribution<double> normal;
  for (int k = 0; k < 4; ++k) q[k] = normal(rng);
  return q.normalized();
}

/// Two boxes as solids of the oracle, b moved by the exact motion of the quaternion.
struct Boxes {
  Obb a, b;
  Eigen::Vector4d xyzw{0, 0, 0, 1};
  Vector3d p = Vector3d::Zero();

  RigidEnclosure X() const { return RigidEnclosure::from_quaternion(p, xyzw); }
  oracle::Solid solid(const Obb& box) const {
    const ShapeSpec s = oracle::box({2 * box.half.x(), 2 * box.half.y(), 2 * box.half.z()}).shape;
    oracle::Pose3 X_FO;
    const auto column = [&](int k) { return Vec3{box.axes(0, k), box.axes(1, k), box.axes(2, k)}; };
    X_FO.R = {column(0), column(1), column(2)};
    X_FO.p = {box.center.x(), box.center.y(), box.center.z()};
    return moved(X_FO, oracle::pieces(s)[0]);
  }
  oracle::Gap truth() const {
    const oracle::Quaternion<Real> q{xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    return gap(solid(a), moved({q.normalised().matrix(), {p.x(), p.y(), p.z()}}, solid(b)));
  }
};

Obb random_box(std::mt19937_64& rng, double size, double far) {
  Obb box;
  box.axes = rng() % 3 == 0
                 ? Matrix3d(Matrix3d::Identity())
                 : RigidEnclosure::from_quaternion(Vector3d::Zero(), random_quaternion(rng)).X.R;
  box.center = random_vector(rng, far);
  box.half = {uniform(rng, 0, size), uniform(rng, 0, size), uniform(rng, 0, size)};
  if (rng() % 4 == 0) box.half[static_cast<int>(rng() % 3)] = 0.0;
  if (rng() % 8 == 0) box.half[static_cast<int>(rng() % 3)] *= 1e-6;
  return box;
}

// Two boxes, untilted, turned, or turned by next to nothing or a right angle against each other.
Boxes random_boxes(std::mt19937_64& rng, int trial, double size, double far) {
  Boxes s;
  s.a = random_box(rng, size, far);
  s.b = random_box(rng, trial % 5 == 0 ? 1e-3 * size : size, far);
  const int tilt = static_cast<int>(rng() % 4);
  if (tilt == 1) s.xyzw = random_quaternion(rng);
  if (tilt == 2) s.xyzw = (s.xyzw + 1e-9 * random_quaternion(rng)).normalized();
  if (tilt == 3) s.xyzw = {std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  return s;
}

// Property: the proven gap is never above the distance, at any size and anywhere; and along the
// direction that is given the boxes are that far apart.
TEST(SeparateProperty, GapIsNeverAboveTheDistance) {
  constexpr std::uint64_t kSeed = 31;
  std::mt19937_64 rng(kSeed);
  int separated = 0, apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -6, 6));
    const double far = trial % 3 == 0 ? 1e6 : trial % 3 == 1 ? 2 * size : 0.0;
    Boxes s = random_boxes(rng, trial, size, far);
    // Put b so that the centres are a few sizes apart.
    s.p = s.a.center - s.X().X.R * s.b.center + random_vector(rng, 1.3 * size);
    const Separation r = separate(s.a, s.b, s.X());
    const oracle::Gap g = s.truth();
    const Real eps = 1e-17L * (size + far) * 10;
    ASSERT_LE(r.gap, g.hi + eps) << "seed 31 trial " << trial;
    if (r.gap > 0) ++separated;
    if (g.lo > 1e-3L * size + 1e-8L * far) ++apart;
    if (g.lo > 1e-3L * size + 1e-8L * far) {
      EXPECT_GT(r.gap, 0) << "seed 31 trial " << trial << ' ' << double(g.lo) << " size " << size;
    }
    if (r.gap > 0) {
      const Vec3 d{r.direction.x(), r.direction.y(), r.direction.z()};
      ASSERT_LE(norm(d), 1 + 1e-14L);
      const oracle::Quaternion<Real> q{s.xyzw[3], s.xyzw[0], s.xyzw[1], s.xyzw[2]};
      const oracle::Solid b =
          moved({q.normalised().matrix(), {s.p.x(), s.p.y(), s.p.z()}}, s.solid(s.b));
      ASSERT_GE(-support(b, -d) - support(s.solid(s.a), d), r.gap - eps)
          << "seed 31 trial " << trial;
    }
    if (HasFailure()) return;
  }
  std::printf("%d proven separate, %d clearly apart\n", separated, apart);
}

// Boxes that are built around a common point, in arithmetic without rounding: sizes of 1e-6 at
// coordinates of 1e6 and sizes of 1e6 (where an absolute or a size-relative epsilon fails), with
// nearly parallel edges.
TEST(SeparateProperty, BoxesAroundACommonPointAreNeverSeparate) {
  constexpr std::uint64_t kSeed = 32;
  std::mt19937_64 rng(kSeed);
  for (int trial = 0; trial < 15000; ++trial) {
    const double size = trial % 3 == 0 ? 1e-6 : trial % 3 == 1 ? 1e6 : 1.0;
    const double far = trial % 2 == 0 ? 1e6 : 0.0;
    // The point, in W = F; a's box about it with the identity as axes, b's frame turned by a
    // rotation whose entries are exact: that of the quaternion (x, y, z, w) over its squared
    // length.
    Boxes s;
    const Vector3d point = random_vector(rng, far);
    s.a.half = {uniform(rng, 0, size), uniform(rng, 0, size), uniform(rng, 0, size)};
    // A corner or a face point of a near the point: an exact corner would need exact sums.
    s.a.center = point;
    // Without a turn nothing but the coordinates' own rounding is left to count.
    s.xyzw = trial % 4 == 0   ? Eigen::Vector4d(1e-9, 0, 0, 1)
             : trial % 5 == 2 ? Eigen::Vector4d(0, 0, 0, 1)
                              : random_quaternion(rng);
    s.b.half = {uniform(rng, 0, size), uniform(rng, 0, size), uniform(rng, 0, size)};
    // In b's frame the point is R^T (point - p). Take p at random and put b's centre there, within
    // its half sizes; all of it rational.
    s.p = random_vector(rng, far);
    const Exact x(s.xyzw[0]), y(s.xyzw[1]), z(s.xyzw[2]), w(s.xyzw[3]);
    const Exact n = x * x + y * y + z * z + w * w;
    const Exact R[3][3] = {
        {1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n},
        {2 * (x * y + z * w) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * w) / n},
        {2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, 1 - 2 * (x * x + y * y) / n}};
    // Move a so that the point is on its surface: the corner towards b, rounded, then the point is
    // taken to be what the box really has there.
    const Exact corner[3] = {Exact(s.a.center.x()) + Exact(s.a.half.x()),
                             Exact(s.a.center.y()) - Exact(s.a.half.y()),
                             Exact(s.a.center.z()) + Exact(s.a.half.z())};
    Exact in_b[3];
    for (int k = 0; k < 3; ++k) {
      in_b[k] = R[0][k] * (corner[0] - Exact(s.p.x())) + R[1][k] * (corner[1] - Exact(s.p.y())) +
                R[2][k] * (corner[2] - Exact(s.p.z()));
      // b's face on that side goes through the point, or a rounding beyond it.
      const double c = static_cast<double>(in_b[k]);
      const int side = static_cast<int>(rng() % 3) - 1;
      s.b.center[k] = c + side * s.b.half[k];
      while (abs(in_b[k] - Exact(s.b.center[k])) > Exact(s.b.half[k])) {
        s.b.half[k] = std::nextafter(s.b.half[k] + std::abs(c) * 1e-17, kInfinity);
      }
    }
    const Separation r = separate(s.a, s.b, s.X());
    ASSERT_LE(r.gap, 0.0) << "seed 32 trial " << trial << " size " << size << " far " << far;
    ASSERT_TRUE(may_overlap(s.a, s.b, s.X())) << "seed 32 trial " << trial;
  }
}

// Exact decision: the boxes as the sets that their stored numbers span, the motion that of the
// quaternion. Two parallelepipeds are disjoint if and only if one of fifteen cross products
// separates them; in rational arithmetic nothing needs to be normalised.
bool exactly_disjoint(const Boxes& s) {
  using exact::Number;
  using exact::Vec;
  const exact::Motion X(s.p, s.xyzw);
  std::array<Vec, 3> a, b;
  for (int k = 0; k < 3; ++k) {
    a[static_cast<size_t>(k)] = exact::make(s.a.axes.col(k));
    b[static_cast<size_t>(k)] = X.turn(exact::make(s.b.axes.col(k)));
  }
  const Vec t = X(exact::make(s.b.center)) - exact::make(s.a.center);
  const auto separates = [&](const Vec& n) {
    if (exact::is_zero(n)) return false;
    Number reach = 0;
    for (int k = 0; k < 3; ++k) {
      reach += Number(s.a.half[k]) * abs(dot(n, a[static_cast<size_t>(k)])) +
               Number(s.b.half[k]) * abs(dot(n, b[static_cast<size_t>(k)]));
    }
    return abs(dot(n, t)) > reach;
  };
  for (size_t i = 0; i < 3; ++i) {
    if (separates(cross(a[i], a[(i + 1) % 3])) || separates(cross(b[i], b[(i + 1) % 3]))) {
      return true;
    }
    for (size_t j = 0; j < 3; ++j) {
      if (separates(cross(a[i], b[j]))) return true;
    }
  }
  return false;
}

// Property: boxes that exactly share a point are never told apart: random ones, ones a few
// roundings from touching, with half sizes of zero, at scales and places where a fixed slack fails
// (trap: sizes of 1e-6 at 1e6). Those that are clearly apart are.
TEST(MayOverlapProperty, FalseOnlyForBoxesThatAreExactlyDisjoint) {
  constexpr std::uint64_t kSeed = 34;
  std::mt19937_64 rng(kSeed);
  int disjoint = 0, told = 0, near_told = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -6, 6));
    const double far = trial % 3 == 0 ? 1e6 : trial % 3 == 1 ? size : 0.0;
    Boxes s = random_boxes(rng, trial, size, far);
    const Vector3d base = s.a.center - s.X().X.R * s.b.center;
    Vector3d way = random_vector(rng, 1.0).normalized();
    const bool near = trial % 2 == 0;
    if (near) {
      // To where the exact decision flips along a random way, by bisection.
      double in = 0.0, out = 8.0 * size + 1e-9 * far;
      for (int k = 0; k < 45 && out - in > 1e-16 * (out + far); ++k) {
        const double middle = 0.5 * (in + out);
        s.p = base + middle * way;
        (exactly_disjoint(s) ? out : in) = middle;
      }
      const double shift = static_cast<double>(static_cast<int>(rng() % 5) - 2);
      s.p = base + (in + shift * 1e-16 * (size + far)) * way;
    } else {
      s.p = base + uniform(rng, 0.0, 3.0) * size * way;
    }
    const bool apart = exactly_disjoint(s);
    const bool overlap = may_overlap(s.a, s.b, s.X());
    const Separation r = separate(s.a, s.b, s.X());
    ASSERT_TRUE(overlap || apart) << "seed 34 trial " << trial << " size " << size << " at " << far;
    ASSERT_TRUE(!(r.gap > 0.0) || apart) << "seed 34 trial " << trial << " gap " << r.gap;
    disjoint += !near && apart;
    told += !near && !overlap;
    near_told += near && !overlap;
    // With a clearance between them the answer cannot be more.
    if (!may_overlap(s.a, s.b, s.X(), 0.1 * size)) {
      ASSERT_FALSE(overlap);
      ASSERT_GE(static_cast<double>(s.truth().hi), 0.1 * size);
    }
  }
  std::printf("%d disjoint, %d told; %d told of those that nearly touch\n", disjoint, told,
              near_told);
  EXPECT_GT(told, disjoint * 95 / 100);
}

// Property: a half size may be infinite. Beams and slabs that share a point with a box are never
// told apart from it; those beside it are, along an axis that does not see the infinite size.
TEST(MayOverlapProperty, InfiniteHalfSizesSeparateNothingWrongly) {
  constexpr std::uint64_t kSeed = 35;
  std::mt19937_64 rng(kSeed);
  int told = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Boxes s;
    s.a = random_box(rng, 1.0, 2.0);
    s.b = random_box(rng, 1.0, 2.0);
    if (rng() % 2 == 0) s.b.axes = s.a.axes;
    if (rng() % 2 == 0) s.xyzw = random_quaternion(rng);
    const int k = static_cast<int>(rng() % 3);
    Obb& endless = rng() % 2 == 0 ? s.a : s.b;
    endless.half[k] = kInfinity;
    if (rng() % 3 == 0) endless.half[(k + 1) % 3] = kInfinity;
    if (rng() % 9 == 0) endless.half.setConstant(kInfinity);
    if (rng() % 5 == 0) (rng() % 2 == 0 ? s.a : s.b).half[static_cast<int>(rng() % 3)] = kInfinity;
    s.p = random_vector(rng, 4.0);
    if (trial % 4 == 0) {  // exactly along one another: infinite sizes times exact zeros
      s.xyzw = {0, 0, 0, 1};
      for (Obb* box : {&s.a, &s.b}) {
        box->axes.setIdentity();
        box->center.setZero();
      }
      s.p = uniform(rng, -4.0, 4.0) * Vector3d::Unit(static_cast<int>(rng() % 3));
    }
    const bool overlap = may_overlap(s.a, s.b, s.X());
    const Separation r = separate(s.a, s.b, s.X());
    ASSERT_FALSE(std::isnan(r.gap)) << "seed 35 trial " << trial;
    told += !overlap;
    if (overlap && !(r.gap > 0.0)) continue;
    // Cut to any length, the boxes are exactly disjoint.
    for (const double length : {1.0, 1e3, 1e6}) {
      Boxes cut = s;
      cut.a.half = cut.a.half.cwiseMin(length);
      cut.b.half = cut.b.half.cwiseMin(length);
      ASSERT_TRUE(exactly_disjoint(cut)) << "seed 35 trial " << trial << " length " << length;
    }
  }
  std::printf("%d told apart\n", told);
  EXPECT_GT(told, 300);
}

// Property: every node's box contains the elements below it, at sampled points and where they reach
// farthest along the box's own axes.
TEST(ObbTreeProperty, BoxesContainWhatIsBelowThem) {
  constexpr std::uint64_t kSeed = 33;
  std::mt19937_64 rng(kSeed);
  for (int trial = 0; trial < 60; ++trial) {
    const double scale = std::pow(10.0, uniform(rng, -3, 3));
    const double far = trial % 3 == 0 ? 1e5 : 0.0;
    std::shared_ptr<const Geometry> g;
    const int n = 1 + static_cast<int>(rng() % 200);
    if (trial % 4 == 0) {
      std::vector<Geometry::AxisAlignedBox> boxes;
      for (int i = 0; i < n; ++i)
        boxes.push_back({random_vector(rng, scale + far), random_vector(rng, scale).cwiseAbs()});
      g = Geometry::make_boxes(boxes);
    } else if (trial % 4 == 1) {
      std::vector<Vector3d> centers;
      for (int i = 0; i < n; ++i) centers.push_back(random_vector(rng, scale + far));
      g = Geometry::make_spheres(centers, 0.1 * scale);
    } else {
      TriangleMesh mesh;
      const Vector3d base = random_vector(rng, far);
      for (int i = 0; i < 3 * n; ++i) mesh.vertices.push_back(base + random_vector(rng, scale));
      for (int i = 0; i < n; ++i) mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      if (trial % 4 == 2) {  // flat, and with duplicates
        for (Vector3d& v : mesh.vertices) v.z() = base.z();
        mesh.triangles.push_back(mesh.triangles.front());
        mesh.triangles.push_back({0, 0, 0});
      }
      mesh.vertex_error = trial % 8 == 3 ? 1e-6 * scale : 0.0;
      ObbTreeOptions options;
      options.fit = static_cast<ObbTreeOptions::Fit>(trial / 4 % 3);
      options.split = static_cast<ObbTreeOptions::Split>(trial / 12 % 2);
      g = Geometry::make_mesh(mesh, MeshFilling::kSurface, trial % 5 == 0 ? 0.05 * scale : 0.0,
                              options);
    }
    const auto nodes = g->tree().nodes();
    ASSERT_EQ(nodes.size(), static_cast<size_t>(2 * g->num_elements() - 1));
    std::vector<std::vector<int>> below(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i].left < 0) {
        below[i] = {nodes[i].element};
      } else {
        ASSERT_GT(nodes[i].left, static_cast<int>(i));
        for (const int c : {nodes[i].left, nodes[i].right()})
          below[i].insert(below[i].end(), below[static_cast<size_t>(c)].begin(),
                          below[static_cast<size_t>(c)].end());
      }
    }
    std::sort(below[0].begin(), below[0].end());
    for (int i = 0; i < g->num_elements(); ++i) ASSERT_EQ(below[0][static_cast<size_t>(i)], i);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Obb& box = nodes[i].box;
      for (const int e : below[i]) {
        const ConvexShape shape = g->element(e);
        for (int k = 0; k < 3; ++k) {
          for (const double sign : {1.0, -1.0}) {
            // In long double from the stored numbers: corners or centre, thickness, errors.
            const Vec3 d{sign * box.axes(0, k), sign * box.axes(1, k), sign * box.axes(2, k)};
            Real reach = -1e30L;
            const auto offer = [&](const Vector3d& x) {
              reach = std::max(reach, d.x * (Real(x.x()) - box.center.x()) +
                                          d.y * (Real(x.y()) - box.center.y()) +
                                          d.z * (Real(x.z()) - box.center.z()));
            };
            if (shape.core == ConvexShape::Core::kTriangle) {
              for (const Vector3d& c : shape.corners) offer(c);
            } else if (shape.core == ConvexShape::Core::kBox) {
              for (int m = 0; m < 8; ++m) {
                offer(shape.center + Vector3d(m & 1 ? shape.half.x() : -shape.half.x(),
                                              m & 2 ? shape.half.y() : -shape.half.y(),
                                              m & 4 ? shape.half.z() : -shape.half.z()));
              }
            } else {
              offer(shape.center);
            }
            reach += Real(shape.radius) + shape.core_error;
            ASSERT_LE(reach, Real(box.half[k]) + 1e-16L * (scale + far))
                << "seed 33 trial " << trial << " node " << i << " element " << e;
          }
        }
      }
    }
    // The bounding ball and the reach too.
    for (int e = 0; e < g->num_elements(); ++e) {
      const ConvexShape shape = g->element(e);
      if (shape.core != ConvexShape::Core::kTriangle) continue;
      for (const Vector3d& c : shape.corners) {
        ASSERT_LE((c - g->bound_center()).norm() + shape.radius + shape.core_error,
                  g->bound_radius() * (1 + 1e-15));
        ASSERT_LE(c.norm() + shape.radius + shape.core_error, g->reach() * (1 + 1e-15));
      }
    }
  }
}

}  // namespace
}  // namespace catena
