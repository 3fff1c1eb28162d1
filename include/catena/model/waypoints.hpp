#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "catena/model/motion.hpp"

namespace catena {

/// States one after another, and how the robot gets from each to the next: as the OMPL state space
/// interpolates or, of a trajectory, by splines through the states in their times.
///
/// Radians, metres, seconds.
/// Cost      `spline` and `set_motion` copy the values of two states.
/// Threads   a plain struct.
/// Errors    std::invalid_argument for an edge that is not there, and for slopes without times.
struct Waypoints {
  std::vector<Eigen::VectorXd> states;  ///< num_positions() values each
  /// When each state is reached, not decreasing: as many as states, or none.
  std::vector<double> times;

  /// Velocities and accelerations of each state; empty where it has none. Between two states that
  /// both have accelerations runs a quintic, between two that have velocities a cubic, else a line.
  struct Slope {
    Eigen::VectorXd velocity, acceleration;
  };
  /// As many as states, with times that increase: a trajectory. None: a path.
  std::vector<Slope> slopes;

  /// One less than states; but one state is an edge that stands still.
  int num_edges() const noexcept {
    return states.size() < 2 ? static_cast<int>(states.size())
                             : static_cast<int>(states.size()) - 1;
  }

  /// The ends of an edge of a trajectory, with the slopes that count.
  struct Spline {
    Knot from, to;
    double duration = 0.0;
  };
  /// Nothing if edge i is no spline. Its duration is the difference of two times, rounded.
  std::optional<Spline> spline(int i) const;

  /// Turns `motion` to edge i, in [0, num_edges()). Errors: those of Motion.
  void set_motion(const Robot& robot, int i, Motion& motion) const;
};

}  // namespace catena
