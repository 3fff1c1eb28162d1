#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace catena::test {

// Small robots and scenes whose answers can be worked out by hand. Metres, radians.

/// Two links of 1 m in the plane z = 0, each a box of 0.04 m width; both joints turn about z.
/// The limits of the second keep it off the first.
inline const char* const kArm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <collision>
      <origin xyz="0.5 0 0"/>
      <geometry><box size="1 0.04 0.04"/></geometry>
    </collision>
  </link>
  <link name="lower">
    <collision>
      <origin xyz="0.55 0 0"/>
      <geometry><box size="0.9 0.04 0.04"/></geometry>
    </collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2.5" upper="2.5" effort="1" velocity="1"/>
  </joint>
</robot>
)";

inline const char* const kArmSrdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <group name="both"><joint name="shoulder"/><joint name="elbow"/></group>
  <group name="hand"><joint name="elbow"/></group>
  <group_state name="left" group="both">
    <joint name="shoulder" value="1.2"/><joint name="elbow" value="0"/>
  </group_state>
  <group_state name="right" group="both">
    <joint name="shoulder" value="-1.2"/><joint name="elbow" value="0"/>
  </group_state>
</robot>
)";

/// A ball of 0.1 m at (1.5, 0, 0): in the way of the stretched arm, not of the folded one.
inline const char* const kPost = R"({"objects": [
  {"id": "post", "shape": "sphere", "radius": 0.1,
   "pose": {"xyz": [1.5, 0, 0], "quat_xyzw": [0, 0, 0, 1]}}]})";

/// A ball of 0.1 m that slides along x from 0 to 10 m.
inline const char* const kSlider = R"(<?xml version="1.0"?>
<robot name="slider">
  <link name="rail"/>
  <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="ball"/>
    <axis xyz="1 0 0"/>
    <limit lower="0" upper="10" effort="1" velocity="1"/>
  </joint>
</robot>
)";

/// A ball of 0.5 m radius at the given x.
inline std::string ball_scene(const std::string& name, double x) {
  nlohmann::json ball = {{"id", name}, {"shape", "sphere"}, {"radius", 0.5}};
  ball["pose"]["xyz"] = {x, 0.0, 0.0};
  ball["pose"]["quat_xyzw"] = {0, 0, 0, 1};
  nlohmann::json scene;
  scene["objects"] = nlohmann::json::array({ball});
  return scene.dump();
}

}  // namespace catena::test
