#include "sphere_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "random.hpp"

namespace catena::bench {
namespace {

int cube_side(int n) { return static_cast<int>(std::ceil(std::cbrt(n) - 1e-9)); }

/// The first n sites of the rows through a cube of that side, as integer coordinates.
std::vector<Vector3d> rows(int n, int side) {
  std::vector<Vector3d> sites;
  sites.reserve(n);
  for (int i = 0; i < n; ++i) {
    const int row = i / side, layer = row / side;
    const int y = layer % 2 == 0 ? row % side : side - 1 - row % side;
    const int x = row % 2 == 0 ? i % side : side - 1 - i % side;
    sites.emplace_back(x, y, layer);
  }
  return sites;
}

/// A frame with its x axis along the unit vector x.
Matrix3d frame_along(const Vector3d& x) {
  const Vector3d helper = std::abs(x.z()) < 0.9 ? Vector3d::UnitZ() : Vector3d::UnitX();
  const Vector3d y = helper.cross(x).normalized();
  Matrix3d R;
  R << x, y, x.cross(y);
  return R;
}

}  // namespace

SphereChain cube_chain(int n) {
  SphereChain chain{rows(n, cube_side(n)), 1.0};
  for (Vector3d& c : chain.centres) c *= 4.0;
  return chain;
}

SphereChain backbone_chain(int n) {
  const double half_angle = 55.5 * std::numbers::pi / 180;
  const double advance = 1.5 * std::sin(half_angle);
  const double amplitude = 0.5 * 1.5 * std::cos(half_angle);
  const double row_spacing = 4.8;
  int side = 2;
  while (static_cast<double>(side) * side * side * row_spacing / advance < n + 8) ++side;
  std::vector<Vector3d> way = rows(side * side * side, side);
  for (Vector3d& w : way) w *= row_spacing;

  SphereChain chain{{}, 0.5};
  double next = 0;  // where on the current stretch the next sphere goes
  double sign = 1;
  for (size_t i = 0; i + 1 < way.size(); ++i) {
    const Vector3d along = (way[i + 1] - way[i]).normalized();
    const Vector3d up = std::abs(along.z()) < 0.5 ? Vector3d::UnitZ() : Vector3d::UnitX();
    while (next < row_spacing) {
      if (chain.size() == n) return chain;
      chain.centres.push_back(way[i] + next * along + (sign * amplitude) * up);
      sign = -sign;
      next += advance;
    }
    next -= row_spacing;
  }
  return chain;
}

SphereChain globule_chain(int side, std::uint64_t seed) {
  const int n = side * side * side;
  SphereChain chain{rows(n, side), 1.0};
  std::vector<int> place(n);  // of each site on the path
  const auto site = [&](const Vector3d& p) {
    return static_cast<int>(p.x()) + side * static_cast<int>(p.y() + side * p.z());
  };
  for (int i = 0; i < n; ++i) place[site(chain.centres[i])] = i;

  // Backbite: an end bonds with a random lattice neighbour, which lets go of its bond towards that
  // end; the stretch between turns round. 20 n moves leave nothing of the rows: each removes one of
  // n bonds, so about e^-20 of them never moved.
  SplitMix64 random(seed);
  for (int move = 0; move < 20 * n; ++move) {
    const bool tail = random.below(2) == 1;
    const int axis = random.below(3);
    const double step = random.below(2) == 1 ? 1.0 : -1.0;
    Vector3d p = tail ? chain.centres.back() : chain.centres.front();
    p[axis] += step;
    if (p[axis] < 0 || p[axis] >= side) continue;
    const int j = place[site(p)];
    const int first = tail ? j + 1 : 0, last = tail ? n : j;
    std::reverse(chain.centres.begin() + first, chain.centres.begin() + last);
    for (int i = first; i < last; ++i) place[site(chain.centres[i])] = i;
  }
  for (Vector3d& c : chain.centres) c *= 4.0;
  return chain;
}

SphereChain folded_chain(int length) {
  SphereChain chain{{}, 1.0};
  for (int i = 0; i < 3 * length; ++i) {
    const int leg = i / length, along = i % length;
    chain.centres.emplace_back(4.0 * (leg % 2 == 0 ? along : length - 1 - along), 4.0 * leg, 0.0);
  }
  return chain;
}

SphereChain corner_chain(int side, int stride) {
  SphereChain chain{{}, 1.0};
  const int half = side / 2;
  for (int piece = 0; piece < half * half; ++piece) {
    const int b = piece / half;
    const int a = b % 2 == 0 ? piece % half : half - 1 - piece % half;
    const size_t first = chain.centres.size();
    for (int x = 0; x < side - a; x += stride) chain.centres.emplace_back(x, a, b);
    for (int y = a; y < 2 * side - b; y += stride) chain.centres.emplace_back(side - a, y, b);
    for (int z = b; z < side; z += stride) chain.centres.emplace_back(side - a, 2 * side - b, z);
    chain.centres.emplace_back(side - a, 2 * side - b, side);
    if (piece % 2 == 1) {
      std::reverse(chain.centres.begin() + static_cast<std::ptrdiff_t>(first), chain.centres.end());
    }
  }
  for (Vector3d& c : chain.centres) c *= 2.2;
  return chain;
}

TorsionKinematics::TorsionKinematics(std::span<const Vector3d> centres) {
  const int joints = static_cast<int>(centres.size()) - 1;
  const auto bond = [&](int i) -> Vector3d { return centres[i + 1] - centres[i]; };
  p_WB0_ = centres[0];
  R_WB0_ = frame_along(bond(0).normalized());
  Matrix3d R = R_WB0_;
  for (int i = 0; i < joints; ++i) {
    const Matrix3d R_next = i + 1 < joints ? frame_along(bond(i + 1).normalized()) : R;
    lengths_.push_back(bond(i).norm());
    bends_.push_back(R.transpose() * R_next);
    R = R_next;
  }
}

void TorsionKinematics::place(std::span<const double> torsions, std::span<Vector3d> centres) const {
  Matrix3d R = R_WB0_;
  centres[0] = p_WB0_;
  for (int i = 0; i < num_joints(); ++i) {
    centres[i + 1] = centres[i] + lengths_[i] * R.col(0);
    const double c = std::cos(torsions[i]), s = std::sin(torsions[i]);
    Matrix3d turned;  // R * Rx(torsion)
    turned << R.col(0), c * R.col(1) + s * R.col(2), c * R.col(2) - s * R.col(1);
    R.noalias() = turned * bends_[i];
  }
}

RigidTransform bond_rotation(std::span<const Vector3d> centres, int joint, double angle) {
  const Vector3d& o = centres[joint];
  RigidTransform X;
  X.R = Eigen::AngleAxisd(angle, (centres[joint + 1] - o).normalized()).toRotationMatrix();
  X.p = o - X.R * o;
  return X;
}

}  // namespace catena::bench
