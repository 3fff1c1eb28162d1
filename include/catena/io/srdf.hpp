#pragma once

#include <string>

#include "catena/model/robot_builder.hpp"

namespace catena::io {

/// Adds an SRDF's groups, states, disabled pairs, virtual and passive joints to a description.
/// Names unknown to the robot are warnings, except where a group would silently lose a joint.
/// Errors    InputError with file, line, element, problem, remedy.
void add_srdf(const std::string& path, RobotDescription& description);
void add_srdf_text(const std::string& text, const std::string& path, RobotDescription& description);

}  // namespace catena::io
