// The walk over pairs of a chain tree's nodes leaves out no pair of boxes that are near.
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catena/geometry/geometry.hpp"
#include "catena/geometry/pair_distance.hpp"
#include "hierarchy/chain_volumes.hpp"
#include "support/each_target.hpp"
#include "support/random.hpp"

namespace catena {
namespace {

using test::OnEachTarget;
using test::Rng;
using test::uniform;

// A leaf that holds part `part`, and the box that it stands for.
struct Leaf {
  internal::NodeView view;
  std::shared_ptr<const Geometry> box;
};

Leaf make_leaf(int part, double scale, bool flat, Rng& rng) {
  Leaf leaf;
  Vector3d half = scale * Vector3d(uniform(rng, 0, 1), uniform(rng, 0, 1), uniform(rng, 0, 1));
  if (flat) half[part % 3] = 0.0;
  for (int i = 0; i < 3; ++i) leaf.view.half[i] = static_cast<float>(half[i]);
  half = {leaf.view.half[0], leaf.view.half[1], leaf.view.half[2]};
  leaf.view.radius = float_above(half.norm() * (1 + 1e-6));
  leaf.view.child = -1 - part;
  leaf.box = Geometry::make(Box{2.0 * half});
  return leaf;
}

// Rows of R, and p; as they are rounded, and what the rounding may be.
void store(const RigidTransform& X, float* to, internal::NodeView& node) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) to[3 * r + c] = static_cast<float>(X.R(r, c));
    to[9 + r] = static_cast<float>(X.p[r]);
  }
  node.rotation_error = 1.2e-7F;
  node.position_error = std::max(node.position_error, float_above(6e-8 * X.p.lpNorm<1>()));
}

RigidTransform random_pose(double scale, bool aligned, Rng& rng) {
  const auto vector = [&](double size) -> Vector3d {
    return size * Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
  };
  return RigidEnclosure::from_rpy(vector(1.2 * scale), vector(aligned ? 1e-9 : 3.0)).X;
}

// Property: of a node with two children and a third leaf, the pairs that are not handed on are
// farther apart than the clearance; the two others' order and who is divided do not matter. Oracle:
// the certified distance of the solids, found by other means.
TEST_P(OnEachTarget, AWalkLeavesOutNoBoxesThatAreNear) {
  Rng rng(84);
  int apart = 0, near = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double scale = std::pow(10.0, uniform(rng, -6, 6));
    const bool first = trial % 2 == 0;  // is the node that is divided the first of the two?
    // Nodes as a chain tree numbers them: 0 the root, then below its left child, then its right.
    const int inner = first ? 1 : 2, single = first ? 4 : 1;
    const Leaf leaves[] = {make_leaf(0, scale, trial % 5 == 0, rng),
                           make_leaf(1, scale, trial % 7 == 0, rng),
                           make_leaf(2, scale, trial % 6 == 0, rng)};
    // Of the two leaves in the inner node's frame, and of the single one in the root's.
    const RigidTransform X_Ia = random_pose(scale, trial % 4 == 0, rng);
    const RigidTransform X_Ib = random_pose(scale, trial % 4 == 0, rng);
    const RigidTransform X_OI = random_pose(scale, false, rng),
                         X_Oc = random_pose(scale, false, rng);

    std::vector<internal::NodeView> views(5);
    views[0].child = first ? 4 : 2;
    store(first ? X_OI : X_Oc, views[0].left, views[0]);
    store(first ? X_Oc : X_OI, views[0].right, views[0]);
    internal::NodeView& node = views[static_cast<size_t>(inner)];
    for (float& h : node.half) h = static_cast<float>(8.0 * scale);
    node.radius = static_cast<float>(14.0 * scale);
    node.child = inner + 2;
    store(X_Ia, node.left, node);
    store(X_Ib, node.right, node);
    views[static_cast<size_t>(inner) + 1] = leaves[0].view;
    views[static_cast<size_t>(inner) + 2] = leaves[1].view;
    views[static_cast<size_t>(single)] = leaves[2].view;

    const double clearance = trial % 3 == 0 ? 0.0 : scale * uniform(rng, 0, 0.5);
    std::set<std::pair<int, int>> met;
    internal::PairWalk walk{views.data(),
                            nullptr,
                            0,
                            {},
                            float_above(clearance),
                            100,
                            [](void* context, int i, int k) {
                              static_cast<std::set<std::pair<int, int>>*>(context)->emplace(
                                  std::min(i, k), std::max(i, k));
                              return false;
                            },
                            &met};
    const int root[] = {0};
    ASSERT_FALSE(internal::walk_pairs(walk, root));
    EXPECT_EQ(walk.visited, 3u);
    for (const int part : {0, 1}) {
      const RigidTransform X_cp = X_Oc.inverse() * X_OI * (part == 0 ? X_Ia : X_Ib);
      RigidEnclosure X;
      X.X = X_cp;
      X.rotation_error = X.position_error = 1e-12 * (1.0 + scale);
      const Interval distance =
          pair_distance(leaves[2].box->element(0), leaves[part].box->element(0), X, false).distance;
      if (met.count({part, 2}) == 0) {
        ++apart;
        EXPECT_GT(distance.hi, clearance) << "seed 84 trial " << trial << " part " << part;
      } else {
        ++near;
        // The fifteen axes prove every gap of two boxes, though not every distance.
        if (clearance == 0.0) {
          EXPECT_LT(distance.lo, 1e-4 * scale) << "seed 84 trial " << trial << " part " << part;
        }
      }
    }
  }
  EXPECT_GT(apart, 8000);
  EXPECT_GT(near, 8000);
}

INSTANTIATE_TEST_SUITE_P(PairWalk, OnEachTarget, testing::ValuesIn(OnEachTarget::all()));

}  // namespace
}  // namespace catena
