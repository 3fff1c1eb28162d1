#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "catena/query/continuous.hpp"
#include "query/workspace_impl.hpp"
#include "soundness/motion_case.hpp"

namespace catena::test {

/// The answer of one query; `pairwise`: of a look at every pair.
inline MotionResult check(const oracle::MotionCase& c, Workspace& workspace, bool pairwise,
                          const QueryOptions& options) {
  workspace.impl().pairwise = pairwise;
  return check_motion(*c.world, c.motion, options, workspace);
}

/// Holds the walks' answers against those of a look at every pair, and the proven prefix against
/// states that are judged one by one.
struct MotionAnswers {
  int free = 0, collisions = 0, undecided = 0;
  int late = 0;      ///< another first contact: only one that grazes
  int measured = 0;  ///< a distance by both

  void compare(const oracle::MotionCase& c, QueryOptions options) {
    Workspace workspace(*c.world);
    const MotionResult r = check(c, workspace, false, options);
    const MotionResult every = check(c, workspace, true, options);
    const std::string where = c.where + " clearance " + std::to_string(options.clearance);
    free += r.verdict == Verdict::kFree ? 1 : 0;
    collisions += r.verdict == Verdict::kCollision ? 1 : 0;
    undecided += r.verdict == Verdict::kUndecided ? 1 : 0;
    if (r.verdict == Verdict::kFree) {
      ASSERT_NE(every.verdict, Verdict::kCollision) << where;
      ASSERT_EQ(r.free_until, 1.0) << where;
    }
    if (every.verdict == Verdict::kFree) {
      ASSERT_NE(r.verdict, Verdict::kCollision) << where;
    }
    if (r.contact) {
      ASSERT_LE(r.free_until, *r.contact) << where;
      ASSERT_LE(every.free_until, *r.contact) << where;
    }
    if (every.contact) {
      ASSERT_LE(r.free_until, *every.contact) << where;
    }
    if (r.contact && every.contact) late += std::abs(*r.contact - *every.contact) > 1e-5 ? 1 : 0;
    if (r.distance && every.distance) {
      ++measured;
      ASSERT_LE(r.distance->lo, every.distance->hi) << where;
      ASSERT_LE(every.distance->lo, r.distance->hi) << where;
    }
    options.distances = false;
    for (int i = 0; i <= 40 && r.free_until > 0.0; ++i) {
      const double t = r.free_until * (i == 40 ? 1.0 : i / 40.0);
      QueryStats stats;
      internal::set_poses(*c.world, c.motion, t, workspace.impl(), stats);
      const StateResult state = internal::check_poses(*c.world, options, false, workspace.impl());
      ASSERT_NE(state.verdict, Verdict::kCollision) << where << " t " << t;
    }
  }

  void print() const {
    std::printf("free %d, collisions %d, undecided %d; other first contacts %d; measured %d\n",
                free, collisions, undecided, late, measured);
  }
};

}  // namespace catena::test
