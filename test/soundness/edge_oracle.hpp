#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "soundness/convex_gap.hpp"
#include "soundness/kinematics.hpp"
#include "soundness/spec.hpp"

namespace catena::oracle {

/// What is true of an edge, as far as the oracle can tell.
struct Truth {
  enum class Kind {
    kFree,     ///< certified: every pair is apart at every time
    kContact,  ///< a sample is in contact at t_hit
    kBand      ///< neither, within the budget: the gap comes too close to zero
  };
  Kind kind = Kind::kBand;
  Real t_free = 0;   ///< [0, t_free] is certified free of contact (for 0: nothing is)
  Real t_hit = 2;    ///< the earliest time at which a sample was in contact
  Real min_gap = 0;  ///< the smallest sampled gap (over contact: not above 0)
  Real t_min = 0;    ///< when
  int pair = -1;     ///< of min_gap or of the contact
  int evaluations = 0;
};

/// Judges states and edges of one robot in one scene by kinematics, distances and motion bounds of
/// its own.
///
/// Pairs are those of the contract: every link against the scene, every two links but those joined
/// by one joint, of one rigid piece, or disabled; what a link carries as that link, but no joint
/// excepts it; all across robots; less the pairs that the scene allows.
class EdgeOracle {
 public:
  enum class Pairs { kAll, kSceneOnly };
  EdgeOracle(const RobotSpec& robot, const SceneSpec& scene, double clearance = 0.0,
             Pairs which = Pairs::kAll);

  /// Another scene for the same robot. Throws where either scene has attached objects or allowed
  /// pairs, which change the robot's own pairs.
  void set_scene(const SceneSpec& scene, double clearance);

  struct Pair {
    int a, b;  ///< geometries
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::string name(int geometry) const { return geometries_[size_t(geometry)].body; }
  int num_geometries() const { return static_cast<int>(geometries_.size()); }
  int link_of(int geometry) const { return geometries_[size_t(geometry)].link; }
  /// Those of the robot come first; its pairs with itself come before those with the scene.
  int num_moving() const { return num_moving_; }
  int num_own_pairs() const { return num_own_pairs_; }
  Real clearance() const { return clearance_; }

  /// A geometry in its link's frame (of the scene: in the world).
  const std::vector<Solid>& pieces_of(int geometry) const {
    return geometries_[size_t(geometry)].pieces;
  }
  const Vec3& center_of(int geometry) const { return geometries_[size_t(geometry)].center; }
  Real bound_of(int geometry) const { return geometries_[size_t(geometry)].bound; }
  bool is_solid_mesh(int geometry) const { return geometries_[size_t(geometry)].solid_mesh; }
  const Kinematics<Real>& kinematics() const { return kinematics_; }

  /// A state is a motion that stays.
  void set_motion(const std::vector<double>& q0, const std::vector<double>& q1);
  void set_spline(const SplineSpec& spline);

  /// Of the motion that was set, at time t: the gap of one pair less the clearance. A solid mesh
  /// that contains the other geometry counts as contact.
  Gap gap_at(int pair, Real t);
  /// Of one piece of each alone.
  Gap piece_gap_at(int pair, int piece_a, int piece_b, Real t);
  /// The smallest over all pairs; `pair` says whose.
  Gap smallest_gap_at(Real t, int* pair = nullptr);

  /// The pairs with a gap of at most `margin` at t.
  std::vector<int> near_pairs(Real t, Real margin);
  const std::vector<Pose3>& link_poses(Real t);
  /// Of two geometries whose pieces overlap at t: no piece does so by more, metres. The best of
  /// many directions, so mostly not much more than the depth; infinite for half-spaces.
  Real overlap_bound(int pair, Real t);

  Truth judge(int budget = 20000);

  /// The smallest gap near t, found by repeated narrowing of a bracket around it; an upper bound of
  /// the smallest gap there, and where. It ends early where no time within the last step on both
  /// sides can reach `target`, by the pair's greatest speed, and at steps of `least`.
  std::pair<Real, Real> descend(int pair, Real t, Real step, Real target = kNoTarget,
                                Real least = 1e-12L);
  static constexpr Real kNoTarget = 1e9L;

  /// A point of geometry g (of a link or of the scene) in the world at t: its k-th feature.
  Vec3 point_of(int geometry, Real t, const Vec3& direction);

 private:
  struct Piece {
    Solid solid;  // in the carrying link's frame, or in the world
  };
  struct Body {
    std::string body;
    int id = -1;    // of the body
    int link = -1;  // -1: fixed in the world
    std::vector<Solid> pieces;
    bool solid_mesh = false;
    std::vector<std::array<Vec3, 3>> triangles;  // in the link's frame
    Vec3 center;
    Real bound = 0;  // of a ball in the link's frame that holds it; infinite for a half-space
  };
  void add(const std::string& body, int id, int link, const std::vector<PlacedSpec>& placed);
  void choose_own_pairs(const RobotSpec& robot);
  void choose_scene_pairs();
  /// At the poses at hand. Beyond `enough` it need not be the gap, only no less than that.
  Gap geometry_gap(const Pair& pair, Real enough);
  Real separation(int a, int b);
  const std::vector<Solid>& placed_pieces(int geometry);
  bool contains(const Body& solid, const Body& other) const;
  Real reach_rate(int geometry, int ancestor) const;
  Real rate(int pair);
  Real ball_gap(int pair) const;
  void place(Real t);
  Pose3 pose_of(const Body& g) const { return g.link < 0 ? Pose3{} : X_[size_t(g.link)]; }

  Kinematics<Real> kinematics_;
  Real clearance_ = 0;
  std::vector<Body> geometries_;
  std::vector<Pair> pairs_;
  std::set<std::pair<int, int>> unchecked_;  // bodies
  int num_moving_ = 0, num_own_pairs_ = 0, num_bodies_ = 0;
  bool one_scene_ = false;
  std::vector<Real> rates_;    // of the pairs: how fast the gap can change; negative: not known yet
  std::vector<Pose3> X_;       // of the links
  std::vector<Vec3> centers_;  // of the geometries
  struct Placed {
    std::vector<Solid> pieces;
    bool current = false;  // at the poses at hand
  };
  std::vector<Placed> placed_;  // of the geometries
  Real placed_at_ = -1;
};

/// The winding number of a closed triangle surface about p, by solid angles.
Real winding(const std::vector<std::array<Vec3, 3>>& triangles, const Vec3& p);

}  // namespace catena::oracle
