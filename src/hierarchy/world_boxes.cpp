#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hierarchy/world_boxes.cpp"
#include "math/dispatch.hpp"

#include "math/quad-inl.hpp"
#include "world_boxes.hpp"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

// Contains the points within half of center, coordinate by coordinate.
CATENA_INLINE FloatBox around(Quad center, Quad half) noexcept {
  const Floats c = to_floats(center), h = to_floats(half);
  // Two conversions, the lines below and the sums that follow: below 7 roundoffs of both. The rest
  // of the factor is for what the centre's coordinates are off before they come here.
  const Floats wide = h + (h + floats_abs(c)) * 4.3e-7F + 1e-37F;
  const Floats lo = c - wide, hi = c + wide;
  // Beyond the range of a float they are infinite, or no numbers.
  constexpr float kFar = std::numeric_limits<float>::infinity();
  return {lo == lo ? lo : Floats{-kFar, -kFar, -kFar, 0.0F},
          hi == hi ? hi : Floats{kFar, kFar, kFar, 0.0F}};
}

// R v for a vector of floats.
CATENA_INLINE Quad turned(Quad x, Quad y, Quad z, const float* v) noexcept {
  return x * static_cast<double>(v[0]) + y * static_cast<double>(v[1]) +
         z * static_cast<double>(v[2]);
}

void place_leaves(const ChainTree& tree, const RigidEnclosure* X_WL, const double* margins,
                  double margin, FloatBox* boxes) {
  for (const ChainTree::Leaf& leaf : tree.leaves()) {
    const RigidEnclosure& X = X_WL[leaf.link];
    // The poses' numbers follow each other; a copy of them would be read before it is written.
    const char* const pose = reinterpret_cast<const char*>(&X);
    constexpr size_t kColumn = 3 * sizeof(double);
    const Quad x = load(pose), y = load(pose + kColumn), z = load(pose + 2 * kColumn),
               p = load(pose + 3 * kColumn);
    const double rotation_error = X.rotation_error, position_error = X.position_error;
    const double reach = static_cast<double>(leaf.reach);
    // Twice what a point may be off, and what the directions may; these numbers, a little larger,
    // cover all rounding below, but for that of a coordinate of p as it is added, which goes with
    // the centre's.
    const double off = 2.0 * position_error + reach * (3.1 * rotation_error + 1.1e-13);
    const double more = bound_above(
        (margins == nullptr ? margin : margins[leaf.part]) + off + static_cast<double>(leaf.radius),
        8);
    const Quad center = x * leaf.center[0] + y * leaf.center[1] + z * leaf.center[2] + p;
    if (leaf.box == ChainTree::kBall) {
      boxes[leaf.node] = around(center, broadcast(more));
      continue;
    }
    if (leaf.box == ChainTree::kLine) {
      boxes[leaf.node] = around(center, quad_abs(turned(x, y, z, leaf.half_line)) + more);
      continue;
    }
    const ChainTree::LeafBox& box = tree.leaf_boxes()[static_cast<size_t>(leaf.box)];
    const FloatBox edges = around(center, quad_abs(turned(x, y, z, box.edges)) +
                                              quad_abs(turned(x, y, z, box.edges + 3)) +
                                              quad_abs(turned(x, y, z, box.edges + 6)) + more);
    const double ball_radius = static_cast<double>(box.ball_radius) * (1.0 + 1e-14) + more;
    const FloatBox ball = around(center + turned(x, y, z, box.ball_center), broadcast(ball_radius));
    boxes[leaf.node] = FloatBox(max(edges.lo, ball.lo), min(edges.hi, ball.hi));
  }
}

int merge_leaves(const ChainTree& tree, FloatBox* boxes, std::pair<int, int>* open) {
  int count = 0;
  for (const ChainTree::Merge& merge : tree.merges()) {
    const FloatBox a = boxes[merge.node + 1], b = boxes[merge.right];
    boxes[merge.node] = FloatBox(min(a.lo, b.lo), max(a.hi, b.hi));
    if (merge.moves && !disjoint(a, b)) open[count++] = {merge.node + 1, merge.right};
  }
  return count;
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {

HWY_EXPORT(place_leaves);
HWY_EXPORT(merge_leaves);

void place_leaves(const ChainTree& tree, const RigidEnclosure* X_WL, const double* margins,
                  double margin, FloatBox* boxes) {
  HWY_DYNAMIC_DISPATCH(place_leaves)(tree, X_WL, margins, margin, boxes);
}

int merge_leaves(const ChainTree& tree, FloatBox* boxes, std::pair<int, int>* open) {
  return HWY_DYNAMIC_DISPATCH(merge_leaves)(tree, boxes, open);
}

}  // namespace catena::internal
#endif
