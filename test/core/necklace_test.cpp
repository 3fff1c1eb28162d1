// Necklaces beside all pairs of beads in extended precision.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "catena/hierarchy/necklace.hpp"
#include "support/counted_memory.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::Rng;
using test::uniform;
using Hierarchy = Necklace::Hierarchy;
using Update = Necklace::Update;
using Real = long double;

constexpr int kSeed = 2004;
constexpr Update kUpdates[] = {Update::kRebuild, Update::kNaive, Update::kCascade, Update::kLazy};
constexpr Hierarchy kHierarchies[] = {Hierarchy::kLayered, Hierarchy::kWrapped};

struct Beads {
  std::vector<Vector3d> centers;
  std::vector<double> radii;

  int size() const { return static_cast<int>(centers.size()); }
  void add(const Vector3d& center, double radius) {
    centers.push_back(center);
    radii.push_back(radius);
  }
  void set(Necklace& necklace) const { necklace.set_beads(centers, radii); }
};

Real distance(const Vector3d& a, const Vector3d& b) {
  return std::hypot(Real{a.x()} - b.x(), Real{a.y()} - b.y(), Real{a.z()} - b.z());
}

Real gap(const Beads& a, int i, const Beads& b, int j) {
  const auto p = static_cast<size_t>(i), q = static_cast<size_t>(j);
  return distance(a.centers[p], b.centers[q]) - Real{a.radii[p]} - Real{b.radii[q]};
}

// The least gap of the pairs beyond the window; infinite if there are none.
Real least_gap(const Beads& beads, int window) {
  Real least = HUGE_VALL;
  for (int i = 0; i < beads.size(); ++i) {
    for (int j = i + window + 1; j < beads.size(); ++j) {
      least = std::min(least, gap(beads, i, beads, j));
    }
  }
  return least;
}

Real least_gap(const Beads& a, const Beads& b) {
  Real least = HUGE_VALL;
  for (int i = 0; i < a.size(); ++i) {
    for (int j = 0; j < b.size(); ++j) least = std::min(least, gap(a, i, b, j));
  }
  return least;
}

// What was answered is so, and nothing is left open but what rounding may.
void expect_true(const NecklaceResult& result, Real least, const Beads& a, const Beads& b,
                 double size, const std::string& which) {
  const Real band = 1e-13L * Real{size};
  switch (result.verdict) {
    case Verdict::kFree:
      ASSERT_GT(least, 0) << which;
      ASSERT_EQ(result.i, -1) << which;
      break;
    case Verdict::kCollision:
      ASSERT_LE(gap(a, result.i, b, result.j), 0) << which;
      break;
    case Verdict::kUndecided:
      ASSERT_LE(std::abs(least), band) << which;
      ASSERT_LE(std::abs(gap(a, result.i, b, result.j)), band) << which;
      break;
  }
  if (std::abs(least) > band) {
    ASSERT_EQ(result.verdict, least > 0 ? Verdict::kFree : Verdict::kCollision) << which;
  }
}

// Every ball that is up to date holds all beads of its node.
void expect_held(const Necklace& necklace, const Beads& beads, const std::string& which) {
  for (int node = 0; node < necklace.num_nodes(); ++node) {
    if (necklace.is_outdated(node)) continue;
    const Ball& ball = necklace.ball(node);
    for (int i = necklace.first_bead(node); i < necklace.last_bead(node); ++i) {
      const auto at = static_cast<size_t>(i);
      const Real reach = distance(ball.center, beads.centers[at]) + Real{beads.radii[at]};
      ASSERT_LE(reach, Real{ball.radius}) << which << " node " << node << " bead " << i;
    }
  }
}

Vector3d random_vector(Rng& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

// A walk of beads of like or unlike sizes; neighbours touch or overlap.
Beads random_walk(Rng& rng, int n, double scale, bool alike, double bend) {
  Beads beads;
  Vector3d at = scale * random_vector(rng, 2.0), way = random_vector(rng, 1.0).normalized();
  for (int i = 0; i < n; ++i) {
    beads.add(at, scale * (alike ? 0.5 : uniform(rng, 0.05, 0.6)));
    way = (way + random_vector(rng, bend)).normalized();
    at += scale * 0.95 * way;
  }
  return beads;
}

enum class Motion { kRigid, kBending, kNoise, kJumps, kOneBead };

void move(Rng& rng, Beads& beads, Motion motion, double scale) {
  const Vector3d axis = random_vector(rng, 1.0).normalized(), shift = scale * random_vector(rng, 1);
  const Eigen::AngleAxisd turn(uniform(rng, -0.5, 0.5), axis);
  const double noise = motion == Motion::kNoise ? 0.02 : motion == Motion::kJumps ? 3.0 : 0.0;
  for (size_t i = 0; i < beads.centers.size(); ++i) {
    const Eigen::AngleAxisd part(turn.angle() * static_cast<double>(i) / beads.size(), axis);
    Vector3d& c = beads.centers[i];
    if (motion == Motion::kRigid) c = turn * c + shift;
    if (motion == Motion::kBending) c = part * c;
    if (noise > 0) c += random_vector(rng, noise * scale);
  }
  if (motion == Motion::kOneBead) {
    const auto i = static_cast<size_t>(uniform(rng, 0.0, beads.size() - 0.001));
    beads.centers[i] += random_vector(rng, 4.0 * scale);
    if (i % 3 == 0) beads.radii[i] *= 1.5;
  }
}

// Property: whatever the hierarchy, the update, the sizes and the motion, verdicts of a necklace
// and of two are those of all pairs in extended precision, balls hold their beads, and a separating
// family is whole.
TEST(Necklace, VerdictsAreThoseOfAllPairs) {
  Rng rng(kSeed);
  int counts[3] = {};
  for (int trial = 0; trial < 120; ++trial) {
    const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100, 130};
    const int n = sizes[trial % 15], m = sizes[(trial * 7 + 3) % 15];
    const double scale = std::pow(10.0, trial % 7 - 3);
    const bool alike = trial % 2 == 0;
    Beads beads = random_walk(rng, n, scale, alike, trial % 4 * 0.3);
    Beads other = random_walk(rng, m, scale, alike, 0.3);
    std::vector<Necklace> necklaces, others;
    for (const Hierarchy hierarchy : kHierarchies) {
      for (int k = 0; k < 4; ++k) {
        necklaces.emplace_back(n, hierarchy);
        others.emplace_back(m, hierarchy);
      }
    }
    for (int step = 0; step < 8; ++step) {
      const auto motion = static_cast<Motion>((trial + step) % 5);
      if (step > 0) move(rng, beads, motion, scale);
      if (step > 0) move(rng, other, Motion::kBending, scale);
      const int window = 1 + (trial + step) % 5;
      // Scenes about touching, down to rounding's size.
      if (step >= 6 && least_gap(beads, window) < HUGE_VALL) {
        const auto off = static_cast<double>(least_gap(beads, window)) / 2;
        const double least = *std::min_element(beads.radii.begin(), beads.radii.end());
        if (least + off > 0) {
          for (double& r : beads.radii) r += off * (1 + (step == 6 ? 1e-11 : -1e-11) * (trial % 3));
        }
      }
      const double size = 100 * scale;
      const Real self = least_gap(beads, window), pair = least_gap(beads, other);
      for (size_t k = 0; k < necklaces.size(); ++k) {
        const std::string which = "seed " + std::to_string(kSeed) + " trial " +
                                  std::to_string(trial) + " step " + std::to_string(step) +
                                  " necklace " + std::to_string(k);
        beads.set(necklaces[k]);
        necklaces[k].update(kUpdates[k % 4]);
        other.set(others[k]);
        others[k].update(kUpdates[(k + 1) % 4]);
        SeparatingFamily family;
        const NecklaceResult result = necklaces[k].self_collision(window, &family);
        ++counts[static_cast<size_t>(result.verdict)];
        expect_true(result, self, beads, beads, size, which);
        if (result.verdict == Verdict::kFree) {
          ASSERT_EQ(refute(family, beads.centers, beads.radii), "") << which;
        } else {
          ASSERT_TRUE(family.pairs.empty()) << which;
          ASSERT_GT(result.j - result.i, window) << which;
        }
        expect_held(necklaces[k], beads, which);
        const NecklaceResult both = necklaces[k].collision(others[k], &family);
        ++counts[static_cast<size_t>(both.verdict)];
        expect_true(both, pair, beads, other, size, which);
        if (both.verdict == Verdict::kFree) {
          ASSERT_EQ(refute(family, beads.centers, beads.radii, other.centers, other.radii), "")
              << which;
        }
        expect_held(others[k], other, which);
        ASSERT_EQ(necklaces[k].self_collision(window).verdict, result.verdict) << which;
      }
    }
  }
  std::printf("free %d collision %d undecided %d\n", counts[0], counts[1], counts[2]);
  for (const int count : counts) EXPECT_GT(count, 50);
}

// Property: updated from old bases, naively or by frontiers, or on first touch, each wrapped ball
// is as small as one about the same beads from nothing.
TEST(Necklace, UpdatedBallsAreTheSmallest) {
  Rng rng(kSeed + 1);
  for (int trial = 0; trial < 10; ++trial) {
    const int n = 200 + 31 * trial;
    Beads beads = random_walk(rng, n, 1.0, trial % 2 == 0, 0.4);
    Necklace naive(n, Hierarchy::kWrapped), cascade(n, Hierarchy::kWrapped),
        lazy(n, Hierarchy::kWrapped);
    for (int step = 0; step < 10; ++step) {
      if (step > 0) move(rng, beads, static_cast<Motion>((trial + step) % 5), 1.0);
      for (Necklace* necklace : {&naive, &cascade, &lazy}) beads.set(*necklace);
      naive.update(Update::kNaive);
      cascade.update(Update::kCascade);
      lazy.self_collision(1 + step % 3);
      std::vector<Ball> balls;
      for (int i = 0; i < n; ++i) {
        balls.push_back(
            {beads.centers[static_cast<size_t>(i)], beads.radii[static_cast<size_t>(i)]});
      }
      for (int node = 0; node < naive.num_nodes(); ++node) {
        const int first = naive.first_bead(node), last = naive.last_bead(node);
        const double least =
            enclosing_ball(std::span(balls).subspan(static_cast<size_t>(first),
                                                    static_cast<size_t>(last - first)))
                .ball.radius;
        const std::string which = "seed " + std::to_string(kSeed + 1) + " trial " +
                                  std::to_string(trial) + " step " + std::to_string(step) +
                                  " node " + std::to_string(node);
        for (const Necklace* necklace : {&naive, &cascade, &lazy}) {
          if (necklace->is_outdated(node)) continue;
          ASSERT_NEAR(necklace->ball(node).radius, least, 1e-9 * least) << which;
          const BallBasis& basis = necklace->basis(node);
          for (int k = 0; k < basis.size; ++k) {
            ASSERT_GE(basis.at[static_cast<size_t>(k)], first) << which;
            ASSERT_LT(basis.at[static_cast<size_t>(k)], last) << which;
          }
        }
      }
      expect_held(lazy, beads, "lazy");
    }
  }
}

// Property: one bead that is in no basis leaves its ball alone, while all others, and so every
// basis, stay: each way to update holds it, and finds what it meets.
TEST(Necklace, ABeadThatLeavesAloneIsFound) {
  constexpr int kBeads = 64;
  Beads beads;
  for (int i = 0; i < kBeads; ++i) beads.add({0.9 * i, 0, 0}, 0.5);
  Beads far;
  for (int i = 0; i < 32; ++i) far.add({0.9 * i, 40.0, 0}, 0.5);
  for (const Update how : kUpdates) {
    Necklace necklace(kBeads, Hierarchy::kWrapped), other(32, Hierarchy::kWrapped);
    beads.set(necklace);
    far.set(other);
    necklace.update(Update::kRebuild);
    ASSERT_EQ(necklace.collision(other).verdict, Verdict::kFree);
    ASSERT_EQ(necklace.self_collision(1).verdict, Verdict::kFree);
    const int leaves = 21;
    for (int node = 0; node < necklace.num_nodes(); ++node) {
      const int size = necklace.last_bead(node) - necklace.first_bead(node);
      ASSERT_TRUE(size < 4 || !necklace.basis(node).contains(leaves)) << "node " << node;
    }
    Beads moved = beads;
    moved.centers[leaves] = {0.9 * 10, 40.0 - 0.95, 0};  // into the other one
    moved.set(necklace);
    const NecklaceStats stats = necklace.update(how);
    const NecklaceResult both = necklace.collision(other);
    EXPECT_EQ(both.verdict, Verdict::kCollision);
    EXPECT_EQ(both.i, leaves);
    EXPECT_EQ(necklace.self_collision(1).verdict, Verdict::kFree);
    expect_held(necklace, moved, "alone");
    if (how == Update::kNaive || how == Update::kCascade) {
      EXPECT_GE(stats.nodes_repaired, 4U);
      EXPECT_LE(stats.nodes_repaired, 6U);
    }
    moved.centers[leaves] = {0.9 * 5, 0.1, 0};  // onto one of its own
    moved.set(necklace);
    necklace.update(how);
    const NecklaceResult self = necklace.self_collision(1);
    EXPECT_EQ(self.verdict, Verdict::kCollision);
    EXPECT_TRUE(self.j == leaves || self.i == leaves);
  }
}

// Closed form: a helix of radius 1.7 with ten beads a turn and a pitch of p a bead has distance
// 10 p between turns, and 1.0554 between neighbours.
TEST(Necklace, HelixIsFreeByAThousandthOfItsPitch) {
  for (const double pitch : {0.1001, 0.0999}) {
    Beads beads;
    for (int i = 0; i < 500; ++i) {
      const double angle = 2 * M_PI * i / 10;
      beads.add({1.7 * std::cos(angle), 1.7 * std::sin(angle), pitch * i}, 0.5);
    }
    ASSERT_NEAR(static_cast<double>(distance(beads.centers[0], beads.centers[1])), 1.0554, 1e-4);
    ASSERT_NEAR(static_cast<double>(least_gap(beads, 1)), 10 * pitch - 1, 1e-12);
    for (const Hierarchy hierarchy : kHierarchies) {
      Necklace necklace(beads.size(), hierarchy);
      beads.set(necklace);
      necklace.update(Update::kRebuild);
      SeparatingFamily family;
      const NecklaceResult result = necklace.self_collision(1, &family);
      if (pitch > 0.1) {
        EXPECT_EQ(result.verdict, Verdict::kFree);
        EXPECT_EQ(refute(family, beads.centers, beads.radii), "");
      } else {
        EXPECT_EQ(result.verdict, Verdict::kCollision);
        EXPECT_EQ(result.j - result.i, 10);
      }
    }
  }
}

// Points on the unit circle, for which the layered radius grows by sqrt(1 / k) on each of k levels:
// the centre of a node at level i is sqrt(1 - i / k) from that of the circle.
Beads circle_points(int k) {
  Beads beads;
  for (int i = 0; i < 1 << k; ++i) {
    double angle = 0;
    for (int level = 1; level <= k; ++level) {
      const double turn = std::acos(std::sqrt(double(k - level) / double(k - level + 1)));
      angle += (i >> (level - 1) & 1) != 0 ? turn : -turn;
    }
    beads.add({std::cos(angle), std::sin(angle), 0}, 0);
  }
  return beads;
}

TEST(Necklace, LayeredIsWiderByTheRootOfTheLevelsAtWorst) {
  for (const int k : {1, 2, 3, 4, 6, 9}) {
    const Beads beads = circle_points(k);
    Necklace layered(beads.size(), Hierarchy::kLayered), wrapped(beads.size(), Hierarchy::kWrapped);
    for (Necklace* necklace : {&layered, &wrapped}) {
      beads.set(*necklace);
      necklace->update(Update::kRebuild);
    }
    EXPECT_EQ(layered.num_levels(), k);
    EXPECT_NEAR(wrapped.ball(0).radius, 1.0, 1e-12) << k;
    EXPECT_NEAR(layered.ball(0).radius, std::sqrt(double(k)), 1e-9) << k;
  }
  Rng rng(kSeed + 2);
  double widest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 3 + 37 * trial;
    const Beads beads = random_walk(rng, n, 1.0, trial % 2 == 0, 0.2 * (trial % 8));
    Necklace layered(n, Hierarchy::kLayered), wrapped(n, Hierarchy::kWrapped);
    for (Necklace* necklace : {&layered, &wrapped}) {
      beads.set(*necklace);
      necklace->update(Update::kRebuild);
    }
    for (int node = 0; node < wrapped.num_nodes(); ++node) {
      int levels = 0;
      while (1 << levels < wrapped.last_bead(node) - wrapped.first_bead(node)) ++levels;
      const double ratio = layered.ball(node).radius / wrapped.ball(node).radius;
      widest = std::max(widest, ratio);
      ASSERT_LE(ratio, std::sqrt(levels + 1.0) * (1 + 1e-9)) << "trial " << trial;
      ASSERT_GE(ratio, 1 - 1e-9) << "trial " << trial << " node " << node;
    }
  }
  EXPECT_GT(widest, 1.05);
}

// Cubic lattice, m beads along each edge, in lines to and fro; neighbours touch, others do not.
Beads lattice(int m) {
  Beads beads;
  for (int z = 0; z < m; ++z) {
    for (int row = 0; row < m; ++row) {
      const int y = z % 2 == 0 ? row : m - 1 - row;
      for (int i = 0; i < m; ++i) {
        const bool back = (z * m + row) % 2 != 0;
        beads.add(Vector3d(back ? m - 1 - i : i, y, z), 0.49);
      }
    }
  }
  return beads;
}

// Property: of a cubic lattice the family grows like n^(4/3), the bound that the rule to split the
// node with more beads has: sixteenfold from m to 2 m along an edge.
TEST(Necklace, FamilyOfALatticeGrowsLikeTheBound) {
  for (const Hierarchy hierarchy : kHierarchies) {
    double before = 0;
    for (const int m : {6, 12, 24}) {
      const Beads beads = lattice(m);
      Necklace necklace(beads.size(), hierarchy);
      beads.set(necklace);
      necklace.update(Update::kRebuild);
      SeparatingFamily family;
      ASSERT_EQ(necklace.self_collision(1, &family).verdict, Verdict::kFree);
      const auto pairs = static_cast<double>(family.pairs.size());
      EXPECT_EQ(refute(family, beads.centers, beads.radii), "");
      if (before > 0) {
        EXPECT_GT(pairs, 13 * before) << m;
        EXPECT_LT(pairs, 24 * before) << m;
      }
      before = pairs;
      std::printf("m %d pairs %.0f\n", m, pairs);
    }
  }
}

// Property: a family that is altered is refused, whatever was altered.
TEST(Necklace, AlteredFamiliesAreRefused) {
  Rng rng(kSeed + 3);
  Beads beads;
  for (int i = 0; i < 60; ++i) {
    beads.add({3 * std::cos(0.35 * i), 3 * std::sin(0.35 * i), 0.2 * i}, 0.5);
  }
  constexpr int kWindow = 2;
  ASSERT_GT(least_gap(beads, kWindow), 0);
  Necklace necklace(60, Hierarchy::kWrapped);
  beads.set(necklace);
  SeparatingFamily whole;
  ASSERT_EQ(necklace.self_collision(kWindow, &whole).verdict, Verdict::kFree);
  const auto refusal = [&](const SeparatingFamily& family) {
    return refute(family, beads.centers, beads.radii);
  };
  ASSERT_EQ(refusal(whole), "");
  ASSERT_GT(whole.pairs.size(), 20U);
  for (size_t i = 0; i < whole.pairs.size(); ++i) {
    SeparatingFamily family = whole;
    // A pair that holds only beads within the window need not be there.
    const auto& a = whole.a[static_cast<size_t>(whole.pairs[i].a)];
    const auto& b = whole.a[static_cast<size_t>(whole.pairs[i].b)];
    if (b.last - 1 - a.first > kWindow) {
      family.pairs.erase(family.pairs.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(refusal(family).find("pairs of beads are apart"), std::string::npos) << i;
    }
    family = whole;
    family.pairs.push_back(whole.pairs[i]);
    EXPECT_EQ(refusal(family), "two pairs of blocks have a pair of beads in common");
    family = whole;
    std::swap(family.pairs[i].a, family.pairs[i].b);
    EXPECT_NE(refusal(family).find("earlier and later"), std::string::npos);
    family = whole;
    family.pairs[i].b = static_cast<int>(whole.a.size());
    EXPECT_NE(refusal(family).find("names no blocks"), std::string::npos);
    family = whole;
    family.a[static_cast<size_t>(family.pairs[i].a)].ball.radius += 100;
    EXPECT_NE(refusal(family).find("not apart"), std::string::npos);
  }
  for (size_t i = 0; i < whole.a.size(); ++i) {
    SeparatingFamily family = whole;
    family.a[i].ball.radius *= 1 - 1e-9;
    EXPECT_NE(refusal(family).find("does not hold"), std::string::npos) << i;
    family = whole;
    family.a[i].ball.center += random_vector(rng, 1.0);
    EXPECT_NE(refusal(family), "") << i;
    for (const double x : {std::nan(""), HUGE_VAL}) {
      family = whole;
      family.a[i].ball.radius = x;
      EXPECT_NE(refusal(family), "");
      family = whole;
      family.a[i].ball.center.x() = x;
      EXPECT_NE(refusal(family), "");
    }
    family = whole;
    family.a[i].last += 60;
    EXPECT_NE(refusal(family), "");
    // Without its last bead, unless what is lost is within the window.
    bool loses = false;
    const auto bead = whole.a[i].last - 1;
    for (const SeparatingFamily::Pair& pair : whole.pairs) {
      const auto &a = whole.a[static_cast<size_t>(pair.a)],
                 &b = whole.a[static_cast<size_t>(pair.b)];
      loses = loses || (pair.a == static_cast<int>(i) && b.last - 1 - bead > kWindow) ||
              (pair.b == static_cast<int>(i) && bead - a.first > kWindow);
    }
    family = whole;
    --family.a[i].last;
    EXPECT_TRUE(!loses || !refusal(family).empty()) << i;
  }
  SeparatingFamily family = whole;
  family.window = 1;  // more than was proven
  EXPECT_NE(refusal(family), "");
  family.window = 0;
  EXPECT_EQ(refusal(family), "the window is 0");
  // The beads of another step.
  Beads moved = beads;
  moved.centers[20] += Vector3d(0.3, 0, 0);
  EXPECT_NE(refute(whole, moved.centers, moved.radii), "");
  moved.centers[20].x() = std::nan("");
  EXPECT_EQ(refute(whole, moved.centers, moved.radii), "bead 20 is no ball");
  EXPECT_NE(refute(whole, beads.centers, beads.radii, beads.centers, beads.radii), "");
  EXPECT_NE(refute({}, beads.centers, beads.radii), "");

  Beads far = beads;
  for (Vector3d& c : far.centers) c.x() += 6.5;
  Necklace other(60, Hierarchy::kLayered);
  far.set(other);
  ASSERT_EQ(necklace.collision(other, &whole).verdict, Verdict::kFree);
  const auto refusal_of_both = [&](const SeparatingFamily& of) {
    return refute(of, beads.centers, beads.radii, far.centers, far.radii);
  };
  ASSERT_EQ(refusal_of_both(whole), "");
  for (size_t i = 0; i < whole.pairs.size(); ++i) {
    family = whole;
    family.pairs.erase(family.pairs.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(refusal_of_both(family), "");
    family = whole;
    family.pairs.push_back(whole.pairs[i]);
    EXPECT_NE(refusal_of_both(family), "");
  }
  EXPECT_NE(refute(whole, beads.centers, beads.radii), "");
}

// Property: beads within others, of no size or at one point, and necklaces far from the origin.
TEST(Necklace, DegenerateNecklaces) {
  for (const Hierarchy hierarchy : kHierarchies) {
    for (const Update how : kUpdates) {
      for (const double offset : {0.0, 1e6, -1e12}) {
        const auto verdict = [&](const Beads& beads, int window) {
          Necklace necklace(beads.size(), hierarchy);
          for (int step = 0; step < 2; ++step) {
            beads.set(necklace);
            necklace.update(how);
          }
          SeparatingFamily family;
          const Verdict answer = necklace.self_collision(window, &family).verdict;
          expect_held(necklace, beads, "degenerate");
          if (answer == Verdict::kFree) {
            EXPECT_EQ(refute(family, beads.centers, beads.radii), "");
          }
          return answer;
        };
        Beads nested, points, one_point, touching;
        for (int i = 0; i < 9; ++i) {
          nested.add({offset, 0, 0}, 1.0 + i);
          points.add({offset + i, 0, 0}, 0);
          one_point.add({offset, offset, 0}, 0);
          touching.add({offset + i, 0, 0}, i % 2 == 0 ? 1.0 : 0.0);
        }
        EXPECT_EQ(verdict(nested, 1), Verdict::kCollision);
        EXPECT_EQ(verdict(nested, 8), Verdict::kFree);  // no pair is asked about
        EXPECT_EQ(verdict(points, 1), Verdict::kFree);
        EXPECT_NE(verdict(one_point, 1), Verdict::kFree);
        EXPECT_NE(verdict(touching, 1), Verdict::kFree);  // at distance 2, each of radius 1
      }
      // As large as they may be, and as small.
      Beads large, small;
      for (int i = 0; i < 9; ++i) {
        large.add({1e49 * i, 0, 0}, 1e48);
        small.add({1e-140 * i, 0, 0}, 1e-141);
      }
      Necklace a(9, hierarchy), b(9, hierarchy);
      large.set(a);
      small.set(b);
      a.update(how);
      b.update(how);
      EXPECT_EQ(a.self_collision(1).verdict, Verdict::kFree);
      EXPECT_NE(b.self_collision(1).verdict, Verdict::kCollision);
      expect_held(a, large, "large");
      expect_held(b, small, "small");
    }
  }
}

template <class Error, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Necklace, RefusesWhatIsNoNecklace) {
  using Bad = std::invalid_argument;
  EXPECT_EQ(error_of<Bad>([] { Necklace(0, Hierarchy::kLayered); }),
            "necklace: 0 beads; give at least one and at most 2^29");
  Necklace necklace(3, Hierarchy::kWrapped), other(3, Hierarchy::kWrapped);
  EXPECT_NE(error_of<std::logic_error>([&] { necklace.self_collision(1); }), "");
  EXPECT_NE(error_of<std::logic_error>([&] { necklace.update(Update::kLazy); }), "");
  Beads beads;
  for (int i = 0; i < 3; ++i) beads.add({2.0 * i, 0, 0}, 1);
  beads.set(necklace);
  EXPECT_NE(error_of<std::logic_error>([&] { necklace.collision(other); }), "");
  EXPECT_EQ(error_of<Bad>([&] { necklace.collision(necklace); }),
            "necklace: both are the same; ask self_collision");
  EXPECT_EQ(error_of<Bad>([&] { necklace.self_collision(0); }),
            "necklace: the window 0 is below 1; neighbours touch, so give at least 1");
  for (const double x : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e51, -1e51}) {
    for (int k = 0; k < 3; ++k) {
      Beads bad = beads;
      bad.centers[2][k] = x;
      EXPECT_NE(error_of<Bad>([&] {
                  bad.set(necklace);
                }).find("necklace: bead 2: a coordinate of the centre is "),
                std::string::npos)
          << x;
    }
    Beads bad = beads;
    bad.radii[1] = x;
    EXPECT_NE(error_of<Bad>([&] { bad.set(necklace); }).find("necklace: bead 1: the radius "),
              std::string::npos)
        << x;
  }
  Beads bad = beads;
  bad.radii[0] = -0.5;
  EXPECT_EQ(error_of<Bad>([&] { bad.set(necklace); }),
            "necklace: bead 0: the radius -0.5 is negative; give one of at least 0");
  bad = beads;
  bad.radii.pop_back();
  EXPECT_EQ(error_of<Bad>([&] { bad.set(necklace); }),
            "necklace: 2 radii for 3 beads; give one for each");
  bad = beads;
  bad.centers.push_back(Vector3d::Zero());
  EXPECT_EQ(error_of<Bad>([&] { bad.set(necklace); }),
            "necklace: 4 centres for 3 beads; give one for each");
  EXPECT_EQ(necklace.beads()[0].radius, 1);  // as it was
}

// Property: nothing is allocated after construction, whatever the update, but by a family that
// grows; and memory is what the header says.
TEST(Necklace, AllocatesNothingAfterConstruction) {
  Rng rng(kSeed + 4);
  constexpr int kBeads = 5000;
  Beads beads = random_walk(rng, kBeads, 1.0, true, 0.2);
  Beads far = beads;
  for (Vector3d& c : far.centers) c.y() += 3.0;
  for (const Hierarchy hierarchy : kHierarchies) {
    const long before = test::bytes_in_use;
    Necklace necklace(kBeads, hierarchy), other(kBeads, hierarchy);
    const double each = double(test::bytes_in_use - before) / (2 * kBeads);
    std::printf("%.0f bytes a bead\n", each);
    EXPECT_LE(each, hierarchy == Hierarchy::kLayered ? 170 : 250);
    SeparatingFamily family;
    for (const bool with_family : {false, true}) {
      for (int step = 0; step < 6; ++step) {
        move(rng, beads, static_cast<Motion>(step % 5), 1.0);
        if (with_family) {
          family.a.reserve(2 * kBeads);
          family.b.reserve(2 * kBeads);
          family.pairs.reserve(100 * kBeads);
        }
        const long calls = test::allocations;
        beads.set(necklace);
        necklace.update(kUpdates[static_cast<size_t>(step % 4)]);
        far.set(other);
        necklace.self_collision(1, with_family ? &family : nullptr);
        necklace.collision(other, with_family ? &family : nullptr);
        EXPECT_EQ(test::allocations, calls) << "step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace catena
