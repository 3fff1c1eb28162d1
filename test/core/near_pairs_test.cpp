// Lists of near pairs, and smallest distances that follow a configuration: both against an oracle
// with kinematics and distances of its own, pair by pair.
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "catena/model/robot_builder.hpp"
#include "catena/query/chain_state.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/ball_chain.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::Rng;
using test::uniform;

// A robot in a scene, as the engine and as the oracle know it.
struct Subject {
  Subject(const oracle::RobotSpec& robot_spec, const oracle::SceneSpec& scene,
          std::shared_ptr<const Robot> model = nullptr)
      : spec(robot_spec),
        robot(model ? model : oracle::make_robot(spec)),
        world(std::make_shared<const CollisionWorld>(robot, oracle::make_scene(scene))),
        truth(spec, scene) {
    // The k-th geometry of a body has the same place in both.
    std::map<std::string, int> met;
    for (int g = 0; g < truth.num_geometries(); ++g) {
      const BodyIndex body = world->find_body(truth.name(g));
      geometry_of.push_back(world->body(body).first_geometry + met[truth.name(g)]++);
    }
  }

  // The oracle's gap of every checked pair, by the engine's numbers of the two geometries.
  std::map<std::pair<int, int>, oracle::Gap> gaps(const Eigen::VectorXd& q) {
    const std::vector<double> values = oracle::values(*robot, spec, q);
    truth.set_motion(values, values);
    std::map<std::pair<int, int>, oracle::Gap> all;
    for (size_t k = 0; k < truth.pairs().size(); ++k) {
      all[std::minmax(geometry_of[size_t(truth.pairs()[k].a)],
                      geometry_of[size_t(truth.pairs()[k].b)])] =
          truth.gap_at(static_cast<int>(k), 0);
    }
    return all;
  }

  oracle::RobotSpec spec;
  std::shared_ptr<const Robot> robot;
  std::shared_ptr<const CollisionWorld> world;
  oracle::EdgeOracle truth;
  std::vector<int> geometry_of;
};

constexpr double kBand = 1e-9;

// What a list owes: every pair within the cut-off, none beyond, and true brackets.
void expect_true(const NearPairs& list, double cutoff,
                 const std::map<std::pair<int, int>, oracle::Gap>& gaps,
                 const CollisionWorld& world) {
  EXPECT_TRUE(list.complete);
  std::map<std::pair<int, int>, const NearPair*> listed;
  const NearPair* last = nullptr;
  for (const NearPair& pair : list.pairs) {
    EXPECT_TRUE(listed.emplace(std::pair(pair.geometry_a, pair.geometry_b), &pair).second);
    EXPECT_LT(pair.a, pair.b);
    EXPECT_EQ(world.geometries()[size_t(pair.geometry_a)].body, pair.a);
    EXPECT_EQ(world.geometries()[size_t(pair.geometry_b)].body, pair.b);
    if (last != nullptr) {
      EXPECT_LT(std::tie(last->a, last->b, last->geometry_a, last->geometry_b),
                std::tie(pair.a, pair.b, pair.geometry_a, pair.geometry_b));
    }
    last = &pair;
    const auto found = gaps.find({pair.geometry_a, pair.geometry_b});
    ASSERT_NE(found, gaps.end()) << "a pair that is not checked";
    const oracle::Gap& gap = found->second;
    EXPECT_LE(pair.distance.lo, cutoff);
    EXPECT_EQ(pair.straddles, pair.distance.hi > cutoff);
    if (gap.hi > 0) {
      EXPECT_LE(pair.distance.lo, double(gap.hi) + kBand);
      EXPECT_GE(pair.distance.hi, double(gap.lo) - kBand);
      if (!pair.straddles && gap.lo > kBand) {
        EXPECT_LE(pair.distance.width(), 1.1e-5);
      }
    } else if (gap.hi < -kBand) {
      EXPECT_LE(pair.distance.hi, kBand) << "of a contact";
    }
    EXPECT_LE(double(gap.lo), cutoff + kBand);
  }
  for (const auto& [key, gap] : gaps) {
    if (double(gap.hi) > cutoff - kBand) continue;
    EXPECT_EQ(listed.count(key), 1u)
        << "missing: " << key.first << " and " << key.second << ", apart " << double(gap.hi);
  }
}

// The two forms list the same pairs, but for those on the edge, in brackets that overlap.
void expect_alike(const NearPairs& x, const NearPairs& y, double cutoff) {
  const auto inner = [&](const NearPairs& list) {
    std::map<std::pair<int, int>, Interval> pairs;
    for (const NearPair& pair : list.pairs) {
      if (pair.distance.hi < cutoff - kBand) {
        pairs[{pair.geometry_a, pair.geometry_b}] = pair.distance;
      }
    }
    return pairs;
  };
  const auto a = inner(x), b = inner(y);
  ASSERT_EQ(a.size(), b.size());
  for (auto i = a.begin(), k = b.begin(); i != a.end(); ++i, ++k) {
    EXPECT_EQ(i->first, k->first);
    EXPECT_LE(i->second.lo, k->second.hi);
    EXPECT_LE(k->second.lo, i->second.hi);
  }
}

// And measure the same smallest distance.
void expect_alike(const StateResult& follows, const StateResult& whole) {
  EXPECT_EQ(follows.verdict, whole.verdict);
  ASSERT_EQ(follows.distance.has_value(), whole.distance.has_value());
  if (!whole.distance) return;
  EXPECT_LE(follows.distance->lo, whole.distance->hi);
  EXPECT_LE(whole.distance->lo, follows.distance->hi);
  if (whole.verdict != Verdict::kFree) return;
  EXPECT_LE(follows.distance->width(), 1.1e-5);
  EXPECT_NEAR((follows.witness.point_a - follows.witness.point_b).norm(), follows.distance->hi,
              1e-9 * (1.0 + follows.witness.point_a.norm()));
  EXPECT_TRUE(follows.witness.a.valid() && follows.witness.b.valid());
}

struct Counts {
  int lists = 0, empty = 0, contacts = 0, free = 0;
};

// A walk of sets, commits and rollbacks, the answers asked on the way.
void walk(Subject& subject, Rng& rng, int steps, const std::string& name, Counts& counts) {
  ChainState state(subject.world);
  Workspace workspace(*subject.world);
  Eigen::VectorXd now = state.positions(), committed = now;
  NearPairs list, whole;
  double cutoff = 0.5;
  QueryOptions measured;
  measured.distances = true;
  for (int step = 0; step < steps; ++step) {
    SCOPED_TRACE(name + " step " + std::to_string(step));
    const int what = std::uniform_int_distribution<int>(0, 9)(rng);
    if (what < 6) {
      const bool one = what < 4;
      const auto joints = subject.robot->active_joints();
      for (const LinkIndex i : joints) {
        const Joint& joint = subject.robot->joint(i);
        if (num_values(joint.type) != 1) continue;
        if (uniform(rng, 0, 1) > (one ? 1.0 / double(joints.size()) : 0.4)) continue;
        const double span = uniform(rng, 0, 1) < 0.7 ? 0.05 : 1.0;
        now[joint.q_index] = std::clamp(now[joint.q_index] + uniform(rng, -span, span),
                                        std::max(joint.lower, -3.0), std::min(joint.upper, 3.0));
        state.set(i, now[joint.q_index]);
      }
    } else if (what == 6) {
      now = oracle::positions(*subject.robot, subject.spec,
                              oracle::random_configuration(subject.spec, rng));
      state.set(now);
    } else if (what == 7) {
      state.commit();
      committed = now;
    } else {
      state.rollback();
      now = committed;
    }
    ASSERT_EQ(state.positions(), now);

    if (step % 3 != 0) {
      const StateResult follows = state.distance();
      expect_alike(follows, check_state(*subject.world, now, measured, workspace));
      counts.free += follows.verdict == Verdict::kFree;
      counts.contacts += follows.verdict == Verdict::kCollision;
    }
    if (step % 4 == 0) {
      const auto gaps = subject.gaps(now);
      const double reach = uniform(rng, 0, 1) < 0.2 ? 10.0 : 1.0;
      // Often the same: then what has not moved keeps its place on the list.
      if (uniform(rng, 0, 1) < 0.4) {
        cutoff = uniform(rng, 0, 1) < 0.2 ? 0.0 : uniform(rng, 0, reach);
      }
      state.find_near_pairs(cutoff, {}, list);
      find_near_pairs(*subject.world, now, cutoff, {}, workspace, whole);
      expect_true(list, cutoff, gaps, *subject.world);
      expect_true(whole, cutoff, gaps, *subject.world);
      expect_alike(list, whole, cutoff);
      ++counts.lists;
      counts.empty += list.pairs.empty();
      // The smallest distance, by the oracle alone.
      double least = kInfinity;
      bool contact = false;
      for (const auto& [key, gap] : gaps) {
        least = std::min(least, double(gap.lo));
        contact = contact || gap.hi <= 0;
      }
      const StateResult follows = state.distance();
      if (!contact && least > kBand) {
        ASSERT_TRUE(follows.distance);
        EXPECT_EQ(follows.verdict, Verdict::kFree);
        EXPECT_GE(follows.distance->hi, least - kBand);
        EXPECT_LE(follows.distance->lo, least + 1e-6);
      } else if (contact && follows.distance && std::isfinite(least)) {  // the deepest contact
        EXPECT_GE(follows.distance->hi, least - kBand);
        EXPECT_LE(follows.distance->lo, least + kBand);
      }
    }
  }
}

// Property: lists and distances are those of the oracle, and of the whole state, after any sequence
// of changes; of robots that branch, with scenes of every kind and without.
TEST(NearPairs, AreThoseOfTheOracleAfterAnySequence) {
  Rng rng(91);
  Counts counts;
  for (const std::string& name : oracle::robot_names()) {
    const oracle::RobotSpec spec = oracle::make_robot_spec(name);
    for (int trial = 0; trial < 6; ++trial) {
      const oracle::SceneSpec scene =
          trial % 3 == 0 ? oracle::SceneSpec() : oracle::random_scene(oracle::reach_of(name), rng);
      Subject subject(spec, scene);
      walk(subject, rng, 40, name + " seed 91 trial " + std::to_string(trial), counts);
    }
  }
  EXPECT_GT(counts.lists, 500);
  EXPECT_LT(counts.empty, counts.lists / 2);
  EXPECT_GT(counts.free, 300);
  EXPECT_GT(counts.contacts, 100);
}

// A chain whose links carry a ball and a capsule each, some of them with a side chain.
oracle::RobotSpec long_chain(int n, const std::string& prefix, Rng& rng) {
  oracle::RobotSpec spec;
  spec.name = prefix + "chain";
  spec.links.push_back({prefix + "base", {}});
  std::string parent = prefix + "base";
  for (int i = 0; i < n; ++i) {
    const auto add = [&](const std::string& above, const std::string& name, double side) {
      spec.links.push_back({name, {oracle::capsule(0.05, 0.1, {0.1, side, 0}, {0, M_PI / 2, 0})}});
      if (i % 3 == 0) spec.links.back().collision.push_back(oracle::sphere(0.04, {0.1, 0.08, 0}));
      oracle::JointSpec joint;
      joint.name = name + "_joint";
      joint.kind = oracle::JointKind::kContinuous;
      joint.parent = above;
      joint.child = name;
      joint.origin.xyz = {above == prefix + "base" ? 0.0 : 0.25, side, 0};
      joint.axis = {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, 0.1, 1)};
      spec.joints.push_back(joint);
    };
    const std::string name = prefix + "l" + std::to_string(i);
    add(parent, name, 0.0);
    if (i % 7 == 3) add(name, name + "_side", 0.2);
    parent = name;
  }
  return spec;
}

TEST(NearPairs, AreThoseOfTheOracleForALongChain) {
  Rng rng(92);
  Counts counts;
  for (int trial = 0; trial < 3; ++trial) {
    const oracle::RobotSpec spec = long_chain(45, "", rng);
    Subject subject(spec, trial == 0 ? oracle::SceneSpec() : oracle::random_scene(6.0, rng));
    walk(subject, rng, 60, "chain seed 92 trial " + std::to_string(trial), counts);
  }
  EXPECT_GT(counts.free, 10);
}

// Two robots in one world are one kinematic tree: the second's joints have numbers of their own.
TEST(NearPairs, AreThoseOfTheOracleForTwoRobots) {
  Rng rng(93);
  Counts counts;
  for (int trial = 0; trial < 4; ++trial) {
    const oracle::RobotSpec first = long_chain(9, "", rng), second = long_chain(7, "", rng);
    const RigidEnclosure X_WR = RigidEnclosure::translation({0.4, 0.3, 0.2});
    const auto both = RobotBuilder::combine(*oracle::make_robot(first),
                                            {{oracle::make_robot(second), "other", X_WR}});
    // To the oracle: the second hangs from the first one's base.
    oracle::RobotSpec spec = first;
    for (oracle::LinkSpec link : second.links) {
      link.name = "other/" + link.name;
      spec.links.push_back(link);
    }
    oracle::JointSpec stand;
    stand.name = "stand";
    stand.kind = oracle::JointKind::kFixed;
    stand.parent = "base";
    stand.child = "other/base";
    stand.origin.xyz = {0.4, 0.3, 0.2};
    spec.joints.push_back(stand);
    for (oracle::JointSpec joint : second.joints) {
      for (std::string* name : {&joint.name, &joint.parent, &joint.child}) *name = "other/" + *name;
      spec.joints.push_back(joint);
    }
    Subject subject(spec, trial < 2 ? oracle::SceneSpec() : oracle::random_scene(2.0, rng), both);
    walk(subject, rng, 60, "two robots, seed 93 trial " + std::to_string(trial), counts);

    // A contact across: found by a check that follows the second robot's joint, and taken back.
    ChainState state(subject.world);
    Workspace workspace(*subject.world);
    for (int step = 0; step < 200; ++step) {
      const auto joints = both->active_joints();
      const LinkIndex joint =
          joints[std::uniform_int_distribution<size_t>(0, joints.size() - 1)(rng)];
      state.set(joint, uniform(rng, -3, 3));
      const Verdict follows = state.check().verdict;
      EXPECT_EQ(follows, check_state(*subject.world, state.positions(), {}, workspace).verdict);
      follows == Verdict::kFree ? state.commit() : state.rollback();
    }
  }
  EXPECT_GT(counts.free, 10);
  EXPECT_GT(counts.contacts, 10);
}

// Balls on slides along x, 1 apart where they rest, and a post and a wall.
std::shared_ptr<const CollisionWorld> make_slides(int n) {
  RobotDescription d;
  d.name = "slides";
  d.links.push_back({"base", {}});
  for (int i = 0; i < n; ++i) {
    const std::string name = "ball_" + std::to_string(i);
    d.links.push_back({name, {{Geometry::make(Sphere{0.25}), {}}}});
    JointDescription joint;
    joint.name = "slide_" + std::to_string(i);
    joint.type = JointType::kPrismatic;
    joint.parent = "base";
    joint.child = name;
    joint.lower = -100;
    joint.upper = 100;
    joint.origin = RigidEnclosure::translation({1.0 * i, 0, 0});
    d.joints.push_back(joint);
  }
  Scene scene;
  scene.objects.push_back(
      {"post", {{Geometry::make(Box{{0.5, 0.5, 0.5}}), RigidEnclosure::translation({0, 2, 0})}}});
  scene.objects.push_back(
      {"wall", {{Geometry::make(HalfSpace{Vector3d::UnitY(), -4.0}), RigidEnclosure()}}});
  return std::make_shared<const CollisionWorld>(RobotBuilder::build(d),
                                                std::make_shared<const Scene>(scene));
}

// Property: planted distances are bracketed, and a pair at the cut-off itself is in the list; one
// that is farther by more than rounding is not.
TEST(NearPairs, PlantedDistancesAreBracketed) {
  const auto world = make_slides(5);
  ChainState state(world);
  Workspace workspace(*world);
  // Gaps between neighbours: 0.5 0.5 0.5 0.5; post and ball 0: 1.5; wall and each ball: 3.75.
  const auto sizes = [&](double cutoff) {
    NearPairs list, whole;
    state.find_near_pairs(cutoff, {}, list);
    find_near_pairs(*world, state.positions(), cutoff, {}, workspace, whole);
    EXPECT_EQ(list.pairs.size(), whole.pairs.size()) << cutoff;
    for (const NearPair& pair : list.pairs) {
      double gap = 3.75;
      if (pair.geometry_b == 5) {
        const double aside = std::max(0.0, pair.geometry_a - 0.25);
        gap = std::hypot(aside, 1.75) - 0.25;
      } else if (pair.geometry_b < 5) {
        gap = pair.geometry_b - pair.geometry_a - 0.5;
      }
      EXPECT_LE(pair.distance.lo, gap + 1e-15) << pair.geometry_a << ' ' << pair.geometry_b;
      EXPECT_GE(pair.distance.hi, gap - 1e-15) << pair.geometry_a << ' ' << pair.geometry_b;
      EXPECT_LE(pair.distance.width(), 1e-9) << pair.geometry_a << ' ' << pair.geometry_b;
    }
    return list.pairs.size();
  };
  EXPECT_EQ(sizes(0.0), 0u);
  EXPECT_EQ(sizes(0.5 - 1e-12), 0u);
  EXPECT_EQ(sizes(0.5), 4u);  // exactly there
  EXPECT_EQ(sizes(1.5 - 1e-12), 4u);
  EXPECT_EQ(sizes(1.5), 8u);  // and the post
  EXPECT_EQ(sizes(3.75 - 1e-9), 10u + 4u);
  EXPECT_EQ(sizes(3.75), 10u + 4u + 5u);  // and the wall
  EXPECT_EQ(sizes(1e30), 20u);

  // Touching counts, and overlapping balls tell their depth.
  state.set(LinkIndex(2), -0.5);
  NearPairs list;
  state.find_near_pairs(0.0, {}, list);
  ASSERT_EQ(list.pairs.size(), 1u);
  EXPECT_LE(list.pairs[0].distance.lo, 0.0);
  EXPECT_NEAR(list.pairs[0].distance.hi, 0.0, 1e-12);
  state.set(LinkIndex(2), -0.75);
  state.find_near_pairs(0.0, {}, list);
  ASSERT_EQ(list.pairs.size(), 1u);
  EXPECT_EQ(world->body(list.pairs[0].a).name, "ball_0");
  EXPECT_EQ(world->body(list.pairs[0].b).name, "ball_1");
  EXPECT_FALSE(list.pairs[0].straddles);
  EXPECT_NEAR(list.pairs[0].distance.lo, -0.25, 1e-9);
  EXPECT_NEAR(list.pairs[0].distance.hi, -0.25, 1e-9);
}

// Property: of several contacts a measured state tells the deepest, whichever is met first.
TEST(NearPairs, AMeasuredContactIsTheDeepest) {
  const auto world = make_slides(5);
  ChainState state(world);
  Workspace workspace(*world);
  QueryOptions measured;
  measured.distances = true;
  for (const auto& [near, deep] : {std::pair(2, 4), std::pair(4, 2)}) {
    state.set(LinkIndex(near), -0.75);  // 0.25 into the ball before it
    state.set(LinkIndex(deep), -0.875);
    for (const StateResult& result :
         {check_state(*world, state.positions(), measured, workspace), state.distance()}) {
      EXPECT_EQ(result.verdict, Verdict::kCollision);
      ASSERT_TRUE(result.distance);
      EXPECT_NEAR(result.distance->lo, -0.375, 1e-9);
      EXPECT_NEAR(result.distance->hi, -0.375, 1e-9);
      EXPECT_EQ(result.witness.b.value, deep);
    }
  }
}

// Trap: a pair that is apart by less than the bracket may be wide sets the limit below which others
// are looked at; no bound of boxes that overlap tells how deep a contact is. Planted: one ball 5 um
// or 0.4 mm from a stone, another 4 cm deep in one, in every order.
TEST(NearPairs, ANarrowGapHidesNoContact) {
  for (int layout = 0; layout < 4; ++layout) {
    for (const double gap : {5e-6, 4e-4}) {
      for (const double width : {1e-5, 1e-3, 1e-2}) {
        RobotDescription d;
        d.name = "sliders";
        d.links.push_back({"base", {}});
        const auto ball = Geometry::make(Sphere{0.1});
        for (const int k : {0, 1}) {
          const std::string name(1, static_cast<char>('a' + k));
          d.links.push_back({name, {{ball, RigidEnclosure::translation({3.0 * k, 0, 0})}}});
          JointDescription joint;
          joint.name = "slide_" + name;
          joint.type = JointType::kPrismatic;
          joint.parent = "base";
          joint.child = name;
          joint.lower = -1.0;
          joint.upper = 1.0;
          d.joints.push_back(joint);
        }
        const double beside = (0.2 + gap) / std::sqrt(3.0), near_x = layout % 2 == 0 ? 0.0 : 3.0;
        SceneObject near{"near",
                         {{ball, RigidEnclosure::translation({near_x + beside, beside, beside})}}};
        SceneObject deep{"deep", {{ball, RigidEnclosure::translation({3.16 - near_x, 0, 0})}}};
        Scene scene;
        scene.objects = {layout < 2 ? near : deep, layout < 2 ? deep : near};
        const auto world = std::make_shared<const CollisionWorld>(
            RobotBuilder::build(d), std::make_shared<const Scene>(scene));
        QueryOptions options;
        options.clearance = 0.1;
        options.distance_width = width;
        options.distances = true;
        Workspace workspace(*world);
        ChainState state(world);
        const auto expect_depth = [&](const StateResult& result, const char* what) {
          const auto told = std::string(what) + " layout " + std::to_string(layout) + " gap " +
                            std::to_string(gap) + " width " + std::to_string(width);
          EXPECT_EQ(result.verdict, Verdict::kCollision) << told;
          ASSERT_TRUE(result.distance) << told;
          EXPECT_LE(result.distance->lo, -0.04 + 2e-9) << told;
          EXPECT_GE(result.distance->hi, -0.04 - 2e-9) << told;
          EXPECT_EQ(world->body(result.witness.b).name, "deep") << told;
        };
        expect_depth(check_state(*world, state.positions(), options, workspace), "check_state");
        expect_depth(state.distance(options), "first distance");
        expect_depth(state.distance(options), "second distance");
        state.commit();
        state.set(LinkIndex(1), 1e-9);
        expect_depth(state.distance(options), "after a move");
      }
    }
  }
}

// A ball inside a closed shell is in contact with it, however far the surfaces are.
TEST(NearPairs, WhatIsInsideASolidIsNear) {
  Scene scene;
  TriangleMesh shell;
  for (int i = 0; i < 8; ++i) {
    shell.vertices.push_back(10.0 * Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  }
  shell.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const auto solid = Geometry::make_mesh(shell, MeshFilling::kSolid);
  const auto surface = Geometry::make_mesh(shell, MeshFilling::kSurface);
  const auto base = make_slides(1);
  for (const bool filled : {true, false}) {
    scene.objects = {{"shell", {{filled ? solid : surface, {}}}}};
    const auto world = std::make_shared<const CollisionWorld>(base->robot_ptr(),
                                                              std::make_shared<const Scene>(scene));
    ChainState state(world);
    Workspace workspace(*world);
    NearPairs list, whole;
    state.find_near_pairs(1.0, {}, list);
    find_near_pairs(*world, state.positions(), 1.0, {}, workspace, whole);
    EXPECT_EQ(list.pairs.size(), filled ? 1u : 0u);
    EXPECT_EQ(whole.pairs.size(), list.pairs.size());
    if (filled) {
      EXPECT_LE(list.pairs[0].distance.hi, 0.0);
    }
  }
}

// Property: a measurement that ends in the pair that was closest before has looked at nothing else,
// and says nothing of it to the next one. Oracle: two arms whose balls stand 0.15 deep in one ball
// of the scene each, until one arm turns away.
TEST(NearPairs, AContactThatEndsAMeasurementHidesNoOther) {
  RobotDescription d;
  d.name = "two arms";
  d.links.push_back({"base", {}});
  auto scene = std::make_shared<Scene>();
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "right" : "left";
    const auto ball = Geometry::make(Sphere{0.1});
    d.links.push_back({name, {{ball, RigidEnclosure::translation({side, 0, 0})}}});
    JointDescription joint;
    joint.name = "to " + name;
    joint.type = JointType::kRevolute;
    joint.parent = "base";
    joint.child = name;
    joint.axis = Vector3d::UnitZ();
    joint.lower = -3.0;
    joint.upper = 3.0;
    d.joints.push_back(joint);
    scene->objects.push_back(
        {"at " + name, {{ball, RigidEnclosure::translation({1.05 * side, 0, 0})}}});
  }
  const auto robot = RobotBuilder::build(d);
  const auto world = std::make_shared<const CollisionWorld>(robot, scene);
  for (const char* away : {"to right", "to left"}) {
    for (const std::uint64_t budget : {0u, 1u}) {
      ChainState state(world);
      QueryOptions options;
      options.budget = budget;
      state.distance();
      state.distance(options);
      state.set(robot->find_joint(away), 0.001);
      state.distance(options);
      state.set(robot->find_joint(away), 1.0);
      const StateResult after = state.distance();
      EXPECT_EQ(after.verdict, Verdict::kCollision) << away << " budget " << budget;
      ASSERT_TRUE(after.distance.has_value());
      EXPECT_NEAR(after.distance->lo, -0.15, 1e-5);
      EXPECT_NEAR(after.distance->hi, -0.15, 1e-5);
    }
  }
}

TEST(NearPairs, BadCutOffsAndABudgetThatRunsOutAreSaid) {
  const auto world = make_slides(5);
  ChainState state(world);
  Workspace workspace(*world);
  NearPairs list;
  for (const double bad : {std::nan(""), -1.0, -1e-300, kInfinity, -kInfinity}) {
    EXPECT_THROW(state.find_near_pairs(bad, {}, list), std::invalid_argument) << bad;
    EXPECT_THROW(find_near_pairs(*world, state.positions(), bad, {}, workspace, list),
                 std::invalid_argument)
        << bad;
  }
  try {
    state.find_near_pairs(-1.0, {}, list);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "cutoff is -1.000000; give finite metres >= 0");
  }
  QueryOptions poor;
  poor.budget = 3;
  state.find_near_pairs(10.0, poor, list);
  EXPECT_FALSE(list.complete);
  find_near_pairs(*world, state.positions(), 10.0, poor, workspace, list);
  EXPECT_FALSE(list.complete);
  state.find_near_pairs(10.0, {}, list);
  EXPECT_TRUE(list.complete);
  EXPECT_EQ(list.pairs.size(), 20u);
  // Too little for a distance; what is asked next is answered all the same.
  EXPECT_EQ(state.distance(poor).verdict, Verdict::kUndecided);
  EXPECT_NEAR(state.distance().distance->lo, 0.5, 1e-5);
}

// A chain of balls whose sizes all differ, so that each gap is one of its kind.
std::shared_ptr<const Robot> make_necklace(int n, Rng& rng) {
  std::vector<double> radii(static_cast<std::size_t>(n));
  for (double& radius : radii) radius = uniform(rng, 0.08, 0.12);
  return test::ball_chain(radii);
}

// Property: what is remembered of former values is never taken for true of others. Steps of one or
// two joints, half of them taken back, the smallest gap now here and now there.
TEST(NearPairs, DistancesAndListsFollowALongWalk) {
  Rng rng(95);
  for (const bool alone : {true, false}) {
    Scene scene;
    for (int k = 0; k < 12 && !alone; ++k) {
      scene.objects.push_back(
          {"stone_" + std::to_string(k),
           {{Geometry::make(Box{{0.3, 0.2, 0.1 + 0.01 * k}}),
             RigidEnclosure::translation({1.3 * k, 1.0 + 0.1 * (k % 3), 0.2 * (k % 2)})}}});
    }
    const auto world = std::make_shared<const CollisionWorld>(make_necklace(32, rng),
                                                              std::make_shared<const Scene>(scene));
    ChainState state(world);
    Workspace workspace(*world);
    QueryOptions measured;
    measured.distances = true;
    NearPairs list, whole;
    size_t listed = 0;
    std::uint64_t looked_at[2] = {0, 0};
    int free = 0;
    std::set<std::pair<int, int>> closest;
    for (int step = 0; step < 4000; ++step) {
      SCOPED_TRACE("seed 95 " + std::string(alone ? "alone" : "in a scene") + " step " +
                   std::to_string(step));
      for (int k = std::uniform_int_distribution<int>(1, 2)(rng); k > 0; --k) {
        const LinkIndex joint(std::uniform_int_distribution<int>(1, 31)(rng));
        const double before = state.positions()[world->robot().joint(joint).q_index];
        state.set(joint, std::clamp(before + uniform(rng, -0.3, 0.3), -0.9, 0.9));
      }
      if (step % 5 != 4) {
        const StateResult follows = state.distance();
        expect_alike(follows, check_state(*world, state.positions(), measured, workspace));
        free += follows.verdict == Verdict::kFree;
        closest.emplace(follows.witness.a.value, follows.witness.b.value);
      }
      if (step % 3 != 2) {
        const double cutoff = step % 500 < 10 ? 0.9 : 1.2;
        state.find_near_pairs(cutoff, {}, list);
        find_near_pairs(*world, state.positions(), cutoff, {}, workspace, whole);
        expect_alike(list, whole, cutoff);
        listed += list.pairs.size();
        looked_at[0] += list.stats.element_tests;
        looked_at[1] += whole.stats.element_tests;
      }
      const double what = uniform(rng, 0, 1);
      if (what < 0.4) {
        state.commit();
      } else if (what < 0.8) {
        state.rollback();
      }
    }
    EXPECT_GT(free, 1000);
    EXPECT_GT(closest.size(), 40u);
    EXPECT_GT(listed, 10000u);
    EXPECT_LT(looked_at[0], looked_at[1] / 2) << "what has not moved is measured again";
  }
}

// Property: the distance after one joint has moved takes a number of tests that grows with the
// logarithm of the links, and next to none after nothing has.
TEST(NearPairs, ADistanceLooksAtFewPairsAfterOneJointHasMoved) {
  Rng rng(94);
  double visited[2] = {0, 0};
  for (const int k : {0, 1}) {
    const int n = k == 0 ? 256 : 4096;
    const auto world = std::make_shared<const CollisionWorld>(make_necklace(n, rng), nullptr);
    ChainState state(world);
    state.distance();
    EXPECT_LT(state.distance().stats.visited(), 10u);
    state.commit();
    int asked = 0;
    for (int step = 0; step < 200; ++step) {
      const LinkIndex joint(std::uniform_int_distribution<int>(1, n - 1)(rng));
      state.set(joint,
                state.positions()[world->robot().joint(joint).q_index] + uniform(rng, -0.1, 0.1));
      const StateResult result = state.distance();
      visited[k] += static_cast<double>(result.stats.visited());
      ++asked;
      result.verdict == Verdict::kFree ? state.commit() : state.rollback();
    }
    visited[k] /= asked;
  }
  EXPECT_LT(visited[0], 120.0);
  EXPECT_LT(visited[1], 2.5 * visited[0]) << "16 times the links";
}

}  // namespace
}  // namespace catena
