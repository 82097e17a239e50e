#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "support/awkward_trace.h"
#include "support/difference.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"

namespace ompdm::test::truncation_test {
namespace {

template <class Rows>
void expect_prefix(const Rows& part, const Rows& whole, std::size_t cut) {
  ASSERT_LE(part.size(), whole.size()) << "cut at " << cut;
  for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], whole[i]) << "cut at " << cut;
}

// References to rows behind the cut cannot be kept: only the rows' own values are compared.
template <class Row>
void expect_prefix_but_region(DedupColumn<Row> part, DedupColumn<Row> whole, std::size_t cut) {
  for (auto* rows : {&part, &whole}) {
    rows->change_regions([](std::uint32_t) { return Index<Region>::kNone; });
  }
  expect_prefix(part, whole, cut);
}

std::size_t rows(const Trace& trace) {
  return trace.regions.size() + trace.ops.size() + trace.launches.size();
}

void cut_at_every(std::size_t step, const Trace& whole, const std::string& text) {
  const std::size_t first_line = text.find('\n') + 1;
  std::size_t most = 0;
  for (std::size_t cut = text.size() % step; cut <= text.size(); cut += step) {
    const std::string_view part = std::string_view(text).substr(0, cut);
    if (cut < first_line) {
      EXPECT_THROW(trace_of(part), Error) << cut;
      continue;
    }
    const Trace read = trace_of(part);
    // The last byte ends the closing line, which is whole without it.
    ASSERT_EQ(read.truncated, cut + 1 < text.size()) << cut;
    expect_prefix(read.sites, whole.sites, cut);
    expect_prefix(read.map_lists, whole.map_lists, cut);
    expect_prefix(read.device_events, whole.device_events, cut);
    expect_prefix(read.regions, whole.regions, cut);
    expect_prefix_but_region(read.ops, whole.ops, cut);
    expect_prefix_but_region(read.launches, whole.launches, cut);
    ASSERT_GE(rows(read), most) << "a longer file gives fewer rows at " << cut;
    most = rows(read);
  }
  EXPECT_EQ(most, rows(whole));
}

TEST(Truncation, ManyPlacesOfAnAwkwardTrace) {
  const Trace whole = awkward_trace();
  cut_at_every(17, whole, text_of(whole));
}

TEST(TruncationSlow, EveryByteOfAnAwkwardTrace) {
  const Trace whole = awkward_trace();
  cut_at_every(1, whole, text_of(whole));
}

TEST(Truncation, EveryByteOfAnOrdinaryTrace) {
  const Trace whole = synthetic_trace({.events = 24, .threads = 2});
  cut_at_every(1, whole, text_of(whole));
}

TEST(Truncation, WholeLinesAreKept) {
  const Trace whole = synthetic_trace({.events = 240});
  const std::string text = text_of(whole);
  const std::size_t last_operation = text.rfind("{\"ph\":\"X\"");
  const Trace read = trace_of(std::string_view(text).substr(0, last_operation + 20));
  EXPECT_TRUE(read.truncated);
  EXPECT_EQ(rows(read), rows(whole) - 1);
  EXPECT_EQ(read.process, whole.process);
}

TEST(Truncation, EveryByteOfACompressedTrace) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "ompdm_truncation.json.gz";
  const Trace whole = synthetic_trace({.events = 24});
  write_trace(whole, path);
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::size_t read_something = 0;
  for (std::size_t cut = bytes.size(); cut-- > 0;) {
    std::filesystem::resize_file(path, cut);
    try {
      const Trace read = read_trace(path);
      EXPECT_LE(rows(read), rows(whole));
      ++read_something;
    } catch (const Error&) {
      // Too short for the first line.
    }
  }
  EXPECT_GT(read_something, bytes.size() / 4);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ompdm::test::truncation_test
