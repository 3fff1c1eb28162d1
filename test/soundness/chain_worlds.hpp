#pragma once

#include <random>
#include <string>
#include <vector>

#include "soundness/convex_gap.hpp"
#include "soundness/spec.hpp"

namespace catena::oracle {

/// Robots and what surrounds them, from one link to long chains and bushy trees.
struct ChainWorld {
  std::string kind;
  std::vector<RobotSpec> robots;  ///< the first, and others that stand in its world frame
  std::vector<PoseSpec> places;   ///< of the others
  SceneSpec scene;

  /// One description of all: the others' names get the prefix `rK/`, as RobotBuilder::combine's.
  RobotSpec merged() const;
};

struct ChainWorldOptions {
  int links = 0;        ///< 0: random, mostly few
  bool simple = false;  ///< joints of one value only, one robot
  bool serial = false;
};
ChainWorld random_chain_world(std::mt19937_64& rng, const ChainWorldOptions& options = {});

/// `n` links that all turn about one point, each with a ball on a circle around it.
ChainWorld zero_length_world(int n);

/// Every value zero, rotations the identity.
std::vector<double> home(const RobotSpec& robot);
/// Value by value, rotations normalised; 0 gives a.
std::vector<double> blend(const RobotSpec& robot, const std::vector<double>& a,
                          const std::vector<double>& b, double share);
/// `from` with the values of `count` random joints taken from `to`.
std::vector<double> change_some(const RobotSpec& robot, const std::vector<double>& from,
                                const std::vector<double>& to, int count, std::mt19937_64& rng);

// Metamorphic relations: another world, and the state in it that must be judged alike. All throw
// std::invalid_argument where the relation has no meaning for the world.

enum class Relation {
  kRigidMotion,       ///< everything is moved by one rigid transform
  kMirroredChain,     ///< base and tip exchange their parts; the tip floats
  kSplitLink,         ///< a fixed joint divides a link; the new pairs are allowed
  kPermutedChildren,  ///< links, joints and objects are listed in another order
  kFarObstacles,      ///< objects that nothing reaches
  kShrunk,            ///< smaller solids: free stays free
  kScaled             ///< all lengths times a power of two: the same, pair by pair
};
inline constexpr int kNumRelations = 7;
const char* name_of(Relation relation);

class RelatedWorld {
 public:
  RelatedWorld(const ChainWorld& world, Relation relation, std::mt19937_64& rng);

  const ChainWorld& world() const { return related_; }
  /// All lengths are this many times those of the first world.
  double scale() const { return scale_; }
  /// The state that corresponds; X_WL: the links' poses at q, in the first world.
  std::vector<double> state(const std::vector<double>& q, const std::vector<Pose3>& X_WL) const;

 private:
  void move_rigidly(std::mt19937_64& rng);
  void mirror();
  void split(std::mt19937_64& rng);
  void permute(std::mt19937_64& rng);
  void add_far_obstacles(std::mt19937_64& rng);
  void shrink();
  void scale(std::mt19937_64& rng);

  Relation relation_;
  RobotSpec before_, after_;
  ChainWorld related_;
  double scale_ = 1.0;
  int tip_ = -1;  // of a mirrored chain: its last link
};

}  // namespace catena::oracle
