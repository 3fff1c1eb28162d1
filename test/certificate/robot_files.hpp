#pragma once

#include <array>
#include <string>
#include <vector>

#include "certificate/alter.hpp"
#include "soundness/spec.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test {

// The oracles' descriptions as the files that the engine and the checker read, each by itself.
// Every number is written so that it is read as the same double.

template <size_t N>
std::string joined(const std::array<double, N>& values, const char* between) {
  std::string text;
  for (size_t k = 0; k < N; ++k) text += (k == 0 ? "" : between) + digits(values[k]);
  return text;
}

inline std::string obj_text(const oracle::ShapeSpec& mesh) {
  std::string text;
  for (const auto& v : mesh.vertices) text += "v " + joined(v, " ") + "\n";
  for (const auto& t : mesh.triangles)
    text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " +
            std::to_string(t[2] + 1) + "\n";
  return text;
}

/// Meshes go into the folder, under names that begin with `stem`; `grow` multiplies all sizes.
inline std::string urdf_text(const oracle::RobotSpec& robot, double grow, const std::string& stem,
                             const TemporaryFolder& folder) {
  using Kind = oracle::ShapeSpec::Kind;
  int meshes = 0;
  const auto size = [&](double x) { return digits(x * grow); };
  const auto shape_text = [&](const oracle::ShapeSpec& s) -> std::string {
    switch (s.kind) {
      case Kind::kSphere:
        return "<sphere radius=\"" + size(s.size[0]) + "\"/>";
      case Kind::kBox:
        return "<box size=\"" + size(s.size[0]) + " " + size(s.size[1]) + " " + size(s.size[2]) +
               "\"/>";
      case Kind::kMesh: {
        const std::string file = stem + std::to_string(meshes++) + ".obj";
        folder.write(file, obj_text(s));
        return "<mesh filename=\"" + file + "\" scale=\"" + digits(grow) + " " + digits(grow) +
               " " + digits(grow) + "\"/>";
      }
      default: {
        const char* kind = s.kind == Kind::kCapsule    ? "capsule"
                           : s.kind == Kind::kCylinder ? "cylinder"
                                                       : "cone";
        return std::string("<") + kind + " radius=\"" + size(s.size[0]) + "\" length=\"" +
               size(s.size[1]) + "\"/>";
      }
    }
  };
  const auto origin = [](const oracle::PoseSpec& pose) {
    return "<origin xyz=\"" + joined(pose.xyz, " ") + "\" rpy=\"" + joined(pose.rpy, " ") + "\"/>";
  };
  std::string text = "<robot name=\"" + robot.name + "\">\n";
  for (const auto& link : robot.links) {
    text += "<link name=\"" + link.name + "\">";
    for (const auto& p : link.collision)
      text += "<collision>" + origin(p.pose) + "<geometry>" + shape_text(p.shape) +
              "</geometry></collision>";
    text += "</link>\n";
  }
  for (const auto& j : robot.joints) {
    const char* const types[] = {"fixed",  "revolute", "continuous", "prismatic",
                                 "planar", "floating", "ball"};
    text += "<joint name=\"" + j.name + "\" type=\"" + types[static_cast<int>(j.kind)] +
            "\"><parent link=\"" + j.parent + "\"/><child link=\"" + j.child + "\"/>" +
            origin(j.origin) + "<axis xyz=\"" + joined(j.axis, " ") + "\"/>";
    if (j.kind == oracle::JointKind::kRevolute || j.kind == oracle::JointKind::kPrismatic)
      text += "<limit lower=\"" + digits(j.lower) + "\" upper=\"" + digits(j.upper) +
              "\" effort=\"1\" velocity=\"1\"/>";
    if (!j.mimic.empty())
      text += "<mimic joint=\"" + j.mimic + "\" multiplier=\"" + digits(j.multiplier) +
              "\" offset=\"" + digits(j.offset) + "\"/>";
    text += "</joint>\n";
  }
  return text + "</robot>\n";
}

inline std::string srdf_text(const oracle::RobotSpec& robot) {
  std::string text = "<robot name=\"" + robot.name + "\">\n";
  for (const auto& [a, b] : robot.disabled)
    text += "<disable_collisions link1=\"" + a + "\" link2=\"" + b + "\" reason=\"Never\"/>\n";
  return text + "</robot>\n";
}

/// Objects of one shape each.
inline std::string scene_text(const oracle::SceneSpec& scene, const std::string& stem,
                              const TemporaryFolder& folder) {
  using Kind = oracle::ShapeSpec::Kind;
  std::string text = "{\"objects\": [";
  int meshes = 0;
  for (const auto& object : scene.objects) {
    const oracle::PlacedSpec& p = object.geometries.at(0);
    const oracle::ShapeSpec& s = p.shape;
    const char* const kinds[] = {"sphere", "capsule", "box", "cylinder", "cone", "plane", "mesh"};
    text += std::string(text.back() == '[' ? "\n" : ",\n") + "{\"id\": \"" + object.name +
            "\", \"shape\": \"" + kinds[static_cast<int>(s.kind)] + "\", ";
    if (s.kind == Kind::kHalfSpace) {
      text += "\"normal\": [" + joined(s.size, ", ") + "], \"offset\": " + digits(s.offset) + "}";
      continue;
    }
    if (s.kind == Kind::kMesh) {
      const std::string file = stem + std::to_string(meshes++) + ".obj";
      folder.write(file, obj_text(s));
      text += "\"file\": \"" + file + "\", ";
    } else if (s.kind == Kind::kBox) {
      text += "\"size\": [" + joined(s.size, ", ") + "], ";
    } else {
      text += "\"radius\": " + digits(s.size[0]) + ", ";
      if (s.kind != Kind::kSphere) text += "\"length\": " + digits(s.size[1]) + ", ";
    }
    text += "\"pose\": {\"xyz\": [" + joined(p.pose.xyz, ", ") + "], \"rpy\": [" +
            joined(p.pose.rpy, ", ") + "]}}";
  }
  return text + "\n]}\n";
}

}  // namespace catena::test
