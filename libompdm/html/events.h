// What the page draws of a run: events, sums over time, memory. Inside the report library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::report::page {

/// What an event is; web/kinds.js has the same order.
enum class EventKind : std::uint8_t {
  kHtoD,
  kDtoH,
  kDtoD,
  kMemset,
  kAlloc,
  kDelete,
  kKernel,
  kRegion,
};

/// What else is to be said of an event; web/kinds.js has the same bits.
enum EventFlag : std::uint8_t {
  kInternalEvent = 1,    ///< the runtime's own
  kUnfinishedEvent = 2,  ///< was running when the process died
  kEnqueueEvent = 4,     ///< only its submission was timed
  kDataEndEvent = 8,     ///< the end of a `target data`
  kFallbackEvent = 16,   ///< ran on the host instead
};

inline constexpr std::uint32_t kNoRow32 = 0xffffffff;

struct Event {
  std::uint64_t begin = 0;
  std::uint64_t duration = 0;
  std::uint64_t bytes = 0;
  EventKind kind = EventKind::kRegion;
  std::uint8_t flags = 0;
  std::uint8_t lane = 0;  ///< of its track: events of one lane do not overlap, but in the last
  std::uint32_t track = 0;
  std::uint32_t directive = kNoRow32;  ///< row of Analysis::directives
  std::uint32_t variable = kNoRow32;   ///< row of Analysis::variables
  std::uint32_t finding = kNoRow32;    ///< row of Analysis::findings that calls it needless
};

/// Lines of the picture: what a device does of one sort, or a thread of the host.
struct EventTrack {
  std::int32_t device = -1;  ///< -1: a host thread
  EventKind kind = EventKind::kRegion;
  std::uint32_t tid = 0;  ///< of a host thread
  std::uint8_t lanes = 1;
};

struct Events {
  std::vector<EventTrack> tracks;  ///< devices by number, then threads
  std::vector<Event> rows;         ///< in order of begin
  std::uint64_t end = 0;           ///< of the picture, from 0
};

/// `trace` on its devices' clock, `variables` the rows of its analysis.
Events events_of(const Trace& trace, const analysis::Picture& picture,
                 const std::vector<analysis::VariableRow>& variables);

/// The device that an operation is drawn under: where it writes, or reads when that is the host.
std::int32_t drawn_under(const Trace& trace, const DataOp& op);

/// Row of a variable in the report's table, by position in Trace::variables.
std::vector<std::uint32_t> variable_rows(const Trace& trace,
                                         const std::vector<analysis::VariableRow>& variables);

/// Events of one track that began in one span.
struct Bin {
  std::uint32_t track = 0;
  std::uint32_t slot = 0;  ///< number of the span
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t busy = 0;      ///< sum of their durations
  std::uint64_t needless = 0;  ///< how many of them findings call so
};

/// What crossed of one variable in one span.
struct CrossingBin {
  std::uint32_t variable = 0;
  std::uint32_t slot = 0;
  std::uint64_t htod = 0;  ///< transfers
  std::uint64_t dtoh = 0;
  std::uint64_t needless = 0;
};

struct Binned {
  std::uint64_t width = 0;  ///< of a bin, nanoseconds; 0: there are none
  std::vector<Bin> bins;    ///< in order of slot
  std::uint64_t crossing_width = 0;
  std::vector<CrossingBin> crossings;  ///< in order of slot
};

/// What a page of one recording holds, event by event.
inline constexpr std::size_t kMostEvents = 400'000;

/// Nothing of at most `most` events; else leaves the largest half of `most` in `events`.
Binned bin(Events& events, std::size_t most = kMostEvents);

/// Bytes that are allocated on a device from an instant on.
struct MemorySample {
  std::int32_t device = -1;
  std::uint64_t time = 0;
  std::uint64_t bytes = 0;
};

/// A variable's storage on a device, from its allocation to its deletion.
struct Stay {
  std::uint32_t variable = kNoRow32;  ///< row of Analysis::variables
  std::int32_t device = -1;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 1;  ///< stays with little between them, summed
};

struct DeviceMemory {
  std::vector<MemorySample> samples;  ///< in order of time
  std::vector<Stay> stays;            ///< in order of begin
};

/// At most about `most` rows of each: beyond, of spans of time the most bytes, and stays joined.
/// `variable` by position in Trace::variables, `end` of the picture.
DeviceMemory memory_of(const Trace& trace, const std::vector<std::uint32_t>& variable,
                       std::uint64_t end, std::size_t most = 40'000);

}  // namespace ompdm::report::page
