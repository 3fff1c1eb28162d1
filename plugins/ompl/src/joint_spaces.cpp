#include "catena/ompl/joint_spaces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Core>

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

Eigen::Vector4d normalized(const Quaternion& q) noexcept {
  return Eigen::Vector4d(q.x, q.y, q.z, q.w).stableNormalized();
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
  // Both ends normalised, and the sign of their dot product taken, as the engine's Motion does:
  // for a half turn that sign alone says which way round it goes.
  const Eigen::Vector4d a = normalized(*from->as<StateType>());
  Eigen::Vector4d b = normalized(*to->as<StateType>());
  if (a.dot(b) < 0.0) b = -b;
  const double theta = 2.0 * std::atan2((a - b).norm(), (a + b).norm());
  // Below this angle sin(x) = x to the last digit, and the quotient of sines is that of angles.
  const bool tiny = theta < 1e-8;
  const double s = tiny ? 1.0 - t : std::sin((1.0 - t) * theta) / std::sin(theta);
  const double r = tiny ? t : std::sin(t * theta) / std::sin(theta);
  const Eigen::Vector4d q = (s * a + r * b).stableNormalized();
  auto& result = *state->as<StateType>();
  result.x = q[0];
  result.y = q[1];
  result.z = q[2];
  result.w = q[3];
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
