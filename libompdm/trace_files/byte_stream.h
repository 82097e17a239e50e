// Bytes of a trace file, compressed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm {

/// What helps where a file is damaged or cut short.
inline constexpr std::string_view kCopyAgain = "copy it again or record the program again";

/// Where bytes come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` with up to `size` bytes and returns how many; 0 at the end. Throws Error.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// Fills `buffer` unless the source ends before; returns how many bytes it got. Throws Error.
std::size_t read_fully(ByteSource& source, char* buffer, std::size_t size);

/// Where bytes go to.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Writes all of `bytes`. Throws Error.
  virtual void write(std::string_view bytes) = 0;
  /// Says whether everything has arrived, by throwing Error if not. Nothing is written after it.
  virtual void close() = 0;
};

/// Opens a file for reading, gzip (told by its first bytes) or plain. A gzip file cut short just
/// ends. Throws Error.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);

/// Creates or truncates a file, gzip where its name ends in .gz. Throws Error.
std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path);

/// The same on an open descriptor, which it closes, of the file that is (or is to become) `named`.
std::unique_ptr<ByteSink> sink_on(int descriptor, const std::filesystem::path& named);

/// The same on a copy of a descriptor, which stays open.
std::unique_ptr<ByteSink> sink_on_copy(int descriptor, const std::filesystem::path& named);

/// Cuts a source into lines.
class LineReader {
 public:
  /// Bytes after each line that may be read (not used), as simdjson needs them.
  static constexpr std::size_t kPadding = 64;

  /// Lines longer than `max_line` are not read: `too_long()`.
  LineReader(ByteSource& source, std::size_t max_line);

  /// The next line without its end, valid until the next call; false at the end of the source.
  bool next(std::string_view& line);

  /// Number of the last line, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// Whether the last line ended with a line feed.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Whether the last line was cut because of its length; there is no next one.
  [[nodiscard]] bool too_long() const noexcept { return too_long_; }

 private:
  bool refill();

  ByteSource& source_;
  std::size_t max_line_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 0;
  bool exhausted_ = false;
  bool ended_ = false;
  bool too_long_ = false;
};

}  // namespace ompdm
