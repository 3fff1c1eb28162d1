// `catena info`: what a robot and its scenes hold, which pairs are checked, what looks doubtful.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <variant>

#include <CLI/CLI.hpp>

#include "catena/query/discrete.hpp"
#include "problem.hpp"
#include "report.hpp"

namespace catena::command {
namespace {

constexpr std::array<const char*, 6> kPrimitiveNames = {"sphere",   "capsule", "box",
                                                        "cylinder", "cone",    "half-space"};

/// How many geometries of each kind, in the order in which they are told.
struct GeometryCounts {
  std::array<int, kPrimitiveNames.size()> primitives{};
  int solid_meshes = 0, surface_meshes = 0, box_sets = 0, ball_sets = 0;
  long triangles = 0, boxes = 0, balls = 0;

  void add(const Geometry& geometry) {
    switch (geometry.kind()) {
      case Geometry::Kind::kPrimitive:
        ++primitives[geometry.primitive().index()];
        return;
      case Geometry::Kind::kMesh:
        ++(geometry.is_solid() ? solid_meshes : surface_meshes);
        triangles += static_cast<long>(geometry.mesh().triangles.size());
        return;
      case Geometry::Kind::kBoxes:
        ++box_sets;
        boxes += static_cast<long>(geometry.boxes().size());
        return;
      case Geometry::Kind::kSpheres:
        ++ball_sets;
        balls += static_cast<long>(geometry.centers().size());
        return;
    }
  }

  Json json() const {
    Json json = Json::object();
    for (size_t i = 0; i < primitives.size(); ++i) json[kPrimitiveNames[i]] = primitives[i];
    json["mesh_solid"] = solid_meshes;
    json["mesh_surface"] = surface_meshes;
    json["triangles"] = triangles;
    json["box_sets"] = box_sets;
    json["boxes"] = boxes;
    json["ball_sets"] = ball_sets;
    json["balls"] = balls;
    return json;
  }

  std::string text() const {
    std::string text;
    const auto say = [&](long count, const std::string& what) {
      if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    for (size_t i = 0; i < primitives.size(); ++i) say(primitives[i], kPrimitiveNames[i]);
    say(solid_meshes, "solid mesh");
    say(surface_meshes, "surface mesh");
    say(triangles, "triangles");
    say(boxes, "boxes of an octomap");
    say(balls, "balls of a cloud");
    return text.empty() ? "none" : text;
  }
};
static_assert(std::variant_size_v<Primitive> == kPrimitiveNames.size());

/// A pair that touches, or that cannot be decided, where the joints stand at zero.
struct Contact {
  std::string first, second;
  bool in_srdf = false;  ///< both are links that the robot's SRDF may name: none of --with
  Verdict verdict = Verdict::kCollision;
};

/// The bodies of which some geometries touch or cannot be decided; warns where the budget ends it.
std::vector<Contact> contacts_at(const CollisionWorld& world, const Eigen::VectorXd& q,
                                 const QueryOptions& options, std::vector<std::string>& warnings) {
  Workspace workspace(world);
  NearPairs near;
  find_near_pairs(world, q, /*cutoff=*/0.0, options, workspace, near);
  if (!near.complete)
    warnings.push_back("the budget ran out: pairs in contact may be missing; raise --budget");
  std::vector<Contact> contacts;
  const auto num_links = static_cast<int>(world.robot().bodies().size());
  const NearPair* last = nullptr;
  for (const NearPair& pair : near.pairs) {
    if (last == nullptr || pair.a != last->a || pair.b != last->b) {
      Witness witness;
      witness.a = pair.a;
      witness.b = pair.b;
      const auto names = report_pair(world, witness);
      const auto own = [&](BodyIndex i) {
        return i.value < num_links && world.robot().body(i).robot == 0;
      };
      contacts.push_back(
          {names->first, names->second, own(pair.a) && own(pair.b), Verdict::kUndecided});
    }
    last = &pair;
    if (!pair.straddles) contacts.back().verdict = Verdict::kCollision;
  }
  return contacts;
}

std::string xml_escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// The robot cut into chains: at a branching the chain goes on with the larger subtree (heavy
/// paths).
std::vector<int> chain_lengths(const Robot& robot) {
  const int n = robot.num_links();
  std::vector<int> size(static_cast<size_t>(n), 1), heavy(static_cast<size_t>(n), -1);
  for (int i = n - 1; i > 0; --i) {
    const int parent = robot.parent(LinkIndex(i)).value;
    if (parent < 0) continue;
    const auto p = static_cast<size_t>(parent);
    size[p] += size[static_cast<size_t>(i)];
    if (heavy[p] < 0 || size[static_cast<size_t>(heavy[p])] <= size[static_cast<size_t>(i)])
      heavy[p] = i;
  }
  std::vector<int> lengths;
  for (int i = 1; i < n; ++i) {
    const int parent = robot.parent(LinkIndex(i)).value;
    if (parent > 0 && heavy[static_cast<size_t>(parent)] == i) continue;  // goes on, begins nothing
    int length = 0;
    for (int link = i; link >= 0; link = heavy[static_cast<size_t>(link)]) ++length;
    lengths.push_back(length);
  }
  std::sort(lengths.rbegin(), lengths.rend());
  return lengths;
}

/// Mimic joints whose own limits their parent drives them beyond; these limits are not enforced.
std::vector<std::string> mimic_warnings(const Robot& robot) {
  std::vector<std::string> warnings;
  for (int i = 0; i < robot.num_links(); ++i) {
    const Joint& joint = robot.joint(LinkIndex(i));
    if (!joint.mimic || (std::isinf(joint.lower) && std::isinf(joint.upper))) continue;
    const Joint& source = robot.joint(joint.mimic->source);
    const double m = joint.mimic->multiplier, offset = joint.mimic->offset;
    if (m == 0.0 && offset >= joint.lower && offset <= joint.upper) continue;
    const double at_lower = m * source.lower + offset, at_upper = m * source.upper + offset;
    const double lo = std::min(at_lower, at_upper), hi = std::max(at_lower, at_upper);
    constexpr double kSlack = 1e-9;  // as for the limits of any joint
    if (lo >= joint.lower - kSlack && hi <= joint.upper + kSlack) continue;
    warnings.push_back("mimic joint \"" + joint.name + "\" is driven by \"" + source.name +
                       "\" from " + number_text(lo) + " to " + number_text(hi) +
                       ", beyond its own limits " + number_text(joint.lower) + " to " +
                       number_text(joint.upper) + ", which are not enforced");
  }
  return warnings;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

struct Info {
  std::map<std::string, int> joint_types;
  int mimic = 0, passive = 0, fixed = 0;
  GeometryCounts robot_geometry, scene_geometry;
  struct Mesh {
    std::string link;
    size_t triangles;
    bool solid;
  };
  std::vector<Mesh> meshes;
  int links_with_geometry = 0;
  std::map<std::string, int> unchecked_reasons;
  std::vector<int> chains;
  std::vector<Contact> contacts;
  std::vector<std::string> warnings;
};

Info gather(const CollisionWorld& world, const CommonOptions& options) {
  const Robot& robot = world.robot();
  Info info;
  std::set<int> carriers;
  for (int i = 1; i < robot.num_links(); ++i) {
    const Joint& joint = robot.joint(LinkIndex(i));
    ++info.joint_types[name_of(joint.type)];
    info.mimic += joint.mimic.has_value();
    info.passive += joint.passive;
  }
  for (const Body& body : robot.bodies()) {
    carriers.insert(body.link.value);
    info.links_with_geometry += !body.geometries.empty();
    for (const PlacedGeometry& placed : body.geometries) {
      info.robot_geometry.add(*placed.geometry);
      if (placed.geometry->kind() == Geometry::Kind::kMesh)
        info.meshes.push_back(
            {body.name, placed.geometry->mesh().triangles.size(), placed.geometry->is_solid()});
    }
  }
  info.fixed = static_cast<int>(robot.bodies().size()) - static_cast<int>(carriers.size());
  const auto add_object = [&](const SceneObject& object) {
    for (const PlacedGeometry& placed : object.geometries)
      info.scene_geometry.add(*placed.geometry);
  };
  for (const SceneObject& object : world.scene().objects) add_object(object);
  for (const AttachedObject& attached : world.scene().attached) add_object(attached.object);
  for (const UncheckedPair& pair : robot.unchecked_pairs()) ++info.unchecked_reasons[pair.reason];
  info.chains = chain_lengths(robot);
  info.warnings.assign(robot.warnings().begin(), robot.warnings().end());
  info.warnings.insert(info.warnings.end(), world.scene().warnings.begin(),
                       world.scene().warnings.end());
  info.contacts = contacts_at(world, robot.zero_positions(), query_options(options), info.warnings);
  if (std::string why = why_nothing_is_checked(world); !why.empty())
    info.warnings.push_back(std::move(why));
  for (std::string& text : mimic_warnings(robot)) info.warnings.push_back(std::move(text));
  return info;
}

/// Lines for the SRDF. A contact of links that never leave each other is what such lines are for;
/// whether another one is harmless, a person has to say.
std::vector<std::string> suggestions(const Info& info) {
  std::vector<std::string> lines;
  for (const Contact& contact : info.contacts)
    if (contact.in_srdf && contact.verdict == Verdict::kCollision)
      lines.push_back("<disable_collisions link1=\"" + xml_escape(contact.first) + "\" link2=\"" +
                      xml_escape(contact.second) + "\" reason=\"Default\"/>");
  return lines;
}

/// Pairs of links that are checked: those of the robots, less those that a scene allows.
std::int64_t num_self_pairs(const CollisionWorld& world) {
  const Robot& robot = world.robot();
  if (world.scene().allowed.empty()) return robot.num_checked_pairs();
  std::int64_t count = 0;
  for (const auto& [a, b] : robot.list_checked_pairs()) count += world.checks(a, b) ? 1 : 0;
  return count;
}

Json info_json(const CollisionWorld& world, const CommonOptions& options, const Info& info) {
  const Robot& robot = world.robot();
  Json answer = {{"robot", robot.name()},
                 {"links", robot.bodies().size()},
                 {"links_with_geometry", info.links_with_geometry},
                 {"positions", robot.num_positions()}};
  answer["joints"] = info.joint_types;
  answer["joints"]["fixed"] = info.fixed;
  answer["joints"]["mimic"] = info.mimic;
  answer["joints"]["passive"] = info.passive;
  Json active = Json::array();
  for (const LinkIndex index : robot.active_joints()) {
    const Joint& joint = robot.joint(index);
    active.push_back({{"name", joint.name},
                      {"type", name_of(joint.type)},
                      {"values", num_values(joint.type)},
                      {"lower", finite_or_null(joint.lower)},
                      {"upper", finite_or_null(joint.upper)}});
  }
  answer["active_joints"] = std::move(active);
  answer["joint_order"] = JointOrder(robot, find_group(robot, options)).names();
  Json groups = Json::array();
  for (const JointGroup& group : robot.groups()) {
    Json states = Json::array();
    for (const auto& [key, unused] : robot.group_states())
      if (key.first == group.name) states.push_back(key.second);
    groups.push_back({{"name", group.name},
                      {"joints", JointOrder(robot, group).names()},
                      {"states", std::move(states)}});
  }
  answer["groups"] = std::move(groups);
  answer["chains"] = info.chains;
  answer["geometry"] = info.robot_geometry.json();
  Json meshes = Json::array();
  for (const auto& mesh : info.meshes)
    meshes.push_back({{"link", mesh.link},
                      {"triangles", mesh.triangles},
                      {"filling", mesh.solid ? "solid" : "surface"}});
  answer["meshes"] = std::move(meshes);
  Json scene_meshes = Json::array();
  for (const SceneObject& object : world.scene().objects)
    for (const PlacedGeometry& placed : object.geometries)
      if (placed.geometry->kind() == Geometry::Kind::kMesh)
        scene_meshes.push_back({{"object", object.name},
                                {"triangles", placed.geometry->mesh().triangles.size()},
                                {"filling", placed.geometry->is_solid() ? "solid" : "surface"}});
  answer["scene"] = {{"objects", world.scene().objects.size()},
                     {"attached", world.scene().attached.size()},
                     {"geometry", info.scene_geometry.json()},
                     {"meshes", std::move(scene_meshes)}};
  Json checked = Json::array(), unchecked = Json::array();
  for (const auto& [a, b] : robot.list_checked_pairs())
    checked.push_back({robot.body(a).name, robot.body(b).name});
  for (const UncheckedPair& pair : robot.unchecked_pairs())
    unchecked.push_back(
        {{"pair", {robot.body(pair.a).name, robot.body(pair.b).name}}, {"reason", pair.reason}});
  answer["pairs"] = {{"checked_with_scene", world.num_body_pairs()},
                     {"self_checked", std::move(checked)},
                     {"self_unchecked", std::move(unchecked)}};
  Json contacts = Json::array();
  for (const Contact& contact : info.contacts)
    contacts.push_back(
        {{"pair", {contact.first, contact.second}}, {"verdict", name_of(contact.verdict)}});
  answer["contacts_at_zero"] = std::move(contacts);
  answer["suggested_disable_collisions"] = suggestions(info);
  answer["warnings"] = info.warnings;
  return answer;
}

std::string info_text(const CollisionWorld& world, const Info& info) {
  const Robot& robot = world.robot();
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + value + "\n";
  };
  const auto list = [](const auto& counts) {
    std::string result;
    for (const auto& [name, count] : counts)
      result += (result.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    return result.empty() ? std::string("none") : result;
  };
  line("robot", robot.name());
  line("links", std::to_string(robot.bodies().size()) + ", " +
                    std::to_string(info.links_with_geometry) + " of them with geometry");
  std::string joints = list(info.joint_types);
  if (info.mimic > 0) joints += "; " + std::to_string(info.mimic) + " of them mimic";
  if (info.passive > 0) joints += "; " + std::to_string(info.passive) + " passive";
  if (info.fixed > 0) joints += "; " + std::to_string(info.fixed) + " fixed ones merged";
  line("joints", joints);
  for (const LinkIndex index : robot.active_joints()) {
    const Joint& joint = robot.joint(index);
    std::string about = std::string(name_of(joint.type));
    if (std::isfinite(joint.lower) || std::isfinite(joint.upper))
      about += ", " + number_text(joint.lower, 6) + " to " + number_text(joint.upper, 6);
    if (joint.passive) about += ", passive";
    line("", joint.name + " (" + about + ")");
  }
  for (const JointGroup& group : robot.groups()) {
    std::string about = group.name + ": " + count_text(group.joints.size(), "joint");
    std::string states;
    for (const auto& [key, unused] : robot.group_states())
      if (key.first == group.name) states += (states.empty() ? "" : ", ") + key.second;
    if (!states.empty()) about += "; states " + states;
    line("group", about);
  }
  std::string chains;
  for (const int length : info.chains)
    chains += (chains.empty() ? "" : ", ") + std::to_string(length);
  line("chains", std::to_string(info.chains.size()) + " of " +
                     (chains.empty() ? std::string("no") : chains) + " joints");
  line("geometry", info.robot_geometry.text());
  for (const auto& mesh : info.meshes)
    line("", mesh.link + ": mesh of " + std::to_string(mesh.triangles) + " triangles, " +
                 (mesh.solid ? "solid" : "surface only"));
  if (!world.scene().objects.empty() || !world.scene().attached.empty()) {
    line("scene", std::to_string(world.scene().objects.size()) + " objects, " +
                      std::to_string(world.scene().attached.size()) + " attached; " +
                      info.scene_geometry.text());
    for (const SceneObject& object : world.scene().objects)
      for (const PlacedGeometry& placed : object.geometries)
        if (placed.geometry->kind() == Geometry::Kind::kMesh)
          line("", object.name + ": mesh of " +
                       std::to_string(placed.geometry->mesh().triangles.size()) + " triangles, " +
                       (placed.geometry->is_solid() ? "solid" : "surface only"));
  }
  line("pairs", std::to_string(world.num_body_pairs()) + " checked, " +
                    std::to_string(num_self_pairs(world)) + " of them within the robot" +
                    (world.robot().bodies().back().robot > 0 ? "s" : ""));
  line("unchecked", list(info.unchecked_reasons));
  if (info.contacts.empty()) line("at zero", "no pair in contact");
  for (const Contact& contact : info.contacts)
    line("at zero",
         contact.first + " and " + contact.second +
             (contact.verdict == Verdict::kCollision ? " are in contact"
                                                     : " may be in contact (undecided)"));
  const auto lines = suggestions(info);
  if (!lines.empty()) text += "\nIf these contacts are meant, add to the SRDF:\n";
  for (const std::string& suggestion : lines) text += "  " + suggestion + "\n";
  const bool others = std::any_of(info.contacts.begin(), info.contacts.end(), [](const Contact& c) {
    return !c.in_srdf && c.verdict == Verdict::kCollision;
  });
  if (others)
    text +=
        "\nContacts with the scene or a further robot, if they are meant, are allowed by the\n"
        "allowed_collision_matrix of a PlanningScene (docs/formats.md).\n";
  if (!info.warnings.empty()) text += "\nWarnings:\n";
  for (const std::string& warning : info.warnings) text += "  " + warning + "\n";
  return text;
}

int run_info(const CommonOptions& options) {
  check_common_options(options);
  ProblemLoader loader(options);
  const auto world = loader.world();
  find_group(world->robot(), options);
  const Info info = gather(*world, options);
  for (const std::string& text : mimic_warnings(world->robot())) print_warning(text);
  if (options.json)
    write_answer(dump(info_json(*world, options, info)));
  else
    write_words(info_text(*world, info));
  return kAllFree;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* sub =
      app.add_subcommand("info", "What a robot and its scenes hold, and what is checked");
  add_common_options(*sub, *options);
  sub->callback([options, &action] { action = [options] { return run_info(*options); }; });
}

}  // namespace catena::command
