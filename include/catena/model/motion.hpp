#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "catena/model/robot.hpp"

namespace catena {

/// The motion between two configurations as the OMPL state space interpolates it, t in [0, 1]:
/// straight for revolute and prismatic joints and the position of planar and floating ones, the
/// shorter way round for continuous joints and the angle of planar ones, slerp ([Shoemake1985]) for
/// rotations. Metres, radians; t is the path parameter, not seconds.
/// Denotes   the exact real motion from the given doubles; evaluation returns enclosures of it.
/// Cost      construction O(n), evaluation O(n). Reusable: `reset` allocates nothing once sized.
/// Threads   const after reset; one per thread.
/// Errors    std::invalid_argument for wrong sizes, values that are not finite, zero quaternions,
///           angles above 1e6 rad, limited joints more than 1e-9 outside their limits (within,
///           they are clamped), and a mimic of a continuous joint that the seam would tear.
class Motion {
 public:
  Motion() = default;
  Motion(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
         const Eigen::Ref<const Eigen::VectorXd>& q1) {
    reset(robot, q0, q1);
  }
  /// The motion that stays at q.
  Motion(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q) { reset(robot, q, q); }

  void reset(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
             const Eigen::Ref<const Eigen::VectorXd>& q1);

  /// One joint's part of the motion: translation at a constant velocity and rotation about a fixed
  /// axis at a constant rate, X_JL(t) = Trans(p0 + t v) Rot0 Rot(axis, angle0 + t rate).
  struct JointMotion {
    Vector3d p0 = Vector3d::Zero();
    Vector3d v = Vector3d::Zero();
    double p_error = 0.0;  ///< of p0 + t v, any t in [0, 1]
    Matrix3d R0 = Matrix3d::Identity();
    double R0_error = 0.0;
    Vector3d axis = Vector3d::UnitX();  ///< unit
    double axis_error = 0.0;
    double angle0 = 0.0;
    double rate = 0.0;
    double angle_error = 0.0;  ///< of angle0 + t rate, any t in [0, 1]
    double speed_bound = 0.0;  ///< |v| at most
    double rate_bound = 0.0;   ///< |rate| at most
    bool moves = false;        ///< false only if it provably stands still
  };

  const JointMotion& joint(LinkIndex i) const noexcept {
    return joints_[static_cast<size_t>(i.value)];
  }
  int num_links() const noexcept { return static_cast<int>(joints_.size()); }
  bool moves() const noexcept { return !moving_.empty(); }
  /// The links whose joints move, in order.
  std::span<const LinkIndex> moving() const noexcept { return moving_; }

  /// X_JL of joint i at time t.
  RigidEnclosure joint_transform(LinkIndex i, double t) const noexcept;

  /// X_WL for every link at time t; X_WL.size() == num_links(). Quicker at 0 and 1.
  void poses(const Robot& robot, double t, std::vector<RigidEnclosure>& X_WL) const;

 private:
  std::vector<JointMotion> joints_;
  std::vector<LinkIndex> moving_;
  Eigen::VectorXd q0_, q1_;
};

/// X_PL of joint i at the configuration q, which has robot.num_positions() values. Holds where
/// rounding is to the nearest (RoundingScope).
/// Throws std::invalid_argument unless the joint's values are ones (see Motion).
RigidEnclosure joint_pose(const Robot& robot, LinkIndex i,
                          const Eigen::Ref<const Eigen::VectorXd>& q);

/// X_WL of every link at the configuration q; X_WL.size() == num_links(). O(n).
/// Throws std::invalid_argument, with the joint's name, unless q is a configuration (see Motion).
void link_poses(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q,
                std::vector<RigidEnclosure>& X_WL);

/// The configuration at t on the way from q0 to q1, rounded to doubles; what OMPL's interpolate
/// gives. Continuous angles come back in [-pi, pi], quaternions normalised. Aliasing is allowed.
void interpolate(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
                 const Eigen::Ref<const Eigen::VectorXd>& q1, double t,
                 Eigen::Ref<Eigen::VectorXd> q);

/// Throws std::invalid_argument, with the joint's name, unless q is a configuration (see Motion).
void validate_positions(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q);

}  // namespace catena
