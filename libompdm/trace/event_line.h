// One event of trace.json as it is put together: pieces appended to a large buffer, no locale, no
// allocation per line.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"
#include "trace/trace_schema.h"

namespace ompdm {

/// Appends events; what is full goes to the sink.
class EventLine {
 public:
  explicit EventLine(ByteSink& sink) : sink_(sink) { out_.reserve(kFlushAt * 2); }

  /// Begins an event with `text`, which opens its object.
  void begin(std::string_view text) {
    out_ += separator_;
    separator_ = ",\n";
    out_ += text;
  }
  /// Ends the event with `text`, which closes its object.
  void end(std::string_view text) {
    out_ += text;
    if (out_.size() > kFlushAt) flush();
  }
  void flush() {
    sink_.write(out_);
    out_.clear();
  }

  void text(std::string_view text) { out_ += text; }

  template <class Integer>
  void number(Integer value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
  }

  /// Nanoseconds as microseconds with three decimals.
  void microseconds(Nanoseconds value) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
      out_ += '-';
      magnitude = 0 - magnitude;
    }
    number(magnitude / 1000);
    const auto rest = static_cast<unsigned>(magnitude % 1000);
    const char decimals[] = {'.', static_cast<char>('0' + rest / 100),
                             static_cast<char>('0' + rest / 10 % 10),
                             static_cast<char>('0' + rest % 10)};
    out_.append(decimals, sizeof(decimals));
  }

  /// Opens the args; each argument follows by one of the functions below.
  void args() {
    out_ += ",\"args\":{";
    first_ = true;
  }
  void arg(trace_schema::Arg name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += trace_schema::kArgs[static_cast<std::size_t>(name)];
    out_ += "\":";
  }
  void arg(trace_schema::Arg name, std::string_view word) {
    arg(name);
    out_ += '"';
    out_ += word;
    out_ += '"';
  }
  /// A number where it differs from what its absence means.
  template <class Integer>
  void arg_unless(Integer absent, trace_schema::Arg name, Integer value) {
    if (value == absent) return;
    const bool exact =
        value < 0 || static_cast<std::uint64_t>(value) <= trace_schema::kExactInteger;
    if (!exact && std::is_signed_v<Integer>) {
      arg(name, fmt::format_int(value).str());
      return;
    }
    arg(name);
    if (exact) {
      number(value);
    } else {
      hexadecimal(static_cast<std::uint64_t>(value));
    }
  }
  void arg_flag(trace_schema::Arg name, bool value) {
    if (!value) return;
    arg(name);
    out_ += "true";
  }
  /// An address or a hash; 0 is none.
  void arg_hexadecimal(trace_schema::Arg name, std::uint64_t value) {
    if (value == 0) return;
    arg(name);
    hexadecimal(value);
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;

  void hexadecimal(std::uint64_t value) {
    char digits[16];
    std::size_t at = sizeof(digits);
    do {
      digits[--at] = "0123456789abcdef"[value & 15];
      value >>= 4;
    } while (value != 0);
    out_ += "\"0x";
    out_.append(digits + at, sizeof(digits) - at);
    out_ += '"';
  }

  ByteSink& sink_;
  std::string out_;
  std::string_view separator_;
  bool first_ = true;
};

}  // namespace ompdm
