// Which storage is which variable.
#include "attribution/storage.h"

#include <gtest/gtest.h>

namespace ompdm::trace::storage_test {
namespace {

class StorageTest : public testing::Test {
 protected:
  // A mapping in a region that begins at `at`.
  Index<Variable> map(const std::string& name, std::uint64_t begin, std::uint64_t bytes,
                      Nanoseconds at, int line = 1) {
    return touch(name, begin, bytes, at, line, {}).variable;
  }

  // A clause that puts it on a device, and takes it away if `until` is not 0.
  ResolvedStorage stay(const std::string& name, std::uint64_t begin, std::uint64_t bytes,
                       Nanoseconds at, Nanoseconds until = 0, int line = 1) {
    DataOp alloc;
    alloc.kind = OpKind::kAlloc;
    alloc.map_type = 0x3;
    StorageReference how;
    how.op = &alloc;
    const ResolvedStorage resolved = touch(name, begin, bytes, at, line, how);
    storage.acquire(begin);
    if (until != 0) storage.release(begin, until);
    return resolved;
  }

  ResolvedStorage touch(const std::string& name, std::uint64_t begin, std::uint64_t bytes,
                        Nanoseconds at, int line, StorageReference reference) {
    ItemName item{name + "[0:n]", name, "a.cpp", line};
    if (name.empty()) item = {};
    reference.name = &item;
    reference.site = {0};
    reference.since = at;
    return storage.touch(begin, bytes, reference, at);
  }

  Trace trace = [] {
    Trace made;
    made.sites.resize(1);
    return made;
  }();
  std::vector<Variable>& variables = trace.variables;
  calls::SourceCalls source_calls{trace};
  Storage storage{trace, source_calls};
};

TEST_F(StorageTest, ASwapOfPointersRenamesNothing) {
  const auto u = map("u", 0x1000, 800, 10);
  const auto t = map("t", 0x2000, 800, 10, 2);
  EXPECT_EQ(map("u", 0x2000, 800, 20), t);
  EXPECT_EQ(map("t", 0x1000, 800, 20, 2), u);
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].name, "u");
  EXPECT_EQ(variables[0].aliases, std::vector<std::string>{"t"});
}

// Pointers that were swapped, and memory that was freed and allocated again, are not told apart.
TEST_F(StorageTest, EachStayOnADeviceHasTheNameOfItsClause) {
  const ResolvedStorage first = stay("u", 0x1000, 800, 10, 15);
  const ResolvedStorage second = stay("t", 0x1000, 800, 20, 25, 2);
  EXPECT_EQ(variables[first.variable.value].name, "u");
  EXPECT_EQ(variables[second.variable.value].name, "t");
  EXPECT_EQ(first.storage, second.storage) << "it may be the same memory, under another name";
  EXPECT_EQ(stay("u", 0x1000, 800, 30, 35).variable, first.variable);
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_TRUE(variables[0].aliases.empty());
  EXPECT_TRUE(variables[1].aliases.empty());
  EXPECT_EQ(map("t", 0x1000, 800, 40, 2), first.variable);
  EXPECT_TRUE(variables[0].aliases.empty()) << "its stay is over";
}

TEST_F(StorageTest, AnAliasIsOfTheSameStay) {
  const auto a = stay("a", 0x1000, 800, 10).variable;
  EXPECT_EQ(map("p", 0x1000, 800, 20, 2), a);
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].aliases, std::vector<std::string>{"p"});
}

// A section of the first that is too long holds the second.
TEST_F(StorageTest, WhatBeginsElsewhereIsNoAlias) {
  const auto a = stay("a", 0x1000, 1600, 10).variable;
  EXPECT_EQ(map("b", 0x1320, 800, 20, 2), a);
  EXPECT_TRUE(variables[0].aliases.empty());
}

TEST_F(StorageTest, ALocalOfAnotherCallIsNoAlias) {
  StorageReference first;
  first.holder = {1, {0}};
  first.path = {0};
  StorageReference second;
  second.holder = {2, {1}};
  second.path = {1};
  const auto a = touch("a", 0x1000, 800, 10, 1, first).variable;
  storage.acquire(0x1000);
  for (const Nanoseconds at : {20, 30}) {
    EXPECT_EQ(touch("b", 0x1000, 800, at, 2, second).variable, a) << "it is there";
  }
  EXPECT_TRUE(variables[0].aliases.empty());
}

TEST_F(StorageTest, ADereferencedPointerIsNoOtherName) {
  map("this", 0x1000, 16, 10);
  map("*this", 0x1000, 16, 20);
  map("this", 0x1000, 16, 30);
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].name, "this");
  EXPECT_TRUE(variables[0].aliases.empty());
}

TEST_F(StorageTest, PiecesOfOneClauseAreOneRow) {
  for (std::uint64_t i = 0; i < 5; ++i) map("node", 0x1000 * (i + 1), 64, 10);
  map("node", 0x1000, 64, 20);
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].pieces, 5U);
  EXPECT_EQ(variables[0].address, 0x1000U);
}

TEST_F(StorageTest, PiecesOfOneClauseNeedNotBeAlike) {
  map("data", 0x1000, 400, 10);
  storage.acquire(0x1000);
  map("data", 0x1000, 40, 20);  // a part of what is present
  EXPECT_EQ(variables[0].least_bytes, 0U);
  storage.release(0x1000, 30);
  map("data", 0x9000, 40'000, 40);
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_EQ(variables[0].bytes, 40'000U);
  EXPECT_EQ(variables[0].least_bytes, 400U);
}

TEST_F(StorageTest, OtherStorageInTheSamePlaceIsAnotherRow) {
  const auto first = map("a", 0x1000, 800, 10);
  const auto second = map("b", 0x1000, 80, 20);
  EXPECT_NE(first, second);
  const auto third = map("c", 0x1010, 8, 30);
  EXPECT_EQ(storage.find(0x1010), third);
  EXPECT_EQ(variables.size(), 3U);
}

TEST_F(StorageTest, APartOfWhatIsPresentBelongsToIt) {
  const auto s = map("s", 0x1000, 64, 10);
  storage.acquire(0x1000);
  EXPECT_EQ(map("s.b", 0x1008, 8, 20), s);
  EXPECT_EQ(map("mid", 0x1020, 8, 20), s);
  EXPECT_TRUE(variables[0].aliases.empty());
  storage.release(0x1000, 30);
  EXPECT_NE(map("k", 0x1008, 4, 40), s);
}

TEST_F(StorageTest, AGrowingMapIsStillTheVariable) {
  const auto a = map("a", 0x1000, 80, 10);
  EXPECT_EQ(map("a", 0x1000, 800, 20), a);
  EXPECT_EQ(map("a", 0x1100, 0x400, 30), a);
  EXPECT_EQ(variables[0].bytes, 0x400U);
  EXPECT_EQ(storage.find(0x14ff), a);
  EXPECT_FALSE(storage.find(0x1500));
  EXPECT_EQ(variables[0].pieces, 1U);
}

TEST_F(StorageTest, ANameComesWhenItComes) {
  const auto nameless = map("", 0x1000, 80, 10);
  EXPECT_EQ(variables[0].name, "");
  EXPECT_EQ(map("a", 0x1000, 80, 20), nameless);
  EXPECT_EQ(variables[0].name, "a");
  EXPECT_TRUE(variables[0].aliases.empty());
}

TEST_F(StorageTest, NamelessPiecesAreToldApartByAddress) {
  EXPECT_NE(map("", 0x1000, 80, 10), map("", 0x2000, 80, 10));
}

TEST_F(StorageTest, TheEndOfTheAddressSpaceIsNoTrap) {
  EXPECT_TRUE(map("a", ~std::uint64_t{0} - 3, 800, 10));
  EXPECT_TRUE(map("b", ~std::uint64_t{0} - 3, 800, 20));
}

}  // namespace
}  // namespace ompdm::trace::storage_test
