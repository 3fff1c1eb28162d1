#include "box_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "catena/math/rounding.hpp"

namespace catena::internal {
namespace {

using Face = std::array<int, 3>;
using Fit = ObbTreeOptions::Fit;

// Gram-Schmidt once more: the boxes are proven for axes that are orthonormal to 1e-14.
Matrix3d orthonormal(Matrix3d axes) {
  axes.col(0).normalize();
  axes.col(1) -= axes.col(0) * axes.col(0).dot(axes.col(1));
  axes.col(1).normalize();
  axes.col(2) = axes.col(0).cross(axes.col(1)).normalized();
  const double defect = (axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff();
  return defect < 5e-15 ? axes : Matrix3d(Matrix3d::Identity());
}

// Some unit vector at a right angle to d.
Vector3d across(const Vector3d& d) {
  int least = 0;
  d.cwiseAbs().minCoeff(&least);
  return d.cross(Vector3d::Unit(least)).normalized();
}

// The points' extent: the direction of the farthest one from the first, of the farthest from that
// line, and how far they reach. Everything within `noise` counts as rounding.
struct Span {
  int dimension = 0;
  std::array<int, 4> points{};  // of a simplex
  Vector3d along = Vector3d::UnitX(), normal = Vector3d::UnitZ();
  double noise = 0.0;
};

Span span_of(std::span<const Vector3d> points) {
  Span s;
  const Vector3d& origin = points.front();
  double farthest = 0.0, size = 0.0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double d = (points[i] - origin).squaredNorm();
    size = std::max(size, points[i].squaredNorm());
    if (d > farthest) {
      farthest = d;
      s.points[1] = static_cast<int>(i);
    }
  }
  farthest = std::sqrt(farthest);
  s.noise = 64 * kUnitRoundoff * std::sqrt(size) + 1e-12 * farthest;
  if (!(farthest > s.noise)) return s;
  s.dimension = 1;
  s.along = (points[static_cast<size_t>(s.points[1])] - origin) / farthest;
  double widest = 0.0;
  Vector3d width = Vector3d::Zero();
  for (size_t i = 0; i < points.size(); ++i) {
    const Vector3d x = points[i] - origin;
    const Vector3d w = x - s.along * s.along.dot(x);
    if (w.squaredNorm() > widest) {
      widest = w.squaredNorm();
      width = w;
      s.points[2] = static_cast<int>(i);
    }
  }
  if (!(std::sqrt(widest) > s.noise)) return s;
  s.dimension = 2;
  s.normal = s.along.cross(width).normalized();
  double highest = 0.0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double h = std::abs(s.normal.dot(points[i] - origin));
    if (h > highest) {
      highest = h;
      s.points[3] = static_cast<int>(i);
    }
  }
  // The plane is only as well known as the noise over its width, times its length.
  if (highest > s.noise * (1.0 + farthest / std::sqrt(widest))) s.dimension = 3;
  return s;
}

// The hull of points in a plane, in order round it.
std::vector<Eigen::Vector2d> flat_hull(std::vector<Eigen::Vector2d> points) {
  const auto less = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  };
  std::sort(points.begin(), points.end(), less);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Eigen::Vector2d> hull;
  for (int side = 0; side < 2; ++side) {
    const size_t base = hull.size();
    for (const Eigen::Vector2d& p : points) {
      const auto turns_right = [&] {
        const Eigen::Vector2d u = hull.back() - hull[hull.size() - 2], v = p - hull.back();
        return u.x() * v.y() - u.y() * v.x() <= 0.0;
      };
      while (hull.size() >= base + 2 && turns_right()) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Matrix3d flat_axes(std::span<const Vector3d> points, const Span& span, Fit fit) {
  const Vector3d u = span.along, v = span.normal.cross(u);
  std::vector<Eigen::Vector2d> flat;
  flat.reserve(points.size());
  for (const Vector3d& x : points) {
    flat.emplace_back(u.dot(x - points.front()), v.dot(x - points.front()));
  }
  const auto raised = [](const Eigen::Vector2d& x) { return Vector3d(x.x(), x.y(), 0.0); };
  Moments moments;
  if (fit != Fit::kVertices) flat = flat_hull(std::move(flat));
  moments.origin = raised(flat.front());
  if (fit == Fit::kHullSurface) {
    for (size_t i = 1; i + 1 < flat.size(); ++i) {
      moments.add_triangle(raised(flat[0]), raised(flat[i]), raised(flat[i + 1]));
    }
  } else {
    for (const Eigen::Vector2d& x : flat) moments.add_point(raised(x));
  }
  const Matrix3d c = moments.covariance();
  const double angle = 0.5 * std::atan2(2.0 * c(0, 1), c(0, 0) - c(1, 1));
  Matrix3d axes;
  axes.col(0) = std::cos(angle) * u + std::sin(angle) * v;
  axes.col(1) = span.normal.cross(axes.col(0));
  return orthonormal(axes);
}

// Quickhull: faces with the points that lie beyond them; the farthest of them is taken in next.
class Quickhull {
 public:
  explicit Quickhull(std::span<const Vector3d> points) : points_(points) {}

  std::vector<Face> run(const Span& span) {
    std::array<int, 4> s = span.points;
    noise_ = span.noise;
    const Vector3d normal = (x(s[1]) - x(s[0])).cross(x(s[2]) - x(s[0]));
    if (normal.dot(x(s[3]) - x(s[0])) > 0.0) std::swap(s[1], s[2]);
    // Now s[3] is behind the face s[0] s[1] s[2].
    constexpr int kFaces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    constexpr int kAcross[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; ++f) {
      const auto k = static_cast<size_t>(f);
      add({s[static_cast<size_t>(kFaces[k][0])], s[static_cast<size_t>(kFaces[k][1])],
           s[static_cast<size_t>(kFaces[k][2])]});
      for (size_t e = 0; e < 3; ++e) facets_[k].across[e] = kAcross[k][e];
    }
    next_.assign(points_.size(), -1);
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
      if (std::find(s.begin(), s.end(), i) == s.end()) assign(i, 0);
    }
    std::vector<int> open{0, 1, 2, 3};
    while (!open.empty()) {
      const int f = open.back();
      open.pop_back();
      if (!facets_[static_cast<size_t>(f)].live || facets_[static_cast<size_t>(f)].outside < 0) {
        continue;
      }
      const size_t first_new = facets_.size();
      if (!take_in(f)) return {};
      for (size_t n = first_new; n < facets_.size(); ++n) open.push_back(static_cast<int>(n));
    }
    std::vector<Face> faces;
    for (const Facet& f : facets_) {
      if (f.live) faces.push_back(f.v);
    }
    return faces;
  }

 private:
  struct Facet {
    Face v;
    std::array<int, 3> across{-1, -1, -1};  // over the edge v[k], v[k + 1]
    Vector3d normal;
    double offset;
    int outside = -1;  // the points beyond it, linked by next_, the farthest first
    double farthest = 0.0;
    bool live = true;
    int visited = -1;
  };

  const Vector3d& x(int i) const { return points_[static_cast<size_t>(i)]; }
  double beyond(const Facet& f, int i) const { return f.normal.dot(x(i)) - f.offset; }

  void add(const Face& v) {
    Facet f;
    f.v = v;
    f.normal = (x(v[1]) - x(v[0])).cross(x(v[2]) - x(v[0])).normalized();
    f.offset = f.normal.dot(x(v[0]));
    facets_.push_back(f);
  }

  // Gives point i to the first facet from `first` on that it lies beyond.
  void assign(int i, size_t first) {
    for (size_t f = first; f < facets_.size(); ++f) {
      Facet& facet = facets_[f];
      const double d = facet.live ? beyond(facet, i) : 0.0;
      if (!(d > noise_)) continue;
      if (d > facet.farthest || facet.outside < 0) {
        next_[static_cast<size_t>(i)] = facet.outside;
        facet.outside = i;
        facet.farthest = d;
      } else {
        next_[static_cast<size_t>(i)] = next_[static_cast<size_t>(facet.outside)];
        next_[static_cast<size_t>(facet.outside)] = i;
      }
      return;
    }
  }

  // Replaces what the farthest point of facet f sees by a cone of new facets; false if rounding
  // left no simple loop round it.
  bool take_in(int f) {
    const int apex = facets_[static_cast<size_t>(f)].outside;
    struct Edge {
      int from, to, across;
    };
    seen_.assign(1, f);
    facets_[static_cast<size_t>(f)].visited = apex;
    std::vector<Edge> horizon;
    for (size_t k = 0; k < seen_.size(); ++k) {
      const int g = seen_[k];
      for (size_t e = 0; e < 3; ++e) {
        const int h = facets_[static_cast<size_t>(g)].across[e];
        Facet& neighbour = facets_[static_cast<size_t>(h)];
        if (neighbour.visited == apex) continue;
        if (beyond(neighbour, apex) > 0.0) {
          neighbour.visited = apex;
          seen_.push_back(h);
        }
      }
    }
    for (const int g : seen_) {
      const Facet& facet = facets_[static_cast<size_t>(g)];
      for (size_t e = 0; e < 3; ++e) {
        if (facets_[static_cast<size_t>(facet.across[e])].visited != apex) {
          horizon.push_back({facet.v[e], facet.v[(e + 1) % 3], facet.across[e]});
        }
      }
    }
    starts_.clear();
    const int first = static_cast<int>(facets_.size());
    for (size_t k = 0; k < horizon.size(); ++k) {
      if (!starts_.emplace(horizon[k].from, first + static_cast<int>(k)).second) return false;
    }
    if (horizon.size() < 3) return false;
    for (const Edge& edge : horizon) {
      const int here = static_cast<int>(facets_.size());
      add({edge.from, edge.to, apex});
      const auto after = starts_.find(edge.to);
      if (after == starts_.end()) return false;
      facets_.back().across[0] = edge.across;
      facets_.back().across[1] = after->second;
      Facet& outer = facets_[static_cast<size_t>(edge.across)];
      for (size_t e = 0; e < 3; ++e) {
        if (outer.v[e] == edge.to && outer.v[(e + 1) % 3] == edge.from) outer.across[e] = here;
      }
    }
    for (int n = first; n < static_cast<int>(facets_.size()); ++n) {
      Facet& after = facets_[static_cast<size_t>(facets_[static_cast<size_t>(n)].across[1])];
      after.across[2] = n;
    }
    for (const int g : seen_) {
      facets_[static_cast<size_t>(g)].live = false;
      for (int i = facets_[static_cast<size_t>(g)].outside; i >= 0;) {
        const int following = next_[static_cast<size_t>(i)];
        if (i != apex) assign(i, static_cast<size_t>(first));
        i = following;
      }
      facets_[static_cast<size_t>(g)].outside = -1;
    }
    return true;
  }

  std::span<const Vector3d> points_;
  std::vector<Facet> facets_;
  std::vector<int> next_;
  std::vector<int> seen_;
  std::unordered_map<int, int> starts_;
  double noise_ = 0.0;
};

}  // namespace

void Moments::add_point(const Vector3d& x) noexcept {
  const Vector3d y = x - origin;
  weight += 1.0;
  first += y;
  second += y * y.transpose();
}

void Moments::add_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r) noexcept {
  const Vector3d a = p - origin, b = q - origin, c = r - origin;
  const Vector3d m = (a + b + c) / 3.0;
  const double area = 0.5 * (b - a).cross(c - a).norm();
  weight += area;
  first += area * m;
  second += area / 12.0 *
            (9.0 * m * m.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
}

Matrix3d Moments::covariance() const noexcept {
  const Vector3d mean = first / weight;
  return second / weight - mean * mean.transpose();
}

Matrix3d principal_axes(const Moments& moments, bool& flat) {
  flat = false;
  const Matrix3d covariance = moments.covariance();
  const double scale = covariance.cwiseAbs().maxCoeff();
  if (!(scale > 0.0) || !std::isfinite(scale)) {
    flat = true;
    return Matrix3d::Identity();
  }
  Eigen::SelfAdjointEigenSolver<Matrix3d> solver;
  solver.computeDirect(covariance / scale);
  // The closed form loses up to half the digits, so this only suspects.
  flat = solver.eigenvalues()[0] < 1e-8 * solver.eigenvalues()[2];
  // Largest first: Gram-Schmidt then disturbs least the axis that matters most.
  Matrix3d axes = solver.eigenvectors().rowwise().reverse();
  return orthonormal(axes);
}

std::vector<Face> convex_hull(std::span<const Vector3d> points) {
  const Span span = span_of(points);
  return span.dimension == 3 ? Quickhull(points).run(span) : std::vector<Face>();
}

Matrix3d fitted_axes(std::span<const Vector3d> points, Fit fit) {
  const Span span = span_of(points);
  if (span.dimension == 0) return Matrix3d::Identity();
  if (span.dimension == 1) {
    Matrix3d axes;
    axes.col(0) = span.along;
    axes.col(1) = across(span.along);
    return orthonormal(axes);
  }
  if (span.dimension == 2) return flat_axes(points, span, fit);
  Moments moments;
  moments.origin = points.front();
  if (fit != Fit::kVertices) {
    const std::vector<Face> hull = Quickhull(points).run(span);
    if (fit == Fit::kHullSurface) {
      for (const Face& f : hull) {
        moments.add_triangle(points[static_cast<size_t>(f[0])], points[static_cast<size_t>(f[1])],
                             points[static_cast<size_t>(f[2])]);
      }
    } else {
      std::vector<bool> used(points.size(), false);
      for (const Face& f : hull) {
        for (const int v : f) {
          if (!used[static_cast<size_t>(v)]) moments.add_point(points[static_cast<size_t>(v)]);
          used[static_cast<size_t>(v)] = true;
        }
      }
    }
  }
  if (!(moments.weight > 0.0)) {
    for (const Vector3d& x : points) moments.add_point(x);
  }
  bool flat = false;
  return principal_axes(moments, flat);
}

Matrix3d triangle_axes(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const std::array<Vector3d, 3> edges{b - a, c - b, a - c};
  size_t longest = 0;
  for (size_t i = 1; i < 3; ++i) {
    if (edges[i].squaredNorm() > edges[longest].squaredNorm()) longest = i;
  }
  const double length = edges[longest].norm();
  if (!(length > 0.0)) return Matrix3d::Identity();
  Matrix3d axes;
  axes.col(0) = edges[longest] / length;
  const Vector3d& other = edges[(longest + 1) % 3];
  const Vector3d width = other - axes.col(0) * axes.col(0).dot(other);
  axes.col(1) = width.norm() > 1e-12 * length ? width : across(axes.col(0));
  return orthonormal(axes);
}

}  // namespace catena::internal
