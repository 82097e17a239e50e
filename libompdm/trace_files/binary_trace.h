// trace.ompdm: rows in columns of variable-length numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/trace_io.h"

namespace ompdm::binary {

static_assert(std::endian::native == std::endian::little, "the file is written as memory has it");

/// What every version begins with, followed by its number and four bytes of 0.
inline constexpr std::string_view kMagic = "OMPDMTR\n";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kOpeningSize = 16;

/// What a block holds. Blocks of other kinds are passed over.
enum class BlockKind : std::uint32_t {
  kEnd = 1,   ///< the last one, empty: without it the file was cut short
  kMetadata,  ///< a piece of trace.json's text up to its events
  kRegions,   ///< whole rows, as of each kind below
  kOps,
  kLaunches,
  kActivities,
  kSynchronizations,
};

/// Stands before each block.
struct BlockHeader {
  BlockKind kind = BlockKind::kEnd;
  std::uint32_t size = 0;  ///< bytes that follow
  /// XXH3-64 of them, seeded with kind + 2^32 times the block's number.
  std::uint64_t checksum = 0;
};
static_assert(sizeof(BlockHeader) == 16 && std::is_trivially_copyable_v<BlockHeader>);

/// Of a block, `number` from 0. Blocks that changed places have another.
std::uint64_t checksum_of(const BlockHeader& header, std::uint64_t number, std::string_view bytes);

/// A block is ended by the first row that leads beyond this.
inline constexpr std::size_t kFullBlock = std::size_t{1} << 20;
/// No row takes more.
inline constexpr std::size_t kLargestRow = 512;
/// No block is larger; a larger one can only come from a file that is not ours.
inline constexpr std::size_t kLargestBlock = kFullBlock + kLargestRow;

}  // namespace ompdm::binary

namespace ompdm {

/// Whether a file of this name is written as trace.ompdm is: it ends in .ompdm or .ompdm.gz.
bool is_binary_name(const std::filesystem::path& name);

/// Whether a file that begins so, with 8 bytes at least, is one, of whatever version.
bool is_binary_beginning(std::string_view bytes);

/// Writes a trace whose references exist, and closes the sink. Throws Error.
void write_binary_trace(const Trace& trace, ByteSink& sink);

/// Reads such a trace, from its first byte on, as read_json_trace() does. A file that was cut
/// short, is damaged or newer throws Error.
Trace read_binary_trace(ByteSource& source, const std::string& name, std::uint64_t size);

/// Such a trace without its events: of its file no more than the metadata is read. Throws Error.
Trace read_binary_head(ByteSource& source, const std::string& name);

}  // namespace ompdm
