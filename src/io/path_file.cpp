#include "catena/io/path_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

constexpr const char* kFormat = "catena-path/1";

void write_text(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr const char* kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void write_number(std::string& out, double x, const char* what) {
  if (!std::isfinite(x)) {
    throw std::invalid_argument(std::string("save_path: ") + what +
                                " holds a value that is not a finite number");
  }
  // A JSON reader takes -0 for the integer 0.
  out += x == 0.0 && std::signbit(x)
             ? "-0.0"
             : show(x);  // the shortest text that reads back as the same double: at most 17 digits
}

void write_numbers(std::string& out, const std::vector<double>& values, const char* what) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    write_number(out, values[i], what);
  }
  out += ']';
}

void write_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      out += "null";
      break;
    case Value::Kind::kBool:
      out += value.boolean ? "true" : "false";
      break;
    case Value::Kind::kNumber:
      out += show(value.number);
      break;
    case Value::Kind::kString:
      write_text(out, value.text);
      break;
    case Value::Kind::kArray:
    case Value::Kind::kObject: {
      const bool object = value.kind == Value::Kind::kObject;
      out += object ? '{' : '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ", ";
        if (object) {
          write_text(out, value.keys[i]);
          out += ": ";
        }
        write_value(out, value.items[i]);
      }
      out += object ? '}' : ']';
      break;
    }
  }
}

Verdict verdict_of(const Element& value) {
  for (const Verdict verdict : {Verdict::kFree, Verdict::kCollision, Verdict::kUndecided}) {
    if (value.string() == name_of(verdict)) return verdict;
  }
  value.fail("unknown verdict \"" + value.string() + "\"", "known are free, collision, undecided");
}

// The names in joint_order, each once.
std::vector<std::string> joint_names(const Element& order) {
  std::vector<std::string> names = order.strings();
  std::set<std::string> joints;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!joints.insert(names[i]).second) {
      order[i].fail("joint \"" + names[i] + "\" is given twice", "keep one of them");
    }
  }
  return names;
}

void require_increasing(const Element& where, double before, double now) {
  if (now > before) return;
  where.fail(
      "the state is reached at " + show(now) + " s, the one before at " + show(before) + " s",
      "give a trajectory times that increase");
}

// One list of velocities or accelerations: as many as the state's values, or none.
std::vector<double> slope_of(const Element& list, std::size_t num_values) {
  std::vector<double> values = list.numbers();
  if (!values.empty() && values.size() != num_values) {
    list.fail(
        std::to_string(values.size()) + " values, but the state has " + std::to_string(num_values),
        "give one for each, or none");
  }
  return values;
}

void require_velocity(const Element& where, const PathFile::Slopes& slopes, std::size_t i) {
  if (slopes.accelerations[i].empty() || !slopes.velocities[i].empty()) return;
  where.fail("accelerations without velocities", "give both, or neither");
}

void read_slopes(const Element& root, PathFile& file) {
  const auto interpolation = root.find("interpolation");
  if (interpolation && interpolation->string() != "spline") {
    interpolation->fail("unknown interpolation \"" + interpolation->string() + "\"",
                        "write \"spline\", or leave it out for straight edges");
  }
  if (!interpolation) {
    for (const char* name : {"velocities", "accelerations"}) {
      if (const auto given = root.find(name)) {
        given->fail("a path of straight edges has none",
                    "write \"interpolation\": \"spline\" as well, or leave them out");
      }
    }
    return;
  }
  if (!file.times)
    interpolation->fail("a spline needs times", "give \"times\", one for each state");
  const Element times = root.at("times");
  for (std::size_t i = 1; i < file.states.size(); ++i) {
    require_increasing(times[i], (*file.times)[i - 1], (*file.times)[i]);
  }
  PathFile::Slopes& slopes = file.slopes.emplace();
  const auto read = [&](const char* name, std::vector<std::vector<double>>& to) {
    to.resize(file.states.size());
    const auto given = root.find(name);
    if (!given) return;
    given->require_array();
    if (given->size() != file.states.size()) {
      given->fail(std::to_string(given->size()) + " lists for " +
                      std::to_string(file.states.size()) + " states",
                  "give one for each state, empty where there is none");
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = slope_of((*given)[i], file.states[i].size());
    }
  };
  read("velocities", slopes.velocities);
  read("accelerations", slopes.accelerations);
  for (std::size_t i = 0; i < file.states.size(); ++i) {
    require_velocity(root.at("states")[i], slopes, i);
  }
}

// A time as ROS messages hold it: sec and nanosec (ROS 2), secs and nsecs (ROS 1), or seconds.
double seconds_of(const Element& time) {
  if (time.value().kind == Value::Kind::kNumber) return time.number();
  time.require_object();
  const bool ros2 = time.find("sec").has_value();
  if (ros2) {
    time.allow_only({"sec", "nanosec"});
  } else {
    time.allow_only({"secs", "nsecs"});
  }
  const Element whole = time.at(ros2 ? "sec" : "secs");
  const auto part = time.find(ros2 ? "nanosec" : "nsecs");
  return whole.number() + (part ? 1e-9 * part->number() : 0.0);
}

// trajectory_msgs/JointTrajectory, alone or within a moveit_msgs/RobotTrajectory. A key that is
// none of the message's is refused: a misspelt one would leave another motion to be proven.
PathFile read_trajectory(const Element& root) {
  if (root.has("joint_trajectory")) {
    root.allow_only({"joint_trajectory", "multi_dof_joint_trajectory"});
  }
  if (const auto bases = root.find("multi_dof_joint_trajectory")) {
    const auto points = bases->find("points");
    if (points && points->require_array().size() > 0) {
      points->fail("trajectories of joints with several values are not read",
                   "write a catena-path/1 file, in which planar and floating joints have theirs");
    }
  }
  const auto inner = root.find("joint_trajectory");
  const Element message = inner ? *inner : root;
  message.allow_only({"header", "joint_names", "points"});
  PathFile file;
  file.order_key = "joint_names";
  file.joint_order = joint_names(message.at("joint_names"));
  const Element points = message.at("points").require_array();
  if (points.size() == 0) points.fail("no point", "a trajectory has one point at least");
  std::vector<double>& times = file.times.emplace();
  PathFile::Slopes& slopes = file.slopes.emplace();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Element point = points[i];
    point.allow_only({"positions", "velocities", "accelerations", "effort", "time_from_start"});
    const Element positions = point.at("positions");
    file.states.push_back(positions.numbers());
    const std::size_t n = file.states.back().size();
    if (n != file.joint_order.size()) {
      positions.fail(std::to_string(n) + " values, but joint_names names " +
                         std::to_string(file.joint_order.size()) + " joints",
                     "give each joint one");
    }
    const Element time = point.at("time_from_start");
    times.push_back(seconds_of(time));
    if (i > 0) require_increasing(time, times[i - 1], times[i]);
    const auto optional = [&](const char* name) {
      const auto list = point.find(name);
      return list ? slope_of(*list, n) : std::vector<double>();
    };
    slopes.velocities.push_back(optional("velocities"));
    slopes.accelerations.push_back(optional("accelerations"));
    require_velocity(point, slopes, i);
  }
  return file;
}

bool is_trajectory(const Element& root) {
  return root.find("joint_trajectory") || (root.find("joint_names") && root.find("points"));
}

PathFile read_json(const std::string& text, const std::string& path) {
  const Value document = parse_json(text, path);
  const Element root(document, path, "");
  if (is_trajectory(root)) return read_trajectory(root);
  if (root.require_object().find("format") == std::nullopt) {
    root.fail("it is no path: \"format\" is missing",
              std::string("write \"format\": \"") + kFormat +
                  "\", or give a ROS message with \"joint_names\" and \"points\"");
  }
  const Element format = root.at("format");
  if (format.string() != kFormat) {
    format.fail("unknown format \"" + format.string() + "\"",
                std::string("this version reads \"") + kFormat + "\"");
  }
  root.allow_only({"format", "robot", "group", "joint_order", "states", "times", "interpolation",
                   "velocities", "accelerations", "edges", "stats"});
  PathFile file;
  if (const auto robot = root.find("robot")) file.robot = robot->string();
  if (const auto group = root.find("group")) file.group = group->string();
  file.joint_order = joint_names(root.at("joint_order"));

  const Element states = root.at("states").require_array();
  for (std::size_t i = 0; i < states.size(); ++i) {
    file.states.push_back(states[i].numbers());
    const std::size_t size = file.states.back().size();
    if (size != file.states.front().size() || size < file.joint_order.size()) {
      states[i].fail(
          std::to_string(size) + " values, but " +
              (size < file.joint_order.size()
                   ? "joint_order names " + std::to_string(file.joint_order.size()) + " joints"
                   : "states[0] has " + std::to_string(file.states.front().size())),
          "give each state every value");
    }
  }
  if (states.size() == 0) states.fail("no state", "a path has one state at least");

  if (const auto times = root.find("times")) {
    file.times = times->numbers();
    if (file.times->size() != file.states.size()) {
      times->fail(std::to_string(file.times->size()) + " times for " +
                      std::to_string(file.states.size()) + " states",
                  "give one for each state");
    }
    for (std::size_t i = 1; i < file.times->size() && !root.find("interpolation"); ++i) {
      if ((*file.times)[i] < (*file.times)[i - 1]) {
        (*times)[i].fail("times run backwards", "give times that do not decrease");
      }
    }
  }
  read_slopes(root, file);
  if (const auto edges = root.find("edges")) {
    edges->require_array();
    if (edges->size() != 0 && edges->size() + 1 != file.states.size()) {
      edges->fail(std::to_string(edges->size()) + " edges for " +
                      std::to_string(file.states.size()) + " states",
                  "give one between every two states, or none");
    }
    for (std::size_t i = 0; i < edges->size(); ++i) {
      const Element item = (*edges)[i];
      PathFile::Edge edge;
      edge.verdict = verdict_of(item.at("verdict"));
      if (const auto distance = item.find("distance")) {
        const std::vector<double> bracket = distance->numbers();
        if (bracket.size() != 2 || bracket[0] > bracket[1]) {
          distance->fail("not a bracket", "give [lower, upper]");
        }
        edge.distance = Interval{bracket[0], bracket[1]};
      }
      file.edges.push_back(edge);
    }
  }
  if (const auto stats = root.find("stats")) {
    stats->require_object();
    write_value(file.stats_json, stats->value());
  }
  return file;
}

// OMPL's PathGeometric::printAsMatrix: one state a line, an empty line at the end.
PathFile read_matrix(std::string_view text, const std::string& path) {
  PathFile file;
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = text.find('\n');
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::vector<double> state;
    std::size_t at = 0;
    while ((at = row.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
      const std::size_t stop = std::min(row.find_first_of(" \t\r", at), row.size());
      const std::string word(row.substr(at, stop - at));
      const std::optional<double> x = read_decimal(word);
      if (!x) {
        throw InputError(path, line, "value " + std::to_string(state.size() + 1),
                         "\"" + word.substr(0, 40) + "\" is not a finite number",
                         "write a JSON path file, or one state a line");
      }
      state.push_back(*x);
      at = stop;
    }
    if (state.empty()) continue;
    if (!file.states.empty() && state.size() != file.states.front().size()) {
      throw InputError(path, line, "state " + std::to_string(file.states.size()),
                       std::to_string(state.size()) + " values, but the first state has " +
                           std::to_string(file.states.front().size()),
                       "give each state every value");
    }
    file.states.push_back(std::move(state));
  }
  if (file.states.empty()) {
    throw InputError(path, 0, "", "no state", "a path has one state at least");
  }
  return file;
}

}  // namespace

PathFile load_path(const std::string& path) {
  const std::string text = read_text_file(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (json) return read_json(text, path);
  // What ROS prints of a message; a matrix has no such words.
  if (text.find("joint_names") != std::string::npos) {
    const Value document = parse_yaml(text, path);
    return read_trajectory(Element(document, path, ""));
  }
  return read_matrix(text, path);
}

void save_path(const PathFile& file, const std::string& path) {
  if (!file.edges.empty() && file.edges.size() + 1 != file.states.size()) {
    throw std::invalid_argument("save_path: there must be one edge fewer than states, or none");
  }
  if (file.times && file.times->size() != file.states.size()) {
    throw std::invalid_argument("save_path: there must be as many times as states");
  }
  if (file.slopes && (!file.times || file.slopes->velocities.size() != file.states.size() ||
                      file.slopes->accelerations.size() != file.states.size())) {
    throw std::invalid_argument(
        "save_path: a trajectory needs times, velocities and accelerations, as many as states");
  }
  for (std::size_t i = 0; file.slopes && i < file.states.size(); ++i) {
    const std::size_t v = file.slopes->velocities[i].size(), n = file.states[i].size();
    const std::size_t a = file.slopes->accelerations[i].size();
    if ((v != 0 && v != n) || (a != 0 && (a != n || v == 0)) ||
        (i > 0 && !((*file.times)[i] > (*file.times)[i - 1]))) {
      throw std::invalid_argument(
          "save_path: a trajectory's times must increase, and its lists be empty or as long as a "
          "state; accelerations need velocities");
    }
  }
  std::string out = "{\n  \"format\": \"";
  out += kFormat;
  out += "\",\n  \"robot\": ";
  write_text(out, file.robot);
  out += ",\n  \"group\": ";
  write_text(out, file.group);
  out += ",\n  \"joint_order\": [";
  for (std::size_t i = 0; i < file.joint_order.size(); ++i) {
    if (i > 0) out += ", ";
    write_text(out, file.joint_order[i]);
  }
  out += ']';
  const auto write_lists = [&](const char* name, const std::vector<std::vector<double>>& lists) {
    out += ",\n  \"" + std::string(name) + "\": [";
    for (std::size_t i = 0; i < lists.size(); ++i) {
      out += i > 0 ? ",\n    " : "\n    ";
      write_numbers(out, lists[i], name);
    }
    out += "\n  ]";
  };
  write_lists("states", file.states);
  if (file.times) {
    out += ",\n  \"times\": ";
    write_numbers(out, *file.times, "times");
  }
  if (file.slopes) {
    out += ",\n  \"interpolation\": \"spline\"";
    write_lists("velocities", file.slopes->velocities);
    write_lists("accelerations", file.slopes->accelerations);
  }
  if (!file.edges.empty()) {
    out += ",\n  \"edges\": [";
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
      out += i > 0 ? ",\n    " : "\n    ";
      out += "{\"verdict\": ";
      write_text(out, name_of(file.edges[i].verdict));
      if (file.edges[i].distance) {
        out += ", \"distance\": ";
        write_numbers(out, {file.edges[i].distance->lo, file.edges[i].distance->hi}, "a distance");
      }
      out += '}';
    }
    out += "\n  ]";
  }
  if (!file.stats_json.empty()) {
    const Value stats = parse_json(file.stats_json, path);
    out += ",\n  \"stats\": ";
    write_value(out, stats);
  }
  out += "\n}\n";

  // A reader never sees half a file: written beside, then put in place.
  namespace fs = std::filesystem;
  std::error_code error;
  const bool in_place = fs::exists(path, error) && !fs::is_regular_file(path, error);
  const std::string target = in_place ? path : path + ".part";
  {
    std::ofstream stream(target, std::ios::binary);
    stream << out;
    stream.close();
    if (!stream) {
      if (!in_place) fs::remove(target, error);
      throw InputError(path, 0, "", "the file cannot be written",
                       "check that the folder is there, its permissions and the free space");
    }
  }
  if (!in_place) {
    fs::rename(target, path, error);
    if (error) {
      fs::remove(target, error);
      throw InputError(path, 0, "", "the file cannot be written", "check the folder's permissions");
    }
  }
}

}  // namespace catena::io
