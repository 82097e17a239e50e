// trace.ompdm: what is written is read back, and nothing else is.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "support/awkward_trace.h"
#include "support/binary_blocks.h"
#include "support/difference.h"
#include "support/hard_traces.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"

namespace ompdm::test::binary_test {
namespace {

std::string error_of(const std::string& file) {
  try {
    (void)trace_of(file);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

bool is_one_sentence(const std::string& message) {
  return message.starts_with("trace.json: ") && message.find('\n') == std::string::npos;
}

// All that JSON tells of it, too: `difference` leaves out calls and loops.
void expect_survives(const Trace& trace) {
  const Trace read = trace_of(binary_of(trace));
  EXPECT_EQ(difference(trace, read), "");
  EXPECT_EQ(text_of(trace), text_of(read));
}

/// Rows of random values, in which rows like earlier ones are about as many as others.
class RandomTrace {
 public:
  explicit RandomTrace(std::uint32_t seed) : random_(seed) {}

  Trace make() {
    trace_ = awkward_trace();
    const std::size_t count = any(200);
    for (std::size_t i = 0; i < count; ++i) add_region();
    for (std::size_t i = 0; i < count; ++i) add_op();
    for (std::size_t i = 0; i < count; ++i) add_launch();
    for (std::size_t i = 0; i < count; ++i) add_activity();
    return std::move(trace_);
  }

 private:
  std::uint64_t any(std::uint64_t below) { return random_() % below; }
  /// Small and large ones, and all bits.
  std::uint64_t number() { return random_() >> any(64); }
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  Nanoseconds time() {
    const auto value = static_cast<Nanoseconds>(number() >> 3);
    return any(4) == 0 ? -value : value;
  }
  bool coin() { return any(2) == 1; }
  template <class Rows>
  std::uint32_t position(const Rows& rows) {
    return rows.empty() || any(5) == 0 ? Index<Site>::kNone
                                       : static_cast<std::uint32_t>(any(rows.size()));
  }
  template <class Row>
  Row earlier_or_new(const DedupColumn<Row>& rows) {
    return rows.empty() || coin() ? Row() : rows[any(rows.size())];
  }

  void add_region() {
    Region row = earlier_or_new(trace_.regions);
    row.begin = time();
    row.end = coin() ? row.begin + 5 : time();
    row.site.value = position(trace_.sites);
    row.device = static_cast<std::int32_t>(word());
    row.nowait = coin();
    row.hashing = coin() ? 0 : time();
    row.components = coin() ? 0 : word();
    trace_.regions.push_back(row);
  }
  void add_op() {
    DataOp row = earlier_or_new(trace_.ops);
    row.begin = time();
    row.end = coin() ? row.begin : time();
    row.region.value = position(trace_.regions);
    row.kind = static_cast<OpKind>(any(8));
    if (coin()) row.src = number();
    if (coin()) row.bytes = number();
    row.hash = coin() ? 0 : number();
    row.trivial = coin();
    trace_.ops.push_back(row);
  }
  void add_launch() {
    Launch row = earlier_or_new(trace_.launches);
    row.begin = time();
    row.end = time();
    row.region.value = position(trace_.regions);
    row.trip_count = number();
    trace_.launches.push_back(row);
  }
  void add_activity() {
    DeviceActivity row;
    row.kind = static_cast<ActivityKind>(any(6));
    row.begin = time();
    row.end = time();
    row.op.value = position(trace_.ops);
    row.bytes = number();
    for (std::uint32_t& blocks : row.grid) blocks = word();
    row.dynamic_shared = word();
    trace_.activities.push_back(row);
  }

  std::mt19937_64 random_;
  Trace trace_;
};

TEST(BinaryTrace, ModelsSurvive) {
  expect_survives(Trace{});
  expect_survives(awkward_trace());
  expect_survives(inner_loops(100, true));
  expect_survives(synthetic_trace({.events = 300000, .threads = 5, .devices = 3, .seed = 7}));
}

TEST(BinaryTrace, RandomModelsSurvive) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_survives(RandomTrace(seed).make());
  }
}

TEST(BinaryTrace, TheSameModelGivesTheSameFile) {
  const std::string file = binary_of(awkward_trace());
  EXPECT_EQ(binary_of(trace_of(file)), file);
}

TEST(BinaryTrace, IsWrittenAndToldByName) {
  const std::filesystem::path folder(testing::TempDir());
  const Trace trace = synthetic_trace({.events = 50000});
  for (const char* name : {"ompdm_binary.ompdm", "ompdm_binary.ompdm.gz"}) {
    write_trace(trace, folder / name);
    EXPECT_TRUE(is_trace(folder / name));
    EXPECT_TRUE(is_binary_trace(folder / name));
    EXPECT_EQ(difference(trace, read_trace(folder / name)), "");
  }
  EXPECT_LT(std::filesystem::file_size(folder / "ompdm_binary.ompdm"), 50000U * 24);
  write_trace(trace, folder / "ompdm_binary.json");
  EXPECT_TRUE(is_trace(folder / "ompdm_binary.json"));
  EXPECT_FALSE(is_binary_trace(folder / "ompdm_binary.json"));
}

TEST(BinaryTrace, SizeOfReadsDoesNotMatter) {
  const std::string file = binary_of(awkward_trace());
  for (const std::size_t piece : {1, 3, 64}) {
    EXPECT_EQ(difference(awkward_trace(), trace_of(file, piece)), "") << piece;
  }
}

TEST(BinaryTrace, NewerOnesAreRefused) {
  const std::string message = error_of(opening_of(7) + "whatever");
  EXPECT_EQ(message,
            "trace.json: has version 7 of the format of long runs, this ompdm reads up to 1: use "
            "the ompdm that recorded it, or a newer one");
}

TEST(BinaryTrace, CutOnesAreRefusedWhereverTheyAreCut) {
  const std::string file = binary_of(awkward_trace());
  for (std::size_t cut = binary::kMagic.size(); cut < file.size(); ++cut) {
    const std::string message = error_of(file.substr(0, cut));
    ASSERT_TRUE(is_one_sentence(message)) << cut << message;
    ASSERT_NE(message.find("is cut short"), std::string::npos) << cut << message;
  }
  EXPECT_NE(error_of(file + "x").find("is damaged"), std::string::npos);
}

TEST(BinaryTrace, EveryChangedByteIsFound) {
  const std::string file = binary_of(awkward_trace());
  for (std::size_t at = 0; at < file.size(); ++at) {
    // Four bytes mean nothing yet, and a version of 0 was never written.
    if (at >= binary::kMagic.size() && at < binary::kOpeningSize) continue;
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    ASSERT_TRUE(is_one_sentence(error_of(damaged))) << at;
  }
}

// Whatever a block holds, it is read or refused in one sentence.
std::size_t refused_of_every(std::size_t step) {
  const std::vector<Block> blocks = blocks_of(binary_of(awkward_trace()));
  EXPECT_EQ(error_of(file_of(blocks)), "");
  std::size_t refused = 0;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    for (std::size_t at = 0; at < blocks[number].bytes.size(); at += step) {
      std::vector<Block> damaged = blocks;
      char& byte = damaged[number].bytes[at];
      for (const char other : {'\0', '\x7f', '\xff', static_cast<char>(byte ^ 1)}) {
        byte = other;
        const std::string message = error_of(file_of(damaged));
        EXPECT_TRUE(message.empty() || is_one_sentence(message)) << message;
        refused += message.empty() ? 0 : 1;
      }
    }
  }
  return refused;
}

TEST(BinaryTrace, DamageUnderRightChecksumsIsReadOrRefused) {
  EXPECT_GT(refused_of_every(13), 100U);
}

TEST(BinaryTraceSlow, DamageOfAnyByteUnderRightChecksumsIsReadOrRefused) {
  EXPECT_GT(refused_of_every(1), 1000U);
}

TEST(BinaryTrace, BlocksThatAreMissingOrMovedAreFound) {
  const std::vector<Block> blocks = blocks_of(binary_of(synthetic_trace({.events = 2400})));
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    std::vector<Block> fewer = blocks;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(number));
    EXPECT_TRUE(is_one_sentence(error_of(file_of(fewer)))) << number;
  }
}

TEST(BinaryTrace, WhatIsNotKnownIsPassedOver) {
  std::vector<Block> blocks = blocks_of(binary_of(awkward_trace()));
  blocks.insert(blocks.end() - 1, Block{binary::BlockKind{77}, "of a later version"});
  EXPECT_EQ(difference(awkward_trace(), trace_of(file_of(blocks))), "");
}

TEST(BinaryTrace, ReferencesToRowsThatDoNotExistAreRefused) {
  Trace trace = synthetic_trace({.events = 240});
  trace.ops.edit(3)->region = {1000};
  EXPECT_NE(error_of(binary_of(trace)).find("data operation 3 refers to region 1000 of"),
            std::string::npos)
      << error_of(binary_of(trace));
  trace = synthetic_trace({.events = 240});
  trace.launches.edit(2)->site = {99};
  EXPECT_NE(error_of(binary_of(trace)).find("launch 2 refers to site 99 of"), std::string::npos);
}

}  // namespace
}  // namespace ompdm::test::binary_test
