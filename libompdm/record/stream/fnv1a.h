// The hash of short texts: names of functions and of files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// FNV-1a of 64 bits (draft-eastlake-fnv).
constexpr std::uint64_t fnv1a(const char* text, std::size_t size) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace ompdm::record
