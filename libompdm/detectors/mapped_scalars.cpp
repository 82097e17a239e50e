#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/map_types.h"
#include "detectors/findings.h"
#include "detectors/names.h"
#include "detectors/tallies.h"

namespace ompdm::analysis {
namespace {

/// What libomptarget hands to a kernel by value.
constexpr std::uint64_t kArgument = 8;

/// "n", and no section, member or pointee.
bool is_plain(std::string_view name) {
  const auto is_part = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && std::ranges::all_of(name, is_part);
}

/// One variable by one directive's clause.
struct Scalar {
  std::vector<std::uint32_t> ops;  ///< that would not be, were it an argument
  std::uint64_t transfers = 0;
  std::uint64_t same = 0;     ///< came back as it had been sent
  std::uint64_t changed = 0;  ///< came back changed, or from the kernel alone
  std::uint64_t unknown = 0;  ///< came back, and was not looked at, or may be a flag not set

  [[nodiscard]] bool came_back() const { return same + changed + unknown > 0; }
  /// Whether all that is known of what came back is that nothing had changed it.
  [[nodiscard]] bool is_unchanged() const { return changed == 0 && same >= kEnoughSamples; }
};

/// One directive.
struct Sender {
  Index<Site> site;
  std::uint32_t loop = 0;  ///< around the first; past all loops its own row
  std::map<std::string, Scalar> scalars;
};

/// Directives of one loop.
struct Group {
  std::map<std::uint32_t, const Sender*> senders;  ///< by site: in the order in which they were met
  std::uint64_t sent = 0;                          ///< transfers of what never came back
};

/// Scalars are not mapped unless a clause asks for it; a declaration that is known tells.
bool may_be_aggregate(const MapItem& item) {
  const bool is_implicit = (item.type & kMapImplicit) != 0;
  return item.aggregate || (is_implicit && item.scope_line == 0);
}

/// Whether it came for one launch alone, and a clause names it as a whole.
bool is_of_a_launch(const Evidence& evidence, const Mapping& mapping) {
  const Trace& trace = evidence.trace;
  if (mapping.bytes > kArgument || mapping.is_private || mapping.is_static || mapping.is_pointee ||
      mapping.handed_out || mapping.item == nullptr || !mapping.remove ||
      !is_plain(mapping.item->name) || mapping.item->by_mapper || may_be_aggregate(*mapping.item)) {
    return false;
  }
  const Index<Region> region = trace.ops.region_of(mapping.alloc.value);
  const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
  return region && trace.ops.region_of(mapping.remove.value) == region && site &&
         trace.sites[site.value].directive == Directive::kTarget;
}

/// The innermost loop around an operation; past all loops its directive's own row.
std::uint32_t loop_around(const Evidence& evidence, std::uint32_t op, std::uint32_t row) {
  const Asker asked = asker_of(evidence.trace, op);
  const std::uint32_t entry =
      evidence.enclosing.innermost(asked.thread, asked.time, evidence.trace.ops.end_of(op));
  return static_cast<std::uint32_t>(entry == EnclosingEntry::kNoEntry
                                        ? evidence.loops.rows.size() + row
                                        : evidence.enclosing.entries()[entry].loop);
}

void append(const Evidence& evidence, std::size_t at, Scalar& scalar) {
  const Runs<DataOp>& ops = evidence.trace.ops;
  const Mapping& mapping = evidence.mappings.rows()[at];
  std::uint32_t sent = kNoOp;
  scalar.ops.push_back(mapping.alloc.value);
  for (const std::uint32_t op : evidence.mappings.transfers(at)) {
    scalar.ops.push_back(op);
    ++scalar.transfers;
    if (ops.common(op).kind == OpKind::kHtoD) {
      sent = op;
      continue;
    }
    Same same = sent == kNoOp ? Same::kNo : same_content(ops[sent], ops[op]);
    if (same != Same::kNo && ops[op].trivial) same = Same::kUnknown;
    ++(same == Same::kNo ? scalar.changed : same == Same::kUnknown ? scalar.unknown : scalar.same);
  }
  scalar.ops.push_back(mapping.remove.value);
}

/// By site, scalars that some of its launches found on the device, with a value of their own.
using Present = std::set<std::pair<std::uint32_t, std::uint64_t>>;  // and host address

Present present_scalars(const Evidence& evidence) {
  Present present;
  for (const Mapping& row : evidence.mappings.rows()) {
    if (row.bytes > kArgument || row.host == 0 || is_of_a_launch(evidence, row)) continue;
    for (const Index<Site> site : evidence.namings.in_life_of(row)) {
      present.emplace(site.value, row.host);
    }
  }
  return present;
}

/// By directive row.
std::map<std::uint32_t, Sender> senders_of(const Evidence& evidence, const Claimed& claimed) {
  std::map<std::uint32_t, Sender> senders;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  const Present present = present_scalars(evidence);
  std::set<std::pair<std::uint32_t, std::string>> spoilt;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto transfers = evidence.mappings.transfers(i);
    const auto is_claimed = [&](std::uint32_t op) { return claimed[op]; };
    if (transfers.empty() || !is_of_a_launch(evidence, rows[i])) continue;
    if (std::ranges::any_of(transfers, is_claimed)) continue;
    const Index<Site> site = evidence.trace.ops.common(rows[i].alloc.value).site;
    const std::uint32_t row = row_of(evidence.directives, site);
    const auto [at, is_new] = senders.try_emplace(row);
    if (is_new) at->second.site = site;
    if (is_new) at->second.loop = loop_around(evidence, rows[i].alloc.value, row);
    append(evidence, i, at->second.scalars[rows[i].item->name]);
    if (present.contains({site.value, rows[i].host})) spoilt.emplace(row, rows[i].item->name);
  }
  for (const auto& [row, name] : spoilt) senders[row].scalars.erase(name);
  return senders;
}

/// What a group's claim is made of.
struct Parts {
  Claim claim;
  UniqueTexts names;
  UniqueTexts unchanged;  ///< came back so, and are not in the claim
  UniqueTexts returned;
  UniqueSites sites;
  std::uint64_t transfers = 0;  ///< all of the group's
  std::uint64_t launches = 0;
};

void append(const Evidence& evidence, const Sender& sender, bool with_unchanged, Parts& parts) {
  Claim& claim = parts.claim;
  const std::uint32_t row = row_of(evidence.directives, sender.site);
  bool any = false;
  for (const auto& [name, scalar] : sender.scalars) {
    parts.transfers += scalar.transfers;
    if (scalar.came_back() && !(with_unchanged && scalar.is_unchanged())) {
      (scalar.is_unchanged() ? parts.unchanged : parts.returned).add(name);
      continue;
    }
    any = true;
    parts.names.add(name);
    claim.finding.count += scalar.transfers;
    claim.ops.insert(claim.ops.end(), scalar.ops.begin(), scalar.ops.end());
  }
  if (!any) return;
  parts.sites.add(sender.site);
  parts.launches += evidence.directives.rows[row].count;
}

Claim claim_of(const Evidence& evidence, const Group& group) {
  const Trace& trace = evidence.trace;
  const bool with_unchanged = group.sent < kLeastTransfers;
  Parts parts;
  for (const auto& [site, sender] : group.senders) {
    append(evidence, *sender, with_unchanged, parts);
  }
  Claim& claim = parts.claim;
  if (claim.finding.count < kLeastTransfers) return {};
  place(claim, "mapped_scalars", trace, parts.sites.all().front());
  claim.stands_alone = true;  // a kernel's own arguments
  Finding& finding = claim.finding;
  finding.variable = clause_list(parts.names.all());
  finding.confidence = Confidence::kLikely;
  finding.examined = finding.of = finding.count;
  finding.facts = facts::MappedScalars{.names = parts.names.all(),
                                       .largest = kArgument,
                                       .launches = parts.launches,
                                       .places = source_places(trace, parts.sites.all()),
                                       .transfers = parts.transfers,
                                       .came_back = with_unchanged,
                                       .unchanged = parts.unchanged.all(),
                                       .returned = parts.returned.all()};
  if (with_unchanged) claim.add_caveat(Caveat::Kind::kRareFlag);
  claim.carries_all = true;  // the launch brings their values
  sum_up(claim, trace);
  return std::move(claim);
}

}  // namespace

std::vector<Claim> mapped_scalars(const Evidence& evidence, const Claimed& claimed) {
  const std::map<std::uint32_t, Sender> senders = senders_of(evidence, claimed);
  std::map<std::uint32_t, Group> groups;
  for (const auto& [row, sender] : senders) {
    Group& group = groups[sender.loop];
    group.senders[sender.site.value] = &sender;
    for (const auto& [name, scalar] : sender.scalars) {
      if (!scalar.came_back()) group.sent += scalar.transfers;
    }
  }
  std::vector<Claim> claims;
  for (const auto& [loop, group] : groups) {
    Claim claim = claim_of(evidence, group);
    if (!claim.ops.empty()) claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
