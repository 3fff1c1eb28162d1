#include "catena/geometry/obb_tree.hpp"

#include <algorithm>
#include <numeric>

#include <Eigen/Eigenvalues>

namespace catena {
namespace {

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

struct Builder {
  const std::function<ConvexShape(int)>& element;
  std::vector<int> order;
  std::vector<Vector3d> centers;

  // The box along given axes, rounding included.
  Obb fit(const Matrix3d& axes, int first, int last) const {
    Vector3d lo = Vector3d::Constant(kInfinity), hi = -lo;
    double size = 0.0;
    std::array<Vector3d, 8> points;
    for (int k = first; k < last; ++k) {
      const ConvexShape e = element(order[static_cast<size_t>(k)]);
      const int n = hull_points(e, points);
      const double thick = e.radius + e.core_error;
      for (int i = 0; i < n; ++i) {
        const Vector3d& x = points[static_cast<size_t>(i)];
        const Vector3d y = axes.transpose() * x;
        lo = lo.cwiseMin(y.array().matrix() - Vector3d::Constant(thick));
        hi = hi.cwiseMax(y.array().matrix() + Vector3d::Constant(thick));
        size = std::max(size, x.norm() + thick);
      }
    }
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

  Matrix3d principal_axes(int first, int last) const {
    std::array<Vector3d, 8> points;
    Vector3d sum = Vector3d::Zero();
    Vector3d origin = centers[static_cast<size_t>(order[static_cast<size_t>(first)])];
    Matrix3d moment = Matrix3d::Zero();
    double count = 0.0;
    for (int k = first; k < last; ++k) {
      const int n = hull_points(element(order[static_cast<size_t>(k)]), points);
      for (int i = 0; i < n; ++i) {
        const Vector3d x = points[static_cast<size_t>(i)] - origin;
        sum += x;
        moment += x * x.transpose();
        count += 1.0;
      }
    }
    const Matrix3d covariance = moment / count - (sum / count) * (sum / count).transpose();
    if (!covariance.allFinite() || covariance.isZero(0.0)) return Matrix3d::Identity();
    const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(covariance);
    Matrix3d axes = solver.eigenvectors();
    // Gram-Schmidt once more: the boxes are proven for axes that are orthonormal to 1e-14.
    axes.col(0).normalize();
    axes.col(1) -= axes.col(0) * axes.col(0).dot(axes.col(1));
    axes.col(1).normalize();
    axes.col(2) = axes.col(0).cross(axes.col(1)).normalized();
    const double defect = (axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff();
    return defect < 5e-15 ? axes : Matrix3d::Identity();
  }

  Obb best_box(int first, int last) const {
    const auto cost = [](const Obb& b) {
      return b.half.x() * b.half.y() + b.half.y() * b.half.z() + b.half.z() * b.half.x();
    };
    const Obb aligned = fit(Matrix3d::Identity(), first, last);
    if (last - first == 1 &&
        element(order[static_cast<size_t>(first)]).core != ConvexShape::Core::kTriangle) {
      return aligned;
    }
    const Obb principal = fit(principal_axes(first, last), first, last);
    return cost(principal) < cost(aligned) ? principal : aligned;
  }

  // Splits [first, last) and returns the middle; both sides are non-empty.
  int split(const Obb& box, int first, int last) {
    std::array<int, 3> axis{0, 1, 2};
    std::sort(axis.begin(), axis.end(), [&](int a, int b) { return box.half[a] > box.half[b]; });
    const int n = last - first;
    for (const int a : axis) {
      const Vector3d d = box.axes.col(a);
      double mean = 0.0;
      for (int k = first; k < last; ++k) mean += d.dot(center(k)) / n;
      const auto middle = std::partition(order.begin() + first, order.begin() + last, [&](int i) {
        return d.dot(centers[static_cast<size_t>(i)]) < mean;
      });
      const int m = static_cast<int>(middle - order.begin());
      // A split that leaves nearly everything on one side would make the tree deep.
      if (m - first >= n / 8 + 1 && last - m >= n / 8 + 1) return m;
      if (n < 8 && m > first && m < last) return m;
    }
    const int m = first + n / 2;
    const Vector3d d = box.axes.col(axis[0]);
    std::nth_element(
        order.begin() + first, order.begin() + m, order.begin() + last, [&](int i, int j) {
          return d.dot(centers[static_cast<size_t>(i)]) < d.dot(centers[static_cast<size_t>(j)]);
        });
    return m;
  }

  const Vector3d& center(int k) const {
    return centers[static_cast<size_t>(order[static_cast<size_t>(k)])];
  }
};

}  // namespace

ObbTree::ObbTree(int n, const std::function<ConvexShape(int)>& element) {
  Builder builder{element, std::vector<int>(static_cast<size_t>(n)),
                  std::vector<Vector3d>(static_cast<size_t>(n))};
  std::iota(builder.order.begin(), builder.order.end(), 0);
  for (int i = 0; i < n; ++i) builder.centers[static_cast<size_t>(i)] = element(i).core_center();

  struct Job {
    int node, first, last, depth;
  };
  nodes_.reserve(static_cast<size_t>(2 * n - 1));
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
    node.right = node.left + 1;
    const Job left{node.left, job.first, middle, job.depth + 1};
    const Job right{node.right, middle, job.last, job.depth + 1};
    nodes_.emplace_back();
    nodes_.emplace_back();
    jobs.push_back(right);
    jobs.push_back(left);
  }
}

}  // namespace catena
