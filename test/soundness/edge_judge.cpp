#include "soundness/edge_judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "soundness/contradiction.hpp"
#include "soundness/edge_oracle.hpp"

namespace catena::oracle {
namespace {

/// Of longer chains EdgeOracle judges states, and no edges: it looks at all pairs at each time.
constexpr int kLongChain = 100;

std::uint64_t microseconds(std::chrono::steady_clock::time_point from,
                           std::chrono::steady_clock::time_point to) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

void put(std::ostringstream& s, const char* name, const std::vector<double>& values) {
  if (values.empty()) return;
  s << "  " << name;
  for (const double v : values) s << ' ' << v;
  s << '\n';
}

}  // namespace

Real deepest_after(EdgeOracle& oracle, int pair, Real t, Real end) {
  Real deepest = 0;
  for (int i = 0; i <= 16; ++i) {
    const Real at = t + (end - t) * Real(i) / 16;
    const Gap g = oracle.gap_at(pair, at);
    if (g.hi > 0) continue;
    // Nearer than the clearance, or in contact; of half-spaces the gap is the depth.
    const Real bound =
        g.hi + oracle.clearance() > 0 ? -g.hi : oracle.overlap_bound(pair, at) + oracle.clearance();
    deepest = std::max(deepest, std::isfinite(bound) ? bound : -g.hi);
  }
  return deepest;
}

std::string all_of(const Edge& edge) {
  std::ostringstream s;
  s.precision(17);
  s << "  clearance " << edge.clearance << '\n';
  if (edge.spline) {
    s << "  duration " << edge.spline->duration << '\n';
    put(s, "q0", edge.spline->q0);
    put(s, "q1", edge.spline->q1);
    put(s, "v0", edge.spline->v0);
    put(s, "v1", edge.spline->v1);
    put(s, "a0", edge.spline->a0);
    put(s, "a1", edge.spline->a1);
  } else {
    put(s, "q0", edge.q0);
    put(s, "q1", edge.q1);
  }
  for (const auto& object : edge.scene.objects) {
    for (const PlacedSpec& p : object.geometries) {
      s << "  object " << object.name << " shape " << static_cast<int>(p.shape.kind) << " size "
        << p.shape.size[0] << ' ' << p.shape.size[1] << ' ' << p.shape.size[2] << " offset "
        << p.shape.offset << " xyz " << p.pose.xyz[0] << ' ' << p.pose.xyz[1] << ' '
        << p.pose.xyz[2] << " rpy " << p.pose.rpy[0] << ' ' << p.pose.rpy[1] << ' ' << p.pose.rpy[2]
        << " vertices " << p.shape.vertices.size() << '\n';
    }
  }
  return s.str();
}

void EdgeJudge::fail(const std::string& what, const Edge& edge, const std::string& details) {
  ++counters_["WRONG: " + what];
  std::fprintf(stderr, "WRONG %s: edge %llu (%s, %s; %s) %s\n%s", what.c_str(),
               static_cast<unsigned long long>(k), edge.robot_name.c_str(), edge.kind.c_str(),
               edge.note.c_str(), details.c_str(), all_of(edge).c_str());
}

void EdgeJudge::judge(const Edge& edge, std::uint64_t number) {
  k = number;
  CampaignRobot& robot = robots_.at(edge.robot_name);
  const auto scene = make_scene(edge.scene);
  const CollisionWorld world(robot.model, scene);
  Workspace workspace(world);
  QueryOptions options;
  options.clearance = edge.clearance;
  const Motion motion = edge.motion(robot);
  const auto start = std::chrono::steady_clock::now();
  const MotionResult result = check_motion(world, motion, options, workspace);
  const auto middle = std::chrono::steady_clock::now();

  robot.oracle.set_scene(edge.scene, edge.clearance);
  edge.tell(robot.oracle);
  EdgeOracle& oracle = robot.oracle.exact();
  if (static_cast<std::int64_t>(oracle.pairs().size()) != world.num_geometry_pairs())
    fail("pair count", edge,
         std::to_string(oracle.pairs().size()) + " not " +
             std::to_string(world.num_geometry_pairs()));
  const Truth truth = truth_of(edge, result, robot);
  compare(edge, result, truth, robot, world);
  if (!bulk_ || k % 4 == 2) {
    const auto& q = edge.spline ? edge.spline->q0 : edge.q0;
    state(world, positions(*robot.model, robot.spec, q), workspace, edge, oracle, 0);
    state(world, positions(*robot.model, robot.spec, edge.q1), workspace, edge, oracle, 1);
  }
  // The same edge from the other end must not say the contrary.
  if (k % 4 == 0) {
    const MotionResult back = check_motion(world, reversed(edge, robot), options, workspace);
    const bool contrary =
        (back.verdict == Verdict::kFree && result.verdict == Verdict::kCollision) ||
        (back.verdict == Verdict::kCollision && result.verdict == Verdict::kFree);
    if (contrary) fail("reversed edge", edge, name_of(back.verdict));
  }
  // Distances over the motion.
  if (k % (bulk_ ? 32 : 4) == 1 && result.verdict == Verdict::kFree && !oracle.pairs().empty() &&
      robot.num_links <= kLongChain)
    distances(world, motion, edge, truth, oracle, workspace);
  const auto end = std::chrono::steady_clock::now();
  counters_["microseconds engine"] += microseconds(start, middle);
  counters_["microseconds oracle"] += microseconds(middle, end);
}

Truth EdgeJudge::truth_of(const Edge& edge, const MotionResult& result, CampaignRobot& robot) {
  EdgeOracle& exact = robot.oracle.exact();
  const Truth truth = robot.oracle.judge(0.0, std::max(20'000, 400 * robot.num_links));
  if (robot.num_links > kLongChain) return truth;
  const bool both = !bulk_ || k % 1024 == 5;
  if (truth.kind != Truth::Kind::kBand && result.verdict != Verdict::kUndecided && !both)
    return truth;
  if (truth.kind == Truth::Kind::kBand) ++counters_["left open by doubles, then by 80 bits"];
  const Truth slow = exact.judge();
  if (both) ++counters_["judged by both oracles"];
  if ((truth.kind == Truth::Kind::kFree && slow.kind == Truth::Kind::kContact) ||
      (truth.kind == Truth::Kind::kContact && slow.kind == Truth::Kind::kFree) ||
      (slow.kind == Truth::Kind::kContact && truth.t_free > slow.t_hit + 1e-15L) ||
      (truth.kind == Truth::Kind::kContact && slow.t_free > truth.t_hit + 1e-15L))
    fail("the oracles differ", edge, "");
  return slow;
}

void EdgeJudge::state(const CollisionWorld& world, const Eigen::VectorXd& q, Workspace& workspace,
                      const Edge& edge, EdgeOracle& oracle, Real t) {
  QueryOptions options;
  options.clearance = edge.clearance;
  options.distances = true;
  const StateResult result = check_state(world, q, options, workspace);
  int pair = -1;
  Gap truth = oracle.smallest_gap_at(t, &pair);
  truth.lo += edge.clearance;
  truth.hi += edge.clearance;
  ++counters_[std::string("states ") + name_of(result.verdict)];
  std::ostringstream s;
  s.precision(17);
  s << "t " << t << " oracle [" << truth.lo << ", " << truth.hi << "] verdict "
    << name_of(result.verdict);
  if (result.distance)
    s << " distance [" << result.distance->lo << ", " << result.distance->hi << "]";
  if (pair >= 0) {
    const auto& p = oracle.pairs()[size_t(pair)];
    s << " (" << oracle.name(p.a) << ", " << oracle.name(p.b) << ")";
  }
  if (const char* what = contradiction(result.verdict, result.distance, truth, edge.clearance))
    fail(std::string("state ") + what, edge, s.str());
}

void EdgeJudge::distances(const CollisionWorld& world, const Motion& motion, const Edge& edge,
                          const Truth& truth, EdgeOracle& oracle, Workspace& workspace) {
  QueryOptions options;
  options.clearance = edge.clearance;
  options.distances = true;
  const MotionResult measured = check_motion(world, motion, options, workspace);
  std::ostringstream s;
  s.precision(17);
  if (measured.distance) {
    s << "distance [" << measured.distance->lo << ", " << measured.distance->hi << "]";
    const auto [sampled, when] =
        oracle.descend(truth.pair < 0 ? 0 : truth.pair, truth.t_min, 0.01L);
    const Real smallest = sampled + edge.clearance;
    s << " sampled " << smallest << " at " << when;
    if (Real(measured.distance->lo) > smallest + 1e-14L) fail("motion distance", edge, s.str());
    if (measured.distance->hi - measured.distance->lo > 1.001e-5)
      fail("motion distance too wide", edge, s.str());
    ++counters_["motion distances"];
  } else if (measured.verdict == Verdict::kFree) {
    fail("motion distance missing", edge, "");
  }
}

void EdgeJudge::compare(const Edge& edge, const MotionResult& result, const Truth& truth,
                        CampaignRobot& robot, const CollisionWorld& world) {
  EdgeOracle& oracle = robot.oracle.exact();
  std::ostringstream s;
  s.precision(17);
  s << "verdict " << name_of(result.verdict) << " free_until " << result.free_until << " contact "
    << (result.contact ? *result.contact : -1.0) << "; oracle "
    << (truth.kind == Truth::Kind::kFree      ? "free"
        : truth.kind == Truth::Kind::kContact ? "contact"
                                              : "band")
    << " t_free " << truth.t_free << " t_hit " << truth.t_hit << " min_gap " << truth.min_gap
    << " at " << truth.t_min;
  if (truth.pair >= 0) {
    const auto& p = oracle.pairs()[size_t(truth.pair)];
    s << " (" << oracle.name(p.a) << ", " << oracle.name(p.b) << ")";
  }
  if (result.witness.a.valid())
    s << " engine pair (" << world.body(result.witness.a).name << ", "
      << world.body(result.witness.b).name << ")";
  const std::string details = s.str();
  if (verbose_)
    std::fprintf(stderr, "edge %llu %s %s: %s; %s\n", static_cast<unsigned long long>(k),
                 edge.robot_name.c_str(), edge.kind.c_str(), details.c_str(), edge.note.c_str());
  const char* kinds[] = {"free", "contact", "band"};
  ++counters_[edge.kind + ": engine " + name_of(result.verdict) + ", oracle " +
              kinds[static_cast<int>(truth.kind)]];
  ++counters_["robot " + edge.robot_name];

  switch (result.verdict) {
    case Verdict::kFree:
      if (result.free_until != 1.0 || result.contact)
        fail("free but not to the end", edge, details);
      free_edge(edge, truth, robot, details);
      break;
    case Verdict::kCollision:
      collision(edge, result, truth, robot, details);
      break;
    case Verdict::kUndecided:
      if (result.contact) fail("undecided with contact", edge, details);
      undecided(edge, truth, robot, details);
      break;
  }
  // The proven prefix, at its end and against the first contact known.
  if (result.free_until > 0 && result.free_until < 1 &&
      robot.oracle.touches_at(result.free_until) &&
      oracle.smallest_gap_at(result.free_until).hi <= -std::min(kOracleError, oracle.clearance()))
    fail("FALSE FREE (prefix's end)", edge, details);
  if (truth.kind == Truth::Kind::kContact && truth.t_hit > 0 &&
      result.free_until >= truth.t_hit + 1e-15L)
    fail("FALSE FREE (prefix)", edge, details);
}

void EdgeJudge::free_edge(const Edge& edge, const Truth& truth, CampaignRobot& robot,
                          const std::string& details) {
  EdgeOracle& oracle = robot.oracle.exact();
  if (truth.kind == Truth::Kind::kContact) fail("FALSE FREE", edge, details);
  if (bulk_ && truth.kind == Truth::Kind::kFree) return;  // proven by the oracle as well
  if (robot.num_links > kLongChain) {
    // No proof, but a search: down from the nearest approach that is known.
    ++counters_["free, and the oracle has no proof"];
    const BulkOracle::Approach low = robot.oracle.nearest(64);
    if (low.pair >= 0 && oracle.descend(low.pair, low.t, 1e-4L).first <= 0)
      fail("FALSE FREE (descent)", edge, details);
    return;
  }
  // A search against the verdict: down from the nearest approach that is known, and from all over.
  const int starts = truth.kind == Truth::Kind::kFree && k % 8 != 0 ? 2 : 32;
  for (int i = 0; i <= starts; ++i) {
    int pair = -1;
    const Real t = i == 0 ? truth.t_min : (Real(i) - 0.5L) / starts;
    oracle.smallest_gap_at(t, &pair);
    if (pair < 0) break;
    const auto [low, when] = oracle.descend(pair, t, 0.04L, 0);
    if (low <= 0) {
      fail("FALSE FREE (descent)", edge, details);
      break;
    }
  }
}

void EdgeJudge::collision(const Edge& edge, const MotionResult& result, const Truth& truth,
                          CampaignRobot& robot, const std::string& details) {
  EdgeOracle& oracle = robot.oracle.exact();
  const Real eps = 1e-15L;
  const Real free_until = result.free_until;
  if (!result.contact) {
    fail("collision without contact", edge, details);
    return;
  }
  const Real contact = *result.contact;
  if (!(contact >= 0 && contact <= 1)) fail("contact outside [0, 1]", edge, details);
  if (!robot.oracle.touches_at(*result.contact)) {
    const Gap at = oracle.smallest_gap_at(contact);
    if (at.lo > eps)
      fail("FALSE COLLISION", edge, details + " gap there " + std::to_string(double(at.lo)));
  }
  if (truth.kind == Truth::Kind::kFree) fail("FALSE COLLISION (certified)", edge, details);
  if (result.free_until > contact) fail("free_until after contact", edge, details);
  if (truth.t_free > contact + 1e-12L) fail("contact before first contact", edge, details);
  if (result.free_until > 0 && truth.t_hit == 0) fail("free_until from contact", edge, details);
  if (truth.kind != Truth::Kind::kContact) return;
  // Closeness of the brackets where the approach is not grazing. Between the two lies the first
  // contact, so far as engine and oracle know.
  const Real first = std::min(truth.t_hit, contact);
  if (first - free_until > 1.001e-6L) {
    // A contact that grazes: the gap is next to nothing for longer than that. Where round
    // shapes touch, the oracle's bracket is wide at some times, and narrow next to them.
    Real gap_there = free_until > 0 ? oracle.smallest_gap_at(free_until).hi : Real(1);
    for (int i = 1; i <= 8 && free_until > 0 && gap_there > 1e-8L; ++i) {
      const Real t = free_until + (first - free_until) * Real(i) / 16;
      gap_there = std::min(gap_there, oracle.smallest_gap_at(t).hi);
    }
    if (gap_there > 1e-8L) {
      fail(
          "prefix too short", edge,
          details + " gap at the prefix's end " + std::to_string(double(1e9L * gap_there)) + "e-9");
    } else {
      ++counters_["prefix more than 1e-6 short, gap there below 1e-8"];
    }
  }
  if (contact - truth.t_hit > 1.001e-6L) {
    // Late: is it only because the overlap grows slowly from t_hit on?
    ++counters_["contact more than 1e-6 after the first"];
    const Real deepest = deepest_after(oracle, truth.pair, truth.t_hit,
                                       truth.t_hit + Real(0.9) * (contact - truth.t_hit));
    if (deepest > kUndecidedBand) {
      fail("contact late though deep", edge,
           details + " overlap before " + std::to_string(double(1e9L * deepest)) + "e-9");
    } else if (verbose_ || contact - truth.t_hit > 1e-3L) {
      std::fprintf(stderr, "late contact: edge %llu %s\n", static_cast<unsigned long long>(k),
                   details.c_str());
    }
  }
}

void EdgeJudge::undecided(const Edge& edge, const Truth& truth, CampaignRobot& robot,
                          const std::string& details) {
  EdgeOracle& oracle = robot.oracle.exact();
  if (truth.kind == Truth::Kind::kContact) {
    const Real deepest = deepest_after(oracle, truth.pair, truth.t_hit, 1);
    ++counters_[deepest > kUndecidedBand ? "undecided in contact, overlap beyond 1e-6"
                                         : "undecided in contact, overlap within 1e-6"];
    std::fprintf(stderr, "undecided in contact: edge %llu (%s) overlap %.3Lg %s\n%s",
                 static_cast<unsigned long long>(k), edge.note.c_str(), deepest, details.c_str(),
                 all_of(edge).c_str());
    return;
  }
  if (robot.num_links > kLongChain) {
    if (robot.oracle.judge(1e-6).kind == Truth::Kind::kFree)
      fail("undecided though clear", edge, details);
    else
      ++counters_["undecided, and not proven to be clear by 1e-6"];
    return;
  }
  Real low = truth.min_gap;
  if (truth.pair >= 0 && low > 0) low = oracle.descend(truth.pair, truth.t_min, 0.01L, 1e-6L).first;
  if (low > 1e-6L) {
    fail("undecided though clear", edge, details);
  } else {
    ++counters_["undecided within 1e-6"];
  }
}

}  // namespace catena::oracle
