// Articulated robots of many triangles: the scenarios of [Zhang2007], with models of our own.
//
//   catch_bench [SCENARIO] [EDGES]
//
// SCENARIO is a part of a scenario's name (walking, exercising, crane, excavator, trains, falling);
// by default all run. EDGES is how many edges of each series are measured at most, by default all.
// Prints three Markdown tables. The crane and the excavator are also planned (RRTConnect). Edges
// whose start is in contact already are counted and left out. Times are CPU times, of each edge the
// least of three, the motion's set-up and the check of the start included. FCL's samples look at
// the same pairs at equal steps of each edge until one collides. Exit status 1 if FCL finds a
// sample colliding that Catena has proven free, or if the verdicts with and without `first_contact`
// differ; such edges go to the standard error.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "catena/ompl/setup.hpp"
#include "catena/query/continuous.hpp"
#include "fcl_checker.hpp"
#include "workloads/catch_scenes.hpp"
#include "workloads/cpu_clock.hpp"

namespace catena::bench {
namespace {

using Series = CatchScenario::Series;

constexpr int kFine = 100, kCoarse = 10;  // FCL's steps an edge

struct Mean {
  double sum = 0, worst = 0;
  int count = 0;

  void add(double x) {
    sum += x;
    worst = std::max(worst, x);
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / count; }
};

std::string number(double x, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

/// Work beyond what was done before, summed over edges.
struct Work {
  QueryStats stats;
  int edges = 0;

  void add(const QueryStats& all, const QueryStats& before) {
    stats += all;
    stats.pair_tests -= before.pair_tests;
    stats.box_tests -= before.box_tests;
    stats.element_tests -= before.element_tests;
    stats.intervals -= before.intervals;
    ++edges;
  }
  double mean(std::uint64_t QueryStats::*counter) const {
    return static_cast<double>(stats.*counter) / std::max(1, edges);
  }
};

struct Row {
  std::string scenario, series;
  int links = 0, edges = 0, free = 0, colliding = 0, undecided = 0, in_contact = 0;
  std::int64_t robot_triangles = 0, scene_triangles = 0, pairs = 0;
  Mean all_s, free_s, colliding_s, any_contact_s, fcl_free_s, fcl_colliding_s;
  int missed_fine = 0, missed_coarse = 0, wrong = 0;
  Work free_work;                   // beyond the check of the start
  Work any_contact, first_contact;  // until a contact is known, and thereafter
};

std::int64_t triangles(const CollisionWorld& world, bool of_scene) {
  std::int64_t sum = 0;
  const auto geometries = world.geometries();
  for (size_t i = 0; i < geometries.size(); ++i) {
    if ((static_cast<int>(i) >= world.first_scene_geometry()) == of_scene) {
      sum += static_cast<std::int64_t>(geometries[i].geometry->mesh().triangles.size());
    }
  }
  return sum;
}

class Bench {
 public:
  explicit Bench(const CatchScenario& scenario)
      : scenario_(scenario),
        world_(std::make_shared<const CollisionWorld>(scenario.robot, scenario.scene)),
        workspace_(*world_),
        fcl_(world_),
        X_WL_(static_cast<size_t>(scenario.robot->num_links())) {}

  const std::shared_ptr<const CollisionWorld>& world() const { return world_; }

  Row measure(const Series& series, int most_edges) {
    Row row;
    row.scenario = scenario_.name;
    row.series = series.name;
    const Robot& robot = *scenario_.robot;
    for (const Body& body : robot.bodies()) row.links += body.geometries.empty() ? 0 : 1;
    row.robot_triangles = triangles(*world_, false);
    row.scene_triangles = triangles(*world_, true);
    row.pairs = world_->num_geometry_pairs();
    for (const Waypoints& path : series.paths) {
      for (int i = 0; i < path.num_edges() && row.edges < most_edges; ++i) {
        measure_edge(path, i, row);
      }
    }
    return row;
  }

 private:
  /// The least time of three, seconds, and the answer.
  double timed(const Waypoints& path, int i, bool first_contact, MotionResult& result) {
    QueryOptions options;
    options.first_contact = first_contact;
    double least = kInfinity;
    for (int pass = 0; pass < 3; ++pass) {
      const double start = cpu_seconds();
      path.set_motion(*scenario_.robot, i, motion_);
      result = check_motion(*world_, motion_, options, workspace_);
      least = std::min(least, cpu_seconds() - start);
    }
    return least;
  }

  /// The first of `steps` equal steps at which FCL finds a contact; -1: none.
  double first_colliding_sample(int steps) {
    for (int k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      motion_.poses(*scenario_.robot, t, X_WL_);
      if (!fcl_.is_free(X_WL_)) return t;
    }
    return -1;
  }

  void measure_edge(const Waypoints& path, int i, Row& row) {
    ++row.edges;
    const StateResult start =
        check_state(*world_, path.states[static_cast<size_t>(i)], {}, workspace_);
    if (start.verdict == Verdict::kCollision) {
      ++row.in_contact;
      return;
    }
    MotionResult result, any;
    const double seconds = timed(path, i, true, result);
    const double any_seconds = timed(path, i, false, any);
    row.all_s.add(seconds);
    const double fcl_start = cpu_seconds();
    const double sample = first_colliding_sample(kFine);
    const double fcl_seconds = cpu_seconds() - fcl_start;
    const bool disagrees = any.verdict != result.verdict;
    if (disagrees || (sample >= 0 && sample < result.free_until) ||
        (sample >= 0 && result.verdict == Verdict::kFree)) {
      ++row.wrong;
      report("WRONG", path, i, row, result, sample);
    }
    switch (result.verdict) {
      case Verdict::kFree:
        ++row.free;
        row.free_s.add(seconds);
        row.fcl_free_s.add(fcl_seconds);
        row.free_work.add(result.stats, start.stats);
        break;
      case Verdict::kCollision:
        ++row.colliding;
        row.colliding_s.add(seconds);
        row.any_contact_s.add(any_seconds);
        row.fcl_colliding_s.add(fcl_seconds);
        row.missed_fine += sample < 0 ? 1 : 0;
        row.missed_coarse += first_colliding_sample(kCoarse) < 0 ? 1 : 0;
        row.first_contact.add(result.stats, any.stats);
        row.any_contact.add(any.stats, start.stats);
        break;
      case Verdict::kUndecided:
        ++row.undecided;
        report("undecided", path, i, row, result, sample);
    }
  }

  void report(const char* what, const Waypoints& path, int i, const Row& row, const MotionResult& r,
              double sample) const {
    std::fprintf(stderr, "%s: %s, %s, edge %d: %s, free until %.17g, FCL's first at %g", what,
                 row.scenario.c_str(), row.series.c_str(), row.edges - 1, name_of(r.verdict),
                 r.free_until, sample);
    if (r.witness.a.valid()) {
      std::fprintf(stderr, ", %s and %s, gap [%g, %g]", world_->body(r.witness.a).name.c_str(),
                   world_->body(r.witness.b).name.c_str(), r.witness.gap.lo, r.witness.gap.hi);
    }
    for (const int k : {0, 1}) {
      std::fprintf(stderr, "\n q%d", k);
      for (const double x : path.states[static_cast<size_t>(i + k)]) {
        std::fprintf(stderr, " %.17g", x);
      }
    }
    std::fprintf(stderr, "\n");
  }

  const CatchScenario& scenario_;
  std::shared_ptr<const CollisionWorld> world_;
  Workspace workspace_;
  FclChecker fcl_;
  Motion motion_;
  std::vector<RigidEnclosure> X_WL_;
};

/// Paths of RRTConnect between the scenario's problems, as they are found; `note` says how many.
Series planned(const CatchScenario& scenario, const CollisionWorld& world, std::string& note) {
  ompl::SetupOptions options;
  for (const LinkIndex i : scenario.robot->active_joints()) {
    const Joint& joint = scenario.robot->joint(i);
    if (joint.type == JointType::kPlanar) options.bounds[joint.name] = {{-24}, {24}};
  }
  Series series{"planned", {}};
  Mean seconds;
  ompl::CheckStatistics work;
  Workspace workspace(world);
  for (const auto& [from, to] : scenario.problems) {
    for (const Eigen::VectorXd& end : {from, to}) {
      const StateResult r = check_state(world, end, {}, workspace);
      if (r.verdict == Verdict::kFree) continue;
      std::fprintf(stderr, "%s: an end of problem %d is not free: %s and %s\n",
                   scenario.name.c_str(), seconds.count, world.body(r.witness.a).name.c_str(),
                   world.body(r.witness.b).name.c_str());
    }
    ompl::Setup setup(scenario.robot, scenario.scene, options);
    const auto values = [](const Eigen::VectorXd& q) {
      return std::vector<double>(q.data(), q.data() + q.size());
    };
    setup.setStartAndGoalStates(values(from), values(to));
    setup.setPlanner(std::make_shared<::ompl::geometric::RRTConnect>(setup.getSpaceInformation()));
    const double start = cpu_seconds();
    const bool found = setup.solve(20.0) == ::ompl::base::PlannerStatus::EXACT_SOLUTION;
    seconds.add(cpu_seconds() - start);
    work += setup.statistics();
    if (!found) continue;
    Waypoints path;
    for (const ::ompl::base::State* state : setup.getSolutionPath().getStates()) {
      path.states.push_back(setup.space().positions(state));
    }
    series.paths.push_back(std::move(path));
  }
  note = scenario.name + ": " + std::to_string(series.paths.size()) + " of " +
         std::to_string(scenario.problems.size()) + " problems solved, " +
         number(1e3 * seconds.value(), 1) + " ms and " +
         number(static_cast<double>(work.motions) / seconds.count, 0) + " motions asked each";
  return series;
}

void print(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) std::printf("| %s ", cell.c_str());
  std::printf("|\n");
}

void print_header(const std::vector<std::string>& columns) {
  std::printf("\n");
  print(columns);
  print(std::vector<std::string>(columns.size(), "---"));
}

void print_tables(const std::vector<Row>& rows) {
  const auto n = [](std::int64_t x) { return std::to_string(x); };
  const auto name = [](const Row& r) { return r.scenario + ", " + r.series; };
  print_header({"scenario", "links", "robot's triangles", "scene's triangles", "pairs", "edges",
                "start in contact", "free", "colliding", "undecided"});
  for (const Row& r : rows) {
    print({name(r), n(r.links), n(r.robot_triangles), n(r.scene_triangles), n(r.pairs), n(r.edges),
           n(r.in_contact), n(r.free), n(r.colliding), n(r.undecided)});
  }

  print_header({"scenario", "free: mean, ms", "worst", "first contact: mean, ms", "worst",
                "all: mean, ms", "any contact: mean, ms", "FCL, 100 steps: free, ms",
                "colliding, ms", "missed by 100 steps", "by 10", "wrong"});
  for (const Row& r : rows) {
    const auto worst = [](const Mean& m) { return m.count == 0 ? "-" : number(1e3 * m.worst, 3); };
    const auto mean = [](const Mean& m, int digits) {
      return m.count == 0 ? "-" : number(1e3 * m.value(), digits);
    };
    print({name(r), mean(r.free_s, 3), worst(r.free_s), mean(r.colliding_s, 3),
           worst(r.colliding_s), mean(r.all_s, 3), mean(r.any_contact_s, 3), mean(r.fcl_free_s, 2),
           mean(r.fcl_colliding_s, 2), n(r.missed_fine), n(r.missed_coarse), n(r.wrong)});
  }

  print_header({"scenario", "pairs", "free: intervals", "boxes", "pairs left", "% of all",
                "elements", "any contact: pairs left", "% of all", "thereafter: intervals",
                "pairs an interval", "% of all", "boxes", "elements"});
  for (const Row& r : rows) {
    const double share = 100.0 / static_cast<double>(std::max<std::int64_t>(1, r.pairs));
    const auto pairs = &QueryStats::pair_tests;
    const auto boxes = &QueryStats::box_tests;
    const auto elements = &QueryStats::element_tests;
    const auto intervals = &QueryStats::intervals;
    const auto mean = [](const Work& w, std::uint64_t QueryStats::*counter, double scale) {
      return w.edges == 0 ? "-" : number(scale * w.mean(counter), 1);
    };
    const Work &f = r.free_work, &any = r.any_contact, &first = r.first_contact;
    const double an_interval = 1 / std::max(1e-9, first.mean(intervals));
    print({name(r), n(r.pairs), mean(f, intervals, 1), mean(f, boxes, 1), mean(f, pairs, 1),
           mean(f, pairs, share), mean(f, elements, 1), mean(any, pairs, 1),
           mean(any, pairs, share), mean(first, intervals, 1), mean(first, pairs, an_interval),
           mean(first, pairs, share * an_interval), mean(first, boxes, 1),
           mean(first, elements, 1)});
  }
}

int run(const std::string& only, int most_edges) {
  std::vector<Row> rows;
  std::vector<std::string> notes;
  int wrong = 0;
  const auto measure = [&](const std::string& name, auto make) {
    if (name.find(only) == std::string::npos) return;
    const CatchScenario scenario = make();
    Bench bench(scenario);
    std::vector<Series> all = scenario.series;
    if (!scenario.problems.empty()) {
      all.push_back(planned(scenario, *bench.world(), notes.emplace_back()));
    }
    for (const Series& series : all) {
      rows.push_back(bench.measure(series, most_edges));
      wrong += rows.back().wrong;
      std::fprintf(stderr, "%s, %s: done\n", name.c_str(), series.name.c_str());
    }
  };
  std::shared_ptr<const Scene> site;
  const auto on_site = [&] { return site == nullptr ? site = building_site() : site; };
  measure("walking", walking_mannequin);
  measure("exercising", exercising_mannequin);
  measure("tower crane", [&] { return tower_crane(on_site()); });
  measure("excavator", [&] { return excavator(on_site()); });
  measure("four trains", four_trains);
  measure("falling train", falling_train);
  if (rows.empty()) {
    std::fprintf(stderr, "catch_bench: no scenario is called \"%s\"\n", only.c_str());
    return 2;
  }
  print_tables(rows);
  std::printf("\n");
  for (const std::string& note : notes) std::printf("%s\n", note.c_str());
  if (wrong > 0) std::printf("WRONG: %d\n", wrong);
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(1);
  return catena::bench::run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 1 << 20);
}
