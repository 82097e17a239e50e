// A spool made by hand: records appended to lanes as a recorder would commit them, and written as
// one file. For tests of the reader only; shares nothing with the recorder but format.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "spool/definitions.h"
#include "spool/events.h"
#include "spool/format.h"

namespace ompdm::test {

/// One lane's chunk under construction.
class LaneBuilder {
 public:
  explicit LaneBuilder(std::uint32_t number, std::uint32_t sequence = 0) {
    header_.magic = spool::kChunkMagic;
    header_.lane = spool::LaneId{number};
    header_.sequence = sequence;
  }

  /// Appends a record: fixed part, then `tail`, padded to 8 bytes. Sets the head.
  template <class T>
  LaneBuilder& add(spool::Tag tag, T fixed, std::string_view tail = {}, std::uint8_t flags = 0) {
    const std::size_t size = (sizeof(T) + tail.size() + 7) / 8 * 8;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    fixed.head = {static_cast<std::uint8_t>(tag), flags, static_cast<std::uint16_t>(size / 8)};
    std::memcpy(bytes_.data() + at, &fixed, sizeof(T));
    if (!tail.empty()) std::memcpy(bytes_.data() + at + sizeof(T), tail.data(), tail.size());
    return *this;
  }
  LaneBuilder& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  LaneBuilder& thread(std::uint32_t tid);
  LaneBuilder& module(std::uint32_t id, const std::string& path, std::uint64_t bias,
                      const std::string& build_id = {}, std::uint64_t size = 0);
  struct SiteText {
    std::string psource;
    std::vector<std::string> names;
  };
  LaneBuilder& site(std::uint32_t id, spool::Entry entry, std::uint64_t codeptr,
                    const SiteText& text = {}, std::uint64_t kernel = 0, std::uint32_t module = 0);
  LaneBuilder& map_list(std::uint32_t id, std::uint32_t site,
                        const std::vector<spool::MapItem>& items);
  LaneBuilder& region(std::uint32_t id, std::uint32_t site, std::uint8_t kind, std::uint64_t begin,
                      std::uint64_t end, std::uint32_t map_list = 0, std::int32_t device = 0);
  /// In a region; `api_op` is for calls outside any.
  LaneBuilder& op(std::uint32_t region, spool::DataOp op);
  LaneBuilder& api_op(std::uint32_t site, spool::DataOp op);
  LaneBuilder& launch(spool::Launch launch);
  LaneBuilder& symbol(std::uint64_t address, std::uint64_t size, const std::string& name,
                      std::uint32_t module = 0);
  LaneBuilder& device(std::int32_t number, const std::string& type, std::uint64_t ticks = 1);

  /// Chunk header and records, `free_bytes` of zeros behind them.
  [[nodiscard]] std::string bytes(std::size_t free_bytes = 256) const;
  spool::ChunkHeader header_{};

 private:
  std::string bytes_;
};

/// A file header as a recorder on CLOCK_MONOTONIC would have written it: ticks are nanoseconds
/// since attach + 1000.
spool::FileHeader plain_header();

/// Ticks of `nanoseconds` after attach in a spool with a plain header.
constexpr std::uint64_t tick(std::uint64_t nanoseconds) { return nanoseconds + 1000; }

/// The bytes of a whole spool.
std::string spool_bytes(const spool::FileHeader& header, const std::vector<LaneBuilder>& chunks);

/// Writes a file into a folder of this test's own and returns its path.
std::filesystem::path write_file(const std::string& name, const std::string& bytes);

/// A spool of one region, written as write_file does.
std::filesystem::path spool_of(const std::string& name,
                               const spool::FileHeader& header = plain_header());

/// Operations by what OMPT reports: host 4, device 0.
spool::DataOp alloc(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                    std::uint64_t bytes);
spool::DataOp to_device(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                        std::uint64_t bytes);
spool::DataOp from_device(std::uint64_t at, std::uint64_t device, std::uint64_t host,
                          std::uint64_t bytes);
spool::DataOp free_on_device(std::uint64_t at, std::uint64_t device);
/// The same operation, told to be about a map item: 1 + its position.
inline spool::DataOp argument(spool::DataOp op, std::uint16_t argument) {
  op.argument = argument;
  return op;
}

}  // namespace ompdm::test
