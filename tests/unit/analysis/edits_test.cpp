// What findings want changed, as data.
#include "detectors/edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/analysis.h"
#include "ompdm/findings.h"

namespace ompdm::test::edits_test {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using analysis::Unless;

Finding of_a_loop() {
  OneArray program;
  for (int i = 0; i < 20; ++i) program.map_tofrom(program.solve, 7 + i, 8 + i);
  const analysis::Analysis analysis = analysis::analyze(program.take());
  EXPECT_EQ(patterns(analysis), "per_iteration_mapping");
  return analysis.findings.at(0);
}

const Edit* find_edit(const Finding& finding, Directive directive, EditWhen when) {
  const auto at = std::ranges::find_if(finding.edits, [&](const Edit& edit) {
    return edit.kind == EditKind::kInsert && edit.directive == directive && edit.when == when;
  });
  return at != finding.edits.end() ? &*at : nullptr;
}

TEST(Edits, KeepDataAroundALoopWhateverTheHostDoes) {
  const Finding finding = of_a_loop();
  const Edit* enter = find_edit(finding, Directive::kTargetEnterData, EditWhen::kAlways);
  const Edit* exit = find_edit(finding, Directive::kTargetExitData, EditWhen::kAlways);
  const Edit* from = find_edit(finding, Directive::kTargetUpdate, EditWhen::kHostUses);
  const Edit* to = find_edit(finding, Directive::kTargetUpdate, EditWhen::kHostChanged);
  ASSERT_TRUE(enter != nullptr && exit != nullptr && from != nullptr && to != nullptr);
  EXPECT_EQ(enter->anchor.of, Anchor::Of::kLoop);
  EXPECT_EQ(enter->anchor.side, Anchor::Side::kBefore);
  EXPECT_EQ(exit->anchor.side, Anchor::Side::kAfter);
  EXPECT_EQ(from->anchor.side, Anchor::Side::kWithin);
  ASSERT_EQ(finding.data.size(), 1U);
  EXPECT_EQ(finding.data[0].expression, "a");
  EXPECT_EQ(finding.data[0].named_at.line, 30);
  EXPECT_EQ(finding.data[0].pieces, std::vector<std::uint64_t>{OneArray::kBytes});
  EXPECT_EQ(enter->clauses, (std::vector<analysis::EditClause>{{"to", {0}}}));
  EXPECT_EQ(exit->clauses, (std::vector<analysis::EditClause>{{"from", {0}}}));
  EXPECT_EQ(finding.unless, (std::vector{Unless::kHostUses, Unless::kMadeAgain}));
  EXPECT_EQ(finding.memory_bytes, OneArray::kBytes);
  const bool keeps = std::ranges::any_of(finding.edits, [](const Edit& edit) {
    return edit.kind == EditKind::kKeep && edit.anchor.places.front().line == 30;
  });
  EXPECT_TRUE(keeps);
}

// A finding is known again in the next run, and when lines were added above it.
TEST(Edits, IdsDoNotTakeLinesOrFiguresIn) {
  std::vector<Finding> findings = {of_a_loop(), of_a_loop(), of_a_loop()};
  findings[1].line += 5;
  findings[1].count = 1;
  findings[2].variable = "b";
  for (Finding& finding : findings) {
    std::vector<Finding> one = {finding};
    analysis::identify(one);
    finding.id = one[0].id;
  }
  EXPECT_EQ(findings[0].id.size(), 16U);
  EXPECT_EQ(findings[0].id, findings[1].id);
  EXPECT_NE(findings[0].id, findings[2].id);
  // Two that have all this in common are told apart, in the order of their lines.
  std::vector<Finding> twins = {findings[1], findings[0]};
  analysis::identify(twins);
  EXPECT_NE(twins[0].id, twins[1].id);
  EXPECT_EQ(twins[1].id, findings[0].id);
}

TEST(Edits, MemoryIsThatOfResidenciesAtOneTimeOnOneDevice) {
  const auto residency = [](std::int32_t device, std::uint64_t bytes, Nanoseconds from,
                            Nanoseconds to) {
    return analysis::Residency{device, 0x1000, bytes, 0, from, to};
  };
  EXPECT_EQ(analysis::memory_of({}), 0U);
  EXPECT_EQ(analysis::memory_of({residency(0, 8, 0, 10), residency(0, 4, 10, 20)}), 8U);
  EXPECT_EQ(analysis::memory_of({residency(0, 8, 0, 10), residency(0, 4, 9, 20)}), 12U);
  EXPECT_EQ(analysis::memory_of({residency(0, 8, 0, 10), residency(1, 4, 0, 10)}), 8U);
}

}  // namespace
}  // namespace ompdm::test::edits_test
