// Checks the engine's verdicts on many edges against an oracle that shares no code with it.
//
//   soundness --edges N [--seed S] [--robot NAME] [--state FILE] [--splines] [--verbose]
//
// Edge k depends on the seed and k alone, so that any one can be repeated with --only K, and a run
// that was cut short goes on from --state FILE. With --splines every motion is one. Exit
// status 0 if no verdict was wrong.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <tuple>

#include "catena/query/continuous.hpp"
#include "soundness/campaign.hpp"
#include "soundness/contradiction.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena::oracle {
namespace {

struct Arguments {
  std::uint64_t edges = 2000;
  std::uint64_t seed = 1;
  std::string robot;  // all of them if empty
  std::string state;
  bool splines = false;
  std::int64_t only = -1;
  bool verbose = false;
};

struct Edge {
  std::string robot_name, kind;
  SceneSpec scene;
  std::vector<double> q0, q1;
  std::optional<SplineSpec> spline;  // its motion, if it is not straight
  double clearance = 0.0;

  void tell(EdgeOracle& oracle) const {
    if (spline) {
      oracle.set_spline(*spline);
    } else {
      oracle.set_motion(q0, q1);
    }
  }
};

using test::uniform;

Vec3 random_direction(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Vec3 d;
  do d = {normal(rng), normal(rng), normal(rng)};
  while (norm(d) < 0.1L);
  return (1 / norm(d)) * d;
}

/// A small obstacle of any kind, about the origin, of size 1 or so times `size`.
ShapeSpec random_obstacle(double size, std::mt19937_64& rng) {
  const auto triangle = [](std::array<double, 3> a, std::array<double, 3> b,
                           std::array<double, 3> c) {
    ShapeSpec s;
    s.kind = ShapeSpec::Kind::kMesh;
    s.vertices = {a, b, c};
    s.triangles = {{0, 1, 2}};
    return s;
  };
  switch (rng() % 10) {
    case 0:
      return box({size, 2 * size, 0.5 * size}).shape;
    case 1:
      return box({2 * size, 2 * size, 1e-4 * size}).shape;  // a plate
    case 2:
      return capsule(0.3 * size, 2 * size).shape;
    case 3:
      return cylinder(size, size).shape;
    case 4:
      return cylinder(0.05 * size, 3 * size).shape;
    case 5:
      return cone(size, 2 * size).shape;
    case 6:
      return tetrahedron_mesh(size);
    case 7:
      return triangle({size, 0, 0}, {-size, 0.5 * size, 0}, {0, -size, 0.3 * size});
    case 8:  // a needle
      return triangle({-size, 0, 0}, {size, 0, 0}, {0, 1e-5 * size, 0});
    default:
      return sphere(size).shape;
  }
}

/// The least gap between an object and what the robot sweeps, looked for by samples and descent: an
/// upper bound. Then where: the time, and the points.
struct Approach {
  Real gap = 1e9L, t = 0;
  Vec3 a, b;
};
Approach nearest_approach(const RobotSpec& robot, const Edge& edge, const PlacedSpec& object) {
  SceneSpec scene;
  scene.objects.push_back({"object", {object}});
  RobotSpec alone = robot;
  for (size_t i = 0; i < robot.links.size(); ++i)
    for (size_t j = i + 1; j < robot.links.size(); ++j)
      alone.disabled.push_back({robot.links[i].name, robot.links[j].name});
  EdgeOracle oracle(alone, scene);
  edge.tell(oracle);
  // The lowest samples lead to the nearest approach, or close to it.
  struct Start {
    Real gap, t;
    int pair;
  };
  std::vector<Start> starts;
  for (int i = 0; i <= 24; ++i) {
    Start start{0, Real(i) / 24, -1};
    start.gap = oracle.smallest_gap_at(start.t, &start.pair).hi;
    if (start.pair >= 0) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end(),
            [](const Start& s, const Start& t) { return s.gap < t.gap; });
  if (starts.size() > 4) starts.resize(4);
  Approach best;
  int which = -1;
  for (const Start& start : starts) {
    const auto [low, when] = oracle.descend(start.pair, start.t, 1.0L / 48, best.gap, 1e-5L);
    if (low < best.gap) {
      best.gap = low;
      best.t = when;
      which = start.pair;
    }
  }
  if (which >= 0) {
    std::tie(best.gap, best.t) = oracle.descend(which, best.t, 1e-5L);
    const Gap g = oracle.gap_at(which, best.t);
    best.a = g.a;
    best.b = g.b;
  }
  return best;
}

void move_by(PlacedSpec& object, const Vec3& shift) {
  object.pose.xyz[0] = double(object.pose.xyz[0] + shift.x);
  object.pose.xyz[1] = double(object.pose.xyz[1] + shift.y);
  object.pose.xyz[2] = double(object.pose.xyz[2] + shift.z);
}

/// Edge number k of the run, a function of the seed and k alone.
Edge make_edge(const Arguments& arguments, std::uint64_t k, std::string& note) {
  std::mt19937_64 rng(arguments.seed * 0x9E3779B97F4A7C15ULL + k);
  const auto names = robot_names();
  Edge edge;
  edge.robot_name = arguments.robot.empty() ? names[k % names.size()] : arguments.robot;
  const RobotSpec robot = make_robot_spec(edge.robot_name);
  const double reach = reach_of(edge.robot_name);
  edge.scene = random_scene(reach, rng);
  // Motions of every size; starts that are free where a few tries find one.
  const double share = std::array{0.02, 0.1, 0.3, 1.0}[rng() % 4];
  if (uniform(rng, 0, 1) < 0.12) edge.clearance = uniform(rng, 0.0, 0.05);
  EdgeOracle oracle(robot, edge.scene, edge.clearance);
  const int tries = uniform(rng, 0, 1) < 0.85 ? 30 : 1;
  for (int i = 0; i < tries; ++i) {
    edge.q0 = random_configuration(robot, rng);
    oracle.set_motion(edge.q0, edge.q0);
    if (oracle.smallest_gap_at(0).hi > 0) break;
  }
  edge.q1 = uniform(rng, 0, 1) < 0.02 ? edge.q0 : nearby_configuration(robot, edge.q0, share, rng);
  if (arguments.splines) {
    edge.spline = random_spline(robot, edge.q0, edge.q1, rng);
    edge.q1 = edge.spline->q1;
  }
  edge.kind = "random";
  const int kind = static_cast<int>(rng() % 4);
  if (kind == 0 || (kind == 3 && edge.spline)) return edge;
  edge.tell(oracle);
  char text[200];
  const double margin =
      std::array{1e-3, 1e-4, 1e-5, 2e-6, 1e-6, -1e-6, -2e-6, -1e-5, -1e-4}[rng() % 9];
  if (kind == 3) {
    // Cut short where it first touches, or a little before or after: with itself as well.
    const Truth truth = oracle.judge(3000);
    if (truth.kind != Truth::Kind::kContact || truth.t_hit < 0.01L) return edge;
    edge.kind = "cut short";
    const double t = std::min(1.0, double(truth.t_hit) - margin);
    const auto model = make_robot(robot);
    Eigen::VectorXd q(model->num_positions());
    interpolate(*model, positions(*model, robot, edge.q0), positions(*model, robot, edge.q1), t, q);
    edge.q1 = values(*model, robot, q);
    std::snprintf(text, sizeof text, "cut %.3g before its contact", margin);
    note = text;
    return edge;
  }
  // Plant an obstacle at a point of the robot: `kind` 1 outside what is swept, by a known margin; 2
  // through it, at a known time.
  const Real at = uniform(rng, 0, 1);
  int geometry = 0;
  for (int i = 0; i < 20; ++i) {
    geometry = static_cast<int>(rng() % static_cast<std::uint64_t>(oracle.num_geometries()));
    if (oracle.link_of(geometry) > 0) break;
  }
  const Vec3 direction = random_direction(rng);
  const Vec3 surface = oracle.point_of(geometry, at, direction);
  const double size = std::exp(uniform(rng, std::log(1e-4), std::log(0.1)));
  PlacedSpec object{random_obstacle(size, rng), {}};
  for (double& angle : object.pose.rpy) angle = uniform(rng, -3, 3);
  if (kind == 2) {
    edge.kind = "planted";
    const double sink = uniform(rng, -0.9, 0.9) * size;
    move_by(object, surface + Real(sink) * direction);
    std::snprintf(text, sizeof text, "obstacle of size %.3g planted at t=%.6f", size, double(at));
  } else {
    edge.kind = "near miss";
    move_by(object, surface + Real(2 * size + uniform(rng, 0.01, 0.2)) * direction);
    Approach nearest;
    for (int i = 0; i < 4; ++i) {
      nearest = nearest_approach(robot, edge, object);
      const Real wanted = margin + edge.clearance;
      if (std::abs(nearest.gap - wanted) < 0.1L * std::abs(Real(margin))) break;
      if (margin < 0 && nearest.gap <= 0) break;  // it overlaps, by a margin or so
      const Vec3 ab = nearest.b - nearest.a;
      const Real length = norm(ab);
      move_by(object, length > 0 && nearest.gap > 0 ? ((wanted - nearest.gap) / length) * ab
                                                    : Real(0.1) * direction);
    }
    std::snprintf(text, sizeof text, "obstacle of size %.3g with margin %.3g at t=%.6f", size,
                  margin, double(nearest.t));
  }
  edge.scene.objects.push_back({"planted", {object}});
  note = text;
  return edge;
}

SplineSpec reversed(const SplineSpec& spline) {
  SplineSpec back{spline.q1, spline.q0, spline.v1,      spline.v0,
                  spline.a1, spline.a0, spline.duration};
  for (double& v : back.v0) v = -v;
  for (double& v : back.v1) v = -v;
  return back;
}

struct Judge {
  const Arguments& arguments;
  Counters& counters;
  std::uint64_t k = 0;
  std::string note;

  void fail(const std::string& what, const Edge& edge, const std::string& details) {
    ++counters["WRONG: " + what];
    std::fprintf(stderr, "WRONG %s: edge %llu (%s, %s; %s) %s\n", what.c_str(),
                 static_cast<unsigned long long>(k), edge.robot_name.c_str(), edge.kind.c_str(),
                 note.c_str(), details.c_str());
  }

  void state(const CollisionWorld& world, const Eigen::VectorXd& q, Workspace& workspace,
             const Edge& edge, EdgeOracle& oracle, Real t) {
    QueryOptions options;
    options.clearance = edge.clearance;
    options.distances = true;
    const StateResult result = check_state(world, q, options, workspace);
    int pair = -1;
    Gap truth = oracle.smallest_gap_at(t, &pair);
    truth.lo += edge.clearance;
    truth.hi += edge.clearance;
    ++counters[std::string("states ") + name_of(result.verdict)];
    std::ostringstream s;
    s.precision(17);
    s << "t " << t << " oracle [" << truth.lo << ", " << truth.hi << "] verdict "
      << name_of(result.verdict);
    if (result.distance)
      s << " distance [" << result.distance->lo << ", " << result.distance->hi << "]";
    if (pair >= 0) {
      const auto& p = oracle.pairs()[size_t(pair)];
      s << " (" << oracle.name(p.a) << ", " << oracle.name(p.b) << ")";
    }
    if (const char* what = contradiction(result.verdict, result.distance, truth, edge.clearance))
      fail(std::string("state ") + what, edge, s.str());
  }

  void run(const Edge& edge) {
    const RobotSpec spec = make_robot_spec(edge.robot_name);
    const auto robot = make_robot(spec);
    const auto scene = make_scene(edge.scene);
    const CollisionWorld world(robot, scene);
    Workspace workspace(world);
    const Eigen::VectorXd q0 = positions(*robot, spec, edge.q0),
                          q1 = positions(*robot, spec, edge.q1);
    QueryOptions options;
    options.clearance = edge.clearance;
    const auto start = std::chrono::steady_clock::now();
    const Motion motion =
        edge.spline ? make_motion(*robot, spec, *edge.spline) : Motion(*robot, q0, q1);
    const MotionResult result = check_motion(world, motion, options, workspace);
    const auto middle = std::chrono::steady_clock::now();

    EdgeOracle oracle(spec, edge.scene, edge.clearance);
    edge.tell(oracle);
    if (static_cast<std::int64_t>(oracle.pairs().size()) != world.num_geometry_pairs())
      fail("pair count", edge,
           std::to_string(oracle.pairs().size()) + " not " +
               std::to_string(world.num_geometry_pairs()));
    const Truth truth = oracle.judge();
    compare(edge, result, truth, oracle, world);
    state(world, q0, workspace, edge, oracle, 0);
    state(world, q1, workspace, edge, oracle, 1);

    // The same edge from the other end must not say the contrary.
    if (k % 4 == 0) {
      const Motion back =
          edge.spline ? make_motion(*robot, spec, reversed(*edge.spline)) : Motion(*robot, q1, q0);
      const MotionResult reversed = check_motion(world, back, options, workspace);
      const bool contrary =
          (reversed.verdict == Verdict::kFree && result.verdict == Verdict::kCollision) ||
          (reversed.verdict == Verdict::kCollision && result.verdict == Verdict::kFree);
      if (contrary) fail("reversed edge", edge, name_of(reversed.verdict));
    }
    // Distances over the motion.
    if (k % 4 == 1 && result.verdict == Verdict::kFree && !oracle.pairs().empty()) {
      options.distances = true;
      const MotionResult measured = check_motion(world, motion, options, workspace);
      std::ostringstream s;
      s.precision(17);
      if (measured.distance) {
        s << "distance [" << measured.distance->lo << ", " << measured.distance->hi << "]";
        const auto [sampled, when] =
            oracle.descend(truth.pair < 0 ? 0 : truth.pair, truth.t_min, 0.01L);
        const Real smallest = std::min(sampled, truth.min_gap) + edge.clearance;
        s << " sampled " << smallest << " at " << when;
        if (Real(measured.distance->lo) > smallest + 1e-14L) fail("motion distance", edge, s.str());
        if (measured.distance->hi - measured.distance->lo > 1.001e-5)
          fail("motion distance too wide", edge, s.str());
        ++counters["motion distances"];
      } else if (measured.verdict == Verdict::kFree) {
        fail("motion distance missing", edge, "");
      }
    }
    const auto end = std::chrono::steady_clock::now();
    counters["microseconds engine"] += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(middle - start).count());
    counters["microseconds oracle"] += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(end - middle).count());
  }

  void compare(const Edge& edge, const MotionResult& result, const Truth& truth, EdgeOracle& oracle,
               const CollisionWorld& world) {
    const Real eps = 1e-15L;
    std::ostringstream s;
    s.precision(17);
    s << "verdict " << name_of(result.verdict) << " free_until " << result.free_until << " contact "
      << (result.contact ? *result.contact : -1.0) << "; oracle "
      << (truth.kind == Truth::Kind::kFree      ? "free"
          : truth.kind == Truth::Kind::kContact ? "contact"
                                                : "band")
      << " t_free " << truth.t_free << " t_hit " << truth.t_hit << " min_gap " << truth.min_gap
      << " at " << truth.t_min;
    if (truth.pair >= 0) {
      const auto& p = oracle.pairs()[size_t(truth.pair)];
      s << " (" << oracle.name(p.a) << ", " << oracle.name(p.b) << ")";
    }
    if (result.witness.a.valid())
      s << " engine pair (" << world.body(result.witness.a).name << ", "
        << world.body(result.witness.b).name << ")";
    const std::string details = s.str();
    if (arguments.verbose)
      std::fprintf(stderr, "edge %llu %s %s: %s; %s\n", static_cast<unsigned long long>(k),
                   edge.robot_name.c_str(), edge.kind.c_str(), details.c_str(), note.c_str());
    const char* kinds[] = {"free", "contact", "band"};
    ++counters[edge.kind + ": engine " + name_of(result.verdict) + ", oracle " +
               kinds[static_cast<int>(truth.kind)]];
    ++counters["robot " + edge.robot_name];

    const Real free_until = result.free_until;
    switch (result.verdict) {
      case Verdict::kFree: {
        if (result.free_until != 1.0 || result.contact)
          fail("free but not to the end", edge, details);
        if (truth.kind == Truth::Kind::kContact) fail("FALSE FREE", edge, details);
        // The adversary: go down from the nearest approach that is known, and from all over.
        const int starts = truth.kind == Truth::Kind::kFree && k % 8 != 0 ? 2 : 32;
        for (int i = 0; i <= starts; ++i) {
          int pair = -1;
          const Real t = i == 0 ? truth.t_min : (Real(i) - 0.5L) / starts;
          oracle.smallest_gap_at(t, &pair);
          if (pair < 0) break;
          const auto [low, when] = oracle.descend(pair, t, 0.04L, 0);
          if (low <= 0) {
            fail("FALSE FREE (descent)", edge, details);
            break;
          }
        }
        break;
      }
      case Verdict::kCollision: {
        if (!result.contact) {
          fail("collision without contact", edge, details);
          break;
        }
        const Real contact = *result.contact;
        if (!(contact >= 0 && contact <= 1)) fail("contact outside [0, 1]", edge, details);
        const Gap at = oracle.smallest_gap_at(contact);
        if (at.lo > eps)
          fail("FALSE COLLISION", edge, details + " gap there " + std::to_string(double(at.lo)));
        if (truth.kind == Truth::Kind::kFree) fail("FALSE COLLISION (certified)", edge, details);
        if (result.free_until > contact) fail("free_until after contact", edge, details);
        if (truth.t_free > contact + 1e-12L) fail("contact before first contact", edge, details);
        // Closeness of the brackets where the approach is not grazing.
        if (truth.kind == Truth::Kind::kContact) {
          // Between the two lies the first contact, so far as engine and oracle know.
          const Real first = std::min(truth.t_hit, contact);
          if (first - free_until > 1.001e-6L) {
            // A contact that grazes: the gap is next to nothing for longer than that. Where round
            // shapes touch, the oracle's bracket is wide at some times, and narrow next to them.
            Real gap_there = free_until > 0 ? oracle.smallest_gap_at(free_until).hi : Real(1);
            for (int i = 1; i <= 8 && free_until > 0 && gap_there > 1e-8L; ++i) {
              const Real t = free_until + (first - free_until) * Real(i) / 16;
              gap_there = std::min(gap_there, oracle.smallest_gap_at(t).hi);
            }
            if (gap_there > 1e-8L) {
              fail("prefix too short", edge,
                   details + " gap at the prefix's end " +
                       std::to_string(double(1e9L * gap_there)) + "e-9");
            } else {
              ++counters["prefix more than 1e-6 short, gap there below 1e-8"];
            }
          }
          if (contact - truth.t_hit > 1.001e-6L) {
            // Late: is it only because the overlap grows slowly from t_hit on?
            ++counters["contact more than 1e-6 after the first"];
            if (arguments.verbose || contact - truth.t_hit > 1e-3L)
              std::fprintf(stderr, "late contact: edge %llu %s\n",
                           static_cast<unsigned long long>(k), details.c_str());
          }
        }
        if (result.free_until > 0 && truth.t_hit == 0)
          fail("free_until from contact", edge, details);
        break;
      }
      case Verdict::kUndecided: {
        if (result.contact) fail("undecided with contact", edge, details);
        Real low = truth.min_gap;
        if (truth.pair >= 0 && low > 0)
          low = oracle.descend(truth.pair, truth.t_min, 0.01L, 1e-6L).first;
        if (low > 1e-6L) {
          fail("undecided though clear", edge, details);
        } else if (truth.kind == Truth::Kind::kContact) {
          ++counters["undecided in contact"];
          std::fprintf(stderr, "undecided in contact: edge %llu (%s) %s\n",
                       static_cast<unsigned long long>(k), note.c_str(), details.c_str());
        } else {
          ++counters["undecided within 1e-6"];
        }
        break;
      }
    }
    if (truth.kind == Truth::Kind::kContact && truth.t_hit > 0 && free_until >= truth.t_hit + eps)
      fail("FALSE FREE (prefix)", edge, details);
  }
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(name + " needs a value");
      return argv[++i];
    };
    if (name == "--edges") {
      a.edges = std::stoull(value());
    } else if (name == "--seed") {
      a.seed = std::stoull(value());
    } else if (name == "--robot") {
      a.robot = value();
    } else if (name == "--state") {
      a.state = value();
    } else if (name == "--splines") {
      a.splines = true;
    } else if (name == "--only") {
      a.only = std::stoll(value());
    } else if (name == "--verbose") {
      a.verbose = true;
    } else {
      throw std::runtime_error(
          "unknown option " + name +
          "; use --edges N --seed S --robot NAME --state FILE --splines --only K "
          "--verbose");
    }
  }
  return a;
}

int run(const Arguments& arguments) {
  Counters counters;
  std::uint64_t next = 0;
  if (!arguments.state.empty() && read_state(arguments.state, arguments.seed, next, counters))
    std::fprintf(stderr, "going on from edge %llu\n", static_cast<unsigned long long>(next));
  std::uint64_t end = arguments.edges;
  if (arguments.only >= 0) {
    next = static_cast<std::uint64_t>(arguments.only);
    end = next + 1;
  }
  auto last = std::chrono::steady_clock::now();
  for (std::uint64_t k = next; k < end; ++k) {
    Judge judge{arguments, counters, k, ""};
    const Edge edge = make_edge(arguments, k, judge.note);
    try {
      judge.run(edge);
    } catch (const std::exception& error) {
      judge.fail("exception", edge, error.what());
    }
    ++counters["edges"];
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::seconds(10)) {
      last = now;
      std::fprintf(stderr, "%llu of %llu edges\n", static_cast<unsigned long long>(k + 1),
                   static_cast<unsigned long long>(end));
      if (!arguments.state.empty()) write_state(arguments.state, arguments.seed, k + 1, counters);
    }
  }
  if (!arguments.state.empty()) write_state(arguments.state, arguments.seed, end, counters);
  return report(arguments.seed, counters);
}

}  // namespace
}  // namespace catena::oracle

int main(int argc, char** argv) try {
  return catena::oracle::run(catena::oracle::parse(argc, argv));
} catch (const std::exception& error) {
  std::fprintf(stderr, "soundness: %s\n", error.what());
  return 2;
}
