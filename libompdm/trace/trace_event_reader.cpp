#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "trace/json_text.h"
#include "trace/trace_events.h"
#include "trace/trace_metadata.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

namespace dom = simdjson::dom;
using namespace trace_schema;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

// A perfect hash of the args' keys: one comparison tells which it is, or that it is none.
constexpr std::size_t kSlots = 128;
constexpr std::size_t slot_of(std::string_view key) {
  return (key.size() + static_cast<unsigned char>(key.front()) * 3 +
          static_cast<unsigned char>(key.back()) * 9) %
         kSlots;
}
constexpr auto kArgSlots = [] {
  std::array<Arg, kSlots> slots{};
  for (Arg& slot : slots) slot = Arg::kCount;
  for (std::size_t i = 0; i < kArgs.size(); ++i) slots[slot_of(kArgs[i])] = static_cast<Arg>(i);
  return slots;
}();
constexpr bool is_perfect() {
  for (std::size_t i = 0; i < kArgs.size(); ++i) {
    if (kArgSlots[slot_of(kArgs[i])] != static_cast<Arg>(i)) return false;
  }
  return true;
}
static_assert(is_perfect(), "two args share a slot: choose other factors");

Arg arg_of(std::string_view key) {
  if (key.empty()) return Arg::kCount;
  const Arg arg = kArgSlots[slot_of(key)];
  return arg != Arg::kCount && kArgs[static_cast<std::size_t>(arg)] == key ? arg : Arg::kCount;
}

[[noreturn]] void refuse(std::string_view key) {
  throw MalformedLine(fmt::format("{} has no value that makes sense", key));
}

template <class Integer>
void take(const dom::element& value, std::string_view key, Integer& out) {
  if (value.is<std::uint64_t>()) {
    const std::uint64_t number = value.get<std::uint64_t>().value_unsafe();
    if (!std::in_range<Integer>(number)) refuse(key);
    out = static_cast<Integer>(number);
    return;
  }
  if (value.is<std::int64_t>()) {
    const std::int64_t number = value.get<std::int64_t>().value_unsafe();
    if (!std::in_range<Integer>(number)) refuse(key);
    out = static_cast<Integer>(number);
    return;
  }
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) refuse(key);
  if constexpr (std::is_signed_v<Integer>) {
    const auto number = parse_signed(text);
    if (!number || !std::in_range<Integer>(*number)) refuse(key);
    out = static_cast<Integer>(*number);
  } else {
    const auto number = parse_unsigned(text);
    if (!number || !std::in_range<Integer>(*number)) refuse(key);
    out = static_cast<Integer>(*number);
  }
}

void take(const dom::element& value, std::string_view key, bool& out) {
  if (value.get(out) != simdjson::SUCCESS) refuse(key);
}

void take(const dom::element& value, std::string_view key, Clock& out) {
  std::string_view word;
  const auto clock =
      value.get(word) == simdjson::SUCCESS ? value_of<Clock>(kClocks, word) : std::nullopt;
  if (!clock) refuse(key);
  out = *clock;
}

Nanoseconds take_microseconds(const dom::element& value, std::string_view key) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || !(std::abs(number) < 1e15)) refuse(key);
  return std::llround(number * 1000);
}

// The args of any of our events; what is absent keeps the value that its absence means.
struct Args {
  std::optional<Nanoseconds> begin_ns;
  std::optional<Nanoseconds> end_ns;
  std::uint64_t bytes = 0;
  std::uint64_t dst = 0;
  std::uint64_t src = 0;
  std::uint64_t trip_count = 0;
  std::uint32_t kernel = Index<Kernel>::kNone;
  std::uint32_t map_list = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t map_type = 0;
  std::uint32_t num_teams = 0;
  std::uint32_t region = Index<Region>::kNone;
  std::uint32_t requested_teams = 0;
  std::uint32_t site = Index<Site>::kNone;
  std::uint32_t thread = 0;
  std::uint32_t thread_limit = 0;
  std::uint32_t variable = Index<Variable>::kNone;
  std::int32_t device = -1;
  std::int32_t from = -1;
  std::int32_t to = -1;
  Clock clock = Clock::kHost;
  bool ends_data = false;
  bool host_fallback = false;
  bool internal = false;
  bool nowait = false;
  bool unfinished = false;

  void set(std::string_view key, const dom::element& value) {
    switch (arg_of(key)) {
      case Arg::kBeginNs:
        return take(value, key, begin_ns.emplace());
      case Arg::kBytes:
        return take(value, key, bytes);
      case Arg::kClock:
        return take(value, key, clock);
      case Arg::kDevice:
        return take(value, key, device);
      case Arg::kDst:
        return take(value, key, dst);
      case Arg::kEndNs:
        return take(value, key, end_ns.emplace());
      case Arg::kEndsData:
        return take(value, key, ends_data);
      case Arg::kFrom:
        return take(value, key, from);
      case Arg::kHostFallback:
        return take(value, key, host_fallback);
      case Arg::kInternal:
        return take(value, key, internal);
      case Arg::kKernel:
        return take(value, key, kernel);
      case Arg::kMapList:
        return take(value, key, map_list);
      case Arg::kMapType:
        return take(value, key, map_type);
      case Arg::kNowait:
        return take(value, key, nowait);
      case Arg::kNumTeams:
        return take(value, key, num_teams);
      case Arg::kRegion:
        return take(value, key, region);
      case Arg::kRequestedTeams:
        return take(value, key, requested_teams);
      case Arg::kSite:
        return take(value, key, site);
      case Arg::kSrc:
        return take(value, key, src);
      case Arg::kThread:
        return take(value, key, thread);
      case Arg::kThreadLimit:
        return take(value, key, thread_limit);
      case Arg::kTo:
        return take(value, key, to);
      case Arg::kTripCount:
        return take(value, key, trip_count);
      case Arg::kUnfinished:
        return take(value, key, unfinished);
      case Arg::kVariable:
        return take(value, key, variable);
      case Arg::kCount:
        return;
    }
  }
};

struct Event {
  std::string_view phase;
  std::string_view category;
  std::optional<dom::element> begin;
  std::optional<dom::element> duration;
  std::optional<dom::element> bind_id;
  std::optional<dom::element> args;
};

Event read_keys(const dom::object& object) {
  Event event;
  for (const auto& [key, value] : object) {
    if (key == "ph") {
      if (value.get(event.phase) != simdjson::SUCCESS) refuse(key);
    } else if (key == "cat") {
      if (value.get(event.category) != simdjson::SUCCESS) refuse(key);
    } else if (key == "ts") {
      event.begin = value;
    } else if (key == "dur") {
      event.duration = value;
    } else if (key == "bind_id") {
      event.bind_id = value;
    } else if (key == "args") {
      event.args = value;
    }
  }
  return event;
}

template <class Row>
void set_times(const Event& event, const Args& args, Row& row) {
  if (args.begin_ns && args.end_ns) {
    row.begin = *args.begin_ns;
    row.end = *args.end_ns;
    return;
  }
  if (!event.begin || !event.duration) throw MalformedLine("it has no ts or no dur");
  row.begin = take_microseconds(*event.begin, "ts");
  row.end = row.begin + take_microseconds(*event.duration, "dur");
}

Region region_of(const Event& event, const Args& args) {
  Region region;
  region.site.value = args.site;
  region.thread = args.thread;
  region.device = args.device;
  region.map_list = args.map_list;
  region.ends_data = args.ends_data;
  region.unfinished = args.unfinished;
  region.host_fallback = args.host_fallback;
  region.nowait = args.nowait;
  set_times(event, args, region);
  return region;
}

DataOp op_of(const Event& event, const Args& args, OpKind kind) {
  DataOp op;
  op.kind = kind;
  op.clock = args.clock;
  op.internal = args.internal;
  op.unfinished = args.unfinished;
  op.thread = args.thread;
  op.region.value = args.region;
  op.site.value = args.site;
  op.variable.value = args.variable;
  op.map_type = args.map_type;
  op.src_device = args.from;
  op.dst_device = args.to;
  op.bytes = args.bytes;
  op.src = args.src;
  op.dst = args.dst;
  set_times(event, args, op);
  return op;
}

Launch launch_of(const Event& event, const Args& args) {
  Launch launch;
  launch.region.value = args.region;
  launch.site.value = args.site;
  launch.kernel.value = args.kernel;
  launch.thread = args.thread;
  launch.device = args.device;
  launch.clock = args.clock;
  launch.unfinished = args.unfinished;
  launch.requested_teams = args.requested_teams;
  launch.num_teams = args.num_teams;
  launch.thread_limit = args.thread_limit;
  launch.trip_count = args.trip_count;
  set_times(event, args, launch);
  return launch;
}

}  // namespace

struct EventReader::Parser {
  dom::parser json;
};

EventReader::EventReader(Trace& trace) : trace_(trace), parser_(std::make_unique<Parser>()) {}
EventReader::~EventReader() = default;

void EventReader::read_event(std::string_view object) {
  dom::object keys;
  if (parser_->json.parse(object.data(), object.size(), false).get(keys) != simdjson::SUCCESS) {
    throw MalformedLine("it is no JSON object");
  }
  const Event event = read_keys(keys);
  if (event.phase != "X") return;
  const bool is_region = event.category == kRegionCategory;
  const bool is_launch = event.category == kLaunchCategory;
  const auto kind = value_of<OpKind>(kOpCategories, event.category);
  if (!is_region && !is_launch && !kind) return;

  Args args;
  args.from = trace_.host_device;
  args.to = trace_.host_device;
  if (event.args) {
    dom::object fields;
    if (event.args->get(fields) != simdjson::SUCCESS) refuse("args");
    for (const auto& [key, value] : fields) args.set(key, value);
  }
  if (event.bind_id) {
    std::uint64_t id = 0;
    take(*event.bind_id, "bind_id", id);
    if (id == 0 || id > Index<Region>::kNone) refuse("bind_id");
    args.region = static_cast<std::uint32_t>(id - 1);
  }
  if (is_region) {
    trace_.regions.push_back(region_of(event, args));
  } else if (is_launch) {
    trace_.launches.push_back(launch_of(event, args));
  } else {
    trace_.ops.push_back(op_of(event, args, *kind));
  }
}

}  // namespace ompdm
