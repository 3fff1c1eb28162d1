#pragma once

#include "workloads/scene_method.hpp"

// The rivals of the scene workload, a list for each file. FCL's and Bullet's exist where CMake
// finds the library.
namespace catena::bench {

SceneMethods capsule_reference_methods();
SceneMethods fcl_scene_methods();
SceneMethods bullet_scene_methods();

}  // namespace catena::bench
