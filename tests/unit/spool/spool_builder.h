// A spool made by hand: records appended to thread buffers as a recorder would commit them, and
// written as one file. For tests of the reader only; shares nothing with the recorder but format.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spool_format/definitions.h"
#include "spool_format/format.h"
#include "spool_format/stream.h"

namespace ompdm::test {

/// An operation as OMPT told of it; times in ticks.
struct Operation {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t src = 0;
  std::uint64_t dst = 0;
  std::uint64_t bytes = 0;
  std::int32_t src_device = 0;
  std::int32_t dst_device = 0;
  std::uint16_t optype = 0;
  std::uint16_t argument = 0;  ///< 1 + the position of the map item that it is about
  spool::CallId api_call = spool::CallId::kNone;
};

/// A kernel launch; times in ticks, end 0: it runs.
struct Submit {
  std::uint32_t region = 0;  ///< 0: none
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t kernel = 0;
  std::uint64_t trip_count = 0;
  std::uint32_t requested_teams = 0;
  std::uint32_t num_teams = 0;
  std::uint32_t thread_limit = 0;
};

/// One thread buffer's chunk under construction. Regions nest as their times do: one ends before
/// the next one that begins later, and before what is another one's.
class BufferBuilder {
 public:
  explicit BufferBuilder(std::uint32_t number, std::uint32_t sequence = 0) {
    header_.magic = spool::kChunkMagic;
    header_.buffer = spool::BufferId{number};
    header_.sequence = sequence;
  }

  /// Appends a record: fixed part, then `tail`, padded to 8 bytes. Sets the head.
  template <class T>
  BufferBuilder& add(spool::Tag tag, T fixed, std::string_view tail = {}, std::uint8_t flags = 0) {
    const std::size_t size = (sizeof(T) + tail.size() + 7) / 8 * 8;
    std::string bytes(size, '\0');
    fixed.head = {static_cast<std::uint8_t>(tag), flags, static_cast<std::uint16_t>(size / 8)};
    std::memcpy(bytes.data(), &fixed, sizeof(T));
    if (!tail.empty()) std::memcpy(bytes.data() + sizeof(T), tail.data(), tail.size());
    return record(std::move(bytes));
  }
  /// Whatever it is.
  BufferBuilder& raw(std::string_view bytes);

  BufferBuilder& thread(std::uint32_t tid);
  BufferBuilder& module(std::uint32_t id, const std::string& path, std::uint64_t bias,
                        const std::string& build_id = {}, std::uint64_t size = 0);
  struct SiteText {
    std::string psource;
    std::vector<std::string> names;
  };
  BufferBuilder& site(std::uint32_t id, spool::Entry entry, std::uint64_t codeptr,
                      const SiteText& text = {}, std::uint64_t kernel = 0,
                      std::uint32_t module = 0);
  /// Of regions that name it.
  BufferBuilder& map_list(std::uint32_t id, const std::vector<spool::MapItem>& items);
  BufferBuilder& region(std::uint32_t id, std::uint32_t site, std::uint8_t kind,
                        std::uint64_t begin, std::uint64_t end, std::uint32_t map_list = 0,
                        std::int32_t device = 0, std::uint32_t path = 0);
  /// Ends the innermost region of those that are not known to end.
  BufferBuilder& end(std::uint64_t at);
  /// In a region; `api_op` is for calls outside any.
  BufferBuilder& op(std::uint32_t region, Operation op);
  BufferBuilder& api_op(std::uint32_t site, Operation op, std::uint32_t path = 0);
  /// What the last operation carried.
  BufferBuilder& content(std::uint64_t fingerprint, std::uint64_t hash, std::uint64_t ticks,
                         std::uint64_t flags = 0);
  BufferBuilder& launch(Submit submit);
  /// Leaves what is open to the thread buffer's next chunk.
  BufferBuilder& goes_on() {
    goes_on_ = true;
    return *this;
  }
  BufferBuilder& symbol(std::uint64_t address, std::uint64_t size, const std::string& name,
                        std::uint32_t module = 0);
  BufferBuilder& device(std::int32_t number, const std::string& type, std::uint64_t ticks = 1);

  /// Chunk header and records, `free_bytes` of zeros behind them.
  [[nodiscard]] std::string bytes(std::size_t free_bytes = 256) const;
  spool::ChunkHeader header_{};

 private:
  struct Step {
    enum class Kind : std::uint8_t { kRecord, kRaw, kRegion, kEnd, kOp, kApiOp, kContent, kLaunch };
    Kind kind = Kind::kRaw;
    std::string bytes;
    std::uint32_t region = 0;  ///< its own, or that it belongs to
    std::uint32_t list = 0;
    std::uint64_t end = 0;
    spool::ContextFields context{};
    std::uint64_t begin = 0;
    Operation op;
    std::uint32_t site = 0;
    std::uint32_t path = 0;
    spool::ContentFields content{};
    Submit submit;
  };
  friend class Encoder;

  BufferBuilder& record(std::string bytes);

  std::vector<Step> steps_;
  std::map<std::uint32_t, std::vector<spool::MapItem>> lists_;
  bool goes_on_ = false;
};

/// A file header as a recorder on CLOCK_MONOTONIC would have written it: ticks are nanoseconds
/// since attach + 1000.
spool::FileHeader plain_header();

/// Ticks of `nanoseconds` after attach in a spool with a plain header.
constexpr std::uint64_t tick(std::uint64_t nanoseconds) { return nanoseconds + 1000; }

/// The bytes of a whole spool.
std::string spool_bytes(const spool::FileHeader& header, const std::vector<BufferBuilder>& chunks);

/// Writes a file into a folder of this test's own and returns its path.
std::filesystem::path write_file(const std::string& name, const std::string& bytes);

/// A spool of one region, written as write_file does.
std::filesystem::path spool_of(const std::string& name,
                               const spool::FileHeader& header = plain_header());

/// Operations by what OMPT reports: host 4, device 0.
Operation alloc(std::uint64_t at, std::uint64_t host, std::uint64_t device, std::uint64_t bytes);
Operation to_device(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                    std::uint64_t bytes);
Operation from_device(std::uint64_t at, std::uint64_t device, std::uint64_t host,
                      std::uint64_t bytes);
Operation free_on_device(std::uint64_t at, std::uint64_t device);
/// The same operation, told to be about a map item: 1 + its position.
inline Operation argument(Operation op, std::uint16_t argument) {
  op.argument = argument;
  return op;
}

}  // namespace ompdm::test
