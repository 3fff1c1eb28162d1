#include "catena/io/mesh_file.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <tinyxml2.h>

#include <Eigen/LU>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/input_error.hpp"
#include "catena/math/rounding.hpp"
#include "io/document.hpp"
#include "io/ply_file.hpp"

namespace catena::io {

namespace {

constexpr std::size_t kMaxTriangles = 50'000'000;  // instances can multiply a small file

// An affine map from node coordinates, and how far each entry may be from the exact product.
struct Placement {
  Eigen::Matrix<double, 3, 4> map = Eigen::Matrix<double, 3, 4>::Identity();
  Eigen::Matrix<double, 3, 4> error = Eigen::Matrix<double, 3, 4>::Zero();

  bool is_identity() const { return map.isIdentity(0.0) && error.isZero(0.0); }
};

// this * node, the node's matrix being exact. Each entry is a sum of at most four products.
Placement compose(const Placement& parent, const Placement& node) {
  if (node.is_identity()) return parent;
  if (parent.is_identity()) return node;
  Placement product;
  const Eigen::Matrix3d R = parent.map.leftCols<3>();
  const Eigen::Matrix3d R_error = parent.error.leftCols<3>();
  product.map = R * node.map;
  product.map.col(3) += parent.map.col(3);
  Eigen::Matrix<double, 3, 4> size = R.cwiseAbs() * node.map.cwiseAbs();
  size.col(3) += parent.map.col(3).cwiseAbs();
  product.error = R_error * node.map.cwiseAbs() + 5.0 * kUnitRoundoff * size;
  product.error.col(3) += parent.error.col(3);
  for (double& e : product.error.reshaped()) e = e == 0.0 ? 0.0 : bound_above(e, 12);
  return product;
}

Placement placement_of(const aiMatrix4x4& m) {
  Placement node;
  node.map << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4;
  return node;
}

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

[[noreturn]] void fail(const std::string& path, const std::string& element,
                       const std::string& problem, const std::string& remedy) {
  throw InputError(path, 0, element, problem, remedy);
}

// What the file itself says of its faces: the mesh library drops what it cannot read without an
// error, and a lost triangle would be a hole in an obstacle.
struct Promise {
  std::size_t faces = 0;
  int line = 0;  // where it is said
};

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

Promise promise_of_stl(const std::string& path, const std::string& bytes) {
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

Promise promise_of_obj(const std::string& path, const std::string& text) {
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
Promise promise_of_off(const std::string& path, const std::string& text) {
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

// COLLADA's unit in metres. The mesh library narrows it to single precision, which would move a
// part of a metre by some nanometres.
double collada_unit(const std::string& path, const std::string& text) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw InputError(path, document.ErrorLineNum(), "", document.ErrorName(),
                     "correct the XML there");
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  const tinyxml2::XMLElement* asset = root ? root->FirstChildElement("asset") : nullptr;
  const tinyxml2::XMLElement* unit = asset ? asset->FirstChildElement("unit") : nullptr;
  const char* meter = unit ? unit->Attribute("meter") : nullptr;
  if (meter == nullptr) return 1.0;
  const std::optional<double> u = read_decimal(meter);
  if (!u || !(*u > 0.0)) {
    throw InputError(path, unit->GetLineNum(), "<unit>",
                     "meter=\"" + std::string(meter) + "\" is not a positive number",
                     "give the unit's length in metres");
  }
  return *u;
}

struct Reader {
  const std::string& path;
  const Eigen::Vector3d& scale;
  Assimp::Importer importer;
  TriangleMesh mesh;
  Eigen::Vector3d error = Eigen::Vector3d::Zero();

  void read(const std::string& bytes, const std::string& ending);
  std::string mesh_name(const aiMesh& part) const;
  void check_faces(const aiScene& scene) const;
  void append(const aiMesh& part, const Placement& placement);
  void walk(const aiScene& scene, std::optional<double> unit);
};

std::string Reader::mesh_name(const aiMesh& part) const {
  return "mesh \"" + std::string(part.mName.C_Str()) + "\"";
}

// Before any other step of the library sees the faces: not all of its importers check indices.
void Reader::check_faces(const aiScene& scene) const {
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& part = *scene.mMeshes[m];
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      for (unsigned k = 0; k < part.mFaces[f].mNumIndices; ++k) {
        if (part.mFaces[f].mIndices[k] >= part.mNumVertices) {
          fail(path, mesh_name(part) + " face " + std::to_string(f),
               "it names vertex " + std::to_string(part.mFaces[f].mIndices[k]) + " of " +
                   std::to_string(part.mNumVertices),
               "correct the index");
        }
      }
    }
  }
}

void Reader::append(const aiMesh& part, const Placement& placement) {
  const Eigen::Matrix<double, 3, 4>& map = placement.map;
  const bool mapped = !placement.is_identity();
  const bool scaled = scale != Eigen::Vector3d::Ones();
  const bool mirrored =
      (map.leftCols<3>().determinant() < 0.0) != (scale.prod() < 0.0);  // keep outsides outside
  std::vector<int> number(part.mNumVertices, -1);

  const auto place = [&](unsigned k) {
    const Eigen::Vector3d v(part.mVertices[k].x, part.mVertices[k].y, part.mVertices[k].z);
    Eigen::Vector3d x = v;
    Eigen::Vector3d e = Eigen::Vector3d::Zero();
    if (mapped) {
      x = map.leftCols<3>() * v + map.col(3);
      const Eigen::Vector3d size =
          map.leftCols<3>().cwiseAbs() * v.cwiseAbs() + map.col(3).cwiseAbs();
      e = placement.error.leftCols<3>() * v.cwiseAbs() + placement.error.col(3) +
          5.0 * kUnitRoundoff * size;
    }
    if (scaled) {
      x = scale.cwiseProduct(x);
      e = scale.cwiseAbs().cwiseProduct(e) + kUnitRoundoff * x.cwiseAbs();
    }
    if (!x.allFinite()) {
      fail(path, mesh_name(part) + " vertex " + std::to_string(k),
           "a triangle uses it, and its coordinates (" + show(v.x()) + ", " + show(v.y()) + ", " +
               show(v.z()) + ")" + (v.allFinite() ? " overflow when scaled" : " are not finite"),
           "correct the mesh");
    }
    error = error.cwiseMax(e);
    number[k] = static_cast<int>(mesh.vertices.size());
    // Adding zero turns -0 into 0, so that vertices that are equal are also bit-equal.
    mesh.vertices.push_back(x + Eigen::Vector3d::Zero());
  };

  for (unsigned f = 0; f < part.mNumFaces; ++f) {
    const aiFace& face = part.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines occupy nothing
    std::array<int, 3> triangle{};
    for (unsigned k = 0; k < 3; ++k) {
      if (number[face.mIndices[k]] < 0) place(face.mIndices[k]);
      triangle[k] = number[face.mIndices[k]];
    }
    if (mirrored) std::swap(triangle[1], triangle[2]);
    mesh.triangles.push_back(triangle);
  }
  if (mesh.triangles.size() > kMaxTriangles) {
    fail(path, "", "more than 50 million triangles", "simplify the mesh");
  }
}

void Reader::walk(const aiScene& scene, std::optional<double> unit) {
  struct Visit {
    const aiNode* node;
    Placement X;
  };
  Placement root = placement_of(scene.mRootNode->mTransformation);
  if (unit) {
    // The importer multiplies the root's matrix, the identity in COLLADA, by the unit.
    const Placement at = root;
    root.map = Placement().map * *unit;
    const double rounded = at.map(0, 0);
    if (at.map != Eigen::Matrix<double, 3, 4>(Placement().map * rounded)) {
      fail(path, "<visual_scene>", "the root has a transformation of its own",
           "move it to the nodes below");
    }
  }
  std::vector<Visit> open{{scene.mRootNode, root}};
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    for (unsigned i = 0; i < visit.node->mNumMeshes; ++i) {
      append(*scene.mMeshes[visit.node->mMeshes[i]], visit.X);
    }
    for (unsigned i = visit.node->mNumChildren; i-- > 0;) {
      const aiNode* child = visit.node->mChildren[i];
      open.push_back({child, compose(visit.X, placement_of(child->mTransformation))});
    }
  }
}

std::size_t count_faces(const aiScene& scene) {
  std::size_t faces = 0;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    for (unsigned f = 0; f < scene.mMeshes[m]->mNumFaces; ++f) {
      faces += scene.mMeshes[m]->mFaces[f].mNumIndices >= 3;
    }
  }
  return faces;
}

// Triangles that all polygons together make, and whether there is any larger polygon.
std::pair<std::size_t, bool> count_triangles(const aiScene& scene) {
  std::size_t triangles = 0;
  bool polygons = false;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    for (unsigned f = 0; f < scene.mMeshes[m]->mNumFaces; ++f) {
      const unsigned n = scene.mMeshes[m]->mFaces[f].mNumIndices;
      if (n >= 3) triangles += n - 2;
      polygons |= n > 3;
    }
  }
  return {triangles, polygons};
}

void Reader::read(const std::string& bytes, const std::string& ending) {
  std::optional<Promise> promise;
  std::optional<double> unit;
  if (ending == "stl") promise = promise_of_stl(path, bytes);
  if (ending == "obj") promise = promise_of_obj(path, bytes);
  if (ending == "ply") promise = Promise{count_ply_faces(bytes, path), 0};
  if (ending == "off") promise = promise_of_off(path, bytes);
  if (ending == "dae") unit = collada_unit(path, bytes);
  if (promise && promise->faces == 0) fail(path, "", "no triangles", "export a mesh with faces");

  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // One-file formats are read from memory: a byte order mark is gone there, and no material
  // library is looked for. The others may name files beside them.
  const bool one_file = promise || unit || ending == "glb";
  const aiScene* scene =
      one_file ? importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, ending.c_str())
               : importer.ReadFile(path, 0);
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::string why = importer.GetErrorString();
    std::replace(why.begin(), why.end(), '\n', ' ');
    fail(path, "", "the mesh cannot be read" + (why.empty() ? "" : " (" + why + ")"),
         "export it again, as STL, OBJ, PLY or COLLADA");
  }
  check_faces(*scene);
  if (promise && ending != "stl" && count_faces(*scene) != promise->faces) {
    throw InputError(path, promise->line, "",
                     std::to_string(promise->faces) + " faces are announced, but " +
                         std::to_string(count_faces(*scene)) + " can be read",
                     "correct the faces that name missing vertices, or export the mesh again");
  }
  const auto [triangles, polygons] = count_triangles(*scene);
  if (promise && ending == "stl" && triangles != promise->faces) {
    fail(path, "",
         std::to_string(promise->faces) + " facets are announced, but " +
             std::to_string(triangles) + " can be read",
         "export the mesh again");
  }
  if (polygons) {
    scene = importer.ApplyPostProcessing(aiProcess_Triangulate);
    if (scene == nullptr || count_triangles(*scene) != std::pair(triangles, false)) {
      fail(path, "", "a polygon that crosses itself or has no area cannot be split into triangles",
           "triangulate the mesh when exporting it");
    }
  }
  walk(*scene, unit);
}

}  // namespace

TriangleMesh load_mesh(const std::string& path, const Eigen::Vector3d& scale) {
  if (!scale.allFinite() || (scale.array() == 0.0).any()) {
    fail(path, "scale",
         show(scale.x()) + " " + show(scale.y()) + " " + show(scale.z()) +
             " has a factor that is zero or not finite",
         "give three finite factors other than 0");
  }
  const std::string bytes = read_text_file(path);
  if (bytes.empty()) fail(path, "", "the file is empty", "export the mesh again");
  Reader reader{path, scale, {}, {}, Eigen::Vector3d::Zero()};
  try {
    reader.read(bytes, lower_ending(path));
  } catch (const InputError&) {
    throw;
  } catch (const std::bad_alloc&) {
    fail(path, "", "not enough memory for this mesh", "simplify the mesh");
  } catch (const std::exception& error) {
    fail(path, "", std::string("the mesh cannot be read (") + error.what() + ")",
         "export it again, as STL, OBJ, PLY or COLLADA");
  }
  if (reader.mesh.triangles.empty()) {
    fail(path, "", "no triangles", "export a mesh with faces; lines and points occupy nothing");
  }
  if (!reader.error.isZero(0.0)) {
    reader.mesh.vertex_error = bound_above(reader.error.norm(), 24);
  }
  return std::move(reader.mesh);
}

}  // namespace catena::io
