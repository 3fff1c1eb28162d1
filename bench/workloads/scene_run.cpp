#include "scene_run.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "capsule_reference.hpp"
#include "cpu_clock.hpp"
#include "random.hpp"

namespace catena::bench {
namespace {

constexpr double kPi = std::numbers::pi;

Matrix3d random_rotation(SplitMix64& random) {  // from a uniform unit quaternion
  const double a = random.uniform(), b = random.uniform(0, 2 * kPi), c = random.uniform(0, 2 * kPi);
  const double s = std::sqrt(1 - a), t = std::sqrt(a);
  const double x = s * std::sin(b), y = s * std::cos(b), z = t * std::sin(c), w = t * std::cos(c);
  Matrix3d R;
  R << 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),  //
      2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),   //
      2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y);
  return R;
}

/// A random base pose; in each bending plane a constant, two harmonics and a little noise.
SnakeConfiguration random_configuration(SplitMix64& random, int links) {
  SnakeConfiguration c;
  c.X_WB.R = random_rotation(random);
  c.X_WB.p.x() = random.uniform(-2.5, 2.5);
  c.X_WB.p.y() = random.uniform(-2.5, 2.5);
  c.X_WB.p.z() = random.uniform(-0.7, 2);
  const double amplitude = links <= 64 ? 0.30 : links <= 256 ? 0.20 : 0.12;
  struct Bend {
    double constant, first, first_phase, third, third_phase;
  } bends[2];
  for (Bend& b : bends) {
    b.constant = random.uniform(-amplitude, amplitude);
    b.first = random.uniform(-amplitude, amplitude);
    b.first_phase = random.uniform(0, 2 * kPi);
    b.third = random.uniform(-amplitude, amplitude) / 2;
    b.third_phase = random.uniform(0, 2 * kPi);
  }
  for (int i = 0; i < links; ++i) {
    const Bend& b = bends[i % 2];
    const double w = 2 * kPi * i / links;
    c.q.push_back(b.constant + b.first * std::sin(w + b.first_phase) +
                  b.third * std::sin(3 * w + b.third_phase) + random.uniform(-0.02, 0.02));
  }
  return c;
}

}  // namespace

SceneCase make_scene_case(int links, const Triangles& scene) {
  CapsuleReference reference(scene);
  SceneCase result{make_snake(links), {}};
  SplitMix64 random(3000 + static_cast<std::uint64_t>(links));
  std::vector<RigidTransform> X_WL;
  int missing[2];  // free, colliding
  missing[0] = missing[1] = links <= 256 ? 50 : 25;
  for (; missing[0] > 0 || missing[1] > 0; ++result.drawn) {
    SnakeConfiguration c = random_configuration(random, links);
    result.snake.place(c, X_WL);
    c.collides = !reference.is_free(result.snake, X_WL);
    if (missing[c.collides] == 0) continue;
    --missing[c.collides];
    result.configurations.push_back(std::move(c));
  }
  return result;
}

SceneRun run(const SceneCase& c, bool colliding, SceneMethod& method) {
  SceneRun result;
  const double start = cpu_seconds();
  for (const SnakeConfiguration& x : c.configurations) {
    if (x.collides != colliding) continue;
    ++result.configurations;
    result.wrong += method.is_free(x) == colliding;
  }
  result.seconds = cpu_seconds() - start;
  return result;
}

}  // namespace catena::bench
