#include "catena/io/pdb_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "catena/io/input_error.hpp"
#include "catena/math/rounding.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

// A peptide bond is 1.33 Å long; the limits leave room for poor models.
constexpr double kShortestBond = 0.8, kLongestBond = 2.0;
constexpr double kFarthest = 1e6;
// The alternatives of a residue's atoms are compared pair by pair.
constexpr std::size_t kMostAtoms = 1000;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::string capitals(std::string_view text) {
  std::string all(text);
  for (char& c : all) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return all;
}

// One line, by its columns, which count from 1.
class Record {
 public:
  Record(std::string_view text, const std::string& path, int line)
      : text_(text), path_(path), line_(line) {}

  int line() const { return line_; }
  bool is(std::string_view name) const { return trimmed(columns(1, 6)) == name; }
  // The serial number of a large file spills into the name's columns.
  bool is_atom() const { return text_.starts_with("ATOM "); }

  std::string_view columns(std::size_t first, std::size_t last) const {
    return first > text_.size() ? std::string_view() : text_.substr(first - 1, last - first + 1);
  }

  /// Words that become parts of names.
  std::string word(std::size_t first, std::size_t last, const char* what) const {
    const std::string_view word = trimmed(columns(first, last));
    for (const char c : word) {
      if (c <= ' ' || c > '~') {
        fail(what, "holds a byte that is no printable character",
             "write it in columns " + span(first, last) + ", in ASCII");
      }
    }
    return std::string(word);
  }
  std::string name(std::size_t first, std::size_t last, const char* what) const {
    std::string found = word(first, last, what);
    if (found.empty()) fail(what, "is missing", "write it in columns " + span(first, last));
    return found;
  }
  double number(std::size_t first, std::size_t last, const char* what) const {
    const std::string_view word = trimmed(columns(first, last));
    if (word.empty()) {
      fail(what, "is missing",
           "write it in columns " + span(first, last) +
               (text_.size() < last ? "; the record is cut short" : ""));
    }
    if (text_.size() < last) {
      fail(what, '"' + std::string(word) + "\" is cut short",
           "write all of it, in columns " + span(first, last));
    }
    const std::optional<double> x = read_decimal(word);
    if (!x) {
      fail(what, '"' + std::string(word) + "\" is not a finite number",
           "write one in columns " + span(first, last));
    }
    return *x;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError(path_, line_, "ATOM record: " + what, problem, remedy);
  }

 private:
  static std::string span(std::size_t first, std::size_t last) {
    return std::to_string(first) + " to " + std::to_string(last);
  }

  std::string_view text_;
  const std::string& path_;
  int line_;
};

// Of a name's four columns; a two-letter element begins in the first of them, where a hydrogen with
// a long name may as well.
std::string element_of(const Record& record) {
  const std::string_view stated = trimmed(record.columns(77, 78));
  if (!stated.empty() && std::all_of(stated.begin(), stated.end(), is_letter)) {
    return capitals(stated);
  }
  const std::string_view name = record.columns(13, 16);
  if (capitals(name.substr(0, 2)) == "SE") return "SE";
  const auto letter = std::find_if(name.begin(), name.end(), is_letter);
  if (letter == name.end()) {
    record.fail("element", "neither given nor the beginning of the atom's name",
                "write it in columns 77 to 78");
  }
  return capitals(std::string_view(&*letter, 1));
}

class Reader {
 public:
  Reader(const std::string& path, const PdbOptions& options) : path_(path), options_(options) {}

  PdbFile read(std::string_view text) {
    int line = 0;
    bool in_model = false;
    while (!text.empty()) {
      ++line;
      const std::size_t end = text.find('\n');
      std::string_view row = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (row.ends_with('\r')) row.remove_suffix(1);
      const Record record(row, path_, line);
      if (record.is_atom()) {
        read_atom(record);
      } else if (record.is("TER")) {
        end_chain();
      } else if (record.is("ENDMDL") || (record.is("MODEL") && in_model)) {
        warn_of_models(text, line);
        break;
      } else if (record.is("MODEL")) {
        in_model = true;
      }
    }
    end_chain();
    if (file_.pieces.empty()) {
      throw InputError(path_, 0, "", "no atom in an ATOM record",
                       "give a file in the PDB format; mmCIF has to be converted");
    }
    return std::move(file_);
  }

 private:
  struct Candidate {
    PdbFile::Atom atom;
    int alternative;  // of alternatives_
  };
  struct Alternative {
    char letter;
    std::string residue_name;
    double occupancy;  // the highest of its atoms
  };

  void warn(int line, const std::string& what) {
    file_.warnings.push_back(path_ + ":" + std::to_string(line) + ": " + what);
  }

  void warn_of_models(std::string_view rest, int line) {
    if (rest.find("\nATOM ") != std::string_view::npos || rest.starts_with("ATOM ")) {
      warn(line, "further models are left out; the first is read");
    }
  }

  void read_atom(const Record& record) {
    const char letter = record.columns(22, 22).empty() ? ' ' : record.columns(22, 22)[0];
    const std::string chain = record.word(22, 22, "chain");
    if (letter != letter_) {
      end_chain();
      letter_ = letter;
      const int use = ++uses_[letter];
      chain_ = use == 1 ? chain : chain + "_" + std::to_string(use);
    }
    const double number = record.number(23, 26, "residue number");
    if (number != std::floor(number)) {
      record.fail("residue number", show(number) + " is not an integer", "number residues by 1");
    }
    const std::string label = show(number) + record.word(27, 27, "insertion code");
    if (label != residue_label_) {
      end_residue();
      residue_label_ = label;
      if (!labels_.insert(label).second) {
        record.fail("residue " + label_with_chain(), "comes twice in its chain",
                    "write its atoms together, or end a chain with TER");
      }
    }

    Candidate found;
    PdbFile::Atom& atom = found.atom;
    atom.name = record.name(13, 16, "atom name");
    atom.line = record.line();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t first = 31 + 8 * k;
      const char* what[] = {"x", "y", "z"};
      atom.position[k] = record.number(first, first + 7, what[k]);
      if (std::abs(atom.position[k]) > kFarthest) {
        record.fail(what[k], show(atom.position[k]) + " is beyond 1e6 angstrom",
                    "correct the coordinate");
      }
    }
    atom.element = element_of(record);
    const double occupancy =
        trimmed(record.columns(55, 60)).empty() ? 1.0 : record.number(55, 60, "occupancy");
    found.alternative =
        alternative_of(record.columns(17, 17)[0], record.name(18, 20, "residue name"), occupancy);
    for (const Candidate& other : candidates_) {
      if (other.alternative == found.alternative && other.atom.name == atom.name) {
        record.fail("atom " + atom.name + " of residue " + label_with_chain(),
                    "comes twice, in line " + std::to_string(other.atom.line) + " as well",
                    "remove one, or mark them as alternative locations in column 17");
      }
    }
    if (candidates_.size() == kMostAtoms) {
      record.fail("residue " + label_with_chain(),
                  "has more than " + std::to_string(kMostAtoms) + " atoms",
                  "number each residue by itself");
    }
    candidates_.push_back(std::move(found));
  }

  std::string label_with_chain() const {
    return chain_.empty() ? residue_label_ : chain_ + ":" + residue_label_;
  }

  int alternative_of(char letter, const std::string& residue_name, double occupancy) {
    std::size_t i = 0;
    while (i < alternatives_.size() &&
           (alternatives_[i].letter != letter || alternatives_[i].residue_name != residue_name)) {
      ++i;
    }
    if (i == alternatives_.size()) alternatives_.push_back({letter, residue_name, occupancy});
    alternatives_[i].occupancy = std::max(alternatives_[i].occupancy, occupancy);
    return static_cast<int>(i);
  }

  void end_residue() {
    if (!candidates_.empty()) choose_atoms();
    candidates_.clear();
    alternatives_.clear();
    residue_label_.clear();
  }

  const Alternative& alternative(const Candidate& c) const {
    return alternatives_[static_cast<std::size_t>(c.alternative)];
  }

  void choose_atoms() {
    const auto better = [](const Alternative& a, const Alternative& b) {
      return a.occupancy < b.occupancy;
    };
    PdbFile::Residue residue;
    residue.name =
        std::max_element(alternatives_.begin(), alternatives_.end(), better)->residue_name;
    residue.label = label_with_chain();
    const int line = candidates_.front().atom.line;
    for (const Candidate& c : candidates_) {
      if (alternative(c).residue_name != residue.name) continue;
      if (!options_.hydrogens && (c.atom.element == "H" || c.atom.element == "D")) continue;
      const bool chosen =
          std::none_of(candidates_.begin(), candidates_.end(), [&](const Candidate& other) {
            if (other.atom.name != c.atom.name || alternative(other).residue_name != residue.name) {
              return false;
            }
            const double mine = alternative(c).occupancy, its = alternative(other).occupancy;
            return its > mine || (its == mine && other.alternative < c.alternative);
          });
      if (chosen) residue.atoms.push_back(c.atom);
    }
    if (!residue.atoms.empty()) append(std::move(residue), line);
  }

  void append(PdbFile::Residue residue, int line) {
    if (first_of_chain_) {
      file_.pieces.push_back({});
    } else {
      const PdbFile::Residue& before = file_.pieces.back().residues.back();
      const PdbFile::Atom *c = before.find("C"), *n = residue.find("N");
      const bool both = c != nullptr && n != nullptr;
      const double length = both ? (n->position - c->position).norm() : kInfinity;
      if (!(length >= kShortestBond && length <= kLongestBond)) {
        warn(line, "residue " + residue.label + " is not bonded to " + before.label +
                       (both ? ", whose C is " + show(std::round(1000 * length) / 1000) +
                                   " angstrom from its N"
                             : ": C or N is missing") +
                       "; the chain has a gap here");
        file_.pieces.push_back({{}, length});
      }
    }
    first_of_chain_ = false;
    file_.pieces.back().residues.push_back(std::move(residue));
  }

  void end_chain() {
    end_residue();
    letter_ = '\0';
    labels_.clear();
    first_of_chain_ = true;
  }

  const std::string& path_;
  const PdbOptions& options_;
  PdbFile file_;
  char letter_ = '\0';  // of the chain that is read; none
  std::string chain_;   // its name
  std::map<char, int> uses_;
  std::set<std::string> labels_;  // of its residues
  bool first_of_chain_ = true;
  std::string residue_label_;  // without the chain
  std::vector<Candidate> candidates_;
  std::vector<Alternative> alternatives_;
};

}  // namespace

const PdbFile::Atom* PdbFile::Residue::find(std::string_view atom) const noexcept {
  const auto found =
      std::find_if(atoms.begin(), atoms.end(), [&](const Atom& a) { return a.name == atom; });
  return found == atoms.end() ? nullptr : &*found;
}

PdbFile load_pdb(const std::string& path, const PdbOptions& options) {
  return Reader(path, options).read(read_text_file(path));
}

}  // namespace catena::io
