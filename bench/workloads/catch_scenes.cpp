#include "catch_scenes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include <Eigen/Geometry>

#include "catena/model/robot_builder.hpp"
#include "random.hpp"
#include "support/append_link.hpp"

namespace catena::bench {
namespace {

using Eigen::VectorXd;
using test::append_link;

constexpr double kPi = std::numbers::pi;

// ---- meshes

/// One ring of a surface of revolution: its height, its half-axes and the middle's x.
struct Ring {
  double z, rx, ry, x = 0.0;
};

void add_quad(int a, int b, int c, int d, TriangleMesh& mesh) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({b, d, c});
}

/// A closed surface through the rings, in ascending order, with flat ends: 2 around rings.size()
/// triangles.
void add_revolution(const RigidTransform& X, const std::vector<Ring>& rings, int around,
                    TriangleMesh& mesh) {
  const int base = static_cast<int>(mesh.vertices.size());
  for (const Ring& r : rings) {
    for (int k = 0; k < around; ++k) {
      const double w = 2 * kPi * k / around;
      mesh.vertices.push_back(X * Vector3d(r.x + r.rx * std::cos(w), r.ry * std::sin(w), r.z));
    }
  }
  const int bottom = static_cast<int>(mesh.vertices.size()), top = bottom + 1;
  mesh.vertices.push_back(X * Vector3d(rings.front().x, 0, rings.front().z));
  mesh.vertices.push_back(X * Vector3d(rings.back().x, 0, rings.back().z));
  const int last = base + (static_cast<int>(rings.size()) - 1) * around;
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    for (int ring = base; ring < last; ring += around) {
      add_quad(ring + k, ring + next, ring + around + k, ring + around + next, mesh);
    }
    mesh.triangles.push_back({bottom, base + next, base + k});
    mesh.triangles.push_back({top, last + k, last + next});
  }
}

/// A frame whose z axis is the unit vector z.
Matrix3d frame_along(const Vector3d& z) {
  const Vector3d across = std::abs(z.z()) < 0.9 ? Vector3d::UnitZ() : Vector3d::UnitX();
  Matrix3d R;
  R.col(2) = z;
  R.col(0) = across.cross(z).normalized();
  R.col(1) = z.cross(R.col(0));
  return R;
}

/// 2 around rings triangles.
void add_tube(const Vector3d& from, const Vector3d& to, double radius, int around, int rings,
              TriangleMesh& mesh) {
  const double length = (to - from).norm();
  std::vector<Ring> profile;
  for (int i = 0; i < rings; ++i) profile.push_back({length * i / (rings - 1), radius, radius});
  add_revolution({frame_along((to - from) / length), from}, profile, around, mesh);
}

/// A closed box about X's origin, its faces cut into n.x(), n.y(), n.z() pieces along the axes:
/// 4 (nx ny + ny nz + nz nx) triangles.
void add_box(const RigidTransform& X, const Vector3d& size, const std::array<int, 3>& n,
             TriangleMesh& mesh) {
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, 1}) {
      const int base = static_cast<int>(mesh.vertices.size());
      for (int i = 0; i <= n[u]; ++i) {
        for (int k = 0; k <= n[v]; ++k) {
          Vector3d p;
          p[axis] = (side - 0.5) * size[axis];
          p[u] = (static_cast<double>(i) / n[u] - 0.5) * size[u];
          p[v] = (static_cast<double>(k) / n[v] - 0.5) * size[v];
          mesh.vertices.push_back(X * p);
        }
      }
      for (int i = 0; i < n[u]; ++i) {
        for (int k = 0; k < n[v]; ++k) {
          const int a = base + i * (n[v] + 1) + k, b = a + n[v] + 1;
          if (side == 1) {
            add_quad(a, b, a + 1, b + 1, mesh);
          } else {
            add_quad(a, a + 1, b, b + 1, mesh);
          }
        }
      }
    }
  }
}

void add_box(const Vector3d& centre, const Vector3d& size, const std::array<int, 3>& n,
             TriangleMesh& mesh) {
  add_box(RigidTransform{Matrix3d::Identity(), centre}, size, n, mesh);
}

/// A beam from one point to another, `width` wide across y.
void add_beam(const Vector3d& from, const Vector3d& to, double width, double height,
              const std::array<int, 3>& n, TriangleMesh& mesh) {
  RigidTransform X;
  X.p = 0.5 * (from + to);
  X.R.col(0) = (to - from).normalized();
  X.R.col(1) = Vector3d::UnitZ().cross(X.R.col(0)).normalized();
  X.R.col(2) = X.R.col(0).cross(X.R.col(1));
  add_box(X, {(to - from).norm(), width, height}, n, mesh);
}

/// A lumpy ball: 320 triangles.
void add_rock(const Vector3d& centre, double radius, SplitMix64& random, TriangleMesh& mesh) {
  constexpr int kRings = 10, kAround = 16;
  std::vector<Ring> profile;
  for (int i = 0; i < kRings; ++i) {
    const double w = kPi * (i + 0.5) / kRings;
    profile.push_back({-radius * std::cos(w), radius * std::sin(w), radius * std::sin(w)});
  }
  const size_t first = mesh.vertices.size();
  const RigidTransform X{
      frame_along(Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), 0.5).normalized()),
      Vector3d::Zero()};
  add_revolution(X, profile, kAround, mesh);
  const double a = random.uniform(0, 2 * kPi), b = random.uniform(0, 2 * kPi);
  for (size_t i = first; i < mesh.vertices.size(); ++i) {
    const Vector3d d = mesh.vertices[i] / radius;
    mesh.vertices[i] *=
        1 + 0.08 * std::sin(3 * d.x() + 2 * d.z() + a) + 0.06 * std::sin(5 * d.y() - 4 * d.x() + b);
    mesh.vertices[i] += centre;
  }
}

/// nx times ny cells, two triangles each.
TriangleMesh height_field(double x0, double x1, double y0, double y1, int nx, int ny,
                          const std::function<double(double, double)>& height) {
  TriangleMesh mesh;
  for (int i = 0; i <= nx; ++i) {
    for (int k = 0; k <= ny; ++k) {
      const double x = x0 + (x1 - x0) * i / nx, y = y0 + (y1 - y0) * k / ny;
      mesh.vertices.emplace_back(x, y, height(x, y));
    }
  }
  for (int i = 0; i < nx; ++i) {
    for (int k = 0; k < ny; ++k) {
      const int a = i * (ny + 1) + k, b = a + ny + 1;
      add_quad(a, b, a + 1, b + 1, mesh);
    }
  }
  return mesh;
}

PlacedGeometry placed(TriangleMesh mesh) { return {Geometry::make_mesh(std::move(mesh)), {}}; }

// ---- configurations

void set_values(const Robot& robot, const std::string& joint, std::initializer_list<double> values,
                VectorXd& q) {
  const LinkIndex i = robot.find_joint(joint);
  if (!i.valid()) throw std::invalid_argument("catch_scenes: no joint " + joint);
  int k = robot.joint(i).q_index;
  for (const double value : values) q[k++] = value;
}

Eigen::Quaterniond turned(double yaw, double pitch, double roll) {
  return Eigen::AngleAxisd(yaw, Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Vector3d::UnitY()) *
         Eigen::AngleAxisd(roll, Vector3d::UnitX());
}

Waypoints path_of(std::vector<VectorXd> states) {
  Waypoints w;
  w.states = std::move(states);
  return w;
}

/// From each state to the one `stride` further on, an edge each.
std::vector<Waypoints> long_edges(const std::vector<Waypoints>& paths, size_t stride) {
  std::vector<Waypoints> edges;
  for (const Waypoints& path : paths) {
    for (size_t i = 0; i + stride < path.states.size(); ++i) {
      edges.push_back(path_of({path.states[i], path.states[i + stride]}));
    }
  }
  return edges;
}

/// From every pose to every later one, an edge each.
std::vector<Waypoints> all_pairs(const std::vector<VectorXd>& poses) {
  std::vector<Waypoints> edges;
  for (size_t i = 0; i < poses.size(); ++i) {
    for (size_t k = i + 1; k < poses.size(); ++k) edges.push_back(path_of({poses[i], poses[k]}));
  }
  return edges;
}

/// From key pose to key pose, each way cut into `pieces` as the robot interpolates it; without a
/// robot straight, so that angles stay as they are written.
Waypoints through(const Robot* robot, const std::vector<VectorXd>& keys, int pieces) {
  Waypoints w;
  w.states.push_back(keys.front());
  for (size_t i = 1; i < keys.size(); ++i) {
    for (int k = 1; k <= pieces; ++k) {
      const double t = static_cast<double>(k) / pieces;
      VectorXd q = (1 - t) * keys[i - 1] + t * keys[i];
      if (robot != nullptr) interpolate(*robot, keys[i - 1], keys[i], t, q);
      w.states.push_back(q);
    }
  }
  return w;
}

/// Gives a path times, a second an edge, and the slopes that make cubics of its edges.
Waypoints smooth(Waypoints w) {
  const size_t n = w.states.size();
  for (size_t i = 0; i < n; ++i) {
    const size_t before = i == 0 ? 0 : i - 1, after = std::min(i + 1, n - 1);
    w.times.push_back(static_cast<double>(i));
    w.slopes.push_back(
        {(w.states[after] - w.states[before]) / static_cast<double>(after - before), {}});
  }
  return w;
}

// ---- the mannequin

/// A limb along -z from the origin: 2 around rings triangles. `flat`: its depth over its width.
PlacedGeometry limb(double top, double bottom, double upper, double lower, double flat, int around,
                    int rings) {
  std::vector<Ring> profile;
  for (int i = 0; i < rings; ++i) {
    const double u = 0.5 - 0.5 * std::cos(kPi * (i + 0.5) / rings);  // 0: the lower end
    const double round = std::pow(1 - std::pow(std::abs(2 * u - 1), 6.0), 1.0 / 6.0);
    const double r = (lower + (upper - lower) * u) * round;
    profile.push_back({bottom + (top - bottom) * u, flat * r, r});
  }
  TriangleMesh mesh;
  add_revolution({}, profile, around, mesh);
  return placed(std::move(mesh));
}

PlacedGeometry foot() {
  constexpr int kRings = 15, kAround = 20;
  std::vector<Ring> profile;
  for (int i = 0; i < kRings; ++i) {
    const double u = 0.5 - 0.5 * std::cos(kPi * (i + 0.5) / kRings);
    const double round = std::pow(1 - std::pow(std::abs(2 * u - 1), 4.0), 0.25);
    profile.push_back({-0.07 + 0.26 * u, 0.035 * round, 0.045 * round});
  }
  RigidTransform X;  // the profile's z is the foot's x
  X.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  X.p = {0, 0, -0.05};
  TriangleMesh mesh;
  add_revolution(X, profile, kAround, mesh);
  return placed(std::move(mesh));
}

/// Left is +y. Angles: forward, outward, and turned about the limb; elbows and knees bend.
struct Pose {
  double x = 0, y = 0, z = 0, yaw = 0;
  double bend = 0, twist = 0;  // of the waist
  struct Limb {
    double forward = 0, outward = 0, turn = 0, bend = 0, end = 0;
  };
  std::array<Limb, 2> arm, leg;

  Pose() {
    for (Limb& a : arm) a = {0, 0.14, 0, 0.2, 0};
  }
};

VectorXd positions(const Robot& robot, const Pose& pose) {
  VectorXd q = robot.zero_positions();
  const auto ball = [&](const std::string& joint, const Eigen::Quaterniond& r) {
    set_values(robot, joint, {r.x(), r.y(), r.z(), r.w()}, q);
  };
  const Eigen::Quaterniond heading = turned(pose.yaw, 0, 0);
  set_values(robot, "pelvis_joint",
             {pose.x, pose.y, pose.z, heading.x(), heading.y(), heading.z(), heading.w()}, q);
  ball("torso_joint", turned(pose.twist, pose.bend, 0));
  ball("head_joint", turned(0, 0, 0));
  for (const int side : {0, 1}) {
    const std::string s = side == 0 ? "left_" : "right_";
    const double out = side == 0 ? 1 : -1;
    const Pose::Limb &a = pose.arm[side], &l = pose.leg[side];
    ball(s + "upper_arm_joint",
         turned(0, -a.forward, out * a.outward) * turned(out * a.turn, 0, 0));
    set_values(robot, s + "forearm_joint", {a.bend}, q);
    set_values(robot, s + "hand_joint", {a.end}, q);
    ball(s + "thigh_joint", turned(0, -l.forward, out * l.outward) * turned(out * l.turn, 0, 0));
    set_values(robot, s + "shin_joint", {l.bend}, q);
    set_values(robot, s + "foot_joint", {l.end}, q);
  }
  return q;
}

/// The z of the pelvis at which the lower foot is `above` the floor.
double standing_height(const Robot& robot, Pose pose, double above) {
  pose.z = 0;
  std::vector<RigidEnclosure> X_WL(static_cast<size_t>(robot.num_links()));
  link_poses(robot, positions(robot, pose), X_WL);
  double lowest = kInfinity;
  for (const char* name : {"left_foot", "right_foot"}) {
    const Body& body = robot.body(robot.find_body(name));
    const RigidTransform& X = X_WL[static_cast<size_t>(body.link.value)].X;
    for (const Vector3d& v : body.geometries.front().geometry->mesh().vertices) {
      lowest = std::min(lowest, (X * v).z());
    }
  }
  return above - lowest;
}

constexpr double kAboveFloor = 0.03;

/// A turned piece of given height over (x, y); the profile is heights and radii, as shares of the
/// height. 2 around rings triangles.
PlacedGeometry chessman(double x, double y, double height,
                        const std::vector<std::pair<double, double>>& outline, double lean,
                        int around, int rings) {
  std::vector<Ring> profile;
  for (int i = 0; i < rings; ++i) {
    const double u = static_cast<double>(i) / (rings - 1);
    size_t k = 1;
    while (k + 1 < outline.size() && outline[k].first < u) ++k;
    const auto& [u0, r0] = outline[k - 1];
    const auto& [u1, r1] = outline[k];
    const double r = height * (r0 + (r1 - r0) * (u - u0) / (u1 - u0));
    profile.push_back({height * u, r, r, lean * height * std::max(0.0, u - 0.5)});
  }
  TriangleMesh mesh;
  add_revolution({Matrix3d::Identity(), {x, y, 0.001}}, profile, around, mesh);
  return placed(std::move(mesh));
}

constexpr double kSquare = 0.8;

std::shared_ptr<const Scene> chessboard() {
  using Outline = std::vector<std::pair<double, double>>;
  const Outline pawn{{0, .28},   {.08, .28}, {.16, .2},  {.5, .1},
                     {.62, .18}, {.66, .1},  {.82, .16}, {1, .03}};
  const Outline rook{{0, .24}, {.1, .24}, {.2, .17}, {.7, .13}, {.76, .19}, {1, .2}};
  const Outline bishop{{0, .2},    {.08, .2}, {.18, .13}, {.6, .07},
                       {.66, .13}, {.7, .07}, {.84, .1},  {1, .02}};
  const Outline king{{0, .18},  {.08, .18}, {.18, .12}, {.65, .07},
                     {.7, .12}, {.74, .08}, {.9, .13},  {1, .03}};
  struct Man {
    const char* name;
    const Outline& outline;
    double height, lean;
    int rings, file, rank;
  };
  // A game in progress: ranks run along x, files along y.
  const Man men[] = {
      {"pawn_1", pawn, .62, 0, 60, 0, 1},      {"pawn_2", pawn, .62, 0, 60, 1, 3},
      {"pawn_3", pawn, .62, 0, 60, 2, 2},      {"pawn_4", pawn, .62, 0, 60, 3, 4},
      {"pawn_5", pawn, .62, 0, 60, 4, 3},      {"pawn_6", pawn, .62, 0, 60, 5, 5},
      {"pawn_7", pawn, .62, 0, 60, 6, 2},      {"pawn_8", pawn, .62, 0, 60, 7, 4},
      {"rook_1", rook, .8, 0, 66, 1, 6},       {"rook_2", rook, .8, 0, 66, 6, 5},
      {"knight_1", bishop, .8, .35, 66, 2, 5}, {"knight_2", bishop, .8, .35, 66, 5, 2},
      {"bishop_1", bishop, .95, 0, 66, 3, 1},  {"bishop_2", bishop, .95, 0, 66, 4, 6},
      {"queen", king, 1.05, 0, 67, 3, 6},      {"king", king, 1.15, 0, 67, 5, 7}};
  Scene scene;
  scene.name = "chessboard";
  for (const Man& m : men) {
    scene.objects.push_back({m.name,
                             {chessman((m.rank + 0.5) * kSquare, (m.file + 0.5) * kSquare, m.height,
                                       m.outline, m.lean, 50, m.rings)}});
  }
  TriangleMesh board;
  add_box(Vector3d(4 * kSquare, 4 * kSquare, -0.05), {8 * kSquare, 8 * kSquare, 0.1}, {1, 1, 1},
          board);
  scene.objects.push_back({"board", {placed(std::move(board))}});
  return std::make_shared<const Scene>(std::move(scene));
}

/// `steps` knots of a walk from (x, y); `cross`: how far the legs turn inwards.
Waypoints walk(const Robot& robot, double x, double y, double yaw, double cross, int steps) {
  constexpr double kStep = 0.13, kStride = 1.3;
  Waypoints w;
  for (int i = 0; i < steps; ++i) {
    const double way = kStep * i, phase = 2 * kPi * way / kStride;
    Pose pose;
    pose.x = x + way * std::cos(yaw);
    pose.y = y + way * std::sin(yaw);
    pose.yaw = yaw;
    pose.twist = 0.1 * std::sin(phase);
    for (const int side : {0, 1}) {
      const double w_side = phase + side * kPi;
      Pose::Limb& leg = pose.leg[side];
      leg = {0.42 * std::sin(w_side), -cross, 0, 0.12 + 0.7 * std::max(0.0, std::cos(w_side)), 0};
      leg.end = leg.bend - leg.forward;  // the foot stays level
      pose.arm[side].forward = -0.45 * std::sin(w_side);
      pose.arm[side].bend = 0.35 - 0.25 * std::sin(w_side);
    }
    pose.z = standing_height(robot, pose, kAboveFloor);
    w.states.push_back(positions(robot, pose));
  }
  return w;
}

// ---- the building site

void add_scaffold(TriangleMesh& mesh) {
  // Beside the frame's west face: two rows of 13 poles in six lifts, and what joins them.
  constexpr int kAround = 8, kRings = 10;
  constexpr double kLift = 2, kBay = 1.5, kGap = 0.08, kRadius = 0.04;
  const auto tube = [&](const Vector3d& from, const Vector3d& to) {
    const Vector3d d = (to - from).normalized() * kGap;
    add_tube(from + d, to - d, kRadius, kAround, kRings, mesh);
  };
  const auto at = [&](double row, int pole, double lift) {
    return Vector3d(2.4 + row, -9 + kBay * pole, kLift * lift);
  };
  for (int lift = 0; lift < 6; ++lift) {
    for (int pole = 0; pole < 13; ++pole) {
      for (const double row : {0.0, 1.2}) {
        tube(at(row, pole, lift), at(row, pole, lift + 1));
        if (pole < 12) tube(at(row, pole, lift + 1), at(row, pole + 1, lift + 1));
      }
      tube(at(0, pole, lift + 1), at(1.2, pole, lift + 1));
    }
  }
  for (int i = 0; i < 22; ++i) {
    const int pole = i % 11, lift = i < 11 ? 0 : 3;
    tube(at(-0.1, pole, lift), at(-0.1, pole + 1, lift + 2));
  }
}

constexpr std::array<std::array<double, 2>, 11> kPiles{{{-8, -14},
                                                        {-8, -4},
                                                        {-15, -9},
                                                        {-18, 2},
                                                        {-6.5, 6},
                                                        {-20, -16},
                                                        {-14, 12},
                                                        {0, -18},
                                                        {-21, -6},
                                                        {-4, 20},
                                                        {10, 16}}};

/// 28 rocks in three layers, none touching another.
TriangleMesh rock_pile(double x, double y, SplitMix64& random) {
  TriangleMesh mesh;
  for (const auto& [side, lift] : {std::pair(4, 0.65), std::pair(3, 1.8), std::pair(2, 2.95)}) {
    for (int i = 0; i < side; ++i) {
      for (int k = 0; k < side; ++k) {
        if (side == 2 && i + k == 2) continue;  // three on top
        const Vector3d centre(x + 1.45 * (i - 0.5 * (side - 1)), y + 1.45 * (k - 0.5 * (side - 1)),
                              lift);
        add_rock(centre, random.uniform(0.45, 0.56), random, mesh);
      }
    }
  }
  return mesh;
}

// ---- trains

constexpr double kPitch = 2.2;  // from coupling to coupling

/// From its front coupling at the origin backwards along x: 2,300 triangles.
PlacedGeometry train_car() {
  TriangleMesh mesh;
  add_box(Vector3d(-1.1, 0, 0.45), {2.0, 0.9, 0.9}, {20, 6, 5}, mesh);  // 1,000
  for (const double x : {-0.5, -1.7}) {
    add_box(Vector3d(x, 0, -0.12), {0.7, 0.6, 0.2}, {6, 5, 3}, mesh);  // 252
    for (const double wheel : {-0.22, 0.22}) {
      for (const double side : {-1.0, 1.0}) {
        add_tube({x + wheel, side * 0.32, -0.28}, {x + wheel, side * 0.40, -0.28}, 0.2, 20, 2,
                 mesh);  // 80
      }
    }
  }
  for (const double x : {-0.045, -2.155}) {
    add_box(Vector3d(x, 0, 0.1), {0.08, 0.1, 0.1}, {3, 3, 1}, mesh);  // 60
  }
  add_tube({-0.6, 0, 0.92}, {-0.6, 0, 1.1}, 0.1, 9, 2, mesh);  // 36
  return placed(std::move(mesh));
}

std::shared_ptr<const Robot> train(JointType base, JointType coupling) {
  RobotDescription d;
  d.name = "train";
  d.links.push_back({"ground", {}});
  const PlacedGeometry car = train_car();
  for (int i = 0; i < 10; ++i) {
    JointDescription& joint =
        append_link(d, "car_" + std::to_string(i), {car}, i == 0 ? base : coupling);
    joint.axis = Vector3d::UnitZ();
    if (i > 0) joint.origin = RigidEnclosure::translation({-kPitch, 0, 0});
    if (joint.type == JointType::kRevolute) {
      joint.lower = -1.5;
      joint.upper = 1.5;
    }
  }
  return RobotBuilder::build(d);
}

using Track = std::function<Vector3d(double)>;

/// How far back along the track a chord of one car's length ends.
double coupled(const Track& track, double s, double longest) {
  double near = 0, far = longest;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (near + far);
    ((track(s) - track(s - middle)).norm() < kPitch ? near : far) = middle;
  }
  return s - far;
}

/// The couplings of a train of ten cars whose front is at s, from front to rear.
std::vector<Vector3d> couplings(const Track& track, double s, double longest) {
  std::vector<Vector3d> points{track(s)};
  for (int i = 0; i < 10; ++i) {
    s = coupled(track, s, longest);
    points.push_back(track(s));
  }
  return points;
}

/// Puts a train on a track in the plane; `heading` of the first car is kept close to what it was.
void set_train(const Robot& robot, const std::string& prefix, const std::vector<Vector3d>& points,
               double& heading, VectorXd& q) {
  double before = 0;
  for (size_t i = 0; i < 10; ++i) {
    const Vector3d d = points[i] - points[i + 1];
    const double angle = std::atan2(d.y(), d.x());
    const std::string joint = prefix + "car_" + std::to_string(i) + "_joint";
    if (i == 0) {
      heading += std::remainder(angle - heading, 2 * kPi);
      set_values(robot, joint, {points[0].x(), points[0].y(), heading}, q);
    } else {
      set_values(robot, joint, {std::remainder(angle - before, 2 * kPi)}, q);
    }
    before = angle;
  }
}

double cliff(double x, double y) {
  const double fall = std::clamp((x + 2) / 8, 0.0, 1.0);
  const double drop = 9 * fall * fall * (3 - 2 * fall);
  return 9 - drop + fall * (0.5 * std::sin(0.7 * x) * std::cos(0.5 * y) + 0.2 * std::sin(1.9 * y));
}

}  // namespace

std::shared_ptr<const Robot> mannequin() {
  RobotDescription d;
  d.name = "mannequin";
  d.links.push_back({"floor", {}});
  d.links.push_back({"pelvis", {limb(0.1, -0.1, 0.15, 0.15, 0.65, 40, 25)}});  // 2,000
  JointDescription root;
  root.name = "pelvis_joint";
  root.type = JointType::kFloating;
  root.parent = "floor";
  root.child = "pelvis";
  d.joints.push_back(root);
  const auto add = [&](const std::string& link, const std::string& parent, const Vector3d& at,
                       JointType type, const Vector3d& axis, PlacedGeometry mesh) {
    JointDescription& joint = append_link(d, link, {std::move(mesh)}, type);
    joint.parent = parent;
    joint.origin = RigidEnclosure::translation(at);
    joint.axis = axis;
    if (type == JointType::kRevolute) {
      joint.lower = -2.8;
      joint.upper = 2.8;
    }
  };
  const Vector3d y = Vector3d::UnitY();
  const PlacedGeometry upper_arm = limb(0.04, -0.27, 0.048, 0.04, 1, 24, 25);  // 1,200
  const PlacedGeometry forearm = limb(0.02, -0.25, 0.04, 0.03, 1, 24, 25);     // 1,200
  const PlacedGeometry hand = limb(0.01, -0.17, 0.03, 0.045, 0.45, 20, 15);    // 600
  const PlacedGeometry thigh = limb(0.05, -0.43, 0.078, 0.055, 1, 28, 25);     // 1,400
  const PlacedGeometry shin = limb(0.03, -0.40, 0.055, 0.038, 1, 24, 25);      // 1,200
  add("torso", "pelvis", {0, 0, 0.09}, JointType::kBall, y,
      limb(0.50, 0.0, 0.17, 0.13, 0.65, 40, 40));  // 3,200
  add("head", "torso", {0, 0, 0.53}, JointType::kBall, y,
      limb(0.27, 0.0, 0.09, 0.07, 1.15, 40, 30));  // 2,400
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left_" : "right_";
    add(s + "upper_arm", "torso", {0, side * 0.215, 0.43}, JointType::kBall, y, upper_arm);
    add(s + "forearm", s + "upper_arm", {0, 0, -0.28}, JointType::kRevolute, -y, forearm);
    add(s + "hand", s + "forearm", {0, 0, -0.26}, JointType::kRevolute, -y, hand);
    add(s + "thigh", "pelvis", {0, side * 0.095, -0.02}, JointType::kBall, y, thigh);
    add(s + "shin", s + "thigh", {0, 0, -0.42}, JointType::kRevolute, y, shin);
    add(s + "foot", s + "shin", {0, 0, -0.41}, JointType::kRevolute, -y, foot());  // 600
  }
  return RobotBuilder::build(d);
}

CatchScenario walking_mannequin() {
  CatchScenario c{"walking", mannequin(), chessboard(), {}, {}};
  // Between files, along files, and across the board; the last with crossing legs.
  const std::vector<Waypoints> lanes{walk(*c.robot, -0.4, 2 * kSquare, 0, 0.02, 50),
                                     walk(*c.robot, -0.4, 4.6 * kSquare, 0, 0.02, 50),
                                     walk(*c.robot, -0.4, 3.2 * kSquare, 0.05, 0.02, 50),
                                     walk(*c.robot, -0.4, 5.9 * kSquare, -0.03, 0.02, 50),
                                     walk(*c.robot, -0.2, 0.9 * kSquare, 0.4, 0.05, 50),
                                     walk(*c.robot, -0.2, 0.1, 0.7, 0.14, 50)};
  c.series = {{"frames", lanes}, {"half strides", long_edges(lanes, 5)}};
  return c;
}

CatchScenario exercising_mannequin() {
  CatchScenario c{"exercising", mannequin(), std::make_shared<const Scene>(), {}, {}};
  std::vector<Pose> poses;
  const auto add = [&](const std::function<void(Pose&)>& change) {
    Pose pose;
    change(pose);
    pose.z = standing_height(*c.robot, pose, kAboveFloor);
    poses.push_back(pose);
  };
  const auto arms = [](Pose& p, const Pose::Limb& left, const Pose::Limb& right) {
    p.arm = {left, right};
  };
  add([](Pose&) {});
  add([&](Pose& p) { arms(p, {0, 2.9, 0, 0.1, 0}, {0, 2.9, 0, 0.1, 0}); });  // overhead
  add([&](Pose& p) { arms(p, {0, 1.5, 0, 0.1, 0}, {0, 1.5, 0, 0.1, 0}); });
  add([&](Pose& p) { arms(p, {1.4, -0.45, 0, 0.1, 0}, {1.4, -0.3, 0, 0.3, 0}); });  // arms cross
  add([&](Pose& p) { arms(p, {1.3, 0.3, 0, 1.2, 0}, {1.3, 0.3, 0, 1.2, 0}); });
  add([&](Pose& p) {  // squat
    arms(p, {1.5, 0.1, 0, 0.1, 0}, {1.5, 0.1, 0, 0.1, 0});
    p.bend = 0.5;
    for (Pose::Limb& l : p.leg) l = {1.5, 0.15, 0, 1.9, 0.4};
  });
  add([](Pose& p) { p.bend = 0.1; });
  add([&](Pose& p) {  // to the toes
    p.bend = 1.6;
    arms(p, {1.6, 0.05, 0, 0.0, 0}, {1.6, 0.05, 0, 0.0, 0});
    for (Pose::Limb& l : p.leg) l.forward = 0.25;
  });
  add([](Pose& p) { p.twist = 0.5; });
  add([&](Pose& p) {  // elbow to knee
    p.bend = 0.5;
    p.twist = -0.4;
    arms(p, {0.6, 0.1, 0, 2.2, 0}, {-0.4, 0.3, 0, 1.2, 0});
    p.leg[1] = {1.7, -0.1, 0, 1.6, 0};
  });
  add([](Pose& p) { p.twist = -0.5; });
  add([](Pose& p) { p.leg[0] = {0.5, -0.35, 0, 0.3, 0}; });  // legs cross
  add([](Pose& p) { p.leg[0] = {0.2, 0.7, 0, 0.1, 0}; });
  add([&](Pose& p) {  // kick, hand to foot
    p.bend = 0.3;
    p.leg[0] = {1.5, 0, 0, 0.1, 0.3};
    arms(p, {0.2, 0.4, 0, 0.3, 0}, {1.2, -0.35, 0, 0.1, 0});
  });
  add([&](Pose& p) { arms(p, {0.5, 0.6, 1.0, 1.6, 0}, {0.5, 0.6, 1.0, 1.6, 0}); });  // on the chest
  add([&](Pose& p) { arms(p, {-0.7, 0.2, 0, 0.3, 0}, {-0.7, 0.2, 0, 0.3, 0}); });
  std::vector<VectorXd> keys;
  for (const Pose& pose : poses) keys.push_back(positions(*c.robot, pose));
  const std::vector<Waypoints> pairs = all_pairs(keys);
  for (Pose pose : poses) {  // and the other way round
    std::swap(pose.arm[0], pose.arm[1]);
    std::swap(pose.leg[0], pose.leg[1]);
    pose.twist = -pose.twist;
    keys.push_back(positions(*c.robot, pose));
  }
  c.series = {{"frames", {through(c.robot.get(), keys, 8)}}, {"pose to pose", pairs}};
  return c;
}

std::shared_ptr<const Scene> building_site() {
  Scene scene;
  scene.name = "site";
  // Flat within 26 m, hills beyond: 204,800.
  scene.objects.push_back(
      {"terrain", {placed(height_field(-48, 48, -48, 48, 320, 320, [](double x, double y) {
         const double out = std::clamp((std::hypot(x, y) - 26) / 16, 0.0, 1.0);
         return out * out * (3 + 1.2 * std::sin(0.3 * x) * std::cos(0.25 * y)) -
                0.02 * (1 + std::sin(1.7 * x) * std::sin(1.3 * y));
       }))}});
  for (int storey = 0; storey < 3; ++storey) {
    TriangleMesh columns;  // 4,160 a storey
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 5; ++k) {
        add_box(Vector3d(5.2 + 5 * i, -8 + 4 * k, 4 * storey + 2.15), {0.4, 0.4, 3.6}, {2, 2, 12},
                columns);
      }
    }
    TriangleMesh slab;  // 6,720 a storey
    add_box(Vector3d(12.7, 0, 4 * storey + 4.1), {16.4, 18, 0.24}, {40, 40, 1}, slab);
    const std::string number = std::to_string(storey);
    scene.objects.push_back({"columns_" + number, {placed(std::move(columns))}});
    scene.objects.push_back({"slab_" + number, {placed(std::move(slab))}});
  }
  TriangleMesh scaffold;  // 400 tubes: 64,000
  add_scaffold(scaffold);
  scene.objects.push_back({"scaffold", {placed(std::move(scaffold))}});
  SplitMix64 random(7);  // 308 rocks: 98,560
  for (size_t i = 0; i < kPiles.size(); ++i) {
    scene.objects.push_back(
        {"pile_" + std::to_string(i), {placed(rock_pile(kPiles[i][0], kPiles[i][1], random))}});
  }
  return std::make_shared<const Scene>(std::move(scene));
}

CatchScenario tower_crane(std::shared_ptr<const Scene> site) {
  RobotDescription d;
  d.name = "tower_crane";
  const double high = 40, rope = 8;
  TriangleMesh mast;  // a square lattice
  const auto corner = [](int i, double z) {
    const double half = 0.9;
    return Vector3d(i % 4 == 0 || i % 4 == 3 ? half : -half, i % 4 < 2 ? half : -half, z);
  };
  for (int bay = 0; bay < 16; ++bay) {
    const double z0 = 0.1 + 2.45 * bay, z1 = z0 + 2.45;
    for (int i = 0; i < 4; ++i) {
      add_tube(corner(i, z0), corner(i, z1 - 0.02), 0.08, 6, 3, mast);
      add_tube(corner(i, z0 + 0.2), corner(i + 1, z1 - 0.2), 0.04, 6, 3, mast);
    }
  }
  d.links.push_back({"ground", {}});
  append_link(d, "mast", {placed(std::move(mast))}, JointType::kFixed).origin =
      RigidEnclosure::translation({-4, 12, 0});  // north-west of the frame

  TriangleMesh jib;  // a triangular lattice, 36 m; the trolley runs below
  for (int bay = 0; bay < 18; ++bay) {
    const double x0 = 1.2 + 2 * bay, x1 = x0 + 2;
    const Vector3d y(0, 0.6, 0);
    const Vector3d a0(x0, 0, 1.2), a1(x1, 0, 1.2), b0(x0, 0, 0), b1(x1, 0, 0);
    add_tube(a0, a1, 0.07, 6, 4, jib);
    for (const double side : {-1.0, 1.0}) {
      add_tube(b0 + side * y, b1 + side * y, 0.07, 6, 4, jib);
      add_tube(a0, b0 + side * y, 0.04, 6, 4, jib);
      add_tube(a0, b1 + side * y, 0.04, 6, 4, jib);
    }
    add_tube(b0 - y, b1 + y, 0.04, 6, 4, jib);
    add_tube(b0 - y, b0 + y, 0.04, 6, 4, jib);
  }
  add_box(Vector3d(-6, 0, 0.3), {12, 1.2, 0.4}, {24, 4, 2}, jib);
  add_box(Vector3d(-11, 0, -0.9), {2, 1.4, 1.8}, {6, 4, 6}, jib);  // the counterweight
  add_box(Vector3d(1.6, 1.6, -0.6), {1.4, 1.2, 2}, {5, 5, 6}, jib);
  JointDescription& slew = append_link(d, "jib", {placed(std::move(jib))}, JointType::kRevolute);
  slew.origin = RigidEnclosure::translation({0, 0, high});
  slew.axis = Vector3d::UnitZ();
  slew.lower = -3.1;
  slew.upper = 3.1;

  TriangleMesh trolley;
  add_box(Vector3d(0, 0, -0.3), {1.2, 1.4, 0.3}, {6, 6, 2}, trolley);
  add_tube({0, 0, -0.5 - rope}, {0, 0, -0.5}, 0.06, 8, 20, trolley);
  JointDescription& run =
      append_link(d, "trolley", {placed(std::move(trolley))}, JointType::kPrismatic);
  run.lower = 3;
  run.upper = 36;

  // Each piece slides out of the one above, by the same length.
  const std::string pieces[] = {"rope_1", "rope_2", "rope_3", "rope_4"};
  for (int i = 0; i < 4; ++i) {
    TriangleMesh piece;
    add_tube({0, 0, -0.5 - rope}, {0, 0, -0.5}, 0.055 - 0.005 * i, 8, 20, piece);
    JointDescription& hoist =
        append_link(d, pieces[i], {placed(std::move(piece))}, JointType::kPrismatic);
    hoist.axis = -Vector3d::UnitZ();
    hoist.lower = 0.4;
    hoist.upper = 7.2;
    if (i > 0) hoist.mimic = MimicDescription{"rope_1_joint", 1.0, 0.0};
    if (i > 0) d.disabled_pairs.push_back({"trolley", pieces[i], "User"});
    for (int k = 0; k + 1 < i; ++k) d.disabled_pairs.push_back({pieces[k], pieces[i], "User"});
  }

  TriangleMesh load;  // a block, and three pipes across
  add_revolution({}, {{-0.7, .05, .05}, {-0.6, .2, .1}, {-0.2, .2, .1}, {-0.05, .05, .05}}, 16,
                 load);
  for (const Vector3d& at :
       {Vector3d(0, -0.3, -1.2), Vector3d(0, 0.3, -1.2), Vector3d(0, 0, -1.74)}) {
    add_tube(at - Vector3d(3, 0, 0), at + Vector3d(3, 0, 0), 0.28, 16, 30, load);
  }
  JointDescription& hook = append_link(d, "load", {placed(std::move(load))}, JointType::kRevolute);
  hook.origin = RigidEnclosure::translation({0, 0, -0.5 - rope});
  hook.axis = Vector3d::UnitZ();
  hook.lower = -3.1;
  hook.upper = 3.1;

  CatchScenario c{"tower crane", RobotBuilder::build(d), std::move(site), {}, {}};
  const auto at = [&](double turn, double out, double down, double load_turn) {
    VectorXd q = c.robot->zero_positions();
    set_values(*c.robot, "jib_joint", {turn}, q);
    set_values(*c.robot, "trolley_joint", {out}, q);
    set_values(*c.robot, "rope_1_joint", {down}, q);
    set_values(*c.robot, "load_joint", {load_turn}, q);
    return q;
  };
  // The hook is 31.5 m less four times `down` above the ground, the load 2 m lower.
  const VectorXd south = at(-1.488, 24.1, 6.9, 1.49), near = at(-1.3, 16, 6.5, 2.87),
                 roof = at(-0.62, 20.5, 4.2, 1.0), raised = at(-0.62, 20.5, 2.0, 1.0),
                 east = at(-0.3, 34, 6.9, 1.4), north = at(0.9, 18, 6.6, -0.5),
                 west = at(3.0, 14, 6.9, -1.43), piles = at(-2.35, 21, 6.6, 2.35);
  c.series = {{"scripted",
               {through(nullptr, {south, near, raised, roof, raised, east}, 10),
                through(nullptr, {south, piles, west, north, east}, 10),
                through(nullptr, {south, roof, north, near, piles, raised, west}, 10)}},
              {"pose to pose", all_pairs({south, near, roof, raised, east, north, west, piles,
                                          at(-2.0, 30, 5.5, 0.5), at(0.2, 24, 5.5, -1.0),
                                          at(-0.95, 30, 5.8, 2.0), at(1.8, 20, 5.0, 1.2)})}};
  c.problems = {{south, east}, {near, north}, {piles, roof},
                {west, east},  {roof, south}, {north, piles}};
  return c;
}

CatchScenario excavator(std::shared_ptr<const Scene> site) {
  RobotDescription d;
  d.name = "excavator";
  d.links.push_back({"ground", {}});
  TriangleMesh tracks;
  for (const double side : {-1.1, 1.1}) {
    add_box(Vector3d(0, side, 0.5), {3.0, 0.5, 0.84}, {30, 5, 8}, tracks);
    for (const double x : {-1.55, 1.55}) {  // the sprockets
      add_tube({x, side - 0.24, 0.5}, {x, side + 0.24, 0.5}, 0.4, 24, 4, tracks);
    }
  }
  add_box(Vector3d(0, 0, 0.65), {2.0, 1.6, 0.5}, {12, 10, 4}, tracks);
  append_link(d, "tracks", {placed(std::move(tracks))}, JointType::kPlanar).axis =
      Vector3d::UnitZ();

  TriangleMesh house;
  add_tube({0, 0, 0.02}, {0, 0, 0.14}, 0.7, 32, 3, house);
  add_box(Vector3d(-0.7, 0, 0.8), {3.0, 2.4, 1.2}, {24, 20, 10}, house);
  add_box(Vector3d(1.3, 0.75, 0.95), {0.9, 0.8, 1.5}, {8, 8, 12}, house);  // the cab
  JointDescription& swing =
      append_link(d, "house", {placed(std::move(house))}, JointType::kRevolute);
  swing.origin = RigidEnclosure::translation({0, 0, 1.0});
  swing.axis = Vector3d::UnitZ();
  swing.lower = -3.1;
  swing.upper = 3.1;

  TriangleMesh boom;
  add_beam({0.05, 0, 0.05}, {2.2, 0, 0.75}, 0.4, 0.45, {20, 6, 6}, boom);
  add_beam({2.3, 0, 0.74}, {4.8, 0, 0.0}, 0.4, 0.4, {22, 6, 6}, boom);
  for (const double side : {-0.28, 0.28}) {
    add_tube({0.4, side, -0.05}, {2.0, side, 0.35}, 0.07, 12, 12, boom);
  }
  JointDescription& lift = append_link(d, "boom", {placed(std::move(boom))}, JointType::kRevolute);
  lift.origin = RigidEnclosure::translation({0.9, -0.1, 0.7});
  lift.axis = -Vector3d::UnitY();
  lift.lower = -0.6;
  lift.upper = 1.2;

  TriangleMesh stick;
  add_beam({-0.5, 0, 0}, {2.5, 0, 0}, 0.3, 0.34, {26, 5, 5}, stick);
  add_tube({0.2, 0, 0.3}, {1.9, 0, 0.24}, 0.06, 12, 12, stick);
  JointDescription& reach =
      append_link(d, "stick", {placed(std::move(stick))}, JointType::kRevolute);
  reach.origin = RigidEnclosure::translation({4.9, 0, 0});
  reach.axis = -Vector3d::UnitY();
  reach.lower = -2.6;
  reach.upper = -0.4;

  TriangleMesh bucket;  // plates along an arc, two cheeks and five teeth
  for (int i = 0; i < 8; ++i) {
    const double w0 = -0.3 - 0.35 * i, w1 = w0 - 0.33;
    const Vector3d c(0.5, 0, -0.05);
    add_beam(c + 0.5 * Vector3d(std::cos(w0), 0, std::sin(w0)),
             c + 0.5 * Vector3d(std::cos(w1), 0, std::sin(w1)), 1.0, 0.04, {3, 12, 1}, bucket);
  }
  for (const double side : {-0.53, 0.53}) {
    add_tube({0.5, side - 0.02, -0.05}, {0.5, side + 0.02, -0.05}, 0.5, 32, 4, bucket);
  }
  for (int i = 0; i < 5; ++i) {
    add_box(Vector3d(1.12, -0.4 + 0.2 * i, -0.17), {0.2, 0.08, 0.05}, {4, 2, 2}, bucket);
  }
  JointDescription& curl =
      append_link(d, "bucket", {placed(std::move(bucket))}, JointType::kRevolute);
  curl.origin = RigidEnclosure::translation({2.6, 0, 0});
  curl.axis = -Vector3d::UnitY();
  curl.lower = -2.4;
  curl.upper = 0.5;

  CatchScenario c{"excavator", RobotBuilder::build(d), std::move(site), {}, {}};
  struct Arm {
    double swing, boom, stick, bucket;
  };
  const auto at = [&](double x, double y, double yaw, const Arm& arm) {
    VectorXd q = c.robot->zero_positions();
    set_values(*c.robot, "tracks_joint", {x, y, yaw}, q);
    set_values(*c.robot, "house_joint", {arm.swing}, q);
    set_values(*c.robot, "boom_joint", {arm.boom}, q);
    set_values(*c.robot, "stick_joint", {arm.stick}, q);
    set_values(*c.robot, "bucket_joint", {arm.bucket}, q);
    return q;
  };
  const Arm folded{0, 1.1, -2.4, -1.2}, reaching{0, 0.9, -1.1, -0.6}, digging{0, 0.12, -1.3, -0.9},
      curled{0, 0.35, -1.9, -2.0}, lifted{0, 1.0, -1.7, -2.0};
  const auto turned_by = [](Arm arm, double turn) {
    arm.swing = turn;
    return arm;
  };
  // A cycle in front of a pile: down into it, curl, lift, turn, dump, and back.
  const auto cycle = [&](double x, double y, double yaw, double side) {
    return std::vector<VectorXd>{at(x, y, yaw, folded),
                                 at(x, y, yaw, reaching),
                                 at(x, y, yaw, digging),
                                 at(x, y, yaw, curled),
                                 at(x, y, yaw, lifted),
                                 at(x, y, yaw, turned_by(lifted, side)),
                                 at(x, y, yaw, turned_by(reaching, side)),
                                 at(x, y, yaw, turned_by(folded, 0.4 * side)),
                                 at(x, y, yaw, folded)};
  };
  c.series = {{"scripted",
               {smooth(through(nullptr, cycle(-8, 12.5, -kPi / 2, 1.6), 5)),
                smooth(through(nullptr, cycle(-11.8, 1.5, kPi, -1.6), 5)),
                smooth(through(nullptr, cycle(-1.5, -4, kPi, 1.9), 5)),
                smooth(through(nullptr,
                               {at(-11.8, 1.5, kPi, folded), at(-12.8, -3, 4.4, folded),
                                at(-10.5, -9.5, 5.2, reaching), at(-2.5, -10.2, 6.2, folded),
                                at(-1, -5, 7.6, lifted), at(-2, 4, 7.9, folded)},
                               8))}}};
  std::vector<VectorXd> poses;
  for (const Arm& arm : {folded, lifted, turned_by(reaching, 1.2)}) {
    for (const auto& [x, y, yaw] :
         {std::array{-11.8, 1.5, kPi}, std::array{-1.5, -4.0, 3.0}, std::array{-2.0, 4.0, 1.6},
          std::array{-2.5, -10.2, 0.0}, std::array{-8.0, 12.5, -1.5}}) {
      poses.push_back(at(x, y, yaw, arm));
    }
  }
  c.series.push_back({"pose to pose", all_pairs(poses)});
  c.problems = {{at(-11.8, 1.5, -2.9, folded), at(-2, 4, 1.6, reaching)},
                {at(-1.5, -4, 3.0, reaching), at(-11.8, 1.5, 2.9, folded)},
                {at(-8, 12.5, -1.5, lifted), at(-12.8, -3, -1.8, folded)},
                {at(-2.5, -10.2, 0.0, folded), at(-8, 12.5, -1.5, reaching)},
                {at(-12.8, -3, -1.8, folded), at(-1.5, -4, 3.0, lifted)},
                {at(-2, 4, 1.6, folded), at(-2.5, -10.2, 0.0, reaching)}};
  return c;
}

CatchScenario four_trains() {
  const auto one = train(JointType::kPlanar, JointType::kRevolute);
  CatchScenario c{"four trains", nullptr, std::make_shared<const Scene>(), {}, {}};
  c.robot = RobotBuilder::combine(*one, {{one, "b", {}}, {one, "c", {}}, {one, "d", {}}});
  // Figures of eight, 46 m by 18 m, each at its own place and turned.
  struct Eight {
    std::string prefix;
    double x, y, turn;
  };
  const Eight eights[] = {
      {"", -9, 5, 0.3}, {"b/", 9, 6, 1.5}, {"c/", -7, -9, 2.4}, {"d/", 11, -8, -0.6}};
  constexpr double kLongest = 0.25;  // of the parameter, more than a car's length
  const auto track = [](const Eight& e) {
    return [e](double s) {
      const double x = 23 * std::sin(s), y = 9 * std::sin(2 * s);
      return Vector3d(e.x + x * std::cos(e.turn) - y * std::sin(e.turn),
                      e.y + x * std::sin(e.turn) + y * std::cos(e.turn), 0);
    };
  };
  SplitMix64 random(11);
  CatchScenario::Series series{"edges", {}};
  for (int run = 0; run < 40; ++run) {
    double s[4], heading[4] = {0, 0, 0, 0};
    for (double& at : s) at = random.uniform(0, 2 * kPi);
    Waypoints w;
    for (int i = 0; i <= 10; ++i) {
      VectorXd q = c.robot->zero_positions();
      for (int k = 0; k < 4; ++k) {
        const Track way = track(eights[k]);
        set_train(*c.robot, eights[k].prefix, couplings(way, s[k], kLongest), heading[k], q);
        s[k] += 1.0 / (way(s[k] + 0.01) - way(s[k])).norm() * 0.01;  // a metre
      }
      w.states.push_back(q);
    }
    series.paths.push_back(smooth(std::move(w)));
  }
  c.series = {std::move(series)};
  return c;
}

CatchScenario falling_train() {
  CatchScenario c{"falling train", train(JointType::kFloating, JointType::kBall), nullptr, {}, {}};
  Scene scene;
  scene.name = "cliff";
  scene.objects.push_back({"cliff", {placed(height_field(-32, 40, -20, 20, 145, 100, cliff))}});
  c.scene = std::make_shared<const Scene>(std::move(scene));
  CatchScenario::Series series{"frames", {}};
  for (int run = 0; run < 8; ++run) {
    const double y0 = -12.5 + 3.5 * run;
    // Level ground, a fall, then hops from hill to hill that end a little below the ground's
    // height.
    const Track way = [&](double x) {
      const double y = y0 + 0.8 * std::sin(0.25 * x + run) * std::clamp(0.1 * x + 0.2, 0.0, 1.0);
      const double fallen = x < -2 ? 9 : 9 - (x + 2) * (x + 2) / 9;
      const double hop = 0.45 * std::sin(0.8 * x + 1.3 * run) + 0.4;
      return Vector3d(x, y, 0.53 + std::max(fallen, cliff(x, y) + std::max(hop, -0.04)));
    };
    Waypoints w;
    for (int i = 0; i < 45; ++i) {
      const std::vector<Vector3d> p = couplings(way, -6 + 0.9 * i, 2 * kPitch);
      VectorXd q = c.robot->zero_positions();
      Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
      for (size_t k = 0; k < 10; ++k) {
        const Vector3d d = p[k] - p[k + 1];
        const double tumble = std::clamp(0.08 * (p[k].x() - 1), 0.0, 0.5);
        const Eigen::Quaterniond R =
            turned(std::atan2(d.y(), d.x()), -std::atan2(d.z(), std::hypot(d.x(), d.y())),
                   tumble * std::sin(0.4 * p[k].x() + run));
        const Eigen::Quaterniond r = before.conjugate() * R;
        const std::string joint = "car_" + std::to_string(k) + "_joint";
        if (k == 0) {
          set_values(*c.robot, joint, {p[0].x(), p[0].y(), p[0].z(), r.x(), r.y(), r.z(), r.w()},
                     q);
        } else {
          set_values(*c.robot, joint, {r.x(), r.y(), r.z(), r.w()}, q);
        }
        before = R;
      }
      w.states.push_back(q);
    }
    series.paths.push_back(std::move(w));
  }
  c.series = {std::move(series)};
  return c;
}

}  // namespace catena::bench
