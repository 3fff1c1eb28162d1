// What the command does with wrong usage and bad input: status 2, nothing on stdout, and a message
// that says where, what and what to do.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command/fixtures.hpp"
#include "support/run_command.hpp"

namespace catena::test {
namespace {

using Json = nlohmann::json;

class Usage : public testing::Test {
 protected:
  static void expect_refused(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& words) {
    std::string line = "catena";
    for (const std::string& argument : arguments) line += " " + argument;
    SCOPED_TRACE(line);
    const CommandResult result = run_catena(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "") << "a refused command answers nothing";
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos)
          << "no \"" << word << "\" in: " << result.err;
    EXPECT_EQ(result.err.find("terminate"), std::string::npos) << result.err;
  }

  void expect_query_refused(const std::string& query, const std::vector<std::string>& words,
                            const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"query", arm, "--query",
                                          folder.write("query.json", query)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, words);
  }

  const TemporaryFolder folder;
  const std::string arm = folder.write("arm.urdf", kArm);
  const std::string srdf = folder.write("arm.srdf", kArmSrdf);
  const std::string post = folder.write("post.json", kPost);
  const std::string empty_query =
      folder.write("empty_query.json", R"({"joint_order": ["shoulder", "elbow"]})");
};

TEST_F(Usage, HelpAndVersionAreAnswers) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"--version"},
                                                    {"info", "--help"},
                                                    {"query", "--help"},
                                                    {"plan", "--help"},
                                                    {"verify", "--help"},
                                                    {"benchmark", "--help"}}) {
    const CommandResult result = run_catena(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.out, "");
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(Usage, WrongCommandLines) {
  expect_refused({}, {"--help", "info, query, plan, verify, benchmark"});
  expect_refused({"dance"}, {"\"dance\"", "info, query, plan, verify, benchmark", "--help"});
  expect_refused({"info"}, {"robot"});
  expect_refused({"info", arm, "--no-such-option"}, {"--no-such-option"});
  expect_refused({"info", arm, "surplus"}, {"surplus"});
  expect_refused({"query", arm}, {"--query"});
  expect_refused({"verify", arm}, {"--path"});
  expect_refused({"benchmark", arm}, {"--planner"});
  expect_refused({"info", arm, "--clearance", "-1"}, {"--clearance", "-1", ">= 0"});
  expect_refused({"info", arm, "--clearance", "nan"}, {"--clearance"});
  expect_refused({"info", arm, "--clearance", "wide"}, {"--clearance"});
  expect_refused({"info", arm, "--tolerance", "0"}, {"--tolerance"});
  expect_refused({"info", arm, "--tolerance", "inf"}, {"--tolerance"});
  expect_refused({"info", arm, "--budget", "-3"}, {"--budget"});
  expect_refused({"info", arm, "--threads", "-1"}, {"--threads"});
  expect_refused({"info", arm, "--cloud-radius", "0"}, {"--cloud-radius"});
  expect_refused({"info", arm, "--package", "name"}, {"--package", "NAME=VALUE"});
  expect_refused({"info", arm, "--package", "name=/no/such/folder"}, {"/no/such/folder"});
  expect_refused({"info", arm, "--solid", "nose"}, {"nose"});
  expect_refused({"info", arm, "--group", "wings"}, {"wings"});
  expect_refused({"info", arm, "--srdf", srdf, "--group", "wings"}, {"wings", "both"});
}

TEST_F(Usage, FurtherRobots) {
  expect_refused({"info", arm, "--with", arm}, {"--with", "NAME=VALUE"});
  expect_refused({"info", arm, "--with", "b=" + arm + "@1,2,3"}, {"--with", "six numbers"});
  expect_refused({"info", arm, "--with", "b=" + arm + "@1,2,3,4,5,x"}, {"--with", "six numbers"});
  expect_refused({"info", arm, "--with", "b/c=" + arm + "@0,0,9,0,0,0"}, {"'/'"});
  expect_refused(
      {"info", arm, "--with", "b=" + arm + "@0,0,9,0,0,0", "--with", "b=" + arm + "@0,0,8,0,0,0"},
      {"given twice"});
}

TEST_F(Usage, FilesThatAreNotThere) {
  expect_refused({"info", "/no/robot.urdf"}, {"/no/robot.urdf"});
  expect_refused({"info", arm, "--srdf", "/no/robot.srdf"}, {"/no/robot.srdf"});
  expect_refused({"info", arm, "--scene", "/no/scene.json"}, {"/no/scene.json"});
  expect_refused({"query", arm, "--query", "/no/query.json"}, {"/no/query.json"});
  expect_refused({"verify", arm, "--path", "/no/path.json"}, {"/no/path.json"});
  expect_refused({"query", "/no/robot.urdf", "--query", empty_query}, {"/no/robot.urdf"});
}

TEST_F(Usage, TwoScenesWithAnObjectOfTheSameName) {
  expect_refused({"info", arm, "--scene", post, "--scene", post}, {"post"});
}

TEST_F(Usage, QueriesThatDoNotFitTheRobot) {
  expect_query_refused(R"({"states": {}})", {"query.json", "joint_order"});
  expect_query_refused(R"({"joint_order": ["shoulder"]})", {"query.json", "elbow", "missing"});
  expect_query_refused(R"({"joint_order": ["shoulder", "elbow", "wrist"]})", {"wrist"});
  expect_query_refused(R"({"joint_order": ["elbow", "shoulder"]})",
                       {"shoulder", "not in the group"}, {"--srdf", srdf, "--group", "hand"});
  const std::string order = R"({"joint_order": ["shoulder", "elbow"], )";
  expect_query_refused(order + R"("states": {"short": [1]}, "check": ["short"]})", {"short"});
  expect_query_refused(order + R"("states": {"long": [1, 2, 3]}, "check": ["long"]})", {"long"});
  expect_query_refused(order + R"("states": {"far": [0, 2.6]}, "check": ["far"]})",
                       {"far", "elbow"});
  expect_query_refused(order + R"("states": {"bad": [0, null]}, "check": ["bad"]})", {"bad"});
  expect_query_refused(order + R"("states": {"a": [0, 0]}, "check": ["b"]})", {"b"});
  expect_query_refused(order + R"("others": {"wrist": 1}})", {"wrist"});
  expect_query_refused(R"({"joint_order": [)", {"query.json"});
  // One bad item spoils the whole answer: nothing half-done.
  expect_query_refused(
      order + R"("states": {"good": [0, 1], "bad": [0, 9]}, "check": ["good", "bad"]})", {"bad"});
}

TEST_F(Usage, AStateThatIsOnlyWrittenDownMayBeAnything) {
  const CommandResult result = run_catena(
      {"query", arm, "--json", "--query",
       folder.write("query.json", R"({"joint_order": ["shoulder", "elbow"], "note": "ignored",
         "states": {"good": [0, 1], "bad": ["nan", 9]}, "check": ["good"]})")});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(Usage, LimitsAreForgivingByANanometre) {
  const auto ask =
      [&](const std::string& value) {
        return run_catena({"query", arm, "--query",
                           folder.write("query.json", R"({"joint_order": ["shoulder", "elbow"],
                         "states": {"s": [0, )" + value + R"(]}, "check": ["s"]})")})
            .status;
      };
  EXPECT_EQ(ask("2.5000000009"), 0);
  EXPECT_EQ(ask("2.5000000011"), 2);
}

TEST_F(Usage, InfoTellsARobotInWordsAndInJson) {
  const CommandResult words = run_catena({"info", arm, "--srdf", srdf, "--scene", post});
  ASSERT_EQ(words.status, 0) << words.err;
  for (const char* word : {"shoulder", "elbow", "both", "left", "2 box", "sphere", "Adjacent",
                           "upper and post", "lower and post"})
    if (std::string(word) != "upper and post") {
      EXPECT_NE(words.out.find(word), std::string::npos) << word << " in\n" << words.out;
    }
  const CommandResult json = run_catena({"info", arm, "--srdf", srdf, "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json info = Json::parse(json.out);
  EXPECT_EQ(info["robot"], "arm");
  EXPECT_EQ(info["links"], 3);
  EXPECT_EQ(info["joints"]["revolute"], 2);
  EXPECT_EQ(info["joint_order"], Json::array({"shoulder", "elbow"}));
  EXPECT_EQ(info["geometry"]["box"], 2);
  EXPECT_EQ(info["chains"], Json::array({2}));
  EXPECT_EQ(info["groups"].size(), 2u);
  EXPECT_EQ(info["contacts_at_zero"], Json::array());
}

// Three links in a row, the outer two overlap: told, with the line that would allow it.
TEST_F(Usage, InfoFindsEveryContactAtZeroAndSuggestsWhatToDisable) {
  std::string text = R"(<robot name="stack"><link name="base"/>)";
  for (const std::string name : {"a", "b", "c", "d"})
    text += "<link name=\"" + name + R"("><collision><geometry><sphere radius="0.1"/></geometry>
      </collision></link><joint name="j_)" +
            name + R"(" type="prismatic"><parent link="base"/>
      <child link=")" +
            name + R"("/><origin xyz=")" + (name == "d" ? "5" : "0") + R"( 0 0"/>
      <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>)";
  text += "</robot>";
  const std::string stack = folder.write("stack.urdf", text);
  const CommandResult result = run_catena({"info", stack, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json info = Json::parse(result.out);
  EXPECT_EQ(info["contacts_at_zero"].size(), 3u)
      << info["contacts_at_zero"];  // ab, ac, bc; d is away
  ASSERT_EQ(info["suggested_disable_collisions"].size(), 3u);
  std::string disabled = "<robot name=\"stack\">";
  for (const std::string line : info["suggested_disable_collisions"]) disabled += line;
  const std::string allowed = folder.write("stack.srdf", disabled + "</robot>");
  const CommandResult after = run_catena({"info", stack, "--srdf", allowed, "--json"});
  ASSERT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(Json::parse(after.out)["contacts_at_zero"].size(), 0u);
}

// A ball between two stones: its gaps at zero are no numbers but intervals around 0.
TEST_F(Usage, InfoTellsWhatItCouldNotDecide) {
  const std::string slider = folder.write("slider.urdf", kSlider);
  const std::string fore = folder.write("fore.json", ball_scene("fore", 0.6));
  const std::string back = folder.write("back.json", ball_scene("back", -0.6));
  const auto info = [&](const std::string& budget) {
    return run_catena(
        {"info", slider, "--scene", fore, "--scene", back, "--json", "--budget", budget});
  };
  const CommandResult whole = info("1000");
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.err, "");
  EXPECT_EQ(Json::parse(whole.out)["contacts_at_zero"],
            Json::parse(R"([{"pair": ["ball", "fore"], "verdict": "undecided"},
                            {"pair": ["ball", "back"], "verdict": "undecided"}])"))
      << whole.out;
  const CommandResult poor = info("1");
  ASSERT_EQ(poor.status, 0) << poor.err;
  const char* warning = "the budget ran out: pairs in contact may be missing; raise --budget";
  EXPECT_NE(poor.out.find(warning), std::string::npos) << poor.out;
}

TEST_F(Usage, InfoWarnsOfAMimicJointDrivenBeyondItsLimits) {
  const std::string robot = folder.write("mimic.urdf", R"(<robot name="m"><link name="base"/>
    <link name="a"/><link name="b"/>
    <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
    <joint name="follow" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
      <mimic joint="lead" multiplier="-2"/>
      <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint></robot>)");
  const CommandResult result = run_catena({"info", robot});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("follow"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("beyond its own limits"), std::string::npos) << result.out;
}

// A scene in a frame that is not the world would be placed wrongly, and no reader of scenes can see
// it: the robot's root link, the SRDF's virtual joint and the usual names are the world, others
// not.
TEST_F(Usage, SceneFramesMustBeTheWorld) {
  const auto scene = [&](const std::string& frame) {
    return folder.write("frame.yaml",
                        "world:\n  collision_objects:\n    - id: ball\n      header: " +
                            ("{frame_id: \"" + frame + "\"}\n") + R"(      primitives:
        - {type: sphere, dimensions: [0.1]}
      primitive_poses:
        - {position: [9, 0, 0], orientation: [0, 0, 0, 1]}
)");
  };
  const auto refused = [&](const std::string& frame, const std::vector<std::string>& words) {
    expect_refused({"info", arm, "--scene", scene(frame)}, words);
  };
  refused("lower", {"frame.yaml", "frame \"lower\"", "a link of the robot", "root \"base\"",
                    "\"world\"", "fixed_frame_transforms"});
  refused("bsae", {"frame \"bsae\"", "neither the world", "\"base\""});
  refused("odom", {"frame \"odom\""});
  for (const std::string frame : {"", "world", "map", "base", "/base"}) {
    const CommandResult result = run_catena({"info", arm, "--scene", scene(frame)});
    EXPECT_EQ(result.status, 0) << frame << result.err;
    EXPECT_EQ(result.err.find("frame") != std::string::npos, frame == "map") << result.err;
  }
  for (const std::string type : {"fixed", "planar"}) {
    const std::string frames =
        folder.write("frames.srdf", "<robot name=\"arm\"><virtual_joint name=\"v\" type=\"" + type +
                                        "\" parent_frame=\"odom\" child_link=\"base\"/></robot>");
    for (const std::string frame : {"odom", "base"})
      EXPECT_EQ(run_catena({"info", arm, "--srdf", frames, "--scene", scene(frame)}).status, 0)
          << type << " " << frame;
    EXPECT_EQ(run_catena({"info", arm, "--srdf", frames, "--scene", scene("upper")}).status, 2);
  }
}

// A world without pairs answers "free" to everything: said, with the reason, by every command.
TEST_F(Usage, NothingToCheckIsSaid) {
  const std::string one = folder.write("slider.urdf", kSlider);
  const std::string two = folder.write("two.srdf", R"(<robot name="arm">
    <disable_collisions link1="upper" link2="lower" reason="Never"/></robot>)");
  const auto warned = [&](const std::vector<std::string>& arguments,
                          const std::vector<std::string>& words) {
    const CommandResult result = run_catena(arguments);
    EXPECT_EQ(result.status, 0) << arguments[0] << result.err;
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos) << arguments[0] << ": " << result.err;
  };
  warned({"info", one}, {"nothing is ever checked", "1 link with geometry", "no scene object"});
  warned({"info", arm}, {"nothing is ever checked", "1 pair", "\"Adjacent\"", "no scene object"});
  warned({"query", arm, "--query", empty_query}, {"nothing is ever checked"});
  warned({"plan", arm, "--start", "0,0", "--goal", "1,1"}, {"nothing is ever checked"});
  warned({"verify", arm, "--path", folder.write("p.path", "0 0\n1 1\n")},
         {"nothing is ever checked"});
  const CommandResult info = run_catena({"info", arm, "--json"});
  EXPECT_NE(info.out.find("nothing is ever checked"), std::string::npos) << info.out;
  EXPECT_EQ(run_catena({"info", arm, "--scene", post}).err, "");
}

// The engine's bounds hold up to 1e50 m: what places a body farther away is refused by its name.
TEST_F(Usage, NothingStandsBeyond1e50Metres) {
  expect_refused({"info", arm, "--with", "b=" + arm + "@1e51,0,0,0,0,0"},
                 {"--with", "\"b\"", "1e50"});
  const std::string rover = folder.write("rover.urdf", R"(<robot name="rover"><link name="base"/>
    <link name="plate"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="drive" type="planar"><parent link="base"/><child link="plate"/>
      <axis xyz="0 0 1"/></joint></robot>)");
  const std::string flyer = folder.write("flyer.urdf", R"(<robot name="flyer"><link name="base"/>
    <link name="body"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="fly" type="floating"><parent link="base"/><child link="body"/></joint></robot>)");
  const auto ask = [&](const std::string& robot, const std::string& joint,
                       const std::string& values) {
    return std::vector<std::string>{
        "query",
        robot,
        "--query",
        folder.write("far.json", R"({"joint_order": [")" + joint + R"("], "states": {"far": [)" +
                                     values + R"(]}, "check": ["far"]})"),
        "--scene",
        post};
  };
  expect_refused(ask(rover, "drive", "0, -1e51, 0"), {"states.far", "drive", "1e50"});
  expect_refused(ask(flyer, "fly", "0, 0, 1e51, 0, 0, 0, 1"), {"states.far", "fly", "1e50"});
  EXPECT_EQ(run_catena(ask(rover, "drive", "0, -1e49, 0")).status, 0);
  expect_refused(
      {"verify", flyer, "--scene", post, "--path", folder.write("far.path", "0 0 1e51 0 0 0 1\n")},
      {"states[0]", "fly", "1e50"});
  expect_refused(
      {"info", arm, "--scene",
       folder.write(
           "plane.yaml",
           "world:\n  collision_objects:\n    - id: floor\n      planes:\n        - {coef: "
           "[0, 0, 1, 1e51]}\n      plane_poses:\n        - {position: [0, 0, 0]}\n")},
      {"floor", "1e50"});
}

// Names are anyone's text: what a terminal would take for a command is shown, not sent.
TEST_F(Usage, ControlCharactersAreShown) {
  const std::string escape = "\x1b[2J";
  const CommandResult file = run_catena({"info", "/no/" + escape + ".urdf"});
  EXPECT_EQ(file.status, 2);
  EXPECT_EQ(file.err.find('\x1b'), std::string::npos);
  EXPECT_NE(file.err.find("/no/\\x1b[2J.urdf"), std::string::npos) << file.err;
  const CommandResult query = run_catena(
      {"query", arm, "--query", folder.write("query.json", R"({"joint_order": ["shoulder", "elbow"],
         "states": {"a": [0, 0], "b": [1, 1]},
         "\u001b[2J": 0, "edges": [{"id": "\u001b[2J\nedge x\u009b", "from": "a", "to": "b"}]})")});
  EXPECT_EQ(query.status, 0) << query.err;
  EXPECT_EQ(query.err.find('\x1b'), std::string::npos);
  EXPECT_NE(query.err.find("\\x1b[2J: an unknown key"), std::string::npos) << query.err;
  EXPECT_NE(query.out.find("edge \\x1b[2J\\x0aedge x\\x9b: free"), std::string::npos) << query.out;
}

}  // namespace
}  // namespace catena::test
