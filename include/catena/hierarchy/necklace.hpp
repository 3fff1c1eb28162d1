#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catena/hierarchy/enclosing_ball.hpp"
#include "catena/model/verdict.hpp"

namespace catena {

/// What an update or a question did, independent of the machine.
struct NecklaceStats {
  std::uint64_t nodes_verified = 0;  ///< nodes whose ball was proven for where the beads are now
  std::uint64_t nodes_repaired = 0;  ///< of those, nodes that a bead had left
  std::uint64_t basis_changes = 0;   ///< beads that entered a basis, or a basis that lost some
  std::uint64_t ball_tests = 0;      ///< balls held against the ball of a node above them
  std::uint64_t pair_tests = 0;      ///< pairs of nodes or beads held against each other
  std::uint64_t frontiers = 0;       ///< nodes verified by the balls of nodes below them
  std::uint64_t frontier_nodes = 0;  ///< how many balls that took, all together

  NecklaceStats& operator+=(const NecklaceStats& other) noexcept;
};

/// Why a necklace is free: pairs of balls without a common point that hold all pairs of beads. It
/// can be checked without what made it (`refute`).
struct SeparatingFamily {
  /// Beads first to last - 1 of one necklace, and a ball that holds all of them.
  struct Block {
    int first = 0, last = 0;
    Ball ball;
  };
  /// Numbers of blocks: of two in `a`, the first with the earlier beads; for two necklaces of one
  /// in `a` and one in `b`.
  struct Pair {
    int a = -1, b = -1;
  };
  int window = 0;  ///< beads i and j with |i - j| <= window need not be apart; 0 for two necklaces
  std::vector<Block> a, b;  ///< of the one necklace and the other; `b` is empty where one is asked
  std::vector<Pair> pairs;

  void clear() noexcept;
};

/// Beads i < j of one necklace, or i of the one and j of the other; -1 where there are none.
struct NecklaceResult {
  Verdict verdict = Verdict::kUndecided;
  int i = -1, j = -1;  ///< the beads that touch, or a pair that rounding leaves open
  NecklaceStats stats;
};

/// A string of beads that all move at once, as a simulator says, and a balanced binary tree of
/// balls over their order, by which it is tested against itself and others.
///
/// *Wrapped*: the ball of a node is the smallest about its beads. Its basis, at most four of them,
/// is kept when the beads move, so that an update has only to see that the others are still in the
/// ball about the basis. *Layered*: the ball of a node is the smallest about those of its two
/// children; its radius is at most sqrt(levels + 1) times that of the wrapped one.
///
/// Denotes   a node that is not marked as outdated holds its beads, whatever moved and was rounded.
/// Rigor     docs/rigor.md, R13. Lazy updates as [Agarwal2004] has them assume that the beads move
///           together. Here a ball is proven against all beads of its node before a question makes
///           use of it: not the work of the proof is saved, but that of nodes nobody asks about.
///           A residual of a rigid motion would have to be taken over all beads of a node as well,
///           and would leave the balls larger.
/// Units     metres.
/// Cost      `update`: layered O(n); wrapped some tests for each node if the beads move together,
///           by kNaive O(n log n). A question O(n + pairs of nodes whose balls meet); with the rule
///           that the node with more beads is split, O(n^(4/3)) for beads of like size whose
///           neighbours touch. 150 bytes a bead layered, 210 wrapped.
/// Threads   one at a time; both necklaces of a pair are worked on. Allocates nothing after
///           construction, but for what a family grows.
/// Errors    std::invalid_argument names what is wrong, and then nothing has changed;
///           std::logic_error for questions before `set_beads`.
/// Source    [Agarwal2004].
class Necklace {
 public:
  enum class Hierarchy : std::uint8_t { kLayered, kWrapped };
  /// How a wrapped hierarchy comes to where the beads are now. A layered one is made anew each
  /// time, but lazily too.
  enum class Update : std::uint8_t {
    kRebuild,  ///< all bases anew, from the children's
    kNaive,    ///< the old basis, held against every bead of the node
    kCascade,  ///< held against the balls of some nodes below it, from those that were enough last
    kLazy      ///< the same as not to update: each question verifies the nodes that it touches
  };

  /// @pre num_beads >= 1
  Necklace(int num_beads, Hierarchy hierarchy);

  /// Where the beads are now. All nodes are outdated until they are updated, or touched.
  void set_beads(std::span<const Vector3d> centers, std::span<const double> radii);

  /// Makes all nodes hold their beads. Without a step before it, or after a lazy one, all the same.
  NecklaceStats update(Update how);

  /// Are beads i and j with |i - j| > window apart? Free: proven of all of them. Collision: proven
  /// that beads i and j have a point in common. Clears `family`, and for a free necklace fills it.
  NecklaceResult self_collision(int window, SeparatingFamily* family = nullptr);
  /// Is each bead apart from each of another necklace?
  NecklaceResult collision(Necklace& other, SeparatingFamily* family = nullptr);

  int num_beads() const noexcept { return num_beads_; }
  Hierarchy hierarchy() const noexcept { return hierarchy_; }
  /// Longest way from the root to a bead.
  int num_levels() const noexcept;
  std::span<const Ball> beads() const noexcept { return beads_; }

  /// Nodes by levels from the root, 0; the two children of a node, left_child(node) and the next
  /// one, come after it.
  int num_nodes() const noexcept { return static_cast<int>(nodes_.size()); }
  int first_bead(int node) const noexcept { return nodes_[at(node)].first; }
  int last_bead(int node) const noexcept { return nodes_[at(node)].last; }   ///< not in the node
  int left_child(int node) const noexcept { return nodes_[at(node)].left; }  ///< -1: a bead
  bool is_outdated(int node) const noexcept { return updated_[at(node)] != step_; }
  /// @pre not outdated
  const Ball& ball(int node) const noexcept { return balls_[at(node)]; }
  /// Of a wrapped hierarchy that has been updated once. Numbers of beads.
  const BallBasis& basis(int node) const noexcept { return bases_[at(node)]; }

 private:
  struct Node {
    int first, last;    // beads, half-open
    int left = -1;      // its left child, which the right one follows; -1: it is a bead
    int frontier = -1;  // number of its frontier, if it may have one
  };
  // Nodes below, one for each bead of the node, by whose balls it was verified last.
  struct Frontier {
    static constexpr int kMost = 40;
    std::array<int, kMost> nodes;
    int size = 0;   // 0: none known
    int fresh = 0;  // its size when it was last sought from above; -1: look at the beads instead
  };
  class BelowNode;
  class Search;

  static size_t at(int i) noexcept { return static_cast<size_t>(i); }
  int left(int node) const noexcept { return nodes_[at(node)].left; }
  int right(int node) const noexcept { return nodes_[at(node)].left + 1; }
  bool is_bead(int node) const noexcept {
    return nodes_[at(node)].last == nodes_[at(node)].first + 1;
  }
  void check_ready() const;
  void layer(int node) noexcept;
  void wrap(int node, Update how, NecklaceStats& stats) noexcept;
  const Ball& touch(int node, NecklaceStats& stats) noexcept;
  int block_of(int node, std::vector<SeparatingFamily::Block>& blocks);
  void forget_blocks() noexcept;

  int num_beads_;
  Hierarchy hierarchy_;
  std::vector<Node> nodes_;
  std::vector<Ball> beads_;
  std::vector<Ball> balls_;             // of nodes
  std::vector<BallBasis> bases_;        // of nodes, if wrapped
  std::vector<std::uint64_t> updated_;  // of nodes: the step that its ball is of
  std::vector<Frontier> frontiers_;
  std::vector<int> blocks_;  // of nodes: number of its block in the family at hand, or -1
  static constexpr std::uint64_t kNoBeads = 1;
  std::uint64_t step_ = kNoBeads;
};

/// Empty if the family proves beads i and j of a necklace apart for all |i - j| > its window, with
/// every such pair in one pair of blocks; else what is wrong. Knows nothing of how the family was
/// made, and computes by itself, in the machine's long doubles.
///
/// Cost      O(m log m + beads in blocks) for m pairs of blocks. Allocates.
/// Errors    none: bad input is a refusal.
std::string refute(const SeparatingFamily& family, std::span<const Vector3d> centers,
                   std::span<const double> radii);
/// The same for two necklaces, whose beads are all apart.
std::string refute(const SeparatingFamily& family, std::span<const Vector3d> centers_a,
                   std::span<const double> radii_a, std::span<const Vector3d> centers_b,
                   std::span<const double> radii_b);

}  // namespace catena
