#include "timeline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "clock_words.h"
#include "inputs.h"
#include "link_model.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/one_clock.h"
#include "ompdm/summary.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "ompdm/window.h"
#include "one_run.h"
#include "open_trace.h"
#include "standard_input.h"

namespace ompdm::cli {
namespace {

struct Named {
  OneRecording recording;
  std::optional<Trace> trace;  ///< where it cannot be read twice
};

/// The process of a trace that is there; what has to be finished first is, and what comes through a
/// pipe is kept.
Named name_one(const std::string& name) {
  if (!is_pipe(name) && !is_spool(name) && !is_spool(name + ".spool")) {
    const std::string file = named_trace(name);
    if (is_trace(file)) return {{file, read_process(file)}, {}};
  }
  OpenedTrace opened = open_trace(name);
  Named one{{opened.trace.file, opened.trace.process}, {}};
  if (name == kStandardInput || is_pipe(name)) one.trace = std::move(opened.trace);
  return one;
}

/// In the order of ranks.
std::vector<Named> name_all(const std::vector<std::string>& files, bool as_inputs) {
  std::vector<Named> named;
  std::vector<OneRecording> recordings;
  for (const std::string& file : files) {
    recordings.push_back(named.emplace_back(name_one(file)).recording);
  }
  check_apart(recordings);
  if (!as_inputs) check_ranks(recordings);
  std::vector<Named> sorted;
  for (const std::size_t at : rank_order(recordings)) sorted.push_back(std::move(named[at]));
  return sorted;
}

summary::RankSet parse_ranks(const std::string& text) {
  try {
    return summary::RankSet(text);
  } catch (const Error& error) {
    throw Error(fmt::format("--rank {}: {}: write it as 0,3-5", text, error.what()),
                Error::Kind::kUsage);
  }
}

std::vector<std::size_t> choose(const std::vector<Named>& named, const std::string& text) {
  const summary::RankSet wanted = parse_ranks(text);
  std::vector<std::size_t> chosen;
  summary::RankSet there;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int32_t rank = named[i].recording.process.rank;
    if (rank >= 0) there.add(summary::RankSet(rank));
    if (text.empty() || wanted.contains(rank)) chosen.push_back(i);
  }
  summary::RankSet both = there;
  both.add(wanted);
  if (both.size() > there.size()) {
    throw Error(
        fmt::format("--rank {}: not all are among these traces: {}", text,
                    there.empty() ? "none is of a rank" : "they are of ranks " + there.text()),
        Error::Kind::kUsage);
  }
  return chosen;
}

/// The instant of the timeline in a process's own time.
Nanoseconds own_time(Nanoseconds instant, Nanoseconds offset) {
  constexpr Nanoseconds kLeast = std::numeric_limits<Nanoseconds>::min();
  return instant < kLeast + offset ? kLeast : instant - offset;
}

Trace read_again(Named& named) {
  if (named.trace) return std::move(*named.trace);
  Trace trace = open_trace(named.recording.file).trace;
  const Process& before = named.recording.process;
  const bool is_same = trace.process.pid == before.pid && trace.process.host == before.host &&
                       trace.process.start_realtime_ns == before.start_realtime_ns;
  if (!is_same) {
    throw Error(named.recording.file + ": became another run's while it was read: try again");
  }
  return trace;
}

void check_name(const std::string& output) {
  if (output.ends_with(".ompdm")) {
    throw Error(output + ": a timeline is JSON: name it .json", Error::Kind::kUsage);
  }
}

/// From the first one's start to the last one's end, on their clock.
Span span_of(const TimelineHead& head) {
  Span span{std::numeric_limits<Nanoseconds>::max(), std::numeric_limits<Nanoseconds>::min()};
  for (std::size_t i = 0; i < head.processes.size(); ++i) {
    const Nanoseconds begin = head.clock.offsets[i];
    span.from = std::min(span.from, begin);
    span.to = std::max(span.to, begin + head.processes[i].wall);
  }
  return span;
}

std::unique_ptr<TimelineWriter> open_writer(const std::string& output, const TimelineHead& head) {
  return output.empty() ? std::make_unique<TimelineWriter>(STDOUT_FILENO, head)
                        : std::make_unique<TimelineWriter>(output, head);
}

}  // namespace

void write_timeline(const TimelineOptions& options, const NamedTraces& of) {
  check_name(options.output);
  const std::optional<analysis::Link> link = link_of(of.model);
  std::vector<Named> named = name_all(options.files, of.as == kAsInputs);
  std::vector<Process> processes;
  for (const Named& one : named) processes.push_back(one.recording.process);
  const std::vector<std::size_t> chosen = choose(named, options.ranks);
  TimelineHead head;
  head.clock = only(one_clock(processes), chosen);
  for (const std::size_t at : chosen) {
    head.processes.push_back(processes[at]);
    head.files.push_back(named[at].recording.file);
  }
  head.agreement = clock_words(head.clock, head.processes);
  fmt::print(stderr, "ompdm: {}\n", head.agreement);

  const bool is_whole = options.part.is_whole();
  const Span part = is_whole ? Span{} : part_of(options.part, span_of(head), "these runs last");
  const std::unique_ptr<TimelineWriter> writer = open_writer(options.output, head);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Trace trace = read_again(named[chosen[i]]);
    if (link) trace = analysis::retime(std::move(trace), *link);
    if (!is_whole) {
      const Nanoseconds offset = head.clock.offsets[i];
      trace = window_of(trace, own_time(part.from, offset), own_time(part.to, offset));
    }
    writer->add(i, trace);
  }
  writer->close();
}

}  // namespace ompdm::cli
