// Checks the answers about states of chains and trees, by check_state and by ChainState.
//
//   chain_soundness states|steps|relations|drift --count N [--seed S] [--state FILE] [--only K]
//
// states     against all pairs of an oracle that shares no code with the engine, and FCL's where it
//            was found when this was built.
// steps      ChainState after any sequence of changes, commits and rollbacks against check_state.
// relations  metamorphic: the world moved, mirrored, split, permuted, scaled, ...
// drift      poses after very many moves, each committed, against fresh ones in 80-bit arithmetic.
//
// World k depends on the seed and k alone; a run that was cut short goes on from --state FILE
// (but for drift). Exit status 0 if no answer was wrong.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "catena/query/chain_state.hpp"
#include "query/chain_state_probe.hpp"
#include "soundness/campaign.hpp"
#include "soundness/chain_bridge.hpp"
#include "soundness/chain_worlds.hpp"
#include "soundness/contradiction.hpp"
#include "soundness/edge_oracle.hpp"
#include "soundness/robots.hpp"
#ifdef CATENA_ORACLE_FCL
#include "soundness/fcl_oracle.hpp"
#endif
#include "support/random.hpp"

namespace catena::oracle {
namespace {

using test::Rng;
using test::uniform;

/// Metres: states with a gap of no more than this, or of minus this, may be left undecided.
constexpr Real kBand = 1e-9L;
/// FCL's own, by its solver's tolerance.
constexpr Real kFclBand = 1e-5L;

struct Arguments {
  std::string mode;
  std::uint64_t count = 1000, seed = 1;
  std::string state;
  std::int64_t only = -1;
};

bool chance(Rng& rng, double p) { return uniform(rng, 0, 1) < p; }
int below(Rng& rng, int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }

std::shared_ptr<const CollisionWorld> make_world(const ChainWorld& world) {
  return std::make_shared<const CollisionWorld>(make_robots(world), make_scene(world.scene));
}

/// Where the run is, what it has counted, and what to say where an answer is wrong.
struct Judge {
  Counters& counters;
  std::uint64_t seed = 0, k = 0;
  std::string kind;
  int said = 0;

  void fail(const std::string& what, const std::string& details) {
    if (++counters["WRONG: " + what] > 20 && said > 20) return;
    ++said;
    std::fprintf(stderr, "WRONG %s: seed %llu world %llu (%s) %s\n", what.c_str(),
                 static_cast<unsigned long long>(seed), static_cast<unsigned long long>(k),
                 kind.c_str(), details.c_str());
  }
};

std::string decade(Real gap) {
  if (gap == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(gap))));
  if (exponent < -16) return "below 1e-16";
  return "1e" + std::to_string(std::min(exponent, 0));
}

/// Moves a ChainState to q by as few joints as differ.
void move_to(ChainState& state, const Eigen::VectorXd& q) {
  const Robot& robot = state.world().robot();
  std::vector<ChainState::Change> changes;
  for (const LinkIndex i : robot.active_joints()) {
    const Joint& joint = robot.joint(i);
    const int n = num_values(joint.type);
    if (state.positions().segment(joint.q_index, n) == q.segment(joint.q_index, n)) continue;
    if (n != 1 || changes.size() > 8) {
      state.set(q);
      return;
    }
    changes.push_back({i, q[joint.q_index]});
  }
  state.set(changes);
}

/// `count` states of a robot, most of them by bisection between a free one and one in contact, that
/// differ in one joint, a few or all: evaluate(q) says whether q is free.
template <class Evaluate>
void walk(const RobotSpec& robot, int count, Rng& rng, const Evaluate& evaluate) {
  std::vector<double> base = home(robot);
  bool base_free = evaluate(base);
  for (int done = 1; done < count;) {
    const std::vector<double> goal =
        blend(robot, base, random_configuration(robot, rng), std::array{0.1, 0.5, 1.0}[rng() % 3]);
    const int some = std::array{1, 1, 1, 3, 8}[rng() % 5];
    std::vector<double> free = base;
    std::vector<double> met = chance(rng, 0.25) ? goal : change_some(robot, base, goal, some, rng);
    ++done;
    const bool met_free = evaluate(met);
    if (met_free || !base_free) {
      // Now and then from the start again: a base that has wandered into a corner stays there.
      base = chance(rng, 0.02) ? home(robot) : met;
      base_free = base == met ? met_free : evaluate(base);
      continue;
    }
    for (int step = 4 + below(rng, 28); step > 0 && done < count; --step) {
      const std::vector<double> mid = blend(robot, free, met, 0.5);
      if (mid == free || mid == met) break;
      ++done;
      (evaluate(mid) ? free : met) = mid;
    }
    if (chance(rng, 0.3)) base = free;
  }
}

// ---- states

class StateRun {
 public:
  StateRun(const ChainWorld& world, Judge& judge, Rng& rng)
      : judge_(judge),
        counters_(judge.counters),
        rng_(rng),
        spec_(world.merged()),
        oracle_(spec_, world.scene),
        world_(make_world(world)),
        workspace_(*world_),
        chain_(world_)
#ifdef CATENA_ORACLE_FCL
        ,
        fcl_(spec_, world.scene, oracle_)
#endif
  {
    for (const LinkSpec& link : spec_.links) add_kinds(link.collision);
    for (const auto& attached : world.scene.attached) add_kinds(attached.object.geometries);
    for (const auto& object : world.scene.objects) add_kinds(object.geometries);
  }

  void run(int count) {
    if (static_cast<std::int64_t>(oracle_.pairs().size()) != world_->num_geometry_pairs())
      judge_.fail("pair count", std::to_string(oracle_.pairs().size()) + " not " +
                                    std::to_string(world_->num_geometry_pairs()));
    walk(spec_, count, rng_, [this](const std::vector<double>& q) { return is_free(q); });
  }

 private:
  // Triangles that cross and round solids that overlap do so by nobody knows how much: -infinity.
  static Real signed_gap(const Gap& truth) {
    if (truth.hi < 0) return truth.hi;
    const bool tight = truth.hi - truth.lo <= kBand;
    return truth.hi > kOracleError || tight ? truth.lo : -std::numeric_limits<Real>::infinity();
  }

  // In the order of the oracle's geometries.
  void add_kinds(const std::vector<PlacedSpec>& placed) {
    constexpr std::array kNames{"sphere", "capsule", "box", "cylinder", "cone", "half-space"};
    for (const PlacedSpec& p : placed) {
      const bool mesh = p.shape.kind == ShapeSpec::Kind::kMesh;
      solids_ = solids_ || p.shape.solid;
      kinds_.push_back(!mesh           ? kNames[size_t(p.shape.kind)]
                       : p.shape.solid ? "solid mesh"
                                       : "open mesh");
    }
  }

  bool is_free(const std::vector<double>& values) {
    oracle_.set_motion(values, values);
    int pair = -1;
    const Gap truth = oracle_.smallest_gap_at(0, &pair);
    QueryOptions options;
    if (chance(rng_, 0.1)) options.clearance = uniform(rng_, 0, 0.03);
    options.distances = chance(rng_, 0.08);
    const Eigen::VectorXd q = positions(world_->robot(), spec_, values);
    const StateResult whole = check_state(*world_, q, options, workspace_);
    move_to(chain_, q);
    const ChainState::Result step = chain_.check(options);
    if (step.verdict == Verdict::kFree ? chance(rng_, 0.7) : chance(rng_, 0.1)) chain_.commit();
    if (step.verdict != Verdict::kFree && chance(rng_, 0.5)) chain_.rollback();

    ++counters_["states"];
    ++counters_["states, " + judge_.kind];
    ++counters_[std::string("check_state: ") + catena::name_of(whole.verdict)];
    ++counters_[std::string("ChainState: ") + catena::name_of(step.verdict)];
    if (step.stats.compositions == 0) ++counters_["ChainState: by what has changed alone"];
    if (options.distances) ++counters_["distances"];
    const Real off = signed_gap(truth) - options.clearance;
    if (std::abs(off) < std::numeric_limits<Real>::infinity()) {
      ++counters_[std::string("gap ") + (off > 0 ? "+" : "-") + decade(off)];
    } else {
      ++counters_[off > 0 ? "gap: no pairs" : "gap: contact of unknown depth"];
    }
    if (std::abs(off) <= kBand) ++counters_["states in the band of 1e-9 m"];
    compare("check_state", whole.verdict, whole.distance, truth, options, pair);
    compare("ChainState", step.verdict, {}, truth, options, pair);
    if (options.clearance == 0.0) ask_fcl(whole.verdict, truth, pair);
    return truth.hi > 0;
  }

  void compare(const char* who, Verdict verdict, const std::optional<Interval>& distance,
               const Gap& truth, const QueryOptions& options, int pair) {
    if (verdict == Verdict::kUndecided && truth.hi <= 0) {
      const Real overlap = truth.hi < 0 ? -truth.hi : oracle_.overlap_bound(pair, 0);
      ++counters_[std::string(who) + ": undecided in contact, no deeper than " +
                  decade(10 * overlap)];
      if (overlap > kBand)
        std::fprintf(stderr, "world %llu: %s is undecided in a contact, depth at most %.3Lg%s\n",
                     static_cast<unsigned long long>(judge_.k), who, overlap,
                     name_of(pair).c_str());
    }
    const char* what = contradiction(verdict, distance, truth, options.clearance, kBand);
    if (what == nullptr) return;
    std::ostringstream s;
    s.precision(17);
    s << "state " << counters_["states"] << " verdict " << catena::name_of(verdict) << " clearance "
      << options.clearance << " oracle [" << truth.lo << ", " << truth.hi << "]";
    if (distance) s << " distance [" << distance->lo << ", " << distance->hi << "]";
    s << name_of(pair);
    judge_.fail(std::string(who) + ": " + what, s.str());
  }

  std::string name_of(int pair) const {
    if (pair < 0) return "";
    const EdgeOracle::Pair& p = oracle_.pairs()[size_t(pair)];
    return " (" + oracle_.name(p.a) + " " + kinds_[size_t(p.a)] + ", " + oracle_.name(p.b) + " " +
           kinds_[size_t(p.b)] + ")";
  }

  void ask_fcl([[maybe_unused]] Verdict verdict, [[maybe_unused]] const Gap& truth,
               [[maybe_unused]] int pair) {
#ifdef CATENA_ORACLE_FCL
    const int colliding = fcl_.colliding_pair(oracle_.link_poses(0));
    const bool free = colliding < 0;
    ++counters_["FCL: asked"];
    if (verdict == Verdict::kUndecided || free == (verdict == Verdict::kFree)) return;
    const Real off = signed_gap(truth);
    const bool known = off > -std::numeric_limits<Real>::infinity();
    if (std::abs(off) <= kFclBand) {
      ++counters_["FCL: differs in its band of 1e-5 m"];
      return;
    }
    if (free && solids_) {
      ++counters_["FCL: free, in worlds with solids, which it does not know"];
      return;
    }
    if (!known) {  // most often by no more than its band
      ++counters_["FCL: free, in a contact of unknown depth"];
      return;
    }
    const int says = free ? pair : colliding;
    const auto is = [&](int geometry, const char* kind) {
      return std::string_view(kinds_[size_t(geometry)]) == kind;
    };
    if (!free && is(oracle_.pairs()[size_t(says)].a, "cone") &&
        is(oracle_.pairs()[size_t(says)].b, "half-space")) {
      ++counters_["FCL: collision, of a cone and a half-space, which it finds too early"];
      return;
    }
    // The oracle sides with the engine, or this is counted as wrong above.
    std::string& example = examples_[free];
    ++counters_[free ? "FCL: alone says free" : "FCL: alone says collision"];
    if (!example.empty()) return;
    std::ostringstream s;
    s << "FCL alone says " << (free ? "free" : "collision") << ": oracle [" << truth.lo << ", "
      << truth.hi << "]" << name_of(says);
    example = s.str();
    std::fprintf(stderr, "world %llu: %s\n", static_cast<unsigned long long>(judge_.k),
                 example.c_str());
#endif
  }

  Judge& judge_;
  Counters& counters_;
  Rng& rng_;
  RobotSpec spec_;
  EdgeOracle oracle_;
  std::shared_ptr<const CollisionWorld> world_;
  Workspace workspace_;
  ChainState chain_;
  std::vector<const char*> kinds_;
  bool solids_ = false;
#ifdef CATENA_ORACLE_FCL
  FclOracle fcl_;
  std::string examples_[2];
#endif
};

/// How many worlds have what.
void count_features(const ChainWorld& world, Counters& counters) {
  const RobotSpec robot = world.merged();
  const auto any = [](const auto& list, const auto& holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  const auto count = [&](bool has, const char* what) {
    if (has) ++counters[std::string("worlds with ") + what];
  };
  const auto joints_of = [&](JointKind kind) {
    return any(robot.joints, [&](const JointSpec& j) { return j.kind == kind; });
  };
  std::map<std::string, int> children;
  for (const JointSpec& j : robot.joints) ++children[j.parent];
  count(any(children, [](const auto& c) { return c.second > 1; }), "branches");
  count(any(robot.joints, [](const JointSpec& j) { return !j.mimic.empty(); }), "mimics");
  count(joints_of(JointKind::kPrismatic), "prismatic joints");
  count(joints_of(JointKind::kFixed), "fixed joints");
  count(joints_of(JointKind::kBall), "ball joints");
  count(joints_of(JointKind::kPlanar), "planar joints");
  count(joints_of(JointKind::kFloating), "floating joints");
  count(any(robot.links, [](const LinkSpec& l) { return l.collision.size() > 1; }),
        "several geometries on a link");
  count(any(robot.links,
            [&](const LinkSpec& l) {
              return any(l.collision, [](const PlacedSpec& p) {
                return p.shape.kind == ShapeSpec::Kind::kMesh;
              });
            }),
        "meshes on links");
  count(world.robots.size() > 1, "other robots");
  count(!world.scene.objects.empty(), "scenes");
  count(!world.scene.attached.empty(), "attached objects");
  count(!world.scene.allowed.empty() || !robot.disabled.empty(), "allowed pairs");
}

void run_states(Judge& judge, Rng& rng) {
  const ChainWorld world = rng() % 64 == 0 ? zero_length_world(std::array{17, 100, 300}[rng() % 3])
                                           : random_chain_world(rng);
  judge.kind = world.kind;
  count_features(world, judge.counters);
  // Long ones take the oracle longer.
  StateRun(world, judge, rng).run(world.robots[0].links.size() > 100 ? 96 : 256);
}

// ---- steps

/// What a ChainState should hold, kept as plain values.
class StepRun {
 public:
  StepRun(const ChainWorld& world, Judge& judge, Rng& rng)
      : judge_(judge),
        counters_(judge.counters),
        rng_(rng),
        given_(world),
        spec_(world.merged()),
        world_(make_world(world)),
        workspace_(*world_),
        state_(world_),
        now_(state_.positions()),
        committed_(now_) {
    if (chance(rng_, 0.5)) internal::ChainStateProbe::use_only_grid(state_);
    for (const LinkIndex i : world_->robot().active_joints())
      if (num_values(world_->robot().joint(i).type) == 1) single_.push_back(i);
  }

  void run(int count) {
    spread_ = std::array{0.03, 0.2, 1.0}[rng_() % 3];
    for (step_ = 0; step_ < count; ++step_) {
      ++counters_["operations"];
      operate();
      if (state_.positions() != now_) judge_.fail("positions", "step " + std::to_string(step_));
    }
  }

 private:
  double new_value(LinkIndex i) {
    const Joint& joint = world_->robot().joint(i);
    const double lower = std::max(joint.lower, -3.0), upper = std::min(joint.upper, 3.0);
    if (chance(rng_, 0.1)) return uniform(rng_, lower, upper);
    return std::clamp(now_[joint.q_index] + spread_ * uniform(rng_, lower, upper), lower, upper);
  }

  void set_some(int most) {
    std::vector<ChainState::Change> changes;
    for (int n = 1 + below(rng_, most); n > 0 && !single_.empty(); --n) {
      const LinkIndex i = single_[size_t(below(rng_, int(single_.size())))];
      changes.push_back({i, new_value(i)});
    }
    for (const auto& change : changes)
      now_[world_->robot().joint(change.joint).q_index] = change.value;
    if (changes.size() == 1 && chance(rng_, 0.5)) {
      state_.set(changes[0].joint, changes[0].value);
    } else {
      state_.set(changes);
    }
  }

  void set_badly() {
    std::vector<ChainState::Change> changes;
    if (!single_.empty()) changes.push_back({single_[0], new_value(single_[0])});
    switch (rng_() % 3) {
      case 0:
        changes.push_back({LinkIndex(0), 0.0});
        break;
      case 1:
        changes.push_back({LinkIndex(world_->robot().num_links()), 0.0});
        break;
      default:
        if (single_.empty()) return;
        changes.push_back({single_.back(), std::nan("")});
    }
    try {
      state_.set(changes);
      judge_.fail("a bad value was taken", "step " + std::to_string(step_));
    } catch (const std::invalid_argument&) {
    }
  }

  void operate() {
    const int what = hit_ && chance(rng_, 0.3) ? 77 : below(rng_, 100);  // 77: a check
    if (what < 33) {
      ++counters_["operations: set one"];
      set_some(1);
    } else if (what < 43) {
      ++counters_["operations: set many"];
      set_some(chance(rng_, 0.5) ? 4 : 64);
    } else if (what < 46) {
      ++counters_["operations: set all"];
      const std::vector<double> here = values(world_->robot(), spec_, now_);
      now_ = positions(world_->robot(), spec_,
                       blend(spec_, here, random_configuration(spec_, rng_), spread_));
      state_.set(now_);
    } else if (what < 47) {
      ++counters_["operations: set badly"];
      set_badly();
    } else if (what < 78) {
      ++counters_["operations: check"];
      check();
    } else if (what < 80) {
      ++counters_["operations: distance"];
      measure();
    } else if (what < 90) {
      ++counters_["operations: commit"];
      state_.commit();
      committed_ = now_;
    } else {
      ++counters_["operations: rollback"];
      roll_back();
    }
  }

  void roll_back() {
    state_.rollback();
    now_ = committed_;
    hit_ = false;
  }

  void check() {
    QueryOptions options;
    if (chance(rng_, 0.2)) options.clearance = chance(rng_, 0.5) ? 0.01 : 0.03;
    const ChainState::Result result = state_.check(options);
    if (result.stats.compositions == 0) ++counters_["checks by what has changed alone"];
    ++counters_[std::string("checks: ") + catena::name_of(result.verdict)];
    // A contact that was found and left, and is still there after other joints moved.
    if (hit_ && result.verdict == Verdict::kCollision)
      ++counters_["checks of contacts left behind"];
    hit_ = hit_ || result.verdict != Verdict::kFree;
    if (result.verdict == Verdict::kFree) hit_ = false;
    const auto links = static_cast<std::uint64_t>(world_->robot().num_links());
    if (result.stats.visited() > 100 * (links + 10)) {
      judge_.fail("visited pairs", std::to_string(result.stats.visited()) + " of " +
                                       std::to_string(links) + " links");
    }
    if (fresh_++ % 16 == 0) workspace_ = Workspace(*world_);
    compare(result.verdict, check_state(*world_, now_, options, workspace_).verdict, options);
    // Contacts are taken back, or half of the way there; others are left.
    if (result.verdict == Verdict::kCollision && chance(rng_, 0.25)) {
      roll_back();
    } else if (result.verdict == Verdict::kCollision && chance(rng_, 0.7)) {
      ++counters_["operations: set halfway back"];
      now_ = positions(world_->robot(), spec_,
                       blend(spec_, values(world_->robot(), spec_, committed_),
                             values(world_->robot(), spec_, now_), 0.5));
      state_.set(now_);
    }
    if (result.verdict == Verdict::kFree && chance(rng_, 0.3)) {
      state_.commit();
      committed_ = now_;
    }
  }

  void measure() {
    const StateResult incremental = state_.distance();
    QueryOptions options;
    options.distances = true;
    const StateResult whole = check_state(*world_, now_, options, workspace_);
    compare(incremental.verdict, whole.verdict, options);
    if (!incremental.distance || !whole.distance) return;
    if (incremental.distance->lo > whole.distance->hi ||
        whole.distance->lo > incremental.distance->hi)
      judge_.fail("distance", "step " + std::to_string(step_));
  }

  // Verdicts may differ only by one that is undecided, and only in the band.
  void compare(Verdict incremental, Verdict whole, const QueryOptions& options) {
    if (incremental == whole && whole != Verdict::kUndecided) return;
    if (!oracle_) oracle_.emplace(spec_, given_.scene);
    const std::vector<double> q = values(world_->robot(), spec_, now_);
    oracle_->set_motion(q, q);
    const Gap truth = oracle_->smallest_gap_at(0);
    std::ostringstream s;
    s.precision(17);
    s << "step " << step_ << " ChainState " << catena::name_of(incremental) << " check_state "
      << catena::name_of(whole) << " clearance " << options.clearance << " oracle [" << truth.lo
      << ", " << truth.hi << "]";
    for (const auto& [who, verdict] :
         {std::pair("ChainState", incremental), std::pair("check_state", whole)}) {
      if (const char* what = contradiction(verdict, {}, truth, options.clearance, kBand))
        judge_.fail(std::string(who) + ": " + what, s.str());
    }
    if (incremental != whole) {
      ++counters_["one of the two undecided, in the band"];
      if (incremental != Verdict::kUndecided && whole != Verdict::kUndecided)
        judge_.fail("ChainState and check_state contradict", s.str());
    } else {
      ++counters_["both undecided"];
    }
  }

  Judge& judge_;
  Counters& counters_;
  Rng& rng_;
  const ChainWorld& given_;
  RobotSpec spec_;
  std::shared_ptr<const CollisionWorld> world_;
  Workspace workspace_;
  ChainState state_;
  Eigen::VectorXd now_, committed_;
  std::vector<LinkIndex> single_;
  std::optional<EdgeOracle> oracle_;
  double spread_ = 0.1;
  int step_ = 0;
  unsigned fresh_ = 0;
  bool hit_ = false;
};

void run_steps(Judge& judge, Rng& rng) {
  // Around powers of two.
  constexpr std::array kSizes{1,  2,  3,  5,  7,   8,   9,   15,  16,  17,  31,  32,
                              33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1025};
  const int which = below(rng, 24);
  ChainWorld world;
  if (which == 23) {
    world = zero_length_world(std::array{2, 17, 100, 1000}[rng() % 4]);
  } else {
    ChainWorldOptions options;
    options.links = kSizes[size_t(which)];
    options.simple = chance(rng, 0.6);
    options.serial = chance(rng, 0.6);
    world = random_chain_world(rng, options);
    world.kind = "links " + std::to_string(options.links);
  }
  judge.kind = world.kind;
  judge.counters["operations, " + world.kind] += 400;
  StepRun(world, judge, rng).run(400);
}

// ---- relations

void relate(const ChainWorld& given, Relation relation, Judge& judge, Rng& rng) {
  std::optional<RelatedWorld> found;
  try {
    found.emplace(given, relation, rng);
  } catch (const std::invalid_argument&) {
    ++judge.counters[std::string(name_of(relation)) + ": has no meaning here"];
    return;
  }
  const RelatedWorld& related = *found;
  const RobotSpec spec = given.merged(), related_spec = related.world().merged();
  const auto world = make_world(given), other = make_world(related.world());
  Workspace workspace(*world), other_workspace(*other);
  ChainState chain(world), other_chain(other);
  EdgeOracle oracle(spec, given.scene);
  Counters& counters = judge.counters;
  const std::string name = name_of(relation);

  walk(spec, 64, rng, [&](const std::vector<double>& values) {
    oracle.set_motion(values, values);
    QueryOptions options;
    if (chance(rng, 0.2)) options.clearance = uniform(rng, 0, 0.03);
    QueryOptions other_options = options;
    other_options.clearance *= related.scale();
    const Eigen::VectorXd q = positions(world->robot(), spec, values);
    const Eigen::VectorXd other_q =
        positions(other->robot(), related_spec, related.state(values, oracle.link_poses(0)));
    const StateResult a = check_state(*world, q, options, workspace);
    const StateResult b = check_state(*other, other_q, other_options, other_workspace);
    move_to(chain, q);
    move_to(other_chain, other_q);
    const ChainState::Result c = chain.check(options), d = other_chain.check(other_options);
    ++counters["relations"];
    ++counters[name];
    ++counters[name + ": " + catena::name_of(a.verdict)];

    const auto say = [&](const char* who, Verdict before, Verdict after) {
      const Gap truth = oracle.smallest_gap_at(0);
      std::ostringstream s;
      s.precision(17);
      s << who << " " << catena::name_of(before) << ", then " << catena::name_of(after)
        << " clearance " << options.clearance << " oracle [" << truth.lo << ", " << truth.hi << "]";
      return std::pair(truth, s.str());
    };
    const auto compare = [&](const char* who, Verdict before, Verdict after) {
      if (before == after) return;
      if (relation == Relation::kShrunk && before != Verdict::kFree) return;
      const auto [truth, text] = say(who, before, after);
      const bool in_band = std::abs(truth.lo - options.clearance) <= kBand ||
                           std::abs(truth.hi - options.clearance) <= kBand;
      if (relation == Relation::kScaled || !in_band) {
        judge.fail(name, text);
      } else {
        ++counters[name + ": differ in the band of 1e-9 m"];
      }
    };
    compare("check_state", a.verdict, b.verdict);
    compare("ChainState", c.verdict, d.verdict);
    if (relation == Relation::kScaled) {
      const auto same = [&](const char* who, const QueryStats& x, const QueryStats& y) {
        if (x.box_tests == y.box_tests && x.pair_tests == y.pair_tests &&
            x.element_tests == y.element_tests)
          return;
        judge.fail("scaled, other pairs visited",
                   std::string(who) + " " + std::to_string(x.visited()) + ", then " +
                       std::to_string(y.visited()) + " times " + std::to_string(related.scale()));
      };
      same("check_state", a.stats, b.stats);
      same("ChainState", c.stats, d.stats);
    }
    return a.verdict == Verdict::kFree;
  });
}

void run_relations(Judge& judge, Rng& rng) {
  const auto relation = static_cast<Relation>(rng() % kNumRelations);
  ChainWorldOptions options;
  if (relation == Relation::kMirroredChain) options.simple = options.serial = true;
  const ChainWorld world = random_chain_world(rng, options);
  judge.kind = world.kind;
  relate(world, relation, judge, rng);
}

// ---- drift

/// One joint a move, checked and committed, or now and then taken back; every `often` moves the
/// pose of every link in the first, as the state has it, against one from its values alone.
void run_drift(const Arguments& arguments, Judge& judge) {
  constexpr int kLinks = 40;
  constexpr std::uint64_t kOften = 100'000;
  Rng rng(arguments.seed);
  ChainWorld given;
  given.robots.emplace_back();
  RobotSpec& spec = given.robots[0];
  spec.name = "worn";
  for (int i = 0; i < kLinks; ++i) {
    spec.links.push_back({"link" + std::to_string(i), {sphere(0.05, {0.1, 0, 0})}, 0});
    if (i == 0) continue;
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = i % 9 == 4 ? JointKind::kPrismatic : JointKind::kRevolute;
    joint.parent = "link" + std::to_string(i - 1);
    joint.child = spec.links.back().name;
    joint.origin = {{0.3, 0.01, 0}, {0.3, -0.2, 0.1}};
    joint.axis = {uniform(rng, -1, 1), uniform(rng, -1, 1), 0.5};
    joint.lower = -1;
    joint.upper = 1;
    spec.joints.push_back(joint);
  }
  judge.kind = "drift";
  const auto world = make_world(given);
  ChainState state(world);
  Kinematics<Real> kinematics(spec);
  std::vector<Pose3> X;
  Real worst_p = 0, worst_R = 0, largest_p = 0, largest_R = 0;
  for (std::uint64_t move = 1; move <= arguments.count; ++move) {
    const LinkIndex joint(1 + below(rng, kLinks - 1));
    const double span = move % 16 == 0 ? 1.0 : 0.05;
    state.set(joint, std::clamp(state.positions()[world->robot().joint(joint).q_index] +
                                    uniform(rng, -span, span),
                                -1.0, 1.0));
    const ChainState::Result result = state.check();
    ++judge.counters[std::string("checks: ") + catena::name_of(result.verdict)];
    if (result.stats.compositions == 0) ++judge.counters["checks by what has changed alone"];
    // Half of the contacts are committed as well.
    if (result.verdict == Verdict::kCollision && rng() % 2 == 0) {
      state.rollback();
    } else {
      state.commit();
    }
    ++judge.counters["moves"];
    if (move % kOften != 0 && move != arguments.count) continue;
    const std::vector<double> q = values(world->robot(), spec, state.positions());
    kinematics.set_motion(q, q);
    kinematics.poses(0, X);
    for (int i = 1; i < kLinks; ++i) {
      const RigidEnclosure got = internal::ChainStateProbe::pose_between(state, 0, i);
      const auto column = [&](int k) { return Vec3{got.X.R(0, k), got.X.R(1, k), got.X.R(2, k)}; };
      const Mat3& R = X[size_t(i)].R;
      // Their Frobenius norm is no less than that of the difference as a map.
      const Vec3 x = column(0) - R.ex, y = column(1) - R.ey, z = column(2) - R.ez;
      const Real off_R = std::sqrt(dot(x, x) + dot(y, y) + dot(z, z));
      const Real off_p = norm(Vec3{got.X.p[0], got.X.p[1], got.X.p[2]} - X[size_t(i)].p);
      worst_p = std::max(worst_p, off_p / got.position_error);
      worst_R = std::max(worst_R, off_R / got.rotation_error);
      largest_p = std::max(largest_p, off_p);
      largest_R = std::max(largest_R, off_R);
      ++judge.counters["poses compared"];
      if (off_p > got.position_error || off_R > got.rotation_error)
        judge.fail("pose beyond its bound", "link " + std::to_string(i));
    }
  }
  std::printf("position: off by at most %.3Lg m, %.3Lg of the bound; rotation: %.3Lg, %.3Lg\n",
              largest_p, worst_p, largest_R, worst_R);
}

// ---- the run

Arguments parse(int argc, char** argv) {
  Arguments a;
  constexpr const char* kUse =
      "use states|steps|relations|drift --count N --seed S --state FILE --only K";
  if (argc < 2) throw std::runtime_error(kUse);
  a.mode = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 >= argc) throw std::runtime_error(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--count") {
      a.count = std::stoull(value);
    } else if (name == "--seed") {
      a.seed = std::stoull(value);
    } else if (name == "--state") {
      a.state = value;
    } else if (name == "--only") {
      a.only = std::stoll(value);
    } else {
      throw std::runtime_error("unknown option " + name + "; " + kUse);
    }
  }
  return a;
}

int run(const Arguments& arguments) {
  Counters counters;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Judge judge{counters, arguments.seed, 0, "", 0};
  if (arguments.mode == "drift") {
    run_drift(arguments, judge);
    std::printf("%.0f s\n", seconds());
    return report(arguments.seed, counters);
  }
  const auto [work, counted] = arguments.mode == "states"  ? std::pair(&run_states, "states")
                               : arguments.mode == "steps" ? std::pair(&run_steps, "operations")
                               : arguments.mode == "relations"
                                   ? std::pair(&run_relations, "relations")
                                   : throw std::runtime_error("unknown mode " + arguments.mode);
  std::uint64_t next = 0;
  if (!arguments.state.empty() && read_state(arguments.state, arguments.seed, next, counters))
    std::fprintf(stderr, "going on from world %llu\n", static_cast<unsigned long long>(next));
  if (arguments.only >= 0) next = static_cast<std::uint64_t>(arguments.only);
  double last = 0;
  for (bool once = false; counters[counted] < arguments.count && !once; ++next) {
    Rng rng(arguments.seed * 0x9E3779B97F4A7C15ULL + next);
    judge.k = next;
    once = arguments.only >= 0;
    try {
      work(judge, rng);
    } catch (const std::exception& error) {
      judge.fail("exception", error.what());
    }
    ++counters["worlds"];
    if (seconds() - last < 10) continue;
    last = seconds();
    std::fprintf(stderr, "%llu of %llu %s, %.0f s\n",
                 static_cast<unsigned long long>(counters[counted]),
                 static_cast<unsigned long long>(arguments.count), counted, last);
    if (!arguments.state.empty()) write_state(arguments.state, arguments.seed, next + 1, counters);
  }
  // After so many states each has been drawn some ten times; one without a state never applies.
  const bool of_each = work == &run_relations && counters["relations"] >= 5000;
  for (int i = 0; i < kNumRelations && of_each; ++i) {
    const char* name = name_of(static_cast<Relation>(i));
    if (counters[name] == 0) judge.fail("a relation never applied", name);
  }
  if (!arguments.state.empty()) write_state(arguments.state, arguments.seed, next, counters);
  std::printf("%.0f s\n", seconds());
  return report(arguments.seed, counters);
}

}  // namespace
}  // namespace catena::oracle

int main(int argc, char** argv) try {
  return catena::oracle::run(catena::oracle::parse(argc, argv));
} catch (const std::exception& error) {
  std::fprintf(stderr, "chain_soundness: %s\n", error.what());
  return 2;
}
