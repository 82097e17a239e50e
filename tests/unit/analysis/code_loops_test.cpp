// Data mapped again by loops whose place in the code is known.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "analysis/found.h"
#include "analysis/passes.h"
#include "ompdm/report.h"

namespace ompdm::analysis::code_loops_test {
namespace {

using test::contains;
using test::map_tofrom;
using test::patterns;
using test::TraceBuilder;

/// A loop of solve() around one directive, whose iterations map grids.
struct CodeLoops : TraceBuilder {
  static constexpr std::uint64_t kGrid = 1'000'000;
  Index<Site> at = site(Directive::kTarget, "src/heat.cpp", 56, "solve(int)");

  CodeLoops() {
    trace.loops = {{"solve(int)", "src/heat.cpp", 54, 3, {}, true}};
    CallPlace place;
    place.address = 16;
    place.function = 8;
    place.code_read = true;
    place.loop = {0};
    trace.call_places = {place};
    trace.call_paths = {{{}, {0}, 0x1000, 0}};
  }
  void iteration(Index<Variable> grid, std::uint64_t bytes = kGrid, std::uint32_t storage = 1) {
    const std::size_t first = trace.ops.size();
    map_tofrom(*this, at, {grid}, bytes);
    trace.regions.edit_back()->path = {0};
    trace.ops.edit(first)->storage = storage;
  }
  /// One solve after the other at the same address, each of a larger grid.
  void solves(std::uint64_t count) {
    const auto grid = variable("u", kGrid);
    for (std::uint64_t solve = 0; solve < count; ++solve) {
      for (int i = 0; i < 7; ++i) iteration(grid, kGrid + 1000 * solve);
    }
  }
};

TEST(CodeLoops, AreNamedWhereTheyAre) {
  CodeLoops program;
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_TRUE(report::advice_text(finding).starts_with("before the loop at heat.cpp:54 in solve: "))
      << report::advice_text(finding);
  const auto& facts = std::get<facts::PerIterationMapping>(finding.facts);
  EXPECT_EQ(facts.loop.place.line, 54);
  EXPECT_EQ(facts.loop.place.function, "solve");
  EXPECT_FALSE(facts.loop.is_calls);
  EXPECT_EQ(facts.iterations, 10U);
}

// Of a do the compiler tells the end, of a loop without a condition a break.
TEST(CodeLoops, AreNoPlaceToBeginAtWhereTheLineIsWithin) {
  CodeLoops program;
  program.trace.loops[0].line = 58;
  program.trace.loops[0].begin_unknown = true;
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_TRUE(std::get<facts::PerIterationMapping>(finding.facts).loop.place.file.empty());
  const Anchor& anchor = finding.edits.at(0).anchor;
  EXPECT_EQ(anchor.of, Anchor::Of::kLoop);
  EXPECT_EQ(anchor.places.at(0).line, 0);
  ASSERT_TRUE(anchor.unplaced);
  EXPECT_TRUE(anchor.unplaced->is_there);
  EXPECT_EQ(anchor.unplaced->in.function, "solve");
  ASSERT_TRUE(anchor.inside);
  EXPECT_EQ(anchor.inside->line, 58);
  ASSERT_EQ(analysis.loops.size(), 1U);
  EXPECT_EQ(analysis.loops[0].line, 0);
  EXPECT_EQ(analysis.loops[0].inside, 58);
}

TEST(CodeLoops, ThatLeadToWhatWasNotReachedHaveNoEdits) {
  CodeLoops program;
  const Frame place{"probe(int)", "src/heat.cpp", 70, 3};
  program.trace.loops[0].unreached = {{Directive::kTargetUpdate, place},
                                      {Directive::kTarget, place, true}};
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.wasted_bytes, 2 * 9 * CodeLoops::kGrid);
  EXPECT_TRUE(finding.edits.empty());
  EXPECT_TRUE(finding.unless.empty());
  EXPECT_EQ(finding.memory_bytes, 0U);
  EXPECT_EQ(finding.unreached.size(), 2U);
  EXPECT_EQ(
      report::advice_text(finding),
      "no edit is given: the loop's code also leads to the target region at heat.cpp:70 on "
      "the host, by its if() and the target update at heat.cpp:70, which did not run there in "
      "this run, and may use or change this data in another run; record a run that takes this "
      "branch");
}

TEST(CodeLoops, ThatLeadToWhatWasNotReachedAreJudgedByTheSource) {
  CodeLoops program;
  program.trace.loops[0].unreached = {{Directive::kTarget, {"probe(int)", "src/heat.cpp", 70, 3}}};
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  Trace trace = program.take();
  const HostUse no{HostUse::Answer::kNo, {}, {}};
  for (const SourceQuestion& question : analyze(trace).source_questions) {
    for (const NamedItem& item : question.items) {
      trace.host_facts.push_back({question.stretch, item, no, no, no, no, no, no, no, no});
    }
  }
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.confidence, Confidence::kLikely) << "proven once the edits are written";
  ASSERT_FALSE(finding.answers.empty());
  EXPECT_EQ(finding.answers[0].answer, HostUse::Answer::kNo);
  EXPECT_TRUE(finding.edits.empty());
  EXPECT_FALSE(finding.withheld_edits.empty());
}

/// Data that is there while a loop runs whose kernels do not name it.
struct Bystander : CodeLoops {
  Index<Site> enter = site(Directive::kTargetEnterData, "src/heat.cpp", 50, "solve(int)");
  Index<Site> leave = site(Directive::kTargetExitData, "src/heat.cpp", 60, "solve(int)");
  Index<Variable> table = variable("table", kGrid);

  Bystander() {
    CallPlace place;
    place.address = 32;
    place.function = 8;
    place.code_read = true;
    trace.call_places.push_back(place);
    trace.call_paths.push_back({{}, {1}, 0x1000, 0});
    trace.map_lists = {{}};
    begin(enter);
    trace.regions.edit_back()->path = {1};
    op(OpKind::kAlloc, table, kGrid, 10);
    op(OpKind::kHtoD, table, kGrid, 100);
    end();
    for (int i = 0; i < 5; ++i) {
      begin(at);
      trace.regions.edit_back()->path = {0};
      trace.regions.edit_back()->map_list = 0;
      launch(1000);
      end();
    }
    begin(leave);
    trace.regions.edit_back()->path = {1};
    op(OpKind::kDelete, table, 0, 5);
    end();
  }
};

TEST(CodeLoops, ThatMayUseWhatWasThereMeanwhileLeaveItNoEdits) {
  Bystander all;
  const Analysis whole = analyze(all.take());
  ASSERT_EQ(patterns(whole), "unused_allocation");
  EXPECT_FALSE(whole.findings[0].edits.empty());

  Bystander branch;
  branch.trace.loops[0].unreached = {{Directive::kTarget, {"solve(int)", "src/heat.cpp", 57, 3}}};
  const Analysis analysis = analyze(branch.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_TRUE(analysis.findings[0].edits.empty());
  EXPECT_EQ(analysis.findings[0].unreached.size(), 1U);
}

// What lies in a loop around the one that maps the data is behind it.
TEST(CodeLoops, WithinOthersThatLeadToMoreKeepTheirEdits) {
  CodeLoops program;
  program.trace.loops = {{"main", "src/heat.cpp", 90, 3, {}, true},
                         {"solve(int)", "src/heat.cpp", 54, 3, {0}, true}};
  program.trace.loops[0].unreached = {{Directive::kTargetUpdate, {"main", "src/heat.cpp", 93, 3}}};
  program.trace.call_places[0].loop = {1};
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_FALSE(analysis.findings[0].edits.empty());
  EXPECT_TRUE(analysis.findings[0].unreached.empty());
}

TEST(CodeLoops, OfALibraryAreNoPlaceToWriteAnything) {
  CodeLoops program;
  program.trace.loops[0].file = "/usr/include/c++/12/bits/stl_algo.h";
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_TRUE(
      contains(report::advice_text(analysis.findings[0]), "before the loop that runs heat.cpp:56"));
}

TEST(CodeLoops, ThatWereUnrolledAreCalls) {
  CodeLoops program;
  program.trace.loops[0].unrolled = true;
  program.trace.call_places[0].repeats = {{0, 0}};
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]),
                       "before the calls repeated at heat.cpp:54 in solve:"));
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "\nafter these calls: "));

  CodeLoops inlined;
  inlined.trace.loops[0].unrolled = true;
  inlined.trace.loops[0].line = 56;
  inlined.trace.call_places[0].repeats = {{0, 0}};
  const auto other = inlined.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) inlined.iteration(other);
  const Analysis unplaced = analyze(inlined.take());
  ASSERT_EQ(patterns(unplaced), "per_iteration_mapping");
  EXPECT_TRUE(
      contains(report::advice_text(unplaced.findings[0]), "before the loop that runs heat.cpp:56"))
      << "the line is the directive's own";
}

// Of a call that was inlined nobody knows whose loop repeated it.
TEST(CodeLoops, ThatWereInlinedAndUnrolledHaveNoPlace) {
  CodeLoops program;
  program.trace.loops[0].unrolled = true;
  program.trace.call_places[0].repeats = {{0, 0}};
  program.trace.call_places[0].frames = {{"solve(int)", "src/heat.cpp", 54, 3},
                                         {"main", "src/heat.cpp", 90, 3}};
  const auto grid = program.variable("u", CodeLoops::kGrid);
  for (int i = 0; i < 10; ++i) program.iteration(grid);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Anchor& anchor = analysis.findings[0].edits.at(0).anchor;
  EXPECT_EQ(anchor.of, Anchor::Of::kLoop);
  EXPECT_TRUE(anchor.places.at(0).file.empty());
  ASSERT_TRUE(anchor.unplaced);
  EXPECT_EQ(anchor.unplaced->in.function, "solve");
  EXPECT_FALSE(anchor.unplaced->is_there) << "it may be in main";
}

// The pointer is one of the loop's own, and may be to other data in each iteration: contents tell.
TEST(CodeLoops, OfThreeIterationsAreEnoughWhereTheContentResidencies) {
  for (const bool residencies : {true, false}) {
    CodeLoops program;
    const auto text = program.variable("text", CodeLoops::kGrid);
    const std::uint64_t host = program.trace.variables[text.value].address;
    MapItem item{text, "text", host, host, CodeLoops::kGrid, 0x3};
    item.local_line = 55;
    program.trace.map_lists = {{item}};
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::size_t first = program.trace.ops.size();
      program.iteration(text);
      program.trace.regions.edit_back()->map_list = 0;
      for (std::size_t op = first; op < program.trace.ops.size(); ++op) {
        const OpKind kind = program.trace.ops.common(op).kind;
        const bool moves = kind == OpKind::kHtoD || kind == OpKind::kDtoH;
        if (moves) program.trace.ops.edit(op)->hash = residencies ? 7 : 7 + i;
      }
    }
    const Analysis analysis = analyze(program.take());
    EXPECT_EQ(patterns(analysis) == "per_iteration_mapping", residencies) << patterns(analysis);
  }
}

TEST(CodeLoops, EnteredUnseenMapEachTheirOwn) {
  CodeLoops program;
  program.trace.loops[0].entered_unseen = true;
  program.solves(3);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.count, 3 * 2 * 6U);
  const auto& facts = std::get<facts::PerIterationMapping>(finding.facts);
  EXPECT_EQ(facts.iterations, 21U);
  EXPECT_EQ(facts.entries, 1U);
  EXPECT_TRUE(facts.entries_at_least);
  EXPECT_EQ(facts.sent, 21U);
  EXPECT_EQ(facts.sent_enough, 3U);
  EXPECT_TRUE(contains(report::advice_text(finding), "u is 3 pieces of memory"))
      << report::advice_text(finding);
}

TEST(CodeLoops, EnteredOnceMapOnePieceThatIsNotExtended) {
  CodeLoops program;
  program.solves(2);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].count, 2 * 6U)
      << "the runtime would refuse the larger grid while the smaller one is there";
}

TEST(CodeLoops, KeepWhatTakesThePlaceOfOtherStorage) {
  CodeLoops program;
  program.trace.loops[0].entered_unseen = true;
  const auto grid = program.variable("u", CodeLoops::kGrid);
  const auto part = program.variable("v", CodeLoops::kGrid);
  program.trace.variables[part.value].address = program.trace.variables[grid.value].address + 4096;
  for (int i = 0; i < 7; ++i) program.iteration(grid);
  for (int i = 0; i < 7; ++i) program.iteration(part, CodeLoops::kGrid, 2);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "per_iteration_mapping");
  EXPECT_EQ(analysis.findings[0].variable, "u, v");
}

}  // namespace
}  // namespace ompdm::analysis::code_loops_test
