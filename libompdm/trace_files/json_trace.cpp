// Reads trace.json.
#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "trace_files/byte_stream.h"
#include "trace_files/json_rows.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_io.h"
#include "trace_files/trace_metadata.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

namespace dom = simdjson::dom;
using namespace trace_schema;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

/// The text of an event's key; empty if it has none.
std::string_view text_of(const dom::object& event, std::string_view key) {
  dom::element value;
  std::string_view text;
  if (event.at_key(key).get(value) != simdjson::SUCCESS) return {};
  if (value.get(text) != simdjson::SUCCESS) refuse_value(key);
  return text;
}

void expect_of_a_run(Nanoseconds time) {
  // Seventy years: durations, and sums of some, have room in 64 bits.
  constexpr Nanoseconds kLatestTime = Nanoseconds{1} << 61;
  if (time < -kLatestTime || time > kLatestTime)
    throw MalformedLine("its time is outside of any run");
}

Nanoseconds microseconds_of(const dom::element& value, std::string_view key) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || !(std::abs(number) < 1e15)) refuse_value(key);
  return std::llround(number * 1000);
}

/// A row of an event. `row` has what is absent in it.
template <class Row>
Row row_of(const dom::object& event, Row row) {
  int times = 0;
  dom::element value;
  if (event.at_key("args").get(value) == simdjson::SUCCESS) {
    dom::object args;
    if (value.get(args) != simdjson::SUCCESS) refuse_value("args");
    times = JsonRowReader::read(args, row, true);
  }
  if (event.at_key("bind_id").get(value) == simdjson::SUCCESS) {
    std::uint64_t id = 0;
    JsonRowReader::take(value, "bind_id", id);
    if (id == 0 || id > Index<Region>::kNone) refuse_value("bind_id");
    if constexpr (requires { row.region; }) row.region = {static_cast<std::uint32_t>(id - 1)};
  }
  if (times < 2) {
    dom::element duration_value;
    if (event.at_key("ts").get(value) != simdjson::SUCCESS ||
        event.at_key("dur").get(duration_value) != simdjson::SUCCESS) {
      throw MalformedLine("it has no ts or no dur");
    }
    row.begin = microseconds_of(value, "ts");
    const Nanoseconds duration = microseconds_of(duration_value, "dur");
    expect_of_a_run(duration);
    row.end = static_cast<Nanoseconds>(static_cast<std::uint64_t>(row.begin) +
                                       static_cast<std::uint64_t>(duration));
  }
  expect_of_a_run(row.begin);
  expect_of_a_run(row.end);
  return row;
}

// An event takes at least this much of a file, even of a compressed one.
constexpr std::uint64_t kSmallestEvent = 4;

class JsonReader {
 public:
  JsonReader(ByteSource& source, const std::string& name, std::uint64_t size)
      : name_(name), size_(size), lines_(source, kMaxLine) {
    trace_.file = name;
  }

  Trace read() && {
    read_opening();
    trace_.truncated = true;
    unless_damaged([&] {
      if (read_metadata({})) read_events();
    });
    if (trace_.truncated) drop_references_behind_the_cut();
    return std::move(trace_);
  }

  /// The metadata up to the line of that key.
  Trace read_head(std::string_view key) && {
    read_opening();
    unless_damaged([&] { read_metadata(key); });
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) {
    throw Error(fmt::format("{}: {}: {}", name_, what, remedy));
  }

  template <class Read>
  void unless_damaged(Read read) {
    try {
      read();
    } catch (const MalformedLine& malformed) {
      fail(fmt::format("line {} is damaged ({})", lines_.number(), malformed.what()), kCopyAgain);
    }
  }

  void read_opening() {
    std::string_view line;
    if (!lines_.next(line)) fail("is empty", "record the program again");
    if (!line.starts_with(kOpening)) {
      if (!lines_.ended() && kOpening.starts_with(line)) {
        fail("is cut short within its first line", kCopyAgain);
      }
      if (line.starts_with(kTimelineOpening)) {
        fail("is a timeline, a picture for viewers", "name the traces that it was made of");
      }
      if (line.starts_with("\177ELF")) {
        fail("is a program, not a trace", "record it with ompdm record, and name the trace");
      }
      const bool is_json = line.starts_with('{') || line.starts_with('[');
      fail(is_json ? "is JSON, but not a trace of ompdm" : "is not a trace of ompdm",
           "name a file that ompdm recorded");
    }
    line.remove_prefix(kOpening.size());
    const std::size_t quote = line.find('"');
    const auto version =
        quote == line.npos ? std::nullopt : parse_integer<std::uint64_t>(line.substr(0, quote));
    if (!lines_.ended()) fail("is cut short within its first line", kCopyAgain);
    if (!version || line.substr(quote + 1) != ",") {
      fail("has a first line as no ompdm writes it", kCopyAgain);
    }
    if (*version > trace_schema::kVersion) {
      fail(fmt::format("has the format ompdm.trace/{}, this ompdm reads up to {}", *version,
                       kTraceSchema),
           "use the ompdm that recorded it, or a newer one");
    }
  }

  // The next line that was written to its end.
  bool next(std::string_view& line) {
    if (!lines_.next(line)) return false;
    if (lines_.too_long()) throw MalformedLine("it is longer than any line of a trace");
    return lines_.ended();
  }

  /// Whether the file goes on with its events. Reads no further than the line of the key, if any.
  bool read_metadata(std::string_view last_key) {
    MetadataReader metadata(trace_);
    std::string_view line;
    bool is_read = false;
    while (!is_read && next(line)) {
      is_read = !last_key.empty() && line.starts_with(last_key);
      if (!metadata.read_line(line)) continue;
      metadata.reserve(size_ / kSmallestEvent, size_ / kSmallestEvent);
      return true;
    }
    return false;
  }

  void read_events() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with(']')) {
        trace_.truncated = !line.ends_with('}');
        return;
      }
      if (lines_.too_long()) throw MalformedLine("it is longer than any line of a trace");
      if (!lines_.ended()) return;
      if (line.ends_with(',')) line.remove_suffix(1);
      if (!line.empty()) read_event(line);
    }
  }

  /// Takes the JSON object of one event; LineReader::kPadding bytes behind it must be readable.
  /// Events that are not the model's (counters, names of tracks, categories of later versions) are
  /// passed over.
  void read_event(std::string_view object) {
    dom::object event;
    if (parser_.parse(object.data(), object.size(), false).get(event) != simdjson::SUCCESS) {
      throw MalformedLine("it is no JSON object");
    }
    if (text_of(event, "ph") != "X") return;
    const std::string_view category = text_of(event, "cat");
    if (category == kRegionCategory) {
      trace_.regions.push_back(row_of(event, Region{}));
    } else if (category == kLaunchCategory) {
      trace_.launches.push_back(row_of(event, Launch{}));
    } else if (const auto kind = value_of<OpKind>(category)) {
      DataOp op;
      op.kind = *kind;
      op.src_device = op.dst_device = trace_.host_device;
      trace_.ops.push_back(row_of(event, op));
    } else if (const auto did = value_of<ActivityKind>(category)) {
      DeviceActivity activity;
      activity.kind = *did;
      trace_.activities.push_back(row_of(event, activity));
    } else if (const auto waited = value_of<SynchronizationKind>(category)) {
      Synchronization wait;
      wait.kind = *waited;
      trace_.synchronizations.push_back(row_of(event, wait));
    }
  }

  // Regions are written before their operations unless an operation's clock put it before its
  // region.
  void drop_references_behind_the_cut() {
    const std::size_t regions = trace_.regions.size();
    const auto kept = [regions](std::uint32_t region) {
      return region < regions ? region : Index<Region>::kNone;
    };
    trace_.ops.change_regions(kept);
    trace_.launches.change_regions(kept);
    const auto drop_behind = [](const auto& rows, auto& index) {
      if (index && index.value >= rows.size()) index = {};
    };
    const auto drop = [&]<class T>(std::string_view, T& field, FieldRule = {}) {
      if constexpr (std::same_as<T, Index<Region>>) drop_behind(trace_.regions, field);
      if constexpr (std::same_as<T, Index<DataOp>>) drop_behind(trace_.ops, field);
      if constexpr (std::same_as<T, Index<Launch>>) drop_behind(trace_.launches, field);
    };
    for (DeviceActivity& activity : trace_.activities) fields(drop, activity);
    for (Synchronization& wait : trace_.synchronizations) fields(drop, wait);
    std::erase_if(trace_.unsent_items,
                  [&](const UnsentItem& item) { return item.region.value >= regions; });
    std::erase_if(trace_.block_touches, [&](const BlockTouch& touch) {
      return touch.launch.value >= trace_.launches.size();
    });
  }

  const std::string& name_;
  std::uint64_t size_;
  LineReader lines_;
  dom::parser parser_;  // of events
  Trace trace_;
};

}  // namespace

Trace read_json_trace(ByteSource& source, const std::string& name, std::uint64_t size) {
  return JsonReader(source, name, size).read();
}

Trace read_json_head(ByteSource& source, const std::string& name, std::string_view key) {
  return JsonReader(source, name, 0).read_head(key);
}

}  // namespace ompdm
