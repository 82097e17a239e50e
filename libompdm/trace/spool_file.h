// The spool as a file: header, chunks in the order of their lanes, and a walk over a chunk's
// records. Reads with pread, never through a mapping, so that a file that shrinks, lies or is still
// being written cannot crash us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spool/format.h"

namespace ompdm::trace {

/// Where a chunk lies in the file, and the clock triples of its header.
struct Chunk {
  std::uint64_t offset = 0;  ///< of its header
  std::uint64_t size = 0;    ///< bytes that can be read, header included
  spool::LaneId lane{};
  std::uint32_t sequence = 0;
  spool::ClockTriple first{};
  spool::ClockTriple last{};  ///< zero if a kill tore it
};

/// One committed record. Valid as long as the bytes it was found in.
class Record {
 public:
  explicit Record(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] spool::Head head() const {
    spool::Head head{};
    std::memcpy(&head, bytes_.data(), sizeof(head));
    return head;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] spool::Tag tag() const { return static_cast<spool::Tag>(head().tag); }

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

/// Walks the records of one chunk up to the first place where nothing is committed.
class RecordCursor {
 public:
  explicit RecordCursor(std::span<const std::byte> records) : rest_(records) {}

  /// The next record, nothing at the end.
  std::optional<Record> next();
  /// Whether the walk ended at bytes that cannot be a record.
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  std::span<const std::byte> rest_;
  bool damaged_ = false;
};

/// A spool opened for reading. Throws Error where it is none, or of a newer version.
class SpoolFile {
 public:
  explicit SpoolFile(const std::filesystem::path& path);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  [[nodiscard]] const spool::FileHeader& header() const { return header_; }
  /// All chunks, those of a lane together and in sequence.
  [[nodiscard]] const std::vector<Chunk>& chunks() const { return chunks_; }
  /// Chunks that are lost: overwritten headers, gaps in a lane, cut off by the end of the file.
  [[nodiscard]] std::uint64_t unreadable_chunks() const { return unreadable_; }
  /// The bytes after a chunk's header; valid until the next call.
  [[nodiscard]] std::span<const std::byte> records(const Chunk& chunk);
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  void find_chunks();
  [[nodiscard]] std::uint64_t find_next_chunk(std::uint64_t from, bool& damaged) const;

  int fd_;
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

/// A text of a fixed-size field, up to its NUL or its end.
template <std::size_t Size>
std::string text_of(const char (&field)[Size]) {
  return std::string(field, strnlen(field, Size));
}

}  // namespace ompdm::trace
