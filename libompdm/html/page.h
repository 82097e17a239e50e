// The HTML page of a report: what it draws of a run, and the file with its data. Inside the report
// library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::report::page {

using Json = nlohmann::ordered_json;

// The files of web/, which embed.cmake puts into the library, and their SHA-256.
extern const std::string_view kBody, kBodyHash;
extern const std::string_view kStyle, kStyleHash;
extern const std::string_view kScript, kScriptHash;

/// Kinds of events; web/basics.js has the same order.
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

/// More about an event; web/basics.js has the same bits.
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
  /// Events of a track with equal numbers do not overlap, but for the last number.
  std::uint8_t lane = 0;
  std::uint32_t track = 0;
  std::uint32_t directive = kNoRow32;  ///< row of Analysis::directives
  std::uint32_t variable = kNoRow32;   ///< row of Analysis::variables
  std::uint32_t finding = kNoRow32;    ///< row of Analysis::findings that has it
};

/// A line of the picture: one kind of a device's operations, or a thread of the host.
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

/// `trace` on its devices' clock, `variable` the row of Analysis::variables by position in
/// Trace::variables.
Events events_of(const Trace& trace, const analysis::Picture& picture,
                 const std::vector<std::uint32_t>& variable);

/// Events of one track that began in one span.
struct Bin {
  std::uint32_t track = 0;
  std::uint32_t slot = 0;  ///< number of the span
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t busy = 0;       ///< sum of their durations
  std::uint64_t redundant = 0;  ///< how many of them are in findings
};

/// Transfers of one variable that began in one span.
struct TransferBin {
  std::uint32_t variable = 0;
  std::uint32_t slot = 0;
  std::uint64_t htod = 0;  ///< transfers
  std::uint64_t dtoh = 0;
  std::uint64_t redundant = 0;
};

struct Binned {
  std::uint64_t width = 0;  ///< of a bin, nanoseconds; 0: there are none
  std::vector<Bin> bins;    ///< in order of slot
  std::uint64_t transfer_width = 0;
  std::vector<TransferBin> transfers;  ///< in order of slot
};

/// Events of a page that are shown one by one.
inline constexpr std::size_t kMostEvents = 400'000;

/// Bins of the shorter events, which are taken out of `events`: the longest, about half of `most`,
/// stay there. No bins if there are at most `most` events.
Binned bin(Events& events, std::size_t most = kMostEvents);

/// Bytes that are allocated on a device from an instant on.
struct MemorySample {
  std::int32_t device = -1;
  std::uint64_t time = 0;
  std::uint64_t bytes = 0;
};

/// A variable's storage on a device, from its allocation to its deletion.
struct Residency {
  std::uint32_t variable = kNoRow32;  ///< row of Analysis::variables
  std::int32_t device = -1;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 1;  ///< residencies with little between them, summed
};

struct DeviceMemory {
  std::vector<MemorySample> samples;   ///< in order of time
  std::vector<Residency> residencies;  ///< in order of begin
};

/// About `most` samples and residencies: of more samples the largest and the last of each span are
/// kept, more residencies are joined. `variable` by position in Trace::variables, `end` of the
/// picture.
DeviceMemory memory_of(const Trace& trace, const std::vector<std::uint32_t>& variable,
                       std::uint64_t end, std::size_t most = 40'000);

/// Puts the blocks of one recording together.
class Columns {
 public:
  /// Begins a block of `rows` rows.
  void begin_block(const char* name, std::size_t rows);

  /// Adds a column to the block that was begun last: a value a row.
  void add(const std::string& name, const std::vector<std::uint64_t>& values);

  /// The same of values that only grow: the differences are stored.
  void add_growing(const std::string& name, std::vector<std::uint64_t> values);

  /// The same of a member or a function of each row.
  template <class Row, class Of>
  void add(const std::string& name, const std::vector<Row>& rows, Of of) {
    add(name, values_of(rows, of));
  }
  template <class Row, class Of>
  void add_growing(const std::string& name, const std::vector<Row>& rows, Of of) {
    add_growing(name, values_of(rows, of));
  }

  /// { BLOCK: { "rows", "columns": [ { "name", "bytes" (a value), "grows" } ] } } in their order.
  [[nodiscard]] const Json& layout() const { return layout_; }

  /// All blocks, deflated (zlib), in base64.
  [[nodiscard]] std::string base64() const;

 private:
  template <class Row, class Of>
  static std::vector<std::uint64_t> values_of(const std::vector<Row>& rows, Of of) {
    std::vector<std::uint64_t> values;
    values.reserve(rows.size());
    for (const Row& row : rows) {
      values.push_back(static_cast<std::uint64_t>(std::invoke(of, row)));
    }
    return values;
  }

  Json layout_ = Json::object();
  std::string block_;
  std::string bytes_;
};

/// RFC 4648, with padding.
std::string base64_of(std::string_view bytes);

/// About `most` of these, each the sum of neighbours; the first iteration is not summed with
/// others.
std::vector<analysis::Iteration> summed_iterations(
    const std::vector<analysis::Iteration>& iterations, std::size_t most);

}  // namespace ompdm::report::page
