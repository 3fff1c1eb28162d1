#include "catena/model/scene.hpp"

#include <set>
#include <stdexcept>

namespace catena {
namespace {

void add_values(std::map<std::string, double>& into, const std::map<std::string, double>& from,
                const std::string& what) {
  for (const auto& [link, value] : from) {
    const auto [place, inserted] = into.emplace(link, value);
    if (!inserted && place->second != value)
      throw std::invalid_argument("scene: two scenes give different " + what + " for link \"" +
                                  link + "\"; keep one of them");
  }
}

}  // namespace

void Scene::add(const Scene& other) {
  std::set<std::string> names;
  for (const SceneObject& object : objects) names.insert(object.name);
  for (const AttachedObject& object : attached) names.insert(object.object.name);
  const auto require_new = [&](const std::string& added) {
    if (!names.insert(added).second)
      throw std::invalid_argument("scene: object \"" + added +
                                  "\" is in two scenes; rename one of them");
  };
  // All checks come first, so that a refused scene leaves this one as it was.
  for (const SceneObject& object : other.objects) require_new(object.name);
  for (const AttachedObject& object : other.attached) require_new(object.object.name);
  std::map<std::string, double> padding = link_padding, scale = link_scale;
  add_values(padding, other.link_padding, "padding");
  add_values(scale, other.link_scale, "scale");
  std::map<std::string, std::vector<double>> state = robot_state;
  for (const auto& [joint, values] : other.robot_state) {
    const auto [place, inserted] = state.emplace(joint, values);
    if (!inserted && place->second != values)
      throw std::invalid_argument("scene: two scenes give different values for joint \"" + joint +
                                  "\"; keep one of them");
  }

  if (name.empty()) name = other.name;
  objects.insert(objects.end(), other.objects.begin(), other.objects.end());
  attached.insert(attached.end(), other.attached.begin(), other.attached.end());
  allowed.add(other.allowed);
  link_padding = std::move(padding);
  link_scale = std::move(scale);
  robot_state = std::move(state);
  warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
  assumed_frames.insert(other.assumed_frames.begin(), other.assumed_frames.end());
}

}  // namespace catena
