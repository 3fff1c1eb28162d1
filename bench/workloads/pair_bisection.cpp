#include "pair_bisection.hpp"

#include <cmath>
#include <deque>
#include <utility>

namespace catena::bench {

void PairBisection::place(const SnakeEdge& edge, double t) {
  edge.at(t, configuration_.q);
  snake_.place(configuration_, X_WL_);
  axes_.clear();
  for (const RigidTransform& X : X_WL_) axes_.push_back({X.p, snake_.tip(X)});
}

double PairBisection::distance(const Pair& pair, double limit) {
  ++distances_;
  const CapsuleReference::Segment& axis = axes_[pair.j];
  if (pair.i < 0) return reference_.clearance(axis, snake_.radius, limit);
  return CapsuleReference::clearance(axes_[pair.i], axis, snake_.radius);
}

double PairBisection::motion(const Pair& pair) const {
  // Joints before the middle move link i, if it is one, in the frame between; the others move link
  // j.
  const auto [i, j] = std::pair(pair.i, pair.j);
  const int first = i + 1, middle = i < 0 ? 0 : (i + j + 1) / 2 + 1, end = j + 1;
  const double turn_i = turn_[middle] - turn_[first];
  const double turn_j = turn_[end] - turn_[middle];
  const double weighted_i = weighted_turn_[middle] - weighted_turn_[first];
  const double weighted_j = weighted_turn_[end] - weighted_turn_[middle];
  return snake_.length * (weighted_i - i * turn_i + end * turn_j - weighted_j) +
         snake_.radius * (turn_i + turn_j);
}

PairBisection::Result PairBisection::check(const SnakeEdge& edge) {
  turn_.assign(1, 0.0);
  weighted_turn_.assign(1, 0.0);
  for (int k = 0; k < snake_.links; ++k) {
    const double turn = std::abs(edge.q1[k] - edge.q0[k]);
    turn_.push_back(turn_.back() + turn);
    weighted_turn_.push_back(weighted_turn_.back() + k * turn);
  }

  std::vector<Pair> pairs, left;
  for (int j = 0; j < snake_.links; ++j) pairs.push_back({-1, j, 0, 0});
  for (int i = 0; i < snake_.links; ++i) {
    for (int j = i + 2; j < snake_.links; ++j) pairs.push_back({i, j, 0, 0});
  }
  place(edge, 0);
  for (Pair pair : pairs) {
    const double most = motion(pair);
    pair.at_from = distance(pair, most);
    if (pair.at_from < 0) return {Verdict::kCollision, 0.0};
    if (pair.at_from <= most) left.push_back(pair);
  }
  pairs.clear();
  place(edge, 1);
  for (Pair pair : left) {
    const double most = motion(pair);
    pair.at_to = distance(pair, most);
    if (pair.at_to < 0) return {Verdict::kCollision, 1.0};
    if (pair.at_from + pair.at_to <= most) pairs.push_back(pair);
  }

  // Coarse before fine finds collisions early, until that would take too much memory (100 MB).
  constexpr size_t kMostWaiting = 4'000'000;
  std::deque<Interval> waiting;
  size_t pairs_waiting = 0;
  const auto push = [&](double from, double to, std::vector<Pair>& some) {
    if (some.empty()) return;
    pairs_waiting += some.size();
    waiting.push_back({from, to, std::move(some)});
  };
  push(0, 1, pairs);
  bool undecided = false;
  while (!waiting.empty()) {
    Interval now;
    if (pairs_waiting < kMostWaiting) {
      now = std::move(waiting.front());
      waiting.pop_front();
    } else {
      now = std::move(waiting.back());
      waiting.pop_back();
    }
    pairs_waiting -= now.pairs.size();
    const double middle = 0.5 * (now.from + now.to);
    place(edge, middle);
    std::vector<Pair> before, after;
    for (const Pair& pair : now.pairs) {
      const double most = (middle - now.from) * motion(pair);
      const double here = distance(pair, most);
      if (here < 0) return {Verdict::kCollision, middle};
      const bool meets_before = pair.at_from + here <= most,
                 meets_after = here + pair.at_to <= most;
      if (most < width_) {
        undecided |= meets_before || meets_after;
        continue;
      }
      if (meets_before) before.push_back({pair.i, pair.j, pair.at_from, here});
      if (meets_after) after.push_back({pair.i, pair.j, here, pair.at_to});
    }
    push(now.from, middle, before);
    push(middle, now.to, after);
  }
  return {undecided ? Verdict::kUndecided : Verdict::kFree, -1.0};
}

}  // namespace catena::bench
