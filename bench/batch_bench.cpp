// Many configurations of a snake of capsules at once (W5): 10,000 random ones of one whose base
// stands still, checked for collisions with itself; and those of W3, among 99,840 triangles.
//
//   batch_bench [--markdown] [--benchmark_filter=W5/self/N:64/.*] ...
//
// CPU times of a configuration, placing the links included; all methods must find as many free.
#include <algorithm>
#include <functional>
#include <map>

#include <benchmark/benchmark.h>

#include "catena/query/batch.hpp"
#include "catena_methods.hpp"
#include "rivals/scene_methods.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/random.hpp"
#include "workloads/report.hpp"
#include "workloads/scene_run.hpp"

namespace catena::bench {
namespace {

struct BatchCase {
  Snake snake;
  Triangles scene;  // of one triangle far away where there is none: rivals want some
  bool floating = false;
  std::vector<SnakeConfiguration> configurations;
};

// Every joint at random within an angle at which some snakes meet themselves, and most do not.
BatchCase make_self_case(int links) {
  BatchCase c{make_snake(links), {{{1e4, 0, 0}, {1e4, 1, 0}, {1e4, 0, 1}}, {{0, 1, 2}}}, false, {}};
  const double angle = links <= 16 ? 1.2 : links <= 64 ? 0.7 : links <= 256 ? 0.5 : 0.3;
  SplitMix64 random(5000 + static_cast<std::uint64_t>(links));
  for (int k = 0; k < 10000; ++k) {
    SnakeConfiguration& x = c.configurations.emplace_back();
    for (int i = 0; i < links; ++i) x.q.push_back(random.uniform(-angle, angle));
  }
  return c;
}

BatchCase make_triangles_case(int links, bool colliding) {
  BatchCase c{make_snake(links), pipe_scene(), true, {}};
  for (SnakeConfiguration& x : make_scene_case(links, c.scene).configurations) {
    if (x.collides == colliding) c.configurations.push_back(std::move(x));
  }
  return c;
}

/// Counts the free ones of all configurations.
using Count = std::function<int()>;
using Method = std::function<Count(const BatchCase&)>;

struct CatenaCase {
  explicit CatenaCase(const BatchCase& c)
      : world(snake_robot(c.snake, snake_capsule(c.snake), c.floating),
              c.floating ? surface_scene(c.scene) : nullptr),
        workspace(world),
        q(world.robot().num_positions(), static_cast<Eigen::Index>(c.configurations.size())),
        verdicts(c.configurations.size()) {
    for (Eigen::Index k = 0; k < q.cols(); ++k) {
      set_positions(c.configurations[static_cast<size_t>(k)], q.col(k));
    }
  }
  int in_batch() {
    check_states(world, q, {}, workspace, verdicts);
    return static_cast<int>(std::count(verdicts.begin(), verdicts.end(), Verdict::kFree));
  }
  int one_by_one() {
    int free = 0;
    for (Eigen::Index k = 0; k < q.cols(); ++k) {
      free += check_state(world, q.col(k), {}, workspace).verdict == Verdict::kFree;
    }
    return free;
  }

  CollisionWorld world;
  Workspace workspace;
  Eigen::MatrixXd q;
  std::vector<Verdict> verdicts;
};

Method of_catena(int (CatenaCase::*count)()) {
  return [count](const BatchCase& c) {
    const auto catena = std::make_shared<CatenaCase>(c);
    return [catena, count] { return (*catena.*count)(); };
  };
}

Method of_scene_method(const SceneMethodEntry& entry) {
  return [entry](const BatchCase& c) {
    const std::shared_ptr<SceneMethod> method = entry.make();
    method->init(c.scene, c.snake);
    return [method, &c] {
      int free = 0;
      for (const SnakeConfiguration& x : c.configurations) free += method->is_free(x);
      return free;
    };
  };
}

void measure_case(benchmark::State& state, const std::string& name,
                  const std::function<BatchCase()>& make, const Method& method) {
  static std::map<std::string, BatchCase> cases;
  static std::map<std::string, int> answers;  // of the first method of each case
  if (cases.count(name) == 0) cases.emplace(name, make());
  const BatchCase& c = cases.at(name);
  const auto checks = static_cast<double>(c.configurations.size());
  // Google Benchmark calls more than once; some methods take long to build.
  static std::pair<const Method*, Count> ready;
  if (ready.first != &method) ready = {&method, method(c)};
  int free = ready.second();  // memory is sized by the first call
  double total = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    free = ready.second();
    const double seconds = cpu_seconds() - start;
    total += seconds;
    state.SetIterationTime(seconds);
  }
  if (answers.emplace(name, free).first->second != free) state.SkipWithError("decides otherwise");
  state.counters["us_per_check"] = 1e6 * total / (checks * static_cast<double>(state.iterations()));
  state.counters["checks"] = checks;
  state.counters["free"] = free;
}

void register_all() {
  std::vector<std::pair<std::string, Method>> methods{
      {"catena_batch", of_catena(&CatenaCase::in_batch)},
      {"catena_state", of_catena(&CatenaCase::one_by_one)}};
#ifdef CATENA_BENCH_FCL
  methods.emplace_back("fcl_capsule", of_scene_method(fcl_scene_methods()[0]));
#endif
#ifdef CATENA_BENCH_BULLET
  methods.emplace_back("bullet_capsule", of_scene_method(bullet_scene_methods()[0]));
#endif
  methods.emplace_back("capsule_reference", of_scene_method(capsule_reference_methods()[0]));
  const auto add = [&](const std::string& name, const std::function<BatchCase()>& make) {
    for (const auto& [method_name, method] : methods) {
      benchmark::RegisterBenchmark((name + '/' + method_name).c_str(), measure_case, name, make,
                                   method)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  };
  for (const int links : {7, 16, 64, 256, 1024}) {
    const std::string n = "N:" + std::to_string(links);
    add("W5/self/" + n, [=] { return make_self_case(links); });
  }
  for (const bool colliding : {false, true}) {
    for (const int links : {16, 64, 256, 1024}) {
      add(std::string(colliding ? "W5/triangles_colliding/" : "W5/triangles_free/") +
              "N:" + std::to_string(links),
          [=] { return make_triangles_case(links, colliding); });
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  catena::bench::register_all();
  return catena::bench::run_benchmarks(argc, argv, {"us_per_check", "checks", "free"});
}
