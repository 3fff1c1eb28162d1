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

NodeVolume merged_volume(const NodeVolume& a, const RigidEnclosure& X_PA, const NodeVolume& b,
                         const RigidEnclosure& X_PB, const NodeVolume& before) noexcept {
  NodeVolume v;
  v.empty = a.empty && b.empty;
  if (v.empty) return v;
  if (b.empty || a.empty) {
    const NodeVolume& only = b.empty ? a : b;
    v.half = only.half;
    v.radius = only.radius;
    v.X_AO = (b.empty ? X_PA : X_PB) * only.X_AO;
    return v;
  }
  const RigidEnclosure X_PaO = X_PA * a.X_AO;
  const RigidEnclosure X_ab = X_PaO.inverse_times(X_PB * b.X_AO);
  const Matrix3d& R = X_ab.X.R;
  const Vector3d& p = X_ab.X.p;
  const Vector3d p_in_b = -(R.transpose() * p);
  const Vector3d reach_b = R.cwiseAbs() * b.half, reach_a = R.cwiseAbs().transpose() * a.half;
  // How far the exact boxes may stick out of the computed ones.
  const double sizes = a.half.sum() + b.half.sum() + p.lpNorm<1>();
  const double slack = bound_above(
      2.0 * X_ab.position_error + (X_ab.rotation_error + 32 * kUnitRoundoff) * sizes, 8);

  // Axes N in a's frame; their error is how far they may be from a rotation.
  const auto fit_along = [&](const Matrix3d& R_Na) {
    return around(R_Na.cwiseAbs() * a.half, R_Na * p, (R_Na * R).cwiseAbs() * b.half);
  };
  const auto take = [&](const Matrix3d& R_Na, double error, const Fit& fit) {
    const RigidEnclosure X_Na{{R_Na, Vector3d::Zero()}, error, 0.0};
    v.half = fit.half + Vector3d::Constant(slack + bound_above(2.0 * error * sizes, 4));
    v.left = moved_by(X_Na, -fit.center);
    v.right = moved_by(X_Na * X_ab, -fit.center);
    v.X_AO = moved_from(X_PaO * X_Na.inverse(), fit.center);
  };
  const bool fitted = !before.empty;
  Fit kept;
  if (fitted) kept = fit_along(before.left.X.R);
  if (fitted && kept.cost <= 1.05 * half_surface(before.half)) {
    take(before.left.X.R, before.left.rotation_error, kept);
  } else {
    const Fit along_a = around(a.half, p, reach_b), along_b = around(b.half, p_in_b, reach_a);
    Matrix3d axes;
    Fit along_line;
    const bool line = line_axes(a.half, b.half, R, p, axes);
    if (line) along_line = fit_along(axes.transpose());
    const double least = std::min({kept.cost, along_a.cost, along_b.cost, along_line.cost});
    if (kept.cost == least) {
      take(before.left.X.R, before.left.rotation_error, kept);
    } else if (along_line.cost == least) {
      take(axes.transpose(), 1e-14, along_line);
    } else if (along_a.cost == least) {
      v.half = along_a.half + Vector3d::Constant(slack);
      v.left = RigidEnclosure::translation(-along_a.center);
      v.right = moved_by(X_ab, -along_a.center);
      v.X_AO = moved_from(X_PaO, along_a.center);
    } else {
      v.half = along_b.half + Vector3d::Constant(slack);
      v.left = moved_by(X_ab.inverse(), -along_b.center);
      v.right = RigidEnclosure::translation(-along_b.center);
      v.X_AO = moved_from(X_PaO * X_ab, along_b.center);
    }
  }
  const double balls = std::max(v.left.X.p.norm() + v.left.position_error + a.radius,
                                v.right.X.p.norm() + v.right.position_error + b.radius);
  v.radius = std::min(bound_above(v.half.norm(), 8), bound_above(balls, 12));
  return v;
}

bool proven_apart(const NodeVolume& a, const NodeVolume& b, const RigidEnclosure& X_ab,
                  double clearance) noexcept {
  const Matrix3d& R = X_ab.X.R;
  const Vector3d& t = X_ab.X.p;
  const Vector3d& ha = a.half;
  const Vector3d& hb = b.half;
  const double distance = t.squaredNorm();
  const double balls = a.radius + b.radius + X_ab.position_error + clearance;
  if (distance > balls * balls * (1.0 + 1e-14)) return true;

  const double sizes = t.lpNorm<1>() + ha.sum() + hb.sum();
  const double slack =
      bound_above(X_ab.position_error + (X_ab.rotation_error + 16 * kUnitRoundoff) * sizes, 8);
  const double enough = clearance + slack;
  const Matrix3d A = R.cwiseAbs();
  for (int i = 0; i < 3; ++i) {
    if (std::abs(t[i]) > ha[i] + A(i, 0) * hb[0] + A(i, 1) * hb[1] + A(i, 2) * hb[2] + enough) {
      return true;
    }
  }
  for (int j = 0; j < 3; ++j) {
    const double along = t[0] * R(0, j) + t[1] * R(1, j) + t[2] * R(2, j);
    if (std::abs(along) > hb[j] + A(0, j) * ha[0] + A(1, j) * ha[1] + A(2, j) * ha[2] + enough) {
      return true;
    }
  }
  // Along e_i x b_j, no longer than 1: what exceeds the clearance there exceeds it along the unit
  // direction as well; nothing does where the product vanishes.
  const double edges = clearance + 2.0 * slack;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      if (std::abs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) >
          ha[i1] * A(i2, j) + ha[i2] * A(i1, j) + hb[j1] * A(i, j2) + hb[j2] * A(i, j1) + edges) {
        return true;
      }
    }
  }
  return false;
}

void fit_volumes(const ChainTree& tree, std::span<const RigidEnclosure> X_WL,
                 std::span<NodeVolume> volumes) {
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
    const auto [first, last] = range[n];
    if (first == last) continue;
    if (node.left < 0) {
      v = leaf_volume(tree.parts()[static_cast<size_t>(node.part)]);
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
    v.left = child(node.left);
    v.right = child(node.right);
  }
}

}  // namespace catena::internal
