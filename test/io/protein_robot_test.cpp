// Proteins as robots: atoms are where turning them by hand puts them, and ChainState answers as all
// pairs of them do.
#include "catena/io/protein_robot.hpp"

#include <cmath>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "catena/model/motion.hpp"
#include "catena/query/chain_state.hpp"
#include "support/data.hpp"
#include "support/random.hpp"

namespace catena::io {
namespace {

using test::Rng;
using test::uniform;

// The oracle: atoms by their names alone, coordinates that torsions turn one after the other, and
// bonds between atoms closer than fixed distances.
class HandTurned {
 public:
  struct Torsion {
    std::string name;
    int a, b;
    std::vector<bool> moves;  // by atom
    double angle = 0.0;
  };
  struct Atom {
    std::string name;
    double radius;
    Vector3d start, p;
    std::size_t piece, residue;
    std::string short_name, residue_name;
  };

  HandTurned(const PdbFile& file, double factor, bool side_chains) {
    for (std::size_t p = 0; p < file.pieces.size(); ++p) {
      const auto& residues = file.pieces[p].residues;
      for (std::size_t r = 0; r < residues.size(); ++r) {
        for (const PdbFile::Atom& a : residues[r].atoms) {
          atoms.push_back({residues[r].label + "/" + a.name, factor * radius(a.element), a.position,
                           a.position, p, r, a.name, residues[r].name});
        }
      }
      for (std::size_t r = 0; r < residues.size(); ++r) {
        const auto add = [&](const std::string& name, const std::string& a, const std::string& b,
                             auto turns_in_residue, bool later) {
          Torsion t{residues[r].label + "/" + name, find(p, r, a), find(p, r, b), {}};
          ASSERT_TRUE(t.a >= 0 && t.b >= 0) << t.name;
          for (const Atom& x : atoms) {
            t.moves.push_back(x.piece == p &&
                              (x.residue == r ? turns_in_residue(x) : later && x.residue > r));
          }
          torsions.push_back(t);
        };
        // Hydrogens on N are H, H2, 1H and so on, without a Greek letter.
        const auto on_n = [](const Atom& x) {
          return letter(x) == ' ' && x.short_name != "C" && x.short_name != "O";
        };
        if (r > 0 && residues[r].name != "PRO") {
          add(
              "phi", "N", "CA", [&](const Atom& x) { return !on_n(x); }, true);
        }
        if (r + 1 < residues.size()) {
          add(
              "psi", "CA", "C",
              [&](const Atom& x) { return x.short_name == "O" || x.short_name == "OXT"; }, true);
        }
        if (!side_chains) continue;
        // Of heavy atoms alone: chi k turns those with a Greek letter after that of its second one.
        const std::string& way = chis(residues[r].name);
        std::string before = "CA";
        for (std::size_t k = 0; k < way.size() / 3; ++k) {
          std::string b = way.substr(3 * k, 3);
          b.erase(b.find_last_not_of(' ') + 1);
          const std::size_t rank = kGreek.find(b[b == "SE" ? 0 : 1]);
          add(
              "chi" + std::to_string(k + 1), before, b,
              [&](const Atom& x) {
                const std::size_t its = kGreek.find(letter(x));
                return its != std::string::npos && its > rank;
              },
              false);
          before = b;
        }
      }
    }
    for (Torsion& t : torsions) t.moves.resize(atoms.size(), false);
    find_near();
  }

  // Turns everything beyond a bond on from where it is.
  void turn(Torsion& t, double angle) {
    const Vector3d o = atoms[std::size_t(t.a)].p;
    const Vector3d k = (atoms[std::size_t(t.b)].p - o).normalized();
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (!t.moves[i]) continue;
      const Vector3d v = atoms[i].p - o;
      atoms[i].p = o + v * std::cos(angle) + k.cross(v) * std::sin(angle) +
                   k * (k.dot(v) * (1.0 - std::cos(angle)));
    }
  }
  void place() {
    for (Atom& a : atoms) a.p = a.start;
    for (Torsion& t : torsions) turn(t, t.angle);
  }

  // The smallest gap of two atoms that are more than three bonds apart and that some torsion parts.
  double smallest_gap() const {
    double least = kInfinity;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      for (std::size_t k = i + 1; k < atoms.size(); ++k) {
        if (near[i * atoms.size() + k]) continue;
        least =
            std::min(least, (atoms[i].p - atoms[k].p).norm() - atoms[i].radius - atoms[k].radius);
      }
    }
    return least;
  }

  std::vector<Atom> atoms;
  std::vector<Torsion> torsions;
  std::vector<bool> near;  // by pair: not checked

 private:
  inline static const std::string kGreek = "ABGDEZH";

  static double radius(const std::string& element) {
    const std::string order = "HCNOS";
    const double radii[] = {1.2, 1.7, 1.55, 1.52, 1.8};
    return radii[order.find(element)];
  }
  // The Greek letter of a name such as CB, 1HD2 or HG11; blank: it has none.
  static char letter(const Atom& x) {
    const std::size_t first = x.short_name.find_first_not_of("0123456789");
    const std::string rest = x.short_name.substr(first + 1);
    return rest.empty() || std::isdigit(rest[0]) != 0 ? ' ' : rest[0];
  }
  static const std::string& chis(const std::string& residue) {
    static const std::map<std::string, std::string> ways = {{"ARG", "CB CG CD NE "},
                                                            {"LYS", "CB CG CD CE "},
                                                            {"MET", "CB CG SD "},
                                                            {"GLU", "CB CG CD "},
                                                            {"GLN", "CB CG CD "},
                                                            {"ASN", "CB CG "},
                                                            {"ASP", "CB CG "},
                                                            {"HIS", "CB CG "},
                                                            {"LEU", "CB CG "},
                                                            {"PHE", "CB CG "},
                                                            {"TYR", "CB CG "},
                                                            {"TRP", "CB CG "},
                                                            {"ILE", "CB CG1"},
                                                            {"CYS", "CB "},
                                                            {"SER", "CB "},
                                                            {"THR", "CB "},
                                                            {"VAL", "CB "},
                                                            {"ALA", ""},
                                                            {"GLY", ""},
                                                            {"PRO", ""}};
    return ways.at(residue);
  }

  int find(std::size_t piece, std::size_t residue, const std::string& name) const {
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (atoms[i].piece == piece && atoms[i].residue == residue && atoms[i].short_name == name) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  void find_near() {
    const std::size_t n = atoms.size();
    std::vector<std::vector<std::size_t>> bonds(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        if (i == k || atoms[i].piece != atoms[k].piece) continue;
        const bool sulphur = atoms[i].short_name[0] == 'S' || atoms[k].short_name[0] == 'S';
        const double longest = sulphur ? 1.95 : is_hydrogen(i) || is_hydrogen(k) ? 1.25 : 1.75;
        if ((atoms[i].start - atoms[k].start).norm() < longest) bonds[i].push_back(k);
      }
    }
    // What the same torsions move is rigid; an atom on an axis counts with what it turns with.
    std::map<std::vector<bool>, int> groups;
    std::vector<int> group;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<bool> moved;
      for (const Torsion& t : torsions) {
        moved.push_back(t.moves[i] || t.b == static_cast<int>(i));
      }
      group.push_back(groups.emplace(moved, groups.size()).first->second);
    }
    near.assign(n * n, false);
    for (std::size_t i = 0; i < n; ++i) {
      near[i * n + i] = true;
      for (const std::size_t a : bonds[i]) {
        near[i * n + a] = true;
        for (const std::size_t b : bonds[a]) {
          near[i * n + b] = true;
          for (const std::size_t c : bonds[b]) near[i * n + c] = true;
        }
      }
      for (std::size_t k = 0; k < n; ++k) {
        if (group[i] == group[k]) near[i * n + k] = true;
      }
    }
  }
  bool is_hydrogen(std::size_t i) const {
    return atoms[i].short_name.find('H') == atoms[i].short_name.find_first_not_of("0123456789");
  }
};

struct Case {
  const char* file;
  bool hydrogens, side_chains;
  double factor;
  double span;  // of a torsion's step
  int steps;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.file << (c.hydrogens ? ", with hydrogens" : "")
             << (c.side_chains ? ", side chains turn" : "");
}

// The robot of a file, and the same turned by hand.
class Protein : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    CATENA_REQUIRE_DATA("data/proteins");
    const PdbFile file =
        load_pdb((test::data_root() / "data/proteins" / c.file).string(), {c.hydrogens});
    hand.emplace(file, c.factor, c.side_chains);
    ProteinOptions options;
    options.radius_factor = c.factor;
    options.turning_side_chains = c.side_chains;
    robot = RobotBuilder::build(describe_protein(file, options));
  }

  const Case c = GetParam();
  std::optional<HandTurned> hand;
  std::shared_ptr<const Robot> robot;
};

// Property: an atom is where turning the file's coordinates about each bond puts it, whatever the
// torsions; and there is no other joint.
TEST_P(Protein, AtomsAreWhereTurningByHandPutsThem) {
  ASSERT_EQ(robot->active_joints().size(), hand->torsions.size());
  Rng rng(11);
  std::vector<RigidEnclosure> X_WL(static_cast<std::size_t>(robot->num_links()));
  for (const double span : {0.0, 0.1, 3.0}) {
    Eigen::VectorXd q = robot->zero_positions();
    for (HandTurned::Torsion& t : hand->torsions) {
      const LinkIndex joint = robot->find_joint(t.name);
      ASSERT_TRUE(joint.valid()) << t.name;
      t.angle = uniform(rng, -span, span);
      q[robot->joint(joint).q_index] = t.angle;
    }
    hand->place();
    link_poses(*robot, q, X_WL);
    for (const HandTurned::Atom& a : hand->atoms) {
      const BodyIndex index = robot->find_body(a.name);
      ASSERT_TRUE(index.valid()) << a.name;
      const Body& body = robot->body(index);
      ASSERT_EQ(body.geometries.size(), 1u);
      const Vector3d p = X_WL[std::size_t(body.link.value)].X * body.geometries[0].X_FG.X.p;
      ASSERT_LT((p - a.p).norm(), 1e-8) << c.file << " span " << span << " " << a.name;
      ASSERT_EQ(std::get<Sphere>(body.geometries[0].geometry->primitive()).radius, a.radius);
    }
  }
}

// Property: no pair of atoms is left out that more than three bonds part and some torsion moves
// against each other, and no other is checked.
TEST_P(Protein, ChecksAllPairsMoreThanThreeBondsApart) {
  const std::size_t n = hand->atoms.size();
  std::vector<BodyIndex> bodies;
  for (const HandTurned::Atom& a : hand->atoms) bodies.push_back(robot->find_body(a.name));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i + 1; k < n; ++k) {
      ASSERT_EQ(robot->checks(bodies[i], bodies[k]), !hand->near[i * n + k])
          << c.file << " " << hand->atoms[i].name << " " << hand->atoms[k].name;
    }
  }
}

// Property: after any sequence of set, check, commit and rollback the answer is that of all pairs
// of atoms.
TEST_P(Protein, ChainStateAnswersAsAllPairsDo) {
  ChainState state(std::make_shared<const CollisionWorld>(robot, nullptr));
  ASSERT_EQ(state.check().verdict, Verdict::kFree);
  state.commit();
  Rng rng(12);
  std::vector<double> committed(hand->torsions.size(), 0.0);
  int free = 0, collisions = 0;
  for (int step = 0; step < c.steps; ++step) {
    const int changes = uniform(rng, 0, 1) < 0.7 ? 1 : 3;
    for (int k = 0; k < changes; ++k) {
      HandTurned::Torsion& t = hand->torsions[rng() % hand->torsions.size()];
      t.angle += uniform(rng, -c.span, c.span);
      state.set(robot->find_joint(t.name), t.angle);
    }
    if (uniform(rng, 0, 1) < 0.2) continue;  // set some more first
    hand->place();
    const Verdict verdict = state.check().verdict;
    const double gap = hand->smallest_gap();
    if (gap > 1e-7) {
      ASSERT_EQ(verdict, Verdict::kFree) << c.file << " seed 12 step " << step << " gap " << gap;
      ++free;
    } else if (gap < -1e-7) {
      ASSERT_EQ(verdict, Verdict::kCollision)
          << c.file << " seed 12 step " << step << " gap " << gap;
      ++collisions;
    }
    // Mostly as a simulation does; now and then against it.
    if ((gap > 0.0) == (uniform(rng, 0, 1) < 0.95)) {
      state.commit();
      for (std::size_t i = 0; i < committed.size(); ++i) committed[i] = hand->torsions[i].angle;
    } else {
      state.rollback();
      for (std::size_t i = 0; i < committed.size(); ++i) hand->torsions[i].angle = committed[i];
    }
  }
  EXPECT_GT(free, c.steps / 20);
  EXPECT_GT(collisions, c.steps / 20);
  RecordProperty("free", free);
  RecordProperty("collisions", collisions);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Protein,
    testing::Values(Case{"1shg_A_bb.pdb", false, false, 0.7, 0.5, 400},
                    Case{"1lox_A_bb.pdb", false, false, 0.7, 0.06, 60},  // with gaps
                    Case{"raw/1shg.pdb", false, false, 0.65, 0.1, 300},
                    Case{"raw/1shg.pdb", false, true, 0.65, 0.5, 300},
                    Case{"raw/1A8O.pdb", false, true, 0.55, 0.3, 200},  // and with side chains
                    Case{"raw/1vii.pdb", true, false, 0.6, 0.05, 150}),
    [](const auto& c) { return "Case" + std::to_string(c.index); });

// n lysines in a row, stretched, side chains up and down.
PdbFile lysines(int n) {
  PdbFile file;
  file.pieces.emplace_back();
  for (int r = 0; r < n; ++r) {
    const double side = r % 2 == 0 ? 1.0 : -1.0, x = 3.6 * r, y = 0.45 * side;
    PdbFile::Residue residue{"LYS", std::to_string(r + 1), {}};
    const auto add = [&](const char* name, const char* element, const Vector3d& p) {
      residue.atoms.push_back({name, element, p, 0});
    };
    add("N", "N", {x, -y, 0});
    add("CA", "C", {x + 1.2, y, 0});
    add("C", "C", {x + 2.4, -y, 0});
    add("O", "O", {x + 2.4, -y - 1.23 * side, 0});
    const char* names[] = {"CB", "CG", "CD", "CE", "NZ"};
    for (int k = 0; k < 5; ++k) {
      add(names[k], k < 4 ? "C" : "N", {x + 1.2 + 0.45 * (k % 2), y, 1.4 * (k + 1) * side});
    }
    file.pieces[0].residues.push_back(residue);
  }
  return file;
}

// Property: a step of one torsion remakes the shortcuts and boxes that hold it and no other, as
// many as the tree says. A side chain's torsion is in no shortcut of the backbone, and in a number
// of boxes that grows with the logarithm of the residues.
TEST(Protein, ASideChainsTorsionRemakesNoShortcutOfTheBackbone) {
  double boxes[2] = {0, 0};
  for (const int i : {0, 1}) {
    const int n = i == 0 ? 64 : 1024;
    ProteinOptions options;
    options.radius_factor = 0.5;
    options.turning_side_chains = true;
    const auto robot = RobotBuilder::build(describe_protein(lysines(n), options));
    ASSERT_EQ(robot->active_joints().size(), static_cast<std::size_t>(6 * n - 2));
    const auto world = std::make_shared<const CollisionWorld>(robot, nullptr);
    const ChainTree& tree = world->chain_tree();
    // The joints that a slot is made of.
    const auto joints_of = [&](int slot) {
      std::vector<int> open{slot}, joints;
      for (std::size_t k = 0; k < open.size(); ++k) {
        if (open[k] < tree.num_links()) {
          joints.push_back(open[k]);
        } else {
          const auto& s = tree.shortcuts()[std::size_t(open[k] - tree.num_links())];
          open.insert(open.end(), {s.first, s.second});
        }
      }
      return joints;
    };
    ChainState state(world);
    ASSERT_EQ(state.check().verdict, Verdict::kFree);
    state.commit();
    std::uint64_t backbone_shortcuts = 0, chi_boxes = 0, chis = 0;
    for (const LinkIndex joint : robot->active_joints()) {
      const std::string& name = robot->joint(joint).name;
      const std::size_t slash = name.find('/');
      // The heavy path of the backbone ends in the last side chain.
      if (name.substr(0, slash) == std::to_string(n)) continue;
      const bool chi = name.find("chi") != std::string::npos;
      std::uint64_t shortcuts = 0, nodes = 0;
      for (int s = tree.user_of_joint(joint); s != 0;
           s = tree.shortcuts()[std::size_t(s - tree.num_links())].user) {
        ++shortcuts;
        if (!chi) continue;
        for (const int inside : joints_of(s)) {
          const std::string& with = robot->joint(LinkIndex(inside)).name;
          ASSERT_EQ(with.substr(0, slash + 4), name.substr(0, slash + 4)) << "in a shortcut";
        }
      }
      for (int k = tree.node_of_joint(joint); k >= 0; k = tree.nodes()[std::size_t(k)].parent) {
        ++nodes;
      }
      state.set(joint, 0.05);
      const ChainState::Result result = state.check();
      ASSERT_EQ(result.verdict, Verdict::kFree) << name;
      ASSERT_EQ(result.stats.shortcuts_remade, shortcuts) << name;
      ASSERT_EQ(result.stats.boxes_remade, nodes) << name;
      if (chi) {
        ++chis;
        chi_boxes += nodes;
        EXPECT_LE(shortcuts, 1u) << name;  // of the chi torsions of one residue
      } else {
        backbone_shortcuts += shortcuts;
      }
      state.rollback();
      EXPECT_EQ(state.check().stats.boxes_remade, 0u);
    }
    EXPECT_GT(backbone_shortcuts, static_cast<std::uint64_t>(n));
    boxes[i] = static_cast<double>(chi_boxes) / static_cast<double>(chis);
  }
  EXPECT_LT(boxes[1], boxes[0] + 2 * 4) << "16 times the residues";
  RecordProperty("boxes_64", std::to_string(boxes[0]));
  RecordProperty("boxes_1024", std::to_string(boxes[1]));
}

std::string message_of(const PdbFile& protein, const ProteinOptions& options) {
  try {
    (void)describe_protein(protein, options);
    return "accepted";
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(Protein, NamesWhatIsWrong) {
  ProteinOptions options;
  options.radius_factor = 0.0;
  EXPECT_EQ(message_of(lysines(2), options),
            "radius_factor: 0 is not a factor above 0; give a finite one");
  options.radius_factor = 1.0;
  options.radii.erase("N");
  EXPECT_EQ(message_of(lysines(2), options),
            "atom 1/N (line 0): element N has no radius; give one in ProteinOptions::radii");
  options.radii["N"] = -1.0;
  EXPECT_EQ(message_of(lysines(2), options),
            "atom 1/N (line 0): its radius -1 is not above 0; correct ProteinOptions::radii");
  PdbFile broken = lysines(2);
  broken.pieces[0].residues[1].atoms[0].name = "X";
  EXPECT_EQ(message_of(broken, {}),
            "residue 2: no C and N bond it to the residue before; begin a new piece where the "
            "chain has a gap");
}

// Torsions are left out where turning would break a ring or where there is nothing to turn; what
// cannot turn at all is part of the root.
TEST(Protein, LeavesOutTorsionsThatCannotTurn) {
  const auto joints = [](const PdbFile& protein) {
    ProteinOptions options;
    options.turning_side_chains = true;
    std::string all;
    const auto robot = RobotBuilder::build(describe_protein(protein, options));
    for (const LinkIndex joint : robot->active_joints()) all += robot->joint(joint).name + " ";
    return all;
  };
  PdbFile file = lysines(2);
  auto& residues = file.pieces[0].residues;
  residues[0].atoms.resize(5);  // to CB
  EXPECT_EQ(joints(file), "1/psi 2/phi 2/chi1 2/chi2 2/chi3 2/chi4 ");
  residues[1].name = "PRO";
  EXPECT_EQ(joints(file), "1/psi ");
  residues[1].name = "LYS";
  residues[1].atoms.back().position = residues[1].atoms[4].position + Vector3d(0.1, 0, 0);
  EXPECT_EQ(joints(file), "1/psi 2/phi 2/chi3 ") << "NZ bonds with CA, CB and CG";
  residues[1].atoms.erase(residues[1].atoms.begin() + 1);  // CA
  EXPECT_EQ(joints(file), "1/psi 2/chi3 ");
  PdbFile::Residue alone = residues[1];
  alone.label = "9";
  file.pieces.push_back({{alone}, 5.0});
  const auto robot = RobotBuilder::build(describe_protein(file));
  EXPECT_EQ(robot->body(robot->find_body("root")).geometries.size(), alone.atoms.size());
  EXPECT_FALSE(robot->find_body("9/N").valid());
}

}  // namespace
}  // namespace catena::io
