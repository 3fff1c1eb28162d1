// A separating family by itself: shares no arithmetic with what makes one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>

#include "catena/hierarchy/necklace.hpp"
#include "catena/math/rounding.hpp"

namespace catena {
namespace {

using Real = long double;
// Above what ten operations lose, also where these are doubles; and what underflow does.
constexpr Real kLoss = 0x1p-49L;
constexpr Real kTiny = 1e-300L;

struct Beads {
  std::span<const Vector3d> centers;
  std::span<const double> radii;

  std::int64_t size() const { return static_cast<std::int64_t>(centers.size()); }
};

bool is_fit(const Vector3d& center, double radius) {
  const auto fits = [](double x) { return std::abs(x) <= 1e100; };
  return fits(center.x()) && fits(center.y()) && fits(center.z()) && fits(radius) && radius >= 0;
}

Real square_between(const Vector3d& a, const Vector3d& b) {
  const Real x = Real{a.x()} - b.x(), y = Real{a.y()} - b.y(), z = Real{a.z()} - b.z();
  return x * x + y * y + z * z;
}

std::string refusal_of_block(const SeparatingFamily::Block& block, const Beads& beads) {
  if (block.first < 0 || block.first >= block.last || block.last > beads.size()) {
    return "is not a range of beads";
  }
  if (!is_fit(block.ball.center, block.ball.radius)) return "has no ball";
  for (int i = block.first; i < block.last; ++i) {
    const Vector3d& center = beads.centers[static_cast<size_t>(i)];
    const Real spare = Real{block.ball.radius} - beads.radii[static_cast<size_t>(i)];
    const Real square = square_between(center, block.ball.center);
    // A bead's very ball holds it, though no margin is left.
    const bool same = center == block.ball.center && spare >= 0;
    if (!same && !(spare >= 0 && square * (1 + kLoss) + kTiny <= spare * spare)) {
      return "does not hold bead " + std::to_string(i);
    }
  }
  return "";
}

// Pairs (i, j) of [a0, a1) x [b0, b1) with j - i > window, where a1 <= b0.
std::int64_t pairs_beyond(const SeparatingFamily::Block& a, const SeparatingFamily::Block& b,
                          int window) {
  const std::int64_t rows = a.last - a.first, columns = b.last - b.first;
  const std::int64_t full =
      std::clamp<std::int64_t>(std::int64_t{b.first} - window - a.first, 0, rows);
  // The next row has so many, and each one after it one fewer, down to none.
  const std::int64_t most = std::int64_t{b.last} - window - 1 - (a.first + full);
  const std::int64_t some = std::clamp<std::int64_t>(most, 0, rows - full);
  return full * columns + some * most - some * (some - 1) / 2;
}

// Two rectangles of the family that have a pair of beads in common.
bool any_overlap(const SeparatingFamily& family,
                 const std::vector<SeparatingFamily::Block>& blocks_b) {
  struct Event {
    int row;
    bool starts;
    int first, last;  // columns
  };
  std::vector<Event> events;
  for (const SeparatingFamily::Pair& pair : family.pairs) {
    const auto& a = family.a[static_cast<size_t>(pair.a)];
    const auto& b = blocks_b[static_cast<size_t>(pair.b)];
    events.push_back({a.first, true, b.first, b.last});
    events.push_back({a.last, false, b.first, b.last});
  }
  std::sort(events.begin(), events.end(), [](const Event& p, const Event& q) {
    return p.row != q.row ? p.row < q.row : p.starts < q.starts;  // what ends comes first
  });
  std::map<int, int> open;  // columns that are covered in the row at hand, first to last
  for (const Event& event : events) {
    if (!event.starts) {
      open.erase(event.first);
      continue;
    }
    const auto next = open.lower_bound(event.first);
    if (next != open.end() && next->first < event.last) return true;
    if (next != open.begin() && std::prev(next)->second > event.first) return true;
    open.emplace(event.first, event.last);
  }
  return false;
}

std::string refute(const SeparatingFamily& family, const Beads& a, const Beads* other) {
  const RoundingScope scope;
  std::ostringstream text;
  const auto refuse_beads = [&](const Beads& beads) {
    if (beads.centers.size() != beads.radii.size()) {
      text << "there are " << beads.centers.size() << " centres and " << beads.radii.size()
           << " radii";
      return true;
    }
    for (size_t i = 0; i < beads.centers.size(); ++i) {
      if (is_fit(beads.centers[i], beads.radii[i])) continue;
      text << "bead " << i << " is no ball";
      return true;
    }
    return false;
  };
  if (refuse_beads(a) || (other != nullptr && refuse_beads(*other))) return text.str();
  if (other == nullptr ? family.window < 1 : family.window != 0) {
    text << "the window is " << family.window;
    return text.str();
  }
  if (other == nullptr && !family.b.empty()) return "it is of two necklaces";
  const std::vector<SeparatingFamily::Block>& blocks_b = other == nullptr ? family.a : family.b;
  const auto refuse_blocks = [&](const std::vector<SeparatingFamily::Block>& blocks,
                                 const Beads& beads, const char* whose) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      const std::string refusal = refusal_of_block(blocks[i], beads);
      if (refusal.empty()) continue;
      text << "block " << i << whose << " " << refusal;
      return true;
    }
    return false;
  };
  if (refuse_blocks(family.a, a, "") ||
      (other != nullptr && refuse_blocks(family.b, *other, " of the other necklace"))) {
    return text.str();
  }
  std::int64_t covered = 0;
  for (size_t i = 0; i < family.pairs.size(); ++i) {
    const SeparatingFamily::Pair& pair = family.pairs[i];
    if (pair.a < 0 || pair.b < 0 || static_cast<size_t>(pair.a) >= family.a.size() ||
        static_cast<size_t>(pair.b) >= blocks_b.size()) {
      text << "pair " << i << " names no blocks";
      return text.str();
    }
    const auto& block_a = family.a[static_cast<size_t>(pair.a)];
    const auto& block_b = blocks_b[static_cast<size_t>(pair.b)];
    if (other == nullptr && block_a.last > block_b.first) {
      text << "pair " << i << " is not of earlier and later beads";
      return text.str();
    }
    const Real reach = Real{block_a.ball.radius} + block_b.ball.radius;
    const Real square = square_between(block_a.ball.center, block_b.ball.center);
    if (!(square > reach * reach * (1 + kLoss) + kTiny)) {
      text << "the balls of pair " << i << " are not apart";
      return text.str();
    }
    covered += other == nullptr
                   ? pairs_beyond(block_a, block_b, family.window)
                   : std::int64_t{block_a.last - block_a.first} * (block_b.last - block_b.first);
  }
  if (any_overlap(family, blocks_b)) return "two pairs of blocks have a pair of beads in common";
  const std::int64_t beyond = std::max<std::int64_t>(a.size() - family.window - 1, 0);
  const std::int64_t all = other == nullptr ? beyond * (beyond + 1) / 2 : a.size() * other->size();
  if (covered != all) {
    text << covered << " pairs of beads are apart, of " << all;
    return text.str();
  }
  return "";
}

}  // namespace

std::string refute(const SeparatingFamily& family, std::span<const Vector3d> centers,
                   std::span<const double> radii) {
  return refute(family, {centers, radii}, nullptr);
}

std::string refute(const SeparatingFamily& family, std::span<const Vector3d> centers_a,
                   std::span<const double> radii_a, std::span<const Vector3d> centers_b,
                   std::span<const double> radii_b) {
  const Beads b{centers_b, radii_b};
  return refute(family, {centers_a, radii_a}, &b);
}

}  // namespace catena
