#include "record/digest.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::record {
namespace {

// 0 says that nothing was taken.
std::uint64_t taken(std::uint64_t value) noexcept { return value != 0 ? value : 1; }

bool all_equal(const unsigned char* data, std::size_t bytes) noexcept {
  return bytes != 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

bool ignores_fills = false;
unsigned char fills[2];

// A chain of hashes of pieces, in which both fills are one byte.
void add_without_fills(const unsigned char* from, std::size_t bytes,
                       std::uint64_t (&chain)[2]) noexcept {
  unsigned char piece[512];
  for (std::size_t at = 0; at < bytes; at += sizeof(piece)) {
    const std::size_t size = bytes - at < sizeof(piece) ? bytes - at : sizeof(piece);
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned char byte = from[at + i];
      piece[i] = byte == fills[1] ? fills[0] : byte;
    }
    chain[1] = XXH3_64bits(piece, size);
    chain[0] = XXH3_64bits(chain, sizeof(chain));
  }
}

// Where a block begins.
std::size_t block_at(std::size_t block, std::size_t bytes) noexcept {
  const std::size_t stride = (bytes - kFingerprintBlock) / (kFingerprintBlocks - 1);
  return block == kFingerprintBlocks - 1 ? bytes - kFingerprintBlock : block * stride;
}

// `bytes` of the data, which has as many from `from` on, or is a copy of its blocks.
Digest fingerprint_of(const unsigned char* from, std::size_t bytes, bool is_copy) noexcept {
  Digest digest;
  if (bytes <= kFingerprintBytes) {
    complete_digest(digest, from, bytes);
    digest.trivial = all_equal(from, bytes);
    digest.fingerprint = digest.hash;
    if (ignores_fills) {
      std::uint64_t chain[2] = {};
      add_without_fills(from, bytes, chain);
      digest.fingerprint = taken(chain[0]);
    }
    return digest;
  }
  // Block by block: XXH3's state for a stream would take a kilobyte of a stack that may have 16.
  std::uint64_t chain[2] = {};
  digest.trivial = true;
  for (std::size_t i = 0; i < kFingerprintBlocks; ++i) {
    const unsigned char* block = from + (is_copy ? i * kFingerprintBlock : block_at(i, bytes));
    if (ignores_fills) {
      add_without_fills(block, kFingerprintBlock, chain);
    } else {
      chain[1] = XXH3_64bits(block, kFingerprintBlock);
      chain[0] = XXH3_64bits(chain, sizeof(chain));
    }
    digest.trivial = digest.trivial && *block == *from && all_equal(block, kFingerprintBlock);
  }
  digest.fingerprint = taken(chain[0]);
  return digest;
}

}  // namespace

void ignore_fills(unsigned char one, unsigned char other) noexcept {
  fills[0] = one;
  fills[1] = other;
  ignores_fills = true;
}

Digest fingerprint_of(const void* data, std::size_t bytes) noexcept {
  return fingerprint_of(static_cast<const unsigned char*>(data), bytes, false);
}

Digest fingerprint_of_copy(const std::byte* copy, std::size_t bytes) noexcept {
  return fingerprint_of(reinterpret_cast<const unsigned char*>(copy), bytes, true);
}

bool copy_blocks(const void* data, std::size_t bytes, std::byte* copy) noexcept {
  const bool is_whole = bytes <= kFingerprintBytes;
  iovec from[kFingerprintBlocks];
  auto* at = static_cast<unsigned char*>(const_cast<void*>(data));
  if (is_whole) {
    from[0] = {at, bytes};
  } else {
    for (std::size_t i = 0; i < kFingerprintBlocks; ++i) {
      from[i] = {at + block_at(i, bytes), kFingerprintBlock};
    }
  }
  const iovec to{copy, is_whole ? bytes : kFingerprintBytes};
  const auto read = process_vm_readv(getpid(), &to, 1, from, is_whole ? 1 : kFingerprintBlocks, 0);
  return read == static_cast<ssize_t>(to.iov_len);
}

void complete_digest(Digest& digest, const void* data, std::size_t bytes) noexcept {
  digest.hash = taken(XXH3_64bits(data, bytes));
  if (digest.trivial) {
    digest.trivial = all_equal(static_cast<const unsigned char*>(data), bytes);
  }
}

}  // namespace ompdm::record
