#include "soundness/robots.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace catena::oracle {
namespace {

constexpr double kPi = 3.141592653589793;

using test::uniform;

std::array<double, 3> random_vector(std::mt19937_64& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

/// Grows a robot link by link, each with the joint that carries it.
class Maker {
 public:
  Maker(std::string name, std::string root, std::vector<PlacedSpec> shapes = {}) {
    spec_.name = std::move(name);
    spec_.links.push_back({std::move(root), std::move(shapes)});
  }

  JointSpec& add(const std::string& parent, const std::string& child, JointKind kind,
                 PoseSpec origin, std::array<double, 3> axis, std::vector<PlacedSpec> shapes,
                 double lower = -1e9, double upper = 1e9) {
    spec_.links.push_back({child, std::move(shapes)});
    JointSpec j;
    j.name = child + "_joint";
    j.kind = kind;
    j.parent = parent;
    j.child = child;
    j.origin = origin;
    j.axis = axis;
    if (kind == JointKind::kRevolute || kind == JointKind::kPrismatic) {
      j.lower = lower;
      j.upper = upper;
    }
    spec_.joints.push_back(j);
    return spec_.joints.back();
  }
  void mimic(const std::string& parent, const std::string& child, JointKind kind, PoseSpec origin,
             std::array<double, 3> axis, std::vector<PlacedSpec> shapes, const std::string& source,
             double multiplier, double offset) {
    JointSpec& j = add(parent, child, kind, origin, axis, std::move(shapes), -1e9, 1e9);
    j.mimic = source;
    j.multiplier = multiplier;
    j.offset = offset;
  }
  void disable(const std::string& a, const std::string& b) { spec_.disabled.push_back({a, b}); }
  RobotSpec take() { return std::move(spec_); }

 private:
  RobotSpec spec_;
};

std::string numbered(const char* stem, int i) { return stem + std::to_string(i); }

// A serial chain of capsules: offset and skew axes, geometries away from their joints.
RobotSpec serial() {
  Maker m("serial", "base", {cylinder(0.12, 0.1, {0, 0, -0.1})});
  const std::array<std::array<double, 3>, 7> axes{
      {{0, 0, 1}, {0, 1, 0.1}, {1, 0.2, 0}, {0, 1, 0}, {0.3, 0, 1}, {0, -1, 0.2}, {2, 0, 0}}};
  std::string parent = "base";
  for (int i = 0; i < 7; ++i) {
    const std::string child = numbered("link", i);
    const PoseSpec origin{{i == 0 ? 0.0 : 0.04, 0.01 * i, i == 0 ? 0.1 : 0.26},
                          {0.1 * i, -0.05 * i, 0.2}};
    m.add(parent, child, JointKind::kRevolute, origin, axes[size_t(i)],
          {capsule(0.04 - 0.003 * i, 0.14, {0.02, 0, 0.13}, {0.1, 0.05, 0})}, -2.6, 2.4);
    parent = child;
  }
  return m.take();
}

// Ball joints in a row.
RobotSpec ball() {
  Maker m("ball", "base", {box({0.2, 0.2, 0.1}, {0, 0, -0.15})});
  std::string parent = "base";
  for (int i = 0; i < 5; ++i) {
    const std::string child = numbered("bone", i);
    m.add(parent, child, JointKind::kBall, {{0, 0, i == 0 ? 0.0 : 0.3}, {0, 0, 0.3 * i}}, {0, 0, 1},
          {i % 2 == 0 ? capsule(0.04, 0.18, {0, 0, 0.15}) : box({0.06, 0.05, 0.2}, {0, 0, 0.15})});
    parent = child;
  }
  return m.take();
}

// A body that floats, with boxes for arms.
RobotSpec floating() {
  Maker m("floating", "world");
  m.add("world", "hull", JointKind::kFloating, {{0.1, 0, 0.2}, {0.1, 0.2, -0.3}}, {0, 0, 1},
        {box({0.4, 0.25, 0.15}, {0.05, 0, 0.02}, {0, 0.1, 0.2})});
  m.add("hull", "left", JointKind::kRevolute, {{0.1, 0.22, 0}, {0.3, 0, 0}}, {0, 0, 1},
        {box({0.06, 0.3, 0.05}, {0, 0.2, 0})}, -2.0, 2.0);
  m.add("left", "left_tip", JointKind::kRevolute, {{0, 0.42, 0}, {0, 0, 0}}, {1, 0, 0},
        {box({0.05, 0.2, 0.04}, {0, 0.12, 0}), sphere(0.04, {0, 0.25, 0})}, -2.5, 2.5);
  m.add("hull", "right", JointKind::kRevolute, {{0.1, -0.22, 0}, {-0.3, 0, 0}}, {0, 1, 1},
        {box({0.06, 0.3, 0.05}, {0, -0.2, 0})}, -2.0, 2.0);
  return m.take();
}

// A telescope on a turntable: nested cylinders, hits at the end of the stroke.
RobotSpec telescope() {
  Maker m("telescope", "base", {cylinder(0.2, 0.1, {0, 0, -0.06})});
  m.add("base", "turret", JointKind::kContinuous, {{0, 0, 0.1}, {}}, {0, 0, 1},
        {cylinder(0.12, 0.1, {0, 0, 0})});
  m.add("turret", "boom", JointKind::kRevolute, {{0.1, 0, 0.1}, {0, kPi / 2, 0}}, {0, 1, 0},
        {cylinder(0.07, 0.5, {0, 0, 0.35})}, -1.2, 0.6);
  std::string parent = "boom";
  for (int i = 0; i < 3; ++i) {
    const std::string child = numbered("stage", i);
    m.add(parent, child, JointKind::kPrismatic, {{0, 0, i == 0 ? 0.1 : 0.02}, {}}, {0, 0, 1},
          {cylinder(0.06 - 0.012 * i, 0.5, {0, 0, 0.3})}, 0.0, 0.45);
    parent = child;
  }
  m.add(parent, "tip", JointKind::kRevolute, {{0, 0, 0.6}, {}}, {1, 0, 0},
        {cone(0.05, 0.12, {0, 0, 0.1})}, -1.5, 1.5);
  for (int i = 0; i < 3; ++i) {
    m.disable("turret", numbered("stage", i));
    m.disable("boom", numbered("stage", i));
    for (int j = i + 1; j < 3; ++j) m.disable(numbered("stage", i), numbered("stage", j));
  }
  m.disable("tip", "stage1");
  return m.take();
}

// Mimics of mimics, negative and fractional multipliers, continuous joints across the seam.
RobotSpec mimic() {
  Maker m("mimic", "base", {box({0.2, 0.2, 0.05}, {0, 0, -0.1})});
  m.add("base", "arm", JointKind::kContinuous, {{0, 0, 0.1}, {0.2, 0, 0}}, {0.1, 0, 1},
        {capsule(0.04, 0.3, {0.25, 0, 0}, {0, kPi / 2, 0})});
  m.mimic("arm", "fore", JointKind::kContinuous, {{0.5, 0, 0}, {}}, {0, 0.2, 1},
          {capsule(0.03, 0.25, {0.18, 0, 0.02}, {0, kPi / 2, 0})}, "arm_joint", -2.0, 0.3);
  m.mimic("fore", "hand", JointKind::kContinuous, {{0.38, 0, 0}, {0, 0.1, 0}}, {0, 1, 0},
          {box({0.2, 0.05, 0.04}, {0.13, 0, 0})}, "fore_joint", -1.0, 0.1);
  m.add("hand", "grip", JointKind::kPrismatic, {{0.25, 0, 0}, {}}, {0, 1, 0},
        {box({0.1, 0.02, 0.03}, {0.05, 0.03, 0})}, 0.0, 0.08);
  m.mimic("hand", "grip2", JointKind::kPrismatic, {{0.25, 0, 0}, {}}, {0, 1, 0},
          {box({0.1, 0.02, 0.03}, {0.05, -0.03, 0})}, "grip_joint", -1.0, 0.0);
  m.add("base", "leg", JointKind::kRevolute, {{-0.2, 0, 0}, {0, -1.2, 0}}, {0, 1, 0.1},
        {capsule(0.03, 0.3, {0, 0, 0.2})}, -2.0, 2.0);
  m.mimic("leg", "shin", JointKind::kRevolute, {{0, 0, 0.4}, {}}, {0, 1, 0},
          {cylinder(0.03, 0.3, {0, 0, 0.2})}, "leg_joint", -1.37, 0.2);
  m.mimic("shin", "foot", JointKind::kRevolute, {{0, 0, 0.4}, {}}, {0, 1, 0.3},
          {cone(0.06, 0.12, {0, 0.02, 0.1})}, "shin_joint", 0.45, -0.1);
  m.disable("grip", "grip2");
  return m.take();
}

// A branching body: trunk, head, arms and legs of every shape, rigid extras on fixed joints.
RobotSpec humanoid() {
  Maker m("humanoid", "pelvis", {box({0.24, 0.3, 0.16}, {0, 0, 0.02})});
  m.add("pelvis", "trunk", JointKind::kRevolute, {{0, 0, 0.2}, {}}, {0, 0, 1},
        {mesh(box_mesh({0.2, 0.3, 0.35}), {0, 0, 0.2}), sphere(0.09, {0.08, 0, 0.25})}, -1.0, 1.0);
  m.add("trunk", "neck", JointKind::kRevolute, {{0, 0, 0.45}, {}}, {0, 1, 0},
        {cylinder(0.04, 0.06, {0, 0, 0.03})}, -0.6, 0.9);
  m.add("neck", "head", JointKind::kBall, {{0, 0, 0.1}, {}}, {0, 0, 1},
        {sphere(0.1, {0, 0, 0.12}), cone(0.03, 0.08, {0.12, 0, 0.12}, {0, kPi / 2, 0})});
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "l_" : "r_";
    m.add("trunk", s + "shoulder", JointKind::kRevolute,
          {{0, 0.26 * side, 0.34}, {0.1 * side, 0, 0}}, {0, 1, 0}, {sphere(0.06)}, -2.5, 1.5);
    m.add(s + "shoulder", s + "upper", JointKind::kRevolute, {{0, 0.03 * side, 0}, {}}, {1, 0, 0.1},
          {capsule(0.045, 0.18, {0, 0, -0.19})}, -1.8, 1.8);
    m.add(s + "upper", s + "fore", JointKind::kRevolute, {{0.01, 0, -0.36}, {}}, {0, 1, 0},
          {cone(0.045, 0.24, {0, 0, -0.18}, {kPi, 0, 0})}, -2.2, 0.1);
    m.add(s + "fore", s + "hand", JointKind::kFixed, {{0, 0, -0.33}, {0, 0, 0.4}}, {1, 0, 0},
          {mesh(tetrahedron_mesh(0.07), {0, 0, -0.05})});
    m.add("pelvis", s + "thigh", JointKind::kRevolute, {{0, 0.1 * side, -0.12}, {}}, {0.1, 1, 0},
          {capsule(0.06, 0.2, {0, 0.02 * side, -0.2})}, -1.5, 0.8);
    m.add(s + "thigh", s + "shin", JointKind::kRevolute, {{0, 0.02 * side, -0.42}, {}}, {0, 1, 0},
          {cylinder(0.05, 0.26, {0, 0, -0.2})}, -0.1, 2.2);
    m.add(s + "shin", s + "foot", JointKind::kRevolute, {{0, 0, -0.4}, {}}, {0, 1, 0},
          {mesh(open_box_mesh({0.2, 0.09, 0.06}), {0.04, 0, -0.05})}, -0.6, 0.6);
  }
  m.disable("l_upper", "trunk");
  m.disable("r_upper", "trunk");
  m.disable("head", "trunk");
  m.disable("l_thigh", "trunk");
  m.disable("r_thigh", "trunk");
  return m.take();
}

// A base that drives on a tilted plane, with an arm.
RobotSpec planar() {
  Maker m("planar", "world");
  m.add("world", "cart", JointKind::kPlanar, {{0, 0, 0.1}, {0.1, 0, 0.5}}, {0.2, -0.1, 1.0},
        {box({0.4, 0.3, 0.12}, {0.02, 0, 0})});
  m.add("cart", "mast", JointKind::kFixed, {{0.1, 0, 0.1}, {}}, {1, 0, 0},
        {cylinder(0.04, 0.2, {0, 0, 0.1})});
  m.add("mast", "arm", JointKind::kContinuous, {{0, 0, 0.25}, {}}, {0, 0, 1},
        {capsule(0.04, 0.3, {0.25, 0, 0}, {0, kPi / 2, 0})});
  m.add("arm", "fore", JointKind::kRevolute, {{0.5, 0, 0}, {}}, {0, 1, 0},
        {mesh(box_mesh({0.25, 0.05, 0.05}), {0.2, 0, 0})}, -2.0, 2.0);
  return m.take();
}

// Fast and nearly without thickness: what a motion bound leaves out is not hidden by the bodies'
// size. A turntable that shoots out a slide, that carries another turntable and slide.
RobotSpec whip() {
  Maker m("whip", "base", {sphere(1e-4, {0, 0, -0.5})});
  m.add("base", "turn", JointKind::kRevolute, {}, {0, 0, 1}, {}, -6, 6);
  m.add("turn", "slide", JointKind::kPrismatic, {}, {1, 0, 0},
        {sphere(1e-4), sphere(2e-5, {0.1, 0, 0})}, -1, 1);
  m.add("slide", "spin", JointKind::kRevolute, {{0.1, 0, 0}, {0.3, 0, 0}}, {0, 1, 0.2},
        {capsule(0.0, 0.2, {0.15, 0, 0}, {0, kPi / 2, 0})}, -6, 6);
  m.add("spin", "shoot", JointKind::kPrismatic, {{0.3, 0, 0}, {}}, {1, 0.5, 0}, {sphere(1e-5)},
        -0.6, 0.6);
  m.add("shoot", "tip", JointKind::kBall, {{0.05, 0, 0}, {}}, {0, 0, 1},
        {box({0.1, 1e-4, 1e-5}, {0.1, 0, 0}), sphere(1e-5, {0.2, 0, 0})});
  return m.take();
}

// Twenty-four joints in a row.
RobotSpec snake() {
  Maker m("snake", "base", {cylinder(0.06, 0.1, {0, 0, -0.08})});
  std::string parent = "base";
  for (int i = 0; i < 24; ++i) {
    const std::string child = numbered("seg", i);
    std::vector<PlacedSpec> shapes{i % 5 == 4 ? mesh(box_mesh({0.045, 0.045, 0.06}), {0, 0, 0.05})
                                              : capsule(0.025, 0.03, {0, 0, 0.05})};
    m.add(parent, child, JointKind::kRevolute, {{0, 0, i == 0 ? 0.0 : 0.1}, {0, 0, kPi / 2}},
          {1, 0, 0}, std::move(shapes), -1.4, 1.4);
    parent = child;
  }
  return m.take();
}

// A long chain of joints and shapes of every kind. Most turn little, so that it is seldom a knot; a
// ball joint at its root, rolls about its own axis, slides, followers, and links of two shapes.
RobotSpec mixed_chain(int n) {
  std::mt19937_64 rng(static_cast<std::uint64_t>(n));
  Maker m("chain" + std::to_string(n), "base", {sphere(0.03, {0, 0, -0.05})});
  const double turn = 2.5 / std::sqrt(double(n));
  std::string parent = "base", last_turn;
  for (int i = 1; i < n; ++i) {
    const std::string child = numbered("link", i);
    const double r = uniform(rng, 0.012, 0.025);
    const std::array<double, 3> at{0, 0, 0.06};
    std::vector<PlacedSpec> shapes;
    switch (i % 9) {
      case 0:
        shapes = {box({2 * r, r, 0.05}, at, {0.1, 0, 0.3})};
        break;
      case 2:
        shapes = {cylinder(r, 0.05, at)};
        break;
      case 3:
        shapes = {cone(r, 0.05, at), sphere(0.5 * r, {0.02, 0, 0.05})};
        break;
      case 5:
        shapes = {sphere(r, at)};
        break;
      case 6:
        shapes = {i % 2 == 0 ? mesh(box_mesh({r, 2 * r, 0.05}), at)
                             : mesh(open_box_mesh({2 * r, 2 * r, 0.04}), at)};
        break;
      case 8:
        shapes = {mesh(tetrahedron_mesh(1.5 * r), at)};
        break;
      default:
        shapes = {capsule(0.8 * r, 0.03, at)};
    }
    const PoseSpec origin{{0, 0, i == 1 ? 0.02 : 0.1}, {0, 0, uniform(rng, -3, 3)}};
    if (i == 1) {
      m.add(parent, child, JointKind::kBall, origin, {0, 0, 1}, std::move(shapes));
    } else if (i % 16 == 5) {
      m.add(parent, child, JointKind::kFixed, origin, {0, 0, 1}, std::move(shapes));
    } else if (i % 8 == 2) {
      m.add(parent, child, JointKind::kContinuous, origin, {0, 0, 1}, std::move(shapes));
    } else if (i % 8 == 4) {
      m.add(parent, child, JointKind::kPrismatic, origin, {0, 0.1, 1}, std::move(shapes), 0, 0.04);
    } else if (i % 8 == 7 && !last_turn.empty()) {
      m.mimic(parent, child, JointKind::kRevolute, origin, {1, 0, 0}, std::move(shapes), last_turn,
              -0.7, 0.0);
    } else {
      m.add(parent, child, JointKind::kRevolute, origin,
            {1, uniform(rng, -0.3, 0.3), uniform(rng, -0.3, 0.3)}, std::move(shapes), -turn, turn);
      last_turn = child + "_joint";
    }
    parent = child;
  }
  return m.take();
}

/// Of "chain256": 256; of other names 0.
int links_of_chain(const std::string& name) {
  if (name.rfind("chain", 0) != 0 || name.size() > 9) return 0;
  const std::string digits = name.substr(5);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoi(digits);
}

}  // namespace

PlacedSpec sphere(double radius, std::array<double, 3> xyz) {
  return {{ShapeSpec::Kind::kSphere, {radius, 0, 0}, 0, {}, {}, false}, {xyz, {}}};
}
PlacedSpec capsule(double radius, double length, std::array<double, 3> xyz,
                   std::array<double, 3> rpy) {
  return {{ShapeSpec::Kind::kCapsule, {radius, length, 0}, 0, {}, {}, false}, {xyz, rpy}};
}
PlacedSpec box(std::array<double, 3> size, std::array<double, 3> xyz, std::array<double, 3> rpy) {
  return {{ShapeSpec::Kind::kBox, size, 0, {}, {}, false}, {xyz, rpy}};
}
PlacedSpec cylinder(double radius, double length, std::array<double, 3> xyz,
                    std::array<double, 3> rpy) {
  return {{ShapeSpec::Kind::kCylinder, {radius, length, 0}, 0, {}, {}, false}, {xyz, rpy}};
}
PlacedSpec cone(double radius, double length, std::array<double, 3> xyz,
                std::array<double, 3> rpy) {
  return {{ShapeSpec::Kind::kCone, {radius, length, 0}, 0, {}, {}, false}, {xyz, rpy}};
}
PlacedSpec half_space(std::array<double, 3> normal, double offset) {
  return {{ShapeSpec::Kind::kHalfSpace, normal, offset, {}, {}, false}, {}};
}
PlacedSpec mesh(ShapeSpec shape, std::array<double, 3> xyz, std::array<double, 3> rpy) {
  return {std::move(shape), {xyz, rpy}};
}

ShapeSpec box_mesh(std::array<double, 3> size) {
  ShapeSpec s;
  s.kind = ShapeSpec::Kind::kMesh;
  s.solid = true;
  for (int k = 0; k < 8; ++k)
    s.vertices.push_back({(k & 1 ? 0.5 : -0.5) * size[0], (k & 2 ? 0.5 : -0.5) * size[1],
                          (k & 4 ? 0.5 : -0.5) * size[2]});
  s.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return s;
}

ShapeSpec open_box_mesh(std::array<double, 3> size) {
  ShapeSpec s = box_mesh(size);
  s.triangles.resize(10);  // the last two are the top
  s.solid = false;
  return s;
}

ShapeSpec tetrahedron_mesh(double radius) {
  ShapeSpec s;
  s.kind = ShapeSpec::Kind::kMesh;
  s.solid = true;
  const double c = radius / std::sqrt(3.0);
  s.vertices = {{c, c, c}, {c, -c, -c}, {-c, c, -c}, {-c, -c, c}};
  s.triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  return s;
}

std::vector<std::string> robot_names() {
  return {"serial",   "ball",   "floating", "telescope", "mimic",
          "humanoid", "planar", "snake",    "whip"};
}

std::vector<std::string> campaign_robot_names() {
  std::vector<std::string> names = robot_names();
  names.push_back("chain64");
  return names;
}

RobotSpec make_robot_spec(const std::string& name) {
  if (const int links = links_of_chain(name); links > 1) return mixed_chain(links);
  if (name == "serial") return serial();
  if (name == "ball") return ball();
  if (name == "floating") return floating();
  if (name == "telescope") return telescope();
  if (name == "mimic") return mimic();
  if (name == "humanoid") return humanoid();
  if (name == "planar") return planar();
  if (name == "snake") return snake();
  if (name == "whip") return whip();
  throw std::invalid_argument("no robot \"" + name + "\"");
}

double reach_of(const std::string& robot) {
  if (const int links = links_of_chain(robot); links > 1) return 0.3 + 0.05 * links;
  return robot == "snake" ? 1.8 : robot == "telescope" ? 2.0 : robot == "humanoid" ? 1.0 : 1.4;
}

std::vector<double> random_configuration(const RobotSpec& robot, std::mt19937_64& rng) {
  std::vector<double> q;
  const auto rotation = [&] {
    std::normal_distribution<double> normal;
    std::array<double, 4> x{};
    double n = 0;
    while (n < 0.1) {
      n = 0;
      for (double& v : x) {
        v = normal(rng);
        n += v * v;
      }
    }
    for (const double v : x) q.push_back(v / std::sqrt(n));
  };
  for (const JointSpec& j : robot.joints) {
    if (!j.mimic.empty()) continue;
    switch (j.kind) {
      case JointKind::kFixed:
        break;
      case JointKind::kContinuous:
        q.push_back(uniform(rng, -kPi, kPi));
        break;
      case JointKind::kPlanar:
        q.push_back(uniform(rng, -0.8, 0.8));
        q.push_back(uniform(rng, -0.8, 0.8));
        q.push_back(uniform(rng, -kPi, kPi));
        break;
      case JointKind::kFloating:
        for (int k = 0; k < 3; ++k) q.push_back(uniform(rng, -0.8, 0.8));
        rotation();
        break;
      case JointKind::kBall:
        rotation();
        break;
      default:
        q.push_back(uniform(rng, std::max(j.lower, -kPi), std::min(j.upper, kPi)));
    }
  }
  return q;
}

std::vector<double> nearby_configuration(const RobotSpec& robot, const std::vector<double>& near,
                                         double share, std::mt19937_64& rng) {
  const std::vector<double> other = random_configuration(robot, rng);
  std::vector<double> q = near;
  size_t i = 0;
  const auto blend = [&](size_t k) { q[k] = near[k] + share * (other[k] - near[k]); };
  for (const JointSpec& j : robot.joints) {
    if (!j.mimic.empty()) continue;
    const size_t n = size_t(num_values(j.kind));
    for (size_t k = 0; k < n; ++k) blend(i + k);
    if (j.kind == JointKind::kContinuous || j.kind == JointKind::kPlanar) {
      double& angle = q[i + n - 1];  // across the seam as often as not
      angle = std::remainder(near[i + n - 1] + share * other[i + n - 1], 2 * kPi);
    }
    if (n >= 4) {  // the quaternion comes last
      double length = 0;
      for (size_t k = i + n - 4; k < i + n; ++k) length += q[k] * q[k];
      for (size_t k = i + n - 4; k < i + n; ++k) q[k] /= std::sqrt(length);
    }
    i += n;
  }
  return q;
}

SplineSpec random_spline(const RobotSpec& robot, const std::vector<double>& from,
                         const std::vector<double>& to, std::mt19937_64& rng) {
  SplineSpec s{from, to, {}, {}, {}, {}, std::pow(10.0, uniform(rng, -1, 1))};
  const int degree = std::array{1, 3, 3, 5, 5}[rng() % 5];
  // Near-straight, or with overshoots.
  const double size = std::pow(10.0, uniform(rng, -2, 0.7));
  std::vector<double> all[4];
  size_t i = 0;
  for (const JointSpec& j : robot.joints) {
    if (!j.mimic.empty()) continue;
    const size_t n = size_t(num_values(j.kind)), rotation = n >= 4 ? 4 : 0;
    const bool stays = rng() % 8 == 0;
    for (size_t k = i; k < i + n; ++k) {
      const bool turns = k >= i + n - rotation;
      if (turns) s.q1[k] = s.q0[k];
      const double step = s.q1[k] - s.q0[k];
      for (int which = 0; which < 4; ++which) {
        const double by_time = which < 2 ? s.duration : s.duration * s.duration;
        const double mean = which < 2 ? step : 0.0;
        all[which].push_back(turns || stays ? 0.0
                                            : (mean + uniform(rng, -size, size) * step) / by_time);
      }
    }
    i += n;
  }
  if (degree >= 3) {
    s.v0 = all[0];
    s.v1 = all[1];
  }
  if (degree == 5) {
    s.a0 = all[2];
    s.a1 = all[3];
  }
  return s;
}

SceneSpec random_scene(double reach, std::mt19937_64& rng) {
  SceneSpec scene;
  const int count = std::uniform_int_distribution<int>(2, 7)(rng);
  for (int i = 0; i < count; ++i) {
    const std::array<double, 3> rpy = random_vector(rng, kPi);
    std::array<double, 3> xyz{};
    double d = 0;
    while (d < 0.45 * reach) {
      xyz = random_vector(rng, reach);
      d = std::hypot(xyz[0], xyz[1], xyz[2]);
    }
    const double s = uniform(rng, 0.03, 0.2) * reach;
    PlacedSpec p;
    switch (std::uniform_int_distribution<int>(0, 9)(rng)) {
      case 0:
        p = sphere(s);
        break;
      case 1:
        p = capsule(0.4 * s, 2 * s);
        break;
      case 2:
        p = box({s, 2 * s, 0.5 * s});
        break;
      case 3:
        p = cylinder(s, 0.7 * s);
        break;
      case 4:
        p = cylinder(0.2 * s, 4 * s);
        break;
      case 5:
        p = cone(s, 2 * s);
        break;
      case 6:
        p = mesh(box_mesh({s, s, 3 * s}));
        break;
      case 7:
        p = mesh(open_box_mesh({3 * s, 2 * s, s}));
        break;
      case 8:
        p = mesh(tetrahedron_mesh(1.5 * s));
        break;
      default:
        p = sphere(0.2 * s);
    }
    p.pose = {xyz, rpy};
    scene.objects.push_back({"object" + std::to_string(i), {p}});
  }
  if (std::bernoulli_distribution(0.3)(rng)) {
    // A wall that the root does not touch.
    std::array<double, 3> n = random_vector(rng, 1.0);
    const double len = std::hypot(n[0], n[1], n[2]) + 1e-3;
    scene.objects.push_back({"wall", {half_space(n, -uniform(rng, 0.6, 0.9) * reach * len)}});
  }
  return scene;
}

}  // namespace catena::oracle
