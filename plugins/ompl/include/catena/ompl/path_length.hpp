#pragma once

#include <memory>

#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/base/objectives/PathLengthOptimizationObjective.h>
#include <ompl/base/samplers/informed/RejectionInfSampler.h>
#include <ompl/util/RandomNumbers.h>

namespace catena::ompl {

/// Samples where a path through the sample could still be shorter than `max_cost`.
///
/// OMPL's direct sampler of that region throws for every space but a single real-vector, SE(2) or
/// SE(3) one; drawing from the whole space and rejecting works in any. Where the region has become
/// too thin to hit, a point of the straight way between start and goal, which lies in it, is drawn
/// instead: some planners ask again without end until they get one.
class InformedSampler final : public ::ompl::base::RejectionInfSampler {
 public:
  InformedSampler(const ::ompl::base::ProblemDefinitionPtr& problem, unsigned int max_number_calls)
      : RejectionInfSampler(problem, max_number_calls), problem_(problem.get()) {}

  bool sampleUniform(::ompl::base::State* state, const ::ompl::base::Cost& max_cost) override {
    return RejectionInfSampler::sampleUniform(state, max_cost) || sample_straight(state, max_cost);
  }
  bool sampleUniform(::ompl::base::State* state, const ::ompl::base::Cost& min_cost,
                     const ::ompl::base::Cost& max_cost) override {
    return RejectionInfSampler::sampleUniform(state, min_cost, max_cost);
  }

 private:
  bool sample_straight(::ompl::base::State* state, const ::ompl::base::Cost& max_cost) {
    const auto* goal =
        dynamic_cast<const ::ompl::base::GoalSampleableRegion*>(problem_->getGoal().get());
    if (goal == nullptr || problem_->getStartStateCount() == 0) return false;
    const auto& space = problem_->getSpaceInformation()->getStateSpace();
    ::ompl::base::State* end = space->allocState();
    goal->sampleGoal(end);
    space->interpolate(problem_->getStartState(0), end, random_.uniform01(), state);
    space->freeState(end);
    return problem_->getOptimizationObjective()->isCostBetterThan(heuristicSolnCost(state),
                                                                  max_cost);
  }

  const ::ompl::base::ProblemDefinition* problem_;  // owned by the planner that owns this sampler
  ::ompl::RNG random_;
};

/// Path length for planners that sample only where a path could still become shorter, as BIT* does.
class PathLength final : public ::ompl::base::PathLengthOptimizationObjective {
 public:
  /// `straight` is the length of the straight way: a path that short cannot be improved, so that
  /// planners which go on as long as there is time may stop.
  PathLength(const ::ompl::base::SpaceInformationPtr& si, double straight)
      : PathLengthOptimizationObjective(si) {
    setCostThreshold(::ompl::base::Cost(straight * (1.0 + 1e-6)));
  }

  ::ompl::base::InformedSamplerPtr allocInformedStateSampler(
      const ::ompl::base::ProblemDefinitionPtr& problem,
      unsigned int max_number_calls) const override {
    return std::make_shared<InformedSampler>(problem, max_number_calls);
  }
};

}  // namespace catena::ompl
