#include "io/xacro.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"
#include "io/external_program.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;

/// A new folder that goes when this does.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "catena-xacro-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

// xacro asks this Python module for a package's folder. The one of ROS 2 knows installed packages
// only, and without ROS there is none; this one also answers from the user's map and from the
// folders above the file, by the rules of ResourceFinder.
constexpr const char* kPackageIndex = R"python(import json, os, re

class PackageNotFoundError(KeyError):
    pass

def _manifest_name(folder):
    try:
        with open(os.path.join(folder, "package.xml"), encoding="utf-8", errors="replace") as file:
            found = re.search(r"<name>\s*([^<\s]+)\s*</name>", file.read())
    except OSError:
        return None
    return found.group(1) if found else None

def get_package_share_directory(name):
    mapped = json.loads(os.environ["CATENA_XACRO_PACKAGES"])
    if name in mapped:
        return os.path.abspath(mapped[name])
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(":"):
        folder = os.path.join(prefix, "share", name)
        if prefix and os.path.isdir(folder):
            return folder
    for top in os.environ.get("ROS_PACKAGE_PATH", "").split(":"):
        for folder in (top, os.path.join(top, name)):
            if top and _manifest_name(folder) == name:
                return folder
    at = os.environ["CATENA_XACRO_FOLDER"]
    while True:
        if os.path.basename(at) == name or _manifest_name(at) == name:
            return at
        if os.path.isdir(os.path.join(at, name)):
            return os.path.join(at, name)
        above = os.path.dirname(at)
        if above == at:
            raise PackageNotFoundError(
                "no folder is known for package '%s'; name it with --package %s=DIR" % (name, name))
        at = above
)python";

/// The last lines of a program's complaint, on one line.
std::string last_lines(const std::string& text) {
  std::string joined;
  std::size_t end = text.size();
  for (int lines = 0; end > 0 && lines < 4;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    std::string line = text.substr(start, end - start);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (!line.empty()) {
      joined = joined.empty() ? line : line + " | " + joined;
      ++lines;
    }
    if (newline == std::string::npos) break;
    end = newline;
  }
  return joined.empty() ? "it says nothing" : joined;
}

std::string without_comments(const std::string& text) {
  std::string rest;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find("<!--", at);
    rest.append(text, at, start - at);
    if (start == std::string::npos) break;
    const std::size_t end = text.find("-->", start + 4);
    if (end == std::string::npos) break;
    at = end + 3;
  }
  return rest;
}

}  // namespace

bool is_xacro(const std::string& source, const std::string& path) {
  const std::string text = without_comments(source);
  if (text.find("<xacro:") != std::string::npos) return true;
  return path.ends_with(".xacro") &&
         (text.find("${") != std::string::npos || text.find("$(") != std::string::npos);
}

std::string expand_xacro(const std::string& path,
                         const std::map<std::string, std::string>& packages) {
  const std::string program = find_program("xacro");
  if (program.empty())
    throw InputError(path, 0, "<robot>",
                     "this is a xacro file, and there is no xacro program on PATH to expand it",
                     "install it (pip install xacro, or the package xacro of ROS), or give the "
                     "URDF that it makes");

  const TemporaryFolder folder;
  const fs::path module = folder.path() / "ament_index_python";
  std::error_code error;
  if (folder.path().empty() || !fs::create_directory(module, error))
    throw InputError(path, 0, "<robot>", "cannot make a temporary folder to run xacro in",
                     "make the folder of TMPDIR writable");
  std::ofstream(module / "__init__.py") << "from .packages import *\n";
  std::ofstream(module / "packages.py") << kPackageIndex;

  std::map<std::string, std::string> environment;
  const char* python_path = std::getenv("PYTHONPATH");
  environment["PYTHONPATH"] =
      folder.path().string() + (python_path != nullptr ? std::string(":") + python_path : "");
  environment["PYTHONDONTWRITEBYTECODE"] = "1";
  environment["PYTHONIOENCODING"] = "utf-8";
  environment["CATENA_XACRO_PACKAGES"] =
      nlohmann::json(packages).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  environment["CATENA_XACRO_FOLDER"] = absolute.parent_path().string();

  constexpr int kTimeout = 60;  // seconds; real files take one or two
  const ProgramResult result = run_program({program, absolute.string()}, environment, kTimeout);
  if (!result.started)
    throw InputError(path, 0, "<robot>", program + " could not be started",
                     "check that it runs by itself");
  if (result.timed_out)
    throw InputError(path, 0, "<robot>", "xacro was ended after " + std::to_string(kTimeout) + " s",
                     "run it by hand, and give the URDF that it makes");
  if (result.status != 0)
    throw InputError(path, 0, "<robot>", "xacro refused it: " + last_lines(result.errors),
                     "correct the file, or name missing packages with --package NAME=DIR");
  return result.output;
}

RobotText read_robot_text(const std::string& path,
                          const std::map<std::string, std::string>& packages) {
  std::string text = read_text_file(path);
  if (!is_xacro(text, path)) return {std::move(text), path, false};
  return {expand_xacro(path, packages), path + " (as expanded by xacro)", true};
}

}  // namespace catena::io
