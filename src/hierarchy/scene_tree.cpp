#include "catena/hierarchy/scene_tree.hpp"

#include <algorithm>
#include <array>

namespace catena {
namespace {

struct Item {
  FloatBox box;
  int geometry, element;
};

// The box of a convex element, from how far it reaches along each axis of W.
FloatBox box_of(const ConvexShape& element, const RigidEnclosure& X_WG) {
  Vector3d lo, hi;
  // Of every point of the core, not only of those that reach farthest.
  const double size = element.core_center().norm() + element.core_radius();
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d d = X_WG.X.R.row(axis).transpose();
    const Vector3d far = element.support(d), near = element.support(-d);
    hi[axis] = d.dot(far) + X_WG.X.p[axis];
    lo[axis] = d.dot(near) + X_WG.X.p[axis];
  }
  // The support point is the farthest but for rounding of the products that chose it.
  const double margin = bound_above((element.radius + element.core_error) * (1.0 + 1e-13) +
                                        X_WG.point_error(size) + 64 * kUnitRoundoff * size,
                                    10);
  return FloatBox::around(lo - Vector3d::Constant(margin), hi + Vector3d::Constant(margin));
}

double half_area(const FloatBox& box) {
  if (box.is_empty()) return 0.0;
  const Vector3d d = box.upper() - box.lower();
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

class Builder {
 public:
  Builder(std::vector<Item> items, SceneTree::Tree& tree) : items_(std::move(items)), tree_(tree) {}

  void run() {
    if (items_.empty()) return;
    tree_.boxes.reserve(2 * items_.size());
    tree_.nodes.reserve(2 * items_.size());
    tree_.boxes.emplace_back();
    tree_.nodes.emplace_back();
    struct Job {
      size_t node, first, last;
    };
    std::vector<Job> jobs{{0, 0, items_.size()}};
    while (!jobs.empty()) {
      const Job job = jobs.back();
      jobs.pop_back();
      FloatBox box;
      for (size_t i = job.first; i < job.last; ++i) box = box.merged(items_[i].box);
      tree_.boxes[job.node] = box;
      if (job.last - job.first == 1) {
        tree_.nodes[job.node] = {-1, items_[job.first].geometry, items_[job.first].element};
        continue;
      }
      const size_t middle = split(job.first, job.last);
      const size_t left = tree_.nodes.size();
      tree_.nodes[job.node].left = static_cast<int>(left);
      for (int k = 0; k < 2; ++k) {
        tree_.boxes.emplace_back();
        tree_.nodes.emplace_back();
      }
      jobs.push_back({left + 1, middle, job.last});
      jobs.push_back({left, job.first, middle});
    }
    // Children come after their parents.
    for (size_t i = tree_.nodes.size(); i-- > 0;) {
      SceneTree::Node& node = tree_.nodes[i];
      if (node.left < 0) continue;
      const auto left = static_cast<size_t>(node.left);
      const bool same = tree_.nodes[left].geometry == tree_.nodes[left + 1].geometry;
      node.geometry = same ? tree_.nodes[left].geometry : -1;
    }
  }

 private:
  // By the middles of the boxes, into bins along each axis; the cheapest border between bins wins.
  size_t split(size_t first, size_t last) {
    constexpr int kBins = 16;
    Vector3d lo = middle_of(items_[first]), hi = lo;
    for (size_t i = first; i < last; ++i) {
      lo = lo.cwiseMin(middle_of(items_[i]));
      hi = hi.cwiseMax(middle_of(items_[i]));
    }
    double best_cost = kInfinity;
    int best_axis = -1, best_bin = 0;
    const auto bin_of = [&](const Item& item, int axis) {
      const double x = (middle_of(item)[axis] - lo[axis]) / (hi[axis] - lo[axis]);
      return std::clamp(static_cast<int>(x * kBins), 0, kBins - 1);
    };
    for (int axis = 0; axis < 3; ++axis) {
      if (!(hi[axis] - lo[axis] > 0.0) || !std::isfinite(hi[axis] - lo[axis])) continue;
      std::array<FloatBox, kBins> boxes;
      std::array<int, kBins> counts{};
      for (size_t i = first; i < last; ++i) {
        const auto bin = static_cast<size_t>(bin_of(items_[i], axis));
        boxes[bin] = boxes[bin].merged(items_[i].box);
        ++counts[bin];
      }
      std::array<double, kBins> above{};  // cost of the bins from this one on
      FloatBox box;
      int count = 0;
      for (size_t bin = kBins; bin-- > 1;) {
        box = box.merged(boxes[bin]);
        count += counts[bin];
        above[bin] = half_area(box) * count;
      }
      box = FloatBox();
      count = 0;
      for (size_t bin = 0; bin + 1 < kBins; ++bin) {
        box = box.merged(boxes[bin]);
        count += counts[bin];
        const double cost = half_area(box) * count + above[bin + 1];
        if (count > 0 && count < static_cast<int>(last - first) && cost < best_cost) {
          best_cost = cost;
          best_axis = axis;
          best_bin = static_cast<int>(bin);
        }
      }
    }
    const auto begin = items_.begin();
    const auto at = [&](size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    size_t middle = first;
    if (best_axis >= 0) {
      middle = static_cast<size_t>(
          std::partition(at(first), at(last),
                         [&](const Item& item) { return bin_of(item, best_axis) <= best_bin; }) -
          begin);
    }
    // Equal middles, or a split that would make the tree deep: by number.
    const size_t least = (last - first) / 32 + 1;
    if (middle < first + least || last < middle + least) {
      middle = first + (last - first) / 2;
      int axis = 0;
      (hi - lo).maxCoeff(&axis);
      std::nth_element(at(first), at(middle), at(last), [&](const Item& a, const Item& b) {
        return middle_of(a)[axis] < middle_of(b)[axis];
      });
    }
    return middle;
  }

  // Finite, also for a box with an infinite side.
  static Vector3d middle_of(const Item& item) {
    constexpr double kFar = 1e38;
    const Vector3d lo = item.box.lower().cwiseMax(-kFar), hi = item.box.upper().cwiseMin(kFar);
    return 0.5 * (lo + hi);
  }

  std::vector<Item> items_;
  SceneTree::Tree& tree_;
};

}  // namespace

SceneTree::SceneTree(std::span<const PlacedGeometry> geometries) {
  std::vector<Item> elements, wholes, solids;
  for (size_t i = 0; i < geometries.size(); ++i) {
    const Geometry& g = *geometries[i].geometry;
    const int index = static_cast<int>(i);
    if (g.tree().empty()) {
      unbounded_.push_back(index);
      continue;
    }
    FloatBox whole;
    for (int e = 0; e < g.num_elements(); ++e) {
      elements.push_back({box_of(g.element(e), geometries[i].X_FG), index, e});
      whole = whole.merged(elements.back().box);
    }
    wholes.push_back({whole, index, -1});
    if (g.is_solid()) solids.push_back(wholes.back());
  }
  Builder(std::move(elements), elements_).run();
  Builder(std::move(wholes), geometries_).run();
  Builder(std::move(solids), solids_).run();
}

}  // namespace catena
