// Certificates by the thousand: random robots, scenes and free edges, each certificate written and
// re-checked, then altered so that it proves its edge no longer and refused.
//
//   certificates --count 100000 --seed 1 [--state FILE]     goes on from FILE where that run ended
//
// The altered count follows: every certificate is altered at least once. Status 1 if the checker
// refused one or accepted an altered one.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "catena/certificate/check.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/query/certificate.hpp"
#include "catena/query/continuous.hpp"
#include "certificate/alter.hpp"
#include "soundness/campaign.hpp"
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
    if (result.proven)
      wrong("accepted with " + what, problem, "");
    else
      ++counters["refused with " + what];
  }

  /// One robot and scene, and up to ten free edges.
  void run_problem(std::uint64_t problem) {
    Random rng(seed * 0x9e3779b97f4a7c15ULL + problem);
    const std::uint64_t robot_seed = rng(), scene_seed = rng();
    const test::TemporaryFolder folder;
    certificate::Inputs inputs;
    inputs.robot = folder.write("robot.urdf", robot_text(robot_seed, 1.0));
    inputs.scenes = {folder.write("scene.json", scene_text(scene_seed, ""))};
    folder.write("tray.obj", kTray);
    const auto robot = io::load_urdf(inputs.robot);
    const auto scene = io::load_scene(inputs.scenes[0]);
    const auto world = std::make_shared<const CollisionWorld>(robot, scene);
    const auto checks = [&](const std::string& a, const std::string& b) {
      return world->checks(world->find_body(a), world->find_body(b));
    };
    const certificate::Checker checker(inputs);
    certificate::Inputs large = inputs;
    large.robot = folder.write("large.urdf", robot_text(robot_seed, 1e4));
    const certificate::Checker large_checker(large);

    Workspace workspace(*world);
    QueryOptions options;
    options.clearance = rng() % 3 == 0 ? uniform(rng, 0.0, 0.02) : 0.0;
    options.first_contact = false;
    int free = 0;
    for (int trial = 0; trial < 40 && free < 10; ++trial) {
      const Eigen::VectorXd from = random_state(*robot, rng), to = random_state(*robot, rng);
      Eigen::VectorXd q1(from.size());
      interpolate(*robot, from, to, uniform(rng, 0.05, 0.6), q1);
      const Motion motion(*robot, from, q1);
      if (check_motion(*world, motion, options, workspace).verdict != Verdict::kFree) continue;
      ++free;
      CertificateWriter writer(world, {options.clearance, CertificateOptions{}.budget});
      if (const auto why = writer.add(from, q1)) {
        ++counters["not written"];
        continue;
      }
      std::string text;
      try {
        text = writer.text();
      } catch (const std::runtime_error&) {
        ++counters["not written"];
        continue;
      }
      const auto result = checker.check(text);
      counters["entries"] += result.stats.entries;
      counters["bytes"] += text.size();
      if (!result.proven) {
        wrong("refused", problem, result.why);
        continue;
      }
      ++counters["checked"];
      alter(text, world, *robot, motion, checks, checker, large_checker, inputs, scene_seed, folder,
            problem, rng);
    }
  }

  void alter(const std::string& text, const std::shared_ptr<const CollisionWorld>& world,
             const Robot& robot, const Motion& motion,
             const std::function<bool(const std::string&, const std::string&)>& checks,
             const certificate::Checker& checker, const certificate::Checker& large_checker,
             const certificate::Inputs& inputs, std::uint64_t scene_seed,
             const test::TemporaryFolder& folder, std::uint64_t problem, Random& rng) {
    const int kind = static_cast<int>(rng() % (test::kNumAlterations + 2));
    if (kind < test::kNumAlterations) {
      for (int shift = 0; shift < test::kNumAlterations; ++shift) {
        const auto alteration =
            static_cast<test::Alteration>((kind + shift) % test::kNumAlterations);
        const auto changed = test::altered(text, alteration, rng, checks);
        if (!changed) continue;
        altered_is_refused(checker.check(*changed), name_of(alteration), problem);
        return;
      }
      ++counters["nothing to alter"];
      return;
    }
    if (kind == test::kNumAlterations) {
      // Shapes of hundreds of metres stay on no side of a plane that is a few metres away.
      if (text.find("\nplane ") == std::string::npos) return;
      altered_is_refused(large_checker.check(text), "the robot changed", problem);
      return;
    }
    // An object where a link is at some time of the edge: a real contact, and no entry for it. Then
    // an object of the scene moved there, which every entry still names.
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
    motion.poses(robot, uniform(rng, 0.0, 1.0), X_WL);
    const auto& shapes = world->geometries();
    const auto& g = shapes[rng() % static_cast<size_t>(world->first_scene_geometry())];
    const Vector3d p = X_WL[static_cast<size_t>(g.link.value)].X * (g.X_LG.X * Vector3d::Zero());
    const std::string pose = "\"pose\": {\"xyz\": [" + number(p.x()) + ", " + number(p.y()) + ", " +
                             number(p.z()) + "]}}";
    certificate::Inputs changed = inputs;
    std::string scene = scene_text(scene_seed, "");
    const size_t first = scene.find("{\"id\": \"object_0\"");
    const size_t end = std::min(scene.find(",\n{", first), scene.find("\n]}", first));
    scene.replace(first, end - first,
                  "{\"id\": \"object_0\", \"shape\": \"sphere\", \"radius\": 0.01, " + pose);
    changed.scenes = {folder.write("changed.json", scene)};
    altered_is_refused(certificate::check_certificate(changed, text), "the scene changed", problem);
  }
};

int run(int argc, char** argv) {
  std::uint64_t count = 1000, next = 0;
  Campaign campaign;
  std::string state;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--count")
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seed")
      campaign.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--state")
      state = argv[i + 1];
    else
      throw std::runtime_error(option + ": known are --count, --seed and --state");
  }
  if (!state.empty()) oracle::read_state(state, campaign.seed, next, campaign.counters);
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t before = campaign.counters["checked"];
  auto said = begin;
  while (campaign.counters["checked"] < count) {
    campaign.run_problem(next++);
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
