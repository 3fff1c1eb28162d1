#pragma once

#include <random>
#include <string>
#include <vector>

#include "soundness/spec.hpp"

namespace catena::oracle {

// Shapes, placed.
PlacedSpec sphere(double radius, std::array<double, 3> xyz = {});
PlacedSpec capsule(double radius, double length, std::array<double, 3> xyz = {},
                   std::array<double, 3> rpy = {});
PlacedSpec box(std::array<double, 3> size, std::array<double, 3> xyz = {},
               std::array<double, 3> rpy = {});
PlacedSpec cylinder(double radius, double length, std::array<double, 3> xyz = {},
                    std::array<double, 3> rpy = {});
PlacedSpec cone(double radius, double length, std::array<double, 3> xyz = {},
                std::array<double, 3> rpy = {});
PlacedSpec half_space(std::array<double, 3> normal, double offset);
PlacedSpec mesh(ShapeSpec shape, std::array<double, 3> xyz = {}, std::array<double, 3> rpy = {});

/// Meshes about the origin: a box of twelve triangles, the same without its top, a tetrahedron.
ShapeSpec box_mesh(std::array<double, 3> size);
ShapeSpec open_box_mesh(std::array<double, 3> size);
ShapeSpec tetrahedron_mesh(double radius);

/// The robots of the soundness run, each made to be awkward in its own way.
std::vector<std::string> robot_names();
/// These and "chain64"; make_robot_spec knows "chainN" for every N from 2 to 9999: N links in a
/// row, of mixed joints and shapes.
std::vector<std::string> campaign_robot_names();
RobotSpec make_robot_spec(const std::string& name);

/// A configuration within limits, uniform; `near`, if given, is moved by a share of the range.
std::vector<double> random_configuration(const RobotSpec& robot, std::mt19937_64& rng);
std::vector<double> nearby_configuration(const RobotSpec& robot, const std::vector<double>& near,
                                         double share, std::mt19937_64& rng);

/// A spline from one to the other, some of whose values overshoot by far; rotations of floating and
/// ball joints stay as they are at first.
SplineSpec random_spline(const RobotSpec& robot, const std::vector<double>& from,
                         const std::vector<double>& to, std::mt19937_64& rng);

/// Some obstacles of every kind around a robot of the given reach.
SceneSpec random_scene(double reach, std::mt19937_64& rng);
double reach_of(const std::string& robot);

}  // namespace catena::oracle
