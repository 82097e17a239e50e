// Sites, map lists and modules as a lane defines them: looked up at every region's begin, written
// once. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/lane.h"

namespace ompdm::record {

/// The slot of the site (codeptr, ident), its record written if this lane has not yet; null if
/// there is no room.
SiteSlot* site_of(Lane& lane, const void* codeptr, const Ident* ident, spool::Entry entry,
                  const char* const* names, std::uint32_t name_count,
                  std::uint64_t kernel) noexcept;

/// The id of the map list at this site, its record written if it is not among the last few; 0 if
/// there is none.
std::uint32_t map_list_of(Lane& lane, SiteSlot& site, const MapArguments& map) noexcept;

/// 1 + the index of the item that holds `address` most tightly, 0 if none does.
std::uint16_t argument_of(const MapArguments& map, std::uint64_t address) noexcept;

/// If a kernel call of this thread was never followed by its target region, writes that it ran on
/// the host. Which device it asked for is only known while the runtime can be asked.
void note_host_fallback(bool runtime_can_be_asked) noexcept;

/// Remembers a device event, or writes it when the spool is open already.
void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept;

/// Writes the device events that came before the spool was opened (once), and offload entries not
/// yet written.
void write_early_events(Lane& lane) noexcept;

/// Keeps the early events for the recording of a fork's child.
void forget_early_events() noexcept;

/// Writes the offload entries of modules found since the last call.
void write_offload_entries(Lane& lane) noexcept;

}  // namespace ompdm::record
