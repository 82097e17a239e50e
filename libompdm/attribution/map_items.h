// Items of map clauses, and the item of an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ompdm/trace.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

/// 1 + position of the struct's own item that a member is mapped with; 0 if this is no such member
/// (a pointer's target is storage of its own).
std::size_t struct_item(const MapItem& item);

/// Names the items that hold members: where only members are mapped, the compiler names those
/// alone. The item gets the struct's name, or that of its only member.
void name_structs(const std::vector<MapItem>& items, std::vector<ItemName>& names);

/// Names the object that a member function's kernel maps without a clause: of the items that clang
/// maps implicitly and both ways, it alone has no expression. `place` is the directive's.
void name_object(const std::vector<MapItem>& items, const Site& place,
                 std::vector<ItemName>& names);

/// The descriptor of an array, which flang maps besides the data of an allocatable, a pointer or an
/// assumed-shape argument (Fortran::runtime::Descriptor: 24 bytes, and 24 a dimension).
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
std::vector<Descriptor> descriptors_in(const std::vector<MapItem>& items);

/// Names items of data that have only their descriptor's name.
void name_described(const std::vector<MapItem>& items, const std::vector<Descriptor>& descriptors,
                    std::vector<ItemName>& names);

/// Whether the item stands for storage at its address: no value, no attachment, no description of
/// pieces.
bool holds_addresses(const MapItem& item);

/// 1 + position of the item whose storage holds the address, the largest if `largest`, else the
/// first; 0 if none does.
std::uint32_t item_holding(const std::vector<MapItem>& items, std::uint64_t address, bool largest);

/// Removes the items by which compilers from LLVM 22 on have pointers set on the device: they move
/// no data of the program's, and what they point to has an item of its own. Positions of other
/// items change, so this comes when all are bound.
void drop_attach_items(std::vector<std::vector<MapItem>>& lists);

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

/// Answers as the functions of map_items.h do, in a time that grows with the logarithm of the list.
class ItemIndex {
 public:
  explicit ItemIndex(const std::vector<MapItem>& items);

  /// As item_holding().
  [[nodiscard]] std::uint32_t holding(std::uint64_t address, bool largest) const;
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
