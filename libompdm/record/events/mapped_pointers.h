// Device addresses that the program asks for (omp_get_mapped_ptr): what it learns it may write to
// without naming it. Called on the way into the runtime.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// One call of omp_get_mapped_ptr(host, device) (OpenMP 5.2, 18.8.11).
void note_mapped_pointer(std::uint64_t host, std::int32_t device) noexcept;

}  // namespace ompdm::record
