#include "path_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "refusal.hpp"

namespace catena::certificate {
namespace {

// Continuous angles are reduced by the double nearest to 2 pi; the motion itself turns by 2 pi.
constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kPi = std::numbers::pi;

[[noreturn]] void fail(const Link& link, const std::string& why) {
  throw Refusal("joint \"" + link.joint + "\": " + why);
}

double reduced(const Link& link, double angle) {
  if (std::abs(angle) <= kPi) return angle;
  if (!(std::abs(angle) <= 1e6)) fail(link, "its angle is beyond 1e6 rad");
  return std::remainder(angle, kTwoPi);
}

double clamped(const Link& link, double value) {
  if (!(value >= link.lower - 1e-9 && value <= link.upper + 1e-9))
    fail(link, "its value is outside its limits");
  const double inside = std::clamp(value, link.lower, link.upper);
  if (link.kind == JointKind::kRevolute && !(std::abs(inside) <= 1e6))
    fail(link, "its angle is beyond 1e6 rad");
  if (!(std::abs(inside) <= 1e50)) fail(link, "it is moved beyond 1e50 m");
  return inside;
}

struct Travel {
  Real start, rate;
};

// The shorter way; which one it is, the rounded difference says, by definition.
Travel around(double a, double b) {
  const double difference = b - a;
  const Real straight = Real(b) - Real(a);
  if (std::abs(difference) <= kPi) return {a, straight};
  const Real turn = Real(2.0) * pi();
  return {a, difference > 0.0 ? straight - turn : straight + turn};
}

// A joint that follows one which crosses the seam would end elsewhere than its end state says,
// unless it turns a whole number of times.
void require_seamless(const Link& link, const Real& multiplier) {
  const double turns = multiplier.hi;
  const bool closes = link.kind == JointKind::kContinuous &&
                      std::abs(turns - std::nearbyint(turns)) * kTwoPi <= 1e-9;
  if (turns != 0.0 && !closes) fail(link, "the seam of what it mimics tears its motion");
}

void check_slopes(const Proven::Edge& edge, std::size_t count) {
  const bool has_velocity = !edge.from_velocity.empty(), has_both = !edge.from_acceleration.empty();
  for (const auto* values : {&edge.from_velocity, &edge.to_velocity})
    if (values->size() != (has_velocity ? count : 0))
      throw Refusal("velocities are not as many as values at both ends");
  for (const auto* values : {&edge.from_acceleration, &edge.to_acceleration})
    if (values->size() != (has_both ? count : 0))
      throw Refusal("accelerations are not as many as values at both ends");
  if (has_both && !has_velocity) throw Refusal("there are accelerations, but no velocities");
  if (has_velocity && edge.duration == 0.0) throw Refusal("there are velocities, but no duration");
}

// The coefficients of t ... t^5 of the spline that goes `step` farther, of one value.
using Coefficients = std::array<Real, 5>;
Coefficients spline_of(const Proven::Edge& edge, std::size_t k, const Real& step) {
  const Real T = edge.duration, zero;
  if (edge.from_velocity.empty()) return {step, zero, zero, zero, zero};
  const Real v0 = Real(edge.from_velocity[k]) * T, v1 = Real(edge.to_velocity[k]) * T;
  if (edge.from_acceleration.empty()) {
    return {v0, Real(3.0) * step - Real(2.0) * v0 - v1, v0 + v1 - Real(2.0) * step, zero, zero};
  }
  // Half the accelerations, over the whole time.
  const Real a0 = Real(0.5) * Real(edge.from_acceleration[k]) * T * T,
             a1 = Real(0.5) * Real(edge.to_acceleration[k]) * T * T;
  // What the first three terms leave to the last three, and their two derivatives, at the end.
  const Real gap = step - v0 - a0, slope = v1 - v0 - Real(2.0) * a0, bend = Real(2.0) * (a1 - a0);
  return {v0, a0, Real(10.0) * gap - Real(4.0) * slope + Real(0.5) * bend,
          Real(7.0) * slope - Real(15.0) * gap - bend,
          Real(6.0) * gap - Real(3.0) * slope + Real(0.5) * bend};
}

// No value of a polynomial over [0, 1] is larger than the largest of Bernstein's coefficients.
// `values`: of the powers of t from 0 to the degree.
template <class T, std::size_t N, class Above>
double largest(const std::array<T, N>& values, const Above& above) {
  double most = 0.0;
  for (std::size_t j = 0; j < N; ++j) {
    T sum = values[0];
    Real share = 1.0;  // binomial of j over i by binomial of the degree over i
    for (std::size_t i = 1; i <= j; ++i) {
      share = share * Real(static_cast<double>(j + 1 - i)) / Real(static_cast<double>(N - i));
      sum = sum + share * values[i];
    }
    const double size = above(sum);
    if (!(size <= most)) most = size;
    if (!(most == most)) break;  // what is no number is not forgotten
  }
  return most;
}

template <class T, class Above>
void bound_changes(const T& c1, const std::array<T, 4>& c, const Above& above, double& first,
                   double& second) {
  first = largest(
      std::array<T, 5>{c1, Real(2.0) * c[0], Real(3.0) * c[1], Real(4.0) * c[2], Real(5.0) * c[3]},
      above);
  second = largest(
      std::array<T, 4>{Real(2.0) * c[0], Real(6.0) * c[1], Real(12.0) * c[2], Real(20.0) * c[3]},
      above);
}

bool is_zero(const Real& x) { return x.hi == 0.0 && x.lo == 0.0; }
bool is_zero(const Vec& v) { return is_zero(v.x) && is_zero(v.y) && is_zero(v.z); }

// Does a value of a spline move? By what the file says, as a product of two numbers may round to 0.
bool moves(const Proven::Edge& edge, std::size_t k) {
  const auto any = [&](const std::vector<double>& values) {
    return !values.empty() && values[k] != 0.0;
  };
  return edge.from[k] != edge.to[k] || any(edge.from_velocity) || any(edge.to_velocity) ||
         any(edge.from_acceleration) || any(edge.to_acceleration);
}

// x and y turned by the shortest rotation from z to the axis; by half a turn about x for -z.
std::pair<Vec, Vec> plane_axes(const Link& link, const Vec& z) {
  if (link.axis[2] < 0.0 && link.axis[0] == 0.0 && link.axis[1] == 0.0)
    return {{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}};
  const Real k = link.axis[2] < 0.0 ? (Real(1.0) - z.z) / (z.x * z.x + z.y * z.y)
                                    : Real(1.0) / (Real(1.0) + z.z);
  return {{Real(1.0) - k * z.x * z.x, -(k * z.x * z.y), -z.x},
          {-(k * z.x * z.y), Real(1.0) - k * z.y * z.y, -z.y}};
}

}  // namespace

std::vector<int> find_joints(const Model& model, const std::vector<std::string>& names) {
  std::unordered_map<std::string, int> moving;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.kind == JointKind::kFixed || link.mimic) continue;
    if (!moving.emplace(link.joint, static_cast<int>(i)).second)
      throw Refusal("two joints are called \"" + link.joint + "\"");
  }
  std::vector<int> joints;
  for (const std::string& name : names) {
    const auto found = moving.find(name);
    if (found == moving.end())
      throw Refusal("joint \"" + name + "\" is none that moves by itself, or is listed twice");
    joints.push_back(found->second);
    moving.erase(found);
  }
  if (!moving.empty()) throw Refusal("joint \"" + moving.begin()->first + "\" has no values");
  return joints;
}

PathMotion::PathMotion(const Model& model, const std::vector<int>& joints, const Proven::Edge& edge)
    : model_(model) {
  const bool spline = edge.duration > 0.0;
  // A spline's joints are set where it starts, and then curved.
  const std::vector<double>&from = edge.from, &to = spline ? edge.from : edge.to;
  const std::size_t n = model.links.size();
  joints_.resize(n);
  standing_.resize(n);
  std::vector<std::size_t> first(n, 0);
  std::size_t count = 0;
  for (const int j : joints) {
    first[static_cast<std::size_t>(j)] = count;
    count += static_cast<std::size_t>(num_values(model.links[static_cast<std::size_t>(j)].kind));
  }
  if (from.size() != count || edge.to.size() != count)
    throw Refusal("a state has not " + std::to_string(count) + " values");
  check_slopes(edge, count);
  for (std::size_t i = 0; i < n; ++i)
    if (model.links[i].kind != JointKind::kFixed) by_name_.emplace(model.links[i].joint, i);

  for (std::size_t i = 0; i < n; ++i) {
    const Link& link = model.links[i];
    Joint& joint = joints_[i];
    const bool one_value = num_values(link.kind) == 1;
    if (one_value || link.kind == JointKind::kPlanar)
      joint.axis = unit({link.axis[0], link.axis[1], link.axis[2]});
    if (one_value) {
      const auto [source, multiplier, offset] = leader_of(i);
      const Link& leader = model.links[source];
      const double a = from[first[source]], b = to[first[source]];
      Travel travel;
      if (leader.kind == JointKind::kContinuous) {
        const double start = reduced(leader, a), end = reduced(leader, b);
        travel = around(start, end);
        const bool wraps = !(std::abs(end - start) <= kPi);
        if (wraps && source != i) require_seamless(link, multiplier);
      } else {
        const double start = clamped(leader, a);
        travel = {start, Real(clamped(leader, b)) - Real(start)};
      }
      if (source != i) travel = {multiplier * travel.start + offset, multiplier * travel.rate};
      if (link.kind == JointKind::kPrismatic) {
        joint.p0 = travel.start * joint.axis;
        joint.v = travel.rate * joint.axis;
        if (is_zero(travel.rate)) joint.v = {};
      } else {
        joint.angle = travel.start;
        joint.rate = travel.rate;
      }
    } else if (link.kind == JointKind::kPlanar) {
      const double* a = &from[first[i]];
      const double* b = &to[first[i]];
      for (const double* q : {a, b})
        for (int k = 0; k < 2; ++k)
          if (!(std::abs(q[k]) <= 1e50)) fail(link, "it is moved beyond 1e50 m");
      const auto [x, y] = plane_axes(link, joint.axis);
      joint.p0 = Real(a[0]) * x + Real(a[1]) * y;
      if (a[0] != b[0] || a[1] != b[1])
        joint.v = (Real(b[0]) - Real(a[0])) * x + (Real(b[1]) - Real(a[1])) * y;
      const Travel travel = around(reduced(link, a[2]), reduced(link, b[2]));
      joint.angle = travel.start;
      joint.rate = travel.rate;
    } else if (link.kind == JointKind::kFloating || link.kind == JointKind::kBall) {
      const double* a = &from[first[i]];
      const double* b = &to[first[i]];
      if (link.kind == JointKind::kFloating) {
        for (const double* q : {a, b})
          for (int k = 0; k < 3; ++k)
            if (!(std::abs(q[k]) <= 1e50)) fail(link, "it is moved beyond 1e50 m");
        joint.p0 = {a[0], a[1], a[2]};
        if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
          joint.v = {Real(b[0]) - Real(a[0]), Real(b[1]) - Real(a[1]), Real(b[2]) - Real(a[2])};
        a += 3;
        b += 3;
      }
      set_quaternions(a, b, link.joint, joint);
    }
    if (is_zero(joint.rate)) joint.rate = 0.0;
    joint.rate_above = is_zero(joint.rate) ? 0.0 : joint.rate.magnitude();
    joint.speed_above = is_zero(joint.v) ? 0.0 : length_above(joint.v);
    if (spline && link.kind != JointKind::kFixed) set_curve(link, i, edge, first, joint);
    if (joint.rate_above == 0.0 && joint.speed_above == 0.0) {
      Pose X_JL{turn(joint.axis, joint.angle), joint.p0};
      if (joint.angle.hi == 0.0 && joint.angle.radius == 0.0) X_JL.R = {};
      if (joint.first_turn) X_JL.R = joint.R0 * X_JL.R;
      standing_[i] = link.X_PJ * X_JL;
    }
  }
}

PathMotion::Leader PathMotion::leader_of(std::size_t i) const {
  // value = multiplier * its value + offset.
  Leader leader{i, 1.0, 0.0};
  for (std::size_t steps = 0; model_.links[leader.source].mimic; ++steps) {
    const Link::Mimic& mimic = *model_.links[leader.source].mimic;
    const auto next = by_name_.find(mimic.joint);
    if (next == by_name_.end() || steps > model_.links.size() ||
        num_values(model_.links[next->second].kind) != 1)
      fail(model_.links[i], "it mimics no joint of one value");
    leader.offset += leader.multiplier * Real(mimic.offset);
    leader.multiplier *= Real(mimic.multiplier);
    leader.source = next->second;
  }
  return leader;
}

// Adds what a spline does to a joint that is where it starts.
void PathMotion::set_curve(const Link& link, std::size_t i, const Proven::Edge& edge,
                           const std::vector<std::size_t>& first, Joint& joint) const {
  bool turns = false, shifts = false;
  const auto turn_by = [&](const Coefficients& c) {
    joint.rate = c[0];
    std::copy(c.begin() + 1, c.end(), joint.angle_curve.begin());
  };
  const auto shift_by = [&](const Coefficients& c, const Vec& along) {
    joint.v = joint.v + c[0] * along;
    for (std::size_t k = 0; k < 4; ++k)
      joint.shift_curve[k] = joint.shift_curve[k] + c[k + 1] * along;
  };
  const auto step_of = [&](std::size_t k) { return Real(edge.to[k]) - Real(edge.from[k]); };
  // A continuous angle goes on by what its two values differ by; whether these are in one turn.
  const auto crosses_seam = [&](const Link& of, std::size_t k) {
    const double whole =
        (reduced(of, edge.to[k]) - reduced(of, edge.from[k])) - (edge.to[k] - edge.from[k]);
    return std::abs(whole) > 1.0;
  };
  if (num_values(link.kind) == 1) {
    const auto [source, multiplier, offset] = leader_of(i);
    const Link& leader = model_.links[source];
    const std::size_t k = first[source];
    Real step = step_of(k);
    if (leader.kind == JointKind::kContinuous) {
      if (crosses_seam(leader, k) && source != i) require_seamless(link, multiplier);
    } else {
      step = Real(clamped(leader, edge.to[k])) - Real(clamped(leader, edge.from[k]));
    }
    Coefficients c = spline_of(edge, k, step);
    if (source != i)
      for (Real& x : c) x = multiplier * x;
    const bool moving = moves(edge, k) && !(source != i && is_zero(multiplier));
    if (link.kind == JointKind::kPrismatic) {
      shift_by(c, joint.axis);
      shifts = moving;
    } else {
      turn_by(c);
      turns = moving;
    }
  } else if (link.kind == JointKind::kPlanar) {
    const std::size_t k = first[i];
    const auto [x, y] = plane_axes(link, joint.axis);
    shift_by(spline_of(edge, k, step_of(k)), x);
    shift_by(spline_of(edge, k + 1, step_of(k + 1)), y);
    shifts = moves(edge, k) || moves(edge, k + 1);
    crosses_seam(link, k + 2);  // refuses what is no angle
    turn_by(spline_of(edge, k + 2, step_of(k + 2)));
    turns = moves(edge, k + 2);
  } else {
    std::size_t k = first[i];
    if (link.kind == JointKind::kFloating) {
      for (const Vec& along : {Vec{1.0, 0.0, 0.0}, Vec{0.0, 1.0, 0.0}, Vec{0.0, 0.0, 1.0}}) {
        shift_by(spline_of(edge, k, step_of(k)), along);
        shifts = shifts || moves(edge, k);
        ++k;
      }
    }
    for (std::size_t end = k + 4; k < end; ++k)
      if (moves(edge, k)) fail(link, "a spline turns its quaternion");
  }
  if (turns) {
    bound_changes(
        joint.rate, joint.angle_curve, [](const Real& x) { return x.magnitude(); },
        joint.rate_above, joint.turn_acceleration_above);
    if (!(joint.rate_above <= 1e7 && joint.turn_acceleration_above <= 1e9))
      fail(link, "its spline turns faster than 1e7 rad");
  }
  if (shifts) {
    bound_changes(joint.v, joint.shift_curve, length_above, joint.speed_above,
                  joint.shift_acceleration_above);
    if (!(joint.speed_above <= 1e50 && joint.shift_acceleration_above <= 1e52))
      fail(link, "it is moved beyond 1e50 m");
  }
  joint.curved = turns || shifts;
}

// A first rotation, and a turn about an axis of the body at a constant rate: slerp.
void PathMotion::set_quaternions(const double* from, const double* to, const std::string& what,
                                 Joint& joint) {
  const auto normalised = [&](const double* q) {
    std::array<Real, 4> r;
    Real squared;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!(std::abs(q[k]) <= 2.0)) throw Refusal("joint \"" + what + "\": no unit quaternion");
      r[k] = q[k];
      squared += r[k] * r[k];
    }
    const Real length = sqrt(squared);
    if (!(std::abs(length.hi - 1.0) <= 1.01e-3))
      throw Refusal("joint \"" + what + "\": no unit quaternion");
    const Real scale = Real(1.0) / length;
    for (Real& c : r) c *= scale;
    return r;
  };
  const std::array<Real, 4> a = normalised(from);
  std::array<Real, 4> b = normalised(to);
  joint.R0 = rotation_of(a);
  joint.first_turn = true;
  const auto same = [&](double sign) {
    for (int k = 0; k < 4; ++k)
      if (from[k] != sign * to[k]) return false;
    return true;
  };
  if (same(1.0) || same(-1.0)) return;
  Real w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  // Which way is shorter the rounded sum says, by definition; near half a turn it is not known
  // here.
  if (!(std::abs(w.hi) > 1e-14))
    throw Refusal("joint \"" + what + "\": it turns by half a turn, either way round");
  if (w.hi < 0.0) {
    for (Real& c : b) c = -c;
    w = -w;
  }
  const Vec av{a[0], a[1], a[2]}, bv{b[0], b[1], b[2]};
  const Vec v = a[3] * bv - b[3] * av - cross(av, bv);  // of conj(a) b
  const Real sine = norm(v);
  if (!is_positive(sine)) throw Refusal("joint \"" + what + "\": its turn is too small to follow");
  joint.axis = (Real(1.0) / sine) * v;
  joint.rate = Real(2.0) * angle_of(sine, w);
}

Instant PathMotion::at(double t) const {
  const std::size_t n = model_.links.size();
  Instant now;
  now.links.resize(n);
  now.joints.resize(n);
  std::vector<ChainPose> chains(n);
  for (std::size_t i = 1; i < n; ++i) {
    const Link& link = model_.links[i];
    const Joint& joint = joints_[i];
    const Instant::LinkState& parent = now.links[static_cast<std::size_t>(link.parent)];
    Instant::LinkState& self = now.links[i];
    self.spin = parent.spin;
    self.drift = parent.drift;
    chains[i] = chains[static_cast<std::size_t>(link.parent)];
    if (joint.rate_above == 0.0 && joint.speed_above == 0.0) {
      chains[i].follow(standing_[i]);
      self.X_WL = chains[i].pose();
      continue;
    }
    Pose X_JL{joint.R0, joint.p0};
    Real travel = Real(t) * joint.rate, rate = joint.rate;
    Vec shift = Real(t) * joint.v, velocity = joint.v;
    if (joint.curved) {
      Real power = t;  // t^k
      for (std::size_t k = 0; k < 4; ++k) {
        const Real slope = Real(static_cast<double>(k + 2)) * power;
        rate += slope * joint.angle_curve[k];
        velocity = velocity + slope * joint.shift_curve[k];
        power *= Real(t);
        travel += power * joint.angle_curve[k];
        shift = shift + power * joint.shift_curve[k];
      }
    }
    if (joint.rate_above > 0.0 || joint.angle.hi != 0.0) {
      const Rotation turned = turn(joint.axis, joint.angle + travel);
      X_JL.R = joint.first_turn ? joint.R0 * turned : turned;
    }
    if (joint.speed_above > 0.0) X_JL.p = joint.p0 + shift;
    chains[i].follow(link.X_PJ * X_JL);
    self.X_WL = chains[i].pose();
    const Vec& o = self.X_WL.p;
    Instant::JointPlace& place = now.joints[i];
    if (joint.rate_above > 0.0) {
      const Vec axis = self.X_WL.R * joint.axis;  // it stays where the turn about it leaves it
      const Vec spin = rate * axis;
      self.spin = self.spin + spin;
      self.drift = self.drift - cross(spin, o);
      place.axis = {axis.x.hi, axis.y.hi, axis.z.hi};
      place.error += axis.x.radius + axis.y.radius + axis.z.radius;
    }
    if (joint.speed_above > 0.0) self.drift = self.drift + parent.X_WL.R * (link.X_PJ.R * velocity);
    place.origin = {o.x.hi, o.y.hi, o.z.hi};
    place.error += o.x.radius + o.y.radius + o.z.radius +
                   1e-15 * (std::abs(o.x.hi) + std::abs(o.y.hi) + std::abs(o.z.hi));
  }
  return now;
}

}  // namespace catena::certificate
