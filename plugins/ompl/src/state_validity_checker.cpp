#include "catena/ompl/state_validity_checker.hpp"

#include <algorithm>
#include <cmath>

namespace catena::ompl {

namespace ob = ::ompl::base;

double clearance_of(const StateResult& result) noexcept {
  if (result.verdict == Verdict::kFree && !result.distance) return kInfinity;  // nothing to check
  if (!result.distance) return 0.0;
  // A depth that nobody measured (a surface has none) is no reason for minus infinity.
  return std::isfinite(result.distance->lo) ? result.distance->lo
                                            : std::min(0.0, result.distance->hi);
}

StateValidityChecker::StateValidityChecker(const ob::SpaceInformationPtr& si,
                                           std::shared_ptr<const CollisionWorld> world,
                                           const QueryOptions& options)
    : StateValidityChecker(
          si, std::make_shared<const CheckContext>(si.get(), std::move(world), options)) {}

StateValidityChecker::StateValidityChecker(const ob::SpaceInformationPtr& si,
                                           std::shared_ptr<const CheckContext> context)
    : ob::StateValidityChecker(si), context_(std::move(context)) {
  specs_.clearanceComputationType = ob::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE;
  specs_.hasValidDirectionComputation = false;
}

bool StateValidityChecker::isValid(const ob::State* state) const {
  return context_->check(state, /*distances=*/false).verdict == Verdict::kFree;
}

bool StateValidityChecker::isValid(const ob::State* state, double& distance) const {
  const StateResult result = context_->check(state, /*distances=*/true);
  distance = clearance_of(result);
  return result.verdict == Verdict::kFree;
}

bool StateValidityChecker::isValid(const ob::State* state, double& distance,
                                   ob::State* /*valid_state*/, bool& valid_state_available) const {
  valid_state_available = false;
  return isValid(state, distance);
}

double StateValidityChecker::clearance(const ob::State* state) const {
  return clearance_of(context_->check(state, /*distances=*/true));
}

double StateValidityChecker::clearance(const ob::State* state, ob::State* /*valid_state*/,
                                       bool& valid_state_available) const {
  valid_state_available = false;
  return clearance(state);
}

double StateValidityChecker::clearance(const ob::State* state, Witness& witness) const {
  const StateResult result = context_->check(state, /*distances=*/true);
  witness = result.witness;
  return clearance_of(result);
}

}  // namespace catena::ompl
