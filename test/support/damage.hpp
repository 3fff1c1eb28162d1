// Texts with errors in them, for readers that must refuse them or read on.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace catena::test {

/// The text after one to four accidents at random places: a byte that is another, or one that
/// numbers and markup are made of, bytes that are lost, a piece that is there twice, an end that
/// comes too early.
inline std::string damaged(std::string text, std::mt19937& rng) {
  constexpr std::string_view kCommon = "0123456789.e-+<>\"/ {}[],:";
  for (unsigned hits = 1 + rng() % 4; hits > 0 && !text.empty(); --hits) {
    const std::size_t at = rng() % text.size();
    switch (rng() % 5) {
      case 0:
        text[at] = static_cast<char>(rng() % 256);
        break;
      case 1:
        text[at] = kCommon[rng() % kCommon.size()];
        break;
      case 2:
        text.erase(at, 1 + rng() % 10);
        break;
      case 3:
        text.insert(at, text.substr(rng() % text.size(), rng() % 40));
        break;
      default:
        // Not as often: most of a long text would be lost.
        if (rng() % 4 == 0) text.resize(at);
    }
  }
  return text;
}

}  // namespace catena::test
