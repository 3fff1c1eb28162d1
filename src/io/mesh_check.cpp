#include "io/mesh_check.hpp"

#include <tinyxml2.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& element,
                       const std::string& problem, const std::string& remedy) {
  throw InputError(path, 0, element, problem, remedy);
}

// Calls use(line, number) for every line, without its end.
template <class Use>
void for_each_line(std::string_view text, Use use) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = text.substr(0, end);
    ++number;
    if (!use(line, number)) return;
    if (end == std::string_view::npos) return;
    const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    text.remove_prefix(end + (pair ? 2 : 1));
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

FacePromise check_stl(const std::string& path, const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  const std::uint64_t needed = 84 + 50ULL * count;
  if (bytes.size() >= 84 && bytes.size() == needed) return {count, 0};
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || bytes.compare(start, 5, "solid") != 0) {
    if (bytes.size() < 84) {
      fail(path, "", "neither an ASCII STL (no \"solid\") nor a binary one (under 84 bytes)",
           "export the mesh again");
    }
    fail(path, "header",
         std::to_string(count) + " triangles need " + std::to_string(needed) +
             " bytes, but the file has " + std::to_string(bytes.size()),
         "export the mesh again; it may have been cut short");
  }
  std::size_t facets = 0;
  for_each_line(bytes, [&](std::string_view line, int) {
    const std::vector<std::string_view> words = words_of(line);
    if (!words.empty() && words[0] == "facet") ++facets;
    return true;
  });
  return {facets, 0};
}

FacePromise check_obj(const std::string& path, const std::string& text) {
  std::size_t faces = 0;
  bool continued = false;
  for_each_line(text, [&](std::string_view line, int number) {
    const std::vector<std::string_view> words = words_of(line);
    if (!continued && !words.empty() && words[0] == "f") {
      if (words.back().back() != '\\' && words.size() < 4) {
        throw InputError(path, number, "f", "a face with fewer than three corners",
                         "give at least three");
      }
      ++faces;
    }
    continued = !words.empty() && words.back().back() == '\\';
    return true;
  });
  return {faces, 0};
}

// The library moves an index that is out of range to the last vertex, and reads past the end of a
// face that is too long: so every line is checked here.
FacePromise check_off(const std::string& path, const std::string& text) {
  std::size_t vertices = 0, faces = 0, seen = 0;
  int counts_line = 0;
  bool named = false;
  for_each_line(text, [&](std::string_view line, int number) {
    const auto refuse = [&](const char* problem, const char* remedy) {
      throw InputError(path, number, "", problem, remedy);
    };
    const auto integer = [&](std::string_view word) {
      const std::optional<double> n = read_decimal(word);
      if (!n || *n < 0 || *n > 2e9 || *n != std::floor(*n)) {
        refuse("not an integer >= 0", "correct the line");
      }
      return static_cast<std::size_t>(*n);
    };
    std::vector<std::string_view> words = words_of(line.substr(0, line.find('#')));
    if (!named && !words.empty()) {
      if (!words[0].ends_with("OFF")) refuse("no \"OFF\" at the start", "export the mesh again");
      if (words.size() > 1 && words[1] == "BINARY") {
        refuse("the binary form of OFF is not supported", "export it as text");
      }
      named = true;
      words.erase(words.begin());
    }
    if (words.empty()) return true;
    if (counts_line == 0) {
      if (words.size() < 2) refuse("no counts of vertices and faces", "export the mesh again");
      vertices = integer(words[0]);
      faces = integer(words[1]);
      counts_line = number;
    } else if (seen < vertices) {
      if (words.size() < 3) refuse("a vertex with fewer than three coordinates", "add the others");
      ++seen;
    } else if (seen - vertices < faces) {
      const std::size_t corners = integer(words[0]);
      if (corners < 3) refuse("a face with fewer than three corners", "give at least three");
      if (words.size() <= corners) refuse("a face that ends early", "complete the line");
      for (std::size_t k = 1; k <= corners; ++k) {
        if (integer(words[k]) >= vertices) {
          refuse("a face names a vertex that is not there", "correct the index");
        }
      }
      ++seen;
    }
    return true;
  });
  if (counts_line == 0) fail(path, "", "no counts of vertices and faces", "export the mesh again");
  if (seen < vertices + faces) {
    throw InputError(path, counts_line, "",
                     std::to_string(vertices) + " vertices and " + std::to_string(faces) +
                         " faces are announced, but the file ends after " + std::to_string(seen) +
                         " lines of them",
                     "export the mesh again");
  }
  return {faces, counts_line};
}

namespace {

using Node = tinyxml2::XMLElement;

[[noreturn]] void refuse(const std::string& path, const Node& node, const std::string& problem,
                         const std::string& remedy) {
  throw InputError(path, node.GetLineNum(), "<" + std::string(node.Name()) + ">", problem, remedy);
}

// A list of numbers as XML writes it; returns how many there are.
std::size_t count_numbers(const std::string& path, const Node& node, bool integers) {
  std::size_t count = 0;
  const char* text = node.GetText();
  for_each_line(text != nullptr ? text : "", [&](std::string_view line, int) {
    for (const std::string_view word : words_of(line)) {
      ++count;
      const bool not_finite = word == "NaN" || word == "INF" || word == "-INF" || word == "nan" ||
                              word == "inf" || word == "-inf";
      const std::optional<double> x = read_decimal(word);
      const bool index = x && *x >= 0 && *x < 4e9 && *x == std::floor(*x);
      if (integers ? !index : !(x || not_finite)) {
        refuse(path, node,
               '"' + std::string(word.substr(0, 40)) + "\" is not " +
                   (integers ? "an index" : "a number"),
               "correct it");
      }
    }
    return true;
  });
  return count;
}

double attribute(const std::string& path, const Node& node, const char* name, double otherwise) {
  const char* text = node.Attribute(name);
  if (text == nullptr) return otherwise;
  const std::optional<double> x = read_decimal(text);
  if (!x || *x < 0 || *x > 4e9 || *x != std::floor(*x)) {
    refuse(path, node, std::string(name) + "=\"" + text + "\" is not a count", "correct it");
  }
  return *x;
}

bool is(const Node& node, const char* name) { return std::strcmp(node.Name(), name) == 0; }

}  // namespace

double check_collada(const std::string& path, const std::string& text) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw InputError(path, document.ErrorLineNum(), "", document.ErrorName(),
                     "correct the XML there");
  }
  if (document.RootElement() == nullptr || !is(*document.RootElement(), "COLLADA")) {
    fail(path, "", "the root element is not <COLLADA>", "give a COLLADA file");
  }
  std::map<std::string, std::size_t> arrays;  // numbers of each float_array, by its id
  std::set<std::string> ids;                  // of geometries, controllers and nodes
  std::vector<const Node*> accessors, instances;
  std::vector<const Node*> open{document.RootElement()};
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    for (const Node* child = node.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      open.push_back(child);
    }
    const char* id = node.Attribute("id");
    if (is(node, "p") || is(node, "vcount")) {
      count_numbers(path, node, true);
    } else if (is(node, "float_array")) {
      const std::size_t count = count_numbers(path, node, false);
      if (attribute(path, node, "count", -1.0) != static_cast<double>(count)) {
        refuse(path, node, "it holds " + std::to_string(count) + " numbers, not its count",
               "correct the count");
      }
      if (id != nullptr) arrays[id] = count;
    } else if (is(node, "accessor")) {
      accessors.push_back(&node);
    } else if (is(node, "instance_geometry") || is(node, "instance_node") ||
               is(node, "instance_controller")) {
      instances.push_back(&node);
    } else if ((is(node, "geometry") || is(node, "node") || is(node, "controller")) &&
               id != nullptr) {
      ids.insert(id);
    }
  }
  for (const Node* accessor : accessors) {
    const char* source = accessor->Attribute("source");
    const auto array = arrays.find(source != nullptr && *source == '#' ? source + 1 : "");
    if (array == arrays.end()) continue;  // names, or matrices of an animation
    const double end =
        attribute(path, *accessor, "offset", 0) +
        attribute(path, *accessor, "count", 0) * attribute(path, *accessor, "stride", 1);
    if (end > static_cast<double>(array->second)) {
      refuse(path, *accessor, "it reads past the end of array \"" + array->first + '"',
             "correct its count and stride");
    }
  }
  for (const Node* instance : instances) {
    const char* url = instance->Attribute("url");
    if (url == nullptr || *url != '#' || ids.count(url + 1) == 0) {
      refuse(path, *instance,
             "url=\"" + std::string(url != nullptr ? url : "") + "\" is not in this file",
             "correct it, or put the part into this file");
    }
  }

  const Node* asset = document.RootElement()->FirstChildElement("asset");
  const Node* unit = asset != nullptr ? asset->FirstChildElement("unit") : nullptr;
  const char* meter = unit != nullptr ? unit->Attribute("meter") : nullptr;
  if (meter == nullptr) return 1.0;
  const std::optional<double> u = read_decimal(meter);
  if (!u || !(*u > 0.0)) {
    refuse(path, *unit, "meter=\"" + std::string(meter) + "\" is not a positive number",
           "give the unit's length in metres");
  }
  return *u;
}

}  // namespace catena::io
