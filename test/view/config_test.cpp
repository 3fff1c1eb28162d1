// Properties: what config/README.md says about the default problem and the examples holds. Oracle:
// lengths and angles worked out by hand.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "catena/io/query_file.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/query/continuous.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

const fs::path kConfig = fs::path(CATENA_SOURCE_DIR) / "config";

Eigen::VectorXd positions(const Robot& robot, const Robot::NamedState& state) {
  Eigen::VectorXd q = robot.zero_positions();
  for (const auto& [name, values] : state) {
    const LinkIndex joint = robot.find_joint(name);
    EXPECT_TRUE(joint.valid()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      q[robot.joint(joint).q_index + static_cast<int>(i)] = values[i];
    }
  }
  return q;
}

class Snake : public ::testing::Test {
 protected:
  std::shared_ptr<const Robot> robot_ =
      io::load_urdf((kConfig / "snake.urdf").string(), {.srdf = (kConfig / "snake.srdf").string()});
  std::shared_ptr<const Scene> scene_ = io::load_scene((kConfig / "scene.yaml").string());
  CollisionWorld world_{robot_, scene_};
  Workspace workspace_{world_};

  Eigen::VectorXd state(const std::string& name) const {
    return positions(*robot_, robot_->group_states().at({"arm", name}));
  }
};

TEST_F(Snake, Has24JointsAndSolidMeshLinks) {
  EXPECT_TRUE(robot_->warnings().empty()) << robot_->warnings().front();
  EXPECT_TRUE(scene_->warnings.empty()) << scene_->warnings.front();
  EXPECT_EQ(robot_->group_or_all("arm").joints.size(), 24u);
  EXPECT_EQ(robot_->num_positions(), 24);
  int meshes = 0;
  for (const Body& body : robot_->bodies()) {
    for (const PlacedGeometry& placed : body.geometries) {
      if (placed.geometry->kind() != Geometry::Kind::kMesh) continue;
      ++meshes;
      EXPECT_TRUE(placed.geometry->is_solid()) << body.name;
      EXPECT_GE(placed.geometry->num_elements(), 200) << body.name;
      EXPECT_LE(placed.geometry->num_elements(), 300) << body.name;
    }
  }
  EXPECT_EQ(meshes, 23);
}

TEST_F(Snake, NamedStatesAreFreeWithRoomToSpare) {
  for (const char* name : {"home", "start", "goal"}) {
    const StateResult result = check_state(world_, state(name), {.distances = true}, workspace_);
    EXPECT_EQ(result.verdict, Verdict::kFree) << name;
    ASSERT_TRUE(result.distance.has_value()) << name;
    EXPECT_GT(result.distance->lo, 0.05) << name;
  }
}

TEST_F(Snake, TheStraightMotionCollides) {
  const Motion motion(*robot_, state("start"), state("goal"));
  EXPECT_EQ(check_motion(world_, motion, {}, workspace_).verdict, Verdict::kCollision);
}

// Seen in the world frame: the goal's body lies inside both openings, and the start's in front.
TEST_F(Snake, TheGoalIsBehindBothWallsAndTheStartInFront) {
  std::vector<RigidEnclosure> X_WL(static_cast<std::size_t>(robot_->num_links()));
  Motion(*robot_, state("start")).poses(*robot_, 0, X_WL);
  EXPECT_LT(X_WL.back().X.p.x() + 0.112, 0.82);
  Motion(*robot_, state("goal")).poses(*robot_, 0, X_WL);
  EXPECT_GT(X_WL.back().X.p.x(), 2.25);  // beyond the last lying pipes
}

TEST(SnakeScript, WritesWhatIsUnderVersionControl) {
#ifndef CATENA_PYTHON
  GTEST_SKIP() << "python3 was not found when the tests were configured";
#else
  std::string folder = (fs::temp_directory_path() / "catena_snake_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string command = std::string("'") + CATENA_PYTHON + "' '" +
                              (fs::path(CATENA_SOURCE_DIR) / "scripts/make_snake.py").string() +
                              "' '" + folder + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto text = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return std::move(out).str();
  };
  for (const char* name :
       {"snake.urdf", "snake.srdf", "meshes/snake_link.obj", "meshes/snake_head.obj"}) {
    ASSERT_FALSE(text(fs::path(folder) / name).empty()) << name;
    EXPECT_TRUE(text(fs::path(folder) / name) == text(kConfig / name))
        << name << " is not what scripts/make_snake.py writes; run it";
  }
  fs::remove_all(folder);
#endif
}

// ---- the examples
// ----------------------------------------------------------------------------------

struct Example {
  std::string robot, srdf, scene, query;
};

/// The result of every edge of an example's query, by its id; joints are in the query's order.
std::map<std::string, MotionResult> results_of(const Example& example) {
  const fs::path folder = kConfig / "examples";
  const auto robot =
      io::load_urdf((folder / example.robot).string(),
                    {.srdf = example.srdf.empty() ? "" : (folder / example.srdf).string()});
  const CollisionWorld world(robot, io::load_scene((folder / example.scene).string()));
  const io::QueryFile query = io::load_query((folder / example.query).string());
  Workspace workspace(world);
  const auto q = [&](const std::string& name) {
    Robot::NamedState state;
    std::size_t at = 0;
    for (const std::string& joint : query.joint_order) {
      const int n = num_values(robot->joint(robot->find_joint(joint)).type);
      for (int i = 0; i < n; ++i) state[joint].push_back(query.states.at(name).at(at++));
    }
    return positions(*robot, state);
  };
  for (const auto& check : query.check) {
    EXPECT_EQ(check_state(world, q(check.state), {}, workspace).verdict, Verdict::kFree)
        << example.query << " " << check.state;
  }
  std::map<std::string, MotionResult> results;
  for (const auto& edge : query.edges) {
    results[edge.id] = check_motion(world, Motion(*robot, q(edge.from), q(edge.to)),
                                    {.distances = true}, workspace);
  }
  return results;
}

void expect_contact(const MotionResult& result, double t) {
  ASSERT_EQ(result.verdict, Verdict::kCollision);
  EXPECT_LE(result.free_until, t + 1e-12);
  EXPECT_GE(result.free_until, t - 1e-6);
  EXPECT_NEAR(result.contact.value(), t, 1e-6);
}

TEST(Examples, StretchedArmSweepsThroughThePostFoldedDoesNot) {
  auto results = results_of({"two_link.urdf", "two_link.srdf", "post.json", "two_link_query.json"});
  ASSERT_EQ(results.size(), 4u);
  // The forearm's side is 0.02 from its axis, the post's centre 0.9 away has radius 0.01.
  expect_contact(results["sweep"], (1 - std::asin(0.03 / 0.9)) / 2);
  for (const char* id : {"fold", "carry", "unfold"}) {
    EXPECT_EQ(results[id].verdict, Verdict::kFree) << id;
  }
}

TEST(Examples, BrickPassesTheWindowFlatNotUpright) {
  auto results = results_of(
      {"floating_brick.urdf", "floating_brick.srdf", "window.yaml", "window_query.json"});
  ASSERT_EQ(results.size(), 3u);
  ASSERT_EQ(results["flat"].verdict, Verdict::kFree);
  EXPECT_LE(results["flat"].distance->lo, 0.03);  // 0.08 - 0.05, above and below
  EXPECT_GE(results["flat"].distance->hi, 0.03);
  expect_contact(results["upright"], 0.275);  // its front, 0.2 ahead, meets the wall's face
  EXPECT_EQ(results["turn"].verdict, Verdict::kFree);
}

TEST(Examples, FingersCloseOnTheBall) {
  auto results = results_of({"gripper.urdf", "", "ball_on_table.json", "gripper_query.json"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results["lower"].verdict, Verdict::kFree);
  expect_contact(results["close"], (0.06 - 0.028) / 0.06);  // inner faces 0.03 from the middle
}

}  // namespace
}  // namespace catena
