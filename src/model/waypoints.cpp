#include "catena/model/waypoints.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace catena {

std::optional<Waypoints::Spline> Waypoints::spline(int i) const {
  const auto from = static_cast<size_t>(i), to = from + 1;
  if (i < 0 || i >= num_edges()) {
    throw std::invalid_argument("Waypoints: there is no edge " + std::to_string(i) + " of " +
                                std::to_string(num_edges()));
  }
  if (slopes.empty() || to >= states.size()) return std::nullopt;
  if (slopes.size() != states.size() || times.size() != states.size()) {
    throw std::invalid_argument(
        "Waypoints: a trajectory needs a time, a velocity and an acceleration (or none) for each "
        "state; give as many as states");
  }
  Spline s{{states[from], slopes[from].velocity, slopes[from].acceleration},
           {states[to], slopes[to].velocity, slopes[to].acceleration},
           times[to] - times[from]};
  const auto both = [&](Eigen::VectorXd Knot::*values) {
    return (s.from.*values).size() != 0 && (s.to.*values).size() != 0;
  };
  if (!both(&Knot::acceleration)) s.from.acceleration = s.to.acceleration = {};
  if (!both(&Knot::velocity)) {
    s.from.velocity = s.to.velocity = {};
    s.from.acceleration = s.to.acceleration = {};
  }
  return s;
}

void Waypoints::set_motion(const Robot& robot, int i, Motion& motion) const {
  if (const std::optional<Spline> s = spline(i)) {
    motion.reset(robot, s->from, s->to, s->duration);
    return;
  }
  const auto from = static_cast<size_t>(i);
  motion.reset(robot, states[from], states[std::min(from + 1, states.size() - 1)]);
}

}  // namespace catena
