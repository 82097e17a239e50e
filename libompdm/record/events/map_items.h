// Which mapped item of its construct a data operation is about. Called at an operation's end.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// 1 + the index of the item that holds `address` most tightly, 0 if none does or the address is
/// unknown (0). `last` is what it said before: libomptarget goes through the items in their order
/// or backwards, so that the items of a long list are looked at from there on.
std::uint16_t argument_of(const MapArguments& map, std::uint64_t address,
                          std::uint32_t& last) noexcept;

}  // namespace ompdm::record
