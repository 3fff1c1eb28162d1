// A configuration that changes a few joints at a time answers as one that is checked anew.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "catena/geometry/pair_distance.hpp"
#include "catena/model/motion.hpp"
#include "catena/query/chain_state.hpp"
#include "catena/query/continuous.hpp"
#include "query/chain_state_probe.hpp"
#include "soundness/chain_worlds.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/kinematics.hpp"
#include "soundness/robots.hpp"
#include "support/append_link.hpp"
#include "support/ball_chain.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::OnEachTarget;
using test::Rng;
using test::uniform;

// The oracle: every pair of elements of every pair of geometries, no tree and no order. Knows
// nothing of insides, so scenes for it have no closed meshes.
Interval smallest_gap(const CollisionWorld& world, const Eigen::VectorXd& q) {
  const Robot& robot = world.robot();
  std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
  link_poses(robot, q, X_WL);
  Interval least{kInfinity, kInfinity};
  const auto geometries = world.geometries();
  for (size_t i = 0; i < geometries.size(); ++i) {
    for (size_t k = i + 1; k < geometries.size(); ++k) {
      if (!world.checks(geometries[i].body, geometries[k].body)) continue;
      const RigidEnclosure X =
          (X_WL[size_t(geometries[i].link.value)] * geometries[i].X_LG).inverse() *
          (X_WL[size_t(geometries[k].link.value)] * geometries[k].X_LG);
      const Geometry& a = *geometries[i].geometry;
      const Geometry& b = *geometries[k].geometry;
      for (int ea = 0; ea < a.num_elements(); ++ea) {
        for (int eb = 0; eb < b.num_elements(); ++eb) {
          const PairDistance d = pair_distance(a.element(ea), b.element(eb), X, false);
          least.lo = std::min(least.lo, d.distance.lo);
          least.hi = std::min(least.hi, d.overlap ? 0.0 : d.distance.hi);
        }
      }
    }
  }
  return least;
}

std::shared_ptr<const Scene> open_scene(double reach, Rng& rng) {
  oracle::SceneSpec spec = oracle::random_scene(reach, rng);
  auto scene = std::make_shared<Scene>(*oracle::make_scene(spec));
  for (SceneObject& object : scene->objects) {
    for (PlacedGeometry& placed : object.geometries) {
      if (placed.geometry->kind() != Geometry::Kind::kMesh) continue;
      placed.geometry = Geometry::make_mesh(placed.geometry->mesh(), MeshFilling::kSurface,
                                            placed.geometry->radius());
    }
  }
  return scene;
}

// Property: after any sequence of set, check, commit and rollback the answer is that of the oracle,
// and the values are those last set or committed.
TEST_P(OnEachTarget, ChainStateAnswersAsTheOracleAfterAnySequence) {
  Rng rng(81);
  int free = 0, collisions = 0;
  std::uint64_t by_grid = 0;
  for (const std::string& name : oracle::robot_names()) {
    const oracle::RobotSpec spec = oracle::make_robot_spec(name);
    const auto robot = oracle::make_robot(spec);
    for (int trial = 0; trial < 20; ++trial) {
      const auto scene = trial % 3 == 0 ? std::make_shared<const Scene>()
                                        : open_scene(oracle::reach_of(name), rng);
      const auto world = std::make_shared<const CollisionWorld>(robot, scene);
      ChainState state(world);
      if (trial % 2 == 1) internal::ChainStateProbe::use_only_grid(state);
      Eigen::VectorXd now = state.positions(), committed = now;
      for (int step = 0; step < 60; ++step) {
        const int what = std::uniform_int_distribution<int>(0, 9)(rng);
        if (what < 6) {
          std::vector<ChainState::Change> changes;
          const double few = what < 3 ? 0.6 : 0.9;  // mostly one of them
          for (const LinkIndex i : robot->active_joints()) {
            const Joint& joint = robot->joint(i);
            if (num_values(joint.type) != 1 || uniform(rng, 0, 1) < few) continue;
            const double span = uniform(rng, 0, 1) < 0.5 ? 0.05 : 1.0;
            const double value =
                std::clamp(now[joint.q_index] + uniform(rng, -span, span),
                           std::max(joint.lower, -3.0), std::min(joint.upper, 3.0));
            changes.push_back({i, value});
            now[joint.q_index] = value;
          }
          state.set(changes);
        } else if (what == 6) {
          now = oracle::positions(*robot, spec, oracle::random_configuration(spec, rng));
          state.set(now);
        } else if (what == 7) {
          state.commit();
          committed = now;
        } else if (what == 8) {
          state.rollback();
          now = committed;
        }
        ASSERT_EQ(state.positions(), now) << name << " seed 81 trial " << trial << " step " << step;
        if (what == 9 || step % 2 == 0) {
          const double clearance = uniform(rng, 0, 1) < 0.3 ? 0.02 : 0.0;
          QueryOptions options;
          options.clearance = clearance;
          const ChainState::Result result = state.check(options);
          const Interval gap = smallest_gap(*world, now);
          if (gap.lo > clearance + 1e-9) {
            EXPECT_EQ(result.verdict, Verdict::kFree)
                << name << " seed 81 trial " << trial << " step " << step << " gap " << gap.lo;
            ++free;
          } else if (gap.hi <= clearance - 1e-9 || (gap.hi <= 0.0 && clearance > 0.0)) {
            EXPECT_EQ(result.verdict, Verdict::kCollision)
                << name << " seed 81 trial " << trial << " step " << step;
            ++collisions;
          }
        }
      }
      by_grid += internal::ChainStateProbe::grid_answers(state);
    }
  }
  EXPECT_GT(free, 300);
  EXPECT_GT(collisions, 200);
  EXPECT_GT(by_grid, 500U);
}

using Real = long double;

// Balls whose hull is the shape, or lies within it.
std::vector<std::pair<oracle::Vec<Real>, Real>> balls_of(const oracle::PlacedSpec& placed) {
  using Kind = oracle::ShapeSpec::Kind;
  const oracle::ShapeSpec& shape = placed.shape;
  const auto& size = shape.size;
  std::vector<std::pair<oracle::Vec<Real>, Real>> balls;
  const auto add = [&](Real x, Real y, Real z, Real radius) {
    const oracle::Pose<Real> X{oracle::rotation_rpy<Real>(placed.pose.rpy),
                               oracle::vec<Real>(placed.pose.xyz)};
    balls.emplace_back(X * oracle::Vec<Real>{x, y, z}, radius);
  };
  switch (shape.kind) {
    case Kind::kSphere:
      add(0, 0, 0, size[0]);
      break;
    case Kind::kBox:
      for (int k = 0; k < 8; ++k) {
        const auto side = [&](int i) {
          return ((k >> i & 1) != 0 ? 0.5L : -0.5L) * size[size_t(i)];
        };
        add(side(0), side(1), side(2), 0);
      }
      break;
    case Kind::kMesh:
      for (const auto& v : shape.vertices) add(v[0], v[1], v[2], 0);
      break;
    case Kind::kHalfSpace:
      break;
    default:  // along z
      for (const Real z : {-0.5L * size[1], 0.5L * size[1]}) {
        if (shape.kind == Kind::kCapsule) {
          add(0, 0, z, size[0]);
        } else if (shape.kind == Kind::kCone && z > 0) {
          add(0, 0, z, 0);
        } else {
          for (int k = 0; k < 16; ++k) {
            const Real angle = k * std::numbers::pi_v<Real> / 8;
            add(size[0] * std::cos(angle), size[0] * std::sin(angle), z, 0);
          }
        }
      }
  }
  return balls;
}

oracle::Vec<Real> vec(internal::FloatLanes v) { return {v[0], v[1], v[2]}; }
std::array<Real, 3> sides(const oracle::Vec<Real>& v) { return {v.x, v.y, v.z}; }

// The boxes of a state, and where its parts and the boxes' frames are: by the kinematics of `spec`
// in 80 bits.
class Fit {
 public:
  Fit(ChainState& state, const oracle::RobotSpec& spec)
      : tree_(state.world().chain_tree()), boxes_(internal::ChainStateProbe::boxes(state)) {
    const CollisionWorld& world = state.world();
    oracle::Kinematics<Real> kinematics(spec);
    const std::vector<double> q = oracle::values(world.robot(), spec, state.positions());
    kinematics.set_motion(q, q);
    std::vector<oracle::Pose<Real>> X_WL;
    kinematics.poses(0, X_WL);

    balls_.resize(tree_.parts().size());
    for (size_t part = 0; part < balls_.size(); ++part) {
      const auto& body = world.body(world.geometries()[part].body);
      const auto link = size_t(kinematics.link(body.name));
      balls_[part] = balls_of(spec.links[link].collision[part - size_t(body.first_geometry)]);
      for (auto& [center, radius] : balls_[part]) center = X_WL[link] * center;
    }
    for (size_t n = 0; n < tree_.nodes().size(); ++n) {
      const LinkIndex anchor = tree_.nodes()[n].anchor;
      size_t link = 0;
      for (const oracle::JointSpec& joint : spec.joints) {
        if (anchor.value > 0 && joint.name == world.robot().joint(anchor).name) {
          link = size_t(kinematics.link(joint.child));
        }
      }
      const internal::NodeBox& box = boxes_.boxes[n];
      X_WO_.push_back(X_WL[link] *
                      oracle::Pose<Real>{{vec(box.x), vec(box.y), vec(box.z)}, vec(box.c)});
    }
  }

  // Every node's box and ball contain all parts below the node.
  void expect_contained(const std::string& where) const {
    for (size_t n = 0; n < X_WO_.size(); ++n) {
      std::vector<int> open{static_cast<int>(n)};
      while (!boxes_.views[n].empty() && !open.empty()) {
        const ChainTree::Node& node = tree_.nodes()[size_t(open.back())];
        open.pop_back();
        if (node.left >= 0) open.insert(open.end(), {node.left, node.right});
        if (node.part >= 0) {
          ASSERT_NO_FATAL_FAILURE(expect_contained(n, node.part)) << where << " node " << n;
        }
      }
    }
  }

  // Every node's box is within the one along its axes around its children's boxes. Counts the faces
  // that are farther in than that one's by 1 % of their distance.
  void expect_no_looser(const std::string& where, int& tight_faces) const {
    for (size_t n = 0; n < X_WO_.size(); ++n) {
      const ChainTree::Node& node = tree_.nodes()[n];
      if (node.left < 0 || boxes_.views[size_t(node.left)].empty() ||
          boxes_.views[size_t(node.right)].empty()) {
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(expect_no_looser(n, tight_faces)) << where << " node " << n;
    }
  }

 private:
  void expect_contained(size_t n, int part) const {
    const internal::NodeView& view = boxes_.views[n];
    for (const auto& [center, radius] : balls_[size_t(part)]) {
      const oracle::Vec<Real> d = center - X_WO_[n].p;
      const Real off = Real(boxes_.boxes[n].turn_error) * norm(d) + 1e-12L;
      const auto along = sides(X_WO_[n].R.transposed_times(d));
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_LE(std::abs(along[i]) + radius, Real(view.half[i]) + off);
      }
      ASSERT_LE(norm(d) + radius, Real(view.radius) + 1e-12L);
    }
  }

  void expect_no_looser(size_t n, int& tight_faces) const {
    const ChainTree::Node& node = tree_.nodes()[n];
    std::array<Real, 3> lo, hi;
    lo.fill(kInfinity);
    hi.fill(-kInfinity);
    Real size = 0;
    for (const int child : {node.left, node.right}) {
      const oracle::Pose<Real>& X = X_WO_[size_t(child)];
      const auto center = sides(X_WO_[n].R.transposed_times(X.p - X_WO_[n].p));
      std::array<Real, 3> reach{};
      for (const auto& [axis, edge] :
           {std::pair(X.R.ex, 0), std::pair(X.R.ey, 1), std::pair(X.R.ez, 2)}) {
        const Real half = boxes_.views[size_t(child)].half[edge];
        const auto along = sides(X_WO_[n].R.transposed_times(axis));
        for (size_t i = 0; i < 3; ++i) reach[i] += std::abs(along[i]) * half;
        size += half;
      }
      size += norm(X.p - X_WO_[n].p);
      for (size_t i = 0; i < 3; ++i) {
        lo[i] = std::min(lo[i], center[i] - reach[i]);
        hi[i] = std::max(hi[i], center[i] + reach[i]);
      }
    }
    const Real slack = 1e-4L * (size + norm(vec(boxes_.boxes[n].c)));  // of floats and of fit_boxes
    for (size_t i = 0; i < 3; ++i) {
      const Real half = boxes_.views[n].half[i];
      ASSERT_LE(half, hi[i] + slack);
      ASSERT_GE(-half, lo[i] - slack);
      const Real much = 0.01L * (hi[i] - lo[i]);
      tight_faces += (hi[i] - half > much ? 1 : 0) + (-half - lo[i] > much ? 1 : 0);
    }
  }

  const ChainTree& tree_;
  const internal::ChainStateProbe::Boxes boxes_;
  std::vector<std::vector<std::pair<oracle::Vec<Real>, Real>>> balls_;  // of every part
  std::vector<oracle::Pose<Real>>
      X_WO_;  // of every node; what its axes are off by is counted later
};

// The boxes fit; returns how many of their faces are tight.
int expect_fit(ChainState& state, const oracle::RobotSpec& spec, const std::string& where) {
  const Fit fit(state, spec);
  int tight_faces = 0;
  fit.expect_contained(where);
  fit.expect_no_looser(where, tight_faces);
  return tight_faces;
}

// Property: whatever was set, checked, committed and taken back, the boxes contain the parts (trap:
// made from boxes below that are of other values), and are no looser than around the boxes below.
TEST_P(OnEachTarget, BoxesFitThePartsAfterAnySequence) {
  Rng rng(85);
  std::vector<oracle::RobotSpec> specs;
  for (const std::string& name : oracle::robot_names()) {
    specs.push_back(oracle::make_robot_spec(name));
  }
  for (const int links : {3, 8, 33, 65, 129}) {
    for (const bool serial : {false, true}) {
      specs.push_back(oracle::random_chain_world(rng, {links, /*simple=*/true, serial}).robots[0]);
    }
  }
  for (const oracle::RobotSpec& spec : specs) {
    const auto robot = oracle::make_robot(spec);
    ChainState state(std::make_shared<const CollisionWorld>(robot, nullptr));
    std::vector<double> now = oracle::values(*robot, spec, state.positions()), committed = now;
    for (int step = 0; step < 60; ++step) {
      const int what = std::uniform_int_distribution<int>(0, 9)(rng);
      if (what < 6) {
        const auto to = oracle::nearby_configuration(spec, now, what < 3 ? 0.02 : 0.5, rng);
        now = oracle::change_some(spec, now, to, what % 3 + 1, rng);
        state.set(oracle::positions(*robot, spec, now));
      } else if (what == 6) {
        now = oracle::random_configuration(spec, rng);
        state.set(oracle::positions(*robot, spec, now));
      } else if (what == 7) {
        state.commit();
        committed = now;
      } else if (what == 8) {
        state.rollback();
        now = committed;
      } else {
        state.check();
      }
      if (what < 8 && step % 3 != 0) continue;
      const std::string where = spec.name + " of " + std::to_string(spec.links.size()) +
                                " links, seed 85 step " + std::to_string(step);
      expect_fit(state, spec, where);
      if (HasFatalFailure()) return;
    }
    // All made anew.
    state.set(oracle::positions(*robot, spec, oracle::random_configuration(spec, rng)));
    const int tight_faces = expect_fit(state, spec, spec.name);
    if (HasFatalFailure()) return;
    // Else they are loose; with few links little is merged.
    if (spec.links.size() > 32) {
      EXPECT_GT(tight_faces, 2 * int(spec.links.size()));
    }
  }
}

// Property: a grid whose sides have been turned one by one, most of them back again, answers as a
// state that is looked at anew. Oracle: check_state by its tree, which keeps nothing.
TEST(ChainState, AGridFollowsTurnAfterTurn) {
  for (const std::uint64_t seed : {86, 87, 88}) {
    Rng rng(seed);
    std::vector<double> radii;
    for (int i = 0; i < 60; ++i) radii.push_back(uniform(rng, 0.1, 0.24));
    const auto world = std::make_shared<const CollisionWorld>(test::ball_chain(radii), nullptr);
    Workspace workspace(*world);
    ChainState state(world);
    internal::ChainStateProbe::use_only_grid(state);
    Eigen::VectorXd now = state.positions(), committed = now;
    ASSERT_EQ(state.check().verdict, Verdict::kFree);
    state.commit();
    int free = 0, collisions = 0;
    for (int step = 0; step < 6000; ++step) {
      // One joint, or two, for which the grid is not asked.
      for (int k = rng() % 5 == 0 ? 2 : 1; k > 0; --k) {
        const LinkIndex joint(1 + static_cast<int>(rng() % 59));
        double& value = now[joint.value - 1];
        value = std::clamp(value + uniform(rng, -0.8, 0.8), -2.5, 2.5);
        state.set(joint, value);
      }
      const Verdict verdict = state.check().verdict;
      ASSERT_EQ(verdict, check_state(*world, now, {}, workspace).verdict)
          << "seed " << seed << " step " << step;
      (verdict == Verdict::kFree ? free : collisions)++;
      if (verdict == Verdict::kFree && rng() % 3 != 0) {
        state.commit();
        committed = now;
      } else {
        state.rollback();
        now = committed;
      }
    }
    EXPECT_GT(internal::ChainStateProbe::grid_answers(state), 4000U);
    EXPECT_GT(free, 1000);
    EXPECT_GT(collisions, 400);
  }
}

// A chain of `n` links with a ball each, over a floor.
std::shared_ptr<const CollisionWorld> make_chain(int n, bool floor) {
  Scene scene;
  if (floor) {
    scene.objects.push_back(
        {"floor",
         {{Geometry::make(Box{{1000, 1000, 1}}), RigidEnclosure::translation({0, 0, -2})}}});
    scene.objects.push_back(
        {"wall", {{Geometry::make(HalfSpace{Vector3d::UnitY(), -3.0}), RigidEnclosure()}}});
  }
  const std::vector<double> radii(static_cast<std::size_t>(n), 0.1);
  return std::make_shared<const CollisionWorld>(test::ball_chain(radii),
                                                std::make_shared<const Scene>(scene));
}

// At the zero positions, proven free and committed.
ChainState make_proven(const std::shared_ptr<const CollisionWorld>& world) {
  ChainState state(world);
  EXPECT_EQ(state.check().verdict, Verdict::kFree);
  state.commit();
  return state;
}

// Trap: a contact is found and not taken back; then another joint moves, far from it.
TEST(ChainState, AContactThatIsNotTakenBackStaysOne) {
  ChainState state = make_proven(make_chain(64, false));
  // Three right angles in a row (about z, whatever lies between) close a square.
  const std::vector<ChainState::Change> square{{LinkIndex(10), M_PI / 2},
                                               {LinkIndex(12), M_PI / 2},
                                               {LinkIndex(14), M_PI / 2},
                                               {LinkIndex(16), M_PI / 2}};
  state.set(square);
  ASSERT_EQ(state.check().verdict, Verdict::kCollision);
  for (const int far : {40, 50, 60}) {
    state.set(LinkIndex(far), 0.3);
    EXPECT_EQ(state.check().verdict, Verdict::kCollision) << far;
  }
  state.commit();  // of something unproven
  state.set(LinkIndex(62), 0.2);
  EXPECT_EQ(state.check().verdict, Verdict::kCollision);
  state.rollback();
  EXPECT_EQ(state.check().verdict, Verdict::kCollision);
  state.set(LinkIndex(14), 0.0);
  EXPECT_EQ(state.check().verdict, Verdict::kFree);
}

// Property: what was proven with a small clearance is not taken for proven with a larger one.
TEST(ChainState, ALargerClearanceIsProvenAnew) {
  ChainState state = make_proven(make_chain(16, true));
  QueryOptions wide;
  wide.clearance = 1.45;  // the floor is 1.4 below the balls
  EXPECT_EQ(state.check(wide).verdict, Verdict::kCollision);
  state.set(LinkIndex(15), 0.1);
  EXPECT_EQ(state.check(wide).verdict, Verdict::kCollision);
  EXPECT_EQ(state.check().verdict, Verdict::kFree);
  EXPECT_EQ(state.check(wide).verdict, Verdict::kCollision);
}

TEST(ChainState, FindsTheSceneThatAMovedLinkMeets) {
  const auto world = make_chain(32, true);
  ChainState state = make_proven(world);
  state.set(LinkIndex(3), 0.3);  // about y: the rest of the chain dips through the floor
  ChainState::Result result = state.check();
  EXPECT_EQ(result.verdict, Verdict::kCollision);
  EXPECT_EQ(world->body(result.b).name, "floor");
  state.rollback();
  EXPECT_EQ(state.check().verdict, Verdict::kFree);
  state.set(LinkIndex(2), -0.4);  // about z: through the wall
  result = state.check();
  EXPECT_EQ(result.verdict, Verdict::kCollision);
  EXPECT_EQ(world->body(result.b).name, "wall");
  state.rollback();
  const StateResult measured = state.distance();
  ASSERT_TRUE(measured.distance);
  EXPECT_NEAR(measured.distance->lo, 0.8, 2e-5);  // of a ball and the next but one
}

TEST(ChainState, BadValuesThrowAndChangeNothing) {
  const auto world = make_chain(8, false);
  ChainState state(world);
  state.set(LinkIndex(2), 0.5);
  const Eigen::VectorXd before = state.positions();
  const std::vector<ChainState::Change> bad{{LinkIndex(3), 0.2}, {LinkIndex(4), std::nan("")}};
  EXPECT_THROW(state.set(bad), std::invalid_argument);
  EXPECT_EQ(state.positions(), before);
  std::vector<ChainState::Change> many(20, {LinkIndex(3), 0.2});  // as a whole configuration
  for (const ChainState::Change& last :
       {ChainState::Change{LinkIndex(4), std::nan("")}, {LinkIndex(99), 0.0}}) {
    many.push_back(last);
    EXPECT_THROW(state.set(many), std::invalid_argument);
    EXPECT_EQ(state.positions(), before);
    // However many there are, a later value of the same joint does not make it good.
    many.push_back({LinkIndex(4), 0.1});
    EXPECT_THROW(state.set(many), std::invalid_argument);
    many.resize(20);
  }
  EXPECT_THROW(state.set(LinkIndex(0), 0.1), std::invalid_argument);
  EXPECT_THROW(state.set(LinkIndex(99), 0.1), std::invalid_argument);
  EXPECT_THROW(state.set(LinkIndex(), 0.1), std::invalid_argument);
  EXPECT_THROW(state.set(Eigen::VectorXd::Zero(3)), std::invalid_argument);
  EXPECT_THROW(ChainState(nullptr), std::invalid_argument);
  EXPECT_EQ(state.positions(), before);
  // The transforms are those of the values as well: a fresh state agrees on where things are.
  ChainState fresh(world);
  fresh.set(before);
  EXPECT_EQ(state.check().verdict, fresh.check().verdict);
  EXPECT_NEAR(state.distance().distance->lo, fresh.distance().distance->lo, 1e-9);
}

// Property: a check after one joint has moved looks at a number of pairs that grows with the
// logarithm of the links, and none after nothing has.
TEST(ChainState, LooksAtFewPairsAfterOneJointHasMoved) {
  Rng rng(83);
  double visited[2] = {0, 0};
  for (const int k : {0, 1}) {
    const int n = k == 0 ? 256 : 4096;
    ChainState state = make_proven(make_chain(n, false));
    EXPECT_EQ(state.check().stats.visited(), 0u);
    int checks = 0;
    for (int step = 0; step < 200; ++step) {
      const LinkIndex joint(std::uniform_int_distribution<int>(1, n - 1)(rng));
      state.set(joint, state.positions()[state.world().robot().joint(joint).q_index] +
                           uniform(rng, -0.02, 0.02));
      const ChainState::Result result = state.check();
      visited[k] += static_cast<double>(result.stats.visited());
      ++checks;
      if (result.verdict == Verdict::kFree) {
        state.commit();
      } else {
        state.rollback();
      }
    }
    visited[k] /= checks;
  }
  EXPECT_LT(visited[0], 120.0);
  EXPECT_LT(visited[1], 2.5 * visited[0]) << "16 times the links";
}

// Trap: squares of sizes below 1e-22 vanish in floats, and a ball with them. Metamorphic: two balls
// that overlap by a third are never free, whatever their scale.
TEST_P(OnEachTarget, ChainStateLosesNoTinyThings) {
  for (const double r : {1.0, 1e-9, 1e-18, 1e-21, 1e-22, 2e-23, 1e-24, 1e-30, 1e-38, 1e-45}) {
    RobotDescription d;
    d.name = "slider";
    d.links = {{"base", {}}};
    test::append_link(d, "ball", {{Geometry::make(Sphere{r}), {}}}, JointType::kPrismatic);
    Scene scene;
    scene.objects.push_back(
        {"stone", {{Geometry::make(Sphere{r}), RigidEnclosure::translation({0, 1.5 * r, 0})}}});
    ChainState state(std::make_shared<const CollisionWorld>(RobotBuilder::build(d),
                                                            std::make_shared<const Scene>(scene)));
    state.set(LinkIndex(1), 8.0);
    ASSERT_EQ(state.check().verdict, Verdict::kFree) << r;
    state.set(LinkIndex(1), 0.0);
    EXPECT_NE(state.check().verdict, Verdict::kFree) << r;
  }
}

// Trap: the box of a link that carries nothing, and one with infinite sides.
TEST_P(OnEachTarget, HugeThingsMeetNoLinkThatCarriesNothing) {
  RobotDescription d;
  d.name = "slider";
  d.links = {{"base", {}}};
  for (const char* name : {"a", "b", "c"}) {
    test::append_link(d, name, {{Geometry::make(Sphere{1.0}), {}}}, JointType::kPrismatic).axis =
        Vector3d::Ones();
  }
  Scene scene;
  scene.objects.push_back(
      {"far",
       {{Geometry::make(Sphere{1.0}), RigidEnclosure::translation(Vector3d::Constant(1e40))}}});
  const auto world = std::make_shared<const CollisionWorld>(RobotBuilder::build(d),
                                                            std::make_shared<const Scene>(scene));
  Workspace workspace(*world);
  ChainState state(world);
  for (const double q : {5.0, 0.0, 1e39, 1e45, 5.0}) {
    const Eigen::VectorXd positions = Eigen::VectorXd::Constant(3, q);
    const Verdict whole = check_state(*world, positions, {}, workspace).verdict;
    state.set(positions);
    EXPECT_EQ(state.check().verdict, whole) << q;
    // a and c, which no joint joins, meet at 0 alone.
    EXPECT_EQ(whole == Verdict::kCollision, q == 0.0) << q;
    // Over distances of which 1 m is below the roundoff nothing can be decided, but answered.
    const Motion motion(world->robot(), positions, Eigen::VectorXd::Constant(3, 5.0));
    const Verdict edge = check_motion(*world, motion, {}, workspace).verdict;
    if (q == 5.0) {
      EXPECT_EQ(edge, Verdict::kFree);
    } else if (q == 0.0) {
      EXPECT_EQ(edge, Verdict::kCollision);
    } else {
      EXPECT_NE(edge, Verdict::kCollision);
    }
  }
}

// Property: no drift. Transforms follow from the values, however often these have moved.
TEST(ChainState, ManyMovesLeaveNoDrift) {
  Rng rng(84);
  const auto world = make_chain(64, true);
  ChainState state(world);
  for (int step = 0; step < 200000; ++step) {
    state.set(LinkIndex(std::uniform_int_distribution<int>(1, 63)(rng)), uniform(rng, -3, 3));
    if (step % 3 == 0) state.commit();
    if (step % 7 == 0) state.rollback();
  }
  const StateResult worn = state.distance();
  ChainState fresh(world);
  fresh.set(state.positions());
  const ChainState::Result a = state.check(), b = fresh.check();
  EXPECT_EQ(a.verdict, b.verdict);
  const StateResult clean = fresh.distance();
  EXPECT_EQ(worn.verdict, clean.verdict);
}

INSTANTIATE_TEST_SUITE_P(ChainState, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

}  // namespace
}  // namespace catena
