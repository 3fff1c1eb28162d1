#include "catena/io/query_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/io/input_error.hpp"
#include "catena/math/rounding.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

// Paths in a file are relative to it; what is absolute stays.
std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return (folder / path).lexically_normal().string();
}

std::optional<double> non_number(const Element& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value.is(Value::Kind::kString)) return std::nullopt;
  const std::string& text = value.string();
  if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "+inf" || text == "Infinity") return kInfinity;
  if (text == "-inf" || text == "-Infinity") return -kInfinity;
  return std::nullopt;
}

std::vector<double> read_state(const Element& state) {
  state.require_array();
  std::vector<double> values;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::optional<double> odd = non_number(state[i]);
    values.push_back(odd ? *odd : state[i].number());
  }
  return values;
}

// A state that an item uses must be there and hold numbers only.
const std::string& used_state(const Element& name, const QueryFile& query, const Element& root) {
  const std::string& state = name.string();
  const auto found = query.states.find(state);
  if (found == query.states.end()) {
    std::string known;
    for (const auto& [key, values] : query.states) {
      if (known.size() > 200) {
        known += ", ...";
        break;
      }
      known += (known.empty() ? "" : ", ") + key;
    }
    name.fail("there is no state \"" + state + "\" in \"states\"",
              known.empty() ? "add it" : "known are " + known);
  }
  for (std::size_t i = 0; i < found->second.size(); ++i) {
    if (std::isfinite(found->second[i])) continue;
    const Element value = (*root.at("states").find(state))[i];
    throw InputError(query.path, value.line(), value.name(),
                     show(found->second[i]) + " is not a finite number, and " + name.name() +
                         " uses state \"" + state + "\"",
                     "give a finite number");
  }
  return state;
}

std::string optional_path(const Element& item, const char* key, const std::string& file) {
  const std::optional<Element> path = item.find(key);
  if (!path) return "";
  if (path->string().empty()) path->fail("an empty path", "name a file or leave the key out");
  return beside(file, path->string());
}

void check_units(const Element& root) {
  const std::optional<Element> units = root.find("units");
  if (!units || !units->is(Value::Kind::kObject)) return;
  const auto expect = [&](const char* what, const char* unit) {
    const std::optional<Element> given = units->find(what);
    if (given && given->is(Value::Kind::kString) && given->string() != unit) {
      given->fail("\"" + given->string() + "\" is not supported",
                  std::string("convert the file to \"") + unit + "\"");
    }
  };
  expect("length", "m");
  expect("angle", "rad");
}

// Insertions, removals and changes of a character that lead from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t changed = diagonal + (a[i - 1] != b[k - 1]);
      diagonal = std::exchange(row[k], std::min({row[k] + 1, row[k - 1] + 1, changed}));
    }
  }
  return row.back();
}

// Unknown keys mean nothing by the format, but one may be a known one with a slip of the pen.
void warn_unknown_keys(const Element& root, std::vector<std::string>& warnings) {
  constexpr std::string_view kKnown[] = {"joint_order", "package_map", "states", "others",  "check",
                                         "edges",       "units",       "note",   "comment", "name"};
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::string& key = root.value().keys[i];
    if (std::find(std::begin(kKnown), std::end(kKnown), key) != std::end(kKnown)) continue;
    const std::string shown = key.substr(0, 40);
    const std::string_view* const nearest =
        std::min_element(std::begin(kKnown), std::end(kKnown), [&](const auto& a, const auto& b) {
          return edit_distance(shown, a) < edit_distance(shown, b);
        });
    const bool close = edit_distance(shown, *nearest) <= (nearest->size() + 2) / 4;
    warnings.push_back(root[i].note("an unknown key, ignored") +
                       (close ? "; is \"" + std::string(*nearest) + "\" meant?" : ""));
  }
}

}  // namespace

QueryFile load_query(const std::string& path) {
  const Value document = parse_json(read_text_file(path), path);
  const Element root(document, path, "");
  root.require_object();
  check_units(root);

  QueryFile query;
  query.path = path;
  warn_unknown_keys(root, query.warnings);
  const Element order = root.at("joint_order").require_array();
  std::set<std::string> joints;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& joint = order[i].string();
    if (joint.empty()) order[i].fail("an empty joint name", "give the joint's name");
    if (!joints.insert(joint).second) {
      order[i].fail("joint \"" + joint + "\" is given twice", "keep one of them");
    }
    query.joint_order.push_back(joint);
  }

  if (const auto packages = root.find("package_map")) {
    packages->require_object();
    for (std::size_t i = 0; i < packages->size(); ++i) {
      query.packages[packages->value().keys[i]] = beside(path, (*packages)[i].string());
    }
  }
  if (const auto others = root.find("others")) {
    others->require_object();
    for (std::size_t i = 0; i < others->size(); ++i) {
      const std::string& joint = others->value().keys[i];
      if (joints.count(joint) > 0) {
        (*others)[i].fail("joint \"" + joint + "\" is in joint_order as well", "keep one of them");
      }
      query.others[joint] = (*others)[i].number();
    }
  }
  if (const auto states = root.find("states")) {
    states->require_object();
    for (std::size_t i = 0; i < states->size(); ++i) {
      query.states[states->value().keys[i]] = read_state((*states)[i]);
    }
  }

  if (const auto check = root.find("check")) {
    check->require_array();
    for (std::size_t i = 0; i < check->size(); ++i) {
      const Element item = (*check)[i];
      if (item.is(Value::Kind::kString)) {
        query.check.push_back({used_state(item, query, root), "", ""});
        continue;
      }
      item.allow_only({"state", "scene", "robot", "note"});
      query.check.push_back({used_state(item.at("state"), query, root),
                             optional_path(item, "scene", path),
                             optional_path(item, "robot", path)});
    }
  }
  if (const auto edges = root.find("edges")) {
    edges->require_array();
    std::set<std::string> ids;
    for (std::size_t i = 0; i < edges->size(); ++i) {
      const Element item = (*edges)[i];
      item.allow_only({"id", "from", "to", "scene", "robot", "note"});
      QueryFile::Edge edge;
      edge.id = item.at("id").string();
      if (!ids.insert(edge.id).second) {
        item.at("id").fail("edge \"" + edge.id + "\" is given twice", "give each edge its own id");
      }
      edge.from = used_state(item.at("from"), query, root);
      edge.to = used_state(item.at("to"), query, root);
      edge.scene = optional_path(item, "scene", path);
      edge.robot = optional_path(item, "robot", path);
      query.edges.push_back(edge);
    }
  }
  return query;
}

}  // namespace catena::io
