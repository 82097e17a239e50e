// Device memory over a run, and what is on a device at a directive.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/one_array.h"
#include "model/map_types.h"
#include "ompdm/mapped.h"

namespace ompdm::analysis::memory_test {
namespace {

/// Two arrays: one is on the device until the end, the other for a while.
struct TwoArrays : test::OneArray {
  Index<Variable> b = variable("b", 2 * kBytes);

  TwoArrays() {
    begin(enter);
    op(OpKind::kAlloc, a, kBytes, 10);
    end();
    begin(again);
    op(OpKind::kAlloc, b, 2 * kBytes, 10);
    end();
    reader();
    begin(exit);
    op(OpKind::kDelete, b, 0, 5);
    end();
    reader();
  }
};

TEST(DeviceMemory, HasAPeakWithItsHoldersAndWhatIsLeft) {
  TwoArrays program;
  const std::vector<MemoryRow> rows = analyze(program.take()).memory;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].peak, 3 * test::OneArray::kBytes);
  EXPECT_EQ(rows[0].place.line, 50);
  ASSERT_EQ(rows[0].holders.size(), 2U);
  EXPECT_EQ(rows[0].holders[0].name, "b");
  EXPECT_EQ(rows[0].holders[0].bytes, 2 * test::OneArray::kBytes);
  EXPECT_EQ(rows[0].holders[1].place.line, 10);
  ASSERT_EQ(rows[0].left.size(), 1U);
  EXPECT_EQ(rows[0].left[0].name, "a");
}

TEST(DeviceMemory, OfAKilledProcessIsNotLeft) {
  TwoArrays program;
  program.trace.recording.finished = false;
  const std::vector<MemoryRow> rows = analyze(program.take()).memory;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].left.empty());
}

TEST(DataPresent, AtADirectiveIsTold) {
  TwoArrays program;
  const Trace trace = program.take();
  const std::vector<DataPresent> found = present_at(trace, "a.cpp:30");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].executions, 2U);
  EXPECT_EQ(found[0].others, 1U) << "b had left before the second";
  ASSERT_EQ(found[0].data.size(), 2U);
  EXPECT_EQ(found[0].data[1].bytes, test::OneArray::kBytes);
  EXPECT_EQ(found[0].data[1].since.line, 10);
  EXPECT_EQ(found[0].data[1].named, "map(to: a)");
  EXPECT_EQ(found[0].data[0].named, "");
  EXPECT_FALSE(found[0].data[0].sent.has_value());
  EXPECT_TRUE(present_at(trace, "a.cpp:31").empty());
  EXPECT_TRUE(present_at(trace, "b.cpp:30").empty());
  EXPECT_TRUE(present_at(trace, "nothing").empty());
}

TEST(DataPresent, CountsReferencesAndTheLastCopies) {
  test::OneArray program;
  const std::uint64_t host = program.trace.variables[0].address;
  const auto list = [&](std::uint64_t type) {
    MapItem item{program.a, "a[0:n]", host, host, test::OneArray::kBytes, type};
    return std::vector<MapItem>{item};
  };
  program.trace.map_lists = {list(kMapTo), list(kMapFrom)};
  program.map();
  program.trace.regions.edit_back()->map_list = 0;
  program.begin(program.again);
  program.trace.regions.edit_back()->map_list = 0;
  program.end();
  program.send();
  program.bring(1);
  program.kernel(0);
  program.begin(program.exit);
  program.trace.regions.edit_back()->map_list = 1;
  program.end();
  program.kernel(0);
  const Trace trace = program.take();
  const std::vector<DataPresent> found = present_at(trace, "a.cpp:30");
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].data.size(), 1U);
  const PresentData& data = found[0].data[0];
  EXPECT_EQ(data.references, 2U);
  EXPECT_EQ(data.sent.value().line, 20);
  EXPECT_EQ(data.returned.value().line, 25);
  EXPECT_EQ(present_at(trace, "a.cpp:40").at(0).data.at(0).references, 2U);
}

}  // namespace
}  // namespace ompdm::analysis::memory_test
