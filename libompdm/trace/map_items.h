// What the items of a map list are to each other, and the names that the compiler left out. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ompdm/trace.h"
#include "trace/offload_names.h"

namespace ompdm::trace {

/// 1 + position of the struct's own item that a member is mapped with; 0 if this is no such member
/// (a pointer's target is storage of its own).
std::size_t struct_item(const MapItem& item);

/// Names the items that hold members: where only members are mapped the compiler names those alone.
/// It is the struct then, or its one member.
void name_structs(const std::vector<MapItem>& items, std::vector<ItemName>& names);

/// Whether the item stands for storage at its address: no value, no attachment, no description of
/// pieces.
bool holds_addresses(const MapItem& item);

/// 1 + position of the item whose storage holds the address, the largest if `largest`, else the
/// first; 0 if none does.
std::uint32_t item_holding(const std::vector<MapItem>& items, std::uint64_t address, bool largest);

/// Whether this is a firstprivate variable that the runtime may pack with others into one buffer.
bool is_packed(const MapItem& item);

/// How large a buffer of all of a list's packed variables can be.
struct PackedSize {
  std::uint64_t least = 0;  ///< 0: none is packed
  std::uint64_t most = 0;
  [[nodiscard]] bool allows(std::uint64_t bytes) const {
    return least > 0 && bytes >= least && bytes <= most;
  }
};
PackedSize packed_size(const std::vector<MapItem>& items);

}  // namespace ompdm::trace
