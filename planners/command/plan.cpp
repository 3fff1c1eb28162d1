// `catena plan`: plans with any of OMPL's geometric planners, simplifies, certifies every edge.

#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/config.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/util/RandomNumbers.h>
#include <CLI/CLI.hpp>

#include "catena/io/path_file.hpp"
#include "certificate.hpp"
#include "certify.hpp"
#include "ends.hpp"
#include "ompl_log.hpp"
#include "path_others.hpp"
#include "planner_factory.hpp"
#include "stopwatch.hpp"

namespace catena::command {
namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

struct PlanCommand {
  CommonOptions common;
  EndOptions ends;
  std::string planner = "RRTConnect", planner_config, out, html, gltf, write_certificate;
  double time = 10.0, simplify_time = 5.0;
  std::int64_t seed = 1;
  bool verbose = false;
};

/// Ends after `seconds`, and says every five of them that planning goes on.
ob::PlannerTerminationCondition time_limit(double seconds, const std::string& planner) {
  auto watch = std::make_shared<Stopwatch>();
  auto said = std::make_shared<std::atomic<int>>(0);
  return ob::PlannerTerminationCondition([=] {
    const double elapsed = watch->seconds();
    int before = said->load();
    const int now = static_cast<int>(elapsed / 5.0);
    if (now > before && said->compare_exchange_strong(before, now))
      std::fprintf(stderr, "%s: %.0f of %g s\n", planner.c_str(), elapsed, seconds);
    return elapsed >= seconds;
  });
}

Waypoints waypoints_of(const ompl::StateSpace& space, og::PathGeometric& path) {
  Waypoints waypoints;
  for (const ob::State* state : path.getStates())
    waypoints.states.push_back(space.positions(state));
  return waypoints;
}

bool shorten(og::PathSimplifier& simplifier, og::PathGeometric& path) {
#if OMPL_VERSION_VALUE >= 1006000
  return simplifier.partialShortcutPath(path);
#else
  return simplifier.shortcutPath(path);
#endif
}

/// Shortens a path by rounds that depend on the seed alone, as long as they help and time is left.
///
/// Every round is certified as a whole, in the direction of travel; one that spoiled an edge
/// (states are rounded anew) is undone, so the path handed back is as certified as the one handed
/// in.
void simplify(const ompl::Setup& setup, const og::PathSimplifierPtr& simplifier,
              const CommonOptions& common, double seconds, og::PathGeometric& path) {
  const Stopwatch watch;
  for (int round = 0; round < 10 && path.getStateCount() > 2; ++round) {
    og::PathGeometric shorter(path);
    bool changed = false;
    const auto in_time = [&] { return watch.seconds() < seconds; };
    if (in_time()) changed = simplifier->reduceVertices(shorter) || changed;
    if (in_time()) changed = shorten(*simplifier, shorter) || changed;
    if (in_time()) changed = simplifier->collapseCloseVertices(shorter) || changed;
    if (!changed) return;
    const CertifiedPath proof = certify(setup.world(), waypoints_of(setup.space(), shorter),
                                        setup.context()->options(), common.threads);
    if (proof.tally.exit_status() != kAllFree) return;
    path = shorter;
    if (!in_time()) return;
  }
}

Json not_free_json(const PlanningProblem& problem, const EndVerdicts& verdicts) {
  Json json;
  if (verdicts.start.verdict != Verdict::kFree)
    json["start"] = state_json(*problem.world, "start", verdicts.start);
  if (verdicts.goal.verdict != Verdict::kFree)
    json["goal"] = state_json(*problem.world, "goal", verdicts.goal);
  return json;
}

int answer_ends_not_free(const PlanCommand& command, const PlanningProblem& problem,
                         const EndVerdicts& verdicts) {
  if (command.common.json) {
    Json answer = {{"solved", false}, {"reason", "start or goal is not free"}};
    answer.update(not_free_json(problem, verdicts));
    write_answer(dump(answer));
  } else {
    write_words("not solved: " + not_free_text(problem, command.common, verdicts));
  }
  return verdicts.exit_status();
}

struct Seconds {
  double planning = 0.0, simplifying = 0.0, certifying = 0.0;
};

Json plan_stats(const PlanCommand& command, const ompl::CheckStatistics& checks,
                const Seconds& seconds) {
  return {{"planner", command.planner},
          {"seed", command.seed},
          {"planning_seconds", seconds.planning},
          {"simplifying_seconds", seconds.simplifying},
          {"certifying_seconds", seconds.certifying},
          {"check_seconds", checks.seconds},
          {"states_checked", checks.states},
          {"motions_checked", checks.motions},
          {"undecided_states", checks.undecided_states},
          {"undecided_motions", checks.undecided_motions},
          {"intervals", checks.intervals},
          {"compositions", checks.compositions}};
}

std::string checks_text(const ompl::CheckStatistics& checks) {
  std::string text = number_text(checks.seconds, 3) + " s in " + std::to_string(checks.states) +
                     " state and " + std::to_string(checks.motions) + " motion checks";
  const std::uint64_t undecided = checks.undecided_states + checks.undecided_motions;
  if (undecided > 0) text += " (" + std::to_string(undecided) + " undecided, taken as not free)";
  return text;
}

int answer_not_solved(const PlanCommand& command, const std::string& reason,
                      const ompl::CheckStatistics& checks, const Seconds& seconds) {
  if (command.common.json)
    write_answer(dump(
        {{"solved", false}, {"reason", reason}, {"stats", plan_stats(command, checks, seconds)}}));
  else
    write_words("not solved: " + reason + "; " + checks_text(checks) + "\n");
  return kNotFree;
}

io::PathFile make_path_file(const PlanCommand& command, const PlanningProblem& problem,
                            const CertifiedPath& path, Json stats) {
  io::PathFile file;
  file.robot = command.common.robot;
  file.group = command.common.group;
  const JointOrder order = problem.order();
  file.joint_order = order.names();
  for (const Eigen::VectorXd& q : path.waypoints.states) file.states.push_back(order.values(q));
  for (const MotionResult& edge : path.edges) file.edges.push_back({edge.verdict, edge.distance});
  if (!problem.others.empty()) stats["others"] = problem.others;
  stats["clearance"] = command.common.clearance;
  file.stats_json = stats.dump();
  return file;
}

int answer_solved(const PlanCommand& command, const PlanningProblem& problem,
                  const CertifiedPath& path, double length, const ompl::CheckStatistics& checks,
                  const Seconds& seconds) {
  const Json stats = plan_stats(command, checks, seconds);
  if (!command.out.empty())
    io::save_path(make_path_file(command, problem, path, stats), command.out);
  std::optional<CertificateReport> written;
  if (!command.write_certificate.empty())
    written = write_certificate(problem.world, command.common, edges_of(path.waypoints),
                                command.write_certificate);
  const int status = written && !written->proven ? kNotFree : kAllFree;
  write_pictures(problem.world, path, command.planner + ", certified", command.html, command.gltf);
  if (command.common.json) {
    const JointOrder order = problem.order();
    Json states = Json::array();
    for (const Eigen::VectorXd& q : path.waypoints.states) states.push_back(order.values(q));
    Json answer = {{"solved", true}, {"certified", true}, {"length", length}};
    answer["distance"] = bracket_json(path.distance);
    answer["joint_order"] = order.names();
    answer["states"] = std::move(states);
    answer["edges"] = path_edges_json(*problem.world, path);
    if (written) answer["written_certificate"] = certificate_json(*written);
    answer["stats"] = stats;
    write_answer(dump(answer));
    return status;
  }
  std::string text = "solved by " + command.planner + " in " + number_text(seconds.planning, 3) +
                     " s: " + count_text(path.waypoints.states.size(), "state") + ", length " +
                     number_text(length, 6) + "\n";
  text += path.edges.size() == 1
              ? std::string("certified: its one edge is proven free")
              : "certified: all " + std::to_string(path.edges.size()) + " edges are proven free";
  if (command.common.clearance > 0.0)
    text += " with a clearance of " + number_text(command.common.clearance) + " m";
  if (path.distance) text += ", smallest distance " + bracket_text(*path.distance);
  text += "\n" + checks_text(checks) + "; simplified in " + number_text(seconds.simplifying, 3) +
          " s, certified in " + number_text(seconds.certifying, 3) + " s\n";
  const auto wrote = [&](const char* what, const std::string& file) {
    if (!file.empty()) text += std::string("wrote the ") + what + " to " + file + "\n";
  };
  wrote("path", command.out);
  wrote("page", command.html);
  wrote("animation", command.gltf);
  if (written) text += certificate_text(*written, true);
  write_words(text);
  return status;
}

void check_plan_options(const PlanCommand& command) {
  check_common_options(command.common);
  if (!std::isfinite(command.time) || command.time <= 0.0)
    usage_error("plan", "--time", number_text(command.time) + " is no time",
                "give seconds above 0");
  if (!std::isfinite(command.simplify_time) || command.simplify_time < 0.0)
    usage_error("plan", "--simplify-time", number_text(command.simplify_time) + " is no time",
                "give seconds, or 0 to leave the path as planned");
  if (command.seed < 1 || command.seed > 0xffffffffLL)
    usage_error("plan", "--seed", std::to_string(command.seed) + " is no seed of OMPL",
                "give a whole number from 1 to 4294967295");
  std::vector<NamedFile> inputs = input_files(command.ends);
  inputs.push_back({"--planner-config", command.planner_config});
  check_outputs(command.common,
                {{"--out", command.out},
                 {"--html", command.html},
                 {"--gltf", command.gltf},
                 {"--write-certificate", command.write_certificate}},
                inputs);
}

int run_plan(PlanCommand& command) {
  CommonOptions& common = command.common;
  check_plan_options(command);
  const OmplLog log(command.verbose);
  ::ompl::RNG::setSeed(
      static_cast<std::uint_fast32_t>(command.seed));  // before anything draws a number
  const PlannerSettings settings = load_planner_settings(command.planner_config);
  const PlanningProblem problem = load_problem(common, command.ends);
  const auto setup = make_setup(problem, common);
  setup->setPlanner(make_planner("plan", command.planner, setup->getSpaceInformation(), settings));
  const EndVerdicts verdicts = check_ends(problem, common);
  if (!verdicts.free()) return answer_ends_not_free(command, problem, verdicts);

  std::fprintf(stderr, "planning with %s for at most %g s\n", command.planner.c_str(),
               command.time);
  Seconds seconds;
  const Stopwatch planning;
  const ob::PlannerStatus status = setup->solve(time_limit(command.time, command.planner));
  seconds.planning = planning.seconds();
  if (status != ob::PlannerStatus::EXACT_SOLUTION || !setup->haveExactSolutionPath()) {
    const std::string reason = seconds.planning >= command.time
                                   ? "no path was found in " + number_text(command.time) + " s"
                                   : command.planner + " gave up after " +
                                         number_text(seconds.planning, 3) + " s (" +
                                         status.asString() + ")";
    return answer_not_solved(command, reason, setup->statistics(), seconds);
  }

  og::PathGeometric path = setup->getSolutionPath();
  std::fprintf(stderr, "found a path of %zu states; simplifying\n", path.getStateCount());
  const Stopwatch simplifying;
  simplify(*setup, setup->getPathSimplifier(), common, command.simplify_time, path);
  seconds.simplifying = simplifying.seconds();

  std::fprintf(stderr, "certifying %s\n", count_text(path.getStateCount() - 1, "edge").c_str());
  const Stopwatch certifying;
  const CertifiedPath proof = certify(*problem.world, waypoints_of(setup->space(), path),
                                      query_options(common), common.threads);
  seconds.certifying = certifying.seconds();
  if (proof.tally.exit_status() != kAllFree) {
    // Planners trust what they checked the other way round or before rounding; we do not.
    answer_not_solved(command,
                      "the planner's path is not certified: " + proof.tally.text() + " edges",
                      setup->statistics(), seconds);
    return proof.tally.exit_status();
  }
  return answer_solved(command, problem, proof, path.length(), setup->statistics(), seconds);
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  auto command = std::make_shared<PlanCommand>();
  CLI::App* sub =
      app.add_subcommand("plan", "Plans a path, simplifies it and certifies every edge of it");
  add_common_options(*sub, command->common);
  add_end_options(*sub, command->ends);
  std::string names;
  for (const std::string& name : planner_names()) names += " " + name;
  sub->add_option("--planner", command->planner,
                  "OMPL planner (default RRTConnect), one of" + names);
  sub->add_option("--planner-config", command->planner_config,
                  "Planner parameters (YAML, as config/planners.yaml)");
  sub->add_option("--time", command->time, "Seconds for planning (default 10)");
  sub->add_option("--simplify-time", command->simplify_time,
                  "Seconds after which no further simplification begins (default 5)");
  sub->add_option("--seed", command->seed, "Seed of OMPL's random numbers (default 1)");
  sub->add_option("--out", command->out, "Write the path (catena-path/1)");
  sub->add_option("--html", command->html, "Write a page that shows the path");
  sub->add_option("--gltf", command->gltf, "Write the animation as binary glTF");
  sub->add_option("--write-certificate", command->write_certificate,
                  "Write a certificate of the path, for `catena verify --certificate`");
  sub->add_flag("--verbose", command->verbose, "Show OMPL's own messages on stderr");
  sub->callback([command, &action] { action = [command] { return run_plan(*command); }; });
}

}  // namespace catena::command
