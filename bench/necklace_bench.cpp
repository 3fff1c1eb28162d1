// Necklaces [Agarwal2004]: beads that all move a little at each step. What it costs to make the two
// hierarchies, to keep the wrapped one, and to ask for collisions, beside a uniform hash grid and,
// where it is found, FCL's dynamic tree; and how the separating family of a lattice grows.
//
//   necklace_bench [BEADS] [STEPS]
//
// Prints Markdown tables. CPU time, the least over the steps but for the columns that say mean;
// counters do not depend on the machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/hierarchy/necklace.hpp"
#include "catena/math/rounding.hpp"
#include "rivals/hash_grid.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/log_log_slope.hpp"
#include "workloads/random.hpp"

#ifdef CATENA_BENCH_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision_object.h>
#endif

namespace catena::bench {
namespace {

using Hierarchy = Necklace::Hierarchy;
using Update = Necklace::Update;

struct Beads {
  std::vector<Vector3d> centers;
  std::vector<double> radii;
};

/// Where the beads are at a step.
using Scene = std::function<Beads(int n, int step)>;

constexpr double kRadius = 0.5, kStep = 0.95;

// A line that waves more and more.
Beads wave(int n, int step) {
  Beads beads;
  const double height = 30.0 + 0.3 * step;
  for (int i = 0; i < n; ++i) {
    const double s = kStep * i;
    beads.centers.push_back(
        {0.9 * s, height * std::sin(0.013 * s), height * std::cos(0.009 * s + 0.01 * step)});
  }
  beads.radii.assign(beads.centers.size(), kRadius);
  return beads;
}

// Turns of radius 10, 1.2 apart, whose axis bends.
Beads coil(int n, int step) {
  Beads beads;
  const double R = 10.0, pitch = 1.2 / (2 * M_PI), turn = kStep / std::hypot(R, pitch);
  const double bend = 2e-4 * (1 + 0.2 * step);
  for (int i = 0; i < n; ++i) {
    const double a = turn * i, along = pitch * a * bend, x = R * std::cos(a), y = R * std::sin(a);
    const double reach = 1.0 / bend + x;
    beads.centers.push_back({reach * std::cos(along), y, reach * std::sin(along)});
  }
  beads.radii.assign(beads.centers.size(), kRadius);
  return beads;
}

// To and fro through a cube; each bead trembles about its place.
Beads lattice(int n, int step) {
  const int m = static_cast<int>(std::lround(std::cbrt(n)));
  Beads beads;
  SplitMix64 random(7);
  for (int z = 0; z < m; ++z) {
    for (int row = 0; row < m; ++row) {
      for (int i = 0; i < m; ++i) {
        const int y = z % 2 == 0 ? row : m - 1 - row;
        const bool back = (z * m + row) % 2 != 0;
        Vector3d c(back ? m - 1 - i : i, y, z);
        for (double& x : c) x += 0.005 * std::sin(random.uniform(0, 2 * M_PI) + 0.3 * step);
        beads.centers.push_back(c);
      }
    }
  }
  beads.radii.assign(beads.centers.size(), 0.49);
  return beads;
}

/// Steps of one way to be at the beads of every step: the least time, and what the last ones did.
struct Cost {
  double least = kInfinity, sum = 0.0;
  NecklaceStats stats;
  int steps = 0;

  double mean() const { return sum / steps; }
  double each(std::uint64_t count) const { return static_cast<double>(count) / steps; }
};

/// `prepare` is not timed. The first step is not counted: it comes from nothing.
template <class Prepare, class Work>
Cost measure(const std::vector<Beads>& steps, const Prepare& prepare, const Work& work) {
  Cost cost;
  for (size_t i = 0; i < steps.size(); ++i) {
    prepare(steps[i]);
    const double start = cpu_seconds();
    const NecklaceStats stats = work(steps[i]);
    const double time = cpu_seconds() - start;
    if (i == 0) continue;
    cost.least = std::min(cost.least, time);
    cost.sum += time;
    cost.stats += stats;
    ++cost.steps;
  }
  return cost;
}

template <class Work>
Cost measure(const std::vector<Beads>& steps, const Work& work) {
  return measure(
      steps, [](const Beads&) {}, work);
}

double us(double seconds) { return 1e6 * seconds; }

NecklaceStats update(Necklace& necklace, const Beads& beads, Update how) {
  necklace.set_beads(beads.centers, beads.radii);
  return necklace.update(how);
}

void print_updates(const char* name, int n, const std::vector<Beads>& steps) {
  Necklace layered(n, Hierarchy::kLayered), wrapped(n, Hierarchy::kWrapped),
      naive(n, Hierarchy::kWrapped), cascade(n, Hierarchy::kWrapped);
  const Cost set = measure(steps, [&](const Beads& beads) {
    layered.set_beads(beads.centers, beads.radii);
    return NecklaceStats{};
  });
  const auto of = [&](Necklace& necklace, Update how) {
    return measure(
        steps, [&](const Beads& beads) { necklace.set_beads(beads.centers, beads.radii); },
        [&](const Beads&) { return necklace.update(how); });
  };
  const Cost l = of(layered, Update::kRebuild), w = of(wrapped, Update::kRebuild),
             v = of(naive, Update::kNaive), c = of(cascade, Update::kCascade);
  std::printf(
      "| %s, %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %.1f | %.1f | %.0f | %.0f |\n", name, n,
      us(set.least), us(l.least), us(w.least), us(v.least), us(c.least), c.least / w.least,
      static_cast<double>(c.stats.frontier_nodes) /
          static_cast<double>(std::max<std::uint64_t>(c.stats.frontiers, 1)),
      c.each(c.stats.basis_changes), v.each(v.stats.ball_tests), c.each(c.stats.ball_tests));
}

/// All spheres anew, each held against those before it.
class Grid {
 public:
  explicit Grid(double cell) : cell_(cell) {}

  bool is_free(const Beads& beads, int window) {
    const int n = static_cast<int>(beads.centers.size());
    const double radius = beads.radii[0], reach = 2 * radius, square = reach * reach;
    if (n != size_) grid_.reset(size_ = n, cell_ * radius);
    grid_.clear();
    for (int i = 0; i < n; ++i) {
      const Vector3d& c = beads.centers[static_cast<size_t>(i)];
      const bool hit = grid_.any(c, reach, [&](int j) {
        return i - j > window &&
               (beads.centers[static_cast<size_t>(j)] - c).squaredNorm() <= square;
      });
      if (hit) return false;
      grid_.insert(i, grid_.slot(c));
    }
    return true;
  }

 private:
  double cell_;
  int size_ = -1;
  HashGrid grid_;
};

#ifdef CATENA_BENCH_FCL
class FclTree {
 public:
  explicit FclTree(const Beads& beads) {
    const auto sphere = std::make_shared<fcl::Sphered>(beads.radii[0]);
    square_ = 4 * beads.radii[0] * beads.radii[0];
    for (const Vector3d& c : beads.centers) {
      objects_.push_back(std::make_unique<fcl::CollisionObjectd>(sphere));
      objects_.back()->setTranslation(c);
      objects_.back()->computeAABB();
      objects_.back()->setUserData(reinterpret_cast<void*>(objects_.size()));
      manager_.registerObject(objects_.back().get());
    }
    manager_.setup();
  }
  bool is_free(const Beads& beads, int window) {
    for (size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setTranslation(beads.centers[i]);
      objects_[i]->computeAABB();
    }
    manager_.update();
    window_ = window;
    hit_ = false;
    manager_.collide(this, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* self) {
      auto& tree = *static_cast<FclTree*>(self);
      const auto number = [](const fcl::CollisionObjectd* o) {
        return static_cast<int>(reinterpret_cast<std::intptr_t>(o->getUserData()));
      };
      tree.hit_ = std::abs(number(a) - number(b)) > tree.window_ &&
                  (a->getTranslation() - b->getTranslation()).squaredNorm() <= tree.square_;
      return tree.hit_;
    });
    return !hit_;
  }

 private:
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  int window_ = 1;
  bool hit_ = false;
  double square_ = 0;
};
#endif

void expect_free(bool is_free, const char* what) {
  if (is_free) return;
  std::fprintf(stderr, "necklace_bench: %s is not found free\n", what);
  std::exit(1);
}

void print_questions(const char* name, int n, const std::vector<Beads>& steps, int window) {
  const auto ask = [&](Hierarchy hierarchy, Update how) {
    Necklace necklace(n, hierarchy);
    return measure(steps, [&](const Beads& beads) {
      NecklaceStats stats = update(necklace, beads, how);
      const NecklaceResult result = necklace.self_collision(window);
      expect_free(result.verdict == Verdict::kFree, name);
      stats += result.stats;
      return stats;
    });
  };
  const Cost layered = ask(Hierarchy::kLayered, Update::kRebuild),
             cascade = ask(Hierarchy::kWrapped, Update::kCascade),
             lazy = ask(Hierarchy::kWrapped, Update::kLazy);
  double best_grid = kInfinity, best_cell = 0;
  for (const double cell : {2.01, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    Grid grid(cell);
    const Cost cost = measure(steps, [&](const Beads& beads) {
      expect_free(grid.is_free(beads, window), "a grid's necklace");
      return NecklaceStats{};
    });
    if (cost.least >= best_grid) continue;
    best_grid = cost.least;
    best_cell = cell;
  }
  std::printf("| %s, %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f (%.0f) |", name, n,
              us(layered.least), layered.each(layered.stats.pair_tests), us(cascade.least),
              cascade.each(cascade.stats.pair_tests), us(lazy.least), us(best_grid), best_cell);
#ifdef CATENA_BENCH_FCL
  FclTree tree(steps[0]);
  const Cost fcl = measure(steps, [&](const Beads& beads) {
    expect_free(tree.is_free(beads, window), "FCL's necklace");
    return NecklaceStats{};
  });
  std::printf(" %.0f |\n", us(fcl.least));
#else
  std::printf(" - |\n");
#endif
}

// Two coils beside each other: each step and question by updates of both, and by first touch.
void print_pairs(int n, const std::vector<Beads>& steps, double apart) {
  std::printf("| %g |", apart);
  const auto ask = [&](Hierarchy hierarchy, Update how) {
    Necklace a(n, hierarchy), b(n, hierarchy);
    Beads moved = steps[0];
    const auto place = [&](const Beads& beads) {
      for (size_t i = 0; i < moved.centers.size(); ++i) {
        moved.centers[i] = beads.centers[i] + Vector3d(0, apart, 0);
      }
    };
    return measure(steps, place, [&](const Beads& beads) {
      NecklaceStats stats = update(a, beads, how);
      stats += update(b, moved, how);
      const NecklaceResult result = a.collision(b);
      expect_free(result.verdict == Verdict::kFree, "a pair of coils");
      stats += result.stats;
      return stats;
    });
  };
  const Cost layered = ask(Hierarchy::kLayered, Update::kRebuild),
             rebuild = ask(Hierarchy::kWrapped, Update::kRebuild),
             cascade = ask(Hierarchy::kWrapped, Update::kCascade),
             lazy = ask(Hierarchy::kWrapped, Update::kLazy);
  std::printf(" %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", us(layered.least), us(rebuild.least),
              us(cascade.least), us(lazy.least), lazy.each(lazy.stats.nodes_verified),
              lazy.each(lazy.stats.pair_tests));
}

std::vector<Beads> steps_of(const Scene& scene, int n, int steps) {
  std::vector<Beads> result;
  for (int k = 0; k < steps; ++k) result.push_back(scene(n, k));
  return result;
}

void run(int n, int steps) {
  const int edge = static_cast<int>(std::lround(std::cbrt(n))), cube = edge * edge * edge;
  const struct {
    const char* name;
    Scene scene;
    int n;
  } scenes[] = {{"wave", wave, n}, {"coil", coil, n}, {"lattice", lattice, cube}};
  std::printf(
      "| necklace | set, us | layered | wrapped | naive | cascade | cascade / wrapped | frontier | "
      "basis changes | tests, naive | cascade |\n| --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- | --- | --- |\n");
  for (const auto& s : scenes) print_updates(s.name, s.n, steps_of(s.scene, s.n, steps));
  std::printf(
      "\n| necklace | layered, us | pairs | wrapped, cascade, us | pairs | lazy, us | grid, us "
      "(cell, radii) | FCL, us |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& s : scenes) print_questions(s.name, s.n, steps_of(s.scene, s.n, steps), 1);
  std::printf(
      "\n| two coils, apart | layered, us | wrapped, us | cascade, us | lazy, us | nodes verified "
      "| "
      "pairs |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  const std::vector<Beads> coils = steps_of(coil, n, steps);
  for (const double apart : {22.0, 30.0, 100.0, 1000.0, 10000.0}) print_pairs(n, coils, apart);

  std::printf(
      "\n| lattice | beads | layered: pairs | wrapped: pairs |\n| --- | --- | --- | --- |\n");
  std::vector<double> beads, counts[2];
  for (const int m : {8, 12, 16, 24, 32, 40}) {
    const Beads cubes = lattice(m * m * m, 0);
    beads.push_back(m * m * m);
    for (const Hierarchy hierarchy : {Hierarchy::kLayered, Hierarchy::kWrapped}) {
      Necklace necklace(m * m * m, hierarchy);
      update(necklace, cubes, Update::kRebuild);
      SeparatingFamily family;
      expect_free(necklace.self_collision(1, &family).verdict == Verdict::kFree, "a lattice");
      counts[hierarchy == Hierarchy::kWrapped ? 1 : 0].push_back(
          static_cast<double>(family.pairs.size()));
    }
    std::printf("| %d | %.0f | %.0f | %.0f |\n", m, beads.back(), counts[0].back(),
                counts[1].back());
  }
  std::printf("\nexponents: layered %.3f, wrapped %.3f (4/3 is the bound)\n",
              log_log_slope(beads, counts[0]), log_log_slope(beads, counts[1]));
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 10240, steps = argc > 2 ? std::atoi(argv[2]) : 40;
  if (n < 8 || steps < 2) {
    std::fprintf(stderr, "necklace_bench: give at least 8 beads and 2 steps\n");
    return 2;
  }
  catena::bench::run(n, steps);
}
