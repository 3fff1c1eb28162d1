#include "chain_volumes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

namespace catena::internal {
namespace {

struct Fit {
  Vector3d center, half;
  double cost = kInfinity;  // half the surface
};

double half_surface(const Vector3d& h) noexcept {
  return h.x() * h.y() + h.y() * h.z() + h.z() * h.x();
}

// Around the box [-half, half] along the axes at hand, and another with centre p and reach r.
Fit around(const Vector3d& half, const Vector3d& p, const Vector3d& r) noexcept {
  const Vector3d lo = (-half).cwiseMin(p - r), hi = half.cwiseMax(p + r);
  Fit fit;
  fit.center = 0.5 * (lo + hi);
  fit.half = 0.5 * (hi - lo);
  fit.cost = half_surface(fit.half);
  return fit;
}

// The third choice of axes, for boxes [-ha, ha] and one at R, p: along the line of the centres, and
// across it along whichever edge reaches farthest. False if there is no such frame.
bool line_axes(const Vector3d& ha, const Vector3d& hb, const Matrix3d& R, const Vector3d& p,
               Matrix3d& axes) noexcept {
  const double length = p.norm();
  if (!(length > 0.0)) return false;
  const Vector3d x = p / length;
  Vector3d across = Vector3d::Zero();
  double most = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vector3d ea = ha[i] * (Vector3d::Unit(i) - x[i] * x);
    const Vector3d b = R.col(i);
    const Vector3d eb = hb[i] * (b - x.dot(b) * x);
    if (ea.squaredNorm() > most) {
      most = ea.squaredNorm();
      across = ea;
    }
    if (eb.squaredNorm() > most) {
      most = eb.squaredNorm();
      across = eb;
    }
  }
  if (!(most > 0.0)) return false;
  Vector3d y = across / std::sqrt(most);
  y -= x.dot(y) * x;
  y /= y.norm();
  axes.col(0) = x;
  axes.col(1) = y;
  axes.col(2) = x.cross(y);
  return (axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 2e-15;
}

// The frame that X maps to, moved by -p: translation(p) * X.
RigidEnclosure moved_by(RigidEnclosure X, const Vector3d& p) noexcept {
  X.X.p += p;
  X.position_error =
      bound_above(X.position_error + 2 * kUnitRoundoff * (X.X.p.lpNorm<1>() + p.lpNorm<1>()), 8);
  return X;
}

// The frame that X maps from, moved by p: X * translation(p).
RigidEnclosure moved_from(RigidEnclosure X, const Vector3d& p) noexcept {
  const Vector3d to = X.X * p;
  X.position_error = X.point_error(bound_above(p.lpNorm<1>(), 2));
  X.X.p = to;
  return X;
}

using Lanes = FloatPose::Lanes;

constexpr float kFloatRoundoff = 0x1p-24F;
// Above everything that underflow may lose.
constexpr float kTiny = 1e-30F;

// As bound_above, in floats.
float float_bound(float computed, int operations) noexcept {
  return computed * (1.0F + 2.0F * static_cast<float>(operations) * kFloatRoundoff) + kTiny;
}

Lanes load(const float* from) noexcept {
  Lanes v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

float size_of(Lanes v) noexcept { return std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]); }

float product_rotation(float eA, float eB) noexcept {
  return float_bound(eB + eA * (1.0F + eB) + 10.0F * kFloatRoundoff * (1.0F + eA) * (1.0F + eB),
                     10);
}

// X_ab * X_bB for a child B of b.
FloatPose times(const FloatPose& X, const float* child, float rotation_error,
                float position_error) noexcept {
  FloatPose r;
  r.x = X.x * child[0] + X.y * child[1] + X.z * child[2];
  r.y = X.x * child[3] + X.y * child[4] + X.z * child[5];
  r.z = X.x * child[6] + X.y * child[7] + X.z * child[8];
  r.p = X.x * child[9] + X.y * child[10] + X.z * child[11] + X.p;
  const float reach =
      float_bound(std::abs(child[9]) + std::abs(child[10]) + std::abs(child[11]), 2);
  r.rotation_error = product_rotation(X.rotation_error, rotation_error);
  r.position_error =
      float_bound(X.position_error + position_error + X.rotation_error * reach +
                      8.0F * kFloatRoundoff * (1.0F + X.rotation_error) * (reach + size_of(X.p)),
                  12);
  return r;
}

// X_aA^-1 * X_ab for a child A of a.
FloatPose inverse_times(const float* child, float rotation_error, float position_error,
                        const FloatPose& X) noexcept {
  const Lanes r0 = {child[0], child[3], child[6], 0.0F};
  const Lanes r1 = {child[1], child[4], child[7], 0.0F};
  const Lanes r2 = {child[2], child[5], child[8], 0.0F};
  const Lanes d = X.p - load(child + 9);
  FloatPose r;
  r.x = r0 * X.x[0] + r1 * X.x[1] + r2 * X.x[2];
  r.y = r0 * X.y[0] + r1 * X.y[1] + r2 * X.y[2];
  r.z = r0 * X.z[0] + r1 * X.z[1] + r2 * X.z[2];
  r.p = r0 * d[0] + r1 * d[1] + r2 * d[2];
  const float reach = float_bound(size_of(d), 2);
  r.rotation_error = product_rotation(rotation_error, X.rotation_error);
  r.position_error = float_bound(X.position_error + position_error + rotation_error * reach +
                                     8.0F * kFloatRoundoff * (1.0F + rotation_error) * reach,
                                 12);
  return r;
}

// Rounds a child's pose; returns the error of its position, and raises that of the rotation.
float round_pose(const RigidEnclosure& X, float* to, double& rotation_error) noexcept {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) to[3 * c + r] = static_cast<float>(X.X.R(r, c));
  }
  for (int r = 0; r < 3; ++r) to[9 + r] = static_cast<float>(X.X.p[r]);
  // Frobenius norm of a rotation: sqrt(3).
  rotation_error = std::max(rotation_error, X.rotation_error + 1.1e-7);
  return float_above(X.position_error + 6e-8 * X.X.p.lpNorm<1>() + 1e-37);
}

void make_view(const NodeVolume& v, const RigidEnclosure& X_Oa, const RigidEnclosure& X_Ob,
               NodeView& view) noexcept {
  double rotation_error = 0.0;
  view.left_error = round_pose(X_Oa, view.left, rotation_error);
  view.right_error = round_pose(X_Ob, view.right, rotation_error);
  view.rotation_error = float_above(rotation_error);
  for (int i = 0; i < 3; ++i) view.half[i] = float_above(v.half[i]);
  view.radius = float_above(v.radius);
}

}  // namespace

NodeVolume leaf_volume(const ChainTree::Part& part) noexcept {
  NodeVolume v;
  v.empty = false;
  // An exact rotation lies within 1e-13 of the stored axes; the box is that much larger.
  v.X_AO = {{part.box.axes, part.box.center}, 0.0, 0.0};
  v.half = part.box.half;
  if (!part.box.axes.isIdentity(0.0)) {
    v.X_AO.rotation_error = 1e-13;
    v.half += Vector3d::Constant(bound_above(1e-13 * part.box.half.sum(), 4));
  }
  const double ball =
      bound_above(part.radius + (part.center - part.box.center).norm() * (1.0 + 1e-14) +
                      4 * kUnitRoundoff * part.center.lpNorm<1>(),
                  8);
  v.radius = std::min(bound_above(v.half.norm(), 8), ball);
  return v;
}

NodeView leaf_view(const NodeVolume& volume) noexcept {
  NodeView view;
  if (volume.empty) return view;
  for (int i = 0; i < 3; ++i) view.half[i] = float_above(volume.half[i]);
  view.radius = float_above(volume.radius);
  return view;
}

float float_above(double x) noexcept {
  const auto near = static_cast<float>(x);
  return near + std::abs(near) * 2.5e-7F + 1e-37F;
}

void merge_volumes(const NodeVolume& a, const RigidEnclosure* X_PA, const NodeVolume& b,
                   const RigidEnclosure* X_PB, NodeVolume& node, NodeView& view) noexcept {
  if (a.empty || b.empty) {
    // Which of the two are empty never changes, so that there are no axes to be kept.
    const NodeVolume& only = b.empty ? a : b;
    const RigidEnclosure* X = b.empty ? X_PA : X_PB;
    node.empty = only.empty;
    node.half = only.half;
    node.radius = only.radius;
    node.X_AO = X != nullptr ? *X * only.X_AO : only.X_AO;
    if (!node.empty) make_view(node, {}, {}, view);
    return;
  }
  const RigidEnclosure X_PaO = X_PA != nullptr ? *X_PA * a.X_AO : a.X_AO;
  const RigidEnclosure X_PbO = X_PB != nullptr ? *X_PB * b.X_AO : b.X_AO;
  const RigidEnclosure X_ab = X_PaO.inverse_times(X_PbO);
  const Matrix3d& R = X_ab.X.R;
  const Vector3d& p = X_ab.X.p;

  // How far the exact boxes may stick out of the computed ones.
  const double sizes = a.half.sum() + b.half.sum() + p.lpNorm<1>();
  const double slack = bound_above(
      2.0 * X_ab.position_error + (X_ab.rotation_error + 32 * kUnitRoundoff) * sizes, 8);

  const auto fit_along = [&](const Matrix3d& R_Na, const RigidTransform& X_Nb) {
    return around(R_Na.cwiseAbs() * a.half, X_Nb.p, X_Nb.R.cwiseAbs() * b.half);
  };
  const double before = half_surface(node.half);
  RigidEnclosure X_Na{{node.R_Oa, Vector3d::Zero()}, node.turn_error, 0.0};
  RigidEnclosure X_Nb = X_Na * X_ab;
  Fit fit = fit_along(node.R_Oa, X_Nb.X);
  if (node.empty || !(fit.cost <= 1.05 * before)) {
    const auto try_axes = [&](const Matrix3d& R_Na, double error) {
      const RigidEnclosure X_Ma{{R_Na, Vector3d::Zero()}, error, 0.0};
      const RigidEnclosure X_Mb = X_Ma * X_ab;
      const Fit other = fit_along(R_Na, X_Mb.X);
      if (!(other.cost < 0.999 * fit.cost)) return;
      fit = other;
      X_Na = X_Ma;
      X_Nb = X_Mb;
    };
    try_axes(Matrix3d::Identity(), 0.0);
    try_axes(R.transpose(), X_ab.rotation_error);
    Matrix3d axes;
    if (line_axes(a.half, b.half, R, p, axes)) try_axes(axes.transpose(), 1e-14);
  }
  node.R_Oa = X_Na.X.R;
  node.turn_error = X_Na.rotation_error;
  const RigidEnclosure X_Oa = moved_by(X_Na, -fit.center);
  const RigidEnclosure X_Ob = moved_by(X_Nb, -fit.center);
  node.empty = false;
  node.half = fit.half + Vector3d::Constant(slack + bound_above(2.0 * node.turn_error * sizes, 4));
  node.X_AO = moved_from(X_PaO * X_Na.inverse(), fit.center);
  const double balls = std::max(X_Oa.X.p.norm() + X_Oa.position_error + a.radius,
                                X_Ob.X.p.norm() + X_Ob.position_error + b.radius);
  node.radius = std::min(bound_above(node.half.norm(), 8), bound_above(balls, 12));
  make_view(node, X_Oa, X_Ob, view);
}

FloatPose between_children(const NodeView& node) noexcept {
  FloatPose right;
  right.x = load(node.right);
  right.y = load(node.right + 3);
  right.z = load(node.right + 6);
  right.p = load(node.right + 9);
  right.rotation_error = node.rotation_error;
  right.position_error = node.right_error;
  return to_left_of_a(node, right);
}
FloatPose to_left_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return inverse_times(a.left, a.rotation_error, a.left_error, X_ab);
}
FloatPose to_right_of_a(const NodeView& a, const FloatPose& X_ab) noexcept {
  return inverse_times(a.right, a.rotation_error, a.right_error, X_ab);
}
FloatPose to_left_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return times(X_ab, b.left, b.rotation_error, b.left_error);
}
FloatPose to_right_of_b(const FloatPose& X_ab, const NodeView& b) noexcept {
  return times(X_ab, b.right, b.rotation_error, b.right_error);
}

bool proven_apart(const NodeView& a, const NodeView& b, const FloatPose& X_ab,
                  float clearance) noexcept {
  const Lanes t = X_ab.p;
  const float distance = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
  const float balls = float_bound(a.radius + b.radius + X_ab.position_error + clearance, 4);
  if (distance > float_bound(balls * balls, 4)) return true;

  const Lanes ha = {a.half[0], a.half[1], a.half[2], 0.0F};
  const float hb0 = b.half[0], hb1 = b.half[1], hb2 = b.half[2];
  const float sizes = size_of(t) + ha[0] + ha[1] + ha[2] + hb0 + hb1 + hb2;
  const float slack =
      float_bound(X_ab.position_error + (X_ab.rotation_error + 16.0F * kFloatRoundoff) * sizes, 8);
  const float enough = clearance + slack;
  const auto abs = [](Lanes v) { return v < 0.0F ? -v : v; };
  const auto any = [](auto mask) { return (mask[0] | mask[1] | mask[2]) != 0; };
  const Lanes Ax = abs(X_ab.x), Ay = abs(X_ab.y), Az = abs(X_ab.z);
  if (any(abs(t) > ha + Ax * hb0 + Ay * hb1 + Az * hb2 + enough)) return true;

  // Rows of R: what b's axes are in a's, the other way round.
  const Lanes r0 = {X_ab.x[0], X_ab.y[0], X_ab.z[0], 0.0F};
  const Lanes r1 = {X_ab.x[1], X_ab.y[1], X_ab.z[1], 0.0F};
  const Lanes r2 = {X_ab.x[2], X_ab.y[2], X_ab.z[2], 0.0F};
  const Lanes A0 = abs(r0), A1 = abs(r1), A2 = abs(r2);
  const Lanes hb = {hb0, hb1, hb2, 0.0F};
  if (any(abs(r0 * t[0] + r1 * t[1] + r2 * t[2]) >
          hb + A0 * ha[0] + A1 * ha[1] + A2 * ha[2] + enough)) {
    return true;
  }

  // Along e_i x b_j, no longer than 1: what exceeds the clearance there exceeds it along the unit
  // direction as well; nothing does where the product vanishes. Three j at a time: with the lanes
  // turned once and twice, lane j holds j + 1 and j + 2.
  const float edges = clearance + 2.0F * slack;
  const auto once = [](Lanes v) { return Lanes{v[1], v[2], v[0], 0.0F}; };
  const auto twice = [](Lanes v) { return Lanes{v[2], v[0], v[1], 0.0F}; };
  const Lanes hb_1 = once(hb), hb_2 = twice(hb);
  return any(abs(r1 * t[2] - r2 * t[1]) >
             A2 * ha[1] + A1 * ha[2] + hb_1 * twice(A0) + hb_2 * once(A0) + edges) ||
         any(abs(r2 * t[0] - r0 * t[2]) >
             A0 * ha[2] + A2 * ha[0] + hb_1 * twice(A1) + hb_2 * once(A1) + edges) ||
         any(abs(r0 * t[1] - r1 * t[0]) >
             A1 * ha[0] + A0 * ha[1] + hb_1 * twice(A2) + hb_2 * once(A2) + edges);
}

void fit_volumes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
                 std::span<NodeVolume> volumes, std::span<NodeView> views) {
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
    NodeVolume& v = volumes[n];
    v = {};
    views[n] = {};
    const auto [first, last] = range[n];
    if (first == last) continue;
    if (node.left < 0) {
      v = leaf_volume(tree.parts()[static_cast<size_t>(node.part)]);
      views[n] = leaf_view(v);
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
      return X_WB.X.R * volumes[static_cast<size_t>(i)].X_AO.X.R;
    };
    Matrix3d R_WO = X_WA.X.R;
    Vector3d lo = Vector3d::Zero(), hi = lo;
    double least = kInfinity;
    for (const Matrix3d& axes : {X_WA.X.R, axes_of(node.left), axes_of(node.right), principal}) {
      const double defect = (axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff();
      if (!(defect < 1e-14 + 4.0 * rotation_error)) continue;
      Vector3d low = Vector3d::Constant(kInfinity), high = -low;
      for (int k = first; k < last; ++k) {
        const Placed& part = placed[static_cast<size_t>(k)];
        const double ball = tree.parts()[static_cast<size_t>(order[static_cast<size_t>(k)])].radius;
        const Vector3d c = axes.transpose() * part.center, at = axes.transpose() * part.ball;
        const Vector3d r = (axes.transpose() * part.edges).cwiseAbs().rowwise().sum();
        low = low.cwiseMin((c - r).cwiseMax(at - Vector3d::Constant(ball)));
        high = high.cwiseMax((c + r).cwiseMin(at + Vector3d::Constant(ball)));
      }
      const double cost = half_surface(0.5 * (high - low));
      if (cost < least * 0.999 || least == kInfinity) {
        least = cost;
        R_WO = axes;
        lo = low;
        hi = high;
      }
    }
    const Vector3d center_W = R_WO * (0.5 * (lo + hi));
    double radius = 0.0;
    for (int k = first; k < last; ++k) {
      const double ball = tree.parts()[static_cast<size_t>(order[static_cast<size_t>(k)])].radius;
      radius = std::max(radius, (placed[static_cast<size_t>(k)].ball - center_W).norm() + ball);
    }
    v.empty = false;
    v.half = 0.5 * (hi - lo) + Vector3d::Constant(slack);
    v.radius = std::min(bound_above(v.half.norm(), 8), bound_above(radius + slack, 8));
    // The frame is what these numbers say it is in the anchor's frame, to a rotation's defect.
    v.X_AO.X = X_WA.X.inverse() * RigidTransform{R_WO, center_W};
    v.X_AO.rotation_error = 4e-14 + 4.0 * X_WA.rotation_error;
    const auto child = [&](int i) {
      const NodeVolume& below = volumes[static_cast<size_t>(i)];
      const RigidEnclosure& X_WB =
          X_WL[static_cast<size_t>(nodes[static_cast<size_t>(i)].anchor.value)];
      return v.X_AO.inverse_times(X_WA.inverse_times(X_WB) * below.X_AO);
    };
    const RigidEnclosure left = child(node.left), right = child(node.right);
    v.R_Oa = left.X.R;
    v.turn_error = left.rotation_error;
    make_view(v, left, right, views[n]);
  }
}

}  // namespace catena::internal
