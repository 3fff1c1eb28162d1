#include "problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "catena/io/input_error.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/io/urdf.hpp"
#include "catena/model/motion.hpp"
#include "catena/model/robot_builder.hpp"

namespace catena::command {
namespace {

std::string quote(const std::string& text) { return "\"" + text + "\""; }

std::string joint_list(const Robot& robot, const std::vector<LinkIndex>& joints) {
  std::string list;
  for (const LinkIndex joint : joints) {
    if (!list.empty()) list += ", ";
    list += robot.joint(joint).name;
  }
  return list.empty() ? "none" : list;
}

/// Why a name is not among a group's joints, in words.
std::string why_not(const Robot& robot, const std::string& name) {
  for (int i = 0; i < robot.num_links(); ++i) {
    const Joint& joint = robot.joint(LinkIndex(i));
    if (joint.name != name) continue;
    if (joint.mimic) return "is a mimic joint, which follows its parent";
    if (joint.passive) return "is passive";
    return "is not in the group";
  }
  return "is no movable joint of the robot";
}

struct With {
  std::string name, file;
  Vector3d xyz = Vector3d::Zero(), rpy = Vector3d::Zero();
};

With parse_with(const std::string& command, const std::string& text) {
  const auto [name, rest] = split_assignment(command, "--with", text);
  With with{name, rest, Vector3d::Zero(), Vector3d::Zero()};
  if (name.find('/') != std::string::npos)
    usage_error(command, "--with", "the name " + quote(name) + " holds a '/'",
                "choose a name without, since its joints become NAME/...");
  const size_t at = rest.rfind('@');
  if (at == std::string::npos) return with;
  const auto pose = parse_numbers(rest.substr(at + 1));
  if (!pose || pose->size() != 6)
    usage_error(command, "--with", quote(rest.substr(at + 1)) + " is not x,y,z,roll,pitch,yaw",
                "write six numbers (metres, radians) after '@', separated by commas");
  with.file = rest.substr(0, at);
  with.xyz = {(*pose)[0], (*pose)[1], (*pose)[2]};
  if (!(with.xyz.norm() <= kMaxLength))
    usage_error(command, "--with", "robot " + quote(name) + " stands beyond 1e50 m",
                "give a position within that");
  with.rpy = {(*pose)[3], (*pose)[4], (*pose)[5]};
  return with;
}

/// The links that --solid and --surface name, for one robot: `prefix` is "" or "NAME/".
std::map<std::string, MeshFilling> fillings(const CommonOptions& options,
                                            const std::string& prefix) {
  std::map<std::string, MeshFilling> result;
  const auto add = [&](const std::vector<std::string>& links, MeshFilling filling) {
    for (const std::string& link : links)
      if (link.compare(0, prefix.size(), prefix) == 0) result[link.substr(prefix.size())] = filling;
  };
  add(options.solid, MeshFilling::kSolid);
  add(options.surface, MeshFilling::kSurface);
  return result;
}

/// Loads a robot; a name that --solid or --surface gives may also be a scene object's, which only
/// the links can tell, so a robot is loaded anew when one of its own is named.
std::shared_ptr<const Robot> load_filled(const std::string& path, io::UrdfOptions urdf) {
  auto fillings = std::exchange(urdf.mesh_filling, {});
  auto robot = io::load_urdf(path, urdf);
  std::erase_if(fillings, [&](const auto& item) { return !robot->find_body(item.first).valid(); });
  if (fillings.empty()) return robot;
  urdf.mesh_filling = std::move(fillings);
  return io::load_urdf(path, urdf);
}

/// Does --solid or --surface name this scene object? An object may be named as answers name it.
std::optional<MeshFilling> filling_of(const CommonOptions& options, const std::string& object) {
  const auto named = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), object) != names.end() ||
           std::find(names.begin(), names.end(), "scene::" + object) != names.end();
  };
  if (named(options.solid)) return MeshFilling::kSolid;
  if (named(options.surface)) return MeshFilling::kSurface;
  return std::nullopt;
}

/// Is the warning one of those that the reader gave for a frame it had to assume?
bool is_about_a_frame(const Scene& scene, const std::string& warning) {
  return std::any_of(
      scene.assumed_frames.begin(), scene.assumed_frames.end(),
      [&](const auto& assumed) { return warning.starts_with(assumed.first + ": frame "); });
}

/// The links whose frame is the world frame at every configuration; the first is the root.
std::vector<std::string> links_at_world(const Robot& robot) {
  std::vector<std::string> names;
  for (const Body& body : robot.bodies()) {
    const RigidEnclosure& X = body.X_LB;
    if (body.link == LinkIndex(0) && X.X.p.isZero(0.0) && X.X.R.isIdentity(0.0))
      names.push_back(body.name);
  }
  return names;
}

/// The engine's arithmetic is sound up to kMaxLength; readers hold sizes and poses against it, and
/// this the values that place a body: those of planar, floating and prismatic joints.
void require_reach(const Robot& robot, const Eigen::VectorXd& q, const std::string& file,
                   const std::string& element) {
  for (const LinkIndex index : robot.active_joints()) {
    const Joint& joint = robot.joint(index);
    const int lengths = joint.type == JointType::kPlanar      ? 2
                        : joint.type == JointType::kFloating  ? 3
                        : joint.type == JointType::kPrismatic ? 1
                                                              : 0;
    for (int i = 0; i < lengths; ++i)
      if (!(std::abs(q[joint.q_index + i]) <= kMaxLength))
        throw io::InputError(file, 0, element,
                             "joint " + quote(joint.name) + " is moved beyond 1e50 m",
                             "give a position within that");
  }
}

/// A plane's offset is the one length of a scene that no reader holds against kMaxLength.
void require_reach(const Scene& scene, const std::string& file) {
  for (const SceneObject& object : scene.objects)
    for (const PlacedGeometry& placed : object.geometries) {
      if (placed.geometry->kind() != Geometry::Kind::kPrimitive) continue;
      const auto* plane = std::get_if<HalfSpace>(&placed.geometry->primitive());
      if (plane != nullptr && !(std::abs(plane->offset) <= kMaxLength))
        throw io::InputError(file, 0, "object " + quote(object.name),
                             "its plane is beyond 1e50 m from its frame",
                             "give a plane within that");
    }
}

}  // namespace

ProblemLoader::ProblemLoader(const CommonOptions& options) : options_(options) {
  for (const std::string& text : options.packages) {
    const auto [name, folder] = split_assignment(options.command, "--package", text);
    if (!std::filesystem::is_directory(folder))
      usage_error(options.command, "--package", "there is no folder " + quote(folder),
                  "give the folder that package://" + name + "/ stands for");
    if (!packages_.emplace(name, folder).second)
      usage_error(options.command, "--package", "package " + quote(name) + " is given twice",
                  "keep one of them");
  }
}

void ProblemLoader::add_packages(const std::map<std::string, std::string>& packages) {
  packages_.insert(packages.begin(), packages.end());  // insert keeps what is there
}

void ProblemLoader::warn(const std::string& text) {
  if (warned_.insert(text).second) print_warning(text);
}

std::shared_ptr<const Robot> ProblemLoader::load_robot(const std::string& path) {
  auto& robot = robots_[path];
  if (robot) return robot;
  io::UrdfOptions urdf;
  urdf.srdf = options_.srdf;
  urdf.packages = packages_;
  urdf.mesh_filling = fillings(options_, "");
  std::vector<With> companions;
  for (const std::string& text : options_.with) {
    companions.push_back(parse_with(options_.command, text));
    for (size_t i = 0; i + 1 < companions.size(); ++i)
      if (companions[i].name == companions.back().name)
        usage_error(options_.command, "--with",
                    "the name " + quote(companions[i].name) + " is given twice",
                    "give every robot a name of its own");
    std::erase_if(urdf.mesh_filling, [&](const auto& item) {
      return item.first.starts_with(companions.back().name + "/");
    });
  }
  auto loaded = load_filled(path, urdf);
  for (const std::string& text : loaded->warnings()) warn(text);
  std::vector<RobotBuilder::Attachment> attachments;
  for (const With& with : companions) {
    io::UrdfOptions other;
    other.packages = packages_;
    other.mesh_filling = fillings(options_, with.name + "/");
    attachments.push_back(
        {load_filled(with.file, other), with.name, RigidEnclosure::from_rpy(with.xyz, with.rpy)});
    for (const std::string& text : attachments.back().robot->warnings()) warn(text);
  }
  if (!attachments.empty()) loaded = RobotBuilder::combine(*loaded, attachments);
  robot = std::move(loaded);
  return robot;
}

std::shared_ptr<const Scene> ProblemLoader::load_scene(const std::string& path) {
  auto& scene = scene_files_[path];
  if (scene) return scene;
  io::SceneOptions settings;
  settings.packages = packages_;
  settings.cloud_radius = options_.cloud_radius;
  Scene loaded = *io::load_scene(path, settings);
  for (const std::string& text : loaded.warnings)
    if (!is_about_a_frame(loaded, text)) warn(text);  // settle_frames knows more of those
  require_reach(loaded, path);
  for (SceneObject& object : loaded.objects) {
    const auto filling = filling_of(options_, object.name);
    if (!filling) continue;
    for (PlacedGeometry& placed : object.geometries) {
      if (placed.geometry->kind() != Geometry::Kind::kMesh) continue;
      try {
        placed.geometry =
            Geometry::make_mesh(placed.geometry->mesh(), *filling, placed.geometry->radius());
      } catch (const std::invalid_argument& error) {
        input_error(path, "object " + quote(object.name), error,
                    "leave out --solid for it, or close its mesh");
      }
    }
  }
  scene = std::make_shared<const Scene>(std::move(loaded));
  return scene;
}

std::shared_ptr<const Scene> ProblemLoader::load_scenes(const std::string& replacement) {
  if (!replacement.empty()) return load_scene(replacement);
  auto& scene = scenes_[replacement];
  if (scene) return scene;
  auto sum = std::make_shared<Scene>();
  for (const std::string& path : options_.scenes) {
    const auto part = load_scene(path);
    try {
      sum->add(*part);
    } catch (const std::invalid_argument& error) {
      input_error(path, "", error, "rename the object or leave one of the scenes out");
    }
  }
  scene = std::move(sum);
  return scene;
}

void ProblemLoader::check_fillings(const Robot& robot, const Scene& scene) const {
  const auto known = [&](const std::string& name) {
    if (robot.find_body(name).valid()) return true;
    return std::any_of(scene.objects.begin(), scene.objects.end(), [&](const SceneObject& object) {
      return object.name == name || "scene::" + object.name == name;
    });
  };
  for (const auto& [option, names] :
       {std::pair<const char*, const std::vector<std::string>&>("--solid", options_.solid),
        {"--surface", options_.surface}})
    for (const std::string& name : names)
      if (!known(name))
        usage_error(options_.command, option,
                    "neither the robot nor the scene has a " + quote(name),
                    "see `catena info` for the names of links and objects");
  for (const std::string& name : options_.solid)
    if (std::find(options_.surface.begin(), options_.surface.end(), name) != options_.surface.end())
      usage_error(options_.command, "--solid", quote(name) + " is named by --surface as well",
                  "keep one of them");
}

std::shared_ptr<const Scene> ProblemLoader::settle_frames(const Robot& robot,
                                                          std::shared_ptr<const Scene> scene) {
  if (scene->assumed_frames.empty()) return scene;
  const std::vector<std::string> at_world = links_at_world(robot);
  for (const auto& [place, frame] : scene->assumed_frames) {
    const bool at_root = std::find(at_world.begin(), at_world.end(), frame) != at_world.end();
    if (at_root || frame == "map" || robot.world_frames().contains(frame)) continue;
    throw io::InputError(
        place, 0, "frame " + quote(frame),
        robot.find_body(frame).valid()
            ? "it is a link of the robot, but not its root " + quote(at_world.front()) +
                  ", which stands at the world frame"
            : "it is neither the world nor the robot's root link " + quote(at_world.front()),
        "place the object in the frame \"world\", or give the frame's pose in "
        "fixed_frame_transforms");
  }
  // What is left is right for the root, and said for other names of the world.
  auto settled = std::make_shared<Scene>(*scene);
  std::erase_if(settled->warnings, [&](const std::string& text) {
    return std::any_of(
        scene->assumed_frames.begin(), scene->assumed_frames.end(), [&](const auto& assumed) {
          return text.starts_with(assumed.first + ": frame ") &&
                 std::find(at_world.begin(), at_world.end(), assumed.second) != at_world.end();
        });
  });
  for (const std::string& text : settled->warnings)
    if (is_about_a_frame(*scene, text)) warn(text);
  return settled;
}

std::shared_ptr<const CollisionWorld> ProblemLoader::world(const std::string& robot,
                                                           const std::string& scene) {
  auto world = load_world(robot, scene);
  if (const std::string why = why_nothing_is_checked(*world); !why.empty()) warn(why);
  return world;
}

std::shared_ptr<const CollisionWorld> ProblemLoader::load_world(const std::string& robot,
                                                                const std::string& scene) {
  const std::string& robot_path = robot.empty() ? options_.robot : robot;
  auto& world = worlds_[{robot_path, scene}];
  if (world) return world;
  auto loaded_robot = load_robot(robot_path);
  auto loaded_scene = load_scenes(scene);
  check_fillings(*loaded_robot, *loaded_scene);
  loaded_scene = settle_frames(*loaded_robot, std::move(loaded_scene));
  try {
    world = std::make_shared<CollisionWorld>(std::move(loaded_robot), std::move(loaded_scene));
  } catch (const std::invalid_argument& error) {
    const std::string where = !scene.empty()            ? scene
                              : options_.scenes.empty() ? robot_path
                                                        : options_.scenes.front();
    input_error(where, "robot " + quote(robot_path), error,
                "use the scene with the robot that it was made for");
  }
  return world;
}

std::string why_nothing_is_checked(const CollisionWorld& world) {
  if (world.num_body_pairs() > 0) return "";
  const Robot& robot = world.robot();
  const Scene& scene = world.scene();
  const std::string what = "nothing is ever checked, so every answer is \"free\": ";
  const auto with_geometry =
      static_cast<size_t>(std::count_if(robot.bodies().begin(), robot.bodies().end(),
                                        [](const Body& body) { return !body.geometries.empty(); }));
  if (with_geometry == 0 && scene.attached.empty())
    return what + "no link of the robot has <collision> geometry";
  std::string why = with_geometry < 2 ? count_text(with_geometry, "link") + " with geometry" : "";
  std::map<std::string, size_t> reasons;
  for (const UncheckedPair& pair : robot.unchecked_pairs()) ++reasons[pair.reason];
  for (const auto& [reason, count] : reasons)
    why += (why.empty() ? "" : ", ") + count_text(count, "pair") + " of links left out as " +
           quote(reason);
  why += why.empty() ? "" : "; ";
  if (scene.objects.empty()) return what + why + "there is no scene object (give a --scene)";
  return what + why + "the " + count_text(scene.objects.size(), "scene object") +
         (scene.objects.size() == 1 ? " has" : " have") +
         " no geometry or may touch everything (allowed_collision_matrix)";
}

JointGroup find_group(const Robot& robot, const CommonOptions& options) {
  if (!options.group.empty() && robot.find_group(options.group) == nullptr) {
    std::string known;
    for (const JointGroup& group : robot.groups())
      known += (known.empty() ? "" : ", ") + group.name;
    const std::string remedy = !known.empty()         ? "choose one of: " + known
                               : options.srdf.empty() ? "name the SRDF that has it with --srdf"
                                                      : "leave --group out, or name another SRDF";
    usage_error(options.command, "--group",
                "robot \"" + robot.name() + "\" has no group \"" + options.group + "\"" +
                    (known.empty() ? ", nor any other" : ""),
                remedy);
  }
  return robot.group_or_all(options.group);
}

QueryOptions query_options(const CommonOptions& options) {
  QueryOptions result;
  result.clearance = options.clearance;
  result.tolerance = options.tolerance;
  result.distances = options.distances;
  // Answers promise brackets of 1e-5 m at most; the solids of meshes are known to single precision.
  result.distance_width = 2e-6;
  result.budget = static_cast<std::uint64_t>(options.budget);
  return result;
}

JointOrder::JointOrder(const Robot& robot, const JointGroup& group)
    : robot_(&robot), joints_(group.joints) {
  for (const LinkIndex joint : joints_) num_values_ += catena::num_values(robot.joint(joint).type);
}

JointOrder::JointOrder(const Robot& robot, const JointGroup& group,
                       const std::vector<std::string>& names, const std::string& file,
                       const std::string& element)
    : robot_(&robot) {
  for (const std::string& name : names) {
    const LinkIndex joint = robot.find_joint(name);
    if (!joint.valid() ||
        std::find(group.joints.begin(), group.joints.end(), joint) == group.joints.end())
      throw io::InputError(file, 0, element, "joint " + quote(name) + " " + why_not(robot, name),
                           "list exactly these: " + joint_list(robot, group.joints));
    if (std::find(joints_.begin(), joints_.end(), joint) != joints_.end())
      throw io::InputError(file, 0, element, "joint " + quote(name) + " is listed twice",
                           "list every joint once");
    joints_.push_back(joint);
    num_values_ += catena::num_values(robot.joint(joint).type);
  }
  for (const LinkIndex joint : group.joints)
    if (std::find(joints_.begin(), joints_.end(), joint) == joints_.end())
      throw io::InputError(
          file, 0, element, "joint " + quote(robot.joint(joint).name) + " is missing",
          "list exactly these: " + joint_list(robot, group.joints) +
              (robot.groups().empty() ? "" : "; or name a smaller group with --group"));
}

std::vector<std::string> JointOrder::names() const {
  std::vector<std::string> result;
  for (const LinkIndex joint : joints_) result.push_back(robot_->joint(joint).name);
  return result;
}

Eigen::VectorXd JointOrder::positions(const std::vector<double>& values,
                                      const Eigen::VectorXd& base, const std::string& file,
                                      const std::string& element) const {
  if (static_cast<int>(values.size()) != num_values_)
    throw io::InputError(file, 0, element,
                         "it has " + std::to_string(values.size()) +
                             " values, but the joints take " + std::to_string(num_values_),
                         "give one value a joint (planar 3, ball 4, floating 7) in the order of "
                         "the joints");
  int next = 0;
  for (const LinkIndex index : joints_) {
    const Joint& joint = robot_->joint(index);
    for (int i = 0; i < catena::num_values(joint.type); ++i, ++next) {
      if (!std::isfinite(values[static_cast<size_t>(next)]))
        throw io::InputError(file, 0, element,
                             "the value for joint " + quote(joint.name) + " is not a number",
                             "give a finite number");
    }
  }
  const Eigen::VectorXd q = put(values, base);
  try {
    validate_positions(*robot_, q);
  } catch (const std::invalid_argument& error) {
    input_error(file, element, error, "give values that the joints can take");
  }
  require_reach(*robot_, q, file, element);
  return q;
}

Eigen::VectorXd JointOrder::put(const std::vector<double>& values, Eigen::VectorXd base) const {
  size_t next = 0;
  for (const LinkIndex index : joints_) {
    const Joint& joint = robot_->joint(index);
    for (int i = 0; i < catena::num_values(joint.type); ++i)
      base[joint.q_index + i] = values[next++];
  }
  return base;
}

std::vector<double> JointOrder::values(const Eigen::VectorXd& q) const {
  std::vector<double> result;
  for (const LinkIndex index : joints_) {
    const Joint& joint = robot_->joint(index);
    for (int i = 0; i < catena::num_values(joint.type); ++i) result.push_back(q[joint.q_index + i]);
  }
  return result;
}

void set_joints(const Robot& robot, const OtherValues& values, const std::string& file,
                const std::string& element, Eigen::VectorXd& q) {
  for (const auto& [name, numbers] : values) {
    const LinkIndex index = robot.find_joint(name);
    if (!index.valid())
      throw io::InputError(file, 0, element, "joint " + quote(name) + " " + why_not(robot, name),
                           "name a movable joint; see `catena info`");
    const Joint& joint = robot.joint(index);
    const int count = num_values(joint.type);
    if (static_cast<int>(numbers.size()) != count)
      throw io::InputError(file, 0, element,
                           "joint " + quote(name) + " takes " + std::to_string(count) +
                               " values, not " + std::to_string(numbers.size()),
                           "give as many as its type has (planar 3, ball 4, floating 7)");
    for (int i = 0; i < count; ++i) q[joint.q_index + i] = numbers[static_cast<size_t>(i)];
  }
}

Eigen::VectorXd base_positions(const Robot& robot, const JointGroup& group,
                               const OtherValues& others, const std::string& file,
                               const std::string& element) {
  for (const auto& [name, unused] : others) {
    const LinkIndex index = robot.find_joint(name);
    if (index.valid() &&
        std::find(group.joints.begin(), group.joints.end(), index) != group.joints.end())
      throw io::InputError(file, 0, element, "joint " + quote(name) + " is in the group",
                           "leave it out here: the states give its value");
  }
  Eigen::VectorXd q = robot.zero_positions();
  set_joints(robot, others, file, element, q);
  for (const auto& [name, unused] : others) {
    const Joint& joint = robot.joint(robot.find_joint(name));
    if (num_values(joint.type) != 1) continue;
    double& value = q[joint.q_index];
    if (!(value >= joint.lower && value <= joint.upper) && std::isfinite(value)) {
      char number[32];
      std::snprintf(number, sizeof number, "%g", value);
      print_warning(file + ": " + element + ": joint " + quote(name) + " at " + number +
                    " is outside its limits; clamped");
      value = std::clamp(value, joint.lower, joint.upper);
    }
  }
  try {
    validate_positions(robot, q);
  } catch (const std::invalid_argument& error) {
    input_error(file, element, error, "give values that the joints can take");
  }
  require_reach(robot, q, file, element);
  return q;
}

int num_workers(int threads, int count) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, std::min(threads, count));
}

void parallel_for(int count, int threads, const std::function<void(int, int)>& work) {
  const int workers = num_workers(threads, count);
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  int failed_index = count;
  const auto run = [&](int worker) {
    for (int index = next++; index < count; index = next++) {
      try {
        work(index, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  std::vector<std::thread> pool;
  for (int worker = 1; worker < workers; ++worker) pool.emplace_back(run, worker);
  run(0);
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace catena::command
