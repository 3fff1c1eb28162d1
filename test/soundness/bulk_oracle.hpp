#pragma once

#include <array>
#include <string>
#include <vector>

#include "soundness/edge_oracle.hpp"

namespace catena::oracle {

/// EdgeOracle's judgement of edges, some ten times sooner: doubles prove pairs apart, and what they
/// cannot prove is left to 80 bits.
///
/// An interval of time is certified for a pair by one direction: the points of both shapes go along
/// it at their speeds in the middle, and what their accelerations can add is a bound summed over
/// the joints between them. Such a proof has to exceed `margin`, in which all rounding of this
/// class fits many times over; no claim rests on how the direction was found. A contact is only
/// ever one of EdgeOracle's. Long chains: blocks of links in balls come first.
///
/// Nothing of the engine is used, nor of the certificates' checker.
class BulkOracle {
 public:
  explicit BulkOracle(const RobotSpec& robot, EdgeOracle::Pairs which = EdgeOracle::Pairs::kAll);

  /// Objects only, nothing attached or allowed. Then a motion has to be set anew.
  void set_scene(const SceneSpec& scene, double clearance);
  void set_motion(const std::vector<double>& q0, const std::vector<double>& q1);
  void set_spline(const SplineSpec& spline);

  /// The same edge, slowly.
  EdgeOracle& exact() { return exact_; }

  /// Metres: nothing is proven apart by less.
  double margin() const { return margin_; }

  /// As EdgeOracle::judge; kBand where the gap comes as near as `margin`, or the budget ends. For
  /// free edges min_gap is the least that was met, and no bound. With `more` the clearance is
  /// larger by so much: then kContact means no more than kBand.
  Truth judge(double more = 0.0, int budget = 20000);

  /// Is any pair in contact at t (by EdgeOracle)? Which one?
  bool touches_at(double t, int* pair = nullptr);

  /// What it knows of a pair's gap at every time within h of t: lower bounds by balls and speeds
  /// with all links stretched out, by balls and speeds where the links are, and by one direction.
  /// For its test.
  std::array<double, 3> bounds_over(int pair, double t, double h);

  /// Not proven, in doubles: the least distance of a pair or of all, less the clearance.
  struct Approach {
    double gap = 1e9, t = 0;
    int pair = -1;
    Vec<double> a, b;
  };
  Approach approach(int pair, double t);
  Approach nearest_at(double t);
  /// Down from the lowest of so many samples; `least` is the last step of time.
  Approach nearest(int samples, double least = 1e-10);
  Approach descend(int pair, double t, double step, double least);

 private:
  using V = Vec<double>;
  using M = Mat<double>;
  struct Piece {
    Solid::Kind kind;
    std::vector<V> corners;
    M R;
    V p, center;
    double round, half_length, bound;
  };
  struct Shape {
    int link = -1;
    std::vector<Piece> pieces;  // in the link's frame
    V center;
    double radius = 0, bound = 0, reach = 0;
    bool half_space = false, solid_mesh = false;
    V normal;
    double offset = 0;
  };
  struct Joint {
    int parent, child;
    Pose<double> origin;
    // Of the motion at hand.
    M base;
    V axis, axis_in_base;
    double rate = 0, speed = 0, angular_acceleration = 0, acceleration = 0;  // at most
  };
  struct Placed {  // a link, and how it moves
    M R;
    V p, axis;         // of the joint that carries it, in the world
    V spin, velocity;  // of its origin
  };
  struct Node {
    int first, last;  // shapes
    int left = -1, right = -1;
    int top, deepest;  // links above all, below all
    bool on_path;
    double reach;
    V center;
    double radius = 0;
  };
  struct Item {
    int a, b;  // nodes; equal: with itself
  };
  struct Going {
    double speed = 0, bend = 0;  // of any point, as seen from a link above
  };
  enum class Finding { kApart, kOpen, kHit };

  Shape make_shape(int geometry) const;
  int make_nodes(int first, int last);
  void set_joints();
  void place(double t);
  void place_nodes();
  double speed_bound(int link, double reach, int ancestor) const;
  double speed_bound(const Node& node, int ancestor) const;
  Going going(const Shape& shape, const V& center, int ancestor, double h) const;
  bool is_above(int a, int b) const;
  int common(int a, int b) const;
  int pair_of(int a, int b) const;

  V center_of(const Shape& s) const;
  V to_link(const Shape& s, const V& d) const;
  double reach_along(const Shape& s, int piece, const V& d) const;
  V farthest(const Shape& s, int piece, const V& d) const;
  Approach between(const Shape& a, int i, const Shape& b, int j, const V& start, int steps) const;
  double proven_gap(const Shape& a, int i, const Shape& b, int j, const V& n, double h,
                    int ancestor, double bend) const;
  Finding look(int pair, double t, double h, Gap* gap);
  Finding look_at_pieces(int pair, double t, double h, int ancestor, const Going& ga,
                         const Going& gb, Gap* gap);
  struct Hit {
    int pair = -1;
    Gap gap;
  };
  bool sweep(const std::vector<Item>& items, double t, double h, std::vector<Item>& open, Hit& hit);

  RobotSpec robot_;
  EdgeOracle exact_;
  Kinematics<double> kinematics_;
  std::vector<Shape> shapes_;
  std::vector<Joint> joints_;
  std::vector<int> joint_of_;        // of a link
  std::vector<int> entered_, left_;  // of a link, by depth first
  std::vector<Node> nodes_;
  int root_ = -1, num_own_nodes_ = 0, num_moving_ = 0;
  std::vector<int> own_pair_, scene_pair_;
  std::vector<Item> all_;
  std::vector<double> along_, turned_, moment_, shifted_;  // sums from the root, of a link
  double slack_ = 0, margin_ = 0, clearance_ = 0;
  std::vector<Placed> X_;
  double placed_at_ = -1;
  std::vector<std::array<float, 3>> direction_;  // of pairs: which one served last
  std::vector<int> directed_;
  std::vector<Item> stack_;
  Approach least_;
  int looks_ = 0;
  bool too_near_ = false;  // a pair was, in the last sweep, for any proof at that time
};

}  // namespace catena::oracle
