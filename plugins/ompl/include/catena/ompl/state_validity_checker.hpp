#pragma once

#include <memory>

#include <ompl/base/StateValidityChecker.h>

#include "catena/ompl/check_context.hpp"

namespace catena::ompl {

/// A state's clearance as OMPL understands it: a certified lower bound of the smallest distance
/// over all checked pairs; infinity if there is none. For a collision: at most 0, a lower bound of
/// minus the depth where that is known. For a state that is no configuration: 0.
double clearance_of(const StateResult& result) noexcept;

/// OMPL's question "is this state valid?", answered with a proof.
///
/// Valid means within the space's bounds and proven free; undecided is not valid, and neither is a
/// state with a value that is not a number. clearance() is a certified lower bound of the distance
/// between the true solids, so specs say BOUNDED_APPROXIMATE; no valid direction is computed.
///
/// Threads   safe, without locks.
class StateValidityChecker : public ::ompl::base::StateValidityChecker {
 public:
  StateValidityChecker(const ::ompl::base::SpaceInformationPtr& si,
                       std::shared_ptr<const CollisionWorld> world,
                       const QueryOptions& options = {});
  StateValidityChecker(const ::ompl::base::SpaceInformationPtr& si,
                       std::shared_ptr<const CheckContext> context);

  bool isValid(const ::ompl::base::State* state) const override;
  bool isValid(const ::ompl::base::State* state, double& distance) const override;
  bool isValid(const ::ompl::base::State* state, double& distance, ::ompl::base::State* valid_state,
               bool& valid_state_available) const override;

  /// See clearance_of. Distances are those of the solids, whatever clearance is asked for. Of a
  /// long robot two calls for one state may give different bounds, equally valid
  /// (CheckContext::check).
  double clearance(const ::ompl::base::State* state) const override;
  double clearance(const ::ompl::base::State* state, ::ompl::base::State* valid_state,
                   bool& valid_state_available) const override;
  /// The same, with the pair of bodies and the points that are closest (indices of world()).
  double clearance(const ::ompl::base::State* state, Witness& witness) const;

  const CollisionWorld& world() const noexcept { return context_->world(); }
  const std::shared_ptr<const CheckContext>& context() const noexcept { return context_; }

 private:
  std::shared_ptr<const CheckContext> context_;
};

}  // namespace catena::ompl
