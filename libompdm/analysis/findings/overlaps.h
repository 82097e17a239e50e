// Pieces of memory, and which of them overlap another: blocks lie apart, pieces of one array lie
// within it, and an array of thousands of pieces must not be met by going through them all. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

namespace ompdm::analysis {

class Overlaps {
 public:
  /// A piece may be empty, and its number is its position among those added.
  void add(std::uint64_t begin, std::uint64_t end);

  /// To be called after the last piece was added and before the first question.
  void settle();

  /// Calls `take(number)` for each piece that overlaps [begin, end), those that begin last first.
  /// Takes the time of these, and of how deeply pieces lie in each other there.
  template <class Take>
  void each(std::uint64_t begin, std::uint64_t end, Take take) const {
    std::uint32_t at = last_before(end);
    while (at != kNone) {
      const bool overlaps = pieces_[at].end > begin;
      if (overlaps) take(pieces_[at].number);
      at = overlaps ? before(at) : pieces_[at].outlasted_by;
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Piece {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t number = 0;
    std::uint32_t outlasted_by = kNone;  ///< the nearest one before it that ends later
  };
  static std::uint32_t before(std::uint32_t at) { return at == 0 ? kNone : at - 1; }
  [[nodiscard]] std::uint32_t last_before(std::uint64_t address) const;

  std::vector<Piece> pieces_;  // by begin
};

}  // namespace ompdm::analysis
