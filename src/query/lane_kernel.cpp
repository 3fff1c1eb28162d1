#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/lane_kernel.cpp"
#include "math/dispatch.hpp"

#include "lanes.hpp"
#include "math/quad-inl.hpp"

#include <algorithm>
#include <limits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

// As many doubles, and as many floats, as one register holds.
constexpr int kDoubles = kAngles, kFloats = HWY_CAP_GE256 ? 8 : 4;
static_assert(kLanes % kDoubles == 0 && kLanes % kFloats == 0);
using Doubles [[gnu::vector_size(sizeof(double) * kDoubles)]] = double;
using Narrow [[gnu::vector_size(sizeof(float) * kDoubles)]] = float;  // Doubles rounded
using Wide [[gnu::vector_size(sizeof(float) * kFloats)]] = float;
using Bits [[gnu::vector_size(sizeof(float) * kFloats)]] = std::int32_t;

template <class Vector>
CATENA_INLINE Vector get(const void* from) noexcept {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vector>
CATENA_INLINE void put(Vector v, void* to) noexcept {
  std::memcpy(to, &v, sizeof v);
}
template <class Vector>
CATENA_INLINE Vector size_of(Vector v) noexcept {
  return max(v, -v);
}

// The lanes in which a comparison holds.
CATENA_INLINE unsigned lanes_of(Bits holds) noexcept {
#if defined(__SSE2__) && HWY_CAP_GE256
  return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<Wide>(holds)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(__builtin_ia32_movmskps(reinterpret_cast<Wide>(holds)));
#else
  unsigned lanes = 0;
  for (int i = 0; i < kFloats; ++i) lanes |= (holds[i] != 0 ? 1U : 0U) << i;
  return lanes;
#endif
}

struct Pose {
  Doubles x[3], y[3], z[3], p[3];
};

CATENA_INLINE Pose load_pose(const LanePose& pose, int first) noexcept {
  Pose X;
  for (int k = 0; k < 3; ++k) {
    X.x[k] = get<Doubles>(&pose.number[k].lane[first]);
    X.y[k] = get<Doubles>(&pose.number[3 + k].lane[first]);
    X.z[k] = get<Doubles>(&pose.number[6 + k].lane[first]);
    X.p[k] = get<Doubles>(&pose.number[9 + k].lane[first]);
  }
  return X;
}

// R v, with v's coordinates doubles or vectors of them.
template <class Number>
CATENA_INLINE void turned(const Pose& X, const Number& a, const Number& b, const Number& c,
                          Doubles* v) noexcept {
  for (int k = 0; k < 3; ++k) v[k] = X.x[k] * a + X.y[k] * b + X.z[k] * c;
}

// X = X * X_PJ, and then the turn about J's axis.
CATENA_INLINE void turn(const TurningJoint& joint, bool straight, const ObliqueTurn* oblique,
                        const double* sines, const double* cosines, Pose& X) noexcept {
  const auto& f = joint.frame;
  Doubles p[3];
  turned(X, f[9], f[10], f[11], p);
  const Doubles sine = get<Doubles>(sines) * static_cast<double>(joint.sign);
  const Doubles cosine = get<Doubles>(cosines);
  if (joint.axis == TurningJoint::Axis::kOblique) {
    const ObliqueTurn& t = oblique[joint.oblique];
    Doubles local[9];
    for (int k = 0; k < 9; ++k) {
      const auto i = static_cast<size_t>(k);
      local[k] = t.still[i] + t.sine[i] * sine + t.cosine[i] * cosine;
    }
    Pose Y;
    turned(X, local[0], local[1], local[2], Y.x);
    turned(X, local[3], local[4], local[5], Y.y);
    turned(X, local[6], local[7], local[8], Y.z);
    for (int k = 0; k < 3; ++k) Y.p[k] = p[k] + X.p[k];
    X = Y;
    return;
  }
  for (int k = 0; k < 3; ++k) X.p[k] = p[k] + X.p[k];
  if (!straight) {
    Pose Y;
    turned(X, f[0], f[1], f[2], Y.x);
    turned(X, f[3], f[4], f[5], Y.y);
    turned(X, f[6], f[7], f[8], Y.z);
    for (int k = 0; k < 3; ++k) {
      X.x[k] = Y.x[k];
      X.y[k] = Y.y[k];
      X.z[k] = Y.z[k];
    }
  }
  // (a, b) becomes (cosine a + sine b, cosine b - sine a).
  const auto combine = [&](Doubles* a, Doubles* b) {
    for (int k = 0; k < 3; ++k) {
      const Doubles first = a[k];
      a[k] = cosine * first + sine * b[k];
      b[k] = cosine * b[k] - sine * first;
    }
  };
  switch (joint.axis) {
    case TurningJoint::Axis::kX:
      combine(X.y, X.z);
      break;
    case TurningJoint::Axis::kY:
      combine(X.z, X.x);
      break;
    default:
      combine(X.x, X.y);
  }
}

CATENA_INLINE void multiply(const Pose& Y, Pose& X) noexcept {
  Pose Z;
  turned(X, Y.x[0], Y.x[1], Y.x[2], Z.x);
  turned(X, Y.y[0], Y.y[1], Y.y[2], Z.y);
  turned(X, Y.z[0], Y.z[1], Y.z[2], Z.z);
  turned(X, Y.p[0], Y.p[1], Y.p[2], Z.p);
  for (int k = 0; k < 3; ++k) Z.p[k] = Z.p[k] + X.p[k];
  X = Z;
}

CATENA_INLINE Narrow narrow(Doubles v) noexcept { return __builtin_convertvector(v, Narrow); }

// A part's centre and edges in W, and its box.
CATENA_INLINE void place_leaf(const ChainTree& tree, const ChainTree::Leaf& leaf, const Pose& X,
                              int first, Lanes& lanes, size_t index) noexcept {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  const Lanes::Leaf& placed = lanes.leaves[index];
  LaneFloat* const shape = lanes.shapes.data() + placed.shape;
  const ChainTree::LeafBox* const leaf_box =
      leaf.box >= 0 ? tree.leaf_boxes().data() + leaf.box : nullptr;
  const float* const edges = leaf_box != nullptr ? leaf_box->edges : leaf.half_line;
  Doubles center[3];
  turned(X, leaf.center[0], leaf.center[1], leaf.center[2], center);
  Narrow half[3] = {};
  for (int e = 0; e < placed.num_edges; ++e) {
    Doubles edge[3];
    turned(X, static_cast<double>(edges[3 * e]), static_cast<double>(edges[3 * e + 1]),
           static_cast<double>(edges[3 * e + 2]), edge);
    for (int k = 0; k < 3; ++k) {
      const Narrow rounded = narrow(edge[k]);
      put(rounded, &shape[3 + 3 * e + k].lane[first]);
      half[k] = half[k] + size_of(rounded);
    }
  }
  Doubles ball[3];
  if (leaf_box != nullptr) {
    turned(X, static_cast<double>(leaf_box->ball_center[0]),
           static_cast<double>(leaf_box->ball_center[1]),
           static_cast<double>(leaf_box->ball_center[2]), ball);
  }
  LaneBox& box = lanes.boxes[static_cast<size_t>(leaf.node)];
  for (int k = 0; k < 3; ++k) {
    const Doubles c = center[k] + X.p[k];
    const Narrow rounded = narrow(c);
    put(rounded, &shape[k].lane[first]);
    // docs/rigor.md, R10, counts the roundoffs.
    const auto sides = [](Narrow middle, Narrow reach, Narrow& lo, Narrow& hi) {
      const Narrow wide = reach + (reach + size_of(middle)) * 6.6e-7F + 1e-37F;
      lo = middle - wide;
      hi = middle + wide;
    };
    Narrow lo, hi;
    sides(rounded, half[k] + placed.radius, lo, hi);
    if (leaf_box != nullptr) {
      Narrow ball_lo, ball_hi;
      sides(narrow(c + ball[k]), Narrow{} + placed.ball_radius, ball_lo, ball_hi);
      lo = max(lo, ball_lo);
      hi = min(hi, ball_hi);
    }
    // Beyond the range of a float they are infinite, or no numbers.
    put(lo == lo ? lo : Narrow{} - kFar, &box.lo[k].lane[first]);
    put(hi == hi ? hi : Narrow{} + kFar, &box.hi[k].lane[first]);
  }
}

// Apart from the poses, because no angle waits for another.
void turn_lanes(const CollisionWorld& world, Lanes& lanes) {
  const auto joints = world.robot().turning_joints();
  for (size_t i = 1; i < lanes.links.size(); ++i) {
    const TurningJoint& joint = joints[i];
    Lanes::Link& link = lanes.links[i];
    link.turns = joint.q_index >= 0;
    if (!link.turns) continue;
    for (int first = 0; first < kLanes; first += kDoubles) {
      double* const angles = &lanes.angles[i].lane[first];
      using Holds [[gnu::vector_size(sizeof(double) * kDoubles)]] = std::int64_t;
      const Doubles angle = get<Doubles>(angles);
      const Holds beyond = ~((angle >= joint.lower) & (angle <= joint.upper));
      for (int k = 0; k < kDoubles; ++k) link.turns = link.turns && beyond[k] == 0;
      sines_and_cosines(angles, &lanes.sines[i].lane[first], &lanes.cosines[i].lane[first]);
    }
  }
}

void place_some(const CollisionWorld& world, int first, Lanes& lanes) noexcept {
  const ChainTree& tree = world.chain_tree();
  const TurningJoint* const joints = world.robot().turning_joints().data();
  const ObliqueTurn* const oblique = world.robot().oblique_turns().data();
  const auto leaves = tree.leaves();
  const int n = world.robot().num_links();
  size_t leaf = 0;
  Pose X{};
  for (int k = 0; k < 3; ++k) {
    X.x[0] = X.y[1] = X.z[2] = Doubles{} + 1.0;
  }
  for (int i = 0; i < n; ++i) {
    const Lanes::Link& link = lanes.links[static_cast<size_t>(i)];
    if (i > 0) {
      if (link.parent != i - 1) X = load_pose(lanes.X_WL[static_cast<size_t>(link.parent)], first);
      if (!link.turns) {
        multiply(load_pose(lanes.joint_poses[static_cast<size_t>(link.joint_pose)], first), X);
      } else {
        turn(joints[i], link.straight, oblique, &lanes.sines[static_cast<size_t>(i)].lane[first],
             &lanes.cosines[static_cast<size_t>(i)].lane[first], X);
      }
    }
    LanePose& pose = lanes.X_WL[static_cast<size_t>(i)];
    for (int k = 0; k < 3; ++k) {
      put(X.x[k], &pose.number[k].lane[first]);
      put(X.y[k], &pose.number[3 + k].lane[first]);
      put(X.z[k], &pose.number[6 + k].lane[first]);
      put(X.p[k], &pose.number[9 + k].lane[first]);
    }
    for (; leaf < leaves.size() && leaves[leaf].link == i; ++leaf) {
      place_leaf(tree, leaves[leaf], X, first, lanes, leaf);
    }
  }
}

void place_lanes(const CollisionWorld& world, Lanes& lanes) {
  for (int first = 0; first < kLanes; first += kDoubles) place_some(world, first, lanes);
}

// The lanes in which two boxes are not proven disjoint.
CATENA_INLINE unsigned near_boxes(const LaneBox& a, const LaneBox& b) noexcept {
  unsigned lanes = 0;
  for (int first = 0; first < kLanes; first += kFloats) {
    Bits apart{};
    for (int k = 0; k < 3; ++k) {
      apart |= get<Wide>(&a.lo[k].lane[first]) > get<Wide>(&b.hi[k].lane[first]);
      apart |= get<Wide>(&b.lo[k].lane[first]) > get<Wide>(&a.hi[k].lane[first]);
    }
    lanes |= lanes_of(~apart) << first;
  }
  return lanes;
}
CATENA_INLINE unsigned near_boxes(const LaneBox& a, const FloatBox& b) noexcept {
  unsigned lanes = 0;
  for (int first = 0; first < kLanes; first += kFloats) {
    Bits apart{};
    for (int k = 0; k < 3; ++k) {
      apart |= get<Wide>(&a.lo[k].lane[first]) > b.hi[k];
      apart |= b.lo[k] > get<Wide>(&a.hi[k].lane[first]);
    }
    lanes |= lanes_of(~apart) << first;
  }
  return lanes;
}

// The lanes in which two parts are not proven farther apart than the clearance, by their extents
// along the line of their centres (docs/rigor.md, R10).
CATENA_INLINE unsigned near_shapes(const Lanes& all, const Lanes::Leaf& a, const Lanes::Leaf& b,
                                   float clearance) noexcept {
  const LaneFloat* const shape_a = all.shapes.data() + a.shape;
  const LaneFloat* const shape_b = all.shapes.data() + b.shape;
  const float reach = (a.reach + b.reach + clearance) * 1.000001F + 1e-12F;
  unsigned lanes = 0;
  for (int first = 0; first < kLanes; first += kFloats) {
    Wide n[3];
    Wide squared{}, sizes{}, extent{};
    for (int k = 0; k < 3; ++k) {
      n[k] = get<Wide>(&shape_b[k].lane[first]) - get<Wide>(&shape_a[k].lane[first]);
      squared += n[k] * n[k];
      sizes += size_of(n[k]);
    }
    const auto add = [&](const LaneFloat* edges, int num_edges) {
      for (int e = 0; e < num_edges; ++e) {
        Wide along{};
        for (int k = 0; k < 3; ++k) {
          const Wide edge = get<Wide>(&edges[3 * e + k].lane[first]);
          along += edge * n[k];
          sizes += size_of(edge);
        }
        extent += size_of(along);
      }
    };
    add(shape_a + 3, a.num_edges);
    add(shape_b + 3, b.num_edges);
    const Wide gap = squared - extent;
    const Wide limit = sizes * 2e-6F + reach;
    const Bits apart = (gap > 1e-12F) & (gap * gap > limit * limit * squared * 1.000002F);
    lanes |= lanes_of(~apart) << first;
  }
  return lanes;
}

unsigned near_slab(const Lanes& all, int leaf, const Slab& slab, float clearance) {
  const Lanes::Leaf& part = all.leaves[static_cast<size_t>(leaf)];
  const LaneFloat* const shape = all.shapes.data() + part.shape;
  const float reach =
      (part.reach + clearance) * 1.000001F + 1e-6F * (size_of(slab.lo) + size_of(slab.hi)) + 1e-12F;
  unsigned lanes = 0;
  for (int first = 0; first < kLanes; first += kFloats) {
    Wide middle{}, sizes{}, extent{};
    for (int k = 0; k < 3; ++k) {
      const Wide center = get<Wide>(&shape[k].lane[first]);
      middle += center * slab.direction[k];
      sizes += size_of(center);
    }
    for (int e = 1; e <= part.num_edges; ++e) {
      Wide along{};
      for (int k = 0; k < 3; ++k) {
        const Wide edge = get<Wide>(&shape[3 * e + k].lane[first]);
        along += edge * slab.direction[k];
        sizes += size_of(edge);
      }
      extent += size_of(along);
    }
    const Wide limit = sizes * 2e-6F + reach;
    const Bits apart = (middle - extent - slab.hi > limit) | (slab.lo - middle - extent > limit);
    lanes |= lanes_of(~apart) << first;
  }
  return lanes;
}

void merge(const LaneBox& a, const LaneBox& b, LaneBox& to) noexcept {
  for (int first = 0; first < kLanes; first += kFloats) {
    for (int k = 0; k < 3; ++k) {
      put(min(get<Wide>(&a.lo[k].lane[first]), get<Wide>(&b.lo[k].lane[first])),
          &to.lo[k].lane[first]);
      put(max(get<Wide>(&a.hi[k].lane[first]), get<Wide>(&b.hi[k].lane[first])),
          &to.hi[k].lane[first]);
    }
  }
}

void merge_lanes(const ChainTree& tree, Lanes& lanes) {
  lanes.open.clear();
  LaneBox* const boxes = lanes.boxes.data();
  for (const ChainTree::Merge& m : tree.merges()) {
    merge(boxes[m.node + 1], boxes[m.right], boxes[m.node]);
    if (!m.moves) continue;
    const unsigned open = near_boxes(boxes[m.node + 1], boxes[m.right]);
    if (open != 0) lanes.open.push_back({m.node + 1, m.right, open});
  }
}

unsigned visit_lane_parts(const CollisionWorld& world, float clearance, std::uint64_t most,
                          Lanes& lanes, unsigned alive, LaneVisitor& visitor, QueryStats& stats) {
  const auto nodes = world.chain_tree().nodes();
  const LaneBox* const boxes = lanes.boxes.data();
  auto& stack = lanes.stack;
  std::uint64_t looked_at = 0;
  const auto push = [&](int a, int b, unsigned among) {
    ++looked_at;
    const unsigned open = among & near_boxes(boxes[a], boxes[b]);
    if (open != 0) stack.push_back({a, b, open});
  };
  for (size_t i = lanes.open.size(); i-- > 0 && alive != 0;) {
    stack.assign(1, lanes.open[i]);
    while (!stack.empty()) {
      auto [a, b, open] = stack.back();
      stack.pop_back();
      open &= alive;
      if (open == 0) continue;
      if (looked_at > most) {
        visitor.give_up(alive);
        alive = 0;
        break;
      }
      const ChainTree::Node& node_a = nodes[static_cast<size_t>(a)];
      const ChainTree::Node& node_b = nodes[static_cast<size_t>(b)];
      if (node_a.num_parts == 0 || node_b.num_parts == 0) continue;
      if (node_a.left < 0 && node_b.left < 0) {
        const auto leaf = [&](int node) -> const Lanes::Leaf& {
          return lanes.leaves[static_cast<size_t>(lanes.leaf_of_node[static_cast<size_t>(node)])];
        };
        const int part_a = std::min(node_a.part, node_b.part);
        const int part_b = std::max(node_a.part, node_b.part);
        if (!world.checks(world.geometries()[static_cast<size_t>(part_a)].body,
                          world.geometries()[static_cast<size_t>(part_b)].body)) {
          continue;
        }
        ++stats.pair_tests;
        open &= near_shapes(lanes, leaf(a), leaf(b), clearance);
        if (open != 0) alive &= ~visitor.meets_part(part_a, part_b, open);
      } else if (node_b.left < 0 || (node_a.left >= 0 && node_a.num_parts >= node_b.num_parts)) {
        push(node_a.right, b, open);
        push(node_a.left, b, open);
      } else {
        push(a, node_b.right, open);
        push(a, node_b.left, open);
      }
    }
  }
  stats.box_tests += looked_at;
  return alive;
}

// A node hands the nodes of the scene that it may meet, no larger than itself, down to its
// children.
struct LaneScene {
  const CollisionWorld& world;
  const SceneTree::Tree& scene;
  bool solids;
  std::uint64_t most;
  Lanes& lanes;
  LaneVisitor& visitor;
  unsigned alive;
  std::uint64_t looked_at = 0;

  static float size(const LaneBox& box, unsigned some) noexcept {
    const int lane = __builtin_ctz(some);
    float sum = 0.0F;
    for (int k = 0; k < 3; ++k) sum += box.hi[k].lane[lane] - box.lo[k].lane[lane];
    return sum;
  }

  void descend(int n, size_t first, size_t last) {
    const ChainTree::Node& node = world.chain_tree().nodes()[static_cast<size_t>(n)];
    if (node.num_parts == 0) return;
    const LaneBox& box = lanes.boxes[static_cast<size_t>(n)];
    const bool leaf = node.left < 0;
    auto& list = lanes.scene_nodes;
    const size_t kept = list.size();
    for (size_t i = first; i < last; ++i) {
      size_t end = list.size();  // what is kept; behind it a stack of what is to be looked at
      list.push_back(list[i]);
      while (list.size() > end) {
        auto [s, open] = list.back();
        list.pop_back();
        ++looked_at;
        const FloatBox& other = scene.boxes[static_cast<size_t>(s)];
        open &= alive & near_boxes(box, other);
        if (open == 0) continue;
        const SceneTree::Node& obstacle = scene.nodes[static_cast<size_t>(s)];
        if (obstacle.left < 0 || (!leaf && other.size() <= size(box, open))) {
          list.push_back({s, open});
          std::swap(list[end], list.back());
          ++end;
        } else {
          list.push_back({obstacle.left + 1, open});
          list.push_back({obstacle.left, open});
        }
      }
    }
    const size_t stop = list.size();
    if (looked_at > most) {
      visitor.give_up(alive);
      alive = 0;
    } else if (leaf) {
      for (size_t i = kept; i < stop; ++i) {
        const unsigned open = list[i].lanes & alive;
        if (open == 0) continue;
        const SceneTree::Node& obstacle = scene.nodes[static_cast<size_t>(list[i].node)];
        alive &=
            ~(solids ? visitor.meets_inside(node.part, obstacle, open)
                     : visitor.meets_element(node.part, lanes.leaf_of_node[static_cast<size_t>(n)],
                                             obstacle, open));
      }
    } else if (stop > kept) {
      descend(node.left, kept, stop);
      if (alive != 0) descend(node.right, kept, stop);
    }
    list.resize(kept);
  }
};

unsigned visit_lane_scene(const CollisionWorld& world, std::uint64_t most, Lanes& lanes,
                          unsigned alive, LaneVisitor& visitor, QueryStats& stats) {
  const SceneTree& scene = world.scene_tree();
  for (const bool solids : {false, true}) {
    const SceneTree::Tree& tree = solids ? scene.solids() : scene.elements();
    if (tree.nodes.empty() || alive == 0) continue;
    LaneScene search{world, tree, solids, most, lanes, visitor, alive};
    lanes.scene_nodes.assign(1, {0, alive});
    search.descend(0, 0, 1);
    stats.box_tests += search.looked_at;
    alive = search.alive;
  }
  return alive;
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {

HWY_EXPORT(turn_lanes);
HWY_EXPORT(place_lanes);
HWY_EXPORT(merge_lanes);
HWY_EXPORT(near_slab);
HWY_EXPORT(visit_lane_parts);
HWY_EXPORT(visit_lane_scene);

void turn_lanes(const CollisionWorld& world, Lanes& lanes) {
  HWY_DYNAMIC_DISPATCH(turn_lanes)(world, lanes);
}

void place_lanes(const CollisionWorld& world, Lanes& lanes) {
  HWY_DYNAMIC_DISPATCH(place_lanes)(world, lanes);
  HWY_DYNAMIC_DISPATCH(merge_lanes)(world.chain_tree(), lanes);
}

unsigned near_slab(const Lanes& lanes, int leaf, const Slab& slab, float clearance) {
  return HWY_DYNAMIC_DISPATCH(near_slab)(lanes, leaf, slab, clearance);
}

unsigned visit_lane_parts(const CollisionWorld& world, float clearance, std::uint64_t most,
                          Lanes& lanes, unsigned alive, LaneVisitor& visitor, QueryStats& stats) {
  return HWY_DYNAMIC_DISPATCH(visit_lane_parts)(world, clearance, most, lanes, alive, visitor,
                                                stats);
}

unsigned visit_lane_scene(const CollisionWorld& world, std::uint64_t most, Lanes& lanes,
                          unsigned alive, LaneVisitor& visitor, QueryStats& stats) {
  return HWY_DYNAMIC_DISPATCH(visit_lane_scene)(world, most, lanes, alive, visitor, stats);
}

}  // namespace catena::internal
#endif
