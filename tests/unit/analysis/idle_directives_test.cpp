// What to do about directives that named data which was not there, once it is kept.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "analysis/one_array.h"
#include "detectors/presence.h"
#include "model/map_types.h"

namespace ompdm::analysis::idle_directives_test {
namespace {

using test::OneArray;

constexpr std::uint32_t kNumber = 7;  // of `a` in Finding::data

/// Of two arrays: `a`, which is to be kept, and `b`.
struct TwoArrays : OneArray {
  Index<Variable> b = variable("b", kBytes);

  TwoArrays() {
    const std::uint64_t first = trace.variables[0].address;
    const std::uint64_t second = trace.variables[1].address;
    trace.map_lists = {
        {{a, "a", first, first, kBytes, kMapTo}},
        {{a, "a", first, first, kBytes, kMapTo}, {b, "b", second, second, kBytes, kMapTo}},
        {{a, "a", first, first, kBytes, kMapFrom}},
        {{a, "a", first, first, kBytes, kMapFrom}, {b, "b", second, second, kBytes, kMapFrom}}};
  }

  /// A directive with one of these lists that does nothing about `a`.
  void name(Index<Site> at, std::uint32_t map_list, bool sends_b = false) {
    begin(at);
    trace.regions.edit_back()->map_list = map_list;
    if (sends_b) op(OpKind::kHtoD, b, kBytes, 100);
    wait(10);
    end();
    wait(10);
  }
  void enter_b() {
    begin(enter);
    op(OpKind::kAlloc, b, kBytes, 10);
    end();
    wait(10);
  }

  /// Where `a` stays from one moment to another (none: the end).
  IdleEdits found(Nanoseconds begin_of_residency = 0, Nanoseconds end_of_residency = 0,
                  std::int32_t device = 0) {
    const Trace all = take();
    const Mappings mappings(all);
    const Presence presence(mappings);
    Residency residency;
    residency.device = device;
    residency.host = all.variables[0].address;
    residency.bytes = kBytes;
    residency.from = begin_of_residency;
    residency.to = end_of_residency == 0 ? all.process.wall : end_of_residency;
    return IdleDirectives(all, presence).edits_on(residency, kNumber);
  }
  std::vector<Edit> edits(Nanoseconds begin_of_residency = 0, Nanoseconds end_of_residency = 0,
                          std::int32_t device = 0) {
    return found(begin_of_residency, end_of_residency, device).edits;
  }
};

const std::vector<EditClause> kLeft = {{"", {kNumber}}};

TEST(IdleDirectives, AreRemovedWhereTheyDidNothing) {
  TwoArrays program;
  program.name(program.to, 0);
  const std::vector<Edit> edits = program.edits();
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].kind, EditKind::kRemove);
  EXPECT_EQ(edits[0].when, EditWhen::kNothingThere);
  EXPECT_EQ(edits[0].anchor.places.front().line, 20);
  EXPECT_TRUE(edits[0].clauses.empty());
}

TEST(IdleDirectives, LoseAnItemWhereTheyMovedAnother) {
  TwoArrays program;
  program.enter_b();
  program.name(program.to, 1, true);
  const std::vector<Edit> edits = program.edits();
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].kind, EditKind::kLeaveOut);
  EXPECT_EQ(edits[0].when, EditWhen::kNothingThere);
  EXPECT_EQ(edits[0].clauses, kLeft);
}

// That makes no operation.
TEST(IdleDirectives, LoseAnItemWhereTheyCountedAnotherDown) {
  TwoArrays program;
  program.enter_b();
  program.name(program.exit, 1);
  const std::vector<Edit> edits = program.edits();
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].kind, EditKind::kLeaveOut);
  EXPECT_EQ(edits[0].anchor.places.front().line, 40);
  EXPECT_EQ(edits[0].clauses, kLeft);
}

// No edit tells in which of its executions a directive has to run.
TEST(IdleDirectives, AreInWordsWhereTheyFoundItInOtherInstances) {
  for (const bool beside_b : {false, true}) {
    TwoArrays program;
    if (beside_b) program.enter_b();
    program.name(program.to, beside_b ? 1 : 0, beside_b);
    program.map();
    program.name(program.to, beside_b ? 1 : 0, beside_b);
    program.unmap();
    const IdleEdits found = program.found();
    EXPECT_TRUE(found.edits.empty());
    ASSERT_EQ(found.at_times.size(), 1U);
    EXPECT_EQ(found.at_times[0].line, 20);
  }
}

// Such an update then copies back what the host had, or wanted.
TEST(IdleDirectives, MayBringItWhereTheyAreUpdatesFromThatDidSo) {
  TwoArrays program;
  program.name(program.from, 2);
  program.map();
  program.name(program.from, 2);
  program.unmap();
  const IdleEdits found = program.found();
  EXPECT_TRUE(found.edits.empty());
  EXPECT_TRUE(found.at_times.empty());
}

TEST(IdleDirectives, StayOutsideOfTheTimeThatItIsKept) {
  for (const bool is_before : {false, true}) {
    TwoArrays program;
    program.name(program.to, 0);
    const Nanoseconds then = program.now;
    program.wait(1000);
    program.name(program.exit, 0);
    const std::vector<Edit> edits = is_before ? program.edits(then) : program.edits(0, then);
    ASSERT_EQ(edits.size(), 1U) << is_before;
    EXPECT_EQ(edits[0].anchor.places.front().line, is_before ? 40 : 20);
  }
}

TEST(IdleDirectives, StayOnOtherDevices) {
  TwoArrays program;
  program.name(program.to, 0);
  EXPECT_TRUE(program.edits(0, 0, 2).empty());
}

}  // namespace
}  // namespace ompdm::analysis::idle_directives_test
