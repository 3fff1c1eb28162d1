// The robot model: what RobotBuilder makes of a description, against oracles that work on the
// description itself, link by link.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "catena/model/robot_builder.hpp"
#include "catena/model/scene.hpp"

namespace catena {
namespace {

using Exact = boost::multiprecision::cpp_rational;
using Precise = boost::multiprecision::cpp_bin_float_100;

std::shared_ptr<const Geometry> ball() {
  static const auto shared = Geometry::make(Sphere{0.1});
  return shared;
}

LinkDescription link(const std::string& name, bool with_shape = true) {
  LinkDescription result;
  result.name = name;
  if (with_shape) result.collision.push_back({ball(), RigidEnclosure::identity()});
  return result;
}

JointDescription joint(const std::string& name, JointType type, const std::string& parent,
                       const std::string& child) {
  JointDescription result;
  result.name = name;
  result.type = type;
  result.parent = parent;
  result.child = child;
  result.axis = Vector3d::UnitZ();
  if (type == JointType::kRevolute || type == JointType::kPrismatic) {
    result.lower = -1.0;
    result.upper = 2.0;
  }
  return result;
}

/// base - a - b - c in a row, by revolute joints ja, jb, jc.
RobotDescription serial(int n = 3) {
  RobotDescription description;
  description.name = "serial";
  description.links.push_back(link("base"));
  std::string parent = "base";
  for (int i = 0; i < n; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    description.links.push_back(link(name));
    description.joints.push_back(joint("j" + name, JointType::kRevolute, parent, name));
    parent = name;
  }
  return description;
}

/// A random tree in shuffled document order; `fixed_share` of its joints are fixed.
RobotDescription random_tree(std::mt19937& rng, int n, double fixed_share) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::uniform_real_distribution<double> chance(0.0, 1.0);
  RobotDescription description;
  description.name = "tree";
  for (int i = 0; i < n; ++i) {
    LinkDescription next = link("l" + std::to_string(i), chance(rng) < 0.7);
    for (PlacedGeometry& placed : next.collision)
      placed.X_FG = RigidEnclosure::from_rpy({unit(rng), unit(rng), unit(rng)},
                                             {3 * unit(rng), 3 * unit(rng), 3 * unit(rng)});
    description.links.push_back(next);
    if (i == 0) continue;
    const int parent = std::uniform_int_distribution<int>(std::max(0, i - 4), i - 1)(rng);
    const JointType movable[] = {JointType::kRevolute, JointType::kContinuous,
                                 JointType::kPrismatic};
    const JointType type = chance(rng) < fixed_share ? JointType::kFixed : movable[rng() % 3];
    JointDescription made =
        joint("j" + std::to_string(i), type, "l" + std::to_string(parent), "l" + std::to_string(i));
    made.origin = RigidEnclosure::from_rpy({unit(rng), unit(rng), unit(rng)},
                                           {3 * unit(rng), 3 * unit(rng), 3 * unit(rng)});
    made.axis = Vector3d(unit(rng), unit(rng), unit(rng)) * std::pow(10.0, 3 * unit(rng));
    description.joints.push_back(made);
  }
  std::shuffle(description.links.begin(), description.links.end(), rng);
  std::shuffle(description.joints.begin(), description.joints.end(), rng);
  return description;
}

Eigen::Isometry3d isometry(const RigidTransform& X) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = X.R;
  result.translation() = X.p;
  return result;
}

Eigen::Isometry3d moved(JointType type, const Vector3d& axis, double q) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  if (type == JointType::kPrismatic)
    result.translation() = q * axis.normalized();
  else if (type != JointType::kFixed)
    result.linear() = Eigen::AngleAxisd(q, axis.normalized()).toRotationMatrix();
  return result;
}

/// Where every link stands, by the description alone.
std::map<std::string, Eigen::Isometry3d> poses_of_description(
    const RobotDescription& description, const std::map<std::string, double>& q) {
  std::map<std::string, const JointDescription*> above;
  for (const JointDescription& j : description.joints) above[j.child] = &j;
  std::map<std::string, Eigen::Isometry3d> poses;
  for (const LinkDescription& l : description.links) {
    std::vector<const JointDescription*> path;
    for (auto j = above.find(l.name); j != above.end(); j = above.find(j->second->parent))
      path.push_back(j->second);
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    for (auto j = path.rbegin(); j != path.rend(); ++j) {
      const double value = q.count((*j)->name) != 0 ? q.at((*j)->name) : 0.0;
      X = X * isometry((*j)->origin.X) * moved((*j)->type, (*j)->axis, value);
    }
    poses[l.name] = X;
  }
  return poses;
}

std::vector<Eigen::Isometry3d> poses_of_robot(const Robot& robot,
                                              const std::map<std::string, double>& q) {
  std::vector<Eigen::Isometry3d> poses = {Eigen::Isometry3d::Identity()};
  for (int i = 1; i < robot.num_links(); ++i) {
    const Joint& j = robot.joint(LinkIndex(i));
    EXPECT_LT(j.parent.value, i);
    poses.push_back(poses[static_cast<std::size_t>(j.parent.value)] * isometry(j.X_PJ.X) *
                    moved(j.type, j.axis, q.at(j.name)));
  }
  return poses;
}

// Property: every body and every geometry of the built model stands where the description puts it.
TEST(RobotBuilderProperty, MergingFixedJointsMovesNothing) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> angle(-2.0, 2.0);
  for (int trial = 0; trial < 60; ++trial) {
    const RobotDescription description = random_tree(rng, 2 + trial, trial % 3 == 0 ? 0.0 : 0.5);
    const auto robot = RobotBuilder::build(description);
    std::map<std::string, double> q;
    for (const JointDescription& j : description.joints) q[j.name] = angle(rng);
    const auto expected = poses_of_description(description, q);
    const auto poses = poses_of_robot(*robot, q);
    ASSERT_EQ(robot->bodies().size(), description.links.size()) << "trial " << trial;
    for (const LinkDescription& l : description.links) {
      const Body& body = robot->body(robot->find_body(l.name));
      const Eigen::Isometry3d& X_WL = poses[static_cast<std::size_t>(body.link.value)];
      const Eigen::Isometry3d X_WB = X_WL * isometry(body.X_LB.X);
      ASSERT_LT((X_WB.matrix() - expected.at(l.name).matrix()).norm(), 1e-11)
          << "trial " << trial << " link " << l.name;
      ASSERT_EQ(body.geometries.size(), l.collision.size());
      for (std::size_t k = 0; k < l.collision.size(); ++k) {
        const Eigen::Isometry3d got = X_WL * isometry(body.geometries[k].X_FG.X);
        const Eigen::Isometry3d want = expected.at(l.name) * isometry(l.collision[k].X_FG.X);
        ASSERT_LT((got.matrix() - want.matrix()).norm(), 1e-11) << "trial " << trial;
      }
    }
  }
}

// Property: a pair is checked unless one rule of the contract says otherwise, and each is listed.
TEST(RobotBuilderProperty, CheckedPairsAreThoseOfTheContract) {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 60; ++trial) {
    RobotDescription description = random_tree(rng, 2 + trial % 30, 0.4);
    std::set<std::pair<std::string, std::string>> disabled;
    for (int k = 0; k < 5; ++k) {
      std::string a = description.links[rng() % description.links.size()].name;
      std::string b = description.links[rng() % description.links.size()].name;
      description.disabled_pairs.push_back({a, b, "Never"});
      disabled.insert(std::minmax(a, b));
    }
    // Rigid pieces: merge names until nothing changes.
    std::map<std::string, std::string> piece;
    for (const LinkDescription& l : description.links) piece[l.name] = l.name;
    for (bool changed = true; changed;) {
      changed = false;
      for (const JointDescription& j : description.joints)
        if (j.type == JointType::kFixed && piece[j.parent] != piece[j.child]) {
          piece[j.parent] = piece[j.child] = std::min(piece[j.parent], piece[j.child]);
          changed = true;
        }
    }
    std::set<std::pair<std::string, std::string>> expected;
    for (const LinkDescription& a : description.links)
      for (const LinkDescription& b : description.links) {
        if (!(a.name < b.name) || a.collision.empty() || b.collision.empty()) continue;
        if (piece[a.name] == piece[b.name] || disabled.count({a.name, b.name}) != 0) continue;
        const bool joined = std::any_of(description.joints.begin(), description.joints.end(),
                                        [&](const JointDescription& j) {
                                          return (j.parent == a.name && j.child == b.name) ||
                                                 (j.parent == b.name && j.child == a.name);
                                        });
        if (!joined) expected.emplace(a.name, b.name);
      }
    const auto robot = RobotBuilder::build(description);
    std::set<std::pair<std::string, std::string>> got, unchecked;
    for (const auto& [a, b] : robot->list_checked_pairs())
      got.insert(std::minmax(robot->body(a).name, robot->body(b).name));
    for (const UncheckedPair& pair : robot->unchecked_pairs()) {
      EXPECT_FALSE(pair.reason.empty());
      unchecked.insert(std::minmax(robot->body(pair.a).name, robot->body(pair.b).name));
    }
    ASSERT_EQ(got, expected) << "trial " << trial;
    ASSERT_EQ(static_cast<std::int64_t>(got.size()), robot->num_checked_pairs());
    const auto shaped = static_cast<std::size_t>(
        std::count_if(description.links.begin(), description.links.end(),
                      [](const LinkDescription& l) { return !l.collision.empty(); }));
    ASSERT_EQ(got.size() + unchecked.size(), shaped * (shaped - 1) / 2) << "trial " << trial;
  }
}

TEST(RobotBuilder, SiblingsAreChecked) {
  RobotDescription description;
  for (const char* name : {"base", "left", "right"}) description.links.push_back(link(name));
  description.joints = {joint("jl", JointType::kPrismatic, "base", "left"),
                        joint("jr", JointType::kPrismatic, "base", "right")};
  const auto robot = RobotBuilder::build(description);
  ASSERT_EQ(robot->list_checked_pairs().size(), 1u);
  EXPECT_EQ(robot->body(robot->list_checked_pairs()[0].first).name, "left");
  EXPECT_EQ(robot->body(robot->list_checked_pairs()[0].second).name, "right");
}

// Links that are joined by a joint and further links fixed to them are two joints apart: checked.
TEST(RobotBuilder, AdjacencyIsThatOfTheUrdfNotOfTheMergedTree) {
  RobotDescription description = serial(1);
  description.links.push_back(link("flange"));
  description.joints.push_back(joint("jf", JointType::kFixed, "a", "flange"));
  const auto robot = RobotBuilder::build(description);
  ASSERT_EQ(robot->list_checked_pairs().size(), 1u);
  EXPECT_EQ(robot->body(robot->list_checked_pairs()[0].first).name, "base");
  EXPECT_EQ(robot->body(robot->list_checked_pairs()[0].second).name, "flange");
  ASSERT_EQ(robot->unchecked_pairs().size(), 2u);
  EXPECT_EQ(robot->unchecked_pairs()[0].reason, "Adjacent");
  EXPECT_EQ(robot->unchecked_pairs()[1].reason, "Rigid");
}

// Property: the composed line of a chain of mimics encloses the exact one.
TEST(RobotBuilderProperty, MimicOfMimicEnclosesTheExactLine) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    const int depth = 1 + trial % 6;
    RobotDescription description = serial(depth + 1);
    Exact m = 1, o = 0;
    for (int i = depth; i >= 1; --i) {
      const double scale = std::pow(10.0, 3 * unit(rng));
      MimicDescription mimic{description.joints[static_cast<std::size_t>(i) - 1].name,
                             scale * unit(rng), unit(rng) / scale};
      o += m * Exact(mimic.offset);
      m *= Exact(mimic.multiplier);
      description.joints[static_cast<std::size_t>(i)].mimic = mimic;
    }
    const auto robot = RobotBuilder::build(description);
    ASSERT_EQ(robot->num_positions(), 1);
    const Joint& last = robot->joint(LinkIndex(robot->num_links() - 1));
    ASSERT_TRUE(last.mimic.has_value());
    EXPECT_EQ(last.mimic->source, robot->find_joint("ja"));
    EXPECT_EQ(last.q_index, -1);
    ASSERT_LE(abs(m - Exact(last.mimic->multiplier)), Exact(last.mimic->multiplier_error))
        << "trial " << trial;
    ASSERT_LE(abs(o - Exact(last.mimic->offset)), Exact(last.mimic->offset_error))
        << "trial " << trial;
    ASSERT_LE(last.mimic->multiplier_error, 1e-14 * std::abs(last.mimic->multiplier) + 1e-140);
  }
}

// Property: the stored axis is the exact unit vector to within its error, whatever its length.
TEST(RobotBuilderProperty, AxisErrorCoversTheNormalisation) {
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 2000; ++trial) {
    RobotDescription description = serial(1);
    Vector3d axis(unit(rng), unit(rng), unit(rng));
    if (trial % 3 == 0) axis[trial % 2] *= 1e-9;
    if (trial % 7 == 0) axis = Vector3d(0, trial % 2 == 0 ? -3.7 : 0.3, 0);
    axis *= std::pow(10.0, 300 * unit(rng));
    if (trial == 1) axis = Vector3d(0, 0, 5e-324);
    if (trial == 2) axis = Vector3d(1e-320, 1.7e308, 1.7e308);
    description.joints[0].axis = axis;
    const auto robot = RobotBuilder::build(description);
    const Joint& got = robot->joint(LinkIndex(1));
    Precise squares = 0;
    for (int k = 0; k < 3; ++k) squares += Precise(axis[k]) * Precise(axis[k]);
    Precise off = 0;
    for (int k = 0; k < 3; ++k) {
      const Precise d = Precise(axis[k]) / sqrt(squares) - Precise(got.axis[k]);
      off += d * d;
    }
    ASSERT_LE(sqrt(off), Precise(got.axis_error)) << "trial " << trial;
    ASSERT_LE(got.axis_error, 1e-15);
    if ((axis.array() != 0.0).count() == 1) {
      ASSERT_EQ(got.axis_error, 0.0);
    }
  }
}

TEST(RobotBuilder, OrdersLinksDepthFirstAndValuesWithThem) {
  RobotDescription description;
  for (const char* name : {"c2", "c1", "root", "g"}) description.links.push_back(link(name));
  description.joints = {joint("j1", JointType::kPlanar, "root", "c1"),
                        joint("j2", JointType::kFloating, "root", "c2"),
                        joint("jg", JointType::kBall, "c1", "g")};
  const auto robot = RobotBuilder::build(description);
  ASSERT_EQ(robot->num_links(), 4);
  EXPECT_EQ(robot->joint(LinkIndex(1)).name, "j1");
  EXPECT_EQ(robot->joint(LinkIndex(2)).name, "jg");
  EXPECT_EQ(robot->joint(LinkIndex(3)).name, "j2");
  EXPECT_EQ(robot->joint(LinkIndex(2)).q_index, 3);
  EXPECT_EQ(robot->joint(LinkIndex(3)).q_index, 7);
  EXPECT_EQ(robot->num_positions(), 14);
  const Eigen::VectorXd q = robot->zero_positions();
  EXPECT_EQ(q.sum(), 2.0);
  EXPECT_EQ(q[6], 1.0);
  EXPECT_EQ(q[13], 1.0);
}

TEST(RobotBuilder, ZeroPositionsAreClampedIntoTheLimits) {
  RobotDescription description = serial(2);
  description.joints[0].lower = 0.5;
  description.joints[1].upper = -0.25;
  const auto robot = RobotBuilder::build(description);
  EXPECT_EQ(robot->zero_positions()[0], 0.5);
  EXPECT_EQ(robot->zero_positions()[1], -0.25);
}

std::vector<std::string> names(const Robot& robot, const JointGroup& group) {
  std::vector<std::string> result;
  for (const LinkIndex i : group.joints) result.push_back(robot.joint(i).name);
  return result;
}

TEST(RobotBuilder, GroupsOfEveryKindAddUp) {
  // base - a - b - c, and a second branch base - x - y.
  RobotDescription description = serial(3);
  description.links.push_back(link("x"));
  description.links.push_back(link("y"));
  description.joints.push_back(joint("jx", JointType::kRevolute, "base", "x"));
  description.joints.push_back(joint("jy", JointType::kRevolute, "x", "y"));
  description.joints[2].mimic = MimicDescription{"jb", 1.0, 0.0};
  description.passive_joints = {"jy", "nobody"};
  description.groups.resize(5);
  description.groups[0] = {"chain", {}, {}, {{"base", "c"}}, {}};
  description.groups[1] = {"across", {}, {}, {{"b", "y"}}, {}};
  description.groups[2] = {"by_link", {}, {"a", "base", "x"}, {}, {}};
  description.groups[3] = {"both", {"jb"}, {}, {}, {"by_link"}};
  description.groups[4] = {"none", {}, {"base"}, {}, {}};
  const auto robot = RobotBuilder::build(description);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(*robot, *robot->find_group("chain")), (Names{"ja", "jb"}));
  EXPECT_EQ(names(*robot, *robot->find_group("across")), (Names{"ja", "jb", "jx"}));
  EXPECT_EQ(names(*robot, *robot->find_group("by_link")), (Names{"ja", "jx"}));
  EXPECT_EQ(names(*robot, *robot->find_group("both")), (Names{"ja", "jb", "jx"}));
  EXPECT_EQ(names(*robot, *robot->find_group("none")), Names{});
  EXPECT_EQ(names(*robot, robot->group_or_all("")), (Names{"ja", "jb", "jx"}));
  EXPECT_EQ(robot->num_positions(), 4);
  ASSERT_EQ(robot->warnings().size(), 2u);
  EXPECT_EQ(robot->warnings()[0], "<passive_joint name=\"nobody\">: the robot has no such joint");
  EXPECT_EQ(robot->warnings()[1], "<group name=\"none\">: has no joint that can be planned for");
  try {
    (void)robot->group_or_all("arm");
    FAIL() << "an unknown group was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "group \"arm\": robot \"serial\" has no such group; choose one of: "
                 "chain, across, by_link, both, none");
  }
}

struct Refusal {
  std::string what;
  std::string message;
  void (*spoil)(RobotDescription&);
};

TEST(RobotBuilder, RefusesWhatIsNotATreeAndSaysWhy) {
  const Refusal refusals[] = {
      {"no link", "<robot name=\"serial\">: has no link; add at least one <link>",
       [](RobotDescription& d) { d.links.clear(); }},
      {"double link", "<link name=\"a\">: another link has this name; rename one of the two",
       [](RobotDescription& d) { d.links.push_back(link("a")); }},
      {"double joint", "<joint name=\"ja\">: another joint has this name; rename one of the two",
       [](RobotDescription& d) { d.joints[1].name = "ja"; }},
      {"unknown parent",
       "<joint name=\"ja\">: parent link \"bass\" does not exist; name a <link> of this robot",
       [](RobotDescription& d) { d.joints[0].parent = "bass"; }},
      {"unknown child",
       "<joint name=\"jc\">: child link \"\" does not exist; name a <link> of this robot",
       [](RobotDescription& d) { d.joints[2].child = ""; }},
      {"itself", "<joint name=\"jc\">: joins link \"c\" to itself; name two different links",
       [](RobotDescription& d) { d.joints[2].parent = "c"; }},
      {"two parents",
       "<joint name=\"jx\">: link \"c\" already is the child of joint \"jc\"; a link has one "
       "parent: remove one of the two joints",
       [](RobotDescription& d) {
         d.joints.push_back(joint("jx", JointType::kFixed, "base", "c"));
       }},
      {"two roots",
       "<robot name=\"serial\">: 2 links have no parent: \"base\", \"x\"; join them to one root by "
       "joints",
       [](RobotDescription& d) { d.links.push_back(link("x")); }},
      {"cycle only",
       "<robot name=\"serial\">: has no root: every link is the child of a joint, so they form a "
       "cycle; remove the joint that closes the cycle",
       [](RobotDescription& d) {
         d.joints.push_back(joint("jx", JointType::kFixed, "c", "base"));
       }},
      {"cycle beside the root",
       "<link name=\"x\">: belongs to a cycle of joints that the root does not reach; remove the "
       "joint that closes the cycle",
       [](RobotDescription& d) {
         d.links.push_back(link("x"));
         d.links.push_back(link("y"));
         d.joints.push_back(joint("jx", JointType::kFixed, "y", "x"));
         d.joints.push_back(joint("jy", JointType::kFixed, "x", "y"));
       }},
      {"zero axis",
       "<joint name=\"jb\">: the axis is zero; give a direction, or make the joint fixed",
       [](RobotDescription& d) { d.joints[1].axis.setZero(); }},
      {"axis not a number", "<joint name=\"jb\">: the axis is not finite; give finite numbers",
       [](RobotDescription& d) { d.joints[1].axis[1] = std::nan(""); }},
      {"origin not a number", "<joint name=\"jb\">: the origin is not finite; give finite numbers",
       [](RobotDescription& d) { d.joints[1].origin.X.p[1] = kInfinity; }},
      {"crossed limits",
       "<joint name=\"jb\">: lower limit 0.5 is above upper limit -3; swap the two values",
       [](RobotDescription& d) {
         d.joints[1].lower = 0.5;
         d.joints[1].upper = -3.0;
       }},
      {"limit not a number", "<joint name=\"jb\">: a limit is not a number; give numbers",
       [](RobotDescription& d) { d.joints[1].lower = std::nan(""); }},
      {"mimic of nobody",
       "<joint name=\"jb\">: mimics joint \"jz\", which does not exist; name a <joint> of this "
       "robot",
       [](RobotDescription& d) { d.joints[1].mimic = MimicDescription{"jz"}; }},
      {"mimic of itself",
       "<joint name=\"jb\">: mimics itself, directly or through others; let one joint of the cycle "
       "move by itself",
       [](RobotDescription& d) { d.joints[1].mimic = MimicDescription{"jb"}; }},
      {"mimic cycle",
       "<joint name=\"ja\">: mimics itself, directly or through others; let one joint of the cycle "
       "move by itself",
       [](RobotDescription& d) {
         d.joints[0].mimic = MimicDescription{"jb"};
         d.joints[1].mimic = MimicDescription{"jc"};
         d.joints[2].mimic = MimicDescription{"jb"};
       }},
      {"mimic of a fixed joint",
       "<joint name=\"jb\">: mimics joint \"ja\", which is fixed and has no value; make it fixed "
       "too, or remove its mimic",
       [](RobotDescription& d) {
         d.joints[0].type = JointType::kFixed;
         d.joints[1].mimic = MimicDescription{"ja"};
       }},
      {"mimic of a planar joint",
       "<joint name=\"jb\">: mimics joint \"ja\" of type planar, which has several values; mimic "
       "works between joints with one value",
       [](RobotDescription& d) {
         d.joints[0].type = JointType::kPlanar;
         d.joints[1].mimic = MimicDescription{"ja"};
       }},
      {"mimic that is not a number",
       "<joint name=\"jb\">: multiplier or offset of its mimic is not finite; give finite numbers",
       [](RobotDescription& d) {
         d.joints[1].mimic = MimicDescription{"ja", kInfinity};
       }},
      {"group joint",
       "<group name=\"g\">: joint \"jz\" does not exist; name a joint of this robot, "
       "or remove it from the group",
       [](RobotDescription& d) {
         d.groups = {{"g", {"jz"}, {}, {}, {}}};
       }},
      {"group cycle",
       "<group name=\"g\">: contains itself, directly or through others; remove one of the "
       "subgroups",
       [](RobotDescription& d) {
         d.groups = {{"g", {}, {}, {}, {"h"}}, {"h", {}, {}, {}, {"g"}}};
       }},
      {"state size",
       "<group_state name=\"s\">: joint \"ja\" has 2 values; a joint of type revolute takes 1",
       [](RobotDescription& d) {
         d.groups = {{"g", {"ja"}, {}, {}, {}}};
         d.group_states[{"g", "s"}] = {{"ja", {0.0, 1.0}}};
       }},
      {"half-space",
       "<link name=\"a\">: a half-space cannot be part of a robot; give it a large box, or put it "
       "into the scene",
       [](RobotDescription& d) {
         d.links[1].collision[0].geometry = Geometry::make(HalfSpace{Vector3d::UnitZ(), 0.0});
       }},
      {"no geometry",
       "<link name=\"a\">: a collision geometry is missing; give every collision "
       "element a geometry",
       [](RobotDescription& d) { d.links[1].collision[0].geometry = nullptr; }},
  };
  for (const Refusal& refusal : refusals) {
    RobotDescription description = serial(3);
    refusal.spoil(description);
    try {
      (void)RobotBuilder::build(description);
      ADD_FAILURE() << refusal.what << " was accepted";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.what(), refusal.message) << refusal.what;
    }
  }
}

TEST(RobotBuilder, AMimicBeyondItsLimitsIsAWarningThatNamesItsPlace) {
  RobotDescription description = serial(2);
  description.joints[1].mimic = MimicDescription{"ja", -2.0, 0.5};
  description.sources["<joint name=\"jb\">"] = {"robot.urdf", 12};
  const auto robot = RobotBuilder::build(description);
  ASSERT_EQ(robot->warnings().size(), 1u);
  EXPECT_EQ(robot->warnings()[0],
            "robot.urdf:12: <joint name=\"jb\">: joint \"ja\" drives it from -3.5 to 2.5, beyond "
            "its own limits -1 to 2, which are not enforced");
}

// A chain as long as anyone's: no recursion, no quadratic name search.
TEST(RobotBuilder, TakesTenThousandLinksInARow) {
  RobotDescription description;
  description.name = "rope";
  description.links.push_back(link("0", false));
  for (int i = 1; i < 10000; ++i) {
    description.links.push_back(link(std::to_string(i), false));
    description.joints.push_back(
        joint("j" + std::to_string(i), JointType::kBall, std::to_string(i - 1), std::to_string(i)));
  }
  std::reverse(description.joints.begin(), description.joints.end());
  const auto robot = RobotBuilder::build(description);
  EXPECT_EQ(robot->num_links(), 10000);
  EXPECT_EQ(robot->joint(LinkIndex(9999)).parent, LinkIndex(9998));
}

TEST(RobotBuilder, CombinedRobotsKeepTheirKinematicsAndCheckEachOther) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  RobotDescription one = random_tree(rng, 9, 0.3), two = random_tree(rng, 7, 0.3);
  two.groups = {{"g", {}, {"l5"}, {}, {}}};
  for (JointDescription& j : two.joints)
    if (j.type != JointType::kFixed) {
      two.group_states[{"g", "home"}][j.name] = {0.25};
      break;
    }
  const auto a = RobotBuilder::build(one), b = RobotBuilder::build(two);
  const RigidEnclosure X_WR = RigidEnclosure::from_rpy({1, 2, 3}, {0.3, 0.2, 0.1});
  const auto both = RobotBuilder::combine(
      *a, {{b, "left", X_WR}, {b, "right", RigidEnclosure::translation({0, 0, -4})}});
  EXPECT_EQ(both->num_links(), a->num_links() + 2 * (b->num_links() - 1));
  EXPECT_EQ(both->num_positions(), a->num_positions() + 2 * b->num_positions());

  std::map<std::string, double> q, q_left;
  for (int i = 1; i < both->num_links(); ++i) q[both->joint(LinkIndex(i)).name] = unit(rng);
  for (const JointDescription& j : two.joints)
    if (q.count("left/" + j.name) != 0) q_left[j.name] = q["left/" + j.name];
  const auto poses = poses_of_robot(*both, q);
  for (const auto& [name, X] : poses_of_description(two, q_left)) {
    const Body& body = both->body(both->find_body("left/" + name));
    const Eigen::Isometry3d got =
        poses[static_cast<std::size_t>(body.link.value)] * isometry(body.X_LB.X);
    EXPECT_LT((got.matrix() - (isometry(X_WR.X) * X).matrix()).norm(), 1e-12) << name;
    EXPECT_EQ(body.geometries.size(), b->body(b->find_body(name)).geometries.size());
  }

  std::set<int> values;
  for (const LinkIndex i : both->active_joints()) {
    values.insert(both->joint(i).q_index);
    EXPECT_EQ(both->find_joint(both->joint(i).name), i);
  }
  EXPECT_EQ(static_cast<int>(values.size()), both->num_positions());
  EXPECT_EQ(*values.rbegin(), both->num_positions() - 1);

  const auto shaped = [](const Robot& robot) {
    return std::count_if(robot.bodies().begin(), robot.bodies().end(),
                         [](const Body& body) { return !body.geometries.empty(); });
  };
  const auto na = shaped(*a), nb = shaped(*b);
  EXPECT_EQ(static_cast<long>(both->list_checked_pairs().size()),
            static_cast<long>(a->list_checked_pairs().size() + 2 * b->list_checked_pairs().size()) +
                2 * na * nb + nb * nb);
  EXPECT_EQ(both->unchecked_pairs().size(),
            a->unchecked_pairs().size() + 2 * b->unchecked_pairs().size());
  ASSERT_NE(both->find_group("right/g"), nullptr);
  EXPECT_EQ(both->group_states().count({"left/g", "home"}), 1u);
  EXPECT_THROW((void)RobotBuilder::combine(*a, {{b, "x", {}}, {b, "x", {}}}), ModelError);
  EXPECT_THROW((void)RobotBuilder::combine(*a, {{b, "", {}}}), ModelError);
}

TEST(RobotBuilder, CombinedMimicsFollowTheirOwnSource) {
  RobotDescription description = serial(2);
  description.joints[1].mimic = MimicDescription{"ja", 1.0, 0.0};
  const auto robot = RobotBuilder::build(description);
  const auto both = RobotBuilder::combine(*robot, {{robot, "b", {}}});
  const LinkIndex source = both->find_joint("b/ja");
  ASSERT_TRUE(source.valid());
  EXPECT_EQ(both->joint(LinkIndex(4)).mimic->source, source);
  EXPECT_FALSE(both->find_joint("b/jb").valid());
}

TEST(AllowedCollisions, AnExplicitCheckWinsOverADefaultAndAnAllowedPairOverBoth) {
  AllowedCollisions allowed;
  EXPECT_TRUE(allowed.empty());
  EXPECT_FALSE(allowed.allows("a", "b"));
  allowed.allow("b", "a");
  EXPECT_TRUE(allowed.allows("a", "b"));
  EXPECT_TRUE(allowed.allows("b", "a"));
  EXPECT_FALSE(allowed.allows("a", "c"));
  allowed.allow_with_everything("hand");
  EXPECT_TRUE(allowed.allows("c", "hand"));
  allowed.require("hand", "table");
  EXPECT_FALSE(allowed.allows("table", "hand"));
  AllowedCollisions more;
  more.allow("table", "hand");
  allowed.add(more);
  EXPECT_TRUE(allowed.allows("table", "hand"));
}

TEST(Scene, AddsUpAndRefusesDoubleNamesWithoutChangingAnything) {
  Scene one, two;
  one.objects.push_back({"box", {}});
  one.link_padding["a"] = 0.1;
  two.objects.push_back({"ball", {}});
  two.attached.push_back({{"tool", {}}, "hand", {"finger"}});
  two.allowed.allow("x", "y");
  two.robot_state["j"] = {1.0};
  two.link_padding["a"] = 0.1;
  one.add(two);
  EXPECT_EQ(one.objects.size(), 2u);
  EXPECT_EQ(one.attached.size(), 1u);
  EXPECT_TRUE(one.allowed.allows("y", "x"));
  EXPECT_EQ(one.robot_state.at("j"), std::vector<double>{1.0});
  Scene three;
  three.objects.push_back({"new", {}});
  three.objects.push_back({"tool", {}});
  try {
    one.add(three);
    FAIL() << "a double name was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "scene: object \"tool\" is in two scenes; rename one of them");
  }
  EXPECT_EQ(one.objects.size(), 2u);
  Scene four;
  four.link_padding["a"] = 0.2;
  EXPECT_THROW(one.add(four), std::invalid_argument);
}

}  // namespace
}  // namespace catena
