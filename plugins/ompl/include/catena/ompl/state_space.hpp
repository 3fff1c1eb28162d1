#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ompl/base/StateSpace.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include "catena/ompl/state_mapping.hpp"

namespace catena::ompl {

/// The configurations of one group of a robot, interpolated exactly as the engine's Motion moves.
///
/// One subspace for each joint, in the group's order, named as the joint: AngleStateSpace for a
/// continuous one, PlanarStateSpace, FloatingStateSpace, RotationStateSpace for a ball. A run of
/// joints with one straight value each shares one BoxStateSpace whose dimensions bear their names,
/// so that distances within it are Euclidean. Hence copyToReals gives the values joint by joint.
/// Mimic joints follow and are not in the space.
///
/// Joints without limits (an unlimited prismatic joint, positions of planar and floating joints)
/// need set_bounds before anything samples; setup() and the sampler throw until then.
///
/// Projections   "tip" (default; position of a point of the deepest link), "joints" (the first
///               values), "linear" (a fixed random matrix); all suit KPIECE, EST and their kin.
class StateSpace : public ::ompl::base::CompoundStateSpace {
 public:
  /// `resting`: a position vector for the joints outside the group; empty: Robot::zero_positions.
  explicit StateSpace(std::shared_ptr<const Robot> robot, const std::string& group = "",
                      Eigen::VectorXd resting = {});

  const Robot& robot() const noexcept { return mapping_->robot(); }
  const JointGroup& group() const noexcept { return mapping_->group(); }
  const std::shared_ptr<const StateMapping>& mapping() const noexcept { return mapping_; }
  std::vector<std::string> joint_names() const;
  int num_values() const noexcept { return mapping_->num_values(); }

  /// Narrows or sets where a joint's straight values lie: one number for all of its coordinates,
  /// or one for each. Limits of the robot cannot be widened. Throws std::invalid_argument.
  void set_bounds(const std::string& joint, const std::vector<double>& low,
                  const std::vector<double>& high);
  void set_bounds(const std::string& joint, double low, double high) {
    set_bounds(joint, std::vector<double>{low}, std::vector<double>{high});
  }

  /// The group's values, joint by joint; see StateMapping.
  Eigen::VectorXd values(const ::ompl::base::State* state) const;
  void set_values(::ompl::base::State* state,
                  const Eigen::Ref<const Eigen::VectorXd>& values) const;
  /// The whole position vector of the robot.
  Eigen::VectorXd positions(const ::ompl::base::State* state) const;

  /// Throws std::invalid_argument that names a joint without bounds.
  void require_bounds() const;

  void setup() override;
  void registerProjections() override;
  ::ompl::base::StateSamplerPtr allocDefaultStateSampler() const override;

 private:
  struct Place {  // the straight values of a joint
    ::ompl::base::RealVectorStateSpace* box = nullptr;
    unsigned int first = 0, count = 0;
  };
  std::vector<Place> places_;  // by position in the group
  std::shared_ptr<const StateMapping> mapping_;
};

}  // namespace catena::ompl
