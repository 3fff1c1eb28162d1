// The scene's tree under the chain hierarchy (W3): Catena's binary one against the same tree
// collapsed into nodes of four and of eight children, whose boxes are tested at once.
//
//   scene_walk_bench [--markdown] [--benchmark_filter=W3/N:64/.*] ...
//
// Whole states of capsules, placing the links included; only the walk of the scene differs, of
// which `tests` counts the boxes or the nodes. States that are asked again and again teach the
// branch predictor their way: W3's own 50 do, `moved` ones, 40 copies of each at other places, do
// not. `near`, `mid`, `far`: the free ones of them by whether boxes of a link and of a triangle
// meet when the links have grown by nothing, by 0.25 m, or not even then.
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>

#include <benchmark/benchmark.h>

#include "catena_methods.hpp"
#include "query/state_query.hpp"
#include "workloads/cpu_clock.hpp"
#include "workloads/random.hpp"
#include "workloads/report.hpp"
#include "workloads/scene_run.hpp"

namespace catena::bench {
namespace {

using Pairs = std::vector<std::pair<int, const SceneTree::Node*>>;

/// One way to find the parts and the leaves of the scene's tree whose boxes meet.
struct Binary {
  explicit Binary(const SceneTree::Tree& tree) : scene(tree) {}

  /// Calls visit(part, leaf) until it returns true. Counts its tests, of one box or of one node.
  template <class Visit>
  bool walk(const CollisionWorld& world, Workspace::Impl& ws, std::uint64_t& tests,
            const Visit& visit) {
    QueryStats stats;
    const bool found = internal::visit_near_scene(world, scene, ws, stats, 0, visit,
                                                  [](int, const SceneTree::Node&) {});
    tests += stats.box_tests;
    return found;
  }

  const SceneTree::Tree& scene;
};

template <int kWidth>
class Wide {
 public:
  explicit Wide(const SceneTree::Tree& tree) : scene_(tree) { add(0); }

  template <class Visit>
  bool walk(const CollisionWorld& world, Workspace::Impl& ws, std::uint64_t& tests,
            const Visit& visit) {
    list_.assign(1, {0, kAll});
    return descend(world.chain_tree(), ws.boxes.data(), 0, 0, 1, tests, visit);
  }

 private:
  static constexpr unsigned kAll = (1U << kWidth) - 1;

  struct alignas(64) Node {
    float lo[3][kWidth], hi[3][kWidth];
    float size[kWidth] = {};  // 0 for a leaf, which is never opened
    int child[kWidth] = {};   // a node; for a leaf, that of the binary tree
  };
  struct Children {
    int node;
    unsigned mask;
  };

  static size_t at(int i) { return static_cast<size_t>(i); }
  bool is_leaf(int s) const { return scene_.nodes[at(s)].left < 0; }

  // The node of what is below one of the binary tree, depth first.
  int add(int root) {
    const int n = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    const auto area = [&](int s) {
      const Vector3d d = scene_.boxes[at(s)].upper() - scene_.boxes[at(s)].lower();
      return is_leaf(s) ? -1.0 : d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
    };
    // The largest that can be opened is, until all places are taken.
    std::vector<int> children{root};
    while (children.size() < kWidth) {
      const auto largest = std::max_element(children.begin(), children.end(),
                                            [&](int a, int b) { return area(a) < area(b); });
      if (is_leaf(*largest)) break;
      *largest = scene_.nodes[at(*largest)].left;
      children.push_back(*largest + 1);
    }
    for (size_t k = 0; k < kWidth; ++k) {
      // A place that is not taken is apart from every box that is bounded along some axis.
      const FloatBox box = k < children.size() ? scene_.boxes[at(children[k])] : FloatBox();
      for (int axis = 0; axis < 3; ++axis) {
        nodes_[at(n)].lo[axis][k] = box.lo[axis];
        nodes_[at(n)].hi[axis][k] = box.hi[axis];
      }
    }
    for (size_t k = 0; k < children.size(); ++k) {
      const int s = children[k];
      if (!is_leaf(s)) nodes_[at(n)].size[k] = scene_.boxes[at(s)].size();
      const int child = is_leaf(s) ? s : add(s);
      nodes_[at(n)].child[k] = child;
    }
    return n;
  }

  // Children that are not proven disjoint from the box.
  [[gnu::target("avx2")]] static unsigned meets(const Node& node, const FloatBox& box) {
    unsigned apart = 0;
    for (int i = 0; i < 3; ++i) {
      if constexpr (kWidth == 8) {
        const __m256 lo = _mm256_set1_ps(box.lo[i]), hi = _mm256_set1_ps(box.hi[i]);
        apart |= static_cast<unsigned>(_mm256_movemask_ps(
            _mm256_or_ps(_mm256_cmp_ps(lo, _mm256_load_ps(node.hi[i]), _CMP_GT_OQ),
                         _mm256_cmp_ps(_mm256_load_ps(node.lo[i]), hi, _CMP_GT_OQ))));
      } else {
        const __m128 lo = _mm_set1_ps(box.lo[i]), hi = _mm_set1_ps(box.hi[i]);
        apart |= static_cast<unsigned>(_mm_movemask_ps(_mm_or_ps(
            _mm_cmpgt_ps(lo, _mm_load_ps(node.hi[i])), _mm_cmpgt_ps(_mm_load_ps(node.lo[i]), hi))));
      }
    }
    return ~apart;
  }
  [[gnu::target("avx2")]] static unsigned larger(const Node& node, float size) {
    if constexpr (kWidth == 8) {
      return static_cast<unsigned>(_mm256_movemask_ps(
          _mm256_cmp_ps(_mm256_load_ps(node.size), _mm256_set1_ps(size), _CMP_GT_OQ)));
    } else {
      return static_cast<unsigned>(
          _mm_movemask_ps(_mm_cmpgt_ps(_mm_load_ps(node.size), _mm_set1_ps(size))));
    }
  }

  // As internal::refine, with all children of a node at once.
  [[gnu::target("avx2"), gnu::noinline]] void refine(const FloatBox& box, bool leaf, size_t first,
                                                     size_t last, std::uint64_t& tests) {
    const float size = leaf ? 0.0F : box.size();
    for (size_t i = first; i < last; ++i) {
      stack_.assign(1, list_[i]);
      while (!stack_.empty()) {
        const Children at_hand = stack_.back();
        stack_.pop_back();
        ++tests;
        const Node& node = nodes_[at(at_hand.node)];
        const unsigned met = meets(node, box) & at_hand.mask;
        const unsigned opened = met & larger(node, size);
        if (met != opened) list_.push_back({at_hand.node, met & ~opened});
        for (unsigned rest = opened; rest != 0;) {  // the first child is looked at first
          const int k = std::bit_width(rest) - 1;
          rest ^= 1U << k;
          stack_.push_back({node.child[k], kAll});
        }
      }
    }
  }

  template <class Visit>
  bool descend(const ChainTree& tree, const FloatBox* boxes, int n, size_t first, size_t last,
               std::uint64_t& tests, const Visit& visit) {
    const ChainTree::Node& node = tree.nodes()[at(n)];
    const size_t kept = list_.size();
    refine(boxes[n], node.left < 0, first, last, tests);
    const size_t stop = list_.size();
    bool found = false;
    if (node.left < 0) {
      for (size_t i = kept; i < stop; ++i) {
        const auto [near, mask] = list_[i];
        for (unsigned rest = mask; rest != 0 && !found; rest &= rest - 1) {
          found =
              visit(node.part, scene_.nodes[at(nodes_[at(near)].child[std::countr_zero(rest)])]);
        }
      }
    } else if (stop > kept) {
      found = descend(tree, boxes, node.left, kept, stop, tests, visit) ||
              descend(tree, boxes, node.right, kept, stop, tests, visit);
    }
    list_.resize(kept);
    return found;
  }

  const SceneTree::Tree& scene_;
  std::vector<Node> nodes_;
  std::vector<Children> list_, stack_;
};

/// One snake in the scene, and the states that are asked about.
class Case {
 public:
  explicit Case(int links) {
    static const Triangles scene = pipe_scene();
    const SceneCase c = make_scene_case(links, scene);
    world_ = snake_world(scene, c.snake, /*mesh=*/false);
    workspace_ = std::make_unique<Workspace>(*world_);
    Binary binary(elements());
    const auto is_free = [&](const Eigen::VectorXd& q) { return check(q, binary); };
    const auto meets = [&](double margin) {
      QueryStats stats;
      std::uint64_t tests = 0;
      internal::set_boxes(*world_, workspace_->impl(), margin, stats);
      return binary.walk(*world_, workspace_->impl(), tests,
                         [](int, const SceneTree::Node&) { return true; });
    };
    SplitMix64 random(5000 + static_cast<std::uint64_t>(links));
    Eigen::VectorXd q = world_->robot().zero_positions();
    for (const SnakeConfiguration& x : c.configurations) {
      set_positions(x, q);
      states_[x.collides ? "coll" : "free"].push_back(q);
      for (int copy = 0; copy < 40; ++copy) {
        q[0] = x.X_WB.p.x() + random.uniform(-1, 1);
        q[1] = x.X_WB.p.y() + random.uniform(-1, 1);
        q[2] = x.X_WB.p.z() + random.uniform(-0.3, 0.3);
        const bool is = is_free(q);
        states_[is ? "moved_free" : "moved_coll"].push_back(q);
        if (is) states_[meets(0.0) ? "near" : meets(0.25) ? "mid" : "far"].push_back(q);
      }
    }
  }

  const std::vector<Eigen::VectorXd>& states(const std::string& kind) { return states_[kind]; }
  const SceneTree::Tree& elements() const { return world_->scene_tree().elements(); }

  /// As check_state where it takes the chain's tree, with another walk of the scene: proven free?
  template <class Walk>
  bool check(const Eigen::VectorXd& q, Walk& walk) {
    const RoundingScope rounding;
    Workspace::Impl& ws = workspace_->impl();
    place(q);
    internal::StateQuery query(*world_, options_, false, true, ws);
    std::uint64_t tests = 0;
    return !walk.walk(*world_, ws, tests,
                      [&](int part, const SceneTree::Node& element) {
                        return query.meets_element(part, element);
                      }) &&
           !internal::visit_near_parts(
               *world_, ws, query.result().stats, 0,
               [&](int a, int b) {
                 const internal::GeometryPair pair{a, b};
                 const auto body = [&](int i) {
                   return world_->geometries()[static_cast<size_t>(i)].body;
                 };
                 return world_->checks(body(a), body(b)) &&
                        internal::ball_gap(*world_, pair, ws) <= 0.0 &&
                        query.meets_part(pair, internal::relative_pose(*world_, pair, ws));
               },
               [](int, int) {}) &&
           !query.open();
  }

  /// The boxes of the chain at q.
  void place(const Eigen::VectorXd& q) {
    Workspace::Impl& ws = workspace_->impl();
    QueryStats stats;
    link_poses(world_->robot(), q, ws.X_WL);
    ++ws.moved;
    internal::set_boxes(*world_, ws, 0.0, stats);
  }
  /// The tests of the walk alone, and the pairs that it finds.
  template <class Walk>
  std::uint64_t tests(const Eigen::VectorXd& q, Walk& walk, Pairs& pairs) {
    place(q);
    pairs.clear();
    std::uint64_t tests = 0;
    walk.walk(*world_, workspace_->impl(), tests, [&](int part, const SceneTree::Node& element) {
      pairs.emplace_back(part, &element);
      return false;
    });
    std::sort(pairs.begin(), pairs.end());
    return tests;
  }

 private:
  std::shared_ptr<const CollisionWorld> world_;
  std::unique_ptr<Workspace> workspace_;
  QueryOptions options_;
  std::map<std::string, std::vector<Eigen::VectorXd>> states_;
};

template <class Walk>
void measure(benchmark::State& state, int links, const std::string& kind) {
  static std::map<int, Case> cases;
  Case& c = cases.try_emplace(links, links).first->second;
  Walk walk(c.elements());
  Binary binary(c.elements());
  const auto& states = c.states(kind);
  if (states.empty()) state.SkipWithError("no such state");
  std::uint64_t tests = 0;
  Pairs found, expected;
  for (const Eigen::VectorXd& q : states) {
    tests += c.tests(q, walk, found);
    c.tests(q, binary, expected);
    if (found != expected || c.check(q, walk) != c.check(q, binary)) {
      state.SkipWithError("differs from the binary tree");
    }
  }
  double seconds = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (const Eigen::VectorXd& q : states) benchmark::DoNotOptimize(c.check(q, walk));
    state.SetIterationTime(cpu_seconds() - start);
    seconds += cpu_seconds() - start;
  }
  const auto count = static_cast<double>(states.size());
  state.counters["us_per_state"] =
      1e6 * seconds / (count * static_cast<double>(state.iterations()));
  state.counters["tests"] = static_cast<double>(tests) / count;
  state.counters["states"] = count;
}

void register_all() {
  for (const int links : {16, 64, 256, 1024}) {
    for (const char* kind : {"free", "coll", "moved_free", "near", "mid", "far", "moved_coll"}) {
      const auto add = [&](const char* walk, auto run) {
        benchmark::RegisterBenchmark(
            ("W3/N:" + std::to_string(links) + "/" + kind + "/" + walk).c_str(),
            [=](benchmark::State& state) { run(state, links, kind); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      };
      add("binary", measure<Binary>);
      add("4-wide", measure<Wide<4>>);
      add("8-wide", measure<Wide<8>>);
    }
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx2")) {
    std::fprintf(stderr, "scene_walk_bench: this processor has no AVX2\n");
    return 1;
  }
  catena::bench::register_all();
  return catena::bench::run_benchmarks(argc, argv, {"us_per_state", "tests", "states"});
}
