#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "catena/geometry/geometry.hpp"
#include "catena/model/verdict.hpp"
#include "catena/query/result.hpp"

namespace catena {

/// An element of each of two geometries: the triangles' numbers in their meshes, the boxes', ...
struct ElementPair {
  int a = -1, b = -1;
  bool operator==(const ElementPair&) const = default;
};

/// Memory that queries reuse; one per thread. A query that needs no more of it than an earlier one
/// allocates nothing.
class PairWorkspace {
 public:
  struct Entry {
    int a, b;    // nodes of the two trees
    double gap;  // proven between their boxes
  };
  std::vector<Entry> stack;
};

struct ContactOptions {
  double clearance = 0.0;  ///< metres, >= 0: pairs at most this far apart are contacts
  /// The search ends with this many proven contacts. 1: is there any?
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// Element pairs that provably touch (come within the clearance), and those neither proven to nor
/// proven not to: they touch but for rounding and what is not known of the pose. All others are
/// proven apart, if `complete`.
struct ContactResult {
  std::vector<ElementPair> contacts;
  std::vector<ElementPair> undecided;
  bool complete = false;  ///< not ended early by options.most
  QueryStats stats;

  Verdict verdict() const noexcept;
};

/// Contacts of the elements of two geometries, X_FG: a's frame F <- b's frame G, in no order.
///
/// Surfaces: what lies wholly inside a closed mesh touches none of its triangles.
/// Rigor     docs/rigor.md, R7. Contacts and separations hold for every motion that X_FG encloses.
/// Threads   reads the geometries, writes only `workspace` and `result`, whose memory is reused.
/// Errors    std::invalid_argument for half-spaces, which have no elements to pair, and for options
///           that make no sense.
void find_contacts(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                   const ContactOptions& options, PairWorkspace& workspace, ContactResult& result);

struct DistanceOptions {
  double bound = kInfinity;  ///< metres: beyond it, "farther than this" is answer enough
  double width = 1e-9;       ///< metres, >= 0: a bracket this narrow is narrow enough
};

struct DistanceResult {
  /// Of the distance of the two surfaces: zero where they touch. Beyond the bound: [>= bound,
  /// infinity], and there is no witness.
  Interval distance{0.0, kInfinity};
  ElementPair pair;                     ///< of the witness
  Vector3d point_a = Vector3d::Zero();  ///< in F; a point of each element
  Vector3d point_b = Vector3d::Zero();  ///< in F; their distance is distance.hi, up to rounding
  bool touching = false;                ///< proven
  QueryStats stats;
};

/// Distance of two geometries' elements with a witness; as find_contacts otherwise.
DistanceResult find_distance(const Geometry& a, const Geometry& b, const RigidEnclosure& X_FG,
                             const DistanceOptions& options, PairWorkspace& workspace);

}  // namespace catena
