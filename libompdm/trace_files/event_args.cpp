#include "trace_files/event_args.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "trace_files/trace_schema.h"

namespace ompdm {

namespace {

namespace dom = simdjson::dom;
using namespace trace_schema;

// A perfect hash of the args' keys: one comparison tells which it is, or that it is none.
constexpr std::size_t kSlots = 256;
constexpr std::size_t slot_of(std::string_view key) {
  const auto at = [key](std::size_t i) { return std::size_t{static_cast<unsigned char>(key[i])}; };
  return (key.size() + at(0) * 1 + at(key.size() / 2) * 3 + at(key.size() - 1) * 50) % kSlots;
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

template <class Integer>
void take(const dom::element& value, std::string_view key, Integer& out) {
  if (value.is<std::uint64_t>()) {
    const std::uint64_t number = value.get<std::uint64_t>().value_unsafe();
    if (!std::in_range<Integer>(number)) refuse_value(key);
    out = static_cast<Integer>(number);
    return;
  }
  if (value.is<std::int64_t>()) {
    const std::int64_t number = value.get<std::int64_t>().value_unsafe();
    if (!std::in_range<Integer>(number)) refuse_value(key);
    out = static_cast<Integer>(number);
    return;
  }
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) refuse_value(key);
  const auto number = parse_integer<Integer>(text);
  if (!number) refuse_value(key);
  out = *number;
}

void take(const dom::element& value, std::string_view key, bool& out) {
  if (value.get(out) != simdjson::SUCCESS) refuse_value(key);
}

template <class Enum, std::size_t N>
void take_word(const dom::element& value, std::string_view key,
               const std::array<std::string_view, N>& words, Enum& out) {
  std::string_view word;
  const auto found =
      value.get(word) == simdjson::SUCCESS ? value_of<Enum>(words, word) : std::nullopt;
  if (!found) refuse_value(key);
  out = *found;
}

void take(const dom::element& value, std::string_view key, Clock& out) {
  take_word(value, key, kClocks, out);
}

void take(const dom::element& value, std::string_view key, MemoryKind& out) {
  take_word(value, key, kMemoryKinds, out);
}

}  // namespace

std::uint64_t take_unsigned(const dom::element& value, std::string_view key) {
  std::uint64_t number = 0;
  take(value, key, number);
  return number;
}

Nanoseconds take_microseconds(const dom::element& value, std::string_view key) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || !(std::abs(number) < 1e15)) refuse_value(key);
  return std::llround(number * 1000);
}

void EventArgs::set(std::string_view key, const dom::element& value) {
  switch (arg_of(key)) {
    case Arg::kBeginNs:
      return take(value, key, begin_ns.emplace());
    case Arg::kBytes:
      return take(value, key, bytes);
    case Arg::kCall:
      return take(value, key, call);
    case Arg::kClock:
      return take(value, key, clock);
    case Arg::kComponents:
      return take(value, key, components);
    case Arg::kDevice:
      return take(value, key, device);
    case Arg::kDst:
      return take(value, key, dst);
    case Arg::kEndNs:
      return take(value, key, end_ns.emplace());
    case Arg::kEndsData:
      return take(value, key, ends_data);
    case Arg::kFingerprint:
      return take(value, key, fingerprint);
    case Arg::kFrom:
      return take(value, key, from);
    case Arg::kHash:
      return take(value, key, hash);
    case Arg::kHashingAfterNs:
      return take(value, key, hashing_after_ns);
    case Arg::kHashingNs:
      return take(value, key, hashing_ns);
    case Arg::kHostFallback:
      return take(value, key, host_fallback);
    case Arg::kInternal:
      return take(value, key, internal);
    case Arg::kKernel:
      return take(value, key, kernel);
    case Arg::kMadeNs:
      return take(value, key, made_ns);
    case Arg::kMaker:
      return take(value, key, maker);
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
    case Arg::kStorage:
      return take(value, key, storage);
    case Arg::kThread:
      return take(value, key, thread);
    case Arg::kThreadLimit:
      return take(value, key, thread_limit);
    case Arg::kTo:
      return take(value, key, to);
    case Arg::kTripCount:
      return take(value, key, trip_count);
    case Arg::kTrivial:
      return take(value, key, trivial);
    case Arg::kUnfinished:
      return take(value, key, unfinished);
    case Arg::kVariable:
      return take(value, key, variable);
    case Arg::kBlockX:
      return take(value, key, block[0]);
    case Arg::kBlockY:
      return take(value, key, block[1]);
    case Arg::kBlockZ:
      return take(value, key, block[2]);
    case Arg::kGridX:
      return take(value, key, grid[0]);
    case Arg::kGridY:
      return take(value, key, grid[1]);
    case Arg::kGridZ:
      return take(value, key, grid[2]);
    case Arg::kRegisters:
      return take(value, key, registers);
    case Arg::kStaticShared:
      return take(value, key, static_shared);
    case Arg::kDynamicShared:
      return take(value, key, dynamic_shared);
    case Arg::kStream:
      return take(value, key, stream);
    case Arg::kContext:
      return take(value, key, context);
    case Arg::kCorrelation:
      return take(value, key, correlation);
    case Arg::kOp:
      return take(value, key, op);
    case Arg::kPath:
      return take(value, key, path);
    case Arg::kLaunch:
      return take(value, key, launch);
    case Arg::kSourceKind:
      return take(value, key, source_kind);
    case Arg::kDestinationKind:
      return take(value, key, destination_kind);
    case Arg::kCount:
      return;
  }
}

namespace {

using namespace trace_schema;

constexpr std::uint32_t kNone = Index<Region>::kNone;

void add_exact_times(Nanoseconds begin, Nanoseconds end, EventLine& line) {
  if (is_exact(begin, end)) return;
  line.arg_text(Arg::kBeginNs, line.shifted(begin));
  line.arg_text(Arg::kEndNs, line.shifted(end));
}

void add_clock(Clock clock, EventLine& line) {
  if (clock != Clock::kHost) line.arg(Arg::kClock, name_of(kClocks, clock));
}

void add_memory_kind(Arg arg, MemoryKind kind, EventLine& line) {
  if (kind != MemoryKind::kUnknown) line.arg(arg, name_of(kMemoryKinds, kind));
}

}  // namespace

bool is_exact(Nanoseconds begin, Nanoseconds end) {
  return begin <= end && begin > -kExactMicroseconds && end < kExactMicroseconds;
}

void write_args(const Region& region, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kSite, region.site.value);
  line.arg_unless(kNone, Arg::kPath, region.path.value);
  line.arg_unless(line.shifted(0), Arg::kMadeNs, line.shifted(region.made));
  line.arg_unless(0U, Arg::kMaker, region.maker);
  line.arg_unless(0U, Arg::kThread, region.thread);
  line.arg_unless(-1, Arg::kDevice, region.device);
  line.arg_unless(kNone, Arg::kMapList, region.map_list);
  line.arg_flag(Arg::kEndsData, region.ends_data);
  line.arg_flag(Arg::kUnfinished, region.unfinished);
  line.arg_flag(Arg::kHostFallback, region.host_fallback);
  line.arg_flag(Arg::kNowait, region.nowait);
  line.arg_unless(Nanoseconds{0}, Arg::kHashingNs, region.hashing);
  line.arg_unless(Nanoseconds{0}, Arg::kHashingAfterNs, region.hashing_after);
  line.arg_unless(0U, Arg::kComponents, region.components);
  add_exact_times(region.begin, region.end, line);
}

void write_args(const DataOp& op, bool in_flow, std::int32_t host_device, EventLine& line) {
  line.args();
  line.arg_unless(std::uint64_t{0}, Arg::kBytes, op.bytes);
  line.arg_unless(kNone, Arg::kSite, op.site.value);
  line.arg_unless(kNone, Arg::kPath, op.path.value);
  line.arg_unless(kNone, Arg::kVariable, op.variable.value);
  line.arg_unless(0U, Arg::kStorage, op.storage);
  if (!in_flow) line.arg_unless(kNone, Arg::kRegion, op.region.value);
  line.arg_unless(0U, Arg::kThread, op.thread);
  line.arg_unless(host_device, Arg::kFrom, op.src_device);
  line.arg_unless(host_device, Arg::kTo, op.dst_device);
  line.arg_hexadecimal(Arg::kSrc, op.src);
  line.arg_hexadecimal(Arg::kDst, op.dst);
  line.arg_unless(0U, Arg::kCall, op.call);
  line.arg_unless(0U, Arg::kMapType, op.map_type);
  line.arg_hexadecimal(Arg::kFingerprint, op.fingerprint);
  line.arg_hexadecimal(Arg::kHash, op.hash);
  line.arg_flag(Arg::kTrivial, op.trivial);
  add_clock(op.clock, line);
  line.arg_flag(Arg::kInternal, op.internal);
  line.arg_flag(Arg::kUnfinished, op.unfinished);
  add_exact_times(op.begin, op.end, line);
}

void write_args(const Launch& launch, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kSite, launch.site.value);
  line.arg_unless(kNone, Arg::kKernel, launch.kernel.value);
  line.arg_unless(0U, Arg::kThread, launch.thread);
  line.arg_unless(-1, Arg::kDevice, launch.device);
  line.arg_unless(0U, Arg::kRequestedTeams, launch.requested_teams);
  line.arg_unless(0U, Arg::kNumTeams, launch.num_teams);
  line.arg_unless(0U, Arg::kThreadLimit, launch.thread_limit);
  line.arg_unless(std::uint64_t{0}, Arg::kTripCount, launch.trip_count);
  add_clock(launch.clock, line);
  line.arg_flag(Arg::kUnfinished, launch.unfinished);
  add_exact_times(launch.begin, launch.end, line);
}

void write_args(const DeviceActivity& activity, EventLine& line) {
  line.args();
  line.arg_unless(std::uint64_t{0}, Arg::kBytes, activity.bytes);
  line.arg_unless(kNone, Arg::kOp, activity.op.value);
  line.arg_unless(kNone, Arg::kLaunch, activity.launch.value);
  line.arg_unless(kNone, Arg::kKernel, activity.kernel.value);
  line.arg_unless(-1, Arg::kDevice, activity.device);
  line.arg_unless(-1, Arg::kFrom, activity.source_device);
  line.arg_unless(-1, Arg::kTo, activity.destination_device);
  add_memory_kind(Arg::kSourceKind, activity.source, line);
  add_memory_kind(Arg::kDestinationKind, activity.destination, line);
  line.arg_unless(0U, Arg::kContext, activity.context);
  line.arg_unless(0U, Arg::kStream, activity.stream);
  line.arg_unless(0U, Arg::kCorrelation, activity.correlation);
  constexpr Arg kGrid[] = {Arg::kGridX, Arg::kGridY, Arg::kGridZ};
  constexpr Arg kBlock[] = {Arg::kBlockX, Arg::kBlockY, Arg::kBlockZ};
  for (std::size_t i = 0; i < 3; ++i) line.arg_unless(0U, kGrid[i], activity.grid[i]);
  for (std::size_t i = 0; i < 3; ++i) line.arg_unless(0U, kBlock[i], activity.block[i]);
  line.arg_unless(0U, Arg::kRegisters, activity.registers);
  line.arg_unless(0U, Arg::kStaticShared, activity.static_shared);
  line.arg_unless(0U, Arg::kDynamicShared, activity.dynamic_shared);
  line.arg_flag(Arg::kInternal, activity.internal);
  add_exact_times(activity.begin, activity.end, line);
}

void write_args(const Synchronization& wait, EventLine& line) {
  line.args();
  line.arg_unless(kNone, Arg::kOp, wait.op.value);
  line.arg_unless(kNone, Arg::kRegion, wait.region.value);
  line.arg_unless(-1, Arg::kDevice, wait.device);
  line.arg_unless(0U, Arg::kContext, wait.context);
  line.arg_unless(0U, Arg::kStream, wait.stream);
  line.arg_unless(0U, Arg::kCorrelation, wait.correlation);
  add_exact_times(wait.begin, wait.end, line);
}

namespace {

std::string place_of(std::string_view file, int line) {
  if (file.empty()) return {};
  const std::size_t slash = file.rfind('/');
  return fmt::format(" {}:{}", slash == file.npos ? file : file.substr(slash + 1), line);
}

// Every event repeats its label: one of a template's instances can be as long as a page.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 256;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string label(const Site& site) {
  const std::string_view what =
      site.api.empty() ? trace_schema::name_of(trace_schema::kDirectives, site.directive)
                       : std::string_view(site.api);
  return fmt::format("{}{}", what, place_of(site.file, site.line));
}

std::string label(const Kernel& kernel) {
  const std::string_view what = kernel.function.empty() ? kernel.name : kernel.function;
  return fmt::format("{}{}", what.empty() ? "kernel" : what, place_of(kernel.file, kernel.line));
}

}  // namespace

EventLabels::EventLabels(const Trace& trace)
    : trace_(trace), region_(json_string("region")), launch_(json_string("kernel")) {
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    activities_[i] = json_string(trace_schema::kActivityCategories[i]);
  }
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    waits_[i] = json_string(trace_schema::kSynchronizationCategories[i]);
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    ops_[i] = json_string(trace_schema::kOpCategories[i]);
  }
  for (const Site& site : trace.sites) {
    const std::string name = shortened(label(site));
    sites_.push_back(json_string(name));
    site_ends_.push_back(json_string("end " + name));
  }
  for (const Variable& variable : trace.variables) {
    variables_.push_back(variable.name.empty() ? std::string()
                                               : json_string(shortened(variable.name)));
  }
  for (const Kernel& kernel : trace.kernels)
    kernels_.push_back(json_string(shortened(label(kernel))));
}

const std::string& EventLabels::of(const Region& region) const {
  if (!region.site) return region_;
  return region.ends_data ? site_ends_[region.site.value] : sites_[region.site.value];
}

const std::string& EventLabels::of(const DataOp& op) const {
  if (op.variable && !variables_[op.variable.value].empty()) return variables_[op.variable.value];
  return ops_[static_cast<std::size_t>(op.kind) % ops_.size()];
}

const std::string& EventLabels::of(const Launch& launch) const {
  return launch.kernel ? kernels_[launch.kernel.value] : launch_;
}

const std::string& EventLabels::of(const DeviceActivity& activity) const {
  if (activity.op) return of(trace_.ops[activity.op.value]);
  if (activity.kind == ActivityKind::kKernel) {
    return activity.kernel ? kernels_[activity.kernel.value] : launch_;
  }
  return activities_[static_cast<std::size_t>(activity.kind) % activities_.size()];
}

const std::string& EventLabels::of(const Synchronization& wait) const {
  return waits_[static_cast<std::size_t>(wait.kind) % waits_.size()];
}

}  // namespace ompdm
