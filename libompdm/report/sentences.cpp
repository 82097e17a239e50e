#include "report/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "ompdm/report.h"
#include "report/source_names.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::DirectiveRow;
using analysis::Doubt;
using analysis::LoopRow;

/// In the order of Doubt::Reason, from kDeviceAddress on.
constexpr std::string_view kDoubts[] = {
    "its device address was given out", "a mapped pointer points to it",
    "pointers that are declare target may point to it", "a table of pointers may hold it",
    "kernels may name it without a clause"};

/// "Below threshold: 3 findings of less than 1 % each (12 transfers, 3.40 KB, 20 allocations):
/// --all shows them."
std::string withheld(const Analysis& one) {
  if (one.withheld.findings == 0) return {};
  std::string what;
  if (one.withheld.transfers > 0) {
    what = fmt::format("{}, {}", counted(one.withheld.transfers, "transfer"),
                       spoken_size(one.withheld.bytes));
  }
  if (one.withheld.allocations > 0) {
    what += (what.empty() ? "" : ", ") + counted(one.withheld.allocations, "allocation");
  }
  return fmt::format("Below threshold: {} of less than 1 % each ({}): --all shows them.",
                     counted(one.withheld.findings, "finding"), what);
}

bool is_of_kernels(const Doubt& doubt) { return doubt.reason != Doubt::Reason::kNoChangeKnown; }

/// "Not called redundant: 8 transfers, 64.0 KB with known content that kernels may have changed
/// (a mapped pointer points to it)."
std::string doubted(const Analysis& one) {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> reasons;
  for (const Doubt& doubt : one.doubts) {
    if (!is_of_kernels(doubt)) continue;
    transfers += doubt.transfers;
    bytes += doubt.bytes;
    reasons.emplace_back(kDoubts[static_cast<std::size_t>(doubt.reason) - 1]);
    if (one.doubts.size() > 1) reasons.back() += fmt::format(": {}", doubt.transfers);
  }
  if (reasons.empty()) return {};
  return fmt::format(
      "Not called redundant: {}, {} with known content that kernels may have changed ({}).",
      counted(transfers, "transfer"), spoken_size(bytes), fmt::join(reasons, "; "));
}

/// The findings that the source refutes: redundant in this run, and needed with other inputs.
/// Each is like "8 transfers, 64.0 KB of buf at main.c:30 (tiles.c:12 changes it)". Empty if there
/// is none.
std::string refuted(const Analysis& one) {
  std::vector<std::string> all;
  for (const Finding& finding : one.refuted) {
    for (const analysis::SourceAnswer& answer : finding.answers) {
      if (answer.answer != HostUse::Answer::kYes) continue;
      const std::string place =
          answer.at.line == 0
              ? "a kernel"
              : place_text(analysis::SourcePlace{answer.at.file, answer.at.line, {}, 0});
      all.push_back(
          fmt::format("{}, {} of {} at {} ({} changes {})", counted(finding.count, "transfer"),
                      spoken_size(finding.wasted_bytes), finding.variable,
                      place_text(analysis::SourcePlace{finding.file, finding.line, {}, 0}), place,
                      answer.data.empty() ? "it" : spoken_list(answer.data)));
      break;
    }
  }
  if (all.empty()) return {};
  return fmt::format("Redundant in this run, and needed with other inputs by the source: {}.",
                     fmt::join(all, "; "));
}

/// "15 transfers, 262 KB had content that was on the device: no finding shows how to avoid these."
std::string unavoided(const Analysis& one) {
  const auto found = std::ranges::find_if_not(one.doubts, is_of_kernels);
  if (found == one.doubts.end()) return {};
  return fmt::format("{}, {} had content that was on the device: no finding shows how to avoid {}.",
                     counted(found->transfers, "transfer"), spoken_size(found->bytes),
                     found->transfers == 1 ? "it" : "these");
}

/// Less than one part in kLeastShare, or fewer bytes, is a scalar beside the data: not worth a
/// line.
constexpr std::uint64_t kLeastShare = 100;
constexpr std::uint64_t kLeastBytes = 256;
constexpr std::size_t kMostRecurring = 3;  // of a loop

/// "a (jacobi.cpp:75), b (jacobi.cpp:75) and 2 more".
std::string named(const std::vector<std::string>& items) {
  constexpr std::size_t kMost = 3;
  const auto shown = items | std::views::take(kMost);
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (items.size() > kMost) text += fmt::format(" and {} more", items.size() - kMost);
  return text;
}

/// "134.3 of 134.4 MB": both in the unit of the whole, with as many decimals as tell them apart.
std::string part_of(std::uint64_t part, std::uint64_t whole) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double scale = 1;
  std::size_t unit = 0;
  while (static_cast<double>(whole) >= 1000 * scale && unit + 1 < std::size(kUnits)) {
    scale *= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} of {} B", part, whole);
  std::string of_part;
  std::string of_whole;
  for (int decimals = 1; of_part == of_whole && decimals <= 3; ++decimals) {
    of_part = fmt::format("{:.{}f}", static_cast<double>(part) / scale, decimals);
    of_whole = fmt::format("{:.{}f}", static_cast<double>(whole) / scale, decimals);
    if (part == whole) break;
  }
  return fmt::format("{} of {} {}", of_part, of_whole, kUnits[unit]);
}

/// "; loop at heat.cpp:54 in solve"; "; loop over heat.cpp:56" where only its directives are known;
/// empty of the only one.
std::string loop_of(const Analysis& one, const LoopRow& row, const SourceNames& names) {
  if (one.loops.size() == 1) return {};
  if (row.from_code && row.line > 0) return "; loop at " + names.place(row);
  if (row.from_code && row.inside > 0) return "; loop " + names.place(row);
  return "; loop over " + names.places(one, row.directives);
}

/// Whether a finding of that loop has edits that keep the data on the device: it says more.
bool is_kept(const Analysis& one, const LoopRow& row, const analysis::Recurring& data) {
  const auto loop = static_cast<std::size_t>(&row - one.loops.data());
  return std::ranges::any_of(one.findings, [&](const analysis::Finding& finding) {
    return !finding.edits.empty() &&
           std::ranges::find(finding.loops, loop) != finding.loops.end() &&
           !data.of.variables.empty() &&
           std::ranges::all_of(data.of.variables, [&](std::size_t variable) {
             return std::ranges::find(finding.variables, variable) != finding.variables.end();
           });
  });
}

std::uint64_t whole_of(const LoopRow& row) {
  return std::max(row.steady.htod_bytes + row.steady.dtoh_bytes, row.invariant_bytes.value_or(0));
}

std::string command(const Analysis& one) {
  return one.process.arguments.empty() ? one.process.program
                                       : fmt::format("{}", fmt::join(one.process.arguments, " "));
}

/// "devices 0 to 3: host devices; device 4: NVIDIA H200 (sm_90)": equal neighbours together, the
/// host left out.
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
      const std::string numbers =
          end - i > 1 ? fmt::format("{} to {}", device.number, one.devices[end - 1].number)
                      : fmt::format("{}", device.number);
      // A host process or thread that emulates a device: its times say nothing about a GPU.
      const std::string what = device.emulated || device.type == "generic-64bit"
                                   ? end - i > 1 ? "host devices" : "a host device"
                               : device.name.empty()
                                   ? device.type
                                   : fmt::format("{} ({})", device.name, device.type);
      text += fmt::format("device{} {}: {}", end - i > 1 ? "s" : "", numbers, what);
    }
    i = end;
  }
  // Without the runtime's device events, or in a truncated trace, devices are not known.
  if (text.empty() && (one.truncated || !analysis::knows_transfers(one))) return "not known";
  return text.empty() ? "none was initialized" : text;
}

/// Whether the directive is in the program's own code, and has no source file.
bool lacks_line(const DirectiveRow& row) {
  const std::string_view module(row.module);
  const bool in_runtime = module.substr(module.rfind('/') + 1).starts_with("libomp");
  return row.directive != Directive::kRuntime && row.file.empty() && !in_runtime;
}

void warn_of_missing_lines(const Analysis& one, std::vector<std::string>& lines) {
  const auto missing = std::ranges::count_if(one.directives, lacks_line);
  if (missing == 0) return;
  const std::string what =
      fmt::format("{} of {} {} no source file, and no names of variables", missing,
                  counted(one.directives.size(), "directive"), missing == 1 ? "has" : "have");
  const bool all_named = one.recording.names == Recording::Names::kOn &&
                         std::ranges::none_of(one.losses, [](const Loss& loss) {
                           return loss.name == "names_unavailable" && loss.count > 0;
                         });
  lines.push_back(what + (all_named ? ": compiled without -g (-gline-tables-only is enough)"
                          : one.recording.names == Recording::Names::kOff
                              ? ": build with -g, and record without OMPDM_NAMES=off"
                              : ": build with -g; names came for some only (see `ompdm info`)"));
}

/// Whether events were only aggregated at the end of the run: directives that had begun are not
/// known.
bool ends_counted(const Analysis& one) {
  const Recording& recording = one.recording;
  return recording.detail == Recording::Detail::kAggregates ||
         (recording.detail != Recording::Detail::kEvents && !recording.is_part() &&
          (recording.recorded_to != 0 || recording.recorded_from >= one.process.wall));
}

void warn_of_end(const Analysis& one, const SourceNames& names, std::vector<std::string>& lines) {
  if (one.running) {
    lines.push_back("the process still runs: these are the figures up to now");
  } else if (!one.recording.finished && one.unfinished.empty()) {
    lines.push_back(
        std::string("the process was killed, or left by _exit, quick_exit or exec") +
        (one.recording.is_part() ? "" : ": events until then are here") +
        (ends_counted(one) ? ", but not its last directive: events were aggregated then" : ""));
  }
  for (const analysis::UnfinishedRegion& region : one.unfinished) {
    const bool known = region.directive != analysis::kNoRow;
    const DirectiveRow* row = known ? &one.directives[region.directive] : nullptr;
    const std::string what =
        row == nullptr
            ? "a target region"
            : fmt::format("{} ({}, at least {} in)", names.place(*row),
                          analysis::directive_name(row->directive), spoken_time(region.elapsed));
    lines.push_back((one.running ? "it is inside " : "the process ended inside ") + what);
  }
}

/// The time that ompdm's hashing added is shown from 5 % on.
std::string wall_time(const Analysis& one) {
  const Nanoseconds hashing = one.process.wall - one.program_wall;
  const bool is_part = one.recording.is_part();
  std::string text = fmt::format("{}{}{}", is_part ? spoken_time(one.headline.span) + " of " : "",
                                 spoken_time(one.program_wall), one.link ? ", re-timed" : "");
  const bool tells_shares =
      one.headline.measured && one.headline.transfer > 0 && (!one.link || one.link->kernels);
  if (tells_shares) text += ", " + device_time({&one, 1});
  // Less is no matter.
  constexpr Nanoseconds kTwentieth = 20;
  if (kTwentieth * hashing >= one.program_wall && hashing > 0) {
    text += fmt::format(", and {} of ompdm's hashing", spoken_time(hashing));
  }
  return text;
}

}  // namespace

bool has_losses(const Analysis& one) {
  return one.truncated || std::ranges::any_of(one.losses, [](const Loss& loss) {
           return loss.count > 0 && !loss.name.starts_with("contents_");
         });
}

std::string losses(Analyses analyses) {
  std::map<std::string, std::uint64_t> sums;
  for (const Analysis& one : analyses) {
    for (const Loss& loss : one.losses) sums[loss.name] += loss.count;
  }
  std::string text;
  for (const auto& [name, count] : sums) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  const bool cut = std::ranges::any_of(analyses, &Analysis::truncated);
  const char* const cut_off = cut ? "all behind the cut; in recording: " : "";
  if (sums.empty() && cut) return fmt::format("{}not known", cut_off);
  const std::string kinds = counted(sums.size(), "kind of loss", "kinds of loss");
  return text.empty() ? fmt::format("{}0 ({} counted)", cut_off, kinds)
                      : fmt::format("{}{} (of {} counted)", cut_off, text, kinds);
}

std::string lost_events(std::span<const Loss> losses) {
  std::vector<std::string> lost;
  for (const Loss& loss : losses) {
    if (is_of_events(loss)) lost.push_back(fmt::format("{} {}", loss.name, loss.count));
  }
  return fmt::format("{}", fmt::join(lost, ", "));
}

std::string why_not_whole(const Analysis& one) {
  if (one.truncated) return "the trace is cut short";
  const std::string lost = lost_events(one.losses);
  if (!lost.empty()) return "events were lost (" + lost + ")";
  const bool was_killed = !one.recording.finished && !one.running && !one.unfinished.empty();
  return was_killed ? "the process ended inside a directive" : "";
}

std::string unexamined(Analyses analyses) {
  constexpr std::pair<std::string_view, std::string_view> kLosses[] = {
      {"contents_pending_overflow", "{} were copied back in regions with many more"},
      {"contents_unknown_completion", "the arrival of {} is not known"},
      {"contents_over_time", "comparing had taken too long at {}"}};
  std::uint64_t all = 0;
  std::string why;
  for (const auto& [name, reason] : kLosses) {
    std::uint64_t count = 0;
    for (const Analysis& one : analyses) {
      for (const Loss& loss : one.losses) {
        if (loss.name == name) count += loss.count;
      }
    }
    if (count == 0) continue;
    all += count;
    why += (why.empty() ? "" : ", ") + fmt::format(fmt::runtime(reason), count);
  }
  if (all == 0) return {};
  return fmt::format("Contents not looked at: of {} ({})", counted(all, "transfer"), why);
}

std::vector<std::string> left_out(const Analysis& one) {
  std::vector<std::string> sentences = {withheld(one), doubted(one), refuted(one), unavoided(one)};
  std::erase(sentences, std::string());
  return sentences;
}

bool has_invariant(const LoopRow& row) {
  const std::uint64_t invariant = row.invariant_bytes.value_or(0);
  return invariant >= kLeastBytes && invariant >= whole_of(row) / kLeastShare;
}

/// "a (jacobi.cpp:75) unchanged in 11034 of 11040 transfers that were compared, 66.2 MB in all".
std::string recurring_text(const analysis::Recurring& row) {
  return fmt::format("{}{} unchanged in {} of {} transfers that were compared, {} in all", row.item,
                     row.item.empty() ? "data" : "", row.unchanged, row.compared,
                     spoken_size(row.bytes));
}

std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names) {
  return prefixed(analyses, [&](const Analysis& one) {
    std::vector<std::string> lines;
    for (const LoopRow& row : one.loops) {
      const std::string loop = loop_of(one, row, names);
      for (const analysis::Recurring& each : row.recurring | std::views::take(kMostRecurring)) {
        const bool is_small = each.bytes < kLeastBytes * each.compared;
        if (is_small || is_kept(one, row, each)) continue;
        lines.push_back(recurring_text(each) + loop);
      }
      if (!has_invariant(row)) continue;
      lines.push_back(
          fmt::format("{} per iteration have the same content every time{}{}",
                      part_of(row.invariant_bytes.value_or(0), whole_of(row)),
                      row.invariant_items.empty() ? "" : ": " + named(row.invariant_items), loop));
    }
    return lines;
  });
}

std::vector<std::string> by_order_sentences(Analyses analyses) {
  using Why = analysis::ByOrder::Why;
  std::vector<std::string> lines;
  for (const Analysis& one : analyses) {
    for (const LoopRow& row : one.loops) {
      const analysis::ByOrder& by_order = row.by_order;
      if (by_order.why == Why::kNot) continue;
      const std::string why =
          by_order.why == Why::kNoCalls ? "it is not known which calls led to some directives"
          : by_order.function.empty()
              ? "code that led to directives cannot be followed"
              : fmt::format("the code of {} cannot be followed", by_order.function);
      const std::string line = "(by order): " + why;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

std::string link_name(const analysis::Link& link) {
  return fmt::format("a model of {}", link.name) +
         (link.kernels ? fmt::format(" and of kernels {:g} times as fast", *link.kernels) : "");
}

std::string link_sentence(const analysis::Link& link) {
  return fmt::format(
      "a model, not a measurement: each transfer takes {} and its bytes at {}/s ({}); {}",
      spoken_time(link.latency), spoken_size(std::llround(link.bytes_per_second)), link.name,
      link.kernels ? fmt::format("each kernel takes 1/{:g} of its recorded time, host code "
                                 "as long as then",
                                 *link.kernels)
                   : "kernels and host code take as long as when they were recorded");
}

std::string recorded_part(const Analysis& one) {
  const Recording& recording = one.recording;
  if (recording.detail == Recording::Detail::kAggregates) {
    return "the run was aggregated (OMPDM_DETAIL): there are no shares of "
           "the run's time, loops and findings";
  }
  const Nanoseconds wall = one.process.wall;
  const Nanoseconds to = recording.recorded_to != 0 ? recording.recorded_to : wall;
  if (recording.is_part()) {
    return fmt::format("a part of a run of {}, from {} to {}: all figures are of it alone",
                       spoken_time(wall), spoken_time(recording.recorded_from), spoken_time(to));
  }
  if (to <= recording.recorded_from) {
    if (recording.detail == Recording::Detail::kSpoolLimit) {
      return "the spool was full (OMPDM_MAX_SPOOL) before the window began: events were aggregated";
    }
    if (to < wall) {
      return "the window ended before it began: events were aggregated";
    }
    return one.running ? "the window has not begun yet: events are aggregated"
                       : "the window did not begin before the end: events were aggregated";
  }
  if (recording.recorded_from == 0 && recording.recorded_to == 0) {
    return one.running
               ? "the window has not ended yet: all events so far are recorded"
               : "the program ended before the window (--until, --duration): all events are "
                 "recorded";
  }
  const std::string part =
      recording.recorded_from == 0
          ? fmt::format("the first {} of {}", spoken_time(to), spoken_time(wall))
      : recording.recorded_to == 0
          ? fmt::format("the last {} of {}", spoken_time(to - recording.recorded_from),
                        spoken_time(wall))
          : fmt::format("{} from {} on, of {}", spoken_time(to - recording.recorded_from),
                        spoken_time(recording.recorded_from), spoken_time(wall));
  return fmt::format(
      "recorded event by event: {}{}; shares of time, waits, loops and findings are of that part",
      part,
      recording.detail == Recording::Detail::kSpoolLimit
          ? ", when the spool was full (OMPDM_MAX_SPOOL)"
          : "");
}

std::string left_part(const Analysis& one) {
  return one.truncated ? "the trace file is cut short: the figures cover its whole lines only"
                       : why_not_whole(one) +
                             ": figures, shares, loops and findings are of the recorded part";
}

std::vector<std::string> warnings(const Analysis& one, const SourceNames& names) {
  std::vector<std::string> lines;
  if (one.link) lines.push_back(link_sentence(*one.link));
  if (one.recording.detail != Recording::Detail::kEvents) lines.push_back(recorded_part(one));
  if (lacks_events(one)) lines.push_back(left_part(one));
  if (analysis::has_target_events(one)) warn_of_end(one, names, lines);
  if (one.recording.attached_by == "CUDA_INJECTION64_PATH") {
    lines.push_back("recorded through CUDA alone, without OMPT: no directive is known");
  }
  if (one.recording.cupti.starts_with("unavailable")) {
    lines.push_back("CUPTI " + one.recording.cupti + ": the device's own times are not known");
  }
  if (one.recording.reach == Recording::Reach::kUnreachable ||
      one.recording.reach == Recording::Reach::kOtherRuntime) {
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
                                row.fallback_count, counted(row.count, "execution")));
  }
  return lines;
}

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
  return fmt::format("device time {}{}{}", spoken_time(busy),
                     host && device ? " (host and device clocks)"
                     : device       ? " (device clock)"
                                    : "",
                     model ? " (modelled)" : "");
}

namespace {

/// "u 160 MB, u_tmp 160 MB (heat.cpp:39)", "u 160 MB (heat.cpp:39), buf 1.20 MB in 12 blocks
/// (pool.cpp:8)": the first three, or all of four.
std::string holders_text(const std::vector<analysis::MemoryHolder>& holders) {
  constexpr std::size_t kFew = 3;
  // One more takes no more room than its count.
  const auto shown = std::span(holders).first(holders.size() <= kFew + 1 ? holders.size() : kFew);
  const auto place_of = [&](const analysis::MemoryHolder& holder) {
    const auto is_like = [&](const analysis::MemoryHolder& other) {
      return other.name == holder.name && other.place == holder.place;
    };
    const bool is_alone = std::ranges::count_if(holders, is_like) == 1;
    const bool is_called = !is_alone && !holder.caller.file.empty();
    return place_text(holder.place) +
           (is_called ? " from " + place_text(holder.caller) : std::string());
  };
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) text += ", ";
    text += shown[i].name.empty() ? std::string("memory") : shown[i].name;
    text += ' ' + spoken_size(shown[i].bytes);
    if (shown[i].blocks > 1) text += fmt::format(" in {} blocks", shown[i].blocks);
    const std::string place = place_of(shown[i]);
    const bool is_last = i + 1 == shown.size() || place_of(shown[i + 1]) != place;
    if (is_last) text += " (" + place + ')';
  }
  if (holders.size() > shown.size())
    text += fmt::format(", {} more", holders.size() - shown.size());
  return text;
}

/// The peak of each device, and what was left there.
void add_memory(const Analysis& one, std::vector<std::pair<std::string, std::string>>& lines) {
  const bool is_part = !is_recorded_whole(one.recording);
  for (const analysis::MemoryRow& row : one.memory) {
    lines.emplace_back(
        "Memory", fmt::format("{} at most on device {}{}: {}", spoken_size(row.peak), row.device,
                              is_part ? ", in the recorded part" : "", holders_text(row.holders)));
    if (row.left.empty()) continue;
    std::uint64_t bytes = 0;
    for (const analysis::MemoryHolder& holder : row.left) bytes += holder.bytes;
    lines.emplace_back("Left", fmt::format("{} on device {} at the end: {}", spoken_size(bytes),
                                           row.device, holders_text(row.left)));
  }
}

}  // namespace

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
  add_memory(one, lines);
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
                     spoken_size(flow.bytes), counted(flow.count, "operation"));
}

}  // namespace ompdm::report
