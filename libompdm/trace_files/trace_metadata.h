// otherData of trace.json: what is not an event. Both kinds of trace have it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"
#include "trace_files/json_rows.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

/// Calls `visit` with the key and the member of each list of definitions, in the order of
/// otherData.
template <class Visit>
void definition_lists(Visit&& visit) {
  visit("losses", &Trace::losses);
  visit("devices", &Trace::devices);
  visit("modules", &Trace::modules);
  visit("threads", &Trace::threads);
  visit("sites", &Trace::sites);
  visit("variables", &Trace::variables);
  visit("device_variables", &Trace::device_variables);
  visit("kernels", &Trace::kernels);
  visit("loops", &Trace::loops);
  visit("call_places", &Trace::call_places);
  visit("call_paths", &Trace::call_paths);
  visit("map_lists", &Trace::map_lists);
  visit("device_events", &Trace::device_events);
  visit("mapped_pointers", &Trace::mapped_pointers);
  visit("unsent_items", &Trace::unsent_items);
  visit("block_touches", &Trace::block_touches);
  visit("bad_accesses", &Trace::bad_accesses);
  visit("sources", &Trace::sources);
}

/// The same of aggregates.
template <class Visit>
void aggregate_lists(Visit&& visit) {
  visit("region_tallies", &Trace::region_aggregates);
  visit("op_tallies", &Trace::op_aggregates);
  visit("launch_tallies", &Trace::launch_aggregates);
  visit("activity_tallies", &Trace::activity_aggregates);
}

/// How many events of each kind a file says it has.
struct EventCounts {
  std::uint64_t regions = 0;
  std::uint64_t ops = 0;
  std::uint64_t launches = 0;
  std::uint64_t activities = 0;
  std::uint64_t synchronizations = 0;
  bool operator==(const EventCounts&) const = default;
};

template <class Visit, RowOf<EventCounts> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("regions", row.regions);
  visit("ops", row.ops);
  visit("launches", row.launches);
  visit("activities", row.activities);
  visit("synchronizations", row.synchronizations);
}

/// How many events a trace has.
EventCounts counts_of(const Trace& trace);

/// Writes the file's beginning up to the events.
void write_metadata(const Trace& trace, ByteSink& sink);

/// Reads the lines between the opening line and the events, one call a line.
class MetadataReader {
 public:
  explicit MetadataReader(Trace& trace) : trace_(trace) {}

  /// Takes a line; true after the last one, the line that begins the events. Some bytes behind the
  /// line must be readable (LineReader::kPadding). Throws MalformedLine.
  bool read_line(std::string_view line);

  [[nodiscard]] const EventCounts& counts() const noexcept { return counts_; }
  /// Makes room for so many events, but for no more of a kind: `most` of what the host did,
  /// `most_of_devices` of what CUPTI told.
  void reserve(std::uint64_t most, std::uint64_t most_of_devices);

 private:
  enum class Place { kKeys, kRows, kAfter };

  void set_value(std::string_view key, const simdjson::dom::element& value);
  void append_row(const simdjson::dom::element& value);

  Trace& trace_;
  simdjson::dom::parser parser_;
  EventCounts counts_;
  Place place_ = Place::kKeys;
  std::string list_;
};

/// Writes the file's first lines to a sink, up to its events.
class MetadataLines {
 public:
  /// `opening`: what a file of this kind begins with, up to its version.
  MetadataLines(ByteSink& sink, std::string_view opening, unsigned version)
      : sink_(sink), out_(fmt::format("{}{}\"", opening, version)) {}

  /// A value, on one line.
  template <class T>
  void value(std::string_view key, const T& value) {
    out_ += fmt::format(",\n\"{}\":", key);
    JsonRowWriter::put(out_, value);
  }

  /// A list, each row on a line.
  template <class Row>
  void list(std::string_view key, const std::vector<Row>& rows) {
    out_ += fmt::format(",\n\"{}\":[", key);
    std::string_view separator = "\n";
    for (const Row& row : rows) {
      out_ += separator;
      JsonRowWriter::put(out_, row);
      separator = ",\n";
      if (out_.size() > kFlushAt) flush();
    }
    out_ += "\n";
    out_ += trace_schema::kListEnd;
  }

  /// Ends it and begins the events.
  void end() {
    out_ += fmt::format("\n{},\n{}\n", trace_schema::kMetadataEnd, trace_schema::kEventsBegin);
    flush();
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;

  void flush() {
    sink_.write(out_);
    out_.clear();
  }

  ByteSink& sink_;
  std::string out_;
};

}  // namespace ompdm
