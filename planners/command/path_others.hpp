#pragma once

#include <string>

#include "catena/io/path_file.hpp"
#include "problem.hpp"

namespace catena::command {

// A path gives the values of a group; where the other joints stood is part of what was proven, so
// the path's stats carry it (`others`: joint -> values) from `plan` to `verify`.

/// The `others` of a path's stats; none if it has none. Throws io::InputError if it is malformed.
OtherValues read_others(const io::PathFile& file, const std::string& path);

/// Where the joints outside the group stand in q.
OtherValues others_of(const Robot& robot, const JointGroup& group, const Eigen::VectorXd& q);

/// `others`, completed by where the scene's robot state puts joints outside the group. Mimic
/// joints, which such a state lists too, follow their parents.
OtherValues add_scene_state(const CollisionWorld& world, const JointGroup& group,
                            OtherValues others);

}  // namespace catena::command
