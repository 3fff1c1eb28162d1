// Every source of the library is compiled with contraction off and without a flag that changes what
// an operation of doubles gives. Read from the compile commands, because a flag can come in from
// anywhere.

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct Command {
  std::string file, line;
};

/// The value of a `"key": "value"` line of compile_commands.json; "" for any other line.
std::string value_of(const std::string& line, const std::string& key) {
  const std::string start = "\"" + key + "\": \"";
  const std::size_t begin = line.find(start);
  if (begin == std::string::npos) return "";
  return line.substr(begin + start.size(), line.rfind('"') - begin - start.size());
}

std::vector<Command> library_commands() {
  std::ifstream stream(CATENA_COMPILE_COMMANDS);
  std::vector<Command> found;
  std::string text, command;
  while (std::getline(stream, text)) {
    const std::string line = value_of(text, "command");
    if (!line.empty()) command = line;
    const std::string file = value_of(text, "file");
    if (file.rfind(CATENA_SOURCE_DIR "/src/", 0) == 0) found.push_back({file, command});
  }
  return found;
}

TEST(BuildFlags, TheLibraryIsCompiledForIeeeArithmetic) {
  const std::vector<Command> commands = library_commands();
  ASSERT_GT(commands.size(), 10U) << "in " << CATENA_COMPILE_COMMANDS;
  for (const Command& command : commands) {
    const std::string padded = " " + command.line + " ";
    EXPECT_NE(padded.find(" -ffp-contract=off "), std::string::npos) << command.file;
    EXPECT_EQ(padded.find(" -ffp-contract=fast "), std::string::npos) << command.file;
    for (const char* flag : {"-ffast-math", "-Ofast", "-funsafe-math-optimizations",
                             "-fassociative-math", "-freciprocal-math", "-ffinite-math-only",
                             "-fno-signed-zeros", "-march=native", "-mfpmath=387", "-m32"}) {
      EXPECT_EQ(padded.find(std::string(" ") + flag + " "), std::string::npos)
          << command.file << " " << flag;
    }
  }
}

}  // namespace
