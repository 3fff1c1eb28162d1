#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "catena/geometry/geometry.hpp"
#include "catena/query/discrete.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using oracle::box_mesh;
using oracle::open_box_mesh;
using oracle::PlacedSpec;
using oracle::RobotSpec;
using oracle::SceneSpec;
using oracle::ShapeSpec;

using test::uniform;

TriangleMesh mesh_of(const ShapeSpec& shape) {
  TriangleMesh m;
  for (const auto& v : shape.vertices) m.vertices.emplace_back(v[0], v[1], v[2]);
  m.triangles = shape.triangles;
  return m;
}

ShapeSpec joined(const ShapeSpec& a, const ShapeSpec& b, std::array<double, 3> shift = {},
                 bool flip_b = false) {
  ShapeSpec out = a;
  const int base = static_cast<int>(a.vertices.size());
  for (auto v : b.vertices) {
    for (size_t k = 0; k < 3; ++k) v[k] += shift[k];
    out.vertices.push_back(v);
  }
  for (auto t : b.triangles) {
    if (flip_b) std::swap(t[1], t[2]);
    out.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
  }
  return out;
}

ShapeSpec scaled(ShapeSpec s, std::array<double, 3> factor, bool repair) {
  for (auto& v : s.vertices)
    for (size_t k = 0; k < 3; ++k) v[k] *= factor[k];
  if (repair && factor[0] * factor[1] * factor[2] < 0)
    for (auto& t : s.triangles) std::swap(t[1], t[2]);
  return s;
}

/// A robot that is one shape, free to float.
RobotSpec floater(PlacedSpec shape) {
  RobotSpec spec;
  spec.name = "floater";
  spec.links = {{"world", {}}, {"body", {std::move(shape)}}};
  oracle::JointSpec j;
  j.name = "float";
  j.kind = oracle::JointKind::kFloating;
  j.parent = "world";
  j.child = "body";
  spec.joints = {j};
  return spec;
}

StateResult state_at(const RobotSpec& spec, const SceneSpec& scene, std::vector<double> q,
                     bool distances = false) {
  const auto robot = oracle::make_robot(spec);
  const CollisionWorld world(robot, oracle::make_scene(scene));
  Workspace workspace(world);
  QueryOptions options;
  options.distances = distances;
  return check_state(world, oracle::positions(*robot, spec, q), options, workspace);
}

Verdict verdict_at(const PlacedSpec& body, const PlacedSpec& obstacle, std::array<double, 3> p,
                   std::array<double, 4> xyzw = {0, 0, 0, 1}) {
  SceneSpec scene;
  scene.objects.push_back({"obstacle", {obstacle}});
  return state_at(floater(body), scene, {p[0], p[1], p[2], xyzw[0], xyzw[1], xyzw[2], xyzw[3]})
      .verdict;
}

TEST(MeshIsClosed, TellsSolidsFromSurfaces) {
  const ShapeSpec cube = box_mesh({1, 1, 1});
  EXPECT_TRUE(is_closed(mesh_of(cube)));
  EXPECT_FALSE(is_closed(mesh_of(open_box_mesh({1, 1, 1}))));
  EXPECT_TRUE(is_closed(mesh_of(oracle::tetrahedron_mesh(1))));

  ShapeSpec missing = cube;
  missing.triangles.pop_back();
  EXPECT_FALSE(is_closed(mesh_of(missing)));

  ShapeSpec flipped = cube;  // one triangle the other way round
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  EXPECT_FALSE(is_closed(mesh_of(flipped)));

  ShapeSpec doubled = cube;  // one triangle twice
  doubled.triangles.push_back(doubled.triangles.front());
  EXPECT_FALSE(is_closed(mesh_of(doubled)));

  EXPECT_TRUE(is_closed(mesh_of(joined(cube, cube, {3, 0, 0}))));
  EXPECT_TRUE(is_closed(mesh_of(joined(box_mesh({3, 3, 3}), cube, {}, true))));
  EXPECT_FALSE(is_closed(mesh_of(joined(cube, open_box_mesh({1, 1, 1}), {3, 0, 0}))));
}

// Vertices are welded where bit-equal: a cube of twelve triangles that share no vertex.
TEST(MeshIsClosed, WeldsEqualVertices) {
  const ShapeSpec cube = box_mesh({1, 2, 3});
  TriangleMesh soup;
  for (const auto& t : cube.triangles) {
    const int base = static_cast<int>(soup.vertices.size());
    for (const int v : t) {
      const auto& p = cube.vertices[static_cast<size_t>(v)];
      soup.vertices.emplace_back(p[0], p[1], p[2]);
    }
    soup.triangles.push_back({base, base + 1, base + 2});
  }
  EXPECT_TRUE(is_closed(soup));
  soup.vertices[5].x() = std::nextafter(soup.vertices[5].x(), 10.0);
  EXPECT_FALSE(is_closed(soup));
  // Zero is zero, whatever its sign.
  TriangleMesh tetra;
  tetra.vertices = {{0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-0.0, -0.0, 0}};
  tetra.triangles = {{0, 2, 1}, {4, 1, 3}, {4, 3, 2}, {1, 2, 3}};
  EXPECT_TRUE(is_closed(tetra));
}

// Dirt that means nothing: triangles without area on the surface, unused and duplicate vertices.
TEST(MeshIsClosed, DoesNotMindTrianglesWithoutArea) {
  ShapeSpec dirty = box_mesh({0.2, 0.2, 0.2});
  const int n = static_cast<int>(dirty.vertices.size());
  dirty.vertices.push_back({1000, 1000, 1000});      // unused
  dirty.vertices.push_back(dirty.vertices.front());  // duplicate
  dirty.vertices.push_back({0.0, 0.1, 0.1});         // the middle of an edge
  dirty.triangles.push_back({0, 0, 0});
  dirty.triangles.push_back({0, 1, 1});
  dirty.triangles.push_back({6, n + 2, 7});
  dirty.triangles.push_back({0, n + 1, 3});
  EXPECT_TRUE(is_closed(mesh_of(dirty)));
  // And the verdicts are those of the clean cube.
  dirty.solid = true;
  const PlacedSpec ball = oracle::sphere(0.05);
  for (const double x : {0.0, 0.05, 0.149, 0.151, 0.5}) {
    const Verdict clean =
        verdict_at(ball, oracle::mesh(box_mesh({0.2, 0.2, 0.2})), {x, 0.01, 0.02});
    EXPECT_EQ(verdict_at(ball, oracle::mesh(dirty), {x, 0.01, 0.02}), clean) << x;
    EXPECT_EQ(clean, x < 0.15 ? Verdict::kCollision : Verdict::kFree) << x;
  }
  SceneSpec scene;
  scene.objects.push_back({"cube", {oracle::mesh(dirty)}});
  const StateResult r = state_at(floater(ball), scene, {0.45, 0, 0, 0, 0, 0, 1}, true);
  ASSERT_TRUE(r.distance.has_value());
  EXPECT_LE(r.distance->lo, 0.3);
  EXPECT_GE(r.distance->hi, 0.3);
}

TEST(MeshComponents, AreConnectedThroughVertices) {
  const ShapeSpec cube = box_mesh({1, 1, 1});
  const auto count = [](const ShapeSpec& s) {
    const auto c = connected_components(mesh_of(s));
    return 1 + *std::max_element(c.begin(), c.end());
  };
  EXPECT_EQ(count(cube), 1);
  EXPECT_EQ(count(joined(cube, cube, {3, 0, 0})), 2);
  EXPECT_EQ(count(joined(cube, cube, {1, 1, 1})), 1);  // they share a corner
  EXPECT_EQ(
      Geometry::make_mesh(mesh_of(joined(cube, cube, {3, 0, 0})))->component_elements().size(), 2u);
}

// A solid occupies its inside, whoever is inside whom; a bin does not; a cavity is not inside.
TEST(MeshInside, IsOccupiedForSolidsOnly) {
  const PlacedSpec big = oracle::mesh(box_mesh({1, 1, 1}));
  const PlacedSpec bin = oracle::mesh(open_box_mesh({1, 1, 1}));
  const PlacedSpec small = oracle::mesh(box_mesh({0.1, 0.1, 0.1}));
  const std::array<double, 4> turned{0.3, -0.2, 0.1, std::sqrt(1 - 0.14)};
  const std::array<double, 3> at{0.03, -0.02, 0.05};
  const PlacedSpec bodies[] = {oracle::sphere(0.05),
                               oracle::capsule(0.02, 0.1),
                               oracle::box({0.1, 0.1, 0.1}),
                               oracle::cylinder(0.05, 0.1),
                               oracle::cone(0.05, 0.1),
                               small,
                               oracle::mesh(open_box_mesh({0.1, 0.1, 0.1})),
                               oracle::sphere(0.0)};
  for (const PlacedSpec& body : bodies) {
    EXPECT_EQ(verdict_at(body, big, at, turned), Verdict::kCollision);
    EXPECT_EQ(verdict_at(big, body, {-0.03, 0.02, -0.05}, turned), Verdict::kCollision);
    EXPECT_EQ(verdict_at(body, bin, at, turned), Verdict::kFree);
    EXPECT_EQ(verdict_at(bin, body, at, turned), Verdict::kFree);
    EXPECT_EQ(verdict_at(body, big, {2, 0, 0}, turned), Verdict::kFree);
  }
}

TEST(MeshInside, ACavityIsFree) {
  // An inward shell inside an outward shell.
  ShapeSpec hollow = joined(box_mesh({1, 1, 1}), box_mesh({0.6, 0.6, 0.6}), {}, true);
  const PlacedSpec shell = oracle::mesh(hollow);
  const PlacedSpec body = oracle::mesh(box_mesh({0.1, 0.1, 0.1}));
  EXPECT_EQ(verdict_at(body, shell, {0.05, 0, 0}), Verdict::kFree);         // in the cavity
  EXPECT_EQ(verdict_at(body, shell, {0.4, 0.01, 0}), Verdict::kCollision);  // in the wall
  EXPECT_EQ(verdict_at(body, shell, {0.3, 0.01, 0}), Verdict::kCollision);  // across
  EXPECT_EQ(verdict_at(body, shell, {0.7, 0.01, 0}), Verdict::kFree);
  EXPECT_EQ(verdict_at(shell, body, {0.05, 0, 0}), Verdict::kFree);
  // An outward shell inside an outward shell: winding number two, still inside.
  ShapeSpec nested = joined(box_mesh({1, 1, 1}), box_mesh({0.6, 0.6, 0.6}));
  EXPECT_EQ(verdict_at(body, oracle::mesh(nested), {0.05, 0, 0}), Verdict::kCollision);
  // A solid that is all inward: winding number minus one, inside too.
  ShapeSpec inward = box_mesh({1, 1, 1});
  for (auto& t : inward.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(verdict_at(body, oracle::mesh(inward), {0.05, 0, 0}), Verdict::kCollision);
  // A robot whose second piece alone is inside.
  ShapeSpec two = joined(box_mesh({0.1, 0.1, 0.1}), box_mesh({0.1, 0.1, 0.1}), {3, 0, 0});
  EXPECT_EQ(verdict_at(oracle::mesh(two), oracle::mesh(box_mesh({1, 1, 1})), {-3, 0, 0}),
            Verdict::kCollision);
}

TEST(MeshInside, SolidsInTheSamePlaceOverlap) {
  // A bent beam: its bounding centre is not inside it.
  const ShapeSpec bent = joined(box_mesh({3, 0.2, 0.3}), box_mesh({0.2, 3, 0.3}), {1.4, 1.4, 0});
  const ShapeSpec hollow = joined(box_mesh({1, 1, 1}), box_mesh({0.6, 0.6, 0.6}), {}, true);
  ShapeSpec inward = box_mesh({1, 2, 0.01});
  for (auto& t : inward.triangles) std::swap(t[1], t[2]);
  const std::array<double, 4> turned{0.3, -0.2, 0.1, std::sqrt(1 - 0.14)};
  for (const ShapeSpec& shape : {box_mesh({1, 1, 1}), bent, hollow, inward}) {
    const PlacedSpec solid = oracle::mesh(shape);
    EXPECT_EQ(verdict_at(solid, solid, {0, 0, 0}), Verdict::kCollision);
    PlacedSpec placed = solid;
    placed.pose = {{0.1, 0.2, 0.3}, {0, 0, 0}};
    EXPECT_EQ(verdict_at(solid, placed, {0.1, 0.2, 0.3}), Verdict::kCollision);
    EXPECT_EQ(verdict_at(placed, solid, {-0.1, -0.2, -0.3}), Verdict::kCollision);
    EXPECT_NE(verdict_at(solid, solid, {0, 0, 0}, turned), Verdict::kFree);
  }
  // Flush in a cavity that fits exactly: the surfaces touch everywhere, the insides nowhere.
  const PlacedSpec shell = oracle::mesh(hollow), core = oracle::mesh(box_mesh({0.6, 0.6, 0.6}));
  EXPECT_NE(verdict_at(core, shell, {0, 0, 0}), Verdict::kFree);
}

TEST(MeshInside, MirroredScaleKeepsTheSolid) {
  const PlacedSpec ball = oracle::sphere(0.05);
  for (const bool repair : {false, true}) {
    ShapeSpec mirrored = scaled(box_mesh({1, 1, 1}), {-1, 2, 0.5}, repair);
    EXPECT_TRUE(is_closed(mesh_of(mirrored)));
    EXPECT_EQ(verdict_at(ball, oracle::mesh(mirrored), {0.1, 0.5, 0.05}), Verdict::kCollision);
    EXPECT_EQ(verdict_at(ball, oracle::mesh(mirrored), {0.1, 0.5, 0.4}), Verdict::kFree);
  }
}

TEST(MeshFilling, CanBeOverridden) {
  const PlacedSpec ball = oracle::sphere(0.05);
  const auto verdict = [&](MeshFilling filling) {
    auto scene = std::make_shared<Scene>();
    scene->objects.push_back({"box",
                              {{Geometry::make_mesh(mesh_of(box_mesh({1, 1, 1})), filling),
                                RigidEnclosure::identity()}}});
    const RobotSpec spec = floater(ball);
    const auto robot = oracle::make_robot(spec);
    const CollisionWorld world(robot, scene);
    Workspace workspace(world);
    return check_state(world, oracle::positions(*robot, spec, {0.1, 0, 0, 0, 0, 0, 1}), {},
                       workspace)
        .verdict;
  };
  EXPECT_EQ(verdict(MeshFilling::kDetect), Verdict::kCollision);
  EXPECT_EQ(verdict(MeshFilling::kSolid), Verdict::kCollision);
  EXPECT_EQ(verdict(MeshFilling::kSurface), Verdict::kFree);
  EXPECT_THROW(Geometry::make_mesh(mesh_of(open_box_mesh({1, 1, 1})), MeshFilling::kSolid),
               std::invalid_argument);
}

/// A bumpy closed surface: an icosphere-like grid of rings, its radius uneven; not convex.
ShapeSpec bumpy(std::mt19937_64& rng, int rings, int around, double radius, double bump) {
  ShapeSpec s;
  s.kind = ShapeSpec::Kind::kMesh;
  s.solid = true;
  const double pi = std::acos(-1.0);
  s.vertices.push_back({0, 0, radius});
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < around; ++j) {
      const double r = radius * (1 + uniform(rng, -bump, bump));
      const double a = pi * i / rings, b = 2 * pi * j / around;
      s.vertices.push_back(
          {r * std::sin(a) * std::cos(b), r * std::sin(a) * std::sin(b), r * std::cos(a)});
    }
  }
  s.vertices.push_back({0, 0, -radius});
  const int last = static_cast<int>(s.vertices.size()) - 1;
  const auto at = [&](int i, int j) { return 1 + (i - 1) * around + j % around; };
  for (int j = 0; j < around; ++j) {
    s.triangles.push_back({0, at(1, j), at(1, j + 1)});
    s.triangles.push_back({last, at(rings - 1, j + 1), at(rings - 1, j)});
    for (int i = 1; i + 1 < rings; ++i) {
      s.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      s.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return s;
}

// Property: points, balls and meshes against uneven solids agree with solid angles and brute force.
TEST(MeshProperty, VerdictsAgreeWithSolidAnglesAndBruteForce) {
  constexpr std::uint64_t kSeed = 41;
  std::mt19937_64 rng(kSeed);
  int undecided = 0, inside = 0, total = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const double scale = std::pow(10.0, uniform(rng, -3, 3));
    ShapeSpec solid = bumpy(rng, 4 + trial % 5, 5 + trial, scale, 0.4);
    if (trial % 4 == 3) solid = joined(solid, bumpy(rng, 4, 5, 0.3 * scale, 0.1), {}, true);
    SceneSpec scene;
    scene.objects.push_back({"solid", {oracle::mesh(solid)}});
    const PlacedSpec body = trial % 3 == 0   ? oracle::sphere(0.0)
                            : trial % 3 == 1 ? oracle::sphere(0.05 * scale)
                                             : oracle::mesh(bumpy(rng, 3, 4, 0.1 * scale, 0.3));
    const RobotSpec spec = floater(body);
    const auto robot = oracle::make_robot(spec);
    const CollisionWorld world(robot, oracle::make_scene(scene));
    Workspace workspace(world);
    oracle::EdgeOracle truth(spec, scene);
    for (int k = 0; k < 40; ++k) {
      std::vector<double> q;
      for (int i = 0; i < 3; ++i) q.push_back(scale * uniform(rng, -1.2, 1.2));
      if (k == 0) q = {0, 0, 0};
      if (k < 8) q[1] = 0;  // over vertices and edges seen from the middle
      q.insert(q.end(), {0, 0, 0, 1});
      truth.set_motion(q, q);
      const oracle::Gap g = truth.smallest_gap_at(0);
      const StateResult r = check_state(world, oracle::positions(*robot, spec, q), {}, workspace);
      const std::string where =
          "seed 41 trial " + std::to_string(trial) + " point " + std::to_string(k);
      ++total;
      if (r.verdict == Verdict::kUndecided) ++undecided;
      if (g.hi <= 0) ++inside;
      if (r.verdict == Verdict::kFree) {
        EXPECT_GT(g.hi, 0) << where;
      }
      if (r.verdict == Verdict::kCollision) {
        EXPECT_LE(g.lo, 0) << where;
      }
    }
  }
  EXPECT_EQ(undecided, 0) << "of " << total;
  EXPECT_GT(inside, total / 10);
  EXPECT_LT(inside, total * 9 / 10);
}

// Where a ray from the point hits edges and corners exactly, the answer must not be wrong.
TEST(MeshInside, HoldsWhereRaysMeetEdgesAndCorners) {
  const PlacedSpec cube = oracle::mesh(box_mesh({2, 2, 2}));
  for (const double x : {-0.5, 0.0, 0.5})
    for (const double y : {-0.5, 0.0, 0.5})
      for (const double z : {-0.5, 0.0, 0.5}) {
        EXPECT_EQ(verdict_at(oracle::sphere(0.0), cube, {x, y, z}), Verdict::kCollision);
        EXPECT_EQ(verdict_at(oracle::sphere(0.0), cube, {x, y, z + 2}), Verdict::kFree);
        EXPECT_EQ(verdict_at(oracle::sphere(0.0), cube, {x + 1.5 + 2e-7, y, z}), Verdict::kFree);
      }
  // On the surface: never free.
  for (const double y : {-0.5, 0.0, 1.0})
    EXPECT_NE(verdict_at(oracle::sphere(0.0), cube, {1.0, y, 0.25}), Verdict::kFree);
}

}  // namespace
}  // namespace catena
