// `catena verify` on paths that another planner front end wrote (data/scenes/omplapp): rigid bodies
// in the plane and in space, as meshes.
//
// Oracle: 2,000 samples an edge with another library found all states and all edges free, except
// edge 81 of Barriers.path, which collides between two free ends (data/SOURCES.md).

#include <cmath>
#include <string>
#include <vector>

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>
#include <assimp/Importer.hpp>
#include <nlohmann/json.hpp>

#include "support/data.hpp"
#include "support/run_command.hpp"

namespace catena::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void add_vertices(const aiScene& scene, const aiNode& node, aiMatrix4x4 X, double sum[4]) {
  X = X * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D p = X * mesh.mVertices[v];
      sum[0] += static_cast<double>(p.x);
      sum[1] += static_cast<double>(p.y);
      sum[2] += static_cast<double>(p.z);
      sum[3] += 1.0;
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_vertices(scene, *node.mChildren[i], X, sum);
}

/// That front end turned COLLADA's z axis up to y; we, as ROS's tools, do not: both meshes are
/// turned here. A state places the robot's mesh after the mean of its vertices was subtracted; in
/// the plane not its z (data/SOURCES.md says so of this front end).
std::string origin_of(const fs::path& mesh, bool plane) {
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFile(mesh.string(), aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                                           aiProcess_SortByPType | aiProcess_OptimizeGraph);
  if (scene == nullptr) throw std::runtime_error(importer.GetErrorString());
  double sum[4] = {};
  add_vertices(*scene, *scene->mRootNode, aiMatrix4x4(), sum);
  const auto minus_mean = [&](int i) { return Json(-sum[i] / sum[3]).dump(); };
  return minus_mean(0) + " " + minus_mean(1) + " " + (plane ? "0" : minus_mean(2));
}

struct Problem {
  const char* path;
  const char* robot;
  const char* world;
  int colliding_edge;  // -1: none
};

class OmplApp : public testing::TestWithParam<Problem> {};

TEST_P(OmplApp, EveryEdgeIsJudgedAsSamplingSays) {
  CATENA_REQUIRE_DATA("data/scenes/omplapp");
  const fs::path base = data_root() / "data" / "scenes" / "omplapp";
  const Problem problem = GetParam();
  const bool plane = std::string(problem.path).starts_with("2D");
  const TemporaryFolder temporary;
  const std::string robot = temporary.write(
      "robot.urdf",
      "<robot name=\"body\"><link name=\"room\"/><link name=\"body\"><collision><origin xyz=\"" +
          origin_of(base / problem.robot, plane) +
          "\" rpy=\"-1.5707963267948966 0 0\"/><geometry><mesh filename=\"file://" +
          (base / problem.robot).string() +
          "\"/></geometry></collision></link><joint name=\"root\" type=\"" +
          (plane ? "planar" : "floating") +
          "\"><parent link=\"room\"/><child link=\"body\"/><axis xyz=\"0 0 1\"/></joint></robot>");
  Json world = {{"id", "world"}, {"shape", "mesh"}, {"file", (base / problem.world).string()}};
  world["pose"]["xyz"] = {0, 0, 0};
  world["pose"]["quat_xyzw"] = {-std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  Json scene;
  scene["objects"] = Json::array({world});
  const CommandResult result =
      run_catena({"verify", robot, "--scene", temporary.write("scene.json", scene.dump()), "--path",
                  (base / problem.path).string(), "--json"});
  ASSERT_EQ(result.status, problem.colliding_edge < 0 ? 0 : 1) << result.err;
  const Json answer = Json::parse(result.out);
  EXPECT_EQ(answer["undecided"], 0);
  if (problem.colliding_edge < 0) {
    EXPECT_EQ(answer["collision"], 0);
    return;
  }
  EXPECT_EQ(answer["first_collision"], problem.colliding_edge);
  EXPECT_EQ(answer["collision"], 1);
  const Json edge = answer["edges"][static_cast<size_t>(problem.colliding_edge)];
  EXPECT_GT(edge["contact"], 0.0) << "its ends are free";
  EXPECT_LT(edge["contact"], 1.0);
  EXPECT_NEAR(edge["free_until"].get<double>(), edge["contact"].get<double>(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Paths, OmplApp,
    testing::Values(
        Problem{"2D/Barriers.path", "2D/Barriers_easy_robot.dae", "2D/Barriers_easy_env.dae", 81},
        Problem{"2D/Maze_planar.path", "2D/car2_planar_robot.dae", "2D/Maze_planar_env.dae", -1},
        Problem{"3D/Easy.path", "3D/Easy_robot.dae", "3D/Easy_env.dae", -1},
        Problem{"3D/Twistycool.path", "3D/Twistycool_robot.dae", "3D/Twistycool_env.dae", -1},
        Problem{"3D/cubicles.path", "3D/cubicles_robot.dae", "3D/cubicles_env.dae", -1}),
    [](const auto& named) {
      const std::string path = named.param.path;
      return path.substr(3, path.find('.') - 3);
    });

}  // namespace
}  // namespace catena::test
