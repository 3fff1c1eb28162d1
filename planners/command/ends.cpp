#include "ends.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "catena/io/input_error.hpp"
#include "catena/io/query_file.hpp"
#include "catena/io/request_file.hpp"
#include "path_others.hpp"
#include "report.hpp"

namespace catena::command {
namespace {

std::string quote(const std::string& text) { return "\"" + text + "\""; }

/// The values of one end, and what its source says of joints outside the group.
struct End {
  std::vector<std::string> joint_order;  ///< empty: the group's own
  std::vector<double> values;
  OtherValues others;
  std::string file, element;  ///< for messages
};

End end_of_values(const CommonOptions& common, const Robot& robot, const JointGroup& group,
                  const OtherValues& values, const std::string& file, const std::string& element) {
  End end;
  end.file = file;
  end.element = element;
  end.others = values;
  for (const LinkIndex index : group.joints) {
    const std::string& joint = robot.joint(index).name;
    const auto found = end.others.find(joint);
    if (found == end.others.end())
      throw io::InputError(file, 0, element, "it has no value for joint " + quote(joint),
                           common.group.empty() ? "name the group that it is for with --group"
                                                : "add the value there");
    if (static_cast<int>(found->second.size()) != num_values(robot.joint(index).type))
      throw io::InputError(file, 0, element, "wrong number of values for joint " + quote(joint),
                           "give " + std::to_string(num_values(robot.joint(index).type)));
    end.values.insert(end.values.end(), found->second.begin(), found->second.end());
    end.others.erase(found);
  }
  return end;
}

/// Drops what has no value of its own (mimic and fixed joints are listed by robot states as well).
OtherValues known_joints(const Robot& robot, OtherValues values, const std::string& file) {
  std::string unknown;
  std::erase_if(values, [&](const auto& item) {
    if (robot.find_joint(item.first).valid()) return false;
    for (int i = 0; i < robot.num_links(); ++i)
      if (robot.joint(LinkIndex(i)).name == item.first) return true;  // mimic
    unknown += (unknown.empty() ? "" : ", ") + item.first;
    return true;
  });
  if (!unknown.empty())
    print_warning(file + ": the robot has no movable joint " + unknown + "; left out");
  return values;
}

/// The query files that the ends name; each is read, and its warnings shown, once.
using StateFiles = std::map<std::string, io::QueryFile>;

std::optional<End> read_state_of_file(const CommonOptions& common, const std::string& option,
                                      const std::string& text, StateFiles& files) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string path = text.substr(0, colon), name = text.substr(colon + 1);
  std::error_code ignored;
  if (!path.ends_with(".json") && !std::filesystem::exists(path, ignored)) return std::nullopt;
  if (!files.contains(path)) {
    files.emplace(path, io::load_query(path));
    for (const std::string& warning : files.at(path).warnings) print_warning(warning);
  }
  const io::QueryFile& query = files.at(path);
  const auto found = query.states.find(name);
  if (found == query.states.end()) {
    std::string list;
    for (const auto& [known, unused] : query.states) list += (list.empty() ? "" : ", ") + known;
    usage_error(common.command, option, path + " has no state " + quote(name),
                list.empty() ? "it has none" : "it has " + list);
  }
  End end{query.joint_order, found->second, {}, path, "states." + name};
  for (const auto& [joint, value] : query.others) end.others[joint] = {value};
  return end;
}

std::optional<End> find_group_state(const CommonOptions& common, const Robot& robot,
                                    const JointGroup& group, const std::string& option,
                                    const std::string& text) {
  const Robot::NamedState* found = nullptr;
  for (const auto& [key, state] : robot.group_states()) {
    if (key.second != text || (!common.group.empty() && key.first != common.group)) continue;
    if (found != nullptr)
      usage_error(common.command, option, "several groups have a state " + quote(text),
                  "name the group with --group");
    found = &state;
  }
  if (found == nullptr) return std::nullopt;
  const OtherValues values = known_joints(robot, *found, "group state " + quote(text));
  return end_of_values(common, robot, group, values, "catena " + common.command,
                       option + " " + text);
}

End read_end(const CommonOptions& common, const Robot& robot, const JointGroup& group,
             const std::string& option, const std::string& text, StateFiles& files) {
  if (auto end = read_state_of_file(common, option, text, files)) return *end;
  if (const auto values = parse_numbers(text))
    return {{}, *values, {}, "catena " + common.command, option};
  if (auto end = find_group_state(common, robot, group, option, text)) return *end;
  std::string list;
  for (const auto& [key, unused] : robot.group_states())
    if (common.group.empty() || key.first == common.group)
      list += (list.empty() ? "" : ", ") + key.second;
  usage_error(common.command, option,
              quote(text) + " is no list of numbers, no FILE.json:state and no group state",
              "the group states are: " + (list.empty() ? std::string("none") : list));
}

std::map<std::string, ompl::JointBounds> parse_bounds(const CommonOptions& common,
                                                      const std::vector<std::string>& texts) {
  std::map<std::string, ompl::JointBounds> result;
  for (const std::string& text : texts) {
    const auto [joint, list] = split_assignment(common.command, "--bounds", text);
    const auto numbers = parse_numbers(list);
    if (!numbers || numbers->size() % 2 != 0)
      usage_error(common.command, "--bounds", quote(list) + " is no LOW,HIGH",
                  "write JOINT=LOW,HIGH, or first all lows and then all highs of its coordinates");
    const auto middle = numbers->begin() + static_cast<std::ptrdiff_t>(numbers->size() / 2);
    if (!result
             .emplace(joint,
                      ompl::JointBounds{{numbers->begin(), middle}, {middle, numbers->end()}})
             .second)
      usage_error(common.command, "--bounds", "joint " + quote(joint) + " is given twice",
                  "keep one of them");
  }
  return result;
}

int num_coordinates(JointType type) {
  switch (type) {
    case JointType::kContinuous:
    case JointType::kBall:
      return 0;  // they only turn, all the way round
    case JointType::kPlanar:
      return 2;
    case JointType::kFloating:
      return 3;
    default:
      return 1;
  }
}

/// Every joint to plan for must have limits or --bounds; the library's error speaks to programmers.
void require_bounds(const PlanningProblem& problem, const CommonOptions& common) {
  for (const LinkIndex index : problem.group.joints) {
    const Joint& joint = problem.world->robot().joint(index);
    const int count = num_coordinates(joint.type);
    const bool limited = count == 1 && std::isfinite(joint.lower) && std::isfinite(joint.upper);
    if (count == 0 || limited || problem.bounds.contains(joint.name)) continue;
    usage_error(common.command, "--bounds",
                "joint " + quote(joint.name) + " has no limits to plan in",
                count == 1 ? "give --bounds " + joint.name + "=LOW,HIGH"
                           : "give --bounds " + joint.name +
                                 "=LOW,HIGH for all its coordinates, or first the " +
                                 std::to_string(count) + " lows and then the highs");
  }
}

/// OMPL says of an end out of bounds only that it is invalid.
void require_ends_in_bounds(const PlanningProblem& problem, const CommonOptions& common) {
  for (const LinkIndex index : problem.group.joints) {
    const Joint& joint = problem.world->robot().joint(index);
    const auto found = problem.bounds.find(joint.name);
    if (found == problem.bounds.end()) continue;
    const auto& [low, high] = found->second;
    for (const auto& [option, q] :
         {std::pair<const char*, const Eigen::VectorXd&>("--start", problem.start),
          {"--goal", problem.goal}})
      for (int i = 0; i < num_coordinates(joint.type); ++i) {
        const double value = q[joint.q_index + i];
        const double lower = low.size() == 1 ? low[0] : low[static_cast<size_t>(i)];
        const double upper = high.size() == 1 ? high[0] : high[static_cast<size_t>(i)];
        if (value >= lower && value <= upper) continue;
        usage_error(common.command, option,
                    "joint " + quote(joint.name) + " at " + number_text(value) +
                        " is outside its --bounds [" + number_text(lower) + ", " +
                        number_text(upper) + "]",
                    "widen the bounds or give another state");
      }
  }
}

}  // namespace

void add_end_options(CLI::App& app, EndOptions& options) {
  const char* forms =
      ": values v1,v2,... in the group's joint order, a group state of the SRDF, or "
      "FILE.json:state";
  app.add_option("--start", options.start, std::string("Start") + forms);
  app.add_option("--goal", options.goal, std::string("Goal") + forms);
  app.add_option("--request", options.request,
                 "MoveIt motion plan request: start, joint goal and group");
  app.add_option("--other", options.others,
                 "Where a joint outside the group stands: JOINT=VALUE (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--bounds", options.bounds,
                 "Where to plan for a joint without limits: JOINT=LOW,HIGH (repeatable)")
      ->allow_extra_args(false);
}

std::vector<NamedFile> input_files(const EndOptions& options) {
  std::vector<NamedFile> files = {{"--request", options.request}};
  for (const auto& [option, text] :
       {std::pair<const char*, const std::string&>("--start", options.start),
        {"--goal", options.goal}})
    if (const size_t colon = text.rfind(':'); colon != std::string::npos)
      files.push_back({option, text.substr(0, colon)});
  return files;
}

PlanningProblem load_problem(CommonOptions& common, const EndOptions& ends) {
  std::optional<io::RequestFile> request;
  if (!ends.request.empty()) {
    request = io::load_request(ends.request);
    for (const std::string& text : request->warnings) print_warning(text);
    if (common.group.empty()) common.group = request->group_name;
  }
  ProblemLoader loader(common);
  PlanningProblem problem;
  problem.world = loader.world();
  const Robot& robot = problem.world->robot();
  problem.group = find_group(robot, common);
  problem.bounds = parse_bounds(common, ends.bounds);

  End start, goal;
  StateFiles files;
  OtherValues request_start;
  if (request) request_start = known_joints(robot, request->start, ends.request);
  if (!ends.start.empty()) {
    start = read_end(common, robot, problem.group, "--start", ends.start, files);
  } else if (!request_start.empty()) {
    start = end_of_values(common, robot, problem.group, request_start, ends.request, "start_state");
  } else if (!problem.world->scene().robot_state.empty()) {
    const std::string file = common.scenes.empty() ? "scene" : common.scenes.front();
    start = end_of_values(common, robot, problem.group,
                          known_joints(robot, problem.world->scene().robot_state, file), file,
                          "robot_state");
  } else {
    usage_error(common.command, "--start", "there is no start",
                "give one, or a --request or --scene that has one");
  }
  if (!ends.goal.empty()) {
    goal = read_end(common, robot, problem.group, "--goal", ends.goal, files);
  } else if (request) {
    OtherValues values;
    for (const auto& [joint, value] : request->goal) values[joint] = {value};
    goal = end_of_values(common, robot, problem.group, known_joints(robot, values, ends.request),
                         ends.request, "goal_constraints");
    if (!goal.others.empty())
      throw io::InputError(ends.request, 0, "goal_constraints",
                           "joint " + quote(goal.others.begin()->first) + " is not in the group",
                           "name the group that has it with --group");
  } else {
    usage_error(common.command, "--goal", "there is no goal", "give one, or a --request");
  }

  OtherValues others = parse_others(common.command, ends.others);
  std::string source = "catena " + common.command, element = "--other";
  if (!start.others.empty() && others.empty()) {
    source = start.file;
    element = "others";
  }
  others.insert(start.others.begin(), start.others.end());
  for (const auto& [joint, values] : request_start) {
    const LinkIndex index = robot.find_joint(joint);
    const auto& joints = problem.group.joints;
    if (std::find(joints.begin(), joints.end(), index) == joints.end())
      others.emplace(joint, values);
  }
  others = add_scene_state(*problem.world, problem.group, std::move(others));
  const Eigen::VectorXd base = base_positions(robot, problem.group, others, source, element);
  for (const auto& [joint, values] : goal.others)
    if (const auto found = others.find(joint); found != others.end() && found->second != values)
      throw io::InputError(goal.file, 0, "others",
                           "joint " + quote(joint) + " stands elsewhere than at the start",
                           "a joint outside the group cannot move: plan for a group that has it");
  const auto positions = [&](const End& end) {
    const JointOrder order = end.joint_order.empty()
                                 ? JointOrder(robot, problem.group)
                                 : JointOrder(robot, problem.group, end.joint_order, end.file);
    return order.positions(end.values, base, end.file, end.element);
  };
  problem.start = positions(start);
  problem.goal = positions(goal);
  problem.others = others_of(robot, problem.group, base);
  return problem;
}

std::unique_ptr<ompl::Setup> make_setup(const PlanningProblem& problem,
                                        const CommonOptions& common) {
  require_bounds(problem, common);
  ompl::SetupOptions options;
  options.group = common.group;
  options.clearance = common.clearance;
  options.tolerance = common.tolerance;
  options.budget = static_cast<std::uint64_t>(common.budget);
  options.others = problem.others;
  options.bounds = problem.bounds;
  try {
    auto setup = std::make_unique<ompl::Setup>(
        problem.world->robot_ptr(), std::make_shared<const Scene>(problem.world->scene()), options);
    require_ends_in_bounds(problem, common);
    setup->setStartAndGoalStates(problem.order().values(problem.start),
                                 problem.order().values(problem.goal));
    return setup;
  } catch (const std::invalid_argument& error) {
    input_error("catena " + common.command, "--bounds", error,
                "give --bounds JOINT=LOW,HIGH that hold the start and the goal");
  }
}

int EndVerdicts::exit_status() const {
  Tally tally;
  tally.add(start.verdict);
  tally.add(goal.verdict);
  return tally.exit_status();
}

EndVerdicts check_ends(const PlanningProblem& problem, const CommonOptions& common) {
  QueryOptions options = query_options(common);
  options.distances = true;
  Workspace workspace(*problem.world);
  return {check_state(*problem.world, problem.start, options, workspace),
          check_state(*problem.world, problem.goal, options, workspace)};
}

std::string not_free_text(const PlanningProblem& problem, const CommonOptions& common,
                          const EndVerdicts& verdicts) {
  std::string text;
  const auto say = [&](const char* name, const StateResult& result) {
    if (result.verdict != Verdict::kFree)
      text += std::string("the ") + name + " is not free: " +
              state_text(*problem.world, result, static_cast<std::uint64_t>(common.budget)) + "\n";
  };
  say("start", verdicts.start);
  say("goal", verdicts.goal);
  return text;
}

}  // namespace catena::command
