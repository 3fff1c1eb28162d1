#include "io/mesh_shells.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <string>
#include <vector>

namespace catena::io {

std::string doubtful_shells(const Geometry& geometry) {
  if (geometry.kind() != Geometry::Kind::kMesh || !geometry.is_solid()) return "";
  struct Shell {
    Eigen::AlignedBox3d box;
    double volume = 0.0;
    const Vector3d* origin = nullptr;  // near it, so that little cancels in the volume
  };
  const TriangleMesh& mesh = geometry.mesh();
  const std::vector<int> component = connected_components(mesh);
  const auto shell_count =
      static_cast<std::size_t>(*std::max_element(component.begin(), component.end())) + 1;
  if (shell_count == 1) return "";
  std::vector<Shell> shells(shell_count);
  for (std::size_t i = 0; i < component.size(); ++i) {
    Shell& shell = shells[static_cast<std::size_t>(component[i])];
    const auto corner = [&](std::size_t k) -> const Vector3d& {
      return mesh.vertices[static_cast<std::size_t>(mesh.triangles[i][k])];
    };
    if (shell.origin == nullptr) shell.origin = &corner(0);
    for (std::size_t k = 0; k < 3; ++k) shell.box.extend(corner(k));
    const Vector3d a = corner(0) - *shell.origin, b = corner(1) - *shell.origin;
    shell.volume += a.dot(b.cross(corner(2) - *shell.origin)) / 6.0;
  }
  std::size_t stray = 0;
  for (const Shell& inward : shells) {
    if (!(inward.volume < 0.0)) continue;
    bool crosses = false, enclosed = false;
    for (const Shell& outward : shells) {
      if (!(outward.volume > 0.0)) continue;
      crosses = crosses || outward.box.intersects(inward.box);
      enclosed = enclosed || outward.box.contains(inward.box);
    }
    stray += crosses && !enclosed;
  }
  if (stray == 0) return "";
  return "shells that face inward and may cross one that faces outward: " + std::to_string(stray) +
         " of the mesh's " + std::to_string(shell_count) +
         " closed shells; what lies in both counts as empty; turn their triangles, or take the "
         "mesh as a surface";
}

}  // namespace catena::io
