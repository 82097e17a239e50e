// Integers as bytes, small ones short: seven bits a byte, the lowest first, the last byte below 128
// (LEB128); signed ones with their sign in the lowest bit (zigzag).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ompdm::binary {

inline constexpr std::size_t kLongestVarint = 10;

/// Writes to `at`, where kLongestVarint bytes must be; the place behind it.
inline char* put_varint(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

/// Takes one from the front of `bytes`. False, with `value` undefined, if none is there.
inline bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kLongestVarint; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

inline std::uint64_t to_zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}

inline std::uint64_t from_zigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

}  // namespace ompdm::binary
