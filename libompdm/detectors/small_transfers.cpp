// Many small transfers, and scalars that are mapped where a kernel argument would do.
#include <algorithm>
#include <string_view>
#include <tuple>

#include "detectors/findings.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

constexpr std::uint64_t kSmall = 4096;

/// Transfers of one directive by one thread in one direction between the host and one device.
struct Stream {
  std::uint64_t instances = 1;  ///< executions of the directive
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> spared;  ///< that the one before could have carried
  facts::SmallTransfers facts{.one_place = true};
  std::vector<std::string> names;
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

/// The begin of the object that an operation's item is a part of (`a` of a[i*n:n]). 0: its
/// directive does not show it.
std::uint64_t base_of_item(const Evidence& evidence, const DataOp& op) {
  const MapItem* item = evidence.mappings.item_of(op.region, host_of(op), op.bytes, false);
  return item != nullptr ? item->base : 0;
}

/// Whether two pieces are of one allocation, as far as is known. Their directives name one object,
/// or their distance on the device is that on the host, or they touch.
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
  kNeighbour,  ///< apart by at most a page: one transfer could carry both and the bytes between
};

/// Whether two transfers of one address on the host have one address on the device, too. It may
/// also be the same part of storage that was mapped again in between.
bool have_one_target(const Evidence& evidence, std::uint32_t before, std::uint32_t after) {
  const auto address = [&](std::uint32_t i) {
    const DataOp& op = evidence.trace.ops.common(i);
    return op.kind == OpKind::kHtoD ? op.dst : op.src;
  };
  if (address(before) == address(after)) return true;
  const std::uint32_t one = evidence.mappings.of(before);
  const std::uint32_t other = evidence.mappings.of(after);
  if (one == Index<Mapping>::kNone || other == Index<Mapping>::kNone) return false;
  const Mapping& was = evidence.mapping(one);
  const Mapping& is = evidence.mapping(other);
  return was.piece == is.piece && address(before) - was.address == address(after) - is.address;
}

Kin kin_of(const Evidence& evidence, std::uint32_t before, std::uint32_t after) {
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
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
    stream.facts.one_place = stream.facts.one_place && host_of(op) == host_of(before);
    // After a kernel in between, the data may be the kernel's, or be computed by the host from it.
    const bool is_divided = evidence.kernels.any(copying_device_of(op), before.begin, op.begin);
    if (!is_divided && (kin == Kin::kNeighbour || (kin == Kin::kPart && again))) {
      stream.spared.push_back(i);
      (kin == Kin::kNeighbour ? stream.facts.neighbours : stream.facts.repeated) = true;
    }
  }
  stream.ops.push_back(i);
  stream.facts.largest = std::max(stream.facts.largest, op.bytes);
  if (op.variable && stream.names.size() < 4) {
    const Variable& variable = trace.variables[op.variable.value];
    add_once(stream.names, variable.name);
    add_once(stream.facts.items, variable.expression.empty() ? variable.name : variable.expression);
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

/// How many blocks of device memory were allocated, one for each transfer; 0: not for each.
std::uint64_t blocks_of(const Evidence& evidence, const Stream& stream) {
  std::set<std::uint32_t> blocks;
  const auto is_own = [&](std::uint32_t op) {
    const std::uint32_t mapping = evidence.mappings.of(op);
    const Index<Region> region = evidence.trace.ops.region_of(op);
    return mapping != kNoMapping && region &&
           evidence.trace.ops.region_of(evidence.mapping(mapping).alloc.value) == region &&
           blocks.insert(mapping).second;
  };
  return std::ranges::all_of(stream.ops, is_own) ? blocks.size() : 0;
}

/// Fills in where the transfers are made.
void complete(const Evidence& evidence, Stream& stream) {
  const std::uint32_t first = stream.ops.front();
  facts::SmallTransfers& facts = stream.facts;
  facts.several_an_instance = 2 * stream.instances <= stream.ops.size();
  if (const EnclosingEntry* entry = evidence.entry_around(first); entry != nullptr) {
    facts.loop = place_of_loop(evidence.trace, evidence.loops.rows[entry->loop]);
  }
  const Index<Site> site = evidence.trace.ops.common(first).site;
  if (!site) return;
  facts.place = source_place(evidence.trace.sites[site.value]);
  facts.directive = evidence.trace.sites[site.value].directive;
}

}  // namespace

/// 32 or more transfers of at most 4 KiB that could have been few. They are of neighbouring memory,
/// or one directive repeats them without a kernel in between. Also transfers that took more than
/// half of the device's time while they went on.
std::vector<Candidate> small_transfers(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  std::map<Key, Stream> streams;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    if (!is_small(op) || removed[i]) continue;
    append(
        evidence, i,
        streams[{row_of(evidence.directives, op.site), op.kind, copying_device_of(op), op.thread}]);
  }
  std::map<std::int32_t, DeviceWork> works;
  std::vector<Candidate> candidates;
  for (auto& [key, stream] : streams) {
    if (stream.ops.size() < kLeastTransfers) continue;
    const auto& [row, kind, device, thread] = key;
    const bool can_be_few = stream.spared.size() + 1 >= kLeastTransfers;
    if (!can_be_few) {
      const auto [work, is_new] = works.try_emplace(device, trace, device);
      if (!outweighs_all_else(trace, stream, work->second)) continue;
    }
    Candidate candidate;
    place(candidate, "small_transfers", trace, trace.ops.common(stream.ops.front()).site);
    describe(candidate, stream.ops.size(), Confidence::kLikely, stream.names);
    if (!can_be_few) candidate.add_caveat(Caveat::Kind::kNeededAtOnce);
    complete(evidence, stream);
    if (can_be_few) stream.facts.enough = stream.ops.size() - stream.spared.size();
    if (!can_be_few) stream.facts.blocks = blocks_of(evidence, stream);
    stream.facts.to_device = kind == OpKind::kHtoD;
    stream.facts.device = device;
    candidate.finding.facts = std::move(stream.facts);
    if (can_be_few) candidate.ops = std::move(stream.spared);
    candidate.carries_all = true;
    sum_up(candidate, trace);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

namespace {

/// Bytes that libomptarget hands to a kernel by value.
constexpr std::uint64_t kArgument = 8;

/// Whether a name is that of a variable, "n", and of no section, member or pointee.
bool is_plain(std::string_view name) {
  const auto is_part = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && std::ranges::all_of(name, is_part);
}

/// One variable in a clause of one directive.
struct Scalar {
  std::vector<std::uint32_t> ops;  ///< that an argument would save
  std::uint64_t transfers = 0;
  std::uint64_t same = 0;     ///< copied back as it had been sent
  std::uint64_t changed = 0;  ///< copied back changed, or from the kernel alone
  std::uint64_t unknown = 0;  ///< copied back, and not hashed, or possibly a flag that is not set

  [[nodiscard]] bool came_back() const { return same + changed + unknown > 0; }
  /// Whether all copies back that are known were unchanged, and there are enough.
  [[nodiscard]] bool is_unchanged() const { return changed == 0 && same >= kEnoughSamples; }
};

/// One directive.
struct Sender {
  Index<Site> site;
  std::uint32_t loop = 0;  ///< around the first; without a loop: past all loops its own row
  std::map<std::string, Scalar> scalars;
};

/// Directives of one loop, by site: in the order in which they were met.
using Senders = std::map<std::uint32_t, const Sender*>;

/// Whether an item may be an aggregate, as far as debug information shows. (Scalars are not mapped
/// unless a clause asks for it.)
bool may_be_aggregate(const MapItem& item) {
  const bool is_implicit = (item.type & kMapImplicit) != 0;
  return item.aggregate || (is_implicit && item.scope_line == 0);
}

/// Whether a mapping existed for one launch alone, and a clause names all of it.
bool is_of_a_launch(const Evidence& evidence, const Mapping& mapping) {
  const Trace& trace = evidence.trace;
  if (mapping.bytes > kArgument || mapping.is_private || mapping.is_static || mapping.is_pointee ||
      mapping.handed_out || mapping.item == nullptr || !mapping.remove ||
      !is_plain(mapping.item->name) || mapping.item->by_mapper || may_be_aggregate(*mapping.item)) {
    return false;
  }
  const Index<Region> region = trace.ops.region_of(mapping.alloc.value);
  return region && trace.ops.region_of(mapping.remove.value) == region &&
         is_of(trace, mapping.site, Directive::kTarget);
}

/// The innermost loop around an operation; without a loop: past all loops its directive's own row.
std::uint32_t loop_around(const Evidence& evidence, std::uint32_t op, std::uint32_t row) {
  const EnclosingEntry* entry = evidence.entry_around(op);
  return static_cast<std::uint32_t>(entry != nullptr ? entry->loop
                                                     : evidence.loops.rows.size() + row);
}

void append(const Evidence& evidence, std::size_t at, Scalar& scalar) {
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  const Mapping& mapping = evidence.mapping(at);
  std::uint32_t sent = kNoOp;
  scalar.ops.push_back(mapping.alloc.value);
  for (const std::uint32_t op : evidence.transfers(at)) {
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

/// By site: scalars that some of its launches found present, with a value of their own.
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

using NameAtLine = std::tuple<std::string, int, std::string>;  // file, line, item

NameAtLine name_at_line(const Trace& trace, const Mapping& mapping) {
  const Site& site = trace.sites[mapping.site.value];
  return {site.file, site.line, mapping.item->name};
}

/// Names that are objects in another instantiation of the template that holds the directive.
/// Without a clause objects are copied both ways.
std::set<NameAtLine> objects_at_lines(const Evidence& evidence) {
  std::set<NameAtLine> objects;
  for (const Mapping& row : evidence.mappings.rows()) {
    if (row.item == nullptr || !row.site || !is_plain(row.item->name)) continue;
    const bool is_object = row.bytes > kArgument || may_be_aggregate(*row.item);
    if (is_object) objects.insert(name_at_line(evidence.trace, row));
  }
  return objects;
}

/// By directive row.
std::map<std::uint32_t, Sender> senders_of(const Evidence& evidence, const Removed& removed) {
  std::map<std::uint32_t, Sender> senders;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  const Present present = present_scalars(evidence);
  const std::set<NameAtLine> objects = objects_at_lines(evidence);
  std::set<std::pair<std::uint32_t, std::string>> spoilt;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto transfers = evidence.transfers(i);
    const auto is_removed = [&](std::uint32_t op) { return removed[op]; };
    if (transfers.empty() || !is_of_a_launch(evidence, rows[i])) continue;
    if (std::ranges::any_of(transfers, is_removed)) continue;
    const Index<Site> site = rows[i].site;
    const std::uint32_t row = row_of(evidence.directives, site);
    const auto [at, is_new] = senders.try_emplace(row);
    if (is_new) at->second.site = site;
    if (is_new) at->second.loop = loop_around(evidence, rows[i].alloc.value, row);
    append(evidence, i, at->second.scalars[rows[i].item->name]);
    const bool is_object = objects.contains(name_at_line(evidence.trace, rows[i]));
    if (is_object || present.contains({site.value, rows[i].host}))
      spoilt.emplace(row, rows[i].item->name);
  }
  for (const auto& [row, name] : spoilt) senders[row].scalars.erase(name);
  return senders;
}

Candidate candidate_of(const Evidence& evidence, const Senders& senders) {
  std::uint64_t sent = 0;  // transfers of variables that were never copied back
  for (const auto& [site, sender] : senders) {
    for (const auto& [name, scalar] : sender->scalars) {
      if (!scalar.came_back()) sent += scalar.transfers;
    }
  }
  const bool with_unchanged = sent < kLeastTransfers;
  Candidate candidate;
  facts::MappedScalars facts{.largest = kArgument, .came_back = with_unchanged};
  UniqueTexts names;
  UniqueTexts unchanged;  // copied back unchanged, and not in the candidate
  UniqueTexts returned;
  UniqueSites sites;
  for (const auto& [site, sender] : senders) {
    bool any = false;
    for (const auto& [name, scalar] : sender->scalars) {
      facts.transfers += scalar.transfers;
      if (scalar.came_back() && !(with_unchanged && scalar.is_unchanged())) {
        (scalar.is_unchanged() ? unchanged : returned).add(name);
        continue;
      }
      any = true;
      names.add(name);
      candidate.finding.count += scalar.transfers;
      candidate.ops.insert(candidate.ops.end(), scalar.ops.begin(), scalar.ops.end());
    }
    if (!any) continue;
    sites.add(sender->site);
    facts.launches += evidence.directives.rows[row_of(evidence.directives, sender->site)].count;
  }
  if (candidate.finding.count < kLeastTransfers) return {};
  place(candidate, "mapped_scalars", evidence.trace, sites.all().front());
  candidate.stands_alone = true;  // a kernel's own arguments
  describe(candidate, candidate.finding.count, Confidence::kLikely, names.all());
  facts.names = names.all();
  facts.places = source_places(evidence.trace, sites.all());
  facts.unchanged = unchanged.all();
  facts.returned = returned.all();
  candidate.finding.facts = std::move(facts);
  if (with_unchanged) candidate.add_caveat(Caveat::Kind::kRareFlag);
  candidate.carries_all = true;  // the launch brings their values
  sum_up(candidate, evidence.trace);
  return candidate;
}

}  // namespace

/// Variables of at most 8 bytes that were transferred by themselves with each launch of a loop's
/// kernels: 32 transfers or more. They were not copied back. If these are too few, variables that
/// were copied back unchanged are taken, and the confidence is kPossible. One candidate a loop.
/// Leaves out what `removed` has, and members and elements, which are no arguments by themselves.
/// There are no edits: a variable of a reduction clause cannot be firstprivate, and no trace shows
/// which variable is one.
std::vector<Candidate> mapped_scalars(const Evidence& evidence, const Removed& removed) {
  const std::map<std::uint32_t, Sender> senders = senders_of(evidence, removed);
  std::map<std::uint32_t, Senders> loops;
  for (const auto& [row, sender] : senders) loops[sender.loop][sender.site.value] = &sender;
  std::vector<Candidate> candidates;
  for (const auto& [loop, group] : loops) {
    Candidate candidate = candidate_of(evidence, group);
    if (!candidate.ops.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
