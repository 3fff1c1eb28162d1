#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/model/indices.hpp"

namespace catena::internal {

/// Some of a robot's joints, each at most once; with more than `most` of them it is all joints,
/// one by one no longer. Starts as all.
///
/// Cost      every function O(1), restore O(joints).
/// Threads   one at a time. No function throws or allocates after construction.
class JointSet {
 public:
  JointSet(int num_links, size_t most) : most_(most), stamps_(static_cast<size_t>(num_links), 0) {
    joints_.reserve(most);
  }

  void insert(LinkIndex joint) noexcept {
    std::uint64_t& stamp = stamps_[static_cast<size_t>(joint.value)];
    if (all_ || stamp == now_) return;
    if (joints_.size() == most_) {
      insert_all();
      return;
    }
    stamp = now_;
    joints_.push_back(joint);
  }
  void insert_all() noexcept {
    clear();
    all_ = true;
  }
  void clear() noexcept {
    ++now_;
    joints_.clear();
    all_ = false;
  }

  bool all() const noexcept { return all_; }
  bool contains(LinkIndex joint) const noexcept {
    return all_ || stamps_[static_cast<size_t>(joint.value)] == now_;
  }
  /// In the order in which they came; empty if it is all.
  std::span<const LinkIndex> joints() const noexcept { return joints_; }

  /// What it was, without what it takes to ask.
  class Copy {
   public:
    explicit Copy(const JointSet& of) { joints_.reserve(of.most_); }
    bool all() const noexcept { return all_; }

   private:
    friend JointSet;
    bool all_ = true;
    std::vector<LinkIndex> joints_;
  };
  void save(Copy& to) const noexcept {
    to.all_ = all_;
    to.joints_.assign(joints_.begin(), joints_.end());
  }
  void restore(const Copy& from) noexcept {
    clear();
    for (const LinkIndex joint : from.joints_) insert(joint);
    all_ = from.all_;
  }

 private:
  size_t most_;
  bool all_ = true;
  std::uint64_t now_ = 1;
  std::vector<std::uint64_t> stamps_;
  std::vector<LinkIndex> joints_;
};

}  // namespace catena::internal
