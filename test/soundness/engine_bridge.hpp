#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "catena/model/motion.hpp"
#include "catena/model/robot_builder.hpp"
#include "catena/model/scene.hpp"
#include "soundness/spec.hpp"

namespace catena::oracle {

// From the plain description to the engine's own model. Shared with no oracle.

std::shared_ptr<const Geometry> make_geometry(const ShapeSpec& shape);
PlacedGeometry make_placed(const PlacedSpec& placed);
RobotDescription describe(const RobotSpec& robot);
std::shared_ptr<const Robot> make_robot(const RobotSpec& robot);
std::shared_ptr<const Scene> make_scene(const SceneSpec& scene);

Motion make_motion(const Robot& robot, const RobotSpec& spec, const SplineSpec& spline);

/// Values in the order of the description, put where the robot wants them.
Eigen::VectorXd positions(const Robot& robot, const RobotSpec& spec,
                          const std::vector<double>& values);

/// The other way.
std::vector<double> values(const Robot& robot, const RobotSpec& spec, const Eigen::VectorXd& q);

}  // namespace catena::oracle
