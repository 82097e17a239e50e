#include <algorithm>
#include <map>
#include <set>

#include "detectors/edits.h"
#include "detectors/findings.h"
#include "detectors/names.h"

namespace ompdm::analysis {
namespace {

Nanoseconds end_of(const Trace& trace, const Mapping& mapping) {
  return mapping.remove ? trace.ops.end_of(mapping.remove.value) : trace.process.wall;
}

/// From where on the host the bytes of a piece of device memory were last sent.
class Origins {
 public:
  /// Addresses of as many bytes: those in `device` came from `host`.
  void send(std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
    const std::uint64_t end = device + bytes;
    split(device);
    split(end);
    pieces_.erase(pieces_.lower_bound(device), pieces_.lower_bound(end));
    if (bytes > 0) pieces_[device] = {end, host - device};
  }
  /// Whether some of them came from elsewhere than `host`.
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
    std::uint64_t way;  // from a device address to its host address
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

/// Whether something that was sent to this memory came back to another place than it was sent from:
/// then it served as a way from the one to the other.
bool is_way_elsewhere(const Evidence& evidence, std::uint32_t number) {
  Origins origins;
  for (const std::uint32_t i : evidence.mappings.transfers(number)) {
    const DataOp& op = evidence.trace.ops.common(i);
    if (op.kind == OpKind::kHtoD) {
      origins.send(op.src, op.dst, op.bytes);
    } else if (origins.is_any_elsewhere(op.dst, op.src, op.bytes)) {
      return true;
    }
  }
  return false;
}

/// Whether no kernel could have seen this memory, nor was it otherwise of use. What was given to
/// the program may have been used by other libraries, unseen.
bool is_unused(const Evidence& evidence, KernelWrites& kernels, std::uint32_t number) {
  const Mapping& mapping = evidence.mappings.rows()[number];
  if (mapping.replaced || mapping.is_private || mapping.handed_out || mapping.on_device ||
      mapping.is_static)
    return false;
  if (!mapping.remove && !evidence.trace.recording.finished) return false;
  const Trace& trace = evidence.trace;
  // What another directive found there it would map itself.
  return !kernels.may_see(mapping, trace.ops.begin_of(mapping.alloc.value),
                          end_of(trace, mapping)) &&
         evidence.namings.in_life_of(mapping).empty() && !is_way_elsewhere(evidence, number);
}

struct UnusedAllocationGroup {
  Claim claim;
  std::uint32_t first = 0;  ///< mapping
  UniqueTexts items;
  UniqueTexts names;
  std::set<std::int32_t> devices;
  std::uint64_t sent = 0;
  std::uint64_t returned = 0;
  bool beside_kernels = false;  ///< that do not name it
};

void add_mapping(const Evidence& evidence, std::uint32_t number, UnusedAllocationGroup& group) {
  const Mapping& mapping = evidence.mappings.rows()[number];
  group.items.add(expression_of(evidence.trace, mapping));
  group.names.add(name_of(evidence.trace, mapping));
  group.devices.insert(mapping.device);
  const Nanoseconds from = evidence.trace.ops.begin_of(mapping.alloc.value);
  const Nanoseconds to = end_of(evidence.trace, mapping);
  group.claim.spans.emplace_back(from, to);
  group.beside_kernels = group.beside_kernels || evidence.kernels.any(mapping.device, from, to);
  ++group.claim.finding.count;
  group.claim.finding.allocated_bytes += mapping.bytes;
  group.claim.ops.push_back(mapping.alloc.value);
  if (mapping.remove) group.claim.ops.push_back(mapping.remove.value);
  for (const std::uint32_t op : evidence.mappings.transfers(number)) {
    group.claim.ops.push_back(op);
    ++(evidence.trace.ops.common(op).kind == OpKind::kHtoD ? group.sent : group.returned);
  }
}

void add_group(const UnusedAllocationGroup& more, UnusedAllocationGroup& group) {
  for (const std::string& item : more.items.all()) group.items.add(item);
  for (const std::string& name : more.names.all()) group.names.add(name);
  group.devices.insert(more.devices.begin(), more.devices.end());
  group.sent += more.sent;
  group.returned += more.returned;
  group.beside_kernels = group.beside_kernels || more.beside_kernels;
  Claim& claim = group.claim;
  claim.finding.count += more.claim.finding.count;
  claim.finding.allocated_bytes += more.claim.finding.allocated_bytes;
  claim.ops.insert(claim.ops.end(), more.claim.ops.begin(), more.claim.ops.end());
  claim.spans.insert(claim.spans.end(), more.claim.spans.begin(), more.claim.spans.end());
}

void add_edit(const Evidence& evidence, const UnusedAllocationGroup& group, Finding& finding) {
  const Mapping& first = evidence.mappings.rows()[group.first];
  const Index<Site> at = evidence.trace.ops.common(first.alloc.value).site;
  if (!at || first.host == 0) return;
  const Site& site = evidence.trace.sites[at.value];
  finding.unless = {Unless::kKernelUses};
  finding.edits = {edit_at(finding, EditKind::kLeaveOut, site, "", group.items.all())};
  if (group.sent > 0 && group.returned > 0) finding.unless.push_back(Unless::kHostWantsRestore);
}

}  // namespace

std::vector<Claim> unused_allocation(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !knows_launches(trace)) return {};
  std::map<std::pair<std::uint32_t, std::string>, UnusedAllocationGroup>
      groups;  // by directive row and name
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::set<std::pair<std::uint32_t, std::string>> used;
  KernelWrites& kernels = evidence.writers;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Index<Site> site = trace.ops.common(rows[i].alloc.value).site;
    const std::pair key(row_of(evidence.directives, site), expression_of(trace, rows[i]));
    // Arguments, and pointers that go over with their sections, ride along.
    if (rows[i].host != 0 && rows[i].bytes <= kRidesAlong) continue;
    if (!is_unused(evidence, kernels, i)) {
      used.insert(key);
      continue;
    }
    const auto [at, is_new] = groups.try_emplace(key);
    if (is_new) {
      at->second.first = i;
      place(at->second.claim, "unused_allocation", trace, site);
    }
    add_mapping(evidence, i, at->second);
  }
  // Items of one directive are one finding.
  std::map<std::pair<std::uint32_t, bool>, UnusedAllocationGroup> directives;
  for (auto& [key, group] : groups) {
    if (used.contains(key)) continue;  // a clause stands for all of its instances
    const bool is_mapped = rows[group.first].host != 0;
    const auto [at, is_first] = directives.try_emplace({key.first, is_mapped});
    if (is_first) {
      at->second = std::move(group);
    } else {
      add_group(group, at->second);
    }
  }
  std::vector<Claim> claims;
  for (auto& [key, group] : directives) {
    Finding& finding = group.claim.finding;
    const Mapping& first = rows[group.first];
    finding.variable = clause_list(group.names.all());
    finding.examined = finding.of = finding.count;
    const bool is_sure = first.host != 0 && (group.sent == 0 || group.returned == 0) &&
                         trace.recording.names == "on" && !group.beside_kernels;
    finding.confidence = is_sure ? Confidence::kCertain : Confidence::kLikely;
    finding.facts = facts::UnusedAllocation{
        .items = group.items.all(), .devices = {group.devices.begin(), group.devices.end()}};
    add_edit(evidence, group, finding);
    sum_up(group.claim, trace);
    claims.push_back(std::move(group.claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
