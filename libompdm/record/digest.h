// Hashes of a piece of memory. Pure functions, called in callbacks; compiled apart from the rest of
// the recorder, since XXH3 needs vector registers for its speed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// A fingerprint reads at most 64 blocks of 4 KiB, spread evenly from the first byte to the last.
inline constexpr std::size_t kFingerprintBlock = 4096;
inline constexpr std::size_t kFingerprintBlocks = 64;
inline constexpr std::size_t kFingerprintBytes = kFingerprintBlock * kFingerprintBlocks;

/// Hashes of a piece of memory.
struct Digest {
  std::uint64_t fingerprint = 0;  ///< of the spread blocks
  std::uint64_t hash = 0;         ///< XXH3-64 of all bytes; 0: not taken
  bool trivial = false;           ///< all bytes that were hashed are equal
};

/// From now on fingerprints take all bytes of these two values for one (`ompdm check`). So the
/// former content of fresh memory makes no difference, unless a value was computed from it.
void ignore_fills(unsigned char one, unsigned char other) noexcept;

/// Takes the fingerprint, which is never 0. Up to kFingerprintBytes it reads all, and takes the
/// hash too.
Digest fingerprint_of(const void* data, std::size_t bytes) noexcept;

/// Copies the bytes that fingerprint_of() reads, of `bytes` bytes of this process, to `copy`, which
/// has room for kFingerprintBytes. False: the memory cannot be read. (A system call copies it,
/// which fails then.)
bool copy_blocks(const void* data, std::size_t bytes, std::byte* copy) noexcept;
/// The fingerprint from the copy.
Digest fingerprint_of_copy(const std::byte* copy, std::size_t bytes) noexcept;

/// Adds the hash of all bytes, which is never 0, and `trivial` of all bytes.
void complete_digest(Digest& digest, const void* data, std::size_t bytes) noexcept;

}  // namespace ompdm::record
