#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sampled_path.hpp"
#include "tessellate.hpp"

namespace catena::view {

/// What both writers draw: shapes, where they are, and how the links move.
struct ViewModel {
  /// One geometry, however often it is placed.
  struct Shape {
    const Geometry* geometry = nullptr;
    DisplayMesh mesh;  ///< empty for many boxes or balls, which the writers expand
    Vector3d robot =
        Vector3d::Zero();  ///< the middle of the robot's sweep, from where it is first placed
  };
  struct Part {
    BodyIndex body;
    LinkIndex link;  ///< invalid: fixed in the scene
    int shape = 0;
    SampledPath::Pose pose;  ///< of the shape (its display centre) in L, or in the scene
  };
  enum class BodyKind : std::uint8_t { kRobot, kAttached, kScene };

  SampledPath path;
  std::vector<Shape> shapes;
  std::vector<Part> parts;
  std::vector<BodyKind> body_kinds;  ///< by BodyIndex
  BodyIndex contact_a, contact_b;    ///< invalid where no contact or no such body
};

/// Errors    std::invalid_argument as write_html.
ViewModel make_view_model(const Animation& animation);

}  // namespace catena::view
