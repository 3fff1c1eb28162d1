#include "catena/query/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "catena/model/motion.hpp"
#include "lanes.hpp"
#include "state_query.hpp"

namespace catena {
namespace internal {
namespace {

// Fewer configurations than that are checked one by one: eight lanes cost as much as two and a half
// of them, from 7 links to 1,024.
constexpr Eigen::Index kLeastLanes = 3;
// Tests of boxes a node, after which a chain counts as tangled: check_state has a grid for it.
constexpr std::uint64_t kMostTests = 32;

int num_edges(const ChainTree::Leaf& leaf) {
  return leaf.box == ChainTree::kBall ? 0 : leaf.box == ChainTree::kLine ? 1 : 3;
}

void prepare(const CollisionWorld& world, Lanes& lanes) {
  const ChainTree& tree = world.chain_tree();
  const Robot& robot = world.robot();
  const auto links = static_cast<size_t>(robot.num_links());
  lanes.links.resize(links);
  lanes.angles.resize(links);
  lanes.sines.resize(links);
  lanes.cosines.resize(links);
  lanes.X_WL.resize(links);
  for (size_t i = 1; i < links; ++i) {
    const Joint& joint = robot.joint(LinkIndex(static_cast<int>(i)));
    lanes.links[i].parent = joint.parent.value;
    lanes.links[i].straight = joint.X_PJ.X.R.isIdentity(0.0);
  }
  LaneBox empty;
  for (int k = 0; k < 3; ++k) {
    for (int lane = 0; lane < kLanes; ++lane) {
      empty.lo[k].lane[lane] = std::numeric_limits<float>::infinity();
      empty.hi[k].lane[lane] = -std::numeric_limits<float>::infinity();
    }
  }
  lanes.boxes.assign(tree.nodes().size(), empty);
  lanes.leaf_of_node.resize(tree.nodes().size());
  int shapes = 0;
  for (const ChainTree::Leaf& leaf : tree.leaves()) {
    lanes.leaf_of_node[static_cast<size_t>(leaf.node)] = static_cast<int>(lanes.leaves.size());
    lanes.leaves.push_back({shapes, num_edges(leaf), 0.0F, 0.0F, 0.0F});
    shapes += 3 + 3 * num_edges(leaf);
  }
  lanes.shapes.resize(static_cast<size_t>(shapes));
  lanes.open.reserve(tree.merges().size());
}

// What the links' poses, and then the leaves, may be off by in any lane (docs/rigor.md, R10).
void set_errors(const CollisionWorld& world, double clearance, Lanes& lanes) {
  const auto joints = world.robot().turning_joints();
  for (size_t i = 1; i < lanes.links.size(); ++i) {
    Lanes::Link& link = lanes.links[i];
    const Lanes::Link& parent = lanes.links[static_cast<size_t>(link.parent)];
    const double turn = 1.0 + parent.rotation_error;
    Lanes::JointError own;
    if (!link.turns) {
      own = lanes.joint_errors[static_cast<size_t>(link.joint_pose)];
      link.rotation_error =
          bound_above(own.rotation + parent.rotation_error * (1.0 + own.rotation) +
                          10 * kUnitRoundoff * turn * (1.0 + own.rotation),
                      10);
    } else {
      const TurningJoint& joint = joints[i];
      own.position = static_cast<double>(joint.position_error);
      own.reach = static_cast<double>(joint.reach);
      link.rotation_error = bound_above(
          parent.rotation_error * (1.0 + 2e-9) + static_cast<double>(joint.turned_error), 4);
    }
    link.position_error =
        bound_above(parent.position_error + own.position + parent.rotation_error * own.reach +
                        8.01 * kUnitRoundoff * turn * (own.reach + parent.size),
                    10);
    // The sum of three coordinates' sizes is at most sqrt(3) times the length.
    link.size = bound_above((parent.size + 1.7321 * turn * own.reach) * (1.0 + 1e-14), 10);
  }
  const auto leaves = world.chain_tree().leaves();
  const auto boxes = world.chain_tree().leaf_boxes();
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ChainTree::Leaf& leaf = leaves[i];
    const Lanes::Link& link = lanes.links[static_cast<size_t>(leaf.link)];
    const double reach = static_cast<double>(leaf.reach);
    // As for the boxes of one configuration (world_boxes.cpp).
    const double off = bound_above(
        2.0 * link.position_error + reach * (3.1 * link.rotation_error + 1.1e-13) +
            (2e-15 + 2e-15 * link.rotation_error) * link.size + static_cast<double>(leaf.radius),
        8);
    Lanes::Leaf& placed = lanes.leaves[i];
    placed.radius = float_above(off + clearance);
    // The centre's coordinates as floats.
    placed.reach =
        float_above(off + 6.1e-8 * (link.size + 2.0 * reach * (1.0 + link.rotation_error)));
    if (leaf.box < 0) continue;
    const double ball = static_cast<double>(boxes[static_cast<size_t>(leaf.box)].ball_radius);
    placed.ball_radius = float_above(ball * (1.0 + 1e-14) + off + clearance);
  }
}

// All about one call. The lanes at hand are the columns from `first_` on.
class Batch final : public LaneVisitor {
 public:
  Batch(const CollisionWorld& world, const Eigen::Ref<const Eigen::MatrixXd>& q,
        const QueryOptions& options, Workspace& workspace, std::span<Verdict> verdicts)
      : world_(world),
        q_(q),
        options_(options),
        workspace_(workspace),
        ws_(workspace.impl()),
        lanes_(ws_.lanes),
        verdicts_(verdicts) {
    options_.distances = false;
  }

  QueryStats run() {
    if (lanes_.links.empty()) prepare(world_, lanes_);
    for (first_ = 0; first_ < q_.cols(); first_ += kLanes) {
      const Eigen::Index left = q_.cols() - first_;
      const unsigned all = left < kLanes ? (1U << left) - 1 : kAllLanes;
      undecided_ = all;
      if (left >= kLeastLanes && !world_.chain_tree().nodes().empty()) check_lanes(all);
      // What was not decided here, by its own poses, and in the order that contacts are likely in.
      for_each(undecided_, [&](int lane) {
        const StateResult result = check_state(world_, q_.col(first_ + lane), options_, workspace_);
        verdicts_[static_cast<size_t>(first_ + lane)] = result.verdict;
        stats_ += result.stats;
      });
    }
    return stats_;
  }

  unsigned meets_part(int a, int b, unsigned lanes) override {
    const GeometryPair pair{a, b};
    return visit(pair, lanes, [&](StateQuery& query) {
      if (ball_gap(world_, pair, ws_) > options_.clearance) return;
      query.meets_part(pair, relative_pose(world_, pair, ws_));
    });
  }

  unsigned meets_element(int part, int leaf, const SceneTree::Node& obstacle,
                         unsigned lanes) override {
    const GeometryPair pair{part, world_.first_scene_geometry() + obstacle.geometry};
    if (!checks(pair)) return 0;
    lanes &= near_slab(lanes_, leaf, slab_of(geometry(pair.b), obstacle.element, leaf, lanes),
                       float_above(options_.clearance));
    if (lanes == 0) return 0;
    if (geometry(part).geometry->num_elements() == 1) {
      return visit(pair, lanes, [&](StateQuery& query) { query.meets_element(part, obstacle); });
    }
    // The whole pair, once a lane; what one part is near comes in a row.
    if (part != seen_part_) lanes_.seen.clear();
    seen_part_ = part;
    for (const Lanes::SceneGeometry& seen : lanes_.seen) {
      if (seen.geometry == obstacle.geometry) lanes &= ~seen.lanes;
    }
    if (lanes == 0) return 0;
    lanes_.seen.push_back({obstacle.geometry, lanes});
    return meets_part(pair.a, pair.b, lanes);
  }

  unsigned meets_inside(int part, const SceneTree::Node& obstacle, unsigned lanes) override {
    const GeometryPair pair{part, world_.first_scene_geometry() + obstacle.geometry};
    if (!checks(pair)) return 0;
    return visit(pair, lanes, [&](StateQuery& query) { query.meets_inside(part, obstacle); });
  }

  void give_up(unsigned lanes) override { undecided_ |= lanes; }

 private:
  template <class Use>
  static void for_each(unsigned lanes, const Use& use) {
    for (; lanes != 0; lanes &= lanes - 1) use(__builtin_ctz(lanes));
  }
  const CollisionWorld::WorldGeometry& geometry(int i) const {
    return world_.geometries()[static_cast<size_t>(i)];
  }
  bool checks(GeometryPair pair) const {
    return world_.checks(geometry(pair.a).body, geometry(pair.b).body);
  }

  void check_lanes(unsigned all) {
    take_columns(all);
    place_lanes(world_, lanes_);
    undecided_ = 0;
    seen_part_ = -1;
    unsigned alive = all;
    for (const int i : world_.scene_tree().unbounded()) {
      if (alive != 0) alive = clear_of(i, 0, alive);
    }
    const std::uint64_t most = options_.budget == 0 ? UINT64_MAX : options_.budget;
    alive = visit_lane_scene(world_, most, lanes_, alive, *this, stats_);
    alive = visit_lane_parts(world_, float_above(options_.clearance),
                             std::min(most, kMostTests * world_.chain_tree().nodes().size()),
                             lanes_, alive, *this, stats_);
    for_each(alive,
             [&](int lane) { verdicts_[static_cast<size_t>(first_ + lane)] = Verdict::kFree; });
  }

  // Angles and other joints' poses, those of the last column also where there are no columns left.
  void take_columns(unsigned all) {
    const int last = 31 - __builtin_clz(all);
    const double* column[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      column[lane] = q_.data() + (first_ + std::min(lane, last)) * q_.outerStride();
    }
    lanes_.joint_poses.clear();
    lanes_.joint_errors.clear();
    const auto joints = world_.robot().turning_joints();
    for (size_t i = 1; i < lanes_.links.size(); ++i) {
      const int place = joints[i].q_index;
      if (place < 0) continue;
      for (int lane = 0; lane < kLanes; ++lane) lanes_.angles[i].lane[lane] = column[lane][place];
    }
    turn_lanes(world_, lanes_);
    for (size_t i = 1; i < lanes_.links.size(); ++i) {
      if (lanes_.links[i].turns) continue;
      lanes_.links[i].joint_pose = static_cast<int>(lanes_.joint_poses.size());
      take_joint_pose(LinkIndex(static_cast<int>(i)), last);
    }
    stats_.compositions += lanes_.links.size() * static_cast<size_t>(last + 1);
    if (lanes_.joint_poses.empty() && lanes_.errors_at == options_.clearance) return;
    set_errors(world_, options_.clearance, lanes_);
    lanes_.errors_at = lanes_.joint_poses.empty() ? options_.clearance : -1.0;
  }

  void take_joint_pose(LinkIndex link, int last) {
    LanePose& pose = lanes_.joint_poses.emplace_back();
    Lanes::JointError& error = lanes_.joint_errors.emplace_back();
    for (int lane = 0; lane < kLanes; ++lane) {
      const RigidEnclosure X_PL =
          joint_pose(world_.robot(), link, q_.col(first_ + std::min(lane, last)));
      for (int k = 0; k < 9; ++k) pose.number[k].lane[lane] = X_PL.X.R.data()[k];
      for (int k = 0; k < 3; ++k) pose.number[9 + k].lane[lane] = X_PL.X.p[k];
      // No number, which an overflow may leave, stays one.
      const auto raise = [](double& most, double value) {
        if (!(value <= most)) most = value;
      };
      raise(error.rotation, X_PL.rotation_error);
      raise(error.position, X_PL.position_error);
      raise(error.reach, bound_above(X_PL.X.p.lpNorm<1>(), 2));
    }
  }

  // The poses of a pair's links in one lane become those at hand.
  void turn_to(int lane, GeometryPair pair) {
    ++ws_.moved;
    for (const int g : {pair.a, pair.b}) {
      if (g >= world_.first_scene_geometry()) continue;
      const auto i = static_cast<size_t>(geometry(g).link.value);
      const LanePose& pose = lanes_.X_WL[i];
      RigidEnclosure& X_WL = ws_.X_WL[i];
      for (int k = 0; k < 9; ++k) X_WL.X.R.data()[k] = pose.number[k].lane[lane];
      for (int k = 0; k < 3; ++k) X_WL.X.p[k] = pose.number[9 + k].lane[lane];
      X_WL.rotation_error = lanes_.links[i].rotation_error;
      X_WL.position_error = lanes_.links[i].position_error;
    }
  }

  // Lets `ask` ask about a pair in each lane; the lanes in which it found a contact, or a doubt.
  template <class Ask>
  unsigned visit(GeometryPair pair, unsigned lanes, const Ask& ask) {
    unsigned settled = 0;
    for_each(lanes, [&](int lane) {
      turn_to(lane, pair);
      StateQuery query(world_, options_, /*contact_only=*/false, /*with_points=*/false, ws_);
      ask(query);
      stats_ += query.result().stats;
      if (query.result().verdict == Verdict::kCollision) {
        verdicts_[static_cast<size_t>(first_ + lane)] = Verdict::kCollision;
      } else if (query.open()) {
        undecided_ |= 1U << lane;
      } else {
        return;
      }
      settled |= 1U << lane;
    });
    return settled;
  }

  // The lanes of `alive` in which what is below a node does not meet a half-space.
  unsigned clear_of(int half_space, int n, unsigned alive) {
    const ChainTree::Node& node = world_.chain_tree().nodes()[static_cast<size_t>(n)];
    if (node.num_parts == 0) return alive;
    ++stats_.box_tests;
    const GeometryPair pair{node.part, world_.first_scene_geometry() + half_space};
    const unsigned near = alive & ~beyond(geometry(pair.b), n);
    if (near == 0) return alive;
    if (node.left >= 0) {
      alive = clear_of(half_space, node.left, alive);
      return clear_of(half_space, node.right, alive);
    }
    if (!checks(pair)) return alive;
    return alive &
           ~visit(pair, near, [&](StateQuery& query) { query.meets_half_space(pair.a, pair.b); });
  }

  // An element of the scene along the normal of its triangle, or towards a part in the first of the
  // lanes (docs/rigor.md, R10).
  Slab slab_of(const CollisionWorld::WorldGeometry& g, int element, int leaf,
               unsigned lanes) const {
    const ConvexShape shape = g.geometry->element(element);
    const Matrix3d& R_WG = g.X_LG.X.R;
    Vector3d along;
    if (shape.core == ConvexShape::Core::kTriangle) {
      along =
          R_WG * (shape.corners[1] - shape.corners[0]).cross(shape.corners[2] - shape.corners[0]);
    } else {
      const LaneFloat* const center =
          lanes_.shapes.data() + lanes_.leaves[static_cast<size_t>(leaf)].shape;
      const int lane = __builtin_ctz(lanes);
      along = -(g.X_LG.X * shape.core_center());
      for (int k = 0; k < 3; ++k) along[k] += static_cast<double>(center[k].lane[lane]);
    }
    along.normalize();
    Slab slab{};
    for (int k = 0; k < 3; ++k) slab.direction[k] = static_cast<float>(along[k] * (1.0 - 3e-7));
    for (int k = 0; k < 3; ++k) along[k] = static_cast<double>(slab.direction[k]);
    // Underflow may have left it too long, or overflow no numbers; along no direction nothing is
    // proven.
    if (!(along.squaredNorm() <= 1.0)) {
      along.setZero();
      for (float& k : slab.direction) k = 0.0F;
    }
    const Vector3d d = R_WG.transpose() * along;
    const double size = shape.core_center().norm() + shape.core_radius();
    const double margin =
        bound_above((shape.radius + shape.core_error) * (1.0 + 1e-13) + g.X_LG.point_error(size) +
                        64 * kUnitRoundoff * (size + g.X_LG.X.p.lpNorm<1>()),
                    10);
    const auto side = [&](const Vector3d& direction) {
      return along.dot(g.X_LG.X * shape.support(direction));
    };
    slab.hi = static_cast<float>(side(d) + margin);
    slab.lo = static_cast<float>(side(-d) - margin);
    return slab;
  }

  // The lanes in which a node's box is proven to be outside of a half-space (docs/rigor.md, R10).
  unsigned beyond(const CollisionWorld::WorldGeometry& half_space, int n) const {
    const RigidEnclosure& X_WG = half_space.X_LG;
    const ConvexShape shape = half_space.geometry->element(0);
    if (!(X_WG.rotation_error < 1e-6)) return 0;
    const Vector3d normal = X_WG.X.R * shape.center;
    const double offset = shape.half.x() + normal.dot(X_WG.X.p);
    const float slack =
        float_above(X_WG.position_error + 2e-6 * (std::abs(shape.half.x()) + X_WG.X.p.lpNorm<1>()));
    const LaneBox& box = lanes_.boxes[static_cast<size_t>(n)];
    unsigned lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      float least = -static_cast<float>(offset), sizes = 0.0F;
      for (int k = 0; k < 3; ++k) {
        const auto along = static_cast<float>(normal[k]);
        const float lo = box.lo[k].lane[lane], hi = box.hi[k].lane[lane];
        least += along * (along > 0.0F ? lo : hi);
        sizes += std::max(std::abs(lo), std::abs(hi));
      }
      if (least > slack + 3e-6F * sizes) lanes |= 1U << lane;
    }
    return lanes;
  }

  const CollisionWorld& world_;
  const Eigen::Ref<const Eigen::MatrixXd>& q_;
  QueryOptions options_;
  Workspace& workspace_;
  Workspace::Impl& ws_;
  Lanes& lanes_;
  const std::span<Verdict> verdicts_;
  Eigen::Index first_ = 0;
  unsigned undecided_ = 0;  // of the lanes at hand, those that check_state is to decide
  int seen_part_ = -1;      // whose `seen` are at hand
  QueryStats stats_;
};

void validate_columns(const CollisionWorld& world, const Eigen::Ref<const Eigen::MatrixXd>& q) {
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    try {
      validate_positions(world.robot(), q.col(k));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("column " + std::to_string(k) + ": " + error.what());
    }
  }
}

}  // namespace
}  // namespace internal

QueryStats check_states(const CollisionWorld& world, const Eigen::Ref<const Eigen::MatrixXd>& q,
                        const QueryOptions& options, Workspace& workspace,
                        std::span<Verdict> verdicts) {
  validate_options(options);
  internal::validate_workspace(world, workspace.impl());
  if (verdicts.size() != static_cast<size_t>(q.cols())) {
    throw std::invalid_argument("check_states: there are " + std::to_string(verdicts.size()) +
                                " verdicts for " + std::to_string(q.cols()) +
                                " columns; give one for each");
  }
  internal::validate_columns(world, q);
  const RoundingScope rounding;
  return internal::Batch(world, q, options, workspace, verdicts).run();
}

}  // namespace catena
