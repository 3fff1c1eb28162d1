// Uniform hash grids over explicit centres: what a competent user writes without a library.
#include <cstdint>
#include <cstdlib>

#include "centre_method.hpp"
#include "chain_methods.hpp"
#include "hash_grid.hpp"

namespace catena::bench {
namespace {

// Edge of a cell in radii: the fastest of 4, 5, 6, 8 and 10 over all chains.
constexpr double kCell = 8;

/// Inserts all spheres anew after each move, each tested against those before it.
class GridRebuild : public CentreMethod {
  void build() override { grid_.reset(static_cast<int>(centres_.size()), kCell * radius_); }
  void moved(int) override {}
  bool is_free() override {
    grid_.clear();
    for (int i = 0; i < static_cast<int>(centres_.size()); ++i) {
      const bool hit = grid_.any(centres_[i], 2 * radius_,
                                 [&](int j) { return !far_apart(i, j) && are_checked(i, j); });
      if (hit) return false;
      ++tests_.updates;
      grid_.insert(i, grid_.slot(centres_[i]));
    }
    return true;
  }

  HashGrid grid_;
};

/// Keeps the grid. Tests each sphere of the moved side where it goes, against the side that rests,
/// so that a collision ends the move early and needs no undo.
class GridTurn : public ChainMethod {
 public:
  /// A free-floating chain may turn its shorter side instead of the tail.
  explicit GridTurn(bool shorter_side) : shorter_side_(shorter_side) {}

  void init(const SphereChain& chain) override {
    centres_ = moved_ = chain.centres;
    diameter_ = 2 * chain.radius;
    unchecked_ = chain.unchecked;
    grid_.reset(chain.size(), kCell * chain.radius);
    for (int i = 0; i < chain.size(); ++i) grid_.insert(i, grid_.slot(centres_[i]));
  }

  bool step(int joint, double angle) override {
    const int n = static_cast<int>(centres_.size());
    int first = joint + 2, last = n, rest_first = 0, rest_last = joint + 2;
    if (shorter_side_ && n - first > joint) {
      first = 0, last = joint, rest_first = joint, rest_last = n;
      angle = -angle;
    }
    const RigidTransform X = bond_rotation(centres_, joint, angle);
    // With strides, since a sphere far from the bond is the likelier hit.
    constexpr int kStride = 16;
    for (int phase = 0; phase < kStride; ++phase) {
      for (int i = first + phase; i < last; i += kStride) {
        const Vector3d c = X * centres_[i];
        moved_[i] = c;
        ++tests_.updates;
        const bool hit = grid_.any(c, diameter_, [&](int j) {
          if (j < rest_first || j >= rest_last || std::abs(i - j) <= unchecked_) return false;
          ++tests_.spheres;
          return (centres_[j] - c).squaredNorm() < diameter_ * diameter_;
        });
        if (hit) return false;
      }
    }
    for (int i = first; i < last; ++i) {
      const std::uint32_t from = grid_.slot(centres_[i]), to = grid_.slot(moved_[i]);
      centres_[i] = moved_[i];
      if (from == to) continue;
      grid_.remove(i, from);
      grid_.insert(i, to);
    }
    return true;
  }

 private:
  bool shorter_side_;
  HashGrid grid_;
  double diameter_ = 0;
  int unchecked_ = 1;
  std::vector<Vector3d> centres_, moved_;
};

}  // namespace

ChainMethods grid_methods() {
  return {{"grid_tail", [] { return std::make_unique<GridTurn>(false); }, false},
          {"grid_shorter_side", [] { return std::make_unique<GridTurn>(true); }, false},
          {"grid_rebuild", [] { return std::make_unique<GridRebuild>(); }}};
}

}  // namespace catena::bench
