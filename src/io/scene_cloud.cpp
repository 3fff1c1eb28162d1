#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/mesh_check.hpp"
#include "io/ply_file.hpp"
#include "io/scene_forms.hpp"

namespace catena::io {

namespace {

static_assert(std::endian::native == std::endian::little, "binary clouds are read in place");

// The header of a cloud file line by line, then what follows it.
class Lines {
 public:
  Lines(const std::string& bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  int number() const { return number_; }
  bool done() const { return at_ >= bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  const char* here() const { return bytes_.data() + at_; }
  void skip(std::size_t count) { at_ += count; }

  std::string_view next() {
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    std::string_view line = std::string_view(bytes_).substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = std::min(end + 1, bytes_.size());
    ++number_;
    return line;
  }

  std::vector<std::string_view> next_words() { return words_of(next()); }

  [[noreturn]] void fail(const std::string& element, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError(path_, number_, element, problem, remedy);
  }

 private:
  const std::string& bytes_;
  const std::string& path_;
  std::size_t at_ = 0;
  int number_ = 0;
};

std::string in_quotes(std::string_view word) { return '"' + std::string(word.substr(0, 40)) + '"'; }

double coordinate(const Lines& lines, std::string_view word) {
  if (is_non_number(word)) return std::nan("");
  const std::optional<double> x = read_decimal(word);
  if (!x) lines.fail("point", in_quotes(word) + " is not a number", "correct the line");
  return *x;
}

std::uint64_t count_of(const Lines& lines, const char* element, std::string_view word) {
  const std::optional<double> n = read_decimal(word);
  if (!n || *n < 0 || *n > 4e9 || *n != std::floor(*n)) {
    lines.fail(element, in_quotes(word) + " is not a count", "give an integer >= 0");
  }
  return static_cast<std::uint64_t>(*n);
}

// Balls around the points that are finite.
std::shared_ptr<const Geometry> make_cloud(const std::string& path, double radius,
                                           std::vector<Vector3d> points,
                                           std::vector<std::string>& warnings) {
  const std::size_t all = points.size();
  std::erase_if(points, [](const Vector3d& p) { return !p.allFinite(); });
  if (points.empty()) {
    throw InputError(
        path, 0, "",
        all == 0 ? "no points" : "none of the " + std::to_string(all) + " points is finite",
        "give a cloud with points");
  }
  if (points.size() < all) {
    warnings.push_back(path + ": " + std::to_string(all - points.size()) + " of " +
                       std::to_string(all) + " points are not finite and are left out");
  }
  try {
    return Geometry::make_spheres(std::move(points), radius);
  } catch (const std::invalid_argument& error) {
    throw InputError(path, 0, "", error.what(), "give another cloud or radius");
  }
}

// LZF as in Marc Lehmann's liblzf: a byte below 32 starts a run of literals, any other a copy of
// earlier output.
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size) {
  std::string out;
  out.reserve(size);
  std::size_t at = 0;
  while (at < packed.size()) {
    const unsigned control = static_cast<unsigned char>(packed[at++]);
    if (control < 32) {
      const std::size_t run = control + 1;
      if (packed.size() - at < run || size - out.size() < run) return std::nullopt;
      out.append(packed.substr(at, run));
      at += run;
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) {
      if (at >= packed.size()) return std::nullopt;
      length += static_cast<unsigned char>(packed[at++]);
    }
    length += 2;
    if (at >= packed.size()) return std::nullopt;
    const std::size_t back =
        ((control & 31U) << 8 | static_cast<unsigned char>(packed[at++])) + std::size_t{1};
    if (back > out.size() || size - out.size() < length) return std::nullopt;
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - back]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

double real_at(const char* at, std::size_t size) {
  if (size == 8) {
    double x = 0.0;
    std::memcpy(&x, at, 8);
    return x;
  }
  float x = 0.0F;
  std::memcpy(&x, at, 4);
  return static_cast<double>(x);
}

struct PcdField {
  std::string name;
  std::size_t size = 0, count = 1;
  char type = 'F';
};

}  // namespace

std::shared_ptr<const Geometry> read_pcd(const std::string& path, double radius,
                                         std::vector<std::string>& warnings) {
  const std::string bytes = read_binary_file(path);
  Lines lines(bytes, path);
  std::vector<PcdField> fields;
  std::optional<std::uint64_t> points, width, height;
  std::string data;
  while (data.empty()) {
    if (lines.done()) lines.fail("header", "no DATA line", "save the cloud again");
    const std::vector<std::string_view> words = lines.next_words();
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::string key(words[0]);
    if (key == "VERSION") continue;
    const bool by_field = key == "SIZE" || key == "TYPE" || key == "COUNT";
    if (by_field && words.size() != fields.size() + 1) {
      lines.fail(key,
                 std::to_string(words.size() - 1) + " entries for " +
                     std::to_string(fields.size()) + " fields",
                 "give one for each field, after FIELDS");
    }
    if (words.size() < 2) lines.fail(key, "nothing is given", "complete the header");
    if (key == "FIELDS" || key == "COLUMNS") {
      fields.clear();
      for (std::size_t i = 1; i < words.size(); ++i) fields.push_back({std::string(words[i])});
    } else if (key == "SIZE") {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].size = count_of(lines, "SIZE", words[i + 1]);
        if (fields[i].size == 0 || fields[i].size > 8) {
          lines.fail("SIZE", in_quotes(words[i + 1]) + " bytes", "give 1, 2, 4 or 8");
        }
      }
    } else if (key == "TYPE") {
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i].type = words[i + 1][0];
    } else if (key == "COUNT") {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].count = count_of(lines, "COUNT", words[i + 1]);
        if (fields[i].count > 100'000) {
          lines.fail("COUNT", in_quotes(words[i + 1]) + " values", "correct the count");
        }
      }
    } else if (key == "WIDTH") {
      width = count_of(lines, "WIDTH", words[1]);
    } else if (key == "HEIGHT") {
      height = count_of(lines, "HEIGHT", words[1]);
    } else if (key == "POINTS") {
      points = count_of(lines, "POINTS", words[1]);
    } else if (key == "VIEWPOINT") {
      const bool identity = words.size() == 8 && words[1] == "0" && words[2] == "0" &&
                            words[3] == "0" && words[4] == "1" && words[5] == "0" &&
                            words[6] == "0" && words[7] == "0";
      if (!identity) {
        warnings.push_back(path + ":" + std::to_string(lines.number()) +
                           ": VIEWPOINT: says where the sensor stood; the points are taken as "
                           "they are written");
      }
    } else if (key == "DATA") {
      data = words[1];
    } else {
      lines.fail(key.substr(0, 40), "unknown header entry", "give a PCD file of version 0.7");
    }
  }

  std::size_t axis[3] = {0, 0, 0};  // the fields x, y, z
  std::size_t stride = 0, columns = 0;
  std::vector<std::size_t> offset, column;
  for (const PcdField& field : fields) {
    offset.push_back(stride);
    column.push_back(columns);
    stride += field.size * field.count;
    columns += field.count;
  }
  for (int k = 0; k < 3; ++k) {
    const std::string name(1, "xyz"[k]);
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name != name) continue;
      if (found) lines.fail("FIELDS", "field \"" + name + "\" is given twice", "keep one");
      found = i;
    }
    if (!found) lines.fail("FIELDS", "no field \"" + name + '"', "save x, y and z");
    const PcdField& field = fields[*found];
    if (field.type != 'F' || field.count != 1 || (field.size != 4 && field.size != 8)) {
      lines.fail("field " + name, "not one real number of 4 or 8 bytes", "save it as F 4 or F 8");
    }
    axis[k] = *found;
  }
  if (!points && width && height) points = *width * *height;
  if (!points) lines.fail("header", "no POINTS line", "save the cloud again");
  if (width && height && *width * *height != *points) {
    lines.fail("POINTS", std::to_string(*points) + " is not WIDTH times HEIGHT",
               "correct the header");
  }

  std::vector<Vector3d> cloud;
  if (data == "ascii") {
    while (cloud.size() < *points) {
      if (lines.done()) {
        lines.fail("DATA",
                   "the file ends after " + std::to_string(cloud.size()) + " of " +
                       std::to_string(*points) + " points",
                   "save the cloud again");
      }
      const std::vector<std::string_view> words = lines.next_words();
      if (words.empty()) continue;
      if (words.size() != columns) {
        lines.fail("point",
                   std::to_string(words.size()) + " values where " + std::to_string(columns) +
                       " are needed",
                   "correct the line");
      }
      cloud.push_back({coordinate(lines, words[column[axis[0]]]),
                       coordinate(lines, words[column[axis[1]]]),
                       coordinate(lines, words[column[axis[2]]])});
    }
    return make_cloud(path, radius, std::move(cloud), warnings);
  }

  const std::uint64_t size = *points * stride;
  std::string unpacked;
  const char* at = lines.here();
  bool by_field = false;
  if (data == "binary") {
    if (lines.left() < size) {
      lines.fail("DATA",
                 std::to_string(*points) + " points need " + std::to_string(size) + " bytes, but " +
                     std::to_string(lines.left()) + " are there",
                 "save the cloud again");
    }
  } else if (data == "binary_compressed") {
    std::uint32_t sizes[2] = {0, 0};
    if (lines.left() >= 8) std::memcpy(sizes, lines.here(), 8);
    if (lines.left() < 8 || lines.left() - 8 < sizes[0] || sizes[1] != size ||
        sizes[1] > 100ULL * sizes[0] + 100) {
      lines.fail("DATA", "the compressed part does not hold what the header announces",
                 "save the cloud again");
    }
    std::optional<std::string> out =
        unpack_lzf({lines.here() + 8, sizes[0]}, static_cast<std::size_t>(size));
    if (!out) lines.fail("DATA", "the compressed part is damaged", "save the cloud again");
    unpacked = std::move(*out);
    at = unpacked.data();
    by_field = true;
  } else {
    lines.fail("DATA", "unknown kind " + in_quotes(data),
               "known are ascii, binary, binary_compressed");
  }
  cloud.reserve(static_cast<std::size_t>(*points));
  for (std::uint64_t i = 0; i < *points; ++i) {
    Vector3d p;
    for (int k = 0; k < 3; ++k) {
      const PcdField& field = fields[axis[k]];
      const std::uint64_t where =
          by_field ? *points * offset[axis[k]] + i * field.size : i * stride + offset[axis[k]];
      p[k] = real_at(at + where, field.size);
    }
    cloud.push_back(p);
  }
  return make_cloud(path, radius, std::move(cloud), warnings);
}

namespace {

struct PlyProperty {
  std::string name;
  char kind = 'f';            // i, u or f
  std::size_t size = 0;       // of one value
  std::size_t list_size = 0;  // of the count before the values of a list; 0: not a list
  char list_kind = 'u';
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  std::string format;
  std::vector<PlyElement> elements;
};

std::pair<char, std::size_t> ply_type(const Lines& lines, std::string_view name) {
  if (name == "char" || name == "int8") return {'i', 1};
  if (name == "uchar" || name == "uint8") return {'u', 1};
  if (name == "short" || name == "int16") return {'i', 2};
  if (name == "ushort" || name == "uint16") return {'u', 2};
  if (name == "int" || name == "int32") return {'i', 4};
  if (name == "uint" || name == "uint32") return {'u', 4};
  if (name == "float" || name == "float32") return {'f', 4};
  if (name == "double" || name == "float64") return {'f', 8};
  lines.fail("property", "unknown type " + in_quotes(name), "use a type of the PLY format");
}

PlyHeader read_ply_header(Lines& lines) {
  PlyHeader header;
  if (lines.next() != "ply")
    lines.fail("header", "the file does not start with \"ply\"", "save it again");
  while (true) {
    if (lines.done()) lines.fail("header", "no end_header line", "save the file again");
    const std::vector<std::string_view> words = lines.next_words();
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") break;
    if (words[0] == "format" && words.size() >= 2) {
      header.format = words[1];
    } else if (words[0] == "element" && words.size() == 3) {
      header.elements.push_back({std::string(words[1]), count_of(lines, "element", words[2]), {}});
    } else if (words[0] == "property" && words.size() >= 3 && !header.elements.empty()) {
      PlyProperty property;
      if (words[1] == "list" && words.size() == 5) {
        std::tie(property.list_kind, property.list_size) = ply_type(lines, words[2]);
        std::tie(property.kind, property.size) = ply_type(lines, words[3]);
        if (property.list_kind == 'f') {
          lines.fail("property", "a list that counts in real numbers", "count in integers");
        }
      } else if (words.size() == 3) {
        std::tie(property.kind, property.size) = ply_type(lines, words[1]);
      } else {
        lines.fail("property", "not understood", "write: property TYPE NAME");
      }
      property.name = words.back();
      header.elements.back().properties.push_back(property);
    } else {
      lines.fail("header", "not understood: " + in_quotes(words[0]), "save the file again");
    }
  }
  if (header.format != "ascii" && header.format != "binary_little_endian" &&
      header.format != "binary_big_endian") {
    lines.fail("format", "unknown format " + in_quotes(header.format),
               "known are ascii, binary_little_endian, binary_big_endian");
  }
  return header;
}

// One binary value, or a failure if the file ends.
double ply_value(Lines& lines, char kind, std::size_t size, bool swap) {
  if (lines.left() < size) lines.fail("data", "the file ends early", "save it again");
  unsigned char raw[8] = {};
  for (std::size_t i = 0; i < size; ++i) {
    raw[swap ? size - 1 - i : i] = static_cast<unsigned char>(lines.here()[i]);
  }
  lines.skip(size);
  if (kind == 'f') return real_at(reinterpret_cast<const char*>(raw), size);
  std::uint64_t bits = 0;
  std::memcpy(&bits, raw, 8);
  if (kind == 'u') return static_cast<double>(bits);
  const unsigned shift = static_cast<unsigned>(64 - 8 * size);
  return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
}

// Passes over one entry of an element, if the file holds it.
void skip_ply_entry(Lines& lines, const PlyElement& element, bool ascii, bool swap,
                    std::uint64_t number) {
  if (element.properties.empty()) return;
  if (lines.done()) {
    lines.fail("data",
               "the file ends after " + std::to_string(number) + " of " +
                   std::to_string(element.count) + " entries of " + in_quotes(element.name),
               "save it again");
  }
  if (ascii) {
    while (lines.next_words().empty()) {
      if (lines.done()) lines.fail("data", "the file ends early", "save it again");
    }
    return;
  }
  for (const PlyProperty& property : element.properties) {
    double n = 1.0;
    if (property.list_size != 0) n = ply_value(lines, property.list_kind, property.list_size, swap);
    if (n < 0 || n * static_cast<double>(property.size) > static_cast<double>(lines.left())) {
      lines.fail("data", "the file ends early", "save it again");
    }
    lines.skip(static_cast<std::size_t>(n) * property.size);
  }
}

}  // namespace

std::uint64_t count_ply_faces(const std::string& bytes, const std::string& path) {
  Lines lines(bytes, path);
  const PlyHeader header = read_ply_header(lines);
  const bool ascii = header.format == "ascii";
  std::uint64_t faces = 0;
  for (const PlyElement& element : header.elements) {
    if (element.name == "face" || element.name == "tristrips") faces += element.count;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      skip_ply_entry(lines, element, ascii, header.format == "binary_big_endian", i);
    }
  }
  return faces;
}

namespace {

// One entry of a PLY element, value by value: the words of a line, or bytes in place.
class PlyEntry {
 public:
  PlyEntry(Lines& lines, bool ascii, bool swap) : lines_(lines), ascii_(ascii), swap_(swap) {
    while (ascii_ && words_.empty()) {
      if (lines_.done()) lines_.fail("data", "the file ends early", "save it again");
      words_ = lines_.next_words();
    }
  }

  /// The value, and as it is written in the file; if that is text, with a blank after it, and an
  /// integer in digits alone: of "3.0" the mesh library would read 3 and then 0.
  std::pair<double, std::string> next(char kind, std::size_t size) {
    if (!ascii_) {
      const char* const at = lines_.here();
      const double x = ply_value(lines_, kind, size, swap_);
      return {x, std::string(at, size)};
    }
    if (at_ >= words_.size()) lines_.fail("data", "a line that ends early", "complete the line");
    const std::string_view word = words_[at_++];
    const double x = coordinate(lines_, word);
    if (kind == 'f') return {x, *plain_number(word) + ' '};
    if (!(std::fabs(x) < 4294967296.0) || x != std::floor(x)) {
      lines_.fail("data", in_quotes(word) + " is not an integer of 32 bits", "correct the line");
    }
    return {x, std::to_string(static_cast<std::int64_t>(x)) + ' '};
  }

  double next_count(const PlyProperty& property, std::string& written) {
    auto [n, text] = next(property.list_kind, property.list_size);
    const double left = static_cast<double>(ascii_ ? words_.size() - at_ : lines_.left());
    if (!(n >= 0) || n * static_cast<double>(ascii_ ? 1 : property.size) > left) {
      lines_.fail("data", "a list is longer than the file", "save it again");
    }
    written = std::move(text);
    return n;
  }

 private:
  Lines& lines_;
  bool ascii_, swap_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

const char* ply_type_name(char kind, std::size_t size) {
  if (kind == 'f') return size == 8 ? "double" : "float";
  if (size == 1) return kind == 'u' ? "uchar" : "char";
  if (size == 2) return kind == 'u' ? "ushort" : "short";
  return kind == 'u' ? "uint" : "int";
}

bool is_corner_list(const PlyProperty& property) {
  return property.list_size != 0 && property.kind != 'f' &&
         (property.name == "vertex_indices" || property.name == "vertex_index");
}

}  // namespace

CheckedMesh check_ply(const std::string& path, const std::string& bytes) {
  Lines lines(bytes, path);
  const PlyHeader header = read_ply_header(lines);
  const bool ascii = header.format == "ascii", swap = header.format == "binary_big_endian";
  std::string vertex_header, face_header, vertices, faces;
  std::uint64_t num_vertices = 0;
  CheckedMesh mesh;
  for (const PlyElement& element : header.elements) {
    const bool points = element.name == "vertex", corners = element.name == "face";
    if (element.name == "tristrips" && element.count > 0) {
      lines.fail("element tristrips", "triangle strips are not supported", "save triangles");
    }
    std::string& own = points ? vertex_header : face_header;
    if (!points && !corners) continue;
    if (!own.empty())
      lines.fail("header", "element " + in_quotes(element.name) + " is given twice", "keep one");
    own = "element " + element.name + ' ' + std::to_string(element.count) + '\n';
    int wanted = 0;
    std::set<std::string> axes;
    for (const PlyProperty& property : element.properties) {
      const bool axis = property.name == "x" || property.name == "y" || property.name == "z";
      if (points && axis && property.list_size == 0) {
        own += std::string("property ") + ply_type_name(property.kind, property.size) + ' ' +
               property.name + '\n';
        ++wanted;
        axes.insert(property.name);
      } else if (corners && is_corner_list(property)) {
        own += std::string("property list ") +
               ply_type_name(property.list_kind, property.list_size) + ' ' +
               ply_type_name(property.kind, property.size) + " vertex_indices\n";
        ++wanted;
      }
    }
    if (wanted != (points ? 3 : 1) || (points && axes.size() != 3)) {
      lines.fail("element " + element.name,
                 points ? "it has not exactly one property x, y and z each"
                        : "it has not exactly one list vertex_indices of integers",
                 "save the file again");
    }
    (points ? num_vertices : mesh.faces) = element.count;
  }

  for (const PlyElement& element : header.elements) {
    const bool points = element.name == "vertex", corners = element.name == "face";
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!points && !corners) {
        skip_ply_entry(lines, element, ascii, swap, i);
        continue;
      }
      if (lines.done()) {
        lines.fail("data",
                   "the file ends after " + std::to_string(i) + " of " +
                       std::to_string(element.count) + " entries of " + in_quotes(element.name),
                   "save it again");
      }
      PlyEntry entry(lines, ascii, swap);
      for (const PlyProperty& property : element.properties) {
        const bool axis = property.name == "x" || property.name == "y" || property.name == "z";
        const bool face = corners && is_corner_list(property);
        std::string text;
        const double n = property.list_size == 0 ? 1.0 : entry.next_count(property, text);
        if (face && n < 3) {
          lines.fail("face", "fewer than three corners", "give at least three");
        }
        if (face) faces += text;
        for (double k = 0; k < n; ++k) {
          auto [x, word] = entry.next(property.kind, property.size);
          if (points && axis && property.list_size == 0) vertices += word;
          if (!face) continue;
          if (!(x >= 0 && x < static_cast<double>(num_vertices))) {
            lines.fail("face", "vertex " + show(x) + " is not there", "correct the index");
          }
          faces += word;
        }
      }
      if (ascii) (points ? vertices : faces) += '\n';
    }
  }
  mesh.bytes = "ply\nformat " + header.format + " 1.0\n" + vertex_header + face_header +
               "end_header\n" + vertices + faces;
  return mesh;
}

std::shared_ptr<const Geometry> read_ply_cloud(const std::string& path, double radius,
                                               std::vector<std::string>& warnings) {
  const std::string bytes = read_binary_file(path);
  Lines lines(bytes, path);
  const PlyHeader header = read_ply_header(lines);
  const bool ascii = header.format == "ascii";
  const bool swap = header.format == "binary_big_endian";
  for (const PlyElement& element : header.elements) {
    const bool wanted = element.name == "vertex";
    std::size_t axis[3] = {0, 0, 0};
    for (int k = 0; k < 3 && wanted; ++k) {
      const std::string name(1, "xyz"[k]);
      std::optional<std::size_t> found;
      for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const PlyProperty& property = element.properties[i];
        if (property.name == name && property.list_size == 0) found = i;
      }
      if (!found) lines.fail("element vertex", "no property \"" + name + '"', "save x, y and z");
      axis[k] = *found;
    }
    std::vector<Vector3d> cloud;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      std::vector<double> values;
      if (lines.done() && !element.properties.empty()) {
        lines.fail("data",
                   "the file ends after " + std::to_string(i) + " of " +
                       std::to_string(element.count) + " entries of " + in_quotes(element.name),
                   "save it again");
      }
      if (ascii) {
        const std::vector<std::string_view> words = lines.next_words();
        if (!wanted) continue;
        if (words.size() < element.properties.size()) {
          lines.fail("vertex",
                     std::to_string(words.size()) + " values where " +
                         std::to_string(element.properties.size()) + " are needed",
                     "correct the line");
        }
        for (std::size_t j = 0; j < element.properties.size(); ++j) {
          if (element.properties[j].list_size > 0) {
            lines.fail("vertex", "a list among its properties", "save the points alone");
          }
          const bool used = j == axis[0] || j == axis[1] || j == axis[2];
          values.push_back(used ? coordinate(lines, words[j]) : 0.0);
        }
      } else {
        if (element.properties.empty()) break;
        for (const PlyProperty& property : element.properties) {
          if (property.list_size == 0) {
            values.push_back(ply_value(lines, property.kind, property.size, swap));
            continue;
          }
          const double n = ply_value(lines, property.list_kind, property.list_size, swap);
          if (n < 0 || n * static_cast<double>(property.size) > static_cast<double>(lines.left())) {
            lines.fail("data", "a list is longer than the file", "save it again");
          }
          lines.skip(static_cast<std::size_t>(n) * property.size);
          values.push_back(0.0);
        }
      }
      if (wanted) cloud.push_back({values[axis[0]], values[axis[1]], values[axis[2]]});
    }
    if (wanted) return make_cloud(path, radius, std::move(cloud), warnings);
  }
  lines.fail("header", "no element \"vertex\"", "give a cloud with points");
}

}  // namespace catena::io
