#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hierarchy/chain_volumes.cpp"
#include "math/dispatch.hpp"

#include "chain_volumes.hpp"
#include "math/quad-inl.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

HWY_BEFORE_NAMESPACE();
namespace catena::internal::HWY_NAMESPACE {

using Lanes = FloatLanes;

constexpr float kFloatRoundoff = 0x1p-24F;
// Above everything that underflow may lose, also under a square root: sqrt(3 * 2^-149) < 7e-23.
constexpr float kTiny = 1e-22F;
// How much larger than when it was fitted a box may get before it is fitted to more, and then
// before other axes are tried.
constexpr float kMostGrown = 1.05F;

// As bound_above, in floats; of lanes, each for itself.
template <class V>
CATENA_INLINE V float_bound(V computed, int operations) noexcept {
  return computed * (1.0F + 2.0F * static_cast<float>(operations) * kFloatRoundoff) + kTiny;
}

// Three floats, and one that follows them in every struct they are loaded from.
inline Lanes load(const float* from) noexcept {
  Lanes v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
// Four floats, the last of which does not count.
CATENA_INLINE void store_four(Lanes v, float* to) noexcept { __builtin_memcpy(to, &v, sizeof v); }
inline Lanes lanes(const Vector3d& v) noexcept {
  const Lanes near = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]),
                      0.0F};
  return near;
}

inline Lanes abs(Lanes v) noexcept {
  using Bits [[gnu::vector_size(16)]] = std::int32_t;
  return reinterpret_cast<Lanes>(reinterpret_cast<Bits>(v) & INT32_MAX);
}
// Coordinate i in all lanes; the coordinates turned once and twice; a matrix's rows from its
// columns.
template <int i>
inline Lanes all(Lanes v) noexcept {
  return Lanes{v[i], v[i], v[i], v[i]};
}
inline Lanes once(Lanes v) noexcept { return Lanes{v[1], v[2], v[0], v[3]}; }
inline Lanes twice(Lanes v) noexcept { return Lanes{v[2], v[0], v[1], v[3]}; }
inline void transpose(Lanes& x, Lanes& y, Lanes& z) noexcept {
  const Lanes columns[] = {x, y, z};
  x = Lanes{columns[0][0], columns[1][0], columns[2][0], 0.0F};
  y = Lanes{columns[0][1], columns[1][1], columns[2][1], 0.0F};
  z = Lanes{columns[0][2], columns[1][2], columns[2][2], 0.0F};
}
using LaneMask [[gnu::vector_size(16)]] = std::int32_t;
// Bit 0: it holds in one of the three lanes that mean something.
inline unsigned where_any(LaneMask mask) noexcept {
#ifdef __SSE2__
  return (__builtin_ia32_movmskps(reinterpret_cast<Lanes>(mask)) & 7) != 0 ? 1U : 0U;
#else
  using Halves [[gnu::vector_size(16)]] = std::int64_t;
  const auto halves = reinterpret_cast<Halves>(mask & LaneMask{-1, -1, -1, 0});
  return (halves[0] | halves[1]) != 0 ? 1U : 0U;
#endif
}

#undef CATENA_TWIN
#if HWY_CAP_GE256 && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CATENA_TWIN
#endif
#endif

#ifdef CATENA_TWIN
// The same of two things at once, in the lower half and in the upper one.
using Twin [[gnu::vector_size(32)]] = float;
using TwinMask [[gnu::vector_size(32)]] = std::int32_t;
CATENA_INLINE Twin twin(Lanes low, Lanes high) noexcept {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
CATENA_INLINE Lanes low(Twin v) noexcept { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
CATENA_INLINE Lanes high(Twin v) noexcept { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
CATENA_INLINE Twin abs(Twin v) noexcept {
  return reinterpret_cast<Twin>(reinterpret_cast<TwinMask>(v) & INT32_MAX);
}
template <int i>
CATENA_INLINE Twin all(Twin v) noexcept {
  return __builtin_shufflevector(v, v, i, i, i, i, i + 4, i + 4, i + 4, i + 4);
}
CATENA_INLINE Twin once(Twin v) noexcept {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7);
}
CATENA_INLINE Twin twice(Twin v) noexcept {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3, 6, 4, 5, 7);
}
CATENA_INLINE void transpose(Twin& x, Twin& y, Twin& z) noexcept {
  const Twin first = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13);
  const Twin second = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  const Twin last = z;
  x = __builtin_shufflevector(first, last, 0, 1, 8, 8, 4, 5, 12, 12);
  y = __builtin_shufflevector(first, last, 2, 3, 9, 9, 6, 7, 13, 13);
  z = __builtin_shufflevector(second, last, 0, 1, 10, 10, 4, 5, 14, 14);
}
// Bit 0 for the lower half, bit 1 for the upper one.
CATENA_INLINE unsigned where_any(TwinMask mask) noexcept {
#ifdef __SSE2__
  const int bits = __builtin_ia32_movmskps256(reinterpret_cast<Twin>(mask));
  return ((bits & 0x07) != 0 ? 1U : 0U) | ((bits & 0x70) != 0 ? 2U : 0U);
#else
  using Quarters [[gnu::vector_size(32)]] = std::int64_t;
  const auto q = reinterpret_cast<Quarters>(mask & TwinMask{-1, -1, -1, 0, -1, -1, -1, 0});
  return ((q[0] | q[1]) != 0 ? 1U : 0U) | ((q[2] | q[3]) != 0 ? 2U : 0U);
#endif
}

CATENA_INLINE Lanes sum_of_both(Twin v) noexcept { return low(v) + high(v); }

using Wide = Twin;
CATENA_INLINE Twin wide(Lanes v) noexcept { return twin(v, v); }
CATENA_INLINE Lanes least_of(Twin v) noexcept {
  const Lanes a = low(v), b = high(v);
  return a < b ? a : b;
}
#else
using Wide = Lanes;
CATENA_INLINE Lanes wide(Lanes v) noexcept { return v; }
CATENA_INLINE Lanes least_of(Lanes v) noexcept { return v; }
#endif
CATENA_INLINE Lanes sum_of_both(Lanes v) noexcept { return v; }
constexpr size_t kLanesInWide = sizeof(Wide) / sizeof(Lanes);

template <class V>
CATENA_INLINE V sum_of_three(V v) noexcept {
  return v + once(v) + twice(v);
}
CATENA_INLINE float sum_of(Lanes v) noexcept { return v[0] + v[1] + v[2]; }
CATENA_INLINE float size_of(Lanes v) noexcept { return sum_of(abs(v)); }
CATENA_INLINE float dot(Lanes a, Lanes b) noexcept { return sum_of(a * b); }
CATENA_INLINE float half_surface(Lanes h) noexcept {
  return h[0] * h[1] + h[1] * h[2] + h[2] * h[0];
}
CATENA_INLINE Lanes cross(Lanes a, Lanes b) noexcept {
  const Lanes a1 = {a[1], a[2], a[0], 0.0F}, b1 = {b[1], b[2], b[0], 0.0F};
  const Lanes a2 = {a[2], a[0], a[1], 0.0F}, b2 = {b[2], b[0], b[1], 0.0F};
  return a1 * b2 - a2 * b1;
}

CATENA_INLINE float product_rotation(float eA, float eB) noexcept {
  // No less than eB + eA (1 + eB) + 10 u (1 + eA) (1 + eB).
  const float sum = eA + eB;
  return float_bound((sum + 10.0F * kFloatRoundoff) * (1.0F + sum), 4);
}

// X_ab of one pair of boxes (Lanes) or of two (Twin), errors in all lanes.
template <class V>
struct Placing {
  V x, y, z, p;
  float rotation_error;
  V position_error;
};

// A child's pose, or both children's.
template <class V>
struct ChildPose {
  V row0, row1, row2, p;
  float rotation_error, position_error;
};

CATENA_INLINE ChildPose<Lanes> child_pose(const float* child, const NodeView& node) noexcept {
  return {load(child),     load(child + 3),     load(child + 6),
          load(child + 9), node.rotation_error, node.position_error};
}

CATENA_INLINE Placing<Lanes> placing(const FloatPose& X) noexcept {
  return {X.x, X.y, X.z, X.p, X.rotation_error, Lanes{} + X.position_error};
}
CATENA_INLINE FloatPose pose(const Placing<Lanes>& X) noexcept {
  return {X.x, X.y, X.z, X.p, X.rotation_error, X.position_error[0]};
}

// X_ab * X_bB for a child B of b.
template <class V>
CATENA_INLINE Placing<V> times(const Placing<V>& X, const ChildPose<V>& child) noexcept {
  const auto turned = [&X](V c0, V c1, V c2) { return X.x * c0 + X.y * c1 + X.z * c2; };
  Placing<V> r;
  r.x = turned(all<0>(child.row0), all<0>(child.row1), all<0>(child.row2));
  r.y = turned(all<1>(child.row0), all<1>(child.row1), all<1>(child.row2));
  r.z = turned(all<2>(child.row0), all<2>(child.row1), all<2>(child.row2));
  r.p = turned(all<0>(child.p), all<1>(child.p), all<2>(child.p)) + X.p;
  const float rounding = 8.0F * kFloatRoundoff * (1.0F + X.rotation_error);
  r.rotation_error = product_rotation(X.rotation_error, child.rotation_error);
  r.position_error = float_bound(
      X.position_error + child.position_error +
          sum_of_three(abs(child.p) * (X.rotation_error + rounding) + abs(X.p) * rounding),
      14);
  return r;
}

#ifdef CATENA_TWIN
CATENA_INLINE Placing<Twin> doubled(const Placing<Lanes>& X) noexcept {
  return {wide(X.x), wide(X.y), wide(X.z), wide(X.p), X.rotation_error, wide(X.position_error)};
}
CATENA_INLINE ChildPose<Twin> children_of(const NodeView& node) noexcept {
  const ChildPose<Lanes> l = child_pose(node.left, node), r = child_pose(node.right, node);
  return {twin(l.row0, r.row0), twin(l.row1, r.row1), twin(l.row2, r.row2),
          twin(l.p, r.p),       l.rotation_error,     l.position_error};
}
#endif

// X_aA^-1 * X_ab for a child A of a.
template <class V>
CATENA_INLINE Placing<V> inverse_times(const ChildPose<V>& child, const Placing<V>& X) noexcept {
  const auto turned = [&child](V v) {
    return child.row0 * all<0>(v) + child.row1 * all<1>(v) + child.row2 * all<2>(v);
  };
  const V d = X.p - child.p;
  const float turning =
      child.rotation_error + 8.0F * kFloatRoundoff * (1.0F + child.rotation_error);
  return {
      turned(X.x),
      turned(X.y),
      turned(X.z),
      turned(d),
      product_rotation(child.rotation_error, X.rotation_error),
      float_bound(X.position_error + child.position_error + sum_of_three(abs(d)) * turning, 14)};
}

// Three axes that are nearly orthonormal, and how far from an orthogonal matrix they may be.
struct Axes {
  Lanes x, y, z;
  float error = 0.0F;
};

// The distance of a matrix M from the nearest orthogonal one is at most ||M^T M - I||; the products
// below are off by a few roundoffs themselves.
inline bool measure(Axes& axes) noexcept {
  const float defect = std::abs(dot(axes.x, axes.x) - 1.0F) + std::abs(dot(axes.y, axes.y) - 1.0F) +
                       std::abs(dot(axes.z, axes.z) - 1.0F) +
                       2.0F * (std::abs(dot(axes.x, axes.y)) + std::abs(dot(axes.y, axes.z)) +
                               std::abs(dot(axes.z, axes.x)));
  axes.error = float_bound(defect + 32.0F * kFloatRoundoff, 16);
  return defect < 1e-5F && dot(cross(axes.x, axes.y), axes.z) > 0.5F;
}

// x along the first, y across it towards the second.
inline bool orthonormal(Lanes first, Lanes second, Axes& axes) noexcept {
  const float length = std::sqrt(dot(first, first));
  if (!(length > 1e-18F && length < 1e18F)) return false;
  axes.x = first / length;
  const float width = std::sqrt(dot(second, second));
  if (!(width > 1e-18F && width < 1e18F)) return false;
  Lanes y = second / width;
  y -= axes.x * dot(axes.x, y);
  const float across = std::sqrt(dot(y, y));
  if (!(across > 1e-2F)) return false;
  y /= across;
  y -= axes.x * dot(axes.x, y);
  axes.y = y / std::sqrt(dot(y, y));
  axes.z = cross(axes.x, axes.y);
  return measure(axes);
}

inline Axes rounded(const Matrix3d& R) noexcept {
  Axes axes{lanes(R.col(0)), lanes(R.col(1)), lanes(R.col(2)), 0.0F};
  measure(axes);
  return axes;
}

// A child's box in the node's anchor's frame.
struct Side {
  Lanes x, y, z, c;
  float rotation_error, position_error;
};

CATENA_INLINE Side side_of(const NodeBox& box, const RigidEnclosure* X) noexcept {
  if (X == nullptr) return {box.x, box.y, box.z, box.c, box.turn_error, 0.0F};
  // R's columns, p and the errors, one after another: four at a time, of which three count.
  static_assert(sizeof *X == 14 * sizeof(double));
  double numbers[14];
  __builtin_memcpy(numbers, X, sizeof numbers);
  const auto near = [&numbers](int first) {
    using Doubles [[gnu::vector_size(32)]] = double;
    Doubles v;
    __builtin_memcpy(&v, numbers + first, sizeof v);
    return __builtin_convertvector(v, Lanes);
  };
  const Lanes tx = near(0), ty = near(3), tz = near(6), p = near(9);
  // Frobenius norm of a rotation: sqrt(3).
  const float turned = float_above(X->rotation_error + 1.1e-7);
  const float reach = size_of(box.c);
  Side s;
  s.x = tx * box.x[0] + ty * box.x[1] + tz * box.x[2];
  s.y = tx * box.y[0] + ty * box.y[1] + tz * box.y[2];
  s.z = tx * box.z[0] + ty * box.z[1] + tz * box.z[2];
  s.c = tx * box.c[0] + ty * box.c[1] + tz * box.c[2] + p;
  s.rotation_error = product_rotation(turned, box.turn_error);
  s.position_error = float_bound(float_above(X->position_error) + turned * reach +
                                     9.0F * kFloatRoundoff * (1.0F + turned) * (reach + size_of(p)),
                                 12);
  return s;
}

// The same along axes O, about the anchor's origin still.
CATENA_INLINE Side turned_to(const Axes& axes, const Side& s) noexcept {
  Lanes r0 = axes.x, r1 = axes.y, r2 = axes.z;
  transpose(r0, r1, r2);
  Side t;
  t.x = r0 * s.x[0] + r1 * s.x[1] + r2 * s.x[2];
  t.y = r0 * s.y[0] + r1 * s.y[1] + r2 * s.y[2];
  t.z = r0 * s.z[0] + r1 * s.z[1] + r2 * s.z[2];
  t.c = r0 * s.c[0] + r1 * s.c[1] + r2 * s.c[2];
  t.rotation_error = product_rotation(axes.error, s.rotation_error);
  const float reach = size_of(s.c);
  t.position_error = float_bound(
      s.position_error + axes.error * reach + 8.0F * kFloatRoundoff * (1.0F + axes.error) * reach,
      12);
  return t;
}

// Half a box's edges, and its ball's radius in the fourth lane.
inline Lanes sizes_of(const NodeView& view) noexcept { return load(view.half); }

// Boxes in the frame of the anchor of a node above them; sizes as sizes_of.
struct Held {
  Wide x, y, z, c, sizes;
};

// What bounds the parts below a node: the boxes of its children and, where those are asked for, the
// boxes of its children's children, of which either may be the tighter. With bounds of all their
// errors and sizes: sums, in which what is no number stays none.
class Below {
 public:
  CATENA_INLINE Below(const NodeView* views, int left, const Side& l, int right,
                      const Side& r) noexcept
      : views_(views),
        child_{left, right},
        turned_(std::max(l.rotation_error, r.rotation_error)),
        X_{{l.x, l.y, l.z, l.c, turned_, Lanes{} + l.position_error},
           {r.x, r.y, r.z, r.c, turned_, Lanes{} + r.position_error}} {
    const Lanes sizes_l = sizes_of(views[left]), sizes_r = sizes_of(views[right]);
#ifdef CATENA_TWIN
    add(Placing<Twin>{twin(X_[0].x, X_[1].x), twin(X_[0].y, X_[1].y), twin(X_[0].z, X_[1].z),
                      twin(X_[0].p, X_[1].p), turned_,
                      twin(X_[0].position_error, X_[1].position_error)},
        twin(sizes_l, sizes_r), held_[0]);
#else
    add(X_[0], sizes_l, held_[0]);
    add(X_[1], sizes_r, held_[1]);
#endif
  }

  void add_grandchildren() noexcept {
    for (size_t i = 0; i < 2; ++i) add_grandchildren(i, held_ + kChildren * (i + 1));
    with_grandchildren_ = true;
  }

  std::span<const Held> children() const noexcept { return {held_, kChildren}; }
  std::span<const Held> grandchildren() const noexcept {
    return {held_ + kChildren, with_grandchildren_ ? 2 * kChildren : 0};
  }

  float rotation_error = 0.0F, position_error = 0.0F;
  // Of the centres' coordinates, and of half the edges.
  float reach() const noexcept { return sum_of(reaches_); }
  float size() const noexcept { return sum_of(edges_); }

 private:
  static constexpr size_t kChildren = 2 / kLanesInWide;

  template <class V>
  CATENA_INLINE void add(const Placing<V>& X, V sizes, Held& to) noexcept {
    to = {X.x, X.y, X.z, X.p, sizes};
    for (size_t i = 0; i < sizeof(V) / sizeof(float); i += 4) {
      rotation_error += X.rotation_error;
      position_error += X.position_error[i];
    }
    reaches_ += sum_of_both(abs(X.p));
    edges_ += sum_of_both(sizes);
  }

  // Those of a child; where it has no two, itself.
  CATENA_INLINE void add_grandchildren(size_t which, Held* to) noexcept {
    const int child = child_[which];
    const Placing<Lanes>& X = X_[which];
    const NodeView& v = views_[child];
    const bool two = !v.is_leaf() && !views_[child + 1].empty() && !views_[v.child].empty();
    const Lanes l = sizes_of(two ? views_[child + 1] : v), r = sizes_of(two ? views_[v.child] : v);
#ifdef CATENA_TWIN
    add(two ? times(doubled(X), children_of(v)) : doubled(X), twin(l, r), to[0]);
#else
    add(two ? times(X, child_pose(v.left, v)) : X, l, to[0]);
    add(two ? times(X, child_pose(v.right, v)) : X, r, to[1]);
#endif
  }

  const NodeView* views_;
  int child_[2];
  float turned_;  // the rotation error of both, as in a Twin
  Placing<Lanes> X_[2];
  bool with_grandchildren_ = false;
  Held held_[3 * kChildren];
  Lanes reaches_{}, edges_{};  // sums, of each coordinate
};

// From coordinates along the anchor's axes to those along others.
struct Turn {
  Wide row0, row1, row2;
  CATENA_INLINE explicit Turn(const Axes& axes) noexcept {
    Lanes r0 = axes.x, r1 = axes.y, r2 = axes.z;
    transpose(r0, r1, r2);
    row0 = wide(r0);
    row1 = wide(r1);
    row2 = wide(r2);
  }
  CATENA_INLINE Wide operator()(Wide v) const noexcept {
    return row0 * all<0>(v) + row1 * all<1>(v) + row2 * all<2>(v);
  }
};

// A box around all that is below, along some axes.
struct Fit {
  Axes axes;
  Lanes center, half;
  float cost;
};

// The least and the greatest coordinates of what is below.
struct Sides {
  Lanes lo, hi;
};

CATENA_INLINE Sides sides_of(const Turn& turn, std::span<const Held> boxes) noexcept {
  Wide least{}, most{};
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Held& box = boxes[i];
    const Wide c = turn(box.c);
    const Wide reach =
        min(abs(turn(box.x)) * all<0>(box.sizes) + abs(turn(box.y)) * all<1>(box.sizes) +
                abs(turn(box.z)) * all<2>(box.sizes),
            all<3>(box.sizes));
    least = i == 0 ? c - reach : min(least, c - reach);
    most = i == 0 ? c + reach : max(most, c + reach);
  }
  return {least_of(least), -least_of(-most)};
}
CATENA_INLINE Sides common(const Sides& a, const Sides& b) noexcept {
  return {max(a.lo, b.lo), min(a.hi, b.hi)};
}

CATENA_INLINE Fit fit_within(const Axes& axes, const Sides& sides) noexcept {
  const Lanes half = (sides.hi - sides.lo) * 0.5F;
  return {axes, (sides.lo + sides.hi) * 0.5F, half, half_surface(half)};
}
// @pre below has its grandchildren
inline Fit fit_along(const Axes& axes, const Below& below) noexcept {
  const Turn turn(axes);
  return fit_within(
      axes, common(sides_of(turn, below.children()), sides_of(turn, below.grandchildren())));
}

// How far what is below may stick out of where it is computed to be along the axes, about a centre
// whose coordinates' sizes add up to `center`. A coordinate along an axis takes three products, two
// sums and at most four more operations until it is a side or the centre's: less than 8 roundoffs
// of the sizes of all that goes in, so 24 for a point's three, and some to spare. What half the
// edges reach is never turned back: fewer.
inline float slack_of(const Below& below, const Axes& axes, float center) noexcept {
  const float turned = product_rotation(axes.error, below.rotation_error);
  return float_bound(below.position_error + (axes.error + 28.0F * kFloatRoundoff) * center +
                         (axes.error + 32.0F * kFloatRoundoff) * below.reach() +
                         (turned + 16.0F * kFloatRoundoff) * below.size(),
                     12);
}

// No part below is farther from a point along the axes, but for slack_of.
inline float farthest(const Below& below, const Axes& axes, Lanes from) noexcept {
  const Turn turn(axes);
  float most = 0.0F;
  const bool deeper = !below.grandchildren().empty();
  for (const Held& box : deeper ? below.grandchildren() : below.children()) {
    const Wide d = turn(box.c) - wide(from), squared = sum_of_three(d * d);
    for (size_t i = 0; i < 4 * kLanesInWide; i += 4) {
      most = std::max(most, std::sqrt(squared[i]) + box.sizes[i + 3]);
    }
  }
  return most;
}

// At `at` of the floats of a view, and over the one after them.
CATENA_INLINE void store_pose(const Side& s, Lanes center, size_t at, NodeView& view) noexcept {
  float* const to = reinterpret_cast<float*>(reinterpret_cast<char*>(&view) + at);
  Lanes x = s.x, y = s.y, z = s.z;
  transpose(x, y, z);
  store_four(x, to);
  store_four(y, to + 3);
  store_four(z, to + 6);
  store_four(s.c - center, to + 9);
}

// Writes the children's poses, for a box whose origin is at `center` along the axes.
CATENA_INLINE void set_children(const Axes& axes, const Side& left, const Side& right, Lanes center,
                                NodeView& view) noexcept {
  // The stored origin is axes times center, rounded; it stands for its exact image along the axes.
  const float off = (axes.error + 12.0F * kFloatRoundoff) * size_of(center);
  store_pose(left, center, offsetof(NodeView, left), view);
  store_pose(right, center, offsetof(NodeView, right), view);
  view.rotation_error = std::max(left.rotation_error, right.rotation_error);
  view.position_error =
      float_bound(std::max(left.position_error, right.position_error) + off +
                      2.0F * kFloatRoundoff * std::max(size_of(left.c), size_of(right.c)),
                  8);
}

inline Lanes along(const Axes& axes, Lanes v) noexcept {
  return axes.x * v[0] + axes.y * v[1] + axes.z * v[2];
}

// One side of a merge: a child's box, and its anchor in the node's; nullptr: the same frame.
struct MergeSide {
  int node;
  const NodeBox& box;
  const RigidEnclosure* X_AA;
};

// Around the one child that holds parts, along its own axes.
inline void hold_one(const MergeSide& only, const NodeView& held, NodeBox& box,
                     NodeView& view) noexcept {
  const Side s = side_of(only.box, only.X_AA);
  Axes axes{s.x, s.y, s.z, 0.0F};
  measure(axes);
  const Side t = turned_to(axes, s);
  const Lanes center = t.c, sizes = sizes_of(held);
  box = {axes.x, axes.y, axes.z, along(axes, center), axes.error, 0.0F};
  const float slack =
      float_bound(t.position_error + (t.rotation_error + 16.0F * kFloatRoundoff) * sum_of(sizes) +
                      (axes.error + 44.0F * kFloatRoundoff) * size_of(center),
                  12);
  const Lanes reach = abs(t.x) * sizes[0] + abs(t.y) * sizes[1] + abs(t.z) * sizes[2] + slack;
  for (int i = 0; i < 3; ++i) view.half[i] = float_bound(reach[i], 2);
  view.radius = float_bound(held.radius + slack, 2);
  set_children(axes, t, t, center, view);
}

// Replaces the fit by one along a child's axes, or along the line of the two centres and across it
// whichever edge reaches farthest, where that is smaller.
inline void try_other_axes(const Side& l, Lanes sizes_l, const Side& r, Lanes sizes_r,
                           const Below& below, Fit& fit) noexcept {
  const auto try_axes = [&](Lanes first, Lanes second) {
    Axes axes;
    if (!orthonormal(first, second, axes)) return;
    const Fit other = fit_along(axes, below);
    if (other.cost < 0.999F * fit.cost) fit = other;
  };
  try_axes(l.x, l.y);
  try_axes(r.x, r.y);
  const Lanes line = r.c - l.c;
  const float length = dot(line, line);
  Lanes across{};
  float most = 0.0F;
  for (const auto& [side, half] : {std::pair(&l, sizes_l), std::pair(&r, sizes_r)}) {
    const Lanes edges[] = {side->x * half[0], side->y * half[1], side->z * half[2]};
    for (const Lanes edge : edges) {
      const Lanes part = edge - line * (dot(edge, line) / length);
      if (dot(part, part) > most) {
        most = dot(part, part);
        across = part;
      }
    }
  }
  if (length > 0.0F && most > 0.0F) try_axes(line, across);
}

// views: of all nodes.
inline void merge_box(const MergeSide& left, const MergeSide& right, const NodeView* views,
                      NodeBox& box, NodeView& view) noexcept {
  const NodeView& held_l = views[left.node];
  const NodeView& held_r = views[right.node];
  if (held_l.empty() || held_r.empty()) {
    // Which of the two are empty never changes.
    view.radius = -1.0F;
    const bool is_left = held_r.empty();
    if (!(is_left ? held_l : held_r).empty()) {
      hold_one(is_left ? left : right, is_left ? held_l : held_r, box, view);
    }
    return;
  }
  const Side l = side_of(left.box, left.X_AA), r = side_of(right.box, right.X_AA);
  Below below(views, left.node, l, right.node, r);
  const Axes kept{box.x, box.y, box.z, box.turn_error};
  const Turn turn(kept);
  const Sides sides = sides_of(turn, below.children());
  Fit fit = fit_within(kept, sides);
  const auto grown = [&] { return !(fit.cost <= kMostGrown * box.fitted); };
  if (grown()) {
    below.add_grandchildren();
    fit = fit_within(kept, common(sides, sides_of(turn, below.grandchildren())));
  }
  if (grown()) {
    try_other_axes(l, sizes_of(held_l), r, sizes_of(held_r), below, fit);
    box.fitted = fit.cost;
  }
  const Axes& axes = fit.axes;
  const float slack = slack_of(below, axes, size_of(fit.center));
  box.x = axes.x;
  box.y = axes.y;
  box.z = axes.z;
  box.turn_error = axes.error;
  box.c = along(axes, fit.center);
  for (int i = 0; i < 3; ++i) view.half[i] = float_bound(fit.half[i] + slack, 4);
  set_children(axes, turned_to(axes, l), turned_to(axes, r), fit.center, view);
  const Lanes h = load(view.half);
  view.radius = std::min(float_bound(std::sqrt(dot(h, h)), 8),
                         float_bound(farthest(below, axes, fit.center) + slack, 8));
}

inline FloatPose to_left_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return pose(inverse_times(child_pose(a.left, a), placing(X_ab)));
}
inline FloatPose between_children(const NodeView& node) noexcept {
  const ChildPose<Lanes> right = child_pose(node.right, node);
  FloatPose X{right.row0, right.row1,          right.row2,
              right.p,    node.rotation_error, node.position_error};
  transpose(X.x, X.y, X.z);
  return HWY_NAMESPACE::to_left_of_a(node, X);
}
inline FloatPose to_right_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return pose(inverse_times(child_pose(a.right, a), placing(X_ab)));
}
inline FloatPose to_left_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return pose(times(placing(X_ab), child_pose(b.left, b)));
}
inline FloatPose to_right_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return pose(times(placing(X_ab), child_pose(b.right, b)));
}

// Which of the pairs (as where_any counts them, `every` for all) are proven farther apart than the
// clearance. `a` and `b` are sizes_of.
template <class V>
CATENA_INLINE unsigned which_apart(const Placing<V>& X, V a, V b, float clearance,
                                   unsigned every) noexcept {
  const V t = X.p;
  const V balls = float_bound(all<3>(a + b) + X.position_error + clearance, 4);
  const auto balls_apart = sum_of_three(t * t) > float_bound(balls * balls, 4);

  const V slack = float_bound(
      X.position_error + (X.rotation_error + 16.0F * kFloatRoundoff) * sum_of_three(abs(t) + a + b),
      8);
  const V enough = clearance + slack;
  const auto along_a =
      abs(t) > a + abs(X.x) * all<0>(b) + abs(X.y) * all<1>(b) + abs(X.z) * all<2>(b) + enough;
  // Rows of R: what b's axes are in a's, the other way round.
  V r0 = X.x, r1 = X.y, r2 = X.z;
  transpose(r0, r1, r2);
  const V A0 = abs(r0), A1 = abs(r1), A2 = abs(r2);
  const V a0 = all<0>(a), a1 = all<1>(a), a2 = all<2>(a);
  const V t0 = all<0>(t), t1 = all<1>(t), t2 = all<2>(t);
  const auto along_b = abs(r0 * t0 + r1 * t1 + r2 * t2) > b + A0 * a0 + A1 * a1 + A2 * a2 + enough;
  // One branch is cheaper than one for each test, which would often be mispredicted.
  const unsigned apart = where_any(balls_apart | along_a | along_b);
  if (apart == every) return apart;

  // Along e_i x b_j, no longer than 1: what exceeds the clearance there exceeds it along the unit
  // direction as well; nothing does where the product vanishes. Three j at a time: with the lanes
  // turned once and twice, lane j holds j + 1 and j + 2.
  const V edges = clearance + 2.0F * slack;
  const V b_1 = once(b), b_2 = twice(b);
  const auto crossed = [&](V left, V right, V A) {
    return left + right + b_1 * twice(A) + b_2 * once(A) + edges;
  };
  return apart | where_any((abs(r1 * t2 - r2 * t1) > crossed(A2 * a1, A1 * a2, A0)) |
                           (abs(r2 * t0 - r0 * t2) > crossed(A0 * a2, A2 * a0, A1)) |
                           (abs(r0 * t1 - r1 * t0) > crossed(A1 * a0, A0 * a1, A2)));
}

inline bool proven_apart(const NodeView& a, const NodeView& b, const FloatPose& X_ab,
                         float clearance) noexcept {
  return which_apart(placing(X_ab), sizes_of(a), sizes_of(b), clearance, 1) != 0;
}

inline double gap_below(const NodeView& a, const NodeView& b, const FloatPose& X_ab) noexcept {
  // Of a vector without negative coordinates; where its square is beyond a float's range, its
  // largest coordinate, which is no more.
  const auto length = [](Lanes v) {
    const float squared = dot(v, v);
    const float most = std::max({v[0], v[1], v[2]});
    return squared < std::numeric_limits<float>::max() ? std::max(most, std::sqrt(squared)) : most;
  };
  const Lanes t = X_ab.p, zero{};
  const Lanes ha = {a.half[0], a.half[1], a.half[2], 0.0F};
  const Lanes hb = {b.half[0], b.half[1], b.half[2], 0.0F};
  const float slack =
      float_bound(X_ab.position_error + (X_ab.rotation_error + 16.0F * kFloatRoundoff) *
                                            (size_of(t) + sum_of(ha) + sum_of(hb)),
                  8);
  // Apart along all three axes of one box: farther apart than along any of them.
  const Lanes Ax = abs(X_ab.x), Ay = abs(X_ab.y), Az = abs(X_ab.z);
  Lanes r0 = X_ab.x, r1 = X_ab.y, r2 = X_ab.z;
  transpose(r0, r1, r2);
  const Lanes along_a = abs(t) - (ha + Ax * hb[0] + Ay * hb[1] + Az * hb[2] + slack);
  const Lanes along_b = abs(r0 * t[0] + r1 * t[1] + r2 * t[2]) -
                        (hb + abs(r0) * ha[0] + abs(r1) * ha[1] + abs(r2) * ha[2] + slack);
  const float balls = length(abs(t)) - float_bound(a.radius + b.radius + slack, 4);
  float best = -kTiny;
  for (const float gap : {balls, length(max(along_a, zero)), length(max(along_b, zero))}) {
    if (gap > best) best = gap;  // no number is none
  }
  return (static_cast<double>(best) - static_cast<double>(kTiny)) * (1.0 - 1e-6);
}

void merge_boxes(const ChainTree& tree, std::span<const int> nodes, const RigidEnclosure* slots,
                 NodeBox* boxes, NodeView* views) {
  const auto slot = [slots](int i) { return i == 0 ? nullptr : slots + i; };
  for (const int n : nodes) {
    const ChainTree::Node& node = tree.nodes()[static_cast<size_t>(n)];
    merge_box({node.left, boxes[node.left], slot(node.left_slot)},
              {node.right, boxes[node.right], slot(node.right_slot)}, views, boxes[n], views[n]);
  }
}

// (Names are qualified below because of those that are exported.)
//
// X_ab of two nodes' boxes becomes those of the children of one, a if `divides_a`, and the other.
// Which of the two pairs are proven apart: bit 0 the left child's, bit 1 the right one's.
inline unsigned divide(bool divides_a, const NodeView& divided, Lanes left, Lanes right,
                       Lanes other, const FloatPose& X_ab, float clearance, FloatPose* X) noexcept {
  const Placing<Lanes> Y = placing(X_ab);
#ifdef CATENA_TWIN
  const ChildPose<Twin> children = children_of(divided);
  const Placing<Twin> before = doubled(Y);
  const Placing<Twin> after = divides_a ? inverse_times(children, before) : times(before, children);
  X[0] = {low(after.x), low(after.y),         low(after.z),
          low(after.p), after.rotation_error, after.position_error[0]};
  X[1] = {high(after.x), high(after.y),        high(after.z),
          high(after.p), after.rotation_error, after.position_error[4]};
  const Twin both = twin(left, right), twice = twin(other, other);
  return divides_a ? which_apart(after, both, twice, clearance, 3)
                   : which_apart(after, twice, both, clearance, 3);
#else
  const auto one = [&](const ChildPose<Lanes>& child, Lanes sizes, FloatPose& to) {
    const Placing<Lanes> after = divides_a ? inverse_times(child, Y) : times(Y, child);
    to = pose(after);
    return divides_a ? which_apart(after, sizes, other, clearance, 1)
                     : which_apart(after, other, sizes, clearance, 1);
  };
  return one(child_pose(divided.left, divided), left, X[0]) |
         one(child_pose(divided.right, divided), right, X[1]) << 1;
#endif
}

// Two nodes without a part in common: does each hold one, may these move against each other, and
// is any pair of them checked?
inline bool may_meet(const PairWalk& walk, int i, int k) noexcept {
  const NodeView& a = walk.views[i];
  const NodeView& b = walk.views[k];
  if (a.empty() || b.empty()) return false;
  if (walk.marks != nullptr && walk.marks[i] != walk.marking && walk.marks[k] != walk.marking &&
      walk.pieces.together(a.enter, b.enter)) {
    return false;
  }
  return walk.unchecked == nullptr || !walk.unchecked->contains(i, k);
}

// Nodes i and k that are not proven apart, X_ab of their boxes' frames. True where the walk ends.
inline bool meet(PairWalk& walk, int i, int k, const FloatPose& X_ab) {
  const NodeView& a = walk.views[i];
  const NodeView& b = walk.views[k];
  if (a.is_leaf() && b.is_leaf()) return walk.meet_parts(walk.context, a.part(), b.part());
  const bool divides_a = divides_first(a, b);
  const NodeView& divided = divides_a ? a : b;
  const int left = (divides_a ? i : k) + 1, right = divided.child, other = divides_a ? k : i;
  const unsigned asked =
      (may_meet(walk, left, other) ? 1U : 0U) | (may_meet(walk, right, other) ? 2U : 0U);
  if (asked == 0) return false;
  walk.visited += (asked & 1U) + (asked >> 1);
  if (walk.visited > walk.most_visited) return walk.gave_up = true;
  FloatPose X[2];
  const unsigned near =
      asked & ~divide(divides_a, divided, sizes_of(walk.views[left]), sizes_of(walk.views[right]),
                      sizes_of(walk.views[other]), X_ab, walk.clearance, X);
  // The child nearer the other node first.
  if (divides_a) {
    return ((near & 2U) != 0 && meet(walk, right, other, X[1])) ||
           ((near & 1U) != 0 && meet(walk, left, other, X[0]));
  }
  return ((near & 1U) != 0 && meet(walk, other, left, X[0])) ||
         ((near & 2U) != 0 && meet(walk, other, right, X[1]));
}

bool walk_pairs(PairWalk& walk, std::span<const int> nodes) {
  for (const int n : nodes) {
    const NodeView& v = walk.views[n];
    if (v.is_leaf() || !may_meet(walk, n + 1, v.child)) continue;
    if (++walk.visited > walk.most_visited) return walk.gave_up = true;
    const NodeView& a = walk.views[n + 1];
    const NodeView& b = walk.views[v.child];
    const FloatPose X_ab = HWY_NAMESPACE::between_children(v);
    if (!HWY_NAMESPACE::proven_apart(a, b, X_ab, walk.clearance) &&
        meet(walk, n + 1, v.child, X_ab)) {
      return true;
    }
  }
  return false;
}

}  // namespace catena::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace catena::internal {

HWY_EXPORT(merge_boxes);
HWY_EXPORT(walk_pairs);

void merge_boxes(const ChainTree& tree, std::span<const int> nodes, const RigidEnclosure* slots,
                 NodeBox* boxes, NodeView* views) {
  HWY_DYNAMIC_DISPATCH(merge_boxes)(tree, nodes, slots, boxes, views);
}

bool walk_pairs(PairWalk& walk, std::span<const int> nodes) {
  return HWY_DYNAMIC_DISPATCH(walk_pairs)(walk, nodes);
}

FloatPose between_children(const NodeView& node) noexcept {
  return HWY_NAMESPACE::between_children(node);
}
FloatPose to_left_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return HWY_NAMESPACE::to_left_of_a(a, X_ab);
}
FloatPose to_right_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return HWY_NAMESPACE::to_right_of_a(a, X_ab);
}
FloatPose to_left_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return HWY_NAMESPACE::to_left_of_b(X_ab, b);
}
FloatPose to_right_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return HWY_NAMESPACE::to_right_of_b(X_ab, b);
}
bool proven_apart(const NodeView& a, const NodeView& b, const FloatPose& X_ab,
                  float clearance) noexcept {
  return HWY_NAMESPACE::proven_apart(a, b, X_ab, clearance);
}
double gap_below(const NodeView& a, const NodeView& b, const FloatPose& X_ab) noexcept {
  return HWY_NAMESPACE::gap_below(a, b, X_ab);
}

namespace {

// The baseline's.
using HWY_NAMESPACE::along;
using HWY_NAMESPACE::Axes;
using HWY_NAMESPACE::dot;
using HWY_NAMESPACE::float_bound;
using HWY_NAMESPACE::half_surface;
using HWY_NAMESPACE::Lanes;
using HWY_NAMESPACE::lanes;
using HWY_NAMESPACE::load;
using HWY_NAMESPACE::rounded;
using HWY_NAMESPACE::set_children;
using HWY_NAMESPACE::side_of;
using HWY_NAMESPACE::turned_to;

Matrix3d matrix_of(const NodeBox& box) noexcept {
  Matrix3d R;
  for (int i = 0; i < 3; ++i) R.row(i) << box.x[i], box.y[i], box.z[i];
  return R;
}

void leaf_box(const ChainTree::Part& part, NodeBox& box, NodeView& view) noexcept {
  const Axes axes = rounded(part.box.axes);
  box = {axes.x, axes.y, axes.z, lanes(part.box.center), axes.error, 0.0F};
  const double moved = 6.1e-8 * part.box.center.lpNorm<1>() + 1e-37;  // by the rounded centre
  const double more = moved + (static_cast<double>(axes.error) + 2e-7) * part.box.half.sum();
  for (int i = 0; i < 3; ++i) view.half[i] = float_above(part.box.half[i] + more);
  const Lanes h = load(view.half);
  const double ball = part.radius + (part.center - part.box.center).norm() + moved +
                      1e-14 * (part.center.lpNorm<1>() + part.radius);
  view.radius = std::min(float_bound(std::sqrt(dot(h, h)), 8), float_above(ball));
}

}  // namespace

void fit_boxes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
               std::span<NodeBox> boxes, std::span<NodeView> views) {
  const auto nodes = tree.nodes();
  // Parts in the order of the leaves: below every node a range of them.
  std::vector<int> order;
  std::vector<std::pair<int, int>> range(nodes.size());
  std::vector<int> stack;
  if (!nodes.empty()) stack.push_back(0);
  while (!stack.empty()) {
    const int n = stack.back();
    stack.pop_back();
    const ChainTree::Node& node = nodes[static_cast<size_t>(n)];
    range[static_cast<size_t>(n)].first = static_cast<int>(order.size());
    range[static_cast<size_t>(n)].second = static_cast<int>(order.size()) + node.num_parts;
    if (node.part >= 0) order.push_back(node.part);
    if (node.left >= 0) {
      stack.push_back(node.right);
      stack.push_back(node.left);
    }
  }

  struct Placed {
    Vector3d center;
    Matrix3d edges;  // half the edges of its box, as columns
    Vector3d ball;
  };
  std::vector<Placed> placed(order.size());
  double position_error = 0.0, rotation_error = 0.0, reach = 0.0;
  for (size_t k = 0; k < order.size(); ++k) {
    const ChainTree::Part& part = tree.parts()[static_cast<size_t>(order[k])];
    const RigidEnclosure& X = X_WL[static_cast<size_t>(part.link.value)];
    placed[k] = {X.X * part.box.center, X.X.R * part.box.axes * part.box.half.asDiagonal(),
                 X.X * part.center};
    position_error = std::max(position_error, X.position_error);
    rotation_error = std::max(rotation_error, X.rotation_error);
    reach = std::max({reach, X.X.p.lpNorm<1>() + part.box.center.lpNorm<1>() + part.box.half.sum(),
                      X.X.p.lpNorm<1>() + part.center.lpNorm<1>() + part.radius});
  }
  // Of a part relative to an anchor, and all rounding below.
  const double slack =
      bound_above(3.0 * position_error + (12.0 * rotation_error + 3e-13) * reach, 8);

  for (size_t n = nodes.size(); n-- > 0;) {
    const ChainTree::Node& node = nodes[n];
    NodeBox& box = boxes[n];
    NodeView& view = views[n];
    box = {};
    view = {};
    view.child = node.left < 0 ? -1 - node.part : node.right;
    view.enter = tree.enter(node.anchor);
    const auto [first, last] = range[n];
    if (first == last) continue;
    if (node.left < 0) {
      leaf_box(tree.parts()[static_cast<size_t>(node.part)], box, view);
      continue;
    }
    Vector3d mean = Vector3d::Zero();
    for (int k = first; k < last; ++k) mean += placed[static_cast<size_t>(k)].center;
    mean /= static_cast<double>(last - first);
    Matrix3d spread = Matrix3d::Zero();
    for (int k = first; k < last; ++k) {
      const Placed& part = placed[static_cast<size_t>(k)];
      const Vector3d d = part.center - mean;
      spread += d * d.transpose() + part.edges * part.edges.transpose() / 3.0;
    }
    const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(spread);
    Matrix3d principal = solver.eigenvectors();
    if (principal.determinant() < 0.0) principal.col(0) = -principal.col(0);
    principal.col(2) = principal.col(0).cross(principal.col(1));

    // Where the parts spread alike in several directions, the principal axes are any.
    const RigidEnclosure& X_WA = X_WL[static_cast<size_t>(node.anchor.value)];
    const auto axes_of = [&](int i) -> Matrix3d {
      const RigidEnclosure& X_WB =
          X_WL[static_cast<size_t>(nodes[static_cast<size_t>(i)].anchor.value)];
      return X_WB.X.R * matrix_of(boxes[static_cast<size_t>(i)]);
    };
    Matrix3d R_WO = X_WA.X.R;
    Vector3d lo = Vector3d::Zero(), hi = lo;
    double least = kInfinity;
    for (const Matrix3d& axes : {X_WA.X.R, axes_of(node.left), axes_of(node.right), principal}) {
      const double defect = (axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff();
      if (!(defect < 1e-5)) continue;
      Vector3d low = Vector3d::Constant(kInfinity), high = -low;
      for (int k = first; k < last; ++k) {
        const Placed& part = placed[static_cast<size_t>(k)];
        const double ball = tree.parts()[static_cast<size_t>(order[static_cast<size_t>(k)])].radius;
        const Vector3d c = axes.transpose() * part.center, at = axes.transpose() * part.ball;
        const Vector3d r = (axes.transpose() * part.edges).cwiseAbs().rowwise().sum();
        low = low.cwiseMin((c - r).cwiseMax(at - Vector3d::Constant(ball)));
        high = high.cwiseMax((c + r).cwiseMin(at + Vector3d::Constant(ball)));
      }
      const double cost = half_surface(lanes(0.5 * (high - low)));
      if (cost < least * 0.999 || least == kInfinity) {
        least = cost;
        R_WO = axes;
        lo = low;
        hi = high;
      }
    }
    // The axes as floats in the anchor's frame are what counts; along them, once more.
    const Axes axes = rounded(X_WA.X.R.transpose() * R_WO);
    box = {axes.x, axes.y, axes.z, Lanes{}, axes.error, 0.0F};
    const Matrix3d R_OW = matrix_of(box).transpose() * X_WA.X.R.transpose();
    lo = Vector3d::Constant(kInfinity);
    hi = -lo;
    for (int k = first; k < last; ++k) {
      const Placed& part = placed[static_cast<size_t>(k)];
      const double ball = tree.parts()[static_cast<size_t>(order[static_cast<size_t>(k)])].radius;
      const Vector3d c = R_OW * (part.center - X_WA.X.p), at = R_OW * (part.ball - X_WA.X.p);
      const Vector3d r = (R_OW * part.edges).cwiseAbs().rowwise().sum();
      lo = lo.cwiseMin((c - r).cwiseMax(at - Vector3d::Constant(ball)));
      hi = hi.cwiseMax((c + r).cwiseMin(at + Vector3d::Constant(ball)));
    }
    const Lanes center = lanes(0.5 * (lo + hi));
    const Vector3d middle(center[0], center[1], center[2]);
    // Of the parts along the axes, about the anchor; the axes are no rotation to their error.
    const double far = middle.lpNorm<1>() + (hi - lo).sum();
    const double more = slack + (8.0 * static_cast<double>(axes.error) + 1e-6) * far;
    double radius = 0.0;
    for (int k = first; k < last; ++k) {
      const double ball = tree.parts()[static_cast<size_t>(order[static_cast<size_t>(k)])].radius;
      const Vector3d at = R_OW * (placed[static_cast<size_t>(k)].ball - X_WA.X.p);
      radius = std::max(radius, (at - middle).norm() + ball);
    }
    const Vector3d half = (hi - middle).cwiseMax(middle - lo) + Vector3d::Constant(more);
    for (int i = 0; i < 3; ++i) view.half[i] = float_above(half[i]);
    view.radius = std::min(float_above(half.norm() * (1.0 + 1e-12)), float_above(radius + more));
    box.c = along(axes, center);
    box.fitted = half_surface(load(view.half));
    const auto side = [&](int child) {
      const RigidEnclosure& X_WB =
          X_WL[static_cast<size_t>(nodes[static_cast<size_t>(child)].anchor.value)];
      const RigidEnclosure X_AB = X_WA.inverse_times(X_WB);
      return turned_to(axes, side_of(boxes[static_cast<size_t>(child)], &X_AB));
    };
    set_children(axes, side(node.left), side(node.right), center, view);
  }
}

}  // namespace catena::internal
#endif
