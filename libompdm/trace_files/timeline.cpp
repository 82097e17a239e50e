#include "ompdm/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "trace_files/atomic_file.h"
#include "trace_files/byte_stream.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_events.h"
#include "trace_files/trace_io.h"
#include "trace_files/trace_metadata.h"
#include "trace_files/trace_schema.h"
#include "trace_files/tracks.h"

namespace ompdm {

namespace {

using State = RealtimeClock::State;

// Files may say anything; these are 73 and 36 years, and no sum of them overflows.
constexpr std::int64_t kLatestStart = std::int64_t{1} << 61;
constexpr std::int64_t kLongestUp = std::int64_t{1} << 60;

std::int64_t realtime_of(const Process& process) {
  return std::clamp(process.start_realtime_ns, std::int64_t{0}, kLatestStart);
}

std::int64_t monotonic_of(const Process& process) {
  return std::clamp(process.start_monotonic_ns, std::int64_t{0}, kLongestUp);
}

bool tells_boot(const Process& process) {
  return !process.boot_id.empty() && process.start_monotonic_ns > 0;
}

// Two time namespaces of one boot have each its own CLOCK_MONOTONIC.
using Boot = std::tuple<std::string, std::uint64_t, std::string>;

Boot boot_of(const Process& process) {
  if (tells_boot(process)) return {process.boot_id, process.time_namespace, ""};
  return {"", 0, process.host};
}

std::vector<ClockGroup> groups_of(std::span<const Process> processes) {
  std::vector<ClockGroup> groups;
  std::map<Boot, std::size_t> known;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [at, is_new] = known.emplace(boot_of(processes[i]), groups.size());
    if (is_new) groups.emplace_back().boot_is_known = tells_boot(processes[i]);
    groups[at->second].processes.push_back(i);
  }
  return groups;
}

// The process whose CLOCK_REALTIME ties the group to others. In a group of one boot it is the one
// whose clock was least off at its start, as far as known. Processes that are not tied to each
// other need the one whose clock was most off.
const Process& tie_of(const ClockGroup& group, std::span<const Process> processes) {
  const auto doubt = [&](std::size_t at) {
    const RealtimeClock& clock = processes[at].realtime;
    const int state = clock.state == State::kSynchronized     ? 0
                      : clock.state == State::kUnsynchronized ? 1
                                                              : 2;
    return std::pair(state, clock.max_error);
  };
  return processes[group.boot_is_known ? *std::ranges::min_element(group.processes, {}, doubt)
                                       : *std::ranges::max_element(group.processes, {}, doubt)];
}

// Those two processes may be farthest apart whose clocks may be off most.
Nanoseconds sum_of_largest_two(const std::vector<ClockGroup>& groups) {
  Nanoseconds most = 0;
  Nanoseconds second = 0;
  const auto add = [&](Nanoseconds error) {
    second = std::max(second, std::min(most, error));
    most = std::max(most, error);
  };
  for (const ClockGroup& group : groups) {
    const Nanoseconds error = std::clamp(group.realtime.max_error, Nanoseconds{0}, kLongestUp);
    add(error);
    if (!group.boot_is_known && group.processes.size() > 1) add(error);
  }
  // Kernels tell whole microseconds.
  constexpr Nanoseconds kFinest = 1000;
  return std::max(most + second, kFinest);
}

void tell_agreement(OneClock& clock) {
  const auto& groups = clock.groups;
  const auto has = [&](State state) {
    return std::ranges::any_of(
        groups, [&](const ClockGroup& group) { return group.realtime.state == state; });
  };
  const bool is_one = groups.size() <= 1 && (clock.offsets.size() <= 1 || groups[0].boot_is_known);
  clock.agreement = is_one                        ? Agreement::kOneClock
                    : has(State::kUnsynchronized) ? Agreement::kUnsynchronized
                    : has(State::kUnknown)        ? Agreement::kUnknown
                                                  : Agreement::kWithin;
  clock.within = clock.agreement == Agreement::kWithin ? sum_of_largest_two(groups) : 0;
}

}  // namespace

OneClock one_clock(std::span<const Process> processes) {
  OneClock clock;
  clock.groups = groups_of(processes);
  clock.offsets.resize(processes.size());
  for (ClockGroup& group : clock.groups) {
    const Process& tie = tie_of(group, processes);
    group.realtime = tie.realtime;
    const std::int64_t boot = realtime_of(tie) - monotonic_of(tie);
    for (const std::size_t at : group.processes) {
      const Process& process = processes[at];
      clock.offsets[at] = group.boot_is_known ? boot + monotonic_of(process) : realtime_of(process);
    }
  }
  if (processes.empty()) return clock;
  clock.begin_realtime_ns = *std::ranges::min_element(clock.offsets);
  for (Nanoseconds& offset : clock.offsets) offset -= clock.begin_realtime_ns;
  tell_agreement(clock);
  return clock;
}

OneClock only(const OneClock& all, std::span<const std::size_t> chosen) {
  OneClock clock;
  clock.begin_realtime_ns = all.begin_realtime_ns;
  std::map<std::size_t, std::size_t> places;
  for (const std::size_t at : chosen) {
    places.emplace(at, clock.offsets.size());
    clock.offsets.push_back(all.offsets[at]);
  }
  for (ClockGroup group : all.groups) {
    std::vector<std::size_t> kept;
    for (const std::size_t at : group.processes) {
      if (const auto place = places.find(at); place != places.end()) kept.push_back(place->second);
    }
    group.processes = std::move(kept);
    std::ranges::sort(group.processes);
    if (!group.processes.empty()) clock.groups.push_back(std::move(group));
  }
  tell_agreement(clock);
  return clock;
}

namespace {

namespace schema = trace_schema;

// Two hosts may have given out the same number: the first keeps it.
std::vector<std::uint32_t> pids_of(const std::vector<Process>& processes, Pids& fresh) {
  std::set<std::uint32_t> given{0};
  std::vector<std::uint32_t> pids;
  for (const Process& process : processes) {
    const bool is_free = given.insert(process.pid).second;
    pids.push_back(is_free ? process.pid : fresh.next());
  }
  return pids;
}

Pids other_pids(const std::vector<Process>& processes) {
  std::set<std::uint32_t> taken;
  for (const Process& process : processes) taken.insert(process.pid);
  return Pids(std::move(taken));
}

Placement place_of(const Process& process, std::uint32_t pid) {
  const std::string_view program = program_name(process);
  const bool has_rank = process.rank >= 0;
  const std::string rank = fmt::format("rank {}: ", process.rank);
  Placement place;
  place.pid = pid;
  place.name = fmt::format("{}{} ({})", has_rank ? rank : "", program, process.host);
  place.devices = has_rank ? rank : fmt::format("{} {}: ", program, process.pid);
  return place;
}

// A process as the file tells it.
struct ProcessRow {
  const Process& process;
  const std::string& file;
  std::uint32_t pid;
  Nanoseconds offset;
  std::size_t group;
};

template <class Visit, RowOf<ProcessRow> Row>
void fields(Visit&& visit, Row& row) {
  visit("rank", row.process.rank);
  visit("program", row.process.program);
  visit("host", row.process.host);
  visit("file", row.file);
  visit("pid", row.process.pid);
  visit("shown_pid", row.pid);
  visit("offset_ns", row.offset);
  visit("clock", row.group);
}

// A group as the file tells it.
struct ClockRow {
  const ClockGroup& group;
};

template <class Visit, RowOf<ClockRow> Row>
void fields(Visit&& visit, Row& row) {
  const RealtimeClock& realtime = row.group.realtime;
  visit("boot_is_known", row.group.boot_is_known);
  if (realtime.state == State::kUnknown) visit("realtime", realtime.state);
  fields(visit, realtime);
}

void write_head(const TimelineHead& head, const std::vector<std::uint32_t>& pids, ByteSink& sink) {
  const OneClock& clock = head.clock;
  std::vector<std::size_t> groups(head.processes.size());
  std::vector<ClockRow> clocks;
  for (std::size_t i = 0; i < clock.groups.size(); ++i) {
    clocks.push_back({clock.groups[i]});
    for (const std::size_t at : clock.groups[i].processes) groups[at] = i;
  }
  std::vector<ProcessRow> rows;
  for (std::size_t i = 0; i < head.processes.size(); ++i) {
    rows.push_back({head.processes[i], head.files[i], pids[i], clock.offsets[i], groups[i]});
  }
  MetadataLines lines(sink, schema::kTimelineOpening, schema::kTimelineVersion);
  lines.value("begin_realtime_ns", clock.begin_realtime_ns);
  lines.value("agreement", clock.agreement);
  if (clock.agreement == Agreement::kWithin) lines.value("within_ns", clock.within);
  lines.value("said", head.agreement);
  lines.list("clocks", clocks);
  lines.list("processes", rows);
  lines.end();
}

}  // namespace

struct TimelineWriter::File {
  File(const std::filesystem::path& path, const TimelineHead& head,
       std::unique_ptr<trace::Replacement> replacement, std::unique_ptr<ByteSink> sink)
      : path_(path),
        head_(head),
        replacement_(std::move(replacement)),
        sink_(std::move(sink)),
        line_(*sink_),
        fresh_(other_pids(head.processes)),
        pids_(pids_of(head.processes, fresh_)) {
    write_head(head_, pids_, *sink_);
  }

  void add(std::size_t process, const Trace& trace) {
    check_references(trace, path_.string());
    Placement place = place_of(head_.processes[process], pids_[process]);
    place.flows = flows_;
    place.order = groups_;
    line_.shift(head_.clock.offsets[process]);
    groups_ += write_events(trace, place, fresh_, line_);
    flows_ += trace.regions.size();
  }

  void close() {
    line_.flush();
    sink_->write(fmt::format("\n{}\n", schema::kClosing));
    sink_->close();
    if (replacement_) replacement_->put();
  }

 private:
  std::filesystem::path path_;
  TimelineHead head_;
  std::unique_ptr<trace::Replacement> replacement_;  // none: the descriptor is somebody's
  std::unique_ptr<ByteSink> sink_;
  EventLine line_;
  Pids fresh_;
  std::vector<std::uint32_t> pids_;  // by process
  std::uint64_t flows_ = 0;
  std::size_t groups_ = 0;
};

TimelineWriter::TimelineWriter(const std::filesystem::path& path, const TimelineHead& head) {
  auto replacement = std::make_unique<trace::Replacement>(path);
  auto sink = sink_on(replacement->take_descriptor(), path);
  file_ = std::make_unique<File>(path, head, std::move(replacement), std::move(sink));
}

TimelineWriter::TimelineWriter(int descriptor, const TimelineHead& head) {
  constexpr const char* kName = "standard output";
  file_ = std::make_unique<File>(kName, head, nullptr, sink_on_copy(descriptor, kName));
}

TimelineWriter::~TimelineWriter() = default;

void TimelineWriter::add(std::size_t process, const Trace& trace) { file_->add(process, trace); }

void TimelineWriter::close() { file_->close(); }

}  // namespace ompdm
