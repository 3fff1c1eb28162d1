#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catena/certificate/check.hpp"
#include "rigid.hpp"

namespace catena::certificate {

/// Polygons as the file has them, scaled; one face's corners are corners[first[i]] up to
/// corners[first[i + 1]]. However a face is cut into triangles, they lie in the hull of its
/// corners.
struct Mesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<int> corners, first{0};
  double vertex_error = 0.0;  ///< metres: how far the exact vertices may be
  bool solid = false;
  std::vector<int> component;  ///< of each face; connected through equal vertices
  int num_components = 0;

  int num_faces() const noexcept { return static_cast<int>(first.size()) - 1; }
};

/// One collision shape, placed in the frame of the link that carries it.
struct Shape {
  enum class Kind : std::uint8_t { kSphere, kCapsule, kBox, kCylinder, kCone, kHalfSpace, kMesh };
  Kind kind = Kind::kSphere;
  /// Sphere: radius. Capsule, cylinder, cone: radius, length. Box: edges. Half-space: normal.
  std::array<double, 3> size{};
  double offset = 0.0;  ///< of a half-space: normal . x <= offset
  std::shared_ptr<const Mesh> mesh;
  Pose X_LG;
  int body = 0;
  int number = 0;  ///< among its body's shapes
};

enum class JointKind : std::uint8_t {
  kFixed,
  kRevolute,
  kContinuous,
  kPrismatic,
  kPlanar,
  kFloating,
  kBall
};

int num_values(JointKind kind) noexcept;

/// A link and the joint that moves it in its parent; the root's is fixed and has no parent.
struct Link {
  std::string name, joint;
  int parent = -1;
  JointKind kind = JointKind::kFixed;
  Pose X_PJ;
  std::array<double, 3> axis{1.0, 0.0, 0.0};
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  struct Mimic {
    std::string joint;
    double multiplier = 1.0, offset = 0.0;
  };
  std::optional<Mimic> mimic;
  int depth = 0;
};

/// A link or a scene's object: what pairs are made of.
struct Body {
  std::string name;
  int link = 0;
  bool of_scene = false;
  int piece = 0;  ///< links that only fixed joints join are one piece
};

/// What the checker reads from robot and scene by itself.
struct Model {
  std::vector<Link> links;  ///< parents first; 0 stands at the world frame
  std::vector<Body> bodies;
  std::vector<Shape> shapes;  ///< those of one body are neighbours
  std::unordered_set<std::uint64_t> unchecked;

  bool checks(int a, int b) const noexcept;
  int find_link(const std::string& name) const noexcept;  ///< -1: none
};

/// Reads everything that `inputs` names. Throws Refusal with the file and what is wrong.
Model read_model(const Inputs& inputs);

// ---- the parts of it

/// Adds a robot; its links and joints become `prefix` and their name.
void read_robot(const std::string& path, const std::string& srdf, const std::string& prefix,
                const Pose& X_WR, const Inputs& inputs, Model& model);
/// Adds a scene of the small JSON or YAML form.
void read_scene(const std::string& path, const Inputs& inputs, Model& model);
/// STL (binary, ASCII) and OBJ.
std::shared_ptr<const Mesh> read_mesh(const std::string& path, const std::array<double, 3>& scale,
                                      Filling filling);
/// The file that a mesh's name in `file` means.
std::string find_mesh(const std::string& name, const std::string& file, const Inputs& inputs);

std::string read_file(const std::string& path);
/// Decimal text as the nearest double; throws Refusal for anything else, naming `what`.
double parse_double(std::string_view text, const std::string& what);
Pose pose_of_quaternion(const std::array<double, 3>& xyz, const std::array<double, 4>& xyzw,
                        const std::string& what);
/// A length that is a number, not negative, and at most 1e50.
double check_size(double value, const std::string& what);

}  // namespace catena::certificate
