#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "catena/query/collision_world.hpp"
#include "catena/query/discrete.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace catena::command {

using OtherValues = std::map<std::string, std::vector<double>>;

/// Loads what the options name, each file once, and says every warning once on stderr.
class ProblemLoader {
 public:
  explicit ProblemLoader(const CommonOptions& options);

  /// Further package folders, as of a query file. Those of the command line win.
  void add_packages(const std::map<std::string, std::string>& packages);

  /// The robot (with its --with companions) in its scene. A path that is not empty replaces the
  /// command line's robot or scenes. Warns where nothing would ever be checked in it. Throws
  /// io::InputError.
  std::shared_ptr<const CollisionWorld> world(const std::string& robot = {},
                                              const std::string& scene = {});

  /// Reads what the command line names, only to refuse it if it is wrong.
  void read() { load_world({}, {}); }

 private:
  std::shared_ptr<const CollisionWorld> load_world(const std::string& robot,
                                                   const std::string& scene);
  std::shared_ptr<const Scene> settle_frames(const Robot& robot,
                                             std::shared_ptr<const Scene> scene);
  std::shared_ptr<const Robot> load_robot(const std::string& path);
  std::shared_ptr<const Scene> load_scenes(const std::string& replacement);
  std::shared_ptr<const Scene> load_scene(const std::string& path);
  void check_fillings(const Robot& robot, const Scene& scene) const;
  void warn(const std::string& text);

  const CommonOptions& options_;
  std::map<std::string, std::string> packages_;
  std::map<std::string, std::shared_ptr<const Robot>> robots_;
  std::map<std::string, std::shared_ptr<const Scene>> scene_files_;
  std::map<std::string, std::shared_ptr<const Scene>> scenes_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const CollisionWorld>> worlds_;
  std::set<std::string> warned_;
};

/// Why a world has no pair to check, in words; empty if it has one.
std::string why_nothing_is_checked(const CollisionWorld& world);

/// The group's joints; a group that the robot lacks is an io::InputError.
JointGroup find_group(const Robot& robot, const CommonOptions& options);

QueryOptions query_options(const CommonOptions& options);

/// How a list of values, joint after joint, fills a position vector.
class JointOrder {
 public:
  /// The group's own order.
  JointOrder(const Robot& robot, const JointGroup& group);

  /// The order that `names` gives, `element` of `file`: exactly the group's joints. Throws
  /// io::InputError with the name that is wrong.
  JointOrder(const Robot& robot, const JointGroup& group, const std::vector<std::string>& names,
             const std::string& file, const std::string& element = "joint_order");

  int num_values() const noexcept { return num_values_; }
  std::vector<std::string> names() const;

  /// `base` with the values put in their places and held against the joints' limits; `file` and
  /// `element` name the values in errors. Throws io::InputError.
  Eigen::VectorXd positions(const std::vector<double>& values, const Eigen::VectorXd& base,
                            const std::string& file, const std::string& element) const;

  /// `base` with as many values as there are put in their places, unchecked.
  /// @pre values.size() == num_values()
  Eigen::VectorXd put(const std::vector<double>& values, Eigen::VectorXd base) const;

  /// The other way: the values that `positions` puts into q.
  std::vector<double> values(const Eigen::VectorXd& q) const;

 private:
  const Robot* robot_;
  std::vector<LinkIndex> joints_;
  int num_values_ = 0;
};

/// Where the joints outside the group stand: at `others` or 0, clamped into their limits.
/// A joint that is unknown or in the group is an io::InputError that names `file` and `element`.
Eigen::VectorXd base_positions(const Robot& robot, const JointGroup& group,
                               const OtherValues& others, const std::string& file,
                               const std::string& element);

/// Puts named joint values into q (any active joint; mimic and unknown ones are errors).
void set_joints(const Robot& robot, const OtherValues& values, const std::string& file,
                const std::string& element, Eigen::VectorXd& q);

/// Runs work(index, worker) for every index below count; workers are numbered below the returned
/// number of threads. The first exception (by index) is thrown again when all have stopped.
int num_workers(int threads, int count);
void parallel_for(int count, int threads, const std::function<void(int index, int worker)>& work);

}  // namespace catena::command
