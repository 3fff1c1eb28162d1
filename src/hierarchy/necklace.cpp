#include "catena/hierarchy/necklace.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hierarchy/ball_basis.hpp"

namespace catena {
namespace {

// Up to so many beads, the beads themselves are looked at rather than nodes.
constexpr int kFewBeads = 32;

// The ball about two balls that goes through the far points of both, or the larger one if it holds
// the other (docs/rigor.md, R13). As in `holds`, once the difference of the centres is known;
// number by number, as a layered hierarchy does little else.
inline void put_ball_about(const Ball& a, const Ball& b, Ball& result) noexcept {
  const double ax = a.center.x(), ay = a.center.y(), az = a.center.z(), ar = a.radius;
  const double br = b.radius;
  const double dx = b.center.x() - ax, dy = b.center.y() - ay, dz = b.center.z() - az;
  const double more = br - ar, square = dx * dx + dy * dy + dz * dz;
  if (square * (1.0 + 0x1p-48) + 1e-302 <= more * more) {
    result = more > 0.0 ? b : a;
    return;
  }
  const double distance = std::sqrt(square);
  // Where both are nearly one ball, any point between their centres will do, as the radius says.
  double share = 0.5 + 0.5 * more / (distance + 1e-160);
  share = share < 0.0 ? 0.0 : share;
  share = share > 1.0 ? 1.0 : share;
  const double larger = more > 0.0 ? br : ar, half = 0.5 * (distance + ar + br);
  const double x = ax + share * dx, y = ay + share * dy, z = az + share * dz;
  const double rounding = 4.0 * kUnitRoundoff * (std::abs(x) + std::abs(y) + std::abs(z));
  result.center = Vector3d(x, y, z);
  result.radius = bound_above((half < larger ? larger : half) + rounding, 64);
}

}  // namespace

NecklaceStats& NecklaceStats::operator+=(const NecklaceStats& other) noexcept {
  nodes_verified += other.nodes_verified;
  nodes_repaired += other.nodes_repaired;
  basis_changes += other.basis_changes;
  ball_tests += other.ball_tests;
  pair_tests += other.pair_tests;
  frontiers += other.frontiers;
  frontier_nodes += other.frontier_nodes;
  return *this;
}

void SeparatingFamily::clear() noexcept {
  window = 0;
  a.clear();
  b.clear();
  pairs.clear();
}

Necklace::Necklace(int num_beads, Hierarchy hierarchy)
    : num_beads_(num_beads), hierarchy_(hierarchy) {
  if (num_beads < 1 || num_beads > 1 << 29) {
    throw std::invalid_argument("necklace: " + std::to_string(num_beads) +
                                " beads; give at least one and at most 2^29");
  }
  nodes_.reserve(2 * at(num_beads) - 1);
  nodes_.push_back({0, num_beads});
  for (int i = 0; i < num_nodes(); ++i) {
    if (is_bead(i)) continue;
    const int first = nodes_[at(i)].first, last = nodes_[at(i)].last;
    const int middle = first + (last - first) / 2;
    nodes_[at(i)].left = num_nodes();
    nodes_.push_back({first, middle});
    nodes_.push_back({middle, last});
  }
  beads_.resize(at(num_beads));
  balls_.resize(nodes_.size());
  updated_.resize(nodes_.size(), 0);
  blocks_.resize(nodes_.size(), -1);
  if (hierarchy == Hierarchy::kLayered) return;
  bases_.resize(nodes_.size());
  int frontiers = 0;
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[at(i)];
    if (node.last - node.first > kFewBeads) node.frontier = frontiers++;
    if (is_bead(i)) {
      bases_[at(i)].at[0] = node.first;
      bases_[at(i)].size = 1;
    }
  }
  frontiers_.resize(at(frontiers));
}

int Necklace::num_levels() const noexcept {
  int levels = 0;
  while (1 << levels < num_beads_) ++levels;
  return levels;
}

void Necklace::set_beads(std::span<const Vector3d> centers, std::span<const double> radii) {
  const auto check_size = [&](size_t size, const char* what) {
    if (size == beads_.size()) return;
    throw std::invalid_argument("necklace: " + std::to_string(size) + " " + what + " for " +
                                std::to_string(num_beads_) + " beads; give one for each");
  };
  check_size(centers.size(), "centres");
  check_size(radii.size(), "radii");
  for (size_t i = 0; i < beads_.size(); ++i) {
    // One comparison for most, as this is done for every bead at every step.
    const double size = centers[i].lpNorm<Eigen::Infinity>() + radii[i];
    if (size <= 1e50 && radii[i] >= 0.0 && centers[i].sum() <= 1e51) continue;
    const std::string problem = internal::problem_of(centers[i], radii[i]);
    if (problem.empty()) continue;
    throw std::invalid_argument("necklace: bead " + std::to_string(i) + ": " + problem);
  }
  ++step_;
  for (size_t i = 0; i < beads_.size(); ++i) beads_[i] = {centers[i], radii[i]};
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const Node& n = nodes_[node];
    if (n.last != n.first + 1) continue;
    balls_[node] = beads_[at(n.first)];
    updated_[node] = step_;
  }
}

void Necklace::check_ready() const {
  if (step_ == kNoBeads)
    throw std::logic_error("necklace: no beads have been set; call set_beads first");
}

/// What is below a node, whose children are up to date: for `enclose`.
class Necklace::BelowNode {
 public:
  BelowNode(Necklace& necklace, int node, NecklaceStats& stats) noexcept
      : necklace_(necklace),
        node_(node),
        beads_(necklace.beads_, necklace.nodes_[at(node)].first, necklace.nodes_[at(node)].last),
        stats_(stats) {
    const int frontier = necklace.nodes_[at(node)].frontier;
    if (frontier >= 0) frontier_ = &necklace.frontiers_[at(frontier)];
  }
  // Beads that are asked about first.
  void hint(const BallBasis& basis) noexcept { hints_[num_hints_++] = &basis; }
  void forget_frontier() noexcept { frontier_->size = frontier_->fresh = 0; }

  int outside(const Ball& ball) noexcept {
    ball_ = ball;
    farthest_ = -1;
    most_ = ball.radius;
    for (int k = 0; k < num_hints_; ++k) {
      const BallBasis& basis = *hints_[k];
      for (int b = 0; b < basis.size; ++b) look(basis.at[at(b)]);
    }
    if (farthest_ >= 0) return farthest_;
    if (frontier_->fresh < 0) return look_at_all();
    next_.size = 0;
    overflown_ = false;
    budget_ = budget();
    if (frontier_->size > 0) {
      for (int k = 0; k < frontier_->size; ++k) search(frontier_->nodes[at(k)]);
      next_.fresh = frontier_->fresh;
    } else {
      search(necklace_.left(node_));
      search(necklace_.right(node_));
      next_.fresh = next_.size;
    }
    if (budget_ < 0) {
      forget_frontier();
      frontier_->fresh = -1;
      return look_at_all();
    }
    if (farthest_ >= 0) {
      forget_frontier();
      return farthest_;
    }
    ++stats_.frontiers;
    stats_.frontier_nodes += static_cast<std::uint64_t>(next_.size);
    // One that has only been refined for long is sought anew, from above.
    if (overflown_ || next_.size > 2 * next_.fresh) next_.size = 0;
    *frontier_ = next_;
    return farthest_;
  }
  double reach(const Vector3d& point) noexcept { return beads_.reach(point); }

 private:
  // Where a search from node to node would take as long as to look at every bead, which come one
  // after the other in memory.
  int budget() const noexcept {
    const Node& n = necklace_.nodes_[at(node_)];
    return std::max(kFewBeads, (n.last - n.first) / 3);
  }
  int look_at_all() noexcept {
    const Node& n = necklace_.nodes_[at(node_)];
    stats_.ball_tests += static_cast<std::uint64_t>(n.last - n.first);
    return beads_.outside(ball_);
  }
  void look(int bead) noexcept {
    const Ball& other = necklace_.beads_[at(bead)];
    ++stats_.ball_tests;
    if (holds(ball_, other)) return;
    const double reach = internal::reach_from(ball_.center, other);
    if (farthest_ >= 0 && reach <= most_) return;
    most_ = reach;
    farthest_ = bead;
  }
  // A ball that reaches no farther than what was found is passed over.
  void search(int node) noexcept {
    if (--budget_ < 0) return;
    if (necklace_.is_bead(node)) {
      look(necklace_.nodes_[at(node)].first);
    } else {
      ++stats_.ball_tests;
      if (!holds({ball_.center, most_}, necklace_.balls_[at(node)])) {
        search(necklace_.left(node));
        search(necklace_.right(node));
        return;
      }
    }
    if (next_.size == Frontier::kMost) {
      overflown_ = true;
    } else {
      next_.nodes[at(next_.size++)] = node;
    }
  }

  Necklace& necklace_;
  int node_;
  internal::BallRange beads_;
  NecklaceStats& stats_;
  Frontier* frontier_ = nullptr;
  const BallBasis* hints_[2];
  int num_hints_ = 0;
  Ball ball_;
  int farthest_ = -1;
  double most_ = 0.0;
  Frontier next_;
  bool overflown_ = false;
  int budget_ = 0;
};

void Necklace::layer(int node) noexcept {
  put_ball_about(balls_[at(left(node))], balls_[at(right(node))], balls_[at(node)]);
}

void Necklace::wrap(int node, Update how, NecklaceStats& stats) noexcept {
  const Node& n = nodes_[at(node)];
  BallBasis& basis = bases_[at(node)];
  if (n.last - n.first == 2) {
    layer(node);
    const BallBasis before = basis;
    basis.size = 0;
    for (int i = n.first; i < n.last; ++i) {
      const int other = 2 * n.first + 1 - i;
      // One that holds the other is alone.
      const bool is_held = holds(beads_[at(other)], beads_[at(i)]);
      if (!is_held) basis.at[at(basis.size++)] = i;
    }
    stats.ball_tests += 2;
    if (before.size > 0 && (before.size != basis.size || before.at[0] != basis.at[0])) {
      ++stats.basis_changes;
    }
    return;
  }
  EnclosingBall result;
  const bool anew = basis.size == 0 || how == Update::kRebuild;
  const bool has_children = how != Update::kLazy && (anew || how != Update::kNaive);
  if (!anew) {
    result.basis = basis;
  } else if (!has_children) {
    result.basis.at[0] = n.first;
    result.basis.size = 1;
  } else {
    const int l = left(node), r = right(node);
    result.basis = bases_[at(balls_[at(l)].radius < balls_[at(r)].radius ? r : l)];
  }
  if (n.last - n.first <= kFewBeads || !has_children) {
    internal::BallRange beads(beads_, n.first, n.last);
    internal::enclose(beads_, beads, result);
    stats.ball_tests += static_cast<std::uint64_t>(beads.tests());
  } else {
    BelowNode below(*this, node, stats);
    if (anew) {
      below.forget_frontier();
      below.hint(bases_[at(left(node))]);
      below.hint(bases_[at(right(node))]);
    }
    internal::enclose(beads_, below, result);
  }
  const bool lost_some = result.changes == 0 && result.basis.size < basis.size;
  stats.basis_changes += static_cast<std::uint64_t>(result.changes) + (lost_some ? 1 : 0);
  stats.nodes_repaired += result.changes > 0 && !anew ? 1 : 0;
  basis = result.basis;
  balls_[at(node)] = result.ball;
}

NecklaceStats Necklace::update(Update how) {
  check_ready();
  NecklaceStats stats;
  if (how == Update::kLazy) return stats;
  const RoundingScope scope;
  // Children come after their parents.
  if (hierarchy_ == Hierarchy::kLayered) {
    for (int node = num_nodes(); node-- > 0;) {
      if (!is_bead(node)) layer(node);
    }
    std::fill(updated_.begin(), updated_.end(), step_);
    stats.nodes_verified = beads_.size() - 1;
    return stats;
  }
  for (int node = num_nodes(); node-- > 0;) {
    if (is_bead(node) || (how != Update::kRebuild && !is_outdated(node))) continue;
    wrap(node, how, stats);
    ++stats.nodes_verified;
    updated_[at(node)] = step_;
  }
  return stats;
}

// The ball of a node, proven for where the beads are now.
const Ball& Necklace::touch(int node, NecklaceStats& stats) noexcept {
  if (is_outdated(node)) {
    wrap(node, Update::kLazy, stats);
    ++stats.nodes_verified;
    updated_[at(node)] = step_;
  }
  return balls_[at(node)];
}

int Necklace::block_of(int node, std::vector<SeparatingFamily::Block>& blocks) {
  int& block = blocks_[at(node)];
  if (block < 0) {
    block = static_cast<int>(blocks.size());
    blocks.push_back({first_bead(node), last_bead(node), balls_[at(node)]});
  }
  return block;
}

void Necklace::forget_blocks() noexcept { std::fill(blocks_.begin(), blocks_.end(), -1); }

/// Down both trees, from pairs of nodes whose balls are not proven apart.
class Necklace::Search {
 public:
  Search(Necklace& a, Necklace& b, int window, SeparatingFamily* family)
      : a_(a), b_(b), window_(window), family_(family) {}

  NecklaceResult result;

  // All pairs of beads below a node. False once a collision has been found.
  bool within(int node) {
    if (a_.last_bead(node) - a_.first_bead(node) - 1 <= window_) return true;
    const int l = a_.left(node), r = a_.right(node);
    return within(l) && within(r) && between(l, r);
  }

  // One bead below each of two nodes, the first of which has the earlier beads where both are of
  // one necklace.
  bool between(int i, int k) {
    if (window_ > 0 && b_.last_bead(k) - 1 - a_.first_bead(i) <= window_) return true;
    ++result.stats.pair_tests;
    const Ball& ball_a = a_.touch(i, result.stats);
    const Ball& ball_b = b_.touch(k, result.stats);
    if (are_disjoint(ball_a, ball_b)) {
      if (family_ != nullptr) {
        const int block_a = a_.block_of(i, family_->a);
        family_->pairs.push_back({block_a, b_.block_of(k, &a_ == &b_ ? family_->a : family_->b)});
      }
      return true;
    }
    const int size_a = a_.last_bead(i) - a_.first_bead(i),
              size_b = b_.last_bead(k) - b_.first_bead(k);
    if (size_a == 1 && size_b == 1) return decide(i, k);
    // The node with more beads, which the bound of the number of pairs rests on.
    if (size_a > size_b || (size_a == size_b && ball_a.radius >= ball_b.radius)) {
      return between(a_.left(i), k) && between(a_.right(i), k);
    }
    return between(i, b_.left(k)) && between(i, b_.right(k));
  }

 private:
  // Two beads that are not proven apart.
  bool decide(int i, int k) {
    const bool touches = have_contact(a_.ball(i), b_.ball(k));
    if (!touches && result.verdict == Verdict::kUndecided) return true;
    result.verdict = touches ? Verdict::kCollision : Verdict::kUndecided;
    result.i = a_.first_bead(i);
    result.j = b_.first_bead(k);
    return !touches;
  }

  Necklace& a_;
  Necklace& b_;
  int window_;
  SeparatingFamily* family_;
};

NecklaceResult Necklace::self_collision(int window, SeparatingFamily* family) {
  check_ready();
  if (window < 1) {
    throw std::invalid_argument("necklace: the window " + std::to_string(window) +
                                " is below 1; neighbours touch, so give at least 1");
  }
  const RoundingScope scope;
  if (hierarchy_ == Hierarchy::kLayered && is_outdated(0)) update(Update::kRebuild);
  if (family != nullptr) {
    family->clear();
    family->window = window;
    forget_blocks();
  }
  Search search(*this, *this, window, family);
  search.result.verdict = Verdict::kFree;  // until a pair says otherwise
  search.within(0);
  if (family != nullptr && search.result.verdict != Verdict::kFree) family->clear();
  return search.result;
}

NecklaceResult Necklace::collision(Necklace& other, SeparatingFamily* family) {
  check_ready();
  other.check_ready();
  if (&other == this) {
    throw std::invalid_argument("necklace: both are the same; ask self_collision");
  }
  const RoundingScope scope;
  for (Necklace* necklace : {this, &other}) {
    if (necklace->hierarchy_ == Hierarchy::kLayered && necklace->is_outdated(0)) {
      necklace->update(Update::kRebuild);
    }
    if (family != nullptr) necklace->forget_blocks();
  }
  if (family != nullptr) family->clear();
  Search search(*this, other, 0, family);
  search.result.verdict = Verdict::kFree;
  search.between(0, 0);
  if (family != nullptr && search.result.verdict != Verdict::kFree) family->clear();
  return search.result;
}

}  // namespace catena
