// Transfers of buffers through the fake runtime, and what the recorder should have seen in them.
// For tests only.
#pragma once

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/recording.h"

namespace ompdm::test {

inline constexpr int kTarget = 1;
inline constexpr int kUpdate = 4;
inline const void* const kSite = address(0x1000);
inline const void* const kThere = address(0x9000);
using Environment = std::map<std::string, std::string>;
/// With the budget that holds unless told otherwise, and without any (recording.h turns contents
/// off).
inline const Environment kDefault = {{"OMPDM_HASH", ""}};
inline const Environment kFull = {{"OMPDM_HASH", "full"}};
using Buffer = std::vector<std::uint64_t>;

inline std::size_t bytes_of(const Buffer& buffer) { return buffer.size() * sizeof(buffer[0]); }
inline std::uint64_t hash_of(const Buffer& buffer) {
  return XXH3_64bits(buffer.data(), bytes_of(buffer));
}

/// Numbers from `first` on.
inline Buffer numbers(std::size_t bytes, std::uint64_t first = 1) {
  Buffer buffer(bytes / sizeof(std::uint64_t));
  for (auto& number : buffer) {
    number = first++;
  }
  return buffer;
}

/// To a device, in the region that runs or in none.
inline void send(const Buffer& buffer, int device = 0, const void* codeptr = kSite) {
  FakeRuntime::op(2, buffer.data(), kHost, kThere, device, bytes_of(buffer), codeptr);
}

/// Back from a device.
inline void fetch(const Buffer& buffer, int device = 0, const void* codeptr = kSite) {
  FakeRuntime::op(3, kThere, device, buffer.data(), kHost, bytes_of(buffer), codeptr);
}

/// A `target update to`.
inline void update_to(const Buffer& buffer, const void* codeptr = kSite) {
  FakeRuntime::begin(kUpdate, 0, codeptr);
  send(buffer, 0, codeptr);
  FakeRuntime::end(kUpdate, 0, codeptr);
}

/// Positions of the operations whose contents were hashed at, none of them twice.
inline std::vector<std::size_t> examined(const Recorded& recorded) {
  const auto& rows = recorded.trace.ops;
  std::vector<std::size_t> ops;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].fingerprint != 0) {
      ops.push_back(i);
    }
  }
  EXPECT_EQ(ops.size(), recorded.count(spool::Event::kContent));
  return ops;
}

}  // namespace ompdm::test
