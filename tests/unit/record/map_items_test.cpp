// Which mapped item an operation is about: the same one however long the list is.

#include <gtest/gtest.h>

#include <vector>

#include "record/sites.h"

namespace ompdm::test::map_items_test {
namespace {

using record::argument_of;
using record::MapArguments;

// Lists of items, as the compiler hands them over.
struct Items {
  std::vector<std::uint64_t> begins;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> types;

  void add(std::uint64_t begin, std::int64_t size, std::int64_t type = 0x3) {
    begins.push_back(begin);
    sizes.push_back(size);
    types.push_back(type);
  }
  [[nodiscard]] MapArguments map() const {
    return {begins.data(), begins.data(), sizes.data(),
            types.data(),  nullptr,       static_cast<std::uint32_t>(begins.size())};
  }
};

TEST(MapItems, TheTightestHoldsAnAddress) {
  Items items;
  items.add(0x1000, 0x100);
  items.add(0x1010, 0x20);
  items.add(0x1010, 0);
  std::uint32_t last = 0;
  EXPECT_EQ(argument_of(items.map(), 0x1010, last), 2);
  EXPECT_EQ(argument_of(items.map(), 0x1000, last), 1);
  EXPECT_EQ(argument_of(items.map(), 0x1100, last), 0);
}

constexpr std::int64_t kMemberOfShift = 48;
constexpr unsigned kStructs = 1000;
constexpr std::uint64_t kStride = 0x100;

// A struct of two members and a pointer's target each, as `map(s.a, s.p[:4])` gives it.
Items structs() {
  Items items;
  for (unsigned i = 0; i < kStructs; ++i) {
    const std::uint64_t begin = 0x10000 + kStride * i;
    const auto whole = static_cast<std::int64_t>(items.begins.size() + 1) << kMemberOfShift;
    items.add(begin, 24);
    items.add(begin, 8, whole | 0x3);
    items.add(0x900000 + kStride * i, 32, whole | 0x13);
    items.add(begin + 16, 8, whole | 0x3);
  }
  return items;
}

TEST(MapItems, OfALongListAreFoundInAnyOrder) {
  const Items items = structs();
  const MapArguments map = items.map();
  const auto expect_struct = [&](unsigned i, std::uint32_t& last) {
    const std::uint64_t begin = 0x10000 + kStride * i;
    EXPECT_EQ(argument_of(map, begin, last), 4 * i + 2) << i;
    EXPECT_EQ(argument_of(map, begin + 12, last), 4 * i + 1) << i;
    EXPECT_EQ(argument_of(map, begin + 16, last), 4 * i + 4) << i;
    EXPECT_EQ(argument_of(map, 0x900010 + kStride * i, last), 4 * i + 3) << i;
    EXPECT_EQ(argument_of(map, begin + 24, last), 0) << i;
  };
  std::uint32_t last = 0;
  for (unsigned i = 0; i < kStructs; ++i) expect_struct(i, last);
  for (unsigned i = kStructs; i-- > 0;) expect_struct(i, last);
  for (unsigned i = 0; i < kStructs; ++i) expect_struct(i * 7919 % kStructs, last);
  // What another region's list left behind.
  last = 60'000;
  expect_struct(3, last);
}

TEST(MapItems, OfALongListLiteralsHoldNothing) {
  Items items;
  for (unsigned i = 0; i < 100; ++i) items.add(kStride * i, kStride, 0x103);
  items.add(kStride * 50, kStride);
  std::uint32_t last = 0;
  EXPECT_EQ(argument_of(items.map(), kStride * 50, last), 101);
  EXPECT_EQ(argument_of(items.map(), kStride * 49, last), 0);
}

}  // namespace
}  // namespace ompdm::test::map_items_test
