// The args and the name of an event in trace.json.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_events.h"

namespace ompdm {

/// A number, or one in a text. Throws MalformedLine.
std::uint64_t take_unsigned(const simdjson::dom::element& value, std::string_view key);

/// Microseconds with their decimals as nanoseconds. Throws MalformedLine.
Nanoseconds take_microseconds(const simdjson::dom::element& value, std::string_view key);

/// The args of any of our events; what is absent keeps the value that its absence means.
struct EventArgs {
  std::optional<Nanoseconds> begin_ns;
  std::optional<Nanoseconds> end_ns;
  Nanoseconds hashing_after_ns = 0;
  Nanoseconds hashing_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dst = 0;
  std::uint64_t fingerprint = 0;
  std::uint64_t hash = 0;
  std::uint64_t src = 0;
  std::uint64_t trip_count = 0;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> grid{};
  std::uint32_t call = 0;
  std::uint32_t storage = 0;
  Nanoseconds made_ns = 0;
  std::uint32_t maker = 0;
  std::uint32_t components = 0;
  std::uint32_t context = 0;
  std::uint32_t correlation = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t kernel = Index<Kernel>::kNone;
  std::uint32_t launch = Index<Launch>::kNone;
  std::uint32_t map_list = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t map_type = 0;
  std::uint32_t num_teams = 0;
  std::uint32_t op = Index<DataOp>::kNone;
  std::uint32_t path = Index<CallPath>::kNone;
  std::uint32_t region = Index<Region>::kNone;
  std::uint32_t registers = 0;
  std::uint32_t requested_teams = 0;
  std::uint32_t site = Index<Site>::kNone;
  std::uint32_t static_shared = 0;
  std::uint32_t stream = 0;
  std::uint32_t thread = 0;
  std::uint32_t thread_limit = 0;
  std::uint32_t variable = Index<Variable>::kNone;
  std::int32_t device = -1;
  std::int32_t from = -1;
  std::int32_t to = -1;
  Clock clock = Clock::kHost;
  MemoryKind source_kind = MemoryKind::kUnknown;
  MemoryKind destination_kind = MemoryKind::kUnknown;
  bool ends_data = false;
  bool host_fallback = false;
  bool internal = false;
  bool nowait = false;
  bool trivial = false;
  bool unfinished = false;

  /// Takes the value of a key; keys that are not known are passed over. Throws MalformedLine.
  void set(std::string_view key, const simdjson::dom::element& value);
};

/// Whether `ts` and `dur` hold these times to the nanosecond; else the args repeat them.
bool is_exact(Nanoseconds begin, Nanoseconds end);

/// Each opens the args and leaves them open.
void write_args(const Region& region, EventLine& line);
/// `in_flow`: the event's bind_id tells its region. `host_device`: what an absent `from` or `to`
/// means.
void write_args(const DataOp& op, bool in_flow, std::int32_t host_device, EventLine& line);
void write_args(const Launch& launch, EventLine& line);
void write_args(const DeviceActivity& activity, EventLine& line);
void write_args(const Synchronization& wait, EventLine& line);

/// JSON strings with their quotes, made once for each site, variable and kernel.
class EventLabels {
 public:
  explicit EventLabels(const Trace& trace);

  /// "target heat.cpp:41", "end target data heat.cpp:26"
  [[nodiscard]] const std::string& of(const Region& region) const;
  /// The variable's name, or the kind where it has none.
  [[nodiscard]] const std::string& of(const DataOp& op) const;
  /// "heat heat.cpp:41"
  [[nodiscard]] const std::string& of(const Launch& launch) const;
  /// As what it did the work of, else its kernel or its kind.
  [[nodiscard]] const std::string& of(const DeviceActivity& activity) const;
  /// "cupti.stream_synchronize"
  [[nodiscard]] const std::string& of(const Synchronization& wait) const;

 private:
  const Trace& trace_;
  std::string region_;
  std::string launch_;
  std::array<std::string, 8> ops_;         // by OpKind
  std::array<std::string, 6> activities_;  // by ActivityKind
  std::array<std::string, 5> waits_;       // by SynchronizationKind
  std::vector<std::string> sites_;         // by site, for its begin …
  std::vector<std::string> site_ends_;     // … and its end
  std::vector<std::string> variables_;     // empty: unnamed
  std::vector<std::string> kernels_;
};

}  // namespace ompdm
