// duplicate_transfer: planted, and nearly.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::duplicate_transfer_test {
namespace {

using test::contains;
using test::found;
using test::OneArray;
using test::patterns;

TEST(DuplicateTransfer, ToDataThatIsThere) {
  OneArray program;
  program.map_and_send(7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 20);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.wasted_time, 100);
  EXPECT_EQ(finding.confidence, Confidence::kPossible) << "the reader may use its copy as scratch";
  EXPECT_EQ(finding.examined, 1U);
  EXPECT_EQ(finding.of, 1U);
  const auto& facts = std::get<facts::Resends>(finding.facts);
  EXPECT_EQ(facts.how, facts::Resends::How::kWasSent);
  ASSERT_EQ(facts.before.size(), 1U);
  EXPECT_EQ(facts.before[0].line, 10);
  ASSERT_EQ(finding.edits.size(), 1U);
  EXPECT_EQ(finding.edits[0].kind, EditKind::kRemove);
  EXPECT_EQ(finding.edits[0].anchor.places.front().line, 20);
  EXPECT_EQ(finding.unless, (std::vector{Unless::kKernelChanges, Unless::kHostChanges}));
  ASSERT_TRUE(analysis.possible_prediction.has_value());
  EXPECT_EQ(analysis.possible_prediction->wall, analysis.process.wall - 100);
}

/// `map(alloc:)`, and updates that send this content each.
Analysis of_allocated(const std::vector<std::uint64_t>& contents, bool by_call = false) {
  OneArray program;
  if (by_call) program.trace.sites[program.enter.value].directive = Directive::kApi;
  program.allocate();
  for (const std::uint64_t content : contents) {
    program.send(content);
    program.reader();
  }
  program.unmap();
  return analyze(program.take());
}

// Without the updates the device would have nothing.
TEST(DuplicateTransfer, ToDataThatAClauseOnlyAllocated) {
  const std::vector<Finding> findings = found(of_allocated({7, 7, 7, 7}), "duplicate_transfer");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 3U);
  const std::vector<Edit>& edits = findings[0].edits;
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].kind, EditKind::kReplace);
  EXPECT_EQ(edits[0].anchor.places.front().line, 10);
  ASSERT_EQ(edits[0].clauses.size(), 1U);
  EXPECT_EQ(edits[0].clauses[0].kind, "to");
  EXPECT_EQ(findings[0].data[edits[0].clauses[0].data.front()].expression, "a");
  EXPECT_EQ(edits[1].kind, EditKind::kRemove);
  EXPECT_EQ(edits[1].anchor.places.front().line, 20);
}

TEST(DuplicateTransfer, OfWhichSomeAreNeededIsInWords) {
  const std::vector<Finding> findings =
      found(of_allocated({7, 7, 7, 7, 8, 8}), "duplicate_transfer");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 4U);
  EXPECT_EQ(std::get<facts::Resends>(findings[0].facts).all, 6U);
  EXPECT_TRUE(findings[0].edits.empty());
}

TEST(DuplicateTransfer, ToWhatNoClauseAllocatedIsInWords) {
  const std::vector<Finding> findings =
      found(of_allocated({7, 7, 7, 7}, true), "duplicate_transfer");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].edits.empty());
}

// The clause would send more than the updates do.
TEST(DuplicateTransfer, ToAPartOfWhatAClauseOnlyAllocatedIsInWords) {
  OneArray program;
  program.allocate();
  for (int i = 0; i < 4; ++i) {
    program.send(7, OneArray::kBytes / 100);
    program.reader();
  }
  program.unmap();
  const std::vector<Finding> findings = found(analyze(program.take()), "duplicate_transfer");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].edits.empty());
}

// It is transferred whatever is present.
TEST(DuplicateTransfer, OfAKernelsOwnCopyIsNone) {
  constexpr std::uint32_t kFirstprivate = 0x81;
  OneArray program;
  for (int i = 0; i < 20; ++i) {
    program.begin(program.solve);
    program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10)->map_type = kFirstprivate;
    program.move(OpKind::kHtoD, 7)->map_type = kFirstprivate;
    program.launch(1000);
    program.op(OpKind::kDelete, program.a, 0, 5);
    program.end();
  }
  EXPECT_EQ(OneArray(program).patterns(), "");
  program.map(7);
  program.reader();
  program.unmap();
  EXPECT_EQ(program.patterns(), "") << "nor is it there for another";
}

TEST(DuplicateTransfer, ToDataThatCouldHaveBeenKept) {
  OneArray program;
  for (const auto at : {program.enter, program.again}) {
    program.map(at, 7);
    program.reader();
    program.unmap();
    program.wait(1000);
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(found(analysis, "duplicate_transfer").size(), 1U) << patterns(analysis);
  const Finding finding = found(analysis, "duplicate_transfer")[0];
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_time, 100 + 10 + 5) << "its delete and allocation are needless too";
  EXPECT_TRUE(std::get<facts::Resends>(finding.facts).is_mapped_again);
  EXPECT_TRUE(contains(report::advice_text(finding), "a target enter data with map(to:) for a\n"));
  EXPECT_TRUE(
      contains(report::advice_text(finding), "a target exit data with map(release:) for a"));
}

TEST(DuplicateTransfer, AtAnotherAddressOfTheDevice) {
  OneArray program;
  program.map(7);
  program.reader();
  program.unmap();
  program.map(program.again, 7);
  for (std::size_t i = 0; i < program.trace.ops.size(); ++i) {
    if (program.trace.ops.begin_of(i) > 1100) program.trace.ops.edit(i)->dst += 0x1000;
  }
  program.reader();
  program.unmap();
  program.trace.ops.edit_back()->src += 0x1000;
  EXPECT_EQ(program.patterns(), "duplicate_transfer");
}

TEST(DuplicateTransfer, KernelsThatDoNotNameItCannotHaveChangedIt) {
  OneArray program;
  program.map(7);
  program.reader();
  program.stranger();
  program.send(7);
  program.reader();
  program.unmap();
  EXPECT_EQ(program.patterns(), "duplicate_transfer");
}

TEST(DuplicateTransfer, NearMisses) {
  OneArray changed;
  changed.map_and_send(7, 8);
  EXPECT_EQ(changed.patterns(), "") << "the host changed it";

  OneArray written;
  written.map(7);
  written.writer();
  written.send(7);
  written.reader();
  written.unmap();
  EXPECT_EQ(written.patterns(), "") << "a kernel may have changed it";

  OneArray unknown;
  unknown.map(7);
  unknown.kernel();
  unknown.send(7);
  unknown.reader();
  unknown.unmap();
  EXPECT_EQ(unknown.patterns(), "") << "what the kernel's directive maps is unknown";

  OneArray dropped;
  for (const auto at : {dropped.enter, dropped.again}) {
    dropped.map(at, 7);
    dropped.writer();
    dropped.unmap();
  }
  EXPECT_EQ(dropped.patterns(), "") << "what the kernel left there was not what had been sent";

  OneArray parts;
  parts.map(7);
  parts.reader();
  parts.begin(parts.to);
  parts.move(OpKind::kHtoD, 9, OneArray::kBytes / 2);
  parts.end();
  parts.reader();
  parts.send(7);
  parts.reader();
  parts.unmap();
  EXPECT_EQ(parts.patterns(), "") << "a part had been overwritten in between";

  OneArray device;
  device.map(7);
  device.reader();
  device.unmap();
  device.map(device.again, 7);
  for (std::size_t i = 0; i < device.trace.ops.size(); ++i) {
    if (device.trace.ops.begin_of(i) > 1100) device.trace.ops.edit(i)->dst_device = 2;
  }
  device.begin(device.solve);
  device.trace.regions.edit_back()->map_list = 0;
  device.launch(1000)->device = 2;
  device.end();
  device.unmap();
  device.trace.ops.edit_back()->src_device = 2;
  EXPECT_EQ(device.patterns(), "") << "another device had it";

  OneArray zeros;
  zeros.zeros = true;
  zeros.map_and_send(7, 7);
  EXPECT_EQ(zeros.patterns(), "") << "all bytes equal are no evidence";

  OneArray unhashed;
  unhashed.map_and_send(0, 0);
  EXPECT_EQ(unhashed.patterns(), "") << "nothing was looked at";
}

TEST(DuplicateTransfer, TwoArraysOfEqualContent) {
  OneArray program;
  const auto b = program.variable("b", OneArray::kBytes);
  for (const auto one : {program.a, b}) {
    program.begin(program.enter);
    program.op(OpKind::kAlloc, one, OneArray::kBytes, 10);
    auto sent = program.op(OpKind::kHtoD, one, OneArray::kBytes, 100);
    sent->fingerprint = sent->hash = 7;
    program.end();
  }
  program.kernel();
  for (const auto one : {program.a, b}) {
    program.begin(program.exit);
    program.op(OpKind::kDelete, one, 0, 5);
    program.end();
  }
  EXPECT_EQ(program.patterns(), "");
}

TEST(DuplicateTransfer, SampledWithGaps) {
  const auto run = [](bool host_changes) {
    OneArray program;
    program.map(7);
    for (int i = 0; i < 400; ++i) {
      program.reader();
      program.wait(1'000'000);
      // Pairs of occurrences are looked at, so that neighbours can be compared.
      const bool sampled = i % 40 < 2;
      program.send(!sampled ? 0 : host_changes && i % 80 == 1 ? 8 : 7);
    }
    program.reader();
    program.unmap();
    return analyze(program.take());
  };
  const Analysis same = run(false);
  ASSERT_EQ(patterns(same), "duplicate_transfer");
  EXPECT_EQ(same.findings[0].count, 400U) << "no sample speaks against the others";
  EXPECT_EQ(same.findings[0].examined, 11U) << "ten pairs, and the first with the mapping";
  EXPECT_EQ(same.findings[0].of, 400U);

  const Analysis some = run(true);
  ASSERT_EQ(patterns(some), "duplicate_transfer");
  EXPECT_EQ(some.findings[0].count, 6U) << "only what was seen to be equal";
}

TEST(DuplicateTransfer, BlocksOfALargeArrayMakeItPossibleOnly) {
  OneArray program;
  program.blocks_only = true;
  program.map_and_send(7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
  const auto& facts = std::get<facts::Resends>(analysis.findings[0].facts);
  EXPECT_EQ(facts.same.equal, 1U);
  EXPECT_EQ(facts.same.in_full, 0U);
}

TEST(DuplicateTransfer, ADirectiveThatIsNeededAtTimesIsNotDropped) {
  OneArray program;
  program.map(7);
  program.reader();
  for (const std::uint64_t content : {7, 8, 9, 10}) {
    program.send(content);
    program.reader();
  }
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  EXPECT_EQ(analysis.findings[0].count, 1U);
  EXPECT_FALSE(contains(report::advice_text(analysis.findings[0]), "remove"))
      << report::advice_text(analysis.findings[0]);
}

}  // namespace
}  // namespace ompdm::analysis::duplicate_transfer_test
