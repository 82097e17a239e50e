#include "report/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ompdm/report.h"
#include "ompdm/told_part.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

bool is_content(const Loss& loss) { return loss.name.starts_with("contents_"); }

}  // namespace

bool has_losses(const analysis::Analysis& one) {
  return one.truncated || std::ranges::any_of(one.losses, [](const Loss& loss) {
           return loss.count > 0 && !is_content(loss);
         });
}

std::string losses(Analyses analyses) {
  std::set<std::string> watched;
  std::map<std::string, std::uint64_t> sums;
  for (const analysis::Analysis& one : analyses) {
    for (const Loss& loss : one.losses) {
      watched.insert(loss.name);
      sums[loss.name] += loss.count;
    }
  }
  std::string text;
  for (const auto& [name, count] : sums) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  const bool cut = std::ranges::any_of(analyses, &analysis::Analysis::truncated);
  const char* const cut_off = cut ? "all behind the cut; in recording: " : "";
  if (watched.empty() && cut) return fmt::format("{}not known", cut_off);
  const std::string kinds = counted(watched.size(), "kind of loss", "kinds of loss");
  return text.empty() ? fmt::format("{}0 ({} watched)", cut_off, kinds)
                      : fmt::format("{}{} (of {} watched)", cut_off, text, kinds);
}

std::string lost_events(std::span<const Loss> losses) {
  std::string text;
  for (const Loss& loss : losses) {
    if (is_of_events(loss))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loss.name, loss.count);
  }
  return text;
}

std::string why_not_whole(const analysis::Analysis& one) {
  if (one.truncated) return "the trace is cut short";
  const std::string lost = lost_events(one.losses);
  if (!lost.empty()) return "events were lost (" + lost + ")";
  const bool was_killed = !one.recording.finished && !one.running && !one.unfinished.empty();
  return was_killed ? "the process ended inside a directive" : "";
}

std::string unexamined(Analyses analyses) {
  constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"contents_pending_overflow", "{} came back in regions with many more"},
      {"contents_unknown_completion", "of {} nothing tells when they had arrived"},
      {"contents_over_time", "at {} looking had taken too long by then"}};
  std::uint64_t all = 0;
  std::string why;
  for (const auto& [name, reason] : kReasons) {
    std::uint64_t count = 0;
    for (const analysis::Analysis& one : analyses) {
      for (const Loss& loss : one.losses) {
        if (loss.name == name) count += loss.count;
      }
    }
    if (count == 0) continue;
    all += count;
    why += (why.empty() ? "" : ", ") + fmt::format(fmt::runtime(reason), count);
  }
  if (all == 0) return {};
  return fmt::format("Contents not looked at: of {} ({})", counted(all, "transfer", "transfers"),
                     why);
}

}  // namespace ompdm::report
