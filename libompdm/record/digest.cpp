#include "record/digest.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::record {
namespace {

// 0 says that nothing was taken.
std::uint64_t taken(std::uint64_t value) noexcept { return value != 0 ? value : 1; }

bool all_equal(const unsigned char* data, std::size_t bytes) noexcept {
  return bytes != 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

}  // namespace

Digest fingerprint_of(const void* data, std::size_t bytes) noexcept {
  const auto* from = static_cast<const unsigned char*>(data);
  Digest digest;
  if (bytes <= kFingerprintBytes) {
    complete_digest(digest, data, bytes);
    digest.trivial = all_equal(from, bytes);
    digest.fingerprint = digest.hash;
    return digest;
  }
  // Block by block: XXH3's state for a stream would take a kilobyte of a stack that may have 16.
  std::uint64_t chain[2] = {};
  digest.trivial = true;
  const std::size_t stride = (bytes - kFingerprintBlock) / (kFingerprintBlocks - 1);
  for (std::size_t i = 0; i < kFingerprintBlocks; ++i) {
    const bool last = i == kFingerprintBlocks - 1;
    const unsigned char* block = from + (last ? bytes - kFingerprintBlock : i * stride);
    chain[1] = XXH3_64bits(block, kFingerprintBlock);
    chain[0] = XXH3_64bits(chain, sizeof(chain));
    digest.trivial = digest.trivial && *block == *from && all_equal(block, kFingerprintBlock);
  }
  digest.fingerprint = taken(chain[0]);
  return digest;
}

void complete_digest(Digest& digest, const void* data, std::size_t bytes) noexcept {
  digest.hash = taken(XXH3_64bits(data, bytes));
  if (digest.trivial) {
    digest.trivial = all_equal(static_cast<const unsigned char*>(data), bytes);
  }
}

}  // namespace ompdm::record
