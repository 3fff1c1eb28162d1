#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/rigid_transform.hpp"

namespace catena::io {

/// The proteins of a PDB file: runs of residues that are bonded one to the next.
///
/// Units     ångström, as in the file. No query depends on the unit of length; clearances of a
///           robot made of this are in ångström too.
struct PdbFile {
  struct Atom {
    std::string name;     ///< without blanks: "CA", "1HB"
    std::string element;  ///< in capitals: "C", "SE"
    Vector3d position = Vector3d::Zero();
    int line = 0;
  };
  struct Residue {
    std::string name;   ///< "ALA"
    std::string label;  ///< chain, number and insertion code: "A:27B", or "27B" without a chain
    std::vector<Atom> atoms;  ///< in the file's order, each name once

    const Atom* find(std::string_view atom) const noexcept;  ///< nullptr: not there
  };
  struct Piece {
    std::vector<Residue> residues;
    /// From the C of the piece before, of the same chain, to this one's N; infinite if one of the
    /// two is missing. Nothing: a chain begins here.
    std::optional<double> gap;
  };

  std::vector<Piece> pieces;          ///< in the file's order
  std::vector<std::string> warnings;  ///< gaps, further models
};

struct PdbOptions {
  bool hydrogens = false;  ///< kept; else they, and deuterium, are left out
};

/// Reads the ATOM records of the first model, by columns; HETATM and everything else is left out.
///
/// Chains    end with TER or where the chain's letter changes; one whose letter has been used is
///           "A_2", "A_3".
/// Gaps      a chain is divided where C and the next N are not 0.8 to 2.0 Å apart, or one of the
///           two is missing: modified residues written as HETATM are gaps too.
/// Alternative locations    of each atom the one of the alternative (letter, blank included, and
///           residue name) with the highest occupancy in its residue, the first of equals; if these
///           differ in the residue's name, only those named as the best one count.
/// Elements  columns 77 and 78; where these hold no letters alone, SE if it stands in columns 13
///           and 14, else the first letter of the atom's name.
/// Errors    InputError: no atom, a record cut short, a field that is no number, a coordinate
///           beyond 1e6 Å, no name, an atom or a residue that comes twice.
PdbFile load_pdb(const std::string& path, const PdbOptions& options = {});

}  // namespace catena::io
