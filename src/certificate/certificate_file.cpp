#include "certificate_file.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "refusal.hpp"

namespace catena::certificate {
namespace {

/// Words and numbers line by line; a word in quotes may hold anything, `\"`, `\\` and `\n` escaped.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  int line() const { return line_; }
  [[noreturn]] void fail(const std::string& why) const {
    throw Refusal("line " + std::to_string(line_) + ": " + why);
  }

  /// To the next line that says anything; false at the end of the text.
  bool next_line() {
    for (;;) {
      if (!first_) {
        const std::size_t end = text_.find('\n', at_);
        if (end == std::string_view::npos) {
          at_ = text_.size();
          return false;
        }
        at_ = end + 1;
      }
      first_ = false;
      ++line_;
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (text_[at_] != '\n' && text_[at_] != '#') return true;
    }
  }

  bool at_end_of_line() {
    skip_blanks();
    return at_ >= text_.size() || text_[at_] == '\n';
  }
  void finish_line() {
    if (!at_end_of_line()) fail("more stands on the line than belongs there");
  }

  std::string_view word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r' &&
           text_[at_] != '\n')
      ++at_;
    if (begin == at_) fail("something is missing at the end of the line");
    return text_.substr(begin, at_ - begin);
  }

  bool is_quoted() {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == '"';
  }

  std::string name() {
    if (!is_quoted()) fail("a name in quotes is missing");
    ++at_;
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      char c = text_[at_];
      if (c == '\\') {
        if (++at_ >= text_.size()) break;
        c = text_[at_];
        if (c == 'n')
          c = '\n';
        else if (c != '"' && c != '\\')
          fail("a name holds an escape that is not known");
      }
      result += c;
    }
    if (at_ >= text_.size() || text_[at_] != '"') fail("a name does not end");
    ++at_;
    return result;
  }

  double number() {
    const std::string_view text = word();
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      fail("\"" + std::string(text.substr(0, 40)) + "\" is not a number");
    return value;
  }

  int index() {
    const std::string_view text = word();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
      fail("\"" + std::string(text.substr(0, 40)) + "\" is no number of a thing");
    return value;
  }

  std::array<double, 3> vector() {
    std::array<double, 3> v{};
    for (double& x : v) x = number();
    return v;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool first_ = true;
};

CertificateFile::ShapeParts parse_shape(Tokens& tokens, int& num_parts) {
  CertificateFile::ShapeParts shape;
  shape.line = tokens.line();
  shape.body = tokens.name();
  shape.number = tokens.index();
  shape.first_part = num_parts;
  std::vector<int> open;  // cuts whose second child has not begun
  bool second = false;    // the next node is the second child of open.back()
  for (;;) {
    const std::string_view word = tokens.word();
    const int node = static_cast<int>(shape.cuts.size());
    if (second) {
      shape.cuts[static_cast<std::size_t>(open.back())].second = node;
      open.pop_back();
    }
    CertificateFile::Cut cut;
    if (word == ".") {
      ++num_parts;
      second = true;
    } else if (word.size() == 1 &&
               std::string_view("xyzXYZ").find(word) != std::string_view::npos) {
      cut.axis = (word[0] | 0x20) - 'x';
      cut.greatest = word[0] < 'a';
      cut.at = tokens.number();
      open.push_back(node);
      second = false;
    } else {
      tokens.fail("\"" + std::string(word.substr(0, 40)) + "\" is neither a part nor a cut");
    }
    shape.cuts.push_back(cut);
    if (second && open.empty()) break;
  }
  shape.num_parts = num_parts - shape.first_part;
  return shape;
}

// The values of an edge that a line gives; null: it is no such line.
Proven::State Proven::Edge::*state_called(std::string_view word) {
  if (word == "from") return &Proven::Edge::from;
  if (word == "to") return &Proven::Edge::to;
  if (word == "from_velocity") return &Proven::Edge::from_velocity;
  if (word == "to_velocity") return &Proven::Edge::to_velocity;
  if (word == "from_acceleration") return &Proven::Edge::from_acceleration;
  if (word == "to_acceleration") return &Proven::Edge::to_acceleration;
  return nullptr;
}

}  // namespace

CertificateFile parse_certificate(const std::string& text) {
  CertificateFile file;
  Tokens tokens(text);
  if (!tokens.next_line() || tokens.word() != "catena-certificate")
    throw Refusal("it is no certificate: it does not begin with \"catena-certificate 1\"");
  if (tokens.word() != "1") tokens.fail("the version is not 1, the only one that is known");
  tokens.finish_line();
  if (!tokens.next_line() || tokens.word() != "clearance") tokens.fail("the clearance is missing");
  file.clearance = tokens.number();
  if (!(file.clearance >= 0.0 && file.clearance <= 1e50)) tokens.fail("the clearance is no length");
  tokens.finish_line();
  bool ended = false;
  while (!ended) {
    if (!tokens.next_line()) tokens.fail("the certificate ends without \"end\"");
    const std::string_view kind = tokens.word();
    const bool in_edge = !file.edges.empty();
    if (kind == "joint" && !in_edge) {
      file.joints.push_back(tokens.name());
    } else if (kind == "shape" && !in_edge) {
      file.shapes.push_back(parse_shape(tokens, file.num_parts));
    } else if (kind == "edge") {
      file.edges.emplace_back().line = tokens.line();
    } else if (const auto values = in_edge ? state_called(kind) : nullptr;
               values != nullptr && (file.edges.back().motion.*values).empty()) {
      while (!tokens.at_end_of_line())
        (file.edges.back().motion.*values).push_back(tokens.number());
    } else if (kind == "duration" && in_edge && file.edges.back().motion.duration == 0.0) {
      file.edges.back().motion.duration = tokens.number();
      if (!(file.edges.back().motion.duration > 0.0)) tokens.fail("the duration is not above 0");
    } else if (kind == "plane" && in_edge) {
      CertificateFile::Plane plane;
      plane.line = tokens.line();
      plane.begin = tokens.number();
      plane.end = tokens.number();
      if (!(plane.begin >= 0.0 && plane.begin <= plane.end && plane.end <= 1.0))
        tokens.fail("the interval is not within [0, 1]");
      if (tokens.is_quoted())
        plane.frame = tokens.name();
      else if (tokens.word() != "world")
        tokens.fail("the frame is neither a link's name in quotes nor world");
      plane.normal = tokens.vector();
      plane.offset = tokens.number();
      for (int& part : plane.low) part = tokens.index();
      for (int& part : plane.high) part = tokens.index();
      for (const auto& block : {plane.low, plane.high})
        if (block[0] >= block[1] || block[1] > file.num_parts)
          tokens.fail("a block is empty or holds parts that are not there");
      if (plane.low[1] > plane.high[0] && plane.high[1] > plane.low[0])
        tokens.fail("the two blocks have parts in common");
      file.edges.back().planes.push_back(std::move(plane));
    } else if (kind == "outside" && in_edge) {
      CertificateFile::Outside outside;
      outside.line = tokens.line();
      outside.solid = tokens.name();
      outside.solid_number = tokens.index();
      outside.other = tokens.name();
      outside.other_number = tokens.index();
      outside.component = tokens.index();
      outside.ray = tokens.vector();
      file.edges.back().outsides.push_back(std::move(outside));
    } else if (kind == "end") {
      ended = true;
    } else {
      tokens.fail("\"" + std::string(kind.substr(0, 40)) + "\" does not belong there");
    }
    tokens.finish_line();
  }
  if (tokens.next_line()) tokens.fail("something follows \"end\"");
  return file;
}

}  // namespace catena::certificate
