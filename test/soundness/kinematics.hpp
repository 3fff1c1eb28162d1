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
/// rotations, mimic joints following the unwrapped value of what they follow.
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

  /// One joint's motion: translation p + t v, rotation R0 Rot(axis, angle + t rate).
  struct Path {
    Vec<T> p, v;
    Mat<T> R0;
    Vec<T> axis{T(1), T(0), T(0)};
    T angle{}, rate{};
    T value{}, value_rate{};  // of joints with one value, unwrapped
  };
  const Path& path(int joint) const { return paths_[size_t(joint)]; }
  T origin_distance(int joint) const { return norm(origin_[size_t(joint)].p); }

  /// X_WL of every link, in the order of the robot's list.
  void poses(const T& t, std::vector<Pose<T>>& X) const {
    X.assign(robot_.links.size(), Pose<T>{});
    for (size_t j = 0; j < robot_.joints.size(); ++j) {  // parents come first
      const Path& m = paths_[j];
      const Pose<T> M{m.R0 * rotation(m.axis, T(m.angle + t * m.rate)), m.p + t * m.v};
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
