#include "soundness/chain_worlds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "soundness/edge_oracle.hpp"
#include "soundness/robots.hpp"
#include "support/random.hpp"

namespace catena::oracle {
namespace {

constexpr double kPi = 3.141592653589793;

using test::uniform;
bool chance(std::mt19937_64& rng, double p) { return uniform(rng, 0, 1) < p; }
int below(std::mt19937_64& rng, int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }

Pose3 pose_of(const PoseSpec& pose) { return {rotation_rpy<Real>(pose.rpy), vec<Real>(pose.xyz)}; }

Pose3 inverse(const Pose3& X) {
  const Mat3 Rt{{X.R.ex.x, X.R.ey.x, X.R.ez.x},
                {X.R.ex.y, X.R.ey.y, X.R.ez.y},
                {X.R.ex.z, X.R.ey.z, X.R.ez.z}};
  return {Rt, -(Rt * X.p)};
}

// Near gimbal lock the yaw is noise; the roll is then that of what the yaw leaves.
PoseSpec spec_of(const Pose3& X) {
  const Real yaw = std::atan2(X.R.ex.y, X.R.ex.x);
  const Mat3 rest = rotation(Vec3{0, 0, 1}, -yaw) * X.R;
  const Real roll = std::atan2(-rest.ez.y, rest.ey.y), pitch = std::atan2(-rest.ex.z, rest.ex.x);
  return {{double(X.p.x), double(X.p.y), double(X.p.z)},
          {double(roll), double(pitch), double(yaw)}};
}

// x y z w
std::array<Real, 4> quaternion_of(const Mat3& R) {
  const Real m00 = R.ex.x, m11 = R.ey.y, m22 = R.ez.z;
  std::array<Real, 4> q{};
  if (m00 + m11 + m22 > 0) {
    q = {R.ey.z - R.ez.y, R.ez.x - R.ex.z, R.ex.y - R.ey.x, 1 + m00 + m11 + m22};
  } else if (m00 >= m11 && m00 >= m22) {
    q = {1 + m00 - m11 - m22, R.ex.y + R.ey.x, R.ez.x + R.ex.z, R.ey.z - R.ez.y};
  } else if (m11 >= m22) {
    q = {R.ex.y + R.ey.x, 1 + m11 - m00 - m22, R.ey.z + R.ez.y, R.ez.x - R.ex.z};
  } else {
    q = {R.ez.x + R.ex.z, R.ey.z + R.ez.y, 1 + m22 - m00 - m11, R.ex.y - R.ey.x};
  }
  Real n = 0;
  for (const Real v : q) n += v * v;
  for (Real& v : q) v /= std::sqrt(n);
  return q;
}

bool has_value(const JointSpec& joint) { return joint.mimic.empty() && num_values(joint.kind) > 0; }
bool has_one_value(JointKind kind) { return num_values(kind) == 1; }

// By joint: (index of its first value).
std::map<std::string, size_t> first_values(const RobotSpec& robot) {
  std::map<std::string, size_t> first;
  size_t next = 0;
  for (const JointSpec& j : robot.joints) {
    if (!has_value(j)) continue;
    first[j.name] = next;
    next += size_t(num_values(j.kind));
  }
  return first;
}

// Within `length` of the link's frame, along x, and thin.
PlacedSpec random_shape(double length, std::mt19937_64& rng) {
  const double r = uniform(rng, 0.03, 0.12) * length, l = uniform(rng, 0.1, 0.5) * length;
  const std::array<double, 3> at{uniform(rng, 0.35, 0.6) * length,
                                 uniform(rng, -0.05, 0.05) * length,
                                 uniform(rng, -0.05, 0.05) * length};
  const std::array<double, 3> along{uniform(rng, -3, 3), kPi / 2, uniform(rng, -0.2, 0.2)};
  switch (below(rng, 12)) {
    case 0:
    case 1:
    case 2:
      return sphere(r, at);
    case 3:
      return box({l, 2 * r, r}, at, {uniform(rng, -3, 3), 0.1, uniform(rng, -0.3, 0.3)});
    case 4:
      return cylinder(r, l, at, along);
    case 5:
      return cone(r, l, at, along);
    case 6:
      return mesh(chance(rng, 0.5) ? box_mesh({l, 2 * r, 2 * r}) : open_box_mesh({l, 2 * r, r}), at,
                  {uniform(rng, -3, 3), 0, 0.2});
    case 7:
      return mesh(tetrahedron_mesh(r), at, along);
    default:
      return capsule(r, l, at, along);
  }
}

RobotSpec random_robot(int n, const ChainWorldOptions& options, std::mt19937_64& rng) {
  constexpr double kLength = 0.3;
  RobotSpec robot;
  robot.name = "robot";
  int branching = options.serial ? 0 : std::array{0, 0, 0, 3, 1000}[size_t(below(rng, 5))];
  if (n > 100) branching = std::min(branching, 3);        // a bush of so many is one knot
  const bool plain = options.simple || chance(rng, 0.4);  // joints of one value
  const bool floats = !options.simple && chance(rng, 0.2);
  // Long chains that turn far are nothing but knots.
  const double reach = std::min(2.8, uniform(rng, 1.0, 12.0) / std::sqrt(double(n)));
  std::vector<int> children(size_t(n), 0);
  for (int i = 0; i < n; ++i) {
    LinkSpec link{"link" + std::to_string(i), {}, 0};
    JointSpec joint;
    bool zero_length = false;
    if (i > 0) {
      const int parent = branching == 0 ? i - 1 : std::max(0, i - 1 - below(rng, branching));
      joint.name = "joint" + std::to_string(i);
      joint.parent = "link" + std::to_string(parent);
      joint.child = link.name;
      zero_length = chance(rng, 0.12);
      joint.origin.xyz = {zero_length ? 0.0 : kLength, 0, 0};
      if (chance(rng, 0.6))
        joint.origin.rpy = {uniform(rng, -0.4, 0.4), uniform(rng, -0.2, 0.2),
                            uniform(rng, -0.2, 0.2)};
      if (children[size_t(parent)]++ > 0) {
        joint.origin.rpy = {uniform(rng, -3, 3), uniform(rng, -1.4, 1.4), uniform(rng, -1.4, 1.4)};
        joint.origin.xyz[1] = uniform(rng, -0.2, 0.2) * kLength;
      }
      const double pick = uniform(rng, 0, 1);
      joint.kind = i == 1 && floats        ? JointKind::kFloating
                   : pick < 0.6            ? JointKind::kRevolute
                   : pick < 0.8            ? JointKind::kContinuous
                   : pick < 0.92           ? JointKind::kPrismatic
                   : plain || pick < 0.96  ? JointKind::kFixed
                   : i == 1 || pick < 0.97 ? JointKind::kPlanar
                                           : JointKind::kBall;
      joint.axis = chance(rng, 0.3)   ? std::array{0.0, 0.0, 1.0}  // often as the joint before
                   : chance(rng, 0.5) ? std::array{0.0, 1.0, 0.0}
                                      : std::array{uniform(rng, -1, 1), uniform(rng, -1, 1), 1.0};
      if (joint.kind == JointKind::kRevolute) joint.lower = -reach, joint.upper = reach;
      if (joint.kind == JointKind::kPrismatic)
        joint.lower = -0.1 * kLength, joint.upper = 0.8 * kLength;
      if (has_one_value(joint.kind) && chance(rng, 0.12)) {
        const size_t source = size_t(below(rng, std::max(1, i - 1)));
        if (i > 1 && robot.joints[source].kind == joint.kind) {
          joint.mimic = robot.joints[source].name;
          joint.multiplier = std::array{1.0, -1.0, 0.5, -1.3}[size_t(below(rng, 4))];
          joint.offset = uniform(rng, -0.05, 0.05);
        }
      }
      robot.joints.push_back(joint);
    }
    const int shapes = zero_length || chance(rng, 0.1) ? 0
                       : chance(rng, 0.75)             ? 1
                                                       : 2 + below(rng, 2);
    for (int k = 0; k < shapes; ++k) link.collision.push_back(random_shape(kLength, rng));
    robot.links.push_back(std::move(link));
  }
  return robot;
}

// What touches at home is an artefact of making up robots, as in the SRDFs of real ones: allowed,
// by the robot or by the scene.
void allow_touching_at_home(ChainWorld& world, std::mt19937_64& rng) {
  const RobotSpec merged = world.merged();
  EdgeOracle oracle(merged, world.scene);
  oracle.set_motion(home(merged), home(merged));
  std::set<std::string> own;
  for (const LinkSpec& link : world.robots[0].links) own.insert(link.name);
  std::set<std::pair<std::string, std::string>> pairs;
  for (const int k : oracle.near_pairs(0, 1e-3L))
    pairs.insert(std::minmax(oracle.name(oracle.pairs()[size_t(k)].a),
                             oracle.name(oracle.pairs()[size_t(k)].b)));
  // But what one root carries of several robots may meet for good, and has to be found.
  const bool leave = world.robots.size() > 1 && chance(rng, 0.3);
  for (const auto& pair : pairs) {
    if (leave &&
        (pair.first.find('/') == std::string::npos) != (pair.second.find('/') == std::string::npos))
      continue;
    const bool by_robot = own.count(pair.first) != 0 && own.count(pair.second) != 0;
    (by_robot && chance(rng, 0.5) ? world.robots[0].disabled : world.scene.allowed).push_back(pair);
  }
}

void for_each_shape(ChainWorld& world, const std::function<void(PlacedSpec&)>& use) {
  for (RobotSpec& robot : world.robots)
    for (LinkSpec& link : robot.links)
      for (PlacedSpec& p : link.collision) use(p);
  for (auto& object : world.scene.objects)
    for (PlacedSpec& p : object.geometries) use(p);
  for (auto& attached : world.scene.attached)
    for (PlacedSpec& p : attached.object.geometries) use(p);
}

}  // namespace

RobotSpec ChainWorld::merged() const {
  RobotSpec all = robots[0];
  for (size_t k = 1; k < robots.size(); ++k) {
    const std::string prefix = "r" + std::to_string(k) + "/";
    JointSpec place;
    place.name = prefix + "place";
    place.parent = all.links[0].name;
    place.child = prefix + robots[k].links[0].name;
    place.origin = places[k - 1];
    all.joints.push_back(place);
    for (LinkSpec link : robots[k].links) {
      link.name = prefix + link.name;
      link.robot = static_cast<int>(k);
      all.links.push_back(std::move(link));
    }
    for (JointSpec joint : robots[k].joints) {
      for (std::string* name : {&joint.name, &joint.parent, &joint.child}) *name = prefix + *name;
      if (!joint.mimic.empty()) joint.mimic = prefix + joint.mimic;
      all.joints.push_back(std::move(joint));
    }
    for (const auto& [a, b] : robots[k].disabled) all.disabled.push_back({prefix + a, prefix + b});
  }
  return all;
}

ChainWorld random_chain_world(std::mt19937_64& rng, const ChainWorldOptions& options) {
  // Around powers of two; long ones seldom, because their oracle takes its time.
  constexpr std::array kSizes{1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  31,
                              32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 257, 300};
  int n = options.links;
  while (n == 0) {
    const int pick = kSizes[size_t(below(rng, int(kSizes.size())))];
    if (chance(rng, 1.0 / (1.0 + pick / 24.0))) n = pick;
  }
  ChainWorld world;
  world.robots.push_back(random_robot(n, options, rng));
  world.kind = "links " + std::string(n <= 9     ? "1-9"
                                      : n <= 33  ? "15-33"
                                      : n <= 100 ? "63-100"
                                                 : "127-");
  if (!options.simple && n <= 100 && chance(rng, 0.15)) {
    world.robots.push_back(random_robot(std::max(1, below(rng, n + 1)), options, rng));
    const double apart = chance(rng, 0.3) ? 0.05 : 1.0;
    world.places.push_back({{uniform(rng, -apart, apart), uniform(rng, -apart, apart), 0.3 * apart},
                            {uniform(rng, -3, 3), uniform(rng, -1, 1), 0.2}});
  }
  if (chance(rng, 0.7)) world.scene = random_scene(std::min(0.3 * n + 0.3, 4.0), rng);
  if (chance(rng, 0.15)) {
    SceneSpec::Attached attached{{"tool", {random_shape(0.3, rng)}},
                                 world.robots[0].links[size_t(below(rng, n))].name};
    world.scene.attached.push_back(std::move(attached));
  }
  allow_touching_at_home(world, rng);
  return world;
}

ChainWorld zero_length_world(int n) {
  ChainWorld world;
  world.kind = "zero length";
  RobotSpec& robot = world.robots.emplace_back();
  robot.name = "hub";
  const double step = 2 * kPi / (n + 1);
  for (int i = 0; i < n; ++i) {
    robot.links.push_back({"link" + std::to_string(i), {sphere(0.25 * step, {1, 0, 0})}, 0});
    if (i == 0) continue;
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::kRevolute;
    joint.parent = "link" + std::to_string(i - 1);
    joint.child = robot.links.back().name;
    joint.origin.rpy = {0, 0, step};
    joint.axis = i % 7 == 0 ? std::array{1.0, 0.2, 0.0} : std::array{0.0, 0.0, 1.0};
    joint.lower = -step;
    joint.upper = step;
    robot.joints.push_back(joint);
  }
  return world;
}

std::vector<double> home(const RobotSpec& robot) {
  std::vector<double> q;
  for (const JointSpec& j : robot.joints) {
    if (!has_value(j)) continue;
    const size_t n = size_t(num_values(j.kind));
    q.resize(q.size() + n, 0.0);
    if (n >= 4) q.back() = 1.0;
    if (n == 1) q.back() = std::clamp(0.0, j.lower, j.upper);
  }
  return q;
}

std::vector<double> blend(const RobotSpec& robot, const std::vector<double>& a,
                          const std::vector<double>& b, double share) {
  std::vector<double> q = a;
  size_t i = 0;
  for (const JointSpec& j : robot.joints) {
    if (!has_value(j)) continue;
    const size_t n = size_t(num_values(j.kind));
    for (size_t k = i; k < i + n; ++k) q[k] = a[k] == b[k] ? a[k] : a[k] + share * (b[k] - a[k]);
    if (n >= 4) {
      double length = 0;
      for (size_t k = i + n - 4; k < i + n; ++k) length += q[k] * q[k];
      // Halfway between opposite rotations there is none.
      for (size_t k = i + n - 4; k < i + n; ++k)
        q[k] = length > 1e-2 ? q[k] / std::sqrt(length) : b[k];
    }
    i += n;
  }
  return q;
}

std::vector<double> change_some(const RobotSpec& robot, const std::vector<double>& from,
                                const std::vector<double>& to, int count, std::mt19937_64& rng) {
  std::vector<std::pair<size_t, size_t>> joints;
  size_t i = 0;
  for (const JointSpec& j : robot.joints) {
    if (!has_value(j)) continue;
    joints.emplace_back(i, size_t(num_values(j.kind)));
    i += joints.back().second;
  }
  std::vector<double> q = from;
  for (int c = 0; c < count && !joints.empty(); ++c) {
    const auto [first, n] = joints[size_t(below(rng, int(joints.size())))];
    std::copy_n(to.begin() + long(first), n, q.begin() + long(first));
  }
  return q;
}

const char* name_of(Relation relation) {
  constexpr std::array kNames{"rigid motion",  "mirrored chain", "split link", "permuted children",
                              "far obstacles", "shrunk",         "scaled"};
  return kNames[size_t(relation)];
}

RelatedWorld::RelatedWorld(const ChainWorld& world, Relation relation, std::mt19937_64& rng)
    : relation_(relation), before_(world.merged()), related_(world) {
  switch (relation) {
    case Relation::kRigidMotion:
      move_rigidly(rng);
      break;
    case Relation::kMirroredChain:
      mirror();
      break;
    case Relation::kSplitLink:
      split(rng);
      break;
    case Relation::kPermutedChildren:
      permute(rng);
      break;
    case Relation::kFarObstacles:
      add_far_obstacles(rng);
      break;
    case Relation::kShrunk:
      shrink();
      break;
    case Relation::kScaled:
      scale(rng);
      break;
  }
  after_ = related_.merged();
}

std::vector<double> RelatedWorld::state(const std::vector<double>& q,
                                        const std::vector<Pose3>& X_WL) const {
  const auto from = first_values(before_);
  std::vector<double> out;
  for (const JointSpec& j : after_.joints) {
    if (!has_value(j)) continue;
    const auto found = from.find(j.name);
    if (found == from.end()) {  // the joint by which a mirrored chain floats
      const Pose3& X = X_WL[size_t(tip_)];
      for (const Real v : {X.p.x, X.p.y, X.p.z}) out.push_back(double(v));
      for (const Real v : quaternion_of(X.R)) out.push_back(double(v));
      continue;
    }
    // How many of the values, from the first, are lengths.
    const int lengths = j.kind == JointKind::kPrismatic  ? 1
                        : j.kind == JointKind::kPlanar   ? 2
                        : j.kind == JointKind::kFloating ? 3
                                                         : 0;
    for (int k = 0; k < num_values(j.kind); ++k)
      out.push_back(q[found->second + size_t(k)] * (k < lengths ? scale_ : 1.0));
  }
  return out;
}

void RelatedWorld::move_rigidly(std::mt19937_64& rng) {
  const PoseSpec moved{{uniform(rng, -3, 3), uniform(rng, -3, 3), uniform(rng, -3, 3)},
                       {uniform(rng, -3, 3), uniform(rng, -1.5, 1.5), uniform(rng, -3, 3)}};
  const Pose3 X = pose_of(moved);
  const auto move = [&](PoseSpec& pose) { pose = spec_of(X * pose_of(pose)); };
  for (PoseSpec& place : related_.places) move(place);
  for (auto& object : related_.scene.objects)
    for (PlacedSpec& p : object.geometries) move(p.pose);
  RobotSpec& robot = related_.robots[0];
  JointSpec stand;
  stand.name = "stand_joint";
  stand.parent = "stand";
  stand.child = robot.links[0].name;
  stand.origin = moved;
  robot.links.insert(robot.links.begin(), LinkSpec{"stand", {}, 0});
  robot.joints.insert(robot.joints.begin(), stand);
}

// Link i's frame becomes the one in which the next joint turns; that of the tip stays.
void RelatedWorld::mirror() {
  if (related_.robots.size() != 1) throw std::invalid_argument("several robots");
  const RobotSpec robot = related_.robots[0];
  const size_t n = robot.links.size();
  for (size_t i = 1; i < n; ++i) {
    const JointSpec& joint = robot.joints[i - 1];
    if (joint.parent != robot.links[i - 1].name || joint.child != robot.links[i].name ||
        (joint.kind != JointKind::kFixed && !has_one_value(joint.kind)))
      throw std::invalid_argument("not a chain of joints of one value");
  }
  RobotSpec& out = related_.robots[0];
  out.links.clear();
  out.joints.clear();
  tip_ = static_cast<int>(n) - 1;
  out.links.push_back({"nowhere", {}, 0});
  JointSpec base;
  base.name = "mirror_base";
  base.kind = JointKind::kFloating;
  base.parent = "nowhere";
  base.child = robot.links[n - 1].name;
  out.joints.push_back(base);
  std::map<std::string, Pose3> X_ML;  // new frame <- old
  for (size_t i = n; i-- > 0;) {
    X_ML[robot.links[i].name] = i + 1 < n ? inverse(pose_of(robot.joints[i].origin)) : Pose3{};
    out.links.push_back(robot.links[i]);
    for (PlacedSpec& p : out.links.back().collision)
      p.pose = spec_of(X_ML[robot.links[i].name] * pose_of(p.pose));
    if (i == 0) break;
    JointSpec joint = robot.joints[i - 1];
    std::swap(joint.parent, joint.child);
    joint.origin = spec_of(X_ML[robot.links[i].name]);
    for (double& a : joint.axis) a = -a;
    out.joints.push_back(joint);
  }
  for (auto& attached : related_.scene.attached)
    for (PlacedSpec& p : attached.object.geometries)
      p.pose = spec_of(X_ML[attached.link] * pose_of(p.pose));
}

void RelatedWorld::split(std::mt19937_64& rng) {
  RobotSpec& robot = related_.robots[0];
  std::vector<size_t> several;
  for (size_t i = 0; i < robot.links.size(); ++i)
    if (robot.links[i].collision.size() >= 2) several.push_back(i);
  if (several.empty()) throw std::invalid_argument("no link with two shapes");
  const size_t at = several[size_t(below(rng, int(several.size())))];
  const std::string old = robot.links[at].name, part = old + "_part";
  const PoseSpec offset{{uniform(rng, -1, 1), 0.3, -0.2}, {0.3, uniform(rng, -1, 1), 2}};
  LinkSpec link{part, {robot.links[at].collision.back()}, 0};
  robot.links[at].collision.pop_back();
  link.collision[0].pose = spec_of(inverse(pose_of(offset)) * pose_of(link.collision[0].pose));
  JointSpec joint;
  joint.name = part + "_joint";
  joint.parent = old;
  joint.child = part;
  joint.origin = offset;
  // What was excepted for the whole link stays so for the part.
  for (const JointSpec& j : robot.joints) {
    if (j.parent == old) robot.disabled.push_back({part, j.child});
    if (j.child == old) robot.disabled.push_back({part, j.parent});
  }
  const auto copy = [&](std::vector<std::pair<std::string, std::string>>& pairs) {
    const auto before = pairs;
    for (const auto& [a, b] : before) {
      if (a == old) pairs.push_back({part, b});
      if (b == old) pairs.push_back({a, part});
    }
  };
  copy(robot.disabled);
  copy(related_.scene.allowed);
  robot.links.push_back(std::move(link));
  robot.joints.push_back(joint);
}

void RelatedWorld::permute(std::mt19937_64& rng) {
  for (RobotSpec& robot : related_.robots) {
    std::shuffle(robot.links.begin() + 1, robot.links.end(), rng);
    for (LinkSpec& link : robot.links)
      std::shuffle(link.collision.begin(), link.collision.end(), rng);
    // Parents first, otherwise in any order.
    std::vector<JointSpec> open, ordered;
    std::vector<JointSpec> left = robot.joints;
    std::set<std::string> placed{robot.links[0].name};
    while (!left.empty()) {
      std::vector<size_t> ready;
      for (size_t i = 0; i < left.size(); ++i)
        if (placed.count(left[i].parent) != 0) ready.push_back(i);
      const size_t i = ready[size_t(below(rng, int(ready.size())))];
      placed.insert(left[i].child);
      ordered.push_back(left[i]);
      left.erase(left.begin() + long(i));
    }
    robot.joints = ordered;
  }
  std::shuffle(related_.scene.objects.begin(), related_.scene.objects.end(), rng);
}

void RelatedWorld::add_far_obstacles(std::mt19937_64& rng) {
  for (int i = 0; i < 20; ++i) {
    PlacedSpec p = random_shape(uniform(rng, 0.1, 50), rng);
    const double far = std::pow(10.0, uniform(rng, 2.7, 6));
    p.pose.xyz[size_t(below(rng, 3))] = chance(rng, 0.5) ? far : -far;
    related_.scene.objects.push_back({"far" + std::to_string(i), {p}});
  }
}

// Each solid within the old one.
void RelatedWorld::shrink() {
  for_each_shape(related_, [](PlacedSpec& p) {
    using Kind = ShapeSpec::Kind;
    const Kind kind = p.shape.kind;
    if (kind == Kind::kMesh || kind == Kind::kHalfSpace) return;
    for (int k = 0; k < (kind == Kind::kBox ? 3 : 1); ++k) p.shape.size[size_t(k)] *= 0.875;
  });
}

void RelatedWorld::scale(std::mt19937_64& rng) {
  scale_ = std::ldexp(1.0, std::array{-10, -4, -1, 1, 3, 10}[size_t(below(rng, 6))]);
  const auto times = [this](std::array<double, 3>& a) {
    for (double& v : a) v *= scale_;
  };
  for_each_shape(related_, [&](PlacedSpec& p) {
    times(p.pose.xyz);
    if (p.shape.kind != ShapeSpec::Kind::kHalfSpace) times(p.shape.size);
    p.shape.offset *= scale_;
    for (auto& v : p.shape.vertices) times(v);
  });
  for (PoseSpec& place : related_.places) times(place.xyz);
  for (RobotSpec& robot : related_.robots) {
    for (JointSpec& joint : robot.joints) {
      times(joint.origin.xyz);
      if (joint.kind != JointKind::kPrismatic) continue;
      joint.lower *= scale_;
      joint.upper *= scale_;
      joint.offset *= scale_;
    }
  }
}

}  // namespace catena::oracle
