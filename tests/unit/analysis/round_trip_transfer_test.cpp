// round_trip_transfer: planted, and nearly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::round_trip_transfer_test {
namespace {

using test::contains;
using test::OneArray;
using test::patterns;

TEST(RoundTrip, ResidentData) {
  OneArray program;
  program.map(7);
  program.writer();
  program.bring(8);
  program.send(8);
  program.writer();
  program.bring(9);
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 20);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
  const auto& facts = std::get<facts::Resends>(finding.facts);
  EXPECT_EQ(facts.how, facts::Resends::How::kCameBack);
  ASSERT_EQ(facts.before.size(), 1U);
  EXPECT_EQ(facts.before[0].line, 25);
  EXPECT_TRUE(contains(report::advice_text(finding), "remove the target update to(a) at "))
      << report::advice_text(finding);
}

TEST(RoundTrip, BetweenTwoDirectivesThatMapIt) {
  OneArray program;
  program.map_tofrom(program.solve, 7, 8);
  program.wait(1'000'000);
  program.map_tofrom(program.check, 8, 9);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 35);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_time, 100 + 10 + 5);
  EXPECT_TRUE(contains(report::advice_text(finding), "before a.cpp:30 for the first time:"))
      << report::advice_text(finding);
  EXPECT_TRUE(contains(report::advice_text(finding), "a target enter data with map(to:) for a\n"));
  EXPECT_TRUE(contains(report::advice_text(finding), "a target update with from()\n"));
  EXPECT_TRUE(contains(report::advice_text(finding), "a target exit data with map(from:) for a"));
}

/// Updates from and to the device in each iteration. For iterations of `whole` all bytes were
/// compared, for the others sampled blocks. From iteration `changes` on the host changes bytes in
/// no sampled block.
std::vector<Finding> found_in_updates(int iterations, const std::set<int>& whole, int changes) {
  OneArray program;
  program.blocks_only = true;
  program.map(7);
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    program.writer();
    const auto content = static_cast<std::uint64_t>(100 + iteration);
    program.bring(content);
    if (whole.contains(iteration)) program.trace.ops.edit_back()->hash = content;
    program.send(content);
    if (whole.contains(iteration)) {
      program.trace.ops.edit_back()->hash = iteration < changes ? content : content + 1000;
    }
  }
  program.writer();
  program.unmap_from();
  return test::found(analyze(program.take()), "round_trip_transfer");
}

TEST(RoundTrip, OfAChangeThatNoBlockShowsAreThoseAloneOfWhichAllBytesTell) {
  const std::vector<Finding> findings = found_in_updates(20, {1, 2, 6, 13}, 10);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 3U) << "before the change";
  EXPECT_EQ(std::get<facts::Resends>(findings[0].facts).same.in_full, 3U);
}

TEST(RoundTrip, IsLikelyWhereAllBytesWereComparedFarIntoTheRun) {
  constexpr int kNever = 1000;
  const auto confidence = [](const std::set<int>& whole) {
    const std::vector<Finding> findings = found_in_updates(20, whole, kNever);
    EXPECT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.at(0).count, 20U);
    return findings.at(0).confidence;
  };
  EXPECT_EQ(confidence({1, 2, 6, 13}), Confidence::kLikely);
  EXPECT_EQ(confidence({1, 2, 3, 4}), Confidence::kPossible) << "of the first passes alone";
  EXPECT_EQ(confidence({}), Confidence::kPossible);
}

// Each of them maps what the next one maps: one enters it, and one ends its residency.
TEST(RoundTrip, AlongSeveralDirectivesIsOne) {
  OneArray program;
  const std::vector<Index<Site>> sites = {program.solve, program.check, program.enter, program.to,
                                          program.again};
  for (std::size_t i = 0; i < sites.size(); ++i) {
    // The third only reads it: what goes to the fourth is a duplicate.
    program.map_tofrom(sites[i], 7 + i - (i > 2 ? 1 : 0), 8 + i - (i > 1 ? 1 : 0));
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer") << "it counts on the clauses as they are";
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 4U);
  EXPECT_EQ(finding.wasted_bytes, 4 * OneArray::kBytes);
  EXPECT_EQ(finding.memory_bytes, OneArray::kBytes);
  EXPECT_EQ(std::get<facts::Resends>(finding.facts).how, facts::Resends::How::kBoth);
  EXPECT_TRUE(contains(report::advice_text(finding), "before a.cpp:30 for the first time:"));
  EXPECT_TRUE(contains(report::advice_text(finding), "after a.cpp:50 for the last time:"));
}

/// `target map(tofrom: ...)` of several arrays. Each is sent with a given content, and copied back
/// with the next one.
struct SeveralArrays : OneArray {
  struct Sent {
    Index<Variable> variable;
    std::uint64_t content;
  };
  void map_tofrom(Index<Site> at, const std::vector<Sent>& all) {
    begin(at);
    for (const Sent& one : all) {
      op(OpKind::kAlloc, one.variable, kBytes, 10);
      cross(OpKind::kHtoD, one.variable, one.content);
    }
    launch(1000);
    for (const Sent& one : all) {
      cross(OpKind::kDtoH, one.variable, one.content + 1);
      op(OpKind::kDelete, one.variable, 0, 5);
    }
    end();
  }
  void cross(OpKind kind, Index<Variable> variable, std::uint64_t content) {
    op(kind, variable, kBytes, 100)->fingerprint = content;
    trace.ops.edit_back()->hash = content;
  }
};

/// Lines that an inserted directive stands at, by the data that it names.
std::map<std::string, int> lines_of(const Finding& finding, Directive directive) {
  std::map<std::string, int> lines;
  for (const Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.directive != directive) continue;
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        lines[finding.data[number].expression] = edit.anchor.places.front().line;
      }
    }
  }
  return lines;
}

TEST(RoundTrip, AlongDirectivesHasABeginAndAnEndForEachArray) {
  SeveralArrays program;
  const auto b = program.variable("b", OneArray::kBytes);
  program.map_tofrom(program.solve, {{program.a, 7}});
  program.map_tofrom(program.check, {{program.a, 8}, {b, 50}});
  program.map_tofrom(program.enter, {{program.a, 9}, {b, 51}});
  program.map_tofrom(program.again, {{b, 52}});
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 4U);
  EXPECT_EQ(lines_of(finding, Directive::kTargetEnterData),
            (std::map<std::string, int>{{"a", 30}, {"b", 35}}));
  EXPECT_EQ(lines_of(finding, Directive::kTargetExitData),
            (std::map<std::string, int>{{"a", 10}, {"b", 50}}));
}

// "Before it for the first time" is before what nobody compared, too.
TEST(RoundTrip, BeginsWithTheFirstInstanceOfItsDirective) {
  OneArray program;
  program.map_tofrom(program.solve, 7, 8);
  program.map_tofrom(program.enter, 20, 21);
  program.map_tofrom(program.solve, 30, 31);
  program.map_tofrom(program.check, 31, 32);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const Finding& finding = analysis.findings[0];
  const bool leaves_the_other = std::ranges::any_of(finding.edits, [](const Edit& edit) {
    return edit.kind == EditKind::kKeep &&
           std::ranges::find(edit.anchor.places, 10, &SourcePlace::line) !=
               edit.anchor.places.end();
  });
  EXPECT_TRUE(leaves_the_other) << "it finds the data there now";
}

// What a kernel fills needs not be sent first.
TEST(RoundTrip, OfWhatAKernelFilledBeginsWithoutASend) {
  OneArray program;
  program.begin(program.solve);
  program.op(OpKind::kAlloc, program.a, OneArray::kBytes, 10);
  program.launch(1000);
  program.move(OpKind::kDtoH, 8);
  program.op(OpKind::kDelete, program.a, 0, 5);
  program.end();
  program.map_tofrom(program.check, 8, 9);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "round_trip_transfer");
  const std::vector<Edit>& edits = analysis.findings[0].edits;
  ASSERT_FALSE(edits.empty());
  EXPECT_EQ(edits[0].directive, Directive::kTargetEnterData);
  EXPECT_EQ(edits[0].clauses.at(0).kind, "alloc");
}

TEST(RoundTrip, NearMisses) {
  OneArray changed;
  changed.map_tofrom(changed.solve, 7, 8);
  changed.map_tofrom(changed.check, 10, 9);
  EXPECT_EQ(changed.patterns(), "") << "the host changed it in between";

  OneArray written;
  written.map(7);
  written.writer();
  written.bring(8);
  written.writer();
  written.send(8);
  written.reader();
  written.unmap();
  EXPECT_EQ(written.patterns(), "") << "the device had changed it again";

  OneArray zeros;
  zeros.zeros = true;
  zeros.map_tofrom(zeros.solve, 7, 8);
  zeros.map_tofrom(zeros.check, 8, 9);
  EXPECT_EQ(zeros.patterns(), "");

  OneArray lost;
  lost.map_tofrom(lost.solve, 7, 8);
  lost.map_tofrom(lost.check, 8, 9);
  lost.trace.losses[0].count = 1;
  EXPECT_EQ(lost.patterns(), "") << "a kernel may have been lost";
}

}  // namespace
}  // namespace ompdm::analysis::round_trip_transfer_test
