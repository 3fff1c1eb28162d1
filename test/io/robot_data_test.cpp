// Real robots: every URDF of data/robots against the counts that data/SOURCES.md gives, which were
// taken by another program, and against the stock reader, urdfdom, where that reads faithfully.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#ifdef CATENA_HAVE_URDFDOM
#include <urdf_parser/urdf_parser.h>
#endif

#include "catena/io/input_error.hpp"
#include "catena/io/urdf.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;

using Counts = std::map<std::string, int>;

struct Listed {
  std::string path;  // below data/
  std::string counts;
};

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rows of SOURCES.md whose file ends so.
std::vector<Listed> listed_files(const std::string& ending) {
  std::vector<Listed> rows;
  std::istringstream lines(file_text(test::data_root() / "data/SOURCES.md"));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
    if (cells.size() < 5) continue;
    std::string path = cells[1].substr(1, cells[1].size() - 2);
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (path.starts_with("robots/") && lower.ends_with(ending)) rows.push_back({path, cells[4]});
  }
  return rows;
}

/// "12 links, 11 joints (2 fixed, 9 revolute), collision: 3 mesh" as words and their numbers.
Counts parse_counts(const std::string& text) {
  Counts counts;
  const std::regex item("([0-9]+) ([a-z_]+( (links|groups|states))?)");
  for (std::sregex_iterator at(text.begin(), text.end(), item), end; at != end; ++at)
    counts[(*at)[2]] = std::stoi((*at)[1]);
  if (const auto depth = text.find("depth "); depth != std::string::npos)
    counts["depth"] = std::stoi(text.substr(depth + 6));
  for (const char* done : {"scaled", "group states"}) counts.erase(done);
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

Counts counts_of(const RobotDescription& description) {
  Counts counts;
  counts["links"] = static_cast<int>(description.links.size());
  counts["joints"] = static_cast<int>(description.joints.size());
  std::map<std::string, int> children;
  std::map<std::string, std::string> parents;
  for (const JointDescription& joint : description.joints) {
    ++counts[joint.type == JointType::kBall ? "spherical" : name_of(joint.type)];
    if (joint.mimic.has_value()) ++counts["mimic"];
    if (++children[joint.parent] == 2) ++counts["branching links"];
    parents[joint.child] = joint.parent;
  }
  for (const LinkDescription& link : description.links) {
    int depth = 0;
    for (auto at = parents.find(link.name); at != parents.end(); at = parents.find(at->second))
      ++depth;
    if (depth > 0) counts["depth"] = std::max(counts["depth"], depth);
    for (const PlacedGeometry& placed : link.collision) {
      if (placed.geometry->kind() == Geometry::Kind::kMesh) {
        ++counts["mesh"];
        continue;
      }
      const char* kinds[] = {"sphere", "capsule", "box", "cylinder", "cone", "plane"};
      ++counts[kinds[placed.geometry->primitive().index()]];
    }
  }
  return counts;
}

/// The map of data/robots/PACKAGES.tsv.
std::map<std::string, std::string> known_packages() {
  std::map<std::string, std::string> packages;
  std::istringstream lines(file_text(test::data_root() / "data/robots/PACKAGES.tsv"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.starts_with("package\t")) continue;
    packages[line.substr(0, tab)] = (test::data_root() / "data" / line.substr(tab + 1)).string();
  }
  return packages;
}

/// A stand-in for every mesh of a package that a URDF names, so that its other parts can be read.
std::map<std::string, std::string> stand_ins(const fs::path& urdf,
                                             const test::TemporaryFolder& folder) {
  std::map<std::string, std::string> packages;
  const std::string text = file_text(urdf);
  const std::regex uri("package://([^/\"]+)/([^\"]+)");
  for (std::sregex_iterator at(text.begin(), text.end(), uri), end; at != end; ++at) {
    const std::string name = (*at)[1], file = (*at)[2];
    packages[name] = (folder.path() / name).string();
    folder.write(name + "/" + file,
                 "solid s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
                 "0\nendloop\nendfacet\nendsolid s\n");
  }
  return packages;
}

/// What the file's own errors are, where it has some: they must be ones that a user can act on.
const std::map<std::string, std::string> kExpectedFailures = {
    {"robots/ur5_vamp/ur5.urdf",
     ":251: <link name=\"fts_robotside\"> <mesh>: the file \"package://meshes/robotiq_fts300.stl\" "
     "is "
     "not there (looked for "},
    {"robots/arter_excavator/arter.urdf",
     ":31: <link name=\"arter/base_inertial_link\"> <mesh>: the file "
     "\"package://m545_description/meshes/convexhull/base_link.STL\" is not found: no folder is "
     "known for package \"m545_description\"; name the package's folder with --package "
     "m545_description=DIR, or through ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"},
    {"robots/bullet_pendulum/Base_2.urdf",
     ":57: <joint name=\"Base_pulley1\">: lower limit 1 is above upper limit 0; swap the two "
     "values, "
     "or make it continuous if it has no limits"}};

TEST(RobotData, EveryUrdfHasTheCountsThatAnotherProgramTook) {
  CATENA_REQUIRE_DATA("data/SOURCES.md");
  CATENA_REQUIRE_DATA("data/robots");
  const std::vector<Listed> rows = listed_files(".urdf");
  EXPECT_EQ(rows.size(), 25u);
  std::size_t on_disk = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_root() / "data/robots")) {
    std::string ending = entry.path().extension().string();
    if (ending == ".urdf" || ending == ".URDF") ++on_disk;
  }
  EXPECT_EQ(rows.size(), on_disk) << "a URDF is not listed";

  for (const Listed& row : rows) {
    const fs::path file = test::data_root() / "data" / row.path;
    UrdfOptions options;
    options.packages = known_packages();
    const test::TemporaryFolder folder;
    const auto failure = kExpectedFailures.find(row.path);
    if (failure != kExpectedFailures.end()) {
      try {
        (void)load_urdf(file.string(), options);
        ADD_FAILURE() << row.path << " was accepted";
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).rfind(file.string() + failure->second, 0), 0u)
            << error.what();
      }
      options.packages = stand_ins(file, folder);
    }
    if (row.path == "robots/bullet_pendulum/Base_2.urdf") continue;
    if (row.counts.find("ParseError") != std::string::npos) continue;  // has a test of its own
    try {
      const RobotDescription description = describe_urdf(file.string(), options);
      EXPECT_EQ(counts_of(description), parse_counts(row.counts)) << row.path;
      const auto robot = RobotBuilder::build(description);
      EXPECT_EQ(robot->bodies().size(), description.links.size()) << row.path;
    } catch (const std::exception& error) {
      ADD_FAILURE() << row.path << ": " << error.what();
    }
  }
}

TEST(RobotData, TheHumanoidWithANulByteIsRead) {
  const std::string path = "data/robots/bullet_humanoid/humanoid_deepmimic.urdf";
  CATENA_REQUIRE_DATA(path);
  const auto robot = load_urdf((test::data_root() / path).string());
  EXPECT_EQ(robot->bodies().size(), 16u);
  EXPECT_EQ(robot->active_joints().size(), 12u);
  EXPECT_EQ(std::count_if(robot->active_joints().begin(), robot->active_joints().end(),
                          [&](LinkIndex i) { return robot->joint(i).type == JointType::kBall; }),
            8);
  EXPECT_NE(robot->warnings()[0].find(":288: NUL bytes at the end of the file are ignored"),
            std::string::npos);
}

TEST(RobotData, MimicJointsFollowAndMirroredMeshesStaySolid) {
  const std::string path =
      "data/robots/example-robot-data/robots/talos_data/robots/talos_full_v2.urdf";
  CATENA_REQUIRE_DATA(path);
  const auto robot = load_urdf((test::data_root() / path).string());
  EXPECT_EQ(robot->num_links() - 1, 44);
  EXPECT_EQ(robot->num_positions(), 32) << "44 movable joints, 12 of which mimic";
  for (int i = 1; i < robot->num_links(); ++i)
    if (const auto& mimic = robot->joint(LinkIndex(i)).mimic) {
      EXPECT_FALSE(robot->joint(mimic->source).mimic.has_value());
    }
}

TEST(RobotData, SrdfsAddTheirGroupsStatesAndPairs) {
  CATENA_REQUIRE_DATA("data/robots");
  const std::string erd = "robots/example-robot-data/robots/";
  const std::map<std::string, std::string> urdf_of = {
      {"robots/mobile_cell_4imm/cell.srdf", "robots/mobile_cell_4imm/gazebo_cell.urdf"},
      {"robots/panda_moveit/panda_moveit_config/config/panda.srdf",
       "robots/panda_moveit/panda_description/urdf/panda.urdf"},
      {"robots/panda_vamp/panda.srdf", "robots/panda_vamp/panda_spherized.urdf"},
      {"robots/ur5_vamp/ur5.srdf", "robots/ur5_vamp/ur5_spherized.urdf"},
      {"robots/fetch_vamp/fetch.srdf", "robots/fetch_vamp/fetch_spherized.urdf"},
      {erd + "talos_data/srdf/talos.srdf", erd + "talos_data/robots/talos_full_v2.urdf"},
      {erd + "ur_description/srdf/ur5.srdf", erd + "ur_description/urdf/ur5_robot.urdf"},
      {erd + "icub_description/srdf/icub.srdf", erd + "icub_description/robots/icub.urdf"}};
  for (const Listed& row : listed_files(".srdf")) {
    const auto urdf = urdf_of.find(row.path);
    if (urdf == urdf_of.end()) continue;  // its robot is xacro; see below
    UrdfOptions options;
    options.packages = known_packages();
    options.srdf = (test::data_root() / "data" / row.path).string();
    try {
      const RobotDescription description =
          describe_urdf((test::data_root() / "data" / urdf->second).string(), options);
      const auto robot = RobotBuilder::build(description);
      std::smatch counts;
      ASSERT_TRUE(std::regex_search(
          row.counts, counts,
          std::regex("([0-9]+) disable_collisions, ([0-9]+) groups, ([0-9]+) group states")))
          << row.path;
      EXPECT_EQ(static_cast<int>(robot->groups().size()), std::stoi(counts[2])) << row.path;
      EXPECT_EQ(static_cast<int>(robot->group_states().size()), std::stoi(counts[3])) << row.path;
      // Pairs of links that the robot lacks are left out, each with a warning.
      const bool complete = std::none_of(
          description.warnings.begin(), description.warnings.end(), [](const std::string& w) {
            return w.find("pairs with it are ignored") != std::string::npos;
          });
      if (complete) {
        EXPECT_EQ(static_cast<int>(description.disabled_pairs.size()), std::stoi(counts[1]));
      } else {
        EXPECT_EQ(row.path, "robots/fetch_vamp/fetch.srdf");
      }
      for (const auto& [a, b] : robot->list_checked_pairs())
        for (const DisabledPair& pair : description.disabled_pairs)
          ASSERT_FALSE(std::minmax(robot->body(a).name, robot->body(b).name) ==
                       std::minmax(pair.a, pair.b))
              << row.path;
    } catch (const std::exception& error) {
      ADD_FAILURE() << row.path << ": " << error.what();
    }
  }
}

TEST(RobotData, XacroRobotsAreExpandedWithoutRos) {
  CATENA_REQUIRE_DATA("data/robots/high_dof_snake");
  if (std::system("xacro --help >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no xacro program on PATH (pip install xacro)";
  const fs::path robots = test::data_root() / "data/robots";
  const test::ScopedVariable no_ros("ROS_PACKAGE_PATH", nullptr);
  const auto active = [&](const fs::path& file, const std::string& srdf = "") {
    UrdfOptions options;
    options.packages = known_packages();
    options.srdf = srdf;
    return load_urdf(file.string(), options)->active_joints().size();
  };
  EXPECT_EQ(active(robots / "panda_moveit/panda_description/urdf/panda.urdf.xacro"), 8u);
  EXPECT_EQ(active(robots / "auto_crane/urdf/crane.urdf.xacro",
                   (robots / "auto_crane/config/AutoCrane.srdf").string()),
            3u);
  EXPECT_EQ(active(robots / "snake_monster/snake_monster/urdf/snake_monster.xacro"), 18u);

  // The snake arms include files for a simulator that were not copied: the error names one, and
  // with empty ones in their place the arms are read.
  const fs::path snake = robots / "high_dof_snake/high_dof_description/urdf";
  try {
    (void)active(snake / "robot12dof.urdf.xacro");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("antro3.gazebo"), std::string::npos) << error.what();
  }
  const test::TemporaryFolder folder;
  const fs::path copy = folder.path() / "high_dof_description/urdf";
  fs::create_directories(copy.parent_path());
  fs::copy(snake, copy, fs::copy_options::recursive);
  for (const char* gone : {"antro3.gazebo", "roscontrol.gazebo"})
    folder.write(std::string("high_dof_description/urdf/") + gone, "<robot/>");
  for (const int n : {12, 18}) {
    const std::string name = std::to_string(n);
    const fs::path srdf =
        robots / ("high_dof_snake/high_dof_" + name + "_moveit_config/config/robot3dof.srdf");
    UrdfOptions options;
    options.srdf = srdf.string();
    try {
      const auto robot = load_urdf((copy / ("robot" + name + "dof.urdf.xacro")).string(), options);
      EXPECT_EQ(static_cast<int>(robot->active_joints().size()), n);
      EXPECT_EQ(robot->groups().size(), 1u);
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

#ifdef CATENA_HAVE_URDFDOM
// Property: where urdfdom reads a file without dropping anything, both readers say the same.
TEST(RobotDataProperty, NamesJointsAndFramesAreThoseOfTheStockReader) {
  CATENA_REQUIRE_DATA("data/robots");
  int compared = 0;
  for (const Listed& row : listed_files(".urdf")) {
    const fs::path file = test::data_root() / "data" / row.path;
    // Not standard URDF: capsules, spherical joints, a NUL byte; or refused by us, see above.
    if (row.path.find("bullet_humanoid") != std::string::npos ||
        row.path.find("bullet_pendulum") != std::string::npos)
      continue;
    const urdf::ModelInterfaceSharedPtr stock = urdf::parseURDFFile(file.string());
    if (stock == nullptr) {
      std::cout << row.path << ": refused by urdfdom\n";
      continue;
    }
    const test::TemporaryFolder folder;
    UrdfOptions options;
    options.packages = known_packages();
    if (kExpectedFailures.count(row.path) != 0) options.packages = stand_ins(file, folder);
    const RobotDescription ours = describe_urdf(file.string(), options);
    ++compared;
    EXPECT_EQ(ours.name, stock->getName()) << row.path;
    ASSERT_EQ(ours.links.size(), stock->links_.size()) << row.path;
    ASSERT_EQ(ours.joints.size(), stock->joints_.size()) << row.path;
    const auto expect_pose = [&](const RigidTransform& X, const urdf::Pose& pose) {
      Matrix3d R;
      for (int k = 0; k < 3; ++k) {
        const urdf::Vector3 unit(k == 0, k == 1, k == 2);
        const urdf::Vector3 column = pose.rotation * unit;
        R.col(k) = Vector3d(column.x, column.y, column.z);
      }
      EXPECT_LT((X.R - R).norm(), 1e-14);
      EXPECT_EQ(X.p, Vector3d(pose.position.x, pose.position.y, pose.position.z));
    };
    for (const LinkDescription& link : ours.links) {
      const auto other = stock->getLink(link.name);
      ASSERT_NE(other, nullptr) << row.path << " " << link.name;
      ASSERT_EQ(link.collision.size(), other->collision_array.size()) << row.path << link.name;
      SCOPED_TRACE(row.path + " link " + link.name);
      for (std::size_t k = 0; k < link.collision.size(); ++k)
        expect_pose(link.collision[k].X_FG.X, other->collision_array[k]->origin);
    }
    for (const JointDescription& joint : ours.joints) {
      SCOPED_TRACE(row.path + " joint " + joint.name);
      const auto other = stock->getJoint(joint.name);
      ASSERT_NE(other, nullptr);
      EXPECT_EQ(joint.parent, other->parent_link_name);
      EXPECT_EQ(joint.child, other->child_link_name);
      const std::map<JointType, int> types = {{JointType::kFixed, urdf::Joint::FIXED},
                                              {JointType::kRevolute, urdf::Joint::REVOLUTE},
                                              {JointType::kContinuous, urdf::Joint::CONTINUOUS},
                                              {JointType::kPrismatic, urdf::Joint::PRISMATIC},
                                              {JointType::kFloating, urdf::Joint::FLOATING},
                                              {JointType::kPlanar, urdf::Joint::PLANAR}};
      ASSERT_EQ(types.at(joint.type), other->type);
      expect_pose(joint.origin.X, other->parent_to_joint_origin_transform);
      if (num_values(joint.type) == 1) {
        EXPECT_EQ(joint.axis, Vector3d(other->axis.x, other->axis.y, other->axis.z));
      }
      if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic) {
        ASSERT_NE(other->limits, nullptr);
        EXPECT_EQ(joint.lower, other->limits->lower);
        EXPECT_EQ(joint.upper, other->limits->upper);
      }
      ASSERT_EQ(joint.mimic.has_value(), other->mimic != nullptr);
      if (joint.mimic.has_value()) {
        EXPECT_EQ(joint.mimic->joint, other->mimic->joint_name);
        EXPECT_EQ(joint.mimic->multiplier, other->mimic->multiplier);
        EXPECT_EQ(joint.mimic->offset, other->mimic->offset);
      }
    }
  }
  EXPECT_GE(compared, 20);
}
#endif

}  // namespace
}  // namespace catena::io
