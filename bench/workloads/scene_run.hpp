#pragma once

#include <vector>

#include "scene_method.hpp"

namespace catena::bench {

/// The snake and as many free configurations as colliding ones, in the order drawn.
struct SceneCase {
  Snake snake;
  std::vector<SnakeConfiguration> configurations;
  int drawn = 0;  // until there were enough of both kinds
};

/// Random base poses and smooth bends; 50 configurations of each kind, 25 beyond 256 links.
SceneCase make_scene_case(int links, const Triangles& scene);

struct SceneRun {
  double seconds = 0;  // CPU time
  int wrong = 0;       // verdicts other than the reference's
  int configurations = 0;
};

/// Asks the method for all configurations of one kind.
SceneRun run(const SceneCase& c, bool colliding, SceneMethod& method);

}  // namespace catena::bench
