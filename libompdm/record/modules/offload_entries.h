// The table by which the compiler names kernels and `declare target` variables; it survives strip.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// Finds the entry table (`omp_offloading_entries` up to LLVM 19, `llvm_offload_entries` later)
/// through the section headers of the module's file, reads it where it is loaded, and writes a
/// record for each entry.
void write_entries_of(Lane& lane, std::uint32_t module, const char* path,
                      std::uint64_t bias) noexcept;

}  // namespace ompdm::record
