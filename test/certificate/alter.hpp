#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace catena::test {

/// Changes of a certificate's text, each of which leaves some pair unproven at some time. Every
/// entry that a writer makes is needed: blocks and intervals of a division do not overlap.
enum class Alteration { kDropped, kBeginsLater, kEndsSooner, kTurned, kMoved, kShrunk };
inline constexpr int kNumAlterations = 6;

inline const char* name_of(Alteration alteration) {
  switch (alteration) {
    case Alteration::kDropped:
      return "an entry dropped";
    case Alteration::kBeginsLater:
      return "an interval begun later";
    case Alteration::kEndsSooner:
      return "an interval ended sooner";
    case Alteration::kTurned:
      return "a direction turned";
    case Alteration::kMoved:
      return "an offset moved";
    case Alteration::kShrunk:
      return "a block shrunk";
  }
  return "";
}

inline std::string digits(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// @param checks  are the bodies of these names checked against each other?
/// Nothing if the certificate has nothing to alter in this way.
inline std::optional<std::string> altered(
    const std::string& text, Alteration alteration, std::mt19937_64& rng,
    const std::function<bool(const std::string&, const std::string&)>& checks) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::vector<size_t> planes;
  std::vector<std::string> body_of_part;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind("plane ", 0) == 0) planes.push_back(i);
    if (lines[i].rfind("shape ", 0) != 0) continue;
    const size_t end = lines[i].find('"', 7);
    const std::string body = lines[i].substr(7, end - 7);
    std::istringstream words(lines[i].substr(end + 1));
    for (std::string word; words >> word;)
      if (word == ".") body_of_part.push_back(body);
  }
  if (planes.empty()) return std::nullopt;
  const size_t at = planes[rng() % planes.size()];
  // plane T0 T1 FRAME U V W OFFSET A B C D, frames without blanks in these tests
  std::vector<std::string> words;
  std::istringstream line(lines[at]);
  for (std::string word; line >> word;) words.push_back(word);
  if (words.size() != 12) return std::nullopt;
  const double begin = std::stod(words[1]), end = std::stod(words[2]);
  const double share = 0.05 + 0.9 * static_cast<double>(rng() % 1000) / 1000.0;
  switch (alteration) {
    case Alteration::kDropped:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      words.clear();
      break;
    case Alteration::kBeginsLater:
      words[1] = digits(begin + share * (end - begin));
      break;
    case Alteration::kEndsSooner:
      words[2] = digits(begin + share * (end - begin));
      break;
    case Alteration::kTurned:  // all low is above the new plane, or all high below
      for (size_t k = 4; k < 7; ++k) words[k] = digits(-std::stod(words[k]));
      break;
    case Alteration::kMoved:
      words[7] = digits(std::stod(words[7]) + (rng() % 2 == 0 ? 1e4 : -1e4));
      break;
    case Alteration::kShrunk: {
      const size_t block = rng() % 2 == 0 ? 8 : 10, other = 18 - block;
      const bool at_front = rng() % 2 == 0;
      const int first = std::stoi(words[block]), last = std::stoi(words[block + 1]);
      const int lost = at_front ? first : last - 1;
      bool needed = false;
      for (int k = std::stoi(words[other]); k < std::stoi(words[other + 1]) && !needed; ++k)
        needed = checks(body_of_part.at(static_cast<size_t>(lost)),
                        body_of_part.at(static_cast<size_t>(k)));
      if (!needed) return std::nullopt;
      words[at_front ? block : block + 1] = std::to_string(at_front ? first + 1 : last - 1);
      break;
    }
  }
  if (!words.empty()) {
    std::string changed;
    for (const std::string& word : words) changed += (changed.empty() ? "" : " ") + word;
    lines[at] = changed;
  }
  std::string result;
  for (const std::string& one : lines) result += one + "\n";
  return result;
}

}  // namespace catena::test
