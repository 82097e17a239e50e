#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "detectors/accesses.h"

namespace ompdm::analysis::overlaps_test {
namespace {

std::vector<std::uint32_t> found(const Overlaps& overlaps, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint32_t> numbers;
  overlaps.each(begin, end, [&](std::uint32_t number) { numbers.push_back(number); });
  std::ranges::sort(numbers);
  return numbers;
}

using Numbers = std::vector<std::uint32_t>;

TEST(Overlaps, ArePiecesOfAnArrayAndTheArray) {
  Overlaps overlaps;
  overlaps.add(100, 200);  // the array
  overlaps.add(100, 110);
  overlaps.add(110, 120);
  overlaps.add(190, 200);
  overlaps.add(200, 300);  // another
  overlaps.build();
  EXPECT_EQ(found(overlaps, 100, 200), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(found(overlaps, 115, 116), (Numbers{0, 2}));
  EXPECT_EQ(found(overlaps, 150, 160), (Numbers{0}));
  EXPECT_EQ(found(overlaps, 195, 201), (Numbers{0, 3, 4}));
  EXPECT_EQ(found(overlaps, 50, 100), Numbers{});
  EXPECT_EQ(found(overlaps, 300, 400), Numbers{});
}

TEST(Overlaps, AreWhatComparingAllWouldFind) {
  constexpr std::uint64_t kPlaces = 40;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  Overlaps overlaps;
  std::uint64_t state = 1;
  for (int i = 0; i < 60; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t begin = (state >> 33) % kPlaces;
    const std::uint64_t bytes = (state >> 45) % (i % 7 == 0 ? kPlaces : 5);
    pieces.emplace_back(begin, begin + bytes);
    overlaps.add(begin, begin + bytes);
  }
  overlaps.build();
  for (std::uint64_t begin = 0; begin < kPlaces; ++begin) {
    for (std::uint64_t end = begin + 1; end <= 2 * kPlaces; ++end) {
      Numbers expected;
      for (std::uint32_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].first < end && pieces[i].second > begin) expected.push_back(i);
      }
      ASSERT_EQ(found(overlaps, begin, end), expected) << begin << ' ' << end;
    }
  }
}

TEST(Overlaps, OfNothingAreNone) {
  Overlaps overlaps;
  overlaps.build();
  EXPECT_EQ(found(overlaps, 0, 1), Numbers{});
}

}  // namespace
}  // namespace ompdm::analysis::overlaps_test
