// PDB files: counts that awk finds in real ones, each rule on small ones, a message for each error.
#include "catena/io/pdb_file.hpp"

#include <clocale>
#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "catena/io/input_error.hpp"
#include "support/data.hpp"
#include "support/temporary_folder.hpp"

namespace catena::io {
namespace {

using test::TemporaryFolder;

// An ATOM record by its columns; serial number and temperature factor are never read.
std::string atom(const std::string& name, const std::string& residue, const std::string& number,
                 const std::string& rest, char alternative = ' ', char chain = 'A') {
  std::string line(80, ' ');
  line.replace(0, 4, "ATOM");
  line.replace(12, name.size(), name);
  line[16] = alternative;
  line.replace(17, residue.size(), residue);
  line[21] = chain;
  line.replace(22, number.size(), number);
  line.replace(30, rest.size(), rest);
  return line + "\n";
}

PdbFile read(const TemporaryFolder& folder, const std::string& text, bool hydrogens = false) {
  return load_pdb(folder.write("p.pdb", text), {hydrogens});
}

std::string message_of(const TemporaryFolder& folder, const std::string& text) {
  try {
    (void)read(folder, text);
    return "accepted";
  } catch (const InputError& error) {
    return std::string(error.what()).substr((folder.path() / "p.pdb").string().size() - 5);
  }
}

struct Counts {
  std::size_t pieces = 0, residues = 0, atoms = 0;
  bool operator==(const Counts&) const = default;
};
Counts count(const PdbFile& file) {
  Counts n;
  n.pieces = file.pieces.size();
  for (const PdbFile::Piece& piece : file.pieces) {
    n.residues += piece.residues.size();
    for (const PdbFile::Residue& residue : piece.residues) n.atoms += residue.atoms.size();
  }
  return n;
}
std::ostream& operator<<(std::ostream& out, const Counts& n) {
  return out << n.pieces << " pieces, " << n.residues << " residues, " << n.atoms << " atoms";
}

// Found with awk over columns 13-16, 22-27, 31-54 and 77-78: chains and distances of C to the next
// N that are not 0.8 to 2.0, residues, and atoms other than H, all before the first ENDMDL; less,
// by hand, the alternatives that are not the best.
TEST(PdbFile, HasTheCountsOfRealFiles) {
  CATENA_REQUIRE_DATA("data/proteins");
  const auto counts = [](const char* name, bool hydrogens = false) {
    return count(load_pdb((test::data_root() / "data/proteins" / name).string(), {hydrogens}));
  };
  EXPECT_EQ(counts("1vii_x_bb.pdb"), (Counts{1, 36, 108}));
  EXPECT_EQ(counts("1shg_A_bb.pdb"), (Counts{1, 57, 171}));
  EXPECT_EQ(counts("1ckb_A_bb.pdb"), (Counts{1, 57, 171}));
  EXPECT_EQ(counts("1i8j_A_bb.pdb"), (Counts{1, 323, 969}));
  EXPECT_EQ(counts("1onh_A_bb.pdb"), (Counts{1, 363, 1089}));
  EXPECT_EQ(counts("1nj1_A_bb.pdb"), (Counts{1, 463, 1389}));
  EXPECT_EQ(counts("1o79_A_bb.pdb"), (Counts{1, 619, 1857}));
  EXPECT_EQ(counts("1lox_A_bb.pdb"), (Counts{4, 647, 1941}));
  EXPECT_EQ(counts("1i6v_C_bb.pdb"), (Counts{1, 1113, 3339}));
  EXPECT_EQ(counts("1i6v_all_bb.pdb"), (Counts{10, 2803, 8409}));
  EXPECT_EQ(counts("raw/1shg.pdb"), (Counts{1, 57, 472}));
  EXPECT_EQ(counts("raw/1vii.pdb"), (Counts{1, 36, 295}));
  EXPECT_EQ(counts("raw/1vii.pdb", true), (Counts{1, 36, 596}));
  EXPECT_EQ(counts("raw/2BEG.pdb"), (Counts{5, 130, 900}));
  EXPECT_EQ(counts("raw/2BEG.pdb", true), (Counts{5, 130, 1855}));
  EXPECT_EQ(counts("raw/1A8O.pdb"), (Counts{3, 66, 524}));
  EXPECT_EQ(counts("raw/dummy_altloc.pdb"), (Counts{2, 5, 17}));
  EXPECT_EQ(counts("raw/dummy_insertions.pdb"), (Counts{13, 16, 129}));
}

TEST(PdbFile, TellsTheGapsOfARealFile) {
  CATENA_REQUIRE_DATA("data/proteins");
  const PdbFile file = load_pdb((test::data_root() / "data/proteins/1lox_A_bb.pdb").string());
  ASSERT_EQ(file.pieces.size(), 4u);
  const char* first[] = {"A:2", "A:188", "A:212", "A:603"};
  const double gaps[] = {0.0, 18.546, 4.795, 9.269};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(file.pieces[i].residues.front().label, first[i]);
    ASSERT_EQ(file.pieces[i].gap.has_value(), i > 0);
    EXPECT_NEAR(file.pieces[i].gap.value_or(0.0), gaps[i], 1e-3);
  }
  EXPECT_EQ(file.warnings.size(), 3u);
  EXPECT_NE(file.warnings[0].find("residue A:188 is not bonded to A:176, whose C is 18.546"),
            std::string::npos)
      << file.warnings[0];
}

// Property: a record's fields come back, under a locale whose decimal sign is a comma as well.
TEST(PdbFile, KeepsWhatARecordSays) {
  const TemporaryFolder folder;
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  const PdbFile file =
      read(folder, atom(" SE ", "MSE", "  -1B", "   1.125-999.500 123.062  1.00  0.00", ' ', 'x'));
  std::setlocale(LC_ALL, before.c_str());
  ASSERT_EQ(count(file), (Counts{1, 1, 1}));
  const PdbFile::Residue& residue = file.pieces[0].residues[0];
  EXPECT_EQ(residue.name, "MSE");
  EXPECT_EQ(residue.label, "x:-1B");
  EXPECT_EQ(residue.atoms[0].name, "SE");
  EXPECT_EQ(residue.atoms[0].element, "S") << "the element begins in column 14";
  EXPECT_EQ(residue.atoms[0].position, Vector3d(1.125, -999.5, 123.062));
  EXPECT_EQ(residue.atoms[0].line, 1);
}

TEST(PdbFile, FindsElementsWhereNoneIsStated) {
  const TemporaryFolder folder;
  const std::string at = "   0.000   0.000   0.000";
  std::string stated = atom(" CA ", "ALA", "   1", at);
  stated.replace(76, 2, " n");
  std::string old = atom(" CB ", "ALA", "   1", at);
  old.replace(72, 8, "1SHG 150");
  const PdbFile file = read(folder,
                            stated + old + atom("1HB ", "ALA", "   1", at) +
                                atom("HG11", "ALA", "   1", at) + atom("SE  ", "ALA", "   1", at),
                            true);
  std::string elements;
  for (const PdbFile::Atom& a : file.pieces[0].residues[0].atoms) elements += a.element + " ";
  EXPECT_EQ(elements, "N C H H SE ");
}

TEST(PdbFile, TakesOneOfAlternativeLocations) {
  const TemporaryFolder folder;
  const auto at = [](double x, double occupancy) {
    char text[40];
    std::snprintf(text, sizeof text, "%8.3f%8.3f%8.3f%6.2f", x, 0.0, 0.0, occupancy);
    return std::string(text);
  };
  const auto xs = [&](const std::string& text) {
    std::string all;
    const PdbFile file = read(folder, text);
    all = file.pieces[0].residues[0].name;
    for (const PdbFile::Atom& a : file.pieces[0].residues[0].atoms) {
      all += " " + a.name + std::to_string(static_cast<int>(a.position.x()));
    }
    return all;
  };
  const std::string ca = atom(" CA ", "SER", "   1", at(1, 1.0));
  // The higher one, the first of equals, and one that the best alternative does not have.
  EXPECT_EQ(xs(ca + atom(" CB ", "SER", "   1", at(2, 0.4), 'A') +
               atom(" CB ", "SER", "   1", at(3, 0.6), 'B')),
            "SER CA1 CB3");
  EXPECT_EQ(xs(ca + atom(" CB ", "SER", "   1", at(2, 0.5), 'B') +
               atom(" CB ", "SER", "   1", at(3, 0.5), 'A')),
            "SER CA1 CB2");
  EXPECT_EQ(xs(ca + atom(" CB ", "SER", "   1", at(2, 0.4), 'A') +
               atom(" OG ", "SER", "   1", at(4, 0.4), 'A') +
               atom(" CB ", "SER", "   1", at(3, 0.6), 'B')),
            "SER CA1 OG4 CB3");
  // An alternative stays together though its atoms' occupancies differ.
  EXPECT_EQ(xs(ca + atom(" CB ", "SER", "   1", at(2, 0.55), 'A') +
               atom(" CB ", "SER", "   1", at(3, 0.45), 'B') +
               atom(" OG ", "SER", "   1", at(4, 0.2), 'A') +
               atom(" OG ", "SER", "   1", at(5, 0.3), 'B')),
            "SER CA1 CB2 OG4");
  // Two residues in one place.
  EXPECT_EQ(xs(atom(" CA ", "SER", "   1", at(1, 0.4), 'A') +
               atom(" OG ", "SER", "   1", at(2, 0.4), 'A') +
               atom(" CA ", "PRO", "   1", at(3, 0.6), 'B') +
               atom(" CD ", "PRO", "   1", at(4, 0.6), 'B')),
            "PRO CA3 CD4");
}

TEST(PdbFile, DividesChainsAndModels) {
  const TemporaryFolder folder;
  const std::string here = "   0.000   0.000   0.000", near = "   1.330   0.000   0.000";
  const auto labels = [&](const std::string& text) {
    std::string all;
    for (const PdbFile::Piece& piece : read(folder, text).pieces) {
      all += piece.gap ? "| " : "[ ";
      for (const PdbFile::Residue& residue : piece.residues) all += residue.label + " ";
    }
    return all;
  };
  const std::string c = atom(" C  ", "GLY", "   1", here), n = atom(" N  ", "GLY", "   2", near);
  EXPECT_EQ(labels(c + n), "[ A:1 A:2 ");
  EXPECT_EQ(labels(c + "HETATM" + n.substr(6)), "[ A:1 ");
  EXPECT_EQ(labels(c + "TER\n" + n), "[ A:1 [ A_2:2 ");
  EXPECT_EQ(labels(c + atom(" N  ", "GLY", "   2", near, ' ', 'B')), "[ A:1 [ B:2 ");
  EXPECT_EQ(labels(c + atom(" N  ", "GLY", "   2", near, ' ', ' ') + "TER\n" + n),
            "[ A:1 [ 2 [ A_2:2 ");
  // Bonds of 0.8 to 2.0 only, and only from C to N.
  EXPECT_EQ(labels(c + atom(" N  ", "GLY", "   2", "   2.000   0.000   0.000")), "[ A:1 A:2 ");
  EXPECT_EQ(labels(c + atom(" N  ", "GLY", "   2", "   2.001   0.000   0.000")), "[ A:1 | A:2 ");
  EXPECT_EQ(labels(c + atom(" N  ", "GLY", "   2", "   0.799   0.000   0.000")), "[ A:1 | A:2 ");
  EXPECT_EQ(labels(c + atom(" CA ", "GLY", "   2", near)), "[ A:1 | A:2 ");
  // The first model.
  EXPECT_EQ(labels("MODEL        1\n" + c + "ENDMDL\nMODEL        2\n" + n), "[ A:1 ");
  EXPECT_EQ(labels("MODEL        1\n" + c + "MODEL        2\n" + n), "[ A:1 ");
  EXPECT_EQ(read(folder, c + "ENDMDL\nMODEL        2\n" + n + "ENDMDL\n").warnings.size(), 1u);
  EXPECT_EQ(read(folder, c + "ENDMDL\n").warnings.size(), 0u);
  // Line ends of Windows; lines that end with the coordinates.
  EXPECT_EQ(labels(c.substr(0, 54) + "\r\n" + n.substr(0, 54) + "\r\nEND\r\n"), "[ A:1 A:2 ");
}

TEST(PdbFile, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string at = "   0.000   0.000   0.000", ca = atom(" CA ", "ALA", "   1", at);
  const auto expect = [&](const std::string& text, const std::string& message) {
    EXPECT_EQ(message_of(folder, text), message);
  };
  expect(
      "",
      "p.pdb: no atom in an ATOM record; give a file in the PDB format; mmCIF has to be converted");
  expect(
      "REMARK\nHETATM" + ca.substr(6),
      "p.pdb: no atom in an ATOM record; give a file in the PDB format; mmCIF has to be converted");
  expect(
      "\n" + ca.substr(0, 46) + "\n",
      "p.pdb:2: ATOM record: z: is missing; write it in columns 47 to 54; the record is cut short");
  const std::string full = atom(" CA ", "ALA", "   1", "   0.000   0.000 -12.345  0.75");
  expect(full.substr(0, 50) + "\n",
         "p.pdb:1: ATOM record: z: \"-12\" is cut short; write all of it, in columns 47 to 54");
  expect(full.substr(0, 53),
         "p.pdb:1: ATOM record: z: \"-12.34\" is cut short; write all of it, in columns 47 to 54");
  expect(
      full.substr(0, 58) + "\r\n",
      "p.pdb:1: ATOM record: occupancy: \"0.\" is cut short; write all of it, in columns 55 to 60");
  expect(
      full.substr(0, 24) + "\n",
      "p.pdb:1: ATOM record: residue number: is missing; write it in columns 23 to 26; the record "
      "is cut short");
  for (const std::size_t whole : {54, 56, 60}) {
    expect(full.substr(0, whole), "accepted");
  }
  expect(atom(" CA ", "ALA", "   1", "   0.000     1,5   0.000"),
         "p.pdb:1: ATOM record: y: \"1,5\" is not a finite number; write one in columns 39 to 46");
  expect(atom(" CA ", "ALA", "   1", "   0.000     nan   0.000"),
         "p.pdb:1: ATOM record: y: \"nan\" is not a finite number; write one in columns 39 to 46");
  expect(atom(" CA ", "ALA", "   1", "   1e300   0.000   0.000"),
         "p.pdb:1: ATOM record: x: 1e+300 is beyond 1e6 angstrom; correct the coordinate");
  expect(
      atom(" CA ", "ALA", "   1", at + "  high"),
      "p.pdb:1: ATOM record: occupancy: \"high\" is not a finite number; write one in columns 55 "
      "to 60");
  expect(
      atom(" CA ", "ALA", " A00", at),
      "p.pdb:1: ATOM record: residue number: \"A00\" is not a finite number; write one in columns "
      "23 to 26");
  expect(atom(" CA ", "ALA", " 1.5", at),
         "p.pdb:1: ATOM record: residue number: 1.5 is not an integer; number residues by 1");
  expect(atom("    ", "ALA", "   1", at),
         "p.pdb:1: ATOM record: atom name: is missing; write it in columns 13 to 16");
  expect(atom(" CA ", "   ", "   1", at),
         "p.pdb:1: ATOM record: residue name: is missing; write it in columns 18 to 20");
  expect(
      atom(" C\x01 ", "ALA", "   1", at),
      "p.pdb:1: ATOM record: atom name: holds a byte that is no printable character; write it in "
      "columns 13 to 16, in ASCII");
  expect(atom(" 12 ", "ALA", "   1", at),
         "p.pdb:1: ATOM record: element: neither given nor the beginning of the atom's name; write "
         "it in columns 77 to 78");
  expect(
      ca + ca,
      "p.pdb:2: ATOM record: atom CA of residue A:1: comes twice, in line 1 as well; remove one, "
      "or mark them as alternative locations in column 17");
  expect(
      ca + atom(" CA ", "ALA", "   2", at) + atom(" CB ", "ALA", "   1", at),
      "p.pdb:3: ATOM record: residue A:1: comes twice in its chain; write its atoms together, or "
      "end a chain with TER");
}

}  // namespace
}  // namespace catena::io
