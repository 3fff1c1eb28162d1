#pragma once

#include <array>

#include "real.hpp"

namespace catena::certificate {

/// Coordinates of a point or a free vector.
struct Vec {
  Real x, y, z;

  Vec operator-() const noexcept { return {-x, -y, -z}; }
};

inline Vec operator+(const Vec& a, const Vec& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec operator-(const Vec& a, const Vec& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec operator*(const Real& s, const Vec& v) noexcept { return {s * v.x, s * v.y, s * v.z}; }
inline Real dot(const Vec& a, const Vec& b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(const Vec& a, const Vec& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real norm(const Vec& v) noexcept { return sqrt(dot(v, v)); }
/// Along v, which is not 0, of length 1. Scaled by a power of two first, so that nothing overflows.
inline Vec unit(const Vec& v) noexcept {
  const double size = std::fmax(std::abs(v.x.hi), std::fmax(std::abs(v.y.hi), std::abs(v.z.hi)));
  const double scale = size > 0.0 && std::isfinite(size) ? std::ldexp(1.0, -std::ilogb(size)) : 1.0;
  const Vec scaled = Real(scale) * v;
  const Real inverse = Real(1.0) / norm(scaled);
  return inverse * scaled;
}
/// At least the length of v. In doubles.
inline double length_above(const Vec& v) noexcept {
  const double x = v.x.magnitude(), y = v.y.magnitude(), z = v.z.magnitude();
  return detail::up(std::sqrt(x * x + y * y + z * z)) + 1e-140;
}

/// A rotation by its columns.
struct Rotation {
  Vec x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};

  Vec operator*(const Vec& v) const noexcept { return v.x * x + v.y * y + v.z * z; }
  Rotation operator*(const Rotation& other) const noexcept {
    return {*this * other.x, *this * other.y, *this * other.z};
  }
  /// The inverse, applied.
  Vec back(const Vec& v) const noexcept { return {dot(x, v), dot(y, v), dot(z, v)}; }
};

/// Where frame B stands in frame A: it maps coordinates of B to coordinates of A.
struct Pose {
  Rotation R;
  Vec p;

  Pose operator*(const Pose& other) const noexcept { return {R * other.R, R * other.p + p}; }
  Vec operator*(const Vec& q) const noexcept { return R * q + p; }
};

/// Midpoints alone, and how far, as a vector's length and in the 2-norm, what is denoted may be
/// from them.
inline Vec midpoint(const Vec& v) noexcept {
  return {{v.x.hi, v.x.lo, 0.0}, {v.y.hi, v.y.lo, 0.0}, {v.z.hi, v.z.lo, 0.0}};
}
inline Rotation midpoint(const Rotation& R) noexcept {
  return {midpoint(R.x), midpoint(R.y), midpoint(R.z)};
}
inline double error_of(const Vec& v) noexcept {
  return detail::up(std::sqrt(v.x.radius * v.x.radius + v.y.radius * v.y.radius +
                              v.z.radius * v.z.radius)) +
         1e-140;
}
inline double error_of(const Rotation& R) noexcept {
  const double x = error_of(R.x), y = error_of(R.y), z = error_of(R.z);
  return detail::up(std::sqrt(x * x + y * y + z * z)) + 1e-140;
}
inline Vec widened(const Vec& midpoint, double by) noexcept {
  return {widened(midpoint.x, by), widened(midpoint.y, by), widened(midpoint.z, by)};
}
inline Rotation widened(const Rotation& midpoint, double by) noexcept {
  return {widened(midpoint.x, by), widened(midpoint.y, by), widened(midpoint.z, by)};
}

/// A pose at the end of a chain of any length. The radii of a product's entries would grow by a
/// factor with every link; the errors of rotations in the 2-norm, which rotations keep, add up.
class ChainPose {
 public:
  /// Goes on to C, which stands in B, where the chain ends now. docs/rigor.md, R11.
  void follow(const Pose& X_BC) noexcept {
    const double turn_error = error_of(X_BC.R), place_error = error_of(X_BC.p);
    const Rotation R_BC = midpoint(X_BC.R);
    const Vec p_BC = midpoint(X_BC.p);
    const Vec p = R_ * p_BC + p_;
    const Rotation R = R_ * R_BC;
    place_error_ = detail::up(
        detail::up(place_error_ + turn_error_ * length_above(p_BC) + place_error) + error_of(p));
    turn_error_ =
        detail::up(detail::up(turn_error_ + turn_error + turn_error_ * turn_error) + error_of(R));
    R_ = midpoint(R);
    p_ = midpoint(p);
  }
  Pose pose() const noexcept { return {widened(R_, turn_error_), widened(p_, place_error_)}; }

 private:
  Rotation R_;  // no radii
  Vec p_;
  double turn_error_ = 0.0, place_error_ = 0.0;
};

/// By an angle about a unit axis.
inline Rotation turn(const Vec& axis, const Real& angle) noexcept {
  const auto [s, c] = sine_cosine(angle);
  const Vec rest = (Real(1.0) - c) * axis;
  const Vec sa = s * axis;
  return {{c + rest.x * axis.x, rest.y * axis.x + sa.z, rest.z * axis.x - sa.y},
          {rest.x * axis.y - sa.z, c + rest.y * axis.y, rest.z * axis.y + sa.x},
          {rest.x * axis.z + sa.y, rest.y * axis.z - sa.x, c + rest.z * axis.z}};
}

/// Of a unit quaternion (x, y, z, w).
inline Rotation rotation_of(const std::array<Real, 4>& q) noexcept {
  const Vec v{q[0], q[1], q[2]};
  const Real w = q[3];
  const auto column = [&](const Vec& e) {
    // e + 2 w (v x e) + 2 v x (v x e)
    const Vec t = Real(2.0) * cross(v, e);
    return e + w * t + cross(v, t);
  };
  return {column({1.0, 0.0, 0.0}), column({0.0, 1.0, 0.0}), column({0.0, 0.0, 1.0})};
}

/// URDF's fixed axes: about x, then y, then z.
inline Rotation roll_pitch_yaw(const Real& roll, const Real& pitch, const Real& yaw) noexcept {
  return turn({0.0, 0.0, 1.0}, yaw) * turn({0.0, 1.0, 0.0}, pitch) * turn({1.0, 0.0, 0.0}, roll);
}

}  // namespace catena::certificate
