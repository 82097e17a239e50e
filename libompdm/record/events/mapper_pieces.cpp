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
  if (lane == nullptr || lane->idle() || name == nullptr) {
    return;
  }
  const MappedPiece piece{begin, size, type, name_of(*lane, name)};
  if (!lane->next[-1].counted) {
    tell_piece(*lane, piece);
  } else if (lane->piece_count < Lane::kPieces) {
    lane->pieces[lane->piece_count++] = piece;
  }
}

const MappedPiece* piece_of(const Lane& lane, std::uint64_t address) noexcept {
  const MappedPiece* found = nullptr;
  for (unsigned i = 0; i < lane.piece_count; ++i) {
    const MappedPiece& piece = lane.pieces[i];
    if (address - piece.begin < piece.size && (found == nullptr || piece.size < found->size)) {
      found = &piece;
    }
  }
  return found;
}

void tell_piece(Lane& lane, const MappedPiece& piece) noexcept {
  auto* record =
      piece.name != spool::MapperNameId::kNone ? reserve<spool::MapperPiece>(lane) : nullptr;
  if (record == nullptr) {
    return;
  }
  record->begin = piece.begin;
  record->size = piece.size;
  record->type = piece.type;
  record->name = piece.name;
  commit(lane, record, spool::Tag::kMapperPiece, 0);
}

}  // namespace ompdm::record
