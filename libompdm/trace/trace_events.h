// traceEvents of trace.json: one event a line, in order of begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"
#include "trace/event_line.h"
#include "trace/tracks.h"

namespace ompdm {

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
