// `catena benchmark`: OMPL's own benchmark of several planners on one problem.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <ompl/tools/benchmark/Benchmark.h>
#include <ompl/util/RandomNumbers.h>
#include <CLI/CLI.hpp>

#include "catena/view/replace_file.hpp"
#include "ends.hpp"
#include "ompl_log.hpp"
#include "planner_factory.hpp"
#include "report.hpp"

namespace catena::command {
namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;
using Benchmark = ::ompl::tools::Benchmark;

struct BenchmarkCommand {
  CommonOptions common;
  EndOptions ends;
  std::vector<std::string> planners;
  std::string planner_config, out;
  int runs = 10;
  double time = 10.0, memory = 4096.0;
  std::int64_t seed = 1;
  bool verbose = false;
};

void check_benchmark_options(const BenchmarkCommand& command) {
  check_common_options(command.common);
  const auto refuse = [](const char* option, double value, const char* remedy) {
    usage_error("benchmark", option, number_text(value) + " cannot be used", remedy);
  };
  if (!std::isfinite(command.time) || command.time <= 0.0)
    refuse("--time", command.time, "give seconds above 0");
  if (!std::isfinite(command.memory) || command.memory <= 0.0)
    refuse("--memory", command.memory, "give megabytes above 0");
  if (command.runs < 1 || command.runs > 1'000'000)
    refuse("--runs", command.runs, "give a whole number from 1 to 1000000");
  if (command.seed < 1 || command.seed > 0xffffffffLL)
    refuse("--seed", static_cast<double>(command.seed), "give a whole number from 1 to 4294967295");
  std::vector<NamedFile> inputs = input_files(command.ends);
  inputs.push_back({"--planner-config", command.planner_config});
  check_outputs(command.common, {{"--out", command.out}}, inputs);
}

struct PlannerSummary {
  std::string name;
  int runs = 0, solved = 0, certified = 0;
  double median_seconds = 0.0;  ///< over all runs, the unsolved ones included
};

double number_of(const Benchmark::RunProperties& run, const char* key) {
  const auto found = run.find(key);
  return found == run.end() ? 0.0 : std::strtod(found->second.c_str(), nullptr);
}

PlannerSummary summarise(const Benchmark::PlannerExperiment& planner) {
  PlannerSummary summary;
  summary.name = planner.name;
  std::vector<double> seconds;
  for (const auto& run : planner.runs) {
    ++summary.runs;
    summary.solved += number_of(run, "solved BOOLEAN") != 0.0;
    summary.certified += number_of(run, "certified BOOLEAN") != 0.0;
    seconds.push_back(number_of(run, "time REAL"));
  }
  if (!seconds.empty()) {
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    summary.median_seconds = *middle;
  }
  return summary;
}

std::string answer_of(const BenchmarkCommand& command, const Benchmark& benchmark) {
  const auto& experiment = benchmark.getRecordedExperimentData();
  if (command.common.json) {
    Json planners = Json::array();
    for (const auto& planner : experiment.planners) {
      const PlannerSummary summary = summarise(planner);
      planners.push_back({{"planner", summary.name},
                          {"runs", summary.runs},
                          {"solved", summary.solved},
                          {"certified", summary.certified},
                          {"median_seconds", summary.median_seconds}});
    }
    Json answer = {{"planners", std::move(planners)}, {"time_limit", command.time}};
    answer["log"] = command.out.empty() ? Json() : Json(command.out);
    return dump(answer);
  }
  if (command.out.empty()) {
    std::ostringstream log;
    benchmark.saveResultsToStream(log);
    return log.str();
  }
  std::string text;
  for (const auto& planner : experiment.planners) {
    const PlannerSummary summary = summarise(planner);
    text += summary.name + ": " + std::to_string(summary.solved) + " of " +
            std::to_string(summary.runs) + " solved, " + std::to_string(summary.certified) +
            " certified, median " + number_text(summary.median_seconds, 3) + " s\n";
  }
  return text + "wrote the log to " + printable(command.out) + "\n";
}

int run_benchmark(BenchmarkCommand& command) {
  CommonOptions& common = command.common;
  check_benchmark_options(command);
  const OmplLog log(command.verbose);
  ::ompl::RNG::setSeed(static_cast<std::uint_fast32_t>(command.seed));
  const PlannerSettings settings = load_planner_settings(command.planner_config);
  const PlanningProblem problem = load_problem(common, command.ends);
  const auto setup = make_setup(problem, common);
  const EndVerdicts verdicts = check_ends(problem, common);
  if (!verdicts.free()) {
    const std::string text = not_free_text(problem, common, verdicts);
    if (common.json)
      write_answer(dump({{"planners", Json::array()}, {"reason", text}}));
    else
      write_words(text);
    return verdicts.exit_status();
  }

  Benchmark benchmark(*setup, std::filesystem::path(common.robot).stem().string());
  benchmark.addExperimentParameter("clearance", "REAL", number_text(common.clearance, 17));
  // A planner takes the problem's objective when it is set up, and its sampler asks again when it
  // runs; some leave one of their own there, which the next must not find.
  const auto choose_objective = [&](const std::string& name) {
    setup->setOptimizationObjective(nullptr);
    setup->choose_objective(name);
  };
  for (const std::string& name : command.planners) {
    choose_objective(name);
    const auto planner = make_planner("benchmark", name, setup->getSpaceInformation(), settings);
    planner->setProblemDefinition(setup->getProblemDefinition());
    setup->setup();
    planner->setup();
    benchmark.addPlanner(planner);
  }
  size_t switched = 0;
  benchmark.setPlannerSwitchEvent([&](const ob::PlannerPtr&) {
    if (switched < command.planners.size()) choose_objective(command.planners[switched++]);
  });
  int run = 0;
  ompl::CheckStatistics before;
  benchmark.setPreRunEvent([&](const ob::PlannerPtr& planner) {
    before = setup->statistics();
    std::fprintf(stderr, "%s: run %d of %d\n", planner->getName().c_str(), run++ % command.runs + 1,
                 command.runs);
  });
  benchmark.setPostRunEvent([&](const ob::PlannerPtr& planner,
                                Benchmark::RunProperties& properties) {
    const ompl::CheckStatistics now = setup->statistics();
    properties["time in checks REAL"] = number_text(now.seconds - before.seconds, 17);
    properties["undecided checks INTEGER"] =
        std::to_string(now.undecided_states + now.undecided_motions - before.undecided_states -
                       before.undecided_motions);
    bool certified = false;
    const ob::ProblemDefinitionPtr& definition = planner->getProblemDefinition();
    if (definition->hasExactSolution()) {
      const auto path = std::dynamic_pointer_cast<og::PathGeometric>(definition->getSolutionPath());
      certified = path != nullptr;
      if (path)
        for (const MotionResult& edge : setup->certify(*path))
          certified = certified && edge.verdict == Verdict::kFree;
    }
    properties["certified BOOLEAN"] = certified ? "1" : "0";
  });
  Benchmark::Request request(command.time, command.memory, static_cast<unsigned>(command.runs));
  request.displayProgress = false;  // it would go to stdout
  request.saveConsoleOutput = false;
  request.simplify = true;
  benchmark.benchmark(request);

  if (!command.out.empty())
    view::replace_file(command.out, "the log", [&](std::ostream& file) {
      if (!benchmark.saveResultsToStream(file)) file.setstate(std::ios::failbit);
    });
  int solved = 0;
  for (const auto& planner : benchmark.getRecordedExperimentData().planners)
    solved += summarise(planner).solved;
  write_answer(answer_of(command, benchmark));
  return solved > 0 ? kAllFree : kNotFree;
}

}  // namespace

void add_benchmark(CLI::App& app, Action& action) {
  auto command = std::make_shared<BenchmarkCommand>();
  CLI::App* sub = app.add_subcommand("benchmark", "OMPL's own benchmark log for several planners");
  add_common_options(*sub, command->common);
  add_end_options(*sub, command->ends);
  sub->add_option("--planner", command->planners, "OMPL planner, as for plan (repeatable)")
      ->required()
      ->allow_extra_args(false);
  sub->add_option("--planner-config", command->planner_config,
                  "Planner parameters (YAML, as config/planners.yaml)");
  sub->add_option("--runs", command->runs, "Runs of each planner (default 10)");
  sub->add_option("--time", command->time, "Seconds for each run (default 10)");
  sub->add_option("--memory", command->memory, "Megabytes for each run (default 4096)");
  sub->add_option("--seed", command->seed, "Seed of OMPL's random numbers (default 1)");
  sub->add_option("--out", command->out, "Write OMPL's log there; without it, to stdout");
  sub->add_flag("--verbose", command->verbose, "Show OMPL's own messages on stderr");
  sub->callback([command, &action] { action = [command] { return run_benchmark(*command); }; });
}

}  // namespace catena::command
