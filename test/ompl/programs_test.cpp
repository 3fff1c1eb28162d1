// The demos and examples, run as a reader of them would.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/run_command.hpp"

namespace {

using catena::test::CommandResult;
using catena::test::run_program;

const std::string kExamples = CATENA_SOURCE_DIR "/config/examples/";
const std::vector<std::string> kArm = {kExamples + "two_link.urdf", kExamples + "two_link.srdf",
                                       kExamples + "post.json"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Rows of numbers on stdout, OMPL's own messages left out.
std::vector<std::vector<double>> rows_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<double> row;
    for (double value = 0.0; words >> value;) row.push_back(value);
    if (!row.empty() && words.eof()) rows.push_back(row);
  }
  return rows;
}

void expect_from_right_to_left(const CommandResult& result) {
  ASSERT_EQ(result.status, 0) << result.out << result.err;
  const auto rows = rows_of(result.out);
  ASSERT_GT(rows.size(), 2U) << "the straight sweep collides with the post";
  EXPECT_EQ(rows.front(), (std::vector<double>{-1.0, 0.0}));
  EXPECT_EQ(rows.back(), (std::vector<double>{1.0, 0.0}));
}

TEST(Demo, RrtConnectProvesItsPath) {
  const CommandResult result = run_program(DEMO_RRT_CONNECT, with(kArm, {"arm", "right", "left"}));
  expect_from_right_to_left(result);
  EXPECT_NE(result.err.find("edges proven free"), std::string::npos) << result.err;
}

TEST(Demo, PrmAnswersTwiceFromOneRoadmap) {
  const CommandResult result = run_program(DEMO_PRM, with(kArm, {"arm", "right", "left"}));
  expect_from_right_to_left(result);
  EXPECT_NE(result.err.find("left to right"), std::string::npos) << result.err;
}

TEST(Demo, BadInputIsStatusTwoAndNamed) {
  for (const char* demo : {DEMO_RRT_CONNECT, DEMO_PRM}) {
    EXPECT_EQ(run_program(demo, {}).status, 2);
    const CommandResult result = run_program(demo, with(kArm, {"arm", "right", "nowhere"}));
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("no state \"nowhere\""), std::string::npos) << result.err;
  }
}

TEST(Example, AUsersProgramGainsCertifiedEdgesInAtMostFiveLines) {
  std::ifstream source(CATENA_SOURCE_DIR "/planners/demos/example_five_lines.cpp");
  int added = 0;
  for (std::string line; std::getline(source, line);) {
    const bool mentions = line.find("catena::") != std::string::npos ||
                          line.find("#include \"catena") != std::string::npos;
    const bool marked = line.find("// added") != std::string::npos;
    EXPECT_TRUE(!mentions || marked) << line;
    added += marked;
  }
  EXPECT_GE(added, 1);
  EXPECT_LE(added, 5);
  expect_from_right_to_left(run_program(EXAMPLE_FIVE_LINES, {kArm[0], kArm[2]}));
}

#ifdef EXAMPLE_HOST
TEST(Example, AHostPlansWithThePluginThatItLoads) {
  const std::string settings = CATENA_SOURCE_DIR "/planners/demos/plugin_settings.yaml";
  const CommandResult result = run_program(EXAMPLE_HOST, {CATENA_PLUGIN, settings});
  ASSERT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_GE(rows_of(result.out).size(), 2U);
  const CommandResult wrong = run_program(EXAMPLE_HOST, {CATENA_PLUGIN, "none.yaml"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("none.yaml: settings: the file cannot be read"), std::string::npos)
      << wrong.err;
  EXPECT_EQ(run_program(EXAMPLE_HOST, {"libnone.so", settings}).status, 2);
}
#endif

}  // namespace
