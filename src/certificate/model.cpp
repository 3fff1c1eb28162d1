#include "model.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>

#include "refusal.hpp"

namespace catena::certificate {

int num_values(JointKind kind) noexcept {
  switch (kind) {
    case JointKind::kFixed:
      return 0;
    case JointKind::kPlanar:
      return 3;
    case JointKind::kFloating:
      return 7;
    case JointKind::kBall:
      return 4;
    default:
      return 1;
  }
}

bool Model::checks(int a, int b) const noexcept {
  if (a == b) return false;
  const Body& body_a = bodies[static_cast<std::size_t>(a)];
  const Body& body_b = bodies[static_cast<std::size_t>(b)];
  if (body_a.of_scene && body_b.of_scene) return false;
  if (!body_a.of_scene && !body_b.of_scene && body_a.piece == body_b.piece) return false;
  const auto low = static_cast<std::uint64_t>(std::min(a, b));
  const auto high = static_cast<std::uint64_t>(std::max(a, b));
  return unchecked.count(low << 32 | high) == 0;
}

int Model::find_link(const std::string& name) const noexcept {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].name == name) return static_cast<int>(i);
  return -1;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Refusal(path + ": cannot be opened");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

double parse_double(std::string_view text, const std::string& what) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n' ||
                           text.front() == '\r'))
    text.remove_prefix(1);
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\t' || text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // What is too small for a double is nearest to 0, or to the least one; those are not used.
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw Refusal(what + ": \"" + std::string(text.substr(0, 40)) + "\" is not a number");
  return value;
}

double check_size(double value, const std::string& what) {
  if (!(value >= 0.0 && value <= 1e50)) throw Refusal(what + ": a size is negative or above 1e50");
  return value;
}

Pose pose_of_quaternion(const std::array<double, 3>& xyz, const std::array<double, 4>& xyzw,
                        const std::string& what) {
  double size = 0.0;
  for (const double c : xyzw) size = std::fmax(size, std::abs(c));
  if (!(size > 1e-6 && size < 1e6)) throw Refusal(what + ": its quaternion has no direction");
  std::array<Real, 4> q;
  Real squared;
  for (std::size_t i = 0; i < 4; ++i) {
    q[i] = xyzw[i];
    squared += q[i] * q[i];
  }
  const Real scale = Real(1.0) / sqrt(squared);
  for (Real& c : q) c *= scale;
  return {rotation_of(q), {xyz[0], xyz[1], xyz[2]}};
}

Model read_model(const Inputs& inputs) {
  Model model;
  Link world;
  world.name = "world";
  model.links.push_back(world);
  read_robot(inputs.robot, inputs.srdf, "", {}, inputs, model);
  for (const Inputs::Companion& other : inputs.companions) {
    const auto& c = other.pose;
    for (const double number : c)
      if (!(std::abs(number) <= 1e50))
        throw Refusal("robot \"" + other.name + "\": its place is not a number");
    const bool turned = c[3] != 0.0 || c[4] != 0.0 || c[5] != 0.0;
    read_robot(other.robot, "", other.name + "/",
               {turned ? roll_pitch_yaw(c[3], c[4], c[5]) : Rotation{}, {c[0], c[1], c[2]}}, inputs,
               model);
  }
  std::set<std::string> names;
  for (const Body& body : model.bodies)
    if (!names.insert(body.name).second)
      throw Refusal("two links are called \"" + body.name + "\"");
  const std::size_t first_object = model.bodies.size();
  for (const std::string& scene : inputs.scenes) read_scene(scene, inputs, model);
  std::set<std::string> objects;
  for (std::size_t i = first_object; i < model.bodies.size(); ++i) {
    std::string& name = model.bodies[i].name;
    if (!objects.insert(name).second)
      throw Refusal("two scene objects are called \"" + name + "\"");
    if (names.count(name) != 0) name = "scene::" + name;
  }
  return model;
}

}  // namespace catena::certificate
