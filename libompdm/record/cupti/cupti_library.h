// Finding CUPTI and the CUDA driver among what is loaded and installed.
#pragma once

#include "record/cupti/cupti_api.h"

namespace ompdm::record {

/// The handle of the loaded CUDA driver, null if none is loaded.
void* loaded_cuda_driver() noexcept;

/// Opens CUPTI and finds its functions: OMPDM_CUPTI_LIBRARY's if it is set, else one that is
/// loaded, else beside the CUDA libraries that are loaded, else where the loader and CUDA's
/// installer keep it, of no newer major version than the driver. Returns false and says why in
/// `why` if there is none.
bool open_cupti(cupti::Functions& functions, char* why, std::size_t capacity) noexcept;

}  // namespace ompdm::record
