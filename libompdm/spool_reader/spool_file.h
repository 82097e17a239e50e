// The spool as a mapped file: its blocks and its owner.
#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spool_format/format.h"
#include "spool_format/process.h"
#include "spool_format/stream.h"

namespace ompdm::trace {

/// As seen from this process.
spool::Owner owner_state(const spool::FileHeader& header);

/// Whether the header was written on this machine since it last started.
bool is_this_boot(const spool::FileHeader& header);

/// An open file, which is closed with it; -1: none.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Where a chunk lies in the file, and the clock triples of its header.
struct Chunk {
  std::uint64_t offset = 0;  ///< of its header
  std::uint64_t size = 0;    ///< bytes that can be read, header included
  spool::BufferId buffer{};
  std::uint32_t sequence = 0;
  spool::ClockTriple first{};
  spool::ClockTriple last{};  ///< zero if a kill tore it
};

/// One committed record. Valid as long as the bytes it was found in.
class Record {
 public:
  explicit Record(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] spool::Tag tag() const { return static_cast<spool::Tag>(bytes_.front()); }

  /// The fixed part; nothing if the record is too short to hold one.
  template <class T>
  [[nodiscard]] std::optional<T> as() const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    return value;
  }

  /// What follows the fixed part T, cut to `size` bytes.
  template <class T>
  [[nodiscard]] std::span<const std::byte> tail(std::uint64_t size) const {
    if (bytes_.size() < sizeof(T)) return {};
    const auto rest = bytes_.subspan(sizeof(T));
    return rest.first(size < rest.size() ? static_cast<std::size_t>(size) : rest.size());
  }

 private:
  std::span<const std::byte> bytes_;
};

/// An event as it is written: how it differs from its context's last one.
struct RawEvent {
  spool::Event event = spool::Event::kNone;
  bool has_fields = false;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t fields[5]{};  ///< differences, modulo 2^64
  std::uint64_t api[3]{};
  std::uint64_t content[3]{};
  std::vector<std::array<std::uint64_t, 4>> items;  ///< of a kBegin
};

/// Walks the records and events of one chunk up to the first place where nothing is committed.
class RecordCursor {
 public:
  explicit RecordCursor(std::span<const std::byte> records)
      : begin_(records.data()), rest_(records) {}

  enum class Found : std::uint8_t { kEnd, kRecord, kEvent };
  /// What comes next: record() or event() is it, until the next call.
  Found next();
  [[nodiscard]] Record record() const { return Record(record_); }
  [[nodiscard]] const RawEvent& event() const { return event_; }
  /// Bytes of what was found, unless it is damaged.
  [[nodiscard]] std::size_t passed() const {
    return static_cast<std::size_t>(rest_.data() - begin_);
  }
  /// Whether the walk ended at bytes that cannot be a record.
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  Found damage() {
    damaged_ = true;
    rest_ = {};
    return Found::kEnd;
  }
  Found next_event();

  const std::byte* begin_;
  std::span<const std::byte> rest_;
  std::span<const std::byte> record_;
  RawEvent event_;
  bool damaged_ = false;
};

/// A spool opened for reading. Throws Error where it is none, or of a newer version.
class SpoolFile {
 public:
  explicit SpoolFile(const std::filesystem::path& path);

  [[nodiscard]] const spool::FileHeader& header() const { return header_; }
  /// All chunks, those of a thread buffer together and in sequence.
  [[nodiscard]] const std::vector<Chunk>& chunks() const { return chunks_; }
  /// Chunks that are lost: overwritten headers, gaps in a thread buffer, cut off by the end of the
  /// file.
  [[nodiscard]] std::uint64_t unreadable_chunks() const { return unreadable_; }
  /// The bytes after a chunk's header; valid until the next call.
  [[nodiscard]] std::span<const std::byte> records(const Chunk& chunk);

 private:
  void find_chunks();
  [[nodiscard]] std::uint64_t find_next_chunk(std::uint64_t from, bool& damaged) const;

  OpenFile fd_;
  std::uint64_t file_size_ = 0;
  spool::FileHeader header_{};
  std::vector<Chunk> chunks_;
  std::uint64_t unreadable_ = 0;
  std::vector<std::uint64_t> buffer_;  // 8-byte units keep records aligned
};

/// Whether the file begins with a spool's magic, of whatever version.
bool has_spool_magic(const std::filesystem::path& path) noexcept;

/// Reads the header alone. Throws Error as SpoolFile does.
spool::FileHeader read_file_header(const std::filesystem::path& path);
/// The same of a spool that is open already, whatever has its name by now.
spool::FileHeader read_file_header(int descriptor, const std::filesystem::path& path);

/// NUL-separated texts, `most` of them at most.
std::vector<std::string> texts_of(std::span<const std::byte> bytes, std::size_t most);

/// The first of such texts; empty without any.
inline std::string text_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

/// A text of a fixed-size field, up to its NUL or its end.
template <std::size_t Size>
std::string text_of(const char (&field)[Size]) {
  return std::string(field, strnlen(field, Size));
}

}  // namespace ompdm::trace
