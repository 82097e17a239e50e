#include "record/stream/tallies.h"

#include <string.h>
#include <sys/mman.h>

#include "record/stream/lane.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kFirstSlots = 64;

std::uint32_t hash_of(const TallyKey& key) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
  std::uint64_t hash = key.place * kOdd;
  hash = (hash ^ hash >> 32U ^ key.what) * kOdd;
  hash = (hash ^ hash >> 32U ^ key.devices) * kOdd;
  return static_cast<std::uint32_t>(hash >> 32U);
}

TallySlot* place_of(TallySlot* slots, std::uint32_t mask, const TallyKey& key) noexcept {
  std::uint32_t at = hash_of(key) & mask;
  while (slots[at].example != 0 && slots[at].key != key) {
    at = (at + 1) & mask;
  }
  return slots + at;
}

// Keeps half of the slots free.
[[gnu::cold]] bool grow_table(TallyTable& table) noexcept {
  const std::uint32_t old_count = table.slots == nullptr ? 0 : table.mask + 1;
  const std::uint32_t count = old_count == 0 ? kFirstSlots : 2 * old_count;
  void* memory = mmap(nullptr, count * sizeof(TallySlot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  auto* slots = static_cast<TallySlot*>(memory);
  for (std::uint32_t i = 0; i < old_count; ++i) {
    if (table.slots[i].example != 0) {
      *place_of(slots, count - 1, table.slots[i].key) = table.slots[i];
    }
  }
  if (old_count != 0) {
    munmap(table.slots, old_count * sizeof(TallySlot));
  }
  for (TallySlot*& latest : table.latest) {
    latest = nullptr;
  }
  table.slots = slots;
  table.mask = count - 1;
  return true;
}

}  // namespace

TallySlot* find_slot(TallyTable& table, const TallyKey& key) noexcept {
  if (table.slots == nullptr || 2 * table.count > table.mask) [[unlikely]] {
    if (!grow_table(table)) {
      return nullptr;
    }
  }
  TallySlot* slot = place_of(table.slots, table.mask, key);
  if (slot->example == 0) {
    slot->key = key;
  }
  table.latest[key.what & 3U] = slot;
  return slot;
}

spool::Tally* tally_room(TallyTable& table, std::size_t size) noexcept {
  if (static_cast<std::size_t>(table.limit - table.cursor) < size && !grow_tallies(table)) {
    return nullptr;
  }
  auto* tally = reinterpret_cast<spool::Tally*>(table.cursor);
  table.cursor += size;
  return tally;
}

bool make_tally(Lane& lane, TallySlot& slot, spool::TallyOf of, std::uint32_t example) noexcept {
  TallyTable& table = lane.tallies;
  spool::Tally* tally = tally_room(table, sizeof(spool::Tally));
  if (tally == nullptr) {
    return false;
  }
  tally->lane = lane.id;
  tally->example = example;
  store_head(tally->head, spool::Tag::kTally, static_cast<std::uint8_t>(of), sizeof(spool::Tally));
  slot.tally = tally;
  slot.example = example;
  ++table.count;
  return true;
}

}  // namespace ompdm::record
