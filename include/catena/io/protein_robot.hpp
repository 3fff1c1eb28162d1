#pragma once

#include <map>
#include <string>

#include "catena/io/pdb_file.hpp"
#include "catena/model/robot_builder.hpp"

namespace catena::io {

/// Radii of H, D, C, N, O, P, S and SE in ångström. Source [Bondi1964].
std::map<std::string, double> van_der_waals_radii();

struct ProteinOptions {
  /// Every radius is multiplied by it. Atoms come closer than their van der Waals radii say, where
  /// hydrogen bonds hold them: the structures that Catena is tested with are free of contacts up
  /// to 0.55 (hydrogens, disulphides), 0.65 (other heavy atoms) or 0.7 (backbones).
  double radius_factor = 1.0;
  bool turning_side_chains = false;  ///< by their chi torsions; else rigid on their CA's link
  std::map<std::string, double> radii = van_der_waals_radii();  ///< by element
};

/// A robot of spheres, one an atom, that turns about the protein's torsions.
///
/// Joints    all continuous, 0 as in the file: "A:27/phi" about N-CA, "A:27/psi" about CA-C and
///           "A:27/chi1" to "chi4" about the side chain's bonds, those of the twenty amino acids
///           and MSE. Omega is fixed, as are proline's phi and torsions about a bond of a ring, the
///           phi of a piece's first residue and the psi of its last.
/// Bodies    one for each atom, "A:27/CA", joined by fixed joints to what turns with it: a robot's
///           link is a rigid group of atoms. An atom that no bond reaches goes with its residue's
///           CA, or without one with its first atom.
/// Gaps      each piece hangs from the body "root" and is held by its first N with what is rigid to
///           it: nothing bonds across a gap. Atoms of pieces in which nothing turns are part of
///           "root" itself.
/// Pairs     every pair of atoms of two links is checked that more than three bonds part. Those at
///           most three apart are disabled one by one, which bodies of one atom allow; a robot's
///           own rules add nothing to that: they except bodies that a joint joins (a torsion joins
///           the two atoms of its bond) and those of one link, which never move relative to each
///           other. Bonds are C to the next N of a piece, and within a residue the pairs closer
///           than their covalent radii [Cordero2008] and 0.4 Å together. A disulphide is none: no
///           torsion would keep it.
/// Units     ångström, as PdbFile.
/// Cost      linear in the atoms, quadratic in those of a residue.
/// Errors    ModelError: a factor or radius that is not above 0, an element without a
///           radius, a piece whose residues C and N do not join.
RobotDescription describe_protein(const PdbFile& protein, const ProteinOptions& options = {});

}  // namespace catena::io
