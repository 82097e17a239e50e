#include <fmt/format.h>

#include <algorithm>

#include "report/sentences.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::DirectiveRow;

bool has_devices(const Analysis& one) {
  return std::ranges::any_of(one.devices, [](const Device& device) { return !device.is_host; });
}

bool is_cut(Analyses analyses) { return std::ranges::any_of(analyses, &Analysis::truncated); }

bool is_left(Analyses analyses) { return std::ranges::any_of(analyses, analysis::lacks_events); }

bool is_part(Analyses analyses) {
  return std::ranges::any_of(analyses, [](const Analysis& one) {
    return one.recording.detail == Recording::Detail::kPart;
  });
}

bool has_enqueued(const Analysis& one) {
  return std::ranges::any_of(
      one.activities, [](const analysis::Activity& row) { return row.clock == Clock::kEnqueue; });
}

/// Why nothing ran on a device though the runtime's events arrive; empty if it is not known.
std::string why_on_host(const Analysis& one) {
  if (one.recording.target_offload == "disabled") return "OMP_TARGET_OFFLOAD=DISABLED forbids it";
  if (!has_devices(one)) return "no device was initialized";
  return {};
}

/// Why no target event arrived.
std::string reason(const Analysis& one) {
  const Recording::Reach reach = one.recording.reach;
  if (reach == Recording::Reach::kUnreachable) {
    return "libomptarget found no libomp.so and so could not reach the recorder";
  }
  if (reach == Recording::Reach::kOtherRuntime) {
    return "the target regions belong to another OpenMP runtime than the one that is recorded";
  }
  if (reach == Recording::Reach::kNoEmi) return "this OpenMP runtime offers no EMI callbacks";
  if (reach != Recording::Reach::kOk && reach != Recording::Reach::kCured)
    return "it is not known whether target events could arrive";
  const std::string why = why_on_host(one);
  if (!why.empty()) return why + ", so target regions, if there are any, ran on the host";
  return "no target construct was executed on a device";
}

std::uint64_t fallbacks(Analyses analyses) {
  std::uint64_t count = 0;
  for (const Analysis& one : analyses) {
    for (const DirectiveRow& row : one.directives) count += row.fallback_count;
  }
  return count;
}

/// "heat.cpp:41 moved 20.5 GB in 10 executions": the directive whose transfers took longest in any
/// recording; without a device's times, the directive that moved most bytes.
std::string culprit(Analyses analyses, const SourceNames& names) {
  const bool by_time = analysis::has_device_times(analyses);
  const auto weight = [&](const DirectiveRow& row) {
    const std::uint64_t bytes = moved_bytes(row);
    return std::pair(by_time ? static_cast<std::uint64_t>(transfer_time(row)) : bytes, bytes);
  };
  const DirectiveRow* worst = nullptr;
  std::size_t recording = 0;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const DirectiveRow& row : analyses[i].directives) {
      if (moved_bytes(row) == 0) continue;
      if (worst != nullptr && weight(*worst) >= weight(row)) continue;
      worst = &row;
      recording = i;
    }
  }
  if (worst == nullptr) return {};
  const bool is_api =
      worst->directive == Directive::kApi || worst->directive == Directive::kRuntime;
  std::string text = fmt::format(
      "{} moved {} in {}",
      worst->directive == Directive::kRuntime ? "code outside any directive" : names.place(*worst),
      spoken_size(moved_bytes(*worst)),
      is_api ? counted(worst->count, "operation") : counted(worst->count, "execution"));
  const Ranks ranks = ranks_of(analyses);
  if (!ranks.key.empty()) text += fmt::format(" on {} {}", ranks.key, ranks.labels[recording]);
  return text;
}

/// "no target event was recorded: ...": why, and what to do.
std::string nothing_recorded(Analyses analyses) {
  if (is_cut(analyses)) {
    return "no target event is in this part of the trace: the file ends early. Copy it again, "
           "or record the program again";
  }
  const Analysis& one = analyses.front();
  if (is_part(analyses)) {
    return "nothing was at work in this part of the run: `ompdm export --from --to` takes another";
  }
  const std::string program = one.process.program.empty() ? "PROGRAM" : one.process.program;
  return fmt::format("no target event was recorded: {}: run `ompdm doctor {}`", reason(one),
                     program);
}

/// Empty where it is not known.
std::string why_nothing_moves(Analyses analyses) {
  const bool shared = std::ranges::all_of(
      analyses, [](const Analysis& one) { return one.recording.unified_shared_memory; });
  return shared ? ": the program requires unified_shared_memory, so nothing is copied" : "";
}

/// ", 22.0 MB of it redundant": what findings name; empty if there are none.
std::string redundant(Analyses analyses) {
  const auto sum_of = [&](auto prediction) {
    std::pair<std::uint64_t, bool> sum(0, false);  // bytes, and whether that is an upper bound
    for (const Analysis& one : analyses) {
      const std::optional<analysis::Prediction>& own = prediction(one);
      if (!own) continue;
      sum.first += own->spared_bytes;
      sum.second = sum.second || own->at_most;
    }
    return sum;
  };
  const auto sure = sum_of([](const Analysis& one) -> auto& { return one.prediction; });
  const auto possible =
      sum_of([](const Analysis& one) -> auto& { return one.possible_prediction; });
  const auto& [bytes, at_most] = sure.first > 0 ? sure : possible;
  if (bytes == 0) return {};
  return fmt::format(", {}{}{} of it redundant", sure.first > 0 ? "" : "possibly ",
                     at_most ? "up to " : "", spoken_size(bytes));
}

/// The share of the time that transfers took; without a device's times, the bytes.
std::string time_and_verdict(Analyses analyses, const std::string& who) {
  const analysis::Verdict verdict = analysis::verdict_of(analyses);
  const auto& link = analyses.front().link;
  const std::string model = link ? fmt::format("on {}, ", link_name(*link)) : "";
  const analysis::Totals totals = totals_of(analyses);
  const std::string bytes = spoken_size(moved_bytes(totals));
  Nanoseconds transfer = 0;
  Nanoseconds movement = 0;
  Nanoseconds device = 0;
  Nanoseconds wall = 0;
  for (const Analysis& one : analyses) {
    transfer += one.headline.transfer;
    movement += one.headline.movement;
    device += one.headline.device;
    wall += one.headline.span;
  }
  std::string words = verdict == analysis::Verdict::kNoProblem
                          ? "data movement is not a problem here: "
                      : verdict == analysis::Verdict::kDominates ? "data movement dominates: "
                                                                 : "data movement takes ";
  if (!analysis::has_device_times(analyses)) {
    if (verdict != analysis::Verdict::kNoProblem) words.clear();
    // Kernels and host code run at the host's speed there: a share of their time means nothing.
    if (link) return fmt::format("{}data movement takes {}: {}", model, spoken_time(transfer), who);
    return fmt::format("{}{} moved{}: {}", words, bytes, redundant(analyses), who);
  }
  words += fmt::format("{} of device time", spoken_share(transfer, device));
  // With lost events the wall time is that of the whole run, and the transfers are not.
  if (wall > 0 && !is_left(analyses)) {
    words += fmt::format(" and {} of {}", spoken_share(movement, wall),
                         is_part(analyses) ? "its time" : "wall");
  }
  return model + words + ": " + who;
}

/// Of recordings with events.
std::string what_moved(Analyses analyses, const SourceNames& names) {
  const auto unknown = std::ranges::find_if_not(analyses, analysis::knows_transfers);
  if (unknown != analyses.end()) {
    return fmt::format("how much data moved is not known: {}. Mapped data is shown instead",
                       reason(*unknown));
  }
  const analysis::Totals totals = totals_of(analyses);
  const std::uint64_t bytes = moved_bytes(totals);
  const std::uint64_t transfers = totals.htod.count + totals.dtoh.count + totals.dtod.count;
  if (bytes == 0 && totals.kernel.count == 0 && fallbacks(analyses) > 0) {
    std::string text = fmt::format("nothing ran on a device: {} ran on the host",
                                   counted(fallbacks(analyses), "kernel"));
    const std::string why = why_on_host(analyses.front());
    return why.empty() ? text : text + ": " + why;
  }
  if (bytes == 0) {
    return fmt::format(
        "no data moved: {} in {}{}", counted(totals.kernel.count, "kernel"),
        counted(totals.region.count, "execution of a directive", "executions of directives"),
        why_nothing_moves(analyses));
  }
  const std::string who = culprit(analyses, names);
  if (!std::ranges::all_of(analyses, [](const Analysis& one) {
        return one.headline.measured || !analysis::has_target_events(one);
      })) {
    return fmt::format("data movement is {} in {}, its share of the time is not known: {}",
                       spoken_size(bytes), counted(transfers, "transfer"), who);
  }
  return time_and_verdict(analyses, who);
}

}  // namespace

std::string headline(Analyses analyses, const SourceNames& names) {
  if (std::ranges::none_of(analyses, analysis::has_target_events)) {
    return nothing_recorded(analyses);
  }
  const std::string of_what = is_cut(analyses)    ? "in this part of the trace, "
                              : is_left(analyses) ? "in the recorded part of the run, "
                              : is_part(analyses) ? "in this part of the run, "
                                                  : "";
  return of_what + what_moved(analyses, names);
}

std::string headline_basis(Analyses analyses) {
  if (std::ranges::none_of(analyses, analysis::has_target_events)) return {};
  if (!std::ranges::all_of(analyses, analysis::knows_transfers)) return {};
  if (moved_bytes(totals_of(analyses)) == 0) return {};
  Nanoseconds wall = 0;
  for (const Analysis& one : analyses) {
    if (!one.headline.measured && analysis::has_target_events(one)) {
      if (!has_enqueued(one)) return {};  // nothing is told event by event
      return "(this device works asynchronously: only the submission of its operations was timed)";
    }
    wall += one.program_wall;
  }
  const auto& link = analyses.front().link;
  if (link && !link->kernels) {
    return "(kernels and host code are as fast as when they were recorded. --kernels FACTOR gives "
           "shares of time)";
  }
  if (!analysis::has_device_times(analyses)) {
    Nanoseconds movement = 0;
    for (const Analysis& one : analyses) movement += one.headline.movement;
    if (analysis::verdict_of(analyses) == analysis::Verdict::kNoProblem) return {};
    return fmt::format(
        "(host devices: the processor copies and allocates, {} of {} here. --link pcie4x16 models a "
        "GPU's link)",
        spoken_time(movement), spoken_time(wall));
  }
  if (analyses.size() == 1) return {};
  return fmt::format("({}; wall {}, all {} added)", device_time(analyses), spoken_time(wall),
                     are_inputs(analyses) ? "runs" : "processes");
}

}  // namespace ompdm::report
