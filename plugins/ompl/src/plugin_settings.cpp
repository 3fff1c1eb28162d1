#include "plugin_settings.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>

#include <yaml-cpp/yaml.h>

#include "catena/io/input_error.hpp"

namespace catena::ompl {

namespace {

using io::InputError;

/// One settings file, to say where in it something is wrong.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  [[noreturn]] void fail(const YAML::Node& at, const std::string& element,
                         const std::string& problem, const std::string& remedy) const {
    throw InputError(path_, at.Mark().line + 1, element, problem, remedy);
  }

  std::string text(const YAML::Node& node, const std::string& element) const {
    if (!node.IsScalar() || node.Scalar().empty()) {
      fail(node, element, "is no text", "give one value");
    }
    return node.Scalar();
  }

  std::string file(const YAML::Node& node, const std::string& element) const {
    const std::filesystem::path given = text(node, element);
    if (given.is_absolute()) return given.string();
    return (std::filesystem::path(path_).parent_path() / given).string();
  }

  double number(const YAML::Node& node, const std::string& element) const {
    double value = 0.0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
      fail(node, element, "is no finite number", "write it as 0.005");
    }
    return value;
  }

  double number_from_zero(const YAML::Node& node, const std::string& element) const {
    const double value = number(node, element);
    if (value < 0.0) fail(node, element, node.Scalar() + " is negative", "give a number >= 0");
    return value;
  }

  std::uint64_t count(const YAML::Node& node, const std::string& element) const {
    const double value = number_from_zero(node, element);
    if (value != std::floor(value) || value > 9e15) {
      fail(node, element, node.Scalar() + " is no count", "give a whole number, 0 for no limit");
    }
    return static_cast<std::uint64_t>(value);
  }

  /// One number or a list of numbers.
  std::vector<double> numbers(const YAML::Node& node, const std::string& element) const {
    if (!node.IsSequence()) return {number(node, element)};
    std::vector<double> values;
    for (size_t i = 0; i < node.size(); ++i) {
      values.push_back(number(node[i], element + "[" + std::to_string(i) + "]"));
    }
    return values;
  }

  /// Calls `use` with key, value and the value's full name for each entry of a map.
  void for_each(const YAML::Node& map, const std::string& element,
                const std::function<void(const std::string&, const YAML::Node&,
                                         const std::string&)>& use) const {
    if (!map.IsMap()) fail(map, element, "is no map", "write lines of the form KEY: VALUE");
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = text(entry.first, element + " key");
      const std::string name = element.empty() ? key : element + "." + key;
      if (!seen.insert(key).second) fail(entry.first, name, "is given twice", "keep one of them");
      use(key, entry.second, name);
    }
  }

 private:
  std::string path_;
};

void read_key(const Reader& reader, const std::string& key, const YAML::Node& value,
              PluginSettings& settings) {
  if (key == "robot") {
    settings.robot = reader.file(value, key);
  } else if (key == "srdf") {
    settings.urdf.srdf = reader.file(value, key);
  } else if (key == "scene") {
    if (value.IsSequence()) {
      for (size_t i = 0; i < value.size(); ++i) {
        settings.scenes.push_back(reader.file(value[i], key + "[" + std::to_string(i) + "]"));
      }
    } else {
      settings.scenes.push_back(reader.file(value, key));
    }
  } else if (key == "group") {
    settings.setup.group = reader.text(value, key);
  } else if (key == "clearance_m") {
    settings.setup.clearance = reader.number_from_zero(value, key);
  } else if (key == "tolerance_m") {
    settings.setup.tolerance = reader.number_from_zero(value, key);
  } else if (key == "budget") {
    settings.setup.budget = reader.count(value, key);
  } else if (key == "packages") {
    reader.for_each(value, key, [&](const auto& package, const auto& folder, const auto& name) {
      settings.urdf.packages[package] = reader.file(folder, name);
    });
  } else if (key == "others") {
    reader.for_each(value, key, [&](const auto& joint, const auto& values, const auto& name) {
      settings.setup.others[joint] = reader.numbers(values, name);
    });
  } else if (key == "bounds") {
    reader.for_each(value, key, [&](const auto& joint, const auto& range, const auto& name) {
      JointBounds bounds;
      reader.for_each(range, name, [&](const auto& side, const auto& values, const auto& part) {
        if (side != "low" && side != "high") {
          reader.fail(values, part, "is no known key", "use low and high");
        }
        (side == "low" ? bounds.low : bounds.high) = reader.numbers(values, part);
      });
      if (bounds.low.empty() || bounds.high.empty()) {
        reader.fail(range, name, "lacks low or high", "give both");
      }
      settings.setup.bounds[joint] = bounds;
    });
  } else {
    reader.fail(value, key, "is no known key",
                "use robot, srdf, scene, group, clearance_m, tolerance_m, budget, packages, others "
                "or bounds");
  }
}

}  // namespace

PluginSettings load_plugin_settings(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::LoadFile(path);
  } catch (const YAML::BadFile&) {
    throw InputError(path, 0, "settings", "the file cannot be read",
                     "check the path and the permissions");
  } catch (const YAML::Exception& error) {
    throw InputError(path, error.mark.line + 1, "settings", error.msg, "correct the YAML");
  }
  const Reader reader(path);
  PluginSettings settings;
  if (!root.IsMap()) {
    throw InputError(path, 1, "settings", "no map of settings", "write at least: robot: FILE.urdf");
  }
  reader.for_each(root, "", [&](const auto& key, const auto& value, const auto&) {
    read_key(reader, key, value, settings);
  });
  if (settings.robot.empty()) {
    throw InputError(path, 1, "robot", "is missing", "add a line: robot: FILE.urdf");
  }
  return settings;
}

}  // namespace catena::ompl
