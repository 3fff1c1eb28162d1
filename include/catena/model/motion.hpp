#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "catena/model/robot.hpp"

namespace catena {

/// A point of a trajectory: a configuration, and how fast its values change there. Velocities and
/// accelerations (rad/s, m/s and by s^2) are as many as the values, or none.
struct Knot {
  Eigen::VectorXd q, velocity, acceleration;
};

/// The motion between two configurations as the OMPL state space interpolates it, t in [0, 1]:
/// straight for revolute and prismatic joints and the position of planar and floating ones, the
/// shorter way round for continuous joints and the angle of planar ones, slerp ([Shoemake1985]) for
/// rotations. Or the spline between two knots of a trajectory: the quintic with their values,
/// velocities and accelerations, the cubic without accelerations, the straight line without
/// velocities; continuous joints, too, then turn from one value to the other as these are written,
/// by whole turns where they say so. Metres, radians; t is the path parameter, not seconds.
/// Denotes   the exact real motion from the given doubles; evaluation returns enclosures of it.
/// Cost      construction O(n), evaluation O(n). Reusable: `reset` allocates nothing once sized.
/// Threads   const after reset; one per thread.
/// Errors    std::invalid_argument for wrong sizes, values that are not finite, zero quaternions,
///           angles above 1e6 rad, limited joints more than 1e-9 outside their limits (within,
///           they are clamped), and a mimic of a continuous joint that the seam would tear. Of a
///           spline also a duration that is not above 0, knots of different kinds, and rotations
///           of floating and ball joints that do not stand still. Between its knots a spline may
///           leave the limits.
class Motion {
 public:
  Motion() = default;
  Motion(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
         const Eigen::Ref<const Eigen::VectorXd>& q1) {
    reset(robot, q0, q1);
  }
  /// The motion that stays at q.
  Motion(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q) { reset(robot, q, q); }

  /// The spline from one knot to another in `duration` seconds.
  Motion(const Robot& robot, const Knot& from, const Knot& to, double duration) {
    reset(robot, from, to, duration);
  }

  /// Becomes the motion from q0 to q1, or the spline. After an exception it has no meaning.
  void reset(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
             const Eigen::Ref<const Eigen::VectorXd>& q1);
  void reset(const Robot& robot, const Knot& from, const Knot& to, double duration);

  /// What a joint of a spline does beyond the linear term, which is its velocity at 0: t^2 angle[0]
  /// + ... + t^5 angle[3] is added to its angle, and likewise the columns of p to its translation.
  struct Curve {
    std::array<double, 4> angle{};
    Eigen::Matrix<double, 3, 4> p = Eigen::Matrix<double, 3, 4>::Zero();
    double reach = 0.0;  ///< sum of the magnitudes of all the angle's coefficients, angle0's too
    double rate_error = 0.0;   ///< of rate(t), any t in [0, 1]
    double speed_error = 0.0;  ///< of velocity(t), any t in [0, 1]
    double angular_acceleration_bound = 0.0;
    double acceleration_bound = 0.0;  ///< of the translation
  };

  /// One joint's part of the motion: translation at a constant velocity and rotation about a fixed
  /// axis at a constant rate, X_JL(t) = Trans(p0 + t v) Rot0 Rot(axis, angle0 + t rate), and what
  /// its curve adds, if it has one.
  struct JointMotion {
    Vector3d p0 = Vector3d::Zero();
    Vector3d v = Vector3d::Zero();
    double p_error = 0.0;  ///< of the translation, any t in [0, 1]
    Matrix3d R0 = Matrix3d::Identity();
    double R0_error = 0.0;
    Vector3d axis = Vector3d::UnitX();  ///< unit
    double axis_error = 0.0;
    double angle0 = 0.0;
    double rate = 0.0;
    double angle_error = 0.0;  ///< of the angle, any t in [0, 1]
    double speed_bound = 0.0;  ///< of the translation, over all of the motion
    double rate_bound = 0.0;   ///< |rate| at most, over all of the motion
    bool moves = false;        ///< false only if it provably stands still
    int curve = -1;            ///< number of its curve; -1: none
  };

  const JointMotion& joint(LinkIndex i) const noexcept {
    return joints_[static_cast<size_t>(i.value)];
  }
  /// Null: it moves straight.
  const Curve* curve(LinkIndex i) const noexcept {
    const int number = joint(i).curve;
    return number < 0 ? nullptr : &curves_[static_cast<size_t>(number)];
  }
  /// At what rate joint i turns at time t, radians by the path parameter.
  double rate(LinkIndex i, double t) const noexcept;
  /// The velocity of its translation at time t, metres by the path parameter, in the frame J.
  Vector3d velocity(LinkIndex i, double t) const noexcept;
  int num_links() const noexcept { return static_cast<int>(joints_.size()); }
  bool moves() const noexcept { return !moving_.empty(); }
  /// The links whose joints move, in order.
  std::span<const LinkIndex> moving() const noexcept { return moving_; }

  /// X_JL of joint i at time t.
  RigidEnclosure joint_transform(LinkIndex i, double t) const noexcept;

  /// X_WL for every link at time t; X_WL.size() == num_links(). Quicker at 0 and 1, unless it is a
  /// spline.
  void poses(const Robot& robot, double t, std::vector<RigidEnclosure>& X_WL) const;

 private:
  std::vector<JointMotion> joints_;
  std::vector<Curve> curves_;  // a spline has one for each joint that moves
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
