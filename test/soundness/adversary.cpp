#include "soundness/adversary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "soundness/contradiction.hpp"
#include "support/random.hpp"

namespace catena::oracle {
namespace {

using test::uniform;

/// A change of an edge's numbers, and what they are.
struct Direction {
  std::vector<double> q0, q1, v0, v1, a0, a1;
};

Direction random_direction(const Edge& edge, std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  // All values, those of one end, or a few.
  const double chosen = std::array{1.0, 1.0, 0.3, 0.1}[rng() % 4];
  const int end = static_cast<int>(rng() % 4);  // 0: the first alone, 1: the second, else both
  const size_t n = edge.q0.size();
  Direction d;
  const auto some = [&](std::vector<double>& out, bool used, double size) {
    for (size_t k = 0; k < n; ++k)
      out.push_back(used && uniform(rng, 0, 1) < chosen ? size * normal(rng) : 0.0);
  };
  some(d.q0, end != 1, 1);
  some(d.q1, end != 0, 1);
  if (edge.spline) {
    const double T = edge.spline->duration;
    some(d.v0, !edge.spline->v0.empty(), 2 / T);
    some(d.v1, !edge.spline->v0.empty(), 2 / T);
    some(d.a0, !edge.spline->a0.empty(), 4 / (T * T));
    some(d.a1, !edge.spline->a0.empty(), 4 / (T * T));
  }
  // One value at least.
  const size_t k = rng() % std::max<size_t>(n, 1);
  if (n > 0 && end != 1) d.q0[k] += normal(rng);
  if (n > 0 && end != 0) d.q1[k] += normal(rng);
  return d;
}

void add(std::vector<double>& values, const std::vector<double>& d, double s) {
  for (size_t k = 0; k < values.size(); ++k) values[k] += s * d[k];
}

/// Within limits, quaternions of length 1; of a spline they stand still.
void repair(const RobotSpec& spec, std::vector<double>& q) {
  size_t i = 0;
  for (const JointSpec& j : spec.joints) {
    if (!j.mimic.empty()) continue;
    const size_t n = size_t(num_values(j.kind));
    if (n == 1 && j.kind != JointKind::kContinuous) q[i] = std::clamp(q[i], j.lower, j.upper);
    if (n >= 4) {
      double length = 0;
      for (size_t k = i + n - 4; k < i + n; ++k) length += q[k] * q[k];
      for (size_t k = i + n - 4; k < i + n; ++k) q[k] /= std::sqrt(length);
    }
    i += n;
  }
}

void hold_rotations(const RobotSpec& spec, SplineSpec& spline) {
  size_t i = 0;
  for (const JointSpec& j : spec.joints) {
    if (!j.mimic.empty()) continue;
    const size_t n = size_t(num_values(j.kind));
    for (size_t k = i + n - (n >= 4 ? 4 : 0); k < i + n; ++k) {
      spline.q1[k] = spline.q0[k];
      for (std::vector<double>* v : {&spline.v0, &spline.v1, &spline.a0, &spline.a1})
        if (!v->empty()) (*v)[k] = 0;
    }
    i += n;
  }
}

Edge moved(const RobotSpec& spec, const Edge& from, const Direction& d, double s) {
  Edge edge = from;
  add(edge.q0, d.q0, s);
  add(edge.q1, d.q1, s);
  repair(spec, edge.q0);
  repair(spec, edge.q1);
  if (edge.spline) {
    SplineSpec& spline = *edge.spline;
    spline.q0 = edge.q0;
    spline.q1 = edge.q1;
    add(spline.v0, d.v0, s);
    add(spline.v1, d.v1, s);
    add(spline.a0, d.a0, s);
    add(spline.a1, d.a1, s);
    hold_rotations(spec, spline);
    edge.q1 = spline.q1;
  }
  return edge;
}

std::string decade(Real gap) {
  if (!(gap < 1e-3L)) return "1e-3 and more";
  if (gap < 1e-15L) return "below 1e-15";
  return "below 1e" + std::to_string(static_cast<int>(std::floor(std::log10(gap))) + 1);
}

}  // namespace

struct Adversary::Answer {
  Verdict verdict = Verdict::kUndecided;
  double when = 0;  ///< of the contact, or of what comes nearest
};

void Adversary::enter(const Edge& edge) {
  CampaignRobot& robot = robots_.at(edge.robot_name);
  robot.oracle.set_scene(edge.scene, edge.clearance);
  workspace_.reset();
  world_ = std::make_unique<const CollisionWorld>(robot.model, make_scene(edge.scene));
  workspace_ = std::make_unique<Workspace>(*world_);
}

// Asks the engine, and the oracle whether it may say so.
Adversary::Answer Adversary::ask(const Edge& edge) {
  CampaignRobot& robot = robots_.at(edge.robot_name);
  // A glide next to the border takes the engine seconds; it is left undecided soon.
  QueryOptions options;
  options.clearance = edge.clearance;
  options.budget = 200'000;
  const MotionResult result = check_motion(*world_, edge.motion(robot), options, *workspace_);
  ++counters_[std::string("edges ") + name_of(result.verdict)];
  const bool gave_up = result.stats.visited() >= options.budget;
  if (gave_up) ++counters_["edges for which the engine's budget ended"];
  edge.tell(robot.oracle);
  EdgeOracle& exact = robot.oracle.exact();
  Answer answer{result.verdict, result.free_until};
  const auto say = [&](const char* what, Real t) {
    std::ostringstream s;
    s.precision(17);
    s << name_of(result.verdict) << " free_until " << result.free_until << " contact "
      << result.contact.value_or(-1.0) << "; at " << t << " the gap is "
      << exact.smallest_gap_at(t).hi;
    judge_.fail(what, edge, s.str());
  };
  // Where the gap is next to nothing for long, no proof is worth its time here.
  const Truth truth = robot.oracle.judge(0.0, 1000);
  const Real touching = -std::min(kOracleError, exact.clearance());
  if (result.verdict == Verdict::kFree) {
    answer.when = double(truth.t_min);
    if (truth.kind == Truth::Kind::kContact && exact.smallest_gap_at(truth.t_hit).hi <= touching)
      say("FALSE FREE", truth.t_hit);
    if (truth.kind == Truth::Kind::kFree) ++counters_["free edges that the oracle proves"];
    return answer;
  }
  if (result.contact) {
    answer.when = *result.contact;
    if (!robot.oracle.touches_at(*result.contact) &&
        exact.smallest_gap_at(*result.contact).lo > 1e-15L)
      say("FALSE COLLISION", *result.contact);
    if (truth.kind == Truth::Kind::kFree) say("FALSE COLLISION (certified)", *result.contact);
    if (truth.t_free > Real(*result.contact) + 1e-12L)
      say("contact before first contact", *result.contact);
  }
  if (truth.kind == Truth::Kind::kContact && truth.t_hit > 0 &&
      Real(result.free_until) >= truth.t_hit + 1e-15L &&
      exact.smallest_gap_at(truth.t_hit).hi <= touching)
    say("FALSE FREE (prefix)", truth.t_hit);
  if (result.free_until > 0 && robot.oracle.touches_at(result.free_until) &&
      exact.smallest_gap_at(result.free_until).hi <= touching)
    say("FALSE FREE (prefix's end)", result.free_until);
  if (result.verdict == Verdict::kUndecided) {
    if (!gave_up && truth.kind == Truth::Kind::kFree &&
        robot.oracle.judge(1e-6).kind == Truth::Kind::kFree)
      say("undecided though clear", truth.t_min);
    if (truth.kind == Truth::Kind::kContact &&
        deepest_after(exact, truth.pair, truth.t_hit, 1) > kUndecidedBand) {
      ++counters_["undecided in contact, overlap beyond 1e-6"];
      std::fprintf(stderr, "undecided in contact: start %llu (%s)\n%s",
                   static_cast<unsigned long long>(judge_.k), edge.robot_name.c_str(),
                   all_of(edge).c_str());
    }
    ++counters_[std::string("undecided, the oracle says ") +
                (truth.kind == Truth::Kind::kFree      ? "free"
                 : truth.kind == Truth::Kind::kContact ? "contact"
                                                       : "nothing")];
  }
  return answer;
}

// The least gap of a free edge that a search in time finds, by 80 bits, metres beyond the
// clearance: near a time for one pair, or over all (pair -1), which then says whose it is and when.
Real Adversary::gap_of(const Edge& edge, int& pair, double& near) {
  CampaignRobot& robot = robots_.at(edge.robot_name);
  edge.tell(robot.oracle);
  EdgeOracle& exact = robot.oracle.exact();
  BulkOracle::Approach low;
  if (pair >= 0) {
    low = robot.oracle.descend(pair, near, 1e-5, 1e-9);
  } else {
    low = robot.oracle.nearest(16, 1e-9);
    const BulkOracle::Approach there = robot.oracle.nearest_at(near);
    if (there.pair < 0) return EdgeOracle::kNoTarget;
    const auto here = robot.oracle.descend(there.pair, near, 1e-3, 1e-9);
    if (here.gap < low.gap) low = here;
    pair = low.pair;
  }
  near = low.t;
  // Doubles see no valley as flat as 80 bits do: some steps more, longer ones while they lead down.
  Real when = low.t, gap = exact.gap_at(pair, when).hi;
  Real step = 1e-7L;
  for (int i = 0; i < 30 && step > 1e-13L; ++i) {
    const Real before = gap, from = when;
    for (const Real t : {from - step, from + step}) {
      const Real at = std::clamp(t, Real(0), Real(1));
      const Real here = exact.gap_at(pair, at).hi;
      if (here < gap) gap = here, when = at;
    }
    step *= gap < before ? 2.0L : 0.25L;
  }
  if (gap <= -std::min(kOracleError, exact.clearance())) {
    std::ostringstream s;
    s.precision(20);
    s << "at " << when << " the gap is " << gap;
    judge_.fail("FALSE FREE (descent)", edge, s.str());
  }
  return gap;
}

void Adversary::start(const std::string& only, std::uint64_t k) {
  std::mt19937_64 rng((seed_ + 0x5851F42DULL) * 0x9E3779B97F4A7C15ULL + k);
  judge_.k = k;
  const auto names = campaign_robot_names();
  const std::string name = only.empty() ? names[k % names.size()] : only;
  const RobotSpec& spec = robots_.at(name).spec;
  const bool splines = (k / names.size()) % 3 == 2;
  Edge edge;
  Answer answer;
  for (std::uint64_t i = 0; i < 40 && answer.verdict != Verdict::kFree; ++i) {
    edge = make_edge(robots_, name, seed_, 40 * k + i, splines);
    enter(edge);
    answer = ask(edge);
  }
  if (answer.verdict != Verdict::kFree || edge.q0.empty()) {
    ++counters_["starts without a free edge"];
    return;
  }
  ++counters_[splines ? "starts, splines" : "starts, straight"];
  ++counters_["robot " + name];
  for (int round = 0; round < 4; ++round) {
    const Direction d = random_direction(edge, rng);
    double lo = 0, hi = 0;
    double when = answer.when;
    for (const double sign : {1.0, -1.0}) {
      for (double s = 1e-3; s < 4 && hi == 0; s *= 2) {
        const Answer there = ask(moved(spec, edge, d, sign * s));
        if (there.verdict == Verdict::kFree) {
          lo = sign * s;
        } else {
          hi = sign * s;
          when = there.when;
        }
      }
      if (hi != 0) break;
      lo = 0;
    }
    if (hi == 0) {
      ++counters_["directions without a border"];
      continue;
    }
    while (std::abs(hi - lo) > 1e-10) {
      const double s = 0.5 * (lo + hi);
      const Answer there = ask(moved(spec, edge, d, s));
      if (there.verdict == Verdict::kFree) {
        lo = s;
      } else {
        hi = s;
        when = there.when;
      }
    }
    Edge border = moved(spec, edge, d, lo);
    int pair = -1;
    Real gap = gap_of(border, pair, when);
    // Squeezed between the bodies that it nearly touches.
    for (int i = 0; i < 8 && pair >= 0; ++i) {
      const double size = std::pow(10.0, uniform(rng, -12, -8));
      const Edge tried = moved(spec, border, random_direction(border, rng), size);
      if (ask(tried).verdict != Verdict::kFree) continue;
      const Real smaller = gap_of(tried, pair, when);
      if (smaller >= gap) continue;
      gap = smaller;
      border = tried;
    }
    ++counters_["borders"];
    ++counters_["least gap at a border " + decade(gap)];
    edge = border;
    answer.when = when;
  }
}

}  // namespace catena::oracle
