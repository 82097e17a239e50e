// A text of pieces that lie elsewhere, written in one call. Unlike printf's family it needs neither
// memory nor a stack of some kilobytes, and may be called in a signal handler.
#pragma once

#include <limits.h>
#include <string.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// Room for 20 pieces, of which two may be numbers, and for what a pipe takes at once; what is more
/// is left out.
class Pieces {
 public:
  void add(const char* text) noexcept { add(text, strlen(text)); }

  void add(const char* text, std::size_t size) noexcept {
    const std::size_t room = kMostBytes - bytes_;
    size = size < room ? size : room;
    if (count_ < kMost && size > 0) {
      pieces_[count_++] = {const_cast<char*>(text), size};
      bytes_ += size;
    }
  }

  /// What others have named: a `?` stands for controls, which a terminal would obey.
  void add_printable(const char* text) noexcept {
    while (*text != '\0') {
      const char* end = text;
      while (*end != '\0' && control_at(end) == 0) {
        ++end;
      }
      add(text, static_cast<std::size_t>(end - text));
      text = end;
      if (*text != '\0') {
        add("?");
      }
      while (*text != '\0' && control_at(text) > 0) {
        text += control_at(text);
      }
    }
  }

  void add_number(std::uint32_t number) noexcept {
    if (numbers_ == kMostNumbers) {
      return;
    }
    char* end = digits_[numbers_++] + kMostDigits;
    char* begin = end;
    do {
      *--begin = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    add(begin, static_cast<std::size_t>(end - begin));
  }

  /// One writev(2), with a last line end; what does not go in is lost.
  void write_line(int file) noexcept {
    static const char kLineEnd = '\n';
    pieces_[count_++] = {const_cast<char*>(&kLineEnd), 1};
    [[maybe_unused]] const ssize_t written = writev(file, pieces_, count_);
  }

 private:
  // How many bytes the control takes; 0: it is none. Those beyond ASCII are C2 80 to C2 9F.
  static std::size_t control_at(const char* text) noexcept {
    const auto byte = static_cast<unsigned char>(text[0]);
    const auto next = static_cast<unsigned char>(byte == 0xC2 ? text[1] : 0);
    return byte < ' ' || byte == 0x7F ? 1 : next >= 0x80 && next < 0xA0 ? 2 : 0;
  }

  static constexpr int kMost = 20;
  static constexpr std::size_t kMostBytes = PIPE_BUF - 1;
  static constexpr int kMostNumbers = 2;
  static constexpr int kMostDigits = 10;  // of 32 bits
  iovec pieces_[kMost + 1];
  std::size_t bytes_ = 0;
  char digits_[kMostNumbers][kMostDigits];
  int count_ = 0;
  int numbers_ = 0;
};

}  // namespace ompdm::record
