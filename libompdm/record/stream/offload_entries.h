// The table by which the compiler names kernels and `declare target` variables; it survives strip.
#pragma once

#include <cstdint>

#include "record/modules/identity.h"
#include "record/stream/lane.h"

namespace ompdm::record {

/// A module as it was loaded.
struct LoadedFile {
  const char* path;
  std::uint64_t bias;
  const Identity& identity;
};

/// Finds the entry table (`omp_offloading_entries` up to LLVM 19, `llvm_offload_entries` later)
/// through the section headers of the module's file, reads it where it is loaded, and writes a
/// record for each entry. A file that is not the one that was loaded is a counted loss. False if
/// the loader has not filled the table yet: to be tried again.
bool write_entries_of(Lane& lane, spool::ModuleId module, const LoadedFile& loaded) noexcept;

}  // namespace ompdm::record
