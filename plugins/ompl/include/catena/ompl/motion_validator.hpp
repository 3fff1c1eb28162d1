#pragma once

#include <memory>
#include <utility>

#include <ompl/base/MotionValidator.h>

#include "catena/ompl/check_context.hpp"

namespace catena::ompl {

/// OMPL's question "is the motion between two states valid?", answered with a proof for every real
/// time of it.
///
/// Valid means that the whole motion is proven free, its first state included; undecided is not
/// valid. See CheckContext for what becomes of lastValid. A valid motion leaves it as it was.
///
/// Threads   safe, without locks; the base class's counters are exact (read them when no check
/// runs).
class MotionValidator : public ::ompl::base::MotionValidator {
 public:
  MotionValidator(const ::ompl::base::SpaceInformationPtr& si,
                  std::shared_ptr<const CollisionWorld> world, const QueryOptions& options = {});
  MotionValidator(const ::ompl::base::SpaceInformationPtr& si,
                  std::shared_ptr<const CheckContext> context);

  bool checkMotion(const ::ompl::base::State* from, const ::ompl::base::State* to) const override;
  bool checkMotion(const ::ompl::base::State* from, const ::ompl::base::State* to,
                   std::pair<::ompl::base::State*, double>& last_valid) const override;

  const CollisionWorld& world() const noexcept { return context_->world(); }
  const std::shared_ptr<const CheckContext>& context() const noexcept { return context_; }

 private:
  bool count(bool valid) const noexcept;

  std::shared_ptr<const CheckContext> context_;
};

}  // namespace catena::ompl
