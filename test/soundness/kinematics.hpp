#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "soundness/linear.hpp"
#include "soundness/spec.hpp"

namespace catena::oracle {

/// The motion of a robot between two configurations, evaluated joint by joint from the root.
///
/// Written from the contract alone: straight for revolute and prismatic joints, the shorter way
/// round (with the double nearest 2 pi) for continuous joints and planar angles, slerp for
/// rotations, mimic joints following the unwrapped value of what they follow. Splines are Bezier
/// curves, evaluated by de Casteljau's steps.
template <class T>
class Kinematics {
 public:
  explicit Kinematics(const RobotSpec& robot) : robot_(robot) {
    for (size_t i = 0; i < robot.links.size(); ++i)
      link_of_[robot.links[i].name] = static_cast<int>(i);
    parent_joint_.assign(robot.links.size(), -1);
    for (size_t j = 0; j < robot.joints.size(); ++j) {
      const JointSpec& joint = robot.joints[j];
      parent_link_.push_back(link_of_.at(joint.parent));
      child_link_.push_back(link_of_.at(joint.child));
      parent_joint_[size_t(child_link_[j])] = static_cast<int>(j);
      first_value_.push_back(joint.mimic.empty() ? num_values_ : -1);
      if (joint.mimic.empty()) num_values_ += oracle::num_values(joint.kind);
    }
    paths_.resize(robot.joints.size());
    origin_.resize(robot.joints.size());
    for (size_t j = 0; j < robot.joints.size(); ++j)
      origin_[j] = {rotation_rpy<T>(robot.joints[j].origin.rpy),
                    vec<T>(robot.joints[j].origin.xyz)};
  }

  const RobotSpec& robot() const { return robot_; }
  int num_values() const { return num_values_; }
  int link(const std::string& name) const { return link_of_.at(name); }
  /// The joint that moves a link, or -1 for the root.
  int parent_joint(int link) const { return parent_joint_[size_t(link)]; }
  int parent_link(int link) const {
    const int j = parent_joint(link);
    return j < 0 ? -1 : parent_link_[size_t(j)];
  }
  int first_value(int joint) const { return first_value_[size_t(joint)]; }

  void set_motion(const std::vector<double>& q0, const std::vector<double>& q1) {
    std::vector<bool> done(robot_.joints.size(), false);
    for (size_t j = 0; j < robot_.joints.size(); ++j) compute(j, q0, q1, done);
  }

  void set_spline(const SplineSpec& spline) {
    set_motion(spline.q0, spline.q0);
    for (size_t j = 0; j < robot_.joints.size(); ++j) {
      const JointSpec& joint = robot_.joints[j];
      Path& m = paths_[j];
      const Vec<T> ex{T(1), T(0), T(0)}, ey{T(0), T(1), T(0)}, ez{T(0), T(0), T(1)};
      const auto along = [&](const std::vector<T>& values, const Vec<T>& d) {
        if (m.p_control.empty()) m.p_control.assign(values.size(), m.p);
        for (size_t k = 0; k < values.size(); ++k)
          m.p_control[k] = m.p_control[k] + (values[k] - values[0]) * d;
      };
      if (joint.kind == JointKind::kFixed || joint.kind == JointKind::kBall) continue;
      if (joint.kind == JointKind::kPlanar) {
        const int k = first_value_[j];
        along(control_of(spline, k, T(spline.q0[size_t(k)]), false, joint), m.plane[0]);
        along(control_of(spline, k + 1, T(spline.q0[size_t(k) + 1]), false, joint), m.plane[1]);
        m.angle_control = control_of(spline, k + 2, m.angle, true, joint);
      } else if (joint.kind == JointKind::kFloating) {
        const int k = first_value_[j];
        for (int i = 0; i < 3; ++i)
          along(control_of(spline, k + i, T(spline.q0[size_t(k + i)]), false, joint), i == 0 ? ex
                                                                                      : i == 1
                                                                                          ? ey
                                                                                          : ez);
      } else {
        // Through mimics to the joint that has a value.
        size_t source = j;
        T multiplier(1), offset(0);
        while (!robot_.joints[source].mimic.empty()) {
          offset += multiplier * T(robot_.joints[source].offset);
          multiplier *= T(robot_.joints[source].multiplier);
          source = index_of(robot_.joints[source].mimic);
        }
        const JointSpec& leader = robot_.joints[source];
        std::vector<T> values = control_of(spline, first_value_[source], paths_[source].value,
                                           leader.kind == JointKind::kContinuous, leader);
        for (T& value : values) value = multiplier * value + offset;
        if (joint.kind == JointKind::kPrismatic) {
          along(values, (T(1) / norm(vec<T>(joint.axis))) * vec<T>(joint.axis));
        } else {
          m.angle_control = values;
        }
      }
    }
  }

  /// One joint's motion: translation p + t v, rotation R0 Rot(axis, angle + t rate); of a spline
  /// the control points instead.
  struct Path {
    Vec<T> p, v;
    Mat<T> R0;
    Vec<T> axis{T(1), T(0), T(0)};
    T angle{}, rate{};
    T value{}, value_rate{};  // of joints with one value, unwrapped
    Vec<T> plane[2];          // of planar joints: where x and y point
    std::vector<T> angle_control;
    std::vector<Vec<T>> p_control;

    T angle_at(const T& t) const {
      return angle_control.empty() ? T(angle + t * rate) : point_of(angle_control, t);
    }
    Vec<T> p_at(const T& t) const { return p_control.empty() ? p + t * v : point_of(p_control, t); }
    /// Over the whole motion, at most.
    T greatest_rate() const {
      using std::abs;
      T most = abs(rate);
      for (size_t k = 1; k < angle_control.size(); ++k)
        most = std::max<T>(
            most, T(angle_control.size() - 1) * abs(angle_control[k] - angle_control[k - 1]));
      return most;
    }
    T greatest_speed() const {
      T most = norm(v);
      for (size_t k = 1; k < p_control.size(); ++k)
        most = std::max<T>(most, T(p_control.size() - 1) * norm(p_control[k] - p_control[k - 1]));
      return most;
    }
    T farthest() const {
      T most = std::max<T>(norm(p), norm(p + v));
      for (const Vec<T>& at : p_control) most = std::max<T>(most, norm(at));
      return most;
    }

   private:
    template <class Point>
    static Point point_of(std::vector<Point> control, const T& t) {
      for (size_t n = control.size(); n > 1; --n)
        for (size_t k = 0; k + 1 < n; ++k)
          control[k] = control[k] + t * (control[k + 1] - control[k]);
      return control[0];
    }
  };
  const Path& path(int joint) const { return paths_[size_t(joint)]; }
  T origin_distance(int joint) const { return norm(origin_[size_t(joint)].p); }

  /// X_WL of every link, in the order of the robot's list.
  void poses(const T& t, std::vector<Pose<T>>& X) const {
    X.assign(robot_.links.size(), Pose<T>{});
    for (size_t j = 0; j < robot_.joints.size(); ++j) {  // parents come first
      const Path& m = paths_[j];
      const Pose<T> M{m.R0 * rotation(m.axis, m.angle_at(t)), m.p_at(t)};
      X[size_t(child_link_[j])] = X[size_t(parent_link_[j])] * (origin_[j] * M);
    }
  }

 private:
  static T wrap(double angle) {
    // The remainder of two doubles is a double: exact.
    constexpr double kTwoPi = 6.283185307179586476925286766559;
    return T(std::remainder(angle, kTwoPi));
  }
  static T shorter_way(const T& from, const T& to) {
    const T pi = T(3.141592653589793238462643383280);  // the double nearest pi
    T d = to - from;
    if (d > pi) d -= T(2) * pi;
    if (d < -pi) d += T(2) * pi;
    return d;
  }

  // The control values of one value, which starts at `start`; `turns`: it goes on from there by
  // what the two values differ by.
  static std::vector<T> control_of(const SplineSpec& spline, int index, const T& start, bool turns,
                                   const JointSpec& joint) {
    const auto k = static_cast<size_t>(index);
    const bool limited = joint.kind == JointKind::kRevolute || joint.kind == JointKind::kPrismatic;
    const T end =
        turns ? start + (T(spline.q1[k]) - T(spline.q0[k]))
              : T(limited ? std::clamp(spline.q1[k], joint.lower, joint.upper) : spline.q1[k]);
    const T D(spline.duration);
    if (spline.v0.empty()) return {start, end};
    const T V0 = T(spline.v0[k]) * D, V1 = T(spline.v1[k]) * D;
    if (spline.a0.empty()) return {start, start + V0 / T(3), end - V1 / T(3), end};
    const T A0 = T(spline.a0[k]) * D * D, A1 = T(spline.a1[k]) * D * D;
    return {start,
            start + V0 / T(5),
            start + T(2) * V0 / T(5) + A0 / T(20),
            end - T(2) * V1 / T(5) + A1 / T(20),
            end - V1 / T(5),
            end};
  }

  static void slerp(const double* a, const double* b, Path& m) {
    using std::atan2;
    const Quaternion<T> qa = Quaternion<T>{T(a[3]), T(a[0]), T(a[1]), T(a[2])}.normalised();
    Quaternion<T> qb = Quaternion<T>{T(b[3]), T(b[0]), T(b[1]), T(b[2])}.normalised();
    Quaternion<T> r = qa.conjugate() * qb;
    if (r.w < T(0)) r = {T(-r.w), T(-r.x), T(-r.y), T(-r.z)};
    const Vec<T> v{r.x, r.y, r.z};
    const T s = norm(v);
    m.R0 = qa.matrix();
    if (s > T(0)) {
      m.axis = (T(1) / s) * v;
      m.rate = T(2) * atan2(s, r.w);
    }
  }

  // What a joint follows may come after it in the list.
  void compute(size_t j, const std::vector<double>& q0, const std::vector<double>& q1,
               std::vector<bool>& done) {
    if (done[j]) return;
    done[j] = true;
    if (!robot_.joints[j].mimic.empty()) compute(index_of(robot_.joints[j].mimic), q0, q1, done);
    paths_[j] = path(j, q0, q1);
  }

  Path path(size_t j, const std::vector<double>& q0, const std::vector<double>& q1) const {
    const JointSpec& joint = robot_.joints[j];
    Path m;
    const Vec<T> raw = vec<T>(joint.axis);
    const Vec<T> axis = joint.kind == JointKind::kFixed ? raw : (T(1) / norm(raw)) * raw;
    const double* a = first_value_[j] < 0 ? nullptr : q0.data() + first_value_[j];
    const double* b = first_value_[j] < 0 ? nullptr : q1.data() + first_value_[j];
    switch (joint.kind) {
      case JointKind::kFixed:
        return m;
      case JointKind::kRevolute:
      case JointKind::kContinuous:
      case JointKind::kPrismatic:
        if (a == nullptr) {
          const size_t source = index_of(joint.mimic);
          m.value = T(joint.multiplier) * paths_[source].value + T(joint.offset);
          m.value_rate = T(joint.multiplier) * paths_[source].value_rate;
        } else if (joint.kind == JointKind::kContinuous) {
          m.value = wrap(*a);
          m.value_rate = shorter_way(m.value, wrap(*b));
        } else {
          m.value = T(std::clamp(*a, joint.lower, joint.upper));
          m.value_rate = T(std::clamp(*b, joint.lower, joint.upper)) - m.value;
        }
        if (joint.kind == JointKind::kPrismatic) {
          m.p = m.value * axis;
          m.v = m.value_rate * axis;
        } else {
          m.axis = axis;
          m.angle = m.value;
          m.rate = m.value_rate;
        }
        return m;
      case JointKind::kPlanar: {
        // The shortest rotation from z to the axis takes x and y to the plane's own axes.
        const Vec<T> z{T(0), T(0), T(1)};
        const Vec<T> n = cross(z, axis);
        Mat<T> B;
        if (norm(n) > T(0)) {
          using std::atan2;
          B = rotation(n, T(atan2(norm(n), axis.z)));
        } else if (axis.z < T(0)) {  // half a turn about x, by convention
          B.ey = Vec<T>{T(0), T(-1), T(0)};
          B.ez = Vec<T>{T(0), T(0), T(-1)};
        }
        m.plane[0] = B.ex;
        m.plane[1] = B.ey;
        m.p = T(a[0]) * B.ex + T(a[1]) * B.ey;
        m.v = (T(b[0]) - T(a[0])) * B.ex + (T(b[1]) - T(a[1])) * B.ey;
        m.axis = axis;
        m.angle = wrap(a[2]);
        m.rate = shorter_way(m.angle, wrap(b[2]));
        return m;
      }
      case JointKind::kFloating:
        m.p = {T(a[0]), T(a[1]), T(a[2])};
        m.v = Vec<T>{T(b[0]), T(b[1]), T(b[2])} - m.p;
        slerp(a + 3, b + 3, m);
        return m;
      case JointKind::kBall:
        slerp(a, b, m);
        return m;
    }
    return m;
  }

  size_t index_of(const std::string& name) const {
    for (size_t j = 0; j < robot_.joints.size(); ++j)
      if (robot_.joints[j].name == name) return j;
    throw std::invalid_argument("no joint " + name);
  }

  RobotSpec robot_;
  std::map<std::string, int> link_of_;
  std::vector<int> parent_joint_;              // of every link
  std::vector<int> parent_link_, child_link_;  // of every joint
  std::vector<int> first_value_;
  int num_values_ = 0;
  std::vector<Path> paths_;
  std::vector<Pose<T>> origin_;
};

}  // namespace catena::oracle
