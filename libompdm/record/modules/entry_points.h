// Where libomptarget lies, and its entry points behind the wrappers.
#pragma once

#include <link.h>

namespace ompdm::record {

/// Finds the real entry points, again if the runtime was unloaded and has come back. Takes the
/// loader's lock: call only where the runtime itself is being initialised (initialize,
/// device_initialize), never while other threads may run regions. Whether they are known.
bool find_entry_points() noexcept;

/// Whether they were found.
bool entry_points_are_known() noexcept;

/// The function that a call of this name would reach without the recorder; null if there is none.
void* next_entry_point(const char* name) noexcept;

/// What omp_get_default_device() tells this thread; -1 if it is not known. Not once the runtime is
/// being finalised.
int default_device() noexcept;

/// Whether the address lies in libomptarget, once its entry points are known.
bool is_in_offload_runtime(const void* address) noexcept;

/// Whether the object is libomptarget, by any version's name.
bool is_offload_runtime(const dl_phdr_info& info) noexcept;

/// Whether such an object is loaded.
bool offload_runtime_is_loaded() noexcept;

}  // namespace ompdm::record
