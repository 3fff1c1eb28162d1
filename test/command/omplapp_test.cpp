// `catena verify` on paths that another planner front end wrote (data/scenes/omplapp): rigid bodies
// in the plane and in space, as meshes. One edge, 81 of Barriers.path, collides between two free
// ends: whoever wrote it had sampled too coarsely. Two problems come without a path; there, the
// straight motion from start to goal is judged.
//
// Oracle: the triangles of both meshes as that front end places them, every edge of one against
// every triangle of the other, at sampled times; the first contact by bisection. It shares no code
// with the engine, the mesh reader or the joints.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <assimp/Importer.hpp>
#include <nlohmann/json.hpp>

#include "support/data.hpp"
#include "support/run_command.hpp"

namespace catena::test {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;
using Json = nlohmann::json;

struct Triangle {
  Vector3d corner[3];
};

/// A mesh as that front end sees it: COLLADA's z axis turned up to y by the mesh library.
struct FrontEndMesh {
  std::vector<Triangle> triangles;
  Vector3d vertex_sum = Vector3d::Zero();  // of all vertices, those of lines too
  double num_vertices = 0.0;
};

using NodeMatrix = Eigen::Matrix<ai_real, 4, 4, Eigen::RowMajor>;

/// Transformed in double: single precision is 3e-5 m off at these coordinates, where a contact time
/// is wanted to 1e-9.
void add_node(const aiScene& scene, const aiNode& node, Eigen::Affine3d X, FrontEndMesh& out) {
  X = X * Eigen::Affine3d(Eigen::Map<const NodeMatrix>(&node.mTransformation.a1).cast<double>());
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    std::vector<Vector3d> vertices;
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D& p = mesh.mVertices[v];
      vertices.push_back(X * Vector3d(p.x, p.y, p.z));
      out.vertex_sum += vertices.back();
      out.num_vertices += 1.0;
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;
      const unsigned* at = face.mIndices;
      out.triangles.push_back({{vertices[at[0]], vertices[at[1]], vertices[at[2]]}});
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_node(scene, *node.mChildren[i], X, out);
}

FrontEndMesh load(const fs::path& path) {
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFile(path.string(), aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                                           aiProcess_SortByPType | aiProcess_OptimizeGraph);
  if (scene == nullptr) throw std::runtime_error(importer.GetErrorString());
  FrontEndMesh mesh;
  add_node(*scene, *scene->mRootNode, Eigen::Affine3d::Identity(), mesh);
  return mesh;
}

/// Six times the signed volume of the tetrahedron a b c d.
double volume(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  return (b - a).cross(c - a).dot(d - a);
}

/// Coplanar pairs are left to the other edges: no solid meets another by them alone.
bool edge_meets(const Vector3d& p, const Vector3d& q, const Triangle& t) {
  const Vector3d &a = t.corner[0], &b = t.corner[1], &c = t.corner[2];
  const double side_p = volume(a, b, c, p), side_q = volume(a, b, c, q);
  if (side_p * side_q > 0.0 || (side_p == 0.0 && side_q == 0.0)) return false;
  const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  return (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
}

bool meet(const Triangle& a, const Triangle& b) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (edge_meets(a.corner[i], a.corner[j], b) || edge_meets(b.corner[i], b.corner[j], a))
      return true;
  }
  return false;
}

Eigen::AlignedBox3d box_of(const Triangle& t) {
  Eigen::AlignedBox3d box(t.corner[0]);
  return box.extend(t.corner[1]).extend(t.corner[2]);
}

using Values = std::vector<double>;  // x y angle, or x y z qx qy qz qw

/// Where that front end puts the robot: straight, the shorter way round.
Eigen::Isometry3d interpolate(const Values& from, const Values& to, double t) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  const auto blend = [&](size_t i) { return from[i] + t * (to[i] - from[i]); };
  if (from.size() == 3) {
    const double turn = std::remainder(to[2] - from[2], 2.0 * std::numbers::pi);
    X.translation() = Vector3d(blend(0), blend(1), 0.0);
    X.linear() = Eigen::AngleAxisd(from[2] + t * turn, Vector3d::UnitZ()).toRotationMatrix();
  } else {
    const Eigen::Quaterniond a(from[6], from[3], from[4], from[5]);
    const Eigen::Quaterniond b(to[6], to[3], to[4], to[5]);
    X.translation() = Vector3d(blend(0), blend(1), blend(2));
    X.linear() = a.normalized().slerp(t, b.normalized()).toRotationMatrix();
  }
  return X;
}

class SampledOracle {
 public:
  SampledOracle(const FrontEndMesh& robot, const Vector3d& origin, const FrontEndMesh& world)
      : robot_(robot.triangles), world_(world.triangles) {
    for (Triangle& triangle : robot_) {
      for (Vector3d& p : triangle.corner) p += origin;
    }
    for (const Triangle& triangle : world_) boxes_.push_back(box_of(triangle));
  }

  bool in_contact(const Values& from, const Values& to, double t) const {
    const Eigen::Isometry3d X = interpolate(from, to, t);
    std::vector<Triangle> placed = robot_;
    std::vector<Eigen::AlignedBox3d> placed_boxes;
    Eigen::AlignedBox3d all;
    for (Triangle& triangle : placed) {
      for (Vector3d& p : triangle.corner) p = X * p;
      placed_boxes.push_back(box_of(triangle));
      all.extend(placed_boxes.back());
    }
    for (size_t w = 0; w < world_.size(); ++w) {
      if (!boxes_[w].intersects(all)) continue;
      for (size_t r = 0; r < placed.size(); ++r) {
        if (boxes_[w].intersects(placed_boxes[r]) && meet(placed[r], world_[w])) return true;
      }
    }
    return false;
  }

  /// The first sampled contact, closed to rounding by bisection from the sample before it.
  std::optional<double> first_contact(const Values& from, const Values& to, int samples) const {
    double before = 0.0;
    for (int i = 0; i <= samples; ++i) {
      double hit = static_cast<double>(i) / samples;
      if (!in_contact(from, to, hit)) {
        before = hit;
        continue;
      }
      for (int step = 0; step < 50; ++step) {
        const double middle = 0.5 * (before + hit);
        (in_contact(from, to, middle) ? hit : before) = middle;
      }
      return hit;
    }
    return std::nullopt;
  }

 private:
  std::vector<Triangle> robot_, world_;
  std::vector<Eigen::AlignedBox3d> boxes_;
};

std::vector<Values> states_of(const fs::path& path) {
  std::vector<Values> states;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Values state;
    for (double value; words >> value;) state.push_back(value);
    if (!state.empty()) states.push_back(state);
  }
  return states;
}

struct Problem {
  const char* name;
  const char* path;  // a file, or the states themselves
  const char* robot;
  const char* world;
  size_t edges;
  int colliding_edge;  // -1: none
};

void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

class OmplApp : public testing::TestWithParam<Problem> {};

// Property: the oracle meets nothing on a free edge, and its first contact lies in the bracket of a
// colliding one; how the meshes are filled changes nothing here.
TEST_P(OmplApp, EveryEdgeIsJudgedAsSamplingSays) {
  CATENA_REQUIRE_DATA("data/scenes/omplapp");
  const fs::path base = data_root() / "data" / "scenes" / "omplapp";
  const Problem& problem = GetParam();
  const TemporaryFolder temporary;
  const fs::path path = std::string(problem.path).ends_with(".path")
                            ? base / problem.path
                            : fs::path(temporary.write("straight.path", problem.path));
  const std::vector<Values> states = states_of(path);
  ASSERT_EQ(states.size(), problem.edges + 1);
  const bool plane = states[0].size() == 3;

  // A state places the robot's mesh after the mean of its vertices was subtracted; in the plane not
  // its z. Our reader, as ROS's tools, leaves COLLADA's z up: both meshes are turned here.
  const FrontEndMesh body = load(base / problem.robot);
  Vector3d origin = -body.vertex_sum / body.num_vertices;
  if (plane) origin.z() = 0.0;
  const std::string xyz =
      Json(origin.x()).dump() + " " + Json(origin.y()).dump() + " " + Json(origin.z()).dump();
  const std::string robot = temporary.write(
      "robot.urdf",
      "<robot name=\"body\"><link name=\"room\"/><link name=\"body\"><collision><origin xyz=\"" +
          xyz + "\" rpy=\"-1.5707963267948966 0 0\"/><geometry><mesh filename=\"file://" +
          (base / problem.robot).string() +
          "\"/></geometry></collision></link><joint name=\"root\" type=\"" +
          (plane ? "planar" : "floating") +
          "\"><parent link=\"room\"/><child link=\"body\"/><axis xyz=\"0 0 1\"/></joint></robot>");
  Json world = {{"id", "world"}, {"shape", "mesh"}, {"file", (base / problem.world).string()}};
  world["pose"]["xyz"] = {0, 0, 0};
  world["pose"]["quat_xyzw"] = {-std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  Json scene;
  scene["objects"] = Json::array({world});

  const std::vector<std::string> question = {
      "verify", robot,         "--scene", temporary.write("scene.json", scene.dump()),
      "--path", path.string(), "--json"};
  std::vector<std::string> as_surfaces = question;
  for (const char* name : {"body", "world"}) {
    as_surfaces.emplace_back("--surface");
    as_surfaces.emplace_back(name);
  }
  const int status = problem.colliding_edge < 0 ? 0 : 1;
  const CommandResult result = run_catena(question);
  ASSERT_EQ(result.status, status) << result.err;
  // Some of these rooms have walls whose inside faces out; nothing else is to be said of any, but
  // for progress where it takes long.
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("certified: ") ||
                line.find("shells that face inward") != std::string::npos)
        << line;
  const CommandResult surfaces = run_catena(as_surfaces);
  ASSERT_EQ(surfaces.status, status) << surfaces.err;

  const Json answer = Json::parse(result.out), other = Json::parse(surfaces.out);
  EXPECT_EQ(answer["certified"], status == 0);
  EXPECT_EQ(answer["undecided"], 0);
  EXPECT_EQ(answer["collision"], status);
  EXPECT_EQ(answer["free"], problem.edges - static_cast<size_t>(status));
  EXPECT_EQ(answer["first_collision"],
            problem.colliding_edge < 0 ? Json() : Json(problem.colliding_edge));
  ASSERT_EQ(answer["edges"].size(), problem.edges);

  const SampledOracle oracle(body, origin, load(base / problem.world));
  for (size_t i = 0; i < problem.edges; ++i) {
    SCOPED_TRACE("edge " + std::to_string(i));
    const Json& edge = answer["edges"][i];
    EXPECT_EQ(edge["verdict"], other["edges"][i]["verdict"]);
    if (static_cast<int>(i) != problem.colliding_edge) {
      EXPECT_EQ(edge["verdict"], "free");
      EXPECT_EQ(edge["free_until"], 1.0);
      EXPECT_TRUE(edge["contact"].is_null());
      EXPECT_FALSE(oracle.first_contact(states[i], states[i + 1], 50));
      continue;
    }
    EXPECT_EQ(edge["verdict"], "collision");
    EXPECT_FALSE(oracle.in_contact(states[i], states[i + 1], 0.0));
    EXPECT_FALSE(oracle.in_contact(states[i], states[i + 1], 1.0));
    const std::optional<double> truth = oracle.first_contact(states[i], states[i + 1], 400);
    ASSERT_TRUE(truth);
    const double free_until = edge["free_until"], contact = edge["contact"];
    EXPECT_GT(free_until, 0.0);
    EXPECT_LT(contact, 1.0);
    EXPECT_LE(contact - free_until, 1e-6);
    // The oracle's own rounding: 1e-13 of coordinates up to 1e3, over motions of metres.
    EXPECT_LE(free_until, *truth + 1e-9);
    EXPECT_GE(contact, *truth - 1e-9);
    EXPECT_TRUE(edge["pair"] == Json({"body", "world"}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paths, OmplApp,
    testing::Values(Problem{"Barriers", "2D/Barriers.path", "2D/Barriers_easy_robot.dae",
                            "2D/Barriers_easy_env.dae", 92, 81},
                    Problem{"Maze_planar", "2D/Maze_planar.path", "2D/car2_planar_robot.dae",
                            "2D/Maze_planar_env.dae", 76, -1},
                    Problem{"Easy", "3D/Easy.path", "3D/Easy_robot.dae", "3D/Easy_env.dae", 39, -1},
                    Problem{"Twistycool", "3D/Twistycool.path", "3D/Twistycool_robot.dae",
                            "3D/Twistycool_env.dae", 34, -1},
                    Problem{"cubicles", "3D/cubicles.path", "3D/cubicles_robot.dae",
                            "3D/cubicles_env.dae", 210, -1},
                    // Start and goal of Home.cfg and alpha-1.0.cfg.
                    Problem{"Home", "252.95 -214.95 46.19 0 0 0 1\n262.95 75.05 46.19 0 0 0 1\n",
                            "3D/Home_robot.dae", "3D/Home_env.dae", 1, 0},
                    Problem{"alpha", "-21.91 -11.11 -14.14 0 0 0 1\n-21.91 -11.11 57.86 0 0 0 1\n",
                            "3D/alpha_robot.dae", "3D/alpha_env-1.0.dae", 1, 0}),
    [](const auto& named) { return std::string(named.param.name); });

}  // namespace
}  // namespace catena::test
