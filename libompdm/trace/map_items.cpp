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
