// Hashes of a piece of memory. Pure functions, called in callbacks; compiled apart from the rest of
// the recorder, since XXH3 needs vector registers for its speed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// A fingerprint reads 64 blocks of 4 KiB at most, spread evenly, the first and the last byte
/// included.
inline constexpr std::size_t kFingerprintBlock = 4096;
inline constexpr std::size_t kFingerprintBlocks = 64;
inline constexpr std::size_t kFingerprintBytes = kFingerprintBlock * kFingerprintBlocks;

/// What was learned of a content.
struct Digest {
  std::uint64_t fingerprint = 0;  ///< of the spread blocks; different: different for sure
  std::uint64_t hash = 0;         ///< XXH3-64 of every byte; 0: not taken
  bool trivial = false;           ///< all bytes that were hashed are equal
};

/// The bounded fingerprint. Of up to kFingerprintBytes it reads all, so that the hash is known too.
/// Never 0.
Digest fingerprint_of(const void* data, std::size_t bytes) noexcept;

/// Adds the hash of all bytes, never 0, and settles whether they are all equal.
void complete_digest(Digest& digest, const void* data, std::size_t bytes) noexcept;

}  // namespace ompdm::record
