#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "catena/hierarchy/float_box.hpp"
#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"
#include "math/rigid_taylor.hpp"
#include "pair_traversal.hpp"
#include "part_line.hpp"
#include "summed_bounds.hpp"

namespace catena::internal {

/// A robot against itself along a motion: goes down pairs of nodes of its chain tree, over one
/// interval of time after another.
///
/// A pair of nodes is met below the node that first holds both, and is seen from a frame on the way
/// between the two; so only the joints between them count. Transforms are Taylor models over the
/// interval, composed along the tree, and made only where they are asked for. A node's parts stay
/// in a ball that is fixed in its anchor's frame over the whole interval; balls of nodes in which
/// nothing moves are made once a motion.
///
/// Rigor     a pair is dropped only if its balls are proven farther apart than asked for over the
///           whole interval, if nothing of it is checked, or if nothing moves in it or between
///           (docs/rigor.md, R12).
/// Cost      memory 1 kB a node; `start` O(n), all else only what is visited.
/// Threads   one per thread.
class EdgeWalk {
 public:
  static constexpr int kOrder = 2;
  using Model = RigidTaylor<kOrder>;

  /// Two nodes below the two children of `top`, in this order, and of two leaves what is to be
  /// tried first.
  struct Pair {
    int top, a, b;
    Leaf hint;
  };

  explicit EdgeWalk(const CollisionWorld& world);

  /// Those that are left of one interval after another, and those still to be looked at in the one
  /// at hand; for the caller.
  std::vector<Pair> pairs, stack;

  /// A state of the motion that has been looked at: links' poses, and boxes around the parts of
  /// every node of the chain tree, in W. It is used until `count` changes.
  struct State {
    const RigidEnclosure* X_WL = nullptr;
    const FloatBox* boxes = nullptr;
    const std::uint64_t* count = nullptr;
  };

  /// Turns to a motion of the world's robot; `pairs` becomes what moves against something: the
  /// children of every node in which a joint moves. What stands still in a large part of the tree
  /// is read off the state, if there is one. The world, the same as ever or a copy of it, and the
  /// motion must stay where they are.
  void start(const CollisionWorld& world, const Motion& motion, const State& state);
  /// Do its joints turn so much that an interval of that length proves little?
  bool turns_far(double length) const;
  /// Turns to a part of it.
  void set_interval(double lo, double hi);
  /// Replaces pairs of nodes by the pairs of leaves below them that summed bounds do not prove
  /// apart, where few of these are left. `pairs` must be as `start` left them; X_WL: the links in
  /// the middle of the interval. O(links + parts), and up to 32 x 32 pairs of balls for each pair
  /// of nodes.
  void sum_bounds(const std::vector<RigidEnclosure>& X_WL, double clearance, QueryStats& stats);

  /// Half of its length.
  double half() const { return half_; }

  /// What comes of a pair over the interval at hand.
  enum class Fate : std::uint8_t {
    kApart,   ///< or not checked, or without motion
    kDivide,  ///< its halves are to be looked at
    kWait,    ///< over this interval it moves too far: it is to be looked at over a half
    kLeaves   ///< two parts that are checked, and not apart by their balls
  };
  /// `narrow`: no pair of nodes waits.
  Fate look_at(const Pair& pair, double clearance, bool narrow, QueryStats& stats);
  /// Calls visit(pair) for the halves of one that is to be divided.
  template <class Visit>
  void divide(const Pair& pair, const Visit& visit) const {
    const ChainTree::Node& a = nodes_[at(pair.a)];
    const ChainTree::Node& b = nodes_[at(pair.b)];
    if (b.left < 0 || (a.left >= 0 && balls_[at(pair.a)].radius >= balls_[at(pair.b)].radius)) {
      visit(Pair{pair.top, a.left, pair.b, {}});
      visit(Pair{pair.top, a.right, pair.b, {}});
    } else {
      visit(Pair{pair.top, pair.a, b.left, {}});
      visit(Pair{pair.top, pair.a, b.right, {}});
    }
  }

  /// The geometries of two leaves, a < b, the pose of b's in a's in the middle of the interval, and
  /// how they move.
  struct Parts {
    int a, b;
    RigidEnclosure X_GaGb;
    PairMotion motion;
  };
  Parts parts_of(const Pair& pair, QueryStats& stats);

  /// Does anything of a node move in W? What does not, the start has decided.
  bool moves(int node) const {
    return moves_within(node) || pieces_[at(nodes_[at(node)].anchor.value)] != 0;
  }

  /// Where a node's parts are over the interval, in W.
  struct Swept {
    FloatBox box;         ///< of all within `margin` of one of them
    double motion = 0.0;  ///< how far one of them goes in half the interval; no bound
    double size = 0.0;    ///< radius of a ball around them; no bound
  };
  /// @pre the node has parts
  Swept swept(int node, double margin, QueryStats& stats);

  /// A leaf's part in the middle of the interval, and how it moves beside what stands still in W:
  /// `motion` is that of its geometry as the first of a pair.
  struct Mover {
    RigidEnclosure X_WG;
    PairMotion motion;
    PartLine line;
  };
  Mover mover(int leaf, QueryStats& stats);

  /// Some two parts of a pair, a < b.
  std::pair<int, int> any_parts(const Pair& pair) const;

  /// A ball that holds a node's parts over the interval, in its anchor's frame; negative: nothing.
  struct Ball {
    double center[3] = {};
    double radius = -1.0;
    double growth = 0.0;  ///< how much of the radius is for motion; no bound
  };
  const Ball& ball(int node, QueryStats& stats);

 private:
  // Tops that are no nodes.
  static constexpr int kNowhere = -1, kWorld = -2;

  // A node as it is seen from the frame of the pair at hand.
  struct Seen {
    std::uint64_t group = 0, ball_group = 0;  // that it belongs to
    int pose = 0;                             // the node whose model is this one's
    int run = 0;   // the slot of the links up to the end of the run, where that is ahead; or 0
    int end = -1;  // the node whose frame that end is; -1: the frame of all
    PointTaylor<kOrder> center;
  };

  // How a geometry moves, in the axes of the frame that it is seen from.
  struct Drift {
    Vector3d velocity = Vector3d::Zero(), spin = Vector3d::Zero();
    double error = 0.0;         // of velocity, and of spin times the radius
    double speed = 0.0;         // at least that of any of its points, to first order
    double turned = 0.0;        // spin times the radius
    double rest = 0.0;          // what is beyond first order, and all errors
    double displacement = 0.0;  // of any point, to first order
  };

  const ChainTree& tree() const { return world_->chain_tree(); }
  bool checks(int part_a, int part_b) const {
    return world_->checks(world_->geometries()[at(part_a)].body,
                          world_->geometries()[at(part_b)].body);
  }
  static size_t at(int i) { return static_cast<size_t>(i); }
  const Model& slot(int i, QueryStats& stats);
  const Model& pose(int node, QueryStats& stats);
  const Seen& seen(int node, QueryStats& stats);
  void turn_to(int top, QueryStats& stats);
  void turn_to_world();
  static bool turns_far(double squares, double half);
  bool has_state() const { return state_.count != nullptr && *state_.count == state_count_; }
  Ball still_ball(int node) const;
  Drift drift_of(const Model& X_AB, const CollisionWorld::WorldGeometry& b) const;
  static void fill(const Drift& d, double turn_error, PairMotion& m);
  bool moves_within(int node) const { return marks_[at(node)] == motion_serial_; }
  Ball moved(const Ball& ball, int slot_index, QueryStats& stats);

  const CollisionWorld* world_ = nullptr;
  std::span<const ChainTree::Node> nodes_;
  std::span<const ChainTree::Shortcut> shortcuts_;
  const Motion* motion_ = nullptr;

  State state_;
  std::uint64_t state_count_ = 0;
  // One counter for motions and intervals: what stands still is stamped with the motion's.
  std::uint64_t counter_ = 0, motion_serial_ = 0, interval_ = 0;
  double middle_ = 0.0, half_ = 0.0;
  std::vector<std::uint64_t> marks_;  // of nodes: something moves within, in that motion
  std::vector<double> turns_;  // of nodes that are marked: the sum of the squares of the rates
  std::vector<std::uint64_t> moving_;  // of links: their joint moves, in that motion
  std::vector<int> pieces_;  // of links: the last link above that a joint moves, or itself
  std::vector<Model> slots_;
  std::vector<std::uint64_t> slot_stamps_;
  std::vector<Ball> balls_;  // of nodes
  std::vector<std::uint64_t> ball_stamps_;
  int top_ = kNowhere;
  std::uint64_t group_ = 0;
  std::vector<Seen> seen_;    // of nodes
  std::vector<Model> poses_;  // of nodes
  Model relative_;
  SummedBounds bounds_;
  std::vector<std::pair<int, int>> open_;  // that they leave
};

}  // namespace catena::internal
