// Certificates by the thousand: the soundness campaigns' robots and random ones, scenes, free edges
// and splines, each certificate written and re-checked, then altered so that it proves its edge no
// longer and refused.
//
//   certificates --count 100000 --seed 1 [--robot NAME] [--state FILE]
//
// --state: goes on from FILE where that run ended. Every certificate that is accepted is altered
// once. Status 1 if the checker refused one or accepted an altered one.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/certificate/check.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/query/certificate.hpp"
#include "catena/query/continuous.hpp"
#include "certificate/alter.hpp"
#include "certificate/robot_files.hpp"
#include "soundness/campaign.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/temporary_folder.hpp"

namespace catena {
namespace {

using Random = std::mt19937_64;

double uniform(Random& rng, double low, double high) {
  return low + (high - low) * static_cast<double>(rng() >> 11) * 0x1p-53;
}

std::string number(double x) { return test::digits(x); }

std::string triple(double x, double y, double z) {
  return number(x) + " " + number(y) + " " + number(z);
}

/// A shape of about the given length along x; `grow` multiplies all sizes.
std::string shape_text(Random& rng, double length, double grow) {
  const double radius = uniform(rng, 0.02, 0.06) * grow;
  const std::string turned = " rpy=\"0 1.5707963267948966 0\"/>";
  const std::string along = "<origin xyz=\"" + triple(0.5 * length, 0, 0) + "\"";
  switch (rng() % 5) {
    case 0:
      return along + "/><geometry><sphere radius=\"" + number(2.0 * radius) + "\"/></geometry>";
    case 1:
      return along + turned + "<geometry><capsule radius=\"" + number(radius) + "\" length=\"" +
             number(0.8 * length * grow) + "\"/></geometry>";
    case 2:
      return along + "/><geometry><box size=\"" +
             triple(0.8 * length * grow, 2.0 * radius, 1.5 * radius) + "\"/></geometry>";
    case 3:
      return along + turned + "<geometry><cylinder radius=\"" + number(radius) + "\" length=\"" +
             number(0.8 * length * grow) + "\"/></geometry>";
    default:
      return along + turned + "<geometry><cone radius=\"" + number(1.5 * radius) + "\" length=\"" +
             number(0.8 * length * grow) + "\"/></geometry>";
  }
}

/// A chain of 2 to 6 joints, some of them with a branch. The same seed with another `grow` is the
/// same robot with larger shapes.
std::string robot_text(std::uint64_t seed, double grow) {
  Random rng(seed);
  std::string text = "<robot name=\"random\">\n<link name=\"base\"><collision>" +
                     shape_text(rng, 0.1, grow) + "</collision></link>\n";
  const int joints = 2 + static_cast<int>(rng() % 5);
  double length = uniform(rng, 0.1, 0.3);
  for (int i = 0; i < joints; ++i) {
    const std::string link = "link_" + std::to_string(i);
    const std::string parent =
        i == 0 ? "base" : "link_" + std::to_string(rng() % 5 == 0 ? i / 2 : i - 1);
    const double next = uniform(rng, 0.15, 0.4);
    text += "<link name=\"" + link + "\"><collision>" + shape_text(rng, next, grow) +
            "</collision></link>\n<joint name=\"joint_" + std::to_string(i) + "\" type=\"";
    const auto kind = rng() % 8;
    text += kind == 0 ? "prismatic" : kind == 1 ? "continuous" : kind == 2 ? "planar" : "revolute";
    text += "\"><parent link=\"" + parent + "\"/><child link=\"" + link + "\"/><origin xyz=\"" +
            triple(length, uniform(rng, -0.02, 0.02), 0.0) + "\" rpy=\"" +
            triple(uniform(rng, -1, 1), 0, uniform(rng, -0.3, 0.3)) + "\"/><axis xyz=\"" +
            (rng() % 3 == 0   ? triple(uniform(rng, -1, 1), uniform(rng, -1, 1), 1)
             : rng() % 2 == 0 ? triple(0, 0, 1)
                              : triple(0, 1, 0)) +
            "\"/><limit lower=\"" + number(kind == 0 ? -0.1 : -2.5) + "\" upper=\"" +
            number(kind == 0 ? 0.3 : 2.5) + "\" effort=\"1\" velocity=\"1\"/></joint>\n";
    length = next;
  }
  return text + "</robot>\n";
}

/// An open box with thick walls, closed and solid: things may be in it and yet outside.
const char* const kTray =
    "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
    "v -0.9 -0.9 0.1\nv 0.9 -0.9 0.1\nv 0.9 0.9 0.1\nv -0.9 0.9 0.1\n"
    "v -0.9 -0.9 1\nv 0.9 -0.9 1\nv 0.9 0.9 1\nv -0.9 0.9 1\n"
    "f 1 4 3\nf 1 3 2\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"
    "f 9 10 11\nf 9 11 12\nf 9 13 14\nf 9 14 10\nf 10 14 15\nf 10 15 11\nf 11 15 16\nf 11 16 12\n"
    "f 12 16 13\nf 12 13 9\nf 5 6 14\nf 5 14 13\nf 6 7 15\nf 6 15 14\nf 7 8 16\nf 7 16 15\n"
    "f 8 5 13\nf 8 13 16\n";

std::string object_text(Random& rng, int i) {
  const double at = uniform(rng, -3.2, 3.2), far = uniform(rng, 0.5, 1.4);
  std::string text = "{\"id\": \"object_" + std::to_string(i) + "\", ";
  const std::string pose = "\"pose\": {\"xyz\": [" + number(far * std::cos(at)) + ", " +
                           number(far * std::sin(at)) + ", " + number(uniform(rng, -0.6, 0.6)) +
                           "], \"rpy\": [" + number(uniform(rng, -3, 3)) + ", 0.3, 0]}}";
  switch (rng() % 7) {
    case 0:
      return text + "\"shape\": \"sphere\", \"radius\": " + number(uniform(rng, 0.03, 0.2)) + ", " +
             pose;
    case 1:
      return text + "\"shape\": \"capsule\", \"radius\": 0.05, \"length\": " +
             number(uniform(rng, 0.1, 0.8)) + ", " + pose;
    case 2:
      return text + "\"shape\": \"cylinder\", \"radius\": 0.06, \"length\": " +
             number(uniform(rng, 0.1, 0.8)) + ", " + pose;
    case 3:
      return text + "\"shape\": \"cone\", \"radius\": 0.1, \"length\": 0.3, " + pose;
    case 4:
      return text + "\"shape\": \"plane\", \"normal\": [0.1, 0, 1], \"offset\": " +
             number(-uniform(rng, 0.6, 1.2)) + "}";
    case 5:
      return text + "\"shape\": \"mesh\", \"file\": \"tray.obj\", \"scale\": " +
             number(uniform(rng, 0.2, 1.2)) + ", " + pose;
    default:
      return text + "\"shape\": \"box\", \"size\": [" + number(uniform(rng, 0.05, 0.6)) +
             ", 0.1, 0.3], " + pose;
  }
}

std::string scene_text(std::uint64_t seed, const std::string& more) {
  Random rng(seed);
  const int count = 1 + static_cast<int>(rng() % 5);
  std::string text = "{\"objects\": [";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "\n" : ",\n") + object_text(rng, i);
  return text + more + "\n]}\n";
}

Eigen::VectorXd random_state(const Robot& robot, Random& rng) {
  Eigen::VectorXd q = robot.zero_positions();
  for (const LinkIndex i : robot.active_joints()) {
    const Joint& joint = robot.joint(i);
    for (int k = 0; k < num_values(joint.type); ++k) {
      const bool limited = std::isfinite(joint.lower) && num_values(joint.type) == 1;
      const bool shift = joint.type == JointType::kPlanar && k < 2;
      q[joint.q_index + k] = limited ? uniform(rng, joint.lower, joint.upper)
                             : shift ? uniform(rng, -0.3, 0.3)
                                     : uniform(rng, -3.1, 3.1);
    }
  }
  return q;
}

struct Campaign {
  oracle::Counters counters;
  std::uint64_t seed = 1;

  void wrong(const std::string& what, std::uint64_t problem, const std::string& why) {
    ++counters["WRONG: " + what];
    std::fprintf(stderr, "WRONG: %s, seed %llu problem %llu: %s\n", what.c_str(),
                 static_cast<unsigned long long>(seed), static_cast<unsigned long long>(problem),
                 why.c_str());
  }

  void altered_is_refused(const certificate::CheckResult& result, const std::string& what,
                          std::uint64_t problem) {
    if (result.proven) {
      wrong("accepted with " + what, problem, "");
    } else {
      ++counters["altered and refused"];
      ++counters["refused with " + what];
    }
  }

  /// What a problem's edges are made of and judged by.
  struct Problem {
    std::uint64_t number = 0;
    std::string robot_name;
    test::TemporaryFolder folder;
    certificate::Inputs inputs, large;
    std::shared_ptr<const Robot> robot;
    std::shared_ptr<const CollisionWorld> world;
    /// The scene with its first object a small ball at p.
    std::function<std::string(const Vector3d&)> changed_scene;
    std::function<std::pair<Knot, Knot>(Random&)> random_edge;  // a spline where it has velocities
  };

  void load(Problem& problem) const {
    problem.robot = io::load_urdf(problem.inputs.robot, {.srdf = problem.inputs.srdf});
    problem.world = std::make_shared<const CollisionWorld>(
        problem.robot, io::load_scene(problem.inputs.scenes[0]));
    problem.large.srdf = problem.inputs.srdf;
    problem.large.scenes = problem.inputs.scenes;
  }

  /// A robot of random numbers, written as a text.
  void make_random(Problem& problem, Random& rng) const {
    const std::uint64_t robot_seed = rng(), scene_seed = rng();
    problem.robot_name = "random";
    const test::TemporaryFolder& folder = problem.folder;
    problem.inputs.robot = folder.write("robot.urdf", robot_text(robot_seed, 1.0));
    problem.inputs.scenes = {folder.write("scene.json", scene_text(scene_seed, ""))};
    problem.large.robot = folder.write("large.urdf", robot_text(robot_seed, 1e4));
    folder.write("tray.obj", kTray);
    load(problem);
    problem.changed_scene = [scene_seed](const Vector3d& p) {
      std::string scene = scene_text(scene_seed, "");
      const size_t first = scene.find("{\"id\": \"object_0\"");
      const size_t end = std::min(scene.find(",\n{", first), scene.find("\n]}", first));
      const std::string ball = "{\"id\": \"object_0\", \"shape\": \"sphere\", \"radius\": 0.01, " +
                               std::string("\"pose\": {\"xyz\": [") + number(p.x()) + ", " +
                               number(p.y()) + ", " + number(p.z()) + "]}}";
      return scene.replace(first, end - first, ball);
    };
    const auto robot = problem.robot;
    problem.random_edge = [robot](Random& random) {
      Knot from{random_state(*robot, random), {}, {}};
      const Eigen::VectorXd to = random_state(*robot, random);
      Knot end{Eigen::VectorXd(from.q.size()), {}, {}};
      interpolate(*robot, from.q, to, uniform(random, 0.05, 0.6), end.q);
      if (random() % 2 == 0) {
        const auto some = [&](double size) {
          Eigen::VectorXd v(from.q.size());
          for (double& x : v) x = uniform(random, -size, size);
          return v;
        };
        from.velocity = some(0.5);
        end.velocity = some(0.5);
        if (random() % 2 == 0) {
          from.acceleration = some(1.0);
          end.acceleration = some(1.0);
        }
      }
      return std::pair(from, end);
    };
  }

  /// One of the soundness campaigns' robots.
  void make_known(Problem& problem, const std::string& name, Random& rng) const {
    const oracle::RobotSpec spec = oracle::make_robot_spec(name);
    const oracle::SceneSpec scene = oracle::random_scene(oracle::reach_of(name), rng);
    problem.robot_name = name;
    const test::TemporaryFolder& folder = problem.folder;
    problem.inputs.robot = folder.write("robot.urdf", test::urdf_text(spec, 1.0, "part", folder));
    problem.inputs.srdf = folder.write("robot.srdf", test::srdf_text(spec));
    problem.inputs.scenes = {folder.write("scene.json", test::scene_text(scene, "object", folder))};
    problem.large.robot = folder.write("large.urdf", test::urdf_text(spec, 1e8, "large", folder));
    load(problem);
    problem.changed_scene = [scene, &folder](const Vector3d& p) {
      oracle::SceneSpec changed = scene;
      changed.objects[0].geometries = {oracle::sphere(0.01, {p.x(), p.y(), p.z()})};
      return test::scene_text(changed, "changed", folder);
    };
    const auto robot = problem.robot;
    const auto world = problem.world;
    problem.random_edge = [spec, robot, world](Random& random) {
      Workspace workspace(*world);
      std::vector<double> q0;
      for (int i = 0; i < 30; ++i) {
        q0 = oracle::random_configuration(spec, random);
        const Eigen::VectorXd q = oracle::positions(*robot, spec, q0);
        if (check_state(*world, q, {}, workspace).verdict == Verdict::kFree) break;
      }
      const double share = std::array{0.02, 0.1, 0.3}[random() % 3];
      const std::vector<double> q1 = oracle::nearby_configuration(spec, q0, share, random);
      const auto values = [&](const std::vector<double>& v) {
        return v.empty() ? Eigen::VectorXd() : oracle::positions(*robot, spec, v);
      };
      if (random() % 2 == 0) return std::pair(Knot{values(q0), {}, {}}, Knot{values(q1), {}, {}});
      const oracle::SplineSpec s = oracle::random_spline(spec, q0, q1, random);
      return std::pair(Knot{values(s.q0), values(s.v0), values(s.a0)},
                       Knot{values(s.q1), values(s.v1), values(s.a1)});
    };
  }

  /// One robot and scene, and up to ten free edges.
  void run_problem(std::uint64_t number, const std::string& only) {
    Random rng(seed * 0x9e3779b97f4a7c15ULL + number);
    Problem problem;
    problem.number = number;
    const auto names = oracle::campaign_robot_names();
    if (!only.empty() && only != "random") {
      make_known(problem, only, rng);
    } else if (only.empty() && number % 2 == 0) {
      make_known(problem, names[number / 2 % names.size()], rng);
    } else {
      make_random(problem, rng);
    }
    const certificate::Checker checker(problem.inputs), large_checker(problem.large);
    Workspace workspace(*problem.world);
    QueryOptions options;
    options.clearance = rng() % 3 == 0 ? uniform(rng, 0.0, 0.02) : 0.0;
    options.first_contact = false;
    int free = 0;
    for (int trial = 0; trial < 40 && free < 10; ++trial) {
      const auto [from, to] = problem.random_edge(rng);
      const bool spline = from.velocity.size() > 0;
      const double duration = uniform(rng, 0.3, 1.5);
      const Motion motion = spline ? Motion(*problem.robot, from, to, duration)
                                   : Motion(*problem.robot, from.q, to.q);
      if (check_motion(*problem.world, motion, options, workspace).verdict != Verdict::kFree)
        continue;
      ++free;
      CertificateWriter writer(problem.world, {options.clearance, 2'000'000});
      const auto why = spline ? writer.add(from, to, duration) : writer.add(from.q, to.q);
      if (why) {
        ++counters["not written, " + problem.robot_name];
        continue;
      }
      std::string text;
      try {
        text = writer.text();
      } catch (const std::runtime_error&) {
        ++counters["not written, " + problem.robot_name];
        continue;
      }
      const auto result = checker.check(text);
      counters["entries"] += result.stats.entries;
      counters["bytes"] += text.size();
      if (!result.proven) {
        wrong("refused", number, result.why);
        continue;
      }
      ++counters["checked"];
      ++counters[spline ? "checked, splines" : "checked, straight"];
      ++counters["checked, " + problem.robot_name];
      alter(text, problem, motion, checker, large_checker, rng);
    }
  }

  void alter(const std::string& text, const Problem& problem, const Motion& motion,
             const certificate::Checker& checker, const certificate::Checker& large_checker,
             Random& rng) {
    const CollisionWorld& world = *problem.world;
    const auto checks = [&](const std::string& a, const std::string& b) {
      return world.checks(world.find_body(a), world.find_body(b));
    };
    const bool planes = text.find("\nplane ") != std::string::npos;
    const int kind =
        planes ? static_cast<int>(rng() % (test::kNumAlterations + 2)) : test::kNumAlterations + 1;
    if (kind < test::kNumAlterations) {
      for (int shift = 0; shift < test::kNumAlterations; ++shift) {
        const auto alteration =
            static_cast<test::Alteration>((kind + shift) % test::kNumAlterations);
        const auto changed = test::altered(text, alteration, rng, checks);
        if (!changed) continue;
        altered_is_refused(checker.check(*changed), name_of(alteration), problem.number);
        return;
      }
      ++counters["nothing to alter"];
      return;
    }
    if (kind == test::kNumAlterations) {
      // Shapes of hundreds of metres stay on no side of a plane that is a few metres away.
      altered_is_refused(large_checker.check(text), "the robot changed", problem.number);
      return;
    }
    // An object of the scene moved to where a link is at some time of the edge: a real contact,
    // while every entry still names it.
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(problem.robot->num_links()));
    motion.poses(*problem.robot, uniform(rng, 0.0, 1.0), X_WL);
    const auto& shapes = world.geometries();
    const auto& g = shapes[rng() % static_cast<size_t>(world.first_scene_geometry())];
    const Vector3d p_G = g.geometry->element(0).support(Vector3d(1, 0, 0));
    const Vector3d p = X_WL[static_cast<size_t>(g.link.value)].X * (g.X_LG.X * p_G);
    certificate::Inputs changed = problem.inputs;
    changed.scenes = {problem.folder.write("changed.json", problem.changed_scene(p))};
    altered_is_refused(certificate::check_certificate(changed, text), "the scene changed",
                       problem.number);
  }
};

int run(int argc, char** argv) {
  std::uint64_t count = 1000, next = 0;
  Campaign campaign;
  std::string state, robot;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--count")
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seed")
      campaign.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--state")
      state = argv[i + 1];
    else if (option == "--robot")
      robot = argv[i + 1];
    else
      throw std::runtime_error(option + ": known are --count, --seed, --robot and --state");
  }
  if (!state.empty()) oracle::read_state(state, campaign.seed, next, campaign.counters);
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t before = campaign.counters["checked"];
  auto said = begin;
  while (campaign.counters["checked"] < count) {
    campaign.run_problem(next++, robot);
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(10)) continue;
    said = now;
    const double seconds = std::chrono::duration<double>(now - begin).count();
    std::fprintf(stderr, "seed %llu: %llu checked, %.0f a second\n",
                 static_cast<unsigned long long>(campaign.seed),
                 static_cast<unsigned long long>(campaign.counters["checked"]),
                 static_cast<double>(campaign.counters["checked"] - before) / seconds);
    if (!state.empty()) oracle::write_state(state, campaign.seed, next, campaign.counters);
  }
  if (!state.empty()) oracle::write_state(state, campaign.seed, next, campaign.counters);
  return oracle::report(campaign.seed, campaign.counters);
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  try {
    return catena::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "certificates: %s\n", error.what());
    return 2;
  }
}
