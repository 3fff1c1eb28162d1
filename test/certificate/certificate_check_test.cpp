// Certificates written by hand: what they prove is accepted, what they do not is refused, and a
// file may say what it likes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catena/certificate/check.hpp"
#include "support/temporary_folder.hpp"

namespace catena::certificate {
namespace {

/// A ball of 0.1 m on a rail along x, from -1 to 1 m; and an arm of 1 m that turns about z at
/// (0, 0, 1).
const char* const kSlider = R"(<robot name="slider">
  <link name="rail"/>
  <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="ball"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)";
const char* const kArm = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.05" length="1"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 2"/></joint>
</robot>)";

struct Files {
  test::TemporaryFolder folder;
  Inputs inputs;

  Files(const std::string& robot, const std::string& scene) {
    inputs.robot = folder.write("robot.urdf", robot);
    if (!scene.empty()) inputs.scenes = {folder.write("scene.json", scene)};
  }
  CheckResult check(const std::string& text) const { return check_certificate(inputs, text); }
};

const char* const kPost =
    R"({"objects": [{"id": "post", "shape": "box", "size": [0.2, 0.2, 1], "pose": {"xyz": [0, 0.5, 0]}}]})";

/// The ball from -1 to 1 beside the post, which begins at y = 0.4.
std::string slide_text(const std::string& planes, const std::string& clearance = "0") {
  return "catena-certificate 1\nclearance " + clearance +
         "\njoint \"slide\"\nshape \"ball\" 0 .\nshape \"post\" 0 .\nedge\nfrom -1\nto 1\n" +
         planes + "end\n";
}

TEST(CertificateCheck, AcceptsWhatIsProven) {
  const Files files(kSlider, kPost);
  const CheckResult r = files.check(slide_text("plane 0 1 world 0 1 0 0.2 0 1 1 2\n"));
  EXPECT_TRUE(r.proven) << r.why;
  ASSERT_EQ(r.what.edges.size(), 1U);
  EXPECT_EQ(r.what.edges[0].from, std::vector<double>{-1.0});
  EXPECT_EQ(r.what.joints, std::vector<std::string>{"slide"});
  // The same from the ball's own frame, in two pieces of time, and the other way round.
  EXPECT_TRUE(files
                  .check(slide_text("plane 0 0.5 \"ball\" 0 1 0 0.2 0 1 1 2\n"
                                    "plane 0.5 1 world 0 -1 0 -0.2 1 2 0 1\n"))
                  .proven);
  // The gap is 0.3 m: a clearance of just less can be proven by a plane that is right, more cannot.
  EXPECT_TRUE(files.check(slide_text("plane 0 1 world 0 1 0 0.1001 0 1 1 2\n", "0.2998")).proven);
  EXPECT_FALSE(files.check(slide_text("plane 0 1 world 0 1 0 0.1001 0 1 1 2\n", "0.3")).proven);
}

TEST(CertificateCheck, RefusesWhatIsNotProvenAndSaysWhy) {
  const Files files(kSlider, kPost);
  const auto why = [&](const std::string& planes) {
    const CheckResult r = files.check(slide_text(planes));
    EXPECT_FALSE(r.proven) << planes;
    return r.why;
  };
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(why(""), "no entry covers \"ball\" and \"post\" between t = 0");
  says(why("plane 0 0.4 world 0 1 0 0.2 0 1 1 2\nplane 0.5 1 world 0 1 0 0.2 0 1 1 2\n"),
       "between t = 0.4");
  says(why("plane 0 1 world 0 -1 0 0.2 0 1 1 2\n"), "not on its side");
  says(why("plane 0 1 world 0 1 0 0.09 0 1 1 2\n"), "\"ball\" is not on its side");
  says(why("plane 0 1 world 0 1 0 0.41 0 1 1 2\n"), "\"post\" is not on its side");
  says(why("plane 0 1 world 1 0 0 0 0 1 1 2\n"), "not on its side");
  says(why("plane 0 1 world 0 1.1 0 0.2 0 1 1 2\n"), "length 1");
  says(why("plane 0 1 \"nobody\" 0 1 0 0.2 0 1 1 2\n"), "no link \"nobody\"");
  says(why("plane 0 1 world 0 1 0 0.2 0 1 1 3\n"), "not there");
  says(why("plane 0 1 world 0 1 0 0.2 0 2 1 2\n"), "in common");
  says(why("plane 0.7 0.3 world 0 1 0 0.2 0 1 1 2\n"), "interval");
  says(why("plane 0 1 world 0 1 0 nan 0 1 1 2\n"), "not a number");
  says(why("plane 0 1 world 0 1 0 1e999 0 1 1 2\n"), "not a number");
}

// An arm sweeps past a ball that stands in the arc, at the radius of 1.2 m: its end samples are far
// away, so that only the whole interval tells.
TEST(CertificateCheck, MotionsCountBetweenTheirEnds) {
  const std::string scene = R"({"objects": [{"id": "bob", "shape": "sphere", "radius": 0.1,
    "pose": {"xyz": [RR, 0, 1]}}]})";
  const auto at = [&](const std::string& x) {
    std::string text = scene;
    return text.replace(text.find("RR"), 2, x);
  };
  const std::string text =
      "catena-certificate 1\nclearance 0\njoint \"turn\"\nshape \"base\" 0 .\nshape \"arm\" 0 .\n"
      "shape \"bob\" 0 .\nedge\nfrom -1\nto 1\nplane 0 1 world 1 0 0 1.05 0 2 2 3\nend\n";
  EXPECT_TRUE(Files(kArm, at("1.2")).check(text).proven) << Files(kArm, at("1.2")).check(text).why;
  EXPECT_FALSE(Files(kArm, at("1.14")).check(text).proven);
  // Over the seam at pi, the other way round: there the ball is out of reach.
  std::string seam = text;
  seam.replace(seam.find("from -1\nto 1"), 12, "from -2\nto 2");
  seam.replace(seam.find("1 0 0 1.05"), 10, "1 0 0 0.2 ");
  EXPECT_TRUE(Files(kArm, at("0.4")).check(seam).proven) << Files(kArm, at("0.4")).check(seam).why;
  // Limits make it turn through zero.
  std::string limited = kArm;
  limited.replace(limited.find("continuous"), 10, "revolute");
  limited.replace(limited.find("<axis"), 5, "<limit lower=\"-3\" upper=\"3\"/><axis");
  EXPECT_FALSE(Files(limited, at("0.4")).check(seam).proven);
}

// What no single instant shows: each plane is passed at mid-time, by a margin that the motion then
// uses up along a straight line, by a turn, or by the bend of an arc alone.
TEST(CertificateCheck, EachPartOfAMotionCounts) {
  const Files along(kSlider, R"({"objects": [{"id": "post", "shape": "sphere", "radius": 0.1,
      "pose": {"xyz": [0.9, 0, 0]}}]})");
  EXPECT_FALSE(along.check(slide_text("plane 0 1 world 1 0 0 0.7 0 1 1 2\n")).proven);

  const auto turning = [](const char* shape, const char* object) {
    return Files(
        std::string("<robot name=\"t\"><link name=\"base\"/><link name=\"part\"><collision>") +
            shape +
            "</collision></link><joint name=\"turn\" type=\"continuous\"><parent "
            "link=\"base\"/><child link=\"part\"/><axis xyz=\"0 0 1\"/></joint></robot>",
        std::string("{\"objects\": [{\"id\": \"ball\", \"shape\": \"sphere\", "
                    "\"radius\": 0.05, \"pose\": {\"xyz\": ") +
            object + "}}]}");
  };
  const auto text = [](const std::string& ends, const std::string& plane) {
    return "catena-certificate 1\nclearance 0\njoint \"turn\"\nshape \"part\" 0 .\n"
           "shape \"ball\" 0 .\nedge\n" +
           ends + "plane 0 1 world " + plane + "\nend\n";
  };
  // A bar that turns about its middle by half a radian either way ends 0.48 m aside.
  const Files bar = turning("<geometry><box size=\"2 0.05 0.05\"/></geometry>", "[0.88, 0.45, 0]");
  EXPECT_FALSE(bar.check(text("from -0.5\nto 0.5\n", "0 1 0 0.2 0 1 1 2")).proven);
  EXPECT_TRUE(bar.check(text("from -0.2\nto 0.2\n", "0 1 0 0.25 0 1 1 2")).proven)
      << bar.check(text("from -0.2\nto 0.2\n", "0 1 0 0.25 0 1 1 2")).why;
  // A ball on an arc falls back behind the line that it touches at mid-time.
  const Files arc = turning("<origin xyz=\"1 0 0\"/><geometry><sphere radius=\"0.05\"/></geometry>",
                            "[0.54, 0.84, 0]");
  EXPECT_FALSE(arc.check(text("from -1\nto 1\n", "1 0 0 0.9 1 2 0 1")).proven);
  EXPECT_TRUE(arc.check(text("from -0.3\nto 0.3\n", "1 0 0 0.85 1 2 0 1")).proven);
}

/// A ball of 0.1 m on a joint, beside a wall at x = 1.3; an edge with these lines and one plane
/// between the two, at x = 1.2.
CheckResult check_at_wall(const std::string& joint, const std::string& ball_xyz,
                          const std::string& lines) {
  const Files files(R"(<robot name="r"><link name="base"/>
      <link name="ball"><collision><origin xyz=")" +
                        ball_xyz + R"("/><geometry><sphere radius="0.1"/></geometry></collision>
      </link><joint name="j" )" +
                        joint + R"(<parent link="base"/><child link="ball"/></joint></robot>)",
                    R"({"objects": [{"id": "wall", "shape": "box", "size": [0.2, 4, 4],
                        "pose": {"xyz": [1.4, 0, 0]}}]})");
  return files.check(
      "catena-certificate 1\nclearance 0\njoint \"j\"\nshape \"ball\" 0 .\nshape \"wall\" 0 "
      ".\nedge\n" +
      lines + "plane 0 1 world 1 0 0 1.2 0 1 1 2\nend\n");
}

// From rest to rest at the same place with velocities v and -v a cubic goes v / 4 there and back: 4
// stays at the plane's near side, 5 does not. Joints of every kind, and mimics' factors.
TEST(CertificateCheck, SplinesAreFollowedBetweenTheirEnds) {
  const std::string slide =
      R"(type="prismatic"><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>)";
  const auto cubic = [](const std::string& state, const std::string& from, const std::string& to) {
    return "from " + state + "\nto " + state + "\nduration 1\nfrom_velocity " + from +
           "\nto_velocity " + to + "\n";
  };
  const auto expect = [&](bool proven, const std::string& joint, const std::string& at,
                          const std::string& lines) {
    const CheckResult r = check_at_wall(joint, at, lines);
    EXPECT_EQ(r.proven, proven) << joint << lines << r.why;
  };
  expect(true, slide, "0 0 0", cubic("0", "4", "-4"));
  expect(false, slide, "0 0 0", cubic("0", "5", "-5"));
  // A quintic whose accelerations carry it as far: a t^2 (1 - t)^2 has its greatest value a / 16.
  const auto quintic = [](const std::string& a) {
    return "from 0\nto 0\nduration 2\nfrom_velocity 0\nto_velocity 0\nfrom_acceleration " + a +
           "\nto_acceleration " + a + "\n";
  };
  expect(true, slide, "0 0 0", quintic("8"));     // 8 * 4 / 2 / 16 = 1
  expect(false, slide, "0 0 0", quintic("9.6"));  // 1.2, and the ball
  expect(true, R"(type="planar"><axis xyz="0 0 1"/>)", "0 0 0", cubic("0 0 0", "4 9 0", "-4 1 0"));
  expect(false, R"(type="planar"><axis xyz="0 0 1"/>)", "0 0 0", cubic("0 0 0", "5 9 0", "-5 1 0"));
  const std::string still = " 0 0 0 0";
  expect(true, R"(type="floating">)", "0 0 0",
         cubic("0 0 0 0 0 0 1", "4 0 9" + still, "-4 0 0" + still));
  expect(false, R"(type="floating">)", "0 0 0",
         cubic("0 0 0 0 0 0 1", "5 0 9" + still, "-5 0 0" + still));
  // At a radius of 1.25 it passes the plane unless it stays behind; a whole turn is none to a
  // state.
  const std::string turn = R"(type="continuous"><axis xyz="0 0 1"/>)";
  expect(true, turn, "-1.25 0 0", "from 0\nto 0.5\nduration 1\n");
  expect(false, turn, "-1.25 0 0", "from 0\nto 6.283185307179586\nduration 1\n");
  expect(true, turn, "-1.25 0 0", "from 0\nto 6.283185307179586\n");
}

// Numbers that are none, and lists that do not fit, prove nothing.
TEST(CertificateCheck, RefusesWhatIsNoSpline) {
  const std::string slide =
      R"(type="prismatic"><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>)";
  const std::string turn = R"(type="continuous"><axis xyz="0 0 1"/>)";
  const auto why = [](const std::string& joint, const std::string& lines) {
    const CheckResult r = check_at_wall(joint, "0 0 0", lines);
    EXPECT_FALSE(r.proven) << lines;
    return r.why;
  };
  for (const std::string& joint : {slide, turn}) {
    for (const char* numbers :
         {"duration 1e300\nfrom_velocity 1e300\nto_velocity 0\n",
          "duration 1e300\nfrom_velocity 0\nto_velocity -1e300\n",
          "duration 1e200\nfrom_velocity 0\nto_velocity 0\nfrom_acceleration 1\nto_acceleration "
          "0\n"}) {
      EXPECT_NE(why(joint, "from 0\nto 0\n" + std::string(numbers)), "") << joint << numbers;
    }
  }
  const std::string at = "from 0\nto 0\n";
  EXPECT_NE(why(slide, at + "from_velocity 1\nto_velocity 1\n").find("no duration"),
            std::string::npos);
  EXPECT_NE(why(slide, at + "duration 1\nfrom_velocity 1\n").find("velocities"), std::string::npos);
  EXPECT_NE(why(slide, at + "duration 1\nfrom_velocity 1 2\nto_velocity 1 2\n").find("velocities"),
            std::string::npos);
  EXPECT_NE(
      why(slide, at + "duration 1\nfrom_acceleration 1\nto_acceleration 1\n").find("no velocities"),
      std::string::npos);
  EXPECT_NE(why(slide, at + "duration 0\n").find("not above 0"), std::string::npos);
  EXPECT_NE(why(R"(type="floating">)", "from 0 0 0 0 0 0 1\nto 0 0 0 0 0 1 0\nduration 1\n")
                .find("quaternion"),
            std::string::npos);
}

TEST(CertificateCheck, DerivesThePairsItself) {
  const std::string arm = "catena-certificate 1\nclearance 0\njoint \"turn\"\n";
  const std::string edge = "edge\nfrom 0\nto 1\nend\n";
  // One joint joins the two links, so nothing is to be proven; with the pair enabled there is.
  const std::string both = arm + "shape \"base\" 0 .\nshape \"arm\" 0 .\n" + edge;
  Files files(kArm, "");
  EXPECT_TRUE(files.check(both).proven) << files.check(both).why;
  files.inputs.srdf = files.folder.write(
      "on.srdf", "<robot name=\"arm\"><enable_collisions link1=\"arm\" link2=\"base\"/></robot>");
  EXPECT_FALSE(files.check(both).proven);
  files.inputs.srdf = files.folder.write(
      "off.srdf",
      "<robot name=\"arm\"><enable_collisions link1=\"arm\" link2=\"base\"/>"
      "<disable_collisions link1=\"base\" link2=\"arm\" reason=\"User\"/></robot>");
  EXPECT_TRUE(files.check(both).proven);
  // Every shape and every joint must be there, once.
  EXPECT_FALSE(files.check(arm + "shape \"base\" 0 .\n" + edge).proven);
  EXPECT_FALSE(
      files.check(arm + "shape \"base\" 0 .\nshape \"base\" 0 .\nshape \"arm\" 0 .\n" + edge)
          .proven);
  EXPECT_FALSE(
      files.check(arm + "joint \"turn\"\nshape \"base\" 0 .\nshape \"arm\" 0 .\n" + edge).proven);
}

TEST(CertificateCheck, HalfSpacesUseTheirOwnPlane) {
  const Files files(kSlider,
                    R"({"objects": [{"id": "floor", "shape": "plane", "normal": [0, 0, 2],
                        "offset": -0.4}]})");  // z <= -0.2
  const std::string head =
      "catena-certificate 1\nclearance 0.05\njoint \"slide\"\nshape \"ball\" 0 .\n"
      "shape \"floor\" 0 .\nedge\nfrom -1\nto 1\n";
  const auto check = [&](const std::string& plane) { return files.check(head + plane + "end\n"); };
  EXPECT_TRUE(check("plane 0 1 world 0 0 1 -0.2 1 2 0 1\n").proven)
      << check("plane 0 1 world 0 0 1 -0.2 1 2 0 1\n").why;
  EXPECT_FALSE(check("plane 0 1 world 0 0 -1 -0.2 1 2 0 1\n").proven);
  EXPECT_FALSE(check("plane 0 1 world 0 0 1 -0.3 1 2 0 1\n").proven);
  EXPECT_FALSE(check("plane 0 1 \"ball\" 0 0 1 -0.2 1 2 0 1\n").proven);
}

// Any bytes: an answer, and no crash.
TEST(CertificateCheck, MalformedFilesAreRefused) {
  const Files files(kSlider, kPost);
  const std::string good = slide_text("plane 0 1 world 0 1 0 0.2 0 1 1 2\n");
  ASSERT_TRUE(files.check(good).proven);
  for (size_t cut = 0; cut + 1 < good.size(); ++cut)
    EXPECT_FALSE(files.check(good.substr(0, cut)).proven && cut + 4 < good.size()) << cut;
  std::mt19937 rng(3);
  const char* const pieces[] = {"\"",
                                ".",
                                " x 1",
                                "-",
                                "1e308",
                                "999999999",
                                "\n",
                                "plane",
                                "edge\n",
                                "nan",
                                "end\n",
                                "\0",
                                "shape \"ball\" 0 x 0 x 0 x 0 . . . .\n"};
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bad = good;
    for (int k = 0; k < 1 + static_cast<int>(rng() % 3); ++k) {
      const size_t at = rng() % bad.size();
      switch (rng() % 4) {
        case 0:
          bad.erase(at, 1 + rng() % 5);
          break;
        case 1:
          bad.insert(at, pieces[rng() % std::size(pieces)]);
          break;
        case 2:
          bad[at] = static_cast<char>(rng());
          break;
        default:
          bad.insert(at, bad.substr(rng() % bad.size(), rng() % 40));
      }
      if (bad.empty()) bad = " ";
    }
    (void)files.check(bad);
  }
  // Work has an end: many planes, each over many parts and barely true or false.
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "plane 0 1 world 0 1 0 0.2 0 1 1 2\n";
  CheckOptions little;
  little.budget = 1000;
  const CheckResult r = check_certificate(files.inputs, slide_text(many), little);
  EXPECT_FALSE(r.proven);
  EXPECT_NE(r.why.find("budget"), std::string::npos) << r.why;
}

/// Links of 1 m along x with joints about z, and at both ends a ball of 0.01 m; nothing else.
std::string planar_chain(int joints) {
  const std::string ball = "<collision><geometry><sphere radius=\"0.01\"/></geometry></collision>";
  std::string text = "<robot name=\"chain\"><link name=\"l0\">" + ball + "</link>\n";
  for (int i = 1; i <= joints; ++i) {
    const std::string n = std::to_string(i);
    text += "<link name=\"l" + n + "\">" + (i == joints ? ball : "") + "</link><joint name=\"j" +
            n + "\" type=\"revolute\"><parent link=\"l" + std::to_string(i - 1) +
            "\"/><child link=\"l" + n + "\"/><origin xyz=\"" + (i == 1 ? "0" : "1") +
            " 0 0\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/></joint>\n";
  }
  return text + "</robot>";
}

std::string planar_text(int joints, double angle, const std::string& plane) {
  std::string text = "catena-certificate 1\nclearance 0\n", from = "from", to = "to";
  for (int i = 1; i <= joints; ++i) {
    text += "joint \"j" + std::to_string(i) + "\"\n";
    from += " " + std::to_string(-angle);
    to += " " + std::to_string(angle);
  }
  return text + "shape \"l0\" 0 .\nshape \"l" + std::to_string(joints) + "\" 0 .\nedge\n" + from +
         "\n" + to + "\n" + plane + "end\n";
}

// A straight chain bends by the same angle at all joints, one way and then the other: no chain
// comes nearer to the bound of its acceleration. Its two balls are nearest at both ends of the
// edge, where the closed form says how near along x, as either link sees the other. A plane that
// leaves less room than that by a thousandth of what they come nearer is refused; one that leaves
// more is accepted. Through few joints and through many.
TEST(CertificateCheck, PlanesBesideBendingChainsAreTight) {
  for (const int joints : {2, 10, 24, 25, 60}) {
    const Files files(planar_chain(joints), "");
    const double angle = std::stod(std::to_string(0.05 / joints));  // as the file has it
    long double straight = 0.0L, bent = 0.0L;
    for (int k = 1; k < joints; ++k) {
      straight += 1.0L;
      bent += std::cos(static_cast<long double>(k) * static_cast<long double>(angle));
    }
    for (const bool from_tip : {false, true}) {
      const auto check = [&](long double share) {
        const auto away = static_cast<double>(bent - 0.01L - share * (straight - bent));
        char plane[200];
        std::snprintf(plane, sizeof plane, "plane 0 1 %s 1 0 0 %.17g 0 1 1 2\n",
                      from_tip ? ("\"l" + std::to_string(joints) + "\"").c_str() : "world",
                      from_tip ? -away : away);
        return files.check(planar_text(joints, angle, plane));
      };
      const CheckResult before = check(0.001L);
      EXPECT_TRUE(before.proven) << joints << (from_tip ? " from the tip: " : ": ") << before.why;
      EXPECT_FALSE(check(-0.001L).proven) << joints << (from_tip ? " from the tip" : "");
    }
  }
}

// A ball slides along x through the axis of a turntable while that turns: it goes along y by
// v u sin(w u), u from -1/2 to 1/2, which is the bend that a turn gives to a shift and no more. The
// table and the slider are one joint apart or many, which stand still.
TEST(CertificateCheck, TurnsBendShifts) {
  constexpr double kTurn = 0.02, kShift = 1.0;
  for (const int between : {0, 40}) {
    std::string robot =
        "<robot name=\"r\"><link name=\"l0\"/><link name=\"l1\"/><joint name=\"turn\" "
        "type=\"revolute\"><parent link=\"l0\"/><child link=\"l1\"/><axis xyz=\"0 0 1\"/><limit "
        "lower=\"-1\" upper=\"1\"/></joint>\n";
    for (int i = 1; i <= between; ++i)
      robot += "<link name=\"l" + std::to_string(i + 1) + "\"/><joint name=\"f" +
               std::to_string(i) + "\" type=\"fixed\"><parent link=\"l" + std::to_string(i) +
               "\"/><child link=\"l" + std::to_string(i + 1) + "\"/></joint>\n";
    robot +=
        "<link name=\"ball\"><collision><geometry><sphere "
        "radius=\"0.01\"/></geometry></collision></link><joint name=\"slide\" "
        "type=\"prismatic\"><parent link=\"l" +
        std::to_string(between + 1) +
        "\"/><child link=\"ball\"/><axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\"/></joint>"
        "</robot>";
    const Files files(robot, R"({"objects": [{"id": "post", "shape": "sphere", "radius": 0.1,
        "pose": {"xyz": [0, 5, 0]}}]})");
    const double most = 0.5 * kShift * std::sin(0.5 * kTurn);
    const auto check = [&](double share) {
      char plane[200];
      std::snprintf(plane, sizeof plane, "plane 0 1 world 0 1 0 %.17g 0 1 1 2\n",
                    most * share + 0.01);
      return files.check(
          "catena-certificate 1\nclearance 0\njoint \"turn\"\njoint \"slide\"\nshape "
          "\"ball\" 0 .\nshape \"post\" 0 .\nedge\nfrom -0.01 -0.5\nto 0.01 0.5\n" +
          std::string(plane) + "end\n");
    };
    const CheckResult enough = check(1.001);
    EXPECT_TRUE(enough.proven) << between << ": " << enough.why;
    EXPECT_FALSE(check(0.999).proven) << between;
    EXPECT_FALSE(check(0.3).proven) << between;
  }
}

struct Chain {
  struct Joint {
    bool shifts;
    int axis;
    double from, to;
    std::array<double, 3> origin;
  };
  std::vector<Joint> joints;

  using Point = std::array<long double, 3>;
  static Point turned(const Point& x, int axis, long double angle) {
    const auto i = static_cast<std::size_t>(axis + 1) % 3,
               k = static_cast<std::size_t>(axis + 2) % 3;
    Point y = x;
    y[i] = std::cos(angle) * x[i] - std::sin(angle) * x[k];
    y[k] = std::sin(angle) * x[i] + std::cos(angle) * x[k];
    return y;
  }
  /// Where a link's origin is, seen from another link's frame, at time t.
  Point seen(std::size_t link, std::size_t frame, long double t) const {
    const auto value = [&](std::size_t j) {
      return joints[j].from + t * (static_cast<long double>(joints[j].to) - joints[j].from);
    };
    Point x{};
    for (std::size_t j = link; j-- > 0;) {  // up to the base
      const auto axis = static_cast<std::size_t>(joints[j].axis);
      if (joints[j].shifts)
        x[axis] += value(j);
      else
        x = turned(x, joints[j].axis, value(j));
      for (std::size_t k = 0; k < 3; ++k) x[k] += joints[j].origin[k];
    }
    for (std::size_t j = 0; j < frame; ++j) {  // and down to the frame
      const auto axis = static_cast<std::size_t>(joints[j].axis);
      for (std::size_t k = 0; k < 3; ++k) x[k] -= joints[j].origin[k];
      if (joints[j].shifts)
        x[axis] -= value(j);
      else
        x = turned(x, joints[j].axis, -value(j));
    }
    return x;
  }
};

// Property: of chains that turn and shift every which way, no plane is accepted that one of two
// balls meets, as 2,000 samples in 80 bits see it from any link; and one that leaves both some room
// is accepted.
TEST(CertificateCheck, NoPlaneIsAcceptedThatAChainMeets) {
  std::mt19937_64 rng(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int accepted = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = trial % 2 == 0 ? 6 : 40;
    Chain chain;
    const double turn = (trial % 4 < 2 ? 0.3 : 0.05);
    const std::string ball =
        "<collision><geometry><sphere radius=\"0.01\"/></geometry></collision>";
    std::string robot = "<robot name=\"chain\"><link name=\"l0\">" + ball + "</link>\n";
    std::string head = "catena-certificate 1\nclearance 0\n", from = "from", to = "to";
    for (std::size_t j = 0; j < n; ++j) {
      const double start = 0.4 * unit(rng);
      Chain::Joint joint{rng() % 5 == 0,
                         static_cast<int>(rng() % 3),
                         start,
                         start + turn * unit(rng),
                         {1.0, 0.2 * unit(rng), 0.2 * unit(rng)}};
      const auto number = [](double value) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", value);
        return std::string(text);
      };
      const std::string name = std::to_string(j + 1);
      robot += "<link name=\"l" + name + "\">" + (j + 1 == n ? ball : "") +
               "</link><joint name=\"j" + name + "\" type=\"" +
               (joint.shifts ? "prismatic" : "revolute") + "\"><parent link=\"l" +
               std::to_string(j) + "\"/><child link=\"l" + name + "\"/><origin xyz=\"" +
               number(joint.origin[0]) + " " + number(joint.origin[1]) + " " +
               number(joint.origin[2]) + "\"/><axis xyz=\"" +
               (joint.axis == 0   ? "1 0 0"
                : joint.axis == 1 ? "0 1 0"
                                  : "0 0 1") +
               "\"/><limit lower=\"-2\" upper=\"2\"/></joint>\n";
      head += "joint \"j" + name + "\"\n";
      from += " " + number(joint.from);
      to += " " + number(joint.to);
      chain.joints.push_back(joint);
    }
    const Files files(robot + "</robot>", "");
    const std::size_t frame = rng() % (n + 1);
    const Chain::Point a = chain.seen(0, frame, 0.5L), b = chain.seen(n, frame, 0.5L);
    Chain::Point normal;
    long double length = 0.0L;
    for (std::size_t k = 0; k < 3; ++k) normal[k] = b[k] - a[k] + 0.3L * unit(rng);
    for (const long double x : normal) length += x * x;
    for (long double& x : normal) x = static_cast<double>(x / std::sqrt(length));
    long double low = -1e9L, high = 1e9L;  // what the samples leave between the balls
    for (int i = 0; i <= 2000; ++i) {
      const long double t = i / 2000.0L;
      const Chain::Point p = chain.seen(0, frame, t), q = chain.seen(n, frame, t);
      long double along_p = 0.01L, along_q = -0.01L;
      for (std::size_t k = 0; k < 3; ++k) {
        along_p += normal[k] * p[k];
        along_q += normal[k] * q[k];
      }
      low = std::max(low, along_p);
      high = std::min(high, along_q);
    }
    const auto check = [&](long double offset) {
      char plane[300];
      std::snprintf(plane, sizeof plane, "plane 0 1 %s %.17g %.17g %.17g %.17g 0 1 1 2\n",
                    frame == 0 ? "world" : ("\"l" + std::to_string(frame) + "\"").c_str(),
                    static_cast<double>(normal[0]), static_cast<double>(normal[1]),
                    static_cast<double>(normal[2]), static_cast<double>(offset));
      return files.check(head + "shape \"l0\" 0 .\nshape \"l" + std::to_string(n) +
                         "\" 0 .\nedge\n" + from + "\n" + to + "\n" + plane + "end\n");
    };
    for (const long double beyond : {1e-7L, 1e-4L, 1e-2L, 0.3L}) {
      EXPECT_FALSE(check(low - beyond).proven) << "trial " << trial << " beyond " << beyond;
      EXPECT_FALSE(check(high + beyond).proven) << "trial " << trial << " beyond " << beyond;
    }
    if (high - low < 1e-2L) continue;
    const CheckResult r = check(0.5L * (low + high));
    EXPECT_TRUE(r.proven) << "trial " << trial << ": " << r.why;
    ++accepted;
  }
  EXPECT_GT(accepted, 20);
}

}  // namespace
}  // namespace catena::certificate
