// mapped_scalars: arguments that each launch transfers by themselves; and data that is no such
// argument.
#include <gtest/gtest.h>

#include <string>

#include "analysis/found.h"
#include "ompdm/report.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::mapped_scalars_test {
namespace {

using test::contains;
using test::found;
using test::patterns;
using test::TraceBuilder;

constexpr std::uint64_t kTo = 0x21;
constexpr std::uint64_t kToFrom = 0x23;

/// Kernels with a variable that they read, and one that they return.
struct Launches : TraceBuilder {
  Index<Site> solve = site(Directive::kTarget, "a.cpp", 12, "main");
  Index<Site> norm = site(Directive::kTarget, "a.cpp", 15, "main");
  Index<Variable> n = variable("n", 8);
  Index<Variable> sum = variable("sum", 8);
  std::uint64_t content = 100;

  Launches() { trace.map_lists = {{item(n, "n", kTo), item(sum, "sum", kToFrom)}}; }

  [[nodiscard]] MapItem item(Index<Variable> of, const std::string& name,
                             std::uint64_t type) const {
    const std::uint64_t host = trace.variables[of.value].address;
    return {of, name, host, host, 8, type};
  }

  void move(OpKind kind, Index<Variable> what, std::uint64_t bits) {
    op(kind, what, 8, 100)->fingerprint = bits;
    trace.ops.edit_back()->hash = bits;
  }

  /// `returns`: n is copied back too, changed or not.
  void launch_at(Index<Site> at, bool with_sum, bool returns = false, bool changed = false) {
    begin(at);
    trace.regions.edit_back()->map_list = 0;
    op(OpKind::kAlloc, n, 8, 10);
    move(OpKind::kHtoD, n, 7);
    if (with_sum) op(OpKind::kAlloc, sum, 8, 10);
    if (with_sum) move(OpKind::kHtoD, sum, ++content);
    launch(30'000);
    if (with_sum) move(OpKind::kDtoH, sum, ++content);
    if (returns) move(OpKind::kDtoH, n, changed ? ++content : 7);
    if (with_sum) op(OpKind::kDelete, sum, 0, 10);
    op(OpKind::kDelete, n, 0, 10);
    end();
  }
};

Launches launched(int count, bool with_sum, bool returns = false, bool changed = false) {
  Launches program;
  for (int i = 0; i < count; ++i) program.launch_at(program.solve, with_sum, returns, changed);
  return program;
}

TEST(MappedScalars, AreArguments) {
  const Analysis analysis = analyze(launched(40, true).take());
  ASSERT_EQ(patterns(analysis), "mapped_scalars");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 12);
  EXPECT_EQ(finding.variable, "n");
  EXPECT_EQ(finding.count, 40U);
  EXPECT_EQ(finding.wasted_bytes, 0U) << "the launch brings it";
  EXPECT_EQ(finding.wasted_time, 40 * 120);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  const auto& facts = std::get<facts::MappedScalars>(finding.facts);
  EXPECT_EQ(facts.launches, 40U);
  EXPECT_EQ(facts.transfers, 120U);
  const std::string advice = report::advice_text(finding);
  EXPECT_TRUE(finding.edits.empty()) << "it may be a reduction's, which cannot be firstprivate";
  EXPECT_TRUE(contains(advice, "leave sum its map(tofrom: ...)")) << advice;
}

TEST(MappedScalars, FewAreClean) { EXPECT_EQ(patterns(analyze(launched(31, true).take())), ""); }

TEST(MappedScalars, ThatComeBackChangedAreClean) {
  EXPECT_EQ(patterns(analyze(launched(40, true, true, true).take())), "");
}

TEST(MappedScalars, ThatComeBackUnchangedMayBeFlags) {
  const Analysis analysis = analyze(launched(40, true, true).take());
  ASSERT_EQ(patterns(analysis), "mapped_scalars");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_EQ(analysis.findings[0].count, 80U);
}

TEST(MappedScalars, ThatComeBackZeroAreFlags) {
  Launches program = launched(40, false, true);
  for (std::uint32_t i = 0; i < program.trace.ops.size(); ++i) {
    program.trace.ops.edit(i)->trivial = true;
  }
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(MappedScalars, MembersAndElementsAreNone) {
  for (const char* name : {"s.n", "p->n", "n[0:1]", "*n", ""}) {
    Launches program = launched(40, true);
    program.trace.map_lists[0][0].name = name;
    EXPECT_TRUE(test::found(analyze(program.take()), "mapped_scalars").empty()) << name;
  }
}

TEST(MappedScalars, ThatStayAreClean) {
  Launches program;
  const auto enter = program.site(Directive::kTargetEnterData, "a.cpp", 3, "main");
  program.begin(enter);
  program.op(OpKind::kAlloc, program.n, 8, 10);
  program.end();
  for (int i = 0; i < 40; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->map_list = 0;
    program.move(OpKind::kHtoD, program.n, 7);  // always
    program.launch(30'000);
    program.end();
  }
  EXPECT_TRUE(found(analyze(program.take()), "mapped_scalars").empty());
}

TEST(MappedScalars, OfOneLoopAreOneFinding) {
  Launches program;
  for (int i = 0; i < 40; ++i) {
    program.launch_at(program.solve, false);
    program.launch_at(program.norm, true);
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "mapped_scalars");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 80U);
  EXPECT_EQ(std::get<facts::MappedScalars>(finding.facts).places.size(), 2U);
}

}  // namespace
}  // namespace ompdm::analysis::mapped_scalars_test
