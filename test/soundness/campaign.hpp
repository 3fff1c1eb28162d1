#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace catena::oracle {

// What long runs have in common: counts by name, kept in a file, from which a run that was cut
// short goes on.

using Counters = std::map<std::string, std::uint64_t>;

/// False if there is no such file yet. Throws if it is of another seed.
inline bool read_state(const std::string& file, std::uint64_t seed, std::uint64_t& next,
                       Counters& counters) {
  std::ifstream in(file);
  std::string line;
  std::uint64_t of = 0;
  if (!in || !(in >> of >> next)) return false;
  std::getline(in, line);
  if (of != seed) throw std::runtime_error(file + ": is of another seed");
  while (std::getline(in, line)) {
    const auto tab = line.find('\t');
    if (tab != std::string::npos) counters[line.substr(tab + 1)] = std::stoull(line.substr(0, tab));
  }
  return true;
}

/// Throws where it cannot be written; the one before is then as it was.
inline void write_state(const std::string& file, std::uint64_t seed, std::uint64_t next,
                        const Counters& counters) {
  const std::string temporary = file + ".new";
  {
    std::ofstream out(temporary);
    out << seed << ' ' << next << '\n';
    for (const auto& [name, count] : counters) out << count << '\t' << name << '\n';
    out.close();
    if (!out) throw std::runtime_error(temporary + ": cannot be written");
  }
  if (std::rename(temporary.c_str(), file.c_str()) != 0)
    throw std::runtime_error(file + ": cannot be replaced by " + temporary);
}

/// Prints all counts; 1 if one of them is of something wrong, else 0.
inline int report(std::uint64_t seed, const Counters& counters) {
  std::uint64_t wrong = 0;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (const auto& [name, count] : counters) {
    std::printf("  %s: %llu\n", name.c_str(), static_cast<unsigned long long>(count));
    if (name.rfind("WRONG", 0) == 0) wrong += count;
  }
  if (wrong == 0) {
    std::printf("no verdict was wrong\n");
  } else {
    std::printf("WRONG VERDICTS: %llu\n", static_cast<unsigned long long>(wrong));
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace catena::oracle
