// Properties of the trees themselves: what each fit sees, that every input is divided, and the
// memory that is stated.
#include "catena/geometry/obb_tree.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "catena/geometry/geometry.hpp"
#include "catena/math/rigid_enclosure.hpp"
#include "catena/query/geometry_pairs.hpp"
#include "support/counted_memory.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::bytes_in_use;
using test::peak_bytes;

using Fit = ObbTreeOptions::Fit;
using Split = ObbTreeOptions::Split;

using test::uniform;

// A box of half sizes (5, 3, 1) as 12 triangles, turned, with what else a test adds in its frame.
class TurnedBox {
 public:
  TurnedBox() {
    const Eigen::Vector4d xyzw(0.3, -0.5, 0.2, 0.7);
    R_ = RigidEnclosure::from_quaternion(Vector3d::Zero(), xyzw).X.R;
    for (int i = 0; i < 8; ++i) {
      mesh_.vertices.push_back(
          R_ * Vector3d((i & 1) != 0 ? 5 : -5, (i & 2) != 0 ? 3 : -3, (i & 4) != 0 ? 1 : -1));
    }
    mesh_.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                       {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  }
  void add_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const int n = static_cast<int>(mesh_.vertices.size());
    for (const Vector3d& x : {a, b, c}) mesh_.vertices.push_back(R_ * x);
    mesh_.triangles.push_back({n, n + 1, n + 2});
  }
  // Volume of the root box over the solid's own.
  double excess(const ObbTreeOptions& options) const {
    const ObbTree tree(mesh_.vertices, mesh_.triangles, 0.0, options);
    return tree.nodes().front().box.half.prod() / 15.0;
  }

 private:
  Matrix3d R_;
  TriangleMesh mesh_;
};

// Property: the hull fits do not see what lies inside the hull; the surface fit does not see how
// the hull is tessellated either. (The vertex fit sees both.)
TEST(ObbTreeFit, HullsAreBlindToTheInsideAndSurfacesToTheTessellation) {
  constexpr std::uint64_t kSeed = 51;
  std::mt19937_64 rng(kSeed);
  const auto excess = [](const TurnedBox& b, Fit fit) { return b.excess({fit, Split::kMean}); };
  const TurnedBox plain;
  EXPECT_GT(excess(plain, Fit::kVertices), 1.2);  // some corners belong to more triangles
  EXPECT_NEAR(excess(plain, Fit::kHullVertices), 1.0, 1e-9);
  EXPECT_NEAR(excess(plain, Fit::kHullSurface), 1.0, 1e-9);
  TurnedBox filled;  // many small triangles along the diagonal
  for (int i = 0; i < 300; ++i) {
    const double s = uniform(rng, -0.9, 0.9);
    const Vector3d x = s * Vector3d(5, 3, 1);
    filled.add_triangle(x, x + Vector3d(0.01, 0, 0), x + Vector3d(0, 0.01, 0.01));
  }
  EXPECT_GT(excess(filled, Fit::kVertices), 1.2);
  EXPECT_NEAR(excess(filled, Fit::kHullVertices), 1.0, 1e-9);
  EXPECT_NEAR(excess(filled, Fit::kHullSurface), 1.0, 1e-9);
  TurnedBox dense;  // corners that stand out a little, all near one corner of the box
  for (int i = 0; i < 300; ++i) {
    const double u = uniform(rng, 0.0, 0.2), v = uniform(rng, 0.0, 0.2);
    const Vector3d x(4.9 - u, 2.9 - v, 1.0 + 1e-4 * (1.0 - u * u - v * v));
    dense.add_triangle(x, x, x);
  }
  EXPECT_GT(excess(dense, Fit::kVertices), 1.2);
  EXPECT_GT(excess(dense, Fit::kHullVertices), 1.2);
  EXPECT_NEAR(excess(dense, Fit::kHullSurface), 1.0, 2e-3);
}

// Property: points in a tilted plane get a box without thickness, points on a line one without
// width, and one point a point, whatever the fit; up to rounding of their coordinates.
TEST(ObbTreeFit, FlatAndCollinearGroupsAreFittedInTheirPlaneOrLine) {
  constexpr std::uint64_t kSeed = 52;
  std::mt19937_64 rng(kSeed);
  for (int trial = 0; trial < 60; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -3, 3));
    const double far = trial % 2 == 0 ? 0.0 : 100.0 * size;
    const int dimension = trial / 2 % 3;
    Eigen::Vector4d xyzw;
    for (int k = 0; k < 4; ++k) xyzw[k] = uniform(rng, -1, 1);
    const Matrix3d R = RigidEnclosure::from_quaternion(Vector3d::Zero(), xyzw).X.R;
    const Vector3d at(uniform(rng, -far, far), uniform(rng, -far, far), far);
    TriangleMesh mesh;
    for (int i = 0; i < 90; ++i) {
      // As thin as 1:1000: the covariance alone would not know the plane to rounding.
      mesh.vertices.push_back(R * Vector3d(dimension > 0 ? uniform(rng, -size, size) : 0.0,
                                           dimension > 1 ? uniform(rng, -1e-3, 1e-3) * size : 0.0,
                                           0.0) +
                              at);
    }
    for (int i = 0; i + 2 < 90; i += 3) mesh.triangles.push_back({i, i + 1, i + 2});
    for (const Fit fit : {Fit::kVertices, Fit::kHullVertices, Fit::kHullSurface}) {
      const ObbTree tree(mesh.vertices, mesh.triangles, 0.0, {fit, Split::kMean});
      Vector3d half = tree.nodes().front().box.half;
      std::sort(half.data(), half.data() + 3);
      const double noise = 1e-12 * (size + far);
      EXPECT_LE(half[0], dimension == 2 ? 1e3 * noise : noise) << "seed 52 trial " << trial;
      EXPECT_LE(half[1], dimension == 2 ? 1.2e-3 * size + 1e3 * noise : noise)
          << "seed 52 trial " << trial;
      EXPECT_LE(half[2], dimension > 0 ? 1.01 * size : noise) << "seed 52 trial " << trial;
    }
  }
}

// Property: every input is divided down to single elements with a depth of the order of log n:
// equal triangles, equal centres, geometric progressions that fool the mean.
TEST(ObbTreeSplit, DepthIsLogarithmicForEveryInput) {
  for (const Split split : {Split::kMean, Split::kMedian}) {
    for (int kind = 0; kind < 4; ++kind) {
      TriangleMesh mesh;
      constexpr int kTriangles = 900;
      for (int i = 0; i < kTriangles; ++i) {
        const double s = kind == 0   ? 0.0
                         : kind == 1 ? i
                         : kind == 2 ? std::ldexp(1.0, i / 8)
                                     : std::ldexp(1.0, -i);
        const int n = 3 * i;
        // Kind 1: equal centres, ever larger.
        for (const Vector3d& x : {Vector3d(1, 0, 0), Vector3d(-1, 1, 0), Vector3d(0, -1, 0)}) {
          mesh.vertices.push_back(kind == 1 ? Vector3d(s * x)
                                            : Vector3d(x + s * Vector3d(1, 1, 1)));
        }
        mesh.triangles.push_back({n, n + 1, n + 2});
      }
      const ObbTree tree(mesh.vertices, mesh.triangles, 0.0, {Fit::kVertices, split});
      EXPECT_EQ(tree.nodes().size(), 2u * kTriangles - 1);
      EXPECT_LE(tree.depth(), split == Split::kMedian ? 11 : 52) << "kind " << kind;
      std::vector<int> seen(kTriangles, 0);
      for (const ObbTree::Node& node : tree.nodes()) {
        if (node.left < 0) ++seen[static_cast<size_t>(node.element)];
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), kTriangles);
    }
  }
}

// Property: the memory that obb_tree.hpp states. A sphere of 2 k^2 triangles: all are on the hull.
TEST(ObbTreeMemory, StaysWithinWhatIsStated) {
  constexpr int k = 200;
  TriangleMesh mesh;
  for (int i = 0; i <= k; ++i) {
    for (int j = 0; j <= k; ++j) {
      const double u = 3.14159 * i / k, v = 6.28318 * j / k;
      mesh.vertices.emplace_back(std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u));
    }
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      const int v = i * (k + 1) + j;
      mesh.triangles.push_back({v, v + k + 1, v + 1});
      mesh.triangles.push_back({v + 1, v + k + 1, v + k + 2});
    }
  }
  const long n = static_cast<long>(mesh.triangles.size());
  for (const Fit fit : {Fit::kVertices, Fit::kHullVertices, Fit::kHullSurface}) {
    const long before = bytes_in_use;
    peak_bytes = before;
    const ObbTree tree(mesh.vertices, mesh.triangles, 0.0, {fit, Split::kMean});
    std::printf("fit %d: %.1f bytes a triangle kept, %.1f at most\n", static_cast<int>(fit),
                static_cast<double>(bytes_in_use - before) / static_cast<double>(n),
                static_cast<double>(peak_bytes - before) / static_cast<double>(n));
    EXPECT_LE(bytes_in_use - before, 256 * n + 8192);
    EXPECT_LE(peak_bytes - before, (fit == Fit::kVertices ? 260 : 1280) * n + 65536);
  }
  // And the geometry around it: the mesh itself aside.
  const long before = bytes_in_use;
  peak_bytes = before;
  const auto g = Geometry::make_mesh(std::move(mesh));
  std::printf("geometry: %.1f bytes a triangle kept, %.1f at most\n",
              static_cast<double>(bytes_in_use - before) / static_cast<double>(n),
              static_cast<double>(peak_bytes - before) / static_cast<double>(n));
  EXPECT_LE(bytes_in_use - before, 257 * n);
  EXPECT_LE(peak_bytes - before, 300 * n);
}

// Property: the same for a million triangles of which every third is a duplicate, a segment or a
// point; and what is asked of them is found. Oracle: all lie in one plane, z = 0.
TEST(ObbTreeMemory, HoldsForAMillionTrianglesManyOfThemDegenerate) {
  constexpr int k = 708;
  TriangleMesh mesh;
  for (int i = 0; i <= k; ++i) {
    for (int j = 0; j <= k; ++j) mesh.vertices.emplace_back(i, j, 0);
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      const int v = i * (k + 1) + j;
      mesh.triangles.push_back({v, v + k + 1, v + 1});
      mesh.triangles.push_back({v + 1, v + k + 1, v + k + 2});
      auto& second = mesh.triangles.back();
      if (v % 9 == 0) second = {v, v, v};
      if (v % 9 == 3) second = {v, v + 1, v};
      if (v % 9 == 6) second = mesh.triangles[static_cast<size_t>(v % 1000)];
    }
  }
  const long n = static_cast<long>(mesh.triangles.size());
  ASSERT_GE(n, 1'000'000);
  const long before = bytes_in_use;
  peak_bytes = before;
  const auto soup = Geometry::make_mesh(std::move(mesh));
  std::printf("in a plane: %.1f bytes a triangle kept, %.1f at most\n",
              static_cast<double>(bytes_in_use - before) / static_cast<double>(n),
              static_cast<double>(peak_bytes - before) / static_cast<double>(n));
  EXPECT_LE(bytes_in_use - before, 257 * n);
  EXPECT_LE(peak_bytes - before, (264 + 3 * 40) * n + 1'000'000);
  EXPECT_FALSE(soup->is_solid());
  EXPECT_LE(soup->tree().depth(), 52);

  constexpr std::uint64_t kSeed = 53;
  std::mt19937_64 rng(kSeed);
  const auto ball = Geometry::make(Sphere{0.25});
  PairWorkspace workspace;
  for (int trial = 0; trial < 50; ++trial) {
    // Within the first triangle of a cell, which is always a whole one.
    const Vector3d at(std::floor(uniform(rng, 0, k)) + 0.3, std::floor(uniform(rng, 0, k)) + 0.3,
                      0.0);
    const Vector3d above = at + Vector3d(0, 0, 1);
    const DistanceResult d =
        find_distance(*soup, *ball, RigidEnclosure::translation(above), {}, workspace);
    EXPECT_NEAR(d.distance.lo, 0.75, 1e-8) << "seed 53 trial " << trial;
    EXPECT_NEAR(d.distance.hi, 0.75, 1e-8) << "seed 53 trial " << trial;
    ContactResult contacts;
    find_contacts(*soup, *ball, RigidEnclosure::translation(at), {}, workspace, contacts);
    EXPECT_EQ(contacts.verdict(), Verdict::kCollision) << "seed 53 trial " << trial;
    find_contacts(*soup, *ball, RigidEnclosure::translation(above), {}, workspace, contacts);
    EXPECT_EQ(contacts.verdict(), Verdict::kFree) << "seed 53 trial " << trial;
  }
}

}  // namespace
}  // namespace catena
