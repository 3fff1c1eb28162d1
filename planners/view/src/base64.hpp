#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace catena::view {

/// Appends a number's bytes, least significant first on every machine.
template <class T>
void append_bytes(T value, std::vector<std::uint8_t>& bytes) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto bits = std::bit_cast<Bits>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
}

inline std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const std::uint32_t group = std::uint32_t{bytes[i]} << 16 |
                                (left > 1 ? std::uint32_t{bytes[i + 1]} << 8 : 0) |
                                (left > 2 ? std::uint32_t{bytes[i + 2]} : 0);
    text.push_back(kDigits[group >> 18]);
    text.push_back(kDigits[group >> 12 & 63]);
    text.push_back(left > 1 ? kDigits[group >> 6 & 63] : '=');
    text.push_back(left > 2 ? kDigits[group & 63] : '=');
  }
  return text;
}

template <class T>
std::string base64_of(std::span<const T> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size_bytes());
  for (const T v : values) append_bytes(v, bytes);
  return base64(bytes);
}

}  // namespace catena::view
