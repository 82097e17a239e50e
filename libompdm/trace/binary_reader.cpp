#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "ompdm/error.h"
#include "trace/binary_format.h"
#include "trace/binary_rows.h"
#include "trace/binary_trace.h"
#include "trace/malformed_line.h"
#include "trace/trace_metadata.h"
#include "trace/trace_references.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

using namespace binary;

constexpr std::string_view kRemedy = "copy it again or record the program again";

// A row takes at least this much of a file that is not compressed.
constexpr std::uint64_t kSmallestRow = 3;
constexpr std::uint64_t kSmallestFullRow = 8;

std::size_t read_all(ByteSource& source, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t got = source.read(to + done, size - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

/// Blocks one after the other, each whole and as it was written.
class BlockReader {
 public:
  explicit BlockReader(ByteSource& source) : source_(source), bytes_(kLargestBlock, '\0') {}

  /// The next block, `bytes()` of it valid until the next call. Throws DamagedBlock.
  BlockKind next() {
    char raw[sizeof(BlockHeader)];
    BlockHeader header;
    if (read_all(source_, raw, sizeof(raw)) < sizeof(raw)) fail_cut();
    std::memcpy(&header, raw, sizeof(header));
    if (header.size > kLargestBlock) throw DamagedBlock("a block is larger than any");
    if (read_all(source_, bytes_.data(), header.size) < header.size) fail_cut();
    size_ = header.size;
    if (checksum_of(header, number_, bytes()) != header.checksum) {
      throw DamagedBlock(fmt::format("the checksum of block {} is another", number_));
    }
    ++number_;
    return header.kind;
  }
  [[nodiscard]] std::string_view bytes() const { return {bytes_.data(), size_}; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  [[noreturn]] void fail_cut() {
    cut_ = true;
    throw DamagedBlock("it ends within a block");
  }

  ByteSource& source_;
  std::string bytes_;
  std::size_t size_ = 0;
  std::uint64_t number_ = 0;
  bool cut_ = false;
};

/// The text of the metadata's blocks; ends with the first of another kind.
class MetadataSource final : public ByteSource {
 public:
  explicit MetadataSource(BlockReader& blocks) : blocks_(blocks) {}
  std::size_t read(char* buffer, std::size_t size) override {
    while (rest_.empty()) {
      if (after_) return 0;
      const BlockKind kind = blocks_.next();
      if (kind == BlockKind::kMetadata) {
        rest_ = blocks_.bytes();
      } else {
        after_ = kind;
      }
    }
    const std::size_t count = std::min(size, rest_.size());
    std::memcpy(buffer, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }
  /// The kind of the block behind it, which is read already.
  [[nodiscard]] std::optional<BlockKind> after() const { return after_; }
  [[nodiscard]] bool exhausted() const { return rest_.empty(); }

 private:
  BlockReader& blocks_;
  std::string_view rest_;
  std::optional<BlockKind> after_;
};

class Reader {
 public:
  Reader(ByteSource& source, const std::string& name, std::uint64_t size)
      : source_(source), name_(name), size_(size), blocks_(source) {
    trace_.file = name;
  }

  Trace read() && {
    read_opening();
    unless_damaged([&] {
      read_events(read_metadata());
      check_counts();
    });
    const std::string broken = find_broken_reference(trace_);
    if (!broken.empty()) fail(fmt::format("is damaged ({})", broken), kRemedy);
    return std::move(trace_);
  }

  Trace read_head() && {
    read_opening();
    unless_damaged([&] { read_metadata(); });
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) {
    throw Error(fmt::format("{}: {}: {}", name_, what, remedy));
  }

  template <class Read>
  void unless_damaged(Read read) {
    try {
      read();
    } catch (const DamagedBlock& damaged) {
      if (blocks_.cut()) fail("is cut short", kRemedy);
      fail(fmt::format("is damaged ({})", damaged.what()), kRemedy);
    } catch (const MalformedLine& malformed) {
      fail(fmt::format("is damaged ({})", malformed.what()), kRemedy);
    }
  }

  void read_opening() {
    char opening[kOpeningSize];
    if (read_all(source_, opening, sizeof(opening)) < sizeof(opening))
      fail("is cut short", kRemedy);
    if (!is_binary_beginning({opening, sizeof(opening)})) {
      fail("is no trace of ompdm", "name a file that ompdm recorded");
    }
    std::uint32_t version = 0;
    std::memcpy(&version, opening + kMagic.size(), sizeof(version));
    if (version > kVersion) {
      fail(fmt::format("has version {} of the format of long runs, this ompdm reads up to {}",
                       version, kVersion),
           "use the ompdm that recorded it, or a newer one");
    }
  }

  /// The kind of the block behind it.
  BlockKind read_metadata() {
    MetadataSource text(blocks_);
    LineReader lines(text, trace_schema::kMaxLine);
    MetadataReader metadata(trace_);
    std::string_view line;
    if (!lines.next(line) || !line.starts_with(trace_schema::kOpening)) {
      throw DamagedBlock("it does not begin with its metadata");
    }
    bool is_whole = false;
    while (!is_whole && lines.next(line)) {
      if (lines.too_long()) throw DamagedBlock("a line is longer than any of a trace");
      is_whole = lines.ended() && metadata.read_line(line);
    }
    // The reader of lines may not have asked for what comes behind the last one.
    char none = 0;
    const bool has_more = !is_whole || lines.next(line) || text.read(&none, 1) != 0;
    const auto after = text.after();
    if (has_more || !after) throw DamagedBlock("its metadata is not whole");
    counts_ = metadata.counts();
    const std::uint64_t most = size_ / kSmallestRow;
    trace_.regions.reserve(std::min(counts_.regions, most));
    trace_.ops.reserve(std::min(counts_.ops, most));
    trace_.launches.reserve(std::min(counts_.launches, most));
    trace_.activities.reserve(std::min(counts_.activities, size_ / kSmallestFullRow));
    trace_.synchronizations.reserve(std::min(counts_.synchronizations, size_ / kSmallestFullRow));
    return *after;
  }

  void read_events(BlockKind kind) {
    RunsReader<Region> regions(trace_.regions);
    RunsReader<DataOp> ops(trace_.ops);
    RunsReader<Launch> launches(trace_.launches);
    VectorReader<DeviceActivity> activities(trace_.activities);
    VectorReader<Synchronization> synchronizations(trace_.synchronizations);
    for (; kind != BlockKind::kEnd; kind = blocks_.next()) {
      const std::string_view bytes = blocks_.bytes();
      if (kind == BlockKind::kMetadata) throw DamagedBlock("its metadata is not in one place");
      if (kind == BlockKind::kRegions) regions.take_rows(bytes);
      if (kind == BlockKind::kOps) ops.take_rows(bytes);
      if (kind == BlockKind::kLaunches) launches.take_rows(bytes);
      if (kind == BlockKind::kActivities) activities.take_rows(bytes);
      if (kind == BlockKind::kSynchronizations) synchronizations.take_rows(bytes);
    }
    char more = 0;
    if (source_.read(&more, 1) != 0) throw DamagedBlock("it goes on behind its end");
  }

  void check_counts() const {
    const bool all = trace_.regions.size() == counts_.regions && trace_.ops.size() == counts_.ops &&
                     trace_.launches.size() == counts_.launches &&
                     trace_.activities.size() == counts_.activities &&
                     trace_.synchronizations.size() == counts_.synchronizations;
    if (!all) throw DamagedBlock("it has not as many rows as it says");
  }

  ByteSource& source_;
  const std::string& name_;
  std::uint64_t size_;
  BlockReader blocks_;
  MetadataReader::Counts counts_;
  Trace trace_;
};

}  // namespace

Trace read_binary_trace(ByteSource& source, const std::string& name, std::uint64_t size) {
  return Reader(source, name, size).read();
}

Trace read_binary_head(ByteSource& source, const std::string& name) {
  return Reader(source, name, 0).read_head();
}

}  // namespace ompdm
