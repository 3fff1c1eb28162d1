// Every key like [Lotan2002] that a source or a page cites is listed in docs/references.md.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::set<std::string> keys_in(const std::string& text) {
  static const std::regex pattern(R"(\[([a-z]*[A-Z][A-Za-z]+[12][0-9]{3}[a-z]?)\])");
  std::set<std::string> keys;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) {
    keys.insert((*i)[1]);
  }
  return keys;
}

TEST(References, EveryCitedKeyIsListed) {
  const fs::path root = CATENA_SOURCE_DIR;
  const std::set<std::string> listed = keys_in(read(root / "docs/references.md"));
  ASSERT_GE(listed.size(), 5U);
  int cited = 0;
  for (const char* top : {"include", "src", "plugins", "planners", "docs"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".hpp" && ending != ".cpp" && ending != ".md") continue;
      if (entry.path().filename() == "references.md") continue;
      for (const std::string& key : keys_in(read(entry.path()))) {
        ++cited;
        EXPECT_EQ(listed.count(key), 1U) << entry.path() << " cites [" << key << "]";
      }
    }
  }
  EXPECT_GT(cited, 0);
}

}  // namespace
