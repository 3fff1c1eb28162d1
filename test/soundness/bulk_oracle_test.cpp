// The fast oracle against the slow one: its bounds over intervals of time, and its judgements.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "soundness/bulk_oracle.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena::oracle {
namespace {

using test::uniform;

/// A random motion of the robot: straight, or a spline.
void set_random_motion(BulkOracle& oracle, const RobotSpec& spec, std::mt19937_64& rng) {
  const auto q0 = random_configuration(spec, rng);
  const auto q1 = nearby_configuration(spec, q0, std::pow(10.0, uniform(rng, -2, 0)), rng);
  if (rng() % 2 == 0) {
    oracle.set_motion(q0, q1);
  } else {
    oracle.set_spline(random_spline(spec, q0, q1, rng));
  }
}

// Property: whatever the interval, no bound over it exceeds the gap that 80 bits find at any time
// in it; and the bound by one direction is no idle one.
TEST(BulkOracle, BoundsOverIntervalsHoldAtEveryTime) {
  for (const std::string& name : campaign_robot_names()) {
    std::mt19937_64 rng(11);
    const RobotSpec spec = make_robot_spec(name);
    BulkOracle oracle(spec);
    int close = 0, proven = 0;
    for (int motion = 0; motion < 12; ++motion) {
      oracle.set_scene(random_scene(reach_of(name), rng), motion % 3 == 0 ? 0.02 : 0.0);
      set_random_motion(oracle, spec, rng);
      const int pairs = static_cast<int>(oracle.exact().pairs().size());
      for (int trial = 0; trial < 24; ++trial) {
        const int pair = static_cast<int>(rng() % static_cast<std::uint64_t>(pairs));
        const double h = 0.5 * std::pow(10.0, uniform(rng, -3, 0)), t = uniform(rng, h, 1 - h);
        const std::array<double, 3> bounds = oracle.bounds_over(pair, t, h);
        Real least = oracle.exact().gap_at(pair, t).hi;
        for (int k = 0; k <= 8; ++k)
          least = std::min(least,
                           oracle.exact().gap_at(pair, Real(t) + Real(h) * (Real(k) / 4 - 1)).hi);
        for (int which = 0; which < 3; ++which) {
          const double bound = bounds[size_t(which)];
          // Of shapes that overlap the gap may be anything down from minus the clearance.
          ASSERT_LE(bound, std::max(least, Real(-oracle.exact().clearance())) + oracle.margin())
              << name << " seed 11 motion " << motion << " trial " << trial << " bound " << which
              << " t " << t << " h " << h;
        }
        proven += bounds[2] > 0 ? 1 : 0;
        close += least > 0 && bounds[2] > 0.9 * double(least) ? 1 : 0;
      }
    }
    EXPECT_GT(proven, 50) << name;
    EXPECT_GT(close, 20) << name;
  }
}

// Property: both oracles say the same of a motion, and neither proves a prefix beyond a contact of
// the other.
TEST(BulkOracle, JudgesAsTheSlowOneDoes) {
  int contacts = 0, free = 0;
  for (const std::string& name : robot_names()) {
    std::mt19937_64 rng(12);
    const RobotSpec spec = make_robot_spec(name);
    BulkOracle oracle(spec);
    for (int motion = 0; motion < 6; ++motion) {
      oracle.set_scene(random_scene(reach_of(name), rng), 0.0);
      set_random_motion(oracle, spec, rng);
      const Truth fast = oracle.judge(), slow = oracle.exact().judge();
      const std::string where = name + " seed 12 motion " + std::to_string(motion);
      if (fast.kind != Truth::Kind::kBand && slow.kind != Truth::Kind::kBand) {
        EXPECT_EQ(fast.kind, slow.kind) << where;
      }
      if (slow.kind == Truth::Kind::kContact) {
        EXPECT_LE(fast.t_free, slow.t_hit + 1e-15L) << where;
      }
      if (fast.kind == Truth::Kind::kContact) {
        EXPECT_LE(slow.t_free, fast.t_hit + 1e-15L) << where;
        EXPECT_LE(oracle.exact().smallest_gap_at(fast.t_hit).hi, 0) << where;
      }
      contacts += fast.kind == Truth::Kind::kContact ? 1 : 0;
      free += fast.kind == Truth::Kind::kFree ? 1 : 0;
    }
  }
  EXPECT_GT(contacts, 10);
  EXPECT_GT(free, 10);
}

}  // namespace
}  // namespace catena::oracle
