// `catena query`: verdicts for the states and edges of a query file.

#include <memory>
#include <set>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "catena/io/input_error.hpp"
#include "catena/io/query_file.hpp"
#include "catena/query/continuous.hpp"
#include "catena/query/discrete.hpp"
#include "certificate.hpp"
#include "path_others.hpp"
#include "problem.hpp"
#include "report.hpp"

namespace catena::command {
namespace {

struct QueryCommand {
  CommonOptions common;
  std::string query, write_certificate;
};

/// One question, with everything looked up: nothing of the input can be wrong any more.
struct Question {
  std::string id;
  bool edge = false;
  std::shared_ptr<const CollisionWorld> world;
  Eigen::VectorXd q0, q1;
};

Eigen::VectorXd find_positions(const io::QueryFile& query, const std::string& state,
                               const std::string& element, const JointOrder& order,
                               const Eigen::VectorXd& base) {
  const auto found = query.states.find(state);
  if (found == query.states.end())
    throw io::InputError(query.path, 0, element, "there is no state \"" + state + "\"",
                         "add it to states or name another");
  return order.positions(found->second, base, query.path, "states." + state);
}

/// A query says itself where the other joints stand; a scene that says otherwise is worth a word.
void warn_of_scene_state(const CollisionWorld& world, const Eigen::VectorXd& base,
                         const JointGroup& group, std::set<const Scene*>& warned) {
  if (!warned.insert(&world.scene()).second) return;
  std::string names;
  for (const auto& [name, values] : add_scene_state(world, group, {})) {
    const int first = world.robot().joint(world.robot().find_joint(name)).q_index;
    for (size_t i = 0; i < values.size(); ++i) {
      if (first + static_cast<int>(i) >= base.size() ||
          base[first + static_cast<int>(i)] == values[i])
        continue;
      names += (names.empty() ? "" : ", ") + name;
      break;
    }
  }
  if (!names.empty())
    print_warning("the scene's robot state is not used for joints outside the group (" + names +
                  "); name them in `others` of the query");
}

std::vector<Question> pose_questions(const io::QueryFile& query, const CommonOptions& options,
                                     ProblemLoader& loader) {
  OtherValues others;
  for (const auto& [joint, value] : query.others) others[joint] = {value};
  std::vector<Question> questions;
  // Robots are few and items are many: what depends on the robot alone is made once for each.
  struct OfRobot {
    JointOrder order;
    Eigen::VectorXd base;
  };
  std::map<const Robot*, OfRobot> of_robot;
  std::set<const Scene*> warned;
  const auto prepare = [&](const std::string& robot_path, const std::string& scene_path) {
    auto world = loader.world(robot_path, scene_path);
    const Robot& robot = world->robot();
    if (!of_robot.contains(&robot)) {
      const JointGroup group = find_group(robot, options);
      of_robot.emplace(&robot, OfRobot{JointOrder(robot, group, query.joint_order, query.path),
                                       base_positions(robot, group, others, query.path, "others")});
    }
    warn_of_scene_state(*world, of_robot.at(&robot).base, find_group(robot, options), warned);
    return world;
  };
  // What the command line names must be readable even where every item brings its own.
  loader.read();
  if (query.check.empty() && query.edges.empty()) prepare({}, {});
  for (const auto& check : query.check) {
    Question question{check.state, false, prepare(check.robot, check.scene), {}, {}};
    const OfRobot& known = of_robot.at(&question.world->robot());
    question.q0 = find_positions(query, check.state, "check", known.order, known.base);
    questions.push_back(std::move(question));
  }
  Motion motion;
  for (const auto& edge : query.edges) {
    Question question{edge.id, true, prepare(edge.robot, edge.scene), {}, {}};
    const OfRobot& known = of_robot.at(&question.world->robot());
    const std::string element = "edges." + edge.id;
    question.q0 = find_positions(query, edge.from, element, known.order, known.base);
    question.q1 = find_positions(query, edge.to, element, known.order, known.base);
    try {
      motion.reset(question.world->robot(), question.q0, question.q1);
    } catch (const std::invalid_argument& error) {
      input_error(query.path, element, error, "give end states between which the joints can move");
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

int run_query(const QueryCommand& command) {
  const CommonOptions& options = command.common;
  check_common_options(options);
  const io::QueryFile query = io::load_query(command.query);
  for (const std::string& text : query.warnings) print_warning(text);
  if (query.check.empty() && query.edges.empty())
    print_warning(query.path + ": it asks nothing; name states in \"check\" or edges");
  ProblemLoader loader(options);
  loader.add_packages(query.packages);
  check_outputs(options, {{"--write-certificate", command.write_certificate}},
                {{"--query", command.query}});
  if (!command.write_certificate.empty())
    for (const auto& edge : query.edges)
      if (!edge.robot.empty() || !edge.scene.empty())
        usage_error("query", "--write-certificate",
                    "edge \"" + edge.id + "\" has a robot or a scene of its own",
                    "a certificate is about the command line's: ask for such edges by themselves");
  const std::vector<Question> questions = pose_questions(query, options, loader);

  const int count = static_cast<int>(questions.size());
  std::vector<StateResult> states(questions.size());
  std::vector<MotionResult> motions(questions.size());
  QueryOptions state_options = query_options(options);
  state_options.distances = true;
  const QueryOptions motion_options = query_options(options);
  {
    Progress progress("checked", count);
    parallel_for(count, options.threads, [&](int index, int) {
      const auto i = static_cast<size_t>(index);
      const Question& question = questions[i];
      // A fresh one, since what a workspace remembers orders the search: no answer shall depend on
      // the questions before it or on the threads.
      Workspace workspace(*question.world);
      if (question.edge)
        motions[i] =
            check_motion(*question.world, Motion(question.world->robot(), question.q0, question.q1),
                         motion_options, workspace);
      else
        states[i] = check_state(*question.world, question.q0, state_options, workspace);
      progress.step();
    });
  }

  Tally tally;
  const auto budget = static_cast<std::uint64_t>(options.budget);
  Json answer = {{"states", Json::array()}, {"edges", Json::array()}};
  std::string text;
  for (size_t i = 0; i < questions.size(); ++i) {
    const Question& question = questions[i];
    const CollisionWorld& world = *question.world;
    tally.add(question.edge ? motions[i].verdict : states[i].verdict);
    if (options.json) {
      if (question.edge)
        answer["edges"].push_back(motion_json(world, question.id, motions[i]));
      else
        answer["states"].push_back(state_json(world, question.id, states[i]));
    } else if (question.edge) {
      text +=
          "edge " + printable(question.id) + ": " + motion_text(world, motions[i], budget) + "\n";
    } else {
      text +=
          "state " + printable(question.id) + ": " + state_text(world, states[i], budget) + "\n";
    }
  }
  std::optional<CertificateReport> written;
  if (!command.write_certificate.empty()) {
    Edges free_edges;
    for (size_t i = 0; i < questions.size(); ++i)
      if (questions[i].edge && motions[i].verdict == Verdict::kFree)
        free_edges.push_back({{questions[i].q0, {}, {}}, {questions[i].q1, {}, {}}});
    written = write_certificate(loader.world(), options, free_edges, command.write_certificate);
  }
  const bool all_free = tally.exit_status() == kAllFree;
  const int status = all_free && written && !written->proven ? kNotFree : tally.exit_status();
  if (options.json) {
    if (written) answer["written_certificate"] = certificate_json(*written);
    write_answer(dump(answer));
  } else {
    write_words(text + tally.text() + "\n" + (written ? certificate_text(*written, true) : ""));
  }
  return status;
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  auto command = std::make_shared<QueryCommand>();
  CLI::App* sub = app.add_subcommand("query", "Verdicts for the states and edges of a query file");
  add_common_options(*sub, command->common);
  sub->add_option("--query", command->query, "Query file (JSON; see docs/formats.md)")->required();
  sub->add_option("--write-certificate", command->write_certificate,
                  "Write a certificate of the edges that are free");
  sub->callback([command, &action] { action = [command] { return run_query(*command); }; });
}

}  // namespace catena::command
