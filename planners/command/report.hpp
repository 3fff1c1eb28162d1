#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "catena/query/collision_world.hpp"
#include "catena/query/result.hpp"

namespace catena::command {

using Json = nlohmann::ordered_json;

/// A witness as answers give it: the robot's body first, then what it carries, then the scene's.
struct PairReport {
  std::string first, second;
  Vector3d point_first, point_second;
};
std::optional<PairReport> report_pair(const CollisionWorld& world, const Witness& witness);

/// [lo, hi]; null if there is none or an end is not a number that JSON has.
Json bracket_json(const std::optional<Interval>& bracket);
Json point_json(const Vector3d& point);
Json stats_json(const QueryStats& stats);

Json state_json(const CollisionWorld& world, const std::string& id, const StateResult& result);
Json motion_json(const CollisionWorld& world, const std::string& id, const MotionResult& result);

/// The same in a line for people, without the name; `budget` as it was asked with.
std::string state_text(const CollisionWorld& world, const StateResult& result,
                       std::uint64_t budget);
std::string motion_text(const CollisionWorld& world, const MotionResult& result,
                        std::uint64_t budget);

/// "0.0123 m", or "0.0123 to 0.0124 m" where the digits differ.
std::string bracket_text(const Interval& bracket);
std::string number_text(double value, int digits = 7);

/// What the exit status is made of.
struct Tally {
  int free = 0, collision = 0, undecided = 0;
  void add(Verdict verdict);
  int exit_status() const;
  std::string text() const;  ///< "3 free, 1 collision, 0 undecided"
};

/// One JSON document and a line end.
std::string dump(const Json& json);

}  // namespace catena::command
