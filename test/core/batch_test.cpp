// Many configurations at once: verdicts of check_state, and never a false `free`.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catena/query/batch.hpp"
#include "soundness/chain_bridge.hpp"
#include "soundness/chain_worlds.hpp"
#include "soundness/robots.hpp"
#include "support/append_link.hpp"
#include "support/ball_chain.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::append_link;
using test::OnEachTarget;
using test::Rng;
using test::uniform;

std::vector<Verdict> verdicts_of(const CollisionWorld& world, const Eigen::MatrixXd& q,
                                 const QueryOptions& options, Workspace& workspace) {
  std::vector<Verdict> verdicts(static_cast<size_t>(q.cols()), Verdict::kUndecided);
  check_states(world, q, options, workspace, verdicts);
  return verdicts;
}

struct Counts {
  int free = 0, collision = 0, undecided = 0;
};

// The verdicts of check_state, from a workspace of its own.
void expect_alike(const CollisionWorld& world, const Eigen::MatrixXd& q,
                  const QueryOptions& options, Workspace& workspace, Counts& counts) {
  const std::vector<Verdict> verdicts = verdicts_of(world, q, options, workspace);
  Workspace other(world);
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    const Verdict expected = check_state(world, q.col(k), options, other).verdict;
    ++(expected == Verdict::kFree        ? counts.free
       : expected == Verdict::kCollision ? counts.collision
                                         : counts.undecided);
    if (expected == Verdict::kUndecided) continue;
    EXPECT_EQ(verdicts[size_t(k)], expected) << "column " << k << " of " << q.cols();
  }
}

std::shared_ptr<const CollisionWorld> make_world(const oracle::ChainWorld& world) {
  return std::make_shared<const CollisionWorld>(oracle::make_robots(world),
                                                oracle::make_scene(world.scene));
}

// Joints and shapes of every kind, several robots, scenes, allowed pairs.
TEST_P(OnEachTarget, BatchVerdictsAreThoseOfCheckState) {
  Counts counts;
  for (const std::uint64_t seed : {901u, 902u, 903u}) {
    Rng rng(seed);
    for (int trial = 0; trial < 60; ++trial) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", trial " + std::to_string(trial));
      const oracle::ChainWorld spec = oracle::random_chain_world(rng);
      const oracle::RobotSpec merged = spec.merged();
      const auto world = make_world(spec);
      Workspace workspace(*world);
      for (const double clearance : {0.0, 1e-3, 0.05}) {
        Eigen::MatrixXd q(world->robot().num_positions(), 21);
        const std::vector<double> home = oracle::home(merged);
        for (Eigen::Index k = 0; k < q.cols(); ++k) {
          const double share = std::array{0.02, 0.1, 0.5, 1.0}[rng() % 4];
          q.col(k) = oracle::positions(
              world->robot(), merged,
              oracle::blend(merged, home, oracle::random_configuration(merged, rng), share));
        }
        QueryOptions options;
        options.clearance = clearance;
        expect_alike(*world, q, options, workspace, counts);
      }
    }
  }
  EXPECT_GT(counts.free, 1500);
  EXPECT_GT(counts.collision, 1500);
}

// A planar chain of capsules (or, of no length, balls) along its links; the joints turn about z.
struct PlanarChain {
  int links;
  double length, core, radius;  // core: length of the capsules' segments, from the joint on
  double base = 0.0;            // the first joint's coordinates

  std::shared_ptr<const Robot> robot() const {
    RobotDescription d;
    d.name = "planar";
    d.links.push_back({"world", {}});
    PlacedGeometry part{Geometry::make(Sphere{radius}), RigidEnclosure::identity()};
    if (core > 0.0) {
      // Along x: a quarter turn about y whose entries are exact.
      RigidEnclosure X = RigidEnclosure::translation({core / 2, 0, 0});
      X.X.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
      part = {Geometry::make(Capsule{radius, core}), X};
    }
    for (int i = 0; i < links; ++i) {
      JointDescription& joint =
          append_link(d, "link_" + std::to_string(i), {part}, JointType::kContinuous);
      joint.origin =
          RigidEnclosure::translation(i == 0 ? Vector3d::Constant(base) : Vector3d(length, 0, 0));
      joint.axis = Vector3d::UnitZ();
    }
    return RobotBuilder::build(d);
  }

  using Real = long double;
  struct Point {
    Real x, y;
  };
  static Real distance(Point p, Point a, Point b) {
    const Real ux = b.x - a.x, uy = b.y - a.y, vx = p.x - a.x, vy = p.y - a.y;
    const Real squared = ux * ux + uy * uy;
    const Real t = squared > 0 ? std::clamp((ux * vx + uy * vy) / squared, Real(0), Real(1)) : 0;
    return std::hypot(vx - t * ux, vy - t * uy);
  }

  // Each one's ends are on different sides of the other's line.
  static bool cross(Point a, Point b, Point c, Point d) {
    const auto side = [](Point p, Point from, Point to) {
      return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x) > 0;
    };
    return side(a, c, d) != side(b, c, d) && side(c, a, b) != side(d, a, b);
  }

  /// The smallest gap of links that are no neighbours, metres: in closed form, in 80 bits.
  Real gap(const Eigen::VectorXd& q) const {
    std::vector<Point> from, to;
    Point at{0, 0};
    Real heading = 0;
    for (int i = 0; i < links; ++i) {
      heading += Real(q[i]);
      const Real c = std::cos(heading), s = std::sin(heading);
      from.push_back(at);
      to.push_back({at.x + Real(core) * c, at.y + Real(core) * s});
      at = {at.x + Real(length) * c, at.y + Real(length) * s};
    }
    Real least = std::numeric_limits<Real>::infinity();
    for (size_t i = 0; i < from.size(); ++i) {
      for (size_t k = i + 2; k < from.size(); ++k) {
        least = std::min({least, distance(from[i], from[k], to[k]), distance(to[i], from[k], to[k]),
                          distance(from[k], from[i], to[i]), distance(to[k], from[i], to[i])});
        if (cross(from[i], to[i], from[k], to[k])) least = 0;
      }
    }
    return least - 2 * Real(radius);
  }
};

// States on both sides of contact, down to gaps of rounding's size, by bisection between a free
// one and one in contact; some of them turned so that the nearest parts lie along an axis.
TEST_P(OnEachTarget, NearContactIsNeverFreeByMistake) {
  Rng rng(911);
  int touching = 0, close = 0, free = 0;
  for (const PlanarChain chain :
       {PlanarChain{6, 0.5, 0.0, 0.15}, PlanarChain{12, 0.5, 0.0, 0.2},
        PlanarChain{6, 0.5, 0.4, 0.05}, PlanarChain{40, 0.3, 0.2, 0.1},
        PlanarChain{5, 100.0, 80.0, 3.0}, PlanarChain{6, 0.5, 0.4, 0.05, 700.0}}) {
    const CollisionWorld world(chain.robot(), nullptr);
    Workspace workspace(world);
    for (int trial = 0; trial < 16; ++trial) {
      // A ring that closes onto itself as the joints turn farther.
      const int n = chain.links;
      Eigen::VectorXd shape(n);
      for (int i = 0; i < n; ++i) shape[i] = uniform(rng, 0.6, 1.0);
      shape *= 6.3 / shape.tail(n - 1).sum();
      const bool along_axis = trial % 2 == 0;
      const auto bent = [&](double share) {
        Eigen::VectorXd q = share * shape;
        if (along_axis) q[0] = -0.5 * (q.sum() - q[0]);
        return q;
      };
      double low = 0.1, high = 1.0;
      if (!(chain.gap(bent(low)) > 0) || !(chain.gap(bent(high)) < 0)) continue;
      std::vector<Eigen::VectorXd> states;
      for (int step = 0; step < 64 && low < high; ++step) {
        const double middle = 0.5 * (low + high);
        const Eigen::VectorXd q = bent(middle);
        const auto gap = chain.gap(q);
        if (std::abs(gap) < 1e-3L) {
          states.push_back(q);
          // And a little to either side.
          for (const double by : {1e-9, 1e-12, 1e-15, -1e-9, -1e-12, -1e-15}) {
            states.push_back(bent(middle * (1.0 + by)));
          }
        }
        if (middle == low || middle == high) break;
        (gap > 0 ? low : high) = middle;
      }
      Eigen::MatrixXd q(n, static_cast<Eigen::Index>(states.size()));
      for (Eigen::Index k = 0; k < q.cols(); ++k) q.col(k) = states[size_t(k)];
      const std::vector<Verdict> verdicts = verdicts_of(world, q, {}, workspace);
      for (Eigen::Index k = 0; k < q.cols(); ++k) {
        const long double gap = chain.gap(q.col(k));
        if (gap < -1e-17L * n * chain.length) {
          ++touching;
          ASSERT_NE(verdicts[size_t(k)], Verdict::kFree) << "gap " << double(gap);
        }
        if (std::abs(gap) < 1e-9L) ++close;
        if (gap > 1e-9L) {
          ++free;
          ASSERT_EQ(verdicts[size_t(k)], Verdict::kFree) << "gap " << double(gap);
        }
      }
    }
  }
  EXPECT_GT(touching, 3000);
  EXPECT_GT(close, 3000);
  EXPECT_GT(free, 1000);
}

// Straight chains in all directions, whose capsules meet end to end: there boxes (along the axes)
// and the line of centres tell gaps as well as floats can.
TEST_P(OnEachTarget, EndToEndContactIsNeverFreeByMistake) {
  Rng rng(915);
  int touching = 0, free = 0;
  for (const double base : {0.0, 3.0, 700.0}) {
    for (const double core : {0.0, 1.8, 1.998}) {
      for (double gap = 1e-3; gap > 1e-13; gap *= 0.3) {
        for (const double sign : {-1.0, 1.0}) {
          const PlanarChain chain{4, 1.0, core, (2.0 - core - sign * gap) / 2, base};
          if (!(chain.radius > 0.0)) continue;
          const CollisionWorld world(chain.robot(), nullptr);
          Workspace workspace(world);
          Eigen::MatrixXd q = Eigen::MatrixXd::Zero(4, 40);
          for (int k = 2; k < 40; ++k) q(0, k) = uniform(rng, -3.0, 3.0);
          q(0, 1) = 0x1.921fb54442d18p0;
          const std::vector<Verdict> verdicts = verdicts_of(world, q, {}, workspace);
          const long double exact = 2.0L - core - 2.0L * chain.radius;
          for (const Verdict verdict : verdicts) {
            if (exact < 0.0L) {
              ++touching;
              ASSERT_NE(verdict, Verdict::kFree) << "gap " << double(exact);
            }
            if (exact > 1e-9L) {
              ++free;
              ASSERT_EQ(verdict, Verdict::kFree) << "gap " << double(exact);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(touching, 4000);
  EXPECT_GT(free, 2000);
}

// A capsule that turns about its end, and whose tip points down at a triangle or a box.
TEST_P(OnEachTarget, ContactWithASceneIsNeverFreeByMistake) {
  Rng rng(917);
  int touching = 0, free = 0;
  TriangleMesh mesh;  // in the plane z = 0, wide
  mesh.vertices = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
  mesh.triangles = {{0, 1, 2}};
  for (const double base : {0.0, 3.0, 700.0}) {
    for (const bool box : {false, true}) {
      PlanarChain chain{1, 1.0, 1.0, 0.25, base};
      // It turns about z, so its tip is at y = base + sin(angle); the plane is y = base - 0.75.
      RigidEnclosure X = RigidEnclosure::translation({base, base - 0.75, base});
      X.X.R << 0, 1, 0, 0, 0, 1, 1, 0, 0;
      Scene scene;
      auto obstacle = Geometry::make_mesh(mesh, MeshFilling::kSurface);
      if (box) {
        obstacle = Geometry::make(Box{{8, 8, 2}});
        X.X.p.y() -= 1.0;
      }
      scene.objects.push_back({"obstacle", {{obstacle, X}}});
      const CollisionWorld world(chain.robot(), std::make_shared<const Scene>(scene));
      Workspace workspace(world);
      Eigen::MatrixXd q(1, 400);
      for (int k = 0; k < 400; ++k) {
        const double gap = std::pow(10.0, uniform(rng, -14, -2)) * (k % 2 == 0 ? 1 : -1);
        q(0, k) = -std::asin(0.5 - gap);
        if (k % 4 < 2) q(0, k) = -3.141592653589793 - q(0, k);
      }
      const std::vector<Verdict> verdicts = verdicts_of(world, q, {}, workspace);
      for (Eigen::Index k = 0; k < q.cols(); ++k) {
        const long double exact = 0.5L + std::sin(static_cast<long double>(q(0, k)));
        if (exact < -1e-17L) {
          ++touching;
          ASSERT_NE(verdicts[size_t(k)], Verdict::kFree) << "gap " << double(exact);
        }
        if (exact > 1e-9L) {
          ++free;
          ASSERT_EQ(verdicts[size_t(k)], Verdict::kFree) << "gap " << double(exact);
        }
      }
    }
  }
  EXPECT_GT(touching, 1000);
  EXPECT_GT(free, 600);
}

// A body across the surface of a solid, or far below it; one is outside.
TEST_P(OnEachTarget, WhatIsInsideOfAClosedMeshCollides) {
  RobotDescription d;
  d.name = "slider";
  d.links = {{"base", {}}};
  // Of several elements, which are held against an object once a lane.
  append_link(d, "body", {oracle::make_placed(oracle::mesh(oracle::box_mesh({1, 1, 1})))},
              JointType::kPrismatic);
  for (const bool solid : {true, false}) {
    const std::array<double, 3> size{20, 20, 20};
    oracle::SceneSpec scene;
    scene.objects.push_back(
        {"rock", {oracle::mesh(solid ? oracle::box_mesh(size) : oracle::open_box_mesh(size))}});
    const CollisionWorld world(RobotBuilder::build(d), oracle::make_scene(scene));
    Workspace workspace(world);
    Eigen::MatrixXd q = Eigen::MatrixXd::Constant(1, 40, 9.9);  // across a face
    q.rightCols(16).setConstant(1.5);
    q(0, 3) = 15.0;
    std::vector<Verdict> expected(40, Verdict::kCollision);
    expected[3] = Verdict::kFree;
    if (!solid) std::fill(expected.begin() + 24, expected.end(), Verdict::kFree);
    EXPECT_EQ(verdicts_of(world, q, {}, workspace), expected);
  }
}

// A box beyond the range of floats, turned so that its edges are no numbers, beside a small ball.
TEST_P(OnEachTarget, HugePartsAreNotLostInTheirNodes) {
  for (const bool first : {false, true}) {
    RobotDescription d;
    d.name = "slider";
    const PlacedGeometry ball{Geometry::make(Sphere{1.0}), RigidEnclosure::identity()};
    const PlacedGeometry box{Geometry::make(Box{Vector3d::Constant(1e45)}),
                             RigidEnclosure::from_rpy({first ? -1.0 : 1.0, 0, 0}, {0.5, 0.6, 0.7})};
    d.links = {{"base", {ball}}};
    append_link(d, "body", {ball, box}, JointType::kPrismatic);
    append_link(d, "other", {}, JointType::kPrismatic);
    Scene scene;
    scene.objects.push_back({"stone", {ball}});
    const CollisionWorld world(RobotBuilder::build(d), std::make_shared<const Scene>(scene));
    Workspace workspace(world);
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(2, 8);
    q.row(0).setConstant(100.0);
    for (const Verdict verdict : verdicts_of(world, q, {}, workspace)) {
      EXPECT_NE(verdict, Verdict::kFree);
    }
  }
}

// A value a little beyond its limit stands for the limit, at which there is contact.
TEST_P(OnEachTarget, ValuesAreClampedAsForOneState) {
  RobotDescription d;
  d.name = "hand";
  d.links = {{"base", {}}};
  JointDescription& joint = append_link(
      d, "hand", {{Geometry::make(Sphere{0.1}), RigidEnclosure::translation({1, 0, 0})}},
      JointType::kRevolute);
  joint.axis = Vector3d::UnitZ();
  joint.lower = -1.0;
  joint.upper = 0.0;
  // At the limit 0 the ball's lowest point is 3e-10 m deep; at +9e-10 it would be above.
  Scene scene;
  scene.objects.push_back(
      {"floor",
       {{Geometry::make(Box{{8, 2, 8}}), RigidEnclosure::translation({0, -1.1 + 3e-10, 0})}}});
  const CollisionWorld world(RobotBuilder::build(d), std::make_shared<const Scene>(scene));
  Workspace workspace(world);
  const Eigen::MatrixXd q = Eigen::MatrixXd::Constant(1, 8, 9e-10);
  EXPECT_EQ(verdicts_of(world, q, {}, workspace), std::vector<Verdict>(8, Verdict::kCollision));
}

// Around the number of lanes, and with room for neither more nor fewer verdicts.
TEST_P(OnEachTarget, AnyNumberOfConfigurationsIsABatch) {
  Rng rng(921);
  const std::vector<double> radii(20, 0.22);
  const CollisionWorld world(test::ball_chain(radii), nullptr);
  Workspace workspace(world);
  Counts counts;
  for (const Eigen::Index size : {0, 1, 2, 7, 8, 9, 15, 16, 17, 1000}) {
    const Eigen::MatrixXd q =
        Eigen::MatrixXd::NullaryExpr(19, size, [&] { return uniform(rng, -1.6, 1.6); });
    expect_alike(world, q, {}, workspace, counts);
    // Columns of a larger matrix, and room around the verdicts.
    Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(25, size + 2);
    larger.block(3, 1, 19, size) = q;
    std::vector<Verdict> room(static_cast<size_t>(size) + 2, Verdict::kUndecided);
    check_states(world, larger.block(3, 1, 19, size), {}, workspace,
                 std::span(room).subspan(1, static_cast<size_t>(size)));
    EXPECT_EQ(room.front(), Verdict::kUndecided);
    EXPECT_EQ(room.back(), Verdict::kUndecided);
    EXPECT_EQ(std::vector(room.begin() + 1, room.end() - 1), verdicts_of(world, q, {}, workspace));
  }
  EXPECT_GT(counts.free, 100);
  EXPECT_GT(counts.collision, 50);
}

// Sizes at which floats, or doubles, overflow or vanish in some of the lanes.
TEST_P(OnEachTarget, FarAndTinyConfigurationsAreNotLost) {
  Counts counts;
  for (const double scale : {1e-45, 1e-38, 1e-24, 1e-12, 1.0, 1e12, 1e24, 1e38, 1e45}) {
    RobotDescription d;
    d.name = "sliders";
    d.links.push_back({"base", {{Geometry::make(Sphere{scale}), {}}}});
    for (const char* name : {"a", "b"}) {
      append_link(d, name,
                  {{Geometry::make(Box{Vector3d::Constant(scale)}), {}},
                   {Geometry::make(Capsule{0.3 * scale, scale}), {}}},
                  JointType::kFloating)
          .parent = "base";
    }
    Scene scene;
    scene.allowed.allow("base", "a");
    scene.objects.push_back({"floor",
                             {{Geometry::make(HalfSpace{Vector3d(0.6, 0, 0.8), -9.0 * scale}),
                               RigidEnclosure::identity()}}});
    const CollisionWorld world(RobotBuilder::build(d), std::make_shared<const Scene>(scene));
    Workspace workspace(world);
    Rng rng(931);
    Eigen::MatrixXd q(14, 200);
    for (Eigen::Index k = 0; k < q.cols(); ++k) {
      const double far = k % 5 != 0 ? 1.0 : std::array{1e-3, 1e38, 1e60, 1e160, 1e290}[k / 5 % 5];
      for (int i = 0; i < 14; ++i) q(i, k) = uniform(rng, -4, 4) * std::min(scale * far, 1e300);
      for (const int i : {3, 10}) {
        q.col(k).segment<4>(i) = Eigen::Vector4d::NullaryExpr([&] { return uniform(rng, -1, 1); });
        q.col(k).segment<4>(i).normalize();
      }
    }
    expect_alike(world, q, {}, workspace, counts);
  }
  EXPECT_GT(counts.free, 200);
  EXPECT_GT(counts.collision, 200);
}

// Property: a triangle so small that its normal underflows is not lost. Closed form: it is a point.
TEST_P(OnEachTarget, ATriangleWithoutAMeasurableNormalIsNotLost) {
  RobotDescription d;
  d.name = "ball";
  d.links = {{"world", {}}};
  append_link(d, "ball", {{Geometry::make(Sphere{1.0}), {}}}, JointType::kPrismatic).axis =
      Vector3d::UnitZ();
  const auto robot = RobotBuilder::build(d);
  for (double edge = 1e-82; edge < 1e-79; edge *= 1.1) {
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {edge, 0, 0}, {0, edge, 0}};
    mesh.triangles = {{0, 1, 2}};
    Scene scene;
    scene.objects.push_back({"speck", {{Geometry::make_mesh(mesh, MeshFilling::kSurface), {}}}});
    const CollisionWorld world(robot, std::make_shared<const Scene>(scene));
    Eigen::MatrixXd q(1, 16);
    for (int k = 0; k < 16; ++k) q(0, k) = 0.1 + 0.11 * k;
    Workspace workspace(world);
    const std::vector<Verdict> verdicts = verdicts_of(world, q, {}, workspace);
    for (int k = 0; k < 16; ++k) {
      EXPECT_EQ(verdicts[static_cast<size_t>(k)],
                q(0, k) < 1.0 ? Verdict::kCollision : Verdict::kFree)
          << "edge " << edge << " at " << q(0, k);
    }
  }
}

// A budget leaves states undecided, and never more than check_state may decide.
TEST(Batch, ABudgetDecidesNothingWrongly) {
  Rng rng(941);
  const CollisionWorld world(test::ball_chain(std::vector<double>(60, 0.2)), nullptr);
  Workspace workspace(world);
  const Eigen::MatrixXd q =
      Eigen::MatrixXd::NullaryExpr(59, 64, [&] { return uniform(rng, -0.5, 0.5); });
  const std::vector<Verdict> truth = verdicts_of(world, q, {}, workspace);
  for (const std::uint64_t budget : {1u, 10u, 100u, 1000u}) {
    QueryOptions options;
    options.budget = budget;
    const std::vector<Verdict> verdicts = verdicts_of(world, q, options, workspace);
    for (size_t k = 0; k < truth.size(); ++k) {
      if (verdicts[k] != Verdict::kUndecided) {
        EXPECT_EQ(verdicts[k], truth[k]);
      }
    }
    if (budget == 1) {
      EXPECT_EQ(verdicts, std::vector<Verdict>(64, Verdict::kUndecided));
    }
  }
}

TEST(Batch, BadInputIsRefusedBeforeAnyVerdict) {
  RobotDescription d;
  d.name = "arm";
  d.links = {{"base", {}}};
  JointDescription& joint =
      append_link(d, "link", {{Geometry::make(Sphere{0.1}), {}}}, JointType::kRevolute);
  joint.name = "shoulder";
  joint.lower = -1.0;
  joint.upper = 1.0;
  const CollisionWorld world(RobotBuilder::build(d), nullptr),
      other(RobotBuilder::build(d), nullptr);
  Workspace workspace(world), foreign(other);
  std::vector<Verdict> verdicts(10, Verdict::kUndecided);
  const auto message = [&](const Eigen::MatrixXd& q, Workspace& ws, size_t count,
                           const QueryOptions& options = {}) -> std::string {
    try {
      check_states(world, q, options, ws, std::span(verdicts).first(count));
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(verdicts, std::vector<Verdict>(10, Verdict::kUndecided));
      return error.what();
    }
    return "";
  };
  const Eigen::MatrixXd good = Eigen::MatrixXd::Zero(1, 10);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, 1.1}) {
    Eigen::MatrixXd q = good;
    q(0, 9) = bad;
    const std::string text = message(q, workspace, 10);
    EXPECT_NE(text.find("column 9"), std::string::npos) << text;
    EXPECT_NE(text.find("shoulder"), std::string::npos) << text;
  }
  EXPECT_NE(message(good, workspace, 9).find("10 columns"), std::string::npos);
  EXPECT_NE(message(Eigen::MatrixXd::Zero(2, 10), workspace, 10).find("column 0"),
            std::string::npos);
  EXPECT_NE(message(good, foreign, 10).find("another world"), std::string::npos);
  QueryOptions options;
  options.clearance = -1.0;
  EXPECT_NE(message(good, workspace, 10, options).find("clearance"), std::string::npos);
  EXPECT_EQ(message(good, workspace, 10), "");
  EXPECT_EQ(verdicts, std::vector<Verdict>(10, Verdict::kFree));
}

INSTANTIATE_TEST_SUITE_P(Batch, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

}  // namespace
}  // namespace catena
