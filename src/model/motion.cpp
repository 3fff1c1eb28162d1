#include "catena/model/motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "spline_travel.hpp"
#include "turn_kernel.hpp"

namespace catena {
namespace {

// The double nearest to 2 pi; continuous angles are reduced by it (design, Values).
constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kPi = std::numbers::pi;
// |2 pi - kTwoPi|, rounded up: what a turn across the seam adds to an angle.
constexpr double kTwoPiError = 2.5e-16;
constexpr double kMaxAngle = 1e6;         // rad
constexpr double kLimitSlack = 1e-9;      // rad or m: this far outside, a value is clamped
constexpr double kMimicAgreement = 1e-9;  // rad: end states of a mimic joint may differ by this

[[noreturn]] void fail(const Joint& joint, const std::string& problem, const std::string& remedy) {
  throw std::invalid_argument("joint \"" + joint.name + "\": " + problem + "; " + remedy);
}

std::string show(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void require_finite(const Joint& joint, double value) {
  if (!std::isfinite(value))
    fail(joint, "its value is not a finite number", "give a finite number");
}

double reduce_angle(const Joint& joint, double value) {
  require_finite(joint, value);
  if (std::abs(value) <= kPi) return value;
  if (std::abs(value) > kMaxAngle) {
    fail(joint, "angle " + show(value) + " rad is beyond 1e6",
         "give an equal angle of fewer turns");
  }
  return std::remainder(value, kTwoPi);  // exact
}

double clamp_to_limits(const Joint& joint, double value) {
  require_finite(joint, value);
  if (value < joint.lower - kLimitSlack || value > joint.upper + kLimitSlack) {
    fail(joint,
         "value " + show(value) + " is outside its limits [" + show(joint.lower) + ", " +
             show(joint.upper) + "]",
         "give a value within them");
  }
  const double clamped = std::clamp(value, joint.lower, joint.upper);
  if (joint.type == JointType::kRevolute && std::abs(clamped) > kMaxAngle) {
    fail(joint, "angle " + show(value) + " rad is beyond 1e6", "give a smaller angle");
  }
  return clamped;
}

Eigen::Vector4d quaternion_of(const Joint& joint, const Eigen::Ref<const Eigen::VectorXd>& q,
                              int first) {
  const Eigen::Vector4d xyzw = q.segment<4>(first);
  for (int i = 0; i < 4; ++i) require_finite(joint, xyzw[i]);
  if (!(xyzw.cwiseAbs().maxCoeff() > 0.0)) {
    fail(joint, "its quaternion is zero", "give a unit quaternion x y z w");
  }
  const double length = xyzw.stableNorm();
  if (!(std::abs(length - 1.0) <= 1e-3)) {
    fail(joint, "its quaternion has length " + show(length), "give a unit quaternion x y z w");
  }
  return xyzw;
}

// Where an angle goes from a (reduced) to b (reduced): the signed travel, the shorter way round.
double shorter_way(double a, double b, bool& wraps) {
  const double difference = b - a;
  wraps = !(std::abs(difference) <= kPi);
  if (!wraps) return difference;
  return difference > 0.0 ? difference - kTwoPi : difference + kTwoPi;
}

struct Travel {
  double start = 0.0, rate = 0.0, error = 0.0, rate_error = 0.0;
};

// start + t rate encloses the exact value to `error` for t in [0, 1] (docs/rigor.md, R2).
Travel straight(double a, double b) {
  Travel t{a, b - a, 0.0, 0.0};
  t.rate_error = kUnitRoundoff * std::abs(t.rate);
  t.error = a == b ? 0.0 : 6.0 * kUnitRoundoff * (std::abs(a) + std::abs(b));
  return t;
}

Travel around(double a, double b) {
  bool wraps = false;
  Travel t{a, shorter_way(a, b, wraps), 0.0, 0.0};
  if (a == b) return t;
  t.rate_error = kUnitRoundoff * std::abs(t.rate);
  if (wraps) t.rate_error += 2.0 * kUnitRoundoff * (std::abs(a) + std::abs(b)) + kTwoPiError;
  t.error = 8.0 * kUnitRoundoff * (std::abs(a) + std::abs(b) + kTwoPi) * (wraps ? 1.0 : 0.0) +
            6.0 * kUnitRoundoff * (std::abs(a) + std::abs(b)) + t.rate_error;
  return t;
}

Travel mimicked(const Travel& parent, const Mimic& mimic) {
  Travel t;
  const double m = mimic.multiplier;
  t.start = m * parent.start + mimic.offset;
  t.rate = m * parent.rate;
  const double reach = std::abs(parent.start) + std::abs(parent.rate) + parent.error;
  t.rate_error = std::abs(m) * parent.rate_error + mimic.multiplier_error * std::abs(parent.rate) +
                 kUnitRoundoff * std::abs(t.rate);
  t.error =
      bound_above(std::abs(m) * parent.error + mimic.multiplier_error * reach + mimic.offset_error +
                      4.0 * kUnitRoundoff * (std::abs(m) * reach + std::abs(mimic.offset)),
                  20);
  if (parent.rate == 0.0) t.rate_error = 0.0;
  return t;
}

// The same of a spline's travel from there on.
internal::SplineTravel mimicked(internal::SplineTravel travel, const Mimic& mimic) {
  const double m = std::abs(mimic.multiplier);
  travel.error =
      bound_above(m * travel.error + mimic.multiplier_error * (travel.size + travel.error) +
                      kUnitRoundoff * m * travel.size,
                  8);
  for (double& c : travel.c) c *= mimic.multiplier;
  travel.size = bound_above(m * travel.size, 2);
  travel.moves = travel.moves && (m != 0.0 || mimic.multiplier_error != 0.0);
  return travel;
}

// Slerp of unit quaternions as a fixed first rotation and a turn about a body-fixed axis.
void set_slerp(const Eigen::Vector4d& from, Eigen::Vector4d to, Motion::JointMotion& m) {
  const RigidEnclosure start = RigidEnclosure::from_quaternion(Vector3d::Zero(), from);
  m.R0 = start.X.R;
  m.R0_error = start.rotation_error;
  if (from == to || from == -to) return;
  const Eigen::Vector4d f = from.stableNormalized();
  to = to.stableNormalized();
  // The sign of the rounded dot product says which way is shorter; it is part of the definition of
  // the motion, so that a half turn has one meaning.
  if (f.dot(to) < 0.0) to = -to;
  // conj(f) * to, both as (x, y, z, w). The vector part is built from differences, so that a tiny
  // turn keeps its relative accuracy: conj(f) * f has none.
  const Eigen::Vector4d d = to - f;
  const Vector3d fv = f.head<3>(), dv = d.head<3>();
  const Vector3d v = f[3] * dv - d[3] * fv - fv.cross(dv);
  const double w = f.dot(to);
  const double sine = v.norm();
  if (sine == 0.0) {
    m.angle_error = 64 * kUnitRoundoff;
    m.rate_bound = 64 * kUnitRoundoff;
    m.moves = true;
    return;
  }
  m.axis = v / sine;
  m.rate = 2.0 * std::atan2(sine, w);
  // Rounding moves v by at most some 20 u, which turns the axis by 20 u / |v| and changes the angle
  // by 40 u: the product of angle and axis, all that matters for the rotation, is off by 100 u at
  // most.
  m.axis_error = 0.0;
  m.angle_error = 8.0 * 5.0 * 32 * kUnitRoundoff;
  m.rate_bound = bound_above(m.rate + 128 * kUnitRoundoff, 2);
  m.moves = true;
}

// The two axes of a planar joint: x and y turned by the shortest rotation from z to the normal.
// n is relatively accurate in each component, hence so are they, also where n nearly points down.
void planar_axes(const Vector3d& n, Vector3d& x, Vector3d& y) {
  const double sideways2 = n.x() * n.x() + n.y() * n.y();
  if (n.z() < 0.0 && sideways2 == 0.0) {  // a half turn about x, by convention
    x = Vector3d::UnitX();
    y = -Vector3d::UnitY();
    return;
  }
  const double k = n.z() < 0.0 ? (1.0 - n.z()) / sideways2 : 1.0 / (1.0 + n.z());
  x = {1.0 - k * n.x() * n.x(), -k * n.x() * n.y(), -n.x()};
  y = {-k * n.x() * n.y(), 1.0 - k * n.y() * n.y(), -n.y()};
}

// A joint that follows one which crosses the seam: it ends where its end state says only if it
// turns a whole number of times.
void require_seamless(const Joint& joint, const Joint& source) {
  const double turns = joint.mimic->multiplier;
  const bool closes = joint.type == JointType::kContinuous &&
                      std::abs(turns - std::round(turns)) * kTwoPi <= kMimicAgreement;
  if (turns == 0.0 || closes) return;
  fail(joint,
       "it mimics \"" + source.name +
           "\", which crosses the seam at pi here, and would "
           "end elsewhere than its end state says",
       "choose end states on one side of the seam");
}

// One joint's part of the motion from q0 to q1, which are of the right sizes.
void set_joint(const Robot& robot, LinkIndex i, const Eigen::Ref<const Eigen::VectorXd>& q0,
               const Eigen::Ref<const Eigen::VectorXd>& q1, Motion::JointMotion& m) {
  const Joint& joint = robot.joint(i);
  m = {};
  m.axis = joint.axis;
  m.axis_error = joint.axis_error;
  const int k = joint.q_index;

  // The travel of a joint of one value, its own or its mimic's.
  Travel travel;
  if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
      joint.type == JointType::kContinuous) {
    const Joint& source = joint.mimic ? robot.joint(joint.mimic->source) : joint;
    const int s = source.q_index;
    if (source.type == JointType::kContinuous) {
      const double a = reduce_angle(source, q0[s]), b = reduce_angle(source, q1[s]);
      travel = around(a, b);
      bool wraps = false;
      shorter_way(a, b, wraps);
      if (joint.mimic && wraps) require_seamless(joint, source);
    } else {
      travel = straight(clamp_to_limits(source, q0[s]), clamp_to_limits(source, q1[s]));
    }
    if (joint.mimic) travel = mimicked(travel, *joint.mimic);
    const double rate_bound = bound_above(std::abs(travel.rate) + travel.rate_error, 4);
    m.moves = travel.rate != 0.0 || travel.rate_error != 0.0;
    if (joint.type == JointType::kPrismatic) {
      m.p0 = travel.start * joint.axis;
      m.v = travel.rate * joint.axis;
      const double reach = std::abs(travel.start) + std::abs(travel.rate);
      m.p_error = bound_above(
          travel.error + (joint.axis_error + 8 * kUnitRoundoff) * (reach + travel.error), 8);
      m.speed_bound = m.moves ? rate_bound : 0.0;
    } else {
      m.angle0 = travel.start;
      m.rate = travel.rate;
      m.angle_error = travel.error;
      m.rate_bound = m.moves ? rate_bound : 0.0;
    }
  } else if (joint.type == JointType::kPlanar) {
    for (int j = 0; j < 2; ++j) {
      require_finite(joint, q0[k + j]);
      require_finite(joint, q1[k + j]);
    }
    Vector3d x, y;
    planar_axes(joint.axis, x, y);
    m.p0 = q0[k] * x + q0[k + 1] * y;
    m.v = (q1[k] - q0[k]) * x + (q1[k + 1] - q0[k + 1]) * y;
    const double reach =
        std::abs(q0[k]) + std::abs(q0[k + 1]) + std::abs(q1[k]) + std::abs(q1[k + 1]);
    const double axes_error = joint.axis == Vector3d::UnitZ() ? 0.0 : 128 * kUnitRoundoff;
    m.p_error = bound_above((axes_error + 16 * kUnitRoundoff) * reach, 8);
    const Travel turn = around(reduce_angle(joint, q0[k + 2]), reduce_angle(joint, q1[k + 2]));
    m.angle0 = turn.start;
    m.rate = turn.rate;
    m.angle_error = turn.error;
    m.moves = q0.segment<3>(k) != q1.segment<3>(k);
    if (m.moves) {
      m.speed_bound = bound_above(m.v.norm() + 2.0 * m.p_error, 8);
      m.rate_bound = bound_above(std::abs(turn.rate) + turn.rate_error, 4);
    }
  } else {
    int r = k;
    if (joint.type == JointType::kFloating) {
      for (int j = 0; j < 3; ++j) {
        require_finite(joint, q0[k + j]);
        require_finite(joint, q1[k + j]);
      }
      m.p0 = q0.segment<3>(k);
      m.v = q1.segment<3>(k) - q0.segment<3>(k);
      if (!m.v.isZero(0.0)) {
        m.p_error =
            bound_above(8 * kUnitRoundoff * (q0.segment<3>(k).norm() + q1.segment<3>(k).norm()), 8);
        m.speed_bound = bound_above(m.v.norm() * (1.0 + 2 * kUnitRoundoff), 8);
        m.moves = true;
      }
      r = k + 3;
    }
    m.axis = Vector3d::UnitX();
    m.axis_error = 0.0;
    set_slerp(quaternion_of(joint, q0, r), quaternion_of(joint, q1, r), m);
  }
}

void require_size(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q) {
  if (q.size() == robot.num_positions()) return;
  throw std::invalid_argument("the configuration has " + std::to_string(q.size()) +
                              " values but robot \"" + robot.name() + "\" has " +
                              std::to_string(robot.num_positions()) +
                              " positions; is a group's configuration meant?");
}

double angle_at(const Motion::JointMotion& m, const Motion::Curve* curve, double t) noexcept {
  if (curve == nullptr) return m.angle0 + t * m.rate;
  const auto& c = curve->angle;
  return m.angle0 + t * (m.rate + t * (c[0] + t * (c[1] + t * (c[2] + t * c[3]))));
}

Vector3d translation_at(const Motion::JointMotion& m, const Motion::Curve* curve,
                        double t) noexcept {
  if (curve == nullptr) return m.p0 + t * m.v;
  Vector3d sum = curve->p.col(3);
  for (int k = 2; k >= 0; --k) sum = t * sum + curve->p.col(k);
  return m.p0 + t * (m.v + t * sum);
}

RigidEnclosure transform_of(const Motion::JointMotion& m, const Motion::Curve* curve,
                            double t) noexcept {
  RigidEnclosure X_JL =
      RigidEnclosure::rotation(m.axis, m.axis_error, angle_at(m, curve, t), m.angle_error);
  if (m.R0_error > 0.0 || !m.R0.isIdentity(0.0)) {
    X_JL = RigidEnclosure{{m.R0, Vector3d::Zero()}, m.R0_error, 0.0} * X_JL;
  }
  X_JL.X.p = translation_at(m, curve, t);
  X_JL.position_error = m.p_error;
  return X_JL;
}

bool only_turns(const Joint& joint) noexcept {
  return joint.type == JointType::kRevolute || joint.type == JointType::kContinuous;
}

// The degree of the spline between two knots, which are of the right sizes.
int degree_of(const Robot& robot, const Knot& from, const Knot& to) {
  const auto n = robot.num_positions();
  for (const Knot* knot : {&from, &to}) {
    for (const Eigen::VectorXd* values : {&knot->velocity, &knot->acceleration}) {
      if (values->size() != 0 && values->size() != n) {
        throw std::invalid_argument("a knot has " + std::to_string(values->size()) +
                                    " velocities or accelerations but robot \"" + robot.name() +
                                    "\" has " + std::to_string(n) +
                                    " positions; give one for each, or none");
      }
    }
    if (knot->acceleration.size() != 0 && knot->velocity.size() == 0) {
      throw std::invalid_argument("a knot has accelerations but no velocities; give both");
    }
  }
  if (from.velocity.size() != to.velocity.size() ||
      from.acceleration.size() != to.acceleration.size()) {
    throw std::invalid_argument(
        "one knot has velocities or accelerations that the other has not; give both the same");
  }
  if (n == 0) return 1;
  return from.acceleration.size() != 0 ? 5 : from.velocity.size() != 0 ? 3 : 1;
}

// How the value at `index` travels from one knot to another, which are at a and b.
internal::SplineTravel travel_of(const Joint& joint, const Knot& from, const Knot& to, int index,
                                 double a, double b, double duration, int degree) {
  const auto at = [&](const Eigen::VectorXd& values) {
    const double value = values.size() == 0 ? 0.0 : values[index];
    if (!std::isfinite(value)) {
      fail(joint, "its velocity or acceleration is not a finite number", "give a finite number");
    }
    return value;
  };
  const double step = b - a;
  const internal::SplineTravel travel = internal::spline_travel(
      step, kUnitRoundoff * std::abs(step), at(from.velocity), at(to.velocity),
      at(from.acceleration), at(to.acceleration), duration, degree);
  if (!(travel.size <= 1e50)) {
    fail(joint, "its spline goes beyond 1e50", "give smaller velocities, or a shorter time");
  }
  return travel;
}

// A spline starts where the start's state is; where the end's value is some whole turns away from
// its state, it is known to what 2 pi is rounded by in these. True if there are any.
bool add_whole_turns(const Joint& joint, double a, double b, internal::SplineTravel& travel) {
  const double whole = (reduce_angle(joint, b) - reduce_angle(joint, a)) - (b - a);
  if (std::abs(whole) <= 1.0) return false;
  travel.error = bound_above(travel.error + std::abs(whole) * kTwoPiError, 2);
  return true;
}

// Adds the travel of its angle, of `m` at its start.
void add_turn(const Joint& joint, const internal::SplineTravel& travel, Motion::JointMotion& m,
              Motion::Curve& curve) {
  m.rate = travel.c[0];
  std::copy(travel.c.begin() + 1, travel.c.end(), curve.angle.begin());
  curve.reach = bound_above(std::abs(m.angle0) + travel.size, 2);
  if (curve.reach > kMaxAngle) {
    fail(joint, "it turns by up to " + show(curve.reach) + " rad", "turn by less than 1e6 rad");
  }
  m.angle_error = bound_above(m.angle_error + travel.error + 16.0 * kUnitRoundoff * curve.reach, 8);
  internal::bound_derivatives(
      travel.c, travel.error, [](double x) { return std::abs(x); }, m.rate_bound,
      curve.angular_acceleration_bound);
  curve.rate_error = bound_above(5.0 * travel.error + 80.0 * kUnitRoundoff * travel.size, 2);
  m.moves = true;
}

// Adds the travel along a direction, known to `direction_error`.
void add_shift(const internal::SplineTravel& travel, const Vector3d& direction,
               double direction_error, Motion::JointMotion& m, Motion::Curve& curve) {
  m.v += travel.c[0] * direction;
  for (size_t k = 1; k < 5; ++k) curve.p.col(static_cast<int>(k) - 1) += travel.c[k] * direction;
  const double error =
      travel.error + (direction_error + 8.0 * kUnitRoundoff) * (travel.size + travel.error);
  curve.speed_error += bound_above(5.0 * error + 80.0 * kUnitRoundoff * travel.size, 4);
  m.p_error =
      bound_above(m.p_error + error + 24.0 * kUnitRoundoff * (m.p0.norm() + travel.size), 8);
  m.moves = true;
}

void bound_shift(Motion::JointMotion& m, Motion::Curve& curve) {
  const std::array<Vector3d, 5> c{m.v, curve.p.col(0), curve.p.col(1), curve.p.col(2),
                                  curve.p.col(3)};
  internal::bound_derivatives(
      c, 0.2 * curve.speed_error, [](const Vector3d& x) { return x.norm(); }, m.speed_bound,
      curve.acceleration_bound);
}

// One joint's part of a spline. True if it has a curve.
bool set_curve(const Robot& robot, LinkIndex i, const Knot& from, const Knot& to, double duration,
               int degree, Motion::JointMotion& m, Motion::Curve& curve) {
  const Joint& joint = robot.joint(i);
  const int k = joint.q_index;
  set_joint(robot, i, to.q, to.q, m);  // is a configuration
  set_joint(robot, i, from.q, from.q, m);
  curve = {};
  const auto travel = [&](const Joint& of, int index, double a, double b) {
    return travel_of(of, from, to, index, a, b, duration, degree);
  };
  if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
      joint.type == JointType::kContinuous) {
    const Joint& source = joint.mimic ? robot.joint(joint.mimic->source) : joint;
    const int s = source.q_index;
    const bool turns = source.type == JointType::kContinuous;
    const double a = turns ? from.q[s] : clamp_to_limits(source, from.q[s]);
    const double b = turns ? to.q[s] : clamp_to_limits(source, to.q[s]);
    internal::SplineTravel own = travel(source, s, a, b);
    if (turns && add_whole_turns(source, a, b, own) && joint.mimic) {
      require_seamless(joint, source);
    }
    if (joint.mimic) own = mimicked(own, *joint.mimic);
    if (!own.moves) return false;
    if (joint.type == JointType::kPrismatic) {
      add_shift(own, joint.axis, joint.axis_error, m, curve);
      bound_shift(m, curve);
    } else {
      add_turn(joint, own, m, curve);
    }
    return true;
  }
  if (joint.type == JointType::kPlanar) {
    Vector3d axes[2];
    planar_axes(joint.axis, axes[0], axes[1]);
    const double axes_error = joint.axis == Vector3d::UnitZ() ? 0.0 : 128 * kUnitRoundoff;
    for (int j = 0; j < 2; ++j) {
      const auto shift = travel(joint, k + j, from.q[k + j], to.q[k + j]);
      if (shift.moves) add_shift(shift, axes[j], axes_error, m, curve);
    }
    if (m.moves) bound_shift(m, curve);
    const double a = from.q[k + 2], b = to.q[k + 2];
    internal::SplineTravel turn = travel(joint, k + 2, a, b);
    add_whole_turns(joint, a, b, turn);
    if (turn.moves) add_turn(joint, turn, m, curve);
    return m.moves;
  }
  const int r = joint.type == JointType::kFloating ? k + 3 : k;
  for (int j = r; j < r + 4; ++j) {
    if (from.q[j] != to.q[j] || travel(joint, j, 0.0, 0.0).moves) {
      fail(joint, "its rotation does not stand still, for which a spline has no meaning here",
           "give both states the same quaternion, and velocities of 0 there");
    }
  }
  for (int j = k; j < r; ++j) {
    const auto shift = travel(joint, j, from.q[j], to.q[j]);
    if (shift.moves) add_shift(shift, Vector3d::Unit(j - k), 0.0, m, curve);
  }
  if (m.moves) bound_shift(m, curve);
  return m.moves;
}

}  // namespace

void Motion::reset(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
                   const Eigen::Ref<const Eigen::VectorXd>& q1) {
  require_size(robot, q0);
  require_size(robot, q1);
  const RoundingScope rounding;
  joints_.assign(static_cast<size_t>(robot.num_links()), JointMotion());
  curves_.clear();
  moving_.clear();
  moving_.reserve(joints_.size());
  for (int i = 1; i < robot.num_links(); ++i) {
    JointMotion& m = joints_[static_cast<size_t>(i)];
    set_joint(robot, LinkIndex(i), q0, q1, m);
    if (m.moves) moving_.emplace_back(i);
  }
  q0_ = q0;
  q1_ = q1;
}

void Motion::reset(const Robot& robot, const Knot& from, const Knot& to, double duration) {
  require_size(robot, from.q);
  require_size(robot, to.q);
  if (!(duration > 0.0 && std::isfinite(duration))) {
    throw std::invalid_argument("a spline takes " + show(duration) +
                                " s from knot to knot; give it a time above 0");
  }
  const int degree = degree_of(robot, from, to);
  const RoundingScope rounding;
  joints_.assign(static_cast<size_t>(robot.num_links()), JointMotion());
  curves_.clear();
  curves_.reserve(joints_.size());
  moving_.clear();
  moving_.reserve(joints_.size());
  for (int i = 1; i < robot.num_links(); ++i) {
    JointMotion& m = joints_[static_cast<size_t>(i)];
    Curve curve;
    if (!set_curve(robot, LinkIndex(i), from, to, duration, degree, m, curve)) continue;
    m.curve = static_cast<int>(curves_.size());
    curves_.push_back(curve);
    moving_.emplace_back(i);
  }
  q0_ = from.q;
  q1_ = to.q;
}

double Motion::rate(LinkIndex i, double t) const noexcept {
  const JointMotion& m = joint(i);
  const Curve* const c = curve(i);
  if (c == nullptr) return m.rate;
  const auto& a = c->angle;
  return m.rate + t * (2.0 * a[0] + t * (3.0 * a[1] + t * (4.0 * a[2] + t * 5.0 * a[3])));
}

Vector3d Motion::velocity(LinkIndex i, double t) const noexcept {
  const JointMotion& m = joint(i);
  const Curve* const c = curve(i);
  if (c == nullptr) return m.v;
  Vector3d sum = 5.0 * c->p.col(3);
  for (int k = 2; k >= 0; --k) sum = t * sum + (k + 2.0) * c->p.col(k);
  return m.v + t * sum;
}

RigidEnclosure Motion::joint_transform(LinkIndex i, double t) const noexcept {
  return transform_of(joint(i), curve(i), t);
}

void Motion::poses(const Robot& robot, double t, std::vector<RigidEnclosure>& X_WL) const {
  // The ends are configurations; angles come to them by whole turns.
  if ((t == 0.0 || t == 1.0) && curves_.empty()) {
    link_poses(robot, t == 0.0 ? q0_ : q1_, X_WL);
    return;
  }
  X_WL[0] = RigidEnclosure::identity();
  for (int k = 1; k < robot.num_links(); ++k) {
    const LinkIndex i(k);
    const Joint& joint = robot.joint(i);
    const JointMotion& m = this->joint(i);
    const RigidEnclosure X_PL = only_turns(joint)
                                    ? robot.turned(i, angle_at(m, curve(i), t), m.angle_error)
                                    : joint.X_PJ * transform_of(m, curve(i), t);
    X_WL[static_cast<size_t>(k)] = X_WL[static_cast<size_t>(joint.parent.value)] * X_PL;
  }
}

namespace {

// Its value, where that is taken as it is: without a look at the whole Joint, which is large.
const double* plain_angle(const TurningJoint& joint, const double* q) {
  if (joint.q_index < 0) return nullptr;
  const double* const value = q + joint.q_index;
  return *value >= joint.lower && *value <= joint.upper ? value : nullptr;
}

}  // namespace

RigidEnclosure joint_pose(const Robot& robot, LinkIndex i,
                          const Eigen::Ref<const Eigen::VectorXd>& q) {
  const TurningJoint& turning = robot.turning_joints()[static_cast<size_t>(i.value)];
  if (const double* const angle = plain_angle(turning, q.data())) {
    return robot.turned(i, *angle, 0.0);
  }
  const Joint& joint = robot.joint(i);
  Motion::JointMotion m;
  set_joint(robot, i, q, q, m);
  return only_turns(joint) ? robot.turned(i, m.angle0, m.angle_error)
                           : joint.X_PJ * transform_of(m, nullptr, 0.0);
}

void link_poses(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q,
                std::vector<RigidEnclosure>& X_WL) {
  const RoundingScope rounding;
  require_size(robot, q);
  X_WL[0] = RigidEnclosure::identity();
  const int n = robot.num_links();
  for (int k = 1;; ++k) {
    k = internal::turn_links(robot.turning_joints().data(), robot.oblique_turns().data(), q.data(),
                             k, n, X_WL.data());
    if (k >= n) break;
    const auto parent = static_cast<size_t>(robot.parent(LinkIndex(k)).value);
    X_WL[static_cast<size_t>(k)] = X_WL[parent] * joint_pose(robot, LinkIndex(k), q);
  }
}

void interpolate(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q0,
                 const Eigen::Ref<const Eigen::VectorXd>& q1, double t,
                 Eigen::Ref<Eigen::VectorXd> q) {
  const auto angle = [t](double a, double b) {
    const double from = std::remainder(a, kTwoPi), to = std::remainder(b, kTwoPi);
    bool wraps = false;
    const double rate = shorter_way(from, to, wraps);
    if (t == 1.0) return to;
    return std::remainder(from + t * rate, kTwoPi);
  };
  const auto line = [t](double a, double b) { return t == 1.0 ? b : a + t * (b - a); };
  for (const LinkIndex i : robot.active_joints()) {
    const Joint& joint = robot.joint(i);
    const int k = joint.q_index;
    switch (joint.type) {
      case JointType::kContinuous:
        q[k] = angle(q0[k], q1[k]);
        break;
      case JointType::kPlanar:
        q[k] = line(q0[k], q1[k]);
        q[k + 1] = line(q0[k + 1], q1[k + 1]);
        q[k + 2] = angle(q0[k + 2], q1[k + 2]);
        break;
      case JointType::kFloating:
      case JointType::kBall: {
        int r = k;
        if (joint.type == JointType::kFloating) {
          for (int j = 0; j < 3; ++j) q[k + j] = line(q0[k + j], q1[k + j]);
          r = k + 3;
        }
        const Eigen::Vector4d from = q0.segment<4>(r).stableNormalized();
        const Eigen::Vector4d to = q1.segment<4>(r).stableNormalized();
        Motion::JointMotion m;
        set_slerp(q0.segment<4>(r), q1.segment<4>(r), m);
        if (t == 1.0 || m.rate == 0.0) {
          q.segment<4>(r) = t == 1.0 ? to : from;
          break;
        }
        const double half = 0.5 * t * m.rate;
        const Vector3d v = std::sin(half) * m.axis;
        const Vector3d fv = from.head<3>();
        const double w = std::cos(half);
        Eigen::Vector4d product;
        product.head<3>() = from[3] * v + w * fv + fv.cross(v);
        product[3] = from[3] * w - fv.dot(v);
        q.segment<4>(r) = product.normalized();
        break;
      }
      default:
        q[k] = line(q0[k], q1[k]);
    }
  }
}

void validate_positions(const Robot& robot, const Eigen::Ref<const Eigen::VectorXd>& q) {
  const RoundingScope rounding;
  require_size(robot, q);
  Motion::JointMotion m;
  for (int i = 1; i < robot.num_links(); ++i) {
    if (plain_angle(robot.turning_joints()[static_cast<size_t>(i)], q.data())) continue;
    set_joint(robot, LinkIndex(i), q, q, m);
  }
}

}  // namespace catena
