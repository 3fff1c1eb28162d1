// The pages hold together: every key like [Lotan2002] that a source or a page cites is listed in
// docs/references.md, and every link from one file of this project to another leads somewhere.

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

TEST(References, EveryLinkToAFileLeadsSomewhere) {
  const fs::path root = CATENA_SOURCE_DIR;
  static const std::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");  // a colon: a link to elsewhere
  std::set<fs::path> pages = {root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const char* top : {"docs", "config", "plugins", "planners"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.path().extension() == ".md") pages.insert(entry.path());
    }
  }
  int links = 0;
  for (const fs::path& page : pages) {
    const std::string text = read(page);
    EXPECT_FALSE(text.empty()) << page;
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      ++links;
      EXPECT_TRUE(fs::exists(page.parent_path() / std::string((*i)[1])))
          << page << " links to " << (*i)[1];
    }
  }
  EXPECT_GT(links, 5);
}

}  // namespace
