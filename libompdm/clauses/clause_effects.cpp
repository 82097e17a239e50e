#include "clauses/clause_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;

/// Finding::pattern, in the order of Rule.
constexpr std::array kPatterns = {"not_sent",        "never_sent",          "results_lost",
                                  "not_copied_back", "results_overwritten", "unset_copied_back",
                                  "private_copy",    "ended_frame",         "partly_present",
                                  "device_address",  "host_address",        "not_present",
                                  "two_devices",     "unordered",           "pointer_not_mapped",
                                  "uninitialised",   "out_of_section",      "used_after_delete",
                                  "host_access",     "freed_while_mapped"};
static_assert(kPatterns.size() == static_cast<std::size_t>(Rule::kFreedWhileMapped) + 1);

/// An insertion of an update of the item before or after a directive.
Edit update_beside(Finding& finding, const Site& site, Anchor::Side side, const char* clause,
                   const std::string& item) {
  Edit edit = edit_at(finding, EditKind::kInsert, site, clause, {item});
  edit.directive = Directive::kTargetUpdate;
  edit.anchor.side = side;
  return edit;
}

/// The directive that made the mapping which the finding is about; null: it is not known.
const Site* holder_of(const Trace& trace, const Effect& facts) {
  if (!facts.holder) return nullptr;
  const auto at = std::ranges::find_if(trace.sites, [&](const Site& site) {
    return site.directive == facts.held_by && source_place(site) == *facts.holder;
  });
  return at == trace.sites.end() ? nullptr : &*at;
}

/// What to write, where that is one directive's clause.
void add_edits(const Trace& trace, const Effect& facts, const Site& site, Finding& finding) {
  const auto replace = [&](const Site& at, const char* clause, const std::string& item) {
    if (!item.empty()) {
      finding.edits.push_back(edit_at(finding, EditKind::kReplace, at, clause, {item}));
    }
  };
  switch (facts.rule) {
    case Rule::kNotSent:
      finding.edits.push_back(
          update_beside(finding, site, Anchor::Side::kBefore, "to", facts.item));
      break;
    case Rule::kNeverSent: {
      const Site* holder = holder_of(trace, facts);
      if (holder != nullptr && maps_data(holder->directive)) {
        const bool is_needed = facts.held_clause == "from" && !(holder == &site && facts.reads);
        replace(*holder, is_needed ? "tofrom" : "to", facts.held_as);
      }
      break;
    }
    case Rule::kResultsLost:
      if (facts.is_left) {
        Edit edit = edit_at(finding, EditKind::kInsert, site, "from", {facts.item});
        edit.directive = Directive::kTargetExitData;
        edit.anchor.side = Anchor::Side::kAfter;
        edit.anchor.of = Anchor::Of::kUses;
        edit.in_scope = false;
        finding.edits.push_back(std::move(edit));
      } else if (site.directive == Directive::kTargetExitData) {
        replace(site, "from", facts.item);
      } else if (site.directive != Directive::kTargetEnterData) {
        replace(site, facts.clause == "to" ? "tofrom" : "from", facts.item);
      }
      break;
    case Rule::kNotCopiedBack: {
      const bool is_end = site.directive == Directive::kTargetExitData;
      const bool is_part = facts.held_bytes < facts.bytes && !facts.held_as.empty();
      finding.edits.push_back(update_beside(finding, site,
                                            is_end ? Anchor::Side::kBefore : Anchor::Side::kAfter,
                                            "from", is_part ? facts.held_as : facts.item));
      break;
    }
    case Rule::kResultsOverwritten:
      replace(site, "from", facts.item);
      break;
    case Rule::kNotPresent:
      if (facts.holder) replace(site, facts.clause.c_str(), facts.held_as);
      break;
    default:
      break;
  }
}

}  // namespace

void ClauseEffects::add(Index<Site> site, Effect facts, Confidence confidence) {
  if (!site) return;
  const auto [at, is_new] = seen_.try_emplace(key_of(facts.rule, site, facts.item));
  Seen& seen = at->second;
  ++seen.count;
  if (!is_new && facts.stake >= seen.facts.stake) return;
  seen.site = site;
  seen.facts = std::move(facts);
  seen.confidence = confidence;
}

bool ClauseEffects::count_again(Rule rule, Index<Site> site, const std::string& item) {
  const auto known = seen_.find(key_of(rule, site, item));
  if (known == seen_.end()) return false;
  ++known->second.count;
  return true;
}

void ClauseEffects::leave_open(Index<Site> site, const std::string& item, const std::string& why) {
  const SourcePlace at = source_place(evidence_.trace.sites[site.value]);
  unjudged_.insert(fmt::format("{} at {}: {}", base_of(item), place_of(at), why));
}

bool ClauseEffects::has(Rule rule, const std::string& function, const std::string& name) const {
  return std::ranges::any_of(seen_, [&](const auto& one) {
    const Effect& facts = one.second.facts;
    return facts.rule == rule && facts.place.function == function && base_of(facts.item) == name;
  });
}

void ClauseEffects::join_lost() {
  for (auto& [key, seen] : seen_) {
    Effect& idle = seen.facts;
    if (idle.rule != Rule::kNotPresent || !idle.holder || idle.clause != "from") continue;
    std::erase_if(seen_, [&](const auto& other) {
      const Effect& lost = other.second.facts;
      const bool is_it = lost.rule == Rule::kResultsLost && lost.is_left &&
                         lost.place == *idle.holder && lost.item == idle.held_as;
      if (is_it) {
        idle.stake = lost.stake;
        idle.shown = lost.shown;
        idle.kernels = lost.kernels;
      }
      return is_it;
    });
  }
}

void ClauseEffects::join_unordered() {
  std::set<std::pair<std::string, std::string>> unordered;  // file, name
  std::set<SourcePlace> tasks;
  for (const auto& [key, seen] : seen_) {
    if (seen.facts.rule != Rule::kUnordered) continue;
    unordered.emplace(seen.facts.place.file, base_of(seen.facts.item));
    tasks.insert(seen.facts.place);
  }
  std::erase_if(seen_, [&](const auto& one) {
    const Effect& facts = one.second.facts;
    const bool comes_of_order =
        facts.rule == Rule::kResultsLost || facts.rule == Rule::kNotCopiedBack ||
        facts.rule == Rule::kNeverSent || facts.rule == Rule::kNotSent ||
        facts.rule == Rule::kUnsetCopiedBack || facts.rule == Rule::kResultsOverwritten ||
        facts.rule == Rule::kNotPresent;
    const auto is_task = [&](const SourcePlace& place) { return tasks.contains(place); };
    return comes_of_order && (unordered.contains({facts.place.file, base_of(facts.item)}) ||
                              is_task(facts.place) || std::ranges::any_of(facts.kernels, is_task));
  });
}

void ClauseEffects::join_unattached() {
  std::set<std::pair<std::string, std::string>> pointers;  // file, name
  for (const auto& [key, seen] : seen_) {
    if (seen.facts.rule != Rule::kPointerNotMapped || seen.facts.is_attached) continue;
    for (const std::string& item : seen.facts.pointers) {
      pointers.emplace(seen.facts.place.file, base_of(item));
    }
  }
  std::erase_if(seen_, [&](const auto& one) {
    const Effect& facts = one.second.facts;
    return facts.rule == Rule::kUnsetCopiedBack &&
           pointers.contains({facts.place.file, base_of(facts.item)});
  });
}

void ClauseEffects::join_unset() {
  std::erase_if(seen_, [&](const auto& one) {
    const Effect& unset = one.second.facts;
    if (unset.rule != Rule::kUninitialised) return false;
    bool has_cause = has(Rule::kPrivateCopy, unset.place.function, base_of(unset.item)) ||
                     has(Rule::kUnsetCopiedBack, unset.place.function, base_of(unset.item));
    for (auto& [key, seen] : seen_) {
      Effect& cause = seen.facts;
      const bool reads = cause.rule == Rule::kNeverSent || cause.rule == Rule::kUsedAfterDelete ||
                         (cause.rule == Rule::kOutOfSection && !cause.is_write);
      if (!reads || std::ranges::find(unset.kernels, cause.place) == unset.kernels.end()) continue;
      cause.spoiled.push_back(unset.item);
      has_cause = true;
    }
    return has_cause;
  });
}

std::vector<Finding> ClauseEffects::finish() {
  join_unordered();
  join_lost();
  join_unattached();
  join_unset();
  // Another variable's data was there: the host changed none of it.
  std::erase_if(seen_, [&](const auto& one) {
    const auto& [rule, directive, item] = one.first;
    return rule == Rule::kNotSent && seen_.contains({Rule::kEndedFrame, directive, item});
  });
  std::vector<Finding> findings;
  for (const auto& [key, seen] : seen_) {
    const Site& site = evidence_.trace.sites[seen.site.value];
    Finding& finding = findings.emplace_back();
    finding.pattern = kPatterns[static_cast<std::size_t>(seen.facts.rule)];
    finding.file = site.file;
    finding.line = site.line;
    finding.variable = base_of(seen.facts.item);
    finding.count = finding.examined = finding.of = seen.count;
    finding.confidence = seen.confidence;
    finding.facts = seen.facts;
    if (std::get<1>(key) != kNoDirective) finding.directives = {std::get<1>(key)};
    add_edits(evidence_.trace, seen.facts, site, finding);
  }
  sort_rows(findings, [](const Finding& finding) {
    return std::tuple(std::get<Effect>(finding.facts).stake, finding.file, finding.line,
                      std::get<Effect>(finding.facts).rule);
  });
  identify(findings);
  return findings;
}

NamingRegions::NamingRegions(const Trace& trace, Of of) {
  std::vector<bool> is_used(trace.map_lists.size());
  const auto add = [&](Index<Region> at, Nanoseconds time) {
    const Region& region = trace.regions.common(at.value);
    if (region.map_list >= trace.map_lists.size() || region.host_fallback) return;
    is_used[region.map_list] = true;
    by_list_[{region.device, region.map_list, region.site.value}].emplace_back(time, at);
  };
  if (of == Of::kKernels) {
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
      const Launch& launch = trace.launches[i];
      if (launch.region) add(launch.region, launch.begin);
    }
  } else {
    for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
      const Region& region = trace.regions.common(i);
      if (region.site && maps_data(trace.sites[region.site.value].directive)) {
        add({i}, trace.regions.end_of(i));
      }
    }
  }
  for (auto& [key, regions] : by_list_) {
    if (!std::ranges::is_sorted(regions)) std::ranges::sort(regions);
  }
  for (std::uint32_t list = 0; list < is_used.size(); ++list) {
    if (!is_used[list]) continue;
    for (const MapItem& item : trace.map_lists[list]) {
      if (item.begin == 0 || (item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      const bool asks = (item.type & (kMapFrom | kMapImplicit)) == kMapFrom;
      if (of == Of::kCopyBack && !asks) continue;
      overlaps_.add(item.begin, item.begin + std::max<std::uint64_t>(item.bytes, 1));
      names_.push_back({list, &item});
    }
  }
  overlaps_.build();
}

std::vector<NamingRegions::Naming> NamingRegions::of(const Mapping& mapping, Nanoseconds from,
                                                     Nanoseconds to) const {
  std::vector<Naming> all;
  const auto begin_of = [](const auto& region) { return region.first; };
  const auto add = [&](std::uint32_t number) {
    const auto& [list, item] = names_[number];
    auto rows = by_list_.lower_bound({mapping.device, list, 0});
    for (; rows != by_list_.end(); ++rows) {
      const auto& [device, its_list, site] = rows->first;
      if (device != mapping.device || its_list != list) break;
      const auto first = std::ranges::lower_bound(rows->second, from, {}, begin_of);
      const auto end = std::ranges::lower_bound(rows->second, to, {}, begin_of);
      if (first == end) continue;
      all.push_back({first->first, std::prev(end)->first, first->second, {site}, item});
    }
  };
  overlaps_.each(mapping.host, mapping.host + std::max<std::uint64_t>(mapping.bytes, 1), add);
  std::ranges::sort(all, {}, [](const Naming& one) { return std::pair(one.first, one.item); });
  return all;
}

RegionFacts::RegionFacts(const Trace& trace) : trace_(trace) {
  for (const SourceFact& fact : trace.source_facts) {
    facts_[{fact.file, fact.line, fact.name}] = &fact;
  }
}

const SourceFact* RegionFacts::of(Index<Site> region, const std::string& item) const {
  if (!region || facts_.empty()) return nullptr;
  const Site& site = trace_.sites[region.value];
  const auto known = facts_.find({site.file, site.line, base_of(item)});
  return known == facts_.end() ? nullptr : known->second;
}

bool RegionFacts::are_known(Index<Site> region) const {
  if (!region) return false;
  const Site& site = trace_.sites[region.value];
  const auto first = facts_.lower_bound({site.file, site.line, std::string()});
  return first != facts_.end() && std::get<0>(first->first) == site.file &&
         std::get<1>(first->first) == site.line;
}

std::vector<const SourceFact*> RegionFacts::members_of(Index<Site> region,
                                                       const std::string& object) const {
  std::vector<const SourceFact*> members;
  if (!region) return members;
  const Site& site = trace_.sites[region.value];
  const std::string begin = object + '.';
  for (auto fact = facts_.lower_bound({site.file, site.line, begin}); fact != facts_.end();
       ++fact) {
    const auto& [file, line, name] = fact->first;
    if (file != site.file || line != site.line || !name.starts_with(begin)) break;
    if (fact->second->use != SourceUse::kNone) members.push_back(fact->second);
  }
  return members;
}

void tell_holder(const Trace& trace, const Mapping& mapping, Effect& facts) {
  if (!mapping.site) return;
  const Site& site = trace.sites[mapping.site.value];
  facts.holder = source_place(site);
  facts.held_by = site.directive;
  facts.held_as = expression_of(trace, mapping);
  facts.held_bytes = mapping.bytes;
  if (mapping.item == nullptr) return;
  facts.held_clause = clause_of(*mapping.item, site.directive);
  std::string members = members_of(trace, mapping);
  if (!members.empty()) facts.held_as = std::move(members);
}

std::uint64_t pointer_of(const MapItem& item) {
  if (item.attached_to != 0) return item.attached_to;
  return (item.type & kMapPointerAndObject) != 0 ? item.base : 0;
}

std::string members_of(const Trace& trace, const Mapping& mapping) {
  const Index<Region> region = trace.ops.region_of(mapping.alloc.value);
  if (!region || mapping.item == nullptr) return {};
  const std::vector<MapItem>& items = items_of(trace, trace.regions.common(region.value));
  std::string members;
  for (const MapItem& item : items) {
    const std::uint64_t object = item.type >> kMapMemberOfShift;
    if (object == 0 || object > items.size() || &items[object - 1] != mapping.item) continue;
    members += (members.empty() ? "" : ", ") + base_of(item.name);
  }
  return members;
}

std::string members_of(const Trace& trace, const MapItem& item) {
  if (item.type >> kMapMemberOfShift != 0) return {};
  const auto list = std::ranges::find_if(trace.map_lists, [&](const std::vector<MapItem>& items) {
    return !items.empty() && &items.front() <= &item && &item <= &items.back();
  });
  if (list == trace.map_lists.end() || !holds_members(*list, item)) return {};
  const auto number = static_cast<std::uint64_t>(&item - list->data()) + 1;
  std::string members;
  for (const MapItem& one : *list) {
    if (one.type >> kMapMemberOfShift != number || pointer_of(one) != 0) continue;
    members += (members.empty() ? "" : ", ") + one.name;
  }
  return members;
}

bool is_device_variable(const Trace& trace, std::uint64_t address) {
  return std::ranges::any_of(trace.device_variables, [&](const DeviceVariable& variable) {
    if (!variable.module) return false;
    const std::uint64_t begin = variable.address + trace.modules[variable.module.value].bias;
    return address >= begin && address < begin + variable.bytes;
  });
}

std::string clause_of(const MapItem& item, Directive directive) {
  if ((item.type & kMapImplicit) != 0) return {};
  const bool is_end = directive == Directive::kTargetExitData;
  if ((item.type & kMapDelete) != 0) return "delete";
  switch (item.type & (kMapTo | kMapFrom)) {
    case kMapTo | kMapFrom:
      return "tofrom";
    case kMapTo:
      return "to";
    case kMapFrom:
      return "from";
    default:
      return is_end ? "release" : "alloc";
  }
}

void check_clauses(const Evidence& evidence, Analysis& analysis) {
  const Trace& trace = evidence.trace;
  ClauseChecks& checks = analysis.clause_checks;
  // A kernel that is handed nothing has no list, nor has any where lists are not told.
  const bool is_told = !trace.map_lists.empty() || trace.ops.empty();
  std::set<std::uint32_t> known;  // directive rows
  std::set<std::uint32_t> all;
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions.common(i);
    const std::uint32_t row = row_of(evidence.directives, region.site);
    if (row == kNoDirective || all.contains(row) || region.host_fallback) continue;
    const bool has_list = region.map_list < trace.map_lists.size() || region.ends_data;
    const bool has_no_items =
        is_told && trace.sites[region.site.value].directive == Directive::kTarget;
    if (!has_list && has_no_items) continue;
    all.insert(row);
    if (has_list) known.insert(row);
  }
  checks.directives = all.size();
  checks.checked = known.size();
  checks.is_part = has_lost_events(trace) || !is_recorded_whole(trace.recording);
  // With it clauses map nothing.
  const bool is_shared = trace.recording.unified_shared_memory;
  if (is_shared) checks.checked = 0;
  if (checks.is_part || !has_transfers(trace.recording)) return;
  ClauseEffects effects(evidence);
  if (!is_shared) {
    checks.need_sources = check_values(evidence, effects, analysis.source_questions);
    checks.need_sources = check_presence(evidence, effects) || checks.need_sources;
    checks.need_sources = check_pointers(evidence, effects) || checks.need_sources;
    check_order(evidence, effects);
  }
  check_memory(evidence, effects);
  analysis.mapping = effects.finish();
  checks.unjudged = effects.unjudged();
}

}  // namespace ompdm::analysis
