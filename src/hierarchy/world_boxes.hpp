#pragma once

#include <span>
#include <utility>

#include "catena/hierarchy/chain_tree.hpp"
#include "catena/hierarchy/float_box.hpp"

namespace catena::internal {

/// Boxes, along the axes of W, of the leaves at given link poses. How much farther than it is a
/// part reaches: margins[part], or where that is nullptr, `margin`; in metres.
void place_leaves(const ChainTree& tree, const RigidEnclosure* X_WL, const double* margins,
                  double margin, FloatBox* boxes);

/// Boxes of all inner nodes from those of the leaves. Returns how many pairs of children are not
/// proven disjoint though things move in one against the other: listed in `open`, which has room
/// for tree.merges().size(), children before their parents.
int merge_leaves(const ChainTree& tree, FloatBox* boxes, std::pair<int, int>* open);

}  // namespace catena::internal
