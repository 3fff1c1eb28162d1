// The SRDF reader: every kind of element, what is lenient and what is not, message by message.

#include "catena/io/srdf.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "catena/io/input_error.hpp"
#include "catena/io/urdf.hpp"
#include "support/damage.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using Names = std::vector<std::string>;

// base - upper - lower - wrist (fixed) - left, right (mimic of left)
constexpr const char* kUrdf = R"(<robot name="arm">
<link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="upper"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="lower"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="wrist"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="left"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="right"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<limit lower="-1" upper="1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/></joint>
<joint name="flange" type="fixed"><parent link="lower"/><child link="wrist"/></joint>
<joint name="finger" type="prismatic"><parent link="wrist"/><child link="left"/>
<limit lower="0" upper="1"/></joint>
<joint name="thumb" type="prismatic"><parent link="wrist"/><child link="right"/>
<limit lower="0" upper="1"/><mimic joint="finger"/></joint>
</robot>)";

std::string srdf_text(const std::string& inside) {
  return "<robot name=\"arm\">\n" + inside + "\n</robot>";
}

std::shared_ptr<const Robot> load(const std::string& inside) {
  const test::TemporaryFolder folder;
  UrdfOptions options;
  options.srdf = folder.write("arm.srdf", srdf_text(inside));
  return load_urdf(folder.write("arm.urdf", kUrdf), options);
}

/// The warning without the folder of the file.
std::string bare(const std::string& text) { return text.substr(text.find("arm.srdf")); }

Names names(const Robot& robot, const std::string& group) {
  Names result;
  const JointGroup* found = robot.find_group(group);
  if (found == nullptr) return {"no such group"};
  for (const LinkIndex i : found->joints) result.push_back(robot.joint(i).name);
  return result;
}

TEST(Srdf, ReadsGroupsOfEveryKind) {
  const auto robot = load(R"(<group name="joints"><joint name="elbow"/><joint name="shoulder"/>
<joint name="flange"/><joint name="thumb"/></group>
<group name="links"><link name="base"/><link name="lower"/><link name="wrist"/></group>
<group name="chain"><chain base_link="upper" tip_link="left"/></group>
<group name="all"><group name="joints"/><group name="hand"/></group>
<group name="hand"><joint name="finger"/></group>)");
  EXPECT_TRUE(robot->warnings().empty());
  EXPECT_EQ(names(*robot, "joints"), (Names{"shoulder", "elbow"}));
  EXPECT_EQ(names(*robot, "links"), (Names{"elbow"}));
  EXPECT_EQ(names(*robot, "chain"), (Names{"elbow", "finger"}));
  EXPECT_EQ(names(*robot, "all"), (Names{"shoulder", "elbow", "finger"}));
}

TEST(Srdf, ReadsDisabledPairsWithTheirReasons) {
  const auto robot = load(R"(<disable_collisions link1="left" link2="right" reason="Never"/>
<disable_collisions link1="lower" link2="base"/>)");
  std::map<Names, std::string> got;
  for (const UncheckedPair& pair : robot->unchecked_pairs())
    got[{robot->body(pair.a).name, robot->body(pair.b).name}] = pair.reason;
  const std::map<Names, std::string> expected = {
      {{"base", "upper"}, "Adjacent"},  {{"upper", "lower"}, "Adjacent"},
      {{"lower", "wrist"}, "Rigid"},    {{"wrist", "left"}, "Adjacent"},
      {{"wrist", "right"}, "Adjacent"}, {{"left", "right"}, "Never"},
      {{"base", "lower"}, "Disabled"}};
  EXPECT_EQ(got, expected);
  EXPECT_EQ(robot->list_checked_pairs().size(), 15u - expected.size());
}

TEST(Srdf, ReadsDefaultsAndTheirExceptions) {
  const auto robot = load(R"(<disable_default_collisions link="left"/>
<enable_collisions link1="base" link2="left"/>)");
  for (const auto& [a, b] : robot->list_checked_pairs())
    EXPECT_TRUE(robot->body(b).name != "left" || robot->body(a).name == "base");
  EXPECT_TRUE(robot->checks(robot->find_body("base"), robot->find_body("left")));
  EXPECT_EQ(robot->num_checked_pairs(), 15 - 5 - 3);
}

// Property: enable_collisions takes back what is left out by default (the two links of a joint),
// not what the file itself disables, and never the pairs of one rigid piece: that it says.
TEST(Srdf, EnablesTheLinksOfAJoint) {
  const auto robot = load(R"(<enable_collisions link1="upper" link2="base"/>
<enable_collisions link1="upper" link2="lower"/><enable_collisions link1="lower" link2="wrist"/>
<disable_collisions link1="upper" link2="lower" reason="Adjacent"/>)");
  const auto checked = [&](const std::string& a, const std::string& b) {
    return robot->checks(robot->find_body(a), robot->find_body(b));
  };
  EXPECT_TRUE(checked("base", "upper"));
  EXPECT_FALSE(checked("upper", "lower"));
  EXPECT_FALSE(checked("lower", "wrist"));
  EXPECT_EQ(Names(robot->warnings().begin(), robot->warnings().end()),
            Names{"<enable_collisions>: \"lower\" and \"wrist\" belong to one rigid piece, which "
                  "is never checked against itself; the pair stays unchecked"});
}

// Property: links are one rigid piece also by way of several fixed joints, and then the warning is
// given; links that move against each other never get it.
TEST(Srdf, WarnsWhereEnablingHasNoEffect) {
  const test::TemporaryFolder folder;
  UrdfOptions options;
  options.srdf = folder.write("arm.srdf", srdf_text(R"(<enable_collisions link1="c" link2="a"/>
<enable_collisions link1="c" link2="d"/><enable_collisions link1="a" link2="d"/>)"));
  const auto robot = load_urdf(folder.write("arm.urdf", R"(<robot name="arm">
<link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint>
<joint name="cd" type="continuous"><parent link="c"/><child link="d"/></joint></robot>)"),
                               options);
  int said = 0;
  for (const std::string& warning : robot->warnings()) {
    if (warning.find("<enable_collisions>") == std::string::npos) continue;
    ++said;
    EXPECT_NE(warning.find("\"a\" and \"c\" belong to one rigid piece"), std::string::npos)
        << warning;
  }
  EXPECT_EQ(said, 1);
}

TEST(Srdf, AVirtualJointMovesTheRoot) {
  const auto floating = load(
      R"(<virtual_joint name="world_joint" type="floating" parent_frame="odom" child_link="base"/>)");
  ASSERT_EQ(floating->num_links(), 6);
  EXPECT_EQ(floating->joint(LinkIndex(1)).name, "world_joint");
  EXPECT_EQ(floating->joint(LinkIndex(1)).type, JointType::kFloating);
  EXPECT_EQ(floating->body(floating->find_body("base")).link, LinkIndex(1));
  EXPECT_EQ(floating->body(floating->find_body("odom")).link, LinkIndex(0));
  EXPECT_EQ(floating->num_positions(), 7 + 3);

  const auto planar = load(
      R"(<virtual_joint name="w" type="planar" parent_frame="base" child_link="base"/>
<group name="g"><joint name="w"/></group>
<group_state name="home" group="g"><joint name="w" value="1 2 0.5"/></group_state>)");
  EXPECT_EQ(planar->joint(LinkIndex(1)).type, JointType::kPlanar);
  EXPECT_EQ(planar->joint(LinkIndex(1)).axis, Vector3d::UnitZ());
  EXPECT_EQ(names(*planar, "g"), Names{"w"});
  EXPECT_EQ(planar->group_states().at({"g", "home"}).at("w"), (std::vector<double>{1, 2, 0.5}));
  ASSERT_EQ(planar->warnings().size(), 1u);
  EXPECT_EQ(bare(planar->warnings()[0]),
            "arm.srdf:2: <virtual_joint name=\"w\">: parent_frame \"base\" is also a link; the "
            "frame is called \"base_frame\"");

  const auto fixed = load(
      R"(<virtual_joint name="w" type="fixed" parent_frame="world" child_link="base"/>
<group name="g"><joint name="w"/><joint name="elbow"/></group><passive_joint name="w"/>)");
  EXPECT_EQ(fixed->num_links(), 5);
  EXPECT_EQ(names(*fixed, "g"), Names{"elbow"});
  EXPECT_TRUE(fixed->warnings().empty());
}

TEST(Srdf, PassiveJointsHaveValuesButAreNotPlannedFor) {
  const auto robot = load(R"(<passive_joint name="elbow"/>
<group name="g"><chain base_link="base" tip_link="wrist"/></group>)");
  EXPECT_EQ(names(*robot, "g"), Names{"shoulder"});
  EXPECT_EQ(robot->num_positions(), 3);
  EXPECT_TRUE(robot->joint(robot->find_joint("elbow")).passive);
  EXPECT_EQ(robot->group_or_all("").joints.size(), 2u);
}

TEST(Srdf, ReadsGroupStates) {
  const auto robot = load(R"(<group name="g"><joint name="shoulder"/><joint name="finger"/></group>
<group_state name="home" group="g"><joint name="shoulder" value=" 0.5 "/>
<joint name="thumb" value="1"/><joint name="flange" value="0"/></group_state>
<group_state name="far" group="g"><joint name="shoulder" value="1.5"/></group_state>)");
  const Robot::NamedState home = {{"shoulder", {0.5}}};
  EXPECT_EQ(robot->group_states().at({"g", "home"}), home) << "only joints with own values count";
  ASSERT_EQ(robot->warnings().size(), 1u);
  EXPECT_EQ(bare(robot->warnings()[0]),
            "arm.srdf:5: <group_state name=\"far\">: joint \"shoulder\": "
            "1.5 is outside its limits -1 to 1");
}

TEST(Srdf, WhatLosesNoJointIsAWarning) {
  const auto robot = load(R"(<group name="g"><link name="gone"/><joint name="elbow"/></group>
<disable_collisions link1="gone" link2="base"/>
<disable_collisions link1="gone" link2="left"/>
<passive_joint name="nobody"/>
<group_state name="s" group="nothing"><joint name="elbow" value="0"/></group_state>
<group_state name="t" group="g"><joint name="nobody" value="0"/></group_state>
<end_effector name="e" parent_link="wrist" group="g"/>
<disable_colisions link1="left" link2="right"/>)");
  const Names expected = {
      "arm.srdf:2: <group name=\"g\"> <link name=\"gone\">: the robot has no such link; the group "
      "is "
      "read without it",
      "arm.srdf:6: <group_state name=\"s\">: there is no group \"nothing\"; the state is left out",
      "arm.srdf:7: <group_state name=\"t\"> <joint name=\"nobody\">: the robot has no such joint; "
      "its "
      "value is ignored",
      "arm.srdf:5: <passive_joint name=\"nobody\">: the robot has no such joint",
      "arm.srdf:3: <disable_collisions>: the robot has no link \"gone\"; pairs with it are ignored",
      "arm.srdf:1: <robot name=\"arm\">: <disable_colisions> is not known here and is ignored"};
  Names got;
  for (const std::string& warning : robot->warnings()) got.push_back(bare(warning));
  EXPECT_EQ(got, expected);
}

TEST(Srdf, ARobotOfAnotherNameIsAWarning) {
  RobotDescription description;
  description.name = "one";
  description.links.emplace_back().name = "base";
  add_srdf_text("<robot name=\"two\"/>", "arm.srdf", description);
  ASSERT_EQ(description.warnings.size(), 1u);
  EXPECT_EQ(description.warnings[0],
            "arm.srdf:1: <robot name=\"two\">: it is written for robot "
            "\"two\", not for \"one\"");
}

TEST(Srdf, RefusesWhatWouldLoseAJointOrMeansNothing) {
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {R"(<group name="g"><joint name="nobody"/></group>)",
       "2: <group name=\"g\"> <joint name=\"nobody\">: the robot has no such joint; correct the "
       "name, "
       "or remove it from the group"},
      {R"(<group name="g"><chain base_link="base" tip_link="gone"/></group>)",
       "2: <group name=\"g\"> <chain>: the robot has no link \"gone\"; name two links of the "
       "robot"},
      {R"(<group name="g"><chain base_link="base"/></group>)",
       "2: <group name=\"g\"> <chain>: attribute tip_link is missing; write tip_link=\"...\""},
      {R"(<group name="g"><group name="h"/></group>)",
       "2: <group name=\"g\"> <group name=\"h\">: there is no such group; name a group of this "
       "file"},
      {R"(<group name="g"><group name="h"/></group><group name="h"><group name="g"/></group>)",
       "2: <group name=\"g\">: contains itself, directly or through others; remove one of the "
       "subgroups"},
      {R"(<group name="g"/><group name="g"/>)",
       "2: <group name=\"g\">: another group has this name; rename one of the two"},
      {R"(<link name="base"/>)",
       "2: <link name=\"base\">: a URDF describes links; this file is to be an SRDF; name the SRDF "
       "that goes with the robot"},
      {R"(<group/>)", "2: <group>: attribute name is missing; write name=\"...\""},
      {R"(<group name="g"><joint name="elbow"/></group>
<group_state name="s" group="g"><joint name="elbow" value="1 2"/></group_state>)",
       "3: <group_state name=\"s\">: joint \"elbow\" has 2 values; a joint of type continuous "
       "takes "
       "1"},
      {R"(<group name="g"><joint name="elbow"/></group>
<group_state name="s" group="g"><joint name="elbow" value="one"/></group_state>)",
       "3: <group_state name=\"s\"> <joint name=\"elbow\">: value: \"one\" is not a finite number; "
       "write decimal numbers with a point, separated by blanks"},
      {R"(<group name="g"/><group_state name="s" group="g"/><group_state name="s" group="g"/>)",
       "2: <group_state name=\"s\">: group \"g\" already has a state of this name; rename one of "
       "the "
       "two"},
      {R"(<virtual_joint name="w" type="revolute" parent_frame="odom" child_link="base"/>)",
       "2: <virtual_joint name=\"w\">: type \"revolute\" is not known; use fixed, planar or "
       "floating"},
      {R"(<virtual_joint name="w" type="planar" parent_frame="odom" child_link="gone"/>)",
       "2: <virtual_joint name=\"w\">: child_link \"gone\" does not exist; name the root link of "
       "the "
       "robot"},
      {R"(<virtual_joint name="w" type="planar" parent_frame="odom" child_link="upper"/>)",
       "2: <virtual_joint name=\"w\">: child_link \"upper\" already is the child of joint "
       "\"shoulder\"; only the root link can have a virtual joint: name it"},
      {R"(<virtual_joint name="elbow" type="planar" parent_frame="odom" child_link="base"/>)",
       "2: <virtual_joint name=\"elbow\">: another joint has this name; rename it"},
      {R"(<disable_collisions link1="base"/>)",
       "2: <disable_collisions>: attribute link2 is missing; write link2=\"...\""},
  };
  for (const auto& [inside, message] : refusals) {
    try {
      (void)load(inside);
      ADD_FAILURE() << "accepted, but should say: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(bare(error.what()), "arm.srdf:" + message);
    }
  }
}

TEST(Srdf, AFileThatIsNotThereIsNamed) {
  const test::TemporaryFolder folder;
  UrdfOptions options;
  options.srdf = "/nowhere/arm.srdf";
  try {
    (void)load_urdf(folder.write("arm.urdf", kUrdf), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.file(), "/nowhere/arm.srdf");
  }
}

// Property: whatever bytes change, the reader adds something that builds or throws an InputError.
TEST(SrdfProperty, MutatedFilesNeverCrash) {
  const test::TemporaryFolder folder;
  const RobotDescription description = describe_urdf(folder.write("arm.urdf", kUrdf));
  const std::string seed_text = srdf_text(
      R"(<virtual_joint name="w" type="planar" parent_frame="odom" child_link="base"/>
<group name="arm"><chain base_link="base" tip_link="wrist"/><joint name="w"/></group>
<group name="hand"><link name="left"/><group name="arm"/></group>
<group_state name="home" group="arm"><joint name="w" value="1 2 0.5"/></group_state>
<passive_joint name="elbow"/><disable_default_collisions link="left"/>
<enable_collisions link1="base" link2="left"/>
<disable_collisions link1="left" link2="right" reason="Never"/>)");
  std::mt19937 rng(12);
  int accepted = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string text = test::damaged(seed_text, rng);
    try {
      RobotDescription changed = description;
      add_srdf_text(text, "arm.srdf", changed);
      (void)RobotBuilder::build(changed);
      ++accepted;
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("arm.srdf", 0), 0u) << error.what();
    } catch (const ModelError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "seed 12, trial " << trial << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace catena::io
