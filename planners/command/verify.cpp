// `catena verify`: certifies every edge of a path that anyone made.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "catena/io/input_error.hpp"
#include "catena/io/path_file.hpp"
#include "certificate.hpp"
#include "certify.hpp"
#include "path_others.hpp"

namespace catena::command {
namespace {

struct VerifyCommand {
  CommonOptions common;
  std::string path, html, gltf, certificate, write_certificate;
  std::vector<std::string> others;
};

Waypoints path_waypoints(const io::PathFile& file, const VerifyCommand& command,
                         const CollisionWorld& world, const JointGroup& group) {
  const Robot& robot = world.robot();
  OtherValues others = parse_others("verify", command.others);
  std::string source = "catena verify", element = "--other";
  if (others.empty()) {
    others = read_others(file, command.path);
    source = command.path;
    element = "stats.others";
  }
  others = add_scene_state(world, group, std::move(others));
  const Eigen::VectorXd base = base_positions(robot, group, others, source, element);
  const JointOrder order =
      file.joint_order.empty()
          ? JointOrder(robot, group)  // a plain matrix names no joints
          : JointOrder(robot, group, file.joint_order, command.path, file.order_key);
  Waypoints path;
  path.times = file.times.value_or(std::vector<double>());
  for (size_t i = 0; i < file.states.size(); ++i) {
    path.states.push_back(
        order.positions(file.states[i], base, command.path, "states[" + std::to_string(i) + "]"));
    if (!file.slopes) continue;
    const auto slope = [&](const std::vector<double>& values) {
      return values.empty() ? Eigen::VectorXd()
                            : order.put(values, Eigen::VectorXd::Zero(robot.num_positions()));
    };
    path.slopes.push_back(
        {slope(file.slopes->velocities[i]), slope(file.slopes->accelerations[i])});
  }
  Motion motion;
  for (int i = 0; i < path.num_edges(); ++i) {
    try {
      path.set_motion(robot, i, motion);
    } catch (const std::invalid_argument& error) {
      input_error(command.path, "edge " + std::to_string(i), error,
                  "give states between which the joints can move");
    }
  }
  return path;
}

/// A path names the robot and the group that it was made for. It may well be verified for others
/// of the same joints, as a robot with finer meshes, but not unsaid.
void warn_of_mismatch(const io::PathFile& file, const VerifyCommand& command) {
  const CommonOptions& options = command.common;
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  if (!file.robot.empty() && name(file.robot) != name(options.robot))
    print_warning(command.path + ": robot: the path was made for \"" + file.robot +
                  "\"; it is verified for \"" + options.robot + "\"");
  if (!file.group.empty() && !options.group.empty() && file.group != options.group)
    print_warning(command.path + ": group: the path was made for \"" + file.group +
                  "\"; it is verified for \"" + options.group + "\"");
  if (file.states.size() == 1)
    print_warning(command.path +
                  ": states: there is one, so that this state is verified and no edge");
}

/// How many edges of a trajectory are lines, cubics, quintics.
std::map<std::string, int> count_kinds(const Waypoints& waypoints) {
  std::map<std::string, int> kinds = {{"line", 0}, {"cubic", 0}, {"quintic", 0}};
  for (int i = 0; i < waypoints.num_edges(); ++i)
    if (const auto spline = waypoints.spline(i))
      ++kinds[spline->from.acceleration.size() != 0 ? "quintic"
              : spline->from.velocity.size() != 0   ? "cubic"
                                                    : "line"];
  return kinds;
}

/// What was proven of a trajectory is what it was read as.
std::string kinds_text(const Waypoints& waypoints) {
  if (waypoints.slopes.empty()) return "";
  std::string text;
  for (const auto& [kind, count] : count_kinds(waypoints))
    if (count > 0)
      text += (text.empty() ? "" : ", ") + count_text(static_cast<size_t>(count), kind);
  return text.empty() ? "" : text + ": ";
}

/// When the contact of an edge is, if states have times.
std::optional<double> contact_seconds(const CertifiedPath& path, int index) {
  const auto i = static_cast<size_t>(index);
  const std::vector<double>& times = path.waypoints.times;
  if (i + 1 >= times.size() || !path.edges[i].contact) return std::nullopt;
  return times[i] + *path.edges[i].contact * (times[i + 1] - times[i]);
}

int run_verify(VerifyCommand& command) {
  CommonOptions& options = command.common;
  check_common_options(options);
  check_outputs(options,
                {{"--html", command.html},
                 {"--gltf", command.gltf},
                 {"--write-certificate", command.write_certificate}},
                {{"--path", command.path}, {"--certificate", command.certificate}});
  const io::PathFile file = io::load_path(command.path);
  if (file.states.empty())
    throw io::InputError(command.path, 0, "states", "there is none", "give at least one state");
  warn_of_mismatch(file, command);
  ProblemLoader loader(options);
  const auto world = loader.world();
  if (options.group.empty() && !file.group.empty()) {
    if (world->robot().find_group(file.group) == nullptr)
      throw io::InputError(
          command.path, 0, "group",
          "the robot has no group \"" + file.group + "\", for which the path was made",
          "name the SRDF that has it with --srdf, or another group with --group");
    options.group = file.group;
  }
  const JointGroup group = find_group(world->robot(), options);
  const CertifiedPath path = certify(*world, path_waypoints(file, command, *world, group),
                                     query_options(options), options.threads);
  const bool all_free = path.tally.exit_status() == kAllFree;
  std::optional<CertificateReport> written, rechecked;
  if (!command.certificate.empty())
    rechecked = recheck_certificate(*world, options, edges_of(path.waypoints), command.certificate);
  if (!command.write_certificate.empty() && all_free)
    written =
        write_certificate(world, options, edges_of(path.waypoints), command.write_certificate);
  const bool refused = (rechecked && !rechecked->proven) || (written && !written->proven);
  const int status = all_free && refused ? kNotFree : path.tally.exit_status();
  write_pictures(world, path, std::filesystem::path(command.path).filename().string(), command.html,
                 command.gltf);

  if (options.json) {
    Json answer = {{"path", command.path},
                   {"states", path.waypoints.states.size()},
                   {"certified", all_free},
                   {"free", path.tally.free},
                   {"collision", path.tally.collision},
                   {"undecided", path.tally.undecided}};
    answer["first_collision"] = path.first_collision ? Json(*path.first_collision) : Json();
    if (!path.waypoints.times.empty()) {
      const auto time =
          path.first_collision ? contact_seconds(path, *path.first_collision) : std::nullopt;
      answer["first_contact_seconds"] = time ? Json(*time) : Json();
    }
    if (!path.waypoints.slopes.empty()) answer["splines"] = count_kinds(path.waypoints);
    answer["distance"] = bracket_json(path.distance);
    answer["edges"] = path_edges_json(*world, path);
    if (rechecked) answer["certificate"] = certificate_json(*rechecked);
    if (written) answer["written_certificate"] = certificate_json(*written);
    answer["stats"] = stats_json(path.stats);
    answer["stats"]["check_seconds"] = path.seconds;
    write_answer(dump(answer));
    return status;
  }
  const bool one_state = path.waypoints.states.size() == 1;
  const auto say_first = [&](const std::optional<int>& index, const char* kind) {
    if (!index) return std::string();
    const std::string where = one_state ? std::string("the one state")
                                        : "edge " + std::to_string(*index) + " (states " +
                                              std::to_string(*index) + " to " +
                                              std::to_string(*index + 1) + ")";
    const MotionResult& edge = path.edges[static_cast<size_t>(*index)];
    const auto time = contact_seconds(path, *index);
    return std::string("first ") + kind + ": " + where + ": " +
           motion_text(*world, edge, path.budget) +
           (time ? ", at " + number_text(*time) + " s" : "") + "\n";
  };
  std::string text =
      say_first(path.first_collision, "collision") + say_first(path.first_undecided, "undecided");
  if (text.empty())
    text = one_state ? "certified: the one state is proven free; there is no edge\n"
                     : "certified: every edge is proven free\n";
  const size_t objects = world->scene().objects.size(), robots = options.with.size();
  const std::string others = robots == 0 ? "" : count_text(robots, "further robot") + " and ";
  text += "against " + others +
          (objects > 0   ? count_text(objects, "scene object") + " and the robot itself"
           : robots == 0 ? std::string("the robot alone, with no scene")
                         : std::string("the robot itself, with no scene")) +
          ", clearance " + number_text(options.clearance) + " m\n";
  if (path.distance) text += "smallest distance " + bracket_text(*path.distance) + "\n";
  text += (one_state ? "1 state" : count_text(path.edges.size(), "edge")) + ": " +
          kinds_text(path.waypoints) + path.tally.text() + "; " + number_text(path.seconds, 3) +
          " s in checks\n";
  if (rechecked) text += certificate_text(*rechecked, false);
  if (written) text += certificate_text(*written, true);
  if (!command.write_certificate.empty() && !written)
    text += "no certificate is written: not every edge is free\n";
  write_words(text);
  return status;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto command = std::make_shared<VerifyCommand>();
  command->common.budget = 0;  // a certificate is worth waiting for
  CLI::App* sub = app.add_subcommand("verify", "Certifies every edge of a path made by anyone");
  add_common_options(*sub, command->common);
  sub->add_option("--path", command->path,
                  "Path: catena-path/1 JSON, a ROS JointTrajectory or RobotTrajectory (YAML or "
                  "JSON), or OMPL's matrix of one state a line")
      ->required();
  sub->add_option("--certificate", command->certificate,
                  "A certificate of the path: it is re-checked by code that shares nothing with "
                  "the engine");
  sub->add_option("--write-certificate", command->write_certificate,
                  "Write a certificate of the path, if every edge is free");
  sub->add_option("--other", command->others,
                  "Where a joint outside the group stands: JOINT=VALUE (repeatable)")
      ->allow_extra_args(false);
  sub->add_option("--html", command->html,
                  "Write a page that shows the path and its first contact");
  sub->add_option("--gltf", command->gltf, "Write the animation as binary glTF");
  sub->callback([command, &action] { action = [command] { return run_verify(*command); }; });
}

}  // namespace catena::command
