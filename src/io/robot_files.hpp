#pragma once

#include <string>

#include "catena/io/urdf.hpp"
#include "catena/model/robot_builder.hpp"
#include "io/xml_check.hpp"

namespace catena::io {

/// A description with the places of its elements.
struct SourcedDescription {
  RobotDescription description;
  SourceLines lines;
};

/// add_srdf_text, and where the file's elements stand.
void add_srdf_text(const std::string& text, const std::string& path, RobotDescription& description,
                   SourceLines& lines);

}  // namespace catena::io
