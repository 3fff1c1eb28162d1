// Whole straight edges of a snake on a base that stands among 99,840 triangles (W4): Catena's
// proofs, sampling by OMPL at two resolutions, and a proof pair by pair by distances.
//
//   motion_bench [LINKS] [EDGES]
//
// LINKS is one of 7, 16, 64, 256, 1024, or 0 for all; EDGES is how many of each length, by default
// 60, from 256 links on 20 and 10. Prints a Markdown table: CPU times an edge in one pass, free
// edges apart from colliding ones, and counters that do not depend on the machine. Short, medium
// and long edges: the end at 0.05 or 0.25 times limit * sqrt(links) from the start in some
// direction, clipped to the joints' limits, or anywhere; both ends are free. The limits are 2, 1.2
// and 0.6 rad, from 64 links on 0.6 * sqrt(64 / links), at which a snake bends about as much as one
// of 64 links does. The truth is that of exact capsules, by bisection until pairs move by less than
// 1e-6 m. Exit status 1 if Catena calls an edge free that is known to collide; that edge goes to
// the standard error.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <optional>
#include <string>

#include "catena/query/continuous.hpp"
#include "catena_methods.hpp"
#include "rivals/scene_methods.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/pair_bisection.hpp"
#include "workloads/random.hpp"
#ifdef CATENA_BENCH_OMPL
#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/util/Console.h>
#endif

namespace catena::bench {
namespace {

constexpr const char* kLengths[] = {"small", "medium", "large"};

struct Arm {
  Snake snake;
  double limit;  // rad, of each joint to both sides
  RigidTransform X_WB;
};

/// 3 m long; its base lets the straight arm point down, into the terrain.
Arm make_arm(int links) {
  Arm arm{{links, 3.0 / links, std::min(0.03, 0.75 / links)}, 0, {}};
  arm.limit = links == 7 ? 2.0 : links == 16 ? 1.2 : 0.6 * std::sqrt(64.0 / links);
  arm.X_WB.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  arm.X_WB.p = {0, 0, -0.6};
  return arm;
}

struct Edge : SnakeEdge {
  PairBisection::Result truth{Verdict::kUndecided, -1.0};
};

/// Edges of one length whose ends are free, in the order drawn.
struct EdgeClass {
  int length;
  std::vector<Edge> edges;
  int drawn = 0;

  int count(Verdict truth) const {
    return static_cast<int>(std::count_if(edges.begin(), edges.end(),
                                          [&](const Edge& e) { return e.truth.verdict == truth; }));
  }
};

/// Where an edge of that length goes: in a uniform direction, or anywhere.
std::vector<double> random_end(const Arm& arm, int length, const std::vector<double>& from,
                               SplitMix64& random) {
  std::vector<double> q(from.size());
  if (length == 2) {
    for (double& x : q) x = random.uniform(-arm.limit, arm.limit);
    return q;
  }
  double squares = 0;
  for (double& x : q) {
    const double u = random.uniform(), angle = 2 * std::numbers::pi * random.uniform();
    x = std::sqrt(-2 * std::log(1 - u)) * std::cos(angle);
    squares += x * x;
  }
  const double distance =
      (length == 0 ? 0.05 : 0.25) * arm.limit * std::sqrt(static_cast<double>(q.size()));
  for (size_t i = 0; i < q.size(); ++i) {
    q[i] = std::clamp(from[i] + q[i] * distance / std::sqrt(squares), -arm.limit, arm.limit);
  }
  return q;
}

EdgeClass make_edges(const Arm& arm, int length, int count, CapsuleReference& reference) {
  EdgeClass result{length, {}, 0};
  SplitMix64 random(4000 + 10 * static_cast<std::uint64_t>(arm.snake.links) +
                    static_cast<std::uint64_t>(length));
  PairBisection oracle(reference, arm.snake, arm.X_WB, 1e-6);
  std::vector<RigidTransform> X_WL;
  const auto is_free = [&](const std::vector<double>& q) {
    arm.snake.place({arm.X_WB, q}, X_WL);
    return reference.is_free(arm.snake, X_WL);
  };
  while (static_cast<int>(result.edges.size()) < count) {
    ++result.drawn;
    Edge edge;
    for (int i = 0; i < arm.snake.links; ++i) {
      edge.q0.push_back(random.uniform(-arm.limit, arm.limit));
    }
    if (!is_free(edge.q0)) continue;
    edge.q1 = random_end(arm, length, edge.q0, random);
    if (!is_free(edge.q1)) continue;
    edge.truth = oracle.check(edge);
    result.edges.push_back(std::move(edge));
  }
  return result;
}

struct Method {
  std::string name;
  std::function<Verdict(const SnakeEdge&)> check;
  std::function<std::int64_t()> work;  // states or distances so far; none: it counts other things
  const QueryStats* stats = nullptr;   // of all edges so far, where it is Catena
};

/// check_motion, its Motion included, of a robot whose joints are limited: one that turns without
/// end would take the shorter way round.
Method catena_method(const Arm& arm, std::shared_ptr<const Scene> scene, bool first_contact) {
  RobotDescription d = snake_description(arm.snake, snake_capsule(arm.snake), /*floating=*/false);
  d.joints.front().origin = RigidEnclosure{arm.X_WB, 0.0, 0.0};
  for (JointDescription& joint : d.joints) {
    joint.type = JointType::kRevolute;
    joint.lower = -arm.limit;
    joint.upper = arm.limit;
  }
  struct Data {
    explicit Data(CollisionWorld w) : world(std::move(w)) {}
    CollisionWorld world;
    Workspace workspace{world};
    Motion motion{};
    QueryOptions options{};
    QueryStats stats{};
  };
  const auto data =
      std::make_shared<Data>(CollisionWorld(RobotBuilder::build(d), std::move(scene)));
  data->options.first_contact = first_contact;
  const auto check = [data](const SnakeEdge& edge) {
    const auto vector = [](const std::vector<double>& q) {
      return Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
    };
    data->motion.reset(data->world.robot(), vector(edge.q0), vector(edge.q1));
    const MotionResult r = check_motion(data->world, data->motion, data->options, data->workspace);
    data->stats += r.stats;
    return r.verdict;
  };
  return {first_contact ? "Catena, first contact" : "Catena", check, {}, &data->stats};
}

Method bisection_method(const Arm& arm, const CapsuleReference& reference) {
  const auto bisection = std::make_shared<PairBisection>(reference, arm.snake, arm.X_WB, 1e-4);
  return {"pairwise bisection",
          [bisection](const SnakeEdge& edge) { return bisection->check(edge).verdict; },
          [bisection] { return bisection->distances(); }};
}

#ifdef CATENA_BENCH_OMPL
/// OMPL's own validator: states as far apart as `resolution` times the space's extent, asked until
/// one collides.
Method ompl_method(const Arm& arm, const std::string& name, std::shared_ptr<SceneMethod> checker,
                   double resolution) {
  namespace ob = ompl::base;
  const auto space =
      std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(arm.snake.links));
  space->setBounds(-arm.limit, arm.limit);
  struct Data {
    explicit Data(const ob::StateSpacePtr& of)
        : si(std::make_shared<ob::SpaceInformation>(of)), from(of), to(of) {}
    ob::SpaceInformationPtr si;
    std::optional<ob::DiscreteMotionValidator> validator;
    ob::ScopedState<ob::RealVectorStateSpace> from, to;
    SnakeConfiguration configuration;
    std::int64_t states = 0;
  };
  const auto data = std::make_shared<Data>(space);
  data->configuration.X_WB = arm.X_WB;
  // Held by what data holds, so without a share in it.
  data->si->setStateValidityChecker(
      [checker, links = arm.snake.links, d = data.get()](const ob::State* state) {
        const double* q = state->as<ob::RealVectorStateSpace::StateType>()->values;
        d->configuration.q.assign(q, q + links);
        ++d->states;
        return checker->is_free(d->configuration);
      });
  data->si->setStateValidityCheckingResolution(resolution);
  data->si->setup();
  data->validator.emplace(data->si);
  const auto check = [data](const SnakeEdge& edge) {
    std::copy(edge.q0.begin(), edge.q0.end(), data->from->values);
    std::copy(edge.q1.begin(), edge.q1.end(), data->to->values);
    return data->validator->checkMotion(data->from.get(), data->to.get()) ? Verdict::kFree
                                                                          : Verdict::kCollision;
  };
  return {name, check, [data] { return data->states; }};
}
#endif

/// Catena comes first. `scene`, `arm` and `reference` stay alive as long as the methods.
std::vector<Method> make_methods(const Triangles& scene, const Arm& arm,
                                 const CapsuleReference& reference) {
  const auto surface = surface_scene(scene);
  std::vector<Method> methods{catena_method(arm, surface, false),
                              catena_method(arm, surface, true)};
#ifdef CATENA_BENCH_OMPL
  const auto checker = [&](const SceneMethods& some, const std::string& name) {
    const auto found =
        std::find_if(some.begin(), some.end(), [&](const auto& m) { return m.name == name; });
    std::shared_ptr<SceneMethod> method = found->make();
    method->init(scene, arm.snake);
    return method;
  };
#ifdef CATENA_BENCH_FCL
  const auto fcl = checker(fcl_scene_methods(), "fcl_capsule");
  methods.push_back(ompl_method(arm, "OMPL 1 %, FCL", fcl, 0.01));
  methods.push_back(ompl_method(arm, "OMPL 0.1 %, FCL", fcl, 0.001));
#endif
  const auto own = checker(capsule_reference_methods(), "own_capsule");
  methods.push_back(ompl_method(arm, "OMPL 1 %, hand-written", own, 0.01));
  methods.push_back(ompl_method(arm, "OMPL 0.1 %, hand-written", own, 0.001));
#endif
  methods.push_back(bisection_method(arm, reference));
  return methods;
}

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<size_t>(place)];
}

std::string spread(const std::vector<double>& us) {
  if (us.empty()) return "-";
  char text[96];
  std::snprintf(text, sizeof text, "%.1f [%.1f-%.1f]", percentile(us, 0.5), percentile(us, 0.1),
                percentile(us, 0.9));
  return text;
}

void print_edge(const Arm& arm, const Edge& edge, const char* length, const char* method) {
  std::fprintf(stderr, "MISSED by %s: links %d, %s, collides at t = %.17g", method, arm.snake.links,
               length, edge.truth.contact);
  for (const auto& [name, q] : {std::pair("q0", &edge.q0), std::pair("q1", &edge.q1)}) {
    std::fprintf(stderr, "\n%s", name);
    for (const double x : *q) std::fprintf(stderr, " %.17g", x);
  }
  std::fprintf(stderr, "\n");
}

/// What a method did on a class of edges.
struct Measurement {
  std::vector<double> free_us, colliding_us;
  double seconds = 0;
  int missed = 0, false_alarms = 0, undecided = 0;
};

/// Prints the row of the table.
Measurement measure(const Arm& arm, const EdgeClass& c, const Method& method) {
  Measurement m;
  method.check(c.edges.front());  // warms up
  const std::int64_t work = method.work ? method.work() : 0;
  const QueryStats stats = method.stats != nullptr ? *method.stats : QueryStats{};
  for (const Edge& edge : c.edges) {
    const double start = cpu_seconds();
    const Verdict verdict = method.check(edge);
    const double seconds = cpu_seconds() - start;
    m.seconds += seconds;
    const Verdict truth = edge.truth.verdict;
    if (truth == Verdict::kFree) m.free_us.push_back(1e6 * seconds);
    if (truth == Verdict::kCollision) m.colliding_us.push_back(1e6 * seconds);
    m.false_alarms += verdict == Verdict::kCollision && truth == Verdict::kFree ? 1 : 0;
    m.undecided += verdict == Verdict::kUndecided ? 1 : 0;
    if (verdict != Verdict::kFree || truth != Verdict::kCollision) continue;
    ++m.missed;
    if (method.stats != nullptr) print_edge(arm, edge, kLengths[c.length], method.name.c_str());
  }
  const auto edges = static_cast<double>(c.edges.size());
  std::printf("| %d | %s | %s | %d/%d | %.1f | %s | %s | %d | %d | %d |", arm.snake.links,
              kLengths[c.length], method.name.c_str(), c.count(Verdict::kFree),
              c.count(Verdict::kCollision), 1e6 * m.seconds / edges, spread(m.free_us).c_str(),
              spread(m.colliding_us).c_str(), m.missed, m.false_alarms, m.undecided);
  if (method.work) {
    std::printf(" %.1f | - | - |\n", static_cast<double>(method.work() - work) / edges);
  } else {
    const auto each = [&](std::uint64_t now, std::uint64_t before) {
      return static_cast<double>(now - before) / edges;
    };
    std::printf(" - | %.1f | %.1f |\n", each(method.stats->intervals, stats.intervals),
                each(method.stats->element_tests, stats.element_tests));
  }
  std::fflush(stdout);
  return m;
}

void print_header() {
  const char* columns[] = {"N",
                           "length",
                           "method",
                           "free/colliding",
                           "mean, us",
                           "free, us: median [p10-p90]",
                           "colliding, us: median [p10-p90]",
                           "missed",
                           "false alarms",
                           "undecided",
                           "states or distances",
                           "intervals",
                           "element tests"};
  for (const char* column : columns) std::printf("| %s ", column);
  std::printf("|\n");
  for (size_t i = 0; i < std::size(columns); ++i) std::printf("| --- ");
  std::printf("|\n");
}

/// Returns how many edges Catena missed. The lines that do not belong to the table come after it.
int measure_arm(const Triangles& scene, CapsuleReference& reference, int links, int edges,
                std::vector<std::string>& notes) {
  const Arm arm = make_arm(links);
  const std::vector<Method> methods = make_methods(scene, arm, reference);
  int missed = 0;
  for (const int length : {0, 1, 2}) {
    const EdgeClass c = make_edges(arm, length, edges, reference);
    std::string note = "N = " + std::to_string(links) + ", " + kLengths[length] + ": " +
                       std::to_string(c.edges.size()) + " edges from " + std::to_string(c.drawn) +
                       " draws, " + std::to_string(c.count(Verdict::kUndecided)) +
                       " of them unknown";
    double catena = 0;
    for (const Method& method : methods) {
      const Measurement m = measure(arm, c, method);
      if (method.stats != nullptr) missed += m.missed;
      const double median = percentile(m.free_us, 0.5);
      if (&method == &methods.front()) {
        catena = median;
        note += "; free medians over those of Catena";
        if (m.free_us.empty()) note += " (no free edge)";
      } else if (catena > 0) {
        char text[32];
        std::snprintf(text, sizeof text, ": %.2f", median / catena);
        note += "; " + method.name + text;
      }
    }
    notes.push_back(std::move(note));
  }
  return missed;
}

int run(int only_links, int edges) {
  const Triangles scene = pipe_scene();
  CapsuleReference reference(scene);
  std::vector<std::string> notes;
  int missed = 0;
  print_header();
  for (const int links : {7, 16, 64, 256, 1024}) {
    if (only_links != 0 && links != only_links) continue;
    const int standard = links <= 64 ? 60 : links <= 256 ? 20 : 10;
    missed += measure_arm(scene, reference, links, edges > 0 ? edges : standard, notes);
  }
  std::printf("\n");
  for (const std::string& note : notes) std::printf("%s\n", note.c_str());
  if (missed > 0) std::fprintf(stderr, "Catena called %d colliding edges free\n", missed);
  return missed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
#ifdef CATENA_BENCH_OMPL
  ompl::msg::noOutputHandler();
#endif
  return catena::bench::run(argc > 1 ? std::atoi(argv[1]) : 0, argc > 2 ? std::atoi(argv[2]) : 0);
}
