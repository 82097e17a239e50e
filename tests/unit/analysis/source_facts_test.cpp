// What a region's source says of its data settles what the trace leaves open.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "analysis/passes.h"

namespace ompdm::analysis::source_facts_test {
namespace {

using test::OneArray;
using test::patterns;

/// `solve` uses the array so, by its source.
struct Read : OneArray {
  explicit Read(SourceUse use) { trace.source_facts = {{"a.cpp", 30, "a", use, {"a.cpp", 31}}}; }
};

bool depends_on_kernels(const Finding& finding) {
  const auto is_change = [](const Edit& edit) { return edit.when == EditWhen::kKernelChanged; };
  return std::ranges::count(finding.unless, Unless::kKernelChanges) > 0 ||
         std::ranges::any_of(finding.edits, is_change);
}

TEST(SourceFacts, ACopyBackOfWhatIsOnlyReadIsNeedless) {
  Read program(SourceUse::kRead);
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_NE(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_TRUE(analysis.findings[0].caveats.empty());
  EXPECT_FALSE(depends_on_kernels(analysis.findings[0]));
}

TEST(SourceFacts, ACopyBackOfWhatIsWrittenIsNeededAndTheReportSaysSo) {
  Read program(SourceUse::kWritten);
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(patterns(analysis), "") << "the kernel may write other values";
  ASSERT_EQ(analysis.refuted.size(), 1U);
  ASSERT_EQ(analysis.refuted[0].answers.size(), 1U);
  EXPECT_EQ(analysis.refuted[0].answers[0].condition, Unless::kKernelChanges);
  EXPECT_EQ(analysis.refuted[0].answers[0].at, (SourceLine{"a.cpp", 31}));
}

TEST(SourceFacts, ZerosAreAsGoodAsAnyContentWhereTheSourceOnlyReads) {
  Read program(SourceUse::kRead);
  program.zeros = true;
  program.map_tofrom(program.solve, 7, 7);
  EXPECT_EQ(program.patterns(), "unmodified_copy_back");
}

/// `solve` overwrites so many elements of 8 bytes, by its source.
std::string patterns_where_overwritten(const std::string& elements, const std::string& item) {
  Read program(SourceUse::kWritten);
  program.trace.source_facts[0].overwritten = elements;
  program.trace.source_facts[0].element_bytes = 8;
  program.trace.map_lists[1][0].name = item;
  program.map_tofrom(program.solve, 7, 8);
  return program.patterns();
}

TEST(SourceFacts, WhatAKernelOverwritesAsAWholeNeedNotBeSent) {
  EXPECT_EQ(patterns_where_overwritten("m*n", "a[0:n * m]"), "overwritten_transfer");
  EXPECT_EQ(patterns_where_overwritten("4*n", "a[0:2*n*2]"), "overwritten_transfer");
  EXPECT_EQ(patterns_where_overwritten("m*n", "a[0:m][0:n]"), "overwritten_transfer");
  EXPECT_EQ(patterns_where_overwritten("n", "a[0:n * m]"), "");
  EXPECT_EQ(patterns_where_overwritten("n", "a[1:n]"), "");
  EXPECT_EQ(patterns_where_overwritten("n", "a[0:n + 1]"), "");
  EXPECT_EQ(patterns_where_overwritten("", "a[0:n]"), "");
}

TEST(SourceFacts, AnUnknownUseLeavesTheQuestionOpen) {
  Read program(SourceUse::kUnknown);
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_TRUE(depends_on_kernels(analysis.findings[0]));
}

TEST(SourceFacts, AFactOfOneRegionSaysNothingOfAnother) {
  Read program(SourceUse::kRead);
  program.map_tofrom(program.check, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
}

TEST(SourceFacts, WhatAKernelOnlyReadsIsStillThereWhenItIsSentAgain) {
  const auto run = [](SourceUse use) {
    Read program(use);
    program.map(7);
    program.writer();  // by map(tofrom: a)
    program.send(7);
    program.writer();
    program.unmap();
    return analyze(program.take());
  };
  const Analysis read = run(SourceUse::kRead);
  ASSERT_EQ(patterns(read), "duplicate_transfer");
  EXPECT_FALSE(depends_on_kernels(read.findings[0]));
  EXPECT_EQ(patterns(run(SourceUse::kWritten)), "");
  EXPECT_EQ(patterns(run(SourceUse::kUnknown)), "");
}

TEST(SourceFacts, NoKernelSawWhatItsSourceDoesNotUse) {
  const auto run = [](SourceUse use) {
    Read program(use);
    program.map_tofrom(program.solve, 7, 8);
    return program.patterns();
  };
  EXPECT_EQ(run(SourceUse::kNone), "unused_allocation");
  EXPECT_EQ(run(SourceUse::kWritten), "");
  EXPECT_EQ(run(SourceUse::kUnknown), "");
}

/// Whether it is about data that one directive sends or copies back.
bool is_one_way(const SourceQuestion& question) {
  return question.stretch.kind == HostStretch::Kind::kRest ||
         question.stretch.kind == HostStretch::Kind::kFirst;
}

/// Analyzes a trace, answers its questions about the host's code alike, and analyzes it again.
/// `one_way`: the answer to those about one directive; open by default.
Analysis answered(Trace trace, const HostFact& answer, const HostFact& one_way = {}) {
  for (const SourceQuestion& question : analyze(trace).source_questions) {
    for (const NamedItem& item : question.items) {
      HostFact& fact = trace.host_facts.emplace_back(is_one_way(question) ? one_way : answer);
      fact.stretch = question.stretch;
      fact.item = item;
    }
  }
  Analysis analysis = analyze(trace);
  EXPECT_TRUE(analysis.source_questions.empty()) << "all is answered";
  return analysis;
}

HostUse certain(HostUse::Answer answer) { return {answer, {"heat.cpp", 60}, {}}; }

/// The host does nothing with the data.
HostFact idle() {
  const HostUse no = certain(HostUse::Answer::kNo);
  return {{}, {}, no, no, no, no, no, no};
}

/// Ten iterations of a loop that maps two arrays, of whose contents nothing is known.
Trace ten_iterations() {
  test::TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "src/heat.cpp", 41, "solve(int, double*)");
  const auto u = build.variable("u", test::kBytes);
  const auto v = build.variable("v", test::kBytes);
  build.trace.variables[0].expression = "u[0:n]";
  build.trace.variables[1].expression = "v[0:n]";
  for (int step = 0; step < 10; ++step) {
    test::map_tofrom(build, solve, {u, v});
    build.wait(100);
  }
  return build.take();
}

bool has(const Finding& finding, Unless condition) {
  return std::ranges::find(finding.unless, condition) != finding.unless.end();
}

bool is_for_host(const Edit& edit) {
  return edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged;
}

TEST(HostFacts, AFindingAsksAboutItsLoopAndItsItems) {
  std::vector<SourceQuestion> questions = analyze(ten_iterations()).source_questions;
  std::erase_if(questions, is_one_way);
  ASSERT_EQ(questions.size(), 1U);
  const SourceQuestion& question = questions[0];
  const SourceLine region{"src/heat.cpp", 41};
  EXPECT_EQ(question.stretch.kind, HostStretch::Kind::kSpan) << "no line of the loop is known";
  EXPECT_EQ(question.stretch.places, std::vector<SourceLine>{region});
  ASSERT_EQ(question.items.size(), 2U);
  EXPECT_EQ(question.items[0], (NamedItem{"u[0:n]", region}));
}

TEST(HostFacts, WhatTheHostDoesNotUseIsProvenWithoutContents) {
  const Analysis analysis = answered(ten_iterations(), idle());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.confidence, Confidence::kProven);
  EXPECT_TRUE(finding.unless.empty());
  EXPECT_TRUE(finding.caveats.empty());
  EXPECT_TRUE(std::ranges::none_of(finding.edits, is_for_host));
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_FALSE(analysis.prediction->at_most) << "the host does not read what comes back";
}

TEST(HostFacts, AnOpenAnswerChangesNothingButNamesTheStatement) {
  HostFact open = idle();
  open.read = {HostUse::Answer::kUnknown, {"heat.cpp", 60}, "is handed to f()"};
  const Analysis analysis = answered(ten_iterations(), open);
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.confidence, Confidence::kPossible);
  EXPECT_TRUE(has(finding, Unless::kHostUses));
  EXPECT_FALSE(has(finding, Unless::kMadeAgain)) << "the source settles that";
  EXPECT_TRUE(std::ranges::any_of(finding.edits, is_for_host));
  ASSERT_FALSE(finding.answers.empty());
  EXPECT_EQ(finding.answers[0].at.line, 60);
}

TEST(HostFacts, CopiesBackThatTheHostDoesNotReadAreCounted) {
  const auto run = [](HostUse::Answer read) {
    OneArray program;
    program.map_tofrom(program.solve, 7, 8);
    program.map_tofrom(program.check, 8, 9);
    HostFact fact = idle();
    fact.read = certain(read);
    return answered(program.take(), fact);
  };
  const Analysis unread = run(HostUse::Answer::kNo);
  ASSERT_EQ(patterns(unread), "round_trip_transfer");
  const Analysis open = run(HostUse::Answer::kUnknown);
  ASSERT_EQ(patterns(open), "round_trip_transfer");
  EXPECT_EQ(unread.findings[0].wasted_bytes, 2 * open.findings[0].wasted_bytes);
  EXPECT_EQ(std::get<facts::Resends>(unread.findings[0].facts).unread, 1U);
}

TEST(HostFacts, DataThatTheHostChangesInBetweenHasToBeSentAgain) {
  const auto run = [](HostUse::Answer written) {
    OneArray program;
    program.map(7);
    program.reader();
    program.send(7);
    program.reader();
    program.unmap();
    HostFact fact = idle();
    fact.written = certain(written);
    return answered(program.take(), fact);
  };
  const Analysis kept = run(HostUse::Answer::kNo);
  ASSERT_EQ(patterns(kept), "duplicate_transfer");
  EXPECT_FALSE(has(kept.findings[0], Unless::kHostChanges));
  const Analysis changed = run(HostUse::Answer::kYes);
  EXPECT_EQ(patterns(changed), "");
  ASSERT_EQ(changed.refuted.size(), 1U);
  EXPECT_EQ(changed.refuted[0].pattern, "duplicate_transfer");
}

/// A scratch array and a result that are kept on the device, and copied back at the end.
Trace scratch_and_result() {
  test::TraceBuilder build;
  const auto begin = build.site(Directive::kTargetEnterData, "a.cpp", 10, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 20, "main");
  const auto end = build.site(Directive::kTargetExitData, "a.cpp", 30, "main");
  std::vector<Index<Variable>> data;
  for (const char* name : {"scratch", "result"}) {
    data.push_back(build.variable(name, test::kBytes));
    build.trace.variables[data.back().value].expression = std::string(name) + "[0:n]";
  }
  build.begin(begin);
  for (const auto variable : data) {
    build.op(OpKind::kAlloc, variable, test::kBytes, 10);
    build.op(OpKind::kHtoD, variable, test::kBytes, 1000);
  }
  build.end();
  build.begin(solve);
  build.launch(1000);
  build.end();
  build.begin(end);
  for (const auto variable : data) {
    build.op(OpKind::kDtoH, variable, test::kBytes, 700);
    build.op(OpKind::kDelete, variable, 0, 5);
  }
  build.end();
  return build.take();
}

TEST(HostFacts, DataIsMovedOneWayWhereTheSourceShowsThatTheOtherIsNeedless) {
  const auto run = [](HostUse::Answer first, HostUse::Answer scratch, HostUse::Answer result) {
    Trace trace = scratch_and_result();
    for (const SourceQuestion& question : analyze(trace).source_questions) {
      for (const NamedItem& item : question.items) {
        HostFact& fact = trace.host_facts.emplace_back(idle());
        fact.stretch = question.stretch;
        fact.item = item;
        const bool is_scratch = item.expression == "scratch[0:n]";
        if (question.stretch.kind == HostStretch::Kind::kFirst) {
          fact.kernel_read = certain(is_scratch ? first : HostUse::Answer::kYes);
        } else {
          fact.read = certain(is_scratch ? scratch : result);
        }
      }
    }
    return analyze(trace);
  };
  using Answer = HostUse::Answer;
  EXPECT_EQ(patterns(run(Answer::kYes, Answer::kYes, Answer::kYes)), "");
  EXPECT_EQ(patterns(run(Answer::kUnknown, Answer::kUnknown, Answer::kYes)), "");
  const Analysis sent = run(Answer::kNo, Answer::kYes, Answer::kYes);
  ASSERT_EQ(patterns(sent), "overwritten_transfer");
  EXPECT_EQ(sent.findings[0].confidence, Confidence::kProven);
  EXPECT_EQ(sent.findings[0].edits.at(0).clauses.at(0).kind, "alloc");
  const Analysis unread = run(Answer::kYes, Answer::kNo, Answer::kYes);
  ASSERT_EQ(patterns(unread), "unread_copy_back");
  EXPECT_EQ(unread.findings[0].confidence, Confidence::kLikely);
  EXPECT_EQ(unread.findings[0].edits.at(0).clauses.at(0).kind, "release");
  EXPECT_EQ(patterns(run(Answer::kYes, Answer::kNo, Answer::kNo)), "")
      << "a program that reads nothing leaves its results alone";
}

}  // namespace
}  // namespace ompdm::analysis::source_facts_test
