#include "analysis/findings/overlaps.h"

#include <algorithm>
#include <utility>

namespace ompdm::analysis {

void Overlaps::add(std::uint64_t begin, std::uint64_t end) {
  pieces_.push_back({begin, end, static_cast<std::uint32_t>(pieces_.size())});
}

void Overlaps::settle() {
  std::ranges::sort(pieces_, {},
                    [](const Piece& piece) { return std::pair(piece.begin, piece.number); });
  for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
    std::uint32_t at = before(i);
    while (at != kNone && pieces_[at].end <= pieces_[i].end) at = pieces_[at].outlasted_by;
    pieces_[i].outlasted_by = at;
  }
}

std::uint32_t Overlaps::last_before(std::uint64_t address) const {
  const auto after = std::ranges::lower_bound(pieces_, address, {}, &Piece::begin);
  return before(static_cast<std::uint32_t>(after - pieces_.begin()));
}

}  // namespace ompdm::analysis
