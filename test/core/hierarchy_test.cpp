// The trees over links and scene: what they hold, what they contain, and what follows from them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "catena/geometry/pair_distance.hpp"
#include "catena/hierarchy/chain_tree.hpp"
#include "catena/hierarchy/float_box.hpp"
#include "catena/hierarchy/scene_tree.hpp"
#include "catena/model/motion.hpp"
#include "catena/model/robot_builder.hpp"
#include "catena/query/collision_world.hpp"
#include "hierarchy/chain_volumes.hpp"
#include "hierarchy/world_boxes.hpp"
#include "soundness/engine_bridge.hpp"
#include "soundness/robots.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::OnEachTarget;
using test::Rng;
using test::uniform;

// parent[i] < i; every link but the root turns about a random axis and carries `shapes` spheres.
std::shared_ptr<const Robot> make_tree(const std::vector<int>& parent, int shapes, Rng& rng,
                                       double length = 0.4) {
  RobotDescription d;
  d.name = "tree";
  for (size_t i = 0; i < parent.size(); ++i) {
    LinkDescription link{"link_" + std::to_string(i), {}};
    for (int k = 0; k < shapes; ++k) {
      link.collision.push_back(
          {Geometry::make(Sphere{uniform(rng, 0.01, 0.1)}),
           RigidEnclosure::translation(
               {uniform(rng, 0, length), uniform(rng, -0.1, 0.1), uniform(rng, -0.1, 0.1)})});
    }
    d.links.push_back(link);
    if (i == 0) continue;
    JointDescription joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.parent = "link_" + std::to_string(parent[i]);
    joint.child = link.name;
    joint.origin = RigidEnclosure::from_rpy(
        {length, 0, 0}, {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)});
    joint.axis = Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
    joint.lower = -3.0;
    joint.upper = 3.0;
    d.joints.push_back(joint);
  }
  return RobotBuilder::build(d);
}

std::vector<int> serial(int n) {
  std::vector<int> parent(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) parent[static_cast<size_t>(i)] = i - 1;
  return parent;
}

std::vector<int> branching(int n, int reach, Rng& rng) {
  std::vector<int> parent(static_cast<size_t>(n), -1);
  for (int i = 1; i < n; ++i) {
    parent[static_cast<size_t>(i)] =
        std::uniform_int_distribution<int>(std::max(0, i - reach), i - 1)(rng);
  }
  return parent;
}

std::vector<int> star(int n) {
  std::vector<int> parent(static_cast<size_t>(n), 0);
  parent[0] = -1;
  return parent;
}

Eigen::VectorXd random_positions(const Robot& robot, Rng& rng) {
  Eigen::VectorXd q = robot.zero_positions();
  for (const LinkIndex i : robot.active_joints()) {
    q[robot.joint(i).q_index] = uniform(rng, -3.0, 3.0);
  }
  return q;
}

struct Shape {
  std::string name;
  std::vector<int> parent;
};

// Around powers of two, and trees of every kind.
std::vector<Shape> shapes(Rng& rng) {
  std::vector<Shape> all;
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100}) {
    all.push_back({"serial " + std::to_string(n), serial(n)});
  }
  for (const int reach : {1000, 3, 2}) {
    all.push_back({"branching, reach " + std::to_string(reach), branching(80, reach, rng)});
  }
  all.push_back({"star", star(70)});
  return all;
}

// Property: every part is in exactly one leaf, the counts add up, children come after their parent,
// and the depth is logarithmic.
TEST(ChainTree, HoldsEveryPartOnceAndStaysShallow) {
  Rng rng(71);
  for (const Shape& shape : shapes(rng)) {
    for (const int per_link : {0, 1, 3}) {
      const CollisionWorld world(make_tree(shape.parent, per_link, rng), nullptr);
      const ChainTree& tree = world.chain_tree();
      std::vector<int> seen(tree.parts().size(), 0);
      for (size_t n = 0; n < tree.nodes().size(); ++n) {
        const ChainTree::Node& node = tree.nodes()[n];
        if (node.part >= 0) ++seen[static_cast<size_t>(node.part)];
        if (node.left < 0) {
          EXPECT_EQ(node.num_parts, node.part >= 0 ? 1 : 0) << shape.name;
          continue;
        }
        EXPECT_GT(node.left, static_cast<int>(n));
        EXPECT_GT(node.right, static_cast<int>(n));
        const auto& left = tree.nodes()[static_cast<size_t>(node.left)];
        const auto& right = tree.nodes()[static_cast<size_t>(node.right)];
        EXPECT_EQ(left.parent, static_cast<int>(n));
        EXPECT_EQ(right.parent, static_cast<int>(n));
        EXPECT_EQ(node.num_parts, left.num_parts + right.num_parts) << shape.name;
      }
      for (const int count : seen) EXPECT_EQ(count, 1) << shape.name;
      const double size = static_cast<double>(shape.parent.size() * size_t(per_link + 1));
      // A quarter at least on each side: log(4/3); heavy paths may add one level each.
      EXPECT_LE(tree.depth(), 2.0 * std::log(size + 1.0) / std::log(4.0 / 3.0) + 4.0) << shape.name;
    }
  }
}

// Property: a shortcut is the product of the joint transforms that it spans: what two link poses
// say of each other. Oracle: the poses of all links, composed link by link.
TEST(ChainTree, TransformsBetweenNodesAgreeWithLinkPoses) {
  Rng rng(72);
  for (const Shape& shape : shapes(rng)) {
    const auto robot = make_tree(shape.parent, 2, rng);
    const CollisionWorld world(robot, nullptr);
    const ChainTree& tree = world.chain_tree();
    const Eigen::VectorXd q = random_positions(*robot, rng);
    std::vector<RigidEnclosure> X_WL(shape.parent.size()), slots(size_t(tree.num_slots()));
    link_poses(*robot, q, X_WL);
    for (int i = 1; i < robot->num_links(); ++i) {
      slots[size_t(i)] = joint_pose(*robot, LinkIndex(i), q);
    }
    for (size_t k = 0; k < tree.shortcuts().size(); ++k) {
      const ChainTree::Shortcut& s = tree.shortcuts()[k];
      ASSERT_LT(std::max(s.first, s.second), robot->num_links() + static_cast<int>(k));
      slots[size_t(robot->num_links()) + k] = slots[size_t(s.first)] * slots[size_t(s.second)];
    }
    for (const ChainTree::Node& node : tree.nodes()) {
      if (node.left < 0) continue;
      for (const auto& [child, slot] :
           {std::pair(node.left, node.left_slot), std::pair(node.right, node.right_slot)}) {
        const LinkIndex anchor = tree.nodes()[size_t(child)].anchor;
        const RigidEnclosure expected =
            X_WL[size_t(node.anchor.value)].inverse() * X_WL[size_t(anchor.value)];
        const RigidEnclosure got = slot == 0 ? RigidEnclosure::identity() : slots[size_t(slot)];
        EXPECT_LT((expected.X.R - got.X.R).norm(), 1e-12) << shape.name;
        EXPECT_LT((expected.X.p - got.X.p).norm(), 1e-12) << shape.name;
      }
    }
  }
}

// Oracle: walking up by parents.
TEST(ChainTree, AncestorsAndSubtreesAreThoseOfTheRobot) {
  Rng rng(73);
  for (const Shape& shape : shapes(rng)) {
    const CollisionWorld world(make_tree(shape.parent, 1, rng), nullptr);
    const Robot& robot = world.robot();
    const int n = robot.num_links();
    const auto path = [&](int i) {
      std::vector<int> links;
      for (; i > 0; i = robot.parent(LinkIndex(i)).value) links.push_back(i);
      links.push_back(0);
      return links;
    };
    for (int trial = 0; trial < 200; ++trial) {
      const int a = std::uniform_int_distribution<int>(0, n - 1)(rng);
      const int b = std::uniform_int_distribution<int>(0, n - 1)(rng);
      const std::vector<int> up_a = path(a), up_b = path(b);
      const auto common = std::find_first_of(up_a.begin(), up_a.end(), up_b.begin(), up_b.end());
      EXPECT_EQ(world.chain_tree().common_ancestor(LinkIndex(a), LinkIndex(b)).value, *common);
      const bool above = a > 0 && std::find(up_b.begin(), up_b.end(), a) != up_b.end();
      if (a > 0) {
        EXPECT_EQ(world.chain_tree().moves(LinkIndex(a), LinkIndex(b)), above);
      }
    }
  }
}

// Property: whatever lies between two parts, the node that first holds both is above the nodes of
// all joints between them, so that marking those nodes marks every pair that has changed.
TEST(ChainTree, JointsBetweenTwoPartsLieBelowTheNodeThatHoldsBoth) {
  Rng rng(74);
  for (const Shape& shape : shapes(rng)) {
    const CollisionWorld world(make_tree(shape.parent, 1, rng), nullptr);
    const ChainTree& tree = world.chain_tree();
    const auto ancestors = [&](int n) {
      std::set<int> all;
      for (; n >= 0; n = tree.nodes()[size_t(n)].parent) all.insert(n);
      return all;
    };
    std::vector<int> leaf(tree.parts().size());
    for (size_t n = 0; n < tree.nodes().size(); ++n) {
      if (tree.nodes()[n].part >= 0) leaf[size_t(tree.nodes()[n].part)] = static_cast<int>(n);
    }
    const int parts = static_cast<int>(tree.parts().size());
    for (int trial = 0; trial < 200 && parts > 1; ++trial) {
      const int a = std::uniform_int_distribution<int>(0, parts - 1)(rng);
      const int b = std::uniform_int_distribution<int>(0, parts - 1)(rng);
      if (a == b) continue;
      const std::set<int> above_a = ancestors(leaf[size_t(a)]),
                          above_b = ancestors(leaf[size_t(b)]);
      int holds_both = -1;
      for (const int n : above_a) {
        if (above_b.count(n) != 0) holds_both = std::max(holds_both, n);
      }
      const LinkIndex la = tree.parts()[size_t(a)].link, lb = tree.parts()[size_t(b)].link;
      for (int i = 1; i < world.robot().num_links(); ++i) {
        if (tree.moves(LinkIndex(i), la) == tree.moves(LinkIndex(i), lb)) continue;
        const std::set<int> above_joint = ancestors(tree.node_of_joint(LinkIndex(i)));
        EXPECT_EQ(above_joint.count(holds_both), 1u) << shape.name << " joint " << i;
      }
    }
  }
}

// Property: fitted and merged boxes contain every ball below them, wherever the joints are moved.
// Oracle: the balls' centres from the poses of all links.
TEST_P(OnEachTarget, ChainBoxesContainThePartsBelowThem) {
  Rng rng(75);
  for (const Shape& shape : shapes(rng)) {
    const auto robot = make_tree(shape.parent, 2, rng);
    const CollisionWorld world(robot, nullptr);
    const ChainTree& tree = world.chain_tree();
    if (tree.nodes().empty()) continue;
    std::vector<internal::NodeBox> boxes(tree.nodes().size());
    std::vector<internal::NodeView> views(tree.nodes().size());
    std::vector<RigidEnclosure> X_WL(shape.parent.size());
    Eigen::VectorXd q = random_positions(*robot, rng);
    link_poses(*robot, q, X_WL);
    internal::fit_boxes(tree, X_WL, boxes, views);
    for (int round = 0; round < 6; ++round) {
      const auto frame = [&](size_t n) {
        const internal::NodeBox& box = boxes[n];
        RigidTransform X_AO;
        for (int i = 0; i < 3; ++i) {
          X_AO.R.row(i) << box.x[i], box.y[i], box.z[i];
          X_AO.p[i] = box.c[i];
        }
        return X_WL[size_t(tree.nodes()[n].anchor.value)].X * X_AO;
      };
      for (size_t n = 0; n < boxes.size(); ++n) {
        const internal::NodeView& v = views[n];
        const ChainTree::Node& at = tree.nodes()[n];
        ASSERT_EQ(v.empty(), at.num_parts == 0) << shape.name;
        ASSERT_EQ(v.enter, tree.enter(at.anchor));
        if (at.left >= 0) {
          ASSERT_EQ(at.left, static_cast<int>(n) + 1);
          ASSERT_EQ(v.child, at.right);
        } else {
          ASSERT_EQ(v.part(), at.part);
        }
        if (v.empty()) continue;
        // What the traversal reads says the same, to the errors that it states.
        if (at.left >= 0 && !views[size_t(at.left)].empty() && !views[size_t(at.right)].empty()) {
          const RigidTransform between = frame(size_t(at.left)).inverse() * frame(size_t(at.right));
          const internal::FloatPose got = internal::between_children(v);
          EXPECT_LT(got.rotation_error, 1e-4F);
          for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(got.x[i], between.R(i, 0), got.rotation_error);
            EXPECT_NEAR(got.y[i], between.R(i, 1), got.rotation_error);
            EXPECT_NEAR(got.z[i], between.R(i, 2), got.rotation_error);
            EXPECT_NEAR(got.p[i], between.p[i], got.position_error);
          }
        }
        const RigidTransform X_WO = frame(n);
        // Every part below n.
        std::vector<int> stack{static_cast<int>(n)};
        while (!stack.empty()) {
          const ChainTree::Node& node = tree.nodes()[size_t(stack.back())];
          stack.pop_back();
          if (node.left >= 0) {
            stack.push_back(node.left);
            stack.push_back(node.right);
          }
          if (node.part < 0) continue;
          const auto& g = world.geometries()[size_t(node.part)];
          const double radius = std::get<Sphere>(g.geometry->primitive()).radius;
          const RigidEnclosure X_WG = X_WL[size_t(g.link.value)] * g.X_LG;
          const Vector3d c = X_WO.R.transpose() * (X_WG.X.p - X_WO.p);
          // The stored axes are within turn_error of those that the box is about.
          const double turned = 1e-12 + static_cast<double>(boxes[n].turn_error) * c.norm();
          for (int axis = 0; axis < 3; ++axis) {
            EXPECT_LE(std::abs(c[axis]) + radius, static_cast<double>(v.half[axis]) + turned)
                << shape.name << " round " << round << " node " << n;
          }
          EXPECT_LE((X_WG.X.p - X_WO.p).norm() + radius, static_cast<double>(v.radius) + 1e-12);
        }
      }
      // Some joints move; the boxes above are merged anew.
      for (const LinkIndex i : robot->active_joints()) {
        if (uniform(rng, 0, 1) < 0.3) q[robot->joint(i).q_index] = uniform(rng, -3, 3);
      }
      link_poses(*robot, q, X_WL);
      std::vector<RigidEnclosure> slots(size_t(tree.num_slots()));
      std::vector<int> merged;
      for (const ChainTree::Merge& merge : tree.merges()) {
        merged.push_back(merge.node);
        const ChainTree::Node& node = tree.nodes()[size_t(merge.node)];
        for (const auto& [child, slot] :
             {std::pair(node.left, node.left_slot), std::pair(node.right, node.right_slot)}) {
          if (slot == 0) continue;
          slots[size_t(slot)] = X_WL[size_t(node.anchor.value)].inverse() *
                                X_WL[size_t(tree.nodes()[size_t(child)].anchor.value)];
        }
      }
      internal::merge_boxes(tree, merged, slots.data(), boxes.data(), views.data());
    }
  }
}

// Property: boxes in W contain what they are around, whatever shape it has, farther by the margins;
// an inner node's box contains its children's, and those of its children that are listed are those
// that may meet. Oracle: the shapes' extents along the axes in closed form.
TEST_P(OnEachTarget, WorldBoxesContainTheirParts) {
  Rng rng(78);
  for (int trial = 0; trial < 120; ++trial) {
    const double scale = std::pow(10.0, 3 * (trial / 40 - 1));
    const int n = 1 + trial % 40 * 3;
    RobotDescription d;
    d.name = "shapes";
    for (int i = 0; i < n; ++i) {
      const std::string name = "l" + std::to_string(i);
      std::shared_ptr<const Geometry> shape = Geometry::make(Sphere{0.3 * scale});
      if (i % 3 == 1) shape = Geometry::make(Capsule{0.2 * scale, 1.5 * scale});
      if (i % 3 == 2) shape = Geometry::make(Box{scale * Vector3d(1.0, 0.02, 0.3)});
      const auto number = [&](double size) { return uniform(rng, -size, size); };
      d.links.push_back(
          {name,
           {{shape, RigidEnclosure::from_rpy(scale * Vector3d(number(1), number(1), number(1)),
                                             {number(3), number(3), 0})}}});
      if (i == 0) continue;
      JointDescription joint;
      joint.name = "j" + std::to_string(i);
      joint.type = JointType::kContinuous;
      joint.parent = "l" + std::to_string(trial % 2 == 0 ? i - 1 : (i - 1) / 2);
      joint.child = name;
      joint.origin = RigidEnclosure::translation(scale * Vector3d(number(2), number(2), 1.0));
      joint.axis = Vector3d(number(1), number(1), 1.0);
      d.joints.push_back(joint);
    }
    const CollisionWorld world(RobotBuilder::build(d), nullptr);
    const ChainTree& tree = world.chain_tree();
    std::vector<RigidEnclosure> X_WL(size_t(world.robot().num_links()));
    link_poses(world.robot(), random_positions(world.robot(), rng), X_WL);
    std::vector<FloatBox> boxes(tree.nodes().size());
    std::vector<double> margins(tree.parts().size());
    for (double& margin : margins) margin = scale * uniform(rng, 0, 0.5);
    const bool own = trial % 3 != 0;
    internal::place_leaves(tree, X_WL.data(), own ? margins.data() : nullptr, 0.25 * scale,
                           boxes.data());
    std::vector<std::pair<int, int>> open(tree.merges().size());
    open.resize(size_t(internal::merge_leaves(tree, boxes.data(), open.data())));
    for (size_t k = 0; k < tree.nodes().size(); ++k) {
      const ChainTree::Node& node = tree.nodes()[k];
      if (node.left >= 0) {
        for (const int child : {node.left, node.right}) {
          const FloatBox& inner = boxes[size_t(child)];
          EXPECT_TRUE((inner.lower().array() >= boxes[k].lower().array()).all());
          EXPECT_TRUE((inner.upper().array() <= boxes[k].upper().array()).all());
        }
        const bool listed =
            std::count(open.begin(), open.end(), std::pair(node.left, node.right)) != 0;
        const bool may = !disjoint(boxes[size_t(node.left)], boxes[size_t(node.right)]);
        EXPECT_EQ(listed, may && (!node.rigid || node.anchor.value == 0)) << "trial " << trial;
        continue;
      }
      const CollisionWorld::WorldGeometry& g = world.geometries()[size_t(node.part)];
      const RigidTransform X_WG = X_WL[size_t(g.link.value)].X * g.X_LG.X;
      const Vector3d up = X_WG.R.col(2).cwiseAbs();
      const int number = std::stoi(world.body(g.body).name.substr(1));
      Vector3d extent = Vector3d::Constant(0.3);
      if (number % 3 == 1) extent = 0.75 * up + Vector3d::Constant(0.2);
      if (number % 3 == 2) extent = X_WG.R.cwiseAbs() * Vector3d(0.5, 0.01, 0.15);
      extent *= scale;
      extent += Vector3d::Constant(own ? margins[size_t(node.part)] : 0.25 * scale);
      // Not so much as the rounding of a float of this size.
      const double slack = 1e-9 * scale, most = 1e-4 * scale;
      for (int i = 0; i < 3; ++i) {
        EXPECT_LE(boxes[k].lower()[i], X_WG.p[i] - extent[i] + slack) << "trial " << trial;
        EXPECT_GE(boxes[k].upper()[i], X_WG.p[i] + extent[i] - slack) << "trial " << trial;
        EXPECT_GE(boxes[k].lower()[i], X_WG.p[i] - extent[i] - most) << "trial " << trial;
        EXPECT_LE(boxes[k].upper()[i], X_WG.p[i] + extent[i] + most) << "trial " << trial;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chain, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

// Property: boxes called apart are farther apart than the clearance, and no gap is called larger
// than it is. Oracle: the certified distance of the two solids, found by other means.
TEST(ChainBoxes, ProvenApartIsNeverSaidOfBoxesThatAreNear) {
  Rng rng(76);
  int apart = 0, near = 0, gaps = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10.0, uniform(rng, -6, 6));
    internal::NodeView a, b;
    const auto make = [&](internal::NodeView& v) {
      Vector3d half = scale * Vector3d(uniform(rng, 0, 1), uniform(rng, 0, 1), uniform(rng, 0, 1));
      if (trial % 5 == 0) half[trial % 3] = 0.0;
      for (int i = 0; i < 3; ++i) v.half[i] = static_cast<float>(half[i]);
      v.radius = float_above(half.norm() * (1 + 1e-6));
      return Vector3d(v.half[0], v.half[1], v.half[2]);
    };
    const Vector3d half_a = make(a), half_b = make(b);
    const RigidEnclosure X = RigidEnclosure::from_rpy(
        scale * 1.5 * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)),
        trial % 4 == 0 ? Vector3d(uniform(rng, -1e-9, 1e-9), 0, 0)
                       : Vector3d(uniform(rng, -3, 3), uniform(rng, -3, 3), uniform(rng, -3, 3)));
    internal::FloatPose pose;
    const auto column = [](const Vector3d& v) {
      return internal::FloatLanes{static_cast<float>(v[0]), static_cast<float>(v[1]),
                                  static_cast<float>(v[2]), 0.0F};
    };
    pose.x = column(X.X.R.col(0));
    pose.y = column(X.X.R.col(1));
    pose.z = column(X.X.R.col(2));
    pose.p = column(X.X.p);
    pose.rotation_error = 1.2e-7F;
    pose.position_error = float_above(6e-8 * X.X.p.lpNorm<1>());
    const double clearance = trial % 2 == 0 ? 0.0 : scale * uniform(rng, 0, 0.5);
    const auto box_a = Geometry::make(Box{2.0 * half_a}), box_b = Geometry::make(Box{2.0 * half_b});
    const Interval distance =
        pair_distance(box_a->element(0), box_b->element(0), X, false).distance;
    const double gap = internal::gap_below(a, b, pose);
    EXPECT_LE(gap, std::max(distance.hi, 0.0)) << "seed 76 trial " << trial;
    if (gap > 0.0) ++gaps;
    if (internal::proven_apart(a, b, pose, float_above(clearance))) {
      ++apart;
      EXPECT_GT(distance.hi, clearance) << "seed 76 trial " << trial;
    } else {
      ++near;
      // The fifteen axes prove every gap of two boxes, though not every distance.
      if (clearance == 0.0) {
        EXPECT_LT(distance.lo, 2e-5 * scale) << "seed 76 trial " << trial;
      }
    }
  }
  EXPECT_GT(apart, 4000);
  EXPECT_GT(near, 4000);
  EXPECT_GT(gaps, 4000);
}

// Property: the same where squares and sums are beyond a float's range. Oracle: gaps of boxes along
// common axes, in 80 bits, which holds the squares of all floats.
TEST(ChainBoxes, NothingIsSaidOfGapsThatOverflow) {
  Rng rng(79);
  int apart = 0, gaps = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto pick = [&] {
      constexpr float kSizes[] = {0.0F, 1.0F, 1e10F, 1e19F, 1e20F, 1e38F, 3e38F};
      return kSizes[rng() % std::size(kSizes)];
    };
    internal::NodeView a, b;
    for (internal::NodeView* v : {&a, &b}) {
      for (float& half : v->half) half = trial % 3 == 0 ? std::min(pick(), 1e20F) : pick();
      v->radius = float_above(Vector3d(v->half[0], v->half[1], v->half[2]).norm() * (1 + 1e-6));
    }
    internal::FloatPose pose;
    for (int i = 0; i < 3; ++i) pose.p[i] = rng() % 2 == 0 ? pick() : -pick();
    const bool turned = trial % 2 == 0;  // about z, by a right angle
    pose.x = internal::FloatLanes{turned ? 0.0F : 1.0F, turned ? 1.0F : 0.0F, 0.0F, 0.0F};
    pose.y = internal::FloatLanes{turned ? -1.0F : 0.0F, turned ? 0.0F : 1.0F, 0.0F, 0.0F};
    pose.z = internal::FloatLanes{0.0F, 0.0F, 1.0F, 0.0F};
    long double squares = 0;
    for (int i = 0; i < 3; ++i) {
      const int k = turned && i < 2 ? 1 - i : i;
      const long double between = std::abs(static_cast<long double>(pose.p[i])) -
                                  static_cast<long double>(a.half[i]) -
                                  static_cast<long double>(b.half[k]);
      if (between > 0) squares += between * between;
    }
    const long double distance = std::sqrt(squares) * (1 + 1e-18L);
    const double gap = internal::gap_below(a, b, pose);
    EXPECT_LE(static_cast<long double>(gap), distance) << "seed 79 trial " << trial;
    if (gap > 0.0) ++gaps;
    const float clearance = trial % 4 < 2 ? 0.0F : pick();
    if (!internal::proven_apart(a, b, pose, clearance)) continue;
    ++apart;
    EXPECT_GT(distance, static_cast<long double>(clearance)) << "seed 79 trial " << trial;
  }
  EXPECT_GT(apart, 2000);
  EXPECT_GT(gaps, 2000);
}

TEST(FloatBox, RoundsOutwardAndKeepsWhatIsNoNumber) {
  Rng rng(77);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (int trial = 0; trial < 100000; ++trial) {
    const double size = std::pow(10.0, uniform(rng, -45, 50));
    const Vector3d lo(size * uniform(rng, -1, 1), size * uniform(rng, -1, 1), uniform(rng, -1, 1));
    const Vector3d hi = lo + size * Vector3d(uniform(rng, 0, 1), uniform(rng, 0, 1e-9), 0.0);
    const FloatBox box = FloatBox::around(lo, hi);
    for (int i = 0; i < 3; ++i) {
      ASSERT_LE(static_cast<double>(box.lo[i]), lo[i]) << "seed 77 trial " << trial;
      ASSERT_GE(static_cast<double>(box.hi[i]), hi[i]) << "seed 77 trial " << trial;
    }
    ASSERT_FALSE(disjoint(box, box));
    ASSERT_TRUE(disjoint(box, FloatBox()));
    ASSERT_EQ(distance_below(box, box), 0.0);
  }
  const FloatBox far = FloatBox::around(Vector3d::Constant(1e9), Vector3d::Constant(2e9));
  for (const double odd : {inf, nan}) {
    const FloatBox box = FloatBox::around(Vector3d(-odd, 0, 0), Vector3d(odd, 1, 1));
    EXPECT_FALSE(disjoint(box, FloatBox::around(Vector3d(5, 0, 0), Vector3d(6, 1, 1))));
    EXPECT_TRUE(disjoint(box, far)) << "the other axes still tell";
  }
  EXPECT_FALSE(disjoint(FloatBox::all(), far));
  EXPECT_TRUE(disjoint(FloatBox::all(), FloatBox()));
  EXPECT_TRUE(disjoint(FloatBox(), FloatBox()));
  EXPECT_FALSE(disjoint(FloatBox::all().merged(FloatBox()), far));
  EXPECT_TRUE(disjoint(FloatBox().merged(FloatBox()), FloatBox::all()));
  const FloatBox near = FloatBox::around(Vector3d::Zero(), Vector3d::Ones());
  const double distance = distance_below(near, far);
  EXPECT_LE(distance, std::sqrt(3.0) * (1e9 - 1));
  EXPECT_GE(distance, std::sqrt(3.0) * (1e9 - 1) * (1 - 1e-6));
}

// Property: every element is in exactly one leaf, and each node's box contains all corners of what
// is below it.
TEST(SceneTree, HoldsEveryElementOnceInBoxesThatContainIt) {
  Rng rng(78);
  std::vector<PlacedGeometry> placed;
  const auto pose = [&] {
    return RigidEnclosure::from_rpy(
        {uniform(rng, -5, 5), uniform(rng, -5, 5), uniform(rng, -5, 5)},
        {uniform(rng, -3, 3), uniform(rng, -3, 3), uniform(rng, -3, 3)});
  };
  for (int k = 0; k < 12; ++k) {
    TriangleMesh soup;
    for (int i = 0; i < 60; ++i) {
      const Vector3d at(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
      for (int c = 0; c < 3; ++c) {
        soup.vertices.push_back(at + 0.2 * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), 0));
      }
      soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    soup.triangles.push_back({0, 0, 0});
    soup.triangles.push_back({0, 1, 2});  // twice
    placed.push_back({Geometry::make_mesh(soup), pose()});
    placed.push_back({Geometry::make(Box{{0.3, 0.4, 0.5}}), pose()});
    placed.push_back({Geometry::make(HalfSpace{Vector3d::UnitZ(), -9.0}), pose()});
  }
  const SceneTree scene(placed);
  EXPECT_EQ(scene.unbounded().size(), 12u);
  EXPECT_TRUE(scene.solids().nodes.empty());
  const SceneTree::Tree& tree = scene.elements();
  std::set<std::pair<int, int>> seen;
  for (size_t n = 0; n < tree.nodes.size(); ++n) {
    const SceneTree::Node& node = tree.nodes[n];
    if (node.left >= 0) {
      for (const int child : {node.left, node.left + 1}) {
        const FloatBox both = tree.boxes[n].merged(tree.boxes[size_t(child)]);
        EXPECT_EQ(both.lower(), tree.boxes[n].lower());
        EXPECT_EQ(both.upper(), tree.boxes[n].upper());
      }
      continue;
    }
    EXPECT_TRUE(seen.emplace(node.geometry, node.element).second) << "twice";
    const PlacedGeometry& g = placed[size_t(node.geometry)];
    const ConvexShape e = g.geometry->element(node.element);
    for (int sample = 0; sample < 8; ++sample) {
      const Vector3d d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
      const Vector3d x = g.X_FG.X * e.support(d);
      EXPECT_TRUE((x.array() >= tree.boxes[n].lower().array() - 1e-12).all());
      EXPECT_TRUE((x.array() <= tree.boxes[n].upper().array() + 1e-12).all());
    }
  }
  size_t elements = 0;
  for (const PlacedGeometry& g : placed) {
    if (!g.geometry->tree().empty()) elements += size_t(g.geometry->num_elements());
  }
  EXPECT_EQ(seen.size(), elements);
}

// Property: the box holds the element for every rotation that the pose admits, also where a corner
// that reaches farthest in no direction is moved most.
TEST(SceneTree, BoxesHoldWhatThePoseAdmits) {
  TriangleMesh mesh;
  mesh.vertices = {{2, 0, 0}, {0, 1, 1}, {2 - 1e-9, 1 - 1e-9, 1 - 1e-9}};
  mesh.triangles = {{0, 1, 2}};
  PlacedGeometry placed{Geometry::make_mesh(mesh), {}};
  placed.X_FG.rotation_error = 1e-3;
  const SceneTree scene(std::vector<PlacedGeometry>{placed});
  const FloatBox& box = scene.elements().boxes[0];
  Rng rng(79);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d axis =
        Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)).normalized();
    const Matrix3d R = Eigen::AngleAxisd(0.999e-3, axis).toRotationMatrix();
    for (const Vector3d& corner : mesh.vertices) {
      const Vector3d x = R * corner;
      ASSERT_TRUE((x.array() >= box.lower().array()).all()) << "seed 79 trial " << trial;
      ASSERT_TRUE((x.array() <= box.upper().array()).all()) << "seed 79 trial " << trial;
    }
  }
}

}  // namespace
}  // namespace catena
