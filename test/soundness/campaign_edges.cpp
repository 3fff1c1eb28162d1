#include "soundness/campaign_edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "support/random.hpp"

namespace catena::oracle {
namespace {

using test::uniform;

Vec3 random_direction(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Vec3 d;
  do d = {normal(rng), normal(rng), normal(rng)};
  while (norm(d) < 0.1L);
  return (1 / norm(d)) * d;
}

/// A small obstacle of any kind, about the origin, of size 1 or so times `size`.
ShapeSpec random_obstacle(double size, std::mt19937_64& rng) {
  const auto triangle = [](std::array<double, 3> a, std::array<double, 3> b,
                           std::array<double, 3> c) {
    ShapeSpec s;
    s.kind = ShapeSpec::Kind::kMesh;
    s.vertices = {a, b, c};
    s.triangles = {{0, 1, 2}};
    return s;
  };
  switch (rng() % 10) {
    case 0:
      return box({size, 2 * size, 0.5 * size}).shape;
    case 1:
      return box({2 * size, 2 * size, 1e-4 * size}).shape;  // a plate
    case 2:
      return capsule(0.3 * size, 2 * size).shape;
    case 3:
      return cylinder(size, size).shape;
    case 4:
      return cylinder(0.05 * size, 3 * size).shape;
    case 5:
      return cone(size, 2 * size).shape;
    case 6:
      return tetrahedron_mesh(size);
    case 7:
      return triangle({size, 0, 0}, {-size, 0.5 * size, 0}, {0, -size, 0.3 * size});
    case 8:  // a needle
      return triangle({-size, 0, 0}, {size, 0, 0}, {0, 1e-5 * size, 0});
    default:
      return sphere(size).shape;
  }
}

void move_by(PlacedSpec& object, const Vec<double>& shift) {
  object.pose.xyz[0] = object.pose.xyz[0] + shift.x;
  object.pose.xyz[1] = object.pose.xyz[1] + shift.y;
  object.pose.xyz[2] = object.pose.xyz[2] + shift.z;
}

SplineSpec reversed(const SplineSpec& spline) {
  SplineSpec back{spline.q1, spline.q0, spline.v1,      spline.v0,
                  spline.a1, spline.a0, spline.duration};
  for (double& v : back.v0) v = -v;
  for (double& v : back.v1) v = -v;
  return back;
}

}  // namespace

CampaignRobot::CampaignRobot(const std::string& name)
    : spec(make_robot_spec(name)),
      reach(reach_of(name)),
      num_links(static_cast<int>(spec.links.size())),
      model(make_robot(spec)),
      oracle(spec),
      beside(spec, EdgeOracle::Pairs::kSceneOnly) {}

CampaignRobot& CampaignRobots::at(const std::string& name) {
  auto& robot = robots_[name];
  if (!robot) robot = std::make_unique<CampaignRobot>(name);
  return *robot;
}

Motion Edge::motion(const CampaignRobot& robot) const {
  if (spline) return make_motion(*robot.model, robot.spec, *spline);
  return Motion(*robot.model, positions(*robot.model, robot.spec, q0),
                positions(*robot.model, robot.spec, q1));
}

Motion reversed(const Edge& edge, const CampaignRobot& robot) {
  if (edge.spline) return make_motion(*robot.model, robot.spec, reversed(*edge.spline));
  return Motion(*robot.model, positions(*robot.model, robot.spec, edge.q1),
                positions(*robot.model, robot.spec, edge.q0));
}

Edge make_edge(CampaignRobots& robots, const std::string& only, std::uint64_t seed, std::uint64_t k,
               bool splines) {
  std::mt19937_64 rng(seed * 0x9E3779B97F4A7C15ULL + k);
  const auto names = campaign_robot_names();
  Edge edge;
  edge.robot_name = only.empty() ? names[k % names.size()] : only;
  CampaignRobot& robot = robots.at(edge.robot_name);
  const RobotSpec& spec = robot.spec;
  edge.scene = random_scene(robot.reach, rng);
  // Motions of every size; starts that are free where a few tries find one.
  const double share = std::array{0.02, 0.1, 0.3, 1.0}[rng() % 4];
  if (uniform(rng, 0, 1) < 0.12) edge.clearance = uniform(rng, 0.0, 0.05);
  BulkOracle& oracle = robot.oracle;
  oracle.set_scene(edge.scene, edge.clearance);
  const int tries = uniform(rng, 0, 1) < 0.85 ? 30 : 1;
  for (int i = 0; i < tries; ++i) {
    edge.q0 = random_configuration(spec, rng);
    oracle.set_motion(edge.q0, edge.q0);
    if (!oracle.touches_at(0)) break;
  }
  edge.q1 = uniform(rng, 0, 1) < 0.02 ? edge.q0 : nearby_configuration(spec, edge.q0, share, rng);
  if (splines) {
    edge.spline = random_spline(spec, edge.q0, edge.q1, rng);
    edge.q1 = edge.spline->q1;
  }
  edge.kind = "random";
  const int kind = static_cast<int>(rng() % 4);
  if (kind == 0 || (kind == 3 && edge.spline)) return edge;
  edge.tell(oracle);
  char text[200];
  const double margin =
      std::array{1e-3, 1e-4, 1e-5, 2e-6, 1e-6, -1e-6, -2e-6, -1e-5, -1e-4}[rng() % 9];
  if (kind == 3) {
    // Cut short where it first touches, or a little before or after: with itself as well.
    const Truth truth = oracle.judge();
    if (truth.kind != Truth::Kind::kContact || truth.t_hit < 0.01L) return edge;
    edge.kind = "cut short";
    const double t = std::min(1.0, double(truth.t_hit) - margin);
    Eigen::VectorXd q(robot.model->num_positions());
    interpolate(*robot.model, positions(*robot.model, spec, edge.q0),
                positions(*robot.model, spec, edge.q1), t, q);
    edge.q1 = values(*robot.model, spec, q);
    std::snprintf(text, sizeof text, "cut %.3g before its contact", margin);
    edge.note = text;
    return edge;
  }
  // Plant an obstacle at a point of the robot: `kind` 1 outside what is swept, by a known margin; 2
  // through it, at a known time.
  const Real at = uniform(rng, 0, 1);
  int geometry = 0;
  for (int i = 0; i < 20; ++i) {
    geometry =
        static_cast<int>(rng() % static_cast<std::uint64_t>(oracle.exact().num_geometries()));
    if (oracle.exact().link_of(geometry) > 0) break;
  }
  const Vec3 out = random_direction(rng);
  const Vec3 foot = oracle.exact().point_of(geometry, at, out);
  const Vec<double> direction{double(out.x), double(out.y), double(out.z)},
      surface{double(foot.x), double(foot.y), double(foot.z)};
  const double size = std::exp(uniform(rng, std::log(1e-4), std::log(0.1)));
  PlacedSpec object{random_obstacle(size, rng), {}};
  for (double& angle : object.pose.rpy) angle = uniform(rng, -3, 3);
  if (kind == 2) {
    edge.kind = "planted";
    const double sink = uniform(rng, -0.9, 0.9) * size;
    move_by(object, surface + sink * direction);
    std::snprintf(text, sizeof text, "obstacle of size %.3g planted at t=%.6f", size, double(at));
  } else {
    edge.kind = "near miss";
    move_by(object, surface + (2 * size + uniform(rng, 0.01, 0.2)) * direction);
    BulkOracle::Approach nearest;
    for (int i = 0; i < 4; ++i) {
      SceneSpec alone;
      alone.objects.push_back({"object", {object}});
      robot.beside.set_scene(alone, edge.clearance);
      edge.tell(robot.beside);
      nearest = robot.beside.nearest(24);
      if (std::abs(nearest.gap - margin) < 0.1 * std::abs(margin)) break;
      if (margin < 0 && nearest.gap <= 0) break;  // it overlaps, by a margin or so
      const Vec<double> ab = nearest.b - nearest.a;
      const double length = norm(ab);
      move_by(object, length > 0 && nearest.gap > 0 ? ((margin - nearest.gap) / length) * ab
                                                    : 0.1 * direction);
    }
    std::snprintf(text, sizeof text, "obstacle of size %.3g with margin %.3g at t=%.6f", size,
                  margin, nearest.t);
  }
  edge.scene.objects.push_back({"planted", {object}});
  edge.note = text;
  return edge;
}

}  // namespace catena::oracle
