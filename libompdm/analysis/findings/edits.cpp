#include "analysis/findings/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/findings/names.h"
#include "ompdm/row_id.h"

namespace ompdm::analysis {

std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& expression : expressions) {
    numbers.push_back(static_cast<std::uint32_t>(finding.data.size()));
    EditData& data = finding.data.emplace_back();
    data.expression = expression;
    data.named_at = source_place(site);
  }
  return numbers;
}

Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions) {
  Edit edit;
  edit.kind = kind;
  edit.anchor.places = {source_place(site)};
  edit.directive = site.directive;
  if (!expressions.empty()) {
    edit.clauses = {{clause, add_items(finding, expressions, site)}};
  }
  // A call's value and arguments are the program's, and what has no name cannot be named.
  edit.in_scope =
      site.directive != Directive::kApi && std::ranges::none_of(expressions, &std::string::empty);
  return edit;
}

std::uint64_t memory_of(const std::vector<Stay>& stays) {
  struct Change {
    std::int32_t device;
    Nanoseconds time;
    bool comes;  // what goes makes room for what comes at that time
    std::uint64_t bytes;
    auto operator<=>(const Change&) const = default;
  };
  std::vector<Change> changes;
  for (const Stay& stay : stays) {
    changes.push_back({stay.device, stay.from, true, stay.bytes});
    changes.push_back({stay.device, stay.to, false, stay.bytes});
  }
  std::ranges::sort(changes);
  std::uint64_t most = 0;
  std::map<std::int32_t, std::uint64_t> now;
  for (const Change& change : changes) {
    std::uint64_t& bytes = now[change.device];
    bytes = change.comes ? bytes + change.bytes : bytes - std::min(bytes, change.bytes);
    most = std::max(most, bytes);
  }
  return most;
}

void identify(std::vector<Finding>& findings) {
  // Findings come by time, which is another in each run.
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(findings[i].line, findings[i].wasted_bytes, findings[i].allocated_bytes, i);
  });
  RowIds ids;
  for (const std::size_t i : order) {
    Finding& finding = findings[i];
    const std::string file = finding.file.substr(finding.file.rfind('/') + 1);
    const std::string function =
        finding.data.empty() ? std::string() : finding.data.front().named_at.function;
    finding.id =
        ids.of(fmt::format("{}\n{}\n{}\n{}", finding.pattern, file, function, finding.variable));
  }
}

}  // namespace ompdm::analysis
