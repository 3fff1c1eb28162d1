// Checks the engine's verdicts on many edges against oracles that share no code with it.
//
//   soundness --edges N [--seed S] [--robot NAME] [--state FILE] [--splines] [--bulk] [--verbose]
//   soundness --adversary STARTS [--seed S] [--robot NAME] [--state FILE]
//
// Edge or start k depends on the seed and k alone, so that any one can be repeated with --only K,
// and a run that was cut short goes on from --state FILE. With --splines every motion is one. With
// --bulk doubles prove most edges, and 80 bits judge the rest: some ten times as many edges an
// hour.
// --robot chain256 is a chain of 256 links, which needs --bulk. Exit status 0 if no verdict was
// wrong.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "soundness/adversary.hpp"
#include "soundness/campaign.hpp"
#include "soundness/campaign_edges.hpp"
#include "soundness/edge_judge.hpp"

namespace catena::oracle {
namespace {

struct Arguments {
  std::uint64_t edges = 2000;
  std::uint64_t starts = 0;  // of the adversary, if not 0
  std::uint64_t seed = 1;
  std::string robot;  // all of them if empty
  std::string state;
  bool splines = false;
  bool bulk = false;
  std::int64_t only = -1;
  bool verbose = false;
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
    } else if (name == "--adversary") {
      a.starts = std::stoull(value());
    } else if (name == "--seed") {
      a.seed = std::stoull(value());
    } else if (name == "--robot") {
      a.robot = value();
    } else if (name == "--state") {
      a.state = value();
    } else if (name == "--splines") {
      a.splines = true;
    } else if (name == "--bulk") {
      a.bulk = true;
    } else if (name == "--only") {
      a.only = std::stoll(value());
    } else if (name == "--verbose") {
      a.verbose = true;
    } else {
      throw std::runtime_error(
          "unknown option " + name +
          "; use --edges N or --adversary STARTS, --seed S --robot NAME --state FILE --splines "
          "--bulk --only K --verbose");
    }
  }
  // The slow oracle looks at all pairs at each time.
  if (!a.bulk && a.starts == 0 && !a.robot.empty() && make_robot_spec(a.robot).links.size() > 100)
    throw std::runtime_error("--robot " + a.robot + ": is long; add --bulk");
  return a;
}

int run(const Arguments& arguments) {
  Counters counters;
  CampaignRobots robots;
  EdgeJudge judge(robots, counters, arguments.bulk, arguments.verbose);
  Adversary adversary(robots, counters, arguments.seed);
  const bool adverse = arguments.starts > 0;
  const char* what = adverse ? "starts" : "edges";
  std::uint64_t next = 0;
  if (!arguments.state.empty() && read_state(arguments.state, arguments.seed, next, counters))
    std::fprintf(stderr, "going on from %llu\n", static_cast<unsigned long long>(next));
  std::uint64_t end = adverse ? arguments.starts : arguments.edges;
  if (arguments.only >= 0) {
    next = static_cast<std::uint64_t>(arguments.only);
    end = next + 1;
  }
  const std::uint64_t first = next;
  const auto start = std::chrono::steady_clock::now();
  auto last = start;
  for (std::uint64_t k = next; k < end; ++k) {
    Edge edge;
    judge.k = k;
    try {
      if (adverse) {
        adversary.start(arguments.robot, k);
      } else {
        edge = make_edge(robots, arguments.robot, arguments.seed, k, arguments.splines);
        judge.judge(edge, k);
      }
    } catch (const std::exception& error) {
      judge.fail("exception", edge, error.what());
    }
    ++counters[what];
    const auto now = std::chrono::steady_clock::now();
    if (now - last > std::chrono::seconds(10)) {
      last = now;
      const double seconds = std::chrono::duration<double>(now - start).count();
      std::fprintf(stderr, "%llu of %llu %s, %.3g ms each\n",
                   static_cast<unsigned long long>(k + 1), static_cast<unsigned long long>(end),
                   what, 1e3 * seconds / double(k + 1 - first));
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
