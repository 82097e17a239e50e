// Events of trace.json, written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/tracks.h"

namespace ompdm {

/// Writes events; what is full goes to the sink.
class EventLine {
 public:
  explicit EventLine(ByteSink& sink) : sink_(sink) { out_.reserve(2 * kFull); }

  /// Begins an event with a text, which opens its object.
  void begin(std::string_view opening) {
    if (out_.size() > kFull) flush();
    out_ += separator_;
    separator_ = ",\n";
    out_ += opening;
  }
  void text(std::string_view text) { out_ += text; }
  void flush() {
    sink_.write(out_);
    out_.clear();
  }
  /// Where the event goes on.
  [[nodiscard]] std::string& out() { return out_; }

  /// What is added to the instants of the events from here on: they are told on another clock.
  void shift(Nanoseconds by) { shift_ = by; }
  /// An instant of the trace on the file's clock.
  [[nodiscard]] Nanoseconds shifted(Nanoseconds instant) const { return instant + shift_; }

  /// Nanoseconds as microseconds with three decimals.
  void microseconds(Nanoseconds value) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
      out_ += '-';
      magnitude = 0 - magnitude;
    }
    std::array<char, 24> digits{};  // written backwards
    char* const end = digits.data() + digits.size();
    char* at = end;
    for (int i = 0; i < 4 || magnitude != 0; ++i, magnitude /= 10) {
      if (i == 3) *--at = '.';
      *--at = static_cast<char>('0' + magnitude % 10);
    }
    out_.append(at, end);
  }

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 18;

  ByteSink& sink_;
  std::string out_;
  std::string_view separator_;
  Nanoseconds shift_ = 0;
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
