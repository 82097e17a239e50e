#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/map_types.h"
#include "detectors/edits.h"
#include "detectors/findings.h"
#include "detectors/names.h"
#include "detectors/tallies.h"

namespace ompdm::analysis {
namespace {

enum class Fate : std::uint8_t { kOverwritten, kDropped };

struct Unused {
  std::uint32_t op;
  Fate fate;
  Nanoseconds until = 0;  ///< it was there
  bool beside_kernels = false;
  /// What overwrote it, if that was of use; itself it may have been overwritten, and so on.
  std::uint32_t by = Index<DataOp>::kNone;
};

/// Whether the runtime's own threads made this for an asynchronous call of the API: nobody knows
/// whether it was a copy or a memset, nor in what order it took effect.
bool is_asynchronous_api(const Trace& trace, std::uint32_t op) {
  const Index<Site> site = trace.ops.common(op).site;
  const Index<Region> region = trace.ops.region_of(op);
  if (region || !site) return !region;
  const Site& where = trace.sites[site.value];
  return where.directive == Directive::kRuntime ||
         (where.directive == Directive::kApi &&
          (where.api.empty() || where.api.ends_with("_async")));
}

/// Of transfers that overwrote one another the last is what the others rest on, unless that was
/// dropped.
void look_behind_the_unused(std::vector<Unused>& unused) {
  if (!std::ranges::is_sorted(unused, {}, &Unused::op)) {
    std::ranges::sort(unused, {}, &Unused::op);
  }
  for (std::size_t i = unused.size(); i > 0; --i) {
    // What overwrote it comes after it, and has been looked behind already.
    const auto next = std::ranges::lower_bound(unused.begin() + static_cast<std::ptrdiff_t>(i),
                                               unused.end(), unused[i - 1].by, {}, &Unused::op);
    if (next != unused.end() && next->op == unused[i - 1].by) unused[i - 1].by = next->by;
  }
}

/// The transfers to this mapping that no kernel could have seen. A copy back to the host counts as
/// a look at all of the mapping.
std::vector<Unused> unused_in(const Evidence& evidence, KernelWrites& kernels, std::size_t number) {
  using DevicePiece = std::pair<std::uint64_t, std::uint64_t>;  // device address, bytes
  const Mapping& mapping = evidence.mappings.rows()[number];
  const Runs<DataOp>& ops = evidence.trace.ops;
  std::map<DevicePiece, std::uint32_t> waiting;  // latest transfer of each piece, not yet looked at
  std::vector<Unused> unused;
  const auto judge = [&](std::uint32_t op, Nanoseconds until, Fate fate, std::uint32_t by) {
    if (kernels.may_see(mapping, ops.begin_of(op), until)) return;
    unused.push_back(
        {op, fate, until, evidence.kernels.any(mapping.device, ops.begin_of(op), until), by});
  };
  for (const std::uint32_t i : evidence.mappings.transfers(number)) {
    const DataOp& op = ops.common(i);
    if (op.kind == OpKind::kDtoH) {
      waiting.clear();
      continue;
    }
    const Nanoseconds end = ops.end_of(i);
    const bool is_whole = op.dst == mapping.address && op.bytes >= mapping.bytes;
    if (is_whole) {
      for (const auto& [piece, before] : waiting) {
        judge(before, end, Fate::kOverwritten, i);
      }
      waiting.clear();
    }
    const auto [at, is_new] = waiting.try_emplace({op.dst, op.bytes}, i);
    if (is_new) continue;
    judge(at->second, end, Fate::kOverwritten, i);
    at->second = i;
  }
  const bool ended = mapping.remove || evidence.trace.recording.finished;
  const Nanoseconds until =
      mapping.remove ? ops.end_of(mapping.remove.value) : evidence.trace.process.wall;
  for (const auto& [piece, op] : waiting) {
    // What another directive found there it would map itself.
    const bool is_found = ended && comes_of_mapping(evidence.trace, ops[op]) &&
                          !evidence.namings.in_life_of(mapping).empty();
    if (ended && !is_found) judge(op, until, Fate::kDropped, Index<DataOp>::kNone);
  }
  look_behind_the_unused(unused);
  return unused;
}

/// Whether what was dropped is the last of several updates of a stay, and kernels could see the
/// others: so does a loop end that updates behind its kernel, whichever way was meant.
bool ends_a_loop(const Evidence& evidence, std::size_t mapping, std::size_t unused) {
  std::uint64_t updates = 0;
  for (const std::uint32_t op : evidence.mappings.transfers(mapping)) {
    const bool is_sent = evidence.trace.ops.common(op).kind == OpKind::kHtoD;
    if (is_sent && !comes_of_mapping(evidence.trace, evidence.trace.ops[op])) ++updates;
  }
  return unused == 1 && updates > 1;
}

struct UnusedTransferGroup {
  Claim claim;
  std::uint32_t first = 0;  ///< mapping
  std::set<std::int32_t> devices;
  std::uint64_t overwritten = 0;
  std::uint64_t sends = 0;      ///< that its clause made in all
  bool brings_back = false;     ///< its clause copies back too,
  bool is_always = false;       ///< whether the data is there or not
  bool beside_kernels = false;  ///< that do not name it
};

void count_sends(const Evidence& evidence, std::map<Clause, UnusedTransferGroup>& groups) {
  if (groups.empty()) return;
  for (std::size_t i = 0; i < evidence.mappings.rows().size(); ++i) {
    for (const std::uint32_t op : evidence.mappings.transfers(i)) {
      if (evidence.trace.ops.common(op).kind != OpKind::kHtoD) continue;
      const auto at = groups.find(clause_of(evidence, op));
      if (at != groups.end()) ++at->second.sends;
    }
  }
}

/// None where some of its transfers are needed, or a call makes them: no edit tells which.
void add_edit(const Site& site, const UnusedTransferGroup& group, const std::string& expression,
              Finding& finding) {
  if (!maps_data(site.directive) && site.directive != Directive::kTargetUpdate) return;
  if (group.sends > finding.count) return;
  EditKind kind = EditKind::kLeaveOut;
  const char* clause = site.directive == Directive::kTargetUpdate ? "to" : "";
  if (site.directive == Directive::kTargetUpdate) {
    kind = EditKind::kRemove;
  } else if (group.overwritten > 0) {
    // What no kernel has seen is not all of what happens to the data: it may come back later.
    kind = EditKind::kReplace;
    clause = !group.brings_back ? "alloc" : group.is_always ? "always, from" : "from";
  }
  finding.edits = {edit_at(finding, kind, site, clause, {expression})};
  finding.unless = {Unless::kKernelUses};
  // What overwrote it here may not come in another run.
  if (group.overwritten > 0) finding.unless.push_back(Unless::kNoPass);
}

}  // namespace

std::vector<Claim> unused_transfer(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !knows_launches(trace)) return {};
  std::map<Clause, UnusedTransferGroup> groups;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  KernelWrites& kernels = evidence.writers;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].replaced || rows[i].is_private || rows[i].handed_out || rows[i].on_device) continue;
    // A small argument, or a closure's, rides along.
    const auto is_large = [&](std::uint32_t op) {
      return trace.ops.common(op).bytes > kRidesAlong;
    };
    if (std::ranges::none_of(evidence.mappings.transfers(i), is_large)) continue;
    const bool asynchronous =
        std::ranges::any_of(evidence.mappings.transfers(i), [&](std::uint32_t op) {
          return is_asynchronous_api(trace, op) || is_of_deferred_task(trace, op);
        });
    if (asynchronous) continue;
    const std::vector<Unused> unused = unused_in(evidence, kernels, i);
    for (const auto& [op, fate, until, beside_kernels, by] : unused) {
      if (claimed[op] || !is_large(op)) continue;
      if (fate == Fate::kDropped && ends_a_loop(evidence, i, unused.size())) continue;
      const Index<Site> site = trace.ops.common(op).site;
      const auto [at, is_new] = groups.try_emplace(clause_of(evidence, op));
      UnusedTransferGroup& group = at->second;
      if (is_new) {
        group.first = i;
        place(group.claim, "unused_transfer", trace, site);
      }
      group.devices.insert(rows[i].device);
      group.claim.ops.push_back(op);
      group.claim.spans.emplace_back(trace.ops.begin_of(op), until);
      if (by != Index<DataOp>::kNone) {
        group.claim.rests.push_back({op, by});
        group.claim.needed.push_back(by);
      }
      group.brings_back = group.brings_back || (trace.ops.common(op).map_type & kMapFrom) != 0;
      group.is_always = group.is_always || (trace.ops.common(op).map_type & kMapAlways) != 0;
      group.beside_kernels = group.beside_kernels || beside_kernels;
      group.overwritten += fate == Fate::kOverwritten ? 1 : 0;
      ++group.claim.finding.count;
    }
  }
  count_sends(evidence, groups);
  std::vector<Claim> claims;
  for (auto& [key, group] : groups) {
    Finding& finding = group.claim.finding;
    // One of many, at a loop's end, say, is not worth a change.
    constexpr std::uint64_t kFew = 10;
    if (kFew * finding.count <= group.sends) continue;
    const Mapping& first = rows[group.first];
    const Index<Site> site = trace.ops.common(group.claim.ops.front()).site;
    finding.variable = name_of(trace, first);
    finding.examined = finding.of = finding.count;
    const bool is_sure = first.host != 0 && trace.recording.names == "on" && !group.beside_kernels;
    finding.confidence = is_sure ? Confidence::kCertain : Confidence::kLikely;
    finding.facts = facts::UnusedTransfer{.item = key.second,
                                          .devices = {group.devices.begin(), group.devices.end()},
                                          .overwritten = group.overwritten,
                                          .all = group.sends};
    if (site) add_edit(trace.sites[site.value], group, key.second, finding);
    sum_up(group.claim, trace);
    claims.push_back(std::move(group.claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
