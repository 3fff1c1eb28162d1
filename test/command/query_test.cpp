// `catena query`: how values reach joints, which files replace which, what an answer holds.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command/fixtures.hpp"
#include "support/run_command.hpp"

namespace catena::test {
namespace {

using Json = nlohmann::json;

class Query : public testing::Test {
 protected:
  CommandResult ask(const std::string& robot, const std::string& query,
                    std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"query", robot, "--query",
                                          folder.write("query.json", query), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_catena(arguments);
  }

  const TemporaryFolder folder;
  const std::string arm = folder.write("arm.urdf", kArm);
  const std::string slider = folder.write("slider.urdf", kSlider);
  const std::string post = folder.write("post.json", kPost);
};

TEST_F(Query, AnEmptyQueryIsAllFree) {
  const CommandResult result = ask(arm, R"({"joint_order": ["shoulder", "elbow"]})");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out), (Json{{"states", Json::array()}, {"edges", Json::array()}}));
}

// Property: the order of joint_order is the file's business, the answer is the same.
TEST_F(Query, JointOrderMayBeAnyOrder) {
  const std::string a = R"({"joint_order": ["shoulder", "elbow"],
    "states": {"s": [0.3, -0.9], "t": [-0.4, 0.2]},
    "check": ["s", "t"], "edges": [{"id": "st", "from": "s", "to": "t"}]})";
  const std::string b = R"({"joint_order": ["elbow", "shoulder"],
    "states": {"s": [-0.9, 0.3], "t": [0.2, -0.4]},
    "check": ["s", "t"], "edges": [{"id": "st", "from": "s", "to": "t"}]})";
  const CommandResult first = ask(arm, a, {"--scene", post, "--distances"});
  const CommandResult second = ask(arm, b, {"--scene", post, "--distances"});
  EXPECT_EQ(first.status, second.status);
  EXPECT_EQ(first.out, second.out);
  EXPECT_NE(first.out, "");
}

// Property: threads change nothing, not even a digit or a counter.
TEST_F(Query, ThreadsDoNotChangeTheAnswer) {
  Json query = {{"joint_order", {"shoulder", "elbow"}}};
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.push_back("s" + std::to_string(i));
    query["states"][names.back()] = {-2.9 + 0.14 * i, 2.4 - 0.11 * i};
    query["check"].push_back(names.back());
    if (i > 0)
      query["edges"].push_back({{"id", "e" + std::to_string(i)},
                                {"from", names[static_cast<size_t>(i) - 1]},
                                {"to", names.back()}});
  }
  const CommandResult one = ask(arm, query.dump(), {"--scene", post, "--threads", "1"});
  const CommandResult four = ask(arm, query.dump(), {"--scene", post, "--threads", "4"});
  EXPECT_EQ(one.status, 1) << one.err;
  EXPECT_EQ(one.out, four.out);
}

TEST_F(Query, TheRobotsBodyComesFirstAndASharedNameIsMarked) {
  const std::string same_name = folder.write("same.json", ball_scene("ball", 3.0));
  const CommandResult result = ask(slider, R"({"joint_order": ["slide"],
    "states": {"near": [2.0], "in": [2.8]}, "check": ["near", "in"],
    "edges": [{"id": "go", "from": "near", "to": "in"}]})",
                                   {"--scene", same_name});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json answer = Json::parse(result.out);
  const Json pair = Json::array({"ball", "scene::ball"});
  EXPECT_EQ(answer["states"][0]["pair"], pair);
  EXPECT_EQ(answer["states"][1]["pair"], pair);
  EXPECT_EQ(answer["edges"][0]["pair"], pair);
  // Balls of 0.1 and 0.5 m, 1 m apart; they meet where the centre is at 2.4, half of the way of
  // 0.8.
  EXPECT_NEAR(answer["states"][0]["distance"][0], 0.4, 1e-5);
  EXPECT_NEAR(answer["states"][0]["points"][0][0], 2.1, 1e-5);
  EXPECT_NEAR(answer["states"][0]["points"][1][0], 2.5, 1e-5);
  EXPECT_NEAR(answer["edges"][0]["contact"], 0.5, 1e-6);
  EXPECT_NEAR(answer["edges"][0]["point"][0], 2.5, 1e-5);
}

TEST_F(Query, NothingToCheckHasNoDistanceAndNoPair) {
  const CommandResult result =
      ask(slider, R"({"joint_order": ["slide"], "states": {"s": [1]}, "check": ["s"]})");
  ASSERT_EQ(result.status, 0) << result.err;
  const Json state = Json::parse(result.out)["states"][0];
  EXPECT_EQ(state["verdict"], "free");
  EXPECT_TRUE(state["distance"].is_null());
  EXPECT_TRUE(state["pair"].is_null());
  EXPECT_TRUE(state["points"].is_null());
}

TEST_F(Query, ScenesAddUpAndAnItemsOwnSceneReplacesThem) {
  const std::string near = folder.write("near.json", ball_scene("near", 3.0));
  const std::string far = folder.write("far.json", ball_scene("far", 8.0));
  folder.write("empty.json", R"({"objects": []})");
  const CommandResult result = ask(slider, R"({"joint_order": ["slide"],
    "states": {"a": [3], "b": [8], "c": [5]},
    "check": ["a", "b", "c", {"state": "a", "scene": "far.json"},
              {"state": "a", "scene": "empty.json"}]})",
                                   {"--scene", near, "--scene", far});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json states = Json::parse(result.out)["states"];
  EXPECT_EQ(states[0]["pair"][1], "near");
  EXPECT_EQ(states[1]["pair"][1], "far");
  EXPECT_EQ(states[2]["verdict"], "free");
  EXPECT_EQ(states[3]["verdict"], "free");
  EXPECT_EQ(states[3]["pair"][1], "far");
  EXPECT_TRUE(states[4]["pair"].is_null());
}

TEST_F(Query, AnItemsOwnRobotReplacesTheCommandLines) {
  std::string thick = kSlider;
  thick.replace(thick.find("0.1"), 3, "0.4");
  folder.write("thick.urdf", thick);
  const std::string near = folder.write("near.json", ball_scene("near", 3.0));
  const CommandResult result = ask(slider, R"({"joint_order": ["slide"], "states": {"a": [2.3]},
    "check": ["a", {"state": "a", "robot": "thick.urdf"}]})",
                                   {"--scene", near});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json states = Json::parse(result.out)["states"];
  EXPECT_EQ(states[0]["verdict"], "free");
  EXPECT_EQ(states[1]["verdict"], "collision");
}

// A gap of 1 mm at the end: free as it is, in collision with a clearance of 2 mm, and the distance
// is that of the true solids.
TEST_F(Query, ClearanceMovesTheVerdictAndNotTheDistance) {
  const std::string scene = folder.write("scene.json", ball_scene("wall", 3.0));
  const std::string query = R"({"joint_order": ["slide"], "states": {"a": [0], "b": [2.399]},
    "check": ["b"], "edges": [{"id": "ab", "from": "a", "to": "b"}]})";
  const CommandResult bare = ask(slider, query, {"--scene", scene});
  EXPECT_EQ(bare.status, 0) << bare.err;
  const CommandResult wide = ask(slider, query, {"--scene", scene, "--clearance", "0.002"});
  ASSERT_EQ(wide.status, 1) << wide.err;
  const Json answer = Json::parse(wide.out);
  EXPECT_EQ(answer["states"][0]["verdict"], "collision");
  EXPECT_NEAR(answer["states"][0]["distance"][0], 0.001, 1e-5);
  EXPECT_NEAR(answer["edges"][0]["contact"], 2.398 / 2.399, 1e-5);
}

TEST_F(Query, ABudgetThatRunsOutIsUndecidedAndStatus3) {
  const std::string query = R"({"joint_order": ["shoulder", "elbow"],
    "states": {"a": [1.2, 0], "b": [0.2, 0]}, "edges": [{"id": "ab", "from": "a", "to": "b"}]})";
  EXPECT_EQ(ask(arm, query, {"--scene", post}).status, 0);
  const CommandResult result = ask(arm, query, {"--scene", post, "--budget", "1"});
  ASSERT_EQ(result.status, 3) << result.out << result.err;
  const Json edge = Json::parse(result.out)["edges"][0];
  EXPECT_EQ(edge["verdict"], "undecided");
  EXPECT_TRUE(edge["contact"].is_null());
  EXPECT_TRUE(edge["free_until"].is_number());
}

TEST_F(Query, AnEdgeFromAStateToItselfIsJudgedLikeTheState) {
  const std::string scene = folder.write("scene.json", ball_scene("wall", 3.0));
  const CommandResult result = ask(slider, R"({"joint_order": ["slide"],
    "states": {"free": [1], "hit": [3]},
    "edges": [{"id": "f", "from": "free", "to": "free"}, {"id": "h", "from": "hit", "to": "hit"}]})",
                                   {"--scene", scene});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json edges = Json::parse(result.out)["edges"];
  EXPECT_EQ(edges[0]["verdict"], "free");
  EXPECT_EQ(edges[0]["free_until"], 1.0);
  EXPECT_EQ(edges[1]["verdict"], "collision");
  EXPECT_EQ(edges[1]["free_until"], 0.0);
  EXPECT_EQ(edges[1]["contact"], 0.0);
}

// The other robot's frame is turned by 90 degrees about z and stands at x = 5: its slide of 1 m
// takes its ball to (5, 1, 0).
TEST_F(Query, AFurtherRobotStandsWhereItIsPutAndMoves) {
  const std::string with = "b=" + slider + "@5,0,0,0,0,1.5707963267948966";
  const CommandResult result = ask(slider, R"({"joint_order": ["slide", "b/slide"],
    "states": {"apart": [5, 1], "meet": [5, 0.1]}, "check": ["apart", "meet"]})",
                                   {"--with", with});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json states = Json::parse(result.out)["states"];
  EXPECT_EQ(states[0]["verdict"], "free");
  EXPECT_NEAR(states[0]["distance"][0], 0.8, 1e-5);
  EXPECT_EQ(states[0]["pair"], Json::array({"ball", "b/ball"}));
  EXPECT_EQ(states[1]["verdict"], "collision");
}

// A thing that moves by itself is a link on a floating joint: two balls of 0.1 m on straight ways
// that cross at the same time, or pass each other by half a second.
TEST_F(Query, AThingThatMovesByItselfIsMet) {
  const std::string crate = folder.write("crate.urdf", R"(<robot name="crate"><link name="floor"/>
    <link name="crate"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="at" type="floating"><parent link="floor"/><child link="crate"/></joint></robot>)");
  const CommandResult result = ask(slider, R"({"joint_order": ["slide", "c/at"],
    "states": {"a": [0, 1, -1, 0, 0, 0, 0, 1], "b": [2, 1, 1, 0, 0, 0, 0, 1],
               "late": [0, 1, -1.5, 0, 0, 0, 0, 1], "after": [2, 1, 0.5, 0, 0, 0, 0, 1]},
    "edges": [{"id": "meet", "from": "a", "to": "b"},
              {"id": "pass", "from": "late", "to": "after"}]})",
                                   {"--with", "c=" + crate + "@0,0,0,0,0,0"});
  ASSERT_EQ(result.status, 1) << result.err;
  const Json edges = Json::parse(result.out)["edges"];
  // Both go at 2 m a unit of time, across each other: sqrt(2) 2 (1/2 - t) apart.
  EXPECT_NEAR(edges[0]["contact"], 0.5 - 0.2 / (2.0 * std::sqrt(2.0)), 1e-5);
  EXPECT_EQ(edges[0]["pair"], Json::array({"ball", "c/crate"}));
  EXPECT_EQ(edges[1]["verdict"], "free");
}

TEST_F(Query, OthersPlaceTheJointsOutsideTheGroup) {
  const std::string srdf = folder.write("arm.srdf", kArmSrdf);
  const std::string base = R"("joint_order": ["elbow"], "states": {"s": [0]}, "check": ["s"])";
  const CommandResult zero =
      ask(arm, "{" + base + "}", {"--scene", post, "--srdf", srdf, "--group", "hand"});
  EXPECT_EQ(zero.status, 1) << zero.err;  // the stretched arm runs through the post
  const CommandResult turned = ask(arm, "{" + base + R"(, "others": {"shoulder": 1.0}})",
                                   {"--scene", post, "--srdf", srdf, "--group", "hand"});
  EXPECT_EQ(turned.status, 0) << turned.err;
  const CommandResult inside = ask(arm, "{" + base + R"(, "others": {"elbow": 1.0}})",
                                   {"--scene", post, "--srdf", srdf, "--group", "hand"});
  EXPECT_EQ(inside.status, 2);
  EXPECT_NE(inside.err.find("joint \"elbow\""), std::string::npos) << inside.err;
}

// One joint of each kind of several values, each read in the order that the contract gives.
TEST_F(Query, PlanarFloatingAndBallJointsTakeTheirValuesInOrder) {
  const auto robot = [&](const std::string& type) {
    return folder.write(type + ".urdf", R"(<robot name="r"><link name="world_link"/>
      <link name="rod"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry>
      </collision></link>
      <joint name="root" type=")" + type + R"("><parent link="world_link"/><child link="rod"/>
      <axis xyz="0 0 1"/></joint></robot>)");
  };
  const auto centre_near = [&](const std::string& type, const std::string& values, double x,
                               double y, double z) {
    Json ball = {{"id", "mark"}, {"shape", "sphere"}, {"radius", 0.1}};
    ball["pose"]["xyz"] = {x, y, z + 0.3};  // 0.1 m above the rod's ball
    ball["pose"]["quat_xyzw"] = {0, 0, 0, 1};
    Json scene;
    scene["objects"] = Json::array({ball});
    const CommandResult result =
        ask(robot(type),
            R"({"joint_order": ["root"], "states": {"s": )" + values + R"(}, "check": ["s"]})",
            {"--scene", folder.write("mark.json", scene.dump())});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NEAR(Json::parse(result.out)["states"][0]["distance"][0], 0.1, 1e-5) << type;
  };
  centre_near("planar", "[2, 3, 1.5707963267948966]", 2, 4, 0);
  centre_near("floating", "[2, 3, 4, 0, 0, 0.7071067811865476, 0.7071067811865476]", 2, 4, 4);
  centre_near("floating", "[2, 3, 4, 0, -0.7071067811865476, 0, 0.7071067811865476]", 2, 3, 5);
  centre_near("spherical", "[0, 0, 1, 0]", -1, 0, 0);
}

// A ball inside a closed box mesh: in contact with a solid, 0.4 m away from a mere surface. Named
// as a link, as a scene object, and wrongly.
TEST_F(Query, SolidAndSurfaceOverrideHowAMeshIsFilled) {
  const std::string cube =
      "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5\n"
      "v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\nv -0.5 0.5 0.5\n"
      "f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
      "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
  folder.write("cube.obj", cube);
  folder.write("bin.obj", cube.substr(0, cube.find("f 5 6 7")) + cube.substr(cube.find("f 1 2 6")));
  const auto scene = [&](const std::string& mesh) {
    return folder.write("scene.json", R"({"objects": [{"id": "crate", "shape": "mesh", "file": ")" +
                                          mesh + R"(", "pose": {"xyz": [1, 0, 0],
                                          "quat_xyzw": [0, 0, 0, 1]}}]})");
  };
  const std::string query = R"({"joint_order": ["slide"], "states": {"in": [1]}, "check": ["in"]})";
  EXPECT_EQ(ask(slider, query, {"--scene", scene("cube.obj")}).status, 1);
  const CommandResult surface =
      ask(slider, query, {"--scene", scene("cube.obj"), "--surface", "crate"});
  ASSERT_EQ(surface.status, 0) << surface.err;
  EXPECT_NEAR(Json::parse(surface.out)["states"][0]["distance"][0], 0.4, 1e-5);
  EXPECT_EQ(ask(slider, query, {"--scene", scene("bin.obj")}).status, 0);
  const CommandResult open = ask(slider, query, {"--scene", scene("bin.obj"), "--solid", "crate"});
  EXPECT_EQ(open.status, 2);
  EXPECT_NE(open.err.find("crate"), std::string::npos) << open.err;
  EXPECT_EQ(ask(slider, query, {"--scene", scene("cube.obj"), "--surface", "box"}).status, 2);

  const std::string robot = folder.write("crate.urdf", R"(<robot name="r"><link name="base"/>
    <link name="crate"><collision><geometry><mesh filename="cube.obj"/></geometry></collision></link>
    <joint name="slide" type="prismatic"><parent link="base"/><child link="crate"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="10" effort="1" velocity="1"/></joint></robot>)");
  Json ball = {{"id", "ball"}, {"shape", "sphere"}, {"radius", 0.1}};
  ball["pose"]["xyz"] = {1, 0, 0};
  ball["pose"]["quat_xyzw"] = {0, 0, 0, 1};
  Json balls;
  balls["objects"] = Json::array({ball});
  const std::string inside = folder.write("ball.json", balls.dump());
  EXPECT_EQ(ask(robot, query, {"--scene", inside}).status, 1);
  EXPECT_EQ(ask(robot, query, {"--scene", inside, "--surface", "crate"}).status, 0);
}

TEST_F(Query, HumanTextSaysTheSame) {
  const std::string scene = folder.write("scene.json", ball_scene("wall", 3.0));
  const CommandResult result = run_catena(
      {"query", slider, "--scene", scene, "--query",
       folder.write("query.json", R"({"joint_order": ["slide"], "states": {"a": [0], "b": [3]},
         "check": ["a"], "edges": [{"id": "ab", "from": "a", "to": "b"}]})")});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.out.find("state a: free"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("edge ab: collision of ball and wall"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("1 free, 1 collision, 0 undecided"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace catena::test
