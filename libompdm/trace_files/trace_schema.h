// Names of the fields and values in a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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
/// Categories of data operations, by OpKind.
inline constexpr std::array<std::string_view, 8> kOpCategories = {
    "alloc", "HtoD", "DtoH", "DtoD", "memset", "delete", "associate", "disassociate"};
inline constexpr std::string_view kActivityPrefix = "cupti.";
/// By ActivityKind, each with that prefix.
inline constexpr std::array<std::string_view, 6> kActivityCategories = {
    "cupti.HtoD", "cupti.DtoH", "cupti.DtoD", "cupti.memset", "cupti.kernel", "cupti.HtoH"};
/// By SynchronizationKind.
inline constexpr std::array<std::string_view, 5> kSynchronizationCategories = {
    "cupti.synchronize", "cupti.event_synchronize", "cupti.stream_wait_event",
    "cupti.stream_synchronize", "cupti.context_synchronize"};
/// By MemoryKind.
inline constexpr std::array<std::string_view, 6> kMemoryKinds = {"unknown", "pageable", "pinned",
                                                                 "device",  "array",    "managed"};
/// By Directive.
inline constexpr std::array<std::string_view, 7> kDirectives = {
    "target", "target data", "target enter data", "target exit data", "target update",
    "api",    "runtime"};
/// By MakesMemory.
inline constexpr std::array<std::string_view, 4> kMakesMemory = {"unknown", "no", "below",
                                                                 "itself"};
/// By LineSource.
inline constexpr std::array<std::string_view, 4> kLineSources = {"none", "runtime", "dwarf",
                                                                 "kernel_name"};
/// By Clock.
inline constexpr std::array<std::string_view, 4> kClocks = {"host", "device", "enqueue", "model"};
/// By RealtimeClock::State.
inline constexpr std::array<std::string_view, 3> kRealtimeStates = {"unknown", "synchronized",
                                                                    "unsynchronized"};
/// By DeviceEvent::Kind.
inline constexpr std::array<std::string_view, 3> kDeviceEvents = {"initialize", "finalize", "load"};

/// The word for an enumerator.
template <class Enum, std::size_t N>
constexpr std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) {
  const auto position = static_cast<std::size_t>(value);
  return position < N ? names[position] : names[N - 1];
}

/// The enumerator for a word.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> value_of(const std::array<std::string_view, N>& names,
                                       std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// All words of an enumeration, by enumerator.
constexpr const auto& words_of(OpKind) { return kOpCategories; }
constexpr const auto& words_of(ActivityKind) { return kActivityCategories; }
constexpr const auto& words_of(SynchronizationKind) { return kSynchronizationCategories; }
constexpr const auto& words_of(MemoryKind) { return kMemoryKinds; }
constexpr const auto& words_of(Clock) { return kClocks; }
constexpr const auto& words_of(Directive) { return kDirectives; }
constexpr const auto& words_of(MakesMemory) { return kMakesMemory; }
constexpr const auto& words_of(LineSource) { return kLineSources; }
constexpr const auto& words_of(RealtimeClock::State) { return kRealtimeStates; }
constexpr const auto& words_of(DeviceEvent::Kind) { return kDeviceEvents; }

/// The word for an enumerator of those.
template <class Enum>
constexpr std::string_view word_of(Enum value) {
  return name_of(words_of(value), value);
}

}  // namespace ompdm::trace_schema
