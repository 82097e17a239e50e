// Files: whole, cut, damaged, hostile, newer.
#include <gtest/gtest.h>

#include <cstring>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "spool/spool_builder.h"

namespace ompdm::test::reading_test {
namespace {

BufferBuilder small_buffer() {
  BufferBuilder buffer(0);
  buffer.thread(7)
      .device(0, "generic-64bit")
      .site(1, spool::Entry::kKernel, 0x1000, {";heat.cpp;main;12;3;;", {";u[0:n];heat.cpp;5;1;;"}})
      .map_list(1, {{0xa000, 0xa000, 80, 0x23}})
      .region(1, 1, 1, 100, 200, 1)
      .op(1, alloc(110, 0xa000, 0xd000, 80))
      .op(1, to_device(120, 0xa000, 0xd000, 80))
      .op(1, from_device(150, 0xd000, 0xa000, 80))
      .op(1, free_on_device(160, 0xd000));
  return buffer;
}

std::uint64_t loss(const Trace& trace, const std::string& name) {
  for (const Loss& loss : trace.losses) {
    if (loss.name == name) return loss.count;
  }
  ADD_FAILURE() << "no loss is called " << name;
  return 0;
}

double residual_of(const std::string& name, const spool::FileHeader& header,
                   const spool::ChunkHeader& chunk) {
  BufferBuilder buffer = small_buffer();
  buffer.header_ = chunk;
  return read_spool(write_file(name, spool_bytes(header, {buffer}))).recording.clock_residual_ns;
}

// A kill may come between two words of a triple that is written in place.
TEST(Reading, TriplesThatAKillMayHaveTornAreNotBelieved) {
  constexpr spool::ClockTriple kAttach{1'000'000, 500, 0};
  constexpr spool::ClockTriple kWhole{1'000'000 + 1'000'000'000, 500 + 400'000'000, 0};
  constexpr spool::ClockTriple kTorn{1'000'000 + 900'000'000, 500 + 40'000'000, 0};
  spool::FileHeader header = plain_header();
  header.clock = spool::Clock::kTsc;
  header.attach = kAttach;
  header.trailer = kWhole;
  spool::ChunkHeader chunk = BufferBuilder(0).header_;
  chunk.first = kAttach;
  chunk.last = kTorn;
  chunk.last_writes = 7;
  EXPECT_LT(residual_of("torn.spool", header, chunk), 100);
  chunk.last_writes = 8;
  EXPECT_GT(residual_of("untorn.spool", header, chunk), 1e6);

  header.state = spool::State::kRunning;
  header.trailer = kTorn;
  chunk.last = kWhole;
  EXPECT_LT(residual_of("torn_trailer.spool", header, chunk), 100);
}

std::string failure(const std::filesystem::path& path) {
  try {
    (void)read_spool(path);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Reading, TheHeaderBecomesProcessAndRecording) {
  const Trace trace =
      read_spool(write_file("whole", spool_bytes(plain_header(), {small_buffer()})));
  EXPECT_EQ(trace.process.pid, 4242U);
  EXPECT_EQ(trace.process.program, "/home/u/heat");
  EXPECT_EQ(trace.process.arguments, (std::vector<std::string>{"./heat", "1000"}));
  EXPECT_EQ(trace.process.wall, 1'000'000);
  EXPECT_EQ(trace.process.start_realtime_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(trace.process.start_monotonic_ns, static_cast<std::int64_t>(tick(0)));
  EXPECT_EQ(trace.process.boot_id, "another-boot");
  EXPECT_EQ(trace.recording.reach, Recording::Reach::kOk);
  EXPECT_EQ(trace.recording.clock, "monotonic");
  EXPECT_TRUE(trace.recording.finished);
  ASSERT_EQ(trace.threads.size(), 1U);
  EXPECT_EQ(trace.threads[0].tid, 7U);
}

// plain_header() is as recorders wrote it that did not ask for it.
TEST(Reading, WhatTheKernelSaidOfItsClockIsToldWhereItWasAsked) {
  spool::FileHeader header = plain_header();
  const auto process_of = [&] {
    return read_spool(write_file("clocks", spool_bytes(header, {small_buffer()}))).process;
  };
  EXPECT_EQ(process_of().realtime, RealtimeClock());
  EXPECT_EQ(process_of().time_namespace, 0U);
  header.realtime = spool::Realtime::kSynchronized;
  header.realtime_max_error_us = 4'294'967'295;
  header.realtime_estimated_error_us = 3;
  header.time_namespace = 4026531834;
  using State = RealtimeClock::State;
  EXPECT_EQ(process_of().realtime, (RealtimeClock{State::kSynchronized, 4'294'967'295'000, 3'000}));
  EXPECT_EQ(process_of().time_namespace, 4026531834U);
  header.realtime = spool::Realtime::kUnsynchronized;
  EXPECT_EQ(process_of().realtime.state, State::kUnsynchronized);
  header.realtime = static_cast<spool::Realtime>(77);  // a later recorder's
  EXPECT_EQ(process_of().realtime, RealtimeClock());
}

TEST(Reading, EveryLossIsNamedZerosToo) {
  spool::FileHeader header = plain_header();
  header.losses[0] = 3;
  header.losses[31] = 2;
  const Trace trace = read_spool(write_file("losses", spool_bytes(header, {})));
  EXPECT_EQ(loss(trace, "records_no_space"), 3U);
  EXPECT_EQ(loss(trace, "unnamed_31"), 2U);
  for (const std::string name : spool::kLossNames) {
    if (!name.empty()) (void)loss(trace, name);
  }
  for (const char* name : {"chunks_unreadable", "records_unreadable", "modules_missing",
                           "modules_changed", "clock_uncalibrated"}) {
    EXPECT_EQ(loss(trace, name), 0U);
  }
}

TEST(Reading, LookingAtContentsTookTimeOfTheRegionsAroundIt) {
  BufferBuilder buffer(0);
  buffer.thread(7).site(1, spool::Entry::kNone, 0x401000);
  buffer.region(1, 1, 1, 100, 900);
  buffer.region(2, 1, 1, 200, 300).op(2, to_device(210, 0xa000, 0xd000, 80));
  buffer.content(1, 1, 10);
  buffer.op(2, from_device(220, 0xd000, 0xa000, 80));
  buffer.content(1, 1, 7, spool::kContentAfter);
  buffer.region(3, 1, 1, 400, 500);
  buffer.region(4, 1, 1, 600, 700).op(4, to_device(610, 0xa000, 0xd000, 80));
  buffer.content(1, 1, 5);
  const Trace trace = read_spool(write_file("contents", spool_bytes(plain_header(), {buffer})));
  ASSERT_EQ(trace.regions.size(), 4U);
  EXPECT_EQ(trace.regions[0].hashing, 22);
  EXPECT_EQ(trace.regions[1].hashing, 10);
  EXPECT_EQ(trace.regions[1].hashing_after, 7);
  EXPECT_EQ(trace.regions[2].hashing, 0);
  EXPECT_EQ(trace.regions[3].hashing, 5);
}

TEST(Reading, AKilledProcessLeavesItsOpenRegion) {
  spool::FileHeader header = plain_header();
  header.state = spool::State::kRunning;
  header.trailer = {};
  BufferBuilder buffer = small_buffer();
  buffer.region(2, 1, 1, 300, 0, 1).op(2, alloc(310, 0xa000, 0xd000, 80));
  buffer.header_.last = {tick(900), tick(900), 0};
  const Trace trace = read_spool(write_file("killed", spool_bytes(header, {buffer})));
  EXPECT_FALSE(trace.recording.finished);
  EXPECT_EQ(trace.process.wall, 900);
  ASSERT_EQ(trace.regions.size(), 2U);
  EXPECT_TRUE(trace.regions[1].unfinished);
  EXPECT_EQ(trace.regions[1].end, 900);
  EXPECT_EQ(trace.ops.back().region.value, 1U);
}

TEST(Reading, ChunksOfABufferAreJoinedInSequence) {
  BufferBuilder second(5, 1);
  second.op(1, to_device(120, 0xa000, 0xd000, 80)).end(200);
  BufferBuilder first(5, 0);
  first.thread(9).site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 100, 0).goes_on();
  const Trace trace =
      read_spool(write_file("lanes", spool_bytes(plain_header(), {second, small_buffer(), first})));
  ASSERT_EQ(trace.regions.size(), 2U);
  EXPECT_EQ(loss(trace, "chunks_unreadable"), 0U);
  const auto op = std::find_if(trace.ops.begin(), trace.ops.end(),
                               [&](const DataOp& o) { return trace.threads[o.thread].tid == 9; });
  ASSERT_NE(op, trace.ops.end());
  EXPECT_EQ(op->region.value, 1U);
}

TEST(Reading, IdsAreScopedToTheirBuffer) {
  BufferBuilder other(1);
  other.thread(8)
      .site(1, spool::Entry::kDataUpdate, 0x2000, {";heat.cpp;main;30;1;;", {}})
      .region(1, 1, 4, 50, 60)
      .op(1, to_device(52, 0xb000, 0xe000, 16));
  const Trace trace =
      read_spool(write_file("scopes", spool_bytes(plain_header(), {small_buffer(), other})));
  ASSERT_EQ(trace.regions.size(), 2U);
  EXPECT_EQ(trace.sites[trace.regions[0].site.value].line, 30);  // in order of begin
  EXPECT_EQ(trace.ops[0].region.value, 0U);
  EXPECT_EQ(trace.sites[trace.regions[1].site.value].line, 12);
}

TEST(Reading, AnEventIsAsItsContextsLastOneAtAnotherTime) {
  BufferBuilder buffer = small_buffer();
  buffer.region(2, 1, 1, 1000, 9'000'000'000, 1)
      .op(2, alloc(1010, 0xa000, 0xd000, 80))
      .op(2, to_device(1020, 0xa000, 0xd000, 80));
  const Trace trace = read_spool(write_file("repeated", spool_bytes(plain_header(), {buffer})));
  EXPECT_EQ(loss(trace, "records_unreadable"), 0U);
  ASSERT_EQ(trace.regions.size(), 2U);
  EXPECT_EQ(trace.regions[1].site, trace.regions[0].site);
  EXPECT_EQ(trace.regions[1].map_list, trace.regions[0].map_list);
  EXPECT_EQ(trace.regions[1].begin, 1000);
  EXPECT_EQ(trace.regions[1].end, 9'000'000'000);
  ASSERT_EQ(trace.ops.size(), 6U);
  for (std::size_t i = 0; i < 2; ++i) {
    const DataOp op = trace.ops[4 + i];
    EXPECT_EQ(op.kind, trace.ops[i].kind);
    EXPECT_EQ(op.region.value, 1U);
    EXPECT_EQ(op.begin, trace.ops[i].begin + 900);
    EXPECT_EQ(op.end, op.begin + 5);
    EXPECT_EQ(op.bytes, 80U);
    EXPECT_EQ(op.variable, trace.ops[i].variable);
  }
  EXPECT_EQ(trace.regions.shape_count(), 1U);
}

// A region whose begin lies in a chunk that is lost has ended in one that is not.
TEST(Reading, AnEndOfNothingIsCounted) {
  BufferBuilder buffer = small_buffer();
  buffer.end(200).end(300);
  const Trace trace = read_spool(write_file("nothing", spool_bytes(plain_header(), {buffer})));
  EXPECT_EQ(loss(trace, "records_unreadable"), 1U);
  EXPECT_EQ(trace.regions.size(), 1U);
}

TEST(Reading, WhatIsOpenWhereAChunkIsMissingIsKnownUpToThere) {
  BufferBuilder first(0, 0);
  first.thread(7).site(1, spool::Entry::kNone, 0x1000).region(1, 1, 1, 100, 0).goes_on();
  first.op(1, to_device(120, 0xa000, 0xd000, 80));
  BufferBuilder third(0, 2);
  third.region(2, 1, 1, 900, 990);
  const Trace trace = read_spool(write_file("gap", spool_bytes(plain_header(), {first, third})));
  ASSERT_EQ(trace.regions.size(), 2U);
  EXPECT_TRUE(trace.regions[0].unfinished);
  EXPECT_EQ(trace.regions[0].end, 125);
  EXPECT_EQ(trace.regions[1].end, 990);
  EXPECT_EQ(loss(trace, "chunks_unreadable"), 1U);
}

TEST(Reading, UnknownTagsAreSkipped) {
  BufferBuilder buffer(0);
  buffer.add(static_cast<spool::Tag>(31 << 3), spool::BufferThread{{}, 0, 0}, "and more");
  buffer.thread(7).site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 1, 2);
  const Trace trace = read_spool(write_file("tags", spool_bytes(plain_header(), {buffer})));
  EXPECT_EQ(trace.regions.size(), 1U);
  EXPECT_EQ(loss(trace, "records_unreadable"), 0U);
}

TEST(Reading, ARecordThatCannotBeIsCountedAndEndsItsChunk) {
  BufferBuilder buffer = small_buffer();
  buffer.raw(std::string("\x30\x00\xff\xff\0\0\0\0", 8));  // claims 512 KiB
  const Trace trace = read_spool(write_file("damage", spool_bytes(plain_header(), {buffer})));
  EXPECT_EQ(trace.ops.size(), 4U);
  EXPECT_EQ(loss(trace, "records_unreadable"), 1U);
}

TEST(Reading, ADamagedChunkHeaderCostsThatChunkOnly) {
  BufferBuilder first = small_buffer();
  std::string bytes = spool_bytes(plain_header(), {});
  std::string chunk = first.bytes();
  chunk.resize(4096);
  chunk[0] = 'x';
  BufferBuilder other(1);
  other.thread(8).site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 1, 2);
  bytes += chunk + other.bytes();
  const Trace trace = read_spool(write_file("chunk", bytes));
  EXPECT_EQ(trace.regions.size(), 1U);
  EXPECT_EQ(loss(trace, "chunks_unreadable"), 1U);
}

// Nothing that is left tells of a thread buffer whose only chunk is gone: the header knows the
// file's size.
TEST(Reading, ChunksBehindTheEndAreCounted) {
  BufferBuilder other(1);
  other.thread(8).site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 1, 2);
  spool::FileHeader header = plain_header();
  const std::size_t cut = spool_bytes(header, {small_buffer()}).size();
  const std::string whole = spool_bytes(header, {small_buffer(), other});
  header.file_size = whole.size();
  const std::string told = spool_bytes(header, {small_buffer(), other});
  EXPECT_EQ(loss(read_spool(write_file("whole", told)), "chunks_unreadable"), 0U);
  EXPECT_EQ(loss(read_spool(write_file("cut", told.substr(0, cut))), "chunks_unreadable"), 1U);
  EXPECT_EQ(loss(read_spool(write_file("cut", told.substr(0, cut + 64))), "chunks_unreadable"), 1U);
  const std::string short_of_one = told.substr(0, told.size() - 8);
  EXPECT_EQ(loss(read_spool(write_file("cut", short_of_one)), "chunks_unreadable"), 1U);
}

TEST(Reading, EveryPrefixOfASpoolIsReadOrRefusedInOneLine) {
  const std::string whole = spool_bytes(plain_header(), {small_buffer()});
  for (std::size_t size = 0; size < whole.size(); size += size < 8192 ? 509 : 7) {
    const std::string message = failure(write_file("prefix", whole.substr(0, size)));
    if (size < 8192) {
      EXPECT_FALSE(message.empty());
    }
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Reading, AnyByteMayBeWrong) {
  const std::string whole = spool_bytes(plain_header(), {small_buffer()});
  for (std::size_t at = 8192; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    (void)failure(write_file("flipped", damaged));
  }
}

TEST(Reading, ANewerFormatIsRefusedNamingBothVersions) {
  spool::FileHeader header = plain_header();
  header.version = 9;
  const auto path = write_file("newer.spool", spool_bytes(header, {}));
  EXPECT_NE(failure(path).find("format 9"), std::string::npos);
  EXPECT_NE(failure(path).find("reads 2"), std::string::npos);
  EXPECT_TRUE(is_spool(path));
}

TEST(Reading, OtherFilesAreNoSpools) {
  EXPECT_FALSE(is_spool(write_file("text", "hello")));
  EXPECT_FALSE(is_spool("/nonexistent"));
  EXPECT_FALSE(is_spool("/"));
  EXPECT_NE(failure(write_file("text", "hello")).find("is no ompdm spool"), std::string::npos);
  EXPECT_NE(failure("/nonexistent").find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace ompdm::test::reading_test
