#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include "options.hpp"

namespace catena::command {
namespace {

/// 0: an original link, 1: something that a link carries, 2: the scene's.
int rank_of(const CollisionWorld& world, BodyIndex body) {
  if (body.value < static_cast<int>(world.robot().bodies().size())) return 0;
  return world.body(body).link.valid() ? 1 : 2;
}

std::string pair_text(const PairReport& pair) {
  return printable(pair.first) + " and " + printable(pair.second);
}

std::string point_text(const Vector3d& p) {
  return "(" + number_text(p.x()) + ", " + number_text(p.y()) + ", " + number_text(p.z()) + ")";
}

std::string gap_text(const Interval& gap) {
  if (std::isfinite(gap.lo) && std::isfinite(gap.hi)) return "gap " + bracket_text(gap);
  return "their gap is not known";
}

// Which pair, how near, and whether more visited pairs would have told.
std::string undecided_text(const std::optional<PairReport>& pair, const Interval& gap,
                           const QueryStats& stats, std::uint64_t budget) {
  std::string text;
  if (pair) text += " for " + pair_text(*pair) + ", " + gap_text(gap);
  if (budget != 0 && stats.visited() > budget)
    text += std::string(pair ? "; " : ": ") + "the budget of " + std::to_string(budget) +
            " visited pairs ran out (raise --budget; 0: no limit)";
  return text;
}

}  // namespace

std::optional<PairReport> report_pair(const CollisionWorld& world, const Witness& witness) {
  if (!witness.a.valid() || !witness.b.valid()) return std::nullopt;
  BodyIndex a = witness.a, b = witness.b;
  Vector3d point_a = witness.point_a, point_b = witness.point_b;
  if (rank_of(world, a) > rank_of(world, b)) {
    std::swap(a, b);
    std::swap(point_a, point_b);
  }
  return PairReport{world.body(a).name, world.body(b).name, point_a, point_b};
}

Json bracket_json(const std::optional<Interval>& bracket) {
  if (!bracket || !std::isfinite(bracket->lo) || !std::isfinite(bracket->hi)) return nullptr;
  return Json::array({bracket->lo, bracket->hi});
}

Json point_json(const Vector3d& point) {
  if (!point.allFinite()) return nullptr;
  return Json::array({point.x(), point.y(), point.z()});
}

Json stats_json(const QueryStats& stats) {
  return {{"intervals", stats.intervals},
          {"pair_tests", stats.pair_tests},
          {"box_tests", stats.box_tests},
          {"element_tests", stats.element_tests},
          {"compositions", stats.compositions}};
}

Json state_json(const CollisionWorld& world, const std::string& id, const StateResult& result) {
  Json json = {{"id", id}, {"verdict", name_of(result.verdict)}};
  json["distance"] = bracket_json(result.distance);
  const auto pair = report_pair(world, result.witness);
  json["pair"] = pair ? Json::array({pair->first, pair->second}) : Json();
  json["points"] =
      pair ? Json::array({point_json(pair->point_first), point_json(pair->point_second)}) : Json();
  if (result.verdict == Verdict::kUndecided) json["gap"] = bracket_json(result.witness.gap);
  return json;
}

Json motion_json(const CollisionWorld& world, const std::string& id, const MotionResult& result) {
  Json json = {{"id", id},
               {"verdict", name_of(result.verdict)},
               {"free_until", result.free_until},
               {"contact", nullptr},
               {"pair", nullptr},
               {"point", nullptr}};
  if (result.contact) json["contact"] = *result.contact;
  if (const auto pair = report_pair(world, result.witness)) {
    json["pair"] = Json::array({pair->first, pair->second});
    if (result.verdict != Verdict::kFree)
      json["point"] = point_json(0.5 * (pair->point_first + pair->point_second));
  }
  if (result.verdict == Verdict::kUndecided) json["gap"] = bracket_json(result.witness.gap);
  if (result.distance) json["distance"] = bracket_json(result.distance);
  json["stats"] = stats_json(result.stats);
  return json;
}

std::string number_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string bracket_text(const Interval& bracket) {
  const std::string lo = number_text(bracket.lo), hi = number_text(bracket.hi);
  return lo == hi ? lo + " m" : lo + " to " + hi + " m";
}

std::string state_text(const CollisionWorld& world, const StateResult& result,
                       std::uint64_t budget) {
  const auto pair = report_pair(world, result.witness);
  const bool measured = result.distance && std::isfinite(result.distance->lo);
  std::string text = name_of(result.verdict);
  switch (result.verdict) {
    case Verdict::kFree:
      if (measured) text += ", distance " + bracket_text(*result.distance);
      if (pair) text += ", " + pair_text(*pair);
      break;
    case Verdict::kCollision:
      if (pair) text += " of " + pair_text(*pair) + " at " + point_text(pair->point_first);
      if (measured && result.distance->hi < 0.0)
        text += ", depth " + bracket_text({-result.distance->hi, -result.distance->lo});
      else if (measured)
        text += ", nearer than the clearance: distance " + bracket_text(*result.distance);
      break;
    case Verdict::kUndecided:
      text += undecided_text(pair, result.witness.gap, result.stats, budget);
      break;
  }
  return text;
}

std::string motion_text(const CollisionWorld& world, const MotionResult& result,
                        std::uint64_t budget) {
  const auto pair = report_pair(world, result.witness);
  std::string text = name_of(result.verdict);
  switch (result.verdict) {
    case Verdict::kFree:
      if (result.distance) text += ", smallest distance " + bracket_text(*result.distance);
      if (result.distance && pair) text += ", " + pair_text(*pair);
      break;
    case Verdict::kCollision:
      if (pair) text += " of " + pair_text(*pair);
      if (result.contact) text += ", contact at t = " + number_text(*result.contact, 9);
      if (pair) text += " at " + point_text(pair->point_first);
      text += ", free until t = " + number_text(result.free_until, 9);
      break;
    case Verdict::kUndecided:
      text += undecided_text(pair, result.witness.gap, result.stats, budget);
      text += ", free until t = " + number_text(result.free_until, 9);
      break;
  }
  return text;
}

void Tally::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFree:
      ++free;
      return;
    case Verdict::kCollision:
      ++collision;
      return;
    case Verdict::kUndecided:
      ++undecided;
      return;
  }
}

int Tally::exit_status() const {
  return collision > 0 ? kNotFree : undecided > 0 ? kUndecided : kAllFree;
}

std::string Tally::text() const {
  return std::to_string(free) + " free, " + std::to_string(collision) + " collision, " +
         std::to_string(undecided) + " undecided";
}

std::string dump(const Json& json) {
  // Names come from files: bytes that are not UTF-8 are shown as U+FFFD rather than refused.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace catena::command
