// A text of pieces that lie elsewhere, written in one call. Unlike printf's family it needs neither
// memory nor a stack of some kilobytes, and may be called in a signal handler.
#pragma once

#include <string.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// Room for 20 pieces, of which two may be numbers; what is more is left out.
class Pieces {
 public:
  void add(const char* text) noexcept { add(text, strlen(text)); }

  void add(const char* text, std::size_t size) noexcept {
    if (count_ < kMost && size > 0) {
      pieces_[count_++] = {const_cast<char*>(text), size};
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

  /// One writev(2); what does not go in is lost.
  void write(int file) const noexcept {
    [[maybe_unused]] const ssize_t written = writev(file, pieces_, count_);
  }

 private:
  static constexpr int kMost = 20;
  static constexpr int kMostNumbers = 2;
  static constexpr int kMostDigits = 10;  // of 32 bits
  iovec pieces_[kMost];
  char digits_[kMostNumbers][kMostDigits];
  int count_ = 0;
  int numbers_ = 0;
};

}  // namespace ompdm::record
