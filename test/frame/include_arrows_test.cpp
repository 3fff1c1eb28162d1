// Includes point one way: math < geometry < model < hierarchy < query < (plugins, planners,
// python); io beside, on model. Read from the sources themselves, so that a layer cannot grow a
// back edge unseen.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

/// Each layer, and the layers below it whose headers it may include.
const std::map<std::string, std::set<std::string>>& may_see() {
  static const std::set<std::string> everything = {"math",   "geometry", "model",   "hierarchy",
                                                   "query",  "io",       "plugins", "planners",
                                                   "python", "test",     "bench",   "certificate"};
  static const std::map<std::string, std::set<std::string>> table = {
      {"math", {"math"}},
      {"geometry", {"math", "geometry"}},
      {"model", {"math", "geometry", "model"}},
      {"io", {"math", "geometry", "model", "io"}},
      {"hierarchy", {"math", "geometry", "model", "hierarchy"}},
      {"query", {"math", "geometry", "model", "hierarchy", "query"}},
      // What re-checks the engine's answers sees nothing of it.
      {"certificate", {"certificate"}},
      {"plugins", {"math", "geometry", "model", "hierarchy", "query", "io", "plugins"}},
      {"planners",
       {"math", "geometry", "model", "hierarchy", "query", "io", "plugins", "planners",
        "certificate"}},
      {"python", {"math", "geometry", "model", "hierarchy", "query", "io", "plugins", "python"}},
      {"test", everything},
      {"bench", everything}};
  return table;
}

/// The layer of a file, given relative to the project's folder; "" if it belongs to none.
std::string layer_of(const fs::path& file) {
  std::vector<std::string> parts;
  for (const fs::path& part : file.lexically_normal()) parts.push_back(part.string());
  if (parts.size() >= 3 && parts[0] == "include" && parts[1] == "catena") return parts[2];
  if (parts.size() >= 3 && parts[0] == "src") return parts[1];
  static const std::set<std::string> tops = {"plugins", "planners", "python", "test", "bench"};
  return parts.size() >= 2 && tops.count(parts[0]) != 0 ? parts[0] : "";
}

struct Include {
  int line;
  bool quoted;
  std::string name;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) {
      found.push_back({number, match[1] == "\"", match[2]});
    }
  }
  return found;
}

/// What is wrong with the includes of one file; `exists` answers for paths relative to the project.
template <class Exists>
std::vector<std::string> complaints(const fs::path& file, const std::string& text,
                                    const std::vector<fs::path>& include_folders,
                                    const Exists& exists) {
  std::vector<std::string> wrong;
  const std::string from = layer_of(file);
  const auto known = may_see().find(from);
  if (known == may_see().end()) {
    wrong.push_back(file.string() + ": layer \"" + from + "\" is not in the table of this test");
    return wrong;
  }
  const bool core_header = file.string().rfind("include/", 0) == 0;
  for (const Include& include : includes_of(text)) {
    const std::string where =
        file.string() + ":" + std::to_string(include.line) + ": " + include.name;
    if (!include.quoted) {
      // Public headers of the library show Eigen and the standard library only.
      const bool standard = include.name.find_first_of("./") == std::string::npos;
      if (include.name.rfind("catena/", 0) == 0) {
        wrong.push_back(where + ": write headers of this project in quotes");
      } else if (core_header && !standard && include.name.rfind("Eigen/", 0) != 0) {
        wrong.push_back(where +
                        ": a public header may include only Eigen and the standard library");
      }
      continue;
    }
    std::vector<fs::path> folders = {file.parent_path()};
    folders.insert(folders.end(), include_folders.begin(), include_folders.end());
    const auto folder =
        std::find_if(folders.begin(), folders.end(), [&](const fs::path& candidate) {
          return exists((candidate / include.name).lexically_normal());
        });
    if (folder == folders.end()) {
      // Data that the build turns into text to be included lies in the build's folder.
      if (fs::path(include.name).extension() == ".inc") continue;
      wrong.push_back(where + ": is not in this project; write <" + include.name +
                      "> if it is another's");
      continue;
    }
    const std::string to = layer_of(*folder / include.name);
    if (known->second.count(to) == 0) {
      wrong.push_back(where + ": " + from + " must not see " + to);
    }
  }
  return wrong;
}

bool is_source(const fs::path& file) {
  static const std::set<std::string> endings = {".hpp", ".cpp", ".h", ".cu", ".cuh"};
  return endings.count(file.extension().string()) != 0;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(IncludeArrows, PointOneWay) {
  const fs::path root = CATENA_SOURCE_DIR;
  std::vector<fs::path> files;
  std::set<fs::path> include_folders = {"include", "src", "test", "bench"};
  for (const char* top : {"include", "src", "plugins", "planners", "python", "test", "bench"}) {
    if (!fs::exists(root / top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path file = entry.path().lexically_relative(root);
      if (entry.is_directory() && file.filename() == "include") include_folders.insert(file);
      // The consumer sees the installed package, not this tree.
      if (file.string().rfind("test/frame/consumer", 0) == 0) continue;
      if (entry.is_regular_file() && is_source(file)) files.push_back(file);
    }
  }
  ASSERT_GT(files.size(), 50U) << "in " << root;
  const std::vector<fs::path> folders(include_folders.begin(), include_folders.end());
  const auto exists = [&](const fs::path& file) { return fs::is_regular_file(root / file); };
  for (const fs::path& file : files) {
    for (const std::string& wrong : complaints(file, read(root / file), folders, exists)) {
      ADD_FAILURE() << wrong;
    }
  }
}

// The test itself is tried on planted includes, so that a silent hole in it shows.
TEST(IncludeArrows, PlantedBackEdgesAreFound) {
  const std::set<fs::path> tree = {"include/catena/model/robot.hpp",
                                   "include/catena/query/result.hpp",
                                   "include/catena/io/urdf.hpp",
                                   "src/io/number.hpp",
                                   "src/query/own.hpp",
                                   "plugins/ompl/include/catena/ompl/setup.hpp"};
  const auto exists = [&](const fs::path& file) { return tree.count(file) != 0; };
  const auto complain = [&](const char* file, const char* text) {
    return complaints(file, text, {"include", "plugins/ompl/include"}, exists).size();
  };
  EXPECT_EQ(complain("include/catena/query/a.hpp", "#include \"catena/model/robot.hpp\"\n"), 0U);
  EXPECT_EQ(complain("include/catena/model/a.hpp", "#include \"catena/query/result.hpp\"\n"), 1U);
  EXPECT_EQ(complain("src/query/a.cpp", "\n  #  include \"catena/io/urdf.hpp\"\n"), 1U);
  EXPECT_EQ(complain("src/query/a.cpp", "#include \"own.hpp\"\n#include \"../io/number.hpp\"\n"),
            1U);
  EXPECT_EQ(complain("src/io/a.cpp", "#include \"../query/own.hpp\"\n"), 1U);
  EXPECT_EQ(complain("src/io/a.cpp", "#include \"yaml-cpp/yaml.h\"\n"), 1U);
  EXPECT_EQ(complain("src/io/a.cpp", "#include <yaml-cpp/yaml.h>\n"), 0U);
  EXPECT_EQ(complain("src/io/a.cpp", "#include <catena/model/robot.hpp>\n"), 1U);
  EXPECT_EQ(complain("src/query/a.cpp", "#include \"catena/ompl/setup.hpp\"\n"), 1U);
  EXPECT_EQ(complain("planners/a.cpp", "#include \"catena/ompl/setup.hpp\"\n"), 0U);
  EXPECT_EQ(complain("include/catena/io/a.hpp", "#include <yaml-cpp/yaml.h>\n"), 1U);
  EXPECT_EQ(complain("include/catena/io/a.hpp", "#include <Eigen/Core>\n#include <map>\n"), 0U);
  EXPECT_EQ(complain("src/newlayer/a.cpp", ""), 1U);
}

}  // namespace
