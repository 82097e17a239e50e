// Names of a replay: those that the compiler passes for each site's items, and the variables that
// the items of a map list stand for.
#include <algorithm>
#include <tuple>

#include "trace/map_items.h"
#include "trace/replay.h"

namespace ompdm::trace {

Replay::Replay(Draft& draft)
    : draft_(draft),
      trace_(draft.trace),
      order_(draft.trace),
      activations_(draft.trace, order_),
      source_calls_(draft.trace),
      storage_(draft.trace, source_calls_) {
  names_.reserve(draft.site_notes.size());
  for (const SiteNote& note : draft.site_notes) {
    auto& names = names_.emplace_back();
    for (const std::string& name : note.names) names.push_back(parse_item(name));
  }
  descriptors_.resize(trace_.map_lists.size());
  for (std::size_t i = 0; i < trace_.map_lists.size(); ++i) {
    if (!draft.list_sites[i]) continue;
    const std::vector<MapItem>& items = trace_.map_lists[i];
    std::vector<ItemName>& names = names_[draft.list_sites[i].value];
    if (draft.site_notes[draft.list_sites[i].value].is_fortran) {
      descriptors_[i] = descriptors_in(items);
      name_described(items, descriptors_[i], names);
    } else {
      name_object(items, trace_.sites[draft.list_sites[i].value], names);
    }
    name_structs(items, names);
  }
  for (const std::string& name : draft.mapper_names) mapper_names_.push_back(parse_item(name));
  pieces_ = draft.mapper_pieces;
  std::sort(pieces_.begin(), pieces_.end(), [](const MapperPiece& a, const MapperPiece& b) {
    return std::tuple(a.region.value, a.begin, a.bytes) <
           std::tuple(b.region.value, b.begin, b.bytes);
  });
  settled_.resize(trace_.modules.size());
  for (std::uint32_t i = 0; i < trace_.modules.size(); ++i) place(i);
  for (const OffloadSymbol& symbol : draft.symbols) add_global(symbol);
  std::vector<bool> seen(trace_.map_lists.size());
  for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
    const std::uint32_t list = trace_.regions.common(i).map_list;
    if (list == kNoList || seen[list]) continue;
    seen[list] = true;
    list_order_.push_back(i);
  }
  std::sort(list_order_.begin(), list_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(trace_.regions.end_of(a), a) < std::pair(trace_.regions.end_of(b), b);
  });
}

void Replay::bind_item(MapItem& item, std::uint32_t user, std::uint32_t argument) {
  const Region& region = trace_.regions[user];
  const ItemName& name = name_of(region.site, argument);
  const bool is_part = struct_item(item) != 0;
  item.name = name.expression;
  if ((item.type & (kMapLiteral | kMapAttach)) != 0) return;
  const std::uint64_t begin = (item.type & kMapNonContiguous) != 0 ? item.base : item.begin;
  if (begin == 0) return;
  const bool only_refers = item.bytes == 0 || (item.type & (kMapPrivate | kMapNonContiguous)) != 0;
  if (!only_refers) {
    const Global* global = global_at(begin);
    Mention how{&name,
                region.site,
                argument,
                region.begin,
                is_part,
                region.path,
                activations_.of_region(user, begin),
                nullptr,
                {}};
    if (global != nullptr && name.base.empty()) how.name = &global->name;
    const Meant meant = global == nullptr
                            ? storage_.touch(begin, item.bytes, how, region.end)
                            : storage_.touch(global->address, global->bytes, how, region.end);
    item.variable = meant.variable;
    return;
  }
  item.variable = storage_.find(begin);
  const auto packed = firstprivate_.find(region.site.value);
  if (!item.variable && (item.type & kMapPrivate) != 0 && packed != firstprivate_.end()) {
    item.variable = packed->second;
  }
}

// From LLVM 22 on what a pointer points to says of itself nothing; an item of its own attaches it,
// if the pointer is there. Before, the pointer's target told.
void Replay::mark_attached(std::vector<MapItem>& items) const {
  for (const MapItem& attach : items) {
    if ((attach.type & kMapAttach) == 0) continue;
    const bool is_there =
        storage_.is_present(attach.base) || std::ranges::any_of(items, [&](const MapItem& item) {
          return (item.type & kMapAttach) == 0 && attach.base - item.begin < item.bytes;
        });
    if (!is_there) continue;
    for (MapItem& item : items) {
      if (item.begin == attach.begin && (item.type & kMapAttach) == 0) {
        item.type |= kMapPointerAndObject;
      }
    }
  }
}

bool Replay::is_by_mapper(const MapItem& item, std::uint32_t region) const {
  if (!holds_addresses(item)) return false;
  const auto first = std::ranges::lower_bound(
      pieces_, std::pair(region, item.begin), {},
      [](const MapperPiece& piece) { return std::pair(piece.region.value, piece.begin); });
  return first != pieces_.end() && first->region.value == region &&
         first->begin - item.begin < item.bytes;
}

void Replay::bind_list(std::uint32_t list, std::uint32_t user) {
  const Region& region = trace_.regions[user];
  settle(region.site);
  auto& items = trace_.map_lists[list];
  const std::vector<Descriptor>& descriptors = descriptors_[list];
  const auto describing = [&](const MapItem& item) {
    return std::ranges::find_if(descriptors, [&](const Descriptor& descriptor) {
      return descriptor.holds(item.begin) &&
             item.begin - descriptor.begin + item.bytes <= descriptor.bytes;
    });
  };
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (describing(items[i]) == descriptors.end()) {
      bind_item(items[i], user, i + 1);
    } else {
      items[i].name = name_of(region.site, i + 1).expression;
    }
  }
  mark_attached(items);
  for (MapItem& item : items) item.by_mapper = is_by_mapper(item, user);
  for (MapItem& item : items) {
    const auto descriptor = describing(item);
    if (descriptor != descriptors.end()) item.variable = items[descriptor->data].variable;
  }
}

// A list's items are bound when the first region that used it has ended: its own operations then
// have shown what storage is meant, and later ones cannot have put other storage there yet.
void Replay::bind_lists_before(Nanoseconds time) {
  while (next_list_ < list_order_.size()) {
    const std::uint32_t user = list_order_[next_list_];
    const Region& region = trace_.regions[user];
    if (region.end > time) return;
    ++next_list_;
    if (region.site) bind_list(region.map_list, user);
  }
}

}  // namespace ompdm::trace
