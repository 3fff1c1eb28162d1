#pragma once

#include <string>
#include <vector>

namespace catena::bench {

/// The main program of a benchmark whose benchmarks are registered by name "CASE/METHOD". Takes
/// Google Benchmark's options and --markdown: a Markdown table of those counters, a line a
/// benchmark. Returns the exit status.
int run_benchmarks(int argc, char** argv, std::vector<std::string> columns);

}  // namespace catena::bench
