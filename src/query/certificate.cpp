#include "catena/query/certificate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include "catena/model/motion.hpp"

namespace catena {
namespace {

// What a checker may add to the corners of a mesh that was read from decimal text, as a part of its
// size: more than that must stay between a mesh and a plane.
constexpr double kMeshMargin = 1.1e-6;
// The same for exact shapes: rounding.
constexpr double kMargin = 1e-11;
// A plane is held against an interval in so many halvings at most. A checker may use 14: what its
// wider bounds cost it fits into the rest.
constexpr int kMostHalvings = 8;
// No interval is divided below this.
constexpr double kLeastInterval = 1e-9;
constexpr int kSamples = 5;
// With more joints on the way, distances are measured along the chain.
constexpr int kFewSteps = 24;
// So many motions of links are kept at once.
constexpr size_t kMostKept = 200'000;

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string in_quotes(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + "\"";
}

/// A block: all geometries of a run of links, of some of the scene, one geometry, or a piece of it.
struct Node {
  int left = -1, right = -1;
  int first = 0, last = 0;  // of the list of geometries, half-open
  // Of a piece of a mesh, or a whole one: its triangles and their corners.
  bool piece = false;
  std::vector<int> triangles;
  std::vector<Vector3d> points;
  Vector3d center = Vector3d::Zero();  // of one geometry: a ball around it, in G
  double radius = 0.0;
  bool splits = true;  // false: no cut divides it
  int cut = -1;  // how it was cut: by the least x, y, z of triangles, or (3 to 5) the greatest
  double at = 0.0;
};

struct Entry {
  double begin, end;
  LinkIndex frame;  // invalid: the world
  Vector3d normal;
  double offset;
  int low, high;  // nodes
};

struct Edge {
  Knot from, to;
  double duration = 0.0;  // of a spline; 0: it is none
  std::vector<Entry> entries;
};

/// One geometry, as often used.
struct Shape {
  const Geometry* geometry;
  int link;
  RigidTransform X_LG;
  std::optional<ConvexShape> convex;  // not of meshes and half-spaces
};

/// What a link does at one time, seen from the link R that both blocks hang on; a point x of it
/// moves with spin x x + drift. The axis is that of the joint above it.
struct LinkMotion {
  RigidTransform X_RL;
  Vector3d spin, drift, axis;
};
using Instant = std::vector<LinkMotion>;

/// What is known of a link's motion, seen from a frame, at every time of an interval: found along
/// the way from the frame, for all links beyond at once, as a checker may do (docs/rigor.md, R11).
struct Sway {
  std::uint64_t view = 0;             // of which frame and interval
  int next = -1;                      // the link before it on the way from the frame
  int joint = -1;                     // the joint between the two, by the link that it is above
  int steps = 0;                      // joints on the way
  bool moves = false;                 // one of them does
  Vector3d point = Vector3d::Zero();  // of the link, where the way enters it, in R in the middle
  double rates = 0.0;                 // sum of the rates on the way
  double spin = 0.0, twist = 0.0;     // at least the lengths of angular velocity and acceleration
  double bend = 0.0;                  // at least |x''| of the point
  double weight = 0.0;                // and by so much more at a metre from it
};

struct OutOfSteps {};

/// The point of least norm of a convex set that is given by its support points [Wolfe1976].
struct LeastPoint {
  Vector3d x = Vector3d::Zero();
  double bound = 0.0;  // the set lies beyond this along x / |x|
};

template <class Support>
LeastPoint least_point(const Support& support, const Vector3d& start) {
  std::vector<Vector3d> points = {support(start)};
  std::vector<double> weights = {1.0};
  LeastPoint best;
  Vector3d x = points[0];
  for (int step = 0; step < 64; ++step) {
    const double squared = x.squaredNorm();
    if (!(squared > 1e-26)) return {};
    const Vector3d q = support(-x);
    const double bound = x.dot(q) / std::sqrt(squared);
    if (bound > best.bound) best = {x, bound};
    if (squared - x.dot(q) <= 1e-3 * squared) return best;
    for (const Vector3d& p : points)
      if (p == q) return best;
    points.push_back(q);
    weights.push_back(0.0);
    for (int minor = 0; minor < 8; ++minor) {
      const auto n = static_cast<Eigen::Index>(points.size());
      using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 5, 5>;
      using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 5, 1>;
      Matrix M = Matrix::Zero(n + 1, n + 1);
      Vector rhs = Vector::Zero(n + 1);
      const double scale = 1.0 / (squared + q.squaredNorm());
      for (Eigen::Index i = 0; i < n; ++i) {
        M(i, n) = M(n, i) = 1.0;
        for (Eigen::Index k = 0; k < n; ++k)
          M(i, k) = scale * points[static_cast<size_t>(i)].dot(points[static_cast<size_t>(k)]);
      }
      rhs[n] = 1.0;
      const Vector mu = M.fullPivLu().solve(rhs);
      double share = 1.0;
      int drop = -1;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (mu[i] > 1e-12) continue;
        const double weight = weights[static_cast<size_t>(i)];
        const double limit = weight / std::max(weight - mu[i], 1e-300);
        if (limit <= share) {
          share = limit;
          drop = static_cast<int>(i);
        }
      }
      for (Eigen::Index i = 0; i < n; ++i) {
        double& weight = weights[static_cast<size_t>(i)];
        weight += share * (mu[i] - weight);
      }
      if (drop < 0) break;
      points.erase(points.begin() + drop);
      weights.erase(weights.begin() + drop);
      if (points.size() == 1) {
        weights[0] = 1.0;
        break;
      }
    }
    if (points.size() > 3) return best.bound > 0.0 ? best : LeastPoint{};  // around the origin
    x.setZero();
    double sum = 0.0;
    for (size_t i = 0; i < points.size(); ++i) {
      x += weights[i] * points[i];
      sum += weights[i];
    }
    if (!(sum > 0.5) || !x.allFinite()) return best;
    x /= sum;
  }
  return best;
}

}  // namespace

struct CertificateWriter::Impl {
  Impl(std::shared_ptr<const CollisionWorld> of, const CertificateOptions& with)
      : world(std::move(of)), options(with) {
    if (!world) throw std::invalid_argument("CertificateWriter: the world is null");
    if (!(options.clearance >= 0.0) || !std::isfinite(options.clearance))
      throw std::invalid_argument("CertificateWriter: clearance is no length; give metres >= 0");
    list_geometries();
    const int robot = world->first_scene_geometry();
    robot_root = robot == 0 ? -1 : build(0, robot, false);
    const auto bounded = static_cast<int>(geometries.size()) - num_half_spaces;
    if (bounded > robot) scene_roots.push_back(build(robot, bounded, true));
    for (int i = bounded; i < static_cast<int>(geometries.size()); ++i)
      scene_roots.push_back(build(i, i + 1, true));
    for (int i = 0; i < static_cast<int>(geometries.size()); ++i) {
      const CollisionWorld::WorldGeometry& g = geometry(i);
      shapes.push_back({g.geometry.get(), g.link.value, g.X_LG.X, std::nullopt});
      if (!is_mesh(*g.geometry) && !is_half_space(*g.geometry))
        shapes.back().convex = g.geometry->element(0);
    }
    place.assign(static_cast<size_t>(world->robot().num_links()), -1);
  }

  // ---- blocks

  const CollisionWorld::WorldGeometry& geometry(int position) const {
    return world->geometries()[static_cast<size_t>(geometries[static_cast<size_t>(position)])];
  }
  static bool is_half_space(const Geometry& g) {
    return g.kind() == Geometry::Kind::kPrimitive &&
           std::holds_alternative<HalfSpace>(g.primitive());
  }
  static bool is_mesh(const Geometry& g) { return g.kind() == Geometry::Kind::kMesh; }

  void list_geometries() {
    const auto all = world->geometries();
    std::vector<int> half_spaces;
    for (size_t i = 0; i < all.size(); ++i) {
      const Geometry& g = *all[i].geometry;
      const std::string& name = world->body(all[i].body).name;
      if (g.kind() == Geometry::Kind::kBoxes || g.kind() == Geometry::Kind::kSpheres)
        throw std::invalid_argument("\"" + name +
                                    "\": certificates have no form for octomaps and point clouds");
      if (is_mesh(g) && g.radius() > 0.0)
        throw std::invalid_argument("\"" + name +
                                    "\": certificates have no form for padded meshes");
      (is_half_space(g) ? half_spaces : geometries).push_back(static_cast<int>(i));
    }
    num_half_spaces = static_cast<int>(half_spaces.size());
    geometries.insert(geometries.end(), half_spaces.begin(), half_spaces.end());
  }

  int build(int first, int last, bool sort) {
    const int number = static_cast<int>(nodes.size());
    nodes.emplace_back();
    if (last - first == 1) {
      Node node;
      node.first = first;
      node.last = last;
      const CollisionWorld::WorldGeometry& g = geometry(first);
      node.splits = false;
      if (!is_half_space(*g.geometry)) {
        node.center = g.geometry->bound_center();
        node.radius = g.geometry->bound_radius();
      }
      if (is_mesh(*g.geometry)) {
        node.piece = true;
        node.splits = g.geometry->num_elements() > 1;
        node.triangles.resize(static_cast<size_t>(g.geometry->num_elements()));
        std::iota(node.triangles.begin(), node.triangles.end(), 0);
        set_points(node);
      }
      nodes[static_cast<size_t>(number)] = std::move(node);
      return number;
    }
    const int middle = first + (last - first) / 2;
    if (sort) {  // by place, along the longest axis
      Vector3d low = Vector3d::Constant(kInfinity), high = -low;
      for (int i = first; i < last; ++i) {
        low = low.cwiseMin(geometry(i).center);
        high = high.cwiseMax(geometry(i).center);
      }
      int axis = 0;
      (high - low).maxCoeff(&axis);
      std::nth_element(geometries.begin() + first, geometries.begin() + middle,
                       geometries.begin() + last, [&](int a, int b) {
                         const auto all = world->geometries();
                         const double x = all[static_cast<size_t>(a)].center[axis];
                         const double y = all[static_cast<size_t>(b)].center[axis];
                         return x != y ? x < y : a < b;
                       });
    }
    const int left = build(first, middle, sort);
    const int right = build(middle, last, sort);
    Node& node = nodes[static_cast<size_t>(number)];
    node.first = first;
    node.last = last;
    node.left = left;
    node.right = right;
    return number;
  }

  void set_points(Node& node) const {
    const TriangleMesh& mesh = geometry(node.first).geometry->mesh();
    std::vector<std::array<double, 3>> corners;
    for (const int t : node.triangles)
      for (const int v : mesh.triangles[static_cast<size_t>(t)]) {
        const Vector3d& x = mesh.vertices[static_cast<size_t>(v)];
        corners.push_back({x.x(), x.y(), x.z()});
      }
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    node.points.clear();
    Vector3d low = Vector3d::Constant(kInfinity), high = -low;
    for (const auto& c : corners) {
      node.points.emplace_back(c[0], c[1], c[2]);
      low = low.cwiseMin(node.points.back());
      high = high.cwiseMax(node.points.back());
    }
    node.center = 0.5 * (low + high);
    node.radius = 0.0;
    for (const Vector3d& p : node.points)
      node.radius = std::max(node.radius, (p - node.center).norm());
  }

  /// Makes the children of a node that has none yet; false if nothing divides it. A triangle's
  /// least or greatest coordinate along an axis says on which side of a cut it belongs, so that any
  /// reader of the mesh, whatever its order, cuts alike.
  bool split(int number) {
    if (nodes[static_cast<size_t>(number)].left >= 0) return true;
    if (!nodes[static_cast<size_t>(number)].splits) return false;
    const Node node = nodes[static_cast<size_t>(number)];
    const TriangleMesh& mesh = geometry(node.first).geometry->mesh();
    Vector3d low = Vector3d::Constant(kInfinity), high = -low;
    for (const Vector3d& p : node.points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    std::array<int, 6> cuts = {0, 1, 2, 3, 4, 5};
    std::stable_sort(cuts.begin(), cuts.end(),
                     [&](int a, int b) { return (high - low)[a % 3] > (high - low)[b % 3]; });
    std::stable_partition(cuts.begin(), cuts.end(), [](int cut) { return cut < 3; });
    for (const int cut : cuts) {
      const int axis = cut % 3;
      const auto least = [&](int t) {
        double x = cut < 3 ? kInfinity : -kInfinity;
        for (const int v : mesh.triangles[static_cast<size_t>(t)]) {
          const double c = mesh.vertices[static_cast<size_t>(v)][axis];
          x = cut < 3 ? std::min(x, c) : std::max(x, c);
        }
        return x;
      };
      std::vector<double> values;
      for (const int t : node.triangles) values.push_back(least(t));
      std::sort(values.begin(), values.end());
      double at = values[values.size() / 2];
      if (at == values.front()) {
        const auto beyond = std::upper_bound(values.begin(), values.end(), at);
        if (beyond == values.end()) continue;
        at = *beyond;
      }
      Node left, right;
      for (Node* child : {&left, &right}) {
        child->piece = true;
        child->first = node.first;
        child->last = node.last;
      }
      for (const int t : node.triangles) (least(t) < at ? left : right).triangles.push_back(t);
      for (Node* child : {&left, &right}) {
        set_points(*child);
        child->splits = child->triangles.size() > 1;
      }
      const int l = static_cast<int>(nodes.size());
      nodes.push_back(std::move(left));
      nodes.push_back(std::move(right));
      Node& parent = nodes[static_cast<size_t>(number)];
      parent.left = l;
      parent.right = l + 1;
      parent.cut = cut;
      parent.at = at;
      return true;
    }
    nodes[static_cast<size_t>(number)].splits = false;
    return false;
  }

  bool is_scene(int node) const {
    return geometry(nodes[static_cast<size_t>(node)].first).link.value == 0 &&
           nodes[static_cast<size_t>(node)].first >= world->first_scene_geometry();
  }

  bool any_checked(int a, int b) const {
    const Node& A = nodes[static_cast<size_t>(a)];
    const Node& B = nodes[static_cast<size_t>(b)];
    for (int i = A.first; i < A.last; ++i)
      for (int k = B.first; k < B.last; ++k)
        if (world->checks(geometry(i).body, geometry(k).body)) return true;
    return false;
  }

  // ---- motion

  int link_of(int node) const { return shapes[static_cast<size_t>(at(node).first)].link; }
  const Node& at(int node) const { return nodes[static_cast<size_t>(node)]; }

  /// Turns to the links on the ways between those of two blocks. What is found of their motion is
  /// kept as long as these are looked at.
  void turn_to(int a, int b) {
    const Robot& robot = world->robot();
    for (const int i : span) place[static_cast<size_t>(i)] = -1;
    span.clear();
    span_parent.clear();
    instants.clear();
    LinkIndex root(link_of(a));
    for (const int node : {a, b})
      for (int i = at(node).first; i < at(node).last; ++i)
        root = common(root, LinkIndex(shapes[static_cast<size_t>(i)].link));
    for (const int node : {a, b})
      for (int i = at(node).first; i < at(node).last; ++i)
        for (LinkIndex l(shapes[static_cast<size_t>(i)].link);
             place[static_cast<size_t>(l.value)] < 0; l = robot.parent(l)) {
          place[static_cast<size_t>(l.value)] = 0;
          span.push_back(l.value);
          if (l == root) break;
        }
    std::sort(span.begin(), span.end());  // parents first
    for (size_t k = 0; k < span.size(); ++k) {
      place[static_cast<size_t>(span[k])] = static_cast<int>(k);
      span_parent.push_back(
          k == 0 ? -1 : place[static_cast<size_t>(robot.parent(LinkIndex(span[k])).value)]);
    }
    sways.resize(std::max(sways.size(), span.size()));
  }

  size_t place_of(int link) const { return static_cast<size_t>(place[static_cast<size_t>(link)]); }

  const Instant& instant(double t) {
    const auto found = instants.find(t);
    if (found != instants.end()) return found->second;
    const Robot& robot = world->robot();
    Instant now(span.size(), {{}, Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()});
    for (size_t k = 1; k < span.size(); ++k) {
      const LinkIndex link(span[k]);
      const LinkMotion& before = now[static_cast<size_t>(span_parent[k])];
      LinkMotion& self = now[k];
      const Motion::JointMotion& m = motion.joint(link);
      self.spin = before.spin;
      self.drift = before.drift;
      if (!m.moves) {
        self.X_RL = before.X_RL * standing[static_cast<size_t>(link.value)];
        continue;
      }
      const RigidTransform& X_PJ = robot.joint(link).X_PJ.X;
      self.X_RL = before.X_RL * (X_PJ * motion.joint_transform(link, t).X);
      self.axis = self.X_RL.R * m.axis;
      const Vector3d spin = motion.rate(link, t) * self.axis;
      self.spin += spin;
      self.drift -= spin.cross(self.X_RL.p);
      if (m.speed_bound > 0.0) self.drift += before.X_RL.R * (X_PJ.R * motion.velocity(link, t));
    }
    return instants.emplace(t, std::move(now)).first->second;
  }

  LinkIndex common(LinkIndex a, LinkIndex b) const {
    return world->chain_tree().common_ancestor(a, b);
  }

  void look_from(size_t frame) {
    ++view;
    sways[frame] = {};
    sways[frame].view = view;
    top = frame;
  }

  const Sway& sway(const Instant& now, size_t link, size_t frame, double half) {
    chain.clear();
    // Numbers fall along every way to the root.
    for (size_t i = link; sways[i].view != view;) {
      if (i > top) {
        chain.push_back(i);
        i = static_cast<size_t>(span_parent[i]);
      } else {
        const auto above = static_cast<size_t>(span_parent[top]);
        step(now, top, above, top, frame, half);
        top = above;
      }
    }
    for (; !chain.empty(); chain.pop_back())
      step(now, static_cast<size_t>(span_parent[chain.back()]), chain.back(), chain.back(), frame,
           half);
    return sways[link];
  }

  void step(const Instant& now, size_t from, size_t to, size_t joint, size_t frame, double half) {
    Sway& s = sways[to];
    s = sways[from];
    s.next = static_cast<int>(from);
    s.joint = static_cast<int>(joint);
    ++s.steps;
    const LinkIndex link(span[joint]);
    const Motion::JointMotion& m = motion.joint(link);
    if (!m.moves) return;
    const double w = m.rate_bound, v = m.speed_bound;
    const Motion::Curve* const curve = motion.curve(link);
    const double turning = curve != nullptr ? curve->angular_acceleration_bound : 0.0;
    const Vector3d& origin = now[joint].X_RL.p;
    if (s.moves) s.bend += s.weight * ((origin - s.point).norm() + half * v);
    s.moves = true;
    const double before = s.spin;
    s.weight += w * (w + 2.0 * before) + turning;
    s.bend += s.weight * half * v + 2.0 * v * (w + before) +
              (curve != nullptr ? curve->acceleration_bound : 0.0);
    s.twist += w * before + turning;
    s.rates += w;
    s.spin = std::min(s.rates, (now[to].spin - now[frame].spin).norm() + half * s.twist);
    s.point = origin;
  }

  // A bound of the acceleration of a ball's points about c on a link, as the frame sees it.
  double acceleration(const Instant& now, size_t link, size_t frame, const Vector3d& c,
                      double radius, double half) {
    const Sway& last = sway(now, link, frame, half);
    if (!last.moves) return 0.0;
    if (last.steps > kFewSteps) return last.bend + last.weight * ((c - last.point).norm() + radius);
    double speed = 0.0, result = 0.0;
    for (size_t k = link; k != frame; k = static_cast<size_t>(sways[k].next)) {
      const auto joint = static_cast<size_t>(sways[k].joint);
      const LinkIndex above(span[joint]);
      const Motion::JointMotion& m = motion.joint(above);
      if (!m.moves) continue;
      const double before = sways[static_cast<size_t>(sways[k].next)].spin;
      double away = 0.0;
      if (m.rate_bound > 0.0)
        away = now[joint].axis.cross(c - now[joint].X_RL.p).norm() + radius +
               half * (speed + m.speed_bound);
      result += m.rate_bound * away * (m.rate_bound + 2.0 * before) +
                2.0 * m.speed_bound * (m.rate_bound + before);
      if (const Motion::Curve* const curve = motion.curve(above))
        result += curve->angular_acceleration_bound * away + curve->acceleration_bound;
      speed += m.rate_bound * away + m.speed_bound;
    }
    return result;
  }

  // ---- planes

  static double reach(const Shape& shape, const Node& node, const Vector3d& d) {
    if (node.piece) {
      double most = -kInfinity;
      for (const Vector3d& p : node.points) most = std::max(most, d.dot(p));
      return most;
    }
    const ConvexShape& e = *shape.convex;
    return d.dot(e.support(d)) + e.radius * d.norm();
  }

  double margin_of(const Node& node) const {
    if (!node.piece) return kMargin * (1.0 + node.radius);
    return kMeshMargin * (geometry(node.first).geometry->reach()) + kMargin;
  }

  void spend(std::uint64_t steps) {
    spent += steps;
    if (options.budget != 0 && spent > options.budget) throw OutOfSteps{};
  }

  template <class Leaf>
  void for_each_leaf(int number, const Leaf& use) const {
    const Node& node = at(number);
    if (node.piece || node.left < 0)
      use(number);
    else {
      for_each_leaf(node.left, use);
      for_each_leaf(node.right, use);
    }
  }

  std::vector<int> leaves_of(int node) const {
    std::vector<int> leaves;
    for_each_leaf(node, [&](int leaf) { leaves.push_back(leaf); });
    return leaves;
  }

  /// Does everything in the leaves stay below the bound along n, fixed in the frame, over the
  /// interval?
  bool stays_below(const std::vector<int>& leaves, size_t frame, const Vector3d& n, double bound,
                   double begin, double end, int depth) {
    const double mid = 0.5 * (begin + end);
    const double half = std::max(end - mid, mid - begin);
    std::vector<int> open;
    {
      const Instant& now = instant(mid);
      const LinkMotion& F = now[frame];
      look_from(frame);
      const Vector3d n_R = F.X_RL.R * n;
      const double at_frame = n_R.dot(F.X_RL.p);
      for (const int number : leaves) {
        const Node& node = at(number);
        const Shape& shape = shapes[static_cast<size_t>(node.first)];
        const size_t link = place_of(shape.link);
        const LinkMotion& L = now[link];
        spend(1 + node.points.size() / 32);
        const RigidTransform X_RG = L.X_RL * shape.X_LG;
        const Vector3d c = X_RG * node.center;
        const double limit =
            bound - margin_of(node) - 1e-13 * (c.lpNorm<1>() + F.X_RL.p.lpNorm<1>());
        const double base = n_R.dot(c) - at_frame;
        const double rest =
            0.5 * half * half * acceleration(now, link, frame, c, node.radius, half);
        const Vector3d spin = L.spin - F.spin;
        const double shift = half * n_R.dot(spin.cross(c) + L.drift - F.drift);
        const Vector3d twist = half * n_R.cross(spin);
        // The ball around it often is enough.
        if (base + std::abs(shift) + node.radius * (1.0 + twist.norm()) + rest < limit) continue;
        const auto along = [&](const Vector3d& d_R) {
          const Vector3d d = X_RG.R.transpose() * d_R;
          return reach(shape, node, d) - d.dot(node.center);
        };
        if (base + std::max(along(n_R + twist) + shift, along(n_R - twist) - shift) + rest < limit)
          continue;
        if (half == 0.0 || depth == kMostHalvings || !(base + along(n_R) < limit)) return false;
        open.push_back(number);
      }
    }
    if (open.empty()) return true;
    return stays_below(open, frame, n, bound, begin, mid, depth + 1) &&
           stays_below(open, frame, n, bound, mid, end, depth + 1);
  }

  /// One leaf at one time, in the frame.
  struct Piece {
    RigidTransform X_FG;
    int node;
    Vector3d center;
    double radius;
  };

  void list_pieces(int node, size_t frame, std::span<const double> times,
                   std::vector<Piece>& pieces) {
    pieces.clear();
    const bool still = is_scene(node) && span[frame] == 0;
    for (const double t : times) {
      const Instant& now = instant(t);
      const RigidTransform X_FR = now[frame].X_RL.inverse();
      for_each_leaf(node, [&](int number) {
        const Node& leaf = at(number);
        const Shape& shape = shapes[static_cast<size_t>(leaf.first)];
        const RigidTransform X_FG = X_FR * (now[place_of(shape.link)].X_RL * shape.X_LG);
        pieces.push_back({X_FG, number, X_FG * leaf.center, leaf.radius});
      });
      if (still) break;
    }
  }

  Vector3d farthest(const std::vector<Piece>& pieces, const Vector3d& d) {
    double most = -kInfinity;
    const double length = d.norm();
    Vector3d best = Vector3d::Zero();
    for (const Piece& piece : pieces) {
      if (d.dot(piece.center) + length * piece.radius <= most) continue;
      const Node& node = at(piece.node);
      const Vector3d d_G = piece.X_FG.R.transpose() * d;
      Vector3d x = Vector3d::Zero();
      if (node.piece) {
        spend(node.points.size() / 32);
        double highest = -kInfinity;
        for (const Vector3d& p : node.points)
          if (const double value = d_G.dot(p); value > highest) {
            highest = value;
            x = p;
          }
      } else {
        const ConvexShape& e = *shapes[static_cast<size_t>(node.first)].convex;
        x = e.support(d_G);
        if (e.radius > 0.0 && length > 0.0) x += e.radius / length * d_G;
      }
      x = piece.X_FG * x;
      if (const double value = d.dot(x); value > most) {
        most = value;
        best = x;
      }
    }
    spend(1 + pieces.size() / 8);
    return best;
  }

  struct Parting {
    Vector3d normal;
    double low = 0.0, high = 0.0;  // the sampled blocks end below and begin above
  };

  std::optional<Parting> part_samples(int a, int b, size_t frame, std::span<const double> times) {
    list_pieces(a, frame, times, pieces_a);
    list_pieces(b, frame, times, pieces_b);
    const auto support = [&](const Vector3d& d) -> Vector3d {
      return farthest(pieces_b, d) - farthest(pieces_a, -d);
    };
    const Vector3d start = pieces_a.front().center - pieces_b.front().center;
    const LeastPoint least = least_point(support, start);
    if (!(least.bound > options.clearance)) return std::nullopt;
    Parting parting;
    parting.normal = least.x.normalized();
    parting.low = parting.normal.dot(farthest(pieces_a, parting.normal));
    parting.high = parting.normal.dot(farthest(pieces_b, -parting.normal));
    if (!(parting.high - parting.low > options.clearance)) return std::nullopt;
    return parting;
  }

  bool try_half_space(int a, int half_space, double begin, double end) {
    const Shape& shape = shapes[static_cast<size_t>(at(half_space).first)];
    const auto& h = std::get<HalfSpace>(shape.geometry->primitive());
    const Vector3d normal = (shape.X_LG.R * h.normal).normalized();
    const double offset = h.offset + normal.dot(shape.X_LG.p);
    if (!stays_below(leaves_of(a), 0, -normal, -(offset + options.clearance) - kMargin, begin, end,
                     0))
      return false;
    edge.entries.push_back({begin, end, LinkIndex(), normal, offset, half_space, a});
    return true;
  }

  bool is_half_space_node(int node) const {
    const Node& n = at(node);
    return n.last - n.first == 1 && is_half_space(*geometry(n.first).geometry);
  }

  bool try_plane(int a, int b, double begin, double end) {
    const int last_a = shapes[static_cast<size_t>(at(a).last - 1)].link;
    std::vector<size_t> frames;
    const auto consider = [&](int link) {
      const size_t frame = place_of(link);
      if (std::find(frames.begin(), frames.end(), frame) == frames.end()) frames.push_back(frame);
    };
    if (is_scene(b)) {
      consider(0);
      consider(link_of(a));
      consider(last_a);
    } else {
      consider(last_a);
      consider(link_of(b));
      LinkIndex root(link_of(a));
      for (const int node : {a, b})
        for (int i = at(node).first; i < at(node).last; ++i)
          root = common(root, LinkIndex(shapes[static_cast<size_t>(i)].link));
      consider(root.value);
    }
    std::array<double, kSamples> times;
    for (int i = 0; i < kSamples; ++i)
      times[static_cast<size_t>(i)] = begin + (end - begin) * i / (kSamples - 1.0);
    for (const size_t frame : frames) {
      const auto parting = part_samples(a, b, frame, times);
      if (!parting) continue;
      const double offset = 0.5 * (parting->low + parting->high - options.clearance);
      if (!stays_below(leaves_of(a), frame, parting->normal, offset, begin, end, 0)) continue;
      if (!stays_below(leaves_of(b), frame, -parting->normal, -(offset + options.clearance), begin,
                       end, 0))
        continue;
      edge.entries.push_back({begin, end, LinkIndex(span[frame]), parting->normal, offset, a, b});
      return true;
    }
    return false;
  }

  // ---- the division

  std::string names(int a, int b) const {
    const auto name = [&](int node) {
      return "\"" + world->body(geometry(at(node).first).body).name + "\"";
    };
    return name(a) + " and " + name(b);
  }

  /// A ball around the node at mid-time.
  double size_of(int node, double t) {
    Vector3d low = Vector3d::Constant(kInfinity), high = -low;
    const Instant& now = instant(t);
    double size = 0.0;
    int count = 0;
    for_each_leaf(node, [&](int number) {
      const Node& leaf = at(number);
      const Shape& shape = shapes[static_cast<size_t>(leaf.first)];
      const Vector3d c = now[place_of(shape.link)].X_RL * (shape.X_LG * leaf.center);
      low = low.cwiseMin(c - Vector3d::Constant(leaf.radius));
      high = high.cwiseMax(c + Vector3d::Constant(leaf.radius));
      size = leaf.radius;
      ++count;
    });
    return count == 1 ? size : 0.5 * (high - low).norm();
  }

  /// How far the node's geometries go within half of the interval, as the other node's first link
  /// sees it; 0 only if they stand still.
  double motion_of(int node, int other, double begin, double end) {
    const double mid = 0.5 * (begin + end), half = 0.5 * (end - begin);
    const size_t frame = place_of(link_of(other));
    double most = 0.0;
    const auto center = [&](const Instant& now, int number) {
      const Node& leaf = at(number);
      const Shape& shape = shapes[static_cast<size_t>(leaf.first)];
      return now[place_of(shape.link)].X_RL * (shape.X_LG * leaf.center);
    };
    const Instant& now = instant(mid);
    const RigidTransform X_FR = now[frame].X_RL.inverse();
    look_from(frame);
    for_each_leaf(node, [&](int number) {
      const size_t link = place_of(shapes[static_cast<size_t>(at(number).first)].link);
      if (!sway(now, link, frame, half).moves) return;
      const Vector3d c = center(now, number);
      const Vector3d velocity =
          (now[link].spin - now[frame].spin).cross(c) + now[link].drift - now[frame].drift;
      most = std::max({most, half * velocity.norm(), 1e-300});
    });
    if (most == 0.0) return 0.0;
    for (const double t : {begin, end}) {
      const Instant& then = instant(t);
      const RigidTransform X_FR_then = then[frame].X_RL.inverse();
      for_each_leaf(node, [&](int number) {
        most =
            std::max(most, (X_FR_then * center(then, number) - X_FR * center(now, number)).norm());
      });
    }
    return most;
  }

  /// Throws std::runtime_error where the pair cannot be parted.
  void part(int a, int b, double begin, double end) {
    spend(8);
    if (!any_checked(a, b)) return;
    if (instants.size() * span.size() > kMostKept) instants.clear();
    const double mid = 0.5 * (begin + end);
    const bool half_space = is_half_space_node(b);
    // No plane parts over an interval what none parts in the middle of it.
    const bool apart = !half_space && part_samples(a, b, 0, {&mid, 1}).has_value();
    if (half_space ? try_half_space(a, b, begin, end) : apart && try_plane(a, b, begin, end))
      return;
    const double size_a = size_of(a, mid), size_b = half_space ? 0.0 : size_of(b, mid);
    const double moved = motion_of(a, b, begin, end);
    const bool can_a = split(a), can_b = !half_space && split(b);
    const bool can_time = end - begin > kLeastInterval && begin < mid && mid < end && moved > 0.0;
    const bool can_space = can_a || can_b;
    bool in_time = can_time && (!can_space || (apart && moved > 0.5 * (size_a + size_b)) ||
                                moved > 2.0 * (size_a + size_b));
    // Two single triangles or shapes that overlap now are not parted by looking more closely.
    if (!can_space && !half_space && !apart && moved < 1e-9 * (1.0 + size_a + size_b))
      in_time = false;
    if (in_time) {
      part(a, b, begin, mid);
      part(a, b, mid, end);
      return;
    }
    if (!can_space)
      throw std::runtime_error("no plane was found between " + names(a, b) +
                               " near t = " + shortest(mid));
    const bool divide_a = can_a && (!can_b || size_a >= size_b);
    const int divided = divide_a ? a : b;
    const int left = at(divided).left, right = at(divided).right;
    if (divide_a) {
      part(left, b, begin, end);
      part(right, b, begin, end);
    } else {
      part(a, left, begin, end);
      part(a, right, begin, end);
    }
  }

  void part_within(int node) {
    const Node& n = at(node);
    if (n.last - n.first == 1) return;
    const int left = n.left, right = n.right;
    part_within(left);
    part_within(right);
    turn_to(left, right);
    part(left, right, 0.0, 1.0);
  }

  // The motion at hand, from one to the other.
  std::optional<std::string> add(const Knot& from, const Knot& to, double duration) {
    const RoundingScope rounding;
    const Robot& robot = world->robot();
    spent = 0;
    edge = {from, to, duration, {}};
    standing.assign(static_cast<size_t>(robot.num_links()), {});
    for (int i = 1; i < robot.num_links(); ++i)
      if (!motion.joint(LinkIndex(i)).moves)
        standing[static_cast<size_t>(i)] =
            robot.joint(LinkIndex(i)).X_PJ.X * motion.joint_transform(LinkIndex(i), 0.0).X;
    try {
      if (robot_root >= 0) {
        part_within(robot_root);
        for (const int root : scene_roots) {
          turn_to(robot_root, root);
          part(robot_root, root, 0.0, 1.0);
        }
      }
    } catch (const OutOfSteps&) {
      return "the budget of " + std::to_string(options.budget) + " steps ran out";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    edges.push_back(std::move(edge));
    return std::nullopt;
  }

  // ---- text

  /// Only nodes that an entry needs are divided in the file.
  struct Numbering {
    std::vector<bool> divided;
    std::vector<std::array<int, 2>> parts;  // by node
    int count = 0;
  };

  Numbering number_parts() const {
    Numbering numbering;
    numbering.divided.assign(nodes.size(), false);
    numbering.parts.assign(nodes.size(), {0, 0});
    std::vector<int> parent(nodes.size(), -1);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const int child : {nodes[i].left, nodes[i].right})
        if (child >= 0) parent[static_cast<size_t>(child)] = static_cast<int>(i);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i].piece && nodes[i].left >= 0) numbering.divided[i] = true;
    for (const Edge& e : edges)
      for (const Entry& entry : e.entries)
        for (const int node : {entry.low, entry.high})
          for (int i = parent[static_cast<size_t>(node)];
               i >= 0 && !numbering.divided[static_cast<size_t>(i)];
               i = parent[static_cast<size_t>(i)])
            numbering.divided[static_cast<size_t>(i)] = true;
    if (robot_root >= 0) number(robot_root, numbering);
    for (const int root : scene_roots) number(root, numbering);
    return numbering;
  }

  void number(int node, Numbering& numbering) const {
    const int first = numbering.count;
    if (numbering.divided[static_cast<size_t>(node)]) {
      number(nodes[static_cast<size_t>(node)].left, numbering);
      number(nodes[static_cast<size_t>(node)].right, numbering);
    } else {
      ++numbering.count;
    }
    numbering.parts[static_cast<size_t>(node)] = {first, numbering.count};
  }

  std::string shape_name(int position) const {
    const CollisionWorld::WorldGeometry& g = geometry(position);
    const CollisionWorld::WorldBody& body = world->body(g.body);
    return in_quotes(body.name) + " " +
           std::to_string(geometries[static_cast<size_t>(position)] - body.first_geometry);
  }

  void write_shapes(int node, const Numbering& numbering, std::string& text) const {
    const Node& n = nodes[static_cast<size_t>(node)];
    if (n.last - n.first > 1) {
      write_shapes(n.left, numbering, text);
      write_shapes(n.right, numbering, text);
      return;
    }
    text += "shape " + shape_name(n.first);
    write_cuts(node, numbering, text);
    text += "\n";
  }

  void write_cuts(int node, const Numbering& numbering, std::string& text) const {
    const Node& n = nodes[static_cast<size_t>(node)];
    if (!numbering.divided[static_cast<size_t>(node)]) {
      text += " .";
      return;
    }
    text += std::string(" ") + "xyzXYZ"[n.cut] + " " + shortest(n.at);
    write_cuts(n.left, numbering, text);
    write_cuts(n.right, numbering, text);
  }

  std::string frame_name(LinkIndex frame) const {
    if (frame.value <= 0) return "world";
    for (const Body& body : world->robot().bodies())
      if (body.link == frame) return in_quotes(body.name);  // the first on a link has its frame
    return "world";
  }

  std::string text() const {
    const RoundingScope rounding;
    const Robot& robot = world->robot();
    const Numbering numbering = number_parts();
    std::string out = "catena-certificate 1\nclearance " + shortest(options.clearance) + "\n";
    for (const LinkIndex joint : robot.active_joints())
      out += "joint " + in_quotes(robot.joint(joint).name) + "\n";
    if (robot_root >= 0) write_shapes(robot_root, numbering, out);
    for (const int root : scene_roots) write_shapes(root, numbering, out);
    std::vector<std::string> frames;
    for (int i = 0; i < robot.num_links(); ++i) frames.push_back(frame_name(LinkIndex(i)));
    for (const Edge& e : edges) {
      out += "edge\n";
      const std::pair<const char*, const Eigen::VectorXd*> lines[] = {
          {"from", &e.from.q},
          {"to", &e.to.q},
          {"from_velocity", &e.from.velocity},
          {"to_velocity", &e.to.velocity},
          {"from_acceleration", &e.from.acceleration},
          {"to_acceleration", &e.to.acceleration}};
      for (const auto& [word, values] : lines) {
        if (values->size() == 0 && values != &e.from.q && values != &e.to.q) continue;
        out += word;
        for (const double value : *values) out += " " + shortest(value);
        out += "\n";
      }
      if (e.duration > 0.0) out += "duration " + shortest(e.duration) + "\n";
      for (const Entry& entry : e.entries) {
        out += "plane " + shortest(entry.begin) + " " + shortest(entry.end) + " " +
               (entry.frame.valid() ? frames[static_cast<size_t>(entry.frame.value)] : "world");
        for (const double x : entry.normal) out += " " + shortest(x);
        out += " " + shortest(entry.offset);
        for (const int node : {entry.low, entry.high})
          for (const int part : numbering.parts[static_cast<size_t>(node)])
            out += " " + std::to_string(part);
        out += "\n";
      }
      write_outsides(e, numbering, out);
    }
    return out + "end\n";
  }

  // ---- what is outside what

  void write_outsides(const Edge& e, const Numbering& numbering, std::string& out) const {
    std::vector<int> cut;  // leaves of the shapes' tree: solids in several parts
    std::vector<int> leaves;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i];
      if (n.last - n.first != 1) continue;
      if (is_piece_of_piece(static_cast<int>(i))) continue;
      leaves.push_back(static_cast<int>(i));
      if (n.piece && geometry(n.first).geometry->is_solid() && numbering.divided[i])
        cut.push_back(static_cast<int>(i));
    }
    if (cut.empty()) return;
    Motion start(world->robot(), e.from.q);
    std::vector<RigidEnclosure> X_WL(static_cast<size_t>(world->robot().num_links()));
    start.poses(world->robot(), 0.0, X_WL);
    const auto pose = [&](int leaf) {
      const auto& g = geometry(nodes[static_cast<size_t>(leaf)].first);
      return X_WL[static_cast<size_t>(g.link.value)].X * g.X_LG.X;
    };
    for (const int solid : cut)
      for (const int other : leaves) {
        const auto& S = geometry(nodes[static_cast<size_t>(solid)].first);
        const auto& O = geometry(nodes[static_cast<size_t>(other)].first);
        if (!world->checks(S.body, O.body) || is_half_space(*O.geometry)) continue;
        if (are_parted(e, numbering, solid, other)) continue;
        const RigidTransform X_SO = pose(solid).inverse() * pose(other);
        std::vector<Vector3d> points = {Vector3d::Zero()};
        if (is_mesh(*O.geometry)) {
          points.clear();
          for (const int element : O.geometry->component_elements())
            points.push_back(O.geometry->element(element).corners[0]);
        }
        for (size_t k = 0; k < points.size(); ++k) {
          const auto ray = find_ray(*S.geometry, X_SO * points[k]);
          if (!ray)
            throw std::runtime_error("no ray was found that shows a point of \"" +
                                     world->body(O.body).name + "\" to be outside \"" +
                                     world->body(S.body).name + "\"");
          out += "outside " + shape_name(nodes[static_cast<size_t>(solid)].first) + " " +
                 shape_name(nodes[static_cast<size_t>(other)].first) + " " + std::to_string(k);
          for (const double x : *ray) out += " " + shortest(x);
          out += "\n";
        }
      }
  }

  // Pieces come after their whole, and share its place in the list.
  bool is_piece_of_piece(int node) const {
    const Node& n = nodes[static_cast<size_t>(node)];
    return n.piece &&
           n.triangles.size() < static_cast<size_t>(geometry(n.first).geometry->num_elements());
  }

  bool are_parted(const Edge& e, const Numbering& numbering, int solid, int other) const {
    const auto contains = [&](int outer, int inner) {
      const auto& o = numbering.parts[static_cast<size_t>(outer)];
      const auto& i = numbering.parts[static_cast<size_t>(inner)];
      return o[0] <= i[0] && i[1] <= o[1];
    };
    return std::any_of(e.entries.begin(), e.entries.end(), [&](const Entry& entry) {
      return (contains(entry.low, solid) && contains(entry.high, other)) ||
             (contains(entry.low, other) && contains(entry.high, solid));
    });
  }

  static std::optional<Vector3d> find_ray(const Geometry& solid, const Vector3d& point) {
    const TriangleMesh& mesh = solid.mesh();
    const Vector3d away = (point - solid.bound_center()).normalized();
    const std::array<Vector3d, 12> directions = {away,
                                                 Vector3d(0.347, 0.811, 0.471),
                                                 Vector3d(-0.613, 0.297, 0.733),
                                                 Vector3d(0.571, -0.659, 0.489),
                                                 Vector3d(0.283, 0.397, -0.873),
                                                 Vector3d(-0.431, -0.827, -0.359),
                                                 Vector3d(0.911, 0.239, 0.337),
                                                 Vector3d(-0.877, 0.313, -0.367),
                                                 Vector3d(0.127, -0.281, 0.951),
                                                 Vector3d(-0.211, 0.953, -0.217),
                                                 Vector3d(0.743, -0.397, -0.539),
                                                 Vector3d(-0.353, -0.409, 0.841)};
    for (const Vector3d& d : directions) {
      if (!d.allFinite()) continue;
      int turns = 0;
      bool clear = true;
      for (const auto& t : mesh.triangles) {
        const Vector3d a = mesh.vertices[static_cast<size_t>(t[0])] - point;
        const Vector3d b = mesh.vertices[static_cast<size_t>(t[1])] - point;
        const Vector3d c = mesh.vertices[static_cast<size_t>(t[2])] - point;
        const double size = a.norm() + b.norm() + c.norm();
        if (std::max({d.dot(a), d.dot(b), d.dot(c)}) < -1e-5 * size) continue;
        const double doubt = 1e-5 * size * size;
        const std::array<double, 3> s = {d.dot(a.cross(b)), d.dot(b.cross(c)), d.dot(c.cross(a))};
        const bool positive = std::any_of(s.begin(), s.end(), [&](double x) { return x > doubt; });
        const bool negative = std::any_of(s.begin(), s.end(), [&](double x) { return x < -doubt; });
        if (positive && negative) continue;
        if (std::any_of(s.begin(), s.end(), [&](double x) { return std::abs(x) <= doubt; })) {
          clear = false;
          break;
        }
        const double side = a.dot(b.cross(c));
        if (std::abs(side) <= doubt * size) {
          clear = false;
          break;
        }
        if ((side > 0.0) == positive) turns += positive ? 1 : -1;
      }
      if (clear && turns == 0) return d;
    }
    return std::nullopt;
  }

  std::shared_ptr<const CollisionWorld> world;
  CertificateOptions options;
  std::vector<int> geometries;  // of the world, in the order of the blocks
  std::vector<Shape> shapes;    // likewise
  int num_half_spaces = 0;
  std::vector<Node> nodes;
  int robot_root = -1;
  std::vector<int> scene_roots;
  std::vector<Edge> edges;

  // Of the edge at hand.
  Edge edge;
  Motion motion;
  std::vector<RigidTransform> standing;  // X_PL of the links whose joints stand still
  std::vector<int> span;                 // links on the ways between the blocks at hand, R first
  std::vector<int> span_parent;          // of these, their places in the span
  std::vector<int> place;                // of every link in the span, or -1
  std::map<double, Instant> instants;
  std::uint64_t spent = 0, view = 0;
  size_t top = 0;  // the last of the frame's ancestors that is reached in this view
  std::vector<Sway> sways;
  std::vector<size_t> chain;
  std::vector<Piece> pieces_a, pieces_b;
};

CertificateWriter::CertificateWriter(std::shared_ptr<const CollisionWorld> world,
                                     const CertificateOptions& options)
    : impl_(std::make_unique<Impl>(std::move(world), options)) {}
CertificateWriter::~CertificateWriter() = default;
CertificateWriter::CertificateWriter(CertificateWriter&&) noexcept = default;
CertificateWriter& CertificateWriter::operator=(CertificateWriter&&) noexcept = default;

std::optional<std::string> CertificateWriter::add(const Eigen::Ref<const Eigen::VectorXd>& q0,
                                                  const Eigen::Ref<const Eigen::VectorXd>& q1) {
  impl_->motion.reset(impl_->world->robot(), q0, q1);
  return impl_->add({q0, {}, {}}, {q1, {}, {}}, 0.0);
}

std::optional<std::string> CertificateWriter::add(const Knot& from, const Knot& to,
                                                  double duration) {
  impl_->motion.reset(impl_->world->robot(), from, to, duration);
  return impl_->add(from, to, duration);
}

int CertificateWriter::num_edges() const noexcept { return static_cast<int>(impl_->edges.size()); }

std::int64_t CertificateWriter::num_entries() const noexcept {
  std::int64_t count = 0;
  for (const Edge& edge : impl_->edges) count += static_cast<std::int64_t>(edge.entries.size());
  return count;
}

std::string CertificateWriter::text() const { return impl_->text(); }

}  // namespace catena
