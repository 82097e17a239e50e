// The loaded object at an address, by glibc's table that is read without a lock (_dl_find_object,
// glibc 2.35 and later): in a callback another thread may hold the loader's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// glibc's struct dl_find_object.
struct FoundObject {
  unsigned long long flags;
  const std::byte* begin;
  const std::byte* end;
  const std::uint64_t* link_map;  ///< begins with the object's bias
  const std::byte* eh_frame_hdr;  ///< null: none
  unsigned long long reserved[16];
};

/// Whether the table can be asked.
bool can_find_objects() noexcept;

/// False if no object is there, or the table cannot be asked.
bool find_object(std::uint64_t address, FoundObject& found) noexcept;

/// Finds the function, so that no callback does. To be called at attach.
void prepare_find_object() noexcept;

}  // namespace ompdm::record
