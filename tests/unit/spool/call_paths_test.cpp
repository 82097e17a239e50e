// How directives were reached, from what the recorder notes of it.

#include <gtest/gtest.h>

#include "spool/attributed.h"

namespace ompdm::test::call_paths_test {
namespace {

using spool::Entry;

/// A path of `site` whose call lay at `stack`, innermost caller first, each 16 bytes further up.
void add_path(BufferBuilder& buffer, std::uint32_t id, std::uint32_t site, std::uint64_t stack,
              const std::vector<std::uint64_t>& callers, std::uint8_t flags = 0) {
  std::vector<spool::PathFrame> frames;
  for (const std::uint64_t address : callers) {
    const auto offset = static_cast<std::uint32_t>(16 * (frames.size() + 1));
    frames.push_back({address, spool::ModuleId::kNone, offset});
  }
  spool::Path path{};
  path.id = spool::PathId{id};
  path.site = spool::SiteId{site};
  path.count = static_cast<std::uint32_t>(frames.size());
  path.stack = stack;
  buffer.add(spool::Tag::kPath, path,
             {reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(frames[0])},
             flags);
}

void add_region(BufferBuilder& buffer, std::uint32_t id, std::uint32_t path, std::uint64_t begin) {
  buffer.region(id, 1, 1, begin, begin + 5, 0, 0, path);
}

TEST(CallPaths, ShareTheirCallers) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10);
  add_path(buffer, 1, 1, 0x1000, {0x20, 0x90});
  add_path(buffer, 2, 1, 0x1000, {0x30, 0x90});
  add_region(buffer, 1, 1, 10);
  add_region(buffer, 2, 2, 20);
  add_region(buffer, 3, 1, 30);
  add_region(buffer, 4, 0, 40);
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.regions.size(), 4U);
  EXPECT_EQ(trace.regions[0].path, trace.regions[2].path);
  EXPECT_NE(trace.regions[0].path, trace.regions[1].path);
  EXPECT_FALSE(trace.regions[3].path);
  EXPECT_EQ(trace.call_paths.size(), 5U);  // main, two callers, the site under each
  const CallPath& leaf = trace.call_paths[trace.regions[0].path.value];
  EXPECT_EQ(trace.call_places[leaf.place.value].address, 0x10U);
  EXPECT_EQ(leaf.stack, 0x1000U);
  const CallPath& caller = trace.call_paths[leaf.caller.value];
  EXPECT_EQ(trace.call_places[caller.place.value].address, 0x20U);
  EXPECT_EQ(caller.stack, 0x1010U);
  EXPECT_FALSE(trace.call_paths[caller.caller.value].caller);
}

TEST(CallPaths, OfARecursionAreAsManyAsItsLevels) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10);
  add_path(buffer, 1, 1, 0x1000, {0x20});
  add_path(buffer, 2, 1, 0x0f00, {0x20, 0x20});
  add_region(buffer, 1, 1, 10);
  add_region(buffer, 2, 2, 20);
  const Trace trace = read({buffer});
  EXPECT_NE(trace.regions[0].path, trace.regions[1].path);
  EXPECT_EQ(trace.call_places.size(), 2U);
}

TEST(CallPaths, ThatAreCutAreNotComparedWithOthers) {
  BufferBuilder buffer(0);
  buffer.site(1, Entry::kKernel, 0x10);
  add_path(buffer, 1, 1, 0x1000, {0x20, 0x20}, spool::kPathCut);
  add_region(buffer, 1, 1, 10);
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.regions.size(), 1U);
  EXPECT_FALSE(trace.regions[0].path);
}

TEST(CallPaths, OfASiteThatIsNotThereAreDamage) {
  BufferBuilder buffer(0);
  add_path(buffer, 1, 7, 0x1000, {0x20});
  const Trace trace = read({buffer});
  EXPECT_TRUE(trace.call_paths.empty());
}

}  // namespace
}  // namespace ompdm::test::call_paths_test
