#include "detectors/mappings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/map_types.h"
#include "analysis/tables.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {
namespace {

/// Up to here it is quicker to look at one after the other.
constexpr std::size_t kShortList = 16;

}  // namespace

ListItems::ListItems(const Trace& trace) : trace_(trace), order_(trace.map_lists.size()) {
  for (std::size_t list = 0; list < order_.size(); ++list) {
    const std::vector<MapItem>& items = trace.map_lists[list];
    if (items.size() <= kShortList) continue;
    order_[list].resize(items.size());
    std::iota(order_[list].begin(), order_[list].end(), 0U);
    std::ranges::sort(order_[list], {}, [&](std::uint32_t i) {
      return std::tuple(items[i].begin, items[i].bytes, i);
    });
  }
}

template <class IsWanted>
const MapItem* ListItems::find(Index<Region> region, std::uint64_t begin, std::uint64_t bytes,
                               IsWanted is_wanted) const {
  const std::uint32_t list =
      region ? trace_.regions.common(region.value).map_list : Index<Region>::kNone;
  if (list >= order_.size()) return nullptr;
  const std::vector<MapItem>& items = trace_.map_lists[list];
  if (order_[list].empty()) {
    const auto item = std::ranges::find_if(items, [&](const MapItem& one) {
      return one.begin == begin && one.bytes == bytes && is_wanted(one);
    });
    return item != items.end() ? &*item : nullptr;
  }
  const auto same = std::ranges::equal_range(
      order_[list], std::pair(begin, bytes), {},
      [&](std::uint32_t i) { return std::pair(items[i].begin, items[i].bytes); });
  const auto at = std::ranges::find_if(same, [&](std::uint32_t i) { return is_wanted(items[i]); });
  return at != same.end() ? &items[*at] : nullptr;
}

const MapItem* ListItems::first(Index<Region> region, std::uint64_t begin,
                                std::uint64_t bytes) const {
  return find(region, begin, bytes, [](const MapItem&) { return true; });
}

const MapItem* ListItems::named(Index<Region> region, std::uint64_t begin,
                                std::uint64_t bytes) const {
  return find(region, begin, bytes, [](const MapItem& item) { return !item.name.empty(); });
}

namespace {

constexpr std::uint32_t kNoMapping = Index<Mapping>::kNone;

using Live = std::map<std::uint64_t, std::uint32_t>;  // device address -> mapping

std::uint32_t holder(const Live& live, const std::vector<Mapping>& rows, std::uint64_t address) {
  auto at = live.upper_bound(address);
  if (at == live.begin()) return kNoMapping;
  --at;
  return address - at->first < std::max<std::uint64_t>(rows[at->second].bytes, 1) ? at->second
                                                                                  : kNoMapping;
}

bool is_update(const Trace& trace, const DataOp& op) {
  const Index<Site> site = op.site;
  return op.region && site && trace.sites[site.value].directive == Directive::kTargetUpdate;
}

bool is_of_api(const Trace& trace, const DataOp& op) {
  const Index<Site> site = op.site;
  return !op.region && site && trace.sites[site.value].directive == Directive::kApi;
}

/// Positions in Trace::ops in the order in which memory came and went: an allocation is there at
/// its end, a delete takes at its begin.
std::vector<std::uint32_t> order_of_effect(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.ops.size());
  std::iota(order.begin(), order.end(), 0U);
  if (trace.threads.size() < 2) return order;
  const auto time = [&](std::uint32_t i) {
    const DataOp& op = trace.ops[i];
    return op.kind == OpKind::kAlloc ? op.end : op.begin;
  };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return time(a) != time(b) ? time(a) < time(b) : a < b;
  });
  return order;
}

}  // namespace

Mappings::Mappings(const Trace& trace)
    : items_(trace), mapping_of_op_(trace.ops.size(), kNoMapping) {
  replay(trace);
  number_pieces();
  for (Mapping& row : rows_) {
    const Index<Region> region = trace.ops.region_of(row.alloc.value);
    row.item = items_.named(region, row.host, row.bytes);
    const MapItem* item =
        row.item != nullptr ? row.item : items_.first(region, row.host, row.bytes);
    row.base = item != nullptr && item->base != 0 ? std::min(item->base, row.host) : row.host;
  }
  mark_ways_around(trace);
  first_.assign(rows_.size() + 1, 0);
  for (const std::uint32_t mapping : mapping_of_op_) {
    if (mapping != kNoMapping) ++first_[mapping + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  transfers_.resize(first_.back());
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t op = 0; op < mapping_of_op_.size(); ++op) {
    if (mapping_of_op_[op] != kNoMapping) transfers_[next[mapping_of_op_[op]]++] = op;
  }
}

void Mappings::replay(const Trace& trace) {
  std::map<std::int32_t, Live> devices;
  const auto held_by = [&](std::uint32_t op, std::int32_t device, std::uint64_t address,
                           std::uint64_t host) {
    Live& live = devices[device];
    const std::uint32_t known = holder(live, rows_, address);
    if (known != kNoMapping || address == 0 || !is_update(trace, trace.ops[op])) return known;
    Mapping row;
    row.device = device;
    row.host = host;
    row.address = address;
    row.bytes = trace.ops.common(op).bytes;
    row.variable = trace.ops.common(op).variable;
    row.alloc = {op};
    row.is_static = true;
    const auto number = static_cast<std::uint32_t>(rows_.size());
    live.emplace(address, number);
    rows_.push_back(row);
    return number;
  };
  const auto take_transfer = [&](std::uint32_t op, std::uint32_t mapping) {
    mapping_of_op_[op] = mapping;
    if (mapping == kNoMapping || rows_[mapping].host == 0) return;
    rows_[mapping].handed_out = rows_[mapping].handed_out || is_of_api(trace, trace.ops[op]);
  };
  for (const std::uint32_t i : order_of_effect(trace)) {
    const DataOp& op = trace.ops[i];
    if (op.internal || op.unfinished) continue;
    switch (op.kind) {
      case OpKind::kAlloc: {
        Mapping row;
        row.device = op.dst_device;
        row.host = op.src;
        row.storage = op.storage;
        row.address = op.dst;
        row.bytes = op.bytes;
        row.variable = op.variable;
        row.alloc = {i};
        row.is_pointee = (op.map_type & kMapPointerAndObject) != 0;
        row.is_private = (op.map_type & kMapPrivate) != 0;
        const auto number = static_cast<std::uint32_t>(rows_.size());
        const auto [at, is_new] = devices[op.dst_device].try_emplace(op.dst, number);
        if (!is_new) rows_[at->second].replaced = true;
        at->second = number;
        rows_.push_back(row);
        break;
      }
      case OpKind::kDelete: {
        Live& live = devices[op.src_device];
        const auto at = live.find(op.src);
        if (at == live.end()) break;
        rows_[at->second].remove = {i};
        live.erase(at);
        break;
      }
      case OpKind::kHtoD:
        take_transfer(i, held_by(i, op.dst_device, op.dst, op.src));
        break;
      case OpKind::kDtoH:
        take_transfer(i, held_by(i, op.src_device, op.src, op.dst));
        break;
      case OpKind::kDtoD:
      case OpKind::kMemset:
        for (const auto& [device, address] :
             {std::pair(op.dst_device, op.dst), std::pair(op.src_device, op.src)}) {
          const std::uint32_t mapping = holder(devices[device], rows_, address);
          if (mapping != kNoMapping) rows_[mapping].on_device = true;
        }
        break;
      case OpKind::kAssociate:
      case OpKind::kDisassociate:
        break;
    }
  }
}

void Mappings::number_pieces() {
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto piece = [&](std::uint32_t i) {
    const Mapping& row = rows_[i];
    return std::tuple(row.device, row.host, row.storage, row.bytes, row.host == 0 ? i : 0);
  };
  std::ranges::sort(order, {}, piece);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || piece(order[i]) != piece(order[i - 1])) ++pieces_;
    rows_[order[i]].piece = pieces_ - 1;
  }
}

void Mappings::mark_ways_around(const Trace& trace) {
  std::set<std::uint64_t> handed_out;
  std::set<std::uint64_t> pointees;
  for (const std::vector<MapItem>& items : trace.map_lists) {
    for (const MapItem& item : items) {
      if ((item.type & kMapReturnParam) != 0) handed_out.insert({item.begin, item.base});
      if ((item.type & kMapPointerAndObject) != 0) pointees.insert(item.begin);
    }
  }
  for (const MappedPointer& pointer : trace.mapped_pointers) handed_out.insert(pointer.host);
  if (handed_out.empty() && pointees.empty()) return;
  const auto has_one = [](const std::set<std::uint64_t>& addresses, const Mapping& row) {
    const auto at = addresses.lower_bound(row.host);
    return at != addresses.end() && *at - row.host < std::max<std::uint64_t>(row.bytes, 1);
  };
  for (Mapping& row : rows_) {
    if (row.host == 0) continue;
    row.handed_out = row.handed_out || has_one(handed_out, row);
    row.is_pointee = row.is_pointee || has_one(pointees, row);
  }
}

std::span<const std::uint32_t> Mappings::transfers(std::size_t mapping) const {
  return std::span(transfers_).subspan(first_[mapping], first_[mapping + 1] - first_[mapping]);
}

bool has_lost_events(const Trace& trace) {
  if (trace.truncated) return true;
  return std::ranges::any_of(trace.losses, [&](const Loss& loss) {
    return is_of_events(loss) || (loss.name == "records_too_large" && loss.count > 0);
  });
}

bool knows_launches(const Trace& trace) {
  constexpr int kAlways = 5;  // ompt_set_always
  return std::ranges::none_of(trace.recording.registered, [](const auto& answered) {
    return answered.callback == "target_submit_emi" && answered.answer != kAlways;
  });
}

}  // namespace ompdm::analysis
