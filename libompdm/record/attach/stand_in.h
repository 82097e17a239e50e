// The bytes of an empty shared library with the soname "libomp.so" that needs "libomp.so.5", made
// at build time from stand_in.c.
#pragma once

#include <cstddef>

namespace ompdm::record {

extern const unsigned char kStandIn[];
extern const std::size_t kStandInSize;

}  // namespace ompdm::record
