#include "catena/ompl/motion_validator.hpp"

#include <atomic>

namespace catena::ompl {

namespace ob = ::ompl::base;

MotionValidator::MotionValidator(const ob::SpaceInformationPtr& si,
                                 std::shared_ptr<const CollisionWorld> world,
                                 const QueryOptions& options)
    : MotionValidator(si,
                      std::make_shared<const CheckContext>(si.get(), std::move(world), options)) {}

MotionValidator::MotionValidator(const ob::SpaceInformationPtr& si,
                                 std::shared_ptr<const CheckContext> context)
    : ob::MotionValidator(si), context_(std::move(context)) {}

bool MotionValidator::count(bool valid) const noexcept {
  // The base class's counters are plain integers, and threads share this object.
  std::atomic_ref<unsigned int>(valid ? valid_ : invalid_).fetch_add(1, std::memory_order_relaxed);
  return valid;
}

bool MotionValidator::checkMotion(const ob::State* from, const ob::State* to) const {
  const MotionResult result = context_->check(from, to, /*first_contact=*/false);
  return count(result.verdict == Verdict::kFree);  // kUndecided is not free
}

bool MotionValidator::checkMotion(const ob::State* from, const ob::State* to,
                                  std::pair<ob::State*, double>& last_valid) const {
  return count(context_->check(from, to, last_valid).verdict == Verdict::kFree);
}

}  // namespace catena::ompl
