#include "record/stream/site_table.h"

#include <string.h>
#include <sys/mman.h>

#include "record/modules/modules.h"
#include "record/process/recorder.h"

namespace ompdm::record {
namespace {

std::uint64_t places_of(const SiteTable& table) noexcept {
  return std::uint64_t{1} << (64U - table.shift);
}

// Zeroed; null if there is no memory.
template <class T>
T* map_array(std::uint64_t count) noexcept {
  void* memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

void put(SiteTable& table, SiteSlot* slot) noexcept {
  std::uint64_t place = site_place(table, slot->codeptr, slot->ident);
  while (table.places[place] != nullptr) {
    place = next_place(table, place);
  }
  table.places[place] = slot;
  ++table.count;
}

void leave_unused(SiteTable& table, SiteSlot* slot) noexcept {
  slot->next_unused = table.unused;
  table.unused = slot;
}

// Gives the sites of modules that are still there new places, 2^bits of them. False if there is no
// memory.
bool move_sites(SiteTable& table, unsigned bits) noexcept {
  const std::uint64_t count = places_of(table);
  SiteSlot** const old = table.places;
  auto** const places = map_array<SiteSlot*>(std::uint64_t{1} << bits);
  if (places == nullptr) {
    return false;
  }
  table.places = places;
  table.shift = 64U - bits;
  table.count = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SiteSlot* slot = old[i];
    if (slot == nullptr) {
      continue;
    }
    // No other module ever gets the number of one that was closed.
    if (known_module(reinterpret_cast<std::uint64_t>(slot->codeptr)) == slot->module) {
      put(table, slot);
    } else {
      leave_unused(table, slot);
    }
  }
  if (old != table.first_places) {
    munmap(static_cast<void*>(old), count * sizeof(*old));
  }
  return true;
}

// Once a quarter of the places is taken there are twice as many, and slots for a quarter of the new
// ones.
bool make_room(SiteTable& table) noexcept {
  const std::uint64_t places = places_of(table);
  if (table.count >= places / 4 && !move_sites(table, 64U - table.shift + 1)) {
    return false;
  }
  if (table.unused == nullptr && table.fresh == table.fresh_end) {
    const std::uint64_t more = places / 4;
    table.fresh = map_array<SiteSlot>(more);
    table.fresh_end = table.fresh != nullptr ? table.fresh + more : nullptr;
  }
  return table.unused != nullptr || table.fresh != nullptr;
}

}  // namespace

void start_sites(SiteTable& table) noexcept {
  table.places = table.first_places;
  table.shift = 64U - SiteTable::kFirstBits;
  table.generation = modules_generation();
  table.fresh = table.first_slots;
  table.fresh_end = table.first_slots + SiteTable::kFirstSlots;
}

SiteSlot* add_site(SiteTable& table, const void* codeptr, const void* ident,
                   std::uint64_t kernel) noexcept {
  if (!make_room(table)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  SiteSlot* slot = table.unused;
  if (slot != nullptr) {
    table.unused = slot->next_unused;
    memset(slot, 0, sizeof(*slot));
  } else {
    slot = table.fresh++;
  }
  slot->codeptr = codeptr;
  slot->ident = ident;
  slot->kernel = kernel;
  put(table, slot);
  return slot;
}

void drop_closed_sites(SiteTable& table) noexcept {
  if (!move_sites(table, 64U - table.shift)) {
    // Without memory to sort them by, all are defined anew.
    memset(static_cast<void*>(table.places), 0, places_of(table) * sizeof(*table.places));
    table.count = 0;
  }
  for (std::uint64_t i = 0; i < places_of(table); ++i) {
    if (table.places[i] != nullptr) {
      table.places[i]->path_stack = 0;
    }
  }
}

}  // namespace ompdm::record
