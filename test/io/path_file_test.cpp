// Path files: what is written reads back bit by bit; the matrix form; a message for each error.

#include "catena/io/path_file.hpp"

#include <bit>
#include <clocale>
#include <cmath>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "catena/io/input_error.hpp"
#include "support/damage.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::TemporaryFolder;

std::string message_of(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.write("p.json", text);
  try {
    (void)load_path(path);
    return "accepted";
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size() - 6);
  }
}

double any_finite(std::mt19937_64& rng) {
  while (true) {
    const double x = std::bit_cast<double>(rng());
    if (std::isfinite(x)) return x;
  }
}

// Property: every finite double, over the whole range of exponents, reads back as the same bits.
TEST(PathFile, RoundTripIsExact) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "p.json").string();
  std::mt19937_64 rng(17);
  for (int trial = 0; trial < 20; ++trial) {
    PathFile written;
    written.robot = "a \"b\" \\ \n\t\x01 \xC3\xA4.urdf";
    written.group = "arm";
    written.joint_order = {"j1", "j/2"};
    for (int i = 0; i < 50; ++i) {
      written.states.push_back({any_finite(rng), any_finite(rng), any_finite(rng)});
    }
    written.states[0] = {-0.0, 5e-324, 1.7976931348623157e308};
    written.times.emplace();
    for (int i = 0; i < 50; ++i) written.times->push_back(0.1 * i);
    for (int i = 0; i < 49; ++i) {
      PathFile::Edge edge;
      edge.verdict = static_cast<Verdict>(i % 3);
      if (i % 2 == 0) edge.distance = Interval{0.1 * i, 0.1 * i + 1e-5};
      written.edges.push_back(edge);
    }
    written.stats_json = R"({"edges": 49, "note": "a\"b", "list": [1, null, true]})";
    save_path(written, path);
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));

    const PathFile read = load_path(path);
    EXPECT_EQ(read.robot, written.robot);
    EXPECT_EQ(read.group, written.group);
    EXPECT_EQ(read.joint_order, written.joint_order);
    EXPECT_EQ(read.times, written.times);
    EXPECT_EQ(read.stats_json, written.stats_json);
    ASSERT_EQ(read.states.size(), written.states.size());
    for (std::size_t i = 0; i < read.states.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(read.states[i][k]),
                  std::bit_cast<std::uint64_t>(written.states[i][k]))
            << "seed 17 trial " << trial;
      }
    }
    ASSERT_EQ(read.edges.size(), written.edges.size());
    for (std::size_t i = 0; i < read.edges.size(); ++i) {
      EXPECT_EQ(read.edges[i].verdict, written.edges[i].verdict);
      ASSERT_EQ(read.edges[i].distance.has_value(), written.edges[i].distance.has_value());
      if (read.edges[i].distance) {
        EXPECT_EQ(read.edges[i].distance->lo, written.edges[i].distance->lo);
        EXPECT_EQ(read.edges[i].distance->hi, written.edges[i].distance->hi);
      }
    }
  }
}

TEST(PathFile, NumbersDoNotDependOnTheLocale) {
  const TemporaryFolder folder;
  const std::string json = folder.write(
      "p.json",
      R"({"format": "catena-path/1", "joint_order": ["a"], "states": [[0.25], [-1.5e-3]]})");
  const std::string matrix = folder.write("p.path", "0.25\n-1.5e-3\n");
  const std::string before = std::setlocale(LC_ALL, nullptr);
  bool changed = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"}) {
    changed = changed || std::setlocale(LC_ALL, name) != nullptr;
  }
  for (const std::string& path : {json, matrix}) {
    const PathFile file = load_path(path);
    EXPECT_EQ(file.states[0][0], 0.25);
    EXPECT_EQ(file.states[1][0], -1.5e-3);
  }
  PathFile file;
  file.joint_order = {"a"};
  file.states = {{0.5}};
  save_path(file, (folder.path() / "out.json").string());
  EXPECT_EQ(load_path((folder.path() / "out.json").string()).states[0][0], 0.5);
  std::setlocale(LC_ALL, before.c_str());
  if (!changed) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(PathFile, ReadsTheMatrixForm) {
  const TemporaryFolder folder;
  const PathFile file = load_path(folder.write("p.path", "1 2.5 -3 \n+4 5e-1\t6\r\n\n\n"));
  EXPECT_TRUE(file.joint_order.empty() && file.edges.empty() && !file.times);
  EXPECT_EQ(file.states, (std::vector<std::vector<double>>{{1, 2.5, -3}, {4, 0.5, 6}}));
}

TEST(PathFile, ReadsTrajectoriesOfRos) {
  const TemporaryFolder folder;
  // As `ros2 topic echo` prints a moveit_msgs/RobotTrajectory.
  const PathFile robot = load_path(folder.write("t.yaml", R"(joint_trajectory:
  header:
    stamp: {sec: 0, nanosec: 0}
    frame_id: base
  joint_names:
  - a
  - b
  points:
  - positions: [0.5, 1.0]
    velocities: [0.0, 0.25]
    accelerations: [1.0, 2.0]
    effort: []
    time_from_start:
      sec: 0
      nanosec: 0
  - positions: [1.5, -1.0]
    velocities: []
    accelerations: []
    effort: []
    time_from_start:
      sec: 2
      nanosec: 500000000
multi_dof_joint_trajectory:
  joint_names: []
  points: []
)"));
  EXPECT_EQ(robot.joint_order, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(robot.states, (std::vector<std::vector<double>>{{0.5, 1}, {1.5, -1}}));
  EXPECT_EQ(*robot.times, (std::vector<double>{0, 2.5}));
  ASSERT_TRUE(robot.slopes);
  EXPECT_EQ(robot.slopes->velocities, (std::vector<std::vector<double>>{{0, 0.25}, {}}));
  EXPECT_EQ(robot.slopes->accelerations, (std::vector<std::vector<double>>{{1, 2}, {}}));
  // ROS 1's names, JSON.
  const PathFile joints = load_path(folder.write("t.json", R"({"joint_names": ["a"], "points": [
    {"positions": [0.5], "time_from_start": {"secs": 1, "nsecs": 5}},
    {"positions": [1.5], "time_from_start": 2.5}]})"));
  EXPECT_EQ(*joints.times, (std::vector<double>{1 + 5e-9, 2.5}));
  ASSERT_TRUE(joints.slopes);
  EXPECT_TRUE(joints.slopes->velocities[0].empty());
  // Written and read again.
  save_path(robot, (folder.path() / "again.json").string());
  const PathFile again = load_path((folder.path() / "again.json").string());
  ASSERT_TRUE(again.slopes);
  EXPECT_EQ(again.slopes->velocities, robot.slopes->velocities);
  EXPECT_EQ(again.slopes->accelerations, robot.slopes->accelerations);
  EXPECT_EQ(again.times, robot.times);
}

TEST(PathFile, ReadsOmplAppPaths) {
  CATENA_REQUIRE_DATA("data/scenes/omplapp");
  const auto root = test::data_root() / "data/scenes/omplapp";
  const std::vector<std::tuple<const char*, std::size_t, std::size_t>> expected = {
      {"3D/Easy.path", 40, 7},     {"3D/Twistycool.path", 35, 7},  {"3D/cubicles.path", 211, 7},
      {"2D/Barriers.path", 93, 3}, {"2D/Maze_planar.path", 77, 3},
  };
  for (const auto& [name, lines, size] : expected) {
    const PathFile file = load_path((root / name).string());
    // A file's last line counts only if it is not empty, so a path has all of its lines or one
    // less.
    EXPECT_LE(file.states.size(), lines) << name;
    EXPECT_GE(file.states.size() + 1, lines) << name;
    EXPECT_EQ(file.states[0].size(), size) << name;
  }
}

TEST(PathFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto say = [&](const std::string& text) { return message_of(folder, text); };
  const std::string head = R"({"format": "catena-path/1", "joint_order": ["a"], )";
  EXPECT_EQ(say(""), "p.json: no state; a path has one state at least");
  EXPECT_EQ(say("1 2\n3\n"),
            "p.json:2: state 1: 1 values, but the first state has 2; give each "
            "state every value");
  EXPECT_EQ(say("1 nan\n"),
            "p.json:1: value 2: \"nan\" is not a finite number; write a JSON path "
            "file, or one state a line");
  EXPECT_EQ(say("1 0x10\n").substr(0, 25), "p.json:1: value 2: \"0x10\"");
  EXPECT_EQ(say(R"({"format": "catena-path/2"})"),
            "p.json:1: format: unknown format \"catena-path/2\"; this version reads "
            "\"catena-path/1\"");
  EXPECT_EQ(
      say("{}"),
      "p.json:1: it is no path: \"format\" is missing; write \"format\": \"catena-path/1\", or "
      "give a ROS message with \"joint_names\" and \"points\"");
  EXPECT_NE(say(R"({"joint_names": ["a"], "points": [{"positions": [1],
      "time_from_start": {"sec": 1, "nsecs": 5}}]})")
                .find("unknown key \"nsecs\""),
            std::string::npos);
  EXPECT_EQ(say(head + R"("states": [[0], [1]], "times": [1, 0], "interpolation": null})"),
            "p.json:1: times[1]: times run backwards; give times that do not decrease");
  // What is misspelt would leave another motion to be proven.
  EXPECT_NE(say(head + R"("states": [[0]], "velocites": [[0]]})").find("unknown key \"velocites\""),
            std::string::npos);
  EXPECT_NE(say(R"({"joint_names": ["a"], "points": [{"positions": [1], "velocity": [1],
      "time_from_start": 0}]})")
                .find("unknown key \"velocity\""),
            std::string::npos);
  EXPECT_EQ(say(head + R"("states": []})"),
            "p.json:1: states: no state; a path has one state at least");
  EXPECT_EQ(say(head + "\"states\": [[0],\n[0, 1]]}"),
            "p.json:2: states[1]: 2 values, but states[0] has 1; give each state every value");
  EXPECT_EQ(say(head + R"("states": [[]]})"),
            "p.json:1: states[0]: 0 values, but joint_order names 1 joints; give each state every "
            "value");
  EXPECT_EQ(say(head + R"("states": [["nan"]]})"),
            "p.json:1: states[0][0]: \"nan\" is not a finite number; give a decimal number");
  EXPECT_EQ(say(head + R"("states": [[0]], "times": [0, 1]})"),
            "p.json:1: times: 2 times for 1 states; give one for each state");
  EXPECT_EQ(say(head + R"("states": [[0], [1]], "times": [1, 0]})"),
            "p.json:1: times[1]: times run backwards; give times that do not decrease");
  EXPECT_EQ(say(head + R"("states": [[0], [1]], "times": [1, 2], "velocities": [[0], [0]]})"),
            "p.json:1: velocities: a path of straight edges has none; write \"interpolation\": "
            "\"spline\" as well, or leave them out");
  const std::string spline = head + R"("states": [[0], [1]], "interpolation": "spline")";
  EXPECT_EQ(say(spline + "}"),
            "p.json:1: interpolation: a spline needs times; give \"times\", one for each state");
  EXPECT_EQ(say(spline + R"(, "times": [1, 1]})"),
            "p.json:1: times[1]: the state is reached at 1 s, the one before at 1 s; give a "
            "trajectory times that increase");
  EXPECT_EQ(say(spline + R"(, "times": [1, 2], "velocities": [[0]]})"),
            "p.json:1: velocities: 1 lists for 2 states; give one for each state, empty where "
            "there is none");
  EXPECT_EQ(say(spline + R"(, "times": [1, 2], "velocities": [[0, 1], []]})"),
            "p.json:1: velocities[0]: 2 values, but the state has 1; give one for each, or none");
  EXPECT_EQ(say(spline + R"(, "times": [1, 2], "accelerations": [[0], []]})"),
            "p.json:1: states[0]: accelerations without velocities; give both, or neither");
  EXPECT_EQ(say(R"({"joint_names": ["a"], "points": []})"),
            "p.json:1: points: no point; a trajectory has one point at least");
  EXPECT_EQ(say(R"({"joint_names": ["a"], "points": [{"positions": [1, 2]}]})"),
            "p.json:1: points[0].positions: 2 values, but joint_names names 1 joints; give each "
            "joint one");
  EXPECT_EQ(say(R"({"joint_names": ["a"], "points": [{"positions": [1]}]})"),
            "p.json:1: points[0]: \"time_from_start\" is missing; add it");
  EXPECT_EQ(say(head + R"("states": [[0], [1]], "edges": [{}, {}]})"),
            "p.json:1: edges: 2 edges for 2 states; give one between every two states, or none");
  EXPECT_EQ(say(head + R"("states": [[0], [1]], "edges": [{"verdict": "maybe"}]})"),
            "p.json:1: edges[0].verdict: unknown verdict \"maybe\"; known are free, collision, "
            "undecided");
  EXPECT_EQ(
      say(head + R"("states": [[0], [1]], "edges": [{"verdict": "free", "distance": [2, 1]}]})"),
      "p.json:1: edges[0].distance: not a bracket; give [lower, upper]");
}

TEST(PathFile, RefusesToWriteWhatCouldNotBeReadBack) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "p.json").string();
  PathFile file;
  file.joint_order = {"a"};
  file.states = {{std::nan("")}};
  EXPECT_THROW(save_path(file, path), std::invalid_argument);
  file.states = {{0}, {1}};
  file.edges.resize(2);
  EXPECT_THROW(save_path(file, path), std::invalid_argument);
  file.edges.clear();
  EXPECT_THROW(save_path(file, (folder.path() / "none" / "p.json").string()), InputError);
  file.times = {0.0, 1.0};
  file.slopes = PathFile::Slopes{{{0.0}, {}}, {{}, {1.0}}};
  EXPECT_THROW(save_path(file, path), std::invalid_argument);
  file.slopes = PathFile::Slopes{{{0.0}, {1.0}}, {{}, {}}};
  file.times = {1.0, 1.0};
  EXPECT_THROW(save_path(file, path), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PathFile, SurvivesDamage) {
  const TemporaryFolder folder;
  std::mt19937 rng(23);
  const std::string text =
      R"({"format": "catena-path/1", "robot": "r", "joint_order": ["a"], "states": [[0.5], [1]],
 "times": [0, 1], "edges": [{"verdict": "free", "distance": [1, 2]}], "stats": {"a": [1]}})";
  for (int trial = 0; trial < 2000; ++trial) {
    (void)message_of(folder, test::damaged(text, rng));
  }
}

}  // namespace
}  // namespace catena::io
