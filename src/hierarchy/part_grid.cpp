#include "part_grid.hpp"

#include <algorithm>
#include <limits>

namespace catena::internal {
namespace {

// What it takes to look up a ball, in pairs of balls or boxes.
constexpr std::uint64_t kLookUp = 2;
// Edge of a cell in radii: of 4, 5, 6 and 8 that with the fewest buckets looked at.
constexpr double kCell = 5.0;
// Balls that no cell holds: so many, and one of so many more.
constexpr size_t kFewLarge = 8, kLargeShare = 64;
// Twice what a coordinate may be off once it is a float; the least ones are covered by kTiny.
constexpr double kFloatRounding = 1.2e-7;
// As in chain_volumes.cpp: above all that underflow may lose, also where squares are compared.
constexpr float kTiny = 1e-22F;
constexpr float kFar = std::numeric_limits<float>::infinity();

}  // namespace

PartGrid::PartGrid(const ChainTree& tree) {
  const auto parts = tree.parts();
  const size_t n = parts.size();
  parts_.resize(n);
  for (size_t i = 0; i < n; ++i) parts_[i] = static_cast<int>(i);
  // The first question that turns to a grid waits for it, so what is in order stays.
  const auto comes_first = [&](int a, int b) {
    const int enter_a = tree.enter(parts[at(a)].link), enter_b = tree.enter(parts[at(b)].link);
    return enter_a != enter_b ? enter_a < enter_b : a < b;
  };
  if (!std::is_sorted(parts_.begin(), parts_.end(), comes_first)) {
    std::sort(parts_.begin(), parts_.end(), comes_first);
  }
  links_.reserve(n);
  local_.reserve(n);
  radii_.reserve(n);
  for (const int part : parts_) {
    links_.push_back(parts[at(part)].link);
    local_.push_back(parts[at(part)].center);
    radii_.push_back(float_above(parts[at(part)].radius));
  }
  centers_.resize(n);
  moved_.resize(n);
  slots_.resize(n);
  places_.resize(n);
  buckets_.resize(n);
  unused_.reserve(n);
  size_t slots = 1;
  while (slots < 2 * n) slots *= 2;
  heads_.resize(slots);
  slot_mask_ = static_cast<std::uint32_t>(slots - 1);

  const bool all_finite =
      std::all_of(radii_.begin(), radii_.end(), [](float r) { return std::isfinite(r); });
  if (n == 0 || !all_finite) return;
  std::vector<float> radii = radii_;
  const auto usual = radii.begin() + static_cast<std::ptrdiff_t>(n * 9 / 10);
  std::nth_element(radii.begin(), usual, radii.end());
  const float most = *usual * 2.0F;
  for (const float radius : radii) {
    if (radius <= most) widest_ = std::max(widest_, radius);
  }
  for (int i = 0; i < num_balls(); ++i) {
    if (is_large(i)) large_.push_back(i);
  }
  const double cell = kCell * static_cast<double>(widest_);
  inverse_cell_ = 1.0 / cell;
  if (large_.size() <= kFewLarge + n / kLargeShare) widest_clearance_ = 0.5 * cell;
}

// Numbers that a cell can be told from; no number is none.
bool PartGrid::in_range(double reach, double error) const noexcept {
  return reach * inverse_cell_ < 1e6 && error * inverse_cell_ < 0.05;
}

int PartGrid::coordinate(double x) const noexcept {
  const double scaled = x * inverse_cell_;
  const int i = static_cast<int>(scaled);
  return i - (scaled < i ? 1 : 0);
}

std::uint32_t PartGrid::slot(int x, int y, int z) const noexcept {
  const auto u = [](int v) { return static_cast<std::uint32_t>(v); };
  // The primes of [Teschner2003].
  return (u(x) * 73856093U ^ u(y) * 19349663U ^ u(z) * 83492791U) & slot_mask_;
}

std::uint32_t PartGrid::slot(const Center& c) const noexcept {
  return slot(coordinate(c.x), coordinate(c.y), coordinate(c.z));
}

// Its centre as it now is, where it is in the cells.
void PartGrid::write(int ball) noexcept {
  const Center& c = centers_[at(ball)];
  Bucket& bucket = buckets_[at(places_[at(ball)] / 4)];
  const int lane = places_[at(ball)] % 4;
  bucket.x[lane] = static_cast<float>(c.x);
  bucket.y[lane] = static_cast<float>(c.y);
  bucket.z[lane] = static_cast<float>(c.z);
}

void PartGrid::insert(int ball, std::uint32_t slot) noexcept {
  int b = heads_[slot];
  if (b < 0 || buckets_[at(b)].count == 4) {
    const int next = b;
    b = heads_[slot] = unused_.back();
    unused_.pop_back();
    buckets_[at(b)] = Bucket{};
    buckets_[at(b)].x = Floats{} + kFar;
    buckets_[at(b)].next = next;
  }
  Bucket& bucket = buckets_[at(b)];
  const int lane = bucket.count++;
  bucket.radius[lane] = radii_[at(ball)];
  bucket.ball[lane] = ball;
  slots_[at(ball)] = slot;
  places_[at(ball)] = 4 * b + lane;
  write(ball);
}

// The last ball of the first bucket takes its place.
void PartGrid::remove(int ball) noexcept {
  int& head = heads_[slots_[at(ball)]];
  Bucket& first = buckets_[at(head)];
  const int last = --first.count;
  const int other = first.ball[last];
  Bucket& bucket = buckets_[at(places_[at(ball)] / 4)];
  const int lane = places_[at(ball)] % 4;
  bucket.x[lane] = first.x[last];
  bucket.y[lane] = first.y[last];
  bucket.z[lane] = first.z[last];
  bucket.radius[lane] = first.radius[last];
  bucket.ball[lane] = other;
  places_[at(other)] = places_[at(ball)];
  first.x[last] = kFar;
  if (last > 0) return;
  unused_.push_back(head);
  head = first.next;
}

// The centres, and what bounds them. True if the grid can hold them all; it holds none.
bool PartGrid::place(std::span<const RigidEnclosure> X_WL) {
  std::fill(heads_.begin(), heads_.end(), -1);
  unused_.clear();
  for (int b = num_balls(); b-- > 0;) unused_.push_back(b);
  reach_ = error_ = 0.0;
  bool fits = true;
  for (int i = 0; i < num_balls(); ++i) {
    const RigidEnclosure& X = X_WL[at(links_[at(i)].value)];
    const Vector3d p = X.X * local_[at(i)];
    const Center c{p.x(), p.y(), p.z()};
    const double error = X.point_error(local_[at(i)].lpNorm<1>());
    centers_[at(i)] = c;
    reach_ = std::max(reach_, c.size());
    error_ = std::max(error_, error);
    fits = fits && in_range(c.size(), error);
  }
  return fits;
}

bool PartGrid::fill(std::span<const RigidEnclosure> X_WL) {
  if (!place(X_WL)) return false;
  for (int i = 0; i < num_balls(); ++i) {
    if (!is_large(i)) insert(i, slot(centers_[at(i)]));
  }
  return true;
}

bool PartGrid::search_all(std::span<const RigidEnclosure> X_WL, Question& question, bool& ended) {
  ended = false;
  if (!place(X_WL)) return false;
  const double margin =
      bound_above(question.clearance + 2.0 * error_ + 2.0 * kFloatRounding * reach_, 8);
  for (int i = 0; i < num_balls() && !ended; ++i) {
    const Center& c = centers_[at(i)];
    ended = look(i, c, margin, {0, i, true}, question);
    if (!is_large(i)) insert(i, slot(c));
  }
  return true;
}

PartGrid::Side PartGrid::smaller_side(const ChainTree& tree, LinkIndex joint) const noexcept {
  const auto first_from = [&](int place) {
    const auto found = std::lower_bound(links_.begin(), links_.end(), place,
                                        [&](LinkIndex i, int to) { return tree.enter(i) < to; });
    return static_cast<int>(found - links_.begin());
  };
  Side side;
  side.first = first_from(tree.enter(joint));
  side.last = first_from(tree.leave(joint));
  side.size = side.last - side.first;
  side.carried = 2 * side.size <= num_balls();
  if (!side.carried) side.size = num_balls() - side.size;
  return side;
}

// Not one after another: balls far from each other along the chain are likelier to tell at once
// that a turn collides.
template <class Visit>
void PartGrid::for_each(const Side& side, const Visit& visit) const {
  constexpr int kStride = 16;
  const auto range = [&](int first, int last) {
    for (int phase = 0; phase < kStride; ++phase) {
      for (int i = first + phase; i < last; i += kStride) {
        if (!visit(i)) return false;
      }
    }
    return true;
  };
  if (side.carried) {
    range(side.first, side.last);
  } else if (range(0, side.first)) {
    range(side.last, num_balls());
  }
}

// The ball, at c, and the others. `margin`: how far apart they must be, with what either centre may
// be off and what is lost where it is rounded. True ends the search.
bool PartGrid::look(int ball, const Center& c, double margin, const Range& others,
                    Question& question) const {
  const double own = static_cast<double>(radii_[at(ball)]) + margin;
  const float reach = float_above(own) + kTiny;
  question.looked += kLookUp;
  for (const int k : large_) {
    if (others.contains(k) && meets(ball, k, c, reach, question)) return true;
  }
  if (is_large(ball)) {
    for (int k = 0; k < num_balls(); ++k) {
      if (!is_large(k) && others.contains(k) && meets(ball, k, c, reach, question)) return true;
    }
    return false;
  }
  const auto x = static_cast<float>(c.x), y = static_cast<float>(c.y), z = static_cast<float>(c.z);
  const Ints first = Ints{} + others.first, last = Ints{} + others.last;
  const Ints flip = Ints{} - (others.inside ? 0 : 1);
  // Rounding keeps the order of numbers, so that a ball within reach is in one of these cells.
  const double around = (own + static_cast<double>(widest_)) * (1.0 + 1e-15);
  const int x_last = coordinate(c.x + around), y_last = coordinate(c.y + around),
            z_last = coordinate(c.z + around);
  const int y_first = coordinate(c.y - around), z_first = coordinate(c.z - around);
  for (int cx = coordinate(c.x - around); cx <= x_last; ++cx) {
    for (int cy = y_first; cy <= y_last; ++cy) {
      for (int cz = z_first; cz <= z_last; ++cz) {
        for (int b = heads_[slot(cx, cy, cz)]; b >= 0; b = buckets_[at(b)].next) {
          const Bucket& bucket = buckets_[at(b)];
          ++question.looked;
          const Floats dx = x - bucket.x, dy = y - bucket.y, dz = z - bucket.z;
          const Floats apart = (reach + bucket.radius) * (1.0F + 1e-6F);
          // Proven, unless a number is none.
          const Ints far = dx * dx + dy * dy + dz * dz > apart * apart;
          const Ints asked = ((bucket.ball >= first) & (bucket.ball < last)) ^ flip;
          const Ints near = ~far & asked;
          using Halves [[gnu::vector_size(16)]] = std::int64_t;
          const auto halves = reinterpret_cast<Halves>(near);
          if ((halves[0] | halves[1]) == 0) continue;
          for (int lane = 0; lane < bucket.count; ++lane) {
            if (near[lane] != 0 &&
                question.meet(question.context, parts_[at(ball)], parts_[at(bucket.ball[lane])])) {
              return true;
            }
          }
        }
      }
    }
  }
  return false;
}

// As above, one other ball.
bool PartGrid::meets(int ball, int other, const Center& c, float reach, Question& question) const {
  ++question.looked;
  const Center& o = centers_[at(other)];
  const float dx = static_cast<float>(c.x - o.x), dy = static_cast<float>(c.y - o.y),
              dz = static_cast<float>(c.z - o.z);
  const float apart = (reach + radii_[at(other)]) * (1.0F + 1e-6F);
  if (dx * dx + dy * dy + dz * dz > apart * apart) return false;
  return question.meet(question.context, parts_[at(ball)], parts_[at(other)]);
}

bool PartGrid::search_turned(const Side& side, const RigidEnclosure& X_GG, Question& question,
                             bool& ended) {
  const double error = turned_error(X_GG);
  const double margin =
      bound_above(question.clearance + error_ + error + kFloatRounding * reach_, 8);
  const Range others{side.first, side.last, !side.carried};
  return place_turned(side, X_GG, error, ended, [&](int i, const Center& to) {
    return look(i, to, margin + kFloatRounding * to.size(), others, question);
  });
}

bool PartGrid::turn(const Side& side, const RigidEnclosure& X_GG) {
  bool ended = false;
  return place_turned(side, X_GG, turned_error(X_GG), ended,
                      [](int, const Center&) { return false; });
}

// Of every ball, once the turn has moved it or another.
double PartGrid::turned_error(const RigidEnclosure& X_GG) const noexcept {
  return bound_above(error_ + X_GG.point_error(reach_), 4);
}

template <class Ends>
bool PartGrid::place_turned(const Side& side, const RigidEnclosure& X_GG, double error, bool& ended,
                            const Ends& ends) {
  ended = false;
  double reach = reach_;
  bool fits = in_range(reach_, error);
  if (!fits) return false;
  for_each(side, [&](int i) {
    const Center& from = centers_[at(i)];
    const Vector3d p = X_GG.X * Vector3d(from.x, from.y, from.z);
    const Center to{p.x(), p.y(), p.z()};
    moved_[at(i)] = to;
    reach = std::max(reach, to.size());
    fits = in_range(to.size(), error);
    ended = fits && ends(i, to);
    return fits && !ended;
  });
  if (ended || !fits) return fits;
  for_each(side, [&](int i) {
    const Center& to = moved_[at(i)];
    centers_[at(i)] = to;
    if (is_large(i)) return true;
    const std::uint32_t slot = this->slot(to);
    if (slot == slots_[at(i)]) {
      write(i);
    } else {
      remove(i);
      insert(i, slot);
    }
    return true;
  });
  error_ = error;
  reach_ = reach;
  return true;
}

}  // namespace catena::internal
