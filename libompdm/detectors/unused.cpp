// Data that was sent to a device, or allocated there, and that no kernel could have seen.
#include <algorithm>
#include <tuple>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

enum class Fate : std::uint8_t { kOverwritten, kDropped };

struct Unused {
  std::uint32_t op;
  Fate fate;
  Nanoseconds until = 0;  ///< when it was overwritten or deleted
  bool beside_kernels = false;
  /// The transfer that overwrote it, if that one was of use. If it was overwritten, too: the last
  /// of these.
  std::uint32_t by = Index<DataOp>::kNone;
};

/// Whether the runtime's own threads made this for an asynchronous call of the API. It is not known
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

/// Transfers that overwrote one another are redundant because of the last of them, unless that one
/// was dropped.
void look_behind_the_unused(std::vector<Unused>& unused) {
  if (!std::ranges::is_sorted(unused, {}, &Unused::op)) {
    std::ranges::sort(unused, {}, &Unused::op);
  }
  for (std::size_t i = unused.size(); i > 0; --i) {
    // The transfer that overwrote it comes after it, and has been seen to already.
    const auto next = std::ranges::lower_bound(unused.begin() + static_cast<std::ptrdiff_t>(i),
                                               unused.end(), unused[i - 1].by, {}, &Unused::op);
    if (next != unused.end() && next->op == unused[i - 1].by) unused[i - 1].by = next->by;
  }
}

/// The transfers to this mapping that no kernel could have seen. A copy back counts as a use of all
/// of the mapping.
std::vector<Unused> unused_in(const Evidence& evidence, std::size_t number) {
  using DevicePiece = std::pair<std::uint64_t, std::uint64_t>;  // device address, bytes
  const Mapping& mapping = evidence.mapping(number);
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  // Latest transfer of each piece without a use so far
  std::map<DevicePiece, std::uint32_t> waiting;
  std::vector<Unused> unused;
  const auto judge = [&](std::uint32_t op, Nanoseconds until, Fate fate, std::uint32_t by) {
    if (evidence.kernels.may_see(mapping, ops.begin_of(op), until)) return;
    unused.push_back(
        {op, fate, until, evidence.kernels.any(mapping.device, ops.begin_of(op), until), by});
  };
  for (const std::uint32_t i : evidence.transfers(number)) {
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
  for (const auto& [piece, op] : waiting) {
    // Another directive that found the data present would otherwise map it itself.
    const bool is_found = ended && comes_of_mapping(evidence.trace, ops[op]) &&
                          !evidence.namings.in_life_of(mapping).empty();
    if (ended && !is_found) judge(op, mapping.end, Fate::kDropped, Index<DataOp>::kNone);
  }
  look_behind_the_unused(unused);
  return unused;
}

/// Whether a dropped transfer is the last of several updates of a mapping, while kernels could see
/// the others. A loop with an update after its kernel ends so.
bool ends_a_loop(const Evidence& evidence, std::size_t mapping, std::size_t unused) {
  std::uint64_t updates = 0;
  for (const std::uint32_t op : evidence.transfers(mapping)) {
    const bool is_sent = evidence.is_send(op);
    if (is_sent && !comes_of_mapping(evidence.trace, evidence.trace.ops[op])) ++updates;
  }
  return unused == 1 && updates > 1;
}

struct UnusedTransferGroup {
  Candidate candidate;
  std::uint32_t first = 0;  ///< mapping
  std::set<std::int32_t> devices;
  facts::UnusedTransfer facts;
  UniqueSites ends;             ///< where its memory was deleted
  bool brings_back = false;     ///< its clause also copies back,
  bool is_always = false;       ///< even if the data is present
  bool beside_kernels = false;  ///< kernels ran meanwhile, which do not name it
};

void count_sends(const Evidence& evidence, std::map<Clause, UnusedTransferGroup>& groups) {
  if (groups.empty()) return;
  for (std::size_t i = 0; i < evidence.mappings.rows().size(); ++i) {
    for (const std::uint32_t op : evidence.transfers(i)) {
      if (!evidence.is_send(op)) continue;
      const auto at = groups.find(clause_of(evidence, op));
      if (at != groups.end()) ++at->second.facts.all;
    }
  }
}

/// Adds an edit, but none if some transfers are needed, or if a call makes them: an edit cannot
/// separate these.
void add_edit(const Site& site, const UnusedTransferGroup& group, Finding& finding) {
  if (!maps_data(site.directive) && site.directive != Directive::kTargetUpdate) return;
  if (group.facts.all > finding.count) return;
  EditKind kind = EditKind::kLeaveOut;
  const char* clause = site.directive == Directive::kTargetUpdate ? "to" : "";
  if (site.directive == Directive::kTargetUpdate) {
    kind = EditKind::kRemove;
  } else if (group.facts.overwritten > 0) {
    // The data may be copied back later, though no kernel has seen this content.
    kind = EditKind::kReplace;
    clause = !group.brings_back ? "alloc" : group.is_always ? "always, from" : "from";
  }
  finding.edits = {edit_at(finding, kind, site, clause, {group.facts.item})};
  finding.unless = {Unless::kKernelUses};
  // In another run the transfer that overwrote it may not take place.
  if (group.facts.overwritten > 0) finding.unless.push_back(Unless::kNoIteration);
}

}  // namespace

/// Data that was sent to a device, and overwritten from the host or dropped. No kernel could have
/// seen it before, and it was not copied back. Leaves out what `removed` has.
std::vector<Candidate> unused_transfer(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !knows_launches(trace)) return {};
  std::map<Clause, UnusedTransferGroup> groups;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].replaced || rows[i].is_private || rows[i].handed_out || rows[i].on_device) continue;
    // A small argument, or that of a closure, is not worth reporting.
    const auto is_large = [&](std::uint32_t op) {
      return trace.ops.common(op).bytes > kRidesAlong;
    };
    if (std::ranges::none_of(evidence.transfers(i), is_large)) continue;
    const bool asynchronous = std::ranges::any_of(evidence.transfers(i), [&](std::uint32_t op) {
      return is_asynchronous_api(trace, op) || is_of_deferred_task(trace, op);
    });
    if (asynchronous) continue;
    const std::vector<Unused> unused = unused_in(evidence, i);
    for (const auto& [op, fate, until, beside_kernels, by] : unused) {
      if (removed[op] || !is_large(op)) continue;
      if (fate == Fate::kDropped && ends_a_loop(evidence, i, unused.size())) continue;
      const auto [at, is_new] = groups.try_emplace(clause_of(evidence, op));
      UnusedTransferGroup& group = at->second;
      if (is_new) {
        group.first = i;
        place(group.candidate, "unused_transfer", trace, trace.ops.common(op).site);
      }
      group.devices.insert(rows[i].device);
      if (rows[i].remove) group.ends.add(trace.ops.common(rows[i].remove.value).site);
      group.candidate.ops.push_back(op);
      group.candidate.spans.emplace_back(trace.ops.begin_of(op), until);
      if (by != Index<DataOp>::kNone) {
        group.candidate.depends_on.push_back({op, by});
        group.candidate.needed.push_back(by);
      }
      group.brings_back = group.brings_back || (trace.ops.common(op).map_type & kMapFrom) != 0;
      group.is_always = group.is_always || (trace.ops.common(op).map_type & kMapAlways) != 0;
      group.beside_kernels = group.beside_kernels || beside_kernels;
      group.facts.overwritten += fate == Fate::kOverwritten ? 1 : 0;
      ++group.candidate.finding.count;
    }
  }
  count_sends(evidence, groups);
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups) {
    Finding& finding = group.candidate.finding;
    // One of many, at a loop's end, say, is not worth a change.
    constexpr std::uint64_t kFew = 10;
    if (kFew * finding.count <= group.facts.all) continue;
    const Mapping& first = rows[group.first];
    const Index<Site> site = trace.ops.common(group.candidate.ops.front()).site;
    const bool is_sure =
        first.host != 0 && trace.recording.names == Recording::Names::kOn && !group.beside_kernels;
    describe(group.candidate, finding.count, is_sure ? Confidence::kCertain : Confidence::kLikely,
             {name_of(trace, first)});
    group.facts.item = key.second;
    group.facts.devices = listed(group.devices);
    group.facts.ends = source_places(trace, group.ends.all());
    finding.facts = group.facts;
    if (site) add_edit(trace.sites[site.value], group, finding);
    sum_up(group.candidate, trace);
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

namespace {

/// The host addresses from which device memory was last sent.
class Origins {
 public:
  /// Notes that `bytes` bytes at `device` were sent from `host`.
  void send(std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
    const std::uint64_t end = device + bytes;
    split(device);
    split(end);
    pieces_.erase(pieces_.lower_bound(device), pieces_.lower_bound(end));
    if (bytes > 0) pieces_[device] = {end, host - device};
  }
  /// Whether some of these bytes were sent from another address than `host`.
  [[nodiscard]] bool is_any_elsewhere(std::uint64_t host, std::uint64_t device,
                                      std::uint64_t bytes) const {
    auto piece = pieces_.upper_bound(device);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->first < device + bytes; ++piece) {
      if (piece->second.end > device && piece->second.way != host - device) return true;
    }
    return false;
  }

 private:
  struct Piece {
    std::uint64_t end;
    std::uint64_t way;  // host address minus device address
  };
  /// A piece that holds the address inside becomes two.
  void split(std::uint64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->second.end <= at) return;
    pieces_[at] = piece->second;
    piece->second.end = at;
  }

  std::map<std::uint64_t, Piece> pieces_;  // by device address; none overlap
};

/// Whether data was copied back to another address than it was sent from. Then the memory served to
/// move data on the host.
bool is_way_elsewhere(const Evidence& evidence, std::uint32_t number) {
  Origins origins;
  for (const std::uint32_t i : evidence.transfers(number)) {
    const DataOp& op = evidence.trace.ops.common(i);
    if (op.kind == OpKind::kHtoD) {
      origins.send(op.src, op.dst, op.bytes);
    } else if (origins.is_any_elsewhere(op.dst, op.src, op.bytes)) {
      return true;
    }
  }
  return false;
}

/// Whether no kernel could have seen this memory, and it had no other use. If the program has its
/// device address, other libraries may have used it.
bool is_unused(const Evidence& evidence, std::uint32_t number) {
  const Mapping& mapping = evidence.mapping(number);
  if (mapping.replaced || mapping.is_private || mapping.handed_out || mapping.on_device ||
      mapping.is_static)
    return false;
  if (!mapping.remove && !evidence.trace.recording.finished) return false;
  // Another directive that found the data present would otherwise map it itself.
  return !evidence.kernels.may_see(mapping, mapping.begin, mapping.end) &&
         evidence.namings.in_life_of(mapping).empty() && !is_way_elsewhere(evidence, number);
}

/// Whether a kernel ran on one of these devices.
bool runs_kernels(const Trace& trace, const std::set<std::int32_t>& devices) {
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    if (devices.contains(trace.launches.common(i).device)) return true;
  }
  return false;
}

struct UnusedAllocationGroup {
  Candidate candidate;
  std::uint32_t first = 0;  ///< mapping
  UniqueTexts items;
  UniqueTexts names;
  UniqueSites ends;  ///< where it was deleted
  std::set<std::int32_t> devices;
  std::uint64_t sent = 0;
  std::uint64_t returned = 0;
  bool beside_kernels = false;  ///< kernels ran meanwhile, which do not name it
};

void add_mapping(const Evidence& evidence, std::uint32_t number, UnusedAllocationGroup& group) {
  const Mapping& mapping = evidence.mapping(number);
  if (group.candidate.ops.empty()) {
    group.first = number;
    place(group.candidate, "unused_allocation", evidence.trace, mapping.site);
  }
  group.items.add(expression_of(evidence.trace, mapping));
  group.names.add(name_of(evidence.trace, mapping));
  group.devices.insert(mapping.device);
  if (mapping.remove) group.ends.add(evidence.trace.ops.common(mapping.remove.value).site);
  group.candidate.spans.emplace_back(mapping.begin, mapping.end);
  group.beside_kernels =
      group.beside_kernels || evidence.kernels.any(mapping.device, mapping.begin, mapping.end);
  ++group.candidate.finding.count;
  group.candidate.finding.allocated_bytes += mapping.bytes;
  group.candidate.ops.push_back(mapping.alloc.value);
  if (mapping.remove) group.candidate.ops.push_back(mapping.remove.value);
  for (const std::uint32_t op : evidence.transfers(number)) {
    group.candidate.ops.push_back(op);
    ++(evidence.is_send(op) ? group.sent : group.returned);
  }
}

void add_edit(const Evidence& evidence, const UnusedAllocationGroup& group, Finding& finding) {
  const Mapping& first = evidence.mapping(group.first);
  if (!first.site || first.host == 0) return;
  const Site& site = evidence.trace.sites[first.site.value];
  finding.unless = {Unless::kKernelUses};
  finding.edits = {edit_at(finding, EditKind::kLeaveOut, site, "", group.items.all())};
  if (group.sent > 0 && group.returned > 0) finding.unless.push_back(Unless::kHostWantsRestore);
}

}  // namespace

/// Device memory that was allocated and deleted without a kernel that could have seen it.
std::vector<Candidate> unused_allocation(const Evidence& evidence, const Removed& /*removed*/) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !knows_launches(trace)) return {};
  std::map<Clause, std::vector<std::uint32_t>> unused;  // mappings
  std::set<Clause> used;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    // Arguments, and pointers that are sent with their sections, are not worth reporting.
    if (rows[i].host != 0 && rows[i].bytes <= kRidesAlong) continue;
    const Clause clause(row_of(evidence.directives, rows[i].site), expression_of(trace, rows[i]));
    if (is_unused(evidence, i)) {
      unused[clause].push_back(i);
    } else {
      used.insert(clause);
    }
  }
  // Items of one directive are one finding, if the same conditions may apply to them.
  std::map<std::tuple<std::uint32_t, bool, bool, bool>, UnusedAllocationGroup> groups;
  for (const auto& [clause, mappings] : unused) {
    if (used.contains(clause)) continue;  // an edit of a clause holds for all its executions
    const bool is_mapped = rows[mappings.front()].host != 0;
    const auto moves = [&](bool sends) {
      return std::ranges::any_of(mappings, [&](std::uint32_t mapping) {
        return std::ranges::any_of(evidence.transfers(mapping),
                                   [&](std::uint32_t op) { return evidence.is_send(op) == sends; });
      });
    };
    UnusedAllocationGroup& group = groups[{clause.first, is_mapped, moves(true), moves(false)}];
    for (const std::uint32_t i : mappings) add_mapping(evidence, i, group);
  }
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups) {
    Finding& finding = group.candidate.finding;
    const Mapping& first = rows[group.first];
    const bool is_sure = first.host != 0 && (group.sent == 0 || group.returned == 0) &&
                         trace.recording.names == Recording::Names::kOn && !group.beside_kernels;
    describe(group.candidate, finding.count, is_sure ? Confidence::kCertain : Confidence::kLikely,
             group.names.all());
    finding.facts = facts::UnusedAllocation{.items = group.items.all(),
                                            .devices = listed(group.devices),
                                            .ends = source_places(trace, group.ends.all()),
                                            .is_unset = group.sent == 0 && group.returned > 0,
                                            .has_no_kernels = !runs_kernels(trace, group.devices)};
    add_edit(evidence, group, finding);
    sum_up(group.candidate, trace);
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
