#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/map_types.h"
#include "detectors/edits.h"
#include "detectors/findings.h"
#include "detectors/names.h"

namespace ompdm::analysis {
namespace {

/// Whether the program itself has to end this stay: `target` and `target data` end by themselves.
bool has_to_be_ended(Directive directive) {
  return directive == Directive::kTargetEnterData || directive == Directive::kApi;
}

/// Host storage that `target exit data` named.
class Exited {
 public:
  explicit Exited(const Trace& trace) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> named;
    std::ignore = trace.regions.of_shapes([&](const Region& region) {
      const bool is_exit =
          region.site && trace.sites[region.site.value].directive == Directive::kTargetExitData;
      if (!is_exit || region.map_list >= trace.map_lists.size()) return 0;
      for (const MapItem& item : trace.map_lists[region.map_list]) {
        named.emplace_back(item.begin, item.begin + std::max<std::uint64_t>(item.bytes, 1));
      }
      return 0;
    });
    std::ranges::sort(named);
    for (const auto& [begin, end] : named) {
      std::uint64_t& last = ends_.empty() || std::prev(ends_.end())->second < begin
                                ? ends_[begin]
                                : std::prev(ends_.end())->second;
      last = std::max(last, end);
    }
  }

  /// Whether some of a mapping's storage was named.
  [[nodiscard]] bool has(const Mapping& mapping) const {
    const auto after = ends_.lower_bound(mapping.host + std::max<std::uint64_t>(mapping.bytes, 1));
    return after != ends_.begin() && std::prev(after)->second > mapping.host;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by begin, apart from each other
};

/// Memory in which nothing lies but pointers: it goes over with what they point to, by the clause
/// that names that, and stays when that is released.
class PointersOnly {
 public:
  explicit PointersOnly(const Trace& trace) {
    for (const std::vector<MapItem>& items : trace.map_lists) {
      for (const MapItem& item : items) {
        if ((item.type & kMapPointerAndObject) != 0) pointers_.insert(item.base);
      }
    }
  }

  [[nodiscard]] bool has(const Trace& trace, const Mapping& mapping) const {
    if (mapping.host == 0 || mapping.bytes == 0) return false;
    // Of a global pointer nothing tells, and its own memory has no name.
    if (mapping.bytes == sizeof(void*) && !has_name(trace, mapping)) return true;
    const auto first = pointers_.lower_bound(mapping.host);
    const auto last = pointers_.lower_bound(mapping.host + mapping.bytes);
    const auto count = static_cast<std::uint64_t>(std::distance(first, last));
    return count * sizeof(void*) >= mapping.bytes;
  }

 private:
  std::set<std::uint64_t> pointers_;  // where they lie on the host
};

struct LeakGroup {
  Claim claim;
  std::set<std::uint64_t> hosts;
  std::set<std::string> other_names;  ///< of pointers that are swapped with these, in the function
  Index<Mapping> first;
  NamedData data;
  UniqueTexts expressions;
  std::set<std::uint64_t> silent;  ///< host addresses of what never came back
  bool by_mapper = false;          ///< and the program has ended it
};

/// Host addresses that some function calls by the same several names in turn, as a program that
/// swaps its pointers does. (A function that is called for one array after the other has one name
/// for them.)
class Turns {
 public:
  explicit Turns(const Trace& trace) {
    std::ignore = trace.regions.of_shapes([&](const Region& region) {
      if (!region.site || region.map_list >= trace.map_lists.size()) return 0;
      const std::string& function = trace.sites[region.site.value].function;
      for (const MapItem& item : trace.map_lists[region.map_list]) {
        names_[function][item.begin].insert(item.name);
      }
      return 0;
    });
  }

  /// Those that bear a name together with this one, itself included.
  [[nodiscard]] std::set<std::uint64_t> with(std::uint64_t host) const {
    std::set<std::uint64_t> all = {host};
    for (const auto& [function, names_of] : names_) {
      const auto own = names_of.find(host);
      if (own == names_of.end() || own->second.size() < 2) continue;
      for (const auto& [other, names] : names_of) {
        const auto shared = std::ranges::count_if(
            names, [&](std::string_view name) { return own->second.contains(name); });
        if (shared >= 2) all.insert(other);
      }
    }
    return all;
  }

 private:
  using Names = std::set<std::string_view>;
  std::map<std::string_view, std::map<std::uint64_t, Names>> names_;  // by function, host
};

/// By which other names the function that left it may know what was left.
void add_other_names(const Evidence& evidence, const Turns& turns, LeakGroup& group) {
  const Trace& trace = evidence.trace;
  std::set<std::uint64_t> hosts;
  for (const std::uint64_t host : group.hosts) hosts.merge(turns.with(host));
  const Mapping& first = evidence.mappings.rows()[group.first.value];
  const Index<Site> left_by = trace.ops.common(first.alloc.value).site;
  for (const Mapping& row : evidence.mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (row.item == nullptr || !site || !hosts.contains(row.host)) continue;
    if (trace.sites[site.value].function == trace.sites[left_by.value].function) {
      group.other_names.insert(row.item->name);
    }
  }
}

bool came_back(const Evidence& evidence, std::uint32_t mapping) {
  return std::ranges::any_of(evidence.mappings.transfers(mapping), [&](std::uint32_t op) {
    return evidence.trace.ops.common(op).kind == OpKind::kDtoH;
  });
}

/// By the host address of data: the directives whose map clauses ask for it back.
using Asked = std::map<std::uint64_t, UniqueSites>;

Asked asked_back(const Trace& trace, const std::set<std::uint64_t>& data) {
  Asked places;
  if (data.empty()) return places;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // site, map list
  for (const Region& region : trace.regions) {
    if (!region.site || region.map_list >= trace.map_lists.size()) continue;
    if (!seen.insert({region.site.value, region.map_list}).second) continue;
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if ((item.type & (kMapFrom | kMapImplicit)) != kMapFrom || !data.contains(item.begin))
        continue;
      places[item.begin].add(region.site);
    }
  }
  return places;
}

void add_edit(const Trace& trace, const Mapping& first, LeakGroup& group, Finding& finding) {
  const Site& site = trace.sites[trace.ops.common(first.alloc.value).site.value];
  Edit edit;
  edit.anchor = {Anchor::Side::kAfter, Anchor::Of::kUses, {source_place(site)}};
  if (first.host == 0) {
    edit.directive = Directive::kApi;
  } else {
    edit.directive = Directive::kTargetExitData;
    finding.data = group.data.rows();
    // A release ends it only where it was entered once: one may have been there, and ended nothing.
    edit.clauses = {{"delete", group.data.all()}};
    for (const EditData& data : group.data.rows()) group.other_names.erase(data.expression);
    for (const std::string& name : group.other_names) {
      edit.clauses.front().data.push_back(static_cast<std::uint32_t>(finding.data.size()));
      EditData& data = finding.data.emplace_back();
      data.expression = name;
      data.named_at = source_place(site);
    }
    edit.devices.assign(group.data.devices().begin(), group.data.devices().end());
  }
  finding.edits = {std::move(edit)};
}

facts::DeviceLeak facts_of(const Trace& trace, const Mapping& first, const LeakGroup& group,
                           const Asked& asked) {
  const Site& site = trace.sites[trace.ops.common(first.alloc.value).site.value];
  UniqueSites asking;
  for (const std::uint64_t host : group.silent) {
    const auto at = asked.find(host);
    if (at == asked.end()) continue;
    for (const Index<Site> by : at->second.all()) asking.add(by);
  }
  const std::set<std::int32_t>& devices = group.data.devices();
  return {.is_mapped = first.host != 0,
          .items = group.expressions.all(),
          .devices = {devices.begin(), devices.end()},
          .directive = site.directive,
          .api = site.directive == Directive::kApi ? site.api : std::string(),
          .place = source_place(site),
          .asked_back = source_places(trace, asking.all()),
          .other_names = {group.other_names.begin(), group.other_names.end()},
          .by_mapper = group.by_mapper};
}

}  // namespace

std::vector<Claim> device_leak(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !trace.recording.finished) return {};
  std::map<std::pair<std::uint32_t, bool>, LeakGroup> groups;  // by directive row; mapped or not
  std::set<std::uint64_t> silent;
  const Exited ended(trace);
  const PointersOnly pointers(trace);
  std::set<std::uint64_t> returned;  // from whichever device
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (came_back(evidence, i)) returned.insert(rows[i].host);
  }
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Mapping& mapping = rows[i];
    if (mapping.remove || mapping.replaced || pointers.has(trace, mapping)) continue;
    if (claimed[mapping.alloc.value]) continue;
    const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
    if (!site) continue;
    // LLVM's runtime keeps what a mapper maps when it is released, and one struct when deleted too.
    const bool is_entered = has_to_be_ended(trace.sites[site.value].directive);
    const bool by_mapper =
        mapping.host != 0 && is_of_mapper(trace, mapping) && (!is_entered || ended.has(mapping));
    if (!is_entered && !by_mapper) continue;
    const auto [at, is_new] =
        groups.try_emplace(std::pair(row_of(evidence.directives, site), mapping.host != 0));
    LeakGroup& group = at->second;
    if (is_new) {
      group.first = {i};
      place(group.claim, "device_leak", trace, site);
    }
    group.by_mapper = group.by_mapper || by_mapper;
    group.data.add(trace, mapping);
    group.hosts.insert(mapping.host);
    if (mapping.host != 0) group.expressions.add(expression_of(trace, mapping));
    if (mapping.host != 0 && !mapping.handed_out && !returned.contains(mapping.host)) {
      group.silent.insert(mapping.host);
    }
    ++group.claim.finding.count;
    group.claim.finding.allocated_bytes += mapping.bytes;
  }
  for (const auto& [key, group] : groups) silent.insert(group.silent.begin(), group.silent.end());
  const Asked asked = asked_back(trace, silent);
  std::vector<Claim> claims;
  for (auto& [key, group] : groups) {
    // LLVM keeps a struct that is pointed to once more than it is released.
    if (group.claim.finding.allocated_bytes <= kRidesAlong) continue;
    const Mapping& first = rows[group.first.value];
    if (first.host != 0) add_other_names(evidence, Turns(trace), group);
    Finding& finding = group.claim.finding;
    finding.variable = first.host == 0 ? std::string() : clause_list(group.data.names());
    finding.examined = finding.of = finding.count;
    finding.confidence = Confidence::kCertain;
    if (!group.by_mapper) add_edit(trace, first, group, finding);
    finding.facts = facts_of(trace, first, group, asked);
    claims.push_back(std::move(group.claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
