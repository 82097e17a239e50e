// Traces written by hand, one call an event, on a clock that the calls themselves move on. For
// tests only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ompdm/trace.h"

namespace ompdm::test {

inline constexpr Nanoseconds kMicrosecond = 1000;
inline constexpr Nanoseconds kMillisecond = 1000 * kMicrosecond;

/// Everything is on thread 0 and device 0 until told otherwise; each event begins where the last
/// one ended.
class TraceBuilder {
 public:
  TraceBuilder() {
    trace.process.pid = 4711;
    trace.process.host = "node17";
    trace.process.program = "./heat";
    trace.process.arguments = {"./heat"};
    trace.recording.ompdm_version = "0.1.0";
    trace.recording.runtime = "LLVM OMP version: 5.0.20140926";
    trace.recording.clock = "tsc";
    trace.recording.attached_by = "LD_PRELOAD";
    trace.recording.reach = Recording::Reach::kOk;
    trace.recording.names = Recording::Names::kOn;
    trace.recording.finished = true;
    trace.losses = {{"records_no_space", 0}, {"ops_unmatched", 0}};
    trace.host_device = 1;
    trace.devices = {{0, "generic-64bit", "", false, true}, {1, "host", "", true, false}};
    trace.threads = {{4711}};
    trace.modules = {{"/home/ada/heat/heat", "0123456789abcdef", 0x555555554000}};
  }

  Index<Site> site(Directive directive, const std::string& file, int line,
                   const std::string& function) {
    Site row;
    row.directive = directive;
    row.file = file;
    row.line = line;
    row.column = 1;
    row.function = function;
    row.source = line > 0 ? LineSource::kRuntime : LineSource::kNone;
    row.module = {0};
    row.address = 0x1000 + 0x10 * trace.sites.size();
    trace.sites.push_back(row);
    return {static_cast<std::uint32_t>(trace.sites.size() - 1)};
  }

  Index<Site> api(const std::string& routine, const std::string& file, int line,
                  const std::string& function) {
    const Index<Site> index = site(Directive::kApi, file, line, function);
    trace.sites.back().api = routine;
    return index;
  }

  /// A call of `caller`'s function, or of one that nobody called, at that place.
  Index<CallPath> call(Index<CallPath> caller, const std::string& function, const std::string& file,
                       int line) {
    CallPlace place;
    place.module = {0};
    place.address = 0x2000 + 0x10 * trace.call_places.size();
    place.frames = {{function, file, line, 1}};
    trace.call_places.push_back(place);
    const auto position = static_cast<std::uint32_t>(trace.call_paths.size());
    trace.call_paths.push_back({caller, {position}, 0x1000, 0});
    return {position};
  }

  Index<Variable> variable(const std::string& name, std::uint64_t bytes,
                           const std::string& file = "", int line = 0) {
    Variable row;
    row.name = name;
    row.expression = name;
    row.file = file;
    row.line = line;
    row.bytes = bytes;
    row.address = 0x7f0000000000 + 0x10000000 * trace.variables.size();
    trace.variables.push_back(row);
    return {static_cast<std::uint32_t>(trace.variables.size() - 1)};
  }

  /// Lets the host compute for this long.
  void wait(Nanoseconds duration) { now += duration; }

  Index<Region> begin(Index<Site> at, bool ends_data = false) {
    Region row;
    row.site = at;
    row.thread = thread;
    row.device = 0;
    row.begin = now;
    row.end = now;
    row.ends_data = ends_data;
    trace.regions.push_back(row);
    region = {static_cast<std::uint32_t>(trace.regions.size() - 1)};
    return region;
  }

  void end() {
    trace.regions.edit(region.value)->end = now;
    region = {};
  }

  DedupColumn<DataOp>::Edit op(OpKind kind, Index<Variable> what, std::uint64_t bytes,
                               Nanoseconds duration) {
    DataOp row;
    row.kind = kind;
    row.clock = clock;
    row.thread = thread;
    row.region = region;
    if (region) row.site = trace.regions[region.value].site;
    row.variable = what;
    const bool from_device = kind == OpKind::kDtoH || kind == OpKind::kDelete;
    row.src_device = from_device ? 0 : trace.host_device;
    row.dst_device = from_device ? trace.host_device : 0;
    // A variable has one place on the host, and the same one on a device each time.
    const std::uint64_t host = what ? trace.variables[what.value].address : 0;
    const std::uint64_t device = what ? host + kToDevice : kNamelessOnDevice;
    row.src = from_device || kind == OpKind::kDtoD ? device : host;
    row.dst = kind == OpKind::kDelete ? 0 : kind == OpKind::kDtoH ? host : device;
    row.begin = now;
    now += duration;
    row.end = now;
    row.bytes = bytes;
    trace.ops.push_back(row);
    return trace.ops.edit_back();
  }

  DedupColumn<Launch>::Edit launch(Nanoseconds duration) {
    Launch row;
    row.region = region;
    if (region) row.site = trace.regions[region.value].site;
    row.thread = thread;
    row.device = 0;
    row.clock = clock;
    row.begin = now;
    now += duration;
    row.end = now;
    trace.launches.push_back(row);
    return trace.launches.edit_back();
  }

  /// The finished trace, whose wall ends here.
  Trace take() {
    trace.process.wall = now;
    return std::move(trace);
  }

  static constexpr std::uint64_t kToDevice = 0x10000000000;
  static constexpr std::uint64_t kNamelessOnDevice = 0x7d0000000000;

  Trace trace;
  Nanoseconds now = 0;
  std::uint32_t thread = 0;
  Clock clock = Clock::kHost;
  Index<Region> region;  ///< that encloses what comes next
};

}  // namespace ompdm::test
