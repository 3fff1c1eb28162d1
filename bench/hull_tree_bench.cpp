// Distances of two meshes along sequences of small motions: by a tree of convex hulls, from the
// roots each time or from what the last call left ([Ehmann2001], as [Zhang2007] does), by the OBB
// tree, from the roots or with the last closest triangles for a bound, and by FCL's tree of swept
// spheres.
//
//   hull_tree_bench [FOLDER [PATTERN]]
//
// FOLDER holds data/meshes/pqp and data/robots/snake_sim; without it the models are generated.
// PATTERN: only scenarios whose name contains it. CPU times a call; the counters do not depend on
// the machine.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>

#include "catena/geometry/hull_tree.hpp"
#include "catena/geometry/pair_distance.hpp"
#include "catena/query/geometry_pairs.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/meshes.hpp"

#ifdef CATENA_BENCH_IO
#include "catena/io/mesh_file.hpp"
#endif
#ifdef CATENA_BENCH_FCL
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>
#endif

namespace catena::bench {
namespace {

struct Scenario {
  std::string name;
  Mesh a, b;
  std::vector<RigidEnclosure> poses;  // of b in a's frame
};

// b passes by a at `gap` beyond a's farthest point along z, turning by a degree a step.
Scenario passing(const std::string& name, const Mesh& a, const Mesh& b, double gap) {
  Scenario s{name, a, b, {}};
  const auto extent = [](const Mesh& m) {
    Vector3d lo = m.vertices.front(), hi = lo;
    for (const Vector3d& x : m.vertices) {
      lo = lo.cwiseMin(x);
      hi = hi.cwiseMax(x);
    }
    return std::pair(lo, hi);
  };
  const auto [lo_a, hi_a] = extent(a);
  const Vector3d size = hi_a - lo_a;
  for (int k = 0; k < 100; ++k) {
    const RigidEnclosure turn = pose(Vector3d::Zero(), {1, 2, 3}, 0.4 + std::numbers::pi / 180 * k);
    Mesh turned = b;
    for (Vector3d& x : turned.vertices) x = turn.X * x;
    const auto [lo, hi] = extent(turned);
    const Vector3d middle = 0.5 * (lo_a + hi_a) - 0.5 * (lo + hi);
    const Vector3d at(middle.x() + size.x() * (0.004 * k - 0.2), middle.y(),
                      hi_a.z() + gap - lo.z());
    s.poses.push_back(RigidEnclosure::translation(at) * turn);
  }
  return s;
}

// A small torus on the tube of a wrinkled one, with room between them, carried round it.
Scenario threaded() {
  Scenario s{"torus, 5,000, round the tube of one of 24,500",
             torus(175, 70, 1.0, 0.2, 0.05),
             torus(50, 50, 0.45, 0.12, 0.05),
             {}};
  for (int k = 0; k < 100; ++k) {
    const double u = 0.02 * k;
    const RigidEnclosure around = pose(Vector3d::Zero(), Vector3d::UnitZ(), u);
    s.poses.push_back(around *
                      pose({1.02, 0, 0.01}, Vector3d::UnitX(), 0.5 * std::numbers::pi + 0.1 * u));
  }
  return s;
}

Scenario nested() {
  Scenario s{"spheres, 20,480, one in the other, gap 0.1", sphere(5, 1.0), sphere(5, 1.1), {}};
  for (int k = 0; k < 20; ++k) s.poses.push_back(pose({0, 0, 1e-3 * k}, {1, 2, 3}, 0.7 + 0.01 * k));
  return s;
}

#ifdef CATENA_BENCH_IO
Mesh read_tris(const std::string& path) {
  std::ifstream in(path);
  size_t n = 0;
  in >> n;
  Mesh mesh;
  for (size_t i = 0; i < n; ++i) {
    const int base = static_cast<int>(mesh.vertices.size());
    for (int k = 0; k < 3; ++k) {
      Vector3d x;
      in >> x[0] >> x[1] >> x[2];
      mesh.vertices.push_back(x);
    }
    mesh.triangles.push_back({base, base + 1, base + 2});
  }
  if (!in || n == 0) throw std::runtime_error(path + ": not a list of triangles");
  return mesh;
}

std::vector<RigidEnclosure> read_path(const std::string& path) {
  std::ifstream in(path);
  size_t n = 0;
  in >> n;
  std::vector<RigidEnclosure> poses(n);
  for (RigidEnclosure& pose : poses) {
    for (int i = 0; i < 9; ++i) in >> pose.X.R(i / 3, i % 3);
    for (int i = 0; i < 3; ++i) in >> pose.X.p[i];
  }
  if (!in || n == 0) throw std::runtime_error(path + ": not a list of poses");
  return poses;
}

// PQP's demo: two tori fall on one another; every frame before they first touch.
Scenario falling(const std::string& folder) {
  Scenario s{"PQP's falling tori, 1,332 and 3,240",
             read_tris(folder + "/torus1.tris"),
             read_tris(folder + "/torus2.tris"),
             {}};
  const auto at_a = read_path(folder + "/torus1.path"), at_b = read_path(folder + "/torus2.path");
  for (size_t k = 0; k < std::min(at_a.size(), at_b.size()); ++k) {
    RigidEnclosure X = at_a[k].inverse_times(at_b[k]);
    // The matrices have six digits; they are taken for exact, as FCL does.
    X.rotation_error = X.position_error = 1e-15;
    s.poses.push_back(X);
  }
  return s;
}
#endif

struct Run {
  double us = 0.0;
  double pairs = 0.0, searches = 0.0, steps = 0.0, triangles = 0.0;
  std::vector<Interval> told;
};

// The lesser time of two passes over the poses.
Run measure(const Scenario& s, const std::function<Interval(const RigidEnclosure&, Run&)>& ask) {
  Run best;
  for (int pass = 0; pass < 2; ++pass) {
    Run run;
    const double start = cpu_seconds();
    for (const RigidEnclosure& X : s.poses) run.told.push_back(ask(X, run));
    const auto n = static_cast<double>(s.poses.size());
    run.us = 1e6 * (cpu_seconds() - start) / n;
    for (double* c : {&run.pairs, &run.searches, &run.steps, &run.triangles}) *c /= n;
    if (pass == 0 || run.us < best.us) best = run;
  }
  return best;
}

void add(Run& run, const QueryStats& stats) {
  run.pairs += static_cast<double>(stats.box_tests);
  run.triangles += static_cast<double>(stats.element_tests);
}
void add(Run& run, const HullStats& stats) {
  run.pairs += static_cast<double>(stats.hull_pairs);
  run.searches += static_cast<double>(stats.searches);
  run.steps += static_cast<double>(stats.support_steps);
  run.triangles += static_cast<double>(stats.triangle_pairs);
}

void print(const Scenario& s) {
  const auto ga = Geometry::make_mesh(s.a, MeshFilling::kSurface);
  const auto gb = Geometry::make_mesh(s.b, MeshFilling::kSurface);
  const double start = cpu_seconds();
  const HullTree ha(s.a), hb(s.b);
  const double built = cpu_seconds() - start;
  const auto triangles = static_cast<double>(s.a.triangles.size() + s.b.triangles.size());
  const auto size = [](const HullTree& t) {
    double points = 0;
    for (const auto& n : t.nodes()) points += n.num_points;
    return points;
  };
  std::printf(
      "\n%s: %d and %d patches, %.0f hull points, built in %.1f us and %.0f bytes a triangle\n",
      s.name.c_str(), ha.num_patches(), hb.num_patches(), size(ha) + size(hb),
      1e6 * built / triangles, static_cast<double>(ha.memory() + hb.memory()) / triangles);
  std::printf("%-28s %10s %10s %10s %10s %10s\n", "", "us", "pairs", "searches", "steps",
              "triangles");
  PairWorkspace workspace;
  HullCache cache;
  ElementPair last;
  std::vector<std::pair<std::string, Run>> runs;
  runs.emplace_back("OBB tree", measure(s, [&](const RigidEnclosure& X, Run& run) {
                      const auto r = find_distance(*ga, *gb, X, {}, workspace);
                      add(run, r.stats);
                      return r.distance;
                    }));
  runs.emplace_back("OBB tree, last pair first", measure(s, [&](const RigidEnclosure& X, Run& run) {
                      DistanceOptions options;
                      if (last.a >= 0) {
                        ++run.triangles;
                        const auto d =
                            pair_distance(ga->element(last.a), gb->element(last.b), X, false);
                        options.bound = std::max(0.0, d.distance.hi);
                      }
                      const auto r = find_distance(*ga, *gb, X, options, workspace);
                      add(run, r.stats);
                      if (r.pair.a >= 0) last = r.pair;
                      return Interval{r.distance.lo, std::min(r.distance.hi, options.bound)};
                    }));
  runs.emplace_back("hull tree, from the roots", measure(s, [&](const RigidEnclosure& X, Run& run) {
                      cache.clear();
                      const auto r = hull_distance(ha, hb, X, {}, cache);
                      add(run, r.stats);
                      return r.distance;
                    }));
  runs.emplace_back("hull tree, from the last", measure(s, [&](const RigidEnclosure& X, Run& run) {
                      const auto r = hull_distance(ha, hb, X, {}, cache);
                      add(run, r.stats);
                      return r.distance;
                    }));
#ifdef CATENA_BENCH_FCL
  using Model = fcl::BVHModel<fcl::OBBRSSd>;
  const auto model = [](const Mesh& mesh) {
    auto m = std::make_shared<Model>();
    std::vector<fcl::Triangle> list;
    for (const auto& t : mesh.triangles) {
      list.emplace_back(static_cast<size_t>(t[0]), static_cast<size_t>(t[1]),
                        static_cast<size_t>(t[2]));
    }
    m->beginModel();
    m->addSubModel(mesh.vertices, list);
    m->endModel();
    return m;
  };
  const auto fa = model(s.a), fb = model(s.b);
  runs.emplace_back("FCL, OBBRSS", measure(s, [&](const RigidEnclosure& X, Run&) {
                      fcl::Transform3d T = fcl::Transform3d::Identity();
                      T.linear() = X.X.R;
                      T.translation() = X.X.p;
                      fcl::DistanceRequestd request;
                      fcl::DistanceResultd result;
                      fcl::distance(fa.get(), fcl::Transform3d::Identity(), fb.get(), T, request,
                                    result);
                      // Told without a bound; touching, it may be negative.
                      const double d = std::max(0.0, result.min_distance);
                      return Interval{d - 1e-6, d + 1e-6};
                    }));
#endif
  double least = kInfinity, greatest = 0.0;
  for (const Interval& d : runs.front().second.told) {
    least = std::min(least, d.lo);
    greatest = std::max(greatest, d.hi);
  }
  for (const auto& [name, run] : runs) {
    std::printf("%-28s %10.1f %10.0f %10.1f %10.1f %10.1f", name.c_str(), run.us, run.pairs,
                run.searches, run.steps, run.triangles);
    int otherwise = 0;
    for (size_t k = 0; k < run.told.size(); ++k) {
      const Interval &d = run.told[k], &first = runs.front().second.told[k];
      otherwise += d.lo > first.hi || d.hi < first.lo;
    }
    if (otherwise > 0) std::printf("  %d told otherwise", otherwise);
    std::printf("\n");
  }
  std::printf("distances %.3g to %.3g\n", least, greatest);
  std::fflush(stdout);
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  using namespace catena::bench;
  const std::string folder = argc > 1 ? argv[1] : "", pattern = argc > 2 ? argv[2] : "";
  const auto run = [&](const std::string& name, const std::function<Scenario()>& make) {
    if (name.find(pattern) == std::string::npos) return;
    const Scenario s = make();
    print(s);
  };
  const auto by = [&](const std::string& name, const std::function<std::pair<Mesh, Mesh>()>& make,
                      double near, double far) {
    for (const double gap : {near, far}) {
      char text[32];
      std::snprintf(text, sizeof text, ", gap %g", gap);
      run(name + text, [&] {
        const auto [a, b] = make();
        return passing(name + text, a, b, gap);
      });
    }
  };
  by(
      "spheres, 20,480", [] { return std::pair(sphere(5, 1.0), sphere(5, 1.0)); }, 0.01, 1.0);
  by(
      "tori, 24,500 and 5,000",
      [] { return std::pair(torus(175, 70, 1.0, 0.2, 0.05), torus(50, 50, 0.45, 0.12, 0.05)); },
      0.01, 1.0);
  by(
      "pipes, 140,000", [] { return std::pair(pipes(1), pipes(1)); }, 0.01, 1.0);
  run("threaded", threaded);
  run("nested", nested);
#ifdef CATENA_BENCH_IO
  if (!folder.empty()) {
    const std::string assets = folder + "/data/robots/snake_sim/urdf/assets/";
    run("falling", [&] { return falling(folder + "/data/meshes/pqp"); });
    by(
        "a servo and a bracket",
        [&] {
          return std::pair(catena::io::load_mesh(assets + "mx64.stl"),
                           catena::io::load_mesh(assets + "robot_mount_white_side.stl"));
        },
        1e-3, 0.1);
    by(
        "two caps",
        [&] {
          const auto cap = catena::io::load_mesh(assets + "rx64_cap.stl");
          return std::pair(cap, cap);
        },
        1e-3, 0.1);
  }
#endif
}
