// Chains of spheres of which one joint turns a step: the smallest distance of any two spheres (D),
// or all pairs within a cut-off (L), told after each step. A step that collides is undone.
//
//   distance_bench [--markdown] [--benchmark_filter=D/cube/.*N:1000/.*] ...
//
// Times are CPU times a step: the move, the answer and the undoing. All methods must take the same
// decisions, and tell the same distances or as many pairs (`told`, in the mean of the steps).
#include <cmath>
#include <map>
#include <numbers>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include "catena/query/chain_state.hpp"
#include "catena_methods.hpp"
#include "rivals/centre_method.hpp"
#include "workloads/chain_run.hpp"
#include "workloads/report.hpp"
#ifdef CATENA_BENCH_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision_object.h>
#endif

namespace catena::bench {
namespace {

/// Tells the smallest distance of two spheres that are no neighbours, or counts those within the
/// cut-off. A cut-off below zero: the smallest distance.
struct Task {
  double cutoff = -1.0;
  bool lists() const { return cutoff >= 0.0; }
};

/// What was told, summed over the steps: metres, or pairs.
struct Told {
  double sum = 0.0;
};

/// ChainState, or a whole state each time.
class Catena : public ChainMethod {
 public:
  Catena(Task task, Told& told, bool whole) : task_(task), told_(told), whole_(whole) {}

  void init(const SphereChain& chain) override {
    world_ = std::make_shared<const CollisionWorld>(chain_robot(chain), nullptr);
    state_ = std::make_unique<ChainState>(world_);
    workspace_ = std::make_unique<Workspace>(*world_);
    q_ = state_->positions();
    ask();
    state_->commit();
    told_.sum = 0.0;
  }

  bool step(int joint, double angle) override {
    const double before = q_[joint];
    q_[joint] = std::remainder(before + angle, 2.0 * std::numbers::pi);
    if (!whole_) state_->set(LinkIndex(joint + 1), q_[joint]);
    const bool free = ask();
    if (!free) q_[joint] = before;
    if (!whole_) free ? state_->commit() : state_->rollback();
    return free;
  }

 private:
  bool ask() {
    if (task_.lists()) {
      if (whole_) {
        find_near_pairs(*world_, q_, task_.cutoff, {}, *workspace_, list_);
      } else {
        state_->find_near_pairs(task_.cutoff, {}, list_);
      }
      count(list_.stats);
      for (const NearPair& pair : list_.pairs) {
        if (!(pair.distance.lo > 0.0)) return false;
      }
      told_.sum += static_cast<double>(list_.pairs.size());
      return true;
    }
    QueryOptions options;
    options.distances = true;
    const StateResult result =
        whole_ ? check_state(*world_, q_, options, *workspace_) : state_->distance(options);
    count(result.stats);
    if (result.verdict != Verdict::kFree) return false;
    told_.sum += result.distance->lo;
    return true;
  }
  void count(const QueryStats& stats) {
    tests_.boxes += static_cast<std::int64_t>(stats.box_tests);
    tests_.spheres += static_cast<std::int64_t>(stats.element_tests);
  }

  const Task task_;
  Told& told_;
  const bool whole_;
  std::shared_ptr<const CollisionWorld> world_;
  std::unique_ptr<ChainState> state_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd q_;
  NearPairs list_;
};

/// What the rivals share: a list of pairs, of which those nearer than the diameter collide.
class Lister : public CentreMethod {
 public:
  Lister(Task task, Told& told) : task_(task), told_(told) {}

 protected:
  double limit() const { return 2.0 * radius_ + task_.cutoff; }
  void add_if_near(int i, int j) {
    ++tests_.spheres;
    const double squared = (centres_[i] - centres_[j]).squaredNorm();
    if (std::abs(i - j) < 2 || squared > limit() * limit()) return;
    hit_ = hit_ || squared < 4.0 * radius_ * radius_;
    pairs_.emplace_back(std::min(i, j), std::max(i, j), std::sqrt(squared) - 2.0 * radius_);
  }
  virtual void list() = 0;
  bool is_free() override {
    hit_ = false;
    pairs_.clear();
    list();
    if (!hit_) told_.sum += static_cast<double>(pairs_.size());
    return !hit_;
  }

  const Task task_;
  Told& told_;
  bool hit_ = false;
  std::vector<std::tuple<int, int, double>> pairs_;
};

/// Cells as wide as the farthest two centres of a pair may be, filled anew each time; the pairs in
/// the order of the cells.
class Grid : public Lister {
 public:
  using Lister::Lister;

 private:
  void build() override {}
  void moved(int) override {}
  static std::int64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    return ((x & 0x1fffff) << 42) | ((y & 0x1fffff) << 21) | (z & 0x1fffff);
  }
  void list() override {
    // One table for the first sphere of each cell, and the next one in the same.
    first_.clear();
    next_.assign(centres_.size(), -1);
    const double scale = 1.0 / limit();
    for (int i = 0; i < static_cast<int>(centres_.size()); ++i) {
      const Eigen::Matrix<std::int64_t, 3, 1> at =
          (centres_[i] * scale).array().floor().cast<std::int64_t>();
      for (int dx = -1; dx <= 1; ++dx) {
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dz = -1; dz <= 1; ++dz) {
            const auto cell = first_.find(key(at.x() + dx, at.y() + dy, at.z() + dz));
            if (cell == first_.end()) continue;
            for (int j = cell->second; j >= 0; j = next_[j]) add_if_near(i, j);
          }
        }
      }
      const auto [cell, fresh] = first_.try_emplace(key(at.x(), at.y(), at.z()), i);
      if (!fresh) {
        next_[i] = cell->second;
        cell->second = i;
      }
    }
  }

  std::unordered_map<std::int64_t, int> first_;
  std::vector<int> next_;
};

#ifdef CATENA_BENCH_FCL
/// FCL's dynamic AABB tree, refitted: its own search for the smallest distance; for a list, spheres
/// grown by half the cut-off collide. The spheres are measured here, cheaper than by fcl::distance.
class Fcl : public Lister {
  using Object = fcl::CollisionObjectd;

 public:
  using Lister::Lister;

 private:
  void build() override {
    const double grown = task_.lists() ? 0.5 * task_.cutoff : 0.0;
    const auto sphere = std::make_shared<fcl::Sphered>(radius_ + grown);
    std::vector<Object*> list;
    for (size_t i = 0; i < centres_.size(); ++i) {
      objects_.push_back(std::make_unique<Object>(sphere));
      objects_[i]->setUserData(&centres_[i]);
      list.push_back(objects_[i].get());
    }
    place(0);
    manager_.registerObjects(list);
    manager_.setup();
  }
  void moved(int first) override {
    place(static_cast<size_t>(first));
    manager_.update();
  }
  void place(size_t first) {
    for (size_t i = first; i < centres_.size(); ++i) {
      objects_[i]->setTranslation(centres_[i]);
      objects_[i]->computeAABB();
    }
  }
  void list() override {
    manager_.collide(this, [](Object* a, Object* b, void* data) {
      auto* self = static_cast<Fcl*>(data);
      self->add_if_near(self->sphere_of(a), self->sphere_of(b));
      return false;
    });
  }
  bool is_free() override {
    if (task_.lists()) return Lister::is_free();
    least_ = std::numeric_limits<double>::infinity();
    manager_.distance(this, [](Object* a, Object* b, void* data, double& bound) {
      auto* self = static_cast<Fcl*>(data);
      const int i = self->sphere_of(a), j = self->sphere_of(b);
      if (std::abs(i - j) >= 2) {
        ++self->tests_.spheres;
        const double gap = (self->centres_[i] - self->centres_[j]).norm() - 2.0 * self->radius_;
        self->least_ = std::min(self->least_, gap);
      }
      bound = self->least_;
      return self->least_ < 0.0;
    });
    if (least_ >= 0.0) told_.sum += least_;
    return least_ >= 0.0;
  }
  int sphere_of(const Object* o) const {
    return static_cast<int>(static_cast<const Vector3d*>(o->getUserData()) - centres_.data());
  }

  std::vector<std::unique_ptr<Object>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  double least_ = 0.0;
};
#endif

std::unique_ptr<ChainMethod> make(const std::string& method, Task task, Told& told) {
  if (method == "catena") return std::make_unique<Catena>(task, told, /*whole=*/false);
  if (method == "catena_whole") return std::make_unique<Catena>(task, told, /*whole=*/true);
#ifdef CATENA_BENCH_FCL
  if (method == "fcl_dynamic_aabb_tree") return std::make_unique<Fcl>(task, told);
#endif
  return std::make_unique<Grid>(task, told);
}

void measure_case(benchmark::State& state, const std::string& name, const ChainCase& c, Task task,
                  const std::string& method) {
  static std::map<std::string, double> answers;  // of the first method of each case
  const SphereChain chain = make_chain(c);
  ChainRun last;
  Told told;
  double seconds = 0;
  for (auto _ : state) {
    const auto player = make(method, task, told);
    // init resets what Catena's first question told; the rivals ask none.
    told.sum = 0.0;
    last = run(c, chain, *player);
    seconds += last.seconds;
    state.SetIterationTime(last.seconds);
  }
  if (last.decisions != c.decisions) state.SkipWithError("decides otherwise");
  const double answer = answers.emplace(name, told.sum).first->second;
  if (std::abs(answer - told.sum) > 2e-5 * c.steps) state.SkipWithError("tells otherwise");
  const double steps = c.steps;
  state.counters["us_per_step"] = 1e6 * seconds / (steps * static_cast<double>(state.iterations()));
  state.counters["accepted"] = last.accepted;
  state.counters["steps"] = steps;
  state.counters["told"] = told.sum / last.accepted;
  if (last.tests.boxes > 0) {
    state.counters["box_tests"] = static_cast<double>(last.tests.boxes) / steps;
  }
  state.counters["sphere_tests"] = static_cast<double>(last.tests.spheres) / steps;
}

void register_all() {
  for (const ChainCase& c : chain_cases()) {
    if (c.every_joint || c.window > 0 || (c.n != 1000 && c.n != 10000 && c.n != 8000)) continue;
    for (const bool lists : {false, true}) {
      // Some two to ten partners a sphere.
      const Task task{!lists ? -1.0 : c.shape == ChainCase::Shape::kBackbone ? 4.5 : 2.5};
      const std::string name = (lists ? "L" : "D") + c.name.substr(2);
      std::vector<std::string> methods{"catena", "catena_whole"};
#ifdef CATENA_BENCH_FCL
      methods.push_back("fcl_dynamic_aabb_tree");
#endif
      if (lists) methods.push_back("grid");
      for (const std::string& method : methods) {
        benchmark::RegisterBenchmark((name + '/' + method).c_str(), measure_case, name, c, task,
                                     method)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  catena::bench::register_all();
  return catena::bench::run_benchmarks(
      argc, argv, {"us_per_step", "accepted", "steps", "told", "box_tests", "sphere_tests"});
}
