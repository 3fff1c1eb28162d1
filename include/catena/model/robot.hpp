#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "catena/geometry/geometry.hpp"
#include "catena/model/indices.hpp"
#include "catena/model/joint.hpp"
#include "catena/model/turning_joint.hpp"

namespace catena {

/// A geometry fixed in some frame F.
struct PlacedGeometry {
  std::shared_ptr<const Geometry> geometry;
  RigidEnclosure X_FG;
};

/// One original URDF link: a name, the moving link that carries it, its collision geometries.
struct Body {
  std::string name;
  LinkIndex link;
  RigidEnclosure X_LB;                     ///< the original link's frame in the moving link's
  std::vector<PlacedGeometry> geometries;  ///< placed in the moving link's frame L
  int robot = 0;                           ///< which of those that were combined it is from
};

/// A planning group: its active joints (not fixed, not mimic, not passive), in topological order.
struct JointGroup {
  std::string name;
  std::vector<LinkIndex> joints;
};

/// Why two bodies of one robot are not checked against each other.
struct UncheckedPair {
  BodyIndex a, b;
  std::string reason;  ///< "Adjacent", "Rigid", or the SRDF's own word
};

/// A tree of rigid links that joints move, with collision geometries.
///
/// Links are numbered topologically (parent(i) < i). Link 0 is the root and does not move; its
/// frame is the world frame W, unless an SRDF virtual joint lets the root move. Joint i moves link
/// i in its parent. Fixed joints are merged: a link carries one or more bodies (original links).
///
/// Threads   immutable after construction: share it.
class Robot {
 public:
  const std::string& name() const noexcept { return name_; }
  int num_links() const noexcept { return static_cast<int>(joints_.size()); }
  const Joint& joint(LinkIndex i) const noexcept { return joints_[static_cast<size_t>(i.value)]; }
  LinkIndex parent(LinkIndex i) const noexcept { return joint(i).parent; }

  /// X_PL of a revolute or continuous joint at an angle known to `angle_error`; other joints: no
  /// meaning.
  RigidEnclosure turned(LinkIndex i, double angle, double angle_error) const noexcept;

  /// The joints that turn, by the link that they move, and those of them about no axis of J.
  std::span<const TurningJoint> turning_joints() const noexcept { return turning_joints_; }
  std::span<const ObliqueTurn> oblique_turns() const noexcept { return oblique_turns_; }

  /// Length of a position vector: the values of all active and passive joints, joint by joint.
  int num_positions() const noexcept { return num_positions_; }

  /// Joints that have values of their own (not fixed, not mimic), in topological order.
  std::span<const LinkIndex> active_joints() const noexcept { return active_joints_; }
  /// The active joint of that name; invalid if there is none. O(log n).
  LinkIndex find_joint(std::string_view name) const noexcept;

  std::span<const Body> bodies() const noexcept { return bodies_; }
  const Body& body(BodyIndex i) const noexcept { return bodies_[static_cast<size_t>(i.value)]; }
  BodyIndex find_body(std::string_view name) const noexcept;

  /// Every query checks each pair of bodies that both have geometry, but for these; by (a, b), a <
  /// b.
  std::span<const UncheckedPair> unchecked_pairs() const noexcept { return unchecked_pairs_; }
  /// Is the pair one that every query checks? O(log n).
  bool checks(BodyIndex a, BodyIndex b) const noexcept;
  std::int64_t num_checked_pairs() const noexcept;
  /// All of them, by (a, b), a < b: O(n^2) for n bodies.
  std::vector<std::pair<BodyIndex, BodyIndex>> list_checked_pairs() const;

  std::span<const JointGroup> groups() const noexcept { return groups_; }
  /// nullptr if there is no group of that name.
  const JointGroup* find_group(std::string_view name) const noexcept;
  /// The group named, or for "" all active joints that are not passive.
  /// Throws std::invalid_argument, listing the groups, if there is none of that name.
  JointGroup group_or_all(const std::string& name) const;

  /// SRDF group states: (group, state) -> joint name -> values.
  using NamedState = std::map<std::string, std::vector<double>>;
  const std::map<std::pair<std::string, std::string>, NamedState>& group_states() const noexcept {
    return group_states_;
  }

  /// What scenes for this robot may call the world frame, besides its root: the two frames of each
  /// virtual joint of the SRDF, which coincide while that joint rests.
  const std::set<std::string>& world_frames() const noexcept { return world_frames_; }

  /// Every joint at 0 (floating and ball: the identity), clamped into its limits.
  Eigen::VectorXd zero_positions() const;

  /// What is doubtful but usable in the files that this robot came from.
  std::span<const std::string> warnings() const noexcept { return warnings_; }

 private:
  friend class RobotBuilder;
  Robot() = default;

  void prepare_turns();

  std::string name_;
  std::vector<Joint> joints_;
  std::vector<TurningJoint> turning_joints_;  // of every link
  std::vector<ObliqueTurn> oblique_turns_;
  int num_positions_ = 0;
  std::vector<LinkIndex> active_joints_;
  std::vector<Body> bodies_;
  std::vector<UncheckedPair> unchecked_pairs_;
  std::vector<JointGroup> groups_;
  std::map<std::pair<std::string, std::string>, NamedState> group_states_;
  std::set<std::string> world_frames_;
  std::vector<std::string> warnings_;
  std::map<std::string, int, std::less<>> joint_by_name_;
  std::map<std::string, int, std::less<>> body_by_name_;
};

}  // namespace catena
