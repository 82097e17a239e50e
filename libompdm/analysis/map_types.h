// libomptarget's bits of a map clause's item (OMP_TGT_MAPTYPE_*). Inside the analysis library only.
#pragma once

#include <cstdint>

namespace ompdm::analysis {

inline constexpr std::uint32_t kMapTo = 0x1;
inline constexpr std::uint32_t kMapFrom = 0x2;
inline constexpr std::uint32_t kMapAlways = 0x4;
inline constexpr std::uint32_t kMapDelete = 0x8;
inline constexpr std::uint32_t kMapPointerAndObject = 0x10;
inline constexpr std::uint32_t kMapReturnParam = 0x40;  ///< use_device_ptr, use_device_addr
inline constexpr std::uint32_t kMapPrivate = 0x80;      ///< firstprivate
inline constexpr std::uint32_t kMapLiteral = 0x100;     ///< a scalar, by value
inline constexpr std::uint32_t kMapImplicit = 0x200;
/// A section with gaps; of the map list's item alone, whose type has all bits.
inline constexpr std::uint64_t kMapNonContiguous = 0x100000000000;

}  // namespace ompdm::analysis
