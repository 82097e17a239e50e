#include "analysis/findings/copy_back.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/findings/edits.h"
#include "analysis/findings/names.h"
#include "analysis/findings/surplus.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// The items of these copies that are copied whether they are there or not.
std::set<std::string> always_copied(const Evidence& evidence,
                                    const std::vector<std::uint32_t>& copies) {
  std::set<std::string> items;
  for (const std::uint32_t op : copies) {
    if ((evidence.trace.ops.common(op).map_type & kMapAlways) == 0) continue;
    items.insert(expression_at(evidence.trace, evidence.mappings, op));
  }
  return items;
}

}  // namespace

void add_edit_of_copy_back(const Evidence& evidence, const std::vector<std::uint32_t>& copies,
                           const std::vector<std::string>& items, bool is_sent, Finding& finding,
                           bool in_all) {
  const Site& site = evidence.trace.sites[evidence.trace.ops.common(copies.front()).site.value];
  const bool is_update = site.directive == Directive::kTargetUpdate;
  if ((is_update && !in_all) || (!is_update && !maps_data(site.directive))) return;
  EditKind kind = EditKind::kReplace;
  const char* clause = is_sent ? "to" : "alloc";
  bool goes_on_sending = false;
  switch (site.directive) {
    case Directive::kTargetExitData:
      clause = "release";
      break;
    case Directive::kTargetUpdate:
      clause = "from";
      kind = EditKind::kRemove;
      break;
    default:
      goes_on_sending = is_sent;
      break;
  }
  std::vector<std::string> plain = items;
  std::vector<std::string> always;
  if (goes_on_sending) {
    const std::set<std::string> copied = always_copied(evidence, copies);
    const auto is_copied = [&](const std::string& item) { return copied.contains(item); };
    std::ranges::copy_if(items, std::back_inserter(always), is_copied);
    std::erase_if(plain, is_copied);
  }
  Edit edit = edit_at(finding, kind, site, clause, plain);
  if (!always.empty()) {
    edit.clauses.push_back({"always, to", add_items(finding, always, site)});
  }
  finding.edits.push_back(std::move(edit));
}

}  // namespace ompdm::analysis
