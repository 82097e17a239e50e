// The args of one event of trace.json as it is read, and values of JSON as our types.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "ompdm/trace.h"
#include "trace/malformed_line.h"

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

}  // namespace ompdm
