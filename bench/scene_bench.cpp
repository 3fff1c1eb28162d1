// Snakes among 99,840 triangles (W3): discrete checks against the scene and the snake itself, free
// configurations apart from colliding ones.
//
//   scene_bench [--markdown] [--benchmark_filter=W3/N:64/.*] ...
//
// Times are CPU times a check, placing the links included. `wrong` counts the verdicts that differ
// from those of exact capsules; only capsules owe none.
#include <map>

#include <benchmark/benchmark.h>

#include "catena_methods.hpp"
#include "rivals/scene_methods.hpp"
#include "workloads/report.hpp"
#include "workloads/scene_run.hpp"

namespace catena::bench {
namespace {

/// Every method takes part that is in this list. Catena's own comes from a file beside this one:
/// declare its list in a header, name both here and in CMakeLists.txt.
SceneMethods scene_methods() {
  SceneMethods all;
  const auto add = [&](SceneMethods some) { all.insert(all.end(), some.begin(), some.end()); };
  add(catena_scene_methods());
  add(capsule_reference_methods());
#ifdef CATENA_BENCH_FCL
  add(fcl_scene_methods());
#endif
#ifdef CATENA_BENCH_BULLET
  add(bullet_scene_methods());
#endif
  return all;
}

const Triangles& scene() {
  static const Triangles scene = pipe_scene();
  return scene;
}

const SceneCase& scene_case(int links) {
  static std::map<int, SceneCase> cases;
  const auto found = cases.find(links);
  return found != cases.end() ? found->second
                              : cases.emplace(links, make_scene_case(links, scene())).first->second;
}

/// The method for that case. One is kept at a time: they take long to build, and much memory.
SceneMethod& prepared(const SceneMethodEntry& entry, const SceneCase& c) {
  static std::unique_ptr<SceneMethod> method;
  static std::string name;
  static int links = 0;
  if (!method || name != entry.name || links != c.snake.links) {
    method.reset();
    method = entry.make();
    method->init(scene(), c.snake);
    name = entry.name;
    links = c.snake.links;
  }
  return *method;
}

void measure(benchmark::State& state, int links, bool colliding, const SceneMethodEntry& entry) {
  const SceneCase& c = scene_case(links);
  SceneMethod& method = prepared(entry, c);
  run(c, colliding, method);  // warms up
  SceneRun last;
  double seconds = 0;
  for (auto _ : state) {
    last = run(c, colliding, method);
    seconds += last.seconds;
    state.SetIterationTime(last.seconds);
  }
  const double checks = last.configurations;
  state.counters["us_per_check"] =
      1e6 * seconds / (checks * static_cast<double>(state.iterations()));
  state.counters["checks"] = checks;
  state.counters["drawn"] = c.drawn;
  state.counters["wrong"] = last.wrong;
}

void register_all() {
  for (const int links : {16, 64, 256, 1024}) {
    for (const SceneMethodEntry& m : scene_methods()) {
      for (const bool colliding : {false, true}) {
        const std::string name =
            "W3/N:" + std::to_string(links) + (colliding ? "/coll/" : "/free/");
        benchmark::RegisterBenchmark((name + m.name).c_str(), measure, links, colliding, m)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  catena::bench::register_all();
  return catena::bench::run_benchmarks(argc, argv, {"us_per_check", "checks", "drawn", "wrong"});
}
