#include "catena/io/protein_robot.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/document.hpp"

namespace catena::io {

namespace {

constexpr double kBondSlack = 0.4;
constexpr int kUncheckedBonds = 3;
constexpr const char* kRoot = "root";

/// Covalent radii in ångström; 0 for elements that are taken to bond with nothing here.
double covalent_radius(const std::string& element) {
  static const std::map<std::string, double, std::less<>> radii = {
      {"H", 0.31}, {"D", 0.31}, {"C", 0.76}, {"N", 0.71},
      {"O", 0.66}, {"P", 1.07}, {"S", 1.05}, {"SE", 1.20}};
  const auto found = radii.find(element);
  return found == radii.end() ? 0.0 : found->second;
}

/// The atoms that a side chain's torsions turn about: chi1 about CA and the first, chi2 about the
/// first and the second, and so on.
std::vector<std::string_view> turning_atoms(std::string_view residue) {
  static const std::map<std::string_view, std::vector<std::string_view>> atoms = {
      {"ARG", {"CB", "CG", "CD", "NE"}},
      {"ASN", {"CB", "CG"}},
      {"ASP", {"CB", "CG"}},
      {"CYS", {"CB"}},
      {"GLN", {"CB", "CG", "CD"}},
      {"GLU", {"CB", "CG", "CD"}},
      {"HIS", {"CB", "CG"}},
      {"ILE", {"CB", "CG1"}},
      {"LEU", {"CB", "CG"}},
      {"LYS", {"CB", "CG", "CD", "CE"}},
      {"MET", {"CB", "CG", "SD"}},
      {"MSE", {"CB", "CG", "SE"}},
      {"PHE", {"CB", "CG"}},
      {"SER", {"CB"}},
      {"THR", {"CB"}},
      {"TRP", {"CB", "CG"}},
      {"TYR", {"CB", "CG"}},
      {"VAL", {"CB"}}};
  const auto found = atoms.find(residue);
  return found == atoms.end() ? std::vector<std::string_view>() : found->second;
}

/// Of two frames along the same axes.
RigidEnclosure translation(const Vector3d& from, const Vector3d& to) {
  RigidEnclosure X = RigidEnclosure::translation(to - from);
  X.position_error = bound_above(kUnitRoundoff * X.X.p.lpNorm<1>(), 2);
  return X;
}

class Assembly {
 public:
  explicit Assembly(const ProteinOptions& options) : options_(options) {
    if (!(options.radius_factor > 0.0) || !std::isfinite(options.radius_factor)) {
      throw ModelError("radius_factor", show(options.radius_factor) + " is not a factor above 0",
                       "give a finite one");
    }
    robot_.name = "protein";
    robot_.links.push_back({kRoot, {}});
  }

  void add(const PdbFile::Piece& piece) {
    collect_atoms(piece);
    find_bonds(piece);
    find_torsions(piece);
    if (torsions_.empty()) {
      for (const Atom& a : atoms_) {
        robot_.links[0].collision.push_back(
            {sphere(a), RigidEnclosure::translation(a.record->position)});
      }
      return;
    }
    glue();
    make_links();
    except_near_pairs();
  }

  RobotDescription take() { return std::move(robot_); }

 private:
  struct Atom {
    const PdbFile::Atom* record;
    std::string name;  // with the residue's label
  };
  struct Torsion {
    std::string name;
    int a, b;  // turns what lies beyond one of them against what lies beyond the other
  };
  using Graph = std::vector<std::vector<int>>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Vector3d& position(int i) const { return atoms_[at(i)].record->position; }

  void collect_atoms(const PdbFile::Piece& piece) {
    atoms_.clear();
    first_of_.assign(1, 0);
    for (const PdbFile::Residue& residue : piece.residues) {
      for (const PdbFile::Atom& atom : residue.atoms) {
        atoms_.push_back({&atom, residue.label + "/" + atom.name});
      }
      first_of_.push_back(static_cast<int>(atoms_.size()));
    }
  }

  // The number of a residue's atom of that name; -1: not there.
  int find(const PdbFile::Piece& piece, std::size_t r, std::string_view name) const {
    const PdbFile::Atom* atom = piece.residues[r].find(name);
    if (atom == nullptr) return -1;
    return first_of_[r] + static_cast<int>(atom - piece.residues[r].atoms.data());
  }

  static void join(Graph& graph, int a, int b) {
    graph[at(a)].push_back(b);
    graph[at(b)].push_back(a);
  }
  bool bonded(int a, int b) const {
    const auto& of_a = bonds_[at(a)];
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

  void find_bonds(const PdbFile::Piece& piece) {
    bonds_.assign(atoms_.size(), {});
    for (std::size_t r = 0; r < piece.residues.size(); ++r) {
      for (int a = first_of_[r]; a < first_of_[r + 1]; ++a) {
        const double radius = covalent_radius(atoms_[at(a)].record->element);
        for (int b = a + 1; b < first_of_[r + 1]; ++b) {
          const double other = covalent_radius(atoms_[at(b)].record->element);
          if (radius == 0.0 || other == 0.0) continue;
          if ((position(a) - position(b)).norm() < radius + other + kBondSlack) join(bonds_, a, b);
        }
      }
      if (r == 0) continue;
      const int c = find(piece, r - 1, "C"), n = find(piece, r, "N");
      if (c < 0 || n < 0) {
        throw ModelError("residue " + piece.residues[r].label,
                         "no C and N bond it to the residue before",
                         "begin a new piece where the chain has a gap");
      }
      join(bonds_, c, n);
    }
  }

  void find_torsions(const PdbFile::Piece& piece) {
    torsions_.clear();
    for (std::size_t r = 0; r < piece.residues.size(); ++r) {
      const PdbFile::Residue& residue = piece.residues[r];
      const int n = find(piece, r, "N"), ca = find(piece, r, "CA"), c = find(piece, r, "C");
      if (r > 0 && residue.name != "PRO") add_torsion(residue, r, "phi", n, ca);
      if (r + 1 < piece.residues.size()) add_torsion(residue, r, "psi", ca, c);
      if (!options_.turning_side_chains) continue;
      int a = ca, k = 0;
      for (const std::string_view name : turning_atoms(residue.name)) {
        const int b = find(piece, r, name);
        add_torsion(residue, r, "chi" + std::to_string(++k), a, b);
        a = b;
      }
    }
  }

  // Nothing where an atom is missing, one end has nothing to turn, or the bond is part of a ring.
  void add_torsion(const PdbFile::Residue& residue, std::size_t r, const std::string& name, int a,
                   int b) {
    if (a < 0 || b < 0 || !bonded(a, b)) return;
    if (bonds_[at(a)].size() < 2 || bonds_[at(b)].size() < 2) return;
    const std::vector<int> beyond = reached(r, a, b);
    if (std::find(beyond.begin(), beyond.end(), b) != beyond.end()) return;
    torsions_.push_back({residue.label + "/" + name, a, b});
  }

  // Atoms of a residue that its bonds join to `from`, that between `from` and `not_to` left out.
  std::vector<int> reached(std::size_t r, int from, int not_to) const {
    std::vector<int> open{from};
    for (std::size_t k = 0; k < open.size(); ++k) {
      for (const int next : bonds_[at(open[k])]) {
        if (next < first_of_[r] || next >= first_of_[r + 1]) continue;
        if (open[k] == from && next == not_to) continue;
        if (std::find(open.begin(), open.end(), next) == open.end()) open.push_back(next);
      }
    }
    return open;
  }

  // What no bond joins to the rest of its residue goes with it all the same.
  void glue() {
    joined_ = bonds_;
    for (std::size_t r = 0; r + 1 < first_of_.size(); ++r) {
      int anchor = first_of_[r];
      for (int a = first_of_[r]; a < first_of_[r + 1]; ++a) {
        if (atoms_[at(a)].record->name == "CA") anchor = a;
      }
      std::vector<int> with = reached(r, anchor, -1);
      for (int a = first_of_[r]; a < first_of_[r + 1]; ++a) {
        if (std::find(with.begin(), with.end(), a) != with.end()) continue;
        join(joined_, anchor, a);
        const std::vector<int> more = reached(r, a, -1);
        with.insert(with.end(), more.begin(), more.end());
      }
    }
  }

  // From the first N on, against which all else turns.
  void make_links() {
    std::map<std::pair<int, int>, const Torsion*> torsion_of;
    for (const Torsion& t : torsions_) torsion_of[std::minmax(t.a, t.b)] = &t;
    int first = 0;
    for (int a = 0; a < first_of_[1]; ++a) {
      if (atoms_[at(a)].record->name == "N") first = a;
    }
    std::vector<int> head(atoms_.size(), -1);  // of each atom's group, the atom that turns with it
    add_link(first);
    head[at(first)] = first;
    JointDescription held = make_joint(atoms_[at(first)].name, first);
    held.parent = kRoot;
    held.origin = RigidEnclosure::translation(position(first));
    robot_.joints.push_back(held);
    std::vector<int> open{first};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const int a = open[k];
      for (const int b : joined_[at(a)]) {
        if (head[at(b)] >= 0) continue;
        add_link(b);
        open.push_back(b);
        const auto torsion = torsion_of.find(std::minmax(a, b));
        const bool turns = torsion != torsion_of.end();
        const int parent = turns ? a : head[at(a)];
        head[at(b)] = turns ? b : parent;
        JointDescription joint = make_joint(turns ? torsion->second->name : atoms_[at(b)].name, b);
        joint.parent = atoms_[at(parent)].name;
        joint.origin = translation(position(parent), position(b));
        if (turns) {
          joint.type = JointType::kContinuous;
          joint.axis = joint.origin.X.p;
        }
        robot_.joints.push_back(joint);
      }
    }
  }

  JointDescription make_joint(const std::string& name, int child) const {
    JointDescription joint;
    joint.name = name;
    joint.child = atoms_[at(child)].name;
    return joint;
  }

  void add_link(int a) {
    const Atom& atom = atoms_[at(a)];
    robot_.links.push_back({atom.name, {{sphere(atom), {}}}});
  }

  std::shared_ptr<const Geometry> sphere(const Atom& atom) {
    auto& made = spheres_[atom.record->element];
    if (made == nullptr) {
      const auto radius = options_.radii.find(atom.record->element);
      const std::string where =
          "atom " + atom.name + " (line " + std::to_string(atom.record->line) + ")";
      if (radius == options_.radii.end()) {
        throw ModelError(where, "element " + atom.record->element + " has no radius",
                         "give one in ProteinOptions::radii");
      }
      const double r = options_.radius_factor * radius->second;
      if (!(r > 0.0) || !std::isfinite(r)) {
        throw ModelError(where, "its radius " + show(r) + " is not above 0",
                         "correct ProteinOptions::radii");
      }
      made = Geometry::make(Sphere{r});
    }
    return made;
  }

  void except_near_pairs() {
    std::vector<int> near;
    for (int a = 0; a < static_cast<int>(atoms_.size()); ++a) {
      near.assign(1, a);
      std::size_t k = 0;
      for (int bonds = 0; bonds < kUncheckedBonds; ++bonds) {
        for (const std::size_t last = near.size(); k < last; ++k) {
          for (const int b : bonds_[at(near[k])]) {
            if (std::find(near.begin(), near.end(), b) == near.end()) near.push_back(b);
          }
        }
      }
      for (const int b : near) {
        if (b > a)
          robot_.disabled_pairs.push_back({atoms_[at(a)].name, atoms_[at(b)].name, "Bonds"});
      }
    }
  }

  const ProteinOptions& options_;
  RobotDescription robot_;
  std::map<std::string, std::shared_ptr<const Geometry>> spheres_;  // by element

  // Of one piece.
  std::vector<Atom> atoms_;
  std::vector<int> first_of_;  // atom of every residue, and the end
  Graph bonds_, joined_;
  std::vector<Torsion> torsions_;
};

}  // namespace

std::map<std::string, double> van_der_waals_radii() {
  return {{"H", 1.20}, {"D", 1.20}, {"C", 1.70}, {"N", 1.55},
          {"O", 1.52}, {"P", 1.80}, {"S", 1.80}, {"SE", 1.90}};
}

RobotDescription describe_protein(const PdbFile& protein, const ProteinOptions& options) {
  const RoundingScope rounding;
  Assembly assembly(options);
  for (const PdbFile::Piece& piece : protein.pieces) assembly.add(piece);
  RobotDescription robot = assembly.take();
  robot.warnings = protein.warnings;
  return robot;
}

}  // namespace catena::io
