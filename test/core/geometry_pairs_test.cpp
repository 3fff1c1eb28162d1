#include "catena/query/geometry_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "catena/geometry/triangle_pair.hpp"
#include "core/exact_triangles.hpp"
#include "core/triangle_soups.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using exact::Number;
using test::Corners;
using test::exactly;
using test::Pose;
using test::random_soup;
using test::random_triangle;
using test::random_vector;
using test::uniform;

// Property: what triangles_meet claims holds in exact arithmetic; triangles in general position are
// told apart or together.
TEST(TrianglesMeetProperty, ClaimsHoldExactly) {
  constexpr std::uint64_t kSeed = 41;
  std::mt19937_64 rng(kSeed);
  int meet = 0, apart = 0, general_unknown = 0, touching = 0;
  for (int trial = 0; trial < 2500; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -3, 3));
    const int kind = static_cast<int>(rng() % 4);
    Corners a = random_triangle(rng, kind, size);
    Corners b = random_triangle(rng, rng() % 2 == 0 ? kind : 0, size);
    if (trial % 7 == 0) b[rng() % 3] = a[rng() % 3];                        // a shared corner
    if (trial % 11 == 0) b[0] = a[0] + uniform(rng, 0, 1) * (a[1] - a[0]);  // nearly on an edge
    if (trial % 13 == 0) b = {a[1], a[2], a[0]};                            // a duplicate
    if (trial % 17 == 0) {  // beside one another, a rounding apart or in one another
      b[0] = (a[0] + a[1] + a[2]) / 3.0;
      b[1] = b[0] + random_vector(rng, size);
      b[2] = b[0] + random_vector(rng, size);
    }
    const Vector3d far = trial % 3 == 0 ? random_vector(rng, 1e4 * size) : Vector3d::Zero();
    for (size_t k = 0; k < 3; ++k) {
      a[k] += far;
      b[k] += far;
    }
    const bool truth = exact::triangle_triangle2(exactly(a), exactly(b)) == 0;
    const Meeting m = triangles_meet(a, b, 0.0);
    ASSERT_FALSE(m == Meeting::kMeet && !truth) << "seed 41 trial " << trial;
    ASSERT_FALSE(m == Meeting::kApart && truth) << "seed 41 trial " << trial;
    meet += m == Meeting::kMeet;
    apart += m == Meeting::kApart;
    touching += truth && m == Meeting::kUnknown;
    const bool plain =
        kind == 0 && trial % 7 != 0 && trial % 11 != 0 && trial % 13 != 0 && trial % 17 != 0;
    general_unknown += plain && m == Meeting::kUnknown;
  }
  EXPECT_GT(meet, 60);
  EXPECT_GT(apart, 600);
  EXPECT_GT(touching, 60);
  EXPECT_EQ(general_unknown, 0);
}

// Property: with corners known to an error, the claim holds wherever in it they are.
TEST(TrianglesMeetProperty, ClaimsHoldForEveryCornerWithinTheError) {
  constexpr std::uint64_t kSeed = 42;
  std::mt19937_64 rng(kSeed);
  int claims = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Corners a = random_triangle(rng, 0, 1.0);
    const Corners b = random_triangle(rng, 0, 1.0);
    const Meeting m = triangles_meet(a, b, 0.0);
    if (m == Meeting::kUnknown) continue;
    // The largest error with which it still claims that.
    double error = 0.0, unknown = 4.0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (error + unknown);
      (triangles_meet(a, b, middle) == m ? error : unknown) = middle;
    }
    ASSERT_EQ(triangles_meet(a, b, unknown), Meeting::kUnknown);
    ++claims;
    for (int k = 0; k < 12; ++k) {
      // All corners of one against the other, along the normals, the line of centres, anywhere.
      const Vector3d n = k < 2   ? (a[1] - a[0]).cross(a[2] - a[0])
                         : k < 4 ? (b[1] - b[0]).cross(b[2] - b[0])
                         : k < 6 ? a[0] + a[1] + a[2] - b[0] - b[1] - b[2]
                                 : random_vector(rng, 1.0);
      const Vector3d step = error * (1 - 1e-12) * (k % 2 == 0 ? 1.0 : -1.0) * n.normalized();
      Corners moved_a = a, moved_b = b;
      for (size_t c = 0; c < 3; ++c) {
        moved_a[c] += step;
        moved_b[c] -= step;
      }
      const bool truth = exact::triangle_triangle2(exactly(moved_a), exactly(moved_b)) == 0;
      ASSERT_EQ(m == Meeting::kMeet, truth) << "seed 42 trial " << trial << " error " << error;
    }
  }
  EXPECT_GT(claims, 130);
}

struct Truth {
  std::vector<std::vector<Number>> distance2;  // of every pair
  Number least2;
};

Truth brute_force(const TriangleMesh& a, const TriangleMesh& b, const Pose& pose) {
  const auto corners = [](const TriangleMesh& m, size_t i) {
    Corners t;
    for (size_t k = 0; k < 3; ++k) t[k] = m.vertices[static_cast<size_t>(m.triangles[i][k])];
    return t;
  };
  const exact::Motion motion = pose.motion();
  Truth truth;
  truth.least2 = -1;
  std::vector<exact::Triangle> moved;
  for (size_t j = 0; j < b.triangles.size(); ++j) moved.push_back(motion(exactly(corners(b, j))));
  for (size_t i = 0; i < a.triangles.size(); ++i) {
    truth.distance2.emplace_back();
    const exact::Triangle ti = exactly(corners(a, i));
    for (const exact::Triangle& tj : moved) {
      truth.distance2.back().push_back(exact::triangle_triangle2(ti, tj));
      const Number& d = truth.distance2.back().back();
      if (truth.least2 < 0 || d < truth.least2) truth.least2 = d;
    }
  }
  return truth;
}

// Property: every pair that exactly meets is a contact or undecided, every contact exactly meets,
// and what is undecided is within rounding of touching. The distance bracket holds the exact one.
TEST(GeometryPairsProperty, ContactsAndDistancesAgreeWithExactBruteForce) {
  constexpr std::uint64_t kSeed = 43;
  std::mt19937_64 rng(kSeed);
  PairWorkspace workspace;
  ContactResult r, first, near;
  int contacts = 0, undecided = 0, apart = 0;
  const Number band = Number(1e-24);
  for (int trial = 0; trial < 12; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -3, 3));
    const bool whole = trial % 3 == 0;
    const TriangleMesh mesh_a = random_soup(rng, 12, size, whole);
    const TriangleMesh mesh_b = random_soup(rng, 10, size, whole);
    ObbTreeOptions tree;
    tree.fit = static_cast<ObbTreeOptions::Fit>(trial % 3);
    tree.split = static_cast<ObbTreeOptions::Split>(trial / 3 % 2);
    const auto a = Geometry::make_mesh(mesh_a, MeshFilling::kSurface, 0.0, tree);
    const auto b = Geometry::make_mesh(mesh_b, MeshFilling::kSurface, 0.0, tree);
    Pose pose;
    if (!whole) {
      pose.xyzw = Eigen::Vector4d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1),
                                  uniform(rng, -1, 1));
      pose.p = random_vector(rng, trial % 2 == 0 ? 0.5 * size : 2.5 * size);
    }
    const Truth truth = brute_force(mesh_a, mesh_b, pose);
    const RigidEnclosure X = pose.enclosure();

    find_contacts(*a, *b, X, {}, workspace, r);
    ASSERT_TRUE(r.complete);
    std::set<std::pair<int, int>> proven, open;
    for (const ElementPair& p : r.contacts) {
      ASSERT_TRUE(proven.insert({p.a, p.b}).second) << "found twice";
      ASSERT_EQ(truth.distance2[static_cast<size_t>(p.a)][static_cast<size_t>(p.b)], 0)
          << "seed 43 trial " << trial;
    }
    for (const ElementPair& p : r.undecided) {
      ASSERT_TRUE(open.insert({p.a, p.b}).second && proven.count({p.a, p.b}) == 0);
      ASSERT_LE(truth.distance2[static_cast<size_t>(p.a)][static_cast<size_t>(p.b)],
                band * Number(size) * Number(size))
          << "seed 43 trial " << trial;
    }
    for (size_t i = 0; i < truth.distance2.size(); ++i) {
      for (size_t j = 0; j < truth.distance2[i].size(); ++j) {
        const std::pair<int, int> p{static_cast<int>(i), static_cast<int>(j)};
        if (truth.distance2[i][j] == 0) {
          ASSERT_TRUE(proven.count(p) + open.count(p) == 1) << "seed 43 trial " << trial;
        }
      }
    }
    contacts += static_cast<int>(proven.size());
    undecided += static_cast<int>(open.size());

    find_contacts(*a, *b, X, {0.0, 1}, workspace, first);
    ASSERT_EQ(first.contacts.empty(), r.contacts.empty());
    ASSERT_LE(first.contacts.size(), 1u);
    ASSERT_EQ(first.verdict(), r.verdict());
    apart += r.verdict() == Verdict::kFree;

    // With a clearance: the same, but for pairs a rounding from it.
    const double clearance = 0.1 * size;
    find_contacts(*a, *b, X, {clearance}, workspace, near);
    std::set<std::pair<int, int>> close;
    for (const auto* list : {&near.contacts, &near.undecided}) {
      for (const ElementPair& p : *list) close.insert({p.a, p.b});
    }
    for (const ElementPair& p : near.contacts) {
      ASSERT_LE(truth.distance2[static_cast<size_t>(p.a)][static_cast<size_t>(p.b)],
                Number(clearance) * Number(clearance));
    }
    for (size_t i = 0; i < truth.distance2.size(); ++i) {
      for (size_t j = 0; j < truth.distance2[i].size(); ++j) {
        if (truth.distance2[i][j] <= Number(clearance) * Number(clearance)) {
          ASSERT_EQ(close.count({static_cast<int>(i), static_cast<int>(j)}), 1u);
        }
      }
    }

    DistanceOptions options;
    options.width = 1e-9 * size;
    const DistanceResult d = find_distance(*a, *b, X, options, workspace);
    ASSERT_LE(Number(d.distance.lo) * Number(d.distance.lo), truth.least2) << "trial " << trial;
    ASSERT_GE(Number(d.distance.hi) * Number(d.distance.hi), truth.least2) << "trial " << trial;
    ASSERT_LE(d.distance.hi - d.distance.lo, 2e-9 * size) << "seed 43 trial " << trial;
    if (d.touching) {
      ASSERT_EQ(truth.least2, 0);
    } else {
      ASSERT_NEAR((d.point_a - d.point_b).norm(), d.distance.hi, 1e-11 * size);
      const Number witness2 =
          truth.distance2[static_cast<size_t>(d.pair.a)][static_cast<size_t>(d.pair.b)];
      ASSERT_LE(witness2, Number(d.distance.hi) * Number(d.distance.hi));
    }
    // As rough as it may be: the bracket widens, and still holds the distance.
    for (const double rough : {0.2, 0.7, 2.0}) {
      options.width = rough * d.distance.hi;
      const DistanceResult wide = find_distance(*a, *b, X, options, workspace);
      ASSERT_LE(Number(wide.distance.lo) * Number(wide.distance.lo), truth.least2);
      ASSERT_GE(Number(wide.distance.hi) * Number(wide.distance.hi), truth.least2);
      ASSERT_LE(wide.distance.hi - wide.distance.lo, options.width + 1e-9 * size);
    }
    options.width = 1e-9 * size;
    // Bounded: beyond the bound, or the distance itself.
    for (const double factor : {0.5, 2.0}) {
      options.bound = factor * d.distance.lo;
      const DistanceResult bounded = find_distance(*a, *b, X, options, workspace);
      ASSERT_LE(Number(bounded.distance.lo) * Number(bounded.distance.lo), truth.least2);
      if (bounded.distance.hi < kInfinity) {
        ASSERT_GE(Number(bounded.distance.hi) * Number(bounded.distance.hi), truth.least2);
      }
      if (factor < 1.0 && d.distance.lo > 1e-6 * size) {
        ASSERT_EQ(bounded.pair, ElementPair{});
        ASSERT_EQ(bounded.distance.lo, options.bound);
        ASSERT_LE(bounded.stats.visited(), d.stats.visited());
      }
    }
  }
  std::printf("%d contacts, %d undecided, %d of 12 apart\n", contacts, undecided, apart);
  EXPECT_GT(contacts, 15);
  EXPECT_GT(undecided, 10);
  EXPECT_GT(apart, 2);
}

// Property: with a pose known to an error, claims hold for every pose within it.
TEST(GeometryPairsProperty, ClaimsHoldForEveryPoseInTheEnclosure) {
  constexpr std::uint64_t kSeed = 44;
  std::mt19937_64 rng(kSeed);
  PairWorkspace workspace;
  ContactResult r;
  int claims = 0, undecided = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const TriangleMesh mesh_a = random_soup(rng, 14, 1.0, false);
    const TriangleMesh mesh_b = random_soup(rng, 14, 1.0, false);
    const auto a = Geometry::make_mesh(mesh_a), b = Geometry::make_mesh(mesh_b);
    Pose pose;
    for (int k = 0; k < 4; ++k) pose.xyzw[k] = 1.0 + static_cast<int>(rng() % 8);
    RigidEnclosure X = pose.enclosure();
    X.position_error = trial % 2 == 0 ? 0.0625 : 0.001;
    find_contacts(*a, *b, X, {}, workspace, r);
    const DistanceResult d = find_distance(*a, *b, X, {}, workspace);
    claims += static_cast<int>(r.contacts.size());
    undecided += static_cast<int>(r.undecided.size());
    std::set<std::pair<int, int>> found;
    for (const auto* list : {&r.contacts, &r.undecided}) {
      for (const ElementPair& p : *list) found.insert({p.a, p.b});
    }
    for (int k = 0; k < 6; ++k) {
      Pose moved = pose;
      moved.p += X.position_error * (k < 3 ? 1.0 : -1.0) * Vector3d::Unit(k % 3);
      const Truth truth = brute_force(mesh_a, mesh_b, moved);
      for (const ElementPair& p : r.contacts) {
        ASSERT_EQ(truth.distance2[static_cast<size_t>(p.a)][static_cast<size_t>(p.b)], 0)
            << "seed 44 trial " << trial << " way " << k;
      }
      for (size_t i = 0; i < truth.distance2.size(); ++i) {
        for (size_t j = 0; j < truth.distance2[i].size(); ++j) {
          if (truth.distance2[i][j] != 0) continue;
          ASSERT_EQ(found.count({static_cast<int>(i), static_cast<int>(j)}), 1u)
              << "seed 44 trial " << trial << " way " << k;
        }
      }
      ASSERT_LE(Number(d.distance.lo) * Number(d.distance.lo), truth.least2);
      ASSERT_GE(Number(d.distance.hi) * Number(d.distance.hi), truth.least2);
    }
  }
  std::printf("%d contacts, %d undecided\n", claims, undecided);
  EXPECT_GT(claims, 1);
  EXPECT_GT(undecided, 3);
}

// Property: what is not a mesh, or is padded, pairs its elements too.
TEST(GeometryPairs, PairBoxesSpheresAndPaddedMeshes) {
  const auto row = Geometry::make_spheres({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0.25);
  const auto plates =
      Geometry::make_boxes({{{0, 0, 0.5}, {0.3, 0.3, 0.1}}, {{2, 0, 0.3}, {0.3, 0.3, 0.1}}});
  PairWorkspace workspace;
  ContactResult r;
  find_contacts(*row, *plates, RigidEnclosure::identity(), {}, workspace, r);
  ASSERT_EQ(r.contacts.size(), 1u);
  EXPECT_EQ(r.contacts[0], (ElementPair{2, 1}));
  EXPECT_TRUE(r.undecided.empty());
  find_contacts(*row, *plates, RigidEnclosure::identity(), {0.2}, workspace, r);
  EXPECT_EQ(r.contacts.size(), 2u);

  TriangleMesh one;
  one.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.triangles = {{0, 1, 2}};
  const auto thin = Geometry::make_mesh(one);
  const auto thick = Geometry::make_mesh(one, MeshFilling::kSurface, 0.25);
  const RigidEnclosure above = RigidEnclosure::translation({0, 0, 0.5});
  find_contacts(*thin, *thin, above, {}, workspace, r);
  EXPECT_EQ(r.verdict(), Verdict::kFree);
  find_contacts(*thin, *thick, above, {}, workspace, r);
  EXPECT_EQ(r.verdict(), Verdict::kFree);
  find_contacts(*thick, *thick, RigidEnclosure::translation({0, 0, 0.4375}), {}, workspace, r);
  EXPECT_EQ(r.verdict(), Verdict::kCollision);
  const DistanceResult d = find_distance(*thin, *thick, above, {}, workspace);
  EXPECT_NEAR(d.distance.lo, 0.25, 2e-9);
  EXPECT_NEAR(d.distance.hi, 0.25, 2e-9);
}

TEST(GeometryPairs, RefuseWhatMakesNoSense) {
  const auto ball = Geometry::make(Sphere{1.0});
  const auto floor = Geometry::make(HalfSpace{{0, 0, 1}, 0.0});
  PairWorkspace workspace;
  ContactResult r;
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const RigidEnclosure X;
  EXPECT_EQ(message([&] { find_contacts(*ball, *floor, X, {}, workspace, r); }),
            "geometry b is a half-space and has no elements to pair; put it into a scene and use "
            "check_state");
  EXPECT_EQ(message([&] { find_contacts(*ball, *ball, X, {-1.0}, workspace, r); }),
            "clearance is -1.000000; give a number >= 0");
  DistanceOptions options;
  options.width = std::nan("");
  EXPECT_EQ(message([&] { find_distance(*ball, *ball, X, options, workspace); }),
            "width is nan; give a number >= 0");
  find_contacts(*ball, *ball, X, {0.0, 0}, workspace, r);
  EXPECT_EQ(r.verdict(), Verdict::kUndecided);
}

}  // namespace
}  // namespace catena
