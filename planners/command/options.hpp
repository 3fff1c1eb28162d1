#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace catena::command {

// Exit statuses, as docs and scripts rely on them.
inline constexpr int kAllFree = 0;    ///< everything free, solved or certified
inline constexpr int kNotFree = 1;    ///< something collides, not solved, start or goal not free
inline constexpr int kBadInput = 2;   ///< bad input or usage; nothing was answered
inline constexpr int kUndecided = 3;  ///< nothing collides, but something is undecided

/// What every command takes. Files as typed, relative to the working directory.
struct CommonOptions {
  std::string command;
  std::string robot;
  std::vector<std::string> scenes;
  std::vector<std::string> with;  ///< NAME=FILE@x,y,z,roll,pitch,yaw
  std::string srdf;
  std::string group;
  std::vector<std::string> packages;  ///< NAME=DIR
  std::vector<std::string> solid, surface;
  double clearance = 0.0;
  double tolerance = 1e-7;
  std::int64_t budget = 10'000'000;  ///< 0: none
  int threads = 0;                   ///< 0: as many as the machine has
  double cloud_radius = 0.01;
  bool distances = false;
  bool json = false;
};

/// Declares the common options on a subcommand; `options` must outlive the parsing.
void add_common_options(CLI::App& app, CommonOptions& options);

/// Refuses values that parsed as numbers but mean nothing. Throws io::InputError.
void check_common_options(const CommonOptions& options);

/// Throws io::InputError in the form of every other message: `catena COMMAND: OPTION: PROBLEM;
/// REMEDY`.
[[noreturn]] void usage_error(const std::string& command, const std::string& option,
                              const std::string& problem, const std::string& remedy);

/// An error of the library, `PROBLEM; REMEDY`, told of the input that it came from.
[[noreturn]] void input_error(const std::string& file, const std::string& element,
                              const std::exception& error, const std::string& remedy);

/// One number, whatever the locale; nothing else may follow it. Never NaN or infinite.
std::optional<double> parse_number(const std::string& text);

/// Numbers separated by commas; nothing if any of them is none.
std::optional<std::vector<double>> parse_numbers(const std::string& text);

/// NAME=VALUE, split at the first '='. Throws io::InputError unless both are there.
std::pair<std::string, std::string> split_assignment(const std::string& command,
                                                     const std::string& option,
                                                     const std::string& text);

/// JOINT=VALUE[,VALUE...] for joints outside the group.
std::map<std::string, std::vector<double>> parse_others(const std::string& command,
                                                        const std::vector<std::string>& texts);

/// A file that an option names; an empty path: none.
struct NamedFile {
  std::string option, path;
};

/// Refuses output files that could not be written later, two of the same path, and one that would
/// replace an input: those of the common options, and `inputs`. Before any work starts.
void check_outputs(const CommonOptions& options, const std::vector<NamedFile>& outputs,
                   const std::vector<NamedFile>& inputs);

/// Set by the subcommand that was named; run after parsing.
using Action = std::function<int()>;

void add_info(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_benchmark(CLI::App& app, Action& action);

/// Text as a terminal may have it: names and file names are anyone's, so control characters become
/// \x1b and the like. Line ends too, unless `lines` are meant.
std::string printable(const std::string& text, bool lines = false);

/// "1 edge", "3 edges".
std::string count_text(std::size_t count, const std::string& noun);

/// "warning: TEXT" on stderr.
void print_warning(const std::string& text);

/// Writes the whole answer to stdout; throws std::runtime_error if it does not arrive there.
void write_answer(const std::string& text);

/// The same for words, which are made printable.
void write_words(const std::string& text);

}  // namespace catena::command
