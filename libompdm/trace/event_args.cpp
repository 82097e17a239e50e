#include "trace/event_args.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "trace/json_text.h"
#include "trace/trace_schema.h"

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

}  // namespace ompdm
