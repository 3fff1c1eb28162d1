// What long work says on stderr.

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "../../planners/command/progress.hpp"

namespace catena::command {
namespace {

std::string lines_of(int steps, int total, std::chrono::steady_clock::duration pause) {
  testing::internal::CaptureStderr();
  {
    Progress progress("checked", total, pause);
    for (int i = 0; i < steps; ++i) progress.step();
  }
  return testing::internal::GetCapturedStderr();
}

// Property: the last line says how many were done, and no line is said twice.
TEST(ProgressLine, EndsOnce) {
  using std::chrono::hours;
  EXPECT_EQ(lines_of(2, 2, hours(0)), "checked: 1 of 2\nchecked: 2 of 2\n");
  EXPECT_EQ(lines_of(1, 2, hours(0)), "checked: 1 of 2\n");
  EXPECT_EQ(lines_of(2, 2, hours(1)), "") << "short work is not spoken of";
  EXPECT_EQ(lines_of(0, 2, hours(0)), "");
}

}  // namespace
}  // namespace catena::command
