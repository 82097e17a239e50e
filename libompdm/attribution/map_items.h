// Items of map clauses, and the item of an operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "ompdm/trace.h"
#include "spool_reader/draft.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

/// 1 + position of the struct's own item that a member is mapped with; 0 if this is no such member
/// (a pointer's target is storage of its own).
inline std::size_t struct_item(const MapItem& item) {
  if ((item.type & kMapPointerAndObject) != 0) return 0;
  return static_cast<std::size_t>(item.type >> kMapMemberOfShift);
}

/// Names the items that hold members: where only members are mapped, the compiler names those
/// alone. The item gets the struct's name, or that of its only member.
inline void name_structs(const std::vector<MapItem>& items, std::vector<ItemName>& names) {
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

/// Names the object that a member function's kernel maps without a clause: of the items that clang
/// maps implicitly and both ways, it alone has no expression. `place` is the directive's.
inline void name_object(const std::vector<MapItem>& items, const Site& place,
                        std::vector<ItemName>& names) {
  constexpr std::uint64_t kObject = kMapTo | kMapFrom | kMapImplicit;
  constexpr std::uint64_t kOther = kMapPointerAndObject | kMapPrivate | kMapLiteral;
  for (std::size_t i = 0; i < items.size() && i < names.size(); ++i) {
    if (!names[i].base.empty() || (items[i].type & (kObject | kOther)) != kObject) continue;
    names[i] = {"this[:1]", "this", place.file, place.line};
  }
}

/// The descriptor of an array. flang maps it besides the data of an allocatable, a pointer or an
/// assumed-shape argument. (Fortran::runtime::Descriptor: 24 bytes, and 24 a dimension.)
struct Descriptor {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::size_t data = 0;  ///< position of the item that holds the data

  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t size) const {
    return address - begin < bytes && address - begin + size <= bytes;
  }
};

/// The descriptors in a list that flang made. They begin with a pointer to the data, and are mapped
/// as structs are: whole, or in pieces, alone or as components of another struct.
inline std::vector<Descriptor> descriptors_in(const std::vector<MapItem>& items) {
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

/// Names items of data that have only their descriptor's name.
inline void name_described(const std::vector<MapItem>& items,
                           const std::vector<Descriptor>& descriptors,
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

/// Whether the item stands for storage at its address: no value, no attachment, no description of
/// pieces.
inline bool holds_addresses(const MapItem& item) {
  return (item.type & (kMapLiteral | kMapAttach | kMapNonContiguous)) == 0;
}

/// 1 + position of the item whose storage holds the address, the largest if `largest`, else the
/// first; 0 if none does.
inline std::uint32_t item_holding(const std::vector<MapItem>& items, std::uint64_t address,
                                  bool largest) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (!holds_addresses(item)) continue;
    if (address - item.begin >= std::max<std::uint64_t>(item.bytes, 1)) continue;
    if (found == 0 || (largest && item.bytes > items[found - 1].bytes)) found = i + 1;
  }
  return found;
}

/// Whether this is a firstprivate variable that the runtime may pack with others into one buffer.
inline bool is_packed(const MapItem& item) {
  constexpr std::uint64_t kLargest = 1024;  // beyond it libomptarget copies the variable itself
  return (item.type & kMapPrivate) != 0 && (item.type & kMapTo) != 0 && item.bytes <= kLargest;
}

/// How large a buffer of all of a list's packed variables can be.
struct PackedSize {
  std::uint64_t least = 0;  ///< 0: none is packed
  std::uint64_t most = 0;
  [[nodiscard]] bool allows(std::uint64_t bytes) const {
    return least > 0 && bytes >= least && bytes <= most;
  }
};
inline PackedSize packed_size(const std::vector<MapItem>& items) {
  constexpr std::uint64_t kAlignment = 16;
  PackedSize size;
  for (const MapItem& item : items) {
    if (!is_packed(item)) continue;
    size.least += item.bytes;
    size.most += item.bytes + kAlignment;
  }
  return size;
}

/// Answers as the functions of map_items.h do, in a time that grows with the logarithm of the list.
class ItemIndex {
 public:
  explicit ItemIndex(const std::vector<MapItem>& items) : packed_(packed_size(items)) {
    std::set<std::uint32_t> open;
    const auto larger = [&items](std::uint32_t a, std::uint32_t b) {
      return items[a].bytes != items[b].bytes ? items[a].bytes > items[b].bytes : a < b;
    };
    std::set<std::uint32_t, decltype(larger)> by_size(larger);
    // By address, the items that begin or end there to hold addresses.
    std::map<std::uint64_t, std::vector<std::uint32_t>> borders;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (!holds_addresses(items[i])) continue;
      const std::uint64_t end = items[i].begin + std::max<std::uint64_t>(items[i].bytes, 1);
      borders[items[i].begin].push_back(i);
      // An item that reaches beyond the last address is damaged, and has no end.
      if (end > items[i].begin) borders[end].push_back(i);
    }
    for (const auto& [at, changed] : borders) {
      for (const std::uint32_t item : changed) {
        if (open.erase(item) == 0) {
          open.insert(item);
          by_size.insert(item);
        } else {
          by_size.erase(item);
        }
      }
      const bool any = !open.empty();
      stretches_.push_back({at, any ? *open.begin() + 1 : 0, any ? *by_size.begin() + 1 : 0});
    }
  }

  /// As item_holding().
  [[nodiscard]] std::uint32_t holding(std::uint64_t address, bool largest) const {
    const auto after = std::ranges::upper_bound(stretches_, address, {}, &Stretch::begin);
    if (after == stretches_.begin()) return 0;
    const Stretch& stretch = *std::prev(after);
    return largest ? stretch.largest : stretch.first;
  }
  [[nodiscard]] const PackedSize& packed() const { return packed_; }

 private:
  // From `begin` up to the next one's the same items hold every address.
  struct Stretch {
    std::uint64_t begin;
    std::uint32_t first;
    std::uint32_t largest;
  };
  std::vector<Stretch> stretches_;
  PackedSize packed_;
};

}  // namespace ompdm::trace
