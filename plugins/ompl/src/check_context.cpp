#include "catena/ompl/check_context.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>

#include "catena/query/chain_state.hpp"
#include "catena/query/discrete.hpp"
#include "scratch_pool.hpp"

namespace catena::ompl {

namespace ob = ::ompl::base;

CheckStatistics& CheckStatistics::operator+=(const CheckStatistics& other) noexcept {
  states += other.states;
  undecided_states += other.undecided_states;
  motions += other.motions;
  undecided_motions += other.undecided_motions;
  intervals += other.intervals;
  compositions += other.compositions;
  seconds += other.seconds;
  return *this;
}

/// Every mutable byte of a query.
struct CheckContext::Scratch {
  Scratch(const std::shared_ptr<const CollisionWorld>& world, ob::StateSpacePtr state_space)
      : workspace(*world),
        q0(world->robot().num_positions()),
        q1(world->robot().num_positions()),
        space(std::move(state_space)),
        trial(space->allocState()),
        best(space->allocState()) {
    // Shorter robots are checked as a whole before it is found out what has changed.
    constexpr int kLong = 64;
    if (world->robot().num_links() >= kLong) chain.emplace(world);
  }
  ~Scratch() {
    space->freeState(trial);
    space->freeState(best);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // A state's verdict, or its distance. Where it differs from the one before in few joints, a long
  // robot's is found from what these move.
  StateResult check(const CollisionWorld& world, const QueryOptions& options) {
    if (!chain) return check_state(world, q0, options, workspace);
    chain->set(q0);
    chain->commit();
    if (options.distances) return chain->distance(options);
    const ChainState::Result found = chain->check(options);
    StateResult result;
    result.verdict = found.verdict;
    result.witness.a = found.a;
    result.witness.b = found.b;
    result.witness.gap = found.gap;
    result.stats = found.stats;
    return result;
  }

  Workspace workspace;
  std::optional<ChainState> chain;
  Motion motion;
  Eigen::VectorXd q0, q1;
  ob::StateSpacePtr space;
  ob::State* trial;
  ob::State* best;
};

struct CheckContext::Impl {
  ScratchPool<Scratch> pool;
  struct alignas(64) Counters {
    std::atomic<std::uint64_t> states{0}, undecided_states{0}, motions{0}, undecided_motions{0};
    std::atomic<std::uint64_t> intervals{0}, compositions{0}, nanoseconds{0};
  } counters;

  /// Counts one query and its time when it ends.
  class Tally {
   public:
    Tally(Counters& counters, bool motion) : counters_(counters), motion_(motion) {}
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    ~Tally() {
      const auto spent = std::chrono::steady_clock::now() - start_;
      add(counters_.nanoseconds,
          static_cast<std::uint64_t>(
              std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count()));
      add(motion_ ? counters_.motions : counters_.states, 1);
      if (undecided_) add(motion_ ? counters_.undecided_motions : counters_.undecided_states, 1);
      add(counters_.intervals, stats_.intervals);
      add(counters_.compositions, stats_.compositions);
    }
    /// A query without a result counts as none that is undecided.
    void note(Verdict verdict, const QueryStats& stats) {
      undecided_ = verdict == Verdict::kUndecided;
      stats_ = stats;
    }

   private:
    static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
      counter.fetch_add(n, std::memory_order_relaxed);
    }
    Counters& counters_;
    bool motion_;
    bool undecided_ = false;
    QueryStats stats_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  ScratchPool<Scratch>::Lease lease(const CheckContext& context) {
    return pool.lease([&] { return std::make_unique<Scratch>(context.world_, context.space_); });
  }
};

CheckContext::CheckContext(const ob::SpaceInformation* si,
                           std::shared_ptr<const CollisionWorld> world, const QueryOptions& options)
    : space_(si->getStateSpace()),
      world_(std::move(world)),
      mapping_(mapping_of(space_, world_->robot_ptr(), &world_->scene())),
      options_(options),
      impl_(std::make_unique<Impl>()) {
  // Here, because later every state would silently count as not free.
  validate_options(options_);
  options_.distances = false;
}

CheckContext::~CheckContext() = default;

bool CheckContext::positions_of(const ob::State* state, Eigen::Ref<Eigen::VectorXd> q) const {
  mapping_->to_positions(state, q);
  return q.allFinite() && space_->satisfiesBounds(state);
}

StateResult CheckContext::check(const ob::State* state, bool distances) const {
  Impl::Tally tally(impl_->counters, /*motion=*/false);
  const auto scratch = impl_->lease(*this);
  if (!positions_of(state, scratch->q0)) return {};
  QueryOptions options = options_;
  options.distances = distances;
  try {
    const StateResult result = scratch->check(*world_, options);
    tally.note(result.verdict, result.stats);
    return result;
  } catch (const std::invalid_argument&) {  // no configuration after all: not free
    return {};
  }
}

Verdict CheckContext::verdict_of(const ob::State* state, Scratch& scratch) const {
  if (!positions_of(state, scratch.q0)) return Verdict::kUndecided;
  try {
    return scratch.check(*world_, options_).verdict;
  } catch (const std::invalid_argument&) {
    return Verdict::kUndecided;
  }
}

MotionResult CheckContext::check(const ob::State* from, const ob::State* to, bool first_contact,
                                 Scratch& scratch) const {
  Impl::Tally tally(impl_->counters, /*motion=*/true);
  if (!positions_of(from, scratch.q0) || !positions_of(to, scratch.q1)) return {};
  try {
    scratch.motion.reset(world_->robot(), scratch.q0, scratch.q1);
    QueryOptions options = options_;
    options.first_contact = first_contact;
    const MotionResult result = check_motion(*world_, scratch.motion, options, scratch.workspace);
    tally.note(result.verdict, result.stats);
    return result;
  } catch (const std::invalid_argument&) {  // an end is no configuration after all: not free
    return {};
  }
}

MotionResult CheckContext::check(const ob::State* from, const ob::State* to,
                                 bool first_contact) const {
  const auto scratch = impl_->lease(*this);
  return check(from, to, first_contact, *scratch);
}

MotionResult CheckContext::check(const ob::State* from, const ob::State* to,
                                 std::pair<ob::State*, double>& last_valid) const {
  const auto scratch = impl_->lease(*this);
  const MotionResult result = check(from, to, /*first_contact=*/true, *scratch);
  if (result.verdict == Verdict::kFree) return result;  // OMPL: leave last_valid as it was

  // Near first contact the rounded state may lie in the undecided band: step back, ever farther,
  // until a state is proven free, then bisect for a larger fraction.
  const auto is_free = [&](double t) {
    space_->interpolate(from, to, t, scratch->trial);
    if (verdict_of(scratch->trial, *scratch) != Verdict::kFree) return false;
    std::swap(scratch->trial, scratch->best);
    return true;
  };
  double fraction = 0.0, refused = result.free_until, step = 1e-9;
  for (double t = result.free_until; t > 0.0; t = result.free_until - step, step *= 4.0) {
    if (is_free(t)) {
      fraction = t;
      break;
    }
    refused = t;
  }
  if (fraction > 0.0 && fraction < result.free_until) {
    for (int k = 0; k < 4; ++k) {
      const double t = 0.5 * (fraction + refused);
      if (is_free(t)) {
        fraction = t;
      } else {
        refused = t;
      }
    }
  }

  last_valid.second = fraction;
  if (last_valid.first == nullptr) return result;
  if (fraction > 0.0) {
    space_->copyState(last_valid.first, scratch->best);
  } else if (last_valid.first != from) {
    space_->copyState(last_valid.first, from);
  }
  return result;
}

CheckStatistics CheckContext::statistics() const noexcept {
  const Impl::Counters& c = impl_->counters;
  const auto read = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  return {read(c.states),
          read(c.undecided_states),
          read(c.motions),
          read(c.undecided_motions),
          read(c.intervals),
          read(c.compositions),
          1e-9 * static_cast<double>(read(c.nanoseconds))};
}

void CheckContext::reset_statistics() const noexcept {
  Impl::Counters& c = impl_->counters;
  for (auto* counter : {&c.states, &c.undecided_states, &c.motions, &c.undecided_motions,
                        &c.intervals, &c.compositions, &c.nanoseconds}) {
    counter->store(0, std::memory_order_relaxed);
  }
}

}  // namespace catena::ompl
