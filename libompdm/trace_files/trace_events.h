// Events of trace.json, written.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/trace_schema.h"
#include "trace_files/tracks.h"

namespace ompdm {

/// Writes events; what is full goes to the sink. An event is a few texts of any length and as many
/// numbers and arguments as an event of the format has.
class EventLine {
 public:
  explicit EventLine(ByteSink& sink)
      : sink_(sink), buffer_(kBuffer), at_(buffer_.data()), full_(at_ + kBuffer - kLargestEvent) {}

  /// Begins an event with `text`, which opens its object.
  void begin(std::string_view opening) {
    if (at_ > full_) flush();
    text(separator_);
    separator_ = ",\n";
    text(opening);
  }
  /// Ends the event with `text`, which closes its object.
  void end(std::string_view closing) { text(closing); }
  void flush() {
    sink_.write({buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())});
    at_ = buffer_.data();
  }

  void text(std::string_view text) {
    if (text.size() > kLongText) {
      flush();
      sink_.write(text);
      return;
    }
    if (text.empty()) return;  // its address may be null
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

  template <class Integer>
  void number(Integer value) {
    at_ = std::to_chars(at_, at_ + kLongestNumber, value).ptr;
  }

  /// What is added to the instants of the events from here on: they are told on another clock.
  void shift(Nanoseconds by) { shift_ = by; }
  /// An instant of the trace on the file's clock.
  [[nodiscard]] Nanoseconds shifted(Nanoseconds instant) const { return instant + shift_; }
  /// An instant of the trace, as microseconds are.
  void instant(Nanoseconds value) { microseconds(shifted(value)); }

  /// Nanoseconds as microseconds with three decimals.
  void microseconds(Nanoseconds value) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
      *at_++ = '-';
      magnitude = 0 - magnitude;
    }
    std::array<char, 2 * kLongestTime> digits{};  // written from the middle backwards
    char* at = digits.data() + kLongestTime;
    const auto put = [&at](std::uint64_t digit) { *--at = static_cast<char>('0' + digit); };
    for (int i = 0; i < 3; ++i, magnitude /= 10) put(magnitude % 10);
    *--at = '.';
    do {
      put(magnitude % 10);
      magnitude /= 10;
    } while (magnitude != 0);
    // A copy of one size takes a few instructions; what lies behind the number is written over.
    std::memcpy(at_, at, kLongestTime);
    at_ += digits.data() + kLongestTime - at;
  }

  /// Opens the args; each argument follows by one of the functions below.
  void args() {
    text(",\"args\":{");
    comma_ = 0;
  }
  template <std::size_t N>
  void arg(const char (&name)[N]) {
    static_assert(N <= kLongestName);
    // The first one has no comma. Copies of a known size take a few instructions.
    *at_ = ',';
    at_ += std::exchange(comma_, 1);
    *at_++ = '"';
    std::memcpy(at_, name, N - 1);
    at_ += N - 1;
    std::memcpy(at_, "\":", 2);
    at_ += 2;
  }
  void quoted(std::string_view word) {
    *at_++ = '"';
    text(word);
    *at_++ = '"';
  }
  /// A number; as a text where readers that keep numbers in doubles would not have it exactly.
  template <class Integer>
  void exact_number(Integer value) {
    if (value < 0 || static_cast<std::uint64_t>(value) <= trace_schema::kExactInteger) {
      number(value);
    } else if (std::is_signed_v<Integer>) {
      quoted_number(value);
    } else {
      hexadecimal(static_cast<std::uint64_t>(value));
    }
  }
  void quoted_number(std::int64_t value) {
    *at_++ = '"';
    number(value);
    *at_++ = '"';
  }
  void hexadecimal(std::uint64_t value) {
    std::memcpy(at_, "\"0x", 3);
    at_ = std::to_chars(at_ + 3, at_ + 3 + kLongestNumber, value, 16).ptr;
    *at_++ = '"';
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;
  // A longer text goes past the buffer.
  static constexpr std::size_t kLongText = 512;
  // All arguments at once, and a dozen texts.
  static constexpr std::size_t kLargestEvent = std::size_t{1} << 14;
  static constexpr std::size_t kMostArgs = 64;
  static constexpr std::size_t kLongestName = 24;
  static constexpr std::size_t kLongestNumber = 20;
  static constexpr std::size_t kLongestTime = 24;
  static_assert(kMostArgs * (kLongestName + kLongestNumber + 6) + 12 * kLongText <= kLargestEvent);

  ByteSink& sink_;
  std::vector<char> buffer_;
  char* at_;
  char* full_;  // from here on an event might not fit
  std::string_view separator_;
  Nanoseconds shift_ = 0;
  std::size_t comma_ = 0;  // how many come before the next argument
};

/// Writes the events up to the list's end, without the closing line. Needs references that exist.
void write_events(const Trace& trace, ByteSink& sink);

/// A trace's place among others in one file.
struct Placement {
  std::uint32_t pid = 0;    ///< of its process there
  std::string name;         ///< of that
  std::string devices;      ///< what stands before "device 0"
  std::uint64_t flows = 0;  ///< arrows of the traces before it: they are told by number
  std::size_t order = 0;    ///< groups of tracks of the traces before it
};

/// The same beside other traces, on the clock that the line was shifted to. Returns how many groups
/// of tracks it has.
std::size_t write_events(const Trace& trace, const Placement& place, Pids& pids, EventLine& line);

/// "heat" of "/home/ada/heat".
std::string_view program_name(const Process& process);

}  // namespace ompdm
