#include "ompdm/timeline.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "trace/byte_stream.h"
#include "trace/event_line.h"
#include "trace/json_text.h"
#include "trace/metadata_lines.h"
#include "trace/replacement.h"
#include "trace/trace_bytes.h"
#include "trace/trace_events.h"
#include "trace/trace_metadata_rows.h"
#include "trace/trace_schema.h"
#include "trace/tracks.h"

namespace ompdm {
namespace {

using nlohmann::ordered_json;
namespace schema = trace_schema;

constexpr std::array<std::string_view, 4> kAgreements = {"one_clock", "within", "unsynchronized",
                                                         "unknown"};

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

std::set<std::uint32_t> own_pids(const std::vector<Process>& processes) {
  std::set<std::uint32_t> pids;
  for (const Process& process : processes) pids.insert(process.pid);
  return pids;
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

ordered_json row(const ProcessRow& of) {
  return {{"rank", of.process.rank},
          {"program", to_utf8(of.process.program)},
          {"host", to_utf8(of.process.host)},
          {"file", to_utf8(of.file)},
          {"pid", of.process.pid},
          {"shown_pid", of.pid},
          {"offset_ns", signed_number(of.offset)},
          {"clock", of.group}};
}

// A group as the file tells it.
struct ClockRow {
  const ClockGroup& group;
};

ordered_json row(const ClockRow& of) {
  const ClockGroup& group = of.group;
  ordered_json json{{"boot_is_known", group.boot_is_known},
                    {"realtime", schema::name_of(schema::kRealtimeStates, group.realtime.state)}};
  if (group.realtime.state != RealtimeClock::State::kUnknown) {
    json["realtime_max_error_ns"] = signed_number(group.realtime.max_error);
    json["realtime_estimated_error_ns"] = signed_number(group.realtime.estimated_error);
  }
  return json;
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
  lines.value("begin_realtime_ns", signed_number(clock.begin_realtime_ns));
  lines.value("agreement", schema::name_of(kAgreements, clock.agreement));
  if (clock.agreement == Agreement::kWithin) lines.value("within_ns", signed_number(clock.within));
  lines.value("said", to_utf8(head.agreement));
  lines.list("clocks", clocks);
  lines.list("processes", rows);
  lines.end();
}

}  // namespace

struct TimelineWriter::File {
  File(const std::filesystem::path& path, const TimelineHead& head)
      : path_(path),
        head_(head),
        replacement_(std::make_unique<trace::Replacement>(path)),
        sink_(sink_on(replacement_->take_descriptor(), path)),
        line_(*sink_),
        fresh_(own_pids(head.processes)),
        pids_(pids_of(head.processes, fresh_)) {
    write_head(head_, pids_, *sink_);
  }

  File(int descriptor, const TimelineHead& head)
      : path_("standard output"),
        head_(head),
        sink_(sink_on_copy(descriptor, path_)),
        line_(*sink_),
        fresh_(own_pids(head.processes)),
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

TimelineWriter::TimelineWriter(const std::filesystem::path& path, const TimelineHead& head)
    : file_(std::make_unique<File>(path, head)) {}
TimelineWriter::TimelineWriter(int descriptor, const TimelineHead& head)
    : file_(std::make_unique<File>(descriptor, head)) {}
TimelineWriter::~TimelineWriter() = default;

void TimelineWriter::add(std::size_t process, const Trace& trace) { file_->add(process, trace); }

void TimelineWriter::close() { file_->close(); }

}  // namespace ompdm
