#include "trace_files/trace_metadata.h"

#include <algorithm>

namespace ompdm {

namespace {
using namespace trace_schema;
}  // namespace

EventCounts counts_of(const Trace& trace) {
  return {trace.regions.size(), trace.ops.size(), trace.launches.size(), trace.activities.size(),
          trace.synchronizations.size()};
}

void write_metadata(const Trace& trace, ByteSink& sink) {
  MetadataLines writer(sink, kOpening, trace_schema::kVersion);
  writer.value("process", trace.process);
  writer.value("recording", trace.recording);
  writer.value("host_device", trace.host_device);
  writer.value("counts", counts_of(trace));
  definition_lists([&](std::string_view key, auto rows) {
    // Newer than the others, which are there even if they are empty.
    if (key != "sources" || !trace.sources.empty()) writer.list(key, trace.*rows);
  });
  aggregate_lists([&](std::string_view key, auto rows) {
    if (!(trace.*rows).empty()) writer.list(key, trace.*rows);
  });
  writer.end();
}

void MetadataReader::reserve(std::uint64_t most, std::uint64_t most_of_devices) {
  trace_.regions.reserve(std::min(counts_.regions, most));
  trace_.ops.reserve(std::min(counts_.ops, most));
  trace_.launches.reserve(std::min(counts_.launches, most));
  trace_.activities.reserve(std::min(counts_.activities, most_of_devices));
  trace_.synchronizations.reserve(std::min(counts_.synchronizations, most_of_devices));
}

// Rows of lists that are not known are skipped: a later writer may have more.
void MetadataReader::append_row(const simdjson::dom::element& value) {
  const auto append = [&](std::string_view key, auto rows) {
    if (key == list_) JsonRowReader::take(value, "the row", (trace_.*rows).emplace_back());
  };
  definition_lists(append);
  aggregate_lists(append);
}

void MetadataReader::set_value(std::string_view key, const simdjson::dom::element& value) {
  simdjson::dom::array rows;
  if (key == "process") {
    JsonRowReader::take(value, key, trace_.process);
  } else if (key == "recording") {
    JsonRowReader::take(value, key, trace_.recording);
  } else if (key == "host_device") {
    JsonRowReader::take(value, key, trace_.host_device);
  } else if (key == "counts") {
    JsonRowReader::take(value, key, counts_);
  } else if (value.get(rows) == simdjson::SUCCESS) {
    list_ = key;
    for (const simdjson::dom::element& row : rows) append_row(row);
  }
}

bool MetadataReader::read_line(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);
  if (place_ == Place::kAfter) {
    if (line == kEventsBegin) return true;
    throw MalformedLine("the events should begin here");
  }
  const bool is_row = place_ == Place::kRows;
  if (line == (is_row ? kListEnd : kMetadataEnd)) {
    place_ = is_row ? Place::kKeys : Place::kAfter;
    return false;
  }
  const bool begins_list = !is_row && line.ends_with('[');
  const std::string in_braces =
      is_row ? std::string() : fmt::format("{{{}{}", line, begins_list ? "]}" : "}");
  simdjson::dom::element json;
  if ((is_row ? parser_.parse(line.data(), line.size(), false) : parser_.parse(in_braces))
          .get(json) != simdjson::SUCCESS) {
    throw MalformedLine("it is no JSON");
  }
  if (is_row) {
    append_row(json);
    return false;
  }
  const simdjson::dom::object values = json.get_object().value_unsafe();
  if (begins_list) {
    if (values.size() != 1) throw MalformedLine("it is no list");
    list_ = (*values.begin()).key;
    place_ = Place::kRows;
    return false;
  }
  for (const auto& [key, value] : values) set_value(key, value);
  return false;
}

}  // namespace ompdm
