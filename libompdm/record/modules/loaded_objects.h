// The loader's list of objects, walked under a lock of the loader's that no fork resets: a child
// whose parent's other thread was walking at that moment would wait for it for ever.
#pragma once

#include <link.h>

#include <cstddef>

namespace ompdm::record {

/// Whether the list can be walked. In a fork's child the first call tries it, which takes some
/// hundred microseconds, or a fifth of a second where it cannot.
bool can_walk_objects() noexcept;

/// The C library's dl_iterate_phdr(), where the list can be walked: a program may have a function
/// of its own by that name.
void walk_objects(int (*visit)(dl_phdr_info* info, std::size_t size, void* data),
                  void* data) noexcept;

/// To be called in a fork's child, before any walk.
void doubt_the_list() noexcept;

}  // namespace ompdm::record
