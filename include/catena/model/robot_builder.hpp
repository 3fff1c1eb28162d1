#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/model/robot.hpp"

namespace catena {

/// A link as a URDF states it, before fixed joints are merged.
struct LinkDescription {
  std::string name;
  std::vector<PlacedGeometry> collision;  ///< placed in the link's own frame
};

struct MimicDescription {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

struct JointDescription {
  std::string name;
  JointType type = JointType::kFixed;
  std::string parent, child;
  RigidEnclosure origin;              ///< X_PJ
  Vector3d axis = Vector3d::UnitX();  ///< any length but zero; normalised here
  double lower = -kInfinity, upper = kInfinity;
  std::optional<MimicDescription> mimic;
};

/// A group as an SRDF states it; its parts add up.
struct GroupDescription {
  std::string name;
  std::vector<std::string> joints;
  std::vector<std::string> links;  ///< stands for the joint that moves the link
  std::vector<std::pair<std::string, std::string>> chains;  ///< base link, tip link
  std::vector<std::string> subgroups;
};

struct DisabledPair {
  std::string a, b;
  std::string reason;
};

/// What one robot is made of; the names in it are checked by RobotBuilder::build.
struct RobotDescription {
  std::string name;
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;  ///< a planar or floating virtual joint included
  std::vector<GroupDescription> groups;
  std::map<std::pair<std::string, std::string>, Robot::NamedState> group_states;
  std::vector<DisabledPair> disabled_pairs;
  /// Links to be checked against each other although a joint connects them.
  std::vector<std::pair<std::string, std::string>> enabled_pairs;
  std::vector<std::string> passive_joints;
  std::set<std::string> world_frames;  ///< the frames that virtual joints join
  std::vector<std::string> warnings;

  struct Source {
    std::string file;
    int line = 0;
  };
  /// Where elements such as `<joint name="elbow">` stand; for messages only, may stay empty.
  std::map<std::string, Source> sources;
};

/// A description that cannot be built: `ELEMENT: PROBLEM; REMEDY`. Readers add the file and line.
class ModelError : public std::invalid_argument {
 public:
  ModelError(std::string element, std::string problem, std::string remedy)
      : std::invalid_argument(element + ": " + problem + "; " + remedy),
        element_(std::move(element)),
        problem_(std::move(problem)),
        remedy_(std::move(remedy)) {}

  const std::string& element() const noexcept { return element_; }  ///< `<joint name="elbow">`
  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  std::string element_, problem_, remedy_;
};

/// Checks a description and makes the immutable model: merges fixed joints, orders links, resolves
/// mimic chains and groups, decides which pairs of bodies are checked: all but those that a joint
/// joins, those of one link (joined by fixed joints alone) and those that the description disables.
///
/// Order     links and bodies depth first, children in the order of the description's joints.
/// Errors    ModelError: unknown or double names, a link with two parents, a cycle, no root or
///           several, a zero axis, crossed limits, a mimic cycle, values that are not numbers.
class RobotBuilder {
 public:
  static std::shared_ptr<const Robot> build(const RobotDescription& description);

  struct Attachment {
    std::shared_ptr<const Robot> robot;
    std::string name;     ///< its joints and bodies become `name/...`
    RigidEnclosure X_WR;  ///< where its root stands
  };
  /// One model of several robots that share the world frame; every pair across robots is checked.
  static std::shared_ptr<const Robot> combine(const Robot& first,
                                              const std::vector<Attachment>& others);

 private:
  class Assembly;
};

}  // namespace catena
