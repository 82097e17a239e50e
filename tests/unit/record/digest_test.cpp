// Fingerprints and hashes of memory.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <vector>

#include "record/hashing.h"

namespace ompdm::record::digest_test {
namespace {

std::vector<unsigned char> noise(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  std::uint64_t state = 88172645463325252U;
  for (auto& byte : data) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<unsigned char>(state);
  }
  return data;
}

TEST(Digest, UpToAQuarterMebibyteTheFingerprintIsTheHash) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{8}, std::size_t{241}, std::size_t{4096}, kFingerprintBytes}) {
    const auto data = noise(bytes);
    const Digest digest = fingerprint_of(data.data(), bytes);
    EXPECT_EQ(digest.hash, XXH3_64bits(data.data(), bytes)) << bytes;
    EXPECT_EQ(digest.fingerprint, digest.hash) << bytes;
    EXPECT_EQ(digest.trivial, bytes == 1) << bytes;
  }
}

TEST(Digest, AFingerprintReadsBothEndsAndLeavesTheHashForLater) {
  const std::size_t bytes = 3 * kFingerprintBytes + 1234;
  auto data = noise(bytes);
  const Digest before = fingerprint_of(data.data(), bytes);
  EXPECT_EQ(before.hash, 0U);
  EXPECT_FALSE(before.trivial);
  for (const std::size_t at : {std::size_t{0}, bytes - 1}) {
    data[at] ^= 1U;
    EXPECT_NE(fingerprint_of(data.data(), bytes).fingerprint, before.fingerprint) << at;
    data[at] ^= 1U;
  }
  EXPECT_EQ(fingerprint_of(data.data(), bytes).fingerprint, before.fingerprint);
}

TEST(Digest, AChangeBetweenTheBlocksIsSeenByTheHashAlone) {
  const std::size_t bytes = 64 * kFingerprintBytes;
  auto data = noise(bytes);
  Digest before = fingerprint_of(data.data(), bytes);
  complete_digest(before, data.data(), bytes);
  EXPECT_EQ(before.hash, XXH3_64bits(data.data(), bytes));
  const std::size_t unread = kFingerprintBlock + 10;  // the second block begins at bytes / 63
  data[unread] ^= 1U;
  Digest after = fingerprint_of(data.data(), bytes);
  complete_digest(after, data.data(), bytes);
  EXPECT_EQ(after.fingerprint, before.fingerprint);
  EXPECT_NE(after.hash, before.hash);
}

TEST(Digest, ContentOfOneValueIsTrivial) {
  const std::size_t bytes = 64 * kFingerprintBytes;
  std::vector<unsigned char> data(bytes, 7);
  Digest digest = fingerprint_of(data.data(), bytes);
  EXPECT_TRUE(digest.trivial);
  complete_digest(digest, data.data(), bytes);
  EXPECT_TRUE(digest.trivial);

  data[kFingerprintBlock + 10] = 8;  // not in a block
  digest = fingerprint_of(data.data(), bytes);
  EXPECT_TRUE(digest.trivial) << "as far as was looked";
  complete_digest(digest, data.data(), bytes);
  EXPECT_FALSE(digest.trivial);

  // Each block is of one value, but not all of the same.
  std::memset(data.data() + bytes / 2, 9, bytes / 2);
  EXPECT_FALSE(fingerprint_of(data.data(), bytes).trivial);
}

}  // namespace
}  // namespace ompdm::record::digest_test
