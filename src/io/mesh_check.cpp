#include "io/mesh_check.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {

std::optional<std::string> plain_number(std::string_view word) {
  if (is_non_number(word)) return "nan";  // refused later if a triangle uses it
  const std::optional<double> x = read_decimal(word);
  if (!x) return std::nullopt;
  if (std::fabs(*x) <= 1e15) return word.size() > 30 ? show(*x) : std::string(word);
  // The shortest text of a large number may be twenty digits before the point, too many for the
  // library's integers.
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, *x, std::chars_format::scientific).ptr;
  return std::string(buffer, end);
}

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

void append_coordinate(const std::string& path, int line, std::string_view word, std::string& out) {
  const std::optional<std::string> number = plain_number(word);
  if (!number) {
    throw InputError(path, line, "",
                     '"' + std::string(word.substr(0, 40)) + "\" is not a number, or too large",
                     "correct the line");
  }
  out += *number;
}

void append_point(const std::string& path, int line, const std::vector<std::string_view>& words,
                  std::size_t first, std::string& out) {
  for (std::size_t k = first; k < first + 3; ++k) {
    append_coordinate(path, line, words[k], out);
    out += k + 1 < first + 3 ? ' ' : '\n';
  }
}

CheckedMesh check_ascii_stl(const std::string& path, const std::string& text) {
  CheckedMesh mesh;
  mesh.bytes = "solid mesh\n";
  int corners = 3, facet = 0;
  const auto end_facet = [&] {
    if (corners == 3) return;
    throw InputError(path, facet, "facet", std::to_string(corners) + " vertices where 3 are needed",
                     "correct the facet, or export the mesh again");
  };
  for_each_line(text, [&](std::string_view line, int number) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return true;
    if (words[0] == "facet") {
      end_facet();
      if (mesh.faces > 0) mesh.bytes += "endloop\nendfacet\n";
      mesh.bytes += "facet normal 0 0 0\nouter loop\n";
      ++mesh.faces;
      corners = 0;
      facet = number;
    } else if (words[0] == "vertex") {
      if (words.size() < 4 || mesh.faces == 0 || corners == 3) {
        throw InputError(path, number, "vertex",
                         words.size() < 4  ? "fewer than three coordinates"
                         : mesh.faces == 0 ? "it belongs to no facet"
                                           : "the facet has three already",
                         "correct the line, or export the mesh again");
      }
      mesh.bytes += "vertex ";
      append_point(path, number, words, 1, mesh.bytes);
      ++corners;
    }
    return true;
  });
  end_facet();
  mesh.bytes += "endloop\nendfacet\nendsolid mesh\n";
  return mesh;
}

}  // namespace

CheckedMesh check_stl(const std::string& path, const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  const std::uint64_t needed = 84 + 50ULL * count;
  if (bytes.size() >= 84 && bytes.size() == needed) return {count, 0, bytes, 1.0};
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
  return check_ascii_stl(path, bytes);
}

namespace {

// Calls use(words, number) for every statement of an OBJ file, without comments; a backslash at the
// end of a line continues it on the next.
template <class Use>
void for_each_statement(std::string_view text, Use use) {
  std::vector<std::string_view> words;
  int first = 0;
  bool continued = false;
  for_each_line(text, [&](std::string_view line, int number) {
    if (!continued) {
      words.clear();
      first = number;
    }
    continued = line.ends_with('\\');
    if (continued) line.remove_suffix(1);
    for (const std::string_view word : words_of(line.substr(0, line.find('#')))) {
      words.push_back(word);
    }
    if (!continued && !words.empty()) use(words, first);
    return true;
  });
  if (continued && !words.empty()) use(words, first);
}

constexpr std::size_t kMostCorners = 100'000;

}  // namespace

CheckedMesh check_obj(const std::string& path, const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    fail(path, "", "it holds bytes 0, as text in UTF-16 does", "save it as UTF-8");
  }
  std::int64_t vertices = 0, seen = 0;
  for_each_statement(text, [&](const auto& words, int) { vertices += words[0] == "v"; });
  CheckedMesh mesh;
  for_each_statement(text, [&](const auto& words, int line) {
    const auto refuse = [&](const std::string& problem, const char* remedy) {
      throw InputError(path, line, std::string(words[0]), problem, remedy);
    };
    if (words[0] == "v") {
      const std::size_t size = words.size() - 1;  // 4: with a weight; 6 and 7: with a colour
      if (size != 3 && size != 4 && size != 6 && size != 7) {
        refuse(std::to_string(size) + " numbers, which are no vertex", "give x, y and z");
      }
      ++seen;
      mesh.bytes += "v ";
      append_point(path, line, words, 1, mesh.bytes);
      if (size != 4) return;
      const std::optional<double> weight = read_decimal(words[4]);
      if (!weight || *weight == 0.0) refuse("its weight is 0 or no number", "leave it out");
      mesh.bytes.back() = ' ';
      append_coordinate(path, line, words[4], mesh.bytes);
      mesh.bytes += '\n';
    } else if (words[0] == "f" || words[0] == "fo") {
      if (words.size() < 4) refuse("a face with fewer than three corners", "give at least three");
      if (words.size() > kMostCorners) refuse("a face with too many corners", "split the face");
      ++mesh.faces;
      mesh.bytes += 'f';
      for (std::size_t k = 1; k < words.size(); ++k) {
        const std::string_view word = words[k].substr(0, words[k].find('/'));
        const std::optional<double> n = read_decimal(word);
        if (!n || *n != std::floor(*n) || std::fabs(*n) > 2e9) {
          refuse('"' + std::string(words[k].substr(0, 40)) + "\" is no index", "correct it");
        }
        const auto given = static_cast<std::int64_t>(*n);
        const std::int64_t index = given < 0 ? seen + 1 + given : given;
        if (index < 1 || index > vertices) {
          refuse("vertex " + std::to_string(given) + " is not there", "correct the index");
        }
        mesh.bytes += ' ' + std::to_string(index);
      }
      mesh.bytes += '\n';
    } else if (words[0] == "surf") {
      refuse("free-form surfaces are not supported", "export polygons");
    }
  });
  return mesh;
}

// The library moves an index that is out of range to the last vertex, and reads past the end of a
// face that is too long: so every line is checked here.
CheckedMesh check_off(const std::string& path, const std::string& text) {
  CheckedMesh mesh;
  std::size_t vertices = 0, seen = 0;
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
      if (words[0].find_first_of("4n") != std::string_view::npos) {
        refuse("vertices of other than three coordinates", "export the mesh as plain OFF");
      }
      if (words.size() > 1 && words[1] == "BINARY") {
        refuse("the binary form of OFF is not supported", "export it as text");
      }
      named = true;
      words.erase(words.begin());
    }
    if (words.empty()) return true;
    if (mesh.line == 0) {
      if (words.size() < 2) refuse("no counts of vertices and faces", "export the mesh again");
      vertices = integer(words[0]);
      mesh.faces = integer(words[1]);
      mesh.line = number;
      mesh.bytes = "OFF\n" + std::to_string(vertices) + ' ' + std::to_string(mesh.faces) + " 0\n";
    } else if (seen < vertices) {
      if (words.size() < 3) refuse("a vertex with fewer than three coordinates", "add the others");
      append_point(path, number, words, 0, mesh.bytes);
      ++seen;
    } else if (seen - vertices < mesh.faces) {
      const std::size_t corners = integer(words[0]);
      if (corners < 3) refuse("a face with fewer than three corners", "give at least three");
      if (corners > 9) refuse("a face with more than nine corners", "split the face");
      if (words.size() <= corners) refuse("a face that ends early", "complete the line");
      mesh.bytes += std::to_string(corners);
      for (std::size_t k = 1; k <= corners; ++k) {
        const std::size_t index = integer(words[k]);
        if (index >= vertices) {
          refuse("a face names a vertex that is not there", "correct the index");
        }
        mesh.bytes += ' ' + std::to_string(index);
      }
      mesh.bytes += '\n';
      ++seen;
    }
    return true;
  });
  if (mesh.line == 0) fail(path, "", "no counts of vertices and faces", "export the mesh again");
  if (seen < vertices + mesh.faces) {
    throw InputError(path, mesh.line, "",
                     std::to_string(vertices) + " vertices and " + std::to_string(mesh.faces) +
                         " faces are announced, but the file ends after " + std::to_string(seen) +
                         " lines of them",
                     "export the mesh again");
  }
  return mesh;
}

}  // namespace catena::io
