#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "catena/certificate/check.hpp"

#include "model.hpp"

namespace catena::certificate {

/// What every link does at one time of a motion, in the world's axes.
struct Instant {
  struct LinkState {
    Pose X_WL;
    /// A point x of the link, in W, moves with spin x x + drift.
    Vec spin, drift;
  };
  std::vector<LinkState> links;
  struct JointPlace {  // of the joint above each link, in doubles, each coordinate to `error`
    std::array<double, 3> axis{}, origin{};
    double error = 0.0;  // metres, of the origin's coordinates; those of the axis are off by 1e-15
  };
  std::vector<JointPlace> joints;
};

/// The motion between two states, exactly as docs/formats.md and docs/rigor.md define it: straight
/// or a spline.
class PathMotion {
 public:
  /// Values joint by joint, in the order of `joints`, numbers of links. Throws Refusal.
  PathMotion(const Model& model, const std::vector<int>& joints, const Proven::Edge& edge);

  Instant at(double t) const;

  /// Upper bounds of the rate at which the joint above the link turns, rad, and shifts, m, over the
  /// whole motion; 0 if it stands still.
  double turn_rate(int link) const { return joints_[static_cast<std::size_t>(link)].rate_above; }
  double shift_rate(int link) const { return joints_[static_cast<std::size_t>(link)].speed_above; }
  /// Upper bounds of their second derivatives.
  double turn_acceleration(int link) const {
    return joints_[static_cast<std::size_t>(link)].turn_acceleration_above;
  }
  double shift_acceleration(int link) const {
    return joints_[static_cast<std::size_t>(link)].shift_acceleration_above;
  }

 private:
  struct Joint {
    Vec p0, v;    // shifts by p0 + t v
    Rotation R0;  // then turns by this
    bool first_turn = false;
    Vec axis{1.0, 0.0, 0.0};
    Real angle, rate;  // and by angle + t rate about the axis
    double rate_above = 0.0, speed_above = 0.0;
    bool curved = false;  // a spline adds these times t^2 ... t^5
    std::array<Real, 4> angle_curve;
    std::array<Vec, 4> shift_curve;
    double turn_acceleration_above = 0.0, shift_acceleration_above = 0.0;
  };

  void set_quaternions(const double* from, const double* to, const std::string& what, Joint& joint);
  void set_curve(const Link& link, std::size_t i, const Proven::Edge& edge,
                 const std::vector<std::size_t>& first, Joint& joint) const;

  /// The joint that a joint of one value follows, through mimics; or itself.
  struct Leader {
    std::size_t source;
    Real multiplier, offset;
  };
  Leader leader_of(std::size_t i) const;

  const Model& model_;
  std::unordered_map<std::string, std::size_t> by_name_;  // joints that are not fixed
  std::vector<Joint> joints_;
  std::vector<Pose> standing_;  // X_PL of the joints that stand still
};

/// The joints that a certificate's states give values for, as numbers of links; throws Refusal
/// unless they are exactly those that move by themselves.
std::vector<int> find_joints(const Model& model, const std::vector<std::string>& names);

}  // namespace catena::certificate
