#include "trace_files/binary_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ompdm/error.h"
#include "spool_format/stream.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_metadata.h"
#include "trace_files/trace_schema.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm {

std::uint64_t binary::checksum_of(const BlockHeader& header, std::uint64_t number,
                                  std::string_view bytes) {
  const std::uint64_t seed = (number << 32) + static_cast<std::uint32_t>(header.kind);
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

namespace {

using namespace binary;
using spool::from_zigzag;
using spool::zigzag;

constexpr std::size_t kLongestVarint = 10;

/// Writes to `at`, where kLongestVarint bytes must be; the place behind it.
inline char* put_varint(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

/// Takes one from the front of `bytes`. False, with `value` undefined, if none is there.
inline bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kLongestVarint; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

/// The position of a field in one of a row's two lists, FieldRule::shape or FieldRule::rare.
using Position = int FieldRule::*;

/// A bit for each position that a field of Row has.
template <class Row, Position kPosition>
consteval std::uint64_t positions_of() {
  std::uint64_t positions = 0;
  const Row row;
  fields(
      [&](std::string_view, const auto&, FieldRule rule = {}) {
        if (rule.*kPosition < 0) return;
        const std::uint64_t bit = std::uint64_t{1} << (rule.*kPosition);
        positions = (positions & bit) != 0 ? ~std::uint64_t{0} : positions | bit;
      },
      row);
  return positions;
}

/// How many fields are in a list of Row.
template <class Row, Position kPosition>
constexpr std::size_t kFieldCount = [] {
  constexpr std::uint64_t kPositions = positions_of<Row, kPosition>();
  static_assert((kPositions & (kPositions + 1)) == 0 && kPositions != ~std::uint64_t{0},
                "each position is taken once, from 0 on");
  return static_cast<std::size_t>(std::popcount(kPositions));
}();

/// A field as an unsigned integer: signed ones as zigzag, references + 1, so that none is 0.
template <class Field>
std::uint64_t to_number(const Field& field) {
  if constexpr (requires { field.value; }) {
    return static_cast<std::uint32_t>(field.value + 1);
  } else if constexpr (std::is_signed_v<Field>) {
    return zigzag(static_cast<std::uint64_t>(std::int64_t{field}));
  } else {
    return static_cast<std::uint64_t>(field);
  }
}

/// The inverse. False for numbers that no value of the field gives.
template <class Field>
bool from_number(std::uint64_t number, Field& field) {
  if constexpr (requires { field.value; }) {
    field.value = static_cast<std::uint32_t>(number) - 1;
    return number <= std::numeric_limits<std::uint32_t>::max();
  } else if constexpr (std::is_enum_v<Field>) {
    constexpr std::size_t kCount = trace_schema::kWords<Field>.size();
    field = static_cast<Field>(number < kCount ? number : 0);
    return number < kCount;
  } else if constexpr (std::is_same_v<Field, bool>) {
    field = number == 1;
    return number <= 1;
  } else if constexpr (std::is_signed_v<Field>) {
    const auto value = static_cast<std::int64_t>(from_zigzag(number));
    field = static_cast<Field>(value);
    return field == value;
  } else {
    field = static_cast<Field>(number);
    return field == number;
  }
}

inline std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  if (!take_varint(bytes, number)) throw MalformedLine("a row ends within a number");
  return number;
}

inline std::uint64_t take_difference(std::string_view& bytes) {
  return from_zigzag(take_number(bytes));
}

/// `last`: the begin of the row before.
template <class Row>
void take_times(std::string_view& bytes, std::uint64_t& last, Row& row) {
  last += take_difference(bytes);
  row.begin = static_cast<Nanoseconds>(last);
  row.end = static_cast<Nanoseconds>(last + take_difference(bytes));
}

/// Fields that this version does not know are passed over, those that an older one did not write
/// keep their values.
template <Position kPosition, class Row>
void take_fields(std::string_view& bytes, Row& row) {
  constexpr std::size_t kKnown = kFieldCount<Row, kPosition>;
  std::array<std::uint64_t, kKnown + 1> numbers{};
  const std::uint64_t count = take_number(bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers[std::min<std::uint64_t>(i, kKnown)] = take_number(bytes);
  }
  fields(
      [&](std::string_view, auto& field, FieldRule rule = {}) {
        const auto position = static_cast<std::size_t>(rule.*kPosition);
        if (position >= count || position >= kKnown) return;
        if (!from_number(numbers[position], field)) {
          throw MalformedLine("a field has no value that makes sense");
        }
      },
      row);
}

/// Reads the rows of one kind, which come block after block, into a column of Runs.
template <class Row>
class RunsReader {
 public:
  explicit RunsReader(DedupColumn<Row>& runs) : runs_(runs) {}

  void take_rows(std::string_view bytes) {
    while (!bytes.empty()) take_row(bytes);
  }

 private:
  void take_row(std::string_view& bytes) {
    const std::uint64_t head = take_number(bytes);
    const std::uint64_t shape = head >> 1;
    if (shape > first_rows_.size()) throw MalformedLine("a row is like none before it");
    Row row;
    const bool is_new = shape == first_rows_.size();
    if (is_new) take_fields<&FieldRule::shape>(bytes, row);
    take_times(bytes, begin_, row);
    Index<Region> region;
    if constexpr (requires { row.region; }) {
      region_ += take_difference(bytes);
      if (!from_number(region_, region)) throw MalformedLine("a row is of no region");
      row.region = region;
    }
    if (is_new) {
      if (runs_.size() >= Index<Row>::kNone) throw MalformedLine("it has too many rows");
      first_rows_.push_back(static_cast<std::uint32_t>(runs_.size()));
      runs_.push_back(row);
    } else {
      runs_.repeat(first_rows_[shape], row.begin, row.end, region.value);
    }
    if ((head & 1) != 0) take_rare(bytes);
  }

  void take_rare(std::string_view& bytes) {
    Row row;
    take_fields<&FieldRule::rare>(bytes, row);
    runs_.rare_of(runs_.size() - 1) = row;
  }

  DedupColumn<Row>& runs_;
  std::vector<std::uint32_t> first_rows_;  // by shape of the file
  std::uint64_t begin_ = 0;
  std::uint64_t region_ = 0;
};

/// The same of rows that are told in full.
template <class Row>
class VectorReader {
 public:
  explicit VectorReader(std::vector<Row>& rows) : rows_(rows) {}

  void take_rows(std::string_view bytes) {
    while (!bytes.empty()) {
      Row& row = rows_.emplace_back();
      take_times(bytes, begin_, row);
      take_fields<&FieldRule::shape>(bytes, row);
    }
  }

 private:
  std::vector<Row>& rows_;
  std::uint64_t begin_ = 0;
};

// A row takes at least this much of a file that is not compressed.
constexpr std::uint64_t kSmallestRow = 3;
constexpr std::uint64_t kSmallestFullRow = 8;

/// Blocks one after the other, each whole and as it was written.
class BlockReader {
 public:
  explicit BlockReader(ByteSource& source) : source_(source), bytes_(kLargestBlock, '\0') {}

  /// The next block, `bytes()` of it valid until the next call. Throws MalformedLine.
  BlockKind next() {
    char raw[sizeof(BlockHeader)];
    BlockHeader header;
    if (read_fully(source_, raw, sizeof(raw)) < sizeof(raw)) fail_cut();
    std::memcpy(&header, raw, sizeof(header));
    if (header.size > kLargestBlock) throw MalformedLine("a block is larger than any");
    if (read_fully(source_, bytes_.data(), header.size) < header.size) fail_cut();
    size_ = header.size;
    if (checksum_of(header, number_, bytes()) != header.checksum) {
      throw MalformedLine(fmt::format("the checksum of block {} is another", number_));
    }
    ++number_;
    return header.kind;
  }
  [[nodiscard]] std::string_view bytes() const { return {bytes_.data(), size_}; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  [[noreturn]] void fail_cut() {
    cut_ = true;
    throw MalformedLine("it ends within a block");
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

class BinaryReader {
 public:
  BinaryReader(ByteSource& source, const std::string& name, std::uint64_t size)
      : source_(source), name_(name), size_(size), blocks_(source) {
    trace_.file = name;
  }

  Trace read() && {
    read_opening();
    unless_damaged([&] {
      read_events(read_metadata());
      check_counts();
    });
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
    } catch (const MalformedLine& damaged) {
      if (blocks_.cut()) fail("is cut short", kCopyAgain);
      fail(fmt::format("is damaged ({})", damaged.what()), kCopyAgain);
    }
  }

  void read_opening() {
    char opening[kOpeningSize];
    if (read_fully(source_, opening, sizeof(opening)) < sizeof(opening))
      fail("is cut short", kCopyAgain);
    if (!is_binary_beginning({opening, sizeof(opening)})) {
      fail("is not a trace of ompdm", "name a file that ompdm recorded");
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
      throw MalformedLine("it does not begin with its metadata");
    }
    bool is_whole = false;
    while (!is_whole && lines.next(line)) {
      if (lines.too_long()) throw MalformedLine("a line is longer than any of a trace");
      is_whole = lines.ended() && metadata.read_line(line);
    }
    // The reader of lines may not have asked for what comes behind the last one.
    char none = 0;
    const bool has_more = !is_whole || lines.next(line) || text.read(&none, 1) != 0;
    const auto after = text.after();
    if (has_more || !after) throw MalformedLine("its metadata is not whole");
    counts_ = metadata.counts();
    metadata.reserve(size_ / kSmallestRow, size_ / kSmallestFullRow);
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
      if (kind == BlockKind::kMetadata) throw MalformedLine("its metadata is not in one place");
      if (kind == BlockKind::kRegions) regions.take_rows(bytes);
      if (kind == BlockKind::kOps) ops.take_rows(bytes);
      if (kind == BlockKind::kLaunches) launches.take_rows(bytes);
      if (kind == BlockKind::kActivities) activities.take_rows(bytes);
      if (kind == BlockKind::kSynchronizations) synchronizations.take_rows(bytes);
    }
    char more = 0;
    if (source_.read(&more, 1) != 0) throw MalformedLine("it goes on behind its end");
  }

  void check_counts() const {
    if (counts_of(trace_) != counts_) throw MalformedLine("it has not as many rows as it says");
  }

  ByteSource& source_;
  const std::string& name_;
  std::uint64_t size_;
  BlockReader blocks_;
  EventCounts counts_;
  Trace trace_;
};

class BlockWriter final : public ByteSink {
 public:
  explicit BlockWriter(ByteSink& sink) : sink_(sink), block_(kLargestBlock, '\0') {
    std::string opening(kMagic);
    opening.resize(kOpeningSize, '\0');
    std::memcpy(opening.data() + kMagic.size(), &kVersion, sizeof(kVersion));
    sink_.write(opening);
  }

  /// The metadata's text, cut anywhere.
  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kFullBlock);
      put_block(BlockKind::kMetadata, piece);
      bytes.remove_prefix(piece.size());
    }
  }
  void close() override { put_block(BlockKind::kEnd, {}); }

  template <class Row>
  void rows(BlockKind kind, const DedupColumn<Row>& runs) {
    // In the file shapes are numbered by the first rows that have them.
    constexpr std::uint32_t kNew = ~std::uint32_t{0};
    std::vector<std::uint32_t> numbers(runs.shape_count(), kNew);
    std::uint64_t known = 0;
    std::uint64_t last_begin = 0;
    std::uint64_t last_region = 0;
    char* at = block_.data();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::uint32_t shape = runs.shape_of(i);
      const bool is_new = numbers[shape] == kNew;
      if (is_new) numbers[shape] = static_cast<std::uint32_t>(known++);
      const auto& rare = runs.rare(i);
      const bool has_rare = !(rare == typename Row::Rare());
      at = put_varint(at, std::uint64_t{numbers[shape]} * 2 + (has_rare ? 1 : 0));
      if (is_new) at = put_fields<&FieldRule::shape>(at, runs.common(i));
      const auto begin = static_cast<std::uint64_t>(runs.begin_of(i));
      at = put_varint(at, zigzag(begin - last_begin));
      at = put_varint(at, zigzag(static_cast<std::uint64_t>(runs.duration_of(i))));
      last_begin = begin;
      if constexpr (requires { runs.region_of(i); }) {
        const std::uint64_t region = to_number(runs.region_of(i));
        at = put_varint(at, zigzag(region - last_region));
        last_region = region;
      }
      if (has_rare) {
        Row row;
        static_cast<typename Row::Rare&>(row) = rare;
        at = put_fields<&FieldRule::rare>(at, row);
      }
      at = end_row(kind, at);
    }
    put_rest(kind, at);
  }

  template <class Row>
  void rows(BlockKind kind, const std::vector<Row>& all) {
    std::uint64_t last_begin = 0;
    char* at = block_.data();
    for (const Row& row : all) {
      const auto begin = static_cast<std::uint64_t>(row.begin);
      at = put_varint(at, zigzag(begin - last_begin));
      at = put_varint(at, zigzag(static_cast<std::uint64_t>(row.end) - begin));
      last_begin = begin;
      at = end_row(kind, put_fields<&FieldRule::shape>(at, row));
    }
    put_rest(kind, at);
  }

 private:
  template <Position kPosition, class Row>
  static char* put_fields(char* at, const Row& row) {
    constexpr std::size_t kCount = kFieldCount<Row, kPosition>;
    std::array<std::uint64_t, kCount + 1> numbers;  // one more: no row has an array of none
    fields(
        [&](std::string_view, const auto& field, FieldRule rule = {}) {
          if (rule.*kPosition >= 0) numbers[rule.*kPosition] = to_number(field);
        },
        row);
    at = put_varint(at, kCount);
    for (std::size_t i = 0; i < kCount; ++i) at = put_varint(at, numbers[i]);
    return at;
  }

  char* end_row(BlockKind kind, char* at) {
    return at - block_.data() < static_cast<std::ptrdiff_t>(kFullBlock) ? at : put_rest(kind, at);
  }

  char* put_rest(BlockKind kind, const char* end) {
    const auto size = static_cast<std::size_t>(end - block_.data());
    if (size > 0) put_block(kind, {block_.data(), size});
    return block_.data();
  }

  void put_block(BlockKind kind, std::string_view bytes) {
    BlockHeader header{kind, static_cast<std::uint32_t>(bytes.size()), 0};
    header.checksum = checksum_of(header, number_++, bytes);
    char raw[sizeof(header)];
    std::memcpy(raw, &header, sizeof(header));
    sink_.write({raw, sizeof(raw)});
    sink_.write(bytes);
  }

  ByteSink& sink_;
  std::string block_;
  std::uint64_t number_ = 0;
};

}  // namespace

Trace read_binary_trace(ByteSource& source, const std::string& name, std::uint64_t size) {
  return BinaryReader(source, name, size).read();
}

Trace read_binary_head(ByteSource& source, const std::string& name) {
  return BinaryReader(source, name, 0).read_head();
}

bool is_binary_name(const std::filesystem::path& name) {
  const std::filesystem::path plain = name.extension() == ".gz" ? name.stem() : name;
  return plain.extension() == ".ompdm";
}

bool is_binary_beginning(std::string_view bytes) { return bytes.starts_with(kMagic); }

void write_binary_trace(const Trace& trace, ByteSink& sink) {
  BlockWriter writer(sink);
  write_metadata(trace, writer);
  writer.rows(BlockKind::kRegions, trace.regions);
  writer.rows(BlockKind::kOps, trace.ops);
  writer.rows(BlockKind::kLaunches, trace.launches);
  writer.rows(BlockKind::kActivities, trace.activities);
  writer.rows(BlockKind::kSynchronizations, trace.synchronizations);
  writer.close();
  sink.close();
}

}  // namespace ompdm
