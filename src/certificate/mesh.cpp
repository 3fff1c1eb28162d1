#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include "model.hpp"
#include "refusal.hpp"

namespace catena::certificate {
namespace {

// What a library that reads decimal text in single precision, digit by digit, may be off by.
constexpr double kTextError = 0x1p-21;
constexpr std::size_t kMostFaces = 50'000'000;

struct Reader {
  const std::string& path;
  Mesh mesh;
  bool from_text = false;

  [[noreturn]] void fail(const std::string& why) const { throw Refusal(path + ": " + why); }

  void face(const std::vector<int>& corners) {
    if (corners.size() < 3) return;  // points and lines occupy nothing
    mesh.corners.insert(mesh.corners.end(), corners.begin(), corners.end());
    mesh.first.push_back(static_cast<int>(mesh.corners.size()));
    if (mesh.first.size() > kMostFaces) fail("more than 50 million faces");
  }

  // ---- STL

  void read_binary_stl(const std::string& bytes) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, 4);
    const char* at = bytes.data() + 84;
    for (std::uint32_t i = 0; i < count; ++i, at += 50) {
      std::vector<int> corners;
      for (int k = 0; k < 3; ++k) {
        float c[3];
        std::memcpy(c, at + 12 + 12 * k, 12);
        corners.push_back(static_cast<int>(mesh.vertices.size()));
        mesh.vertices.push_back({c[0], c[1], c[2]});
      }
      face(corners);
    }
  }

  void read_text_stl(std::string_view text) {
    from_text = true;
    std::vector<int> corners;
    while (const auto word = next(text)) {
      if (*word == "vertex" || *word == "VERTEX") {
        std::array<double, 3> c{};
        for (double& x : c) x = number(next(text));
        corners.push_back(static_cast<int>(mesh.vertices.size()));
        mesh.vertices.push_back(c);
      } else if (*word == "endfacet" || *word == "ENDFACET") {
        if (corners.size() != 3) fail("a facet has not three vertices");
        face(corners);
        corners.clear();
      }
    }
  }

  static std::optional<std::string_view> next(std::string_view& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(word.size());
    return word;
  }

  // Files mean single precision; the nearest float of the text.
  double number(const std::optional<std::string_view>& word) const {
    if (!word) fail("it ends within a vertex");
    std::string_view text = *word;
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    float value = 0.0F;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
      // Too small for a float counts as 0; what is too large is refused with the others.
      if (std::abs(parse_double(text, path)) < 1e-30) return 0.0;
    }
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      fail("\"" + std::string(text.substr(0, 40)) + "\" is not a number");
    return value;
  }

  // ---- OBJ

  void read_obj(std::string_view text) {
    from_text = true;
    std::vector<int> corners;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      std::string joined;
      while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      while (!line.empty() && line.back() == '\\' && !text.empty()) {
        line.remove_suffix(1);
        const std::size_t more = std::min(text.find('\n'), text.size());
        joined = std::string(line) + " " + std::string(text.substr(0, more));
        text.remove_prefix(std::min(more + 1, text.size()));
        line = joined;
        while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      }
      if (const std::size_t hash = line.find('#'); hash != std::string_view::npos)
        line = line.substr(0, hash);
      const auto word = next(line);
      if (!word) continue;
      if (*word == "v") {
        std::array<double, 3> c{};
        for (double& x : c) x = number(next(line));
        mesh.vertices.push_back(c);
      } else if (*word == "f") {
        corners.clear();
        while (const auto corner = next(line)) corners.push_back(index(*corner));
        face(corners);
      } else if (*word == "cstype" || *word == "surf" || *word == "curv" || *word == "curv2") {
        fail("it has free-form surfaces, which are not read");
      }
    }
  }

  int index(std::string_view text) const {
    text = text.substr(0, text.find('/'));
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto count = static_cast<long>(mesh.vertices.size());
    if (error != std::errc() || end != text.data() + text.size()) fail("a face names no vertex");
    if (number < 0) number += count + 1;
    // Only vertices above the face: a file that names later ones is left to other readers.
    if (number < 1 || number > count) fail("a face names a vertex that is not above it");
    return static_cast<int>(number - 1);
  }

  // ---- what all forms share

  void finish(const std::array<double, 3>& scale, Filling filling) {
    if (mesh.num_faces() == 0) fail("it has no faces");
    double size = 0.0;
    for (const int k : mesh.corners) {
      const auto& v = mesh.vertices[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = v[i] * scale[i];
        if (!(std::abs(x) <= 1e50)) fail("a vertex is not a number or beyond 1e50");
        size = std::fmax(size, std::abs(x));
      }
    }
    for (auto& v : mesh.vertices)
      for (std::size_t i = 0; i < 3; ++i) v[i] = v[i] * scale[i] + 0.0;
    const bool scaled = scale != std::array<double, 3>{1.0, 1.0, 1.0};
    // Of a vector, so that the three coordinates' errors add up to less than twice one of them.
    mesh.vertex_error =
        2.0 * size * ((from_text ? kTextError : 0.0) + (scaled ? 2 * 0x1p-53 : 0.0));
    weld();
    const bool closed = filling != Filling::kSurface && is_closed();
    if (filling == Filling::kSolid && !closed) fail("declared solid, but it is not closed");
    mesh.solid = closed;
    find_components();
  }

  // Equal vertices become one.
  void weld() {
    struct Hash {
      std::size_t operator()(const std::array<std::uint64_t, 3>& k) const noexcept {
        std::uint64_t h = 1469598103934665603ULL;
        for (const std::uint64_t x : k) h = (h ^ (x + (h << 7))) * 1099511628211ULL + (h >> 29);
        return static_cast<std::size_t>(h);
      }
    };
    std::unordered_map<std::array<std::uint64_t, 3>, int, Hash> seen;
    std::vector<std::array<double, 3>> kept;
    std::vector<int> number(mesh.vertices.size(), -1);
    for (int& k : mesh.corners) {
      int& n = number[static_cast<std::size_t>(k)];
      if (n < 0) {
        const auto& v = mesh.vertices[static_cast<std::size_t>(k)];
        const std::array<std::uint64_t, 3> key = {std::bit_cast<std::uint64_t>(v[0]),
                                                  std::bit_cast<std::uint64_t>(v[1]),
                                                  std::bit_cast<std::uint64_t>(v[2])};
        const auto [place, is_new] = seen.emplace(key, static_cast<int>(kept.size()));
        if (is_new) kept.push_back(v);
        n = place->second;
      }
      k = n;
    }
    mesh.vertices = std::move(kept);
  }

  // Is the face without area? Exactly: in integers, coordinates being floats times a scale, would
  // be long; what matters is only whether such faces may be left out of the balance of edges.
  bool is_flat(int f) const {
    const int* c = &mesh.corners[static_cast<std::size_t>(mesh.first[static_cast<std::size_t>(f)])];
    const int n =
        mesh.first[static_cast<std::size_t>(f) + 1] - mesh.first[static_cast<std::size_t>(f)];
    const auto at = [&](int i) {
      const auto& v = mesh.vertices[static_cast<std::size_t>(c[i])];
      return Vec{v[0], v[1], v[2]};
    };
    for (int i = 1; i + 1 < n; ++i) {
      const Vec u = cross(at(i) - at(0), at(i + 1) - at(0));
      for (const Real& x : {u.x, u.y, u.z})
        if (is_positive(x) || is_negative(x)) return false;
    }
    return true;
  }

  bool balanced(bool with_area_only) const {
    std::vector<std::pair<std::uint64_t, int>> edges;
    for (int f = 0; f < mesh.num_faces(); ++f) {
      if (with_area_only && is_flat(f)) continue;
      const auto begin = static_cast<std::size_t>(mesh.first[static_cast<std::size_t>(f)]);
      const auto end = static_cast<std::size_t>(mesh.first[static_cast<std::size_t>(f) + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        const auto i = static_cast<std::uint64_t>(mesh.corners[k]);
        const auto j = static_cast<std::uint64_t>(mesh.corners[k + 1 < end ? k + 1 : begin]);
        if (i == j) continue;
        edges.emplace_back(i < j ? (i << 32 | j) : (j << 32 | i), i < j ? 1 : -1);
      }
    }
    if (edges.empty()) return false;
    std::sort(edges.begin(), edges.end());
    for (std::size_t k = 0; k < edges.size();) {
      const std::uint64_t edge = edges[k].first;
      int sum = 0;
      for (; k < edges.size() && edges[k].first == edge; ++k) sum += edges[k].second;
      if (sum != 0) return false;
    }
    return true;
  }

  // Where rounding leaves it open whether a face has area, the mesh may count as a solid: more is
  // then to be proven, never less.
  bool is_closed() const {
    bool any_area = false;
    for (int f = 0; f < mesh.num_faces() && !any_area; ++f) any_area = !is_flat(f);
    return any_area && (balanced(false) || balanced(true));
  }

  void find_components() {
    std::vector<int> root(mesh.vertices.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int i) {
      while (root[static_cast<std::size_t>(i)] != i) {
        int& above = root[static_cast<std::size_t>(i)];
        above = root[static_cast<std::size_t>(above)];
        i = above;
      }
      return i;
    };
    const auto first_corner = [&](int f) {
      return static_cast<std::size_t>(mesh.first[static_cast<std::size_t>(f)]);
    };
    for (int f = 0; f < mesh.num_faces(); ++f)
      for (std::size_t k = first_corner(f) + 1; k < first_corner(f + 1); ++k)
        root[static_cast<std::size_t>(find(mesh.corners[k]))] = find(mesh.corners[first_corner(f)]);
    std::unordered_map<int, int> number;
    for (int f = 0; f < mesh.num_faces(); ++f)
      mesh.component.push_back(
          number.emplace(find(mesh.corners[first_corner(f)]), static_cast<int>(number.size()))
              .first->second);
    mesh.num_components = static_cast<int>(number.size());
  }
};

}  // namespace

std::shared_ptr<const Mesh> read_mesh(const std::string& path, const std::array<double, 3>& scale,
                                      Filling filling) {
  for (const double s : scale)
    if (!(std::abs(s) > 0.0 && std::abs(s) <= 1e50)) throw Refusal(path + ": a scale of 0");
  const std::string bytes = read_file(path);
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  Reader reader{path, {}, false};
  if (ending == ".stl") {
    std::uint32_t count = 0;
    if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
    if (bytes.size() >= 84 && bytes.size() == 84 + 50 * static_cast<std::size_t>(count))
      reader.read_binary_stl(bytes);
    else
      reader.read_text_stl(bytes);
  } else if (ending == ".obj") {
    reader.read_obj(bytes);
  } else {
    throw Refusal(path + ": the checker reads meshes of the forms STL and OBJ alone");
  }
  reader.finish(scale, filling);
  return std::make_shared<const Mesh>(std::move(reader.mesh));
}

}  // namespace catena::certificate
