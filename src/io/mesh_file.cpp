#include "catena/io/mesh_file.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <Eigen/LU>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catena/io/input_error.hpp"
#include "catena/math/rounding.hpp"
#include "io/document.hpp"
#include "io/mesh_check.hpp"

namespace catena::io {

namespace {

constexpr const char* kFormats = "STL, OBJ, PLY, OFF, COLLADA (.dae)";
constexpr const char* kExportAgain = "export it again, as STL, OBJ, PLY or COLLADA";
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
  void walk(const aiScene& scene, double unit);
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

void Reader::walk(const aiScene& scene, double unit) {
  struct Visit {
    const aiNode* node;
    Placement X;
  };
  Placement scaled;
  scaled.map *= unit;
  const Placement root = compose(scaled, placement_of(scene.mRootNode->mTransformation));
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
  std::optional<CheckedMesh> checked;
  if (ending == "stl") checked = check_stl(path, bytes);
  if (ending == "obj") checked = check_obj(path, bytes);
  if (ending == "ply") checked = check_ply(path, bytes);
  if (ending == "off") checked = check_off(path, bytes);
  if (ending == "dae") checked = check_collada(path, bytes);
  if (!checked) {
    fail(path, "",
         ending.empty() ? "a mesh without an ending, which would name its format"
                        : "\"." + ending + "\" is not the ending of a mesh format that is read",
         std::string("convert it to one of ") + kFormats);
  }
  if (checked->faces == 0) fail(path, "", "no triangles", "export a mesh with faces");

  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // Read from memory, so that no material library or picture is looked for.
  const std::string& input = checked->bytes;
  const aiScene* scene = importer.ReadFileFromMemory(input.data(), input.size(), 0, ending.c_str());
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::string why = importer.GetErrorString();
    std::replace(why.begin(), why.end(), '\n', ' ');
    fail(path, "", "the mesh cannot be read" + (why.empty() ? "" : " (" + why + ")"), kExportAgain);
  }
  check_faces(*scene);
  if (ending != "stl" && count_faces(*scene) != checked->faces) {
    throw InputError(path, checked->line, "",
                     std::to_string(checked->faces) + " faces are announced, but " +
                         std::to_string(count_faces(*scene)) + " can be read",
                     "correct the faces that name missing vertices, or export the mesh again");
  }
  const auto [triangles, polygons] = count_triangles(*scene);
  if (ending == "stl" && triangles != checked->faces) {
    fail(path, "",
         std::to_string(checked->faces) + " facets are announced, but " +
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
  walk(*scene, checked->unit);
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
    fail(path, "", std::string("the mesh cannot be read (") + error.what() + ")", kExportAgain);
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
