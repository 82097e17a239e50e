#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "trace/json_fields.h"
#include "trace/tally_rows.h"
#include "trace/trace_metadata.h"
#include "trace/trace_row_reader.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

using namespace json_fields;
using namespace trace_schema;

template <class Row>
void append(const Json& value, std::vector<Row>& rows) {
  read_row(expect_object(value, "the row"), rows.emplace_back());
}

void append(const Json& value, std::vector<std::vector<MapItem>>& lists) {
  if (!value.is_array()) refuse_value("the row");
  std::vector<MapItem>& items = lists.emplace_back();
  items.reserve(value.size());
  for (const Json& item : value) append(item, items);
}

// Rows of lists that are not known are skipped: a later writer may have more.
void append_to(Trace& trace, std::string_view list, const Json& value) {
  if (list == "losses") append(value, trace.losses);
  if (list == "devices") append(value, trace.devices);
  if (list == "modules") append(value, trace.modules);
  if (list == "threads") append(value, trace.threads);
  if (list == "sites") append(value, trace.sites);
  if (list == "variables") append(value, trace.variables);
  if (list == "device_variables") append(value, trace.device_variables);
  if (list == "kernels") append(value, trace.kernels);
  if (list == "loops") append(value, trace.loops);
  if (list == "call_places") append(value, trace.call_places);
  if (list == "call_paths") append(value, trace.call_paths);
  if (list == "map_lists") append(value, trace.map_lists);
  if (list == "device_events") append(value, trace.device_events);
  if (list == "mapped_pointers") append(value, trace.mapped_pointers);
  if (list == "sources") append(value, trace.sources);
  if (list == "region_tallies") append(value, trace.region_tallies);
  if (list == "op_tallies") append(value, trace.op_tallies);
  if (list == "launch_tallies") append(value, trace.launch_tallies);
  if (list == "activity_tallies") append(value, trace.activity_tallies);
}

void set_value(Trace& trace, MetadataReader::Counts& counts, const std::string& key,
               const Json& value) {
  if (key == "process") {
    read_row(expect_object(value, "process"), trace.process);
  } else if (key == "recording") {
    read_row(expect_object(value, "recording"), trace.recording);
  } else if (key == "host_device") {
    convert(value, "host_device", trace.host_device);
  } else if (key == "counts") {
    get(expect_object(value, "counts"), "regions", counts.regions);
    get(value, "ops", counts.ops);
    get(value, "launches", counts.launches);
    get(value, "activities", counts.activities);
    get(value, "synchronizations", counts.synchronizations);
  } else if (value.is_array()) {
    for (const Json& item : value) append_to(trace, key, item);
  }
}

Json parse(std::string_view first, std::string_view second = {}, std::string_view third = {}) {
  const std::string text = fmt::format("{}{}{}", first, second, third);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw MalformedLine("it is no JSON");
  return value;
}

std::string_view without_comma(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool MetadataReader::read_line(std::string_view line) {
  line = without_comma(line);
  switch (place_) {
    case Place::kAfter:
      if (line == kEventsBegin) return true;
      throw MalformedLine("the events should begin here");
    case Place::kRows:
      if (line == kListEnd) {
        place_ = Place::kKeys;
      } else {
        append_to(trace_, list_, parse(line));
      }
      return false;
    case Place::kKeys:
      break;
  }
  if (line == kMetadataEnd) {
    place_ = Place::kAfter;
  } else if (line.ends_with('[')) {
    const Json opened = parse("{", line, "]}");
    if (opened.size() != 1) throw MalformedLine("it is no list");
    list_ = opened.begin().key();
    place_ = Place::kRows;
  } else {
    const Json values = parse("{", line, "}");
    for (const auto& [key, value] : values.items()) set_value(trace_, counts_, key, value);
  }
  return false;
}

}  // namespace ompdm
