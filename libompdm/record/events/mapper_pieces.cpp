#include "record/events/mapper_pieces.h"

#include <string.h>

namespace ompdm::record {
namespace {

constexpr std::size_t kLongestName = 4096;

// The name in this lane, its record written if it is not among those the lane remembers; none if
// there is no room for it.
spool::MapperNameId name_of(Lane& lane, const char* name) noexcept {
  NameSlot& slot = lane.names[(reinterpret_cast<std::uint64_t>(name) >> 3U) % Lane::kNames];
  if (slot.text == name) {
    return slot.id;
  }
  const std::size_t size = strnlen(name, kLongestName);
  auto* record = reserve<spool::MapperName>(lane, size + 1);
  if (record == nullptr) {
    return spool::MapperNameId::kNone;
  }
  slot = {name, spool::give_next(lane.last_name)};
  record->id = slot.id;
  record->size = static_cast<std::uint32_t>(size + 1);
  memcpy(record + 1, name, size);
  commit(lane, record, spool::Tag::kMapperName, 0, size + 1);
  return slot.id;
}

}  // namespace

void note_mapper_piece(std::uint64_t begin, std::uint64_t size, std::uint64_t type,
                       const char* name) noexcept {
  Lane* lane = current_lane();
  if (lane == nullptr || lane->idle() || lane->next[-1].counted || name == nullptr) {
    return;
  }
  const spool::MapperNameId id = name_of(*lane, name);
  auto* record = id != spool::MapperNameId::kNone ? reserve<spool::MapperPiece>(*lane) : nullptr;
  if (record == nullptr) {
    return;
  }
  record->begin = begin;
  record->size = size;
  record->type = type;
  record->name = id;
  commit(*lane, record, spool::Tag::kMapperPiece, 0);
}

}  // namespace ompdm::record
