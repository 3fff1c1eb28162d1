#include "catena/geometry/obb_tree.hpp"

#include <algorithm>
#include <numeric>

#include "box_axes.hpp"

namespace catena {
namespace {

using Fit = ObbTreeOptions::Fit;

// Points whose hull, thickened by the element's radius and error, contains the element.
int hull_points(const ConvexShape& e, std::array<Vector3d, 8>& points) {
  switch (e.core) {
    case ConvexShape::Core::kPoint:
      points[0] = e.center;
      return 1;
    case ConvexShape::Core::kSegment:
      points[0] = e.center - Vector3d(0.0, 0.0, e.half.z());
      points[1] = e.center + Vector3d(0.0, 0.0, e.half.z());
      return 2;
    case ConvexShape::Core::kTriangle:
      std::copy(e.corners.begin(), e.corners.end(), points.begin());
      return 3;
    default: {
      const Vector3d half =
          e.core == ConvexShape::Core::kBox ? e.half : Vector3d(e.half.x(), e.half.x(), e.half.z());
      for (int i = 0; i < 8; ++i) {
        points[static_cast<size_t>(i)] = e.center + Vector3d((i & 1) != 0 ? half.x() : -half.x(),
                                                             (i & 2) != 0 ? half.y() : -half.y(),
                                                             (i & 4) != 0 ? half.z() : -half.z());
      }
      return 8;
    }
  }
}

// The elements as the builder asks for them: each one's points, thickness and centre.
struct Shapes {
  const std::function<ConvexShape(int)>& element;

  template <class F>
  void each_point(int i, F&& f) const {
    std::array<Vector3d, 8> points;
    const ConvexShape e = element(i);
    const int n = hull_points(e, points);
    const double thick = e.radius + e.core_error;
    for (int k = 0; k < n; ++k) f(points[static_cast<size_t>(k)], thick);
  }
  Vector3d center(int i) const { return element(i).core_center(); }
  Matrix3d own_axes(int i) const {
    const ConvexShape e = element(i);
    return e.core == ConvexShape::Core::kTriangle
               ? internal::triangle_axes(e.corners[0], e.corners[1], e.corners[2])
               : Matrix3d(Matrix3d::Identity());
  }
};

// A mesh read in place: a build of 10^6 triangles spends its time here.
struct Triangles {
  std::span<const Vector3d> vertices;
  std::span<const std::array<int, 3>> triangles;
  double thickness;

  const Vector3d& corner(int i, size_t k) const {
    return vertices[static_cast<size_t>(triangles[static_cast<size_t>(i)][k])];
  }
  template <class F>
  void each_point(int i, F&& f) const {
    for (size_t k = 0; k < 3; ++k) f(corner(i, k), thickness);
  }
  Vector3d center(int i) const { return (corner(i, 0) + corner(i, 1) + corner(i, 2)) / 3.0; }
  Matrix3d own_axes(int i) const {
    return internal::triangle_axes(corner(i, 0), corner(i, 1), corner(i, 2));
  }
};

template <class Source>
struct Builder {
  const Source& source;
  const ObbTreeOptions& options;
  std::vector<int> order;
  std::vector<Vector3d> gathered;

  template <class F>
  void each_point(int first, int last, F&& f) const {
    for (int k = first; k < last; ++k) source.each_point(order[static_cast<size_t>(k)], f);
  }

  // The box along given axes, rounding included.
  static Obb box_along(const Matrix3d& axes, const Vector3d& lo, const Vector3d& hi, double size) {
    Obb box;
    box.axes = axes;
    box.center = axes * (0.5 * (lo + hi));
    // Recomputing the projection of the rounded centre keeps its error out of the box. Each length
    // below is off by a few roundoffs of the coordinates' size, and by the axes' 1e-14.
    const Vector3d c = axes.transpose() * box.center;
    box.half =
        (hi - c).cwiseMax(c - lo).cwiseMax(0.0) + Vector3d::Constant(32 * kUnitRoundoff * size);
    return box;
  }

  Matrix3d axes_of(int first, int last) {
    if (last - first == 1) return source.own_axes(order[static_cast<size_t>(first)]);
    if (options.fit == Fit::kVertices) {
      internal::Moments moments;
      moments.origin = source.center(order[static_cast<size_t>(first)]);
      each_point(first, last, [&](const Vector3d& x, double) { moments.add_point(x); });
      bool flat = false;
      const Matrix3d axes = internal::principal_axes(moments, flat);
      if (!flat) return axes;
    }
    size_t count = 0;
    each_point(first, last, [&](const Vector3d&, double) { ++count; });
    gathered.clear();
    gathered.reserve(count);
    each_point(first, last, [&](const Vector3d& x, double) { gathered.push_back(x); });
    return internal::fitted_axes(gathered, options.fit);
  }

  // The fitted box, or the one along the frame's axes if its surface is smaller.
  Obb best_box(int first, int last) {
    const Matrix3d axes = axes_of(first, last);
    Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo, plain_lo = lo, plain_hi = hi;
    double size2 = 0.0, thickest = 0.0;
    each_point(first, last, [&](const Vector3d& x, double thick) {
      const Vector3d y = axes.transpose() * x;
      const Vector3d t = Vector3d::Constant(thick);
      lo = lo.cwiseMin(y - t);
      hi = hi.cwiseMax(y + t);
      plain_lo = plain_lo.cwiseMin(x - t);
      plain_hi = plain_hi.cwiseMax(x + t);
      size2 = std::max(size2, x.squaredNorm());
      thickest = std::max(thickest, thick);
    });
    const double size = std::sqrt(size2) + thickest;
    const auto cost = [](const Vector3d& d) {
      return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
    };
    return cost(hi - lo) < cost(plain_hi - plain_lo)
               ? box_along(axes, lo, hi, size)
               : box_along(Matrix3d::Identity(), plain_lo, plain_hi, size);
  }

  // Splits [first, last) and returns the middle; both sides are non-empty.
  int split(const Obb& box, int first, int last) {
    const int n = last - first;
    if (n == 2) return first + 1;
    std::array<int, 3> axis{0, 1, 2};
    std::sort(axis.begin(), axis.end(), [&](int a, int b) { return box.half[a] > box.half[b]; });
    if (options.split == ObbTreeOptions::Split::kMean) {
      for (const int a : axis) {
        const Vector3d d = box.axes.col(a);
        double mean = 0.0;
        for (int k = first; k < last; ++k) mean += d.dot(center(k)) / n;
        const auto middle = std::partition(order.begin() + first, order.begin() + last,
                                           [&](int i) { return d.dot(source.center(i)) < mean; });
        const int m = static_cast<int>(middle - order.begin());
        // A split that leaves nearly everything on one side would make the tree deep.
        if (m - first >= n / 8 + 1 && last - m >= n / 8 + 1) return m;
        if (n < 8 && m > first && m < last) return m;
      }
    }
    // Equal centres are told apart by their numbers, which also makes the tree reproducible.
    const int m = first + n / 2;
    const Vector3d d = box.axes.col(axis[0]);
    std::nth_element(order.begin() + first, order.begin() + m, order.begin() + last,
                     [&](int i, int j) {
                       const double at_i = d.dot(source.center(i)), at_j = d.dot(source.center(j));
                       return at_i < at_j || (at_i == at_j && i < j);
                     });
    return m;
  }

  Vector3d center(int k) const { return source.center(order[static_cast<size_t>(k)]); }
};

}  // namespace

template <class Source>
void ObbTree::build(int n, const Source& source, const ObbTreeOptions& options) {
  Builder<Source> builder{source, options, std::vector<int>(static_cast<size_t>(n)), {}};
  std::iota(builder.order.begin(), builder.order.end(), 0);

  struct Job {
    int node, first, last, depth;
  };
  nodes_.reserve(static_cast<size_t>(n) * 2 - 1);
  nodes_.emplace_back();
  std::vector<Job> jobs{{0, 0, n, 1}};
  while (!jobs.empty()) {
    const Job job = jobs.back();
    jobs.pop_back();
    depth_ = std::max(depth_, job.depth);
    const Obb box = builder.best_box(job.first, job.last);
    Node& node = nodes_[static_cast<size_t>(job.node)];
    node.box = box;
    if (job.last - job.first == 1) {
      node.element = builder.order[static_cast<size_t>(job.first)];
      continue;
    }
    const int middle = builder.split(box, job.first, job.last);
    node.left = static_cast<int>(nodes_.size());
    const Job left{node.left, job.first, middle, job.depth + 1};
    const Job right{node.right(), middle, job.last, job.depth + 1};
    nodes_.emplace_back();
    nodes_.emplace_back();
    jobs.push_back(right);
    jobs.push_back(left);
  }
}

ObbTree::ObbTree(int n, const std::function<ConvexShape(int)>& element,
                 const ObbTreeOptions& options) {
  build(n, Shapes{element}, options);
}

ObbTree::ObbTree(std::span<const Vector3d> vertices, std::span<const std::array<int, 3>> triangles,
                 double thickness, const ObbTreeOptions& options) {
  build(static_cast<int>(triangles.size()), Triangles{vertices, triangles, thickness}, options);
}

}  // namespace catena
