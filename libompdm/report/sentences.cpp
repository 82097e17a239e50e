#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::DirectiveRow;

bool has_devices(const Analysis& one) {
  return std::ranges::any_of(one.devices, [](const Device& device) { return !device.is_host; });
}

/// A host process or thread that plays a device: its times say nothing about a GPU.
bool is_emulated(const Device& device) { return device.emulated || device.type == "generic-64bit"; }

std::string command(const Analysis& one) {
  return one.process.arguments.empty() ? one.process.program
                                       : fmt::format("{}", fmt::join(one.process.arguments, " "));
}

/// Why nothing ran on a device though the runtime could be heard, as far as the recording tells;
/// empty if it does not.
std::string why_on_host(const Analysis& one) {
  if (one.recording.target_offload == "disabled") return "OMP_TARGET_OFFLOAD=DISABLED forbids it";
  if (!has_devices(one)) return "no device was initialized";
  return {};
}

/// Why no target event arrived, as far as the recording tells.
std::string reason(const Analysis& one) {
  const std::string& reach = one.recording.reach;
  if (reach == "unreachable") {
    return "libomptarget found no libomp.so and so could not reach the recorder";
  }
  if (reach == "other_runtime") {
    return "the target regions belong to another OpenMP runtime than the one that is recorded";
  }
  if (reach == "no_emi") return "this OpenMP runtime offers no EMI callbacks";
  if (reach != "ok" && reach != "cured")
    return "it is not known whether target events could arrive";
  const std::string why = why_on_host(one);
  if (!why.empty()) return why + ", so target regions, if there are any, ran on the host";
  return "no target construct was executed on a device";
}

std::uint64_t moved_bytes(const DirectiveRow& row) {
  return row.htod.bytes + row.dtoh.bytes + row.dtod.bytes;
}

std::uint64_t fallbacks(Analyses analyses) {
  std::uint64_t count = 0;
  for (const Analysis& one : analyses) {
    for (const DirectiveRow& row : one.directives) count += row.fallback_count;
  }
  return count;
}

/// "heat.cpp:41 moved 20.5 GB in 10 instances", of whoever moved most in any recording.
std::string culprit(Analyses analyses, const SourceNames& names) {
  const DirectiveRow* worst = nullptr;
  std::size_t recording = 0;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const std::size_t top = analyses[i].headline.top;
    if (top == analysis::kNoRow) continue;
    const DirectiveRow& row = analyses[i].directives[top];
    if (worst != nullptr && moved_bytes(*worst) >= moved_bytes(row)) continue;
    worst = &row;
    recording = i;
  }
  if (worst == nullptr) return {};
  const bool is_api =
      worst->directive == Directive::kApi || worst->directive == Directive::kRuntime;
  std::string text =
      fmt::format("{} moved {} in {}",
                  worst->directive == Directive::kRuntime ? "no directive" : names.place(*worst),
                  spoken_size(moved_bytes(*worst)),
                  is_api ? counted(worst->count, "operation", "operations")
                         : counted(worst->count, "instance", "instances"));
  const Ranks ranks = ranks_of(analyses);
  if (!ranks.key.empty()) text += fmt::format(" on {} {}", ranks.key, ranks.labels[recording]);
  return text;
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
  // Without device events of the runtime nothing is known of them.
  if (text.empty() && !analysis::knows_transfers(one)) return "not known";
  return text.empty() ? "none was initialized" : text;
}

/// Whether the row is in code of the program, whose compiler could have told its file and line.
bool lacks_line(const DirectiveRow& row) {
  const std::string_view module(row.module);
  const bool in_runtime = module.substr(module.rfind('/') + 1).starts_with("libomp");
  return row.directive != Directive::kRuntime && row.file.empty() && !in_runtime;
}

void warn_of_missing_lines(const Analysis& one, std::vector<std::string>& lines) {
  const auto missing = std::ranges::count_if(one.directives, lacks_line);
  if (missing == 0) return;
  const std::string what = fmt::format(
      "{} of {} {} no file and line, and no names of variables", missing,
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

void warn_of_end(const Analysis& one, const SourceNames& names, std::vector<std::string>& lines) {
  if (one.running) {
    lines.push_back("the process still runs: these are the figures up to now");
  } else if (!one.recording.finished && one.unfinished.empty()) {
    lines.push_back(
        "the process was killed or left without ending OpenMP: what it did until then is here");
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
    } else if (one.recording.finished) {
      lines.push_back(fmt::format("the process ended while inside {}", what));
    } else {
      lines.push_back(fmt::format("the process was killed inside {}", what));
    }
  }
}

}  // namespace

std::string link_sentence(const analysis::Link& link) {
  return fmt::format(
      "a model, not a measurement: each transfer takes {} and its bytes at {}/s ({}); kernels and "
      "host code took what they took when it was recorded",
      spoken_time(link.latency), spoken_size(std::llround(link.bytes_per_second)), link.name);
}

std::string headline(Analyses analyses, const SourceNames& names) {
  if (std::ranges::none_of(analyses, analysis::has_target_events)) {
    const Analysis& one = analyses.front();
    const std::string program = one.process.program.empty() ? "PROGRAM" : one.process.program;
    return fmt::format("no target event was recorded: {}: run `ompdm doctor {}`", reason(one),
                       program);
  }
  const auto untold = std::ranges::find_if_not(analyses, analysis::knows_transfers);
  if (untold != analyses.end()) {
    return fmt::format(
        "how much data moved is not known: {}; what the directives map is shown instead",
        reason(*untold));
  }
  const analysis::Totals totals = totals_of(analyses);
  const std::uint64_t bytes = totals.htod.bytes + totals.dtoh.bytes + totals.dtod.bytes;
  const std::uint64_t transfers = totals.htod.count + totals.dtoh.count + totals.dtod.count;
  if (bytes == 0 && totals.kernel.count == 0 && fallbacks(analyses) > 0) {
    std::string text = fmt::format("nothing ran on a device: {} ran on the host",
                                   counted(fallbacks(analyses), "kernel", "kernels"));
    const std::string why = why_on_host(analyses.front());
    return why.empty() ? text : text + ": " + why;
  }
  if (bytes == 0) {
    return fmt::format("no data moved: {} in {}", counted(totals.kernel.count, "kernel", "kernels"),
                       counted(totals.region.count, "directive", "directives"));
  }
  const std::string who = culprit(analyses, names);
  if (!std::ranges::all_of(analyses, [](const Analysis& one) {
        return one.headline.measured || !analysis::has_target_events(one);
      })) {
    return fmt::format("data movement is {} in {}, its share of the time is not known: {}",
                       spoken_size(bytes), counted(transfers, "transfer", "transfers"), who);
  }
  Nanoseconds transfer = 0;
  Nanoseconds device = 0;
  Nanoseconds wall = 0;
  for (const Analysis& one : analyses) {
    transfer += one.headline.transfer;
    device += one.headline.device;
    wall += one.process.wall;
  }
  std::string shares =
      fmt::format("data movement is {} of device time", spoken_share(transfer, device));
  if (wall > 0) shares += fmt::format(" and {} of wall", spoken_share(transfer, wall));
  const auto& link = analyses.front().link;
  return (link ? fmt::format("on a model of {}, ", link->name) : "") + shares + ": " + who;
}

std::string headline_basis(Analyses analyses) {
  if (std::ranges::none_of(analyses, analysis::has_target_events)) return {};
  if (!std::ranges::all_of(analyses, analysis::knows_transfers)) return {};
  const analysis::Totals totals = totals_of(analyses);
  if (totals.htod.bytes + totals.dtoh.bytes + totals.dtod.bytes == 0) return {};
  bool host = false;
  bool device = false;
  bool model = false;
  Nanoseconds busy = 0;
  Nanoseconds wall = 0;
  for (const Analysis& one : analyses) {
    if (!one.headline.measured && analysis::has_target_events(one)) {
      return "(this device works asynchronously and only the enqueueing of its operations was "
             "timed)";
    }
    host = host || one.headline.host_clock;
    device = device || one.headline.device_clock;
    model = model || one.headline.model_clock;
    busy += one.headline.device;
    wall += one.process.wall;
  }
  const char* clock = host && device ? "host and device clocks"
                      : device       ? "device clock"
                                     : "host clock";
  return fmt::format("(device time {}: union of copies and kernels, {}; wall {}{})",
                     spoken_time(busy), model ? fmt::format("{}, copies modelled", clock) : clock,
                     spoken_time(wall), analyses.size() > 1 ? ", all processes added" : "");
}

std::vector<std::string> warnings(const Analysis& one, const SourceNames& names) {
  std::vector<std::string> lines;
  if (one.link) lines.push_back(link_sentence(*one.link));
  if (one.truncated) {
    lines.push_back("the trace file is cut short: the figures cover its whole lines only");
  }
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
  for (const DirectiveRow& row : one.directives) {
    if (row.fallback_count == 0) continue;
    lines.push_back(fmt::format("{} ran on the host in {} of {}", names.place(row),
                                row.fallback_count, counted(row.count, "instance", "instances")));
  }
  return lines;
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
  std::vector<std::pair<std::string, std::string>> lines = {
      {"Program", command(one)},
      {"Process", where},
      {"Devices", device_list(one)},
      {"Wall", fmt::format("{}, host clock ({}){}", spoken_time(process.wall),
                           one.recording.clock.empty() ? "unknown" : one.recording.clock,
                           one.link ? ", re-timed" : "")},
      {"Runtime", runtime}};
  if (one.link) {
    lines.emplace_back("Link",
                       fmt::format("{}: a model, on which transfers are re-timed", one.link->name));
  }
  return lines;
}

std::string runtime_traffic(Analyses analyses) {
  const analysis::Flow flow = totals_of(analyses).runtime_internal;
  if (flow.count == 0) return {};
  return fmt::format("The runtime's own traffic, in no figure above: {} in {}",
                     spoken_size(flow.bytes), counted(flow.count, "operation", "operations"));
}

}  // namespace ompdm::report
