#include "soundness/edge_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace catena::oracle {
namespace {

constexpr Real kInf = std::numeric_limits<Real>::infinity();

// Links of one rigid piece have one representative.
int rigid_root(const Kinematics<Real>& k, int link) {
  while (k.parent_joint(link) >= 0 &&
         k.robot().joints[size_t(k.parent_joint(link))].kind == JointKind::kFixed)
    link = k.parent_link(link);
  return link;
}

bool is_half_space(const Solid& s) { return s.kind == Solid::Kind::kHalfSpace; }

Gap smaller(const Gap& x, const Gap& y) {
  Gap out = x.hi <= y.hi ? x : y;
  out.lo = std::min(x.lo, y.lo);
  return out;
}

}  // namespace

Real winding(const std::vector<std::array<Vec3, 3>>& triangles, const Vec3& p) {
  Real sum = 0;
  for (const auto& t : triangles) {
    const Vec3 a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const Real la = norm(a), lb = norm(b), lc = norm(c);
    const Real numerator = dot(a, cross(b, c));
    const Real denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    sum += std::atan2(numerator, denominator);
  }
  return sum / (2 * std::acos(Real(-1)));
}

EdgeOracle::EdgeOracle(const RobotSpec& robot, const SceneSpec& scene, double clearance)
    : kinematics_(robot), clearance_(clearance) {
  for (size_t i = 0; i < robot.links.size(); ++i)
    add(robot.links[i].name, static_cast<int>(i), robot.links[i].collision);
  const int num_robot = num_geometries();
  for (const auto& object : scene.objects) add(object.name, -1, object.geometries);

  std::set<std::pair<int, int>> unchecked;
  const auto exclude = [&](int a, int b) { unchecked.insert(std::minmax(a, b)); };
  for (const JointSpec& joint : robot.joints)
    exclude(kinematics_.link(joint.parent), kinematics_.link(joint.child));
  for (const auto& [a, b] : robot.disabled) exclude(kinematics_.link(a), kinematics_.link(b));
  for (int a = 0; a < num_robot; ++a) {
    for (int b = a + 1; b < num_geometries(); ++b) {
      const int la = geometries_[size_t(a)].link, lb = geometries_[size_t(b)].link;
      if (lb >= 0 && (la == lb || unchecked.count(std::minmax(la, lb)) != 0 ||
                      rigid_root(kinematics_, la) == rigid_root(kinematics_, lb)))
        continue;
      pairs_.push_back({a, b});
    }
  }
  rates_.resize(pairs_.size());
}

void EdgeOracle::add(const std::string& body, int link, const std::vector<PlacedSpec>& placed) {
  for (const PlacedSpec& p : placed) {
    const Pose3 X{rotation_rpy<Real>(p.pose.rpy), vec<Real>(p.pose.xyz)};
    Body g;
    g.body = body;
    g.link = link;
    for (const Solid& s : oracle::pieces(p.shape)) g.pieces.push_back(moved(X, s));
    g.solid_mesh = p.shape.kind == ShapeSpec::Kind::kMesh && p.shape.solid;
    if (p.shape.kind == ShapeSpec::Kind::kMesh)
      for (const Solid& s : g.pieces)
        g.triangles.push_back({s.corners[0], s.corners[1], s.corners[2]});
    Vec3 sum{};
    for (const Solid& s : g.pieces) sum = sum + s.center;
    g.center = (Real(1) / Real(g.pieces.size())) * sum;
    for (const Solid& s : g.pieces)
      g.bound = std::max(g.bound, norm(s.center - g.center) + s.bound + s.radius);
    geometries_.push_back(std::move(g));
  }
}

void EdgeOracle::set_motion(const std::vector<double>& q0, const std::vector<double>& q1) {
  kinematics_.set_motion(q0, q1);
  placed_at_ = -1;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const int la = geometries_[size_t(pairs_[k].a)].link,
              lb = geometries_[size_t(pairs_[k].b)].link;
    int ancestor = -1;
    if (lb >= 0) {
      std::set<int> above;
      for (int l = la; l >= 0; l = kinematics_.parent_link(l)) above.insert(l);
      for (ancestor = lb; above.count(ancestor) == 0;) ancestor = kinematics_.parent_link(ancestor);
    }
    rates_[k] = reach_rate(pairs_[k].a, ancestor) + reach_rate(pairs_[k].b, ancestor);
  }
}

// How fast a point of the geometry can move in the frame of the ancestor link (-1: the world).
Real EdgeOracle::reach_rate(int geometry, int ancestor) const {
  const Body& g = geometries_[size_t(geometry)];
  if (g.link < 0) return 0;
  Real rate = 0, reach = norm(g.center) + g.bound;
  for (int l = g.link; l != ancestor; l = kinematics_.parent_link(l)) {
    const int j = kinematics_.parent_joint(l);
    if (j < 0) break;
    const auto& m = kinematics_.path(j);
    rate += norm(m.v) + std::abs(m.rate) * reach;
    reach += std::max(norm(m.p), norm(m.p + m.v)) + kinematics_.origin_distance(j);
  }
  return rate;
}

void EdgeOracle::place(Real t) {
  if (placed_at_ == t) return;
  kinematics_.poses(t, X_);
  placed_at_ = t;
}

bool EdgeOracle::contains(const Body& solid, const Body& other) const {
  if (!solid.solid_mesh) return false;
  const Pose3 S = pose_of(solid), O = pose_of(other);
  for (const Solid& piece : other.pieces) {
    if (is_half_space(piece)) return false;  // unbounded: it would cross the surface
    const Vec3 p = O * (piece.corners.empty() ? piece.center : piece.corners[0]);
    const Vec3 in_solid = S.R.transposed_times(p - S.p);
    if (std::abs(winding(solid.triangles, in_solid)) > Real(0.5)) return true;
  }
  return false;
}

Gap EdgeOracle::geometry_gap(const Body& a, const Body& b) const {
  const Pose3 A = pose_of(a), B = pose_of(b);
  Gap best{kInf, kInf, {}, {}};
  std::vector<Solid> placed_b;
  placed_b.reserve(b.pieces.size());
  for (const Solid& s : b.pieces) placed_b.push_back(moved(B, s));
  for (const Solid& local : a.pieces) {
    const Solid s = moved(A, local);
    for (const Solid& t : placed_b) {
      if (!is_half_space(s) && !is_half_space(t)) {
        const Real spheres = norm(s.center - t.center) - s.bound - s.radius - t.bound - t.radius;
        if (spheres > best.hi) continue;  // then it is not the nearest, and lo holds
      }
      best = smaller(best, gap(s, t));
    }
  }
  if (best.hi > 0 && (contains(a, b) || contains(b, a))) best.lo = -kInf, best.hi = 0;
  best.lo -= clearance_;
  best.hi -= clearance_;
  return best;
}

Gap EdgeOracle::gap_at(int pair, Real t) {
  place(t);
  const Pair& p = pairs_[size_t(pair)];
  return geometry_gap(geometries_[size_t(p.a)], geometries_[size_t(p.b)]);
}

Gap EdgeOracle::smallest_gap_at(Real t, int* pair) {
  place(t);
  // By the distance of the bounding balls, the nearest first.
  std::vector<Vec3> centers;
  for (const Body& g : geometries_) centers.push_back(pose_of(g) * g.center);
  std::vector<std::pair<Real, int>> order;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const size_t a = size_t(pairs_[k].a), b = size_t(pairs_[k].b);
    order.emplace_back(
        norm(centers[a] - centers[b]) - geometries_[a].bound - geometries_[b].bound - clearance_,
        static_cast<int>(k));
  }
  std::sort(order.begin(), order.end());
  Gap best{kInf, kInf, {}, {}};
  for (const auto& [bound, k] : order) {
    if (bound > best.hi) break;
    const Pair& p = pairs_[size_t(k)];
    const Gap g = geometry_gap(geometries_[size_t(p.a)], geometries_[size_t(p.b)]);
    if (g.hi < best.hi && pair != nullptr) *pair = k;
    best = smaller(best, g);
  }
  return best;
}

Truth EdgeOracle::judge(int budget) {
  Truth truth;
  truth.min_gap = kInf;
  Real end = 1;         // only what lies before the earliest known contact matters
  Real band_start = 2;  // the first time that could not be decided
  std::vector<int> all(pairs_.size());
  for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);

  const auto look = [&](int k, Real t) {
    ++truth.evaluations;
    const Gap g = gap_at(k, t);
    if (g.hi < truth.min_gap && truth.t_hit > 1) {
      truth.min_gap = g.hi;
      truth.t_min = t;
      truth.pair = k;
    }
    if (g.hi <= 0 && t < truth.t_hit) {
      truth.t_hit = t;
      truth.min_gap = g.hi;
      truth.t_min = t;
      truth.pair = k;
      end = t;
    }
    return g;
  };
  const auto far = [&](int k, Real margin) {
    const Body& a = geometries_[size_t(pairs_[size_t(k)].a)];
    const Body& b = geometries_[size_t(pairs_[size_t(k)].b)];
    return norm(pose_of(a) * a.center - pose_of(b) * b.center) - a.bound - b.bound - clearance_ >
           margin;
  };

  // Coarse samples first: an early contact shortens the rest.
  for (int i = 0; i <= 16 && truth.t_hit > 1; ++i) {
    const Real t = Real(i) / 16;
    place(t);
    for (const int k : all)
      if (!far(k, 0)) look(k, t);
  }

  struct Part {
    Real lo, hi;
    std::vector<int> active;
  };
  std::vector<Part> stack{{0, end, all}};
  Real proven = 0;  // every part before this is free
  bool prefix = true;
  while (!stack.empty()) {
    Part part = std::move(stack.back());
    stack.pop_back();
    if (part.lo > end || (part.lo == end && truth.t_hit <= 1)) continue;
    part.hi = std::min(part.hi, end);
    const Real mid = Real(0.5) * (part.lo + part.hi), half = Real(0.5) * (part.hi - part.lo);
    std::vector<int> left;
    bool hit = false;
    place(mid);
    for (const int k : part.active) {
      const Real need = rates_[size_t(k)] * half * (1 + Real(1e-12)) + Real(1e-16);
      if (far(k, need)) continue;
      const Gap g = look(k, mid);
      if (g.hi <= 0) {
        hit = true;
        left.push_back(k);
        break;
      }
      if (g.lo <= need) left.push_back(k);
    }
    if (left.empty()) {
      if (prefix) proven = part.hi;
      continue;
    }
    if (half < Real(1e-11) || truth.evaluations > budget) {
      prefix = false;
      band_start = std::min(band_start, part.lo);
      if (truth.evaluations > budget) break;
      continue;
    }
    if (hit) {
      stack.push_back({part.lo, mid, std::move(part.active)});
    } else {
      stack.push_back({mid, part.hi, left});
      stack.push_back({part.lo, mid, std::move(left)});
    }
  }
  truth.t_free = proven;
  truth.kind = truth.t_hit <= 1  ? Truth::Kind::kContact
               : band_start <= 1 ? Truth::Kind::kBand
                                 : Truth::Kind::kFree;
  return truth;
}

std::pair<Real, Real> EdgeOracle::descend(int pair, Real t, Real step, Real target, Real least) {
  Real best = gap_at(pair, t).hi;
  while (step > least && best > 0) {
    bool moved_on = false;
    for (const Real s : {t - step, t + step}) {
      const Real clamped = std::clamp(s, Real(0), Real(1));
      const Real g = gap_at(pair, clamped).hi;
      if (g < best) {
        best = g;
        t = clamped;
        moved_on = true;
      }
    }
    if (moved_on) continue;
    if (best - rates_[size_t(pair)] * step > target) break;
    step *= Real(0.4);
  }
  return {best, t};
}

Vec3 EdgeOracle::point_of(int geometry, Real t, const Vec3& direction) {
  place(t);
  const Body& g = geometries_[size_t(geometry)];
  const Pose3 X = pose_of(g);
  // A point of the surface: the foot of a far point.
  const Solid s = moved(X, g.pieces[0]);
  return project(s, s.center + (2 * s.bound + 2 * s.radius + 1) * direction);
}

}  // namespace catena::oracle
