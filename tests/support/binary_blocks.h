// The blocks of a trace.ompdm taken apart and put together with right checksums, for tests of what
// the checksums do not find.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/memory_stream.h"
#include "trace_files/binary_trace.h"

namespace ompdm::test {

struct Block {
  binary::BlockKind kind;
  std::string bytes;
};

inline std::string binary_of(const Trace& trace) {
  MemorySink sink;
  write_binary_trace(trace, sink);
  return sink.text;
}

inline std::string opening_of(std::uint32_t version) {
  std::string opening(binary::kMagic);
  opening.resize(binary::kOpeningSize, '\0');
  std::memcpy(opening.data() + binary::kMagic.size(), &version, sizeof(version));
  return opening;
}

inline std::string file_of(const std::vector<Block>& blocks) {
  std::string file = opening_of(binary::kVersion);
  std::uint64_t number = 0;
  for (const Block& block : blocks) {
    binary::BlockHeader header{block.kind, static_cast<std::uint32_t>(block.bytes.size()), 0};
    header.checksum = binary::checksum_of(header, number++, block.bytes);
    file.append(reinterpret_cast<const char*>(&header), sizeof(header));
    file += block.bytes;
  }
  return file;
}

inline std::vector<Block> blocks_of(std::string_view file) {
  std::vector<Block> blocks;
  file.remove_prefix(binary::kOpeningSize);
  while (file.size() >= sizeof(binary::BlockHeader)) {
    binary::BlockHeader header;
    std::memcpy(&header, file.data(), sizeof(header));
    file.remove_prefix(sizeof(header));
    blocks.push_back({header.kind, std::string(file.substr(0, header.size))});
    file.remove_prefix(header.size);
  }
  return blocks;
}

}  // namespace ompdm::test
