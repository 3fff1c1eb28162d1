// What the writer writes, the checker accepts; and altered so that it proves its edge no longer, it
// is refused. Robots and scenes of config/, and of cases/ and data/ where they are there.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "alter.hpp"
#include "catena/certificate/check.hpp"
#include "catena/io/query_file.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/query/certificate.hpp"
#include "catena/query/continuous.hpp"
#include "support/data.hpp"
#include "support/random.hpp"
#include "support/snake_urdf.hpp"
#include "support/temporary_folder.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

struct Problem {
  certificate::Inputs inputs;
  std::shared_ptr<const CollisionWorld> world;

  Problem(const fs::path& robot, const fs::path& scene, const fs::path& srdf = {}) {
    inputs.robot = robot.string();
    inputs.srdf = srdf.string();
    if (!scene.empty()) inputs.scenes = {scene.string()};
    const auto loaded = io::load_urdf(inputs.robot, {.srdf = inputs.srdf});
    world = std::make_shared<const CollisionWorld>(
        loaded, scene.empty() ? nullptr : io::load_scene(scene.string()));
  }

  MotionResult engine(const Eigen::VectorXd& q0, const Eigen::VectorXd& q1,
                      double clearance = 0.0) const {
    Workspace workspace(*world);
    QueryOptions options;
    options.clearance = clearance;
    return check_motion(*world, Motion(world->robot(), q0, q1), options, workspace);
  }

  bool checks(const std::string& a, const std::string& b) const {
    return world->checks(world->find_body(a), world->find_body(b));
  }
};

/// Writes, checks, alters: every free edge must have a certificate, and no other one.
void expect_certified(const Problem& problem, const Eigen::VectorXd& q0, const Eigen::VectorXd& q1,
                      const certificate::Checker& checker, const std::string& name,
                      double clearance = 0.0) {
  const Verdict verdict = problem.engine(q0, q1, clearance).verdict;
  CertificateWriter writer(problem.world, {clearance, CertificateOptions{}.budget});
  const auto why = writer.add(q0, q1);
  if (verdict == Verdict::kCollision) {
    // Whatever it may propose for an edge that collides, it is refused.
    bool refused = why.has_value();
    try {
      refused = refused || !checker.check(writer.text()).proven;
    } catch (const std::runtime_error&) {  // no ray leads out of a solid that it begins in
      refused = true;
    }
    EXPECT_TRUE(refused) << name;
    return;
  }
  if (verdict != Verdict::kFree) return;
  ASSERT_FALSE(why) << name << ": " << *why;
  const std::string text = writer.text();
  const auto result = checker.check(text);
  ASSERT_TRUE(result.proven) << name << ": " << result.why;
  EXPECT_EQ(result.stats.entries, static_cast<std::uint64_t>(writer.num_entries()));
  std::mt19937_64 rng(5);
  for (int kind = 0; kind < test::kNumAlterations; ++kind) {
    for (int trial = 0; trial < 3; ++trial) {
      const auto alteration = static_cast<test::Alteration>(kind);
      const auto changed = test::altered(
          text, alteration, rng,
          [&](const std::string& a, const std::string& b) { return problem.checks(a, b); });
      if (changed) {
        EXPECT_FALSE(checker.check(*changed).proven) << name << ": " << name_of(alteration);
      }
    }
  }
}

/// The edges of a query file, whose joints are all of the robot's that it moves.
std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> edges_of(const Robot& robot,
                                                                  const fs::path& file,
                                                                  const std::string& scene) {
  const io::QueryFile query = io::load_query(file.string());
  std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> edges;
  for (const auto& edge : query.edges) {
    if (!edge.robot.empty()) continue;
    if (!edge.scene.empty() && fs::path(edge.scene).filename() != scene) continue;
    Eigen::VectorXd q0 = robot.zero_positions(), q1 = q0;
    for (auto [state, q] : {std::pair(&edge.from, &q0), std::pair(&edge.to, &q1)}) {
      size_t next = 0;
      for (const std::string& name : query.joint_order) {
        const Joint& joint = robot.joint(robot.find_joint(name));
        for (int k = 0; k < num_values(joint.type); ++k)
          (*q)[joint.q_index + k] = query.states.at(*state)[next++];
      }
    }
    edges.emplace_back(std::move(q0), std::move(q1));
  }
  return edges;
}

void expect_query_certified(const fs::path& robot, const fs::path& scene, const fs::path& query,
                            const fs::path& srdf = {}) {
  const Problem problem(robot, scene, srdf);
  const certificate::Checker checker(problem.inputs);
  int index = 0;
  for (const auto& [q0, q1] : edges_of(problem.world->robot(), query, scene.filename().string())) {
    const std::string name = scene.string() + " edge " + std::to_string(index++);
    expect_certified(problem, q0, q1, checker, name);
    expect_certified(problem, q1, q0, checker, name + " reversed");
  }
}

const fs::path kConfig = fs::path(CATENA_SOURCE_DIR) / "config";

TEST(CertificateWriter, ExamplesOfTheProject) {
  const fs::path e = kConfig / "examples";
  expect_query_certified(e / "two_link.urdf", e / "post.json", e / "two_link_query.json",
                         e / "two_link.srdf");
  expect_query_certified(e / "gripper.urdf", e / "ball_on_table.json", e / "gripper_query.json");
  expect_query_certified(e / "floating_brick.urdf", e / "window.yaml", e / "window_query.json",
                         e / "floating_brick.srdf");
}

TEST(CertificateWriter, TheDefaultSnake) {
  const Problem problem(kConfig / "snake.urdf", kConfig / "scene.yaml", kConfig / "snake.srdf");
  const certificate::Checker checker(problem.inputs);
  const Robot& robot = problem.world->robot();
  std::vector<Eigen::VectorXd> ends;
  for (const char* name : {"home", "start"}) {
    Eigen::VectorXd q = robot.zero_positions();
    for (const auto& [joint, values] : robot.group_states().at({"arm", name}))
      q[robot.joint(robot.find_joint(joint)).q_index] = values[0];
    ends.push_back(q);
  }
  expect_certified(problem, ends[0], ends[0], checker, "home stands still");
  expect_certified(problem, ends[1], ends[1], checker, "start stands still", 0.001);
  expect_certified(problem, ends[0], ends[1], checker, "home to start");
}

TEST(CertificateWriter, KnownAnswers) {
  CATENA_REQUIRE_DATA("cases");
  const fs::path cases = test::data_root() / "cases";
  for (const char* name : {"c01_long_lever_sweep", "c02_swing_arc", "c03_co_moving_siblings",
                           "c04_two_posts_last_valid", "c05_mesh_vs_mesh_contact_time",
                           "c07_inside_closed_mesh", "c10_concave_channel", "c13_far_from_origin"})
    for (const fs::directory_entry& entry : fs::directory_iterator(cases / name))
      if (entry.path().filename().string().starts_with("scene"))
        expect_query_certified(cases / name / "robot.urdf", entry.path(),
                               cases / name / "query.json");
}

/// Small random motions of a robot's joints of one value.
std::pair<Eigen::VectorXd, Eigen::VectorXd> random_edge(const Robot& robot, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Eigen::VectorXd q0 = robot.zero_positions(), q1 = q0;
  for (const LinkIndex i : robot.active_joints()) {
    const Joint& joint = robot.joint(i);
    if (num_values(joint.type) != 1) continue;
    const double low = std::max(joint.lower, -3.0), high = std::min(joint.upper, 3.0);
    q0[joint.q_index] = low + (high - low) * unit(rng);
    q1[joint.q_index] = std::clamp(q0[joint.q_index] + 0.6 * (unit(rng) - 0.5), low, high);
  }
  return {q0, q1};
}

TEST(CertificateWriter, RobotsOfOthers) {
  CATENA_REQUIRE_DATA("data/robots");
  const fs::path robots = test::data_root() / "data" / "robots";
  for (const char* name : {"bullet_minitaur/minitaur.urdf", "ability_hand/ability_hand_right.urdf",
                           "shadow_hand/shadow_hand_right.urdf", "panda_vamp/panda_spherized.urdf",
                           "TriATHLETE/urdf/TriATHLETE.URDF", "iiwa14/iiwa14.urdf",
                           "slither/urdf/snake.urdf", "snake_sim/urdf/snake.urdf"}) {
    const Problem problem(robots / name, {});
    const certificate::Checker checker(problem.inputs);
    std::mt19937_64 rng(3);
    int free = 0;
    for (int trial = 0; trial < 100 && free < 3; ++trial) {
      const auto [q0, q1] = random_edge(problem.world->robot(), rng);
      if (problem.engine(q0, q1).verdict != Verdict::kFree) continue;
      ++free;
      expect_certified(problem, q0, q1, checker,
                       std::string(name) + " trial " + std::to_string(trial));
    }
    EXPECT_GT(free, 0) << name;
  }
}

/// A sphere's surface in facets fine enough to be passed from inside, facet by facet.
std::string shell_text() {
  std::string text;
  const int rings = 8, sectors = 12;
  for (int i = 0; i <= rings; ++i)
    for (int k = 0; k < sectors; ++k) {
      const double a = M_PI * i / rings, b = 2 * M_PI * k / sectors;
      const double r = i == 0 || i == rings ? 0.0 : std::sin(a);
      text += "v " + test::digits(r * std::cos(b)) + " " + test::digits(r * std::sin(b)) + " " +
              test::digits(i == 0       ? 1.0
                           : i == rings ? -1.0
                                        : std::cos(a)) +
              "\n";
    }
  const auto v = [&](int i, int k) { return std::to_string(1 + i * sectors + k % sectors); };
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < sectors; ++k) {
      if (i > 0) text += "f " + v(i, k) + " " + v(i + 1, k) + " " + v(i, k + 1) + "\n";
      if (i + 1 < rings)
        text += "f " + v(i, k + 1) + " " + v(i + 1, k) + " " + v(i + 1, k + 1) + "\n";
    }
  return text;
}

// A ball that moves within a shell touches nothing; it is in collision all the same if the shell is
// a solid. The planes of the one prove nothing for the other.
TEST(CertificateWriter, WhatMovesInsideASolidIsRefused) {
  const test::TemporaryFolder folder;
  const std::string robot = folder.write("robot.urdf", R"(<robot name="slider">
    <link name="rail"/>
    <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="slide" type="prismatic"><parent link="rail"/><child link="ball"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)");
  folder.write("shell.obj", shell_text());
  const std::string scene = folder.write("scene.json", R"({"objects": [
    {"id": "shell", "shape": "mesh", "file": "shell.obj", "solid": false}]})");
  Problem problem(robot, scene);
  const Eigen::VectorXd q0 = Eigen::VectorXd::Constant(1, -0.3), q1 = -q0;
  ASSERT_EQ(problem.engine(q0, q1).verdict, Verdict::kFree);
  CertificateWriter writer(problem.world, {});
  const auto why = writer.add(q0, q1);
  ASSERT_FALSE(why) << *why;
  const std::string text = writer.text();
  const auto surface = certificate::check_certificate(problem.inputs, text);
  EXPECT_TRUE(surface.proven) << surface.why;
  problem.inputs.fillings["shell"] = certificate::Filling::kSolid;
  const auto solid = certificate::check_certificate(problem.inputs, text);
  EXPECT_FALSE(solid.proven);
  EXPECT_NE(solid.why.find("outside \"shell\""), std::string::npos) << solid.why;
  const std::string claimed =
      text.substr(0, text.rfind("end")) + "outside \"shell\" 0 \"ball\" 0 0 0.31 0.27 0.91\nend\n";
  const auto inside = certificate::check_certificate(problem.inputs, claimed);
  EXPECT_FALSE(inside.proven);
  EXPECT_NE(inside.why.find("inside the solid"), std::string::npos) << inside.why;
}

// Property: splines have certificates; the same planes prove nothing of one that overshoots.
TEST(CertificateWriter, SplinesAreCertified) {
  const fs::path e = kConfig / "examples";
  const Problem problem(e / "two_link.urdf", e / "post.json", e / "two_link.srdf");
  const certificate::Checker checker(problem.inputs);
  const Robot& robot = problem.world->robot();
  std::mt19937_64 rng(6);
  int free = 0, refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto random = [&](double size) {
      return Eigen::VectorXd(
          Eigen::Vector2d(test::uniform(rng, -size, size), test::uniform(rng, -size, size)));
    };
    Knot from{Eigen::Vector2d(-1, 0) + random(0.6), random(2), random(4)};
    Knot to{from.q + random(0.8), random(2), random(4)};
    if (trial % 3 == 1) from.acceleration = to.acceleration = {};
    if (trial % 6 == 2) from.velocity = to.velocity = from.acceleration = to.acceleration = {};
    const double duration = test::uniform(rng, 0.2, 1.5);
    const std::string where = "seed 6 trial " + std::to_string(trial);
    Workspace workspace(*problem.world);
    const Motion motion(robot, from, to, duration);
    const MotionResult result = check_motion(*problem.world, motion, {}, workspace);
    CertificateWriter writer(problem.world, {});
    const auto why = writer.add(from, to, duration);
    if (result.verdict == Verdict::kCollision) {
      EXPECT_TRUE(why || !checker.check(writer.text()).proven) << where;
      continue;
    }
    if (result.verdict != Verdict::kFree) continue;
    ++free;
    ASSERT_FALSE(why) << where << *why;
    const std::string text = writer.text();
    const auto checked = checker.check(text);
    ASSERT_TRUE(checked.proven) << where << checked.why;
    ASSERT_EQ(checked.what.edges[0].duration, duration);
    // The same planes for a spline that overshoots by a metre or so.
    if (from.velocity.size() == 0) continue;
    const size_t line = text.find("to_velocity");
    const std::string faster =
        text.substr(0, line) + "to_velocity 40 -40" + text.substr(text.find('\n', line));
    refused += checker.check(faster).proven ? 0 : 1;
  }
  EXPECT_GT(free, 15);
  EXPECT_GT(refused, 10);
}

// Robots and scenes that changed: what was proven is of others.
TEST(CertificateWriter, AnotherRobotOrSceneIsRefused) {
  const fs::path e = kConfig / "examples";
  const Problem problem(e / "two_link.urdf", e / "post.json", e / "two_link.srdf");
  const Eigen::VectorXd q0 = Eigen::Vector2d(-1, 0), q1 = Eigen::Vector2d(-1, 2.6);
  CertificateWriter writer(problem.world, {});
  ASSERT_FALSE(writer.add(q0, q1));
  const std::string text = writer.text();
  ASSERT_TRUE(certificate::check_certificate(problem.inputs, text).proven);
  const test::TemporaryFolder folder;
  certificate::Inputs other = problem.inputs;
  // The post where the forearm is; a second one; none.
  other.scenes = {folder.write("moved.json", R"({"objects": [{"id": "post", "shape": "cylinder",
      "radius": 0.01, "length": 0.6, "pose": {"xyz": [0.4, -0.6, 0]}}]})")};
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other.scenes = {problem.inputs.scenes[0],
                  folder.write("more.json", R"({"objects": [{"id": "ball", "shape": "sphere",
      "radius": 0.01, "pose": {"xyz": [9, 9, 9]}}]})")};
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other.scenes.clear();
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other = problem.inputs;
  other.robot = (e / "gripper.urdf").string();
  other.srdf.clear();
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other.robot = folder.path().string() + "/none.urdf";
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
}

/// What a long snake may turn and meet: all joints, from a state between -0.5 and 0.5 rad.
std::pair<Eigen::VectorXd, Eigen::VectorXd> snake_edge(const Problem& problem, double turn,
                                                       std::mt19937_64& rng) {
  for (int trial = 0; trial < 100; ++trial) {
    Eigen::VectorXd q0 = problem.world->robot().zero_positions(), q1;
    for (double& q : q0) q = test::uniform(rng, -0.5, 0.5);
    q1 = q0;
    for (double& q : q1) q += test::uniform(rng, -turn, turn);
    if (problem.engine(q0, q1).verdict == Verdict::kFree) return {q0, q1};
  }
  ADD_FAILURE() << "no edge is free";
  return {};
}

// Property: free edges of long chains have certificates, whose planes grow with the links rather
// than with the pairs; altered, or for another robot or scene, they are refused.
TEST(CertificateWriter, LongChains) {
  const test::TemporaryFolder folder;
  const std::string robot = folder.write("robot.urdf", test::snake_urdf(256, 0.1));
  std::mt19937_64 rng(12);
  const Problem alone(robot, {});
  const auto [q0, q1] = snake_edge(alone, 0.5, rng);
  expect_certified(alone, q0, q1, certificate::Checker(alone.inputs), "a snake of 256 links");

  // Two balls beside it where it begins; they leave the edge free.
  std::vector<RigidEnclosure> X_WL(256);
  link_poses(alone.world->robot(), q0, X_WL);
  const auto scene_of = [&](double far) {
    std::string text = "{\"objects\": [";
    for (const size_t link : {40U, 90U}) {
      const Vector3d p = X_WL[link].X * Vector3d(0.5, 0, far);
      text += std::string(link == 40 ? "" : ",") + "\n{\"id\": \"ball_" + std::to_string(link) +
              "\", \"shape\": \"sphere\", \"radius\": 0.2, \"pose\": {\"xyz\": [" +
              test::digits(p.x()) + ", " + test::digits(p.y()) + ", " + test::digits(p.z()) + "]}}";
    }
    return text + "\n]}\n";
  };
  const auto free_edge = [&](const Problem& problem) {
    Eigen::VectorXd end = q1;
    while (problem.engine(q0, end).verdict != Verdict::kFree) end = 0.5 * (q0 + end);
    return end;
  };
  const Problem beside(robot, folder.write("scene.json", scene_of(0.5)));
  const Eigen::VectorXd end = free_edge(beside);
  const certificate::Checker checker(beside.inputs);
  expect_certified(beside, q0, end, checker, "a snake of 256 links beside two balls");

  CertificateWriter writer(beside.world, {});
  const auto why = writer.add(q0, end);
  ASSERT_FALSE(why) << *why;
  EXPECT_LT(writer.num_entries(), 4 * 256);
  const std::string text = writer.text();
  certificate::Inputs other = beside.inputs;
  other.scenes = {folder.write("moved.json", scene_of(0.0))};
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other = beside.inputs;
  other.robot = folder.write("thick.urdf", test::snake_urdf(256, 0.6));
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);
  other.robot = folder.write("longer.urdf", test::snake_urdf(257, 0.1));
  EXPECT_FALSE(certificate::check_certificate(other, text).proven);

  const Problem longer(folder.write("longest.urdf", test::snake_urdf(1024, 0.1)), {});
  const auto [from, to] = snake_edge(longer, 0.1, rng);
  CertificateWriter of_longer(longer.world, {});
  const auto why_not = of_longer.add(from, to);
  ASSERT_FALSE(why_not) << *why_not;
  EXPECT_LT(of_longer.num_entries(), 4 * 1024);
  const auto result = certificate::check_certificate(longer.inputs, of_longer.text());
  EXPECT_TRUE(result.proven) << result.why;
}

}  // namespace
}  // namespace catena
