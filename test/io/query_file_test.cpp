// The query reader: the form of the interface, and a message for each way of getting it wrong.

#include "catena/io/query_file.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "catena/io/input_error.hpp"
#include "support/damage.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::TemporaryFolder;

constexpr const char* kExample = R"({ "joint_order": ["joint_1", "joint_2"],
  "units": {"length": "m", "angle": "rad"}, "note": "kept out",
  "package_map": {"my_robot": "."},
  "states": {"a": [0.0, 0.1], "b": [0.5, 1e-1], "bad": ["nan", null, "-inf"]},
  "others": {"gripper": 0.02},
  "check": ["a", {"state": "b", "scene": "other.json", "robot": "other.urdf"}],
  "edges": [{"id": "ab", "from": "a", "to": "b", "scene": "/abs/optional.json"}] })";

std::string message_of(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.write("q.json", text);
  try {
    (void)load_query(path);
    return "accepted";
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size() - 6);
  }
}

TEST(QueryFile, ReadsTheExample) {
  const TemporaryFolder folder;
  const QueryFile query = load_query(folder.write("q.json", kExample));
  EXPECT_EQ(query.joint_order, (std::vector<std::string>{"joint_1", "joint_2"}));
  EXPECT_EQ(query.states.at("b"), (std::vector<double>{0.5, 0.1}));
  EXPECT_TRUE(std::isnan(query.states.at("bad")[0]));
  EXPECT_TRUE(std::isnan(query.states.at("bad")[1]));
  EXPECT_EQ(query.states.at("bad")[2], -INFINITY);
  EXPECT_EQ(query.others.at("gripper"), 0.02);
  ASSERT_EQ(query.check.size(), 2u);
  EXPECT_EQ(query.check[0].state, "a");
  EXPECT_EQ(query.check[0].scene, "");
  EXPECT_EQ(query.check[1].scene, (folder.path() / "other.json").string());
  EXPECT_EQ(query.check[1].robot, (folder.path() / "other.urdf").string());
  ASSERT_EQ(query.edges.size(), 1u);
  EXPECT_EQ(query.edges[0].scene, "/abs/optional.json");
  EXPECT_EQ(query.edges[0].robot, "");
  EXPECT_TRUE(std::filesystem::equivalent(query.packages.at("my_robot"), folder.path()));
}

TEST(QueryFile, WarnsOfKeysThatItIgnores) {
  const TemporaryFolder folder;
  EXPECT_TRUE(load_query(folder.write("q.json", kExample)).warnings.empty());
  const std::string path =
      folder.write("q.json", "{\"joint_order\": [],\n\"edge\": [],\n\"Check\": [], \"author\": 1}");
  const std::vector<std::string> expected = {
      path + ":2: edge: an unknown key, ignored; is \"edges\" meant?",
      path + ":3: Check: an unknown key, ignored; is \"check\" meant?",
      path + ":3: author: an unknown key, ignored"};
  EXPECT_EQ(load_query(path).warnings, expected);
}

TEST(QueryFile, ChecksAndEdgesDefaultToNone) {
  const TemporaryFolder folder;
  const QueryFile query = load_query(folder.write("q.json", R"({"joint_order": []})"));
  EXPECT_TRUE(query.check.empty() && query.edges.empty() && query.states.empty());
}

TEST(QueryFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& text) { return message_of(folder, text); };
  EXPECT_EQ(say("{"),
            "q.json:1: syntax error while parsing object key - unexpected end of input; "
            "expected string literal; correct the JSON there");
  EXPECT_EQ(say("[]"), "q.json:1: expected a map, found a list; write {key: value, ...}");
  EXPECT_EQ(say("{}"), "q.json:1: \"joint_order\" is missing; add it");
  EXPECT_EQ(say("{\"joint_order\": [],\n\"joint_order\": []}"),
            "q.json:2: joint_order: \"joint_order\" is given twice; keep one of them");
  EXPECT_EQ(say("{\"joint_order\": [],\n\"states\": {\"a\": [],\n\n\"a\": []}}"),
            "q.json:4: states.a: \"a\" is given twice; keep one of them");
  EXPECT_EQ(say(R"({"joint_order": ["a", "a"]})"),
            "q.json:1: joint_order[1]: joint \"a\" is given twice; keep one of them");
  EXPECT_EQ(say(R"({"joint_order": [""]})"),
            "q.json:1: joint_order[0]: an empty joint name; give the joint's name");
  EXPECT_EQ(say(R"({"joint_order": [7]})"),
            "q.json:1: joint_order[0]: expected a text, found 7; write it in quotes");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "others": {"a": 1}})"),
            "q.json:1: others.a: joint \"a\" is in joint_order as well; keep one of them");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "others": {"b": "inf"}})"),
            "q.json:1: others.b: \"inf\" is not a finite number; give a decimal number");
  EXPECT_EQ(say("{\"joint_order\": [\"a\"],\n \"states\": {\"x\": [\n\"ten\"]}}"),
            "q.json:3: states.x[0]: \"ten\" is not a finite number; give a decimal number");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [1e999]}})").substr(0, 28),
            "q.json:1: states.x: number o");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [0], "y": [1]}, "check": ["z"]})"),
            "q.json:1: check[0]: there is no state \"z\" in \"states\"; known are x, y");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [0]},
    "edges": [{"id": "e", "from": "x", "to": "z"}]})"),
            "q.json:2: edges[0].to: there is no state \"z\" in \"states\"; known are x");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [0]},
    "edges": [{"id": "e", "from": "x"}]})"),
            "q.json:2: edges[0]: \"to\" is missing; add it");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [0]},
    "edges": [{"id": "e", "from": "x", "to": "x", "scenes": "s"}]})"),
            "q.json:2: edges[0]: unknown key \"scenes\"; known here are id, from, to, scene, "
            "robot, note");
  EXPECT_EQ(say(R"({"joint_order": ["a"], "states": {"x": [0]}, "edges": [
    {"id": "e", "from": "x", "to": "x"}, {"id": "e", "from": "x", "to": "x"}]})"),
            "q.json:2: edges[1].id: edge \"e\" is given twice; give each edge its own id");
  EXPECT_EQ(say(R"({"joint_order": [], "units": {"length": "mm"}})"),
            "q.json:1: units.length: \"mm\" is not supported; convert the file to \"m\"");
}

// Non-numbers are refused by the state's name, and only where they are used.
TEST(QueryFile, RefusesNonNumbersThatAreUsed) {
  const TemporaryFolder folder;
  for (const char* text : {"\"nan\"", "\"inf\"", "\"-inf\"", "null"}) {
    const std::string head =
        std::string(R"({"joint_order": ["a"], "states": {"good": [0], "odd": [)") + text + "]}";
    EXPECT_EQ(message_of(folder, head + "}"), "accepted");
    EXPECT_EQ(message_of(folder, head + R"(, "check": ["good"]})"), "accepted");
    const std::string said = message_of(folder, head + R"(, "check": ["odd"]})");
    EXPECT_TRUE(said.starts_with("q.json:1: states.odd[0]: ")) << said;
    EXPECT_NE(said.find("not a finite number, and check[0] uses state \"odd\""), std::string::npos)
        << said;
    EXPECT_NE(message_of(folder, head + R"(, "edges": [{"id": "e", "from": "good", "to": "odd"}]})")
                  .find("edges[0].to uses state \"odd\""),
              std::string::npos);
  }
  EXPECT_NE(message_of(folder, R"({"joint_order": [], "states": {"x": [nan]}})")
                .find("correct the JSON there"),
            std::string::npos);
}

TEST(QueryFile, ReadsEveryCase) {
  CATENA_REQUIRE_DATA("cases");
  int files = 0;
  for (const auto& folder : std::filesystem::directory_iterator(test::data_root() / "cases")) {
    const auto path = folder.path() / "query.json";
    if (!std::filesystem::exists(path)) continue;
    ++files;
    if (folder.path().filename().string().starts_with("c08")) {
      try {
        (void)load_query(path.string());
        ADD_FAILURE() << "accepted an edge to a state that is not a number";
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("state \"bad_nan\""), std::string::npos);
      }
      continue;
    }
    const QueryFile query = load_query(path.string());
    EXPECT_FALSE(query.edges.empty()) << path;
    for (const auto& edge : query.edges) {
      EXPECT_TRUE(edge.scene.empty() || std::filesystem::exists(edge.scene)) << edge.scene;
      EXPECT_TRUE(edge.robot.empty() || std::filesystem::exists(edge.robot)) << edge.robot;
    }
  }
  EXPECT_EQ(files, 12);
}

TEST(QueryFile, SurvivesDamage) {
  const TemporaryFolder folder;
  std::mt19937 rng(3);
  const std::string text = kExample;
  for (int trial = 0; trial < 2000; ++trial) {
    (void)message_of(folder, test::damaged(text, rng));  // whatever it says, it says it
  }
  // Deep nesting ends in an error, not in an overflow of the stack.
  EXPECT_EQ(message_of(folder, std::string(1'000'000, '[')),
            "q.json:1: nested more than 100 levels deep; flatten it");
}

}  // namespace
}  // namespace catena::io
