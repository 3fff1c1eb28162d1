#include <cmath>
#include <cstring>
#include <sstream>
#include <string>

#include "catena/io/input_error.hpp"
#include "io/scene_forms.hpp"

namespace catena::io {

namespace {

constexpr int kDepth = 16;  // of every octree; a cell of the last level has the tree's resolution

// Walks the serialised tree. Octomap's own reader recurses without a limit on a stream that ends
// early; here a tree that is too deep, too short or too long is an error.
class Walker {
 public:
  Walker(const std::string& bytes, double resolution, int value_bytes)
      : bytes_(bytes), resolution_(resolution), value_bytes_(value_bytes) {}

  std::vector<Geometry::AxisAlignedBox> boxes;
  std::uint64_t nodes = 0;
  const char* problem = nullptr;

  void walk_binary() {
    if (inner(0, {0, 0, 0})) finish();
  }
  void walk_full() {
    if (node(0, {0, 0, 0})) finish();
  }

 private:
  using Cell = std::array<int, 3>;  // in units of its own size, from the corner of the tree

  bool fail(const char* what) {
    problem = what;
    return false;
  }

  void finish() {
    if (at_ != bytes_.size()) problem = "the data goes on after the last node";
  }

  void occupy(int level, const Cell& cell) {
    const double size = std::ldexp(resolution_, kDepth - level);
    const double middle = std::ldexp(1.0, level - 1);
    const auto center = [&](int k) { return (k + 0.5 - middle) * size; };
    boxes.push_back(
        {{center(cell[0]), center(cell[1]), center(cell[2])}, Vector3d::Constant(0.5 * size)});
  }

  static Cell child_cell(const Cell& cell, int child) {
    return {2 * cell[0] + (child & 1), 2 * cell[1] + ((child >> 1) & 1),
            2 * cell[2] + ((child >> 2) & 1)};
  }

  // Binary form: two bits a child, 01 free, 10 occupied, 11 inner, in the order of the children.
  bool inner(int level, const Cell& cell) {
    ++nodes;
    if (level >= kDepth) return fail("the tree is deeper than 16 levels");
    if (bytes_.size() - at_ < 2) return fail("the data ends within the tree");
    const unsigned bits = static_cast<unsigned char>(bytes_[at_]) |
                          static_cast<unsigned>(static_cast<unsigned char>(bytes_[at_ + 1])) << 8;
    at_ += 2;
    for (int child = 0; child < 8; ++child) {
      const unsigned kind = (bits >> (2 * child)) & 3U;
      nodes += kind == 1 || kind == 2;
      if (kind == 2) occupy(level + 1, child_cell(cell, child));
    }
    for (int child = 0; child < 8; ++child) {
      if (((bits >> (2 * child)) & 3U) == 3 && !inner(level + 1, child_cell(cell, child))) {
        return false;
      }
    }
    return true;
  }

  // Full form: the log-odds of the node and what else its kind holds, then one bit a child.
  bool node(int level, const Cell& cell) {
    ++nodes;
    if (level > kDepth) return fail("the tree is deeper than 16 levels");
    if (bytes_.size() - at_ < static_cast<std::size_t>(value_bytes_) + 1) {
      return fail("the data ends within the tree");
    }
    float log_odds = 0.0F;
    std::memcpy(&log_odds, bytes_.data() + at_, sizeof log_odds);
    at_ += static_cast<std::size_t>(value_bytes_);
    const unsigned children = static_cast<unsigned char>(bytes_[at_++]);
    if (std::isnan(log_odds)) return fail("a node's probability is not a number");
    if (children == 0 && log_odds >= 0.0F) occupy(level, cell);  // probability of 0.5 at least
    for (int child = 0; child < 8; ++child) {
      if (((children >> child) & 1U) != 0 && !node(level + 1, child_cell(cell, child))) {
        return false;
      }
    }
    return true;
  }

  const std::string& bytes_;
  double resolution_;
  int value_bytes_;
  std::size_t at_ = 0;
};

std::shared_ptr<const Geometry> finish(const Element& where, Walker& walker) {
  if (walker.problem != nullptr) where.fail(walker.problem, "save the map again");
  if (walker.boxes.empty()) return nullptr;
  try {
    return Geometry::make_boxes(std::move(walker.boxes));
  } catch (const std::invalid_argument& error) {
    where.fail(error.what(), "save the map again");
  }
}

int value_bytes_of(const Element& where, const std::string& type) {
  if (type == "OcTree") return 4;
  if (type == "ColorOcTree") return 7;
  where.fail("unknown octree type \"" + type + "\"", "known are OcTree and ColorOcTree");
}

}  // namespace

std::shared_ptr<const Geometry> read_octomap_data(const std::string& bytes, double resolution,
                                                  bool binary, const std::string& type,
                                                  const Element& where) {
  Walker walker(bytes, resolution, value_bytes_of(where, type));
  if (binary) {
    walker.walk_binary();
  } else {
    walker.walk_full();
  }
  return finish(where, walker);
}

std::shared_ptr<const Geometry> read_octomap_file(const std::string& path) {
  const std::string bytes = read_binary_file(path);
  const bool binary = bytes.starts_with("# Octomap OcTree binary file");
  if (!binary && !bytes.starts_with("# Octomap OcTree file")) {
    throw InputError(path, 1, "header", "not an octomap file, or one of an old version",
                     "convert it with octomap's convert_octree");
  }
  Value place;
  const Element header(place, path, "header");
  std::string type;
  std::optional<double> size, resolution;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = bytes.find('\n', at);
    ++place.line;
    if (end == std::string::npos) header.fail("no \"data\" line", "save the map again");
    std::istringstream line(bytes.substr(at, std::min<std::size_t>(end - at, 200)));
    at = end + 1;
    std::string key, value;
    line >> key >> value;
    if (key == "data") break;
    if (key == "id") type = value;
    if (key == "size") size = read_decimal(value);
    if (key == "res") resolution = read_decimal(value);
  }
  if (!resolution || !(*resolution > 0.0)) {
    header.fail("no positive \"res\"", "give the size of a cell in metres");
  }
  if (!size) header.fail("no \"size\"", "save the map again");
  const int value_bytes = value_bytes_of(header, type);
  if (*size == 0.0) return nullptr;

  const std::string data = bytes.substr(at);
  Walker walker(data, *resolution, value_bytes);
  if (binary) {
    walker.walk_binary();
  } else {
    walker.walk_full();
  }
  place.line = 0;
  const Element where(place, path, "data");
  if (walker.problem == nullptr && static_cast<double>(walker.nodes) != *size) {
    where.fail("the header announces " + show(*size) + " nodes, but the tree has " +
                   std::to_string(walker.nodes),
               "save the map again");
  }
  return finish(where, walker);
}

}  // namespace catena::io
