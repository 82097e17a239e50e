// Findings that rest on each other, and contents that only look alike.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::settle_test {
namespace {

using test::contains;
using test::OneArray;
using test::patterns;

TEST(ClaimsThatRestOnEachOther, OneOfTwoSendsResidencies) {
  OneArray program;
  program.map(7);
  program.send(7);
  program.reader();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer") << "the surer of two that save the same";
  EXPECT_EQ(analysis.findings[0].line, 10);
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall - 100);
}

TEST(ClaimsThatRestOnEachOther, TheOneThatSavesMoreResidencies) {
  OneArray program;
  program.map(7);
  for (int i = 0; i < 20; ++i) {
    program.send(7);
    program.reader();
  }
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "duplicate_transfer");
  EXPECT_EQ(analysis.findings[0].count, 20U);
  EXPECT_EQ(analysis.possible_prediction->wall, analysis.process.wall - 2000);
}

TEST(ClaimsThatRestOnEachOther, OneClauseIsWrittenAnewOnce) {
  OneArray program;
  program.begin(program.solve);
  program.trace.regions.edit_back()->map_list = 1;
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
  program.move(OpKind::kHtoD, 7)->map_type = 0x3;
  program.send(7);
  program.reader();
  program.begin(program.solve);
  program.move(OpKind::kDtoH, 7);
  program.op(OpKind::kDelete, program.a, 0, 5);
  program.end();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer") << "map(from:) and map(to:) would be two";
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "as they are:\n  map(from: a)"))
      << "what comes back is not to be lost: " << report::advice_text(analysis.findings[0]);
}

TEST(ContentFindings, BlocksAreNoEvidenceOfStorageThatIsSeenToChange) {
  OneArray host;
  host.blocks_only = true;
  host.map(7);
  host.reader();
  for (const std::uint64_t content : {7, 8, 8, 8}) {
    host.send(content);
    host.reader();
  }
  host.unmap();
  EXPECT_EQ(patterns(analyze(host.take())), "") << "the host may have changed it elsewhere";

  OneArray device;
  device.blocks_only = true;
  device.map_tofrom(device.solve, 7, 7);
  device.map_tofrom(device.check, 17, 18);
  EXPECT_EQ(patterns(analyze(device.take())), "");
}

}  // namespace
}  // namespace ompdm::analysis::settle_test
