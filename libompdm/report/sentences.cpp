#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::DirectiveRow;

/// A host process or thread that plays a device: its times say nothing about a GPU.
bool is_emulated(const Device& device) { return device.emulated || device.type == "generic-64bit"; }

std::string command(const Analysis& one) {
  return one.process.arguments.empty() ? one.process.program
                                       : fmt::format("{}", fmt::join(one.process.arguments, " "));
}

std::string times_of_emulation(const Device& device) {
  return is_emulated(device)
             ? "host devices (this machine's processor plays the device): times are of the host"
             : std::string();
}

/// "0..3: host devices ...; 4: sm_90 NVIDIA H200": equal neighbours together, the host left out.
std::string device_list(const Analysis& one) {
  std::string text;
  for (std::size_t i = 0; i < one.devices.size();) {
    const Device& device = one.devices[i];
    std::size_t end = i + 1;
    while (end < one.devices.size() && one.devices[end].type == device.type &&
           one.devices[end].name == device.name && one.devices[end].is_host == device.is_host) {
      ++end;
    }
    if (!device.is_host) {
      if (!text.empty()) text += "; ";
      text += end - i > 1 ? fmt::format("{}..{}: ", device.number, one.devices[end - 1].number)
                          : fmt::format("{}: ", device.number);
      const std::string emulation = times_of_emulation(device);
      text += !emulation.empty()    ? emulation
              : device.name.empty() ? device.type
                                    : fmt::format("{} ({})", device.name, device.type);
    }
    i = end;
  }
  // Without device events of the runtime, or behind a cut, nothing is known of them.
  if (text.empty() && (one.truncated || !analysis::knows_transfers(one))) return "not known";
  return text.empty() ? "none was initialized" : text;
}

/// Whether the row is in code of the program, whose compiler could have told its file.
bool lacks_line(const DirectiveRow& row) {
  const std::string_view module(row.module);
  const bool in_runtime = module.substr(module.rfind('/') + 1).starts_with("libomp");
  return row.directive != Directive::kRuntime && row.file.empty() && !in_runtime;
}

void warn_of_missing_lines(const Analysis& one, std::vector<std::string>& lines) {
  const auto missing = std::ranges::count_if(one.directives, lacks_line);
  if (missing == 0) return;
  const std::string what = fmt::format(
      "{} of {} {} no source file, and no names of variables", missing,
      counted(one.directives.size(), "directive", "directives"), missing == 1 ? "has" : "have");
  const bool all_named =
      one.recording.names == "on" && std::ranges::none_of(one.losses, [](const Loss& loss) {
        return loss.name == "names_unavailable" && loss.count > 0;
      });
  lines.push_back(what + (all_named ? ": compiled without -g (-gline-tables-only is enough)"
                          : one.recording.names == "off"
                              ? ": build with -g, and record without OMPDM_NAMES=off"
                              : ": build with -g; names came for some only (see `ompdm info`)"));
}

/// Whether the run was counted by its end: then it is not told which directives had begun.
bool ends_counted(const Analysis& one) {
  const Recording& recording = one.recording;
  return recording.detail == "tallies" ||
         (!recording.detail.empty() && !recording.is_part() &&
          (recording.told_to != 0 || recording.told_from >= one.process.wall));
}

void warn_of_end(const Analysis& one, const SourceNames& names, std::vector<std::string>& lines) {
  if (one.running) {
    lines.push_back("the process still runs: these are the figures up to now");
  } else if (!one.recording.finished && one.unfinished.empty()) {
    lines.push_back(std::string("the process was killed, or left by _exit, quick_exit or exec") +
                    (one.recording.is_part() ? "" : ": what it did until then is here") +
                    (ends_counted(one)
                         ? ", but not what it was in the middle of: events were only counted then"
                         : ""));
  }
  for (const analysis::UnfinishedRegion& region : one.unfinished) {
    const bool known = region.directive != analysis::kNoRow;
    const DirectiveRow* row = known ? &one.directives[region.directive] : nullptr;
    const std::string what =
        row == nullptr
            ? "a target region"
            : fmt::format("{} ({}, at least {} in)", names.place(*row),
                          analysis::directive_name(row->directive), spoken_time(region.elapsed));
    if (one.running) {
      lines.push_back(fmt::format("it is inside {}", what));
    } else {
      lines.push_back(fmt::format("the process ended inside {}", what));
    }
  }
}

}  // namespace

std::string link_name(const analysis::Link& link) {
  return fmt::format("a model of {}", link.name) +
         (link.kernels ? fmt::format(" and of kernels {:g} times as fast", *link.kernels) : "");
}

std::string link_sentence(const analysis::Link& link) {
  return fmt::format(
      "a model, not a measurement: each transfer takes {} and its bytes at {}/s ({}); {}",
      spoken_time(link.latency), spoken_size(std::llround(link.bytes_per_second)), link.name,
      link.kernels
          ? fmt::format("each kernel takes 1/{:g} of what it took when it was recorded, host code "
                        "as long as then",
                        *link.kernels)
          : "kernels and host code took what they took when it was recorded");
}

std::string told_part(const Analysis& one) {
  const Recording& recording = one.recording;
  if (recording.detail == "tallies") {
    return "the run was counted, not told event by event (OMPDM_DETAIL): there are no shares of "
           "the run's time, loops and findings";
  }
  const Nanoseconds wall = one.process.wall;
  const Nanoseconds to = recording.told_to != 0 ? recording.told_to : wall;
  if (recording.is_part()) {
    return fmt::format("a part of a run of {}, from {} to {}: all figures are of it alone",
                       spoken_time(wall), spoken_time(recording.told_from), spoken_time(to));
  }
  if (to <= recording.told_from) {
    if (recording.detail == "spool_limit") {
      return "the spool was full (OMPDM_MAX_SPOOL) before the window in which events are told "
             "began: the run was counted";
    }
    if (to < wall) {
      return "the window in which events are told ended before it began: the run was counted";
    }
    return one.running
               ? "the window in which events are told has not begun yet: the run is counted"
               : "the window in which events are told did not begin before the end: the run was "
                 "counted";
  }
  if (recording.told_from == 0 && recording.told_to == 0) {
    return one.running ? "the window in which events are told has not ended yet: all of the run is "
                         "told so far"
                       : "the window in which events are told did not end before the program did "
                         "(the directive of --until was not met, or --duration was not over): all "
                         "of the run is told";
  }
  const std::string part =
      recording.told_from == 0
          ? fmt::format("the first {} of {}", spoken_time(to), spoken_time(wall))
      : recording.told_to == 0
          ? fmt::format("the last {} of {}", spoken_time(to - recording.told_from),
                        spoken_time(wall))
          : fmt::format("{} from {} on, of {}", spoken_time(to - recording.told_from),
                        spoken_time(recording.told_from), spoken_time(wall));
  return fmt::format(
      "told event by event: {}{}: shares of the run's time, waits, loops and findings are of that "
      "part alone",
      part, recording.detail == "spool_limit" ? ", when the spool was full (OMPDM_MAX_SPOOL)" : "");
}

std::string left_part(const Analysis& one) {
  return one.truncated ? "the trace file is cut short: the figures cover its whole lines only"
                       : why_not_whole(one) +
                             ": figures, shares, loops and findings are of what was recorded";
}

std::vector<std::string> warnings(const Analysis& one, const SourceNames& names) {
  std::vector<std::string> lines;
  if (one.link) lines.push_back(link_sentence(*one.link));
  if (!one.recording.detail.empty()) lines.push_back(told_part(one));
  if (lacks_events(one)) lines.push_back(left_part(one));
  if (analysis::has_target_events(one)) warn_of_end(one, names, lines);
  if (one.recording.attached_by == "CUDA_INJECTION64_PATH") {
    lines.push_back("recorded through CUDA alone, without OMPT: no directive is known");
  }
  if (one.recording.cupti.starts_with("unavailable")) {
    lines.push_back("CUPTI " + one.recording.cupti + ": the device's own times are not known");
  }
  if (one.recording.reach == "unreachable" || one.recording.reach == "other_runtime") {
    lines.push_back(
        "the recorder was started by the program's first use of OpenMP's host runtime: target "
        "constructs before that, as a rule the first one, are in no figure");
  }
  warn_of_missing_lines(one, lines);
  for (const Loss& loss : one.losses) {
    if (loss.name != "calls_without_unwind_table" || loss.count == 0) continue;
    lines.push_back(fmt::format(
        "of {} neither the loops around {} nor the callers are known: compiled without unwind "
        "tables (-fasynchronous-unwind-tables makes them)",
        counted(loss.count, "call in the program's code", "calls in the program's code"),
        loss.count == 1 ? "it" : "them"));
  }
  for (const DirectiveRow& row : one.directives) {
    if (row.fallback_count == 0) continue;
    lines.push_back(fmt::format("{} ran on the host in {} of {}", names.place(row),
                                row.fallback_count, counted(row.count, "instance", "instances")));
  }
  return lines;
}

namespace {

/// What ompdm itself added is told apart as soon as it shows.
std::string wall_time(const Analysis& one) {
  const Nanoseconds hashing = one.process.wall - one.program_wall;
  const bool is_part = one.recording.is_part();
  std::string text = fmt::format(
      "{}{}, host clock ({}){}", is_part ? spoken_time(one.headline.span) + " of " : "",
      spoken_time(one.program_wall), one.recording.clock.empty() ? "unknown" : one.recording.clock,
      one.link ? ", re-timed" : "");
  const bool tells_shares =
      one.headline.measured && one.headline.transfer > 0 && (!one.link || one.link->kernels);
  if (tells_shares) text += "; " + device_time({&one, 1});
  if (spoken_time(one.process.wall) != spoken_time(one.program_wall)) {
    text += fmt::format("; and {} of ompdm's hashing", spoken_time(hashing));
  }
  return text;
}

}  // namespace

std::string device_time(Analyses analyses) {
  bool host = false;
  bool device = false;
  bool model = false;
  Nanoseconds busy = 0;
  for (const Analysis& one : analyses) {
    host = host || one.headline.host_clock;
    device = device || one.headline.device_clock;
    model = model || one.headline.model_clock;
    busy += one.headline.device;
  }
  return fmt::format("device time {} (union of copies and kernels{}{})", spoken_time(busy),
                     host && device ? ", host and device clocks"
                     : device       ? ", device clock"
                                    : "",
                     model ? ", modelled" : "");
}

std::vector<std::pair<std::string, std::string>> header(const Analysis& one) {
  const Process& process = one.process;
  std::string where =
      fmt::format("{} on {}", process.pid, process.host.empty() ? "an unknown host" : process.host);
  if (process.rank >= 0) {
    where += process.rank_count > 0
                 ? fmt::format(", rank {} of {}", process.rank, process.rank_count)
                 : fmt::format(", rank {}", process.rank);
  }
  std::string runtime = one.recording.runtime.empty() ? "unknown" : one.recording.runtime;
  if (!one.recording.attached_by.empty())
    runtime += ", recorder attached by " + one.recording.attached_by;
  std::vector<std::pair<std::string, std::string>> lines = {{"Program", command(one)},
                                                            {"Process", where + "; " + runtime},
                                                            {"Devices", device_list(one)},
                                                            {"Wall", wall_time(one)}};
  if (one.link) {
    lines.emplace_back("Link",
                       fmt::format("{}: a model, on which transfers{} are re-timed", one.link->name,
                                   one.link->kernels ? " and kernels" : ""));
  }
  return lines;
}

std::string header_value(const Analysis& analysis, std::string_view name) {
  for (const auto& [known, value] : header(analysis)) {
    if (known == name) return value;
  }
  return {};
}

std::string runtime_traffic(Analyses analyses) {
  const analysis::Flow flow = totals_of(analyses).runtime_internal;
  if (flow.count == 0) return {};
  return fmt::format("The runtime's own traffic, in no figure above: {} in {}",
                     spoken_size(flow.bytes), counted(flow.count, "operation", "operations"));
}

}  // namespace ompdm::report
