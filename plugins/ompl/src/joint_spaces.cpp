#include "catena/ompl/joint_spaces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace catena::ompl {

namespace ob = ::ompl::base;

namespace {

// The engine clamps limited values that are at most this far outside their limits.
constexpr double kLimitTolerance = 1e-9;

// OMPL refuses a space whose extent is 0; joints whose limits coincide have one.
constexpr double kSmallestExtent = 1e-9;

using Quaternion = ob::SO3StateSpace::StateType;

double dot(const Quaternion& a, const Quaternion& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// Angle in [0, pi/2] between the lines of two unit quaternions, accurate down to the smallest:
/// the arc cosine of a dot product near 1 would lose half of the digits.
double arc(const Quaternion& a, const Quaternion& b) noexcept {
  const double sign = dot(a, b) < 0.0 ? -1.0 : 1.0;
  const auto squared_norm = [&](double s) {
    const double x = a.x + s * b.x, y = a.y + s * b.y, z = a.z + s * b.z, w = a.w + s * b.w;
    return x * x + y * y + z * z + w * w;
  };
  return 2.0 * std::atan2(std::sqrt(squared_norm(-sign)), std::sqrt(squared_norm(sign)));
}

}  // namespace

bool BoxStateSpace::satisfiesBounds(const ob::State* state) const {
  const double* values = state->as<StateType>()->values;
  for (unsigned int i = 0; i < dimension_; ++i) {
    const bool within = values[i] >= bounds_.low[i] - kLimitTolerance &&
                        values[i] <= bounds_.high[i] + kLimitTolerance;
    if (!within) return false;  // also where the value is not a number
  }
  return true;
}

double BoxStateSpace::getMaximumExtent() const {
  return std::max(RealVectorStateSpace::getMaximumExtent(), kSmallestExtent);
}

bool AngleStateSpace::satisfiesBounds(const ob::State* state) const {
  return std::abs(state->as<StateType>()->value) <= std::numbers::pi;
}

void AngleStateSpace::enforceBounds(ob::State* state) const {
  if (!satisfiesBounds(state)) SO2StateSpace::enforceBounds(state);
}

double RotationStateSpace::distance(const ob::State* a, const ob::State* b) const {
  return arc(*a->as<StateType>(), *b->as<StateType>());
}

bool RotationStateSpace::equalStates(const ob::State* a, const ob::State* b) const {
  return distance(a, b) < 4.0 * std::numeric_limits<double>::epsilon();
}

bool RotationStateSpace::satisfiesBounds(const ob::State* state) const {
  const Quaternion& q = *state->as<StateType>();
  return std::isfinite(dot(q, q)) && SO3StateSpace::satisfiesBounds(state);
}

void RotationStateSpace::interpolate(const ob::State* from, const ob::State* to, double t,
                                     ob::State* state) const {
  const Quaternion& a = *from->as<StateType>();
  const Quaternion& b = *to->as<StateType>();
  const double theta = arc(a, b);
  // Below this angle sin(x) = x to the last digit, and the quotient of sines is that of angles.
  const bool tiny = theta < 1e-8;
  const double s = tiny ? 1.0 - t : std::sin((1.0 - t) * theta) / std::sin(theta);
  const double r =
      (tiny ? t : std::sin(t * theta) / std::sin(theta)) * (dot(a, b) < 0.0 ? -1.0 : 1.0);
  const std::array<double, 4> q{s * a.x + r * b.x, s * a.y + r * b.y, s * a.z + r * b.z,
                                s * a.w + r * b.w};
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  auto& result = *state->as<StateType>();  // may be a or b: not to be read below
  result.x = q[0] / norm;
  result.y = q[1] / norm;
  result.z = q[2] / norm;
  result.w = q[3] / norm;
}

PlanarStateSpace::PlanarStateSpace() {
  setName("Planar" + getName());
  addSubspace(std::make_shared<BoxStateSpace>(2), 1.0);
  addSubspace(std::make_shared<AngleStateSpace>(), 0.5);  // as SE2StateSpace weighs it
  lock();
}

FloatingStateSpace::FloatingStateSpace() {
  setName("Floating" + getName());
  addSubspace(std::make_shared<BoxStateSpace>(3), 1.0);
  addSubspace(std::make_shared<RotationStateSpace>(), 1.0);  // as SE3StateSpace weighs it
  lock();
}

}  // namespace catena::ompl
