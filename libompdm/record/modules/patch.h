// Interposing the runtime's entry points by their slots in the modules that call them, so that
// names, lines and kernel arguments come from the runtime's own arguments. A library that cannot be
// patched is only a lesser attribution.
#pragma once

#include <link.h>

namespace ompdm::record {

/// Whether the entry points are known and names are wanted.
bool can_patch() noexcept;

enum class Patched {
  kAll,     ///< every call goes through a wrapper
  kNotYet,  ///< the loader is not done with the module, or with these slots: to be tried again
  kNotAll,  ///< a page could not be made writable, or another function is in a call's way
};

/// Points the module's slots of the known entry points at the wrappers. A slot is written only if
/// it holds the runtime's entry point, or what the loader leaves there until a call is made for the
/// first time; so it may be asked again at any time. Needs the recorder's mutex, so that two scans
/// cannot re-protect a page under each other, and the loader's list lock, so that the module stays.
Patched patch_module(const dl_phdr_info& info) noexcept;

}  // namespace ompdm::record
