// Proteins that must stay free of themselves while one torsion turns at a time: backbones against
// the rivals ([Lotan2002], Figure 8), and whole proteins whose side chains are rigid or turn too.
//
//   protein_bench DATA [--markdown] [--benchmark_filter=backbone/1shg.*] ...
//
// DATA holds *_bb.pdb and raw/*.pdb. Each case has a reference that decides its steps first: all
// pairs of spheres for backbones, check_state for what the rivals cannot do; every method must take
// the same decisions (a hash of which is shown). Times are CPU times a step.
#include <algorithm>
#include <iostream>
#include <numbers>
#include <optional>

#include <benchmark/benchmark.h>

#include "catena/io/protein_robot.hpp"
#include "catena_methods.hpp"
#include "rivals/chain_methods.hpp"
#include "workloads/chain_run.hpp"
#include "workloads/random.hpp"
#include "workloads/report.hpp"

namespace catena::bench {
namespace {

using io::PdbFile;

/// Steps of the joints given, by up to amplitude.
std::vector<ChainMove> draw_moves(const std::vector<int>& joints, double amplitude, int steps) {
  SplitMix64 random(5000 + joints.size());
  std::vector<ChainMove> moves;
  for (int i = 0; i < steps; ++i) {
    const int joint =
        joints[static_cast<std::size_t>(random.below(static_cast<int>(joints.size())))];
    moves.push_back({joint, random.uniform(-amplitude, amplitude)});
  }
  return moves;
}

constexpr double kWide = std::numbers::pi, kSmall = 2 * std::numbers::pi / 180;
constexpr int kSteps = 400;

/// Registers "CASE/METHOD" for wide and for small steps.
void add_cases(const std::string& name, const SphereChain& chain, const std::vector<int>& joints,
               const ChainMethodEntry& reference, const ChainMethods& methods) {
  for (const bool wide : {true, false}) {
    const auto moves = draw_moves(joints, wide ? kWide : kSmall, kSteps);
    const auto expected = std::make_shared<std::optional<ChainRun>>();  // once asked for
    for (const ChainMethodEntry& m : methods) {
      const auto play = [=](benchmark::State& state) {
        if (!*expected) *expected = run(moves, chain, *reference.make());
        measure(state, kSteps, **expected, [&] { return run(moves, chain, *m.make()); });
      };
      const std::string full = name + (wide ? "/wide/" : "/small/") + m.name;
      benchmark::RegisterBenchmark(full.c_str(), play)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

/// The longest piece's backbone as a chain of equal spheres. Its joint k is the torsion about bond
/// k, and of these phi and psi turn.
void add_backbone(const std::string& name, const PdbFile& file, double radius_factor) {
  constexpr double kCarbon = 1.7;
  const PdbFile::Piece& piece = *std::max_element(
      file.pieces.begin(), file.pieces.end(),
      [](const auto& a, const auto& b) { return a.residues.size() < b.residues.size(); });
  SphereChain chain{{}, radius_factor * kCarbon, 3};
  for (const PdbFile::Residue& residue : piece.residues) {
    for (const char* atom : {"N", "CA", "C"}) chain.centres.push_back(residue.find(atom)->position);
  }
  io::ProteinOptions options;
  options.radius_factor = radius_factor;
  options.radii = {{"N", kCarbon}, {"C", kCarbon}};
  const auto robot = RobotBuilder::build(io::describe_protein({{piece}, {}}, options));
  std::vector<LinkIndex> links;
  std::vector<int> turning;
  for (const PdbFile::Residue& residue : piece.residues) {
    for (const char* torsion : {"/phi", "/psi", "/omega"}) {
      links.push_back(robot->find_joint(residue.label + torsion));
      if (links.back().valid()) turning.push_back(static_cast<int>(links.size()) - 1);
    }
  }
  ChainMethods methods = catena_chain_methods(robot, links);
  for (ChainMethodEntry& rival : chain_rivals()) methods.push_back(std::move(rival));
  add_cases("backbone/" + name + "/residues:" + std::to_string(piece.residues.size()), chain,
            turning, all_pairs_method(), methods);
}

/// Robots of one protein whose joints of the same names turn.
void add_robots(const std::string& name, const std::vector<std::string>& joints,
                const std::vector<std::pair<std::string, std::shared_ptr<const Robot>>>& robots) {
  ChainMethods methods;
  for (const auto& [prefix, robot] : robots) {
    std::vector<LinkIndex> links;
    links.reserve(joints.size());
    for (const std::string& joint : joints) links.push_back(robot->find_joint(joint));
    for (ChainMethodEntry& m : catena_chain_methods(robot, links)) {
      methods.push_back({prefix + m.name, std::move(m.make), false});
    }
  }
  std::vector<int> all(joints.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  add_cases(name, {}, all, methods.back(), methods);
}

std::vector<std::string> joint_names(const Robot& robot, bool side_chains) {
  std::vector<std::string> names;
  for (const LinkIndex i : robot.active_joints()) {
    const std::string& name = robot.joint(i).name;
    if ((name.find("/chi") != std::string::npos) == side_chains) names.push_back(name);
  }
  return names;
}

std::shared_ptr<const Robot> make_protein(const PdbFile& file, double radius_factor,
                                          bool turning_side_chains) {
  io::ProteinOptions options;
  options.radius_factor = radius_factor;
  options.turning_side_chains = turning_side_chains;
  return RobotBuilder::build(io::describe_protein(file, options));
}

void register_all(const std::string& data) {
  const auto load = [&](const std::string& name, bool hydrogens = false) {
    return io::load_pdb(data + "/" + name + ".pdb", {hydrogens});
  };
  for (const char* name :
       {"1vii_x", "1shg_A", "1ckb_A", "1i8j_A", "1onh_A", "1lox_A", "1nj1_A", "1o79_A", "1i6v_C"}) {
    add_backbone(name, load(std::string(name) + "_bb"), 0.65);
  }
  // With gaps and several chains: what the rivals have no form for.
  for (const char* name : {"1lox_A", "1i6v_all"}) {
    const auto robot = make_protein(load(std::string(name) + "_bb"), 0.65, false);
    add_robots(std::string("pieces/") + name, joint_names(*robot, false), {{"", robot}});
  }
  // The factors leave the files' structures free of contacts.
  struct Whole {
    const char* file;
    bool hydrogens;
    double factor;
  };
  for (const Whole& w :
       {Whole{"1shg", false, 0.65}, Whole{"1vii", false, 0.65}, Whole{"1vii", true, 0.6},
        Whole{"1A8O", false, 0.55}, Whole{"2BEG", false, 0.65}}) {
    const PdbFile file = load(std::string("raw/") + w.file, w.hydrogens);
    const auto rigid = make_protein(file, w.factor, false);
    const auto turning = make_protein(file, w.factor, true);
    const std::string name = std::string("whole/") + w.file + (w.hydrogens ? "+H" : "");
    add_robots(name + "/backbone_turns", joint_names(*rigid, false),
               {{"rigid_", rigid}, {"branches_", turning}});
    add_robots(name + "/side_chain_turns", joint_names(*turning, true), {{"branches_", turning}});
  }
}

}  // namespace
}  // namespace catena::bench

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::cerr << "usage: protein_bench DATA [--markdown] [options of Google Benchmark]\n";
    return 2;
  }
  try {
    catena::bench::register_all(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "protein_bench: " << error.what() << "\n";
    return 2;
  }
  argv[1] = argv[0];
  return catena::bench::run_benchmarks(argc - 1, argv + 1, catena::bench::chain_columns());
}
