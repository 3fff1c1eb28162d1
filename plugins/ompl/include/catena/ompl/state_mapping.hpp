#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ompl/base/StateSpace.h>
#include <Eigen/Core>

#include "catena/model/robot.hpp"
#include "catena/model/scene.hpp"

namespace catena::ompl {

/// Joint values of a group in the order of its joints, as a state of an OMPL space holds them.
///
/// Made once from the structure of a space, after checking that the space moves every joint as the
/// engine's Motion does: limited joints and positions in real-vector dimensions, continuous joints
/// and planar angles in SO(2), rotations in RotationStateSpace. Only spaces whose interpolation is
/// known are accepted, because a proof about another motion would be none.
///
/// Cost      a copy is O(number of joints of the robot), without allocation.
/// Threads   immutable after construction.
/// Errors    std::invalid_argument: joint, what the space does with it, what to use instead.
class StateMapping {
 public:
  /// `resting` gives the joints outside the group (Robot::num_positions values).
  StateMapping(std::shared_ptr<const Robot> robot, JointGroup group,
               const ::ompl::base::StateSpace& space, Eigen::VectorXd resting);

  const Robot& robot() const noexcept { return *robot_; }
  const std::shared_ptr<const Robot>& robot_ptr() const noexcept { return robot_; }
  const JointGroup& group() const noexcept { return group_; }
  const Eigen::VectorXd& resting() const noexcept { return resting_; }

  /// Number of values of the group's joints.
  int num_values() const noexcept { return static_cast<int>(q_index_.size()); }
  /// Where value i of the group stands in a whole position vector.
  int q_index(int i) const noexcept { return q_index_[static_cast<size_t>(i)]; }

  /// The whole position vector of a state. @pre q.size() == robot().num_positions()
  void to_positions(const ::ompl::base::State* state, Eigen::Ref<Eigen::VectorXd> q) const noexcept;

  /// The group's values of a state. @pre values.size() == num_values()
  void to_values(const ::ompl::base::State* state,
                 Eigen::Ref<Eigen::VectorXd> values) const noexcept;

  /// Writes values into a state: angles reduced to [-pi, pi], quaternions normalised, values up to
  /// 1e-9 outside their limits clamped. Throws std::invalid_argument for a wrong size and for
  /// values that are no configuration, with the joint's name.
  void from_values(const Eigen::Ref<const Eigen::VectorXd>& values,
                   ::ompl::base::State* state) const;

 private:
  enum class LeafKind : std::uint8_t { kReals, kAngle, kRotation };
  struct Leaf {
    LeafKind kind;
    std::vector<unsigned int> chain;  // component indices from the root of the state
    int first, count;                 // of the group's values
  };

  void collect(const ::ompl::base::StateSpace& space, std::vector<unsigned int>& chain);
  static double* values_of(const Leaf& leaf, ::ompl::base::State* state) noexcept;
  static const double* values_of(const Leaf& leaf, const ::ompl::base::State* state) noexcept;

  std::shared_ptr<const Robot> robot_;
  JointGroup group_;
  Eigen::VectorXd resting_;
  std::vector<int> q_index_;
  std::vector<Leaf> leaves_;
};

/// Where joints stand that nothing moves: at 0, or as the scene's robot state says, both clamped
/// into their limits; or as `others` says (joint name -> its values), which must be within them.
/// Throws std::invalid_argument for a name in `others` that is no active joint, or a wrong size.
Eigen::VectorXd resting_positions(const Robot& robot, const Scene* scene = nullptr,
                                  const std::map<std::string, std::vector<double>>& others = {});

/// The mapping of any space: a catena::ompl::StateSpace brings its own (which must be for this very
/// robot); the states of another stand for all active joints of the robot, in their order.
std::shared_ptr<const StateMapping> mapping_of(const ::ompl::base::StateSpacePtr& space,
                                               const std::shared_ptr<const Robot>& robot,
                                               const Scene* scene = nullptr);

}  // namespace catena::ompl
