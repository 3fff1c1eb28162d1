// The ChainTree paper [Lotan2002] measured again: its torsions (Figure 7), its box tests (Table 1)
// and the terms of its cost N_v C_v + N_p C_p + N_u C_u for the library and every rival; what many
// changed joints cost; how questions grow with the chain against itself, a simple object and
// another chain; and the two configurations that theory is about, where refitted trees go quadratic
// (Figure 4) and where chain trees meet N^(4/3) pairs (Figures 5 and 6). Then tangled chains, on
// which a grid is hard to beat.
//
//   chain_paper_bench --tables [--proteins DIRECTORY] [TABLE] ...
//   TABLE: figure7, small, updates, growth, fold, corners, tangled
//
// Prints all tables, or those named. The directory holds backbones as PDB files: 1shg_A_bb.pdb ...
// Counts do not depend on the machine; times are CPU times, of a run with what else runs there.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <Eigen/Geometry>

#include "catena/geometry/pair_distance.hpp"
#include "catena/io/pdb_file.hpp"
#include "catena/query/chain_state.hpp"
#include "catena_methods.hpp"
#include "query/chain_state_probe.hpp"
#include "rivals/chain_methods.hpp"
#include "rivals/oriented_box.hpp"
#include "workloads/chain_run.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/log_log_slope.hpp"
#include "workloads/random.hpp"

namespace catena::bench {
namespace {

using Shape = ChainCase::Shape;

ChainMethods methods() {
  ChainMethods all = catena_chain_methods();
  const auto add = [&](ChainMethods some) { all.insert(all.end(), some.begin(), some.end()); };
  add(chain_rivals());
  add(refitted_aabb_tree());
  return all;
}

const ChainMethodEntry* find(const ChainMethods& all, const std::string& name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == name; });
  return at == all.end() ? nullptr : &*at;
}

using Series = std::map<std::string, std::vector<double>>;  // of each method, a value for each size

void print_slopes(const std::vector<double>& sizes, const Series& boxes, const Series& times) {
  std::printf("\nWhat grows like which power of N\n");
  for (const auto& [name, time] : times) {
    std::printf("%-22s time %5.2f", name.c_str(), log_log_slope(sizes, time));
    if (boxes.at(name).back() > 1)
      std::printf(", box tests %5.2f", log_log_slope(sizes, boxes.at(name)));
    std::printf("\n");
  }
}

struct Options {
  std::string proteins;  // a directory; empty: none
};

double per(std::int64_t count, int steps) { return static_cast<double>(count) / steps; }

/// Boxes and transforms above the joint (not its own), tree nodes made, or spheres put into the
/// grid.
std::int64_t updates(const PairTests& tests) { return tests.updates + tests.shortcuts_remade; }

// ---- Figure 7, Table 1 and the cost terms

/// The atoms N, CA and C of a protein, as a chain of spheres so thin that the fold is free.
SphereChain protein(const std::string& file) {
  SphereChain chain{{}, 1.0};
  for (const io::PdbFile::Piece& piece : io::load_pdb(file).pieces) {
    for (const io::PdbFile::Residue& residue : piece.residues) {
      for (const io::PdbFile::Atom& atom : residue.atoms) chain.centres.push_back(atom.position);
    }
  }
  for (int i = 0; i < chain.size(); ++i) {
    for (int j = i + 2; j < chain.size(); ++j) {
      const double gap = (chain.centres[i] - chain.centres[j]).norm() - 2 * chain.radius;
      if (gap < 0.01) throw std::invalid_argument(file + ": two atoms overlap; is it a backbone?");
    }
  }
  return chain;
}

struct Measured {
  std::string method;
  int steps;
  ChainRun run;
};

/// One random torsion a step. Methods named in `fewer` take that many steps only; each is held
/// against the library over as many.
std::vector<Measured> turn_joints(const char* name, const SphereChain& chain, double amplitude,
                                  int steps, const std::vector<std::string>& names,
                                  const std::map<std::string, int>& fewer = {}) {
  const ChainMethods all = methods();
  std::map<int, ChainRun> ours;
  std::vector<Measured> rows;
  std::printf("\n%s, N = %d: one torsion of up to %.0f degrees a step\n", name, chain.size(),
              amplitude * 180 / std::numbers::pi);
  std::printf("%-22s %7s %10s %9s %12s %12s %12s\n", "", "steps", "us a step", "x Catena",
              "box tests", "sphere tests", "updates");
  for (const std::string& method : names) {
    const ChainMethodEntry* entry = find(all, method);
    if (entry == nullptr) continue;
    const auto less = fewer.find(method);
    ChainCase c{
        name,      false, Shape::kCube, chain.size(), less == fewer.end() ? steps : less->second,
        amplitude, 0};
    if (!ours.contains(c.steps)) ours[c.steps] = run(c, chain, *find(all, "catena")->make());
    const ChainRun& reference = ours[c.steps];
    const ChainRun r = method == "catena" ? reference : run(c, chain, *entry->make());
    std::printf("%-22s %7d %10.2f %9.1f %12.1f %12.1f %12.1f%s\n", method.c_str(), c.steps,
                1e6 * r.seconds / c.steps, r.seconds / reference.seconds,
                per(r.tests.boxes, c.steps), per(r.tests.spheres, c.steps),
                per(updates(r.tests), c.steps),
                r.decisions == reference.decisions ? "" : "  DECIDES OTHERWISE");
    std::fflush(stdout);
    rows.push_back({method, c.steps, r});
  }
  std::printf("%d of %d steps accepted\n", ours[steps].accepted, steps);
  return rows;
}

/// Seconds that one test of each kind takes.
struct UnitCosts {
  double box, sphere;          // of the rivals: two products and fifteen axes; a squared distance
  double our_box, our_sphere;  // of the library: all of a check by its boxes; a proven distance
};

template <class Test>
double seconds_of(int times, const Test& test) {
  bool all = true;
  const double start = cpu_seconds();
  for (int i = 0; i < times; ++i) all &= test(i);
  const double seconds = (cpu_seconds() - start) / times;
  benchmark::DoNotOptimize(all);
  return seconds;
}

UnitCosts unit_costs(const SphereChain& chain) {
  constexpr int kTimes = 1'000'000, kSize = 1024;
  SplitMix64 random(5);
  const auto uniform = [&] {
    return Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  };
  struct Box {
    RigidTransform X;
    Vector3d half;
  };
  // Random boxes, as in obb_tree_bench about two thirds of them apart; and random spheres.
  std::vector<Box> boxes(kSize);
  for (Box& b : boxes) {
    b.X.R = Eigen::AngleAxisd(3 * random.uniform(), uniform().normalized()).toRotationMatrix();
    b.X.p = uniform();
    b.half = uniform().cwiseAbs();
  }
  const auto box = [&](int i) -> const Box& { return boxes[static_cast<size_t>(i) % kSize]; };
  std::vector<int> spheres(kTimes + 1);
  for (int& i : spheres) i = random.below(chain.size());
  const auto between = [&](int i) -> Vector3d {
    return chain.centres[spheres[i]] - chain.centres[spheres[i + 1]];
  };
  UnitCosts costs{};
  costs.box = seconds_of(kTimes, [&](int i) {
    const Box &a = box(i), &b = box(7 * i + 1);
    const RigidTransform X = a.X.inverse() * b.X * box(i + 3).X;
    return boxes_separated(a.half, b.half, X.R, X.p);
  });
  costs.sphere = seconds_of(
      kTimes, [&](int i) { return between(i).squaredNorm() < 4 * chain.radius * chain.radius; });
  ConvexShape sphere;
  sphere.core = ConvexShape::Core::kPoint;
  sphere.radius = chain.radius;
  RigidEnclosure X = RigidEnclosure::identity();
  costs.our_sphere = seconds_of(kTimes, [&](int i) {
    X.X.p = between(i);
    return pair_distance(sphere, sphere, X, false, 0.0).overlap;
  });

  // A question that found a collision looks at the same pairs when it is asked again, with nothing
  // to update.
  constexpr int kAgain = 10, kSteps = 4000;
  ChainState state(std::make_shared<const CollisionWorld>(chain_robot(chain), nullptr));
  state.check();
  state.commit();
  double seconds = 0, tests = 0;
  for (int step = 0; step < kSteps; ++step) {
    const LinkIndex joint(1 + random.below(chain.size() - 2));
    state.set(joint, random.uniform(-std::numbers::pi, std::numbers::pi));
    const ChainState::Result first = state.check();
    if (first.verdict == Verdict::kFree) {
      state.commit();
      continue;
    }
    const double start = cpu_seconds();
    for (int i = 0; i < kAgain; ++i) {
      tests += static_cast<double>(state.check().stats.box_tests);
      seconds -= static_cast<double>(first.stats.element_tests) * costs.our_sphere;
    }
    seconds += cpu_seconds() - start;
    state.rollback();
  }
  costs.our_box = seconds / tests;
  return costs;
}

/// N_v C_v + N_p C_p + N_u C_u: the tests' costs by themselves; an update's is what is left.
void print_costs(const SphereChain& chain, const std::vector<Measured>& rows) {
  const UnitCosts costs = unit_costs(chain);
  std::printf("\nN = %d: N_v C_v + N_p C_p + N_u C_u, a step\n", chain.size());
  std::printf("%-22s %10s %8s %10s %8s %10s %8s %10s\n", "", "N_v", "C_v ns", "N_p", "C_p ns",
              "N_u", "C_u ns", "us a step");
  for (const Measured& row : rows) {
    if (updates(row.run.tests) == 0) continue;
    const bool ours = row.method == "catena";
    const double c_v = ours ? costs.our_box : costs.box;
    const double c_p = ours ? costs.our_sphere : costs.sphere;
    const double n_v = per(row.run.tests.boxes, row.steps);
    const double n_p = per(row.run.tests.spheres, row.steps);
    const double n_u = per(updates(row.run.tests), row.steps);
    const double step = row.run.seconds / row.steps;
    std::printf("%-22s %10.1f %8.1f %10.1f %8.1f %10.1f %8.1f %10.2f\n", row.method.c_str(), n_v,
                1e9 * c_v, n_p, 1e9 * c_p, n_u, 1e9 * (step - n_v * c_v - n_p * c_p) / n_u,
                1e6 * step);
  }
}

void print_figure7(const Options& options) {
  constexpr int kSteps = 20'000, kFew = 1'000;
  const std::vector<std::string> table1{"catena", "chain_tree", "chain_tree_paper",
                                        "piece_obb_trees"};
  std::vector<double> sizes;
  Series boxes, times;
  for (const int n : {1000, 2500, 5000, 10000}) {
    const SphereChain chain = cube_chain(n);
    const auto rows = turn_joints(
        "Cube", chain, kWide, kSteps,
        {"catena", "chain_tree", "chain_tree_paper", "grid_rebuild", "grid_shorter_side",
         "one_obb_tree", "piece_obb_trees", "fcl_dynamic_aabb_tree", "bullet_dbvt_refit"},
        {{"fcl_dynamic_aabb_tree", kFew}, {"bullet_dbvt_refit", kFew}});
    sizes.push_back(n);
    for (const Measured& row : rows) {
      boxes[row.method].push_back(std::max(1.0, per(row.run.tests.boxes, row.steps)));
      times[row.method].push_back(row.run.seconds / row.steps);
    }
    if (n == 1000 || n == 10000) print_costs(chain, rows);
  }
  print_slopes(sizes, boxes, times);
  for (const int n : {1000, 10000}) {
    turn_joints("Zigzag like a backbone", backbone_chain(n), kWide, kSteps, table1);
  }
  if (options.proteins.empty()) return;
  for (const char* name : {"1shg_A_bb", "1i8j_A_bb", "1lox_A_bb", "1o79_A_bb"}) {
    turn_joints(name, protein(options.proteins + '/' + name + ".pdb"), kWide, kSteps, table1);
  }
}

/// As Figure 7, with small angles: most steps are accepted, and the chain drifts far from where its
/// boxes were fitted.
void print_small(const Options&) {
  for (const bool backbone : {false, true}) {
    for (const int n : {1000, 10000}) {
      turn_joints(backbone ? "Zigzag like a backbone" : "Cube",
                  backbone ? backbone_chain(n) : cube_chain(n), kSmall, 20'000,
                  {"catena", "chain_tree", "grid_rebuild", "grid_shorter_side",
                   "fcl_dynamic_aabb_tree", "bullet_dbvt_refit"},
                  {{"fcl_dynamic_aabb_tree", 1'000}, {"bullet_dbvt_refit", 1'000}});
    }
  }
}

// ---- Many changed joints

void print_updates(const Options&) {
  constexpr int n = 10000;
  constexpr double kAngle = 1e-4;  // about the first chain, which stays free
  const SphereChain chain = cube_chain(n);
  const auto world = std::make_shared<const CollisionWorld>(chain_robot(chain), nullptr);
  ChainState state(world);
  state.check();
  state.commit();
  Workspace workspace(*world);
  const ChainMethods all = methods();
  const auto grid = find(all, "grid_rebuild")->make(), tree = find(all, "chain_tree")->make();
  grid->init(chain);
  tree->init(chain);

  std::printf("\nCube, N = %d: k torsions a step, all steps free\n", n);
  std::printf("%6s %6s | %10s %10s %10s | %10s %10s | %10s | %10s\n", "k", "steps", "ChainState us",
              "box tests", "updates", "whole us", "box tests", "grid us", "tree us");
  SplitMix64 random(11);
  std::vector<double> torsions(n - 1, 0.0);
  std::vector<int> joints(n - 1);
  std::iota(joints.begin(), joints.end(), 0);
  for (int k = 1;; k = std::min(2 * k, n - 1)) {
    const int steps = std::clamp(4000 / k, 30, 1000);
    double seconds[4] = {};
    std::int64_t boxes = 0, whole_boxes = 0, remade = 0;
    for (int step = 0; step < steps; ++step) {
      std::vector<ChainState::Change> changes;
      for (int i = 0; i < k; ++i) {
        std::swap(joints[i], joints[i + random.below(n - 1 - i)]);
        torsions[joints[i]] = random.uniform(-kAngle, kAngle);
        changes.push_back({LinkIndex(joints[i] + 1), torsions[joints[i]]});
      }
      const auto time = [&](double& sum, const auto& ask) {
        const double start = cpu_seconds();
        if (!ask()) throw std::logic_error("updates: a step is not free; the angle is too wide");
        sum += cpu_seconds() - start;
      };
      time(seconds[0], [&] {
        state.set(changes);
        const ChainState::Result r = state.check();
        state.commit();
        boxes += static_cast<std::int64_t>(r.stats.box_tests);
        remade += static_cast<std::int64_t>(r.stats.boxes_remade + r.stats.shortcuts_remade);
        return r.verdict == Verdict::kFree;
      });
      time(seconds[1], [&] {
        const StateResult r = check_state(*world, state.positions(), {}, workspace);
        whole_boxes += static_cast<std::int64_t>(r.stats.box_tests);
        return r.verdict == Verdict::kFree;
      });
      time(seconds[2], [&] { return grid->all_joints(torsions); });
      time(seconds[3], [&] { return tree->all_joints(torsions); });
    }
    const auto us = [&](int i) { return 1e6 * seconds[i] / steps; };
    std::printf("%6d %6d | %10.1f %10.0f %10.0f | %10.1f %10.0f | %10.1f | %10.1f\n", k, steps,
                us(0), per(boxes, steps), per(remade, steps), us(1), per(whole_boxes, steps), us(2),
                us(3));
    std::fflush(stdout);
    if (k == n - 1) break;
  }
}

// ---- Growth with the chain

/// Random joints of a chain by small angles, each from the chain as it is; every answer is free.
struct Questions {
  double boxes = 0, seconds = 0;  // of one
};

Questions ask(const std::shared_ptr<const CollisionWorld>& world, int n, double angle, int steps,
              bool only_tree) {
  ChainState state(world);
  if (only_tree) internal::ChainStateProbe::use_only_tree(state);
  state.check();
  state.commit();
  SplitMix64 random(1000 + static_cast<std::uint64_t>(n));  // the moves of a run of the rivals
  Questions q;
  for (int step = 0; step < steps; ++step) {
    const LinkIndex joint(1 + random.below(n - 2));
    const double start = cpu_seconds();
    state.set(joint, random.uniform(-angle, angle));
    const ChainState::Result r = state.check();
    q.seconds += cpu_seconds() - start;
    if (r.verdict != Verdict::kFree) throw std::logic_error("ask: a step is not free");
    state.rollback();
    q.boxes += static_cast<double>(r.stats.box_tests);
  }
  q.boxes /= steps;
  q.seconds /= steps;
  return q;
}

void print_growth(const Options&) {
  constexpr int kSteps = 400;
  const std::vector<int> sides{8, 10, 13, 16, 20, 25};
  for (const char* shape : {"Cube", "Globule"}) {
    std::printf(
        "\n%s: box tests of one torsion of up to 0.06 degrees (us), and those that another thing "
        "adds\n",
        shape);
    std::printf("%6s %18s %18s %18s %18s\n", "N", "alone", "+ ball", "+ slab", "+ chain");
    std::vector<double> sizes;
    std::array<std::vector<double>, 4> boxes;
    for (const int side : sides) {
      const int n = side * side * side;
      const SphereChain chain = shape[0] == 'C' ? cube_chain(n) : globule_chain(side, 4000u + n);
      const auto robot = chain_robot(chain);
      const auto with = [&](const char* name, const Primitive& thing, const Vector3d& at) {
        auto scene = std::make_shared<Scene>();
        scene->objects.push_back(
            {name, {{Geometry::make(thing), RigidEnclosure::translation(at)}}});
        return std::make_shared<const CollisionWorld>(robot, scene);
      };
      // All among the spheres: in the middle of eight, between two layers, and shifted by half a
      // spacing along x, y and z.
      const double edge = 4.0 * (side - 1), between = 4.0 * (side / 2) - 2.0;
      const auto both = RobotBuilder::combine(
          *robot,
          {{chain_robot(chain), "other", RigidEnclosure::translation(Vector3d::Constant(2.0))}});
      const std::shared_ptr<const CollisionWorld> worlds[4] = {
          std::make_shared<const CollisionWorld>(robot, nullptr),
          with("ball", Sphere{1.0}, Vector3d::Constant(between)),
          with("slab", Box{{2 * edge, 2 * edge, 1.0}}, {0.5 * edge, 0.5 * edge, between}),
          std::make_shared<const CollisionWorld>(both, nullptr)};
      sizes.push_back(n);
      std::printf("%6d", n);
      double alone = 0;
      for (size_t k = 0; k < 4; ++k) {
        const Questions q = ask(worlds[k], n, 1e-3, kSteps, /*only_tree=*/true);
        if (k == 0) alone = q.boxes;
        const double more = k == 0 ? q.boxes : q.boxes - alone;
        boxes[k].push_back(std::max(more, 1e-3));
        std::printf(" %10.1f (%5.1f)", more, 1e6 * q.seconds);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
    std::printf("%6s", "slope");
    for (const auto& b : boxes) std::printf(" %10.2f        ", log_log_slope(sizes, b));
    std::printf("\n");
  }
}

// ---- Figure 4

void print_fold(const Options&) {
  const ChainMethods all = methods();
  const char* names[] = {"catena",          "catena_whole",          "chain_tree",
                         "grid_rebuild",    "one_obb_tree",          "piece_obb_trees",
                         "aabb_tree_refit", "fcl_dynamic_aabb_tree", "bullet_dbvt_refit"};
  std::printf("\nFold of three legs, the two steps that open it to a line: box tests and us\n");
  std::vector<double> sizes;
  Series boxes, times;
  for (const int length : {250, 500, 1000, 2000, 4000}) {
    const SphereChain chain = folded_chain(length);
    const int n = chain.size();
    sizes.push_back(n);
    std::printf("N = %d\n", n);
    for (const char* name : names) {
      const ChainMethodEntry* entry = find(all, name);
      if (entry == nullptr) continue;
      const auto method = entry->make();
      method->init(chain);
      const PairTests before = method->tests();
      const double start = cpu_seconds();
      const bool free = method->step(length - 1, std::numbers::pi) &&
                        method->step(2 * length - 1, std::numbers::pi);
      const double seconds = cpu_seconds() - start;
      const std::int64_t tests = method->tests().boxes - before.boxes;
      std::printf("  %-22s %12lld %12.1f%s\n", name, static_cast<long long>(tests), 1e6 * seconds,
                  free ? "" : "  DECIDES OTHERWISE");
      std::fflush(stdout);
      boxes[name].push_back(static_cast<double>(std::max<std::int64_t>(tests, 1)));
      times[name].push_back(seconds);
    }
  }
  print_slopes(sizes, boxes, times);
}

// ---- Figures 5 and 6

void print_corners(const Options&) {
  constexpr int kSteps = 200;
  constexpr double kAngle = 1e-4;
  const char* names[] = {"catena, tree only", "catena",          "catena_whole", "chain_tree",
                         "chain_tree_paper",  "piece_obb_trees", "grid_rebuild"};
  std::printf(
      "\nPieces that fill one cube: box (grid: sphere) tests of one small torsion, and us\n");
  std::printf("%8s", "N");
  for (const char* name : names) std::printf(" %22s", name);
  std::printf("\n");
  const ChainMethods all = methods();
  std::vector<double> sizes;
  Series counts;
  for (const int side : {16, 22, 32, 44, 60}) {
    const SphereChain chain = corner_chain(side, 4);
    const int n = chain.size();
    sizes.push_back(n);
    std::printf("%8d", n);
    for (const std::string name : names) {
      double tests = 0, seconds = 0;
      if (name == "catena" || name == "catena, tree only") {
        const auto world = std::make_shared<const CollisionWorld>(chain_robot(chain), nullptr);
        const Questions q = ask(world, n, kAngle, kSteps, name != "catena");
        tests = q.boxes;
        seconds = q.seconds;
      } else {
        const ChainCase c{"", false, Shape::kCube, n, kSteps, kAngle, 0};
        const ChainRun r = run(c, chain, *find(all, name)->make());
        if (r.accepted != kSteps) throw std::logic_error("corners: a step is not free");
        tests = per(r.tests.boxes > 0 ? r.tests.boxes : r.tests.spheres, kSteps);
        seconds = r.seconds / kSteps;
      }
      counts[name].push_back(tests);
      std::printf(" %13.0f (%6.0f)", tests, 1e6 * seconds);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  std::printf("%8s", "slope");
  for (const std::string name : names)
    std::printf(" %13.2f         ", log_log_slope(sizes, counts[name]));
  std::printf("\n");
}

// ---- tangled chains

/// Random Hamiltonian paths, small torsions: how the questions' times are spread.
void print_tangled(const Options&) {
  constexpr int kSteps = 1000;
  const char* names[] = {"catena", "grid_shorter_side", "grid_rebuild", "chain_tree",
                         "fcl_dynamic_aabb_tree"};
  const ChainMethods all = methods();
  for (const int side : {10, 20}) {
    const int n = side * side * side;
    const SphereChain chain = globule_chain(side, 4000u + n);
    std::printf("\nGlobule, N = %d: %d torsions of up to 2 degrees, us a step\n", n, kSteps);
    std::printf("%-22s %9s %9s %9s %9s %9s\n", "", "mean", "median", "99 %", "worst", "accepted");
    std::uint64_t decisions = 0;
    const std::vector<ChainMove> moves = one_joint_moves(n, kSteps, kSmall);
    for (const char* name : names) {
      const ChainMethodEntry* entry = find(all, name);
      if (entry == nullptr) continue;
      const auto method = entry->make();
      method->init(chain);
      std::vector<double> times;
      int accepted = 0;
      std::uint64_t decided = 0;
      for (const ChainMove& move : moves) {
        const double start = cpu_seconds();
        const bool free = method->step(move.joint, move.angle);
        times.push_back(1e6 * (cpu_seconds() - start));
        accepted += free;
        decided = with_decision(decided, free);
      }
      if (decisions == 0) decisions = decided;
      const double mean = std::accumulate(times.begin(), times.end(), 0.0) / kSteps;
      std::sort(times.begin(), times.end());
      std::printf("%-22s %9.1f %9.1f %9.1f %9.1f %9d%s\n", name, mean, times[kSteps / 2],
                  times[kSteps * 99 / 100], times.back(), accepted,
                  decided == decisions ? "" : "  DECIDES OTHERWISE");
      std::fflush(stdout);
    }
  }
}

struct Table {
  const char* name;
  void (*print)(const Options& options);
};
constexpr Table kTables[] = {{"figure7", print_figure7}, {"small", print_small},
                             {"updates", print_updates}, {"growth", print_growth},
                             {"fold", print_fold},       {"corners", print_corners},
                             {"tangled", print_tangled}};

int print_tables(const std::vector<std::string>& arguments) {
  Options options;
  bool print = false;
  std::vector<const Table*> asked;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto table = std::find_if(std::begin(kTables), std::end(kTables),
                                    [&](const Table& t) { return t.name == arguments[i]; });
    if (arguments[i] == "--tables") {
      print = true;
    } else if (arguments[i] == "--proteins" && i + 1 < arguments.size()) {
      options.proteins = arguments[++i];
    } else if (table != std::end(kTables)) {
      asked.push_back(table);
    } else {
      print = false;
      break;
    }
  }
  if (!print) {
    std::fprintf(stderr, "chain_paper_bench --tables [--proteins DIRECTORY]");
    for (const Table& t : kTables) std::fprintf(stderr, " [%s]", t.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const Table& t : kTables) {
    if (asked.empty() || std::find(asked.begin(), asked.end(), &t) != asked.end()) t.print(options);
  }
  return 0;
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  return catena::bench::print_tables(std::vector<std::string>(argv + 1, argv + argc));
}
