// Names of the fields and values in a trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ompdm/timeline.h"
#include "ompdm/trace.h"

namespace ompdm::trace_schema {

/// What every version of the format begins with, up to its version number.
inline constexpr std::string_view kOpening = R"({"otherData":{"schema":"ompdm.trace/)";
inline constexpr unsigned kVersion = 1;

/// The same of a timeline (TIMELINE.md), which is no trace.
inline constexpr std::string_view kTimelineOpening = R"({"otherData":{"schema":"ompdm.timeline/)";
inline constexpr unsigned kTimelineVersion = 1;

// Lines that stand alone, without the comma that may follow.
inline constexpr std::string_view kMetadataEnd = "}";
inline constexpr std::string_view kListEnd = "]";
/// What the line of the process begins with.
inline constexpr std::string_view kProcessKey = R"("process":)";
inline constexpr std::string_view kRecordingKey = R"("recording":)";
inline constexpr std::string_view kEventsBegin = R"("traceEvents":[)";
inline constexpr std::string_view kClosing = R"(],"displayTimeUnit":"ns"})";

/// No line is longer; a longer one can only come from a file that is not ours.
inline constexpr std::size_t kMaxLine = std::size_t{64} << 20;

/// JSON numbers up to here mean the same to every reader, larger ones are written as texts.
inline constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;

/// Instants up to here (13 days) survive the way through microseconds in a double; others are also
/// written as texts.
inline constexpr Nanoseconds kExactMicroseconds = Nanoseconds{1} << 50;

inline constexpr std::string_view kRegionCategory = "region";
inline constexpr std::string_view kLaunchCategory = "launch";
inline constexpr std::string_view kActivityPrefix = "cupti.";

template <std::size_t N>
using Words = std::array<std::string_view, N>;
/// The words of an enumeration, by enumerator.
template <class Enum>
inline constexpr Words<0> kWords = {};
template <>
inline constexpr Words<8> kWords<OpKind> = {"alloc",  "HtoD",   "DtoH",      "DtoD",
                                            "memset", "delete", "associate", "disassociate"};
template <>
inline constexpr Words<6> kWords<ActivityKind> = {"cupti.HtoD",   "cupti.DtoH",   "cupti.DtoD",
                                                  "cupti.memset", "cupti.kernel", "cupti.HtoH"};
template <>
inline constexpr Words<5> kWords<SynchronizationKind> = {
    "cupti.synchronize", "cupti.event_synchronize", "cupti.stream_wait_event",
    "cupti.stream_synchronize", "cupti.context_synchronize"};
template <>
inline constexpr Words<6> kWords<MemoryKind> = {"unknown", "pageable", "pinned",
                                                "device",  "array",    "managed"};
template <>
inline constexpr Words<7> kWords<Directive> = {
    "target", "target data", "target enter data", "target exit data", "target update",
    "api",    "runtime"};
template <>
inline constexpr Words<4> kWords<MakesMemory> = {"unknown", "no", "below", "itself"};
template <>
inline constexpr Words<4> kWords<LineSource> = {"none", "runtime", "dwarf", "kernel_name"};
template <>
inline constexpr Words<4> kWords<Clock> = {"host", "device", "enqueue", "model"};
template <>
inline constexpr Words<3> kWords<RealtimeClock::State> = {"unknown", "synchronized",
                                                          "unsynchronized"};
template <>
inline constexpr Words<6> kWords<Recording::Reach> = {"unknown",       "ok",    "unreachable",
                                                      "other_runtime", "cured", "no_emi"};
template <>
inline constexpr Words<4> kWords<Recording::Names> = {"on", "off", "failed", "unsupported"};
template <>
inline constexpr Words<5> kWords<Recording::Detail> = {"events", "tallies", "window", "spool_limit",
                                                       "part"};
template <>
inline constexpr Words<3> kWords<DeviceEvent::Kind> = {"initialize", "finalize", "load"};
template <>
inline constexpr Words<5> kWords<BadAccess::Of> = {"before", "behind", "freed", "host",
                                                   "host_free"};
template <>
inline constexpr Words<4> kWords<Agreement> = {"one_clock", "within", "unsynchronized", "unknown"};

/// The word for an enumerator.
template <class Enum>
constexpr std::string_view word_of(Enum value) {
  return kWords<Enum>[std::min(static_cast<std::size_t>(value), kWords<Enum>.size() - 1)];
}

/// The enumerator for a word.
template <class Enum>
constexpr std::optional<Enum> value_of(std::string_view word) {
  const auto at = std::ranges::find(kWords<Enum>, word);
  if (at == kWords<Enum>.end()) return std::nullopt;
  return static_cast<Enum>(at - kWords<Enum>.begin());
}

}  // namespace ompdm::trace_schema
