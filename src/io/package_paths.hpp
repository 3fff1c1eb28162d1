#pragma once

#include <map>
#include <string>
#include <vector>

namespace catena::io {

/// Finds the files that a URDF or a scene names: by path or by package://, file://, model://.
///
/// A package's folder is sought in this order: the user's map (which alone counts if it has the
/// package), AMENT_PREFIX_PATH (PREFIX/share/NAME), ROS_PACKAGE_PATH (by package.xml or by the
/// folder's name), then from the naming file upwards: an ancestor that is the package by its
/// package.xml or by its name, or a folder NAME inside an ancestor. The last rule also covers
/// `package://meshes/a.stl` beside the file.
/// Threads   one per reader: it remembers what it found.
class ResourceFinder {
 public:
  /// @param file  the file whose references are resolved; relative ones start at its folder
  ResourceFinder(const std::string& file, std::map<std::string, std::string> packages);

  struct Result {
    std::string path;             ///< an existing file; empty: not found, and then
    std::string problem, remedy;  ///< say what to do
  };
  Result find(const std::string& uri);

  /// Folders that may stand for a package, best first.
  const std::vector<std::string>& package_folders(const std::string& name);

 private:
  Result find_in_package(const std::string& uri, std::string rest);

  std::string folder_;
  std::map<std::string, std::string> packages_;
  std::map<std::string, std::vector<std::string>> found_;
};

}  // namespace catena::io
