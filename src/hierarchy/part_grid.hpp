#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/hierarchy/chain_tree.hpp"

namespace catena::internal {

/// The balls about a chain tree's parts in the cells of a grid: which of them come near each other
/// is found in a time that does not depend on how the chain is folded.
///
/// Frames    the grid stands in a frame G: W when it is filled. Afterwards either of the two sides
///           of a joint may be the one that moves, and G is wherever the other one stays.
/// Units     metres.
/// Denotes   the centre of every ball lies within `error_` of where it is kept, a bound that grows
///           with every turn until the grid is filled again.
/// Cost      fill O(n); a turn O(parts that move), both for parts of like size that are not packed
///           more densely than solid bodies can be. At most 240 bytes a part.
/// Threads   one at a time. Allocates nothing after construction.
/// Source    cells in a hash table, [Teschner2003]; that it tests what moves where it goes, before
///           anything is changed, is ours.
class PartGrid {
 public:
  explicit PartGrid(const ChainTree& tree);

  /// Can a question with this clearance be put to it? Not if it is wide beside the balls, or if
  /// their sizes differ much: those far larger than most are held against all others, so that
  /// there may be few of them.
  bool suits(double clearance) const noexcept { return clearance <= widest_clearance_; }
  int num_balls() const noexcept { return static_cast<int>(parts_.size()); }

  /// Where everything stands now, X_WL of every link; G becomes W. False, as all functions below,
  /// if a number is too large for the grid: then nothing is known until it is filled again.
  bool fill(std::span<const RigidEnclosure> X_WL);

  /// One of the two sides of a joint: what it carries (`carried`), or all the rest.
  struct Side {
    int first = 0, last = 0;  ///< what is carried, as a range of balls
    bool carried = true;
    int size = 0;

    bool contains(int ball) const noexcept { return (first <= ball && ball < last) == carried; }
  };
  /// The side with fewer balls.
  Side smaller_side(const ChainTree& tree, LinkIndex joint) const noexcept;

  /// Stands everything where it is now, as `fill` does, and calls meet(part, part) for every two
  /// parts that are not proven farther apart than `clearance`, until it returns true: then `ended`
  /// is, and the grid must be filled again. A pair may come more than once. Adds what was looked at
  /// to `looked`: balls looked up (two each), and groups of up to four balls that one was held
  /// against.
  template <class Meet>
  bool fill_and_ask(std::span<const RigidEnclosure> X_WL, double clearance, std::uint64_t& looked,
                    bool& ended, Meet meet) {
    Question question{clearance, call<Meet>, &meet, looked};
    return search_all(X_WL, question, ended);
  }
  /// The same about the balls of a side, moved by X_GG, and those that stay. Then the side moves,
  /// but not if the search has ended before.
  template <class Meet>
  bool ask_turned(const Side& side, const RigidEnclosure& X_GG, double clearance,
                  std::uint64_t& looked, bool& ended, Meet meet) {
    Question question{clearance, call<Meet>, &meet, looked};
    return search_turned(side, X_GG, question, ended);
  }
  /// Moves a side without a question.
  bool turn(const Side& side, const RigidEnclosure& X_GG);

 private:
  struct Question {
    double clearance;
    bool (*meet)(void* context, int part_a, int part_b);
    void* context;
    std::uint64_t& looked;
  };
  template <class Meet>
  static bool call(void* meet, int a, int b) {
    return (*static_cast<Meet*>(meet))(a, b);
  }
  bool search_all(std::span<const RigidEnclosure> X_WL, Question& question, bool& ended);
  bool search_turned(const Side& side, const RigidEnclosure& X_GG, Question& question, bool& ended);

  struct Center {
    double x, y, z;
    double size() const noexcept { return std::abs(x) + std::abs(y) + std::abs(z); }
  };
  using Floats [[gnu::vector_size(16)]] = float;
  using Ints [[gnu::vector_size(16)]] = std::int32_t;
  /// Up to four balls of one slot: centres in G, rounded, and radii, rounded up. Lanes that hold
  /// none are infinitely far. All buckets of a slot but the first are full.
  struct Bucket {
    Floats x{}, y{}, z{}, radius{};
    Ints ball{};
    int count = 0, next = -1;  ///< -1: the last one
  };
  /// Balls in a range, or those outside of it.
  struct Range {
    int first, last;
    bool inside;

    bool contains(int ball) const noexcept { return (first <= ball && ball < last) == inside; }
  };

  static size_t at(int i) noexcept { return static_cast<size_t>(i); }
  bool is_large(int ball) const noexcept { return radii_[at(ball)] > widest_; }
  bool in_range(double reach, double error) const noexcept;
  int coordinate(double x) const noexcept;
  std::uint32_t slot(int x, int y, int z) const noexcept;
  std::uint32_t slot(const Center& c) const noexcept;
  bool place(std::span<const RigidEnclosure> X_WL);
  void insert(int ball, std::uint32_t slot) noexcept;
  void remove(int ball) noexcept;
  void write(int ball) noexcept;
  template <class Visit>
  void for_each(const Side& side, const Visit& visit) const;
  bool look(int ball, const Center& c, double margin, const Range& others,
            Question& question) const;
  bool meets(int ball, int other, const Center& c, float reach, Question& question) const;
  double turned_error(const RigidEnclosure& X_GG) const noexcept;
  template <class Ends>
  bool place_turned(const Side& side, const RigidEnclosure& X_GG, double error, bool& ended,
                    const Ends& ends);

  // Balls are numbered in the order of a walk of the links, so that what a joint carries is a
  // range.
  std::vector<int> parts_;
  std::vector<LinkIndex> links_;
  std::vector<Vector3d> local_;  // centres in the links' frames
  std::vector<float> radii_;
  std::vector<Center> centers_, moved_;
  std::vector<std::uint32_t> slots_;
  std::vector<int> places_;  // in cells: four times the bucket, and the lane
  std::vector<int> heads_;   // of the slots of the table: the first bucket; -1: none
  std::vector<Bucket> buckets_;
  std::vector<int> unused_;  // buckets
  std::vector<int> large_;   // balls that no cell holds

  std::uint32_t slot_mask_ = 0;
  double widest_clearance_ = -1.0;
  float widest_ = 0.0F;        // radius of those in cells
  double inverse_cell_ = 1.0;  // one over the edge of a cell
  double reach_ = 0.0;         // no centre's size() is larger
  double error_ = 0.0;
};

}  // namespace catena::internal
