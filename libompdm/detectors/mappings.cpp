#include "detectors/mappings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "model/live_memory.h"
#include "model/map_types.h"

namespace ompdm::analysis {

const std::vector<MapItem>& items_of(const Trace& trace, const Region& region) {
  static const std::vector<MapItem> kNone;
  return region.map_list < trace.map_lists.size() ? trace.map_lists[region.map_list] : kNone;
}

namespace {

/// A block of device memory and its row.
struct Held {
  std::uint64_t bytes = 0;
  std::uint32_t row = kNoMapping;
};

/// Positions in Trace::ops in the order in which operations take effect: allocations at their end,
/// all others at their begin.
std::vector<std::uint32_t> order_of_effect(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.ops.size());
  std::iota(order.begin(), order.end(), 0U);
  if (trace.threads.size() < 2) return order;
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const bool is_alloc = trace.ops.common(i).kind == OpKind::kAlloc;
    return std::pair(is_alloc ? trace.ops.end_of(i) : trace.ops.begin_of(i), i);
  });
  return order;
}

}  // namespace

namespace {

/// Bytes that libomptarget allocates before members of an object, so that these are aligned as on
/// the host (getPartialStructRequiredAlignment). 0 for all other items.
std::uint64_t padding_of(const MapItem& item) {
  constexpr std::uint64_t kMost = 16;
  const bool is_part = item.base != 0 && item.base < item.begin && (item.type & kMapTo) == 0 &&
                       item.type >> kMapMemberOfShift == 0;
  return is_part ? item.begin % std::min(item.base & -item.base, kMost) : 0;
}

}  // namespace

Mappings::Mappings(const Trace& trace)
    : trace_(trace), order_(trace.map_lists.size()), mapping_of_op_(trace.ops.size(), kNoMapping) {
  for (std::size_t list = 0; list < order_.size(); ++list) {
    const std::vector<MapItem>& items = trace.map_lists[list];
    order_[list].resize(items.size());
    std::iota(order_[list].begin(), order_[list].end(), 0U);
    std::ranges::sort(order_[list], {}, [&](std::uint32_t i) {
      return std::tuple(items[i].begin, items[i].bytes, i);
    });
  }
  replay(trace);
  number_pieces();
  for (Mapping& row : rows_) {
    const Index<Region> region = trace.ops.region_of(row.alloc.value);
    row.item = item_of(region, row.host, row.bytes, true);
    const MapItem* item =
        row.item != nullptr ? row.item : item_of(region, row.host, row.bytes, false);
    row.base = item != nullptr && item->base != 0 ? std::min(item->base, row.host) : row.host;
  }
  group_by_name();
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

const MapItem* Mappings::item_of(Index<Region> region, std::uint64_t begin, std::uint64_t bytes,
                                 bool is_named) const {
  const std::uint32_t list =
      region ? trace_.regions.common(region.value).map_list : Index<Region>::kNone;
  if (list >= order_.size()) return nullptr;
  const std::vector<MapItem>& items = trace_.map_lists[list];
  const auto same = std::ranges::equal_range(order_[list], begin, {},
                                             [&](std::uint32_t i) { return items[i].begin; });
  const auto at = std::ranges::find_if(same, [&](std::uint32_t i) {
    const bool is_it = items[i].bytes == bytes || items[i].bytes + padding_of(items[i]) == bytes;
    return is_it && (!is_named || !items[i].name.empty());
  });
  return at != same.end() ? &items[*at] : nullptr;
}

void Mappings::replay(const Trace& trace) {
  LiveMemory<Held> memory;
  const auto holder = [&](std::int32_t device, std::uint64_t address) {
    const Held* held = memory.find(device, address);
    return held != nullptr ? held->row : kNoMapping;
  };
  const auto add = [&](std::uint32_t i, std::int32_t device, std::uint64_t address,
                       std::uint64_t host) -> Mapping& {
    const DataOp& op = trace.ops[i];
    const auto number = static_cast<std::uint32_t>(rows_.size());
    const auto before = memory.allocate(device, address, {op.bytes, number});
    if (before) rows_[before->row].replaced = true;
    return rows_.emplace_back(Mapping{.device = device,
                                      .host = host,
                                      .address = address,
                                      .bytes = op.bytes,
                                      .variable = op.variable,
                                      .alloc = {i},
                                      .site = op.site,
                                      .begin = op.begin,
                                      .end = trace.process.wall});
  };
  const auto held_by = [&](std::uint32_t op, std::int32_t device, std::uint64_t address,
                           std::uint64_t host) {
    const std::uint32_t known = holder(device, address);
    const bool is_update = trace.ops.region_of(op) &&
                           is_of(trace, trace.ops.common(op).site, Directive::kTargetUpdate);
    if (known != kNoMapping || address == 0 || !is_update) return known;
    add(op, device, address, host).is_static = true;
    return static_cast<std::uint32_t>(rows_.size() - 1);
  };
  const auto take_transfer = [&](std::uint32_t op, std::uint32_t mapping) {
    mapping_of_op_[op] = mapping;
    if (mapping == kNoMapping) return;
    Mapping& row = rows_[mapping];
    (trace.ops.common(op).kind == OpKind::kHtoD ? row.sent : row.returned) = true;
    row.handed_out = row.handed_out || (row.host != 0 && !trace.ops.region_of(op) &&
                                        is_of(trace, trace.ops.common(op).site, Directive::kApi));
  };
  for (const std::uint32_t i : order_of_effect(trace)) {
    const DataOp& op = trace.ops[i];
    if (op.internal || op.unfinished) continue;
    switch (op.kind) {
      case OpKind::kAlloc: {
        if (op.dst_device == trace.host_device) break;  // no device's memory
        Mapping& row = add(i, op.dst_device, op.dst, op.src);
        row.storage = op.storage;
        row.is_pointee = (op.map_type & kMapPointerAndObject) != 0;
        row.is_private = (op.map_type & kMapPrivate) != 0;
        break;
      }
      case OpKind::kDelete: {
        const auto held = memory.release(op.src_device, op.src);
        if (!held) break;
        rows_[held->row].remove = {i};
        rows_[held->row].end = op.end;
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
          const std::uint32_t mapping = holder(device, address);
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

void Mappings::group_by_name() {
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> named;  // at a site
  Joined joined(pieces_);
  for (const Mapping& row : rows_) {
    if (row.item == nullptr || !row.site) continue;
    const auto [first, is_first] = named.try_emplace({row.site.value, row.item->name}, row.piece);
    if (!is_first) joined.join(row.piece, first->second);
  }
  for (Mapping& row : rows_) row.alias = joined.find(row.piece);
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

std::vector<std::vector<std::uint32_t>> Mappings::by_piece() const {
  std::vector<std::vector<std::uint32_t>> pieces(pieces_);
  for (std::uint32_t i = 0; i < rows_.size(); ++i) pieces[rows_[i].piece].push_back(i);
  return pieces;
}

std::string expression_of(const Trace& trace, const Mapping& mapping) {
  if (mapping.item != nullptr) return mapping.item->name;
  if (mapping.host == 0) return "memory of omp_target_alloc";
  if (mapping.variable) {
    const Variable& variable = trace.variables[mapping.variable.value];
    if (!variable.expression.empty()) return variable.expression;
    if (!variable.name.empty()) return variable.name;
  }
  return fmt::format("{} at {:#x}", size_text(mapping.bytes), mapping.host);
}

std::string expression_at(const Trace& trace, const Mappings& mappings, std::uint32_t op) {
  const DataOp& transfer = trace.ops[op];
  const std::uint64_t host = transfer.kind == OpKind::kDtoH ? transfer.dst : transfer.src;
  const MapItem* item = mappings.item_of(transfer.region, host, transfer.bytes, true);
  return item != nullptr ? item->name : expression_of(trace, mappings.rows()[mappings.of(op)]);
}

bool has_name(const Trace& trace, const Mapping& mapping) {
  if (mapping.item != nullptr) return true;
  if (mapping.host == 0) return false;
  return mapping.variable && !trace.variables[mapping.variable.value].name.empty();
}

std::string name_of(const Trace& trace, const Mapping& mapping) {
  if (has_name(trace, mapping)) return base_of(expression_of(trace, mapping));
  if (mapping.host == 0) return {};
  return nameless(mapping.bytes,
                  mapping.site ? place_of(trace.sites[mapping.site.value]) : std::string());
}

bool maps_data(Directive directive) {
  return directive == Directive::kTarget || directive == Directive::kTargetData ||
         directive == Directive::kTargetEnterData || directive == Directive::kTargetExitData;
}

bool comes_of_mapping(const Trace& trace, const DataOp& op) {
  return op.site && maps_data(trace.sites[op.site.value].directive) &&
         (op.map_type & kMapAlways) == 0;
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
