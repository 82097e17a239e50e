// Interposing the runtime's entry points by their GOT slots, so that names, lines and kernel
// arguments come from the runtime's own arguments. A library that cannot be patched is only a
// lesser attribution.
#pragma once

#include <link.h>

namespace ompdm::record {

/// Finds the real entry points in libomptarget. Takes the loader's lock: call only where the
/// runtime itself is being initialised (initialize, device_initialize), never while other threads
/// may run regions. Whether they are known.
bool find_entry_points() noexcept;

/// The function that a call of this name would reach without the recorder; null if there is none.
void* next_entry_point(const char* name) noexcept;

/// What omp_get_default_device() tells this thread; -1 if it is not known. Not once the runtime is
/// being finalised.
int default_device() noexcept;

/// Whether the address lies in libomptarget, once its entry points are known.
bool is_in_offload_runtime(const void* address) noexcept;

/// Whether the entry points are known and names are wanted.
bool can_patch() noexcept;

/// Whether the module refers to any `__tgt_*` symbol.
bool calls_offload_runtime(const dl_phdr_info& info) noexcept;

/// Points the module's slots of the known entry points at the wrappers. Needs the recorder's mutex,
/// so that two scans cannot re-protect a page under each other. False if a page could not be made
/// writable or another tool's wrapper is in the way.
bool patch_module(const dl_phdr_info& info) noexcept;

}  // namespace ompdm::record
