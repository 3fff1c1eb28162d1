#include "soundness/bulk_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace catena::oracle {
namespace {

using V = Vec<double>;
using M = Mat<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
// Of the search for the nearest points: round shapes take many steps, and any direction may serve.
constexpr int kForDirection = 16, kForDistance = 48;
constexpr double kMore = 1 + 1e-9;  // for the rounding of bounds

V to_double(const Vec3& v) { return {double(v.x), double(v.y), double(v.z)}; }
M to_double(const Mat3& m) { return {to_double(m.ex), to_double(m.ey), to_double(m.ez)}; }

// The n-th derivative of a Bezier curve (n = 1 or 2) at no time is more than this.
template <class Size>
double most_derivative(size_t points, int n, Size size) {
  double most = 0;
  for (size_t k = 0; k + size_t(n) < points; ++k) most = std::max(most, size(k));
  const double degree = points < 1 ? 0.0 : double(points - 1);
  return most * degree * (n == 2 ? degree - 1 : 1);
}

template <class Point>
Point slope(const std::vector<Point>& control, double t) {
  std::vector<Point> d;
  const double degree = double(control.size() - 1);
  for (size_t k = 0; k + 1 < control.size(); ++k)
    d.push_back(degree * (control[k + 1] - control[k]));
  for (size_t n = d.size(); n > 1; --n)
    for (size_t k = 0; k + 1 < n; ++k) d[k] = d[k] + t * (d[k + 1] - d[k]);
  return d.empty() ? Point{} : d[0];
}

// A simplex of points of b - a, and how each came about.
struct Simplex {
  int n = 0;
  V w[4], a[4], b[4];
  double weight[4] = {1, 0, 0, 0};
};

// Keeps the part of it that is nearest to the origin; all parts with the newest point are tried.
// False if the origin is inside.
bool reduce(Simplex& s, V& nearest) {
  const int newest = s.n - 1;
  const V p = s.w[newest];
  double best = dot(p, p);
  nearest = p;
  int keep[3] = {newest, -1, -1}, kept = 1;
  double weight[3] = {1, 0, 0};
  const auto offer = [&](int i, double wi, int j, double wj) {
    const V x = (1 - wi - wj) * p + wi * s.w[i] + (j < 0 ? V{} : wj * s.w[j]);
    if (dot(x, x) >= best) return;
    best = dot(x, x);
    nearest = x;
    kept = j < 0 ? 2 : 3;
    keep[1] = i;
    keep[2] = j;
    weight[0] = 1 - wi - wj;
    weight[1] = wi;
    weight[2] = wj;
  };
  for (int i = 0; i < newest; ++i) {
    const V e = s.w[i] - p;
    const double ee = dot(e, e);
    const double u = ee > 0 ? -dot(p, e) / ee : 0;
    if (u > 0 && u <= 1) offer(i, u, -1, 0);
    for (int j = i + 1; j < newest; ++j) {
      const V f = s.w[j] - p;
      const double ef = dot(e, f), ff = dot(f, f), det = ee * ff - ef * ef;
      if (!(det > 0)) continue;
      const double x = (-dot(p, e) * ff + dot(p, f) * ef) / det;
      const double y = (-dot(p, f) * ee + dot(p, e) * ef) / det;
      if (x > 0 && y > 0 && x + y <= 1) offer(i, x, j, y);
    }
  }
  if (s.n == 4) {
    const V e = s.w[0] - p, f = s.w[1] - p, g = s.w[2] - p;
    const double det = dot(e, cross(f, g));
    if (det != 0) {
      const double x = -dot(p, cross(f, g)) / det, y = -dot(e, cross(p, g)) / det,
                   z = -dot(e, cross(f, p)) / det;
      if (x >= 0 && y >= 0 && z >= 0 && x + y + z <= 1) return false;
    }
  }
  Simplex out;
  for (int k = 0; k < kept; ++k) {
    out.w[k] = s.w[keep[k]];
    out.a[k] = s.a[keep[k]];
    out.b[k] = s.b[keep[k]];
    out.weight[k] = weight[k];
  }
  // Whichever comes last is the newest for the next one, which is put behind it.
  out.n = kept;
  s = out;
  return true;
}

}  // namespace

BulkOracle::BulkOracle(const RobotSpec& robot, EdgeOracle::Pairs which)
    : robot_(robot), exact_(robot, {}, 0.0, which), kinematics_(robot) {
  const size_t links = robot.links.size();
  joint_of_.assign(links, -1);
  std::vector<std::vector<int>> children(links);
  for (size_t j = 0; j < robot.joints.size(); ++j) {
    const JointSpec& spec = robot.joints[j];
    Joint joint{};
    joint.parent = kinematics_.link(spec.parent);
    joint.child = kinematics_.link(spec.child);
    joint.origin = {rotation_rpy<double>(spec.origin.rpy), vec<double>(spec.origin.xyz)};
    joint_of_[size_t(joint.child)] = static_cast<int>(j);
    children[size_t(joint.parent)].push_back(joint.child);
    joints_.push_back(joint);
  }
  entered_.assign(links, 0);
  left_.assign(links, 0);
  int time = 0;
  for (size_t root = 0; root < links; ++root) {
    if (joint_of_[root] >= 0) continue;
    std::vector<std::pair<int, size_t>> path{{static_cast<int>(root), 0}};
    entered_[root] = time++;
    while (!path.empty()) {
      auto& [link, next] = path.back();
      if (next < children[size_t(link)].size()) {
        const int child = children[size_t(link)][next++];
        entered_[size_t(child)] = time++;
        path.emplace_back(child, 0);
      } else {
        left_[size_t(link)] = time++;
        path.pop_back();
      }
    }
  }
  num_moving_ = exact_.num_moving();
  for (int g = 0; g < num_moving_; ++g) shapes_.push_back(make_shape(g));
  for (const Shape& s : shapes_)
    if (s.half_space) throw std::invalid_argument("BulkOracle: a link is a half-space");
  X_.resize(links);
  if (num_moving_ > 0) root_ = make_nodes(0, num_moving_);
  num_own_nodes_ = static_cast<int>(nodes_.size());
  own_pair_.assign(size_t(num_moving_) * size_t(num_moving_), -1);
  for (int k = 0; k < exact_.num_own_pairs(); ++k) {
    const auto& p = exact_.pairs()[size_t(k)];
    own_pair_[size_t(p.a) * size_t(num_moving_) + size_t(p.b)] = k;
  }
  set_scene({}, 0.0);
}

BulkOracle::Shape BulkOracle::make_shape(int geometry) const {
  Shape s;
  s.link = exact_.link_of(geometry);
  s.center = to_double(exact_.center_of(geometry));
  s.bound = double(exact_.bound_of(geometry)) * kMore;
  s.solid_mesh = exact_.is_solid_mesh(geometry);
  for (const Solid& solid : exact_.pieces_of(geometry)) {
    if (solid.kind == Solid::Kind::kHalfSpace) {
      s.half_space = true;
      s.normal = to_double(solid.normal);
      s.offset = double(solid.offset);
    }
    s.radius = double(solid.radius);
    Piece piece{solid.kind,
                {},
                to_double(solid.X.R),
                to_double(solid.X.p),
                to_double(solid.center),
                double(solid.round),
                double(solid.half_length),
                double(solid.bound) * kMore};
    for (const Vec3& c : solid.corners) piece.corners.push_back(to_double(c));
    s.pieces.push_back(std::move(piece));
  }
  s.reach = (norm(s.center) + s.bound) * kMore;
  return s;
}

int BulkOracle::make_nodes(int first, int last) {
  const int at = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Node node{};
  node.first = first;
  node.last = last;
  node.left = node.right = -1;
  node.top = node.deepest = shapes_[size_t(first)].link;
  node.on_path = true;
  for (int g = first; g < last; ++g) {
    const Shape& s = shapes_[size_t(g)];
    node.reach = std::max(node.reach, s.reach);
    if (s.link < 0) continue;
    node.top = common(node.top, s.link);
    if (is_above(node.deepest, s.link)) node.deepest = s.link;
  }
  for (int g = first; g < last; ++g)
    node.on_path = node.on_path &&
                   (shapes_[size_t(g)].link < 0 || is_above(shapes_[size_t(g)].link, node.deepest));
  if (last - first > 1) {
    const int middle = first + (last - first) / 2;
    node.left = make_nodes(first, middle);
    node.right = make_nodes(middle, last);
  }
  nodes_[size_t(at)] = node;
  return at;
}

void BulkOracle::set_scene(const SceneSpec& scene, double clearance) {
  exact_.set_scene(scene, clearance);
  clearance_ = clearance;
  shapes_.resize(size_t(num_moving_));
  nodes_.resize(size_t(num_own_nodes_));
  const int all = exact_.num_geometries(), fixed = all - num_moving_;
  for (int g = num_moving_; g < all; ++g) shapes_.push_back(make_shape(g));
  all_.clear();
  if (root_ >= 0) {
    if (exact_.num_own_pairs() > 0) all_.push_back({root_, root_});
    for (int g = num_moving_; g < all; ++g) all_.push_back({root_, make_nodes(g, g + 1)});
  }
  scene_pair_.assign(size_t(num_moving_) * size_t(fixed), -1);
  for (int k = exact_.num_own_pairs(); k < static_cast<int>(exact_.pairs().size()); ++k) {
    const auto& p = exact_.pairs()[size_t(k)];
    scene_pair_[size_t(p.a) * size_t(fixed) + size_t(p.b - num_moving_)] = k;
  }
  direction_.assign(exact_.pairs().size(), {});
  directed_.clear();
  placed_at_ = -1;
}

void BulkOracle::set_motion(const std::vector<double>& q0, const std::vector<double>& q1) {
  exact_.set_motion(q0, q1);
  kinematics_.set_motion(q0, q1);
  set_joints();
}

void BulkOracle::set_spline(const SplineSpec& spline) {
  exact_.set_spline(spline);
  kinematics_.set_spline(spline);
  set_joints();
}

void BulkOracle::set_joints() {
  const size_t links = robot_.links.size();
  for (std::vector<double>* sums : {&along_, &turned_, &moment_, &shifted_}) sums->assign(links, 0);
  double far = 0;
  for (size_t j = 0; j < joints_.size(); ++j) {  // parents come first
    Joint& joint = joints_[j];
    const auto& m = kinematics_.path(static_cast<int>(j));
    joint.base = joint.origin.R * m.R0;
    joint.axis = (1 / norm(m.axis)) * m.axis;
    joint.axis_in_base = joint.base * joint.axis;
    joint.rate = m.greatest_rate() * kMore;
    joint.speed = m.greatest_speed() * kMore;
    const auto& a = m.angle_control;
    const auto& p = m.p_control;
    joint.angular_acceleration =
        most_derivative(a.size(), 2,
                        [&](size_t k) { return std::abs(a[k + 2] - 2 * a[k + 1] + a[k]); }) *
        kMore;
    joint.acceleration =
        most_derivative(p.size(), 2,
                        [&](size_t k) { return norm(p[k + 2] - 2.0 * p[k + 1] + p[k]); }) *
        kMore;
    const size_t child = size_t(joint.child), parent = size_t(joint.parent);
    along_[child] = (along_[parent] + m.farthest() + norm(joint.origin.p)) * (1 + 1e-14);
    turned_[child] = turned_[parent] + joint.rate;
    moment_[child] = moment_[parent] + joint.rate * along_[child];
    shifted_[child] = shifted_[parent] + joint.speed;
    far = std::max(far, along_[child]);
  }
  double reach = 0, turned = 0, shifted = 0;
  for (const Shape& s : shapes_) reach = std::max(reach, s.half_space ? 0.0 : s.reach);
  for (size_t l = 0; l < links; ++l) {
    turned = std::max(turned, turned_[l]);
    shifted = std::max(shifted, shifted_[l]);
  }
  const double steps = double(links) + 8;
  slack_ = 1e-15 * steps * ((far + reach) * turned + shifted);
  // A step from link to link and a support are off by a few roundoffs of the size of all.
  margin_ = 64 * 0x1p-53 * steps * (1 + far + reach);
  for (const int pair : directed_) direction_[size_t(pair)] = {};
  directed_.clear();
  placed_at_ = -1;
}

// Poses, and the velocities of the links at t.
void BulkOracle::place(double t) {
  if (placed_at_ == t) return;
  placed_at_ = t;
  for (size_t l = 0; l < X_.size(); ++l)
    if (joint_of_[l] < 0) X_[l] = {};
  for (size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const auto& m = kinematics_.path(static_cast<int>(j));
    const Placed& above = X_[size_t(joint.parent)];
    Placed& x = X_[size_t(joint.child)];
    const V shift = joint.origin.R * m.p_at(t) + joint.origin.p;
    x.p = above.R * shift + above.p;
    x.axis = above.R * joint.axis_in_base;
    const double angle = m.angle_at(t);
    const double rate = m.angle_control.empty() ? m.rate : slope(m.angle_control, t);
    const V speed = m.p_control.empty() ? m.v : slope(m.p_control, t);
    x.R = angle == 0 ? above.R * joint.base : above.R * (joint.base * rotation(joint.axis, angle));
    x.spin = above.spin + rate * x.axis;
    x.velocity =
        above.velocity + cross(above.spin, x.p - above.p) + above.R * (joint.origin.R * speed);
  }
}

void BulkOracle::place_nodes() {
  for (int k = static_cast<int>(nodes_.size()) - 1; k >= 0; --k) {  // children come after
    Node& node = nodes_[size_t(k)];
    if (node.left < 0) {
      const Shape& s = shapes_[size_t(node.first)];
      node.center = center_of(s);
      node.radius = s.bound;
      continue;
    }
    const Node &a = nodes_[size_t(node.left)], &b = nodes_[size_t(node.right)];
    const V ab = b.center - a.center;
    const double d = norm(ab);
    if (d + b.radius <= a.radius) {
      node.center = a.center;
      node.radius = a.radius;
    } else if (d + a.radius <= b.radius) {
      node.center = b.center;
      node.radius = b.radius;
    } else {
      node.radius = 0.5 * (d + a.radius + b.radius);
      node.center = a.center + ((node.radius - a.radius) / d) * ab;
    }
    node.radius *= 1 + 1e-14;
  }
}

bool BulkOracle::is_above(int a, int b) const {
  return entered_[size_t(a)] <= entered_[size_t(b)] && left_[size_t(b)] <= left_[size_t(a)];
}

int BulkOracle::common(int a, int b) const {
  while (!is_above(a, b)) a = joints_[size_t(joint_of_[size_t(a)])].parent;
  return a;
}

int BulkOracle::pair_of(int a, int b) const {
  if (b >= num_moving_) {
    const size_t fixed = shapes_.size() - size_t(num_moving_);
    return scene_pair_[size_t(a) * fixed + size_t(b - num_moving_)];
  }
  if (a > b) std::swap(a, b);
  return own_pair_[size_t(a) * size_t(num_moving_) + size_t(b)];
}

// How fast a point within `reach` of the link's origin can go, as seen from the ancestor: each
// joint between, with all links beyond it stretched out.
double BulkOracle::speed_bound(int link, double reach, int ancestor) const {
  if (link < 0) return 0;
  const size_t l = size_t(link), a = size_t(std::max(ancestor, 0));
  const double along = along_[l] + reach;
  const double turned = turned_[l] - (ancestor < 0 ? 0 : turned_[a]);
  const double moment = moment_[l] - (ancestor < 0 ? 0 : moment_[a]);
  const double shifted = shifted_[l] - (ancestor < 0 ? 0 : shifted_[a]);
  return (along * turned - moment + shifted) * kMore + slack_;
}

double BulkOracle::speed_bound(const Node& node, int ancestor) const {
  if (node.on_path) return speed_bound(node.deepest, node.reach, ancestor);
  double most = 0;
  for (int g = node.first; g < node.last; ++g)
    most = std::max(most, speed_bound(shapes_[size_t(g)].link, shapes_[size_t(g)].reach, ancestor));
  return most;
}

// For all times within h of the one at hand. With x = p(t) + R(t) y, R turning about an axis at the
// rate w: |x'| <= |p'| + w r + |y'| and |x''| <= |p''| + (w' + w^2) r + 2 w |y'| + |y''|, where r
// is the distance of y from the axis; at the time at hand it is known, and it grows no faster than
// y moves. From the shape up to the ancestor.
BulkOracle::Going BulkOracle::going(const Shape& shape, const V& center, int ancestor,
                                    double h) const {
  Going g;
  for (int l = shape.link; l >= 0 && l != ancestor;) {
    const int j = joint_of_[size_t(l)];
    if (j < 0) break;
    const Joint& joint = joints_[size_t(j)];
    if (joint.rate > 0) {
      const Placed& x = X_[size_t(l)];
      const double r = norm(cross(x.axis, center - x.p)) + shape.bound + h * g.speed + margin_;
      g.bend +=
          (joint.angular_acceleration + joint.rate * joint.rate) * r + 2 * joint.rate * g.speed;
      g.speed += joint.rate * r;
    }
    // A translation that is ahead of the turn: x = p(t) + R y.
    g.bend += joint.acceleration;
    g.speed += joint.speed;
    l = joint.parent;
  }
  return {g.speed * kMore, g.bend * kMore};
}

V BulkOracle::center_of(const Shape& s) const {
  if (s.link < 0) return s.center;
  const Placed& x = X_[size_t(s.link)];
  return x.R * s.center + x.p;
}

V BulkOracle::to_link(const Shape& s, const V& d) const {
  return s.link < 0 ? d : X_[size_t(s.link)].R.transposed_times(d);
}

// The greatest d . x over the shape, or one piece of it (-1: all), with its ball.
double BulkOracle::reach_along(const Shape& s, int piece, const V& d) const {
  const V e = to_link(s, d);
  double most = -kInf;
  const size_t first = piece < 0 ? 0 : size_t(piece);
  const size_t last = piece < 0 ? s.pieces.size() : first + 1;
  for (size_t i = first; i < last; ++i) {
    const Piece& p = s.pieces[i];
    if (p.kind == Solid::Kind::kPolytope) {
      for (const V& c : p.corners) most = std::max(most, dot(e, c));
      continue;
    }
    const V f = p.R.transposed_times(e);
    const double rho = std::sqrt(f.x * f.x + f.y * f.y);
    const double top = p.kind == Solid::Kind::kCylinder
                           ? p.round * rho + p.half_length * std::abs(f.z)
                           : std::max(p.half_length * f.z, p.round * rho - p.half_length * f.z);
    most = std::max(most, dot(e, p.p) + top);
  }
  const double ball = s.radius > 0 ? s.radius * norm(d) : 0;
  return most + ball + (s.link < 0 ? 0 : dot(d, X_[size_t(s.link)].p));
}

// Where the core is farthest along d.
V BulkOracle::farthest(const Shape& s, int piece, const V& d) const {
  const V e = to_link(s, d);
  double most = -kInf;
  V at;
  const size_t first = piece < 0 ? 0 : size_t(piece);
  const size_t last = piece < 0 ? s.pieces.size() : first + 1;
  const auto offer = [&](const V& x) {
    const double here = dot(e, x);
    if (here > most) most = here, at = x;
  };
  for (size_t i = first; i < last; ++i) {
    const Piece& p = s.pieces[i];
    if (p.kind == Solid::Kind::kPolytope) {
      for (const V& c : p.corners) offer(c);
      continue;
    }
    const V f = p.R.transposed_times(e);
    const double rho = std::sqrt(f.x * f.x + f.y * f.y);
    const V rim = rho > 0 ? V{p.round * f.x / rho, p.round * f.y / rho, 0} : V{};
    const double h = p.half_length;
    if (p.kind == Solid::Kind::kCylinder) {
      offer(p.R * V{rim.x, rim.y, f.z > 0 ? h : -h} + p.p);
    } else {
      offer(p.R * V{rim.x, rim.y, -h} + p.p);
      offer(p.R * V{0, 0, h} + p.p);
    }
  }
  return s.link < 0 ? at : X_[size_t(s.link)].R * at + X_[size_t(s.link)].p;
}

// The nearest points of two cores, as they stand, by the simplices of Gilbert, Johnson and Keerthi;
// `gap` is their distance, 0 if they overlap.
BulkOracle::Approach BulkOracle::between(const Shape& a, int i, const Shape& b, int j,
                                         const V& start, int steps) const {
  Simplex s;
  V v = start;
  if (!(dot(v, v) > 0)) v = {1, 0, 0};
  Approach out;
  out.t = placed_at_;
  for (int step = 0; step < steps; ++step) {
    const V pa = farthest(a, i, v), pb = farthest(b, j, -v), w = pb - pa;
    const double vv = dot(v, v);
    if (s.n > 0) {
      if (vv - dot(v, w) <= std::max(1e-13 * vv, 1e-12 * std::sqrt(vv))) break;
      bool known = false;
      for (int k = 0; k < s.n; ++k) known = known || dot(w - s.w[k], w - s.w[k]) == 0;
      if (known) break;
    }
    s.w[s.n] = w;
    s.a[s.n] = pa;
    s.b[s.n] = pb;
    ++s.n;
    const double before = step == 0 ? kInf : vv;
    V next;
    if (!reduce(s, next) || dot(next, next) < 1e-30) {
      out.gap = 0;
      out.a = out.b = pa;
      return out;
    }
    v = next;
    if (dot(v, v) >= before) break;
  }
  out.gap = norm(v);
  for (int k = 0; k < s.n; ++k) {
    out.a = out.a + s.weight[k] * s.a[k];
    out.b = out.b + s.weight[k] * s.b[k];
  }
  return out;
}

// A lower bound of the distance of the two along n, |n| = 1, at every time within h of the one at
// hand. Seen from the ancestor, n stands still, a point x goes along it at n . (v + spin x (x -
// p)), which is linear in x, and `bend` bounds both accelerations.
double BulkOracle::proven_gap(const Shape& a, int i, const Shape& b, int j, const V& n, double h,
                              int ancestor, double bend) const {
  const auto drift = [&](const Shape& s, V& turn, double& shift) {
    if (s.link < 0 || s.link == ancestor) return;
    const Placed& x = X_[size_t(s.link)];
    V spin = x.spin, velocity = x.velocity;
    if (ancestor >= 0) {
      const Placed& f = X_[size_t(ancestor)];
      spin = spin - f.spin;
      velocity = velocity - f.velocity - cross(f.spin, x.p - f.p);
    }
    turn = cross(n, spin);
    shift = dot(n, velocity) - dot(turn, x.p);
  };
  V turn_a, turn_b;
  double shift_a = 0, shift_b = 0;
  drift(a, turn_a, shift_a);
  drift(b, turn_b, shift_b);
  double least = kInf;
  for (const double u : {-h, h}) {
    const double low = b.half_space ? -b.offset : -reach_along(b, j, -n - u * turn_b) + u * shift_b;
    const double high = reach_along(a, i, n + u * turn_a) + u * shift_a;
    least = std::min(least, low - high);
    if (h == 0) break;
  }
  return least - 0.5 * h * h * bend * kMore;
}

BulkOracle::Finding BulkOracle::look(int pair, double t, double h, Gap* gap) {
  ++looks_;
  const auto& p = exact_.pairs()[size_t(pair)];
  const Shape &a = shapes_[size_t(p.a)], &b = shapes_[size_t(p.b)];
  const int ancestor = b.link < 0 ? -1 : common(a.link, b.link);
  const V ca = center_of(a), cb = b.half_space ? V{} : center_of(b);
  const Going ga = going(a, ca, ancestor, h), gb = going(b, cb, ancestor, h);
  const double speed = ga.speed + gb.speed, bend = ga.bend + gb.bend;
  const double need = clearance_ + margin_ + 1e-12 * h * speed;
  const double balls =
      b.half_space ? dot(b.normal, ca) - b.offset - a.bound : norm(ca - cb) - a.bound - b.bound;
  if (balls > need + h * speed * kMore) return Finding::kApart;
  // What is inside a solid is seen by the exact oracle at the start: later it has to get in.
  const bool whole = h == 0 && (a.solid_mesh || b.solid_mesh);
  auto& known = direction_[size_t(pair)];
  const auto proves = [&](const V& n) {
    if (proven_gap(a, -1, b, -1, n, h, ancestor, bend) <= need) return false;
    if (known == std::array<float, 3>{}) directed_.push_back(pair);
    known = {float(n.x), float(n.y), float(n.z)};
    return true;
  };
  if (b.half_space) {
    if (proves(-b.normal)) return Finding::kApart;
    if (-proven_gap(a, -1, b, -1, -b.normal, 0, ancestor, 0) + need < 0) return Finding::kOpen;
    *gap = exact_.gap_at(pair, t);
    too_near_ = too_near_ || gap->hi > 0;
    return gap->hi <= 0 ? Finding::kHit : Finding::kOpen;
  }
  V start = cb - ca;
  if (known != std::array<float, 3>{}) {
    const V n{known[0], known[1], known[2]};
    start = (1 / norm(n)) * n;
    if (proves(start)) return Finding::kApart;
  }
  const Approach found = between(a, -1, b, -1, start, kForDirection);
  if (found.gap > 0) {
    const double distance = found.gap - a.radius - b.radius - clearance_;
    if (proves((1 / found.gap) * (found.b - found.a))) return Finding::kApart;
    if (distance > 4 * margin_ + 1e-11) {
      if (distance < least_.gap) least_ = {distance, t, pair, {}, {}};
      return Finding::kOpen;
    }
  }
  if (whole) {
    *gap = exact_.gap_at(pair, t);
    return gap->hi <= 0 ? Finding::kHit : gap->lo > 0 ? Finding::kApart : Finding::kOpen;
  }
  return look_at_pieces(pair, t, h, ancestor, ga, gb, gap);
}

BulkOracle::Finding BulkOracle::look_at_pieces(int pair, double t, double h, int ancestor,
                                               const Going& ga, const Going& gb, Gap* gap) {
  const auto& p = exact_.pairs()[size_t(pair)];
  const Shape &a = shapes_[size_t(p.a)], &b = shapes_[size_t(p.b)];
  const double speed = ga.speed + gb.speed, bend = ga.bend + gb.bend;
  const double need = clearance_ + margin_ + 1e-12 * h * speed;
  const auto placed = [&](const Shape& s, const V& x) {
    return s.link < 0 ? x : X_[size_t(s.link)].R * x + X_[size_t(s.link)].p;
  };
  Finding all = Finding::kApart;
  for (int i = 0; i < static_cast<int>(a.pieces.size()); ++i) {
    const V ca = placed(a, a.pieces[size_t(i)].center);
    const double ra = a.pieces[size_t(i)].bound + a.radius;
    for (int j = 0; j < static_cast<int>(b.pieces.size()); ++j) {
      const V cb = placed(b, b.pieces[size_t(j)].center);
      const double rb = b.pieces[size_t(j)].bound + b.radius;
      if (norm(ca - cb) - ra - rb > need + h * speed * kMore) continue;
      const Approach found = between(a, i, b, j, cb - ca, kForDirection);
      if (found.gap > 0) {
        const V n = (1 / found.gap) * (found.b - found.a);
        if (proven_gap(a, i, b, j, n, h, ancestor, bend) > need) continue;
        const double distance = found.gap - a.radius - b.radius - clearance_;
        if (distance > 4 * margin_ + 1e-11) {
          if (distance < least_.gap) least_ = {distance, t, pair, {}, {}};
          all = Finding::kOpen;
          continue;
        }
      }
      const Gap g = exact_.piece_gap_at(pair, i, j, t);
      if (g.hi <= 0) {
        *gap = g;
        return Finding::kHit;
      }
      const V ab = to_double(g.b - g.a);
      if (norm(ab) > 0 && proven_gap(a, i, b, j, (1 / norm(ab)) * ab, h, ancestor, bend) > need)
        continue;
      if (double(g.hi) < least_.gap) least_ = {double(g.hi), t, pair, {}, {}};
      too_near_ = true;
      all = Finding::kOpen;
    }
  }
  return all;
}

// Goes through the items at t, for all times within h; `open` gets what is not proven apart. True
// if it met a contact at t: then not all were looked at.
bool BulkOracle::sweep(const std::vector<Item>& items, double t, double h, std::vector<Item>& open,
                       Hit& hit) {
  place(t);
  place_nodes();
  too_near_ = false;
  stack_.assign(items.rbegin(), items.rend());
  while (!stack_.empty()) {
    const Item item = stack_.back();
    stack_.pop_back();
    const Node &a = nodes_[size_t(item.a)], &b = nodes_[size_t(item.b)];
    if (item.a == item.b) {
      if (a.left < 0) continue;
      stack_.push_back({a.right, a.right});
      stack_.push_back({a.left, a.left});
      stack_.push_back({a.left, a.right});
      continue;
    }
    const bool leaves = a.left < 0 && b.left < 0;
    const Shape& other = shapes_[size_t(b.first)];
    const bool fixed = other.link < 0;
    int pair = -1;
    if (leaves && (pair = pair_of(a.first, b.first)) < 0) continue;
    const int ancestor = fixed ? -1 : common(a.top, b.top);
    const double speed = speed_bound(a, ancestor) + (fixed ? 0.0 : speed_bound(b, ancestor));
    const double balls = fixed && other.half_space
                             ? dot(other.normal, a.center) - other.offset - a.radius
                             : norm(a.center - b.center) - a.radius - b.radius;
    if (balls > clearance_ + margin_ + h * speed * kMore) continue;
    if (leaves) {
      Gap gap;
      const Finding finding = look(pair, t, h, &gap);
      if (finding == Finding::kApart) continue;
      open.push_back(item);
      if (finding == Finding::kHit) {
        hit = {pair, gap};
        return true;
      }
      continue;
    }
    const double size = a.radius + (fixed ? 0.0 : b.radius);
    if (h * speed > 0.5 * size && h > 0) {  // shorter times first
      open.push_back(item);
      continue;
    }
    if (b.left < 0 || (a.left >= 0 && a.radius >= b.radius)) {
      stack_.push_back({a.left, item.b});
      stack_.push_back({a.right, item.b});
    } else {
      stack_.push_back({item.a, b.left});
      stack_.push_back({item.a, b.right});
    }
  }
  return false;
}

Truth BulkOracle::judge(double more, int budget) {
  struct Restore {
    double& value;
    const double old;
    ~Restore() { value = old; }
  } const restore{clearance_, clearance_};
  clearance_ += more;
  looks_ = 0;
  least_ = {};
  Truth truth;
  truth.min_gap = kInf;
  double end = 1, band_start = 2;

  std::vector<Item> open;
  Hit hit;
  const auto note = [&](double t) {
    truth.t_hit = truth.t_min = t;
    truth.min_gap = hit.gap.hi;
    truth.pair = hit.pair;
  };
  for (const double t : {0.0, 1.0}) {
    open.clear();
    if (!sweep(all_, t, 0, open, hit)) continue;
    note(t);
    truth.kind = Truth::Kind::kContact;
    if (t == 0) {
      truth.evaluations = looks_;
      return truth;
    }
  }

  struct Part {
    double lo, hi;
    std::vector<Item> items;
  };
  std::vector<Part> parts{{0, end, all_}};
  double proven = 0;
  bool prefix = true;
  while (!parts.empty()) {
    Part part = std::move(parts.back());
    parts.pop_back();
    if (part.lo >= end) continue;
    part.hi = std::min(part.hi, end);
    const double mid = 0.5 * (part.lo + part.hi);
    const double half = std::max(mid - part.lo, part.hi - mid) * kMore;
    open.clear();
    if (sweep(part.items, mid, half, open, hit)) {
      note(mid);
      end = mid;
      if (mid - part.lo > 1e-10)
        parts.push_back({part.lo, mid, std::move(part.items)});
      else
        prefix = false;
      continue;
    }
    if (open.empty()) {
      if (prefix) proven = part.hi;
      continue;
    }
    // Where no proof is possible in the middle, none is by halves; only contacts are looked for.
    if (half < (too_near_ ? 1e-5 : 1e-10) || looks_ > budget) {
      prefix = false;
      band_start = std::min(band_start, part.lo);
      if (looks_ > budget) break;
      continue;
    }
    parts.push_back({mid, part.hi, open});
    parts.push_back({part.lo, mid, open});
  }
  truth.evaluations = looks_;
  truth.t_free = proven;
  truth.kind = truth.t_hit <= 1  ? Truth::Kind::kContact
               : band_start <= 1 ? Truth::Kind::kBand
                                 : Truth::Kind::kFree;
  if (truth.kind != Truth::Kind::kContact) {
    truth.min_gap = least_.gap;
    truth.t_min = least_.t;
    truth.pair = least_.pair;
  }
  return truth;
}

bool BulkOracle::touches_at(double t, int* pair) {
  std::vector<Item> open;
  Hit hit;
  if (!sweep(all_, t, 0, open, hit)) return false;
  if (pair != nullptr) *pair = hit.pair;
  return true;
}

std::array<double, 3> BulkOracle::bounds_over(int pair, double t, double h) {
  place(t);
  const auto& p = exact_.pairs()[size_t(pair)];
  const Shape &a = shapes_[size_t(p.a)], &b = shapes_[size_t(p.b)];
  const int ancestor = b.link < 0 ? -1 : common(a.link, b.link);
  const V ca = center_of(a), cb = b.half_space ? V{} : center_of(b);
  const Going ga = going(a, ca, ancestor, h), gb = going(b, cb, ancestor, h);
  const double balls =
      (b.half_space ? dot(b.normal, ca) - b.offset - a.bound : norm(ca - cb) - a.bound - b.bound) -
      clearance_;
  const double stretched =
      speed_bound(a.link, a.reach, ancestor) + speed_bound(b.link, b.reach, ancestor);
  V n = -b.normal;
  if (!b.half_space) {
    const Approach found = between(a, -1, b, -1, cb - ca, kForDistance);
    n = found.gap > 0 ? (1 / found.gap) * (found.b - found.a) : V{1, 0, 0};
  }
  return {balls - h * stretched, balls - h * (ga.speed + gb.speed),
          proven_gap(a, -1, b, -1, n, h, ancestor, ga.bend + gb.bend) - clearance_};
}

BulkOracle::Approach BulkOracle::approach(int pair, double t) {
  place(t);
  const auto& p = exact_.pairs()[size_t(pair)];
  const Shape &a = shapes_[size_t(p.a)], &b = shapes_[size_t(p.b)];
  Approach best;
  if (b.half_space) {
    best.a = farthest(a, -1, -b.normal);
    const double h = dot(b.normal, best.a) - b.offset;
    best.b = best.a - h * b.normal;
    best.a = best.a - a.radius * b.normal;
    best.gap = h - a.radius;
  } else {
    const auto placed = [&](const Shape& s, const V& x) {
      return s.link < 0 ? x : X_[size_t(s.link)].R * x + X_[size_t(s.link)].p;
    };
    const double radii = a.radius + b.radius;
    for (int i = 0; i < static_cast<int>(a.pieces.size()); ++i) {
      const V ca = placed(a, a.pieces[size_t(i)].center);
      for (int j = 0; j < static_cast<int>(b.pieces.size()); ++j) {
        const V cb = placed(b, b.pieces[size_t(j)].center);
        if (norm(ca - cb) - a.pieces[size_t(i)].bound - b.pieces[size_t(j)].bound - radii >=
            best.gap)
          continue;
        Approach here = between(a, i, b, j, cb - ca, kForDistance);
        here.gap -= radii;
        if (here.gap < best.gap) best = here;
      }
    }
  }
  best.gap -= clearance_;
  best.t = t;
  best.pair = pair;
  return best;
}

BulkOracle::Approach BulkOracle::nearest_at(double t) {
  place(t);
  std::vector<V> centers;
  for (const Shape& s : shapes_) centers.push_back(center_of(s));
  Approach best;
  for (int k = 0; k < static_cast<int>(exact_.pairs().size()); ++k) {
    const auto& p = exact_.pairs()[size_t(k)];
    const Shape &a = shapes_[size_t(p.a)], &b = shapes_[size_t(p.b)];
    const double balls =
        b.half_space ? dot(b.normal, centers[size_t(p.a)]) - b.offset - a.bound
                     : norm(centers[size_t(p.a)] - centers[size_t(p.b)]) - a.bound - b.bound;
    if (balls - clearance_ >= best.gap) continue;
    const Approach here = approach(k, t);
    if (here.gap < best.gap) best = here;
  }
  return best;
}

BulkOracle::Approach BulkOracle::descend(int pair, double t, double step, double least) {
  Approach best = approach(pair, t);
  while (step > least) {
    bool moved_on = false;
    for (const double s : {best.t - step, best.t + step}) {
      const Approach here = approach(pair, std::clamp(s, 0.0, 1.0));
      if (here.gap < best.gap) {
        best = here;
        moved_on = true;
      }
    }
    if (!moved_on) step *= 0.4;
  }
  return best;
}

BulkOracle::Approach BulkOracle::nearest(int samples, double least) {
  std::vector<Approach> starts;
  for (int i = 0; i <= samples; ++i) {
    const Approach start = nearest_at(double(i) / samples);
    if (start.pair >= 0) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end(),
            [](const Approach& s, const Approach& t) { return s.gap < t.gap; });
  if (starts.size() > 3) starts.resize(3);
  Approach best;
  for (const Approach& start : starts) {
    const Approach low = descend(start.pair, start.t, 0.5 / samples, 1e-5);
    if (low.gap < best.gap) best = low;
  }
  return best.pair < 0 ? best : descend(best.pair, best.t, 1e-5, least);
}

}  // namespace catena::oracle
