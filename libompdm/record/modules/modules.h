// Loaded objects: where they lie, their build-ids, their offload entries, and whether their calls
// are patched. The scan takes the recorder's mutex and the loader's list lock, never the lock that
// dlopen holds over constructors.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

extern std::atomic<std::uint32_t> generation_of_modules;

/// Changes when a scan has found that a module was closed which could offload: from then on its
/// addresses may be another module's, and what was kept by them (sites, texts) is void.
inline std::uint32_t modules_generation() noexcept {
  return generation_of_modules.load(std::memory_order_relaxed);
}

/// Looks at all loaded objects: notes new ones, drops closed ones, patches `__tgt_*` slots where
/// names are wanted. Cheap when nothing was loaded or closed since the last call.
void scan_modules() noexcept;

/// The id of the module that holds `address`, scanning if it is not known; 0 if none does.
std::uint32_t find_module(std::uint64_t address) noexcept;

/// The same among the modules that the last scan found, without another one: for the addresses that
/// follow one another, as those of a call chain do.
std::uint32_t known_module(std::uint64_t address) noexcept;

/// Writes the module's record to this lane unless it is there already.
void write_module(Lane& lane, std::uint32_t id) noexcept;

/// In a fork's child: its own spool needs the offload entries again.
void forget_written_entries() noexcept;

/// Whether libomptarget is loaded, by any version's name.
bool offload_runtime_is_loaded() noexcept;

}  // namespace ompdm::record
