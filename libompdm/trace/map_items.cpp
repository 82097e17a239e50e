#include "trace/map_items.h"

#include <algorithm>

#include "trace/draft.h"

namespace ompdm::trace {

std::size_t struct_item(const MapItem& item) {
  if ((item.type & kMapPointerAndObject) != 0) return 0;
  return static_cast<std::size_t>(item.type >> kMapMemberOfShift);
}

void name_structs(const std::vector<MapItem>& items, std::vector<ItemName>& names) {
  for (std::size_t i = 0; i < items.size() && i < names.size(); ++i) {
    const std::size_t whole = struct_item(items[i]);
    if (whole == 0 || whole > names.size() || names[i].base.empty()) continue;
    ItemName& name = names[whole - 1];
    if (name.base.empty()) {
      name = names[i];
      continue;
    }
    if (name.base == names[i].base || struct_of(name.base) != struct_of(names[i].base)) continue;
    name.base = name.expression = struct_of(name.base);
  }
}

void name_object(const std::vector<MapItem>& items, const Site& place,
                 std::vector<ItemName>& names) {
  constexpr std::uint64_t kObject = kMapTo | kMapFrom | kMapImplicit;
  constexpr std::uint64_t kOther = kMapPointerAndObject | kMapPrivate | kMapLiteral;
  for (std::size_t i = 0; i < items.size() && i < names.size(); ++i) {
    if (!names[i].base.empty() || (items[i].type & (kObject | kOther)) != kObject) continue;
    names[i] = {"this[:1]", "this", place.file, place.line};
  }
}

std::vector<Descriptor> descriptors_in(const std::vector<MapItem>& items) {
  constexpr std::uint64_t kSmallest = 24;
  std::vector<Descriptor> descriptors;
  for (std::size_t data = 0; data < items.size(); ++data) {
    if ((items[data].type & kMapPointerAndObject) == 0 || items[data].base == 0) continue;
    Descriptor found{items[data].base, 0, data};
    for (const MapItem& item : items) {
      // A struct may begin with the descriptor: it is larger.
      if ((item.type & kMapPointerAndObject) != 0 || item.begin != found.begin) continue;
      if (item.bytes < kSmallest || (found.bytes != 0 && item.bytes >= found.bytes)) continue;
      found.bytes = item.bytes;
    }
    if (found.bytes != 0) descriptors.push_back(found);
  }
  return descriptors;
}

void name_described(const std::vector<MapItem>& items, const std::vector<Descriptor>& descriptors,
                    std::vector<ItemName>& names) {
  for (const Descriptor& descriptor : descriptors) {
    if (descriptor.data >= names.size() || !names[descriptor.data].base.empty()) continue;
    for (std::size_t i = 0; i < items.size() && i < names.size(); ++i) {
      if (items[i].begin != descriptor.begin || names[i].base.empty()) continue;
      names[descriptor.data] = names[i];
      break;
    }
  }
}

bool holds_addresses(const MapItem& item) {
  return (item.type & (kMapLiteral | kMapAttach | kMapNonContiguous)) == 0;
}

std::uint32_t item_holding(const std::vector<MapItem>& items, std::uint64_t address, bool largest) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (!holds_addresses(item)) continue;
    if (address - item.begin >= std::max<std::uint64_t>(item.bytes, 1)) continue;
    if (found == 0 || (largest && item.bytes > items[found - 1].bytes)) found = i + 1;
  }
  return found;
}

void drop_attach_items(std::vector<std::vector<MapItem>>& lists) {
  for (std::vector<MapItem>& items : lists) {
    std::erase_if(items, [](const MapItem& item) { return (item.type & kMapAttach) != 0; });
  }
}

bool is_packed(const MapItem& item) {
  constexpr std::uint64_t kLargest = 1024;  // beyond it libomptarget copies the variable itself
  return (item.type & kMapPrivate) != 0 && (item.type & kMapTo) != 0 && item.bytes <= kLargest;
}

PackedSize packed_size(const std::vector<MapItem>& items) {
  constexpr std::uint64_t kAlignment = 16;
  PackedSize size;
  for (const MapItem& item : items) {
    if (!is_packed(item)) continue;
    size.least += item.bytes;
    size.most += item.bytes + kAlignment;
  }
  return size;
}

}  // namespace ompdm::trace
