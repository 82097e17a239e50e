// Spools as only a hostile or damaged file is: whatever it repeats, reading it takes a time that
// grows with its size. Processor time is measured, so that a loaded machine changes little. Each of
// these once took longer than the bound, and four times as long for twice the size.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/finish.h"
#include "spool/spool_builder.h"
#include "spool_format/aggregates.h"

namespace ompdm::test::crafted_test {
namespace {

constexpr double kBound = 5;  // seconds; a few tenths are needed, more with a sanitizer

class Crafted : public testing::Test {
 protected:
  Trace read(const std::vector<BufferBuilder>& chunks) {
    return read(spool_bytes(plain_header(), chunks));
  }
  Trace read(const std::string& bytes) {
    const std::filesystem::path path = write_file("crafted", bytes);
    const std::clock_t begin = std::clock();
    Trace trace = read_spool(path);
    seconds_ = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return trace;
  }
  ~Crafted() override { EXPECT_LT(seconds_, kBound); }

  static std::uint64_t loss(const Trace& trace, const std::string& name) {
    for (const Loss& loss : trace.losses) {
      if (loss.name == name) return loss.count;
    }
    return 0;
  }

 private:
  double seconds_ = 0;
};

TEST_F(Crafted, ContentsUnderManyOpenRegions) {
  constexpr std::uint32_t kCount = 150'000;
  BufferBuilder buffer(0);
  buffer.thread(7).site(1, spool::Entry::kNone, 0x401000);
  for (std::uint32_t i = 1; i <= kCount; ++i) buffer.region(i, 1, 1, i, 0);
  buffer.op(kCount, to_device(kCount + 10, 0xa000, 0xd000, 80));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    buffer.content(1, 1, 10);
  }
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.regions.front().hashing, 10 * Nanoseconds{kCount});
  EXPECT_EQ(trace.regions.back().hashing, 10 * Nanoseconds{kCount});
}

TEST_F(Crafted, OperationsOfALongMapList) {
  constexpr std::uint32_t kItems = 16'000;
  constexpr std::uint32_t kOps = 60'000;
  std::vector<spool::MapItem> items;
  for (std::uint64_t i = 0; i < kItems; ++i) items.push_back({i << 20, i << 20, 1 << 16, 0});
  const std::uint64_t last = std::uint64_t{kItems - 1} << 20;
  BufferBuilder buffer(0);
  buffer.thread(7).site(1, spool::Entry::kKernel, 0x401000).map_list(1, items);
  for (std::uint32_t pass = 1; pass <= 21; ++pass) {
    buffer.region(pass, 1, 1, pass * 100, pass * 100 + 90, 1);
    for (std::uint32_t i = 0; i < kOps; ++i) buffer.op(pass, alloc(20, last, 0xd000, 80));
  }
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.ops.size(), 21U * kOps);
  EXPECT_EQ(trace.map_lists[0].back().variable, trace.ops.back().variable);
}

TEST_F(Crafted, NamesOfOnePieceOfStorage) {
  constexpr std::uint32_t kNames = 60'000;
  BufferBuilder buffer(0);
  buffer.thread(7);
  for (std::uint32_t i = 1; i <= kNames; ++i) {
    const std::string name = ";name" + std::to_string(i) + ";a.cpp;3;1;;";
    buffer.site(i, spool::Entry::kDataUpdate, 0x401000 + i, {";a.cpp;f;5;1;;", {name}});
    buffer.map_list(i, {{0xa000, 0xa000, 80, 1}});
    buffer.region(i, i, 4, i * 10, i * 10 + 9, i);
    buffer.op(i, to_device(i * 10 + 1, 0xa000, 0xd000, 80));
  }
  const Trace trace = read({buffer});
  ASSERT_EQ(trace.variables.size(), 1U);
  EXPECT_EQ(trace.variables[0].aliases.size(), kNames - 1);
}

TEST_F(Crafted, AnEndlessName) {
  constexpr std::uint32_t kOps = 60'000;
  BufferBuilder buffer(0);
  const std::string name = ";" + std::string(400'000, 'x') + ";a.cpp;3;1;;";
  buffer.thread(7).site(1, spool::Entry::kDataUpdate, 0x401000, {";a.cpp;f;5;1;;", {name}});
  buffer.map_list(1, {{0xa000, 0xa000, 80, 1}});
  for (std::uint32_t pass = 1; pass <= 11; ++pass) {
    buffer.region(pass, 1, 4, pass * 100, pass * 100 + 90, 1);
    for (std::uint32_t i = 0; i < kOps; ++i) buffer.op(pass, to_device(20, 0xa000, 0xd000, 80));
  }
  const Trace trace = read({buffer});
  EXPECT_EQ(trace.ops.size(), 11U * kOps);
  EXPECT_EQ(loss(trace, "records_unreadable"), 1U);
}

TEST_F(Crafted, SmallChunksAfterALargeOne) {
  std::string bytes;
  BufferBuilder large(0);
  large.thread(7).site(1, spool::Entry::kNone, 0x401000);
  for (std::uint32_t i = 1; i <= 400'000; ++i) large.region(i, 1, 1, i, i);
  bytes += large.bytes();
  for (std::uint32_t i = 1; i <= 100'000; ++i) bytes += BufferBuilder(0, i).bytes(0);
  EXPECT_EQ(read(spool_bytes(plain_header(), {}) + bytes).regions.size(), 400'000U);
}

TEST_F(Crafted, DevicesWithoutNumber) {
  constexpr std::int32_t kCount = 150'000;
  BufferBuilder buffer(0);
  buffer.thread(7);
  for (std::int32_t i = 0; i < kCount; ++i) buffer.device(i, "x");
  const Trace trace = read({buffer});
  EXPECT_LE(trace.devices.size(), 1100U);
  EXPECT_GT(loss(trace, "records_unreadable"), kCount - 1100U);
}

TEST_F(Crafted, ActivitiesOfOneInstant) {
  constexpr std::uint32_t kCount = 50'000;
  BufferBuilder buffer(0);
  buffer.thread(7).site(1, spool::Entry::kMemcpy, 0x401000);
  for (std::uint32_t i = 0; i < kCount; ++i) buffer.api_op(1, to_device(10, 0xa000, 0xd000, 80));
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    buffer.add(spool::Tag::kExternalId,
               spool::ExternalId{{}, i, spool::external_id(spool::BufferId{0}, tick(10))});
    spool::MemoryActivity copy{};
    copy.correlation = i;
    copy.copy_kind = 2;  // device to host, which none of them did
    buffer.add(spool::Tag::kMemoryActivity, copy);
  }
  EXPECT_EQ(read({buffer}).activities.size(), kCount);
}

// Of an owner that is not there, of no sort that is known, and of a kill before the first was
// added.
TEST_F(Crafted, TalliesOfActivitiesThatNobodyAskedFor) {
  const auto aggregate_of = [](std::uint64_t count, std::uint8_t flags) {
    spool::ActivityAggregate made{};
    made.aggregate.head = {static_cast<std::uint8_t>(spool::Tag::kActivityAggregate), flags,
                           sizeof(made) / 8};
    made.owner_buffer = spool::BufferId{5};
    made.owner = 9;
    made.memory.copy_kind = 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      spool::add_bytes(made.aggregate, 8);
      spool::add(made.aggregate.times, 100 + i);
    }
    return made;
  };
  BufferBuilder buffer(0);
  for (const auto& [count, flags] :
       {std::pair<std::uint64_t, std::uint8_t>{3, 1}, {3, 7}, {0, 1}}) {
    const spool::ActivityAggregate aggregate = aggregate_of(count, flags);
    buffer.raw({reinterpret_cast<const char*>(&aggregate), sizeof(aggregate)});
  }
  const Trace trace = read({buffer});
  EXPECT_EQ(loss(trace, "records_unreadable"), 1U);
  ASSERT_EQ(trace.activity_aggregates.size(), 1U);
  const ActivityAggregate& aggregate = trace.activity_aggregates[0];
  EXPECT_EQ(aggregate.like.kind, ActivityKind::kHtoD);
  EXPECT_FALSE(aggregate.op);
  EXPECT_EQ(aggregate.times.count, 3U);
  EXPECT_EQ(aggregate.times.sum, 303U);
  EXPECT_EQ(aggregate.bytes, 24U);
}

TEST_F(Crafted, ALibraryThatIsLoadedAgainAndAgain) {
  constexpr std::uint32_t kCount = 800;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  spool::FileHeader header = plain_header();
  header.attach.realtime_ns = 4'000'000'000'000'000'000U;  // later than the file was made
  BufferBuilder buffer(0);
  buffer.thread(7);
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    buffer.module(i, self, std::uint64_t{i} << 32);
    buffer.site(i, spool::Entry::kNone, (std::uint64_t{i} << 32) + 0x401000, {}, 0, i);
    buffer.region(i, i, 1, i, i);
  }
  // Each would keep its file open, too.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Trace trace = read(spool_bytes(header, {buffer}));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(trace.modules.size(), kCount);
  EXPECT_EQ(loss(trace, "modules_missing") + loss(trace, "modules_changed"), 0U);
}

}  // namespace
}  // namespace ompdm::test::crafted_test
