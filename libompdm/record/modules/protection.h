// What a piece of the process's memory may be used for now, as /proc/self/maps tells.
#pragma once

#include <cstdint>

namespace ompdm::record {

inline constexpr int kProtectionUnknown = -1;

/// PROT_READ, PROT_WRITE and PROT_EXEC of all pages from `begin` to `end`; kProtectionUnknown if
/// they differ, if a page is not mapped, or if the kernel does not tell. Reads the file up to
/// there: some tens of microseconds.
int protection_of(std::uint64_t begin, std::uint64_t end) noexcept;

}  // namespace ompdm::record
