#include "report/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "report/units.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Doubt;

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"device_address", "its device address was given out"},
    {"mapped_pointer", "a mapped pointer points to it"},
    {"declare_target_pointer", "pointers that are declare target may point to it"},
    {"pointer_table", "a table of pointers may hold it"},
    {"unnamed_data", "kernels may name it without a clause"}};

std::string_view spoken_reason(const std::string& reason) {
  const auto known =
      std::ranges::find(kReasons, reason, &std::pair<std::string_view, std::string_view>::first);
  return known != std::end(kReasons) ? known->second : reason;
}

/// "Withheld as too small: 3 findings (12 transfers, 3.40 KB, 20 allocations)."
std::string withheld(const Analysis& one) {
  if (one.withheld.findings == 0) return {};
  std::string what;
  if (one.withheld.transfers > 0) {
    what = fmt::format("{}, {}", counted(one.withheld.transfers, "transfer", "transfers"),
                       spoken_size(one.withheld.bytes));
  }
  if (one.withheld.allocations > 0) {
    what +=
        (what.empty() ? "" : ", ") + counted(one.withheld.allocations, "allocation", "allocations");
  }
  return fmt::format("Withheld as too small: {} ({}).",
                     counted(one.withheld.findings, "finding", "findings"), what);
}

bool is_of_kernels(const Doubt& doubt) { return doubt.reason != Doubt::kNoChangeKnown; }

/// "Not called needless: 8 transfers, 64.0 KB that carried what was there: kernels may have changed
/// it (a mapped pointer points to it)."
std::string doubted(const Analysis& one) {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> reasons;
  for (const Doubt& doubt : one.doubts) {
    if (!is_of_kernels(doubt)) continue;
    transfers += doubt.transfers;
    bytes += doubt.bytes;
    reasons.emplace_back(spoken_reason(doubt.reason));
    if (one.doubts.size() > 1) reasons.back() += fmt::format(": {}", doubt.transfers);
  }
  if (reasons.empty()) return {};
  return fmt::format(
      "Not called needless: {}, {} that carried what was there: kernels may have changed it ({}).",
      counted(transfers, "transfer", "transfers"), spoken_size(bytes), fmt::join(reasons, "; "));
}

/// "15 transfers, 262 KB carried what the device had had: no finding tells how to avoid these."
std::string unavoided(const Analysis& one) {
  const auto found = std::ranges::find_if_not(one.doubts, is_of_kernels);
  if (found == one.doubts.end()) return {};
  return fmt::format("{}, {} carried what the device had had: no finding tells how to avoid {}.",
                     counted(found->transfers, "transfer", "transfers"), spoken_size(found->bytes),
                     found->transfers == 1 ? "it" : "these");
}

}  // namespace

std::vector<std::string> left_out(const Analysis& one) {
  std::vector<std::string> sentences = {withheld(one), doubted(one), unavoided(one)};
  std::erase(sentences, std::string());
  return sentences;
}

}  // namespace ompdm::report
