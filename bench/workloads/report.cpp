#include "report.hpp"

#include <iomanip>
#include <string_view>

#include <benchmark/benchmark.h>

namespace catena::bench {
namespace {

class MarkdownReporter : public benchmark::BenchmarkReporter {
 public:
  explicit MarkdownReporter(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  bool ReportContext(const Context&) override {
    const auto& loads = benchmark::CPUInfo::Get().load_avg;
    GetOutputStream() << "load average " << (loads.empty() ? -1.0 : loads.front())
                      << "\n\n| case | method |";
    for (const std::string& column : columns_) GetOutputStream() << ' ' << column << " |";
    GetOutputStream() << " |\n| --- | --- |";
    for (size_t i = 0; i <= columns_.size(); ++i) GetOutputStream() << " --- |";
    GetOutputStream() << std::endl;
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::string& name = run.run_name.function_name;
      const size_t slash = name.rfind('/');
      std::ostream& out = GetOutputStream();
      out << "| " << name.substr(0, slash) << " | " << name.substr(slash + 1);
      if (!run.aggregate_name.empty()) out << ' ' << run.aggregate_name;
      for (const std::string& column : columns_) {
        const auto value = run.counters.find(column);
        out << " | ";
        if (value != run.counters.end()) out << std::setprecision(4) << value->second.value;
      }
      out << " | " << (run.error_occurred ? run.error_message : run.report_label) << " |"
          << std::endl;
    }
  }

 private:
  std::vector<std::string> columns_;
};

}  // namespace

int run_benchmarks(int argc, char** argv, std::vector<std::string> columns) {
  bool markdown = false;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--markdown") {
      markdown = true;
    } else {
      rest.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  if (markdown) {
    MarkdownReporter reporter(std::move(columns));
    benchmark::RunSpecifiedBenchmarks(&reporter);
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  benchmark::Shutdown();
  return 0;
}

}  // namespace catena::bench
