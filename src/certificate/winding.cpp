#include "winding.hpp"

namespace catena::certificate {
namespace {

enum class Sign { kNegative, kPositive, kUnknown };

Sign sign(const Real& x) {
  if (is_positive(x)) return Sign::kPositive;
  if (is_negative(x)) return Sign::kNegative;
  return Sign::kUnknown;
}

}  // namespace

std::optional<int> winding(const Mesh& mesh, const Vec& point, const std::array<double, 3>& ray) {
  if (ray == std::array<double, 3>{}) return std::nullopt;
  const Vec d{ray[0], ray[1], ray[2]};
  const auto corner = [&](int k) {
    const auto& v =
        mesh.vertices[static_cast<std::size_t>(mesh.corners[static_cast<std::size_t>(k)])];
    const double e = mesh.vertex_error;
    return Vec{widened(v[0], e), widened(v[1], e), widened(v[2], e)} - point;
  };
  int turns = 0;
  for (int f = 0; f < mesh.num_faces(); ++f) {
    const int first = mesh.first[static_cast<std::size_t>(f)];
    const int last = mesh.first[static_cast<std::size_t>(f) + 1];
    const Vec a = corner(first);
    for (int k = first + 1; k + 1 < last; ++k) {
      const Vec b = corner(k), c = corner(k + 1);
      // Behind the point, or the line passes an edge on either side: not met.
      if (is_negative(dot(d, a)) && is_negative(dot(d, b)) && is_negative(dot(d, c))) continue;
      const Real ab = dot(d, cross(a, b)), bc = dot(d, cross(b, c)), ca = dot(d, cross(c, a));
      const Sign s[3] = {sign(ab), sign(bc), sign(ca)};
      bool positive = false, negative = false, unknown = false;
      for (const Sign one : s) {
        positive = positive || one == Sign::kPositive;
        negative = negative || one == Sign::kNegative;
        unknown = unknown || one == Sign::kUnknown;
      }
      if (positive && negative) continue;
      if (unknown) return std::nullopt;
      // The line crosses it at s d with s (ab + bc + ca) = det(a, b, c).
      const Sign side = sign(dot(a, cross(b, c)));
      if (side == Sign::kUnknown) return std::nullopt;
      if ((side == Sign::kPositive) == positive) turns += positive ? 1 : -1;
    }
  }
  return turns;
}

}  // namespace catena::certificate
