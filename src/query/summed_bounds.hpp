#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/model/motion.hpp"
#include "catena/query/collision_world.hpp"

namespace catena::internal {

/// How far the parts of a robot go, seen from frames between them: the sum of what each joint on
/// the way turns by, times its arm, and of what it shifts by.
///
/// It grows with the square of the number of joints between two parts, and every two parts are
/// looked at; so it is for small robots, where it proves most pairs apart for less than one Taylor
/// model costs.
///
/// Frames    balls at mid-time are in W; everything else is a length or an angle.
/// Rigor     upper bounds over the whole interval; what is no number proves nothing
///           (docs/rigor.md, R12).
/// Cost      `set` O(links + parts); `find_open` O(p depth + p q) for p parts beside q.
/// Threads   one per thread.
/// Source    [Schwarzer2005], for each pair of links; to see both from between them is our own.
class SummedBounds {
 public:
  explicit SummedBounds(const CollisionWorld& world);

  /// Slot i of the chain tree is X_AB, from A to B.
  int from(int slot) const { return from_[at(slot)]; }
  int to(int slot) const { return to_[at(slot)]; }

  /// Turns to an interval of 2 half, in whose middle the links are at X_WL.
  void set(const CollisionWorld& world, const Motion& motion, double half,
           const std::vector<RigidEnclosure>& X_WL);

  /// Appends the pairs of a leaf below the left child of `top` and one below the right child,
  /// except those that are proven to stay farther apart than the clearance (metres).
  void find_open(int top, double clearance, std::vector<std::pair<int, int>>& open);

 private:
  // Of a slot X_AB: how much B turns, how far its origin goes as seen from A, A's as seen from B,
  // and how far the two are from each other in the middle.
  struct Step {
    double turn = 0.0, out = 0.0, back = 0.0, span = 0.0;
  };
  // Of a leaf with a part: a ball around it in the middle, in W; how far it reaches from the origin
  // of its link; and the radius of the ball that holds it all the time, as seen from the frame of
  // `top`.
  struct Ball {
    double center[3] = {};
    double radius = 0.0, reach = 0.0, swept = 0.0;
    int node = 0, part = 0;
  };
  // Of a node: how much its anchor turns and shifts as seen from the frame of `top`. If that frame
  // lies ahead of the node, at the end of a run of links: `run` is the slot of the links up to the
  // end of this part of the run (else 0), `end` the node whose frame is there (-1: it is the frame
  // of `top`).
  struct Seen {
    std::uint64_t group = 0;
    double turn = 0.0, shift = 0.0;
    int run = 0, end = -1;
  };

  const ChainTree& tree() const { return world_->chain_tree(); }
  static size_t at(int i) { return static_cast<size_t>(i); }
  void turn_to(int top);
  const Seen& seen(int node);
  void measure(int ball);

  const CollisionWorld* world_ = nullptr;
  std::vector<int> from_, to_;     // links of slots
  std::vector<Step> steps_;        // of slots
  std::vector<Ball> balls_;        // by nodes
  std::vector<int> first_, last_;  // of nodes: their balls, half-open
  std::vector<Seen> seen_;         // of nodes
  std::uint64_t group_ = 0;
};

}  // namespace catena::internal
