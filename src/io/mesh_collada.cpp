#include <tinyxml2.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"
#include "io/mesh_check.hpp"

namespace catena::io {

namespace {

using Node = tinyxml2::XMLElement;

constexpr int kMostNodes = 100'000, kMostLevels = 200;  // instances multiply, or name each other

bool is(const Node& node, const char* name) { return std::strcmp(node.Name(), name) == 0; }

/// Reads the parts of a COLLADA file that make its triangles and writes them again, each geometry
/// as one list of polygons over one list of positions.
class ColladaCheck {
 public:
  ColladaCheck(const std::string& path, const std::string& text) : path_(path) {
    if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      throw InputError(path_, document_.ErrorLineNum(), "", document_.ErrorName(),
                       "correct the XML there");
    }
  }

  CheckedMesh check() {
    const Node* const root = document_.RootElement();
    if (root == nullptr || !is(*root, "COLLADA")) {
      throw InputError(path_, 0, "", "the root element is not <COLLADA>", "give a COLLADA file");
    }
    read_unit(*root);
    collect_ids(*root);
    const Node* const scene = root->FirstChildElement("scene");
    const Node* const shown =
        scene != nullptr ? scene->FirstChildElement("instance_visual_scene") : nullptr;
    if (shown == nullptr) {
      refuse(scene != nullptr ? *scene : *root, "no visual scene is instanced",
             "export the mesh again");
    }
    const Node& visual = target(*shown, "url", "visual_scene");

    out_.OpenElement("COLLADA");
    out_.PushAttribute("xmlns", "http://www.collada.org/2005/11/COLLADASchema");
    out_.PushAttribute("version", "1.4.1");
    out_.OpenElement("library_visual_scenes");
    out_.OpenElement("visual_scene");
    out_.PushAttribute("id", "s");
    for_each_child(visual, [&](const Node& child) {
      if (is(child, "node")) write_node(child, 1);
    });
    out_.CloseElement();
    out_.CloseElement();
    out_.OpenElement("library_geometries");
    for (const auto& [node, geometry] : geometries_) {
      if (geometry.faces > 0) write_geometry(*node, geometry);
    }
    out_.CloseElement();
    out_.OpenElement("scene");
    out_.OpenElement("instance_visual_scene");
    out_.PushAttribute("url", "#s");
    out_.CloseElement();
    out_.CloseElement();
    out_.CloseElement();
    mesh_.bytes = out_.CStr();
    return std::move(mesh_);
  }

 private:
  struct Geometry {
    std::string id;
    std::size_t vertices = 0, faces = 0;
    std::string positions, corners, indices;
  };

  [[noreturn]] void refuse(const Node& node, const std::string& problem,
                           const std::string& remedy) const {
    throw InputError(path_, node.GetLineNum(), "<" + std::string(node.Name()) + ">", problem,
                     remedy);
  }

  template <class Use>
  static void for_each_child(const Node& node, Use use) {
    for (const Node* child = node.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      use(*child);
    }
  }

  void read_unit(const Node& root) {
    const Node* asset = root.FirstChildElement("asset");
    const Node* unit = asset != nullptr ? asset->FirstChildElement("unit") : nullptr;
    const char* meter = unit != nullptr ? unit->Attribute("meter") : nullptr;
    if (meter == nullptr) return;
    const std::optional<double> u = read_decimal(meter);
    if (!u || !(*u > 0.0)) {
      refuse(*unit, "meter=\"" + std::string(meter) + "\" is not a positive number",
             "give the unit's length in metres");
    }
    mesh_.unit = *u;
  }

  void collect_ids(const Node& root) {
    std::vector<const Node*> open{&root};
    while (!open.empty()) {
      const Node& node = *open.back();
      open.pop_back();
      if (const char* id = node.Attribute("id")) ids_[node.Name()].emplace(id, &node);
      for_each_child(node, [&](const Node& child) { open.push_back(&child); });
    }
  }

  const Node& target(const Node& node, const char* attribute, const char* kind) const {
    const char* const url = node.Attribute(attribute);
    const auto known = ids_.find(kind);
    if (url != nullptr && *url == '#' && known != ids_.end()) {
      const auto found = known->second.find(url + 1);
      if (found != known->second.end()) return *found->second;
    }
    refuse(node,
           std::string(attribute) + "=\"" + (url != nullptr ? url : "") + "\" is not in this file",
           "correct it, or put the part into this file");
  }

  const Node& part(const Node& node, const char* name) const {
    const Node* const child = node.FirstChildElement(name);
    if (child == nullptr) refuse(node, "no <" + std::string(name) + ">", "export the mesh again");
    return *child;
  }

  std::size_t count(const Node& node, const char* name, std::size_t otherwise) const {
    const char* const text = node.Attribute(name);
    if (text == nullptr) return otherwise;
    const std::optional<double> x = read_decimal(text);
    if (!x || *x < 0 || *x > 4e9 || *x != std::floor(*x)) {
      refuse(node, std::string(name) + "=\"" + text + "\" is not a count", "correct it");
    }
    return static_cast<std::size_t>(*x);
  }

  // All text of an element, also around comments.
  static std::string text_of(const Node& node) {
    std::string text;
    for (const tinyxml2::XMLNode* child = node.FirstChild(); child != nullptr;
         child = child->NextSibling()) {
      if (child->ToText() != nullptr) text += std::string(child->Value()) + ' ';
    }
    return text;
  }

  std::string plain(const Node& node, std::string_view word) const {
    const std::optional<std::string> number = plain_number(word);
    if (!number) {
      refuse(node, '"' + std::string(word.substr(0, 40)) + "\" is not a number", "correct it");
    }
    return *number;
  }

  std::vector<std::size_t> indices_of(const Node& node) const {
    std::vector<std::size_t> indices;
    const std::string text = text_of(node);
    for (const std::string_view word : words_of(text)) {
      const std::optional<double> x = read_decimal(word);
      if (!x || *x < 0 || *x > 4e9 || *x != std::floor(*x)) {
        refuse(node, '"' + std::string(word.substr(0, 40)) + "\" is not an index", "correct it");
      }
      indices.push_back(static_cast<std::size_t>(*x));
    }
    return indices;
  }

  // ---- nodes

  void write_node(const Node& node, int level) {
    if (++nodes_ > kMostNodes || level > kMostLevels) {
      refuse(node, "too many nodes, or nodes that instance each other", "simplify the scene");
    }
    out_.OpenElement("node");
    for_each_child(node, [&](const Node& child) {
      if (is(child, "node")) return write_node(child, level + 1);
      if (is(child, "instance_node")) return write_node(target(child, "url", "node"), level + 1);
      if (is(child, "instance_geometry")) return write_instance(target(child, "url", "geometry"));
      if (is(child, "instance_controller")) {
        const Node& skin = part(target(child, "url", "controller"), "skin");
        check_bind_shape(skin);
        return write_instance(target(skin, "source", "geometry"));
      }
      if (is(child, "instance")) refuse(child, "a form of COLLADA 1.3", "export COLLADA 1.4");
      if (is(child, "skew")) refuse(child, "it is not supported", "give a <matrix>");
      for (const auto& [name, size] : std::initializer_list<std::pair<const char*, std::size_t>>{
               {"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}, {"lookat", 9}}) {
        if (is(child, name)) write_transform(child, size);
      }
    });
    out_.CloseElement();
  }

  void write_transform(const Node& node, std::size_t size) {
    const std::string text = text_of(node);
    std::vector<std::string> numbers;
    for (const std::string_view word : words_of(text)) {
      if (is_non_number(word)) refuse(node, "a number that is not finite", "correct it");
      numbers.push_back(plain(node, word));
    }
    if (numbers.size() != size) {
      refuse(
          node,
          std::to_string(numbers.size()) + " numbers where " + std::to_string(size) + " are needed",
          "correct it");
    }
    // The mesh library makes rigid motions of these two only of unit vectors at right angles.
    if (is(node, "lookat")) return write_text("matrix", joined(node, lookat_matrix(node, numbers)));
    if (is(node, "rotate")) set_unit_axis(node, numbers);
    if (is(node, "matrix")) require_affine(node, numbers);
    write_text(node.Name(), joined(node, numbers));
  }

  Eigen::Vector3d vector_of(const Node& node, const std::string* numbers) const {
    Eigen::Vector3d v;
    for (int k = 0; k < 3; ++k) {
      const std::optional<double> x = read_decimal(numbers[k]);
      if (!x) refuse(node, '"' + numbers[k].substr(0, 40) + "\" is too large", "correct it");
      v[k] = *x;
    }
    return v;
  }

  void require_affine(const Node& node, const std::vector<std::string>& numbers) const {
    for (std::size_t k = 12; k < 16; ++k) {
      if (read_decimal(numbers[k]) != (k == 15 ? 1.0 : 0.0)) {
        refuse(node, "its last row is not 0 0 0 1", "give an affine map");
      }
    }
  }

  void set_unit_axis(const Node& node, std::vector<std::string>& numbers) const {
    const Eigen::Vector3d axis = vector_of(node, numbers.data());
    if (axis.squaredNorm() == 1.0) return;
    if (axis.isZero(0.0)) {
      const std::optional<double> angle = read_decimal(numbers[3]);
      if (angle && *angle == 0.0) return;
      refuse(node, "the axis is zero", "give a direction");
    }
    const Eigen::Vector3d unit = axis.stableNormalized();
    for (int k = 0; k < 3; ++k) numbers[static_cast<std::size_t>(k)] = show(unit[k]);
  }

  // Looks along -z from the eye to the interest point; up only says which way y goes.
  std::vector<std::string> lookat_matrix(const Node& node,
                                         const std::vector<std::string>& numbers) const {
    const Eigen::Vector3d eye = vector_of(node, &numbers[0]);
    const Eigen::Vector3d back = (eye - vector_of(node, &numbers[3])).stableNormalized();
    const Eigen::Vector3d up = vector_of(node, &numbers[6]).stableNormalized();
    const Eigen::Vector3d across = up.cross(back);
    if (!(across.norm() > 1e-6)) {
      refuse(node, "the view has no direction, or up lies along it", "give a <matrix>");
    }
    const Eigen::Vector3d right = across.normalized();
    Eigen::Matrix<double, 3, 4> X;
    X << right, back.cross(right), back, eye;
    std::vector<std::string> entries;
    for (const double x : X.reshaped<Eigen::RowMajor>()) entries.push_back(show(x));
    entries.insert(entries.end(), {"0", "0", "0", "1"});
    return entries;
  }

  std::string joined(const Node& node, const std::vector<std::string>& numbers) const {
    std::string text;
    for (const std::string& number : numbers) text += plain(node, number) + ' ';
    return text;
  }

  // The mesh library reads a skin as the mesh alone, which then would be in another place.
  void check_bind_shape(const Node& skin) const {
    const Node* const matrix = skin.FirstChildElement("bind_shape_matrix");
    if (matrix == nullptr) return;
    const std::string text = text_of(*matrix);
    const std::vector<std::string_view> words = words_of(text);
    bool identity = words.size() == 16;
    for (std::size_t i = 0; identity && i < 16; ++i) {
      identity = read_decimal(words[i]) == (i % 5 == 0 ? 1.0 : 0.0);
    }
    if (!identity) {
      refuse(*matrix, "a skin that moves its mesh is not supported",
             "export the mesh without its skeleton");
    }
  }

  void write_instance(const Node& node) {
    const Geometry& geometry = geometry_of(node);
    if (geometry.faces == 0) return;
    out_.OpenElement("instance_geometry");
    out_.PushAttribute("url", ("#" + geometry.id).c_str());
    out_.CloseElement();
  }

  // ---- geometries

  const Geometry& geometry_of(const Node& node) {
    const auto [place, inserted] = geometries_.emplace(&node, Geometry());
    Geometry& geometry = place->second;
    if (!inserted) return geometry;
    geometry.id = "g" + std::to_string(geometries_.size());
    const Node* const mesh = node.FirstChildElement("mesh");
    if (mesh == nullptr) {
      if (node.FirstChildElement("spline") != nullptr) return geometry;  // lines occupy nothing
      refuse(node, "no <mesh>", "export it as triangles");
    }
    const Node& vertices = part(*mesh, "vertices");
    read_positions(vertices, geometry);
    for_each_child(*mesh, [&](const Node& child) {
      for (const char* name : {"triangles", "polylist", "polygons", "tristrips", "trifans"}) {
        if (is(child, name)) read_faces(child, vertices, geometry);
      }
    });
    mesh_.faces += geometry.faces;
    return geometry;
  }

  void read_positions(const Node& vertices, Geometry& geometry) const {
    const Node* input = nullptr;
    for_each_child(vertices, [&](const Node& child) {
      const char* const semantic = child.Attribute("semantic");
      if (is(child, "input") && semantic != nullptr && std::strcmp(semantic, "POSITION") == 0) {
        input = &child;
      }
    });
    if (input == nullptr) refuse(vertices, "no input POSITION", "export the mesh again");
    const Node& accessor =
        part(part(target(*input, "source", "source"), "technique_common"), "accessor");
    const Node& array = target(accessor, "source", "float_array");
    const std::string text = text_of(array);
    const std::vector<std::string_view> words = words_of(text);
    if (count(array, "count", words.size() + 1) != words.size()) {
      refuse(array, "it holds " + std::to_string(words.size()) + " numbers, not its count",
             "correct the count");
    }
    std::array<std::size_t, 3> axis{0, 1, 2};
    std::size_t params = 0;
    for_each_child(accessor, [&](const Node& child) {
      const char* const name = child.Attribute("name");
      for (std::size_t k = 0; k < 3; ++k) {
        if (name != nullptr && name[0] == "XYZ"[k] && name[1] == '\0') axis[k] = params;
      }
      ++params;
    });
    const std::size_t stride = count(accessor, "stride", 1), offset = count(accessor, "offset", 0);
    geometry.vertices = count(accessor, "count", 0);
    if (stride <= *std::max_element(axis.begin(), axis.end())) {
      refuse(accessor, "fewer than three coordinates", "give X, Y and Z");
    }
    if (offset + geometry.vertices * stride > words.size()) {
      refuse(accessor,
             "it reads past the end of array \"" + std::string(array.Attribute("id")) + '"',
             "correct its count and stride");
    }
    for (std::size_t i = 0; i < geometry.vertices; ++i) {
      for (const std::size_t k : axis) {
        geometry.positions += plain(array, words[offset + i * stride + k]) + ' ';
      }
    }
  }

  void read_faces(const Node& node, const Node& vertices, Geometry& geometry) const {
    std::size_t stride = 1;
    std::optional<std::size_t> place;
    std::vector<std::size_t> sizes;  // of the polygons of a polylist
    std::vector<std::vector<std::size_t>> lists;
    for_each_child(node, [&](const Node& child) {
      if (is(child, "input")) {
        const std::size_t offset = count(child, "offset", 0);
        if (offset > 1000) refuse(child, "too large an offset", "correct it");
        stride = std::max(stride, offset + 1);
        const char* const semantic = child.Attribute("semantic");
        if (semantic == nullptr || std::strcmp(semantic, "VERTEX") != 0) return;
        if (&target(child, "source", "vertices") != &vertices) {
          refuse(child, "the vertices of another mesh", "correct it");
        }
        place = offset;
      } else if (is(child, "vcount")) {
        sizes = indices_of(child);
      } else if (is(child, "p")) {
        lists.push_back(corners_of(child, stride, place, geometry.vertices));
      } else if (is(child, "ph")) {
        refuse(child, "polygons with holes are not supported",
               "triangulate the mesh when exporting it");
      }
    });

    std::vector<std::size_t> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    std::size_t given = lists.size();  // what the attribute count counts
    if (is(node, "triangles")) {
      given = all.size() / 3;
      if (all.size() % 3 != 0) refuse(node, "a triangle that ends early", "correct its <p>");
      for (std::size_t i = 0; i < all.size(); i += 3) add_face(&all[i], 3, geometry);
    } else if (is(node, "polylist")) {
      given = sizes.size();
      std::size_t at = 0;
      for (const std::size_t size : sizes) {
        if (size > all.size() - at) refuse(node, "a polygon that ends early", "correct its <p>");
        add_face(all.data() + at, size, geometry);
        at += size;
      }
      if (at != all.size()) refuse(node, "its <p> is longer than its <vcount>", "correct them");
    } else if (is(node, "polygons")) {
      for (const auto& list : lists) add_face(list.data(), list.size(), geometry);
    } else {
      const bool fan = is(node, "trifans");
      for (const auto& list : lists) {
        for (std::size_t i = 2; i < list.size(); ++i) {
          const std::size_t first = fan ? 0 : i - 2 + i % 2, second = fan ? i - 1 : i - 1 - i % 2;
          const std::size_t face[3] = {list[first], list[second], list[i]};
          add_face(face, 3, geometry);
        }
      }
    }
    if (count(node, "count", given) != given) {
      refuse(node, "it holds " + std::to_string(given) + " parts, not its count",
             "correct the count");
    }
  }

  std::vector<std::size_t> corners_of(const Node& node, std::size_t stride,
                                      std::optional<std::size_t> place,
                                      std::size_t vertices) const {
    if (!place) refuse(node, "no input VERTEX before it", "export the mesh again");
    const std::vector<std::size_t> all = indices_of(node);
    if (all.size() % stride != 0) refuse(node, "it ends early", "give an index for each input");
    std::vector<std::size_t> corners;
    for (std::size_t i = *place; i < all.size(); i += stride) {
      if (all[i] >= vertices) {
        refuse(node,
               "index " + std::to_string(all[i]) + " is not one of " + std::to_string(vertices) +
                   " vertices",
               "correct it");
      }
      corners.push_back(all[i]);
    }
    return corners;
  }

  static void add_face(const std::size_t* corners, std::size_t size, Geometry& geometry) {
    if (size < 3) return;  // points and lines occupy nothing
    ++geometry.faces;
    geometry.corners += std::to_string(size) + ' ';
    for (std::size_t k = 0; k < size; ++k) geometry.indices += std::to_string(corners[k]) + ' ';
  }

  // ---- output

  void write_text(const char* name, const std::string& text) {
    out_.OpenElement(name);
    out_.PushText(text.c_str());
    out_.CloseElement();
  }

  void write_input(const char* semantic, const std::string& source) {
    out_.OpenElement("input");
    out_.PushAttribute("semantic", semantic);
    out_.PushAttribute("source", source.c_str());
    if (std::strcmp(semantic, "VERTEX") == 0) out_.PushAttribute("offset", 0);
    out_.CloseElement();
  }

  void write_geometry(const Node& node, const Geometry& geometry) {
    const char* given = node.Attribute("name");
    if (given == nullptr) given = node.Attribute("id");
    std::string name = std::string(given).substr(0, 200);  // in messages
    for (char& c : name) {
      if (c < ' ' || c > '~') c = '?';
    }
    const std::string& id = geometry.id;
    out_.OpenElement("geometry");
    out_.PushAttribute("id", id.c_str());
    out_.PushAttribute("name", name.c_str());
    out_.OpenElement("mesh");
    out_.OpenElement("source");
    out_.PushAttribute("id", (id + "p").c_str());
    out_.OpenElement("float_array");
    out_.PushAttribute("id", (id + "a").c_str());
    out_.PushAttribute("count", std::to_string(3 * geometry.vertices).c_str());
    out_.PushText(geometry.positions.c_str());
    out_.CloseElement();
    out_.OpenElement("technique_common");
    out_.OpenElement("accessor");
    out_.PushAttribute("source", ("#" + id + "a").c_str());
    out_.PushAttribute("count", std::to_string(geometry.vertices).c_str());
    out_.PushAttribute("stride", 3);
    for (const char* axis : {"X", "Y", "Z"}) {
      out_.OpenElement("param");
      out_.PushAttribute("name", axis);
      out_.PushAttribute("type", "float");
      out_.CloseElement();
    }
    out_.CloseElement();
    out_.CloseElement();
    out_.CloseElement();
    out_.OpenElement("vertices");
    out_.PushAttribute("id", (id + "v").c_str());
    write_input("POSITION", "#" + id + "p");
    out_.CloseElement();
    out_.OpenElement("polylist");
    out_.PushAttribute("count", std::to_string(geometry.faces).c_str());
    write_input("VERTEX", "#" + id + "v");
    write_text("vcount", geometry.corners);
    write_text("p", geometry.indices);
    out_.CloseElement();
    out_.CloseElement();
    out_.CloseElement();
  }

  const std::string& path_;
  tinyxml2::XMLDocument document_;
  tinyxml2::XMLPrinter out_{nullptr, true};
  CheckedMesh mesh_;
  int nodes_ = 0;
  std::map<std::string, std::map<std::string, const Node*>> ids_;  // by the element's name
  std::map<const Node*, Geometry> geometries_;
};

}  // namespace

CheckedMesh check_collada(const std::string& path, const std::string& text) {
  return ColladaCheck(path, text).check();
}

}  // namespace catena::io
