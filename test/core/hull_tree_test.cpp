// Properties of trees of convex hulls and of the distances found in them. The oracle is exact
// arithmetic over all pairs of triangles; it shares no code with the tree.
#include "catena/geometry/hull_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <span>

#include <gtest/gtest.h>

#include "core/exact_triangles.hpp"
#include "core/triangle_soups.hpp"
#include "support/counted_memory.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using exact::Number;
using std::numbers::pi;
using test::Corners;
using test::Pose;
using test::random_soup;
using test::random_vector;
using test::uniform;

size_t at(int i) { return static_cast<size_t>(i); }

Corners corners(const TriangleMesh& m, int i) {
  Corners t;
  for (size_t k = 0; k < 3; ++k) t[k] = m.vertices[at(m.triangles[at(i)][k])];
  return t;
}

// A grid of m x n points that wraps in j, and in i if asked for.
template <class F>
TriangleMesh grid(int m, int n, bool wrap, const F& point) {
  TriangleMesh mesh;
  const int rows = wrap ? m : m + 1;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) mesh.vertices.push_back(point(i, j));
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * n + j, b = (i + 1) % rows * n + j, c = i * n + (j + 1) % n,
                d = (i + 1) % rows * n + (j + 1) % n;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({c, b, d});
    }
  }
  return mesh;
}

TriangleMesh torus(int m, int n, double R, double r) {
  return grid(m, n, true, [&](int i, int j) {
    const double u = 2 * pi * i / m, v = 2 * pi * j / n;
    return Vector3d((R + r * std::cos(v)) * std::cos(u), (R + r * std::cos(v)) * std::sin(u),
                    r * std::sin(v));
  });
}

// With triangles of no area at its poles.
TriangleMesh ball(int m, int n, double radius) {
  return grid(m, n, false, [&](int i, int j) {
    const double u = pi * i / m, v = 2 * pi * j / n;
    return Vector3d(radius * std::sin(u) * std::cos(v), radius * std::sin(u) * std::sin(v),
                    radius * std::cos(u));
  });
}

// A box whose faces are k x k squares, turned and moved: flat only up to rounding.
TriangleMesh turned_box(int k, const Vector3d& half, const Pose& pose) {
  TriangleMesh mesh;
  const RigidTransform X = pose.enclosure().X;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      const int base = static_cast<int>(mesh.vertices.size());
      for (int i = 0; i <= k; ++i) {
        for (int j = 0; j <= k; ++j) {
          Vector3d x;
          x[axis] = side * half[axis];
          x[(axis + 1) % 3] = half[(axis + 1) % 3] * (2.0 * i / k - 1.0);
          x[(axis + 2) % 3] = half[(axis + 2) % 3] * (2.0 * j / k - 1.0);
          mesh.vertices.push_back(X * x);
          if (i == k || j == k) continue;
          const int a = base + i * (k + 1) + j, b = a + k + 1;
          mesh.triangles.push_back({a, b, a + 1});
          mesh.triangles.push_back({a + 1, b, b + 1});
        }
      }
    }
  }
  return mesh;
}

Pose random_pose(test::Rng& rng, double size) {
  Pose pose;
  pose.p = random_vector(rng, size);
  for (int k = 0; k < 4; ++k) pose.xyzw[k] = uniform(rng, -1, 1);
  return pose;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const int base = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (auto t : other.triangles) {
    for (int& v : t) v += base;
    mesh.triangles.push_back(t);
  }
}

// What no decomposition can be made of: points, segments, copies, everything in a plane.
std::vector<TriangleMesh> degenerate_meshes(test::Rng& rng) {
  std::vector<TriangleMesh> meshes;
  TriangleMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  meshes.push_back(one);
  meshes.push_back({{{0.3, 0.2, 0.1}}, {{0, 0, 0}}});
  meshes.push_back({{{0, 0, 0}, {1, 1, 0.5}, {0.5, 0.5, 0.25}}, {{0, 1, 2}}});
  TriangleMesh copies;
  for (int k = 0; k < 6; ++k) append(copies, one);
  meshes.push_back(copies);
  TriangleMesh line, plate, mixed;
  const Vector3d along = random_vector(rng, 1.0);
  for (int k = 0; k < 12; ++k) {
    append(line, {{uniform(rng, -1, 1) * along, uniform(rng, -1, 1) * along, along}, {{0, 1, 2}}});
    const auto flat = [&] { return Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), 0.25); };
    append(plate, {{flat(), flat(), flat()}, {{0, 1, 2}}});
  }
  meshes.push_back(line);
  meshes.push_back(plate);
  append(mixed, line);
  append(mixed, plate);
  append(mixed, copies);
  append(mixed, random_soup(rng, 12, 1.0, false));
  meshes.push_back(mixed);
  // A plate of squares in a tilted plane, and a fan of many triangles on one edge.
  TriangleMesh tilted = turned_box(5, {1, 1, 0}, random_pose(rng, 1.0)), fan;
  meshes.push_back(tilted);
  for (int k = 0; k < 15; ++k)
    append(fan, {{{0, 0, -1}, {0, 0, 1}, random_vector(rng, 1)}, {{0, 1, 2}}});
  meshes.push_back(fan);
  return meshes;
}

TriangleMesh scaled(TriangleMesh mesh, double factor, const Vector3d& shift) {
  for (Vector3d& x : mesh.vertices) x = factor * x + shift;
  return mesh;
}

const auto kBefore = [](const Vector3d& x, const Vector3d& y) {
  return std::lexicographical_compare(x.data(), x.data() + 3, y.data(), y.data() + 3);
};
using Points = std::set<Vector3d, decltype(kBefore)>;

// Do these points lie within the slack of the hull of others, along the direction n, which need not
// be a unit vector?
bool contains_along(std::span<const Vector3d> hull, const Points& inside, double slack,
                    const Vector3d& n, double size) {
  const auto along = [&](const Vector3d& x) {
    return static_cast<long double>(n.x()) * x.x() + static_cast<long double>(n.y()) * x.y() +
           static_cast<long double>(n.z()) * x.z();
  };
  const auto farther = [&](const Vector3d& x, const Vector3d& y) { return along(x) < along(y); };
  const Vector3d& out = *std::max_element(hull.begin(), hull.end(), farther);
  const long double near = along(out) - 1e-9L * n.norm() * size;
  const exact::Vec en = exact::make(n);
  const Number allowed2 = Number(slack) * Number(slack) * exact::dot(en, en);
  for (const Vector3d& x : inside) {
    if (along(x) < near) continue;  // no need for exact numbers
    Number beyond = exact::dot(en, exact::make(x) - exact::make(out));
    if (beyond <= 0) continue;
    for (const Vector3d& p : hull) {
      const Number b = exact::dot(en, exact::make(x) - exact::make(p));
      if (b < beyond) beyond = b;
    }
    if (beyond > 0 && beyond * beyond > allowed2) return false;
  }
  return true;
}

// Property: nodes hold what the class says: a binary tree over all triangles, whose hulls are of
// vertices below, with every triangle within their slack, and balls around.
TEST(HullTreeProperty, HullsHoldTheirTrianglesInExactArithmetic) {
  constexpr std::uint64_t kSeed = 81;
  test::Rng rng(kSeed);
  std::vector<TriangleMesh> meshes = degenerate_meshes(rng);
  meshes.push_back(turned_box(4, {1, 0.5, 0.2}, random_pose(rng, 0.0)));
  meshes.push_back(turned_box(6, {1, 0.5, 0.2}, random_pose(rng, 100.0)));
  meshes.push_back(torus(12, 8, 1.0, 0.3));
  meshes.push_back(ball(8, 9, 1.0));
  meshes.push_back(random_soup(rng, 40, 1.0, false));
  meshes.push_back(random_soup(rng, 40, 1.0, true));
  // Faces of floats, as files have them.
  meshes.push_back(turned_box(6, {1, 0.5, 0.2}, random_pose(rng, 1.0)));
  for (Vector3d& x : meshes.back().vertices) x = x.cast<float>().cast<double>();
  int slack = 0, dropped = 0;
  for (size_t m = 0; m < meshes.size(); ++m) {
    const double factor = std::pow(10.0, uniform(rng, -3, 3));
    const TriangleMesh mesh = scaled(meshes[m], factor, Vector3d::Zero());
    const HullTree tree(mesh);
    const auto n = mesh.triangles.size();
    ASSERT_EQ(tree.nodes().size(), 2 * n - 1);
    double size = 0.0;
    for (const Vector3d& x : mesh.vertices) size = std::max(size, x.norm());
    const auto all = tree.triangles(tree.node(0));
    ASSERT_EQ(std::set<int>(all.begin(), all.end()).size(), n);
    for (const HullTree::Node& node : tree.nodes()) {
      const auto below = tree.triangles(node);
      ASSERT_EQ(below.size() == 1, node.left < 0);
      if (node.left >= 0) {
        const auto left = tree.triangles(tree.node(node.left));
        const auto right = tree.triangles(tree.node(node.right()));
        ASSERT_EQ(left.data(), below.data());
        ASSERT_EQ(right.data(), left.data() + left.size());
        ASSERT_EQ(left.size() + right.size(), below.size());
      }
      Points vertices(kBefore);
      for (const int t : below) {
        for (const Vector3d& x : corners(mesh, t)) vertices.insert(x);
      }
      for (const Vector3d& x : vertices) {
        const exact::Vec d = exact::make(x) - exact::make(node.center);
        ASSERT_LE(exact::dot(d, d), Number(node.radius) * Number(node.radius));
      }
      const auto hull = tree.points(node);
      for (const Vector3d& x : hull) ASSERT_EQ(vertices.erase(x), 1u);
      ASSERT_LE(node.slack, 1e-11 * size) << "mesh " << m;
      slack += node.slack > 0.0;
      dropped += !vertices.empty();
      // Normals of a small hull's faces are among those of its points; else any directions.
      std::vector<Vector3d> directions;
      for (int k = 0; k < 6; ++k) directions.push_back(random_vector(rng, 1.0));
      for (size_t i = 0; i < hull.size() && hull.size() <= 6; ++i) {
        for (size_t j = 0; j < i; ++j) {
          for (size_t k = 0; k < j; ++k) {
            const Vector3d normal = (hull[j] - hull[i]).cross(hull[k] - hull[i]);
            if (!normal.isZero(0.0)) directions.push_back(normal / factor);
          }
        }
      }
      for (size_t k = 0; k < below.size(); k += 1 + below.size() / 8) {  // and of triangles
        const Corners c = corners(mesh, below[k]);
        directions.push_back((c[1] - c[0]).cross(c[2] - c[0]) / factor);
      }
      for (const Vector3d& d : directions) {
        ASSERT_TRUE(contains_along(hull, vertices, node.slack, d, size) &&
                    contains_along(hull, vertices, node.slack, -d, size))
            << "seed 81 mesh " << m << " node " << &node - tree.nodes().data();
      }
    }
  }
  std::printf("%d nodes with slack, %d with fewer points than vertices\n", slack, dropped);
  EXPECT_GT(slack, 100);
  EXPECT_GT(dropped, 300);
}

// Property: the triangles of a patch lie on the boundary of its hull: all of it is on one side of
// each of their planes. What is convex is one patch, however it is cut and turned.
TEST(HullTreePatches, AreConvexAndAsLargeAsTheyCanBe) {
  constexpr std::uint64_t kSeed = 82;
  test::Rng rng(kSeed);
  const auto count = [&](const TriangleMesh& mesh) {
    const HullTree tree(mesh);
    Vector3d lo = mesh.vertices[0], hi = lo;
    for (const Vector3d& x : mesh.vertices) {
      lo = lo.cwiseMin(x);
      hi = hi.cwiseMax(x);
    }
    const double tolerance = 1.1e-6 * (hi - lo).norm();
    std::vector<std::vector<int>> members(at(tree.num_patches()));
    for (size_t i = 0; i < mesh.triangles.size(); ++i) {
      members[at(tree.patches()[i])].push_back(static_cast<int>(i));
    }
    for (const auto& patch : members) {
      EXPECT_FALSE(patch.empty());
      for (const int t : patch) {
        const Corners c = corners(mesh, t);
        const Vector3d n = (c[1] - c[0]).cross(c[2] - c[0]);
        if (n.norm() <= 1e-6 * (lo - hi).squaredNorm()) continue;  // its plane is none
        double above = 0.0, below = 0.0;
        for (const int other : patch) {
          for (const Vector3d& x : corners(mesh, other)) {
            above = std::max(above, n.dot(x - c[0]));
            below = std::max(below, -n.dot(x - c[0]));
          }
        }
        EXPECT_LE(std::min(above, below), tolerance * n.norm()) << "seed 82, triangle " << t;
      }
    }
    return tree.num_patches();
  };
  const Pose pose = random_pose(rng, 3.0);
  TriangleMesh box = turned_box(5, {1, 0.5, 0.2}, pose);
  EXPECT_EQ(count(box), 1);
  for (auto& t : box.triangles) {  // some of them the other way round
    if (rng() % 3 == 0) std::swap(t[0], t[1]);
  }
  EXPECT_EQ(count(box), 1);
  for (Vector3d& x : box.vertices) x = x.cast<float>().cast<double>();
  const int of_floats = count(box);
  append(box, turned_box(5, {1, 0.5, 0.2}, random_pose(rng, 30.0)));
  EXPECT_EQ(count(box), of_floats + 1);
  // The poles' triangles without an area are patches of their own.
  EXPECT_LE(count(ball(10, 12, 1.0)), 1 + 24);
  const TriangleMesh ring = torus(24, 16, 1.0, 0.3);
  EXPECT_GT(count(ring), 5);
  EXPECT_LT(count(ring), 300);
  for (const TriangleMesh& mesh : degenerate_meshes(rng)) count(mesh);
  count(random_soup(rng, 60, 1.0, false));
}

// Property: the support is that of all points, whatever the guess, and a climb reaches it on hulls
// whose faces are far from flat.
TEST(HullTreeProperty, SupportsAreThoseOfEveryPoint) {
  constexpr std::uint64_t kSeed = 83;
  test::Rng rng(kSeed);
  std::uint64_t steps = 0;
  for (const TriangleMesh& mesh :
       {ball(20, 30, 1.0), torus(30, 20, 1.0, 0.3),
        turned_box(8, {1, 0.5, 0.2}, random_pose(rng, 9)), random_soup(rng, 300, 1.0, false)}) {
    const HullTree tree(mesh);
    for (size_t i = 0; i < tree.nodes().size(); i += 1 + i / 3) {
      const HullTree::Node& node = tree.nodes()[i];
      const auto hull = tree.points(node);
      for (int trial = 0; trial < 20; ++trial) {
        const Vector3d d = random_vector(rng, 1.0);
        double most = -kInfinity;
        for (const Vector3d& x : hull) most = std::max(most, d.dot(x));
        const int guess = static_cast<int>(rng() % (hull.size() + 1)) - 1;
        const int found = tree.farthest(node, d, guess);
        ASSERT_NEAR(d.dot(hull[at(found)]), most, 1e-13) << "seed 83 node " << i;
        const int climbed = tree.climb(node, d, std::max(guess, 0), steps);
        ASSERT_NEAR(d.dot(hull[at(climbed)]), most, 1e-9) << "seed 83 node " << i;
      }
    }
  }
  EXPECT_GT(steps, 1000u);
}

// ---- Distances

using exact::Digits50;
using Motion50 = exact::BasicMotion<Digits50>;

/// The least distance; pairs that are farther by far are not measured.
Digits50 least_distance(const TriangleMesh& a, const TriangleMesh& b, const Pose& pose) {
  struct Pair {
    double bound;
    int i, j;
  };
  const auto ball_of = [](const Corners& t) {
    const Vector3d c = (t[0] + t[1] + t[2]) / 3.0;
    return std::pair(c, std::max({(t[0] - c).norm(), (t[1] - c).norm(), (t[2] - c).norm()}));
  };
  const auto digits = [](const Corners& t) -> exact::BasicTriangle<Digits50> {
    return {exact::make<Digits50>(t[0]), exact::make<Digits50>(t[1]), exact::make<Digits50>(t[2])};
  };
  const RigidTransform X = pose.enclosure().X;
  const Motion50 motion(pose.p, pose.xyzw);
  std::vector<Pair> pairs;
  double size = 0.0;
  for (int i = 0; i < static_cast<int>(a.triangles.size()); ++i) {
    const auto [ca, ra] = ball_of(corners(a, i));
    for (int j = 0; j < static_cast<int>(b.triangles.size()); ++j) {
      const auto [cb, rb] = ball_of(corners(b, j));
      pairs.push_back({(X * cb - ca).norm() - ra - rb, i, j});
      size = std::max({size, ca.norm() + ra, cb.norm() + rb, (X * cb - ca).norm()});
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& p, const Pair& q) { return p.bound < q.bound; });
  Digits50 least2 = -1;
  double least_above = kInfinity;
  for (const Pair& p : pairs) {
    if (p.bound > least_above + 1e-9 * size || least2 == 0) break;
    const Digits50 d =
        exact::triangle_triangle2(digits(corners(a, p.i)), motion(digits(corners(b, p.j))));
    if (least2 < 0 || d < least2) {
      least2 = d;
      least_above = std::sqrt(static_cast<double>(d));
    }
  }
  return sqrt(least2);
}

// The oracle's own error, far below a rounding of doubles.
bool holds(const Interval& bracket, const Digits50& distance, double size) {
  const Digits50 error = Digits50(1e-25) * size;
  return bracket.lo <= distance + error && distance - error <= bracket.hi;
}

void expect_bracket(const HullDistance& d, const Digits50& truth, double size,
                    const std::string& what) {
  EXPECT_TRUE(holds(d.distance, truth, size))
      << what << ": " << d.distance.lo << ' ' << d.distance.hi << ", but it is " << truth;
  EXPECT_LE(d.distance.hi - d.distance.lo, 2e-9 * size) << what;
  if (d.touching) {
    EXPECT_LE(truth, 1e-25 * size) << what;
  } else {
    EXPECT_NEAR((d.point_a - d.point_b).norm(), d.distance.hi, 1e-11 * size) << what;
  }
}

struct Models {
  std::vector<TriangleMesh> meshes;
  explicit Models(test::Rng& rng) : meshes(degenerate_meshes(rng)) {
    meshes.push_back(turned_box(2, {1, 0.5, 0.2}, random_pose(rng, 1.0)));
    meshes.push_back(torus(8, 6, 1.0, 0.3));
    meshes.push_back(ball(5, 6, 1.0));
    meshes.push_back(random_soup(rng, 10, 1.0, false));
    meshes.push_back(random_soup(rng, 10, 1.0, true));
  }
};

// Property: along small motions, jumps and contacts, with a cache that is new, one that has seen
// the last pose, and one that has seen other trees, brackets hold the exact distance and are as
// narrow as was asked for.
TEST(HullDistanceProperty, BracketsHoldTheExactDistanceWhateverTheCacheHolds) {
  constexpr std::uint64_t kSeed = 84;
  test::Rng rng(kSeed);
  const Models models(rng);
  HullCache elsewhere;  // of whatever came before
  int touching = 0, apart = 0;
  std::uint64_t cold_searches = 0, warm_searches = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const double factor = std::pow(10.0, uniform(rng, -3, 3));
    const Vector3d far = trial % 4 == 3 ? random_vector(rng, 30 * factor) : Vector3d::Zero();
    const auto pick = [&] {
      return scaled(models.meshes[rng() % models.meshes.size()], factor, far);
    };
    const TriangleMesh a = pick(), b = pick();
    // Built where the last trial's were: only the id tells them apart.
    const HullTree ta(a), tb(b);
    HullCache warm;
    Pose pose;
    const double size = factor + far.norm();
    for (int step = 0; step < 8; ++step) {
      if (step % 4 == 0) pose = random_pose(rng, (trial % 2 == 0 ? 3.0 : 0.8) * factor);
      pose.p += random_vector(rng, 0.02 * factor);
      for (int k = 0; k < 4; ++k) pose.xyzw[k] += uniform(rng, -0.01, 0.01);
      Pose here = pose;
      // Turned about the bodies, not about their frames' origins.
      here.p += far - RigidEnclosure::from_quaternion(Vector3d::Zero(), pose.xyzw).X * far;
      const RigidEnclosure X = here.enclosure();
      const Digits50 truth = least_distance(a, b, here);
      HullDistanceOptions options;
      options.width = 1e-9 * size;
      HullCache fresh;
      const std::string what =
          "seed 84 trial " + std::to_string(trial) + " step " + std::to_string(step) + ", cache ";
      const HullDistance cold = hull_distance(ta, tb, X, options, fresh);
      expect_bracket(cold, truth, size, what + "fresh");
      const HullDistance again = hull_distance(ta, tb, X, options, warm);
      expect_bracket(again, truth, size, what + "warm");
      expect_bracket(hull_distance(ta, tb, X, options, elsewhere), truth, size, what + "mixed");
      // Near rounding one may be proven to touch and the other not.
      if (truth > 1e-10 * size) {
        EXPECT_EQ(cold.touching, again.touching) << what;
      }
      touching += cold.touching;
      apart += truth > 1e-10 * size;
      if (step % 4 != 0) {
        cold_searches += cold.stats.searches;
        warm_searches += again.stats.searches;
      }
      // Rougher, and bounded.
      options.width = uniform(rng, 0.0, 1.0) * cold.distance.hi;
      const HullDistance rough = hull_distance(ta, tb, X, options, warm);
      EXPECT_TRUE(holds(rough.distance, truth, size)) << what << "rough";
      EXPECT_LE(rough.distance.hi - rough.distance.lo, options.width + 1e-9 * size) << what;
      options.width = 1e-9 * size;
      for (const double part : {0.5, 2.0}) {
        options.bound = part * cold.distance.lo;
        const HullDistance bounded = hull_distance(ta, tb, X, options, warm);
        EXPECT_TRUE(holds(bounded.distance, truth, size)) << what << "bounded";
        if (part < 1.0 && cold.distance.lo > 1e-6 * size) {
          EXPECT_EQ(bounded.triangle_a, -1) << what;
          EXPECT_EQ(bounded.distance.lo, options.bound) << what;
        } else if (part > 1.0 && cold.distance.lo > 1e-6 * size) {
          EXPECT_LT(bounded.distance.hi, kInfinity) << what;
        }
      }
      if (HasFailure()) return;
    }
  }
  std::printf("%d touching and %d apart of 128; searches: %llu cold, %llu warm\n", touching, apart,
              static_cast<unsigned long long>(cold_searches),
              static_cast<unsigned long long>(warm_searches));
  EXPECT_GT(touching, 8);
  EXPECT_GT(apart, 40);
  EXPECT_LT(warm_searches, cold_searches / 2);
}

// Property: with a pose known to an error, and vertices too, the bracket holds the distance of
// every pose and every mesh within it.
TEST(HullDistanceProperty, HoldsForEveryPoseAndVertexWithinTheErrors) {
  constexpr std::uint64_t kSeed = 85;
  test::Rng rng(kSeed);
  const Models models(rng);
  HullCache cache;
  int apart = 0;
  for (int trial = 0; trial < 6; ++trial) {
    TriangleMesh a = models.meshes[rng() % models.meshes.size()];
    TriangleMesh b = models.meshes[rng() % models.meshes.size()];
    const double shift = 1e-3, error_a = 2e-3, error_b = 3e-3;
    a.vertex_error = error_a;
    b.vertex_error = error_b;
    const HullTree ta(a), tb(b);
    const Pose pose = random_pose(rng, 3.0);
    RigidEnclosure X = pose.enclosure();
    X.position_error += shift;
    const HullDistance d = hull_distance(ta, tb, X, {}, cache);
    apart += d.distance.lo > 0.0;
    for (int k = 0; k < 4; ++k) {
      // Along the line of the closest points, or anywhere: all errors add up.
      const Vector3d line = k < 2 ? Vector3d(d.point_b - d.point_a) : random_vector(rng, 1.0);
      Pose moved = pose;
      if (!line.isZero(0.0)) {
        moved.p += (k % 2 == 0 ? 1.0 : -1.0) * (shift + error_a + error_b) * (1 - 1e-9) *
                   line.normalized();
      }
      const Digits50 truth = least_distance(a, b, moved);
      ASSERT_TRUE(holds(d.distance, truth, 1.0)) << "seed 85 trial " << trial;
    }
  }
  EXPECT_GT(apart, 2);
}

// Property: calls that need no more memory than earlier ones allocate nothing.
TEST(HullDistance, AllocatesNothingAfterTheFirstCalls) {
  const HullTree a(torus(30, 20, 1.0, 0.3)), b(ball(20, 20, 0.5));
  HullCache cache;
  const auto pass = [&] {
    for (int k = 0; k < 80; ++k) {
      hull_distance(a, b, RigidEnclosure::translation({0.02 * k - 0.8, 0.1, 0.9}), {}, cache);
    }
  };
  pass();
  pass();
  const long before = test::allocations;
  pass();
  EXPECT_EQ(test::allocations, before);
}

// A bracket that is narrow enough ends the search, also where surfaces touch and no contact can be
// proven: else all pairs of these triangles would be measured.
TEST(HullDistance, EndsWhereTheBracketIsNarrowEnough) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles.assign(1000, {0, 1, 2});
  const HullTree a(mesh), b(mesh);
  HullCache cache;
  for (int call = 0; call < 3; ++call) {
    const HullDistance d = hull_distance(a, b, RigidEnclosure::identity(), {}, cache);
    EXPECT_EQ(d.distance.lo, 0.0);
    EXPECT_LE(d.distance.hi, 1e-9);
    EXPECT_LE(d.stats.hull_pairs, 1000U);
    EXPECT_LE(d.stats.triangle_pairs, 10U);
  }
}

TEST(HullTree, SaysWhatIsWrongWithAMesh) {
  const auto message = [](const TriangleMesh& mesh) -> std::string {
    try {
      const HullTree tree(mesh);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "mesh: it has no triangles");
  EXPECT_EQ(message({{{0, 0, 0}}, {{0, 0, 1}}}),
            "mesh: triangle 0 names vertex 1 of 1; give one that it has");
  EXPECT_EQ(message({{{0, 0, std::nan("")}}, {{0, 0, 0}}}),
            "mesh: vertex 0 is not a number, or beyond 1e50; give a position in metres");
  EXPECT_EQ(message({{{0, 0, 0}}, {{0, 0, 0}}, -1.0}),
            "mesh: vertex_error is -1.000000; give a number from 0 to 1e50");
  const HullTree tree({{{0, 0, 0}}, {{0, 0, 0}}});
  HullCache cache;
  EXPECT_THROW(hull_distance(tree, tree, {}, {-1.0}, cache), std::invalid_argument);
  EXPECT_THROW(hull_distance(tree, tree, {}, {1.0, std::nan("")}, cache), std::invalid_argument);
}

}  // namespace
}  // namespace catena
