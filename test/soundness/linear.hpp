#pragma once

#include <array>
#include <cmath>

namespace catena::oracle {

// Three-vectors, matrices, poses and quaternions over any real type, so that one source serves long
// double and 50-digit arithmetic. Nothing of Catena or Eigen is used: an oracle shares no code with
// what it judges.

template <class T>
struct Vec {
  T x{}, y{}, z{};

  friend Vec operator+(const Vec& a, const Vec& b) {
    return {T(a.x + b.x), T(a.y + b.y), T(a.z + b.z)};
  }
  friend Vec operator-(const Vec& a, const Vec& b) {
    return {T(a.x - b.x), T(a.y - b.y), T(a.z - b.z)};
  }
  friend Vec operator-(const Vec& a) { return {T(-a.x), T(-a.y), T(-a.z)}; }
  friend Vec operator*(const T& s, const Vec& a) { return {T(s * a.x), T(s * a.y), T(s * a.z)}; }
};

template <class T>
T dot(const Vec<T>& a, const Vec<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vec<T> cross(const Vec<T>& a, const Vec<T>& b) {
  return {T(a.y * b.z - a.z * b.y), T(a.z * b.x - a.x * b.z), T(a.x * b.y - a.y * b.x)};
}
template <class T>
T norm(const Vec<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
template <class T>
Vec<T> vec(const std::array<double, 3>& a) {
  return {T(a[0]), T(a[1]), T(a[2])};
}

/// Columns ex, ey, ez.
template <class T>
struct Mat {
  Vec<T> ex{T(1), T(0), T(0)}, ey{T(0), T(1), T(0)}, ez{T(0), T(0), T(1)};

  friend Vec<T> operator*(const Mat& m, const Vec<T>& a) {
    return a.x * m.ex + a.y * m.ey + a.z * m.ez;
  }
  friend Mat operator*(const Mat& a, const Mat& b) { return {a * b.ex, a * b.ey, a * b.ez}; }
  Vec<T> transposed_times(const Vec<T>& a) const { return {dot(ex, a), dot(ey, a), dot(ez, a)}; }
};

template <class T>
struct Pose {
  Mat<T> R;
  Vec<T> p;

  friend Vec<T> operator*(const Pose& X, const Vec<T>& a) { return X.R * a + X.p; }
  friend Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a * b.p}; }
};

/// Rodrigues' formula; `axis` is normalised here.
template <class T>
Mat<T> rotation(const Vec<T>& axis, const T& angle) {
  using std::cos;
  using std::sin;
  const Vec<T> k = (T(1) / norm(axis)) * axis;
  const T c = cos(angle), s = sin(angle), v = T(1) - c;
  return {{T(c + v * k.x * k.x), T(v * k.x * k.y + s * k.z), T(v * k.x * k.z - s * k.y)},
          {T(v * k.x * k.y - s * k.z), T(c + v * k.y * k.y), T(v * k.y * k.z + s * k.x)},
          {T(v * k.x * k.z + s * k.y), T(v * k.y * k.z - s * k.x), T(c + v * k.z * k.z)}};
}

/// URDF's fixed-axis roll, pitch, yaw.
template <class T>
Mat<T> rotation_rpy(const std::array<double, 3>& rpy) {
  return rotation(Vec<T>{T(0), T(0), T(1)}, T(rpy[2])) *
         rotation(Vec<T>{T(0), T(1), T(0)}, T(rpy[1])) *
         rotation(Vec<T>{T(1), T(0), T(0)}, T(rpy[0]));
}

template <class T>
struct Quaternion {
  T w{1}, x{}, y{}, z{};

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {T(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z),
            T(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y),
            T(a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x),
            T(a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w)};
  }
  Quaternion conjugate() const { return {w, T(-x), T(-y), T(-z)}; }
  Quaternion normalised() const {
    using std::sqrt;
    const T s = T(1) / sqrt(T(w * w + x * x + y * y + z * z));
    return {T(w * s), T(x * s), T(y * s), T(z * s)};
  }
  /// Of a unit quaternion: the images of the axes under v -> q v q*.
  Mat<T> matrix() const {
    const auto image = [this](const T& a, const T& b, const T& c) {
      const Quaternion r = *this * Quaternion{T(0), a, b, c} * conjugate();
      return Vec<T>{r.x, r.y, r.z};
    };
    return {image(T(1), T(0), T(0)), image(T(0), T(1), T(0)), image(T(0), T(0), T(1))};
  }
};

}  // namespace catena::oracle
