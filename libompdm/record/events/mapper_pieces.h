// Pieces of storage that a `declare mapper` adds to a construct: the runtime learns of them by
// callbacks of the program's own, and OMPT tells them without a name. Called on the way from the
// mapper's code into the runtime, while the construct's region is open on this thread.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// One call of __tgt_push_mapper_component(handle, base, begin, size, type, name).
void note_mapper_piece(std::uint64_t begin, std::uint64_t size, std::uint64_t type,
                       const char* name) noexcept;

/// The piece of the region that is counted which holds an address most tightly; null if none does.
const MappedPiece* piece_of(const Lane& lane, std::uint64_t address) noexcept;

/// Tells a piece of the region that was told last.
void tell_piece(Lane& lane, const MappedPiece& piece) noexcept;

}  // namespace ompdm::record
