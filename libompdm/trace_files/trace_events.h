// Events of trace.json, read and written.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/trace_schema.h"
#include "trace_files/tracks.h"

namespace ompdm {

namespace event_line {

// `,"name":` of each argument, of one size, so that copying one takes a few instructions.
struct ArgText {
  static constexpr std::size_t kSize = 24;
  std::array<char, kSize> text{};
  std::size_t size = 0;
};

constexpr std::array<ArgText, trace_schema::kArgs.size()> arg_texts() {
  std::array<ArgText, trace_schema::kArgs.size()> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ArgText& arg = texts[i];
    const auto add = [&arg](char c) { arg.text[arg.size++] = c; };
    add(',');
    add('"');
    for (const char c : trace_schema::kArgs[i]) add(c);
    add('"');
    add(':');
  }
  return texts;
}

inline constexpr auto kArgTexts = arg_texts();

}  // namespace event_line

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
    skipped_ = 1;
  }
  void arg(trace_schema::Arg name) {
    const event_line::ArgText& arg = event_line::kArgTexts[static_cast<std::size_t>(name)];
    // The first one has no comma.
    std::memcpy(at_, arg.text.data() + skipped_, event_line::ArgText::kSize - 1);
    at_ += arg.size - skipped_;
    skipped_ = 0;
  }
  void arg(trace_schema::Arg name, std::string_view word) {
    arg(name);
    *at_++ = '"';
    text(word);
    *at_++ = '"';
  }
  /// A number where it differs from what its absence means.
  template <class Integer>
  void arg_unless(Integer absent, trace_schema::Arg name, Integer value) {
    if (value == absent) return;
    const bool exact =
        value < 0 || static_cast<std::uint64_t>(value) <= trace_schema::kExactInteger;
    arg(name);
    if (exact) {
      number(value);
    } else if (std::is_signed_v<Integer>) {
      quoted(value);
    } else {
      hexadecimal(static_cast<std::uint64_t>(value));
    }
  }
  /// A number as a text, for readers that keep numbers in doubles.
  void arg_text(trace_schema::Arg name, std::int64_t value) {
    arg(name);
    quoted(value);
  }
  void arg_flag(trace_schema::Arg name, bool value) {
    if (!value) return;
    arg(name);
    text("true");
  }
  /// An address or a hash; 0 is none.
  void arg_hexadecimal(trace_schema::Arg name, std::uint64_t value) {
    if (value == 0) return;
    arg(name);
    hexadecimal(value);
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;
  // A longer text goes past the buffer.
  static constexpr std::size_t kLongText = 512;
  // All arguments at once, and a dozen texts.
  static constexpr std::size_t kLargestEvent = std::size_t{1} << 14;
  static constexpr std::size_t kLongestNumber = 20;
  static constexpr std::size_t kLongestTime = 24;
  static_assert(trace_schema::kArgs.size() * (event_line::ArgText::kSize + kLongestNumber + 2) +
                    12 * kLongText <=
                kLargestEvent);

  template <class Integer>
  void quoted(Integer value) {
    *at_++ = '"';
    number(value);
    *at_++ = '"';
  }
  void hexadecimal(std::uint64_t value) {
    std::memcpy(at_, "\"0x", 3);
    at_ = std::to_chars(at_ + 3, at_ + 3 + kLongestNumber, value, 16).ptr;
    *at_++ = '"';
  }

  ByteSink& sink_;
  std::vector<char> buffer_;
  char* at_;
  char* full_;  // from here on an event might not fit
  std::string_view separator_;
  Nanoseconds shift_ = 0;
  std::size_t skipped_ = 0;  // of the next argument's text
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

/// Reads events into a trace whose metadata has been read.
class EventReader {
 public:
  explicit EventReader(Trace& trace);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// Takes the JSON object of one event; LineReader::kPadding bytes behind it must be readable.
  /// Events that are not the model's (counters, names of tracks, categories of later versions) are
  /// passed over. Throws MalformedLine.
  void read_event(std::string_view object);

 private:
  struct Parser;
  Trace& trace_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ompdm
