#include "soundness/edge_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

namespace catena::oracle {
namespace {

constexpr Real kInf = std::numeric_limits<Real>::infinity();

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

EdgeOracle::EdgeOracle(const RobotSpec& robot, const SceneSpec& scene, double clearance,
                       Pairs which)
    : kinematics_(robot), clearance_(clearance) {
  int id = 0;
  for (const LinkSpec& link : robot.links) {
    add(link.name, id, id, link.collision);
    ++id;
  }
  for (const auto& a : scene.attached)
    add(a.object.name, id++, kinematics_.link(a.link), a.object.geometries);
  num_moving_ = num_geometries();
  num_bodies_ = id;
  for (const auto& object : scene.objects) add(object.name, id++, -1, object.geometries);
  one_scene_ = !scene.attached.empty() || !scene.allowed.empty();

  const auto exclude = [&](int a, int b) { unchecked_.insert(std::minmax(a, b)); };
  std::map<std::string, int> id_of;
  for (size_t i = 0; i < robot.links.size(); ++i) id_of[robot.links[i].name] = static_cast<int>(i);
  for (const Body& g : geometries_) id_of[g.body] = g.id;
  const auto robot_of = [&](int link) { return robot.links[size_t(link)].robot; };
  for (const JointSpec& joint : robot.joints) {
    const int a = kinematics_.link(joint.parent), b = kinematics_.link(joint.child);
    if (robot_of(a) == robot_of(b)) exclude(a, b);
  }
  for (const auto* pairs : {&robot.disabled, &scene.allowed})
    for (const auto& [a, b] : *pairs) exclude(id_of.at(a), id_of.at(b));
  if (which == Pairs::kAll) choose_own_pairs(robot);
  num_own_pairs_ = static_cast<int>(pairs_.size());
  choose_scene_pairs();
}

void EdgeOracle::set_scene(const SceneSpec& scene, double clearance) {
  if (one_scene_ || !scene.attached.empty() || !scene.allowed.empty())
    throw std::invalid_argument("EdgeOracle::set_scene: the scene changes the robot's own pairs");
  geometries_.resize(size_t(num_moving_));
  placed_.clear();  // placed copies are of the geometries before
  int id = num_bodies_;
  for (const auto& object : scene.objects) add(object.name, id++, -1, object.geometries);
  clearance_ = clearance;
  choose_scene_pairs();
  placed_at_ = -1;
}

void EdgeOracle::choose_own_pairs(const RobotSpec& robot) {
  const auto robot_of = [&](int link) { return robot.links[size_t(link)].robot; };
  // Links of one rigid piece have one representative.
  std::vector<int> piece(robot.links.size());
  for (int i = 0; i < static_cast<int>(piece.size()); ++i) {
    int top = i;
    while (kinematics_.parent_joint(top) >= 0 &&
           robot.joints[size_t(kinematics_.parent_joint(top))].kind == JointKind::kFixed &&
           robot_of(kinematics_.parent_link(top)) == robot_of(top))
      top = kinematics_.parent_link(top);
    piece[size_t(i)] = top;
  }
  for (int a = 0; a < num_moving_; ++a) {
    for (int b = a + 1; b < num_moving_; ++b) {
      const Body& ga = geometries_[size_t(a)];
      const Body& gb = geometries_[size_t(b)];
      if (ga.id == gb.id || unchecked_.count(std::minmax(ga.id, gb.id)) != 0) continue;
      if (piece[size_t(ga.link)] == piece[size_t(gb.link)]) continue;
      pairs_.push_back({a, b});
    }
  }
}

void EdgeOracle::choose_scene_pairs() {
  pairs_.resize(size_t(num_own_pairs_));
  for (int a = 0; a < num_moving_; ++a)
    for (int b = num_moving_; b < num_geometries(); ++b)
      if (unchecked_.count(std::minmax(geometries_[size_t(a)].id, geometries_[size_t(b)].id)) == 0)
        pairs_.push_back({a, b});
  rates_.assign(pairs_.size(), Real(-1));
}

void EdgeOracle::add(const std::string& body, int id, int link,
                     const std::vector<PlacedSpec>& placed) {
  for (const PlacedSpec& p : placed) {
    const Pose3 X{rotation_rpy<Real>(p.pose.rpy), vec<Real>(p.pose.xyz)};
    Body g;
    g.body = body;
    g.id = id;
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
  std::fill(rates_.begin(), rates_.end(), Real(-1));
}

void EdgeOracle::set_spline(const SplineSpec& spline) {
  kinematics_.set_spline(spline);
  placed_at_ = -1;
  std::fill(rates_.begin(), rates_.end(), Real(-1));
}

Real EdgeOracle::rate(int pair) {
  Real& known = rates_[size_t(pair)];
  if (known >= 0) return known;
  const Pair& p = pairs_[size_t(pair)];
  const int la = geometries_[size_t(p.a)].link, lb = geometries_[size_t(p.b)].link;
  int ancestor = -1;
  if (lb >= 0) {
    std::set<int> above;
    for (int l = la; l >= 0; l = kinematics_.parent_link(l)) above.insert(l);
    for (ancestor = lb; above.count(ancestor) == 0;) ancestor = kinematics_.parent_link(ancestor);
  }
  return known = reach_rate(p.a, ancestor) + reach_rate(p.b, ancestor);
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
    rate += m.greatest_speed() + m.greatest_rate() * reach;
    reach += m.farthest() + kinematics_.origin_distance(j);
  }
  return rate;
}

void EdgeOracle::place(Real t) {
  if (placed_at_ == t) return;
  kinematics_.poses(t, X_);
  centers_.clear();
  for (const Body& g : geometries_) centers_.push_back(pose_of(g) * g.center);
  for (Placed& placed : placed_) placed.current = false;
  placed_.resize(geometries_.size());
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

const std::vector<Solid>& EdgeOracle::placed_pieces(int geometry) {
  Placed& placed = placed_[size_t(geometry)];
  if (placed.current) return placed.pieces;
  const Body& g = geometries_[size_t(geometry)];
  if (placed.pieces.empty()) placed.pieces = g.pieces;
  for (size_t i = 0; i < g.pieces.size(); ++i) move_into(pose_of(g), g.pieces[i], placed.pieces[i]);
  placed.current = true;
  return placed.pieces;
}

// A lower bound of the distance of two geometries, by a few directions.
Real EdgeOracle::separation(int a, int b) {
  const std::vector<Solid>& pa = placed_pieces(a);
  const std::vector<Solid>& pb = placed_pieces(b);
  if (is_half_space(pa[0]) || is_half_space(pb[0])) return -kInf;
  const auto reach = [](const std::vector<Solid>& pieces, const Vec3& d) {
    Real most = -kInf;
    for (const Solid& s : pieces) most = std::max(most, support(s, d));
    return most;
  };
  const Vec3 ab = centers_[size_t(b)] - centers_[size_t(a)];
  Real best = -kInf;
  const auto look = [&](const Vec3& d) { best = std::max(best, -reach(pb, -d) - reach(pa, d)); };
  if (norm(ab) > 0) look((1 / norm(ab)) * ab);
  for (const Mat3& R : {pa[0].X.R, pb[0].X.R})
    for (const Vec3& d : {R.ex, R.ey, R.ez}) look(dot(d, ab) < 0 ? -d : d);
  return best;
}

Gap EdgeOracle::geometry_gap(const Pair& pair, Real enough) {
  const Body& a = geometries_[size_t(pair.a)];
  const Body& b = geometries_[size_t(pair.b)];
  enough += clearance_;
  Gap best{kInf, kInf, {}, {}};
  if (enough < kInf && separation(pair.a, pair.b) > enough) return best;
  for (const Solid& s : placed_pieces(pair.a)) {
    for (const Solid& t : placed_pieces(pair.b)) {
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
  return geometry_gap(pairs_[size_t(pair)], kInf);
}

Gap EdgeOracle::piece_gap_at(int pair, int piece_a, int piece_b, Real t) {
  place(t);
  const Pair& p = pairs_[size_t(pair)];
  Gap g = gap(placed_pieces(p.a)[size_t(piece_a)], placed_pieces(p.b)[size_t(piece_b)]);
  g.lo -= clearance_;
  g.hi -= clearance_;
  return g;
}

// At the poses at hand: of the bounding balls, less the clearance.
Real EdgeOracle::ball_gap(int pair) const {
  const Body& a = geometries_[size_t(pairs_[size_t(pair)].a)];
  const Body& b = geometries_[size_t(pairs_[size_t(pair)].b)];
  return norm(centers_[size_t(pairs_[size_t(pair)].a)] - centers_[size_t(pairs_[size_t(pair)].b)]) -
         a.bound - b.bound - clearance_;
}

Gap EdgeOracle::smallest_gap_at(Real t, int* pair) {
  place(t);
  // By the distance of the bounding balls, the nearest first.
  std::vector<std::pair<Real, int>> heap;
  heap.reserve(pairs_.size());
  for (int k = 0; k < static_cast<int>(pairs_.size()); ++k) heap.emplace_back(ball_gap(k), k);
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  Gap best{kInf, kInf, {}, {}};
  while (!heap.empty() && heap.front().first <= best.hi) {
    const int k = heap.front().second;
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    const Gap g = geometry_gap(pairs_[size_t(k)], best.hi);
    if (g.hi < best.hi && pair != nullptr) *pair = k;
    best = smaller(best, g);
  }
  return best;
}

std::vector<int> EdgeOracle::near_pairs(Real t, Real margin) {
  place(t);
  std::vector<int> near;
  for (int k = 0; k < static_cast<int>(pairs_.size()); ++k)
    if (ball_gap(k) <= margin && gap_at(k, t).lo <= margin) near.push_back(k);
  return near;
}

const std::vector<Pose3>& EdgeOracle::link_poses(Real t) {
  place(t);
  return X_;
}

Real EdgeOracle::overlap_bound(int pair, Real t) {
  place(t);
  std::mt19937_64 rng(1);
  std::normal_distribution<double> normal;
  Real deepest = 0;
  for (const Solid& a : placed_pieces(pairs_[size_t(pair)].a)) {
    for (const Solid& b : placed_pieces(pairs_[size_t(pair)].b)) {
      if (is_half_space(a) || is_half_space(b)) return kInf;
      const Gap g = gap(a, b);
      if (g.hi > 0) continue;
      const auto overlap = [&](const Vec3& d) { return support(a, d) + support(b, -d); };
      Vec3 best{1, 0, 0};
      Real depth = kInf;
      const auto look = [&](const Vec3& v) {
        if (norm(v) == 0) return false;
        const Vec3 d = (1 / norm(v)) * v;
        const Real here = overlap(d);
        if (here >= depth) return false;
        depth = here;
        best = d;
        return true;
      };
      look(b.center - a.center);
      look(g.b - g.a);
      for (const Mat3& R : {a.X.R, b.X.R})
        for (const Vec3& d : {R.ex, R.ey, R.ez}) look(d), look(-d);
      for (const Solid* s : {&a, &b})
        for (const Vec3& n : s->normals) look(n), look(-n);
      for (const auto& e : a.edges) {  // with the normals, all that polytopes need
        for (const auto& f : b.edges) {
          const Vec3 n = cross(a.corners[size_t(e[1])] - a.corners[size_t(e[0])],
                               b.corners[size_t(f[1])] - b.corners[size_t(f[0])]);
          look(n), look(-n);
        }
      }
      for (Real step = 0.5L; step > 1e-12L;) {
        const Vec3 turn{normal(rng), normal(rng), normal(rng)};
        if (!look(best + step * turn)) step *= 0.97L;
      }
      deepest = std::max(deepest, depth);
    }
  }
  return deepest;
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
  const auto far = [&](int k, Real margin) { return ball_gap(k) > margin; };

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
      const Real need = rate(k) * half * (1 + Real(1e-12)) + Real(1e-16);
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
    if (best - rate(pair) * step > target) break;
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
