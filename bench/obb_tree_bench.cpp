// The OBBTree paper [Gottschalk1996] measured again: box trees against trees of axis-aligned boxes
// and of spheres over the same splits, under the same recursion; the test of fifteen axes against
// GJK and a linear program; the paper's two scenarios at their sizes; FCL's OBB tree as today's
// rival where it is found.
//
//   obb_tree_bench [--tables] [Google Benchmark's options]
//
// --tables prints the counters and slopes, which do not depend on the machine; without it the
// timings run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <random>
#include <span>
#include <string>

#include <benchmark/benchmark.h>

#include "catena/geometry/pair_distance.hpp"
#include "catena/query/geometry_pairs.hpp"
#include "rivals/linear_program.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/log_log_slope.hpp"
#include "workloads/meshes.hpp"

#ifdef CATENA_BENCH_FCL
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#endif

namespace catena::bench {
namespace {

using GeometryPtr = std::shared_ptr<const Geometry>;
constexpr double kPi = std::numbers::pi;

// ---- The models, at the sizes of the paper's.

struct Scenario {
  std::string name;
  Mesh a, b;
  std::vector<RigidEnclosure> poses;
};

// Two pipe works, one of them turned, moving into and through each other.
Scenario pipes_scenario() {
  Scenario s{"pipes, 140,000 in 140,000", pipes(1), pipes(1), {}};
  for (int k = 0; k < 100; ++k) {
    s.poses.push_back(pose({-0.9 + 0.018 * k, 0.3, 0.1}, {1, 2, 3}, 0.6 + 0.01 * k));
  }
  return s;
}

// A small torus threaded on the tube of a wrinkled one, carried once round it.
Scenario torus_scenario() {
  Scenario s{"torus, 20,000 in 98,000",
             torus(350, 140, 1.0, 0.3, 0.05),
             torus(100, 100, 0.45, 0.12, 0.05),
             {}};
  for (int k = 0; k < 100; ++k) {
    const double u = 2 * kPi * k / 100;
    const RigidEnclosure around = pose(Vector3d::Zero(), Vector3d::UnitZ(), u);
    s.poses.push_back(around * pose({1.02, 0, 0.01}, Vector3d::UnitX(), 0.5 * kPi + 0.1 * u));
  }
  return s;
}

// ---- The rivals: other volumes over the splits of an OBB tree.

enum class Volume { kObb, kAabb, kSphere };
constexpr const char* kNames[] = {"OBB", "AABB", "sphere"};

/// Boxes of one kind for each node of a geometry's tree; a sphere is held as centre and half.x().
std::vector<Obb> volumes_of(const Geometry& g, Volume kind) {
  const auto nodes = g.tree().nodes();
  std::vector<Obb> volumes(nodes.size());
  if (kind == Volume::kObb) {
    for (size_t i = 0; i < nodes.size(); ++i) volumes[i] = nodes[i].box;
    return volumes;
  }
  std::vector<Vector3d> lo(nodes.size()), hi(nodes.size());
  std::vector<std::pair<int, int>> range(nodes.size());  // of leaves, as below
  std::vector<int> leaves;
  // Depth first, so that the elements below a node are a range.
  std::vector<std::pair<int, bool>> stack{{0, false}};
  while (!stack.empty()) {
    const auto [n, done] = stack.back();
    stack.pop_back();
    const auto k = static_cast<size_t>(n);
    const ObbTree::Node& node = nodes[k];
    if (done) {
      const auto l = static_cast<size_t>(node.left);
      lo[k] = lo[l].cwiseMin(lo[l + 1]);
      hi[k] = hi[l].cwiseMax(hi[l + 1]);
      range[k] = {range[l].first, range[l + 1].second};
    } else if (node.left >= 0) {
      stack.push_back({n, true});
      stack.push_back({node.right(), false});
      stack.push_back({node.left, false});
      continue;
    } else {
      const ConvexShape e = g.element(node.element);
      lo[k] = e.corners[0].cwiseMin(e.corners[1]).cwiseMin(e.corners[2]);
      hi[k] = e.corners[0].cwiseMax(e.corners[1]).cwiseMax(e.corners[2]);
      range[k] = {static_cast<int>(leaves.size()), static_cast<int>(leaves.size()) + 1};
      leaves.push_back(node.element);
    }
    volumes[k].center = 0.5 * (lo[k] + hi[k]);
    volumes[k].half = 0.5 * (hi[k] - lo[k]);
    if (kind == Volume::kSphere) {
      // Shrunk onto the vertices: first about the middle, then by Ritter's steps.
      Vector3d c = volumes[k].center;
      double r = 0.0;
      const auto each = [&](const auto& f) {
        for (int i = range[k].first; i < range[k].second; ++i) {
          for (const Vector3d& x : g.element(leaves[static_cast<size_t>(i)]).corners) f(x);
        }
      };
      const auto radius_about = [&](const Vector3d& from) {
        double far = 0.0;
        each([&](const Vector3d& x) { far = std::max(far, (x - from).norm()); });
        return far;
      };
      r = radius_about(c);
      Vector3d moving = c;
      for (int step = 1; step <= 20; ++step) {  // Badoiu and Clarkson: towards the farthest
        Vector3d farthest = moving;
        double far = -1.0;
        each([&](const Vector3d& x) {
          if ((x - moving).norm() > far) {
            far = (x - moving).norm();
            farthest = x;
          }
        });
        if (far < r) {
          r = far;
          c = moving;
        }
        moving += (farthest - moving) / (step + 1);
        if (range[k].second - range[k].first > 20000 && step >= 4) break;
      }
      volumes[k].center = c;
      volumes[k].half = {radius_about(c), 0.0, 0.0};
    }
  }
  return volumes;
}

struct Count {
  std::uint64_t volume_tests = 0, leaf_pairs = 0;
};

/// The recursion of find_contacts with another volume; the larger node is opened first.
Count count_tests(const Geometry& a, const Geometry& b, const std::vector<Obb>& va,
                  const std::vector<Obb>& vb, Volume kind, const RigidEnclosure& X) {
  const auto na = a.tree().nodes(), nb = b.tree().nodes();
  Count count;
  std::vector<std::pair<int, int>> stack;
  const auto push = [&](int i, int j) {
    ++count.volume_tests;
    const Obb &p = va[static_cast<size_t>(i)], &q = vb[static_cast<size_t>(j)];
    const bool overlap = kind == Volume::kSphere
                             ? (X.X * q.center - p.center).norm() <= p.half.x() + q.half.x() + 1e-12
                             : may_overlap(p, q, X);
    if (overlap) stack.push_back({i, j});
  };
  push(0, 0);
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const int la = na[static_cast<size_t>(i)].left, lb = nb[static_cast<size_t>(j)].left;
    if (la < 0 && lb < 0) {
      ++count.leaf_pairs;
    } else if (la >= 0 && (lb < 0 || va[static_cast<size_t>(i)].half.squaredNorm() >=
                                         vb[static_cast<size_t>(j)].half.squaredNorm())) {
      push(la, j);
      push(la + 1, j);
    } else {
      push(i, lb);
      push(i, lb + 1);
    }
  }
  return count;
}

// ---- Tables

/// Figures 5 and 6: volume tests that prove two concentric spheres apart, by the gap between them.
void print_gap_table(int level) {
  const GeometryPtr inner = Geometry::make_mesh(sphere(level, 1.0));
  std::printf("\nConcentric spheres of %d triangles each: volume tests by the gap\n",
              inner->num_elements());
  std::printf("%8s %10s %10s %10s\n", "gap", kNames[0], kNames[1], kNames[2]);
  std::vector<double> gaps;
  std::array<std::vector<double>, 3> counts;
  std::array<std::vector<Obb>, 3> inner_volumes;
  for (size_t k = 0; k < 3; ++k) inner_volumes[k] = volumes_of(*inner, static_cast<Volume>(k));
  for (double gap = 0.64; gap > 0.015; gap *= std::sqrt(0.5)) {
    const GeometryPtr outer = Geometry::make_mesh(sphere(level, 1.0 + gap));
    const RigidEnclosure X = pose(Vector3d::Zero(), {1, 2, 3}, 0.7);
    gaps.push_back(gap);
    std::printf("%8.4f", gap);
    for (size_t k = 0; k < 3; ++k) {
      const auto kind = static_cast<Volume>(k);
      const Count c =
          count_tests(*inner, *outer, inner_volumes[k], volumes_of(*outer, kind), kind, X);
      counts[k].push_back(static_cast<double>(c.volume_tests));
      std::printf(" %10llu%s", static_cast<unsigned long long>(c.volume_tests),
                  c.leaf_pairs > 0 ? "*" : " ");
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  // Where leaves decide (*) a finer mesh would be needed.
  std::printf("%8s", "slope");
  for (size_t k = 0; k < 3; ++k) {
    const size_t half = gaps.size() / 2;
    std::printf(" %10.2f ",
                log_log_slope(std::span(gaps).subspan(half), std::span(counts[k]).subspan(half)));
  }
  std::printf("  (log-log, the smaller half of the gaps)\n");
}

double distance_to_triangle(const Vector3d& p, const std::array<Vector3d, 3>& t) {
  const Vector3d n = (t[1] - t[0]).cross(t[2] - t[0]);
  double nearest = kInfinity;
  bool above = n.squaredNorm() > 0.0;
  for (size_t k = 0; k < 3; ++k) {
    const Vector3d &from = t[k], edge = t[(k + 1) % 3] - from, v = p - from;
    above = above && n.cross(edge).dot(v) >= 0.0;
    const double along = edge.squaredNorm() > 0.0 ? v.dot(edge) / edge.squaredNorm() : 0.0;
    nearest = std::min(nearest, (v - std::clamp(along, 0.0, 1.0) * edge).norm());
  }
  return above ? std::abs(n.normalized().dot(p - t[0])) : nearest;
}

/// Points of a volume: a grid through a box with its faces, or around a ball's surface.
std::vector<Vector3d> sample(const Obb& v, Volume kind) {
  std::vector<Vector3d> points;
  if (kind == Volume::kSphere) {
    points.push_back(v.center);
    for (int k = 0; k < 124; ++k) {
      const double z = 1.0 - (2 * k + 1) / 124.0, r = std::sqrt(1.0 - z * z), u = 2.39996323 * k;
      points.push_back(v.center + v.half.x() * Vector3d(r * std::cos(u), r * std::sin(u), z));
    }
    return points;
  }
  for (int k = 0; k < 125; ++k) {
    const Vector3d at(0.5 * (k % 5) - 1.0, 0.5 * (k / 5 % 5) - 1.0, 0.5 * (k / 25) - 1.0);
    points.push_back(v.center + v.axes * v.half.cwiseProduct(at));
  }
  return points;
}

/// Figure 9, by level, means of at most 64 nodes: tightness, the farthest that any point of a
/// volume is from what it holds (of 125 points), over the diameter of that; and how thick the
/// volume is along the mean normal of what it holds, over its own diameter.
void print_tightness(const char* name, const GeometryPtr& g) {
  const auto nodes = g->tree().nodes();
  std::vector<int> depth(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].left < 0) continue;
    depth[static_cast<size_t>(nodes[i].left)] = depth[static_cast<size_t>(nodes[i].right())] =
        depth[i] + 1;
  }
  const auto triangles_below = [&](int node) {
    std::vector<std::array<Vector3d, 3>> triangles;
    std::vector<int> stack{node};
    while (!stack.empty()) {
      const ObbTree::Node& n = nodes[static_cast<size_t>(stack.back())];
      stack.pop_back();
      if (n.left >= 0) {
        stack.insert(stack.end(), {n.left, n.right()});
      } else {
        const ConvexShape e = g->element(n.element);
        triangles.push_back({e.corners[0], e.corners[1], e.corners[2]});
      }
    }
    return triangles;
  };
  std::printf("\n%s, %d triangles: tightness, thickness by level\n", name, g->num_elements());
  std::printf("%6s %10s %18s %18s %18s\n", "level", "diameter", kNames[0], kNames[1], kNames[2]);
  std::array<std::vector<Obb>, 3> volumes;
  for (size_t k = 0; k < 3; ++k) volumes[k] = volumes_of(*g, static_cast<Volume>(k));
  const int deepest = *std::max_element(depth.begin(), depth.end());
  for (int level = 0; level <= std::min(14, deepest - 2); level += 2) {
    std::vector<int> at_level;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (depth[i] == level && nodes[i].left >= 0) at_level.push_back(static_cast<int>(i));
    }
    const size_t stride = 1 + at_level.size() / 64;
    double diameters = 0, n = 0;
    std::array<double, 3> tightness{}, thickness{};
    for (size_t i = 0; i < at_level.size(); i += stride) {
      const auto triangles = triangles_below(at_level[i]);
      // From the farthest point to the one farthest from that, three times: nearly the diameter.
      Vector3d from = triangles[0][0];
      double diameter = 0;
      for (int sweep = 0; sweep < 3; ++sweep) {
        Vector3d farthest = from;
        for (const auto& t : triangles) {
          for (const Vector3d& x : t) {
            if ((x - from).norm() > (farthest - from).norm()) farthest = x;
          }
        }
        diameter = std::max(diameter, (farthest - from).norm());
        from = farthest;
      }
      Vector3d normal = Vector3d::Zero();
      for (const auto& t : triangles) normal += (t[1] - t[0]).cross(t[2] - t[0]);
      normal.normalize();
      diameters += diameter;
      n += 1;
      for (size_t k = 0; k < 3; ++k) {
        const auto kind = static_cast<Volume>(k);
        double farthest = 0;
        for (const Vector3d& p : sample(volumes[k][static_cast<size_t>(at_level[i])], kind)) {
          double nearest = kInfinity;
          for (const auto& t : triangles) {
            nearest = std::min(nearest, distance_to_triangle(p, t));
            if (nearest <= farthest) break;
          }
          farthest = std::max(farthest, nearest);
        }
        const Obb& v = volumes[k][static_cast<size_t>(at_level[i])];
        tightness[k] += farthest / diameter;
        thickness[k] += kind == Volume::kSphere
                            ? 1.0
                            : v.half.dot((v.axes.transpose() * normal).cwiseAbs()) / v.half.norm();
      }
    }
    std::printf("%6d %10.2e", level, diameters / n);
    for (size_t k = 0; k < 3; ++k)
      std::printf("      %.3f  %.4f", tightness[k] / n, thickness[k] / n);
    std::printf("\n");
    std::fflush(stdout);
  }
}

constexpr ObbTreeOptions kOptions[] = {
    {ObbTreeOptions::Fit::kVertices, ObbTreeOptions::Split::kMean},
    {ObbTreeOptions::Fit::kHullVertices, ObbTreeOptions::Split::kMean},
    {ObbTreeOptions::Fit::kHullSurface, ObbTreeOptions::Split::kMean},
    {ObbTreeOptions::Fit::kVertices, ObbTreeOptions::Split::kMedian},
    {ObbTreeOptions::Fit::kHullVertices, ObbTreeOptions::Split::kMedian},
    {ObbTreeOptions::Fit::kHullSurface, ObbTreeOptions::Split::kMedian}};
constexpr const char* kOptionNames[] = {"vertices, mean",        "hull vertices, mean",
                                        "hull surface, mean",    "vertices, median",
                                        "hull vertices, median", "hull surface, median"};

GeometryPtr geometry_of(const Mesh& mesh, const ObbTreeOptions& options = {}) {
  return Geometry::make_mesh(mesh, MeshFilling::kSurface, 0.0, options);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Which fit and which split: box tests of all contacts and of distances, and the build's time.
void print_options_table() {
  std::vector<Scenario> scenarios{pipes_scenario(), torus_scenario()};
  Scenario nested{"spheres, 20,480 in 20,480, gap 0.02", sphere(5, 1.0), sphere(5, 1.02), {}};
  for (int k = 0; k < 5; ++k) nested.poses.push_back(pose(Vector3d::Zero(), {1, 2, 3}, 0.7 * k));
  scenarios.push_back(nested);
  for (const Scenario& s : scenarios) {
    std::printf("\n%s: box tests a pose, by how the trees are built\n", s.name.c_str());
    std::printf("%-22s %12s %12s %12s %9s\n", "", "contacts", "first", "distance", "build s");
    for (size_t o = 0; o < std::size(kOptions); ++o) {
      const auto start = std::chrono::steady_clock::now();
      const GeometryPtr a = geometry_of(s.a, kOptions[o]), b = geometry_of(s.b, kOptions[o]);
      const double built = seconds_since(start);
      PairWorkspace workspace;
      ContactResult r;
      double all = 0, first = 0, distance = 0, n = 0;
      for (size_t k = 0; k<s.poses.size(); k += s.poses.size()> 20 ? 5 : 1) {
        find_contacts(*a, *b, s.poses[k], {}, workspace, r);
        all += static_cast<double>(r.stats.box_tests);
        find_contacts(*a, *b, s.poses[k], {0.0, 1}, workspace, r);
        first += static_cast<double>(r.stats.box_tests);
        const RigidEnclosure away =
            RigidEnclosure::translation({0.0, 0.0, s.a.triangles.size() > 90000 ? 1.1 : 0.0}) *
            s.poses[k];
        distance += static_cast<double>(
            find_distance(*a, *b, away, {kInfinity, 1e-6}, workspace).stats.box_tests);
        n += 1;
      }
      std::printf("%-22s %12.0f %12.0f %12.0f %9.2f\n", kOptionNames[o], all / n, first / n,
                  distance / n, built);
      std::fflush(stdout);
    }
  }
}

#ifdef CATENA_BENCH_FCL
using FclModel = fcl::BVHModel<fcl::OBBd>;

std::shared_ptr<FclModel> fcl_model(const Mesh& mesh) {
  auto model = std::make_shared<FclModel>();
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh.triangles) {
    triangles.emplace_back(static_cast<size_t>(t[0]), static_cast<size_t>(t[1]),
                           static_cast<size_t>(t[2]));
  }
  model->beginModel();
  model->addSubModel(mesh.vertices, triangles);
  model->endModel();
  return model;
}

size_t fcl_contacts(const FclModel& a, const FclModel& b, const RigidEnclosure& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.X.R;
  T.translation() = X.X.p;
  fcl::CollisionRequestd request(100'000'000, false);
  fcl::CollisionResultd result;
  fcl::collide(&a, fcl::Transform3d::Identity(), &b, T, request, result);
  return result.numContacts();
}
#endif

/// Table 3: every contact at every pose.
void print_scenarios() {
  for (const Scenario& s : {pipes_scenario(), torus_scenario()}) {
    const GeometryPtr a = geometry_of(s.a), b = geometry_of(s.b);
    PairWorkspace workspace;
    ContactResult r;
    double contacts = 0, undecided = 0, boxes = 0, leaves = 0;
    const auto n = static_cast<double>(s.poses.size());
    find_contacts(*a, *b, s.poses[0], {}, workspace, r);
    const auto start = std::chrono::steady_clock::now();
    for (const RigidEnclosure& X : s.poses) {
      find_contacts(*a, *b, X, {}, workspace, r);
      contacts += static_cast<double>(r.contacts.size());
      undecided += static_cast<double>(r.undecided.size());
      boxes += static_cast<double>(r.stats.box_tests);
      leaves += static_cast<double>(r.stats.element_tests);
    }
    const double ms = 1e3 * seconds_since(start) / n;
    std::printf(
        "\n%s, %.0f poses, a pose: %.1f contacts, %.2f undecided, %.0f box tests, "
        "%.0f triangle tests, %.2f ms\n",
        s.name.c_str(), n, contacts / n, undecided / n, boxes / n, leaves / n, ms);
    for (const Volume kind : {Volume::kObb, Volume::kAabb, Volume::kSphere}) {
      const auto va = volumes_of(*a, kind), vb = volumes_of(*b, kind);
      double tests = 0, pairs = 0, poses = 0;
      const auto begin = std::chrono::steady_clock::now();
      for (size_t k = 0; k < s.poses.size(); k += 10) {
        const Count c = count_tests(*a, *b, va, vb, kind, s.poses[k]);
        tests += static_cast<double>(c.volume_tests);
        pairs += static_cast<double>(c.leaf_pairs);
        poses += 1;
      }
      std::printf(
          "  %-6s tree, same splits: %10.0f volume tests, %9.0f leaf pairs, %8.2f ms "
          "(without triangle tests)\n",
          kNames[static_cast<size_t>(kind)], tests / poses, pairs / poses,
          1e3 * seconds_since(begin) / poses);
    }
#ifdef CATENA_BENCH_FCL
    const auto fa = fcl_model(s.a), fb = fcl_model(s.b);
    fcl_contacts(*fa, *fb, s.poses[0]);
    const auto begin = std::chrono::steady_clock::now();
    double found = 0;
    for (const RigidEnclosure& X : s.poses) {
      found += static_cast<double>(fcl_contacts(*fa, *fb, X));
    }
    const double fcl_ms = 1e3 * seconds_since(begin) / n;
    std::printf("  FCL's OBB tree: %.1f contacts, %.2f ms; Catena takes %.2f of that\n", found / n,
                fcl_ms, ms / fcl_ms);
#endif
    std::fflush(stdout);
  }
}

// A sheet of 2 n^2 triangles over the square of side 2, turned about the vertical.
Mesh sheet(int n, double side, double turn) {
  Mesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double u = side * (i - 0.5 * n) / n, v = side * (j - 0.5 * n) / n;
      const double x = std::cos(turn) * u - std::sin(turn) * v;
      const double y = std::sin(turn) * u + std::cos(turn) * v;
      mesh.vertices.push_back({x, y, 0.05 * (std::sin(3 * x + 1) + std::cos(4 * y))});
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int at = i * (n + 1) + j, below = at + n + 1;
      mesh.triangles.push_back({at, below, at + 1});
      mesh.triangles.push_back({at + 1, below, below + 1});
    }
  }
  return mesh;
}

/// The least CPU time of three calls [ms].
template <class F>
double milliseconds(const F& f) {
  double least = kInfinity;
  for (int k = 0; k < 3; ++k) {
    const double start = cpu_seconds();
    f();
    least = std::min(least, 1e3 * (cpu_seconds() - start));
  }
  return least;
}

/// Two surfaces that match all over an area, lowered one onto the other until they rest in contact.
void print_resting_contact() {
  // One surface, two meshes of it; the upper one modelled in a frame of its own.
  const RigidEnclosure rest = pose({0.3, -0.2, 0.1}, {1, 2, 3}, 0.7);
  Mesh lower = sheet(200, 2.0, 0.0), upper = sheet(200, 1.2, 0.5);
  for (Vector3d& v : upper.vertices) v = rest.X.inverse() * v;
  const GeometryPtr a = geometry_of(lower), b = geometry_of(upper);
  std::printf("\nTwo matching sheets, %d triangles each, by the gap between them\n",
              a->num_elements());
  std::printf("%8s %9s %9s | %-17s", "gap", "contacts", "undecided", "Catena: tests, ms");
  for (const char* name : kNames) std::printf(" | %s: tests, leaf pairs, ms", name);
  std::printf(" | FCL: contacts, ms\n");
  std::array<std::array<std::vector<Obb>, 2>, 3> volumes;
  for (size_t k = 0; k < 3; ++k) {
    volumes[k] = {volumes_of(*a, static_cast<Volume>(k)), volumes_of(*b, static_cast<Volume>(k))};
  }
#ifdef CATENA_BENCH_FCL
  const auto fa = fcl_model(lower), fb = fcl_model(upper);
#endif
  PairWorkspace workspace;
  ContactResult r;
  for (const double gap : {0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 0.0}) {
    const RigidEnclosure X = RigidEnclosure::translation({0.0, 0.0, gap}) * rest;
    const double ms = milliseconds([&] { find_contacts(*a, *b, X, {}, workspace, r); });
    std::printf("%8.0e %9zu %9zu | %9llu %7.2f", gap, r.contacts.size(), r.undecided.size(),
                static_cast<unsigned long long>(r.stats.box_tests), ms);
    for (size_t k = 0; k < 3; ++k) {
      Count c;
      const double count_ms = milliseconds([&] {
        c = count_tests(*a, *b, volumes[k][0], volumes[k][1], static_cast<Volume>(k), X);
      });
      std::printf(" | %9llu %9llu %7.2f", static_cast<unsigned long long>(c.volume_tests),
                  static_cast<unsigned long long>(c.leaf_pairs), count_ms);
    }
#ifdef CATENA_BENCH_FCL
    size_t found = 0;
    const double fcl_ms = milliseconds([&] { found = fcl_contacts(*fa, *fb, X); });
    std::printf(" | %9zu %7.2f", found, fcl_ms);
#endif
    std::printf("\n");
    std::fflush(stdout);
  }
}

// ---- Timings

/// Table 2: are two boxes apart? Pairs of random boxes, about half of them overlapping.
struct BoxPairs {
  std::vector<Obb> a, b;
  std::vector<RigidEnclosure> X;
  BoxPairs() {
    std::mt19937_64 rng(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&] { return Vector3d(uniform(rng), uniform(rng), uniform(rng)); };
    for (int i = 0; i < 1024; ++i) {
      Obb box;
      box.half = vector().cwiseAbs();
      a.push_back(box);
      box.half = vector().cwiseAbs();
      b.push_back(box);
      X.push_back(pose(1.5 * vector(), vector(), 3.0 * uniform(rng)));
    }
  }
};

template <class F>
void run_pairs(benchmark::State& state, const F& apart) {
  static const BoxPairs pairs;
  for (size_t i = 0; i < pairs.a.size(); ++i) {
    const bool expected = separate(pairs.a[i], pairs.b[i], pairs.X[i]).gap > 0.0;
    if (apart(pairs.a[i], pairs.b[i], pairs.X[i]) != expected) {
      state.SkipWithError(("answers otherwise: pair " + std::to_string(i)).c_str());
      return;
    }
  }
  size_t i = 0;
  double found = 0, tests = 0;
  for (auto _ : state) {
    const bool is_apart = apart(pairs.a[i], pairs.b[i], pairs.X[i]);
    benchmark::DoNotOptimize(is_apart);
    found += is_apart;
    tests += 1;
    i = (i + 1) % pairs.a.size();
  }
  state.counters["apart"] = found / tests;
}

void BM_MayOverlap(benchmark::State& state) {
  run_pairs(state, [](const Obb& a, const Obb& b, const RigidEnclosure& X) {
    return !may_overlap(a, b, X);
  });
}
BENCHMARK(BM_MayOverlap);

void BM_SeparateBestAxis(benchmark::State& state) {
  run_pairs(state, [](const Obb& a, const Obb& b, const RigidEnclosure& X) {
    return separate(a, b, X, 0.0).gap > 0.0;
  });
}
BENCHMARK(BM_SeparateBestAxis);

void BM_LinearProgram(benchmark::State& state) {
  run_pairs(state, [](const Obb& a, const Obb& b, const RigidEnclosure& X) {
    static SplitMix64 random(1);
    return boxes_share_no_point(a.half, b.half, X.X.R, X.X.p, random);
  });
}
BENCHMARK(BM_LinearProgram);

void BM_Gjk(benchmark::State& state) {
  run_pairs(state, [](const Obb& a, const Obb& b, const RigidEnclosure& X) {
    ConvexShape ea, eb;
    ea.core = eb.core = ConvexShape::Core::kBox;
    ea.half = a.half;
    eb.half = b.half;
    return pair_distance(ea, eb, X, false, 0.0).distance.lo > 0.0;
  });
}
BENCHMARK(BM_Gjk);

#ifdef CATENA_BENCH_FCL
void BM_FclObb(benchmark::State& state) {
  run_pairs(state, [](const Obb& a, const Obb& b, const RigidEnclosure& X) {
    fcl::OBBd fa, fb;
    fa.axis.setIdentity();
    fb.axis.setIdentity();
    fa.To.setZero();
    fb.To.setZero();
    fa.extent = a.half;
    fb.extent = b.half;
    return !fcl::overlap(X.X.R, X.X.p, fa, fb);
  });
}
BENCHMARK(BM_FclObb);
#endif

void BM_Build(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const int k = static_cast<int>(std::sqrt(n / 2.0));
  const Mesh mesh = torus(k, k, 1.0, 0.3, 0.05);
  for (auto _ : state) {
    const ObbTree tree(mesh.vertices, mesh.triangles, 0.0,
                       kOptions[static_cast<size_t>(state.range(1))]);
    benchmark::DoNotOptimize(tree.nodes().data());
  }
  const auto triangles = static_cast<double>(mesh.triangles.size());
  state.counters["triangles"] = triangles;
  state.counters["a_triangle"] = benchmark::Counter(
      triangles, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Build)
    ->ArgNames({"triangles", "options"})
    ->Args({10'000, 0})
    ->Args({100'000, 0})
    ->Args({1'000'000, 0})
    ->Args({100'000, 1})
    ->Args({100'000, 2})
    ->Args({1'000'000, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--tables") != 0) continue;
    using namespace catena::bench;
    print_scenarios();
    print_resting_contact();
    print_options_table();
    print_tightness("Sphere", geometry_of(sphere(6, 1.0)));
    print_tightness("Wrinkled torus", geometry_of(torus(350, 140, 1.0, 0.3, 0.05)));
    print_gap_table(7);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
