#pragma once

#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/base/spaces/SO3StateSpace.h>

namespace catena::ompl {

/// Values that move straight and have limits: revolute and prismatic joints, positions.
///
/// Differs from its base in two points: a value up to 1e-9 outside its limits is within them (the
/// engine clamps it), and limits that coincide are allowed.
class BoxStateSpace : public ::ompl::base::RealVectorStateSpace {
 public:
  explicit BoxStateSpace(unsigned int dimension) : RealVectorStateSpace(dimension) {}

  bool satisfiesBounds(const ::ompl::base::State* state) const override;
  double getMaximumExtent() const override;
  /// None: a whole StateSpace has projections of its own, and OMPL's refuse coinciding limits.
  void registerProjections() override {}
};

/// Angles, the shorter way round. Differs from its base in one point: pi itself, which interpolate
/// can give, is within the bounds.
class AngleStateSpace : public ::ompl::base::SO2StateSpace {
 public:
  bool satisfiesBounds(const ::ompl::base::State* state) const override;
  void enforceBounds(::ompl::base::State* state) const override;
};

/// Rotations, interpolated by slerp at every angle. OMPL's own stays where it is below 6e-5 rad, so
/// its interpolation is not the motion that is certified; distances are exact down there as well.
class RotationStateSpace : public ::ompl::base::SO3StateSpace {
 public:
  double distance(const ::ompl::base::State* a, const ::ompl::base::State* b) const override;
  bool equalStates(const ::ompl::base::State* a, const ::ompl::base::State* b) const override;
  bool satisfiesBounds(const ::ompl::base::State* state) const override;
  void interpolate(const ::ompl::base::State* from, const ::ompl::base::State* to, double t,
                   ::ompl::base::State* state) const override;
};

/// A planar joint: position (x, y) and angle. States have the layout of SE2StateSpace's.
class PlanarStateSpace : public ::ompl::base::CompoundStateSpace {
 public:
  PlanarStateSpace();
};

/// A floating joint: position and rotation. States have the layout of SE3StateSpace's.
class FloatingStateSpace : public ::ompl::base::CompoundStateSpace {
 public:
  FloatingStateSpace();
};

}  // namespace catena::ompl
