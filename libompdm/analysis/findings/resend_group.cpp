#include "analysis/findings/resend_group.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/findings/edits.h"
#include "analysis/findings/names.h"
#include "analysis/findings/surplus.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// Gives an edit where data was last known the names that it has there.
void name_as_last_called(const ResendGroup& group, Edit& edit, std::vector<EditData>& data) {
  for (EditClause& clause : edit.clauses) {
    for (std::uint32_t& number : clause.data) {
      const auto called = group.last_called.find(number);
      if (called == group.last_called.end()) continue;
      number = static_cast<std::uint32_t>(data.size());
      data.push_back(called->second);
    }
  }
}

/// An edit for each place that some of the data has its begin, or its end, at.
std::vector<Edit> split(const Trace& trace, const Edit& edit,
                        const std::map<std::uint32_t, UniqueSites>& ends) {
  std::map<std::vector<SourcePlace>, Edit> edits;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const auto end = ends.find(number);
      const std::vector<SourcePlace> places =
          end == ends.end() ? edit.anchor.places : anchor_at(trace, end->second.all()).places;
      const auto [at, is_new] = edits.try_emplace(places, edit);
      Edit& part = at->second;
      if (is_new) part.clauses.clear();
      if (is_new) part.anchor.places = places;
      if (part.clauses.empty() || part.clauses.back().kind != clause.kind) {
        part.clauses.push_back({clause.kind, {}});
      }
      part.clauses.back().data.push_back(number);
    }
  }
  std::vector<Edit> list;
  for (auto& [places, part] : edits) list.push_back(std::move(part));
  return list;
}

/// Lets the clauses that only allocated send, in place of what filled their memory first. False
/// where one of them is no clause, has no name, or allocated more than was filled.
bool add_edits_of_filled(const Evidence& evidence, const std::set<std::uint32_t>& filling,
                         Finding& finding) {
  const Trace& trace = evidence.trace;
  using Kinds = std::map<std::string, UniqueTexts>;
  std::map<std::uint32_t, Kinds> clauses;  // by site
  for (const std::uint32_t op : filling) {
    const Mapping& mapping = evidence.mappings.rows()[evidence.contents.mapping_of(op)];
    const DataOp& alloc = trace.ops.common(mapping.alloc.value);
    const bool is_clause = alloc.site && maps_data(trace.sites[alloc.site.value].directive);
    // Of a part of it the clause would send more.
    const bool is_whole = trace.ops.common(op).bytes >= mapping.bytes;
    if (!is_clause || !is_whole || mapping.is_static || !has_name(trace, mapping)) return false;
    const std::string kind = (alloc.map_type & kMapFrom) != 0 ? "tofrom" : "to";
    clauses[alloc.site.value][kind].add(expression_of(trace, mapping));
  }
  for (const auto& [at, kinds] : clauses) {
    const Site& site = trace.sites[at];
    Edit edit = edit_at(finding, EditKind::kReplace, site, "", {});
    for (const auto& [kind, items] : kinds) {
      edit.clauses.push_back({kind, add_items(finding, items.all(), site)});
    }
    finding.edits.push_back(std::move(edit));
  }
  return true;
}

}  // namespace

bool add_edits_of_resident(const Evidence& evidence, const Site& site, const ResendGroup& group,
                           Finding& finding) {
  const bool is_update = site.directive == Directive::kTargetUpdate;
  const bool can_be_named = is_update || maps_data(site.directive);
  if (!can_be_named || group.others_are_needed) return false;
  if (!add_edits_of_filled(evidence, group.filling, finding)) return false;
  finding.unless.push_back(Unless::kKernelChanges);
  const std::vector<std::string>& items = group.content.expressions;
  if (is_update) {
    finding.edits.push_back(edit_at(finding, EditKind::kRemove, site, "to", items));
    finding.unless.push_back(Unless::kHostChanges);
    return true;
  }
  if (!group.always) {
    finding.edits.push_back(edit_at(finding, EditKind::kLeaveOut, site, "to", items));
    return true;
  }
  Edit edit = edit_at(finding, EditKind::kReplace, site, "to", group.one_way);
  if (!group.both_ways.empty()) {
    edit.clauses.push_back({"always, from", add_items(finding, group.both_ways, site)});
  }
  finding.edits.push_back(std::move(edit));
  Edit update = edit_at(finding, EditKind::kInsert, site, "to", items);
  update.directive = Directive::kTargetUpdate;
  update.anchor.side = Anchor::Side::kBefore;
  update.when = EditWhen::kHostChanged;
  finding.edits.push_back(std::move(update));
  return true;
}

void add_edits_of_remapped(const Trace& trace, const ResendGroup& group, bool unchanged,
                           Finding& finding) {
  const Anchor stay = anchor_at(trace, group.sites.all(), Anchor::Of::kStay);
  // Positions are those in the kept data.
  std::vector<EditData> data = group.kept.data.rows();
  std::vector<Edit> edits;
  for (Edit& edit : group.kept.edits(trace, stay)) {
    const Anchor& at = edit.anchor;
    if (at.of != Anchor::Of::kStay || at.side == Anchor::Side::kWithin) {
      edits.push_back(std::move(edit));
    } else {
      const bool begins = at.side == Anchor::Side::kBefore;
      for (Edit& part : split(trace, edit, begins ? group.first : group.last)) {
        if (!begins) name_as_last_called(group, part, data);
        edits.push_back(std::move(part));
      }
    }
  }
  const auto first = static_cast<std::uint32_t>(finding.data.size());
  for (Edit& edit : edits) {
    for (EditClause& clause : edit.clauses) {
      for (std::uint32_t& number : clause.data) number += first;
    }
  }
  std::ranges::move(data, std::back_inserter(finding.data));
  std::ranges::move(edits, std::back_inserter(finding.edits));
  finding.unless.push_back(Unless::kHostUses);
  finding.unless.push_back(Unless::kMadeAnew);
  // It is only allocated at first, and comes back filled.
  if (!group.kept.filled_first.empty()) finding.unless.push_back(Unless::kNoPass);
  if (unchanged) finding.remarks.push_back({Remark::Kind::kWentAsItHadBeen});
}

}  // namespace ompdm::analysis
