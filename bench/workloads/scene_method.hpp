#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "snake.hpp"

namespace catena::bench {

/// One way to decide whether a snake is free of the scene and of itself.
class SceneMethod {
 public:
  virtual ~SceneMethod() = default;

  /// Both stay alive as long as the method.
  virtual void init(const Triangles& scene, const Snake& snake) = 0;
  /// Includes placing the links.
  virtual bool is_free(const SnakeConfiguration& c) = 0;
};

struct SceneMethodEntry {
  std::string name;
  std::function<std::unique_ptr<SceneMethod>()> make;
};

using SceneMethods = std::vector<SceneMethodEntry>;

}  // namespace catena::bench
