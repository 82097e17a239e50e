#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/map_types.h"
#include "detectors/findings.h"
#include "detectors/loops.h"
#include "detectors/names.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint64_t kSmall = 4096;

/// Transfers of one directive by one thread in one direction between the host and one device.
struct Stream {
  std::uint64_t instances = 1;  ///< of the directive
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> spared;  ///< that the one before could have carried
  std::uint64_t largest = 0;
  bool neighbours = false;  ///< some were spared because their memory is next to the one before's
  bool repeated = false;    ///< some because no kernel ran since the one before
  bool one_place = true;    ///< all are of one place on the host
  std::vector<std::string> names;
  std::vector<std::string> expressions;
};
using Key = std::tuple<std::uint32_t, OpKind, std::int32_t, std::uint32_t>;

std::int32_t copying_device_of(const DataOp& op) {
  return op.kind == OpKind::kHtoD ? op.dst_device : op.src_device;
}
std::uint64_t host_of(const DataOp& op) { return op.kind == OpKind::kHtoD ? op.src : op.dst; }

bool is_small(const DataOp& op) {
  return (op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH) && !op.internal &&
         (op.map_type & kMapPrivate) == 0 && op.bytes > 0 && op.bytes <= kSmall;
}

/// Where the object begins that an operation's item is a part of, as its directive says (`a` of
/// a[i*n:n]); 0 if it does not.
std::uint64_t base_of_item(const Evidence& evidence, const DataOp& op) {
  const MapItem* item = evidence.mappings.items().first(op.region, host_of(op), op.bytes);
  return item != nullptr ? item->base : 0;
}

/// Whether two pieces are of one allocation, as far as that can be known: their directives name one
/// object, or they lie on the device as they do on the host, or they touch.
bool are_of_one_block(const Evidence& evidence, std::uint32_t low, std::uint32_t high) {
  const DataOp& one = evidence.trace.ops[low];
  const DataOp& other = evidence.trace.ops[high];
  const std::uint64_t base = base_of_item(evidence, one);
  if (base != 0 && base == base_of_item(evidence, other)) return true;
  const bool is_in_one = evidence.mappings.of(low) != Index<Mapping>::kNone &&
                         evidence.mappings.of(low) == evidence.mappings.of(high);
  const bool to_device = one.kind == OpKind::kHtoD;
  const std::uint64_t apart = to_device ? other.dst - one.dst : other.src - one.src;
  if (is_in_one && apart == host_of(other) - host_of(one)) return true;
  return base == 0 && host_of(one) + one.bytes == host_of(other);
}

enum class Kin : std::uint8_t {
  kNone,
  kPart,       ///< of one block, anywhere in it, or the same again
  kNeighbour,  ///< within a page of each other, without overlapping: rows, members, elements of one
               ///< object, that one transfer could take with what is between them
};

/// Whether two transfers of one place on the host mean one place on the device, too: the same
/// address, or the same part of storage that was mapped anew meanwhile.
bool have_one_target(const Evidence& evidence, std::uint32_t before, std::uint32_t after) {
  const auto address = [&](std::uint32_t i) {
    const DataOp& op = evidence.trace.ops.common(i);
    return op.kind == OpKind::kHtoD ? op.dst : op.src;
  };
  if (address(before) == address(after)) return true;
  const std::uint32_t one = evidence.mappings.of(before);
  const std::uint32_t other = evidence.mappings.of(after);
  if (one == Index<Mapping>::kNone || other == Index<Mapping>::kNone) return false;
  const Mapping& was = evidence.mappings.rows()[one];
  const Mapping& is = evidence.mappings.rows()[other];
  return was.piece == is.piece && address(before) - was.address == address(after) - is.address;
}

Kin kin_of(const Evidence& evidence, std::uint32_t before, std::uint32_t after) {
  const Runs<DataOp>& ops = evidence.trace.ops;
  if (ops.common(before).variable != ops.common(after).variable || !ops.common(before).variable)
    return Kin::kNone;
  if (host_of(ops[before]) == host_of(ops[after])) {
    return have_one_target(evidence, before, after) ? Kin::kPart : Kin::kNone;
  }
  const bool upwards = host_of(ops[before]) < host_of(ops[after]);
  const std::uint32_t low = upwards ? before : after;
  const std::uint32_t high = upwards ? after : before;
  if (!are_of_one_block(evidence, low, high)) return Kin::kNone;
  const std::uint64_t end = host_of(ops[low]) + ops.common(low).bytes;
  const bool is_near = host_of(ops[high]) >= end && host_of(ops[high]) - end <= kSmall;
  return is_near ? Kin::kNeighbour : Kin::kPart;
}

void append(const Evidence& evidence, std::uint32_t i, Stream& stream) {
  const Trace& trace = evidence.trace;
  const DataOp& op = trace.ops[i];
  if (!stream.ops.empty()) {
    const DataOp& before = trace.ops[stream.ops.back()];
    const bool again = before.region != op.region || !op.region;
    if (again) ++stream.instances;
    const Kin kin = kin_of(evidence, stream.ops.back(), i);
    stream.one_place = stream.one_place && host_of(op) == host_of(before);
    // What a kernel ran between may be what it made, or what the host made of that.
    const bool is_divided = evidence.kernels.any(copying_device_of(op), before.begin, op.begin);
    if (kin == Kin::kNeighbour && !is_divided) {
      stream.spared.push_back(i);
      stream.neighbours = true;
    } else if (kin == Kin::kPart && again && !is_divided) {
      stream.spared.push_back(i);
      stream.repeated = true;
    }
  }
  stream.ops.push_back(i);
  stream.largest = std::max(stream.largest, op.bytes);
  if (op.variable && stream.names.size() < 4) {
    const Variable& variable = trace.variables[op.variable.value];
    add_once(stream.names, variable.name);
    add_once(stream.expressions, variable.expression.empty() ? variable.name : variable.expression);
  }
}

/// Durations of all that a device did, summed up to each instant at which something began.
class DeviceWork {
 public:
  DeviceWork(const Trace& trace, std::int32_t device) {
    for (const DataOp& op : trace.ops) {
      if (is_transfer(op.kind) && copying_device_of(op) == device)
        items_.emplace_back(op.begin, op.end);
    }
    for (const Launch& launch : trace.launches) {
      if (launch.device == device) items_.emplace_back(launch.begin, launch.end);
    }
    std::ranges::sort(items_);
    sums_.push_back(0);
    for (const auto& [begin, end] : items_) sums_.push_back(sums_.back() + end - begin);
  }

  [[nodiscard]] Nanoseconds between(Nanoseconds from, Nanoseconds to) const {
    const auto begin = std::ranges::lower_bound(items_, std::pair(from, Nanoseconds{0}));
    const auto end = std::ranges::upper_bound(items_, std::pair(to, to));
    return sums_[end - items_.begin()] - sums_[begin - items_.begin()];
  }

 private:
  std::vector<std::pair<Nanoseconds, Nanoseconds>> items_;
  std::vector<Nanoseconds> sums_;
};

/// Whether these transfers took more than half of the device's time while they went on.
bool outweighs_all_else(const Trace& trace, const Stream& stream, const DeviceWork& work) {
  Nanoseconds own = 0;
  for (const std::uint32_t i : stream.ops) {
    if (trace.ops.common(i).clock == Clock::kEnqueue) return false;
    own += trace.ops.end_of(i) - trace.ops.begin_of(i);
  }
  return 2 * own >
         work.between(trace.ops.begin_of(stream.ops.front()), trace.ops.end_of(stream.ops.back()));
}

/// The innermost loop around the first of them.
facts::LoopPlace loop_around(const Evidence& evidence, const Stream& stream) {
  const std::uint32_t op = stream.ops.front();
  const Asker asked = asker_of(evidence.trace, op);
  const std::uint32_t entry =
      evidence.enclosing.innermost(asked.thread, asked.time, evidence.trace.ops.end_of(op));
  if (entry == EnclosingEntry::kNoEntry) return {};
  return place_of_loop(evidence.trace,
                       evidence.loops.rows[evidence.enclosing.entries()[entry].loop]);
}

facts::SmallTransfers facts_of(const Evidence& evidence, const Stream& stream, bool can_be_few) {
  facts::SmallTransfers facts{.largest = stream.largest,
                              .neighbours = stream.neighbours,
                              .repeated = stream.repeated,
                              .one_place = stream.one_place,
                              .several_an_instance = 2 * stream.instances <= stream.ops.size(),
                              .items = stream.expressions,
                              .loop = loop_around(evidence, stream)};
  if (can_be_few) facts.enough = stream.ops.size() - stream.spared.size();
  const Index<Site> site = evidence.trace.ops.common(stream.ops.front()).site;
  if (!site) return facts;
  facts.place = source_place(evidence.trace.sites[site.value]);
  facts.directive = evidence.trace.sites[site.value].directive;
  return facts;
}

}  // namespace

std::vector<Claim> small_transfers(const Evidence& evidence, const Claimed& claimed) {
  const Trace& trace = evidence.trace;
  std::map<Key, Stream> streams;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    if (!is_small(op) || claimed[i]) continue;
    append(
        evidence, i,
        streams[{row_of(evidence.directives, op.site), op.kind, copying_device_of(op), op.thread}]);
  }
  std::map<std::int32_t, DeviceWork> works;
  std::vector<Claim> claims;
  for (auto& [key, stream] : streams) {
    if (stream.ops.size() < kLeastTransfers) continue;
    const auto& [row, kind, device, thread] = key;
    const bool can_be_few = stream.spared.size() + 1 >= kLeastTransfers;
    if (!can_be_few) {
      const auto [work, is_new] = works.try_emplace(device, trace, device);
      if (!outweighs_all_else(trace, stream, work->second)) continue;
    }
    const Index<Site> site = trace.ops.common(stream.ops.front()).site;
    Claim claim;
    place(claim, "small_transfers", trace, site);
    Finding& finding = claim.finding;
    finding.variable = clause_list(stream.names);
    finding.count = finding.examined = finding.of = stream.ops.size();
    finding.confidence = Confidence::kLikely;
    if (!can_be_few) claim.add_caveat(Caveat::Kind::kNeededAtOnce);
    facts::SmallTransfers facts = facts_of(evidence, stream, can_be_few);
    facts.to_device = kind == OpKind::kHtoD;
    facts.device = device;
    finding.facts = std::move(facts);
    if (can_be_few) claim.ops = std::move(stream.spared);
    claim.carries_all = true;
    sum_up(claim, trace);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace ompdm::analysis
