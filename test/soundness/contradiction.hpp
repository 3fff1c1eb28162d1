#pragma once

#include <optional>

#include "catena/query/result.hpp"
#include "soundness/convex_gap.hpp"

namespace catena::oracle {

/// The oracle's own rounding, metres: closer than this to touching it judges nobody.
inline constexpr Real kOracleError = 1e-14L;
/// The widest that an undecided band may be, metres.
inline constexpr Real kUndecidedBand = 1e-6L;

/// What an answer about a state says against the truth of its smallest distance; nullptr: nothing.
/// A `truth` of [-infinity, 0] is a contact of unknown depth, which may be left undecided.
inline const char* contradiction(Verdict verdict, const std::optional<Interval>& distance,
                                 const Gap& truth, Real clearance, Real band = kUndecidedBand) {
  if (verdict == Verdict::kFree && truth.hi <= std::max(clearance - kOracleError, Real(0)))
    return "FALSE FREE";
  if (verdict == Verdict::kCollision && truth.lo > clearance + kOracleError)
    return "FALSE COLLISION";
  if (verdict == Verdict::kUndecided &&
      (truth.lo > clearance + band || truth.hi < clearance - band))
    return "undecided though clear";
  if (distance && truth.hi > kOracleError) {
    if (Real(distance->lo) > truth.hi + kOracleError ||
        Real(distance->hi) < truth.lo - kOracleError)
      return "distance";
    if (distance->width() > 1.001e-5) return "distance too wide";
  }
  return nullptr;
}

}  // namespace catena::oracle
