#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <ompl/base/SpaceInformation.h>

#include "catena/ompl/state_mapping.hpp"
#include "catena/query/collision_world.hpp"
#include "catena/query/continuous.hpp"

namespace catena::ompl {

/// What was asked and how long the answers took, over all threads.
struct CheckStatistics {
  std::uint64_t states = 0;
  std::uint64_t undecided_states = 0;
  std::uint64_t motions = 0;
  std::uint64_t undecided_motions = 0;
  std::uint64_t intervals = 0;     ///< of time, over which motions were looked at
  std::uint64_t compositions = 0;  ///< products of transforms
  double seconds = 0.0;            ///< summed over threads

  CheckStatistics& operator+=(const CheckStatistics& other) noexcept;
};

/// Asks the engine about OMPL states: what the validity checker and the motion validator share.
///
/// Never throws for a state: one that is no configuration (not finite, out of bounds) is answered
/// "not free".
///
/// Threads   safe without locks: a query leases its workspace from a pool by one atomic exchange.
class CheckContext {
 public:
  /// Throws std::invalid_argument if the space does not fit the world's robot (StateMapping).
  CheckContext(const ::ompl::base::SpaceInformation* si,
               std::shared_ptr<const CollisionWorld> world, const QueryOptions& options);
  ~CheckContext();
  CheckContext(const CheckContext&) = delete;
  CheckContext& operator=(const CheckContext&) = delete;

  const CollisionWorld& world() const noexcept { return *world_; }
  const std::shared_ptr<const CollisionWorld>& world_ptr() const noexcept { return world_; }
  const StateMapping& mapping() const noexcept { return *mapping_; }
  const QueryOptions& options() const noexcept { return options_; }

  /// kUndecided without a witness for a state that is no configuration or out of bounds. The state
  /// of a long robot that differs from the one before in few joints is checked, and measured, by a
  /// ChainState; without `distances` a witness may then lack its points. With `distances` its
  /// bracket depends on the states before: two answers about one state may differ, equally valid.
  StateResult check(const ::ompl::base::State* state, bool distances) const;

  /// free_until = 0 and no contact if an end is no configuration or out of bounds. Without
  /// `first_contact` a motion that is not free is answered sooner (QueryOptions::first_contact).
  MotionResult check(const ::ompl::base::State* from, const ::ompl::base::State* to,
                     bool first_contact = true) const;

  /// The same; if the motion is not free, writes the last state that is proven free to `last_valid`
  /// as OMPL asks: the largest fraction found, not above free_until, whose interpolated (rounded)
  /// state is proven free too, and that state (unless first is null; it may be an end itself).
  MotionResult check(const ::ompl::base::State* from, const ::ompl::base::State* to,
                     std::pair<::ompl::base::State*, double>& last_valid) const;

  CheckStatistics statistics() const noexcept;
  void reset_statistics() const noexcept;

 private:
  struct Impl;
  struct Scratch;

  MotionResult check(const ::ompl::base::State* from, const ::ompl::base::State* to,
                     bool first_contact, Scratch& scratch) const;
  Verdict verdict_of(const ::ompl::base::State* state, Scratch& scratch) const;
  bool positions_of(const ::ompl::base::State* state, Eigen::Ref<Eigen::VectorXd> q) const;

  ::ompl::base::StateSpacePtr space_;
  std::shared_ptr<const CollisionWorld> world_;
  std::shared_ptr<const StateMapping> mapping_;
  QueryOptions options_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::ompl
