#include "trace_files/tally_rows.h"

#include <fmt/format.h>

#include <concepts>
#include <string>

#include "trace_files/json_text.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

using nlohmann::ordered_json;
using namespace json_fields;
using namespace trace_schema;

// What differs from a row that has nothing.
class AggregateWriter {
 public:
  template <std::integral T>
  void field(const char* key, T value, T nothing) {
    if (value == nothing) return;
    if constexpr (std::same_as<T, bool> || sizeof(T) < sizeof(std::uint64_t)) {
      json_[key] = value;
    } else if (static_cast<std::uint64_t>(value) <= kExactInteger) {
      json_[key] = static_cast<std::uint64_t>(value);
    } else {
      json_[key] = std::signed_integral<T> ? fmt::format("{}", value) : fmt::format("{:#x}", value);
    }
  }
  template <class Row>
  void field(const char* key, Index<Row> value, Index<Row> nothing) {
    field(key, value.value, nothing.value);
  }
  template <class Enum, std::size_t N>
  void word(const char* key, const std::array<std::string_view, N>& words, Enum value,
            Enum nothing) {
    if (value != nothing) json_[key] = name_of(words, value);
  }
  void bins(const char* key, const Distribution& times) {
    ordered_json bins = ordered_json::array();
    for (std::size_t i = 0; i < Distribution::kBins; ++i) {
      if (times.bins[i] != 0) bins.push_back({i, times.bins[i]});
    }
    json_[key] = std::move(bins);
  }
  ordered_json take() { return std::move(json_); }

 private:
  ordered_json json_ = ordered_json::object();
};

class AggregateReader {
 public:
  explicit AggregateReader(const Json& object) : object_(object) {}

  template <class T>
  void field(const char* key, T& value, const T& /*nothing*/) {
    get(object_, key, value);
  }
  template <class Enum, std::size_t N>
  void word(const char* key, const std::array<std::string_view, N>& words, Enum& value,
            Enum /*nothing*/) {
    get_word(object_, key, words, value);
  }
  void bins(const char* key, Distribution& times) {
    for_each(object_, key, [&](const Json& item) {
      std::size_t bin = 0;
      if (!item.is_array() || item.size() != 2) refuse_value(key);
      convert(item[0], key, bin);
      if (bin >= Distribution::kBins) refuse_value(key);
      convert(item[1], key, times.bins[bin]);
    });
  }

 private:
  const Json& object_;
};

// The fields of each row, for both.

template <class Io, class Row>
void fields_of_region(Io& io, Row& row) {
  const Region none;
  io.field("site", row.site, none.site);
  io.field("path", row.path, none.path);
  io.field("thread", row.thread, none.thread);
  io.field("device", row.device, none.device);
  io.field("map_list", row.map_list, none.map_list);
  io.field("ends_data", row.ends_data, none.ends_data);
  io.field("host_fallback", row.host_fallback, none.host_fallback);
  io.field("nowait", row.nowait, none.nowait);
  io.field("begin_ns", row.begin, none.begin);
  io.field("end_ns", row.end, none.end);
}

template <class Io, class Row>
void fields_of_op(Io& io, Row& row) {
  const DataOp none;
  io.word("kind", kOpCategories, row.kind, OpKind{0xff});
  io.word("clock", kClocks, row.clock, none.clock);
  io.field("internal", row.internal, none.internal);
  io.field("site", row.site, none.site);
  io.field("path", row.path, none.path);
  io.field("variable", row.variable, none.variable);
  io.field("storage", row.storage, none.storage);
  io.field("thread", row.thread, none.thread);
  io.field("map_type", row.map_type, none.map_type);
  io.field("from", row.src_device, none.src_device);
  io.field("to", row.dst_device, none.dst_device);
  io.field("src", row.src, none.src);
  io.field("dst", row.dst, none.dst);
  io.field("like_bytes", row.bytes, none.bytes);
  io.field("begin_ns", row.begin, none.begin);
  io.field("end_ns", row.end, none.end);
}

template <class Io, class Row>
void fields_of_launch(Io& io, Row& row) {
  const Launch none;
  io.field("site", row.site, none.site);
  io.field("kernel", row.kernel, none.kernel);
  io.field("thread", row.thread, none.thread);
  io.field("device", row.device, none.device);
  io.word("clock", kClocks, row.clock, none.clock);
  io.field("requested_teams", row.requested_teams, none.requested_teams);
  io.field("num_teams", row.num_teams, none.num_teams);
  io.field("thread_limit", row.thread_limit, none.thread_limit);
  io.field("trip_count", row.trip_count, none.trip_count);
  io.field("begin_ns", row.begin, none.begin);
  io.field("end_ns", row.end, none.end);
}

template <class Io, class Times>
void fields_of_times(Io& io, Times& times) {
  const Distribution none;
  io.field("count", times.count, none.count);
  io.field("sum_ns", times.sum, none.sum);
  io.field("squares_low", times.squares_low, none.squares_low);
  io.field("squares_high", times.squares_high, none.squares_high);
  io.field("least_ns", times.least, none.least);
  io.field("most_ns", times.most, none.most);
  io.bins("bins", times);
}

template <class Io, class Tally>
void fields_of_op_tally(Io& io, Tally& tally) {
  const OpTally none;
  fields_of_op(io, tally.like);
  io.field("calls", tally.calls, none.calls);
  io.field("bytes", tally.bytes, none.bytes);
  io.field("least_bytes", tally.least_bytes, none.least_bytes);
  io.field("most_bytes", tally.most_bytes, none.most_bytes);
  fields_of_times(io, tally.times);
}

template <class Io, class Tally>
void fields_of_launch_tally(Io& io, Tally& tally) {
  fields_of_launch(io, tally.like);
  io.field("path", tally.path, {});
  fields_of_times(io, tally.times);
}

template <class Io, class Row>
void fields_of_activity(Io& io, Row& row) {
  const DeviceActivity none;
  io.word("kind", kActivityCategories, row.kind, ActivityKind{0xff});
  io.word("source_kind", kMemoryKinds, row.source, none.source);
  io.word("destination_kind", kMemoryKinds, row.destination, none.destination);
  io.field("internal", row.internal, none.internal);
  io.field("kernel", row.kernel, none.kernel);
  io.field("device", row.device, none.device);
  io.field("from", row.source_device, none.source_device);
  io.field("to", row.destination_device, none.destination_device);
  io.field("stream", row.stream, none.stream);
  io.field("context", row.context, none.context);
  io.field("correlation", row.correlation, none.correlation);
  io.field("begin_ns", row.begin, none.begin);
  io.field("end_ns", row.end, none.end);
  io.field("like_bytes", row.bytes, none.bytes);
  io.field("grid_x", row.grid[0], none.grid[0]);
  io.field("grid_y", row.grid[1], none.grid[1]);
  io.field("grid_z", row.grid[2], none.grid[2]);
  io.field("block_x", row.block[0], none.block[0]);
  io.field("block_y", row.block[1], none.block[1]);
  io.field("block_z", row.block[2], none.block[2]);
  io.field("registers", row.registers, none.registers);
  io.field("static_shared", row.static_shared, none.static_shared);
  io.field("dynamic_shared", row.dynamic_shared, none.dynamic_shared);
}

template <class Io, class Tally>
void fields_of_activity_tally(Io& io, Tally& tally) {
  const ActivityTally none;
  fields_of_activity(io, tally.like);
  io.field("op_tally", tally.op, none.op);
  io.field("launch_tally", tally.launch, none.launch);
  io.field("bytes", tally.bytes, none.bytes);
  io.field("least_bytes", tally.least_bytes, none.least_bytes);
  io.field("most_bytes", tally.most_bytes, none.most_bytes);
  fields_of_times(io, tally.times);
}

}  // namespace

ordered_json row(const ActivityTally& tally) {
  AggregateWriter writer;
  fields_of_activity_tally(writer, tally);
  return writer.take();
}

void read_row(const Json& object, ActivityTally& tally) {
  AggregateReader reader(object);
  fields_of_activity_tally(reader, tally);
}

ordered_json row(const RegionTally& tally) {
  AggregateWriter writer;
  fields_of_region(writer, tally.like);
  fields_of_times(writer, tally.times);
  return writer.take();
}

ordered_json row(const OpTally& tally) {
  AggregateWriter writer;
  fields_of_op_tally(writer, tally);
  return writer.take();
}

ordered_json row(const LaunchTally& tally) {
  AggregateWriter writer;
  fields_of_launch_tally(writer, tally);
  return writer.take();
}

void read_row(const Json& object, RegionTally& tally) {
  AggregateReader reader(object);
  fields_of_region(reader, tally.like);
  fields_of_times(reader, tally.times);
}

void read_row(const Json& object, OpTally& tally) {
  AggregateReader reader(object);
  fields_of_op_tally(reader, tally);
}

void read_row(const Json& object, LaunchTally& tally) {
  AggregateReader reader(object);
  fields_of_launch_tally(reader, tally);
}

}  // namespace ompdm
