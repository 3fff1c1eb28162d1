#include "box_bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::bench {
namespace {

/// c0 + c1 u + c2 u^2 + c3 u^3 + [-rest, rest], u in [-1, 1].
struct Taylor3 {
  std::array<double, 4> c{};
  double rest = 0.0;

  Taylor3() = default;
  Taylor3(double x) : c{x} {}  // NOLINT: a number is one

  /// cos and sin of angle + x u.
  static void turn(double angle, double x, Taylor3& cosine, Taylor3& sine) {
    const double s = std::sin(angle), k = std::cos(angle);
    cosine.c = {k, -s * x, -k * x * x / 2, s * x * x * x / 6};
    sine.c = {s, k * x, -s * x * x / 2, -k * x * x * x / 6};
    cosine.rest = sine.rest = x * x * x * x / 24;
  }
  double middle() const { return c[0]; }
  double deviation() const { return std::abs(c[1]) + std::abs(c[2]) + std::abs(c[3]) + rest; }

  friend Taylor3 operator+(Taylor3 a, const Taylor3& b) {
    for (size_t k = 0; k < 4; ++k) a.c[k] += b.c[k];
    a.rest += b.rest;
    return a;
  }
  friend Taylor3 operator-(Taylor3 a, const Taylor3& b) {
    for (size_t k = 0; k < 4; ++k) a.c[k] -= b.c[k];
    a.rest += b.rest;
    return a;
  }
  friend Taylor3 operator*(const Taylor3& a, const Taylor3& b) {
    Taylor3 product;
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 4; ++j) {
        if (i + j < 4) {
          product.c[i + j] += a.c[i] * b.c[j];
        } else {
          product.rest += std::abs(a.c[i] * b.c[j]);
        }
      }
    }
    const double size_a = std::abs(a.c[0]) + a.deviation() - a.rest;
    const double size_b = std::abs(b.c[0]) + b.deviation() - b.rest;
    product.rest += size_a * b.rest + size_b * a.rest + a.rest * b.rest;
    return product;
  }
};

/// [low, high].
struct Range {
  double low = 0.0, high = 0.0;

  Range() = default;
  Range(double x) : low(x), high(x) {}  // NOLINT: a number is one
  Range(double a, double b) : low(a), high(b) {}

  /// cos and sin of angle + x u, by the ends and the extremes between.
  static void turn(double angle, double x, Range& cosine, Range& sine) {
    const double half_pi = std::acos(0.0), reach = std::abs(x);
    const auto range = [&](double at, Range& out) {  // of cos over [at - reach, at + reach]
      out = {std::min(std::cos(at - reach), std::cos(at + reach)),
             std::max(std::cos(at - reach), std::cos(at + reach))};
      const double first = std::ceil((at - reach) / (2 * half_pi));
      for (double k = first; k * 2 * half_pi <= at + reach && k < first + 2; ++k) {
        (std::fmod(std::abs(k), 2) == 0 ? out.high : out.low) =
            std::fmod(std::abs(k), 2) == 0 ? 1.0 : -1.0;
      }
    };
    range(angle, cosine);
    range(angle - half_pi, sine);
  }
  double middle() const { return 0.5 * (low + high); }
  double deviation() const { return 0.5 * (high - low); }

  friend Range operator+(const Range& a, const Range& b) {
    return {a.low + b.low, a.high + b.high};
  }
  friend Range operator-(const Range& a, const Range& b) {
    return {a.low - b.high, a.high - b.low};
  }
  friend Range operator*(const Range& a, const Range& b) {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
  }
};

}  // namespace

// The transforms from the base on, one product after another.
template <class T>
void BoxBisection::sweep_links(const SnakeEdge& edge, double middle, double half) {
  std::array<std::array<T, 3>, 3> R{};  // columns
  std::array<T, 3> p{};
  for (size_t k = 0; k < 3; ++k) R[k][k] = T(1.0);
  for (int i = 0; i < snake_.links; ++i) {
    const auto n = static_cast<size_t>(i);
    const double rate = edge.q1[n] - edge.q0[n];
    T cosine, sine;
    T::turn(edge.q0[n] + middle * rate, half * rate, cosine, sine);
    // About z: x and y turn; about y: z and x.
    const size_t first = i % 2 == 0 ? 0 : 2, second = i % 2 == 0 ? 1 : 0;
    const auto a = R[first], b = R[second];
    for (size_t k = 0; k < 3; ++k) {
      R[first][k] = cosine * a[k] + sine * b[k];
      R[second][k] = cosine * b[k] - sine * a[k];
    }
    const std::array<T, 3> base = p;
    for (size_t k = 0; k < 3; ++k) p[k] = p[k] + T(snake_.length) * R[0][k];
    Vector3d ends[2], off[2];
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<size_t>(k);
      ends[0][k] = base[at].middle();
      ends[1][k] = p[at].middle();
      off[0][k] = base[at].deviation();
      off[1][k] = p[at].deviation();
    }
    axes_[n] = {ends[0], ends[1]};
    const Vector3d r = Vector3d::Constant(snake_.radius);
    boxes_[n] = {(ends[0] - off[0]).cwiseMin(ends[1] - off[1]) - r,
                 (ends[0] + off[0]).cwiseMax(ends[1] + off[1]) + r};
    motion_[n] = std::max(off[0].norm(), off[1].norm());
  }
}

void BoxBisection::bound_links(const SnakeEdge& edge, double middle, double half) {
  SnakeConfiguration configuration;
  edge.at(middle, configuration.q);
  std::vector<RigidTransform> X_WL;
  snake_.place(configuration, X_WL);
  double turns = 0.0, speed = 0.0;
  for (int i = 0; i < snake_.links; ++i) {
    const auto n = static_cast<size_t>(i);
    // The tip is a link farther from every joint before, and from its own.
    turns += std::abs(edge.q1[n] - edge.q0[n]);
    speed += turns * snake_.length;
    axes_[n] = {X_WL[n].p, snake_.tip(X_WL[n])};
    motion_[n] = half * speed;
    const Vector3d r = Vector3d::Constant(snake_.radius + motion_[n]);
    boxes_[n] = {axes_[n].a.cwiseMin(axes_[n].b) - r, axes_[n].a.cwiseMax(axes_[n].b) + r};
  }
}

void BoxBisection::refit(int node, int first, int last) {
  const auto n = static_cast<size_t>(node);
  if (nodes_.size() <= n) nodes_.resize(n + 1);
  if (last - first == 1) {
    nodes_[n] = boxes_[static_cast<size_t>(first)];
    return;
  }
  const int middle = (first + last) / 2;
  refit(2 * node + 1, first, middle);
  refit(2 * node + 2, middle, last);
  const Box &left = nodes_[2 * n + 1], &right = nodes_[2 * n + 2];
  nodes_[n] = {left.low.cwiseMin(right.low), left.high.cwiseMax(right.high)};
}

// Pairs of links at least two apart whose boxes meet, of a node with itself or with a later one.
void BoxBisection::collect(int a, int a_first, int a_last, int b, int b_first, int b_last,
                           std::vector<Pair>& pairs) const {
  const int a_middle = (a_first + a_last) / 2, b_middle = (b_first + b_last) / 2;
  if (a == b) {
    if (a_last - a_first < 3) return;
    collect(2 * a + 1, a_first, a_middle, 2 * a + 1, a_first, a_middle, pairs);
    collect(2 * a + 2, a_middle, a_last, 2 * a + 2, a_middle, a_last, pairs);
    collect(2 * a + 1, a_first, a_middle, 2 * a + 2, a_middle, a_last, pairs);
    return;
  }
  if (!nodes_[static_cast<size_t>(a)].meets(nodes_[static_cast<size_t>(b)])) return;
  if (a_last - a_first == 1 && b_last - b_first == 1) {
    if (b_first - a_first >= 2) pairs.push_back({a_first, b_first});
  } else if (a_last - a_first >= b_last - b_first) {
    collect(2 * a + 1, a_first, a_middle, b, b_first, b_last, pairs);
    collect(2 * a + 2, a_middle, a_last, b, b_first, b_last, pairs);
  } else {
    collect(a, a_first, a_last, 2 * b + 1, b_first, b_middle, pairs);
    collect(a, a_first, a_last, 2 * b + 2, b_middle, b_last, pairs);
  }
}

void BoxBisection::prove(const SnakeEdge& edge, double from, double to,
                         const std::vector<Pair>* open, std::int64_t most_intervals,
                         Result& result) {
  if (result.verdict != Verdict::kFree) return;
  if (++result.intervals > most_intervals) {
    result.verdict = Verdict::kUndecided;
    return;
  }
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  if (sweep_ == Sweep::kTaylor) sweep_links<Taylor3>(edge, middle, half);
  if (sweep_ == Sweep::kIntervals) sweep_links<Range>(edge, middle, half);
  if (sweep_ == Sweep::kBounds) bound_links(edge, middle, half);
  std::vector<Pair> pairs, left;
  if (open == nullptr) {
    refit(0, 0, snake_.links);
    collect(0, 0, snake_.links, 0, 0, snake_.links, pairs);
  } else {
    for (const Pair& pair : *open) {
      const auto i = static_cast<size_t>(pair.i), j = static_cast<size_t>(pair.j);
      if (boxes_[i].meets(boxes_[j])) pairs.push_back(pair);
    }
  }
  for (const Pair& pair : pairs) {
    const auto i = static_cast<size_t>(pair.i), j = static_cast<size_t>(pair.j);
    ++result.pair_tests;
    const double gap = CapsuleReference::clearance(axes_[i], axes_[j], snake_.radius);
    if (gap > motion_[i] + motion_[j]) continue;
    // In the middle of intervals the links are somewhere within their motion.
    if (sweep_ != Sweep::kIntervals && gap < 0.0 && motion_[i] + motion_[j] < -gap) {
      result.verdict = Verdict::kCollision;
      return;
    }
    left.push_back(pair);
  }
  if (left.empty()) return;
  prove(edge, from, middle, &left, most_intervals, result);
  prove(edge, middle, to, &left, most_intervals, result);
}

BoxBisection::Result BoxBisection::check(const SnakeEdge& edge, std::int64_t most_intervals) {
  const auto n = static_cast<size_t>(snake_.links);
  axes_.resize(n);
  boxes_.resize(n);
  motion_.resize(n);
  Result result;
  prove(edge, 0.0, 1.0, nullptr, most_intervals, result);
  return result;
}

}  // namespace catena::bench
