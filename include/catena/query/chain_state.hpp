#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

#include "catena/query/collision_world.hpp"
#include "catena/query/discrete.hpp"
#include "catena/query/result.hpp"

namespace catena {

namespace internal {
struct ChainStateProbe;
}  // namespace internal

/// A configuration that changes a few joints at a time: set some, check, keep it or take it back.
///
/// What has not moved since the last configuration that was proven free is not looked at again. A
/// verdict of collision or undecided proves nothing, so that what was set before it stays unproven
/// until a later check, or until it is rolled back.
///
/// Cost      set O(log n) a joint for n links; check: the pairs of links that a changed joint lies
///           between or moves against the scene, by the chain tree or, where the chain is tangled,
///           O(links on the joint's smaller side) by a grid, whichever has been cheaper of late;
///           with several joints at worst O(n) more than a check of the whole state; commit and
///           rollback O(what was set since).
/// Memory    at most 1.3 kB a link that carries one geometry, at most 3 kB once all joints have
///           changed since a commit; `distance` adds about 0.7 kB a link, a first question to the
///           grid 0.3 kB, `find_near_pairs` four NearPair for each one listed
///           (docs/benchmarks.md). Allocates nothing once it has seen the largest question. One
///           that was moved from may only be destroyed or assigned to.
/// Threads   one per thread; the world is shared.
/// Source    [Lotan2002], sections 3 and 4; that pairs within one rigid piece are dropped at every
///           node, that boxes hold those two levels below, that a proof is kept apart from what is
///           committed, and the choice between tree and grid are ours.
class ChainState {
 public:
  /// Stands at the robot's zero positions, of which nothing is proven.
  /// Throws std::invalid_argument if there is no world.
  explicit ChainState(std::shared_ptr<const CollisionWorld> world);
  ~ChainState();
  ChainState(ChainState&&) noexcept;
  ChainState& operator=(ChainState&&) noexcept;

  const CollisionWorld& world() const noexcept;
  const Eigen::VectorXd& positions() const noexcept;

  struct Change {
    LinkIndex joint;
    double value = 0.0;
  };
  /// Moves an active joint of one value; its mimics follow.
  /// Throws std::invalid_argument, and changes nothing, for another joint, a value that is not
  /// finite, or one outside the joint's limits (by more than 1e-9; nearer ones count as the limit).
  void set(LinkIndex joint, double value);
  /// The same for several; a joint may come twice, and stands at its last value.
  void set(std::span<const Change> changes);
  /// Moves to q. Where many joints differ, the next check and distance are of the whole state and
  /// the next list is made anew. O(n).
  /// Throws std::invalid_argument, and changes nothing, unless q is a configuration
  /// (validate_positions).
  void set(const Eigen::Ref<const Eigen::VectorXd>& q);

  struct Result {
    Verdict verdict = Verdict::kUndecided;
    BodyIndex a, b;  ///< that collide or are undecided; invalid if free
    Interval gap{-kInfinity, kInfinity};
    QueryStats stats;
  };
  /// Is the configuration free? options.distances is not looked at. Of several pairs that collide
  /// or are undecided, which one is told depends on what was asked before.
  /// Errors    std::invalid_argument for options that make no sense (validate_options).
  Result check(const QueryOptions& options = {});
  /// The smallest distance, with its witness: as check_state with options.distances.
  ///
  /// Remembers for every node of the tree how near its parts came to each other, and the closest
  /// pair: what has not moved since the last call, and was no nearer than the smallest distance is
  /// now, is not looked at again. So the bracket and the witness depend on what was measured before
  /// as well: two states at the same q may tell different ones, equally valid.
  /// Cost      after one joint has moved about that of a check; the first call, and one after many
  ///           joints have moved, O(n log n).
  /// Errors    as check.
  StateResult distance(const QueryOptions& options = {});
  /// All pairs within a cut-off, as catena::find_near_pairs. Where the list before was of the same
  /// cut-off and width, only pairs between which a joint has moved are looked at; the others keep
  /// the brackets that were found before, so that two states at the same q may tell different ones,
  /// equally valid.
  /// Cost      about that of a check, the new pairs' distances, and a copy of the list; otherwise
  ///           O(n) pairs of boxes and all distances.
  /// Errors    as catena::find_near_pairs.
  void find_near_pairs(double cutoff, const QueryOptions& options, NearPairs& result);

  /// What is set becomes what rollback returns to.
  void commit();
  /// Takes back all that was set since the last commit.
  void rollback();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  friend struct internal::ChainStateProbe;
};

}  // namespace catena
