// libomptarget's bits of a map clause's item (OMP_TGT_MAPTYPE_*), as MapItem::type and
// DataOp::map_type have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ompdm/definitions.h"

namespace ompdm {

inline constexpr std::uint64_t kMapTo = 0x1;
inline constexpr std::uint64_t kMapFrom = 0x2;
inline constexpr std::uint64_t kMapAlways = 0x4;
inline constexpr std::uint64_t kMapDelete = 0x8;
inline constexpr std::uint64_t kMapPointerAndObject = 0x10;  ///< the base is a pointer to the item
inline constexpr std::uint64_t kMapReturnParam = 0x40;       ///< use_device_ptr, use_device_addr
inline constexpr std::uint64_t kMapPrivate = 0x80;           ///< firstprivate
inline constexpr std::uint64_t kMapLiteral = 0x100;          ///< a scalar, by value
inline constexpr std::uint64_t kMapImplicit = 0x200;
inline constexpr std::uint64_t kMapAttach = 0x4000;
inline constexpr std::uint64_t kMapNonContiguous = 0x100000000000;  ///< of MapItem::type alone
inline constexpr int kMapMemberOfShift = 48;  ///< above: 1 + position of the struct's own item

/// Whether the compiler made an item of a list of others that clauses name: members of an object.
inline bool holds_members(const std::vector<MapItem>& items, const MapItem& item) {
  const auto number = static_cast<std::uint64_t>(&item - items.data()) + 1;
  return std::ranges::any_of(
      items, [&](const MapItem& one) { return one.type >> kMapMemberOfShift == number; });
}

}  // namespace ompdm
