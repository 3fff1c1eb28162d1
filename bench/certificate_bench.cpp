// Certificates of free edges of snakes, with and without a scene: how many planes they take, and
// what it costs to write and to check them. Tables in Markdown.
//   certificate_bench [edges] [most links] [seed] [least links]
// The snakes are those of edge_bench. A scene is 100 balls, each of which leaves the edge free. The
// engine's own time for the same edges stands beside; counters do not depend on the machine.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <unistd.h>

#include "catena/certificate/check.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/query/certificate.hpp"
#include "catena/query/continuous.hpp"
#include "support/snake_urdf.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/random.hpp"

namespace catena::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kBalls = 100;
constexpr int kMostTried = 20'000;

struct Case {
  int links;
  double turn;  // rad, at most
};

struct Ball {
  Vector3d center;
  double radius;
};

std::string scene_text(const std::vector<Ball>& balls) {
  std::string text = "{\"objects\": [";
  for (std::size_t i = 0; i < balls.size(); ++i) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "%s\n{\"id\": \"ball_%zu\", \"shape\": \"sphere\", \"radius\": %.17g, \"pose\": "
                  "{\"xyz\": [%.17g, %.17g, %.17g]}}",
                  i == 0 ? "" : ",", i, balls[i].radius, balls[i].center.x(), balls[i].center.y(),
                  balls[i].center.z());
    text += line;
  }
  return text + "\n]}\n";
}

struct Workplace {
  fs::path folder;
  Workplace()
      : folder(fs::temp_directory_path() / ("certificate_bench_" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
};

/// Balls near the snake's middle state, each of which leaves the edge free.
std::vector<Ball> balls_around(const std::shared_ptr<const Robot>& robot, const Motion& motion,
                               SplitMix64& random) {
  std::vector<RigidEnclosure> X_WL(static_cast<std::size_t>(robot->num_links()));
  motion.poses(*robot, 0.5, X_WL);
  std::vector<Ball> balls;
  for (int tried = 0; tried < 100 * kBalls && static_cast<int>(balls.size()) < kBalls; ++tried) {
    const Vector3d near = X_WL[static_cast<std::size_t>(random.below(robot->num_links()))].X.p;
    const double far = random.uniform(0.5, 10.0);
    const Vector3d away(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const Ball ball{near + far * away.normalized(), random.uniform(0.1, 0.4) * far};
    auto scene = std::make_shared<Scene>();
    scene->objects.push_back(
        {"ball",
         {{Geometry::make(Sphere{ball.radius}), RigidEnclosure::translation(ball.center)}}});
    const CollisionWorld world(robot, scene);
    Workspace workspace(world);
    if (check_motion(world, motion, {}, workspace).verdict == Verdict::kFree) balls.push_back(ball);
  }
  return balls;
}

void measure(const Case& c, bool with_scene, int edges, std::uint64_t seed) {
  const Workplace place;
  certificate::Inputs inputs;
  inputs.robot = place.write("robot.urdf", test::snake_urdf(c.links, 0.1));
  const auto robot = io::load_urdf(inputs.robot);
  const auto alone = std::make_shared<const CollisionWorld>(robot, nullptr);
  Workspace workspace(*alone);
  SplitMix64 random(seed);
  double engine = 0.0, written = 0.0, read = 0.0, checked = 0.0, bytes = 0.0;
  certificate::CheckStats stats;
  int free = 0, unwritten = 0, refused = 0;
  for (int tried = 0; free < edges && tried < kMostTried; ++tried) {
    Eigen::VectorXd q0 = robot->zero_positions();
    for (double& q : q0) q = random.uniform(-0.5, 0.5);
    Eigen::VectorXd q1 = q0;
    for (double& q : q1) q += random.uniform(-c.turn, c.turn);
    const Motion motion(*robot, q0, q1);
    if (check_motion(*alone, motion, {}, workspace).verdict != Verdict::kFree) continue;
    ++free;
    auto world = alone;
    if (with_scene) {
      inputs.scenes = {place.write("scene.json", scene_text(balls_around(robot, motion, random)))};
      world = std::make_shared<const CollisionWorld>(robot, io::load_scene(inputs.scenes[0]));
    }
    Workspace own(*world);
    double start = cpu_seconds();
    check_motion(*world, motion, {}, own);
    engine += cpu_seconds() - start;
    start = cpu_seconds();
    CertificateWriter writer(world, {});
    const auto why = writer.add(q0, q1);
    const std::string text = why ? "" : writer.text();
    written += cpu_seconds() - start;
    if (why) {
      std::fprintf(stderr, "%s\n", why->c_str());
      ++unwritten;
      continue;
    }
    bytes += static_cast<double>(text.size());
    start = cpu_seconds();
    const certificate::Checker checker(inputs);
    read += cpu_seconds() - start;
    start = cpu_seconds();
    const auto result = checker.check(text);
    checked += cpu_seconds() - start;
    if (!result.proven) {
      std::fprintf(stderr, "refused: %s\n", result.why.c_str());
      ++refused;
    }
    stats.entries += result.stats.entries;
    stats.evaluations += result.stats.evaluations;
    stats.regions += result.stats.regions;
  }
  const double n = std::max(free, 1);
  const auto count = [&](std::uint64_t x) { return static_cast<double>(x) / n; };
  std::printf(
      "| %d | %.1f | %s | %d | %.2f | %.3f | %.3f | %.3f | %.0f | %.0f | %.0f | %.0f | %d | %d |\n",
      c.links, c.turn, with_scene ? "yes" : "no", free, 1e3 * engine / n, written / n, read / n,
      checked / n, count(stats.entries), bytes / n / 1000.0, count(stats.evaluations),
      count(stats.regions), unwritten, refused);
  std::fflush(stdout);
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  using catena::bench::Case;
  const int edges = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const int most = argc > 2 ? std::atoi(argv[2]) : 1024;
  const int least = argc > 4 ? std::atoi(argv[4]) : 0;
  const auto seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 7;
  std::printf(
      "| links | rad | scene | edges | engine, ms | written, s | files read, s | checked, s | "
      "entries | kB |"
      " parts held against planes | regions | not written | refused |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Case& c :
       {Case{7, 0.5}, Case{16, 0.5}, Case{64, 0.5}, Case{256, 0.5}, Case{1024, 0.1}})
    for (const bool with_scene : {false, true})
      if (c.links <= most && c.links >= least) catena::bench::measure(c, with_scene, edges, seed);
}
