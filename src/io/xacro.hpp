#pragma once

#include <map>
#include <string>

namespace catena::io {

/// Whether a text is xacro source: it uses xacro elements, or its file's name says so and it has
/// something to expand.
bool is_xacro(const std::string& text, const std::string& path);

/// The URDF that an installed `xacro` program makes of the file, with the defaults of its
/// arguments.
///
/// `$(find NAME)` is answered as package://NAME is (see ResourceFinder), so that no ROS is needed.
/// Errors    InputError: no xacro program (says how to get it), its complaint, more than a minute.
std::string expand_xacro(const std::string& path,
                         const std::map<std::string, std::string>& packages);

/// The text of an XML robot file, expanded if it is xacro, and what messages call it: the lines are
/// then those of what xacro made, so they must not send the reader to the source.
struct RobotText {
  std::string text;
  std::string shown;
  bool expanded = false;
};
RobotText read_robot_text(const std::string& path,
                          const std::map<std::string, std::string>& packages);

}  // namespace catena::io
