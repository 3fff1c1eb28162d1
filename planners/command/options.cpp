#include "options.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "catena/io/input_error.hpp"

namespace catena::command {

void add_common_options(CLI::App& app, CommonOptions& options) {
  options.command = app.get_name();
  app.add_option("robot", options.robot, "Robot: a URDF or xacro file")->required();
  // One value for each time the option is given: a list must not swallow what follows it.
  const auto add_list = [&](const char* name, std::vector<std::string>& list, const char* help) {
    return app.add_option(name, list, help)->allow_extra_args(false);
  };
  add_list("--scene", options.scenes, "Scene file; given several times, scenes add up");
  add_list("--with", options.with, "A further robot: NAME=FILE@x,y,z,roll,pitch,yaw (m, rad)");
  app.add_option("--srdf", options.srdf, "SRDF of the robot: groups, states, disabled pairs");
  app.add_option(
      "--group", options.group,
      "Group whose joints move; default: that of the path or the request, else all joints");
  add_list("--package", options.packages, "Where package://NAME/ is: NAME=DIR");
  add_list("--solid", options.solid,
           "Link or scene object whose meshes count as solid; they must be closed");
  add_list("--surface", options.surface,
           "Link or scene object whose meshes count as surfaces only");
  app.add_option("--clearance", options.clearance,
                 "Metres: free means farther apart than this (default 0)");
  app.add_option("--tolerance", options.tolerance,
                 "Metres: the most that the undecided band measures (default 1e-7)");
  app.add_option("--budget", options.budget,
                 "Visited pairs before a question is undecided; 0: no limit (default " +
                     std::to_string(options.budget) + ")");
  app.add_option(
      "--threads", options.threads,
      "Threads for independent questions; 0: all (default); answers do not depend on it");
  app.add_option("--cloud-radius", options.cloud_radius,
                 "Metres: radius of each point of a point cloud (default 0.01)");
  app.add_flag("--distances", options.distances,
               "Also bracket the smallest distance of free edges");
  app.add_flag("--json", options.json, "Answer as one JSON document");
}

void check_common_options(const CommonOptions& options) {
  const auto refuse = [&](const char* option, double value, const char* problem,
                          const char* remedy) {
    char text[64];
    std::snprintf(text, sizeof text, "%g %s", value, problem);
    usage_error(options.command, option, text, remedy);
  };
  if (!std::isfinite(options.clearance) || options.clearance < 0.0)
    refuse("--clearance", options.clearance, "is no distance", "give metres >= 0");
  if (!std::isfinite(options.tolerance) || options.tolerance <= 0.0)
    refuse("--tolerance", options.tolerance, "is no width", "give metres > 0, as 1e-7");
  if (!std::isfinite(options.cloud_radius) || options.cloud_radius <= 0.0)
    refuse("--cloud-radius", options.cloud_radius, "is no radius", "give metres > 0");
  if (options.budget < 0)
    refuse("--budget", static_cast<double>(options.budget), "is no number of visits",
           "give a whole number, 0 for no limit");
  if (options.threads < 0 || options.threads > 4096)
    refuse("--threads", options.threads, "is no number of threads", "give 0 (all) to 4096");
}

void usage_error(const std::string& command, const std::string& option, const std::string& problem,
                 const std::string& remedy) {
  throw io::InputError("catena " + command, 0, option, problem, remedy);
}

void input_error(const std::string& file, const std::string& element, const std::exception& error,
                 const std::string& remedy) {
  const std::string text = error.what();
  const size_t split = text.rfind("; ");
  if (split == std::string::npos) throw io::InputError(file, 0, element, text, remedy);
  throw io::InputError(file, 0, element, text.substr(0, split), text.substr(split + 2));
}

std::optional<double> parse_number(const std::string& text) {
  const char* first = text.data();
  const char* last = first + text.size();
  while (first != last && *first == ' ') ++first;
  while (first != last && last[-1] == ' ') --last;
  if (first != last && *first == '+' && last - first > 1 && first[1] != '-') ++first;
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> parse_numbers(const std::string& text) {
  std::vector<double> values;
  for (size_t begin = 0;;) {
    const size_t comma = text.find(',', begin);
    const auto value = parse_number(text.substr(begin, comma - begin));
    if (!value) return std::nullopt;
    values.push_back(*value);
    if (comma == std::string::npos) return values;
    begin = comma + 1;
  }
}

std::pair<std::string, std::string> split_assignment(const std::string& command,
                                                     const std::string& option,
                                                     const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    usage_error(command, option, "\"" + text + "\" is not of the form NAME=VALUE",
                "write a name, '=' and what it stands for");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::vector<double>> parse_others(const std::string& command,
                                                        const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<double>> others;
  for (const std::string& text : texts) {
    const auto [joint, values] = split_assignment(command, "--other", text);
    const auto numbers = parse_numbers(values);
    if (!numbers)
      usage_error(command, "--other", "\"" + values + "\" is no list of numbers",
                  "write JOINT=VALUE, or JOINT=V1,V2,... for a joint of several values");
    if (!others.emplace(joint, *numbers).second)
      usage_error(command, "--other", "joint \"" + joint + "\" is given twice", "keep one of them");
  }
  return others;
}

namespace {

namespace fs = std::filesystem;

void check_output(const std::string& command, const std::string& option, const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (fs::is_directory(path, ignored))
    usage_error(command, option, "\"" + path + "\" is a folder", "name a file");
  if (!fs::is_directory(folder, ignored))
    usage_error(command, option, "there is no folder \"" + folder.string() + "\"", "make it first");
  // A file is written beside its place and renamed into it, so its folder must be writable too.
  const bool exists = fs::exists(path, ignored);
  const bool special = exists && !fs::is_regular_file(path, ignored);
  if ((exists && access(path.c_str(), W_OK) != 0) ||
      (!special && access(folder.c_str(), W_OK) != 0))
    usage_error(command, option, "\"" + path + "\" cannot be written",
                "choose another place or change the permissions of the file and its folder");
}

/// Whether writing one path would change what the other reads. Devices and pipes hold nothing.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, error), error);
  return whole_a == whole_b;
}

}  // namespace

void check_outputs(const CommonOptions& options, const std::vector<NamedFile>& outputs,
                   const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> read = {{"the robot", options.robot}, {"--srdf", options.srdf}};
  for (const std::string& scene : options.scenes) read.push_back({"--scene", scene});
  for (const std::string& with : options.with) {
    const std::string file = with.substr(with.find('=') + 1);  // NAME=FILE@POSE
    read.push_back({"--with", file});
    read.push_back({"--with", file.substr(0, file.rfind('@'))});
  }
  read.insert(read.end(), inputs.begin(), inputs.end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    check_output(options.command, option, path);
    for (size_t k = 0; k < i; ++k)
      if (!outputs[k].path.empty() && is_same_file(path, outputs[k].path))
        usage_error(options.command, option,
                    "\"" + path + "\" is what " + outputs[k].option + " writes as well",
                    "give every output a file of its own");
    for (const NamedFile& input : read)
      if (!input.path.empty() && is_same_file(path, input.path))
        usage_error(options.command, option,
                    "it would overwrite \"" + input.path + "\", which " + input.option + " names",
                    "write to another file");
  }
}

std::string printable(const std::string& text, bool lines) {
  std::string result;
  const auto escape = [&](unsigned char byte) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    result += code;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F: controls in UTF-8
      escape(next);
      ++i;
    } else if ((byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7f) {
      escape(byte);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string count_text(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void print_warning(const std::string& text) {
  std::fprintf(stderr, "warning: %s\n", printable(text).c_str());
}

void write_answer(const std::string& text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("the answer could not be written to stdout; is the disk full?");
}

void write_words(const std::string& text) { write_answer(printable(text, true)); }

}  // namespace catena::command
