// Every item of cases/expected.json, asked of the `catena` command.
//
// Oracle: the closed formulas of cases/CASES.md, which were confirmed by a program that shares no
// code with this project.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/data.hpp"
#include "support/run_command.hpp"

namespace catena::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kTimeLate = 1e-6;   // a contact may be reported later than true by this at most
constexpr double kTimeEarly = 1e-5;  // and earlier by this
constexpr double kDistanceError = 1e-5;  // metres
// The formulas speak of decimal sizes, a mesh is what a reader of single precision gets of them.
constexpr double kMeshRounding = 1e-7;

Json expected() { return Json::parse(read_file(data_root() / "cases" / "expected.json")); }

/// A case's query with its paths made absolute, so that it can be changed and stored elsewhere.
Json load_case(const fs::path& folder) {
  Json query = Json::parse(read_file(folder / "query.json"));
  for (Json& edge : query["edges"])
    for (const char* key : {"scene", "robot"})
      if (edge.contains(key)) edge[key] = (folder / edge[key].get<std::string>()).string();
  if (query.contains("package_map"))
    for (auto& [name, path] : query["package_map"].items())
      path = fs::absolute(folder / path.get<std::string>()).string();
  return query;
}

/// The arguments that ask a query: the case's own robot and scene are the command line's.
std::vector<std::string> ask(const fs::path& folder, const std::string& query, const Json& items) {
  fs::path robot = folder / "robot.urdf";
  if (!fs::exists(robot)) robot = items["edges"].at(0)["robot"].get<std::string>();
  std::vector<std::string> arguments = {"query", robot.string(), "--query",
                                        query,   "--json",       "--distances"};
  if (fs::exists(folder / "scene.json")) {
    arguments.push_back("--scene");
    arguments.push_back((folder / "scene.json").string());
  }
  return arguments;
}

void expect_distance(const Json& answer, double truth) {
  ASSERT_TRUE(answer["distance"].is_array()) << answer;
  const double lo = answer["distance"][0], hi = answer["distance"][1];
  EXPECT_LE(lo, truth + kMeshRounding) << "a lower bound above the truth";
  EXPECT_GE(hi, truth - kMeshRounding) << "an upper bound below the truth";
  EXPECT_NEAR(lo, truth, kDistanceError);
  EXPECT_NEAR(hi, truth, kDistanceError);
}

void expect_edge(const Json& answer, const Json& truth) {
  if (truth["valid"].get<bool>()) {
    EXPECT_EQ(answer["verdict"], "free");
    EXPECT_EQ(answer["free_until"], 1.0);
    EXPECT_TRUE(answer["contact"].is_null());
    expect_distance(answer, truth["min_distance"]);
    return;
  }
  EXPECT_EQ(answer["verdict"], "collision");
  ASSERT_TRUE(answer["contact"].is_number()) << answer;
  const double first_contact = truth["first_contact"];
  const double free_until = answer["free_until"], contact = answer["contact"];
  EXPECT_LE(free_until, first_contact + 1e-12);
  EXPECT_LE(contact, first_contact + kTimeLate);
  EXPECT_GE(contact, first_contact - kTimeEarly);
  EXPECT_GE(free_until, first_contact - kTimeEarly);
  if (first_contact == 0.0) {
    EXPECT_EQ(free_until, 0.0);
  }
  EXPECT_EQ(answer["pair"].size(), 2u) << answer;
}

void expect_state(const Json& answer, const Json& truth) {
  EXPECT_EQ(answer["verdict"], truth["valid"].get<bool>() ? "free" : "collision");
  if (!truth.contains("distance")) return;
  if (truth["valid"].get<bool>() || !answer["distance"].is_null())
    expect_distance(answer, truth["distance"]);
}

class Cases : public testing::TestWithParam<const char*> {};

TEST_P(Cases, AreAnsweredAsTheFormulasSay) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  const Json truth = expected().at(GetParam());
  const fs::path folder = data_root() / "cases" / GetParam();
  Json query = load_case(folder);
  // Values that are not numbers are a test of their own.
  auto& edges = query["edges"];
  edges.erase(std::remove_if(edges.begin(), edges.end(),
                             [&](const Json& edge) {
                               const Json& item = truth["edges"].at(edge["id"].get<std::string>());
                               return item.contains("skip_numeric");
                             }),
              edges.end());
  Json check = Json::array();
  std::vector<std::string> states;
  if (truth.contains("states"))
    for (const auto& [id, item] : truth["states"].items()) {
      if (id.starts_with("bad_")) continue;
      Json entry = {{"state", item.value("state", id)}};
      if (item.contains("scene"))
        entry["scene"] = (folder / item["scene"].get<std::string>()).string();
      check.push_back(entry);
      states.push_back(id);
    }
  query["check"] = check;
  const TemporaryFolder temporary;
  const std::string file = temporary.write("query.json", query.dump());
  const CommandResult result = run_catena(ask(folder, file, query));

  bool collides = false;
  for (const Json& edge : query["edges"])
    collides |= !truth["edges"].at(edge["id"].get<std::string>())["valid"].get<bool>();
  ASSERT_EQ(result.status, collides ? 1 : 0) << result.err;
  const Json answer = Json::parse(result.out);
  ASSERT_EQ(answer["edges"].size(), query["edges"].size());
  for (size_t i = 0; i < query["edges"].size(); ++i) {
    const std::string id = query["edges"][i]["id"];
    SCOPED_TRACE(id);
    EXPECT_EQ(answer["edges"][i]["id"], id);
    expect_edge(answer["edges"][i], truth["edges"].at(id));
  }
  ASSERT_EQ(answer["states"].size(), states.size());
  for (size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(states[i]);
    expect_state(answer["states"][i], truth["states"].at(states[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cases,
                         testing::Values("c01_long_lever_sweep", "c02_swing_arc",
                                         "c03_co_moving_siblings", "c04_two_posts_last_valid",
                                         "c05_mesh_vs_mesh_contact_time", "c06_pi_seam",
                                         "c07_inside_closed_mesh", "c08_nan_and_degenerate",
                                         "c10_concave_channel", "c11_mesh_scale",
                                         "c12_urdf_semantics", "c13_far_from_origin"),
                         [](const auto& named) { return std::string(named.param).substr(0, 3); });

TEST(Cases, AllOfThemAreTested) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  EXPECT_EQ(expected().size(), 13u) << "a case was added: test it here";
}

// c08, state by state: numbers are answered, what is no number is refused with the state's name.
TEST(CaseC08, StatesThatAreNoNumbersAreRefusedByName) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  const fs::path folder = data_root() / "cases" / "c08_nan_and_degenerate";
  const Json truth = expected().at("c08_nan_and_degenerate");
  const Json original = load_case(folder);
  const TemporaryFolder temporary;
  for (const std::string state : original["state_sequence"]) {
    SCOPED_TRACE(state);
    Json query = original;
    query["edges"] = Json::array();
    query["check"] = Json::array({state});
    const std::string file = temporary.write("query.json", query.dump());
    const CommandResult result = run_catena(ask(folder, file, query));
    if (state.starts_with("bad_")) {
      EXPECT_EQ(result.status, 2);
      EXPECT_EQ(result.out, "");
      EXPECT_NE(result.err.find(state), std::string::npos) << result.err;
      continue;
    }
    const bool free = truth["states"][state]["valid"];
    ASSERT_EQ(result.status, free ? 0 : 1) << result.err;
    expect_state(Json::parse(result.out)["states"][0], truth["states"][state]);
  }
}

TEST(CaseC08, EdgesToWhatIsNoNumberAreRefusedByName) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  const fs::path folder = data_root() / "cases" / "c08_nan_and_degenerate";
  const Json original = load_case(folder);
  const TemporaryFolder temporary;
  for (const auto& [id, state] : {std::pair{"nan_edge", "bad_nan"}, {"inf_edge", "bad_inf"}}) {
    SCOPED_TRACE(id);
    Json query = original;
    query["edges"] = Json::array();
    for (const Json& edge : original["edges"])
      if (edge["id"] == id) query["edges"].push_back(edge);
    ASSERT_EQ(query["edges"].size(), 1u);
    const CommandResult result =
        run_catena(ask(folder, temporary.write("query.json", query.dump()), query));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(state), std::string::npos) << result.err;
  }
}

// A mesh with a vertex that is no number: a load error that names the file, or the right answers.
TEST(CaseC08, AMeshWithAVertexThatIsNoNumberIsNeverFreeWhereItHits) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  const fs::path folder = data_root() / "cases" / "c08_nan_and_degenerate";
  Json query = load_case(folder);
  query["edges"] = Json::array();
  query["check"] = Json::array({"hit"});
  const TemporaryFolder temporary;
  auto arguments = ask(folder, temporary.write("query.json", query.dump()), query);
  arguments[1] = (folder / "robot_nan_vertex.urdf").string();
  const CommandResult result = run_catena(arguments);
  if (result.status == 2) {
    EXPECT_NE(result.err.find("nan_vertex_cube.obj"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  } else {
    EXPECT_EQ(result.status, 1) << result.out << result.err;
  }
}

std::string urdf_shape(const Json& shape) {
  const auto number = [&](const char* key) { return shape[key].dump(); };
  const std::string kind = shape["shape"];
  if (kind == "sphere") return "<sphere radius=\"" + number("radius") + "\"/>";
  if (kind == "cylinder")
    return "<cylinder radius=\"" + number("radius") + "\" length=\"" + number("length") + "\"/>";
  const Json& size = shape["size"];
  return "<box size=\"" + size[0].dump() + " " + size[1].dump() + " " + size[2].dump() + "\"/>";
}

std::string blanks(const Json& numbers) {
  std::string text;
  for (const Json& number : numbers) text += (text.empty() ? "" : " ") + number.dump();
  return text;
}

// c09: shape a as a robot of one link, shape b as a scene of one object; and the other way round.
TEST(CaseC09, DistancesOfPrimitivesInEitherRole) {
  CATENA_REQUIRE_DATA("cases/expected.json");
  const Json pairs = Json::parse(
      read_file(data_root() / "cases" / "c09_primitive_distances" / "pairs.json"))["pairs"];
  const Json truth = expected().at("c09_primitive_distances")["pairs"];
  ASSERT_EQ(pairs.size(), truth.size());
  const TemporaryFolder temporary;
  const std::string query = temporary.write(
      "query.json", R"({"joint_order": [], "states": {"here": []}, "check": ["here"]})");
  for (const Json& pair : pairs)
    for (const auto& [robot_shape, scene_shape] :
         {std::pair{pair["a"], pair["b"]}, std::pair{pair["b"], pair["a"]}}) {
      SCOPED_TRACE(pair["id"]);
      const Json& pose = robot_shape["pose"];
      const std::string robot = temporary.write(
          "robot.urdf",
          "<robot name=\"one\" version=\"1.1\"><link name=\"body\"><collision><origin xyz=\"" +
              blanks(pose["xyz"]) + "\" quat_xyzw=\"" + blanks(pose["quat_xyzw"]) +
              "\"/><geometry>" + urdf_shape(robot_shape) +
              "</geometry></collision></link></robot>");
      Json object = scene_shape;
      object["id"] = "thing";
      const std::string scene =
          temporary.write("scene.json", Json{{"objects", Json::array({object})}}.dump());
      const CommandResult result =
          run_catena({"query", robot, "--scene", scene, "--query", query, "--json"});
      const double distance = truth[pair["id"].get<std::string>()];
      ASSERT_EQ(result.status, distance > 0.0 ? 0 : 1) << result.err;
      const Json answer = Json::parse(result.out)["states"][0];
      EXPECT_EQ(answer["verdict"], distance > 0.0 ? "free" : "collision");
      EXPECT_EQ(answer["pair"], Json::array({"body", "thing"}));
      if (distance > 0.0 || !answer["distance"].is_null()) expect_distance(answer, distance);
      if (distance > 0.0) {
        const auto& p = answer["points"];
        EXPECT_NEAR(std::hypot(p[0][0].get<double>() - p[1][0].get<double>(),
                               p[0][1].get<double>() - p[1][1].get<double>(),
                               p[0][2].get<double>() - p[1][2].get<double>()),
                    distance, kDistanceError)
            << "the points are those of the distance";
      }
    }
}

}  // namespace
}  // namespace catena::test
