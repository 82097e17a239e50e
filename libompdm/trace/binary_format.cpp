#include "trace/binary_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::binary {

std::uint64_t checksum_of(const BlockHeader& header, std::uint64_t number, std::string_view bytes) {
  const std::uint64_t seed = (number << 32) + static_cast<std::uint32_t>(header.kind);
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace ompdm::binary
