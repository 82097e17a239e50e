// Loaded objects: where they lie, their build-ids, their offload entries, and whether their calls
// are patched. The scan takes the recorder's mutex and the loader's list lock, never the lock that
// dlopen holds over constructors.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// Looks at all loaded objects: notes new ones, drops closed ones, patches `__tgt_*` slots where
/// names are wanted. Cheap when nothing was loaded or closed since the last call.
void scan_modules() noexcept;

/// The id of the module that holds `address`, scanning if it is not known; 0 if none does.
std::uint32_t find_module(std::uint64_t address) noexcept;

/// Writes the module's record to this lane unless it is there already.
void write_module(Lane& lane, std::uint32_t id) noexcept;

/// In a fork's child: its own spool needs the offload entries again.
void forget_written_entries() noexcept;

/// Whether libomptarget is loaded, by any version's name.
bool offload_runtime_is_loaded() noexcept;

}  // namespace ompdm::record
