#include "sampled_path.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/model/motion.hpp"

namespace catena::view {
namespace {

constexpr int kProbes = 16;      // instants at which an edge's travel is measured
constexpr double kStep = 0.012;  // between frames, in parts of the robot's size
constexpr int kMaxFramesPerEdge = 240;
constexpr double kMaxPoses = 400'000;  // 28 bytes each: the page stays below some 15 MB
constexpr double kMinSeconds = 8.0, kMaxSeconds = 60.0;
constexpr double kFarAway = 1000.0;  // in sizes of what is seen; single precision has 1e-7

[[noreturn]] void refuse(const std::string& element, const std::string& problem,
                         const std::string& remedy) {
  throw std::invalid_argument("animation." + element + ": " + problem + "; " + remedy);
}

void validate(const Animation& a) {
  if (a.world == nullptr) refuse("world", "is missing", "give the world of the path");
  const std::vector<Eigen::VectorXd>& states = a.waypoints.states;
  const std::vector<double>& times = a.waypoints.times;
  if (states.empty()) refuse("states", "is empty", "give at least one state");
  for (const auto& q : states) validate_positions(a.world->robot(), q);
  if (!times.empty()) {
    if (times.size() != states.size()) {
      refuse("times",
             "has " + std::to_string(times.size()) + " values for " +
                 std::to_string(states.size()) + " states",
             "give one for each state, or none");
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (!std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) {
        refuse("times[" + std::to_string(i) + "]", "is not a number that follows the one before",
               "give times that do not decrease");
      }
    }
  }
  if (!a.waypoints.slopes.empty() &&
      (a.waypoints.slopes.size() != states.size() || times.empty())) {
    refuse("slopes", "are not one for each state, with a time for each",
           "give as many as states, or none");
  }
  const std::size_t num_edges = states.size() - 1;
  if (!a.edge_labels.empty() && a.edge_labels.size() != num_edges) {
    refuse("edge_labels", "has not one text for each edge", "give as many as edges, or none");
  }
  if (!a.edge_verdicts.empty() && a.edge_verdicts.size() != num_edges) {
    refuse("edge_verdicts", "has not one verdict for each edge", "give as many as edges, or none");
  }
  if (!a.edge_progress.empty() && a.edge_progress.size() != num_edges) {
    refuse("edge_progress", "has not one entry for each edge", "give as many as edges, or none");
  }
  for (const Animation::EdgeProgress& known : a.edge_progress) {
    const double contact = known.contact.value_or(1.0);
    if (!(known.free_until >= 0.0 && known.free_until <= contact && contact <= 1.0)) {
      refuse("edge_progress", "is not on its edge",
             "give 0 <= free_until <= contact, if there is one, <= 1");
    }
  }
  if (a.contact) {
    if (!(a.contact->edge_time >= 0.0 && a.contact->edge_time <= double(num_edges))) {
      refuse("contact.edge_time", "is not on the path", "give the index of an edge + t in [0, 1]");
    }
    if (!a.contact->point.allFinite()) {
      refuse("contact.point", "is not finite", "give a point of the world");
    }
  }
}

/// The box that a geometry fills in its own frame; empty for a half-space.
struct BoundsOf {
  static Eigen::AlignedBox3d around(double x, double y, double z) {
    return {Vector3d(-x, -y, -z), Vector3d(x, y, z)};
  }
  Eigen::AlignedBox3d operator()(const Sphere& s) const {
    return around(s.radius, s.radius, s.radius);
  }
  Eigen::AlignedBox3d operator()(const Capsule& c) const {
    return around(c.radius, c.radius, c.length / 2 + c.radius);
  }
  Eigen::AlignedBox3d operator()(const Box& b) const {
    return around(b.size.x() / 2, b.size.y() / 2, b.size.z() / 2);
  }
  Eigen::AlignedBox3d operator()(const Cylinder& c) const {
    return around(c.radius, c.radius, c.length / 2);
  }
  Eigen::AlignedBox3d operator()(const Cone& c) const {
    return around(c.radius, c.radius, c.length / 2);
  }
  Eigen::AlignedBox3d operator()(const HalfSpace&) const { return {}; }
};

/// The corners of a box around a geometry, seen from the frame F that it is placed in.
std::vector<Vector3d> corners_of(const Geometry& geometry, const RigidTransform& X_FG) {
  Eigen::AlignedBox3d box;
  if (geometry.kind() == Geometry::Kind::kPrimitive) {
    box = std::visit(BoundsOf{}, geometry.primitive());
  }
  for (const auto& t : geometry.mesh().triangles) {
    for (const int v : t) box.extend(geometry.mesh().vertices[static_cast<std::size_t>(v)]);
  }
  for (const auto& b : geometry.boxes()) box.extend(b.center - b.half).extend(b.center + b.half);
  const Vector3d r = Vector3d::Constant(geometry.radius());
  for (const Vector3d& c : geometry.centers()) box.extend(c - r).extend(c + r);
  std::vector<Vector3d> corners;
  if (box.isEmpty()) return corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(X_FG * box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(i)));
  }
  return corners;
}

double rotation_angle(const Matrix3d& R) {
  return std::acos(std::clamp((R.trace() - 1) / 2, -1.0, 1.0));
}

}  // namespace

SampledPath sample_path(const Animation& animation) {
  validate(animation);
  const CollisionWorld& world = *animation.world;
  const Robot& robot = world.robot();
  const std::size_t n = static_cast<std::size_t>(robot.num_links());
  const Waypoints& waypoints = animation.waypoints;
  const std::size_t num_edges = waypoints.states.size() - 1;

  std::vector<std::vector<Vector3d>> corners(n);
  std::vector<double> reach(n, 0.0);
  for (const auto& g : world.geometries()) {
    const LinkIndex link = world.body(g.body).link;
    if (!link.valid()) continue;
    const auto l = static_cast<std::size_t>(link.value);
    for (const Vector3d& c : corners_of(*g.geometry, g.X_LG.X)) {
      corners[l].push_back(c);
      reach[l] = std::max(reach[l], c.norm());
    }
  }

  SampledPath path;
  path.num_links = robot.num_links();

  // How far the fastest point of each edge travels, measured coarsely, and how large the robot is.
  std::vector<RigidEnclosure> X_WL(n), before(n);
  std::vector<double> travel(num_edges, 0.0);
  Motion motion;
  Eigen::AlignedBox3d size;
  const bool bare =
      std::all_of(corners.begin(), corners.end(), [](const auto& c) { return c.empty(); });
  const auto extend = [&](Eigen::AlignedBox3d& box) {
    for (std::size_t l = 0; l < n; ++l) {
      if (bare) box.extend(X_WL[l].X.p);  // nothing to see: at least look at the joints
      for (const Vector3d& c : corners[l]) box.extend(X_WL[l].X * c);
    }
  };
  motion.reset(robot, waypoints.states[0], waypoints.states[0]);
  motion.poses(robot, 0.0, X_WL);
  extend(size);
  const double robot_size = std::max(size.diagonal().norm(), 1e-9);
  for (std::size_t e = 0; e < num_edges; ++e) {
    waypoints.set_motion(robot, static_cast<int>(e), motion);
    motion.poses(robot, 0.0, X_WL);
    for (int k = 1; k <= kProbes; ++k) {
      before.swap(X_WL);
      motion.poses(robot, static_cast<double>(k) / kProbes, X_WL);
      double most = 0.0;
      for (std::size_t l = 0; l < n; ++l) {
        const double turn = rotation_angle(before[l].X.R.transpose() * X_WL[l].X.R);
        most = std::max(most, (X_WL[l].X.p - before[l].X.p).norm() +
                                  turn * std::max(reach[l], 0.02 * robot_size));
      }
      travel[e] += most;
    }
  }

  double total = 0.0, wanted = 0.0;
  for (const double d : travel) {
    total += d;
    wanted += std::clamp(std::ceil(d / (kStep * robot_size)), 1.0, double(kMaxFramesPerEdge));
  }
  const double scale = std::min(1.0, kMaxPoses / (wanted * static_cast<double>(n)));

  // When each state is reached.
  path.state_seconds.assign(num_edges + 1, 0.0);
  const double duration = std::clamp(10.0 * total / robot_size, kMinSeconds, kMaxSeconds);
  for (std::size_t e = 0; e < num_edges; ++e) {
    path.state_seconds[e + 1] =
        !waypoints.times.empty() ? waypoints.times[e + 1] - waypoints.times[0]
        : total > 0.0            ? path.state_seconds[e] + duration * travel[e] / total
                      : path.state_seconds[e] + duration / static_cast<double>(num_edges);
  }
  const auto seconds_at = [&](double edge_time) {
    if (num_edges == 0) return 0.0;
    const std::size_t e = std::min(static_cast<std::size_t>(edge_time), num_edges - 1);
    const double t = edge_time - static_cast<double>(e);
    return path.state_seconds[e] * (1 - t) + path.state_seconds[e + 1] * t;
  };

  const auto add_frame = [&](double edge_time) {
    path.edge_times.push_back(edge_time);
    path.seconds.push_back(seconds_at(edge_time));
    extend(path.robot_bounds);
    const std::size_t first = path.poses.size();
    for (std::size_t l = 0; l < n; ++l) {
      SampledPath::Pose pose{X_WL[l].X.p, Eigen::Quaterniond(X_WL[l].X.R).normalized()};
      // q and -q are one rotation; the nearer one keeps what is between two frames between them.
      if (first >= n && pose.q.dot(path.poses[first - n + l].q) < 0) pose.q.coeffs() *= -1.0;
      path.poses.push_back(pose);
    }
  };

  motion.reset(robot, waypoints.states[0], waypoints.states[0]);
  motion.poses(robot, 0.0, X_WL);
  add_frame(0.0);
  for (std::size_t e = 0; e < num_edges; ++e) {
    waypoints.set_motion(robot, static_cast<int>(e), motion);
    const int frames = static_cast<int>(std::clamp(
        std::ceil(scale * travel[e] / (kStep * robot_size)), 1.0, double(kMaxFramesPerEdge)));
    std::vector<double> times;
    for (int k = 1; k <= frames; ++k) times.push_back(static_cast<double>(k) / frames);
    if (animation.contact) {
      // The contact is a frame of its own, so that it is shown as it is.
      const double t = animation.contact->edge_time - static_cast<double>(e);
      if (t > 0.0 && t < 1.0) times.push_back(t);
      std::sort(times.begin(), times.end());
      times.erase(std::unique(times.begin(), times.end()), times.end());
    }
    for (const double t : times) {
      motion.poses(robot, t, X_WL);
      add_frame(static_cast<double>(e) + t);
    }
  }
  if (animation.contact) path.contact_seconds = seconds_at(animation.contact->edge_time);

  // What to look at: the robot's sweep, and scene objects that are not much larger than it.
  path.fit_bounds = path.robot_bounds;
  const double near = 1.5 * std::max(path.robot_bounds.diagonal().norm(), 1e-9);
  for (const auto& g : world.geometries()) {
    if (world.body(g.body).link.valid()) continue;
    Eigen::AlignedBox3d box;
    for (const Vector3d& c : corners_of(*g.geometry, g.X_LG.X)) box.extend(c);
    if (box.isEmpty()) continue;
    const bool is_near = path.robot_bounds.exteriorDistance(box) < near;
    if (is_near && box.diagonal().norm() < 2 * near) path.fit_bounds.extend(box);
  }
  const Vector3d middle = path.fit_bounds.center();
  if (middle.norm() > kFarAway * path.fit_bounds.diagonal().norm()) {
    path.origin = middle.array().round();
    for (auto& pose : path.poses) pose.p -= path.origin;
    path.robot_bounds.translate(-path.origin);
    path.fit_bounds.translate(-path.origin);
  }
  return path;
}

}  // namespace catena::view
